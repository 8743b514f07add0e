"""Checks one message file or text: clean it as git does, exempt what git wrote, apply the rules.

The hook, `smartcommit check` and every flow that writes messages come here, so that there is one verdict everywhere.
"""

from __future__ import annotations

import os

from smartcommit import state_files
from smartcommit.git.query import ask
from smartcommit.message import cleanup
from smartcommit.message.checks import FORM, check
from smartcommit.message.cleanup import strip_space
from smartcommit.message.parse import parse
from smartcommit.message.report import Placed, place, refused
from smartcommit.message.rules import Violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from smartcommit.message.cleanup import Cleaning
    from smartcommit.message.rules import Rules

    Search = Callable[[str, str], bool]

# The environment variable that names a run of the executor, and the commit that it is making.
EXECUTION = "SMARTCOMMIT_EXECUTION"
# A state file of git, and what is going on while it exists. Source: gitrepository-layout(5), git's branch.c and the
# table of operations in the tests. A cherry-pick is not among them: its message is one that somebody wrote.
_STATES = (("MERGE_HEAD", "a merge"), ("REVERT_HEAD", "a revert"), ("SQUASH_MSG", "a squashed merge"))
_AUTOSQUASH = ("fixup! ", "squash! ", "amend! ")
# How far back the target of a fixup is looked for, in commits.
_REACH = 2000


class Verdict:
    """What was decided on a message.

    `text` is what git will record, in bytes, and `lines` its lines as text. `placed` holds the violations with their
    places in the file as it was edited. `exempt` says why git's own message was let through, None where it was judged.
    """

    __slots__ = ("exempt", "lines", "placed", "text")

    def __init__(
        self, text: bytes, lines: Sequence[str], placed: Sequence[Placed] = (), *, exempt: str | None = None
    ) -> None:
        self.text = text
        self.lines = lines
        self.placed = placed
        self.exempt = exempt

    @property
    def refused(self) -> bool:
        """Whether some violation is an error."""
        return refused(self.placed)


def judge_file(
    data: bytes, cleaning: Cleaning, rules: Rules, *, state: str | None = None, search: Search | None = None
) -> Verdict:
    """The verdict on the bytes of a message file.

    `state` is what git itself is writing (`by_state`). A message that is empty after an editor is
    nobody's fault: git aborts by itself.
    """
    cleaned = cleanup.clean(data, cleaning)
    if not cleaned.text.strip() and cleaning.editor:
        return Verdict(cleaned.text, [], exempt="nothing to commit with")
    return judge(cleaned.text, cleaned.lines, cleaning, rules=rules, state=state, search=search)


def judge(
    recorded: bytes,
    numbers: Sequence[int],
    cleaning: Cleaning,
    *,
    rules: Rules,
    state: str | None = None,
    search: Search | None = None,
) -> Verdict:
    """The verdict on what git records; `numbers` holds the file's line of each recorded line, from 1."""
    if state is not None:
        return Verdict(recorded, [], exempt=state)
    try:
        text = cleanup.decode(recorded, cleaning.encoding)
    except ValueError as error:
        return _refuse(recorded, rules, Violation("encoding", 0, 0, str(error), expected="text in that charset"))
    if not text.strip():
        return _refuse(recorded, rules, Violation("empty", 0, 0, "the message is empty", expected=f"'{FORM}'"))
    comment = cleaning.comment.decode("utf-8", "replace")
    parsed = parse(text, comment=comment)
    target = autosquash_target(parsed.lines[0])
    if target is not None and not has_target(target):
        text = "no commit has the subject that is to be fixed up"
        return _refuse(
            recorded, rules, Violation("autosquash", 0, 0, text, expected="a subject of HEAD's last commits")
        )
    if target is not None:
        body = without_prefix(parsed.lines)
        if not parsed.lines[0].startswith("amend! ") or not any(body):
            return Verdict(recorded, parsed.lines, exempt="a fixup")
        # What stands below an `amend!` becomes the message, so it is judged as one.
        numbers = numbers[len(parsed.lines) - len(body) :]
        parsed = parse("\n".join(body), comment=comment)
    return Verdict(recorded, parsed.lines, place(check(parsed, rules, search=search), rules, numbers))


def _refuse(recorded: bytes, rules: Rules, violation: Violation) -> Verdict:
    return Verdict(recorded, recorded.decode("utf-8", "surrogateescape").split("\n"), place([violation], rules, [1]))


def by_state(git_dir: str) -> str | None:
    """What git says is going on that writes its own message, None where a person's message is being committed."""
    for name, what in _STATES:
        if os.path.exists(os.path.join(git_dir, name)):
            return what
    return None


def proof_of(execution: str, message: bytes) -> bytes:
    """What the executor keeps as `state_files.PROOF` while the commit `execution` of it records `message`."""
    # However git is told to clean it, blanks alone never make another message.
    return execution.encode() + b"\n" + strip_space(message, b"").text


def by_proof(git_dir: str, message: bytes) -> str | None:
    """Return "the executor" if it is committing `message`: its proof is there, and git was started for that commit.

    An agent has a value of EXECUTION of its own, so its commits are judged like a person's.
    """
    kept = state_files.load(git_dir, state_files.PROOF)
    if kept is None or kept != proof_of(os.environ.get(EXECUTION, ""), message):
        return None
    return "the executor"


def autosquash_target(subject: str) -> str | None:
    """The subject that a `fixup!`, `squash!` or `amend!` names, None where `subject` is no such thing."""
    target = subject
    while target.startswith(_AUTOSQUASH):
        target = target.partition(" ")[2]
    return target if target != subject else None


def has_target(target: str) -> bool:
    """Whether autosquash would find `target` among HEAD's last commits, by the subject's begin or the commit's name."""
    if not target.strip():
        return False
    # A signature that is shown would stand before the subject, and a file can be called HEAD.
    form = ("-z", "--format=%H %s", "--encoding=UTF-8", "--no-show-signature")
    status, log = ask(("log", f"-{_REACH}", *form, "HEAD", "--"))
    if status != 0:
        return False
    entries = log.decode("utf-8", "surrogateescape").split("\0")
    name = target.strip().lower()
    return any(_matches(entry, target, name) for entry in entries)


def _matches(entry: str, target: str, name: str) -> bool:
    commit, _, subject = entry.partition(" ")
    return subject.startswith(target) or (len(name) >= 4 and commit.startswith(name))


def without_prefix(lines: Sequence[str]) -> list[str]:
    """The message that an `amend!` puts in place of its target's: what stands below the first blank line."""
    body = list(lines[1:])
    while body and not body[0]:
        del body[0]
    return body
