"""What the user and the project ask of every message reaches the model, and drafts without one keep what they can."""

from __future__ import annotations

import pytest

from smartcommit.config import Settings
from smartcommit.draft.request import INSTRUCTION_CHARACTERS, STYLES, find_unmet, make_guidance
from smartcommit.errors import ConfigError
from smartcommit.git.repo import Repository
from tests.support.repository import Repo
from tests.support.table import rows


def settings(**given: str) -> Settings:
    return Settings(git=[(f"smartcommit.{name}", value) for name, value in given.items()], environment={})


def test_every_style_of_the_settings_has_a_sentence() -> None:
    assert settings(style=" ".join(STYLES)).words("style") == tuple(STYLES)
    with pytest.raises(ConfigError, match="invalid value"):
        settings(style="loud")


def test_a_text_and_styles_are_told(repo: Repo) -> None:
    guidance = make_guidance(
        Repository.find(str(repo.path)), settings(instructions="Name the customer.", style="no-body bullets")
    )
    assert guidance.splitlines() == ["Name the customer.", STYLES["no-body"], STYLES["bullets"]]


def test_nothing_asked_is_nothing_told(repo: Repo) -> None:
    assert make_guidance(Repository.find(str(repo.path)), settings()) == ""


def test_a_tracked_file_has_the_instructions(repo: Repo) -> None:
    repo.commit("base", {"docs/commits.md": "Name the customer.\n" + "x" * 2 * INSTRUCTION_CHARACTERS})
    repo.write("docs/commits.md", "not staged\n")
    guidance = make_guidance(Repository.find(str(repo.path)), settings(instructions="@docs/commits.md"))
    assert guidance.startswith("Name the customer.\nxxx")
    assert len(guidance) == INSTRUCTION_CHARACTERS


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_is_not_tracked_is_one_clear_error(repo: Repo, content: bytes | None) -> None:
    repo.write("secret.txt", "not tracked\n")
    if content is not None:
        repo.commit("base", {"secret.txt": content})
    with pytest.raises(ConfigError, match=r"names 'secret.txt', which is no text file that git tracks"):
        make_guidance(Repository.find(str(repo.path)), settings(instructions="@secret.txt"))


@rows("text", ["a\x1b[31m", "x" * 2001])
def test_instructions_are_printable_and_short(text: str) -> None:
    with pytest.raises(ConfigError):
        settings(instructions=text)


@rows(
    ("given", "expected"),
    [
        ({}, []),
        ({"language": "en-GB", "style": "no-body"}, []),
        ({"language": "German"}, ["written in English: a draft in German requires a model"]),
        ({"style": "past-tense"}, ["written in the imperative: a draft in the past tense requires a model"]),
    ],
)
def test_what_only_a_model_can_do_is_said(given: dict[str, str], expected: list[str]) -> None:
    assert find_unmet(settings(**given)) == expected
