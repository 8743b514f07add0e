"""Finds hunks that only add prints for debugging, where the code does not print as its job."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from smartcommit.change.filetypes import is_comment
from smartcommit.change.syntax import parses
from smartcommit.git.diff import FileDiff, Hunk
from smartcommit.git.hunks import can_be_cut, read_texts
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
    rb"|(?:\|> ?)?(?:IO\.inspect|dbg)\(.*\)|require IEx; ?IEx\.pry(?:\(\))?|from IPython import embed; ?embed\(\)"
    rb"|dbg!\(.*\);?|dd\(.*\);|(?:var_dump|print_r|xdebug_break)\(.*\);(?: ?(?:die|exit)(?:\(.*\))?;)?|ic\(.*\)"
    rb"|console\.(?:trace|dir|table)\(.*\);?|runtime\.Breakpoint\(\)|spew\.Dump\(.*\)"
)
# Calls of what writes or logs, by any name, with the arguments.
_CALL = compile_on_use(
    rb"([\w$.:>-]*(?:(?i:print|puts|echo|trace|debug|warn|write|inspect|alert|timber|console|info|error)|(?<![a-z])[lL]og|cout|cerr)[\w$.:>-]*!?|pp?)"
    rb"(?: ?\((.*)\)|( .*|<.*));?"
)
# Of these, what only prints, each by the name that is searched for in the rest of the file.
_PRINT = compile_on_use(
    rb"console\.(?:log|debug|info)|System\.out\.print(?:ln|f)?|fmt\.Print(?:ln|f)?|Console\.Write(?:Line)?|IO\.(?:puts|inspect)"
    rb"|print(?:ln|f)?!?|(?:std::)?cout|puts|pp?|NSLog|debugPrint"
)
# Where programs print as their job.
_PRINTING_PATH = compile_on_use(
    r"(?i)(?:^|/)(?:bin|scripts?|tools?|examples?|samples?|demos?|docs?|tutorials?|benchmarks?|cmd|cli|commands?|console"
    r"|hack|ci)/|(?:^|/)(?:cli|main|program|__main__|console|commands?|setup|manage|repl|report\w*|print\w*|show\w*"
    r"|output\w*|display\w*|debug\w*)\.\w+\Z"
    r"|\.(?:sh|bash|zsh|fish|ps1|bat|cmd|awk|mk|md|rst|txt|html|ya?ml|json|toml|ipynb)\Z|(?:^|/)[^./]+\Z"
)
_PRINTING_CODE = compile_on_use(
    rb"\A#!|(?m:^if __name__ == )|argparse|import (?:click|typer|optparse)|sys\.argv|process\.argv|os\.Args"
    rb"|OptionParser|clap::|commander"
)
# What nobody reads but who typed it: all of a text, or its beginning, after a stream or tag.
_TEXT = rb"(?:[\w.&*]+,? ?|\"\w+\", ?)?[bfru$@]{0,2}[\"'`]"
_MARKER = compile_on_use(
    _TEXT + rb"(?:\W{0,4}(?i:(?:got |i ?am |am )?here|reached|asdf\w*|wtf|hm+|blah|foo+|xx+|aaa+|bbb+|zzz+|boom+|lol)\b"
    rb"[\s\d!?.:,\\n]*[\"'`]"
    rb"|\W{0,4}(?:DEBUG(?:GING)?|DBG|HERE|X{3,}|Z{3,}|A{3,}|WTF|BOOM|REMOVE ?ME)\b(?! (?:mode|level|is|build|log))"
    rb"|\W{0,4}(?i:dbg|debug(?:ging)?|xxx+|zzz+|(?:got )?here|remove ?me)[\d:>=\])|. -]*(?:[\"'`{%$#]|\\n)"
    rb"|(?:[\xf0-\xf4][\x80-\xbf]{3}){2,}|>{2,}"
    rb"|\*{3,}|#{3,}|!{2,}|@{2,}|~{3,}|\+{3,}|\^{3,}|\${3,}|[=_.-]{3,}[\s\w]{0,12}[\s=_.-]*(?:[\"'`{%]|\\n))"
)
# The same where nothing but a print is possible; also values for a programmer.
_WORDS = compile_on_use(
    rb"(?i)" + _TEXT + rb"(?:\W*(?:hi|hey|hello+|bar|baz|ok|yo|ping|\d{1,4}|why|what|test(?:ing)?)\b[\s\d!?.:,]*[\"'`]"
    rb"|\W*(?:dbg|debug(?:ging)?|todo remove|here\b|got here)\b|={3,}|-{3,})"
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
    texts = read_texts(repository, possible) if possible else {}
    found: list[SuspectFile] = []
    for diff in possible:
        path, text = diff.change.path, texts.get(diff.change.path)
        if text is None:
            continue
        hunks = []
        for hunk in diff.hunks:
            if _is_debugging(os.fsdecode(path), text.base, _list_statements(diff, hunk)):
                hunks.append(hunk)
        left = [place for place, hunk in enumerate(diff.hunks) if hunk not in hunks]
        if hunks and parses(path, text.compose(left)) is not False:
            found += [SuspectFile(path, _REASON, left_out=True, line=hunk.new_start) for hunk in hunks]
    return found


def _list_statements(diff: FileDiff, hunk: Hunk) -> list[bytes]:
    """Return the statements that a hunk adds if all of them may be for debugging, else none."""
    if hunk.removed or any(len(line) > _LINE_LENGTH for line in hunk.added):
        return []
    name = os.fsdecode(diff.change.path).lower()
    lines = [line.strip() for line in hunk.added if not is_comment(line, name)]
    return lines if all(_BREAK.fullmatch(line) or _CALL.fullmatch(line) for line in lines) else []


def _is_debugging(path: str, base: bytes, statements: Sequence[bytes]) -> bool:
    """Whether none of the `statements` does what the file did before, or what it is for."""
    prints_by_job = _PRINTING_PATH.search(path) is not None or _PRINTING_CODE.search(base) is not None
    for statement in statements:
        if _BREAK.fullmatch(statement):
            if _has(base, statement.partition(b"(")[0]):
                return False
            continue
        call = _CALL.fullmatch(statement)
        assert call is not None
        argument = (call[2] or call[3] or b"").strip(b" <;")
        is_print = _PRINT.fullmatch(call[1]) is not None
        if _MARKER.match(argument) or (is_print and _WORDS.match(argument)):
            if _has(base, argument[:6]):
                return False
        elif not is_print or prints_by_job or _has(base, call[1]) or not _VALUE.fullmatch(argument):
            return False
    return bool(statements)


def _has(content: bytes, text: bytes) -> bool:
    return re.search(rb"(?<![\w.])" + re.escape(text) + rb"(?!\w)", content) is not None
