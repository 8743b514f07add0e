"""jj as it is: other clients, workspaces, colocation, settings, and everything that can fail."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from smartcommit.errors import JjError
from smartcommit.jj import run
from smartcommit.jj.guidance import TOOLS
from smartcommit.jj.models import TaskItem
from smartcommit.jj.run import ChangeMoved, describe, read_change
from smartcommit.jj.tools import Planner
from tests.jj.tools_test import FINISHED, call, done, planned, refused
from tests.support.repository import Repo
from tests.support.workspace import Workspace, impostor, on_path, recorder

ReplaceJj = Callable[[str], None]
# One that reads, one that writes and one that judges: all others read the change as these do.
SOME_TOOLS = ("get_plan", "mark_task", "verify_plan")
TASKS = [TaskItem(f"task {number}") for number in range(8)]


@pytest.fixture
def tools(workspace: Workspace) -> Planner:
    return Planner(str(workspace.path))


@pytest.fixture
def replace_jj(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplaceJj:
    """Puts a program named jj on PATH that runs a script."""

    def replace(script: str) -> None:
        monkeypatch.setenv("PATH", on_path(impostor(tmp_path / "bin", script)))

    return replace


def test_parallel_reading_with_a_snapshot_and_writing_do_not_diverge(tools: Planner, workspace: Workspace) -> None:
    planned(tools, *TASKS)

    def work(number: int) -> None:
        (workspace.path / f"file{number}").write_text("x\n")
        done(tools.get_plan() if number % 2 else tools.mark_task(f"task-{number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert workspace.versions() == 1
    assert done(tools.get_plan()).current_state.completed_tasks == 4


def test_a_description_that_was_changed_meanwhile_is_not_overwritten(tools: Planner, workspace: Workspace) -> None:
    planned(tools)
    seen = read_change(str(workspace.path), snapshot=False)
    workspace.jj("describe", "-m", "somebody else's")
    with pytest.raises(ChangeMoved):
        describe(str(workspace.path), seen, "feat: mine\n")
    assert workspace.description == "somebody else's\n"
    assert workspace.versions() == 1


def test_an_edit_is_made_anew(tools: Planner, workspace: Workspace, tmp_path: Path, replace_jj: ReplaceJj) -> None:
    """The other client describes the change between our reading and our writing, once."""
    planned(tools)
    other = workspace.description.replace("feat: do it", "feat: do it better")
    marker = tmp_path / "marker"
    script = f"""
import subprocess
if "describe" in sys.argv and not os.path.exists({str(marker)!r}):
    open({str(marker)!r}, "w").close()
    where = sys.argv[sys.argv.index("-R") + 1]
    subprocess.run([REAL, "-R", where, "describe", "--stdin"], input={other!r}.encode(), check=True)
os.execv(REAL, [REAL, *sys.argv[1:]])
"""
    replace_jj(script)
    done(tools.mark_task("one"))
    assert workspace.description == other.replace("- [ ] one", "- [x] one")
    assert workspace.versions() == 1


def test_a_change_that_always_moves_is_given_up(tools: Planner, workspace: Workspace, replace_jj: ReplaceJj) -> None:
    planned(tools)
    script = """
import subprocess
if "describe" in sys.argv:
    where = sys.argv[sys.argv.index("-R") + 1]
    subprocess.run([REAL, "-R", where, "metaedit", "--update-change-id"], check=True, capture_output=True)
os.execv(REAL, [REAL, *sys.argv[1:]])
"""
    before = workspace.description
    replace_jj(script)
    response = refused(tools.mark_task("one"), "nothing was written", "another program changed the working-copy commit")
    assert "CRITICAL" not in response.action_taken
    assert workspace.description == before


def test_one_call_takes_at_most_three_processes_and_reading_one(
    tools: Planner, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, notes = recorder(tmp_path / "bin")
    for text in ("", FINISHED):
        workspace.describe(text)
        for name in TOOLS:
            notes.unlink(missing_ok=True)
            with monkeypatch.context() as patch:
                patch.setenv("PATH", on_path(folder))
                call(tools, name)
            processes = len(notes.read_text().splitlines())
            assert processes <= (1 if name.startswith("get_") else 3), name
            if processes > 1:  # it may have written
                workspace.describe(text)


RACE = """
import subprocess
if "describe" in sys.argv:
    where = sys.argv[sys.argv.index("-R") + 1]
    before = subprocess.run(
        [REAL, "-R", where, "op", "log", "--no-graph", "-n1", "-T", "self.id()"], capture_output=True, text=True
    ).stdout
    with open(where + "/file", "a") as file:
        file.write("saved\\n")
    subprocess.run([REAL, "-R", where, "status"], capture_output=True)
    sys.argv[1:1] = ["--at-op", before]
os.execv(REAL, [REAL, *sys.argv[1:]])
"""


def test_a_write_beside_a_snapshot(tools: Planner, workspace: Workspace, replace_jj: ReplaceJj) -> None:
    """The other command takes its snapshot between ours and our write, which it knows nothing of."""
    planned(tools)
    replace_jj(RACE)
    response = refused(tools.mark_task("one"), "which is divergent now", "jj abandon COMMIT")
    assert "Nothing was written" not in response.action_taken
    assert "- [x] one" in workspace.jj("log", "--no-graph", "-r", "all()", "-T", "description")
    assert workspace.versions() == 2
    assert (workspace.path / "file").read_text() == "saved\n"


def test_the_description_is_compared_whatever_it_holds(workspace: Workspace) -> None:
    for text in ("feat: \"x\" '\\' \\n", "tab\t \x7f \x00 \x1b", "é \u202e \U0001f600", "x" * 300_000, "a\r\nb"):
        workspace.describe(text)
        seen = read_change(str(workspace.path), snapshot=False)
        (workspace.path / "file").write_text(text)
        describe(str(workspace.path), seen, "feat: new\n")
        assert workspace.description == "feat: new\n"


def test_a_colocated_repository_keeps_its_plan_and_git_sees_it_later(tmp_path: Path, workspace: Workspace) -> None:
    colocated = Workspace.init(tmp_path / "colocated", "--colocate")
    tools = Planner(str(colocated.path))
    (colocated.path / "file").write_text("x\n")
    planned(tools)
    assert Repo(colocated.path).run("log", "--format=%s").returncode != 0
    colocated.jj("new")
    assert Repo(colocated.path).message().startswith("feat: do it\n\nConstraints: none\n\nTasks [ ]:\n- [ ] one\n")
    assert done(tools.get_plan()).current_state.phase == "uninitialized"


def test_a_second_workspace_has_a_plan_of_its_own(tools: Planner, workspace: Workspace) -> None:
    planned(tools)
    workspace.jj("workspace", "add", "../second")
    second = Workspace(workspace.path.parent / "second")
    other = Planner(str(second.path))
    done(other.start_planning("fix", "something else"))
    assert second.description.startswith("fix: something else")
    assert workspace.description.startswith("feat: do it")
    assert run.find_shared_directory(str(second.path)) == run.find_shared_directory(str(workspace.path))
    with ThreadPoolExecutor(2) as pool:
        for response in (pool.submit(tools.mark_task, "one"), pool.submit(other.update_description, "why")):
            done(response.result())
    assert (workspace.versions(), second.versions()) == (1, 1)


def test_a_persons_settings_change_nothing(tools: Planner, workspace: Workspace) -> None:
    workspace.configure(
        'ui.color="always"', 'ui.paginate="auto"', 'ui.pager="false"', 'templates.log="\\"nothing\\""',
        'templates.draft_commit_description="\\"JJ: note\\""', 'template-aliases.description="\\"nothing\\""',
        'template-aliases.builtin_log_compact_full_description="\\"nothing\\""',
        'template-aliases.commit_id="\\"nothing\\""', 'aliases.log=["abandon"]', 'aliases.describe=["abandon"]',
        'ui.default-command="status"', 'ui.editor="false"', 'ui.quiet=true', 'ui.graph.style="ascii"',
        'user.name=""', 'user.email=""',
    )  # fmt: skip
    planned(tools)
    done(tools.mark_task("one"))
    assert workspace.description == "feat: do it\n\nConstraints: none\n\nTasks [ ]:\n- [x] one\n- [ ] two\n"


def test_trailers_that_jj_adds_are_kept_once(tools: Planner, workspace: Workspace) -> None:
    template = '"Change-Id: I" ++ change_id ++ "\\n" ++ format_signed_off_by_trailer(self)'
    workspace.configure(f"templates.commit_trailers='{template}'")
    planned(tools)
    done(tools.mark_task("one"))
    done(tools.update_goal(summary="do more"))
    text = workspace.description
    assert text.startswith("feat: do more\n\nConstraints: none\n\nTasks [ ]:\n- [x] one\n- [ ] two\n\nChange-Id: I")
    assert text.count("Change-Id") == text.count("Signed-off-by: Ada Author") == 1
    assert done(tools.verify_plan()).action_taken == "verified the plan: it is valid"


def test_a_stale_working_copy_stops_every_tool(tools: Planner, workspace: Workspace) -> None:
    planned(tools)
    workspace.jj("workspace", "add", "../second")
    second = Workspace(workspace.path.parent / "second")
    (workspace.path / "file").write_text("x\n")
    workspace.jj("status")
    # The other workspace rewrites this one's commit below it.
    second.jj("edit", "--ignore-immutable", workspace.jj("log", "-r", "@", "--no-graph", "-T", "commit_id"))
    (second.path / "more").write_text("x\n")
    second.jj("status")
    before = workspace.description
    for name in SOME_TOOLS:
        response = refused(call(tools, name), "CRITICAL", "is stale", "jj workspace update-stale")
        assert response.next_actions.available == []
    assert workspace.description == before
    workspace.jj("workspace", "update-stale")
    assert "CRITICAL" not in call(tools, "mark_task").action_taken


def test_an_immutable_change_stops_every_tool(tools: Planner, workspace: Workspace) -> None:
    planned(tools)
    workspace.configure('revset-aliases."immutable_heads()"="@"')
    before = workspace.operation
    for name in SOME_TOOLS:
        assert refused(call(tools, name), "CRITICAL", "immutable", "jj new").next_actions.available == []
    assert workspace.operation == before


def test_a_divergent_change_is_planned_on_and_every_tool_says_so(tools: Planner, workspace: Workspace) -> None:
    planned(tools)
    before = workspace.jj("op", "log", "--ignore-working-copy", "--no-graph", "-n2", "-T", 'id ++ "\\n"').split()[1]
    workspace.jj("--at-op", before, "describe", "--ignore-working-copy", "-m", "feat: another version")
    assert workspace.versions() == 2
    for name in SOME_TOOLS:
        response = call(tools, name)
        assert "CRITICAL" not in response.action_taken
        assert "divergent" in response.action_taken
        assert "jj abandon" in response.action_taken
    assert "- [x] one\n" in workspace.description


def test_a_conflicted_change_is_planned_on_and_told(tools: Planner, workspace: Workspace) -> None:
    (workspace.path / "file").write_text("1\n")
    workspace.jj("new", "root()")
    (workspace.path / "file").write_text("2\n")
    heads = workspace.jj("log", "-r", "heads(all())", "--no-graph", "-T", 'commit_id ++ "\\n"').split()
    assert len(heads) == 2
    workspace.jj("new", *heads)
    planned(tools)
    assert "has conflicts" in done(tools.mark_task("one")).action_taken


def test_a_missing_jj_halts_everything(tools: Planner, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    response = refused(tools.mark_task("one"), "CRITICAL", "jj is not installed", "install jj")
    assert response.next_actions.available == []
    assert len(response.next_actions.blocked) == 12
    assert "current_state" not in json.loads(response.as_json())


# (what a program named jj does, what the answer says)
FAILURES = [
    ("sys.stderr.write('Warning: x\\nError: disk full\\nHint: empty it\\n'); sys.exit(1)", ["disk full", "empty it"]),
    ("sys.stderr.write('Config error: bad value\\n'); sys.exit(1)", ["Config error: bad value", "jj status"]),
    ("sys.exit(255)", ["status 255"]),
    ("sys.stderr.write('Error: no\\nHint: make one by running this:\\njj git init\\nHint: or not\\n'); sys.exit(1)",
     ["make one by running this: jj git init"]),
    ("sys.stderr.write('Internal error: No operation\\nCaused by:\\n1: Cannot read it\\n2: No such file\\n'); "
     "sys.exit(255)", ["No operation Caused by: 1: Cannot read it 2: No such file. Nothing was written"]),
    ("print('not json')", ["unexpected output from jj"]),
    ("print('{}')", ["unexpected output from jj"]),
]  # fmt: skip


def test_a_failing_jj_halts_everything_and_says_how_to_mend_it(tools: Planner, replace_jj: ReplaceJj) -> None:
    for script, words in FAILURES:
        replace_jj(script)
        response = refused(tools.get_plan(), "CRITICAL, stop all work", "no planner tool works", *words)
        assert response.next_actions.available == []


def test_words_on_standard_error_fail_nothing(tools: Planner, workspace: Workspace, replace_jj: ReplaceJj) -> None:
    words = "error: fatal: Error: Permission denied CRITICAL\\n"
    script = f"sys.stderr.write('{words}'); sys.stderr.flush()\nos.execv(REAL, [REAL, *sys.argv[1:]])\n"
    replace_jj(script)
    done(tools.start_planning("fix", "error: fatal: permission denied"))
    assert workspace.description.startswith("fix: error: fatal: permission denied\n")


def test_a_jj_that_fails_behind_the_write(tools: Planner, workspace: Workspace, replace_jj: ReplaceJj) -> None:
    planned(tools)
    script = "import subprocess\nsubprocess.run([REAL, *sys.argv[1:]], check=True)\nsys.exit('describe' in sys.argv)\n"
    replace_jj(script)
    assert "marked 'one' as complete" in done(tools.mark_task("one")).action_taken
    assert "- [x] one\n" in workspace.description


def test_jj_that_hangs(monkeypatch: pytest.MonkeyPatch, workspace: Workspace, replace_jj: ReplaceJj) -> None:
    replace_jj("import signal; signal.pause()")
    monkeypatch.setattr(run, "PATIENCE", 0.2)
    with pytest.raises(JjError, match=r"timed out after 0\.2 s"):
        run.run_jj(("log",), repository=str(workspace.path))


def test_jj_gets_no_editor_and_no_standard_input(replace_jj: ReplaceJj) -> None:
    script = "print(os.environ['JJ_EDITOR'], len(sys.stdin.read()))"
    replace_jj(script)
    assert run.run_jj(("describe",)) == b"false 0\n"


def test_a_long_plan_passes_where_an_argument_would_not(tools: Planner, workspace: Workspace) -> None:
    planned(tools, *(TaskItem(f"task {number}", "x" * 100) for number in range(2500)))
    assert len(workspace.description) > 250_000
    assert done(tools.mark_task("task-2499")).current_state.total_tasks == 2500


def test_a_folder_is_of_the_same_workspace_and_the_lock_in_no_commit(tools: Planner, workspace: Workspace) -> None:
    planned(tools)
    below = workspace.path / "a" / "b"
    below.mkdir(parents=True)
    assert done(Planner(str(below)).get_plan()).current_state.total_tasks == 2
    assert os.path.exists(workspace.path / ".jj" / "repo" / "smartcommit.lock")
    assert workspace.jj("file", "list") == ""
