"""Writes hooks, a skill or instructions where a harness reads them, and undoes that byte for byte.

What was inserted into which file is recorded, so that it can be cut out again wherever the person has edited the rest.
Without the record, as in another clone, what is ours is found by what it runs.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from importlib.resources import files

from smartcommit import state_files
from smartcommit.errors import SmartcommitError, explain_os_error
from smartcommit.harness import settings_text
from smartcommit.harness.products import AFTER, BEFORE, COPILOT, CURSOR, PRODUCTS
from smartcommit.record import Record
from smartcommit.setup.hook_scripts import list_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from smartcommit.git.repo import Repository
    from smartcommit.harness.products import Product

RECORD = "agents.json"
SKILL = "smartcommit/SKILL.md"
BEGIN, _END = "<!-- smartcommit: begin -->", "<!-- smartcommit: end -->"
_INSTRUCTIONS = f"""\
{BEGIN}
## Commits

Other people's lines can be in this working tree. Commit your own lines only, as small commits:

1. `smartcommit session start --session NAME` once, before your first edit; NAME is the same for all of these.
2. Tell of each edit: `smartcommit session note --help`
3. `smartcommit session plan --session NAME > plan.json`, and change the plan if a commit has two concerns.
4. `smartcommit session commit --session NAME --plan - --exec 'CHECK' < plan.json`; CHECK runs the quick tests.

The answer's `next` is the command to run now. Never use `--no-verify`, `git add -A` or `git commit -a`.
{_END}
"""
# What runs a hook: nothing happens, and nothing is printed, where Python or smartcommit are gone.
_COMMAND = "test -x {python} && {python} -I -S -c {code} {product} 2>/dev/null || :"
_CODE = f"import sys; sys.path += {{paths}}; from {settings_text.MARK} import main; main()"


class Place(Record):
    """Where to install: `root` is the top level of a working tree, or else the home directory of the user.

    `records` is the directory in whose folder `smartcommit` the record is.
    """

    root: str
    records: str
    in_project: bool


class Target(Record):
    """A file to write, or to insert something into: `content` is the text of a whole file, or of a block."""

    path: str
    kind: str
    content: str = ""


# What a target is: a file with other people's hooks, with other instructions, or one that is ours alone.
HOOKS, BLOCK, WHOLE = "hooks", "block", "whole"


class Entry(Record):
    """What was done to a file: which pieces were inserted, whether we made it, and the folders that were missing."""

    products: Sequence[str]
    pieces: Sequence[str]
    made: bool
    folders: Sequence[str]


def find_user_place() -> Place:
    """Return the place for all repositories of the user."""
    home = os.path.expanduser("~")
    return Place(
        root=home, records=os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), in_project=False
    )


def find_project_place(repository: Repository) -> Place:
    """Return the place for one working tree."""
    return Place(root=repository.worktree, records=repository.git_dir, in_project=True)


def find_home(product: Product) -> str:
    """Return the directory in which a harness keeps what belongs to the user."""
    variable, folder = product.home
    return os.environ.get(variable) or os.path.join(os.path.expanduser("~"), folder)


def find_sign(product: Product, root: str | None) -> str | None:
    """Return what shows that a harness is used: its program, or its directory in the home or the working tree."""
    if not product.program:
        return None
    folders = [find_home(product)]
    if root is not None:
        folders.append(os.path.join(root, product.project))
    program = shutil.which(product.program)
    if program is not None:
        return program
    return next(filter(os.path.isdir, folders), None)


def write_command(product: Product) -> str:
    """Return the shell command that a harness runs for each event."""
    code = _CODE.format(paths=json.dumps(list_paths(), ensure_ascii=False))
    return _COMMAND.format(python=shlex.quote(sys.executable), code=shlex.quote(code), product=product.name)


def make_entries(product: Product) -> dict[str, object]:
    """Return the entry for each of the harness's events, as it is written in its settings."""
    command = write_command(product)
    entries: dict[str, object] = {}
    for kind, event in product.events.items():
        matcher: dict[str, object] = {}
        if kind in (BEFORE, AFTER):
            matcher["matcher"] = product.matchers[kind == AFTER]
        limit = dict([product.timeout] if product.timeout else [])
        if product.dialect == CURSOR:
            entries[event] = {**matcher, "command": command}
        elif product.dialect == COPILOT:
            entries[event] = {"type": "command", **matcher, "bash": command, **limit}
        else:
            entries[event] = {**matcher, "hooks": [{"type": "command", "command": command, **limit}]}
    return entries


def list_targets(product: Product, place: Place) -> list[Target]:
    """Return the files that a harness reads in a place."""
    targets = []
    hooks = _resolve(product, place, product.hooks)
    if product.name == "agents-md":
        targets.append(Target(path=hooks, kind=BLOCK, content=_INSTRUCTIONS))
    elif product.events:
        targets.append(Target(path=hooks, kind=HOOKS))
    else:
        plugin = _read_own("opencode_plugin.js").replace("COMMAND", json.dumps(write_command(product)), 1)
        targets.append(Target(path=hooks, kind=WHOLE, content=plugin))
    skills = _resolve(product, place, product.skills)
    if skills:
        targets.append(Target(path=os.path.join(skills, SKILL), kind=WHOLE, content=_read_own("skill.md")))
    return [target for target in targets if target.path]


def _resolve(product: Product, place: Place, names: tuple[str, str]) -> str:
    """Return the path of a file or directory of a harness in a place; it is empty if there is none."""
    name = names[0] if place.in_project else names[1]
    if not name:
        return ""
    if place.in_project:
        return os.path.join(place.root, name)
    if name.startswith("~"):
        return os.path.join(place.root, name.removeprefix("~/"))
    return os.path.join(find_home(product), name)


def _read_own(name: str) -> str:
    return files("smartcommit.harness").joinpath(name).read_text("utf-8")


def install(product: Product, place: Place) -> list[str]:
    """Install what a harness needs, and return the files that were changed.

    Raise SmartcommitError, with nothing changed, if one of them cannot be read or is not what it should be.
    """
    record = load_record(place)
    changes: dict[str, str] = {}
    for target in list_targets(product, place):
        key = _name(target.path, place)
        before = read(target.path)
        known = record.get(key)
        if known is None or before is None:
            known = Entry(products=(), pieces=(), made=before is None, folders=_list_missing(target.path))
        if _is_foreign(target, before, known.pieces):
            continue
        text, pieces = _insert(product, target, before, known.pieces)
        if text != before:
            changes[target.path] = text
        products = [name for name in PRODUCTS if name == product.name or name in known.products]
        record[key] = Entry(products=products, pieces=pieces, made=known.made, folders=known.folders)
    # Should this be killed now, undoing finds that nothing was inserted.
    _save_record(place, record)
    for path, text in changes.items():
        _write(path, text)
    return list(changes)


def _is_foreign(target: Target, before: str | None, pieces: Sequence[str]) -> bool:
    """Whether a skill is there that we did not write so: it came with the repository, or the person has edited it.

    Raise SmartcommitError if it is a plug-in, without which nothing works.
    """
    if target.kind != WHOLE or before in (None, target.content, *pieces):
        return False
    if target.path.endswith(SKILL):
        return True
    raise SmartcommitError(
        f"'{target.path}' is not as smartcommit wrote it", hint="move it away, or delete it, and try again"
    )


def _insert(product: Product, target: Target, before: str | None, pieces: Sequence[str]) -> tuple[str, list[str]]:
    """Return the new text of a file, and all pieces of ours in it. `before` is None if there is no file."""
    if target.kind == HOOKS:
        return _insert_hooks(product, target.path, before or "", pieces)
    if target.kind == BLOCK:
        return _insert_block(target, before or "", pieces)
    # What was there already is nothing that we inserted.
    return target.content, list(pieces) if before == target.content else [target.content]


def _insert_hooks(product: Product, path: str, text: str, pieces: Sequence[str]) -> tuple[str, list[str]]:
    try:
        text, replaced = settings_text.replace_commands(text, write_command(product), comments=product.comments)
        for old, new in replaced:
            pieces = [piece.replace(old, new) for piece in pieces]
        text, added = settings_text.add(text, make_entries(product), comments=product.comments, version=product.version)
    except ValueError as error:
        raise SmartcommitError(f"cannot read '{path}': {error}", hint="correct it, and try again") from None
    return text, [*pieces, *added]


def _insert_block(target: Target, text: str, pieces: Sequence[str]) -> tuple[str, list[str]]:
    if BEGIN in text:
        return text, list(pieces)
    newline = "\r\n" if "\r\n" in text else "\n"
    piece = target.content.replace("\n", newline)
    if text and not text.endswith(newline):
        piece = newline + piece
    if text.strip():
        piece = newline + piece
    return text + piece, [piece]


class Undone(Record):
    """What uninstalling changed, and which files were left because somebody has edited what is ours in them."""

    changed: Sequence[str]
    left: Sequence[str]


def uninstall(product: Product, place: Place) -> Undone:
    """Remove what `install` wrote for a harness: each file is as if it had never been called."""
    record = load_record(place)
    changed, left = [], []
    for target in list_targets(product, place):
        key = _name(target.path, place)
        known = record.get(key)
        if known is not None and any(name != product.name for name in known.products):
            rest = [name for name in known.products if name != product.name]
            record[key] = Entry(products=rest, pieces=known.pieces, made=known.made, folders=known.folders)
            continue
        text = read(target.path)
        if text is not None:
            rest_text = _take_out(product, target, text, known)
            if rest_text is None:
                left.append(target.path)
            elif known is not None and known.made and _is_empty(rest_text):
                os.unlink(os.path.realpath(target.path))
                changed.append(target.path)
            elif rest_text != text:
                _write(target.path, rest_text)
                changed.append(target.path)
        if known is not None:
            _remove_folders(known.folders)
            del record[key]
    _save_record(place, record)
    return Undone(changed=changed, left=left)


def _take_out(product: Product, target: Target, text: str, known: Entry | None) -> str | None:
    """Return the text without what is ours; None if it cannot be told apart."""
    pieces = known.pieces if known is not None else []
    rest = settings_text.cut(text, pieces)
    if target.kind == WHOLE:
        if known is None:  # it may have come with the repository
            return text
        return "" if [text] == list(pieces) else None
    if target.kind == BLOCK:
        if rest is None or BEGIN in rest:
            begin, end = text.find(BEGIN), text.find(_END)
            rest = text[:begin] + text[end + len(_END) :].lstrip("\r\n") if 0 <= begin < end else None
        return rest
    if settings_text.MARK not in text:
        return text
    # Somebody may have put commas around a piece.
    if rest is not None and settings_text.is_free(rest, comments=product.comments):
        return rest
    try:
        return settings_text.remove(text, comments=product.comments)
    except ValueError as error:
        raise SmartcommitError(f"cannot read '{target.path}': {error}", hint="correct it, and try again") from None


def _is_empty(text: str) -> bool:
    """Whether a file that we made holds nothing any more."""
    return "".join(text.split()) in ("", "{}", '{"version":1}')


def load_record(place: Place) -> dict[str, Entry]:
    """Return what was installed in a place, by the names of the files."""
    return state_files.load_json(place.records, RECORD, _read_record) or {}


def _read_record(loaded: Mapping[str, Any]) -> dict[str, Entry]:
    record = {}
    for name, fields in loaded.items():
        record[name] = Entry(
            products=[*map(str, fields["products"])],
            pieces=[*map(str, fields["pieces"])],
            made=bool(fields["made"]),
            folders=[*map(str, fields["folders"])],
        )
    return record


def _save_record(place: Place, record: Mapping[str, Entry]) -> None:
    path = state_files.path(place.records, RECORD)
    # The folder of the record is removed with the last file.
    own = record.get("") or Entry(products=(), pieces=(), made=False, folders=_list_missing(path))
    others = {name: entry.as_dict() for name, entry in record.items() if name}
    if not others:
        state_files.drop(place.records, RECORD)
        _remove_folders(own.folders)
        return
    if not state_files.save_json(place.records, RECORD, {**others, "": own.as_dict()}):
        raise SmartcommitError(f"cannot write '{path}'", hint="check that the directory is writable")


def _name(path: str, place: Place) -> str:
    """Return the name of a file in the record: a working tree may be moved."""
    return os.path.relpath(path, place.root) if place.in_project else path


def read(path: str) -> str | None:
    """Return the text of a file; None if there is none. Line ends are kept."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise SmartcommitError(f"cannot read '{path}': it is not UTF-8", hint="convert it, and try again") from None
    except OSError as error:
        raise SmartcommitError(f"cannot read '{path}': {explain_os_error(error)}") from None


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    state_files.replace_file(path, text.encode("utf-8"))


def _list_missing(path: str) -> list[str]:
    """Return the folders above a file that are missing, the outermost first."""
    missing = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing[::-1]


def _remove_folders(folders: Sequence[str]) -> None:
    """Remove these folders, the innermost first, unless there is something in them."""
    for folder in reversed(folders):
        try:
            os.rmdir(folder)
        except OSError:
            return
