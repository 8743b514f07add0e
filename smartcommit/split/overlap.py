"""Commits that name the same hunk become one: the hunks decide, and only the message has to be worded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from smartcommit.split.plan import CommitDict


def merge_overlapping(commits: Sequence[CommitDict], word: Callable[[list[str]], str]) -> list[CommitDict]:
    """`commits`, those together that share a hunk directly or through others, in the order of the first of each.

    `word` gives the message for those that become one, from theirs.
    """
    groups: list[list[CommitDict]] = []
    for commit in commits:
        sharing = [group for group in groups if any(set(commit["hunks"]) & set(other["hunks"]) for other in group)]
        joined = [*(other for group in sharing for other in group), commit]
        place = groups.index(sharing[0]) if sharing else len(groups)
        groups = [group for group in groups if group not in sharing]
        groups.insert(place, joined)
    return [group[0] if len(group) == 1 else joined_commit(group, word) for group in groups]


def joined_commit(commits: Sequence[CommitDict], word: Callable[[list[str]], str]) -> CommitDict:
    """One commit with the hunks and issues of all of `commits`."""
    issues = [issue for commit in commits for issue in commit.get("issues", ())]
    return {
        "message": word([commit["message"] for commit in commits]),
        "hunks": list(dict.fromkeys(hunk for commit in commits for hunk in commit["hunks"])),
        **({"issues": issues} if issues else {}),
    }


def joined_message(messages: Sequence[str]) -> str:
    """The first of `messages`, with the subjects of the others in its description."""
    first, *others = messages
    header, _, rest = first.partition("\n")
    points = [f"- {message.splitlines()[0].partition(': ')[2]}" for message in others]
    return "\n\n".join(part for part in (header, "\n".join(points), rest.strip("\n")) if part) + "\n"
