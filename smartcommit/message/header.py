"""The header, `type(scope)!: summary`: its parts, and how it is written."""

from __future__ import annotations


class Header:
    """The first line of a message, in parts; `scope` is None where there is none. Units: code points."""

    __slots__ = ("breaking", "scope", "summary", "type")

    def __init__(self, type: str, summary: str, *, scope: str | None = None, breaking: bool = False) -> None:  # noqa: A002
        self.type = type
        self.scope = scope
        self.breaking = breaking
        self.summary = summary

    def __str__(self) -> str:
        scope = f"({self.scope})" if self.scope is not None else ""
        return f"{self.type}{scope}{'!' if self.breaking else ''}: {self.summary}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Header) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))
