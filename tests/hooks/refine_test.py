"""`git commit -e -m` with a model that may refine it: the text the editor opens, and cases without prompts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import model_server as server
from tests.support.installation import Installation
from tests.support.model_server import ModelServer, serve
from tests.support.repository import Repo

GOOD = server.calls(("submit_message", {"type": "feat", "summary": "paint stripes"}))
SEED = "stripes, for the herd\n\nThey hide in grass."


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with serve("ollama", GOOD) as running:
        yield running


@pytest.fixture
def hooked(repo: Repo, installation: Installation) -> Repo:
    """A repository that refines messages, with a commit to amend, a staged file, and an editor that keeps its file."""
    repo.commit("feat: keep", files={"kept.txt": "kept\n"})
    repo.commit("feat: keep more", files={"more.txt": "more\n"})
    repo.stage({"zebra.py": "def stripes():\n    return 7\n"})
    repo.git("config", "smartcommit.refineMessage", "true")
    script = installation.script("smartcommit-prepare-commit-msg")
    repo.write(".git/hooks/prepare-commit-msg", f'#!/bin/sh\nexec "{script}" "$@"\n', executable=True)
    return repo


def commit(repo: Repo, model: ModelServer, *arguments: str, **environment: str) -> tuple[str, str]:
    """What `git commit` recorded, and the file as its editor opened on it, empty where none did."""
    opened = repo.path.parent / "opened"
    editor = repo.editor(f'cp "$1" "{opened}"')
    # The tests' commits have fixed dates, by which each would seem to amend the last one.
    dated = {"GIT_EDITOR": editor, "GIT_AUTHOR_DATE": "@1900000000 +0000", **model.environment(**environment)}
    repo.git("commit", "-q", *arguments, env=dated)
    return repo.message(), opened.read_text() if opened.exists() else ""


def test_the_editor_opens_on_the_refined_message_with_the_given_one_below(hooked: Repo, model: ModelServer) -> None:
    recorded, opened = commit(hooked, model, "-e", "-m", SEED)
    assert recorded == "feat: paint stripes\n\n"
    assert opened.startswith(
        "feat: paint stripes\n\n# smartcommit: refined by scripted; original message:\n# stripes, for the herd\n# \n"
        "# They hide in grass.\n\n# Please enter the commit message"
    )
    assert SEED in model.questions[0].payload["messages"][1]["content"]


@pytest.mark.parametrize("options", [["-s"], ["--trailer", "Refs: #7"]])
def test_trailers_stay_where_they_are(hooked: Repo, model: ModelServer, options: list[str]) -> None:
    recorded, _ = commit(hooked, model, "-e", "-m", SEED, *options)
    trailer = options[-1] if len(options) > 1 else "Signed-off-by: "
    assert recorded.startswith(f"feat: paint stripes\n\n{trailer}")


def test_a_message_from_a_file_is_refined_below_a_diff(hooked: Repo, model: ModelServer) -> None:
    (hooked.path.parent / "given").write_text(SEED)
    recorded, opened = commit(hooked, model, "-e", "-v", "-F", "../given")
    assert recorded == "feat: paint stripes\n\n"
    assert "\n# They hide in grass.\n" in opened
    assert "\ndiff --git a/zebra.py b/zebra.py\n" in opened


def test_a_model_that_fails_leaves_what_was_given(hooked: Repo, model: ModelServer) -> None:
    model.script[:] = [server.refuses(401)]
    recorded, opened = commit(hooked, model, "-e", "-m", SEED, "-m", "Refs: #7")
    assert recorded == f"{SEED}\n\nRefs: #7\n\n"
    assert opened.startswith(f"{SEED}\n\n# smartcommit: not refined: ")
    assert "\n\nRefs: #7\n" in opened


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", SEED],
        ["-e", "-m", "fixup! feat: keep"],
        ["--squash=HEAD", "-m", SEED],
        ["--fixup=amend:HEAD"],
        ["--fixup=reword:HEAD"],
        ["--amend"],
        ["-c", "HEAD"],
    ],
)
def test_what_is_not_written_for_this_commit_alone_is_left_alone(
    hooked: Repo, model: ModelServer, arguments: list[str]
) -> None:
    _, opened = commit(hooked, model, *arguments)
    assert "smartcommit" not in opened
    assert model.asked == []


@pytest.mark.parametrize("cleanup", ["whitespace", "verbatim"])
def test_nothing_is_refined_where_comments_are_kept(hooked: Repo, model: ModelServer, cleanup: str) -> None:
    hooked.git("config", "commit.cleanup", cleanup)
    _, opened = commit(hooked, model, "-e", "-m", SEED)
    assert opened.startswith(SEED)
    assert model.asked == []


def test_an_amended_commit_keeps_the_message_it_is_given(hooked: Repo, model: ModelServer) -> None:
    commit(hooked, model, "-m", "feat: keep most")
    hooked.stage({"lion.py": "mane = 1\n"})
    recorded, _ = commit(hooked, model, "--amend", "-e", "-m", SEED)
    assert recorded == f"{SEED}\n\n"
    assert model.asked == []


@pytest.mark.parametrize("state", ["MERGE_HEAD", "REVERT_HEAD", "CHERRY_PICK_HEAD", "rebase-merge/done"])
def test_nothing_is_refined_in_the_middle_of_something(hooked: Repo, model: ModelServer, state: str) -> None:
    if state == "rebase-merge/done":
        hooked.git("stash", "-q")
        hooked.git("rebase", "-q", "-i", "HEAD^", env={"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/edit/"})
        hooked.git("stash", "pop", "-q")
    else:
        hooked.git("update-ref", state, "HEAD^")
    commit(hooked, model, "-e", "-m", SEED)
    assert model.asked == []


@pytest.mark.parametrize(
    "environment", [{"SMARTCOMMIT_REFINE_MESSAGE": "false"}, {"SMARTCOMMIT_PROVIDER": "embedded"},
                    {"SMARTCOMMIT_DRAFT": "false"}],
)  # fmt: skip
def test_what_is_switched_off_stays_off(hooked: Repo, model: ModelServer, environment: dict[str, str]) -> None:
    recorded, opened = commit(hooked, model, "-e", "-m", SEED, **environment)
    assert recorded == f"{SEED}\n\n"
    assert "smartcommit" not in opened
    assert model.asked == []


def test_no_message_is_refined_unless_that_is_asked_for(hooked: Repo, model: ModelServer) -> None:
    hooked.git("config", "--unset", "smartcommit.refineMessage")
    commit(hooked, model, "-e", "-m", SEED)
    assert model.asked == []
