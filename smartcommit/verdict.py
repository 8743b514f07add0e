"""Checks one message file or text: clean it as git does, exempt what git wrote, apply the rules.

The hook, `smartcommit check` and everything that writes messages use this module, so they always agree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from smartcommit import state_files
from smartcommit.files import read_content
from smartcommit.git.grep import matches
from smartcommit.git.query import ask, list_kept, make_log_command
from smartcommit.message import cleanup
from smartcommit.message.checks import Search, check, drop_autosquash_title, find_autosquash_target
from smartcommit.message.cleanup import Cleaned, Cleaning, strip_space
from smartcommit.message.header import FIXUPS, GIT_FORMS
from smartcommit.message.header_checks import FORM
from smartcommit.message.parse import Parsed, parse
from smartcommit.message.rules import ERROR, Rules, Violation
from smartcommit.message.trailers import PICKED, find_trailers
from smartcommit.processes import EXECUTION
from smartcommit.record import Record

# Finds what a message claims and its change does not show.
Compare = Callable[[Parsed], Sequence[Violation]]

# A state file of git, and the operation in progress while it exists. Source: gitrepository-layout(5), git's branch.c
# and the table of operations in the tests. There is no cherry-pick: its message was written by a user, and passes only
# as it was.
_STATES = {"MERGE_HEAD": "a merge", "REVERT_HEAD": "a revert"}
# How the executor's messages begin where an agent suggests none.
EXECUTOR_TITLE = "[rafa] Complete task "
# Each pass fixes one violation per line; a message that needs more passes than this is not fixed further.
_PASSES = 20
# Number of commits that are searched for the target of a fixup.
_REACH = 2000


class CheckResult(Record):
    """The result of checking a message.

    `text` is what git will record, in bytes, and `lines` its lines as text. `violations` have their levels, and the
    numbers of their lines in the edited file. `exempt` says why git's own message was not checked, or is None.
    """

    text: bytes
    lines: Sequence[str]
    violations: Sequence[Violation] = ()
    exempt: str | None = None

    @property
    def refused(self) -> bool:
        return any(violation.level == ERROR for violation in self.violations)


def check_file(
    data: bytes,
    cleaning: Cleaning,
    rules: Rules,
    *,
    state: str | None = None,
    search: Search | None = matches,
    compare: Compare | None = None,
) -> CheckResult:
    """Check the bytes of a message file.

    `state` is what git itself is writing (`find_writer`). A message left empty in an editor is accepted: git aborts.
    `search` looks for the ticket, which is not looked for if it is None. Nothing is compared unless `compare` does.
    """
    cleaned = cleanup.clean(data, cleaning)
    if cleaning.editor and cleanup.is_left_empty(cleaned.text, cleaning.mode):
        return CheckResult(cleaned.text, [], exempt="empty message; git will abort the commit")
    if state is not None:
        return CheckResult(cleaned.text, [], exempt=state)
    return check_recorded(cleaned, cleaning, rules=rules, search=search, compare=compare)


def check_recorded(
    cleaned: Cleaned,
    cleaning: Cleaning,
    *,
    rules: Rules,
    search: Search | None = matches,
    compare: Compare | None = None,
) -> CheckResult:
    """Check what git records of a message, of which `cleaning` says the encoding and the comment string."""
    recorded, numbers = cleaned.text, cleaned.lines
    try:
        text = cleanup.decode(recorded, cleaning.encoding)
    except ValueError as error:
        return reject(recorded, rules, Violation("encoding", 0, 0, str(error), expected="text in that encoding"))
    if not text.strip():
        return reject(recorded, rules, Violation("empty", 0, 0, "the message is empty", expected=f"'{FORM}'"))
    comment = cleaning.comment.decode("utf-8", "replace")
    parsed = parse(text, comment=comment)
    body = parsed.lines
    target = find_autosquash_target(body[0])
    while target is not None:
        # Of an `amend!` whose own target is gone, a fixup names the `amend!`.
        if not _has_autosquash_target(target) and not _has_autosquash_target(body[0].partition(" ")[2]):
            text, expected = "no commit has the subject to fix up", "the subject of one of HEAD's recent commits"
            return reject(recorded, rules, Violation("autosquash", 0, 0, text, expected=expected))
        title = body[0]
        body = drop_autosquash_title(body)
        if not title.startswith("amend! ") or _keeps_header(body, target):
            return CheckResult(recorded, parsed.lines, exempt="a fixup")
        # What is below an `amend!` becomes the message, so it is checked like one, be it a fixup itself.
        target = find_autosquash_target(body[0])
    if body is not parsed.lines:
        numbers = numbers[len(parsed.lines) - len(body) :]
        parsed = parse("\n".join(body), comment=comment)
    violations = check(parsed, rules, search=search)
    if compare is not None:
        violations = sorted([*violations, *compare(parsed)], key=Violation.position)
    return _conclude(recorded, parsed.lines, violations, rules, numbers=numbers)


def check_text(text: bytes, rules: Rules, compare: Compare | None = None) -> CheckResult:
    """Check a message that is given as `git commit -m` gets it, in UTF-8, whose blank lines git tidies up."""
    return check_recorded(strip_space(text, b""), Cleaning(cleanup.WHITESPACE), rules=rules, compare=compare)


def _keeps_header(body: Sequence[str], target: str) -> bool:
    """Whether the message of an `amend!` is empty, or begins with the header that git wrote for its target."""
    if not any(body):
        return True
    from smartcommit.git.own_headers import is_own_in_history

    # A subject ends with the lines that `cleanup=verbatim` leaves directly below a header.
    return f"{target} ".startswith(f"{body[0]} ") and is_own_in_history(body[0])


def _conclude(
    recorded: bytes, lines: Sequence[str], violations: Sequence[Violation], rules: Rules, *, numbers: Sequence[int]
) -> CheckResult:
    """Return the verdict with the levels of `violations`; `numbers` holds the file's line for each recorded line."""
    for violation in violations:
        violation.level = rules.level(violation.code)
        violation.number = violation.line + 1
        if violation.line < len(numbers):
            violation.number = numbers[violation.line]
    return CheckResult(recorded, lines, violations)


def reject(recorded: bytes, rules: Rules, violation: Violation) -> CheckResult:
    """Return the verdict on a message about which nothing but `violation` is said."""
    return _conclude(recorded, recorded.decode("utf-8", "surrogateescape").split("\n"), [violation], rules, numbers=[1])


def suggest_header(verdict: CheckResult, complete: Callable[[str], str | None]) -> None:
    """Propose the header that `complete` makes of the first line, where a type would correct it and nothing else does.

    It is no sure correction: the type is that of a draft.
    """
    codes = ("header-form", "type-unknown")
    untyped = [each for each in verdict.violations if each.code in codes and each.replacement is None]
    header = complete(verdict.lines[0]) if untyped else None
    if header is not None:
        for violation in untyped:
            violation.replacement, violation.sure = [header], False


def fix_message(data: bytes, check: Callable[[bytes], CheckResult], encoding: str | None) -> tuple[bytes, CheckResult]:
    """Return the bytes with every violation fixed that has a sure replacement, and the verdict; other bytes stay."""
    verdict = check(data)
    for _ in range(_PASSES):
        fixed = _replace_lines(data, verdict, encoding or "utf-8")
        if fixed == data:
            break
        data, verdict = fixed, check(fixed)
    return data, verdict


def _replace_lines(data: bytes, verdict: CheckResult, encoding: str) -> bytes:
    lines = data.split(b"\n")
    done: set[int] = set()
    # From the end, so that an inserted line moves no line that is fixed later.
    for violation in sorted(verdict.violations, key=lambda violation: violation.number, reverse=True):
        number, replacement = violation.number, violation.replacement
        if replacement is None or not violation.sure or number in done or number > len(lines):
            continue
        done.add(number)
        ending = b"\r" if lines[number - 1].endswith(b"\r") else b""
        lines[number - 1 : number] = [text.encode(encoding, "surrogateescape") + ending for text in replacement]
    return b"\n".join(lines)


def find_git_operation(git_dir: str) -> str | None:
    kept = list_kept(git_dir, list(_STATES))
    return next((what for name, what in _STATES.items() if name in kept), None)


def find_writer(git_dir: str, data: bytes, cleaning: Cleaning) -> str | None:
    """Return what git or the executor writes the message file `data` for, or None if the user writes its header.

    git writes it also where it opens a commit again, unless the header is changed.
    """
    writer = find_git_operation(git_dir) or find_executor_proof(git_dir, data)
    if writer is not None:
        return writer
    try:
        text = cleanup.decode(cleanup.clean(data, cleaning).text, cleaning.encoding)
    except ValueError:
        return None
    if "CHERRY_PICK_HEAD" in list_kept(git_dir, ["CHERRY_PICK_HEAD"]):
        _, picked = ask(make_log_command("%B", last=1, revisions=["CHERRY_PICK_HEAD"]))
        if _is_as_written(text, picked.rstrip(b"\0").decode("utf-8", "surrogateescape"), cleaning):
            return "a cherry-pick"
    header = text.partition("\n")[0]
    if header.startswith(GIT_FORMS):
        # Of a squashed merge; the second alone of a revert that changes nothing, and of `cherry-pick -n`.
        written = b"".join(read_content(os.path.join(git_dir, name)) for name in ("SQUASH_MSG", "MERGE_MSG"))
        if _is_as_written(text, written.decode(cleaning.encoding or "utf-8", "replace"), cleaning, with_trailers=True):
            return "a squashed merge, a revert or a pick"
    if not header.startswith((*GIT_FORMS, *FIXUPS)):
        return None
    from smartcommit.git.own_headers import find_repeated

    return find_repeated(header, git_dir)


def _is_as_written(text: str, written: str, cleaning: Cleaning, *, with_trailers: bool = False) -> bool:
    """Whether `text` is what git has `written`, and what is added comments, a sign-off, or trailers if allowed."""

    def drop_comments(message: str) -> list[str]:
        # With core.commentChar=auto the conflicts are listed with the usual character, all else with another.
        bare = strip_space(message.encode("utf-8", "surrogateescape"), cleaning.comment).text
        return strip_space(bare, b"#").text.decode("utf-8", "surrogateescape").split("\n")[:-1]

    before, lines = drop_comments(written), drop_comments(text)
    begin, end = find_trailers(lines) if with_trailers else (0, 0)
    rest = [line for number, line in enumerate(lines) if number >= len(before) and not begin <= number < end]
    kept = bool(before) and lines[: len(before)] == before
    return kept and all(not line or line.startswith((PICKED, "Signed-off-by: ")) for line in rest)


def make_proof(execution: str, message: bytes) -> bytes:
    """Return what the executor saves as `state_files.PROOF` while its commit `execution` records `message`."""
    # However git cleans it, a difference in whitespace does not make another message.
    return execution.encode() + b"\n" + strip_space(message, b"").text


def find_executor_proof(git_dir: str, message: bytes) -> str | None:
    """Return "the executor" if it is committing `message`: its proof is there, and git was started for that commit.

    An agent has another value of EXECUTION, so its commits are checked like the user's.
    """
    kept = state_files.load(git_dir, state_files.PROOF)
    if kept is None or kept != make_proof(os.environ.get(EXECUTION, ""), message):
        return None
    return "the executor"


def _has_autosquash_target(target: str) -> bool:
    if not target.strip():
        return False
    status, log = ask(make_log_command("%H %s", last=_REACH))
    if status != 0:
        return False
    name = target.strip().lower()
    for entry in log.decode("utf-8", "surrogateescape").split("\0"):
        commit, _, subject = entry.partition(" ")
        if subject.startswith(target) or (len(name) >= 4 and commit.startswith(name)):
            return True
    return False
