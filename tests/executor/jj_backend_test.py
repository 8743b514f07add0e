"""Plans in a jj description: executed through jj, and never left behind by git."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.executor import run as runs
from smartcommit.executor.jj_backend import state_folder
from smartcommit.executor.plan_dir import create, new_plan
from smartcommit.executor.run import PendingAttempt
from smartcommit.jj.run import state_directory
from tests.conftest import ROOT
from tests.executor.attempt_state_test import KILLS, kill
from tests.executor.conftest import environment
from tests.support.agents import WORKS, Agent, events
from tests.support.components import component
from tests.support.kills import Kills
from tests.support.repository import Repo
from tests.support.workspace import Workspace, impostor, on_path

Make = Callable[..., Agent]
Execute = Callable[..., int]
PLAN = """\
feat(parser): accept comments

Configurations have comments.

Constraints:
- Do not: change strings

Tasks [ ]:
- [ ] read comments
  - [ ] keep positions: of what follows
  - [x] test them
- [ ] document them
"""
MARKED = (
    PLAN.replace("- [ ] keep", "- [x] keep")
    .replace("- [ ] document", "- [x] document")
    .replace("- [ ] read", "- [x] read")
)


@pytest.fixture
def execute(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Execute:
    """`smartcommit execute` in a workspace whose working-copy commit holds a plan."""
    workspace.describe(PLAN)
    monkeypatch.chdir(workspace.path)

    def run(agent: Agent, *arguments: str) -> int:
        monkeypatch.setenv("SMARTCOMMIT_AGENT", str(agent.path))
        return main(["execute", *(arguments or ("run", "@"))])

    return run


def history(workspace: Workspace) -> list[tuple[str, list[str]]]:
    """Subject and files of each change below the working copy, oldest first."""
    ids = workspace.jj("log", "--no-graph", "--reversed", "-r", "::@- ~ root()", "-T", 'commit_id ++ "\\n"').split()
    return [
        (
            workspace.jj("log", "--no-graph", "-r", name, "-T", "description.first_line()"),
            sorted(line[2:] for line in workspace.jj("diff", "-r", name, "--summary").splitlines()),
        )
        for name in ids
    ]


def test_each_leaf_becomes_a_change_and_is_marked_and_the_plan_stays(
    workspace: Workspace, make_agent: Make, execute: Execute
) -> None:
    agent = make_agent('write(task)\nif task == "keep-positions": suggest("feat(parser): keep positions")')
    assert execute(agent) == 0
    assert history(workspace) == [
        ("feat(parser): keep positions", ["keep-positions"]),
        ("[rafa] Complete task document-them: document them", ["document-them"]),
    ]
    assert workspace.description == MARKED
    assert workspace.jj("diff", "-r", "@", "--summary") == ""
    assert workspace.versions() == 1
    assert events(state_folder(str(workspace.path))) == [
        "plan_started", "task_started", "task_completed", "task_started", "task_completed",
    ]  # fmt: skip


def test_template_aliases_of_a_person_hide_nothing(workspace: Workspace, make_agent: Make, execute: Execute) -> None:
    keywords = ("description", "commit_id", "status_char", "path")
    workspace.configure(*(f'template-aliases.{keyword}="\\"nothing\\""' for keyword in keywords))
    agent = make_agent('if call == 0: write(".env")\nif call == 1: os.remove(".env")\nif call: write(task)')
    assert execute(agent) == 0
    assert "'.env' looks like a secrets file" in agent.prompts[1]
    assert workspace.description == MARKED


def test_the_agent_is_told_the_goal_and_the_constraints(
    workspace: Workspace, make_agent: Make, execute: Execute
) -> None:
    agent = make_agent()
    assert execute(agent) == 0
    assert (
        "feat(parser): accept comments\n\nConfigurations have comments.\n\nConstraint: Do not: change strings"
        in (agent.prompts[0])
    )
    assert "## Task keep-positions: keep positions\n\nof what follows\n" in agent.prompts[0]
    assert "- [x] test-them test them\n" in agent.prompts[0]


def test_a_task_that_changes_nothing_is_marked_without_a_change(
    workspace: Workspace, make_agent: Make, execute: Execute
) -> None:
    assert execute(make_agent("pass")) == 0
    assert history(workspace) == []
    assert workspace.description == MARKED


def test_a_failed_task_is_neither_marked_nor_committed_and_goes_on(
    workspace: Workspace, make_agent: Make, execute: Execute
) -> None:
    assert execute(make_agent('write("half"); sys.exit(1)'), "run", "@", "--attempts", "1") == 1
    assert workspace.description == PLAN
    assert history(workspace) == []
    workspace.configure("ui.editor=true")  # between runs the configuration is the user's
    agent = make_agent('assert task != "keep-positions" or os.path.exists("half")\n' + WORKS)
    assert execute(agent, "resume", "@") == 0
    assert "the agent exited with status 1" in agent.prompts[0]
    assert history(workspace)[0] == ("feat: add keep-positions", ["half", "keep-positions"])


def test_changes_of_a_person_refuse_a_run(
    workspace: Workspace, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace.path / "mine").write_text("x")
    agent = make_agent()
    assert execute(agent) == 1
    assert (
        "the working-copy commit has changes that do not belong to this plan\nhint: run \"jj split -m MESSAGE 'all()'\""
        in capsys.readouterr().err
    )
    assert agent.prompts == []
    assert execute(agent, "run", "@", "--allow-dirty") == 0
    assert history(workspace) == []
    assert workspace.description == MARKED


@pytest.mark.parametrize("description", ["", "feat: no tasks\n", "just words\n"])
def test_without_a_plan_there_is_nothing_to_run(
    workspace: Workspace, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], description: str
) -> None:
    workspace.describe(description)
    assert execute(make_agent()) == 1
    assert "no plan with tasks in the working-copy commit's description" in capsys.readouterr().err


def test_what_is_no_plan_for_a_run_is_none_for_list_and_show(
    workspace: Workspace, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.describe("test: cover it\n\nTasks [ ]:\n- [ ] cover it\n")
    assert execute(make_agent()) == 1
    assert main(["execute", "show", "@"]) == 1
    assert capsys.readouterr().err.count("no plan with tasks in the working-copy commit's description") == 2
    assert main(["execute", "list"]) == 0
    assert "@" not in capsys.readouterr().out


def test_a_suggestion_without_a_type_gets_one_on_any_change(
    workspace: Workspace, make_agent: Make, execute: Execute
) -> None:
    assert execute(make_agent('write(task); suggest("Add a flag")')) == 0
    assert [subject for subject, _ in history(workspace)] == ["feat: add a flag"] * 2


def test_the_plan_is_in_status_list_and_show_under_its_name(
    workspace: Workspace, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = make_agent(f'{WORKS}\nif task == "document-them": sys.exit(3)')
    assert execute(agent, "run", "@", "--attempts", "1") == 1
    assert "then run 'smartcommit execute resume @'" in capsys.readouterr().err
    before = workspace.operation
    for command in (["status"], ["list"], ["show", "@"]):
        assert main(["execute", *command]) == 0
    assert workspace.operation == before
    shown = capsys.readouterr().out
    assert "no plan is running\nplan '@': 2/3 tasks completed\n" in shown
    assert "task document-them document them, attempt 1: failed; run 'smartcommit execute resume @'" in shown
    assert "@  in_progress  2/3 tasks\n" in shown
    assert "accept-comments: in_progress\n" in shown
    assert "[ ] document-them document them\n      last failure: the agent exited with status 3" in shown


def test_a_plan_that_is_started_on_changes_says_what_the_executor_requires(
    workspace: Workspace, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.describe("")
    (workspace.path / "mine").write_text("x")
    assert main(["plan", "start", "feat", "accept comments"]) == 0
    hint = capsys.readouterr().out.partition('run "')[2].partition('"')[0]
    assert hint == "jj split -m MESSAGE 'all()'"
    subprocess.run(hint, shell=True, cwd=workspace.path, check=True)
    workspace.describe(PLAN)
    assert execute(make_agent()) == 0


def test_the_messages_of_a_run_are_accepted_where_the_plan_is_checked_too(
    workspace: Workspace, make_agent: Make, execute: Execute
) -> None:
    assert execute(make_agent('write(task)\nif task == "document-them": suggest("Document them")')) == 0
    subjects = [subject for subject, _ in history(workspace)]
    assert subjects == ["[rafa] Complete task keep-positions: keep positions", "feat: document them"]
    assert main(["plan", "finish"]) == 0
    assert main(["check", "--jj", "::@ ~ root()"]) == 0
    assert main(["check", "--jj", "::@- ~ root()"]) == 1
    workspace.jj("new", "-m", "[rafa] Complete task keep-positions: anything else")
    (workspace.path / "more").write_text("")
    assert main(["check", "--jj", "::@ ~ root()"]) == 1


# What an agent runs in jj that moves the plan away, and what comes of its change if the hint is followed.
MOVES = {
    "commit": (["commit", "-m", "feat: mine"], ("feat: add document-them", ["document-them"])),
    "describe": (["describe", "-m", "feat: mine"], ("feat: add document-them", ["document-them"])),
    "new": (["new"], ("feat: add document-them", ["document-them"])),
    "edit": (["edit", "@-"], ("feat: add document-them", ["document-them"])),
    "abandon": (["abandon"], ("feat: add document-them", ["document-them"])),
}


def follow_hint(workspace: Workspace, said: str) -> None:
    """Run each command that is quoted in the hint, but for the last two: resuming, and looking."""
    commands = said.partition("hint: ")[2].split("'")[1::2]
    assert commands[-2:] == ["smartcommit execute resume @", "jj op log"]
    for command in commands[:-2]:
        subprocess.run(command, shell=True, cwd=workspace.path, check=True)


@pytest.mark.parametrize(("move", "made"), MOVES.values(), ids=MOVES)
@pytest.mark.parametrize("ending", ["", KILLS])
def test_an_agent_that_takes_the_plan_away_stops_the_run_and_the_hint_brings_it_back(
    workspace: Workspace, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], move: list[str],
    made: tuple[str, list[str]], ending: str,
) -> None:  # fmt: skip
    moves = f'subprocess.run(["jj", *{move!r}], check=True); {ending}'
    agent = make_agent(f'{WORKS}\nif task == "document-them": {moves}')
    if ending:
        kill(Repo(workspace.path), agent, "run", "@")
        assert execute(make_agent(), "resume", "@") == 1
    else:
        assert execute(agent) == 1
    said = capsys.readouterr().err
    assert "the plan with the task 'document-them' is no longer in the working-copy commit's description" in said
    follow_hint(workspace, said)
    assert workspace.description == MARKED.replace("[x] document", "[ ] document")
    again = WORKS.replace("write(task)", 'write(task, "again")')
    assert execute(make_agent(again), "resume", "@") == 0
    assert workspace.description == MARKED
    assert history(workspace) == [("feat: add keep-positions", ["keep-positions"]), made]


def test_the_change_at_work_is_split_and_no_other(
    workspace: Workspace, make_agent: Make, execute: Execute, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "import subprocess\n"
        "if 'split' in sys.argv:\n"
        "    subprocess.run([REAL, 'new', '-m', 'feat: of a person', 'root()'], check=True)\n"
        "    open('theirs', 'w').write('x')\n"
        "os.execv(REAL, [REAL, *sys.argv[1:]])\n"
    )
    monkeypatch.setenv("PATH", on_path(impostor(tmp_path / "impostor", script)))
    assert execute(make_agent()) == 1
    assert workspace.description == "feat: of a person\n"
    assert workspace.jj("diff", "-r", "@", "--summary") == "A theirs\n"


@pytest.mark.parametrize("left", ["too large", "untracked"])
def test_files_that_jj_leaves_out_fail_the_attempt(
    workspace: Workspace, make_agent: Make, execute: Execute, left: str
) -> None:
    (workspace.path / "mine").write_text("x" * (2 << 20))
    if left == "untracked":
        workspace.configure("snapshot.auto-track=none()")
    writes = 'write("big", "x" * (2 << 20))' if left == "too large" else 'write("new")'
    agent = make_agent(f'if call == 0: {writes}\nelse: subprocess.run(["rm", "-f", "big", "new"])')
    assert execute(agent, "run", "@", "--attempts", "1") == 1
    assert execute(agent, "resume", "@") == 0
    named = "'big'" if left == "too large" else "'new'"
    assert f"jj leaves {named} out of the change: a new file that is larger than" in agent.prompts[1]
    assert "'snapshot.max-new-file-size'" in agent.prompts[1]
    assert workspace.description == MARKED


def test_an_edit_that_sparse_patterns_hide_fails_the_attempt(
    workspace: Workspace, make_agent: Make, execute: Execute
) -> None:
    for name in ("kept", "hidden"):
        (workspace.path / name).mkdir()
        (workspace.path / name / "file").write_text("old\n")
    workspace.jj("split", "-m", "chore: base", "all()")
    hide = 'subprocess.run(["jj", "sparse", "set", "--clear", "--add", "kept"]); write("hidden/file", "new")'
    show = 'subprocess.run("rm -r hidden; jj sparse reset", shell=True)'
    agent = make_agent(f"if call == 0: {hide}\nif call == 1: {show}")
    assert execute(agent, "run", "@", "--attempts", "2") == 0
    assert "jj leaves 'hidden/file' out of the change" in agent.prompts[1]
    assert (workspace.path / "hidden" / "file").read_text() == "old\n"


def test_a_plan_without_a_name_is_not_the_one_in_jj(
    workspace: Workspace, execute: Execute, make_agent: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb in ("run", "resume"):
        assert execute(make_agent(), verb) == 1
        assert f"hint: run 'smartcommit execute {verb} @' to {verb} the plan in" in capsys.readouterr().err


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace that is a git repository as well, and the current directory, with jj on PATH."""
    monkeypatch.setenv("PATH", on_path(Path(component("jj")).parent))
    workspace = Workspace.init(tmp_path / "shared", "--colocate")
    monkeypatch.chdir(workspace.path)
    return workspace


def test_words_that_a_hook_of_git_forbids_do_not_stop_a_plan(
    shared: Workspace, make_agent: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = shared.path / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\n! git grep --cached -n DEBUGME\n")
    hook.chmod(0o755)
    shared.describe(PLAN)
    agent = make_agent(f'if call == 0: write(task, "DEBUGME"); print("DEBUGME"); sys.exit(1)\n{WORKS}')
    monkeypatch.setenv("SMARTCOMMIT_AGENT", str(agent.path))
    assert main(["execute", "run", "@"]) == 0
    assert shared.description == MARKED
    assert history(shared)[-1] == ("feat: add document-them", ["document-them"])


def test_what_was_stashed_does_not_count_as_done(
    shared: Workspace, make_agent: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.jj("new", "-m", "chore: base")
    shared.jj("new")
    shared.describe(PLAN)
    agent = make_agent(f'if call == 1: git("stash", "pop", "-q")\nelse: {WORKS}\nif call == 0: git("stash", "-uq")')
    monkeypatch.setenv("SMARTCOMMIT_AGENT", str(agent.path))
    assert main(["execute", "run", "@"]) == 0
    assert "changes were stashed; run 'git stash pop'" in agent.prompts[1]
    assert history(shared)[-2:] == [
        ("[rafa] Complete task keep-positions: keep positions", ["keep-positions"]),
        ("feat: add document-them", ["document-them"]),
    ]


def test_configuration_of_jj_that_is_changed_stops_the_run_once(
    workspace: Workspace, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.configure("ui.editor=true")
    sets = 'subprocess.run(["jj", "config", "set", "--repo", "ui.pager", "cat"], check=True)'
    assert execute(make_agent(f"{sets}; {WORKS}")) == 1
    assert "config.toml' was changed while the agent ran" in capsys.readouterr().err
    assert history(workspace) == []
    assert execute(make_agent(), "resume", "@") == 0
    assert len(history(workspace)) == 2


def test_a_commit_is_counted_whose_task_could_not_be_marked(
    workspace: Workspace, make_agent: Make, execute: Execute, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    script = "if 'describe' in sys.argv: sys.exit(1)\nos.execv(REAL, [REAL, *sys.argv[1:]])\n"
    monkeypatch.setenv("PATH", on_path(impostor(tmp_path / "impostor", script)))
    assert execute(make_agent()) == 1
    said = capsys.readouterr()
    assert "cannot mark the task" in said.err
    assert ", 1 commit)\n" in said.out
    assert history(workspace) == [("feat: add keep-positions", ["keep-positions"])]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("command", ["split", "describe"])
def test_a_run_killed_around_a_command_of_jj_comes_to_the_same_end(
    workspace: Workspace, make_agent: Make, execute: Execute, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    command: str, when: str,
) -> None:  # fmt: skip
    script = f"""
import signal, subprocess
due = {command!r} in sys.argv and os.path.exists("../kill")
if due and {when!r} == "before": os.remove("../kill"); os.kill(os.getppid(), signal.SIGKILL); sys.exit(1)
status = subprocess.run([REAL, *sys.argv[1:]]).returncode
if due: os.remove("../kill"); os.kill(os.getppid(), signal.SIGKILL)
sys.exit(status)
"""
    monkeypatch.setenv("PATH", on_path(impostor(tmp_path / "impostor", script)))
    (workspace.path / "../kill").write_text("")
    agent = make_agent()
    monkeypatch.setenv("SMARTCOMMIT_AGENT", str(agent.path))
    kills = Kills(workspace.path, tmp_path, environment())
    assert kills.run(workspace.path, "run", "@") == -signal.SIGKILL
    assert kills.run(workspace.path, "resume", "@") == 0
    kills.close()
    assert history(workspace) == [
        ("feat: add keep-positions", ["keep-positions"]), ("feat: add document-them", ["document-them"]),
    ]  # fmt: skip
    assert workspace.description == MARKED
    assert len(agent.prompts) == 2


def test_a_secret_is_not_committed_and_the_agent_is_told(
    workspace: Workspace, make_agent: Make, execute: Execute
) -> None:
    agent = make_agent(
        'write("sub/name with blanks", "x")\nif call == 0: write("sub/.env", "KEY=1")\n'
        'if call == 1: os.remove("sub/.env"); write("key", "-----BEGIN RSA PRIVATE KEY-----")\n'
        'if call == 2: os.remove("key")'
    )
    assert execute(agent) == 0
    assert "'sub/.env' looks like a secrets file" in agent.prompts[1]
    assert "'key' contains a secret (private key)" in agent.prompts[2]
    assert history(workspace) == [("[rafa] Complete task keep-positions: keep positions", ["sub/name with blanks"])]


TOKEN = "ghp_" + "a1B2" * 9
# How agents say it without saying it.
SECRET = 'secret = "gh" + "p_" + "a1B2" * 9\n'


@pytest.mark.parametrize("second", [False, True])
def test_a_secret_that_is_added_to_a_tracked_file_is_refused_and_an_old_one_is_not(
    workspace: Workspace, make_agent: Make, execute: Execute, *, second: bool
) -> None:
    old = "ghp_" + "c3D4" * 9
    (workspace.path / "sample").write_text(f"{old}\n")
    (workspace.path / "config.py").write_text("debug = True\n")
    workspace.jj("split", "-m", "chore: base", "all()")
    place = workspace.path
    if second:
        place = workspace.path.parent / "second"
        workspace.jj("workspace", "add", "-r", "@-", str(place))
        Workspace(place).describe(PLAN)
        os.chdir(place)
    agent = make_agent(
        f'{SECRET}if call == 0: open("config.py", "a").write(secret)\n'
        'else: write("config.py"); open("sample", "a").write("end\\n"); os.path.exists("m") or os.rename("sample", "m")'
    )
    assert execute(agent) == 0
    assert "'config.py' contains a secret (github token)" in agent.prompts[1]
    assert len(agent.prompts) == 3
    assert TOKEN not in Workspace(place).jj("diff", "-r", "root()::@-")


def test_a_merge_is_compared_with_each_of_its_parents(workspace: Workspace, make_agent: Make, execute: Execute) -> None:
    for name in ("one", "two"):
        workspace.jj("new", "root()", "-m", f"chore: {name}")
        (workspace.path / name).write_text(TOKEN)
    workspace.jj("new", 'description(substring:"chore: one")', 'description(substring:"chore: two")')
    workspace.describe(PLAN)
    agent = make_agent(f'{SECRET}write("three", secret if call == 0 else "clean\\n")')
    assert execute(agent) == 0
    assert "'three' contains a secret (github token)" in agent.prompts[1]
    assert len(agent.prompts) == 3


def test_without_the_screen_a_secret_is_committed(workspace: Workspace, make_agent: Make, execute: Execute) -> None:
    assert execute(make_agent(f'{SECRET}write("key", secret)'), "run", "@", "--no-screen") == 0
    assert history(workspace)[0][1] == ["key"]


def test_new_conflict_markers_are_refused_in_jj_too(workspace: Workspace, make_agent: Make, execute: Execute) -> None:
    text = "<<<<<<< HEAD\\none\\n=======\\ntwo\\n>>>>>>> topic\\n"
    agent = make_agent(f'write("a.txt", "{text}" if call == 0 else "resolved\\n")')
    assert execute(agent) == 0
    assert "'a.txt' contains conflict markers" in agent.prompts[1]


def test_a_change_with_new_conflicts_is_refused(workspace: Workspace, make_agent: Make, execute: Execute) -> None:
    commit(workspace, "base", "one")
    agent = make_agent(
        'def jj(*arguments): subprocess.run(["jj", *arguments], check=True, capture_output=True)\n'
        'if call == 0: write("a.txt", "two\\n"); jj("rebase", "-r", "@", "-d", "@--")\n'
        'if call == 1: write("a.txt", "both\\n")'
    )
    assert execute(agent) == 0
    assert "the change has unresolved conflicts: resolve them" in agent.prompts[1]
    assert len(agent.prompts) == 3


def test_conflicts_of_the_parents_do_not_count(workspace: Workspace, make_agent: Make, execute: Execute) -> None:
    commit(workspace, "base", "one", "two")
    workspace.jj("rebase", "-s", "@-", "-d", "@---")
    assert workspace.jj("log", "--no-graph", "-r", "@", "-T", "self.conflict()") == "true"
    agent = make_agent()
    assert execute(agent) == 0
    assert len(agent.prompts) == 2


def commit(workspace: Workspace, *texts: str) -> None:
    """A change below the working copy for each of `texts`, which one file has in turn."""
    for text in texts:
        (workspace.path / "a.txt").write_text(f"{text}\n")
        workspace.jj("split", "-m", f"chore: {text}", "all()")


def test_a_cancelled_agent_is_begun_again(workspace: Workspace, make_agent: Make, execute: Execute) -> None:
    runs.save(state_directory(str(workspace.path)), PendingAttempt("accept-comments", "keep-positions", None, "gone"))
    (workspace.path / "half").write_text("x")
    assert execute(make_agent(), "resume", "@") == 0
    assert events(state_folder(str(workspace.path)))[0] == "task_interrupted"
    assert history(workspace)[0] == ("feat: add keep-positions", ["half", "keep-positions"])


def test_two_runs_in_one_workspace_are_refused(
    workspace: Workspace, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    second = make_agent()
    command = json.dumps(["execute", "run", "@", "--agent", str(second.path)])
    agent = make_agent(
        f"code = 'import sys; from smartcommit.cli import main; sys.exit(main({command}))'\n"
        f'subprocess.run([{sys.executable!r}, "-c", code], env={{**os.environ, "PYTHONPATH": {str(ROOT)!r}}})\n'
        f"{WORKS}"
    )
    assert execute(agent) == 0
    assert "this working tree is locked by process" in capsys.readouterr().out
    assert second.prompts == []


def test_git_does_not_commit_beside_a_described_change(
    workspace: Workspace, make_agent: Make, monkeypatch: pytest.MonkeyPatch, execute: Execute,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    colocated = Workspace.init(workspace.path.parent / "colocated", "--colocate")
    monkeypatch.chdir(colocated.path)
    create(str(colocated.path), new_plan(str(colocated.path), "plan", tasks=[{"id": "t01", "title": "first"}]))
    colocated.describe(PLAN)
    agent = make_agent()
    assert execute(agent, "run", "plan") == 1
    shown = capsys.readouterr().err
    assert "commits made with git would leave the described change behind" in shown
    assert "hint: run 'smartcommit execute run @'" in shown
    assert agent.prompts == []
