"""The split plan, and one that was written down: what is read of it, what is refused, what names its units."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.hunks import ChangeUnits
from smartcommit.split.plan import Issue, PlannedCommit, SplitPlan
from smartcommit.split.plan_file import print_plan, read_plan
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of
from tests.support.situations_split import FORTY, HOSTILE_NAMES, SITUATIONS, edited
from tests.support.table import rows

BASE, TARGET = "1" * 40, "2" * 40


@pytest.fixture
def pieces(based: Repo) -> ChangeUnits:
    """Two hunks of one file, and new files whose names are hard to write down."""
    SITUATIONS["two_far_hunks"](based)
    for name in HOSTILE_NAMES:
        based.write(name, "x\n")
    return pieces_of(based)


def plan_of(pieces: ChangeUnits) -> SplitPlan:
    half = len(pieces.units) // 2
    commits = (
        PlannedCommit("feat: add é\n\n- one\n", tuple(pieces.units[:half])),
        PlannedCommit("chore: rest\n", tuple(pieces.units[half:-1]), open=True),
    )
    skipped = (pieces.units[-1],)
    return SplitPlan(
        BASE, TARGET, staged=False, engine="embedded", commits=commits, left_out=(b"n\xff/",), skipped=skipped,
        confidence=0.71, change=pieces,
    )  # fmt: skip


def test_a_plan_survives_being_written(pieces: ChangeUnits) -> None:
    plan = plan_of(pieces)
    text = print_plan(plan)
    assert text.isascii()
    assert not any("oid" in commit for commit in json.loads(text)["commits"]), "nothing was made yet"
    assert read_plan(text).bind(pieces, base=BASE, target=TARGET) == plan


@rows("text", "[" * 100_000, "", "[]", "{}", '{"version": 1}', "null", '"text"', '{"version": 1, "commits": 3}')
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(SplitError, match="not a split plan"):
        read_plan(text)


def test_every_unit_tells_where_it_is(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": FORTY, "old.txt": FORTY[::-1]})
    based.git("mv", "old.txt", "new.txt")
    based.write("a.txt", edited(FORTY, 3).replace("line 30\n", "thirty\nmore\n"))
    fields = json.loads(print_plan(plan_of(pieces_of(based))))
    units = [*(unit for commit in fields["commits"] for unit in commit["units"]), *fields["skipped"]]
    parts = ("id", "status", "path", "old_path", "hunks")
    assert [tuple(unit[part] for part in parts) for unit in units] == [
        ("a.txt::1", "M", "a.txt", None, [{"old_start": 4, "old_lines": 1, "new_start": 4, "new_lines": 1}]),
        ("a.txt::2", "M", "a.txt", None, [{"old_start": 31, "old_lines": 1, "new_start": 31, "new_lines": 2}]),
        ("new.txt::1", "R", "new.txt", "old.txt", []),
    ]


@rows(
    ("part", "value", "problem"),
    ("id", "a.txt::2", r"'a\.txt::2' \(text, .* has the fingerprint of 'a\.txt::1' \(text, "),
    ("id", "b.txt::1", r"'b\.txt::1' \(text, .* has the fingerprint of 'a\.txt::1' \(text, "),
    ("path", "b.txt", r"'a\.txt::1' \(text, path 'b\.txt'\) has .* 'a\.txt::1' \(text, path 'a\.txt'\)"),
    ("kind", "file", r"'a\.txt::1' \(file, .* has the fingerprint of 'a\.txt::1' \(text, "),
)
def test_what_disagrees_with_a_fingerprint_is_refused(pieces: ChangeUnits, part: str, value: str, problem: str) -> None:
    fields = json.loads(print_plan(plan_of(pieces)))
    unit = next(unit for commit in fields["commits"] for unit in commit["units"] if unit["id"] == "a.txt::1")
    unit[part] = value
    with pytest.raises(SplitError, match=problem):
        read_plan(json.dumps(fields)).bind(pieces, base=BASE, target=TARGET)


HUNK = {"old_start": 1, "old_lines": 1, "new_start": 1, "new_lines": 1}
UNIT = {"id": "a.txt::1", "kind": "text", "fingerprint": "0" * 40, "path": "a.txt", "hunks": [HUNK]}
WRITTEN = {
    "version": 1, "base": BASE, "target": TARGET, "staged": False, "engine": "embedded",
    "commits": [{"message": "chore: a\n", "units": [UNIT]}], "skipped": [{**UNIT, "id": "a.txt::2"}],
    "left_out": ["b/"], "issues": [{"message": "odd", "path": "a.txt"}], "gitignore": ["*.bak"],
}  # fmt: skip


def test_what_does_not_concern_it_may_be_absent_or_new() -> None:
    read = read_plan(json.dumps(WRITTEN))
    assert (read.issues, read.gitignore) == ((Issue("odd", "a.txt"),), ("*.bak",))
    fields: dict[str, Any] = {**WRITTEN, "new": 1, "base": None}
    del fields["issues"], fields["gitignore"]
    read = read_plan(json.dumps(fields))
    assert (read.base, read.issues, read.gitignore) == (None, (), ())


BENT: dict[str, tuple[str, Callable[[Any], object]]] = {
    "a version that is true": ("version", lambda old: True),
    "a base that is a number": ("base", int),
    "no target": ("target", lambda old: None),
    "staged as a number": ("staged", lambda old: 0),
    "an engine that is a list": ("engine", lambda old: [old]),
    "commits by name": ("commits", lambda old: {"1": old[0]}),
    "a message that is a number": ("commits", lambda old: [{**old[0], "message": 1}]),
    "a commit whose title is open by a number": ("commits", lambda old: [{**old[0], "open": 1}]),
    "a kind that there is not": ("commits", lambda old: [{**old[0], "units": [{**UNIT, "kind": "line"}]}]),
    "a unit at a path that no file can have": ("skipped", lambda old: [{**UNIT, "path": "\ud800"}]),
    "a line that is text": ("skipped", lambda old: [{**UNIT, "hunks": [{**HUNK, "old_start": "1"}]}]),
    "a path that no file can have": ("left_out", lambda old: ["\ud800"]),
    "an issue without a text": ("issues", lambda old: [{"message": None, "path": ""}]),
    "patterns as text": ("gitignore", lambda old: "*.bak"),
}


@rows("name", *BENT)
def test_a_value_of_another_type_is_refused(name: str) -> None:
    field, bend = BENT[name]
    with pytest.raises(SplitError, match="not a split plan"):
        read_plan(json.dumps({**WRITTEN, field: bend(WRITTEN[field])}))


def test_a_later_version_is_refused(pieces: ChangeUnits) -> None:
    with pytest.raises(SplitError, match="version 2"):
        read_plan(json.dumps({**WRITTEN, "version": 2}))


@rows(
    ("old", "new", "base", "target", "said"),
    ("", "", TARGET, TARGET, "HEAD is not the commit"),
    ("", "", BASE, BASE, "files have changed"),
    ("edited 30", "edited otherwise", BASE, BASE, r"'a\.txt::2' has changed"),
    # Units that are only elsewhere now have not changed.
    ("line 0", "new\nline 0", BASE, BASE, r"files have changed .*'a\.txt::1' is not in the plan"),
)
def test_a_plan_for_another_change_is_outdated(
    based: Repo, pieces: ChangeUnits, old: str, new: str, base: str, target: str, said: str
) -> None:
    written, text = read_plan(print_plan(plan_of(pieces))), (based.path / "a.txt").read_text()
    with pytest.raises(SplitPlanOutdated, match="the plan covers all changes"):
        written.bind(pieces, base=BASE, target=TARGET, staged=True)
    based.write("a.txt", text.replace(old, new, 1) if old else text)
    with pytest.raises(SplitPlanOutdated, match=said):
        written.bind(pieces_of(based), base=base, target=target)
    based.write("a.txt", text)


def test_units_are_put_in_the_order_of_the_change(pieces: ChangeUnits) -> None:
    plan = plan_of(pieces)
    backwards = [replace(commit, units=commit.units[::-1]) for commit in plan.commits]
    assert plan.with_commits(backwards) == plan
    strange = PlannedCommit("chore: x\n", (replace(pieces.units[0], id="z::9"),))
    with pytest.raises(SplitError, match="'z::9' is not part of the change"):
        plan.with_commits([strange])


@rows(
    ("bend", "reason"),
    (lambda commits: commits[:1], "is not in any commit"),
    (lambda commits: (*commits, commits[0]), "is in more than one commit"),
    (lambda commits: (*commits, PlannedCommit("chore: x\n", ())), "without changes"),
    (lambda commits: (*commits, PlannedCommit("chore: x\n", (replace(commits[0].units[0], id="z::9"),))), "no part"),
)
def test_a_plan_that_does_not_fit_is_refused(
    pieces: ChangeUnits, bend: Callable[[tuple[PlannedCommit, ...]], tuple[PlannedCommit, ...]], reason: str
) -> None:
    plan = plan_of(pieces)
    with pytest.raises(SplitError, match=reason.replace("no part", "not part")):
        replace(plan, commits=bend(plan.commits)).check()


def test_ids_are_good_for_one_snapshot_and_fingerprints_for_all(based: Repo) -> None:
    SITUATIONS["two_far_hunks"](based)
    before = pieces_of(based)
    assert [unit.id for unit in before.units] == ["a.txt::1", "a.txt::2"]
    based.write("a.txt", "new first\n" + (based.path / "a.txt").read_text())
    after = pieces_of(based)
    assert [unit.id for unit in after.units] == ["a.txt::1", "a.txt::2", "a.txt::3"]
    assert [unit.fingerprint for unit in after.units][1:] == [unit.fingerprint for unit in before.units]


def test_equal_edits_of_one_file_have_fingerprints_of_their_own(based: Repo) -> None:
    based.commit("chore: a", {"a.txt": "x\ny\n" * 10})
    based.write("a.txt", "x\ny\n" * 3 + "z\n" + "x\ny\n" * 4 + "z\n" + "x\ny\n" * 3)
    units = pieces_of(based).units
    assert len({unit.fingerprint for unit in units}) == len(units) == 2
