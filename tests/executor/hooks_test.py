"""The executor's commits under our own hooks, installed through pre-commit, and beside other people's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from smartcommit import state_files
from smartcommit.cli import main
from smartcommit.verdict import EXECUTION, find_executor_proof, make_proof
from tests.executor.conftest import Execute
from tests.support.agents import WORKS, Agent, committed_plan, events, plan_in, work
from tests.support.installation import Installation
from tests.support.precommit import Framework
from tests.support.repository import Repo

Make = Callable[..., Agent]
DEFAULT = "[rafa] Complete task t01: first"
LINTER = """\
-   repo: local
    hooks:
    -   id: neat
        name: neat
        entry: sh -c 'grep -q neat t01 || { echo "not neat at all"; exit 1; }'
        language: system
        pass_filenames: false
        files: t01
"""
# Refuses the first time and changes the file, as a formatter does.
FORMATTER = """\
-   repo: local
    hooks:
    -   id: format
        name: format
        entry: sh -c 'grep -q formatted t01 || echo formatted > t01'
        language: system
        pass_filenames: false
        files: t01
"""


@pytest.fixture
def hooked(based: Repo, installation: Installation) -> Repo:
    """A repository with our commit-msg hook as git's own."""
    script = installation.script("smartcommit-commit-msg")
    based.write(".git/hooks/commit-msg", f'#!/bin/sh\nexec "{script}" "$@"\n', executable=True)
    return based


def by_hand(repo: Repo, message: str = DEFAULT) -> int:
    return repo.run("commit", "--allow-empty", "-m", message).returncode


def test_our_hooks_through_precommit_leave_the_executor_alone_and_refuse_its_text_by_hand(
    based: Repo, make_agent: Make, execute: Execute, precommit: Framework
) -> None:
    precommit.configure(based, top="default_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]\n")
    precommit.install(based)
    folder = plan_in(based, "first", "second")
    assert execute(make_agent('write(task)\nif task == "t02": suggest("feat: add it\\n\\nwhy")')) == 0
    assert based.git("log", "--reverse", "--format=%B%x00", "HEAD~2..") == f"{DEFAULT}\n\0\nfeat: add it\n\nwhy\n\0\n"
    assert committed_plan(based, folder).status == "completed"
    assert based.git("status", "--porcelain") == ""
    assert by_hand(based) == 1
    assert by_hand(based, "feat: by hand") == 0


def test_a_linters_words_reach_the_next_attempt_through_precommit(
    based: Repo, make_agent: Make, execute: Execute, precommit: Framework
) -> None:
    precommit.configure(based, "commit-msg", more=LINTER)
    precommit.install(based, "pre-commit", "commit-msg")
    folder = plan_in(based, "first")
    agent = make_agent('write(task, "neat" if "not neat at all" in prompt else "messy")')
    assert execute(agent) == 0
    assert len(agent.prompts) == 2
    assert "    not neat at all" in agent.prompts[1]
    assert based.subjects()[-1] == DEFAULT
    assert events(folder).count("task_failed") == 1


def test_a_formatters_changes_are_committed_without_another_attempt_through_precommit(
    based: Repo, make_agent: Make, execute: Execute, precommit: Framework
) -> None:
    precommit.configure(based, "commit-msg", more=FORMATTER)
    precommit.install(based, "pre-commit", "commit-msg")
    plan_in(based, "first")
    agent = make_agent()
    assert execute(agent) == 0
    assert len(agent.prompts) == 1
    assert work(based)["t01"] == "formatted\n"
    assert based.git("status", "--porcelain") == ""


def test_the_default_message_passes_while_its_commit_is_made_and_never_else(
    hooked: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(hooked, "first")
    assert by_hand(hooked) == 1
    assert execute(make_agent("write(task)")) == 0
    assert hooked.subjects()[-1] == DEFAULT
    assert not (hooked.path / ".git/smartcommit" / state_files.PROOF).exists()
    assert by_hand(hooked) == 1


def test_an_agent_cannot_commit_as_the_executor(hooked: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(hooked, "first")
    agent = make_agent(f'{WORKS}\nsubprocess.run(["git", "commit", "-q", "--allow-empty", "-m", {DEFAULT!r}])')
    assert execute(agent) == 0
    assert hooked.subjects() == ["chore: base", "feat: add t01"]


def test_somebody_elses_hook_that_changes_the_message_has_it_judged(
    hooked: Repo, make_agent: Make, execute: Execute
) -> None:
    hooked.write(".git/hooks/prepare-commit-msg", "#!/bin/sh\necho 'Refs: #1' >> $1\n", executable=True)
    plan_in(hooked, "first")
    assert execute(make_agent("write(task)"), "run", "--attempts", "1") == 1
    assert execute(make_agent('write(task); suggest("feat: add it\\n\\nwhy")'), "resume") == 0
    assert hooked.message().startswith("feat: add it\n\nwhy\n")


@pytest.mark.parametrize(
    ("execution", "message", "holds"),
    [
        ("run:commit", b"[rafa] x\n\n\n", True),
        ("run:commit", b"[rafa] y\n", False),
        ("run", b"[rafa] x\n", False),
        ("another:commit", b"[rafa] x\n", False),
        ("", b"[rafa] x\n", False),
    ],
)
def test_the_proof_holds_for_one_message_of_one_commit(
    based: Repo, monkeypatch: pytest.MonkeyPatch, execution: str, message: bytes, holds: bool
) -> None:
    git_dir = str(based.path / ".git")
    state_files.save(git_dir, state_files.PROOF, make_proof("run:commit", b"[rafa] x\n"))
    monkeypatch.setenv(EXECUTION, execution)
    assert (find_executor_proof(git_dir, message) is not None) == holds


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\n\n\n\n", b"1"])
def test_a_broken_proof_proves_nothing(based: Repo, content: bytes) -> None:
    state_files.save(str(based.path / ".git"), state_files.PROOF, content)
    assert find_executor_proof(str(based.path / ".git"), b"x") is None


# One reads what would be committed, the other the working tree. The plan may name the check, which finds no such word.
STAGED, TREE = "! git grep --cached -n DEBUGM[E]", "! grep -rn DEBUGM[E] . --exclude-dir=.git"


@pytest.mark.parametrize(("search", "place"), [(STAGED, "hook"), (TREE, "hook"), (TREE, "check")])
def test_a_word_that_a_hook_or_a_check_forbids_can_be_corrected(
    based: Repo, make_agent: Make, execute: Execute, search: str, place: str
) -> None:
    if place == "hook":
        based.write(".git/hooks/pre-commit", f"#!/bin/sh\n{search}\n", executable=True)
    folder = plan_in(based, "first", "second", check=search if place == "check" else None)
    wrong = 'write(task, "DEBUGME"); print("DEBUGME"); suggest("feat: add DEBUGME"); git("add", "-A")'
    agent = make_agent(f'if task == "t01" and attempt < 3: {wrong}\nelse: {WORKS}')
    assert execute(agent) == 0
    assert "DEBUGME" in agent.prompts[1]
    assert len(agent.prompts) == 4
    # An attempt is told what the last one was refused for, and not what that one was told.
    assert len(agent.prompts[2]) < len(agent.prompts[1]) + 100
    assert based.subjects()[1:] == ["feat: add t01", "feat: add t02"]
    assert committed_plan(based, folder).status == "completed"


def test_what_a_hook_printed_refuses_no_later_run(based: Repo, make_agent: Make, execute: Execute) -> None:
    based.write(".git/hooks/pre-commit", f"#!/bin/sh\n{STAGED}\n", executable=True)
    folder = plan_in(based, "first")
    assert execute(make_agent('write(task, "DEBUGME")'), "run", "--attempts", "2") == 1
    agent = make_agent()
    assert execute(agent, "resume") == 0
    assert "DEBUGME" in agent.prompts[0]
    assert committed_plan(based, folder).status == "completed"


def test_a_range_accepts_the_executors_messages_and_nobody_elses(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan_in(based, "first", "second", "third")
    commits = 'git("add", "-A"); git("commit", "-qm", "feat: by itself")'
    assert (
        execute(make_agent(f'write(task)\nif task == "t02": suggest("feat: add it")\nif task == "t03": {commits}')) == 0
    )
    assert based.subjects()[1::2] == [DEFAULT, "feat: by itself"]
    assert main(["check", "--range", "HEAD~4.."]) == 0
    assert "4 commits checked, 2 exempt, 0 rejected" in capsys.readouterr().err
    forged = (DEFAULT, "[rafa] Complete task t02: second", f"[rafa] Complete plan: {folder.load().name} (3 tasks)")
    for message in forged:
        based.write(folder.place, (based.path / folder.place).read_text() + "\n")
        assert by_hand(based, message) == 0
        assert main(["check", "--range", "HEAD~1.."]) == 1, message
    plan_in(based, "other")
    assert execute(make_agent("write('other')"), "run", "plan-2") == 0
    based.git("commit", "-q", "--amend", "-m", "[rafa] Complete task t01: another title")
    assert main(["check", "--range", "HEAD~1.."]) == 1
    based.git("commit", "-q", "--amend", "-m", "[rafa] Complete task t01: other\n\nand MORE")
    assert main(["check", "--range", "HEAD~1.."]) == 1
