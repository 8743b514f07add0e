"""Reads YAML that somebody else wrote: whatever is in it, there is data or an error within a moment."""

from __future__ import annotations

from typing import Any

import yaml


def read_yaml(text: str | bytes) -> tuple[Any, yaml.Node | None]:
    """Return the data in `text` and the node at its top, which is None if there is none.

    Raise YAMLError if it is not valid.
    """
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        return (None if root is None else loader.construct_document(root)), root
    except (ValueError, ArithmeticError, LookupError, AttributeError, TypeError) as error:
        # PyYAML raises them for values that do not fit their tags, such as `!!bool x`.
        raise yaml.YAMLError("a value does not fit its tag") from error
    except RecursionError as error:
        raise yaml.YAMLError("it is nested too deeply") from error


def as_list(value: object) -> list[Any]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_mapping(value: object) -> dict[str, Any]:
    """Return `value` if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}
