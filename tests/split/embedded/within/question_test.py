"""The question about lines that could be a commit of their own, on a real terminal and without one."""

from __future__ import annotations

import json

import pytest

from smartcommit.split.engine import EngineOptions
from smartcommit.split.flow import CANCELLED, DONE, SplitOptions
from tests.split.embedded.within.divide_test import APP, CODE, commit_before, patches_since
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.splitting import head_of, run_with
from tests.support.tty import run_on_terminal

QUESTION = "commit these lines on their own? [y/N]"


@pytest.fixture
def doubtful(based: Repo) -> Repo:
    """A new function with its use, which may be one commit or two."""
    used = APP.replace("f.write(text)", "f.write(clean(text))")
    commit_before(
        based,
        {"app.py": APP},
        {
            "app.py": used.replace(
                "def store", "def clean(text):\n    text = text.strip()\n    return text\n\n\ndef store"
            )
        },
    )
    return based


@pytest.mark.parametrize(("answer", "count"), [("y", 2), ("YES", 2), ("n", 1), ("", 1), ("?\ny", 2)])
def test_the_lines_are_shown_and_the_answer_decides(
    installation: Installation, doubtful: Repo, answer: str, count: int
) -> None:
    old = head_of(doubtful)
    command = [installation.script("git-smart-commit")]
    shown, status = run_on_terminal(command, cwd=doubtful.path, answers=f"{answer}\ny\n")
    assert status == DONE, shown
    assert "lines of new definitions could be a commit of their own:" in shown
    assert "+def clean(text):" in shown
    assert shown.count(QUESTION) == 1 + answer.count("?")
    assert "commits or" not in shown
    assert len(patches_since(doubtful, old)) == count


def test_q_quits_and_changes_nothing(installation: Installation, doubtful: Repo) -> None:
    before = doubtful.state()
    shown, status = run_on_terminal([installation.script("git-smart-commit")], cwd=doubtful.path, answers="q\n")
    assert (status, QUESTION in shown) == (CANCELLED, True)
    assert doubtful.state() == before


def test_without_a_terminal_the_plan_names_the_number_that_gives_the_other_plan(doubtful: Repo) -> None:
    old = head_of(doubtful)
    status, shown, _ = run_with(doubtful, SplitOptions(), yes=False)
    assert status == CANCELLED
    assert "lines of new definitions in app.py could be a commit of their own: '--count 2'" in shown
    other = json.loads(run_with(doubtful, SplitOptions(json=True), yes=False)[1])["other"]
    assert (other["kind"], other["count"]) == ("new definitions", 2)
    assert {hunk["path"] for hunk in other["hunks"]} == {"app.py"}
    assert run_with(doubtful, SplitOptions(choice=EngineOptions(count=2)))[0] == DONE
    first, second = patches_since(doubtful, old)
    assert "+def clean(text):" in first
    assert "+        f.write(clean(text))" in second


@pytest.mark.parametrize(("setting", "count"), [("false", 1), ("true", 2)])
def test_indentation_under_a_changed_block_goes_with_it_unless_a_setting_says_otherwise(
    based: Repo, setting: str, count: int
) -> None:
    base = CODE.replace("  return found;\n", "  count(found);\n  return found;\n")
    changed = base.replace("  count(found);\n", "  if (found)\n    count(found);\n")
    old = commit_before(based, {"port.c": base}, {"port.c": changed})
    based.git("config", "smartcommit.splitIndentation", setting)
    assert run_with(based, SplitOptions())[0] == DONE
    assert len(patches_since(based, old)) == count
