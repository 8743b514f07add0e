"""Adds hooks to the text of a JSON file, and removes them, without touching any other byte of it.

A settings file belongs to the person: its formatting, order and comments stay. So nothing is parsed and printed again;
pieces of text are inserted, and cut out again.
"""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What the command of each of our entries contains.
MARK = "smartcommit.harness.hook"
_BLANK = re.compile(r"[ \t\r\n]*")
_BLANK_OR_COMMENT = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_BOM = "\ufeff"
_CONTAINERS = {"{": ("}", "object"), "[": ("]", "array")}


class Node(Record):
    """A value in the text from `start` to `end`; `parts` are the members of an object or the elements of an array."""

    start: int
    end: int
    kind: str
    parts: Sequence[Part] = ()
    value: object = None


class Part(Record):
    """A member, or an element (then `key` is None), with its key from `start` to the end of its value."""

    start: int
    key: str | None
    node: Node


def parse(text: str, *, comments: bool) -> Node | None:
    """Return the value that the text is, None if there is none. Raise ValueError, which names the line."""
    return _Parser(text, comments=comments).parse()


class _Parser:
    def __init__(self, text: str, *, comments: bool) -> None:
        self.text = text
        self.blank = _BLANK_OR_COMMENT if comments else _BLANK

    def parse(self) -> Node | None:
        start = self._skip(int(self.text.startswith(_BOM)))
        if start == len(self.text):
            return None
        try:
            node = self._value(start)
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        end = self._skip(node.end)
        if end != len(self.text):
            raise self._fault(end)
        return node

    def _value(self, start: int) -> Node:
        opening = self.text[start : start + 1]
        if opening in _CONTAINERS:
            return self._container(start, *_CONTAINERS[opening])
        if opening == '"':
            value, end = self._string(start)
            return Node(start=start, end=end, kind="string", value=value)
        found = _SCALAR.match(self.text, start)
        if found is None:
            raise self._fault(start)
        return Node(start=start, end=found.end(), kind="scalar", value=json.loads(found[0]))

    def _container(self, start: int, closing: str, kind: str) -> Node:
        parts: list[Part] = []
        place = self._skip(start + 1)
        while not self.text.startswith(closing, place):
            if parts:
                if not self.text.startswith(",", place):
                    raise self._fault(place)
                place = self._skip(place + 1)
            part = self._part(place, has_key=kind == "object")
            parts.append(part)
            place = self._skip(part.node.end)
        return Node(start=start, end=place + 1, kind=kind, parts=parts)

    def _part(self, start: int, *, has_key: bool) -> Part:
        key, place = None, start
        if has_key:
            if not self.text.startswith('"', start):
                raise self._fault(start)
            key, place = self._string(start)
            place = self._skip(place)
            if not self.text.startswith(":", place):
                raise self._fault(place)
            place = self._skip(place + 1)
        return Part(start=start, key=key, node=self._value(place))

    def _string(self, start: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, start + 1, True)
        except json.JSONDecodeError as error:
            raise self._fault(error.pos) from None
        return str(value), int(end)

    def _skip(self, place: int) -> int:
        found = self.blank.match(self.text, place)
        assert found is not None, "it matches nothing as well"
        return found.end()

    def _fault(self, place: int) -> ValueError:
        line = self.text.count("\n", 0, place) + 1
        return ValueError(f"line {line} is not JSON")


def get(node: Node | None, key: str) -> Node | None:
    """Return the member `key` of an object: the last one, as in JavaScript."""
    found = None
    if node is None:
        return None
    for part in node.parts:
        if part.key == key:
            found = part.node
    return found


def load(node: Node | None) -> object:
    """Return the value of a node as Python's."""
    if node is None:
        return None
    if node.kind == "object":
        return {part.key: load(part.node) for part in node.parts}
    if node.kind == "array":
        return [load(part.node) for part in node.parts]
    return node.value


def is_ours(value: object) -> bool:
    """Whether an entry, or a group of entries, runs our hook."""
    if isinstance(value, str):
        return MARK in value
    if isinstance(value, dict):
        return any(is_ours(each) for each in value.values())
    return isinstance(value, list) and any(is_ours(each) for each in value)


def add(text: str, entries: Mapping[str, object], *, comments: bool, version: bool) -> list[tuple[int, str]]:
    """Return what to insert where, so that the text has an entry for each event of `entries`.

    `version` says that the file needs `"version": 1`. Raise ValueError if the text is not JSON, or has something else
    where hooks belong.
    """
    root = parse(text, comments=comments)
    style = _Style(text)
    whole: dict[str, object] = {}
    if version and get(root, "version") is None:
        whole["version"] = 1
    hooks = None if root is None else _check_shape(root, entries)
    if hooks is None:
        whole["hooks"] = {event: [entry] for event, entry in entries.items()}
    if root is None:
        return [(len(text), style.write(whole, "") + style.newline)]
    insertions = []
    missing = {}
    for event, entry in entries.items():
        groups = get(hooks, event)
        if groups is None:
            missing[event] = [entry]
        else:
            insertions.append(style.insert_element(groups, entry))
    if whole:
        insertions.append(style.insert_members(root, whole))
    if missing and hooks is not None:
        insertions.append(style.insert_members(hooks, missing))
    return insertions


def _check_shape(root: Node, entries: Mapping[str, object]) -> Node | None:
    """Return the object with the hooks, None if there is none."""
    if root.kind != "object":
        raise ValueError("it is not an object")
    hooks = get(root, "hooks")
    if hooks is None:
        return None
    if hooks.kind != "object":
        raise ValueError("'hooks' in it is not an object")
    for event in entries:
        groups = get(hooks, event)
        if groups is not None and groups.kind != "array":
            raise ValueError(f"'hooks.{event}' in it is not an array")
    return hooks


class _Style:
    """How a text is written: its line ends and its indentation."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        found = _INDENTED.search(text)
        self.unit = found[1] if found else "  "

    def write(self, value: object, indent: str) -> str:
        """Return a value as text whose lines but the first begin with `indent`."""
        lines = json.dumps(value, indent=self.unit, ensure_ascii=False).split("\n")
        return (self.newline + indent).join(lines)

    def insert_members(self, node: Node, members: Mapping[str, object]) -> tuple[int, str]:
        """Return where in the text to insert what, so that an object has more members at its end."""
        indent = self._find_indent(node)
        written = [f"{json.dumps(key)}: {self.write(value, indent)}" for key, value in members.items()]
        return self._insert(node, written, indent)

    def insert_element(self, node: Node, value: object) -> tuple[int, str]:
        """Return where in the text to insert what, so that an array has one more element at its end."""
        indent = self._find_indent(node)
        return self._insert(node, [self.write(value, indent)], indent)

    def _insert(self, node: Node, written: Sequence[str], indent: str) -> tuple[int, str]:
        lines = [self.newline + indent + each for each in written]
        if node.parts:
            return node.parts[-1].node.end, "," + ",".join(lines)
        inside = self.text[node.start + 1 : node.end - 1]
        text = ",".join(lines)
        if "\n" not in inside:
            text += self.newline + self._line_indent(node.start)
        return node.start + 1, text

    def _find_indent(self, node: Node) -> str:
        """Return the indentation of what is inside a container."""
        if node.parts:
            start = node.parts[-1].start
            line = self.text[self.text.rfind("\n", 0, start) + 1 : start]
            if not line.strip(" \t"):
                return line
        return self._line_indent(node.start) + self.unit

    def _line_indent(self, place: int) -> str:
        start = self.text.rfind("\n", 0, place) + 1
        found = re.compile(r"[ \t]*").match(self.text, start)
        assert found is not None, "it matches nothing as well"
        return found[0]


def is_free(text: str, *, comments: bool) -> bool:
    """Whether a text is JSON, or blank, and has nothing of ours."""
    try:
        parse(text, comments=comments)
    except ValueError:
        return False
    return MARK not in text


def remove(text: str, *, comments: bool) -> str:
    """Return the text without our entries, and without what is empty when they are gone.

    Raise ValueError if it is not JSON.
    """
    while True:
        root = parse(text, comments=comments)
        hooks = get(root, "hooks")
        span = _find_ours(text, root, hooks, comments=comments)
        if span is None:
            return text
        text = text[: span[0]] + text[span[1] :]


def _find_ours(text: str, root: Node | None, hooks: Node | None, *, comments: bool) -> tuple[int, int] | None:
    """Return where the first part stands that is ours alone: an entry, an event's groups, or all hooks."""
    if root is None or hooks is None:
        return None
    for event in hooks.parts:
        for index, group in enumerate(event.node.parts):
            value = load(group.node)
            if not is_ours(value):
                continue
            entries = get(group.node, "hooks")
            if entries is not None and len(entries.parts) > 1:
                # Somebody added an entry to our group.
                chosen = [is_ours(load(part.node)) for part in entries.parts]
                return _span(entries, chosen.index(True))
            if len(event.node.parts) > 1:
                return _span(event.node, index)
            if len(hooks.parts) > 1:
                return _span(hooks, hooks.parts.index(event))
            return _span(root, [part.node for part in root.parts].index(hooks))
    return None


def _span(container: Node, index: int) -> tuple[int, int]:
    """Return where a part and the comma beside it stand."""
    parts = container.parts
    if index > 0:
        return parts[index - 1].node.end, parts[index].node.end
    if len(parts) > 1:
        return parts[0].start, parts[1].start
    return container.start + 1, container.end - 1
