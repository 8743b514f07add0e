"""`--exec`: each commit is tried as it is, apart from the user's files, before anything moves."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED
from smartcommit.split.source import EngineOptions, SplitOptions
from tests.support.repository import Repo
from tests.support.situations_split import SITUATIONS, contents
from tests.support.splitting import assert_sound, run_with, status_of
from tests.support.table import rows


@pytest.fixture
def messy(based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Two files that become two commits, the source first, and a folder for temporary files of its own."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    based.write("src/a.py", "a = 1\n")
    based.write("docs/a.md", "# a\n")
    return based


def tried(repo: Repo, check: str, *, yes: bool = True, **options: Any) -> tuple[int, str, list[str]]:
    """The status, what was printed, and what was said beside it."""
    asked = SplitOptions(choice=EngineOptions(strategy="file"), check=check, **options)
    return run_with(repo, asked, yes=yes and not asked.dry_run)


def test_every_commit_is_tried_and_told_of(messy: Repo, tmp_path: Path) -> None:
    status, _, said = tried(messy, "test -e src/a.py && test ! -e untracked && touch untracked src/x.pyc")
    assert status == DONE
    assert [line.rpartition(": ")[2] for line in said] == ["passed", "passed"]
    assert said[0].startswith("1/2 ")
    assert status_of(messy) == ""
    assert messy.git("worktree", "list").count("\n") == 1
    assert list((tmp_path / "temporary").iterdir()) == []
    assert_sound(messy)


@rows(("options", "shown"), [({}, CANCELLED), ({"json": True}, DONE), ({"dry_run": True}, DONE)])
def test_the_commits_of_a_plan_that_is_only_shown_are_tried_too(
    messy: Repo, options: dict[str, bool], shown: int
) -> None:
    before = messy.state()
    status, printed, said = tried(messy, "true", yes=False, **options)
    assert (status, bool(printed)) == (shown, True)
    assert [line.rpartition(": ")[2] for line in said] == ([] if "json" in options else ["passed", "passed"])
    assert tried(messy, "false", yes=False, **options)[:2] == (GIT_FAILED, "")
    assert messy.state() == before


def test_a_commit_that_fails_leaves_everything_as_it_was(messy: Repo) -> None:
    before, objects, files = messy.state(), messy.git("count-objects", "-v"), contents(messy.path)
    status, printed, said = tried(messy, "echo 'no \x1b[31mdocs' >&2; test -e docs/a.md")
    assert status == GIT_FAILED
    assert said[0].endswith(": failed with status 1\n  no \\x1b[31mdocs")
    assert said[1].endswith(": passed")
    assert "failed on 1 of 2 commits" in said[2]
    assert "nothing was changed" in said[2]
    assert printed == ""
    assert (messy.state(), messy.git("count-objects", "-v"), contents(messy.path)) == (before, objects, files)
    assert_sound(messy)


@pytest.mark.parametrize("form", ["quiet", "json"])
def test_nothing_is_told_where_only_errors_or_json_are_wanted(messy: Repo, form: str) -> None:
    assert tried(messy, "true", **{form: True})[2] == []


def test_git_in_a_check_sees_the_commit_and_not_the_callers_repository(
    messy: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    messy.write(".gitattributes", "*.crlf text eol=crlf\n")
    messy.write("src/b.crlf", "x\r\n")
    messy.git("config", "user.note", "mine")
    messy.git("config", "core.hooksPath", "hooks")
    monkeypatch.setenv("GIT_DIR", str(messy.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(messy.path / ".git/index"))
    check = (
        'test "$(git rev-parse --show-toplevel)" = "$PWD" && test -z "$(git status --porcelain)" &&'
        ' test -z "$GIT_INDEX_FILE" && test "$(git config user.note)" = mine && git rev-parse HEAD HEAD^ &&'
        " { test ! -e src/b.crlf || grep -q \"$(printf '\\r')\" src/b.crlf; }"
    )
    assert tried(messy, check)[0] == DONE


@pytest.mark.parametrize("name", ["repo", 'line\nend:"quoted"\\'])
def test_a_linked_worktree_and_other_object_names_work(tmp_path: Path, name: str) -> None:
    repo = Repo.init(tmp_path / name, "--object-format=sha256")
    repo.commit("chore: base", {"base.txt": "x\n"})
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write("new.txt", "x\n")
    assert tried(linked, "test -e new.txt && test -e base.txt")[0] == DONE


def test_a_check_that_breaks_its_folder_is_told_so(messy: Repo) -> None:
    before = messy.state()
    status, _, said = tried(messy, "rm -rf .git")
    assert status == GIT_FAILED
    assert "cannot check out a commit for 'rm -rf .git'" in said[-1]
    assert "if the command modifies '.git' in its working directory" in said[-1]
    assert messy.state() == before


def test_submodules_stay_empty_whatever_is_set(messy: Repo) -> None:
    SITUATIONS["submodule_added"](messy)
    messy.commit("chore: add a submodule", {"both.txt": "x\n"})
    messy.git("config", "submodule.recurse", "true")
    messy.write("src/b.py", "b = 1\n")
    status, _, said = tried(messy, "true")
    assert status == DONE, said
