"""`absorb`: hunks go into the commits that they belong to, and nothing else changes."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.git.repo import Repository
from smartcommit.rewrite.absorb import absorb
from smartcommit.rewrite.commits import find_unpushed_range
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING, USAGE
from smartcommit.split.source import SplitOptions
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, head_of, status_of
from tests.support.table import rows
from tests.support.tty import person

REPORT = "import os\nimport sys\n\n\ndef show(rows):\n    print(rows)\n"
DUMP = "\n\ndef dump(rows):\n    return json.dumps(rows)\n"
README = "# Report\n\nShows rows.\n"


@pytest.fixture
def branch(inside: Repo) -> Repo:
    """Two commits that were not pushed, a change for each, and what belongs to none."""
    inside.commit("chore: base", {"report.py": REPORT, "base.txt": "base\n"})
    inside.git("update-ref", "refs/remotes/origin/main", "HEAD")
    inside.git("config", "user.name", "Somebody")
    dated = {"GIT_AUTHOR_DATE": "2020-02-02T02:02:02+0200", "GIT_AUTHOR_NAME": "Grace"}
    inside.stage({"report.py": REPORT + DUMP})
    inside.git("commit", "-q", "-m", "feat(report): dump rows\n\nAs JSON.\n", env=dated)
    inside.commit("docs: describe the report", {"README.md": README})
    fixed = REPORT.replace("import os\n", "import json\nimport os\n") + DUMP.replace("rows)\n", "rows, indent=2)\n")
    inside.write("report.py", fixed)
    inside.write("README.md", README.replace("Shows", "Shows and dumps"))
    inside.stage({"base.txt": "staged\n", "added.txt": "added\n"})
    inside.write("base.txt", "unstaged\n")
    inside.write("untracked.txt", "untracked\n")
    return inside


def read_index(repo: Repo) -> str:
    return repo.git("ls-files", "--stage")


def test_whole_files_go_into_the_last_commit_that_changes_them(branch: Repo) -> None:
    """A line from before the commits is changed, which shows no target."""
    content = (branch.path / "report.py").read_text().replace("print(rows)", "print(*rows)")
    branch.write("report.py", content)
    before, head = status_of(branch), head_of(branch)
    assert git_smart_commit(["absorb", "--whole-file", "--yes"]) == DONE
    assert branch.git("show", "HEAD~1:report.py") == content
    assert "dumps" in branch.git("show", "HEAD:README.md")
    assert branch.subjects("HEAD~2..") == ["feat(report): dump rows", "docs: describe the report"]
    assert "MM base.txt" in status_of(branch)
    assert git_smart_commit(["undo"]) == DONE
    assert (status_of(branch), head_of(branch)) == (before, head)
    # The first lines of an empty file have a place, too.
    branch.commit("feat: begin a list", {"list.txt": ""})
    branch.write("list.txt", "first\n")
    assert git_smart_commit(["absorb", "--whole-file", "--yes", "--", "list.txt"]) == DONE
    assert branch.git("show", "HEAD:list.txt") == "first\n"
    assert branch.subjects("HEAD~1..") == ["feat: begin a list"]


@pytest.mark.parametrize("option", ["--whole-file", "--fixup"])
def test_what_is_staged_only_stays_if_all_else_is_absorbed(branch: Repo, option: str) -> None:
    branch.git("add", "-A")
    branch.commit("feat: name the report", {"name.py": "NAME = 'report'\n", "added.txt": "x\n"})
    branch.write("name.py", "NAME = 'a report'\n")
    branch.stage({"added.txt": "only here\n"})
    branch.write("added.txt", "x\n")
    assert git_smart_commit(["absorb", "--yes", "HEAD~1..", option]) == DONE
    assert status_of(branch) == "MM added.txt\0"
    assert branch.git("show", ":added.txt") == "only here\n"


def test_each_commit_gets_its_hunks(branch: Repo) -> None:
    branch.git("branch", "stacked", "HEAD~1")
    branch.git("config", "rebase.updateRefs", "true")
    head, status = head_of(branch), status_of(branch)
    content = (branch.path / "report.py").read_bytes()
    index = read_index(branch)
    assert git_smart_commit(["absorb", "--yes"]) == DONE
    assert branch.subjects("origin/main..") == ["feat(report): dump rows", "docs: describe the report"]
    dump, docs = branch.git("rev-list", "--reverse", "origin/main..").split()
    assert branch.git("rev-parse", "stacked").strip() == dump
    assert branch.git("show", f"{dump}:report.py").encode() == content
    assert branch.git("show", f"{docs}:README.md") == README.replace("Shows", "Shows and dumps")
    assert branch.git("log", "-1", "--format=%an %aI %B", dump) == (
        "Grace 2020-02-02T02:02:02+02:00 feat(report): dump rows\n\nAs JSON.\n\n"
    )
    # What belongs to none is staged and unstaged as it was.
    assert status_of(branch) == "A  added.txt\0MM base.txt\0?? untracked.txt\0"
    assert branch.git("show", ":base.txt") == "staged\n"
    assert git_smart_commit(["undo"]) == DONE
    assert (head_of(branch), status_of(branch), read_index(branch)) == (head, status, index)
    assert_sound_apart_from_remote(branch)


def test_fixup_commits_squash_to_the_same(branch: Repo) -> None:
    assert git_smart_commit(["absorb", "--yes"]) == DONE
    absorbed = branch.git("log", "--format=%T %an %B", "origin/main..")
    assert git_smart_commit(["undo"]) == DONE
    head = head_of(branch)
    assert git_smart_commit(["absorb", "--fixup", "--yes"]) == DONE
    assert branch.subjects(f"{head}..") == ["fixup! feat(report): dump rows", "fixup! docs: describe the report"]
    branch.git("stash", "-q", "-u")
    branch.git("rebase", "-q", "-i", "--autosquash", "origin/main", env={"GIT_SEQUENCE_EDITOR": "true"})
    assert branch.git("log", "--format=%T %an %B", "origin/main..") == absorbed


def test_a_plan_says_why_and_can_be_edited(branch: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plan = read_json(capsys, "absorb", "--json")
    units = {unit["id"]: unit for commit in plan["commits"] for unit in commit["units"]}
    dump, docs = branch.git("rev-list", "--reverse", "origin/main..").split()
    assert {name: unit["target"] for name, unit in units.items()} == {
        "report.py::1": dump, "report.py::2": dump, "README.md::1": docs,
    }  # fmt: skip
    assert units["report.py::1"]["reason"] == "it imports 'json', which this commit uses"
    assert all(0.5 < unit["confidence"] <= 1 for unit in units.values())
    stays = {unit["id"]: unit for unit in plan["skipped"]}
    assert stays["added.txt::1"]["reason"] == "a new file"
    assert {unit["target"] for unit in stays.values()} == {None}
    # The first hunk is moved to what stays, and the others to the other commit.
    first = plan["commits"][0]
    plan["skipped"].append(first["units"].pop(0))
    first["message"] = f"fixup! {docs}\n"
    edited = tmp_path / "plan.json"
    edited.write_text(json.dumps(plan))
    assert git_smart_commit(["absorb", "--plan", str(edited), "--yes"]) == DONE
    dump, docs = branch.git("rev-list", "--reverse", "origin/main..").split()
    assert branch.git("show", f"{dump}:report.py") == REPORT + DUMP
    assert branch.git("show", f"{docs}:report.py") == REPORT + DUMP.replace("rows)\n", "rows, indent=2)\n")
    assert "import json" in branch.git("diff", "--", "report.py")


@rows("option", "--json", "--dry-run", "--yes", "--quiet")
def test_a_plan_that_what_is_staged_forbids_is_not_shown(
    branch: Repo, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    text = (branch.path / "report.py").read_text().replace("*rows)", "rows)")
    branch.stage({"report.py": text.replace("indent=2", "indent=4")})
    branch.write("report.py", text.replace("print(rows)", "print(*rows)"))
    assert git_smart_commit(["absorb", option, "--", "report.py"]) == GIT_FAILED
    assert "what is staged of 'report.py' cannot be combined" in capsys.readouterr().err


def read_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert git_smart_commit(list(arguments)) == DONE
    return json.loads(capsys.readouterr().out)


@rows(
    ("message", "said"),
    ("feat: more\n", "'feat: more' is for none of these commits, or for several"),
    ("fixup! chore: base\n", "'fixup! chore: base' is for none of these commits"),
    ("fixup! feat(report): dump rows\n", "'README.md::1' has no place in 'feat(report): dump rows'"),
)
def test_a_plan_that_cannot_be_changes_nothing(
    branch: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path, message: str, said: str
) -> None:
    plan = read_json(capsys, "absorb", "--json")
    plan["commits"][-1]["message"] = message
    edited = tmp_path / "plan.json"
    edited.write_text(json.dumps(plan))
    before = branch.state()
    assert git_smart_commit(["absorb", "--plan", str(edited), "--yes"]) == GIT_FAILED
    assert said in capsys.readouterr().err
    assert branch.state() == before


def test_a_person_reviews_what_goes_where(branch: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = head_of(branch)
    monkeypatch.setenv("TERM", "dumb")
    repository = Repository.find(str(branch.path))
    with person(f"d 2\ns 1 fixup! {docs}\ny\n") as somebody:
        commits = find_unpushed_range(repository)
        done = absorb(repository, commits, options=SplitOptions(), terminal=somebody.terminal, complain=print)
    assert done.status == DONE
    assert "report.py::1: it imports 'json', which this commit uses" in somebody.shown
    assert "stays: README.md::1: left out" in done.lines
    dump, docs = branch.git("rev-list", "--reverse", "origin/main..").split()
    assert branch.git("show", f"{dump}:report.py") == REPORT + DUMP
    assert "indent=2" in branch.git("show", f"{docs}:report.py")
    assert branch.git("show", f"{docs}:README.md") == README
    assert "Shows and dumps" in (branch.path / "README.md").read_text()


def test_a_check_that_fails_changes_nothing(branch: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    before = branch.state()
    assert git_smart_commit(["absorb", "--yes", "--exec", "test ! -e README.md"]) == GIT_FAILED
    assert "feat(report): dump rows: passed" in capsys.readouterr().err
    assert branch.state() == before
    assert git_smart_commit(["absorb", "--dry-run"]) == DONE
    assert branch.state() == before
    shown = capsys.readouterr().out
    assert "report.py::2: it changes lines of this commit" in shown
    assert "stays: added.txt::1: a new file" in shown


def test_without_a_sure_target_nothing_changes(branch: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    branch.git("restore", "report.py", "README.md")
    before = branch.state()
    assert git_smart_commit(["absorb", "--yes"]) == NOTHING
    assert "no hunk has a commit that it surely belongs to\nstays: " in capsys.readouterr().out
    assert branch.state() == before


def test_staged_changes_alone(branch: Repo) -> None:
    branch.git("add", "README.md")
    assert git_smart_commit(["absorb", "--staged", "--yes"]) == DONE
    assert branch.git("show", "HEAD:README.md") == README.replace("Shows", "Shows and dumps")
    assert branch.git("show", "HEAD:report.py") == REPORT + DUMP
    assert " M report.py\0" in status_of(branch)


def test_a_file_that_was_renamed_has_its_old_name_in_older_commits(branch: Repo) -> None:
    branch.git("stash", "-q", "-u")
    branch.git("mv", "report.py", "rows.py")
    branch.commit("refactor: rename the report")
    branch.write("rows.py", REPORT + DUMP.replace("rows)\n", "rows, indent=2)\n"))
    assert git_smart_commit(["absorb", "--yes"]) == DONE
    dump, _, renamed = branch.git("rev-list", "--reverse", "origin/main..").split()
    assert "indent=2" in branch.git("show", f"{dump}:report.py")
    assert branch.git("show", "--format=", "--name-status", "-M", renamed) == "R100\treport.py\trows.py\n"
    assert branch.git("diff", "HEAD", "--name-only") == ""


def test_a_commit_that_is_taken_back_is_left_empty_and_a_last_line_break_kept_where_lines_follow(branch: Repo) -> None:
    branch.git("stash", "-q", "-u")
    branch.commit("feat: say more", {"base.txt": "more\n"})
    branch.commit("docs: end", {"README.md": README + "End.\n"})
    branch.write("base.txt", "base\n")
    assert git_smart_commit(["absorb", "--yes"]) == DONE
    assert branch.git("diff", "HEAD~2", "HEAD~1") == ""
    assert branch.git("diff", "HEAD") == ""
    branch.commit("feat: list three", {"list.txt": "one\ntwo\nthree\n"})
    branch.commit("feat: list two", {"list.txt": "one\ntwo\n"})
    branch.write("list.txt", "one\ntwo")
    assert git_smart_commit(["absorb", "--yes"]) == DONE
    assert branch.git("show", "HEAD~1:list.txt") == "one\ntwo\nthree\n"
    assert branch.git("show", "HEAD:list.txt") == "one\ntwo"


def test_the_options_fit_together(branch: Repo) -> None:
    before = branch.state()
    for options in (["--fixup"], ["absorb", "--count", "2"], ["absorb", "--signoff"]):
        assert git_smart_commit([*options, "--yes"]) == USAGE
    assert git_smart_commit(["absorb", "HEAD~1..", "--staged", "--yes"]) == NOTHING
    assert branch.state() == before


def assert_sound_apart_from_remote(repo: Repo) -> None:
    repo.git("update-ref", "-d", "refs/remotes/origin/main")
    assert_sound(repo)


@pytest.mark.parametrize("seed", range(repeat(fast=4, full=30)))
def test_a_rebase_never_conflicts_on_fixup_commits(seed: int, inside: Repo) -> None:
    chance = random.Random(seed)
    lines = [f"line {number}\n" for number in range(8)]
    for number in range(6):
        inside.commit(f"feat: step {number}", {"a.txt": "".join(lines)})
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(lines))
            lines[at : at + chance.randrange(2)] = [f"{number}.{chance.random()}\n"] * chance.randrange(1, 3)
    inside.git("update-ref", "refs/remotes/origin/main", "HEAD~5")
    inside.git("config", "sequence.editor", "true")
    lines = inside.git("show", "HEAD:a.txt").splitlines(keepends=True)
    for _ in range(3):
        lines[chance.randrange(len(lines))] = f"fixed {chance.random()}\n"
    inside.write("a.txt", "".join(lines))
    git_smart_commit(["absorb", "--fixup", "--yes"])
    inside.git("stash", "-q")
    tree = inside.git("rev-parse", "HEAD^{tree}")
    inside.git("rebase", "-q", "-i", "--autosquash", "origin/main")
    assert inside.git("rev-parse", "HEAD^{tree}") == tree
