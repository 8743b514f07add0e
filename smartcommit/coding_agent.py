"""Notices by the environment that a coding agent runs this process, and which one."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

AUTO, YES, NO = "auto", "yes", "no"
# The name of a coding agent of which nothing else is known.
UNKNOWN = "a coding agent"
# Variables that the agents set for the commands they run, and the agent's name; with a value, only that one counts.
# Left out are those which a person's own shell may have too, such as COPILOT_GITHUB_TOKEN and CURSOR_TRACE_ID.
# Sources: the npm package @vercel/detect-agent 1.2.7, and the agents' documentation and code.
_SIGNS: tuple[tuple[str, str | None, str], ...] = (
    ("CLAUDECODE", None, "Claude"),
    ("CLAUDE_CODE", None, "Claude"),
    ("CODEX_CI", None, "Codex"),
    ("CODEX_THREAD_ID", None, "Codex"),
    ("CODEX_SANDBOX", None, "Codex"),
    ("GEMINI_CLI", None, "Gemini"),
    ("COPILOT_CLI", None, "Copilot"),
    ("CURSOR_AGENT", None, "Cursor"),
    ("CURSOR_EXTENSION_HOST_ROLE", "agent-exec", "Cursor"),
    ("QWEN_CODE", None, "Qwen"),
    ("OPENCODE", "1", "opencode"),
    ("ANTIGRAVITY_AGENT", None, "Antigravity"),
    ("AUGMENT_AGENT", None, "Augment"),
)
# Says an agent's name itself, perhaps with a version: `claude-code_2-1-330_agent`.
_NAMED = "AI_AGENT"
# All variables that are looked at.
VARIABLES = (_NAMED, *(name for name, _, _ in _SIGNS))
# How names in _NAMED begin, and what the agent is called in a message.
_NAMES = {name.lower(): name for _, _, name in _SIGNS}
_CHARACTERS = 40
# Where the id of a session is, in this order.
SESSIONS = (
    "SMARTCOMMIT_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID", "GEMINI_SESSION_ID",
    "QWEN_CODE_SESSION_ID",
)  # fmt: skip


def find_coding_agent(setting: str | None = None, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the name of the coding agent at work, None if a person is; the `setting` AUTO looks at `environment`."""
    if setting is None:
        setting = environment.get("SMARTCOMMIT_CODING_AGENT", AUTO)
    if setting == NO:
        return None
    for variable, value, name in _SIGNS:
        found = environment.get(variable)
        if found and value in (None, found):
            return name
    named = environment.get(_NAMED, "").strip().partition("_")[0].partition("@")[0][:_CHARACTERS]
    if named.replace("-", "").replace(" ", "").replace(".", "").isalnum():
        return _NAMES.get(named.lower().partition("-")[0], named)
    if named or setting == YES:
        return UNKNOWN
    return None


def find_session(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the id of the session in whose environment this process runs, or None if that names none."""
    return next(filter(None, map(environment.get, SESSIONS)), None)
