"""Reads what a harness says about an event, and writes our answer, each in the product's own schema."""

from __future__ import annotations

import os
from binascii import crc32

from smartcommit.harness.products import (
    AFTER,
    BEFORE,
    CONTENT,
    COPILOT,
    CURSOR,
    DELETE,
    DIRECTORY,
    END,
    EVERY,
    GEMINI,
    NEW,
    OLD,
    OTHER_EDIT,
    PATCH,
    PATCH_TEXT,
    PATH,
    READ,
    REPLACE,
    SHELL,
    START,
    STOP,
    TOOLS,
    WRITE,
)
from smartcommit.record import Record
from smartcommit.session.edits import Deletion, NewContent, Replacement, apply_edit, list_patched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from smartcommit.harness.products import Product
    from smartcommit.session.edits import Edit

    Fields = Mapping[str, object]

_KINDS = {
    "sessionstart": START, "pretooluse": BEFORE, "beforetool": BEFORE, "posttooluse": AFTER, "aftertool": AFTER,
    "stop": STOP, "agentstop": STOP, "afteragent": STOP, "sessionend": END,
}  # fmt: skip
# The longest id of a session that the ledger takes.
_ID_LENGTH = 128


class Change(Record):
    """What a tool does to a file: `edit` is None if it does not say.

    `original` is what the tool found there, None for no file, if it says that: `has_original`.
    """

    path: str
    edit: Edit | None = None
    original: bytes | None = None
    has_original: bool = False


class Notice(Record):
    """An event. `call` names the call of a tool, before and after it; `again` is set for a turn that a hook prolonged.

    `directory` is the current one of the agent; `tool` says what the tool does, and is empty for other events.
    """

    kind: str
    session: str
    directory: str
    tool: str = ""
    call: str = ""
    command: str = ""
    changes: Sequence[Change] = ()
    again: bool = False


def read_notice(product: Product, fields: Fields) -> Notice | None:
    """Return what an event is about; None if it is none of our business, or not as documented."""
    kind = _find_kind(fields)
    session = _get_text(fields, "session_id", "sessionId", "conversation_id")
    if kind is None or session is None or not session.isprintable() or not 0 < len(session) <= _ID_LENGTH:
        return None
    if _is_sent_by_another(product, fields):
        return None
    directory = _get_text(fields, "cwd") or _get_first(fields.get("workspace_roots")) or os.getcwd()
    if kind == STOP:
        # Qwen Code sets it on the first stop, too; what an agent is told, it is told once.
        again = bool(fields.get("stop_hook_active")) and product.name != "qwen"
        # Cursor says that the person has stopped it; the others do not tell of that.
        stopped = fields.get("status", "completed") != "completed"
        again = again or bool(fields.get("loop_count")) or stopped
        return Notice(kind=kind, session=session, directory=directory, again=again)
    if kind not in (BEFORE, AFTER):
        return Notice(kind=kind, session=session, directory=directory)
    return _read_call(kind, session, directory, fields)


def _find_kind(fields: Fields) -> str | None:
    name = fields.get("hook_event_name")
    if isinstance(name, str):
        return _KINDS.get(name.lower())
    # Copilot names the event only in its settings.
    if "toolName" in fields:
        return AFTER if "toolResult" in fields else BEFORE
    for field, kind in (("stopReason", STOP), ("source", START), ("reason", END)):
        if field in fields:
            return kind
    return None


def _is_sent_by_another(product: Product, fields: Fields) -> bool:
    """Whether this comes from Cursor or Copilot, which run the hooks of Claude Code too and have ours of their own."""
    if product.name != "claude":
        return False
    if "conversation_id" in fields or "cursor_version" in fields:
        return True
    return "timestamp" in fields and ("transcript_path" not in fields or "stop_reason" in fields)


def _read_call(kind: str, session: str, directory: str, fields: Fields) -> Notice | None:
    name = _get_text(fields, "tool_name", "toolName") or ""
    arguments = _find_arguments(fields)
    response = _get_first_of(fields, "tool_response", "tool_result", "toolResult")
    answer = response if isinstance(response, dict) else {}
    tool = _find_tool(name, arguments)
    if tool is None or (kind == AFTER and tool != SHELL and _has_failed(answer)):
        return None
    # Not every harness names the calls; those that look the same are about the same file.
    digest = crc32(repr(sorted(arguments.items())).encode("utf-8", "backslashreplace"))
    call = _get_text(fields, "tool_use_id") or f"{name} {digest:08x}"
    command, changes = "", []
    if tool == SHELL:
        command = _find_command(arguments)
        below = _get_text(arguments, *DIRECTORY)
        if below:
            directory = os.path.join(directory, below)
    else:
        changes = _list_changes(tool, arguments, answer, directory)
    return Notice(
        kind=kind, session=session, directory=directory, tool=tool, call=call, command=command, changes=changes
    )


def _find_arguments(fields: Fields) -> Mapping[str, object]:
    """Return the arguments of a tool; Copilot may send them as text, of JSON or of a patch."""
    arguments = _get_first_of(fields, "tool_input", "toolArgs")
    if isinstance(arguments, str):
        if not arguments.lstrip().startswith("{"):
            return {"patch": arguments}
        import json  # few versions send it so

        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {}
    return arguments if isinstance(arguments, dict) else {}


def _find_tool(name: str, arguments: Fields) -> str | None:
    tool = TOOLS.get(name)
    if name == "str_replace_editor":
        return {"view": READ, "create": WRITE, "str_replace": REPLACE}.get(str(arguments.get("command")), OTHER_EDIT)
    if tool == REPLACE and _get_text(arguments, *PATH) is None:
        return PATCH
    return tool


def _find_command(arguments: Fields) -> str:
    """Return the text that a shell runs; Codex may send it as words."""
    command = arguments.get("command")
    if isinstance(command, str):
        return command
    if not isinstance(command, list):
        return ""
    quoted = []
    for word in command:
        quoted.append("'" + str(word).replace("'", "'\\''") + "'")
    return " ".join(quoted)


def _has_failed(answer: Fields) -> bool:
    result = _get_first_of(answer, "resultType", "result_type")
    return bool(answer.get("error")) or result not in (None, "success")


def _list_changes(tool: str, arguments: Fields, answer: Fields, directory: str) -> list[Change]:
    if tool == PATCH:
        try:
            patched = list_patched(_get_text(arguments, *PATCH_TEXT) or "")
        except ValueError:
            return []
        return [Change(path=os.path.join(directory, path), edit=edit) for path, edit in patched.items()]
    name = _get_text(arguments, *PATH)
    if not name:
        return []
    path = os.path.join(directory, name)
    has_original, original = _find_original(path, answer)
    change = Change(path=path, original=original, has_original=has_original)
    # Where the person corrects a proposal, part of it is the person's.
    if not answer.get("userModified") and not arguments.get("modified_by_user"):
        change.edit = _find_edit(tool, arguments, answer, change)
    return [change]


def _find_original(path: str, answer: Fields) -> tuple[bool, bytes | None]:
    """Return whether the tool says exactly what it found in a file, and what; None for no file."""
    original = answer.get("originalFile")
    if not isinstance(original, str):
        return original is None and "originalFile" in answer, None
    try:
        content = original.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False, None
    # Claude Code reads CRLF as LF.
    if b"\r\n" not in content and b"\r\n" in _read(path):
        return False, None
    return True, content


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _find_edit(tool: str, arguments: Fields, answer: Fields, change: Change) -> Edit | None:
    """Return what the tool says that it did to the file, None if it does not say."""
    if tool == WRITE:
        content = _get_text(answer, "content") or _get_text(arguments, *CONTENT)
        return None if content is None else NewContent(content)
    if tool == DELETE:
        return Deletion()
    edits = arguments.get("edits")
    if isinstance(edits, list):
        return _join_edits(edits, change.original)
    old, new = _get_text(answer, "oldString"), _get_text(answer, "newString")
    if old is None or new is None:
        old, new = _get_text(arguments, *OLD), _get_text(arguments, *NEW)
    if tool != REPLACE or old is None or new is None:
        return None
    expected = arguments.get("expected_replacements")
    every = bool(_get_first_of(arguments, *EVERY)) or (isinstance(expected, int) and expected > 1)
    # Claude Code deletes the end of the line too, where a whole line is deleted.
    line = Replacement(old=f"{old}\n", new="", every=every)
    if not new and change.original is not None and _gives(change.original, line, _read(change.path)):
        return line
    return Replacement(old=old, new=new, every=every)


def _gives(original: bytes, edit: Edit, content: bytes) -> bool:
    try:
        return apply_edit(original, edit) == content
    except ValueError:
        return False


def _join_edits(edits: Sequence[object], content: bytes | None) -> Edit | None:
    """Return several replacements in one file as its new content."""
    if content is None:
        return None
    for each in edits:
        if not isinstance(each, dict):
            return None
        old, new = _get_text(each, *OLD), _get_text(each, *NEW)
        if old is None or new is None:
            return None
        try:
            content = apply_edit(content, Replacement(old=old, new=new, every=bool(_get_first_of(each, *EVERY))))
        except ValueError:
            return None
    return NewContent((content or b"").decode("utf-8", "surrogateescape"))


def _get_first_of(fields: Fields, *names: str) -> object:
    """Return the first of these fields that is there."""
    for name in names:
        if name in fields:
            return fields[name]
    return None


def _get_text(fields: Fields, *names: str) -> str | None:
    """Return the first of these fields that is text."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str):
            return value
    return None


def _get_first(values: object) -> str | None:
    if isinstance(values, list) and values and isinstance(values[0], str):
        return values[0]
    return None


def deny(product: Product, reason: str) -> dict[str, object]:
    """Return the answer that keeps a tool from running, with what to do instead."""
    if product.dialect == GEMINI:
        return {"decision": "deny", "reason": reason}
    decision: dict[str, object] = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if product.dialect == COPILOT:
        return decision
    if product.dialect == CURSOR:
        return {"permission": "deny", "user_message": reason, "agent_message": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def tell(product: Product, kind: str, text: str) -> dict[str, object]:
    """Return the answer that tells an agent something, at the start of its session or after a tool."""
    if product.dialect == COPILOT:
        return {"additionalContext": text}
    if product.dialect == CURSOR:
        return {"additional_context": text}
    return {"hookSpecificOutput": {"hookEventName": product.events.get(kind, "PostToolUse"), "additionalContext": text}}


def prolong(product: Product, reason: str) -> dict[str, object]:
    """Return the answer that gives an agent another turn, with what to do in it."""
    if product.dialect == CURSOR:
        return {"followup_message": reason}
    return {"decision": "deny" if product.dialect == GEMINI else "block", "reason": reason}
