"""The review in two panes, driven without a terminal; panes_test.py has what is seen in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from textual import events
from textual.binding import Binding
from textual.geometry import Region
from textual.pilot import Pilot

from smartcommit.errors import LLMConnectError
from smartcommit.message.rules import Rules
from smartcommit.split.plan import Issue, PlannedCommit, SuspectFile, list_ids
from smartcommit.split.review.app import ReviewApp
from smartcommit.split.review.render import HIDDEN
from smartcommit.split.review.session import Session
from smartcommit.split.review.text import CONFIRM_QUIT as SURE_ASKED
from smartcommit.split.review.text import ReviewCallbacks
from tests.support.panes import conduct, drive, press
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.reviewing import COMMITS, held, pieces_of, reviewed_once, session_of, subjects
from tests.support.table import rows

A, B, C = (commit["hunks"] for commit in COMMITS)


def regions(
    session: Session, repo: Repo, first: tuple[int, int], size: tuple[int, int], *keys: str
) -> tuple[Region, Region, Region]:
    """Where both panes and the whole of what lies on top are, once the terminal has another size and `keys` came."""

    async def look(pilot: Pilot[bool]) -> tuple[Region, Region, Region]:
        await pilot.resize_terminal(*size)
        await press(pilot, *keys)
        await pilot.pause()
        panes = [pilot.app.screen_stack[0].query_one(f"#{name}").region for name in ("commits", "shown")]
        asked = [text.region for text in pilot.app.screen.query("Sure Static")]
        return panes[0], panes[1], Region.from_union(asked or panes)

    return conduct(session, repo, look, size=first)


def test_the_tui_shows_the_correct_commits(session: Session, reviewed: Repo) -> None:
    """Seed 000, Verification 4: the panes hold the plan's commits, each with its message and its own hunks."""
    seen = drive(session, reviewed)
    assert seen.commits == ["1. feat: add login", "2. build: update packages", "3. docs: tell about it"]
    for number, commit in enumerate(COMMITS, start=1):
        seen = drive(session, reviewed, "F", *["down"] * (number - 1))
        message, _, _ = commit["message"].rstrip("\n").partition("\n")
        assert seen.shown[0] == message
        names = [line.split("] ")[1].split(" +")[0] for line in seen.shown if f"[{number}." in line]
        assert names == commit["hunks"]
    assert seen.shown == ["docs: tell about it", "", "▾ [3.1] docs/guide.md::1 +1 -0", "new", "1 + # Guide", ""]


def to(position: int, *keys: str) -> tuple[str, ...]:
    """The keys that point at a hunk, and then others."""
    return (*["n"] * position, *keys)


ACTIONS: dict[str, tuple[Sequence[str], list[list[str]]]] = {
    "merge with the next": (("m", "enter"), [[*B, *A], C]),
    "merge with another": (("m", "backspace", "3", "enter"), [[*C, *A], B]),
    "merge with several": (("m", "backspace", "'2-3", "enter"), [[*C, *B, *A]]),
    "merge what is marked": (("F", "space", "j", "space", "j", "m"), [[*C, *B, *A]]),
    "merge what is marked and the one at the cursor": (("F", "j", "space", "j", "space", "k", "m"), [A, [*C, *B]]),
    "merge only whole commits": (("down", "space", "F", "j", "m", "enter"), [A, [*C, *B]]),
    "merge what is marked no more": (("F", "space", "j", "space", "escape", "m", "enter"), [A, [*C, *B]]),
    "delete": (("F", "j", "d"), [A, C]),
    "move to a new commit": (to(1, "g", "enter"), [A[1:], B, C, A[:1]]),
    "move to a new commit by its key": (to(1, "g", "n"), [A[1:], B, C, A[:1]]),
    "move to another": (to(2, "g", "2", "enter"), [[A[0], A[2]], [*B, A[1]], C]),
    "move to the last that was typed": (to(2, "g", "3", "2", "enter"), [[A[0], A[2]], [*B, A[1]], C]),
    "move to where the arrow points": (to(2, "g", "j", "down", "down", "k", "enter"), [[A[0], A[2]], [*B, A[1]], C]),
    "move out": (to(1, "g", "0", "enter"), [A[1:], B, C]),
    "move out and back": (to(1, "g", "0", "enter", "tab", "end", "tab", "n", "g", "3", "enter"), [A[1:], B, [*C,
        A[0]]]),
    "move nowhere": (to(1, "g", "escape"), [A, B, C]),
    "move on": (to(1, ">"), [A[1:], [*B, A[0]], C]),
    "move back": (to(1, ">", *["n"] * 4, "<"), [A, B, C]),
    "move the last": (to(6, "<"), [A, [*C, *B]]),
    "move the last and take it back": (to(6, "<", "u"), [A, B, C]),
    "move the next one too": (to(1, ">", ">"), [A[2:], [*B, *A[:2]], C]),
    "move a file": (("down", ">"), [A[2:], [*B, *A[:2]], C]),
    "move what is marked": (to(1, "space", *to(2, "space"), "g", "3", "enter"), [A[1:2], B, [*C, A[0], A[2]]]),
    "move files that are marked": (("down", "space", "down", "down", "down", "space", "g", "3", "enter"), [A[2:], [*C,
        *B, *A[:2]]]),
    "move marked commits": (("F", "space", "space", "j", "space", "j", "space", "g", "1", "enter"), [[*C, *B, *A]]),
    "move what is marked no more": (to(1, "space", "space", "n", ">"), [[A[0], A[2]], [*B, A[1]], C]),
    "split": (("x", *["backspace"] * 4, "'file", "enter"), [A[:2], A[2:], B, C]),
    "cut": (to(1, "s", "enter"), [[f"{A[0]}.1", f"{A[0]}.2", *A[1:]], B, C]),
    "cut at the cursor": (to(1, *["down"] * 6, "s", "enter", ">"), [[f"{A[0]}.2", *A[1:]], [*B, f"{A[0]}.1"], C]),
    "later": (("J", "J"), [B, C, A]),
    "earlier": (("F", "j", "j", "K"), [A, C, B]),
    "undo": (("d", "d", "u", "u"), [A, B, C]),
    "undo a move": (to(1, ">", "u"), [A, B, C]),
    "go back": (("m", "escape"), [A, B, C]),
}  # fmt: skip


# The others are further ways to come to the same edits, which the review's own tests have all of.
KEYS = (
    "merge with another", "merge with several", "merge what is marked", "delete", "move to a new commit by its key",
    "move to where the arrow points", "move out and back", "move on", "move back", "move what is marked", "split",
    "cut at the cursor", "later", "earlier", "undo",
)  # fmt: skip


@rows("name", [*KEYS, *list(ACTIONS)[: choose(fast=0, full=len(ACTIONS))]])
def test_each_key_changes_the_commits_as_it_says(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    keys, expected = ACTIONS[name]
    shared = reviewed_once(tmp_path_factory)
    session = shared.review()
    seen = drive(session, shared.repo, *keys, "y")
    assert held(session) == expected, seen.told
    assert seen.agreed is True
    assert [title for title in seen.commits if title[0].isdigit()] == [
        f"{number}. {subject}" for number, subject in enumerate(subjects(session), start=1)
    ]


@rows("key", ["q", "ctrl+c", "ctrl+q"])
def test_quitting_is_not_agreeing(session: Session, reviewed: Repo, key: str) -> None:
    assert drive(session, reviewed, key).agreed is not True


# The keys, and whether the review has ended (None), goes on (False) or asks (True) then.
CONFIRM_QUIT: dict[str, tuple[Sequence[str], bool | None]] = {
    "y": (("d", "q", "y"), None),
    "quit again": (("d", "ctrl+c", "q"), None),
    "Ctrl-Q twice": (("d", "ctrl+q", "ctrl+q"), None),
    "enter": (("d", "q", "enter"), False),
    "n": (("d", "q", "n"), False),
    "escape": (("d", "q", "escape"), False),
    "in the middle of a question": (("d", "m", "ctrl+q"), True),
    "what was put back is no edit": (("J", "K", "q"), None),
}


@pytest.mark.parametrize("name", list(CONFIRM_QUIT)[:: choose(fast=2, full=1)])
def test_quitting_is_asked_once_where_commits_were_edited(session: Session, reviewed: Repo, name: str) -> None:
    keys, asking = CONFIRM_QUIT[name]
    seen = drive(session, reviewed, *keys)
    assert seen.agreed is (False if asking is None else None)
    assert asking is None or seen.overlay[:1] == [f"{SURE_ASKED} [y/N]"] * asking


@pytest.mark.parametrize("size", [(50, 20), (120, 40)], ids=str)
def test_a_title_is_edited(session: Session, reviewed: Repo, size: tuple[int, int]) -> None:
    seen = drive(session, reviewed, "F", "down", "e", *["backspace"] * 8, "'crates", "enter", size=size)
    assert subjects(session)[1] == "build: update crates"
    assert seen.commits[1] == "2. build: update crates"
    assert seen.shown[0] == "build: update crates"


def test_a_title_that_is_rejected_can_be_edited_further_and_escape_goes_back(session: Session, reviewed: Repo) -> None:
    wrong = ("e", "home", "'no ", "enter")
    assert len(drive(session, reviewed, *wrong).told) == 1
    assert (
        drive(session, reviewed, *wrong, "home", *["delete"] * 3, "end", "'s", "enter").commits[0]
        == "1. feat: add logins"
    )
    drive(session, reviewed, "e", "'!", "escape", "J")
    assert subjects(session) == ["build: update packages", "feat: add logins", "docs: tell about it"]


def test_keys_and_what_is_pasted_in_one_burst_act_in_their_order(session: Session, reviewed: Repo) -> None:
    async def type_at_once(pilot: Pilot[bool]) -> None:
        await press(pilot, "e")
        burst: list[events.Event] = [events.Key("ctrl+u", None), events.Paste("feat: log in")]
        for letter in "gg":
            burst.append(events.Key(letter, letter))
        burst += [events.Key("backspace", None), events.Key("home", None), events.Key("delete", None)]
        burst += [events.Key("f", "f"), events.Key("enter", None)]
        for event in burst:
            pilot.app.post_message(event)
        await pilot.pause()

    conduct(session, reviewed, type_at_once)
    assert subjects(session)[0] == "feat: log ing"


def test_the_footer_and_the_help_have_one_word_for_a_key() -> None:
    for binding in ReviewApp.BINDINGS:
        assert isinstance(binding, Binding)
        assert binding.description in binding.tooltip


def test_a_message_is_edited_in_the_editor_on_the_terminal(
    session: Session, reviewed: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_EDITOR", reviewed.editor("test -t 0 && sed -i '1s/.*/feat: log in/' \"$1\""))
    seen = drive(session, reviewed, "E")
    assert seen.told == []
    assert session.commit(1).message == "feat: log in\n\n- for users\n"
    assert seen.shown[0] == "feat: log in"


REFUSED: dict[str, tuple[Sequence[str], str]] = {
    "a message that breaks a rule": (("e", "home", "'no ", "enter"), "header-form"),
    "no such commit": (("m", "backspace", "9", "enter"), "no commit 9"),
    "no number": (("m", "backspace", "x", "enter"), "'x' is not a number"),
    "no hunk": (("g",), "no hunk selected"),
    "what belongs together": (("F", "down", "x", "enter"), "commit 2 belongs together and was not split"),
    "before the first": (("K",), "no commit 0"),
    "behind the last": (("F", "j", "j", "J"), "no commit 4"),
    "a move before the first": (("n", "<"), "no commit 4"),
    "nothing to undo": (("u",), "nothing to undo"),
    "an editor that fails": (("E",), "exited with status 1"),
}


@rows("name", list(REFUSED)[:: choose(fast=2, full=1)])
def test_nonsense_is_told_and_changes_nothing(session: Session, reviewed: Repo, name: str) -> None:
    keys, reason = REFUSED[name]
    before = session.plan
    seen = drive(session, reviewed, *keys)
    assert [reason in told for told in seen.told] == [True]
    assert session.plan == before


def test_agreeing_waits_until_every_message_passes(based: Repo) -> None:
    session = session_of(based, rules=Rules(types=("feat", "docs", "chore")))
    seen = drive(session, based, "y")
    assert seen.agreed is None
    assert "commit 2: type-unknown" in seen.told[0]


def test_what_is_skipped_has_a_place_of_its_own_and_can_be_taken_in(session: Session, reviewed: Repo) -> None:
    assert drive(session, reviewed, "F", "down", "down", "d").commits[-1] == "skipped: 1"
    seen = drive(session, reviewed, "end", "n", "g", "1", "enter")
    assert held(session) == [[*C, *A], B], seen.told
    assert seen.commits == ["1. feat: add login", "2. build: update packages"]


def test_what_looks_like_markup_is_shown_as_it_is(session: Session, reviewed: Repo) -> None:
    session.set_subject(1, "feat: add [red]login[/red] [1]")
    seen = drive(session, reviewed, "m", "backspace", "'[b]x[/b]", "enter")
    assert seen.commits[0] == "1. feat: add [red]login[/red] [1]"
    assert "'[b]x[/b]' is not a number" in seen.told[0]


def test_critique_and_wish_are_keys_only_where_they_are_offered(session: Session, reviewed: Repo) -> None:
    seen = drive(session, reviewed, "c", "r")
    assert (seen.overlay, seen.told, seen.instructions) == ([], [], None)


def test_a_critique_is_shown_until_a_key_ends_it(session: Session, reviewed: Repo) -> None:
    asked: list[Sequence[PlannedCommit]] = []

    def critique(commits: Sequence[PlannedCommit]) -> str:
        asked.append(commits)
        if len(asked) > 2:
            raise LLMConnectError("nobody answers")
        return "commit 1 is \x1b[31m[b]two\nreally"

    offers = ReviewCallbacks(critique=critique)
    assert drive(session, reviewed, "c", offers=offers).overlay == ["commit 1 is \\x1b[31m[b]two\nreally"]
    seen = drive(session, reviewed, "c", "escape", "c", offers=offers)
    assert (seen.overlay, len(seen.told)) == ([], 1)
    assert "nobody answers" in seen.told[0]
    assert [list_ids(commit.units) for commit in asked[0]] == [A, B, C]


def test_what_was_said_on_the_terminal_before_is_shown_on_top(session: Session, reviewed: Repo) -> None:
    seen = drive(session, reviewed, offers=ReviewCallbacks(said="split without the [b]model\x1b\nhint: x"))
    assert seen.told == ["split without the [b]model\\x1b\nhint: x"]


def test_a_wish_ends_the_review_for_another_split(session: Session, reviewed: Repo) -> None:
    seen = drive(session, reviewed, "r", "'keep the tests apart", "enter", offers=ReviewCallbacks(reclassify=True))
    assert seen.instructions == "keep the tests apart"
    assert not seen.agreed


def test_what_a_model_noticed_and_what_is_left_out_can_be_read(based: Repo) -> None:
    plan = replace(
        session_of(based).plan,
        left_out=(b"vendor\x1b/",),
        hides_untracked=True,
        issues=(Issue("the [b]key[/b] is never\x1b used", "src/app.py"),),
    )
    session = Session(plan, pieces_of(based), rules=Rules(), describe=lambda _: "")
    seen = drive(session, based, "end", size=(200, 40))
    assert seen.commits[-1] == "notes"
    assert seen.shown == [
        HIDDEN,
        "not included: vendor\\x1b/ (nested git repository; run 'git submodule add' to include it)",
        "noticed: src/app.py: the [b]key[/b] is never\\x1b used",
    ]
    assert drive(session, based, "end", "d").told == ["no commit -2\nchoose a number from 1 to 3"]


def test_warnings_of_secrets_are_shown_at_once_and_can_be_read_again(based: Repo) -> None:
    warnings = (SuspectFile(b"id_rsa", "looks like a secrets file", left_out=True),)
    plan = replace(session_of(based).plan, left_out=(b"id_rsa",), warnings=warnings)
    session = Session(plan, pieces_of(based), rules=Rules(), describe=lambda _: "")
    seen = drive(session, based, "end", size=(250, 40))
    assert seen.told == ["\n".join(seen.shown)]
    assert seen.shown[0] == "not included: id_rsa (looks like a secrets file)"
    assert len(seen.shown) == 2


def test_the_panes_are_above_each_other_where_the_terminal_is_narrow(session: Session, reviewed: Repo) -> None:
    assert regions(session, reviewed, (100, 30), (50, 20))[:2] == (Region(0, 0, 50, 7), Region(0, 7, 50, 12))
    commits, shown, _ = regions(session, reviewed, (50, 20), (100, 30))
    assert (commits.y, shown.y, commits.right) == (0, 0, shown.x)


def test_a_question_can_be_seen_in_a_small_terminal(session: Session, reviewed: Repo) -> None:
    *_, answers = regions(session, reviewed, (100, 30), (32, 8), "d", "q")
    assert answers in Region(0, 0, 32, 8)


@pytest.mark.parametrize("size", [(24, 8), (1, 1)], ids=str)
def test_it_can_be_used_in_the_smallest_terminal(session: Session, reviewed: Repo, size: tuple[int, int]) -> None:
    seen = drive(session, reviewed, "m", "enter", "question_mark", "escape", "q", "q", size=size)
    assert (held(session), seen.agreed) == ([[*B, *A], C], False)
