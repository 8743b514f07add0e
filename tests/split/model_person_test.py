"""A model's split on a terminal: what a person sees, asks for and accepts, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.split.engine import PARTIAL_PLAN
from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED
from smartcommit.split.plan_file import read_plan
from smartcommit.split.source import EngineOptions
from tests.support import model_server as server
from tests.support.model_server import ModelServer, serve
from tests.support.repository import Repo
from tests.support.splits import FINALIZE, Ended, emit, finalize, run, told
from tests.support.splitting import assert_sound, head_of, status_of
from tests.support.tty import person

QUESTION = "create these commits?"
IGNORED = "add these lines to .gitignore, for your next commit? [y/N]"
GOOD = (
    emit("app.py::1", summary="set the width"),
    emit("guide.md::1", kind="docs", summary="tell of it"),
    finalize(gitignore=["*.bak", "/cache", "*.py"]),
)
SUBJECTS = ["feat: set the width", "docs: tell of it"]
# The built-in splitter's question, and the answer that the likelier number is right.
NUMBER = ("1 commit or 2? [", "\n")
ONE = (emit("app.py::1", "guide.md::1", summary="set the width"), FINALIZE)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serve("openai") as running:
        for name, value in running.environment(SMARTCOMMIT_SPLIT_DEADLINE="60", SMARTCOMMIT_REVIEW="text").items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def messy(repo: Repo) -> Repo:
    repo.commit(files={"app.py": "width = 0\n", "guide.md": "# Guide\n", ".gitignore": "*.bak"})
    repo.write("app.py", "width = 1\n")
    repo.write("guide.md", "# Guide\n\nSet the width.\n")
    return repo


def talk(repo: Repo, model: ModelServer, replies: list[tuple[str, str]], *script: server.Step, **more: str) -> Ended:
    """A split whose model says `script`, and what its person, who replies so, is shown in the end."""
    with person("", replies=replies) as somebody:
        ended = run(repo, model, *script, yes=False, terminal=somebody.terminal, choice=EngineOptions(**more))
    return Ended(ended.status, f"{somebody.shown}{ended.printed}", ended.complained)


def read(repo: Repo) -> str:
    return (repo.path / ".gitignore").read_bytes().decode() if (repo.path / ".gitignore").exists() else ""


def test_a_person_is_shown_the_models_commits_and_agrees(messy: Repo, model: ModelServer) -> None:
    ended = talk(messy, model, [(QUESTION, "y\n"), (IGNORED, "n\n")], *GOOD)
    assert ended.status == DONE, ended
    assert "smartcommit: asking scripted, " in ended.printed
    assert messy.subjects()[1:] == SUBJECTS
    # One pattern is there already, and one matches a tracked file.
    assert ended.printed.count(".gitignore: ") == 1
    assert "suggested for .gitignore: /cache\n" in ended.printed
    assert read(messy) == "*.bak"


@pytest.mark.parametrize("line_end", ["", "\n", "\r\n", None])
def test_what_a_person_wants_ignored_is_added_once_the_commits_are_made(
    messy: Repo, model: ModelServer, line_end: str | None
) -> None:
    if line_end is None:
        messy.git("rm", "-q", ".gitignore")
        messy.commit("chore: ignore nothing")
    else:
        messy.commit("chore: end the line", {".gitignore": f"*.txt\n*.bak{line_end}".replace("\n", line_end or "\n")})
    messy.write("cache/data", "kept\n")
    before, head = read(messy), head_of(messy)
    end = finalize(skipped_hunks=["cache/data::1"], gitignore=["/cache"])
    ended = talk(messy, model, [(QUESTION, "y\n"), (IGNORED, "y\n")], *GOOD[:2], end)
    assert ended.status == DONE, ended
    assert ended.printed.endswith("added to .gitignore: /cache")
    assert messy.subjects(f"{head}..") == SUBJECTS
    end_of_line = line_end or "\n"
    assert read(messy) == before + end_of_line * (line_end == "") + f"/cache{end_of_line}"
    assert status_of(messy) == ("?? .gitignore\0" if line_end is None else " M .gitignore\0")
    assert_sound(messy)
    assert git_smart_commit(["undo", "--repo", str(messy.path)]) == DONE
    assert "/cache" in read(messy)


def test_where_nothing_is_committed_nobody_is_asked_and_the_file_is_as_it_was(messy: Repo, model: ModelServer) -> None:
    before = messy.state()
    assert talk(messy, model, [(QUESTION, "q\n")], *GOOD).status == CANCELLED
    assert messy.state() == before
    with person("", replies=[(QUESTION, "y\n"), (IGNORED, "y\n")]) as somebody:
        ended = run(messy, model, *GOOD, yes=False, terminal=somebody.terminal, check="exit 1")
    assert (ended.status, messy.state()) == (GIT_FAILED, before)
    kept = (messy.path / ".git/smartcommit/reviewed-plan.json").read_text()
    assert run(messy, None, plan=read_plan(kept)).status == DONE
    assert (messy.subjects()[1:], status_of(messy)) == (SUBJECTS, "")


# Where lines in `.gitignore` would not be what they seem, so that they are only printed.
APART = {
    "a link": lambda repo: (repo.write("rules", "*.bak"), repo.path.joinpath(".gitignore").symlink_to("rules")),
    "a file that is deleted": lambda repo: None,
}


@pytest.mark.parametrize("case", APART)
def test_where_the_lines_cannot_be_added_nobody_is_asked(messy: Repo, model: ModelServer, case: str) -> None:
    if case != "a file that is deleted":
        messy.git("rm", "-q", ".gitignore")
        messy.commit("chore: ignore nothing")
    messy.path.joinpath(".gitignore").unlink(missing_ok=True)
    APART[case](messy)
    skipped = {"a link": ["rules::1", ".gitignore::1"], "a file that is deleted": [".gitignore::1"]}[case]
    end = finalize(skipped_hunks=skipped, gitignore=["/cache"])
    ended = talk(messy, model, [(QUESTION, "y\n")], *GOOD[:2], end)
    assert (ended.status, messy.subjects()[-2:]) == (DONE, SUBJECTS), ended
    assert IGNORED not in ended.printed
    assert "suggested for .gitignore: /cache" in ended.printed


def test_a_split_of_what_is_staged_only_prints_the_patterns(messy: Repo, model: ModelServer) -> None:
    messy.git("add", "-A")
    with person("", replies=[(QUESTION, "y\n")]) as somebody:
        ended = run(messy, model, *GOOD, yes=False, terminal=somebody.terminal, staged=True)
    assert (ended.status, messy.subjects()[1:]) == (DONE, SUBJECTS), ended
    assert IGNORED not in somebody.shown
    assert "suggested for .gitignore: /cache" in ended.printed


def test_a_person_can_have_the_change_split_anew(messy: Repo, model: ModelServer) -> None:
    replies = [(QUESTION, "reclassify make one commit\n"), (QUESTION, "y\n"), (IGNORED, "y\n")]
    ended = talk(messy, model, replies, *GOOD, ONE[0], finalize(gitignore=["/more"]))
    assert ended.status == DONE, ended
    assert "Instructions from the author of the change; follow them:\nmake one commit" in told(model, 3)
    assert (messy.subjects()[1:], read(messy)) == (["feat: set the width"], "*.bak\n/more\n")


def test_where_splitting_anew_fails_the_plan_before_it_stays(messy: Repo, model: ModelServer) -> None:
    replies = [(QUESTION, "s 1 feat: widen\n"), (QUESTION, "reclassify better\n"), (QUESTION, "y\n"), (IGNORED, "\n")]
    ended = talk(messy, model, replies, *GOOD, server.refuses(401))
    assert ended.status == DONE, ended
    assert "answered 401" in ended.printed
    assert messy.subjects()[1:] == ["feat: widen", "docs: tell of it"]


def test_without_a_model_nothing_of_it_is_offered(messy: Repo, model: ModelServer) -> None:
    ended = talk(messy, model, [NUMBER, (QUESTION, "?\n"), (QUESTION, "q\n")], engine="embedded")
    assert "reclassify" not in ended.printed
    assert model.asked == []


@pytest.mark.parametrize(("engine", "status"), [("auto", DONE), ("model", CANCELLED)])
def test_ctrl_c_is_enough_and_what_the_model_did_is_kept(
    messy: Repo, model: ModelServer, engine: str, status: int
) -> None:
    head = head_of(messy)
    ended = talk(messy, model, [("emit_commit(", "\x03"), (QUESTION, "y\n")], GOOD[0], server.hangs, engine=engine)
    assert ended.status == status, ended
    # Only a plan that is not carried out on is worth a file.
    assert (f"{messy.path}/.git/smartcommit/{PARTIAL_PLAN}" in ended.complained) == (engine == "model")
    assert "stopped by Ctrl-C" in ended.complained
    assert (head_of(messy) == head) == (status == CANCELLED)


def test_a_plan_that_is_replayed_is_not_split_anew(messy: Repo, model: ModelServer) -> None:
    written = run(messy, model, *GOOD, json=True, yes=False).printed
    model.asked.clear()
    with person("", replies=[(QUESTION, "reclassify better\n"), (QUESTION, "y\n")]) as somebody:
        ended = run(messy, None, yes=False, terminal=somebody.terminal, plan=read_plan(written))
    assert "unknown command 'reclassify'" in somebody.shown
    assert ended.status == DONE
    assert messy.subjects()[1:] == ["feat: set the width", "docs: tell of it"]
    assert model.asked == []
