"""What a person asks a coding agent for, as far as it may stand in a message: one line of a prompt, and no secret."""

from __future__ import annotations

from smartcommit.config import load
from smartcommit.git.repo import Repository
from smartcommit.message.verbs import find_verb
from smartcommit.secrets.scan import redact
from smartcommit.session import registry

# Characters of a prompt that are read, and of a task.
_PROMPT, _TASK = 2000, 100
# How an instruction to an agent may begin, in this order.
_POLITE = ("can you ", "could you ", "would you ", "please ", "now ")


def note_prompt(repository: Repository, session: str, prompt: str) -> None:
    """Remember the instruction that a person's prompt begins with, if the user has that kept; nothing else of it is."""
    task = find_task(prompt)
    if task and load(repository.worktree).flag("agent-prompts"):
        registry.note_task(repository, session, task)


def find_task(prompt: str) -> str:
    """Return the instruction that a prompt begins with, in one line; empty if there is none, or if it has a secret."""
    sentence = " ".join(prompt[:_PROMPT].split())
    for end in (". ", "? ", "! "):
        sentence = sentence.partition(end)[0]
    sentence = sentence.rstrip(".!?")
    for start in _POLITE:
        if sentence.lower().startswith(start):
            sentence = sentence[len(start) :]
    is_sentence = len(sentence.split()) >= 3 and len(sentence) <= _TASK and sentence.isprintable()
    if not is_sentence or find_verb(sentence) is None or redact(sentence) != sentence:
        return ""
    return sentence
