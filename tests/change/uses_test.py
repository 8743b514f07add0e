"""What hunks of one file use of each other where no definition says it: what is local, and what a header brings."""

from smartcommit.change.uses import list_uses
from smartcommit.git.diff import Hunk
from tests.support.changes import make_diff
from tests.support.table import rows

Place = tuple[int, str]
F, FAR, G = (15, "def f():"), (900, "def f():"), (15, "def g():")


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
