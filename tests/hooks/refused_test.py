"""A message that `commit-msg` refused is offered to the next attempt at the same commit, and to no other commit."""

import os
import subprocess

import pytest

from tests.support.installation import Installation
from tests.support.precommit import Framework
from tests.support.repository import Repo

TEXT = "oops: a long text\n\nthat took an hour\n"
KEPT = ".git/smartcommit/refused-message"


@pytest.fixture
def hooked(repo: Repo, installation: Installation) -> Repo:
    """A repository with one commit of two files and both of our hooks on messages as git's own."""
    repo.commit("feat: base", {"one.txt": "1\n", "two.txt": "2\n"})
    installation.add_hooks(repo, "prepare-commit-msg", "commit-msg")
    return repo


PRELUDE = """
stage() { echo "$2" >"$1"; git add "$1"; }
both() { stage one.txt uno; stage two.txt dos; }
refuse() { if git commit -m "$TEXT" "$@" 2>../said; then exit 1; fi; grep -q 'Your message was saved' ../said; }
reject() { both; refuse; git reset -q --hard; }
"""
EDITED, REPLACED = "stage one.txt one; refuse; stage one.txt eins", "reject; git switch -qc other; stage three.txt 3"


def act(repo: Repo, script: str) -> None:
    """Run a shell script in which `refuse` commits what is staged with a message that is refused."""
    subprocess.run(
        ["sh", "-ec", PRELUDE + script], cwd=repo.path, env={**os.environ, "TEXT": TEXT.strip(), "GIT_EDITOR": "true"},
        check=True,
    )  # fmt: skip


def opened(repo: Repo, *options: str) -> str:
    """The message file that the editor of `git commit` opens; the commit is then aborted."""
    done = repo.run("commit", *options, env={"GIT_EDITOR": repo.editor('cp "$1" ../opened; exit 1')})
    assert done.returncode != 0
    return (repo.path.parent / "opened").read_text()


@pytest.mark.parametrize(
    "script",
    [
        EDITED,
        "both; refuse; git reset -q one.txt",
        "both; refuse; git switch -qc topic",
        "both; refuse; git checkout -q --detach",
        "both; refuse; git commit -q --no-verify -m 'fix: two' -- two.txt",
        "git checkout -q --orphan empty; refuse",
        "git config diff.relative true; git config color.ui always; stage HEAD x; stage 'two words\nof it' x; refuse",
        "git rm -q one.txt; refuse; git switch -qc topic",
        # Other work is committed on another branch meanwhile.
        "both; refuse; git stash -q; git switch -qc other; stage three.txt 3; git commit -q; git switch -q main;"
        " git stash pop -q --index",
    ],
)
def test_another_attempt_at_the_same_commit_opens_with_the_text(hooked: Repo, script: str) -> None:
    act(hooked, script)
    shown = opened(hooked)
    assert shown.startswith(TEXT)
    assert hooked.run("commit", env={"GIT_EDITOR": hooked.editor('sed -i s/oops:/feat:/ "$1"')}).returncode == 0
    assert not list((hooked.path / ".git/smartcommit").glob("refused-*"))


def test_a_text_like_a_comment_is_not_dropped_as_one(hooked: Repo) -> None:
    act(hooked, "both")
    assert hooked.run("commit", "-m", "# 12 fixed without an editor").returncode == 1
    assert opened(hooked).startswith(" # 12 fixed without an editor\n")


def test_comments_say_why_the_text_was_refused(hooked: Repo) -> None:
    act(hooked, EDITED)
    comments = [line for line in opened(hooked).splitlines() if line.startswith("# ")]
    assert comments[:2] == ["# smartcommit: this message was refused:", "# line:1:1: type-unknown unknown type"]
    assert "oops: a long text" in comments[2]
    assert [line for line in comments if "expected" in line or "did you mean" in line]
    hooked.git("config", "core.commentChar", ";")
    assert "\n; line:1:1: type-unknown" in opened(hooked)
    (hooked.path / ".git/smartcommit/refused-report").unlink()
    shown = opened(hooked)
    assert (shown.startswith(TEXT), "type-unknown" in shown) == (True, False)


def test_no_comment_is_added_where_git_would_record_it(hooked: Repo) -> None:
    act(hooked, EDITED)
    for mode in ("whitespace", "scissors", "verbatim"):
        hooked.git("config", "commit.cleanup", mode)
        shown = opened(hooked)
        assert shown.startswith(TEXT)
        assert "type-unknown" not in shown


def test_a_refused_text_that_is_closed_unchanged_is_an_abort(hooked: Repo) -> None:
    act(hooked, EDITED)
    for _ in range(2):
        done = hooked.run("commit", env={"GIT_EDITOR": "true"})
        assert done.returncode == 1
        assert done.stderr == b"Aborting commit; you did not edit the message that was refused.\n"
        assert (hooked.path / KEPT).read_text() == TEXT
    done = hooked.run("commit", "-m", TEXT)
    assert b"type-unknown" in done.stderr


def test_a_commit_of_one_path_and_an_empty_one_are_attempted_again(hooked: Repo) -> None:
    # git gives the hooks an index of its own for a path.
    act(hooked, "refuse --allow-empty")
    assert opened(hooked, "--allow-empty").startswith(TEXT)
    hooked.stage({"two.txt": "dos\n"})
    hooked.write("one.txt", "uno\n")
    act(hooked, "refuse one.txt")
    assert opened(hooked, "one.txt").startswith(TEXT)
    assert TEXT not in opened(hooked)


@pytest.mark.parametrize(
    "script",
    [
        REPLACED,
        "reject; stage three.txt 3",
        "reject; git switch -qc other; stage one.txt 'another change'",
        "both; refuse; git commit -q --no-verify -m \"$TEXT\"; stage one.txt 'the next change'",
        "git branch other; stage three.txt 3; git commit -q --no-verify -m 'feat: more'; both; refuse; git stash -q;"
        " git switch -q other; both",
        "refuse --amend; stage three.txt 3",
    ],
)
def test_other_work_opens_with_a_draft_and_keeps_the_text(hooked: Repo, script: str) -> None:
    act(hooked, script)
    shown = opened(hooked)
    assert "oops" not in shown
    assert not shown.startswith(("\n", "#"))
    assert hooked.run("commit", env={"GIT_EDITOR": "true"}).returncode == 0
    assert (hooked.path / KEPT).read_text() == TEXT


@pytest.mark.parametrize("options", [["-m", "feat: three"], ["--amend", "-m", "feat: amended"]])
def test_a_commit_of_other_work_keeps_the_text(hooked: Repo, options: list[str]) -> None:
    act(hooked, REPLACED)
    assert hooked.run("commit", *options).returncode == 0
    assert (hooked.path / KEPT).read_text() == TEXT


def test_a_text_that_is_not_in_the_commit_encoding_is_not_offered(hooked: Repo) -> None:
    act(hooked, "both")
    assert hooked.run("commit", "-m", "oops: café").returncode == 1
    hooked.git("config", "i18n.commitEncoding", "ascii")
    shown = opened(hooked)
    assert "oops" not in shown


def test_other_work_opens_with_a_draft_through_precommit_too(repo: Repo, framework: Framework) -> None:
    framework.configure(repo)
    framework.install(repo, "prepare-commit-msg", "commit-msg")
    repo.stage({"one.txt": "uno\n"})
    refuse_by_framework = repo.run("commit", "-m", TEXT)
    assert refuse_by_framework.returncode == 1
    assert opened(repo).startswith(TEXT)
    repo.git("rm", "-q", "--cached", "one.txt")
    repo.stage({"three.txt": "3\n"})
    shown = opened(repo)
    assert "oops" not in shown


def test_a_good_commit_asks_git_nothing_about_a_text_that_is_not_there(hooked: Repo) -> None:
    act(hooked, "both")
    trace = hooked.path.parent / "trace"
    assert hooked.run("commit", "-m", "feat: x", env={"GIT_TRACE2": str(trace)}).returncode == 0
    started = [line for line in trace.read_text().splitlines() if " start " in line]
    assert not [line for line in started if "--symbolic-full-name" in line or "diff --cached" in line]
    assert [line for line in started if "rev-parse" in line]
