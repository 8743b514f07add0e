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
from smartcommit.message.release_parse import find_unread
from smartcommit.message.rules import ERROR, OFF, WARNING, Rules, Violation
from tests.support.components import component
from tests.support.repository import Repo
from tests.support.table import rows

FUZZED = 2000
SIGNED = "Signed-off-by: Ada <ada@example.invalid>"
# Recorded with release-please 17.11.2 and @conventional-commits/parser 0.4.1.
HEADERS_LOST = (
    "Merge branch 'x'", "Update README", "feat : x", "feat(): x", "feat(a(b)): x", "feat(p: x", "Fix(ui) typo",
    "fixup! feat: x", "feat(a)b: x", "feat!!: x", "feat BREAKING CHANGE: x", ": x", "!: x", "feat",
)  # fmt: skip
HEADERS_READ = (
    "feat(core)!: x", "docs: ", "fix:x", "chore #12", "feat(a,b c): x", "revert: feat: x", "feat(a)BREAKING CHANGE: x",
    "feat(a)BREAKING-CHANGE: x", "feat(a) #1", "\u2003feat: x", "f\u2003t: x", "Feat!: x",
)  # fmt: skip
LINES_LOST = (
    "foo(bar(1)) slow", "`foo(bar(1))`", "os.path.join(str(a), b)", "Reviewed-by(team: A", "f(a\tb(c", "\u2003f(a(b))",
    "x((", "run(", "\"foo(bar(1))\"", "-foo(bar(1))", "[text](https://example.com/a(b", "BREAKING_CHANGE(a(b))",
    "ok\rfoo(bar(1))",
)  # fmt: skip
LINES_READ = (
    "foo(bar) ok", "foo()", "  foo(bar(1))", "- foo(bar(1))", "(see foo(bar))", "The foo(bar(1))", "foo(a) and b(c(d))",
    "* foo(bar(1))", "calls run(", "note:foo(a(b))", "foo!(a(b))", "BREAKING CHANGE: foo(bar(1))",
    "BREAKING-CHANGE(foo(", "> foo(bar(1))", "\xa0foo(bar(1))", "foo)(a(b))", "foo(a)(b(c))", "Fixes(a): b",
    "Fixes #12", "foo\u2028(a) (b(c))",
)  # fmt: skip
# Messages that are split, and the numbers of the lines for which a part is lost.
SPLIT: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("feat: x\n\nfix(a(b)): y", (2,)),
    ("feat: x\n\nfix(a(b)c): y\n\ndocs: z", (2,)),
    ("feat: x\nfix(a(b)): y", (1,)),
    ("feat: x\n\nfix (a(b)): y", ()),
    ("feat: x\n\nfix!(a(b)): y", ()),
    ("feat: x\n\nfix: y\n\nfoo(bar(1))\n\nchore: z", (4,)),
    ("feat: x\n\nhack(a(b)): y", (2,)),
    ("feat: x\n\nfix(a)b): y", (2,)),
    ("feat: x\n\nfix(a)b\u2028): y", ()),
    ("feat: x\n\n\nfix(a): y\nfoo(", (4,)),
    ("Update\n\nfix: y", (0,)),
)
EXAMPLES = (
    *((text, False) for text in HEADERS_LOST),
    *((text, True) for text in HEADERS_READ),
    *((f"feat: x\n\n{line}", False) for line in LINES_LOST),
    *((f"feat: x\n\n{line}", True) for line in LINES_READ),
    *((text, not numbers) for text, numbers in SPLIT),
)
# With these, no other rule rejects a header.
FORM_OFF = {
    "release-parse": ERROR,
    **dict.fromkeys(("header-form", "header-space", "type-unknown", "type-case", "scope-form", "scope-case"), OFF),
}
# What random messages are made of.
TOKENS = (
    "feat", "fix", "docs", "x", "Reviewed-by", "BREAKING CHANGE", "BREAKING-CHANGE", "BREAKING", "(", "(", "(", ")",
    ")", "!", ":", ": ", " #", "#", " ", " ", "  ", "\t", "\xa0", "\ufeff", "\x0b", "\x0c", "\u2003", "\u2028", "\x85",
    "`", "- ", "é", "\U0001f41b", "foo(bar(1))", "render(x)", "\r", "\n", "\n", "\n\n", "\n\n", "\r\n\r\n",
    "\n\nfix: ", "\n\nfeat(", "\n\nchore(a): ", "Fixes: #1\n",
    "key: value\n",
)  # fmt: skip
BEGINNINGS = ("feat: x\n\n", "feat(a): x\n\nbecause\n\n", "feat", "")
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


def is_read(text: str) -> bool:
    return find_unread(text.split("\n")) == []


def find(text: str, *, levels: dict[str, str] | None = None) -> list[Violation]:
    rules = Rules(levels=levels or {"release-parse": ERROR})
    return [one for one in check(parse(text), rules) if one.code == "release-parse"]


def replace(text: str) -> str:
    """`text` with every line replaced by what is proposed in its place."""
    lines = text.split("\n")
    for one in find(text):
        assert one.replacement is not None
        (lines[one.line],) = one.replacement
    return "\n".join(lines)


def mutate(text: str, random: Random) -> str:
    """`text` with some tokens put in, or characters taken out."""
    for _ in range(random.randint(1, 4)):
        place = random.randint(0, len(text))
        if random.random() < 0.3:
            text = text[:place] + text[place + random.randint(1, 4) :]
        else:
            text = text[:place] + random.choice(TOKENS) + text[place:]
    return text


def make_messages(count: int, seed: int) -> list[str]:
    """`count` random messages: half of tokens, half from the examples."""
    random = Random(seed)
    messages = []
    for number in range(count):
        if number % 2:
            messages.append(mutate(random.choice(EXAMPLES)[0], random))
        else:
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


@rows(("text", "expected"), EXAMPLES)
def test_examples(text: str, *, expected: bool) -> None:
    assert is_read(text) is expected


@rows(("text", "numbers"), SPLIT)
def test_each_part_of_a_split_message_is_read_on_its_own(text: str, numbers: tuple[int, ...]) -> None:
    assert tuple(piece.number for piece in find_unread(text.split("\n"))) == numbers


@pytest.mark.components
def test_release_please_agrees_about_random_messages_and_reads_what_is_proposed() -> None:
    messages = [text for text, _ in EXAMPLES] + make_messages(FUZZED, seed=17)
    proposed = []
    for message in messages:
        found = find(message, levels=FORM_OFF)
        if found and all(one.replacement is not None for one in found):
            proposed.append(replace(message))
    answers = ask_release_please(messages)
    wrong = [text for text, read in zip(messages, answers, strict=True) if is_read(text) is not read]
    assert wrong == []
    assert 0.2 < sum(answers) / len(messages) < 0.8
    assert len(proposed) > len(messages) / 20
    refused = [text for text, read in zip(proposed, ask_release_please(proposed), strict=True) if not read]
    assert refused == []


@rows("line", LINES_LOST[:-1])
def test_a_line_is_indented(line: str) -> None:
    (violation,) = find(f"feat: x\n\nThe call\n{line}\nis slow.")
    assert (violation.line, violation.replacement, violation.sure) == (3, [f"  {line}"], True)
    assert is_read(replace(f"feat: x\n\nThe call\n{line}\nis slow."))


def test_a_line_among_trailers_is_quoted_because_an_indented_one_would_continue_them() -> None:
    text = f"feat: x\n\nfoo(bar(1))\n\n{SIGNED}\nRefs: #1\nReviewed-by(team: A\nCloses: #2"
    first, second = find(text)
    assert (first.replacement, first.sure) == (["  foo(bar(1))"], True)
    assert (second.replacement, second.sure) == (["> Reviewed-by(team: A"], False)
    assert parse(replace(text)).message.trailers == parse(text).message.trailers


def test_nothing_is_proposed_where_the_same_line_would_still_not_be_read() -> None:
    (violation,) = find("feat: x\n\nok\rfoo(bar(1))")
    assert violation.replacement is None


def test_a_header_of_another_form_is_reported_once() -> None:
    levels = {"release-parse": ERROR}
    assert find("Update README\n\nbecause", levels=levels) == []
    assert [one.line for one in find("Update README\n\nfoo(bar(1))", levels=levels)] == [2]
    for level in (WARNING, OFF):
        assert [one.line for one in find("Update README", levels={**levels, "header-form": level})] == [0]


@rows(("line", "unread"), [("Key: value", 0), ("foo(a(b))", 4000), ("x(" * 500, 4000)])
def test_a_long_message_is_checked_to_its_end(line: str, unread: int) -> None:
    """A search that begins anew at each line or mark would not end."""
    text = "feat: x\n\n" + f"{line}\n" * 4000 + "prose"
    assert len(find_unread(text.split("\n"))) == unread


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
