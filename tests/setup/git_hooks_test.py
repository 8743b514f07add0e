"""What git would run for each event: compared with `git hook list`, and with what real programs install."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.git.repo import Repository
from smartcommit.setup import git_hooks
from smartcommit.setup.git_hooks import GitHooks, HookEntry
from smartcommit.setup.hook_scripts import is_unedited, write_hook
from tests.support.repository import Repo

# The events in which every case puts its hooks.
COMPARED = ("pre-commit", "commit-msg", "post-commit", "mine")
# Lines of git's configuration, for all repositories and for this one.
CONFIGURATIONS = {
    "none": ("", ""),
    "scopes in order": (
        '[hook "b"]\n event = commit-msg\n command = true\n',
        '[hook "a"]\n event = commit-msg\n command = true\n',
    ),
    "added again": (
        '[hook "a"]\n event = commit-msg\n command = true\n[hook "b"]\n event = commit-msg\n command = true\n',
        '[hook "a"]\n event = commit-msg\n',
    ),
    "cleared": (
        '[hook "a"]\n event = commit-msg\n event = pre-commit\n command = true\n',
        '[hook "a"]\n event =\n event = post-commit\n',
    ),
    "disabled": (
        '[hook "a"]\n event = commit-msg\n command = true\n[hook "b"]\n event = commit-msg\n command = true\n',
        '[hook "a"]\n enabled = no\n',
    ),
    "disabled without a command": ("", '[hook "a"]\n event = commit-msg\n enabled = false\n'),
    "odd names": ("", '[hook "A b.c\\"d"]\n event = mine\n command = true\n[hook "a"]\n command = true\n'),
    "plain keys": ("[hook]\n jobs = 2\n", '[Hook "a"]\n EVENT = commit-msg\n Command = true\n'),
}


def read(repo: Repo) -> GitHooks:
    return GitHooks(Repository.find(str(repo.path)))


def name_files(repo: Repo, entries: list[HookEntry]) -> list[tuple[str, str]]:
    return [(str(Path(entry.path).relative_to(repo.path)), entry.name) for entry in entries]


def print_as_git(entries: list[HookEntry]) -> str:
    lines = ""
    for entry in entries:
        if entry.scope is None:
            lines += "hook from hookdir\n"
            continue
        states = {git_hooks.DISABLED: "disabled\t", None: ""}
        lines += f"{entry.scope}\t{states[entry.idle]}{entry.name}\n"
    return lines


@pytest.mark.components
@pytest.mark.usefixtures("later_git")
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_git_lists_the_same_hooks_in_the_same_order(repo: Repo, name: str) -> None:
    shared, local = CONFIGURATIONS[name]
    (Path.home() / ".gitconfig").write_text(shared)
    with (repo.path / ".git/config").open("a") as file:
        file.write(local)
    repo.write(".git/hooks/commit-msg", "", executable=True)
    repo.write(".git/hooks/pre-commit", "")
    hooks = read(repo)
    for event in COMPARED:
        listed = repo.run("hook", "list", "--show-scope", "--allow-unknown-hook-name", event)
        entries = [entry for entry in hooks.list_entries(event) if entry.blocked is None]
        assert print_as_git(entries) == listed.stdout.decode(), event


@pytest.mark.components
@pytest.mark.usefixtures("later_git")
def test_every_source_of_configuration_is_read(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit()
    (tmp_path / "included").write_text('[hook "included"]\n event = commit-msg\n command = true\n')
    repo.git("config", "include.path", str(tmp_path / "included"))
    repo.git("config", "extensions.worktreeConfig", "true")
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(linked))
    for key, value in {"event": "commit-msg", "command": "true"}.items():
        subprocess.run(["git", "config", "--worktree", f"hook.tree.{key}", value], cwd=linked, check=True)
    for number, value in enumerate(("event=commit-msg", "command=true")):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", f"hook.given.{value.partition('=')[0]}")
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value.partition("=")[2])
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    entries = read(Repo(linked)).list_entries("commit-msg")
    assert print_as_git(entries) == Repo(linked).git("hook", "list", "--show-scope", "commit-msg")
    assert [(entry.name, entry.scope) for entry in entries] == [
        ("included", "local"),
        ("tree", "worktree"),
        ("given", "command"),
    ]
    assert entries[0].path == str(tmp_path / "included")
    assert entries[2].path == ""


def install_precommit(repo: Repo) -> list[tuple[str, str]]:
    repo.write(".git/hooks/commit-msg", "#!/bin/sh\n", executable=True)
    repo.write(".pre-commit-config.yaml", "repos: []\n")
    program = Path(sys.executable).with_name("pre-commit")
    subprocess.run([program, "install", "-t", "commit-msg"], cwd=repo.path, check=True, capture_output=True)
    return [(".git/hooks/commit-msg.legacy", "another hook"), (".git/hooks/commit-msg", "pre-commit")]


def install_ours(repo: Repo) -> list[tuple[str, str]]:
    repo.write(".git/hooks/commit-msg", "#!/bin/sh\nx\n", executable=True)
    assert main(["install", "--hooks", "commit-msg"]) == 0
    hooks = repo.path / ".git/hooks"
    kept = hooks.parent / "hooks.before-smartcommit/commit-msg"
    return [(str(kept.relative_to(repo.path)), "another hook"), (".git/hooks/commit-msg", "smartcommit install")]


@pytest.mark.parametrize("install", [install_precommit, install_ours])
def test_what_a_hook_runs_is_listed_with_makers(inside: Repo, install: Callable[[Repo], list[tuple[str, str]]]) -> None:
    expected = install(inside)
    hooks = read(inside)
    assert name_files(inside, hooks.list_entries("commit-msg")) == expected
    assert {entry.idle for entry in hooks.list_entries("commit-msg")} == {None}


def test_a_hook_of_ours_is_as_it_was_written_until_somebody_edits_it() -> None:
    script = write_hook("commit-msg", "/hooks")
    assert is_unedited(script)
    for edited in (script + b"\n", script.replace(b"exit $status", b"exit 0"), script.replace(b"/bin/sh", b"/bin/ksh")):
        assert not is_unedited(edited)


@pytest.mark.parametrize("content", [b"\xff\x00", b""])
def test_a_hook_without_text_is_listed(repo: Repo, content: bytes) -> None:
    repo.write(".git/hooks/pre-commit", content, executable=True)
    assert name_files(repo, read(repo).list_entries("pre-commit")) == [(".git/hooks/pre-commit", "another hook")]


def test_a_hook_that_is_not_executable_keeps_what_it_runs_from_running(repo: Repo) -> None:
    repo.write(".git/hooks/commit-msg", "# File generated by pre-commit:\n")
    repo.write(".git/hooks/commit-msg.legacy", "", executable=True)
    entries = read(repo).list_entries("commit-msg")
    assert [entry.idle for entry in entries] == [git_hooks.BLOCKED] * 2
    assert {entry.blocked for entry in entries} == {str(repo.path / ".git/hooks/commit-msg")}
