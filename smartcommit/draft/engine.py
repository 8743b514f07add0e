"""Asks the engines for a draft: the embedded drafter first, then the model, which may fail."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial

from smartcommit import state_files
from smartcommit.config import Settings, wants_model
from smartcommit.draft.embedded import drafter
from smartcommit.draft.request import DraftRequest, find_unmet, make_guidance
from smartcommit.draft.result import Draft
from smartcommit.errors import explain
from smartcommit.message.checks import is_accepted
from smartcommit.message.header import Header
from smartcommit.message.header_proposals import adapt_summary
from smartcommit.message.parse import parse
from smartcommit.message.rules import fill_header, fill_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.draft.conform import Passes
    from smartcommit.llm.api import ApiConfig
    from smartcommit.llm.client import LLMClient
    from smartcommit.terminal import Terminal
    from smartcommit.waiting import Deadline

CACHE = "draft.json"
# Time limits of a draft in seconds, the second while pre-commit holds unstaged changes in its stash.
TIME_LIMIT = 20
TIME_LIMIT_STASHED = 10


def answer(
    request: DraftRequest,
    *,
    deadline: Deadline | None,
    terminal: Terminal | None,
    passes: Passes | None = None,
    client: Callable[[ApiConfig], LLMClient] | None = None,
) -> Draft:
    """Ask the embedded drafter, then the model if one is configured; if the model fails, use the embedded draft.

    `passes` returns whether git would record a text unchanged and `commit-msg` accept it but for the ticket, which the
    draft has or leaves to the user; by default only the project's rules are checked. `client` replaces the usual one,
    for example in tests. Without a `deadline` no model is asked. Only the cache in the git directory is written.
    """
    form, name = request.rules.header_form, request.ticket_in_header
    given = passes or (lambda text: is_accepted(text, request.rules))
    settings = request.settings
    embedded = draft_embedded(request)

    def passes_in_form(text: str) -> bool:
        return given(fill_message(text, form, name))

    fallback = _conform(request, embedded, passes_in_form)
    if fallback.text:
        fallback.remarks = _list_remarks(request, embedded)
    if deadline is None or not wants_model(settings):
        fallback.warnings = tuple(find_unmet(settings))
        return _fill(fallback, form, name)
    exposed: list[str] = []
    try:
        draft = _draft_by_model(
            request, embedded, deadline=deadline, terminal=terminal, passes=passes_in_form, client=client,
            warn=exposed.append,
        )  # fmt: skip
        draft.remarks = fallback.remarks
        draft.warnings = tuple(exposed)
        return _fill(draft, form, name)
    except Exception as error:  # whatever goes wrong with a model, the commit gets the embedded draft
        if fallback.text:
            fallback.reason = explain(state_files.explain_bug(error, request.context.repository.git_dir))
        fallback.warnings = (*exposed, *find_unmet(settings))
        return _fill(fallback, form, name)


def _fill(made: Draft, form: str, ticket: str) -> Draft:
    if form:
        made.plain, made.text = made.text, fill_message(made.text, form, ticket)
        made.fill = partial(fill_header, form=form, ticket=ticket)
    return made


def draft_embedded(request: DraftRequest) -> Draft:
    """Return the embedded drafter's message, which may break the project's rules."""
    return drafter.draft(
        request.change, request.history, request.settings, submodules=request.submodules, purpose=request.purpose
    )


def _conform(request: DraftRequest, embedded: Draft, passes: Passes) -> Draft:
    """Return the embedded draft with the ticket and as the rules have it; its text is empty if that is impossible."""
    text: str | None = embedded.text
    if request.ticket is not None or not passes(embedded.text):
        from smartcommit.draft.conform import conform  # most drafts pass as they are

        message = parse(embedded.text.removesuffix("\n")).message
        text = conform(message, request.rules, passes=passes, ticket=request.ticket)
    if text is None:
        return Draft("", reason="could not draft a message that passes the project's rules")
    draft = Draft(text, weak=embedded.weak, open=embedded.open, sure=embedded.sure)
    draft.facts, draft.source = embedded.facts, embedded.source
    _conform_choices(request, embedded, draft)
    return draft


def _conform_choices(request: DraftRequest, embedded: Draft, made: Draft) -> None:
    """Give `made` those candidates and that second type of the embedded draft with which it keeps the rules."""
    header = made.header
    if header is None:
        return
    _, line_break, rest = made.text.partition("\n")

    def is_allowed(chosen: Header) -> bool:
        line = fill_header(chosen, request.rules.header_form, request.ticket_in_header)
        return is_accepted(f"{line}{line_break}{rest}", request.rules)

    summaries: list[str] = []
    for candidate in embedded.candidates:
        summary = adapt_summary(candidate, request.rules)
        chosen = Header(header.type, summary, scope=header.scope, breaking=header.breaking)
        if summary not in summaries and (summary == header.summary or is_allowed(chosen)):
            summaries.append(summary)
        elif not summaries and made.weak:
            # What the author said comes first, and the rules do not allow it.
            made.source = ""
    made.candidates = tuple(summaries)
    made.breaking = embedded.breaking and is_allowed(
        Header(header.type, header.summary, scope=header.scope, breaking=True)
    )
    second = embedded.second_type
    if second is not None and second != header.type:
        header.type = second
        if is_allowed(header):
            made.second_type = second


def _list_remarks(request: DraftRequest, embedded: Draft) -> tuple[str, ...]:
    """Return remarks on any draft for this change: what only the user knows, and that it may be several changes."""
    remarks: list[str] = []
    ticket = request.ticket
    if ticket is not None and not ticket.value:
        pattern = request.rules.ticket
        remarks.append(f"add the ticket after '{ticket.key}:'; the branch name has none that matches '{pattern}'")
    core = request.change.core
    tops = {file.path.split(b"/", 1)[0] for file in core if b"/" in file.path}
    header = embedded.header
    if len(tops) > 1 and len(core) > 2 and (header is None or header.scope is None):
        command = "pre-commit run split" if "PRE_COMMIT" in os.environ else "git smart-commit"
        remarks.append(f"no single scope covers this change; run '{command}' to split it")
    return tuple(remarks)


def _draft_by_model(
    request: DraftRequest,
    embedded: Draft,
    *,
    deadline: Deadline,
    terminal: Terminal | None,
    passes: Passes,
    client: Callable[[ApiConfig], LLMClient] | None,
    warn: Callable[[str], None],
) -> Draft:
    """Return the model's draft, or the last one if that was for the same request. Raise whatever goes wrong."""
    # These imports are slow, and most drafts are made without a model.
    from smartcommit.llm.provider import make_api_config, name_model
    from smartcommit.waiting import wait_for_model

    repository, settings = request.context.repository, request.settings
    name = name_model(settings)
    request.guidance = make_guidance(repository, settings)
    key = key_of(request)
    # The last draft is used again after a commit that was rejected or aborted.
    cached = state_files.load_json(repository.git_dir, CACHE, dict) or {}
    if cached.get("key") == key and passes(str(cached.get("text"))):
        return Draft(str(cached.get("text")), name)
    with wait_for_model(name, terminal, deadline) as show:
        # Ctrl-C may have been pressed before.
        deadline.check()
        config = make_api_config(settings)
        if config.exposed and config.allow_remote:
            warn(config.exposed)
        from smartcommit.draft.model.drafter import draft as ask_model
        from smartcommit.llm.client import LLMClient

        draft = ask_model(
            request, embedded, (client or LLMClient)(config), deadline=deadline, passes=passes, log=show,
        )  # fmt: skip
    draft.engine = name
    # What an agent was asked is kept no longer than its session lasts.
    if "agent-prompts" not in request.purpose.said:
        state_files.save_json(repository.git_dir, CACHE, {"key": key, "text": draft.text})
    return draft


def find_time_limit(settings: Settings, environment: Mapping[str, str] = os.environ) -> int:
    from smartcommit.processes.runner import stash_is_held

    return settings.number("deadline") or (TIME_LIMIT_STASHED if stash_is_held(environment) else TIME_LIMIT)


def key_of(request: DraftRequest) -> str:
    """Return a hash of everything a draft depends on: the changed files, HEAD, branch, instructions and settings."""
    changes = []
    for diff in request.diffs:
        change = diff.change
        changes.append((os.fsdecode(change.path), change.status, change.old_id, change.new_id, change.new_mode))
    names = ("provider", "model", "api-base", "command", "language", "types", "scopes", "scope", "header-form",
             "header-limit", "summary-limit", "line-limit", "summary-case", "full-stop", "required", "imperative",
             "ticket", "errors", "warnings", "off")  # fmt: skip
    values = [request.settings.value(name) for name in names]
    head = request.context.repository.head()
    # Only drafts by a model are cached, and `hashlib` loads OpenSSL.
    import hashlib
    import json

    wishes = [request.branch, request.purpose.said, request.instructions, request.guidance]
    state = json.dumps([changes, values, head, *wishes], default=dict)
    return hashlib.sha256(state.encode("utf-8", "replace")).hexdigest()
