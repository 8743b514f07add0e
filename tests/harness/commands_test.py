"""What is refused by its plain words, and of the rest what is seen afterwards; nothing harmless is either."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.git.repo import Repository
from smartcommit.harness.guard import judge, split
from smartcommit.session import ledger
from smartcommit.session.ledger import Ledger, open_ledger
from tests.harness import situation
from tests.support.repository import Repo
from tests.support.table import rows

ROWS: dict[str, list[str]] = json.loads(Path(__file__).with_name("commands.json").read_text())
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
    for number, command in enumerate(ROWS[group]):
        copy = situation.copy(repo, path / str(number))
        situation.run(copy, command)
        told = situation.see(copy)
        # A row may have written there.
        (Path.home() / ".gitconfig").unlink(missing_ok=True)
        assert has_happened(copy) or (command.startswith("sudo") and not shutil.which("sudo")), command
        if situation.refuse(repo, command) is None and not told:
            missed.append(command)
    return missed


@pytest.mark.slow
def test_what_goes_around_the_hooks_is_refused_or_seen(shared: Repo, tmp_path: Path) -> None:
    assert find_missed(shared, tmp_path, "around", situation.went_around) == UNSEEN


@pytest.mark.slow
def test_what_sweeps_lines_of_others_is_refused_or_seen(shared: Repo, tmp_path: Path) -> None:
    assert find_missed(shared, tmp_path, "sweeping", situation.has_swept) == []


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
    for group, least in (("around", 0.55), ("sweeping", 0.8)):
        refusals = [situation.refuse(shared, command) for command in ROWS[group]]
        refusals = [refusal for refusal in refusals if refusal]
        assert len(refusals) > least * len(ROWS[group])
        for refusal in refusals:
            assert refusal.reason.isprintable()
            assert situation.refuse(shared, refusal.next.format(session="s")) is None, refusal


# What is done in `w`, another worktree, in the submodule `sub`, and with stashes, where `w` has a person's lines.
ELSEWHERE = {
    'git -C "$PWD/../w" reset -q --hard': "git reset' would lose lines of others: a",
    'cd "$(pwd)/../w" && git reset -q --hard': "git reset' would lose lines of others: a",
    "GIT_DIR=${PWD}/../w/.git GIT_WORK_TREE=$PWD/../w git reset --hard": "git reset' would lose lines of others: a",
    "eval 'git -C ../w clean -fdq'": "git clean' would lose lines of others: n",
    "command eval 'git -C ../w clean -fdq'": "git clean' would lose lines of others: n",
    "eval " * 500 + "git -C ../w clean -fdq": "too many commands within commands",
    "env -S 'git -C ../w reset -q --hard'": "git reset' would lose lines of others: a",
    "git update-ref --stdin": "writes a branch or the stash",
    "git -C ../w reset --hard": "git reset' would lose lines of others: a",
    "cd ../w && git add -A": "git add' would take lines of others: a",
    "git -C ../w add \\\n  -A": "git add' would take lines of others: a",
    "git -C ../w stash 2>/dev/null": "git stash' would lose lines of others: a",
    "git -C ../w stash save wip": "git stash' would lose lines of others: a",
    "git -C ../w stash -- a": "git stash' would lose lines of others: a$",
    "git -C ../w stage -A": "git add' would take lines of others: a",
    "cd ../w\ngit commit -am x": "git commit' would take",
    "(cd ../w; git clean -fd)": "git clean' would lose lines of others: n",
    "git -C .. -C w checkout -- a": "git checkout' would lose",
    "git worktree remove --force ../w": "git worktree' would lose",
    "git worktree remove -f ../w": "git worktree' would lose",
    "git -C sub restore .": "git restore' would lose",
    "rm ../w/n; git -C ../w clean -fd": "git clean' would lose lines of others: n",
    "git clean -fd": None,
    "git -C ../w clean -fd sub": None,
    "git submodule foreach 'git reset --hard'": "git reset' would lose",
    "git submodule update --force": "git submodule' would lose",
    "git stash drop": "git stash drop' may lose",
    "git stash drop stash@{0}": "git stash drop' may lose",
    "git -C ../w stash clear": "git stash clear' may lose",
    "git -C ../other stash clear": None,
    "git stash pop 1": None,
    "git update-ref -d refs/stash": "writes a branch or the stash",
    "git update-ref -m x refs/heads/main HEAD~1": "writes a branch or the stash",
    "git update-ref refs/notes/x HEAD": None,
    "git fetch . +HEAD:refs/stash": "writes a branch or the stash",
    "git fetch origin +HEAD:refs/stash": "writes a branch or the stash",
    "git -C ../w push -f . HEAD~1:main": "writes a branch or the stash",
    "git push $PWD/.git HEAD:refs/stash": "writes a branch or the stash",
    "git push --delete ../w main": "writes a branch or the stash",
    "git pull ../repo '+refs/*:refs/*'": "writes a branch or the stash",
    "git symbolic-ref HEAD refs/heads/x": "writes a branch or the stash",
    "git symbolic-ref -d HEAD": "writes a branch or the stash",
    "git reflog expire --expire=now --all && git gc --prune=now": "drops its log",
    "git reflog delete stash@{0}": "drops its log",
    "git fetch --stdin . <<< +HEAD:refs/stash": "writes a branch or the stash",
    "git fetch origin main:main": None,
    "git push ../other +HEAD:main": None,
    "git push . HEAD:refs/backup/x": None,
    "git fetch . main": None,
    "git symbolic-ref -q HEAD && git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main": None,
    "git reflog expire -n --all; git reflog -n 3; git gc": None,
    "git -C sub add -u": "lines of others: a$",
    "git -C sub reset --merge": "lines of others: a$",
    "git -C ../w reset --merge HEAD~1": None,
    "git -C ../w reset --hard HEAD": "lines of others: a$",
    "git -C ../w checkout HEAD -- .": "lines of others: a$",
    "git -C ../w reset --hard main": "lines of others: a, n",
    "rm -rf .git": "records",
    "cd .git; rm -rf smartcommit/": "records",
    "rm -f .git/refs/stash": "records",
    "unset CLAUDECODE; git commit -m 'feat: x'": "hides that an agent commits",
    "env -u CLAUDE_CODE_SESSION_ID git commit -m 'feat: x'": "hides that an agent commits",
    "env -i PATH=$PATH git commit -m 'feat: x'": "hides that an agent commits",
    "env --unset=CLAUDECODE -uQWEN_CODE git commit -m 'feat: x'": "hides that an agent commits",
    "readonly CLAUDECODE=; git commit -m 'feat: x'": "hides that an agent commits",
    "export -n CLAUDECODE; git commit -m 'feat: x'": "hides that an agent commits",
    "env -i bash -c 'git commit -m x'": "'env -i' hides that an agent commits",
    "CLAUDECODE= git commit -m 'feat: x'": "'CLAUDECODE=' hides that an agent commits",
    "export SMARTCOMMIT_CODING_AGENT=no; git commit -m 'feat: x'": "hides that an agent commits",
    "git -c smartcommit.codingAgent=no commit -m 'feat: x'": "which hooks run",
    "env -i PATH=$PATH make commit": None,
    "env -u CLAUDECODE claude -p 'git commit'; git commit -m 'feat: x'": None,
    "env CLAUDECODE=1 git commit -m 'feat: x'": None,
    "git rev-parse HEAD > .git/refs/heads/main": "records",
    "git pack-refs --all; rm .git/packed-refs": "records",
    "rm -f .git/refs/heads/main.lock": None,
    "rm -rf .git/refs": "records",
    "rm .git/logs/refs/stash": "records",
    "echo ref: refs/heads/x > .git/HEAD": "records",
    "rm .git/refs/notes/commits": None,
    "mv .git/smartcommit/ledger ..": "records",
    "rm -rf ../w": "'rm' on '../w' would lose lines of others: a, n",
    "rm -rf ../repo": "records",
    "git -C .. --git-dir=w/.git --work-tree=w checkout -- a": "git checkout' would lose",
    "GIT_DIR=../w/.git GIT_WORK_TREE=../w git reset --hard": "git reset' would lose",
    "export GIT_DIR=$PWD/../w/.git; cd ../w; git add -A": "git add' would take",
    "GIT_DIR=../w/.git git reset --hard": "git reset' would lose",
    "cd ../w; GIT_DIR=.git git clean -fd": "git clean' would lose",
    "find . -exec rm -rf {} +": "records",
    "find . -type d -name .git -exec rm -rf {} +": "records",
    "find . ! -name '*.py' -exec rm -f {} +": "records",
    "find . -name a -o -type f -exec rm -f {} +": "records",
    "cd .git/hooks && rm commit-msg": "which hooks run",
    "cd .git; rm -rf hooks": "which hooks run",
    'rm -rf "$PWD/.git"': "records",
    "cp x .git/hooks/commit-msg": "which hooks run",
    "install -m 644 x .git/hooks/commit-msg": "which hooks run",
    "ln -sf /bin/true $PWD/.git/hooks/commit-msg": "which hooks run",
    "sudo chmod -R a-x .git/hooks": "which hooks run",
    "sed -i '2i exit' .git/hooks/commit-msg": "which hooks run",
    "find .git/hooks -type f -delete": "which hooks run",
    "find .git/hooks -name 'c*' -exec chmod 644 {} +": "which hooks run",
    "cd .git && echo '[core] hooksPath = x' >> config": "which hooks run",
    "dd if=/dev/null of=.git/hooks/commit-msg": "which hooks run",
    "mv ../config .git/config": "which hooks run",
    "GIT_EDITOR='sed -i s/a/b/' git config --edit": "which hooks run",
    "git config edit": "which hooks run",
    "git config --rename-section x core": "which hooks run",
    "git config remove-section hook.x": "which hooks run",
    "git config set core.hooksPath x": "which hooks run",
    "git config get core.hooksPath; git config --remove-section branch.x": None,
    "timeout 60 python3 x .git/hooks/commit-msg": "which hooks run",
    "timeout -k 5 60s .git/hooks/commit-msg msg": None,
    "env A=1 nice -n 5 .git/hooks/pre-commit": None,
    "perl -pi -e s/a/b/ ../repo/.git/config": "which hooks run",
    "cp ../other/.git/hooks/commit-msg ../other/.git/config .": None,
    "rm ../other/.git/hooks/commit-msg": None,
    "perl -ne print .git/config | tee config": None,
    "ls hooks/ > .git/info/exclude": None,
    "time -p git commit -n": "skips the repository's hooks",
    "script -qec 'git commit -n' log": "skips the repository's hooks",
    "flock .git/busy --command 'git commit -n'": "skips the repository's hooks",
    "npx -c 'git commit -n'": "skips the repository's hooks",
    "poetry run git commit -n": "skips the repository's hooks",
    "uv run --with a -- git commit -n": "skips the repository's hooks",
    "coproc git commit -n": "skips the repository's hooks",
    "find src/git commit -n": None,
    "poetry run pytest -n 4 tests/git": None,
    "uv run ruff check . && uv run grep -rn git commit -n": None,
    "python -m pre_commit uninstall": "removes the hooks",
    "sudo tee .git/hooks/commit-msg </dev/null": "which hooks run",
    "env A=1 pre-commit uninstall": "removes the hooks",
    "doas git -C ../w stash": "git stash' would lose",
    "su -c 'git -C ../w stash'": "git stash' would lose",
    "stdbuf -oL git -C ../w add -A": "git add' would take",
    "bash <<'EOF'\ngit -C ../w stash\nEOF": "git stash' would lose",
    "sh -e <<< 'git -C ../w stash'": "git stash' would lose",
    "cat <<'EOF'\ngit -C ../w stash\nEOF": None,
    "cat <<< 'git -C ../w stash'": None,
    "bash check.sh <<'EOF'\ngit -C ../w stash\nEOF": None,
    "find . -name '*.pyc' -exec rm {} +": None,
    "find . -type d -name __pycache__ -o -name '*.egg-info' -exec rm -rf {} +": None,
    "rm -rf ../other": None,
    "GIT_DIR=../w/.git git status": None,
    "rm -rf ../other/.git": None,
    "rm -f .git/index.lock": None,
    "git worktree remove ../w": None,
    "git worktree add -f ../v": None,
    "git -C ../other reset --hard": None,
    "git -C ../other add -A": None,
    "git add -A": None,
    "git -C ../w add b": None,
    "git -C ../w status": None,
}


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
    answers = {command: situation.refuse(elsewhere, command) for command in ELSEWHERE}
    for command, expected in ELSEWHERE.items():
        answer = answers[command]
        assert (expected or "None$") in f"{answer and answer.reason}$", (command, answer)


@rows(
    ("command", "following"),
    [
        ("git push --no-verify", "git push"),
        ("HUSKY=0 git commit -m x", "smartcommit session commit --session {session}"),
        ("rm .git/hooks/commit-msg", "smartcommit doctor"),
        ("printf x >.git/hooks/commit-msg", "smartcommit doctor"),
        ("git checkout .", "smartcommit session status --session {session}"),
        ("git reset --hard", "git reset --keep"),
        ("git clean -fd", "git clean -n"),
        ("pip uninstall -y smartcommit-hooks", "smartcommit doctor"),
        ("smartcommit agents uninstall claude", "smartcommit doctor"),
        ("git rebase -x 'git commit --amend -n' main", "smartcommit session commit --session {session}"),
    ],
)
def test_the_command_to_run_instead(shared: Repo, command: str, following: str) -> None:
    refusal = situation.refuse(shared, command)
    assert refusal is not None
    assert refusal.next == following


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
        assert isinstance(split(joined), list)
        judge(joined.replace("add", ""), directory="/", session="s")


def test_a_long_script_opens_the_ledger_once(shared: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def count(repository: Repository, *, patience: float) -> Ledger:
        opened.append(repository)
        return open_ledger(repository, patience=patience)

    monkeypatch.setattr(ledger, "open_ledger", count)
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
