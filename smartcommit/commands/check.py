"""`smartcommit check`: check a file, a text, a title, a range of commits or jj changes; `--fix` corrects a file."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import click

from smartcommit.change.wording import format_count
from smartcommit.claims.compare import find_violations
from smartcommit.claims.ranges import read_staged_change, read_whole_change
from smartcommit.config import load, make_rules
from smartcommit.errors import SmartcommitError, explain_os_error
from smartcommit.git.own_headers import find_named, find_origin, read_named
from smartcommit.git.query import locate
from smartcommit.message.characters import printable
from smartcommit.message.cleanup import Cleaning, clean, find_cleaning, strip_space
from smartcommit.message.report import find_style, format_text, to_object
from smartcommit.range_check import NAME_LENGTH, check_range, judge_recorded
from smartcommit.state_files import replace_file
from smartcommit.terminal import format_error
from smartcommit.verdict import CheckResult, Compare, check_file, check_text, find_writer, fix_message

Results = Iterable[tuple[str, CheckResult]]
# What is counted for a source with any number of messages.
_COUNTED = {"revisions": "commit", "revset": "change"}
# The version of the JSON output; it increases when a field is removed or changes its meaning.
VERSION = 1
Verdicts = Sequence[tuple[str, CheckResult]]


def format_json(verdicts: Verdicts) -> str:
    messages = []
    for name, verdict in verdicts:
        decision = "refused" if verdict.refused else "good"
        if verdict.exempt:
            decision = "exempt"
        violations = [to_object(violation) for violation in verdict.violations]
        messages.append({"name": name, "verdict": decision, "exempt": verdict.exempt, "violations": violations})
    return json.dumps({"version": VERSION, "messages": messages}, indent=2)


def format_github(verdicts: Verdicts) -> str:
    """Return a workflow command for each message with violations: GitHub shows only ten per step."""
    lines = []
    for name, verdict in verdicts:
        if not verdict.violations:
            continue
        command = "error" if verdict.refused else "warning"
        codes = ", ".join(dict.fromkeys(violation.code for violation in verdict.violations))
        title = _escape_data(printable(f"{name}: {codes}")).replace(":", "%3A").replace(",", "%2C")
        report = _escape_data(format_text(name, verdict.lines, verdict.violations).rstrip("\n"))
        lines.append(f"::{command} title={title}::{report}")
    return "\n".join(lines)


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


FORMATS: Mapping[str, Callable[[Verdicts], str]] = {"json": format_json, "github": format_github}


@click.command()
@click.argument("file", required=False)
@click.option("--message", "-m", metavar="TEXT", help="Check TEXT as `git commit -m` would record it.")
@click.option("--stdin", is_flag=True, help="Check a message read from standard input.")
@click.option("--title", metavar="TEXT", help="Check TEXT as the first line alone, such as a pull request's title.")
@click.option("--range", "revisions", metavar="A..B", help="Check every commit in a range.")
@click.option("--jj", "revset", metavar="REVSET", help="Check every change in a jj revset.")
@click.option(
    "--claims", is_flag=True, help="Compare a message with the change of --range as a whole, or what is staged."
)
@click.option("--fix", is_flag=True, help="Fix mechanical problems in FILE.")
@click.option("--format", "form", type=click.Choice(["text", *FORMATS]), default="text", show_default=True)
def command(*, claims: bool, fix: bool, form: str, **sources: str | bool | None) -> int:
    """Check commit messages against the project's rules.

    FILE is read as git reads it: comments and what is below the scissors line are ignored. Commits of a range are also
    compared with what they change, and counted on standard error. Another message is compared with --claims, where
    --range names the change and not what is checked.
    Exit status: 0 valid, 1 rejected, 2 usage error or unreadable input.
    """
    given = {name: value for name, value in sources.items() if value not in (None, False)}
    compared = str(given.pop("revisions", "")) if claims else None
    if claims and not given.keys() & {"file", "message", "title", "stdin"}:
        raise click.UsageError("--claims requires a message: FILE, --message, --title or --stdin")
    if len(given) != 1:
        raise click.UsageError("specify exactly one of FILE, --message, --title, --stdin, --range or --jj")
    if fix and "file" not in given:
        raise click.UsageError("--fix requires FILE")
    ((source, value),) = given.items()
    try:
        checker = _Checker(compared)
        return _print(checker.check(source, str(value), fix=fix), form, counted=_COUNTED.get(source))
    except SmartcommitError as error:
        click.echo(format_error(error), err=True)
        return 2


class _Checker:
    def __init__(self, compared: str | None = None) -> None:
        """Compare the messages with the change of the range `compared`; empty is what is staged, and None nothing."""
        place = locate()
        self._settings = load(os.getcwd() if place is None else place.worktree)
        self._rules = make_rules(self._settings, finished=True)
        self._compare: Compare | None = None
        if compared is not None and not self._rules.is_off("claims"):
            change = read_whole_change(compared) if compared else read_staged_change()
            self._compare = partial(find_violations, change=change)

    def check(self, source: str, value: str, *, fix: bool) -> Results:
        if source == "file":
            return [(value, self._check_file(value, fix=fix))]
        if source in ("message", "stdin"):
            text = sys.stdin.buffer.read() if source == "stdin" else value.encode("utf-8", "surrogateescape")
            return [(source, check_text(text, self._rules, self._compare))]
        if source == "title":
            if "\n" in value:
                raise click.UsageError("--title takes one line; use --message or --stdin for a whole message")
            rules = make_rules(self._settings)
            # Other parts of the message, such as a ticket and a sign-off, are not known.
            rules.required, rules.ticket = (), None
            title = value.strip().encode("utf-8", "surrogateescape")
            return [("title", judge_recorded(title, rules, self._compare))]
        if source == "revisions":
            return check_range([value], make_rules(self._settings, before=[value], finished=True))
        return self._check_changes(value)

    def _check_file(self, name: str, *, fix: bool) -> CheckResult:
        try:
            with open(name, "rb") as file:
                data = file.read()
        except OSError as error:
            hint = f"for a range of commits, use '--range {name}'" if ".." in name else None
            raise SmartcommitError(f"cannot read '{name}': {explain_os_error(error)}", hint=hint) from None
        cleaning = find_cleaning(data, self._settings.git, editor=os.environ.get("GIT_EDITOR") != ":")
        state = self._find_writer(name, data, cleaning)

        def check(text: bytes) -> CheckResult:
            return check_file(text, cleaning, self._rules, state=state, compare=self._compare)

        if not fix:
            return check(data)
        fixed, verdict = fix_message(data, check, cleaning.encoding)
        try:
            if fixed != data:
                replace_file(name, fixed)
        except OSError as error:
            raise SmartcommitError(f"cannot write '{name}': {explain_os_error(error)}") from None
        return verdict

    def _find_writer(self, name: str, data: bytes, cleaning: Cleaning) -> str | None:
        """Return what git writes `data` for if `name` is the message file in a git directory."""
        git_dir = os.path.dirname(os.path.abspath(name))
        names = ("COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG")
        if os.path.basename(name) not in names or not os.path.exists(f"{git_dir}/HEAD"):
            return None
        message = clean(data, cleaning).text
        named = find_named(message)
        writer = find_writer(git_dir, data, cleaning)
        # `git revert` leaves the file as it is when it is done.
        return writer or find_origin(message, 1, read_named([named.commit] if named is not None else []))

    def _check_changes(self, revset: str) -> Iterator[tuple[str, CheckResult]]:
        """Yield the verdicts on the changes of `revset`, without those that are empty and have no description."""
        # Few repositories use jj.
        from smartcommit.jj.run import NO_SNAPSHOT, find_root, read_changes

        for change in read_changes(find_root("."), revset, NO_SNAPSHOT):
            if change.description or not change.empty:
                message = strip_space(change.description.encode(), b"").text
                yield change.change_id[:NAME_LENGTH], judge_recorded(message, self._rules)


def _print(results: Results, form: str, *, counted: str | None) -> int:
    """Print `results`, and how many there are if they are `counted`, and return the exit status."""
    verdicts = []
    checked = exempt = rejected = 0
    style = find_style(sys.stdout)
    for name, verdict in results:
        checked += 1
        if verdict.exempt is not None:
            exempt += 1
        if verdict.refused:
            rejected += 1
        if form != "text":
            verdicts.append((name, verdict))
        elif verdict.violations:
            click.echo(format_text(name, verdict.lines, verdict.violations, style), nl=False)
    if form != "text":
        document = FORMATS[form](verdicts)
        click.echo(document, nl=bool(document))
    if counted:
        # Standard output is a document, or stays empty as for a file that is good.
        count = format_count(checked, counted)
        click.echo(f"smartcommit: {count} checked, {exempt} exempt, {rejected} rejected", err=True)
    return int(rejected > 0)
