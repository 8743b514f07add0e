"""Hooks that were there before ours: each is kept by its own name in a directory beside the hook directory.

A hook may go by its name, look for files beside it, begin at a path relative to itself, or be a relative link. So that
directory is as deep as the hook directory, and has links to what is there.
"""

from __future__ import annotations

import os
from contextlib import suppress

from smartcommit.setup import hook_files
from smartcommit.setup.hook_scripts import find_kept_folder, is_ours
from smartcommit.state_files import KEPT_HOOKS

# git's own examples, which no hook calls.
_EXAMPLE = ".sample"


def find_place(path: str) -> str:
    """Return where the hook that was at `path` is kept, if there was one."""
    folder, name = os.path.split(path)
    return os.path.join(find_kept_folder(folder), name)


def find_kept(path: str) -> str | None:
    """Return where the hook that was at `path` is kept, None if there was none."""
    place = find_place(path)
    if os.path.lexists(place) and not _is_link_back(place):
        return place
    return None


def keep(path: str, source: str) -> str | None:
    """Give the hook `source`, which was at `path`, its further name and return that.

    Return None if it is gone, or if another one is kept.
    """
    place = find_place(path)
    _prepare_folder(path)
    if hook_files.duplicate(source, place):
        return place
    return None


def drop_links(folder: str) -> None:
    """Remove our links to what is in the hook directory `folder`, and the directory of kept hooks if it is empty."""
    beside = find_kept_folder(folder)
    if not os.path.isdir(beside) or os.path.islink(beside):
        return
    places = [os.path.join(beside, name) for name in os.listdir(beside)]
    if all(map(_is_link_back, places)):
        for place in places:
            os.unlink(place)
        with suppress(OSError):  # a hook was kept just now
            os.rmdir(beside)


def _prepare_folder(path: str) -> None:
    """Make the directory for the hook at `path`, with links to what is beside the hook and not ours."""
    folder = os.path.dirname(path)
    beside = find_kept_folder(folder)
    os.makedirs(beside, exist_ok=True)
    place = os.path.join(beside, os.path.basename(path))
    if _is_link_back(place):
        os.unlink(place)
    for name in os.listdir(folder):
        if name != os.path.basename(path) and not name.endswith(_EXAMPLE) and not is_ours(os.path.join(folder, name)):
            link = os.path.join(beside, name)
            with suppress(FileExistsError):
                os.symlink(_find_target(link), link)


def _is_link_back(place: str) -> bool:
    """Whether `place` is our link to the file of the same name in the hook directory."""
    return os.path.islink(place) and os.readlink(place) == _find_target(place)


def _find_target(place: str) -> str:
    """Return the target of our link at `place`, in the directory of kept hooks."""
    beside, name = os.path.split(place)
    return os.path.join(os.pardir, os.path.basename(beside).removesuffix(KEPT_HOOKS), name)
