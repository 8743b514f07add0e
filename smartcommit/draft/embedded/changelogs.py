"""Statements of changelogs: their new entries as instructions, wherever a project keeps them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from smartcommit.change.facts import ChangeFacts, FileFacts
from smartcommit.change.filetypes import is_changelog, is_changelog_fragment
from smartcommit.change.text import FILES_SAMPLED, LINES_COMPARED, read_hunk, read_line, read_lines
from smartcommit.change.wording import drop_credits, imperative
from smartcommit.draft.embedded import intent
from smartcommit.draft.embedded.versions import list_bumps
from smartcommit.draft.embedded.view import ChangeView, Kind, Statement, count_lines
from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit.message.verbs import find_verb
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# Each of several entries.
_ENTRIES = Kind(0.5, is_whole=True)
_ADDING_VERBS = ("add", "allow", "introduce", "support")
_ENTRIES_QUOTED = 3  # among more, none says what the change is about
_LONGEST_ENTRY = 100  # characters
# The file in which a chart of Helm lists the changes of its version, in an annotation.
_CHART = b"Chart.yaml"
_SETTINGS = (b".yaml", b".yml", b".toml", b".json")
# Maximum blocks of a fragment in which its sentence is looked for.
_BLOCKS_READ = 6
_FEWEST_WORDS = 3
_MOST_WORDS = 32  # a longer entry is a paragraph
# Words that begin a reason or the means, which can be left out. Without a condition, the rest would be untrue.
_REASON_STARTS = {"because", "so", "while"}
_PURPOSE = compile_on_use(
    r"(?:to (?:allow|avoid|ensure|improve|make|prevent|reduce|support)|instead of|rather than"
    r"|by (?:no longer )?\w+ing)\b"
)
_WORDS_KEPT = 14
# Words that refer to the entry before, so that the sentence makes no sense alone.
_REFERRING = {"them", "it", "this", "these", "those", "that", "also", "another", "both"}
# An item of a list, or a directive of Sphinx for one change.
_ITEM = compile_on_use(r"(?:[-*+]|\d+\.|\.\.\s+change::)\s+(\S.*)")
_HEADING = compile_on_use(r"#{2,6}\s+(\S.*)|\*\*([^*]{1,200})\*\*\Z")
# Lines between paragraphs: titles and their underlines, comments, directives, fields.
_MARK = compile_on_use(r"[#=~^<:]|--|\.\.(?:\s|\Z)")
# Keys of a fragment in YAML, TOML or JSON that hold its sentence, and any key.
_SENTENCE_KEY = compile_on_use(
    r"(?:-\s+)?[\"']?(?:summary|title|body|notes?|description|comment|message|text)[\"']?\s*[:=]\s*(.*)"
)
_KEY = compile_on_use(r"(?:-\s+)?[\"']?[A-Za-z_][\w-]{0,40}[\"']?\s*[:=](?:\s|\Z)")
_KIND_KEY = compile_on_use(r"(?:-\s+|:)?[\"']?(?:change_?)?(?:type|kind)[\"']?\s*[:=]\s*[\"']?([\w-]{1,30})")
_LEVEL = compile_on_use(r":\s*[\"']?(major|minor|patch)\b")
# What the highest level implies, which is the first by its letters.
_LEVELS = {"minor": "feat", "patch": intent.PATCH}
_FASTER = compile_on_use(
    r"(?i)(?:speeds?|sped) up\b|optimi[sz]ed?\b|(?:reduce|improve|decrease)d?\b[^.]*\b(?:performance|latency|memory)\b"
)
_BLOCK_SCALAR = compile_on_use(r"[|>][+-]?\d?\Z")
_FIXED = compile_on_use(r"(?i)(?:^|[./_+-])(?:bug_?-?fix(?:es)?|fix(?:ed|es)?|bugs?)(?:[./_+:-]|\Z)")
_ADDED = compile_on_use(r"(?i)(?:^|[./_+-])(?:feat(?:ure)?s?|added|new_feature)(?:[./_+:-]|\Z)")
# What may come before the sentence of an entry: `**scope**:`, `[scope]`, `#12:`, `scope -`.
_LABEL = compile_on_use(
    r"(?:\*\*[^*]{1,40}\*\*|\[[^\]]{1,40}\](?:\([^()]{0,200}\))?|`[^`]{1,40}`|[\w./-]{0,40}#\d+|[\w./-]{1,30}(?:\([^()]{1,40}\))?)"
    r"(?:\s*:|\s+[-\u2013\u2014])\s+|(?:\[[^\]]{1,40}\](?:\([^()]{0,200}\))?|\(?[\w./-]{0,40}#\d+\)?|\*\*\w{1,20}\*\*)\s+"
)
_ROLE = compile_on_use(r"(?::(?:\w{1,20}:){1,2}|\{[\w:-]{1,30}\})`~?\.?([^`<>]{1,80})`")
_SENTENCE_END = compile_on_use(r"(?<=[\w)`\"'])(?:\.(?=\s+[A-Z`(])|;(?=\s))")
_BUMP = compile_on_use(r"(?:bump|update|upgrade) \S+ (?:to|from) v?\d")


class Entry(Record):
    """An entry of a changelog in the imperative; `type` is the class of type that it implies, if any, or PATCH."""

    text: str
    type: str | None = None


def say_entries(view: ChangeView) -> Iterator[Statement]:
    """Yield the new entries of changelogs, or the start of one that is too long; they are about the whole change."""
    # Where nothing else changed, or all else is the project's own version, the entries are about earlier changes.
    others = [file for file in view.change.files if not (is_changelog(file.path) or is_changelog_fragment(file.path))]
    beside = [file for file in view.change.files if not is_changelog(file.path)]
    is_release = all(file.bumped for file in beside) and any(bump.own for bump in list_bumps(beside))
    if view.is_part or not others or is_release:
        return
    entries = list_entries(view.change)
    if not entries or len(entries) > _ENTRIES_QUOTED:
        return
    is_only, share = len(entries) == 1, 1.0
    charts = tuple([posixpath.dirname(file.path) + b"/" for file in others if file.path.endswith(_CHART)])
    if charts:
        # The changes of a chart are those below its folder.
        share = count_lines([file for file in others if file.path.startswith(charts)]) / count_lines(others)
    if view.purpose.is_partial:
        # Beside a part of what was done, an entry may be about another one.
        code = ChangeView(ChangeFacts([file.diff for file in others]))
        entries = [entry for entry in entries if intent.is_shown(code, entry.text)]
    for entry in entries:
        text = cut(entry.text, _LONGEST_ENTRY)
        verb = find_verb(entry.text)
        implied = "fix" if verb == "fix" else entry.type
        if verb in _ADDING_VERBS and implied is None:
            implied = "feat"
        if text:
            types = [implied] if implied in ("fix", "feat") else []
            yield Statement([text], Kind(0.9, is_whole=True, types=types) if is_only else _ENTRIES, share)


def list_entries(change: ChangeFacts) -> list[Entry]:
    """Return the new entries of changelogs that can be read as instructions, in the order of the files.

    There are none if nothing but a changelog changed: its entries are about other changes.
    """
    found: dict[str, Entry] = {}
    for file in change.files[:FILES_SAMPLED]:
        for text, kind in _read_file(file, alone=len(change.files) == 1):
            sentence = instruct(text)
            if sentence:
                label = _LABEL.match(text)
                told = label and _classify(label[0].strip("[]: "))
                found.setdefault(sentence, Entry(sentence, told or kind))
    return list(found.values())


def find_told(change: ChangeFacts) -> str | None:
    """Return the class of type that a new fragment of a changelog implies, or PATCH, even if it cannot be said."""
    for file in change.files[:FILES_SAMPLED]:
        if is_changelog_fragment(file.path):
            _, kind = next(_read_file(file, alone=len(change.files) == 1), ("", None))
            if kind:
                return kind
    return None


def cut(entry: str, limit: int) -> str | None:
    """Return the longest start of `entry` that has at most `limit` characters and is true without the rest, or None.

    It may end before a reason, or at a comma or another end of a clause.
    """
    best = None
    words = entry.split(" ")
    starts = []
    for number in range(3, min(len(words), _WORDS_KEPT)):
        is_reason = words[number] in _REASON_STARTS or _PURPOSE.match(" ".join(words[number : number + 4]))
        if is_reason or words[number].startswith("(") or words[number - 1].endswith((",", ".", ";", ":")):
            starts.append(" ".join(words[:number]).rstrip(" ,.;:"))
    for text in (*starts, entry):
        if len(text) <= limit and not text.count("`") % 2 and not text.count("(") - text.count(")"):
            best = text
    return best


def instruct(text: str) -> str | None:
    """Return an entry in the imperative, without labels, references and further sentences, or None if it has no verb.

    Updates of dependencies, very short or long entries, and those that refer to another one are None, too.
    """
    text = _ROLE.sub(r"`\1`", drop_credits(" ".join(text.split())))
    is_summary = False
    for _ in range(2):
        label = _LABEL.match(text)
        if label:
            is_summary = label[0].partition("(")[0].rstrip(": ") in DEFAULT_TYPES
            text = text[label.end() :]
    text = _SENTENCE_END.split(text, maxsplit=1)[0]
    if text.lower().startswith("support for "):
        # A noun that looks like a verb.
        text = f"add s{text[1:]}"
    sentence = imperative(text)
    if sentence is None and is_summary and text[:1].islower():
        # Of a header, as in `fix: only skip what is shown`.
        sentence = text
    if sentence is None or _BUMP.match(sentence):
        return None
    words = sentence.split(" ")
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS or not _REFERRING.isdisjoint(words[1:3]):
        return None
    return sentence


def _read_file(file: FileFacts, *, alone: bool) -> Iterator[tuple[str, str | None]]:
    """Yield the texts of new entries in a file, each with the class of type that it implies, or PATCH.

    In a fragment they are an empty text for all of it, and headings and items of lists, up to the first paragraph that
    is an entry. `alone` says that it is the only file of the change.
    """
    path, kind = file.path, None
    lines = read_lines(file.diff.hunks, "added", LINES_COMPARED)
    if path.endswith(_CHART):
        # The lists of a chart, such as its changes, are indented.
        lines = []
        for hunk in file.diff.hunks:
            added = [line for line in hunk.added if line[:1].isspace() and line not in hunk.removed]
            lines += [read_line(line).strip() for line in added[:LINES_COMPARED]]
    elif file.nature == "added" and is_changelog_fragment(path) and not alone:
        kind = _classify(path.decode("utf-8", "replace"))
        if lines[:1] == ["---"] and "---" in lines[1:]:
            # Settings stand in front, as the part of the version that each package raises.
            end = lines.index("---", 1)
            kind = kind or _LEVELS.get(min(_LEVEL.findall("\n".join(lines[:end])), default=""))
            lines = lines[end + 1 :]
        if kind in (None, intent.PATCH) and _FASTER.match(" ".join(lines).strip()):
            kind = "perf"
        yield "", kind
    else:
        if file.nature == "modified" and (is_changelog(path) or is_changelog_fragment(path)) and not alone:
            yield from _read_items(file)
        return
    keys = path.endswith(_SETTINGS)
    for is_item, text, implied in list(_split_blocks(lines, kind, keys=keys))[:_BLOCKS_READ]:
        if instruct(text):
            yield text, implied
            if not is_item and not keys:
                return


def _read_items(file: FileFacts) -> Iterator[tuple[str, str | None]]:
    """Yield the new items of lists, and the headings, of a changelog, except for hunks in which old items changed."""
    for hunk in file.diff.hunks:
        reading = read_hunk(hunk)
        if any(_ITEM.match(line) for line in reading.removed.read(LINES_COMPARED)):
            continue
        lines = reading.added.read(LINES_COMPARED)
        told = [found[1] for line in lines if (found := _KIND_KEY.match(line))]
        kind = _classify(told[0]) if told else None
        for is_item, text, _ in _split_blocks(lines):
            if is_item:
                yield text, kind


def _split_blocks(
    lines: Iterable[str], kind: str | None = None, *, keys: bool = False
) -> Iterator[tuple[bool, str, str | None]]:
    """Yield the blocks of a text, each as one line: items of lists and headings with True, paragraphs with False.

    With `keys`, as in YAML and JSON, values of keys such as `summary` are blocks; others tell the class of type.
    """
    text, is_item = "", False
    for line in (*lines, ""):
        heading, item = _HEADING.match(line), _ITEM.match(line)
        key, sentence = (_KEY.match(line), _SENTENCE_KEY.match(line)) if keys else (None, None)
        if not (heading or item or key or sentence or not line or _MARK.match(line)):
            is_item = is_item and bool(text)
            text = f"{text} {line}".strip()
            continue
        if text:
            bare = text.strip(" ,")
            is_quoted = keys and bare[:1] in ("'", '"') and bare.endswith(bare[:1])
            yield is_item, bare[1:-1] if is_quoted else text, kind
        text = ""
        if key:
            told = _KIND_KEY.match(line)
            kind = _classify(told[1] if told else line) or kind
        if heading:
            yield True, heading[1] or heading[2], kind
        start = sentence or (None if key else item)
        if start:
            text, is_item = _BLOCK_SCALAR.sub("", start[1]), True


def _classify(name: str) -> str | None:
    """Return the class of type that the name of a fragment, or of a kind of entries, implies, or None."""
    if _FIXED.search(name):
        return "fix"
    if _ADDED.search(name):
        return "feat"
    return None
