"""`smartcommit plan`, and what else the command line does in a jj repository."""

import io
import json
import subprocess
from functools import partial
from pathlib import Path

import pytest

from smartcommit.commands.plan import command
from smartcommit.jj.guidance import TOOLS
from smartcommit.jj.tools import Planner
from tests.conftest import ROOT
from tests.jj.tools_test import FINISHED
from tests.support.commands import Command
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows
from tests.support.workspace import Workspace

TASKS = "- read comments: in the tokeniser\n  - keep positions\n  - test both\n- [ ] document them\n"


@pytest.fixture(autouse=True)
def inside(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.path)


@pytest.fixture
def plan(smartcommit: Command) -> Command:
    return partial(smartcommit, "plan")


def test_the_whole_workflow(workspace: Workspace, plan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    plan("start", "feat", "accept comments in lists", "--scope", "parser")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Configurations have comments.\n")))
    plan("describe")
    plan("constraints", "Do not: change how strings are read")
    (workspace.path.parent / "tasks").write_text(TASKS)
    plan("tasks", str(workspace.path.parent / "tasks"))
    for name in ("keep-positions", "test-both", "document-them"):
        plan("mark", name, "--done")
    plan("finish")
    assert workspace.description == FINISHED
    plan("verify")
    plan("unfinish")
    plan("goal", "--summary", "accept notes", "--breaking")
    assert workspace.description.startswith("feat(parser)!: accept notes\n")
    plan("mark", "test-both", "--open")
    assert "  - [ ] test both\n" in workspace.description
    plan("constraints", "--none")
    assert "Constraints: none" in workspace.description


def test_next_steps_are_commands_that_can_be_run(workspace: Workspace, plan: Command) -> None:
    (workspace.path.parent / "tasks").write_text("- [ ] one\n")
    said, steps = "", ("describe", "constraints", "tasks", "mark", "finish", "verify")
    for words in (["start", "feat", "x"], ["tasks", str(workspace.path.parent / "tasks")], ["mark", "one"], ["finish"]):
        said += plan(*words).out
    assert [step for step in steps if f"next: smartcommit plan {step}: " not in said] == []
    assert [name for name in TOOLS if name in said] == []


def test_show_prints_all_of_the_plan_safely(workspace: Workspace, plan: Command) -> None:
    workspace.describe(FINISHED.replace("Configurations", "[bold]Configurations[/bold]"))
    assert plan("show").out == (
        "read the plan\nfeat(parser): accept comments in lists\n\n[bold]Configurations[/bold] have comments.\n\n"
        "Constraints:\n- Do not: change how strings are read\nTasks [X]:\n"
        "- [x] read comments: in the tokeniser  read-comments\n  - [x] keep positions  keep-positions\n"
        "  - [x] test both  test-both\n- [x] document them  document-them\n"
        "complete, 4 of 4 tasks complete\n"
        "next: smartcommit plan verify: do a final check, then run 'jj new' to start the next change\n"
    )
    workspace.describe("oops \x1b[31mred\n")
    assert "\x1b" not in plan("show", status=1).err


@pytest.mark.parametrize("command", ["show", "tasks", "constraints", "verify"])
@pytest.mark.parametrize("text", ["", "oops\n", FINISHED])
def test_json_is_what_the_tool_answers(workspace: Workspace, plan: Command, command: str, text: str) -> None:
    workspace.describe(text)
    tools = Planner(str(workspace.path))
    answers = {
        "show": tools.get_plan,
        "tasks": tools.get_tasks,
        "constraints": tools.get_constraints,
        "verify": tools.verify_plan,
    }
    response = answers[command]()
    shown = plan(command, "--json", status=int(response.status == "error"))
    assert json.loads(shown.out) == json.loads(response.as_json())


def test_a_refusal_is_printed_to_standard_error_with_a_status(workspace: Workspace, plan: Command) -> None:
    said = plan("mark", "x", status=1)
    assert said.out == ""
    assert said.err.startswith("smartcommit: refused: no plan yet")
    plan("tasks", "/dev/null", status=1)
    (workspace.path.parent / "tasks").write_text("prose\n")
    shown = plan("tasks", str(workspace.path.parent / "tasks"), status=1)
    assert "line 1: text after a section is neither an item" in shown.err


@pytest.mark.parametrize("arguments", [("describe",), ("tasks", "-"), ("tasks", "file")])
def test_text_in_another_charset_is_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, plan: Command, arguments: tuple[str, ...]
) -> None:
    plan("start", "feat", "x")
    before = workspace.description
    (workspace.path / "file").write_bytes(b"- [ ] caf\xe9\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"- [ ] caf\xe9\n")))
    assert "invalid UTF-8 at byte 10" in plan(*arguments, status=1).err
    assert workspace.description == before


def test_a_byte_order_mark_is_no_text(workspace: Workspace, plan: Command) -> None:
    plan("start", "feat", "x")
    (workspace.path / "file").write_bytes(b"\xef\xbb\xbf- [ ] a\n")
    plan("tasks", "file")
    assert "\n- [ ] a\n" in workspace.description


def test_another_repository_can_be_named_and_its_rules_hold(
    workspace: Workspace, plan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    (workspace.path / ".smartcommit").write_text("[smartcommit]\n\ttypes = perf\n\trequired = plan description\n")
    assert "type-unknown" in plan("start", "feat", "x", "--repo", str(workspace.path), status=1).err
    plan("start", "perf", "x", "--repo", str(workspace.path))
    assert workspace.description.startswith("perf: x\n")


def test_a_finished_plan_passes_commit_msg_where_a_plan_is_required(
    workspace: Workspace, plan: Command, installation: Installation, tmp_path: Path
) -> None:
    for arguments in (("start", "feat", "do it"), ("tasks", "tasks"), ("mark", "a"), ("finish",)):
        (workspace.path / "tasks").write_text("- a\n")
        plan(*arguments)
    repo = Repo.init(tmp_path / "git")
    repo.write(".smartcommit", "[smartcommit]\n\trequired = plan\n")
    repo.write("message", workspace.description)
    hook = installation.script("smartcommit-commit-msg")
    done = subprocess.run([hook, "message"], cwd=repo.path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    repo.write("message", "feat: do it\n")
    assert subprocess.run([hook, "message"], cwd=repo.path, capture_output=True, check=False).returncode == 1


def test_the_recipe_before_a_push_judges_every_change(workspace: Workspace, smartcommit: Command) -> None:
    workspace.describe(FINISHED)
    workspace.jj("new", "-m", "oops")
    assert "header-form" in smartcommit("check", "--jj", "trunk()..@", status=1).out
    workspace.describe("fix: mend it\n")
    smartcommit("check", "--jj", "trunk()..@")
    assert "Traceback" not in smartcommit("check", "--jj", "no such revset", status=2).err


@rows(
    ("description", "said"),
    ("feat: x\0nothing like it", ":1:8: character invisible or control character \\x00\n"),
    ("feat: x\n\nTasks [ ]:\n- [ ] test it\n- [ ] test it", "tasks-id two sibling tasks have the id 'test-it'"),
)
def test_a_description_is_judged_as_a_whole(
    workspace: Workspace, smartcommit: Command, description: str, said: str
) -> None:
    workspace.describe(description)
    assert said in smartcommit("check", "--jj", "@", status=1).out


@pytest.mark.parametrize(("alias", "status"), [("description", 1), ("json(x)", 2)])
def test_template_aliases_hide_nothing(workspace: Workspace, smartcommit: Command, alias: str, status: int) -> None:
    workspace.describe("oops")
    workspace.configure(f"template-aliases.'{alias}'='''\"feat: x\"'''")
    assert "Traceback" not in smartcommit("check", "--jj", "@", status=status).err


def test_a_lack_of_mcp_is_told(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, smartcommit: Command) -> None:
    monkeypatch.setitem(__import__("sys").modules, "smartcommit.mcp.server", None)
    assert "hint: in a clone of smartcommit, run: pipx install --force '.[mcp]'\n" in smartcommit("mcp", status=1).err


def test_the_documentation_names_every_tool_and_every_command() -> None:
    text = (ROOT / "docs" / "planner.md").read_text()
    for name in (*TOOLS, *(f"plan {name}" for name in command.commands)):
        assert f"`{name}" in text, name
