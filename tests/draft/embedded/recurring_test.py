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


def test_a_contributor_is_named(repo: Repo) -> None:
    people = ['{"login": "ann"}']
    repo.commit("docs: base", {".all-contributorsrc": "\n".join(people) + "\n"})
    for name in ("bob", "cat", "dan"):
        people.append(f'{{"login": "{name}"}}')
        repo.commit(f"docs: add {name} as a contributor", {".all-contributorsrc": "\n".join(people) + "\n"})
    repo.stage({".all-contributorsrc": "\n".join([*people, '{"login": "eve"}']) + "\n"})
    assert header(repo) == "docs: add eve as a contributor"


def test_what_has_no_slot_recurs_as_it_is(repo: Repo) -> None:
    for number in range(4):
        repo.commit("chore: update generated files", {"gen.txt": f"{number}\n"})
    repo.stage({"gen.txt": "words\n"})
    assert header(repo) == "chore: update generated files"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("fix: change {old} to {new} in a", "fix: change 7 to 99 in a"),
        ("fix: set a to {new}", "fix: set a to 99"),
        ("fix: change {old} to {new} in 1 file", None),
        ("fix: use {new}, not {old}", None),
    ],
)
def test_a_number_is_one_of_the_change(repo: Repo, form: str, expected: str | None) -> None:
    repo.commit("feat: base", {"a.py": "LIMIT = 2\n"})
    for number in range(3, 8):
        repo.commit(form.format(old=number - 1, new=number), {"a.py": f"LIMIT = {number}\n"})
    repo.stage({"a.py": "LIMIT = 99\n"})
    if expected is None:
        assert header(repo).count("99") < 2
        assert "99, not" not in header(repo)
    else:
        assert header(repo) == expected


def test_a_slot_that_the_diff_does_not_fill_refuses_the_template(repo: Repo) -> None:
    for number in range(4):
        repo.commit(f"chore: release 1.{number}.0", {"NEWS.md": f"{number}\n"})
    repo.stage({"NEWS.md": "words alone\n"})
    assert "release" not in header(repo)


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
