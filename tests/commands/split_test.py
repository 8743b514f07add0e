"""`smartcommit split` and `git smart-commit`: options, statuses, what is printed and what is asked."""

import errno
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.git.repo import Repository
from smartcommit.split.outcome import (
    CANCELLED,
    DONE,
    GIT_FAILED,
    MODEL_FAILED,
    NOTHING,
    USAGE,
    SplitResult,
    print_result,
)
from smartcommit.terminal import Terminal
from tests.support import model_server as server
from tests.support.installation import Installation
from tests.support.model_server import serve
from tests.support.processes import gone, patience
from tests.support.repository import Repo
from tests.support.situations_split import FORTY, HOSTILE_NAMES, SITUATIONS, edited
from tests.support.splits import FINALIZE
from tests.support.splitting import assert_sound, head_of, split, status_of
from tests.support.table import rows
from tests.support.tty import person, run_on_terminal

# The environment in which a terminal shows the panes.
PANES = {"SMARTCOMMIT_REVIEW": "auto", "TERM": "xterm-256color"}


def smart_commit(where: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What becomes of `git smart-commit ARGUMENTS`, in this process and without a terminal."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.chdir(where)
        patched.setattr(Terminal, "open", lambda: None)
        for name, value in variables.items():
            patched.setenv(name, value)
        status = git_smart_commit(arguments)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def reviewed(installation: Installation, repo: Repo, answers: str, *options: str) -> str:
    """What a person who gives `answers` is shown of a split that is carried out."""
    command = [installation.script("git-smart-commit"), *options]
    shown, status = run_on_terminal(command, cwd=repo.path, answers=answers)
    assert status == DONE, shown
    assert_sound(repo)
    return shown


@contextmanager
def unchanged(repo: Repo) -> Iterator[None]:
    """What happens within leaves HEAD, the index and the objects as they were, and nothing of a split behind."""
    before, objects = repo.state(), repo.git("count-objects", "-v")
    yield
    assert (repo.state(), repo.git("count-objects", "-v")) == (before, objects)
    assert not list((repo.path / ".git/smartcommit").glob("split/*"))


@pytest.fixture
def messy(based: Repo) -> Repo:
    """Changes for several commits: source and its test, documentation, a workflow."""
    based.write("src/app/login.py", "def login(user):\n    return user\n")
    based.write("tests/app/login_test.py", "from app.login import login\n\n\ndef test_login():\n    assert login(1)\n")
    based.write("docs/guide.md", "# Guide\n\nRead the manual first.\n")
    based.write(".github/workflows/ci.yml", "on: push\njobs: {}\n")
    return based


def test_yes_makes_the_commits_and_says_how_to_undo(messy: Repo) -> None:
    old = head_of(messy)
    done = smart_commit(messy.path, "--yes")
    assert done.returncode == DONE
    assert status_of(messy) == ""
    subjects = messy.subjects(f"{old}..HEAD")
    assert len(subjects) > 1
    assert [line.partition(" ")[2] for line in done.stdout.splitlines()[: len(subjects)]] == subjects
    first, made = head_of(messy)[:10], []
    messy.write("docs/guide.md", "another\n")
    assert smart_commit(messy.path, "--yes").returncode == DONE
    for line in smart_commit(messy.path, "undo", "--list").stdout.splitlines():
        made.append(line.partition("  ")[2])
    assert made == [f"main: {first} -> {head_of(messy)[:10]}", f"main: {old[:10]} -> {first}"]
    for after in (first, old[:10]):
        undone = smart_commit(messy.path, "undo")
        assert (undone.returncode, head_of(messy)[:10]) == (DONE, after)
    assert smart_commit(messy.path, "undo", "--list").stdout == ""


def test_a_dry_run_shows_the_refs_and_leaves_no_object(messy: Repo) -> None:
    with unchanged(messy):
        done = smart_commit(messy.path, "--dry-run", "--yes")
    assert done.returncode == DONE
    told, _, new = done.stdout.splitlines()[-1].rpartition(" ")
    assert told == f"nothing was changed; --yes would move HEAD from {head_of(messy)} to"
    assert messy.run("cat-file", "-e", new).returncode != 0
    assert smart_commit(messy.path, "--yes", "--quiet").stdout == ""
    assert head_of(messy) == new


def test_json_is_all_that_is_printed_and_changes_nothing(messy: Repo) -> None:
    for name in HOSTILE_NAMES:
        messy.write(name, "x\n")
    before = messy.state()
    done = smart_commit(messy.path, "--json")
    plan = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (DONE, "")
    assert (plan["version"], plan["base"]) == (1, head_of(messy))
    units = [unit["id"] for commit in plan["commits"] for unit in commit["units"]]
    assert len(units) == len(set(units)) == 4 + len(HOSTILE_NAMES)
    assert messy.state() == before
    made = json.loads(smart_commit(messy.path, "--json", "--yes").stdout)
    assert [c["oid"] for c in made["commits"]] == messy.git("rev-list", "--reverse", f"{plan['base']}..HEAD").split()
    assert [c["message"] for c in made["commits"]] == [messy.message(c["oid"])[:-1] for c in made["commits"]]
    assert made["target"] == messy.git("rev-parse", "HEAD^{tree}").strip()


def test_what_cannot_be_complained_of_leaves_stdout_alone() -> None:
    def full(text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    out, printed = os.fstat(sys.stdout.fileno()), SplitResult(NOTHING, ["nothing"], done="the commits were created")
    with pytest.raises(OSError, match="No space left"):
        print_result(printed, str, full, as_json=True)
    assert os.path.samestat(os.fstat(sys.stdout.fileno()), out)


TICKET = "ticket = ABC-[0-9]+"
NO_MODEL = {"SMARTCOMMIT_MODEL": "named", "SMARTCOMMIT_API_BASE": "http://127.0.0.1:1"}
NOBODY = {"GIT_CONFIG_PARAMETERS": "'user.useConfigOnly=true'", "GIT_AUTHOR_NAME": "", "GIT_AUTHOR_EMAIL": "",
          "GIT_COMMITTER_EMAIL": ""}  # fmt: skip
NO_KEY = {"GIT_CONFIG_PARAMETERS": "'commit.gpgSign=true' 'gpg.program=false'"}
REFUSED = (
    ("--nonsense", {}, "", USAGE, "Usage:"),
    ("--strategy odd", {}, "", USAGE, "Usage:"),
    ("--count 0", {}, "", USAGE, "Usage:"),
    ("--engine model", {}, "", USAGE, "no model configured"),
    ("--yes --run-hooks pre-commit", {}, "", USAGE, "'pre-commit' is not one of prepare-commit-msg, commit-msg"),
    ("--yes", {}, "summaryLimit = many", USAGE, "summaryLimit"),
    ("--ticket XY-1", {}, TICKET, USAGE, "'XY-1' does not match 'ABC-[0-9]+'"),
    ("--yes", {}, TICKET, GIT_FAILED, "'--ticket ID'"),
    ("--yes", NOBODY, "", GIT_FAILED, "user.email"),
    ("--yes", NO_KEY, "", GIT_FAILED, "smartcommit: cannot sign 'feat: add login': "),
    ("--engine model", NO_MODEL, "", MODEL_FAILED, "connection refused"),
    ("--yes --save-plan empty/plan", {}, "", GIT_FAILED, "empty/plan"),
    ("--yes --plan gone", {}, "", USAGE, "'gone' does not exist"),
    ("--yes --plan .", {}, "", USAGE, "'.' is a directory"),
    ("--yes --save-plan .", {}, "", USAGE, "'.' is a directory"),
    ("--yes --plan empty", {}, "", GIT_FAILED, "not a split plan"),
    ("--yes --plan list", {}, "", GIT_FAILED, "not a split plan"),
    ("--yes --plan bytes", {}, "", GIT_FAILED, "not a split plan"),
    ("--yes --plan unmentioned", {}, "", GIT_FAILED, "smartcommit: the message ''"),
    ("--yes --plan returning", {}, "", GIT_FAILED, "add it\\x0dfix"),
)


@rows(("line", "variables", "policy", "status", "said"), *REFUSED)
def test_what_is_refused_is_explained_and_changes_nothing(
    messy: Repo, tmp_path: Path, line: str, variables: dict[str, str], policy: str, status: int, said: str
) -> None:
    messy.write(".smartcommit", f"[smartcommit]\n\t{policy or 'style = no-body'}\n")
    plan = {"version": 1, **json.loads(smart_commit(messy.path, "--json").stdout or "{}")}
    for name, message in {"unmentioned": "", "returning": "feat: add it\rfix: another one\n"}.items():
        plan["commits"] = [{**commit, "message": message} for commit in plan.get("commits", [])]
        (tmp_path / name).write_text(json.dumps(plan))
    for name, content in {"empty": b"", "list": b"[]", "bytes": b"\xff"}.items():
        (tmp_path / name).write_bytes(content)
    with unchanged(messy):
        done = smart_commit(tmp_path, "--repo", str(messy.path), *line.split(), **variables)
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert said in done.stderr
    assert not re.search("\r|Traceback", done.stderr)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_nothing_to_split_has_a_status_of_its_own(based: Repo, form: tuple[str]) -> None:
    done = smart_commit(based.path, "--yes", *form)
    assert (done.returncode, "nothing to commit" in done.stderr) == (NOTHING, bool(form))


def test_as_many_commits_are_made_as_are_asked_for(messy: Repo) -> None:
    assert "change stays together: one commit" in smart_commit(messy.path, "--count", "1").stdout
    for count in (1, 3, 9):
        done = smart_commit(messy.path, "--yes", "--count", str(count))
        assert (done.returncode, len(messy.subjects())) == (DONE, 1 + min(count, 4))
        assert ("one commit: the change stays together" in done.stdout) == (count == 1)
        assert smart_commit(messy.path, "undo").returncode == DONE


@pytest.mark.parametrize(
    ("env", "answer", "status"),
    [
        ({}, "y\n", DONE),
        ({}, "n\n", CANCELLED),
        ({}, "\nq\n", CANCELLED),
        ({}, "\x04", CANCELLED),
        ({"SMARTCOMMIT_REVIEW": "auto", "TERM": "dumb"}, "q\n", CANCELLED),
        ({"SMARTCOMMIT_REVIEW": "text", "TERM": "xterm-256color"}, "yes\n", DONE),
        # Without the extra.
        ({**PANES, "PYTHONPATH": "{folder}"}, "q\n", CANCELLED),
    ],
    ids=str,
)
def test_on_a_terminal_the_plan_is_shown_and_the_answer_decides(
    installation: Installation, messy: Repo, tmp_path: Path, env: dict[str, str], answer: str, status: int
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\n\nsys.modules['textual'] = None\n")
    env = {name: value.format(folder=tmp_path) for name, value in env.items()}
    before, command = messy.state(), [installation.script("git-smart-commit")]
    shown, ended = run_on_terminal(command, cwd=messy.path, answers=answer, env=env)
    assert ended == status, shown
    assert "docs/guide.md" in shown
    assert "create these commits?" in shown
    assert (messy.state() == before) == (status == CANCELLED)
    assert "Traceback" not in shown
    assert_sound(messy)


def test_nobody_is_asked_in_a_dry_run(installation: Installation, messy: Repo) -> None:
    command = [installation.script("git-smart-commit"), "--dry-run"]
    shown, status = run_on_terminal(command, cwd=messy.path, answers="\x04")
    assert (status, "create these commits?" in shown) == (DONE, False), shown


@pytest.mark.parametrize("place", ["nowhere", "bare"])
def test_without_a_working_tree_the_reason_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "nowhere").mkdir()
    Repo.init(tmp_path / "bare", "--bare")
    done = smart_commit(tmp_path / place, "--yes")
    assert done.returncode == GIT_FAILED
    assert done.stderr.startswith("smartcommit: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["{repo}/docs", "repo", "repo/docs", "link", "link/.."])
def test_another_repository_can_be_named(messy: Repo, tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("repo/docs")
    named = name.format(repo=messy.path)
    done = smart_commit(tmp_path, "--yes", "--repo", named)
    assert (done.returncode, status_of(messy)) == (DONE, ""), done.stderr
    assert smart_commit(tmp_path, "undo", "--repo", named).returncode == DONE


def test_the_commits_are_made_as_they_were_reviewed(installation: Installation, messy: Repo, tmp_path: Path) -> None:
    old, plan = head_of(messy), tmp_path / "plan.json"
    answers = "m 1 2\no 1 3\ns 1 docs: say first\ns 2 feat: say second\ns 3 chore: say last\ny\n"
    reviewed(installation, messy, answers, "--strategy", "file", "--save-plan", str(plan))
    subjects = ["docs: say first", "feat: say second", "chore: say last"]
    assert messy.subjects(f"{old}..HEAD") == subjects
    assert [commit["message"].split("\n")[0] for commit in json.loads(plan.read_text())["commits"]] == subjects
    assert status_of(messy) == ""


def test_a_reviewed_plan_that_cannot_be_applied_is_saved(installation: Installation, messy: Repo) -> None:
    old = head_of(messy)
    hook = messy.write(".git/hooks/reference-transaction", "#!/bin/sh\nexit 1\n", executable=True)
    command = [installation.script("git-smart-commit"), "--strategy", "file"]
    shown, status = run_on_terminal(command, cwd=messy.path, answers="m 1 2\ns 1 docs: say first\ny\n")
    assert (status, head_of(messy)) == (GIT_FAILED, old), shown
    hook.unlink()
    plan = str(messy.path / ".git/smartcommit/reviewed-plan.json")
    assert f"git smart-commit --plan {plan}" in shown.replace("\r\n", "")
    assert smart_commit(messy.path, "--plan", plan, "--yes").returncode == DONE
    assert "docs: say first" in messy.subjects(f"{old}..HEAD")
    assert_sound(messy)


def test_a_hunk_cut_in_a_review_is_committed_in_parts(installation: Installation, based: Repo, tmp_path: Path) -> None:
    based.commit("chore: two", {"two.txt": "top\n"})
    based.write("two.txt", "top\none\n\ntwo\n")
    old, plan = head_of(based), tmp_path / "plan.json"
    answers = "cut 1.1 0 2\nmo 1.2 new\ns 1 feat: say one\ns 2 feat: say two\ny\n"
    reviewed(installation, based, answers, "--save-plan", str(plan))
    assert based.subjects(f"{old}..HEAD") == ["feat: say one", "feat: say two"]
    assert based.git("show", "HEAD~:two.txt") == "top\none\n\n"
    assert smart_commit(based.path, "undo").returncode == DONE
    assert smart_commit(based.path, "--plan", str(plan), "--yes").returncode == DONE
    assert based.git("show", "HEAD~:two.txt") == "top\none\n\n"
    assert status_of(based) == ""


def test_what_is_deleted_in_a_review_stays_as_it_was(installation: Installation, messy: Repo) -> None:
    messy.commit("chore: two", {"two.txt": "x\n" * 20})
    messy.write("two.txt", "first\n" + "x\n" * 20 + "last\n")
    messy.git("add", "docs/guide.md")
    old = head_of(messy)
    # The untracked workflow stays with the staged guide and one of two edits.
    answers = "m 1 2\nm 1 2\nm 1 2\nm 1 2\ns 1 chore: say all\nmo 1.1 1.2 1.5 0\ny\n"
    reviewed(installation, messy, answers, "--strategy", "file")
    assert messy.subjects(f"{old}..HEAD") == ["chore: say all"]
    assert messy.git("show", "HEAD:two.txt") == "x\n" * 20 + "last\n"
    assert messy.path.joinpath("two.txt").read_text() == "first\n" + "x\n" * 20 + "last\n"
    assert status_of(messy) == "A  docs/guide.md\0 M two.txt\0?? .github/workflows/ci.yml\0"


def test_a_message_that_breaks_the_policy_can_be_mended_in_a_plan(messy: Repo, tmp_path: Path) -> None:
    messy.write(".smartcommit", "[smartcommit]\n\tticket = ABC-[0-9]+\n")
    file = tmp_path / "plan.json"
    done = smart_commit(messy.path, "--count", "1", "--save-plan", str(file))
    assert done.returncode == GIT_FAILED, done
    printed = smart_commit(messy.path, "--count", "1", "--json")
    assert (printed.returncode, printed.stdout) == (DONE, file.read_text())
    plan = json.loads(printed.stdout)
    plan["commits"][0]["message"] = "feat: add all of ABC-1\n"
    file.write_text(json.dumps(plan))
    assert smart_commit(messy.path, "--plan", str(file), "--yes").returncode == DONE
    assert messy.subjects()[-1] == "feat: add all of ABC-1"


def test_the_messages_of_a_split_have_the_style_of_the_project(messy: Repo) -> None:
    style = "summaryCase = upper-first\n\tfullStop = require\n\tscope = forbid\n\theaderLimit = 40"
    base = messy.commit("chore: Agree on rules.", {".smartcommit": f"[smartcommit]\n\t{style}\n"})
    done = smart_commit(messy.path, "--yes")
    assert done.returncode == DONE, done
    subjects = messy.git("log", "--format=%s", f"{base}..HEAD").splitlines()
    assert len(subjects) > 1
    for subject in subjects:
        summary = subject.partition(": ")[2]
        assert summary[0].isupper()
        assert subject.endswith(".")
        assert "(" not in subject
        assert len(subject) <= 40


@pytest.mark.parametrize(
    ("policy", "options", "branch", "added"),
    [
        ("ticket = ABC-[0-9]+", ["--ticket", "ABC-7"], "main", "Refs: ABC-7\n"),
        ("ticket = ABC-[0-9]+", [], "abc-8-login", "Refs: ABC-8\n"),
        ("ticket = ^Closes: #[0-9]+$", ["--ticket", "#9"], "12-login", "Closes: #9\n"),
        ("summaryLimit = 72", ["--ticket", "T9"], "main", "Refs: T9\n"),
        ("signOff = require", [], "main", "Signed-off-by: Cora Committer <cora@example.invalid>\n"),
        ("summaryLimit = 72", ["--signoff"], "main", "Signed-off-by: Cora Committer <cora@example.invalid>\n"),
        ("ticket = A-1\n\tsignOff = require", ["--ticket", "A-1", "-s"], "main",
         "Refs: A-1\nSigned-off-by: Cora Committer <cora@example.invalid>\n"),
    ],
)  # fmt: skip
def test_what_every_commit_needs_is_in_every_commit_of_a_split(
    installation: Installation, messy: Repo, policy: str, options: list[str], branch: str, added: str
) -> None:
    base = messy.commit("chore: agree on rules", {".smartcommit": f"[smartcommit]\n\t{policy}\n"})
    messy.git("checkout", "-q", "-B", branch)
    done = smart_commit(messy.path, "--yes", *options)
    assert done.returncode == DONE, done
    messages = messy.git("log", "-z", "--format=%B", f"{base}..HEAD").split("\0")[:-1]
    assert len(messages) > 1
    for message in messages:
        assert message.endswith(f"\n\n{added}")
        assert message.count(added) == 1
    subprocess.run([installation.script("smartcommit"), "check", "--range", f"{base}.."], cwd=messy.path, check=True)


def test_on_a_terminal_the_ticket_is_asked_for(installation: Installation, messy: Repo) -> None:
    messy.write(".smartcommit", "[smartcommit]\n\tticket = ABC-[0-9]+\n")
    shown = reviewed(installation, messy, "ABC-3\ny\n", "--count", "1", "--json")
    assert json.loads(shown)["commits"], "nobody is asked"
    shown = reviewed(installation, messy, "ABC-3\ny\n", "--count", "1")
    assert "ticket of these commits, which matches 'ABC-[0-9]+': " in shown
    assert messy.message().endswith("\n\nRefs: ABC-3\n\n")


def test_a_plan_for_what_is_staged_needs_no_option_and_no_other_takes_it(messy: Repo, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    messy.git("add", "docs")
    smart_commit(messy.path, "--save-plan", str(file))
    before = messy.state()
    done = smart_commit(messy.path, "--staged", "--plan", str(file), "--yes")
    assert (done.returncode, done.stderr) == (
        GIT_FAILED,
        "smartcommit: the plan covers all changes, not only staged ones\nhint: run again without '--staged'\n",
    )
    assert messy.state() == before
    smart_commit(messy.path, "--staged", "--save-plan", str(file))
    assert smart_commit(messy.path, "--plan", str(file), "--yes").returncode == DONE
    assert messy.git("show", "--format=", "--name-only", "HEAD") == "docs/guide.md\n"
    assert "?? src/app/login.py\0" in status_of(messy)


@pytest.mark.parametrize("streams", ["", "< /dev/null > /dev/null 2>&1"], ids=["its streams", "no streams"])
def test_the_panes_are_on_the_terminal_not_the_streams(installation: Installation, messy: Repo, streams: str) -> None:
    command = ["sh", "-c", f"{installation.script('git-smart-commit')} --count 1 {streams}; stty -a"]
    editor = messy.editor("echo 'feat: add all at once' > \"$1\"; test -t 0 && test -t 1")
    shown, _ = run_on_terminal(command, cwd=messy.path, answers="Ey", env={**PANES, "GIT_EDITOR": editor})
    assert messy.subjects()[1:] == ["feat: add all at once"], shown
    assert "\x1b[?1049h" in shown
    after = shown.rpartition("\x1b[?1049l")[2]
    assert "\x1b[?1049h" not in after
    # The result goes where the streams go.
    assert ("feat: add all at once" in after) == (not streams)
    assert " icanon" in after


# To the first hunk, to another commit, to a new one, and agree.
KEYS = b"ngny"


@pytest.mark.parametrize("columns", [50, 80])
def test_hunks_are_moved_in_the_panes_of_any_width(installation: Installation, messy: Repo, columns: int) -> None:
    messy.write("src/a\x1b]0;x\x07\u202e.py", "x = 1  # \x1b]0;x\x07\u202e\n")
    shown, status = run_on_terminal(
        [installation.script("git-smart-commit"), "--count", "1"],
        cwd=messy.path,
        env=PANES,
        columns=columns,
        shown_then=(" keys", lambda terminal: os.write(terminal, KEYS)),
    )
    assert status == DONE, shown
    assert messy.git("diff-tree", "-r", "--name-only", "HEAD^", "HEAD").split() == [".github/workflows/ci.yml"]
    assert status_of(messy) == ""
    assert "? keys" in re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert not re.search("\u202e|\x1b]0", shown)


def test_a_signal_in_the_panes_gives_the_terminal_back(installation: Installation, messy: Repo) -> None:
    script = installation.script("git-smart-commit")
    with unchanged(messy):
        shown, _ = run_on_terminal(
            ["sh", "-c", f"trap : HUP; {script}; echo status=$?.; stty -a"],
            cwd=messy.path,
            env=PANES,
            shown_then=("1. feat", lambda terminal: os.killpg(os.tcgetpgrp(terminal), signal.SIGHUP)),
        )
    screen, _, after = shown.partition(f"status={128 + signal.SIGHUP}.")
    assert after, shown
    assert screen.rindex("\x1b[?1049l") > screen.rindex("\x1b[?1049h")
    assert screen.rindex("\x1b[?1000l") > screen.rindex("\x1b[?1000h")
    assert (" icanon" in after, " echo " in after, "Traceback" in shown) == (True, True, False)


def test_the_panes_end_when_their_terminal_is_closed(installation: Installation, messy: Repo) -> None:
    before, script = messy.state(), installation.script("git-smart-commit")
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.chdir(messy.path)
            os.execvpe(script, [script], {**os.environ, **PANES})
        finally:
            os._exit(127)
    shown = b""
    while b"1. feat" not in shown:
        shown += os.read(terminal, 4096)
    os.close(terminal)
    ended, _, _ = select.select([os.pidfd_open(pid)], [], [], 60)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert ended
    assert messy.state() == before
    assert smart_commit(messy.path, "--yes").returncode == DONE
    assert len(list((messy.path / ".git/smartcommit").glob("split/*/"))) == 1


def test_the_panes_come_back_after_an_editor_that_fails(installation: Installation, messy: Repo) -> None:
    env = {**PANES, "GIT_EDITOR": "false"}
    shown, status = run_on_terminal([installation.script("git-smart-commit")], cwd=messy.path, answers="Eq", env=env)
    assert status == CANCELLED
    assert [shown.count(f"\x1b[?1049{mode}") for mode in "hl"] == [2, 2]


def test_it_takes_a_constant_number_of_git_processes(based: Repo, tmp_path: Path) -> None:
    counted = []
    for files in (3, 300):
        for number in range(files):
            based.write(f"d{number}/{files}.txt", f"{number}\n")
        trace = tmp_path / f"trace-{files}"
        traced = {"GIT_TRACE2_EVENT": str(trace), "GIT_TRACE2_EVENT_NESTING": "1"}
        done = smart_commit(based.path, "--yes", "--strategy", "file", **traced)
        assert done.returncode == DONE, done.stderr
        assert status_of(based) == ""
        counted.append(trace.read_text().count('"event":"start"'))
    assert counted[0] == counted[1] <= 21
    assert len(based.subjects()) == 304


def test_author_committer_and_encoding_are_as_git_records_them(messy: Repo) -> None:
    messy.git("config", "i18n.commitEncoding", "ISO-8859-1")
    messy.write("src/café/naïve.py", "def naïve():\n    pass\n")
    author = {"GIT_AUTHOR_NAME": "Zoë Ünal", "GIT_AUTHOR_DATE": "2026-02-03T04:05:06+0530"}
    smart_commit(messy.path, "--yes", **author)
    messy.write("base.txt", "edit\n")
    messy.git("commit", "-q", "-a", "-m", "chore: by git", env=author)

    def recorded(commit: str) -> list[bytes]:
        headers = messy.run("cat-file", "commit", commit).stdout.partition(b"\n\n")[0].split(b"\n")
        return [line for line in headers if not line.startswith((b"tree", b"parent"))]

    assert recorded("HEAD~") == recorded("HEAD")


def test_a_plan_of_an_editor_of_windows_is_carried_out(messy: Repo, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    assert smart_commit(messy.path, "--save-plan", str(file), "--json").returncode == DONE
    plan = json.loads(file.read_text())
    plan["commits"][0]["message"] = "feat: add it\r\n\r\nBecause of this. \r\n\r\n"
    file.write_text(json.dumps(plan, indent=2), encoding="utf-8-sig", newline="\r\n")
    shown = smart_commit(messy.path, "--plan", str(file), "--dry-run").stdout
    assert smart_commit(messy.path, "--plan", str(file), "--yes").returncode == DONE
    assert f" to {head_of(messy)}\n" in shown
    first = messy.git("rev-list", "--reverse", f"{plan['base']}..HEAD").split()[0]
    assert messy.git("cat-file", "commit", first).partition("\n\n")[2] == "feat: add it\n\nBecause of this.\n"


def test_a_written_plan_can_leave_hunks_uncommitted(based: Repo, tmp_path: Path) -> None:
    SITUATIONS["two_far_hunks"](based)
    file = tmp_path / "plan.json"
    smart_commit(based.path, "--strategy", "hunk", "--save-plan", str(file))
    plan = json.loads(file.read_text())
    file.write_text(json.dumps({**plan, "commits": plan["commits"][:1], "skipped": plan["commits"][1]["units"]}))
    done = smart_commit(based.path, "--plan", str(file))
    assert "part of the change becomes 1 commit\n" in done.stdout
    assert "skipped: a.txt::2\n" in done.stdout
    assert smart_commit(based.path, "--plan", str(file), "--yes").returncode == DONE
    assert based.git("show", "HEAD:a.txt") == edited(FORTY, 3)
    assert status_of(based) == " M a.txt\0"


def test_what_was_staged_only_is_named_and_can_be_had_again(messy: Repo) -> None:
    messy.stage({"base.txt": "precious\n"})
    messy.write("base.txt", messy.git("show", "HEAD:base.txt"))
    messy.stage({"gone.txt": "precious\n"})
    messy.path.joinpath("gone.txt").unlink()
    before = messy.state()
    done = smart_commit(messy.path, "--yes")
    assert "staged content replaced by the working tree's: base.txt, gone.txt\n" in done.stdout
    assert status_of(messy) == ""
    assert smart_commit(messy.path, "undo").returncode == DONE
    assert messy.state() == before


def test_what_is_removed_from_the_index_alone_is_not_called_left_out(messy: Repo, tmp_path: Path) -> None:
    messy.git("rm", "-q", "--cached", "base.txt")
    file = tmp_path / "plan.json"
    shown = smart_commit(messy.path, "--strategy", "file", "--save-plan", str(file)).stdout
    plan = json.loads(file.read_text())
    *commits, last = plan["commits"]
    file.write_text(json.dumps({**plan, "commits": commits, "skipped": last["units"]}))
    done = smart_commit(messy.path, "--plan", str(file), "--yes")
    assert (done.returncode, plan["left_out"]) == (DONE, [])
    assert "not included" not in shown + done.stdout
    assert "D  base.txt\0" in status_of(messy)
    assert "?? base.txt\0" in status_of(messy)


def test_an_interrupt_at_the_question_changes_nothing(messy: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(terminal: Terminal, question: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Terminal, "ask", interrupt)
    messy.git("config", "smartcommit.review", "text")
    with unchanged(messy), person("") as somebody, pytest.raises(KeyboardInterrupt):
        split(Repository.find(str(messy.path)), staged=False, yes=False, terminal=somebody.terminal, out=print)


def test_the_model_that_the_settings_name_splits(messy: Repo) -> None:
    hunks = ["src/app/login.py::1", "tests/app/login_test.py::1", "docs/guide.md::1", ".github/workflows/ci.yml::1"]
    commit = {"type": "feat", "summary": "log users in", "hunks": hunks}
    with serve("ollama", server.calls(("emit_commit", {"commit": commit})), FINALIZE) as model:
        named = {"SMARTCOMMIT_MODEL": "named", "SMARTCOMMIT_API_BASE": model.base}
        done = smart_commit(messy.path, "--yes", "--engine", "model", **named)
        assert (done.returncode, messy.subjects()[1:]) == (DONE, ["feat: log users in"]), done.stderr
        assert model.questions[0].payload["model"] == "named"
        assert "[1/20] emit_commit(" in done.stderr
        shown = smart_commit(messy.path, "--show-prompt", "--engine", "model", **named)
        assert (shown.returncode, len(model.questions)) == (NOTHING, 2)


def test_a_signal_during_a_check_leaves_nothing(installation: Installation, messy: Repo, tmp_path: Path) -> None:
    started, temporary = tmp_path / "started", tmp_path / "temporary"
    os.mkfifo(started)
    temporary.mkdir()
    command = [installation.script("git-smart-commit"), "--yes", "--exec", f"echo $$ > '{started}'; exec sleep 600"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with unchanged(messy), subprocess.Popen(command, cwd=messy.path, env=environment, start_new_session=True) as run:
        check = int(started.read_text())
        run.send_signal(signal.SIGTERM)
        ended = run.wait(60)
    try:
        assert any(gone(check) for _ in patience())
    finally:
        with suppress(ProcessLookupError):
            os.kill(check, signal.SIGKILL)
    assert (ended, list(temporary.iterdir())) == (128 + signal.SIGTERM, [])


def test_sigint_while_a_model_works_keeps_its_plan_and_is_4(installation: Installation, messy: Repo) -> None:
    before = messy.state()
    running: list[subprocess.Popen[str]] = []

    def interrupt(handler: server.Handler) -> None:
        running[0].send_signal(signal.SIGINT)
        server.hangs(handler)

    commit = {"type": "docs", "summary": "tell of it", "hunks": ["docs/guide.md::1"]}
    with serve("openai", server.calls(("emit_commit", {"commit": commit})), interrupt) as model:
        running.append(
            subprocess.Popen(
                [installation.script("git-smart-commit"), "--yes"], cwd=messy.path,
                env={**os.environ, **model.environment()}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, start_new_session=True,
            )
        )  # fmt: skip
        _, complained = running[0].communicate(timeout=60)
    assert (running[0].returncode, messy.state()) == (CANCELLED, before), complained
    kept = messy.path / ".git/smartcommit/partial-plan.json"
    assert f"--plan {kept}' to apply it" in complained
    assert smart_commit(messy.path, "--yes", "--plan", str(kept)).returncode == DONE
    assert messy.subjects()[1:] == ["docs: tell of it"]
    assert "docs" not in status_of(messy)
