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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files

from smartcommit import state_files
from smartcommit.errors import SmartcommitError, explain_os_error
from smartcommit.harness import settings_text
from smartcommit.harness.products import AFTER, BEFORE, COPILOT, CURSOR, PRODUCTS
from smartcommit.record import Record
from smartcommit.setup.hook_scripts import list_paths
from smartcommit.setup.pieces import Piece, PieceRecord, cut, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.git.repo import Repository
    from smartcommit.harness.products import Product

_RECORD = "agents.json"
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


# How much of ours is in a file.
INSTALLED, OUTDATED, PARTLY, ABSENT, UNREADABLE = "installed", "outdated", "partly", "absent", "unreadable"
# What a target is: a file with other people's hooks, with other instructions, or one that is ours alone.
HOOKS, BLOCK, WHOLE = "hooks", "block", "whole"


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
        limit = dict(filter(None, [product.timeout]))
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
    record = PieceRecord(place.records, _RECORD)
    changes: list[tuple[str, str | None, str, list[Piece]]] = []
    for target in list_targets(product, place):
        before = read(target.path)
        with _explaining(target.path):
            if _is_current(product, target, before):
                continue
            base = _take_out(product, target, before or "", record)
            if base is not None:
                changes.append((target.path, before, base, _list_pieces(product, target, base)))
        # A skill may have come with the repository, or the person has edited it.
        if base is None and not target.path.endswith(SKILL):
            raise SmartcommitError(
                f"'{target.path}' is not as smartcommit wrote it", hint="move it away, or delete it, and try again"
            )
    for path, before, base, pieces in changes:
        with _explaining(path):
            if before is not None and before != base:
                record.restore(path, base)
            record.insert(path, pieces)
    return [path for path, _, _, _ in changes]


def _is_current(product: Product, target: Target, text: str | None) -> bool:
    """Whether a file has all that is ours, as it is written now."""
    if target.kind == HOOKS:
        return find_hooks(product, text or "") == {INSTALLED}
    if target.kind == BLOCK:
        return BEGIN in (text or "")
    return text == target.content


def find_hooks(product: Product, text: str) -> set[str]:
    """Return the states of our entries in settings. Raise ValueError if they are not JSON."""
    hooks = settings_text.get(settings_text.parse(text, comments=product.comments), "hooks")
    states = set()
    for event, entry in make_entries(product).items():
        groups = settings_text.get(hooks, event)
        value = settings_text.load(groups)
        if not settings_text.is_ours(value):
            states.add(ABSENT)
        elif isinstance(value, list) and entry in value:
            states.add(INSTALLED)
        else:
            states.add(OUTDATED)
    return states


def _list_pieces(product: Product, target: Target, text: str) -> list[Piece]:
    """Return what to insert into a text that has nothing of ours."""
    if target.kind == HOOKS:
        return settings_text.add(text, make_entries(product), comments=product.comments, version=product.version)
    if target.kind == WHOLE:
        return [(0, target.content)]
    newline = "\r\n" if "\r\n" in text else "\n"
    piece = target.content.replace("\n", newline)
    if text and not text.endswith(newline):
        piece = newline + piece
    if text.strip():
        piece = newline + piece
    return [(len(text), piece)]


class FileStatus(Record):
    """A file that a harness reads, and the state of what is ours in it."""

    path: str
    kind: str
    state: str


def find_states(product: Product, place: Place) -> list[FileStatus]:
    """Return the state of each file that `install` would write for a harness in a place."""
    found = []
    for target in list_targets(product, place):
        found.append(FileStatus(path=target.path, kind=target.kind, state=_find_state(product, target)))
    return found


def _find_state(product: Product, target: Target) -> str:
    try:
        text = read(target.path)
        if text is None:
            return ABSENT
        if target.kind == HOOKS:
            states = find_hooks(product, text)
            return PARTLY if len(states) > 1 else states.pop()
    except (SmartcommitError, ValueError):
        return UNREADABLE
    if _is_current(product, target, text):
        return INSTALLED
    if target.kind == BLOCK:
        return ABSENT
    return OUTDATED


class Undone(Record):
    """What uninstalling changed, and which files were left because somebody has edited what is ours in them."""

    changed: Sequence[str]
    left: Sequence[str]


def uninstall(product: Product, place: Place) -> Undone:
    """Remove what `install` wrote for a harness: each file is as if it had never been called."""
    record = PieceRecord(place.records, _RECORD)
    changed, left = [], []
    # The folders are those that were made for the first file.
    for target in reversed(list_targets(product, place)):
        text = read(target.path)
        if _is_shared(product, place, target):
            continue
        if text is None:
            record.forget(target.path)
            continue
        entry = record.find(target.path)
        # What was never recorded, and is a whole file, may have come with the repository.
        if entry is None and target.kind == WHOLE:
            continue
        with _explaining(target.path):
            base = _take_out(product, target, text, record)
        if base is None:
            left.append(target.path)
            record.forget(target.path)
        elif base != text:
            if entry is not None and entry.made and "".join(base.split()) in ("{}", '{"version":1}'):
                base = ""
            with _explaining(target.path):
                record.restore(target.path, base)
            changed.append(target.path)
    if not place.in_project and not is_installed(place):
        with suppress(OSError):
            os.removedirs(os.path.dirname(state_files.path(place.records, _RECORD)))
    return Undone(changed=changed, left=left)


def is_installed(place: Place) -> bool:
    """Whether anything is recorded for a place."""
    return os.path.exists(state_files.path(place.records, _RECORD))


def _is_shared(product: Product, place: Place, target: Target) -> bool:
    """Whether another harness that is installed reads the same skill."""
    for other in PRODUCTS.values():
        targets = list_targets(other, place)
        if other == product or target.path not in [each.path for each in targets]:
            continue
        if settings_text.MARK in (read(targets[0].path) or ""):
            return True
    return False


def _take_out(product: Product, target: Target, text: str, record: PieceRecord) -> str | None:
    """Return the text without what is ours; None if it cannot be told apart. Raise ValueError if it is not JSON."""
    entry = record.find(target.path)
    rest, lost = text, [""]
    if entry is not None:
        rest, lost = cut(text, entry.pieces)
    if target.kind == WHOLE:
        return None if rest else ""
    if target.kind == BLOCK:
        begin, end = text.find(BEGIN), text.find(_END)
        if not lost or begin < 0:
            return rest
        if end < begin:
            return None
        return text[:begin] + text[end + len(_END) :].lstrip("\r\n")
    # Somebody may have put commas around a piece.
    if settings_text.MARK not in text or (not lost and settings_text.is_free(rest, comments=product.comments)):
        return rest
    return settings_text.remove(text, comments=product.comments)


@contextmanager
def _explaining(path: str) -> Iterator[None]:
    """Say which file it is that cannot be read or written."""
    try:
        yield
    except ValueError as error:
        raise SmartcommitError(f"cannot read '{path}': {error}", hint="correct it, and try again") from None
    except OSError as error:
        raise SmartcommitError(f"cannot write '{path}': {explain_os_error(error)}") from None
