"""`--run-hooks`: the repository's own hooks may change the messages of a split alone; `--exec` tries each commit."""

import json
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from smartcommit.cli import git_smart_commit, main
from smartcommit.git.repo import Repository
from smartcommit.setup.direct_hooks import DirectHooks
from smartcommit.setup.hook_scripts import MODULES
from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED
from smartcommit.split.source import EngineOptions, SplitOptions
from tests.support.gerrit import HOOK
from tests.support.installation import Installation
from tests.support.precommit import Framework
from tests.support.processes import gone, patience
from tests.support.repository import Repo
from tests.support.situations_split import SITUATIONS, contents
from tests.support.splitting import assert_sound, head_of, run_with, status_of
from tests.support.table import rows

ADD = "git interpret-trailers --in-place --trailer"


@pytest.fixture
def messy(based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Two files that become two commits, in the current directory, and a folder for temporary files of its own."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.chdir(based.path)
    based.write("src/a.py", "a = 1\n")
    based.write("docs/a.md", "# a\n")
    return based


def put(repo: Repo, script: str, place: str = ".git/hooks/commit-msg") -> Path:
    return repo.write(place, f"#!/bin/sh\n{script}\n", executable=True)


def split(*options: str) -> int:
    return git_smart_commit(["--strategy", "file", *options])


def run_commit_msg(*options: str) -> int:
    return split("--yes", "--run-hooks", "commit-msg", *options)


def messages(repo: Repo, since: str) -> list[str]:
    return [
        text.rstrip("\n") for text in repo.git("log", "--reverse", "-z", "--format=%B", f"{since}..HEAD").split("\0")
    ]


def trailers(repo: Repo, since: str) -> list[list[str]]:
    return [message.rpartition("\n\n")[2].splitlines() for message in messages(repo, since)[:-1]]


def test_what_a_hook_appends_is_recorded_before_the_commits_are_signed(messy: Repo, tmp_path: Path) -> None:
    put(messy, f'{ADD} "Reviewed-in: $(git rev-parse --abbrev-ref HEAD)" "$1"')
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    (tmp_path / "allowed").write_text(f"ada@example.invalid {key.with_suffix('.pub').read_text()}")
    for name, value in {
        "gpg.format": "ssh", "user.signingKey": str(key), "gpg.ssh.allowedSignersFile": str(tmp_path / "allowed"),
        "commit.gpgSign": "true",
    }.items():  # fmt: skip
        messy.git("config", name, value)
    start = head_of(messy)
    assert run_commit_msg("--ticket", "T-1", "--signoff") == DONE
    expected = ["Refs: T-1", "Signed-off-by: Cora Committer <cora@example.invalid>", "Reviewed-in: main"]
    assert trailers(messy, start) == [expected, expected]
    for commit in messy.git("rev-list", f"{start}..HEAD").split():
        messy.git("verify-commit", commit)
    assert status_of(messy) == ""
    assert_sound(messy)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_hook_sees_its_commit_as_at_git_commit(messy: Repo, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    put(
        messy,
        'for part in "$#" "$2" "$GIT_EDITOR" "$GIT_AUTHOR_NAME" "$(git symbolic-ref HEAD)" "$(git rev-parse HEAD)"'
        ' "$(git diff --cached --name-only)" "$(ls -d src/a.py docs/a.md 2>/dev/null | tr "\\n" " ")"'
        f' "$(head -n 1 "$1")"; do printf "%s|" "$part"; done >> "{seen}"; echo >> "{seen}"'
        '; test "$(git rev-parse --show-toplevel)" = "$PWD" && test -z "$(git diff)"',
        ".git/hooks/prepare-commit-msg",
    )
    start = head_of(messy)
    assert split("--yes", "--run-hooks", "prepare-commit-msg") == DONE
    rows = [line.split("|")[:-1] for line in seen.read_text().splitlines()]
    subjects = messy.subjects(f"{start}..HEAD")
    files = [messy.git("show", "--format=", "--name-only", f"HEAD~{number}").strip() for number in (1, 0)]
    assert [row[:5] for row in rows] == [["2", "message", ":", "Ada Author", "refs/heads/main"]] * 2
    assert [row[8] for row in rows] == subjects
    assert [row[6] for row in rows] == files
    assert rows[0][7].split() == files[:1]
    assert sorted(rows[1][7].split()) == sorted(files)
    assert rows[0][5] == start


def test_both_hooks_run_in_gits_order_whatever_the_options_order(messy: Repo) -> None:
    put(messy, f'{ADD} "First: yes" "$1"', ".git/hooks/prepare-commit-msg")
    put(messy, f'grep -q "^First" "$1" && {ADD} "Then: yes" "$1"')
    start = head_of(messy)
    assert run_commit_msg("--run-hooks", "prepare-commit-msg") == DONE
    assert trailers(messy, start) == [["First: yes", "Then: yes"]] * 2
    assert git_smart_commit(["undo"]) == DONE
    assert split("--yes", "--run-hooks", "commit-msg,prepare-commit-msg") == DONE
    assert trailers(messy, start) == [["First: yes", "Then: yes"]] * 2


REFUSED = {
    "edits a file": ("echo x >> base.txt", "the file 'base.txt'"),
    "edits its commit's file": ("echo x >> src/a.py", "the file 'src/a.py'"),
    "adds a file": ("echo x > new.txt", "the file 'new.txt'"),
    "stages": ("git rm -q --cached base.txt", "the file 'base.txt'"),
    "stages a file": ("echo x > 'new file'; git add 'new file'", "the file 'new file'"),
    "commits": ("git commit -q --allow-empty --no-verify -m x", "HEAD"),
    "switches": ("git checkout -q -b other", "HEAD"),
    "tags": ("git tag x", "references"),
    "removes the repository": ('rm -rf "$GIT_DIR"', "the git directory"),
    "fails": ("echo 'no \033[31mway'; exit 3", "fails with status 3"),
    "empties": (': > "$1"', "leave nothing to record"),
    "removes the message": ('rm "$1"', "leave nothing to record"),
    "writes without end": ('head -c 2000000 /dev/zero | tr "\\0" x >> "$1"', "leave nothing to record"),
    "writes a zero": ('printf "\\0" >> "$1"', "leave nothing to record"),
    "writes what is no header": ('echo "whatever" > "$1"', "break rule"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_hook_stops_the_split(messy: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str) -> None:
    script, problem = REFUSED[case]
    put(messy, script)
    messy.git("add", "docs")
    before, objects, files = messy.state(), messy.git("count-objects", "-v"), contents(messy.path)
    assert run_commit_msg() == GIT_FAILED
    said = capsys.readouterr()
    assert said.out == ""
    assert problem in said.err
    *_, error, hint = said.err.splitlines()
    assert error.startswith("smartcommit: the ")
    assert hint == "hint: nothing was changed; mend the hook, or add '--run-hooks=' to run none"
    assert "\033" not in said.err
    assert ("no \\x1b[31mway" in said.err) == (case == "fails")
    assert (messy.state(), messy.git("count-objects", "-v"), contents(messy.path)) == (before, objects, files)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert_sound(messy)


def test_what_git_ignores_may_change(messy: Repo) -> None:
    messy.commit("chore: ignore", {".gitignore": "*.log\n"})
    put(messy, f'echo "$1" >> hook.log; {ADD} "Seen: yes" "$1"')
    start = head_of(messy)
    assert run_commit_msg() == DONE
    assert trailers(messy, start) == [["Seen: yes"]] * 2
    assert not (messy.path / "hook.log").exists()


def test_hooks_of_ours_alone_are_not_run(messy: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    DirectHooks(Repository.find(str(messy.path))).install(list(MODULES))
    assert split("--run-hooks", "commit-msg,prepare-commit-msg") == CANCELLED
    assert "hook" not in capsys.readouterr().out


@pytest.mark.parametrize("tracked", [True, False])
def test_hooks_are_those_of_core_hooks_path(messy: Repo, tracked: bool) -> None:
    put(messy, f'{ADD} "By: $(basename "$(dirname "$0")")" "$1"', "team/commit-msg")
    put(messy, "exit 1")
    if tracked:
        messy.commit("chore: hooks", {"team/x": ""})
    else:
        (messy.path / ".git/info/exclude").write_text("team\n")
    messy.git("config", "core.hooksPath", "team")
    start = head_of(messy)
    assert run_commit_msg() == DONE
    assert all("By: team" in lines for lines in trailers(messy, start))


def test_linked_worktree_and_detached_head_work(messy: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(messy, f'{ADD} "At: $(git rev-parse --abbrev-ref HEAD)" "$1"')
    for name, options in (("side", ["-b", "side"]), ("HEAD", ["--detach"])):
        messy.git("worktree", "add", "-q", *options, str(tmp_path / name))
        linked = Repo(tmp_path / name)
        linked.write("new.py", "x = 1\n")
        monkeypatch.chdir(linked.path)
        start = head_of(linked)
        assert run_commit_msg() == DONE
        assert trailers(linked, start) == [[f"At: {name}"]]


def test_the_first_commits_of_a_repository_work(inside: Repo) -> None:
    put(inside, f'git rev-parse -q --verify HEAD || {ADD} "First: yes" "$1"')
    inside.write("a.py", "a = 1\n")
    inside.write("b.md", "# b\n")
    assert run_commit_msg() == DONE
    texts = [text.rstrip("\n") for text in inside.git("log", "--reverse", "-z", "--format=%B").split("\0")][:-1]
    assert ["First: yes" in text for text in texts] == [True, False]


def test_what_is_skipped_keeps_its_state(messy: Repo, tmp_path: Path) -> None:
    put(messy, f'{ADD} "Seen: yes" "$1"')
    messy.write("base.txt", "base\nstaged\n")
    messy.git("add", "base.txt")
    messy.write("base.txt", "base\nstaged\nunstaged\n")
    messy.git("add", "-N", "docs/a.md")
    file = tmp_path / "plan.json"
    assert split("--save-plan", str(file)) == CANCELLED
    plan = json.loads(file.read_text())
    kept = [commit for commit in plan["commits"] if commit["units"][0]["path"] == "src/a.py"]
    for commit in plan["commits"]:
        if commit not in kept:
            plan["skipped"] += commit["units"]
    file.write_text(json.dumps({**plan, "commits": kept}))
    assert git_smart_commit(["--plan", str(file), "--run-hooks", "commit-msg", "--yes"]) == DONE
    assert trailers(messy, "HEAD^") == [["Seen: yes"]]
    assert status_of(messy) == "MM base.txt\0 A docs/a.md\0"


def test_the_setting_turns_hooks_on_and_the_option_off(messy: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    put(messy, f'{ADD} "Seen: yes" "$1"')
    messy.git("config", "smartcommit.splitHooks", "commit-msg")
    start = head_of(messy)
    assert split() == CANCELLED
    assert "the hook 'commit-msg' will be run on each message\n" in capsys.readouterr().out
    assert split("--yes", "--run-hooks=") == DONE
    assert "Seen" not in "".join(messages(messy, start))
    assert git_smart_commit(["undo"]) == DONE
    assert split("--yes") == DONE
    assert trailers(messy, start) == [["Seen: yes"]] * 2


def test_a_project_cannot_turn_hooks_on(messy: Repo) -> None:
    put(messy, "exit 1")
    messy.write(".smartcommit", "[smartcommit]\n\tsplitHooks = commit-msg\n")
    assert split("--yes") == DONE


def test_a_dry_run_shows_what_would_be_recorded(messy: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    put(messy, f'{ADD} "Seen: yes" "$1"')
    before = messy.state()
    assert split("--dry-run", "--json", "--run-hooks", "commit-msg") == DONE
    plan = json.loads(capsys.readouterr().out)
    assert [commit["message"].endswith("\n\nSeen: yes\n") for commit in plan["commits"]] == [True, True]
    assert messy.state() == before


def by_hooks_path(repo: Repo) -> None:
    repo.write(".hooks/commit-msg", HOOK, executable=True)
    repo.git("config", "core.hooksPath", ".hooks")
    (repo.path / ".git/info/exclude").write_text(".hooks\n")


def kept_by_ours(repo: Repo) -> None:
    with_gerrits(repo)
    DirectHooks(Repository.find(str(repo.path))).install(list(MODULES))


def kept_by_another(repo: Repo) -> None:
    put(repo, '# File generated by pre-commit: https://pre-commit.com\n"$0.legacy" "$@"')
    repo.write(".git/hooks/commit-msg.legacy", HOOK, executable=True)


def with_gerrits(repo: Repo) -> None:
    repo.write(".git/hooks/commit-msg", HOOK, executable=True)


@pytest.mark.parametrize("install", [with_gerrits, by_hooks_path, kept_by_ours, kept_by_another])
def test_gerrits_hook_is_run_unasked_wherever_git_would_run_it(
    messy: Repo, install: Callable[[Repo], None], capsys: pytest.CaptureFixture[str]
) -> None:
    install(messy)
    start = head_of(messy)
    assert split() == CANCELLED
    assert "the hook 'commit-msg' will be run on each message" in capsys.readouterr().out
    assert split("--yes") == DONE
    assert [len(lines) for lines in trailers(messy, start)] == [1, 1]
    assert all(re.fullmatch("Change-Id: I[0-9a-f]{40}", lines[0]) for lines in trailers(messy, start))
    assert trailers(messy, start)[0] != trailers(messy, start)[1]
    assert main(["check", "--range", f"{start}..HEAD"]) == 0


def not_executable(repo: Repo) -> None:
    repo.write(".git/hooks/commit-msg", HOOK).chmod(0o644)


def another_hook(repo: Repo) -> None:
    put(repo, "# Checks that there is a Change-Id for Gerrit.\nexit 1")


def switched_off(repo: Repo) -> None:
    with_gerrits(repo)
    repo.git("config", "gerrit.createChangeId", "false")


@pytest.mark.parametrize("install", [not_executable, another_hook, switched_off, with_gerrits])
def test_no_hook_is_run_unasked_that_is_not_gerrits_or_not_wanted(messy: Repo, install: Callable[[Repo], None]) -> None:
    install(messy)
    start = head_of(messy)
    assert split("--yes", *(["--run-hooks="] if install is with_gerrits else [])) == DONE
    assert "Change-Id" not in "".join(messages(messy, start))


def test_a_message_in_another_encoding_stays_in_it(messy: Repo) -> None:
    messy.git("config", "i18n.commitEncoding", "ISO-8859-1")
    put(messy, 'printf "\\nSeen: caf\\351\\n" >> "$1"')
    assert run_commit_msg() == DONE
    for commit in ("HEAD", "HEAD^"):
        recorded = messy.run("cat-file", "commit", commit).stdout
        assert b"\nencoding ISO-8859-1\n" in recorded
        assert recorded.endswith(b"\n\nSeen: caf\xe9\n")


def test_programs_that_npm_has_installed_are_found(messy: Repo) -> None:
    put(messy, f'{ADD} "Seen: yes" "$1"', "node_modules/.bin/seen")
    (messy.path / ".git/info/exclude").write_text("node_modules\n")
    put(messy, 'node_modules/.bin/seen "$1"')
    start = head_of(messy)
    assert run_commit_msg() == DONE
    assert trailers(messy, start) == [["Seen: yes"]] * 2
    assert (messy.path / "node_modules/.bin/seen").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_split_that_is_killed_while_a_hook_runs_leaves_nothing(
    installation: Installation, messy: Repo, tmp_path: Path, number: signal.Signals
) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    put(messy, f"echo $$ > '{started}'; exec sleep 600")
    before, objects = messy.state(), messy.git("count-objects", "-v")
    command = [installation.script("git-smart-commit"), "--yes", "--run-hooks", "commit-msg"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True) as process:
        hook = int(started.read_text())
        process.send_signal(number)
        process.wait(60)
    try:
        if number == signal.SIGTERM:
            assert any(gone(hook) for _ in patience())
            assert list((tmp_path / "temporary").iterdir()) == []
    finally:
        with suppress(ProcessLookupError):
            os.kill(hook, signal.SIGKILL)
    assert (messy.state(), messy.git("count-objects", "-v")) == (before, objects)
    assert split("--yes") == DONE
    assert_sound(messy)


LOCAL = """\
-   repo: local
    hooks:
    -   id: team
        name: team
        language: system
        stages: [commit-msg]
        entry: git interpret-trailers --in-place --trailer "Team-Hook=yes"
"""


@pytest.mark.parametrize("config", ["tracked", "in the change"])
def test_what_a_framework_installed_runs_with_our_hooks(framework: Framework, messy: Repo, config: str) -> None:
    framework.configure(messy, "commit-msg", "split", more=LOCAL)
    framework.install(messy, "commit-msg")
    start = head_of(messy)
    if config == "in the change":
        messy.write(".pre-commit-config.yaml", f"{(messy.path / '.pre-commit-config.yaml').read_text()}\n# x\n")
    assert run_commit_msg() == DONE
    assert set(map(tuple, trailers(messy, start))) == {("Team-Hook: yes",)}


@pytest.mark.components
@pytest.mark.usefixtures("later_git")
@pytest.mark.parametrize("beside", [True, False])
def test_hooks_in_configuration_run_in_gits_order(messy: Repo, beside: bool) -> None:
    messy.git("config", "hook.team.command", f"{ADD} 'First: yes'")
    messy.git("config", "hook.team.event", "commit-msg")
    messy.git("config", "hook.off.command", "false")
    messy.git("config", "hook.off.event", "commit-msg")
    messy.git("config", "hook.off.enabled", "false")
    if beside:
        put(messy, f'{ADD} "Then: yes" "$1"')
    start = head_of(messy)
    assert run_commit_msg() == DONE
    assert trailers(messy, start) == [["First: yes", *["Then: yes"] * beside]] * 2


@pytest.mark.components
@pytest.mark.usefixtures("later_git")
def test_our_own_hooks_in_configuration_are_not_run(messy: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--config"]) == 0
    assert messy.git("config", "hook.smartcommit-commit-msg.event") == "commit-msg\n"
    capsys.readouterr()
    assert split("--run-hooks", "commit-msg,prepare-commit-msg") == CANCELLED
    assert "hook" not in capsys.readouterr().out


def tried(repo: Repo, check: str, *, yes: bool = True, **options: Any) -> tuple[int, str, list[str]]:
    """The status, what was printed, and what was said beside it."""
    asked = SplitOptions(choice=EngineOptions(strategy="file"), check=check, **options)
    return run_with(repo, asked, yes=yes and not asked.dry_run)


def test_every_commit_is_tried_and_told_of(messy: Repo, tmp_path: Path) -> None:
    status, _, said = tried(messy, "test -e src/a.py && test ! -e untracked && touch untracked src/x.pyc")
    assert status == DONE
    assert [line.rpartition(": ")[2] for line in said] == ["passed", "passed"]
    assert said[0].startswith("1/2 ")
    assert status_of(messy) == ""
    assert messy.git("worktree", "list").count("\n") == 1
    assert list((tmp_path / "temporary").iterdir()) == []
    assert_sound(messy)


@rows(("options", "shown"), ({}, CANCELLED), ({"json": True}, DONE), ({"dry_run": True}, DONE))
def test_the_commits_of_a_plan_only_shown_are_tried_too(messy: Repo, options: dict[str, bool], shown: int) -> None:
    before = messy.state()
    status, printed, said = tried(messy, "true", yes=False, **options)
    assert (status, bool(printed)) == (shown, True)
    assert [line.rpartition(": ")[2] for line in said] == ([] if "json" in options else ["passed", "passed"])
    assert tried(messy, "false", yes=False, **options)[:2] == (GIT_FAILED, "")
    assert messy.state() == before


def test_a_commit_that_fails_leaves_everything_as_it_was(messy: Repo) -> None:
    before, objects, files = messy.state(), messy.git("count-objects", "-v"), contents(messy.path)
    status, printed, said = tried(messy, "echo 'no \x1b[31mdocs' >&2; test -e docs/a.md")
    assert status == GIT_FAILED
    assert said[0].endswith(": failed with status 1\n  no \\x1b[31mdocs")
    assert said[1].endswith(": passed")
    assert "failed on 1 of 2 commits" in said[2]
    assert "nothing was changed" in said[2]
    assert printed == ""
    assert (messy.state(), messy.git("count-objects", "-v"), contents(messy.path)) == (before, objects, files)
    assert_sound(messy)


@pytest.mark.parametrize("form", ["quiet", "json"])
def test_nothing_is_told_where_only_errors_or_json_are_wanted(messy: Repo, form: str) -> None:
    assert tried(messy, "true", **{form: True})[2] == []


def test_git_in_a_check_sees_the_commit_not_the_callers_own(messy: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    messy.write(".gitattributes", "*.crlf text eol=crlf\n")
    messy.write("src/b.crlf", "x\r\n")
    messy.git("config", "user.note", "mine")
    messy.git("config", "core.hooksPath", "hooks")
    monkeypatch.setenv("GIT_DIR", str(messy.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(messy.path / ".git/index"))
    check = (
        'test "$(git rev-parse --show-toplevel)" = "$PWD" && test -z "$(git status --porcelain)" &&'
        ' test -z "$GIT_INDEX_FILE" && test "$(git config user.note)" = mine && git rev-parse HEAD HEAD^ &&'
        " { test ! -e src/b.crlf || grep -q \"$(printf '\\r')\" src/b.crlf; }"
    )
    assert tried(messy, check)[0] == DONE


@pytest.mark.parametrize("name", ["repo", 'line\nend:"quoted"\\'])
def test_a_linked_worktree_and_other_object_names_work(tmp_path: Path, name: str) -> None:
    repo = Repo.init(tmp_path / name, "--object-format=sha256")
    repo.commit("chore: base", {"base.txt": "x\n"})
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write("new.txt", "x\n")
    assert tried(linked, "test -e new.txt && test -e base.txt")[0] == DONE


def test_a_check_that_breaks_its_folder_is_told_so(messy: Repo) -> None:
    before = messy.state()
    status, _, said = tried(messy, "rm -rf .git")
    assert status == GIT_FAILED
    assert "cannot check out a commit for 'rm -rf .git'" in said[-1]
    assert "if the command modifies '.git' in its working directory" in said[-1]
    assert messy.state() == before


def test_submodules_stay_empty_whatever_is_set(messy: Repo) -> None:
    SITUATIONS["submodule_added"](messy)
    messy.commit("chore: add a submodule", {"both.txt": "x\n"})
    messy.git("config", "submodule.recurse", "true")
    messy.write("src/b.py", "b = 1\n")
    status, _, said = tried(messy, "true")
    assert status == DONE, said
