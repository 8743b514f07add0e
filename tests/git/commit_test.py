"""Committing everything through git's own commit."""

from pathlib import Path

import pytest

from smartcommit.errors import GitError
from smartcommit.git.commit import HookRejected, commit_everything
from smartcommit.git.repo import Repository
from tests.support.languages import translate_git
from tests.support.repository import Repo


def commit_all(directory: str, message: str) -> str | None:
    repository = Repository.find(directory)
    return repository.head() if commit_everything(repository, message) else None


def test_commit_all_commits_changes_of_every_kind(based: Repo) -> None:
    based.commit("chore: more", {"gone.txt": "x", "old name.txt": "y" * 100})
    (based.path / "gone.txt").unlink()
    (based.path / "old name.txt").rename(based.path / "new\nname.txt")
    based.write("base.txt", "changed\n")
    based.write(b"na\xefve", "z")
    commit = commit_all(str(based.path), "feat: change everything\n\nwhy\n")
    assert commit == based.git("rev-parse", "HEAD").strip()
    assert based.message() == "feat: change everything\n\nwhy\n\n"
    assert based.git("status", "--porcelain") == ""


def test_commit_all_works_from_a_folder_and_before_the_first_commit(repo: Repo) -> None:
    repo.write("folder/file")
    repo.write("other")
    assert commit_all(str(repo.path / "folder"), "feat: begin") == repo.git("rev-parse", "HEAD").strip()
    assert repo.git("status", "--porcelain") == ""


def test_commit_all_makes_no_commit_without_changes(based: Repo) -> None:
    before = based.state()
    assert commit_all(str(based.path), "feat: nothing") is None
    assert based.state() == before


def test_an_error_of_git_is_not_taken_for_no_changes(based: Repo) -> None:
    based.write(".git/index", b"broken")
    with pytest.raises(GitError, match="index"):
        commit_all(str(based.path), "feat: x")


def test_a_path_that_cannot_be_added_is_an_error_and_commits_nothing(based: Repo) -> None:
    Repo.init(based.path / "nested")
    head = based.git("rev-parse", "HEAD")
    with pytest.raises(GitError, match="'git add' failed: 'nested/' does not have a commit checked out"):
        commit_all(str(based.path), "feat: x")
    assert based.git("rev-parse", "HEAD") == head


def test_a_hooks_refusal_is_told_apart_with_its_words(based: Repo) -> None:
    based.write("file")
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg"):
        hook = based.write(f".git/hooks/{name}", f"#!/bin/sh\necho no {name} >&2\nexit 1\n", executable=True)
        with pytest.raises(HookRejected) as refused:
            commit_all(str(based.path), "feat: x")
        assert f"no {name}" in refused.value.text
        hook.unlink()


def test_a_hook_speaks_the_users_language(based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    translate_git(tmp_path, monkeypatch, {})
    based.write(".git/hooks/pre-commit", "#!/bin/sh\ngit rev-parse --verify x\n", executable=True)
    based.write("file")
    with pytest.raises(HookRejected, match="a hook rejected the commit") as refused:
        commit_all(str(based.path), "feat: x")
    assert "Schwerwiegend: Needed a single revision" in refused.value.text


def test_a_git_that_is_killed_is_a_failure_and_no_hooks_refusal(based: Repo) -> None:
    based.write(".git/hooks/pre-commit", "#!/bin/sh\nkill -KILL $PPID\n", executable=True)
    based.write("file")
    with pytest.raises(GitError, match=r"^'git commit' failed: killed$"):
        commit_everything(Repository.find(str(based.path)), "feat: x", timeout=60)


def test_what_git_itself_refuses_is_no_hooks_refusal(based: Repo) -> None:
    based.write("file")
    based.git("config", "commit.gpgSign", "true")
    based.git("config", "gpg.program", "false")
    with pytest.raises(GitError, match="gpg failed") as failed:
        commit_all(str(based.path), "feat: x")
    assert not isinstance(failed.value, HookRejected)


def test_a_message_is_recorded_as_it_is(based: Repo) -> None:
    based.git("config", "commit.cleanup", "strip")
    based.git("config", "i18n.commitEncoding", "latin1")
    based.write("file")
    commit_all(str(based.path), "feat: say „grüß“ $(touch x) `y`\n\n# kept\n")
    assert based.message() == "feat: say „grüß“ $(touch x) `y`\n\n# kept\n\n"
