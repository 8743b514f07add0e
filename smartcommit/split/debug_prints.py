"""Finds hunks that only add prints for debugging, where the code does not print as its job."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from smartcommit.change.filetypes import is_comment
from smartcommit.change.syntax import parses
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import Text, can_be_cut, read_texts
from smartcommit.git.repo import Repository
from smartcommit.patterns import compile_on_use
from smartcommit.split.plan import SuspectFile

_REASON = "looks like a debug print"
# Bytes; nobody types a longer one.
_LINE_LENGTH = 200
# Statements that stop in a debugger, or that print where and what a value is, in any language.
_BREAK = compile_on_use(
    rb"debugger;?|(?:import|from) (?:pdb|ipdb|pudb|icecream)\b.*|(?:import \w*pdb; ?)?\w*pdb\.set_trace\(.*\)"
    rb"|breakpoint\(\)|binding\.(?:pry|irb|break)|byebug|require [\"'](?:pry|byebug|pp)[\"']|IEx\.pry\(?\)?"
    rb"|dbg!\(.*\);?|dd\(.*\);|(?:var_dump|print_r|xdebug_break)\(.*\);(?: ?(?:die|exit)(?:\(.*\))?;)?|ic\(.*\)"
    rb"|console\.(?:trace|dir|table)\(.*\);?|runtime\.Breakpoint\(\)|spew\.Dump\(.*\)"
)
# Calls that print, each by the name that is searched for in the rest of the file.
_PRINT = compile_on_use(
    rb"(console\.(?:log|debug|info)|System\.out\.print(?:ln|f)?|fmt\.Print(?:ln|f)?"
    rb"|Console\.(?:Error\.)?Write(?:Line)?|IO\.(?:puts|inspect)|e?print(?:ln|f)?!?|(?:std::)?(?:cout|cerr)|puts|pp?|echo"
    rb"|NSLog|debugPrint|alert)(?: ?\((.*)\)|( .*|<.*));?"
)
# Of these, what writes the output of a page or reports an error, unless the words say otherwise.
_WRITING = (b"echo", b"eprint", b"eprintln!", b"eprint!", b"cerr", b"std::cerr", b"alert")
# Where programs print as their job.
_PRINTING_PATH = compile_on_use(
    r"(?i)(?:^|/)(?:bin|scripts?|tools?|examples?|samples?|demos?|docs?|tutorials?|benchmarks?|cmd|cli|commands?|console"
    r"|hack|ci)/|(?:^|/)(?:cli|main|program|__main__|console|commands?|setup|manage|repl|report\w*|print\w*|show\w*"
    r"|output\w*|display\w*|debug\w*)\.\w+\Z"
    r"|\.(?:sh|bash|zsh|fish|ps1|bat|cmd|awk|mk|md|rst|txt|html|ya?ml|json|toml|ipynb)\Z|(?:^|/)[^./]+\Z"
)
_PRINTING_CODE = compile_on_use(
    rb"\A#!|argparse|import (?:click|typer|optparse)|sys\.argv|process\.argv|os\.Args|OptionParser|clap::|commander"
)
# What people print to see that a line is reached, as all of a text or its beginning, and values for a programmer.
_WORDS = compile_on_use(
    rb"(?i)[bfru]?[\"'`](?:\W*(?:here|got here|i ?am here|hi|hey|hello+|foo+|bar|baz|asdf\w*|blah|wtf|lol|ok|yo"
    rb"|ping|reached|xx+|aaa+|bbb+|zzz+|\d{1,4}|why|what|hmm+|test(?:ing)?|sanity)\b[\s\d!?.:,]*[\"'`]"
    rb"|\W*(?:dbg|debug(?:ging)?|xxx+|todo remove|remove ?me|here\b|got here|zzz)\b"
    rb"|(?:>{2,}|={3,}|\*{3,}|#{3,}|!{2,}|-{3,}|@{2,}|~{3,}))"
    rb"|[\w\"'].*(?:%[+#]v|\{\w*:#?\?\}|\{[\w.\[\]()]+(?:=|!r)\}|\.inspect\b)"
)
# The name of a value, the value in a text, and values; nothing that reads as a sentence.
_LABEL = rb"\W{0,4}[\w.\[\]()]{0,30}(?: (?!on\b|at\b|to\b|from\b|with\b|in\b|for\b|by\b)[\w()]+)?"
_VALUE = compile_on_use(
    rb"(?:[bfru]{0,2}[\"'`]%(label)s(?: ?(?:is|=|:|->|=>))?[\s:=]*"
    rb"(?:%%[#+]?[svdqxp@?]|\{[^{}\"']*\})?(?:\\n)?[\"'`]\s*(?:[,+.%%]|<<)?\s*)?"
    rb"[&*$]?[A-Za-z_][\w.\[\]>-]*(?:\([\w., ]{0,40}\))?(?:(?:,| <<) ?[&$]?[A-Za-z_][\w.:\[\]>()-]*)*|\{ ?[\w, ]+ ?\}"
    rb"|[bfru$]{0,2}[\"'`](?:%(label)s\s*[:=]>?)?\s*"
    rb"(?:\$?\{[\w.\[\]()]+\}|\$[\w.]+|#\{[^{}]+\}|\\\([^()]+\))[\"'`]"
    rb"|[\"'`](?:(?:in|inside|enter\w*|leaving|exit\w*|got|made it|before|after|called)\b[\w .()]{0,40}"
    rb"|[\w .()]{1,40} (?:here|called))[\"'`]" % {b"label": _LABEL}
)


def find_debug_prints(repository: Repository, diffs: Sequence[FileDiff]) -> list[SuspectFile]:
    """Return the hunks of `diffs` that only add prints for debugging; one process at most.

    Raise GitError if git fails.
    """
    possible = []
    for diff in diffs:
        if can_be_cut(diff) and any(_list_statements(diff, hunk) for hunk in diff.hunks):
            possible.append(diff)
    found: list[SuspectFile] = []
    for diff, text in _pair(possible, read_texts(repository, possible) if possible else {}):
        path = diff.change.path
        hunks = []
        for hunk in diff.hunks:
            if _is_debugging(os.fsdecode(path), text.base, _list_statements(diff, hunk)):
                hunks.append(hunk)
        left = [place for place, hunk in enumerate(diff.hunks) if hunk not in hunks]
        if hunks and parses(path, text.compose(left)) is not False:
            found += [SuspectFile(path, _REASON, left_out=True, line=hunk.new_start) for hunk in hunks]
    return found


def _pair(diffs: Sequence[FileDiff], texts: dict[bytes, Text]) -> Iterator[tuple[FileDiff, Text]]:
    for diff in diffs:
        if diff.change.path in texts:
            yield diff, texts[diff.change.path]


def _list_statements(diff: FileDiff, hunk: Hunk) -> list[bytes]:
    """Return the statements that a hunk adds if all of them may be for debugging, else none."""
    if hunk.removed or any(len(line) > _LINE_LENGTH for line in hunk.added):
        return []
    name = os.fsdecode(diff.change.path).lower()
    lines = [line.strip() for line in hunk.added if not is_comment(line, name)]
    if all(_BREAK.fullmatch(line) or _PRINT.fullmatch(line) for line in lines):
        return lines
    return []


def _is_debugging(path: str, base: bytes, statements: Sequence[bytes]) -> bool:
    """Whether none of the `statements` does what the file did before, or what it is for."""
    prints_by_job = _PRINTING_PATH.search(path) is not None or _PRINTING_CODE.search(base) is not None
    for statement in statements:
        if _BREAK.fullmatch(statement):
            if _has(base, statement.partition(b"(")[0]):
                return False
            continue
        printed = _PRINT.fullmatch(statement)
        assert printed is not None
        argument = (printed[2] or printed[3] or b"").strip(b" <;")
        if _WORDS.match(argument):
            if _has(base, argument[:6]):
                return False
        elif prints_by_job or printed[1] in _WRITING or _has(base, printed[1]) or not _VALUE.fullmatch(argument):
            return False
    return bool(statements)


def _has(content: bytes, text: bytes) -> bool:
    return re.search(rb"(?<![\w.])" + re.escape(text) + rb"(?!\w)", content) is not None
