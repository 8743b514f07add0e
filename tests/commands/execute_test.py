"""`smartcommit execute` as a person uses it: making and looking at plans, watching a run, stopping it."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from smartcommit.executor.executor import format_duration
from smartcommit.executor.plan_dir import list_folders
from tests.conftest import ROOT
from tests.support.agents import WORKS, Agent, plan_in
from tests.support.commands import Command, Shown
from tests.support.processes import gone, patience
from tests.support.repository import Repo
from tests.support.tty import run_on_terminal

CHECKLIST = """\
# Add a parser

It reads what people write.

- [ ] Read comments: in the tokeniser
  - positions stay
  - Check: `test -e t01`
- [x] Document them
"""
COMMAND = (sys.executable, "-c", "import sys; from smartcommit.cli import main; sys.exit(main())", "execute")


@pytest.fixture(autouse=True)
def inside(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.chdir(based.path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return based


@pytest.fixture
def execute(smartcommit: Command) -> Command:
    return partial(smartcommit, "execute")


def new(execute: Command, based: Repo, *options: str, text: str = CHECKLIST, status: int = 0) -> Shown:
    based.write("docs/parser.md", text)
    return execute("new", "docs/parser.md", *options, status=status)


def test_a_checklist_becomes_a_plan_without_a_model(based: Repo, execute: Command) -> None:
    shown = new(execute, based)
    (folder,) = list_folders(str(based.path))
    assert shown.out == f"created plan '{folder.name}' with 2 tasks\nnext: smartcommit execute run add-a-parser\n"
    plan = json.loads(Path(folder.path("plan.json")).read_text())
    assert (plan["schemaVersion"], plan["name"], plan["sourceFile"]) == (1, "add-a-parser", "docs/parser.md")
    assert plan["description"] == "It reads what people write."
    assert [(task["title"], task["status"], task.get("check")) for task in plan["tasks"]] == [
        ("Read comments", "pending", "test -e t01"),
        ("Document them", "completed", None),
    ]
    shown = execute("show", "add-a-parser").out
    assert "[ ] t01 Read comments\n      - positions stay\n      check: test -e t01\n" in shown
    new(execute, based, "--name", "Other", "--check", "make")
    assert {each.load().check for each in list_folders(str(based.path)) if each.name.endswith("-other")} == {"make"}


def test_a_checklist_that_makes_no_plan_is_one_clear_error(based: Repo, execute: Command) -> None:
    unmade = "cannot create a plan from this document: tasks"
    for text, said in (
        ("- [ ] : foo\n", f"{unmade}.0.title: Value error, a task needs a title\nhint: use at most 500 tasks"),
        (f"- [ ] {'x' * 501}\n", f"{unmade}.0.title: String should have at most 500 characters"),
        ("- [ ] a\n" * 501, f"{unmade}: List should have at most 500 items"),
        ("# Parser\n\n- one\n- [x] two\n", "'docs/parser.md' has no open task\nhint: write the tasks as '- [ ] title"),
    ):
        assert f"smartcommit: {said}" in new(execute, based, text=text, status=1).err
        assert not (based.path / ".smartcommit").exists()


def test_plans_are_listed_and_shown_with_nothing_raw(based: Repo, tmp_path: Path, execute: Command) -> None:
    tasks = [{"id": "t01", "title": "first \x1b[31m", "acceptanceCriteria": ["it\u202e works"]}]
    folder = plan_in(based, tasks=tasks, description="about\x07 it\n\tso")
    agent = Agent(tmp_path, 'print("\\x1b]0;title\\x07bad\\tly"); sys.exit(1)')
    failed = execute("run", "--agent", str(agent.path), "--attempts", "2", status=1)
    based.write(".smartcommit/plans/broken-one/plan.json", "{")
    shutil.copytree(folder.path(), based.path / ".smartcommit/plans/copy-again")
    shown = failed.out + execute("list").out + execute("show", "plan").out + execute("show", "again").out
    for text in (
        "bad   ly\n",
        f"{folder.name}  failed  0/1 tasks\n",
        "copy-again  failed  0/1 tasks\n",
        "broken-one  '.smartcommit/plans/broken-one/plan.json' is not JSON\n",
        "about\\x07 it\n\tso\n\n[!] t01",
        "[!] t01 first \\x1b[31m (2 attempts)\n      - it\\u202e works\n      last failure: the agent exited",
        "copy-again: failed\n",
    ):
        assert text in shown
    assert f"then run 'smartcommit execute resume {folder.name}'\n" in failed.err
    assert "running" not in shown
    assert not set("\x1b\x07\u202e") & set(shown + failed.err)


def test_a_lock_that_cannot_be_opened_is_one_clear_error(based: Repo, execute: Command) -> None:
    plan_in(based, "first")
    (based.path / ".git/smartcommit/executor.lock").mkdir()
    said = "smartcommit: cannot open the lock '.*/executor.lock': is a directory\nhint: .*\n"
    assert re.fullmatch(said, execute("run", status=1).err)
    shutil.rmtree(based.path / ".git/smartcommit")
    based.write(".git/smartcommit")
    assert re.fullmatch("smartcommit: .*/.git/smartcommit.*: file exists\n", execute("run", status=1).err)


def test_which_plan_is_asked_for_where_it_is_not_plain(based: Repo, execute: Command) -> None:
    assert "no plan to run\nhint: run 'smartcommit execute new FILE'" in execute("run", status=1).err
    for name in ("one", "two"):
        plan_in(based, name=name)
    based.write(".smartcommit/plans/broken/plan.json", "{")
    for verb, said in (("run", "more than one plan: '"), ("resume", "no plan to run")):
        assert re.search(f"broken/plan.json' is not JSON\n.*{said}", execute(verb, status=1).err)
    execute("run", "one", "--attempts", "0", status=2)


def test_a_run_prints_plain_lines_and_its_commits(based: Repo, tmp_path: Path, execute: Command) -> None:
    plan_in(based, "first", "second")
    agent = Agent(tmp_path, 'write(task); print("at work")\nif task == "t01": suggest("feat: add it\\n\\nwhy")')
    shown = execute("run", "--agent", str(agent.path)).out
    first, second = (name[:12] for name in based.git("rev-list", "--reverse", "HEAD~2..").split())
    printed = re.sub(r"\b\d+:\d\d\b", "0:00", shown)
    events, _, summary = printed.partition("plan completed ")
    assert events.replace("   0:00 ", "") == (
        "task 1 of 2, attempt 1 of 5: t01 first\n  | at work\n  | SUGGESTED_COMMIT_MESSAGE: feat: add it\n  | \n"
        f"  | why\n  committed {first} feat: add it\n"
        "task 2 of 2, attempt 1 of 5: t02 second\n  | at work\n"
        f"  committed {second} [rafa] Complete task t02: second\n  the agent suggested no commit message\n"
    )
    assert events.count("   0:00 ") == events.count("\n")
    assert summary == f"(0:00, 2 commits)\n  {first} feat: add it\n  {second} [rafa] Complete task t02: second\n"


def test_ctrl_c_on_a_terminal_stops_cleans_up_and_says_how_to_go_on(based: Repo, tmp_path: Path) -> None:
    folder = plan_in(based, "first")
    agent = Agent(
        tmp_path, 'open("../pid", "w").write(str(os.getpid())); os.kill(int(open("../run").read()), 2); time.sleep(600)'
    )
    script = "echo $$ > ../run; exec " + " ".join(f"'{word}'" for word in (*COMMAND, "run", "--agent", str(agent.path)))
    shown, status = run_on_terminal(["sh", "-c", script], cwd=based.path, env={"TERM": "xterm"})
    assert status == 130
    assert f"stopped; run 'smartcommit execute resume {folder.name}' to continue" in shown
    assert "Traceback" not in shown
    assert any(gone(int((based.path / "../pid").read_text())) for _ in patience())


def test_a_commit_that_has_begun_is_finished_before_a_stop(based: Repo, tmp_path: Path, execute: Command) -> None:
    plan_in(based, "first", "second")
    hook = "#!/bin/sh\nkill -INT $(cat ../run)\nsleep 0.3\n"
    based.write(".git/hooks/pre-commit", hook, executable=True)
    agent = Agent(tmp_path)
    script = "echo $$ > ../run; exec " + " ".join(f"'{word}'" for word in (*COMMAND, "run", "--agent", str(agent.path)))
    done = subprocess.run(["sh", "-c", script], cwd=based.path, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == (
        "stopping: the agent or a check is ended, a commit is finished; a third Ctrl-C exits at once\n"
    )
    assert based.subjects() == ["chore: base", "feat: add t01"]
    assert based.git("status", "--porcelain") == ""
    (based.path / ".git/hooks/pre-commit").unlink()
    execute("run", "--agent", str(agent.path))
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]


def test_a_run_locks_others_out_and_leaves_no_lock(based: Repo, tmp_path: Path, execute: Command) -> None:
    plan_in(based, "first", name="one")
    two = plan_in(based, "first", name="two")
    based.write(".git/smartcommit/executor.lock", f"{os.getpid()}\n")
    second = Agent(tmp_path / "second")
    words = [" ".join(f"'{word}'" for word in (*COMMAND, *arguments)) for arguments in (
        ("run", "two", "--agent", str(second.path)), ("list",), ("show", "one"),
    )]  # fmt: skip
    commands = "; ".join(f"{command} 2>&1" for command in words)
    first = Agent(tmp_path / "first", f'{WORKS}; os.system("""{commands}""")')
    shown = execute("run", "one", "--agent", str(first.path)).out
    locked = f"this working tree is locked by process {os.getpid()}"
    for text in (f"| smartcommit: {locked}\n", f"| {two.name}  not_started  0/1 tasks\n", "| [>] t01 first\n"):
        assert text in shown
    assert second.prompts == []


def test_durations_are_short() -> None:
    found = [format_duration(seconds) for seconds in (0, 59.9, 61, 3600, 360_000)]
    assert found == ["0:00", "0:59", "1:01", "1:00:00", "100:00:00"]
