"""The loop against a scripted server, in both dialects."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field

from smartcommit.agent import loop
from smartcommit.agent.loop import agentic_loop, find_turn_limit
from smartcommit.agent.tool import inline, tool
from smartcommit.errors import AgentError, Cancelled, NoTerminalCall, ToolFailed, ToolRetry, TurnLimitExceeded
from smartcommit.llm.client import LLMClient
from smartcommit.waiting import Deadline
from tests.support import model_server as server
from tests.support.model_server import ModelServer, Step, serve
from tests.support.table import rows


class LookArgs(BaseModel):
    path: str
    lines: list[int] = []


class EndArgs(BaseModel):
    text: Annotated[str, AfterValidator(str.strip)]


@tool(LookArgs)
def look(args: LookArgs, *, analyzer: Any, **_: Any) -> str:
    """Look at a file."""
    if args.path == "gone":
        raise ToolFailed("it is gone")
    if args.path == "bad":
        raise ToolRetry("give a path of the list")
    return f"{analyzer} {args.path} {args.lines} " + "word " * (4000 if args.path == "large" else 0)


@tool(EndArgs)
def end(args: EndArgs, **_: Any) -> str:
    """End the work."""
    if args.text == "refused":
        raise ValueError("not that")
    return args.text


GIVEN: list[dict[str, Any]] = [
    {"role": "system", "content": "the rules"},
    {"role": "user", "content": "to be done: a b c"},
]
DONE = server.calls(("end", {"text": " done "}))


def run(model: ModelServer, *script: Step, **options: Any) -> tuple[Any, list[dict[str, Any]]]:
    """What the loop returns for `script`, and the conversation."""
    model.script[:] = script
    model.asked.clear()
    messages = list(GIVEN)
    config = model.config(context=options.pop("context", 16384))
    options.setdefault("deadline", Deadline(60))
    result = agentic_loop(LLMClient(config), messages, [look], end, analyzer="ground", **options)
    return result, messages


def results(model: ModelServer, request: int = -1) -> list[str]:
    """The results of tools in one request."""
    return [m["content"] for m in model.questions[request].payload["messages"] if m["role"] == "tool"]


def told(model: ModelServer, request: int = -1) -> list[str]:
    """What the loop said itself in one request."""
    messages = model.questions[request].payload["messages"]
    return [m["content"] for m in messages[len(GIVEN) :] if m["role"] == "user"]


def test_the_terminal_tool_ends_the_loop_with_what_it_returns(model: ModelServer) -> None:
    result, messages = run(model, server.calls(("look", {"path": "a"})), DONE)
    assert result == "done"
    assert results(model) == ["ground a [] "]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "assistant"]


def test_every_call_of_a_turn_is_answered_in_order(model: ModelServer) -> None:
    run(model, server.calls(("look", {"path": "a"}), ("nothing", {}), ("look", {"path": "b"})), DONE)
    assert [text.split(" ")[1] for text in results(model)] == ["a", "tool", "b"]
    sent = model.questions[1].payload["messages"]
    if model.dialect == "openai":
        asked = [call["id"] for message in sent for call in message.get("tool_calls", ())]
        assert [message["tool_call_id"] for message in sent if message["role"] == "tool"] == asked


@rows(
    ("call", "answer"),
    (("gaze", {}), "no tool named 'gaze'; available tools: look, end"),
    (("look", {}), "invalid arguments: 'path' is missing; fix them and call again"),
    (
        ("look", "no json"),
        "invalid arguments: the arguments are not a JSON object, or are too long or nested too deeply; "
        "fix them and call again",
    ),
    (("look", {"path": "bad"}), "invalid arguments: give a path of the list; fix them and call again"),
    (("look", {"path": "gone"}), "failed: it is gone"),
    (("end", {"text": "refused"}), "invalid arguments: not that; fix them and call again"),
    (("look", {"path": "a", "lines": "[1, 2]"}), "ground a [1, 2] "),
)
def test_what_went_wrong_is_told_and_can_be_mended(model: ModelServer, call: tuple[str, object], answer: str) -> None:
    result, _ = run(model, server.calls(call), DONE)
    assert result == "done"
    assert results(model) == [answer]


def test_the_deadline_is_checked_before_each_call(model: ModelServer) -> None:
    made: list[str] = []

    def tick(left: float) -> None:
        if len(made) == 3:
            raise Cancelled("stopped by Ctrl-C")

    many = server.calls(*[("look", {"path": str(number)}) for number in range(10)])
    with pytest.raises(Cancelled):
        run(model, many, DONE, deadline=Deadline(60, tick=tick), log=made.append)
    assert len(made) == 3


def test_calls_beyond_the_limit_are_dropped(model: ModelServer) -> None:
    many = server.calls(*[("look", {"path": str(number)}) for number in range(40)])
    result, messages = run(model, many, DONE)
    assert result == "done"
    assert results(model) == [f"ground {number} [] " for number in range(32)]
    assert len(messages[2]["tool_calls"]) == 32


def test_who_only_talks_is_reminded_then_forced_then_left(model: ModelServer) -> None:
    with pytest.raises(NoTerminalCall, match="and said: I think that it adds a thing"):
        run(model, server.says("I think that it adds a thing"))
    # Two turns of talk, one forced by a call, one by a schema.
    assert len(model.questions) == 4
    assert told(model, 1)[0].startswith("That was not a tool call")


def test_who_repeats_without_end_is_forced(model: ModelServer) -> None:
    again = server.calls(("look", {"path": "a"}))
    result, _ = run(model, again, again, again, DONE)
    assert result == "done"
    assert results(model)[1] == "this exact call was already answered above; continue from there"
    (spec,) = model.questions[3].payload["tools"]
    assert (spec["type"], spec["function"]["name"]) == ("function", "end")


def test_the_last_two_turns_offer_the_end_only(model: ModelServer) -> None:
    refused = server.calls(("end", {"text": "refused"}))
    looks = [server.calls(("look", {"path": name})) for name in "ab"]
    result, _ = run(model, *looks, refused, DONE, turns=4)
    assert result == "done"
    offered = [[spec["function"]["description"] for spec in asked.payload["tools"]] for asked in model.questions]
    assert offered == [["Look at a file.", "End the work."]] * 2 + [["End the work."]] * 2


def test_turns_that_are_used_up_end_it(model: ModelServer) -> None:
    with pytest.raises(TurnLimitExceeded, match=r"^no usable answer in 3 turns: not that$"):
        run(model, server.calls(("end", {"text": "refused"})), turns=3)
    assert len(model.questions) == 3


@rows(
    "step",
    server.says("Well."),
    server.calls(("look", {"path": "a"})),
    server.calls(("end", {"text": "refused"})),
    server.calls(("end", "no json")),
    server.calls(("gaze", {})),
)
@rows("begun", 0, 3, 5, 6)
def test_no_model_gets_more_requests_than_there_are_turns(model: ModelServer, step: Step, begun: int) -> None:
    looks = [server.calls(("look", {"path": str(number)})) for number in range(begun)]
    with pytest.raises(AgentError):
        run(model, *looks, step, turns=6)
    assert len(model.questions) <= 6


def test_a_server_without_tools_is_asked_for_json_at_once(model: ModelServer) -> None:
    result, _ = run(model, server.refuses(400, "tools are not supported"), server.says(""),
                    server.says('{"text": "done"}'))  # fmt: skip
    assert result == "done"
    assert "tools" not in model.questions[2].payload


def test_the_countdown_names_the_end_in_every_one_of_the_last_turns(model: ModelServer) -> None:
    looks = [server.calls(("look", {"path": str(number)})) for number in range(7)]
    run(model, *looks, server.calls(("end", {"text": "refused"})), DONE, turns=9)
    said = told(model)
    assert said == [f"{n} turns are left: call end NOW." for n in (6, 5, 4, 3, 2)] + ["1 turn is left: call end NOW."]
    assert loop.TURNS_WARN_AT == 6


def test_the_callers_countdown_takes_its_place(model: ModelServer) -> None:
    looks = [server.calls(("look", {"path": str(number)})) for number in range(2)]
    run(model, *looks, DONE, turns=4, countdown_message_fn=lambda left: f"{left} to go")
    assert told(model) == ["3 to go", "2 to go"]


def test_each_call_and_rejection_is_logged(model: ModelServer) -> None:
    lines: list[str] = []
    run(model, server.calls(("look", {"path": "bad"}), ("gaze", {})), DONE, turns=3, log=lines.append)
    assert lines == [
        "[1/3] look(path='bad')",
        "[1/3] look rejected: give a path of the list",
        "[1/3] gaze()",
        "[1/3] gaze rejected: no tool named 'gaze'",
        "[2/3] end(text=' done ')",
    ]


def test_a_large_result_is_cut_at_a_line_and_can_be_asked_about(model: ModelServer) -> None:
    run(model, server.calls(("look", {"path": "large"})), DONE)
    (text,) = results(model)
    assert len(text) < 7000
    assert text.endswith("use query_tool_result with id r1 for the rest]")


def test_old_results_give_way_and_what_is_to_be_done_stays(model: ModelServer) -> None:
    looks = [server.calls(("look", {"path": "large", "lines": [number]})) for number in range(12)]
    run(model, *looks[:5], DONE, turns=20)
    assert not any("omitted" in text for text in results(model))
    _, messages = run(model, *looks, DONE, turns=20, context=2048)
    assert messages[:2] == GIVEN
    sent = json.dumps(model.questions[-1].payload["messages"])
    assert len(sent) < 12_000
    assert ["omitted; use query_tool_result" in text for text in results(model)] == [True] * 10 + [False] * 2


@rows(("hunks", "turns"), (0, 20), (4, 20), (5, 22), (25, 30), (10_000, 50))
def test_a_larger_change_is_worth_more_turns(hunks: int, turns: int) -> None:
    assert find_turn_limit(hunks) == turns


class Inner(BaseModel):
    title: str = Field("x", description="the title")


class Outer(BaseModel):
    one: Inner
    many: list[Inner]


class Node(BaseModel):
    children: list[Node]


def test_references_of_a_schema_are_replaced_by_what_they_name() -> None:
    schema = Outer.model_json_schema()
    shape = inline(schema, schema["$defs"])
    inner = {"type": "object", "properties": {"title": {"type": "string", "description": "the title"}}}
    assert shape["properties"] == {"one": inner, "many": {"type": "array", "items": inner}}
    assert "$defs" not in shape
    schema = Node.model_json_schema()
    assert "$ref" not in str(inline(schema, schema["$defs"]))


def read_answer(text: str) -> dict[str, str] | None:
    return {"text": text.partition(": ")[2]} if text.startswith("answer: ") else None


@tool(EndArgs, read_text=read_answer, describe=lambda args: args.text[:3])
def answer(args: EndArgs, **_: Any) -> str:
    """End the work in words."""
    return end(args)


@rows("said", server.says("answer: done"), server.calls(("answer", "answer: done")))
def test_a_text_may_stand_for_the_end_and_is_refused_as_it_is(model: ModelServer, said: Step) -> None:
    model.script[:] = [server.says("answer: refused"), said]
    model.asked.clear()
    lines: list[str] = []
    client = LLMClient(model.config())
    given = agentic_loop(client, list(GIVEN), [look], answer, deadline=Deadline(60), log=lines.append)
    assert (given, lines[-1]) == ("done", "[2/20] answer(don)")
    assert told(model)[0].startswith("invalid arguments: not that; fix them and call again\n\nThat was not a tool call")


@tool(EndArgs, find_needed=lambda: look)
def last(args: EndArgs, **_: Any) -> str:
    """End the work that others did."""
    return args.text


@rows("script", [server.says("Well.")], [server.refuses(400, "tools are not supported"), server.says("")])
def test_where_the_end_needs_calls_a_model_that_makes_none_is_left(model: ModelServer, script: list[Step]) -> None:
    model.script[:] = script
    model.asked.clear()
    with pytest.raises(NoTerminalCall, match="the model gave no "):
        agentic_loop(LLMClient(model.config()), list(GIVEN), [look], last, deadline=Deadline(60))
    assert len(model.questions) == 2


def ends(reason: str, **message: object) -> Step:
    """An answer that ended for the API's `reason`."""

    def step(handler: server.Handler) -> None:
        answer = {"role": "assistant", "content": "", **message}
        if handler.model.dialect == "ollama":
            handler.whole(200, {"message": answer, "done": True, "done_reason": reason})
        else:
            handler.whole(200, {"choices": [{"message": answer, "finish_reason": reason}]})

    return step


@rows(
    ("step", "reason"),
    (ends("content_filter"), "the server's content filter stopped the answer"),
    (ends("SAFETY"), "the server's content filter stopped the answer"),
    (ends("length"), "the model was still thinking when it reached its limit"),
    (ends("length", content="Let me see: "), "the answer was cut, because it reached the model's limit"),
    (ends("stop", content="I cannot\ndo that."), "the model gave no usable answer, and said: I cannot do that."),
    (ends("stop", content="no " * 50), f"the model gave no usable answer, and said: {'no ' * 33}n"),
    (ends("stop"), "the model gave no answer"),
)
def test_why_a_model_did_not_end_the_work_is_told(model: ModelServer, step: Step, reason: str) -> None:
    with pytest.raises(NoTerminalCall) as caught:
        run(model, step)
    assert str(caught.value) == reason


def streams_refusal(handler: server.Handler) -> None:
    """OpenAI's refusal, in a stream."""
    handler.begin()
    for piece in ("I can't\n", "do that."):
        handler.put(server.event({"choices": [{"delta": {"refusal": piece}, "finish_reason": None}]}))
    handler.put(server.event({"choices": [{"delta": {}, "finish_reason": "stop"}]}))


@rows("step", ends("stop", refusal="I can't do that."), streams_refusal)
def test_a_refusal_is_told(step: Step) -> None:
    with serve("openai") as model, pytest.raises(NoTerminalCall, match=r"the model refused: I can't do that\."):
        run(model, step)


@tool(LookArgs, whole=True)
def whole(args: LookArgs, **_: Any) -> str:
    """What is left to do."""
    if args.path == "bad":
        raise ToolRetry("give a path of the list")
    return f"left after {args.path} " + "word " * 1600


def test_of_results_that_stay_whole_the_last_one_does(model: ModelServer) -> None:
    steps = [server.calls(("whole", {"path": path})) for path in ("a", "b", "c", "bad", "d")]
    looks = [server.calls(("look", {"path": f"x{number}"})) for number in range(5)]
    model.script[:] = [*steps, *looks, DONE]
    config = model.config(context=8192, output=512)
    agentic_loop(LLMClient(config), list(GIVEN), [look, whole], end, deadline=Deadline(60), analyzer="ground")
    shown = results(model)
    assert next(text for text in shown if text.startswith("left after d ")).endswith("word ")
    assert not any(text.startswith("left after a ") for text in shown)
    assert any("use query_tool_result" in text for text in shown)
