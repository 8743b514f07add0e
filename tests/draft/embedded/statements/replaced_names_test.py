"""Statements on renamed identifiers and new options."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.statements.replaced_names import say_options, say_renames
from smartcommit.draft.embedded.statements.view import ChangeView
from tests.draft.embedded.statements.literals_test import diff


def test_a_renamed_definition_is_a_rename_and_another_name_is_not() -> None:
    renamed = ChangeView(ChangeFacts([diff("a.py", "def load():\nload()", "def read():\nread()")]))
    assert [(found.text, found.type) for found in say_renames(renamed)] == [("rename load to read", "refactor")]
    used = ChangeView(ChangeFacts([diff("a.py", "x = load()\ny = load()", "x = read()\ny = read()")]))
    assert not list(say_renames(used))


def test_an_option_is_one_that_is_declared() -> None:
    declared = diff("a.py", "", 'parser.add_argument("--dry-run")')
    mentioned = diff("a.py", "", 'run("--dry-run")')
    renamed = diff("a.py", 'add_argument("--dry-run", 1)', 'add_argument("--dry-run")')
    assert [found.text for found in say_options(ChangeView(ChangeFacts([declared])))] == ["add --dry-run option"]
    assert not list(say_options(ChangeView(ChangeFacts([mentioned]))))
    assert not list(say_options(ChangeView(ChangeFacts([renamed]))))
