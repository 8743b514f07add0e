"""A draft by a model, and the preview of what it would be sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace

from smartcommit.agent.git_tools import TOOLS
from smartcommit.agent.loop import agentic_loop, find_turn_limit
from smartcommit.agent.shown import list_hunk_lines
from smartcommit.change.facts import list_hunks
from smartcommit.change.public_names import removes_public
from smartcommit.draft.conform import Passes
from smartcommit.draft.model.examples import Examples, find_examples
from smartcommit.draft.model.host_effects import Grounds
from smartcommit.draft.model.prompt import Prompt, list_visible_files, make_prompt
from smartcommit.draft.model.submit import Evidence, MessageGate, list_specs, make_submit, watched
from smartcommit.draft.request import DraftRequest
from smartcommit.draft.result import Draft
from smartcommit.errors import LLMPromptTooLong, LLMTimeout
from smartcommit.llm.api import SLOW, TRIED
from smartcommit.llm.client import LLMClient
from smartcommit.llm.quirks import recall, remember
from smartcommit.waiting import Deadline

# Turns for a small change; a large one gets more.
_TURNS = 8
# The share of the time that must be left after the answer of a server that was too slow before it gets the whole prompt
# again.
_EASY_SHARE = 0.6
# Seconds that a preview may take to read examples.
_PREVIEW_SECONDS = 20


def draft(
    request: DraftRequest,
    embedded: Draft,
    client: LLMClient,
    *,
    deadline: Deadline,
    passes: Passes,
    log: Callable[[str], None] = lambda line: None,
) -> Draft:
    """Let the model write a message that passes; it is told the type and the scope of the `embedded` draft.

    If the prompt is too long for the server, try once more with half of it and half the context. What the server turns
    out not to support is remembered in the git directory: after a timeout, the next prompt is short, unless it was the
    first draft, during which the model may have been loaded.

    Raise LLMError or AgentError if the model does not finish in time, or Cancelled.
    """
    git_dir = request.context.repository.git_dir
    client.quirks |= recall(git_dir, client.config)
    config = client.config
    try:
        text = _draft(request, embedded, client, deadline=deadline, passes=passes, log=log)
        if deadline.remaining > deadline.seconds * _EASY_SHARE:
            client.quirks.discard(SLOW)
        client.quirks.add(TRIED)
        return Draft(text, config.model, usage=asdict(client.usage))
    except LLMTimeout:
        if TRIED in client.quirks:
            client.quirks.add(SLOW)
        client.quirks.add(TRIED)
        raise
    finally:
        remember(git_dir, config, client.quirks)


def _draft(
    request: DraftRequest,
    embedded: Draft,
    client: LLMClient,
    *,
    deadline: Deadline,
    passes: Passes,
    log: Callable[[str], None],
) -> str:
    hunks = len(list_hunks(request.change.files))
    examples = read_examples(request, deadline)
    assert embedded.header is not None, "the embedded drafter writes a header"
    for share in (1.0, 0.5):
        prompt = make_prompt(request, embedded, examples, client, share=share)
        messages = prompt.messages()
        evidence = _collect_evidence(request, embedded, examples, prompt)
        gate = MessageGate(request.rules, evidence, passes, request.ticket, kind=embedded.header.type)
        tools = [watched(tool, evidence) for tool in TOOLS if prompt.tools]
        try:
            text: str = agentic_loop(
                client, messages, tools, make_submit(gate, whole=prompt.suffices), deadline=deadline,
                turns=find_turn_limit(hunks, _TURNS), log=log, analyzer=request.context,
            )  # fmt: skip
            return text
        except LLMPromptTooLong:
            if share < 1:
                raise
            client.config = replace(client.config, context=client.config.context // 2)
    raise AssertionError("unreachable: the second attempt returns or raises")


def read_examples(request: DraftRequest, deadline: Deadline) -> Examples:
    return find_examples(request.context.repository, request.history, request.change, deadline=deadline)


def show_prompt(request: DraftRequest, embedded: Draft, client: LLMClient) -> str:
    """Return exactly what a model would be sent first; send nothing."""
    client.quirks |= recall(request.context.repository.git_dir, client.config)
    prompt = make_prompt(request, embedded, read_examples(request, Deadline(_PREVIEW_SECONDS)), client)
    specs = list_specs(request.rules, whole=prompt.suffices, tools=prompt.tools)
    return client.show(client.build_payload(prompt.messages(), specs, held=prompt.suffices))


def _collect_evidence(request: DraftRequest, embedded: Draft, examples: Examples, prompt: Prompt) -> Evidence:
    """Return what a message may mention: lines and paths of the change, the branch, and the user's instructions."""
    lines: list[str] = [prompt.change]
    paths: list[bytes] = []
    for file in request.change.files:
        paths += (file.path, file.diff.change.old_path or b"")
    for file in list_visible_files(request.change):
        for hunk in file.diff.hunks:
            lines += list_hunk_lines(hunk)
    names = b"\n".join(paths).decode("utf-8", "replace")
    grounds = Grounds(request.branch, request.instructions, removes_public(request.change))
    language = request.settings.text("language") or "English"
    evidence = Evidence(
        "\n".join(lines), names, embedded.text, request.branch, request.instructions,
        grounds=grounds, shares_words=language.lower().startswith("en"),
    )  # fmt: skip
    evidence.texts += (f"{len(request.change.files)} files", *request.purpose.said.values(), *request.subjects)
    evidence.examples += examples.texts
    return evidence
