"""The files that plans are kept in: no part of the change, also where they lie among its files."""

from __future__ import annotations

import os
from collections.abc import Iterable

from smartcommit.errors import SplitError
from smartcommit.split.written import WrittenPlan, read_plan

# Bytes of the largest file that is taken for a plan: one of a hundred thousand commits.
_LIMIT = 128 << 20


def apart(worktree: str, names: Iterable[str], plan: WrittenPlan | None) -> list[bytes]:
    """Those of the files `names` that are no part of the change, as paths below the top level `worktree`.

    These hold a plan or nothing, and `plan`, which is to be carried out, is not about them. What a plan is written over
    is a change like any other where it was something else.
    """
    top = os.path.join(os.path.realpath(worktree), "")
    files = {os.path.realpath(name) for name in names}
    paths = [file.removeprefix(top) for file in files if file.startswith(top) and _holds_plan_or_nothing(file)]
    return [os.fsencode(path) for path in paths if plan is None or path not in plan.paths]


def _holds_plan_or_nothing(file: str) -> bool:
    if not os.path.isfile(file) or os.path.getsize(file) > _LIMIT:
        return False
    with open(file, encoding="utf-8", errors="surrogateescape") as opened:
        text = opened.read()
    try:
        read_plan(text)
    except SplitError:
        return not text
    return True
