"""Objects as models write them, whole and cut, and texts that have none."""

import json

from smartcommit.llm.api import ToolCall
from smartcommit.llm.model_text import find_calls, find_objects, list_objects, open_envelope, read_arguments, unwrap
from tests.support.table import rows

PAINT = {"type": "fix", "summary": "paint stripes"}


@rows(
    "text",
    json.dumps(PAINT),
    '{\n  // the kind\n  "type": "fix", /* and */\n  "summary": "paint stripes", # what\n}',
    "{'type': 'fix', 'summary': 'paint stripes'}",
    '{type: "fix", summary: "paint stripes"}',
    "{type: fix, summary: paint stripes}",
    '{"type": "fix" "summary": "paint stripes"}',
    '{"type": "fix";\n"summary": "paint stripes"}',
    '{"type": "fix", "summary": """paint stripes"""}',
    '{"type": "fix", "summary": "paint stripes"',
    '{"type": "fix", "summary": "paint stripes}',
    '```json\n{"type": "fix", "summary": "paint stripes\n```',
    "message = Message(type='fix', summary='paint stripes')",
    'So: {"type": "fix", "summary": "paint stripes"} it is',
)
def test_an_object_is_read_however_it_is_written(text: str) -> None:
    fields = next(list_objects(text))
    if text.endswith("stripes\n```"):
        assert fields == {"type": "fix"}
    else:
        assert fields == PAINT


@rows(
    ("text", "value"),
    (r'{"a": "say \"x\"\n\u00e9 \ud83e\udd93"}', 'say "x"\n\u00e9 \U0001f993'),
    (r"{'a': 'say \'x\'\n'}", "say 'x'\n"),
    (r"{'a': 'x\'} y', 'b': 1}", "x'} y"),
    ('{"a": "say "x" twice", "b": 1}', 'say "x" twice'),
    ("{'a': 'the zebra's stripes', 'b': 1}", "the zebra's stripes"),
    ('{"a": "two\nlines"}', "two\nlines"),
    ("{'a': '''\nx, y\n''', 'b': 1}", "\nx, y\n"),
    ("{'a': None, 'b': 1}", None),
    ("{a: true}", True),
    ("{a: 12}", 12),
    ("{a: ['x', \"y\",], b: 1}", ["x", "y"]),
    ("{a: {b: {c: 'd'}}}", {"b": {"c": "d"}}),
    ("{a: 'x', b: 'not clo", "x"),
)
def test_a_value_is_read_however_it_is_written(text: str, value: object) -> None:
    assert next(list_objects(text))["a"] == value


@rows(
    ("text", "found"),
    (
        '{"type": "fix", "summary": "paint stripes", "description": "Zebras, and l',
        {"type": "fix", "summary": "paint stripes"},
    ),
    ('So: {"type": "fix", "summary": "a, b", "scope', {"type": "fix", "summary": "a, b"}),
    ('{"candidates": [{"summary": "a"}, {"summ', {"candidates": [{"summary": "a"}]}),
)  # fmt: skip
def test_of_an_object_that_was_cut_what_is_complete_is_read(text: str, found: object) -> None:
    assert next(list_objects(text)) == found


@rows(
    "text",
    "no, nothing",
    "if (stripes) { return paint; }",
    "call(a, b)",
    "{zebra} and {lion}",
    '{"type": "fi',
    "{" * 8000 + "," * 8000,
)
def test_other_braces_are_no_object(text: str) -> None:
    assert list(find_objects(text)) == []


@rows(
    "text",
    '<function=say>{"type": "fix", "summary": "paint stripes"}</function>',
    "<function=say>\n<parameter=type>\nfix\n</parameter>\n<parameter=summary>paint stripes</parameter>\n",
    '<invoke name="say"><parameter name="type">fix</parameter><parameter name="summary" string="true">paint stripes'
    "</parameter></invoke>",
    "<say><type>fix</type><summary>paint stripes</summary></say>",
    "<say><type>fix</type><summary>paint stripes",
    "<tool_call>say\n<arg_key>type</arg_key>\n<arg_value>fix</arg_value><arg_key>summary</arg_key>"
    "<arg_value>paint stripes</arg_value></tool_call>",
    '<tool_call>{"name": "say", "arguments": {"type": "fix", "summary": "paint stripes"}}</tool_call>',
    '[{"function": {"name": "say", "arguments": "{\\"type\\": \\"fix\\", \\"summary\\": \\"paint stripes\\"}"}}]',
    'Action: Say\nAction Input: {"type": "fix", "summary": "paint stripes"}',
    "print(tools.say(type='fix', summary='paint stripes'))",
)
def test_a_call_is_read_however_it_is_written(text: str) -> None:
    assert find_calls(text, ["end", "say"]) == [ToolCall("say", PAINT)]
    assert find_calls(text, ["end", "stay"]) == []
    assert find_calls(f"<>{text}", []) == []


def test_all_calls_in_tags_are_read() -> None:
    text = "<say><type>a</type></say> and <function=end>{}</function>, <say><type>b</type></say>"
    assert [call.name for call in find_calls(text, ["end", "say"])] == ["say", "end", "say"]


@rows(
    ("value", "arguments"),
    (None, {}), ("", {}), ([PAINT], PAINT), ([PAINT, PAINT], str([PAINT, PAINT])),
    (f"```\n{json.dumps(PAINT)}\n```", PAINT), ("paint", "paint"), (7, "7"),
)  # fmt: skip
def test_arguments_are_an_object_or_a_text(value: object, arguments: object) -> None:
    assert read_arguments(value) == arguments


@rows(
    ("found", "arguments"),
    ({"name": "say", "arguments": PAINT}, PAINT),
    ({"name": "say", **PAINT}, {"name": "say", **PAINT}),
    ({"name": "end", "arguments": PAINT}, {"name": "end", "arguments": PAINT}),
)
def test_a_whole_call_in_place_of_its_arguments_is_opened(found: dict[str, object], arguments: object) -> None:
    assert unwrap(found, "say") == arguments


@rows("part", "<say>", "<function=say>", "</say>", "<say><a>x", "<arg_key>a</arg_key><arg_value>", "say {")
def test_hostile_calls_take_linear_time(part: str) -> None:
    assert len(find_calls(part * 8000, ["end", "say"])) <= 1


@rows(
    ("content", "left"),
    ("<think>a</think>b", "b"),
    ("<think>a<think>b</think>c</think>d", "d"),
    ("thoughts</think>b", "b"),
    ("b<think>never closed", "b"),
    ("<THINKING>a</THINKING> b", "b"),
    ("<|channel|>analysis<|message|>hm<|end|><|channel|>final<|message|>b<|return|>", "b"),
    ("<|channel|>analysis<|message|>hm", ""),
    ("analysisHm. assistantfinal b", "b"),
    ("a < b and c > d", "a < b and c > d"),
)
def test_thoughts_are_taken_out(content: str, left: str) -> None:
    assert open_envelope(content) == left


@rows("text", "analysisA" * 500_000, f"analysis{' ' * 500_000}")
def test_hostile_envelopes_take_linear_time(text: str) -> None:
    assert open_envelope(text) == text.strip()


@rows("part", '{"a":', "{a:[", '{"a": "b" ', "{'", "x(a=", "{a:/*", '{"a": "\\', "{a = b, ")
def test_hostile_texts_take_linear_time(part: str) -> None:
    assert len(list(find_objects(part * 8000))) <= 40
