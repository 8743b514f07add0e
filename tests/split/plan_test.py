"""The split plan: what it refuses, and its written form."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from smartcommit.errors import SplitError, SplitPlanOutdated
from smartcommit.git.hunks import Pieces, read_pieces
from smartcommit.git.repo import Repository
from smartcommit.split.plan import PlannedCommit, SplitPlan, commits_from_dicts, commits_to_dicts, from_json
from tests.support.repository import Repo
from tests.support.situations_split import HOSTILE_NAMES, SITUATIONS

BASE, TARGET = "1" * 40, "2" * 40


def pieces_of(repo: Repo) -> Pieces:
    repo.git("add", "-A")
    repository = Repository.find(str(repo.path))
    return read_pieces(repository, "HEAD", repo.git("write-tree").strip(), cut=True)


@pytest.fixture
def pieces(based: Repo) -> Pieces:
    SITUATIONS["two_far_hunks"](based)
    for name in HOSTILE_NAMES:
        based.write(name, "x\n")
    return pieces_of(based)


def plan_of(pieces: Pieces) -> SplitPlan:
    half = len(pieces.units) // 2
    commits = (
        PlannedCommit("feat: add é\n\n- one\n", tuple(pieces.units[:half])),
        PlannedCommit("chore: rest\n", tuple(pieces.units[half:-1])),
    )
    skipped = (pieces.units[-1],)
    return SplitPlan(
        BASE, TARGET, staged=False, engine="embedded", commits=commits, left_out=(b"n\xff/",), skipped=skipped
    )


def test_a_plan_survives_being_written(pieces: Pieces) -> None:
    plan = plan_of(pieces)
    text = plan.to_json()
    assert text.isascii()
    assert from_json(text, pieces.units, base=BASE, target=TARGET) == plan


def test_commits_survive_being_handled_outside_of_a_plan(pieces: Pieces) -> None:
    commits = plan_of(pieces).commits
    assert commits_from_dicts(commits_to_dicts(commits), pieces.units) == commits
    with pytest.raises(SplitError, match="'z::9' is not part of the change"):
        commits_from_dicts([{"message": "chore: x", "hunks": ["z::9"]}], pieces.units)


@pytest.mark.parametrize(
    ("bend", "reason"),
    [
        (lambda commits: commits[:1], "is in no commit"),
        (lambda commits: (*commits, commits[0]), "is in more than one commit"),
        (lambda commits: (*commits, PlannedCommit("chore: x\n", ())), "without changes"),
        (
            lambda commits: (*commits, PlannedCommit("chore: x\n", (replace(commits[0].units[0], id="z::9"),))),
            "no part",
        ),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(
    pieces: Pieces, bend: Callable[[tuple[PlannedCommit, ...]], tuple[PlannedCommit, ...]], reason: str
) -> None:
    plan = plan_of(pieces)
    with pytest.raises(SplitError, match=reason.replace("no part", "not part")):
        replace(plan, commits=bend(plan.commits)).check(pieces.units)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "", "[]", "{}", '{"version": 1}', "null", '{"version": 1, "commits": 3}']
)
def test_what_is_no_plan_is_refused(pieces: Pieces, text: str) -> None:
    with pytest.raises(SplitError, match="not a split plan"):
        from_json(text, pieces.units, base=BASE, target=TARGET)


def test_a_later_version_is_refused(pieces: Pieces) -> None:
    text = json.dumps({**json.loads(plan_of(pieces).to_json()), "version": 2})
    with pytest.raises(SplitError, match="version 2"):
        from_json(text, pieces.units, base=BASE, target=TARGET)


def test_a_plan_for_another_commit_or_tree_is_outdated(pieces: Pieces) -> None:
    text = plan_of(pieces).to_json()
    with pytest.raises(SplitPlanOutdated, match="HEAD"):
        from_json(text, pieces.units, base=TARGET, target=TARGET)
    with pytest.raises(SplitPlanOutdated, match="files"):
        from_json(text, pieces.units, base=BASE, target=BASE)


def test_a_changed_unit_is_named(based: Repo, pieces: Pieces) -> None:
    text = plan_of(pieces).to_json()
    based.write("a.txt", (based.path / "a.txt").read_text().replace("edited 30", "edited otherwise"))
    with pytest.raises(SplitPlanOutdated, match=r"a\.txt::2"):
        from_json(text, pieces_of(based).units, base=BASE, target=TARGET)


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
