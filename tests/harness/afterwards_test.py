"""What is seen after commands, told once, and mended; what git does by itself is no finding."""

import io
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from smartcommit import file_lock, receipts, state_files
from smartcommit.cli import main
from smartcommit.errors import LockedError, SmartcommitError
from smartcommit.git.query import locate
from smartcommit.git.repo import Repository
from smartcommit.harness import hook
from smartcommit.session import findings
from tests.harness import situation
from tests.harness.situation import ROWS, SESSION
from tests.support.repository import Repo
from tests.support.table import rows

WITHOUT = "committed without the commit-msg hook"
BY_ANYBODY = "lines of others were committed since the command began, and nothing says that an agent did it"
CHECKED = "git commit -qm 'feat: x' -- own.py"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return situation.build(tmp_path_factory.mktemp("shared"), alone=False)


@pytest.fixture
def repo(shared: Repo, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A copy of the situation, in which a person works too."""
    return situation.copy(shared, tmp_path_factory.mktemp("repo") / "copy")


def test_git_itself_is_no_finding(shared: Repo, tmp_path_factory: pytest.TempPathFactory, installation: object) -> None:
    told = {}
    for name, command in ROWS["operations"].items():
        repo = situation.copy(shared, tmp_path_factory.mktemp("operation") / "copy")
        repo.git("stash", "-q", "-u")
        situation.see(repo)
        state = repo.git("for-each-ref"), repo.git("reflog")
        situation.run(repo, command, {"PATH": f"{installation.bin}:{os.environ['PATH']}"})  # type: ignore[attr-defined]
        assert (repo.git("for-each-ref"), repo.git("reflog")) != state or name == "stash", name
        told[name] = situation.see(repo)
    assert {name: text for name, text in told.items() if text} == {}


def run_and_see(repo: Repo, command: str) -> str:
    situation.run(repo, command)
    return situation.see(repo)


def test_a_commit_of_before_may_come_back(repo: Repo) -> None:
    # Git's logs count in seconds, and only the time tells what was there before the last look.
    time.sleep(1.1)
    assert WITHOUT not in run_and_see(repo, "git branch -q -D start checked; git stash -qu; git reset -q --hard HEAD~1")
    assert run_and_see(repo, "git reset -q --hard ORIG_HEAD") == ""
    assert repo.subjects("HEAD")[-1] == "feat: base"


def test_a_file_that_is_moved_has_its_lines(repo: Repo) -> None:
    assert run_and_see(repo, "mv notes.txt moved.txt") == ""


def test_a_finding_is_told_once_with_what_mends_it(inside: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    told = run_and_see(inside, "sh -c 'git commit --no-verify -qm x -- own.py'")
    commit = inside.git("rev-parse", "HEAD")[:10]
    assert told.splitlines() == [f"{WITHOUT}: {commit} 'x'", "next: git commit --amend --no-edit"]
    assert situation.see(inside) == ""
    assert main(["agents", "status"]) == 0
    assert WITHOUT in capsys.readouterr().out
    assert main(["agents", "status", "--json"]) == 0
    assert [found["next"] for found in json.loads(capsys.readouterr().out)["findings"]] == [
        "git commit --amend --no-edit"
    ]
    assert run_and_see(inside, "git commit --amend --no-edit -q") == "", "it passed the hook"
    assert "Checked: yes" in inside.message()
    capsys.readouterr()
    assert main(["agents", "status"]) == 0
    assert WITHOUT not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        # Each of these has a receipt that is not for it.
        (f"{CHECKED}; git commit -q --amend -n -m 'feat: z'", f"{WITHOUT}: "),
        (f"{CHECKED}; echo z > base.py; git commit -qn --amend --no-edit base.py", WITHOUT),
        (f"{CHECKED}; git branch b $(git commit-tree HEAD^{{tree}} -p HEAD~2 -m 'feat: x')", WITHOUT),
        (f"{CHECKED}; git branch b $(git log -1 --format=%B | git commit-tree HEAD^{{tree}} -p topic)", WITHOUT),
        ("git switch -qc t; git commit -qnm x -- own.py; git switch -q main", WITHOUT),
        ("git switch -q topic; git commit -qn --allow-empty -m x; git switch -q main", WITHOUT),
        ("git switch -q --detach; git commit -qn --allow-empty -m x; git branch -f topic; git switch -q main", WITHOUT),
        ("git commit -qnm x -- own.py; git branch b; git reset -q --soft HEAD~1", WITHOUT),
        ("GIT_COMMITTER_DATE='1700000000 +0000' git commit -qnm x -- own.py", WITHOUT),
        # A remote and a fetch have it since.
        (
            "git commit -qnm x -- own.py; git push -q origin HEAD:refs/heads/pushed",
            "'x'\nnext: smartcommit check --range ",
        ),
        ("git commit -qnm x -- own.py; git fetch -q .", "'x'\nnext: smartcommit check --range "),
        ("git commit -qnm x -- own.py; git update-ref refs/remotes/origin/x HEAD; git commit -q --amend -nm z", "'z'"),
        # A file is written without git, where references are files.
        (
            "new=$(git commit-tree HEAD^{tree} -p HEAD -m x); "
            "if test -d .git/refs/heads; then echo $new > .git/refs/heads/topic; else git branch -f topic $new; fi",
            WITHOUT,
        ),
        ("for i in 1 2; do git commit -qn --allow-empty -m $i; done", "next: smartcommit check --range "),
        ("git config core.hooksPath /nowhere", "next: git config --unset core.hooksPath"),
        ("git config --global core.hooksPath /nowhere", "next: smartcommit doctor"),
        ("echo x > .git/hooks/pre-push", "hooks were removed or changed: pre-push\nnext: smartcommit doctor"),
        ("git ls-files -m | xargs git add", "lines of others were staged: app.py, sub/mod.py\nnext: git restore"),
        ("printf 'all:\\n\\tgit commit -qam x\\n' > m; make -f m", "lines of others were committed: app.py"),
        # The hook sees no agent, as if a person had committed meanwhile, who must not lose the commit.
        ("printf 'unset CLAUDECODE; git commit -qam x' > s; sh s", f"{BY_ANYBODY}: app.py, sub/mod.py\nnext: git log "),
        ("E=env; $E -i PATH=$PATH git commit -qam x", f"{BY_ANYBODY}: app.py, sub/mod.py\nnext: git log --stat "),
        (f"{CHECKED}; printf 'unset CLAUDECODE; git commit -qam x' > s; sh s", f"{BY_ANYBODY}: app.py, sub/mod.py"),
        ("G=git; $G checkout -q .", "lines of others are gone from 'app.py'\nnext: smartcommit agents restore 1"),
        ("G=git; $G stash -q", "lines of others are in the stash: app.py, sub/mod.py\nnext: git stash pop stash@{0}"),
        ("G=git; rm notes.txt; $G stash -q", "in the stash: app.py, sub/mod.py\n"),
        ("G=git; rm notes.txt; $G stash -q", "lines of others are gone from 'notes.txt'\n"),
    ],
)
def test_what_is_seen(repo: Repo, command: str, expected: str) -> None:
    told = run_and_see(repo, command)
    assert expected in told
    for line in told.splitlines():
        if line.startswith("next: "):
            assert situation.refuse(repo, line.removeprefix("next: ")) is None


@rows(
    "act",
    "rm .git/hooks/commit-msg",
    "chmod 600 .git/hooks/commit-msg",
    "git config core.hooksPath /nowhere",
    "sed -i '4i exit 0' .git/hooks/commit-msg",
)
def test_our_hook_is_mended_by_what_is_named(act: str, inside: Repo) -> None:
    assert main(["install"]) == 0
    hook_file = inside.path / ".git/hooks/commit-msg"
    content = hook_file.read_bytes()
    situation.see(inside)
    told = run_and_see(inside, act)
    following = told.partition("\nnext: ")[2]
    assert situation.refuse(inside, following) is None
    if following == "smartcommit install":
        following = ":"
    assert situation.refuse(inside, following) is None
    situation.run(inside, following)
    assert main(["install"]) == 0
    assert hook_file.read_bytes() == content
    assert situation.see(inside) == ""
    assert inside.run("config", "core.hooksPath").returncode == 1


def test_a_receipt_that_was_torn_spoils_no_other_and_an_aborted_commit_leaves_none(repo: Repo) -> None:
    place = locate(str(repo.path), with_head=True)
    with open(repo.path / ".git/smartcommit/receipts", "ab") as file:
        file.write(b"\n1234 ")
    for message in (b"feat: x\n", b"\n"):
        receipts.leave(place, message, by_agent=True)
    known = receipts.read(place.common_dir)
    assert [receipt.message for receipt in known] == [b"chore: check\n\n\nChecked: yes", b"feat: x"]


@pytest.mark.parametrize(
    "command",
    [
        "git ls-files -m | xargs git add",
        "G=git; $G stash -q; :",
        "G=git; $G stash -qu",
        "G=git; $G commit -qam 'feat: x'",
    ],
)
def test_the_command_that_is_named_mends_it(repo: Repo, command: str) -> None:
    head, status = repo.git("rev-parse", "HEAD"), repo.git("status", "--porcelain", "-uall")
    last = run_and_see(repo, command).splitlines()[-1]
    situation.run(repo, last.removeprefix("next: "))
    repo.git("add", "own.py")
    assert (repo.git("rev-parse", "HEAD"), repo.git("status", "--porcelain", "-uall")) == (head, status)
    assert not situation.has_swept(repo)


def test_lines_in_the_first_commit_are_taken_out_of_it(based: Repo) -> None:
    repo = Repo.init(based.path / "first")
    repo.write("a", "person\n")
    situation.see(repo, began=time.time_ns())
    told = run_and_see(repo, "echo own > b; G=git; $G add -A; $G commit -qm 'feat: b'")
    following = told.splitlines()[-1].removeprefix("next: ")
    assert situation.refuse(repo, following) is None
    situation.run(repo, following)
    assert repo.git("ls-files", "--others", "--cached", "-t") == "? a\nH b\n"


def restore(repo: Repo, number: int) -> str:
    return findings.restore(Repository.find(str(repo.path)), number)


@pytest.mark.parametrize(
    "command", ["git checkout -q .", "git reset -q --hard", "rm -f app.py notes.txt sub/*", "git clean -qf; : > app.py"]
)
def test_lines_that_vanished_come_back(repo: Repo, command: str) -> None:
    situation.run(repo, command)
    lost = {found.path: found.number for found in read_after(repo) if found.path}
    assert lost
    for path, number in lost.items():
        assert (repo.path / path).exists() is False or "person" not in (repo.path / path).read_text()
        assert restore(repo, number) == path
        assert number not in [found.number for found in findings.list_open(Repository.find(str(repo.path)))]
        assert (repo.path / path).read_text() == situation.PERSONS[path]


def read_after(repo: Repo) -> list[findings.Finding]:
    situation.see(repo)
    return findings.read(str(repo.path / ".git"))


def test_lines_come_back_beside_what_was_written_since_or_not_at_all(repo: Repo) -> None:
    situation.run(repo, "G=git; $G checkout -q app.py")
    (found,) = read_after(repo)
    repo.write("app.py", "since = 0\na = 1\nb = 2\n")
    restore(repo, found.number)
    assert (repo.path / "app.py").read_text() == "since = 0\na = 1\nb = 2\nperson = 1\n"
    repo.write("app.py", "a = 1\nb = 2\nother = 1\n")
    with pytest.raises(SmartcommitError, match="has other changes"):
        restore(repo, found.number)
    assert (repo.path / "app.py").read_text() == "a = 1\nb = 2\nother = 1\n"
    (repo.path / "app.py").unlink()
    (repo.path / "app.py").symlink_to(repo.path.parent / "elsewhere")
    with pytest.raises(SmartcommitError, match="link"):
        restore(repo, found.number)
    with pytest.raises(SmartcommitError, match="no lines"):
        restore(repo, 99)


def test_all_files_that_lost_lines_are_kept(repo: Repo) -> None:
    names = [f"new{number}.txt" for number in range(40)]
    for name in names:
        repo.write(name, f"person {name}\n")
    situation.see(repo, began=time.time_ns())
    told = run_and_see(repo, "rm new*.txt")
    assert told.splitlines()[-2:] == ["and 30 more", "next: smartcommit agents status"]
    for found in findings.read(str(repo.path / ".git")):
        restore(repo, found.number)
    assert [name for name in names if (repo.path / name).read_text() != f"person {name}\n"] == []


def test_what_could_not_be_kept_replaces_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    save = state_files.save
    # As on a disk that is full: what is empty is written.
    monkeypatch.setattr(
        state_files, "save", lambda place, name, data: ".before" not in name and save(place, name, data)
    )
    situation.run(repo, "git checkout -q app.py")
    (found,) = read_after(repo)
    with pytest.raises(SmartcommitError, match="could not be kept"):
        restore(repo, found.number)
    assert (repo.path / "app.py").read_text() == "a = 1\nb = 2\n"


def test_a_folder_in_place_of_a_file_that_lost_lines_is_no_error(repo: Repo) -> None:
    situation.run(repo, "rm notes.txt; mkdir notes.txt")
    (found,) = read_after(repo)
    assert findings.list_open(Repository.find(str(repo.path))) == [found]
    with pytest.raises(SmartcommitError, match="cannot write"):
        restore(repo, found.number)


Fire = Callable[..., str]


@pytest.fixture
def fire(repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Fire:
    """Give an event of Claude Code to the hook, and return what the agent is told."""

    def fire(event: str, product: str = "claude", **fields: object) -> str:
        payload = {"session_id": SESSION, "transcript_path": "/t", "cwd": str(repo.path), "hook_event_name": event}
        data = io.BytesIO(json.dumps({**payload, **fields}).encode())
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=data))
        assert hook.main([product]) == 0
        return capsys.readouterr().out

    return fire


SHELL = {"tool_name": "Bash", "tool_use_id": "1", "tool_input": {"command": "make"}}
READ = {"tool_name": "Read", "tool_use_id": "2", "tool_input": {"file_path": "base.py"}}


def run_beside(fire: Fire, repo: Repo, command: str = ":", product: str = "claude") -> str:
    """Run `command` between the events of a shell; return what the agent is told behind it."""
    assert fire("PreToolUse", product, **SHELL) == ""
    situation.run(repo, command)
    return fire("PostToolUse", product, **SHELL, tool_response={"stdout": ""})


def test_a_repository_of_another_working_tree_is_left_alone(repo: Repo, fire: Fire, tmp_path: Path) -> None:
    """Coding agents keep checkpoints so."""
    repo.git("config", "core.worktree", str(tmp_path))
    before = sorted((repo.path / ".git").rglob("*"))
    assert fire("SessionStart", source="startup") == ""
    assert sorted((repo.path / ".git").rglob("*")) == before


def test_a_command_that_failed_is_seen_at_the_next_event(repo: Repo, fire: Fire) -> None:
    """Claude Code tells of no end of such a command."""
    assert fire("PreToolUse", **SHELL) == ""
    situation.run(repo, "git checkout -q app.py; git commit -nqm x -- own.py; false")
    assert fire("PreToolUse", **READ) == ""
    told = fire("PostToolUse", **READ, tool_response={"type": "text"})
    assert WITHOUT in told
    assert "gone from 'app.py'" in told
    assert json.loads(told)["hookSpecificOutput"]["hookEventName"] == "PostToolUse"
    assert fire("PostToolUse", **READ, tool_response={"type": "text"}) == ""


@pytest.mark.parametrize("has_ended", [True, False])
def test_lines_that_a_person_wrote_between_two_turns_are_seen(repo: Repo, fire: Fire, has_ended: bool) -> None:
    """The ledger did not know the file before, and only a look before the command could tell what it had."""
    assert fire("Stop") == ""
    if has_ended:
        assert fire("SessionEnd") == ""
    repo.write("base.py", "b = 1\nmine\n")
    if has_ended:
        fire("SessionStart", source="startup")
    assert "gone from 'base.py'" in run_beside(fire, repo, "git checkout -q base.py")


def test_a_command_waits_while_the_ledger_is_locked(repo: Repo, fire: Fire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "PATIENCE", 0.0)
    fire("PreToolUse", **SHELL)
    situation.run(repo, "git checkout -q app.py")
    with file_lock.HeldLock(str(repo.path / ".git/smartcommit/ledger/lock")):
        assert fire("PostToolUse", **SHELL, tool_response={"stdout": ""}) == ""
    fire("PreToolUse", **READ)
    assert "gone from 'app.py'" in fire("PostToolUse", **READ, tool_response={"type": "text"})


def test_findings_are_told_while_the_ledger_is_locked(repo: Repo, fire: Fire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another session adds its own at the same time."""
    told = []

    def tell(git_dir: str, session: str) -> str:
        with pytest.raises(LockedError), file_lock.HeldLock(f"{git_dir}/smartcommit/ledger/lock", patience=0):
            pass
        told.append(session)
        return ""

    monkeypatch.setattr(findings, "tell", tell)
    run_beside(fire, repo)
    fire("Stop", stop_hook_active=False)
    assert told == [SESSION, SESSION]


def test_commits_of_a_shell_that_stays_open_are_seen_at_the_end_of_the_turn(repo: Repo, fire: Fire) -> None:
    """Codex tells of no input to it, so of these commits it is told after the next command."""
    for product in ("codex", "claude"):
        run_beside(fire, repo, product=product)
        situation.run(repo, "git commit -nq --allow-empty --only -m x")
        assert (WITHOUT in run_beside(fire, repo, product=product)) == (product == "codex")
    situation.run(repo, "git commit -nqm x -- own.py")
    answer = json.loads(fire("Stop", stop_hook_active=False))
    assert answer["decision"] == "block"
    assert WITHOUT in answer["reason"]
    # It may be a person's.
    assert "next: smartcommit check --range " in answer["reason"]
    assert WITHOUT not in fire("Stop", stop_hook_active=False)


@pytest.mark.parametrize(
    "act",
    [
        "git commit -nqm x -- app.py",
        "git commit -q --amend --only -nm 'feat: other'",
        "git worktree add -q ../v && git -C ../v commit -nq --allow-empty -m x",
        "git config core.hooksPath x",
        "git config --global core.hooksPath x",
        "echo x >> .git/hooks/pre-push",
        "git stash -q -- app.py",
        "git add app.py",
        "rm .git/hooks/pre-push; git checkout -q sub; rm notes.txt; git commit -qm 'feat: x'",
    ],
)
def test_what_a_person_does_before_a_command_is_not_the_commands(repo: Repo, fire: Fire, act: str) -> None:
    run_beside(fire, repo)
    situation.run(repo, act)
    told = run_beside(fire, repo, "git commit -nq --allow-empty --only -m other")
    (Path.home() / ".gitconfig").unlink(missing_ok=True)
    assert "'other'\\nnext: git commit --amend --no-edit" in told
    assert told.count("next: ") == 1
    assert fire("Stop", stop_hook_active=False) == ""


def test_gemini_is_not_told_of_hooks_that_its_shell_hides(repo: Repo) -> None:
    situation.run(repo, "git -c core.hooksPath= commit -qm x -- own.py")
    assert situation.see(repo, "gemini") == ""
