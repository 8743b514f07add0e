"""What git records is what we say it records, and a message file without text waits for a draft."""

import subprocess
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.message.characters import printable
from smartcommit.message.cleanup import (
    STRIP,
    WHITESPACE,
    awaits_draft,
    clean,
    cut_at_scissors,
    decode,
    find_cleaning,
    repair,
    strip_space,
)
from tests.support.profile import examples
from tests.support.repository import Repo
from tests.support.table import rows

CUT = b"# ------------------------ >8 ------------------------\n"
WRITTEN_BY_GIT = CUT + b"# Do not modify or remove the line above.\n# Everything below it will be ignored.\n"
STATUS = b"# Please enter the commit message for your changes.\n#\n# On branch main\n"

pieces = st.sampled_from([
    b"# c", b"#", b";", b" # no", b"x", b" ", b"\t", b"\r", b"\n", b"\n\n", b"\x0b", b"\x0c", b"\xc3\xa9", b"\xff",
    b"feat: x",
])  # fmt: skip
texts = st.lists(pieces, max_size=14).map(b"".join)


def stripspace(text: bytes, *options: str, comment: str = "#") -> bytes:
    command = ["git", "-c", f"core.commentChar={comment}", "stripspace", *options]
    return subprocess.run(command, input=text, capture_output=True, check=True).stdout


@given(texts=st.lists(texts, min_size=20, max_size=60), comment=st.sampled_from("#;%"))
@examples(60, fast=3)
def test_strip_space_equals_git_stripspace(texts: list[bytes], comment: str) -> None:
    for text in texts:
        assert strip_space(text, b"").text == stripspace(text)
        assert strip_space(text, comment.encode()).text == stripspace(text, "--strip-comments", comment=comment)


@given(text=texts)
def test_every_recorded_line_keeps_the_number_it_has_in_the_file(text: bytes) -> None:
    cleaned = strip_space(text, b"#")
    recorded = cleaned.text.split(b"\n")[:-1]
    source = text.split(b"\n")
    assert len(recorded) == len(cleaned.lines)
    for line, number in zip(recorded, cleaned.lines, strict=True):
        if line:
            assert source[number - 1].rstrip(b" \t\r") == line


def commit(
    repo: Repo, text: bytes, *, options: Sequence[str] = (), arguments: Sequence[str] = (), editor: bool
) -> tuple[bytes, bool, bytes]:
    """Commit `text` for real: what the commit-msg hook saw, whether git told it of an editor, and what git recorded."""
    repo.write("message", text)
    repo.write(".git/hooks/commit-msg", '#!/bin/sh\ncp "$1" seen; echo "$GIT_EDITOR" > used\n', executable=True)
    if editor:
        how, env = ["commit"], {"GIT_EDITOR": repo.editor(f'cp "{repo.path}/message" "$1"')}
    else:
        how, env = ["commit", "-F", "message"], {}
    repo.git(*options, *how, "-q", "--allow-empty", *arguments, env=env)
    saw_editor = (repo.path / "used").read_text().strip() != ":"
    record = repo.run("cat-file", "commit", "HEAD").stdout.partition(b"\n\n")[2]
    return (repo.path / "seen").read_bytes(), saw_editor, record


CONFIGS = [
    {},
    {"commit.cleanup": "whitespace"},
    {"commit.cleanup": "verbatim"},
    {"commit.cleanup": "scissors"},
    {"commit.verbose": "true"},
    {"commit.verbose": "0"},
    {"commit.verbose": "2", "commit.cleanup": "whitespace"},
    {"core.commentChar": ";"},
    {"core.commentChar": "auto"},
    {"core.commentChar": "auto", "commit.cleanup": "strip"},
]
FILES = [
    b"feat: x\n\nbody\n",
    b"# comment\nfeat: x\n; other\n\nbody   \n\n\n\nend\n",
    b"\n\nfeat: x\r\n\r\nbody\r\n",
    b"feat: x\n\nbody\n" + CUT + b"diff --git a/f b/f\n",
    b"feat: x\n\nbody\n" + STATUS,
    b"feat: x\n\n" + CUT.replace(b"\n", b"\r\n") + b"kept\n",
    b"feat: caf\xe9 \xef\xbf\xbe \xed\xa0\x80\n",
    b"feat: x\n\n\x0bvertical\x0c\nend",
]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize("editor", [True, False], ids=["editor", "no editor"])
def test_what_we_clean_is_what_git_records(repo: Repo, config: dict[str, str], editor: bool) -> None:
    for text in FILES:
        options = [word for key, value in config.items() for word in ("-c", f"{key}={value}")]
        seen, saw_editor, recorded = commit(repo, text, options=options, editor=editor)
        cleaning = find_cleaning(seen, [(key.lower(), value) for key, value in config.items()], editor=saw_editor)
        assert repair(clean(seen, cleaning).text) == recorded, printable(text.decode("latin-1"))


@pytest.mark.parametrize(
    ("text", "editor"),
    [
        (b"feat: x\n\n# heading\nbody\n", "true"),
        (b"feat: x #1\n\n;a\n", "true"),
        (b"#!\n;@\n\nx\n", "true"),
        (b"feat: x\n\n@all see\n", "true"),
        (b"feat: x\n\n@all see\n", "sed -i '/Please enter/,$d'"),
        (b"feat: x\n\n;a\n", "sed -i '/Please enter/,$d'"),
    ],
)
@pytest.mark.parametrize("arguments", [[], ["-v"], ["-s"]], ids=str)
def test_the_comment_character_is_as_git_chose_it(repo: Repo, text: bytes, editor: str, arguments: list[str]) -> None:
    repo.write("message", text)
    repo.write(".git/hooks/commit-msg", '#!/bin/sh\ncp "$1" seen\n', executable=True)
    auto, how = ("-c", "core.commentChar=auto"), ("--allow-empty", "-e", "-F", "message")
    repo.git(*auto, "commit", "-q", *how, *arguments, env={"GIT_EDITOR": editor})
    seen = (repo.path / "seen").read_bytes()
    cleaning = find_cleaning(seen, [("core.commentchar", "auto")], editor=True)
    assert clean(seen, cleaning).text == repo.run("cat-file", "commit", "HEAD").stdout.partition(b"\n\n")[2]


@pytest.mark.parametrize(
    ("below", "options", "mode"),
    [
        (b"diff --git a/f b/f\n+x\n", ["-v"], STRIP),
        (b"#\n# Changes to be committed:\ndiff --git c/f i/f\n+x\n", ["-vv"], STRIP),
        (b"#\n# On branch main\n", ["--cleanup=scissors"], WHITESPACE),
        (b"#\n# On branch main\n#\tmodified:   f\n#\ndiff --git a/f b/f\n", ["-v", "--cleanup=scissors"], WHITESPACE),
    ],
    ids=["-v", "-vv", "--cleanup=scissors", "-v --cleanup=scissors"],
)
def test_a_cut_line_of_git_tells_how_it_was_called(repo: Repo, below: bytes, options: list[str], mode: str) -> None:
    text = b"feat: x\n\n# kept only by scissors\nbody\n" + WRITTEN_BY_GIT + below
    seen, saw_editor, recorded = commit(repo, text, arguments=options, editor=True)
    cleaning = find_cleaning(seen, [], editor=saw_editor)
    assert cleaning.mode == mode
    assert clean(seen, cleaning).text == recorded


@rows(
    ("config", "comment"),
    ([("core.commentchar", ";"), ("core.commentstring", "//")], b"//"),
    ([("core.commentstring", "//"), ("core.commentchar", ";")], b";"),
    ([], b"#"),
)
def test_the_last_comment_string_configured_counts(config: list[tuple[str, str | None]], comment: bytes) -> None:
    assert find_cleaning(b"feat: x\n", config, editor=True).comment == comment


@given(st.binary(max_size=60))
def test_repair_always_gives_utf8_and_keeps_what_is_already(data: bytes) -> None:
    repaired = repair(data)
    assert repair(repaired) == repaired or "\ufffe" in repaired.decode()
    if data.isascii():
        assert repaired == data


@rows("name", "idna", "utf-8-sig", "unicode_escape", "base64", "no-such-charset")
def test_a_codec_that_is_no_charset_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="unknown encoding"):
        decode(b"feat: x\n", name)


@rows(("text", "encoding"), ("caf\xe9", "latin-1"), ("caf\xe9", "UTF-8"), ("caf\xe9", None))
def test_a_recorded_text_is_read_in_its_encoding(text: str, encoding: str | None) -> None:
    assert decode(text.encode(encoding or "utf-8"), encoding) == text


UNTOUCHED = b"# Please enter the commit message for your changes.\n#\n# Changes to be committed:\n#\tnew file:   a\n#\n"
BELOW = (
    b"# Do not modify or remove the line above.\n# Everything below it will be ignored.\ndiff --git a/a b/a\n+feat: x\n"
)
SIGNED_OFF = b"Signed-off-by: Ada <ada@example.invalid>\n"


@rows(
    ("content", "awaits"),
    (b"", True),
    (b" \t\n\r\n\n", True),
    (b"\n" + UNTOUCHED, True),
    (b"# a comment without a line end", True),
    (b"# a template\r\n# with CR LF\r\n", True),
    (b"\n" + UNTOUCHED + CUT + BELOW, True),
    (b"\n\n" + SIGNED_OFF + b"\n" + UNTOUCHED, True),
    (b"\nTicket: 7\n" + UNTOUCHED, True),
    (b"\n\n" + SIGNED_OFF + b"Ticket: 7\n  and more\n# a comment between\nChange-Id: I7\n\n" + UNTOUCHED, True),
    (b"\n\n(cherry picked from commit 0066baf)\n" + SIGNED_OFF, True),
    (b"\n\nReviewed-by:\n", True),
    # Among git's own trailers git takes a stray line for one of them.
    (b"\n\n" + SIGNED_OFF + b"not a trailer\n", True),
    (b"feat: x\n" + UNTOUCHED, False),
    (SIGNED_OFF + UNTOUCHED, False),
    (b"\n\nfeat: x\n\n" + SIGNED_OFF, False),
    (b"\n\n" + SIGNED_OFF + b"\nand text below\n", False),
    (b"\n\nSee also: this\n", False),
    (b"\n\n: no key\n", False),
    (b"\n\nReviewed-by: Ada\nnot a trailer\n", False),
    (b"\n\n" + SIGNED_OFF + b"\n---\ntext below a divider\n", False),
    (b"\n\xa0\n", False),
    (b" # an indented sign makes no comment\n", False),
    (b"\xef\xbb\xbf# a byte order mark\n", False),
    (b"\0\n", False),
    # A cut line is a whole line, ended by LF, of the comment string that holds.
    (CUT[:-1] + b"\r\ntext\n", False),
    (b"; ------------------------ >8 ------------------------\n" + BELOW, False),
)
def test_a_file_without_text_awaits_a_draft(content: bytes, awaits: bool) -> None:
    assert awaits_draft(content, b"#") is awaits


@rows("comment", b";", b"//", b"# ", b"\xc2\xa7")
def test_comment_string_decides_what_is_text(comment: bytes) -> None:
    assert awaits_draft(b"\n" + comment + b" Please enter\n", comment)
    assert awaits_draft(b"\n\nTicket: 7\n" + comment + b" between\nChange-Id: I7\n", comment)
    assert not awaits_draft(b"\n!" + comment + b" Please enter\n", comment)


@given(st.binary(), st.sampled_from([b"#", b";", b"//"]), st.binary())
def test_nothing_below_the_cut_line_matters(above: bytes, comment: bytes, below: bytes) -> None:
    content = above + b"\n" + comment + CUT[1:]
    assert cut_at_scissors(content + below, comment) == cut_at_scissors(content, comment)
    assert awaits_draft(content + below, comment) == awaits_draft(content, comment)
