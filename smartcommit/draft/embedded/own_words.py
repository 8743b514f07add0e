"""Statements in a change's own words: what new tests expect, the text of a new error, and a comment that instructs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import FileFacts, find_kinds, list_hunks
from smartcommit.change.text import (
    HUNKS_COMPARED,
    LINES_COMPARED,
    count_indent,
    find_words,
    read_hunk,
    read_lines,
    says_nothing,
)
from smartcommit.change.tokens import find_prose
from smartcommit.change.wording import imperative, join_names, make_printable, pluralize, split_name
from smartcommit.draft.embedded.view import ChangeView, Kind, Statement, read_telling
from smartcommit.draft.embedded.whole_files import NAMES_LISTED
from smartcommit.message.verbs import VERBS, find_base
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# One title is likelier to be about the change than one of two, and the best of several is offered alone.
_ONE_TITLE = Kind(0.75, is_title=True)
_TWO_TITLES = Kind(0.48, is_title=True)
_SEVERAL_TITLES = Kind(0.3, is_title=True)
_NEW_TESTS = Kind(0.65)
# How much of a change of tests the names of new ones explain, and maximum characters of a name.
_SHARE_OF_TESTS = 0.9
_TEST_NAME_LENGTH = 56
_REASON = Kind(0.5)
_TITLES_QUOTED = 6  # among more, none says what the change is about
_TITLES_SAID = 2
# One of several titles may be about what stays as it is.
_KEPT = compile_on_use(r"\b(?:not set|unset|disabled|by default|still|unchanged|existing|option is set)\b")
# What is right was accepted before.
_NO_NEWS = compile_on_use(r"(?:accept|allow|pass)\b(?:.*\bvalid\b| (?:when|if|with)\b)")
_WORD_LETTERS = 4  # of a word that is compared with the source
_STEM_LETTERS = 6  # its first ones, which are compared
# Maximum files whose tests are read: more are hardly about one thing.
_FILES_QUOTED = 20
_QUOTED = r"(?:'((?:[^'\\]|\\.){3,160})'|\"((?:[^\"\\]|\\.){3,160})\"|`([^`]{3,160})`)"
# A test whose title is written as words, in the frameworks of many languages. It takes long to compile, and few lines
# begin so.
_TITLE_STARTS = (
    "it", "It", "test", "specify", "Specify", "scenario", "example", "subtest", "Deno.test", "t.", "s.", "TEST_CASE",
    "SCENARIO", "SECTION", "@", '"', "suspend", "fun",
)  # fmt: skip
_TITLE = compile_on_use(
    r"(?:(?:[iI]t|test|[sS]pecify|scenario|example|subtest|test_that|test_expect_success|Deno\.test|[ts]\.[Rr]un"
    rf"|TEST_CASE|SCENARIO|SECTION)(?:\.\w{{1,20}})*(?:\([^()]{{0,200}}\))?"
    rf"|@(?:test|testset|Test|DisplayName))\s*\(?\s*{_QUOTED}"
    rf"|(?:it|\"[^\"]{{1,80}}\")\s+(?:should|must|can)\s+{_QUOTED}\s+in\b|(?:suspend\s+)?fun\s+{_QUOTED}\("
)
# A test that is recognized by its definition alone: PHPUnit, XCTest, GoogleTest, Boost, Clojure.
_NAMED_TEST = compile_on_use(
    r"(?:public\s+)?func(?:tion)?\s+test_?(\w{3,120})\(|TEST(?:_F|_P)?\(\s*\w{1,80},\s*(\w{3,120})\s*\)"
    r"|BOOST_\w{0,20}TEST_CASE\(\s*(\w{3,120})|\(deftest\s+([\w-]{3,120})"
)
# The mark of a test in Rust, Java, Kotlin, C# and PHP, what may come between it and the function, and the function.
_TEST_MARK = compile_on_use(
    r"#\[(?:\w+::)?\w{0,12}test\b|@(?:Parameterized)?Test\b(?!\w|\s*\(?\s*\")|\[(?:Fact|Theory|Test)"
)
_BETWEEN = compile_on_use(r"[@#\[*/]|\Z")
_FUNCTION = compile_on_use(r"(?:\w+[\s<>]+){1,5}(\w{3,120})\s*(?:<[^<>]{0,40}>)?\(")
# Parts of titles that are left out: numbers of issues, placeholders for values.
_NOISE = compile_on_use(
    r"\s*[\[(]#?\d+[\])]|\s*#\d+\b|%[sdpjo]|\$\{?\w+\}?|(?i:\A(?:issue|regression|bug|gh)[\s:#-]{0,3}\d*[\s:-]*)"
)
# Verbs that say what a test does, not what the code does; and `fix`, since no title is about its own change.
_VERBS_OF_TESTS = {"test", "check", "verify", "ensure", "work", "fix"}
# Words that are plurals as often as verbs, so that they are not taken for the verb after a subject.
_PLURALS = {
    "calls", "caches", "changes", "checks", "copies", "defaults", "displays", "exports", "files", "filters", "fixes",
    "formats", "guards", "imports", "inputs", "limits", "links", "lists", "loads", "logs", "marks", "matches", "names",
    "outputs", "overrides", "picks", "polls", "processes", "releases", "reports", "requires", "results", "scopes",
    "sets", "splits", "switches", "tests", "turns", "updates", "uses", "values",
}  # fmt: skip
# Verbs whose subject is usually the input and not the code.
_VERBS_OF_INPUT = {"fail", "pass", "match", "run"}
# Words that make a subject a condition: without it, the rest would be untrue.
_CONDITIONS = {
    "after", "all", "bad", "before", "blank", "default", "disabled", "duplicate", "empty", "every", "existing", "if",
    "invalid", "malformed", "missing", "negative", "neither", "never", "no", "nobody", "non", "none", "nor", "not",
    "nothing", "null", "old", "only", "rarely", "unknown", "unless", "unset", "until", "when", "with", "without",
    "wrong", "zero",
}  # fmt: skip
# Words that refer to the subject, which an instruction does not have.
_REFERRING = {"its", "it", "itself", "their", "them", "this", "these", "one"}
# Values that many functions return, which say nothing about the tested one.
_PLAIN_VALUES = {"true", "false", "null", "none", "nil", "undefined", "empty", "zero", "zeros", "error", "nothing"}
# Words before a verb that make it part of a clause.
_JOINING = {
    "that", "which", "when", "if", "and", "with", "without", "for", "of", "in", "on", "to", "from", "the", "a", "an",
}  # fmt: skip
# Maximum words of a subject before its verb; minimum and maximum words of an instruction.
_SUBJECT_WORDS = 4
_FEWEST_WORDS = 3
_MOST_WORDS = 14
_ADVERBS = ("correctly", "properly")
# A line that makes an error with one text, and its text: a sentence without values.
_RAISES = compile_on_use(
    r"(?i)\b(?:raise|throw|panic!?|errors?\.new|errorf?|bail!|anyhow!|fail|die|abort)\b[^\"'`]{0,60}"
    r"(?:\"([^\"{}%$\\]{12,70})\"|'([^'{}%$\\]{12,70})'|`([^`{}%$\\]{12,70})`)"
)
# A line that tries what an error is reported of.
_TRIES = compile_on_use(r"\berr\w*\s*:?=(?!=)|\b(?:catch|except|rescue)\b")
# The share of a change that the lines around its new error have at least: its condition is among them.
_SHARE_OF_ERROR = 0.5
# What explains a word within a sentence, as in `check that id 0 (of nobody) has no name`.
_ASIDE = compile_on_use(r" \([^()]*\)(?= \w)")
# What ends the first sentence of a comment, or what explains it.
_END = compile_on_use(r"\. | \(|[:;](?: |\Z)| - ")
# What stands before what must not happen, as in `the support menu - don't open it in editors`.
_ABOUT = compile_on_use(r"\A.{1,80} [-\u2013\u2014] (?=(?:[dD]on't|[dD]o not) )")
_CONTRACTED = compile_on_use(r"\A[dD]on't\b")
# Signs around the words of a comment, and how many words of it are an instruction.
_MARKS = " \t#/*;-<!"
_KNOWN = 0.7  # the share of its words that a removed line has if a comment was there before
_COMMENT_WORDS = (4, 14)
# What may be another verb or a plural, as in `rejects empty hosts and closes sockets`.
_SECOND_VERB = compile_on_use(r"\band \w+s\b")


def say_tests(view: ChangeView) -> Iterator[Statement]:
    """Yield what new tests expect, if source changed.

    The share of such a statement is the share of its words that occur in the new lines of the source.
    """
    if filetypes.SOURCE not in find_kinds(view.core):
        return
    files = [file for file in view.change.files if file.nature == "modified" or file.kind == filetypes.TESTS]
    found = list_titles(files)
    if not 0 < len(found) <= _TITLES_QUOTED:
        return
    lines: list[str] = []
    for hunk in list_hunks(view.core):
        lines += read_hunk(hunk).added.read(LINES_COMPARED)
        if len(lines) >= LINES_COMPARED:
            break
    known = _find_stems(lines)
    shares = {}
    for title in found:
        text = instruct(title)
        if text and not _NO_NEWS.match(text) and not (len(found) > 1 and _KEPT.search(title.text)):
            stems = _find_stems([text.partition(" ")[2]])
            shares[text] = len(stems & known) / max(1, len(stems))
    kind = {1: _ONE_TITLE, 2: _TWO_TITLES}.get(len(found), _SEVERAL_TITLES)
    if view.purpose.is_partial and len(found) > 1:
        kind = _SEVERAL_TITLES  # the other one may be about what else the commit has
    for text in sorted(shares, key=shares.__getitem__, reverse=True)[:_TITLES_SAID]:
        yield Statement([text], kind, shares[text])


def say_new_tests(view: ChangeView) -> Iterator[Statement]:
    """Yield the new tests, if only tests were edited; the name of a new file would say more."""
    is_new = any(file.nature == "added" and file.language.name for file in view.core)
    if is_new or find_kinds(view.core) != {filetypes.TESTS}:
        return
    added: dict[str, None] = {}
    removed = 0
    for file in view.core:
        added.update(dict.fromkeys(list_test_names(file)))
        added.update(dict.fromkeys([symbol.name for symbol in file.symbols.added if symbol.kind == "test"]))
        removed += len([symbol for symbol in file.symbols.removed if symbol.kind == "test"])
    # Titles are long, and names are not.
    are_few = 0 < len(added) <= (1 if any(" " in name for name in added) else NAMES_LISTED)
    if not are_few or removed or max(len(name) for name in added) > _TEST_NAME_LENGTH:
        return
    names = join_names([make_printable(name, _TEST_NAME_LENGTH) for name in added])
    noun = pluralize("test", len(added))
    text = f"add {names}" if "test" in names.lower() else f"add {names} {noun}"
    if " " in next(iter(added)):
        text = f'add {noun} "{names}"'
    yield Statement([text], _NEW_TESTS, _SHARE_OF_TESTS)


def say_errors(view: ChangeView) -> Iterator[Statement]:
    """Yield the only new error, in its words, if most of the change is for it."""
    errors: dict[str, float] = {}
    before = "\n".join(view.removed)
    for file, hunks in view.told:
        is_edited = file.nature == "modified" and file.kind in (filetypes.SOURCE, filetypes.CI)
        for hunk in hunks[:HUNKS_COMPARED] if is_edited else ():
            lines = read_hunk(hunk).added.read(LINES_COMPARED)
            share = view.share(len([line for line in lines if not says_nothing(line)]))
            # What may fail now, or is done otherwise, is more than its error.
            is_otherwise = read_telling(file, hunk, "removed", LINES_COMPARED)
            if is_otherwise or any(_TRIES.search(line) for line in lines) or share < _SHARE_OF_ERROR:
                continue
            for raised in [_RAISES.search(line) for line in lines]:
                text = raised[raised.lastindex or 0] if raised else ""
                if " " in text.strip() and text == text.rstrip() and text not in before:
                    errors[text.rstrip(".")] = share
    if len(errors) == 1:
        text, share = errors.popitem()
        yield Statement([f'report "{text}"'], _REASON, share)


def say_reasons(view: ChangeView) -> Iterator[Statement]:
    """Yield the only new comment that says as an instruction what is done."""
    comments: dict[str, float] = {}
    for file, hunks in view.told:
        if file.nature == "modified" and file.kind in (filetypes.SOURCE, filetypes.CI):
            for hunk in hunks[:HUNKS_COMPARED]:
                lines = read_hunk(hunk).added.read(LINES_COMPARED)
                # Half of the lines are enough.
                share = view.share(len([line for line in lines if not says_nothing(line)])) ** 0.5
                if not any(find_prose(hunk, file.language, "removed")):
                    prose = find_prose(hunk, file.language, "added")
                    comments.update(dict.fromkeys(_find_comments(file, hunk.added, lines, prose), share))
    instructions = {_instruct_comment(text, view.removed): share for text, share in comments.items()}
    instructions.pop("", 0.0)
    # In configuration, one of several comments is a detail.
    if len(instructions) == 1 and (len(comments) == 1 or filetypes.SOURCE in find_kinds(view.core)):
        text, share = instructions.popitem()
        yield Statement([text], _REASON, share)


def _instruct_comment(comment: str, removed: Sequence[str]) -> str:
    """Return a new comment as an instruction, or an empty text if it is none."""
    # "Throwing X would break callers" is about the throwing, and no instruction.
    if comment.partition(" ")[0].endswith("ing"):
        return ""
    # Without its link, a comment may stop in the middle.
    first = _END.split(_ASIDE.sub("", _ABOUT.sub("", comment)), maxsplit=1)[0] if "://" not in comment else ""
    said = imperative(_CONTRACTED.sub("do not", first.removeprefix("Only "))) or ""
    said = " ".join(_instruct_second(said.split(" ")))
    if first.startswith("Only "):
        said = f"only {said}"
    # A comment that was there, if spelled otherwise, is not new.
    words = set(said.lower().split())
    is_known = any(_KNOWN * len(words) <= len(words & set(line.lower().split())) for line in removed)
    is_cut = said.rpartition(" ")[2] in _JOINING or said[-1:] in ("'", '"', ":")
    is_whole = not is_known and not is_cut and "[" not in said and said.count("(") == said.count(")")
    return said if is_whole and _COMMENT_WORDS[0] <= len(said.split()) <= _COMMENT_WORDS[1] else ""


def _find_comments(file: FileFacts, raw: Sequence[bytes], lines: Sequence[str], prose: Sequence[bool]) -> Iterator[str]:
    """Yield the comments that are lines of their own, and not within what they are about; adjacent lines are one.

    What stands above a definition says what that is for, and not what is done by the change.
    """
    comment = ""
    least = min([count_indent(line) for line in raw if line.strip()], default=0)
    for number, line in enumerate((*lines, "")):
        if line and prose[number] and count_indent(raw[number]) == least:
            comment = f"{comment} {line.strip(_MARKS)}".strip()
        elif comment:
            symbol = file.language.read_symbol(line)
            if symbol is None or symbol[1] == "key":
                yield comment
            comment = ""


def _find_stems(lines: Sequence[str]) -> set[str]:
    return {word.rstrip("s")[:_STEM_LETTERS] for word in find_words(lines) if len(word) >= _WORD_LETTERS}


class Title(Record):
    """The title of a new test. `written` says that it is a text in the source and not the words of a name."""

    text: str
    written: bool


def list_titles(files: Sequence[FileFacts]) -> list[Title]:
    found: dict[str, Title] = {}
    for file in files[:_FILES_QUOTED]:
        removed = set(read_lines(file.diff.hunks, "removed", LINES_COMPARED))
        lines = [line for line in read_lines(file.diff.hunks, "added", LINES_COMPARED) if line not in removed]
        for name in list_test_names(file):
            found.setdefault(name, Title(split_name(name), False))
        written = list(_list_written(lines))
        # Otherwise, existing tests may only have been reworded.
        if len(written) > len(list(_list_written(removed))):
            for text in written:
                found.setdefault(text, Title(text, True))
    return list(found.values())


def list_test_names(file: FileFacts) -> Iterator[str]:
    for symbol in file.symbols.added:
        if symbol.kind == "test" and " " not in symbol.name:
            yield symbol.name
    defined = {symbol.name for symbol, _ in file.symbols.changed}
    marked = False
    for line in read_lines(file.diff.hunks, "added", LINES_COMPARED):
        found = None
        if "test" in line or "TEST" in line:
            found = _NAMED_TEST.match(line)
        if found is None and marked:
            found = _FUNCTION.match(line)
        if found and found[found.lastindex or 0] not in defined:
            yield found[found.lastindex or 0]
        is_mark = line.startswith(("#[", "@", "[")) and _TEST_MARK.match(line) is not None
        marked = is_mark or (marked and _BETWEEN.match(line) is not None)


def _list_written(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        found = _TITLE.match(line) if line.startswith(_TITLE_STARTS) else None
        if found:
            text = found[found.lastindex or 0].replace("\\", "")
            if " " in text and not text.startswith("$"):
                yield text


def instruct(title: Title) -> str | None:
    """Return what a test expects as an instruction, or None if its title cannot be read as one.

    A subject is left out: `parser rejects empty hosts` becomes `reject empty hosts`.
    """
    text = _NOISE.sub("", title.text).strip()
    words = text.split()
    direct = imperative(text, base=title.written and text[:1].islower())
    if direct and _is_verb_first(words):
        return _check_length(direct.split(" "))
    for place in range(1, min(_SUBJECT_WORDS + 1, len(words) - 1)):
        word, rest = words[place].lower(), words[place + 1 :]
        before = words[place - 1].lower()
        if before in _CONDITIONS or before.endswith("ly"):
            return None
        if word in ("should", "must"):
            return _instruct_modal(rest)
        if word in ("doesn't", "don't") or (word in ("does", "do") and rest[0] == "not"):
            return _instruct_modal(["not", *(rest if word.endswith("t") else rest[1:])])
        if _is_verb_behind(words, place):
            if _SECOND_VERB.search(" ".join(rest)):
                break
            return _check_length([find_base(word) or word, *rest])
    return None


def _is_verb_first(words: Sequence[str]) -> bool:
    """Whether a title that begins like an instruction is one, and not a fact that begins with a noun or participle."""
    first = words[0].lower()
    if first.endswith("ing") or f"{first}s" in _PLURALS:
        return False
    if first == "not" or first.endswith("ed"):
        return not any(_is_verb_behind(words, place) for place in range(2, len(words)))
    if first in ("do", "does") and words[1] not in ("not", "nothing"):
        return False
    return find_base(first) not in _VERBS_OF_TESTS


def _is_verb_behind(words: Sequence[str], place: int) -> bool:
    """Whether the word at `place` is the verb whose subject comes before it, and not a plural."""
    word = words[place].lower()
    if not word.endswith("s") or word in VERBS or word in _PLURALS or words[place - 1].lower() in _JOINING:
        return False
    return (find_base(word) or "test") not in _VERBS_OF_TESTS | _VERBS_OF_INPUT


def _instruct_modal(rest: Sequence[str]) -> str | None:
    """Return what follows `should` as an instruction, such as `do not follow links`, or None if it has no verb."""
    if rest[:1] == ["not"]:
        if not rest[1:] or rest[1].lower() not in VERBS:
            return None
        return _check_length(["do not", *rest[1:]])
    if not rest or rest[0].lower() not in VERBS - _VERBS_OF_TESTS:
        return None
    return _check_length([rest[0].lower(), *rest[1:]])


def _instruct_second(words: list[str]) -> list[str]:
    """Return `run and set it` for `run and sets it`."""
    if words[1:2] == ["and"] and words[2:]:
        return [*words[:2], find_base(words[2].lower()) or words[2], *words[3:]]
    return words


def _check_length(words: list[str]) -> str | None:
    """Return the words of an instruction as text, or None if they are too many or too few, or say nothing alone."""
    if words[-1] in _ADVERBS:
        words = words[:-1]
    words = _instruct_second(words)
    shortest = _FEWEST_WORDS + words[0].startswith("do")
    words = " ".join(words).split(" ")
    # What something has is how it is, and not what the code does.
    if words[0] == "have" or (words[0] == "return" and words[1].lower() in _PLAIN_VALUES):
        return None
    # What is between signs, as in `fetch (stream) > $`, is no sentence.
    has_signs = any(word.strip("<>|=+*$&") == "" for word in words)
    if has_signs or not shortest <= len(words) <= _MOST_WORDS or not _REFERRING.isdisjoint(words[1:3]):
        return None
    return make_printable(" ".join(words), 100)
