"""Real clients of coding agents, each in a session beside a person who has edited the same file, without a network."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from operator import attrgetter
from pathlib import Path

import pytest

from smartcommit.session import registry
from tests.support.clients import CLIENTS, Call, Client, ScriptedModel, start
from tests.support.installation import Installation
from tests.support.model_server import serve
from tests.support.repository import Repo

pytestmark = [pytest.mark.components, pytest.mark.slow]

APP = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(12))
# A person's settings, oddly formatted, where ours go into the same file. Qwen Code would add its version.
SETTINGS = {
    ".claude/settings.local.json": '{\t"hooks" : { }\r\n}',
    ".gemini/settings.json": '{\t"hooks" : { }\r\n}',
    ".qwen/settings.json": '{"$version" :4,\t"hooks" : { }\r\n}',
}
IGNORED = "".join(f".{name}/\n" for name in ("agents", "claude", "codex", "gemini", "github", "opencode", "qwen"))
TASK, OTHER_TASK, REST = "raise the third value", "raise the fifth value", "only a person knows why"
SECRET = "ghp_" + "a1B2" * 9
SECONDS = 300


def read_kept(repo: Repo, folder: str = "") -> bytes:
    """Return all that is in files below `.git`, and in git's objects."""
    content = [path.read_bytes() for path in (repo.path / ".git" / folder).rglob("*") if path.is_file()]
    if not folder:
        content.append(repo.run("cat-file", "--batch-all-objects", "--batch").stdout)
    return b"\n".join(content)


def list_files(repo: Repo) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in repo.path.rglob("*") if path.is_file() and ".git" not in path.parts}


def list_calls(client: Client, path: Path, number: int) -> list[Call]:
    edit = client.edit(str(path), f"    return {number}\n", f"    return {number}{number}\n")
    return [(client.read, {"file_path": str(path)}), edit] if client.read else [edit]


def run(repo: Repo, command: str) -> str:
    done = subprocess.run(["sh", "-c", command], cwd=repo.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def end_sessions(repo: Repo) -> list[str]:
    """End the sessions that last, as a person does for an agent that is gone; return their ids."""
    lasting = [known.id for known in registry.list_sessions(str(repo.path / ".git")) if not known.ended]
    for session in lasting:
        run(repo, f"smartcommit session end --session {session}")
    return lasting


def play(client: Client, model: ScriptedModel, task: str, repo: Repo, *, kills: bool = False) -> bytes:
    """Ask `client` for `task`, and kill it before the last call has ended, or once it has; return what it has asked."""
    output = repo.path.parent / "output"
    with serve("openai", model.answer) as server:
        process = start(client, f"Please {task}. {REST}: {SECRET}", server.port, repo.path, output)
        deadline = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            if kills and len(model.results) == len(model.calls) - 1:
                break
            time.sleep(0.1)
        status = process.poll()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert status == (None if kills else 0), output.read_text(errors="replace")
    assert len(model.results) == len(model.calls) - kills, output.read_text(errors="replace")
    return b"".join(question.body for question in server.questions)


@pytest.fixture
def shared(repo: Repo, installation: Installation, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with our hooks, in whose file a person has an uncommitted line."""
    monkeypatch.setenv("PATH", f"{installation.bin}:{os.environ['PATH']}")
    # What some clients hide from their shell, git has to find in the repository.
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.invalid")
    repo.commit("chore: base", {"app.py": APP, ".gitignore": IGNORED})
    repo.write("app.py", APP.replace("return 9\n", "return 'the person'\n"))
    run(repo, "smartcommit install")
    return repo


@pytest.mark.parametrize("client", CLIENTS, ids=attrgetter("product"))
def test_an_agent_commits_its_lines_alone_as_it_was_asked(client: Client, shared: Repo, tmp_path: Path) -> None:
    app = shared.path / "app.py"
    for name, content in SETTINGS.items():
        shared.write(name, content)
    before = list_files(shared)
    run(shared, f"smartcommit agents install {client.product}")
    (tmp_path / "around.sh").write_text("git commit -qn --allow-empty -m around\n")
    around = f"sh {tmp_path}/around.sh"
    commands = ("git add -A", "smartcommit session plan", "smartcommit session commit", around, "git status")
    model = ScriptedModel([*list_calls(client, app, 3), *map(client.shell, commands)])
    asked = play(client, model, TASK, shared)
    assert b"with --session" in asked, "how to commit is told at the start"
    refused, planned, committed, _, _ = model.results[-len(commands) :]
    assert "'git add' would take lines of others: app.py" in refused
    assert f": {TASK}" in planned, "the prompt is the title"
    assert f": {TASK}" in committed
    assert (b"committed without the commit-msg hook: " in asked) == client.hooks
    head = shared.git("log", "-2", "--format=%s").splitlines()
    assert head == ["around", f"fix: {TASK}"]
    assert shared.git("show", "HEAD:app.py") == APP.replace("return 3\n", "return 33\n")
    assert "return 'the person'" in app.read_text()
    assert len(end_sessions(shared)) == (not client.ends)
    assert TASK.encode() not in read_kept(shared, "smartcommit")

    # It is killed before it has committed.
    model = ScriptedModel([*list_calls(client, app, 5), client.shell("timeout 20 tail -f app.py")])
    play(client, model, OTHER_TASK, shared, kills=True)
    assert OTHER_TASK.encode() in read_kept(shared, "smartcommit")
    planned = json.dumps(json.loads(run(shared, "smartcommit session plan"))["commits"])
    assert f": {OTHER_TASK}" in planned
    assert len(end_sessions(shared)) == 1
    kept = read_kept(shared)
    assert [text for text in (OTHER_TASK, REST, SECRET) if text.encode() in kept] == []

    run(shared, f"smartcommit agents uninstall {client.product}")
    after = list_files(shared)
    before[app] = app.read_bytes()
    assert {path: after.get(path) for path in before} == before
    assert [path for path, content in after.items() if path not in before and b"smartcommit" in content] == []
