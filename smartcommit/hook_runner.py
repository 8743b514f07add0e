"""How the runner above a hook was started: whether its command line names the hook, as in `pre-commit run split`.

Under pre-commit and prek nothing else tells a hook that is asked for from one that runs because its stage has come.
Sources: pre-commit 4.7 `main.py`, prek 0.5 `prek run --help` and its selectors.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Process = tuple[int, list[str]]

# The hook's parent is the runner; an entry that goes through a wrapper (`uv run`, a shell) adds a few.
DEPTH = 6

# What an option takes: no value, one, or all words up to the next option.
FLAG, VALUE, GREEDY = 0, 1, 2

_BOTH = {
    "-h": FLAG, "--help": FLAG, "-v": FLAG, "--verbose": FLAG, "-V": FLAG, "--version": FLAG, "-a": FLAG,
    "--all-files": FLAG, "--show-diff-on-failure": FLAG, "--fail-fast": FLAG, "--files": GREEDY, "--color": VALUE,
    "-c": VALUE, "--config": VALUE, "--hook-stage": VALUE, "--remote-branch": VALUE, "--local-branch": VALUE,
    "-s": VALUE, "--from-ref": VALUE, "--source": VALUE, "-o": VALUE, "--to-ref": VALUE, "--origin": VALUE,
    "--pre-rebase-upstream": VALUE, "--pre-rebase-branch": VALUE, "--commit-msg-filename": VALUE,
    "--prepare-commit-message-source": VALUE, "--commit-object-name": VALUE, "--remote-name": VALUE,
    "--remote-url": VALUE, "--checkout-type": VALUE, "--rewrite-command": VALUE, "--ref": VALUE, "--rev": VALUE,
}  # fmt: skip
PRE_COMMIT_OPTIONS = {**_BOTH, "--is-squash-merge": VALUE}
PREK_OPTIONS = {
    **_BOTH, "--is-squash-merge": FLAG, "--skip": VALUE, "--stage": VALUE, "--group": VALUE, "--require-group": VALUE,
    "--no-group": VALUE, "--files0-from": VALUE, "--glob": VALUE, "-d": VALUE, "--directory": VALUE,
    "--last-commit": FLAG, "--dry-run": FLAG, "--hide-status": VALUE, "--no-hide-status": FLAG, "-C": VALUE,
    "--cd": VALUE, "--refresh": FLAG, "--no-progress": FLAG, "-q": FLAG, "--quiet": FLAG, "--log-file": VALUE,
    "--no-log-file": FLAG, "--show-settings": FLAG,
}  # fmt: skip
# Options that choose files, other than all or the staged ones.
_CHOOSING = {
    "--files", "-s", "--from-ref", "--source", "-o", "--to-ref", "--origin", "--files0-from", "--glob", "-d",
    "--directory", "--last-commit",
}  # fmt: skip
# With `prek`, the first word is a hook unless it is one of these.
PREK_COMMANDS = (
    "run", "try-repo", "hook-impl", "init", "install", "install-hooks", "prepare-hooks", "exec", "list", "uninstall",
    "validate-config", "validate-manifest", "sample-config", "update", "auto-update", "autoupdate", "cache", "gc",
    "clean", "init-template-dir", "init-templatedir", "util", "self",
)  # fmt: skip


class Invocation:
    """How the runner was started: whether its command line names the hook, and whether it asks for `--all-files`.

    `choosing` are its options that choose other files, such as `--files`.
    """

    __slots__ = ("all_files", "choosing", "named")

    def __init__(self, *, named: bool, all_files: bool = False, choosing: Sequence[str] = ()) -> None:
        self.named = named
        self.all_files = all_files
        self.choosing = choosing


def find(hook: str, *, process: Callable[[int], Process | None] | None = None) -> Invocation | None:
    """The invocation of the nearest runner above this process, or None where it cannot be told.

    `hook` is the id of the hook that asks; `process` gives the parent and the command line of a process.
    """
    look = process or read_process
    pid = os.getppid()
    for _ in range(DEPTH):
        found = look(pid)
        if found is None:
            return None
        pid, words = found
        runner = runner_of(words)
        if runner is not None:
            return interpret(*runner, hook)
    return None


def runner_of(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """Which runner a command line starts, `pre-commit` or `prek`, and the arguments it gets; None for anything else."""
    if not words:
        return None
    name = _runner_name(words[0])
    if name is not None:
        return name, list(words[1:])
    if _base(words[0]).startswith(("python", "pypy")):
        return _run_by_python(list(words[1:]))
    return None


def interpret(runner: str, arguments: Sequence[str], hook: str) -> Invocation | None:
    """What `arguments` ask of `runner`; None when an option is unknown, for its value may look like a hook's name."""
    prek = runner == "prek"
    words, options, understood = _parse(arguments, PREK_OPTIONS if prek else PRE_COMMIT_OPTIONS, prefixes=not prek)
    selectors = _selectors(words, prek=prek)
    if selectors is None:
        return Invocation(named=False)
    if not understood:
        return None
    # pre-commit takes one hook and then runs no other, so any name, an alias too, is ours. An empty one means all.
    named = _prek_names(selectors, hook) if prek else any(selectors[:1])
    all_files = not options.isdisjoint(("-a", "--all-files"))
    return Invocation(named=named, all_files=all_files, choosing=sorted(options & _CHOOSING))


def _selectors(words: list[str], *, prek: bool) -> list[str] | None:
    """What to run; None for a command that runs no hooks or, as `hook-impl` does, those of a stage."""
    command = words[0] if words else "run"
    if prek and command not in PREK_COMMANDS:
        return words
    if command == "run":
        return words[1:]
    return words[2:] if command == "try-repo" else None


def _prek_names(selectors: Sequence[str], hook: str) -> bool:
    # `project:hook` and `hook` name a hook; `project/` and `.` take all of a project's.
    hooks = [word.rpartition(":")[2] for word in selectors if ":" in word or not (word == "." or "/" in word)]
    return bool(hooks) and (len(hooks) == len(selectors) or hook in hooks)


def _parse(arguments: Sequence[str], table: Mapping[str, int], *, prefixes: bool) -> tuple[list[str], set[str], bool]:
    """The positional words, the options, and whether all were understood: an unknown option ends the reading."""
    words: list[str] = []
    options: set[str] = set()
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += rest
            break
        if word == "-" or not word.startswith("-"):
            words.append(word)
            continue
        names, takes = _long(word, table, prefixes) if word.startswith("--") else _short(word, table)
        if not names:
            return words, options, False
        options.update(names)
        if takes == VALUE:
            del rest[:1]
        while takes == GREEDY and rest and (rest[0] == "-" or not rest[0].startswith("-")):
            del rest[0]
    return words, options, True


def _long(word: str, table: Mapping[str, int], prefixes: bool) -> tuple[list[str], int]:
    """The option's full name, and what it takes from the words that follow; no name when it is unknown."""
    name, equals, _ = word.partition("=")
    matches = [name] if name in table else [option for option in table if prefixes and option.startswith(name)]
    if len(matches) != 1:
        return [], FLAG
    return matches, FLAG if equals else table[matches[0]]


def _short(word: str, table: Mapping[str, int]) -> tuple[list[str], int]:
    """As `_long`, for a cluster such as `-av`, of which the last may have its value attached or following."""
    names: list[str] = []
    for place, letter in enumerate(word[1:], start=2):
        name = f"-{letter}"
        if name not in table:
            return [], FLAG
        names.append(name)
        if table[name] == VALUE:
            return names, FLAG if word[place:] else VALUE
    return names, FLAG


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _runner_name(path: str) -> str | None:
    base = _base(path)
    if base in ("pre-commit", "pre_commit", "pre-commit-script.py", ".pre-commit-wrapped"):
        return "pre-commit"
    if base.startswith("pre-commit") and base.endswith(".pyz"):
        return "pre-commit"
    return "prek" if base == "prek" else None


def _run_by_python(words: list[str]) -> tuple[str, list[str]] | None:
    """The runner in the arguments of a Python interpreter: a script, or a module after `-m`."""
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            name = _runner_name(word.removesuffix("/__main__.py"))
            return None if name is None else (name, words)
        if word.startswith("--"):
            if word == "--check-hash-based-pycs":
                del words[:1]
            continue
        place = next((i for i, letter in enumerate(word) if letter in "mcWX"), None)
        if place is None:
            continue
        attached = word[place + 1 :]
        value = attached or (words.pop(0) if words else "")
        if word[place] in "WX":
            continue
        name = _runner_name(value) if word[place] == "m" else None
        return None if name is None else (name, words)
    return None


def read_process(pid: int) -> Process | None:
    """The parent and the command line of process `pid`, from `/proc` or else from `ps`; None where neither tells."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The program's name stands in parentheses and may hold anything, so count from the last one.
            parent = int(file.read().rpartition(b")")[2].split()[1])
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return parent, [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    except (OSError, ValueError, IndexError):
        return ask_ps(pid)


def ask_ps(pid: int) -> Process | None:
    """The parent and the command line of process `pid` as `ps` prints them; None where it does not.

    Its words are separated by blanks whatever they hold, so a path with blanks counts as one where it exists.
    """
    import subprocess  # where there is no /proc, so a process has to be started anyway

    try:
        done = subprocess.run(
            ["ps", "-ww", "-o", "ppid=", "-o", "args=", "-p", str(pid)],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False,
        )  # fmt: skip
        parent, _, text = os.fsdecode(done.stdout).strip().partition(" ")
        return int(parent), _words(text.strip())
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def _words(text: str) -> list[str]:
    pieces = text.split(" ")
    words: list[str] = []
    while pieces:
        lengths = range(1, len(pieces) + 1) if pieces[0].startswith("/") else ()
        taken = next((n for n in lengths if os.path.exists(" ".join(pieces[:n]))), 1)
        words.append(" ".join(pieces[:taken]))
        del pieces[:taken]
    return words
