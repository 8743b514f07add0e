"""`smartcommit execute` as a person uses it: making and looking at plans, watching a run, stopping it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.executor.executor import format_duration
from smartcommit.executor.plan_dir import list_folders
from tests.conftest import ROOT
from tests.support.agents import WORKS, Agent, plan_in
from tests.support.processes import gone
from tests.support.repository import Repo
from tests.support.table import rows
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


def new(based: Repo, *options: str, text: str = CHECKLIST) -> int:
    based.write("docs/parser.md", text)
    return main(["execute", "new", "docs/parser.md", *options])


def test_a_checklist_becomes_a_plan_without_a_model(based: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(based) == 0
    (folder,) = list_folders(str(based.path))
    assert capsys.readouterr().out == (
        f"created plan '{folder.name}' with 2 tasks\nnext: smartcommit execute run add-a-parser\n"
    )
    plan = json.loads(Path(folder.path("plan.json")).read_text())
    assert (plan["schemaVersion"], plan["name"], plan["sourceFile"]) == (1, "add-a-parser", "docs/parser.md")
    assert plan["description"] == "It reads what people write."
    assert [(task["title"], task["status"], task.get("check")) for task in plan["tasks"]] == [
        ("Read comments", "pending", "test -e t01"), ("Document them", "completed", None),
    ]  # fmt: skip


def test_a_dry_run_prints_the_plan_and_keeps_nothing(based: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(based, "--dry-run", "--name", "Other", "--check", "make") == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["name"], plan["check"]) == ("other", "make")
    assert not (based.path / ".smartcommit").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- [ ] : foo\n", "tasks.0.title: Value error, a task needs a title"),
        (f"- [ ] {'x' * 501}\n", "tasks.0.title: String should have at most 500 characters"),
        ("- [ ] a\n" * 501, "tasks: List should have at most 500 items"),
    ],
    ids=["no title", "a long title", "many tasks"],
)
def test_a_checklist_that_makes_no_plan_is_one_clear_error(
    based: Repo, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    assert new(based, text=text) == 1
    shown = capsys.readouterr().err
    assert shown.startswith(f"smartcommit: cannot create a plan from this document: {said}")
    assert "\nhint: use at most 500 tasks" in shown
    assert not (based.path / ".smartcommit").exists()


def test_a_document_without_a_checklist_is_refused(based: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(based, text="# Parser\n\nIt reads what people write.\n\n- one\n- two\n") == 1
    assert capsys.readouterr().err == (
        "smartcommit: 'docs/parser.md' has no checklist\nhint: write the tasks as '- [ ] title: description'\n"
    )
    assert not (based.path / ".smartcommit").exists()


def test_plans_are_listed_and_shown_with_nothing_raw(
    based: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [{"id": "t01", "title": "first \x1b[31m", "acceptanceCriteria": ["it\u202e works"]}]
    folder = plan_in(based, tasks=tasks, description="about\x07 it\n\tso")
    monkeypatch.setenv("SMARTCOMMIT_AGENT", str(Agent(tmp_path, 'print("\\x1b]0;title\\x07bad"); sys.exit(1)').path))
    assert main(["execute", "run", "--attempts", "1"]) == 1
    based.write(".smartcommit/plans/broken-one/plan.json", "{")
    assert main(["execute", "list"]) == 0
    assert main(["execute", "show", "plan"]) == 0
    assert main(["execute", "status"]) == 0
    shown = capsys.readouterr()
    assert f"{folder.name}  failed  0/1 tasks\n" in shown.out
    assert "broken-one  '.smartcommit/plans/broken-one/plan.json' is not JSON\n" in shown.out
    assert (
        "[!] t01 first \\x1b[31m\n      - it\\u202e works\n      last failure: the agent exited with status 1"
        in shown.out
    )
    assert "about\\x07 it\n\tso\n" in shown.out
    assert "no plan is running\n" in shown.out
    assert f"attempt 1: failed; run 'smartcommit execute resume {folder.name}' to continue\n" in shown.out
    assert f"then run 'smartcommit execute resume {folder.name}'\n" in shown.err
    assert not set("\x1b\x07\u202e") & set(shown.out + shown.err)


def test_a_plan_printed_as_json_holds_nothing_raw_and_reads_the_same(
    based: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "# Plan\n\n- [ ] first\x9b31m \u202eé\n"
    assert new(based, "--dry-run", text=text) == 0
    assert new(based, text=text) == 0
    dry = capsys.readouterr().out.partition("created plan")[0]
    assert main(["execute", "show", "plan", "--json"]) == 0
    shown = capsys.readouterr().out
    for printed in (dry, shown):
        assert not set("\x9b\u202e") & set(printed)
        assert json.loads(printed)["tasks"][0]["title"] == "first\x9b31m \u202eé"


def test_a_copied_plan_is_told_from_the_first_by_its_folder(based: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    folder = plan_in(based, "first")
    shutil.copytree(folder.path(), based.path / ".smartcommit/plans/copy-again")
    assert main(["execute", "list"]) == 0
    assert main(["execute", "show", "again"]) == 0
    shown = capsys.readouterr().out
    assert shown.count(f"{folder.name}  not_started") == 1
    assert "copy-again  not_started  0/1 tasks\n" in shown
    assert "copy-again: not_started\n" in shown


@pytest.mark.parametrize("command", ["run", "status"])
def test_a_file_where_the_lock_would_be_kept_is_one_clear_error(
    based: Repo, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    plan_in(based, "first")
    shutil.rmtree(based.path / ".git/smartcommit")
    based.write(".git/smartcommit")
    assert main(["execute", command]) == 1
    shown = capsys.readouterr()
    assert re.fullmatch("smartcommit: cannot create directory '.*/smartcommit': file exists\nhint: .*\n", shown.err)
    assert shown.out == ""


@pytest.mark.parametrize("command", ["run", "status"])
def test_a_lock_that_cannot_be_opened_is_one_clear_error(
    based: Repo, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    plan_in(based, "first")
    (based.path / ".git/smartcommit/executor.lock").mkdir()
    assert main(["execute", command]) == 1
    shown = capsys.readouterr()
    assert re.fullmatch(
        "smartcommit: cannot open the lock '.*/executor.lock': is a directory\nhint: check that .*\n", shown.err
    )
    assert shown.out == ""


def test_show_names_the_commits_and_prints_the_file(
    based: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = plan_in(based, "first")
    monkeypatch.setenv("SMARTCOMMIT_AGENT", str(Agent(tmp_path).path))
    assert main(["execute", "run"]) == 0
    assert main(["execute", "show", "plan"]) == 0
    assert f"[x] t01 first\n      commit {based.git('rev-parse', 'HEAD')[:12]}\n" in capsys.readouterr().out
    assert main(["execute", "show", "plan", "--json"]) == 0
    assert capsys.readouterr().out.encode() == Path(folder.path("plan.json")).read_bytes()


def test_which_plan_is_asked_for_where_it_is_not_plain(based: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["execute", "run"]) == 1
    assert "no plan to run\nhint: run 'smartcommit execute new FILE'" in capsys.readouterr().err
    plan_in(based, name="one")
    plan_in(based, name="two")
    assert main(["execute", "run"]) == 1
    assert "more than one plan: '" in capsys.readouterr().err
    assert main(["execute", "resume"]) == 1
    assert "no plan to resume" in capsys.readouterr().err


@rows("arguments", [["run", "--attempts", "0"], ["new", "absent.md"], ["show"], ["fly"]])
def test_wrong_usage_is_a_status_of_its_own(arguments: list[str]) -> None:
    assert main(["execute", *arguments]) == 2


def test_outside_a_repository_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["execute", "list"]) == 1
    assert "not a git repository" in capsys.readouterr().err


def test_without_a_terminal_a_run_prints_plain_lines(
    based: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_in(based, "first", "second")
    agent = Agent(tmp_path, 'write(task); print("at work")\nif task == "t01": suggest("feat: add it\\n\\nwhy")')
    monkeypatch.setenv("SMARTCOMMIT_AGENT", str(agent.path))
    assert main(["execute", "run"]) == 0
    first, second = (name[:12] for name in based.git("rev-list", "--reverse", "HEAD~2..").split())
    printed = re.sub(r"\b\d+:\d\d\b", "0:00", capsys.readouterr().out)
    events, _, summary = printed.partition("plan completed ")
    assert events.replace("   0:00 ", "") == (
        "task 1 of 2, attempt 1 of 5: t01 first\n  | at work\n  | SUGGESTED_COMMIT_MESSAGE: feat: add it\n  | \n"
        f"  | why\n  committed {first} feat: add it\n"
        "task 2 of 2, attempt 1 of 5: t02 second\n  | at work\n"
        f"  committed {second} [rafa] Complete task t02: second\n  the agent suggested no commit message\n"
    )
    assert events.count("   0:00 ") == events.count("\n")
    assert summary == f"(0:00, 2 commits)\n  {first} feat: add it\n  {second} [rafa] Complete task t02: second\n"


def test_a_log_says_that_a_silent_run_goes_on(based: Repo, tmp_path: Path) -> None:
    plan_in(based, "first")
    log = tmp_path / "log"
    agent = Agent(tmp_path, f'while "no output for" not in open({str(log)!r}).read(): time.sleep(0.01)\n{WORKS}')
    with log.open("w") as file:
        code = "from smartcommit.commands import execute_view; execute_view._SILENCE = 0.1"
        command = [COMMAND[0], "-c", f"{code}; {COMMAND[2]}", "execute", "run", "--agent", str(agent.path)]
        subprocess.run(command, stdout=file, env={**os.environ, "PYTHONUNBUFFERED": "1"}, check=True)
    printed = log.read_text().splitlines()
    silent = [line for line in printed if "no output" in line]
    assert all(re.fullmatch(r" {3}\d:\d\d   no output for \d:\d\d", line) for line in silent)
    begun = next(line for line in printed if line not in silent)
    assert re.fullmatch(r" {3}\d:\d\d task 1 of 1, attempt 1 of 5: t01 first", begun)


def test_on_a_terminal_a_status_line_stays_below_the_lines(based: Repo, tmp_path: Path) -> None:
    plan_in(based, "first", f"second {'x' * 100}")
    agent = Agent(tmp_path, f'print("at work \\x1b]0;evil\\x07"); sys.stdout.flush()\n{WORKS}')
    command = [*COMMAND, "run", "--agent", str(agent.path)]
    shown, status = run_on_terminal(command, cwd=based.path, env={"TERM": "xterm"})
    assert status == 0
    begun = "0:00 task 1 of 2, attempt 1 of 5: t01 first"
    line = f"\r\x1b[K   {begun}\n\x1b[?7l   {begun}\x1b[?7h"
    assert re.sub(r"\d:\d\d", "0:00", shown).startswith(f"{line}\r\x1b[K")
    assert "   | at work \\x1b]0;evil\\x07\n" in shown
    assert "\x1b]0;" not in shown
    summary = shown.rpartition("\x1b[?7h\r\x1b[K")[2]
    assert summary.startswith("plan completed (0:0")
    assert "feat: add t02" in summary
    # Where nothing can be drawn, as in an editor's shell, there are lines alone.
    plan_in(based, "third", name="plain")
    shown, status = run_on_terminal([*command, "--no-screen"], cwd=based.path, env={"TERM": "dumb"})
    assert status == 0
    assert "\x1b" not in shown


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
    assert gone(int((based.path / "../pid").read_text()))


def test_a_commit_that_has_begun_is_finished_before_a_stop(based: Repo, tmp_path: Path) -> None:
    plan_in(based, "first", "second")
    hook = "#!/bin/sh\nkill -INT $(cat ../run)\nsleep 0.3\n"
    based.write(".git/hooks/pre-commit", hook, executable=True)
    agent = Agent(tmp_path)
    script = "echo $$ > ../run; exec " + " ".join(f"'{word}'" for word in (*COMMAND, "run", "--agent", str(agent.path)))
    done = subprocess.run(["sh", "-c", script], cwd=based.path, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == (
        "stopping: an agent or a check gets 15 s to end, a commit and its hooks 30 min; a third Ctrl-C exits at once\n"
    )
    assert based.subjects() == ["chore: base", "feat: add t01"]
    assert based.git("status", "--porcelain") == ""
    (based.path / ".git/hooks/pre-commit").unlink()
    assert main(["execute", "run", "--agent", str(agent.path)]) == 0
    assert based.subjects() == ["chore: base", "feat: add t01", "feat: add t02"]


def test_tabs_of_an_agent_are_blanks(
    based: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_in(based, "first")
    monkeypatch.setenv("SMARTCOMMIT_AGENT", str(Agent(tmp_path, 'print("a\\tb"); sys.exit(1)').path))
    assert main(["execute", "run", "--attempts", "1"]) == 1
    assert "  | a       b\n" in (shown := capsys.readouterr().out)
    assert "  failed: a       b\n" in shown


def test_status_tells_of_a_run_that_is_under_way(based: Repo, tmp_path: Path) -> None:
    plan_in(based, "first", "second")
    command = " ".join(f"'{word}'" for word in (*COMMAND, "status"))
    agent = Agent(tmp_path, f'{WORKS}\nif task == "t02": os.system("""{command} > ../status""")')
    assert main(["execute", "run", "--agent", str(agent.path)]) == 0
    lines = (based.path / "../status").read_text().splitlines()
    assert lines[0] == f"this working tree is locked by process {os.getpid()}"
    assert lines[1].endswith("-plan': 1/2 tasks completed")
    assert lines[2] == "task t02 second, attempt 1: agent running"


def test_durations_are_short() -> None:
    assert [format_duration(seconds) for seconds in (0, 59.9, 61, 3600, 360_000)] == [
        "0:00",
        "0:59",
        "1:01",
        "1:00:00",
        "100:00:00",
    ]
