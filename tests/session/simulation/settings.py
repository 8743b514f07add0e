"""How often each thing happens in a run."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Settings:
    """Shares of all edits, actions or notices, from 0 to 1, unless a number is named.

    `lines` is the least and the most lines of a file at first, `actions` how many things happen. `person` is the share
    of the actions that are a person's; of those, `git` use git. `commit` is the share that are sessions' commits. With
    `ahead` others may do something between the moment when a tool makes its content and its first notice.
    """

    lines: tuple[int, int] = (3, 22)
    actions: int = 90
    person: float = 0.35
    git: float = 0.2
    commit: float = 0.06
    repeated: float = 0.0
    stale: float = 0.25
    undo: float = 0.08
    move: float = 0.1
    duplicate: float = 0.05
    reformat: float = 0.04
    whole: float = 0.15
    old_read: float = 0.4
    shell: float = 0.1
    files: float = 0.06
    pre_missing: float = 0.1
    post_missing: float = 0.1
    late: float = 0.15
    doubled: float = 0.08
    between: float = 0.15
    original: float = 0.5
    crash: float = 0.3
    undone: float = 0.2
    attributes: bool = True
    kills: float = 0.0
    ahead: bool = False


HOSTILE = Settings()
REPEATED = replace(HOSTILE, repeated=0.4)
AHEAD = replace(HOSTILE, repeated=0.2, between=0.3, ahead=True)
KILLED = replace(HOSTILE, repeated=0.2, kills=0.08)
ALONE = Settings(
    lines=(3, 150), person=0.0, git=0.0, commit=0.05, stale=0.0, reformat=0.0, whole=0.0, old_read=0.0,
    shell=0.0, files=0.0, pre_missing=0.0, post_missing=0.0, late=0.0, doubled=0.0, between=0.0, original=1.0,
    crash=0.0, undone=0.0, attributes=False,
)  # fmt: skip
CALM = replace(ALONE, lines=(150, 150), person=0.3)
KINDS = {
    "hostile": HOSTILE, "repeated": REPEATED, "killed": KILLED, "ahead": AHEAD, "alone": ALONE, "calm": CALM,
}  # fmt: skip
