"""A program in place of a model server: what it gets, what becomes of its answer, and its bounds."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from smartcommit import config
from smartcommit.draft.result import Draft
from smartcommit.errors import ConfigError, LLMConnectError
from smartcommit.git.repo import Repository
from smartcommit.llm.program import KNOWN_PROGRAMS, find_program, split_command
from tests.support.commands import Command
from tests.support.drafts import draft_staged
from tests.support.processes import gone, patience
from tests.support.repository import Repo
from tests.support.table import rows

MESSAGE = "feat: paint stripes\n"
ARGUMENTS = '{"type": "feat", "summary": "paint stripes"}'
EVENTS = '{"type": "init", "id": 7}\n{"type": "result", "result": "feat: paint stripes"}'
EVENTS_HINT = "set smartcommit.command to a command line that prints the answer alone"


@pytest.fixture
def staged(repo: Repo) -> Repo:
    """A repository with a staged file that holds a secret."""
    repo.commit(files={"kept.txt": "kept\n"})
    repo.stage({"zebra.py": "def stripes():\n    password = 'correct-horse-9'\n    return 7\n"})
    return repo


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the programs of a test lie, and what they write."""
    path = tmp_path / "programs"
    path.mkdir()
    return path


def write_program(folder: Path, text: str, *, interpreter: str = "/bin/sh", name: str = "ask") -> Path:
    path = folder / name
    path.write_text(f"#!{interpreter}\n{text}")
    path.chmod(0o755)
    return path


def make(repo: Repo, *command: str | Path, seconds: float = 60, **settings: str) -> Draft:
    """The draft for the staged change in `repo`, by `command`."""
    repository = Repository.find(str(repo.path))
    given = {
        "SMARTCOMMIT_PROVIDER": "command",
        "SMARTCOMMIT_COMMAND": shlex.join(map(str, command)),
        "SMARTCOMMIT_ALLOW_REMOTE": "true",
        **settings,
    }
    chosen = config.load(repository.worktree, environment={**os.environ, **given})
    return draft_staged(repository, chosen, seconds=seconds)


def wait_for_end(pid: int) -> None:
    """Wait until a process that was killed is gone, which takes a moment."""
    assert any(gone(pid) for _ in patience())


def draft_embedded(repo: Repo) -> str | None:
    """The draft without a model."""
    return make(repo, "unused", SMARTCOMMIT_PROVIDER="embedded").text


def test_a_program_that_hangs_is_ended_at_the_deadline_with_what_it_started(staged: Repo, folder: Path) -> None:
    ask = write_program(folder, f"sleep 600 & echo $! >{folder}/child\ntrap '' TERM\nsleep 600\n")
    begun = time.monotonic()
    made = make(staged, ask, seconds=1)
    assert time.monotonic() - begun < 20
    assert (made.text, made.reason) == (draft_embedded(staged), "no answer within 1 s")
    wait_for_end(int((folder / "child").read_text()))


def test_what_a_program_leaves_running_is_ended_too(staged: Repo, folder: Path) -> None:
    ask = write_program(folder, f"sleep 600 & echo $! >{folder}/child\necho '{ARGUMENTS}'\n")
    assert make(staged, ask).text == MESSAGE
    wait_for_end(int((folder / "child").read_text()))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_program_ends_with_the_process_that_asks_it(folder: Path, number: int) -> None:
    ask = write_program(
        folder, f"trap '' TERM HUP\nsleep 600 & echo $! >{folder}/child\necho $$ >{folder}/pid\nsleep 600\n"
    )
    code = (
        "from smartcommit.llm.program import run_program\n"
        "from smartcommit.waiting import Deadline\n"
        f"run_program([{str(ask)!r}], 'word', deadline=Deadline(600))\n"
    )
    root = Path(__file__).parents[2]
    asking = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(root)})
    written = folder / "pid"
    assert any(written.exists() and written.read_text().endswith("\n") for _ in patience())
    asking.send_signal(number)
    asking.wait(60)
    for name in ("pid", "child"):
        wait_for_end(int((folder / name).read_text()))


@rows(
    ("text", "reason"),
    ("echo 'no credits left' >&2; exit 3", "'ask' exited with status 3: no credits left"),
    ("echo 'no credits left' >&2; echo ' ' >&2; exit 3", "'ask' exited with status 3: no credits left"),
    ("echo half; kill -KILL $$", "'ask' was killed by signal 9"),
    ("echo key sk-ant-api03-" + "kQ7v" * 15 + " is invalid >&2; exit 1", "key [redacted: model provider key] is"),
    ("cat >/dev/null", "'ask' printed no answer"),
    ("yes", "'ask' printed more than 4 MiB"),
    (f"head -c {4 << 20} /dev/zero", "the model gave no "),
    ("yes >&2 & yes >&2", "no answer within 2 s"),
    ("exec >&- 2>&-; sleep 600", "no answer within 2 s"),
    ("head -c 3000 /dev/urandom", "the model gave no "),
    (r"printf '\377\000{\"type\": '", "the model gave no "),
    (f"echo '{EVENTS}'", f"'ask' printed a stream of events; {EVENTS_HINT}"),
    (f"""echo '{EVENTS}' | tr '\\n' ',' | sed 's/^/[/; s/,$/]/'""", "'ask' printed a stream of events"),
    ("""printf '{"event": "a"}\\n\\n{"done": true}'""", "'ask' printed a stream of events"),
    ("""printf '{"event": "a"}'""", "no usable answer in 3 turns: 'type' is missing"),
    ("echo 'data: {}'", "'ask' printed a stream of events"),
    ("""echo '{"type": "feat"}'""", "no usable answer in 3 turns: 'summary' is missing"),
)
def test_a_program_that_fails_leaves_the_embedded_draft(staged: Repo, folder: Path, text: str, reason: str) -> None:
    made = make(staged, write_program(folder, f"{text}\n"), seconds=2 if "within 2 s" in reason else 60)
    assert made.text == draft_embedded(staged)
    assert reason in str(made.reason)
    assert "\n" not in made.comments[0]


def test_a_known_program_that_prints_events_is_told_its_usual_line(staged: Repo, folder: Path) -> None:
    made = make(staged, write_program(folder, f"echo '{EVENTS}'\n", name="claude"))
    assert str(made.reason).endswith(f"{EVENTS_HINT}, such as 'claude -p'")


def test_a_file_that_cannot_be_run_is_told(staged: Repo, folder: Path) -> None:
    broken = write_program(folder, "", interpreter="/nowhere/sh")
    assert f"cannot run '{broken}': no such file or directory" in str(make(staged, broken).reason)
    broken.chmod(0o644)
    assert f"cannot run '{broken}': not found" in str(make(staged, broken).reason)


@rows("name", "./ask", "tools/ask")
def test_a_program_of_the_repository_is_not_run(staged: Repo, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (staged.path / "tools").mkdir(exist_ok=True)
    write_program(staged.path, f"echo '{ARGUMENTS}'\n")
    write_program(staged.path / "tools", f"echo '{ARGUMENTS}'\n")
    monkeypatch.chdir(staged.path)
    assert "not an absolute path" in str(make(staged, name).reason)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    assert "not found on PATH" in str(make(staged, "ask").reason)


def test_a_program_gets_its_arguments_but_no_settings_and_no_files(
    staged: Repo, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMARTCOMMIT_API_KEY", "sesame")
    monkeypatch.setenv("GIT_INDEX_FILE", str(staged.path / ".git" / "index"))
    monkeypatch.setenv("ZOO_KEY", "for the program")
    notes = f"env >{folder}/env; ls -A >{folder}/listing; pwd >{folder}/cwd; printf '%s\\n' \"$@\" >{folder}/arguments"
    ask = write_program(folder, f"{notes}; echo '{ARGUMENTS}'\n")
    assert make(staged, ask, "-m", "$(touch hacked); a model").text == MESSAGE
    assert (folder / "arguments").read_text() == "-m\n$(touch hacked); a model\n"
    environment = (folder / "env").read_text()
    assert "SMARTCOMMIT_" not in environment
    assert "GIT_INDEX_FILE" not in environment
    assert "ZOO_KEY=for the program" in environment
    assert (folder / "listing").read_text() == ""
    assert not Path((folder / "cwd").read_text().strip()).exists()


@pytest.mark.parametrize("name", ["ask", "ollama"])
def test_a_program_needs_to_be_allowed_and_a_policy_cannot_allow_it(staged: Repo, folder: Path, name: str) -> None:
    ask = write_program(folder, f"touch {folder}/asked; echo '{ARGUMENTS}'\n", name=name)
    staged.write(".smartcommit", "[smartcommit]\n\tallowRemote = true\n")
    made = make(staged, ask, SMARTCOMMIT_ALLOW_REMOTE="false")
    assert not (folder / "asked").exists()
    assert made.text == draft_embedded(staged)
    assert made.comments == [
        f"smartcommit: drafted without a model: '{name}' may send what it reads to another machine, and sending "
        "changes to other machines is not allowed; run 'git config --global smartcommit.allowRemote true'"
    ]
    staged.git("config", "smartcommit.allowRemote", "true")
    made = make(staged, ask)
    assert made == Draft(MESSAGE, name, usage=made.usage)


@rows("name", *KNOWN_PROGRAMS)
def test_each_known_line_runs_the_program_of_its_name(name: str) -> None:
    assert split_command(KNOWN_PROGRAMS[name].command)[0] == name


@rows("line", "", "  ", "'open")
def test_a_command_that_cannot_be_split_is_a_settings_error(line: str) -> None:
    with pytest.raises(ConfigError, match="command") as caught:
        split_command(line)
    assert "smartcommit.command" in (caught.value.hint or "")


def test_a_program_below_the_home_folder_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = write_program(folder, "")
    monkeypatch.setenv("HOME", str(folder))
    assert find_program("~/ask") == str(ask)
    with pytest.raises(LLMConnectError, match="not found"):
        find_program("~/other")


def test_what_is_shown_is_what_a_program_reads(
    staged: Repo, folder: Path, monkeypatch: pytest.MonkeyPatch, smartcommit: Command
) -> None:
    ask = write_program(folder, f"cat >{folder}/prompt; echo working >&2; echo '{ARGUMENTS}'\n")
    monkeypatch.chdir(staged.path)
    staged.git("config", "smartcommit.provider", "command")
    staged.git("config", "smartcommit.command", str(ask))
    staged.git("config", "smartcommit.allowRemote", "true")
    shown = smartcommit("draft", "--show-prompt").out
    assert [word in shown for word in ("zebra.py", '"summary"', "correct-horse-9")] == [True, True, False]
    assert not (folder / "prompt").exists()
    drafted = smartcommit("draft").out
    assert shown + drafted == (folder / "prompt").read_text() + "\n" + MESSAGE
