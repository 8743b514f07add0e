"""A session of Claude Code beside a person who edits the same file, with the hooks of its settings and real git."""

import json
import os
import subprocess
from typing import Any

import pytest

from tests.support.installation import Installation
from tests.support.repository import Repo

SESSION = "5f3c8e1a-session"
APP = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(12))
# A person's settings, oddly formatted.
SETTINGS = '{ "hooks":{ "Stop":[] },\r\n\t"model" : "fast" }'


class Play:
    def __init__(self, repo: Repo, session: str = SESSION) -> None:
        self.repo = repo
        self.session = session
        self.app = repo.path / "app.py"
        self.hooks: dict[str, Any] = {}

    def run(self, command: str) -> str:
        done = subprocess.run(["sh", "-c", command], cwd=self.repo.path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def fire(self, event: str, **fields: object) -> dict[str, Any]:
        """Start our hook for an event as its settings say; return the answer."""
        command = self.hooks[event][-1]["hooks"][0]["command"]
        payload: dict[str, object] = {"session_id": self.session, "transcript_path": "/t", "cwd": str(self.repo.path)}
        payload = {**payload, "hook_event_name": event, **fields}
        done = subprocess.run(
            ["sh", "-c", command], cwd="/", input=json.dumps(payload), capture_output=True, text=True,
            check=True, env={**os.environ, "CLAUDECODE": "1"},
        )  # fmt: skip
        assert done.stderr == ""
        answer: dict[str, Any] = json.loads(done.stdout or "{}")
        return answer.get("hookSpecificOutput", answer)  # type: ignore[no-any-return]

    def edit(self, old: str, new: str) -> str:
        """Edit the file as a person does; return what was in it."""
        before = self.app.read_text()
        assert before.count(old) == 1
        self.app.write_text(before.replace(old, new))
        return before


@pytest.fixture
def play(repo: Repo, installation: Installation, monkeypatch: pytest.MonkeyPatch) -> Play:
    monkeypatch.setenv("PATH", f"{installation.bin}:{os.environ['PATH']}")
    repo.commit("chore: base", {"app.py": APP, ".claude/settings.local.json": SETTINGS})
    play = Play(repo)
    play.run("smartcommit agents install claude")
    play.hooks = json.loads((repo.path / ".claude/settings.local.json").read_text())["hooks"]
    return play


def test_a_session_commits_its_lines_alone_and_takes_them_back(play: Play) -> None:
    assert SESSION in play.fire("SessionStart", source="startup")["additionalContext"]
    play.edit("return 0\n", "return 'person before'\n")
    change = {"file_path": str(play.app), "old_string": "    return 3\n", "new_string": "    return 33\n"}
    call = {"tool_name": "Edit", "tool_input": change, "tool_use_id": "1"}
    assert play.fire("UserPromptSubmit", prompt="Could you raise the third value? It is too low.") == {}
    assert play.fire("PreToolUse", **call) == {}
    play.edit("return 11\n", "return 'person meanwhile'\n")
    found = play.edit("return 3\n", "return 33\n")
    done = {"oldString": "    return 3\n", "newString": "    return 33\n", "originalFile": found}
    assert play.fire("PostToolUse", **call, tool_response=done) == {}
    play.edit("return 9\n", "return 'person after'\n")
    plan = json.loads(play.run(f"smartcommit session plan --session {SESSION}"))
    assert "raise the third value\\n" in json.dumps(plan)

    sweep = {"tool_name": "Bash", "tool_input": {"command": "git add -A"}, "tool_use_id": "2"}
    answer = play.fire("PreToolUse", **sweep)
    assert answer["permissionDecision"] == "deny"
    head, content = play.repo.git("rev-parse", "HEAD"), play.app.read_text()
    play.run(answer["permissionDecisionReason"].partition("\nnext: ")[2])
    assert play.repo.git("show", "HEAD:app.py") == APP.replace("return 3\n", "return 33\n")
    assert play.app.read_text() == content
    play.run(f"smartcommit session undo --session {SESSION}")
    assert play.repo.git("rev-parse", "HEAD") == head
    assert play.app.read_text() == content

    assert play.fire("SessionEnd", reason="other") == {}
    play.run("! grep -rq 'raise the third' .git/smartcommit/ledger")
    play.run("smartcommit agents uninstall claude")
    assert play.repo.git("status", "--short") == " M app.py\n"
