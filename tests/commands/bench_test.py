"""`smartcommit bench` as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.support.model_server import refuses, serve
from tests.support.repository import Repo


@pytest.fixture
def history(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Commits that are easy to draft and to split again."""
    repo.commit("chore: base", {"src/app.py": "import sys\n", "docs/guide.md": "# Guide\n"})
    for number in range(3):
        repo.commit(f"docs: add page{number}.md", {f"docs/page{number}.md": "# Page\n\nSome words.\n"})
        code = f"def area{number}(width, height):\n    return width * height * {number}\n"
        repo.commit(f"feat: add area{number}", {f"src/area{number}.py": code})
    monkeypatch.chdir(repo.path)
    return repo


def test_it_prints_scores_beside_baselines(history: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    before = history.state(), files_below(history.path)
    assert main(["bench"]) == 0
    drafts, splits = capsys.readouterr().out.split("\n\n")
    assert drafts.startswith("drafts of 6 commits")
    assert [line.partition("  ")[0] for line in drafts.splitlines()[1:]] == [
        "smartcommit",
        "most common type and scope",
    ]
    assert splits.startswith("splits of 3 folded changes")
    names = [line.partition("  ")[0] for line in splits.splitlines()[1:]]
    assert names == ["smartcommit", "one commit", "a commit per file", "a commit per directory"]
    assert (history.state(), files_below(history.path)) == before


def test_json_has_the_same_figures(history: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--json", "--last", "4"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["version"] == 1
    drafts, splits = found["drafts"], found["splits"]
    assert (drafts["count"], splits["count"]) == (4, 2)
    ours, common = drafts["scores"]
    assert ours["type"] == ours["valid"] == 1
    assert common["type"] == 0
    assert ours["edit_distance"] < common["edit_distance"]
    assert ours["seconds"] > 0
    assert common["seconds"] is None
    exact = {score["name"]: score["exact"] for score in splits["scores"]}
    assert exact["a commit per file"] == 1
    assert exact["one commit"] == 0


def test_a_model_that_fails_is_named(
    history: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve("ollama", refuses(500), refuses(500)) as server:
        arguments = ["--engine", "ollama", "--model", "m", "--api-base", server.base]
        assert main(["bench", "--last", "1", *arguments]) == 0
    output = capsys.readouterr().out
    assert "1 of 1 made without the model: " in output
    assert "no splits: " in output


def test_empty_commits_are_not_drafted(history: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    history.commit("chore: nothing")
    assert main(["bench", "--last", "1"]) == 1
    assert "these commits change nothing" in capsys.readouterr().err
    assert main(["bench", "--last", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["drafts"]["count"] == 2


def test_a_history_without_conventional_headers_is_one_clear_line(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.commit("base", {"a": "1\n"})
    repo.commit("more", {"a": "2\n"})
    monkeypatch.chdir(repo.path)
    assert main(["bench", "--last", "5"]) == 1
    assert capsys.readouterr().err == (
        "smartcommit: no commit with a header 'type(scope): summary' among the last 5 commits\n"
        "hint: give a larger number with --last\n"
    )


def files_below(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
