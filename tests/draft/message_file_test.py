"""A draft in the message file: what is written, and that nothing else moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from smartcommit.draft.message_file import insert
from smartcommit.message.cleanup import STRIP, Cleaning, clean
from tests.support.repository import Repo
from tests.support.table import rows

STATUS = b"# Please enter the commit message\n#\n"
SIGNED_OFF = b"Signed-off-by: Ada <ada@example.invalid>\n"


@rows(
    ("text", "content", "expected"),
    [
        ("feat: x\n", b"", b"feat: x\n"),
        ("feat: x", b"", b"feat: x\n"),
        ("feat: x\n", b"\n", b"feat: x\n\n"),
        ("feat: x\n", b"\n" + STATUS, b"feat: x\n\n" + STATUS),
        ("feat: x\n\nwhy\n", b"\n" + STATUS, b"feat: x\n\nwhy\n\n" + STATUS),
        ("\nfeat: x\n\n\n", b"\n" + STATUS, b"feat: x\n\n" + STATUS),
        # A comments-only template may begin in line 1, and without cleanup its text would join the header.
        ("feat: x\n", STATUS, b"feat: x\n\n" + STATUS),
        ("feat: x\n", b"# no line end", b"feat: x\n\n# no line end"),
        ("feat: x\n", b"\r\n# template\r\n", b"feat: x\n\n\r\n# template\r\n"),
        ("feat: x\n", b"\n\n" + SIGNED_OFF + b"\n" + STATUS, b"feat: x\n\n" + SIGNED_OFF + b"\n" + STATUS),
        ("feat: x\n\nwhy\n", b"\n\n" + SIGNED_OFF, b"feat: x\n\nwhy\n\n" + SIGNED_OFF),
        ("feat: x\n", b"\nk: v\n" + STATUS, b"feat: x\n\nk: v\n" + STATUS),
    ],
)
def test_draft_stands_in_line_1_one_blank_line_above_the_rest(text: str, content: bytes, expected: bytes) -> None:
    assert insert(text, content, Cleaning()) == expected


@rows(
    ("text", "comment", "expected"),
    [
        ("feat: x\n\n#7 is done\n", b"#", b"feat: x\n\n #7 is done\n"),
        ("feat: x\n\n#7 is done\n", b";", b"feat: x\n\n#7 is done\n"),
        ("feat: x\n\n// a path\n/ another\n", b"//", b"feat: x\n\n // a path\n/ another\n"),
        ("feat: x\n\n- one\n  - two\n", b" ", b"feat: x\n\n- one\n\t  - two\n"),
        ("feat: x\n\n# ------------------------ >8 ------------------------\nrest\n", b"#",
         b"feat: x\n\n # ------------------------ >8 ------------------------\nrest\n"),
        ("feat: x\n\ndiff --git a/b b/b\n", b"#", b"feat: x\n\n diff --git a/b b/b\n"),
    ],
)  # fmt: skip
def test_body_line_that_git_would_drop_is_indented(text: str, comment: bytes, expected: bytes) -> None:
    assert insert(text, b"", Cleaning(comment=comment)) == expected


@rows(
    ("text", "comment"), [("#7: x\n", b"#"), ("feat: x\n", b"f"), ("feat: x\n", b"feat"), ("", b"#"), ("\n \n", b"#")]
)
def test_header_that_git_would_drop_is_no_draft(text: str, comment: bytes) -> None:
    assert insert(text, b"\n" + STATUS, Cleaning(comment=comment)) is None


@rows(
    ("encoding", "expected"),
    [
        (None, "feat: größe → 7\n".encode()),
        ("ISO-8859-1", b"feat: gr\xf6\xdfe ? 7\n"),
        ("latin1", b"feat: gr\xf6\xdfe ? 7\n"),
        ("EUC-JP", "feat: größe → 7\n".encode("euc-jp")),
        ("us-ascii", b"feat: gr??e ? 7\n"),
        ("nowhere", b"feat: gr??e ? 7\n"),
        # Codecs of Python's that are no charset, or none a commit object could hold.
        ("UTF-16", b"feat: gr??e ? 7\n"),
        ("utf-8-sig", b"feat: gr??e ? 7\n"),
        ("base64", b"feat: gr??e ? 7\n"),
        ("unicode_escape", b"feat: gr??e ? 7\n"),
        ("undefined", b"feat: gr??e ? 7\n"),
        ("idna", b"feat: gr??e ? 7\n"),
        ("a\0b", b"feat: gr??e ? 7\n"),
    ],
)
def test_draft_is_written_in_the_commit_encoding(encoding: str | None, expected: bytes) -> None:
    assert insert("feat: größe → 7\n", b"", Cleaning(encoding=encoding)) == expected


def test_name_that_is_no_text_is_replaced() -> None:
    assert insert("feat: add \udcff\n", b"", Cleaning()) == b"feat: add ?\n"


LINES = st.text(st.characters(exclude_characters="\n\r"), max_size=12)
DRAFTS = st.builds(lambda body: "feat: x\n" + "".join(f"{line}\n" for line in body), st.lists(LINES))
COMMENTS = st.sampled_from([b"#", b";", b"//", b" ", b"diff", b"?"])


@given(DRAFTS, st.binary(), COMMENTS)
def test_file_is_what_remains_without_the_draft(text: str, content: bytes, comment: bytes) -> None:
    prepared = insert(text, content, Cleaning(comment=comment))
    assert prepared is not None
    assert prepared.endswith(content)
    assert prepared.startswith(b"feat: x\n")


@given(DRAFTS, COMMENTS, st.integers(0, 4))
def test_every_line_of_the_draft_is_recorded(text: str, comment: bytes, opening: int) -> None:
    content = b"\n" * opening + comment + b" Please enter\n"
    prepared = insert(text, content, Cleaning(comment=comment))
    assert prepared is not None
    recorded = clean(prepared, Cleaning(STRIP, comment=comment, cut=True)).text.decode()
    assert recorded.split() == text.encode("utf-8", "replace").decode().split()


@given(DRAFTS, st.integers(0, 2))
def test_trailers_stay_one_blank_line_away(text: str, opening: int) -> None:
    prepared = insert(text, b"\n" * opening + SIGNED_OFF, Cleaning())
    assert prepared is not None
    draft = prepared.removesuffix(SIGNED_OFF)
    assert draft.endswith(b"\n\n")
    assert not draft.endswith(b"\n\n\n")


def test_git_finds_the_trailers_below_a_draft(repo: Repo) -> None:
    prepared = insert("feat: x\n\nNote: why\n", b"\n\n" + SIGNED_OFF + b"\n" + STATUS, Cleaning())
    assert prepared is not None
    assert repo.git("interpret-trailers", "--parse", stdin=prepared).encode() == SIGNED_OFF
