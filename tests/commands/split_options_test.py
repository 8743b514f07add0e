"""Options of `smartcommit split` together: what contradicts is refused before anything is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.split.outcome import DONE, GIT_FAILED, USAGE
from tests.support.repository import Repo
from tests.support.splitting import head_of, run

# Options that exclude each other: each one before `|` and each one after it.
EXCLUSIVE = """
--undo | --recover
--undo --recover | --staged --plan --save-plan --exec --dry-run --json --yes
--undo --recover --plan | --engine=model --model --api-base --strategy --count --critique --show-prompt
--show-prompt | --save-plan --exec --dry-run --json --yes --quiet
--strategy --engine=embedded | --model --api-base --critique --show-prompt
--strategy | --engine=model
--undo --recover --plan | --include-secrets
--undo --recover --show-prompt | --ticket --signoff --run-hooks
"""
VALUES = {
    "--plan": "plan.json", "--save-plan": "saved.json", "--exec": "touch ran", "--strategy": "hunk", "--count": "2",
    "--model": "some", "--api-base": "http://127.0.0.1:9", "--critique": "too large",
    "--ticket": "T-1", "--run-hooks": "commit-msg",
}  # fmt: skip


def pairs() -> list[tuple[str, str]]:
    found = []
    for line in EXCLUSIVE.strip().splitlines():
        left, right = line.split(" | ")
        for option in left.split():
            found += [(option, other) for other in right.split()]
    return found


def words(option: str) -> list[str]:
    return [option, VALUES[option]] if option in VALUES else [option]


@pytest.fixture
def split_once(based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a split to undo and changes for another one; the current folder is beside it."""
    based.stage({"src/a.py": "a = 1\n", "docs/a.md": "# a\n"})
    assert run(based, staged=True, strategy="file")[0] == DONE
    based.write("src/b.py", "b = 1\n")
    based.write("docs/b.md", "# b\n")
    monkeypatch.chdir(tmp_path)
    return based


@pytest.mark.parametrize(("one", "other"), pairs())
def test_options_that_contradict_each_other_are_refused(
    split_once: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str], one: str, other: str
) -> None:
    (tmp_path / "plan.json").write_text("")
    before, files = split_once.state(), set(tmp_path.iterdir())
    for arguments in (words(one) + words(other), words(other) + words(one)):
        assert git_smart_commit(["--repo", str(split_once.path), *arguments]) == USAGE
        said = capsys.readouterr()
        assert said.out == ""
        last = said.err.splitlines()[-1]
        assert last.endswith("cannot be used together")
        assert all(f"'{option.partition('=')[0]}" in last for option in (one, other))
    assert split_once.state() == before
    assert set(tmp_path.iterdir()) == files


def test_undo_and_recover_can_be_quiet(split_once: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--recover", "--undo"):
        assert git_smart_commit(["--repo", str(split_once.path), option, "--quiet"]) == DONE
    assert split_once.subjects() == ["chore: base"]
    assert capsys.readouterr() == ("", "")


def test_a_quiet_dry_run_tells_by_its_status_alone(split_once: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    old = head_of(split_once)
    arguments = ["--repo", str(split_once.path), "--dry-run", "--quiet", "--exec"]
    assert git_smart_commit([*arguments, "true"]) == DONE
    assert capsys.readouterr() == ("", "")
    assert git_smart_commit([*arguments, "false"]) == GIT_FAILED
    assert head_of(split_once) == old
