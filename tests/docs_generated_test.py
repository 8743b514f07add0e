"""What is made from the code: the reference, the JSON Schema of the settings, the manual pages and the pictures."""

import html
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import jsonschema

from smartcommit.cli import COMMANDS
from smartcommit.commands.demo import DISCOUNT, HOOKS
from smartcommit.settings import KEYS
from tests.conftest import ROOT
from tests.support.commands import Command
from tests.support.repository import Repo
from tests.support.table import rows

MAKER = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))
SCHEMA = json.loads((ROOT / "docs" / "settings.schema.json").read_text())
PICTURE = ROOT / "docs" / "demo.svg"
PANES = ROOT / "docs" / "panes.svg"


def test_the_reference_is_that_of_the_code(tmp_path: Path) -> None:
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


def test_the_manual_pages_are_those_of_the_commands(tmp_path: Path) -> None:
    """If this fails, run `make docs`."""
    script = (
        "import runpy, sys; from pathlib import Path; runpy.run_path(sys.argv[1])['write_pages'](Path(sys.argv[2]))"
    )
    arguments = [str(ROOT / "docs" / "make_manual.py"), str(tmp_path)]
    subprocess.run([sys.executable, "-c", script, *arguments], cwd=ROOT, check=True)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text() for path in (ROOT / "docs" / "man").iterdir()}
    assert sorted(made) == sorted(kept)
    assert [name for name in made if made[name] != kept[name]] == []
    assert "See \\fBsmartcommit draft \\-\\-help\\fP." in made["smartcommit.1"]


def test_the_list_of_commands_says_what_each_does_in_a_whole_sentence(smartcommit: Command) -> None:
    shown = " ".join(smartcommit("--help").out.split())
    for name, text in COMMANDS.items():
        assert f" {name} {text[0].upper()}{text[1:]}." in shown


@rows("name", "agents", "execute", "plan")
def test_no_sentence_about_a_subcommand_is_cut_off(smartcommit: Command, name: str) -> None:
    commands = smartcommit(name, "--help").out.partition("Commands:\n")[2]
    assert commands.count("\n") > 3
    assert "..." not in commands


def read_texts(picture: Path) -> list[str]:
    texts = re.findall(r"<text [^>]*>(.*?)</text>", picture.read_text())
    return [html.unescape(text).replace("\xa0", " ") for text in texts]


def test_the_picture_has_commands_of_the_demo() -> None:
    drawn = read_texts(PICTURE)
    commands = [line.removeprefix("$ ") for line in drawn if line.startswith("$ ")]
    played = []
    for steps in HOOKS.values():
        played += [step.removeprefix("! ") for step in steps if isinstance(step, str)]
    assert len(commands) >= 5
    assert set(commands) <= set(played)


def test_the_script_draws_the_lines_of_the_chosen_steps() -> None:
    script = runpy.run_path(str(Path(ROOT, "docs", "make_picture.py")))
    output = (
        "\n== Install: x\n\n$ a\n\n== Draft: y\n\n$ git add --all\n\n$ git commit\nfeat: z\n# comment\n\nNext, in a\n"
    )
    lines = script["select"](output)
    assert lines == ["", "== Draft: y", "$ git commit", "feat: z"]
    picture = script["draw"](lines)
    assert "feat:&#160;z" in picture
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_the_panes_show_the_change_of_the_demo_and_load_nothing() -> None:
    lines = "".join(read_texts(PANES)).replace(" ", "")
    for line in DISCOUNT.split():
        assert line in lines
    assert "http" not in PANES.read_text().replace("http://www.w3.org/2000/svg", "")
