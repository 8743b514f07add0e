"""Detects how the hook runner was invoked, as in `pre-commit run split`.

pre-commit and prek give a hook no other way to tell whether it was named or runs because of its stage.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from smartcommit.processes import spawn
from smartcommit.processes.git_calls import read_call
from smartcommit.record import Record

Process = tuple[int, list[str]]

# Levels of parent processes that are searched for the runner: wrappers (`uv run`, a shell) add a few.
LEVELS_SEARCHED = 6

# The word after another option may be its value.
_FLAGS = ("-a", "--all-files", "-v", "--verbose", "-q", "--quiet", "--fail-fast", "--no-progress", "--")
# Options that choose files, other than all or the staged ones.
_CHOOSING = (
    "--files", "-s", "--from-ref", "--source", "-o", "--to-ref", "--origin", "--files0-from", "--glob", "-d",
    "--directory", "--last-commit",
)  # fmt: skip
_RUNNERS = ("pre-commit", "pre_commit", "pre-commit-script.py", ".pre-commit-wrapped", "prek")


class Invocation(Record):
    """How the runner was started: whether its command line names the hook, and whether it has `--all-files`.

    `choosing` are its options that choose other files, such as `--files`.
    """

    named: bool
    all_files: bool = False
    choosing: tuple[str, ...] = ()


def find_invocation(hook: str) -> Invocation | None:
    """Return how the nearest runner above this process was started, for the hook of that id; None if nothing tells."""
    for words in _list_parents():
        runner = find_runner(words)
        if runner is not None:
            return interpret(runner, hook)
    return None


def is_amending() -> bool | None:
    """Whether the nearest `git commit` above this process has `--amend`; None if it cannot be determined."""
    for words in _list_parents():
        if not words:
            return None
        program = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
        if program == "git" and "commit" in words:
            call = read_call(iter(words[1:]), "", {})
            # git takes an option's beginning for it, and `--a` is `--all`, `--allow-empty` or `--author` as well.
            return call is not None and any("amend".startswith(name) and name[1:] for name in call.options)
    return None


def _list_parents() -> Iterator[list[str]]:
    """Yield the command lines of the next processes above this one, up to one that cannot be read."""
    pid = os.getppid()
    for _ in range(LEVELS_SEARCHED):
        process = read_process(pid)
        if process is None:
            return
        pid, words = process
        yield words


def find_runner(words: Sequence[str]) -> list[str] | None:
    """Return the arguments of pre-commit or prek if a command line starts one of them; None for anything else."""
    # Python can have options, as `-E` where pipx has installed the runner.
    for place, word in enumerate(words[:4]):
        path = word.replace("\\", "/").removeprefix("-m").removesuffix("/__main__.py")
        name = path.rpartition("/")[2].removesuffix(".exe")
        if name in _RUNNERS or (name.startswith("pre-commit") and name.endswith(".pyz")):
            return list(words[place + 1 :])
        if not word.startswith("-") and not name.startswith(("python", "pypy")):
            break
    return None


def interpret(arguments: Sequence[str], hook: str) -> Invocation | None:
    """Return what a runner's `arguments` mean; None if `hook` stands behind an option and may be its value."""
    words = list(arguments)
    options = words[: words.index("--")] if "--" in words else words
    unnamed = Invocation(named=False)
    # These run the hooks of a stage, or none.
    if not {"hook-impl", "exec", "list"}.isdisjoint(options):
        return unnamed
    for number, word in enumerate(words):
        # prek accepts `project:hook` as well.
        if word != hook and not word.endswith(f":{hook}"):
            continue
        before = words[:number] or ["run"]
        if before[-1] == "try-repo" or ("--files" in before and "--" not in before):
            continue
        if before[-1].startswith("-") and "=" not in before[-1] and before[-1] not in _FLAGS:
            return None
        all_files = not {"-a", "--all-files"}.isdisjoint(options)
        names = {option.partition("=")[0] for option in options}
        return Invocation(named=True, all_files=all_files, choosing=tuple(sorted(names.intersection(_CHOOSING))))
    return unnamed


def read_process(pid: int) -> Process | None:
    """Return the parent and the command line of process `pid`, from `/proc` or from `ps`; None if neither has it."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The program's name is in parentheses and may contain anything, so count from the last one.
            parent = int(file.read().rpartition(b")")[2].split()[1])
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return parent, [os.fsdecode(part) for part in file.read().split(b"\0")[:-1]]
    except (OSError, ValueError, IndexError):
        return ask_ps(pid)


def ask_ps(pid: int) -> Process | None:
    """Return the same as `ps` prints it, which does not quote what contains spaces."""
    try:
        _, printed = spawn.run_and_read(("ps", "-ww", "-o", "ppid=", "-o", "args=", "-p", str(pid)))
        parent, *words = os.fsdecode(printed).split()
        return int(parent), words
    except (OSError, ValueError):
        return None


def stash_is_held(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether pre-commit or prek keeps unstaged changes in a patch file, whose name has the id of our parent."""
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
