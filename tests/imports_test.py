"""Which modules the hooks load in a plain installation: a commit must not wait for imports."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from smartcommit_hooks.prepare_commit_msg import SOURCES
from tests.support.installation import Installation
from tests.support.repository import Repo

FORBIDDEN = {
    "argparse", "asyncio", "click", "contextlib", "dataclasses", "enum", "fcntl", "importlib.metadata", "json",
    "logging", "pathlib", "pydantic", "re", "requests", "subprocess", "typing",
}  # fmt: skip
ADDED = "print(*sorted(set(sys.modules) - before), sep='\\n')"


def added(installation: Installation, code: str, *, cwd: Path | None = None, **environment: str) -> set[str]:
    """The modules that `code` adds to those the interpreter starts with; a status other than 0 fails."""
    done = subprocess.run(
        [installation.python, "-c", f"import sys; before = set(sys.modules)\n{code}\n{ADDED}"],
        capture_output=True, text=True, check=True, cwd=cwd, env={**os.environ, **environment},
    )  # fmt: skip
    return set(done.stdout.split())


def test_a_bare_interpreter_loads_none_of_them(installation: Installation) -> None:
    """Otherwise the tests below could not fail."""
    done = subprocess.run(
        [installation.python, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    assert FORBIDDEN.isdisjoint(done.stdout.split())


@pytest.mark.parametrize("hook", ["commit_msg", "prepare_commit_msg", "split"])
def test_importing_a_hook_loads_nothing_heavy(installation: Installation, hook: str) -> None:
    loaded = added(installation, f"import smartcommit_hooks.{hook}")
    assert f"smartcommit_hooks.{hook}" in loaded
    assert loaded & FORBIDDEN == set()


@pytest.mark.parametrize(
    ("hook", "source"), [("commit_msg", ""), *(("prepare_commit_msg", each) for each in SOURCES if each != "template")]
)
def test_a_message_that_is_there_loads_nothing_heavy(
    installation: Installation, repo: Repo, hook: str, source: str
) -> None:
    message = repo.write(".git/COMMIT_EDITMSG", "feat: add a thing\n")
    loaded = added(installation, call(hook, message), cwd=repo.path, PRE_COMMIT_COMMIT_MSG_SOURCE=source)
    assert loaded & FORBIDDEN == set()
    assert message.read_text() == "feat: add a thing\n"


def hear(installation: Installation, repo: Repo, code: str, **event: object) -> set[str]:
    """The modules that `code` adds, which has `main` of our hook for coding agents and an event on standard input."""
    event = {"session_id": "1", "transcript_path": "/t", "cwd": str(repo.path), **event}
    (repo.path / "event.json").write_text(json.dumps(event))
    opened = "sys.stdin = open('event.json')\nfrom smartcommit.harness.hook import main\n"
    return added(installation, opened + code, cwd=repo.path)


def test_refusing_an_agents_command_loads_nothing_heavy(installation: Installation, repo: Repo) -> None:
    code = (
        "from smartcommit.harness import events\n"
        "events.deny = lambda product, reason: setattr(sys, 'refused', reason) or {}\n"
        "assert main(['claude']) == 0 and '--no-verify' in sys.refused"
    )
    command = {"command": "git commit --no-verify"}
    loaded = hear(installation, repo, code, hook_event_name="PreToolUse", tool_name="Bash", tool_input=command)
    assert "smartcommit.harness.guard" in loaded
    assert loaded & FORBIDDEN == set()


def test_an_agents_edit_and_command_load_nothing_heavy(installation: Installation, based: Repo) -> None:
    """`fcntl` is for the lock of the ledger."""
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "base.txt", "old_string": "a", "new_string": "b"}}
    shell = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    for tool in (edit, shell):
        for event in ("PreToolUse", "PostToolUse"):
            loaded = hear(installation, based, "assert main(['claude']) == 0", hook_event_name=event, **tool)
            assert "smartcommit.session.ledger" in loaded or event == "PreToolUse"
            assert loaded & (FORBIDDEN | {"hashlib", "shutil", "tempfile"}) == {"fcntl"} & loaded


def test_drafting_without_a_model_loads_nothing_heavy(installation: Installation, based: Repo) -> None:
    based.stage({"zebra.py": "def stripes():\n    return 7\n"})
    message = based.write(".git/COMMIT_EDITMSG", "\n# Please enter the commit message\n")
    loaded = added(installation, call("prepare_commit_msg", message), cwd=based.path, GIT_EDITOR="vi")
    assert message.read_text().startswith("feat: ")
    assert "smartcommit.draft.embedded.judge" in loaded
    # These the drafts need: patterns, and what they import.
    needed = {"contextlib", "enum", "re"}
    unwanted = {
        "inspect", "selectors", "shutil", "signal", "socket", "tempfile", "textwrap", "threading", "urllib",
    }  # fmt: skip
    assert loaded & (FORBIDDEN - needed | unwanted) == set()
    assert loaded & {"smartcommit.llm.provider", "smartcommit.secrets.redaction", "smartcommit.signals"} == set()


def test_splitting_without_a_model_loads_nothing_that_only_one_needs(installation: Installation, based: Repo) -> None:
    based.write("base.txt", "edit\n")
    loaded = added(
        installation, "from smartcommit.cli import git_smart_commit\nsys.argv = ['git-smart-commit', '--yes', '-q']\n"
        "try: git_smart_commit()\nexcept SystemExit as end: assert end.code == 0", cwd=based.path
    )  # fmt: skip
    assert loaded >= {"smartcommit.split.engine", "smartcommit.split.embedded.partition"}
    assert loaded & {"pydantic", "requests", "textual", "smartcommit.agent.loop", "smartcommit.llm.client"} == set()


def test_installing_loads_nothing_that_only_a_model_needs(installation: Installation, repo: Repo) -> None:
    loaded = added(installation, "from smartcommit.cli import main\nassert main(['install']) == 0", cwd=repo.path)
    assert "smartcommit.commands.doctor" in loaded
    assert loaded & {"pydantic", "requests", "smartcommit.llm.client"} == set()


def call(hook: str, *arguments: Path) -> str:
    return (
        f"sys.argv = {['hook', *map(str, arguments)]!r}\n"
        f"from smartcommit_hooks.{hook} import main\n"
        "assert main(sys.argv[1:]) == 0"
    )
