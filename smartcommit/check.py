"""The verdict on one message: clean it as git does, see whether git wrote it, and apply the project's rules.

The hook, `smartcommit check` and every flow that writes messages come here, so that there is one verdict everywhere.
"""

from __future__ import annotations

from smartcommit.exemption import autosquash_target, has_target, without_prefix
from smartcommit.message import cleanup
from smartcommit.message.checks import FORM, check
from smartcommit.message.parse import parse
from smartcommit.message.report import Placed, place, refused
from smartcommit.message.violation import Violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from smartcommit.message.cleanup import Cleaning
    from smartcommit.message.rules import Rules

    Search = Callable[[str, str], bool]


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

    `state` is what git itself is writing (`smartcommit.exemption.by_state`). A message that is empty after an editor is
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
