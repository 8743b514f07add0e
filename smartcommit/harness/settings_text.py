"""Where hooks belong in the text of a settings file, and what in it is ours.

A settings file belongs to the person: its formatting, order and comments stay. So nothing is parsed and printed again;
pieces of text are inserted, and cut out again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from smartcommit.errors import SmartcommitError
from smartcommit.record import Record
from smartcommit.setup.pieces import Insertion, Piece, cut, find_newline

# What the command of each of our entries contains, and how the member begins that has them all.
MARK = "smartcommit.harness.hook"
_OPENING = '"hooks": {'
_BLANKS = re.compile(r"[ \t\r\n]*")
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DECODER = json.JSONDecoder()
_KINDS: dict[type, str] = {dict: "an object", list: "an array"}


class JsonPart(Record):
    """A member or an element, from `start` to `end`, whose value begins at `opening`."""

    start: int
    opening: int
    end: int
    key: str
    value: Any


class JsonSettings:
    """The `text` of the settings file `path`, and their `value`, None if blank. Raise SmartcommitError if not JSON."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self._path = path
        # The same as strict JSON: each place in it is the same.
        self._plain = _STRING_OR_COMMENT.sub(_blank_comment, text)
        self.value: Any = None
        try:
            if self._skip(0) < len(text):
                self.value = json.loads(self._plain)
        except json.JSONDecodeError as error:
            raise self._refuse(f"line {error.lineno} is not JSON") from None
        except (ValueError, RecursionError):  # a number, or a nesting, that has no end
            raise self._refuse("it is not sensible JSON") from None
        self._unit = "  "
        indented = _INDENTED.search(text)
        if indented is not None:
            self._unit = indented[1]
        self._newline = find_newline(text)

    def has_entries(self, needed: Mapping[str, Any]) -> bool:
        try:
            return all(entry in self.value["hooks"][event] for event, (entry,) in needed["hooks"].items())
        except (LookupError, TypeError):  # there is something else
            return False

    def is_empty(self) -> bool:
        """Whether nothing is set but the version in which the settings are written."""
        return self.value is None or self.value.keys() <= {"version", "$version"}

    def list_insertions(self, needed: Mapping[str, Any]) -> list[Insertion]:
        """Return what to insert where for what is `needed`. Raise SmartcommitError if something else is there."""
        if self.value is not None:
            start = self._skip(0)
            root = JsonPart(start=start, opening=start, end=len(self._plain.rstrip()), key="it", value=self.value)
            return self._list_missing(root, needed)
        text = self._write(needed, "") + self._newline
        if self.text.rstrip(" \t") and not self.text.endswith("\n"):
            text = self._newline + text  # below a comment
        return [(len(self.text), text)]

    def _list_missing(self, container: JsonPart, needed: Mapping[str, Any] | Sequence[object]) -> list[Insertion]:
        if not isinstance(needed, dict):
            return [self._insert(container, needed)]
        insertions = []
        missing = {}
        # Of two members of a name the last one counts, as in JavaScript.
        members = {part.key: part for part in self._list_parts(container, dict)}
        for key, value in needed.items():
            if key not in members:
                missing[key] = value
            elif isinstance(value, (dict, list)):
                insertions += self._list_missing(members[key], value)
        if missing:
            insertions.append(self._insert(container, missing))
        return insertions

    def take_out(self, pieces: Sequence[Piece]) -> JsonSettings | None:
        """Return the settings without these pieces, which were inserted into them; None if somebody has edited them.

        Where a program has written the text anew, our entries go, and what holds nothing else and was inserted around
        them. The rest is written as the program has.
        """
        rest, lost = cut(self.text, pieces)
        if not lost and MARK not in rest:
            with suppress(SmartcommitError):  # somebody may have put commas around a piece
                return JsonSettings(rest, self._path)
        # The forms in which programs write JSON: one value a line, without blanks, and as Python does.
        for form in ({"indent": self._unit}, {"separators": (",", ":")}, {}):
            for in_ascii in (False, True):
                written = self._dump(in_ascii, form)
                if written == self.text.rstrip() and _drop_ours(self.value, "".join(piece for _, piece in pieces)):
                    blank = self.text[len(written) :]
                    return JsonSettings(self._dump(in_ascii, form) + blank, self._path)
        return None

    def _dump(self, in_ascii: bool, form: Mapping[str, Any]) -> str:
        return json.dumps(self.value, ensure_ascii=in_ascii, **form).replace("\n", self._newline)

    def _list_parts(self, container: JsonPart, kind: type) -> list[JsonPart]:
        """Return the members of an object or the elements of an array, whichever `kind` it has to be."""
        if not isinstance(container.value, kind):
            raise self._refuse(f"{container.key} is not {_KINDS[kind]}")
        parts = []
        place = self._skip(container.opening + 1)
        while self._plain[place] not in "}]":
            start, key = place, ""
            if kind is dict:
                key, colon = _DECODER.raw_decode(self._plain, place)
                place = self._skip(self._skip(colon) + 1)
            value, end = _DECODER.raw_decode(self._plain, place)
            parts.append(JsonPart(start=start, opening=place, end=end, key=key, value=value))
            place = self._skip(end)
            if self._plain[place] == ",":
                place = self._skip(place + 1)
        return parts

    def _insert(self, container: JsonPart, added: Mapping[str, object] | Sequence[object]) -> Insertion:
        parts = self._list_parts(container, type(added))
        outer = self._find_indent(container.start)
        inner = outer
        if parts:
            # Where the last part does not begin a line, neither does it show how parts are indented.
            inner = self._find_indent(parts[-1].start).removesuffix(self._unit)
        # The brackets are those of the container that is there.
        text = self._write(added, inner)[1:-1].rstrip()
        if parts:
            return parts[-1].end, "," + text
        if "\n" not in self.text[container.opening : container.end]:
            text += self._newline + outer
        return container.opening + 1, text

    def _write(self, value: object, indent: str) -> str:
        lines = json.dumps(value, indent=self._unit, ensure_ascii=False).split("\n")
        return (self._newline + indent).join(lines)

    def _skip(self, place: int) -> int:
        match = _BLANKS.match(self._plain, place)
        assert match is not None, "it matches nothing as well"
        return match.end()

    def _find_indent(self, place: int) -> str:
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _refuse(self, problem: str) -> SmartcommitError:
        return SmartcommitError(f"cannot read '{self._path}': {problem}", hint="correct it, and try again")


def _drop_ours(value: dict[str, Any], inserted: str) -> bool:
    """Drop our entries from settings, and return whether they are where a harness reads them."""
    try:
        for event, groups in list(value["hooks"].items()):
            value["hooks"][event] = [group for group in groups if _keep_others(group)]
            if not value["hooks"][event] and f'"{event}": [' in inserted:
                del value["hooks"][event]
    except (AttributeError, LookupError, TypeError):
        return False
    if not value["hooks"] and _OPENING in inserted:
        del value["hooks"]
    # Hooks of others in what we made for ours need the version too.
    if '"version": 1' in inserted and ("hooks" not in value or _OPENING not in inserted):
        value.pop("version", None)
    return MARK not in json.dumps(value)


def _keep_others(group: dict[str, Any]) -> bool:
    """Drop our entry from a group, and return whether there is another one."""
    others = [entry for entry in group.get("hooks", ()) if MARK not in json.dumps(entry)]
    if others:
        group["hooks"] = others
    return bool(others) or MARK not in json.dumps(group)


def _blank_comment(found: re.Match[str]) -> str:
    if found[0].startswith('"'):
        return found[0]
    return re.sub(r"[^\n]", " ", found[0])
