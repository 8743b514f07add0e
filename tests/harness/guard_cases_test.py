"""The guard refuses what goes around the hooks or sweeps up others' lines, and nothing that only looks like it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from smartcommit.harness import guard
from tests.harness import guard_situation as situation
from tests.harness.guard_cases import AROUND, BEYOND_AROUND, BEYOND_SWEEPING, HARMLESS, HARMLESS_ALONE, SWEEPING, Case
from tests.support.repository import Repo
from tests.support.table import rows


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return situation.build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, built: Repo) -> Repo:
    """A repository in which a person works too; nothing is run there."""
    repo = situation.copy(built, tmp_path_factory.mktemp("shared") / "copy")
    situation.fill(repo, alone=False)
    return repo


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, built: Repo) -> Repo:
    """A repository in which only the session works."""
    repo = situation.copy(built, tmp_path_factory.mktemp("own") / "copy")
    situation.fill(repo, alone=True)
    return repo


def judge(repo: Repo, command: str, *, alone: bool = False) -> guard.Refusal | None:
    def foreign(paths: Sequence[str] | None) -> Sequence[bytes]:
        if alone:
            return []
        listed = repo.git("ls-files", "-z", "--cached", "--others", "--full-name", "--", *(paths or ())).split("\0")
        return [name.encode() for name in situation.PERSONS if name in listed]

    return guard.judge(command, directory=str(repo.path), environment=os.environ, foreign=foreign)


@rows("case", [*AROUND, *SWEEPING])
def test_it_is_refused_with_what_to_run_instead(shared: Repo, case: Case) -> None:
    refusal = judge(shared, case.command)
    assert refusal is not None
    assert refusal.reason
    assert refusal.next
    assert refusal.reason.isprintable()
    assert all(line.isprintable() for line in refusal.next.split("\n"))
    assert judge(shared, refusal.next) is None


@rows("case", HARMLESS)
def test_it_is_not_refused(shared: Repo, case: Case) -> None:
    assert judge(shared, case.command) is None


@rows("case", HARMLESS_ALONE)
def test_it_is_not_refused_where_nobody_else_works(own: Repo, case: Case) -> None:
    assert judge(own, case.command, alone=True) is None


def run(built: Repo, path: Path, case: Case, *, alone: bool = False) -> Repo:
    """A repository in which the command of `case` was run."""
    if "sudo" in case.command and shutil.which("sudo") is None:
        pytest.skip("no sudo")
    repo = situation.copy(built, path / "copy")
    situation.fill(repo, alone=alone)
    situation.run(repo, case.command)
    return repo


# What the cases are listed for is so in a real repository.


@pytest.mark.slow
@pytest.mark.parametrize("case", [*AROUND, *BEYOND_AROUND], ids=str)
def test_it_goes_around_the_hooks(built: Repo, tmp_path: Path, case: Case) -> None:
    assert situation.went_around(run(built, tmp_path, case))


@pytest.mark.slow
@pytest.mark.parametrize("case", [*SWEEPING, *BEYOND_SWEEPING], ids=str)
def test_it_sweeps_lines_of_others(built: Repo, tmp_path: Path, case: Case) -> None:
    assert situation.has_swept(run(built, tmp_path, case))


@pytest.mark.slow
@pytest.mark.parametrize("case", HARMLESS, ids=str)
def test_it_is_harmless(built: Repo, tmp_path: Path, case: Case) -> None:
    repo = run(built, tmp_path, case)
    assert not situation.has_swept(repo)
    assert not situation.went_around(repo)


@pytest.mark.slow
@pytest.mark.parametrize("case", HARMLESS_ALONE, ids=str)
def test_it_is_harmless_where_nobody_else_works(built: Repo, tmp_path: Path, case: Case) -> None:
    assert not situation.went_around(run(built, tmp_path, case, alone=True))
