"""Our entry in `.pre-commit-config.yaml`: added and removed, every other byte kept.

The text is edited, never written anew: comments, quotes, indentation and line ends stay. What an edit makes is read
again and must mean what was meant, or nothing is changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import yaml

from smartcommit.errors import ConfigError

NAME = ".pre-commit-config.yaml"
TYPES_KEY = "default_install_hook_types"
MESSAGE_TYPES = ("prepare-commit-msg", "commit-msg")
IDS = (*MESSAGE_TYPES, "split")
_UNUSUAL = "its lines do not stand as they usually do"
Node = yaml.Node


class Style:
    """Columns of an entry: of its dash, its keys, its hooks' dashes and their keys. The default is pre-commit's own."""

    __slots__ = ("dash", "hook", "hook_dash", "key")

    def __init__(self, dash: int = 0, key: int = 4, hook_dash: int = 4, hook: int = 8) -> None:
        self.dash = dash
        self.key = key
        self.hook_dash = hook_dash
        self.hook = hook


def entry_lines(repo: str, rev: str, style: Style | None = None) -> list[str]:
    """Our entry of `repos:`, without line ends."""
    style = style or Style()
    return [
        _dashed(style.dash, style.key, f"repo: {_scalar(repo)}"),
        f"{' ' * style.key}rev: {_scalar(rev)}",
        f"{' ' * style.key}hooks:",
        *(_dashed(style.hook_dash, style.hook, f"id: {name}") for name in IDS),
    ]


def paste(repo: str, rev: str) -> str:
    """A whole file with our entry alone; also what to paste where the file cannot be extended."""
    return "\n".join([f"{TYPES_KEY}: [{', '.join(MESSAGE_TYPES)}]", "repos:", *entry_lines(repo, rev)]) + "\n"


def paste_toml(repo: str, rev: str) -> str:
    """Our entry in the form of `prek.toml`; it can stand at the end of any such file."""
    hooks = ", ".join(f'{{ id = "{name}" }}' for name in IDS)
    # A JSON string is a TOML string as long as no surrogates are escaped in it.
    place, revision = (json.dumps(text, ensure_ascii=False) for text in (repo, rev))
    return f"[[repos]]\nrepo = {place}\nrev = {revision}\nhooks = [{hooks}]\n"


def extend(text: str, repo: str, rev: str) -> str:
    """`text` with our entry and with the hook types it needs; the same text where both are there.

    An entry of `repo` that is already there stays as it is, whatever its `rev` and hooks.

    Raises: ConfigError when `text` is not valid YAML, Unclear when it cannot be extended safely.
    """
    if blank(text):
        newline = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text or text.endswith("\n") else newline
        return text + gap + paste(repo, rev).replace("\n", newline)
    document = Document(text, NAME)
    types = wanted_types(document.data, repo)
    if not hooks_of(document.data, repo):
        document = _add_entry(document, repo, rev)
    return _add_types(document, types).text


def shrink(text: str, repo: str, types: Sequence[str]) -> str | None:
    """`text` without our entry and without `types` of the hook types; None when nothing else is left.

    Raises: ConfigError when `text` is not valid YAML, Unclear when the lines cannot be taken out safely.
    """
    document = Document(text, NAME)
    if hooks_of(document.data, repo):
        document = _drop_entry(document, repo)
    listed = document.data.get(TYPES_KEY) or []
    only_ours = set(listed) <= set(types)
    for name in types:
        # A list that has become somebody else's needs `pre-commit`, which is meant where there is none.
        if name in listed and (only_ours or name != "pre-commit"):
            document = _drop_type(document, name)
    rest = [line for line in document.text.splitlines() if line.strip() not in ("", "---", "repos: []")]
    return document.text if any(not line.startswith(f"{TYPES_KEY}:") for line in rest) else None


def contents(text: str, repo: str) -> tuple[list[str], list[str] | None]:
    """The ids of the hooks that the configuration `text` takes from `repo`, and the hook types it lists, if it does.

    Raises: ConfigError when `text` is not valid YAML.
    """
    if blank(text):
        return [], None
    data = Document(text, NAME).data
    listed = data.get(TYPES_KEY)
    return hooks_of(data, repo), list(listed) if isinstance(listed, list) else None


def blank(text: str) -> bool:
    """Whether there is nothing but comments in `text`."""
    return all(line.lstrip().startswith("#") for line in text.splitlines() if line.strip())


def hooks_of(data: Any, repo: str) -> list[str]:
    """The ids of the hooks that the configuration `data` takes from `repo`."""
    entries = [entry for entry in _entries(data) if _same(entry.get("repo"), repo)]
    return [hook["id"] for entry in entries for hook in entry.get("hooks") or () if "id" in hook]


def wanted_types(data: Any, repo: str) -> list[str]:
    """The hook types that the configuration needs beyond those it lists.

    Where it lists none, `pre-commit` is meant; a list that we start must say so where other hooks run at that stage.
    """
    ours = hooks_of(data, repo) or IDS
    listed = data.get(TYPES_KEY)
    wanted = [name for name in MESSAGE_TYPES if name in ours]
    if listed is None and wanted and _runs_before_commit(data, repo):
        wanted.insert(0, "pre-commit")
    return [name for name in wanted if name not in (listed or ())]


def _runs_before_commit(data: Any, repo: str) -> bool:
    # A hook without `stages` may have some in its repository's manifest; it is taken to run before a commit.
    stages = [
        hook.get("stages") or data.get("default_stages") or ["pre-commit"]
        for entry in _entries(data)
        if not _same(entry.get("repo"), repo)
        for hook in entry.get("hooks") or ()
    ]
    return any(name in ("pre-commit", "commit") for names in stages for name in names)


def _entries(data: Any) -> list[dict[str, Any]]:
    entries = data.get("repos") if isinstance(data, dict) else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _same(url: object, repo: str) -> bool:
    return isinstance(url, str) and _plain(url) == _plain(repo)


def _plain(url: str) -> str:
    return url.rstrip("/").removesuffix(".git")


def _scalar(value: str) -> str:
    """`value` as YAML reads it back, quoted only where it must be."""
    return yaml.safe_dump(value, allow_unicode=True, width=1 << 20).removesuffix("...\n").rstrip("\n")


def _dashed(dash: int, key: int, text: str) -> str:
    return f"{' ' * dash}-{' ' * (key - dash - 1)}{text}"


def _add_entry(document: Document, repo: str, rev: str) -> Document:
    found = document.find("repos")
    sequence = document.sequence("repos")
    if found is None or sequence is None:
        raise UnsupportedLayout("it has no list 'repos'")
    if sequence.value and sequence.flow_style:
        raise UnsupportedLayout("its 'repos' are in flow style")
    expected = {
        **document.data,
        "repos": [*document.data["repos"], yaml.safe_load("\n".join(entry_lines(repo, rev)))[0]],
    }
    if sequence.value:
        style = _style(document, sequence)
        place = document.item_end(sequence.value[-1], style.dash)
    else:
        # `repos: []` becomes the head of a list.
        style = Style()
        start, end = found[0].end_mark.index + 1, sequence.end_mark.index
        document = _edited(document, start, end, "")
        place = document.line_end(start)
    lines = entry_lines(repo, rev, style)
    if len(sequence.value) > 1 and _blank_before(document, sequence.value[-1]):
        lines.insert(0, "")
    return _checked(document.insert_lines(place, lines), expected)


def _style(document: Document, sequence: yaml.SequenceNode) -> Style:
    """The columns of the last entry, as far as it has the usual form; an entry of a valid file is a mapping."""
    entry = sequence.value[-1]
    dash = document.dash_column(sequence)
    key = entry.start_mark.column
    if not dash + 1 < key < dash + 9:
        key = dash + 4
    hooks = next((value for name, value in entry.value if name.value == "hooks"), None)
    if entry.flow_style or hooks is None or hooks.flow_style or not hooks.value:
        return Style(dash, key, key, 2 * key - dash)
    return Style(dash, key, document.dash_column(hooks), hooks.value[-1].start_mark.column)


def _blank_before(document: Document, node: Node) -> bool:
    start = document.line_start(node.start_mark.index)
    return start > 0 and not document.text[document.line_start(start - 1) : start].strip()


def _add_types(document: Document, types: Sequence[str]) -> Document:
    if not types:
        return document
    expected = {**document.data, TYPES_KEY: [*(document.data.get(TYPES_KEY) or ()), *types]}
    if document.find(TYPES_KEY) is None:
        first = document.root.value[0][0].start_mark
        start = document.line_start(first.index)
        if document.text[start : first.index].strip():
            raise UnsupportedLayout("its first key does not begin a line")
        line = f"{' ' * first.column}{TYPES_KEY}: [{', '.join(types)}]"
        return _checked(document.insert_lines(start, [line]), expected)
    sequence = document.sequence(TYPES_KEY)
    if sequence is None:
        raise UnsupportedLayout(f"its '{TYPES_KEY}' is not a list")
    if not sequence.flow_style:
        dash = document.dash_column(sequence)
        lines = [_dashed(dash, sequence.value[-1].start_mark.column, name) for name in types]
        return _checked(document.insert_lines(document.item_end(sequence.value[-1], dash), lines), expected)
    added = ", ".join(types)
    if not sequence.value:
        return _checked(
            _edited_text(document, sequence.end_mark.index - 1, sequence.end_mark.index - 1, added), expected
        )
    end = sequence.value[-1].end_mark.index
    return _checked(_edited_text(document, end, end, f", {added}"), expected)


def _drop_entry(document: Document, repo: str) -> Document:
    found, sequence = document.find("repos"), document.sequence("repos")
    assert found is not None
    if sequence is None or sequence.flow_style:
        raise UnsupportedLayout("its 'repos' are in flow style")
    entries = document.data["repos"]
    rest = [entry for entry in entries if not (isinstance(entry, dict) and _same(entry.get("repo"), repo))]
    for place in reversed(range(len(entries))):
        if entries[place] in rest:
            continue
        item = sequence.value[place]
        start, end = document.line_start(item.start_mark.index), document.item_end(item, document.dash_column(sequence))
        if document.text[start : item.start_mark.index].strip() != "-":
            raise UnsupportedLayout("our entry does not begin its line")
        if _blank_before(document, item) and not document.text[end : document.line_end(end)].strip():
            start = document.line_start(start - 1)
        text = _edited_text(document, start, end, "")
        if len(sequence.value) == 1:
            head = found[0].end_mark.index + 1
            text = f"{text[:head]} []{text[head:]}"
        document = _reread(text)
        found, sequence = document.find("repos"), document.sequence("repos")
        assert found is not None
        assert sequence is not None
    return _checked(document.text, {**document.data, "repos": rest})


def _drop_type(document: Document, name: str) -> Document:
    """Take one hook type out of the list, and the key with the last one."""
    sequence, found = document.sequence(TYPES_KEY), document.find(TYPES_KEY)
    assert sequence is not None
    assert found is not None
    rest = [other for other in document.data[TYPES_KEY] if other != name]
    expected = {**document.data, TYPES_KEY: rest}
    items = sequence.value
    place = next(i for i, item in enumerate(items) if item.value == name)
    if len(items) == 1:
        del expected[TYPES_KEY]
        start = document.line_start(found[0].start_mark.index)
        return _checked(_edited_text(document, start, document.line_end(document.content_end(sequence)), ""), expected)
    if not sequence.flow_style:
        start = document.line_start(items[place].start_mark.index)
        end = document.item_end(items[place], document.dash_column(sequence))
        return _checked(_edited_text(document, start, end, ""), expected)
    if place:
        start, end = items[place - 1].end_mark.index, items[place].end_mark.index
    else:
        start, end = items[0].start_mark.index, items[1].start_mark.index
    return _checked(_edited_text(document, start, end, ""), expected)


def _edited(document: Document, start: int, end: int, text: str) -> Document:
    return _reread(_edited_text(document, start, end, text))


def _edited_text(document: Document, start: int, end: int, text: str) -> str:
    return document.text[:start] + text + document.text[end:]


def _checked(text: str, expected: object) -> Document:
    """The document of `text`, which must mean `expected`."""
    document = _reread(text)
    try:
        as_meant = document.data == expected
    except RecursionError:  # a value can hold itself, by an alias
        as_meant = False
    if not as_meant:
        raise UnsupportedLayout(_UNUSUAL)
    return document


def _reread(text: str) -> Document:
    """The document of `text`, which we changed: what is not valid in it is our doing."""
    try:
        return Document(text, NAME)
    except ConfigError:
        raise UnsupportedLayout(_UNUSUAL) from None


class Document:
    """A YAML text whose top level is a mapping in block style; places are indices into `text`.

    Raises: ConfigError when it is not valid YAML or a list, Unclear when its top level has another form.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        try:
            # The loader written in Python, whose marks count characters.
            loader = yaml.SafeLoader(text)
            root = loader.get_single_node()
            self.data: Any = None if root is None else loader.construct_document(root)
        except yaml.MarkedYAMLError as error:
            place = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
            raise ConfigError(f"'{name}' is not valid YAML{place}: {error.problem or error.context}") from error
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise ConfigError(f"'{name}' is not valid YAML: {str(error).splitlines()[0]}") from error
        if isinstance(root, yaml.SequenceNode):
            raise ConfigError(
                f"'{name}' is in pre-commit's old list form", hint="run 'pre-commit migrate-config' first"
            )
        if not isinstance(root, yaml.MappingNode) or root.flow_style:
            raise UnsupportedLayout("its top level is not a mapping in block style")
        self.root = root

    def find(self, key: str) -> tuple[Node, Node] | None:
        """The nodes of `key` and of its value at the top level."""
        return next(((name, value) for name, value in self.root.value if name.value == key), None)

    def sequence(self, key: str) -> yaml.SequenceNode | None:
        """The list below `key` at the top level, None where there is none."""
        found = self.find(key)
        return found[1] if found is not None and isinstance(found[1], yaml.SequenceNode) else None

    def line_start(self, place: int) -> int:
        """Where the line of `place` begins."""
        return self.text.rfind("\n", 0, place) + 1

    def line_end(self, place: int) -> int:
        """Where the line after that of `place` begins."""
        end = self.text.find("\n", place)
        return len(self.text) if end < 0 else end + 1

    def dash_column(self, sequence: yaml.SequenceNode) -> int:
        """The column of the dashes of a list in block style that is not empty."""
        mark = sequence.start_mark
        if self.text[mark.index] == "-":
            return mark.column
        # The mark of a list with an anchor is the anchor's.
        first = sequence.value[0].start_mark.index
        return self.text.rfind("-", 0, first) - self.line_start(first)

    def content_end(self, node: Node) -> int:
        """Where the content of `node` ends; the marks of a block also cover the blanks and comments behind it."""
        if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self.content_end(last[1] if isinstance(last, tuple) else last)
        end = node.end_mark.index
        if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
            end = len(self.text[:end].rstrip())
        return end

    def item_end(self, item: Node, column: int) -> int:
        """Where the lines of a list's item end: with the comments below it that are indented deeper than `column`."""
        end = self.line_end(self.content_end(item))
        while end < len(self.text):
            line = self.text[end : self.line_end(end)]
            if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) <= column:
                break
            end += len(line)
        return end

    def insert_lines(self, place: int, lines: list[str]) -> str:
        """The text with `lines` before the line that begins at `place`, or at its end."""
        before, after = self.text[:place], self.text[place:]
        block = self.newline.join(lines)
        if before and not before.endswith("\n"):
            return f"{before}{self.newline}{block}"
        return f"{before}{block}{self.newline}{after}"


class UnsupportedLayout(ConfigError):
    """The file is valid, but of a form in which lines cannot be changed safely."""
