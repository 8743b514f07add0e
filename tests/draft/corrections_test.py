"""What a person makes of drafts is kept in the git directory, and learned from once it is a habit."""

from __future__ import annotations

import pytest

from smartcommit.config import Settings
from smartcommit.draft.corrections import Corrections, load_corrections, save_draft, settle_draft
from smartcommit.draft.engine import draft_embedded
from smartcommit.draft.request import read_request
from smartcommit.git.repo import Repository
from tests.support.repository import Repo

FUNCTION = "def login(user):\n    token = user.token\n    return token\n"


def keep(repository: Repository, text: str, *paths: bytes) -> None:
    save_draft(repository, Settings(environment={}), text, head=repository.head(), paths=paths)


def settle(repository: Repository) -> None:
    settle_draft(repository, Settings(environment={}), repository.head())


def test_what_a_person_changes_is_learned(repo: Repo) -> None:
    repository = Repository.find(str(repo.path))
    settings = Settings(environment={})
    repo.commit("base", {"login.py": FUNCTION})
    for number in range(3):
        repo.stage({f"part{number}.py": FUNCTION})
        keep(repository, "feat: add a part\n", f"part{number}.py".encode())
        repo.commit("refactor: introduce a part")
        settle(repository)
    corrections = load_corrections(repository, settings)
    assert corrections.find_habits("type") == {"feat": "refactor"}
    assert corrections.find_habits("verb") == {"add": "introduce"}
    repo.stage({"other.py": FUNCTION})
    request = read_request(repository, "HEAD", None, settings)
    assert request is not None
    assert draft_embedded(request).text.startswith("refactor: introduce ")


@pytest.mark.parametrize(
    ("drafted", "committed", "part", "habits"),
    [
        ("feat: add it", "feat(core): add it", "scope", {}),
        ("feat(core): add it", "feat: add it", "scope", {"core": ""}),
        ("feat: add it", "feat: it works", "verb", {}),
        ("feat: it works", "feat: add it", "verb", {}),
        ("feat: add it", "feat: support it", "verb", {"add": "support"}),
    ],
)
def test_what_no_draft_can_follow_is_no_habit(drafted: str, committed: str, part: str, habits: dict[str, str]) -> None:
    assert Corrections([(drafted, committed)] * 3).find_habits(part) == habits
    assert Corrections([(drafted, committed)] * 2).find_habits(part) == {}


def test_every_draft_after_a_habit_follows_it(repo: Repo) -> None:
    """What stats says is learned is in the next draft, by whichever way that is made."""
    repo.commit("chore: base", {"core/a.py": FUNCTION})
    repository, settings = Repository.find(str(repo.path)), Settings(environment={})
    for number in range(6):
        repo.stage({f"core/f{number}.py": f"def f{number}():\n    return {number}\n"})
        request = read_request(repository, "HEAD", None, settings)
        assert request is not None
        text = draft_embedded(request).text
        header = text.split("\n", 1)[0]
        learned = load_corrections(repository, settings).find_habits("verb")
        assert learned == ({"add": "introduce"} if number >= 3 else {})
        assert (": introduce " in header) == (number >= 3), header
        keep(repository, text, f"core/f{number}.py".encode())
        # In the end the draft is kept as it is.
        repo.commit(header.replace(": add ", ": introduce "))
        settle(repository)


def test_a_commit_of_something_else_teaches_nothing(repo: Repo) -> None:
    repository = Repository.find(str(repo.path))
    settings = Settings(environment={})
    repo.commit("base", {"a.py": FUNCTION})
    keep(repository, "feat: x\n", b"a.py")
    repo.commit("docs: y", {"b.md": "x\n"})
    settle(repository)
    assert load_corrections(repository, settings).pairs == []


@pytest.mark.parametrize("first", [True, False])
def test_a_draft_is_paired_although_other_commits_followed(repo: Repo, first: bool) -> None:
    repository = Repository.find(str(repo.path))
    if not first:
        repo.commit("base", {"a.py": FUNCTION})
    repo.stage({"b.py": FUNCTION})
    keep(repository, "feat: add b\n", b"b.py")
    for message, name in (("feat: introduce b", "b.py"), ("docs: c", "c.md"), ("docs: d", "d.md")):
        repo.commit(message, {name: FUNCTION})
    settle(repository)
    assert load_corrections(repository, Settings(environment={})).pairs == [("feat: add b\n", "feat: introduce b\n")]


def test_nothing_is_kept_where_learning_is_off(repo: Repo) -> None:
    repository = Repository.find(str(repo.path))
    settings = Settings(environment={"SMARTCOMMIT_LEARN": "false"})
    repo.commit("base", {"a.py": FUNCTION})
    save_draft(repository, settings, "feat: x\n", head=repository.head(), paths=[b"a.py"])
    assert not (repo.path / ".git/smartcommit/drafts.json").exists()


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"pairs": 1, "pending": null}', '{"pairs": [["a"]], "pending": 1}']
)
def test_a_damaged_file_counts_as_none(repo: Repo, content: str) -> None:
    repository = Repository.find(str(repo.path))
    repo.write(".git/smartcommit/drafts.json", content)
    assert load_corrections(repository, Settings(environment={})).pairs == []
    settle(repository)


def test_the_draft_of_a_rename_is_paired_with_its_commit(repo: Repo) -> None:
    repository = Repository.find(str(repo.path))
    repo.commit("base", {"a.py": FUNCTION})
    repo.git("mv", "a.py", "ä b.py")
    keep(repository, "refactor: rename a.py\n", "ä b.py".encode())
    repo.git("commit", "-q", "-m", "refactor: move a.py")
    settle(repository)
    assert len(load_corrections(repository, Settings(environment={})).pairs) == 1
