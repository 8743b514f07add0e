"""Which engine is chosen, how long it may take, and what is asked of every message."""

import os
from pathlib import Path

import pytest

from smartcommit.config import Settings, load, wants_model
from smartcommit.draft import engine
from smartcommit.draft.engine import find_time_limit
from smartcommit.draft.request import INSTRUCTION_CHARACTERS, STYLES, find_unmet, make_guidance, read_request
from smartcommit.draft.result import Draft
from smartcommit.errors import ConfigError
from smartcommit.git.repo import Repository
from smartcommit.llm.provider import choose_preset, find_base, make_api_config
from smartcommit.waiting import Deadline
from tests.support.repository import Repo
from tests.support.table import rows


def settings(**environment: str) -> Settings:
    return Settings(environment={f"SMARTCOMMIT_{name}": value for name, value in environment.items()})


OLLAMA = "http://127.0.0.1:11434"


@rows(
    ("given", "host", "wanted", "provider", "base"),
    ({}, "", False, "ollama", OLLAMA),
    ({"MODEL": "m"}, "0.0.0.0", True, "ollama", OLLAMA),
    ({"PROVIDER": "auto", "MODEL": "m"}, "localhost:80", True, "ollama", "http://localhost:80"),
    ({"PROVIDER": "embedded", "MODEL": "m"}, "http://other:9", False, "ollama", "http://other:9"),
    ({"PROVIDER": "ollama"}, "https://other", True, "ollama", "https://other:443"),
    ({"PROVIDER": "ollama"}, "http://other/", True, "ollama", "http://other:80"),
    ({"PROVIDER": "ollama"}, "https://other/ollama", True, "ollama", "https://other:443/ollama"),
    ({"PROVIDER": "ollama"}, "'other'", True, "ollama", "http://other:11434"),
    ({"PROVIDER": "ollama"}, ":1234", True, "ollama", "http://127.0.0.1:1234"),
    ({"PROVIDER": "ollama"}, "[::]", True, "ollama", OLLAMA),
    ({"PROVIDER": "ollama"}, "::1", True, "ollama", "http://[::1]:11434"),
    ({"PROVIDER": "ollama"}, "[::1]:9", True, "ollama", "http://[::1]:9"),
    ({"PROVIDER": "openai"}, "", True, "openai", "https://api.openai.com/v1"),
    # The address tells the dialect unless it is named.
    ({"API_BASE": "http://h:1"}, "other", False, "ollama", "http://h:1"),
    ({"API_BASE": "http://h:1/v1"}, "", False, "openai", "http://h:1/v1"),
    ({"API_BASE": "http://h:1/v1/"}, "", False, "openai", "http://h:1/v1/"),
    ({"PROVIDER": "ollama", "API_BASE": "http://h:1/v1"}, "", True, "ollama", "http://h:1/v1"),
)
def test_a_configured_model_is_asked(given: dict[str, str], host: str, wanted: bool, provider: str, base: str) -> None:
    chosen = settings(**given)
    assert wants_model(chosen) is wanted
    assert (choose_preset(chosen), find_base(chosen, {"OLLAMA_HOST": host})) == (provider, base)


def test_a_provider_without_a_model_is_an_error_with_a_hint() -> None:
    with pytest.raises(ConfigError) as caught:
        make_api_config(settings(PROVIDER="ollama"))
    assert caught.value.hint is not None
    assert "smartcommit.model" in caught.value.hint


@rows("name", "PROVIDER", "LANGUAGE", "DEADLINE", "CONTEXT", "ALLOW_REMOTE")
def test_a_value_of_the_wrong_kind_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"for SMARTCOMMIT_{name}$"):
        settings(**{name: "!"})


@pytest.mark.parametrize(
    ("home", "name"), [("PRE_COMMIT_HOME", "patch17-{pid}"), ("PREK_HOME", "patches/17-{pid}.patch")]
)
def test_a_draft_may_take_longer_where_no_work_is_held_back(tmp_path: Path, home: str, name: str) -> None:
    under = {"PRE_COMMIT": "1", "XDG_CACHE_HOME": str(tmp_path / "cache"), home: str(tmp_path)}
    assert find_time_limit(settings(), {}) == 20
    assert find_time_limit(settings(), under) == 20
    place = tmp_path / name.format(pid=os.getppid())
    place.parent.mkdir(exist_ok=True)
    place.touch()
    assert find_time_limit(settings(), under) == 10
    assert find_time_limit(settings(DEADLINE="7"), under) == 7


def test_remarks_are_one_safe_line_each() -> None:
    comments = Draft("x", "embedded", reason="bad\nnews \x1b[31m", remarks=("a\nb",)).comments
    assert comments == ["smartcommit: drafted without a model: bad news \\x1b[31m", "smartcommit: a b"]


def test_choices_keep_the_rules_or_are_dropped(inside: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.commit(files={".smartcommit": "[smartcommit]\n\ttypes = feat fix\n\tsummaryCase = upper-first\n"})
    inside.stage({"src/api.py": "x = 1\n"})
    repository = Repository.find()
    request = read_request(repository, repository.head() or "", None, load(repository.worktree))
    assert request is not None
    embedded = Draft(
        "feat(api): add x\n",
        weak=True,
        open=True,
        sure=0.2,
        candidates=("set x to 1", "x" * 200, "add x", "read\x1bx"),
        second_type="fix",
        facts=("1 file: added",),
    )
    monkeypatch.setattr(engine, "draft_embedded", lambda request: embedded)
    made = engine.answer(request, deadline=Deadline(5), terminal=None)
    assert made.text == "feat(api): Add x\n"
    assert (made.weak, made.open, made.sure, made.facts) == (True, True, 0.2, ("1 file: added",))
    assert (made.candidates, made.second_type) == (("Set x to 1", "Add x"), "fix")
    # What the author said stays first, unless the rules do not allow it.
    embedded.source = "the branch"
    embedded.candidates = ("add x", "set x to 1")
    made = engine.answer(request, deadline=Deadline(5), terminal=None)
    assert (made.list_headers()[0], made.source) == ("feat(api): Add x", "the branch")
    embedded.candidates = ("x" * 200, "set x to 1")
    assert engine.answer(request, deadline=Deadline(5), terminal=None).source == ""
    embedded.second_type = "chore"
    embedded.breaking = True
    made = engine.answer(request, deadline=Deadline(5), terminal=None)
    assert (made.second_type, made.list_headers()[-1]) == (None, "feat(api)!: Set x to 1")


@pytest.mark.parametrize(
    ("started", "command"), [({}, "git smart-commit"), ({"PRE_COMMIT": "1"}, "pre-commit run split")]
)
def test_a_remark_names_the_command_that_is_there(
    inside: Repo, monkeypatch: pytest.MonkeyPatch, started: dict[str, str], command: str
) -> None:
    inside.stage({"one/a.py": "x = 1\n", "two/b.py": "y = 2\n", "three/c.py": "z = 3\n"})
    monkeypatch.delenv("PRE_COMMIT", raising=False)
    for name, value in started.items():
        monkeypatch.setenv(name, value)
    repository = Repository.find()
    request = read_request(repository, repository.empty_tree, None, load(repository.worktree))
    assert request is not None
    made = engine.answer(request, deadline=Deadline(5), terminal=None)
    assert made.remarks == (f"no single scope covers this change; run '{command}' to split it",)


def asked(**given: str) -> Settings:
    """Settings of the user in git's configuration."""
    return Settings(git=[(f"smartcommit.{name}", value) for name, value in given.items()], environment={})


def test_every_style_of_the_settings_has_a_sentence() -> None:
    assert asked(style=" ".join(STYLES)).words("style") == tuple(STYLES)
    with pytest.raises(ConfigError, match="invalid value"):
        asked(style="loud")


def test_a_text_and_styles_are_told(repo: Repo) -> None:
    guidance = make_guidance(
        Repository.find(str(repo.path)), asked(instructions="Name the customer.", style="no-body bullets")
    )
    assert guidance.splitlines() == ["Name the customer.", STYLES["no-body"], STYLES["bullets"]]
    assert make_guidance(Repository.find(str(repo.path)), asked()) == ""


def test_a_tracked_file_has_the_instructions(repo: Repo) -> None:
    repo.commit("base", {"docs/commits.md": "Name the customer.\n" + "x" * 2 * INSTRUCTION_CHARACTERS})
    repo.write("docs/commits.md", "not staged\n")
    guidance = make_guidance(Repository.find(str(repo.path)), asked(instructions="@docs/commits.md"))
    assert guidance.startswith("Name the customer.\nxxx")
    assert len(guidance) == INSTRUCTION_CHARACTERS


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_is_not_tracked_is_one_clear_error(repo: Repo, content: bytes | None) -> None:
    repo.write("secret.txt", "not tracked\n")
    if content is not None:
        repo.commit("base", {"secret.txt": content})
    with pytest.raises(ConfigError, match=r"names 'secret.txt', which is no text file that git tracks"):
        make_guidance(Repository.find(str(repo.path)), asked(instructions="@secret.txt"))


@rows("text", "a\x1b[31m", "x" * 2001)
def test_instructions_are_printable_and_short(text: str) -> None:
    with pytest.raises(ConfigError):
        asked(instructions=text)


@rows(
    ("given", "expected"),
    ({}, []),
    ({"language": "en-GB", "style": "no-body"}, []),
    ({"language": "German"}, ["written in English: a draft in German requires a model"]),
    ({"style": "past-tense"}, ["written in the imperative: a draft in the past tense requires a model"]),
)
def test_what_only_a_model_can_do_is_said(given: dict[str, str], expected: list[str]) -> None:
    assert find_unmet(asked(**given)) == expected
