"""Runs of plans by scripted agents in real repositories: who commits what, and when nothing is committed."""

import json
import os
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.executor import run as runs
from tests.executor.conftest import SECRET, TOKEN, Copies, Run, process
from tests.executor.plan_test import PRIOR_ART
from tests.support.agents import WORKS, Agent, committed_plan, events, find_last_failure, output_log, plan_in, work
from tests.support.commands import Command
from tests.support.processes import gone, patience
from tests.support.repository import Repo
from tests.support.workspace import Workspace, on_path

Make = Callable[..., Agent]
DEFAULT = "[rafa] Complete task {}: {}\n"
UNUSED = "the suggested message was not used: "
CORRECTED = "the header of the suggested message was corrected: "
FIRST_LINE = "only the first line of the suggested message was used: "
REVIEW = "If there are uncommitted changes from previous attempts, review them"


def status(repo: Repo) -> str:
    return repo.git("status", "--porcelain", "--untracked-files=all")


def hook(repo: Repo, name: str, script: str) -> None:
    repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n", executable=True)


def test_each_task_is_one_commit_of_work_and_metadata_between_clean_trees(project: Repo, run: Run) -> None:
    folder = plan_in(project, "first", "second", "third")
    folder.write("plan.json.7.new", b"half")
    hook(project, "post-commit", 'test -z "$(git status --porcelain --untracked-files=all)" || echo dirty >> ../dirty')
    look = 'seen = subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True).stdout\n'
    clean = f'{look}assert all(".smartcommit" in line for line in seen.splitlines()), seen\n'
    done = run(f'{clean}print("noise")\n{WORKS}')
    assert project.subjects() == ["chore: base", "feat: add t01", "feat: add t02", "feat: add t03"]
    for number, revision in enumerate(("HEAD~2", "HEAD~1", "HEAD"), 1):
        plan = committed_plan(project, folder, revision)
        assert [task.status for task in plan.tasks] == ["completed"] * number + ["pending"] * (3 - number)
        assert sorted(work(project, revision)) == ["base.txt", *(f"t{n:02}" for n in range(1, number + 1))]
    assert committed_plan(project, folder).status == "completed"
    assert (status(project), len(done.prompts), (project.path / "../dirty").exists()) == ("", 3, False)
    names = project.git("log", "--format=", "--name-only").split()
    ours = {os.path.basename(name) for name in names if name.startswith(".smartcommit")}
    assert ours == {".gitignore", "plan.json", "progress.log"}
    assert "noise" not in project.git("log", "-p", "--format=")
    assert "succeeded" in output_log(folder).read_text()
    assert events(folder) == ["plan_started", *["task_started", "task_completed"] * 3, "plan_completed"]


def test_a_suggestion_is_used_where_our_rules_accept_it_and_else_the_reason_is_shown(project: Repo, run: Run) -> None:
    rows = [
        ("Added a flag", "feat: add a flag\n", f"{CORRECTED}header-form: "),
        ("Added a flag\n\nIt is needed.", "feat: add a flag\n\nIt is needed.\n", f"{CORRECTED}header-form: "),
        ("Added a flag\nAll criteria are met.", "feat: add a flag\n", FIRST_LINE),
        ("FEAT: Add a flag", "feat: Add a flag\n", CORRECTED),
        ("feat(Api): add a flag\n\nIt is needed.", "feat(api): add a flag\n\nIt is needed.\n", CORRECTED),
        ("feat add a flag", "feat: add a flag\n", CORRECTED),
        ("feat(api): add a flag", "feat(api): add a flag\n", ""),
        ("feat: add it\n\nIt is needed.\n\nRefs: #12", "feat: add it\n\nIt is needed.\n\nRefs: #12\n", ""),
        ("feat: add it\nAll criteria are met.", "feat: add it\n", f"{FIRST_LINE}body-blank: "),
        ("fixup! chore: base", DEFAULT, f"{UNUSED}it is a fixup"),
        ("feat: add \x07 bell", DEFAULT, f"{UNUSED}character: "),
        ("", DEFAULT, "the agent suggested no commit message"),
        ("feat: add SECRET", DEFAULT, f"{UNUSED}it contains a secret"),
        ("feat: add it\n\nWith SECRET", "feat: add it\n", f"{FIRST_LINE}it contains a secret"),
        ("-m $(rm -rf .)", DEFAULT, f"{UNUSED}header-form: "),
    ]
    titles = [f'say "{number}" to $USER `bye`' for number in range(len(rows))]
    plan_in(project, *titles)
    texts = [text for text, _, _ in rows]
    done = run(f"{SECRET}write(task); suggest({texts!r}[int(task[1:]) - 1].replace('SECRET', secret.strip()))")
    commits = project.git("rev-list", "--reverse", "HEAD~15..").split()
    lines = re.split(r".* task \d+ of 15, .*\n", done.out)[1:]
    assert len(lines) == len(rows)
    for number, (commit, (_, message, reason)) in enumerate(zip(commits, rows, strict=True)):
        assert project.message(commit) == message.format(f"t{number + 1:02}", titles[number]) + "\n"
        told = lines[number].partition("  committed ")[2].partition("\n")[2]
        assert reason in told
        assert bool(told.partition("plan completed")[0]) == bool(reason)
    assert TOKEN not in project.git("log", "-p", "--format=%B")


def test_the_projects_own_rules_and_the_draft_of_each_change_shape_a_suggestion(project: Repo, run: Run) -> None:
    plan_in(project, "first", "second")
    run("write('docs/' + task + '.md', 'There is a flag.'); suggest('added a flag')")
    assert project.subjects()[1:] == ["docs: add a flag"] * 2
    project.commit("chore: set the policy", {".smartcommit/policy": "[smartcommit]\n\ttypes = task\n"})
    plan_in(project, "third", name="more")
    run('write(task); suggest("feat: add it")')
    assert project.subjects()[-1].startswith("[rafa]")


def test_a_draft_of_what_a_failed_task_left_says_what_it_says(project: Repo, run: Run, smartcommit: Command) -> None:
    project.commit("feat: flags", {"flags.py": "flags = 1\n"})
    plan_in(project, "read empty flags")
    run("sys.exit(1)", status=1)
    project.write("flags.py", "flags = 1\nif not flags:\n    raise ValueError(empty)\n")
    project.git("add", "flags.py")
    drafted = json.loads(smartcommit("draft", "--json").out)
    assert (drafted["message"], drafted["source"]) == ("fix: read empty flags\n", "the plan")
    project.git("commit", "-qm", "feat: read flags")
    project.write("flags.py", "flags = [1]\n")
    project.git("add", "flags.py")
    assert "empty" not in smartcommit("draft").out


def test_a_suggestion_is_the_last_attempts(project: Repo, run: Run) -> None:
    plan_in(project, "first")
    run('write(task); suggest("feat: stale"); print("TASK_FAILED: stale") if attempt == 1 else suggest("feat: add it")')
    assert project.subjects()[1:] == ["feat: add it"]


def test_a_failing_task_commits_nothing_keeps_the_tree_and_all_attempts(project: Repo, run: Run) -> None:
    folder = plan_in(project, "first")
    done = run('write(f"from-{attempt}"); print("cannot find the parser \\x1b]0;x\\x07"); sys.exit(3)', status=1)
    assert "hint: its work is still in the working tree" in done.err
    assert project.subjects() == ["chore: base"]
    assert [line for line in status(project).splitlines() if "from" in line] == [f"?? from-{n}" for n in range(1, 6)]
    plan = folder.load()
    assert (plan.status, plan.tasks[0].status, plan.tasks[0].attempts) == ("failed", "failed", 5)
    assert events(folder)[-3:] == ["task_started", "task_failed", "plan_failed"]
    assert [prompt.count("Attempt 5 of 5") for prompt in done.prompts] == [0, 0, 0, 0, 1]
    assert "the agent exited with status 3\n    cannot find the parser" in done.prompts[1]
    assert "review them and continue from where the previous attempt left off" in done.prompts[1]
    assert "\x1b" not in done.out + done.err
    shown = run("", "show", "plan").out
    assert "[!] t01 first (5 attempts)\n      last failure: the agent exited with status 3" in shown
    better = run(WORKS, "resume", "--attempts", "2")
    assert "Attempt 1 of 2" in better.prompts[0]
    assert "The last attempt failed with:\n\n    the agent exited with status 3" in better.prompts[0]
    assert sorted(work(project)) == ["base.txt", *(f"from-{n}" for n in range(1, 6)), "t01"]
    assert "last failure" not in run("", "show", "plan").out


def test_a_task_without_changes_is_named_and_commits_tracked_metadata(project: Repo, run: Run) -> None:
    plan_in(project, "first", "second")
    said = "nothing was changed in task t01 first\n"
    assert run('if task == "t02": write(task)').out.endswith(said)
    assert project.subjects()[1:] == ["[rafa] Complete task t01: first", "[rafa] Complete task t02: second"]
    project.commit("chore: ignore the plans", {".gitignore": "/.smartcommit/\n"})
    folder = plan_in(project, "first", "second", name="ignored")
    assert run('if task == "t02": write("more")', "run", "ignored").out.endswith(said)
    assert project.subjects()[3:] == ["chore: ignore the plans", "[rafa] Complete task t02: second"]
    assert folder.load().status == "completed"


def test_an_agents_own_commits_are_accepted_and_recorded(project: Repo, run: Run) -> None:
    folder = plan_in(project, "first", "second")
    run('write(task); git("add", *(["-A"] if task == "t02" else [task])); git("commit", "-qm", f"feat: {task}")')
    assert project.subjects()[1:] == [
        "feat: t01", "[rafa] Complete task t01: first", "feat: t02", "[rafa] Complete task t02: second",
    ]  # fmt: skip
    assert events(folder).count("agent_committed") == 2
    assert (committed_plan(project, folder).status, status(project)) == ("completed", "")


def test_allow_dirty_commits_nothing_and_leaves_nothing_to_go_on_with(project: Repo, run: Run) -> None:
    folder = plan_in(project, "first", "second")
    project.write("base.txt", "mine\n")
    run(WORKS, "run", "--allow-dirty")
    assert (project.subjects(), folder.load().status) == (["chore: base"], "completed")
    changed = [line for line in status(project).splitlines() if ".smartcommit/" not in line]
    assert changed == [" M base.txt", "?? t01", "?? t02"]
    assert runs.load(str(project.path / ".git")) is None
    assert "no plan to run" in run(status=1).err


def test_checks_of_plan_and_task_must_pass_and_their_words_reach_the_next_attempt(project: Repo, run: Run) -> None:
    tasks = [{"id": "t01", "title": "first", "check": "echo task >> ../checked"}]
    plan_in(project, check="cat t01 && grep -q right t01", tasks=tasks)
    done = run('write(task, "right" if attempt > 1 else "wrong")')
    assert len(done.prompts) == 2
    assert "the check 'cat t01 && grep -q right t01' exited with status 1\n    wrong" in done.prompts[1]
    assert (project.path / "../checked").read_text() == "task\ntask\n"


def test_checks_that_came_with_a_clone_need_a_persons_word(project: Repo, run: Run) -> None:
    plan_in(project, "first", check="touch ../checked")
    (project.path / ".git/smartcommit/executor-checks").unlink()
    refused = run(status=1)
    assert "check commands that were not created here: touch ../checked\nhint: review them" in refused.err
    assert (refused.prompts, (project.path / "../checked").exists()) == ([], False)
    run(WORKS, "run", "--trust-checks")
    assert (project.path / "../checked").exists()


def test_changes_of_a_person_refuse_a_run_and_are_named_whatever_their_names(project: Repo, run: Run) -> None:
    project.git("config", "status.showUntrackedFiles", "no")
    plan_in(project, "first")
    names = ["base.txt", ".smartcommit/policy", "sub/deep", 'quo"ted', "tab\there", "new\nline", " blank ", b"\xff"]
    for name in names:
        path = project.write(name, "# mine\n")
        done = run(status=1)
        assert "the working tree has changes that do not belong to this plan: '" in done.err
        assert done.prompts == []
        path.unlink()
        project.git("checkout", "base.txt")
    places = [os.fsencode(name) for name in names[3:]]
    run(f"for name in {places!r}: open(name, 'w').close()\n{WORKS}")
    committed = project.run("ls-tree", "-rz", "--name-only", "HEAD").stdout.split(b"\0")
    assert set(places) <= set(committed)
    assert status(project) == ""


def test_after_a_failure_only_what_it_left_may_be_there(project: Repo, run: Run) -> None:
    plan_in(project, "first", "second")
    run(f'if task == "t02": write("left"); sys.exit(1)\n{WORKS}', "run", "--attempts", "1", status=1)
    project.write("mine.txt")
    assert "do not belong to this plan: 'mine.txt'\n" in run(WORKS, "resume", status=1).err
    (project.path / "mine.txt").unlink()
    # What a person does to the history between two runs is theirs, whatever it contains.
    project.git("checkout", "-q", "-b", "mine")
    project.git("commit", "-q", "--amend", "-m", "feat: add the first")
    project.git("stash", "-qu")
    project.commit("test: add a sample", {"sample": f"{TOKEN}\n"})
    project.git("stash", "pop", "-q")
    assert len(run(WORKS, "resume").prompts) == 1
    assert project.subjects()[1:] == ["feat: add the first", "test: add a sample", "feat: add t02"]
    assert sorted(work(project)) == ["base.txt", "left", "sample", "t01", "t02"]


def test_an_operation_in_progress_is_refused(project: Repo, run: Run) -> None:
    plan_in(project)
    for name, said in (("MERGE_HEAD", "a merge is in progress"), ("rebase-merge/head", "a rebase is in progress")):
        path = project.write(f".git/{name}", project.git("rev-parse", "HEAD"))
        assert said in run(status=1).err
        path.unlink()


# What a hook prints is told to the next attempt; what it changes is committed, by one more try in each attempt.
HOOKS = {
    "refuses": ('grep -q neat t01 && exit; echo "t01:1: not neat" >&2; exit 1', "x\nx\n", 2),
    "formats": ("grep -q neat t01 && exit; echo neat > t01; exit 1", "x\nx\n", 1),
    "writes untracked": ("test -e new && exit; touch new; exit 1", "x\nx\n", 2),
    "formats twice": ('test "$(wc -l < ../runs)" -ge 3 && exit; echo x >> t01; exit 1', "x\nx\nx\n", 2),
}


def test_a_hook_that_refuses_uses_an_attempt_unless_it_has_changed_files(project: Repo, copy: Copies, run: Run) -> None:
    for name, (script, ran, attempts) in HOOKS.items():
        repo = copy(name)
        folder = plan_in(repo, "first")
        hook(repo, "pre-commit", f"echo x >> ../runs\n{script}")
        done = run('write(task, "neat" if "not neat" in prompt else "messy"); suggest("feat: add it")')
        assert (len(done.prompts), (repo.path / "../runs").read_text()) == (attempts, ran), name
        assert ("a hook rejected the commit:\n    t01:1: not neat" in done.prompts[-1]) == (name == "refuses")
        assert (repo.subjects()[1:], status(repo)) == (["feat: add it"], "")
        assert events(folder).count("task_completed") == 1
        assert committed_plan(repo, folder).tasks[0].attempts == attempts


def test_a_hook_that_always_refuses_fails_the_plan_and_its_secrets_are_not_kept(project: Repo, run: Run) -> None:
    folder = plan_in(project, "first")
    hook(project, "commit-msg", f"echo 'lint: line 3 has {TOKEN}' >&2; git add base.txt; exit 1")
    done = run(f'write("base.txt"); {WORKS}', "run", "--attempts", "2", status=1)
    assert project.git("diff", "--cached", "--name-only") == ""
    plan = folder.load()
    assert (plan.status, plan.tasks[0].status) == ("failed", "failed")
    assert not {"task_completed", "plan_completed"} & set(events(folder))
    for text in (find_last_failure(project), done.out, done.prompts[1]):
        assert "lint: line 3 has [redacted" in text
    assert TOKEN not in find_last_failure(project) + done.out + done.err + done.prompts[1]
    assert "lint" in run(WORKS, "resume", "--attempts", "1", status=1).prompts[0]
    (project.path / ".git/hooks/commit-msg").unlink()
    assert run(WORKS, "resume").prompts == []
    assert work(project)["t01"] == "content\n"


def test_a_daemon_of_a_hook_keeps_no_next_run_waiting(project: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smartcommit.executor.run._COMMIT_TIMEOUT", 0.0)
    plan_in(project, "first")
    hook(project, "pre-commit", "test -e ../daemon && exit; setsid sleep 600 & echo $! > ../daemon; exit 1")
    run(WORKS, "run", "--attempts", "1", status=1)
    daemon = int((project.path / "../daemon").read_text())
    try:
        run(WORKS, "resume")
        assert not gone(daemon)
    finally:
        os.kill(daemon, signal.SIGKILL)


def test_a_tree_dirty_after_a_commit_stops_the_run_and_the_task_stays_completed(project: Repo, run: Run) -> None:
    folder = plan_in(project)
    hook(project, "post-commit", "echo late >> base.txt")
    done = run(status=1)
    assert "the working tree is not clean after the commit: 'base.txt'" in done.err
    assert ", 1 commit)\n" in done.out
    assert [task.status for task in folder.load().tasks] == ["completed", "pending"]
    assert "do not belong to this plan: 'base.txt'" in run(WORKS, "resume", status=1).err
    project.git("checkout", "base.txt")
    last = run(WORKS, "resume", status=1)
    assert "plan completed (" in last.out
    assert last.err.endswith("commit or discard the changes\n")
    assert project.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]
    assert committed_plan(project, folder).status == "completed"


def test_a_failure_right_after_the_commit_does_not_take_the_task_back(project: Repo, run: Run) -> None:
    folder = plan_in(project)
    hook(project, "post-commit", "test -e ../broken || { touch ../broken; echo broken > .git/index; }")
    run(status=1)
    assert folder.load().tasks[0].status == "completed"
    (project.path / ".git/index").unlink()
    project.git("reset", "-q")
    run(WORKS, "resume")
    assert project.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]


@pytest.mark.parametrize("changed", [False, True])
def test_a_failed_commit_is_made_by_the_next_run_if_its_work_stays(project: Repo, run: Run, *, changed: bool) -> None:
    folder = plan_in(project)
    project.git("config", "commit.gpgSign", "true")
    project.git("config", "gpg.program", "false")
    project.git("add", "-N", ".smartcommit/.gitignore")
    before = project.git("ls-files", "--stage", "--debug")
    stopped = run(status=1).err
    assert "'git commit' failed: gpg failed to sign the data" in stopped
    assert f"hint: fix that, then run 'smartcommit execute resume {folder.name}'\n" in stopped
    assert (project.subjects(), project.git("ls-files", "--stage", "--debug")) == (["chore: base"], before)
    plan = folder.load()
    assert (plan.status, plan.tasks[0].status, plan.tasks[0].attempts) == ("in_progress", "pending", 0)
    assert events(folder)[-1] == "run_stopped"
    project.git("config", "--unset", "commit.gpgSign")
    # A person may change the plan between two runs.
    folder.write("plan.json", folder.read("plan.json").replace(b'"second"', b'"another"'))
    project.write("mine.txt")
    assert "do not belong to this plan: 'mine.txt'\n" in run(WORKS, "resume", status=1).err
    (project.path / "mine.txt").unlink()
    if changed:
        project.write("t01", "changed\n")
    done = run('assert task == "t02" or os.path.exists("t01")\n' + WORKS, "resume")
    assert project.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]
    assert [prompt.count(REVIEW) for prompt in done.prompts] == [1, 0][-len(done.prompts) :]
    assert (len(done.prompts), "## Task t02: another" in done.prompts[-1]) == (1 + changed, True)
    assert committed_plan(project, folder).tasks[0].attempts == 1


@pytest.mark.parametrize("name", [".git/index.lock", ".git/refs/heads/main.lock"])
def test_a_lock_of_git_stays_and_is_named(project: Repo, run: Run, name: str) -> None:
    """It may be another process's, or one's that was killed: git itself does not decide that."""
    plan_in(project, "first")
    assert ".lock': File exists" in run(f'{WORKS}; write("{name}")', status=1).err
    (project.path / name).unlink()
    run(WORKS, "resume")
    assert project.subjects() == ["chore: base", "feat: add t01"]


def test_a_completed_plan_runs_nothing_and_a_missing_agent_starts_nothing(project: Repo, run: Run) -> None:
    folder = plan_in(project, "first")
    said = run(WORKS, "run", "--agent", "absent-agent --fast", status=1).err
    assert "agent 'absent-agent' not found on PATH\nhint: install it, or choose another" in said
    assert folder.load().status == "not_started"
    run()
    assert run(WORKS, "run", folder.name).prompts == []
    assert len(project.subjects()) == 2


def test_a_plan_is_run_from_a_folder_in_a_linked_worktree_and_before_the_first_commit(
    project: Repo, monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path
) -> None:
    project.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    plan_in(linked, "first")
    linked.commit("chore: keep a folder", {"sub/.keep": ""})
    monkeypatch.chdir(linked.path / "sub")
    run()
    assert linked.subjects()[-1] == "feat: add t01"
    fresh = Repo.init(tmp_path / "fresh")
    plan_in(fresh, "first")
    monkeypatch.chdir(fresh.path)
    run()
    assert fresh.subjects() == ["feat: add t01"]


def test_an_agent_that_cleans_the_tree_or_forges_the_plan_changes_neither(project: Repo, run: Run) -> None:
    folder = plan_in(project, "first", "second", check="test -e t01")
    path = folder.path("plan.json")
    run(
        f'{WORKS}\nimport json\nplan = json.load(open({path!r}))\nassert plan["status"] == "in_progress"\n'
        'plan["check"] = "touch ../tampered"\nfor one in plan["tasks"]: one["status"] = "completed"\n'
        f'json.dump(plan, open({path!r}, "w"))\nopen({folder.path("progress.log")!r}, "w").close()'
    )
    assert not (project.path / "../tampered").exists()
    assert committed_plan(project, folder).check == "test -e t01"
    cleaned = plan_in(project, name="cleaned")
    run('git("clean", "-qfdx"); write("c" + task)', "run", "cleaned")
    for each in (folder, cleaned):
        assert committed_plan(project, each).status == "completed"
        assert (events(each)[0], events(each).count("task_completed")) == ("plan_started", 2)


def test_a_plan_of_the_prior_art_is_gone_on_with_and_its_unknown_fields_survive(project: Repo, run: Run) -> None:
    place = ".smartcommit/plans/b7iRAe-git-status/plan.json"
    given = {**PRIOR_ART, "team": "core"}
    project.commit("chore: keep a plan", {place: json.dumps(given)})
    assert len(run(WORKS, "run", "git-status").prompts) == 1
    assert project.subjects()[2:] == ["feat: add t02"]
    tasks = [PRIOR_ART["tasks"][0], {**PRIOR_ART["tasks"][1], "status": "completed", "attempts": 1}]  # type: ignore[index]
    ours = json.loads(project.git("show", f"HEAD:{place}"))
    assert ours == {**given, "schemaVersion": 1, "status": "completed", "tasks": tasks}


def test_a_run_goes_on_when_nobody_listens_any_more(project: Repo, make_agent: Make) -> None:
    plan_in(project)
    agent = make_agent(f'if task == "t01": open("../heard").read()\nprint("noise\\n" * 10_000)\n{WORKS}')
    os.mkfifo(project.path / "../heard")
    with process(project, agent) as started:
        started.stdout.readline()
        started.stdout.close()
        (project.path / "../heard").write_text("")
        assert started.wait(60) == 0
    assert project.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]


def test_cancelling_uses_no_attempt_and_is_no_failure(project: Repo, make_agent: Make, run: Run) -> None:
    folder = plan_in(project, "first")
    hangs = make_agent("write('half'); os.kill(int(open('../pid').read()), signal.SIGINT); time.sleep(600)")
    for _ in range(2):
        with process(project, hangs) as started:
            shown, _ = started.communicate(timeout=60)
        assert started.returncode == 130
        assert f"stopped; run 'smartcommit execute resume {folder.name}' to continue" in shown.decode()
        plan = folder.load()
        assert (plan.status, plan.tasks[0].status, plan.tasks[0].attempts) == ("in_progress", "pending", 0)
    assert "task_failed" not in events(folder)
    assert events(folder).count("plan_cancelled") == 2
    assert REVIEW in run(WORKS, "resume").prompts[0]
    assert committed_plan(project, folder).tasks[0].attempts == 1
    assert sorted(work(project)) == ["base.txt", "half", "t01"]


def test_ctrl_c_that_also_ends_a_git_is_a_stop_and_no_failure(
    project: Repo, make_agent: Make, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = plan_in(project, "first")
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(
        f'#!/bin/sh\ncase "$*" in *" add "*) test -e {tmp_path}/once || '
        f'{{ touch {tmp_path}/once; kill -INT $(cat ../pid) $$; }};; esac\nexec {shutil.which("git")} "$@"\n'
    )
    git.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", on_path(git.parent))
        with process(project, make_agent()) as started:
            assert started.wait(60) == 130
    assert (tmp_path / "once").exists()
    assert folder.load().tasks[0].attempts == 0
    run(WORKS, "resume")
    assert project.subjects() == ["chore: base", "feat: add t01"]


def test_a_hung_agent_is_ended_with_its_children_and_tried_again(project: Repo, run: Run) -> None:
    plan_in(project, "first")
    project.git("config", "smartcommit.agentStall", "3")
    done = run(
        "if attempt == 1:\n"
        '    child = subprocess.Popen(["sleep", "600"], start_new_session=True)\n'
        '    open("../child", "w").write(str(child.pid)); time.sleep(600)\n'
        f"{WORKS}"
    )
    assert "the agent was stopped after 3 s" in done.prompts[1]
    assert any(gone(int((project.path / "../child").read_text())) for _ in patience())


def test_a_prompt_of_any_size_reaches_the_agent(project: Repo, run: Run) -> None:
    plan_in(project, tasks=[{"id": "t01", "title": "first", "description": "x" * 500_000}])
    assert "x" * 500_000 in run().prompts[0]


@pytest.mark.usefixtures("workspace")  # puts jj on PATH
def test_nothing_is_committed_beside_a_change_that_jj_describes(project: Repo, run: Run, make_agent: Make) -> None:
    shared = Workspace(project.path)
    shared.jj("git", "init", "--colocate")
    plan_in(project, "first")
    shared.describe("feat: x")
    refused = run(make_agent(), "run", status=1)
    assert "commits made with git would leave the described change behind\nhint: run 'jj new' first" in refused.err
    assert refused.prompts == []
    shared.jj("new")
    run()
    assert project.subjects()[-2:] == ["feat: x", "feat: add t01"]
