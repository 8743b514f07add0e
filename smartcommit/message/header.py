"""The header of a message: `type(scope)!: summary`, and whether a summary is in the imperative.

Source: the commit planner's header rules, which are Conventional Commits 1.0.0 with a fixed order of type, scope, `!`,
colon, one space, and a scope of lower-case letters, digits and dashes.
"""

from __future__ import annotations

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAME = _LETTERS + "0123456789-"
_VERBS = (
    "add", "adjust", "allow", "apply", "avoid", "bump", "change", "check", "clean", "correct", "create", "deprecate",
    "disable", "document", "drop", "enable", "ensure", "extend", "extract", "fix", "format", "handle", "implement",
    "improve", "include", "increase", "introduce", "limit", "make", "merge", "migrate", "move", "optimize", "optimise",
    "pass", "prevent", "reduce", "refactor", "release", "remove", "rename", "reorder", "replace", "restore", "return",
    "revert", "rewrite", "show", "simplify", "skip", "sort", "split", "start", "stop", "support", "switch", "test",
    "tidy", "update", "upgrade", "use", "validate", "write",
)  # fmt: skip
_IRREGULAR = {"made": "make", "rewrote": "rewrite", "wrote": "write", "splitting": "split", "written": "write"}
# Words that are plural nouns as often as verbs.
_NOUNS = ("changes", "checks", "documents", "formats", "limits", "merges", "moves", "passes", "releases", "returns",
          "starts", "stops", "switches", "supports", "tests", "updates", "upgrades", "uses")  # fmt: skip
_DOUBLED = ("drop", "skip", "stop")


class Header:
    """The first line of a message, in parts; `scope` is None where there is none. Units: code points."""

    __slots__ = ("breaking", "scope", "summary", "type")

    def __init__(self, type: str, summary: str, *, scope: str | None = None, breaking: bool = False) -> None:  # noqa: A002
        self.type = type
        self.scope = scope
        self.breaking = breaking
        self.summary = summary

    def __str__(self) -> str:
        scope = f"({self.scope})" if self.scope is not None else ""
        return f"{self.type}{scope}{'!' if self.breaking else ''}: {self.summary}"

    def __repr__(self) -> str:
        return f"Header({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        # By parts: the type `feat(api)` alone prints as the type `feat` with a scope does.
        return isinstance(other, Header) and (self.type, self.scope, self.breaking, self.summary) == (
            other.type,
            other.scope,
            other.breaking,
            other.summary,
        )

    def __hash__(self) -> int:
        return hash(str(self))


class Scan:
    """A header line taken apart, however broken. Positions are offsets in code points, None for what is missing.

    `type` and `scope` are texts as they stand. `bang` is the offset of the `!`, `colon` that of the colon, `summary`
    that of the first character behind the blanks after the colon (the line's end where nothing follows). `close` is
    the offset of the bracket that ends the scope. `misplaced` is the offset of the first character that cannot stand
    where it does, or of the line's end where something is missing; None where the shape is right.
    """

    __slots__ = ("bang", "close", "colon", "line", "misplaced", "scope", "summary", "type")

    def __init__(self, line: str) -> None:
        self.line = line
        self.misplaced: int | None = None
        self.scope: str | None = None
        self.close: int | None = None
        self.bang: int | None = None
        self.colon: int | None = None
        position = _find_any(line, "(!: \t")
        self.type = line[:position]
        if line.startswith("(", position):
            position = self._take_scope(position)
        if self.misplaced is None and line.startswith("!", position):
            self.bang = position
            position += 1
        if self.misplaced is None and line.startswith(":", position):
            self.colon = position
            position += 1
        elif self.misplaced is None:
            self.misplaced = position
        self.summary = len(line) - len(line[position:].lstrip(" "))

    def _take_scope(self, opening: int) -> int:
        """Read the scope whose bracket opens at `opening`; the offset behind its closing bracket."""
        position = _find_any(self.line, "()!:", opening + 1)
        if not self.line.startswith(")", position):
            self.misplaced = position
            return position
        self.scope = self.line[opening + 1 : position]
        self.close = position
        return position + 1


def is_name(text: str) -> bool:
    """Whether `text` can be a scope or a type: `^[a-z][a-z0-9-]*$`."""
    return text != "" and text[0] in _LETTERS and not text.strip(_NAME)


def parse_header(line: str) -> Header | None:
    """The header in `line`, or None where it is not exactly of the form; types are not looked up."""
    scan = Scan(line)
    if scan.misplaced is not None or scan.colon is None or not is_name(scan.type):
        return None
    if scan.scope is not None and not is_name(scan.scope):
        return None
    summary = line[scan.summary :].rstrip()
    if scan.summary != scan.colon + 2 or not summary or summary[0].isspace():
        return None
    return Header(scan.type, summary, scope=scan.scope, breaking=scan.bang is not None)


def _find_any(line: str, characters: str, start: int = 0) -> int:
    """The offset of the first of `characters` at or after `start`, or the line's end."""
    return min((found for found in (line.find(c, start) for c in characters) if found >= 0), default=len(line))


def imperative(summary: str) -> str | None:
    """`summary` with its first verb in the imperative, or None where it is or where the word is not in the table."""
    word, space, rest = summary.partition(" ")
    verb = _forms().get(word.lower())
    return None if verb is None else verb + space + rest


def _forms() -> dict[str, str]:
    forms = dict(_IRREGULAR)
    for verb in _VERBS:
        stem = verb.removesuffix("e")
        if verb in _DOUBLED:
            stem += verb[-1]
        if verb.endswith("y") and verb[-2] not in "aeiou":
            forms[verb[:-1] + "ied"], forms[verb[:-1] + "ies"] = verb, verb
        else:
            forms[stem + "ed"] = verb
            forms[verb + ("es" if verb.endswith(("s", "x", "ch", "sh")) else "s")] = verb
        forms[stem + "ing"] = verb
    return {form: verb for form, verb in forms.items() if form not in _VERBS and form not in _NOUNS}
