"""What a command does to lines of others: it commits them, or they are gone."""

from __future__ import annotations

from collections.abc import Iterable

from smartcommit.record import Record
from smartcommit.session.store import Blob, PathState


class OthersLines(Record):
    """What others have in a file: the bytes of the file, and the texts of their lines that HEAD has not.

    `content` is None if they have deleted the file, and `base` is what HEAD has there. Blank lines do not count.
    """

    content: bytes | None
    base: Blob | None
    texts: set[bytes]


class TakenLines(Record):
    """A file whose uncommitted lines of others went into a commit, or nowhere: `before` and `after` are its bytes."""

    path: bytes
    before: bytes | None
    after: bytes | None
    is_committed: bool


def read_others_lines(state: PathState, session: str) -> OthersLines | None:
    """Return what others than `session` have in a file; None if nothing. Its own commands' lines are nobody's."""
    if all(session in (change.owner, change.shell) for change in state.weave.changes.values()):
        return None
    return OthersLines(state.content, state.base, _list_texts(state, session))


def find_taken_lines(
    before: OthersLines, state: PathState, session: str, others: Iterable[PathState]
) -> TakenLines | None:
    """Return what became of others' lines in a file since `before`; None if they are still there.

    They may have been moved into one of the `others`.
    """
    if before.content is None:
        return None
    weave = state.weave
    if not before.texts.isdisjoint(weave.lines):
        if state.base == before.base or before.texts.isdisjoint(weave.head_lines()):
            return None
        return TakenLines(state.path, before.content, state.content, is_committed=True)
    if before.texts:
        is_moved = any(before.texts.issubset(other.weave.lines) for other in others if other.path != state.path)
        is_lost = not is_moved and not _list_texts(state, session)
    else:
        # They had only removed lines, or changed the mode.
        is_lost = not weave.changes and state.base == before.base
    return TakenLines(state.path, before.content, state.content, is_committed=False) if is_lost else None


def _list_texts(state: PathState, session: str) -> set[bytes]:
    weave = state.weave
    texts = set()
    for entry in weave.entries:
        if entry.in_head or not entry.is_live or not weave.is_foreign(entry, session):
            continue
        if weave.changes[entry.change].shell != session and entry.text.strip() and entry.text[:1] != b"\0":
            texts.add(entry.text)
    return texts
