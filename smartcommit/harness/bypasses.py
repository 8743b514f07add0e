"""What in a command goes around the hooks of git: options, configuration, the environment, plumbing."""

from __future__ import annotations

import os

from smartcommit.harness.git_commands import GitCommand, drop_letter
from smartcommit.harness.shell_run import locate
from smartcommit.harness.shell_values import UNKNOWN
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from smartcommit.harness.hook_paths import Place
    from smartcommit.harness.shell_run import Invocation
    from smartcommit.harness.shell_values import Variable

# Commands that make, take or send commits; their hooks are what is gone around.
_HOOKED = frozenset(
    ("commit", "merge", "am", "rebase", "cherry-pick", "revert", "push", "pull", "citool", "gui", "smart-commit")
)
# Commands that run no hook that matters, however they are configured.
_READING = """
    add annotate apply blame branch cat-file check-attr check-ignore check-mailmap cherry clean clone config
    count-objects describe diff diff-files diff-index diff-tree difftool fetch for-each-ref format-patch fsck grep
    help hook init log ls-files ls-remote ls-tree merge-base name-rev notes range-diff reflog remote reset restore
    rev-list rev-parse rm shortlog show show-ref status tag var version whatchanged write-tree hash-object commit-tree
    submodule
"""
_UNHOOKED = frozenset(_READING.split())
_NEVER = ("", "0", "false", "no", "off")
# Variables that switch hooks off, each with the values that do so; None: any but an empty one.
_SWITCHES: Mapping[str, tuple[str, ...] | None] = {
    "HUSKY": ("0",),
    "LEFTHOOK": ("0", "false"),
    **dict.fromkeys(
        (
            "SKIP", "HUSKY_SKIP_HOOKS", "LEFTHOOK_EXCLUDE", "LEFTHOOK_SKIP", "PRE_COMMIT_ALLOW_NO_CONFIG", "PREK_SKIP",
            "PREK_ALLOW_NO_CONFIG", "OVERCOMMIT_DISABLE", "SKIP_SIMPLE_GIT_HOOKS", "SMARTCOMMIT_OFF",
            "SMARTCOMMIT_WARNINGS", "SMARTCOMMIT_EXECUTION",
        )
    ),
}  # fmt: skip
# Variables that move the configuration in which hooks may be named.
_CONFIG_FILES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "HOME", "XDG_CONFIG_HOME")
# Commands that put a commit in a branch, once `commit-tree` has made it.
_PUBLISHING = frozenset(
    ("branch", "reset", "checkout", "switch", "merge", "push", "rebase", "symbolic-ref", "update-ref")
)
# Programs that install hooks, with the words that remove them.
_UNINSTALLS = (
    ("pre-commit", "uninstall"), ("prek", "uninstall"), ("husky", "uninstall"), ("lefthook", "uninstall"),
    ("smartcommit", "uninstall"), ("overcommit", "--uninstall"), ("simple-git-hooks", "uninstall"), ("hk", "uninstall"),
)  # fmt: skip
# Programs that commit, and hand such options on.
_COMMITTING = frozenset(("standard-version", "commit-and-tag-version", "git-cz", "cz", "stg"))
_MODULES = {"pre_commit": "pre-commit", "smartcommit": "smartcommit", "smartcommit.cli": "smartcommit"}


class Bypass(Record):
    """What goes around the hooks, and how the command does without it.

    `words` says what becomes of words of the program by their number (empty: dropped), `variables` are not set. With
    neither, the whole program is left out.
    """

    reason: str
    words: dict[int, str]
    variables: tuple[str, ...] = ()


def find_other_bypass(invocation: Invocation) -> str:
    """Return why a program that is not git takes hooks away or commits without them, empty if it does not."""
    name = invocation.name
    arguments = list(invocation.arguments)
    if name.rstrip("0123456789.") == "python" and arguments[:1] == ["-m"] and len(arguments) > 1:
        name = _MODULES.get(arguments[1], arguments[1])
        del arguments[:2]
    words = [text for text in arguments if not text.startswith("-")]
    for program, verb in _UNINSTALLS:
        if name == program and verb in (*words[:1], *(text for text in arguments if text == "--uninstall")):
            return f"'{program} {verb}' removes the hooks"
    if name == "smartcommit" and words[:2] == ["agents", "uninstall"]:
        return "'smartcommit agents uninstall' removes what guards the hooks"
    if name in ("pip", "pip3", "pipx") and words[:1] == ["uninstall"] and "smartcommit-hooks" in words:
        return f"'{name} uninstall smartcommit-hooks' removes the hooks' program"
    for text in arguments:
        if text == "--no-commit-hooks" or (name in _COMMITTING and text == "--no-verify"):
            return f"'{name} {text}' skips the repository's hooks"
    return ""


def find_bypass(command: GitCommand, invocation: Invocation, place: Place, *, made_commit: bool) -> Bypass | None:
    """Return how a command of git goes around hooks, or None; `made_commit` if the line ran `commit-tree` before."""
    found = _find_no_verify(command) or _find_configured(command)
    if found is None and command.name not in _UNHOOKED:
        found = _find_environment(command, invocation)
    if found is None and command.name in _HOOKED:
        found = _find_moved_files(invocation) or _find_git_directory(command, invocation, place)
    if found is None and command.name == "config":
        found = _find_config(command)
    return found or _find_plumbing(command, invocation, made_commit=made_commit)


def _find_no_verify(command: GitCommand) -> Bypass | None:
    if command.name not in _HOOKED or not command.has("no-verify"):
        return None
    if command.name in ("commit", "push") and command.has("dry-run"):
        return None
    words = {}
    for option in command.options:
        if option.name == "no-verify":
            words[option.word] = drop_letter(command, option)
    shown = command.words[min(words)].text
    return Bypass(f"'git {command.name} {shown}' skips the repository's hooks", words)


def is_protected(name: str) -> bool:
    """Whether a variable of git's configuration says which hooks run, or what they refuse."""
    lowered = name.lower()
    return lowered in ("core.hookspath", "smartcommit.off", "smartcommit.warnings") or lowered.startswith("hook.")


def _find_configured(command: GitCommand) -> Bypass | None:
    """Find `-c` and `--config-env`; an included file may say anything."""
    if command.name in _UNHOOKED:
        return None
    words: dict[int, str] = {}
    name = ""
    for setting in command.settings:
        lowered = setting.name.lower()
        if is_protected(lowered) or lowered == "include.path" or lowered.startswith("includeif."):
            name = setting.name
            words.update(dict.fromkeys(range(setting.first, setting.last + 1), ""))
    return Bypass(f"'-c {name}' changes which hooks run", words) if words else None


def _find_environment(command: GitCommand, invocation: Invocation) -> Bypass | None:
    changed = invocation.changed_variables()
    for name, variable in changed.items():
        value = _get_value(variable)
        if value == invocation.shell.environment.get(name, ""):
            continue
        if _switches_off(name, value):
            return Bypass(f"{name}={_show(value)} switches hooks off", {}, (name,))
    names = tuple(name for name in changed if name.startswith("GIT_CONFIG_"))
    for name in names:
        value = _get_value(changed[name]).lower()
        keyed = name.startswith("GIT_CONFIG_KEY_") and (is_protected(value) or value.startswith("include"))
        listed = name == "GIT_CONFIG_PARAMETERS" and any(
            key in value for key in ("core.hookspath", "'hook.", "include")
        )
        if keyed or listed:
            configuring = tuple(each for each in names if each.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")))
            return Bypass(f"{name} changes which hooks run", {}, (*configuring, "GIT_CONFIG_COUNT", name))
    return None


def _switches_off(name: str, value: str) -> bool:
    if UNKNOWN in value:
        return name in _SWITCHES
    if name in _SWITCHES:
        values = _SWITCHES[name]
        return value != "" if values is None else value.lower() in values
    skips = any(word in name for word in ("SKIP", "DISABLE", "BYPASS", "NO_"))
    return skips and ("HOOK" in name or "VERIFY" in name) and value.lower() not in _NEVER


def _find_moved_files(invocation: Invocation) -> Bypass | None:
    changed = invocation.changed_variables()
    environment = invocation.shell.environment
    for name in _CONFIG_FILES:
        if name not in changed or _get_value(changed[name]) == environment.get(name, ""):
            continue
        if name == "GIT_CONFIG_NOSYSTEM" and _get_value(changed[name]).lower() in _NEVER:
            continue
        return Bypass(f"{name} hides the configuration that names hooks", {}, (name,))
    return None


def _find_git_directory(command: GitCommand, invocation: Invocation, place: Place) -> Bypass | None:
    """Find another git directory, which has other hooks, for the working tree of this repository."""
    changed = invocation.changed_variables()
    shell = invocation.shell
    directory = find_directory(command, invocation)
    named = command.git_dir
    tree = command.work_tree
    if named is None and "GIT_DIR" in changed:
        named = _get_value(changed["GIT_DIR"]) or None
    if tree is None and "GIT_WORK_TREE" in changed:
        tree = _get_value(changed["GIT_WORK_TREE"]) or None
    if named is None or directory is None:
        return None
    path = os.path.normpath(os.path.join(directory, named))
    tree = os.path.normpath(os.path.join(directory, tree or "."))
    real = [os.path.realpath(each) for each in place.git_directories]
    if not place.contains(tree) or path in place.git_directories or os.path.realpath(path) in real:
        return None
    if locate(shell, tree) == os.path.dirname(path) and tree != place.top:
        return None
    words: dict[int, str] = {}
    for number, field in enumerate(command.words[1 : command.first], start=1):
        if field.text.startswith("--git-dir") or command.words[number - 1].text == "--git-dir":
            words[number] = ""
    return Bypass(f"the git directory '{_show(named)}' has other hooks than the repository's", words, ("GIT_DIR",))


def find_directory(command: GitCommand, invocation: Invocation) -> str | None:
    """Return the directory in which a command of git works, None if it is not known."""
    directory = invocation.shell.directory
    for path in command.directories:
        if UNKNOWN in path or (directory is None and not os.path.isabs(path)):
            return None
        directory = os.path.normpath(os.path.join(directory or "/", path))
    return directory


def _find_config(command: GitCommand) -> Bypass | None:
    change = read_config_change(command)
    if change is None:
        return None
    name, _ = change
    if name in ("core", "hook") or is_protected(name):
        return Bypass(f"'git config' on '{_show(name)}' changes which hooks run", {})
    return None


def read_config_change(command: GitCommand) -> tuple[str, str | None] | None:
    """Return the variable or section that `git config` changes, and its new value if it gets one."""
    operands = [field.text for field in command.operands]
    if any(
        command.has(name)
        for name in ("get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool")
    ):
        return None
    verb = operands[0] if operands else ""
    if verb in ("get", "list", "edit"):
        return None
    removing = any(command.has(name) for name in ("unset", "unset-all", "remove-section", "rename-section"))
    if verb in ("set", "unset", "remove-section", "rename-section"):
        removing = verb != "set"
        operands = operands[1:]
    if len(operands) < (1 if removing else 2):
        return None
    return operands[0], None if removing else operands[1]


def _find_plumbing(command: GitCommand, invocation: Invocation, *, made_commit: bool) -> Bypass | None:
    name = command.name
    operands = [field.text for field in command.operands]
    if name == "fast-import":
        return Bypass("'git fast-import' makes commits without running hooks", {})
    if name == "hash-object" and command.has("w"):
        kind = command.find("t")
        if kind is not None and kind.value == "commit":
            return Bypass("'git hash-object -t commit -w' makes a commit without running hooks", {})
    if name == "update-ref" and not command.has("d"):
        changed: Sequence[str] = operands[:1]
        if command.has("stdin"):
            changed = _list_updates(invocation)
        for ref in changed:
            if UNKNOWN in ref or ref in ("HEAD", "@") or ref.startswith("refs/heads/"):
                return Bypass(f"'git update-ref {_show(ref)}' moves a branch without running hooks", {})
    if made_commit and name in _PUBLISHING:
        return Bypass(f"'git commit-tree' and 'git {name}' make a commit without running hooks", {})
    return None


def _list_updates(invocation: Invocation) -> Sequence[str]:
    """Return the references that the input of `update-ref --stdin` creates or updates."""
    if invocation.stdin is None:
        return [UNKNOWN]
    found = [UNKNOWN] if UNKNOWN in invocation.stdin.text else []
    for line in invocation.stdin.text.split("\n"):
        words = line.split()
        if len(words) > 1 and words[0] in ("create", "update", "symref-update"):
            found.append(words[1])
    return found


def _get_value(variable: Variable | None) -> str:
    return "" if variable is None else "".join(variable.items[:1])


def _show(text: str) -> str:
    return text.replace(UNKNOWN, "..")[:80]
