"""A model behind a real `git commit`: what the editor opens on, and Ctrl-C on a pseudo-terminal."""

import os
import re
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping

import pytest

from tests.support import model_server as server
from tests.support.installation import Installation
from tests.support.model_server import ModelServer, Step, serve
from tests.support.precommit import Framework
from tests.support.processes import members, patience
from tests.support.repository import Repo
from tests.support.tty import run_on_terminal

# A back-reference makes git's matcher try every way to divide a line, which takes hours.
SLOW = r"(([a-z]{1,9})*\2)*"
GOOD = server.calls(("submit_message", {"type": "feat", "summary": "paint stripes"}))


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model's server: which API it has matters to the client alone, and each test here makes a real commit."""
    with serve("openai", GOOD) as running:
        yield running


@pytest.fixture
def hooked(repo: Repo, installation: Installation) -> Repo:
    """A repository with both hooks, a staged file, and an editor that keeps what it is given."""
    repo.commit(files={"kept.txt": "kept\n"})
    repo.stage({"zebra.py": "def stripes():\n    return 7\n"})
    # The editor completes nothing, and what a weak draft looks like matters elsewhere.
    repo.git("config", "smartcommit.wholeDrafts", "true")
    installation.add_hooks(repo, "prepare-commit-msg", "commit-msg")
    return repo


def commit(repo: Repo, *arguments: str, **environment: str) -> tuple[str, str]:
    """What `git commit` recorded, and the file as its editor opened on it; the commit must succeed."""
    editor = repo.editor(f'cp "$1" "{repo.path.parent}/opened"')
    repo.git("commit", "-q", *arguments, env={"GIT_EDITOR": editor, **environment})
    return repo.message(), (repo.path.parent / "opened").read_text()


@pytest.mark.parametrize("dialect", server.DIALECTS)
def test_the_editor_opens_on_the_models_draft_and_says_so(hooked: Repo, dialect: str) -> None:
    with serve(dialect, GOOD) as model:
        recorded, opened = commit(hooked, **model.environment())
    assert recorded == "feat: paint stripes\n\n"
    assert opened.startswith("feat: paint stripes\n\n# smartcommit: drafted by scripted\n\n# Please enter")


@pytest.mark.parametrize("step", [server.refuses(401), server.hangs, server.page(), server.says("no idea")])
def test_a_model_that_fails_never_blocks_the_commit(hooked: Repo, model: ModelServer, step: Step) -> None:
    model.script[:] = [step]
    recorded, opened = commit(hooked, **model.environment(SMARTCOMMIT_DEADLINE="2"))
    assert recorded.startswith("feat: add ")
    assert "\n# smartcommit: drafted without a model: " in opened


@pytest.mark.parametrize(
    "options",
    [["--cleanup=whitespace"], ["--cleanup=verbatim"], ["--cleanup=scissors"], ["-v"], ["-s"],
     ["-s", "--trailer", "Reviewed-by: Bo <bo@example.invalid>"]],
)  # fmt: skip
def test_no_comment_of_ours_is_ever_recorded(hooked: Repo, model: ModelServer, options: list[str]) -> None:
    hooked.git("config", "commit.cleanup", options[0].partition("=")[2] or "default")
    recorded, _ = commit(hooked, *(options if "=" not in options[0] else []), **model.environment())
    assert recorded.startswith("feat: paint stripes\n")
    assert "smartcommit:" not in recorded


def test_what_git_could_take_for_something_else_is_recorded_word_for_word(hooked: Repo, model: ModelServer) -> None:
    cut = "# ------------------------ >8 ------------------------"
    description = f"#stripes first\n\n{cut}\n\n+++ b/stripes\n\nreturn stripes"
    model.script[:] = [
        server.calls(("submit_message", {"type": "feat", "summary": "paint stripes", "description": description}))
    ]
    recorded, opened = commit(hooked, "-v", **model.environment())
    assert opened.startswith(recorded.rstrip("\n") + "\n\n# smartcommit: drafted by")
    for words in ("stripes first", cut.lstrip("# "), "+++ b/stripes", "return stripes"):
        assert words in recorded
    assert hooked.git("log", "-1", "--format=%(trailers)").strip() == ""


@pytest.mark.parametrize("options", [[], ["--cleanup=strip"], ["--cleanup=verbatim"]])
def test_a_draft_is_recorded_unseen_with_what_is_said(hooked: Repo, model: ModelServer, options: list[str]) -> None:
    description = "Why."
    model.script[:] = [
        server.calls(("submit_message", {"type": "feat", "summary": "paint stripes", "description": description}))
    ]
    for config in ("core.commentChar=#", "core.commentChar=auto"):
        hooked.stage({"zebra.py": f"stripes = {config!r}\n"})
        done = hooked.run("-c", config, "commit", "--no-edit", *options, env=model.environment())
        assert done.returncode == 0
        assert done.stderr == b"smartcommit: drafted by scripted\n"
        assert hooked.message().rstrip("\n") == "feat: paint stripes\n\nWhy."


def test_the_drafts_of_a_refused_commit_are_not_paid_for_twice(hooked: Repo, model: ModelServer) -> None:
    environment = model.environment(GIT_EDITOR="false")
    for _ in range(2):
        assert hooked.run("commit", env=environment).returncode != 0
    assert commit(hooked, **model.environment())[0] == "feat: paint stripes\n\n"
    assert len(model.questions) == 1


def test_two_worktrees_commit_at_once_and_keep_their_own(hooked: Repo, model: ModelServer) -> None:
    hooked.git("worktree", "add", "-q", "../second", "-b", "second")
    second = Repo(hooked.path.parent / "second")
    second.stage({"lion.py": "def stripes():\n    return 1\n"})
    environment = model.environment(GIT_EDITOR="true")
    with_both = [
        subprocess.Popen(["git", "commit", "-q"], cwd=repo.path, env={**os.environ, **environment},
                         start_new_session=True)
        for repo in (hooked, second)
    ]  # fmt: skip
    assert [process.wait() for process in with_both] == [0, 0]
    assert hooked.message() == second.message() == "feat: paint stripes\n\n"
    for place in (".git/smartcommit/draft.json", ".git/worktrees/second/smartcommit/draft.json"):
        assert (hooked.path / place).exists()


def commit_on_terminal(repo: Repo, environment: Mapping[str, str], shown: str, act: Callable[[int], object]) -> str:
    """What an interactive shell shows that commits, and does `act` with its terminal once `shown` was there."""
    typed = "git commit -q; echo status=$?.; stty -a | grep -o '.isig'; exit\n"
    command = ["bash", "--norc", "--noprofile", "-i"]
    environment = {"GIT_EDITOR": "true", "SMARTCOMMIT_DEADLINE": "60", **environment, "PS1": "$ "}
    seen, _ = run_on_terminal(command, cwd=repo.path, answers=typed, env=environment, shown_then=(shown, act))
    return seen


def interrupt(terminal: int) -> None:
    os.write(terminal, b"\x03")


WAITING = "Ctrl-C to continue without the model"


def test_ctrl_c_while_a_model_is_asked_gives_the_embedded_draft(hooked: Repo, model: ModelServer) -> None:
    model.script[:] = [server.hangs]
    shown = commit_on_terminal(hooked, model.environment(), WAITING, interrupt)
    assert "status=0." in shown
    # The line is erased, and the terminal has its modes again.
    assert "\r\x1b[K" in shown.rpartition("without the model")[2]
    assert "-isig" not in shown.rpartition("status=")[2]
    assert hooked.message().startswith("feat: add ")
    assert not (hooked.path / ".git/index.lock").exists()


def test_ctrl_c_before_a_model_is_asked_gives_the_embedded_draft(hooked: Repo, model: ModelServer) -> None:
    # The last draft is looked for before a model is asked: a pipe in its place holds the hook until it is closed.
    pipe = hooked.path / ".git/smartcommit/draft.json"
    pipe.parent.mkdir()
    os.mkfifo(pipe)

    def interrupt_reading(terminal: int) -> None:
        with pipe.open("wb"):
            interrupt(terminal)

    def wait(terminal: int) -> None:
        threading.Thread(target=interrupt_reading, args=(terminal,)).start()

    shown = commit_on_terminal(hooked, model.environment(), "$ ", wait)
    assert "status=0." in shown
    assert "-isig" not in shown.rpartition("status=")[2]
    assert hooked.message().startswith("feat: add ")
    assert model.questions == []


def test_ctrl_c_while_a_tool_works_gives_the_embedded_draft(hooked: Repo, model: ModelServer) -> None:
    hooked.stage({"slow.txt": f"{'ab' * 20}\n" * 20_000})
    # All searches would take 90 s.
    model.script[:] = [server.calls(*[("search_diff", {"pattern": f"{SLOW}{number}$"}) for number in range(30)])]
    environment = model.environment(SMARTCOMMIT_DEADLINE="120")
    pressed: list[float] = []

    def press(terminal: int) -> None:
        pressed.append(time.monotonic())
        interrupt(terminal)

    shown = commit_on_terminal(hooked, environment, "search_diff", press)
    assert time.monotonic() - pressed[0] < 20
    assert "status=0." in shown
    assert hooked.message().startswith("chore: add ")


def test_without_a_terminal_sigint_ends_the_commit_and_leaves_no_lock(hooked: Repo, model: ModelServer) -> None:
    asked = threading.Event()

    def hang(handler: server.Handler) -> None:
        asked.set()
        server.hangs(handler)

    model.script[:] = [hang]
    environment = {**os.environ, **model.environment(GIT_EDITOR="true", SMARTCOMMIT_DEADLINE="60")}
    process = subprocess.Popen(
        ["git", "commit", "-q"], cwd=hooked.path, env=environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert asked.wait(60)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) != 0
    assert hooked.message() == "chore: base\n\n"
    assert not (hooked.path / ".git/index.lock").exists()
    assert any(not members(process.pid) for _ in patience())


def test_the_modes_of_the_terminal_come_back_when_the_hook_is_ended(hooked: Repo, model: ModelServer) -> None:
    model.script[:] = [server.hangs]

    def end(terminal: int) -> None:
        assert not termios.tcgetattr(terminal)[3] & termios.ISIG
        os.killpg(os.tcgetpgrp(terminal), signal.SIGTERM)

    shown = commit_on_terminal(hooked, model.environment(), WAITING, end)
    assert "-isig" not in shown.rpartition("status=")[2]


# A slow machine has used some of them up before the first line is shown.
@pytest.mark.parametrize(("unstaged", "seconds"), [(True, range(1, 11)), (False, range(11, 21))])
def test_the_deadline_is_short_in_a_framework(repo: Repo, framework: Framework, unstaged: bool, seconds: range) -> None:
    framework.configure(repo, "prepare-commit-msg")
    framework.install(repo, "prepare-commit-msg")
    repo.stage({"zebra.py": "def stripes():\n    return 7\n"})
    if unstaged:
        repo.write("zebra.py", "the unstaged work\n")
    with serve("openai", server.hangs) as model:
        environment = {"GIT_EDITOR": "true", **model.environment()}
        shown, _ = run_on_terminal(
            ["git", "commit", "-q"], cwd=repo.path, env=environment, shown_then=(WAITING, interrupt)
        )
    found = re.search(r"(\d+) s left", shown)
    assert found
    assert int(found[1]) in seconds
    assert repo.message().startswith("feat: add ")
    assert (repo.path / "zebra.py").read_text() == (
        "the unstaged work\n" if unstaged else "def stripes():\n    return 7\n"
    )
