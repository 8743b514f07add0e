"""JSON without the module `json`, which loads `re`: that takes longer than everything else that most events need."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Context:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}


def loads(text: str) -> object:
    """Return the value that `text` is, as `json.loads` does. Raise ValueError if it is none."""
    try:
        from _json import make_scanner
    except ImportError:  # another Python than CPython
        import json

        return json.loads(text)
    text = text.strip(" \t\n\r")
    try:
        value, end = make_scanner(_Context())(text, 0)  # type: ignore[arg-type]
    except (StopIteration, RecursionError):
        raise ValueError("no JSON") from None
    if end != len(text):
        raise ValueError("more than one value")
    return value


def dumps(value: object) -> str:
    """Return `value` as JSON in ASCII, as `json.dumps` does. Raise TypeError if it has something else than JSON."""
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:  # another Python than CPython
        import json

        return json.dumps(value)
    encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, True)
    return "".join(encode(value, 0))


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no JSON")


def as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
