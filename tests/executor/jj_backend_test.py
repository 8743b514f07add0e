"""Plans in a jj description: executed through jj, and never left behind by git."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.executor import run as runs
from smartcommit.executor.plan_dir import PlanFolder, create, new_plan, private_folder
from smartcommit.executor.run import PendingAttempt
from smartcommit.jj.run import state_directory
from tests.conftest import ROOT
from tests.executor.conftest import KILLS, SECRET, TOKEN, Run, environment
from tests.support.agents import WORKS, Agent, events
from tests.support.components import component
from tests.support.kills import KILLED, Kills
from tests.support.workspace import Workspace, impostor, on_path

Make = Callable[..., Agent]
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
FIRST, SECOND = ("feat: add keep-positions", ["keep-positions"]), ("feat: add document-them", ["document-them"])


@pytest.fixture
def execute(workspace: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`smartcommit execute` in a workspace whose working-copy commit holds a plan."""
    workspace.describe(PLAN)
    monkeypatch.chdir(workspace.path)
    return lambda agent=WORKS, *arguments, status=0: run(agent, *(arguments or ("run", "@")), status=status)


def history(workspace: Workspace) -> list[tuple[str, list[str]]]:
    """Subject and files of each change below the working copy, oldest first."""
    ids = workspace.jj("log", "--no-graph", "--reversed", "-r", "::@- ~ root()", "-T", 'commit_id ++ "\\n"').split()
    found = []
    for name in ids:
        subject = workspace.jj("log", "--no-graph", "-r", name, "-T", "description.first_line()")
        files = [line[2:] for line in workspace.jj("diff", "-r", name, "--summary").splitlines()]
        found.append((subject, sorted(files)))
    return found


def folder_of(workspace: Workspace) -> PlanFolder:
    return private_folder(state_directory(str(workspace.path)), "accept-comments")


def test_each_leaf_becomes_a_change_and_is_marked_and_the_plan_stays(workspace: Workspace, execute: Run) -> None:
    done = execute('write(task)\nif task == "keep-positions": suggest("Keep positions")')
    assert history(workspace) == [
        ("feat: keep positions", ["keep-positions"]),
        ("[rafa] Complete task document-them: document them", ["document-them"]),
    ]
    assert workspace.description == MARKED
    assert workspace.jj("diff", "-r", "@", "--summary") == ""
    assert workspace.versions() == 1
    assert events(folder_of(workspace)) == ["plan_started", *["task_started", "task_completed"] * 2]
    goal = "feat(parser): accept comments\n\nConfigurations have comments.\n\nConstraint: Do not: change strings"
    for part in (goal, "## Task keep-positions: keep positions\n\nof what follows\n", "- [x] test-them test them\n"):
        assert part in done.prompts[0]


def test_a_task_that_changes_nothing_is_marked_without_a_change_and_named(workspace: Workspace, execute: Run) -> None:
    assert "nothing was changed in task keep-positions keep positions\n" in execute("pass").out
    assert history(workspace) == []
    assert workspace.description == MARKED


def test_a_failed_task_is_neither_marked_nor_committed_and_goes_on(workspace: Workspace, execute: Run) -> None:
    failed = execute('write("half"); sys.exit(3)', "run", "@", "--attempts", "1", status=1)
    assert "then run 'smartcommit execute resume @'" in failed.err
    assert (workspace.description, history(workspace)) == (PLAN, [])
    before = workspace.operation
    shown = execute("", "list").out + execute("", "show", "@").out
    assert workspace.operation == before
    for text in (
        "@  in_progress  1/3 tasks\n", "accept-comments: in_progress\n",
        "[ ] keep-positions keep positions\n      last failure: the agent exited with status 3",
    ):  # fmt: skip
        assert text in shown
    workspace.configure("ui.editor=true")  # between runs the configuration is the user's
    done = execute('assert task != "keep-positions" or os.path.exists("half")\n' + WORKS, "resume", "@")
    assert "the agent exited with status 3" in done.prompts[0]
    assert history(workspace)[0] == ("feat: add keep-positions", ["half", "keep-positions"])


def test_changes_of_a_person_refuse_a_run_and_the_hint_moves_them_out(workspace: Workspace, execute: Run) -> None:
    (workspace.path / "mine").write_text("x")
    refused = execute(status=1)
    said = (
        "the working-copy commit has changes that do not belong to this plan\nhint: run \"jj split -m MESSAGE 'all()'\""
    )
    assert said in refused.err
    assert refused.prompts == []
    execute(WORKS, "run", "@", "--allow-dirty")
    assert (history(workspace), workspace.description) == ([], MARKED)
    workspace.describe(PLAN)
    hint = refused.err.partition('run "')[2].partition('"')[0]
    subprocess.run(hint, shell=True, cwd=workspace.path, check=True)
    execute(WORKS.replace("write(task)", 'write(task, "more")'))


def test_without_a_plan_there_is_nothing_to_run_list_or_show(workspace: Workspace, execute: Run) -> None:
    for description in ("", "feat: no tasks\n", "just words\n", "test: cover it\n\nTasks [ ]:\n- [ ] cover it\n"):
        workspace.describe(description)
        for arguments in (["run", "@"], ["show", "@"]):
            said = "no plan with tasks in the working-copy commit's description"
            assert said in execute(WORKS, *arguments, status=1).err, description
        assert "@" not in execute("", "list").out
    for verb in ("run", "resume"):
        assert "hint: run 'smartcommit execute run @' for the plan in" in execute(WORKS, verb, status=1).err


def test_the_messages_of_a_run_are_accepted_where_the_plan_is_checked_too(workspace: Workspace, execute: Run) -> None:
    execute('write(task)\nif task == "document-them": suggest("Document them")')
    subjects = [subject for subject, _ in history(workspace)]
    assert subjects == ["[rafa] Complete task keep-positions: keep positions", "feat: document them"]
    assert main(["plan", "finish"]) == 0
    assert main(["check", "--jj", "::@ ~ root()"]) == 0
    assert main(["check", "--jj", "::@- ~ root()"]) == 1
    workspace.jj("new", "-m", "[rafa] Complete task keep-positions: anything else")
    (workspace.path / "more").write_text("")
    assert main(["check", "--jj", "::@ ~ root()"]) == 1


# What an agent runs in jj that moves the plan away.
MOVES = [["commit", "-m", "feat: mine"], ["describe", "-m", "feat: mine"], ["new"], ["edit", "@-"], ["abandon"]]


@pytest.mark.parametrize("move", MOVES, ids=[move[0] for move in MOVES])
@pytest.mark.parametrize("ending", ["pass", KILLS])
def test_an_agent_that_takes_the_plan_away_stops_the_run_and_the_hint_brings_it_back(
    workspace: Workspace, execute: Run, move: list[str], ending: str
) -> None:
    moves = f'subprocess.run(["jj", *{move!r}], check=True); {ending}'
    done = execute(f'{WORKS}\nif task == "document-them": {moves}', "run", "@", status=1)
    if ending == KILLS:
        done = execute(WORKS, "resume", "@", status=1)
    assert "the plan with the task 'document-them' is no longer in the working-copy commit's description" in done.err
    commands = done.err.partition("hint: ")[2].split("'")[1::2]
    assert commands[-2:] == ["smartcommit execute resume @", "jj op log"]
    for command in commands[:-2]:
        subprocess.run(command, shell=True, cwd=workspace.path, check=True)
    assert workspace.description == MARKED.replace("[x] document", "[ ] document")
    execute(WORKS.replace("write(task)", 'write(task, "again")'), "resume", "@")
    assert workspace.description == MARKED
    assert history(workspace) == [FIRST, SECOND]


def test_the_change_at_work_is_split_and_no_other(
    workspace: Workspace, execute: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "import subprocess\n"
        "if 'split' in sys.argv:\n"
        "    subprocess.run([REAL, 'new', '-m', 'feat: of a person', 'root()'], check=True)\n"
        "    open('theirs', 'w').write('x')\n"
        "os.execv(REAL, [REAL, *sys.argv[1:]])\n"
    )
    monkeypatch.setenv("PATH", on_path(impostor(tmp_path / "impostor", script)))
    execute(status=1)
    assert workspace.description == "feat: of a person\n"
    assert workspace.jj("diff", "-r", "@", "--summary") == "A theirs\n"


CONFLICT = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\n"
JJ = 'def jj(*arguments): subprocess.run(["jj", *arguments], check=True, capture_output=True)\n'
# What the first attempt does, what the second does about it, and what that one was told.
FAILS = {
    "file of secrets": ('write("s/.env", "KEY=1")', 'os.remove("s/.env")', "'s/.env' looks like a secrets file"),
    "secret": ('write("key", secret)', 'os.remove("key")', "'key' contains a secret (github token)"),
    "secret in a tracked file": ('open("a.txt", "a").write(secret)', 'write("a.txt")', "'a.txt' contains a secret"),
    "markers": (f'write("a.txt", {CONFLICT!r})', 'write("a.txt", "x")', "'a.txt' contains conflict markers"),
    "conflict": (
        'write("a.txt", "3\\n"); jj("rebase", "-r", "@", "-d", "@--")', 'write("a.txt", "both\\n")',
        "the change has unresolved conflicts: resolve them",
    ),
    "too large": (
        'write("big", "x" * (2 << 20))', 'os.remove("big")',
        "jj leaves 'big' out of the change: a new file that is larger than its setting 'snapshot.max-new-file-size'",
    ),
    "not tracked": (
        'jj("config", "set", "--user", "snapshot.auto-track", "none()"); write("new")',
        'jj("config", "unset", "--user", "snapshot.auto-track")', "jj leaves 'new' out of the change",
    ),
}  # fmt: skip


def test_what_an_attempt_leaves_is_told_to_the_next_and_only_what_that_mends_is_committed(
    workspace: Workspace, execute: Run
) -> None:
    (workspace.path / "kept").mkdir()
    (workspace.path / "kept/sample").write_text(TOKEN.replace("a1", "c3") + "\n")
    for text in ("1", "2"):
        commit(workspace, text)
    (workspace.path / "mine").write_text("x" * (2 << 20))  # was left out before
    base = workspace.jj("log", "--no-graph", "-r", "@-", "-T", "commit_id")
    wrong = {}
    for name, (first, second, said) in FAILS.items():
        workspace.jj("new", base)
        workspace.describe(PLAN)
        mends = f'if call == 0: {first}\nelif call == 1: {second}\nopen("kept/sample", "a").write("end\\n")'
        done = execute(f"{SECRET}{JJ}{mends}")
        changes = workspace.jj("diff", "--from", base, "--to", "@-")
        if said not in done.prompts[1] or len(done.prompts) != 3 or TOKEN in changes or "<<<<<<<" in changes:
            wrong[name] = done.out
        assert workspace.description == MARKED
    assert wrong == {}


def commit(workspace: Workspace, text: str) -> None:
    """A change below the working copy, in which the file `a.txt` has this text."""
    (workspace.path / "a.txt").write_text(f"{text}\n")
    workspace.jj("split", "-m", f"chore: {text}", "all()")


def test_a_merge_is_compared_with_each_of_its_parents(workspace: Workspace, execute: Run) -> None:
    for name in ("one", "two"):
        workspace.jj("new", "root()", "-m", f"chore: {name}")
        (workspace.path / name).write_text(TOKEN)
    workspace.jj("new", 'description(substring:"chore: one")', 'description(substring:"chore: two")')
    workspace.describe(PLAN)
    done = execute(f'{SECRET}write("three", secret if call == 0 else "clean\\n")')
    assert "'three' contains a secret (github token)" in done.prompts[1]
    assert len(done.prompts) == 3


def test_conflicts_of_the_parents_and_template_aliases_of_a_person_do_not_count(
    workspace: Workspace, execute: Run
) -> None:
    keywords = ("description", "commit_id", "status_char", "path", "conflict", "change_id")
    workspace.configure(*(f'template-aliases.{keyword}="\\"nothing\\""' for keyword in keywords))
    for text in ("base", "one", "two"):
        commit(workspace, text)
    workspace.jj("rebase", "-s", "@-", "-d", "@---")
    assert workspace.jj("log", "--no-graph", "-r", "@", "-T", "self.conflict()") == "true"
    assert len(execute().prompts) == 2
    assert workspace.description == MARKED


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace that is a git repository as well, and the current directory, with jj on PATH."""
    monkeypatch.setenv("PATH", on_path(Path(component("jj")).parent))
    workspace = Workspace.init(tmp_path / "shared", "--colocate")
    monkeypatch.chdir(workspace.path)
    return workspace


def test_in_a_repository_of_git_its_hooks_do_not_run_and_its_stash_is_missed(shared: Workspace, run: Run) -> None:
    hook = shared.path / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    shared.jj("new", "-m", "chore: base")
    shared.jj("new")
    shared.describe(PLAN)
    done = run(f'if call == 1: git("stash", "pop", "-q")\nelse: {WORKS}\nif call == 0: git("stash", "-uq")', "run", "@")
    assert "changes were stashed; run 'git stash pop'" in done.prompts[1]
    assert shared.description == MARKED
    assert history(shared)[-1] == SECOND


def test_git_does_not_commit_beside_a_described_change(shared: Workspace, run: Run) -> None:
    create(str(shared.path), new_plan(str(shared.path), "plan", tasks=[{"id": "t01", "title": "first"}]))
    shared.describe(PLAN)
    refused = run(WORKS, "run", "plan", status=1)
    assert "commits made with git would leave the described change behind" in refused.err
    assert "hint: run 'smartcommit execute run @'" in refused.err
    assert refused.prompts == []


def test_configuration_of_jj_that_is_changed_stops_the_run_once(workspace: Workspace, execute: Run) -> None:
    workspace.configure("ui.editor=true")
    done = execute(f'{JJ}jj("config", "set", "--repo", "ui.pager", "cat"); {WORKS}', status=1)
    assert "config.toml' was changed while the agent ran" in done.err
    assert history(workspace) == []
    execute(WORKS, "resume", "@")
    assert len(history(workspace)) == 2


def test_a_commit_is_counted_whose_task_could_not_be_marked_and_not_made_again(
    workspace: Workspace, execute: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "if 'describe' in sys.argv: sys.exit(1)\nos.execv(REAL, [REAL, *sys.argv[1:]])\n"
    with monkeypatch.context() as patched:
        patched.setenv("PATH", on_path(impostor(tmp_path / "impostor", script)))
        done = execute(status=1)
    assert "cannot mark the task" in done.err
    assert ", 1 commit)\n" in done.out
    assert history(workspace) == [FIRST]
    assert len(execute(WORKS, "resume", "@").prompts) == 1
    assert history(workspace) == [FIRST, SECOND]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("command", ["split", "describe"])
def test_a_run_killed_around_a_command_of_jj_comes_to_the_same_end(
    workspace: Workspace, make_agent: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, when: str
) -> None:
    script = f"""
import signal, subprocess
due = {command!r} in sys.argv and os.path.exists("../kill")
if due and {when!r} == "before": os.remove("../kill"); os.kill(os.getppid(), signal.SIGKILL); sys.exit(1)
status = subprocess.run([REAL, *sys.argv[1:]]).returncode
if due: os.remove("../kill"); os.kill(os.getppid(), signal.SIGKILL)
sys.exit(status)
"""
    workspace.describe(PLAN)
    monkeypatch.setenv("PATH", on_path(impostor(tmp_path / "impostor", script)))
    (workspace.path / "../kill").write_text("")
    agent = make_agent()
    monkeypatch.setenv("SMARTCOMMIT_AGENT", str(agent.path))
    kills = Kills(workspace.path, tmp_path, environment())
    assert kills.run(workspace.path, "run", "@") == KILLED
    assert kills.run(workspace.path, "resume", "@") == 0
    kills.close()
    assert history(workspace) == [FIRST, SECOND]
    assert workspace.description == MARKED
    # What was not split off yet is looked at by the agent once more.
    assert len(agent.prompts) == 2 + ((command, when) == ("split", "before"))


def test_a_cancelled_agent_is_begun_again(workspace: Workspace, execute: Run) -> None:
    runs.save(state_directory(str(workspace.path)), PendingAttempt("accept-comments", "keep-positions", None, "gone"))
    (workspace.path / "half").write_text("x")
    execute(WORKS, "resume", "@")
    assert events(folder_of(workspace))[0] == "task_interrupted"
    assert history(workspace)[0] == ("feat: add keep-positions", ["half", "keep-positions"])


def test_two_runs_in_one_workspace_are_refused(workspace: Workspace, make_agent: Make, execute: Run) -> None:
    second = make_agent()
    command = json.dumps(["execute", "run", "@", "--agent", str(second.path)])
    done = execute(
        f"code = 'import sys; from smartcommit.cli import main; sys.exit(main({command}))'\n"
        f'subprocess.run([{sys.executable!r}, "-c", code], env={{**os.environ, "PYTHONPATH": {str(ROOT)!r}}})\n'
        f"{WORKS}"
    )
    assert "this working tree is locked by process" in done.out
    assert second.prompts == []
