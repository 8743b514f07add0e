"""What the prompts of cz-git, cz-customizable and cz-conventional-changelog let a person enter, as settings of ours.

Sources: cz-git.qbb.sh, "Options", and the READMEs of cz-customizable and cz-conventional-changelog.
"""

from __future__ import annotations

from collections.abc import Mapping

from smartcommit.message.rules import REQUIRE
from smartcommit.setup.other_tools.found_rules import (
    CONVENTIONAL_TYPES,
    Conventions,
    parse_configuration,
    read_count,
    show,
)


def take_prompt(found: Conventions, prompt: object) -> None:
    """Take over what a `prompt` of cz-git says, where `found` has no rule for it yet."""
    if not isinstance(prompt, dict):
        return
    types, scopes = list_values(prompt.get("types")), list_values(prompt.get("scopes"))
    if types and not found.types:
        found.take_types(types, "prompt types")
    if scopes and prompt.get("allowCustomScopes") is False and not found.scopes:
        found.take_scopes(scopes, "prompt scopes")
    if prompt.get("allowEmptyScopes") is False:
        found.values.setdefault("scope", REQUIRE)
    for key, name in (("maxHeaderLength", "headerLimit"), ("maxSubjectLength", "summaryLimit")):
        limit = read_count(prompt.get(key))
        if limit is not None:
            found.values.setdefault(name, limit)


def read_cz_customizable(found: Conventions, content: Mapping[str, object]) -> bool:
    """Read a configuration of cz-customizable."""
    types, scopes = list_values(content.get("types")), list_values(content.get("scopes"))
    if types:
        found.take_types(types, "types")
    if scopes and content.get("allowCustomScopes") is not True:
        found.take_scopes(scopes, "scopes")
    limit = read_count(content.get("subjectLimit"))
    if limit is not None:
        found.values["summaryLimit"] = limit
    if "scopeOverrides" in content:
        found.missed.append("scopeOverrides: there is no setting for it")
    return not found.is_empty()


def read_adapter(found: Conventions, name: str, text: str, directory: str) -> bool:
    """Read the options of cz-git or cz-conventional-changelog in `.czrc`, or in `package.json` below `config`."""
    content = parse_configuration(name, text)
    options: object = content
    if name == "package.json":
        config = content.get("config")
        options = config.get("commitizen") if isinstance(config, dict) else None
    if not isinstance(options, dict):
        return False
    adapter = show(options.get("path"))
    if adapter.rstrip("/").endswith(("cz-git", "czg")):
        take_prompt(found, options)
    elif adapter.rstrip("/").endswith("cz-conventional-changelog"):
        types = options.get("types")
        found.take_types(list(types) if isinstance(types, dict) else CONVENTIONAL_TYPES, "types")
        found.values["headerLimit"] = read_count(options.get("maxHeaderWidth")) or 100
    return not found.is_empty()


def list_values(entries: object) -> list[object]:
    """Return the names in a list of prompts, whose entries are names or have a `value` or a `name`."""
    names: list[object] = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            names.append(entry.get("value", entry.get("name")))
        else:
            names.append(entry)
    return names
