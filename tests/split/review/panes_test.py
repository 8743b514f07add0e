"""What is seen in the panes, and how one gets about in them: context, files, folding, keys, the mouse."""

from __future__ import annotations

import random
import re

import pytest
from rich.cells import cell_len
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from smartcommit.split.review.app import ReviewApp
from smartcommit.split.review.commit_list import CommitList
from smartcommit.split.review.hunk_view import HunkView
from smartcommit.split.review.panes import Panes
from smartcommit.split.review.row_list import RowList
from smartcommit.split.review.session import NEW, Session
from smartcommit.split.review.text import ReviewCallbacks
from smartcommit.terminal import printable
from tests.conftest import ROOT
from tests.support.documentation import find_rows
from tests.support.panes import conduct, drive, pointed, press, rows, settle
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.reviewing import COMMITS, held, session_of
from tests.support.situations_split import FORTY, edited

A, B, C = (commit["hunks"] for commit in COMMITS)


def test_a_hunk_is_shown_between_unchanged_lines_with_both_numbers(session: Session, reviewed: Repo) -> None:
    shown = drive(session, reviewed).shown
    place = shown.index("▾ [1.1] src/app.py::1 +1 -1")
    assert shown[place + 1] == "@@ -1,7 +1,7 @@"
    assert shown[place + 2 : place + 7] == ["1 1 line 0", "2 2 line 1", "3 3 line 2", "4 - line 3", "4 + edited 3"]
    assert shown[place + 10 : place + 12] == ["", "▾ [1.2] src/app.py::2 +1 -1"]


def test_files_are_listed_with_what_they_change_and_their_share_of_the_hunks(session: Session, reviewed: Repo) -> None:
    session.move(session.commit(1).units[:1], 3)
    seen = drive(session, reviewed, "down", "down")
    assert seen.listed == [
        "▾ 1. feat: add login +3 -1", "M src/app.py 1/2 +1 -1", "A src/login.py +2 -0",
        "▾ 2. build: update packages +2 -2", "M package-lock.json +1 -1", "M package.json +1 -1",
        "▾ 3. docs: tell about it +2 -1", "A docs/guide.md +1 -0", "M src/app.py 1/2 +1 -1",
    ]  # fmt: skip
    assert (seen.selected, seen.pointed) == ("A src/login.py +2 -0", "▾ [1.2] src/login.py::1 +2 -0")


def test_commits_are_folded_and_unfolded(session: Session, reviewed: Repo) -> None:
    assert drive(session, reviewed, "f").listed[:2] == [
        "▸ 1. feat: add login (2 files) +4 -2", "▾ 2. build: update packages +2 -2",
    ]  # fmt: skip
    assert len(drive(session, reviewed, "F").listed) == len(COMMITS)
    assert drive(session, reviewed, "down", "f", "f", "F", "F").listed == drive(session, reviewed).listed
    assert len(drive(session, reviewed, "F", "n", ">", "tab", "m", "enter").listed) == len(COMMITS) - 1


def test_marks_are_shown_on_commits_files_and_hunks(session: Session, reviewed: Repo) -> None:
    seen = drive(session, reviewed, "down", "space", "tab")
    assert seen.listed[:3] == ["▾◐1. feat: add login +4 -2", "● M src/app.py +2 -2", "A src/login.py +2 -0"]
    assert [line[0] for line in seen.shown if "] src/" in line] == ["●", "●", "▾"]
    assert drive(session, reviewed, "space").listed[0] == "▾●1. feat: add login +4 -2"
    assert drive(session, reviewed, "space", "escape").listed == drive(session, reviewed).listed


def test_hunks_are_folded_and_unfolded_and_can_be_moved_then(session: Session, reviewed: Repo) -> None:
    folded = drive(session, reviewed, "n", "n", "f").shown
    assert folded[folded.index("▸ [1.2] src/app.py::2 +1 -1") + 1] == "▾ [1.3] src/login.py::1 +2 -0"
    assert drive(session, reviewed, "n", "F", "F").shown == drive(session, reviewed).shown
    seen = drive(session, reviewed, "n", "F", ">")
    assert held(session)[1] == [*B, A[0]]
    assert seen.shown[4:] == ["▸ [1.1] src/app.py::2 +1 -1", "▸ [1.2] src/login.py::1 +2 -0"]


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
    async def walk(pilot: Pilot[bool]) -> list[str]:
        found = []
        for key in ["n", "]"] * 3 + ["n"] + ["p", "["] * 3:
            await press(pilot, key)
            await pilot.pause()
            found.append(pointed(pilot.app).split()[1])
        return found

    names = [f"[{name}]" for name in ("1.1", "1.2", "1.3", "2.1", "2.2", "3.1")]
    assert conduct(session, reviewed, walk) == [*names, names[-1], *names[-2::-1], names[0]]


OFFERS = ReviewCallbacks(critique=lambda commits: "", reclassify=True)


def told_keys(session: Session, repo: Repo, offers: ReviewCallbacks | None = None) -> list[str]:
    """What the help shows, a key and what it does on each line."""
    (told,) = drive(session, repo, "question_mark", offers=offers).overlay
    return told.splitlines()


def test_every_key_that_does_something_is_told(session: Session, reviewed: Repo) -> None:
    bound = set()
    for owner in (ReviewApp, Panes, RowList, HunkView):
        for binding in Binding.make_bindings(owner.BINDINGS):
            bound.add(binding.tooltip)
    told = told_keys(session, reviewed, OFFERS)
    assert len(told) == len(bound)
    for line in told:
        assert any(line.endswith(f" {what}") for what in bound)
    assert not any("the model" in line for line in told_keys(session, reviewed))


def test_the_manual_names_keys_of_the_panes(session: Session, reviewed: Repo) -> None:
    keys = []
    for row in find_rows(ROOT / "docs" / "splitting.md"):
        if row[0].startswith("`y`") or (keys and len(row) == 3):
            keys += re.findall(r"`(.)`", row[1])
    assert len(keys) >= 15
    told = told_keys(session, reviewed, OFFERS)
    assert [key for key in keys if not any(re.match(rf"(\S+, )*{re.escape(key)},? ", line) for line in told)] == []


@pytest.mark.parametrize("width", [56, 120])
def test_the_keys_at_the_bottom_are_whole(session: Session, reviewed: Repo, width: int) -> None:
    async def look(pilot: Pilot[bool]) -> list[tuple[str, bool]]:
        bar = pilot.app.query_one(Footer).region
        return [(key.key_display, key.region in bar) for key in pilot.app.query(FooterKey)]

    keys = conduct(session, reviewed, look, size=(width, 24))
    assert keys == [(key, True) for key in "yq?egmu"]


def test_a_click_on_a_key_is_as_good_as_the_key(session: Session, reviewed: Repo) -> None:
    async def click(pilot: Pilot[bool]) -> bool | None:
        await pilot.click(FooterKey, offset=(2, 0))
        await pilot.pause()
        return pilot.app.return_value

    assert conduct(session, reviewed, click) is True


# From a row of one of the panes to a row of the left one, and what is held then.
DRAGS: dict[str, tuple[type[RowList], int, int, list[list[str]]]] = {
    "a heading to a commit": (HunkView, 4, 4, [A[1:], [*B, A[0]], C]),
    "the heading of a second hunk": (HunkView, 15, 4, [[A[0], *A[2:]], [*B, A[1]], C]),
    "a line to a file of a commit": (HunkView, 8, 5, [A[1:], [*B, A[0]], C]),
    "to the space below": (HunkView, 4, 15, [A[1:], B, C, A[:1]]),
    "to the new commit": (HunkView, 4, 8, [A[1:], B, C, A[:1]]),
    "to what is skipped": (HunkView, 4, 9, [A[1:], B, C]),
    "a file": (CommitList, 1, 6, [A[2:], B, [*C, *A[:2]]]),
    "a commit": (CommitList, 0, 6, [A, B, C]),
    "the message": (HunkView, 0, 4, [A, B, C]),
    "to where it is": (HunkView, 4, 0, [A, B, C]),
}


@pytest.mark.parametrize("name", list(DRAGS)[:: choose(fast=2, full=1)])
def test_hunks_and_files_are_dragged_to_commits(session: Session, reviewed: Repo, name: str) -> None:
    pane, begin, end, expected = DRAGS[name]

    async def drag(pilot: Pilot[bool]) -> list[list[str]]:
        await pilot.mouse_down(pane, offset=(9, begin))
        await pilot.hover(CommitList, offset=(5, end))
        await pilot.pause()
        assert held(session) == [A, B, C]
        await pilot.mouse_up(CommitList, offset=(5, end))
        await pilot.pause()
        return held(session)

    assert conduct(session, reviewed, drag) == expected


def test_what_is_dropped_elsewhere_stays(session: Session, reviewed: Repo) -> None:
    async def drag(pilot: Pilot[bool]) -> list[str]:
        await pilot.mouse_down(HunkView, offset=(9, 4))
        await pilot.hover(CommitList, offset=(5, 4))
        await pilot.hover(HunkView, offset=(9, 9))
        await pilot.mouse_up(HunkView, offset=(9, 9))
        await pilot.pause()
        return rows(pilot.app.query_one(CommitList))

    assert conduct(session, reviewed, drag) == drive(session, reviewed).listed
    assert held(session) == [A, B, C]


PRESSED = [
    "n", "p", "j", "k", "<", ">", "space", "f", "F", "tab", "d", "u", "K", "J", "escape", "pagedown", "end", "home",
]  # fmt: skip
ANSWERED = [
    ("g", "enter"), ("g", "0", "enter"), ("g", "2", "enter"), ("m", "enter"), ("x", "enter"), ("s", "enter"),
    ("F", "home", "space", "j", "space", "j", "m"), ("tab", "space", "down", "space", "g", "1", "enter"),
]  # fmt: skip


# Random steps, of which most say that there is nothing to do.
STEPS = choose(fast=40, full=120)


@pytest.mark.parametrize("seed", range(choose(fast=1, full=4)))
def test_no_key_loses_or_doubles_a_hunk_and_every_step_can_be_undone(
    session: Session, reviewed: Repo, seed: int
) -> None:
    numbers = random.Random(seed)
    first = session.plan

    async def press_some(pilot: Pilot[bool]) -> int:
        edits = 0
        panes = pilot.app.query_one(CommitList), pilot.app.query_one(HunkView)
        # What is drawn is asked for below; to paint the screen after each key takes most of the time.
        with pilot.app.batch_update():
            for _ in range(STEPS):
                before = session.commits
                await press(pilot, *numbers.choice([*((key,) for key in PRESSED), *ANSWERED]))
                if len(pilot.app.screen_stack) > 1:
                    await press(pilot, "escape")
                session.plan.check(session.units)
                assert all(map(rows, panes))
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
        view, commits = pilot.app.query_one(HunkView), pilot.app.query_one(CommitList)
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


def test_a_commit_that_needs_scrolling_is_shown_at_its_cursor_and_beside_the_scroll_bar(based: Repo) -> None:
    based.commit("chore: z", {"z.txt": FORTY})
    based.write("z.txt", edited(FORTY, 3, 15, 30).replace("edited", "very long " * 20))
    session = session_of(based)
    session.move(session.units_of(0), 2)

    async def look(pilot: Pilot[bool]) -> tuple[bool, list[str]]:
        view = pilot.app.query_one(HunkView)
        for key in ("end", "up", "up"):
            await press(pilot, key)
            await pilot.pause()
        shown = [view.render_line(y).text for y in range(view.size.height)]
        return 0 <= view.cursor - view.scroll_offset.y < view.size.height, shown

    visible, shown = conduct(session, based, look, size=(80, 12))
    assert visible
    assert {line[-1] for line in shown} == {" "}
    assert [line[-2] for line in shown if "very long" in line] == ["›"]


def test_a_line_says_on_both_sides_that_there_is_more_of_it(based: Repo) -> None:
    based.write("a.txt", "0123456789" * 9 + "\nshort\n\n" + "0123456789" * 5 + "\n")
    session = session_of(based)
    session.move(session.units_of(0), NEW)
    shown = drive(session, based, "end", "tab", "right", size=(80, 20)).shown
    assert shown[4:8] == [f"1 +‹89{'0123456789' * 4}›", "2 +‹", "3 +", f"4 +‹89{'0123456789' * 4}"]


def test_the_colors_can_be_switched(session: Session, reviewed: Repo) -> None:
    async def switch(pilot: Pilot[bool]) -> list[bool]:
        dark = [pilot.app.current_theme.dark]
        await press(pilot, "t")
        return [*dark, pilot.app.current_theme.dark]

    assert conduct(session, reviewed, switch) == [True, False]
