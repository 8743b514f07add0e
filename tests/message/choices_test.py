"""An open header and the headers below it: what of an edited message file is a choice."""

from smartcommit.message.choices import is_left_open, take_choice, write_choices
from tests.support.table import rows

INVITATION, *_ = write_choices([], "#")


def write(*lines: str, first: str = "feat(api): ", invitation: str = INVITATION) -> bytes:
    return "\n".join((first, "", f"# {invitation}", *lines, "", "# Please enter", "")).encode()


@rows(
    ("edited", "chosen"),
    (write("feat(api): add x", "# feat(api): add y"), b"feat(api): add x"),
    (write("# feat(api): add x", "fix(api): add x"), b"fix(api): add x"),
    (write("feat(api): add x and more"), b"feat(api): add x and more"),
    # Only the mark is deleted, or an editor has changed the line breaks.
    (write("# feat(api): add x", " feat(api): add y"), b"feat(api): add y"),
    (write("feat(api): add x\r", "# feat(api): add y\r", first="feat(api):\r"), b"feat(api): add x"),
    ("\n".join(("feat!: ", f"# {INVITATION}", "feat!: größe")).encode(), "feat!: größe".encode()),
    # A person wrote the summary, chose none or two, or changed the open header as well.
    (write("feat(api): add x", first="feat(api): add z"), None),
    (write("# feat(api): add x"), None),
    (write("feat(api): add x", "feat(api): add y"), None),
    (write("feat(api): add x", first="docs(api): "), None),
    (write("feat(api): add x", first="the api: "), None),
    # What somebody else offers, and a header further down, are no choice.
    (write("feat(api): add x", invitation="choose:"), None),
    (write("# feat(api): add x", "# text", "feat(api): add y"), None),
)
def test_one_header_without_its_mark_is_the_choice(edited: bytes, chosen: bytes | None) -> None:
    taken = take_choice(edited, b"#")
    if chosen is None:
        assert taken is None
        return
    lines = edited.split(b"\n")
    (line,) = [line for line in lines if line.strip() == chosen]
    lines.remove(line)
    assert taken[0].split(b"\n") == [chosen, *lines[1:]]


@rows(
    ("text", "expected"),
    ("feat(api):", True),
    ("feat:\n\nRefs: A-1\nSigned-off-by: Ada <ada@example.invalid>\n", True),
    ("feat(api): x", False),
    ("feat:\n\nBecause.", False),
    ("Why:", False),
    (":", False),
    ("", False),
)
def test_an_open_header_alone_is_no_message(text: str, expected: bool) -> None:
    assert is_left_open(text) is expected
