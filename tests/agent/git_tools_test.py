"""What the tools show of a change, and what they refuse."""

from pathlib import Path
from typing import Any

import pytest

from smartcommit.agent import git_tools
from smartcommit.agent.shown import Results
from smartcommit.agent.tool import name_of, read_arguments
from smartcommit.errors import LLMTimeout, ToolFailed, ToolRetry
from smartcommit.git.objects import LIMIT
from smartcommit.git.repo import Repository, Trees
from smartcommit.waiting import Deadline
from tests.support.repository import Repo
from tests.support.table import rows

TOOLS = {name_of(function): function for function in git_tools.TOOLS}


class Change:
    """A repository with a change in its index, which the tools look at."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.results = Results()

    def call(self, name: str, *, seconds: float = 60, **arguments: Any) -> str:
        repository = Repository.find(str(self.repo.path))
        analyzer = Trees(repository, repository.head() or repository.empty_tree)
        function = TOOLS[name]
        read = read_arguments(function, arguments)
        return function(read, analyzer=analyzer, results=self.results, deadline=Deadline(seconds))


@pytest.fixture
def change(repo: Repo) -> Change:
    repo.commit("feat: add the parser", {"src/parser.py": "def parse(text):\n    return text\n"})
    repo.commit(
        "fix(parser): keep blanks\n\nThey are part of the text.",
        {"src/parser.py": "def parse(text):\n    return text or ''\n"},
    )
    repo.commit("docs: add a guide", {"guide.md": "# Guide\n"})
    repo.stage({"src/parser.py": "def parse(text):\n    return text.strip()\n\n\nclass Parser:\n    pass\n"})
    repo.stage({"package-lock.json": '{"a": 1}\n', ".env": "A=1\n", "logo.bin": b"\0\1", "dist/x.js": "x\n"})
    repo.write("untracked.txt", "never seen\n")
    repo.write("src/parser.py", "the working tree has something else\n")
    return Change(repo)


def test_a_file_is_read_from_the_trees_and_not_from_the_disk(change: Change) -> None:
    assert change.call("read_file", path="src/parser.py", lines=2) == (
        "1: def parse(text):\n2:     return text.strip()\n[lines below: 4]"
    )
    assert "return text or ''" in change.call("read_file", path="./src/parser.py", before=True)


def test_a_diff_is_that_of_the_index(change: Change) -> None:
    shown = change.call("get_diff", path="src/parser.py")
    assert "+    return text.strip()" in shown
    assert "working tree" not in shown
    assert "package-lock" not in change.call("get_diff")


def test_a_renamed_file_is_shown_as_one(change: Change) -> None:
    change.repo.git("mv", "guide.md", "manual.md")
    assert "rename from guide.md" in change.call("get_diff", path="manual.md")


@rows("path", "package-lock.json", ".env", "dist/x.js")
@rows("name", "read_file", "get_diff")
def test_what_is_generated_or_secret_is_not_opened(change: Change, name: str, path: str) -> None:
    with pytest.raises(ToolFailed, match="cannot show"):
        change.call(name, path=path)


@rows(
    "path",
    "untracked.txt", "../outside", "/etc/passwd", "src/../../outside", ".git/config", "", "a\0b", "HEAD:guide.md",
     "--output=x", "src",
)  # fmt: skip
def test_what_is_not_in_the_trees_is_refused(change: Change, path: str) -> None:
    with pytest.raises(ToolRetry):
        change.call("read_file", path=path)


def test_a_link_shows_where_it_points_and_is_not_followed(change: Change, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the content\n")
    (change.repo.path / "link").symlink_to(tmp_path / "secret")
    change.repo.git("add", "link")
    assert "the content" not in change.call("read_file", path="link")


def test_a_binary_file_is_told_as_one(change: Change) -> None:
    with pytest.raises(ToolFailed, match="cannot show"):
        change.call("read_file", path="logo.bin")
    change.repo.stage({"data": b"\0\1"})
    with pytest.raises(ToolFailed, match="binary"):
        change.call("read_file", path="data")


def test_the_log_lists_commits(change: Change) -> None:
    lines = change.call("get_git_log", count=2).split("\n")
    assert [line.partition(" ")[2] for line in lines] == ["docs: add a guide", "fix(parser): keep blanks"]
    assert change.call("get_git_log", path="guide.md", count=1).endswith("docs: add a guide")


def test_the_diff_and_the_code_are_searched(change: Change) -> None:
    assert "+    return text.strip()" in change.call("search_diff", pattern=r"text\.strip", context_lines=0)
    assert change.call("search_codebase", pattern="class [A-Z]") == "src/parser.py:5: class Parser:"
    assert change.call("search_codebase", pattern="never seen") == "no matches"
    assert change.call("search_codebase", pattern="A=1") == "no matches"


@rows(
    ("name", "arguments", "end"),
    ("search_diff", {"pattern": "^.zebra"}, "[only the first part of the diff was searched]"),
    ("get_diff", {}, " bytes]"),
    ("read_file", {"path": "large.txt", "lines": 1}, " or more]"),
)
def test_what_is_read_only_in_part_says_so(change: Change, name: str, arguments: dict[str, Any], end: str) -> None:
    change.repo.stage({"large.txt": "zebra\n"})
    assert not change.call(name, **arguments).endswith(end)
    change.repo.stage({"large.txt": "zebra\n" + "lion\n" * (LIMIT // 5)})
    assert change.call(name, **arguments).endswith(end)


@rows("name", "search_diff", "search_codebase")
def test_a_pattern_is_refused_or_comes_back(change: Change, name: str) -> None:
    with pytest.raises(ToolRetry, match="invalid pattern"):
        change.call(name, pattern="a(")
    with pytest.raises(ToolRetry, match="its repetitions expand to more than 1000 copies; use fewer or smaller ones"):
        change.call(name, pattern="((((a{1,99}){1,99}){1,99}){1,99})")
    # This one explodes in an engine that goes back.
    change.repo.stage({"a.txt": "a" * 60 + "!\n"})
    assert change.call(name, pattern="(a+)+$") is not None


@rows("name", "search_diff", "search_codebase")
def test_a_search_ends_with_the_deadline(change: Change, name: str) -> None:
    change.repo.stage({"slow.txt": f"{'ab' * 20}\n" * 20_000})
    with pytest.raises(LLMTimeout):
        change.call(name, pattern=r"(([a-z]{1,9})*\2)*1$", seconds=0.3)


def test_a_kept_result_is_asked_about_by_lines_and_by_text(change: Change) -> None:
    name = change.results.keep("\n".join(f"line {number}" for number in range(1, 501)))
    assert change.call("query_tool_result", id=name, start_line=499) == "499: line 499\n500: line 500\n[0 more lines]"
    assert change.call("query_tool_result", id=name, text="LINE 77") == "77: line 77\n[0 more lines]"
    assert change.call("query_tool_result", id=name, text="zebra") == "no matching line"
    assert change.call("query_tool_result", id=name, lines=1) == "1: line 1\n[499 more lines]"
    with pytest.raises(ToolRetry, match="available ids: r1"):
        change.call("query_tool_result", id="r9")


def test_one_line_of_a_megabyte_is_cut(change: Change) -> None:
    change.repo.stage({"big.txt": "x" * 1_000_000})
    shown = change.results.shorten(change.call("read_file", path="big.txt"))
    assert len(shown) < 7000
