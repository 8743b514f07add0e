"""Commits with every header, message and author that git records are read, and written again as they are."""

import itertools

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.git.fast_import import Identity, NewCommit, read_identity, sign_commits, write_commits
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_range_snapshot
from smartcommit.rewrite.commits import OldCommit, find_unpushed_range, parse_commit
from smartcommit.split.outcome import GIT_FAILED
from tests.support.repository import Repo
from tests.support.table import rows

WHO = b"Ada <ada@example.invalid> 1767323045 +0000"
# Authors that git records: some with git, some with other programs.
AUTHORS = [
    WHO,
    b" <nameless@example.invalid> 1 +0000",
    b"Jr. Ada, Jr. <a@b> 1767323045 -0330",
    b"J\xc3\xb6rg \xf0\x9f\xa6\x93 <j@example.invalid> 99999999999 +1400",
    b"J\xf6rg <j\xf6@example.invalid> 1767323045 +0000",
    b"dependabot[bot] <49699333+dependabot[bot]@users.noreply.example> 1767323045 +0000",
    b'"quoted" \\ name <a b@c> 1767323045 +0545',
    b"Ada  Two  Spaces <ada@example.invalid> 1767323045 -0000",
    b"Other zone <ada@example.invalid> 1767323045 +51800",
    # Those that fast-import refuses.
    b"Ada <ada@example.invalid> <ada@example.invalid> 1767323045 +0000",
    b"A <a <b> c> 1 +0000",
    b"Ada ada> 1 +0000",
    b"Ada <a@b>",
    b"",
]
# Those that git cannot read.
BROKEN = [b"", b"Ada <a@b>", b"Ada <a@b> x y", b"Ada <ada@example.invalid 1767323045 +0000", b"Ada ada> 1 +0000"]
MESSAGES = [
    b"feat: plain\n",
    b"feat: no newline at the end",
    b"",
    b"\n",
    b"\n\nfeat: blank lines before\n\n\n",
    b"feat: carriage return\r\n\r\nbody\r\n",
    b"feat: NUL\0inside\n",
    b"feat: \x1b[31mred\x07\n\ndata 3\nfrom 1\nM 100644 x y\n",
    b"caf\xe9\n",
    b"tree 0\nparent 0\n\nno header\n",
    b"x" * 100_000,
]
ENCODINGS: list[bytes | None] = [
    None, b"ISO-8859-1", b"UTF-8", b"utf-16", b"none such", b"undefined", b"hex", b"idna", b"caf\xe9", b"\x1b[31m"
]  # fmt: skip


def make(repo: Repo, *, author: bytes = WHO, message: bytes = b"wip\n", more: bytes = b"") -> str:
    """Record a commit of what is staged, on HEAD, with exactly these bytes, and make it HEAD."""
    tree, parent = repo.git("write-tree").strip().encode(), repo.git("rev-parse", "HEAD").strip().encode()
    content = b"tree %s\nparent %s\nauthor %s\ncommitter %s\n%s\n%s" % (tree, parent, author, WHO, more, message)
    oid = repo.git("hash-object", "-t", "commit", "--literally", "-w", "--stdin", stdin=content).strip()
    repo.git("update-ref", "--no-deref", "refs/heads/main", oid)
    return oid


def read(repo: Repo) -> OldCommit:
    return find_unpushed_range(Repository.find(str(repo.path))).commits[-1]


def write_again(repo: Repo, old: OldCommit) -> str:
    """Write `old` again with all that it has, and return the new commit's name."""
    new = NewCommit(old.message, old.parents, tree=old.tree, author=old.author, encoding=old.encoding)
    with take_range_snapshot(Repository.find(str(repo.path)), old.parents[0]) as snapshot:
        quarantine = snapshot.run.quarantine.repository
        return write_commits(quarantine, old.parents[0], [new], Identity(WHO, old.committer))[-1].commit


@rows(
    ("author", "message", "encoding"),
    *[(author, b"wip\n", None) for author in AUTHORS],
    *[(WHO, message, None) for message in MESSAGES],
    *[(WHO, b"caf\xe9 x\n", encoding) for encoding in ENCODINGS],
)
def test_a_commit_is_written_again_as_it_is(based: Repo, author: bytes, message: bytes, encoding: bytes | None) -> None:
    more = b"encoding %s\n" % encoding if encoding else b""
    oid = make(based, author=author, message=message, more=more)
    old = read(based)
    assert (old.oid, old.author, old.message) == (oid, author, message)
    assert old.title == old.text.partition("\n")[0]
    assert write_again(based, old) == oid
    assert NewCommit(old.message, (), encoding=old.encoding).title is not None


@pytest.mark.parametrize("author", BROKEN)
def test_a_range_with_such_an_author_is_refused(based: Repo, author: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    based.git("branch", "start")
    for name in ("one", "two"):
        based.stage({f"{name}.txt": "x\n", "base.txt": f"{name}\n"})
        make(based, author=author)
    first = based.git("rev-parse", "HEAD^")[:10]
    assert_refused(based, capfd, f"the author of {first} has no address or no date: '{author.decode()}'\n")


def test_a_commit_without_an_author_is_named(based: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    based.git("branch", "start")
    based.commit("feat: add nothing")
    content = based.run("cat-file", "commit", "HEAD").stdout.replace(b"\nauthor ", b"\nwriter ")
    oid = based.git("hash-object", "-t", "commit", "--literally", "-w", "--stdin", stdin=content).strip()
    based.git("update-ref", "refs/heads/main", oid)
    assert_refused(based, capfd, f"commit {oid[:10]} has no author or no committer\n")


def assert_refused(repo: Repo, capfd: pytest.CaptureFixture[str], why: str) -> None:
    before = repo.state()
    assert git_smart_commit(["range", "start..", "--yes", "--repo", str(repo.path)]) == GIT_FAILED
    assert capfd.readouterr().err.startswith(f"smartcommit: {why}")
    assert repo.state() == before
    assert not list(repo.path.glob(".git/smartcommit/split/*"))


@rows("name", "undefined", "hex", "utf-16", "idna", "none such")
def test_a_configured_encoding_that_is_none_is_utf_8(based: Repo, name: str) -> None:
    identity = read_identity(Repository.find(str(based.path)), [("i18n.commitencoding", name)])
    message, encoding = identity.encode("feat: caf\xe9\n")
    assert message.decode(encoding or "utf-8") == "feat: caf\xe9\n"


def test_headers_that_go_on_over_lines_are_told_from_the_message(based: Repo) -> None:
    tag = b"mergetag object 1\n type commit\n tag v1\n tagger x\n \n text\n \n encoding hex\n"
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n author evil\n -----END PGP SIGNATURE-----\n"
    oid = make(based, more=tag + signature + b"unknown header\nHG:extra amend:x\n", message=b"feat: x\n")
    old = read(based)
    assert (old.oid, old.message, old.author, old.encoding, old.signed) == (oid, b"feat: x\n", WHO, None, True)


def test_a_commit_without_a_blank_line_has_no_message() -> None:
    old = parse_commit("0" * 40, b"tree 1\nauthor %s\ncommitter %s\n" % (WHO, WHO))
    assert (old.message, old.author, old.parents) == (b"", WHO, ())


# Of other names git strips what it never records itself, and it knows no odd zone.
SIGNABLE = [WHO, *(author for author in AUTHORS if author.startswith((b"J\xc3", b"J\xf6", b"dep")))]
# Stands in for gpg, as far as git looks. Source: gpg-interface.c of git.
SIGNER = """#!/bin/sh
cat > /dev/null
echo '[GNUPG:] SIG_CREATED ' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nabc\\n-----END PGP SIGNATURE-----\\n'
"""


@rows(("author", "message"), *itertools.product(SIGNABLE, [b"feat: x\n", b"caf\xe9, no newline at the end"]))
def test_a_signed_commit_keeps_author_message_and_encoding(based: Repo, author: bytes, message: bytes) -> None:
    program = based.write(".git/signer", SIGNER, executable=True)
    based.git("config", "gpg.program", str(program))
    parent = based.git("rev-parse", "HEAD").strip()
    tree = based.git("rev-parse", "HEAD^{tree}").strip()
    commit = NewCommit(message, (parent,), tree=tree, author=author, encoding="ISO-8859-1")
    repository = Repository.find(str(based.path))
    made = write_commits(repository, parent, [commit], Identity(WHO, WHO))
    (signed,) = sign_commits(repository, [commit], made[1:], Identity(WHO, WHO))
    old = parse_commit(signed.commit, based.run("cat-file", "commit", signed.commit).stdout)
    assert old.signed
    assert (old.author, old.message, old.encoding) == (author, message, "ISO-8859-1")
