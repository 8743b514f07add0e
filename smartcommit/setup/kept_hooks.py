"""Hooks that were there before ours: each is kept by its own name in a directory beside them.

A hook may go by its name, look for files beside it, or be a relative link. So the directory has links to what is beside
it, and a link out of the hook directory gets another target that leads where the old one did.
"""

from __future__ import annotations

import os
from contextlib import suppress

from smartcommit.setup import hook_files
from smartcommit.setup.hook_scripts import FORMER, KEPT, is_ours

_UP = os.pardir + os.sep
# git's own examples, which no hook calls.
_EXAMPLE = ".sample"


def list_places(path: str) -> list[str]:
    """Return where the hook that was at `path` may be kept, now and by earlier versions."""
    folder, name = os.path.split(path)
    return [os.path.join(folder, KEPT, name), path + FORMER]


def find_kept(path: str) -> str | None:
    """Return where the hook that was at `path` is kept, None if there was none."""
    for place in list_places(path):
        if os.path.lexists(place) and not _is_link_beside(place):
            return place
    return None


def keep(path: str, source: str) -> str | None:
    """Give the hook `source`, which was at `path`, its further name and return that.

    Return None if it is gone, or if another one is kept.
    """
    place, former = list_places(path)
    if os.path.lexists(former):
        return None
    _prepare_folder(place)
    target = os.readlink(source) if os.path.islink(source) else ""
    if not _leads_out(target):
        return place if hook_files.duplicate(source, place) else None
    try:
        os.symlink(_UP + target, place)
    except FileExistsError:
        return None
    return place


def rename_former(path: str) -> None:
    """Give a hook that an earlier version kept its new name; the script that is installed runs it by either."""
    place, former = list_places(path)
    if not os.path.lexists(former):
        return
    if find_kept(path) == former:
        _prepare_folder(place)
        if os.path.islink(former) and _leads_out(os.readlink(former)):
            os.symlink(_UP + os.readlink(former), place)
        else:
            hook_files.duplicate(former, place)
    if hook_files.read_content(place) == hook_files.read_content(former):
        os.unlink(former)


def restore(kept: str, path: str, seen: hook_files.HookFile | None, spare: str) -> bool:
    """Put the hook `kept` in the place of what was `seen` at `path`, by way of the unused name `spare`.

    Return False, with nothing changed, if something else is at `path` by now.
    """
    target = os.readlink(kept) if os.path.islink(kept) else ""
    if os.path.basename(os.path.dirname(kept)) != KEPT or not _leads_out(target.removeprefix(_UP)):
        return hook_files.replace(path, kept, seen)
    os.symlink(target.removeprefix(_UP), spare)
    done = hook_files.replace(path, spare, seen)
    with suppress(FileNotFoundError):
        os.unlink(kept if done else spare)
    return done


def drop_links(folder: str) -> None:
    """Remove our links to what is in the hook directory `folder`, and the directory of kept hooks if it is empty."""
    below = os.path.join(folder, KEPT)
    if not os.path.isdir(below) or os.path.islink(below):
        return
    places = [os.path.join(below, name) for name in os.listdir(below)]
    if all(map(_is_link_beside, places)):
        for place in places:
            os.unlink(place)
        with suppress(OSError):  # a hook was kept just now
            os.rmdir(below)


def _prepare_folder(place: str) -> None:
    """Make the directory of the kept hook `place`, with links to what is beside the hook and not ours."""
    below = os.path.dirname(place)
    folder = os.path.dirname(below)
    os.makedirs(below, exist_ok=True)
    if _is_link_beside(place):
        os.unlink(place)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name in (KEPT, os.path.basename(place)) or name.endswith((_EXAMPLE, FORMER)) or is_ours(path):
            continue
        with suppress(FileExistsError):
            os.symlink(_UP + name, os.path.join(below, name))


def _is_link_beside(place: str) -> bool:
    """Whether `place` is our link to the file of the same name in the directory above."""
    return os.path.islink(place) and os.readlink(place) == _UP + os.path.basename(place)


def _leads_out(target: str) -> bool:
    """Whether a link of a hook directory with this target leads out of it, relative to it."""
    return not os.path.isabs(target) and os.path.normpath(target).startswith(os.pardir)
