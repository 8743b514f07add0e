"""Hooks that were there before ours: each is kept by its own name in a directory beside the hook directory.

A hook may go by its name, look for files beside it, begin at a path relative to itself, or be a relative link. So that
directory is as deep as the hook directory, and has links to what is there.
"""

from __future__ import annotations

import os
from contextlib import suppress

from smartcommit.setup import hook_files
from smartcommit.setup.hook_scripts import find_kept_folder, is_ours

# git's own examples, which no hook calls.
_EXAMPLE = ".sample"


def find_place(path: str) -> str:
    """Return where the hook that was at `path` is kept, if there was one."""
    folder, name = os.path.split(path)
    return os.path.join(find_kept_folder(folder), name)


def find_kept(path: str) -> str | None:
    """Return where the hook that was at `path` is kept, None if there was none."""
    place = find_place(path)
    if os.path.lexists(place) and not _is_link_back(place, os.path.dirname(path)):
        return place
    return None


def keep(path: str, source: str) -> str | None:
    """Give the hook `source`, which was at `path`, its further name and return that.

    Return None if it is gone, or if another one is kept.
    """
    folder, place = os.path.dirname(path), find_place(path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if _is_link_back(place, folder):
        os.unlink(place)
    for name in os.listdir(folder):
        beside = os.path.join(folder, name)
        if beside != path and not name.endswith(_EXAMPLE) and not is_ours(beside):
            with suppress(FileExistsError):
                os.symlink(_write_link(beside), find_place(beside))
    if hook_files.duplicate(source, place):
        return place
    return None


def drop_links(folder: str) -> None:
    """Remove our links to what is in the hook directory `folder`, and the directory of kept hooks if it is empty."""
    beside = find_kept_folder(folder)
    if not os.path.isdir(beside) or os.path.islink(beside):
        return
    places = [os.path.join(beside, name) for name in os.listdir(beside)]
    if all(_is_link_back(place, folder) for place in places):
        for place in places:
            os.unlink(place)
        with suppress(OSError):  # a hook was kept just now
            os.rmdir(beside)


def _is_link_back(place: str, folder: str) -> bool:
    """Whether `place` is our link to the file of the same name in the hook directory."""
    return os.path.islink(place) and os.readlink(place) == _write_link(os.path.join(folder, os.path.basename(place)))


def _write_link(path: str) -> str:
    """Return the target of our link to a file in the hook directory, from the directory of kept hooks."""
    folder, name = os.path.split(path)
    return os.path.join(os.pardir, os.path.basename(os.path.realpath(folder)), name)
