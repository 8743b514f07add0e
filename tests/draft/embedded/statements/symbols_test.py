"""Statements on definitions, with names as they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.statements import symbols
from smartcommit.draft.embedded.statements.view import ChangeView, Statement
from smartcommit.git.diff import FileDiff
from tests.support.changes import make_diff, make_hunk


def said(source: Callable[[ChangeView], Iterator[Statement]], *diffs: FileDiff) -> list[str]:
    return [statement.text for statement in source(ChangeView(ChangeFacts(diffs)))]


def test_definitions_keep_their_names() -> None:
    added = make_diff("src/hosts.py", make_hunk(["def read_all_hosts():", "    return 1"]))
    assert said(symbols.say_definitions, added) == ["add read_all_hosts"]
    word = make_diff("src/hosts.py", make_hunk(["def select():", "    return 1"]))
    assert said(symbols.say_definitions, word) == ["add select to hosts.py"]
    variable = make_diff("main.tf", make_hunk([], ['variable "host_name" {', "}"]))
    assert said(symbols.say_definitions, variable) == ["remove host_name variable"]


def test_what_another_file_loses_is_not_new() -> None:
    lines = ["def read_all_hosts():", "    return 1"]
    moved = make_diff("src/hosts.py", make_hunk(lines)), make_diff("src/main.py", make_hunk([], lines))
    assert said(symbols.say_definitions, *moved) == []
    assert said(symbols.say_definitions, make_diff("src/hosts.py", make_hunk(["def _read_hosts():"]))) == []


def test_the_only_new_test_is_named() -> None:
    one = make_diff("tests/test_hosts.py", make_hunk(["def test_hosts_have_names():"]))
    quoted = make_diff("tests/hosts.test.ts", make_hunk(["it('has names', () => {"]))
    assert said(symbols.say_new_test, one) == ["add test_hosts_have_names"]
    assert said(symbols.say_new_test, quoted) == ['add "has names" test']
    assert said(symbols.say_new_test, one, quoted) == []
    assert said(symbols.say_new_test, one, make_diff("src/hosts.py", make_hunk(["a = 1"]))) == []
