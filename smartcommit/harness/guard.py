"""Judges a coding agent's shell command: refuses what goes around git's hooks or takes others' lines."""

from __future__ import annotations

import os

from smartcommit.harness.bypasses import Bypass, find_bypass, find_other_bypass, read_config_change
from smartcommit.harness.embedded_code import harms_hooks, reads_code
from smartcommit.harness.git_commands import BUILTIN, GitCommand, read_git, split_alias
from smartcommit.harness.hook_paths import Place, find_harm, find_tracked_harm
from smartcommit.harness.shell_run import Invocation, Runner, TooLong
from smartcommit.harness.shell_values import UNKNOWN, Field, Shell, matches
from smartcommit.harness.shell_words import quote, read_script
from smartcommit.harness.sweeping import Others, Sweep, find_swept, list_safer_words
from smartcommit.processes import spawn
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Aliases = Callable[[], Mapping[str, str]]
    Foreign = Callable[[Sequence[str] | None], Sequence[bytes]]

# Characters of a command that is read; a longer one is only looked at.
_LENGTH = 200_000
# Aliases that lead to one another, and bypasses that are taken out of one command.
_ALIASES = 10
_REPAIRS = 6
_SHOWN = 3
_HOOKS_REMAIN = "smartcommit doctor"
_COMMIT_OWN = "smartcommit session commit"
_LIST_OWN = "smartcommit session status"


class Refusal(Record):
    """Why a command is refused, in one line, and what to run instead."""

    reason: str
    next: str


class _Refused(Exception):
    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


def judge(
    command: str,
    *,
    directory: str,
    environment: Mapping[str, str],
    aliases: Aliases | None = None,
    foreign: Foreign | None = None,
) -> Refusal | None:
    """Return why `command` may not run in `directory`, or None if it may.

    `aliases` returns git's aliases by name; they are read from git's configuration if it is not given. `foreign` gets
    None for the whole working tree, and returns the paths, relative to the top level, that have uncommitted lines of
    others. Each is called once at most, and only if the command depends on it. What cannot be read is not refused.
    """
    place = Place(os.path.normpath(os.path.join("/", directory)))
    lookups = _Lookups(directory, aliases, foreign)
    judging = _Judging(place, environment, lookups)
    refusal = judging.judge(command, directory)
    if refusal is None:
        return None
    # The index takes long to look at, and the command that is proposed is judged again when it is run.
    lookups.looks_at_index = False
    following = refusal.next
    for _ in range(_REPAIRS):
        repaired = judging.judge(following, directory)
        if repaired is None:
            return Refusal(refusal.reason, following)
        following = repaired.next
    return Refusal(refusal.reason, _HOOKS_REMAIN)


class _Lookups(Others):
    """What is asked once, whoever asks."""

    def __init__(self, directory: str, aliases: Aliases | None, foreign: Foreign | None) -> None:
        self._directory = directory
        self._aliases = aliases
        self._foreign = foreign
        self._found_aliases: Mapping[str, str] | None = None
        self._found_foreign: list[str] | None = None

    def get_aliases(self) -> Mapping[str, str]:
        if self._found_aliases is None:
            self._found_aliases = _read_aliases(self._directory) if self._aliases is None else self._aliases()
        return self._found_aliases

    def list_foreign(self) -> list[str]:
        if self._found_foreign is None:
            found = [] if self._foreign is None else self._foreign(None)
            self._found_foreign = [os.fsdecode(path) for path in found]
        return self._found_foreign

    def list_staged(self) -> list[str]:
        try:
            _, printed = spawn.run_and_read(["git", "-C", self._directory, "diff", "--cached", "--name-only", "-z"])
        except OSError:
            return []
        return [os.fsdecode(path) for path in printed.split(b"\0") if path]


def _read_aliases(directory: str) -> Mapping[str, str]:
    """Return the aliases in git's configuration; none if git cannot be run."""
    try:
        _, printed = spawn.run_and_read(["git", "-C", directory, "config", "-z", "--get-regexp", "^alias\\."])
    except OSError:
        return {}
    found = {}
    for entry in printed.decode(errors="surrogateescape").split("\0"):
        name, _, value = entry.partition("\n")
        found[name.removeprefix("alias.").lower()] = value
    return found


class _Judging:
    """The judgement of one command, and of those that are proposed in its place."""

    def __init__(self, place: Place, environment: Mapping[str, str], lookups: _Lookups) -> None:
        self._place = place
        self._environment = environment
        self._lookups = lookups
        self._text = ""
        self._runner = Runner(self._examine)
        self._aliases = 0
        self._made_commit = False

    def judge(self, command: str, directory: str) -> Refusal | None:
        self._text = command
        self._aliases = 0
        self._made_commit = False
        if len(command) > _LENGTH:
            return _look_at(command)
        self._runner = Runner(self._examine)
        shell = Shell(self._environment, os.path.normpath(os.path.join("/", directory)))
        try:
            script = read_script(command)
            self._runner.run(script, shell)
        except _Refused as refused:
            return refused.refusal
        except (TooLong, RecursionError):
            return _look_at(command)
        return None if script.complete else _look_at(command)

    def _examine(self, invocation: Invocation) -> str:
        """Refuse a program, or return what it prints."""
        harm = find_harm(invocation, self._place)
        if harm:
            self._refuse_whole(harm, invocation)
        if not invocation.words:
            return ""
        name = invocation.name
        if name.startswith("git-") and name[4:] in BUILTIN:
            return self._examine_git(invocation.replace([Field("git"), Field(name[4:]), *invocation.words[1:]]))
        if name in ("git", "hub", "git.exe") or _may_be_git(invocation.words[0]):
            return self._examine_git(invocation)
        reason = find_other_bypass(invocation)
        if not reason and reads_code(name):
            stdin = "" if invocation.stdin is None else invocation.stdin.text
            if any(harms_hooks(code) for code in (*invocation.arguments, stdin)):
                reason = f"the code that '{name}' runs changes the repository's hooks"
        if reason:
            self._refuse_whole(reason, invocation)
        return UNKNOWN

    # git.

    def _examine_git(self, invocation: Invocation) -> str:
        command = read_git(invocation.words)
        if command is None:
            return UNKNOWN
        harm = find_tracked_harm(command, invocation, self._place)
        if harm:
            self._refuse_whole(harm, invocation)
        bypass = find_bypass(command, invocation, self._place, made_commit=self._made_commit)
        if bypass is not None:
            raise _Refused(Refusal(bypass.reason, self._repair(bypass, invocation)))
        if command.name not in BUILTIN:
            self._follow_alias(command, invocation)
            return UNKNOWN
        self._made_commit = self._made_commit or command.name == "commit-tree"
        if command.name == "config":
            change = read_config_change(command)
            if change is not None and change[1] is not None and change[0].lower().startswith("alias."):
                invocation.shell.git_aliases[change[0][6:].lower()] = change[1]
        found = find_swept(command, invocation, self._place, self._lookups)
        if found is not None:
            self._refuse_sweep(command, *found, invocation)
        self._follow_texts(command, invocation)
        return self._answer(command) if command.name == "rev-parse" else UNKNOWN

    def _answer(self, command: GitCommand) -> str:
        """Return what `git rev-parse` says of paths."""
        path = command.find("git-path")
        if path is not None:
            return ".git/" + "".join(field.text for field in command.operands)
        if command.has("show-toplevel"):
            return self._place.top
        if command.has("git-dir") or command.has("git-common-dir"):
            return ".git"
        return f"{self._place.top}/.git" if command.has("absolute-git-dir") else UNKNOWN

    def _follow_alias(self, command: GitCommand, invocation: Invocation) -> None:
        self._aliases += 1
        name = command.name.lower()
        value = None
        for setting in command.settings:
            if setting.name.lower() == f"alias.{name}":
                value = setting.value
        value = value or invocation.shell.git_aliases.get(name)
        if value is None and UNKNOWN not in name:
            value = self._lookups.get_aliases().get(name)
        if value is None or self._aliases > _ALIASES:
            return
        rest = command.words[command.first + 1 :]
        if value.startswith("!"):
            arguments = " ".join(quote(field.text) for field in rest)
            self._follow(f"{value[1:]} {arguments}", invocation)
        else:
            words = [Field(text) for text in split_alias(value)]
            self._examine_git(invocation.replace([*command.words[: command.first], *words, *rest]))

    def _follow_texts(self, command: GitCommand, invocation: Invocation) -> None:
        """Follow the shell's texts that a command of git runs."""
        operands = [field.text for field in command.operands]
        if command.name == "rebase":
            for option in command.options:
                if option.name == "exec":
                    self._follow(option.value, invocation)
        elif command.name == "bisect" and operands[:1] == ["run"]:
            self._runner.start(invocation.replace(command.words[command.first + 2 :]))
        elif command.name == "submodule" and operands[:1] == ["foreach"]:
            self._follow(" ".join(text for text in operands[1:]), invocation)
        for setting in command.settings:
            if setting.name.lower() in ("core.editor", "sequence.editor"):
                self._follow(setting.value, invocation)
        for name in ("GIT_EDITOR", "GIT_SEQUENCE_EDITOR"):
            variable = invocation.changed_variables().get(name)
            if variable is not None:
                self._follow("".join(variable.items[:1]), invocation)

    def _follow(self, text: str, invocation: Invocation) -> None:
        shell = invocation.shell.copy()
        shell.variables.update(invocation.assigned)
        self._runner.run_text(text, shell, invocation.stdin)

    # What to run instead.

    def _refuse_whole(self, reason: str, invocation: Invocation) -> None:
        raise _Refused(Refusal(reason, self._repair(Bypass(reason, {}), invocation)))

    def _repair(self, bypass: Bypass, invocation: Invocation) -> str:
        """Return the command without a bypass: the same text with its words cut out, or else the program alone."""
        variables = invocation.changed_variables()
        cuts: list[tuple[int, int, str]] = []
        for number, text in bypass.words.items():
            field = invocation.words[number]
            cuts.append((field.start, field.end, text))
        for name in bypass.variables:
            variable = variables.get(name)
            if variable is not None:
                cuts.append((variable.start, variable.end, ""))
        if not cuts and not bypass.variables:
            cuts = [(invocation.start, invocation.end, "")]
            if "<<" in self._text[max(invocation.start, 0) : invocation.end]:
                # What follows may be the body of its here-document.
                return _HOOKS_REMAIN
        if cuts and all(0 <= start < end for start, end, _ in cuts):
            return _cut(self._text, cuts) or _HOOKS_REMAIN
        if not bypass.words and not bypass.variables:
            return _HOOKS_REMAIN
        return self._rebuild(bypass, invocation)

    def _rebuild(self, bypass: Bypass, invocation: Invocation) -> str:
        words = []
        for name, variable in invocation.assigned.items():
            if variable is not None and name not in bypass.variables:
                words.append(f"{name}={quote(''.join(variable.items[:1]))}")
        for number, field in enumerate(invocation.words):
            text = bypass.words.get(number, field.text)
            if text or number not in bypass.words:
                words.append(quote(text))
        if any(UNKNOWN in word for word in words):
            return _HOOKS_REMAIN
        return " ".join(words)

    def _refuse_sweep(self, command: GitCommand, sweep: Sweep, foreign: Sequence[str], invocation: Invocation) -> None:
        shown = ", ".join(_show(path) for path in foreign[:_SHOWN])
        if len(foreign) > _SHOWN:
            shown += f" and {len(foreign) - _SHOWN} more"
        verb = "lose" if sweep.loses else "take"
        reason = f"'git {command.name}' would {verb} lines of others: {shown}"
        safer = list_safer_words(command, sweep, foreign)
        following = _LIST_OWN if sweep.loses else _propose_own(command)
        if safer is not None:
            following = " ".join(quote(word) for word in safer)
            if 0 <= invocation.start < invocation.end:
                following = self._text[: invocation.start] + following + self._text[invocation.end :]
        raise _Refused(Refusal(reason, following))


def _propose_own(command: GitCommand) -> str:
    """Return the command that commits the session's lines, with the message of `git commit` if there is one."""
    message = command.find("message")
    if command.name != "commit" or message is None or UNKNOWN in message.value:
        return _COMMIT_OWN
    return f"{_COMMIT_OWN} -m {quote(message.value)}"


def _may_be_git(field: Field) -> bool:
    """Whether the name of a program is a pattern that finds git in a directory, such as `/usr/bin/g?t`."""
    from_directory = "/" in field.pattern and os.path.basename(field.pattern) != "*"
    return from_directory and field.known and matches("git", os.path.basename(field.pattern))


def _cut(text: str, cuts: Sequence[tuple[int, int, str]]) -> str:
    """Return `text` with pieces replaced; what separates an empty piece from the next goes with it."""
    for start, end, replacement in sorted(set(cuts), reverse=True):
        piece = (start, end) if replacement else _widen(text, start, end)
        text = text[: piece[0]] + replacement + text[piece[1] :]
    return text.strip()


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the piece with the blanks before it; with its separator if it is a whole command."""
    before = text[:start].rstrip(" \t")
    for keyword in ("export", "declare -x"):
        if before.endswith(keyword) and text[end:].lstrip(" \t")[:1] in ("", ";", "&", "\n"):
            before = before.removesuffix(keyword).rstrip(" \t")
    after = text[end:].lstrip(" \t")
    alone = before[-1:] in ("", ";", "&", "|", "\n", "(", "{") or before.endswith((" then", " do", " else"))
    if alone and after[:1] in ("", ";", "&", "|", "\n"):
        for separator in ("&&", "||", ";", "\n", "&", "|"):
            if after.startswith(separator):
                after = after[len(separator) :].lstrip(" \t")
                return len(before), len(text) - len(after)
        for separator in ("&&", "||", ";", "|"):
            before = before.removesuffix(separator).rstrip(" \t")
        return len(before), end
    if alone:
        return start, len(text) - len(after)
    return len(before), end


def _show(path: str) -> str:
    return path if path.isprintable() else repr(path)[1:-1]


def _look_at(command: str) -> Refusal | None:
    """Judge a text that cannot be read as a script: only what plainly stands in one of its commands is refused."""
    for separator in (";", "&", "|", "(", ")"):
        command = command.replace(separator, "\n")
    for line in command.split("\n"):
        words = line.split()
        while words and "=" in words[0] and not words[0].startswith("-"):
            del words[0]
        if not words or os.path.basename(words[0]) != "git":
            continue
        git = read_git([Field(word) for word in words])
        if git is None:
            continue
        shell = Shell({}, None)
        invocation = Invocation(git.words, shell, {}, None, [])
        bypass = find_bypass(git, invocation, Place("/"), made_commit=False)
        if bypass is not None:
            return Refusal(bypass.reason, _HOOKS_REMAIN)
    return None
