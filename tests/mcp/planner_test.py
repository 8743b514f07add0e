"""The planner over the Model Context Protocol, by the SDK's own client, in both eras."""

import json
import os
import select
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult, Tool

from smartcommit.jj.guidance import TOOLS
from smartcommit.jj.models import ToolResponse
from smartcommit.jj.tools import Planner
from smartcommit.mcp.server import build_server
from smartcommit.message.plan_sections import PREFIXES
from smartcommit.message.rules import Rules
from tests.jj.tools_test import FINISHED
from tests.support.installation import Installation
from tests.support.processes import patience
from tests.support.table import rows
from tests.support.workspace import Workspace

VALID = "fix: mend stuff\n\nfixed stuff\n\nConstraints: none\n\nTasks [ ]:\n- [ ] look again\n"
WORKFLOW: list[tuple[str, dict[str, Any]]] = [
    ("start_planning", {"type": "feat", "scope": "parser", "summary": "accept comments in lists"}),
    ("update_description", {"description": "Configurations have comments."}),
    ("set_constraints", {"constraints": ["Do not: change how strings are read"]}),
    ("set_tasks", {"tasks": [
        {"summary": "read comments", "details": "in the tokeniser"}, {"summary": "keep positions", "level": 1},
        {"summary": "test both", "level": 1}, {"summary": "document them"},
    ]}),
    ("mark_task", {"task_id": "keep-positions"}),
    ("mark_task", {"task_id": "test-both", "completed": True}),
    ("mark_task", {"task_id": "document-them"}),
    ("finish_job", {}),
]  # fmt: skip
Work = Callable[[Client], Awaitable[None]]


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def talk(workspace: Workspace, work: Work, *, era: str, **callbacks: Any) -> None:
    """Run `work` with a client of the planner on `workspace`."""

    async def main() -> None:
        server = build_server(Planner(str(workspace.path)))
        async with Client(server, mode=era, raise_exceptions=True, **callbacks) as client:
            await work(client)

    anyio.run(main)


def test_there_are_exactly_twelve_tools_with_closed_schemas(workspace: Workspace, era: str) -> None:
    tools: dict[str, Tool] = {}

    async def work(client: Client) -> None:
        tools.update({tool.name: tool for tool in (await client.list_tools()).tools})

    talk(workspace, work, era=era)
    assert tuple(tools) == TOOLS
    assert len(TOOLS) == 12
    having: dict[str, set[str]] = {"read_only_hint": set(), "destructive_hint": set(), "idempotent_hint": set()}
    for name, tool in tools.items():
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False
        assert all("description" in field for field in tool.input_schema["properties"].values())
        assert tool.output_schema is not None
        for hint, names in having.items():
            names.update({name} if getattr(tool.annotations, hint) else ())
    assert having == {
        "read_only_hint": {"get_plan", "get_constraints", "get_tasks"},
        "destructive_hint": {"start_planning", "update_description", "set_constraints", "set_tasks", "verify_plan"},
        "idempotent_hint": {*TOOLS} - {"mark_task"},
    }
    # No argument is recursive.
    item = tools["set_tasks"].input_schema["$defs"]["TaskItem"]
    assert item["additionalProperties"] is False
    assert set(item["properties"]) == {"summary", "details", "level", "completed"}
    assert "$ref" not in json.dumps(item)
    assert all(word in str(tools["update_description"].description) for word in ("why", "what", "how", "context"))


def test_the_whole_workflow(workspace: Workspace, era: str) -> None:
    async def work(client: Client) -> None:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        phases = []
        for name, arguments in WORKFLOW:
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer.content
            assert json.loads(answer.content[0].text) == answer.structured_content
            jsonschema.validate(answer.structured_content, schemas[name])
            phases.append(ToolResponse.model_validate(answer.structured_content).current_state.phase)
        assert phases == ["planning"] * 4 + ["executing"] * 3 + ["complete"]
        plan = await client.call_tool("get_plan")
        assert plan.structured_content["plan"]["metadata"] == {
            "totalTasks": 4, "completedTasks": 4, "isComplete": True,
        }  # fmt: skip

    talk(workspace, work, era=era)
    assert workspace.description == FINISHED


@rows(
    ("name", "arguments", "word"),
    ("finish_job", {}, "no plan yet"),
    ("start_planning", {"type": "feat", "summary": "x", "comfirm": True}, "comfirm"),
    ("start_planning", {"type": "nonsense", "summary": "x"}, "type-unknown"),
    ("start_planning", {"summary": "x"}, "'type' is missing"),
    ("set_tasks", {"tasks": [{"summary": "a", "depth": 1}]}, "tasks.0.depth"),
    ("verify_plan", {"choice": "C"}, "choice"),
)
def test_a_refusal_is_a_result_that_says_where_the_plan_stands(
    workspace: Workspace, era: str, name: str, arguments: dict[str, Any], word: str
) -> None:
    async def work(client: Client) -> None:
        answer = await client.call_tool(name, arguments)
        assert answer.is_error
        response = ToolResponse.model_validate(answer.structured_content)
        assert response.status == "error"
        assert word in response.action_taken
        assert response.next_actions.recommended

    talk(workspace, work, era=era)
    assert workspace.description == ""


def test_eight_calls_at_once_lose_nothing(workspace: Workspace, era: str) -> None:
    async def work(client: Client) -> None:
        await client.call_tool("start_planning", {"type": "feat", "summary": "x"})
        await client.call_tool("set_tasks", {"tasks": [{"summary": f"task {number}"} for number in range(8)]})
        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(client.call_tool, "mark_task", {"task_id": f"task-{number}"})
        answer = await client.call_tool("get_plan")
        assert answer.structured_content["current_state"]["completed_tasks"] == 8

    talk(workspace, work, era=era)
    assert workspace.versions() == 1


@rows(
    ("description", "given", "answer", "said"),
    ("fixed stuff\n", {}, ElicitResult(action="accept", content={"choice": "A"}), "start_planning with confirm=true"),
    ("fixed stuff\n", {}, ElicitResult(action="accept", content={"choice": "B"}), "read-only: the current message"),
    ("fixed stuff\n", {}, ElicitResult(action="decline"), "Choose: A) reformat this commit"),
    # A client that cannot ask is given the template, and chooses itself.
    ("fixed stuff\n", {}, None, "Choose: A) Reformat this commit"),
    ("fixed stuff\n", {}, None, '"required_confirmation": true'),
    ("fixed stuff\n", {"choice": "A"}, None, "start_planning with confirm=true"),
    # Nobody is asked about a plan that is one.
    (FINISHED, {}, ElicitResult(action="decline"), "success"),
)
def test_a_person_is_asked_about_a_message_that_is_no_plan(
    workspace: Workspace, era: str, description: str, given: dict[str, str], answer: ElicitResult | None, said: str
) -> None:
    workspace.describe(description)

    async def elicit(_: Any, params: Any) -> ElicitResult:
        assert set(params.requested_schema["properties"]) == {"choice"}
        assert "CURRENT MESSAGE:\nfixed stuff" in params.message
        assert answer is not None
        return answer

    async def work(client: Client) -> None:
        answered = await client.call_tool("verify_plan", given)
        assert not answered.is_error, answered.content
        assert said in json.dumps(answered.structured_content)

    talk(workspace, work, era=era, elicitation_callback=elicit if answer else None)
    assert workspace.description == description


def test_a_failing_jj_is_a_plain_answer(workspace: Workspace, era: str, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.describe("fixed stuff\n")
    monkeypatch.setenv("PATH", "/nowhere")

    async def work(client: Client) -> None:
        for name, arguments in (("verify_plan", {}), ("mark_task", {"task_id": "a"}), ("get_plan", {})):
            answer = await client.call_tool(name, arguments)
            assert answer.is_error
            assert "CRITICAL" in answer.structured_content["action_taken"]
            assert len(answer.structured_content["next_actions"]["blocked"]) == 12

    talk(workspace, work, era=era)


def test_a_repository_can_be_named(workspace: Workspace, installation: Installation, era: str, tmp_path: Path) -> None:
    parameters = StdioServerParameters(
        command=installation.script("smartcommit"), args=["mcp", "--repo", str(workspace.path)], cwd=str(tmp_path)
    )

    async def main() -> None:
        async with Client(parameters, mode=era) as client:  # type: ignore[arg-type]
            for name, arguments in WORKFLOW:
                assert not (await client.call_tool(name, arguments)).is_error

    anyio.run(main)
    assert workspace.description == FINISHED


def test_a_call_that_was_cancelled_does_not_write(workspace: Workspace, era: str) -> None:
    workspace.describe(VALID)
    built, reading, cancelled = threading.Event(), threading.Event(), threading.Event()

    def hesitate() -> Rules:
        """Return the rules; for a call of a tool only once the call was cancelled."""
        if built.is_set():
            reading.set()
            assert cancelled.wait(60)
        return Rules()

    async def main() -> None:
        server = build_server(Planner(str(workspace.path), rules=hesitate))
        built.set()
        async with Client(server, mode=era, raise_exceptions=True) as client, anyio.create_task_group() as group:  # type: ignore[arg-type]
            group.start_soon(client.call_tool, "mark_task", {"task_id": "look-again"})
            assert await anyio.to_thread.run_sync(reading.wait, 60)
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                # The server handles messages in order, so it has heard of it once it answers this.
                await client.list_tools()
                cancelled.set()
                answer = await client.call_tool("get_plan")
        assert answer.structured_content["current_state"]["completed_tasks"] == 0

    anyio.run(main)
    assert workspace.description == VALID


def test_the_guide_is_a_prompt_and_tells_the_projects_own_limit(workspace: Workspace, era: str) -> None:
    async def main() -> None:
        server = build_server(Planner(str(workspace.path), rules=lambda: Rules(summary_limit=72)))
        async with Client(server, mode=era, raise_exceptions=True) as client:  # type: ignore[arg-type]
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            for name in ("start_planning", "update_goal"):
                described = tools[name].input_schema["properties"]["summary"]["description"]
                assert described == "imperative, one line, at most 72 characters"
            (prompt,) = (await client.list_prompts()).prompts
            assert prompt.description
            (message,) = (await client.get_prompt(prompt.name, {"goal": "mend it"})).messages
            text = message.content.text  # type: ignore[union-attr]
            words = (
                "Ideal workflow",
                "Planning practice",
                "Flexibility",
                "mend it",
                "at most 72 characters",
                *PREFIXES,
            )
            assert [word for word in words if word not in text] == []

    anyio.run(main)


class Wire:
    """`smartcommit mcp` as a process, and the lines to and from it."""

    def __init__(self, workspace: Workspace, installation: Installation) -> None:
        self.process = subprocess.Popen(
            [installation.script("smartcommit"), "mcp", "--repo", str(workspace.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}))
        self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def send(self, line: str) -> None:
        os.write(self.process.stdin.fileno(), f"{line}\n".encode())

    def ask(self, line: str) -> Any:
        """Send a request, and return its answer."""
        self.send(line)
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        assert ready, "never answered"
        return json.loads(self.process.stdout.readline())


@pytest.fixture
def wire(workspace: Workspace, installation: Installation) -> Iterator[Wire]:
    wire = Wire(workspace, installation)
    with wire.process:
        yield wire
        wire.process.kill()


def test_a_client_that_goes_ends_the_server_without_a_traceback(wire: Wire) -> None:
    wire.process.stdout.close()
    for _ in patience():
        # It ends between two lines, once it could not write the answer to one.
        with suppress(BrokenPipeError):
            wire.send('{"jsonrpc": "2.0", "id": 2, "method": "ping"}')
        if wire.process.poll() is not None:
            break
    assert wire.process.returncode == 0
    assert wire.process.stderr.read() == ""
