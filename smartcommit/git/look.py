"""Looking at two trees, for whoever investigates a change: bounded in bytes and time, and never at the file system.

`target` is a tree, or None for the index. Patterns are POSIX extended and searched by git, so that none of them runs in
a backtracking engine of ours; one that is none ends in a GitError, and one that takes too long in fewer results.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence

from smartcommit.git.diff import LARGE_FILE, WITH_INDEX
from smartcommit.git.repo import Repository
from smartcommit.git.run import DIFF_OPTIONS, NO_LAZY_FETCH, head_of_output

# Bytes that are read of anything.
LIMIT = 1 << 20
# Seconds that one look may take.
PATIENCE = 3.0


def read_blob(repository: Repository, tree: str | None, path: bytes, *, limit: int = LIMIT) -> tuple[bytes, bool]:
    """The content of the file `path` in `tree` (None: the index), at most `limit` bytes, and whether that is all.

    Raises: GitError when there is no such file.
    """
    name = (b":0:" if tree is None else tree.encode() + b":") + path
    return _look(repository, ("cat-file", "blob", name), limit=limit)


def patch(
    repository: Repository, base: str, target: str | None, paths: Sequence[bytes] = (), *, limit: int = LIMIT
) -> tuple[bytes, bool]:
    """The unified diff of `paths` (default: of all), at most `limit` bytes, and whether that is all of it.

    Raises: GitError when git fails.
    """
    trees = (base,) if target is None else (base, target)
    command = WITH_INDEX if target is None else ("diff-tree",)
    return _look(
        repository,
        ("-c", f"core.bigFileThreshold={LARGE_FILE}", *command, "-r", "-p", "-M", *DIFF_OPTIONS, *trees, "--", *paths),
        limit=limit,
    )


def search_tree(
    repository: Repository, tree: str | None, pattern: str, path: bytes = b"", *, limit: int = 1 << 16
) -> list[tuple[bytes, bytes, bytes]]:
    """The lines of `tree` that match, each as path, number and text; `path` narrows it to a file or folder.

    Raises: GitError when the pattern is none.
    """
    where = ("--cached",) if tree is None else (tree,)
    output, _ = _look(
        repository,
        ("grep", "-z", "-n", "-I", "-E", "--full-name", "--no-color", "--threads=1", *(where if tree is None else ()),
         "-e", pattern, *(where if tree is not None else ()), "--", *((path,) if path else ())),
        limit=limit,
        expected=(0, 1),
    )  # fmt: skip
    prefix = b"" if tree is None else tree.encode() + b":"
    found = []
    for line in output.split(b"\n")[:-1]:
        name, _, rest = line.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        found.append((name.removeprefix(prefix), number, text))
    return found


def search_text(pattern: str, text: bytes, *, context: int = 0) -> list[str]:
    """The lines of `text` that match, as `number:line` with lines around them as `number-line`, groups parted by `--`.

    Raises: GitError when the pattern is none.
    """
    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/text", "wb") as file:
            file.write(text)
        output, _ = head_of_output(
            ("grep", "--no-index", "--text", "-h", "-n", "-E", "--no-color", f"-C{context}", "-e", pattern,
             "--", "text"),
            limit=LIMIT, directory=directory, expected=(0, 1), timeout=PATIENCE,
        )  # fmt: skip
    return output.decode("utf-8", "replace").split("\n")[:-1]


def log(repository: Repository, revision: str, paths: Sequence[bytes] = (), *, count: int, form: str) -> list[str]:
    """The last `count` commits at `revision` that touch `paths` (default: any), each as git prints `form`.

    Raises: GitError when the revision is unknown.
    """
    output, _ = _look(
        repository,
        ("log", f"-{count}", "--no-merges", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8",
         f"--format={form}", "--end-of-options", revision, "--", *paths),
        limit=1 << 18,
    )  # fmt: skip
    return [entry.strip("\n") for entry in output.decode("utf-8", "replace").split("\0") if entry.strip("\n")]


def _look(
    repository: Repository, arguments: Sequence[str | bytes], *, limit: int, expected: Sequence[int] = (0,)
) -> tuple[bytes, bool]:
    return head_of_output(
        arguments, limit=limit, directory=repository.worktree,
        environment={**repository.environment, **NO_LAZY_FETCH}, expected=expected, timeout=PATIENCE,
    )  # fmt: skip
