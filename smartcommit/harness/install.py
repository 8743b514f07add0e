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
from smartcommit.setup.pieces import EditedFile, Insertion, PieceRecord, cut, read

SKILL = "smartcommit/SKILL.md"
# What runs a hook: nothing happens, and nothing is printed, where Python or smartcommit are gone.
_COMMAND = "test -x {python} && {python} -I -S -c {code} {product} 2>/dev/null || :"
_CODE = f"import sys; sys.path += {{paths}}; from {MARK} import main; main()"
# Kinds of targets: settings, in which other people have hooks as well, and a file that is ours alone.
HOOKS = "hooks"
WHOLE = "whole"
# How much of ours is in a target.
INSTALLED = "installed"
OUTDATED = "outdated"
ABSENT = "absent"
UNREADABLE = "unreadable"


class InstallPlace(Record):
    """Where to install: below `root`, a working tree or the user's home; the record is below `records`."""

    root: str
    records: str
    in_project: bool


def find_user_place() -> InstallPlace:
    records = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return InstallPlace(root=os.path.expanduser("~"), records=records, in_project=False)


def find_project_place(repository: Repository) -> InstallPlace:
    return InstallPlace(root=repository.worktree, records=repository.git_dir, in_project=True)


def find_sign(product: Product, place: InstallPlace) -> str | None:
    """Return what shows that a harness is used: its program, or its directory in the home or the working tree."""
    folders = [_find_home(product)]
    if place.in_project:
        folders.append(os.path.join(place.root, os.path.dirname(product.project_hooks)))
    return shutil.which(product.program) or next((folder for folder in folders if os.path.isdir(folder)), None)


def write_command(product: Product) -> str:
    code = _CODE.format(paths=json.dumps(list_paths(), ensure_ascii=False))
    return _COMMAND.format(python=shlex.quote(sys.executable), code=shlex.quote(code), product=product.name)


def make_settings(product: Product) -> dict[str, Any]:
    """Return what has to be in the settings of a harness: an entry for each of its events."""
    command = write_command(product)
    settings: dict[str, Any] = {"version": 1} if product.has_version else {}
    settings["hooks"] = {}
    tools = {BEFORE: product.tools, AFTER: f"{product.tools}|{product.reader}".rstrip("|")}
    for event, name in product.events.items():
        matcher = {"matcher": tools[event]} if event in tools else {}
        if product.dialect == CURSOR:
            entry: dict[str, object] = {**matcher, "command": command}
        elif product.dialect == COPILOT:
            entry = {"type": "command", **matcher, "bash": command, **product.timeout}
        else:
            entry = {**matcher, "hooks": [{"type": "command", "command": command, **product.timeout}]}
        settings["hooks"][name] = [entry]
    return settings


class Target(Record):
    """A file that `product` reads. Of the kind WHOLE, it is to have the `content` and nothing else."""

    product: Product
    path: str
    kind: str
    content: str = ""

    def find_state(self) -> str:
        try:
            text = read(self.path)
            if text is not None and self._is_current(text):
                return INSTALLED
        except SmartcommitError:
            return UNREADABLE
        if text is None or (self.kind == HOOKS and MARK not in text):
            return ABSENT
        return OUTDATED

    def _is_current(self, text: str) -> bool:
        if self.kind == HOOKS:
            return JsonSettings(text, self.path).has_entries(make_settings(self.product))
        return text.replace("\r\n", "\n") == self.content

    def list_insertions(self, text: str) -> list[Insertion]:
        """Return what to insert into `text`, which has nothing of ours."""
        if self.kind == HOOKS:
            return JsonSettings(text, self.path).list_insertions(make_settings(self.product))
        return [(0, self.content)]

    def take_out(self, text: str, entry: EditedFile | None) -> str | None:
        """Return `text` without what is ours, which `entry` records; None if somebody has edited that."""
        pieces = self.list_insertions("") if entry is None else list(entry.pieces)
        if self.kind == WHOLE:
            return None if cut(text, pieces)[0] else ""
        if MARK not in text:
            return text
        settings = JsonSettings(text, self.path).take_out(pieces)
        if settings is None:
            return None
        is_made_by_us = entry is not None and entry.made
        return "" if is_made_by_us and settings.is_empty() else settings.text


def list_targets(product: Product, place: InstallPlace) -> list[Target]:
    """Return the file with hooks, and then the skill."""
    if place.in_project:
        root, path, skills = place.root, product.project_hooks, product.project_skills
    else:
        root, path, skills = _find_home(product), product.user_hooks, os.path.expanduser(product.user_skills)
    if product.events:
        hooks = Target(product, os.path.join(root, path), HOOKS)
    else:
        plugin = _read_own("opencode_plugin.js").replace("COMMAND", json.dumps(write_command(product)), 1)
        hooks = Target(product, os.path.join(root, path), WHOLE, plugin)
    return [hooks, Target(product, os.path.join(root, skills, SKILL), WHOLE, _read_own("skill.md"))]


def _find_home(product: Product) -> str:
    return os.environ.get(product.home_variable) or os.path.join(os.path.expanduser("~"), product.home)


def _read_own(name: str) -> str:
    return files("smartcommit.harness").joinpath(name).read_text("utf-8")


def install(product: Product, place: InstallPlace) -> list[str]:
    """Install what a harness needs, and return the changed files. Raise SmartcommitError before any, or OSError."""
    record = PieceRecord(place.records)
    changes: list[tuple[str, str, list[Insertion]]] = []
    for target in list_targets(product, place):
        if target.find_state() == INSTALLED:
            continue
        rest = target.take_out(read(target.path) or "", record.find(target.path))
        if rest is not None:
            changes.append((target.path, rest, target.list_insertions(rest)))
        elif not target.path.endswith(SKILL):  # a skill may have come with the repository, or somebody has edited it
            raise SmartcommitError(
                f"'{target.path}' is not as smartcommit wrote it",
                hint="remove our part of it, or move it away, and try again",
            )
    for path, rest, insertions in changes:
        record.restore(path, rest)
        record.insert(path, insertions)
    return [path for path, _, _ in changes]


def uninstall(product: Product, place: InstallPlace) -> list[str]:
    """Remove what `install` wrote for a harness, and return what was done. Raise SmartcommitError, OSError."""
    record = PieceRecord(place.records)
    messages = []
    # The folders were made for the first file.
    for target in reversed(list_targets(product, place)):
        path, entry = target.path, record.find(target.path)
        # A whole file that is not recorded may have come with the repository.
        if _is_shared(target, place) or (entry is None and target.kind == WHOLE):
            continue
        text = read(path) or ""
        rest = target.take_out(text, entry)
        if rest is None:
            messages.append(f"our part of '{path}' was edited and stays; remove it by hand if you do not need it")
        elif rest != text:
            record.restore(path, rest, entry)
            messages.append(f"removed our part of '{path}'")
            if rest and entry is not None and cut(text, entry.pieces) != (rest, []):
                messages.append(f"all else in '{path}', which was written anew since, stays")
        record.forget(path)
    return messages


def _is_shared(target: Target, place: InstallPlace) -> bool:
    """Whether another harness that is installed reads the same file."""
    for other in PRODUCTS.values():
        paths = [each.path for each in list_targets(other, place)]
        if other != target.product and target.path in paths and MARK in (read(paths[0]) or ""):
            return True
    return False
