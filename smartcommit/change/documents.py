"""Edits of documents: sections, rows and links, and names in the text."""

from __future__ import annotations

from collections.abc import Sequence

from smartcommit.change.edits import Edit, Edits
from smartcommit.change.pairing import count_common_ends, is_respelled
from smartcommit.change.text import LINE_BYTES, LINK, says_nothing
from smartcommit.change.tokens import LexedHunk
from smartcommit.change.wording import pluralize
from smartcommit.patterns import compile_on_use, list_words

_HEADING = compile_on_use(r"(?:#{1,6}|={2,6})\s+(\S.{0,80}?)[\s#=]*\Z")
_UNDERLINE = compile_on_use(r"([=~^\"'*+#-])\1{2,}\Z")
_ROW = compile_on_use(
    r"\|\s*(?:\|\s*)?(?:\*\*)?\[?`?([^\]|`*]{2,40})`?\]?[^|]*\|"
    r"|(?:[-*+]|\d+\.)\s+(?:\*\*)?"
    r"(?:\[`?([^\]`]{2,50})`?\]\(|`([^`]{2,40})`|([A-Z][\w.+ -]{1,30}?)(?:\s[-\u2013:(]|[:,]|\Z)"
    r"|([a-z][\w./-]{1,40})\Z)"
)
# What stands apart from the text: `> [!WARNING]`, `.. note::`.
_CALLOUT = compile_on_use(r"(?i)(?:>\s*\[!|\.\.\s+|:::\s*|!!!\s+)(note|tip|important|warning|caution|deprecated)\b")
# A page in the table of contents of Sphinx.
_LISTED = compile_on_use(r"(?:[^<>]* <)?([\w./-]+)>?\Z")
# A word that stands there twice: "the the".
_REPEATED = compile_on_use(r"\b([A-Za-z]+) \1\b")
_LINE_READ = LINE_BYTES // 2  # bytes of a line of which no part is missing, nor the blanks before one
# What shows words in another way: code, emphasis of words (but no name such as `__init__`), and items of a list.
_CODE = compile_on_use(r"(?s)(?<!`)(`+)(?!`)(.{1,200}?)(?<!`)\1(?!`)")
_EMPHASIS = compile_on_use(
    r"(?s)(?<![\w*])(?!__\w+__(?!\w))(\*{1,3}|_{1,3})(?=[\w\"'(\[])(.{1,200}?)(?<=\S)\1(?![\w*])"
)
_BULLET = compile_on_use(r"(?m)^[*+-] +")
_CELLS = compile_on_use(r"(?m)^\|.+")
# Beside a character of Chinese or Japanese, blanks and the end of a line divide no words.
_NO_DIVISION = compile_on_use(
    r"(?<=[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef])\s+|(?<!\s)\s+(?=[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef])"
)
# Marks in code are what they are: they are others while the rest is read.
_KEPT = {ord("*"): "\1", ord("_"): "\2"}
_BACK = {1: "*", 2: "_"}
_FENCE = compile_on_use(r"\s*(?:`{3,}|~{3,})\s*[\w-]*\s*\Z")
_NAME = compile_on_use(r"`[^`]+`\Z|(?=.*[A-Za-z])(?=.*[_./=-])[^\s`]{4,45}\Z")

_RELEASE = compile_on_use(r"v?\d+(?:\.\d+)*\+?\Z")
_NO_NAMES = list_words("After As At Before By For From In Of On Over Since The To Under Until With")
_RELEASED = compile_on_use(r"[A-Z]\w* v?\d+(?:\.\d+)*\+?\Z")
# An image in Markdown, with its text, or in HTML; what may be around one, and what shows that it is a badge.
_IMAGE = compile_on_use(r"!\[([^\]]*)\]\([^)]*\)|<(?:img|source)\b(?:[^>]*\balt=[\"']([^\"']*))?[^>]*>")
_AROUND_IMAGE = compile_on_use(r"</?(?:a|p|div|picture|br|center)\b[^>]*>|\[(?=!\[)|(?<=\))\]\([^)]*\)")
_BADGE = compile_on_use(r"(?i)shields\.io|badge")
_BADGE_LENGTH = 30
_LINKED = compile_on_use(r"\[([^\]]*)\]\([^)\s]+\)")
# A value in the head of a block of code, as in `title="main.js"`.
_ATTRIBUTE = compile_on_use(r"\A\w+=\"([^\"]+)\"\Z")
_CALLOUTS = {"important": "an important note", "deprecated": "a note on deprecation"}


def read_document(lexed: LexedHunk) -> Edits:
    old = [line.strip() for line in lexed.old_lines if not says_nothing(line.strip())]
    new = [line.strip() for line in lexed.new_lines if not says_nothing(line.strip())]
    size = max(len(old), len(new))
    marked = _find_marked(lexed.old_lines, lexed.new_lines)
    if marked:
        return [Edit("marked", "", marked, lines=size)]
    if not size:
        return [Edit("layout", "x", "x", lines=0)]
    image = _name_image(new or old)
    if image and _name_image(old or new):
        image = image if old and new else image.replace("the image", "an image").replace("the badge", "a badge")
        return [Edit("image", image if old else "", image if new else "", lines=size)]
    gone, come = list_headings(lexed.old_lines), list_headings(lexed.new_lines)
    if sum(line.lstrip().startswith("```") for line in lexed.above) % 2:
        gone = come = []
    if len(gone) == len(come) == len(old) == len(new) and not is_respelled(gone[0], come[0]):
        if gone[0] == come[0]:
            return [Edit("level", "#", "##", come[0], lines=size)]
        # The first heading is the title of the page.
        role = "section" if any(lexed.above) else "name"
        return [Edit(role, quote_title(gone[0]), quote_title(come[0]), lines=size)]
    if old and new:
        replaced = _read_replaced(old, new, size)
        # Of a long line the rest is not read, which may have other words.
        is_cut = any(len(line.encode()) > _LINE_READ for line in (*lexed.old_lines, *lexed.new_lines))
        if not is_cut and _strip_markup(old) == _strip_markup(new):
            replaced = [Edit("formatting", "words", "words", lines=size)]
        replaced[0].holder = _find_heading(lexed) if replaced[0].role == "words" else ""
        return replaced
    lines, headings = new or old, come or gone
    row = _LISTED if any(".. toctree::" in line for line in lexed.above) else _ROW
    rows = [match for line in lines if (match := row.match(line))]
    titles = [quote_title(heading) for heading in headings]
    texts = [(title, "section", size / len(titles)) for title in titles] or [("", "section", float(size))]
    callout = _CALLOUT.match(lines[0])
    if callout:
        noun = callout[1].lower()
        texts = [(_CALLOUTS.get(noun, f"a {noun}"), "callout", size)]
    elif not headings and len(rows) == len(lines):
        texts = [(match[match.lastindex or 0].strip(), "row", 1) for match in rows]
    below = [line for line in lexed.below if not says_nothing(line.strip())]
    if len(headings) == len(lines) and below and not _read_heading(below[0], "".join(below[1:2])):
        # Its text was there before, or still is.
        texts = [(title, "heading", size / len(titles)) for title in titles]
    holder = _find_heading(lexed)
    if callout and holder:
        holder = f"the {holder} section"
    edits: Edits = []
    for text, role, share in texts:
        old_text, new_text = ("", text or lines[0]) if new else (text or lines[0], "")
        edits.append(Edit(role if text else "words", old_text, new_text, holder, lines=share))
    return edits


def _read_replaced(old: Sequence[str], new: Sequence[str], size: int) -> Edits:
    """Read lines in which only the spelling, a link, or one name or command is another."""
    pairs = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    edits = set()
    if all("copyright" in line.lower() for line in (*old, *new)):
        return [Edit("copyright", old[0], new[0], lines=size)]
    for before, after in pairs if len(old) == len(new) else ():
        words, new_words = before.split(), after.split()
        start, end = count_common_ends(words, new_words)
        gone, come = " ".join(words[start : len(words) - end]), " ".join(new_words[start : len(new_words) - end])
        while come and gone and come[-1] == gone[-1] and come[-1] in ".,:;()*":
            gone, come = gone[:-1], come[:-1]
        gone, come = _ATTRIBUTE.sub(r"\1", gone), _ATTRIBUTE.sub(r"\1", come)
        if gone.count("`") == come.count("`") and (gone[:1], gone[-1:]) != ("`", "`"):
            # The start, or the end, of a command.
            gone, come = gone.strip("`"), come.strip("`")
        name = words[start - 1] if start else ""
        if (
            name[:1].isupper()
            and name not in _NO_NAMES
            and name.isalnum()
            and _RELEASE.match(gone)
            and _RELEASE.match(come)
        ):
            gone, come = f"{name} {gone}", f"{name} {come}"
        edits.add((gone.lstrip("(*"), come.lstrip("(*")))
    if edits and all(_REPEATED.sub(r"\1", before) == after for before, after in pairs):
        return [Edit("repeated", "words", "words", lines=size)]
    if edits and all(is_respelled(*pair) for pair in pairs):
        return [Edit("spelling", old[0], new[0], lines=size)]
    are_links = all(LINK.findall(before) != LINK.findall(after) for before, after in pairs)
    if edits and are_links and all(_drop_links(before) == _drop_links(after) for before, after in pairs):
        return [Edit("link", *pair, lines=size / len(pairs)) for pair in pairs]
    if len(edits) == 1:
        gone, come = edits.pop()
        is_release = _RELEASED.match(gone) and _RELEASED.match(come)
        if is_release or (gone and come and _NAME.match(gone) and _NAME.match(come)):
            return [Edit("word", gone, come, lines=size, gone=gone.strip("`"), come=come.strip("`"))]
    return [Edit("words", old[0], new[0], lines=size)]


def _drop_links(text: str) -> str:
    """Return a text without what its links lead to, and without the texts of those."""
    return LINK.sub("", _LINKED.sub("", text))


def _name_image(lines: Sequence[str]) -> str:
    """Return what lines show that have nothing but images, or parts of them: a badge by its text, or an image."""
    images = list(_IMAGE.finditer("\n".join(lines)))
    if not images or any(_IMAGE.sub("", _AROUND_IMAGE.sub("", line)).strip() for line in lines):
        return ""
    are_badges = all(_BADGE.search(line) for line in lines if _IMAGE.search(line))
    text = (images[0][1] or images[0][2] or "").strip()
    noun = "badge" if are_badges else "image"
    if len(images) == 1 and are_badges and 2 < len(text) <= _BADGE_LENGTH:
        return text if text.lower().endswith(noun) else f"{text} {noun}"
    return pluralize(noun, len(images)) if len(images) > 1 else f"the {noun}"


def _strip_markup(lines: Sequence[str]) -> list[str]:
    """Return the words of a text, however they are marked and wrapped."""
    text = _CELLS.sub(lambda row: row[0].replace("|", " | "), "\n".join(lines))
    text = _CODE.sub(lambda code: code[2].translate(_KEPT), text)
    text = _NO_DIVISION.sub("", _EMPHASIS.sub(r"\2", _BULLET.sub("", text)))
    return text.translate(_BACK).split()


def _find_marked(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the language that code in a document is marked as from now on, if nothing else changed."""
    languages = {line.lstrip("`~ ") for line in new}
    are_fences = all(_FENCE.match(line) for line in (*old, *new))
    return languages.pop() if old and are_fences and len(old) == len(new) and len(languages) == 1 else ""


def quote_title(heading: str) -> str:
    """Return how a heading stands in a sentence: "update the "How it is built" section"."""
    heading = _LINKED.sub(r"\1", _IMAGE.sub("", heading)).strip()
    return f'"{heading}"' if heading.count(" ") > 2 and '"' not in heading else heading


def _find_heading(lexed: LexedHunk) -> str:
    lines = lexed.above
    for place in range(len(lines) - 1, -1, -1):
        heading = _read_heading(lines[place], lines[place + 1] if place + 1 < len(lines) else "")
        # The title of a page says no more than its name; and in an example, `#` begins a comment.
        if heading and not lines[place].startswith("# "):
            is_plain = not set(heading) & set("{}<>") and not heading.endswith((".", ":"))
            return quote_title(heading.removeprefix("The ")) if is_plain else ""
    return ""


def list_headings(lines: Sequence[str]) -> list[str]:
    headings = []
    fences = [line.strip() for line in lines if line.strip().startswith("```")]
    # What follows the end of code may be shown without its start.
    is_code = fences[:1] == ["```"] and fences[1:2] != ["```"]
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        is_code = is_code != line.strip().startswith("```")
        heading = "" if is_code else _read_heading(line, following)
        headings += [heading] if heading else []
    return headings


def _read_heading(line: str, following: str) -> str:
    # What is indented is code, in which `#` begins a comment; a section in a tag may be so as well.
    is_deep = line[:2].isspace() and (line[:4].isspace() or not line.lstrip(" ").startswith("##"))
    # `# Installation:` is a title.
    is_remark = line.startswith("# ") and line.endswith((":", ".")) and line.count(" ") > 1
    found = None if is_deep or is_remark else _HEADING.match(line.strip())
    if found:
        return found[1].rstrip(":") if quote_title(found[1]) else ""
    is_underlined = line[:1].isalnum() and len(line) < 80 and ": " not in line and _UNDERLINE.match(following.strip())
    return line.strip() if is_underlined else ""
