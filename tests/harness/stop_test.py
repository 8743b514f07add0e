"""What an agent is told at the end of a turn: once until it commits, and only of several concerns."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.harness import hook
from smartcommit.harness.products import PRODUCTS
from smartcommit.session import commits
from smartcommit.split.flow import Flow
from tests.support.repository import Repo
from tests.support.sessions import Agent

SESSION = "mine"
CODE, TEXT = "def zebra():\n    return 7\n", "# Zebras\n\nThey have stripes.\n"


def write(repo: Repo, name: str, content: str) -> None:
    Agent(repo, SESSION).write(name, content)


def find_reason(repo: Repo) -> str | None:
    return hook.find_reason(Repository.find(str(repo.path)), SESSION, PRODUCTS["claude"], None)


@pytest.fixture
def changed(based: Repo) -> Repo:
    """A repository in which the session has changed code and a text, and the person another file."""
    based.commit("feat: count zebras", {"zebra.py": CODE, "README.md": TEXT, "person.txt": "1\n"})
    write(based, "zebra.py", CODE.replace("7", "8"))
    write(based, "README.md", TEXT.replace("stripes", "many stripes"))
    based.write("person.txt", "2\n")
    return based


def test_several_concerns_are_told_once_and_again_only_after_a_commit(changed: Repo) -> None:
    state = changed.state()
    reason = find_reason(changed)
    lines = reason.splitlines()
    assert lines[0] == "Your uncommitted changes have 2 concerns:"
    assert len([line for line in lines if line.startswith("- ")]) == 2
    assert "next: smartcommit session commit --session mine --exec 'CHECK'" in lines
    assert "person.txt" not in reason
    assert changed.state() == state
    assert find_reason(changed) is None
    write(changed, "README.md", TEXT.replace("stripes", "no stripes"))
    assert find_reason(changed) is None
    changed.commit("feat: count more", {"person.txt": "3\n"})
    assert find_reason(changed) is not None


def test_one_concern_is_not_told_and_not_planned_again(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    based.commit("feat: count zebras", {"zebra.py": CODE, "herd.py": "from zebra import zebra\n\nprint(zebra())\n"})
    write(based, "zebra.py", CODE.replace("zebra", "stripes"))
    write(based, "herd.py", "from zebra import stripes\n\nprint(stripes())\n")
    assert find_reason(based) is None
    monkeypatch.setattr(hook, "_plan_headers", None)
    assert find_reason(based) is None


@pytest.mark.parametrize("write", [write, Repo.write])
def test_one_hunk_and_lines_of_others_need_no_plan(
    based: Repo, monkeypatch: pytest.MonkeyPatch, write: Callable[[Repo, str, str], object]
) -> None:
    based.commit("feat: count zebras", {"zebra.py": CODE})
    write(based, "zebra.py", CODE.replace("7", "8"))
    monkeypatch.setattr(hook, "_plan_headers", None)
    assert find_reason(based) is None


def test_a_plan_that_takes_too_long_is_ended(changed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object, **__: object) -> None:
        try:
            signal.pause()
        except Exception:  # as whatever goes on after an error
            signal.pause()

    monkeypatch.setattr(hook, "_PLAN_SECONDS", 0.001)
    monkeypatch.setattr(commits, "_open_flow", hang)
    handler, state = signal.getsignal(signal.SIGALRM), changed.state()
    assert find_reason(changed) is None
    assert signal.getsignal(signal.SIGALRM) == handler
    assert changed.state() == state


def test_a_plan_that_takes_too_long_leaves_no_folder(changed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[Path] = []

    def be_late(flow: Flow) -> None:
        folders.extend(changed.path.glob(".git/smartcommit/split/*"))
        signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(Flow, "plan", be_late)
    assert find_reason(changed) is None
    assert folders
    assert not list(changed.path.glob(".git/smartcommit/split/*"))
