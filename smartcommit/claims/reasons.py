"""The rule `why`: whether the body of a message gives a reason, by the words that reasons have.

A hint and no more: of the words alone, none is certain.
"""

from __future__ import annotations

from smartcommit.claims.mentions import Statement
from smartcommit.message.rules import Violation
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.claims.evidence import ChangeEvidence
    from smartcommit.message.parse import Parsed

CODE = "why"
# The types whose changes need a reason, and lines that a change has at least.
_TYPES = ("feat", "fix", "refactor", "perf")
_LINES = 10
_REASON = compile_on_use(
    r"(?i)\b(?:because|since|so that|in order to|due to|caused?|therefore|thus|otherwise|instead|but|however|although|"
    r"would|could|should|cannot|can't|couldn't|does not|doesn't|did not|didn't|is not|isn't|was not|wasn't|no longer|"
    r"needs?|needed|required?|wants?|allows?|lets?|helps?|avoids?|prevents?|ensures?|makes? (?:it|this|sure)|"
    r"previously|currently|before this|used to|problem|issue|bug|broken|wrong|incorrect|fail\w*|crash\w*|error|missing|"
    r"confus\w*|slow\w*|fast\w*|easier|harder|simpler|better|unnecessary|redundant|unused|deprecated|motivat\w*|reason|why|"
    r"when|if|without)\b"
)


def find_missing_reason(parsed: Parsed, change: ChangeEvidence) -> list[Violation]:
    """Return that the body gives no reason, for a change of which one is expected."""
    header = parsed.message.header
    if header is None or header.type not in _TYPES or len(change.changed_lines) < _LINES:
        return []
    statement = Statement(parsed.lines[: parsed.trailers_at])
    if _REASON.search(statement.text[len(statement.header) :]):
        return []
    line = max((number for number in range(parsed.trailers_at) if parsed.lines[number].strip()), default=0)
    text = "the message does not say why" if line == 0 else "the body gives no reason"
    return [Violation(CODE, line, 0, text, expected="what was wrong, what it is for, or what else was considered")]
