"""Decides whether a model's summary says something, and whether it is about this change.

If not, the embedded draft is used instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from smartcommit.change.filetypes import SOURCE, classify_path
from smartcommit.change.text import split_identifier
from smartcommit.message.attribution import credits_tool
from smartcommit.patterns import compile_on_use, list_words

ARTICLES = list_words("a an the this")
# Summaries that say nothing, and placeholders from the schema and from prompts.
_EMPTY = {
    "add", "added", "change", "changed", "changes", "commit", "edit", "fix", "fixed", "improve", "improvements",
    "message", "misc", "modify", "string", "summary", "test", "todo", "update", "updated", "updates", "wip",
    "commit message", "initial commit", "update code", "update file", "update files", "make changes",
    "what commit does", "what commit does in imperative", "no summary", "no summary available", "your summary here",
}  # fmt: skip
# Words with which a model addresses the reader; none of 21,000 summaries written by people begins with one.
_TALK = list_words("here i please sorry we you your todo fixme tbd")
# Placeholders, and names from the schema and the prompt.
_FORM = compile_on_use(
    r"(?i)merge (?:branch|pull request|remote|tag)\b|.*\b(?:submit_message|look_closer)\b|type\(scope\)"
    r"|[\[{]\s*[\"'{]|as an ai\b|.*\blorem ipsum\b"
    r"|[\[<{](?:type|scope|summary|subject|(?:short )?description|message)[\]>}]"
    r"|(?:short|brief|concise) (?:summary|description) of"
)
# Minimum letters of a summary, and minimum words of one that is rejected for repeating them.
_LEAST_LETTERS = 2
_WORDS_COMPARED = 4
_LETTER = compile_on_use(r"[^\W\d_]")
_WORD = compile_on_use(r"\w+")
_NAME = compile_on_use(r"[^\W\d]\w*|\d+(?:\.\d+)+")
_QUOTED = compile_on_use(r"`[^`\n]{1,200}`")
# The head of a definition, and the end of a statement.
_STATEMENT = compile_on_use(
    r"(?:(?:async )?def|func|fn|function|public|private|static)\s[\w<>\[\] ]{0,60}\(.*[):{]|.*(?:[{;]|\):)$"
)
# Punctuation that does not occur in prose, and beginnings of lines of code.
_CODE = compile_on_use(
    r".*(?:[{};=]|\w\(|\)\W{0,2}$|[-+]\d|:$)|(?:def|class|function|func|fn|if|for|while|return|import|from|const|let|var"
    r"|public|private|static|#include|@\w+)\s.*[:(.\"'<>\[]"
)
# Words that any summary or the prompt itself may have: finding them in the change proves nothing.
_COMMON = ARTICLES | list_words(
    "about add added adds all also and any are as at be branch bug but by can change changed changes clean code "
    "correct each edit enhance feat feature file files fix fixed fixes for from general has have if implement "
    "improve improved improvements in initial into is issue it its line lines make minor misc modify more new no "
    "not of on only or other refactor remove removed rules scope several some source summary that their them these "
    "they those to todo tweak type update updated updates use used using various when which wip with work write"
)
# Words that say, beside the name of a file, only that it changed.
_VAGUE = list_words("change changes code edit file fix improve in logic modify of refactor the to update updates")
_FILE = compile_on_use(r"[\w./-]{1,80}\.[a-z]{1,4}")
# A number of several digits. Whether it occurs in the change is checked with all other names.
_NUMBER = compile_on_use(r"\d[\d.]")
# A letter of another script than the Latin one.
_FOREIGN = compile_on_use(r"(?=[^\W\d_])[^\x00-\u024f]")
# How words for kinds of changes begin, which often do not occur in the changed lines.
_KINDS = (
    "typo", "word", "spell", "gramma", "punctuation", "link", "heading", "whitespace", "spacing", "format", "style",
    "comment", "docs", "readme", "changelog", "license", "test", "coverage", "typing", "import", "depend",
    "version", "bump", "upgrade", "lint", "warning", "deprecat", "rename", "config", "workflow", "example", "unused",
    "duplicate", "revert", "merge", "cleanup", "indent", "order", "build", "logging", "setting", "lock", "deps", "dead",
    "script", "template", "release", "regression", "generated", "translation", "snapshot", "fixture", "redundant",
)  # fmt: skip
# Words that a summary shares with the change, if it has so many.
_WORDS_SHARED = 2
# Of a change with fewer names than these, those of the prompt among them, one will do.
_FEW_WORDS = 30
# A word twice in a row.
_REPEATED = compile_on_use(r"(?i)(?<![\w./-])([^\W\d_]{2,})(?:[ -]+\1)+(?![\w./])")
# Maximum letters of an ending that is ignored when words are compared, and minimum letters that must remain.
_ENDING = 3
_STEM = 4


def says_nothing(summary: str) -> bool:
    """Whether a summary has no words, repeats one, addresses the reader, credits a tool, or is a placeholder."""
    words = [word for word in _WORD.findall(summary.lower()) if word not in ARTICLES]
    if (words and words[0] in _TALK) or _FORM.match(summary):
        return True
    if not _NUMBER.search(summary) and len(_LETTER.findall(summary)) < _LEAST_LETTERS:
        return True
    if " ".join(words) in _EMPTY or credits_tool(summary):
        return True
    return len(words) >= _WORDS_COMPARED and len(set(words)) <= len(words) // 3


def is_about(summary: str, known: str, *, scope: str = "", by_words: bool = True) -> bool:
    """Whether `summary` is about the change whose text is `known`.

    It has to have a name or number of the change, or two words that are words of the change or for kinds of changes;
    one will do if it has no other, or the change has few. The `scope` counts beside several words. The summary must not
    be a mere name, a line of code, or say a word twice in a row that the change does not. With `by_words` false, as for
    languages other than that of the code, only lines of code and repetitions are rejected.
    """
    is_code = _CODE.match(_QUOTED.sub("", summary)) and "".join(summary.split()) in "".join(known.split())
    if is_code or _STATEMENT.fullmatch(summary):
        return False
    if any(match[0] not in known for match in _REPEATED.finditer(summary)):
        return False
    if not by_words or _FOREIGN.search(summary):
        return True
    if _is_name(summary):
        return False
    if _NUMBER.search(summary):
        return True
    # The first word is the verb, which counts only beside others.
    first, _, rest = summary.partition(" ")
    own = _list_content(rest) or _list_content(first)
    # Most names occur often, and this may be megabytes of text.
    words = " ".join(_list_words(" ".join(set(_NAME.findall(known)))))
    needed = min(_WORDS_SHARED, len(own))
    if needed == _WORDS_SHARED:
        own += (*_list_content(first), *_list_words(scope))
        if len(set(words.split())) < _FEW_WORDS:
            needed = 1
    shared = sum(word.startswith(_KINDS) or _is_shown(word, f" {words}") for word in dict.fromkeys(own))
    if shared >= needed > 0:
        return True
    return any(_is_identifier(word, known) for word in _list_content(summary))


def _is_name(summary: str) -> bool:
    """Whether a summary is only a word or a path, or only says that a source file changed."""
    *others, last = summary.replace("`", "").split() or [""]
    is_file = _FILE.fullmatch(last) is not None and ("/" in last or classify_path(last.encode()) == SOURCE)
    if others:
        return is_file and all(word.lower() in _VAGUE for word in others)
    is_made_up = not set("._@").isdisjoint(last[1:]) or last[1:] != last[1:].lower() or _NUMBER.search(last)
    return is_file or "/" in last or not (is_made_up or last.lower().startswith(_KINDS))


def _list_words(summary: str) -> Iterator[str]:
    for name in _NAME.findall(summary):
        yield name.lower()
        for part in split_identifier(name):
            yield part.lower()


def _list_content(text: str) -> list[str]:
    """Return the names and their parts that not any summary may have, each once."""
    return list(dict.fromkeys(word for word in _list_words(text) if word not in _COMMON))


def _is_identifier(word: str, known: str) -> bool:
    """Whether a changed line uses `word` as code does a name, or a path ends in it."""
    name = re.escape(word)
    pattern = rf"(?im)^[-+].*(?<!\w){name}\s*(?:[=(\[:]|\.\w)|(?:^|/){name}(?:\.\w+)*$"
    return re.search(pattern, known) is not None


def _is_shown(word: str, known: str) -> bool:
    if len(word) < _STEM:
        return re.search(rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])", known) is not None
    return f" {word[: max(_STEM, len(word) - _ENDING)]}" in known
