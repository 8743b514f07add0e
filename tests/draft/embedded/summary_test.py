"""Summaries in a project with a history: sentences that are true of the change."""

from __future__ import annotations

import pytest

from smartcommit.config import Settings
from smartcommit.git.repo import Repository
from tests.support.drafts import draft
from tests.support.repository import Repo, copy_made

MODULE = "def read_user(name):\n    return name\n\n\n"


def summary(repo: Repo) -> str:
    text = draft(Repository.find(str(repo.path)), "HEAD", None, Settings(environment={})) or ""
    return text.split("\n", 1)[0].partition(": ")[2]


@pytest.fixture
def project(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return copy_made(tmp_path_factory, repo.path, commit_often)


def commit_often(repo: Repo) -> None:
    """Make as many conventional commits as show the language of a project."""
    for number in range(24):
        repo.commit(
            f"feat: add retry policy {'abcdefghijklmnopqrstuvwxyz'[number]} to client",
            {"src/client.py": f"a = {number}\n"},
        )
    repo.commit(
        "fix: base",
        {
            "src/users.py": MODULE,
            "README.md": "# Tool\n",
            "package.json": '{\n  "react": "^18.0.0"\n}\n',
            ".github/workflows/ci.yml": "runs-on: ubuntu-22.04\n",
        },
    )


def test_a_new_function_is_said_as_it_is_written(project: Repo) -> None:
    project.stage({"src/users.py": MODULE + "def retry_policy(user):\n    return retry_policy\n"})
    assert "retry_policy" in summary(project)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"package.json": '{\n  "preact": "^18.0.0"\n}\n'}, "replace react with preact"),
        ({"README.md": "# Tools\n"}, "fix typo in README"),
        ({".github/workflows/ci.yml": "runs-on: ubuntu-24.04\n"}, "bump ubuntu from 22.04 to 24.04"),
        ({".husky/pre-commit": "npm test\n"}, "add .husky/pre-commit"),
    ],
)
def test_what_says_all_is_not_replaced_by_what_is_likely(project: Repo, files: dict[str, str], expected: str) -> None:
    project.stage(dict(files))
    assert summary(project) == expected


def test_a_deleted_module_is_removed(project: Repo) -> None:
    project.git("rm", "-q", "src/users.py")
    assert summary(project) == "remove users.py"


def test_a_name_is_used_where_it_occurs(project: Repo) -> None:
    project.commit("fix: base", {"login.py": "def login():\n    return 1\n\n\nx = 1\n", "x.pyc~": "one\n"})
    project.stage({"login.py": "def login():\n    return 1\n\n\nx = ValueError\n", "x.pyc~": "two three\n"})
    assert "pyc" not in summary(project)


def test_nothing_is_removed_that_still_stands(project: Repo) -> None:
    project.stage({"src/users.py": MODULE.replace("return name", "return read_user")})
    assert not summary(project).startswith("remove")


def test_a_place_is_not_named_twice(project: Repo) -> None:
    project.commit("fix: base", {"retry.py": "def retry(n):\n    a(n)\n    b(n)\n"})
    project.stage({"retry.py": "def retry(n):\n    a(n)\n    b(n + 1)\n"})
    assert summary(project) == "update retry"


def test_nothing_is_added_that_stood_before(project: Repo) -> None:
    project.stage({"src/users.py": MODULE.replace("return name", "return name or read_user(name)")})
    assert not summary(project).startswith("add")


def test_a_place_has_what_is_said_to_be_in_it(project: Repo) -> None:
    project.stage({"src/users.py": MODULE + "def retry_policy():\n    pass\n", "src/client.py": "a = 99\n"})
    assert not summary(project).endswith("retry policy to client")
