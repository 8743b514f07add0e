"""What a draft says of edits: one table of roles, and of what came, went or changed, with the words.

Edits that belong together are one saying: a new name and its use, an import and its use, a parameter and its argument.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import chain
from re import escape

from smartcommit.change.edits import NOT_CALLS, OTHER, Edit
from smartcommit.change.facts import DERIVED, FileFacts
from smartcommit.change.filetypes import DOCUMENTATION, SOURCE, TESTS
from smartcommit.change.pairing import count_common_ends
from smartcommit.change.roles import unwrap
from smartcommit.change.text import find_names, is_import, mentions, read_hunk, read_lines, split_identifier, squeeze
from smartcommit.change.wording import (
    format_count,
    join_names,
    join_safe,
    make_printable,
    may_be_secret,
    mentions_secret,
    split_name,
)
from smartcommit.draft.embedded.view import (
    FILES_EXAMINED,
    UPKEEP,
    ChangeView,
    Kind,
    Statement,
    is_overload,
    weigh_beside,
)
from smartcommit.draft.embedded.whole_files import file_names
from smartcommit.message.verbs import VERBS
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.record import Record
from smartcommit.secrets.files import may_hold_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.change.text import Side
    from smartcommit.git.diff import Hunk

_OBJECTS = 3  # that one sentence names
_FILES = 3  # that one sentence names
_OBJECT_LENGTH = 64
_PLACE_LENGTH = 50
_ALONE = 0.85  # the share of the changed lines from which on a saying is about all of the change
# Of a saying that is not, the prior if that of its role is this one, and how far others differ.
_PRIOR_BESIDE = 0.48
_PRIOR = 0.65
_SLOPE = 0.2
# Roles of edits that are about a change only if it has little else, the share of it, and the prior of their sayings if
# it has more.
_DETAILS = list_words("conditional semicolon spelling message repeated quotes order import import-moved include")
_MOST = 0.6
_PRIOR_OF_DETAIL = 0.1
_PRIOR_OF_PRIVATE = 0.25  # of new names that nobody else may use
_PRIVATE = compile_on_use(r"(?:self\.|this\.)?(?:_|#\w)")
_BOTH = 0.5  # the prior of two or three edits in one sentence
_BOTH_LENGTH = 72
_HOLDER = compile_on_use(r" (to|from|in|of) (?=\S+\Z)")
# A name or a value that took the place of another one in several lines, or of several.
_REPLACEMENT = Kind(0.6, types=("fix", *UPKEEP))
_USE = Kind(0.6, types=UPKEEP)
# What several imports make a title of.
_ADJUSTED = Kind(0.25, types=("refactor", "style"))
_ANNOTATED = Kind(0.6, types=("refactor", "style"))
_TYPE = compile_on_use(r": ?(?!\d)[\w\[\]., |\"'<>?&:]+")
_IMPORTS = list_words("import import-moved import-source include")
_AGAIN = compile_on_use(r"\A(.+?)(?: \1)+\Z")
# A block with a condition, and conditions that can be repeated.
_TESTED = compile_on_use(r"\s*if\b")
_TEST = compile_on_use(r"(?!let\b|\()(?:::|[^;{}=:]){4,44}(?:[!=<>]=+ ?[^;{}=:]{1,20})?")
_MANY = 4  # places from which on the replacement of a name that is gone mends nothing
# It is a name with its path, and no hash.
_TOKENS = compile_on_use(r"[\w$-]+(?:[./@:]+[\w$-]+)*|\s+|.")
_SEPARATED = compile_on_use(r"([./:]+)")
_WORD = compile_on_use(r"(?=.*[^\W\d_])(?:--|\$)?\w[\w$./@:-]{1,37}")
# The parts of a name with what is between them, and a call of something with a few arguments.
_PARTS = compile_on_use(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z\d]+|[^A-Za-z\d]")
# What a command or a list has of its own: a flag, a quoted word, a path.
_ENTRY = compile_on_use(r"(?=.*[A-Za-z]{3})(?:\"[^\" ]{3,30}\"|'[^' ]{3,30}'|--?[a-z][\w=.-]{2,30}|[\w@./-]{3,29}\w)")
_CALL_OF = compile_on_use(r"[\w.:]{2,20}\([^(){}]{1,30}\)\Z")
# What makes a value a longer list, and an object with keys and values.
_ADDED_TO_LIST = compile_on_use(r"[,;|:] ?[\w./-]+")
_OBJECT = compile_on_use(r"\{[^{}]*:[^{}]*\},? ?")
# Functions that many files have, so that the file says more.
_COMMON = list_words("main init __init__ new run setup setUp constructor default test render")
_FIX = ("fix",)
_FEAT = ("feat",)
_DOCS = ("docs",)
_REFACTOR = ("refactor",)
_UPKEEP = ("ci", "chore", "build", "deps")


class Saying(Record):
    """How edits of a role are said, by what happened; an empty text says nothing. `prior` is as in `Kind`.

    `{new}` is what came and `{old}` what went, `{holder}` what has it, `{in}` the definition or the file that it is in;
    `{to}`, `{from}` and `{of}` are the holder, or else that.
    """

    came: str
    went: str
    changed: str
    prior: float = 0.65
    types: Sequence[str] = ()


SAYINGS = {
    "alias": Saying("add {new} alias{to}", "remove {old} alias{from}", "rename {old} alias to {new}", 0.75),
    "alternative": Saying("accept {new}{in}", "no longer accept {old}{in}", "", 0.6, _FIX),
    "annotation": Saying(
        "add {new}{to}", "remove {old}{from}", "replace {old} with {new}{in}", 0.6, ("fix", *UPKEEP)
    ),
    "argument": Saying("pass {new}{to}", "stop passing {old}{to}", "pass {new}{to}", 0.7),
    "assignment": Saying("set {new}{in}", "stop setting {old}{in}", "", 0.55),
    "attribute": Saying("add {new}{to}", "remove {old}{from}", "", 0.65),
    "await": Saying("await {holder}{in}", "stop awaiting {holder}{in}", "", 0.75, _FIX),
    "call": Saying("call {new}{in}", "stop calling {old}{in}", "call {new} instead of {old}{in}", 0.5),
    "called": Saying("call {holder}{in}", "stop calling {holder}{in}", "", 0.65, _FIX),
    "callee": Saying("", "", "use {new} instead of {old}{in}", 0.65),
    "callout": Saying("add {new}{to}", "remove {old}{from}", "", 0.65, _DOCS),
    "case": Saying("handle {new}{in}", "stop handling {old}{in}", "", 0.6),
    "caught": Saying(
        "handle {new}{in}", "stop handling {old}{in}", "handle {new} instead of {old}{in}", 0.65, _FIX
    ),
    "check": Saying("check {new}{in}", "remove the check of {old}{in}", "", 0.65, _FIX),
    "column": Saying("add {new} column{to}", "remove {old} column{from}", "", 0.7, _FEAT),
    "command": Saying("run {new}{in}", "stop running {old}{in}", "", 0.6),
    "comment": Saying("add comments{to}", "remove comments{from}", "update comments{in}", 0.65, _DOCS),
    "commented": Saying("comment out code{in}", "uncomment code{in}", "", 0.65),
    "comparison": Saying("", "", "fix the comparison{in}", 0.6, _FIX),
    "condition": Saying("", "", "fix the condition{in}", 0.6, _FIX),
    # What is done if it holds is not said: a title of a commit, but no summary.
    "conditional": Saying("check {new}{in}", "remove the check of {old}{in}", "", 0.24),
    "context": Saying("add context to the error{in}", "", "", 0.65),
    "copied": Saying("copy {new}{in}", "stop copying {old}{in}", "", 0.65),
    "copyright": Saying("", "", "update the copyright notice{in}", 0.7),
    "dead-code": Saying("", "remove commented-out code{from}", "", 0.7, _REFACTOR),
    "declaration": Saying("add {new}{to}", "remove {old}{from}", "", 0.6),
    "created": Saying("create {new}{in}", "no longer create {old}{in}", "", 0.65),
    "default": Saying(
        "default {holder} to {new}{in}", "stop defaulting {holder} to {old}{in}",
        "default to {new} instead of {old}{in}", 0.65, _FIX,
    ),
    "definition": Saying("add {new} {holder}{to_file}", "remove {old} {holder}{from_file}", "", 0.7),
    "derive": Saying("derive {new} for {holder}", "stop deriving {old} for {holder}", "derive {new} for {holder}"),
    "deprecated": Saying("deprecate {new}", "", "", 0.75),
    "directive": Saying(
        "add {new}{to}", "remove {old}{from}", "replace {old} with {new}{in}", 0.65, ("style", "chore")
    ),
    "docstring": Saying("add a docstring{to}", "remove the docstring{of}", "reword the docstring{of}", 0.7, _DOCS),
    "duplicate": Saying("", "remove duplicate {old}{from}", "", 0.75),
    "documentation": Saying(
        "document {holder}", "remove the documentation{of}", "reword the documentation{of}", 0.7, _DOCS
    ),
    "environment": Saying("read {new} from the environment{in}", "", "", 0.7),
    "export": Saying("export {new}{in}", "stop exporting {old}{in}", "", 0.65, _FEAT),
    "extended": Saying("extend the documentation{of}", "shorten the documentation{of}", "", 0.7, _DOCS),
    "field": Saying("add {new}{to}", "remove {old}{from}", "rename {old} to {new}{in}", 0.65, _FEAT),
    "formatting": Saying("", "", "adjust the formatting{in}", 0.65, _DOCS),
    "flag": Saying("pass {new}{to}", "stop passing {old}{to}", "pass {new}{to}", 0.75),
    "guard": Saying("{new}{in}", "no longer {old}{in}", "", 0.72, _FIX),
    "heading": Saying("add {new} heading{to_file}", "remove {old} heading{from_file}", "", 0.7, _DOCS),
    "helper": Saying("{holder}{in}", "", "", 0.55),
    "ignored": Saying(
        "ignore {new}", "stop ignoring {old}", "ignore {new} instead of {old}", 0.8, ("chore", "build", "ci")
    ),
    "implemented": Saying(
        "implement {new} for {holder}", "remove the implementation of {old} for {holder}", "", 0.75, _FEAT,
    ),
    "import": Saying("import {new}{in}", "remove unused import of {old}{in}", "import {new} instead of {old}{in}", 0.6),
    "import-source": Saying("", "", "import {holder} from {new} instead of {old}{in}", 0.7),
    "import-moved": Saying("", "", "move the import of {new} {holder}", 0.7, _REFACTOR),
    "include": Saying("include {new}{in}", "remove include of {old}{in}", "include {new} instead of {old}{in}", 0.6),
    "item": Saying("add {new}{to}", "remove {old}{from}", "replace {old} with {new}{in}", 0.75),
    "key": Saying("add {new}{to}", "remove {old}{from}", "rename {old} to {new}{in}", 0.65),
    "level": Saying("", "", "change the heading level of {holder}{in}", 0.7, _DOCS),
    "link": Saying("", "", "change link{in}", 0.7, _DOCS),
    "marked": Saying("mark code as {new}{in}", "", "", 0.7, _DOCS),
    "message": Saying("", "", "reword the {holder}{in}", 0.5),
    "method": Saying("call {new} on {holder}{in}", "stop calling {old} on {holder}{in}", "", 0.65),
    "missing": Saying("allow a missing {holder}{in}", "", "allow a missing {holder}{in}", 0.6, _FIX),
    "modifier": Saying("make {holder} {new}{in}", "make {holder} not {old}{in}", "make {holder} {new}{in}", 0.65),
    "name": Saying("", "", "rename {old} to {new}{in}", 0.65),
    "moved": Saying("", "", "move {holder}{in}", 0.6, _REFACTOR),
    "moved-to": Saying("", "", "move {new}{to}", 0.7, UPKEEP),
    "nullable": Saying("make the result of {holder} optional", "never return null from {holder}", "", 0.65),
    "operator": Saying("", "", "use {new} instead of {old}{in}", 0.6, ("fix", "refactor")),
    "optional": Saying("make {holder} optional{in}", "require {holder}{in}", "", 0.7),
    "option": Saying("add {new} option{to}", "remove {old} option{from}", "", 0.8, _FEAT),
    "order": Saying("", "", "reorder {holder}{in}", 0.65, ("style", "refactor", "chore")),
    "package": Saying("install {new}{in}", "stop installing {old}{in}", "install {new} instead of {old}{in}", 0.75),
    "parameter": Saying("add {new} parameter{to}", "remove {old} parameter{from}", "rename {old} to {new}{in}", 0.7),
    "plugin": Saying("add {new} plugin", "remove {old} plugin", "", 0.7, _UPKEEP),
    "pin": Saying("pin {new} to a digest{in}", "", "", 0.8, _UPKEEP),
    "pinned": Saying("", "", "pin {holder} to {new}{in}", 0.75, _UPKEEP),
    "prerequisite": Saying("run {new} before {holder}", "no longer run {old} before {holder}", "", 0.7, _UPKEEP),
    "propagated": Saying("", "", "return errors instead of panicking{in}", 0.65, _FIX),
    "program": Saying("", "", "use {new} instead of {old}{in}", 0.7),
    "quotes": Saying("quote {new}{in}", "", "", 0.7, _FIX),
    "rename": Saying("", "", "rename {old} to {new}", 0.85, _REFACTOR),
    "repeated": Saying("", "", "remove repeated words{in}", 0.75, _DOCS),
    "requirement": Saying("add {new} {holder}", "remove {old} {holder}", "", 0.7),
    "returned": Saying(
        "annotate {holder} to return {new}", "remove the return type of {holder}",
        "change the return type of {holder} to {new}", 0.65, _REFACTOR,
    ),
    "route": Saying("add {new} route{to_file}", "remove {old} route{from_file}", "", 0.65, _FEAT),
    "row": Saying("add {new}{to}", "remove {old}{from}", "", 0.6),
    "rule": Saying("add {new} rule{to_file}", "remove {old} rule{from_file}", "", 0.6),
    "section": Saying(
        "add {new} section{to_file}", "remove {old} section{from_file}", "rename {old} section to {new}{in}", 0.7
    ),
    "constant": Saying("extract {holder}{in}", "", "", 0.65, _REFACTOR),
    "function": Saying("add {new}{to_file}", "remove {old}{from_file}", "", 0.6, _FEAT),
    "semicolon": Saying("add missing semicolon{in}", "remove needless semicolon{in}", "", 0.7, ("style",)),
    "setting": Saying("set {holder} to {new}{in}", "", "", 0.7),
    "shebang": Saying("add a shebang{to}", "remove the shebang{from}", "", 0.7),
    "signature": Saying("add the type signature of {new}", "remove the type signature of {old}", "", 0.65, _REFACTOR),
    "skip": Saying("skip {holder}", "run {holder} again", "", 0.7, ("test",)),
    "spelling": Saying("", "", "fix typo{in}", 0.75),
    "task": Saying("add {new} task{to_file}", "remove {old} task{from_file}", "", 0.7, ("chore", "build", "feat")),
    "step": Saying("add {new} step{to_file}", "remove {old} step{from_file}", "", 0.75, _UPKEEP),
    "type": Saying("", "", "change the type of {holder} to {new}{in}", 0.7),
    "words": Saying(
        "update the {holder} section{in}", "update the {holder} section{in}", "update the {holder} section{in}",
        0.5, _DOCS,
    ),
    "variable": Saying("", "remove {old}{from}", "", 0.5, _REFACTOR),
    "used": Saying("", "", "use {new}{in}", 0.7, _REFACTOR),
    "value": Saying("", "", "set {holder} to {new}{in}", 0.75),
    "values": Saying("", "", "change {holder}{in}", 0.65),
    "word": Saying("", "", "replace {old} with {new}{in}", 0.55),
    "wrapped": Saying("wrap {holder} in {new}{in}", "stop wrapping {holder} in {old}{in}", "", 0.65),
}  # fmt: skip
# What is said of more edits than a sentence lists.
_ACTS = {
    ("deprecated", "came"): "deprecate definitions",
    ("docstring", "came"): "add docstrings", ("import", "went"): "remove unused imports",
    ("include", "went"): "remove unused includes", ("modifier", "came"): "make definitions {}",
    ("pin", "came"): "pin {} to digests", ("returned", "came"): "annotate return types", ("skip", "came"): "skip tests",
}  # fmt: skip
# Roles that repeat names alone, and no values that may be secret.
_NAMED = list_words(
    "ignored assignment dead-code "
    "annotation attribute await call callee case caught column comment comparison condition declaration "
    "definition deprecated derive directive docstring "
    "export field heading implemented import import-source include key link message missing modifier option "
    "helper marked parameter rename requirement returned route rule section signature skip spelling step task"
)
# The classes of types of what went.
_TYPES_WENT = {
    "import": ("refactor", "chore", "style"), "include": ("refactor", "chore", "style"), "field": (), "option": (),
    "function": UPKEEP, "caught": (), "guard": (), "check": (), "default": (),
    "await": (), "column": (), "route": (),
}  # fmt: skip
# What is said of a modifier that came, or went, in other words.
_MODIFIED = {
    "pub": ("public", "private"), "public": ("public", "less visible"), "export": ("exported", "private"),
    "async": ("async", "synchronous"), "mut": ("mutable", "immutable"),
}  # fmt: skip
# Roles that are of the file rather than of a function in it.
_OF_FILE = list_words("item key import include section row definition step alias package program command link")
# Roles of what something else follows from that has the name, the strongest first; of an import its use is said.
_INTRODUCING = (
    "option", "function", "definition", "parameter", "field", "setting", "assignment", "key", "import", "include",
    "variable", "callee",
)  # fmt: skip
_DEFINED = {"function", "definition", "variable", "constant"}
_USABLE = {"function", "setting"}
_USED = {"variable", "import", "include"}
_FOLLOWING = list_words(
    f"{OTHER} argument assignment attribute flag variable parameter field setting key call item value"
)
# Roles of which what came and what went make one edit.
_REPLACED = list_words("ignored item argument package import include annotation call")
# Roles of which more than a sentence names are counted.
_COUNTED = {"item", "key", "field", "row"}
_PROSE = {"comment", "dead-code", "docstring", "documentation", "extended"}
# Roles whose place is all that they say.
_PLACED = _PROSE | list_words(
    "commented dead-code comparison condition formatting spelling message link repeated semicolon"
)
# What has no items, fields and arguments.
_LITERALS = list_words("nil null None undefined true false True False")
# What of code is no news if the lines of the other side have it.
_AGAIN_ELSEWHERE = {("key", "went"), ("assignment", "went"), ("assignment", "came"), ("setting", "came")}
# Roles of what can move from one holder to another.
_MOVABLE = list_words("field item key option setting step")
_CALLED = {"call", "called", "method"}
_NOTHING = {'""', "''", "[]", "{}"}  # what a new key has at first
_DECLARING = ("let ", "const ", "var ", "val ")
_LINE_LETTERS = 5  # of a line that is known again in another file
# Attributes of how an element looks.
_LOOKS = {"class", "className", "style"}
# Roles of which the names in other lines are uses of what came, or went.
_NAMING = list_words(
    "alternative argument assignment attribute callee case caught check column environment export field flag guard "
    "item key option package parameter program route row rule section step task value"
)
# Verbs of functions that say only what these are for others, and words with which no sentence ends.
_VAGUE_VERBS = list_words(
    "add compute construct create do find generate give handle look make match obtain perform process retrieve return "
    "run select set test try update use"
)
_UNFINISHED = list_words("and by for from if in into is of on or to when with")
_KEYWORDS = NOT_CALLS | list_words("break continue default early stop skip rest fail without true false null none")
_PATHS = compile_on_use(r"[A-Za-z_][\w.]*")
_NAME_LETTERS = 4  # of a name that other lines are about
_PLURALS = ("parameter", "option", "alias", "section", "step", "job", "target", "service")


class _Claim(Record):
    """An edit with its file, and the lines that it explains, with those of others that follow from it."""

    file: FileFacts
    edit: Edit
    lines: float


def say_edits(view: ChangeView) -> Iterator[Statement]:
    """Yield what the edits are; equal ones in several places, and several of one place, are one statement."""
    # The roles of edits that are one are joined below.
    replacements = list(_say_replacement(view))
    claims = [_Claim(file, edit, edit.lines) for file, edit in view.edits if edit.role != "layout"]
    claims = [claim for claim in claims if claim.file not in view.change.translations]
    if not {claim.edit.role for claim in claims} <= _PROSE:
        claims = [claim for claim in claims if claim.edit.role not in _PROSE]
    # Beside other edits it needs no words.
    claims = [claim for claim in claims if claim.edit.role != "formatting"] or claims
    defined: set[str] = set()
    for file in view.change.files:
        defined.update([symbol.name for symbol in file.symbols.added if symbol.kind != "key"])
    for claim in claims:
        if claim.edit.role == "item" and claim.edit.act == "came" and claim.edit.new.strip("\"'") in defined:
            claim.edit.role = OTHER  # what is listed follows from its definition
    _find_moved(claims, view.change.files[:FILES_EXAMINED])
    _mute_kept(claims, view)
    _mute_moved(claims)
    _join_settings(claims)
    replaced = _replace(claims)
    # What only moved needs no words.
    moved = sum(claim.lines for claim in replaced if claim.edit.role == "layout")
    claims = _join(_unite([claim for claim in replaced if claim.edit.role != "layout"]), view.helpers)
    _join_values(claims)
    _find_tests(claims)
    total = max(view.lines - moved, sum(claim.lines for claim in claims))
    equal: dict[tuple[str, ...], list[_Claim]] = {}
    for claim in claims:
        edit = claim.edit
        if edit.role == "words":
            edit.old, edit.new = edit.old and "words", edit.new and "words"
        saying = SAYINGS.get(edit.role)
        if saying and _can_say(claim, saying):
            has_holder = "{holder}" in getattr(saying, edit.act) and edit.role not in ("method", "implemented")
            holder = edit.holder if has_holder else ""
            same_texts = edit.role in _PLACED or edit.role == "values"
            key = (edit.role, edit.act) if same_texts else (edit.role, edit.old, edit.new)
            equal.setdefault((*key, holder), []).append(claim)
    listed: dict[tuple[str, ...], list[list[_Claim]]] = {}
    for same in equal.values():
        edit = same[0].edit
        # Of settings, what is listed is their names.
        holder = "" if edit.role == "setting" else edit.holder
        listed.setdefault((edit.role, edit.act, holder, _where(same)), []).append(same)
    for group in listed.values():
        first = group[0][0].edit
        is_listed = len(group) <= _OBJECTS or first.role in _COUNTED
        if len(group) > 1 and is_listed and first.act != "changed" and first.role != "guard":
            yield _state(view, group, total)
        for same in group:
            yield _state(view, [same], total)
    yield from _say_sweeps(view)
    yield from _say_acts(list(equal.values()), total)
    are_joined = (_DETAILS | _PROSE | {"helper"}).isdisjoint(claim.edit.role for claim in claims)
    can_join = 1 < len(equal) <= _OBJECTS and are_joined
    if can_join and len({_where(same) for same in equal.values()}) == 1:
        groups = sorted(equal.values(), key=lambda same: same[0].edit.act == "went")
        yield from _state_together([_state(view, [same], total) for same in groups])
    yield from replacements


def _state_together(stated: Sequence[Statement]) -> Iterator[Statement]:
    """Yield what several edits do as one sentence, which names once what they are all part of, if there is room."""
    said = []
    for last in (stated[-1].text, stated[-1].texts[-1]):
        texts = [*[statement.texts[-1] for statement in stated[:-1]], last]
        parts = [_HOLDER.split(text) for text in texts]
        if len({part[-1] for part in parts}) == 1 and all(len(part) == 3 for part in parts):
            texts[1:] = [part[0] for part in parts[1:]]
            if len({(text.partition(" ")[0], part[1]) for text, part in zip(texts, parts, strict=True)}) == 1:
                # The verb, too, is said once.
                texts = [parts[0][0], *[text.partition(" ")[2] for text in texts[1:]]]
                texts[-1] += f" {parts[0][1]} {parts[0][2]}"
        said.append(f"{', '.join(texts[:-1])} and {texts[-1]}")
    types = stated[0].kind.types if len({tuple(statement.kind.types) for statement in stated}) == 1 else ()
    for text in said:
        if len(text) <= _BOTH_LENGTH and sum(statement.share for statement in stated) >= _ALONE:
            yield Statement([text], Kind(_BOTH, types=types), 1.0)
            return


def _say_acts(edits: Sequence[Sequence[_Claim]], total: float) -> Iterator[Statement]:
    """Yield what more edits do than a sentence lists, each to something else."""
    acts: dict[tuple[str, str, str], list[Sequence[_Claim]]] = {}
    for same in edits:
        edit = same[0].edit
        acts.setdefault((edit.role, edit.act, edit.new if edit.role == "modifier" else ""), []).append(same)
    for (role, act, word), group in acts.items():
        template, claims = _ACTS.get((role, act), ""), list(chain.from_iterable(group))
        if template and len(group) > _OBJECTS:
            what = _MODIFIED.get(word, (word, ""))[0] or format_count(len(group), "action")
            text, share = template.format(what), min(1.0, sum(claim.lines for claim in claims) / total)
            kind = Kind(SAYINGS[role].prior, types=_find_types(claims[0].edit))
            yield Statement([f"{text} in {_where(claims)}", text], kind, share)


def _say_sweeps(view: ChangeView) -> Iterator[Statement]:
    """Yield what all edits of code are if they are imports, or types of what was there, with their imports."""
    files = {file.path: file for file, _ in view.edits if file.language.name}
    are_imports = []
    for _, edit in view.edits:
        are_imports.append(edit.role in _IMPORTS or (edit.role == OTHER and is_import(edit.text)))
    types = []
    for (file, edit), is_imported in zip(view.edits, are_imports, strict=True):
        # In other languages it may be the value of a key.
        is_typed = file.language.name == "python" and (edit.role, edit.act) == (OTHER, "came")
        is_type = is_typed and _TYPE.fullmatch(edit.come) is not None
        if edit.role == "returned" or is_type or not is_imported:
            types.append(edit.role == "returned" or is_type)
    if len(files) < len(view.core) or not all(types):
        return
    where = file_names(list(files.values()))
    if types:
        yield Statement([f"annotate types in {where}"], _ANNOTATED, 1.0)
    elif are_imports:
        yield Statement([f"adjust imports in {where}"], _ADJUSTED, 1.0)


def _say_replacement(view: ChangeView) -> Iterator[Statement]:
    """Yield the name, the part of names or the value that took the place of another one in several lines.

    What came, or went, in several lines and has no role is as good.
    """
    places: dict[tuple[str, str], list[tuple[FileFacts, float]]] = {}
    used: dict[str, list[tuple[FileFacts, float]]] = {}
    for file, edit in view.edits:
        for gone, come in () if may_hold_secrets(file.path) else _list_replaced(edit):
            places.setdefault((gone, come), []).append((file, min(1.0, edit.lines)))
            if gone and come and file.kind != DOCUMENTATION:
                used.setdefault(come, []).append((file, min(1.0, edit.lines)))
    # What took each other's place was not replaced.
    for pair in [pair for pair in places if pair[::-1] in places]:
        del places[pair]
        used.pop(pair[1], None)
    pair = max(places, key=lambda pair: (len(used.get(pair[1], ())), len(places[pair])), default=("", ""))
    (gone, come), found = pair, places.get(pair, [])
    text, kind = f"replace {gone} with {come} in", _REPLACEMENT
    is_gone = gone in view.new_names["removed"] and come in view.new_names["added"] and len(found) >= _MANY
    if len(used.get(come, ())) > len(found) and come.isidentifier():
        text, kind, found, is_gone = f"use {come} in", _USE, used[come], False
    elif not gone or not come:
        text = f"add {come} to" if come else f"remove {gone} from"
    elif is_gone:
        kind = _USE
    beside = list(_list_replacing(view, gone, come)) if gone and come else []
    if len(found) + len(beside) > 1 and not may_be_secret(gone) and not may_be_secret(come):
        where = file_names(list({file.path: file for file, _ in [*found, *beside]}.values()))
        texts = [f"{text} {where}", text.rpartition(" ")[0]]
        lines = sum(lines for _, lines in found)
        if is_gone:
            # As many lines in which more changed are about it, too.
            lines = max(lines, min(2 * lines, view.count_about({come}, "added")))
        share = view.share(lines)
        if beside:
            kind = Kind(kind.prior, types=kind.types, is_whole=True)
            share = (lines + sum(lines for _, lines in beside)) / (view.lines + weigh_beside(view.change, view.about))
        yield Statement(texts[: 1 + bool(gone and come)], kind, share)


def _list_replacing(view: ChangeView, gone: str, come: str) -> Iterator[tuple[FileFacts, float]]:
    """Yield the other files of a change in which `come` takes the place of `gone`, with their lines."""
    for file in () if view.is_part else view.change.files[:FILES_EXAMINED]:
        if file in view.about or file.kind in (*DERIVED, DOCUMENTATION, TESTS):
            continue
        for hunk in file.diff.hunks:
            removed, added = ("\n".join(read_hunk(hunk).side(side).read()) for side in ("removed", "added"))
            if mentions(removed, gone) and mentions(added, come) and not mentions(removed, come):
                yield file, float(max(len(hunk.removed), len(hunk.added)))


def _list_replaced(edit: Edit) -> Iterator[tuple[str, str]]:
    """Yield what took the place of what: a word or a value, and the parts of a name if these are others."""
    if edit.role == OTHER and edit.act != "changed" and _ENTRY.fullmatch(edit.gone or edit.come):
        yield edit.gone, edit.come
    if edit.role == "callee" and edit.gone and edit.old.startswith(f"{edit.gone}."):
        yield edit.old, edit.new  # what is called of a module, if it is the same all over
    old, new = _TOKENS.findall(edit.gone or edit.old), _TOKENS.findall(edit.come or edit.new)
    pairs = {pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]}
    gone, come = pairs.pop() if len(pairs) == 1 and len(old) == len(new) else ("", "")
    if _WORD.fullmatch(gone) and _WORD.fullmatch(come):
        # Of `One::A` that became `Self::A`, one name is another.
        names, others = _SEPARATED.split(gone), _SEPARATED.split(come)
        same = count_common_ends(names, others)[1] if len(names) == len(others) else 0
        gone, come = "".join(names[: len(names) - same]), "".join(others[: len(others) - same])
        yield gone, come
        names, others = _PARTS.findall(gone), _PARTS.findall(come)
        start, end = count_common_ends(names, others)
        # What only came, or only went, goes with the part before it.
        start -= start > 0 and start + end in (len(names), len(others))
        inner = "".join(names[start : len(names) - end]), "".join(others[start : len(others) - end])
        if inner != (gone, come) and all(part.isidentifier() and len(part) > 2 for part in inner):
            yield inner
    elif len(old) == 1 and _WORD.fullmatch(old[0]) and _CALL_OF.match("".join(new)) and old[0] in new:
        yield old[0], "".join(new)


def _can_say(claim: _Claim, saying: Saying) -> bool:
    edit = claim.edit
    text = getattr(saying, edit.act)
    if edit.role == "words" and len(edit.holder) > _PLACE_LENGTH:
        return False
    said = [edit.new] * ("{new}" in text) + [edit.old] * ("{old}" in text) + [edit.holder] * ("{holder}" in text)
    if (
        not text
        or not all(said)
        # What a sign is part of was not read, as in `count :: Int`, and a group of values has no name.
        or any(each.startswith((":", "=", "(")) or each.endswith((").", " ||", " &&", " or", " and")) for each in said)
        or any(len(each) > _OBJECT_LENGTH for each in said)
        or edit.holder in _LITERALS
        or (edit.role == "setting" and edit.holder == edit.new and claim.file.kind == SOURCE)
        or (edit.role == "program" and f"{edit.new}=" in edit.text)
        or (edit.role == "word" and min(len(edit.old), len(edit.new)) < 2)
        or (edit.role == "import" and edit.new == "type")
        # It has other quotes.
        or (edit.role == "value" and edit.new == edit.old)
        # An annotation gets another target, as in `@get:Name`.
        or (edit.role in ("parameter", "rename") and edit.new.startswith("@"))
        # Java asks for this field in any class that can be serialized.
        or edit.new == "serialVersionUID"
        # Which classes an element has says nothing of what it is.
        or (edit.role in ("attribute", "setting", "value", "values") and {edit.holder, edit.new} & _LOOKS)
        or may_hold_secrets(claim.file.path)
    ):
        return False
    if edit.role in _NAMED:
        return True
    has_digit = any(char.isdigit() for char in "".join(said))
    return not mentions_secret(edit.text) and not (has_digit and may_be_secret(" ".join(said)))


def _replace(claims: Sequence[_Claim]) -> list[_Claim]:
    """Make one edit of the only thing that came to a holder and the only one that went from it."""
    kept: list[_Claim] = []
    groups: dict[tuple[str, str, bytes], list[_Claim]] = {}
    _find_sources(claims)
    for claim in claims:
        _read_parts(claim.edit)
        groups.setdefault((claim.edit.role, claim.edit.holder, claim.file.path), []).append(claim)
    for (role, _, _), same in groups.items():
        acts = sorted(claim.edit.act for claim in same)
        texts = [claim.edit.new or claim.edit.old for claim in same]
        if role == "import" and acts == ["came", "went"] and texts[0] == texts[1]:
            came, went = sorted(same, key=lambda claim: claim.edit.act)
            if bool(came.edit.place) != bool(went.edit.place):
                came.edit.role, came.edit.old = "import-moved", came.edit.new
                came.edit.holder = f"into {came.edit.place}" if came.edit.place else f"out of {went.edit.place}"
                came.lines += went.lines
                kept.append(came)
                continue
        # What moved neither came nor went.
        moved = {claim.edit.new for claim in same if claim.edit.act == "came"}
        moved &= {claim.edit.old for claim in same if claim.edit.act == "went"}
        for claim in same:
            if (claim.edit.new or claim.edit.old) in moved:
                claim.edit.role = "layout"
        if role in _REPLACED and acts == ["came", "went"] and same[0].edit.role != OTHER:
            came, went = sorted(same, key=lambda claim: claim.edit.act)
            came.edit.old, came.lines = went.edit.old, came.lines + went.lines
            kept.append(came)
        else:
            kept += same
    return kept


def _read_parts(edit: Edit) -> None:
    """Say of a value that is longer now what was added to it, and of an object in a call that it is passed."""
    rest = edit.new.removeprefix(edit.old) if edit.role == "value" and edit.act == "changed" else ""
    if edit.old and rest != edit.new and _ADDED_TO_LIST.fullmatch(rest):
        edit.role, edit.old, edit.new = "item", "", rest.strip(",;|: ")
    elif edit.role == "directive":
        # Several lines of one statement have it.
        edit.old, edit.new = _AGAIN.sub(r"\1", edit.old), _AGAIN.sub(r"\1", edit.new)
    elif edit.role == "parameter" and _OBJECT.fullmatch(edit.come):
        edit.role, edit.new = "argument", edit.come.rstrip(", ")


def _find_sources(claims: Sequence[_Claim]) -> None:
    """Say of a name that is imported from another module what that is."""
    imports = [claim for claim in claims if claim.edit.role == "import" and claim.edit.holder]
    for came in [claim for claim in imports if claim.edit.act == "came"]:
        for went in [claim for claim in imports if claim.edit.act == "went" and claim.file is came.file]:
            if came.edit.new == went.edit.old and came.edit.holder != went.edit.holder:
                holder, came.edit.holder = came.edit.holder, came.edit.new
                came.edit.role, came.edit.old, came.edit.new = "import-source", went.edit.holder, holder
                came.lines += went.lines
                went.edit.role = OTHER
                went.lines = 0
                break


def _mute_kept(claims: Sequence[_Claim], view: ChangeView) -> None:
    """Say nothing of what was or is called elsewhere, and of definitions that only have another name."""
    renamed = {*view.renamed, *view.renamed.values()}
    gone = set(find_names("\n".join(view.removed)))
    for edit in [claim.edit for claim in claims]:
        if edit.role in _DEFINED and (edit.new or edit.old) in renamed:
            edit.role = OTHER
        elif edit.role in _CALLED and edit.act == "went":
            names = find_names(edit.old or edit.holder)
            edit.role = OTHER if names and names[-1] in view.kept_names else edit.role
        elif edit.role in _CALLED and edit.act == "came":
            names = find_names(edit.new or edit.holder)
            edit.role = OTHER if names and names[-1] in gone else edit.role


def _mute_moved(claims: Sequence[_Claim]) -> None:
    """Say nothing of what came in another form, or at another place, where it went, and of a part of what is new."""
    came = {(claim.file.path, claim.edit.new) for claim in claims if claim.edit.role in _DEFINED}
    for claim in claims:
        edit, hunks = claim.edit, claim.file.diff.hunks
        act, is_told = (edit.role, edit.act), False
        other: Side = "removed" if edit.act == "came" else "added"
        if edit.role in ("item", "key") and edit.act == "went" and any(_is_beside(edit.text, hunk) for hunk in hunks):
            edit.role = "duplicate"
        elif act in _AGAIN_ELSEWHERE and claim.file.kind == SOURCE:
            name = edit.new if edit.act == "came" else edit.old
            name = edit.holder if act == ("setting", "came") else name
            is_told = mentions("\n".join(read_lines(hunks, other)), name)
        elif edit.role == "field" and edit.act != "changed":
            declared = compile_on_use(rf"{escape(edit.new or edit.old)}\s*:")
            is_told = any(declared.match(line) for line in read_lines(hunks, other))
        elif act == ("key", "went"):
            # Of several entries with such a key, one lost it, or went itself.
            is_told = any(_keeps_key(edit.old, hunk) for hunk in hunks)
        elif (edit.role == "section" or (edit.role == "item" and not edit.holder)) and edit.act != "changed":
            is_told = mentions("\n".join(read_lines(hunks, other)), edit.new or edit.old)
        elif edit.role in _DEFINED and edit.act == "went":
            kept = [after.name for _, after in claim.file.symbols.changed]
            is_told = (claim.file.path, edit.old) in came or edit.old in kept
        elif act == ("function", "came"):
            lines = [line for line in read_lines(hunks, "added") if f"{edit.new}(" in line]
            is_told = bool(lines) and is_overload(claim.file, lines[0])
        elif edit.role == "annotation":
            # It came with its function, which may have the name of another one.
            is_told = f" {edit.holder}(" in (edit.come or edit.gone)
        if is_told:
            edit.role = OTHER


def _find_moved(claims: Sequence[_Claim], files: Sequence[FileFacts]) -> None:
    """Say of what one holder, or one of the `files`, lost and another one got in the same line that it moved."""
    places: dict[tuple[str, str], list[_Claim]] = {}
    for claim in claims:
        if claim.edit.role in _MOVABLE and claim.edit.act != "changed":
            line = "".join(claim.edit.text.split()).rstrip(",;")
            name = claim.edit.holder if claim.edit.role == "setting" else claim.edit.new or claim.edit.old
            places.setdefault((name, line), []).append(claim)
    for same in places.values():
        came = [claim for claim in same if claim.edit.act == "came"]
        went = [claim for claim in same if claim.edit.act == "went"]
        if not came and len(went) == 1:
            _find_target(went[0], files)
        elif came and went and len({(claim.file.path, claim.edit.holder) for claim in same}) > 1:
            # Of a setting, nobody knows which section it is in now.
            is_known = len(same) == 2 and came[0].edit.role != "setting"
            for claim in same:
                claim.edit.role = OTHER
            if is_known:
                came[0].edit.role, came[0].edit.old = "moved-to", came[0].edit.new
                came[0].lines += went[0].lines
                went[0].lines = 0


def _find_target(went: _Claim, files: Sequence[FileFacts]) -> None:
    """Say of what went that it moved, if the line of it came to one other file, in which it may be no edit."""
    edit, line = went.edit, went.edit.text.strip()
    targets = [file for file in files if len(line) >= _LINE_LETTERS and line in read_lines(file.diff.hunks, "added")]
    if len(targets) == 1 and targets[0] is not went.file:
        went.file, went.lines = targets[0], 2 * went.lines
        edit.role, edit.new, edit.holder, edit.place = "moved-to", edit.old, "", ""


def _is_beside(text: str, hunk: Hunk) -> bool:
    """Whether a line that went stays directly above or below it: it stood there twice."""
    beside = [line.decode("utf-8", "replace") for line in (*hunk.before[-1:], *hunk.after[:1])]
    return len(hunk.removed) == 1 and text in beside and any(char.isalnum() for char in text)


def _keeps_key(key: str, hunk: Hunk) -> bool:
    """Whether a key of YAML or JSON stands at the start of a line around `hunk`."""
    around = [line.partition(b":")[0].strip(b" \t-\"'") for line in (*hunk.before, *hunk.after)]
    return key.encode() in around


def _unite(claims: list[_Claim]) -> list[_Claim]:
    """Make one replacement of edits that put the same tokens in place of the same others."""
    pairs = {(claim.edit.gone, claim.edit.come) for claim in claims}
    names = {come for _, come in pairs}
    if len(pairs) > 1 and len(names) == 1 and all(gone.isidentifier() and come.isidentifier() for gone, come in pairs):
        for claim in claims:
            claim.edit.role, claim.edit.old, claim.edit.new, claim.edit.holder = "used", "name", claim.edit.come, ""
        return claims
    gone, come = pairs.pop() if len(pairs) == 1 and len(claims) > 1 else ("", "")
    roles = {claim.edit.role for claim in claims}
    if not gone or not come or " " in gone + come:
        return claims
    declared = compile_on_use(
        rf"\s*(?:(?:let|const|var|val|auto|local|my|for)\s+)?{escape(come)}(?:\s*:[^=]*)?\s*(?::?=(?!=)|in\b)"
    )
    is_declared = come.isidentifier() and come != "Self" and any(declared.match(claim.edit.text) for claim in claims)
    if len(roles) == 1 and not is_declared:
        return claims
    role = "rename" if is_declared or roles & {"rename", "parameter"} else "word"
    for claim in claims:
        claim.edit.role, claim.edit.old, claim.edit.new, claim.edit.holder = role, gone, come, ""
    return claims


def _join_values(claims: Sequence[_Claim]) -> None:
    """Say of a key that has several new values that they changed: one of them would be half of it."""
    values: dict[str, set[str]] = {}
    for claim in claims:
        if claim.edit.role == "value":
            values.setdefault(claim.edit.holder, set()).add(claim.edit.new)
    for claim in claims:
        if claim.edit.role == "value" and len(values[claim.edit.holder]) > 1:
            claim.edit.role = "values"


def _join_settings(claims: Sequence[_Claim]) -> None:
    """Say of a new key of code that has several values, or begins with nothing, that it is new."""
    settings: dict[str, set[str]] = {}
    edits = [claim.edit for claim in claims if claim.edit.role == "setting" and claim.file.kind == SOURCE]
    for edit in edits:
        settings.setdefault(edit.holder, set()).add(edit.new)
    for edit in edits:
        if edit.new in _NOTHING or len(settings[edit.holder]) > 1:
            edit.role, edit.new, edit.holder = "key", edit.holder, ""


def _find_tests(claims: Sequence[_Claim]) -> None:
    """Say of a new block of code, or one that went, what its condition is."""
    for edit in [claim.edit for claim in claims if claim.edit.role == OTHER and claim.file.kind in (SOURCE, TESTS)]:
        test = edit.new or edit.old
        if edit.act != "changed" and _TESTED.match(edit.text):
            test = unwrap(test).strip()
            if _TEST.fullmatch(test) and test.count("(") == test.count(")"):
                edit.role = "conditional"
                edit.old, edit.new = (test, "") if edit.act == "went" else ("", test)


def _join(claims: list[_Claim], helpers: Set[str]) -> list[_Claim]:
    """Leave out what follows from another edit, whose lines it gets: the use of what is new, or the import of it."""
    for role in _INTRODUCING:
        for claim in [claim for claim in claims if claim.edit.role == role]:
            users = _find_users(claim, claims)
            is_left = claim.edit.role in _DEFINED and claim.edit.act == "went"
            if is_left and any(user.edit.role == OTHER and user.lines > claim.edit.lines for user in users):
                claim.edit.role = OTHER  # it went with what used it
                continue
            for user in users if role == "variable" else ():
                value = claim.edit.text.rstrip(" ;").endswith(user.edit.gone) and user.edit.gone
                if value and user.edit.come == claim.edit.new and claim in claims:
                    # What was a value has a name now.
                    claim.edit.role, claim.edit.holder = "constant", claim.edit.new
                    claim.lines += user.lines
                    claims = [other for other in claims if other is not user]
            if claim.edit.role == "constant":
                continue
            if users and role in _USED:
                # The value of a new variable is not said by its use.
                is_told = role != "variable" or claim.edit.act == "went"
                users[0].lines += claim.lines if is_told else 0
                claims = [other for other in claims if other is not claim]
            for user in users if role not in _USED else ():
                is_larger = role == "setting" and user.edit.role in _DEFINED
                if (user.edit.role in _FOLLOWING or role in _USABLE) and claim in claims and not is_larger:
                    claim.lines += user.lines
                    claims = [other for other in claims if other is not user]
                    is_value = user.edit.act == "changed" and squeeze(user.edit.gone) in squeeze(claim.edit.text)
                    if role == "setting" and is_value and claim.file.kind == SOURCE:
                        # What was a value has a name now.
                        claim.edit.role = "constant"
            if claim.edit.act == "came" and helpers & {claim.edit.new, claim.edit.holder}:
                _say_helper(claim.edit, users)
    return claims


def _say_helper(edit: Edit, users: Sequence[_Claim]) -> None:
    """Say of a function that others call what it does, if its name says that, as in `shorten_ids`; else nothing."""
    words = split_name(edit.new).split()
    is_said = edit.role == "function" and len(words) > 1 and words[0] in VERBS - _VAGUE_VERBS
    edit.role = OTHER
    if is_said and words[-1] not in _UNFINISHED:
        edit.role, edit.holder = "helper", " ".join(words)
        places = {user.edit.place for user in users}
        edit.place = places.pop() if len(places) == 1 else ""


def _find_users(claim: _Claim, claims: Sequence[_Claim]) -> list[_Claim]:
    edit = claim.edit
    name = (edit.holder if edit.role == "setting" else edit.new or edit.old).lstrip("-").replace("-", "_")
    names = edit.names if edit.role in ("import", "include") else {name, name.rpartition(".")[2]}
    found = []
    for other in claims:
        is_same_act = other.edit.act in (edit.act, "changed") and other.edit.role not in ("import", "include")
        spoken = other.edit.names | {other.edit.gone.partition(".")[0]} if edit.act == "went" else other.edit.names
        is_used = not names.isdisjoint(spoken) or (edit.role in _USABLE and mentions(other.edit.new, name))
        is_same = (other.edit.role, other.edit.old, other.edit.new) == (edit.role, edit.old, edit.new)
        is_of_call = (
            edit.role in ("callee", "function")
            and other.edit.role == "argument"
            and {edit.old, edit.new} & {other.edit.holder, other.edit.holder.rpartition(".")[2]}
        )
        if not is_same and ((is_same_act and is_used) or is_of_call):
            found.append(other)
    return found


def _where(claims: Sequence[_Claim]) -> str:
    """Return where equal edits were made: one function or file, else the number of files."""
    files = list({claim.file.path: claim.file for claim in claims}.values())
    first, places = claims[0].edit, {claim.edit.place for claim in claims}
    if len(files) > _FILES:
        return format_count(len(files), "file")
    place = places.pop() if len(places) == len(files) == 1 else ""
    if not place or place in {*_COMMON, first.holder, first.new, first.old} or first.role in _OF_FILE:
        return file_names(files)
    return make_printable(place, _PLACE_LENGTH)


def _count_about(view: ChangeView, group: Sequence[Sequence[_Claim]]) -> int:
    """Return how many lines are about the names that a sentence repeats and that only came, or only went."""
    first = group[0][0].edit
    side: Side = "removed" if first.act == "went" else "added"
    # What is given to a call instead of something else, and a variable or constant, follow from what is done with them.
    is_local = first.role == "key" and not first.place[:1].isupper() and group[0][0].file.language.name
    if first.role not in _NAMING or is_local or (first.role == "argument" and first.act != "came"):
        return 0
    names: set[str] = set()
    if first.role == "option":
        # `--dry-run` is `dry_run` and `dryRun` in other lines.
        options = [same[0].edit.new or same[0].edit.old for same in group]
        return view.count_about({option.lstrip("-").replace("-", "_") for option in options}, side)
    for same in group:
        edit = same[0].edit
        said = edit.old if first.act == "went" else edit.new
        said = said if first.role in ("argument", "guard") else f"{said} {edit.holder}"
        if first.role in ("item", "key"):
            names.update(find_names(said))
        else:
            # Of `host.names.add`, what is called is the last name.
            names.update([find_names(path)[-1] for path in _PATHS.findall(said)])
    local = {edit.new or edit.old for _, edit in view.edits if edit.role == "variable"}
    local |= {edit.come for _, edit in view.edits if edit.text.lstrip().startswith(_DECLARING)}
    # What took the place of another name all over is no news of one place.
    spread = Counter([split_identifier(edit.come) for _, edit in view.edits if edit.gone.isidentifier()])
    if any(spread[split_identifier(name)] > 1 for name in names | {first.new}):
        return 0
    names = {name for name in names & view.new_names[side] - local - _KEYWORDS if len(name) >= _NAME_LETTERS}
    return view.count_about(names, side) if names else 0


def _state(view: ChangeView, group: Sequence[Sequence[_Claim]], total: float) -> Statement:
    first = group[0][0].edit
    saying, where = SAYINGS[first.role], _where(group[0])
    lines = 0.0
    for same in group:
        lines += sum(claim.lines for claim in same)
    about = _count_about(view, group)
    share = min(1.0, max(lines / total, view.share(about)))
    new = _list_names(first, [same[0].edit.new for same in group])
    if first.role == "type":
        # The default of a field is no part of its type.
        new = new.partition(" = ")[0]
    old = _list_names(first, [same[0].edit.old for same in group])
    template = _choose_template(group, saying)
    if first.role == "spelling":
        template = template.replace("typo", "typo" if len(group[0]) == 1 else "typos")
    if first.role == "modifier":
        came, went = _MODIFIED.get(new, (new, "")), _MODIFIED.get(old, ("", ""))
        new, template = came[0], "make {holder} {new}{in}" if new or went[1] else template
        new = new or went[1]
    # What has the same edit, if these are two at most.
    holders = dict.fromkeys(claim.edit.holder for claim in group[0])
    holder = ""
    if len(holders) <= 2 and all(holders):
        holder = join_safe(holders, _PLACE_LENGTH).removeprefix("self.").removeprefix("this.")
        holder += "s" * (first.role == "definition" and len(group) > 1)
    elif first.role == "implemented":
        holder = format_count(len(holders), "type")
    if first.role == "setting" and len(group) > 1:
        holder = join_safe([same[0].edit.holder for same in group], _OBJECT_LENGTH)
        if new and all(same[0].edit.new == first.new for same in group):
            new = _name(first.new, first)
        else:
            template = template.replace(" to {new}", "")
    fields = {"new": new, "old": old, "holder": holder}
    for word in ("to", "from", "of"):
        fields[word] = f" {word} {holder or where}"
    shown = {"in": f" in {where}", "to_file": f" to {where}", "from_file": f" from {where}"}
    texts = [template.format(**fields, **shown)]
    if first.role not in _PLACED:
        texts.append(template.format(**fields, **dict.fromkeys(shown, "")))
    if first.role == "import-source":
        texts.append(f"import {holder} from {new}")
    # What is around it may say more of the type.
    types = () if about > lines else _find_types(first)
    if first.role in _PROSE and group[0][0].file.kind not in (SOURCE, TESTS, DOCUMENTATION):
        # Comments of configuration are no documentation.
        types = ()
    return Statement(list(dict.fromkeys(texts)), Kind(_choose_prior(group, share), types=types), share)


def _find_types(edit: Edit) -> Sequence[str]:
    """Return the classes of types of which a change with such an edit has one; none if it can be any."""
    types = SAYINGS[edit.role].types
    return _TYPES_WENT.get(edit.role, types) if edit.act == "went" else types


def _choose_prior(group: Sequence[Sequence[_Claim]], share: float) -> float:
    """Return how likely a reader is to keep what is said of edits of one role that are this share of a change."""
    first = group[0][0].edit
    if first.act == "came" and all(_PRIVATE.match(_find_introduced(same[0].edit)) for same in group):
        return _PRIOR_OF_PRIVATE
    if share >= _ALONE:
        return SAYINGS[first.role].prior
    if first.role in _DETAILS and share < _MOST:
        return _PRIOR_OF_DETAIL
    prior = SAYINGS[first.role].prior
    return min(prior, _PRIOR_BESIDE + _SLOPE * (prior - _PRIOR))


def _find_introduced(edit: Edit) -> str:
    """Return the name that a new field, also one that a class sets, or a parameter introduces, or an empty text."""
    if edit.role in ("setting", "assignment") and edit.place[:1].isupper():
        return edit.holder or edit.new
    return edit.new if edit.role in ("field", "parameter") else ""


def _choose_template(group: Sequence[Sequence[_Claim]], saying: Saying) -> str:
    first = group[0][0].edit
    template: str = getattr(saying, first.act)
    if first.role == "setting" and first.holder.isupper() and group[0][0].file.kind == SOURCE:
        # A constant that is new has no value before.
        template = "add {holder}{to_file}"
    if first.role == "argument" and first.act == "changed" and "=" not in first.new and len(first.new + first.old) < 40:
        template = "pass {new} instead of {old}{to}"
    if first.role == "helper" and (not first.place or first.holder.count(" ") > 1):
        template = "{holder}"
    if first.role == "function" and len(split_identifier(first.new or first.old)) > 1:
        template = template.replace("{to_file}", "")
    are_paths = all(_PATHS.fullmatch(claim.edit.holder) for claim in group[0])
    if first.role == "method" and (len({claim.edit.holder for claim in group[0]}) > 2 or not are_paths):
        template = template.replace(" on {holder}", "")
    if len(group) > 1:
        for noun in _PLURALS:
            template = template.replace(f" {noun}", f" {noun}{'es' if noun == 'alias' else 's'}")
        template = template.replace("import of", "imports of")
    return template


def _list_names(edit: Edit, texts: Sequence[str]) -> str:
    if len(texts) > _OBJECTS:
        return format_count(len(texts), edit.role)
    return join_names([_name(text, edit) for text in texts])


def _name(text: str, edit: Edit) -> str:
    shown = make_printable(text, _OBJECT_LENGTH) if text else ""
    return f'"{shown}"' if edit.role in ("step", "name") and " " in shown else shown
