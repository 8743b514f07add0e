"""A few seeds of the simulation in `tests/session/simulation`; `python -m tests.session.simulation.run` runs more."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.session.simulation.judge import judge
from tests.session.simulation.lines import Line, Version, new_entry
from tests.session.simulation.run import simulate
from tests.session.simulation.settings import KINDS
from tests.session.simulation.world import World
from tests.support.profile import choose
from tests.support.table import rows


@rows("kind", ["hostile", "repeated", "alone", "calm", "killed"])
def test_commits_have_a_sessions_lines_alone(kind: str) -> None:
    counts: Counter[str] = Counter()
    for seed in range(30, 30 + choose(fast=1, full=3)):
        run, defect = simulate(seed, KINDS[kind])
        assert defect == "", run.defects
        counts += run.counts
    assert counts["commits"] > 0
    assert counts["lines added"] > 0
    assert (counts["kills"] > 0) == (kind == "killed")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A file with lines a, b and c in HEAD, to which ann added x, and the person y."""
    world = World(tmp_path / "repository", set(), set())
    lines = [Line(text, {"before"}) for text in "abc"]
    version = Version(new_entry("before"), tuple(lines))
    world.write("f", version, "before")
    world.add_all()
    world.commit_index()
    version = version.with_lines([*lines, Line("x", {"ann"})])
    world.write("f", version, "ann")
    world.write("f", version.with_lines([Line("y", {"person"}), *version.lines]), "person")
    return world


@pytest.mark.parametrize(
    ("texts", "kind", "foreign"),
    [
        ("abcx", "own", []),
        ("abc", "own", []),
        ("yabcx", "foreign", ["+y"]),
        ("acx", "foreign", ["-b"]),
        ("xabc", "misplaced", []),
    ],
)
def test_the_judge_knows_whose_lines_a_commit_has(world: World, texts: str, kind: str, foreign: list[str]) -> None:
    composed = Version(new_entry("nobody"), tuple(Line(text, {"nobody"}) for text in texts))
    verdict = judge(world, "f", "ann", world.head["f"], composed)
    assert (verdict.kind, verdict.foreign) == (kind, foreign)


def test_a_move_may_be_read_either_way(world: World) -> None:
    lines = world.tree["f"].lines
    y, a, b, c, x = lines
    world.write("f", world.tree["f"].with_lines([y, b, a.copy_for("ann"), c, x]), "ann")
    composed = Version(new_entry("nobody"), tuple(Line(text, {"nobody"}) for text in "bacx"))
    assert judge(world, "f", "ann", world.head["f"], composed).kind in ("own", "placement")
    assert judge(world, "f", "person", world.head["f"], composed).kind == "foreign"
