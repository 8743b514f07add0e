"""The names on one side of a change."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts, SideNames
from tests.support.changes import make_diff, make_hunk


def test_names_of_one_side_are_known_whole() -> None:
    hunk = make_hunk(["def read_host():"], ["def parse_user_id():"])
    files = ChangeFacts([make_diff("a.py", hunk)]).files
    removed = SideNames(files, "removed")
    assert removed.have("parse_user_id")
    assert not removed.have("user_id")
    assert not removed.have("read_host")
    assert SideNames(files, "added").have("read_host")


def test_the_name_of_a_deleted_file_is_gone() -> None:
    files = ChangeFacts([make_diff("lib/old_store.py", status="D")]).files
    assert SideNames(files, "removed").have("old_store")
    assert not SideNames(files, "added").have("old_store")
