"""A model's split on a terminal: what a person sees, asks for and accepts, and Ctrl-C."""

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
IGNORED = "ignore what matches, and commit these lines? [y/N]"
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


def undo(repo: Repo, capsys: pytest.CaptureFixture[str]) -> str:
    assert git_smart_commit(["undo", "--repo", str(repo.path)]) == DONE
    return capsys.readouterr().out


def test_a_person_is_shown_the_models_commits_and_agrees(messy: Repo, model: ModelServer) -> None:
    ended = talk(messy, model, [(IGNORED, "n\n"), (QUESTION, "y\n")], *GOOD)
    assert ended.status == DONE, ended
    assert "smartcommit: asking scripted, " in ended.printed
    assert messy.subjects()[1:] == SUBJECTS
    # One pattern is there already, and one matches a tracked file.
    assert ended.printed.count("suggested for .gitignore: ") == 1
    assert "suggested for .gitignore: /cache\n" in ended.printed
    assert read(messy) == "*.bak"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", None])
def test_what_a_person_wants_ignored_is_a_commit_of_the_plan(
    messy: Repo, model: ModelServer, capsys: pytest.CaptureFixture[str], line_end: str | None
) -> None:
    lines = "" if line_end is None else f"*.bak{line_end}"
    if line_end is None:
        messy.git("rm", "-q", ".gitignore")
        messy.commit("chore: ignore nothing")
    else:
        messy.commit("chore: end the line", {".gitignore": lines})
    messy.write("cache/data", "kept\n")
    before, head = messy.state()[:2], head_of(messy)
    end = finalize(skipped_hunks=["cache/data::1"], gitignore=["/cache"])
    ended = talk(messy, model, [(IGNORED, "y\n"), (QUESTION, "y\n")], *GOOD[:2], end)
    assert ended.status == DONE, ended
    first = "chore: add .gitignore" if line_end is None else "chore: ignore /cache"
    assert messy.subjects(f"{head}..") == [first, *SUBJECTS]
    written = f"{lines}/cache" + (line_end or "\n")
    assert messy.git("show", "HEAD~2:.gitignore") == read(messy) == written
    assert messy.git("diff", "--name-only", "HEAD~3", "HEAD~2") == ".gitignore\n"
    assert (status_of(messy), (messy.path / "cache/data").read_text()) == ("", "kept\n")
    assert_sound(messy)
    said = undo(messy, capsys)
    assert said.endswith(", the index and .gitignore are restored, other files are unchanged\n")
    assert (messy.state()[:2], read(messy)) == (before, lines)


def test_a_file_that_is_ignored_leaves_the_plan_and_the_rest_stays_as_planned(
    messy: Repo, model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    messy.write("app.py", "width = 1\nheight = 2\n")
    messy.write("cache", "junk\n")
    messy.write(".gitignore", "*.bak\n*.old\n")
    script = (
        server.calls(("cut_hunk", {"id": "app.py::1", "removed": 1, "added": 1})),
        emit("app.py::1.1", "cache::1", summary="set the width"),
        emit(".gitignore::1", "guide.md::1", kind="docs", summary="tell of it"),
        emit("app.py::1.2", summary="set the height"), finalize(gitignore=["cache"]),
    )  # fmt: skip
    ended = talk(messy, model, [(IGNORED, "y\n"), (QUESTION, "y\n")], *script)
    assert ended.status == DONE, ended
    assert "not included: cache (ignored by now)" in ended.printed
    assert messy.subjects()[1:] == ["docs: tell of it", "feat: set the width", "feat: set the height"]
    assert messy.git("show", "HEAD~1:app.py") == "width = 1\n"
    # The commit that has the file takes the line too.
    assert messy.git("show", "HEAD~2:.gitignore") == "*.bak\n*.old\ncache\n"
    assert (status_of(messy), (messy.path / "cache").read_text()) == ("", "junk\n")
    messy.write(".gitignore", "*.bak\n*.old\ncache\nmine\n")
    # What somebody has written since is no part of what is undone.
    assert undo(messy, capsys).endswith(", the index is restored, files are unchanged\n")
    assert read(messy) == "*.bak\n*.old\ncache\nmine\n"


def test_a_change_that_is_split_anew_has_the_lines(messy: Repo, model: ModelServer) -> None:
    replies = [(IGNORED, "y\n"), (QUESTION, "reclassify make one commit\n"), (QUESTION, "y\n")]
    one = emit("app.py::1", "guide.md::1", ".gitignore::1", summary="set the width")
    ended = talk(messy, model, replies, *GOOD, one, finalize(gitignore=["/cache", "/more"]))
    assert (ended.status, messy.subjects()[1:], status_of(messy)) == (DONE, ["feat: set the width"], ""), ended
    assert "Instructions from the author of the change; follow them:\nmake one commit" in told(model, 3)
    assert read(messy) == "*.bak\n/cache\n"
    assert "suggested for .gitignore: /more\n" in f"{ended.printed}\n"


@pytest.mark.parametrize("answer", ["q\n", "\x04"])
def test_a_person_who_quits_has_the_file_as_it_was(messy: Repo, model: ModelServer, answer: str) -> None:
    before = messy.state()[:2]
    ended = talk(messy, model, [(IGNORED, "y\n"), (QUESTION, answer)], *GOOD)
    assert (ended.status, messy.state()[:2], read(messy)) == (CANCELLED, before, "*.bak")


def test_where_commits_cannot_be_made_lines_stay_for_the_plan_kept(messy: Repo, model: ModelServer) -> None:
    with person("", replies=[(IGNORED, "y\n"), (QUESTION, "y\n")]) as somebody:
        ended = run(messy, model, *GOOD, yes=False, terminal=somebody.terminal, check="exit 1")
    assert (ended.status, messy.subjects()) == (GIT_FAILED, ["chore: base"])
    kept = (messy.path / ".git/smartcommit/reviewed-plan.json").read_text()
    assert run(messy, None, plan=read_plan(kept)).status == DONE
    assert (messy.subjects()[1:], status_of(messy)) == (["chore: ignore /cache", *SUBJECTS], "")


def edit_meanwhile(repo: Repo) -> None:
    repo.write("app.py", f"width = 1\ntoken = 'ghp_{'a1B2' * 9}'\n")
    repo.write("guide.md", "# Guide\n\nSet the width and more.\n")
    repo.write("new.txt", "new\n")


def test_what_was_written_in_the_meantime_is_shown_or_stays(messy: Repo, model: ModelServer) -> None:
    def finish(handler: server.Handler) -> None:
        edit_meanwhile(messy)
        GOOD[2](handler)

    ended = talk(messy, model, [(IGNORED, "y\n"), (QUESTION, "y\n")], *GOOD[:2], finish)
    assert ended.status == DONE, ended
    assert messy.subjects()[1:] == ["chore: ignore /cache", "docs: tell of it"]
    assert "Set the width and more" in messy.git("show", "HEAD:guide.md")
    assert status_of(messy) == " M app.py\0?? new.txt\0"


# What makes lines for `.gitignore` no part of the change, so that they are only printed.
APART = {
    "a link": lambda repo: (repo.write("rules", "*.bak"), repo.path.joinpath(".gitignore").symlink_to("rules")),
    "a file that is deleted": lambda repo: None,
    "untracked files that are hidden": lambda repo: repo.git("config", "status.showUntrackedFiles", "no"),
}


@pytest.mark.parametrize("case", APART)
def test_where_the_lines_cannot_be_committed_nobody_is_asked(messy: Repo, model: ModelServer, case: str) -> None:
    if case != "a file that is deleted":
        messy.git("rm", "-q", ".gitignore")
        messy.commit("chore: ignore nothing")
    messy.path.joinpath(".gitignore").unlink(missing_ok=True)
    APART[case](messy)
    skipped = {"a link": ["rules::1", ".gitignore::1"], "a file that is deleted": [".gitignore::1"]}.get(case, [])
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


def test_where_splitting_anew_fails_the_plan_before_it_stays(messy: Repo, model: ModelServer) -> None:
    replies = [(IGNORED, "\n"), (QUESTION, "s 1 feat: widen\n"), (QUESTION, "reclassify better\n"), (QUESTION, "y\n")]
    ended = talk(messy, model, replies, *GOOD, server.refuses(401))
    assert ended.status == DONE, ended
    assert "answered 401" in ended.printed
    assert messy.subjects()[1:] == ["feat: widen", "docs: tell of it"]


def test_without_a_model_nothing_of_it_is_offered(messy: Repo, model: ModelServer) -> None:
    ended = talk(messy, model, [NUMBER, (QUESTION, "?\n"), (QUESTION, "q\n")], engine="embedded")
    assert "reclassify" not in ended.printed
    assert model.asked == []


@pytest.mark.parametrize(("engine", "status"), [("auto", DONE), ("model", CANCELLED)])
def test_ctrl_c_is_enough_and_a_partial_plan_is_kept(messy: Repo, model: ModelServer, engine: str, status: int) -> None:
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
