"""What prompts for messages offer: those of cz-git and czg, cz-customizable and cz-conventional-changelog.

Sources: cz-git.qbb.sh, "Options" and "CLI", and the READMEs of the other two.
"""

from __future__ import annotations

from smartcommit.message.rules import REQUIRE
from smartcommit.setup.other_tools.found_rules import CONVENTIONAL_TYPES, Conventions, read_count, show
from smartcommit.setup.other_tools.yaml_data import as_list, as_mapping


def take_prompt(found: Conventions, value: object) -> None:
    """Take over what the options `value` of cz-git or czg say, where `found` has no rule for it yet."""
    options = as_mapping(value)
    types, scopes = list_values(options.get("types")), list_values(options.get("scopes"))
    if types and not found.types:
        found.take_types(types, "prompt types")
    if scopes and options.get("allowCustomScopes") is False and not found.scopes:
        found.take_scopes(scopes, "prompt scopes")
    if options.get("allowEmptyScopes") is False:
        found.values.setdefault("scope", REQUIRE)
    for key, setting in (("maxHeaderLength", "headerLimit"), ("maxSubjectLength", "summaryLimit")):
        limit = read_count(options.get(key))
        if limit is not None:
            found.values.setdefault(setting, limit)


def read_cz_customizable(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read a configuration of cz-customizable."""
    found.take_types(list_values(content.get("types")), "types")
    if content.get("allowCustomScopes") is not True:
        found.take_scopes(list_values(content.get("scopes")), "scopes")
    limit = read_count(content.get("subjectLimit"))
    if limit is not None:
        found.values["summaryLimit"] = limit
    if "scopeOverrides" in content:
        found.missed.append("scopeOverrides: there is no setting for it")


def read_adapter(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read the options of the prompt that `.czrc` names, or `package.json` below `config`."""
    options = content
    if name == "package.json":
        options = as_mapping(as_mapping(content.get("config")).get("commitizen"))
    # czg is a program of its own, for which no prompt is named.
    adapter = show(options.get("path", "czg")).rstrip("/")
    if adapter.endswith(("cz-git", "czg")):
        take_prompt(found, options)
    elif adapter.endswith("cz-conventional-changelog"):
        found.take_types(as_mapping(options.get("types")) or CONVENTIONAL_TYPES, "types")
        found.values["headerLimit"] = read_count(options.get("maxHeaderWidth")) or 100


def list_values(entries: object) -> list[object]:
    """Return the names in a list of choices, which are names or have a `value` or a `name`."""
    names: list[object] = []
    for entry in as_list(entries):
        if isinstance(entry, dict):
            names.append(entry.get("value", entry.get("name")))
        else:
            names.append(entry)
    return names
