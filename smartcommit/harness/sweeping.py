"""What in a command of git would stage, commit or lose lines of others, by the files that it takes."""

from __future__ import annotations

import os

from smartcommit.harness.bypasses import find_directory
from smartcommit.harness.shell_values import UNKNOWN, Field, matches
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from smartcommit.harness.git_commands import GitCommand
    from smartcommit.harness.hook_paths import Place
    from smartcommit.harness.shell_run import Invocation

# Files that an instruction leaves out one by one.
_EXCLUDED = 6
_STASH_VERBS = frozenset(
    ("list", "show", "apply", "pop", "drop", "clear", "branch", "create", "store", "export", "import")
)


class Sweep(Record):
    """What a command takes: pathspecs, or everything (None). `loses` if it discards or hides the lines.

    `safer` are words for the command, up to its pathspecs, that takes only what it is told. `kept` are the pathspecs
    that take nothing of others. Of everything, only what is staged counts if `staged`.
    """

    pathspecs: Sequence[Field] | None
    loses: bool
    safer: Sequence[str] = ()
    kept: Sequence[str] = ()
    staged: bool = False


class Others:
    """Asks for the paths with lines of others, and for what is staged, if that `looks_at_index`."""

    looks_at_index = True

    def list_foreign(self) -> Sequence[str]:
        """Return the paths with uncommitted lines of others."""
        raise NotImplementedError

    def list_staged(self) -> Sequence[str]:
        """Return the paths in which the index differs from HEAD."""
        raise NotImplementedError


def find_swept(
    command: GitCommand, invocation: Invocation, place: Place, others: Others
) -> tuple[Sweep, list[str]] | None:
    """Return what a command takes and the files with others' lines in it, or None if there are none."""
    finder = _FINDERS.get(command.name)
    sweep = None if finder is None else finder(command)
    if sweep is None or (sweep.staged and not others.looks_at_index):
        return None
    directory = find_directory(command, invocation)
    if directory is not None and not place.is_worked_on(directory):
        return None
    foreign = others.list_foreign()
    if sweep.staged and foreign:
        staged = others.list_staged()
        foreign = [path for path in foreign if path in staged]
    if sweep.pathspecs is not None:
        here = directory or place.top
        foreign = [path for path in foreign if _is_taken(path, sweep.pathspecs, here, place.top)]
        sweep.kept = []
        for field in sweep.pathspecs:
            if not any(_is_taken(path, [field], here, place.top) for path in foreign):
                sweep.kept.append(field.text)
    return (sweep, list(foreign)) if foreign else None


def _find_added(command: GitCommand) -> Sweep | None:
    if any(command.has(name) for name in ("dry-run", "patch", "interactive", "edit", "intent-to-add", "refresh")):
        return None
    everything = any(command.has(name) for name in ("all", "update", "renormalize"))
    if command.find("pathspec-from-file") is not None:
        return Sweep([Field(UNKNOWN)], False)
    if not command.operands:
        return Sweep(None, False) if everything else None
    return Sweep(command.operands, False)


def _find_committed(command: GitCommand) -> Sweep | None:
    if any(command.has(name) for name in ("dry-run", "patch", "interactive")):
        return None
    if command.has("all"):
        return Sweep(None, False)
    if command.find("pathspec-from-file") is not None:
        return Sweep([Field(UNKNOWN)], False)
    return Sweep(command.operands, False) if command.operands else Sweep(None, False, staged=True)


def _find_stashed(command: GitCommand) -> Sweep | None:
    operands = command.operands
    verb = operands[0].text if operands and command.undashed else "push"
    if command.has("patch") or verb in _STASH_VERBS:
        return None
    pathspecs: Sequence[Field] | None = operands[1:] if verb == "push" and command.undashed else operands
    if command.find("pathspec-from-file") is not None:
        pathspecs = [Field(UNKNOWN)]
    options = [f"--{name}" for name in ("include-untracked", "keep-index", "staged") if command.has(name)]
    message = command.find("message")
    if message is not None:
        options += ["-m", message.value]
    if verb == "save" or not pathspecs:
        pathspecs = None
    return Sweep(pathspecs, True, ("git", "stash", "push", *options))


def _find_reset(command: GitCommand) -> Sweep | None:
    if not (command.has("hard") or command.has("merge")) or command.has("patch"):
        return None
    operands = [field.text for field in command.operands]
    if operands in ([], ["HEAD"], ["@"]):
        return Sweep(None, True, ("git", "restore", "--staged", "--worktree"))
    return Sweep(None, True, ("git", "reset", "--keep", *operands))


def _find_checked_out(command: GitCommand) -> Sweep | None:
    if command.has("patch"):
        return None
    operands = command.operands
    if command.has("force"):
        return Sweep(None, True, ("git", "checkout", *(field.text for field in operands)))
    if command.find("pathspec-from-file") is not None:
        return Sweep([Field(UNKNOWN)], True)
    before = [field.text for field in operands[: command.undashed]]
    if command.dashed:
        operands = operands[command.undashed :]
    creates = any(command.find(name) is not None for name in ("b", "B", "orphan", "detach", "track"))
    # Without `--`, the first may be a commit, and one alone a branch.
    branch = not command.dashed and len(operands) == 1 and not operands[0].known
    if creates or branch or not operands:
        return None
    if command.dashed:
        return Sweep(operands, True, ("git", "checkout", *before))
    return Sweep(operands, True, ("git", "checkout") if len(operands) == 1 else ())


def _find_switched(command: GitCommand) -> Sweep | None:
    if not (command.has("force") or command.has("discard-changes")):
        return None
    return Sweep(None, True, ("git", "switch", *(field.text for field in command.operands)))


def _find_restored(command: GitCommand) -> Sweep | None:
    if command.has("patch") or (command.has("staged") and not command.has("worktree")):
        return None
    if command.find("pathspec-from-file") is not None:
        return Sweep([Field(UNKNOWN)], True)
    options = [f"--{name}" for name in ("staged", "worktree") if command.has(name)]
    source = command.find("source")
    if source is not None:
        options.append(f"--source={source.value}")
    return Sweep(command.operands, True, ("git", "restore", *options)) if command.operands else None


def _find_cleaned(command: GitCommand) -> Sweep | None:
    unasked = any(setting.name.lower() == "clean.requireforce" for setting in command.settings)
    if command.has("dry-run") or command.has("interactive") or command.has("X"):
        return None
    if not (command.has("force") or unasked):
        return None
    # `git clean` removes an untracked directory whole, also if a pathspec excludes a file in it.
    pathspecs = [field for field in command.operands if not _read_magic(field.text)[0]]
    return Sweep(pathspecs or None, True)


def _find_removed(command: GitCommand) -> Sweep | None:
    if not command.has("force") or command.has("cached") or command.has("dry-run"):
        return None
    return Sweep(command.operands, True, ("git", "rm", "-rf")) if command.operands else None


def _find_read(command: GitCommand) -> Sweep | None:
    discards = command.has("u") and command.has("reset") and not command.has("dry-run")
    return Sweep(None, True) if discards else None


def _find_index_read(command: GitCommand) -> Sweep | None:
    if not command.has("force"):
        return None
    return Sweep(None if command.has("all") else command.operands, True)


_FINDERS: Mapping[str, Callable[[GitCommand], Sweep | None]] = {
    "add": _find_added,
    "commit": _find_committed,
    "stash": _find_stashed,
    "reset": _find_reset,
    "checkout": _find_checked_out,
    "switch": _find_switched,
    "restore": _find_restored,
    "clean": _find_cleaned,
    "rm": _find_removed,
    "read-tree": _find_read,
    "checkout-index": _find_index_read,
}


def list_safer_words(command: GitCommand, sweep: Sweep, foreign: Sequence[str]) -> list[str] | None:
    """Return the words of a command that does the same but leaves `foreign` alone, None if there is none."""
    if command.name == "add" and sweep.kept and not any(UNKNOWN in text for text in sweep.kept):
        return ["git", "add", "--", *sweep.kept]
    if not sweep.safer or len(foreign) > _EXCLUDED:
        return None
    moves = command.name == "checkout" and sweep.pathspecs is None
    if moves or command.name == "switch" or "--keep" in sweep.safer:
        return list(sweep.safer)
    pathspecs = [":(top)"]
    if sweep.pathspecs is not None:
        pathspecs = [field.text for field in sweep.pathspecs]
    if any(UNKNOWN in text for text in (*pathspecs, *sweep.safer)):
        return None
    # Nothing is left of a pathspec that is one file.
    if set(pathspecs) <= set(foreign):
        return None
    return [*sweep.safer, "--", *pathspecs, *(f":(top,exclude){path}" for path in foreign)]


def _is_taken(path: str, pathspecs: Sequence[Field], directory: str, top: str) -> bool:
    """Whether a file, by its path from the top level, is one of those that the pathspecs name."""
    taken = all(_read_magic(field.text)[0] for field in pathspecs)
    for field in pathspecs:
        excludes, from_top, text = _read_magic(field.text)
        base = top if from_top else directory
        place = os.path.relpath(os.path.normpath(os.path.join(base, text)), top)
        pattern = os.path.relpath(os.path.normpath(os.path.join(base, field.pattern)), top) if field.pattern else ""
        if not text.startswith(UNKNOWN) and not _matches_path(path, place, pattern):
            continue
        if excludes:
            return False
        taken = True
    return taken


def _read_magic(text: str) -> tuple[bool, bool, str]:
    """Return whether a pathspec excludes, whether it begins at the top level, and its path."""
    if text.startswith(":("):
        magic, _, path = text[2:].partition(")")
        words = magic.split(",")
        return "exclude" in words, "top" in words, path
    if not text.startswith(":"):
        return False, False, text
    path = text[1:].lstrip("/!^")
    signs = text[1 : len(text) - len(path)]
    return "!" in signs or "^" in signs, "/" in signs, path.removeprefix(":")


def _matches_path(path: str, place: str, pattern: str) -> bool:
    """Whether a file is `place` or below it; `place` is a pattern of git, or the shell's `pattern`."""
    if place in (".", path) or path.startswith(place + "/"):
        return True
    if not any(letter in place for letter in "*?[" + UNKNOWN):
        return False
    if not pattern or UNKNOWN in pattern:
        return matches(path, place)
    # The shell compares name by name, and leaves out hidden files.
    parts = path.split("/")
    patterns = pattern.split("/")
    if len(patterns) > len(parts):
        return False
    for part, each in zip(parts, patterns, strict=False):
        if not matches(part, each) or (part.startswith(".") and not each.startswith(".")):
            return False
    return True
