"""Selects the drafting engine, falling back to the built-in drafter if the model fails."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence

from smartcommit import state_files
from smartcommit.config import Settings, wants_model
from smartcommit.draft.conform import Passes, conform, is_accepted
from smartcommit.draft.guidance import find_unmet, make_guidance
from smartcommit.draft.request import DraftRequest, read_request
from smartcommit.errors import AgentError, SmartcommitError, explain
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable
from smartcommit.message.parse import parse
from smartcommit.processes.runner import stash_is_held
from smartcommit.record import Record
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline, wait_for_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.llm.api import ApiConfig
    from smartcommit.llm.client import LLMClient

CACHE = "draft.json"
# Time limits of a draft in seconds, the second while pre-commit holds unstaged changes in its stash.
TIME_LIMIT, TIME_LIMIT_STASHED = 20, 10
EMBEDDED = "embedded"
_HINT = "Ollama is running; run 'smartcommit model' to draft with it"


class Draft(Record):
    """A draft and where it comes from.

    `text` is None if nothing changed, or if no message can pass the project's rules. `engine` is EMBEDDED or the name
    of the model. `reason` says why the configured model was not used, or why there is no text. `remarks` are shown
    beside the message, and so are `unmet`, what was asked for and requires a model, and `warnings`. `changed` is False
    if there is nothing to describe. `usage` counts the tokens of prompt and output, and the requests. `paths` are those
    of the change.
    """

    __slots__ = ("changed", "engine", "paths", "reason", "remarks", "text", "unmet", "usage", "warnings")

    def __init__(
        self,
        text: str | None,
        engine: str = EMBEDDED,
        *,
        reason: str | None = None,
        remarks: tuple[str, ...] = (),
        changed: bool = True,
        usage: dict[str, int] | None = None,
        unmet: tuple[str, ...] = (),
        paths: tuple[bytes, ...] = (),
    ) -> None:
        self.text = text
        self.engine = engine
        self.reason = reason
        self.remarks = remarks
        self.changed = changed
        self.usage = usage
        self.unmet = unmet
        self.warnings: tuple[str, ...] = ()
        self.paths = paths

    def _fields(self) -> list[object]:
        """Return what two drafts are compared by: not what they cost, nor the change."""
        return [self.text, self.engine, self.reason, self.remarks, self.changed, self.unmet, self.warnings]

    @property
    def comments(self) -> list[str]:
        """Comments on the draft for the message file, each one line that is safe to print."""
        remarks = [*self.warnings, *self.remarks, *self.unmet]
        if self.engine != EMBEDDED:
            remarks.insert(0, f"drafted by {self.engine}")
        elif self.reason and self.text:
            remarks.insert(0, f"drafted without a model: {self.reason}")
        elif self.reason:
            remarks.insert(0, f"no draft: {self.reason}")
        return [f"smartcommit: {printable(' '.join(text.split()))[:300]}" for text in remarks]


def draft(
    repository: Repository,
    base: str,
    target: str | None,
    settings: Settings,
    *,
    deadline: Deadline,
    terminal: Terminal | None = None,
    passes: Passes | None = None,
    instructions: str = "",
) -> Draft:
    """Draft a message for the change from tree or commit `base` to tree `target` (None: the index), by `deadline`.

    The embedded draft is made first, and used if the model fails for any reason. `passes` returns whether git would
    record a text unchanged and `commit-msg` accept it but for the ticket, which the draft has or leaves to the user; by
    default only the project's rules are checked. `instructions` are the user's, for a model. Only the cache in the git
    directory is written.

    Raise GitError if git fails, ConfigError if a rule cannot be applied.
    """
    task = read_request(repository, base, target, settings, instructions=instructions)
    if task is None:
        return Draft(None, reason="nothing changed", changed=False)
    rules = task.rules
    passes = passes or (lambda text: is_accepted(text, rules, ticket=False))
    made = draft_task(task, settings, deadline=deadline, terminal=terminal, passes=passes)
    made.paths = tuple(task.change.paths)
    return made


def draft_task(
    task: DraftRequest,
    settings: Settings,
    *,
    deadline: Deadline,
    terminal: Terminal | None,
    passes: Passes,
    client: Callable[[ApiConfig], LLMClient] | None = None,
    unwanted: Sequence[str] = (),
) -> Draft:
    """Draft a message for a change that was read already; `client` replaces the usual one, for example in tests.

    A model is asked for another text than those of the drafts `unwanted`.
    """
    fallback = _draft_embedded(task, passes)
    if task.scattered:
        fallback.remarks = ("no single scope covers this change; run 'pre-commit run split' to split it",)
    if fallback.text and task.ticket is not None and not task.ticket.value:
        asked = (
            f"add the ticket after '{task.ticket.key}:'; the branch name has none that matches '{task.rules.ticket}'"
        )
        fallback.remarks = (asked, *fallback.remarks)
    fallback.unmet = tuple(find_unmet(settings))
    if not wants_model(settings):
        if settings.text("provider") == "auto":
            _hint_at_ollama(fallback)
        return fallback
    from smartcommit.llm.api import shorten_model
    from smartcommit.llm.provider import api_config, name_model

    repository = task.context.repository
    git_dir = repository.git_dir
    try:
        task.guidance = make_guidance(repository, settings, unwanted)
        key = key_of(task, settings)
        text, usage = _load_cached(git_dir, key), None
        if text is None or not passes(text):
            with wait_for_model(shorten_model(name_model(settings)), terminal, deadline) as show:
                # Ctrl-C may have been pressed before.
                deadline.check()
                config = api_config(settings, deadline=deadline)
                if config.exposed and config.allow_remote:
                    fallback.warnings = (config.exposed,)
                text, usage = _ask_model(
                    task, settings, config, deadline=deadline, show=show, passes=passes, client=client
                )
            state_files.save_json(git_dir, CACHE, {"key": key, "text": text})
    except Exception as error:  # whatever goes wrong with a model, the commit gets the embedded draft
        if fallback.text:
            fallback.reason = explain(explain_failure(error, git_dir))
        return fallback
    made = Draft(text, name_model(settings), remarks=fallback.remarks, usage=usage)
    made.warnings = fallback.warnings
    return made


def _hint_at_ollama(made: Draft) -> None:
    """Say beside the draft that Ollama is running, if it is."""
    # The module for sockets is the largest that a draft loads, so only where the hint can be given.
    from smartcommit.llm.local_ollama import ollama_answers

    if ollama_answers():
        made.remarks = (_HINT, *made.remarks)


def explain_failure(error: Exception, git_dir: str) -> SmartcommitError:
    """Return `error` if it is an expected one; else save its traceback and return an AgentError with its place."""
    if isinstance(error, SmartcommitError):
        return error
    log = state_files.save_traceback(git_dir)
    details = str(error) if log is None else f"see '{log}'"
    return AgentError(f"this is a bug in smartcommit ({type(error).__name__}): {details}")


def load_last(repository: Repository) -> str | None:
    """Return the last draft that a model made here, whatever change it was for."""
    return _load_cached(repository.git_dir, None)


def time_limit(settings: Settings, environment: Mapping[str, str] = os.environ) -> int:
    """Seconds that a draft may take, as set or by what waits for it."""
    return settings.number("deadline") or (TIME_LIMIT_STASHED if stash_is_held(environment) else TIME_LIMIT)


def key_of(task: DraftRequest, settings: Settings) -> str:
    """Return a hash of everything a draft depends on: the changed files, HEAD, branch, instructions and settings."""
    changes = []
    for diff in task.diffs:
        change = diff.change
        changes.append((os.fsdecode(change.path), change.status, change.old_id, change.new_id, change.new_mode))
    names = ("provider", "model", "api-base", "command", "language", "types", "scopes", "scope", "header-limit",
             "summary-limit", "line-limit", "summary-case", "full-stop", "required", "imperative", "ticket", "errors",
             "warnings", "off")  # fmt: skip
    values = list(map(settings.value, names))
    head = task.context.repository.head()
    import hashlib  # loads OpenSSL, and only drafts by a model are cached

    state = json.dumps([changes, values, head, task.branch, task.instructions, task.guidance])
    return hashlib.sha256(state.encode("utf-8", "replace")).hexdigest()


def _draft_embedded(task: DraftRequest, passes: Passes) -> Draft:
    if task.ticket is None and passes(task.draft):
        return Draft(task.draft)
    message = parse(task.draft.removesuffix("\n")).message
    text = conform(message, task.rules, passes=passes, ticket=task.ticket)
    if text is None:
        return Draft(None, reason="could not draft a message that passes the project's rules")
    return Draft(text)


def _ask_model(
    task: DraftRequest,
    settings: Settings,
    config: ApiConfig,
    *,
    deadline: Deadline,
    show: Callable[[str], None],
    passes: Passes,
    client: Callable[[ApiConfig], LLMClient] | None,
) -> tuple[str, dict[str, int]]:
    # These imports are slow, and most drafts are made without a model.
    from dataclasses import asdict

    from smartcommit.draft.model.drafter import draft as ask_model
    from smartcommit.llm.client import LLMClient

    asked = (client or LLMClient)(config)
    keep = settings.flag("transcript")
    text = ask_model(task, asked, deadline=deadline, passes=passes, log=show, keep=keep)
    return text, asdict(asked.usage)


def _load_cached(git_dir: str, key: str | None) -> str | None:
    """Return the last draft if it was made for `key` (None: any), as after a commit that was rejected or aborted."""
    kept_key, text = state_files.load_json(git_dir, CACHE, lambda kept: (kept["key"], kept["text"])) or (None, None)
    if key not in (None, kept_key) or not isinstance(text, str):
        return None
    return text
