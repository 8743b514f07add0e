"""What a person makes of drafts is kept in the git directory, and learned from once it is a habit."""

from __future__ import annotations

import pytest

from smartcommit.cli import main
from smartcommit.config import Settings
from smartcommit.draft.corrections import BODY, Corrections, Pair, load_corrections, save_draft
from smartcommit.git.repo import Repository
from smartcommit.message.header import Header
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows

ADD, INTRODUCE, SUPPORT = "feat: add it", "feat: introduce it", "feat: support it"
FUNCTION = "def login(user):\n    token = user.token\n    return token\n"


def load(repository: Repository) -> Corrections:
    return load_corrections(repository, Settings(environment={}))


def keep(repository: Repository, text: str, *paths: bytes) -> None:
    save_draft(repository, load(repository), text, head=repository.head(), paths=paths)


@rows(
    ("part", "drafted", "committed", "habits"),
    [
        ("type", ADD, "fix: add it", {"feat": "fix"}),
        ("type", "feat(core): ", "fix(core): add it", {"feat": "fix"}),
        ("scope", "feat(core): ", "feat(api): add it", {"core": "api"}),
        ("scope", ADD, "feat(core): add it", {}),
        ("scope", "feat(core): add it", ADD, {"core": ""}),
        ("verb", ADD, INTRODUCE, {"add": "introduce"}),
        ("verb", ADD, "feat: added it", {"add": "added"}),
        ("verb", ADD, "feat: scaffold it", {"add": "scaffold"}),
        ("verb", ADD, "feat: Add it", {}),
        ("verb", ADD, "feat: it works", {}),
        ("verb", "feat: it works", ADD, {}),
        ("verb", "feat: ", ADD, {}),
        ("verb", "fix: update lexer.py", "fix: close the file of a failed import", {}),
        ("body", f"{ADD}\n\n- update docs", ADD, {BODY: ""}),
        ("body", f"{ADD}\n\n- update docs\n\nRefs: #1", f"{ADD}\n\nRefs: #1", {BODY: ""}),
        ("body", f"{ADD}\n\n- update docs", f"{ADD}\n\nOther text.", {}),
        ("body", ADD, f"{ADD}\n\n- update docs", {}),
        ("type", ADD, "Merge branch 'x'", {}),
    ],
)
def test_what_is_corrected_twice_is_a_habit(part: str, drafted: str, committed: str, habits: dict[str, str]) -> None:
    for times, expected in ((2, habits), (1, {})):
        found = Corrections([Pair(drafted, committed, "")] * times).habits[part]
        assert {value: habit.committed for value, habit in found.items()} == expected


@rows(
    ("committed", "habits"),
    [
        ([INTRODUCE, ADD, INTRODUCE], {"add": "introduce"}),
        ([INTRODUCE, ADD, ADD, INTRODUCE], {}),
        ([ADD] * 9 + [INTRODUCE] * 2, {"add": "introduce"}),
        ([INTRODUCE] * 9, {"add": "introduce"}),
        # The person changes back, once or for good, or finds another word.
        ([INTRODUCE] * 9 + [ADD], {"add": "introduce"}),
        ([INTRODUCE] * 9 + [ADD] * 2, {}),
        ([INTRODUCE] * 9 + [SUPPORT] * 2, {"add": "support"}),
        ([INTRODUCE, SUPPORT], {}),
        ([INTRODUCE, SUPPORT, INTRODUCE, SUPPORT], {"add": "support"}),
    ],
)
def test_newer_corrections_win_and_kept_drafts_count(committed: list[str], habits: dict[str, str]) -> None:
    found = Corrections([Pair(ADD, message, "") for message in committed]).habits["verb"]
    assert {drafted: habit.committed for drafted, habit in found.items()} == habits


def test_a_habit_tells_its_commits() -> None:
    committed = [SUPPORT, INTRODUCE, ADD, INTRODUCE]
    pairs = [Pair(ADD, message, str(number)) for number, message in enumerate(committed)]
    habit = Corrections(pairs).habits["verb"]["add"]
    assert (habit.committed, habit.drafts, habit.commits) == ("introduce", 3, ["1", "3"])


def test_reading_what_is_learned_writes_nothing(repo: Repo) -> None:
    repository = Repository.find(str(repo.path))
    repo.commit("base", {"a.py": FUNCTION})
    keep(repository, "feat: add b\n", b"b.py")
    repo.commit("feat: introduce b", {"b.py": FUNCTION})
    kept = repo.path / ".git/smartcommit/drafts.json"
    before = kept.read_bytes()
    assert len(load(repository).pairs) == 1
    assert kept.read_bytes() == before


@pytest.fixture
def hooked(repo: Repo, installation: Installation) -> Repo:
    """A repository with one commit in which messages are drafted."""
    repo.commit("chore: base", {"core/a.py": FUNCTION})
    script = installation.script("smartcommit-prepare-commit-msg")
    repo.write(".git/hooks/prepare-commit-msg", f'#!/bin/sh\nexec "{script}" "$@"\n', executable=True)
    return repo


def commit(repo: Repo, files: dict[str, str], edit: str = "true") -> tuple[str, str]:
    """The draft for `files` and what was committed after the shell command `edit` had changed it in `$1`."""
    if files:
        repo.stage(files)
    editor = repo.editor(f'grep -v "^#" "$1" > "{repo.path.parent}/opened"\n{edit}')
    repo.git("commit", "-q", env={"GIT_EDITOR": editor})
    return (repo.path.parent / "opened").read_text().strip(), repo.git("log", "-1", "--format=%B").strip()


def replace(old: str, new: str) -> str:
    """A shell command that replaces text in the header."""
    return f'sed -i "1s/{old}/{new}/" "$1"'


def test_a_draft_is_corrected_in_all_its_parts() -> None:
    pair = Pair("feat(core): add it\n\n- one\n", "fix(api): introduce it\n", "")
    made = Corrections([pair] * 2).correct(Header("feat", "add more", scope="core"), "\n- more\n", ["feat", "fix"], 50)
    assert (made.text, made.uncorrected) == ("fix(api): introduce more\n", "feat(core): add more\n\n- more\n")
    kept = Corrections([pair] * 2).correct(Header("feat", "add more"), "", ["feat"], 12)
    assert kept.text == "feat: introduce\n"


def test_every_draft_after_a_habit_follows_it(hooked: Repo) -> None:
    """Also where the history shows how the project words its summaries, so that they are composed."""
    hooked.commit_daily("feat: add part", 20)
    drafts = []
    for number in range(5):
        files = {f"core/f{number}.py": f"def find_part{number}():\n    return {number}\n"}
        drafted, _ = commit(hooked, files, replace(": add", ": introduce"))
        drafts.append(": introduce " in drafted)
    assert drafts == [False, False, True, True, True]


def test_commits_of_a_split_follow_habits(hooked: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2):
        commit(hooked, {f"core/f{number}.py": FUNCTION}, replace(": add", ": introduce"))
    hooked.stage({"web/page.html": "<p>page</p>\n", "docs/guide.md": "# Guide\n\nText.\n"})
    monkeypatch.chdir(hooked.path)
    assert main(["split", "--yes"]) == 0
    headers = hooked.git("log", "-2", "--format=%s").splitlines()
    assert [": introduce " in header for header in headers] == [True, True], headers


def test_a_commit_of_something_else_teaches_nothing(repo: Repo) -> None:
    repository = Repository.find(str(repo.path))
    repo.commit("base", {"a.py": FUNCTION})
    keep(repository, "feat: x\n", b"a.py")
    repo.commit("docs: y", {"b.md": "x\n"})
    assert load(repository).pairs == []
    # It has the draft's paths, and another parent.
    repo.commit("feat: z", {"a.py": "x\n"})
    assert load(repository).pairs == []


def test_nothing_is_kept_where_learning_is_off(hooked: Repo) -> None:
    hooked.git("config", "smartcommit.learn", "false")
    commit(hooked, {"core/b.py": FUNCTION})
    assert not (hooked.path / ".git/smartcommit/drafts.json").exists()


@rows("content", ["", "[]", "{", '{"pairs": 1, "pending": null}', '{"pairs": [["a"]], "pending": 1}'])
def test_a_damaged_file_counts_as_none(repo: Repo, content: str) -> None:
    repo.write(".git/smartcommit/drafts.json", content)
    assert load(Repository.find(str(repo.path))) == Corrections()


def test_the_draft_of_a_rename_is_paired_with_its_commit(repo: Repo) -> None:
    repository = Repository.find(str(repo.path))
    repo.commit("base", {"a.py": FUNCTION})
    repo.git("mv", "a.py", "ä b.py")
    keep(repository, "refactor: rename a.py\n", "ä b.py".encode())
    repo.git("commit", "-q", "-m", "refactor: move a.py")
    assert len(load(repository).pairs) == 1
