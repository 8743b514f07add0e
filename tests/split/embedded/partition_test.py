"""The embedded splitter makes the same plan for the same change, whatever the environment."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from smartcommit.git.hunks import keep_whole
from smartcommit.split.embedded.partition import find_partition
from tests.support.changes import make_diff
from tests.support.installation import Installation
from tests.support.repository import Repo

LIBRARY = "def {name}_load(path):\n    return open(path).read()\n{gap}\ndef {name}_save(path):\n    open(path)\n"
GAP = "\n# same\n" * 12
NAMES = ("alpha", "beta", "gamma", "İstanbul", "ısı")


@pytest.fixture
def mixed(based: Repo) -> Repo:
    """A change of many files with shared words, some of which have several hunks."""
    files = {f"src/{name}.py": LIBRARY.format(name=name, gap=GAP) for name in NAMES}
    based.commit("chore: base", files)
    for path, content in files.items():
        based.write(path, content.replace("(path):", "(path, retries):").replace("read()", "read(retries)"))
    based.write("docs/guide.md", "# Guide\n\nRead alpha_load and beta_save.\n")
    based.write("deploy/hosts.yml", "hosts:\n- one.example.invalid\n")
    based.write("src/client.py", "from alpha import alpha_load\n\nalpha_load('x', retries=3)\n")
    return based


def plan_of(installation: Installation, repo: Repo, environment: Mapping[str, str]) -> str:
    command = [installation.script("git-smart-commit"), "--json", "--engine", "embedded"]
    where = {**os.environ, **environment}
    return subprocess.run(command, cwd=repo.path, env=where, capture_output=True, check=True).stdout.decode()


def groups_of(plan: str) -> set[frozenset[str]]:
    found = set()
    for commit in json.loads(plan)["commits"]:
        found.add(frozenset(unit["id"] for unit in commit["units"]))
    return found


def test_the_environment_does_not_change_the_plan(installation: Installation, mixed: Repo) -> None:
    plan = plan_of(installation, mixed, {"PYTHONHASHSEED": "0", "LC_ALL": "C"})
    assert len(json.loads(plan)["commits"]) > 1
    assert plan_of(installation, mixed, {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8"}) == plan


def test_the_order_of_files_does_not_change_the_groups(installation: Installation, mixed: Repo, tmp_path: Path) -> None:
    plan = plan_of(installation, mixed, {})
    order = tmp_path / "order"
    order.write_text("*gamma*\n*.md\n*client*\n*beta*\n")
    mixed.git("config", "diff.orderFile", str(order))
    other = plan_of(installation, mixed, {})
    assert groups_of(other) == groups_of(plan)


def test_an_entry_of_the_changelog_goes_with_what_it_is_about(installation: Installation, based: Repo) -> None:
    code = "def lock_buffer(name):\n    return name\n"
    based.commit("feat: lock", {"src/buffers/lock.py": code, "CHANGELOG.md": "# Changelog\n\n## Unreleased\n"})
    based.write("src/buffers/lock.py", code.replace("return name", "return name.strip()"))
    based.write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- Spaces around a colon are ignored.\n")
    assert len(groups_of(plan_of(installation, based, {}))) == 1


def test_what_is_not_compared_is_a_group_by_its_path() -> None:
    change = keep_whole([make_diff(path) for path in ("a/b.py", "a/c.md", "d.py", "package.json", "package-lock.json")])
    for strategy, expected in {"directory": 2, "file": 4, "hunk": 4}.items():
        assert len(find_partition(change, strategy=strategy).groups) == expected
        assert len(find_partition(change, strategy=strategy, count=1).groups) == 1
