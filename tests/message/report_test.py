"""What a person reads of the violations in a message."""

from smartcommit.message.checks import check
from smartcommit.message.parse import parse
from smartcommit.message.report import format_text
from smartcommit.message.rules import ERROR, Rules
from tests.support.table import rows


@rows(
    ("text", "report"),
    ("feat: x\nmore", "MSG:2:1: body-blank the line after the header is not blank\n  more\n  ^^^^\n"
     "  expected a blank line\n  corrected: insert a blank line above: more\n"),
    ("fix: it\n\nTasks [X]:\n- [X] a", "MSG:4:4: tasks-case a completed task needs a lower-case x\n"
     "  - [X] a\n     ^\n  corrected: - [x] a\n"),
    # The mark stands below its character, however wide those before it are, and a long line is cut.
    ("fix: 漢字 e\u0301 a\u200bb", "MSG:1:13: character invisible or control character \\u200b\n"
     "  fix: 漢字 e\u0301 a\\u200bb\n               ^\n  expected visible text\n"),
    ("fix: it\n\n\u200bso", "MSG:3:1: character invisible or control character \\u200b\n"
     "  \\u200bso\n  ^\n  expected visible text\n"),
    # A joiner is one between letters of such scripts alone.
    ("fix: \u6f22\u200d\u5b57 a\u200d\u6f22", "MSG:1:11: character invisible or control character \\u200d\n"
     "  fix: \u6f22\\u200d\u5b57 a\\u200d\u6f22\n                   ^\n  expected visible text\n"),
    ("fix: \u6f22\u200da", "MSG:1:7: character invisible or control character \\u200d\n"
     "  fix: \u6f22\\u200da\n         ^\n  expected visible text\n"),
    ("fix: " + "word" * 31 + " end",
     "MSG:1:126: summary-length the summary is 128 code points long, 8 over the limit\n"
     f"  ...rd{'word' * 13} end\n     {'^' * 54}\n  expected at most 120\n"),
    # Of several that are too many, the rest is counted.
    ("fix: it\n\nTasks [ ]:\n- [ ] a b\n- [ ] a-B\n- [ ] ...",
     "MSG:5:1: tasks-id two sibling tasks have the id 'a-b'\n  - [ ] a-B\n  ^\n  expected another summary\n"
     "... and 1 more\n"),
)  # fmt: skip
def test_a_report_shows_the_line_and_what_was_expected(text: str, report: str) -> None:
    parsed = parse(text)
    violations = check(parsed, Rules())
    for violation in violations:
        violation.number, violation.level = violation.line + 1, ERROR
    assert format_text("MSG", parsed.lines, violations, line_limit=3) == report
