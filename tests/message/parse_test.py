"""Taking messages apart and printing them: nothing is lost, and no field injects structure."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from smartcommit.message.checks import check
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse, print_message
from smartcommit.message.plan_sections import PREFIXES, Task, slug, walk
from smartcommit.message.rules import Rules
from smartcommit.message.trailers import Trailer
from tests.support.profile import examples
from tests.support.table import rows

FULL = """feat(api)!: add the thing

Why it was needed.

Constraints:
- Do not: break the old call
- Never: log a key

Tasks [ ]:
- [ ] first step: in detail
  - [x] a part
  - [ ] another: with words
- [x] second

BREAKING CHANGE: the old call is gone
Signed-off-by: A <a@b>
"""


def codes(text: str) -> list[str]:
    return [violation.code for violation in check(parse(text), Rules())]


def test_a_full_message_is_read_into_its_parts_and_printed_as_it_was() -> None:
    message = parse(FULL).message
    assert message.header == Header("feat", "add the thing", scope="api", breaking=True)
    assert message.description == "Why it was needed."
    assert message.constraints == ["Do not: break the old call", "Never: log a key"]
    assert [(level, task.summary, task.details, task.completed) for level, task in walk(message.tasks or [])] == [
        (0, "first step", "in detail", False),
        (1, "a part", "", True),
        (1, "another", "with words", False),
        (0, "second", "", True),
    ]
    assert message.trailers == (Trailer("BREAKING CHANGE", "the old call is gone"), Trailer("Signed-off-by", "A <a@b>"))
    assert message.breaking
    assert codes(FULL) == []
    assert print_message(message) == FULL


@rows(
    ("text", "breaking"),
    ("feat!: x\n", True),
    ("feat: x\nBREAKING CHANGE: gone\n", True),
    ("feat: x\n\nBREAKING-CHANGE: gone\n", True),
    ("feat: x\n\nBREAKING CHANGE: gone\nand more of it\n\nwhy\n", True),
    ("feat: x\n\nBREAKING CHANGE: gone\n\nKey: v\n", True),
    ("feat: x\n\nno BREAKING CHANGE: here\n", False),
    ("feat: x\n\n```\nBREAKING CHANGE: quoted\n```\n", False),
)
def test_a_message_is_breaking_by_its_mark_or_by_what_it_says(text: str, breaking: bool) -> None:
    assert parse(text).message.breaking is breaking


@rows(
    ("below", "description", "constraints", "trailers"),
    ("", "", None, []),
    ("Constraints: none\n", "", [], []),
    ("Constraints:\n- Never: x\n", "", ["Never: x"], []),
    ("Constraints:\n- Never: x\n\nSigned-off-by: A <a@b>\n", "", ["Never: x"], ["Signed-off-by: A <a@b>"]),
    # An ordinary line of constraints is a trailer, as for git, and one of dashes is description.
    ("Constraints: the API stays\nReviewed-by: B\n", "", None, ["Constraints: the API stays", "Reviewed-by: B"]),
    ("A: b\n---\nmore\n\nC: d\n", "A: b\n---\nmore", None, ["C: d"]),
)
def test_each_part_is_read_and_printed_as_it_was(
    below: str, description: str, constraints: list[str] | None, trailers: list[str]
) -> None:
    text = f"feat: x\n\n{below}".rstrip("\n") + "\n"
    message = parse(text).message
    assert (message.description, message.constraints) == (description, constraints)
    assert list(map(str, message.trailers)) == trailers
    assert codes(text) == []
    assert print_message(message) == text


def test_a_sign_off_glued_below_constraints_is_a_section_and_a_trailer() -> None:
    message = parse("feat: x\n\nConstraints:\n- Never: x\nSigned-off-by: A <a@b>\n").message
    assert (message.constraints, message.trailers) == (["Never: x"], (Trailer("Signed-off-by", "A <a@b>"),))


def test_what_follows_a_section_in_its_paragraph_is_judged_as_a_paragraph_of_its_own() -> None:
    section, generated = "feat: x\n\nConstraints: none\n", "(cherry picked from commit abc)\n"
    assert parse(section + generated).trailers_at == 3
    assert parse(section).trailers_at == 4
    # git counts three times the trailers against the other lines, and the heading is no trailer.
    assert codes(section + generated + "prose\n" * 3) == []
    assert codes(section + generated + "prose\n" * 4) == ["section-text"]


# (what stands below `feat: x`, the codes and lines it breaks, counted from 1 in the message)
BROKEN = [
    ("body\n", [("body-blank", 2)]),
    ("\nConstraints:\n\nTasks [ ]:\n- [ ] a\n", [("constraints-empty", 3)]),
    ("\nConstraints: None\n", [("constraints-heading", 3)]),
    ("\nconstraints:\n- Never: x\n", [("constraints-heading", 3)]),
    ("\nConstraints: none\n- Never: x\n", [("constraints-none", 3)]),
    ("\nConstraints:\n- never: x\n", [("constraints-case", 4)]),
    ("\nConstraints:\n- keep the API\n- Never: x\n", [("constraints-prefix", 4)]),
    ("\nConstraints:\n- Never:\n", [("constraints-prefix", 4)]),
    ("\nConstraints:\n  - Never: x\n", [("constraints-item", 4)]),
    ("\nConstraints:\n* Never: x\n", [("constraints-item", 4)]),
    ("\nTasks [ ]:\n", [("tasks-empty", 3)]),
    ("\nTasks [X]:\n- [ ] a\n", [("tasks-state", 3)]),
    ("\nTasks [x]:\n- [x] a\n", [("tasks-case", 3)]),
    ("\nTasks [X]:\n- [X] a\n", [("tasks-case", 4)]),
    ("\nConstraints: none\n\nTasks:\n- [ ] a\n", [("tasks-heading", 5)]),
    ("\ntasks [ ]:\n- [ ] a\n", [("tasks-heading", 3)]),
    ("\nTasks [ ]: now\n- [ ] a\n", [("tasks-heading", 3)]),
    ("\nTasks [ ]:\n- a\n", [("tasks-item", 4)]),
    ("\nTasks [ ]:\n- [?] a\n", [("tasks-item", 4)]),
    ("\nTasks [ ]:\n- [ ]\n", [("tasks-item", 4)]),
    ("\nTasks [ ]:\n- [ ] a\n\t- [ ] b\n", [("tasks-indent", 5)]),
    ("\nTasks [ ]:\n- [ ] a\n    - [ ] b\n", [("tasks-indent", 5)]),
    ("\nTasks [ ]:\n  - [ ] a\n", [("tasks-indent", 4)]),
    ("\nTasks [ ]:\n- [ ] a\n  - [ ] b\n    - [ ] c\n      - [ ] d\n", []),
    ("\nTasks [ ]:\n- [ ] a\n  - [ ] b\n    - [ ] c\n      - [ ] d\n        - [ ] e\n", [("tasks-depth", 8)]),
    ("\nTasks [ ]:\n- [x] a\n  - [ ] b\n", [("tasks-parent", 4)]),
    ("\nTasks [ ]:\n- [ ] a\n  - [x] b\n", [("tasks-parent", 4)]),
    ("\nTasks [ ]:\n- [ ] A b\n- [ ] a-B\n", [("tasks-id", 5)]),
    ("\nTasks [ ]:\n- [ ] a\n  - [ ] b\n  - [ ] B\n", [("tasks-id", 6)]),
    ("\nTasks [ ]:\n- [ ] ...\n", [("tasks-id", 4)]),
    ("\nTasks [ ]:\n- [ ] a\n  - [ ] x\n- [ ] b\n  - [ ] x\n", []),
    ("\nConstraints: none\nTasks [ ]:\n- [ ] a\n", [("section-blank", 4)]),
    ("\nTasks [ ]:\n- [ ] a\n\nConstraints: none\n", [("section-order", 6)]),
    ("\nConstraints: none\n\nConstraints: none\n", [("section-duplicate", 5)]),
    ("\nConstraints: none\n\nprose below\nmore of it\n", [("section-text", 5)]),
    ("\nKey: v\nConstraints: none\n", [("section-order", 4)]),
    ("\nConstraints:\n- Never: x\n  goes on\n\nKey: v\n  cont\n", []),
    ("\nIn prose, Constraints: none is fine.\n", []),
    ("\n    Constraints: indented, so quoted\n    Tasks [ ]:\n", []),
    ("\nnote: prose\n\nIMPORTANT: x\nand more prose here\n", []),
    ("\nBumps x.\n\n---\nupdated-dependencies:\n- dependency-name: x\n...\n\nSigned-off-by: bot <b@c>\n", []),
]


@rows(("below", "expected"), *BROKEN)
def test_each_broken_structure_is_found_at_its_line(below: str, expected: list[tuple[str, int]]) -> None:
    violations = check(parse(f"feat: x\n{below}"), Rules())
    assert [(violation.code, violation.line + 1) for violation in violations] == expected


@rows(("below", "count"), ("\nSigned-off-by: A <a@b>\n", 0), ("\nReviewed-by: A <a@b>\n", 1), ("", 1))
def test_a_project_requires_a_sign_off(below: str, count: int) -> None:
    found = check(parse(f"feat: x\n{below}"), Rules(sign_off=True))
    assert [violation.code for violation in found] == ["sign-off"] * count


# What people write who know nothing of the sections.
PROSE = [
    "Tasks:\n- parse the file\n- draw it",
    "tasks:\n1. parse the file",
    "Tasks [1] and [2] are done.",
    "Constraints:\n- must be fast\n- never more than a second\n\nThat is all.",
    "Constraints:",
    "constraints:\n\n* it has to run on Windows\n* avoid recursion",
    "Constraints: the API stays as it is",
    "Constraints: None of the callers changes.",
    "Constraints\n\n- the API stays\n\nTasks:\n- parse",
]


@rows("body", *PROSE)
def test_an_ordinary_list_below_a_heading_is_description(body: str) -> None:
    parsed = parse(f"feat: x\n\n{body}\n\nSigned-off-by: A <a@b>\n")
    assert check(parsed, Rules()) == []
    assert (parsed.message.constraints, parsed.message.tasks) == (None, None)
    assert (parsed.message.description, len(parsed.message.trailers)) == (body, 1)
    assert codes(f"feat: x\n\n{body}\n") == []


@rows(
    ("required", "text", "missing"),
    ("plan", "feat: x\n", 2),
    ("plan", "feat: x\n\nConstraints: none\n\nTasks [ ]:\n- [ ] a\n", 0),
    ("constraints", "feat: x\n\nbody\n", 1),
    ("description", "feat: x\n\nConstraints: none\n", 1),
    ("description", "feat: x\n\nwhy\n", 0),
)
def test_a_project_requires_parts(required: str, text: str, missing: int) -> None:
    found = check(parse(text), Rules(required=(required,)))
    # It is told at the last line.
    assert [(violation.code, violation.line) for violation in found] == [
        ("section-missing", text.count("\n") - 1)
    ] * missing


@rows(
    ("summary", "expected"),
    ("Fix the API", "fix-the-api"), ("  a -- b ", "a-b"), ("Größe ändern", "grösse-ändern"), ("ﬁle №5", "file-no5"),
     ("STRASSE ß", "strasse-ss"), ("...", ""), ("漢字 2", "漢字-2"),
)  # fmt: skip
def test_an_id_is_the_letters_and_digits_of_a_summary(summary: str, expected: str) -> None:
    assert slug(summary) == expected


structured = st.lists(
    st.sampled_from(
        [*FULL.split("\n"), "# c", "---", "  - [ ] x", "\t- [x] y", "- [X] z", "Constraints: none", "Key: v", " cont",
         "Tasks [x]:", "\r", "Conflicts:", "prose", "", "\udcff", "\x00"]
    ),
    max_size=16,
)  # fmt: skip


@given(
    st.one_of(st.binary(max_size=80), structured.map(lambda lines: "\n".join(lines).encode("utf-8", "surrogateescape")))
)
@examples(400)
def test_any_bytes_are_taken_apart_and_put_together_again(data: bytes) -> None:
    parsed = parse(data.decode("utf-8", "surrogateescape"))
    assert "\n".join(parsed.lines).encode("utf-8", "surrogateescape") == data
    check(parsed, Rules())


texts = st.text(alphabet=st.sampled_from("ab :-[]#x\n\t.()XTC?é"), max_size=14)
words = st.sampled_from(
    ["do it", "Constraints: none", "Tasks [ ]:", "- [x] a", "Key: v", "# c", "a: b", "x", "Never: y"]
)
fields = st.one_of(texts, words)
tasks = st.recursive(
    st.builds(Task, fields, details=fields, completed=st.booleans()),
    lambda children: st.builds(Task, fields, details=fields, children=st.lists(children, max_size=2)),
    max_leaves=6,
)
messages = st.builds(
    Message,
    st.builds(
        Header, st.sampled_from(["feat", "fix"]), fields, scope=st.one_of(st.none(), fields), breaking=st.booleans()
    ),
    description=st.lists(fields, max_size=3).map("\n".join),
    constraints=st.one_of(
        st.none(), st.lists(st.builds("{} {}".format, st.sampled_from(PREFIXES), fields), max_size=2)
    ),
    tasks=st.one_of(st.none(), st.lists(tasks, max_size=3)),
    finished=st.booleans(),
    trailers=st.lists(
        st.builds(Trailer, st.sampled_from(["Key", "Signed-off-by", "BREAKING CHANGE"]), fields), max_size=2
    ).map(tuple),
)


@given(messages)
@examples(1500)
def test_what_is_printed_reads_back_as_what_was_meant_or_is_refused(message: Message) -> None:
    try:
        text = print_message(message)
    except ValueError:
        assume(False)
    parsed = parse(text)
    assert parsed.message == message
    assert print_message(parsed.message) == text
    assert not any(line.startswith("#") for line in parsed.lines)


@rows(
    "message",
    Message(None),
    Message(Header("feat", "x\n\nConstraints: none")),
    Message(Header("feat", "x"), description="a\n\nTasks [ ]:\n- [ ] b"),
    Message(Header("feat", "x"), description="a\n# dropped"),
    Message(Header("feat", "x"), description="why\n\nKey: v"),
    Message(Header("feat", "x"), constraints=["Never: x\n- Never: y"]),
    Message(Header("feat", "x"), tasks=[Task("a: b")]),
    Message(Header("feat", "x"), tasks=[Task("a", details="b\n- [ ] c")]),
    Message(Header("feat", "x"), trailers=[Trailer("Key", "v\nOther: w")]),
)
def test_a_field_that_would_be_structure_is_refused(message: Message) -> None:
    with pytest.raises(ValueError, match=r"needs|requires|would be (read|parsed)|begins with"):
        print_message(message)
