"""For a coding agent the hooks print less, ask nothing, and name the next command."""

import subprocess

import pytest

from smartcommit import coding_agent
from smartcommit.coding_agent import is_agent_at_work
from smartcommit_hooks import commit_msg
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows
from tests.support.tty import run_on_terminal

LINES = 15


@pytest.fixture
def hooked(repo: Repo, installation: Installation) -> Repo:
    repo.commit("feat: base", {"one.txt": "1\n"})
    installation.add_hooks(repo, "commit-msg")
    repo.stage({"one.txt": "2\n"})
    return repo


@rows(
    ("environment", "is_agent"),
    ({}, False),
    ({"CLAUDECODE": ""}, False),
    ({"CLAUDECODE": "1"}, True),
    ({"AI_AGENT": "new-agent"}, True),
    ({"COPILOT_GITHUB_TOKEN": "x"}, False),
    ({"CURSOR_EXTENSION_HOST_ROLE": "agent-exec"}, True),
    ({"CURSOR_EXTENSION_HOST_ROLE": "user"}, False),
    ({"CLAUDECODE": "1", "SMARTCOMMIT_CODING_AGENT": "no"}, False),
    ({"SMARTCOMMIT_CODING_AGENT": "yes"}, True),
)
def test_an_agent_is_noticed_by_its_environment(environment: dict[str, str], is_agent: bool) -> None:
    assert is_agent_at_work(environment=environment) == is_agent
    # A setting overrules the environment.
    assert not is_agent_at_work(coding_agent.NO, environment)
    assert is_agent_at_work(coding_agent.YES, environment)


def test_a_rejection_names_the_next_command_in_few_lines(hooked: Repo) -> None:
    wrong = "\n".join(["Did stuff", "no blank line", "Tasks [ ]:", "- [ ] x", "  - [ ]", "a: b", "(", "Tasks [x]:"])
    report = reject(hooked, wrong)
    assert len(report) <= LINES
    assert report[-1].startswith("next: git commit -F ")
    assert reject(hooked, "")[-1] == "next: git commit -m 'TYPE(SCOPE): SUMMARY'"
    assert "git commit -e" not in "\n".join(report)


def test_a_sure_correction_is_ready_to_be_committed(hooked: Repo) -> None:
    report = reject(hooked, "feat : add a thing")
    assert report[-2] == "The corrected message was saved."
    command = report[-1].removeprefix("next: ")
    done = subprocess.run(["sh", "-c", command], cwd=hooked.path, check=False)
    assert done.returncode == 0
    assert hooked.git("log", "-1", "--format=%s").strip() == "feat: add a thing"


def test_a_split_asks_nothing_and_shows_few_lines(repo: Repo, installation: Installation) -> None:
    repo.commit("feat: base", {f"folder{number}/one.txt": "1\n" for number in range(20)})
    for number in range(20):
        repo.write(f"folder{number}/one.txt", f"{number}\n")
    split = [str(installation.script("git-smart-commit")), "--strategy", "file"]
    shown, status = run_on_terminal(split, cwd=repo.path, env={"CODEX_CI": "1"})
    lines = shown.splitlines()
    assert status == 4
    assert len(lines) <= LINES
    assert lines[-1] == "nothing was changed; run again with '--yes' to create these commits"


@rows(("agent", "is_person"), ("no", True), ("yes", False))
def test_a_person_is_told_to_edit_and_in_colours(hooked: Repo, agent: str, *, is_person: bool) -> None:
    env = {"NO_COLOR": "", "SMARTCOMMIT_CODING_AGENT": agent, "CLAUDECODE": "1"}
    shown, _ = run_on_terminal(["git", "commit", "-m", "oops"], cwd=hooked.path, env=env)
    assert ("\x1b[" in shown, "git commit -e -F" in shown, "next:" in shown) == (is_person, is_person, not is_person)


def reject(repo: Repo, message: str) -> list[str]:
    """The lines that a coding agent gets when `message` is refused."""
    done = repo.run("commit", "-m", message, env={"CLAUDECODE": "1"})
    assert done.returncode == 1
    return done.stderr.decode().splitlines()


def test_a_bug_in_the_comparison_stops_no_commit(inside: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.commit("feat: base", {"one.txt": "1\n"})
    inside.stage({"one.txt": "2\n"})
    message = inside.write(".git/COMMIT_EDITMSG", "feat: remove `old_thing`\n")
    monkeypatch.setattr(commit_msg.StagedChange, "compare", None)
    assert commit_msg.main([str(message)]) == 0
    assert (inside.path / ".git/smartcommit/failure.log").exists()
