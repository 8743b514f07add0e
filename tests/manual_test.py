"""The manual pages and the help of commands."""

import subprocess
import sys
from pathlib import Path

from smartcommit.cli import COMMANDS
from tests.conftest import ROOT
from tests.support.commands import Command
from tests.support.table import rows


def test_the_pages_are_those_of_the_commands(tmp_path: Path) -> None:
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
