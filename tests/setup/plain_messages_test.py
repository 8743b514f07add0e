"""The part of the hooks of `smartcommit install` that accepts a message without Python: in every shell, never more."""

from __future__ import annotations

import os
import random
import shutil
import string
import subprocess
import sys
from pathlib import Path

import pytest

from smartcommit import coding_agent, state_files
from smartcommit.claims.staged import TYPES
from smartcommit.message.cleanup import find_cleaning
from smartcommit.message.rules import DEFAULT_TYPES, SUMMARY_LIMIT, Rules
from smartcommit.settings import KEYS
from smartcommit.setup.hook_scripts import write_functions, write_hook
from smartcommit.verdict import check_file
from smartcommit_hooks.commit_msg import main
from tests.support.profile import choose
from tests.support.repository import Repo

SHELLS = {
    "sh": ["sh"],
    "dash": ["dash"],
    "bash": ["bash"],
    "bash as sh": ["bash", "--posix"],
    "busybox": ["busybox", "sh"],
    "ksh": ["ksh"],
    "mksh": ["mksh"],
    "zsh as sh": ["zsh", "--emulate", "sh"],
}
GOOD = "feat(api)!: add x to 'y' - see \"z\" (#1) & {w}; 100% $HOME <a@b> ~|=+*?,"
LONGEST = "fix: " + "a" * SUMMARY_LIMIT
PLAIN_TYPES = set(DEFAULT_TYPES).difference(TYPES)
ACCEPTED = [GOOD, LONGEST, "fix!: x", "fix(a1-b): x", *(f"{name}: do it" for name in sorted(PLAIN_TYPES))]
# Messages that Python refuses or compares with the change, or that only Python knows how to read.
CLAIMS = (
    "mend `x`", "mend a_b", "mend a/b", "mend a.b", "mend x::y", "mend x()", "mend --x", "mend aB", "remove it",
    "Removes it", "delete it", "dropped it", "renaming it", "moved it",
)  # fmt: skip
HEADERS = (
    "update", "feat", "feat: ", "feat:x", "feat:  x", "feat:\tx", "feature: x", "Feat: x", " feat: x", "feat : x",
    "feat(): x", "feat(API): x", "feat(1a): x", "feat(a b): x", "feat(a)(b): x", "feat((a)): x", "feat(a: x", "fea): x",
    "feat!(a): x", "feat!!: x", "*: x", "feat(*): x", LONGEST + "a", "feat: x\n\nbecause", "feat: x\nbecause",
    "feat: x\nfix: y", "\nfeat: x", "feat: x\r", "feat: x\ry", "feat: a\0b", "\0feat: x", "fe\0at: x", "feat: x\0",
    "feat: x" + "\0" * 300, "feat: \x1b[31mx", "feat: x\x7f", "feat: x\x0by", "feat: café", "feat: x\u200by",
    "feat: \u202ex", "FİX: x", "feat: ｘ", "feat: " + "x" * 20_000, "feat: x\\\ny", "# feat: x", "fixup! feat: x",
)  # fmt: skip
LEFT = [f"{header}\n".encode() for header in (*HEADERS, *map("fix: ".__add__, CLAIMS), *map("{}: do it".format, TYPES))]
LEFT += [b"", b"feat: x", b"feat: x\ny", b"feat: x\n\0", b"feat: x\0", b"feat: caf\xe9\n", b"feat: caf\xc3\n"]
LEFT.append(b"feat(\xe9): x\n")


@pytest.fixture(params=SHELLS, ids=lambda name: name.replace(" ", "-"))
def shell(request: pytest.FixtureRequest) -> list[str]:
    command = SHELLS[request.param]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    return command


def find_accepted(shell: list[str], folder: Path, *, proc: str = "/proc", **environment: str) -> set[bytes]:
    """The names of the files in `folder` with messages that the shell accepts."""
    script = write_functions().replace("/proc", proc)
    script += 'for name in m*; do if is_plain_file "$name"; then echo "$name"; fi; done\n'
    done = subprocess.run(
        shell, cwd=folder, input=script.encode(), env={**os.environ, **environment}, capture_output=True, check=False
    )
    assert done.stderr == b""
    return set(done.stdout.split())


def write_messages(folder: Path, messages: list[bytes]) -> dict[bytes, bytes]:
    """Write each message into a file of its own in `folder`; return the messages by the names of the files."""
    named = {}
    for number, message in enumerate(messages):
        (folder / f"m{number}").write_bytes(message)
        named[b"m%d" % number] = message
    return named


def is_accepted_in_silence(message: bytes) -> bool:
    """Whether the full check has nothing to say about `message`, with an editor and without, in any history."""
    for editor in (True, False):
        result = check_file(message, find_cleaning(message, [], editor=editor), Rules())
        if result.violations or result.exempt:
            return False
    return True


@pytest.mark.parametrize("proc", ["/proc", "/nowhere"])
@pytest.mark.parametrize("variables", [{}, {"LC_ALL": "C"}, {"BASHOPTS": "nocasematch:extglob", "size": "8"}], ids=str)
def test_the_shell_accepts_plain_headers_and_leaves_the_rest_to_python(
    shell: list[str], variables: dict[str, str], proc: str, tmp_path: Path
) -> None:
    """Where there is no `/proc`, the size of a file is found by another process."""
    plain = [message.encode() + b"\n" for message in ACCEPTED]
    named = write_messages(tmp_path, [*plain, *LEFT])
    accepted = find_accepted(shell, tmp_path, proc=proc, **variables)
    # bash that ignores case accepts nothing.
    assert {named[name] for name in accepted} == (set() if accepted == set() and "BASHOPTS" in variables else {*plain})


def test_every_byte_within_a_summary_is_as_python_has_it(shell: list[str], tmp_path: Path) -> None:
    named = write_messages(tmp_path, [b"feat: a%cb\n" % byte for byte in range(256)])
    accepted = [named[name] for name in find_accepted(shell, tmp_path)]
    # ksh takes a backslash as well.
    plain = set(range(32, 127)).difference(b"[]^\\`_/.", string.ascii_uppercase.encode())
    assert {b"feat: a%cb\n" % byte for byte in plain} <= set(accepted)
    assert all(map(is_accepted_in_silence, accepted))


def test_a_locale_of_two_byte_characters_lets_nothing_through(shell: list[str], tmp_path: Path) -> None:
    build = ["localedef", "-c", "-i", "ja_JP", "-f", "SHIFT_JIS", str(tmp_path / "ja_JP.SJIS")]
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/ja_JP").exists():
        pytest.skip("no locales can be built")
    subprocess.run(build, capture_output=True, check=False)
    ends = [b"feat: a%c%c\n" % (byte, last) for byte in range(128, 256) for last in b" a~\\"]
    named = write_messages(tmp_path, [*ends, *[b"feat: a%cb\n" % byte for byte in range(256)]])
    accepted = find_accepted(shell, tmp_path, LC_ALL="ja_JP.SJIS", LOCPATH=str(tmp_path))
    assert [named[name] for name in accepted if not is_accepted_in_silence(named[name])] == []


def test_the_locale_of_the_user_is_kept(shell: list[str], tmp_path: Path) -> None:
    (tmp_path / "m").write_text(GOOD + "\n")
    script = write_functions() + "is_plain_file m; env | grep ^LC_ALL= || echo none"
    for value in ("POSIX", "C.UTF-8", None):
        env = {name: text for name, text in os.environ.items() if name != "LC_ALL"}
        if value is not None:
            env["LC_ALL"] = value
        done = subprocess.run([*shell, "-c", script], cwd=tmp_path, env=env, capture_output=True, check=False)
        assert done.stdout.decode() == ("none\n" if value is None else f"LC_ALL={value}\n")


# What is put into a random message, and below its header.
PIECES = [b"", b" ", b":", b": ", b"!", b"(", b")", b"\n", b"\r", b"\0", b"\x1b", b"\t", b"#", b"A", b"*", b"[", b"]",
          b"\\", b"'", b'"', b"$x", b"`", b"\xff", b"\xc3\xa9", b"9", b"-"]  # fmt: skip
BELOW = ["", "\n\n", "\n \n", "\r\n", "\0\n", "\n\0", "\n# note\n", "\n\nbody\n", "\nbody\n",
         "\n\nSigned-off-by: A <a@b.c>\n", " \n", "\n;x\n"]  # fmt: skip


def choose_part(chance: random.Random, good: list[str], others: list[str]) -> str:
    return chance.choice(good if chance.random() < 0.85 else others)


def mutate(chance: random.Random) -> bytes:
    kind = choose_part(chance, list(DEFAULT_TYPES), ["feature", "Fix", "wip", "", "fea", "fixx", "fix fix"])
    scope = choose_part(chance, ["", "(api)", "(a-1)"], ["()", "(A)", "(a b)", "(a)(b)", "(-)", "(9)", "(a/b)", "(é)"])
    colon = choose_part(chance, [": ", "!: "], [":", " : ", ":  ", "!", "!!: ", "\t: ", ": : "])
    length = choose_part(chance, ["1", "9", "40", "119", "120"], ["0", "121", "122"])
    header = kind + scope + colon + "add more words, and more ".ljust(130, "x")[: int(length)]
    message = bytearray(header.encode())
    if chance.random() < 0.4:
        place = chance.randrange(len(message) + 1)
        message[place : place + chance.randrange(2)] = chance.choice(PIECES)
    below = choose_part(chance, ["\n"], BELOW)
    return bytes(message) + below.encode()


def test_python_accepts_in_silence_what_the_shell_accepts(shell: list[str], tmp_path: Path) -> None:
    chance = random.Random(1)
    named = write_messages(tmp_path, [mutate(chance) for _ in range(choose(fast=5_000, full=100_000))])
    accepted = find_accepted(shell, tmp_path)
    assert len(accepted) > len(named) / 6
    assert [named[name] for name in accepted if not is_accepted_in_silence(named[name])] == []


@pytest.mark.parametrize("name", ["missing", "folder", "pipe", ""])
def test_what_is_no_file_is_left_to_python(shell: list[str], tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    script = write_functions() + 'is_plain_file "$1"'
    command = [*shell, "-c", script, "hook", *filter(None, [name])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


class Hooked:
    """A repository whose `commit-msg` is ours, with a program in the place of Python that only notes that it ran."""

    def __init__(self, repo: Repo, root: Path) -> None:
        self.repo = repo
        self.python = root / "python"
        self.note = root / "started"
        self.python.write_text(f"#!/bin/sh\ntouch '{self.note}'\n")
        self.python.chmod(0o755)

    def install(self) -> None:
        self.repo.write(".git/hooks/commit-msg", write_hook("commit-msg", ".git/hooks"), executable=True)

    def starts_python(self, *options: str, repo: Repo | None = None, **environment: str) -> bool:
        """Whether a commit with a plain message starts Python; `options` are git's own."""
        self.note.unlink(missing_ok=True)
        done = (repo or self.repo).run(*options, "commit", "--allow-empty", "-m", "feat: add it", env=environment)
        assert done.returncode == 0, done.stderr
        return self.note.exists()


@pytest.fixture
def hooked(repo: Repo, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Hooked:
    place = Hooked(repo, tmp_path_factory.mktemp("python"))
    repo.commit("feat: begin", {"a": "1\n"})
    monkeypatch.setattr(sys, "executable", str(place.python))
    place.install()
    assert not place.starts_python()
    return place


def test_a_plain_message_starts_no_python(hooked: Hooked) -> None:
    repo = hooked.repo
    repo.stage({"sub/b": "2\n"})
    hooked.note.unlink(missing_ok=True)
    done = repo.run("commit", "-m", "feat(api)!: add it", cwd=repo.path / "sub")
    assert (done.returncode, hooked.note.exists()) == (0, False)
    editor = repo.editor('printf "fix: explain it\\n" > "$1"')
    done = repo.run("commit", "--allow-empty", "-q", env={"GIT_EDITOR": editor})
    assert (done.returncode, done.stderr, hooked.note.exists()) == (0, b"", False)


def test_an_unusual_message_starts_python(hooked: Hooked) -> None:
    done = hooked.repo.run("commit", "--allow-empty", "-m", "feat: add it", "-m", "Why.")
    assert (done.returncode, hooked.note.exists()) == (0, True)


# What is done in a repository, and what undoes it.
CHANGES = {
    "echo >.smartcommit": "rm .smartcommit",
    "mkdir .smartcommit": "rmdir .smartcommit",
    "echo >policy; ln -s policy .smartcommit": "rm policy .smartcommit",
    "git config smartcommit.draft true": "git config --unset smartcommit.draft",
    "git config commit.cleanup scissors": "git config --unset commit.cleanup",
    "git config include.path more; printf '[smartcommit]\\ndraft\\n' >.git/more": "git config --unset include.path",
    "printf '[smartcommit]\\ndraft\\n' >~/.gitconfig": "rm ~/.gitconfig",
    f"mkdir -p .git/smartcommit; echo >.git/smartcommit/{state_files.REFUSED}": "rm -r .git/smartcommit",
    f"mkdir -p .git/smartcommit; echo >.git/smartcommit/{state_files.PROOF}": "rm -r .git/smartcommit",
}
OPTIONS = ("SmartCommit.Draft=true", "core.commentChar=f", "core.commentString=feat", "i18n.commitEncoding=ISO-8859-1")
VARIABLES = (*coding_agent.VARIABLES, *(key.variable for key in KEYS))


def test_whatever_may_change_the_verdict_starts_python(hooked: Hooked) -> None:
    failed = [option for option in OPTIONS if not hooked.starts_python("-c", option)]
    failed += [name for name in VARIABLES if not hooked.starts_python(**{name: ""})]
    for change, undo in CHANGES.items():
        subprocess.run(["sh", "-c", change], cwd=hooked.repo.path, check=True)
        if not hooked.starts_python():
            failed.append(change)
        subprocess.run(["sh", "-c", undo], cwd=hooked.repo.path, check=True)
        if hooked.starts_python():
            failed.append(undo)
    assert failed == []


@pytest.mark.parametrize("command", [("rm", "-q", "--cached"), ("rm", "-q")], ids=" ".join)
def test_a_policy_in_head_alone_starts_python(hooked: Hooked, command: tuple[str, ...]) -> None:
    hooked.repo.commit("chore: have rules", {".smartcommit": "[smartcommit]\n\ttypes = a\n"})
    hooked.repo.git(*command, ".smartcommit")
    (hooked.repo.path / ".smartcommit").unlink(missing_ok=True)
    assert hooked.starts_python()
    assert not hooked.starts_python()  # that commit had no policy any more


def test_an_invalid_configuration_is_left_to_python(hooked: Hooked) -> None:
    broken = hooked.repo.write(".git/broken", "[\n")
    hooked.repo.write("message", "feat: add it\n")
    hook = hooked.repo.path / ".git/hooks/commit-msg"
    env = {**os.environ, "GIT_CONFIG_GLOBAL": str(broken)}
    subprocess.run([hook, "message"], cwd=hooked.repo.path, env=env, check=True)
    assert hooked.note.exists()


def test_other_layouts_start_python(hooked: Hooked, tmp_path: Path) -> None:
    repo = hooked.repo
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert hooked.starts_python(repo=Repo(tmp_path / "linked"))
    git_dir = str(repo.path / ".git")
    assert hooked.starts_python(GIT_DIR=git_dir)
    assert not hooked.starts_python(GIT_DIR=".git")
    assert hooked.starts_python(GIT_DIR=git_dir, GIT_WORK_TREE=str(repo.path / ".."))
    (repo.path / ".git").rename(tmp_path / "elsewhere.git")
    repo.write(".git", f"gitdir: {tmp_path}/elsewhere.git\n")
    assert hooked.starts_python()


@pytest.mark.parametrize("where", ["sub", ".git", "none"])
def test_a_hook_run_by_hand_elsewhere_starts_python(hooked: Hooked, tmp_path: Path, where: str) -> None:
    folder = hooked.repo.path / where
    if where == "none":
        folder = tmp_path / where
    folder.mkdir(exist_ok=True)
    (folder / "message").write_text("feat: add it\n")
    subprocess.run([hooked.repo.path / ".git/hooks/commit-msg", "message"], cwd=folder, check=True)
    assert hooked.note.exists()


@pytest.mark.parametrize("name", ["MERGE_HEAD", "REVERT_HEAD", "CHERRY_PICK_HEAD", "rebase-merge/message"])
def test_an_operation_of_git_does_not_change_the_verdict_on_a_plain_message(
    hooked: Hooked, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = hooked.repo
    repo.write(f".git/{name}", repo.git("rev-parse", "HEAD"))
    repo.write("message", "feat: add it\n")
    subprocess.run([repo.path / ".git/hooks/commit-msg", "message"], cwd=repo.path, check=True)
    assert not hooked.note.exists()
    monkeypatch.chdir(repo.path)
    assert main(["message"]) == 0
    assert capsys.readouterr() == ("", "")
