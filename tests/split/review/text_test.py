"""The review by text commands, on a real pseudo-terminal."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.message.rules import Rules
from smartcommit.split.review.render import HUNK_LINES, LINE_WIDTH
from smartcommit.split.review.session import Session
from smartcommit.split.review.text import CONFIRM_QUIT, TextReview
from tests.support.repository import Repo
from tests.support.reviewing import COMMITS, held, reviewed_once, session_of, subjects, with_open
from tests.support.table import rows
from tests.support.tty import person


@pytest.fixture
def based(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The repository of `session`, whose files no test changes."""
    return reviewed_once(tmp_path_factory).repo


def reviewed(
    session: Session, repo: Repo, *answers: str, can_replan: bool = False, lines: int = 200
) -> tuple[bool, str]:
    """Whether the person who gives `answers` agrees in the end, and what was shown."""
    repository = Repository.find(str(repo.path))
    with person("".join(f"{answer}\n" for answer in answers), lines=lines) as somebody:
        agreed = TextReview(session, somebody.terminal, repository, can_replan=can_replan).run()
    return agreed, somebody.shown


A, B, C = (commit["hunks"] for commit in COMMITS)
ACTIONS: dict[str, tuple[Sequence[str], list[list[str]]]] = {
    "subject": (("s 1 feat: log in",), [A, B, C]),
    "merge, shortly": (("m 3 1",), [B, [*C, *A]]),
    "merge several": (("m 3 1-2",), [[*C, *B, *A]]),
    "merge several, one of them twice": (("m 2 3 1 3",), [[*C, *B, *A]]),
    "squash several": (("squash 2 3 1",), [[*C, *B, *A]]),
    "delete": (("d 2",), [A, C]),
    "move": (("mo 1.3 3",), [A[:2], B, [*C, A[2]]]),
    "move several": (("move 1.1-2 2", "move 2.1 2.2 new"), [A[2:], A[:2], C, B]),
    "move a whole commit": (("mo 1 3",), [B, [*C, *A]]),
    "move what is there in part": (("mo 2 3.1 3",), [A, [*C, *B]]),
    "move all hunks of two commits to a new one": (("mo 2 3 new",), [A, [*C, *B]]),
    "move out": (("mo 1.2 0",), [[A[0], A[2]], B, C]),
    "move out and back": (("mo 1.2 0", "mo 0.1 3"), [[A[0], A[2]], B, [*C, A[1]]]),
    "split": (("split 1 file",), [A[:2], A[2:], B, C]),
    "cut": (("cut 1.1 1 0", "mo 1.2 3"), [[f"{A[0]}.1", *A[1:]], B, [*C, f"{A[0]}.2"]]),
    "cut and take it back": (("c 1.1 0 1", "cu 1.3 0 1", "u", "u", "mo 1.1 3"), [A[1:], B, [*C, A[0]]]),
    "order": (("o 3 1",), [C, A, B]),
    "order to where it is": (("o 2 2",), [A, B, C]),
    "undo": (("m 1 2", "d 1", "u", "u"), [A, B, C]),
    "case does not matter": (("MERGE 1 2",), [[*B, *A], C]),
}


@rows("name", *ACTIONS)
def test_each_command_changes_the_commits_as_it_says(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    commands, expected = ACTIONS[name]
    shared = reviewed_once(tmp_path_factory)
    session = shared.review()
    agreed, shown = reviewed(session, shared.repo, *commands, "y")
    assert agreed, shown
    assert held(session) == expected


def test_the_commits_are_listed_again_after_each_step(session: Session, based: Repo) -> None:
    _, shown = reviewed(session, based, "s 2 build: pin packages", "d 3", "q", "q")
    assert shown.count("1. feat: add login") == 3
    assert shown.count("2. build: update packages") == 1
    assert shown.count("2. build: pin packages") == 2
    assert shown.count("skipped: docs/guide.md::1") == 1


def test_open_titles_are_shown_first_and_typed_one_after_the_other(session: Session, based: Repo) -> None:
    session = with_open(session, 2, 3)
    agreed, shown = reviewed(session, based, "t pin packages", "t docs(guide): tell it", "t more", "y")
    assert agreed, shown
    assert subjects(session)[1:] == ["build: pin packages", "docs(guide): tell it"]
    assert [line for line in shown.splitlines() if " left open: no." in line or "(open)" in line] == [
        "titles left open: no. 2, 3", " 2. build: update packages  (open)", " 3. docs: tell about it  (open)",
        "title left open: no. 3", " 3. docs: tell about it  (open)",
    ]  # fmt: skip
    assert "[y, q, t TITLE for commit 2, ? for help]" in shown
    assert "no title is open" in shown


# What is typed, and how often the review asks whether to discard edits then.
QUIT = [
    (("", "q"), 0), (("quit",), 0), (("n",), 0), (("\x04",), 0), (("m 1 2", "\x04"), 0), (("m 1 2", "u", "q"), 0),
    (("o 1 2", "o 2 1", "q"), 0), (("m 1 2", "q", "", "n", "no", "q", "y"), 3), (("m 1 2", "q", "YES"), 1),
    (("m 1 2", "no", "quit"), 1), (("m 1 2", "q", "\x04"), 1),
]  # fmt: skip


@rows(("answers", "asked"), *QUIT)
def test_quitting_is_not_agreeing_and_asked_once_where_commits_were_edited(
    tmp_path_factory: pytest.TempPathFactory, answers: Sequence[str], asked: int
) -> None:
    shared = reviewed_once(tmp_path_factory)
    agreed, shown = reviewed(shared.review(), shared.repo, *answers)
    assert (agreed, shown.count(f"{CONFIRM_QUIT} [y/N] ")) == (False, asked)


NONSENSE = {
    "cut 1.1": "expected 2 numbers",
    "cut 1.1 1 1": "one half would change nothing",
    "cut 1.3 0 1": "cannot cut 'src/login.py::1': not a hunk of modified text",
    "frobnicate": "unknown command 'frobnicate'",
    "v": "expected one number",
    "v x": "'x' is not a number",
    "m": "missing number",
    "m 1 3-2": "'3-2' names no commit",
    "m 1 2-9999999": "no commit 4",
    "m 2 1 2": "cannot be merged with itself",
    "m 2": "no commit to merge",
    "d 0": "no commit 0",
    "o 1 4": "no commit 4",
    "mo": "missing number",
    "mo 1": "no hunk given",
    "mo 1.1 1": "already in that commit",
    "mo 1 2 3 0": "cannot skip every hunk",
    "mo 1.4 2": "no hunk named '1.4'",
    "mo 1.2-1 2": "no hunk named '1.2-1'",
    "sp 2": "commit 2 belongs together and was not split",
    "sp 1 words": "cannot split a commit by 'words'",
    "s 1": "a subject must be a single line",
    "s 1 whatever": "header-form",
    "u": "nothing to undo",
    "cr": "unknown command 'cr'",
    "r better": "unknown command 'r'",
    "v \u00b2": "is not a number",
    "\x1b[2J": "unknown command",
}


@rows("answer", *NONSENSE)
def test_nonsense_is_answered_and_changes_nothing(session: Session, based: Repo, answer: str) -> None:
    before = session.plan
    agreed, shown = reviewed(session, based, answer, "q")
    assert NONSENSE[answer] in shown
    assert not agreed
    assert session.plan == before
    # What was typed is echoed by the terminal itself, in its own way.
    assert "\x1b" not in shown


def test_help_lists_what_can_be_done_and_nothing_else(session: Session, based: Repo) -> None:
    shown = reviewed(session, based, "?", "q")[1]
    assert "mo(ve) HUNK... N" in shown
    assert "reclassify" not in shown
    assert "r(eclassify)" in reviewed(session, based, "?", "q", can_replan=True)[1]


def test_view_shows_message_and_diff_with_the_names_of_the_hunks(session: Session, based: Repo) -> None:
    shown = reviewed(session, based, "v 1", "q")[1]
    assert "? for help] feat: add login\n\n- for users\n\nwhy: same kind of file in src\n\n[1.1] " in shown
    assert "[1.1] src/app.py::1\n@@ -1,7 +1,7 @@\n line 0\n" in shown
    assert " line 2\n-line 3\n+edited 3\n line 4\n line 5\n line 6\n[1.2] src/app.py::2\n" in shown
    assert "[1.3] src/login.py::1 (+2 -0)\nnew\n+def login():\n" in shown


def test_colours_are_shown_unless_not_wanted(session: Session, based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in reviewed(session, based, "v 1", "q")[1]
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm")
    shown = reviewed(session, based, "v 1", "q")[1]
    assert "\x1b[31m-line 3\x1b[0m\n\x1b[32m+edited 3\x1b[0m\n" in shown
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b[" not in reviewed(session, based, "v 1", "q")[1]


def test_long_diffs_are_bounded(repo: Repo) -> None:
    repo.write("long.txt", "x" * 5000 + "\n" + "y\n" * 1000)
    session = session_of(repo)
    session.move(session.units_of(0), 3)
    shown = reviewed(session, repo, "v 3", "q", "q", lines=2000)[1]
    assert "+" + "x" * (LINE_WIDTH - 1) not in shown.replace("+" + "x" * LINE_WIDTH + "...", "")
    assert shown.count("+y\n") == HUNK_LINES - 1
    assert "881 more lines" in shown


def test_what_is_longer_than_the_window_comes_in_pages(session: Session, based: Repo) -> None:
    shown = reviewed(session, based, "", "", "", "v 1", "", "q", "q", lines=6)[1]
    assert "[1.1] src/app.py::1" in shown
    assert "[1.3]" not in shown
    assert "-- Enter: more, q: quit -- " in shown


def test_the_editor_gets_the_message_above_a_cut_line_and_the_diff_below(
    session: Session, based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "record"
    monkeypatch.setenv("GIT_EDITOR", based.editor(f'cp "$1" {record}; test -t 0 && test -t 1 && test -t 2'))
    agreed, shown = reviewed(session, based, "e 1", "y")
    assert "message unchanged" in shown
    message, _, below = record.read_text().partition("\n# ------------------------ >8 ------------------------\n")
    assert message == "feat: add login\n\n- for users\n"
    assert "[1.1] src/app.py::1\n@@ -1,7 +1,7 @@\n line 0\n" in below
    assert " line 2\n-line 3\n" in below
    assert agreed


@pytest.mark.parametrize(
    "message",
    ["fix: x\n\n# no comment\n#7 is no comment\n", "fix: \u00fc\n\n\ttab  inside\n", "fix: x\n\nRefs: 1\nRefs: 2\n"],
)
def test_a_message_that_is_saved_unchanged_stays_byte_for_byte(
    session: Session, based: Repo, monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    session.set_message(2, message)
    monkeypatch.setenv("GIT_EDITOR", based.editor('cat "$1" > "$1.new" && mv "$1.new" "$1"'))
    reviewed(session, based, "e 2", "y")
    assert session.commit(2).message == message


def test_what_is_edited_becomes_the_message(session: Session, based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_EDITOR", based.editor("sed -i '1s/.*/build: pin packages  /; 2i\\\n\\nWhy.' \"$1\""))
    agreed, shown = reviewed(session, based, "e 2", "y")
    assert agreed, shown
    assert session.commit(2).message == "build: pin packages\n\nWhy.\n"
    assert not (based.path / ".git/smartcommit/COMMIT_EDITMSG").exists()


def test_refused_text_is_kept(session: Session, based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path = tmp_path / "records"
    tmp_path.mkdir()
    script = f'cp "$1" {tmp_path}/$(ls {tmp_path} | wc -l); echo "no header" > "$1"'
    monkeypatch.setenv("GIT_EDITOR", based.editor(script))
    _, shown = reviewed(session, based, "e 2", "e 2", "q")
    assert "header-form" in shown
    assert "edit commit 2 again; the rejected text was kept" in shown
    assert (tmp_path / "1").read_text().startswith("no header\n")
    assert subjects(session)[1] == "build: update packages"


def test_keys_of_an_editor_do_not_end_a_review(session: Session, based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f'kill -INT {os.getpid()}; echo "fix: it in spite of all" > "$1"'
    monkeypatch.setenv("GIT_EDITOR", based.editor(script))
    before = signal.getsignal(signal.SIGINT)
    reviewed(session, based, "e 2", "y")
    assert subjects(session)[1] == "fix: it in spite of all"
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("script", ["", 'rm "$1"'], ids=["nowhere to write", "nothing to read"])
def test_a_message_file_that_cannot_be_used_is_named(repo: Repo, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    session = session_of(repo)
    if not script:
        repo.write(".git/smartcommit", "in the way")
    monkeypatch.setenv("GIT_EDITOR", repo.editor(script))
    _, shown = reviewed(session, repo, "e 2", "q")
    assert "smartcommit/COMMIT_EDITMSG'" in shown
    assert subjects(session)[1] == "build: update packages"


def test_what_moves_along_is_told(session: Session, based: Repo) -> None:
    _, shown = reviewed(session, based, "m 2 3", "mo 2.3 1", "q", "q")
    assert "moved 2 hunks that belong together" in shown
    assert held(session)[1] == C


def test_a_wish_starts_anew(session: Session, based: Repo) -> None:
    agreed, shown = reviewed(session, based, "r", "m 1 2", "r keep the tests apart", "y", can_replan=True)
    assert "say what to do differently" in shown
    assert (agreed, session.wish, len(session.commits)) == (False, "keep the tests apart", 2)


def test_agreeing_waits_until_every_message_passes(repo: Repo) -> None:
    session = session_of(repo, rules=Rules(types=("feat", "docs", "chore")))
    agreed, shown = reviewed(session, repo, "y", "s 2 chore: update packages", "y")
    assert "commit 2: type-unknown" in shown
    assert "edit its message" in shown
    assert agreed
