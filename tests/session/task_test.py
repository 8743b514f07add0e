"""What an agent was asked reaches drafts of its session's lines alone, and nothing of it stays afterwards."""

import json
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.coding_agent import SESSIONS
from smartcommit.session import registry
from smartcommit.session.task import find_said, find_task, note_prompt
from smartcommit_hooks import prepare_commit_msg
from tests.support.repository import Repo
from tests.support.sessions import Agent
from tests.support.table import rows

TASK = "reject empty hosts"
SOURCE = "what the agent was asked"


@pytest.fixture
def agent(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Agent:
    """An agent that was asked to do something, and has done it."""
    monkeypatch.chdir(based.path)
    based.commit("feat: list hosts", {"hosts.py": "hosts = []\n"})
    made = Agent(based, "session-1")
    note_prompt(made.repository, made.session, f"Please {TASK}. They crash.")
    made.write("hosts.py", "hosts = []\nif not hosts:\n    raise ValueError(hosts)\n")
    based.git("add", "hosts.py")
    return made


def test_the_task_is_of_the_session_it_drafts_for(based: Repo, agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(*paths: bytes) -> str:
        return find_said(agent.repository, paths).get("agent-prompts", "")

    assert find(b"other.py", b"hosts.py") == TASK
    # The lines are not its own.
    assert find(b"other.py") == find() == ""
    other = Agent(based, "session-2")
    assert find(b"hosts.py") == ""
    for name in SESSIONS:
        monkeypatch.setenv(name, agent.session)
        assert find(b"other.py") == TASK
        monkeypatch.setenv(name, other.session)
        assert find(b"hosts.py") == ""
        for unknown in ("../../none", "\udcff"):
            monkeypatch.setenv(name, unknown)
            assert find(b"hosts.py") == ""
        monkeypatch.delenv(name)
    registry.end(agent.repository, other.session)
    assert find(b"hosts.py") == TASK
    registry.end(agent.repository, agent.session)
    monkeypatch.setenv(SESSIONS[0], agent.session)
    assert find(b"hosts.py") == ""


def test_nothing_of_a_task_is_left_after_its_session(
    based: Repo, agent: Agent, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def draft() -> dict[str, object]:
        assert main(["draft", "--json"]) == 0
        drafted: dict[str, object] = json.loads(capfd.readouterr().out)
        return drafted

    assert (draft()["message"], draft()["source"]) == (f"fix: {TASK}\n", SOURCE)
    assert agent.plan().document["commits"][0]["message"] == f"fix: {TASK}\n"
    message = based.path / ".git/COMMIT_EDITMSG"
    for variables, drafted in (({}, False), ({"CLAUDE_CODE_SESSION_ID": agent.session, "CLAUDECODE": "1"}, True)):
        with monkeypatch.context() as changed:
            changed.setenv("GIT_EDITOR", "vi")
            for name, value in variables.items():
                changed.setenv(name, value)
            message.write_text("\n# Please enter the commit message\n")
            assert prepare_commit_msg.main([str(message)]) == 0
        assert (f"fix: {TASK}\n" in message.read_text()) == drafted
        assert (SOURCE in message.read_text()) == drafted
    message.unlink()
    registry.end(agent.repository, agent.session)
    for path in filter(Path.is_file, (based.path / ".git").rglob("*")):
        assert TASK.encode() not in path.read_bytes()
    assert draft()["source"] == ""


def test_a_task_that_was_committed_is_not_said_again(based: Repo, agent: Agent) -> None:
    agent.commit()
    assert based.subjects()[-1] == f"fix: {TASK}"
    agent.write("hosts.py", "hosts = []\nif not hosts:\n    print(hosts)\n    raise ValueError(hosts)\n")
    assert TASK not in agent.plan().document["commits"][0]["message"]


def test_a_task_is_not_said_again_after_a_plain_commit(based: Repo, agent: Agent) -> None:
    based.git("switch", "-q", "-c", "next")
    assert find_said(agent.repository, [b"hosts.py"]) == {"agent-prompts": TASK}
    based.git("commit", "-q", "-m", "fix: reject them")
    assert find_said(agent.repository, [b"hosts.py"]).get("agent-prompts", "") == ""
    note_prompt(agent.repository, agent.session, "Now print the hosts")
    assert registry.read_task(agent.repository, agent.session) == "print the hosts"


def test_a_task_is_said_only_if_it_may_be(based: Repo, agent: Agent, capfd: pytest.CaptureFixture[str]) -> None:
    based.git("config", "smartcommit.agentPrompts", "false")
    assert main(["draft"]) == 0
    assert TASK not in capfd.readouterr().out


# In parts, since tools that search for keys would find them here.
TOKEN, KEY = "ghp_" + "a1B2" * 9, "AKIA" + "IOSFODNN7EXAMPLE"


@rows(
    ("prompt", "task"),
    ("Please reject negative\nnumbers.\nThey crash the parser.", "reject negative numbers"),
    ("Could you reject negative numbers? It is urgent", "reject negative numbers"),
    ("reject negative numbers\n\nThey crash the parser", "reject negative numbers"),
    ("reject negative numbers\n- in the parser\n- in the form", "reject negative numbers"),
    # opencode quotes what was given on its command line, whole or not.
    ('"reject negative numbers"', "reject negative numbers"),
    ('"reject negative numbers. They crash the parser"', "reject negative numbers"),
    ('print the word "hello"', 'print the word "hello"'),
    ("refresh the access_token before it expires", "refresh the access_token before it expires"),
    ("why does it crash with negative numbers", ""),
    ("reject numbers", ""),
    ("reject " + "very " * 30 + "negative numbers", ""),
    ("reject negative\x1b[2J numbers", ""),
    (f"use the token {TOKEN} to fetch", ""),
    (f"use {KEY} for the upload", ""),
    (f"ship {'a1b2' * 4} to everybody", ""),
    ("set password=hunter2 in app.py", ""),
    ("set the password to hunter2", ""),
    ("use password hunter2 for the database", ""),
    ("set API_KEY to 1234abcd5678efgh90", ""),
    ("add the passphrase: open sesame now", ""),
    ("push to https://bob:hunter2@example.invalid/repo at once", ""),
)
def test_an_instruction_is_one_line_without_a_secret(prompt: str, task: str) -> None:
    assert find_task(prompt) == task
