"""What hunks of one file use of each other where no definition says it: what is local, and what a header brings."""

from smartcommit.change.uses import list_uses
from smartcommit.git.diff import Hunk
from tests.support.changes import make_diff
from tests.support.table import rows

Place = tuple[int, str]
F, FAR, G = (15, "def f():"), (900, "def f():"), (15, "def g():")
C = "int f_one(void)\n{\n}"
GO = "func f_one() {\n}"


@rows(
    ("path", "definition", "place", "use", "is_used"),
    ("a.py", "    total = 1", F, "    show(total)", True),
    ("a.py", "    total = 1", F, "    # The total.", False),
    ("a.py", "    total = 1", F, "    show(order.total)", False),
    ("a.py", "    total = 1", FAR, "    show(total)", False),
    ("a.py", "    total = 1", G, "    show(total)", False),
    ("a.c", '#include "z.h"', F, "    show();", True),
    ("a.c", "#include <z.h>\n#include <y.h>", G, "    show();", True),
    ("a.c", '#include "z.h"\nint x;', F, "    show();", False),
    ("a.py", "import z", F, "    show()", False),
    ("a.md", "    total = 1", F, "    show(total)", False),
)
def test_a_hunk_uses_what_another_one_of_its_file_declares(
    path: str, definition: str, place: Place, use: str, is_used: bool
) -> None:
    added = [(9, "def f():", definition), (*place, use)]
    hunks = [Hunk(line, 0, line, 1, context.encode(), [], text.encode().split(b"\n")) for line, context, text in added]
    for order in (1, -1):
        groups = [[make_diff(path, hunk)] for hunk in hunks[::order]]
        sure = {(found.side, found.user, found.definer) for found in list_uses(groups) if found.is_sure}
        assert sure == ({("added", 1, 0) if order == 1 else ("added", 0, 1)} if is_used else set())


@rows(
    ("edits", "sides", "is_sure"),
    # C does not have two functions of one name, whatever declares them, and neither has a package of Go.
    ([("a.c", C, ""), ("b.c", "", C), ("c.h", "int f_one(void);", "int f_one(void) ;")], ["added", "removed"], True),
    ([("x/a.go", GO, ""), ("x/b.go", "", GO)], ["added", "removed"], True),
    ([("x/a.go", GO, ""), ("y/b.go", "", GO)], ["added"], True),
    ([("a.py", "def f_one():\n    pass", ""), ("b.py", "", "def f_one():\n    pass")], ["added"], True),
    ([("a.py", "def one():\n    pass", ""), ("b.py", "", "def one():\n    pass")], ["added"], False),
    # It could be either one.
    ([("a.c", C, ""), ("b.c", "", C), ("d.c", "", C)], [], False),
)  # fmt: skip
def test_a_definition_is_not_gone_before_it_comes_back(
    edits: list[tuple[str, str, str]], sides: list[str], is_sure: bool
) -> None:
    groups = []
    for path, old, new in edits:
        removed, added = old.encode().splitlines(), new.encode().splitlines()
        groups.append([make_diff(path, Hunk(1, len(removed), 1, len(added), b"", removed, added))])
    found = [(use.side, use.user, use.definer, use.is_sure) for use in list_uses(groups)]
    assert sorted(found) == [(side, 0, 1, is_sure) for side in sides]
