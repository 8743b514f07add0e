"""The reference, and the JSON Schema of the settings, which are made from the code."""

import json
import runpy
from pathlib import Path

import jsonschema

from smartcommit.settings import KEYS
from tests.conftest import ROOT
from tests.support.commands import Command
from tests.support.repository import Repo
from tests.support.table import rows

MAKER = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))
SCHEMA = json.loads((ROOT / "docs" / "settings.schema.json").read_text())


def test_the_pages_are_those_of_the_code(tmp_path: Path) -> None:
    """If this fails, run `make docs`."""
    MAKER["write_pages"](tmp_path)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert sorted(made) == ["reference.md", "settings.schema.json"]
    assert [name for name in made if made[name] != (ROOT / "docs" / name).read_text()] == []


def test_links_are_those_of_settings() -> None:
    assert set(MAKER["LINKS"]) | set(MAKER["LONG"]) <= {key.name for key in KEYS}


def test_values_of_settings_fit_the_schema(inside: Repo, smartcommit: Command) -> None:
    inside.write(
        ".smartcommit", "[smartcommit]\n\ttypes = feat fix\n\trequired = plan\n\timperative\n\tlineLimit = 80\n"
    )
    shown = smartcommit("config", "--json")
    values = {}
    for name, row in json.loads(shown.out).items():
        if row["value"] is not None:
            values[name.removeprefix("smartcommit.")] = row["value"]
    assert len(values) > 20
    jsonschema.validate(values, SCHEMA)


@rows(
    ("policy", "valid"),
    ({"types": ["feat"], "summaryLimit": 72, "imperative": True}, True),
    ({"apiBase": "http://models.example"}, False),
    ({"summaryLimit": 0}, False),
    ({"types": ["Feat"]}, False),
    ({"required": ["tests"]}, False),
    ({"signOff": "maybe"}, False),
)
def test_the_schema_of_a_policy_takes_what_a_project_may_set(policy: dict[str, object], *, valid: bool) -> None:
    schema = {**SCHEMA, "properties": SCHEMA["properties"], "$ref": "#/$defs/policy"}
    checker = jsonschema.Draft202012Validator(schema)
    assert checker.is_valid(policy) is valid
