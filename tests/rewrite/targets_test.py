"""Where each hunk of a change belongs, and why."""

from collections.abc import Sequence

import pytest

from smartcommit.git.hunks import read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_snapshot
from smartcommit.rewrite.commits import find_unpushed_range
from smartcommit.rewrite.origins import read_origins
from smartcommit.rewrite.targets import find_targets
from tests.support.repository import Repo

Files = dict[str, str]
Found = list[tuple[int | None, str]]

EDIT = "it changes lines of this commit"
LOAD = """\
def load(path):
    text = open(path).read()
    rows = text.split(';')
    names = sorted(rows)
    return names
"""


def place(repo: Repo, *versions: Files, titles: Sequence[str] = ()) -> Found:
    """Return the target and the reason of each hunk of the last version; the first one is from before the range."""
    base, *commits, change = versions
    repo.commit("chore: base", base)
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    for number, files in enumerate(commits):
        repo.commit([*titles, *(f"feat: step {n}" for n in range(9))][number], files)
    for path, content in change.items():
        repo.write(path, content)
    repository = Repository.find(str(repo.path))
    found = find_unpushed_range(repository).commits
    with take_snapshot(repository) as snapshot:
        units = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        origins = read_origins(snapshot.repository, [commit.oid for commit in found])
        placements = find_targets(units, origins, [commit.title for commit in found])
    assert all((placement.target is None) == (placement.confidence == 0) for placement in placements)
    return [(placement.target, placement.reason) for placement in placements]


START = "import b\n\n\ndef run():\n    b.start()\n"
ONE = "def one(value):\n    return value\n"
SCALE = "\n\ndef scale(value):\n    return value * 2\n"
CLAMP = "def clamp(value):\n    return max(value, 0)\n\n\n"
READ = "def read(path):\n    text = open(path).read()\n    rows = text.split(';')\n    return sorted(rows)\n\n\n"
PARTS = READ + "def load(path):\n    return read(path)\n"
# An attribute that a commit writes above one more function was there before.
ZEROS = '#[cfg(feature = "rsa")]\npub fn zeros() {}\n'
ONES = 'use std;\n\n#[cfg(feature = "rsa")]\npub fn ones() {}\n\n' + ZEROS
# The versions of the files, and the target and the reason of each hunk of the last one.
CASES: dict[str, tuple[list[Files], Found]] = {
    "an insertion between lines of a commit": (
        [{"a": "0\n"}, {"a": "0\n1\n2\n"}, {"b": "0\n"}, {"a": "0\n1\n1.5\n2\n"}],
        [(0, "it stands between lines of this commit")],
    ),
    "lines that move within a commit": (
        [{"b": "0\n"}, {"load.py": LOAD}, {"b": "1\n"}, {"load.py": PARTS}],
        [(0, EDIT)] * 2,
    ),
    "lines that move to another file": (
        [
            {"b.py": "import os\n\nX = 1\n"},
            {"load.py": LOAD},
            {"b.py": "import os\n" + LOAD + "X = 1\n", "load.py": "def load(path):\n    return path\n"},
        ],
        [(None, "it moves lines")] * 2,
    ),
    "a version that is corrected": (
        [{"a.toml": f'name = "a"\nversion = "{number}"\n'} for number in ("1.1.0", "1.2.0", "1.1.5")],
        [(0, EDIT)],
    ),
    "a name of a later commit": (
        [
            {"a.py": "import b\n"},
            {"a.py": START},
            {"b.py": "def restart():\n    pass\n"},
            {"a.py": START.replace("start()", "restart()")},
        ],
        [(None, "it uses 'restart', which a later commit adds")],
    ),
    "what another hunk uses": (
        [
            {"a.py": ONE},
            {"a.py": ONE + SCALE},
            {"b.py": "pass\n"},
            {"a.py": CLAMP + ONE + SCALE.replace("value * 2", "clamp(value * 2)")},
        ],
        [(0, "a hunk of this commit uses what it adds"), (0, EDIT)],
    ),
    "a name that is older": (
        [
            {"a.rs": "use std;\n\n" + ZEROS},
            {"a.rs": ONES},
            {"b.rs": "use std;\n"},
            {"a.rs": ONES.replace("pub fn zeros", "#[cfg(feature)]\npub fn zeros")},
        ],
        [(None, "nothing shows which commit it belongs to")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_hunk_has_a_target_or_a_reason_to_stay(repo: Repo, case: str) -> None:
    versions, expected = CASES[case]
    assert place(repo, *versions) == expected


@pytest.mark.parametrize(("more", "target"), [({"c": "zero\n"}, 1), ({"c": "zero\n", "d": "zero\n"}, None)])
def test_a_doubtful_hunk_stays_if_most_of_a_change_goes_elsewhere(repo: Repo, more: Files, target: int | None) -> None:
    first, second = {"a": "0\n1\n2\n", "c": "0\n", "d": "0\n"}, {"a": "0\n1\n2\n3\n4\n", "b": "0\n"}
    found = place(repo, {"z": "0\n"}, first, second, {"a": "zero\n1\n2\n3\nfour\n", "b": "zero\n", **more})
    # Both commits changed `a`; only the second one changed `b`, and only the first one the others.
    assert [each for each, _ in found] == [0, target, 1] + [0] * len(more)
