"""A review without its face: what is drafted, kept together, checked and taken back."""

import random
from dataclasses import replace

import pytest

from smartcommit.errors import SplitError
from smartcommit.git.hunks import read_units
from smartcommit.git.repo import Repository
from smartcommit.message.rules import Rules
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.review.session import NEW, UNCOMMITTED, Session, refine
from tests.support.repository import Repo
from tests.support.reviewing import COMMITS, change, count_units, held, name_files, pieces_of, session_of, subjects
from tests.support.situations_split import FORTY, edited


def test_a_commit_that_is_emptied_disappears_and_keeps_its_message_as_a_new_one(session: Session) -> None:
    before = session.plan
    session.move(session.units_of(2), NEW)
    assert subjects(session) == ["feat: add login", "docs: tell about it", "build: update packages"]
    session.move(session.units_of(2), 3)
    assert held(session) == [COMMITS[0]["hunks"], ["docs/guide.md::1", *COMMITS[1]["hunks"]]]
    session.undo()
    session.undo()
    assert session.plan == before


def test_a_drafted_message_is_drafted_again_for_other_hunks_and_an_edited_one_stays(session: Session) -> None:
    app, login = session.commit(1).units[:2], session.commit(1).units[2:]
    session.move(app, NEW)
    session.move(login, 4)
    assert subjects(session)[2:] == ["chore: change src/app.py src/login.py"]
    session.move(app[1:], 2)
    session.move(app[:1], 2)
    assert subjects(session)[2] == "chore: change src/login.py"
    session.undo()
    session.set_subject(3, "chore: change src/login.py")
    session.move(session.commit(3).units[1:], 2)
    assert subjects(session)[1:] == ["docs: tell about it", "chore: change src/login.py"]


def test_a_message_is_the_branchs_until_a_person_changes_it(based: Repo) -> None:
    first = session_of(based)
    commits = [replace(commit, source="the branch") for commit in first.commits]
    session = Session(first.plan.with_commits(commits), rules=Rules(), describe=name_files)
    session.move(session.commit(1).units[:1], 2)
    assert [why.startswith("the branch speaks of it") for why in session.reasons] == [True, True, True]
    session.set_subject(1, "feat: add another login")
    assert [why.startswith("the branch speaks of it") for why in session.reasons] == [False, True, True]


def test_drafts_that_are_merged_become_one_and_other_messages_are_joined(session: Session) -> None:
    session.split(1, "hunk")
    session.merge(2, 1, 3)
    assert subjects(session)[0] == "chore: change src/app.py src/login.py"
    session.merge(2, 3, 1)
    assert session.commit(1).message == (
        "build: update packages\n\n- tell about it\n- change src/app.py src/login.py\n"
    )


def test_a_draft_is_still_one_after_its_hunks_were_cut(based: Repo) -> None:
    session = session_of(based, describe=count_units)
    session.move(session.commit(1).units[:2], NEW)
    session.cut(session.commit(4).units[0], removed=1, added=0)
    assert subjects(session)[3] == "chore: change 2"
    session.move(session.commit(4).units[:2], 1)
    assert subjects(session)[3] == "chore: change 1"


def edit_somehow(session: Session, numbers: random.Random) -> None:
    count = len(session.commits)
    steps = (
        lambda: session.move(numbers.sample(session.units, 2), numbers.randrange(-1, count + 1)),
        lambda: session.merge(*numbers.sample(range(1, count + 1), min(3, count))),
        lambda: session.split(numbers.randint(1, count), "hunk"),
        lambda: session.delete(numbers.randint(1, count)),
    )
    numbers.choice(steps)()


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_moved_no_hunk_is_lost_and_every_draft_is_the_one_for_its_hunks(based: Repo, seed: int) -> None:
    session = session_of(based, describe=count_units)
    session.move(session.units, NEW)
    session.split(1, "hunk")
    first, numbers = session.plan, random.Random(seed)
    for _ in range(60):
        before = session.plan
        try:
            edit_somehow(session, numbers)
        except SplitError:
            assert session.plan == before
        session.plan.check()
        assert subjects(session) == [f"chore: change {len(commit.units)}" for commit in session.plan.commits]
    while session.plan != first:
        session.undo()


def test_what_makes_no_sense_is_refused(session: Session) -> None:
    session.delete(3)
    with pytest.raises(SplitError, match="already in that commit"):
        session.move(session.plan.skipped, UNCOMMITTED)
    with pytest.raises(SplitError, match="a single line"):
        session.set_subject(1, "feat: a\nb")
    session.merge(1, 2)
    with pytest.raises(SplitError, match="only commit"):
        session.delete(1)


def test_a_subject_replaces_the_first_line_only(session: Session) -> None:
    session.set_subject(1, " feat: log in ")
    session.set_subject(2, "build: pin packages")
    assert [commit.message for commit in session.commits[:2]] == [
        "feat: log in\n\n- for users\n", "build: pin packages\n",
    ]  # fmt: skip


def test_the_embedded_splitter_parts_what_was_thrown_together(session: Session) -> None:
    session.merge(1, 2)
    session.merge(1, 2)
    session.split(1)
    assert len(session.commits) > 1
    assert sorted(unit for units in held(session) for unit in units) == sorted(unit.id for unit in session.units)


def test_a_message_that_breaks_a_rule_is_refused_and_kept_for_the_next_try(session: Session) -> None:
    with pytest.raises(SplitError, match="header-form"):
        session.set_message(2, "whatever\n")
    assert session.commit(2).message == "build: update packages\n"
    session.reorder(2, 1)
    assert session.text_to_edit(1) == "whatever\n"
    session.set_message(1, "build: whatever\n\n\n")
    assert session.text_to_edit(1) == session.commit(1).message == "build: whatever\n"
    with pytest.raises(SplitError, match="needs a message"):
        session.set_message(1, "\n")
    assert session.text_to_edit(1) == "build: whatever\n"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("docs: tell\n\nShort.\n", "- tell\n\nShort.\n"),
        ("docs: tell\n\nA line that is too long for this project.\n", "- tell\n"),
        ("docs: tell everybody about it\n\nShort.\n", "\nShort.\n"),
        ("docs: tell everybody about it\n", ""),
    ],
)
def test_of_a_merged_message_that_is_kept_which_breaks_no_rule(based: Repo, message: str, kept: str) -> None:
    session = session_of(based, rules=Rules(line_limit=20, levels={"line-length": "error"}))
    session._edit([*session.commits[:2], replace(session.commits[2], message=message)])
    session.merge(1, 3)
    assert session.commit(1).message == COMMITS[0]["message"] + kept


def test_a_plan_of_whole_files_is_reviewed_in_hunks(based: Repo) -> None:
    change(based)
    based.write("src/app.py", edited(FORTY, 3, 15, 30))
    fine = pieces_of(based)
    coarse = read_units(Repository.find(str(based.path)), "HEAD", based.git("write-tree").strip(), cut=False)
    app, others = coarse.units[3:4], [*coarse.units[:3], *coarse.units[4:]]
    assert [unit.id for unit in app] == ["src/app.py::1"]
    commits = (PlannedCommit("feat: x\n", tuple(app)), PlannedCommit("chore: y\n", tuple(others[:2])))
    plan = SplitPlan(None, "2" * 40, staged=False, engine="test", commits=commits, skipped=tuple(others[2:]))
    finer = refine(plan, fine)
    finer.check()
    assert [unit.id for unit in finer.commits[0].units] == [f"src/app.py::{number}" for number in (1, 2, 3)]
    assert [unit.fingerprint for unit in finer.commits[1].units] == [unit.fingerprint for unit in others[:2]]
    assert refine(finer, fine) == finer
