"""`smartcommit session`: JSON in and out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from smartcommit.commands.session import command
from tests.support.repository import Repo


def call(repo: Repo, *arguments: str, stdin: object = None, status: str = "ok") -> dict[str, Any]:
    """What `smartcommit session ARGUMENTS` prints, which has this `status`."""
    text = stdin if isinstance(stdin, str) else json.dumps(stdin)
    done = CliRunner().invoke(command, [*arguments, "--repo", str(repo.path)], input=text, catch_exceptions=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    answer: dict[str, Any] = json.loads(done.output)
    assert answer["status"] == status
    return answer


@pytest.fixture
def one(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "one")
    assert call(based, "start", "--product", "claude")["session"] == "one"
    return based


def note_edit(repo: Repo) -> None:
    call(repo, "note", stdin={"event": "before", "path": "base.txt", "call": "1"})
    repo.write("base.txt", "base\nagent\nperson\n")
    edit = {"kind": "replace", "old": "base\n", "new": "base\nagent\n"}
    path = str(repo.path / "base.txt")
    call(repo, "note", stdin={"event": "after", "path": path, "call": "1", "edit": edit, "original": "base\n"})


def test_a_session_from_its_start_to_its_end(one: Repo) -> None:
    call(one, "note", stdin={"event": "before-shell", "call": "0"})
    call(one, "note", stdin={"event": "after-shell", "call": "0"})
    call(one, "note", stdin={"event": "read", "path": "base.txt"})
    note_edit(one)
    status = call(one, "status")
    (file,) = status["files"]
    assert (file["path"], file["own"]) == ("base.txt", 1)
    (hunk,) = file["left"]
    assert (hunk["owner"], hunk["lines"]) == ("nobody", ["+person"])
    assert status["next"] == ["smartcommit session plan --session one"]
    call(one, "claim", hunk["id"])
    assert call(one, "status")["files"] == [{"path": "base.txt", "own": 2, "left": []}]
    call(one, "end")
    others = call(one, "status", "--session", "two words")["others"]
    assert others == [{"session": "one", "product": "claude", "ended": True}]


def test_names_that_are_not_utf8_survive(one: Repo) -> None:
    one.write(b"\xff", "x\n")
    assert [file["path"] for file in call(one, "status")["files"]] == ["\udcff"]
    call(one, "note", stdin={"event": "before", "path": "\udcff", "call": "1"})


@pytest.mark.parametrize(
    "notice",
    [
        "", "[]", "1", "[" * 100_000, {}, {"event": "x"}, {"event": "before"}, {"event": "before", "path": 1},
        {"event": "after", "path": "f", "call": "1", "edit": {"kind": "x"}},
        {"event": "after", "path": "f", "call": "1", "edit": {"kind": "replace", "old": "a"}},
        {"event": "after", "path": "f", "call": "1", "edit": {"kind": "write", "content": 1}},
        {"event": "after", "path": "f", "call": "1", "edit": None, "original": 1},
    ],
)  # fmt: skip
def test_what_is_no_notice_is_one_error(one: Repo, notice: object) -> None:
    assert "no notice" in call(one, "note", stdin=notice, status="error")["error"]


def test_a_session_needs_an_id(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMARTCOMMIT_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"):
        monkeypatch.delenv(name, raising=False)
    assert call(based, "status", status="error")["error"] == "no session"
