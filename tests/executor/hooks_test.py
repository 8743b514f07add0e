"""The executor's commits under our own hooks, installed through pre-commit, and beside other people's."""

import pytest

from smartcommit import state_files
from smartcommit.verdict import EXECUTION, find_executor_proof, make_proof
from tests.executor.conftest import Run
from tests.support.agents import WORKS, committed_plan, plan_in
from tests.support.commands import Command
from tests.support.installation import Installation
from tests.support.precommit import Framework
from tests.support.repository import Repo

DEFAULT = "[rafa] Complete task t01: first"


@pytest.fixture
def hooked(project: Repo, installation: Installation) -> Repo:
    script = installation.script("smartcommit-commit-msg")
    project.write(".git/hooks/commit-msg", f'#!/bin/sh\nexec "{script}" "$@"\n', executable=True)
    return project


def by_hand(repo: Repo, message: str = DEFAULT) -> int:
    return repo.run("commit", "--allow-empty", "-m", message).returncode


def test_our_hooks_leave_the_executor_alone_and_refuse_its_text(project: Repo, run: Run, precommit: Framework) -> None:
    precommit.configure(project, top="default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]\n")
    precommit.install(project)
    folder = plan_in(project, "first", "second")
    run('write(task)\nif task == "t02": suggest("feat: add it\\n\\nwhy")')
    assert project.git("log", "--reverse", "--format=%B%x00", "HEAD~2..") == f"{DEFAULT}\n\0\nfeat: add it\n\nwhy\n\0\n"
    assert committed_plan(project, folder).status == "completed"
    assert project.git("status", "--porcelain") == ""
    assert by_hand(project) == 1
    assert by_hand(project, "feat: by hand") == 0


def test_the_default_message_passes_while_its_commit_is_made_and_never_else(hooked: Repo, run: Run) -> None:
    plan_in(hooked, "first")
    assert by_hand(hooked) == 1
    run(f'write(task); subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", {DEFAULT!r}])')
    assert hooked.subjects() == ["chore: base", DEFAULT]
    assert not (hooked.path / ".git/smartcommit" / state_files.PROOF).exists()
    assert by_hand(hooked) == 1


def test_somebody_elses_hook_that_changes_the_message_has_it_judged(hooked: Repo, run: Run) -> None:
    hooked.write(".git/hooks/prepare-commit-msg", "#!/bin/sh\necho 'Refs: #1' >> $1\n", executable=True)
    plan_in(hooked, "first")
    run("write(task)", "run", "--attempts", "1", status=1)
    run('write(task); suggest("feat: add it\\n\\nwhy")', "resume")
    assert hooked.message().startswith("feat: add it\n\nwhy\n")


def test_the_proof_holds_for_one_message_of_one_commit(project: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    git_dir = str(project.path / ".git")
    proof = make_proof("run:commit", b"[rafa] x\n")
    for execution, message, content, holds in (
        ("run:commit", b"[rafa] x\n\n\n", proof, True),
        ("run:commit", b"[rafa] y\n", proof, False),
        ("run", b"[rafa] x\n", proof, False),
        ("another:commit", b"[rafa] x\n", proof, False),
        ("", b"[rafa] x\n", proof, False),
        ("run:commit", b"[rafa] x\n", b"", False),
        ("run:commit", b"[rafa] x\n", b"\xff\n\n\n\n", False),
    ):
        state_files.save(git_dir, state_files.PROOF, content)
        monkeypatch.setenv(EXECUTION, execution)
        assert (find_executor_proof(git_dir, message) is not None) == holds, (execution, message, content)


# One reads what would be committed, the other the working tree. The plan may name the check, which finds no such word.
STAGED, TREE = "! git grep --cached -n DEBUGM[E]", "! grep -rn DEBUGM[E] . --exclude-dir=.git"


@pytest.mark.parametrize(("search", "place"), [(STAGED, "hook"), (TREE, "hook"), (TREE, "check")])
def test_a_word_that_a_hook_or_check_forbids_is_corrected(project: Repo, run: Run, search: str, place: str) -> None:
    if place == "hook":
        project.write(".git/hooks/pre-commit", f"#!/bin/sh\n{search}\n", executable=True)
    folder = plan_in(project, "first", "second", check=search if place == "check" else None)
    wrong = 'write(task, "DEBUGME"); print("DEBUGME"); suggest("feat: add DEBUGME"); git("add", "-A")'
    done = run(f'if task == "t01" and attempt < 3: {wrong}\nelse: {WORKS}')
    assert "DEBUGME" in done.prompts[1]
    assert len(done.prompts) == 4
    # An attempt is told what the last one was refused for, and not what that one was told.
    assert len(done.prompts[2]) < len(done.prompts[1]) + 100
    assert project.subjects()[1:] == ["feat: add t01", "feat: add t02"]
    assert committed_plan(project, folder).status == "completed"


def test_a_range_accepts_the_executors_messages_and_nobody_elses(project: Repo, run: Run, smartcommit: Command) -> None:
    plan_in(project, "first", "second", "third")
    commits = 'git("add", "-A"); git("commit", "-qm", "feat: by itself")'
    run(f'write(task)\nif task == "t02": suggest("feat: add it")\nif task == "t03": {commits}')
    assert project.subjects()[1::2] == [DEFAULT, "feat: by itself"]
    assert "4 commits checked, 2 exempt, 0 rejected" in smartcommit("check", "--range", "HEAD~4..").err
    project.write("other.txt", "by hand\n")
    assert by_hand(project, DEFAULT) == 0
    smartcommit("check", "--range", "HEAD~1..", status=1)
