"""The messages of a plan: each commit is seen beside the others."""

from __future__ import annotations

import json

import pytest

from smartcommit.split.outcome import DONE
from smartcommit.split.source import SplitOptions
from tests.support.repository import Repo
from tests.support.splitting import run, run_with

SERVICE = "def {name}_limit(request):\n    limit = 10\n    return limit\n"


def subjects_of(repo: Repo, strategy: str) -> list[str]:
    before = repo.git("rev-parse", "HEAD").strip()
    assert run(repo, strategy=strategy)[0] == DONE
    return repo.subjects(f"{before}..HEAD")


def summaries(subjects: list[str]) -> list[str]:
    return [subject.partition(": ")[2].lower() for subject in subjects]


@pytest.mark.parametrize("strategy", ["file", "hunk"])
def test_no_two_commits_have_the_same_summary(based: Repo, strategy: str) -> None:
    files = {f"{name}/service.py": SERVICE.format(name=name) * 2 for name in ("orders", "users", "carts")}
    based.commit("feat: services", files)
    for path, text in files.items():
        based.write(path, text.replace("limit = 10", "limit = 20"))
    found = summaries(subjects_of(based, strategy))
    assert len(found) >= 3
    assert len(set(found)) == len(found)


def test_a_summary_of_its_own_keeps_its_words(based: Repo) -> None:
    based.commit("feat: two", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    based.write("a.py", "x = 2\n")
    alone = json.loads(run_with(based, SplitOptions(json=True), yes=False)[1])["commits"][0]["message"]
    based.write("b.py", "y = 3\n\n\ndef read_all(path):\n    return path\n")
    assert alone.split("\n")[0] in subjects_of(based, "file")


def test_a_place_is_not_named_twice(based: Repo) -> None:
    text = "".join(f"line {number}\n" for number in range(60))
    based.commit("docs: a text", {"docs/a.txt": text})
    for number in (5, 30, 55):
        text = text.replace(f"line {number}\n", f"edited {number}\n")
    based.write("docs/a.txt", text)
    found = summaries(subjects_of(based, "hunk"))
    assert sorted(found) == ["update a.txt", "update a.txt (3)", "update a.txt in docs"]
