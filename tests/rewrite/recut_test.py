"""`range`: commits of the branch are cut anew."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.git.transaction.journal import RefMove
from smartcommit.split.apply import Prepared
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING
from tests.support.repository import Repo
from tests.support.splitting import status_of


@pytest.fixture
def kept(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with two commits on top of the branch `start`, whose messages fit; it is the current directory."""
    monkeypatch.chdir(based.path)
    based.git("branch", "start")
    based.commit("feat: add the first part", {"first.txt": "first\n"})
    based.commit("feat: add the second part", {"second.txt": "second\n"})
    return based


def test_undo_keeps_what_was_staged_since(kept: Repo) -> None:
    kept.commit("wip", {"third.txt": "third\n"})
    old = kept.git("rev-parse", "HEAD").strip()
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    kept.stage({"later.txt": "later\n"})
    kept.write("later.txt", "and changed\n")
    before = kept.git("ls-files", "--stage", "-v", "--debug"), status_of(kept)
    assert git_smart_commit(["undo"]) == DONE
    assert kept.git("rev-parse", "HEAD").strip() == old
    assert (kept.git("ls-files", "--stage", "-v", "--debug"), status_of(kept)) == before


def test_an_amend_replaces_the_message(kept: Repo) -> None:
    message = "amend! feat: add the second part\n\nfeat: add another part\n\nBecause.\n"
    kept.commit(message, {"second.txt": "second\nmore of it\n"})
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    assert kept.message("HEAD") == "feat: add another part\n\nBecause.\n\n"


def test_nothing_happens_if_every_message_fits(kept: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    old = kept.git("rev-parse", "HEAD")
    assert git_smart_commit(["range", "start..", "--yes"]) == NOTHING
    assert kept.git("rev-parse", "HEAD") == old
    assert capsys.readouterr().out == "nothing to change: the commits stay as they are\n"


COUNT = "def count():\n    return {}\n\n\ndef name():\n    return {!r}\n"
LIST = "x = [\n    1,\n]\n"
OPENED = "x = [\n    (\n    1,\n]\n"
CLOSED = "x = [\n    (\n    1,\n    ),\n]\n"
Files = dict[str, str]
# What is at `start`, the commits above it, and once they are cut anew: their subjects, how many of them are the old
# ones, and some contents.
CASES: dict[str, tuple[Files, list[tuple[str, Files]], list[str], int, dict[str, str]]] = {
    "a fixup": (
        {},
        [
            ("feat: add a", {"a.txt": "a\n"}),
            ("feat: add b", {"b.txt": "b\n"}),
            ("fixup! feat: add b", {"b.txt": "b\nmore\n"}),
        ],
        ["feat: add a", "feat: add b"], 1, {},
    ),
    # The first commit's line is replaced by the second, which stays; only the review's line moves.
    "lines that a later commit replaces": (
        {},
        [
            ("feat: count to three", {"a.py": COUNT.format(3, "a")}),
            ("feat: count to four", {"a.py": COUNT.format(4, "a")}),
            ("address review", {"a.py": COUNT.format(4, "b")}),
        ],
        ["feat: count to three", "feat: count to four"], 0, {"HEAD^:a.py": COUNT.format(3, "b")},
    ),
    # The last line is in no hunk from `start` to HEAD, but in one of each commit.
    "a line that was away for a while": (
        {"f.txt": "one\ntwo\nthree\n"},
        [("feat: spell one", {"f.txt": "ONE\ntwo\n"}), ("wip", {"f.txt": "ONE\ntwo\nthree\n", "g.txt": "g\n"})],
        ["feat: spell one", "chore: add g.txt"], 1, {},
    ),
    "no last line break": (
        {"f.txt": "one\ntwo\nthree"},
        [
            ("feat: add alpha", {"f.txt": "one\ntwo\nalpha\nthree"}),
            ("feat: add beta", {"f.txt": "one\ntwo\nbeta\nthree"}),
            ("feat: add gamma", {"f.txt": "one\nc1\nc2\nc3\nbeta\nc4\nc5"}),
            ("wip", {"g.txt": "g\n"}),
        ],
        ["feat: add alpha", "feat: add beta", "feat: add gamma", "chore: add g.txt"], 3, {},
    ),
    # In the whole range the file is new.
    "a new commit is described by what is below it": (
        {},
        [
            ("feat: say more", {"more.txt": "first\nlast\n"}),
            ("feat: say the most", {"more.txt": "first\nlast\nmost\n"}),
            ("wip", {"more.txt": "first\nlast\nbetween\nmost\n"}),
        ],
        ["feat: say more", "feat: say the most", "chore: add between to more.txt"], 2, {},
    ),
    "what a kept commit needs comes later": (
        {"x.py": LIST}, [("feat: pair them", {"x.py": OPENED}), ("wip", {"x.py": CLOSED})], ["feat: pair them"], 0, {},
    ),
    "what a kept commit needs comes before": (
        {"x.py": LIST}, [("wip", {"x.py": OPENED}), ("feat: pair them", {"x.py": CLOSED})], ["feat: pair them"], 0, {},
    ),
    # What was broken between two commits that stay is not mended, but the next file is.
    "what is broken between kept commits": (
        {"a.py": LIST, "x.py": LIST},
        [
            ("feat: pair them", {"a.py": OPENED, "x.py": OPENED}),
            ("wip", {"x.py": CLOSED}),
            ("fix: close it", {"a.py": CLOSED}),
        ],
        ["feat: pair them", "fix: close it"], 0, {"HEAD^:a.py": OPENED, "HEAD^:x.py": CLOSED},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_line_goes_into_the_commit_it_belongs_to(kept: Repo, case: str) -> None:
    base, commits, subjects, same, contents = CASES[case]
    kept.commit("chore: base", base)
    kept.git("branch", "--force", "start")
    old = [kept.commit(message, files) for message, files in commits]
    tree = kept.git("rev-parse", "HEAD^{tree}")
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    assert kept.subjects("start..") == subjects
    assert kept.git("rev-parse", "HEAD^{tree}") == tree
    assert {name: kept.git("show", name) for name in contents} == contents
    new = kept.git("rev-list", "--reverse", "start..").split()
    assert new[:same] == old[:same]
    assert new[same] not in old


def test_files_parse_between_commits_that_share_them(kept: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    kept.commit("wip", {"package.json": '{\n  "name": "a",\n  "main": "x.js"\n}\n'})
    kept.commit("feat: add a second entry", {"package.json": '{\n  "name": "a",\n  "main": "x.js",\n  "b": 1\n}\n'})
    kept.commit("fix", {"package.json": '{\n  "name": "a",\n  "main": "y.js",\n  "b": 1,\n  "c": 2\n}\n'})
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    assert "feat: add a second entry" in kept.subjects("start..")
    assert "is gone" not in capsys.readouterr().out
    for commit in kept.git("log", "--format=%H", "start..", "--", "package.json").split():
        json.loads(kept.git("show", f"{commit}:package.json"))


@pytest.mark.parametrize("others", [[], [{"other.txt": "two\n"}]], ids=["alone", "beside one of the same title"])
def test_a_commit_of_which_no_line_is_left_is_said_to_be_gone(
    kept: Repo, others: list[dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    kept.commit("feat: say two", {"first.txt": "first\ntwo\n"})
    for files in others:
        kept.commit("feat: say two", files)
    kept.commit("wip", {"first.txt": "first\n", "third.txt": "third\n"})
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    assert kept.subjects("start..").count("feat: say two") == len(others)
    assert "'feat: say two' is gone: no line of it is left\n" in capsys.readouterr().out


def test_authors_dates_and_messages_are_kept(kept: Repo) -> None:
    kept.git("branch", "-f", "start")
    grace = {"GIT_AUTHOR_NAME": "Grace", "GIT_AUTHOR_EMAIL": "grace@example.invalid"}
    commit_as(kept, "fix: use the caf\xe9", {"a.txt": "a\n"}, date="1700000000 +0530", encoding="latin-1", **grace)
    commit_as(kept, "wip", {"b.py": "b = 1\n"}, date="1700000100 +0000")
    commit_as(kept, "feat: add the third part\n\nWhy.  \n", {"c.txt": "c\n" * 5}, date="1700000200 +0000", **grace)
    commit_as(kept, "fixup! feat: add the third part", {"c.txt": "c\n" * 5 + "d\n"}, date="1700000300 +0200")
    raw = kept.git("cat-file", "commit", "HEAD~3")
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    assert kept.git("cat-file", "commit", "HEAD~2") == raw
    authors = kept.git("log", "--reverse", "--date=raw", "--format=%an %ad", "start..").splitlines()
    assert authors == ["Grace 1700000000 +0530", "Ada Author 1700000100 +0000", "Grace 1700000300 +0200"]
    credit = "Co-authored-by: Ada Author <ada@example.invalid>"
    assert kept.message("HEAD") == f"feat: add the third part\n\nWhy.\n\n{credit}\n\n"


def test_a_stack_has_a_branch_for_each_commit_and_needs_one(kept: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    kept.commit("fixup! feat: add the second part", {"second.txt": "second\nmore\n"})
    kept.commit("docs: describe both parts", {"docs/guide.md": "# A guide\n"})
    before = kept.git("for-each-ref")
    assert git_smart_commit(["range", "start..", "--yes", "--branches"]) == DONE
    names = ["main-1-add-the-first-part", "main-2-add-the-second-part", "main"]
    commits = kept.git("log", "--reverse", "--format=%H", "start..").split()
    assert kept.git("rev-parse", *names).split() == commits
    assert f"branch 'main-2-add-the-second-part' is at {commits[1][:10]}\n" in capsys.readouterr().out
    assert git_smart_commit(["undo"]) == DONE
    assert kept.git("for-each-ref") == before
    kept.git("checkout", "-q", "--detach")
    assert git_smart_commit(["range", "start..", "--yes", "--branches"]) == GIT_FAILED
    assert "git switch -c NAME" in capsys.readouterr().err


@pytest.mark.parametrize("updates", [True, False])
def test_other_branches_move_as_in_rebase(kept: Repo, capsys: pytest.CaptureFixture[str], *, updates: bool) -> None:
    kept.git("config", "rebase.updateRefs", str(updates))
    kept.git("branch", "same", "HEAD^")
    kept.git("branch", "moved", "HEAD")
    kept.commit("fixup! feat: add the second part", {"second.txt": "second\nmore\n"})
    kept.git("branch", "behind", "HEAD")
    kept.commit("docs: describe both parts", {"docs/guide.md": "# A guide\n"})
    before = kept.git("for-each-ref")
    same, moved = kept.git("rev-parse", "same", "moved").split()
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    expected = kept.git("rev-parse", "HEAD^").strip() if updates else moved
    assert kept.git("rev-parse", "same", "moved").split() == [same, expected]
    out = capsys.readouterr().out
    assert "branch 'behind' still has the old commits\n" in out
    assert ("branch 'moved' still has the old commits\n" in out) is not updates
    assert git_smart_commit(["undo"]) == DONE
    assert kept.git("for-each-ref") == before


def begin_rebase(other: Repo) -> None:
    other.git("rebase", "-q", "-i", "--no-update-refs", "HEAD~", env={"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/edit/"})


def begin_bisection(other: Repo) -> None:
    other.git("bisect", "start", "HEAD", "start")


@pytest.mark.parametrize(
    ("begin", "end"), [(begin_rebase, ("rebase", "--continue")), (begin_bisection, ("bisect", "reset"))]
)
def test_a_branch_that_another_worktree_is_at_work_on_stays(
    kept: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path, begin: Callable[[Repo], None], end: tuple[str, ...]
) -> None:
    kept.git("config", "rebase.updateRefs", "true")
    kept.git("branch", "moved", "HEAD")
    kept.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "other"))
    other = Repo(tmp_path / "other")
    kept.commit("fixup! feat: add the second part", {"second.txt": "second\nmore\n"})
    before = kept.git("rev-parse", "side", "moved").split()
    begin(other)
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    note = "branch 'side' still has the old commits: a worktree is rebasing or bisecting it\n"
    assert note in capsys.readouterr().out
    assert kept.git("rev-parse", "side", "moved").split() == [before[0], kept.git("rev-parse", "HEAD").strip()]
    other.git(*end)
    # An undo leaves alone what is rebased by now, too.
    other.git("switch", "-q", "moved")
    begin(other)
    moved = kept.git("rev-parse", "moved").strip()
    assert git_smart_commit(["undo"]) == DONE
    assert "'refs/heads/moved' was moved since, or a worktree uses it" in capsys.readouterr().err
    other.git(*end)
    assert kept.git("rev-parse", "side", "moved").split() == [before[0], moved]


def test_of_two_at_once_that_make_the_same_commits_one_is_refused(
    kept: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.commit("fixup! feat: add the second part", {"second.txt": "second\nmore\n"})
    before = kept.git("for-each-ref")
    publish = Prepared.publish

    def publish_second(prepared: Prepared, refs: Sequence[RefMove] = ()) -> None:
        monkeypatch.setattr(Prepared, "publish", publish)
        assert git_smart_commit(["range", "start..", "--yes"]) == DONE
        publish(prepared, refs)

    monkeypatch.setattr(Prepared, "publish", publish_second)
    assert git_smart_commit(["range", "start..", "--yes", "--branches"]) == GIT_FAILED
    assert "HEAD has moved in the meantime" in capsys.readouterr().err
    assert "main-1" not in kept.git("branch")
    assert git_smart_commit(["undo"]) == DONE
    assert kept.git("for-each-ref") == before
    assert not list(kept.path.glob(".git/smartcommit/split/*"))


def test_notes_follow_as_in_a_rebase(kept: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    kept.git("config", "notes.rewriteRef", "refs/notes/commits")
    kept.git("notes", "add", "-m", "reviewed", "HEAD")
    kept.commit("fixup! feat: add the second part", {"second.txt": "second\nmore\n"})
    before = kept.git("for-each-ref")
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    assert kept.git("notes", "show", "HEAD") == "reviewed\n"
    assert git_smart_commit(["undo"]) == DONE
    assert kept.git("for-each-ref") == before
    # Notes that somebody has added to since stay.
    assert git_smart_commit(["range", "start..", "--yes"]) == DONE
    kept.git("notes", "append", "-m", "again", "HEAD")
    notes = kept.git("for-each-ref", "refs/notes")
    assert git_smart_commit(["undo"]) == DONE
    assert kept.git("for-each-ref", "refs/notes") == notes
    stays = "'refs/notes/commits' was moved since, or a worktree uses it: it stays where it is"
    said = capsys.readouterr().err
    assert stays in said
    assert "recover" not in said


def test_a_saved_plan_can_be_edited_and_applied(kept: Repo) -> None:
    kept.commit("fixup! feat: add the second part", {"second.txt": "second\nmore\n", "first.txt": "first\nmore\n"})
    kept.commit("wip", {"parser.py": "def parse():\n    return 1\n"})
    plan, tree = kept.path.parent / "plan.json", kept.git("rev-parse", "HEAD^{tree}")
    assert git_smart_commit(["range", "start..", "--dry-run", "--save-plan", str(plan)]) == DONE
    document = json.loads(plan.read_text())
    last = document["commits"].pop()
    document["commits"][0]["units"] += last["units"]
    document["commits"][1]["message"] = "feat: add the other part\n"
    plan.write_text(json.dumps(document))
    assert git_smart_commit(["range", "start..", "--yes", "--plan", str(plan)]) == DONE
    assert kept.subjects("start..") == ["feat: add the first part", "feat: add the other part"]
    assert kept.git("show", "HEAD^:parser.py") == "def parse():\n    return 1\n"
    assert kept.git("rev-parse", "HEAD^{tree}") == tree


def test_a_plan_that_divides_the_lines_anew_can_be_applied(kept: Repo) -> None:
    """Both commits change what is one hunk of git's between the ends."""
    lines = [f"line {number}\n" for number in range(9)]
    kept.commit("feat: add the lines", {"lines.txt": "".join(lines)})
    kept.git("branch", "-f", "start")
    lines[1] = lines[7] = "a\n"
    kept.commit("feat: change the outer lines", {"lines.txt": "".join(lines)})
    lines[2] = "b\n"
    kept.commit("feat: change another line", {"lines.txt": "".join(lines)})
    plan = kept.path.parent / "plan.json"
    assert git_smart_commit(["range", "start..", "--dry-run", "--strategy", "hunk", "--save-plan", str(plan)]) == DONE
    assert git_smart_commit(["range", "start..", "--yes", "--plan", str(plan)]) == DONE
    assert [kept.git("show", f"{commit}:lines.txt") for commit in ("HEAD", "HEAD^")] == [
        "".join(lines), "".join([*lines[:7], "line 7\n", *lines[8:]])
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda plan: plan["commits"].reverse(), "'feat: count to three' would change nothing"),
        (
            lambda plan: plan.update(skipped=plan["commits"].pop()["units"]),
            "'wip.txt::1' is in no commit, but it is committed already",
        ),
    ],
    ids=["reversed", "skipped"],
)
def test_a_plan_cannot_take_lines_out_or_leave_a_commit_without_a_change(
    kept: Repo, capsys: pytest.CaptureFixture[str], edit: Callable[[dict[str, Any]], object], said: str
) -> None:
    kept.commit("feat: count to three", {"count.txt": "three\n"})
    kept.commit("feat: count to four", {"count.txt": "four\n"})
    kept.commit("wip", {"wip.txt": "w\n"})
    head, file = kept.git("rev-parse", "HEAD"), kept.path.parent / "plan.json"
    assert git_smart_commit(["range", "HEAD~3..", "--dry-run", "--save-plan", str(file)]) == DONE
    plan = json.loads(file.read_text())
    edit(plan)
    file.write_text(json.dumps(plan))
    assert git_smart_commit(["range", "HEAD~3..", "--plan", str(file), "--yes"]) == GIT_FAILED
    assert said in capsys.readouterr().err
    assert kept.git("rev-parse", "HEAD") == head


@pytest.mark.parametrize("options", [[], ["--count", "2"], ["--strategy", "file"]])
def test_the_state_of_the_executors_plans_stays_committed(kept: Repo, options: list[str]) -> None:
    plan = ".smartcommit/plans/ye0ApI-parts/plan.json"
    kept.commit("[rafa] Complete task t01: add it", {plan: '{"status": "in_progress"}\n', "third.txt": "third\n"})
    kept.commit("[rafa] Complete task t02: do nothing", {plan: '{"status": "completed"}\n'})
    tree = kept.git("rev-parse", "HEAD^{tree}")
    assert git_smart_commit(["range", "start..", *options, "--yes"]) == DONE
    assert kept.git("rev-parse", "HEAD^{tree}") == tree
    assert "[rafa]" not in kept.git("log", "--format=%s", "start..")
    assert status_of(kept) == ""


def test_merges_become_part_of_the_commits(kept: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    kept.git("checkout", "-q", "-b", "side", "start")
    kept.commit("feat: add a side part", {"side.txt": "side\n"})
    kept.git("checkout", "-q", "main")
    kept.git("merge", "-q", "--no-edit", "side")
    tree = kept.git("rev-parse", "HEAD^{tree}")
    assert git_smart_commit(["range", "start..", "--yes"]) == GIT_FAILED
    assert "--allow-merges" in capsys.readouterr().err
    assert git_smart_commit(["range", "start..", "--yes", "--allow-merges"]) == DONE
    assert kept.git("rev-list", "--merges", "start..") == ""
    assert kept.git("rev-parse", "HEAD^{tree}") == tree


def commit_as(
    repo: Repo, message: str, files: dict[str, str], *, date: str, encoding: str = "utf-8", **who: str
) -> None:
    repo.stage(files)
    repo.git(
        "-c", f"i18n.commitEncoding={encoding}", "commit", "-q", "-F", "-",
        stdin=message.encode(encoding), env={"GIT_AUTHOR_DATE": date, **who},
    )  # fmt: skip
