"""The commit message grammar: pure functions over text, no git, no I/O, no dependencies."""

from __future__ import annotations


class Record:
    """Compares and prints an object by the fields in its `__slots__`; importing `dataclasses` would slow the hooks."""

    __slots__: tuple[str, ...] = ()

    def _fields(self) -> list[object]:
        return [getattr(self, name) for name in self.__slots__]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{tuple(self._fields())}"
