"""The `pre-push` hook, by real pushes, in each way that it is installed."""

from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.setup.channels_test import place, write_hook
from tests.support.precommit import Framework
from tests.support.repository import Repo

__all__ = ["place"]
ENDING = "push as it is with 'git push --no-verify'"


@pytest.fixture
def remote(place: Repo, tmp_path: Path) -> Repo:
    """A bare repository that has the base of `place`."""
    made = Repo.init(tmp_path / "remote.git", "--bare")
    place.git("remote", "add", "origin", str(made.path))
    place.git("push", "-q", "origin", "HEAD:main")
    return made


def test_a_push_of_a_bad_message_is_refused_until_it_is_reworded(place: Repo, remote: Repo) -> None:
    assert main(["install", "--hooks", "pre-push"]) == 0
    before = remote.git("rev-parse", "main")
    good = place.commit("fix: read a", {"a.py": "1\n"})
    place.commit("Added b", {"b.py": "1\n"})
    refused = place.run("push", "-q", "origin", "HEAD:main")
    said = refused.stderr.decode()
    assert refused.returncode == 1
    assert "nothing was pushed: 1 of 2 messages rejected" in said
    assert f"git rebase -i {good[:12]}', or {ENDING}" in said
    assert "Added b" in said
    assert "read a" not in said
    assert remote.git("rev-parse", "main") == before
    place.git("commit", "-q", "--amend", "-m", "feat: add b")
    assert place.run("push", "-q", "origin", "HEAD:main").returncode == 0
    assert remote.subjects("main")[-1] == "feat: add b"


def test_what_is_checked_are_the_commits_that_no_remote_has(place: Repo, remote: Repo) -> None:
    """Each row: what is done before, what is pushed, and how many messages are rejected; None where all is pushed."""
    assert main(["install", "--hooks", "pre-push"]) == 0
    place.commit("Old and published", {"a.py": "1\n"})
    place.git("push", "-q", "--no-verify", "origin", "HEAD:main")
    place.git("fetch", "-q", "origin")
    side = place.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "not good").strip()
    good = place.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "feat: add a").strip()
    merge = place.git(
        "commit-tree", "HEAD^{tree}", "-p", good, "-p", "HEAD", "-m", "Merge remote-tracking branch 'origin/main'"
    ).strip()
    place.git("tag", "-a", "v1", "-m", "Any text", good)
    place.git("notes", "add", "-m", "A note")
    early = place.git("commit-tree", "HEAD^{tree}", "-p", "HEAD~1", "-m", "feat: add a").strip()
    blob = place.git("rev-parse", "HEAD:a.py").strip()
    unknown = remote.git("commit-tree", "main^{tree}", "-m", "somebody else's").strip()
    remote.git("update-ref", "refs/heads/theirs", unknown)
    rows = {
        "a new branch of what is published": ("HEAD:refs/heads/new", None),
        "a new branch": (f"{side}:refs/heads/side", "1 of 1 message "),
        "several": (f"{side}:refs/heads/a {good}:refs/heads/b", "1 of 2 messages "),
        "a merge": (f"{merge}:refs/heads/merge", None),
        "an annotated tag": ("v1", None),
        "beside what is published": (f"HEAD:refs/heads/c {early}:refs/heads/d", None),
        "a tag of a file": (f"{blob}:refs/tags/file", None),
        "a tag of a file and a branch": (f"{blob}:refs/tags/more {side}:refs/heads/e", "1 of 1 message "),
        "a deleted branch": (":refs/heads/new", None),
        "over what is not here": (f"+{side}:refs/heads/theirs", "1 of 1 message "),
        "over what is not here, good": (f"+{good}:refs/heads/theirs", None),
        "nothing": ("HEAD:main", None),
        "notes": ("refs/notes/commits", None),
        "a stash as a backup": (f"{side}:refs/backup/x", None),
        "what git keeps": (f"{side}:refs/original/x {side}:refs/replace/{side}", None),
        "notes and a branch": (f"+refs/notes/commits:refs/notes/more {side}:refs/heads/f", "1 of 1 message "),
        "a review": (f"{side}:refs/for/main", "1 of 1 message "),
        "notes as a branch": ("refs/notes/commits:refs/heads/g", "1 of 1 message "),
    }
    failed = []
    for name, (specs, said) in rows.items():
        done = place.run("push", "origin", *specs.split())
        expected = said is None or f"{said}rejected".encode() in done.stderr
        if done.returncode != int(said is not None) or not expected:
            failed.append(f"{name}: {done.returncode} {done.stderr.decode()}")
    assert not failed, "\n".join(failed)


def test_the_advice_works_for_what_is_pushed(place: Repo, tmp_path: Path) -> None:
    """Each row: the branch that is checked out, what is pushed, and the advice; nothing is known of what is there."""
    assert main(["install", "--hooks", "pre-push"]) == 0
    place.git("checkout", "-q", "-B", "work")
    good = place.git("rev-parse", "HEAD").strip()
    place.commit("Added b", {"b.py": "1\n"})
    place.commit("feat: add c", {"c.py": "1\n"})
    place.git("tag", "v1")
    place.git("branch", "other", good)
    merge = place.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-p", good, "-m", "Merge branch 'other'").strip()
    place.git("branch", "größer", merge)
    target = str(Repo.init(tmp_path / "target.git", "--bare").path)
    rows = (
        ("work", "work", f"'git rebase -i {good[:12]}', or {ENDING}"),
        ("other", "work", f"'git rebase -i {good[:12]} work', or {ENDING}"),
        ("other", "other work v1", f"'git rebase -i {good[:12]} work', or {ENDING}"),
        ("other", "größer", f"'git rebase -i -r {good[:12]} 'größer'', or {ENDING}"),
        ("other", "v1", f"reword the commits on a branch and push that, or {ENDING}"),
    )
    for branch, pushed, said in rows:
        place.git("checkout", "-q", branch)
        refused = place.run("push", "-q", target, *pushed.split())
        assert (refused.returncode, said in refused.stderr.decode()) == (1, True), refused.stderr.decode()
    place.git("checkout", "-q", "--orphan", "start")
    place.git("commit", "-q", "--no-verify", "-m", "Began")
    assert "'git rebase -i --root'" in place.run("push", "-q", target, "start").stderr.decode()
    (place.path / ".git/shallow").write_text(place.git("rev-parse", "HEAD"))
    assert "reword after 'git fetch --unshallow'" in place.run("push", "-q", target, "start").stderr.decode()


def test_a_bare_repository_has_no_working_tree(place: Repo, remote: Repo) -> None:
    assert main(["install", "--hooks", "pre-push"]) == 0
    mirror = Repo(place.path.parent / "mirror.git")
    place.git("clone", "-q", "--bare", str(remote.path), str(mirror.path))
    write_hook(mirror.path / "hooks/pre-push", (place.path / ".git/hooks/pre-push").read_text())
    mirror.git("push", "-q", "origin", "main:new")
    bad = mirror.git("commit-tree", "main^{tree}", "-p", "main", "-m", "bad").strip()
    refused = mirror.run("push", "-q", "origin", f"{bad}:refs/heads/bad")
    assert (refused.returncode, b" rejected" in refused.stderr) == (1, True)
    assert b"rebase" not in refused.stderr


def test_a_hook_that_was_there_reads_what_git_writes(place: Repo, remote: Repo) -> None:
    seen = place.path / "seen"
    write_hook(place.path / ".git/hooks/pre-push", f"#!/bin/sh\ncat >'{seen}'\n")
    assert main(["install", "--files", "--pre-push"]) == 0
    place.commit("feat: add a", {"a.py": "1\n"})
    head = place.git("rev-parse", "HEAD").strip()
    old = remote.git("rev-parse", "main").strip()
    assert place.run("push", "-q", "origin", "HEAD:main").returncode == 0
    assert seen.read_text() == f"HEAD {head} refs/heads/main {old}\n"
    place.commit("bad", {"a.py": "2\n"})
    assert place.run("push", "-q", "origin", "HEAD:main").returncode == 1
    assert main(["uninstall"]) == 0
    assert "cat >" in (place.path / ".git/hooks/pre-push").read_text()


def test_pre_commit_and_prek_run_it(place: Repo, remote: Repo, framework: Framework) -> None:
    framework.configure(place, "pre-push")
    framework.install(place, "pre-push")
    place.git("push", "-q", "--no-verify", "origin", "HEAD:main")
    place.commit("feat: add a", {"a.py": "1\n"})
    assert place.run("push", "-q", "origin", "HEAD:main").returncode == 0
    place.commit("bad", {"a.py": "2\n"})
    history = place.git("commit-tree", "HEAD^{tree}", "-m", "bad").strip()
    for source in ("HEAD:main", f"{history}:refs/heads/other"):
        refused = place.run("push", "-q", "origin", source)
        assert refused.returncode == 1
        assert "1 of 1 message rejected" in (refused.stdout + refused.stderr).decode()


@pytest.mark.components
@pytest.mark.usefixtures("later_git")
def test_git_runs_it_from_its_configuration(place: Repo, remote: Repo) -> None:
    seen = place.path / "seen"
    write_hook(place.path / ".git/hooks/pre-push", f"#!/bin/sh\ncat >'{seen}'\n")
    assert main(["install", "--config", "--hooks", "pre-push"]) == 0
    place.commit("bad", {"a.py": "2\n"})
    refused = place.run("push", "-q", "origin", "HEAD:main")
    assert (refused.returncode, ENDING in refused.stderr.decode()) == (1, True)
    place.git("commit", "-q", "--amend", "-m", "feat: add a")
    assert place.run("push", "-q", "origin", "HEAD:main").returncode == 0
    assert seen.read_text().count("\n") == 1
