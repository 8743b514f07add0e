"""Claude Code, played by a script that speaks its language."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from smartcommit.executor.agents import ClaudeAgent, CommandAgent, make_agent
from smartcommit.executor.output import OutputCapture
from smartcommit.executor.run import AttemptFailed, Run
from tests.support.table import rows

MARK = "SUGGESTED_COMMIT_MESSAGE:"


def text(said: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": said}]}}


def uses(name: str, **given: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": name, "input": given}]}}


def result(said: str = "", **fields: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "is_error": False, "result": said, **fields}


def run(tmp_path: Path, *events: Any, status: int = 0) -> OutputCapture:
    """What is heard of a `claude` that prints `events`, each as JSON or, where it is text, as it stands."""
    lines = [event if isinstance(event, str) else json.dumps(event) for event in events]
    program = tmp_path / "claude"
    program.write_text(
        f"#!{sys.executable} -IS\nimport sys\n"
        "open('called', 'w').write(' '.join(sys.argv[1:]) + '|' + sys.stdin.read())\n"
        f"print({chr(10).join(lines)!r})\nsys.exit({status})\n"
    )
    program.chmod(0o755)
    output = OutputCapture()
    ClaudeAgent([str(program), "--model", "opus"]).run("the prompt", output, Run(str(tmp_path), str(tmp_path)))
    return output


def test_it_is_asked_for_events_and_gets_the_prompt_as_input(tmp_path: Path) -> None:
    run(tmp_path, result())
    assert (tmp_path / "called").read_text() == (
        "--print --verbose --output-format stream-json --input-format text --permission-mode acceptEdits --model opus"
        "|the prompt"
    )


@rows("chosen", "--permission-mode=plan", "--dangerously-skip-permissions")
def test_a_persons_own_permissions_stand(chosen: str) -> None:
    assert "acceptEdits" not in ClaudeAgent(["claude", chosen]).command()


@rows(
    ("events", "suggested"),
    ([text(f"Done.\n{MARK} feat: a\n\nwhy"), result(f"Done.\n{MARK} feat: a\n\nwhy")], "feat: a\n\nwhy"),
    ([text(f"{MARK} feat: a"), text("Anything else?"), result("Anything else?")], "feat: a"),
    ([result(f"{MARK} feat: only here")], "feat: only here"),
    ([uses("Read", file_path="x" * 200_000), text(f"{MARK} feat: a"), result()], "feat: a"),
    ([{"type": "user", "message": {"content": f"{MARK} feat: quoted"}}, result()], ""),
    ([{"type": "assistant", "message": None}, {"type": "assistant"}, "[]", "17", result()], ""),
)
def test_a_suggestion_is_found_in_its_messages_alone(tmp_path: Path, events: list[Any], suggested: str) -> None:
    assert run(tmp_path, {"type": "system"}, *events).extract_commit_message() == suggested


def test_what_it_does_is_heard_as_text(tmp_path: Path) -> None:
    output = run(tmp_path, text("Looking."), uses("Bash", command="make test\nexit"), "a warning", result("Looking."))
    assert output.list_last_lines() == ["Looking.", "> Bash: make test", "a warning"]


@rows(
    ("events", "status", "said"),
    ([result("out of credit", is_error=True)], 0, "the agent reported an error: out of credit"),
    ([{"type": "result", "subtype": "error_max_turns"}], 0, "the agent reported an error: error_max_turns"),
    ([text("hello")], 0, "the agent exited without a result"),
    ([result()], 1, "the agent exited with status 1"),
)
def test_success_is_more_than_an_exit_status(tmp_path: Path, events: list[Any], status: int, said: str) -> None:
    with pytest.raises(AttemptFailed, match=said):
        run(tmp_path, *events, status=status)


def test_the_agents_name_decides_how_it_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program: program)
    for line, kind in (("claude -x", ClaudeAgent), ("/opt/bin/claude", ClaudeAgent), ("codex exec -", CommandAgent)):
        assert type(make_agent(line)) is kind
