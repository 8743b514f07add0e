"""What a model is shown of the project's history: headers, messages and small changes like the one to describe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from smartcommit.agent.shown import LINE, decode_start, take_lines
from smartcommit.change.facts import ChangeFacts, list_hunks
from smartcommit.change.hidden_files import find_reason_to_hide
from smartcommit.change.history import History
from smartcommit.change.text import find_words, read_lines
from smartcommit.change.wording import drop_references, make_printable
from smartcommit.errors import GitError
from smartcommit.git.objects import read_commits
from smartcommit.git.repo import Repository
from smartcommit.message.header import Header
from smartcommit.message.parse import parse
from smartcommit.waiting import Deadline

HEADERS_SHOWN = 5
PAIRS_SHOWN = 3
# Number of commits that are read, and maximum paths of one: a large commit is no good example.
_COMMITS_READ = 8
_PATHS_OF_EXAMPLE = 4
# Maximum characters of a pair's diff and of a message's description.
_DIFF_LIMIT = 500
_BODY_LIMIT = 400
_WORD = re.compile(r"[a-z]{4,}")
# The diff of an example must have words on more lines than this.
_LINES_WITH_WORDS = 2

WORKED = """\
An example from another project:
--- src/client.py
-    for attempt in range(3):
+    for attempt in range(attempts):
{"type": "feat", "scope": "client", "summary": "make the number of attempts configurable"}"""
_WORKED_SUMMARY = "make the number of attempts configurable"


@dataclass(slots=True)
class Examples:
    """The nearest past changes: headers, one message with a description, and pairs of diff and message."""

    headers: list[str] = field(default_factory=list)
    body: str = ""
    pairs: list[str] = field(default_factory=list)
    # All texts that a model must not copy.
    texts: list[str] = field(default_factory=lambda: [_WORKED_SUMMARY])


def find_examples(repository: Repository, history: History, change: ChangeFacts, *, deadline: Deadline) -> Examples:
    """Return examples for `change` from the history; at most one process. What cannot be read is left out."""
    words = _words(change)
    nearest = history.find_nearest(change.paths, words, 4 * _COMMITS_READ, upkeep=change.upkeep)
    if change.upkeep and not nearest:
        # The first update of a version still has the project's style.
        nearest = history.find_nearest(change.paths, words, 4 * _COMMITS_READ, upkeep=False)
    examples = Examples()
    for commit in nearest[:HEADERS_SHOWN]:
        header = drop_references(make_printable(commit.summary, 100))
        if commit.type:
            header = str(Header(commit.type, header, scope=commit.scope))
        elif commit.spelling:
            header = f"{commit.spelling}: {header}"
        examples.headers.append(header)
        examples.texts.append(commit.summary)
    small = [commit.id for commit in nearest if commit.id and 0 < len(commit.paths) <= _PATHS_OF_EXAMPLE]
    if not small:
        return examples
    try:
        for message, patch in read_commits(repository, small[:_COMMITS_READ], watch=deadline.check):
            _add_commit(examples, message, patch)
    except GitError:
        # A shallow or partial clone lacks what the history names.
        pass
    return examples


def _words(change: ChangeFacts) -> set[str]:
    hunks = list_hunks(change.core)
    paths = b"\n".join(change.paths).decode("utf-8", "replace")
    return set(find_words([*read_lines(hunks, "added"), *read_lines(hunks, "removed"), paths]))


def _add_commit(found: Examples, message: bytes, patch: bytes) -> None:
    """Add a past commit to `found`, as a message with a description, as a pair, or not at all."""
    read = parse(message.decode("utf-8", "replace")[:4000]).message
    if read.header is None:
        return
    header = drop_references(make_printable(str(read.header), 120))
    text = header
    if read.description:
        text = "\n".join([header, "", *take_lines(read.description.split("\n"), _BODY_LIMIT)])
    found.texts += [read.header.summary, text]
    if read.description and not found.body:
        found.body = text
    lines = take_lines(list(_show_patch(patch)), _DIFF_LIMIT)
    wordy = [line for line in lines if line[0] in "+-" and _WORD.search(line)]
    if len(found.pairs) < PAIRS_SHOWN and len(wordy) > _LINES_WITH_WORDS:
        found.pairs.append("\n".join([*lines, f"=> {header}"]))


def _show_patch(patch: bytes) -> Iterator[str]:
    """Yield the paths and changed lines of a patch, without files that a model may not see."""
    visible = False
    for line in patch.split(b"\n"):
        if line.startswith(b"diff --git "):
            visible = False
        elif line.startswith(b"+++ b/"):
            path = line[len(b"+++ b/") :]
            visible = find_reason_to_hide(path) is None
            if visible:
                yield f"--- {decode_start(path, LINE)}"
        elif visible and line.startswith((b"+", b"-")):
            yield decode_start(line, LINE)
