"""Statements on renamed identifiers, replaced parts of names, and new options."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.statements.replaced_names import say_options, say_renames, say_replaced_parts
from smartcommit.draft.embedded.statements.view import ChangeView
from tests.draft.embedded.statements.literals_test import diff


def test_a_renamed_definition_is_a_rename_and_another_name_is_not() -> None:
    renamed = ChangeView(ChangeFacts([diff("a.py", "def load():\nload()", "def read():\nread()")]))
    assert [(found.text, found.type) for found in say_renames(renamed)] == [("rename load to read", "refactor")]
    used = ChangeView(ChangeFacts([diff("a.py", "x = load()\ny = load()", "x = read()\ny = read()")]))
    assert [(found.text, found.share) for found in say_renames(used)] == [("use read instead of load", 1)]


def test_the_part_that_names_have_in_common_is_replaced() -> None:
    before, after = "run_jest()\nuse_jest(x)\nJestConfig()", "run_vite()\nuse_vite(x)\nViteConfig()"
    (found,) = say_replaced_parts(ChangeView(ChangeFacts([diff("a.py", before, after)])))
    assert (found.text, found.share) == ("replace jest with vite", 1)


def test_an_option_is_one_that_is_declared() -> None:
    declared = diff("a.py", "", 'parser.add_argument("--dry-run")')
    mentioned = diff("a.py", "", 'run("--dry-run")')
    renamed = diff("a.py", 'add_argument("--dry-run", 1)', 'add_argument("--dry-run")')
    assert [found.text for found in say_options(ChangeView(ChangeFacts([declared])))] == ["add --dry-run option"]
    assert not list(say_options(ChangeView(ChangeFacts([mentioned]))))
    assert not list(say_options(ChangeView(ChangeFacts([renamed]))))
