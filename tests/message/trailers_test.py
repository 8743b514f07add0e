"""Trailers are what git reads as trailers in a commit, without asking git."""

import random

from smartcommit.message.parse import add_trailers
from smartcommit.message.trailers import Trailer, find_trailers, parse_trailers
from tests.support.repository import Repo
from tests.support.table import rows

_PARTS = [
    *("feat: x", "", "", "", "Signed-off-by: A <a@b>", "Key: value", "Other-Key: v", "  cont", "\tcont", " x: y"),
    *("prose", "a b: c", "- item", "# comment", "---", "--- x", "----", "***", "Conflicts:", "\tfile", "Key : v"),
    *("Key:", ":x", "K:v", "  ", "(cherry picked from commit abc)", "Constraints:", "- Never: x", "Closes #12"),
    *("note: http://x", "BREAKING CHANGE: the call", "> On Monday, Ada wrote:", "> Signed-off-by: B <b@c>"),
    "Bumps x.\n\n---\nupdated-dependencies:\n- dependency-name: x\n  dependency-type: direct:production\n...\n",
    *("From: Ada <a@b>\n---\n README.md | 2 ++", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"),
    *("# ------------------------ >8 ------------------------", "| a | b |\n|---|---|", "Title\n-----", "\u00e9: x"),
]


SECTIONS = (
    "feat: x\n\nTasks [ ]:\n- [ ] one\nSigned-off-by: A <a@b>\n",
    "feat: x\n\nTasks [ ]:\n- [ ] one\n- [ ] two\n- [ ] three\n- [ ] four\nSigned-off-by: A <a@b>\n",
    "feat: x\n\nConstraints:\n  - Never: a\n",
)


def make_messages(number: int) -> list[str]:
    chance = random.Random(7)
    messages = []
    for _ in range(number):
        parts = [chance.choice(["feat: x\n", "feat: x\nmore", "feat: x\n\nprose\n"])]
        parts += chance.choices(_PARTS, k=chance.randrange(10))
        parts += chance.choice([[], ["", "Signed-off-by: A <a@b>"], ["", "Key: value", " cont", "Signed-off-by: A"]])
        text = "\n".join(parts) + chance.choice(["\n", "", "\n\n"])
        if chance.random() < 0.2:
            text = text.replace("\n", "\r\n")
        messages.append(text)
    return messages


def ours(text: str) -> tuple[str, list[str]]:
    """Return the block of trailers, and those in it that git knows too."""
    lines = text.split("\n")
    start, end = find_trailers(lines, breaking=False)
    trailers = []
    for trailer in parse_trailers(lines[start:end]):
        if trailer.key != "BREAKING CHANGE":
            trailers.append(" ".join(str(trailer).split()))
    return "\n".join(lines[start:end]), trailers


def gits(repo: Repo, texts: list[str]) -> list[tuple[str, list[str]]]:
    """Return what `git log` reads of commits with these messages."""
    stream = b""
    for text in texts:
        data = text.encode()
        stream += b"commit refs/heads/messages\ncommitter A <a@b> 0 +0000\ndata %d\n%s\n" % (len(data), data)
    repo.git("fast-import", "--quiet", stdin=stream)
    log = repo.git("log", "--reverse", "--format=%(trailers)%x01%(trailers:only,unfold)%x02", "messages")
    found = []
    for entry in log.split("\2")[:-1]:
        block, trailers = entry.removeprefix("\n").split("\1")
        found.append((block.removesuffix("\n"), [" ".join(line.split()) for line in trailers.split("\n")[:-1]]))
    return found


def test_trailers_are_those_of_git_log(repo: Repo) -> None:
    texts = [*SECTIONS, *make_messages(600)]
    wrong = []
    for text, expected in zip(texts, gits(repo, texts), strict=True):
        if ours(text) != expected:
            wrong.append((text, ours(text), expected))
    assert wrong == []


def test_a_breaking_change_counts_as_a_trailer_beside_those_of_git() -> None:
    lines = ["feat: x", "", "BREAKING CHANGE: the call", " is gone", "Reviewed-by: B", ""]
    start, end = find_trailers(lines)
    assert list(map(str, parse_trailers(lines[start:end]))) == ["BREAKING CHANGE: the call is gone", "Reviewed-by: B"]
    assert find_trailers(lines, breaking=False) == (len(lines), len(lines))


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


@rows("body", *BODIES)
def test_a_sign_off_goes_where_git_commit_puts_it(repo: Repo, body: str) -> None:
    repo.git("commit", "-q", "--allow-empty", "-s", "-m", body)
    assert add_trailers(f"{body}\n", [SIGN_OFF]) == repo.git("log", "-1", "--format=%B").removesuffix("\n")


@rows(
    ("message", "expected"),
    # `git commit -s` would repeat it, but a plan that is applied twice must stay as it is.
    (f"feat: add a\n\n{SIGN_OFF}\nRefs: #1\n", f"feat: add a\n\n{SIGN_OFF}\nRefs: #1\n"),
    ("feat: add a\n\nSigned-off-by: \nRefs: #1\n", f"feat: add a\n\nRefs: #1\n{SIGN_OFF}\n"),
    ("feat: add a\n\n# kept\n\nRefs: #1\n", f"feat: add a\n\n# kept\n\nRefs: #1\n{SIGN_OFF}\n"),
)
def test_a_sign_off_is_added_once(message: str, expected: str) -> None:
    assert add_trailers(message, [SIGN_OFF]) == expected
