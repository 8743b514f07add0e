"""Programs in sessions of their own: heard, watched, and ended with what they start."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from smartcommit import signals
from smartcommit.errors import Cancelled
from smartcommit.executor.agents import CommandAgent, run_check
from smartcommit.executor.output import OutputCapture
from smartcommit.executor.run import AttemptFailed, Run
from smartcommit.processes import run as processes
from smartcommit.processes.run import Limits, TimedOut, find_shell, run_group, run_in_session
from smartcommit.verdict import EXECUTION
from tests.executor.conftest import environment
from tests.support.processes import gone, patience
from tests.support.table import rows

pytestmark = pytest.mark.usefixtures("python_handlers")


@rows(
    ("programs", "shell"),
    ({"sh": "C:/msys/sh.exe", "git": "C:/Git/cmd/git.exe"}, "C:/msys/sh.exe"),
    ({"git": "C:/Git/cmd/git.exe", "sh in C:/Git/bin": "C:/Git/bin/sh.exe"}, "C:/Git/bin/sh.exe"),
    ({"git": "C:/Git/cmd/git.exe"}, "sh"),
    ({}, "sh"),
)
def test_the_shell_on_windows_is_that_of_git(
    programs: dict[str, str], shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "IS_WINDOWS", True)
    monkeypatch.setattr(
        processes.shutil, "which", lambda name, path=None: programs.get(f"{name} in {path}" if path else name)
    )
    assert find_shell() == shell


def test_output_and_errors_are_heard_together_or_apart(tmp_path: Path) -> None:
    script = ["sh", "-c", "echo out; echo err >&2; cat; exit 3"]
    heard, errors = bytearray(), bytearray()
    where: dict[str, Any] = {"directory": str(tmp_path), "environment": os.environ, "stdin": b"given"}
    assert run_in_session(script, feed=heard.extend, **where) == 3
    assert heard == b"out\nerr\ngiven"
    heard.clear()
    assert run_in_session(script, feed=heard.extend, feed_errors=errors.extend, **where) == 3
    assert (heard, errors) == (b"out\ngiven", b"err\n")


def test_what_a_listener_or_a_watcher_raises_ends_the_program(tmp_path: Path) -> None:
    def refuse(printed: bytes = b"") -> None:
        raise ValueError("enough")

    def watch() -> None:
        if heard:
            refuse()

    heard = bytearray()
    for options in ({"feed": refuse}, {"feed": heard.extend, "watch": watch}):
        command = ["sh", "-c", "echo $$ > pid; echo on; exec sleep 600"]
        with pytest.raises(ValueError, match="enough"):
            run_in_session(command, directory=str(tmp_path), environment=os.environ, **options)
        assert any(gone(int((tmp_path / "pid").read_text())) for _ in patience())


def test_a_signal_while_a_process_is_started_ends_that_process_too(monkeypatch: pytest.MonkeyPatch) -> None:
    popen = subprocess.Popen
    made: list[subprocess.Popen[bytes]] = []

    def interrupted(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        process = popen(*arguments, **options)
        made.append(process)
        # Here the process runs, and nobody but this function knows of it.
        signal.raise_signal(signal.SIGTERM)
        return process

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    with signals.exit_on_signals(), pytest.raises(SystemExit):
        run_in_session(["sleep", "600"], directory="/", environment=os.environ, feed=bytearray().extend)
    assert [process.returncode for process in made] == [-signal.SIGKILL]


PATIENT = Limits(timeout=60, stall=60, grace=20)
NOTES = "echo $$ >> pids"
HANGS = f"{NOTES}; echo at work; exec sleep 600"


# Processes of a run are found by its mark, so a test that shared one would end those of another worker.
def shell(
    script: str, place: Path, *, limits: Limits = PATIENT, mark: str = "", **options: object
) -> tuple[int, bytes]:
    heard: list[bytes] = []
    status = run_group(
        ["sh", "-c", script], directory=str(place), feed=heard.append,
        environment={**os.environ, EXECUTION: mark or str(place)},
        limits=limits, **options,  # type: ignore[arg-type]
    )  # fmt: skip
    return status, b"".join(heard)


def noted(place: Path) -> list[int]:
    return [int(line) for line in (place / "pids").read_text().split()] if (place / "pids").exists() else []


def test_output_and_status_of_a_group_are_the_commands_own(tmp_path: Path) -> None:
    for script, status, output in [
        ("echo out; echo err >&2; cat", 0, b"out\nerr\ngiven"),
        ("exit 3", 3, b""),
        ("kill -9 $$", 137, b""),
        ("kill -9 $PPID", 137, b""),
        ("(yes; echo $? >status) | head -n 1; cat status", 0, b"y\n141\n"),
        ("printf %s $PWD; exec true", 0, str(tmp_path).encode()),
    ]:
        assert shell(script, tmp_path, stdin=b"given") == (status, output), script
    # One that never reads a large prompt does not hang.
    assert shell("true", tmp_path, stdin=b"x" * (1 << 22)) == (0, b"")


def test_a_command_that_is_none_is_said_so(tmp_path: Path) -> None:
    heard: list[bytes] = []
    status = run_group(["./absent"], directory=str(tmp_path), environment=os.environ, feed=heard.append)
    assert (status, b"".join(heard)) == (127, b"cannot run './absent': no such file or directory\n")


@rows(
    ("script", "limits", "said"),
    (HANGS, Limits(timeout=60, stall=0.3, grace=5), "was stopped after 0.3 s"),
    (f"{NOTES}; while echo still here; do sleep 0.05; done", Limits(0.5, 60, 5), "timed out after 0.5 s"),
)
def test_a_command_that_hangs_is_ended(tmp_path: Path, script: str, limits: Limits, said: str) -> None:
    with pytest.raises(TimedOut, match=said):
        shell(script, tmp_path, limits=limits)
    assert all(gone(pid) for pid in noted(tmp_path))


@pytest.mark.parametrize("way", ["{}", "nohup {}", "trap '' TERM INT; {}", "setsid {}"])
def test_children_are_ended_with_it(tmp_path: Path, way: str) -> None:
    child = way.format("sh -c \"trap '' TERM; echo \\$$ >> pids; sleep 600\" </dev/null >/dev/null 2>&1")
    script = f"{child} & echo $$ >> pids; while [ $(wc -l < pids) -lt 2 ]; do sleep 0.01; done; sleep 600"
    with pytest.raises(Cancelled):
        shell(
            script, tmp_path, limits=Limits(60, 60, grace=0.2), mark=f"children {tmp_path}",
            stopped=lambda: len(noted(tmp_path)) == 2,
        )  # fmt: skip
    assert [gone(pid) for pid in noted(tmp_path)] == [True, True]


def test_what_got_away_and_talks_for_ever_is_heard_for_a_moment_only(tmp_path: Path) -> None:
    # It left the group and dropped the mark; writing where nobody listens ends it.
    away = "setsid env -i sh -c 'echo y; echo $$ >> pids; exec yes'"
    script = f"{away} & while ! test -e pids; do sleep 0.01; done; {NOTES}"
    output = OutputCapture()
    status = run_group(["sh", "-c", script], directory=str(tmp_path), environment=os.environ, feed=output.feed)
    assert (status, output.list_last_lines()[-1:]) == (0, ["y"])
    assert any(all(map(gone, noted(tmp_path))) for _ in patience())


def test_a_command_may_clean_up_when_it_is_asked_to_end(tmp_path: Path) -> None:
    script = f"trap 'echo cleaned > cleaned; exit 1' TERM; {NOTES}; while :; do sleep 0.02; done"
    with pytest.raises(Cancelled):
        shell(script, tmp_path, stopped=lambda: len(noted(tmp_path)) == 1)
    assert (tmp_path / "cleaned").exists()


def test_nothing_outlives_an_executor_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import os\nfrom smartcommit.processes.run import run_group\n"
        f"run_group(['sh', '-c', {HANGS!r} ], directory={str(tmp_path)!r}, environment=os.environ, feed=print)"
    )
    with subprocess.Popen([sys.executable, "-c", code], env=environment(), stdout=subprocess.DEVNULL) as executor:
        agent = next(noted(tmp_path)[0] for _ in patience() if noted(tmp_path))
        assert not gone(agent)
        executor.send_signal(signal.SIGKILL)
    assert any(gone(agent) for _ in patience())


def test_a_command_gets_the_prompt_and_the_trees_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMARTCOMMIT_API_KEY", "sesame")
    seen: list[str] = []
    agent = CommandAgent(["sh", "-c", 'env; cat; echo "$PWD"'])
    agent.run("the prompt", OutputCapture(seen=seen.extend), Run(str(tmp_path), str(tmp_path), PATIENT))
    assert f"the prompt{tmp_path}" in seen
    assert not [line for line in seen if "sesame" in line]


def test_a_check_that_fails_tells_its_last_words_and_how_it_ended(tmp_path: Path) -> None:
    for script, said in [
        ("seq 100; exit 4", "exited with status 4"),
        ("seq 100; exit 255", "exited with status 255"),
        ("seq 100; exit 128", "exited with status 128"),
        ("seq 100; kill -KILL $$", "was killed by signal 9"),
        ("seq 100; exit 143", "was killed by signal 15"),
    ]:
        seen: list[str] = []
        with pytest.raises(AttemptFailed) as failed:
            run_check(script, Run(str(tmp_path), str(tmp_path), PATIENT), seen=seen.extend)
        assert str(failed.value).splitlines() == [f"the check '{script}' {said}", *map(str, range(61, 101))]
        assert len(seen) == 100
