"""A YAML file as text with the places of its nodes, so that a few lines can change and every other byte stays."""

from __future__ import annotations

from typing import Any

import yaml

from smartcommit.errors import ConfigError

Node = yaml.Node


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
