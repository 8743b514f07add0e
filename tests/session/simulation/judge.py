"""Whether a commit has a session's lines alone, by what is true of each line."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.session.simulation.changes import EQUAL
from tests.session.simulation.lines import SOMEBODY, Line, Version, entries
from tests.session.simulation.world import World

# A search that needs more states ends: what it would have found then counts as not found.
STATES = 400_000
SLACK = 8
# A last line without an end is another line than the same text with one.
END = 2


@dataclass
class Verdict:
    """What a commit did to one path, and whether that was its session's.

    `kind` is "own"; "placement" where another best reading of the texts has own lines alone; "shared" where the session
    made a removal and another made it again; "blank" where all that is of others are lines without content; "mixed"
    where a line is of the session and of another; "misplaced" where the lines are own and stand elsewhere; "told" where
    all that is of others is what the session's tool says that it has written; or "foreign".
    `lines` is what the path has now.
    """

    kind: str
    lines: list[Line]
    taken: set[Line] = field(default_factory=set)
    removed: set[Line] = field(default_factory=set)
    foreign: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """One path before a commit: HEAD's lines, those of the working tree, and the texts that the commit has."""

    world: World
    path: str
    session: str
    base: Sequence[Line]
    now: Sequence[Line]
    texts: Sequence[str]

    def owns(self, line: Line, mixed: bool) -> bool:
        # A commit that was undone has not made a line public.
        owners = self.world.owners(self.path, line)
        if line.authors == {self.session}:
            return True
        return owners in ({self.session}, {SOMEBODY}) or (mixed and self.session in owners)

    def removed(self, line: Line, mixed: bool) -> bool:
        removers = self.world.find_removers(self.path, line)
        return removers[-1:] in ([self.session], [SOMEBODY]) or (mixed and self.session in removers)


def judge(world: World, path: str, session: str, base: Version | None, composed: Version | None) -> Verdict:
    """Judge a commit of `composed`, made from lines with unknown owners, over `base`."""
    texts = [line.text for line in entries(composed)]
    case = Case(world, path, session, entries(base), entries(world.tree.get(path)), texts)
    for mixed in (False, True):
        found = read_truth(case, mixed=mixed)
        if found is not None:
            found.kind = name_mixed(case, found) if mixed else "own"
            if not mixed and has_somebody(case, found):
                found.kind = "placement"
            return found
        found = read_texts(case, mixed=mixed)
        if found is not None:
            found.kind = name_mixed(case, found) if mixed else "placement"
            return found
    return find_foreign(case)


def name_mixed(case: Case, verdict: Verdict) -> str:
    return "shared" if all(case.owns(line, False) for line in verdict.taken) else "mixed"


def has_somebody(case: Case, verdict: Verdict) -> bool:
    """Whether an earlier commit with another placement has left open whose lines these are."""
    if any(case.world.owners(case.path, line) == {SOMEBODY} for line in verdict.taken):
        return True
    return any(case.world.find_removers(case.path, line)[-1:] == [SOMEBODY] for line in verdict.removed)


Step = tuple[str, int, int, int]
Place = tuple[int, int, int]
Came = dict[Place, tuple[Place, str]]


def read_truth(case: Case, *, mixed: bool) -> Verdict | None:
    """Read the commit by the identity of the lines; None where it cannot be own lines alone in their places."""
    same = case.world.find_same(case.path)
    here = {same.get(line, line) for line in case.now}
    there = set(case.base)

    def steps(i: int, j: int, k: int) -> list[Step]:
        old = case.base[i] if i < len(case.base) else None
        new = case.now[j] if j < len(case.now) else None
        text = case.texts[k] if k < len(case.texts) else None
        found: list[Step] = []
        if old is not None and new is not None and same.get(new, new) is old and text == old.text:
            found.append(("both", i + 1, j + 1, k + 1))
        if old is not None and (old not in here or old in aliased):
            if text == old.text:
                found.append(("keep", i + 1, j, k + 1))
            if case.removed(old, mixed):
                found.append(("remove", i + 1, j, k))
        if new is not None and new not in there:
            if text == new.text and case.owns(new, mixed):
                found.append(("take", i, j + 1, k + 1))
            found.append(("skip", i, j + 1, k))
        return found

    aliased = set(same.values())
    return search(case, steps)


def search(case: Case, steps: Callable[[int, int, int], list[Step]]) -> Verdict | None:
    goal = (len(case.base), len(case.now), len(case.texts))
    came: Came = {}
    stack: list[tuple[Place, Place | None, str]] = [((0, 0, 0), None, "")]
    seen: set[Place] = set()
    while stack and len(seen) < STATES:
        place, before, step = stack.pop()
        if place in seen:
            continue
        seen.add(place)
        if before is not None:
            came[place] = (before, step)
        if place == goal:
            return follow(case, came, goal)
        for name, *following in reversed(steps(*place)):
            i, j, k = following
            if (i, j, k) not in seen:
                stack.append(((i, j, k), place, name))
    return None


def follow(case: Case, came: Came, goal: Place) -> Verdict:
    verdict = Verdict("own", [])
    place = goal
    while place in came:
        place, step = came[place]
        i, j, _k = place
        if step in ("both", "keep"):
            verdict.lines.append(case.base[i])
        elif step == "take":
            verdict.lines.append(case.now[j])
            verdict.taken.add(case.now[j])
        elif step == "remove":
            verdict.removed.add(case.base[i])
    verdict.lines.reverse()
    # One line may have been read as kept and as new.
    for number, line in enumerate(verdict.lines):
        if line in verdict.lines[:number]:
            verdict.lines[number] = Line(line.text, {SOMEBODY})
    return verdict


def read_texts(case: Case, *, mixed: bool) -> Verdict | None:
    """Read the commit by texts alone, with at least as many unchanged lines as there truly are."""
    same = case.world.find_same(case.path)
    kept = sum(same.get(line, line) in set(case.base) for line in case.now)
    crossed = case.world.crossed.get((case.path, case.session), set())
    # What was moved as others read it may have been edited since, and is then not there any more.
    budget = len(case.base) + len(case.now) - 2 * kept + (SLACK if crossed else END)
    # Whoever edits a line that another moved has edited what was there before, as texts tell.
    own = {line.text for line in case.now if case.owns(line, mixed or line.moved) and line not in case.base}
    # Which of two lines that changed places was moved, texts do not tell: each removal of an equal text will do.
    removed = {line.text for line in case.world.list_removed(case.path) if case.removed(line, mixed)}
    own, removed = own | crossed | list_copied(case), removed | crossed
    goal = (len(case.base), len(case.now), len(case.texts))
    queue: list[tuple[int, int, int, int, int]] = [(0, 0, 0, 0, 0)]
    came: Came = {}
    seen: set[Place] = set()
    costs = {(0, 0, 0): 0}
    while queue and len(seen) < STATES:
        cost, _rest, i, j, k = heapq.heappop(queue)
        if (i, j, k) in seen:
            continue
        seen.add((i, j, k))
        if (i, j, k) == goal:
            return follow(case, came, goal)
        for name, *following in text_steps(case, own, removed, (i, j, k)):
            x, y, z = following
            price = cost + (name != "both")
            if price <= budget and price < costs.get((x, y, z), budget + 1):
                costs[x, y, z] = price
                came[x, y, z] = ((i, j, k), name)
                heapq.heappush(queue, (price, -x - y - z, x, y, z))
    return None


def list_copied(case: Case) -> set[str]:
    """Return the texts that the session typed first, and of which another's copy may stand where its own was."""
    typed = {line.text for line in case.world.list_removed(case.path) if line.authors == {case.session}}
    return typed - set(EQUAL)


def text_steps(case: Case, own: set[str], removed: set[str], place: tuple[int, int, int]) -> list[Step]:
    i, j, k = place
    old = case.base[i].text if i < len(case.base) else None
    new = case.now[j].text if j < len(case.now) else None
    text = case.texts[k] if k < len(case.texts) else None
    found: list[Step] = []
    if old is not None and old == new == text:
        found.append(("both", i + 1, j + 1, k + 1))
    if old is not None:
        if text == old:
            found.append(("keep", i + 1, j, k + 1))
        if old in removed:
            found.append(("remove", i + 1, j, k))
    if new is not None:
        if text == new and new in own:
            found.append(("take", i, j + 1, k + 1))
        found.append(("skip", i, j + 1, k))
    return found


def find_foreign(case: Case) -> Verdict:
    """Read the commit as the difference with the fewest lines that are not the session's."""
    own = {line.text for line in case.now if case.owns(line, True)}
    rows, columns = len(case.base), len(case.texts)
    gone = [0 if case.removed(line, True) else 1000 for line in case.base]
    price = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows, -1, -1):
        for k in range(columns, -1, -1):
            ways = []
            if i < rows:
                ways.append(price[i + 1][k] + gone[i] + 1)
            if k < columns:
                ways.append(price[i][k + 1] + (1 if case.texts[k] in own else 1001))
            if i < rows and k < columns and case.base[i].text == case.texts[k]:
                ways.append(price[i + 1][k + 1])
            price[i][k] = min(ways, default=0)
    return read_prices(case, price, own)


def read_prices(case: Case, price: list[list[int]], own: set[str]) -> Verdict:
    verdict = Verdict("misplaced", [])
    spare = [line for line in case.now if line not in set(case.base)]
    i = k = 0
    while i < len(case.base) or k < len(case.texts):
        both = i < len(case.base) and k < len(case.texts)
        if both and case.base[i].text == case.texts[k] and price[i][k] == price[i + 1][k + 1]:
            verdict.lines.append(case.base[i])
            i, k = i + 1, k + 1
            continue
        cost = 1001 if k < len(case.texts) and case.texts[k] not in own else 1
        if k < len(case.texts) and price[i][k] == price[i][k + 1] + cost:
            if cost > 1:
                verdict.foreign.append(f"+{case.texts[k]}")
            verdict.lines.append(find_spare(case, spare, case.texts[k]))
            k += 1
            continue
        if price[i][k] - price[i + 1][k] > 1:
            verdict.foreign.append(f"-{case.base[i].text}")
        i += 1
    if verdict.foreign:
        verdict.kind = "foreign"
        # Whose a line without content is makes no difference to anybody.
        if {text[1:].strip() for text in verdict.foreign} <= {text.strip() for text in EQUAL}:
            verdict.kind, verdict.foreign = "blank", []
    return verdict


def find_spare(case: Case, spare: list[Line], text: str) -> Line:
    """Return a line of the working tree that may be the one with this text in the commit, the session's first."""
    fitting = [line for line in spare if line.text == text]
    fitting.sort(key=lambda line: case.owns(line, False), reverse=True)
    if not fitting:
        return Line(text, {SOMEBODY})
    spare.remove(fitting[0])
    return fitting[0]
