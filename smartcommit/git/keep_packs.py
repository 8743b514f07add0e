"""Packs that carry a run's objects into the object store, safe from a `git gc` at the same time.

`git gc`, `git repack` and `git prune` never touch what is in a pack with a `.keep` file, whoever refers to it. Source:
git-repack(1), `-a`. So objects are published as receive-pack does it: a pack with its `.keep` first, then the refs, and
the `.keep` goes when something refers to the objects.
"""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Sequence

from smartcommit.git.lockfile import sync_folder
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file

# git reads a pack once its index is there, so the index comes last.
_LAST = (".pack", ".rev", ".idx")


def write_pack(repository: Repository, folder: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    """Write what the revisions `wanted` reach and `known` do not into one pack below the object directory `folder`.

    There is none where that is nothing. One process, which fails where an object is missing.

    Raises: GitError when git fails.
    """
    os.makedirs(_packs(folder))
    revisions = "".join([f"{name}\n" for name in wanted] + [f"^{name}\n" for name in known])
    repository.run(
        "-c", "pack.packSizeLimit=0", "-c", "core.fsync=objects",
        # Deltas are taken over as they are; looking for more of them would take the longest.
        "pack-objects", "--quiet", "--revs", "--non-empty", "--delta-base-offset", "--window=0",
        "--exclude-promisor-objects", os.path.join(_packs(folder), "pack"),
        stdin=revisions.encode(),
    )  # fmt: skip


def add_packs(folder: str, objects: str, note: str) -> None:
    """Add the packs of the object directory `folder` to `objects`; git keeps them until `release_packs` with `note`."""
    if not os.path.isdir(_packs(folder)):
        return
    os.makedirs(_packs(objects), exist_ok=True)
    names = sorted(os.listdir(_packs(folder)), key=_rank)
    for name in names:
        if name.endswith(".pack"):
            _keep(os.path.join(_packs(objects), name.removesuffix(".pack") + ".keep"), note)
    for name in names:
        _place(os.path.join(_packs(folder), name), os.path.join(_packs(objects), name))
    sync_folder(_packs(objects))


def release_packs(objects: str, note: str) -> None:
    """Remove the `.keep` files that were made with `note`."""
    for path in glob.iglob(os.path.join(glob.escape(_packs(objects)), "*.keep")):
        if read_file(path) == note.encode():
            os.unlink(path)


def _packs(objects: str) -> str:
    return os.path.join(objects, "pack")


def _rank(name: str) -> int:
    suffix = os.path.splitext(name)[1]
    return _LAST.index(suffix) if suffix in _LAST else -1


def _keep(path: str, note: str) -> None:
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(note)
    except FileExistsError:  # the same pack is kept by somebody else
        return


def _place(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except FileExistsError:  # git names a pack after its content
        return
    except OSError:  # no hard links here, or another file system
        draft = os.path.join(os.path.dirname(target), f"tmp_{os.path.basename(target)}")  # git-prune removes it
        shutil.copy2(source, draft)
        os.replace(draft, target)
