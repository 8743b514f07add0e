"""A split to review: three commits of six parts, in a real repository."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from smartcommit.git.hunks import ChangeUnits, Unit, read_units
from smartcommit.git.repo import Repository
from smartcommit.message.rules import Rules
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.review.session import Describe, Session
from tests.support.repository import Repo
from tests.support.situations_split import FORTY, edited

COMMITS: list[dict[str, Any]] = [
    {"message": "feat: add login\n\n- for users\n", "hunks": ["src/app.py::1", "src/app.py::2", "src/login.py::1"]},
    {"message": "build: update packages\n", "hunks": ["package-lock.json::1", "package.json::1"]},
    {"message": "docs: tell about it\n", "hunks": ["docs/guide.md::1"]},
]


def change(repo: Repo) -> None:
    repo.commit("chore: app", {"src/app.py": FORTY, "package.json": "{}\n", "package-lock.json": "{}\n"})
    repo.write("src/app.py", edited(FORTY, 3, 30))
    repo.write("src/login.py", "def login():\n\treturn '\x1b[31m'\n")
    repo.write("package.json", '{"dependencies": {"x": "2"}}\n')
    repo.write("package-lock.json", '{"packages": {"x": "2"}}\n')
    repo.write("docs/guide.md", "# Guide\n")


def pieces_of(repo: Repo) -> ChangeUnits:
    repo.git("add", "-A")
    return read_units(Repository.find(str(repo.path)), "HEAD", repo.git("write-tree").strip(), cut=True)


def session_of(repo: Repo, *, rules: Rules | None = None, describe: Describe | None = None) -> Session:
    change(repo)
    pieces = pieces_of(repo)
    by_id = {unit.id: unit for unit in pieces.units}
    commits = []
    for entry in COMMITS:
        commits.append(PlannedCommit(entry["message"], tuple(by_id[name] for name in entry["hunks"])))
    plan = SplitPlan("1" * 40, "2" * 40, staged=False, engine="test", commits=tuple(commits), change=pieces)
    return Session(plan, rules=rules or Rules(), describe=describe or name_files)


def name_files(units: Sequence[Unit]) -> PlannedCommit:
    names = sorted({unit.change.path.decode() for unit in units})
    return PlannedCommit(f"chore: change {' '.join(names)}\n", tuple(units))


def count_units(units: Sequence[Unit]) -> PlannedCommit:
    return PlannedCommit(f"chore: change {len(units)}\n", tuple(units))


def with_open(session: Session, *numbers: int) -> Session:
    """Return a review of the same commits, of which those with these numbers have open titles."""
    commits = []
    for number, commit in enumerate(session.commits, start=1):
        commits.append(replace(commit, open=number in numbers))
    return Session(session.plan.with_commits(commits), rules=Rules(), describe=name_files)


class SharedReview:
    """A repository that no test changes, and any number of reviews of it."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self._first = session_of(repo)

    def review(self) -> Session:
        return Session(self._first.plan, rules=Rules(), describe=name_files)


_MADE: list[SharedReview] = []


def reviewed_once(factory: pytest.TempPathFactory) -> SharedReview:
    """The shared review of this worker: to make one takes longer than most of its tests."""
    if not _MADE:
        repo = Repo.init(factory.mktemp("reviewed") / "repo")
        repo.commit("chore: base", {"base.txt": "base\n"})
        _MADE.append(SharedReview(repo))
    return _MADE[0]


def subjects(session: Session) -> list[str]:
    return [commit.subject for commit in session.plan.commits]


def held(session: Session) -> list[list[str]]:
    found = []
    for commit in session.plan.commits:
        found.append([unit.id for unit in commit.units])
    return found
