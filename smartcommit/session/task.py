"""What a person asks a coding agent for: one line of the prompt that may stand in a message, and has no secret."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.coding_agent import find_session
from smartcommit.config import load
from smartcommit.git.repo import Repository
from smartcommit.message.verbs import find_verb
from smartcommit.secrets.redaction import redact
from smartcommit.session import registry
from smartcommit.session.store import load_state

# Characters of a prompt that are read.
_PROMPT = 2000
# Characters of a task.
_TASK = 100
# Files of a change whose owner is looked up.
_PATHS = 60
# How an instruction to an agent may begin, in this order.
_POLITE = ("can you ", "could you ", "would you ", "please ", "now ")
# Where it ends: at the end of a sentence, or before a paragraph or a list.
_ENDS = (". ", "? ", "! ", ".\n", "?\n", "!\n", "\n\n", "\n- ", "\n* ")
# Parts of words for what is secret, and what a sentence with one may consist of: prose has secrets that look like no
# secret, as in "the password is hunter2".
_SECRETS = ("passw", "passphrase", "secret", "token", "key", "credential")
_PLAIN = frozenset(" -_'`.,/()abcdefghijklmnopqrstuvwxyz")
# Characters of a word with a digit that may be a key, though it looks like no known one.
_KEY = 16


def note_prompt(repository: Repository, session: str, prompt: str) -> None:
    """Remember the instruction that a person's prompt begins with, if the user has that kept; nothing else of it is."""
    task = find_task(prompt)
    if task and load(repository.worktree).flag("agent-prompts"):
        registry.note_task(repository, session, task)


def find_task(prompt: str) -> str:
    """Return the instruction that a prompt begins with, in one line; empty if there is none, or if it has a secret."""
    sentence = prompt[:_PROMPT].strip()
    if sentence.startswith('"'):  # opencode quotes a prompt of its command line
        sentence = sentence.strip('"')
    for end in _ENDS:
        sentence = sentence.partition(end)[0]
    sentence = " ".join(sentence.split()).rstrip(".!?")
    for start in _POLITE:
        if sentence.lower().startswith(start):
            sentence = sentence[len(start) :]
    is_sentence = len(sentence.split()) >= 3 and len(sentence) <= _TASK and sentence.isprintable()
    if not is_sentence or find_verb(sentence) is None or _may_be_secret(sentence):
        return ""
    return sentence


def find_said(repository: Repository, paths: Sequence[bytes]) -> dict[str, str]:
    """Return what the agent that has changed `paths` was asked for, by what drafts call such a source.

    It is the agent in whose environment we run, or else the only one at work here, if it has changed one of the files.
    """
    session = find_session()
    if session is None:
        lasting = registry.list_lasting(repository.git_dir)
        if len(lasting) != 1:
            return {}
        session = lasting[0].id
        states = (load_state(repository.git_dir, path) for path in paths[:_PATHS])
        if not any(state is not None and session in state.weave.list_owners() for state in states):
            return {}
    return {"agent-prompts": registry.read_task(repository, session)}


def _may_be_secret(sentence: str) -> bool:
    lowered = sentence.lower()
    if any(secret in lowered for secret in _SECRETS) and not _PLAIN.issuperset(lowered):
        return True
    for word in sentence.split():
        if len(word) >= _KEY and any(character.isdigit() for character in word):
            return True
    return redact(sentence) != sentence
