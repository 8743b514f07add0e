"""The values of a shell's words, as far as they can be known without running anything."""

from __future__ import annotations

from smartcommit.harness.shell_words import Arithmetic, Parameter, Substitution, Text, Word
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from smartcommit.harness.shell_words import Command

    Part = Text | Parameter | Substitution | Arithmetic

# Stands for text that cannot be known; no argument of a program can contain this character.
UNKNOWN = "\0"
# Fields that one word may become, and characters that a value may have.
_FIELDS = 500
_LENGTH = 200_000
# Characters of a value that is compared with a pattern, and braces of a word that are expanded.
_TRIMMED = 200
_BRACES = 16
_GLOB = "*?["
_BLANK = " \t\n"
# Variables that a shell sets by itself.
_UNKNOWN_NAMES = frozenset(
    ("?", "$", "!", "-", "_", "RANDOM", "SECONDS", "LINENO", "BASHPID", "OLDPWD", "REPLY", "PIPESTATUS")
)


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
        return self._join(word)[0]

    def _join(self, word: Word) -> tuple[str, str]:
        """Return the text of `word`, and the same as a pattern."""
        texts: list[str] = []
        patterns: list[str] = []
        for number, part in enumerate(word.parts):
            if isinstance(part, Text):
                text = part.text
                if number == 0 and not part.quoted:
                    text = self._expand_tilde(text)
                texts.append(text)
                patterns.append(_escape(text) if part.quoted else text)
                continue
            value = " ".join(self._evaluate(part))
            texts.append(value)
            patterns.append(_escape(value) if getattr(part, "quoted", False) else value)
        return "".join(texts)[:_LENGTH], "".join(patterns)[:_LENGTH]

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
        if isinstance(part, Arithmetic):
            self._join(part.inner)
            return [UNKNOWN]
        if isinstance(part, Substitution):
            return [self._substitute(part)]
        return self._evaluate_parameter(part)

    def _evaluate_parameter(self, part: Parameter) -> list[str]:
        values = self._get(part)
        argument, pattern = ("", "")
        operation = part.operation
        if part.argument is not None:
            argument, pattern = self._join(part.argument)
        if operation.removeprefix(":") in ("-", "=", "?", "+"):
            missing = values is None or (operation[0] == ":" and not "".join(values))
            if missing and operation.endswith("="):
                self._shell.set(part.name, Variable([argument], exported=False))
            if operation.endswith("+"):
                return [] if missing else [argument]
            return [argument] if missing else values or []
        if part.prefix == "#":
            return [str(len("".join(values or [])))]
        return [_edit(value, operation, argument, pattern) for value in values or []]

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


def _edit(value: str, operation: str, argument: str, pattern: str) -> str:
    """Return `value` after an operation such as `%.py`."""
    if not operation or value == "":
        return value
    if UNKNOWN in value or UNKNOWN in argument:
        return UNKNOWN
    if operation in ("#", "##", "%", "%%"):
        return _trim(value, operation, pattern)
    if operation in ("/", "//"):
        return _substitute(value, argument, count=-1 if operation == "//" else 1)
    if operation in ("^", "^^", ",", ",,"):
        changed = value.upper() if operation[0] == "^" else value.lower()
        return changed if len(operation) == 2 else changed[:1] + value[1:]
    return _cut(value, argument) if operation == ":" else UNKNOWN


def _substitute(value: str, argument: str, *, count: int) -> str:
    """Return `value` after `${name/old/new}`."""
    old, _, new = argument.partition("/")
    if any(letter in old for letter in _GLOB):
        return UNKNOWN
    if old[:1] in ("#", "%"):
        old = old[1:]
    return value.replace(old, new, count) if old else value


def _cut(value: str, argument: str) -> str:
    """Return `value` after `${name:start:length}`."""
    start, _, length = argument.partition(":")
    if not start.strip().isdigit() or (length and not length.strip().isdigit()):
        return UNKNOWN
    begun = value[int(start) :]
    return begun[: int(length)] if length else begun


def _trim(value: str, operation: str, pattern: str) -> str:
    if len(value) > _TRIMMED:
        return UNKNOWN
    ends = range(len(value) + 1)
    if operation in ("##", "%"):
        ends = range(len(value), -1, -1)
    for end in ends:
        if operation[0] == "#" and matches(value[:end], pattern):
            return value[end:]
        if operation[0] == "%" and matches(value[end:], pattern):
            return value[:end]
    return value


def _escape(text: str) -> str:
    """Return `text` as a pattern that matches it alone."""
    if not any(letter in text for letter in "*?[\\"):
        return text
    for letter in "\\*?[":
        text = text.replace(letter, "\\" + letter)
    return text


def matches(text: str, pattern: str) -> bool:
    """Whether a shell's pattern matches all of `text`; `*` matches slashes too, and UNKNOWN matches anything.

    The `re` and `fnmatch` of the standard library take longer to load than a command to judge.
    """
    tokens = _read_pattern(pattern)
    reached = {0}
    for letter in text:
        reached = _close(reached, tokens)
        following = set()
        for place in reached:
            if place == len(tokens):
                continue
            token = tokens[place]
            if token == "*":
                following.add(place)
            elif token == "?" or letter in token:
                following.add(place + 1)
        reached = following
        if not reached:
            return False
    return len(tokens) in _close(reached, tokens)


def _close(reached: set[int], tokens: list[str]) -> set[int]:
    """Return the places that are reached with those where `*` matches nothing."""
    closed = set()
    for start in reached:
        place = start
        closed.add(place)
        while place < len(tokens) and tokens[place] == "*":
            place += 1
            closed.add(place)
    return closed


# Every character that a class in a pattern is asked about.
_ASCII = "".join(map(chr, range(1, 127)))


def _read_pattern(pattern: str) -> list[str]:
    """Return `*`, `?` or, in the form `=x`, the characters that match at a place."""
    tokens: list[str] = []
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        at += 1
        close = pattern.find("]", at + 1) if letter == "[" else -1
        if letter == "\\":
            tokens.append(pattern[at : at + 1] * 2 or "\\\\")
            at += 1
        elif letter in ("*", UNKNOWN):
            tokens.append("*")
        elif letter == "?":
            tokens.append("?")
        elif close > 0:
            tokens.append(_read_class(pattern[at:close]))
            at = close + 1
        else:
            tokens.append(letter * 2)
    return tokens


def _read_class(body: str) -> str:
    """Return the characters of `[body]`, at least two."""
    negated = body[:1] in ("!", "^")
    body = body[1:] if negated else body
    letters = body
    for number in range(1, len(body) - 1):
        if body[number] == "-":
            letters += "".join(map(chr, range(ord(body[number - 1]), min(ord(body[number + 1]) + 1, 0x3000))))
    if negated:
        letters = "".join(letter for letter in _ASCII if letter not in letters)
    return letters * 2


def _expand_braces(parts: Sequence[Part]) -> list[Sequence[Part]]:
    """Return the forms of a word that `{a,b}` and `{1..3}` make of it."""
    braces = 0
    for part in parts:
        if isinstance(part, Text) and not part.quoted:
            braces += part.text.count("{")
    if not 0 < braces <= _BRACES:
        return [parts]
    atoms: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and not part.quoted:
            atoms += [Text(letter, quoted=False) for letter in part.text]
        else:
            atoms.append(part)
    return [_join_atoms(form) for form in _expand_atoms(atoms, 0)]


def _expand_atoms(atoms: list[Part], depth: int) -> list[list[Part]]:
    for start, atom in enumerate(atoms):
        if not _is_letter(atom, "{") or depth > 8:
            continue
        choices, end = _find_choices(atoms, start)
        if not choices:
            continue
        forms: list[list[Part]] = []
        for choice in choices:
            for inner in _expand_atoms(choice, depth + 1):
                for tail in _expand_atoms(atoms[end + 1 :], depth + 1):
                    forms.append([*atoms[:start], *inner, *tail])
                    if len(forms) >= _FIELDS:
                        return forms
        return forms
    return [atoms]


def _find_choices(atoms: list[Part], start: int) -> tuple[list[list[Part]], int]:
    """Return the choices of the braces that open at `start`, none if they have no comma, and where they close."""
    nested = 0
    commas = []
    for at in range(start + 1, len(atoms)):
        atom = atoms[at]
        if _is_letter(atom, "{"):
            nested += 1
        elif _is_letter(atom, ",") and nested == 0:
            commas.append(at)
        elif _is_letter(atom, "}"):
            if nested == 0:
                if not commas:
                    return _count(atoms[start + 1 : at]), at
                choices = []
                for comma in (*commas, at):
                    choices.append(atoms[start + 1 : comma])
                    start = comma
                return choices, at
            nested -= 1
    return [], start


def _count(atoms: list[Part]) -> list[list[Part]]:
    """Return the items of `{1..3}` or `{a..c}`."""
    text = "".join(getattr(atom, "text", UNKNOWN) for atom in atoms)
    first, dots, last = text.partition("..")
    if not dots:
        return []
    if first.isdigit() and last.isdigit() and abs(int(last) - int(first)) <= _FIELDS:
        step = 1 if int(first) <= int(last) else -1
        return [[Text(str(number), quoted=False)] for number in range(int(first), int(last) + step, step)]
    if len(first) == 1 and len(last) == 1:
        step = 1 if first <= last else -1
        if abs(ord(last) - ord(first)) > _FIELDS:
            return []
        return [[Text(chr(number), quoted=False)] for number in range(ord(first), ord(last) + step, step)]
    return []


def _join_atoms(atoms: list[Part]) -> list[Part]:
    joined: list[Part] = []
    for atom in atoms:
        last = joined[-1] if joined else None
        if isinstance(atom, Text) and isinstance(last, Text) and not atom.quoted and not last.quoted:
            joined[-1] = Text(last.text + atom.text, quoted=False)
        else:
            joined.append(atom)
    return joined


def _is_letter(atom: Part, letter: str) -> bool:
    return isinstance(atom, Text) and not atom.quoted and atom.text == letter
