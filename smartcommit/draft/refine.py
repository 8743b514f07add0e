"""A message that was given on the command line, refined by a model before its editor opens."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from smartcommit.config import Settings
from smartcommit.draft.engine import EMBEDDED
from smartcommit.draft.insert import insert
from smartcommit.draft.message_file import drafted
from smartcommit.exemption import autosquash_target, by_state
from smartcommit.git.repo import Repository
from smartcommit.llm.provider import wants_model
from smartcommit.message.characters import printable
from smartcommit.message.cleanup import STRIP, Cleaning, decode
from smartcommit.message.editfile import editable
from smartcommit.message.trailers import find_trailers

# What a cherry-pick and a rebase leave in the git directory while they go on; by_state knows the others.
_SEQUENCES = ("CHERRY_PICK_HEAD", "sequencer", "rebase-merge", "rebase-apply")


def refine(
    repository: Repository, settings: Settings, content: bytes, cleaning: Cleaning, *, since: float | None = None
) -> bytes | None:
    """`content`, the bytes of the message file, with the given text refined and kept below it in comments.

    None where it is to stay as it is: no model is configured, comments would be recorded, or the message is not one
    that somebody wrote for this change alone. Where the model fails, a comment says so.

    Raises: GitError when git fails; ConfigError when a rule cannot be applied.
    """
    if not wants_model(settings) or cleaning.mode != STRIP or _is_replayed(repository, os.environ):
        return None
    end = _end(content, cleaning.comment)
    given, rest = content[:end], content[end:]
    try:
        seed = decode(given, cleaning.encoding).strip()
    except ValueError:
        return None
    if not seed or autosquash_target(seed.split("\n", 1)[0]) is not None:
        return None

    def with_draft(text: str, remarks: Sequence[str] = ()) -> bytes | None:
        return insert(text, rest, comment=cleaning.comment, encoding=cleaning.encoding, remarks=remarks)

    made = drafted(repository, settings, cleaning, with_draft, since=since, wish=seed)
    if made.engine != EMBEDDED and made.text is not None:
        kept = [printable(line) for line in seed.split("\n")]
        return with_draft(made.text, [f"smartcommit: refined by {printable(made.engine)}; given was:", *kept])
    if not made.reason or not made.changed:
        return None
    said = f" smartcommit: not refined: {printable(made.reason)}".encode()
    return given.rstrip(b"\n") + b"\n\n" + cleaning.comment + said + b"\n\n" + rest


def _end(content: bytes, comment: bytes) -> int:
    """Where the text that was given ends: at git's first comment, or the trailers that stand before it."""
    lines = editable(content, comment).split(b"\n")
    end = next((number for number, line in enumerate(lines) if line.startswith(comment)), len(lines))
    begin, behind = find_trailers([line.decode("latin-1") for line in lines[:end]], comment.decode("latin-1"))
    end = begin if begin < behind else end
    return min(len(content), sum(len(line) + 1 for line in lines[:end]))


def _is_replayed(repository: Repository, environment: Mapping[str, str]) -> bool:
    """Whether this commit takes another one's place, or repeats one.

    Amending shows only in the author's date, which git exports and takes over from the commit that is amended.
    """
    if by_state(repository.git_dir) is not None:
        return True
    if any(os.path.exists(os.path.join(repository.git_dir, name)) for name in _SEQUENCES):
        return True
    authored = environment.get("GIT_AUTHOR_DATE", "").lstrip("@").split(" ", 1)[0]
    head = repository.head()
    return head is not None and repository.run("log", "-1", "--format=%at", head).decode().strip() == authored
