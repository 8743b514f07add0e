"""Splits by a scripted model: what it does right is carried out, and nothing that goes wrong touches anything."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from smartcommit.commands.split import CANCELLED, DONE, MODEL_FAILED
from smartcommit.split.engine import Choice
from smartcommit.split.partial import FILE
from tests.support import model_server as server
from tests.support.model_server import ModelServer, Step, serve
from tests.support.repository import Repo
from tests.support.splits import APPROVE, FINALIZE, commit, emit, finalize, results, run, told
from tests.support.splitting import assert_sound, head_of, status_of

LINES = "".join(f"line {number}\n" for number in range(1, 12))
FIRST, LAST, GUIDE, TEST = "src/app.py::1", "src/app.py::2", "docs/guide.md::1", "tests/app_test.py::1"
ALL = (FIRST, LAST, GUIDE, TEST)
AUTO = Choice()


@pytest.fixture(params=server.DIALECTS)
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serve(request.param) as running:
        for name, value in running.environment(SMARTCOMMIT_SPLIT_DEADLINE="60").items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """One dialect, for what does not depend on it."""
    with serve("ollama") as running:
        for name, value in running.environment(SMARTCOMMIT_SPLIT_DEADLINE="60").items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def messy(repo: Repo) -> Repo:
    """Two edits of one file, a new document, and a new test: all unstaged."""
    repo.commit("chore: base", {"src/app.py": LINES, "docs/guide.md": "# Guide\n"})
    repo.write("src/app.py", LINES.replace("line 1\n", "width = 1\n").replace("line 11\n", "height = 11\n"))
    repo.write("docs/guide.md", "# Guide\n\nSet the width.\n")
    repo.write("tests/app_test.py", "def test_width():\n    assert 1\n")
    return repo


GOOD = (
    emit(FIRST, TEST, summary="set the width"),
    server.calls(commit(LAST, kind="fix", summary="set the height"), commit(GUIDE, kind="docs", summary="tell of it")),
    FINALIZE,
    APPROVE,
)
SUBJECTS = ["feat: set the width", "fix: set the height", "docs: tell of it"]


def test_seed_1_a_run_on_a_few_unstaged_changes_splits_them(messy: Repo, model: ModelServer) -> None:
    old = head_of(messy)
    ended = run(messy, model, *GOOD)
    assert ended.status == DONE, ended
    assert messy.subjects(f"{old}..HEAD") == SUBJECTS
    assert len(model.questions) == 4


def test_seed_2_the_turn_log_shows_a_call_for_each_commit(messy: Repo, model: ModelServer) -> None:
    lines = run(messy, model, *GOOD).complained.splitlines()
    assert [line.partition("(")[0] for line in lines[:4]] == [
        "[1/20] emit_commit", "[2/20] emit_commit", "[2/20] emit_commit", "[3/20] finalize_commits",
    ]  # fmt: skip


def test_seed_3_the_model_ends_by_finalizing(messy: Repo, model: ModelServer) -> None:
    head = head_of(messy)
    ended = run(messy, model, *GOOD[:2], server.says("That is all."))
    assert (ended.status, head_of(messy)) == (MODEL_FAILED, head)
    assert run(messy, model, *GOOD).status == DONE


def test_seed_5_what_is_committed_is_the_change(messy: Repo, model: ModelServer) -> None:
    content = (messy.path / "src/app.py").read_text()
    run(messy, model, *GOOD)
    assert status_of(messy) == ""
    assert messy.git("show", "HEAD:src/app.py") == content
    assert messy.git("show", "HEAD~2:src/app.py") == LINES.replace("line 1\n", "width = 1\n")
    assert_sound(messy)


def test_seed_6_a_wrong_id_comes_back_with_candidates_and_is_mended(messy: Repo, model: ModelServer) -> None:
    wrong = emit("src/app.py::7", "app_test.py::1", summary="set the width")
    ended = run(messy, model, wrong, *GOOD)
    assert ended.status == DONE
    answer = results(model)[0]
    assert f"'src/app.py::7' is no hunk of this change, did you mean '{FIRST}' or '{LAST}'?" in answer
    assert f"'app_test.py::1' is no hunk of this change, did you mean '{TEST}'?" in answer


def test_each_reply_lists_exactly_what_is_still_unassigned(messy: Repo, model: ModelServer) -> None:
    run(messy, model, *GOOD)
    assert results(model) == [
        f"Commit emitted: 'feat: set the width'. Remaining unassigned hunks: {[GUIDE, LAST]}",
        f"Commit emitted: 'fix: set the height'. Remaining unassigned hunks: {[GUIDE]}",
        "Commit emitted: 'docs: tell of it'. Remaining unassigned hunks: []",
    ]


def test_the_list_of_what_remains_is_never_cut(
    repo: Repo, ollama: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMARTCOMMIT_CONTEXT", "65536")
    repo.commit(files={"base.txt": "base\n"})
    names = [f"folder.of.the.documents/of.the.second.year/file {number:03}.txt" for number in range(150)]
    for name in names:
        repo.write(name, "x\n")
    ids = [f"{name}::1" for name in names]
    run(repo, ollama, emit(ids[0]), emit(*ids[1:60], summary="set more"), emit(*ids[60:], summary="set all"), FINALIZE)
    assert results(ollama)[0].endswith(f"Remaining unassigned hunks: {ids[1:]}")
    assert results(ollama)[1].endswith(f"Remaining unassigned hunks: {ids[60:]}")
    assert len(repo.subjects()) == 4


def test_the_prompt_names_every_hunk_and_every_tool(messy: Repo, model: ModelServer) -> None:
    run(messy, model, *GOOD)
    payload = model.questions[0].payload
    system, user = (message["content"] for message in payload["messages"])
    assert "emit_commit(commit)" in system
    assert system.endswith("end by calling finalize_commits.")
    assert all(f"\n{hunk}  " in user for hunk in ALL)
    assert "+width = 1" in user
    specs = {spec["function"]["name"]: spec["function"]["parameters"] for spec in payload["tools"]}
    assert specs.keys() >= {"emit_commit", "finalize_commits", "show_hunk", "related", "propose_partition", "get_diff"}
    # Servers drop references, so what a commit consists of stands in place.
    assert specs["emit_commit"]["properties"]["commit"]["properties"]["hunks"]["items"] == {"type": "string"}


LOOKS = {
    "show_hunk": ({"id": FIRST}, "-line 1\n+width = 1"),
    "list_hunks": ({"path": "src/"}, f"{FIRST}  source +1 -1\n{LAST}  source +1 -1"),
    "related": ({"id": FIRST}, f"{TEST}: shares"),
    "propose_partition": ({"count": 1}, f"1. {GUIDE}, {FIRST}, {LAST}, {TEST}"),
    "read_file": ({"path": "tests/app_test.py"}, "1: def test_width():"),
    "get_diff": ({"path": "src/app.py"}, "+height = 11"),
    "search_diff": ({"pattern": "height"}, "+height = 11"),
    "list_symbols": ({"path": "tests/app_test.py"}, "test_width"),
    "search_codebase": ({"pattern": "width ="}, "src/app.py:1: width = 1"),
    "get_git_log": ({}, "chore: base"),
    "similar_commits": ({"paths": ["src/app.py"]}, "chore: base"),
    "query_tool_result": ({"id": "r1"}, "there is no result 'r1'"),
}


def test_every_tool_looks_at_the_snapshot(messy: Repo, ollama: ModelServer) -> None:
    messy.write("tests/app_test.py", "def test_width():\n    assert width\n")
    run(messy, ollama, server.calls(*((name, arguments) for name, (arguments, _) in LOOKS.items())), *GOOD)
    for shown, (_, expected) in zip(results(ollama), LOOKS.values(), strict=False):
        assert expected in shown


REFUSED = [
    ("an unknown hunk", commit("src/app.py::3"), "'src/app.py::3' is no hunk of this change"),
    ("an invented path", commit("src/lion.py::1"), "'src/lion.py::1' is no hunk of this change"),
    ("an option", commit("--output=x"), "'--output=x' is no hunk"),
    ("no hunk", commit(), "no hunks are named"),
    ("a hunk twice", commit(LAST, LAST), f"'{LAST}' is named twice"),
    ("a taken hunk", commit(LAST, FIRST), f"'{FIRST}' is already in commit 1, 'feat: set the width'"),
    ("no such type", commit(LAST, kind="feature"), "no such type"),
    ("a long summary", commit(LAST, summary="set " + "very " * 40 + "much"), "code points"),
    ("an endless summary", commit(LAST, summary="x" * 400), "at most 300 characters"),
    ("a scope of two nouns", commit(LAST, scope="app and docs"), "'app and docs' is not one noun"),
    ("a scope of two nouns", commit(LAST, scope="app,docs"), "'app,docs' is not one noun"),
    ("what is not there", commit(LAST, summary="set `depth`"), "'depth' occurs nowhere in the change"),
    ("no commit", ("emit_commit", {}), "commit.hunks: Field required"),
    ("no JSON", ("emit_commit", "set the height"), "the arguments are no JSON object"),
    ("finalize too early", ("finalize_commits", {}), f"in no commit and not skipped: {[GUIDE, LAST]}"),
    ("an unknown skip", ("finalize_commits", {"skipped_hunks": ["x::1"]}), "'x::1' is no hunk"),
    ("an emitted skip", ("finalize_commits", {"skipped_hunks": [FIRST]}), "is already in commit 1"),
    ("a tool that is none", ("commit_everything", {}), "there is no tool 'commit_everything'"),
]


@pytest.mark.parametrize(("call", "reason"), [entry[1:] for entry in REFUSED], ids=[entry[0] for entry in REFUSED])
def test_what_cannot_be_is_refused_with_the_reason(
    messy: Repo, ollama: ModelServer, call: tuple[str, object], reason: str
) -> None:
    ollama.dialect = "ollama"
    ended = run(messy, ollama, GOOD[0], server.calls(call), *GOOD[1:])
    assert any(reason in answer for answer in results(ollama)), results(ollama)
    assert ended.status == DONE
    assert messy.subjects()[1:] == SUBJECTS


def test_finalizing_before_anything_was_emitted_is_refused(messy: Repo, ollama: ModelServer) -> None:
    assert run(messy, ollama, FINALIZE, *GOOD).status == DONE
    assert "nothing was emitted yet" in results(ollama)[0]


def test_what_git_cannot_part_is_emitted_and_skipped_together(repo: Repo, ollama: ModelServer) -> None:
    repo.commit(files={"go.mod": "module x\n", "go.sum": "\n", "a.txt": "a\n"})
    for name in ("go.mod", "go.sum", "a.txt"):
        repo.write(name, "require y\n")
    alone = server.calls(commit("go.sum::1", kind="build", summary="require y"))
    skipping = server.calls(commit("a.txt::1", kind="docs"), ("finalize_commits", {"skipped_hunks": ["go.mod::1"]}))
    both = emit("go.mod::1", "go.sum::1", kind="build", summary="require y")
    assert run(repo, ollama, alone, skipping, both, FINALIZE, APPROVE).status == DONE
    assert "'go.sum::1' cannot be committed or skipped without 'go.mod::1'" in results(ollama)[0]
    assert "'go.mod::1' cannot be committed or skipped without 'go.sum::1'" in results(ollama)[2]


def test_a_type_that_the_matrix_settles_is_not_the_models_to_choose(messy: Repo, ollama: ModelServer) -> None:
    emitted = emit(GUIDE, kind="feat", summary="tell of it")
    run(messy, ollama, emitted, emit(FIRST, LAST, TEST), FINALIZE, APPROVE)
    assert "docs: tell of it" in messy.subjects()


def test_commits_come_in_the_order_that_their_contents_ask_for(repo: Repo, ollama: ModelServer) -> None:
    repo.commit(files={"use.py": "x = 1\n"})
    repo.write("use.py", "from lib import measured_width\n\nx = measured_width()\n")
    repo.write("lib.py", "def measured_width():\n    return 1\n")
    using, defining = emit("use.py::1", summary="use it"), emit("lib.py::1", summary="define it")
    assert run(repo, ollama, using, defining, FINALIZE, APPROVE).status == DONE
    assert repo.subjects()[1:] == ["feat: define it", "feat: use it"]


@pytest.mark.parametrize(
    ("emitted", "left", "said"),
    [
        ((), 6, "6 turns are left and nothing was emitted: emit commits, then finalize NOW."),
        ((FIRST,), 5, "5 turns are left, 3 hunks unassigned: emit or skip each, then finalize NOW: ["),
        (ALL, 4, "4 turns are left and all hunks are assigned: call finalize_commits NOW."),
    ],
)  # fmt: skip
def test_the_countdown_says_what_to_do_by_what_was_emitted(
    messy: Repo, ollama: ModelServer, emitted: tuple[str, ...], left: int, said: str
) -> None:
    looks = [server.calls(("search_diff", {"pattern": f"x{number}"})) for number in range(20 - left)]
    script = [emit(*emitted), *looks[1:]] if emitted else looks
    run(messy, ollama, *script, server.refuses(401))
    assert said in told(ollama, -1)
    assert told(ollama, -1).count("NOW") == 7 - left


def test_the_last_turn_can_only_finalize_and_may_mend_that_once(messy: Repo, ollama: ModelServer) -> None:
    looks = [server.calls(("search_diff", {"pattern": f"x{number}"})) for number in range(18)]
    rest = finalize(skipped_hunks=[LAST, GUIDE])
    ended = run(messy, ollama, *looks, GOOD[0], FINALIZE, rest, yes=False)
    assert ended.status == CANCELLED, ended
    assert ended.printed.startswith("the change becomes 1 commit\n")
    assert f"skipped: {GUIDE}\nskipped: {LAST}\n" in ended.printed
    failed = run(messy, ollama, *looks, GOOD[0], FINALIZE)
    assert failed.status == MODEL_FAILED
    assert "no call of 'finalize_commits' could be accepted" in failed.complained
    assert partial_of(messy)["commits"]


def partial_of(repo: Repo) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads((repo.path / ".git/smartcommit" / FILE).read_text())
    return found


WRONG: dict[str, Step] = {
    "hangs": server.hangs, "trickles": server.trickles, "endless": server.endless, "cut": server.cut,
    "unfinished": server.unfinished, "error in the stream": server.fails_midway, "401": server.refuses(401),
    "404": server.refuses(404, "no such model"), "429": server.busy(429), "500": server.busy(500),
    "a page": server.page(), "no answer": server.whole([]), "nothing": server.says(""), "talk": server.says("Well."),
    "thoughts": server.says("", thinking="hm"), "junk": server.says('{"commits": 7} {{{ ]'),
    "the same call": server.calls(("list_hunks", {})), "a foreign tool": server.calls(("rm", {"path": "/"})),
    "a duplicate": emit(FIRST, TEST), "finalize again": FINALIZE,
}  # fmt: skip


@pytest.mark.parametrize("begun", [False, True], ids=["at once", "after a commit"])
@pytest.mark.parametrize("step", WRONG.values(), ids=WRONG.keys())
def test_whatever_goes_wrong_nothing_is_touched_and_what_there_is_is_kept(
    messy: Repo, ollama: ModelServer, monkeypatch: pytest.MonkeyPatch, step: Step, begun: bool
) -> None:
    monkeypatch.setenv("SMARTCOMMIT_SPLIT_DEADLINE", "1")
    before, objects = messy.state(), messy.git("count-objects", "-v")
    ended = run(messy, ollama, *GOOD[: int(begun)], step)
    kept = messy.path / ".git/smartcommit" / FILE
    assert ended.status == MODEL_FAILED
    assert ended.printed == ""
    assert "smartcommit: " in ended.complained
    assert (messy.state(), messy.git("count-objects", "-v")) == (before, objects)
    assert_sound(messy)
    if step is not WRONG["a duplicate"]:
        assert kept.exists() == begun
    assert (str(kept) in ended.complained) == kept.exists()
