"""Many hunks in one file: what is held and walked through does not grow with hunks times hunks."""

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

from smartcommit.git.fast_import import Identity
from smartcommit.git.hunks import Unit, read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_snapshot
from smartcommit.split.apply import prepare
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.ordering import Checker
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.plan_file import print_plan, read_plan
from smartcommit.split.review.session import refine
from tests.support.changes import make_diff
from tests.support.repository import Repo
from tests.support.reviewing import pieces_of
from tests.support.splitting import WHO, plan_of
from tests.support.table import rows

HUNKS = 200


def changed(repo: Repo, name: str, line: str, *, between: str) -> int:
    """Change `line` at HUNKS places of a file, with a text `between` two of them; return the file's size."""
    lines = [line.format(number=number) for number in range(HUNKS)]
    repo.commit("chore: a", {name: between.join(lines)})
    content = between.join(text.replace("old", "new") for text in lines)
    repo.write(name, content)
    return len(content)


def test_the_content_of_one_commit_is_held_at_a_time(based: Repo) -> None:
    size = changed(based, "a.txt", "old {number}\n", between="same\n" * 500)
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        tracemalloc.start()
        try:
            groups = Checker(pieces).merge_broken([[unit] for unit in pieces.units])
            prepared = prepare(snapshot, plan_of(snapshot, groups, pieces), Identity(WHO, WHO))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        contents = sum(path.stat().st_size for path in Path(snapshot.run.quarantine.objects).rglob("*.pack"))
    assert len(prepared.commits) == HUNKS
    assert peak < 10 * size
    assert contents < size


class Units(list[Unit]):
    """Units that count how often they are walked through."""

    walks = 0

    def __iter__(self) -> Iterator[Unit]:
        self.walks += 1
        return super().__iter__()


def test_a_written_plan_is_bound_without_a_walk_for_each_commit(based: Repo) -> None:
    changed(based, "a.txt", "old {number}\n", between="same\n")
    pieces = pieces_of(based)
    units = pieces.units = Units(pieces.units)
    commits = [PlannedCommit(f"chore: {unit.id}\n", (unit,)) for unit in units]
    plan = SplitPlan(None, "", staged=False, engine="test", commits=(), change=pieces).with_commits(commits)
    units.walks = 0
    assert read_plan(print_plan(plan)).bind(pieces, base=None, target="") == plan
    assert units.walks < 5


def test_a_plan_is_refined_without_a_walk_for_each_commit(based: Repo) -> None:
    changed(based, "a.txt", "old {number}\n", between="same\n")
    pieces = pieces_of(based)
    commits = tuple(PlannedCommit(f"chore: {unit.id}\n", (unit,)) for unit in pieces.units[1:])
    plan = SplitPlan(None, "", staged=False, engine="test", commits=commits, skipped=(pieces.units[0],))
    units = pieces.units = Units(pieces.units)
    assert refine(plan, pieces) == plan
    assert units.walks < 5


@rows("names", ("package.json", "package-lock.json"), ("Cargo.lock",))
def test_what_a_lock_file_follows_is_looked_for_once(names: tuple[str, ...]) -> None:
    others = [f"d{number}" for number in range(HUNKS)]
    half = calls(lambda: find_inseparable(files(*names, *others[::2])))
    assert calls(lambda: find_inseparable(files(*names, *others))) < 3 * half


def files(*names: str) -> list[Unit]:
    return [Unit(f"{name}::1", "file", make_diff(name).change, (), name) for name in names]


def calls(function: Callable[[], object]) -> int:
    """How many functions of Python's `function` calls, which unlike time is the same on every machine."""
    events: list[str] = []
    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        function()
    finally:
        sys.setprofile(None)
    return events.count("call")
