"""Notices by the environment that a coding agent runs this process."""

from __future__ import annotations

import os
from collections.abc import Mapping

AUTO = "auto"
YES = "yes"
NO = "no"
# Variables that the agents set for the commands they run; with a value, only that one counts. Left out are those which
# a person's own shell may have too, such as COPILOT_GITHUB_TOKEN and CURSOR_TRACE_ID.
# Sources: the npm package @vercel/detect-agent 1.2.7, and the agents' documentation and code.
SIGNS = {
    "AI_AGENT": None, "CLAUDECODE": None, "CLAUDE_CODE": None, "CODEX_CI": None, "CODEX_THREAD_ID": None,
    "CODEX_SANDBOX": None, "GEMINI_CLI": None, "COPILOT_CLI": None, "CURSOR_AGENT": None,
    "CURSOR_EXTENSION_HOST_ROLE": "agent-exec", "QWEN_CODE": None, "OPENCODE": "1", "ANTIGRAVITY_AGENT": None,
    "AUGMENT_AGENT": None,
}  # fmt: skip
# Where the id of a session is, in this order.
SESSIONS = (
    "SMARTCOMMIT_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID", "GEMINI_SESSION_ID",
    "QWEN_CODE_SESSION_ID",
)  # fmt: skip


def is_agent_at_work(setting: str | None = None, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a coding agent runs this process, and no person; the `setting` AUTO looks at `environment`."""
    if setting is None:
        setting = environment.get("SMARTCOMMIT_CODING_AGENT", AUTO)
    if setting == NO:
        return False
    for variable, value in SIGNS.items():
        present = environment.get(variable)
        if present and value in (None, present):
            return True
    return setting == YES


def find_session() -> str | None:
    """Return the id of the session in whose environment this process runs, or None if that names none."""
    return next((os.environ[name] for name in SESSIONS if os.environ.get(name)), None)
