"""Follows a script as a shell would run it, without running anything, and shows each program that it starts.

Every branch is taken, loops go over the values that are known, and launchers (`env`, `sudo`, `xargs`, `sh -c`) are
followed to what they run. What cannot be known is UNKNOWN.
"""

from __future__ import annotations

import os

from smartcommit.harness.embedded_code import list_calls, reads_code
from smartcommit.harness.launchers import LAUNCHERS, find_operands
from smartcommit.harness.shell_values import UNKNOWN, Expander, Field, Shell, Variable
from smartcommit.harness.shell_words import Compound, Function, Simple, quote, read_script, undo_escapes
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from smartcommit.harness.shell_words import Assignment, Command, Redirection, Script, Substitution

# Commands that are followed, each text that is read anew within another, and rounds of a loop.
_STEPS = 2000
_NESTED = 12
_ROUNDS = 30
_DECLARING = frozenset(("export", "declare", "typeset", "local", "readonly"))
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash"))


class TooLong(Exception):
    """The script does more than can be followed."""


class Input:
    """A standard input whose text is known; `read` takes lines of it."""

    def __init__(self, text: str) -> None:
        self.text = text


class Written(Record):
    """A file that a redirection writes."""

    path: str
    appends: bool
    content: str


class Invocation(Record):
    """A program that a script starts, with its arguments; the offsets are those of the whole command."""

    words: list[Field]
    shell: Shell
    assigned: dict[str, Variable | None]
    stdin: Input | None
    written: list[Written]
    start: int = -1
    end: int = -1

    @property
    def name(self) -> str:
        """The program's name without its directory."""
        return os.path.basename(self.words[0].text) if self.words else ""

    @property
    def arguments(self) -> list[str]:
        return [field.text for field in self.words[1:]]

    def changed_variables(self) -> dict[str, Variable | None]:
        """Return the environment's variables that the script sets for this program, None if it removes them."""
        found = {}
        for name, variable in self.shell.variables.items():
            if (variable is None and name in self.shell.environment) or (variable is not None and variable.exported):
                found[name] = variable
        return {**found, **self.assigned}

    def replace(self, words: list[Field]) -> Invocation:
        """Return the start of another program in the place of this one."""
        return Invocation(words, self.shell, self.assigned, self.stdin, self.written, self.start, self.end)


class Runner:
    """Follows scripts; `examine` is shown each program, returns what it prints, and may raise to end everything."""

    def __init__(self, examine: Callable[[Invocation], str]) -> None:
        self._examine = examine
        self._steps = 0
        self._nested = 0

    def run_text(self, text: str, shell: Shell, stdin: Input | None = None) -> str:
        """Follow `text`, and return what it prints."""
        if UNKNOWN in text:
            text = text.replace(UNKNOWN, "?")
        self._nested += 1
        if self._nested > _NESTED:
            raise TooLong
        printed = self.run(read_script(text, located=False), shell, stdin)
        self._nested -= 1
        return printed

    def run(self, script: Script, shell: Shell, stdin: Input | None = None) -> str:
        """Follow a script, and return what it prints."""
        printed = [self._run_pipeline(pipeline, shell, stdin) for pipeline in script.pipelines]
        return "".join(printed)

    def _run_pipeline(self, pipeline: Sequence[Command], shell: Shell, stdin: Input | None) -> str:
        if len(pipeline) == 1:
            return self._run_command(pipeline[0], shell, stdin)
        printed = ""
        for command in pipeline:
            printed = self._run_command(command, shell.copy(), stdin)
            stdin = Input(printed)
        return printed

    def _run_command(self, command: Command, shell: Shell, stdin: Input | None) -> str:
        self._count()
        if isinstance(command, Function):
            shell.functions[command.name] = command.body
            return ""
        if isinstance(command, Simple):
            return self._run_simple(command, shell, stdin)
        return self._run_compound(command, shell, stdin)

    def _run_compound(self, command: Compound, shell: Shell, stdin: Input | None) -> str:
        expander = self._expander(shell)
        stdin, written, moved = self._redirect(command.redirections, shell, stdin)
        fields = expander.expand_all(command.words)
        if command.kind == "(":
            shell = shell.copy()
        printed = ""
        if command.kind == "for" and command.name:
            for field in fields[:_ROUNDS]:
                shell.set(command.name, Variable([field.text], exported=False))
                printed += self.run(command.script, shell, stdin)
        elif command.kind == "while":
            for _ in range(_ROUNDS):
                before = "" if stdin is None else stdin.text
                printed += self.run(command.script, shell, stdin)
                if stdin is None or not stdin.text or stdin.text == before:
                    break
        else:
            printed += self.run(command.script, shell, stdin)
        return self._write(written, printed, shell, moved=moved)

    def _run_simple(self, command: Simple, shell: Shell, stdin: Input | None) -> str:
        expander = self._expander(shell)
        fields = expander.expand_all(command.words)
        declares = bool(fields) and fields[0].text in _DECLARING
        assigned: dict[str, Variable | None] = {}
        for assignment in command.assignments:
            exported = bool(fields) and not declares
            assigned[assignment.name] = self._assign(assignment, shell, expander, exported=exported)
        stdin, written, moved = self._redirect(command.redirections, shell, stdin)
        if not fields or declares:
            for name, variable in assigned.items():
                if variable is not None:
                    shell.set(name, variable)
        invocation = Invocation(fields, shell, assigned, stdin, [], command.start, command.end)
        if fields:
            printed = _declare(invocation) if declares else self.start(invocation)
        else:
            # `$(< FILE)` prints the file.
            printed = "" if stdin is None else stdin.text
        return self._write(written, printed, shell, moved=moved, place=(command.start, command.end))

    def _assign(self, assignment: Assignment, shell: Shell, expander: Expander, *, exported: bool) -> Variable:
        if assignment.items is not None:
            items = [field.text for field in expander.expand_all(assignment.items)]
        else:
            items = [expander.expand_text(assignment.value)]
        if assignment.appends:
            before = shell.get(assignment.name) or []
            array = assignment.items is not None
            items = [*before, *items] if array else ["".join(before) + items[0]]
        return Variable(items, exported, assignment.start, assignment.end)

    def _count(self) -> None:
        self._steps += 1
        if self._steps > _STEPS:
            raise TooLong

    # Redirections and substitutions.

    def _redirect(
        self, redirections: Sequence[Redirection], shell: Shell, stdin: Input | None
    ) -> tuple[Input | None, list[Written], bool]:
        """Return standard input, the files that are written, and whether standard output goes elsewhere."""
        expander = self._expander(shell)
        written: list[Written] = []
        moved = False
        for redirection in redirections:
            text = expander.expand_text(redirection.target)
            operator = redirection.operator
            if operator in ("<<", "<<<"):
                text += "\n" if operator == "<<<" else ""
                stdin = Input(text)
            elif operator == "<":
                content = shell.files.get(locate(shell, text))
                stdin = Input(UNKNOWN if content is None else content)
            elif operator in (">", ">>", ">|", "&>", "&>>", "<>"):
                written.append(Written(text, operator in (">>", "&>>", "<>"), ""))
                moved = moved or redirection.descriptor in ("", "1")
        return stdin, written, moved

    def _write(
        self,
        written: Sequence[Written],
        printed: str,
        shell: Shell,
        *,
        moved: bool,
        place: tuple[int, int] = (-1, -1),
    ) -> str:
        """Keep what is printed in the files that are written; return what is printed on standard output."""
        for file in written:
            file.content = printed
            path = locate(shell, file.path)
            before = shell.files.get(path, "") if file.appends else ""
            shell.files[path] = before + printed
        if written:
            self._examine(Invocation([], shell, {}, None, list(written), *place))
        return "" if moved else printed

    def _expander(self, shell: Shell) -> Expander:
        return Expander(shell, lambda substitution: self._substitute(substitution, shell))

    def _substitute(self, substitution: Substitution, shell: Shell) -> str:
        self._count()
        printed = self.run(substitution.script, shell.copy())
        if substitution.kind == "$":
            return printed.rstrip("\n")
        path = f"/dev/fd/{len(shell.files) + 100}"
        if substitution.kind == "<":
            shell.files[path] = printed
        return path

    # Programs.

    def start(self, invocation: Invocation, *, launched: bool = False) -> str:
        """Follow what a program does; return what it prints, UNKNOWN if that is not known.

        What another program has `launched` is no function or alias.
        """
        self._count()
        if not invocation.words:
            return ""
        text = invocation.words[0].text
        shell = invocation.shell
        if text in shell.aliases and not launched:
            rest = " ".join(quote(field.text) for field in invocation.words[1:])
            value = shell.aliases.pop(text)
            printed = self.run_text(f"{value} {rest}", shell, invocation.stdin)
            shell.aliases[text] = value
            return printed
        if text in shell.functions and not launched:
            return self._call_function(text, invocation)
        invocation.words[0].text = text = text.removeprefix("=")
        builtin = _BUILTINS.get(invocation.name)
        if builtin is not None:
            return builtin(self, invocation)
        return self._start_program(invocation)

    def _start_program(self, invocation: Invocation) -> str:
        name = invocation.name
        shell = invocation.shell
        if name in _SHELLS:
            return self._run_shell(invocation)
        content = shell.files.get(locate(shell, invocation.words[0].text)) if "/" in invocation.words[0].text else None
        if content is not None:
            return self._run_file(content, invocation)
        launched = self._launch(invocation)
        if launched is not None:
            return self.start(launched, launched=True)
        if reads_code(name):
            codes = list(invocation.arguments)
            if invocation.stdin is not None:
                codes.append(invocation.stdin.text)
            for text in invocation.arguments:
                codes.append(shell.files.get(locate(shell, text), ""))
            self._run_code(codes, invocation)
        return self._examine(invocation)

    def _run_code(self, codes: Sequence[str], invocation: Invocation) -> None:
        """Follow what code in another language plainly starts."""
        shell = invocation.shell.copy()
        shell.functions = {}
        shell.variables.update(invocation.assigned)
        for code in codes:
            for call in list_calls(code):
                if isinstance(call, str):
                    self.run_text(call, shell.copy())
                else:
                    self.start(Invocation([Field(text) for text in call], shell, {}, None, []))

    def _launch(self, invocation: Invocation) -> Invocation | None:
        """Return what a launcher starts, or None if the program is none."""
        name = invocation.name
        second = invocation.arguments[0] if len(invocation.words) > 1 else ""
        launcher = LAUNCHERS.get(f"{name} {second}")
        skipped = 2
        if launcher is None:
            launcher = LAUNCHERS.get(name)
            skipped = 1
        if launcher is None:
            return None
        fields = invocation.words[skipped:]
        assigned = dict(invocation.assigned)
        texts = [field.text for field in fields]
        at = find_operands(launcher, texts)
        if launcher.assigns:
            _read_environment(texts[:at], assigned)
        script = launcher.find_script(texts)
        at += launcher.operands
        while launcher.assigns and at < len(fields) and "=" in fields[at].text:
            field = fields[at]
            variable, _, value = field.text.partition("=")
            assigned[variable] = Variable([value], True, field.start, field.end)
            at += 1
        words = fields[at:]
        if launcher.joins:
            script = " ".join(field.text for field in words)
        if script:
            words = [Field("sh"), Field("-c"), Field(script)]
        if not words:
            return None
        launched = invocation.replace(words)
        launched.assigned = assigned
        return launched

    def _call_function(self, name: str, invocation: Invocation) -> str:
        shell = invocation.shell
        body = shell.functions[name]
        before = shell.arguments
        shell.arguments = invocation.arguments
        for variable, value in invocation.assigned.items():
            shell.variables[variable] = value
        self._nested += 1
        if self._nested > _NESTED:
            raise TooLong
        printed = self._run_command(body, shell, invocation.stdin)
        self._nested -= 1
        shell.arguments = before
        return printed

    def _run_shell(self, invocation: Invocation) -> str:
        """Follow `sh -c TEXT`, `sh FILE`, or a shell that reads its input."""
        arguments = invocation.arguments
        at = 0
        options = ""
        while at < len(arguments) and arguments[at][:1] in ("-", "+") and arguments[at] != "-":
            option = arguments[at]
            at += 1
            if option == "--":
                break
            if not option.startswith("--"):
                options += option
            if option in ("--rcfile", "--init-file") or (not option.startswith("--") and option.endswith(("o", "O"))):
                at += 1
        operands = arguments[at:]
        shell = self._open_shell(invocation, operands[1:])
        if "c" in options:
            shell.name = "".join(operands[1:2]) or invocation.name
            shell.arguments = operands[2:]
            return self.run_text("".join(operands[:1]), shell, invocation.stdin)
        if "s" in options:
            shell.arguments = operands
        elif operands and operands[0] not in ("-", "/dev/stdin"):
            content = shell.files.get(locate(shell, operands[0]))
            if content is not None:
                return self.run_text(content, shell, invocation.stdin)
            self._examine(invocation)
            return UNKNOWN
        return UNKNOWN if invocation.stdin is None else self.run_text(invocation.stdin.text, shell)

    def _open_shell(self, invocation: Invocation, arguments: list[str]) -> Shell:
        """Return the shell that a program is: it inherits what is exported."""
        shell = invocation.shell.copy()
        shell.variables = dict(invocation.changed_variables())
        shell.aliases = {}
        shell.arguments = arguments
        return shell

    def _run_file(self, content: str, invocation: Invocation) -> str:
        """Follow a file that the line has written, by the interpreter in its first line."""
        first = content.partition("\n")[0]
        interpreter = os.path.basename((first.split() or [""])[-1]) if first.startswith("#!") else "sh"
        if reads_code(interpreter):
            self._run_code([content], invocation)
            return UNKNOWN
        return self.run_text(content, self._open_shell(invocation, invocation.arguments), invocation.stdin)

    # Builtins and programs whose effect is known.

    def _change_directory(self, invocation: Invocation) -> str:
        shell = invocation.shell
        operands = [text for text in invocation.arguments if not text.startswith("-") or text == "-"]
        target = operands[0] if operands else (shell.get("HOME") or [UNKNOWN])[0]
        if invocation.name == "popd":
            target = UNKNOWN
        if UNKNOWN in target or target == "-" or (shell.directory is None and not os.path.isabs(target)):
            shell.directory = None
        else:
            shell.directory = os.path.normpath(os.path.join(shell.directory or "/", target))
        return ""

    def _unset(self, invocation: Invocation) -> str:
        for name in invocation.arguments:
            if not name.startswith("-"):
                invocation.shell.variables[name] = None
                invocation.shell.functions.pop(name, None)
        return ""

    def _set(self, invocation: Invocation) -> str:
        arguments = invocation.arguments
        for number, text in enumerate(arguments):
            if text == "--":
                invocation.shell.arguments = arguments[number + 1 :]
                break
            if text.startswith("-") and ("a" in text or arguments[number + 1 : number + 2] == ["allexport"]):
                invocation.shell.exports_all = True
            if not text.startswith(("-", "+")) and arguments[number - 1] not in ("-o", "+o"):
                invocation.shell.arguments = arguments[number:]
                break
        return ""

    def _eval(self, invocation: Invocation) -> str:
        invocation.shell.variables.update(invocation.assigned)
        return self.run_text(" ".join(invocation.arguments), invocation.shell, invocation.stdin)

    def _source(self, invocation: Invocation) -> str:
        shell = invocation.shell
        content = None
        if len(invocation.words) > 1:
            path = invocation.arguments[0]
            content = shell.files.get(locate(shell, path))
            if path == "/dev/stdin" and invocation.stdin is not None:
                content = invocation.stdin.text
        return UNKNOWN if content is None else self.run_text(content, shell, invocation.stdin)

    def _trap(self, invocation: Invocation) -> str:
        if len(invocation.words) > 2:
            self.run_text(invocation.arguments[0], invocation.shell.copy())
        return ""

    def _alias(self, invocation: Invocation) -> str:
        for text in invocation.arguments:
            name, equals, value = text.partition("=")
            if equals:
                invocation.shell.aliases[name] = value
        return ""

    def _read(self, invocation: Invocation) -> str:
        names = [text for text in invocation.arguments if not text.startswith("-")]
        line = UNKNOWN
        if invocation.stdin is not None:
            line, _, invocation.stdin.text = invocation.stdin.text.partition("\n")
        for number, name in enumerate(names):
            last = number + 1 == len(names)
            words = line.split(None, 0 if last else 1)
            value = UNKNOWN if line == UNKNOWN else (words or [""])[0]
            if line != UNKNOWN:
                line = words[1] if len(words) > 1 else ""
            invocation.shell.set(name, Variable([value], exported=False))
        return ""

    def _shift(self, invocation: Invocation) -> str:
        count = invocation.arguments[0] if len(invocation.words) > 1 else "1"
        if count.isdigit():
            invocation.shell.arguments = invocation.shell.arguments[int(count) :]
        return ""

    def _echo(self, invocation: Invocation) -> str:
        self._examine(invocation)
        arguments = invocation.arguments
        end = "\n"
        escapes = False
        while arguments and arguments[0] in ("-n", "-e", "-E", "-ne", "-en"):
            option = arguments.pop(0)
            end = "" if "n" in option else end
            escapes = escapes or "e" in option
        text = " ".join(arguments)
        return (undo_escapes(text) if escapes else text) + end

    def _printf(self, invocation: Invocation) -> str:
        self._examine(invocation)
        arguments = invocation.arguments
        if arguments[:1] == ["--"]:
            arguments = arguments[1:]
        if arguments[:1] == ["-v"] and len(arguments) > 2:
            value = _format(arguments[2], arguments[3:])
            invocation.shell.set(arguments[1], Variable([value], exported=False))
            return ""
        return _format(arguments[0], arguments[1:]) if arguments else ""

    def _cat(self, invocation: Invocation) -> str:
        self._examine(invocation)
        operands = [text for text in invocation.arguments if not text.startswith("-") or text == "-"]
        printed = ""
        for path in operands or ["-"]:
            if path == "-":
                printed += UNKNOWN if invocation.stdin is None else invocation.stdin.text
            else:
                printed += invocation.shell.files.get(locate(invocation.shell, path), UNKNOWN)
        return printed

    def _tee(self, invocation: Invocation) -> str:
        appends = any(text in ("-a", "--append") for text in invocation.arguments)
        text = UNKNOWN if invocation.stdin is None else invocation.stdin.text
        written = [Written(path, appends, text) for path in invocation.arguments if not path.startswith("-")]
        return self._write(written, text, invocation.shell, moved=False, place=(invocation.start, invocation.end))

    def _list(self, invocation: Invocation) -> str:
        """Print the paths or names that are given; what directories contain is not known."""
        self._examine(invocation)
        fields = [field for field in invocation.words[1:] if not field.text.startswith("-")]
        return "".join(f"{field.pattern or field.text}\n" for field in fields) or UNKNOWN

    def _command(self, invocation: Invocation) -> str:
        if invocation.arguments[:1] in (["-v"], ["-V"]):
            return self._list(invocation)
        return self._start_program(invocation)

    def _do_nothing(self, invocation: Invocation) -> str:
        self._examine(invocation)
        return ""

    def _xargs(self, invocation: Invocation) -> str:
        launcher = LAUNCHERS["xargs"]
        arguments = invocation.arguments
        at = find_operands(launcher, arguments)
        replaced = ""
        for number, text in enumerate(arguments[:at]):
            if text == "-I" and number + 1 < at:
                replaced = arguments[number + 1]
            elif text.startswith("-I"):
                replaced = text[2:]
        words = invocation.words[1 + at :] or [Field("echo")]
        added = [UNKNOWN] if invocation.stdin is None else invocation.stdin.text.split()
        if not replaced:
            return self.start(invocation.replace([*words, *(Field(text) for text in added)]), launched=True)
        for value in added[:_ROUNDS]:
            fields = [Field(field.text.replace(replaced, value)) for field in words]
            self.start(invocation.replace(fields), launched=True)
        return UNKNOWN

    def _find(self, invocation: Invocation) -> str:
        """Follow `-exec`; what is found is the places that are searched, with the pattern of `-name`."""
        self._examine(invocation)
        arguments = invocation.arguments
        roots = []
        for text in arguments:
            if text.startswith(("-", "(", "!")):
                break
            roots.append(text)
        name = "*"
        if "-name" in arguments[:-1]:
            name = arguments[arguments.index("-name") + 1]
        for number, text in enumerate(arguments):
            if text not in ("-exec", "-execdir", "-ok", "-okdir"):
                continue
            command = []
            for word in arguments[number + 1 :]:
                if word in (";", "+"):
                    break
                command.append(word)
            for root in roots[:_ROUNDS] or ["."]:
                pattern = f"{root.rstrip('/')}/{name}"
                words = [Field(word.replace("{}", pattern)) for word in command]
                self.start(invocation.replace(words), launched=True)
        return "".join(f"{root.rstrip('/')}/{UNKNOWN}\n" for root in roots) or UNKNOWN


_BUILTINS: Mapping[str, Callable[[Runner, Invocation], str]] = {
    "cd": Runner._change_directory,
    "pushd": Runner._change_directory,
    "popd": Runner._change_directory,
    "unset": Runner._unset,
    "set": Runner._set,
    "eval": Runner._eval,
    "source": Runner._source,
    ".": Runner._source,
    "trap": Runner._trap,
    "alias": Runner._alias,
    "read": Runner._read,
    "shift": Runner._shift,
    "echo": Runner._echo,
    "printf": Runner._printf,
    "cat": Runner._cat,
    "tee": Runner._tee,
    "which": Runner._list,
    "type": Runner._list,
    "command": Runner._command,
    "xargs": Runner._xargs,
    "find": Runner._find,
    "ls": Runner._list,
    "true": Runner._do_nothing,
    "false": Runner._do_nothing,
    ":": Runner._do_nothing,
    "test": Runner._do_nothing,
    "[": Runner._do_nothing,
}


def _declare(invocation: Invocation) -> str:
    """Export the variables that `export` and its kind name."""
    shell = invocation.shell
    options = "".join(text for text in invocation.arguments if text.startswith("-"))
    if "x" not in options and (invocation.name != "export" or "n" in options):
        return ""
    for text in (*invocation.assigned, *invocation.arguments):
        name, equals, value = text.partition("=")
        if text.startswith("-"):
            continue
        before = shell.variables.get(name)
        start, end = (-1, -1) if before is None else (before.start, before.end)
        shell.variables[name] = Variable([value] if equals else list(shell.get(name) or []), True, start, end)
    return ""


def locate(shell: Shell, path: str) -> str:
    """Return the absolute path of `path`, UNKNOWN in front if the directory is not known."""
    if os.path.isabs(path):
        return os.path.normpath(path)
    return os.path.normpath(os.path.join(shell.directory or UNKNOWN, path))


def _read_environment(options: Sequence[str], assigned: dict[str, Variable | None]) -> None:
    """Remove from the environment what the options of `env` remove."""
    for number, text in enumerate(options):
        if text in ("-i", "-", "--ignore-environment"):
            assigned["HOME"] = None
        elif text in ("-u", "--unset") and number + 1 < len(options):
            assigned[options[number + 1]] = None
        elif text.startswith(("-u", "--unset=")):
            assigned[text.removeprefix("--unset=").removeprefix("-u")] = None


def _format(form: str, arguments: Sequence[str]) -> str:
    """Return what `printf` prints, with its conversions of text."""
    left = list(arguments)
    printed: list[str] = []
    while True:
        before = len(left)
        pieces = form.replace("%%", "\1").split("%")
        printed.append(undo_escapes(pieces[0]))
        for piece in pieces[1:]:
            conversion = piece.lstrip("-+ #0123456789.*")
            value = left.pop(0) if left else ""
            printed.append((undo_escapes(value) if conversion[:1] == "b" else value) + undo_escapes(conversion[1:]))
        if not left or len(left) == before or len(printed) > _STEPS:
            return "".join(printed).replace("\1", "%")
