"""`smartcommit doctor` on hooks in git's configuration."""

from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.setup import git_hooks
from smartcommit.setup.hook_scripts import write_hook
from tests.commands.doctor_test import diagnose, runners
from tests.support.commands import Command
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.workspace import on_path

OWN = "hook.smartcommit-commit-msg"
WHY = "'git config --show-origin --get-regexp hook' shows why"


pytestmark = pytest.mark.usefixtures("inside")


def configure(repo: Repo, name: str, *, command: str | None, events: tuple[str, ...], scope: str = "--local") -> None:
    if command is not None:
        repo.git("config", scope, f"hook.{name}.command", command)
    for event in events:
        repo.git("config", scope, "--add", f"hook.{name}.event", event)


def configure_ours(repo: Repo, scope: str = "--local", hook: str = "commit-msg") -> None:
    """Put our hook into git's configuration, with the same shell text as our hook file."""
    configure(repo, f"smartcommit-{hook}", command=write_hook(hook, ".git/hooks").decode(), events=(hook,), scope=scope)


def print_report(smartcommit: Command, *, status: int = 0) -> list[str]:
    return smartcommit("doctor", status=status).out.splitlines()


def later(test: Callable[..., None]) -> Callable[..., None]:
    return pytest.mark.components(pytest.mark.usefixtures("later_git")(test))


@later
def test_our_hooks_in_the_configuration_are_recognized(inside: Repo, smartcommit: Command) -> None:
    configure_ours(inside)
    assert runners(smartcommit) == {"prepare-commit-msg": [], "commit-msg": ["git config"]}
    assert diagnose(smartcommit) == [
        "ok: commit-msg, installed by 'smartcommit install' in git's configuration (local), "
        "checks messages by the usual rules and the history's types and scopes"
    ]
    inside.stage({"a.txt": "a\n"})
    assert inside.run("commit", "-m", "oops").returncode == 1
    command = write_hook("commit-msg", ".git/hooks").decode().replace("python=/", "python=/nowhere/")
    inside.git("config", f"{OWN}.command", command)
    (line,) = diagnose(smartcommit, status=1)
    assert line.startswith("error: commit-msg: '/nowhere/")
    assert "is gone: run 'smartcommit install' again" in line


@later
def test_hooks_for_all_repositories_can_be_switched_off_here(inside: Repo, smartcommit: Command) -> None:
    for hook in ("prepare-commit-msg", "commit-msg"):
        configure_ours(inside, "--global", hook)
    found = diagnose(smartcommit)
    assert found[1].startswith("ok: commit-msg, installed by 'smartcommit install' in git's configuration (global)")
    assert len(found) == 2
    for hook in ("prepare-commit-msg", "commit-msg"):
        inside.git("config", f"hook.smartcommit-{hook}.enabled", "false")
    assert diagnose(smartcommit) == [
        f"note: {hook} does not run here: hook.smartcommit-{hook} of git's configuration is disabled: {WHY}"
        for hook in ("prepare-commit-msg", "commit-msg")
    ]
    inside.stage({"a.txt": "a\n"})
    inside.git("commit", "-q", "-m", "oops")


@later
def test_a_hook_in_a_file_and_in_the_configuration_runs_twice(inside: Repo, smartcommit: Command) -> None:
    script = write_hook("commit-msg", ".git/hooks")
    inside.write(".git/hooks/commit-msg", script, executable=True)
    configure(inside, "my check", command=script.decode(), events=("commit-msg",), scope="--global")
    warning = next(line for line in diagnose(smartcommit) if line.startswith("warning"))
    assert warning == (
        "warning: commit-msg runs twice for each commit: by hook.my check of git config (global) and by "
        "smartcommit install: run 'git config 'hook.my check.enabled' false'"
    )
    inside.git("config", "hook.my check.enabled", "false")
    assert runners(smartcommit)["commit-msg"] == ["smartcommit install"]


@later
@pytest.mark.parametrize("command", ['smartcommit-commit-msg "$1"', "/opt/bin/smartcommit-commit-msg"])
def test_a_persons_own_hook_that_calls_ours_is_recognized(
    inside: Repo, smartcommit: Command, installation: Installation, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    configure(inside, "mine", command=command, events=("commit-msg",))
    assert runners(smartcommit)["commit-msg"] == ["git config"]
    if command.startswith("/"):
        return
    (line,) = diagnose(smartcommit, status=1)
    config = inside.path / ".git/config"
    assert line.startswith(f"error: commit-msg: '{config}' calls 'smartcommit-commit-msg', which is not on PATH")
    monkeypatch.setenv("PATH", on_path(installation.bin))
    assert diagnose(smartcommit)[0].startswith(
        "ok: commit-msg, run by hook.mine of git config (local), checks messages"
    )


def test_a_git_that_is_too_old_is_said(inside: Repo, smartcommit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_hooks, "read_version", lambda: (2, 53))
    configure_ours(inside)
    configure(inside, "broken", command=None, events=("commit-msg",))
    assert diagnose(smartcommit) == [
        f"note: commit-msg does not run here: {OWN} of git's configuration is ignored by this git: {WHY}"
    ]
    assert runners(smartcommit)["commit-msg"] == []
    monkeypatch.setattr(git_hooks, "read_version", lambda: (2, 54))
    assert runners(smartcommit)["commit-msg"] == ["git config"]


@later
def test_a_configuration_cannot_speak_to_the_terminal_or_flood_it(inside: Repo, smartcommit: Command) -> None:
    lines = ""
    for number in range(40):
        lines += f'[hook "\x1b[31m{number}{"n" * 5000}"]\n event = commit-msg\n command = smartcommit-commit-msg\n'
    with (inside.path / ".git/config").open("a") as file:
        file.write(lines)
    printed = print_report(smartcommit, status=1)
    assert len(printed) > 40
    assert not any("\x1b" in line for line in printed)
    assert max(map(len, printed)) < 5000


@later
def test_no_command_of_the_configuration_is_executed(inside: Repo, tmp_path: Path, smartcommit: Command) -> None:
    configure(inside, "a", command=f"touch {tmp_path}/ran", events=("commit-msg", "pre-commit", "post-index-change"))
    print_report(smartcommit)
    assert not (tmp_path / "ran").exists()
