"""Reads a command line as bash does, into commands of words whose quotes and expansions are told apart.

Nothing is expanded here; `shell_values` does that. Source: the grammar of POSIX, chapter 2 of "Shell & Utilities", and
what bash adds: `[[ ]]`, `(( ))`, `$'..'`, arrays, `<(..)`, `<<<`, `function`. Arithmetic is passed over.
"""

from __future__ import annotations

from smartcommit.record import Record

TYPE_CHECKING = False

# Nested commands, words and expansions; each takes a few frames of Python's stack.
_DEPTH = 40
_META = " \t\n;&|<>()"
_BLANK = " \t\r"
_NAME_START = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_NAME = _NAME_START + "0123456789"
_SPECIAL = "@*#?-$!0123456789"
# The first words of blocks, each with its last, and the words that only divide a block: every branch is taken.
_BLOCKS = {"{": "}", "if": "fi", "while": "done", "until": "done"}
_DIVIDERS = frozenset(("then", "else", "elif", "do"))
_PREFIXES = frozenset(("!", "time", "coproc"))
_DECLARING = frozenset(("export", "declare", "typeset", "local", "readonly"))
_OPERATORS = ("<<<", "<<-", "&>>", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "<", ">")
_OPERATIONS = (":-", ":=", ":+", ":?", "##", "%%", "-", "=", "+", "?", "#", "%")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_RADIX = {"x": (16, 2), "u": (16, 4), "U": (16, 8)}
_DIGITS = "0123456789abcdefABCDEF"


class Unreadable(Exception):
    """The text is no complete command, or is nested too deeply."""


class Text(Record):
    """Literal text of a word."""

    text: str
    quoted: bool


class Parameter(Record):
    """`$name` or `${name..}`; `index` is that of an array, `prefix` is `#` or `!`.

    With an argument but no operation, the value is changed in a way that is not followed.
    """

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


class Redirection(Record):
    """An operator and its target, or the body of a here-document (`operator` is `<<`)."""

    operator: str
    target: Word
    descriptor: str


class Simple(Record):
    """A simple command; those among the words of `export` and its kind are assignments too."""

    assignments: list[Assignment]
    words: list[Word]
    redirections: list[Redirection]
    start: int
    end: int


class Compound(Record):
    """A loop, a choice, a group or a subshell (`kind` is its first word); `name` is the variable of a loop."""

    kind: str
    words: list[Word]
    script: Script
    redirections: list[Redirection]
    name: str = ""


class Function(Record):
    """The definition of a function."""

    name: str
    body: Command


class Script(Record):
    """Pipelines that run one after the other; `complete` if all of the text could be read."""

    pipelines: list[list[Command]]
    complete: bool = True


if TYPE_CHECKING:
    Part = Text | Parameter | Substitution
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


def undo_escapes(text: str) -> str:
    """Return `text` with its escapes as in C replaced; a NUL, which only separates arguments, becomes a newline."""
    pieces = text.split("\\")
    done = [pieces[0]]
    number = 1
    while number < len(pieces):
        piece = pieces[number]
        number += 1
        if not piece:
            # Two backslashes are one, and what follows is no escape.
            done.append("\\" + "".join(pieces[number : number + 1]))
            number += 1
            continue
        radix, length = _RADIX.get(piece[0], (8, 3))
        start = 0 if radix == 8 else 1
        end = start
        while end < min(start + length, len(piece)) and piece[end] in _DIGITS[: 8 if radix == 8 else None]:
            end += 1
        if end > start:
            code = int(piece[start:end], radix)
            done.append((chr(code) if 0 < code < 0x110000 else "\n") + piece[end:])
        else:
            done.append(_ESCAPES.get(piece[0], piece[0]) + piece[1:])
    return "".join(done)


class _Reader:
    """A position in the text, and the here-documents whose bodies follow at the next line."""

    def __init__(self, text: str, *, located: bool, depth: int = 0) -> None:
        self.text = text
        self.at = 0
        self.located = located
        self.depth = depth
        self.pending: list[tuple[Redirection, str, bool, bool]] = []

    # Lists of commands.

    def read_all(self) -> Script:
        script = Script([])
        try:
            self._read_pipelines(script.pipelines, "")
            script.complete = self.at >= len(self.text)
        except Unreadable:
            script.complete = False
        return script

    def _read_block(self, closer: str) -> Script:
        """Read up to the word or parenthesis that closes a block, and that too."""
        script = Script([])
        self._enter()
        self._read_pipelines(script.pipelines, closer)
        self._expect(closer)
        self.depth -= 1
        return script

    def _read_pipelines(self, pipelines: list[list[Command]], closer: str) -> None:
        while True:
            self._skip(newlines=True)
            if self.at >= len(self.text) or self._peek(";;") or self._peek(";&"):
                return
            ahead = self._word_ahead()
            if closer and (ahead == closer or (closer == ")" and self._peek(")"))):
                return
            if ahead in _DIVIDERS:
                self.at += len(ahead)
            elif not (self._take(";") or self._take("&")):
                pipelines.append(self._read_pipeline())

    def _read_pipeline(self) -> list[Command]:
        commands = [self._read_command()]
        while True:
            self._skip()
            if self._take("&&") or self._take("||") or not self._take("|"):
                return commands
            self._take("&")
            self._skip(newlines=True)
            commands.append(self._read_command())

    def _read_command(self) -> Command:
        self._skip()
        while self._word_ahead() in _PREFIXES:
            self.at += len(self._word_ahead())
            self._skip()
        self._enter()
        command = self._read_compound(self._word_ahead()) or self._read_simple()
        self.depth -= 1
        return command

    # Compound commands.

    def _read_compound(self, kind: str) -> Command | None:
        words: list[Word] = []
        name = ""
        script = Script([])
        start = self.at
        self.at += len(kind)
        if kind in _BLOCKS:
            script = self._read_block(_BLOCKS[kind])
        elif kind in ("for", "select"):
            name, words = self._read_loop_head()
            script = self._read_block("}" if self._take("{") else "done")
        elif kind == "case":
            self._skip()
            words = [self._read_word()]
            self._read_choices(script.pipelines)
        elif kind == "[[":
            words = self._read_test()
        elif kind == "function":
            self._skip()
            name = self._word_ahead()
            self.at += len(name)
            self._take_parentheses()
            return Function(name, self._read_body())
        elif self._peek("((") and not kind and self._pass_arithmetic():
            kind = "(("
        elif not kind and self._take("("):
            kind = "("
            script = self._read_block(")")
        else:
            self.at = start
            return None
        return Compound(kind, words, script, self._read_redirections(), name)

    def _read_loop_head(self) -> tuple[str, list[Word]]:
        """Read from the name of a loop's variable to the body; return it and the words that it becomes."""
        self._skip()
        words = [Word([Parameter("@", quoted=True)])]
        name = self._read_name()
        if not name and not (self._peek("((") and self._pass_arithmetic()):
            raise Unreadable
        self._skip(newlines=True)
        if self._word_ahead() == "in":
            self.at += 2
            words = self._read_words()
        self._skip(newlines=True)
        self._take(";")
        self._skip(newlines=True)
        return name, words

    def _read_choices(self, pipelines: list[list[Command]]) -> None:
        self._expect("in")
        while True:
            self._skip(newlines=True)
            if self._word_ahead() == "esac":
                self._expect("esac")
                return
            self._take("(")
            self._skip()
            while not self._take(")"):
                self._read_word()
                self._skip()
                self._take("|")
                self._skip()
            self._read_pipelines(pipelines, "esac")
            for end in (";;&", ";;", ";&"):
                if self._take(end):
                    break

    def _read_test(self) -> list[Word]:
        """Read to `]]`; the operators between are no redirections."""
        words: list[Word] = []
        while True:
            self._skip(newlines=True)
            if self._take("]]"):
                return words
            if self.at >= len(self.text):
                raise Unreadable
            if self.text[self.at] in "()<>&|;" and not self._peek("<("):
                self.at += 1
            else:
                words.append(self._read_word())

    def _read_body(self) -> Command:
        self._skip(newlines=True)
        return self._read_command()

    def _take_parentheses(self) -> bool:
        """Pass over the parentheses of a function's definition, if they come next."""
        start = self.at
        self._skip()
        if self._take("("):
            self._skip()
            if self._take(")"):
                return True
        self.at = start
        return False

    def _pass_arithmetic(self) -> bool:
        """Pass over `((..))`; stay at what is a subshell within another."""
        nested = 0
        for at in range(self.at, len(self.text)):
            letter = self.text[at]
            nested += (letter == "(") - (letter == ")")
            if nested == 0:
                if self.text[at - 1] != ")":
                    return False
                self.at = at + 1
                return True
        return False

    # Simple commands.

    def _read_simple(self) -> Command:
        start = end = self.at
        command = Simple([], [], [], self._locate(start), -1)
        declaring = False
        while True:
            self._skip()
            redirection = self._read_redirection()
            if redirection is not None:
                command.redirections.append(redirection)
                end = self.at
                continue
            if not self._at_word():
                break
            assignment = self._read_assignment() if declaring or not command.words else None
            if assignment is not None:
                command.assignments.append(assignment)
            else:
                command.words.append(self._read_word())
            if len(command.words) == 1:
                plain = _get_literal(command.words[0])
                declaring = plain in _DECLARING
                if not command.assignments and self._take_parentheses():
                    return Function(plain, self._read_body())
            end = self.at
        if end == start:
            raise Unreadable
        command.end = self._locate(end)
        return command

    def _read_assignment(self) -> Assignment | None:
        start = self.at
        name = self._read_name()
        appends = self._take("+")
        if not name or not self._take("="):
            self.at = start
            return None
        items = None
        value = Word([])
        if self._take("("):
            items = self._read_words(newlines=True)
            self._expect(")")
        elif self._at_word():
            value = self._read_word()
        return Assignment(name, value, items, appends, self._locate(start), self._locate(self.at))

    def _read_words(self, *, newlines: bool = False) -> list[Word]:
        words: list[Word] = []
        self._skip(newlines=newlines)
        while self._at_word():
            words.append(self._read_word())
            self._skip(newlines=newlines)
        return words

    def _at_word(self) -> bool:
        return self.at < len(self.text) and (self.text[self.at] not in _META or self._peek_substitution())

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
        descriptor = self.text[start : self.at]
        if not self._peek_substitution():
            for operator in _OPERATORS:
                if self._take(operator):
                    return self._read_target(operator, descriptor)
        self.at = start
        return None

    def _read_target(self, operator: str, descriptor: str) -> Redirection:
        self._skip()
        start = self.at
        word = self._read_word()
        if operator not in ("<<", "<<-"):
            return Redirection(operator, word, descriptor)
        redirection = Redirection("<<", Word([]), descriptor)
        quoted = any(letter in self.text[start : self.at] for letter in "'\"\\")
        self.pending.append((redirection, _get_literal(word), quoted, operator == "<<-"))
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
                redirection.target.parts.extend(inner._read_double(""))

    # Words.

    def _read_word(self, closer: str = "") -> Word:
        """Read a word; with `closer`, up to this character, whatever else it contains."""
        self._enter()
        start = self.at
        parts: list[Part] = []
        begun = start
        while self.at < len(self.text) and self.text[self.at] != closer:
            letter = self.text[self.at]
            if letter in _META and not closer and not self._peek_substitution():
                break
            before = self.at
            found = self._read_quoted(letter) if letter in "'\"\\$`<>" else None
            if found is None:
                self.at += 1
                continue
            if begun < before:
                parts.append(Text(self.text[begun:before], quoted=False))
            parts.extend(found)
            begun = self.at
        if begun < self.at:
            parts.append(Text(self.text[begun : self.at], quoted=False))
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
            parts = self._read_double('"')
            if not self._take('"'):
                raise Unreadable
            return parts or [Text("", quoted=True)]
        if letter == "\\":
            self.at += 2
            escaped = self.text[self.at - 1 : self.at]
            return [] if escaped == "\n" else [Text(escaped or "\\", quoted=True)]
        if letter in "<>":
            if not self._peek_substitution():
                return None
            self.at += 2
            return [Substitution(letter, self._read_block(")"), quoted=False)]
        return self._read_expansion(quoted=False)

    def _read_double(self, closer: str) -> list[Part]:
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
            inner = _Reader(self._read_until("`", "`\\$"), located=False, depth=self.depth + 1)
            inner._check_depth()
            return [Substitution("$", inner.read_all(), quoted)]
        self.at += 1
        following = self.text[self.at : self.at + 1]
        if self._peek("((") and self._pass_arithmetic():
            return [Parameter("?", quoted)]
        if self._take("("):
            return [Substitution("$", self._read_block(")"), quoted)]
        if following in ("'", '"') and not quoted:
            return self._read_quoted('"') if following == '"' else [self._read_ansi()]
        if self._take("{"):
            return [self._read_braces(quoted=quoted)]
        name = self._read_parameter_name()
        if not name:
            self.at -= 1
        return [Parameter(name, quoted)] if name else None

    def _read_ansi(self) -> Text:
        return Text(undo_escapes(self._read_until("'", escaped=None)), quoted=True)

    def _read_braces(self, *, quoted: bool) -> Parameter:
        prefix = ""
        if self._peek("!") or (self._peek("#") and not self._peek("#}")):
            prefix = self.text[self.at]
            self.at += 1
        parameter = Parameter(self._read_parameter_name(), quoted, prefix=prefix)
        if self._take("["):
            close = self.text.find("]", self.at)
            if close < 0:
                raise Unreadable
            parameter.index = self.text[self.at : close]
            self.at = close + 1
        if self._take("}"):
            return parameter
        for candidate in _OPERATIONS:
            if self._take(candidate):
                parameter.operation = candidate
                break
        parameter.argument = self._read_word("}")
        self._expect("}")
        return parameter

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
            elif letter == "\n" and newlines:
                self.at += 1
                self._read_bodies()
            else:
                return

    def _read_until(self, closer: str, escaped: str | None = "") -> str:
        """Read from an opening quote to `closer`.

        Backslashes before the characters `escaped` are undone; None: they are kept, but one protects the `closer`.
        """
        start = self.at + 1
        text: list[str] = []
        while True:
            end = self.text.find(closer, start)
            if end < 0:
                raise Unreadable
            backslash = -1 if escaped == "" else self.text.find("\\", start, end)
            if backslash < 0:
                self.at = end + 1
                text.append(self.text[start:end])
                return "".join(text)
            following = self.text[backslash + 1 : backslash + 2]
            text.append(self.text[start : backslash if escaped and following in escaped else backslash + 1])
            text.append(following)
            start = backslash + 2

    def _read_name(self) -> str:
        start = self.at
        if self.at < len(self.text) and self.text[self.at] in _NAME_START:
            while self.at < len(self.text) and self.text[self.at] in _NAME:
                self.at += 1
        return self.text[start : self.at]

    def _read_parameter_name(self) -> str:
        name = self._read_name()
        if not name and self.text[self.at : self.at + 1] in tuple(_SPECIAL):
            name = self.text[self.at]
            self.at += 1
        return name

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
        self._skip(newlines=True)
        if not self._take(text):
            raise Unreadable

    def _enter(self) -> None:
        self.depth += 1
        self._check_depth()

    def _check_depth(self) -> None:
        if self.depth > _DEPTH:
            raise Unreadable

    def _locate(self, at: int) -> int:
        return at if self.located else -1


def _get_literal(word: Word) -> str:
    """Return the literal text of a word, without its expansions."""
    return "".join(part.text for part in word.parts if isinstance(part, Text))
