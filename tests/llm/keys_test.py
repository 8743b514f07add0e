"""Where a key comes from, with a keyring of our own in place of the system's."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringError

from smartcommit.config import Settings
from smartcommit.errors import LLMTimeout
from smartcommit.git.repo import Repository
from smartcommit.llm import provider
from smartcommit.llm.provider import api_config, ask_keyring
from smartcommit.waiting import Deadline
from tests.support.drafts import draft_staged
from tests.support.repository import Repo
from tests.support.tty import person


class Kept(KeyringBackend):
    """A keyring that holds one key, and can be locked or broken."""

    # Below the one that always fails, so that it is used only where it is set.
    priority = -1.0

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, str]] = []
        self.error: Exception | None = None
        self.locked = threading.Event()
        self.locked.set()

    def get_password(self, service: str, username: str) -> str | None:
        self.asked.append((service, username))
        self.locked.wait()
        if self.error is not None:
            raise self.error
        return "kept-key" if username == "api.openai.com" else None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError


@pytest.fixture
def kept() -> Iterator[Kept]:
    before = keyring.get_keyring()
    backend = Kept()
    keyring.set_keyring(backend)
    yield backend
    backend.locked.set()
    keyring.set_keyring(before)


def settings(**given: str) -> Settings:
    given = {"PROVIDER": "openai", "MODEL": "m", "ALLOW_REMOTE": "true", **given}
    return Settings(environment={f"SMARTCOMMIT_{name}": value for name, value in given.items()})


def find(environment: dict[str, str] | None = None, *, deadline: Deadline | None = None, **given: str) -> str | None:
    return api_config(settings(**given), environment or {}, deadline=deadline).key


def test_a_key_comes_from_the_keyring_last(kept: Kept) -> None:
    assert find() == "kept-key"
    assert kept.asked == [("smartcommit", "api.openai.com")]
    assert find(environment={"OPENAI_API_KEY": "variable"}) == "variable"
    assert find(environment={"OPENAI_API_KEY": "variable"}, API_KEY="own") == "own"
    assert len(kept.asked) == 1


def test_the_keyring_is_asked_for_the_server_that_the_key_goes_to(kept: Kept) -> None:
    assert find(API_BASE="https://user@models.example:8443/v1", PROVIDER="auto") is None
    assert kept.asked == [("smartcommit", "models.example:8443")]


@pytest.mark.parametrize(
    "given", [{"ALLOW_REMOTE": "false"}, {"API_BASE": "http://127.0.0.1:8080/v1"}, {"PROVIDER": "ollama"}]
)
def test_the_keyring_is_not_asked_where_nothing_is_sent_to_another_machine(kept: Kept, given: dict[str, str]) -> None:
    assert find(**given) is None
    assert kept.asked == []


def test_a_keyring_that_fails_has_no_key(kept: Kept) -> None:
    kept.error = KeyringError("locked")
    assert find() is None
    kept.error = RuntimeError("no bus")
    assert find() is None


def test_a_keyring_that_waits_for_its_user_has_no_key(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.locked.clear()
    monkeypatch.setattr(provider, "_KEYRING_TIMEOUT", 0.1)
    assert ask_keyring("api.openai.com", Deadline(60)) is None


def test_a_locked_keyring_is_left_at_the_deadline(kept: Kept) -> None:
    kept.locked.clear()
    with pytest.raises(LLMTimeout, match=r"within 0\.1 s"):
        find(deadline=Deadline(0.1))


def test_a_locked_keyring_is_left_at_ctrl_c(kept: Kept, repo: Repo) -> None:
    kept.locked.clear()
    repo.stage({"zebra.py": "stripes = 7\n"})
    repository = Repository.find(str(repo.path))
    with person("", replies=[("asking m, ", "\x03")]) as somebody:
        made = draft_staged(repository, settings(), terminal=somebody.terminal)
    assert (made.text, made.reason) == ("feat: add zebra.py\n", "stopped by Ctrl-C")


def test_without_the_package_there_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "find_spec", lambda name: None)
    assert find() is None
