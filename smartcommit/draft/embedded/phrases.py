"""What a draft says of an edit by its role: one table of what came, went or changed, with the words."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.change.edits import Edit
from smartcommit.draft.embedded.view import UPKEEP
from smartcommit.record import Record

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


def _say_update(text: str, prior: float) -> Saying:
    """Say the same of what came, went or changed: only where it is can be said."""
    return Saying(text, text, text, prior, _DOCS)


SAYINGS = {
    "alias": Saying("add {new} alias{to}", "remove {old} alias{from}", "rename {old} alias to {new}", 0.75),
    "alternative": Saying("accept {new}{in}", "no longer accept {old}{in}", "", 0.6, _FIX),
    "annotation": Saying(
        "add {new}{to}", "remove {old}{from}", "replace {old} with {new}{in}", 0.6, ("fix", *UPKEEP)
    ),
    "argument": Saying("pass {new}{to}", "stop passing {old}{to}", "pass {new}{to}", 0.7),
    "assertion": Saying("check {new}{in}", "no longer check {old}{in}", "", 0.55),
    "assignment": Saying("set {new}{in}", "stop setting {old}{in}", "", 0.55),
    "attribute": Saying("add {new}{to}", "remove {old}{from}", "", 0.65),
    "await": Saying("await {holder}{in}", "stop awaiting {holder}{in}", "", 0.75, _FIX),
    "borrowed": Saying("borrow {new} of {holder}{in}", "stop borrowing {old} of {holder}{in}", "", 0.6, _REFACTOR),
    "call": Saying("call {new}{in}", "stop calling {old}{in}", "call {new} instead of {old}{in}", 0.5),
    "called": Saying("call {holder}{in}", "stop calling {holder}{in}", "", 0.65, _FIX),
    "callee": Saying("", "", "use {new} instead of {old}{in}", 0.65),
    "callout": Saying("add {new}{to}", "remove {old}{from}", "", 0.65, _DOCS),
    "case": Saying("handle {new}{in}", "stop handling {old}{in}", "", 0.6),
    "caught": Saying(
        "handle {new}{in}", "stop handling {old}{in}", "handle {new} instead of {old}{in}", 0.65, _FIX
    ),
    "check": Saying("check {new}{in}", "remove the check of {old}{in}", "", 0.65, _FIX),
    "captured": Saying("capture {new} as {holder}{in}", "stop capturing {old} as {holder}{in}", "", 0.65),
    "class": Saying("add {new}{to}", "remove {old}{from}", "replace {old} with {new}{in}", 0.65),
    "column": Saying("add {new} column{to}", "remove {old} column{from}", "", 0.7, _FEAT),
    "command": Saying("run {new}{in}", "stop running {old}{in}", "", 0.6),
    "comment": Saying("add comments{to}", "remove comments{from}", "update comments{in}", 0.65, _DOCS),
    "commented": Saying("comment out code{in}", "uncomment code{in}", "", 0.65),
    "comparison": Saying("", "", "fix the comparison{in}", 0.6, _FIX),
    "compared": Saying("", "", "use {holder} instead of {old}{in}", 0.6, _FIX),
    "condition": Saying(
        "add a check to the condition{in}", "remove a check from the condition{in}", "fix the condition{in}", 0.6, _FIX
    ),
    # What is done if it holds is not said: a title of a commit, but no summary.
    "conditional": Saying("check {new}{in}", "remove the check of {old}{in}", "", 0.24),
    "context": Saying("add {new} to the {holder}{in}", "", "", 0.65),
    "copied": Saying("copy {new}{in}", "stop copying {old}{in}", "copy {new} instead of {old}{in}", 0.65),
    "copyright": Saying(
        "add a copyright notice{to}", "remove a copyright notice{from}", "update the copyright notice{in}", 0.7,
        ("chore", "docs", "style"),
    ),
    "dead-code": Saying("", "remove commented-out code{from}", "", 0.7, _REFACTOR),
    "declaration": Saying("add {new}{to}", "remove {old}{from}", "", 0.6),
    "created": Saying("create {new}{in}", "no longer create {old}{in}", "", 0.65),
    "default": Saying(
        "default {holder} to {new}{in}", "stop defaulting {holder} to {old}{in}",
        "default {holder} to {new} instead of {old}{in}", 0.65, _FIX,
    ),
    "definition": Saying("add {new} {holder}{to_file}", "remove {old} {holder}{from_file}", "", 0.7),
    "derive": Saying("derive {new} for {holder}", "stop deriving {old} for {holder}", "derive {new} for {holder}",
        types=("refactor", "feat")),
    "done": Saying("{new}{in}", "no longer {old}{in}", "", 0.62, _FIX),
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
    "expected": Saying("", "", "expect {new} instead of {old}{in}", 0.6, ("test",)),
    "export": Saying("export {new}{in}", "stop exporting {old}{in}", "", 0.65, _FEAT),
    "extended": _say_update("update the documentation{of}", 0.7),
    "field": Saying("add {new}{to}", "remove {old}{from}", "rename {old} to {new}{in}", 0.65, _FEAT),
    "formatting": Saying("", "", "adjust the formatting{in}", 0.65, _DOCS),
    "flag": Saying("pass {new}{to}", "stop passing {old}{to}", "pass {new}{to}", 0.75),
    "guard": Saying("{new}{in}", "no longer {old}{in}", "", 0.72, _FIX),
    "heading": Saying("add {new} heading{to_file}", "remove {old} heading{from_file}", "", 0.7, _DOCS),
    "helper": Saying("{holder}{in}", "", "", 0.55),
    "ignored": Saying(
        "ignore {new}", "stop ignoring {old}", "ignore {new} instead of {old}", 0.8, ("chore", "build", "ci")
    ),
    "image": Saying("add {new}{to}", "remove {old}{from}", "update {new}{in}", 0.65, _DOCS),
    "implemented": Saying(
        "implement {new} for {holder}", "remove the implementation of {old} for {holder}", "", 0.75, _FEAT,
    ),
    "import": Saying("import {new}{in}", "remove unused import of {old}{in}", "import {new} instead of {old}{in}", 0.6),
    "import-source": Saying("", "", "import {holder} from {new} instead of {old}{in}", 0.7),
    "import-moved": Saying("", "", "move the import of {new} {holder}", 0.7, _REFACTOR),
    "include": Saying("include {new}{in}", "remove include of {old}{in}", "include {new} instead of {old}{in}", 0.6),
    "item": Saying("add {new}{to}", "remove {old}{from}", "replace {old} with {new}{in}", 0.75),
    "key": Saying("add {new}{to}", "remove {old}{from}", "rename {old} to {new}{in}", 0.65),
    "keyword": Saying("add {new} to {holder}{in}", "remove {old} from {holder}{in}", "", 0.65),
    "level": Saying("", "", "change the heading level of {holder}{in}", 0.7, _DOCS),
    "link": Saying("", "", "change link{in}", 0.7, _DOCS),
    "locked": Saying("lock {new}{in}", "stop locking {old}{in}", "", 0.7, _FIX),
    "marked": Saying("mark code as {new}{in}", "", "", 0.7, _DOCS),
    "message": Saying("", "", "reword the {holder}{in}", 0.5),
    "method": Saying("call {new} on {holder}{in}", "stop calling {old} on {holder}{in}", "", 0.65),
    "missing": Saying("allow a missing {holder}{in}", "", "allow a missing {holder}{in}", 0.6, _FIX),
    "modifier": Saying("make {holder} {new}{in}", "make {holder} not {old}{in}", "make {holder} {new}{in}", 0.65),
    "name": Saying("", "", "rename {old} to {new}{in}", 0.65),
    "moved": Saying("", "", "move {holder}{in}", 0.6, _REFACTOR),
    "moved-to": Saying("", "", "move {new}{to}", 0.7, UPKEEP),
    "newly-called": Saying("", "", "use {new}{in}", 0.65),
    "nullable": Saying("make the result of {holder} optional", "never return null from {holder}", "", 0.65),
    "operator": Saying("", "", "use {new} instead of {old}{in}", 0.6, ("fix", "refactor")),
    "optional": Saying("make {holder} optional{in}", "require {holder}{in}", "", 0.7),
    "option": Saying("add {new} option{to}", "remove {old} option{from}", "", 0.8, _FEAT),
    "order": Saying("", "", "reorder {holder}{in}", 0.65, ("style", "refactor", "chore")),
    "package": Saying("install {new}{in}", "stop installing {old}{in}", "install {new} instead of {old}{in}", 0.75),
    "parameter": Saying("add {new} parameter{to}", "remove {old} parameter{from}", "rename {old} to {new}{in}", 0.7),
    "plugin": Saying("add {new} plugin", "remove {old} plugin", "", 0.7, _UPKEEP),
    "unpinned": Saying("", "", "unpin {holder}{in}", 0.75, _UPKEEP),
    "pin": Saying("pin {new} to a digest{in}", "", "", 0.8, _UPKEEP),
    "pinned": Saying("", "", "pin {holder} to {new}{in}", 0.75, _UPKEEP),
    "precondition": Saying("add a condition{to}", "remove the condition{of}", "", 0.65, _UPKEEP),
    "prerequisite": Saying("run {new} before {holder}", "no longer run {old} before {holder}", "", 0.7, _UPKEEP),
    "propagated": Saying("", "", "return errors instead of panicking{in}", 0.65, _FIX),
    "printed": Saying("", "remove {old}{from}", "", 0.65, UPKEEP),
    "program": Saying("", "", "use {new} instead of {old}{in}", 0.7),
    "quotes": Saying("quote {new}{in}", "", "", 0.7, _FIX),
    "rename": Saying("", "", "rename {old} to {new}", 0.85, _REFACTOR),
    "repeated": Saying("", "", "remove repeated words{in}", 0.75, _DOCS),
    "requirement": Saying("add {new} {holder}", "remove {old} {holder}", "", 0.7),
    "result": Saying("use the result of {new}{in}", "no longer use the result of {old}{in}", "", 0.7, _FIX),
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
    "styles": Saying("", "", "adjust the styles{in}", 0.6),
    "tag": Saying("set {new} tag{in}", "remove {old} tag{from}", "", 0.65),
    "task": Saying("add {new} task{to_file}", "remove {old} task{from_file}", "", 0.7, ("chore", "build", "feat")),
    "step": Saying("add {new} step{to_file}", "remove {old} step{from_file}", "", 0.75, _UPKEEP),
    "type": Saying("", "", "change the type of {holder} to {new}{in}", 0.7),
    "words": _say_update("update the {holder} section{in}", 0.5),
    "variable": Saying("", "remove {old}{from}", "", 0.5, _REFACTOR),
    "used": Saying("", "", "use {new}{in}", 0.7, _REFACTOR),
    "value": Saying("", "", "set {holder} to {new}{in}", 0.75),
    "values": Saying("", "", "change {holder}{in}", 0.65),
    "word": Saying("", "", "replace {old} with {new}{in}", 0.55),
    "wrapped": Saying("wrap {holder} in {new}{in}", "stop wrapping {holder} in {old}{in}", "", 0.65),
}  # fmt: skip
# The classes of types of what went.
_TYPES_WENT = {
    "import": ("refactor", "chore", "style"), "include": ("refactor", "chore", "style"), "field": (), "option": (),
    "function": UPKEEP, "caught": (), "guard": (), "check": (), "default": (),
    "await": (), "column": (), "derive": ("refactor",), "route": (),
}  # fmt: skip
# Of modifiers that came: those that let others use something, and those that change nothing for them.
_TYPES_OF_MODIFIERS = {
    **dict.fromkeys(("pub", "public", "export", "open"), _FEAT),
    **dict.fromkeys(("const", "final", "readonly", "static", "private", "let", "val"), _REFACTOR),
}


def find_types(edit: Edit) -> Sequence[str]:
    """Return the classes of types of which a change with such an edit has one; none if it can be any."""
    types = SAYINGS[edit.role].types
    if edit.role == "modifier":
        types = _TYPES_OF_MODIFIERS.get(edit.new, ())
    return _TYPES_WENT.get(edit.role, types) if edit.act == "went" else types
