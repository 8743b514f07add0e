"""`smartcommit check`: check a file, a text, a range of commits or jj changes; `--fix` corrects a file."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator

import click

from smartcommit.check import Verdict, autosquash_target, by_state, judge, judge_file
from smartcommit.config import load, rules_of
from smartcommit.errors import JjError, SmartcommitError
from smartcommit.git.grep import matches
from smartcommit.git.objects import Recorded, messages, subjects
from smartcommit.git.query import locate
from smartcommit.jj.run import run_jj
from smartcommit.message.cleanup import WHITESPACE, Cleaning, find_cleaning, strip_space
from smartcommit.message.report import Style, as_objects, format_text, place
from smartcommit.message.rules import Rules, Violation
from smartcommit.state_files import replace_file
from smartcommit.terminal import error_text

# The version of the JSON form; it grows when a field changes its meaning or goes.
VERSION = 1
Results = Iterable[tuple[str, Verdict]]
# Each pass mends one thing a line; a message that needs more passes than this is not mended further.
_PASSES = 20
_CLEANING = Cleaning(WHITESPACE, editor=False)
_NAME = 12


@click.command()
@click.argument("file", required=False)
@click.option("--message", "-m", metavar="TEXT", help="Judge TEXT as `git commit -m` would record it.")
@click.option("--stdin", is_flag=True, help="Judge standard input in the same way.")
@click.option("--range", "revisions", metavar="A..B", help="Judge every commit of a range.")
@click.option("--jj", "revset", metavar="REVSET", help="Judge every change of a jj revset.")
@click.option("--fix", is_flag=True, help="Mend FILE where that is mechanical.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(*, fix: bool, form: str, **sources: str | bool | None) -> int:
    """Judge commit messages by the project's rules.

    FILE is judged as the message file of a commit: comments and what git cuts off do not count. Exit status: 0 good,
    1 refused, 2 wrong usage or unreadable.
    """
    given = {name: value for name, value in sources.items() if value not in (None, False)}
    if len(given) != 1:
        raise click.UsageError("name one of FILE, --message, --stdin, --range and --jj")
    if fix and "file" not in given:
        raise click.UsageError("--fix needs FILE")
    ((source, value),) = given.items()
    try:
        return _show(_Check().run(source, str(value), fix=fix), form)
    except SmartcommitError as error:
        click.echo(error_text(error), err=True)
        return 2


class _Check:
    """The settings of the place the command runs in, read once."""

    def __init__(self) -> None:
        place = locate()
        self._git_dir = place[0] if place else None
        self._settings = load(place[1] if place else os.getcwd())
        self._rules = rules_of(self._settings)

    def run(self, source: str, value: str, *, fix: bool) -> Results:
        """The verdicts on `source`, the name of a parameter, each with the name of what was judged."""
        if source == "file":
            return [(value, self._file(value, fix=fix))]
        if source == "message":
            return [("message", self._text(value.encode("utf-8", "surrogateescape")))]
        if source == "stdin":
            return [("stdin", self._text(sys.stdin.buffer.read()))]
        if source == "revisions":
            return judge_range(value, self._rules)
        return self._changes(value)

    def _file(self, name: str, *, fix: bool) -> Verdict:
        try:
            with open(name, "rb") as file:
                data = file.read()
        except OSError as error:
            raise SmartcommitError(f"cannot read '{name}': {(error.strerror or 'error').lower()}") from None
        cleaning = find_cleaning(data, self._settings.git, editor=os.environ.get("GIT_EDITOR") != ":")
        state = by_state(self._git_dir) if self._is_message_file(name) and self._git_dir else None

        def judged(text: bytes) -> Verdict:
            return judge_file(text, cleaning, self._rules, state=state, search=matches)

        if not fix:
            return judged(data)
        mended, verdict = fix_message(data, judged, cleaning.encoding)
        try:
            if mended != data:
                replace_file(name, mended)
        except OSError as error:
            raise SmartcommitError(f"cannot write '{name}': {(error.strerror or 'error').lower()}") from None
        return verdict

    def _is_message_file(self, name: str) -> bool:
        """Whether git's state speaks of this file: only the message file in the git directory."""
        if self._git_dir is None or os.path.basename(name) not in ("COMMIT_EDITMSG", "MERGE_MSG"):
            return False
        return os.path.realpath(os.path.dirname(os.path.abspath(name))) == os.path.realpath(self._git_dir)

    def _text(self, data: bytes) -> Verdict:
        cleaned = strip_space(data, b"")
        cleaning = Cleaning(WHITESPACE, editor=False)
        return judge(cleaned.text, cleaned.lines, cleaning, rules=self._rules, search=matches)

    def _changes(self, revset: str) -> Iterator[tuple[str, Verdict]]:
        """Changes that are empty and undescribed are nothing yet, so they are left out."""
        # Methods, for a user's template aliases can stand for keywords.
        fields = ("change_id().short()", "empty()", "description()")
        template = '"[" ++ ' + ' ++ "," ++ '.join(f"json(self.{field})" for field in fields) + ' ++ "]\\n"'
        log = run_jj(("log", "--ignore-working-copy", "--no-graph", "-r", revset, "-T", template))
        try:
            changes = [json.loads(line) for line in log.splitlines()]
        except ValueError:
            raise JjError("jj printed something else than the changes", hint="look for template aliases") from None
        for change, empty, description in changes:
            if description or not empty:
                yield change, judge_recorded(strip_space(description.encode(), b"").text, self._rules)


def _show(results: Results, form: str) -> int:
    status = 0
    objects = []
    style = Style(colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
    for name, verdict in results:
        if verdict.refused:
            status = 1
        if form == "json":
            objects.append(_as_object(name, verdict))
        elif verdict.placed:
            click.echo(format_text(name, verdict.lines, verdict.placed, style), nl=False)
    if form == "json":
        click.echo(json.dumps({"version": VERSION, "messages": objects}, indent=2))
    return status


def _as_object(name: str, verdict: Verdict) -> dict[str, object]:
    decision = "exempt" if verdict.exempt else "refused" if verdict.refused else "good"
    return {
        "name": name,
        "verdict": decision,
        "exempt": verdict.exempt,
        "violations": as_objects(verdict.placed),
    }


def fix_message(data: bytes, judge: Callable[[bytes], Verdict], encoding: str | None) -> tuple[bytes, Verdict]:
    """The bytes of a message file with every sure correction made, and the verdict on them.

    Lines that are not corrected keep every byte, and corrected ones their line end.
    """
    verdict = judge(data)
    for _ in range(_PASSES):
        mended = _apply(data, verdict, encoding or "utf-8")
        if mended == data:
            break
        data, verdict = mended, judge(mended)
    return data, verdict


def _apply(data: bytes, verdict: Verdict, encoding: str) -> bytes:
    lines = data.split(b"\n")
    done: set[int] = set()
    # From the end, so that an inserted line moves nothing that is still to be mended.
    for one in sorted(verdict.placed, key=lambda placed: placed.line, reverse=True):
        replacement = one.violation.replacement
        if replacement is None or not one.violation.sure or one.line in done or one.line > len(lines):
            continue
        done.add(one.line)
        ending = b"\r" if lines[one.line - 1].endswith(b"\r") else b""
        lines[one.line - 1 : one.line] = [text.encode(encoding, "surrogateescape") + ending for text in replacement]
    return b"\n".join(lines)


def judge_range(revisions: str, rules: Rules) -> Iterator[tuple[str, Verdict]]:
    """The verdict on every message of `revisions`, each with the short name of its commit.

    A merge is git's own where the commit has two parents, a revert where the commit it names exists and has the subject
    it quotes. What was meant for autosquash is refused.

    Raises: GitError when git does not know the revisions.
    """
    reverts: list[tuple[Recorded, str, str]] = []
    for recorded in messages(revisions):
        reverted = _reverted(recorded.message) if recorded.message.startswith((b"Revert ", b"Reapply ")) else None
        if recorded.parents > 1:
            yield recorded.commit[:_NAME], Verdict(recorded.message, [], exempt="a merge")
        elif reverted is not None:
            reverts.append((recorded, *reverted))
        else:
            yield recorded.commit[:_NAME], _judge(recorded.message, rules)
    known = subjects(commit for _, commit, _ in reverts)
    for recorded, commit, subject in reverts:
        if known.get(commit) == subject:
            yield recorded.commit[:_NAME], Verdict(recorded.message, [], exempt="a revert")
        else:
            yield recorded.commit[:_NAME], _judge(recorded.message, rules)


def judge_recorded(message: bytes, rules: Rules) -> Verdict:
    """The verdict on a message that is recorded as it stands, in UTF-8."""
    return _judge(message, rules)


def _judge(message: bytes, rules: Rules) -> Verdict:
    subject = message.partition(b"\n")[0].decode("utf-8", "surrogateescape")
    if autosquash_target(subject) is not None:
        violation = Violation(
            "autosquash", 0, 0, "an autosquash was left over", expected="'git rebase -i --autosquash'"
        )
        return Verdict(message, [subject], place([violation], rules, [1]))
    return judge(message, range(1, message.count(b"\n") + 2), _CLEANING, rules=rules, search=matches)


def _reverted(message: bytes) -> tuple[str, str] | None:
    """The commit that git's own text of a revert names and the subject it quotes."""
    text = message.decode("utf-8", "surrogateescape")
    subject, _, body = text.partition("\n")
    quoted = subject.partition(' "')[2].removesuffix('"')
    if subject.startswith("Reapply "):
        quoted = f'Revert "{quoted}"'
    marker = "This reverts commit "
    position = body.find(marker)
    commit = body[position + len(marker) :].split(".", 1)[0].split(",", 1)[0].strip() if position >= 0 else ""
    if len(commit) not in (40, 64) or commit.strip("0123456789abcdef"):
        return None
    return commit, quoted
