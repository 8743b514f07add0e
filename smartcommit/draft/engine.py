"""Which engine drafts: a model where one is configured, and the embedded drafter at once where it fails."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

from smartcommit import state_files
from smartcommit.config import Settings
from smartcommit.draft.conform import Passes, accepted, conform
from smartcommit.draft.request import DraftRequest, read_request
from smartcommit.errors import AgentError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.hook_runner import stash_is_held
from smartcommit.llm.provider import api_config, ollama_answers, wants_model
from smartcommit.message.characters import printable
from smartcommit.message.parse import parse
from smartcommit.terminal import Terminal
from smartcommit.waiting import Deadline, wait_for_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.llm.api import ApiConfig
    from smartcommit.llm.client import LLMClient

CACHE = "draft.json"
# Seconds that a draft may take, and while pre-commit has taken unstaged work out of the working tree.
PATIENCE, PATIENCE_STASHED = 20, 10
EMBEDDED = "embedded"
_HINT = "Ollama is running; 'git config --global smartcommit.model NAME' lets it draft"


@dataclass(slots=True)
class Draft:
    """A message and where it comes from.

    `text` is None where nothing changed, or where no message can pass the project's rules. `engine` is EMBEDDED or the
    model's name. `reason` says why a model that was wanted did not draft, or why there is no text. `remarks` are told
    beside the message. `changed` is False where there was nothing to draft for. `usage` counts what this draft cost:
    tokens of prompt and output, and requests.
    """

    text: str | None
    engine: str = EMBEDDED
    reason: str | None = None
    remarks: tuple[str, ...] = ()
    changed: bool = True
    usage: dict[str, int] | None = field(default=None, compare=False)

    @property
    def comments(self) -> list[str]:
        """What is said about the draft where an editor opens, each a line of safe text."""
        said = list(self.remarks)
        if self.engine != EMBEDDED:
            said.insert(0, f"drafted by {self.engine}")
        elif self.reason:
            said.insert(0, f"drafted without the model: {self.reason}" if self.text else f"no draft: {self.reason}")
        return [f"smartcommit: {printable(' '.join(text.split()))[:200]}" for text in said]


def draft(
    repository: Repository,
    base: str,
    target: str | None,
    settings: Settings,
    *,
    deadline: Deadline,
    terminal: Terminal | None = None,
    passes: Passes | None = None,
    wish: str = "",
) -> Draft:
    """A message for the change from tree or commit `base` to tree `target` (None: the index), by `deadline`.

    The embedded draft is made first and is what is used whenever the model fails, even through a bug of ours. `passes`
    tells whether a text would be recorded as it is and let through; by default the project's rules decide alone. `wish`
    is what a person says about the message. Nothing is changed but the cache in the git directory.

    Raises: GitError when git fails; ConfigError when a rule cannot be applied.
    """
    task = read_request(repository, base, target, settings, wish=wish)
    if task is None:
        return Draft(None, reason="nothing changed", changed=False)
    rules = task.rules
    return draft_task(
        task, settings, deadline=deadline, terminal=terminal, passes=passes or (lambda text: accepted(text, rules))
    )


def draft_task(
    task: DraftRequest,
    settings: Settings,
    *,
    deadline: Deadline,
    terminal: Terminal | None,
    passes: Passes,
    client: Callable[[ApiConfig], LLMClient] | None = None,
) -> Draft:
    """`draft` of a change that was read already, by another `client` where one is given, say one that replays."""
    scattered = ("no one scope covers this change: 'pre-commit run split' takes it apart",) if task.scattered else ()
    fallback = _embedded(task, passes)
    fallback.remarks = scattered
    if not wants_model(settings):
        if settings.text("provider") == "auto" and ollama_answers():
            fallback.remarks = (_HINT, *scattered)
        return fallback
    git_dir = task.context.repository.git_dir
    try:
        key = key_of(task, settings)
        text, usage = _cached(git_dir, key), None
        if text is None or not passes(text):
            text, usage = _by_model(task, settings, deadline=deadline, terminal=terminal, passes=passes, client=client)
            state_files.save(git_dir, CACHE, json.dumps({"key": key, "text": text}).encode())
    except Exception as error:  # whatever a model causes, the embedded draft is there
        fallback.reason = str(failure_of(error, git_dir)) if fallback.text else fallback.reason
        return fallback
    return Draft(text, settings.text("model") or "a model", remarks=scattered, usage=usage)


def failure_of(error: Exception, git_dir: str) -> SmartcommitError:
    """The exception being handled, as an expected error; a bug becomes an AgentError, and its traceback is kept."""
    if isinstance(error, SmartcommitError):
        return error
    log = state_files.keep_traceback(git_dir)
    details = str(error) if log is None else f"see '{log}'"
    return AgentError(f"this is a bug in smartcommit ({type(error).__name__}): {details}")


def patience_of(settings: Settings, environment: Mapping[str, str] = os.environ) -> int:
    """Seconds that a draft may take, as set or by what waits for it."""
    return settings.number("deadline") or (PATIENCE_STASHED if stash_is_held(environment) else PATIENCE)


def key_of(task: DraftRequest, settings: Settings) -> str:
    """What a draft depends on: the two trees by what differs between them, HEAD, and every setting."""
    changes = [
        (os.fsdecode(change.path), change.status, change.old_id, change.new_id, change.new_mode)
        for change in (diff.change for diff in task.diffs)
    ]
    names = ("provider", "model", "api-base", "language", "types", "scopes", "summary-limit", "line-limit", "required",
             "imperative", "ticket", "errors", "warnings", "off")  # fmt: skip
    chosen = [settings.value(name) for name in names]
    head = task.context.repository.head()
    return hashlib.sha256(
        json.dumps([changes, chosen, head, task.branch, task.wish]).encode("utf-8", "replace")
    ).hexdigest()


def _embedded(task: DraftRequest, passes: Passes) -> Draft:
    text = task.draft
    if not passes(text):
        # What the rules ask for beyond a header and a description is put in.
        conformed = conform(parse(text.removesuffix("\n")).message, task.rules, passes=passes, ticket=task.ticket)
        if conformed is None:
            asked = f"; '{task.rules.ticket}' is asked for, and the branch names no ticket" if task.rules.ticket else ""
            return Draft(None, reason=f"no message made here passes the project's rules{asked}")
        text = conformed
    return Draft(text)


def _by_model(
    task: DraftRequest,
    settings: Settings,
    *,
    deadline: Deadline,
    terminal: Terminal | None,
    passes: Passes,
    client: Callable[[ApiConfig], LLMClient] | None,
) -> tuple[str, dict[str, int]]:
    # Everything that a model needs is heavy, and most drafts are made without one.
    from smartcommit.draft.model import draft as ask_model
    from smartcommit.llm.client import LLMClient

    config = api_config(settings)
    asked = (client or LLMClient)(config)
    keep = settings.flag("transcript")
    with wait_for_model(config.model, terminal, deadline) as show:
        text = ask_model(task, asked, deadline=deadline, passes=passes, log=show, keep=keep)
    return text, asdict(asked.usage)


def _cached(git_dir: str, key: str) -> str | None:
    """The draft that was made for `key` before, as after a commit that was refused or aborted."""
    try:
        kept = json.loads(state_files.load(git_dir, CACHE) or b"{}")
        text = kept["text"] if kept.get("key") == key else None
    except (ValueError, KeyError, AttributeError):
        return None
    return text if isinstance(text, str) else None
