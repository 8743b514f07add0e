"""The `commit-msg` hook: rejects messages that break the project's rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from smartcommit import receipts, state_files
from smartcommit.claims.staged import StagedChange
from smartcommit.coding_agent import is_agent_at_work
from smartcommit.config import Settings, load, make_rules
from smartcommit.errors import SmartcommitError, describe_error
from smartcommit.git.grep import matches
from smartcommit.git.query import Place, locate
from smartcommit.message import cleanup
from smartcommit.message.characters import printable
from smartcommit.message.choices import is_left_open, take_choice
from smartcommit.message.cleanup import Cleaning
from smartcommit.message.parse import Parsed, add_trailers
from smartcommit.message.report import PLAIN, find_style, format_text
from smartcommit.message.rules import ERROR, Rules, Violation, fill_message
from smartcommit.message.trailers import Trailer
from smartcommit.terminal import format_error
from smartcommit.verdict import CheckResult, check_file, find_writer, fix_message, suggest_header
from smartcommit_hooks import opens_editor, run_hook

# Lines of a report for a coding agent; the next command follows.
_AGENT_LINES = 12


def main(argv: Sequence[str] | None = None) -> int:
    """Check the message file named first, or git's own if there is none: return 0 good, 1 rejected, 2 unreadable."""
    if argv is None:
        run_hook(main)
    try:
        return _check(next(iter(argv), None))
    except SmartcommitError as error:
        print(format_error(error), file=sys.stderr)
    except OSError as error:
        print(format_error(SmartcommitError(describe_error(error))), file=sys.stderr)
    return 2


def _check(name: str | None) -> int:
    place = locate(with_head=True)
    if place is None:
        raise SmartcommitError("not inside a git working tree", hint="run 'git status' to see why")
    git_dir = place.git_dir
    path = name or find_message_file(git_dir)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise SmartcommitError(f"cannot read {describe_error(error)}") from None
    settings = load(place.worktree, in_head=place.has_policy)
    cleaning = cleanup.find_cleaning(data, settings.git, editor=opens_editor(os.environ))
    if cleaning.mode == cleanup.STRIP and data.partition(b"\n")[0].rstrip().endswith(b":"):
        data = _take_choice(path, data, cleaning)
    state = find_writer(git_dir, data, cleaning)
    for_agent = is_agent_at_work(settings.text("coding-agent"))
    rules = make_rules(settings, finished=True)
    change = StagedChange(place, rules, thorough=for_agent)

    def compare(parsed: Parsed) -> Sequence[Violation]:
        try:
            return change.compare(parsed)
        except Exception:  # a bug in what only warns must not stop a commit
            state_files.save_traceback(git_dir)
            return []

    def check(text: bytes) -> CheckResult:
        return check_file(text, cleaning, rules, state=state, compare=compare)

    verdict = check(data)
    ticket = _find_missing_ticket(verdict, cleaning, settings, rules=rules, place=place)
    if ticket is not None:
        others = [violation for violation in verdict.violations if violation.code != "ticket"]
        if any(violation.level == ERROR for violation in others):
            # It is added once the rest is mended.
            verdict.violations = others
        else:
            data = _add_ticket(path, data, cleaning, ticket, form=rules.header_form)
            verdict = check(data)
    if not verdict.refused:
        _print_report(path, verdict, for_agent=for_agent)
        # Few commits follow one that was rejected.
        if state_files.load(git_dir, state_files.REFUSED) is not None:
            from smartcommit import refused

            refused.drop_if_retried(git_dir)
        receipts.leave(place, verdict.text, by_agent=for_agent)
        return 0
    if cleaning.editor:
        abort = _explain_abort(data, cleaning, verdict.text, place=place, settings=settings)
        if abort is not None:
            print(abort, file=sys.stderr)
            return 1
    _complete_header(settings, verdict)
    _print_report(path, verdict, for_agent=for_agent)
    _save_rejected(git_dir, verdict, check, cleaning.encoding, for_agent=for_agent)
    return 1


def _take_choice(path: str, data: bytes, cleaning: Cleaning) -> bytes:
    """Return the content with the header that the user chose in its first line; git reads the file at `path` again."""
    taken = take_choice(data, cleaning.comment)
    if taken is None:
        return data
    data, opened = taken
    state_files.replace_file(path, data)
    print(f"smartcommit: the header you chose replaces the empty '{opened} '", file=sys.stderr)
    return data


def _find_missing_ticket(
    verdict: CheckResult, cleaning: Cleaning, settings: Settings, *, rules: Rules, place: Place
) -> Trailer | None:
    """Return the ticket of the branch if a message lacks it and the user wants it added.

    A draft has it already, but nothing is drafted for a message that is given with -m or -F.
    """
    if not settings.flag("add-ticket") or not rules.ticket or cleaning.mode == cleanup.VERBATIM:
        return None
    # git gives the message of an `amend!` to the commit that it is for.
    if verdict.exempt is not None or verdict.text.startswith(b"amend! "):
        return None
    if matches(rules.ticket, "\n".join(verdict.lines)):
        return None
    # git looks only later whether the user has edited it.
    if cleaning.editor and _is_template(verdict.text, settings, cleaning):
        return None
    from smartcommit.draft.tickets import find_ticket
    from smartcommit.git.repo import Repository

    ticket = find_ticket(Repository.at(place).branch_at_work(), rules.ticket, rules.header_form)
    return ticket if ticket.value else None


def _add_ticket(path: str, data: bytes, cleaning: Cleaning, ticket: Trailer, *, form: str) -> bytes:
    """Return the content with `ticket` in its message; git reads the file at `path` again.

    Every other line stays as it is: git may keep more of them than is known here, where `--cleanup` is not.
    """
    cleaned = cleanup.clean(data, cleaning)
    text = cleanup.decode(cleaned.text, cleaning.encoding)
    numbers = [*cleaned.lines, cleaned.lines[-1] + 1]
    start, end = 0, 1
    if "{ticket}" in form:
        added = fill_message(text, form, ticket.value).split("\n")[:1]
    else:
        before, after = text.split("\n"), add_trailers(text, [ticket]).split("\n")
        while start < len(before) - 1 and before[start] == after[start]:
            start += 1
        added, end = after[start:-1], len(before) - 1
    lines = data.split(b"\n")
    try:
        new = [line.encode(cleaning.encoding or "utf-8") for line in added]
    except UnicodeEncodeError:  # the emoji of a type
        return data
    lines[numbers[start] - 1 : numbers[end] - 1] = new
    data = b"\n".join(lines)
    state_files.replace_file(path, data)
    return data


def _print_report(path: str, verdict: CheckResult, *, for_agent: bool) -> None:
    """Print what is wrong with the message in the file at `path`, if anything; the first of it for a coding agent."""
    style = PLAIN if for_agent else find_style(sys.stderr)
    limit = _AGENT_LINES if for_agent else None
    sys.stderr.write(format_text(path, verdict.lines, verdict.violations, style, line_limit=limit))


def find_message_file(git_dir: str) -> str:
    """Return the message file of the commit being made, which a user's top-level `files:` in pre-commit can hide."""
    if os.environ.get("GIT_REFLOG_ACTION", "").startswith("merge "):
        return os.path.join(git_dir, "MERGE_MSG")
    return os.path.join(git_dir, "COMMIT_EDITMSG")


def _explain_abort(data: bytes, cleaning: Cleaning, text: bytes, *, place: Place, settings: Settings) -> str | None:
    """Return what to print if the user has left the editor without a message: that is an abort, and no error.

    git aborts in the first two cases, but would record trailers other than sign-offs.
    """
    if cleanup.awaits_draft(data, cleaning.comment):
        return "Aborting commit due to empty commit message."
    if _is_template(text, settings, cleaning):
        return "Aborting commit; you did not edit the message."
    message = text.decode("utf-8", "surrogateescape")
    if is_left_open(message):
        start = printable(message.partition("\n")[0])
        return (
            f"smartcommit: the summary is empty: run 'git commit' again, and write one after '{start} ' or choose a "
            "header from the comments"
        )
    refused_text = state_files.load(place.git_dir, state_files.REFUSED)
    if refused_text is not None and refused_text.split() == text.split():
        return "Aborting commit; you did not edit the message that was refused."
    return None


def _is_template(text: bytes, settings: Settings, cleaning: Cleaning) -> bool:
    """Whether `text` is `commit.template` with no more than sign-offs. Source: template_untouched in git."""
    name = dict(settings.git).get("commit.template")
    if not name:
        return False
    try:
        with open(os.path.join(settings.directory or "", os.path.expanduser(name)), "rb") as file:
            template = cleanup.strip_space(
                file.read(), cleaning.comment if cleaning.mode == cleanup.STRIP else b""
            ).text
    except OSError:
        return False
    return bool(template) and text.startswith(template) and cleanup.is_left_empty(text[len(template) :], cleaning.mode)


def _complete_header(settings: Settings, verdict: CheckResult) -> None:
    """Propose for a header without a type the same words with the type and the scope of a draft."""

    def complete(line: str) -> str | None:
        from smartcommit.draft.message_file import complete_header
        from smartcommit.git.repo import Repository

        return complete_header(Repository.find(), settings, line)

    try:
        suggest_header(verdict, complete)
    except Exception:  # the report matters more than a suggestion
        return


def _save_rejected(
    git_dir: str, verdict: CheckResult, check: Callable[[bytes], CheckResult], encoding: str | None, *, for_agent: bool
) -> None:
    """Save the rejected text for the next attempt and print the next command.

    An empty text does not replace another one. An agent opens no editor: for it, the text is corrected if that is sure.
    """
    from smartcommit import refused

    text, is_fixed = verdict.text, False
    if for_agent:
        fixed, repaired = fix_message(text, check, encoding)
        is_fixed = not repaired.refused
        if is_fixed:
            text = fixed
    report = format_text("line", verdict.lines, verdict.violations)
    is_saved = bool(text.strip()) and refused.save(git_dir, text, report)
    # For a command line, the same in every worktree.
    name = f'"$(git rev-parse --git-path smartcommit/{state_files.REFUSED})"'
    if for_agent and not is_saved:
        sys.stderr.write("next: git commit -m 'TYPE(SCOPE): SUMMARY'\n")
    elif for_agent:
        advice = "The corrected message was saved." if is_fixed else f"Correct the message in {name}, then run"
        sys.stderr.write(f"{advice}\nnext: git commit -F {name}\n")
    elif is_saved:
        advice = "Your message was saved: the next 'git commit' of this change opens with it, or run"
        sys.stderr.write(f"{advice}\n  git commit -e -F {name}\n")
