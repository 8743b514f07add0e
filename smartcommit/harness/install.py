"""Writes hooks and a skill where a harness reads them, and undoes that byte for byte.

What was inserted into which file is recorded, so that it can be cut out again wherever the person has edited the rest.
Without the record, as in another clone, or where a harness has written its settings anew, ours is found by its command.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from importlib.resources import files
from typing import Any

from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.harness.products import AFTER, BEFORE, COPILOT, CURSOR, PRODUCTS, Product
from smartcommit.harness.settings_text import MARK, JsonSettings
from smartcommit.record import Record
from smartcommit.setup.hook_scripts import list_paths
from smartcommit.setup.pieces import EditedFile, Piece, PieceRecord, cut, read

SKILL = "smartcommit/SKILL.md"
# What runs a hook: nothing happens, and nothing is printed, where Python or smartcommit are gone.
_COMMAND = "test -x {python} && {python} -I -S -c {code} {product} 2>/dev/null || :"
_CODE = f"import sys; sys.path += {{paths}}; from {MARK} import main; main()"


class InstallPlace(Record):
    """Where to install: below `root`, a working tree or the user's home; the record is below `records`."""

    root: str
    records: str
    in_project: bool


class Target(Record):
    """A file to write, with `content`, or to insert something into."""

    path: str
    kind: str
    content: str = ""


# What a target is: a file with other people's hooks, or one that is ours alone.
HOOKS = "hooks"
WHOLE = "whole"
# How much of ours is in a file.
INSTALLED = "installed"
OUTDATED = "outdated"
ABSENT = "absent"
UNREADABLE = "unreadable"


def find_user_place() -> InstallPlace:
    records = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return InstallPlace(root=os.path.expanduser("~"), records=records, in_project=False)


def find_project_place(repository: Repository) -> InstallPlace:
    return InstallPlace(root=repository.worktree, records=repository.git_dir, in_project=True)


def _find_home(product: Product) -> str:
    return os.environ.get(product.home_variable) or os.path.join(os.path.expanduser("~"), product.home)


def find_sign(product: Product, root: str | None) -> str | None:
    """Return what shows that a harness is used: its program, or its directory in the home or the working tree."""
    folders = [_find_home(product)]
    if root is not None:
        folders.append(os.path.join(root, os.path.dirname(product.hooks[0])))
    return shutil.which(product.program) or next((folder for folder in folders if os.path.isdir(folder)), None)


def write_command(product: Product) -> str:
    code = _CODE.format(paths=json.dumps(list_paths(), ensure_ascii=False))
    return _COMMAND.format(python=shlex.quote(sys.executable), code=shlex.quote(code), product=product.name)


def make_settings(product: Product) -> dict[str, Any]:
    """Return what has to be in the settings of a harness: an entry for each of its events."""
    command = write_command(product)
    settings: dict[str, Any] = {"hooks": {}}
    if product.version:
        settings = {"version": 1, **settings}
    for kind, event in product.events.items():
        matcher = {}
        if kind in (BEFORE, AFTER):
            matcher["matcher"] = product.tools
        if kind == AFTER and product.reader:
            matcher["matcher"] += f"|{product.reader}"
        limit = dict([product.timeout]) if product.timeout else {}
        entry: dict[str, object] = {**matcher, "hooks": [{"type": "command", "command": command, **limit}]}
        if product.dialect == CURSOR:
            entry = {**matcher, "command": command}
        elif product.dialect == COPILOT:
            entry = {"type": "command", **matcher, "bash": command, **limit}
        settings["hooks"][event] = [entry]
    return settings


def list_targets(product: Product, place: InstallPlace) -> list[Target]:
    hooks, skills = _resolve(product, place, product.hooks), _resolve(product, place, product.skills)
    target = Target(path=hooks, kind=HOOKS)
    if not product.events:
        plugin = _read_own("opencode_plugin.js").replace("COMMAND", json.dumps(write_command(product)), 1)
        target = Target(path=hooks, kind=WHOLE, content=plugin)
    return [target, Target(path=os.path.join(skills, SKILL), kind=WHOLE, content=_read_own("skill.md"))]


def _resolve(product: Product, place: InstallPlace, names: tuple[str, str]) -> str:
    folder, name = place.root, names[0]
    if not place.in_project:
        folder, name = _find_home(product), os.path.expanduser(names[1])
    return os.path.join(folder, name)


def _read_own(name: str) -> str:
    return files("smartcommit.harness").joinpath(name).read_text("utf-8")


def install(product: Product, place: InstallPlace) -> list[str]:
    """Install what a harness needs, and return the changed files. Raise SmartcommitError before any, or OSError."""
    record = PieceRecord(place.records)
    changes: list[tuple[str, str, list[Piece]]] = []
    for target in list_targets(product, place):
        if find_state(product, target) == INSTALLED:
            continue
        rest = _take_out(product, target, read(target.path) or "", record.find(target.path))
        if rest is not None:
            changes.append((target.path, rest, _list_pieces(product, target, rest)))
        elif not target.path.endswith(SKILL):  # a skill may have come with the repository, or somebody has edited it
            raise SmartcommitError(
                f"'{target.path}' is not as smartcommit wrote it",
                hint="remove our part of it, or move it away, and try again",
            )
    for path, rest, pieces in changes:
        record.restore(path, rest)
        record.insert(path, pieces)
    return [path for path, _, _ in changes]


def find_state(product: Product, target: Target) -> str:
    try:
        text = read(target.path)
        if text is None:
            return ABSENT
        if target.kind == HOOKS:
            is_current = JsonSettings(text, target.path).has_entries(make_settings(product))
        else:
            is_current = text.replace("\r\n", "\n") == target.content
    except SmartcommitError:
        return UNREADABLE
    if is_current:
        return INSTALLED
    if target.kind == WHOLE or MARK in text:
        return OUTDATED
    return ABSENT


def _list_pieces(product: Product, target: Target, text: str) -> list[Piece]:
    if target.kind == HOOKS:
        return JsonSettings(text, target.path).list_insertions(make_settings(product))
    return [(0, target.content)]


def uninstall(product: Product, place: InstallPlace) -> list[str]:
    """Remove what `install` wrote for a harness, and return what was done. Raise SmartcommitError, OSError."""
    record = PieceRecord(place.records)
    messages = []
    # The folders were made for the first file.
    for target in reversed(list_targets(product, place)):
        entry = record.find(target.path)
        # A whole file that is not recorded may have come with the repository.
        if _is_shared(product, place, target) or (entry is None and target.kind == WHOLE):
            continue
        path = target.path
        text = read(path) or ""
        rest = _take_out(product, target, text, entry)
        if rest is None:
            messages.append(f"our part of '{path}' was edited and stays; remove it by hand if you do not need it")
        elif rest != text:
            record.restore(path, rest, entry)
            messages.append(f"removed our part of '{path}'")
            if rest and entry is not None and cut(text, entry.pieces) != (rest, []):
                messages.append(f"all else in '{path}', which was written anew since, stays")
        record.forget(target.path)
    return messages


def _is_shared(product: Product, place: InstallPlace, target: Target) -> bool:
    for other in PRODUCTS.values():
        paths = [each.path for each in list_targets(other, place)]
        if other != product and target.path in paths and MARK in (read(paths[0]) or ""):
            return True
    return False


def _take_out(product: Product, target: Target, text: str, entry: EditedFile | None) -> str | None:
    """Return the text without what is ours, which `entry` records; None if somebody has edited that."""
    pieces = _list_pieces(product, target, "")
    if entry is not None:
        pieces = list(entry.pieces)
    if target.kind == HOOKS:
        if MARK not in text:
            return text
        settings = JsonSettings(text, target.path).take_out(pieces)
        if settings is None:
            return None
        if entry is not None and entry.made and settings.is_empty():
            return ""
        return settings.text
    rest, _ = cut(text, pieces)
    return None if rest else ""
