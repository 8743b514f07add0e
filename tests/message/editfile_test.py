"""Where a message file still waits for a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.message.cleanup import awaits_draft, editable

STATUS = b"# Please enter the commit message for your changes.\n#\n# Changes to be committed:\n#\tnew file:   a\n#\n"
CUT = b"# ------------------------ >8 ------------------------\n"
BELOW = (
    b"# Do not modify or remove the line above.\n# Everything below it will be ignored.\ndiff --git a/a b/a\n+feat: x\n"
)
SIGNED_OFF = b"Signed-off-by: Ada <ada@example.invalid>\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b" \t\n\r\n\n",
        b"\n" + STATUS,
        STATUS,
        b"# a comment without a line end",
        b"# a template\r\n# with CR LF\r\n",
        b"\n" + STATUS + CUT + BELOW,
        CUT + BELOW,
        b"\n\n" + SIGNED_OFF + b"\n" + STATUS,
        b"\n\n" + SIGNED_OFF,
        b"\nTicket: 7\n" + STATUS,
        b"# template\n\n" + SIGNED_OFF + b"\n# more of it\n\n" + STATUS,
        b"\n\n" + SIGNED_OFF + b"Ticket: 7\n  and a second line\n# a comment between\nChange-Id: I7\n\n" + STATUS,
        b"\n\n(cherry picked from commit 0066baf)\n" + SIGNED_OFF,
        b"\n\nReviewed-by :Ada\r\n",
        b"\n\nReviewed-by:\n",
        # Among git's own trailers git takes a stray line for one of them.
        b"\n\n" + SIGNED_OFF + b"not a trailer\n",
    ],
)
def test_file_without_text_awaits_a_draft(content: bytes) -> None:
    assert awaits_draft(content, b"#")


@pytest.mark.parametrize(
    "content",
    [
        b"feat: x\n" + STATUS,
        b"\n\nsome text\n" + STATUS,
        b"fixes: #7\n\n" + STATUS,
        SIGNED_OFF + STATUS,
        b"\n\nfeat: x\n\n" + SIGNED_OFF,
        b"\n\n" + SIGNED_OFF + b"\nand text below\n",
        b"\n\n  indented text\n",
        b"\n\nSee also: this\n",
        b"\n\n: no key\n",
        b"\n\nReviewed-by: Ada\nnot a trailer\n",
        b"\n\n" + SIGNED_OFF + b"---\ntext below a divider\n",
        b"\n\xa0\n",
        b" # an indented sign makes no comment\n",
        b"\n" + STATUS + b"text below the status\n",
        b"\xef\xbb\xbf# a byte order mark\n",
        b"\0\n",
        # A cut line is a whole line, ended by LF, of the comment string that holds.
        CUT[:-1] + b"\r\ntext\n",
        b"; ------------------------ >8 ------------------------\n" + BELOW,
        b" " + CUT,
    ],
)
def test_file_with_text_does_not_await_a_draft(content: bytes) -> None:
    assert not awaits_draft(content, b"#")


@pytest.mark.parametrize("comment", [b";", b"//", b"# ", b"\xc2\xa7"])
def test_comment_string_decides_what_is_text(comment: bytes) -> None:
    assert awaits_draft(b"\n" + comment + b" Please enter\n", comment)
    assert awaits_draft(b"\n\nTicket: 7\n" + comment + b" between\nChange-Id: I7\n", comment)
    assert not awaits_draft(b"\n!" + comment + b" Please enter\n", comment)


@given(st.binary(), st.sampled_from([b"#", b";", b"//"]), st.binary())
def test_nothing_below_the_cut_line_matters(above: bytes, comment: bytes, below: bytes) -> None:
    content = above + b"\n" + comment + CUT[1:]
    assert editable(content + below, comment) == editable(content, comment)
    assert awaits_draft(content + below, comment) == awaits_draft(content, comment)


@given(st.lists(st.sampled_from([b"", b" \t", b"# x", b"#", b"\r"])))
def test_blank_lines_and_comments_always_await_a_draft(lines: list[bytes]) -> None:
    assert awaits_draft(b"\n".join(lines), b"#")


@given(st.binary(), st.text("abc", min_size=1), st.binary())
def test_a_word_on_a_line_of_its_own_is_text(before: bytes, word: str, after: bytes) -> None:
    content = before + b"\n" + word.encode() + b"\n" + after
    assert not awaits_draft(content, b"#") or CUT in content
