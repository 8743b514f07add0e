"""A message compared with its change: what is reported, and what cannot be known and is not."""

import pytest

from smartcommit.claims.compare import find_violations
from smartcommit.claims.evidence import MAX_BYTES, ChangeEvidence
from smartcommit.claims.ranges import read_staged_change
from smartcommit.message.parse import parse
from tests.support.repository import Repo
from tests.support.table import rows

OLD = """\
import os


class ReportWriter:
    def write_header(self, title):
        return title

    def old_thing(self):
        return os.sep
"""
NEW = """\
import os


class ReportWriter:
    def write_header(self, title):
        return title

    def new_thing(self, depth):
        return os.sep * depth + 3
"""
VERSIONS = "single = 3\nuses = action@v4\nneeds = 4.5.1\n"
DOCUMENT = "# Guide\n\nThe writer writes a title.\n"


@pytest.fixture
def staged(inside: Repo) -> Repo:
    """A repository in which one method takes the place of another, in `lib/report.py`."""
    inside.commit("feat: base", {"lib/report.py": OLD, "README.md": DOCUMENT})
    inside.stage({"lib/report.py": NEW})
    return inside


def list_texts(message: str, change: ChangeEvidence | None = None) -> list[str]:
    found = find_violations(parse(message), change or read_staged_change())
    return [violation.text for violation in found]


@rows(
    "message",
    "refactor: replace `old_thing` with `new_thing`",
    "refactor: replace old_thing with newThing in lib/report.py",
    "fix(report): repeat the separator for a depth",
    "Rename old_thing to new_thing",
    "fix: let ReportWriter.new_thing() take a depth",
    "feat: add a depth",
    "fix: write the separator like `other_name` does",
    "fix: repeat the separator instead of other_name",
    "fix: repeat the separator\n\nThe other way, `some_thing`, is what parse_all() does when it is slow.",
    "fix: repeat the separator\n\nSee https://example.com/a_name/b.py and #12, thanks to @some_name.",
    "fix: repeat the separator\n\n```\nTraceback: wrong_name()\n```\n",
    "fix: repeat the separator\n\n    $ run wrong_name.py\n",
    "fix: repeat the separator\n\nTODO:\n- remove `wrong_name`\n",
    "fix: repeat the separator\n\n* add `wrong_name`\n\n* remove `wrong_name`",
    "fix: repeat the separator\n\n- [ ] Add `wrong_name`",
    "fix: repeat the separator\n\nReviewed-by: wrong_name <a@example.com>",
    "fix: repeat the separator on GitHub and for PostgreSQL",
    "fix: repeat the separator of Node.js for aws.DynamoDB",
    "fix: stop map() early",
    "fix: repeat the separator\n\nRun `make generate`.",
    "fix: avoid an IndexError of the separator",
    "fix: drop all `new_things`",
    "fix: mend `new_thing.xq`",
    "fix: let `pages.new_thing` wait",
    "fix(wrong.py): mend a depth",
    "fix: repeat the separator\n\n<!-- Add `wrong_name` -->",
    'Revert "feat: add `wrong_name`"',
    "",
)
def test_what_the_change_shows_or_nobody_can_know_is_not_reported(staged: Repo, message: str) -> None:
    assert list_texts(message) == []


@rows(
    ("message", "text"),
    ("fix: stop `wrong_thing` early", "'wrong_thing'"),
    ("fix: stop new_thing and wrong_thing early", "'wrong_thing'"),
    ("fix: let `new_thing.xqz()` wait", "'new_thing.xqz()'"),
    ("fix: stop wrongThing early", "'wrongThing'"),
    ("fix: stop wait() early", "'wait()'"),
    ("fix: stop WrongThing early", "'WrongThing'"),
    ("fix: honor --wrong-thing for a depth", "'--wrong-thing'"),
    ("fix: repeat it\n\n- Add `WRONG_THING`", "'WRONG_THING'"),
    ("fix: repeat it\n\n- Let parse_title(\n  ) work\n- Use FooBar", "'FooBar'"),
    ("fix: mend lib/wrong.py", "'lib/wrong.py'"),
    ("fix: mend it\n\nAlso adds unit tests.", "says 'adds unit tests', but no test changes"),
    ("Update wrong.yaml and page.js", "'page.js'"),
    ("Update Dockerfile", "'Dockerfile'"),
    ("fix: let ReportReader.new_thing() take a depth", "'ReportReader.new_thing()'"),
    ("test: repeat the separator", "says 'test', but no test changes, only 'lib/report.py'"),
    ("docs: repeat the separator",
     "says 'docs', but no document changes, only 'lib/report.py', and hardly any comment"),
    ("fix: also add old_thing", "says 'add', but 'old_thing' is only removed"),
    ("fix: remove new_thing", "says 'remove', but 'new_thing' is only added"),
    ("fix: add old_thing", "says 'add', but 'old_thing' is only removed"),
    ("fix: repeat the separator, with tests", "says 'with tests', but no test changes"),
    ("fix: mend it\n\nThe docs are updated as well.", "says 'The docs are updated', but no documentation changes"),
    ("fix: update to 4.5.1", "'4.5.1'"),
    ("fix: update to 3.0", "'3.0'"),
)  # fmt: skip
def test_what_the_change_does_not_show_is_named(staged: Repo, message: str, text: str) -> None:
    if text.startswith("'"):
        text += " is in no line or path of the change"
    assert text in list_texts(message)


@rows(
    ("message", "line", "column"),
    ("fix: mend it\n\nsome words\n- add `wrong_thing`", 3, 7),
    ("fix: mend it. remove new_thing", 0, 14),
)
def test_a_finding_stands_at_its_words(staged: Repo, message: str, line: int, column: int) -> None:
    (found,) = find_violations(parse(message), read_staged_change())
    assert (found.code, found.line, found.column) == ("claims", line, column)


@rows(
    ("files", "message", "reported"),
    ({"lib/report.py": OLD + "\n\ndef added():\n    pass\n"}, "fix: remove a pass", True),
    ({"setup.cfg": VERSIONS}, "build: bump it to 3.0", True),
    ({"setup.cfg": VERSIONS}, "build: bump it to 4.0", False),
    ({"setup.cfg": VERSIONS}, "build: bump it to 4.5.0", True),
    ({"setup.cfg": VERSIONS}, "build: bump it to 4.5", False),
    ({".gitignore": "coverage/\n"}, "chore: remove coverage", False),
    ({"tests/report_test.py": "def test_it():\n    pass\n"}, "test: cover the writer", False),
    ({"tests/report_test.py": "def test_it():\n    pass\n"}, "fix: mend the writer, with tests", False),
    ({"README.md": DOCUMENT + "More.\n"}, "docs: say more", False),
    ({"README.md": DOCUMENT + "More.\n"}, "feat: say more", True),
    ({"install.txt": "Names are read as they are.\nA host without one is left out.\n"}, "feat: read hosts", True),
    ({"install.txt": "#!/bin/sh\ncp {{ source }} $target\n"}, "feat: read hosts", False),
    ({"lib/report.py": OLD.replace("        return title", "        # Titles are short.\n        return title")},
     "docs: say that titles are short", False),
    ({"lib/report.py": OLD.replace("return title", "return  title")}, "style: format the writer", False),
    ({"lib/report.py": NEW + "\n\ndef added():\n    pass\n"}, "style: format the writer", True),
    ({"lib/report.py": OLD.replace("return os.sep", "pass") + "value = 1\n" * 20}, "fix: remove a call", True),
    ({".github/workflows/a.yml": "on: push\n"}, "ci: run on push", False),
    ({".github/workflows/a.yml": "on: push\n"}, "feat: run on push", True),
    ({"lib/report.py": NEW}, "ci: run on push", True),
    ({"lib/report.py": OLD + "value = 1\n" * 9 + "github = 1\n"}, "ci: run on push", False),
    ({"docs/guide.html": "<p>More.</p>\n"}, "feat: say more", False),
    ({"image.png": b"\0\1\2"}, "feat: add `some_name`", False),
    ({"image.png": b"\0\1\2"}, "feat: add picture.png", True),
    ({"big.py": "x = 1\n" * (MAX_BYTES // 6 + 1)}, "feat: add `some_name`", False),
)  # fmt: skip
def test_kinds_of_files_decide(staged: Repo, files: dict[str, str | bytes], message: str, reported: bool) -> None:
    staged.git("reset", "-q", "--hard")
    staged.stage(files)
    assert bool(list_texts(message)) == reported


def test_a_file_that_is_only_renamed_is_not_read(staged: Repo) -> None:
    staged.git("reset", "-q", "--hard")
    staged.git("mv", "lib/report.py", "lib/writer.py")
    assert list_texts("refactor: rename report.py to writer.py") == []
    assert list_texts("refactor: move `any_name`") == []
    assert list_texts("refactor: rename writer.py to report.py") == []
    assert list_texts("refactor: rename reader.py") == ["'reader.py' is in no line or path of the change"]
    staged.stage({"other.py": "value = 1\n"})
    assert list_texts("refactor: move `any_name`") == []


@rows(
    ("message", "texts"),
    ("feat: add lib/page.py", []),
    ("feat: remove lib/report.py", []),
    ("feat: add lib/report.py", ["says 'add', but 'lib/report.py' is only removed"]),
    ("feat: remove lib/page.py", ["says 'remove', but 'lib/page.py' is only added"]),
)
def test_a_path_comes_or_goes(staged: Repo, message: str, texts: list[str]) -> None:
    staged.git("rm", "-q", "-f", "--ignore-unmatch", "lib/report.py")
    staged.stage({"lib/page.py": "value = 1\n" * 9})
    assert list_texts(message) == texts


def test_the_commits_of_a_submodule_are_not_read(staged: Repo) -> None:
    staged.git("update-index", "--add", "--cacheinfo", f"160000,{staged.git('rev-parse', 'HEAD').strip()},library")
    assert list_texts("feat: add `any_name`") == []
    assert list_texts("feat: add reader.py") == ["'reader.py' is in no line or path of the change"]


@pytest.mark.parametrize("path", ['a "quoted"\\name.py', "tab\tand\nline.py", "päth.py", "-x.py", "a b.py"])
def test_any_path_is_read(staged: Repo, path: str) -> None:
    staged.git("reset", "-q", "--hard")
    staged.stage({path: "value = 1\n"})
    change = read_staged_change()
    assert (change.paths, change.lines["added"]) == ([path], ["value = 1"])


def test_lines_that_imitate_a_patch_are_lines(staged: Repo) -> None:
    staged.git("reset", "-q", "--hard")
    content = "--- a/x\n+++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n:100644 100644 a b M\tx\n\n"
    staged.stage({"one.txt": content, "two.txt": "no newline"})
    added = {diff.change.path: diff.hunks[0].added for diff in read_staged_change()._diffs}
    assert added == {b"one.txt": content.encode().split(b"\n")[:-1], b"two.txt": [b"no newline"]}


def test_a_blank_line_that_git_prints_without_its_blank_ends_no_file(inside: Repo) -> None:
    inside.git("config", "diff.suppressBlankEmpty", "true")
    inside.commit("feat: base", {"a.py": "import os\n\n\nX = 3\n", "b.py": "import sys\nY = 3\n"})
    inside.stage({"a.py": "import os\n\n\nX = 4\n", "b.py": "import sys\nomega_limit = 4\n"})
    assert list_texts("refactor: rename `Y` to `omega_limit`") == []


def test_lines_around_a_change_are_its_context(inside: Repo) -> None:
    lines = [f"line {number}" for number in range(40)]
    inside.commit("feat: base", {"file": "\n".join(lines) + "\n"})
    lines[20], lines[25] = "changed", "changed, too"
    inside.stage({"file": "\n".join(lines) + "\n"})
    change = read_staged_change()
    assert change.lines["removed"] == ["line 20", "line 25"]
    unchanged = [f"line {number}" for number in (*range(20), *range(21, 25), *range(26, 40))]
    assert sorted(change.lines["context"]) == sorted(unchanged)
