"""What harnesses say, in the JSON that they document, and what they are answered."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from smartcommit.git.repo import Repository
from smartcommit.harness import hook
from smartcommit.harness.events import Notice, read_notice, tell
from smartcommit.harness.install import write_command
from smartcommit.harness.products import PRODUCTS
from smartcommit.json_text import dumps, loads
from smartcommit.session import registry
from smartcommit.session.edits import Deletion, FoundContent, NewContent, Patch, Replacement
from smartcommit.session.ledger import Ledger
from tests.support.repository import Repo
from tests.support.table import rows

SESSION = "3f2a9c1e-0000-4000-8000-000000000001"
PATCH = "*** Begin Patch\n*** Update File: f.txt\n@@\n one\n-two\n+TWO\n three\n*** End Patch\n"


def claude(event: str, **fields: object) -> dict[str, object]:
    common = {"session_id": SESSION, "transcript_path": "/t.jsonl", "cwd": "/w", "hook_event_name": event}
    return {**common, "permission_mode": "default", **fields}


def codex(event: str, **fields: object) -> dict[str, object]:
    common = {"session_id": SESSION, "transcript_path": None, "cwd": "/w", "hook_event_name": event, "model": "m"}
    return {**common, "turn_id": "1", "permission_mode": "default", **fields}


def gemini(event: str, **fields: object) -> dict[str, object]:
    common = {"session_id": SESSION, "transcript_path": "/t.json", "cwd": "/w", "hook_event_name": event}
    return {**common, "timestamp": "2026-11-23T10:00:00Z", **fields}


def copilot(**fields: object) -> dict[str, object]:
    return {"sessionId": SESSION, "timestamp": 1_700_000_000_000, "cwd": "/w", **fields}


def cursor(event: str, **fields: object) -> dict[str, object]:
    common = {"conversation_id": SESSION, "generation_id": "g", "workspace_roots": ["/w"], "cursor_version": "2"}
    return {**common, "hook_event_name": event, **fields}


def tool(name: str, arguments: object, **fields: object) -> dict[str, object]:
    return {"tool_name": name, "tool_input": arguments, "tool_use_id": "call 1", **fields}


KINDS = ("start", "prompt", "before", "after", "stop")
CLAUDES = "SessionStart UserPromptSubmit PreToolUse PostToolUse Stop"
GEMINIS = "SessionStart BeforeAgent BeforeTool AfterTool AfterAgent"
CURSORS = "sessionStart beforeSubmitPrompt preToolUse postToolUse stop"
EVENTS = {"codex": (codex, CLAUDES), "gemini": (gemini, GEMINIS), "cursor": (cursor, CURSORS)}


def say(product: str, kind: str, **fields: object) -> dict[str, object]:
    """An event as a product says it; Copilot names none."""
    if product == "copilot":
        return copilot(**fields, **({"stopReason": "end_turn"} if kind == "stop" else {}))
    make, names = EVENTS.get(product, (claude, CLAUDES))
    return make(names.split()[KINDS.index(kind)], **fields)


def call(product: str, kind: str, name: str, arguments: object, **fields: object) -> dict[str, object]:
    if product == "copilot":
        return say(product, kind, toolName=name, toolArgs=arguments, **fields)
    given = tool(name, arguments, **fields)
    if product == "gemini":
        del given["tool_use_id"]
    return say(product, kind, **given)


EDIT = {"file_path": "/w/f.txt", "old_string": "two", "new_string": "TWO", "replace_all": False}
DONE = {"filePath": "/w/f.txt", "oldString": "two", "newString": "TWO", "originalFile": "one\ntwo\n"}
SUCCESS = {"resultType": "success", "textResultForLlm": "ok"}
# The product, what it says after an edit, and the change that this is.
WRITTEN = {"file_path": "f.txt", "content": "x\n"}
FOUND = {"path": "/w/f.txt", "old_str": "two", "new_str": "TWO"}
EVERY = {"file_path": "/w/f.txt", "old_string": "two", "new_string": "TWO", "allow_multiple": True}
TWO = Replacement("two", "TWO")
CHANGES: list[tuple[str, dict[str, object], object]] = [
    ("claude", claude("PostToolUse", **tool("Edit", EDIT, tool_response=DONE)), TWO),
    (
        "claude", claude("PostToolUse", **tool("Edit", {**EDIT, "replace_all": True}, tool_response=DONE)),
        Replacement("two", "TWO", True),
    ),
    # The tool has stripped what it was given.
    ("claude", claude("PostToolUse", **tool("Edit", {**EDIT, "new_string": "TWO  "}, tool_response=DONE)), TWO),
    ("claude", claude("PostToolUse", **tool("Edit", EDIT, tool_response={**DONE, "userModified": True})), None),
    ("claude", claude("PostToolUse", **tool("Write", WRITTEN, tool_response={"type": "create"})), NewContent("x\n")),
    ("claude", claude("PostToolUse", **tool("NotebookEdit", {"notebook_path": "/w/f.txt", "new_source": "1"})), None),
    (
        "codex", codex("PostToolUse", **tool("apply_patch", {"command": PATCH}, tool_response="Success")),
        Patch("*** Update File: f.txt\n@@\n one\n-two\n+TWO\n three"),
    ),
    (
        "gemini", gemini("AfterTool", tool_name="replace", tool_input=EVERY, tool_response={"error": None}),
        Replacement("two", "TWO", True),
    ),
    ("gemini", gemini("AfterTool", tool_name="write_file", tool_input=WRITTEN), NewContent("x\n")),
    ("gemini", gemini("AfterTool", tool_name="write_file", tool_input={**WRITTEN, "modified_by_user": True}), None),
    ("copilot", copilot(toolName="edit", toolArgs=FOUND, toolResult=SUCCESS), TWO),
    (
        "copilot", copilot(toolName="apply_patch", toolArgs=PATCH, toolResult=SUCCESS),
        Patch("*** Update File: f.txt\n@@\n one\n-two\n+TWO\n three"),
    ),
    ("cursor", cursor("postToolUse", **tool("StrReplace", EDIT)), TWO),
    ("cursor", cursor("postToolUse", **tool("Delete", {"path": "f.txt"})), Deletion()),
    ("qwen", claude("PostToolUse", **tool("edit", EDIT, tool_response={"llmContent": "ok"})), TWO),
    (
        "opencode",
        claude("PostToolUse", **tool("edit", {"filePath": "/w/f.txt", "oldString": "two", "newString": "TWO"})), TWO,
    ),
]  # fmt: skip


@rows(("product", "fields", "edit"), *CHANGES)
def test_an_edit_is_read_from_what_the_tool_says(product: str, fields: dict[str, object], edit: object) -> None:
    notice = read_notice(PRODUCTS[product], fields)
    assert (notice.kind, notice.session) == ("after", SESSION)
    assert [(change.path, change.edit) for change in notice.changes] == [("/w/f.txt", edit)]


@rows(
    ("product", "name", "arguments", "answer", "original"),
    ("claude", "Edit", EDIT, {"tool_response": DONE}, FoundContent(b"one\ntwo\n")),
    ("claude", "Write", WRITTEN, {"tool_response": {"type": "create", "originalFile": None}}, FoundContent(None)),
    ("qwen", "edit", EDIT, {}, None),
)
def test_what_the_tool_found_is_read_too(
    product: str, name: str, arguments: object, answer: dict[str, object], original: object
) -> None:
    notice = read_notice(PRODUCTS[product], call(product, "after", name, arguments, **answer))
    assert notice.changes[0].original == original


@rows(
    ("product", "fields"),
    ("gemini", gemini("AfterTool", **tool("replace", EDIT, tool_response={"error": {"message": "not found"}}))),
    ("copilot", copilot(toolName="edit", toolArgs={"path": "f"}, toolResult={"resultType": "failure"})),
    ("claude", claude("PreToolUse", **tool("WebFetch", {"url": "x"}))),
    ("claude", claude("PreCompact", prompt="x")),
    ("claude", {**claude("PreToolUse", **tool("Bash", {"command": "ls"})), "session_id": "x\x1b[2J"}),
    ("claude", {**claude("PreToolUse", **tool("Bash", {"command": "ls"})), "session_id": "x" * 129}),
    ("claude", {**claude("PreToolUse", **tool("Bash", {"command": "ls"})), "session_id": 7}),
    ("claude", {"hook_event_name": ["PreToolUse"], "session_id": SESSION}),
    ("claude", cursor("PreToolUse", **tool("Edit", EDIT))),
    ("claude", {**copilot(), "session_id": SESSION, "hook_event_name": "PreToolUse", **tool("Edit", EDIT)}),
    ("copilot", copilot()),
)
def test_what_is_none_of_our_business_is_no_notice(product: str, fields: dict[str, object]) -> None:
    assert read_notice(PRODUCTS[product], fields) is None


@rows(
    ("product", "fields", "again"),
    ("claude", claude("Stop", stop_hook_active=False, last_assistant_message="Done."), False),
    ("claude", claude("Stop", stop_hook_active=True), True),
    ("codex", codex("Stop", stop_hook_active=True, last_assistant_message=None), True),
    ("gemini", gemini("AfterAgent", prompt="x", prompt_response="y", stop_hook_active=True), True),
    ("copilot", copilot(transcriptPath="/t", stopReason="end_turn", stop_hook_active=False), False),
    ("copilot", copilot(transcriptPath="/t", stopReason="end_turn", stop_hook_active=True), True),
    ("qwen", claude("Stop", stop_hook_active=True), False),
    ("cursor", cursor("stop", status="completed", loop_count=0), False),
    ("cursor", cursor("stop", status="completed", loop_count=1), True),
    ("cursor", cursor("stop", status="aborted", loop_count=0), True),
)
def test_the_end_of_a_turn(product: str, fields: dict[str, object], again: bool) -> None:
    notice = read_notice(PRODUCTS[product], fields)
    assert (notice.kind, notice.again) == ("stop", again)


def test_calls_without_a_name_are_told_apart_by_what_they_do() -> None:
    def read(**fields: object) -> Notice:
        notice = read_notice(PRODUCTS["copilot"], copilot(toolName="edit", **fields))
        assert notice is not None
        return notice

    one, two = {"path": "f", "old_str": "a", "new_str": "b"}, {"path": "f", "old_str": "b", "new_str": "c"}
    assert read(toolArgs=one).call == read(toolArgs=one, toolResult=SUCCESS).call
    assert read(toolArgs=one).call != read(toolArgs=two).call


@rows(
    ("product", "arguments", "expected"),
    ("codex", {"command": "ls"}, ("ls", "/w")),
    ("codex", {"command": "ls", "workdir": "sub"}, ("ls", "/w/sub")),
    ("claude", {"command": None}, ("", "/w")),
)
def test_a_command_is_read_with_its_directory(product: str, arguments: object, expected: tuple[str, str]) -> None:
    notice = read_notice(PRODUCTS[product], claude("PreToolUse", **tool("Bash", arguments)))
    assert (notice.command, notice.directory) == expected


Ask = Callable[..., Any]


@pytest.fixture
def ask(based: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Give an event in the repository `based` to the hook, and return its answer, None for no output."""
    based.commit("chore: lines", {"f.txt": "one\ntwo\nthree\n"})
    monkeypatch.chdir(based.path)

    def ask(product: str, fields: object) -> Any:
        if isinstance(fields, dict):
            fields = json.dumps(fields).replace('"/w', f'"{based.path}').encode()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(fields)))
        assert hook.main([product]) == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        return json.loads(shown.out) if shown.out else None

    return ask


def own_lines(repo: Repo) -> dict[str, int]:
    with Ledger(Repository.find(str(repo.path))) as ledger:
        return {file.path.decode(): file.own for file in ledger.list_files(SESSION) if file.own}


# How each product's tool changes line two of f.txt, and what it answers.
EDITS: dict[str, tuple[str, object, dict[str, object]]] = {
    "claude": ("Edit", EDIT, {"tool_response": {**DONE, "originalFile": "one\ntwo\nthree\nfour by the person\n"}}),
    "codex": ("apply_patch", {"command": PATCH}, {"tool_response": "Success"}),
    "gemini": ("replace", EDIT, {"tool_response": {"llmContent": "ok"}}),
    "copilot": ("edit", FOUND, {"toolResult": SUCCESS}),
    "cursor": ("StrReplace", EDIT, {}),
    "qwen": ("edit", EDIT, {}),
}


@pytest.mark.parametrize("product", EDITS)
def test_the_last_instruction_is_the_task_while_the_session_lasts(ask: Ask, based: Repo, product: str) -> None:
    def type_prompt(text: str) -> str:
        if product == "gemini":
            text = f"<hook_context>Commit yours alone.</hook_context>\n\n{text}"
        assert ask(product, say(product, "prompt", prompt=text)) is None
        known = registry.find(Repository.find(str(based.path)), SESSION)
        return known.task if known else ""

    # Without a session, nothing is kept.
    assert type_prompt("reject negative numbers") == ""
    ask(product, say(product, "start", source="startup"))
    assert type_prompt("Please reject negative\nnumbers. They crash the parser.") == "reject negative numbers"
    assert type_prompt("ok, go on") == "reject negative numbers"
    assert type_prompt("use the key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH") == "reject negative numbers"
    assert type_prompt("add a table of all hosts") == "add a table of all hosts"
    based.git("config", "smartcommit.agentPrompts", "false")
    assert type_prompt("reject negative numbers") == "add a table of all hosts"
    based.git("config", "smartcommit.agentPrompts", "true")
    registry.end(Repository.find(str(based.path)), SESSION)
    assert type_prompt("reject negative numbers") == ""


@pytest.mark.parametrize("product", EDITS)
def test_the_lines_of_a_tool_are_the_sessions_and_a_persons_are_not(ask: Ask, based: Repo, product: str) -> None:
    told = ask(product, say(product, "start", source="startup"))
    assert f"--session {SESSION}" in json.dumps(told)
    assert "\\n" not in json.dumps(told)
    assert len(told) == 1
    name, arguments, answer = EDITS[product]
    based.write("f.txt", "one\ntwo\nthree\nfour by the person\n")
    assert ask(product, call(product, "before", name, arguments)) is None
    based.write("f.txt", "one\nTWO\nthree\nfour by the person\n")
    assert ask(product, call(product, "after", name, arguments, **answer)) is None
    assert own_lines(based) == {"f.txt": 2}
    with Ledger(Repository.find(str(based.path))) as ledger:
        (file,) = ledger.list_files(SESSION)
    assert [hunk.owner for hunk in file.left] == ["nobody"]
    assert based.git("cat-file", "-p", file.composed.oid) == "one\nTWO\nthree\n"


BYPASS = {"command": "git commit --no-verify -m 'feat: x'"}
SHELLS = {
    "claude": "Bash", "codex": "Bash", "gemini": "run_shell_command", "copilot": "bash", "cursor": "Shell",
    "qwen": "run_shell_command", "opencode": "bash",
}  # fmt: skip


def answer_as(kind: str, product: str, text: str) -> dict[str, object]:
    """The answer that a product documents. Codex takes one with a field that it does not know for none."""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": text}
    event = "AfterTool" if product == "gemini" else "PostToolUse"
    usual = {
        "deny": {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}},
        "tell": {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}},
        "prolong": {"decision": "block", "reason": text},
    }
    others = {
        ("gemini", "deny"): {"decision": "deny", "reason": text},
        ("gemini", "prolong"): {"decision": "deny", "reason": text},
        ("copilot", "deny"): decision,
        ("copilot", "tell"): {"additionalContext": text},
        ("cursor", "deny"): {"permission": "deny", "user_message": text, "agent_message": text},
        ("cursor", "tell"): {"additional_context": text},
        ("cursor", "prolong"): {"followup_message": text},
    }
    return others.get((product, kind), usual[kind])


@pytest.mark.parametrize("product", SHELLS)
def test_a_way_around_the_hooks_is_refused_with_what_to_run(ask: Ask, product: str) -> None:
    reason = "'git commit --no-verify' skips the repository's hooks: leave it out"
    text = f"{reason}\nnext: smartcommit session commit --session {SESSION}"
    assert ask(product, call(product, "before", SHELLS[product], BYPASS)) == answer_as("deny", product, text)


@pytest.mark.parametrize("product", PRODUCTS)
def test_what_was_seen_is_told_in_the_words_of_the_product(product: str) -> None:
    assert tell(PRODUCTS[product], "after", "seen") == answer_as("tell", product, "seen")


def test_other_repositories_and_files_of_git_are_left_alone(ask: Ask, based: Repo, tmp_path: Path) -> None:
    outside = tool("Edit", {**EDIT, "file_path": str(tmp_path / "elsewhere" / "f.txt")})
    assert ask("claude", claude("PreToolUse", **outside)) is None
    own = tool("Edit", {**EDIT, "file_path": str(based.path / ".git/config")})
    assert ask("claude", claude("PreToolUse", **own)) is None
    assert own_lines(based) == {}
    assert ask("claude", {**claude("PreToolUse", **tool("Bash", BYPASS)), "cwd": str(tmp_path)}) is None


def test_a_file_of_another_working_tree_is_noted_there(ask: Ask, based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", str(tmp_path / "other"))
    other = Repo(tmp_path / "other")
    edit = {**EDIT, "file_path": str(other.path / "f.txt")}
    assert ask("claude", claude("PreToolUse", **tool("Edit", edit))) is None
    other.write("f.txt", "one\nTWO\nthree\n")
    assert ask("claude", claude("PostToolUse", **tool("Edit", edit))) is None
    assert own_lines(other) == {"f.txt": 2}
    assert own_lines(based) == {}


@rows(
    ("before", "old", "new", "after"),
    # The end of a line goes with the line.
    ("one\ntwo\nthree\n", "two", "", "one\nthree\n"),
    ("one\ntwo\nthree\nfour\n", "two\nthree", "", "one\nfour\n"),
    ("one\n\ntwo\n\nthree\n", "two", "", "one\n\n\nthree\n"),
    ("one\ntwo\n", "two", "", "one\n"),
    # CRLF is read as LF.
    ("one\r\ntwo\r\nthree\r\n", "two", "TWO", "one\r\nTWO\r\nthree\r\n"),
)
def test_claudes_ends_of_lines_are_its_own(before: str, old: str, new: str, after: str, ask: Ask, based: Repo) -> None:
    based.commit("chore: lines anew", {"f.txt": "-\n"})
    (based.path / "f.txt").write_bytes(before.encode())
    based.git("commit", "-qam", "chore: lines")
    edit = {**EDIT, "old_string": old, "new_string": new}
    done = {**DONE, "oldString": old, "newString": new, "originalFile": before.replace("\r\n", "\n")}
    assert ask("claude", claude("PreToolUse", **tool("Edit", edit))) is None
    (based.path / "f.txt").write_bytes(after.encode())
    assert ask("claude", claude("PostToolUse", **tool("Edit", edit, tool_response=done))) is None
    with Ledger(Repository.find(str(based.path))) as ledger:
        (file,) = ledger.list_files(SESSION)
    based.git("add", "f.txt")
    assert file.composed.oid == based.git("rev-parse", ":f.txt").strip()
    assert file.left == []


@pytest.mark.parametrize("product", EDITS)
def test_a_turn_ends_with_words_of_the_product(ask: Ask, product: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told is held by stop_test.py."""
    asked = []
    monkeypatch.setattr(hook, "find_reason", lambda *arguments: asked.append(arguments) or "two concerns")
    assert ask(product, say(product, "stop")) == answer_as("prolong", product, "two concerns")
    again = {"loop_count": 1} if product == "cursor" else {"stop_hook_active": True}
    if product != "qwen":
        assert ask(product, say(product, "stop", **again)) is None
    assert [arguments[1] for arguments in asked] == [SESSION]


def test_the_hook_leaves_receipts_as_long_as_a_session_lasts(ask: Ask, based: Repo, tmp_path: Path) -> None:
    receipts = based.path / ".git/smartcommit/receipts"
    based.git("worktree", "add", "-q", str(tmp_path / "other"))
    ask("claude", {**say("claude", "start"), "cwd": str(tmp_path / "other"), "session_id": "other"})
    ask("claude", say("claude", "start"))
    # An ended session is known as long as it has lines.
    ask("claude", call("claude", "before", "Edit", EDIT))
    based.write("f.txt", "one\nTWO\nthree\n")
    ask("claude", call("claude", "after", "Edit", EDIT))
    assert ask("claude", claude("SessionEnd", reason="exit")) is None
    (known,) = registry.list_sessions(str(based.path / ".git"))
    assert (known.id, known.product, known.ended > 0) == (SESSION, "claude", True)
    assert receipts.exists()
    ask("claude", {**claude("SessionEnd", reason="exit"), "cwd": str(tmp_path / "other"), "session_id": "other"})
    assert not receipts.exists()


@rows(
    "data",
    b"", b"{", b"[]", b"null", b'{"session_id": "x"} {}', b"\xff", b"[" * 100_000, b'{"a": NaN}', b'"' + b"x" * 100,
    json.dumps(claude("PreToolUse", **tool("Read", {"file_path": "a/" * 1_000_000}))).encode(),
)  # fmt: skip
def test_what_is_no_event_is_not_answered(ask: Ask, data: bytes) -> None:
    for product in PRODUCTS:
        assert ask(product, data) is None


def test_no_value_of_a_field_stops_a_tool(ask: Ask, based: Repo) -> None:
    payload = claude("PreToolUse", **tool("Edit", EDIT))
    for name in payload:
        for value in (None, 7, [], {}, "\x00", "x" * 100_000, "../../..", "\ud800"):
            assert ask("claude", {**payload, name: value}) is None, (name, value)
    assert not (based.path / ".git/smartcommit/failure.log").exists()


def test_json_is_read_and_written_as_the_standard_library_does() -> None:
    text = 'é\n"\\ \ud83d\ude00 \x00\x7f \u2028'
    value = {"a": [1, -2.5, 1e3, True, None, text], "": {"b": {}}, "c": [], "\udcff": 2**70}
    for text in (json.dumps(value), json.dumps(value, indent=1), f" \n{json.dumps(value, ensure_ascii=True)}\r\n"):
        assert loads(text) == json.loads(text)
    assert dumps(value) == json.dumps(value)
    for text in ("", "{", "[] []", "nul", "[" * 100_000, '"a\nb"', "\ufeff1", "01"):
        with pytest.raises(ValueError, match=r"JSON|value|Expecting|control"):
            loads(text)
    with pytest.raises(TypeError):
        dumps({"a": b""})


def test_an_agent_that_is_not_known_stops_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert hook.main(["nobody"]) == 0
    assert capsys.readouterr().err.startswith("usage: smartcommit-agent-hook claude|codex|")


def test_a_bug_of_ours_stops_nothing_and_is_kept(ask: Ask, based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Ledger, "before_edit", fail)
    assert ask("claude", claude("PreToolUse", **tool("Edit", EDIT))) is None
    assert "ZeroDivisionError: a bug" in (based.path / ".git/smartcommit/failure.log").read_text()


def test_the_command_that_is_installed_answers(based: Repo) -> None:
    for product, shell in SHELLS.items():
        text = json.dumps(call(product, "before", shell, BYPASS)).replace('"/w', f'"{based.path}')
        command = write_command(PRODUCTS[product])
        done = subprocess.run(["sh", "-c", command], input=text.encode(), capture_output=True, cwd="/", check=True)
        assert "--no-verify" in json.dumps(json.loads(done.stdout))
        assert done.stderr == b""
