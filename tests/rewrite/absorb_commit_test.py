"""`absorb --from`: a commit of the past goes into those below it, and nothing else changes."""

import json
import random
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Pathspecs
from smartcommit.rewrite.absorb import absorb_commit
from smartcommit.rewrite.commits import read_range_below
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING, USAGE
from smartcommit.split.source import SplitOptions
from tests.support.histories import assert_same, assert_undone, read_state
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.splitting import head_of
from tests.support.table import rows
from tests.support.tty import person

REPORT = "import os\n\n\ndef show(rows):\n    print(rows)\n"
DUMP = "\n\ndef dump(rows):\n    return json.dumps(rows)\n"
FIXED = REPORT.replace("import os", "import json\nimport os") + DUMP.replace("rows)\n", "rows, indent=2)\n")
README = "# Report\n\nShows rows.\n"


@pytest.fixture
def branch(inside: Repo) -> Repo:
    """Two commits, then `review` with hunks for both and a new file, and one above it; some changes are uncommitted."""
    inside.commit("chore: base", {"report.py": REPORT, "base.txt": "base\n"})
    inside.git("branch", "start")
    inside.git("update-ref", "refs/remotes/origin/main", "HEAD")
    inside.commit("feat(report): dump rows", {"report.py": REPORT + DUMP})
    inside.commit("docs: describe the report", {"README.md": README})
    inside.commit(
        "address review", {"report.py": FIXED, "README.md": README.replace("Shows", "Dumps"), "new.txt": "x\n"}
    )
    inside.git("tag", "review")
    inside.commit("docs: end", {"base.txt": "base\nend\n", "README.md": README.replace("Shows", "Dumps") + "End.\n"})
    inside.stage({"base.txt": "staged\n"})
    inside.write("base.txt", "unstaged\n")
    inside.write("untracked.txt", "untracked\n")
    return inside


def drop_rest(repo: Repo) -> None:
    """Leave nothing in `review` that has no target."""
    repo.git("stash", "-q", "-u")
    repo.git("checkout", "-q", "--detach", "review")
    repo.git("rm", "-q", "new.txt")
    repo.git("commit", "-q", "--amend", "--no-edit")
    repo.git("tag", "-f", "review")
    repo.git("cherry-pick", "main")
    repo.git("checkout", "-q", "-B", "main")


def test_each_commit_gets_its_hunks_and_the_rest_stays(branch: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    head, before = head_of(branch), read_state(branch)
    assert git_smart_commit(["absorb", "--from", ":/address review", "--yes"]) == DONE
    assert_same(before, read_state(branch))
    shown = capsys.readouterr().out
    assert "stays: new.txt::1: a new file\n2 commits above moved onto these, otherwise unchanged\n" in shown
    assert branch.subjects("start..") == branch.subjects(f"start..{head}")
    assert branch.git("show", "HEAD~3:report.py") == FIXED
    assert branch.git("show", "HEAD~2:README.md") == README.replace("Shows", "Dumps")
    assert branch.git("show", "--format=", "--name-only", "HEAD~1") == "new.txt\n"
    assert branch.git("diff", head, "HEAD") + branch.git("diff", "review", "HEAD~1") == ""
    assert_undone(branch, head, before)


def test_a_commit_of_which_nothing_is_left_is_dropped(branch: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    drop_rest(branch)
    branch.git("branch", "stacked", "review")
    branch.git("config", "rebase.updateRefs", "true")
    head, before = head_of(branch), read_state(branch)
    assert git_smart_commit(["absorb", "--from", "review", "--yes"]) == DONE
    assert "'address review' is gone: all of it was absorbed\n1 commit above moved" in capsys.readouterr().out
    assert branch.subjects("start..") == ["feat(report): dump rows", "docs: describe the report", "docs: end"]
    assert branch.git("rev-parse", "stacked") == branch.git("rev-parse", "HEAD~1")
    assert branch.git("diff", head, "HEAD") == ""
    assert branch.git("reflog", "-1", "--format=%gs") == "split: 3 commits\n"
    assert_undone(branch, head, before)
    branch.git("reset", "-q", "--hard", "review")
    assert git_smart_commit(["absorb", "start..", "--from", "HEAD", "--yes"]) == DONE
    assert branch.git("rev-parse", "HEAD^{tree}") == branch.git("rev-parse", "review^{tree}")
    assert len(branch.subjects("start..")) == 2


def test_paths_files_and_plans_say_what_is_absorbed(branch: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    head, before = head_of(branch), read_state(branch)
    assert git_smart_commit(["absorb", "--from", "review", "--yes", "--", "*.md"]) == DONE
    assert branch.git("show", "--format=", "--name-only", "HEAD~1") == "new.txt\nreport.py\n"
    assert_undone(branch, head, before)
    assert git_smart_commit(["absorb", "--from", "HEAD", "--whole-file", "--yes"]) == DONE
    assert branch.git("show", "--format=", "--name-only", "HEAD") == "base.txt\n"
    assert branch.git("show", "HEAD~1:README.md") == README.replace("Shows", "Dumps") + "End.\n"
    assert_undone(branch, head, before)
    capsys.readouterr()
    assert git_smart_commit(["absorb", "--from", "review", "--json"]) == DONE
    plan = json.loads(capsys.readouterr().out)
    plan["skipped"].append(plan["commits"][0]["units"].pop(0))
    branch.write(".git/plan.json", json.dumps(plan))
    assert git_smart_commit(["absorb", "--from", "review", "--plan", ".git/plan.json", "--yes"]) == DONE
    assert branch.git("show", "HEAD~3:report.py") == FIXED.replace("import json\n", "")
    assert branch.git("show", "HEAD~1:report.py") == FIXED


def test_a_reviewed_plan_that_fails_is_saved_with_its_command(branch: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    repository, said = Repository.find(str(branch.path)), list[str]()
    options = SplitOptions(check="false", paths=Pathspecs(str(branch.path), ("a b.py", "*.md")))
    commits = read_range_below(repository, "review", "start..", allow_pushed=False)
    with person("y\n") as somebody, pytest.raises(SplitError, match="'false' failed"):
        absorb_commit(repository, commits, options=options, terminal=somebody.terminal, complain=said.append)
    command, base, *rest = shlex.split(said[-1].partition("to apply it: git smart-commit ")[2])
    assert branch.git("rev-parse", base.removesuffix("..")) == branch.git("rev-parse", "start")
    assert git_smart_commit([command, base, "--yes", *rest]) == DONE
    assert branch.git("show", "HEAD~2:README.md") == README.replace("Shows", "Dumps")


def merge_above(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side", "start")
    repo.commit("feat: go on aside", {"side.txt": "x\n"})
    repo.git("tag", "aside")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "-m", "Merge side", "side")


def push(repo: Repo) -> None:
    repo.git("update-ref", "refs/remotes/origin/main", "review")


def nothing(repo: Repo) -> None:
    pass


PUSHED = "use '--allow-pushed'"
REFUSED: list[tuple[Callable[[Repo], object], list[str], int, str, str]] = [
    (merge_above, ["--from", "review"], GIT_FAILED, "there are merges above 'review'", "above the last merge"),
    (merge_above, ["--from", "HEAD"], GIT_FAILED, "all commits up to 'HEAD' were pushed, or belong to a merge", PUSHED),
    (merge_above, ["start..", "--from", "HEAD"], GIT_FAILED, "there are merges in 'start..HEAD'", "name later commits"),
    (merge_above, ["start..", "--from", "aside"], GIT_FAILED, "there are merges above 'aside'", "above the last merge"),
    (push, ["--from", "review"], GIT_FAILED, "all commits up to 'review' were pushed", PUSHED),
    (push, ["--from", "HEAD"], GIT_FAILED, "there are no commits below 'HEAD' to absorb it", PUSHED),
    (nothing, ["--from", "main~3"], GIT_FAILED, "there are no commits below 'main~3' to absorb it", PUSHED),
    (nothing, ["--from", "elsewhere"], GIT_FAILED, "'elsewhere' is not in the history of HEAD", "check out a branch"),
    (nothing, ["start..", "--from", ""], GIT_FAILED, "'' is not a commit", "name one as for 'git show'"),
    (nothing, ["start..review", "--from", "review"], GIT_FAILED, "'start..review' is not 'BASE..'", "'main..'"),
    (nothing, ["start", "--from", "review"], GIT_FAILED, "'start' is not 'BASE..'", "'main..'"),
    (nothing, ["--from", "review", "--staged"], USAGE, "'--from' absorbs what is committed", ""),
]  # fmt: skip


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: " ".join([row[0].__name__, *row[1]]))
def test_what_cannot_be_absorbed_is_refused(
    branch: Repo, capsys: pytest.CaptureFixture[str], row: tuple[Callable[[Repo], object], list[str], int, str, str]
) -> None:
    prepare, words, status, said, hint = row
    branch.git("branch", "elsewhere", branch.git("commit-tree", "-m", "x", "review^{tree}").strip())
    branch.git("stash", "-q", "-u")
    prepare(branch)
    before = branch.state()
    assert git_smart_commit(["absorb", *words, "--yes"]) == status
    complaint = capsys.readouterr().err
    assert said in complaint
    assert hint in complaint.partition("hint: ")[2]
    assert branch.state() == before


@rows("words", ["absorb"], ["absorb", "--from", "HEAD"])
def test_nothing_to_absorb_is_called_so(branch: Repo, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    branch.git("stash", "-q", "-u")
    branch.commit("chore: nothing")
    assert git_smart_commit([*words, "--yes"]) == NOTHING
    assert capsys.readouterr().out == "nothing to absorb\n"
    branch.git("stash", "pop", "-q")


@rows("seed", *range(repeat(fast=4, full=30)))
def test_hunks_go_into_the_commits_that_blame_names(seed: int, tmp_path: Path) -> None:
    """No two lines are the same, so git's blame and ours cannot differ."""
    chance = random.Random(seed)
    repo = Repo.init(tmp_path / f"repo{seed}")
    numbers = iter(range(10_000))
    lines = [[f"{name}{next(numbers)}\n" for _ in range(15)] for name in "ab"]

    def commit(message: str) -> str:
        return repo.commit(message, {"a.txt": "".join(lines[0]), "b.txt": "".join(lines[1])})

    def edit(*, again: bool = False) -> None:
        """Replace up to two lines; with `again`, from one of these commits on."""
        text = chance.choice(lines)
        places = [place for place, line in enumerate(text) if not again or line[0].isdigit()]
        start = chance.choice(places or [0])
        text[start : start + chance.choice((0, 1, 1, 2))] = [f"{next(numbers)}\n"]

    base = commit("chore: base")
    below = []
    for number in range(chance.randint(1, 5)):
        edit()
        edit()
        below.append(commit(f"feat: step {number}"))
    for _ in range(4):
        edit(again=True)
    review = commit("fix: review")
    for number in range(chance.randint(0, 3)):
        edit(again=True)
        commit(f"feat: go on {number}")
    options = ["absorb", f"{base}..", "--from", review, "--quiet", "--repo", str(repo.path)]
    document = repo.path / ".git/plan.json"
    if git_smart_commit([*options, "--save-plan", str(document), "--yes"]) == NOTHING:
        return
    for planned in json.loads(document.read_text())["commits"]:
        for unit in planned["units"]:
            (hunk,) = unit["hunks"]
            first, count = hunk["old_start"], hunk["old_lines"]
            if unit["reason"].startswith("it changes lines"):
                limits = f"-L{first},{first + count - 1}"
                blamed = repo.git("blame", "-l", "-s", "--abbrev=40", limits, f"{review}^", "--", unit["path"])
                found = {line.lstrip("^")[:40] for line in blamed.splitlines()}
                assert found & {*below} == {unit["target"]}
