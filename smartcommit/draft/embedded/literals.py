"""Statements on literal edits: `pass mode to open_store`, `set timeout to 20 in a.toml`, `add @final to 19 files`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from smartcommit.change.edits import LiteralEdit
from smartcommit.change.facts import FileFacts
from smartcommit.change.literals import key_tells_alone
from smartcommit.change.text import mentions
from smartcommit.change.wording import (
    format_count,
    join_names,
    join_safe,
    make_printable,
    may_be_secret,
    mentions_secret,
    pluralize,
)
from smartcommit.draft.embedded.definitions import says_where
from smartcommit.draft.embedded.natures import file_names
from smartcommit.draft.embedded.view import ChangeView, Kind, Statement
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record
from smartcommit.secrets.files import may_hold_secrets

# Objects that one sentence names, and places: with more, it gives the number of files.
_OBJECTS_NAMED, _PLACES_NAMED = 3, 2
# Maximum characters of what a sentence says of a place.
_OBJECT_LENGTH, _PLACE_LENGTH = 70, 50
# Edits that are of the file rather than of a function in it.
_OF_FILE = {"alias", "key", "setting", "row"}
# Edits of which "add X" is not so if X was there before.
_NEWS = {"alias", "annotation", "call", "case", "item", "key", "row"}
# Functions that many files have, so that the file says more.
_COMMON_FUNCTIONS = {"main", "init", "__init__", "new", "run", "setup", "setUp", "constructor"}
# Edits that repeat names of the code, and no values.
_NAMED = {"annotation", "call", "case", "key", "parameter"}
_HAS_DIGIT = compile_on_use(r"\d")


_ITEM, _VALUE, _KEY, _PARAMETER = Kind(0.8), Kind(0.8), Kind(0.7), Kind(0.75)
_CALL, _OTHER = Kind(0.5), Kind(0.65)


class _Form(Record):
    """How an edit is said: `object` has the fields of the edit in braces, and `noun` follows the objects."""

    kind: Kind
    verb: str
    preposition: str
    object: str
    noun: str = ""


def _make_forms(kind: Kind, came: str, went: str, noun: str = "") -> tuple[_Form, _Form]:
    """Return the forms for what came and what went, of their verbs and prepositions: `pass to`, `stop passing to`."""
    verb, _, preposition = came.rpartition(" ")
    verb_gone, _, preposition_gone = went.rpartition(" ")
    return _Form(kind, verb, preposition, "{new}", noun), _Form(kind, verb_gone, preposition_gone, "{old}", noun)


# By kind of the edit, the forms for what came or replaced something, and for what went.
_FORMS: dict[str, tuple[_Form, _Form]] = {
    "alias": _make_forms(_ITEM, "add to", "remove from", "alias"),
    "annotation": _make_forms(_OTHER, "add to", "remove from"),
    "argument": _make_forms(_VALUE, "pass to", "stop passing to"),
    "call": _make_forms(_CALL, "call in", "stop calling in"),
    "case": _make_forms(_OTHER, "handle in", "stop handling in"),
    "condition": _make_forms(_OTHER, "check in", "stop checking in"),
    "item": _make_forms(_ITEM, "add to", "remove from"),
    "key": _make_forms(_KEY, "add to", "remove from"),
    "parameter": _make_forms(_PARAMETER, "add to", "remove from", "parameter"),
    "row": _make_forms(_KEY, "add to", "remove from"),
    "value": (_Form(_VALUE, "set", "in", "{name} to {new}"), _Form(_VALUE, "stop setting", "in", "{name}")),
}
# The same for edits that have one form.
_SINGLE_FORMS = {
    "pin": _Form(_VALUE, "pin", "in", "{new} to a digest"),
    "setting": _Form(_KEY, "set", "in", "{name} to {new}"),
    "word": _Form(_OTHER, "replace", "in", "{old} with {new}"),
}
_CHANGE = _Form(_VALUE, "change", "in", "{name} from {old} to {new}")


class _Claim(Record):
    """What is said of one edit: `pass` (verb) `mode` (object) `to` (preposition) `open_store` (place)."""

    form: _Form
    object: str
    preposition: str
    place: str
    edit: LiteralEdit
    file: FileFacts

    @property
    def subject(self) -> str:
        return self.edit.name or self.edit.new or self.edit.old

    @property
    def act(self) -> tuple[str, ...]:
        """What all claims that make one sentence share, besides the object."""
        return str(self.form.kind.prior), self.form.verb, self.form.noun, self.preposition


class _OtherLines:
    """The lines of a change, to find out what was there before, or still is."""

    def __init__(self, view: ChangeView) -> None:
        self._removed, self._added = set(view.removed), set(view.added)
        self._removed_text, self._added_text = "\n".join(self._removed), "\n".join(self._added)

    def have(self, edit: LiteralEdit) -> bool:
        """Whether what came was there before, or what went or was replaced still is."""
        if edit.kind == "value" and edit.new and edit.old:
            return False
        if edit.old:
            # What is part of the new value, as in `a` to `a.b`, is replaced all the same.
            text = self._added_text.replace(edit.new, "") if edit.new else self._added_text
            return (edit.line in self._added and not edit.new) or mentions(text, _find_name(edit.name or edit.old))
        if edit.line in self._removed:
            return True
        return edit.kind in _NEWS and edit.name is None and mentions(self._removed_text, edit.new)


def say_literals(view: ChangeView) -> Iterator[Statement]:
    """Yield what the literal edits are; equal ones over several lines and files are one statement."""
    equal: dict[tuple[str, ...], list[_Claim]] = {}
    for claim in _list_claims(view):
        equal.setdefault((*claim.act, claim.object), []).append(claim)
    groups: dict[tuple[str, ...], list[list[_Claim]]] = {}
    for same in equal.values():
        groups.setdefault((*same[0].act, _name_places(same)), []).append(same)
    for group in groups.values():
        group.sort(key=_count_lines, reverse=True)
        if 1 < len(group) <= _OBJECTS_NAMED and _can_join(group):
            yield _state(view, group)
        yield _state(view, group[:1])


def _list_claims(view: ChangeView) -> Iterator[_Claim]:
    others = _OtherLines(view)
    for file, edit in view.literals:
        if not may_hold_secrets(file.path) and not others.have(edit):
            claim = _make_claim(file, edit)
            if claim is not None and not _may_show_secret(claim):
                yield claim


def _find_name(text: str) -> str:
    """Return the name in `name=value`, or else all of `text`."""
    return text.partition("=")[0].strip("\"' ") or text


def _may_show_secret(claim: _Claim) -> bool:
    if claim.edit.kind in _NAMED:
        return False
    # Few words without a digit look like a key, and to look closer takes long.
    has_digit = _HAS_DIGIT.search(claim.object) is not None
    return mentions_secret(claim.edit.line) or (has_digit and may_be_secret(claim.object))


def _make_claim(file: FileFacts, edit: LiteralEdit) -> _Claim | None:
    """Return what is said of an edit, or None if that is too long."""
    form = _choose_form(edit)
    fields = {"old": edit.old, "new": edit.new, "name": edit.name}
    said = form.object.format_map(fields)
    if len(said) > _OBJECT_LENGTH:
        return None
    # An argument whose function is not on its line is passed in some place.
    preposition = "in" if edit.kind == "argument" and not edit.place else form.preposition
    place = edit.place.removeprefix("self.").removeprefix("this.") or _find_place(file, edit)
    return _Claim(form, make_printable(said, _OBJECT_LENGTH), preposition, place, edit, file)


def _choose_form(edit: LiteralEdit) -> _Form:
    if edit.kind in _SINGLE_FORMS:
        return _SINGLE_FORMS[edit.kind]
    form = _FORMS[edit.kind][0 if edit.new else 1]
    if edit.kind == "value" and edit.old and edit.new and not key_tells_alone(edit.name or ""):
        form = _CHANGE
    return form


def _find_place(file: FileFacts, edit: LiteralEdit) -> str:
    """Return the function or type around the edit, as it is written, else the file."""
    if edit.kind not in _OF_FILE:
        for symbol in file.symbols.touched:
            name = symbol.name
            if symbol.kind in ("key", "section", "test") or name in _COMMON_FUNCTIONS or name in (edit.old, edit.new):
                continue
            if says_where(symbol) and mentions(edit.context, name):
                return name
    return file_names([file])


def _name_places(claims: Sequence[_Claim]) -> str:
    """Return where equal edits were made: one or two places, else the file or the number of files."""
    places = list(dict.fromkeys(map(attrgetter("place"), claims)))
    files = list({claim.file.path: claim.file for claim in claims}.values())
    names = {file_names([file]) for file in files[: _PLACES_NAMED + 1]}
    preposition = claims[0].preposition
    is_told = bool(claims[0].edit.place)
    # A function of one file beside another file reads as if they were alike.
    is_mixed = len(places) > 1 and not names.isdisjoint(places) and not names.issuperset(places)
    if len(files) > 1 and names == set(places) and len(names) == 1:
        where = format_count(len(files), f"{make_printable(places[0], _PLACE_LENGTH)} file")
    elif len(places) == 1 and (is_told or len(files) <= _PLACES_NAMED):
        where = make_printable(places[0], _PLACE_LENGTH)
    elif len(places) == len(files) <= _PLACES_NAMED and not is_mixed:
        where = join_safe(places, _PLACE_LENGTH)
    else:
        where = format_count(len(files), "file") if len(files) > _PLACES_NAMED else file_names(files)
        preposition = "in" if is_told else preposition
    return f" {preposition} {where}"


def _count_lines(claims: Sequence[_Claim]) -> float:
    lines: float = sum(map(attrgetter("edit.lines"), claims))
    return lines


def _can_join(group: Sequence[Sequence[_Claim]]) -> bool:
    """Whether one sentence can list these objects: not two values of one key, nor several replacements."""
    first = group[0][0]
    if first.edit.old and first.edit.new and first.form.verb != "set":
        return False
    return len({same[0].subject for same in group}) == len(group)


def _state(view: ChangeView, group: Sequence[Sequence[_Claim]]) -> Statement:
    first = group[0][0]
    text = f"{first.form.verb} {join_names([same[0].object for same in group])}"
    if first.form.noun:
        text += f" {pluralize(first.form.noun, len(group))}"
    lines = 0.0
    for same in group:
        lines += _count_lines(same)
    return Statement([text + _name_places(group[0])], first.form.kind, view.share(lines))
