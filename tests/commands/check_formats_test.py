"""The formats for CI systems: each has what its reader requires, whatever a message holds."""

import re

import pytest

from tests.support.commands import Command
from tests.support.repository import Repo


@pytest.fixture
def here(inside: Repo) -> Repo:
    """A repository with a good commit, a rejected one, one with a warning, a hostile one and a merge."""
    base = inside.commit("feat: base", {".smartcommit": "[smartcommit]\n\ttypes = feat\n\twarnings = body-blank\n"})
    inside.commit("oops, 100% wrong\nand no blank line\n\nTasks [ ]:\n")
    inside.commit("feat: x\nand no blank line")
    inside.commit("feat: \x1b[31m\u202e<&>\n\n::error::forged\r\n%0A]]>")
    inside.git("checkout", "-q", "-b", "side", base)
    inside.commit("feat: side")
    inside.git("checkout", "-q", "main")
    inside.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    return inside


@pytest.mark.usefixtures("here")
def test_github_gets_one_command_for_each_message_and_no_other(smartcommit: Command) -> None:
    lines = smartcommit("check", "--range", "HEAD", "--format", "github", status=1).out.splitlines()
    assert len(lines) == 3
    commands = [
        re.fullmatch(r"::(error|warning) title=([^:,\x00-\x1f]+)::([^\x00-\x1f\u202e]+)", line) for line in lines
    ]
    assert all(commands)
    assert sorted(found[1] for found in commands if found) == ["error", "error", "warning"]
    report = next(line for line in lines if "header-form" in line)
    assert "%3A header-form%2C body-blank%2C tasks-empty::" in report
    assert "%0A  oops, 100%25 wrong%0A" in report
    assert smartcommit("check", "--range", "side", "--format", "github").out == ""


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_every_format_says_how_many_were_checked_and_takes_files(here: Repo, smartcommit: Command, form: str) -> None:
    told = smartcommit("check", "--range", "HEAD", "--format", form, status=1)
    assert told.err == "smartcommit: 6 commits checked, 1 exempt, 2 rejected\n"
    told = smartcommit("check", "--range", "side~1..side", "--format", form)
    assert told.err == "smartcommit: 1 commit checked, 0 exempt, 0 rejected\n"
    here.write("a message", "oops\n")
    shown = smartcommit("check", "a message", "--format", form, status=1)
    assert "header-form" in shown.out
    assert shown.err == ""
