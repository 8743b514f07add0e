"""`smartcommit draft` as a person runs it."""

import json
from collections.abc import Iterator

import pytest

from smartcommit.draft import engine
from smartcommit.draft.result import Draft
from tests.support import model_server
from tests.support.commands import Command
from tests.support.model_server import ModelServer, serve
from tests.support.repository import Repo
from tests.support.table import rows


def test_it_prints_a_draft_of_what_is_staged(repo: Repo, monkeypatch: pytest.MonkeyPatch, smartcommit: Command) -> None:
    repo.commit("base", {"sub/a.md": "1\n"})
    repo.stage({"b.md": "1\n"})
    repo.write("sub/a.md", "2\n")
    before = repo.state()
    monkeypatch.chdir(repo.path / "sub")
    assert smartcommit("draft", "--engine", "embedded") == ("docs: add b.md\n", "")
    assert repo.state() == before


def test_amending_drafts_for_the_whole_commit_by_the_projects_policy(inside: Repo, smartcommit: Command) -> None:
    said = "smartcommit: nothing staged to draft a message for\nhint: run 'git add FILE' first\n"
    assert smartcommit("draft", status=1) == ("", said)
    inside.commit("base", {".smartcommit": "[smartcommit]\n\ttypes = feat doc\n"})
    inside.commit("feat: x", {"b.md": "1\n"})
    assert smartcommit("draft", status=1) == ("", said)
    assert smartcommit("draft", "--amend").out == "doc: add b.md\n"


@rows(
    ("subject", "message", "source"),
    ("wip: keep the notes", "docs: keep the notes\n", "the amended commit"),
    ("Notes, WIP", "docs: add b.md\n", ""),
    ("docs: keep the notes", "docs: add b.md\n", ""),
    ("fixup! docs: keep the notes", "docs: add b.md\n", ""),
)
def test_amending_says_what_an_unfinished_commit_says(
    inside: Repo, monkeypatch: pytest.MonkeyPatch, smartcommit: Command,
    subject: str, message: str, source: str,
) -> None:  # fmt: skip
    if not (inside.path / "a.md").exists():
        inside.commit("base", {"a.md": "1\n"})
        inside.commit("x", {"b.md": "1\n"})
    inside.git("commit", "-q", "--amend", "-m", subject)
    told = json.loads(smartcommit("draft", "--amend", "--json").out)
    assert (told["message"], told["source"]) == (message, source)
    shown = smartcommit("draft", "--amend", "--show-prompt", "--model", "m")
    assert ("- the amended commit: keep the notes" in shown.out) == bool(source)
    monkeypatch.setenv("SMARTCOMMIT_WIP_COMMITS", "false")
    assert smartcommit("draft", "--amend").out == "docs: add b.md\n"
    monkeypatch.delenv("SMARTCOMMIT_WIP_COMMITS")


@pytest.fixture
def staged(inside: Repo) -> Repo:
    inside.commit("chore: base", {"kept.txt": "kept\n"})
    inside.stage({"zebra.py": "def stripes():\n    return 7\n"})
    return inside


@pytest.fixture(params=model_server.DIALECTS)
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    painted = model_server.calls(("submit_message", {"type": "feat", "summary": "paint stripes"}))
    with serve(request.param, painted) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


def test_a_model_drafts_unless_another_engine_is_named(staged: Repo, model: ModelServer, smartcommit: Command) -> None:
    assert smartcommit("draft", "--engine", "embedded").out.startswith("feat: add ")
    assert model.asked == []
    assert smartcommit("draft") == ("feat: paint stripes\n", "")
    staged.stage({"zebra.py": "def spots():\n    return 7\n"})
    model.script[:] = [model_server.refuses(401)]
    out, err = smartcommit("draft")
    assert out.startswith("feat: add ")
    assert err.startswith("smartcommit: drafted without a model: ")


def test_json_names_message_engine_reason_and_usage(staged: Repo, model: ModelServer, smartcommit: Command) -> None:
    assert json.loads(smartcommit("draft", "--json").out) == {
        "message": "feat: paint stripes\n", "engine": "scripted", "reason": None, "source": "", "sure": 1.0,
        "weak": False, "summaries": [], "second_type": None, "facts": [], "remarks": [], "warnings": [],
        "usage": {"prompt": 0, "output": 5, "requests": 1},
    }  # fmt: skip


@pytest.fixture
def unsure(inside: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    inside.commit(files={"a.txt": "a\n"})
    inside.stage({"b.py": "x = 1\n"})
    weak = Draft("feat(api): add b.py\n\n- a guess\n", weak=True, sure=0.2, facts=("1 file: added", "1 line\nadded"))
    weak.candidates, weak.second_type = ("add b.py", "set x to 1", "add x"), "fix"
    monkeypatch.setattr(engine, "draft_embedded", lambda request: weak)
    return inside


def test_a_weak_draft_is_printed_whole_and_json_has_the_choices(unsure: Repo, smartcommit: Command) -> None:
    assert smartcommit("draft").out == "feat(api): add b.py\n\n- a guess\n"
    told = json.loads(smartcommit("draft", "--json").out)
    assert (told["sure"], told["weak"], told["second_type"]) == (0.2, True, "fix")
    assert told["summaries"] == ["set x to 1", "add x"]
    assert told["facts"] == ["1 file: added", "1 line\nadded"]


# A small context has no room for tools.
@pytest.mark.parametrize("context", ["8192", "2048"])
def test_the_prompt_is_shown_and_nothing_is_sent(
    staged: Repo, model: ModelServer, smartcommit: Command, monkeypatch: pytest.MonkeyPatch, context: str
) -> None:
    monkeypatch.setenv("SMARTCOMMIT_CONTEXT", context)
    shown = json.loads(smartcommit("draft", "--show-prompt").out)
    assert model.asked == []
    smartcommit("draft")
    assert model.questions[0].payload == shown


def test_a_wish_is_sent_or_told_if_nobody_can_follow(staged: Repo, model: ModelServer, smartcommit: Command) -> None:
    smartcommit("draft", "--refine", "say paint")
    assert b"say paint" in model.questions[0].body
    shown = smartcommit("draft", "--engine", "embedded", "--refine", "say paint")
    assert "ignored --refine: it requires a model" in shown.err


def test_standing_instructions_are_in_the_prompt(staged: Repo, model: ModelServer, smartcommit: Command) -> None:
    staged.commit("docs: say how to write", {"how.md": "Name the gate.\n"})
    staged.stage({"herd.txt": "the herd\n"})
    staged.git("config", "smartcommit.instructions", "@how.md")
    staged.git("config", "smartcommit.style", "no-body")
    assert "Name the gate." in smartcommit("draft", "--show-prompt").out
    smartcommit("draft")
    assert "Name the gate.\\nWrite the header alone" in model.questions[0].body.decode()
    staged.git("config", "smartcommit.instructions", "@gone.md")
    assert "smartcommit.instructions names 'gone.md'" in smartcommit("draft").err


def test_without_a_model_a_line_says_so(inside: Repo, smartcommit: Command) -> None:
    inside.commit("base", {"a.md": "1\n"})
    inside.stage({"b.md": "1\n"})
    command, said = ("draft", "--engine", "embedded"), "written in English: a draft in German requires a model"
    assert smartcommit(*command, "--language", "German") == ("docs: add b.md\n", f"smartcommit: {said}\n")
    assert json.loads(smartcommit(*command, "--language", "German", "--json").out)["warnings"] == [said]


@rows(
    ("command", "status", "told"),
    ("status", 2, "Did you mean 'doctor'?"),
    ("check main..HEAD", 2, "hint: for a range of commits, use '--range main..HEAD'"),
    ("draft --branch main", 2, "what it was made from is '--base main'"),
    ("draft main", 2, "unexpected argument 'main': what is staged is drafted for"),
    ("split --undo", 64, "'undo' is a command: 'git smart-commit undo'"),
    ("split --absorb", 64, "'absorb' is a command: 'git smart-commit absorb'"),
)
def test_the_command_that_is_meant_is_named(command: str, status: int, told: str, smartcommit: Command) -> None:
    assert told in smartcommit(*command.split(), status=status).err


def test_in_jj_the_editor_that_drafts_is_named(inside: Repo, smartcommit: Command) -> None:
    (inside.path / ".jj").mkdir()
    assert "smartcommit jj-editor" in smartcommit("draft", status=1).err
