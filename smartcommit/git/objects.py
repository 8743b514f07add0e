"""Looking at two trees, for whoever investigates a change: bounded in bytes and time, and never at the file system.

`target` is a tree, or None for the index. `watch` is called several times a second and may raise, which ends the look.
Patterns are POSIX extended and searched by git: one that is invalid or takes too much memory ends in a GitError, and
one that takes too long in fewer results.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence

from smartcommit.git.diff import LARGE_FILE, WITH_INDEX
from smartcommit.git.grep import MEMORY, check_pattern
from smartcommit.git.repo import Repository
from smartcommit.git.run import DIFF_OPTIONS, NO_LAZY_FETCH, head_of_output

# Bytes that are read of anything.
LIMIT = 1 << 20
# Seconds that one look may take.
PATIENCE = 3.0

Watch = Callable[[], None]


def read_blob(repository: Repository, tree: str | None, path: bytes, *, watch: Watch) -> tuple[bytes, bool]:
    """The content of the file `path` in `tree` (None: the index), at most LIMIT bytes, and whether that is all.

    Raises: GitError when there is no such file.
    """
    name = (b":0:" if tree is None else tree.encode() + b":") + path
    return _look(repository, ("cat-file", "blob", name), limit=LIMIT, watch=watch)


def patch(
    repository: Repository, base: str, target: str | None, paths: Sequence[bytes] = (), *, watch: Watch
) -> tuple[bytes, bool]:
    """The unified diff of `paths` (default: of all), at most LIMIT bytes, and whether that is all of it.

    Raises: GitError when git fails.
    """
    trees = (base,) if target is None else (base, target)
    command = WITH_INDEX if target is None else ("diff-tree",)
    return _look(
        repository,
        ("-c", f"core.bigFileThreshold={LARGE_FILE}", *command, "-r", "-p", "-M", *DIFF_OPTIONS, *trees, "--", *paths),
        limit=LIMIT,
        watch=watch,
    )


def search_tree(
    repository: Repository, tree: str | None, pattern: str, path: bytes = b"", *, watch: Watch
) -> list[tuple[bytes, bytes, bytes]]:
    """The lines of `tree` that match, each as path, number and text; `path` narrows it to a file or folder.

    Raises: GitError when the pattern cannot be used.
    """
    check_pattern(pattern)
    where = ("--cached",) if tree is None else (tree,)
    output, _ = _look(
        repository,
        ("grep", "-z", "-n", "-I", "-E", "--full-name", "--no-color", "--threads=1", *(where if tree is None else ()),
         "-e", pattern, *(where if tree is not None else ()), "--", *((path,) if path else ())),
        limit=1 << 16,
        expected=(0, 1),
        memory=MEMORY,
        watch=watch,
    )  # fmt: skip
    prefix = b"" if tree is None else tree.encode() + b":"
    found = []
    for line in output.split(b"\n")[:-1]:
        name, _, rest = line.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        found.append((name.removeprefix(prefix), number, text))
    return found


def search_text(pattern: str, text: bytes, *, context: int = 0, watch: Watch) -> list[str]:
    """The lines of `text` that match, as `number:line` with lines around them as `number-line`, groups parted by `--`.

    Raises: GitError when the pattern cannot be used.
    """
    check_pattern(pattern)
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/text", "wb") as file:
            file.write(text)
        output, _ = head_of_output(
            ("grep", "--no-index", "--text", "-h", "-n", "-E", "--no-color", "--threads=1", f"-C{context}",
             "-e", pattern, "--", "text"),
            limit=LIMIT, directory=directory, expected=(0, 1), timeout=PATIENCE, memory=MEMORY, watch=watch,
        )  # fmt: skip
    return output.decode("utf-8", "replace").split("\n")[:-1]


def log(
    repository: Repository, revision: str, paths: Sequence[bytes] = (), *, count: int, form: str, watch: Watch
) -> list[str]:
    """The last `count` commits at `revision` that touch `paths` (default: any), each as git prints `form`.

    Raises: GitError when the revision is unknown.
    """
    output, _ = _look(
        repository,
        ("log", f"-{count}", "--no-merges", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8",
         f"--format={form}", "--end-of-options", revision, "--", *paths),
        limit=1 << 18,
        watch=watch,
    )  # fmt: skip
    return [entry.strip("\n") for entry in output.decode("utf-8", "replace").split("\0") if entry.strip("\n")]


def _look(
    repository: Repository, arguments: Sequence[str | bytes], *, limit: int, watch: Watch,
    expected: Sequence[int] = (0,), memory: int | None = None,
) -> tuple[bytes, bool]:  # fmt: skip
    return head_of_output(
        arguments, limit=limit, directory=repository.worktree,
        environment={**repository.environment, **NO_LAZY_FETCH}, expected=expected, timeout=PATIENCE,
        memory=memory, watch=watch,
    )  # fmt: skip
