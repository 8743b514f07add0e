"""Version numbers that move, and words that are spelled right."""

from __future__ import annotations

from smartcommit.change.edits import LiteralEdit, find_versions
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from tests.support.table import rows


def version(name: str | None, old: str, new: str, *, own: bool = False) -> LiteralEdit:
    return LiteralEdit("version", old, new, name, own)


def moved(path: str, before: str, after: str) -> tuple[list[LiteralEdit], bool]:
    hunk = Hunk(1, 1, 1, 1, b"", before.encode().split(b"\n"), after.encode().split(b"\n"))
    return find_versions(FileDiff(FileChange("M", path.encode(), None, "100644", "100644", "a" * 40, "b" * 40), [hunk]))


@rows(
    ("path", "before", "after", "bump"),
    [
        ("requirements.txt", "requests==2.31", "requests==2.32", version("requests", "2.31", "2.32")),
        ("package.json", '"lodash": "^4.17.20",', '"lodash": "^4.17.21",', version("lodash", "4.17.20", "4.17.21")),
        ("package.json", '"@types/node": "~1.2.0"', '"@types/node": "~1.3.0"', version("types/node", "1.2.0", "1.3.0")),
        ("Cargo.toml", 'a = { version = "1.0.1" }', 'a = { version = "1.0.2" }', version("a", "1.0.1", "1.0.2")),
        ("go.mod", "go 1.21", "go 1.22", version("go", "1.21", "1.22")),
        ("ci.yml", "go: 1.21", "go: 1.22", version("go", "1.21", "1.22")),
        ("setup.cfg", "  requests >= 2.31", "  requests >= 2.32", version("requests", "2.31", "2.32")),
        ("a.yml", "image: redis:6.2", "image: redis:7.0", version("redis", "6.2", "7.0")),
        ("go.mod", "\tgithub.com/a/b v1.2.3", "\tgithub.com/a/b v1.3.0", version("github.com/a/b", "1.2.3", "1.3.0")),
        ("gradle.properties", "zstdVersion = 1.5.7-7", "zstdVersion = 1.5.7-11", version("zstdVersion", "1.5.7-7",
            "1.5.7-11")),
        ("go.mod", "\ta.b/c v0.0.0-20250102030405-0123456789ab", "\ta.b/c v0.0.0-20260102030405-abcdef012345",
            version("a.b/c", "0.0.0-20250102030405-0123456789ab", "0.0.0-20260102030405-abcdef012345")),
        ("ci.yml", "- uses: actions/checkout@v3", "- uses: actions/checkout@v4", version("actions/checkout", "3", "4")),
        ("ci.yml", "node-version: 18", "node-version: 20", version("node", "18", "20")),
        ("Dockerfile", "FROM python:3.11-slim", "FROM python:3.12-slim", version("python", "3.11", "3.12")),
        ("a.py", 'X = "https://a.example/v1.2/b"', 'X = "https://a.example/v1.3/b"', version(None, "1.2", "1.3")),
        ("a.yaml", "    rev: v1.2.0", "    rev: v1.3.0", version(None, "1.2.0", "1.3.0")),
        ("package.json", '  "version": "1.2.3",', '  "version": "1.3.0",', version(None, "1.2.3", "1.3.0", own=True)),
        ("a/__init__.py", '__version__ = "1.0"', '__version__ = "1.1"', version(None, "1.0", "1.1", own=True)),
    ],
)  # fmt: skip
def test_a_moved_version_is_read(path: str, before: str, after: str, bump: LiteralEdit) -> None:
    assert moved(path, before, after) == ([bump], True)


def test_modules_that_others_require_are_no_other_change() -> None:
    before = "\ta.b/c v1.2.3\n\ta.b/d v1.0.0 // indirect"
    found, only = moved("go.mod", before, "\ta.b/c v1.3.0")
    assert (found, only) == ([version("a.b/c", "1.2.3", "1.3.0")], True)
    assert moved("go.mod", before, "\ta.b/c v1.3.0\n\ta.b/e v1.0.0")[1] is False
    assert moved("go.mod", "\ta.b/d v1.0.0 // indirect", "\ta.b/d v1.1.0 // indirect")[1] is True


def test_a_pinned_action_is_told_by_the_version_beside_its_hash() -> None:
    found, only = moved("ci.yml", f"uses: a/b@{'a' * 40} # v1.2.3", f"uses: a/b@{'b' * 40} # v1.2.4")
    assert (found, only) == ([version("a/b", "1.2.3", "1.2.4")], True)


@rows(
    ("before", "after"),
    [
        ("timeout = 10", "timeout = 20"), ("a==1.0", "b==1.0"), ("a==1.0\nb", "a==1.1\nc"), ("a==1.0", "a==1.1\nb==1"),
        ("alpha = 0.5", "alpha = 0.7"), ("margin: 1.5em 2em;", "margin: 2.5em 2em;"),
        ('h = "10.0.0.1"', 'h = "10.0.0.2"'),
        ("sleep(1.5)", "sleep(2.5)"), ("if x > 1.5:", "if x > 2.5:"), ("x = y * 0.5", "x = y * 0.7"),
        ("- 0.5", "- 0.7"), ("python: ['3.9', '3.10']", "python: ['3.10', '3.11']"),
    ],
)  # fmt: skip
def test_other_edits_are_more_than_a_bump(before: str, after: str) -> None:
    assert moved("requirements.txt", before, after)[1] is False
