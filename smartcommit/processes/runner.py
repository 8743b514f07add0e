"""Detects how the hook runner was invoked, as in `pre-commit run split`.

pre-commit and prek give a hook no other way to tell whether it was named or runs because of its stage.
Sources: pre-commit 4.7 `main.py`, prek 0.5 `prek run --help` and its selectors.
"""

from __future__ import annotations

import os

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Process = tuple[int, list[str]]

# Levels of parent processes that are searched for the runner: wrappers (`uv run`, a shell) add a few.
LEVELS_SEARCHED = 6

# What an option takes: no value, one, or all words up to the next option. All options are listed, since the word after
# an unknown one may be its value.
FLAG, VALUE, GREEDY = 0, 1, 2

_FLAGS = "-h --help -v --verbose -V --version -a --all-files --show-diff-on-failure --fail-fast"
_VALUES = """
    --color -c --config --hook-stage --remote-branch --local-branch -s --from-ref --source -o --to-ref --origin
    --pre-rebase-upstream --pre-rebase-branch --commit-msg-filename --prepare-commit-message-source --remote-name
    --commit-object-name --remote-url --checkout-type --rewrite-command --ref --rev
"""
_BOTH = {**dict.fromkeys(_FLAGS.split(), FLAG), **dict.fromkeys(_VALUES.split(), VALUE), "--files": GREEDY}
PRE_COMMIT_OPTIONS = {**_BOTH, "--is-squash-merge": VALUE}
_PREK_FLAGS = """
    --is-squash-merge --last-commit --dry-run --no-hide-status --refresh --no-progress -q --quiet --no-log-file
    --show-settings
"""
_PREK_VALUES = """
    --skip --stage --group --require-group --no-group --files0-from --glob -d --directory --hide-status -C --cd
    --log-file
"""
PREK_OPTIONS = {**_BOTH, **dict.fromkeys(_PREK_FLAGS.split(), FLAG), **dict.fromkeys(_PREK_VALUES.split(), VALUE)}
_OPTIONS = {"pre-commit": PRE_COMMIT_OPTIONS, "prek": PREK_OPTIONS}
# Options that choose files, other than all or the staged ones.
_CHOOSING = {
    "--files", "-s", "--from-ref", "--source", "-o", "--to-ref", "--origin", "--files0-from", "--glob", "-d",
    "--directory", "--last-commit",
}  # fmt: skip
# The first word after `prek` is a hook unless it is one of these.
PREK_COMMANDS = (
    "run", "try-repo", "hook-impl", "init", "install", "install-hooks", "prepare-hooks", "exec", "list", "uninstall",
    "validate-config", "validate-manifest", "sample-config", "update", "auto-update", "autoupdate", "cache", "gc",
    "clean", "init-template-dir", "init-templatedir", "util", "self",
)  # fmt: skip
_PRE_COMMIT_NAMES = ("pre-commit", "pre_commit", "pre-commit-script.py", ".pre-commit-wrapped")


class Invocation(Record):
    """How the runner was started: whether its command line names the hook, and whether it has `--all-files`.

    `choosing` are its options that choose other files, such as `--files`.
    """

    named: bool
    all_files: bool = False
    choosing: tuple[str, ...] = ()


def find_invocation(hook: str, *, process: Callable[[int], Process | None] | None = None) -> Invocation | None:
    """Return the invocation of the nearest runner above this process, or None if it cannot be determined.

    `hook` is the id of the calling hook; `process` returns the parent and the command line of a process.
    """
    read = process or read_process
    pid = os.getppid()
    for _ in range(LEVELS_SEARCHED):
        found = read(pid)
        if found is None:
            return None
        pid, words = found
        runner = find_runner(words)
        if runner is not None:
            return interpret(*runner, hook)
    return None


def find_runner(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return `pre-commit` or `prek`, whichever a command line starts, and its arguments; None for anything else."""
    if not words:
        return None
    program, arguments = words[0], list(words[1:])
    if _program_name(program).startswith(("python", "pypy")):
        program = _take_script(arguments)
    name = _program_name(program)
    if name in _PRE_COMMIT_NAMES or (name.startswith("pre-commit") and name.endswith(".pyz")):
        name = "pre-commit"
    if name not in ("pre-commit", "prek"):
        return None
    return name, arguments


def interpret(runner: str, arguments: Sequence[str], hook: str) -> Invocation | None:
    """Return what `arguments` mean to `runner`; None for an unknown option, whose value may look like a hook."""
    prek = runner == "prek"
    words, options, understood = _parse(arguments, _OPTIONS[runner])
    selectors = _select(words, prek=prek)
    if selectors is None:
        return Invocation(named=False)
    if not understood:
        return None
    all_files = not options.isdisjoint(("-a", "--all-files"))
    named = _is_named(selectors, hook, prek=prek)
    return Invocation(named=named, all_files=all_files, choosing=tuple(sorted(options & _CHOOSING)))


def _select(words: list[str], *, prek: bool) -> list[str] | None:
    """Return what to run; None for a command that runs no hooks or, like `hook-impl`, those of a stage."""
    command = (words or ["run"])[0]
    if prek and command not in PREK_COMMANDS:
        return words
    if command == "run":
        return words[1:]
    if command == "try-repo":
        return words[2:]
    return None


def _is_named(selectors: Sequence[str], hook: str, *, prek: bool) -> bool:
    if not prek:
        # pre-commit takes one hook and runs no other, so any name, even an alias, is ours. An empty one means all.
        return any(selectors[:1])
    # `project:hook` and `hook` name a hook; `project/` and `.` select all hooks of a project.
    hooks = [word.rpartition(":")[2] for word in selectors if ":" in word or not (word == "." or "/" in word)]
    return bool(hooks) and (len(hooks) == len(selectors) or hook in hooks)


def _parse(arguments: Sequence[str], table: Mapping[str, int]) -> tuple[list[str], set[str], bool]:
    """Return the positional words, the options, and whether all were understood; parsing ends at an unknown option.

    Options that are abbreviated or joined, as in `-va`, count as unknown.
    """
    words: list[str] = []
    options: set[str] = set()
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += rest
            break
        if not _is_option(word):
            words.append(word)
            continue
        name, equals, _ = word.partition("=")
        if name not in table:
            return words, options, False
        options.add(name)
        if equals:
            continue
        if table[name] == VALUE:
            del rest[:1]
        while table[name] == GREEDY and rest and not _is_option(rest[0]):
            del rest[0]
    return words, options, True


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _program_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _take_script(words: list[str]) -> str:
    """Remove what a Python interpreter runs, a script or `-m` and a module, and return it; empty for anything else."""
    word = words.pop(0) if words else ""
    if word == "-m" and words:
        return words.pop(0)
    if word.startswith("-m"):
        return word.removeprefix("-m")
    if word.startswith("-"):
        return ""
    return word.removesuffix("/__main__.py")


def read_process(pid: int) -> Process | None:
    """Return the parent and the command line of process `pid`, from `/proc` or from `ps`; None if neither has it."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The program's name is in parentheses and may contain anything, so count from the last one.
            parent = int(file.read().rpartition(b")")[2].split()[1])
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return parent, list(map(os.fsdecode, file.read().split(b"\0")[:-1]))
    except (OSError, ValueError, IndexError):
        return ask_ps(pid)


def ask_ps(pid: int) -> Process | None:
    """Return the parent and the command line of process `pid` as `ps` prints them, or None.

    `ps` separates words with spaces whatever they contain, so a path with spaces counts as one word if it exists.
    """
    import subprocess  # only where there is no /proc, so a process has to be started anyway

    try:
        done = subprocess.run(
            ["ps", "-ww", "-o", "ppid=", "-o", "args=", "-p", str(pid)],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False,
        )  # fmt: skip
        parent, _, text = os.fsdecode(done.stdout).strip().partition(" ")
        return int(parent), _split_words(text.strip())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def _split_words(text: str) -> list[str]:
    rest = text.split(" ")
    words: list[str] = []
    while rest:
        length = 1
        if rest[0].startswith("/"):
            paths = (n for n in range(1, len(rest) + 1) if os.path.exists(" ".join(rest[:n])))
            length = next(paths, 1)
        words.append(" ".join(rest[:length]))
        del rest[:length]
    return words


def stash_is_held(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether pre-commit or prek keeps unstaged changes in a patch file while this hook runs.

    Its name has their process id, which is our parent's: `patch<time>-<pid>`, `patches/<time>-<pid>.patch`.
    """
    if "PRE_COMMIT" not in environment:
        return False
    cache = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    pre_commit = environment.get("PRE_COMMIT_HOME") or os.path.join(cache, "pre-commit")
    prek = environment.get("PREK_HOME") or os.path.join(cache, "prek")
    endings = (f"-{os.getppid()}", f"-{os.getppid()}.patch")
    for folder in (pre_commit, os.path.join(prek, "patches")):
        if os.path.isdir(folder) and any(name.endswith(endings) for name in os.listdir(folder)):
            return True
    return False
