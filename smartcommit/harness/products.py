"""The harnesses that are known: where each one reads hooks and skills, and how its events and tools are called.

Sources: the references of Claude Code, Codex, Gemini CLI, Copilot CLI, Cursor and Qwen Code on hooks, and the plug-in
interface of opencode. A name that is wrong here only means that an event is not noticed.
"""

from __future__ import annotations

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# What our events are about, whatever a product calls them.
START, BEFORE, AFTER, STOP, END = "start", "before", "after", "stop", "end"
# What a tool does. A tool of no kind is none of our business.
SHELL, REPLACE, WRITE, PATCH, DELETE, OTHER_EDIT, READ = (
    "shell", "replace", "write", "patch", "delete", "other edit", "read",
)  # fmt: skip

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

# How hooks are configured and answered. The names are those of the products that came first.
CLAUDE, GEMINI, COPILOT, CURSOR = "claude", "gemini", "copilot", "cursor"


class Product(Record):
    """A harness.

    `home` is the variable that moves its directory of the user, and that directory below the home directory; `project`
    is its directory in a working tree. `hooks` are the files with hooks, `skills` the directories of skills: each first
    below the working tree, then below the directory of the user (skills: below the home directory, if they start with
    `~`). `events` has its names for our events, `matchers` patterns of the tools before and after which hooks run.
    `timeout` is the key and the value that give a hook half a minute. A harness `hides_hooks` if its shell keeps git
    from running those of the repository, and `keeps_shells` if it tells of no input to a shell that stays open. `note`
    says what a person has to do before hooks are run; `copy` ends the name of the copy of its settings that a harness
    leaves beside them when it writes them anew.
    """

    name: str
    title: str
    program: str
    home: tuple[str, str]
    project: str
    hooks: tuple[str, str] = ("", "")
    skills: tuple[str, str] = ("", "")
    events: Mapping[str, str] = {}
    matchers: tuple[str, str] = ("", "")
    timeout: tuple[str, int] | None = None
    dialect: str = CLAUDE
    version: bool = False
    hides_hooks: bool = False
    keeps_shells: bool = False
    note: str = ""
    copy: str = ""


def _name_events(names: str) -> dict[str, str]:
    return dict(zip((START, BEFORE, AFTER, STOP, END), names.split(), strict=True))


_CLAUDE_EVENTS = _name_events("SessionStart PreToolUse PostToolUse Stop SessionEnd")

PRODUCTS = {
    product.name: product
    for product in (
        Product(
            name="claude",
            title="Claude Code",
            program="claude",
            home=("CLAUDE_CONFIG_DIR", ".claude"),
            project=".claude",
            # What holds for one machine belongs into the settings that are not shared.
            hooks=(".claude/settings.local.json", "settings.json"),
            skills=(".claude/skills", "skills"),
            events=_CLAUDE_EVENTS,
            matchers=("Bash|Edit|MultiEdit|Write|NotebookEdit", "Bash|Edit|MultiEdit|Write|NotebookEdit|Read"),
            timeout=("timeout", 30),
            note="Claude Code runs no hooks in a folder until you trust it, which it asks at its start",
        ),
        Product(
            name="codex",
            title="Codex",
            program="codex",
            home=("CODEX_HOME", ".codex"),
            project=".codex",
            hooks=(".codex/hooks.json", "hooks.json"),
            skills=(".agents/skills", "~/.agents/skills"),
            events=_CLAUDE_EVENTS,
            matchers=("Bash|apply_patch", "Bash|apply_patch"),
            timeout=("timeout", 30),
            keeps_shells=True,
            note="Codex runs hooks once you have trusted them in /hooks, and a project's only if you trust its folder",
        ),
        Product(
            name="gemini",
            title="Gemini CLI",
            program="gemini",
            home=("", ".gemini"),
            project=".gemini",
            hooks=(".gemini/settings.json", "settings.json"),
            skills=(".agents/skills", "~/.agents/skills"),
            events=_name_events("SessionStart BeforeTool AfterTool AfterAgent SessionEnd"),
            matchers=("run_shell_command|write_file|replace", "run_shell_command|write_file|replace|read_file"),
            timeout=("timeout", 30_000),
            dialect=GEMINI,
            note="Gemini CLI runs no hooks in a folder until you trust it: type /permissions trust in it",
            hides_hooks=True,
        ),
        Product(
            name="copilot",
            title="Copilot CLI",
            program="copilot",
            home=("COPILOT_HOME", ".copilot"),
            project=".github/hooks",
            hooks=(".github/hooks/smartcommit.json", "hooks/smartcommit.json"),
            skills=(".agents/skills", "~/.agents/skills"),
            events=_name_events("sessionStart preToolUse postToolUse agentStop sessionEnd"),
            matchers=(
                "bash|create|edit|str_replace_editor|apply_patch",
                "bash|create|edit|str_replace_editor|apply_patch|view",
            ),
            timeout=("timeoutSec", 30),
            dialect=COPILOT,
            version=True,
            note="Copilot CLI runs a project's hooks only if you trust its folder; with -p, add --trust-folder",
        ),
        Product(
            name="cursor",
            title="Cursor",
            program="cursor-agent",
            home=("", ".cursor"),
            project=".cursor",
            hooks=(".cursor/hooks.json", "hooks.json"),
            skills=(".cursor/skills", "skills"),
            events=_name_events("sessionStart preToolUse postToolUse stop sessionEnd"),
            matchers=("Shell|Write|StrReplace|ApplyPatch|Delete", "Shell|Write|StrReplace|ApplyPatch|Delete|Read"),
            dialect=CURSOR,
            version=True,
        ),
        Product(
            name="qwen",
            title="Qwen Code",
            program="qwen",
            home=("", ".qwen"),
            project=".qwen",
            hooks=(".qwen/settings.json", "settings.json"),
            skills=(".qwen/skills", "skills"),
            events=_CLAUDE_EVENTS,
            matchers=("run_shell_command|write_file|edit", "run_shell_command|write_file|edit|read_file"),
            timeout=("timeout", 30_000),
            note="Qwen Code runs a project's hooks only if you trust its folder, where security.folderTrust is set",
            copy=".orig",
        ),
        Product(
            name="opencode",
            title="opencode",
            program="opencode",
            home=("", ".config/opencode"),
            project=".opencode",
            hooks=(".opencode/plugins/smartcommit.js", "plugins/smartcommit.js"),
            skills=(".opencode/skills", "skills"),
        ),
        Product(
            name="agents-md",
            title="any agent that reads AGENTS.md",
            program="",
            home=("", ""),
            project="",
            hooks=("AGENTS.md", ""),
        ),
    )
}
