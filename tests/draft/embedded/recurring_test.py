"""Messages that recur are written again with the values of the new change, or not at all."""

from __future__ import annotations

import pytest

from smartcommit.config import Settings
from smartcommit.git.repo import Repository
from tests.support.drafts import draft
from tests.support.repository import Repo


def header(repo: Repo) -> str:
    text = draft(Repository.find(str(repo.path)), "HEAD", None, Settings(environment={})) or ""
    return text.split("\n", 1)[0]


def package(version: str) -> str:
    return f'{{\n  "version": "{version}"\n}}\n'


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("bump: version 1.{old}.0 → 1.{new}.0", "bump: version 1.4.0 → 1.5.0"),
        ("chore(release): v1.{new}.0", "chore(release): v1.5.0"),
        ("chore(release): publish 1.{new}.0 (#{new}1)", "chore(release): publish 1.5.0"),
    ],
)
def test_a_release_is_called_like_those_before_it(repo: Repo, form: str, expected: str) -> None:
    # A type of the project's own counts once it is a habit.
    repo.commit_daily("bump: version", 5)
    repo.commit("feat: base", {"package.json": package("1.0.0"), "a": "1\n"})
    for number in range(1, 5):
        repo.commit(form.format(old=number - 1, new=number), {"package.json": package(f"1.{number}.0")})
    repo.stage({"package.json": package("1.5.0")})
    assert header(repo) == expected


def test_what_has_no_version_recurs_as_it_is(repo: Repo) -> None:
    for number in range(4):
        repo.commit("chore: update generated files", {"gen.txt": f"{number}\n"})
    repo.stage({"gen.txt": "words\n"})
    assert header(repo) == "chore: update generated files"


def test_a_version_that_the_diff_does_not_tell_is_not_made_up(repo: Repo) -> None:
    for number in range(4):
        repo.commit(f"chore: release 1.{number}.0", {"NEWS.md": f"{number}\n"})
    repo.stage({"NEWS.md": "words alone\n"})
    assert "release" not in header(repo)


def test_what_contradicts_the_change_does_not_recur(repo: Repo) -> None:
    for number in range(4):
        repo.commit("docs: add rules to the list", {"list.md": "a rule\n" * (number + 1)})
    repo.stage({"list.md": "a rule\n"})
    assert header(repo) == "docs: update list.md"


def test_versions_of_two_packages_are_not_those_before_and_after(repo: Repo) -> None:
    form = '{{"dependencies": {{\n  "hosts": "^1.{0}.0",\n  "hosts-web": "^1.{0}.0"\n}}}}\n'
    for number in range(4):
        message = f"build: bump hosts to 1.{number}.0 and hosts-web to 1.{number}.0"
        repo.commit(message, {"package.json": form.format(number)})
    repo.stage({"package.json": form.format(5)})
    assert header(repo) == "build: bump hosts and hosts-web from 1.3.0 to 1.5.0"


def test_other_paths_do_not_recur(repo: Repo) -> None:
    for number in range(4):
        repo.commit("chore: update generated files", {"gen.txt": f"{number}\n"})
    repo.stage({"gen.txt": "5\n", "other.txt": "x\n"})
    assert header(repo) != "chore: update generated files"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("build: update {name} to {new}", "update lodash to 4.17.21"),
        ("build: bump {name} from {old} to {new}", "bump lodash from 4.17.20 to 4.17.21"),
        ("build: Upgrade {name} to v{new} (#12)", "upgrade lodash to v4.17.21"),
    ],
)
def test_a_bump_is_worded_like_those_of_other_packages(repo: Repo, form: str, expected: str) -> None:
    for number, name in enumerate(("react", "vite", "zod", "eslint")):
        repo.commit(form.format(name=name, old="1.0.0", new="1.1.0"), {f"{name}.txt": f"{number}\n"})
    repo.commit("feat: base", {"package.json": '{\n  "lodash": "^4.17.20"\n}\n'})
    repo.stage({"package.json": '{\n  "lodash": "^4.17.21"\n}\n'})
    assert header(repo).partition(": ")[2] == expected
