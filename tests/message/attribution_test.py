"""Credits to tools: what agents write is found, people's names stay, and the replacement passes."""

from __future__ import annotations

import pytest

from smartcommit.message.attribution import parse_tool
from smartcommit.message.checks import check
from smartcommit.message.parse import parse
from smartcommit.message.rules import ASSISTED_BY, FORBID, Rules, Violation

CLAUDE = "Co-Authored-By: Claude <noreply@anthropic.com>"
GENERATED = "🤖 Generated with [Claude Code](https://claude.com/claude-code)"
PERSON = "Co-authored-by: Claude Monet <claude@giverny.example>"
SIGNED = "Signed-off-by: Ada <ada@example.invalid>"


def find(text: str, attribution: str, *, tools: tuple[str, ...] = ()) -> list[Violation]:
    rules = Rules()
    rules.attribution, rules.tools = attribution, tools
    return check(parse(text), rules)


def fix(text: str, attribution: str, *, tools: tuple[str, ...] = ()) -> str:
    """`text` with every violation replaced, without the blank lines that git would remove; it must pass."""
    lines = text.split("\n")
    for one in reversed(find(text, attribution, tools=tools)):
        assert one.code == "attribution"
        assert one.sure
        assert one.replacement is not None
        lines[one.line : one.line + 1] = one.replacement
    fixed = "\n".join(lines)
    assert find(fixed, attribution, tools=tools) == []
    while "\n\n\n" in fixed:
        fixed = fixed.replace("\n\n\n", "\n\n")
    return fixed.rstrip("\n")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (CLAUDE, "Claude"),
        ("Co-authored-by: Claude Opus 4.5 <noreply@anthropic.com>", "Claude:Opus-4.5"),
        ("Co-authored-by: Claude Sonnet 4.5 (1M context) <noreply@anthropic.com>", "Claude:Sonnet-4.5"),
        ("co-authored-by: Copilot <223556219+Copilot@users.noreply.github.com>", "Copilot"),
        ("Co-authored-by: copilot-swe-agent[bot] <198982749+Copilot@users.noreply.github.com>", "Copilot"),
        ("Co-authored-by: GitHub Copilot", "Copilot"),
        ("Co-authored-by: Cursor <cursoragent@cursor.com>", "Cursor"),
        ("Co-authored-by: aider (openai/gpt-4o) <aider@aider.chat>", "aider:openai/gpt-4o"),
        ("Co-authored-by: Codex <noreply@openai.com>", "Codex"),
        ("Co-authored-by: Devin AI <158243242+devin-ai-integration[bot]@users.noreply.github.com>", "Devin"),
        ("Co-authored-by: gemini-code-assist[bot] <1+gemini-code-assist[bot]@users.noreply.github.com>", "Gemini"),
        ("Signed-off-by: Claude <noreply@anthropic.com>", "Claude"),
        ("Generated-by: Claude Code", "Claude"),
        ("Assisted-by: Crush <crush@charm.land>", "Crush"),
        (GENERATED, "Claude"),
        ("Generated with Claude Code", "Claude"),
        ("Made with [Cursor](https://cursor.com)", "Cursor"),
        ("**Generated with [Continue](https://continue.dev)**", "Continue"),
        ("Generated with the help of GitHub Copilot.", "Copilot"),
        ("💘 Generated with Crush", "Crush"),
    ],
)
@pytest.mark.parametrize("end", ["", f"\n\n{SIGNED}"], ids=["last", "signed"])
def test_a_credit_goes_or_becomes_one_trailer(line: str, name: str, end: str) -> None:
    text = f"feat: x\n\nwhy\n\n{line}{end}"
    assert fix(text, FORBID) == f"feat: x\n\nwhy{end}"
    fixed = fix(text, ASSISTED_BY)
    assert fixed.count(f"Assisted-by: {name}") == 1
    assert line not in fixed
    trailers = [str(trailer) for trailer in parse(fixed).message.trailers]
    assert f"Assisted-by: {name}" in trailers
    assert (SIGNED in trailers) == bool(end)


@pytest.mark.parametrize(
    "line",
    [
        PERSON,
        "Co-authored-by: Copilot Jones <jones@example.org>",
        "Co-authored-by: Claude <claude@example.org>",
        "Co-authored-by: dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>",
        SIGNED,
        "Reviewed-by: Claude <noreply@anthropic.com>",
        "Assisted-by: Grace <grace@example.org>",
        "Generated with protoc 25.1",
        "generated with claude's schema exporter, then sorted",
        "Made with Cursors, the new library",
        "Created with continue statements in mind",
        "Written by Amp-Lifier",
    ],
)
@pytest.mark.parametrize("attribution", [FORBID, ASSISTED_BY])
def test_people_and_prose_stay(line: str, attribution: str) -> None:
    assert find(f"feat: x\n\nwhy\n\n{line}", attribution) == []


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        (f"feat: x\n\nwhy\n\n{GENERATED}\n\n{CLAUDE}", "feat: x\n\nwhy\n\nAssisted-by: Claude"),
        (f"feat: x\n\n{GENERATED}\n{CLAUDE}", "feat: x\n\nAssisted-by: Claude"),
        (f"feat: x\n\nwhy\n{GENERATED}", "feat: x\n\nwhy\n\nAssisted-by: Claude"),
        (f"feat: x\n\n{GENERATED}\n\nwhy", "feat: x\n\nwhy\n\nAssisted-by: Claude"),
        (f"feat: x\n\n{CLAUDE}\n{PERSON}\n{CLAUDE}", f"feat: x\n\nAssisted-by: Claude\n{PERSON}"),
        (f"feat: x\n\n{CLAUDE}\nAssisted-by: Claude:opus-4", "feat: x\n\nAssisted-by: Claude:opus-4"),
        ("feat: x\n\nAssisted-by: Claude\nAssisted-By: Claude", "feat: x\n\nAssisted-by: Claude"),
        (
            f"feat: x\n\n{GENERATED}\n\nCo-authored-by: Cursor <cursoragent@cursor.com>",
            "feat: x\n\nAssisted-by: Claude\nAssisted-by: Cursor",
        ),
        (
            f"feat: x\n\n{GENERATED}\n\nCo-authored-by: Claude Opus 4.5 <noreply@anthropic.com>\n{PERSON}",
            f"feat: x\n\nAssisted-by: Claude:Opus-4.5\n{PERSON}",
        ),
    ],
)
def test_each_tool_is_left_with_one_trailer(text: str, fixed: str) -> None:
    assert fix(text, ASSISTED_BY) == fixed
    assert "Assisted" not in fix(text, FORBID)


@pytest.mark.parametrize("value", ["Claude", "Claude:claude-3-opus coccinelle sparse", "Claude Code:claude-opus-4-8"])
def test_the_form_of_the_kernel_passes_unless_credits_are_forbidden(value: str) -> None:
    text = f"feat: x\n\nAssisted-by: {value}\n{SIGNED}"
    assert find(text, ASSISTED_BY) == []
    assert fix(text, FORBID) == f"feat: x\n\n{SIGNED}"


def test_a_project_adds_its_own_tools() -> None:
    text = "feat: x\n\nMade with Marvin\n\nCo-authored-by: M <marvin@example.com>"
    assert find(text, ASSISTED_BY) == []
    assert fix(text, ASSISTED_BY, tools=("Marvin <marvin@example.com>",)) == "feat: x\n\nAssisted-by: Marvin"


@pytest.mark.parametrize("text", ["<a@example.com>", "A <", "A <>", ""])
def test_a_tool_needs_a_name_and_a_whole_address(text: str) -> None:
    with pytest.raises(ValueError, match="names of tools"):
        parse_tool(text)
