"""Write `docs/settings.md` and `docs/settings.schema.json` from the code: `python docs/make_settings.py`.

The table of the settings is `smartcommit.settings.KEYS`; here are only the text around it and links to other pages.
"""

from __future__ import annotations

import json
from pathlib import Path

from smartcommit.settings import (
    JOINT,
    KEYS,
    SECRET,
    Key,
    parse_boolean,
    parse_count,
    parse_headers,
    parse_instructions,
    parse_language,
    parse_lines,
    parse_names,
    parse_prefix,
    parse_scopes,
    parse_text,
    parse_tools,
    parse_words,
)

FOLDER = Path(__file__).parent
PAGE, SCHEMA = "settings.md", "settings.schema.json"
TOP = """\
# Settings

<!-- This page is made from the code by `make docs`. -->

The value of a setting is taken from the first of these places that has one: a command-line option, an environment
variable, git's configuration (`git config --global`, or without `--global` for one repository), the project's tracked
file `.smartcommit` (project settings only), the default. `smartcommit config` shows every value and where it comes
from, and [`smartcommit doctor`](doctor.md) says what is wrong.

Lists are words separated by spaces or commas; where a setting has *entries*, `git config --add` adds one, which may
contain spaces. [settings.schema.json](settings.schema.json) is a JSON Schema of the settings, by their names without
`smartcommit.`, and below `$defs/policy` one of what a `.smartcommit` may set. They are for programs that handle
settings as JSON: the file itself is in git's syntax, which editors cannot check with a schema but `smartcommit doctor`
does.

## Personal and machine settings

These are never read from a tracked file, so a clone cannot choose a server, a key or a model for you.

"""
PROJECT_TOP = """\

## Project settings

These can also be set in the tracked file `.smartcommit`, in the section `[smartcommit]`. [The rules](rules.md) describe
what each of them does. A key that does not exist there is an error, with the key that was meant: a misspelled limit
would otherwise have no effect.

"""
HEAD = "| git config | variable | type | default | what it sets |\n|---|---|---|---|---|\n"
# The name of a type, and its form in JSON Schema.
TYPES: dict[object, tuple[str, dict[str, object]]] = {
    parse_boolean: ("true or false", {"type": "boolean"}),
    parse_count: ("number", {"type": "integer", "minimum": 1, "maximum": 999999999}),
    parse_text: ("text", {"type": "string"}),
    parse_language: ("text", {"type": "string", "maxLength": 40}),
    parse_prefix: ("text", {"type": "string", "minLength": 1, "maxLength": 40}),
    parse_instructions: ("text", {"type": "string", "maxLength": 2000}),
    parse_words: ("list", {"type": "array", "items": {"type": "string"}}),
    parse_names: (
        "list",
        {"type": "array", "items": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"}, "minItems": 1},
    ),
    parse_scopes: (
        "list",
        {"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_./@-]*$"}, "minItems": 1},
    ),
    parse_headers: ("entries", {"type": "array", "items": {"type": "string"}}),
    parse_tools: ("entries", {"type": "array", "items": {"type": "string"}, "maxItems": 20}),
    parse_lines: ("entries", {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 20}),
}
# Where a setting is described, by its name.
LINKS = {
    "provider": "[the servers](model.md#servers-by-name), [programs](model.md#a-program-instead-of-a-server)",
    "command": "[programs](model.md#a-program-instead-of-a-server)",
    "api-key": "[keys](model.md#keys)",
    "refine-message": "[what it does](model.md#refining-a-message-of-your-own)",
    "split-hooks": "[what may change](split-reference.md#hooks-that-change-messages)",
    "attribution": "[the rule](rules.md#attribution)",
    "execute-prefix": "[the executor](executor.md)",
}
# Lists that are too long for a table.
LONG = {
    "errors": "[codes of rules](rules.md)",
    "warnings": "[codes of rules](rules.md)",
    "off": "[codes of rules](rules.md)",
}


def make_page() -> str:
    """Return the page with a table of the personal settings and one of the project's."""
    tables: dict[bool, list[str]] = {False: [], True: []}
    for key in KEYS:
        tables[key.policy].append(make_row(key))
    return TOP + HEAD + "".join(tables[False]) + PROJECT_TOP + HEAD + "".join(tables[True])


def make_row(key: Key) -> str:
    """Return the row of a setting."""
    kind = TYPES[key.parse][0]
    if key.choices:
        choices = LONG.get(key.name) or ", ".join(f"`{choice}`" for choice in key.choices)
        kind = f"list of {choices}" if kind == "list" else f"one of {choices}"
    remarks = [key.help]
    if key.kind == SECRET:
        remarks.append("never shown")
    if key.kind == JOINT:
        remarks.append("a person's entries and the project's both count")
    if key.name in LINKS:
        remarks.append(f"see {LINKS[key.name]}")
    cells = [f"`{key.git_name}`", f"`{key.variable}`", kind, show_default(key), "; ".join(remarks)]
    return f"| {' | '.join(cells)} |\n"


def show_default(key: Key) -> str:
    """Return what holds if nothing is set."""
    if isinstance(key.default, bool):
        return str(key.default).lower()
    if key.default in (None, ()):
        return key.unset
    return str(key.default)


def make_schema() -> dict[str, object]:
    """Return a schema of the settings, whose definition `policy` is of those that a project may set."""
    properties: dict[str, object] = {}
    policy: dict[str, object] = {}
    for key in KEYS:
        name = key.git_name.removeprefix("smartcommit.")
        properties[name] = describe(key)
        if key.policy:
            policy[name] = {"$ref": f"#/properties/{name}"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of smartcommit",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": {"policy": {"type": "object", "properties": policy, "additionalProperties": False}},
    }


def describe(key: Key) -> dict[str, object]:
    """Return the schema of one setting."""
    form = dict(TYPES[key.parse][1])
    if key.choices and form["type"] == "array":
        form["items"] = {"enum": list(key.choices)}
    elif key.choices:
        form = {"enum": list(key.choices)}
    if key.default is not None:
        form["default"] = list(key.default) if isinstance(key.default, tuple) else key.default
    if key.kind == SECRET:
        form["writeOnly"] = True
    return {"description": key.help, **form}


def write_pages(folder: Path) -> None:
    """Write the page and the schema into `folder`."""
    (folder / PAGE).write_text(make_page())
    (folder / SCHEMA).write_text(json.dumps(make_schema(), indent=2) + "\n")


if __name__ == "__main__":
    write_pages(FOLDER)
