"""Schemas without references."""

from __future__ import annotations

from pydantic import BaseModel, Field

from smartcommit.llm.json_repair import inline


class Inner(BaseModel):
    title: str = Field("x", description="the title")


class Outer(BaseModel):
    one: Inner
    many: list[Inner]


class Node(BaseModel):
    children: list[Node]


def test_references_are_replaced_by_what_they_name() -> None:
    shape = inline(Outer.model_json_schema())
    inner = {"type": "object", "properties": {"title": {"type": "string", "description": "the title"}}}
    assert shape["properties"] == {"one": inner, "many": {"type": "array", "items": inner}}
    assert "$defs" not in shape


def test_a_schema_that_holds_itself_ends() -> None:
    assert "$ref" not in str(inline(Node.model_json_schema()))
