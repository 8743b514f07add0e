"""The review in two panes, driven without a terminal: what is seen, and what the keys and the mouse do."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from smartcommit.message.characters import printable
from smartcommit.message.rules import Rules
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.plan import Issue
from smartcommit.split.review.app import ReviewApp
from smartcommit.split.review.panes import CommitTree, HunkTree, Panes, RowTree
from smartcommit.split.review.render import HIDDEN
from smartcommit.split.review.session import Session
from smartcommit.split.review.text import CONFIRM_QUIT
from tests.conftest import ROOT
from tests.support.documentation import find_rows
from tests.support.panes import conduct, drive, listed, pointed, press, settle, watch
from tests.support.profile import choose, repeat
from tests.support.repository import Repo
from tests.support.reviewing import (
    COMMITS,
    count_units,
    held,
    pieces_of,
    reviewed_once,
    session_of,
    subjects,
    with_open,
)
from tests.support.situations_split import FORTY, edited
from tests.support.table import rows

A, B, C = (commit["hunks"] for commit in COMMITS)


# Why each of COMMITS is one.
REASONS = (
    "same kind of file in src",
    "package-lock.json and package.json cannot be separated",
    "no name in common with the others",
)


def to(position: int, *keys: str) -> tuple[str, ...]:
    """The keys that point at a hunk, and then others."""
    return (*["n"] * position, *keys)


def test_the_tui_shows_the_correct_commits(session: Session, reviewed: Repo) -> None:
    """Seed 000, Verification 4: the panes hold the plan's commits, each with its message and its own hunks."""
    seen, *chosen = watch(session, reviewed, (), ("F",), ("down",), ("down",))
    assert seen.commits == ["1. feat: add login", "2. build: update packages", "3. docs: tell about it"]
    for number, (commit, seen) in enumerate(zip(COMMITS, chosen, strict=True), start=1):
        message, _, why = seen.message.partition("\nwhy: ")
        assert message.strip() == commit["message"].strip()
        assert why.strip() == REASONS[number - 1]
        names = [line.split("] ")[1].split(" +")[0] for line in seen.shown if f"[{number}." in line]
        assert names == commit["hunks"]
    assert seen.shown == ["▾ [3.1] docs/guide.md::1 +1 -0", "new", "1 + # Guide"]


def test_files_are_listed_with_what_they_change_and_their_share_of_the_hunks(session: Session, reviewed: Repo) -> None:
    session.move(session.commit(1).units[:1], 3)
    seen = drive(session, reviewed, "down", "down")
    assert seen.listed == [
        "▾ 1. feat: add login +3 -1", "M src/app.py 1/2 +1 -1", "A src/login.py +2 -0",
        "▾ 2. build: update packages +2 -2", "M package-lock.json +1 -1", "M package.json +1 -1",
        "▾ 3. docs: tell about it +2 -1", "A docs/guide.md +1 -0", "M src/app.py 1/2 +1 -1",
    ]  # fmt: skip
    assert (seen.selected, seen.pointed) == ("A src/login.py +2 -0", "▾ [1.2] src/login.py::1 +2 -0")


def test_a_hunk_is_shown_between_unchanged_lines_with_both_numbers(session: Session, reviewed: Repo) -> None:
    shown = drive(session, reviewed).shown
    place = shown.index("▾ [1.1] src/app.py::1 +1 -1")
    assert shown[place + 1] == "@@ -1,7 +1,7 @@"
    assert shown[place + 2 : place + 7] == ["1 1 line 0", "2 2 line 1", "3 3 line 2", "4 - line 3", "4 + edited 3"]
    assert shown[place + 10] == "▾ [1.2] src/app.py::2 +1 -1"


def test_commits_are_folded_and_unfolded(session: Session, reviewed: Repo) -> None:
    moved = ("F", "n", "g", "2", "enter", "tab", "m", "enter")
    unfolded, folded, again, merged = watch(session, reviewed, (), ("down", "f"), ("f", "F", "F"), moved)
    assert folded.listed == ["▸ 1. feat: add login +4 -2", *unfolded.listed[3:]]
    assert again.listed == unfolded.listed
    assert len(merged.listed) == len(COMMITS) - 1


def test_hunks_are_folded_and_unfolded_and_can_be_moved_then(session: Session, reviewed: Repo) -> None:
    plain, folded = watch(session, reviewed, ("n", "F", "F"), ("n", "down", "f"))
    place = folded.shown.index("▸ [1.2] src/app.py::2 +1 -1")
    assert folded.shown[place + 1] == "▾ [1.3] src/login.py::1 +2 -0"
    first, seen = watch(session, reviewed, (), ("n", "F", "g", "2", "enter"))
    assert plain.shown == first.shown
    assert held(session)[1] == [*B, A[0]]
    assert seen.shown == ["▸ [1.1] src/app.py::2 +1 -1", "▸ [1.2] src/login.py::1 +2 -0"]


def test_of_many_files_and_lines_the_first_are_unfolded(based: Repo) -> None:
    for number in range(60):
        based.write(f"{number}.txt", "x\n" * 94)
    session = session_of(based)
    session.move(session.units_of(0), 1)
    seen = drive(session, based, "f")
    assert [line[0] for line in seen.listed if ". " in line] == ["▾", "▸", "▸"]
    session = Session(session.plan, rules=Rules(), describe=count_units)
    folded = [line[0] for line in drive(session, based).shown if "] " in line]
    assert folded == ["▾"] * 21 + ["▸"] * 42
    session.move(session.units_of(1)[1:], 0)
    session = Session(session.plan, rules=Rules(), describe=count_units)
    skipped = drive(session, based, "end").shown
    assert [line[0] for line in skipped if "] " in line] == ["▾"] * 21 + ["▸"] * 41


def test_the_cursor_goes_from_one_open_title_to_the_next(session: Session, reviewed: Repo) -> None:
    session = with_open(session, 2, 3)
    seen = drive(session, reviewed, "e", "'pin packages", "enter", "e", "'tell it", "enter")
    assert subjects(session)[1:] == ["build: pin packages", "docs: tell it"]
    assert not any("(open)" in line for line in seen.listed)


def test_marks_are_shown_on_commits_files_and_hunks(session: Session, reviewed: Repo) -> None:
    before, whole, after, seen = watch(session, reviewed, (), ("space",), ("escape",), ("down", "space", "tab"))
    assert whole.listed[0] == "●▾ 1. feat: add login +4 -2"
    assert after.listed == before.listed
    assert seen.listed[:3] == ["◐▾ 1. feat: add login +4 -2", "● M src/app.py +2 -2", "A src/login.py +2 -0"]
    assert [line[0] for line in seen.shown if "] src/" in line] == ["●", "●", "▾"]


def test_a_hunk_keeps_its_cursor_when_the_window_is_resized(session: Session, reviewed: Repo) -> None:
    async def resize(pilot: Pilot[bool]) -> list[str]:
        await press(pilot, "n", "n", "tab", "down", "down")
        found = [pointed(pilot.app)]
        await pilot.resize_terminal(60, 40)
        await settle(pilot)
        return [*found, pointed(pilot.app)]

    before, after = conduct(session, reviewed, resize)
    assert before == after


def test_keys_go_from_hunk_to_hunk_through_all_commits(session: Session, reviewed: Repo) -> None:
    seen = watch(session, reviewed, *["n", "]"] * 3, "n", *["p", "["] * 3)
    names = [f"[{name}]" for name in ("1.1", "1.2", "1.3", "2.1", "2.2", "3.1")]
    assert [each.pointed.split()[1] for each in seen] == [*names, names[-1], *names[-2::-1], names[0]]


ACTIONS: dict[str, tuple[Sequence[str], list[list[str]]]] = {
    "merge with the next": (("m", "enter"), [[*B, *A], C]),
    "merge with several": (("m", "backspace", "'2-3", "enter"), [[*C, *B, *A]]),
    "merge what is marked and the one at the cursor": (("F", "j", "space", "j", "space", "k", "m"), [A, [*C, *B]]),
    "merge only whole commits": (("down", "space", "F", "j", "m", "enter"), [A, [*C, *B]]),
    "delete": (("F", "j", "d"), [A, C]),
    "move to a new commit by its key": (to(1, "g", "n"), [A[1:], B, C, A[:1]]),
    "move to the last that was typed": (to(2, "g", "3", "2", "enter"), [[A[0], A[2]], [*B, A[1]], C]),
    "move to where the arrow points": (to(2, "g", "j", "down", "down", "k", "enter"), [[A[0], A[2]], [*B, A[1]], C]),
    "move out and back": (to(1, "g", "0", "enter", "tab", "end", "n", "g", "3", "enter"), [A[1:], B, [*C, A[0]]]),
    "move the next one too": (to(1, *["g", "2", "enter"] * 2), [A[2:], [*B, *A[:2]], C]),
    "move a file": (("down", "g", "2", "enter"), [A[2:], [*B, *A[:2]], C]),
    "move a whole commit": (("g", "2", "enter"), [[*B, *A], C]),
    "move what cannot be separated": (to(4, "g", "1", "enter"), [[*B, *A], C]),
    "move what is marked": (to(1, "space", *to(2, "space"), "g", "3", "enter"), [A[1:2], B, [*C, A[0], A[2]]]),
    "move what is marked no more": (to(1, "space", "space", "n", "g", "2", "enter"), [[A[0], A[2]], [*B, A[1]], C]),
    "move a marked file and a commit": (("down", "space", "down", "down", "space", "g", "3", "enter"),
        [A[2:], [*C, *B, *A[:2]]]),
    "split": (("x", *["backspace"] * 4, "'file", "enter"), [A[:2], A[2:], B, C]),
    "cut": (to(1, "s", "enter"), [[f"{A[0]}.1", f"{A[0]}.2", *A[1:]], B, C]),
    "cut at the cursor": (to(1, *["down"] * 6, "s", "enter", "g", "2", "enter"),
        [[f"{A[0]}.2", *A[1:]], [*B, f"{A[0]}.1"], C]),
    "later": (("J", "J"), [B, C, A]),
    "earlier": (("F", "j", "j", "K"), [A, C, B]),
    "undo": (("d", "d", "u", "u"), [A, B, C]),
    "go back": (("m", "escape"), [A, B, C]),
}  # fmt: skip


@rows("name", *list(ACTIONS)[:: choose(fast=2, full=1)])
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


# The keys, and what is asked then, with the answer that is there already.
ASKED: list[tuple[Sequence[str], list[str]]] = [
    (("g",), ["move 3 hunks of commit 1 to which commit?"]),
    (("down", "g"), ["move 2 hunks of src/app.py to which commit?"]),
    (to(2, "g"), ["move hunk 1.2 to which commit?"]),
    (to(1, "space", "n", "g"), ["move 1 marked hunk to which commit?"]),
    (("F", "j", "d", "end", "g"), ["move 2 hunks of what is skipped to which commit?"]),
    (("m",), ["merge which commits, such as 2 or 3-5, into commit 1?", "2"]),
    (("x",), ["split commit 1 by auto, file, hunk?", "auto"]),
    (to(2, "s"), ["cut hunk 1.2 after how many removed and added lines?", "0 1"]),
    (("e",), ["title of commit 1:", "feat: add login"]),
]


@rows(("keys", "asked"), *ASKED)
def test_questions_are_precise(tmp_path_factory: pytest.TempPathFactory, keys: Sequence[str], asked: list[str]) -> None:
    shared = reviewed_once(tmp_path_factory)
    assert drive(shared.review(), shared.repo, *keys).overlay[: len(asked)] == asked


# The keys, and whether the review has ended (None), goes on (False) or asks (True) then.
QUIT: dict[str, tuple[Sequence[str], bool | None]] = {
    "q": (("q",), None),
    "Ctrl-C": (("ctrl+c",), None),
    "Ctrl-Q": (("ctrl+q",), None),
    "y": (("d", "q", "y"), None),
    "Ctrl-Q twice": (("d", "ctrl+q", "ctrl+q"), None),
    "enter": (("d", "q", "enter"), False),
    "escape": (("d", "q", "escape"), False),
    "in the middle of a question": (("d", "m", "ctrl+q"), True),
    "what was put back is no edit": (("J", "K", "q"), None),
}


@rows("name", *QUIT)
def test_quitting_is_asked_once_where_commits_were_edited(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    keys, asking = QUIT[name]
    shared = reviewed_once(tmp_path_factory)
    seen = drive(shared.review(), shared.repo, *keys)
    assert seen.agreed is (False if asking is None else None)
    assert asking is None or seen.overlay[:1] == [f"{CONFIRM_QUIT} [y/N]"] * asking


def test_a_title_that_is_rejected_can_be_edited_further_and_escape_goes_back(session: Session, reviewed: Repo) -> None:
    mended = ("home", *["delete"] * 3, "end", "'s", "enter")
    steps = (("e", "home", "'no ", "enter"), mended, ("e", "'!", "escape", "J"))
    wrong, right, _ = watch(session, reviewed, *steps)
    assert len(wrong.told) == 1
    assert right.commits[0] == "1. feat: add logins"
    assert right.message.startswith("feat: add logins\n")
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


def test_enter_that_is_pressed_twice_answers_once(session: Session, reviewed: Repo) -> None:
    async def answer(pilot: Pilot[bool]) -> None:
        for keys in (to(1, "g"), ("m",)):
            await press(pilot, *keys)
            pilot.app.post_message(events.Key("enter", None))
            pilot.app.post_message(events.Key("enter", None))
            await settle(pilot)

    conduct(session, reviewed, answer)
    assert subjects(session) == ["feat: add login", "docs: tell about it", "chore: change src/app.py"]


def test_a_message_is_edited_in_the_editor(session: Session, reviewed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_EDITOR", reviewed.editor("test -t 0 && sed -i '1s/.*/feat: log in/' \"$1\""))
    seen = drive(session, reviewed, "E")
    assert seen.told == []
    assert session.commit(1).message == "feat: log in\n\n- for users\n"
    assert seen.message.startswith("feat: log in\n")


REFUSED: dict[str, tuple[Sequence[str], str]] = {
    "a message that breaks a rule": (("e", "home", "'no ", "enter"), "header-form"),
    "no number": (("m", "backspace", "x", "enter"), "'x' is not a number"),
    "no hunk": (("s",), "no hunk selected"),
    "before the first": (("K",), "no commit 0"),
    "an editor that fails": (("E",), "exited with status 1"),
}


@rows("name", *REFUSED)
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
    skipped, seen = watch(session, reviewed, ("F", "down", "down", "d"), ("end", "n", "g", "1", "enter"))
    assert skipped.commits[-1] == "skipped: 1"
    assert held(session) == [[*C, *A], B], seen.told
    assert seen.commits == ["1. feat: add login", "2. build: update packages"]


def test_what_looks_like_markup_is_shown_as_it_is(session: Session, reviewed: Repo) -> None:
    session.set_subject(1, "feat: add [red]login[/red] [1]")
    seen = drive(session, reviewed, "m", "backspace", "'[b]x[/b]", "enter")
    assert seen.commits[0] == "1. feat: add [red]login[/red] [1]"
    assert "'[b]x[/b]' is not a number" in seen.told[0]


def test_what_was_said_on_the_terminal_before_is_shown_on_top(session: Session, reviewed: Repo) -> None:
    seen = drive(session, reviewed, said="split without the [b]model\x1b\nhint: x")
    assert seen.told == ["split without the [b]model\\x1b\nhint: x"]


def test_a_wish_ends_the_review_for_another_split_where_that_is_offered(session: Session, reviewed: Repo) -> None:
    seen = drive(session, reviewed, "r")
    assert (seen.overlay, seen.told, seen.wish) == ([], [], "")
    seen = drive(session, reviewed, "r", "'keep the tests apart", "enter", can_replan=True)
    assert seen.wish == "keep the tests apart"
    assert not seen.agreed


def test_what_is_left_out_and_what_a_model_noticed_can_be_read(based: Repo) -> None:
    plan = replace(
        session_of(based).plan,
        left_out=(b"vendor\x1b/", b"id_rsa"),
        hides_untracked=True,
        issues=(Issue("the [b]key[/b] is never\x1b used", "src/app.py"),),
        warnings=(SuspectFile(b"id_rsa", "looks like a secrets file", is_secret=True),),
    )
    session = Session(replace(plan, change=pieces_of(based)), rules=Rules(), describe=count_units)
    seen = drive(session, based, "end", size=(200, 40))
    assert (seen.commits[-1], seen.message) == ("notes", "")
    warned, others = seen.shown[:2], seen.shown[2:]
    assert warned[0] == "not included: id_rsa (looks like a secrets file)"
    assert seen.told == ["\n".join(warned)]
    assert others == [
        HIDDEN,
        "not included: vendor\\x1b/ (nested git repository; run 'git submodule add' to include it)",
        "noticed: src/app.py: the [b]key[/b] is never\\x1b used",
    ]
    assert "no commit -2\nchoose a number from 1 to 3" in drive(session, based, "end", "d").told


def regions(
    session: Session, repo: Repo, first: tuple[int, int], size: tuple[int, int], *keys: str
) -> tuple[Region, Region, Region]:
    """Where both panes and the whole of what lies on top are, once the terminal has another size and `keys` came."""

    async def look(pilot: Pilot[bool]) -> tuple[Region, Region, Region]:
        await pilot.resize_terminal(*size)
        await press(pilot, *keys)
        await pilot.pause()
        panes = [pilot.app.screen_stack[0].query_one(name).region for name in ("CommitTree", "Vertical")]
        asked = [text.region for text in pilot.app.screen.query("Sure Static")]
        return panes[0], panes[1], Region.from_union(asked or panes)

    return conduct(session, repo, look, size=first)


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


def told_keys(session: Session, repo: Repo, *, can_replan: bool) -> list[str]:
    """What the help shows, a key and what it does on each line."""
    (told,) = drive(session, repo, "question_mark", can_replan=can_replan).overlay
    return told.splitlines()


def test_every_key_that_does_something_is_told(session: Session, reviewed: Repo) -> None:
    bound = set()
    for owner in (ReviewApp, Panes, RowTree):
        for binding in Binding.make_bindings(owner.BINDINGS):
            bound.add(binding.tooltip)
            assert binding.description in binding.tooltip
    told = told_keys(session, reviewed, can_replan=True)
    assert len(told) == len(bound)
    for line in told:
        assert any(line.endswith(f" {what}") for what in bound)
    assert not any("split again" in line for line in told_keys(session, reviewed, can_replan=False))


def test_the_manual_names_keys_of_the_panes(session: Session, reviewed: Repo) -> None:
    keys = []
    for row in find_rows(ROOT / "docs" / "splitting.md"):
        if row[0].startswith("`y`") or (keys and len(row) == 3):
            keys += re.findall(r"`(.)`", row[1])
    assert len(keys) >= 15
    told = told_keys(session, reviewed, can_replan=True)
    assert [key for key in keys if not any(re.match(rf"(\S+, )*{re.escape(key)},? ", line) for line in told)] == []


@pytest.mark.parametrize("width", [56, 120])
def test_the_keys_at_the_bottom_are_whole(session: Session, reviewed: Repo, width: int) -> None:
    async def look(pilot: Pilot[bool]) -> list[tuple[str, bool]]:
        bar = pilot.app.query_one(Footer).region
        return [(key.key_display, key.region in bar) for key in pilot.app.query(FooterKey)]

    keys = conduct(session, reviewed, look, size=(width, 24))
    assert keys == [(key, True) for key in "yq?egmu"]


def test_a_click_selects_a_commit_and_a_hunk_and_folds_neither(session: Session, reviewed: Repo) -> None:
    async def click(pilot: Pilot[bool]) -> list[list[str]]:
        panes = pilot.app.query_one(Panes)
        before = listed(panes.commits)
        await pilot.click(CommitTree, offset=(9, 3))
        await pilot.click(HunkTree, offset=(9, 4))
        await pilot.pause()
        assert (panes.number, pointed(pilot.app)) == (2, "▾ [2.2] package.json::1 +1 -1")
        return [before, listed(panes.commits), listed(panes.hunks)]

    before, after, shown = conduct(session, reviewed, click)
    assert after == before
    assert shown == drive(session, reviewed, "F", "down").shown


PRESSED = [
    "n", "p", "j", "k", "space", "f", "F", "tab", "d", "u", "K", "J", "escape", "pagedown", "end", "home",
]  # fmt: skip
ANSWERED = [
    ("g", "enter"), ("g", "0", "enter"), ("g", "2", "enter"), ("m", "enter"), ("x", "enter"), ("s", "enter"),
    ("F", "home", "space", "j", "space", "j", "m"), ("tab", "space", "down", "space", "g", "1", "enter"),
]  # fmt: skip


# Random steps, of which most say that there is nothing to do.
STEPS = choose(fast=40, full=80)


@pytest.mark.parametrize("seed", range(repeat(fast=1, full=2)))
def test_no_key_loses_or_doubles_a_hunk_and_all_can_be_undone(session: Session, reviewed: Repo, seed: int) -> None:
    numbers = random.Random(seed)
    first = session.plan

    async def press_some(pilot: Pilot[bool]) -> int:
        edits = 0
        panes = pilot.app.query_one(CommitTree), pilot.app.query_one(HunkTree)
        # What is drawn is asked for below; to paint the screen after each key takes most of the time.
        with pilot.app.batch_update():
            for _ in range(STEPS):
                before = session.commits
                await press(pilot, *numbers.choice([*((key,) for key in PRESSED), *ANSWERED]))
                if len(pilot.app.screen_stack) > 1:
                    await press(pilot, "escape")
                session.plan.check()
                assert all(map(listed, panes))
                edits += session.commits is not before
            while session.edited:
                await press(pilot, "u")
        return edits

    assert conduct(session, reviewed, press_some) > STEPS // 12
    assert session.plan.commits == first.commits


def test_what_a_file_holds_is_drawn_escaped_and_in_its_columns(based: Repo) -> None:
    based.write("wide.txt", "\u6f22\u5b57" * 90 + "\n\u202e\x1b]0;x\x07\x9b1m\u200b\r\n\tb\n" + "x" * 5000 + "\n")
    based.write("a\u202e\x1b[2J.py", "x = 1  # \x1b[31m\n")
    session = session_of(based)
    session.move(session.units_of(0), 1)

    async def draw(pilot: Pilot[bool]) -> list[str]:
        view, commits = pilot.app.query_one(HunkTree), pilot.app.query_one(CommitTree)
        await press(pilot, "tab")
        drawn = []
        for _ in range(3):
            for pane in (view, commits):
                for y in range(pane.size.height):
                    strip = pane.render_line(y)
                    assert strip.cell_length == cell_len(strip.text) == pane.size.width
                    drawn.append(strip.text)
            await press(pilot, "right")
        return drawn

    text = "\n".join(conduct(session, based, draw, size=(81, 60)))
    assert printable(text, keep="\n") == text
    assert " 2 + \\u202e\\x1b]0;x\\x07\\x9b1m\\u200b\\x0d" in text
    assert "a\\u202e\\x1b[2J.py" in text


def test_a_long_path_is_cut_at_its_beginning(based: Repo) -> None:
    based.write("\u6f22\u5b57/" * 20 + "end.txt", "x\n")
    shown = drive(session_of(based), based).listed[-1]
    assert shown.startswith("A \u2026")
    assert shown.endswith("\u5b57/end.txt +1 -0")


def test_the_cursor_is_seen_in_a_small_window(based: Repo) -> None:
    based.commit("chore: z", {"z.txt": FORTY})
    based.write("z.txt", edited(FORTY, 3, 15, 30).replace("edited", "very long " * 20))
    session = session_of(based)
    session.set_message(2, "build: update packages\n" + "\n- one\n" * 30)
    session.move(session.units_of(0), 2)

    async def look(pilot: Pilot[bool]) -> list[tuple[bool, bool]]:
        view = pilot.app.query_one(HunkTree)
        found = []
        for keys in (("F", "down", "n", "end"), ("up", "up"), ("home",), ("n",), ("n",), ("right", "right")):
            await press(pilot, *keys)
            await pilot.pause()
            found.append((0 <= view.cursor_line - view.scroll_offset.y < view.size.height, view.scroll_offset.x > 0))
        return found

    seen = conduct(session, based, look, size=(80, 16))
    assert seen == [(True, False)] * 5 + [(True, True)]
