"""What a person keeps changing in drafts: types, scopes, verbs, single words, and whether there is a body."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from smartcommit.message.header import parse_header
from smartcommit.message.trailers import find_trailers
from smartcommit.message.verbs import find_base
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# The parts of a message that habits are about.
PARTS = ("type", "scope", "verb", "word", "body")
# The value of the part "body" in a message that has one.
BODY = "drafted"
# How often the same correction has to be made before it counts as a habit.
_LEAST_FOR_HABIT = 2
# Number of the last drafts with a value that are counted, since people change their minds.
_DRAFTS_COUNTED = 4
# Pieces of a summary: quoted text, which is never a plain word, and what spaces separate.
_PIECE = compile_on_use(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'|[`\"']\S*|(?:[^\s`\"']|(?<=\w)')+")
# A plain word with punctuation around it: not a path, a file, an option, a call or a name with underscores.
_PLAIN = compile_on_use(r"(\(?)([^\W_]{1,40}(?:['’-][^\W_]{1,40}){0,3})(\)?[,.;:!?]?)\Z")
# Words whose replacement depends on the sentence.
_FUNCTION_WORDS = {
    "a", "an", "and", "as", "at", "by", "for", "from", "if", "in", "into", "is", "not", "of", "on", "or", "that", "the",
    "to", "when", "with", "without",
}  # fmt: skip
# Verbs of sentences that quote the change: `rename config to settings`.
_QUOTING_VERBS = {
    "bump", "change", "downgrade", "migrate", "move", "pin", "rename", "replace", "revert", "set", "switch", "unpin",
    "upgrade",
}  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Set


class Replacement(Record):
    """What a habit replaced in a part of a draft: `drafted` by `written`, which is empty if the part is left out."""

    part: str
    drafted: str
    written: str


DROPPED_BODY = Replacement("body", BODY, "")


class Pair(Record):
    """A drafted message and the one that was committed in its place.

    `commit` is an object name, empty if unknown. `followed` has what habits replaced in the draft.
    """

    drafted: str
    committed: str
    commit: str = ""
    followed: Sequence[Replacement] = ()


class Habit(Record):
    """A correction that a person makes often: where a draft says `drafted`, they write `committed`, or nothing.

    They did so in `commits`, the oldest first, out of `drafts` that were counted.
    """

    part: str
    drafted: str
    committed: str
    drafts: int
    commits: Sequence[str]

    def make_replacement(self) -> Replacement:
        """Return what following the habit does to a draft."""
        return Replacement(self.part, self.drafted, self.committed)


def find_habits(pairs: Sequence[Pair]) -> dict[str, dict[str, Habit]]:
    """Return the habits of each of PARTS by what they replace; `pairs` has the oldest first.

    A correction is a habit if it was made at least twice, and in more than half of the last drafts with that value. A
    draft that already followed the habit counts for it if it was kept, and against it if not. What a person adds where
    a draft has nothing depends on the change and is never a habit.
    """
    # What became of each value of a part, and in which commit.
    cases: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for pair in pairs:
        for part, drafted, committed in _compare(pair):
            cases[part, drafted].append((committed, pair.commit))
    habits: dict[str, dict[str, Habit]] = {part: {} for part in PARTS}
    for (part, drafted), found in cases.items():
        habit = _find_habit(part, drafted, found[-_DRAFTS_COUNTED:])
        if habit is not None:
            habits[part][drafted] = habit
    return habits


def _find_habit(part: str, drafted: str, cases: Sequence[tuple[str, str]]) -> Habit | None:
    """Return what a value is replaced by in most of the `cases`, or None; of two corrections, the newer one wins."""
    outcomes = [outcome for outcome, _ in cases]
    for committed in dict.fromkeys(reversed(outcomes)):
        if committed == drafted:
            continue
        first = outcomes.index(committed)
        # Other corrections before the first of these have been given up, so they do not count.
        drafts = outcomes[:first].count(drafted) + len(outcomes) - first
        commits = [commit for outcome, commit in cases if outcome == committed]
        if len(commits) >= _LEAST_FOR_HABIT and 2 * len(commits) > drafts:
            return Habit(part, drafted, committed, drafts, commits)
    return None


def _compare(pair: Pair) -> Iterator[tuple[str, str, str]]:
    """Yield the parts that can be compared: each with its value, as drafted without habits and as committed."""
    before, after = split_header(pair.drafted), split_header(pair.committed)
    if before is None or after is None:
        return
    replaced = {(one.part, one.written): one.drafted for one in pair.followed}
    before["body"], after["body"] = _find_body(pair.drafted), _find_body(pair.committed)
    compared = [(part, before[part], after[part]) for part in ("type", "scope", "body")]
    first, _, rest = before["summary"].partition(" ")
    other, _, other_rest = after["summary"].partition(" ")
    first, other = first.lower(), other.lower()
    if not before["verb"] and ("verb", first) not in replaced:
        rest, other_rest = before["summary"], after["summary"]
    elif first == other or (other.isalpha() and _are_similar(rest, other_rest)):
        compared.append(("verb", first, other))
    for word, written in _compare_words(_PIECE.findall(rest), _PIECE.findall(other_rest)):
        compared.append(("word", word, written))
    for part, value, written in compared:
        drafted = replaced.get((part, value), value)
        if drafted:
            yield part, drafted, written


def split_header(message: str) -> dict[str, str] | None:
    """Return the `type`, `scope`, `summary` and `verb` of a message's header, or None if it is not conventional.

    What the header does not have is empty, in a draft also the summary. The verb is in lower case and in the form in
    which it was written.
    """
    line = message.partition("\n")[0]
    header = parse_header(line)
    if header is None and line.rstrip().endswith(":"):
        header = parse_header(f"{line.rstrip()} empty")
        if header is not None:
            header.summary = ""
    if header is None:
        return None
    verb = header.summary.partition(" ")[0].lower()
    return {
        "type": header.type,
        "scope": header.scope or "",
        "summary": header.summary,
        "verb": verb if find_base(verb) else "",
    }


def _find_body(message: str) -> str:
    """Return BODY if there is more than a header and trailers, else an empty text."""
    if not message.partition("\n")[2].strip():
        return ""
    lines = message.split("\n")
    start, _ = find_trailers(lines)
    return BODY if any(lines[1:start]) else ""


def _are_similar(rest: str, other: str) -> bool:
    """Whether the rest of a sentence was mostly kept. In another sentence, another verb is not a correction."""
    words, others = set(rest.split()), set(other.split())
    return 2 * len(words & others) >= max(len(words), len(others))


def _compare_words(pieces: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the plain words of a summary that were kept, and the one that was replaced, if nothing else was."""
    replaced: dict[str, str] = {}
    if len(pieces) == len(others):
        changed = []
        for piece, other in zip(pieces, others, strict=True):
            if piece != other:
                changed.append((piece, other))
        if len(changed) == 1:
            old, new = map(_PLAIN.match, changed[0])
            if old and new and old[1] == new[1] and old[3] == new[3] and _is_spelling(old[2], new[2]):
                replaced[old[2]] = new[2]
    kept = set(others)
    for piece in dict.fromkeys(pieces):
        found = _PLAIN.match(piece)
        if found and found[2] in replaced:
            yield found[2], replaced[found[2]]
        elif found and piece in kept:
            yield found[2], found[2]


def _is_spelling(old: str, new: str) -> bool:
    """Whether this person may write `new` for `old` in any sentence: neither is a name, a number or a preposition."""
    if old.lower() == new.lower():
        return True
    is_prose = old.islower() or old.istitle() or old.isupper()
    return is_prose and not any(map(str.isdigit, old + new)) and old.lower() not in _FUNCTION_WORDS


def correct_summary(
    summary: str, habits: Mapping[str, Mapping[str, Habit]], names: Set[str]
) -> tuple[str, list[Replacement]]:
    """Replace the verb and the plain words of `summary` by those of `habits`; return it and what was replaced.

    Words in `names` stay. So do all words behind a verb such as `rename`, which quote the change.
    """
    replaced = []
    first, space, rest = summary.partition(" ")
    verb = find_base(first.lower())
    habit = habits["verb"].get(first.lower())
    if habit is not None:
        replaced.append(habit.make_replacement())
        is_capitalized = first[:1].isupper()
        first = habit.committed
        if is_capitalized:
            first = first.capitalize()
    elif verb is None:
        first, space, rest = "", "", summary
    if verb in _QUOTING_VERBS or not habits["word"]:
        return first + space + rest, replaced

    def replace(piece: re.Match[str]) -> str:
        found = _PLAIN.match(piece[0])
        if found is None or found[2] in names:
            return piece[0]
        habit = habits["word"].get(found[2])
        if habit is None:
            return piece[0]
        replaced.append(habit.make_replacement())
        return found[1] + habit.committed + found[3]

    return first + space + _PIECE.sub(replace, rest), replaced
