"""Running git: what the caller's environment must not change, and what a failure says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from smartcommit.errors import Cancelled, GitError, describe_error
from smartcommit.git.objects import read_objects
from smartcommit.git.repo import Repository
from smartcommit.git.run import explain_end, find_reason, read_head, run, scrub_environment
from tests.support.languages import translate_git
from tests.support.repository import Repo
from tests.support.table import rows


def test_pathspecs_are_literal_whatever_the_environment_says(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    based.stage({"*": "x\n", "other": "x\n"})
    for kind in ("GLOB", "NOGLOB", "ICASE", "LITERAL"):
        monkeypatch.setenv(f"GIT_{kind}_PATHSPECS", "1")
        assert run(("ls-files", "-z", "--", "*"), directory=str(based.path)).stdout == b"*\0"


def test_the_number_of_context_lines_is_the_one_asked_for(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    based.stage({"base.txt": "base\nmore\n"})
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u5")
    patch = run(("diff-index", "--cached", "-p", "-U0", "HEAD"), directory=str(based.path)).stdout
    assert b"@@ -1,0 +2 @@" in patch


@rows(
    ("stderr", "expected"),
    (b"", ""),
    (b"hint: x\nfatal: not a tree\n", "not a tree"),
    (b"error: open: denied\nerror: no\nfatal: adding files failed\n", "open: denied; no; adding files failed"),
    (b"error: same\nerror: same\n", "same"),
    (b"something else\nlast\n", "last"),
    (b"fatal: \xff\n", "\ufffd"),
    (
        b"error: gpg failed to sign the data:\n[GNUPG:] X 1\ngpg: No passphrase given\n\nfatal: no commit\n",
        "gpg failed to sign the data: [GNUPG:] X 1 gpg: No passphrase given; no commit",
    ),
    (
        b"fatal: detected dubious ownership in repository at '/r'\nTo add an exception, call:\n\n\tgit config x\n",
        "detected dubious ownership in repository at '/r' To add an exception, call: git config x",
    ),
    (b"fatal: ambiguous argument 'x'\nUse '--' to separate paths, like this:\n", "ambiguous argument 'x'"),
)  # fmt: skip
def test_the_reason_is_what_git_calls_an_error(stderr: bytes, expected: str) -> None:
    assert find_reason(stderr) == expected


@rows(
    ("status", "stderr", "reason"),
    (-9, b"", "killed"),
    (-15, b"fatal: no\n", "no"),
    (3, b"", "status 3"),
    (128, b"error: bad\n", "bad"),
)
def test_a_git_that_says_nothing_is_explained_by_how_it_ended(status: int, stderr: bytes, reason: str) -> None:
    assert explain_end(status, stderr) == reason


def test_git_gives_reasons_in_english_everywhere(based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    translate_git(tmp_path, monkeypatch, {"Needed a single revision": "Eine einzelne Version wird gebraucht"})
    with pytest.raises(GitError, match=r"^'git rev-parse' failed: Needed a single revision$"):
        run(("rev-parse", "--verify", "x"), directory=str(based.path))


def test_an_object_that_cannot_be_read_is_named(based: Repo) -> None:
    present, absent = based.git("rev-parse", "HEAD:base.txt").strip(), "1" * 40
    blobs = read_objects(Repository.find(str(based.path)), [present, absent])
    assert next(blobs) == b"base\n"
    with pytest.raises(GitError, match=f"^cannot read object '{absent}'$"):
        next(blobs)


def test_an_object_of_another_type_is_not_read(based: Repo) -> None:
    head = based.git("rev-parse", "HEAD").strip()
    with pytest.raises(GitError, match=f"^cannot read object '{head}'$"):
        next(read_objects(Repository.find(str(based.path)), [head]))
    assert next(read_objects(Repository.find(str(based.path)), [head], b"commit")).startswith(b"tree ")


def test_a_failure_says_why_also_where_only_the_head_of_the_output_is_wanted(based: Repo) -> None:
    with pytest.raises(GitError, match=r"'git cat-file' failed: .*nonsense") as failed:
        read_head(("cat-file", "-p", "nonsense"), limit=10, directory=str(based.path))
    assert failed.value.status == 128


# A back-reference makes git's matcher try every way to divide a line, which takes hours.
SLOW = r"(([a-z]{1,9})*\2)*1$"


def test_what_watches_git_can_end_it(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(f"{'ab' * 20}\n" * 20_000)
    seen = 0

    def watch() -> None:
        nonlocal seen
        seen += 1
        if seen == 3:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        read_head(("grep", "--no-index", "-E", SLOW, "--", "text"), limit=10, directory=str(tmp_path), watch=watch)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_what_takes_too_long_is_ended_with_what_it_has_printed(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("1\n" + f"{'ab' * 20}\n" * 20_000)
    command = ("grep", "--no-index", "-h", "-E", SLOW, "--", "text")
    assert read_head(command, limit=10, directory=str(tmp_path), timeout=0.2) == (b"", False)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of another process")
def test_git_has_no_more_memory_than_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a\n")
    command = ("grep", "--no-index", "-E", "((a{1,99}){1,99}){1,99}", "--", "text")
    with pytest.raises(GitError, match=r"(?i)memory"):
        read_head(command, limit=10, directory=str(tmp_path), timeout=60, memory=64 << 20)


def test_git_is_named_if_the_system_cannot_start_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1359, "Internal error")

    monkeypatch.setattr(subprocess, "run", refuse)
    with pytest.raises(OSError, match="Internal error") as refused:
        run(("version",))
    assert describe_error(refused.value) == "'git': internal error"


def test_the_environment_of_an_agent_holds_nothing_of_ours() -> None:
    inherited = {
        "PATH": "/bin", "SMARTCOMMIT_API_KEY": "sesame", "SMARTCOMMIT_MODEL": "m", "GIT_DIR": "/x",
        "GIT_INDEX_FILE": "/y", "GIT_CONFIG_PARAMETERS": "'smartcommit.apikey'='sesame'", "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "smartcommit.apiKey", "GIT_CONFIG_VALUE_0": "sesame", "GIT_CONFIG_KEY_1": "user.name",
        "GIT_CONFIG_VALUE_1": "Ada", "GIT_AUTHOR_NAME": "Ada",
    }  # fmt: skip
    kept = scrub_environment(inherited)
    assert "sesame" not in kept.values()
    assert kept == {
        "PATH": "/bin", "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "smartcommit.apiKey", "GIT_CONFIG_VALUE_0": "",
        "GIT_CONFIG_KEY_1": "user.name", "GIT_CONFIG_VALUE_1": "Ada", "GIT_AUTHOR_NAME": "Ada",
    }  # fmt: skip
