"""Makes the texts of models plain: without markup, and in lines that git reads as prose."""

from __future__ import annotations

import re

from smartcommit.message.characters import find_unsafe
from smartcommit.message.trailers import find_separator
from smartcommit.patterns import compile_on_use

WIDTH = 72
_ESCAPE = compile_on_use(r"\x1b(?:\[[0-9;?]{0,20}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|.)")
_ITEM = compile_on_use(r"(?:[-*•]|\d{1,2}[.)])\s+")
_CHECKBOX = compile_on_use(r"\A(?:\[[ xX]?\](?:\s+|\Z))+")
_BOLD = compile_on_use(r"\*\*([^*\n]{1,200})\*\*")
# Signatures that models add without being asked, such as `Signed-off-by`: only people can give them.
_SIGNATURE = compile_on_use(r"(?i)[a-z-]{2,30}-by\s?:")


def strip_markup(text: str) -> str:
    """Return `text` without escape sequences, HTML entities and invisible characters; line breaks stay."""
    import html  # two thousand entities, and few drafts have to be adapted

    lines = []
    for line in html.unescape(_ESCAPE.sub("", text)).replace("\r\n", "\n").replace("\t", " ").split("\n"):
        shown = line
        while (position := find_unsafe(shown)) >= 0:
            shown = shown[:position] + shown[position + 1 :]
        lines.append(shown.replace("\r", "").rstrip())
    return "\n".join(lines)


def join_lines(text: str) -> str:
    """Return `text` on one line without markup, surrounding quotes and emphasis."""
    line = " ".join(strip_markup(text).split())
    for mark in ("**", '"', "'", "`"):
        inside = line[len(mark) : -len(mark)]
        if inside and mark not in inside and line.startswith(mark) and line.endswith(mark):
            line = inside.strip()
    return line


def wrap(text: str, width: int = WIDTH) -> str:
    """Return `text` in paragraphs and items of at most `width` columns, as far as words allow it.

    Headings, fences and whatever git or our grammar would read as a section or trailer are removed or rewritten.
    """
    blocks: list[str] = []
    for paragraph in re.split(r"\n[ \t]*\n", _BOLD.sub(r"\1", strip_markup(text)).strip()):
        lines: list[str] = []
        joined: list[str] = []
        for line in [line for line in paragraph.split("\n") if _is_prose(line)]:
            bare = line.strip().lstrip("#>").strip()
            if _ITEM.match(bare):
                item = _ITEM.sub("", bare, count=1)
                joined.append("- " + _CHECKBOX.sub("", item))
            elif joined:
                joined[-1] += " " + bare
            else:
                joined.append(bare)
        for line in joined:
            lines += _fill(_escape(line), width)
        if lines:
            blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _is_prose(line: str) -> bool:
    from smartcommit.message.attribution import credits_tool  # only texts of models are read

    bare = line.strip()
    if not bare or bare.startswith(("```", "~~~")) or _SIGNATURE.match(bare) or credits_tool(bare):
        return False
    return not set(bare) <= set("-=_*# ")


def _escape(line: str) -> str:
    """Rewrite a line that git or our grammar would read as a trailer or section."""
    start = line.partition(":")[0].strip()
    is_section = start in ("Constraints", "Tasks") or line.startswith("Tasks [")
    if is_section or find_separator(line) > 0:
        line = line.replace(":", " -", 1)
    return line


def _fill(line: str, width: int) -> list[str]:
    import textwrap  # most drafts have no long line

    indent = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, max(width, 8), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
