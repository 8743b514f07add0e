"""What edits make of a content, as tools report them."""

import pytest

from smartcommit.session.edits import Deletion, NewContent, Patch, Replacement, ToolEdit, apply_edit, list_patched
from tests.support.table import rows

PATCH = """*** Begin Patch
*** Add File: new.py
+one
+two
*** Update File: old.py
@@ def f():
-    return 1
+    return 2
*** Delete File: gone.py
*** Update File: a.py
*** Move to: b.py
 x
-y
*** End Patch"""


@rows(
    ("content", "edit", "expected"),
    (b"a b c", Replacement("b", "B"), b"a B c"),
    (b"a a", Replacement("a", "b", every=True), b"b b"),
    (b"a\r\nb\r\n", Replacement("a\nb", "a\nx\nb"), b"a\r\nx\r\nb\r\n"),
    (b"\xff b", Replacement("\udcff b", "c"), b"c"),
    (None, Replacement("", "new\n"), b"new\n"),
    (b"a", NewContent("b\n"), b"b\n"),
    (None, NewContent(""), b""),
    (b"a", Deletion(), None),
    (None, Patch("*** Add File: f\n+a\n+b"), b"a\nb\n"),
    (b"a\n", Patch("*** Delete File: f"), None),
    (b"a\nb\nc\n", Patch("*** Update File: f\n@@\n a\n-b\n+x"), b"a\nx\nc\n"),
    (b"r\nf\nr\n", Patch("*** Update File: f\n@@ f\n-r\n+x"), b"r\nf\nx\n"),
    (b"a\nb\n", Patch("*** Update File: f\n@@\n-b\n+x\n*** End of File"), b"a\nx\n"),
    (b"a\nb", Patch("*** Update File: f\n@@\n+c"), b"a\nb\nc\n"),
    (b"a\n\nb\nc\n", Patch("*** Update File: f\n a\n\n-b\n@@\n-c\n+d"), b"a\n\nd\n"),
)
def test_an_edit_that_applies(content: bytes | None, edit: ToolEdit, expected: bytes | None) -> None:
    assert apply_edit(content, edit) == expected


@rows(
    ("content", "edit"),
    (b"a a", Replacement("a", "b")),
    (b"a", Replacement("x", "b")),
    (b"a", Replacement("x", "b", every=True)),
    (b"a", Replacement("", "b")),
    (None, Replacement("a", "b")),
    (b"a", Replacement("\ud800", "b")),
    (b"a", Patch("*** Add File: f\n+a")),
    (None, Patch("*** Add File: f\n a")),
    (None, Patch("*** Update File: f\n-a")),
    (b"a\na\n", Patch("*** Update File: f\n-a\n+b")),
    (b"a\n", Patch("*** Update File: f\n-x\n+b")),
    (b"a\nb\n", Patch("*** Update File: f\n-a\n*** End of File")),
    (b"a\n", Patch("*** Update File: f\n?a")),
    (b"x\ny\n", list_patched(PATCH)["a.py"]),
    (b"a\n", Patch("*** Delete File: f\n-a")),
)
def test_an_edit_that_does_not_apply(content: bytes | None, edit: ToolEdit) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its subclasses are meant too
        apply_edit(content, edit)


def test_the_files_of_a_patch() -> None:
    parts = list_patched(PATCH)
    assert list(parts) == ["new.py", "old.py", "gone.py", "a.py", "b.py"]
    assert apply_edit(b"def f():\n    return 1\n", parts["old.py"]) == b"def f():\n    return 2\n"
    assert parts["a.py"] == parts["b.py"]


@rows("text", "", "x", "*** Begin Patch\nx\n*** End Patch", "*** Begin Patch\n*** Add File: f")
def test_what_is_no_patch(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any will do
        list_patched(text)
