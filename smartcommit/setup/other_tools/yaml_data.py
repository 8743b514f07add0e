"""Reads YAML that somebody else wrote: whatever is in it, there is data or an error within a moment."""

from __future__ import annotations

from typing import Any

import yaml

# Entries that a mapping can get from others by `<<`, which double with each mapping that merges another twice.
_ENTRIES_MERGED = 10_000


class _Loader(yaml.SafeLoader):
    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge other mappings into `node`; raise YAMLError if it would have too many entries."""
        count = 0
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:merge":
                continue
            listed = [value]
            if isinstance(value, yaml.SequenceNode):
                listed = value.value
            for merged in listed:
                if isinstance(merged, yaml.MappingNode):
                    self.flatten_mapping(merged)
                    count += len(merged.value)
                if count > _ENTRIES_MERGED:
                    raise yaml.YAMLError("too many entries are merged")
        super().flatten_mapping(node)


def read_yaml(text: str | bytes) -> tuple[Any, yaml.Node | None]:
    """Return the data in `text` and the node at its top, which is None if there is none.

    Raise YAMLError if it is not valid.
    """
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            return None, None
        return loader.construct_document(root), root
    except (ValueError, ArithmeticError, LookupError, AttributeError, TypeError) as error:
        # PyYAML raises them for values that do not fit their tags, such as `!!bool x`.
        raise yaml.YAMLError("a value does not fit its tag") from error
    except RecursionError as error:
        raise yaml.YAMLError("it is nested too deeply") from error


def as_list(value: object) -> list[Any]:
    """Return `value` if it is a list, else an empty one."""
    if isinstance(value, list):
        return value
    return []


def as_mapping(value: object) -> dict[str, Any]:
    """Return `value` if it is a mapping, else an empty one."""
    if isinstance(value, dict):
        return value
    return {}
