"""Every hunk of the branches of `absorb_cases` goes where it belongs, none is lost, and `undo` restores what was."""

import json
from collections import Counter
from typing import Any

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.git.hunks import read_units
from smartcommit.git.repo import Repository
from smartcommit.split.outcome import DONE, NOTHING
from tests.rewrite.absorb_cases import CASES, STAYS, Branch, Wanted
from tests.support.repository import Repo
from tests.support.situations_split import contents
from tests.support.splitting import add_all_tree, head_of, status_of

REMOTE = "refs/remotes/origin/main"


@pytest.mark.parametrize("name", CASES)
def test_every_hunk_goes_where_it_belongs_or_stays(inside: Repo, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    branch = Branch(inside)
    for step in CASES[name]:
        step(branch)
    old, before, files = head_of(inside), state_of(inside), contents(inside.path)
    records, titles = read_records(inside), read_titles(inside)
    target = add_all_tree(inside)

    status = git_smart_commit(["absorb", "--yes", "--json"])
    units = list_units(json.loads(capsys.readouterr().out))
    targets = {unit["id"]: titles.get(unit["target"], STAYS) for unit in units}
    for wanted in branch.wanted:
        assert targets[find_unit(inside, wanted, units, target, old)] in wanted.targets, wanted
    assert status == (DONE if any(targets.values()) else NOTHING)

    # HEAD has what was absorbed, and the rest is what stays.
    absorbed, rest = read_hunks(inside, old, head_of(inside)), read_hunks(inside, head_of(inside), target)
    assert absorbed + rest == read_hunks(inside, old, target)
    assert sorted(hunk[0] for hunk in absorbed.elements()) == sorted(
        unit["path"] for unit in units if targets[unit["id"]]
    )
    assert contents(inside.path) == files
    assert read_records(inside) == records
    inside.git("fsck", "--strict", "--no-dangling")
    if status == DONE:
        assert git_smart_commit(["undo"]) == DONE
    assert (head_of(inside), state_of(inside), contents(inside.path)) == (old, before, files)


def state_of(repo: Repo) -> tuple[str, str]:
    return repo.git("ls-files", "--stage", "-v"), status_of(repo)


def read_records(repo: Repo) -> str:
    """Who wrote the commits that were not pushed, when, and with which message."""
    return repo.git("log", "--reverse", "--format=%an %ae %ad%n%B", "--date=raw", f"{REMOTE}..")


def read_titles(repo: Repo) -> dict[str, str]:
    lines = repo.git("log", "--format=%H %s", f"{REMOTE}..").splitlines()
    return dict(line.split(" ", 1) for line in lines)


def list_units(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The units of a plan in JSON, those that stay as well."""
    units = list(plan["skipped"])
    for commit in plan["commits"]:
        units += commit["units"]
    return units


def find_unit(repo: Repo, wanted: Wanted, units: list[dict[str, Any]], new: str, old: str) -> str:
    """The id of the unit that is meant, of those that turn `old` into the tree `new`."""
    if isinstance(wanted.hunk, int):
        return f"{wanted.path}::{wanted.hunk}"
    for side, revision in (("new", new), ("old", old)):
        lines = repo.run("show", f"{revision}:{wanted.path}").stdout.decode().split("\n")
        found = []
        for unit in units:
            for hunk in unit["hunks"]:
                first = hunk[f"{side}_start"] - 1
                text = "\n".join(lines[first : first + hunk[f"{side}_lines"]])
                if unit["path"] == wanted.path and wanted.hunk in text:
                    found.append(unit["id"])
        if found:
            break
    (unit_id,) = found
    return str(unit_id)


def read_hunks(repo: Repo, since: str, target: str) -> Counter[tuple[str, ...]]:
    """Path, removed and added lines of every hunk between two trees."""
    change = read_units(Repository.find(str(repo.path)), since, target, cut=True)
    hunks: Counter[tuple[str, ...]] = Counter()
    for unit in change.units:
        sides: list[bytes] = []
        for hunk in unit.hunks:
            sides += [b"".join(hunk.removed), b"".join(hunk.added)]
        if not sides:
            sides = [unit.change.new_mode.encode(), unit.change.new_id.encode()]
        hunks[(unit.change.path.decode(), *(side.decode("latin-1") for side in sides))] += 1
    return hunks
