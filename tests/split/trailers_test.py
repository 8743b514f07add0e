"""The trailers that a split adds, beside those that git adds to the same messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartcommit.message.trailers import Trailer
from smartcommit.split.messages import add_trailers
from tests.support.repository import Repo
from tests.support.splitting import run

SIGN_OFF = Trailer("Signed-off-by", "Cora Committer <cora@example.invalid>")
BODIES = [
    "feat: add a",
    "feat: add a\n\nWhy.",
    "feat: add a\n\nRefs: #1",
    "feat: add a\n\nRefs: #1\n folded",
    "feat: add a\n\nRefs: #1\nsome prose",
    "feat: add a\n\nsome prose\nSigned-off-by: A <a@b>",
    "feat: add a\n\nBREAKING CHANGE: b is gone",
    "feat: add a\n\nBREAKING CHANGE: b is gone\nRefs: #1",
    "feat: add a\n\nBREAKING CHANGE: b is gone\nSigned-off-by: A <a@b>",
    "feat: add a\n\nBREAKING-CHANGE: b is gone",
    f"feat: add a\n\nRefs: #1\n{SIGN_OFF}",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_sign_off_goes_where_git_commit_puts_it(repo: Repo, body: str) -> None:
    repo.git("commit", "-q", "--allow-empty", "-s", "-m", body)
    assert add_trailers(f"{body}\n", [SIGN_OFF]) == repo.git("log", "-1", "--format=%B").removesuffix("\n")


def test_a_sign_off_is_not_repeated_above_other_trailers() -> None:
    """`git commit -s` would, but a plan that is applied twice must stay as it is."""
    message = f"feat: add a\n\n{SIGN_OFF}\nRefs: #1\n"
    assert add_trailers(message, [SIGN_OFF]) == message


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("Zoë Ünal".encode(), "UTF-8"), ("Zoë Ünal".encode("iso-8859-1"), "ISO-8859-1"), (b" Ada B. <x", "UTF-8")],
)
def test_the_name_in_a_sign_off_has_the_bytes_that_git_records(
    based: Repo, monkeypatch: pytest.MonkeyPatch, name: bytes, encoding: str
) -> None:
    monkeypatch.delenv("GIT_COMMITTER_NAME", raising=False)
    based.git("config", "i18n.commitEncoding", encoding)
    with Path(based.path, ".git/config").open("ab") as file:
        file.write(b'[user]\n\tname = "%s"\n[smartcommit]\n\tsignOff = require\n' % name)
    based.git("commit", "-q", "--allow-empty", "-s", "-m", "chore: by git")
    expected = based.run("cat-file", "commit", "HEAD").stdout
    based.write("src/a.py", "a = 1\n")
    assert run(based)[0] == 0
    made = based.run("cat-file", "commit", "HEAD").stdout
    sign_off = expected.rpartition(b"\n\n")[2]
    assert sign_off.startswith(b"Signed-off-by: ")
    assert made.rpartition(b"\n\n")[2] == sign_off
    assert (b"\nencoding " in made) == (b"\nencoding " in expected)


def test_a_name_in_utf_8_is_signed_off_in_the_encoding_of_the_message(
    based: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git would copy its bytes, which mean something else there."""
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Zoë Ünal")
    based.git("config", "i18n.commitEncoding", "ISO-8859-1")
    based.git("config", "smartcommit.signOff", "require")
    based.write("src/a.py", "a = 1\n")
    assert run(based)[0] == 0
    made = based.run("cat-file", "commit", "HEAD").stdout
    assert b"Signed-off-by: Zo\xeb \xdcnal <" in made
