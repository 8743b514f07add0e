"""Where each hunk of a change belongs, and why."""

from __future__ import annotations

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


def test_insertions_stand_between_lines_of_a_commit(repo: Repo) -> None:
    added = {"a": "0\n1\n2\n"}
    assert place(repo, {"a": "0\n"}, added, {"b": "0\n"}, {"a": "0\n1\n1.5\n2\n"}) == [
        (0, "it stands between lines of this commit")
    ]


def test_lines_moved_within_a_commit(repo: Repo) -> None:
    parts = "def read(path):\n    text = open(path).read()\n    rows = text.split(';')\n    return sorted(rows)\n\n\n"
    moved = parts + "def load(path):\n    return read(path)\n"
    found = place(repo, {"b": "0\n"}, {"load.py": LOAD}, {"b": "1\n"}, {"load.py": moved})
    assert {target for target, _ in found} == {0}


def test_lines_moved_to_another_file_stay(repo: Repo) -> None:
    rest = "def load(path):\n    return path\n"
    found = place(
        repo,
        {"b.py": "import os\n\nX = 1\n"},
        {"load.py": LOAD},
        {"b.py": "import os\n" + LOAD + "X = 1\n", "load.py": rest},
    )
    assert found == [(None, "it moves lines")] * 2


def test_a_version_that_is_corrected(repo: Repo) -> None:
    versions = [{"a.toml": f'name = "a"\nversion = "{number}"\n'} for number in ("1.1.0", "1.2.0", "1.1.5")]
    assert place(repo, *versions) == [(0, EDIT)]


def test_a_name_of_a_later_commit_is_missing(repo: Repo) -> None:
    versions = (
        {"a.py": "import b\n"},
        {"a.py": "import b\n\n\ndef run():\n    b.start()\n"},
        {"b.py": "def restart():\n    pass\n"},
        {"a.py": "import b\n\n\ndef run():\n    b.restart()\n"},
    )
    assert place(repo, *versions) == [(None, "it uses 'restart', which a later commit adds")]


def test_what_others_use_goes_with_them(repo: Repo) -> None:
    versions = (
        {"a.py": "def one(value):\n    return value\n"},
        {"a.py": "def one(value):\n    return value\n\n\ndef scale(value):\n    return value * 2\n"},
        {"b.py": "pass\n"},
        {
            "a.py": "def clamp(value):\n    return max(value, 0)\n\n\ndef one(value):\n    return value\n\n\n"
            "def scale(value):\n    return clamp(value * 2)\n"
        },
    )
    assert place(repo, *versions) == [(0, "a hunk of this commit uses what it adds"), (0, EDIT)]


def test_an_older_name_is_not_brought_in(repo: Repo) -> None:
    """An attribute that a commit writes above one more function was there before."""
    old = '#[cfg(feature = "rsa")]\npub fn zeros() {}\n'
    new = '#[cfg(feature = "rsa")]\npub fn ones() {}\n\n' + old
    found = place(
        repo,
        {"a.rs": "use std;\n\n" + old},
        {"a.rs": "use std;\n\n" + new},
        {"b.rs": "use std;\n"},
        {"a.rs": "use std;\n\n" + new.replace("pub fn zeros", "#[cfg(feature)]\npub fn zeros")},
    )
    assert found == [(None, "nothing shows which commit it belongs to")]


@pytest.mark.parametrize(("more", "target"), [({"c": "zero\n"}, 1), ({"c": "zero\n", "d": "zero\n"}, None)])
def test_a_doubtful_hunk_stays_if_most_of_the_change_goes_elsewhere(
    repo: Repo, more: Files, target: int | None
) -> None:
    first, second = {"a": "0\n1\n2\n", "c": "0\n", "d": "0\n"}, {"a": "0\n1\n2\n3\n4\n", "b": "0\n"}
    found = place(repo, {"z": "0\n"}, first, second, {"a": "zero\n1\n2\n3\nfour\n", "b": "zero\n", **more})
    # Both commits changed `a`; only the second one changed `b`, and only the first one the others.
    assert [each for each, _ in found] == [0, target, 1] + [0] * len(more)
