"""Write `docs/reference.md` and `docs/settings.schema.json` from the code: `python docs/make_reference.py`.

The text around the tables is in `docs/reference.in`. Rules, settings and commands are tables of the code
(`smartcommit.message.rules.CODES`, `smartcommit.settings.KEYS`, click); here are examples and links to other pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from smartcommit.cli import COMMANDS, REWRITING, load_command
from smartcommit.message.rules import CODES, DEFAULT_TYPES, MEANINGS, Rules
from smartcommit.settings import (
    JOINT,
    KEYS,
    SECRET,
    Key,
    parse_boolean,
    parse_count,
    parse_form,
    parse_headers,
    parse_instructions,
    parse_language,
    parse_lines,
    parse_names,
    parse_people,
    parse_scopes,
    parse_text,
    parse_words,
)

FOLDER = Path(__file__).parent
SOURCE, PAGE, SCHEMA = "reference.in", "reference.md", "settings.schema.json"
# Of each rule, what breaks it and what does not.
EXAMPLES = {
    "empty": ("nothing left after cleanup, and no editor in which it could have been emptied", "`feat: add a flag`"),
    "encoding": ("a byte that is invalid in `i18n.commitEncoding`, or an unknown encoding", "text in that encoding"),
    "character": (
        "an escape, a zero-width space, a bidirectional override",
        "visible text; joiners between characters that need them",
    ),
    "header-form": ("`Added a flag`, `feat add a flag`, `feat!(api): x`", "`feat(api)!: x`"),
    "header-space": ("`feat:x`, `feat:  x`", "`feat: x`"),
    "header-length": ("a first line longer than `smartcommit.headerLimit`", "the rest in the description"),
    "type-unknown": ("`feature: x`; only a warning in a shallow clone without a policy", "`feat: x`"),
    "type-case": ("`Feat: x`", "`feat: x`"),
    "scope-form": ("`feat(two words): x`, `feat(): x`, `feat(api,cli): x`", "`feat(two-words): x`, `feat: x`"),
    "scope-case": ("`feat(API): x`", "`feat(api): x`, or any spelling with `scopeForm = word`"),
    "scope-unknown": ("a scope that `smartcommit.scopes` does not list", "one that it lists"),
    "scope-missing": ("`feat: x`, with `smartcommit.scope = require`", "`feat(api): x`"),
    "scope-forbidden": ("`feat(api): x`, with `smartcommit.scope = forbid`", "`feat: x`"),
    "summary-empty": ("`feat: `", "`feat: x`"),
    "summary-length": (
        "more than `smartcommit.summaryLimit` (that of the header if only `headerLimit` is set, else 120)",
        "the rest in the description",
    ),
    "summary-case": (
        "`feat: Add a flag` with `summaryCase = lower-first`, `feat: add the API` with `lower-case`",
        "that case, but for what is in quotes; a word such as `GitHub` is not changed by a proposal",
    ),
    "summary-stop": ("`feat: add a flag.`, with `smartcommit.fullStop = forbid`", "`feat: add a flag`; an ellipsis"),
    "summary-imperative": ("`feat: added a flag`, with `smartcommit.imperative`", "`feat: add a flag`"),
    "body-blank": ("text directly below the header", "a blank line in between"),
    "line-break": (r"`git commit -m 'feat: x\n\nWhy.'`", "`git commit -m 'feat: x' -m 'Why.'`"),
    "line-length": (
        "a line longer than `smartcommit.lineLimit`, a trailer longer than `trailerLimit`",
        "a wrapped line, or one with a URL",
    ),
    "section-blank": ("a section directly below other text", "a blank line above it"),
    "section-duplicate": ("two `Constraints:` sections", "one"),
    "section-order": (
        "`Constraints:` below the tasks, or a section among the trailers",
        "constraints, tasks, trailers",
    ),
    "section-text": ("prose below a section", "the description above the sections"),
    "section-missing": ("a part that `smartcommit.required` lists is missing", "a message with that part"),
    "constraints-heading": ("`constraints:`, or `Constraints: some`", "`Constraints:` or `Constraints: none`"),
    "constraints-item": ("`  - Never: x`, `* Never: x`", "`- Never: x`"),
    "constraints-prefix": ("`- keep the API`", "`- Do not: break the API`"),
    "constraints-case": ("`- never: x`", "`- Never: x`"),
    "constraints-none": ("`Constraints: none` above items", "one or the other"),
    "constraints-empty": ("`Constraints:` alone, above `Tasks [ ]:`", "`Constraints: none`, or items"),
    "tasks-heading": ("`tasks [ ]:`, or `Tasks:` below `Constraints: none`", "`Tasks [ ]:`"),
    "tasks-case": ("`Tasks [x]:`, `- [X] a`", "`Tasks [X]:`, `- [x] a`"),
    "tasks-item": ("`- a`, `- [?] a`, `- [ ]`", "`- [ ] a: details`"),
    "tasks-indent": ("a tab, three spaces, a skipped level", "two spaces per level"),
    "tasks-depth": ("a fifth level", "four levels"),
    "tasks-id": ("two siblings with the same summary, or one of punctuation only", "other letters or digits"),
    "tasks-parent": ("`- [x]` above an open child", "`- [ ]`; a parent's state is its children's"),
    "tasks-state": ("`Tasks [X]:` above an open task, or without tasks", "`Tasks [ ]:`"),
    "tasks-empty": ("`Tasks [ ]:` alone", "tasks, or no section"),
    "ticket": ("no line matches `smartcommit.ticket`", "a line with the ticket, in that form"),
    "attribution": (
        "`Co-authored-by: Claude <noreply@anthropic.com>`, `Made with [Cursor](https://cursor.com)`",
        "with `attribution = forbid`: none",
    ),
    "sign-off": (
        "a commit without `Signed-off-by`, with `smartcommit.signOff = require`",
        "`Signed-off-by: Ada Lovelace <ada@example.com>` among the trailers",
    ),
    "claims": (
        "`fix: stop old_thing early` where no line and no path has `old_thing`; `test: cover it` where no test changes",
        "what the lines and the paths show",
    ),
    "autosquash": (
        "`fixup! x` without a commit `x`; in a range, any fixup that is left",
        "`git rebase -i --autosquash`",
    ),
}
# The name of a type, and its form in JSON Schema.
TYPES: dict[object, tuple[str, dict[str, object]]] = {
    parse_boolean: ("true or false", {"type": "boolean"}),
    parse_count: ("number", {"type": "integer", "minimum": 1, "maximum": 999999999}),
    parse_text: ("text", {"type": "string"}),
    parse_form: ("text", {"type": "string"}),
    parse_language: ("text", {"type": "string", "maxLength": 40}),
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
    parse_people: ("entries", {"type": "array", "items": {"type": "string", "maxLength": 200}}),
    parse_lines: ("entries", {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 20}),
}
# Where a setting is described, by its name.
LINKS = {
    "provider": "[the servers](model.md#servers-by-name)",
    "command": "[programs](model.md#a-program-instead-of-a-server)",
    "api-key": "[keys](model.md#keys)",
    "split-hooks": "[what may change](splitting.md#hooks-that-change-messages)",
    "attribution": "[the rule](#attribution)",
}
# Lists that are too long for a table.
LONG = dict.fromkeys(("errors", "warnings", "off"), "[codes of rules](#rules)")


def make_page() -> str:
    """Return the page: the text of the template with the tables in place of their names."""
    text = FOLDER.joinpath(SOURCE).read_text()
    parts = {
        "rules": make_rules(text),
        "types": make_types(),
        "personal": make_settings(policy=False),
        "project": make_settings(policy=True),
        "commands": make_commands(),
    }
    return re.sub(r"^\{(\w+)\}$", lambda match: parts[match[1]], text, flags=re.MULTILINE)


def make_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def make_rules(text: str) -> str:
    """Return the table of the rules; one that `text` says more about is a link to its heading there."""
    rows = []
    for code, reason in CODES.items():
        name = f"[`{code}`](#{code})" if f"\n### {code}\n" in text else f'<a name="{code}"></a>`{code}`'
        rows.append((name, Rules().level(code), reason, *EXAMPLES[code]))
    return make_table(("rule", "level", "why", "bad", "good"), rows)


def make_types() -> str:
    """Return the table of the default types."""
    return make_table(("type", "a change that"), [(f"`{name}`", MEANINGS[name]) for name in DEFAULT_TYPES])


def make_settings(*, policy: bool) -> str:
    """Return the table of the settings that a project can set, or of the others."""
    rows = [make_row(key) for key in KEYS if key.policy is policy]
    return make_table(("git config", "type", "default", "what it sets"), rows)


def make_row(key: Key) -> tuple[str, ...]:
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
    return f"`{key.git_name}`", kind, show_default(key), "; ".join(remarks)


def make_commands() -> str:
    """Return the tables of the commands: those of `git smart-commit`, each group, and all others together."""
    commands = {name: load_command(name) for name in COMMANDS}
    rewriting = {name: commands.pop(name) for name in ("split", *REWRITING)}
    parts = ["### git smart-commit", "Each is a command of `smartcommit` as well; `split` is what runs without a name."]
    parts += describe_commands(rewriting)
    parts.append((rewriting["split"].epilog or "").partition("\n\n")[2])
    for name, command in list(commands.items()):
        if isinstance(command, click.Group):
            del commands[name]
            parts += [f"### smartcommit {name}", format_help(command), *describe_commands(command.commands)]
    parts += ["### Other commands of smartcommit", *describe_commands(commands)]
    return "\n\n".join(parts)


def describe_commands(commands: Mapping[str, click.Command]) -> list[str]:
    """Return a table of `commands`, and one of their options with the commands that take them."""
    usages = []
    options: dict[tuple[str, str], list[str]] = {}
    for name, command in commands.items():
        context = click.Context(command, info_name=name)
        usage = " ".join([name, *command.collect_usage_pieces(context)]).replace(" [OPTIONS]", "")
        usages.append((f"`{usage}`", format_help(command)))
        for parameter in command.params:
            record = parameter.get_help_record(context)
            if record and isinstance(parameter, click.Option):
                options.setdefault(record, []).append(name)
    rows = []
    for (form, text), takers in options.items():
        of = "all" if len(takers) == len(commands) else ", ".join(takers)
        rows.append((f"`{form}`", of, text.replace("\n", " ")))
    return [make_table(("command", "what it does"), usages), make_table(("option", "of", "what it does"), rows)]


def format_help(command: click.Command) -> str:
    """Return the help of `command` on one line."""
    assert command.help, f"nothing says what '{command.name}' does"
    return " ".join(command.help.replace("\b", "").split())


def show_default(key: Key) -> str:
    """Return what holds if nothing is set."""
    if isinstance(key.default, bool):
        return str(key.default).lower()
    if key.default in (None, (), ""):
        return key.unset
    if isinstance(key.default, tuple):
        return " ".join(f"`{word}`" for word in key.default)
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
