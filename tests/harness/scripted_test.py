"""Whole sessions of Claude Code beside a person who edits the same files, scripted, with real git."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.harness.install_test import snapshot
from tests.harness.scripted import Claude
from tests.support.repository import Repo

APP = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(12))
GUIDE = "# Guide\n\nHow to call it.\n\nThe end.\n"
# Marks each commit that did not go around it.
COMMIT_MSG = "#!/bin/sh\nprintf '\\n\\nChecked: yes\\n' >> \"$1\"\n"
# A person's settings, oddly formatted.
FILE, SETTINGS = ".claude/settings.local.json", '{ "hooks":{ "Stop":[] },\r\n\t"model" : "fast" }'
SESSION = "5f3c8e1a-session"


class Play:
    """A repository in which a person and a session work, and the harness of the session."""

    def __init__(self, repo: Repo, harness: Claude) -> None:
        self.repo = repo
        self.harness = harness

    def smartcommit(self, *arguments: str) -> str:
        """Run it as the person does."""
        done = subprocess.run(
            ["smartcommit", *arguments], cwd=self.repo.path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, verb: str) -> dict[str, Any]:
        """Run a verb of `smartcommit session` in the shell of the harness; returns its answer."""
        ran = self.harness.shell(f"smartcommit session {verb} --session {SESSION}")
        assert ran.refusal is None, ran.refusal
        assert ran.status == 0, ran.stdout + ran.stderr
        answer: dict[str, Any] = json.loads(ran.stdout)
        return answer

    def person(self, name: str, old: str, new: str) -> None:
        """An edit by a person, in an editor that has read the file as it is."""
        path = self.repo.path / name
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def follow(self, refusal: str | None) -> str:
        """Run the command that `refusal` names, as the model would; returns what it prints."""
        assert refusal is not None
        assert len(refusal.splitlines()) <= 15
        _, found, command = refusal.partition("\nnext: ")
        assert found, refusal
        ran = self.harness.shell(command)
        assert ran.refusal is None, ran.refusal
        assert ran.status == 0, (command, ran.stdout, ran.stderr)
        return ran.stdout

    def read_head(self, name: str) -> str:
        return self.repo.git("show", f"HEAD:{name}")

    def list_lines(self) -> str:
        """All that is committed since the beginning, as a patch."""
        return self.repo.git("log", "-p", "--format=", "start..")

    def work(self) -> None:
        """Edit two concerns, around the person, who edits before, while and after the tool works."""
        self.person("app.py", "return 0\n", "return 'person before'\n")
        self.harness.read("app.py")
        self.harness.edit("app.py", "    return 3\n", "    third = 3\n    return third\n")
        self.harness.edit(
            "app.py",
            "    return 6\n",
            "    sixth = 6\n    return sixth\n",
            lambda: self.person("app.py", "return 11\n", "return 'person meanwhile'\n"),
        )
        self.person("app.py", "return 9\n", "return 'person after'\n")
        self.harness.edit("docs/guide.md", "The end.\n", "Call `f6` to get six.\n\nThe end.\n")
        self.harness.write("tools/count.py", "import sys\n\n\nprint(len(sys.argv))\n")

    def check_commits(self) -> None:
        """What is committed is the session's, what the person wrote is uncommitted and still there."""
        assert "person" not in self.list_lines()
        assert "    third = 3\n    return third\n" in self.read_head("app.py")
        assert "    sixth = 6\n    return sixth\n" in self.read_head("app.py")
        assert "Call `f6`" in self.read_head("docs/guide.md")
        assert self.read_head("tools/count.py").startswith("import sys\n")
        left = self.repo.git("diff", "HEAD", "--", "app.py", "docs", "tools")
        added = [line for line in left.splitlines() if line.startswith("+") and not line.startswith("+++")]
        assert added == [f"+    return 'person {when}'" for when in ("before", "after", "meanwhile")]


@pytest.fixture
def smartcommit_on_path(installation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{installation.bin}:{os.environ['PATH']}")


@pytest.fixture
def play(repo: Repo, smartcommit_on_path: None) -> Play:
    """A session that has just begun."""
    repo.commit("chore: base", {"app.py": APP, "docs/guide.md": GUIDE, FILE: SETTINGS})
    repo.git("branch", "start")
    repo.write(".git/hooks/commit-msg", COMMIT_MSG, executable=True)
    play = Play(repo, Claude(repo.path, SESSION))
    play.smartcommit("agents", "install", play.harness.product, "--project")
    play.harness.start()
    return play


def test_a_bypass_is_refused_and_what_to_run_instead_works(play: Play) -> None:
    play.harness.write("tools/count.py", "print(1)\n")
    assert play.harness.shell("git add tools/count.py").status == 0
    before = play.repo.git("rev-parse", "HEAD")
    ran = play.harness.shell("git commit --no-verify -m 'feat(tools): count'")
    assert ran.refusal is not None
    assert play.repo.git("rev-parse", "HEAD") == before
    play.follow(ran.refusal)
    assert play.repo.git("show", "--format=", "--name-only", "start..").split() == ["tools/count.py"]
    assert "Checked: yes" in play.repo.message()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["git add -A", "git commit -am 'feat: all'"])
def test_sweeping_is_refused_and_what_to_run_instead_commits_the_sessions_lines(play: Play, command: str) -> None:
    play.work()
    ran = play.harness.shell(command)
    play.follow(ran.refusal)
    play.check_commits()


@pytest.mark.slow
def test_what_a_person_has_staged_is_not_committed_unnoticed(play: Play) -> None:
    """The index is shared, and a plain commit takes all of it."""
    play.person("app.py", "return 0\n", "return 'person before'\n")
    play.repo.git("add", "app.py")
    play.harness.write("tools/count.py", "print(1)\n")
    assert play.harness.shell("git add tools/count.py").status == 0
    ran = play.harness.shell("git commit -q -m 'feat(tools): count'")
    assert ran.refusal is not None
    play.follow(ran.refusal)
    assert "person" not in play.list_lines()
    assert "print(1)" in play.list_lines()


def test_a_session_commits_its_lines_and_takes_them_back(play: Play) -> None:
    play.work()
    before = snapshot(play.repo.path)
    index = play.repo.git("ls-files", "--stage")
    play.follow("x\nnext: " + play.ask("plan")["next"][0])
    play.check_commits()
    assert snapshot(play.repo.path) == before
    play.ask("undo")
    assert play.repo.git("rev-parse", "HEAD") == play.repo.git("rev-parse", "start")
    assert snapshot(play.repo.path) == before
    assert play.repo.git("ls-files", "--stage") == index
    # What it was before is committed again.
    play.follow("x\nnext: " + play.ask("plan")["next"][0])
    play.check_commits()


@pytest.mark.slow
def test_uninstalling_restores_every_byte_after_a_session(play: Play) -> None:
    play.work()
    play.ask("commit")
    play.harness.end()
    play.smartcommit("agents", "uninstall", play.harness.product, "--project")
    assert (play.repo.path / FILE).read_bytes() == SETTINGS.encode()
    assert play.repo.git("status", "--short") == " M app.py\n"
    assert not any(play.harness.find_handlers("Stop", ""))


def test_a_folder_that_is_no_repository_is_left_alone(tmp_path: Path, smartcommit_on_path: None) -> None:
    """Installed for the user, the hooks run everywhere."""
    root = tmp_path / "plain"
    root.mkdir()
    subprocess.run(["smartcommit", "agents", "install", "claude", "--user"], cwd=root, check=True, capture_output=True)
    harness = Claude(root, SESSION)
    harness.start()
    harness.write("a.txt", "a\n")
    harness.edit("a.txt", "a\n", "b\n")
    assert harness.shell("echo done").stdout == "done\n"
    assert harness.stop() is None
    harness.end()
    assert harness.started
    assert sorted(path.name for path in root.iterdir()) == ["a.txt"]
