"""The part of the hooks of `smartcommit install` that accepts a message without Python: in every shell, never more."""

from __future__ import annotations

import os
import random
import shutil
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit import coding_agent, state_files
from smartcommit.claims.staged import TYPES
from smartcommit.message.cleanup import find_cleaning
from smartcommit.message.rules import DEFAULT_TYPES, SUMMARY_LIMIT, Rules
from smartcommit.settings import KEYS
from smartcommit.setup.hook_scripts import write_hook
from smartcommit.setup.plain_messages import write_functions
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
LEFT = {
    **{
        f"the claim {claim}": f"fix: {claim}\n".encode()
        for claim in (
            "mend `x`",
            "mend a_b",
            "mend a/b",
            "mend a.b",
            "mend x::y",
            "mend x()",
            "mend --x",
            "mend aB",
            "remove it",
            "Removes it",
            "delete it",
            "dropped it",
            "renaming it",
            "moved it",
        )
    },
    **{f"the type {name}": f"{name}: do it\n".encode() for name in TYPES},
    "a word": b"update\n",
    "no colon": b"feat\n",
    "no summary": b"feat: \n",
    "no space": b"feat:x\n",
    "two spaces": b"feat:  x\n",
    "a tab": b"feat:\tx\n",
    "another type": b"feature: x\n",
    "another case": b"Feat: x\n",
    "a space before": b" feat: x\n",
    "a space before the colon": b"feat : x\n",
    "an empty scope": b"feat(): x\n",
    "a scope in capitals": b"feat(API): x\n",
    "a scope with a digit first": b"feat(1a): x\n",
    "a scope of two words": b"feat(a b): x\n",
    "two scopes": b"feat(a)(b): x\n",
    "nested scopes": b"feat((a)): x\n",
    "an open scope": b"feat(a: x\n",
    "a closed scope": b"feata): x\n",
    "a scope behind the mark": b"feat!(a): x\n",
    "two marks": b"feat!!: x\n",
    "a pattern for a type": b"*: x\n",
    "a pattern for a scope": b"feat(*): x\n",
    "one too long": LONGEST.encode() + b"a\n",
    "a body": b"feat: x\n\nbecause\n",
    "a line right below": b"feat: x\nbecause\n",
    "two headers": b"feat: x\nfix: y\n",
    "no final newline": b"feat: x",
    "a text without newline below": b"feat: x\ny",
    "nothing": b"",
    "a blank line first": b"\nfeat: x\n",
    "a carriage return": b"feat: x\r\n",
    "a carriage return within": b"feat: x\ry\n",
    "NUL within": b"feat: a\0b\n",
    "NUL before": b"\0feat: x\n",
    "NUL in the type": b"fe\0at: x\n",
    "NUL at the end of the line": b"feat: x\0\n",
    "NUL below": b"feat: x\n\0",
    "NUL and no newline": b"feat: x\0",
    "many NUL": b"feat: x" + b"\0" * 300 + b"\n",
    "an escape": b"feat: \x1b[31mx\n",
    "a delete": b"feat: x\x7f\n",
    "a vertical tab": b"feat: x\x0by\n",
    "Latin-1": b"feat: caf\xe9\n",
    "UTF-8": "feat: café\n".encode(),
    "cut UTF-8": b"feat: caf\xc3\n",
    "a zero-width space": "feat: x\u200by\n".encode(),
    "a direction": "feat: \u202ex\n".encode(),
    "a letter that is i in small": "FİX: x\n".encode(),
    "a scope in Latin-1": b"feat(\xe9): x\n",
    "fullwidth letters": "feat: ｘ\n".encode(),
    "a long line": b"feat: " + b"x" * 20_000 + b"\n",
    "a backslash at the end": b"feat: x\\\ny\n",
    "a comment": b"# feat: x\n",
    "a fixup": b"fixup! feat: x\n",
}


@pytest.fixture(params=SHELLS, ids=lambda name: name.replace(" ", "-"))
def shell(request: pytest.FixtureRequest) -> list[str]:
    """The command of a shell, if it is installed."""
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


def test_the_shell_accepts_plain_headers(shell: list[str], tmp_path: Path) -> None:
    named = write_messages(tmp_path, [message.encode() + b"\n" for message in ACCEPTED])
    assert find_accepted(shell, tmp_path) == set(named)


@pytest.mark.parametrize("variables", [{}, {"LC_ALL": "C"}, {"BASHOPTS": "nocasematch:extglob", "size": "8"}], ids=str)
def test_the_shell_leaves_every_other_message_to_python(
    shell: list[str], variables: dict[str, str], tmp_path: Path
) -> None:
    named = write_messages(tmp_path, list(LEFT.values()))
    accepted = find_accepted(shell, tmp_path, **variables)
    assert [named[name] for name in accepted] == []


def test_the_size_of_a_file_is_found_where_there_is_no_proc(shell: list[str], tmp_path: Path) -> None:
    plain = [message.encode() + b"\n" for message in ACCEPTED]
    named = write_messages(tmp_path, [*plain, *LEFT.values()])
    accepted = find_accepted(shell, tmp_path, proc="/nowhere")
    assert sorted(named[name] for name in accepted) == sorted(plain)


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
    """A random message near the border of what is plain."""
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


def test_the_first_commit_starts_no_python(hooked: Hooked) -> None:
    hooked.repo.git("checkout", "-q", "--orphan", "other")
    assert not hooked.starts_python()


def test_an_unusual_message_starts_python(hooked: Hooked) -> None:
    done = hooked.repo.run("commit", "--allow-empty", "-m", "feat: add it", "-m", "Why.")
    assert (done.returncode, hooked.note.exists()) == (0, True)


@pytest.mark.parametrize("variable", coding_agent.VARIABLES)
def test_a_coding_agent_starts_python(hooked: Hooked, variable: str) -> None:
    assert hooked.starts_python(**{variable: "1"})


@pytest.mark.parametrize("name", [".smartcommit", ".smartcommit/policy", ".smartcommit/plans/a"])
def test_a_policy_in_the_working_tree_starts_python(hooked: Hooked, name: str) -> None:
    hooked.repo.write(name, "[smartcommit]\n")
    assert hooked.starts_python()


def test_a_policy_behind_a_link_starts_python(hooked: Hooked) -> None:
    hooked.repo.write("policy", "[smartcommit]\n")
    (hooked.repo.path / ".smartcommit").symlink_to("policy")
    assert hooked.starts_python()


@pytest.mark.parametrize("command", [("rm", "-q", "--cached"), ("rm", "-q")], ids=" ".join)
def test_a_policy_in_head_alone_starts_python(hooked: Hooked, command: tuple[str, ...]) -> None:
    hooked.repo.commit("chore: have rules", {".smartcommit": "[smartcommit]\n\ttypes = a\n"})
    hooked.repo.git(*command, ".smartcommit")
    (hooked.repo.path / ".smartcommit").unlink(missing_ok=True)
    assert hooked.starts_python()
    assert not hooked.starts_python()  # that commit had no policy any more


SETTINGS = [
    ("smartcommit.types", "a"),
    ("SmartCommit.Draft", "true"),
    ("core.commentChar", "f"),
    ("core.commentString", "feat"),
    ("commit.cleanup", "scissors"),
    ("i18n.commitEncoding", "ISO-8859-1"),
]


@pytest.mark.parametrize(("name", "value"), SETTINGS, ids=[name for name, _ in SETTINGS])
def test_a_setting_starts_python(hooked: Hooked, name: str, value: str) -> None:
    assert hooked.starts_python("-c", f"{name}={value}")


def set_included(repo: Repo, condition: str) -> dict[str, str]:
    repo.write(".git/more", "[smartcommit]\n\tdraft\n")
    repo.git("config", f"{condition}.path", "more")
    return {}


def set_worktree(repo: Repo) -> dict[str, str]:
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "smartcommit.draft", "true")
    return {}


def set_home(name: str) -> dict[str, str]:
    path = Path(os.environ["HOME"], name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[smartcommit]\n\tdraft\n")
    return {}


def set_system(repo: Repo) -> dict[str, str]:
    path = repo.write(".git/system", "[smartcommit]\n\tdraft\n")
    return {"GIT_CONFIG_NOSYSTEM": "false", "GIT_CONFIG_SYSTEM": str(path)}


def set_local(repo: Repo) -> dict[str, str]:
    repo.git("config", "smartcommit.draft", "true")
    return {}


COUNTED = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "smartcommit.draft", "GIT_CONFIG_VALUE_0": "true"}
SCOPES: dict[str, Callable[[Repo], dict[str, str]]] = {
    "system": set_system,
    "global": lambda _: set_home(".gitconfig"),
    "XDG": lambda _: set_home(".config/git/config"),
    "local": set_local,
    "worktree": set_worktree,
    "include": lambda repo: set_included(repo, "include"),
    "include by directory": lambda repo: set_included(repo, f"includeIf.gitdir:{repo.path.resolve()}/"),
    "include by branch": lambda repo: set_included(repo, "includeIf.onbranch:main"),
    "environment": lambda _: COUNTED,
}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_setting_starts_python_wherever_it_is_set(hooked: Hooked, scope: str) -> None:
    assert hooked.starts_python(**SCOPES[scope](hooked.repo))


def test_an_invalid_configuration_is_left_to_python(hooked: Hooked) -> None:
    broken = hooked.repo.write(".git/broken", "[\n")
    hooked.repo.write("message", "feat: add it\n")
    hook = hooked.repo.path / ".git/hooks/commit-msg"
    env = {**os.environ, "GIT_CONFIG_GLOBAL": str(broken)}
    subprocess.run([hook, "message"], cwd=hooked.repo.path, env=env, check=True)
    assert hooked.note.exists()


def test_every_variable_of_ours_starts_python(hooked: Hooked) -> None:
    left = [key.variable for key in KEYS if not hooked.starts_python(**{key.variable: ""})]
    assert left == []


@pytest.mark.parametrize("name", [state_files.REFUSED, state_files.PROOF])
def test_a_file_of_ours_that_waits_for_the_commit_starts_python(hooked: Hooked, name: str) -> None:
    state_files.save(str(hooked.repo.path / ".git"), name, b"x\n")
    assert hooked.starts_python()


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


def test_a_submodule_starts_python(hooked: Hooked, tmp_path: Path) -> None:
    outer = Repo.init(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(hooked.repo.path), "inner")
    hook = outer.write(".git/modules/inner/hooks/commit-msg", write_hook("commit-msg", ".git/hooks"), executable=True)
    assert hook.exists()
    assert hooked.starts_python(repo=Repo(outer.path / "inner"))


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


def test_the_text_of_the_hook_does_not_depend_on_its_name(hooked: Hooked) -> None:
    hooked.repo.write("message", "feat: add it\n")
    text = write_hook("commit-msg", ".git/hooks").decode()
    subprocess.run(["sh", "-c", text, "any", "message"], cwd=hooked.repo.path, check=True)
    assert not hooked.note.exists()
