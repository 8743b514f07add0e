"""Trailers are what git reads as trailers, without asking git."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.message.trailers import Trailer, find_trailers, parse_trailers
from tests.support.profile import examples


def ours(text: str) -> list[str]:
    lines = text.split("\n")
    start, end = find_trailers(lines)
    return [str(trailer).strip() for trailer in parse_trailers(lines[start:end])]


def gits(text: str) -> list[str]:
    done = subprocess.run(
        ["git", "interpret-trailers", "--parse"], input=text.encode(), capture_output=True, check=True, timeout=20
    )
    return [line.strip() for line in done.stdout.decode().split("\n")[:-1]]


# A cut line below a divider is left out: it makes git 2.39 loop for ever.
LINES = [
    *("feat: x", "", "", "Signed-off-by: A <a@b>", "Key: value", "Other-Key: v", "  cont", "\tcont", " x: y", "prose"),
    *("a b: c", "- item", "# comment", "---", "--- x", "Conflicts:", "\tfile", "Key : v", "Key:", ":x", "K:v", "  "),
    *("(cherry picked from commit abc)", "Constraints:", "- Never: x", "note: http://x", "Closes #12"),
]
messages = st.builds(
    lambda head, body, end: head + "\n".join(body) + end,
    st.sampled_from(["feat: x\n\n", "feat: x\n\nprose\n\n", ""]),
    st.lists(st.sampled_from(LINES), max_size=10),
    st.sampled_from(["\n", ""]),
)


@given(st.lists(messages, min_size=25, max_size=25))
@examples(40, fast=3)
def test_trailers_equal_those_of_git_interpret_trailers(texts: list[str]) -> None:
    for text in texts:
        assert ours(text) == gits(text), text


@pytest.mark.parametrize(
    "text",
    [
        "feat: x\n\nBody.\n\nConstraints:\n- Never: a\n\nSigned-off-by: A <a@b>\n",
        "feat: x\n\nTasks [ ]:\n- [ ] one\nSigned-off-by: A <a@b>\n",
        "feat: x\n\nTasks [ ]:\n- [ ] one\n- [ ] two\n- [ ] three\n- [ ] four\nSigned-off-by: A <a@b>\n",
        "feat: x\n\nConstraints:\n  - Never: a\n",
        "feat: x\n\nKey: a\n b\n\tc\nReviewed-by: B\n",
    ],
)
def test_sections_beside_trailers_are_read_as_git_reads_them(text: str) -> None:
    assert ours(text) == gits(text)


def test_a_breaking_change_counts_as_a_trailer_beside_those_of_git() -> None:
    text = "feat: x\n\nBREAKING CHANGE: the call\n is gone\nReviewed-by: B\n"
    assert ours(text) == ["BREAKING CHANGE: the call is gone", "Reviewed-by: B"]
    assert gits(text) == []


def test_equal_trailers_are_equal() -> None:
    assert Trailer("A", "b") == Trailer("A", "b") != Trailer("A", "c")
