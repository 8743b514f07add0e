"""Filters of the user: they see what they see in `git add`, and what they store stays."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.git.transaction.undo import undo
from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED
from smartcommit.split.source import SplitOptions
from tests.support.repository import Repo
from tests.support.splitting import run, run_with, status_of

PAYLOAD = "".join(f"{number}\n" for number in range(1000))
# Stores its input as an object, with a reference or without.
STORE = 'oid=$(git hash-object -w --stdin) && echo "pointer $oid"'
STORE_WITH_REF = 'oid=$(git hash-object -w --stdin) && git update-ref "refs/keep/$oid" "$oid" && echo "pointer $oid"'
FETCH = 'read word oid && git cat-file blob "$oid"'
# The same as a process that filters one file after the other. Source: gitattributes(5), "Long Running Filter Process".
STORE_BY_PROCESS = r"""
import subprocess, sys

def read():
    size = int(sys.stdin.buffer.read(4) or exit(), 16)
    return sys.stdin.buffer.read(size - 4) if size else None

def read_all():
    return list(iter(read, None))

def write(*packets):
    for packet in packets:
        sys.stdout.buffer.write(b"%04x%s" % (len(packet) + 4, packet) if packet else b"0000")
    sys.stdout.buffer.flush()

def git(*arguments, given=b""):
    return subprocess.run(["git", *arguments], input=given, stdout=subprocess.PIPE, check=True).stdout

read_all()
write(b"git-filter-server\n", b"version=2\n", b"")
read_all()
write(b"capability=clean\n", b"capability=smudge\n", b"")
while True:
    command, content = read_all()[0], b"".join(read_all())
    if command == b"command=clean\n":
        oid = git("hash-object", "-w", "--stdin", given=content).decode().strip()
        git("update-ref", f"refs/keep/{oid}", oid)
        answer = f"pointer {oid}\n".encode()
    else:
        answer = git("cat-file", "blob", content.split()[1].decode())
    write(b"status=success\n", b"", answer, b"", b"")
"""
UNDO = "one commit: the change stays together\nto undo: git smart-commit undo"


def set_filter(repo: Repo, name: str = "keep", **commands: str) -> None:
    """Commit that `*.dat` has the filter `name`, and configure its `commands`."""
    repo.commit("chore: filter", {".gitattributes": f"*.dat filter={name}\n"})
    for command, value in commands.items():
        repo.git("config", f"filter.{name}.{command}", value)


def store_by_clean(repo: Repo, tmp_path: Path) -> None:
    set_filter(repo, clean=STORE_WITH_REF, smudge=FETCH, required="true")


def store_by_process(repo: Repo, tmp_path: Path) -> None:
    script = tmp_path / "100 % store.py"
    script.write_text(STORE_BY_PROCESS)
    set_filter(repo, process=shlex.join([sys.executable, str(script)]), required="true")


def plan(repo: Repo) -> int:
    """Show the plan and return the status."""
    return run_with(repo, SplitOptions(), yes=False)[0]


def collect_garbage(repo: Repo) -> None:
    repo.git("gc", "-q", "--prune=now")
    repo.git("fsck", "--strict")


@pytest.mark.parametrize("configure", [store_by_clean, store_by_process])
def test_what_a_filter_stores_stays(based: Repo, tmp_path: Path, configure: Callable[[Repo, Path], None]) -> None:
    configure(based, tmp_path)
    payload = based.write("big.dat", PAYLOAD)
    based.write("notes.md", "# notes\n")
    refs = based.git("for-each-ref", "refs/heads", "refs/split")
    assert plan(based) == CANCELLED
    assert based.git("for-each-ref", "refs/heads", "refs/split") == refs
    assert based.run("cat-file", "-e", based.git("hash-object", "notes.md").strip()).returncode != 0
    collect_garbage(based)
    assert run(based)[0] == DONE
    collect_garbage(based)
    payload.unlink()
    based.git("checkout", "big.dat")
    assert payload.read_text() == PAYLOAD
    assert status_of(based) == ""
    undo(Repository.find(str(based.path)))
    collect_garbage(based)
    assert status_of(based) == "?? big.dat\0?? notes.md\0"
    assert run(based)[0] == DONE
    assert status_of(based) == ""


def test_a_filter_sees_what_it_sees_in_git_add(based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = shlex.quote(str(tmp_path / "seen"))
    set_filter(based, clean=f"env | grep -E '^(GIT|LC|SMARTCOMMIT)_' | sort >>{log}; echo end >>{log}; cat")
    for name, value in {
        "GIT_DIFF_OPTS": "--unified=0", "GIT_PAGER": "less 100%", "GIT_GLOB_PATHSPECS": "1", "LC_ALL": "de_DE.UTF-8",
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "it's",
        "GIT_CONFIG_PARAMETERS": "'c.d'='e'", "GIT_OPTIONAL_LOCKS": "1", "GIT_TEXTDOMAINDIR": "/de",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    based.write("big.dat", PAYLOAD)
    assert plan(based) == CANCELLED
    ours = (tmp_path / "seen").read_text().split("end\n")
    (tmp_path / "seen").unlink()
    based.git("add", "-A")
    assert set(ours) == set((tmp_path / "seen").read_text().split("end\n"))


@pytest.mark.parametrize("name", ["a=b", "a.b", "ä%f", 'a"b'])
def test_a_filter_can_have_any_name(based: Repo, name: str) -> None:
    set_filter(based, name, clean=STORE, smudge=FETCH, required="true")
    payload = based.write("big.dat", PAYLOAD)
    assert run(based)[0] == DONE
    payload.unlink()
    based.git("checkout", "big.dat")
    assert payload.read_text() == PAYLOAD


def test_a_filter_given_to_git_on_the_command_line_holds(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    set_filter(based, clean="false", smudge="false", required="true")
    based.write("big.dat", PAYLOAD)
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'filter.keep.clean'='{STORE}' 'filter.keep.smudge'='{FETCH}'")
    assert run(based)[0] == DONE
    assert based.git("cat-file", "--filters", "HEAD:big.dat") == PAYLOAD


def test_a_filter_gets_the_name_of_the_file(based: Repo) -> None:
    set_filter(based, clean="cat >/dev/null; echo 100%% %f")
    based.write("a b.dat", PAYLOAD)
    assert run(based)[0] == DONE
    assert based.git("show", "HEAD:a b.dat") == "100% a b.dat\n"


@pytest.mark.parametrize("clean", ["", "false", "cat; echo trouble >&2", "sleep 1; cat"])
def test_a_file_is_committed_as_it_is_where_its_filter_changes_nothing(based: Repo, clean: str) -> None:
    set_filter(based, clean=clean)
    based.write("big.dat", PAYLOAD)
    assert run(based) == (DONE, based.git("log", "-1", "--format=%h %s", "--abbrev=10") + UNDO)
    assert based.git("show", "HEAD:big.dat") == PAYLOAD


def test_the_filter_that_failed_is_named_as_it_is_configured(based: Repo) -> None:
    set_filter(based, clean="no-such-filter --x", required="true")
    based.write("big.dat", PAYLOAD)
    before = based.state()
    status, said = run(based)
    assert (status, based.state()) == (GIT_FAILED, before)
    assert "'no-such-filter --x'" in said
    assert "eval" not in said
    assert "hint: fix the filter; nothing was changed" in said


def test_no_hook_by_configuration_sees_a_private_index(based: Repo, tmp_path: Path) -> None:
    if based.run("hook", "list", "post-index-change").returncode == 129:
        pytest.skip("git has no hooks by configuration before 2.54")
    for event in ("post-index-change", "reference-transaction", "post-checkout"):
        based.git("config", "--global", f"hook.see-{event}.command", f"env >>{shlex.quote(str(tmp_path / event))} #")
        based.git("config", "--global", f"hook.see-{event}.event", event)
    based.write("src/a.py", "a = 1\n")
    based.write("docs/a.md", "# a\n")
    assert run_with(based, SplitOptions(check="true"))[0] == DONE
    # HEAD was moved as the user would have moved it.
    seen = (tmp_path / "reference-transaction").read_text()
    assert "GIT_OBJECT_DIRECTORY" not in seen
    assert not (tmp_path / "post-index-change").exists()
    assert not (tmp_path / "post-checkout").exists()
