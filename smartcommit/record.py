"""The base of classes that are mostly fields: `dataclasses` takes as long to import as a hook may run."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, dataclass_transform
else:

    def dataclass_transform() -> object:
        """Do nothing: `typing` has this for type checkers alone."""
        return lambda decorated: decorated


@dataclass_transform()
class Record:
    """Has the fields that its class annotates, as a dataclass has: makes, compares and prints objects by them.

    A field with a value in the class may be left out. The value is shared, so it has to be immutable.
    """

    _names: ClassVar[tuple[str, ...]] = ()
    _required: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._names = (*cls._names, *cls.__dict__.get("__slots__", ()), *cls.__annotations__)
        cls._required = tuple([name for name in cls._names if not hasattr(cls, name)])

    def __init__(self, *values: Any, **named: Any) -> None:
        fields = self.__dict__
        if not named and len(values) == len(self._names):
            # as most objects, of which a draft makes hundreds
            fields.update(zip(self._names, values, strict=True))
            return
        fields.update(zip(self._names, values, strict=False))
        fields.update(named)
        if len(fields) != len(values) + len(named):
            raise TypeError(f"{type(self).__name__} has {len(self._names)} fields; each can be given once")
        for name in named:
            if name not in self._names:
                raise TypeError(f"{type(self).__name__} has no field '{name}'")
        for name in self._required:
            if name not in fields:
                raise TypeError(f"{type(self).__name__} needs the field '{name}'")

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names}

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not type(self):
            return False
        return all(getattr(self, name) == getattr(other, name) for name in self._names)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({fields})"
