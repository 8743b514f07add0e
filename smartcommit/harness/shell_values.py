"""The values of a shell's words, as far as they can be known without running anything."""

from __future__ import annotations

from smartcommit.harness.shell_words import Parameter, Substitution, Text, Word
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from smartcommit.harness.shell_words import Command

    Part = Text | Parameter | Substitution

# Stands for text that cannot be known; no argument of a program can contain this character.
UNKNOWN = "\0"
# Fields that one word may become, and characters that a value may have.
_FIELDS = 500
_LENGTH = 200_000
# Braces of a word that are expanded.
_BRACES = 16
_GLOB = "*?["
_BLANK = " \t\n"
# Variables that a shell sets by itself.
_UNKNOWN_NAMES = frozenset(("?", "$", "!", "-", "_", "RANDOM", "OLDPWD", "REPLY"))


class Field(Record):
    """An argument; `pattern` is what the shell compares with file names if it has unquoted `*`, `?` or `[`."""

    text: str
    pattern: str = ""
    start: int = -1
    end: int = -1

    @property
    def known(self) -> bool:
        return UNKNOWN not in self.text


class Variable(Record):
    """A variable that the line sets; `start` and `end` are where it does so."""

    items: list[str]
    exported: bool
    start: int = -1
    end: int = -1
    array: bool = False


class Shell:
    """What a shell remembers: variables, functions, aliases, its directory, and files that the line wrote."""

    def __init__(self, environment: Mapping[str, str], directory: str | None) -> None:
        self.environment = environment
        self.directory = directory
        self.variables: dict[str, Variable | None] = {}
        self.functions: dict[str, Command] = {}
        self.aliases: dict[str, str] = {}
        self.git_aliases: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.arguments: list[str] = []
        self.name = UNKNOWN
        self.exports_all = False

    def copy(self) -> Shell:
        """Return what a subshell begins with."""
        other = Shell(self.environment, self.directory)
        other.variables = dict(self.variables)
        other.functions = dict(self.functions)
        other.aliases = dict(self.aliases)
        # Files and git's configuration outlive the subshell.
        other.git_aliases = self.git_aliases
        other.files = self.files
        other.arguments = self.arguments
        other.name = self.name
        other.exports_all = self.exports_all
        return other

    def get(self, name: str) -> list[str] | None:
        """Return the items of a variable (one unless it is an array), None if it is unset."""
        if name in self.variables:
            variable = self.variables[name]
            return None if variable is None else variable.items
        if name in ("@", "*"):
            return self.arguments
        if name.isdigit() and name != "0":
            return self.arguments[int(name) - 1 : int(name)] or None
        if name in self.environment and name != "PWD":
            return [self.environment[name]]
        return self._get_special(name)

    def _get_special(self, name: str) -> list[str] | None:
        if name in _UNKNOWN_NAMES:
            return [UNKNOWN]
        known = {"0": self.name, "IFS": _BLANK, "#": str(len(self.arguments)), "PWD": self.directory or UNKNOWN}
        return [known[name]] if name in known else None

    def set(self, name: str, variable: Variable) -> None:
        """Set a variable; it stays exported if it was."""
        before = self.variables.get(name)
        inherited = name not in self.variables and name in self.environment
        if inherited or self.exports_all or (before is not None and before.exported):
            variable.exported = True
        self.variables[name] = variable


class Expander:
    """Expands words in a shell; `substitute` runs a substitution and returns what it prints, UNKNOWN where unknown."""

    def __init__(self, shell: Shell, substitute: Callable[[Substitution], str]) -> None:
        self._shell = shell
        self._substitute = substitute

    def expand_all(self, words: Sequence[Word]) -> list[Field]:
        """Return the fields of `words`."""
        fields: list[Field] = []
        for word in words:
            fields += self.expand(word)
            if len(fields) > _FIELDS * 4:
                break
        return fields

    def expand(self, word: Word) -> list[Field]:
        """Return the fields that `word` becomes by braces, parameters, substitutions and splitting."""
        found: list[Field] = []
        for parts in _expand_braces(word.parts):
            fields = _Fields()
            for number, part in enumerate(parts):
                self._add(part, fields, first=number == 0)
            found += fields.finish()
        if len(found) == 1:
            found[0].start, found[0].end = word.start, word.end
        return found[:_FIELDS]

    def expand_text(self, word: Word) -> str:
        """Return the text of `word` where nothing is split, as in an assignment."""
        texts: list[str] = []
        for number, part in enumerate(word.parts):
            if isinstance(part, Text):
                text = part.text
                if number == 0 and not part.quoted:
                    text = self._expand_tilde(text)
                texts.append(text)
            else:
                texts.append(" ".join(self._evaluate(part)))
        return "".join(texts)[:_LENGTH]

    def _add(self, part: Part, fields: _Fields, *, first: bool) -> None:
        if isinstance(part, Text):
            text = part.text
            if first and not part.quoted:
                text = self._expand_tilde(text)
            fields.add(text, quoted=part.quoted)
            return
        values = self._evaluate(part)
        quoted = getattr(part, "quoted", False)
        if not quoted:
            for number, value in enumerate(values):
                if number:
                    fields.end()
                fields.split(value)
        elif isinstance(part, Parameter) and (part.name == "@" or part.index == "@"):
            for number, value in enumerate(values):
                if number:
                    fields.end()
                fields.add(value, quoted=True)
        else:
            fields.add(" ".join(values), quoted=True)

    def _expand_tilde(self, text: str) -> str:
        if text == "~" or text.startswith("~/"):
            home = self._shell.get("HOME") or [UNKNOWN]
            return home[0] + text[1:]
        return text

    def _evaluate(self, part: Part) -> list[str]:
        """Return the values of an expansion."""
        if isinstance(part, Text):
            return [part.text]
        if isinstance(part, Substitution):
            return [self._substitute(part)]
        return self._evaluate_parameter(part)

    def _evaluate_parameter(self, part: Parameter) -> list[str]:
        values = self._get(part)
        operation = part.operation
        argument = "" if part.argument is None else self.expand_text(part.argument)
        if operation.removeprefix(":") in ("-", "=", "?", "+"):
            missing = values is None or (operation[0] == ":" and not "".join(values))
            if missing and operation.endswith("="):
                self._shell.set(part.name, Variable([argument], exported=False))
            if operation.endswith("+"):
                return [] if missing else [argument]
            return [argument] if missing else values or []
        if part.prefix == "#":
            return [str(len("".join(values or [])))]
        if part.argument is None:
            return values or []
        return [_trim(value, operation, argument) for value in values or []]

    def _get(self, part: Parameter) -> list[str] | None:
        values = self._shell.get(part.name)
        if part.prefix == "!" and values:
            values = self._shell.get(values[0])
        if values is None:
            return None
        if part.index in ("@", "*") or part.name in ("@", "*"):
            return values
        if not part.index:
            return values[:1] if len(values) > 1 else values
        if not part.index.isdigit():
            return [UNKNOWN]
        number = int(part.index)
        return values[number : number + 1] or None


class _Fields:
    """The fields of one word while they grow."""

    def __init__(self) -> None:
        self._done: list[Field] = []
        self._text: list[str] = []
        self._pattern: list[str] = []
        self._glob = False
        self._begun = False

    def add(self, text: str, *, quoted: bool) -> None:
        self._begun = self._begun or quoted or text != ""
        self._text.append(text)
        self._pattern.append(_escape(text) if quoted else text)
        if not quoted and any(letter in text for letter in _GLOB):
            self._glob = True

    def split(self, value: str) -> None:
        """Add an unquoted value, which blanks divide."""
        for number, word in enumerate(_split_blanks(value)):
            if number:
                self.end()
            self.add(word, quoted=False)

    def end(self) -> None:
        if self._begun:
            text = "".join(self._text)[:_LENGTH]
            self._done.append(Field(text, "".join(self._pattern) if self._glob else ""))
        self._text, self._pattern, self._glob, self._begun = [], [], False, False

    def finish(self) -> list[Field]:
        self.end()
        return self._done


def _split_blanks(value: str) -> list[str]:
    """Return the words of `value`, with empty ones at its ends where blanks stand there."""
    words = value.split()
    if value and not words:
        return ["", ""]
    if value[:1] in tuple(_BLANK):
        words.insert(0, "")
    if value[-1:] in tuple(_BLANK):
        words.append("")
    return words


def _trim(value: str, operation: str, end: str) -> str:
    """Return `value` without an end that is no pattern; other changes are not known."""
    if not operation or UNKNOWN in value + end or any(letter in end for letter in _GLOB):
        return UNKNOWN if value else ""
    return value.removeprefix(end) if operation[0] == "#" else value.removesuffix(end)


def _escape(text: str) -> str:
    """Return `text` as a pattern that matches it alone."""
    if not any(letter in text for letter in "*?[\\"):
        return text
    for letter in "\\*?[":
        text = text.replace(letter, "\\" + letter)
    return text


def matches(text: str, pattern: str) -> bool:
    """Whether a shell's pattern matches all of `text`; `*` matches slashes too, and UNKNOWN matches anything.

    `[..]` matches any character. The `re` and `fnmatch` of the standard library take longer to load than a command to
    judge.
    """
    tokens = _read_pattern(pattern)
    at = place = 0
    star = begun = -1
    while at < len(text):
        token = tokens[place] if place < len(tokens) else ""
        if token == "*":
            star, begun = place, at
            place += 1
        elif token in ("?", "\\" + text[at]):
            place += 1
            at += 1
        elif star >= 0:
            # The last `*` takes one character more.
            begun += 1
            at, place = begun, star + 1
        else:
            return False
    return all(token == "*" for token in tokens[place:])


def _read_pattern(pattern: str) -> list[str]:
    """Return `*`, `?`, or a character after a backslash for each place of a pattern."""
    tokens: list[str] = []
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        at += 1
        close = pattern.find("]", at + 1) if letter == "[" else -1
        if letter == "\\":
            tokens.append("\\" + pattern[at : at + 1])
            at += 1
        elif letter in ("*", UNKNOWN):
            tokens.append("*")
        elif letter == "?" or close > 0:
            tokens.append("?")
            at = max(at, close + 1)
        else:
            tokens.append("\\" + letter)
    return tokens


def _expand_braces(parts: Sequence[Part], left: int = _BRACES) -> list[Sequence[Part]]:
    """Return the forms of a word that lists such as `{a,b}` make of it; none contains another."""
    for number, part in enumerate(parts):
        if not isinstance(part, Text) or part.quoted or left == 0:
            continue
        before, _, rest = part.text.partition("{")
        choices, close, after = rest.partition("}")
        if not close or "," not in choices or "{" in choices:
            continue
        forms: list[Sequence[Part]] = []
        for choice in choices.split(","):
            text = Text(before + choice + after, quoted=False)
            forms += _expand_braces([*parts[:number], text, *parts[number + 1 :]], left - 1)
            if len(forms) > _FIELDS:
                break
        return forms
    return [parts]
