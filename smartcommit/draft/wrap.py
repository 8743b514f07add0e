"""Bringing prose of whatever origin into the lines of a message."""

from __future__ import annotations

import html
import re
import textwrap

from smartcommit.message.characters import find_unsafe
from smartcommit.message.trailers import separator

WIDTH = 72
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]{0,20}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|.)")
_ITEM = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
# What a model adds on its own account, and no person asked for.
_BY_MACHINES = re.compile(r"(?i)(?:co-authored-by|signed-off-by|generated[- ]by|generated with|assisted-by)\b")


def plain(text: str) -> str:
    """`text` without escape sequences, HTML entities, and characters that show nothing; lines stay."""
    lines = []
    for line in html.unescape(_ESCAPE.sub("", text)).replace("\r\n", "\n").replace("\t", " ").split("\n"):
        shown = line
        while (position := find_unsafe(shown)) >= 0:
            shown = shown[:position] + shown[position + 1 :]
        lines.append(shown.replace("\r", "").rstrip())
    return "\n".join(lines)


def one_line(text: str) -> str:
    """`plain` text on one line, without the quotes and marks around it."""
    line = " ".join(plain(text).split())
    for mark in ("**", '"', "'", "`"):
        if len(line) > 2 * len(mark) and line.startswith(mark) and line.endswith(mark):
            line = line[len(mark) : -len(mark)].strip()
    return line


def wrapped(text: str, width: int = WIDTH) -> str:
    """Paragraphs and items of at most `width` columns where their words allow it, without headings and fences.

    Nothing in it reads as a section or trailer of a message: these are not a description's to bring.
    """
    blocks: list[str] = []
    for paragraph in re.split(r"\n[ \t]*\n", _BOLD.sub(r"\1", plain(text)).strip()):
        lines = _joined([line for line in paragraph.split("\n") if _is_prose(line)])
        block = "\n".join(filled for line in lines for filled in _fill(_harmless(line), width))
        if block:
            blocks.append(block)
    return "\n\n".join(blocks)


def _is_prose(line: str) -> bool:
    bare = line.strip()
    return (
        bool(bare)
        and not bare.startswith(("```", "~~~"))
        and not set(bare) <= set("-=_*# ")
        and not (_BY_MACHINES.match(bare))
    )


def _joined(lines: list[str]) -> list[str]:
    """The lines of a paragraph with each item, and each run of prose, in one."""
    joined: list[str] = []
    for line in lines:
        bare = line.strip().lstrip("#>").strip()
        if _ITEM.match(bare):
            joined.append("- " + _ITEM.sub("", bare, count=1))
        elif joined:
            joined[-1] += " " + bare
        else:
            joined.append(bare)
    return joined


def _harmless(line: str) -> str:
    """A line that git and our grammar take for prose: no task, trailer, section, divider or diff."""
    if line.startswith(("- [", "* [")):
        line = "- " + line[3:].lstrip("xX ]").strip()
    if separator(line) > 0 or line.split(":")[0].strip() in ("Constraints", "Tasks") or line.startswith("Tasks ["):
        line = line.replace(":", " -", 1)
    return line.lstrip("#;@!$%^&|:~ ") if line[:1] in "#;@!$%^&|:~ " else line


def _fill(line: str, width: int) -> list[str]:
    item = line.startswith("- ")
    return textwrap.wrap(
        line, max(width, 8), subsequent_indent="  " if item else "", break_long_words=False, break_on_hyphens=False
    )
