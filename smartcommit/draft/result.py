"""What an engine answers to a request for a message, the same for the embedded drafter and for a model."""

from __future__ import annotations

from smartcommit.message.characters import printable
from smartcommit.message.header import Header, parse_loose_header
from smartcommit.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

EMBEDDED = "embedded"
# Characters of one comment in a message file.
_COMMENT_LIMIT = 300
# Headers that are offered with the first type. More are not read before one is written.
_OFFERED = 3


class Draft(Record):
    """A message, by whom it was written, and what is shown beside it.

    `text` is empty if no message can pass the project's rules. `engine` is EMBEDDED or the name of the model. `usage`
    counts the tokens of a model's prompt and output, and the requests. `reason` says why the configured model was not
    used, or why there is no text. `remarks` are about the message, `warnings` about what was asked for and not done,
    or is unsafe.

    Where the project has a form for headers, `fill` writes them so, and `plain` is the text without it.

    Only the embedded drafter sets the fields from `weak` to `facts`. `weak` says that a person would probably write
    another summary, and `open` that this one says less than half of the change, or only where it is. `sure`, from 0 to
    1, is how likely a reader is to keep it. `candidates` are at most three summaries to choose from, each about another
    subject, the best first. `source` says where the author said the first of them, or the summary of a draft that is
    not weak; it is empty if the change shows it. `second_type` is the next likely type if the first is not sure.
    `breaking` says that a public name goes away. `facts` say what happened, each in a short line such as `12 files: 8
    changed, 3 added, 1 removed`.
    """

    text: str
    engine: str = EMBEDDED
    usage: dict[str, int] | None = None
    reason: str | None = None
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    weak: bool = False
    open: bool = False
    sure: float = 1.0
    candidates: tuple[str, ...] = ()
    source: str = ""
    second_type: str | None = None
    breaking: bool = False
    facts: tuple[str, ...] = ()
    plain: str = ""
    fill: Callable[[Header], str] = str

    @property
    def header(self) -> Header | None:
        return parse_loose_header((self.plain or self.text).partition("\n")[0])

    def list_headers(self) -> list[str]:
        """Return the headers to choose from: those of the candidates, the best first, the second type, and with `!`."""
        header = self.header
        if header is None:
            return []
        scope, breaking = header.scope, header.breaking
        first, *others = dict.fromkeys((*self.candidates, header.summary))
        headers = [Header(header.type, summary, scope=scope, breaking=breaking) for summary in (first, *others)]
        del headers[_OFFERED:]
        if self.second_type is not None:
            headers.append(Header(self.second_type, first, scope=scope, breaking=breaking))
        if self.breaking and not breaking:
            headers.append(Header(header.type, first, scope=scope, breaking=True))
        return [self.fill(header) for header in headers]

    @property
    def comments(self) -> list[str]:
        """Comments on the draft for the message file, each one line that is safe to print."""
        remarks = [*self.warnings, *self.remarks]
        if self.engine != EMBEDDED:
            remarks.insert(0, f"drafted by {self.engine}")
        elif self.reason and self.text:
            remarks.insert(0, f"drafted without a model: {self.reason}")
        elif self.reason:
            remarks.insert(0, f"no draft: {self.reason}")
        elif self.source and not self.weak:
            remarks.insert(0, f"the summary is from {self.source}")
        return [f"smartcommit: {shorten(text)}" for text in remarks]


def shorten(text: str) -> str:
    return printable(" ".join(text.split()))[:_COMMENT_LIMIT]
