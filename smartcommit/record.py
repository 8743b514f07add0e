"""The base of classes that are mostly fields: `dataclasses` takes as long to import as a hook may run."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Record:
    """Compares and prints an object by the fields in its `__slots__`."""

    __slots__: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by their names."""
        return {name: getattr(self, name) for name in self.__slots__}

    def _fields(self) -> list[object]:
        return [getattr(self, name) for name in self.__slots__]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, type(self)) and self._fields() == other._fields())

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{tuple(self._fields())}"
