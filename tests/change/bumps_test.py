"""Version numbers that move."""

from __future__ import annotations

from smartcommit.change.bumps import Bump, find_bumps
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from tests.support.table import rows


def moved(path: str, before: str, after: str) -> tuple[list[Bump], bool]:
    hunk = Hunk(1, 1, 1, 1, b"", before.encode().split(b"\n"), after.encode().split(b"\n"))
    change = FileChange("M", path.encode(), None, "100644", "100644", "a" * 40, "b" * 40)
    return find_bumps(FileDiff(change, [hunk]), is_source=path.endswith(".py"))


@rows(
    ("path", "before", "after", "bump"),
    [
        ("requirements.txt", "requests==2.31", "requests==2.32", Bump("2.31", "2.32")),
        ("ci.yml", "- uses: actions/checkout@v3", "- uses: actions/checkout@v4", Bump("3", "4")),
        ("ci.yml", "node-version: 18", "node-version: 20", Bump("18", "20")),
        ("go.mod", "\ta.b/c v1.2.3\n\ta.b/d v1.0.0 // indirect", "\ta.b/c v1.3.0", Bump("1.2.3", "1.3.0")),
        ("go.mod", "\ta.b/d v1.0.0 // indirect", "\ta.b/d v1.1.0 // indirect", Bump("1.0.0", "1.1.0")),
        ("a.yml", f"uses: a/b@{'a' * 40} # v1.2.3", f"uses: a/b@{'b' * 40} # v1.2.4", Bump("1.2.3", "1.2.4")),
        ("package.json", '  "version": "1.2.3",', '  "version": "1.3.0",', Bump("1.2.3", "1.3.0", own=True)),
        ("a/__init__.py", '__version__ = "1.0"', '__version__ = "1.1"', Bump("1.0", "1.1", own=True)),
        ("Chart.yaml", "version: 1.0.0", "version: 1.1.0", Bump("1.0.0", "1.1.0", own=True)),
        ("Chart.yaml", "- name: redis\n  version: 1.0.0", "- name: redis\n  version: 1.1.0", Bump("1.0.0", "1.1.0")),
        ("package.json", '"lodash": "^4.17.20",', '"lodash": "^4.17.21",', Bump("4.17.20", "4.17.21")),
    ],
)  # fmt: skip
def test_a_moved_version_is_read(path: str, before: str, after: str, bump: Bump) -> None:
    assert moved(path, before, after) == ([bump], True)


@rows(
    ("path", "before", "after"),
    [
        ("ci.yml", "- uses: a/b@v1.2.0", "- uses: a/b@1.2.0"),
        ("a.py", "timeout = 10", "timeout = 20"), ("a.py", "a==1.0", "b==1.0"), ("a.py", "a==1.0\nb", "a==1.1\nc"),
        ("a.py", "a==1.0", "a==1.1\nb==1"), ("a.py", "alpha = 0.5", "alpha = 0.7"),
        ("a.css", "margin: 1.5em 2em;", "margin: 2.5em 2em;"), ("a.py", 'h = "10.0.0.1"', 'h = "10.0.0.2"'),
        ("a.py", "sleep(1.5)", "sleep(2.5)"), ("a.py", 'Decimal("0.19")', 'Decimal("0.21")'),
        ("a.py", "if x > 1.5:", "if x > 2.5:"), ("a.py", "- 0.5", "- 0.7"),
        ("a.py", 's = "tool 0.1 ready"', 's = "tool 0.1.0 ready"'),
        ("a.py", "x = y * 0.5", "x = y * 0.7"), ("a.py", "python: ['3.9', '3.10']", "python: ['3.10', '3.11']"),
        ("go.mod", "\ta.b/c v1.2.3", "\ta.b/c v1.3.0\n\ta.b/e v1.0.0"),
    ],
)  # fmt: skip
def test_other_edits_are_more_than_a_bump(path: str, before: str, after: str) -> None:
    assert moved(path, before, after)[1] is False
