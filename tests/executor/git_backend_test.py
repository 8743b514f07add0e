"""Runs of plans by scripted agents in real repositories: who commits what, and when nothing is committed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.commands.execute import find_commits
from smartcommit.executor import run as runs
from smartcommit.git.repo import Repository
from tests.executor.conftest import Execute, process
from tests.executor.plan_test import PRIOR_ART
from tests.support.agents import WORKS, Agent, committed_plan, events, log_of, plan_in, private, work
from tests.support.repository import Repo
from tests.support.secrets import PLANTED

Make = Callable[..., Agent]
DEFAULT = "[rafa] Complete task t01: first\n"
UNUSED = "the suggested message was not used"
COMPLETED = "the header of the suggested message was completed"


def status(repo: Repo) -> str:
    return repo.git("status", "--porcelain", "--untracked-files=all")


def foreign(repo: Repo) -> list[str]:
    """What is changed outside the plans."""
    return [line for line in status(repo).splitlines() if ".smartcommit/" not in line]


def test_the_executor_commits_work_and_metadata_together_once_a_task(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based, "first", "second", "third")
    agent = make_agent(f"assert not os.path.exists(task)\n{WORKS.replace('write(task)', 'write(task, task)')}")
    assert execute(agent) == 0
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02", "feat: add t03"]
    for number, revision in enumerate(("HEAD~2", "HEAD~1", "HEAD"), 1):
        plan = committed_plan(based, folder, revision)
        assert [task.status for task in plan.tasks] == ["completed"] * number + ["pending"] * (3 - number)
        assert sorted(work(based, revision)) == ["base.txt", *(f"t{n:02}" for n in range(1, number + 1))]
    assert committed_plan(based, folder).status == "completed"
    assert status(based) == ""
    assert len(agent.prompts) == 3


def test_the_tree_is_clean_when_each_attempt_begins_but_for_metadata(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based)
    agent = make_agent(
        'seen = subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True).stdout\n'
        f'assert all(".smartcommit" in line for line in seen.splitlines()), seen\n{WORKS}'
    )
    assert execute(agent) == 0


def test_the_log_holds_the_sequence_with_parents_and_durations(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based)
    assert execute(make_agent()) == 0
    assert events(folder) == [
        "plan_started", "task_started", "task_completed", "task_started", "task_completed", "plan_completed",
    ]  # fmt: skip
    found = [event["data"] for event in log_of(folder).events()]
    parents = based.git("rev-list", "--reverse", "HEAD").split()
    assert [data.get("parent") for data in found[1:5]] == [parents[0], parents[0], parents[1], parents[1]]
    assert all(isinstance(data["duration_ms"], int) for data in (found[2], found[4], found[5]))


def test_the_commits_are_found_by_their_parents_in_the_log(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based)
    assert execute(make_agent()) == 0
    first, second = based.git("rev-list", "--reverse", "HEAD~2..").split()
    repository = Repository.find(str(based.path))
    assert find_commits(repository, folder, log_of(folder)) == {"t01": first, "t02": second}
    based.git("commit", "--amend", "-q", "--no-edit", "--date=2001-01-01T00:00:00Z")
    amended = based.git("rev-parse", "HEAD").strip()
    assert find_commits(repository, folder, log_of(folder)) == {"t01": first, "t02": amended}
    assert runs.load(str(based.path / ".git")) is None


def test_without_a_suggestion_the_task_names_the_commit(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, 'say "hello" to $USER', "say `bye`")
    assert execute(make_agent("write(task)")) == 0
    assert based.subjects()[1:] == [
        '[rafa] Complete task t01: say "hello" to $USER',
        "[rafa] Complete task t02: say `bye`",
    ]
    assert based.git("log", "--format=%s", r"--grep=\[rafa\]").count("\n") == 2


def test_a_suggestion_without_a_type_gets_that_of_a_draft_in_every_task(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first", "second")
    agent = make_agent("write('docs/' + task + '.md', 'There is a flag.'); suggest('added a flag')")
    assert execute(agent) == 0
    assert based.subjects()[1:] == ["docs: add a flag"] * 2


@pytest.mark.parametrize(
    ("suggested", "message", "reason"),
    [
        ("feat(api): add a flag", "feat(api): add a flag\n", ""),
        (
            "feat: add a flag\\n\\nIt is needed.\\n\\nRefs: #12",
            "feat: add a flag\n\nIt is needed.\n\nRefs: #12\n",
            "",
        ),
        (
            "feat: add a flag\\nAll criteria are met.",
            "feat: add a flag\n",
            "only the first line of the suggested message was used: body-blank: the line after the header is not blank",
        ),
        ("Added a flag", "feat: add a flag\n", f"{COMPLETED}: header-form: "),
        ("Added a flag\\n\\nIt is needed.", "feat: add a flag\n\nIt is needed.\n", f"{COMPLETED}: header-form: "),
        (
            "Added a flag\\nAll criteria are met.",
            "feat: add a flag\n",
            "only the first line of the suggested message was",
        ),
        ("fixup! chore: base", DEFAULT, f"{UNUSED}: it is a fixup"),
        ("feat: add \\x07 bell", DEFAULT, f"{UNUSED}: character: "),
        ("", DEFAULT, "the agent suggested no commit message"),
        (f"feat: add {PLANTED['github token'][1]}", DEFAULT, f"{UNUSED}: it contains a secret"),
        ("-m $(rm -rf .)", DEFAULT, f"{UNUSED}: header-form: "),
    ],
)
def test_a_suggestion_is_used_where_our_rules_accept_it_and_else_the_reason_is_shown(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], suggested: str, message: str,
    reason: str,
) -> None:  # fmt: skip
    folder = plan_in(based, "first")
    assert execute(make_agent(f'write(task); suggest("{suggested}")')) == 0
    assert based.message() == message + "\n"
    log = log_of(folder)
    details = Path(private(folder).path("details.log"))
    assert (details.exists() and "rejected_message" in details.read_text()) == ("suggested message" in reason)
    assert log.message_reason("t01").startswith(reason)
    ran = capsys.readouterr().out
    assert main(["execute", "show", folder.name]) == 0
    shown = capsys.readouterr().out
    for text in (ran, shown):
        assert reason in text
        assert ("suggested" in text) == bool(reason)


def test_an_earlier_attempt_suggests_nothing(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    fails = 'suggest("feat: stale"); print("TASK_FAILED: stale"); sys.exit(1)'
    agent = make_agent(f'if attempt == 1:\n    {fails}\nwrite("file")')
    assert execute(agent) == 0
    assert len(agent.prompts) == 2
    assert based.subjects() == ["chore: base", "[rafa] Complete task t01: first"]


def test_the_projects_own_rules_judge_a_suggestion(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    based.commit("chore: set the policy", {".smartcommit/policy": "[smartcommit]\n\ttypes = task\n"})
    assert execute(make_agent('write(task); suggest("feat: add it")')) == 0
    assert based.subjects()[-1].startswith("[rafa]")


def test_a_task_that_fails_commits_nothing_and_keeps_the_tree(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based, "first")
    agent = make_agent('write(f"from-{attempt}"); print("cannot find the parser"); sys.exit(3)')
    assert execute(agent, "run", "--attempts", "2") == 1
    assert based.subjects() == ["chore: base"]
    assert sorted(foreign(based)) == ["?? from-1", "?? from-2"]
    plan = folder.load()
    assert (plan.status, plan.tasks[0].status, plan.tasks[0].attempts) == ("failed", "failed", 2)
    assert events(folder)[-3:] == ["task_started", "task_failed", "plan_failed"]
    assert "the agent exited with status 3\n    cannot find the parser" in agent.prompts[1]


def test_a_failed_attempts_work_is_there_for_the_next(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    agent = make_agent(
        'if attempt == 1:\n    write("half"); sys.exit(1)\nassert os.path.exists("half"); os.rename("half", "whole")\n'
        'suggest("feat: add the whole")'
    )
    assert execute(agent) == 0
    assert sorted(work(based)) == ["base.txt", "whole"]
    assert based.subjects() == ["chore: base", "feat: add the whole"]


def test_attempts_are_five_by_default_and_a_resumed_plan_gets_all_again(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based, "first")
    agent = make_agent("sys.exit(1)")
    assert execute(agent) == 1
    assert [prompt.count("Attempt 5 of 5") for prompt in agent.prompts] == [0, 0, 0, 0, 1]
    better = make_agent()
    assert execute(better, "resume") == 0
    assert "Attempt 1 of 5" in better.prompts[0]
    assert "The last attempt failed with:\n\n    the agent exited with status 1" in better.prompts[0]
    assert folder.load().status == "completed"


def test_nothing_to_commit_but_metadata_is_a_commit_of_metadata(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    assert execute(make_agent("pass")) == 0
    assert based.subjects()[1:] == ["[rafa] Complete task t01: first"]
    assert work(based) == {"base.txt": "base\n"}


def test_nothing_to_commit_at_all_is_no_commit_and_no_error(based: Repo, make_agent: Make, execute: Execute) -> None:
    based.commit("chore: ignore the plans", {".gitignore": "/.smartcommit/\n"})
    folder = plan_in(based, "first", "second")
    assert execute(make_agent('if task == "t02": write(task)')) == 0
    assert based.subjects()[2:] == ["[rafa] Complete task t02: second"]
    assert folder.load().status == "completed"


def test_an_agents_own_commit_is_accepted_and_recorded(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based, "first")
    assert execute(make_agent('write(task); git("add", "t01"); git("commit", "-qm", "feat: by itself")')) == 0
    assert based.subjects() == ["chore: base", "feat: by itself", "[rafa] Complete task t01: first"]
    assert set(based.git("show", "--format=", "--name-only", "HEAD").split()) == {
        ".smartcommit/.gitignore", folder.place, folder.place.replace("plan.json", "progress.log"),
    }  # fmt: skip
    assert "agent_committed" in events(folder)
    assert status(based) == ""


def test_an_agent_that_commits_everything_leaves_a_commit_of_metadata(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based, "first", "second")
    assert execute(make_agent('write(task); git("add", "-A"); git("commit", "-qm", f"feat: {task}")')) == 0
    assert committed_plan(based, folder).status == "completed"
    assert len(based.subjects()) == 1 + 2 * 2
    assert status(based) == ""


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('git("checkout", "-q", "-b", "other")', "the branch 'other' is checked out instead of the branch 'main'"),
        ('subprocess.run(["git", "merge", "-q", "--no-commit", "--no-ff", "side"])', "a merge was left in progress"),
    ],
)
def test_a_repository_left_in_another_state_fails_the_attempt(
    based: Repo, make_agent: Make, execute: Execute, script: str, said: str
) -> None:
    based.git("branch", "side")
    based.git("commit", "-q", "--allow-empty", "-m", "chore: aside")
    based.git("branch", "-f", "side")
    based.git("reset", "-q", "--hard", "HEAD~1")
    based.commit("chore: here")
    folder = plan_in(based, "first")
    assert execute(make_agent(script), "run", "--attempts", "1") == 1
    assert said in log_of(folder).last_failure("t01")
    assert "Complete task" not in based.git("log", "--all", "--format=%s")


def test_a_branch_that_an_attempt_left_is_asked_for_until_it_is_back(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    agent = make_agent(
        'write(task)\nif attempt == 1: git("checkout", "-q", "-b", "other")\n'
        'if attempt == 3: git("checkout", "-q", "main")'
    )
    assert execute(agent) == 0
    assert "the branch 'other' is checked out instead of the branch 'main'" in agent.prompts[2]
    assert based.git("log", "-1", "--format=%s", "main") == "[rafa] Complete task t01: first\n"
    assert based.git("log", "-1", "--format=%s", "other") == "chore: base\n"


def test_a_task_is_never_given_up_without_a_try(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based, "first")
    plan = folder.load()
    plan.status, plan.tasks[0].attempts = "in_progress", 4
    folder.save(plan)
    agent = make_agent()
    assert execute(agent, "resume", "--attempts", "2") == 0
    assert "Attempt 1 of 2" in agent.prompts[0]


def test_an_agent_that_takes_back_commits_stops_the_run(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    head = based.commit("chore: precious", {"precious": "x"})
    folder = plan_in(based, "first")
    agent = make_agent('git("reset", "-q", "--hard", "HEAD~1")')
    assert execute(agent) == 1
    shown = capsys.readouterr().err
    assert f"commits were removed during the run: HEAD was at {head[:12]}" in shown
    assert len(agent.prompts) == 1
    based.git("reset", "--keep", head)
    assert execute(make_agent(), "resume") == 0
    assert sorted(work(based)) == ["base.txt", "precious", "t01"]
    assert folder.load().tasks[0].attempts == 1


def test_allow_dirty_commits_nothing_at_all(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based, "first", "second")
    based.write("base.txt", "mine\n")
    assert execute(make_agent(), "run", "--allow-dirty") == 0
    assert based.subjects() == ["chore: base"]
    assert folder.load().status == "completed"
    assert (based.path / "base.txt").read_text() == "mine\n"
    assert sorted(foreign(based)) == [" M base.txt", "?? t01", "?? t02"]
    assert based.git("diff", "--cached", "--name-only") == ""


def test_a_check_must_pass_and_its_words_reach_the_next_attempt(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first", check="cat t01 && grep -q right t01")
    agent = make_agent('write(task, "right" if attempt > 1 else "wrong"); suggest("feat: add it")')
    assert execute(agent) == 0
    assert len(agent.prompts) == 2
    assert "the check 'cat t01 && grep -q right t01' exited with status 1\n    wrong" in agent.prompts[1]


def test_a_tasks_own_check_runs_beside_the_plans(based: Repo, make_agent: Make, execute: Execute) -> None:
    tasks = [{"id": "t01", "title": "first", "check": "echo task >> ../checked"}]
    plan_in(based, check="echo plan >> ../checked", tasks=tasks)
    assert execute(make_agent()) == 0
    assert (based.path / "../checked").read_text() == "task\nplan\n"


def test_checks_that_came_with_a_clone_need_a_persons_word(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_in(based, "first", check="touch ../checked")
    (based.path / ".git/smartcommit/executor-checks").unlink()
    agent = make_agent()
    assert execute(agent) == 1
    assert "check commands that were not created here: touch ../checked\nhint: review them" in capsys.readouterr().err
    assert (agent.prompts, (based.path / "../checked").exists()) == ([], False)
    assert execute(agent, "run", "--trust-checks") == 0
    assert (based.path / "../checked").exists()


@pytest.mark.parametrize("path", ["mine.txt", "base.txt", ".smartcommit/policy", "na\nïve", "sub/deep"])
def test_changes_of_a_person_refuse_a_run_and_are_named(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    plan_in(based, "first")
    based.write(path, "# mine\n")
    agent = make_agent()
    assert execute(agent) == 1
    shown = capsys.readouterr().err
    assert (
        "the working tree has changes that do not belong to this plan: '" + path.replace("\n", "\\x0a") + "'" in shown
    )
    assert agent.prompts == []


def test_after_a_failure_only_what_it_left_may_be_there(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_in(based, "first")
    assert execute(make_agent('write("left"); sys.exit(1)'), "run", "--attempts", "1") == 1
    based.write("mine.txt")
    assert execute(make_agent(), "resume") == 1
    assert "do not belong to this plan: 'mine.txt'\n" in capsys.readouterr().err
    (based.path / "mine.txt").unlink()
    assert execute(make_agent(), "resume") == 0
    assert sorted(work(based)) == ["base.txt", "left", "t01"]


@pytest.mark.parametrize(
    ("state_file", "said"),
    [("MERGE_HEAD", "a merge is in progress"), ("rebase-merge/head", "a rebase is in progress")],
)
def test_a_merge_or_rebase_in_progress_is_refused(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], state_file: str, said: str
) -> None:
    plan_in(based)
    based.write(f".git/{state_file}", based.git("rev-parse", "HEAD"))
    assert execute(make_agent()) == 1
    assert said in capsys.readouterr().err


def test_a_hooks_refusal_uses_an_attempt_and_is_told_to_the_next(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based, "first")
    based.write(
        ".git/hooks/pre-commit", '#!/bin/sh\ngrep -q neat t01 && exit 0\necho "t01:1: not neat" >&2\nexit 1\n',
        executable=True,
    )  # fmt: skip
    agent = make_agent('write(task, "neat" if "not neat" in prompt else "messy"); suggest("feat: add it")')
    assert execute(agent) == 0
    assert "a hook rejected the commit:\n    t01:1: not neat" in agent.prompts[1]
    assert based.subjects() == ["chore: base", "feat: add it"]
    assert committed_plan(based, folder).tasks[0].attempts == 2
    assert events(folder) == [
        "plan_started", "task_started", "task_failed", "task_started", "task_completed", "plan_completed",
    ]  # fmt: skip


def test_what_a_formatter_changed_is_added_and_committed_once_more(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    hook = "#!/bin/sh\necho run >> ../runs\ngrep -q formatted t01 && exit 0\necho formatted > t01\nexit 1\n"
    based.write(".git/hooks/pre-commit", hook, executable=True)
    agent = make_agent()
    assert execute(agent) == 0
    assert len(agent.prompts) == 1
    assert work(based)["t01"] == "formatted\n"
    assert (based.path / "../runs").read_text() == "run\nrun\n"
    assert status(based) == ""


def test_a_formatter_that_never_agrees_with_itself_is_asked_twice_an_attempt(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    based.write(".git/hooks/pre-commit", "#!/bin/sh\necho x >> ../runs\necho x >> t01\nexit 1\n", executable=True)
    assert execute(make_agent(), "run", "--attempts", "1") == 1
    assert (based.path / "../runs").read_text() == "x\nx\n"
    assert based.subjects() == ["chore: base"]


def test_a_refusal_without_changes_is_not_asked_again(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    hook = "#!/bin/sh\necho x >> ../runs\ntouch untracked\nexit 1\n"
    based.write(".git/hooks/pre-commit", hook, executable=True)
    assert execute(make_agent(), "run", "--attempts", "1") == 1
    assert (based.path / "../runs").read_text() == "x\n"


def test_a_tree_dirty_after_the_commit_stops_the_run_and_the_task_stays_completed(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan_in(based)
    based.write(".git/hooks/post-commit", "#!/bin/sh\necho late >> base.txt\n", executable=True)
    agent = make_agent()
    assert execute(agent) == 1
    said = capsys.readouterr()
    assert "the working tree is not clean after the commit: 'base.txt'" in said.err
    assert ", 1 commit)\n" in said.out
    assert based.subjects() == ["chore: base", "feat: add t01"]
    assert [task.status for task in folder.load().tasks] == ["completed", "pending"]
    assert execute(agent, "resume") == 1
    assert "do not belong to this plan: 'base.txt'" in capsys.readouterr().err
    (based.path / ".git/hooks/post-commit").unlink()
    based.git("checkout", "base.txt")
    assert execute(agent, "resume") == 0
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]


def test_a_tree_dirty_after_the_last_commit_is_named_and_the_plan_completed(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan_in(based, "first")
    based.write(".git/hooks/post-commit", "#!/bin/sh\necho late >> base.txt\n", executable=True)
    assert execute(make_agent()) == 1
    said = capsys.readouterr()
    assert "plan completed (" in said.out
    assert "the working tree is not clean after the commit: 'base.txt'" in said.err
    assert said.err.endswith("commit or discard the changes\n")
    assert committed_plan(based, folder).status == "completed"


@pytest.mark.parametrize("filtered", [False, True])
def test_a_large_file_is_refused_before_git_reads_it(
    based: Repo, make_agent: Make, execute: Execute, filtered: bool
) -> None:
    plan_in(based, "first")
    if filtered:
        based.git("config", "filter.pointer.clean", "wc -c")
        based.commit("chore: filter", {".gitattributes": "*.bin filter=pointer\n"})
    agent = make_agent('write(task)\nif attempt == 1: open("a.bin", "wb").truncate(11 << 20)\nelse: os.remove("a.bin")')
    assert execute(agent) == 0
    assert len(agent.prompts) == 1 + (not filtered)
    if not filtered:
        assert "'a.bin' is 11 MiB and looks like a build artifact" in agent.prompts[1]
        assert not any(path.stat().st_size > 5000 for path in based.path.glob(".git/objects/??/*"))


def test_a_failure_right_after_the_commit_does_not_take_the_task_back(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based)
    hook = "#!/bin/sh\ntest -e ../broken || { touch ../broken; echo broken > .git/index; }\n"
    based.write(".git/hooks/post-commit", hook, executable=True)
    agent = make_agent()
    assert execute(agent) == 1
    assert folder.load().tasks[0].status == "completed"
    (based.path / ".git/index").unlink()
    based.git("reset", "-q")
    assert execute(agent, "resume") == 0
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]
    assert list(find_commits(Repository.find(str(based.path)), folder, log_of(folder))) == ["t01", "t02"]


def test_a_failure_of_git_stops_the_run_and_resume_commits_without_the_agent(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan_in(based)
    based.git("config", "commit.gpgSign", "true")
    based.git("config", "gpg.program", "false")
    agent = make_agent()
    assert execute(agent) == 1
    assert "'git commit' failed: gpg failed to sign the data" in capsys.readouterr().err
    assert based.subjects() == ["chore: base"]
    plan = folder.load()
    assert (plan.status, plan.tasks[0].status, plan.tasks[0].attempts) == ("in_progress", "pending", 0)
    assert events(folder)[-1] == "run_stopped"
    based.git("config", "--unset", "commit.gpgSign")
    assert execute(agent, "resume") == 0
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]
    assert len(agent.prompts) == 2


def test_work_that_was_taken_back_meanwhile_is_done_again(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    based.git("config", "commit.gpgSign", "true")
    based.git("config", "gpg.program", "false")
    agent = make_agent()
    assert execute(agent) == 1
    based.git("config", "--unset", "commit.gpgSign")
    based.git("reset", "-q")
    (based.path / "t01").unlink()
    assert execute(agent, "resume") == 0
    assert sorted(work(based)) == ["base.txt", "t01"]
    assert len(agent.prompts) == 2


def test_a_plan_whose_tasks_are_all_done_gets_the_one_more_commit(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based, "first")
    plan = folder.load()
    plan.tasks[0].status = "completed"
    folder.save(plan)
    assert execute(make_agent()) == 0
    assert based.subjects()[1:] == ["[rafa] Complete plan: plan (1 tasks)"]
    assert committed_plan(based, folder).status == "completed"
    assert status(based) == ""


def test_a_completed_plan_runs_nothing(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan_in(based, "first")
    assert execute(make_agent()) == 0
    agent = make_agent()
    assert execute(agent) == 1
    assert "no plan to run" in capsys.readouterr().err
    assert execute(agent, "run", folder.name) == 0
    assert (agent.prompts, len(based.subjects())) == ([], 2)


def test_a_missing_agent_is_one_clear_error_and_no_attempt(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan_in(based, "first")
    assert execute(make_agent(), "run", "--agent", "absent-agent --fast") == 1
    assert "agent 'absent-agent' not found on PATH\nhint: install it, or choose another" in capsys.readouterr().err
    assert folder.load().status == "not_started"


@pytest.mark.parametrize("name", [".git/index.lock", ".git/refs/heads/main.lock"])
def test_a_lock_of_git_stays_and_is_named(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """It may be another process's, or one's that was killed: git itself does not decide that."""
    plan_in(based, "first")
    assert execute(make_agent(f'{WORKS}; write("{name}")')) == 1
    assert (based.path / name).exists()
    assert ".lock': File exists" in capsys.readouterr().err
    (based.path / name).unlink()
    assert execute(make_agent(), "resume") == 0
    assert based.subjects() == ["chore: base", "feat: add t01"]


def test_a_plan_is_run_from_a_folder_in_a_linked_worktree_before_the_first_commit(
    based: Repo, make_agent: Make, monkeypatch: pytest.MonkeyPatch, execute: Execute, tmp_path: Path
) -> None:
    based.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    plan_in(linked, "first")
    linked.write("sub/.keep")
    linked.commit("chore: keep a folder", {"sub/.keep": ""})
    monkeypatch.chdir(linked.path / "sub")
    assert execute(make_agent()) == 0
    assert linked.subjects()[-1] == "feat: add t01"
    fresh = Repo.init(tmp_path / "fresh")
    plan_in(fresh, "first")
    monkeypatch.chdir(fresh.path)
    assert execute(make_agent()) == 0
    assert fresh.subjects() == ["feat: add t01"]


def test_an_agent_cannot_declare_tasks_done_or_change_the_checks(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based, "first", "second", check="test -e t01")
    agent = make_agent(
        f"{WORKS}\nimport json\nplan = json.load(open({folder.path('plan.json')!r}))\n"
        'plan["check"] = "touch ../tampered"\nfor one in plan["tasks"]: one["status"] = "completed"\n'
        f'json.dump(plan, open({folder.path("plan.json")!r}, "w"))\nopen({folder.path("progress.log")!r}, "w").close()'
    )
    assert execute(agent) == 0
    assert len(agent.prompts) == 2
    assert not (based.path / "../tampered").exists()
    assert committed_plan(based, folder).check == "test -e t01"
    assert events(folder).count("task_completed") == 2


def test_an_agent_that_cleans_the_tree_does_not_lose_the_plan(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based)
    assert execute(make_agent(f'git("clean", "-qfdx"); {WORKS}')) == 0
    assert committed_plan(based, folder).status == "completed"
    assert events(folder)[0] == "plan_started"
    assert sorted(work(based)) == ["base.txt", "t01", "t02"]
    assert "output.log" not in based.git("log", "--format=", "--name-only")


def test_a_secret_or_an_artefact_is_not_committed_and_the_agent_is_told(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    agent = make_agent(
        'write(task)\nif attempt == 1: write(".env", "KEY=1")\n'
        'if attempt == 2: os.remove(".env"); write("key.txt", "-----BEGIN RSA PRIVATE KEY-----")\n'
        'if attempt == 3: os.remove("key.txt"); open("dist.bin", "wb").truncate(11 << 20)\n'
        'if attempt == 4: os.remove("dist.bin")'
    )
    assert execute(agent) == 0
    assert "'.env' looks like a secrets file; remove it, or list the file in .gitignore" in agent.prompts[1]
    assert "'key.txt' contains a secret (private key)" in agent.prompts[2]
    assert "'dist.bin' is 11 MiB and looks like a build artifact" in agent.prompts[3]
    assert sorted(work(based)) == ["base.txt", "t01"]


def test_a_person_can_do_without_the_look_for_secrets(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    assert execute(make_agent('write(".env")'), "run", "--no-screen") == 0
    assert ".env" in work(based)


def test_a_plan_of_the_prior_art_is_gone_on_with(based: Repo, make_agent: Make, execute: Execute) -> None:
    place = ".smartcommit/plans/b7iRAe-git-status/plan.json"
    based.commit("chore: keep a plan", {place: json.dumps(PRIOR_ART)})
    agent = make_agent()
    assert execute(agent, "run", "git-status") == 0
    assert based.subjects()[2:] == ["feat: add t02"]
    assert len(agent.prompts) == 1
    ours = json.loads(based.git("show", f"HEAD:{place}"))
    assert ours == {
        **PRIOR_ART, "schemaVersion": 1, "status": "completed",
        "tasks": [PRIOR_ART["tasks"][0], {**PRIOR_ART["tasks"][1], "status": "completed", "attempts": 1}],  # type: ignore[index]
    }  # fmt: skip


def test_unknown_fields_of_a_plan_survive_its_run(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based, "first", team="core")
    assert execute(make_agent()) == 0
    assert json.loads(based.git("show", f"HEAD:{folder.place}"))["team"] == "core"


def test_a_run_goes_on_when_nobody_listens_any_more(based: Repo, make_agent: Make) -> None:
    plan_in(based)
    agent = make_agent(f'if task == "t01": open("../heard").read()\nprint("noise\\n" * 10_000)\n{WORKS}')
    os.mkfifo(based.path / "../heard")
    with process(based, agent) as run:
        assert run.stdout is not None
        run.stdout.readline()
        run.stdout.close()
        (based.path / "../heard").write_text("")
        assert run.wait(60) == 0
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]
