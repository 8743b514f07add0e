"""The pages of the documentation: their blocks of code, headings and links, and the tests that they name."""

import ast
import os
import re
import subprocess
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of code below a heading of level 2, its `chapter`; `page` is its page's path in the repository."""

    page: str
    chapter: str
    language: str
    text: str

    @property
    def commands(self) -> list[tuple[str, str]]:
        """Each command with the output that is shown below it: of a `console` block, what follows `$ `."""
        if self.language != "console":
            return [(self.text, "")]
        found = []
        for part in self.text.removeprefix("$ ").split("\n$ "):
            command, _, output = part.partition("\n")
            found.append((command, output))
        return found


def find_blocks(page: Path, *languages: str) -> list[Block]:
    text = page.read_text()
    found = []
    for match in _BLOCK.finditer(text):
        if match["language"] in languages:
            _, _, above = text[: match.start()].rpartition("\n## ")
            chapter, _, _ = above.partition("\n")
            block = Block(str(page.relative_to(ROOT)), chapter, match["language"], textwrap.dedent(match["text"]))
            found.append(block)
    return found


def run_shell(command: str, directory: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command as it is shown, without a terminal; `stdout` has all that it prints."""
    return subprocess.run(
        ["bash", "-e", "-c", command], cwd=directory, env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, start_new_session=True,
    )  # fmt: skip


def to_pattern(shown: str) -> str:
    """Return a pattern for output like `shown`: any names of objects, changes and plans, any times, anything for `...`.

    A line that is nothing but `...` stands for any lines.
    """
    pattern = re.escape(shown.rstrip("\n")).replace(r"\.\.\.", ".*")
    pattern = re.sub(r"^\.\*$", r"[\\s\\S]*", pattern, flags=re.MULTILINE)
    pattern = re.sub(r"\b(?=[a-f]*\d)[0-9a-f]{7,40}\b", "[0-9a-f]{7,40}", pattern)
    pattern = re.sub(r"\b[k-z]{8}\b", "[k-z]{8}", pattern)
    pattern = re.sub(r"\b\d+:\d\d\b", r"\\d+:\\d\\d", pattern)
    return re.sub(r"'\w{6}\\-", r"'\\w{6}\\-", pattern)


def without_blocks(page: Path) -> str:
    return _BLOCK.sub("", page.read_text())


def find_spans(page: Path) -> list[str]:
    return [span.replace("\\|", "|") for span in _SPAN.findall(without_blocks(page))]


def find_links(page: Path) -> list[str]:
    text = _SPAN.sub("`code`", without_blocks(page))
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]


def find_anchors(page: Path) -> set[str]:
    """Return the names by which a link can lead to a place on `page`; those of headings as code hosts make them."""
    anchors = set(re.findall(r'<a name="([\w-]+)"></a>', without_blocks(page)))
    for heading in re.findall(r"^#+ (.+)$", without_blocks(page), re.MULTILINE):
        kept = re.sub(r"[^\w\- ]", "", heading.lower())
        anchors.add(kept.replace(" ", "-"))
    return anchors


def find_rows(page: Path) -> Iterator[list[str]]:
    """Yield the cells of each row of the tables of `page`, without the lines below their heads."""
    for line in without_blocks(page).splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@cache
def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
