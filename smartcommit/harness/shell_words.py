"""Reads a command line as bash does, into commands of words whose quotes and expansions are told apart.

Nothing is expanded here; `shell_values` does that. Source: the grammar of POSIX, chapter 2 of "Shell & Utilities", and
what bash adds: `[[ ]]`, `(( ))`, `$'..'`, arrays, `<(..)`, `<<<`, `function`, `coproc`.
"""

from __future__ import annotations

from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Nested commands, words and expansions; each takes a few frames of Python's stack.
_DEPTH = 40
# Subshells that were first taken for arithmetic; each is read twice.
_RETRIES = 20
_META = " \t\n;&|<>()"
_BLANK = " \t\r"
_NAME_START = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_NAME = _NAME_START + "0123456789"
_SPECIAL = "@*#?-$!0123456789"
# The words that end a list of commands, and those that begin a compound command.
_CLOSERS = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}"))
_PREFIXES = frozenset(("!", "time", "coproc"))
_DECLARING = frozenset(("export", "declare", "typeset", "local", "readonly"))
_OPERATORS = ("<<<", "<<-", "&>>", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "<", ">")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_RADIX = {"x": (16, 2), "u": (16, 4), "U": (16, 8)}
_OPERATIONS = (
    ":-",
    ":=",
    ":+",
    ":?",
    "##",
    "%%",
    "//",
    "^^",
    ",,",
    "-",
    "=",
    "+",
    "?",
    "#",
    "%",
    "/",
    "^",
    ",",
    ":",
    "@",
)


class Unreadable(Exception):
    """The text is no complete command, or is nested too deeply."""


class Text(Record):
    """Literal text of a word."""

    text: str
    quoted: bool


class Parameter(Record):
    """`$name` or `${name..}`; `index` is that of an array, `prefix` is `#` or `!`."""

    name: str
    quoted: bool
    index: str = ""
    prefix: str = ""
    operation: str = ""
    argument: Word | None = None


class Substitution(Record):
    """`$(..)` and backquotes (`kind` is `$`), `<(..)` and `>(..)` (`<`, `>`)."""

    kind: str
    script: Script
    quoted: bool


class Arithmetic(Record):
    """`$((..))`, with the parts in it that expand."""

    inner: Word


class Word(Record):
    """Parts that stand together; `start` and `end` are offsets in the whole text, -1 where they have none."""

    parts: list[Part]
    start: int = -1
    end: int = -1


class Assignment(Record):
    """`name=value`; an array has `items`."""

    name: str
    value: Word
    items: list[Word] | None
    appends: bool
    start: int
    end: int
    index: str = ""


class Redirection(Record):
    """An operator and its target, or the body of a here-document (`operator` is `<<`)."""

    operator: str
    target: Word
    descriptor: str


class Simple(Record):
    """A simple command; `declared` are the assignments among the words of `export` and its kind."""

    assignments: list[Assignment]
    words: list[Word]
    declared: list[Assignment]
    redirections: list[Redirection]
    start: int
    end: int


class Compound(Record):
    """A loop, a choice, a group or a subshell (`kind` is its first word); `name` is the variable of a loop."""

    kind: str
    words: list[Word]
    scripts: list[Script]
    redirections: list[Redirection]
    name: str = ""


class Function(Record):
    """The definition of a function."""

    name: str
    body: Command


class Pipeline(Record):
    """Commands joined by `|`; `conditional` if the status of the one before decides whether it runs."""

    commands: list[Command]
    conditional: bool


class Script(Record):
    """What runs one after the other; `complete` if all of the text could be read."""

    pipelines: list[Pipeline]
    complete: bool = True


if TYPE_CHECKING:
    from typing import TypeVar

    Read = TypeVar("Read")
    Part = Text | Parameter | Substitution | Arithmetic
    Command = Simple | Compound | Function


def read_script(text: str, *, located: bool = True) -> Script:
    """Read `text`; what precedes a mistake is returned, as bash runs it. Offsets are kept if `located`."""
    return _Reader(text, located=located).read_all()


def quote(text: str) -> str:
    """Return `text` as one word of a shell."""
    if text and all(letter.isalnum() or letter in "@%+=:,./-_^" for letter in text) and text.isascii():
        return text
    if any(ord(letter) < 32 and letter != "\n" for letter in text):
        escaped = "".join(_escape(letter) for letter in text)
        return f"$'{escaped}'"
    return "'" + text.replace("'", "'\\''") + "'"


def _escape(letter: str) -> str:
    if letter in "\\'":
        return "\\" + letter
    return f"\\x{ord(letter):02x}" if ord(letter) < 32 else letter


class _Reader:
    """A position in the text, and the here-documents whose bodies follow at the next line."""

    def __init__(self, text: str, *, located: bool, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.located = located
        self.depth = depth
        self.retries = 0
        self.pending: list[tuple[Redirection, str, bool, bool]] = []

    # Lists of commands.

    def read_all(self) -> Script:
        pipelines: list[Pipeline] = []
        try:
            self._read_pipelines(pipelines, ")")
            complete = self.at >= len(self.text)
        except Unreadable:
            complete = False
        return Script(pipelines, complete)

    def _read_list(self, closer: str = "") -> Script:
        """Read up to `closer`, which stays unread, or up to a word that ends a list."""
        pipelines: list[Pipeline] = []
        self._enter()
        self._read_pipelines(pipelines, closer)
        self.depth -= 1
        return Script(pipelines)

    def _read_pipelines(self, pipelines: list[Pipeline], closer: str) -> None:
        conditional = False
        while True:
            self._skip(newlines=True)
            if self._peek(";;") or self._peek(";&") or self.at >= len(self.text):
                return
            if closer and self._peek(closer):
                return
            if self._take(";") or self._take("&"):
                continue
            if self._word_ahead() in _CLOSERS:
                return
            pipelines.append(Pipeline(self._read_pipeline(), conditional))
            self._skip()
            conditional = self._take("&&") or self._take("||")

    def _read_pipeline(self) -> list[Command]:
        commands = [self._read_command()]
        while True:
            self._skip()
            if self._peek("||") or not self._take("|"):
                return commands
            self._take("&")
            self._skip(newlines=True)
            commands.append(self._read_command())

    def _read_command(self) -> Command:
        self._skip()
        ahead = self._word_ahead()
        while ahead in _PREFIXES:
            self.at += len(ahead)
            self._skip()
            if ahead == "time" and self._word_ahead() == "-p":
                self.at += 2
                self._skip()
            elif ahead == "coproc":
                self._skip_name()
            ahead = self._word_ahead()
        self._enter()
        try:
            if self._peek("(("):
                arithmetic = self._try(self._read_arithmetic_command)
                if arithmetic is not None:
                    return arithmetic
            if self._take("("):
                script = self._read_list(")")
                self._expect(")")
                return Compound("(", [], [script], self._read_redirections())
            reader = self._COMPOUNDS.get(ahead)
            if reader is not None:
                return reader(self, ahead)
            return self._read_simple()
        finally:
            self.depth -= 1

    def _skip_name(self) -> None:
        """Pass over the name of a coprocess, which only a compound command may have."""
        start = self.at
        self._read_name()
        self._skip()
        if self._word_ahead() not in self._COMPOUNDS and not self._peek("("):
            self.at = start

    # Compound commands.

    def _read_group(self, ahead: str) -> Command:
        self.at += len(ahead)
        script = self._read_list()
        self._expect("}")
        return Compound("{", [], [script], self._read_redirections())

    def _read_if(self, ahead: str) -> Command:
        scripts: list[Script] = []
        while True:
            self.at += len(ahead)
            scripts.append(self._read_list())
            ahead = self._word_ahead()
            if ahead == "fi":
                self._expect("fi")
                return Compound("if", [], scripts, self._read_redirections())
            if ahead not in ("then", "elif", "else"):
                raise Unreadable

    def _read_while(self, ahead: str) -> Command:
        self.at += len(ahead)
        condition = self._read_list()
        self._expect("do")
        body = self._read_list()
        self._expect("done")
        return Compound("while", [], [condition, body], self._read_redirections())

    def _read_for(self, ahead: str) -> Command:
        self.at += len(ahead)
        self._skip()
        words: list[Word] = []
        name = ""
        if self._peek("(("):
            words.append(self._read_arithmetic(2))
        else:
            name = self._read_name()
            self._skip(newlines=True)
            if self._word_ahead() == "in":
                self.at += 2
                words = self._read_words()
            else:
                words = [Word([Parameter("@", quoted=True)])]
        self._skip(newlines=True)
        self._take(";")
        self._skip(newlines=True)
        closer = "done" if self._word_ahead() == "do" else "}"
        self._expect("do" if closer == "done" else "{")
        body = self._read_list()
        self._expect(closer)
        return Compound("for", words, [body], self._read_redirections(), name)

    def _read_case(self, ahead: str) -> Command:
        self.at += len(ahead)
        self._skip()
        words = [self._read_word()]
        self._skip(newlines=True)
        self._expect("in")
        scripts: list[Script] = []
        while True:
            self._skip(newlines=True)
            if self._word_ahead() == "esac":
                self._expect("esac")
                return Compound("case", words, scripts, self._read_redirections())
            self._take("(")
            self._skip()
            while not self._take(")"):
                words.append(self._read_word())
                self._skip()
                self._take("|")
                self._skip()
            scripts.append(self._read_list())
            for end in (";;&", ";;", ";&"):
                if self._take(end):
                    break

    def _read_function(self, ahead: str) -> Command:
        self.at += len(ahead)
        self._skip()
        name = self._word_ahead()
        self.at += len(name)
        self._skip()
        if self._take("("):
            self._skip()
            self._expect(")")
        self._skip(newlines=True)
        return Function(name, self._read_command())

    def _read_test(self, ahead: str) -> Command:
        """`[[ .. ]]`, whose operators are no redirections."""
        self.at += len(ahead)
        words: list[Word] = []
        while True:
            self._skip(newlines=True)
            if self._word_ahead() == "]]":
                self.at += 2
                return Compound("[[", words, [], self._read_redirections())
            if self.at >= len(self.text):
                raise Unreadable
            if self.text[self.at] in "()<>&|;" and not self._peek("<("):
                self.at += 1
            else:
                words.append(self._read_word(pattern=True))

    def _read_arithmetic_command(self) -> Command:
        return Compound("((", [self._read_arithmetic(2)], [], self._read_redirections())

    _COMPOUNDS: Mapping[str, Callable[[_Reader, str], Command]] = {
        "{": _read_group,
        "if": _read_if,
        "while": _read_while,
        "until": _read_while,
        "for": _read_for,
        "select": _read_for,
        "case": _read_case,
        "function": _read_function,
        "[[": _read_test,
    }

    # Simple commands.

    def _read_simple(self) -> Command:
        start = self.at
        assignments: list[Assignment] = []
        words: list[Word] = []
        declared: list[Assignment] = []
        redirections: list[Redirection] = []
        end = start
        declaring = False
        while True:
            self._skip()
            redirection = self._read_redirection()
            if redirection is not None:
                redirections.append(redirection)
                end = self.at
                continue
            if self.at >= len(self.text) or (self.text[self.at] in _META and not self._peek_substitution()):
                break
            assignment = self._read_assignment() if declaring or not words else None
            if assignment is not None:
                (declared if words else assignments).append(assignment)
            else:
                words.append(self._read_word())
                if len(words) == 1:
                    plain = get_literal(words[0])
                    declaring = plain in _DECLARING
                    if not assignments and self._is_definition():
                        self._skip(newlines=True)
                        return Function(plain or "", self._read_command())
            end = self.at
        if not (assignments or words or redirections):
            raise Unreadable
        return Simple(assignments, words, declared, redirections, self._locate(start), self._locate(end))

    def _is_definition(self) -> bool:
        """Pass over the parentheses of a function's definition, if they come next."""
        start = self.at
        self._skip()
        if self._take("("):
            self._skip()
            if self._take(")"):
                return True
        self.at = start
        return False

    def _read_assignment(self) -> Assignment | None:
        start = self.at
        name = self._read_name()
        index = ""
        if name and self._take("["):
            close = self.text.find("]", self.at)
            if close >= 0 and self.text[close + 1 : close + 2] in ("=", "+"):
                index = self.text[self.at : close]
                self.at = close + 1
        appends = self._take("+")
        if not name or not self._take("="):
            self.at = start
            return None
        items = None
        value = Word([])
        if self._take("("):
            items = self._read_words(newlines=True)
            self._expect(")")
        elif self.at < len(self.text) and self.text[self.at] not in _META:
            value = self._read_word()
        return Assignment(name, value, items, appends, self._locate(start), self._locate(self.at), index)

    def _read_words(self, *, newlines: bool = False) -> list[Word]:
        words: list[Word] = []
        while True:
            self._skip(newlines=newlines)
            if self.at >= len(self.text) or (self.text[self.at] in _META and not self._peek_substitution()):
                return words
            words.append(self._read_word())

    def _read_redirections(self) -> list[Redirection]:
        found: list[Redirection] = []
        while True:
            self._skip()
            redirection = self._read_redirection()
            if redirection is None:
                return found
            found.append(redirection)

    def _read_redirection(self) -> Redirection | None:
        start = self.at
        while self.at < len(self.text) and self.text[self.at].isdigit():
            self.at += 1
        if self._peek("{") and self.at == start:
            close = self.text.find("}", start)
            name = self.text[start + 1 : close]
            if name and all(letter in _NAME for letter in name) and self.text[close + 1 : close + 2] in ("<", ">"):
                self.at = close + 1
        descriptor = self.text[start : self.at]
        if not self._peek_substitution():
            for operator in _OPERATORS:
                if self._take(operator):
                    return self._read_target(operator, descriptor)
        self.at = start
        return None

    def _read_target(self, operator: str, descriptor: str) -> Redirection:
        self._skip()
        if operator not in ("<<", "<<-"):
            return Redirection(operator, self._read_word(), descriptor)
        start = self.at
        word = self._read_word()
        raw = self.text[start : self.at]
        redirection = Redirection("<<", Word([]), descriptor)
        quoted = any(letter in raw for letter in "'\"\\")
        delimiter = "".join(part.text for part in word.parts if isinstance(part, Text))
        self.pending.append((redirection, delimiter, quoted, operator == "<<-"))
        return redirection

    def _read_bodies(self) -> None:
        """Read the bodies of the here-documents that the line before began."""
        pending = self.pending
        self.pending = []
        for number, (redirection, delimiter, quoted, indented) in enumerate(pending):
            lines = []
            if number:
                self._take("\n")
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                if indented:
                    line = line.lstrip("\t")
                # What closes a substitution may follow the delimiter.
                if line == delimiter or (delimiter and self.depth and line.startswith(delimiter + ")")):
                    self.at += self.text[self.at : end].index(delimiter) + len(delimiter)
                    break
                lines.append(line + "\n")
                self.at = end + 1
            body = "".join(lines)
            if quoted:
                redirection.target.parts.append(Text(body, quoted=True))
            else:
                inner = _Reader(body, located=False, depth=self.depth)
                redirection.target.parts.extend(inner._read_double(closer=""))

    # Words.

    def _read_word(self, *, closer: str = "", pattern: bool = False) -> Word:
        """Read a word; with `closer`, up to this character, whatever else it contains."""
        self._enter()
        start = self.at
        parts: list[Part] = []
        raw: list[str] = []
        while self.at < len(self.text) and self.text[self.at] != closer:
            letter = self.text[self.at]
            if letter == "(" and not closer and raw and (raw[-1][-1:] in tuple("?*+@!") or pattern):
                raw.append(self._read_parentheses())
                continue
            if letter in _META and not closer and not self._peek_substitution():
                break
            found = self._read_quoted(letter) if letter in "'\"\\$`<>" else None
            if found is None:
                raw.append(letter)
                self.at += 1
                continue
            if raw:
                parts.append(Text("".join(raw), quoted=False))
                raw.clear()
            parts.extend(found)
        if raw:
            parts.append(Text("".join(raw), quoted=False))
        if self.at == start and not closer:
            raise Unreadable
        self.depth -= 1
        return Word(parts, self._locate(start), self._locate(self.at))

    def _read_quoted(self, letter: str) -> list[Part] | None:
        """Read a quoted or expanded part; None if the character stands for itself."""
        if letter == "'":
            return [Text(self._read_until("'"), quoted=True)]
        if letter == '"':
            self.at += 1
            parts = self._read_double(closer='"')
            self._expect('"')
            return parts or [Text("", quoted=True)]
        if letter == "\\":
            self.at += 2
            escaped = self.text[self.at - 1 : self.at]
            return [] if escaped == "\n" else [Text(escaped or "\\", quoted=True)]
        if letter in "<>":
            if not self._peek_substitution():
                return None
            self.at += 2
            return [self._read_substitution(letter, quoted=False)]
        return self._read_expansion(quoted=False)

    def _read_double(self, *, closer: str) -> list[Part]:
        """Read text in which only `$`, backquotes and backslashes are special, up to `closer` or the end."""
        parts: list[Part] = []
        text: list[str] = []
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == closer:
                break
            if letter == "\\":
                escaped = self.text[self.at + 1 : self.at + 2]
                if escaped == "\n":
                    escaped = ""
                elif escaped not in ("$", "`", "\\", closer or "$"):
                    escaped = "\\" + escaped
                text.append(escaped)
                self.at += 2
                continue
            expansion = self._read_expansion(quoted=True) if letter in "$`" else None
            if expansion is None:
                text.append(letter)
                self.at += 1
                continue
            if text:
                parts.append(Text("".join(text), quoted=True))
                text.clear()
            parts.extend(expansion)
        if text:
            parts.append(Text("".join(text), quoted=True))
        return parts

    def _read_expansion(self, *, quoted: bool) -> list[Part] | None:
        """Read what a `$` or a backquote begins; None if it stands for itself."""
        if self.text[self.at] == "`":
            return [self._read_backquotes(quoted=quoted)]
        following = self.text[self.at + 1 : self.at + 2]
        if following == "(":
            return [self._read_parenthesized(quoted=quoted)]
        if following and following in "'\"" and not quoted:
            self.at += 1
            return [Text(self._read_ansi(), quoted=True)] if following == "'" else self._read_quoted('"')
        if following and following in "{" + _NAME_START + _SPECIAL:
            return [self._read_parameter(quoted=quoted)]
        return None

    def _read_parenthesized(self, *, quoted: bool) -> Arithmetic | Substitution:
        if self._peek("$(("):
            arithmetic = self._try(lambda: Arithmetic(self._read_arithmetic(3)))
            if arithmetic is not None:
                return arithmetic
        self.at += 2
        return self._read_substitution("$", quoted=quoted)

    def _read_parameter(self, *, quoted: bool) -> Parameter:
        self.at += 1
        if self._take("{"):
            return self._read_braces(quoted=quoted)
        name = self._read_name()
        if not name:
            name = self.text[self.at]
            self.at += 1
        return Parameter(name, quoted)

    def _read_substitution(self, kind: str, *, quoted: bool) -> Substitution:
        script = self._read_list(")")
        self._expect(")")
        return Substitution(kind, script, quoted)

    def _read_backquotes(self, *, quoted: bool) -> Substitution:
        text = self._read_until("`", escapes=True)
        inner = _Reader(text, located=False, depth=self.depth + 1)
        inner._check_depth()
        return Substitution("$", inner.read_all(), quoted)

    def _read_braces(self, *, quoted: bool) -> Parameter:
        prefix = ""
        if self._peek("!") or (self._peek("#") and not self._peek("#}")):
            prefix = self.text[self.at]
            self.at += 1
        name = self._read_name()
        if not name and self.text[self.at : self.at + 1] in _SPECIAL:
            name = self.text[self.at : self.at + 1]
            self.at += 1
        index = ""
        if self._take("["):
            close = self.text.find("]", self.at)
            if close < 0:
                raise Unreadable
            index = self.text[self.at : close]
            self.at = close + 1
        if self._take("}"):
            return Parameter(name, quoted, index, prefix)
        operation = ""
        for candidate in _OPERATIONS:
            if self._take(candidate):
                operation = candidate
                break
        argument = self._read_word(closer="}")
        self._expect("}")
        return Parameter(name, quoted, index, prefix, operation, argument)

    def _read_ansi(self) -> str:
        """Read `'..'` of `$'..'`, with its escapes as in C."""
        text: list[str] = []
        self.at += 1
        while True:
            letter = self.text[self.at : self.at + 1]
            self.at += 1
            if not letter:
                raise Unreadable
            if letter == "'":
                return "".join(text)
            text.append(self._read_escape() if letter == "\\" else letter)

    def _read_escape(self) -> str:
        letter = self.text[self.at : self.at + 1]
        self.at += 1
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        radix, length = _RADIX.get(letter, (8, 3))
        if radix == 8:
            if letter not in "01234567":
                return letter
            self.at -= 1
        digits = ""
        while len(digits) < length and self.text[self.at : self.at + 1] in tuple(
            "0123456789abcdefABCDEF"[: 8 if radix == 8 else 22]
        ):
            digits += self.text[self.at]
            self.at += 1
        number = int(digits, radix) if digits else 0
        return chr(number) if 0 < number < 0x110000 else ""

    def _read_arithmetic(self, opening: int) -> Word:
        """Read from `((`, which is `opening` characters long, to its `))`."""
        self.at += opening
        self._enter()
        nested = 0
        parts: list[Part] = []
        while True:
            letter = self.text[self.at : self.at + 1]
            if not letter:
                raise Unreadable
            if letter == ")" and nested == 0:
                self._expect("))")
                self.depth -= 1
                return Word(parts)
            nested += (letter == "(") - (letter == ")")
            expansion = self._read_expansion(quoted=True) if letter in "$`" else None
            if expansion is None:
                self.at += 1
            else:
                parts.extend(expansion)

    def _read_parentheses(self) -> str:
        """Return the text of an extended pattern, with its parentheses."""
        start = self.at
        nested = 0
        while self.at < len(self.text):
            letter = self.text[self.at]
            nested += (letter == "(") - (letter == ")")
            self.at += 1
            if nested == 0:
                return self.text[start : self.at]
        raise Unreadable

    # Characters.

    def _skip(self, *, newlines: bool = False) -> None:
        """Pass over blanks and comments, and over lines if `newlines`."""
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter in _BLANK:
                self.at += 1
            elif letter == "\\" and self._peek("\\\n"):
                self.at += 2
            elif letter == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n\r;&|()`"):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif letter == "\n" and (newlines or self.pending):
                if not newlines:
                    return
                self.at += 1
                self._read_bodies()
            else:
                return

    def _read_until(self, closer: str, *, escapes: bool = False) -> str:
        """Read from an opening quote to `closer`; `escapes` undoes the backslashes of backquotes."""
        text: list[str] = []
        self.at += 1
        while True:
            letter = self.text[self.at : self.at + 1]
            if not letter:
                raise Unreadable
            self.at += 1
            if letter == closer:
                return "".join(text)
            if escapes and letter == "\\" and self.text[self.at : self.at + 1] in ("`", "\\", "$"):
                letter = self.text[self.at]
                self.at += 1
            text.append(letter)

    def _read_name(self) -> str:
        start = self.at
        if self.at < len(self.text) and self.text[self.at] in _NAME_START:
            while self.at < len(self.text) and self.text[self.at] in _NAME:
                self.at += 1
        return self.text[start : self.at]

    def _word_ahead(self) -> str:
        """Return the unquoted characters up to the next blank or operator."""
        end = self.at
        while end < len(self.text) and self.text[end] not in _META and end - self.at < 100:
            end += 1
        return self.text[self.at : end]

    def _peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def _peek_substitution(self) -> bool:
        return self._peek("<(") or self._peek(">(")

    def _take(self, text: str) -> bool:
        if not self._peek(text):
            return False
        self.at += len(text)
        return True

    def _expect(self, text: str) -> None:
        self._skip(newlines=text != '"')
        if not self._take(text):
            raise Unreadable

    def _try(self, read: Callable[[], Read]) -> Read | None:
        """Return what `read` reads, or None and go back if it cannot."""
        start, depth = self.at, self.depth
        try:
            return read()
        except Unreadable:
            self.retries += 1
            if self.retries > _RETRIES:
                raise
            self.at, self.depth = start, depth
            return None

    def _enter(self) -> None:
        self.depth += 1
        self._check_depth()

    def _check_depth(self) -> None:
        if self.depth > _DEPTH:
            raise Unreadable

    def _locate(self, at: int) -> int:
        return at if self.located else -1


def get_literal(word: Word) -> str | None:
    """Return the text of a word without expansions, or None."""
    texts: list[str] = []
    for part in word.parts:
        if not isinstance(part, Text):
            return None
        texts.append(part.text)
    return "".join(texts)
