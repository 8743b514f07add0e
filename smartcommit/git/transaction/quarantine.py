"""The quarantine in which the objects of a split wait, and the packs in which they are added to the user's repository.

The quarantine is a separate repository, which `git gc` in the user's one does not see. fast-import runs in it, so its
ref, its locks and its crash reports are separate too.

`git gc`, `git repack` and `git prune` never remove what is in a pack with a `.keep` file, even if nothing refers to it.
Source: git-repack(1), `-a`. So objects are published as by receive-pack: first a pack with its `.keep`, then the refs;
the `.keep` is removed once something refers to the objects.
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

from smartcommit import files
from smartcommit.git.lockfile import sync
from smartcommit.git.repo import Repository
from smartcommit.git.run import quote_path, read_file

# git reads a pack once its index is there, so the index comes last.
_LAST_SUFFIXES = (".pack", ".rev", ".idx")


class Quarantine:
    """A repository for new objects that also reads those of the user's repository.

    With `environment` a git that runs in the user's repository writes its objects here; `repository` is for a git that
    needs only objects. `objects` is the directory of the new ones.
    """

    def __init__(self, repository: Repository, path: str) -> None:
        self._user = repository
        self._path = path
        self.objects = os.path.join(path, "objects")

    @cached_property
    def stores(self) -> list[str]:
        """All object directories, quoted for a list of git's, with that of the new ones first."""
        return [quote_store(self.objects), *_list_stores(self._user)]

    @property
    def environment(self) -> dict[str, str]:
        return {"GIT_OBJECT_DIRECTORY": self.objects, **alternates(self.stores[1:])}

    @cached_property
    def repository(self) -> Repository:
        private = Repository(self._user.worktree, self._path, self._path, self._user.object_format)
        # Hooks by configuration would run here too.
        without_settings = private.pinned(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)
        return without_settings.extended(**self.environment)

    def create(self) -> None:
        """Create an empty repository, the least that git accepts as one. Source: gitrepository-layout(5)."""
        os.makedirs(os.path.join(self.objects, "pack"))
        os.mkdir(os.path.join(self._path, "refs"))
        with open(os.path.join(self._path, "config"), "w", encoding="ascii") as config:
            config.write("[core]\n\trepositoryFormatVersion = 1\n")
            config.write(f"[extensions]\n\tobjectFormat = {self._user.object_format}\n")
        with open(os.path.join(self._path, "HEAD"), "w", encoding="ascii") as head:
            head.write("ref: refs/heads/main\n")

    def write_commit(self, content: bytes) -> str:
        """Write a commit of exactly this content, and return its name: git records only what it knows by itself."""
        data = b"commit %d\0%s" % (len(content), content)
        name = hashlib.new(self._user.object_format, data).hexdigest()
        folder = os.path.join(self.objects, name[:2])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name[2:]), "wb") as file:
            file.write(zlib.compress(data))
        return name


def _list_stores(repository: Repository) -> list[str]:
    """Return the object directories that `repository` borrows from and its own, quoted for a list of git's.

    The one that is borrowed from last comes first, so that git finds none by way of another one. It follows
    `info/alternates` only five times, and a repository that borrows from this one would need one time more.
    """
    stores = [quote_store(repository.objects)]
    if os.path.exists(os.path.join(repository.objects, "info", "alternates")):
        for line in os.fsdecode(repository.run("count-objects", "-v")).split("\n"):
            name, _, path = line.partition(": ")
            if name == "alternate":  # git quotes some, but not for a colon
                stores.append(path if path.startswith('"') else quote_store(path))
    return stores[::-1]


def alternates(stores: Sequence[str]) -> dict[str, str]:
    """Return the variables that make git read the object directories `stores` too, which are quoted. Source: git(1)."""
    paths = [*stores, os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")]
    return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(path for path in paths if path)}


def quote_store(path: str) -> str:
    """Quote the object directory `path` if a list would divide it, in the environment or in a file.

    Source: git(1), GIT_ALTERNATE_OBJECT_DIRECTORIES.
    """
    if os.pathsep not in path and "\n" not in path and not path.startswith('"'):
        return path
    return quote_path(path)


def write_pack(
    repository: Repository, directory: str, wanted: Sequence[str], known: Sequence[str], *, index: bool = False
) -> None:
    """Write what the revisions `wanted` reach and `known` do not into one pack in the object directory `directory`.

    With `index` what the index reaches is written too, such as the empty content of a file that is only announced, and
    the sides of conflicts that were resolved. If there is nothing to write, no pack is written. Raise GitError if an
    object is missing.
    """
    os.makedirs(_find_packs(directory))
    revisions = "\n".join([*wanted, "--not", *known, ""])
    # Without `--no-sparse` git would not look for the contents of the index in folders that no commit changes.
    options = ["--indexed-objects", "--no-sparse"] if index else []
    repository.run(
        "-c", "pack.packSizeLimit=0", "-c", "core.fsync=objects",
        # Existing deltas are reused; searching for more would take the longest.
        "pack-objects", "--quiet", "--revs", "--non-empty", "--delta-base-offset", "--window=0",
        "--exclude-promisor-objects", *options, os.path.join(_find_packs(directory), "pack"),
        stdin=revisions.encode(),
    )  # fmt: skip


def add_packs(directory: str, objects: str, note: str) -> None:
    """Add the packs of the object directory `directory` to `objects`; git keeps them until `release_packs(note)`."""
    if not os.path.isdir(_find_packs(directory)):
        return
    os.makedirs(_find_packs(objects), exist_ok=True)
    names = sorted(os.listdir(_find_packs(directory)), key=_rank)
    for name in names:
        if name.endswith(".pack"):
            keep = os.path.join(_find_packs(objects), name.removesuffix(".pack") + ".keep")
            # Another process may keep the same pack.
            with suppress(FileExistsError), open(keep, "xb") as file:
                file.write(note.encode())
    for name in names:
        source, target = os.path.join(_find_packs(directory), name), os.path.join(_find_packs(objects), name)
        try:
            os.link(source, target)
        except FileExistsError:  # git names a pack after its content
            continue
        except OSError:  # no hard links here, or another file system
            draft = os.path.join(_find_packs(objects), f"tmp_{name}")  # git-prune removes it
            shutil.copy2(source, draft)
            files.replace(draft, target)
    sync(_find_packs(objects))


def release_packs(objects: str, note: str) -> None:
    for path in glob.iglob(os.path.join(glob.escape(_find_packs(objects)), "*.keep")):
        if read_file(path) == note.encode():
            files.remove(path)


def _find_packs(objects: str) -> str:
    return os.path.join(objects, "pack")


def _rank(name: str) -> int:
    suffix = os.path.splitext(name)[1]
    return _LAST_SUFFIXES.index(suffix) if suffix in _LAST_SUFFIXES else -1
