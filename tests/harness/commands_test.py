"""What is refused by its plain words, and of the rest what is seen afterwards; nothing harmless is either."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.git.repo import Repository
from smartcommit.harness.guard import judge
from smartcommit.harness.shell import split_commands
from smartcommit.session import ledger
from smartcommit.session.ledger import Ledger
from tests.harness import situation
from tests.harness.situation import ROWS
from tests.support.repository import Repo

HARMLESS = [*ROWS["harmless"], *ROWS["harmless alone"]]
# git's own fast-forward hides where the commit is from.
UNSEEN = ["git merge -q --ff-only $(git commit-tree HEAD^{tree} -p HEAD -m x)"]
# That a subshell ends is not read.
REFUSED_ALTHOUGH_HARMLESS = ["(export HUSKY=0; true); git commit -m 'feat: x'"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository in which a person works too; nothing is run there."""
    return situation.build(tmp_path_factory.mktemp("shared"), alone=False)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return situation.build(tmp_path_factory.mktemp("own"), alone=True)


def find_missed(repo: Repo, path: Path, group: str, has_happened: Callable[[Repo], bool]) -> list[str]:
    """The commands of a group that are neither refused nor seen, although it has happened."""
    missed = []
    for number, command in enumerate([*ROWS[group], *ROWS[f"{group} unread"]]):
        copy = situation.copy(repo, path / str(number))
        situation.run(copy, command)
        told = situation.see(copy)
        # A row may have written there.
        (Path.home() / ".gitconfig").unlink(missing_ok=True)
        assert has_happened(copy) or (command.startswith("sudo") and not shutil.which("sudo")), command
        if command not in ROWS[group] and not told:
            missed.append(command)
    return missed


@pytest.mark.slow
def test_what_goes_around_the_hooks_or_sweeps_lines_of_others_is_refused_or_seen(shared: Repo, tmp_path: Path) -> None:
    assert find_missed(shared, tmp_path / "around", "around", situation.went_around) == UNSEEN
    assert find_missed(shared, tmp_path / "sweeping", "sweeping", situation.has_swept) == []


@pytest.mark.slow
@pytest.mark.parametrize("group", ["harmless", "harmless alone"])
def test_nothing_is_seen_after_what_is_harmless(shared: Repo, own: Repo, tmp_path: Path, group: str) -> None:
    told = {}
    for number, command in enumerate(ROWS[group]):
        copy = situation.copy(own if "alone" in group else shared, tmp_path / str(number))
        situation.run(copy, command)
        told[command] = situation.see(copy)
        assert not situation.went_around(copy), command
    assert {command: text for command, text in told.items() if text} == {}


def test_what_is_harmless_is_not_refused(shared: Repo, own: Repo) -> None:
    refused = [command for command in ROWS["harmless"] if situation.refuse(shared, command)]
    assert refused == REFUSED_ALTHOUGH_HARMLESS
    # The shell's patterns end at a slash.
    assert situation.refuse(shared, "git add *d.py") is None
    assert situation.refuse(shared, "git add */*d.py") is not None
    assert [command for command in ROWS["harmless alone"] if situation.refuse(own, command)] == []


def test_plain_words_are_refused_with_what_to_run_instead(shared: Repo) -> None:
    for command in (*ROWS["around"], *ROWS["sweeping"]):
        refusal = situation.refuse(shared, command)
        assert refusal is not None, command
        assert refusal.reason.isprintable()
        assert situation.refuse(shared, refusal.next.format(session="s")) is None, refusal
    unread = (*ROWS["around unread"], *ROWS["sweeping unread"])
    assert [command for command in unread if situation.refuse(shared, command)] == []


@pytest.fixture
def elsewhere(repo: Repo) -> Repo:
    """A repository with another worktree and a submodule."""
    library = Repo.init(repo.path.parent / "library")
    library.commit(files={"a": "1\n"})
    Repo.init(repo.path.parent / "other").commit(files={"a": "1\n"})
    repo.commit(files={"a": "1\n", "b": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "sub")
    repo.git("commit", "-q", "-m", "feat: sub")
    repo.git("worktree", "add", "-q", "../w")
    situation.see(repo)
    for place in ("w", "other", "repo/sub"):
        (repo.path.parent / place / "a").write_text("person\n")
        (repo.path.parent / place / "n").write_text("person\n")
    repo.git("-C", "sub", "add", "a")
    return repo


def test_lines_in_other_worktrees_in_submodules_and_in_stashes_are_kept(elsewhere: Repo) -> None:
    assert elsewhere.path.name == "repo"
    answers = {command: situation.refuse(elsewhere, command) for command in ROWS["elsewhere"]}
    for command, expected in ROWS["elsewhere"].items():
        answer = answers[command]
        assert (expected or "None$") in f"{answer and answer.reason}$", (command, answer)


def test_the_command_to_run_instead(shared: Repo) -> None:
    for command, following in ROWS["instead"].items():
        refusal = situation.refuse(shared, command)
        assert refusal is not None, command
        assert refusal.next == following, command


def test_files_that_others_make_meanwhile_are_kept(repo: Repo) -> None:
    repo.commit(files={"a": "1\n"})
    situation.see(repo)
    assert situation.refuse(repo, "git clean -fd") is None
    repo.write("a", "person\n")
    assert "'git clean' may lose what others" in str(situation.refuse(repo, "make test && git clean -fd"))
    assert situation.refuse(repo, "git clean -fd build") is None


def test_hooks_elsewhere_are_kept_there(repo: Repo) -> None:
    unset = ("git config --unset-all core.hooksPath", "git config unset core.hooksPath")
    for path, is_refused in ((".husky/_", True), (".git/hooks", False), ("none", False)):
        repo.git("config", "core.hooksPath", path)
        repo.write(".husky/_/commit-msg", "", executable=True)
        for command in (*unset, "rm .husky/commit-msg"):
            assert (situation.refuse(repo, command) is not None) == is_refused, (path, command)
    assert situation.refuse(repo, "git config --unset hook.x.command") is not None
    assert situation.refuse(repo, "git config --unset smartcommit.off") is None


@given(st.text("git comitadd-nAm \t\n'\"`$(){}[]<>|&;\\#=*?!~,\0"), st.sampled_from([*ROWS["around"], *HARMLESS]))
def test_no_text_raises(text: str, command: str) -> None:
    for joined in (text, text + command, command + text):
        assert isinstance(split_commands(joined), list)
        judge(joined.replace("add", ""), directory="/", session="s")


def test_a_long_script_opens_the_ledger_once(shared: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def count(repository: Repository, *, patience: float) -> Ledger:
        opened.append(repository)
        return Ledger(repository, patience=patience)

    monkeypatch.setattr(ledger, "Ledger", count)
    assert situation.refuse(shared, "git add own.py; git commit -m x -- own.py\n" * 20) is None
    assert len(opened) == 1


def test_a_command_that_is_long_or_deep_ends() -> None:
    for text in (
        "rm .git\0",
        "rm .git\ud800",
        "(" * 5000,
        "$(" * 5000,
        f"echo {'x' * 300_000}",
        "sh -c '" * 50,
        "a <<E\n" * 500,
    ):
        assert judge(text, directory="/", session="s") is None
