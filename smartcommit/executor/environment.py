"""What an agent sees of our environment: nothing of ours, no key above all."""

from __future__ import annotations

from collections.abc import Mapping

# Where git would look instead of in the directory that it is run in, and our settings given with `git -c`.
_PLACES = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_CONFIG_PARAMETERS",
)  # fmt: skip


def scrubbed(inherited: Mapping[str, str]) -> dict[str, str]:
    """`inherited` without our variables, without git's places, and with our settings among git's emptied."""
    kept = {
        name: value for name, value in inherited.items() if not name.startswith("SMARTCOMMIT_") and name not in _PLACES
    }
    for name, value in inherited.items():
        # Source: git-config(1), GIT_CONFIG_COUNT: settings by number, none of which may be missing.
        if name.startswith("GIT_CONFIG_KEY_") and value.lower().startswith("smartcommit."):
            kept[f"GIT_CONFIG_VALUE_{name.removeprefix('GIT_CONFIG_KEY_')}"] = ""
    return kept
