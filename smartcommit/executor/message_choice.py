"""Chooses the commit message of a task: what its agent suggests if `commit-msg` accepts that, or a default."""

from __future__ import annotations

from smartcommit.config import Settings, make_rules
from smartcommit.errors import SmartcommitError
from smartcommit.executor.backend import CommitMessage, PlanBackend
from smartcommit.executor.plan import PlanTask
from smartcommit.message.header_proposals import fix_header
from smartcommit.message.rules import ERROR, Rules
from smartcommit.message.verbs import to_imperative
from smartcommit.secrets.redaction import find_certain_secrets
from smartcommit.verdict import check_text


def choose_message(task: PlanTask, suggested: str, backend: PlanBackend, settings: Settings) -> CommitMessage:
    """Return what the agent `suggested`, with another header or without its body if need be, or a default."""
    if not suggested.strip():
        return CommitMessage(backend.make_default_message(task), "the agent suggested no commit message")
    rules = make_rules(settings)
    refusal = _explain_refusal(suggested, rules)
    if not refusal:
        return CommitMessage(suggested)
    corrected = suggested
    if not find_certain_secrets(suggested):
        corrected = _correct_header(suggested, rules, backend, settings) or suggested
    if not _explain_refusal(corrected, rules):
        return CommitMessage(corrected, f"the header of the suggested message was corrected: {refusal}")
    header = corrected.partition("\n")[0]
    if not _explain_refusal(header, rules):
        return CommitMessage(header, f"only the first line of the suggested message was used: {refusal}")
    return CommitMessage(backend.make_default_message(task), f"the suggested message was not used: {refusal}")


def _explain_refusal(text: str, rules: Rules) -> str:
    """Return why a message cannot be used; empty if it can."""
    if not text.strip():
        return "it is empty"
    if find_certain_secrets(text):
        return "it contains a secret"
    verdict = check_text(text.encode("utf-8", "surrogateescape"), rules)
    if verdict.exempt is not None:
        return f"it is {verdict.exempt}"
    return "; ".join(f"{one.code}: {one.text}" for one in verdict.violations if one.level == ERROR)


def _correct_header(text: str, rules: Rules, backend: PlanBackend, settings: Settings) -> str | None:
    """Return the message with the header that was meant, or if that has no type, with type and scope of a draft.

    Its verb gets the imperative then. None if neither is possible.
    """
    header, end, body = text.partition("\n")
    meant = fix_header(header, rules)
    if meant is not None:
        return f"{meant.line}{end}{body}"
    verdict = check_text(text.encode("utf-8", "surrogateescape"), rules)
    if all(violation.code != "header-form" for violation in verdict.violations):
        return None
    # A draft takes as long to load as a small task, and few messages need one.
    from smartcommit.draft.message_file import complete_header

    try:
        change = backend.stage()
        if change is None:
            return None
        header = to_imperative(header) or header
        completed = complete_header(change.repository, settings, header, change=change)
    except SmartcommitError:  # the commit reports what is wrong
        return None
    return None if completed is None else f"{completed}{end}{body}"
