"""Statements on files as files, and on what went from one to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.statements import files
from smartcommit.draft.embedded.statements.view import ChangeView, Statement
from smartcommit.git.diff import FileDiff
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

BODY = [f"    record_host_number(hosts[{number}])" for number in range(8)]
OTHER = [f"    report_port_number(ports[{number}])" for number in range(8)]


def said(source: Callable[[ChangeView], Iterator[Statement]], *diffs: FileDiff) -> list[tuple[str, float]]:
    return [(statement.text, round(statement.share, 2)) for statement in source(ChangeView(ChangeFacts(diffs)))]


def test_a_rename_explains_the_lines_that_mention_the_file() -> None:
    renamed = make_diff("src/hosts.py", make_hunk(["a = 1"], ["a = 2"]), status="R", old_path="src/nodes.py")
    user = make_diff("src/main.py", make_hunk(["hosts.read(a)", "b = 2"], ["nodes.read(a)", "b = 1"]))
    assert said(files.say_renames, renamed, user) == [("rename nodes.py to hosts.py", 0.33)]
    assert said(files.say_renames, renamed) == []  # all that happened, which is said otherwise


def test_a_removed_file_is_named_unless_its_lines_went_elsewhere() -> None:
    removed = make_diff("src/nodes.py", make_hunk([], BODY), status="D")
    user = make_diff("src/main.py", make_hunk([], ["import nodes"]))
    assert said(files.say_removed, removed, user) == [("remove nodes.py", 1.0)]
    assert said(files.say_removed, removed, make_diff("src/main.py", make_hunk(BODY))) == []


def test_what_went_to_a_new_file_was_extracted() -> None:
    source = make_diff("src/main.py", make_hunk(["import hosts"], ["def record():", *BODY]))
    new = make_diff("src/hosts.py", make_hunk(["def record():", *BODY]), status="A")
    existing = make_diff("src/hosts.py", make_hunk(["def record():", *BODY]))
    assert said(files.say_moved_lines, source, new)[0] == ("extract record to hosts.py", 1.0)
    assert said(files.say_moved_lines, source, existing) == [("move record to hosts.py", 1.0)]
    assert said(files.say_moved_lines, source, make_diff("src/hosts.py", make_hunk(OTHER))) == []


def test_a_file_can_be_split_or_merged_with_another() -> None:
    whole = make_diff("src/all.py", make_hunk([], [*BODY, *OTHER]), status="D")
    parts = [
        make_diff("src/hosts.py", make_hunk(BODY), status="A"),
        make_diff("src/ports.py", make_hunk(OTHER), status="A"),
    ]
    assert said(files.say_moved_lines, whole, *parts) == [("split all.py into hosts.py and ports.py", 1.0)]
    gone = [
        make_diff("src/hosts.py", make_hunk([], BODY), status="D"),
        make_diff("src/ports.py", make_hunk([], OTHER), status="D"),
    ]
    merged = make_diff("src/all.py", make_hunk([*BODY, *OTHER]), status="A")
    assert said(files.say_moved_lines, *gone, merged) == [("merge hosts.py and ports.py into all.py", 1.0)]


@rows(
    ("before", "after", "text"),
    [
        ("# Copyright 2019-2024 Hosts", "# Copyright 2019-2025 Hosts", "update copyright year to 2025"),
        ("# Copyright 2024 Hosts", "# Copyright 2024-present Hosts", "update copyright years"),
        ("# Copyright 2024 Hosts", "# Copyright 2025 Ports", None),
        ("# Since 2024", "# Since 2025", None),
    ],
)
def test_only_years_of_copyright_are_told(before: str, after: str, text: str | None) -> None:
    diff = make_diff("src/hosts.py", make_hunk([after], [before]))
    assert said(files.say_copyright, diff) == ([] if text is None else [(text, 1.0)])
