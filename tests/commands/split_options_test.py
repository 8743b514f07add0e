"""Options of `smartcommit split` together: what contradicts is refused before anything is touched."""

from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED, USAGE
from tests.support.commands import Command
from tests.support.repository import Repo
from tests.support.situations_split import FORTY, edited
from tests.support.splitting import head_of, run, status_of
from tests.support.table import rows

CONTRADICTIONS = (
    "split --plan plan.json --engine embedded", "split --plan plan.json --strategy hunk",
    "split --plan plan.json --count 2", "range HEAD~1.. --plan plan.json --count 2",
    "split --plan plan.json --show-prompt", "split --plan plan.json --include-secrets",
    "split --plan plan.json --include-suspects",
    "split --strategy hunk --engine model", "range HEAD~1.. --strategy hunk --engine model",
    "split --strategy hunk --show-prompt", "split --engine embedded --show-prompt",
)  # fmt: skip


@pytest.fixture
def split_once(based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a split to undo and changes for another one; the current folder is beside it."""
    based.stage({"src/a.py": "a = 1\n", "docs/a.md": "# a\n"})
    assert run(based, staged=True, strategy="file")[0] == DONE
    based.write("src/b.py", "b = 1\n")
    based.write("docs/b.md", "# b\n")
    monkeypatch.chdir(tmp_path)
    return based


@rows("line", *CONTRADICTIONS)
def test_contradicting_options_are_refused(split_once: Repo, tmp_path: Path, smartcommit: Command, line: str) -> None:
    (tmp_path / "plan.json").write_text("")
    before, files = split_once.state(), set(tmp_path.iterdir())
    said = smartcommit(*line.split(), "--repo", str(split_once.path), status=USAGE)
    assert said.out == ""
    first = next(word for word in ("--plan", "--show-prompt", "--strategy") if word in line.split())
    assert f"'{first}'" in said.err.splitlines()[-1]
    assert split_once.state() == before
    assert set(tmp_path.iterdir()) == files


def test_undo_and_recover_can_be_quiet(split_once: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert git_smart_commit(["recover", "--repo", str(split_once.path)]) == DONE
    assert capsys.readouterr() == ("nothing to recover\n", "")
    for command in ("recover", "undo"):
        assert git_smart_commit([command, "--quiet", "--repo", str(split_once.path)]) == DONE
    assert split_once.subjects() == ["chore: base"]
    assert capsys.readouterr() == ("", "")


def test_paths_limit_a_change(based: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    based.commit("chore: two", {"d/a.txt": FORTY, "d/b.txt": FORTY})
    for name in ("d/a.txt", "d/b.txt"):
        based.write(name, edited(FORTY, 3))
    monkeypatch.chdir(based.path / "d")
    state = based.state()
    assert git_smart_commit(["--", "b.txt"]) == CANCELLED
    assert "d/a.txt" not in capsys.readouterr().out
    assert git_smart_commit(["absorb", "HEAD^..", "--yes", "--", "a.txt"]) == DONE
    assert (status_of(based), based.subjects()) == (" M d/b.txt\0", ["chore: base", "chore: two"])
    assert git_smart_commit(["undo"]) == DONE
    assert based.state() == state
    assert git_smart_commit(["b.txt", "--yes"]) == DONE
    assert git_smart_commit(["--repo", str(based.path), "--yes", "--", "d/a.txt"]) == DONE
    assert status_of(based) == ""
    assert git_smart_commit(["undo", "--", "b.txt"]) == USAGE


def test_a_plan_of_some_paths_is_applied_to_these(
    based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    based.stage({"a.txt": "1\n", "b.txt": "1\n"})
    monkeypatch.chdir(based.path)
    plan = str(tmp_path / "plan.json")
    assert git_smart_commit(["--save-plan", plan, "--", "a.txt"]) == CANCELLED
    assert git_smart_commit(["--plan", plan, "--yes"]) == GIT_FAILED
    assert status_of(based) == "A  a.txt\0A  b.txt\0"
    assert git_smart_commit(["--plan", plan, "--yes", "--", "a.txt"]) == DONE
    assert status_of(based) == "A  b.txt\0"


def test_a_quiet_dry_run_tells_by_its_status_alone(split_once: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    old = head_of(split_once)
    arguments = ["--repo", str(split_once.path), "--dry-run", "--quiet", "--exec"]
    assert git_smart_commit([*arguments, "true"]) == DONE
    assert capsys.readouterr() == ("", "")
    assert git_smart_commit([*arguments, "false"]) == GIT_FAILED
    assert head_of(split_once) == old
