"""What release-please cannot read is found, and what is proposed in its place can be read."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random

import pytest

from smartcommit.cli import main
from smartcommit.config import RELEASE_PLEASE
from smartcommit.message.checks import check
from smartcommit.message.parse import parse
from smartcommit.message.rules import ERROR, Rules, Violation
from tests.support.components import component
from tests.support.repository import Repo
from tests.support.table import rows

FUZZED = 2000
SIGNED = "Signed-off-by: Ada <ada@example.invalid>"
# Recorded with release-please 17.11.2 and @conventional-commits/parser 0.4.1.
LINES_LOST = (
    "foo(bar(1)) slow", "`foo(bar(1))`", "os.path.join(str(a), b)", "Reviewed-by(team: A", "f(a\tb(c", "\u2003f(a(b))",
    "x((", "run(", "\"foo(bar(1))\"", "-foo(bar(1))", "[text](https://example.com/a(b", "BREAKING_CHANGE(a(b))",
)  # fmt: skip
LINES_READ = (
    "foo(bar) ok", "foo()", "  foo(bar(1))", "- foo(bar(1))", "(see foo(bar))", "The foo(bar(1))", "foo(a) and b(c(d))",
    "* foo(bar(1))", "calls run(", "note:foo(a(b))", "foo!(a(b))", "BREAKING CHANGE: foo(bar(1))",
    "BREAKING-CHANGE(foo(", "> foo(bar(1))", "\xa0foo(bar(1))", "foo)(a(b))", "foo(a)(b(c))", "Fixes(a): b",
    "Fixes #12", "foo\u2028(a) (b(c))",
)  # fmt: skip
# What random messages are made of.
TOKENS = (
    "x", "Reviewed-by", "BREAKING CHANGE", "BREAKING-CHANGE", "BREAKING", "(", "(", "(", ")", ")", "!", ":", ": ", " #",
    "#", " ", " ", "  ", "\t", "\xa0", "\ufeff", "\x0b", "\x0c", "\u2003", "\u2028", "\x85", "`", "- ", "é",
    "\U0001f41b", "foo(bar(1))", "render(x)", "\n", "\n", "\n\n", "\n\n", "Fixes: #1\n", "key: value\n",
)  # fmt: skip
BEGINNINGS = ("feat: x\n\n", "feat(a): x\n\nbecause\n\n")
# For each message: whether release-please keeps every commit in it but empty ones, of which nothing could be lost.
JUDGE = """
const {parseConventionalCommits} = require("release-please/build/src/commit");
const answers = [];
for (const message of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
    let read = true;
    const debug = text => {
        if (text.startsWith("error message:") && !text.includes("EOF at 1:1,")) read = false;
    };
    parseConventionalCommits([{sha: "0", message}], {debug});
    answers.push(read);
}
console.log(JSON.stringify(answers));
"""


def find(text: str) -> list[Violation]:
    rules = Rules(levels={"release-parse": ERROR})
    return [one for one in check(parse(text), rules) if one.code == "release-parse"]


def replace(text: str) -> str | None:
    """`text` with every line replaced by what is proposed in its place, None if one has nothing."""
    lines = text.split("\n")
    for one in find(text):
        if one.replacement is None:
            return None
        (lines[one.line],) = one.replacement
    return "\n".join(lines)


def make_messages(count: int, seed: int) -> list[str]:
    random = Random(seed)
    messages = []
    for _ in range(count):
        tokens = random.choices(TOKENS, k=random.randint(1, 12))
        messages.append(random.choice(BEGINNINGS) + "".join(tokens))
    return messages


def ask_release_please(messages: list[str]) -> list[bool]:
    """Whether release-please reads each of `messages`."""
    command = [component("parser"), "-e", JUDGE]
    done = subprocess.run(command, input=json.dumps(messages), capture_output=True, text=True, check=True)
    answers = json.loads(done.stdout)
    assert isinstance(answers, list)
    return answers


@pytest.mark.components
def test_release_please_agrees_about_random_messages_and_reads_what_is_proposed() -> None:
    messages = [f"feat: x\n\n{line}" for line in (*LINES_LOST, *LINES_READ)] + make_messages(FUZZED, seed=17)
    proposed = [text for text in map(replace, filter(find, messages)) if text is not None]
    answers = ask_release_please(messages)
    assert [text for text, read in zip(messages, answers, strict=True) if bool(find(text)) is read] == []
    assert answers.count(False) > len(proposed) > 50
    assert [text for text, read in zip(proposed, ask_release_please(proposed), strict=True) if not read] == []


@rows(("line", "lost"), [*((line, True) for line in LINES_LOST), *((line, False) for line in LINES_READ)])
def test_a_line_that_is_lost_is_indented(line: str, *, lost: bool) -> None:
    text = f"feat: x\n\nThe call\n{line}\nis slow."
    found = [(one.line, one.replacement, one.sure) for one in find(text)]
    assert found == ([(3, [f"  {line}"], True)] if lost else [])
    assert find(replace(text) or "") == []


def test_a_line_among_trailers_is_not_indented_because_it_would_continue_them() -> None:
    (violation,) = find(f"feat: x\n\n{SIGNED}\nRefs: #1\nReviewed-by(team: A\nCloses: #2")
    assert (violation.line, violation.replacement) == (4, None)


@rows(("line", "unread"), [("Key: value", 0), ("foo(a(b))", 4000), ("x(" * 500, 4000)])
def test_a_long_message_is_checked_to_its_end(line: str, unread: int) -> None:
    """A search that begins anew at each line or mark would not end."""
    assert len(find("feat: x\n\n" + f"{line}\n" * 4000 + "prose")) == unread


@pytest.mark.parametrize("name", RELEASE_PLEASE)
def test_it_is_a_warning_in_projects_that_use_release_please(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(repo.path)
    text = "feat: x\n\nfoo(bar(1))"
    assert main(["check", "--message", text]) == 0
    assert capsys.readouterr().out == ""
    repo.write(name, "{}\n")
    assert main(["check", "--message", text]) == 0
    out = capsys.readouterr().out
    assert "message:3:1: release-parse warning: release-please cannot read this line" in out
    assert "  corrected:   foo(bar(1))\n" in out
    repo.write(".smartcommit", "[smartcommit]\n\toff = release-parse\n")
    assert main(["check", "--message", text]) == 0
    assert capsys.readouterr().out == ""


def test_a_policy_makes_it_an_error_wherever_release_please_is_configured(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.commit("feat: base", {".smartcommit": "[smartcommit]\n\terrors = release-parse\n"})
    repo.commit("feat: x\n\nfoo(bar(1))", {"x": "1\n"})
    repo.commit("Merge x\n\n* feat: y\n\n* fix(a(b)): z", {"y": "1\n"})
    monkeypatch.chdir(repo.path)
    assert main(["check", "--range", "HEAD~2..HEAD~1"]) == 1
    assert ":3:1: release-parse release-please" in capsys.readouterr().out
    assert main(["check", "--range", "HEAD~1..HEAD"]) == 1
    assert "release-parse" not in capsys.readouterr().out


def test_fix_indents_the_line(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("release-please-config.json", "{}\n")
    monkeypatch.chdir(repo.path)
    file = tmp_path / "message"
    file.write_text("feat: x\n\nfoo(bar(1))\n")
    assert main(["check", "--fix", str(file)]) == 0
    assert file.read_text() == "feat: x\n\n  foo(bar(1))\n"
