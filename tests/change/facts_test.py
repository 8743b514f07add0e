"""Which of its files a change is about."""

from smartcommit.change.facts import ChangeFacts
from smartcommit.git.diff import FileDiff
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows


def make_file(path: str, lines: int) -> FileDiff:
    """A file with so many lines, whose name says what came: `new` is added, `moved` renamed, `comments` has these."""
    name = path.rpartition("/")[2].partition(".")[0]
    if name == "spaced":
        return make_diff(path, make_hunk(["f( a )"] * lines, ["f(a)"] * lines))
    text = "# why {}" if name == "comments" else "value_{0} = {0}"
    status = {"new": "A", "moved": "R"}.get(name, "M")
    return make_diff(path, make_hunk(list(map(text.format, range(lines)))), status=status)


@rows(
    ("files", "core"),
    ({"a.py": 1, "tests/test_a.py": 99}, "a.py"),
    ({"setup.cfg": 1, "tests/test_a.py": 7}, "setup.cfg"),
    ({"setup.cfg": 1, "tests/test_a.py": 8}, "tests/test_a.py"),
    ({"setup.cfg": 3, "tests/test_a.py": 99}, "setup.cfg"),
    ({"a.py": 1, "docs/new.md": 7}, "a.py"),
    ({"a.py": 1, "docs/new.md": 8}, "docs/new.md"),
    ({"a.py": 1, "docs/old.md": 99}, "a.py"),
    ({"a.py": 2, "b.toml": 3}, "a.py"),
    ({"a.py": 2, "b.toml": 4, "docs/old.md": 1}, "b.toml"),
    ({"a.py": 2, "changelog/unreleased/b.yml": 4}, "a.py"),
    ({"a.py": 1, "package-lock.json": 99}, "a.py"),
    ({"tests/test_a.py": 1, "package-lock.json": 99}, "tests/test_a.py"),
    ({"package-lock.json": 1}, "package-lock.json"),
    ({"a.py": 1, "comments.py": 3}, "a.py"),
    ({"a.py": 1, "comments.py": 4}, "a.py comments.py"),
    ({"a.py": 1, "comments.py": 4, "spaced.c": 1}, "a.py comments.py"),
    ({"tests/test_a.py": 1, "comments.py": 1}, "tests/test_a.py"),
    ({"tests/test_a.py": 1, "comments.py": 2}, "comments.py"),
    ({"comments.py": 1}, "comments.py"),
    ({"moved.py": 1, "tests/moved.py": 1}, "moved.py tests/moved.py"),
    ({"a.py": 1, "locale/de.json": 9, "locale/en.json": 9, "locale/fr.json": 9}, "a.py"),
    ({"b.toml": 1, "locale/de.json": 9, "locale/en.json": 9, "locale/fr.json": 9}, "b.toml"),
    ({"b.toml": 1, "locale/de.json": 9, "locale/en.json": 9}, "b.toml locale/de.json locale/en.json"),
    ({"locale/de.json": 1, "locale/en.json": 1, "locale/fr.json": 1}, "locale/de.json locale/en.json locale/fr.json"),
)
def test_a_change_is_about_some_of_its_files(files: dict[str, int], core: str) -> None:
    facts = ChangeFacts([make_file(path, lines) for path, lines in files.items()])
    assert [file.path.decode() for file in facts.core] == core.split()
