"""The harnesses that are known: where each one reads hooks and skills, and how its events and tools are called.

Sources: the references of Claude Code, Codex, Gemini CLI, Copilot CLI, Cursor and Qwen Code on hooks, and the plug-in
interface of opencode. A name that is wrong here only means that an event is not noticed.
"""

from __future__ import annotations

from collections.abc import Mapping

from smartcommit.record import Record

# What our events are about, whatever a product calls them.
START = "start"
PROMPT = "prompt"
BEFORE = "before"
AFTER = "after"
STOP = "stop"
END = "end"
# What a tool does. A tool of no kind is none of our business.
SHELL = "shell"
REPLACE = "replace"
WRITE = "write"
PATCH = "patch"
DELETE = "delete"
OTHER_EDIT = "other edit"
READ = "read"

TOOLS = {
    "Bash": SHELL, "bash": SHELL, "run_shell_command": SHELL, "Shell": SHELL, "shell": SHELL,
    "Edit": REPLACE, "edit": REPLACE, "replace": REPLACE, "StrReplace": REPLACE,
    "Write": WRITE, "write": WRITE, "write_file": WRITE, "create": WRITE,
    "apply_patch": PATCH, "ApplyPatch": PATCH,
    "Delete": DELETE,
    "NotebookEdit": OTHER_EDIT,
    "Read": READ, "read": READ, "read_file": READ, "view": READ,
}  # fmt: skip
# The names of a tool's arguments, and of fields of its answer, that mean the same.
PATH = ("file_path", "path", "filePath", "notebook_path", "absolute_path")
OLD = ("old_string", "old_str", "oldString")
NEW = ("new_string", "new_str", "newString")
EVERY = ("replace_all", "allow_multiple", "replaceAll")
CONTENT = ("content", "file_text", "contents")
DIRECTORY = ("working_directory", "workdir", "dir_path", "directory")
PATCH_TEXT = ("command", "patch", "input", "patchText")

# Seconds that an event waits for the ledger. Without it, lines are nobody's; the agent must not wait longer for that.
PATIENCE = 5.0
# How hooks are configured and answered. The names are those of the products that came first.
CLAUDE = "claude"
GEMINI = "gemini"
COPILOT = "copilot"
CURSOR = "cursor"


class Product(Record):
    """A harness."""

    name: str
    # Its name for people.
    title: str
    # The files with hooks: below the working tree, and below its directory of the user.
    project_hooks: str
    user_hooks: str
    # Its command.
    program: str
    # Its directory of the user, below the home directory, unless the variable `home_variable` moves it.
    home: str
    home_variable: str = ""
    # The directories of skills: below the working tree, and below its directory of the user or the home directory.
    project_skills: str = ".agents/skills"
    user_skills: str = "~/.agents/skills"
    # Its names for our events.
    events: Mapping[str, str] = {}
    # The tools before and after which hooks run, and one after which they run, too.
    tools: str = ""
    reader: str = ""
    # What gives a hook half a minute in its settings.
    timeout: Mapping[str, int] = {}
    dialect: str = CLAUDE
    # Whether its settings say their version.
    has_version: bool = False
    # Whether its shell keeps git from running the hooks of the repository.
    hides_hooks: bool = False
    # Whether it tells of no input to a shell that stays open.
    keeps_shells: bool = False
    # What a person has to do before hooks are run.
    note: str = ""


def _name_events(names: str) -> dict[str, str]:
    return dict(zip((START, PROMPT, BEFORE, AFTER, STOP, END), names.split(), strict=True))


_CLAUDE_EVENTS = _name_events("SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd")

_ALL = (
    Product(
        "claude", "Claude Code",
        # What holds for one machine belongs into the settings that are not shared.
        project_hooks=".claude/settings.local.json", user_hooks="settings.json", project_skills=".claude/skills",
        user_skills="skills", program="claude", home=".claude", home_variable="CLAUDE_CONFIG_DIR",
        events=_CLAUDE_EVENTS, tools="Bash|Edit|Write|NotebookEdit", reader="Read", timeout={"timeout": 30},
        note="Claude Code runs no hooks in a folder until you trust it, which it asks at its start",
    ),
    Product(
        "codex", "Codex", project_hooks=".codex/hooks.json", user_hooks="hooks.json",
        program="codex", home=".codex", home_variable="CODEX_HOME",
        events=_CLAUDE_EVENTS, tools="Bash|apply_patch", timeout={"timeout": 30}, keeps_shells=True,
        note="Codex runs hooks once you have trusted them in /hooks, and a project's only if you trust its folder",
    ),
    Product(
        "gemini", "Gemini CLI", project_hooks=".gemini/settings.json", user_hooks="settings.json",
        events=_name_events("SessionStart BeforeAgent BeforeTool AfterTool AfterAgent SessionEnd"),
        tools="run_shell_command|write_file|replace", reader="read_file", timeout={"timeout": 30_000},
        program="gemini", home=".gemini", dialect=GEMINI, hides_hooks=True,
        note="Gemini CLI runs no hooks in a folder until you trust it: type /permissions trust in it",
    ),
    Product(
        "copilot", "Copilot CLI", project_hooks=".github/hooks/smartcommit.json",
        user_hooks="hooks/smartcommit.json", program="copilot", home=".copilot", home_variable="COPILOT_HOME",
        events=_name_events("sessionStart userPromptSubmitted preToolUse postToolUse agentStop sessionEnd"),
        tools="bash|create|edit|apply_patch", reader="view", timeout={"timeoutSec": 30},
        dialect=COPILOT, has_version=True,
        note="Copilot CLI runs a project's hooks only if you trust its folder; with -p, add --trust-folder",
    ),
    Product(
        "cursor", "Cursor", project_hooks=".cursor/hooks.json", user_hooks="hooks.json",
        project_skills=".cursor/skills", user_skills="skills", program="cursor-agent", home=".cursor",
        events=_name_events("sessionStart beforeSubmitPrompt preToolUse postToolUse stop sessionEnd"),
        tools="Shell|Write|StrReplace|ApplyPatch|Delete", reader="Read", dialect=CURSOR, has_version=True,
    ),
    Product(
        "qwen", "Qwen Code", project_hooks=".qwen/settings.json", user_hooks="settings.json",
        project_skills=".qwen/skills", user_skills="skills", program="qwen", home=".qwen",
        events=_CLAUDE_EVENTS, tools="run_shell_command|write_file|edit", reader="read_file",
        timeout={"timeout": 30_000},
        note="Qwen Code runs a project's hooks only if you trust its folder, where security.folderTrust is set",
    ),
    Product(
        "opencode", "opencode", project_hooks=".opencode/plugins/smartcommit.js", user_hooks="plugins/smartcommit.js",
        project_skills=".opencode/skills", user_skills="skills", program="opencode", home=".config/opencode",
    ),
)  # fmt: skip
PRODUCTS = {product.name: product for product in _ALL}
