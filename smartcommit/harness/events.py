"""Reads what a harness says about an event, and writes our answer, each in the product's own schema."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from zlib import crc32

from smartcommit.harness import products
from smartcommit.harness.products import AFTER, BEFORE, DELETE, END, PATCH, REPLACE, SHELL, START, STOP, TOOLS, WRITE
from smartcommit.record import Record
from smartcommit.session.edits import Deletion, FoundContent, NewContent, Replacement, ToolEdit, list_patched

Fields = Mapping[str, object]

# What an event is about, by the names that the products have for it, in lower case.
_KINDS: dict[str, str] = {}
for _product in products.PRODUCTS.values():
    for _kind, _event in _product.events.items():
        _KINDS[_event.lower()] = _kind
# Copilot names the event only in its settings. The first of these fields that is there tells it.
_COPILOT_KINDS = {
    "prompt": products.PROMPT, "toolResult": AFTER, "toolName": BEFORE, "stopReason": STOP, "source": START,
    "reason": END,
}  # fmt: skip
# The longest id of a session that the ledger takes, and its letters: commands that are proposed have it as a word.
_ID_LENGTH = 128
_ID_LETTERS = frozenset("-.:_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


class ToolChange(Record):
    """What a tool does to a file, and what it found there: each is None if it does not say."""

    path: str
    edit: ToolEdit | None = None
    original: FoundContent | None = None


class Notice(Record):
    """An event. `call` names the call of a tool, before and after it; `again` is set for a turn that a hook prolonged.

    `directory` is the current one of the agent; `tool` says what the tool does, and is empty for other events. `prompt`
    is what the person has typed.
    """

    kind: str
    session: str
    directory: str
    tool: str = ""
    call: str = ""
    command: str = ""
    changes: Sequence[ToolChange] = ()
    again: bool = False
    prompt: str = ""


def read_notice(product: products.Product, fields: Fields) -> Notice | None:
    """Return what an event is about; None if it is none of our business, or not as documented."""
    kind = _KINDS.get(str(fields.get("hook_event_name")).lower())
    if "hook_event_name" not in fields:
        kind = next((kind for field, kind in _COPILOT_KINDS.items() if field in fields), None)
    session = _get_text(fields, "session_id", "sessionId", "conversation_id") or ""
    if kind is None or not 0 < len(session) <= _ID_LENGTH or not _ID_LETTERS.issuperset(session):
        return None
    if _is_sent_by_another(product, fields):
        return None
    directory = _get_text(fields, "cwd") or os.getcwd()
    roots = fields.get("workspace_roots")
    if isinstance(roots, list) and "cwd" not in fields:
        directory = "".join(str(root) for root in roots[:1]) or directory
    if kind == STOP:
        # Qwen Code sets it on the first stop, too; what an agent is told, it is told once.
        again = bool(fields.get("stop_hook_active")) and product.name != "qwen"
        # Cursor says that the person has stopped it; the others do not tell of that.
        again = again or bool(fields.get("loop_count")) or fields.get("status", "completed") != "completed"
        return Notice(kind=kind, session=session, directory=directory, again=again)
    if kind not in (BEFORE, AFTER):
        # Gemini CLI puts what our hook has answered at the start of the session before the first prompt.
        prompt = (_get_text(fields, "prompt") or "").rpartition("</hook_context>")[2]
        return Notice(kind=kind, session=session, directory=directory, prompt=prompt)
    return _read_call(kind, session, directory, fields)


def _is_sent_by_another(product: products.Product, fields: Fields) -> bool:
    """Whether this comes from Cursor or Copilot, which run the hooks of Claude Code too and have ours of their own."""
    if product.name != "claude":
        return False
    if "conversation_id" in fields or "cursor_version" in fields:
        return True
    return "timestamp" in fields and ("transcript_path" not in fields or "stop_reason" in fields)


def _read_call(kind: str, session: str, directory: str, fields: Fields) -> Notice | None:
    name = _get_text(fields, "tool_name", "toolName") or ""
    arguments = _get_object(fields, "tool_input", "toolArgs")
    answer = _get_object(fields, "tool_response", "toolResult")
    tool = TOOLS.get(name)
    patch = fields.get("toolArgs")
    if isinstance(patch, str) and tool in (PATCH, REPLACE):  # Copilot passes a patch as it is
        tool, arguments = PATCH, {"patch": patch}
    has_failed = bool(answer.get("error")) or answer.get("resultType", "success") != "success"
    if tool is None or (kind == AFTER and tool != SHELL and has_failed):
        return None
    command = ""
    changes: Sequence[ToolChange] = ()
    if tool == SHELL:
        command = _get_text(arguments, "command") or ""
        directory = os.path.join(directory, _get_text(arguments, *products.DIRECTORY) or directory)
    else:
        changes = _list_changes(tool, arguments, answer, directory)
    # Not every harness names the calls; those that look the same are about the same file.
    digest = crc32(repr(sorted(arguments.items())).encode("utf-8", "backslashreplace"))
    call = _get_text(fields, "tool_use_id") or f"{name} {digest:08x}"
    return Notice(kind, session, directory, tool=tool, call=call, command=command, changes=changes)


def _list_changes(tool: str, arguments: Fields, answer: Fields, directory: str) -> list[ToolChange]:
    if tool == PATCH:
        try:
            patched = list_patched(_get_text(arguments, *products.PATCH_TEXT) or "")
        except ValueError:
            return []
        return [ToolChange(path=os.path.join(directory, path), edit=edit) for path, edit in patched.items()]
    name = _get_text(arguments, *products.PATH)
    if not name:
        return []
    original = None
    found = answer.get("originalFile")
    if isinstance(found, str):
        original = FoundContent(found.encode("utf-8", "replace"))
    elif found is None and "originalFile" in answer:
        original = FoundContent(None)
    edit = None
    # Where the person corrects a proposal, part of it is the person's.
    if not answer.get("userModified") and not arguments.get("modified_by_user"):
        edit = _find_edit(tool, arguments, answer)
    return [ToolChange(os.path.join(directory, name), edit, original)]


def _find_edit(tool: str, arguments: Fields, answer: Fields) -> ToolEdit | None:
    if tool == WRITE:
        content = _get_text(answer, "content") or _get_text(arguments, *products.CONTENT)
        return None if content is None else NewContent(content)
    if tool == DELETE:
        return Deletion()
    old, new = _get_text(answer, "oldString"), _get_text(answer, "newString")
    if old is None or new is None:
        old, new = _get_text(arguments, *products.OLD), _get_text(arguments, *products.NEW)
    if tool != REPLACE or old is None or new is None:
        return None
    return Replacement(old=old, new=new, every=any(arguments.get(item) for item in products.EVERY))


def _get_object(fields: Fields, *names: str) -> Fields:
    for name in names:
        value = fields.get(name)
        if isinstance(value, dict):
            return value
    return {}


def _get_text(fields: Fields, *names: str) -> str | None:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str):
            return value
    return None


def deny(product: products.Product, reason: str) -> dict[str, object]:
    """Return the answer that keeps a tool from running, with what to do instead."""
    if product.dialect == products.GEMINI:
        return {"decision": "deny", "reason": reason}
    decision: dict[str, object] = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if product.dialect == products.COPILOT:
        return decision
    if product.dialect == products.CURSOR:
        return {"permission": "deny", "user_message": reason, "agent_message": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def tell(product: products.Product, kind: str, text: str) -> dict[str, object]:
    """Return the answer that tells an agent something, at the start of its session or after a tool."""
    if product.dialect == products.COPILOT:
        return {"additionalContext": text}
    if product.dialect == products.CURSOR:
        return {"additional_context": text}
    return {"hookSpecificOutput": {"hookEventName": product.events.get(kind, "PostToolUse"), "additionalContext": text}}


def prolong(product: products.Product, reason: str) -> dict[str, object]:
    if product.dialect == products.CURSOR:
        return {"followup_message": reason}
    return {"decision": "deny" if product.dialect == products.GEMINI else "block", "reason": reason}
