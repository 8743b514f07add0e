"""Exit statuses: how a command ends is what its help says."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import COMMANDS, main
from tests.support.repository import Repo


def edit(repo: Repo) -> None:
    repo.write("a.py", "a = 2\n")


def stage(repo: Repo) -> None:
    repo.stage({"a.py": "a = 2\n"})


def split_once(repo: Repo) -> None:
    edit(repo)
    assert main(["split", "--yes"]) == 0


def commit_fixup(repo: Repo) -> None:
    repo.commit("fixup! feat: add b", {"b.py": "b = 2\n"})


def leave_alone(repo: Repo) -> None:
    """Everything is committed."""


def configure_nothing_there(repo: Repo) -> None:
    edit(repo)
    repo.git("config", "smartcommit.baseUrl", "http://127.0.0.1:9/v1")
    repo.git("config", "smartcommit.model", "none")


def misconfigure(repo: Repo) -> None:
    edit(repo)
    repo.git("config", "smartcommit.headerLimit", "long")


def write_bad_message(repo: Repo) -> None:
    repo.write(".git/message", "update\n")


def write_good_message(repo: Repo) -> None:
    repo.write(".git/message", "feat: add a file\n")


def break_off(repo: Repo) -> None:
    repo.git("merge", "-q", "--no-ff", "--no-commit", "side")


# What is done before, the command, and its status.
TABLE: list[tuple[Callable[[Repo], None], str, int]] = [
    (edit, "split --yes", 0),
    (leave_alone, "split --yes", 1),
    (configure_nothing_there, "split --yes --engine model", 2),
    (break_off, "split --yes", 3),
    (edit, "split", 4),
    (edit, "split --no-such-option", 64),
    (misconfigure, "split --yes", 64),
    (stage, "absorb HEAD~2.. --yes", 0),
    (leave_alone, "absorb HEAD~2.. --yes", 1),
    (edit, "absorb none.. --yes", 3),
    (edit, "absorb HEAD~2..", 4),
    (edit, "absorb --staged --from HEAD", 64),
    (commit_fixup, "range HEAD~2.. --yes", 0),
    (leave_alone, "range HEAD --yes", 1),
    (leave_alone, "range none.. --yes", 3),
    (commit_fixup, "range HEAD~2..", 4),
    (leave_alone, "range", 64),
    (split_once, "undo", 0),
    (leave_alone, "undo", 1),
    (leave_alone, "undo --repo /", 3),
    (leave_alone, "undo now", 64),
    (leave_alone, "recover", 0),
    (leave_alone, "recover --repo /", 3),
    (leave_alone, "recover now", 64),
    (write_good_message, "check .git/message", 0),
    (write_bad_message, "check .git/message", 1),
    (leave_alone, "check none", 2),
    (stage, "draft", 0),
    (leave_alone, "draft", 1),
    (leave_alone, "draft --no-such-option", 2),
    (leave_alone, "config", 0),
    (misconfigure, "config", 1),
    (leave_alone, "doctor --no-such-option", 2),
    (misconfigure, "doctor", 1),
    (leave_alone, "install", 0),
    (leave_alone, "install --no-such-option", 2),
    (leave_alone, "install --pre-commit --repo x", 2),
    (leave_alone, "install --repo x --rev y", 2),
    (leave_alone, "uninstall", 0),
    (leave_alone, "model --no-such-option", 2),
    (leave_alone, "demo --no-such-option", 2),
    (leave_alone, "mcp --no-such-option", 2),
    (leave_alone, "jj-editor", 2),
    (leave_alone, "agents status", 0),
    (leave_alone, "agents install nobody", 2),
    (leave_alone, "agents restore 7", 1),
    (leave_alone, "plan show", 1),
    (leave_alone, "plan none", 2),
    (leave_alone, "execute list", 0),
    (leave_alone, "execute show none", 1),
    (leave_alone, "execute run none", 1),
    (leave_alone, "execute none", 2),
    (leave_alone, "execute show", 2),
    (leave_alone, "execute new absent.md", 2),
    (leave_alone, "session start --session s", 0),
    (leave_alone, "session undo --session s", 1),
    (leave_alone, "session claim --session s", 2),
    (leave_alone, "session none", 2),
    (leave_alone, "session plan --session s --strategy none", 2),
    (leave_alone, "session commit --session s --plan a.py --message x", 2),
    (break_off, "session commit --session s", 3),
]


@pytest.mark.parametrize(("prepare", "line", "status"), TABLE)
def test_a_command_ends_as_its_help_says(
    based: Repo,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    prepare: Callable[[Repo], None],
    line: str,
    status: int,
) -> None:
    based.commit("feat: add a", {"a.py": "a = 1\n"})
    based.git("branch", "side")
    based.commit("feat: add b", {"b.py": "b = 1\n"})
    based.git("switch", "-q", "side")
    based.commit("feat: add c", {"c.py": "c = 1\n"})
    based.git("switch", "-q", "main")
    monkeypatch.chdir(based.path)
    prepare(based)
    assert main(shlex.split(line)) == status, capsys.readouterr()
    assert str(status) in list_statuses(shlex.split(line), capsys)


def list_statuses(words: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the statuses in the help of the command, or else of the group it belongs to."""
    for count in (2, 1, 0):
        capsys.readouterr()
        main([*words[:count], "--help"])
        _, said, statuses = " ".join(capsys.readouterr().out.split()).partition("Exit status: ")
        if said and (count == 0 or words[:count] != words[:0]):
            return re.findall(r"\b\d+\b", statuses)
    return []


def test_each_command_is_in_the_table() -> None:
    assert {line.split()[0] for _, line, _ in TABLE} == set(COMMANDS)


def test_a_repository_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (main(["draft"]), main(["execute", "list"]), main(["split"])) == (1, 1, 3)


@pytest.mark.parametrize("encoding", ["cp1252", "iso-8859-15", "ascii"])
def test_what_an_encoding_lacks_is_printed_with_substitutes(based: Repo, encoding: str) -> None:
    bad = based.commit("Bad \u65e5\u672c", {"a.py": "1\n"})
    based.write("\u65e5.md", "x\n")
    based.write("b.py", "b = 1\n")
    for arguments, status in (
        (["check", "--range", "HEAD~1..HEAD"], 1),
        (["split"], 4),
        (["draft"], 1),
        (["split", "--yes"], 0),
        (["undo"], 0),
    ):
        code = f"import sys; from smartcommit.cli import main; sys.exit(main({arguments}))"
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=based.path, env=environment, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr.count(b"Traceback")) == (status, 0), done.stderr.decode()
    assert based.git("rev-parse", "HEAD").strip() == bad
