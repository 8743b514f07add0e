"""Sentences for small edits that the lines themselves tell: a word replaced, a value set, links, typing errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import FileFacts, is_typo, text_of
from smartcommit.change.wording import counted, join, safe, safe_name
from smartcommit.git.diff import Hunk

# Hunks and lines looked at: an edit that repeats further is the same edit.
HUNKS, LINES = 60, 40

_URL = re.compile(r"https?://[^\s)>\"'`]{1,300}|\]\([^)\s]{1,300}\)")
_TOKEN = re.compile(r"[\w$]+(?:[.:-]+[\w$]+)*|[^\w\s]")
_WORD = re.compile(r"[A-Za-z_$][\w$.:-]*\Z")
_SETTING = re.compile(r"[\s\"'-]*([A-Za-z_][\w.-]{1,60})[\"']?\s*(?::[^=]{0,40})?[:=]\s*([^=\s].{0,80}?)[,;]?\Z")
_CODE = re.compile(r"`{1,2}([^`\s]{2,40})`{1,2}")
_NAME = re.compile(r"(?<![\w.$])[A-Za-z][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]+){1,6}(?![\w$])")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]{2,40}")


def edit_sentences(files: Sequence[FileFacts]) -> Iterator[str]:
    """What the edited lines say, the best first; empty where they say nothing simple."""
    hunks = [hunk for file in files for hunk in file.diff.hunks][:HUNKS]
    if not hunks or any(file.nature not in ("modified", "comments") for file in files):
        return
    where = f" in {join([safe_name(file.path) for file in files])}" if len(files) <= 2 else ""
    if all(is_typo(hunk) for hunk in hunks):
        yield f"fix {'typo' if len(hunks) == 1 else 'typos'}{where or _in_files(files)}"
        return
    renamed = only_rename(files)
    if renamed:
        yield f"rename {safe(renamed[0], 40)} to {safe(renamed[1], 40)}"
        return
    pairs = _pairs(hunks)
    if pairs and all(_URL.sub("", a) == _URL.sub("", b) and a != b for a, b in pairs):
        yield f"update {'link' if len(pairs) == 1 else 'links'}{where or _in_files(files)}"
        return
    yield from _ignored(files, hunks)
    yield from _replacement(pairs, where)
    yield from _new_options(files, hunks)
    if all(file.kind == filetypes.DOCUMENTATION for file in files):
        yield from _documented(hunks, where)


def _pairs(hunks: Sequence[Hunk]) -> list[tuple[str, str]]:
    """The lines that replace each other, side by side; empty where any hunk does more than replace lines."""
    if any(len(hunk.removed) != len(hunk.added) or len(hunk.removed) > LINES for hunk in hunks):
        return []
    return [
        pair
        for hunk in hunks
        for pair in zip(text_of(hunk.removed), text_of(hunk.added), strict=True)
        if pair[0] != pair[1]
    ]


def _replacement(pairs: Sequence[tuple[str, str]], where: str) -> Iterator[str]:
    """`use B instead of A` where one word was replaced throughout; `set KEY to VALUE` where one value was."""
    replaced = _throughout(pairs)
    if replaced is None:
        return
    old, new = replaced
    setting = {found[1] for _, after in pairs if (found := _SETTING.match(after)) and new in found[2]}
    if len(setting) == 1 and not (_WORD.match(old) and _WORD.match(new) and len(pairs) > 1):
        yield f"set {safe(setting.pop(), 40)} to {safe(new, 30)}{where}"
    elif _WORD.match(old) and _WORD.match(new):
        yield f"use {safe(new, 40)} instead of {safe(old, 40)}{where}"
        yield f"use {safe(new, 40)} instead of {safe(old, 40)}"
    else:
        yield f"change {safe(old, 30)} to {safe(new, 30)}{where}"


def _throughout(pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    replaced = {_replaced(before, after) for before, after in pairs}
    return replaced.pop() if len(replaced) == 1 else None


def only_rename(files: Sequence[FileFacts]) -> tuple[str, str] | None:
    """The old and the new name where giving one symbol a new name is all that `files` do, or None."""
    renamed = {(old.name, new.name) for file in files for old, new in file.symbols.renamed}
    hunks = [hunk for file in files for hunk in file.diff.hunks]
    if len(renamed) != 1 or len(hunks) > HUNKS or not all(file.diff.complete for file in files):
        return None
    return renamed.pop() if _throughout(_pairs(hunks)) in renamed else None


def _replaced(before: str, after: str) -> tuple[str, str] | None:
    """The one run of words that was replaced by another, or None where more or less was done."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    was, now = old[start : len(old) - end], new[start : len(new) - end]
    return (was[0], now[0]) if len(was) == len(now) == 1 else None


def _new_options(files: Sequence[FileFacts], hunks: Sequence[Hunk]) -> Iterator[str]:
    if not any(file.kind == filetypes.SOURCE for file in files):
        return
    before = {name for hunk in hunks for line in text_of(hunk.removed) for name in _OPTION.findall(line)}
    after = [name for hunk in hunks for line in text_of(hunk.added) for name in _OPTION.findall(line)]
    new = [name for name in dict.fromkeys(after) if name not in before]
    if 0 < len(new) <= 2:
        yield f"add {join(new)} option{'s' if len(new) > 1 else ''}"


def _in_files(files: Sequence[FileFacts]) -> str:
    return f" in {counted(len(files), 'file')}"


def _ignored(files: Sequence[FileFacts], hunks: Sequence[Hunk]) -> Iterator[str]:
    if not all(safe_name(file.path).endswith("ignore") for file in files):
        return
    for verb, side in (("ignore", "added"), ("stop ignoring", "removed")):
        patterns = [
            line for hunk in hunks for line in text_of(getattr(hunk, side)) if line and not line.startswith("#")
        ]
        if patterns:
            if len(patterns) <= 3:
                yield f"{verb} {join([safe(pattern, 30) for pattern in patterns])}"
            yield f"{verb} {counted(len(patterns), 'more path' if verb == 'ignore' else 'path')}"
            return


def _documented(hunks: Sequence[Hunk], where: str) -> Iterator[str]:
    """`document X` where the text now names a piece of code that it did not name in these lines before."""
    new = _new(hunks, _CODE)
    if 0 < len(new) <= 2:
        yield f"document {join([safe(name, 40) for name in new])}{where}"


def used_names(files: Sequence[FileFacts]) -> list[str]:
    """Compound names of code that the edited lines use now and did not use before, the most frequent first."""
    return _new([hunk for file in files for hunk in file.diff.hunks][:HUNKS], _NAME)


def _new(hunks: Sequence[Hunk], pattern: re.Pattern[str]) -> list[str]:
    before = {name for hunk in hunks for line in text_of(hunk.removed, LINES) for name in pattern.findall(line)}
    after = Counter(name for hunk in hunks for line in text_of(hunk.added, LINES) for name in pattern.findall(line))
    return [name for name, _ in after.most_common() if name not in before]
