"""The hook by itself: when it acts, and that bad input ends in one clear line, status 0 and an untouched file."""

import os
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from smartcommit.draft import request
from smartcommit_hooks import prepare_commit_msg
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows

PLAIN = b"\n# Please enter the commit message\n"
SOURCE = "PRE_COMMIT_COMMIT_MSG_SOURCE"


@rows(
    ("arguments", "environment", "expected"),
    (["m"], {}, True),
    (["m"], {"GIT_EDITOR": "vi"}, True),
    (["m"], {"GIT_EDITOR": ":"}, True),
    (["m"], {"GIT_EDITOR": ":", "PRE_COMMIT": "1", SOURCE: "message"}, False),
    (["m", "template"], {}, True),
    (["m", "template"], {"GIT_EDITOR": ":"}, False),
    *((["m", source], {}, False) for source in ("message", "merge", "squash", "commit", "of the future")),
    (["m", "commit", "HEAD"], {}, False),
    (["m", "message", ""], {}, False),
    ([], {}, True),
    (["m"], {"PRE_COMMIT": "1"}, True),
    ([], {"PRE_COMMIT": "1"}, True),
    (["m"], {"PRE_COMMIT": "1", SOURCE: "template"}, True),
    *((["m"], {"PRE_COMMIT": "1", SOURCE: source}, False) for source in ("message", "merge", "squash", "commit")),
    (["m", "second file"], {"PRE_COMMIT": "1"}, True),
    # git's own hook below a framework's: the variables are those of the outer commit.
    (["m", "message"], {"PRE_COMMIT": "1"}, False),
    (["m"], {SOURCE: "message"}, False),
)  # fmt: skip
def test_hook_acts_where_git_names_no_source(arguments: list[str], environment: dict[str, str], expected: bool) -> None:
    assert prepare_commit_msg.wanted(arguments, environment) == expected


@pytest.fixture
def staged(repo: Repo) -> Repo:
    """A repository with a staged file and a message file that awaits a draft."""
    repo.commit(files={"kept.txt": "kept\n"})
    repo.stage({"zebra.py": "stripes = 7\n"})
    repo.write(".git/COMMIT_EDITMSG", PLAIN)
    return repo


Hook = Callable[..., str]


@pytest.fixture
def hook(installation: Installation) -> Hook:
    """Runs the console script, which must end with status 0; returns what it said."""

    def run(folder: Path, *arguments: str, env: Mapping[str, str] | None = None, shell: str = "") -> str:
        script = installation.script("smartcommit-prepare-commit-msg")
        done = subprocess.run(
            ["sh", "-c", f'{shell} exec "$0" "$@"', script, *arguments],
            cwd=folder, env={**os.environ, "GIT_EDITOR": "vi", **(env or {})}, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0
        assert done.stdout == b""
        return done.stderr.decode()

    return run


def test_mode_and_link_of_the_message_file_stay(hook: Hook, staged: Repo) -> None:
    elsewhere = staged.write("../elsewhere", PLAIN)
    elsewhere.chmod(0o640)
    link = staged.path / ".git" / "COMMIT_EDITMSG"
    link.unlink()
    link.symlink_to(elsewhere)
    assert hook(staged.path, ".git/COMMIT_EDITMSG") == ""
    assert link.is_symlink()
    assert elsewhere.read_bytes() != PLAIN
    assert elsewhere.read_bytes().endswith(PLAIN)
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o640
    assert [path.name for path in elsewhere.parent.glob("elsewhere*")] == ["elsewhere"]


def test_second_file_is_left_alone(hook: Hook, staged: Repo) -> None:
    second = staged.write("second", PLAIN)
    assert hook(staged.path, ".git/COMMIT_EDITMSG", "second", env={"PRE_COMMIT": "1"}) == ""
    assert second.read_bytes() == PLAIN
    assert (staged.path / ".git" / "COMMIT_EDITMSG").read_bytes() != PLAIN


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("mv .git gone; mkdir .git; mv gone/COMMIT_EDITMSG .git", "not a git repository"),
        ("git config core.bare true", "this repository is bare"),
        ("echo '[core' >.git/config", "bad config line 1"),
        ("printf 'DIRC\\0\\0' >.git/index", "'git diff-index' failed"),
        ("tree=$(git rev-parse HEAD^{tree}); rm .git/objects/*/${tree#??}", "'git diff-index' failed"),
        ("echo '[smartcommit' >.smartcommit", "'.smartcommit' is not valid git configuration"),
        ("printf '[smartcommit]\\nlimit=9' >.smartcommit", "unknown key 'smartcommit.limit' in '.smartcommit'"),
        ("git config smartcommit.draft perhaps", "invalid value 'perhaps' for smartcommit.draft"),
        (
            "git config smartcommit.summaryLimit \x1b[31m",
            "invalid value '\\x1b[31m' for smartcommit.summaryLimit",
        ),
    ],
)
def test_unusable_repository_is_a_line(hook: Hook, staged: Repo, script: str, reason: str) -> None:
    subprocess.run(["sh", "-ec", script], cwd=staged.path, check=True)
    said = hook(staged.path, ".git/COMMIT_EDITMSG")
    assert said.startswith("smartcommit: no draft: ")
    assert reason in said
    assert said.count("\n") == 1
    assert (staged.path / ".git" / "COMMIT_EDITMSG").read_bytes() == PLAIN


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone", "gone': no such file or directory"),
        ("no folder/COMMIT_EDITMSG", "COMMIT_EDITMSG': no such file or directory"),
        ("folder", "folder' is not a file"),
        ("kept.txt/COMMIT_EDITMSG", "kept.txt/COMMIT_EDITMSG': not a directory"),
        ("pipe", "pipe' is not a file"),
        ("circle", "circle': too many levels of symbolic links"),
        ("huge", "huge' is larger than 64 MiB"),
        ("ze\nbra\x1b[31m", "ze\\x0abra\\x1b[31m': no such file or directory"),
        ("n" * 255, "': file name too long"),
    ],
)
def test_unusable_message_file_is_one_clear_line(hook: Hook, staged: Repo, name: str, reason: str) -> None:
    (staged.path / "folder").mkdir()
    os.mkfifo(staged.path / "pipe")
    (staged.path / "circle").symlink_to("circle")
    os.truncate(staged.write("huge"), (1 << 26) + 1)
    # There is no room for a temporary name beside this one, as in a folder that nobody may write to.
    staged.write("n" * 255, PLAIN)
    said = hook(staged.path, name)
    assert said.startswith("smartcommit: no draft: ")
    assert said.endswith(f"{reason}\n")
    assert said.count("\n") == 1
    assert (staged.path / ("n" * 255)).read_bytes() == PLAIN


def test_full_disk_leaves_the_old_file_and_no_other(hook: Hook, staged: Repo) -> None:
    (staged.path / ".git" / "smartcommit").mkdir(exist_ok=True)
    before = sorted(path.name for path in (staged.path / ".git").iterdir())
    said = hook(staged.path, ".git/COMMIT_EDITMSG", shell="ulimit -f 0;")
    assert said == f"smartcommit: no draft: '{staged.path}/.git/COMMIT_EDITMSG': file too large\n"
    assert (staged.path / ".git" / "COMMIT_EDITMSG").read_bytes() == PLAIN
    assert sorted(path.name for path in (staged.path / ".git").iterdir()) == before
    assert not list((staged.path / ".git" / "smartcommit").iterdir())


def test_missing_git_is_one_clear_line(hook: Hook, staged: Repo) -> None:
    said = hook(staged.path, ".git/COMMIT_EDITMSG", shell="PATH=/nowhere;")
    assert said == "smartcommit: no draft: git is not installed or not on PATH\n"


def test_a_squash_that_cannot_be_read_is_one_clear_line(hook: Hook, staged: Repo) -> None:
    for name in ("SQUASH_MSG", "rebase-merge"):
        (staged.path / ".git" / name).mkdir()
    said = hook(staged.path, ".git/COMMIT_EDITMSG", "message")
    assert said == "smartcommit: comments may become the message: '.git/SQUASH_MSG' is not a file\n"


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (ZeroDivisionError("a bug\n"), 0, "this is a bug in smartcommit (ZeroDivisionError): see '{log}'"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_a_bug_and_an_interrupt_are_one_line_and_leave_the_file(
    staged: Repo,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    said: str,
) -> None:
    def fail(*_: object) -> str:
        raise error

    monkeypatch.setattr(request, "read_change", fail)
    monkeypatch.chdir(staged.path)
    monkeypatch.setenv("GIT_EDITOR", "vi")
    assert prepare_commit_msg.main([".git/COMMIT_EDITMSG"]) == status
    log = staged.path / ".git" / "smartcommit" / "failure.log"
    assert capsys.readouterr() == ("", f"smartcommit: no draft: {said.format(log=log)}\n")
    assert (staged.path / ".git" / "COMMIT_EDITMSG").read_bytes() == PLAIN
    if log.exists():
        assert log.read_text().startswith("Traceback")
        assert "ZeroDivisionError: a bug" in log.read_text()
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
        # Without a place for a log the line has the error itself.
        log.unlink()
        log.parent.joinpath("message-source").unlink(missing_ok=True)
        log.parent.rmdir()
        staged.write(".git/smartcommit", "a file in the way")
        assert prepare_commit_msg.main([".git/COMMIT_EDITMSG"]) == status
        assert capsys.readouterr().err.endswith("smartcommit (ZeroDivisionError): a bug\\x0a\n")
