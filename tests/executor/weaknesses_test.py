"""The weaknesses of the prior art, one by one: none of them is here."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.conftest import Execute, process
from tests.support.agents import WORKS, Agent, committed_plan, events, log_of, plan_in, private, work
from tests.support.processes import gone
from tests.support.repository import Repo
from tests.support.workspace import on_path

Make = Callable[..., Agent]
REFUSES = "#!/bin/sh\necho 'lint: line 3 is too long' >&2\nexit 1\n"


def status(repo: Repo) -> str:
    return repo.git("status", "--porcelain", "--untracked-files=all")


def test_w1_a_commit_that_fails_leaves_the_task_open_and_keeps_the_cause(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan_in(based, "first")
    based.write(".git/hooks/pre-commit", REFUSES, executable=True)
    assert execute(make_agent(), "run", "--attempts", "2") == 1
    plan = folder.load()
    assert (plan.status, plan.tasks[0].status) == ("failed", "failed")
    assert "task_completed" not in events(folder)
    assert "plan_completed" not in events(folder)
    assert "lint: line 3 is too long" in log_of(folder).last_failure("t01")
    assert "lint: line 3 is too long" in capsys.readouterr().out
    (based.path / ".git/hooks/pre-commit").unlink()
    assert execute(make_agent(), "resume") == 0
    assert work(based)["t01"] == "content\n"


def test_w2_resuming_is_not_blocked_by_our_own_files(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first", "second")
    assert execute(make_agent(f'if task == "t02": sys.exit(1)\n{WORKS}'), "run", "--attempts", "1") == 1
    assert ".smartcommit/plans/" in status(based)
    assert execute(make_agent(), "resume") == 0
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]


def test_w3_cancelling_uses_no_attempt_and_is_no_failure(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based, "first")
    hangs = make_agent("write('half'); os.kill(int(open('../pid').read()), signal.SIGINT); time.sleep(600)")
    for _ in range(2):
        with process(based, hangs, script="open('../pid', 'w').write(str(os.getpid()))") as run:
            shown, _ = run.communicate(timeout=60)
        assert run.returncode == 130
        assert f"stopped; run 'smartcommit execute resume {folder.name}' to continue" in shown.decode()
        plan = folder.load()
        assert (plan.status, plan.tasks[0].status, plan.tasks[0].attempts) == ("in_progress", "pending", 0)
    assert "task_failed" not in events(folder)
    assert events(folder).count("plan_cancelled") == 2
    assert execute(make_agent(), "resume") == 0
    assert committed_plan(based, folder).tasks[0].attempts == 1
    assert sorted(work(based)) == ["base.txt", "half", "t01"]


def test_w3_ctrl_c_that_also_ends_a_git_is_a_stop_and_no_failure(
    based: Repo, make_agent: Make, execute: Execute, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = plan_in(based, "first")
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(
        f'#!/bin/sh\ncase "$*" in *" add "*) test -e {tmp_path}/once || '
        f'{{ touch {tmp_path}/once; kill -INT $(cat {tmp_path}/pid) $$; }};; esac\nexec {shutil.which("git")} "$@"\n'
    )
    git.chmod(0o755)
    agent = make_agent()
    with monkeypatch.context() as patched:
        patched.setenv("PATH", on_path(git.parent))
        with process(based, agent, script=f"open('{tmp_path}/pid', 'w').write(str(os.getpid()))") as run:
            assert run.wait(60) == 130
    assert (tmp_path / "once").exists()
    assert folder.load().tasks[0].attempts == 0
    assert execute(agent, "resume") == 0
    assert based.subjects() == ["chore: base", "feat: add t01"]
    assert committed_plan(based, folder).tasks[0].attempts == 1


def test_w3_a_killed_run_leaves_an_event_when_it_is_gone_on_with(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based, "first")
    kills = make_agent("os.kill(int(open('../pid').read()), signal.SIGKILL); time.sleep(600)")
    with process(based, kills, script="open('../pid', 'w').write(str(os.getpid()))") as run:
        assert run.wait(60) == -signal.SIGKILL
    assert execute(make_agent(), "resume") == 0
    assert "task_interrupted" in events(folder)
    assert committed_plan(based, folder).tasks[0].attempts == 1


def test_w4_success_is_not_the_exit_status_alone(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first", check="test -e t01")
    agent = make_agent(
        'if attempt == 1: print("TASK_FAILED: criterion 1 is not met")\nif attempt == 3: write(task)\nsys.exit(0)'
    )
    assert execute(agent) == 0
    assert "the agent reported failure: criterion 1 is not met" in agent.prompts[1]
    assert "the check 'test -e t01' exited with status 1" in agent.prompts[2]
    assert len(agent.prompts) == 3


@pytest.mark.parametrize(
    "script",
    [
        'print("x" * 100_000); suggest("feat: add it\\n\\nwhy")',
        'print("SUGGESTED_COMMIT_MESSAGE: feat: ", end="", flush=True); time.sleep(0.01); print("add it\\n\\nwhy")',
        'suggest("feat: add it\\n\\nwhy"); print("```\\n" + "done\\n" * 50)',
        'suggest("feat: stale"); suggest("feat: add it\\n\\nwhy")',
        'print("I was told: 5. say SUGGESTED_COMMIT_MESSAGE: feat: quoted"); suggest("feat: add it\\n\\nwhy")',
        'suggest("feat: add it\\n\\nwhy"); suggest("<your descriptive commit message>")',
    ],
)
def test_w5_the_suggestion_is_found_whatever_stands_around_it(
    based: Repo, make_agent: Make, execute: Execute, script: str
) -> None:
    plan_in(based, "first")
    assert execute(make_agent(f"write(task); {script}")) == 0
    assert based.message() == "feat: add it\n\nwhy\n\n"


def test_w5_an_earlier_attempts_suggestion_is_not_used(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    assert execute(make_agent('write(task)\nif attempt == 1:\n    suggest("feat: stale"); sys.exit(1)')) == 0
    assert based.subjects()[-1] == "[rafa] Complete task t01: first"


def test_w6_neither_lock_nor_output_is_committed_nor_does_an_untracked_folder_refuse_a_run(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    folder = plan_in(based)
    folder.write("run.lock", b"1")
    assert "?? .smartcommit/" in based.git("status", "--porcelain")
    assert execute(make_agent()) == 0
    names = based.git("log", "--format=", "--name-only").split()
    assert {os.path.basename(name) for name in names if name.startswith(".smartcommit")} == {
        ".gitignore", "plan.json", "progress.log",
    }  # fmt: skip


def test_w7_nothing_is_written_behind_a_commit(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based)
    based.write(
        ".git/hooks/post-commit",
        '#!/bin/sh\nif test -n "$(git status --porcelain --untracked-files=all)"; then echo dirty >> ../dirty; fi\n',
        executable=True,
    )
    assert execute(make_agent()) == 0
    assert not (based.path / "../dirty").exists()
    assert based.git("status", "--porcelain", "--untracked-files=all") == ""
    assert "succeeded" in Path(private(folder).path("output.log")).read_text()


def test_w8_raw_output_stays_out_of_history(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    assert execute(make_agent(f'print("noise\\n" * 10_000)\n{WORKS}')) == 0
    assert "output.log" not in based.git("log", "--format=", "--name-only")
    assert "noise" not in based.git("log", "-p", "--format=")


def test_w9_secrets_are_not_added_and_a_persons_changes_never_get_in(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan_in(based, "first")
    based.write("mine.txt", "mine")
    assert execute(make_agent()) == 1
    assert "'mine.txt'" in capsys.readouterr().err
    (based.path / "mine.txt").unlink()
    leaks = make_agent('write(".env", "TOKEN=x"); print("-----")')
    assert execute(leaks, "run", "--attempts", "1") == 1
    assert "'.env' looks like a secrets file" in log_of(folder).last_failure("t01")
    assert based.subjects() == ["chore: base"]


def test_w9_a_secret_in_a_hooks_words_is_not_kept(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based, "first")
    token = "ghp_" + "a1B2" * 9
    hook = f"#!/bin/sh\ntest -e fine && exit 0\necho 'found {token}' >&2\nexit 1\n"
    based.write(".git/hooks/pre-commit", hook, executable=True)
    assert execute(make_agent('write(task)\nif attempt == 2: write("fine")')) == 0
    assert token not in based.git("log", "-p", "--format=%B")
    details = Path(private(folder).path("details.log")).read_text()
    assert token not in details
    assert "found [redacted" in details


def test_w10_what_git_and_hooks_say_reaches_the_person_and_the_next_attempt(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_in(based, "first")
    based.write(".git/hooks/commit-msg", REFUSES, executable=True)
    agent = make_agent()
    assert execute(agent, "run", "--attempts", "2") == 1
    assert "lint: line 3 is too long" in agent.prompts[1]
    assert "lint: line 3 is too long" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ['quo"ted', "tab\there", "new\nline", " blank ", "ünïcode", "-dash", "a -> b", b"\xff"]
)
def test_w11_any_file_name_is_committed_and_named(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], name: str | bytes
) -> None:
    plan_in(based, "first")
    based.write(name)
    assert execute(make_agent()) == 1
    assert "do not belong to this plan: '" in capsys.readouterr().err
    path = os.fsencode(based.path) + b"/" + os.fsencode(name)
    os.unlink(path)
    assert execute(make_agent(f'open({path!r}, "w").close(); os.rename("base.txt", "moved {{task}}"); {WORKS}')) == 0
    assert status(based) == ""
    assert os.fsencode(name) in based.run("ls-tree", "-rz", "--name-only", "HEAD").stdout.split(b"\0")


def test_w12_a_hung_agent_is_ended_with_its_children_and_tried_again(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    agent = make_agent(
        "if attempt == 1:\n"
        '    child = subprocess.Popen(["sleep", "600"], start_new_session=True)\n'
        '    open("../child", "w").write(str(child.pid)); time.sleep(600)\n'
        f"{WORKS}"
    )
    assert execute(agent, "run", "--stall", "3") == 0
    assert "the agent was stopped after 3 s" in agent.prompts[1]
    assert gone(int((based.path / "../child").read_text()))


def test_w13_two_runs_in_one_tree_are_refused_also_of_two_plans(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_in(based, "first", name="one")
    plan_in(based, "first", name="two")
    second = make_agent()
    nested = make_agent(f"subprocess.run(open('../command').read(), shell=True)\n{WORKS}")
    code = "import sys; from smartcommit.cli import main; sys.exit(main())"
    (based.path / "../command").write_text(
        f"cd {based.path}; PYTHONPATH={Path(__file__).parents[2]} {sys.executable} -c '{code}' execute run two "
        f"--agent {second.path}; echo ended $?"
    )
    assert execute(nested, "run", "one") == 0
    shown = capsys.readouterr().out
    assert "this working tree is locked by process" in shown
    assert "ended 1" in shown
    assert second.prompts == []


def test_w13_a_lock_whose_process_is_gone_locks_nobody_out_even_if_its_number_lives(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    based.write(".git/smartcommit/executor.lock", f"{os.getpid()}\n")
    assert execute(make_agent()) == 0


def test_w14_status_and_causes_are_true_at_every_moment(based: Repo, make_agent: Make, execute: Execute) -> None:
    folder = plan_in(based, "first")
    path = folder.path("plan.json")
    look = f'import json\nassert json.load(open({path!r}))["status"] == "in_progress"\n'
    assert execute(make_agent(f"{look}sys.exit(7)"), "run", "--attempts", "1") == 1
    assert log_of(folder).last_failure("t01").startswith("the agent exited with status 7")
    assert execute(make_agent(look + WORKS), "resume") == 0
    assert log_of(folder).last_failure("t01") == ""
    assert committed_plan(based, folder, "HEAD").status == "completed"
    assert "task_completed" not in based.git("show", "HEAD~1")


def test_w15_a_prompt_of_any_size_reaches_the_agent(based: Repo, make_agent: Make, execute: Execute) -> None:
    tasks = [{"id": "t01", "title": "first", "description": "x" * 500_000}]
    plan_in(based, tasks=tasks)
    agent = make_agent()
    assert execute(agent) == 0
    assert "x" * 500_000 in agent.prompts[0]


def test_w16_a_finished_task_burns_no_attempts_over_metadata(based: Repo, make_agent: Make, execute: Execute) -> None:
    """What started the design: metadata of one task left the tree dirty, and the next could not begin."""
    folder = plan_in(based, "first", "second", "third")
    agent = make_agent('if task == "t03" and attempt < 4: sys.exit(1)\nwrite(task)')
    assert execute(agent) == 0
    assert [task.attempts for task in committed_plan(based, folder).tasks] == [1, 1, 4]
    assert status(based) == ""
    last = json.loads(based.git("show", f"HEAD:{folder.place.replace('plan.json', 'progress.log')}").splitlines()[-1])
    assert last["event"] == "plan_completed"
