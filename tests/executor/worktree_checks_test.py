"""What an agent leaves where no commit of ours can hold it: it is told so, and nothing is committed half."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.attempt_state_test import KILLS, kill
from tests.executor.conftest import Execute
from tests.support.agents import WORKS, Agent, plan_in, work
from tests.support.repository import Repo

Make = Callable[..., Agent]
COMMITS = 'def commit(place): git("-C", place, "commit", "-qm", "chore: change")\n'


@pytest.mark.parametrize("ending", ["", "sys.exit(1)"])
def test_without_its_git_directory_nothing_is_committed_to_the_repository_around(
    tmp_path: Path, make_agent: Make, execute: Execute, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], ending: str,
) -> None:  # fmt: skip
    outer = Repo.init(tmp_path / "outer")
    head = outer.commit("chore: outer", {"mine.txt": "mine\n", ".gitignore": "agent*\n"})
    outer.write("mine.txt", "half done\n")
    inner = Repo.init(outer.path / "inner")
    plan_in(inner, "first")
    inner.commit("chore: base", {"base.txt": "base\n"})
    monkeypatch.chdir(inner.path)
    shutil.copytree(inner.path / ".git", tmp_path / "kept")
    assert execute(make_agent(f'{WORKS}; subprocess.run(["rm", "-rf", ".git"])\n{ending}')) == 1
    shown = capsys.readouterr().err
    assert (
        f"the git directory '{inner.path}/.git' no longer exists\nhint: the work is still in the working tree" in shown
    )
    assert outer.git("rev-parse", "HEAD").strip() == head
    assert outer.git("diff", "--cached", "--name-only") == ""
    shutil.copytree(tmp_path / "kept", inner.path / ".git", dirs_exist_ok=True)
    (inner.path / "t01").unlink()
    assert execute(make_agent(), "resume") == 0
    assert sorted(work(inner)) == ["base.txt", "t01"]


def test_another_directory_is_not_taken_for_the_working_tree(
    based: Repo, make_agent: Make, execute: Execute, tmp_path: Path
) -> None:
    plan_in(based, "first")
    (tmp_path / "aside").mkdir()
    agent = make_agent(
        f'write(task)\nif attempt == 1: git("config", "core.worktree", "{tmp_path}/aside")\n'
        'else: git("config", "--unset", "core.worktree")'
    )
    assert execute(agent) == 0
    assert f"git uses '{tmp_path}/aside' as its working tree; run 'git config --unset core.w" in agent.prompts[1]
    assert sorted(work(based)) == ["base.txt", "t01"]


@pytest.mark.parametrize("ending", ["", "sys.exit(1)"])
@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (
            'subprocess.run(["rm", "-rf", ".git/smartcommit"]); write(".git/smartcommit")',
            "/.git/smartcommit/executor-state'\nhint: make the git directory writable",
        ),
        ('git("config", "core.bare", "true")', "must be run in a work tree\nhint: run 'git config core.bare false'"),
        (
            "shutil.rmtree(os.getcwd())",
            "/.git' no longer exists\nhint: the work is still in the working tree; restore the git directory",
        ),
    ],
)
def test_a_repository_that_is_broken_is_one_clear_error(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], breaks: str, said: str,
    ending: str,
) -> None:  # fmt: skip
    plan_in(based, "first")
    assert execute(make_agent(f"import shutil\n{WORKS}; {breaks}\n{ending}")) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("leaves", "mends"),
    [
        ("", ""),
        ('git("-C", "sub", "add", "."); commit("sub")', ""),
        ('git("-C", "sub", "add", "."); commit("sub"); git("add", "sub")', 'git("rm", "-qf", "--cached", "sub"); '),
        (
            'git("-C", "sub", "add", "."); commit("sub"); git("add", "sub"); commit(".")',
            'git("rm", "-qf", "--cached", "sub"); ',
        ),
    ],
)
def test_a_repository_in_the_tree_fails_the_attempt_and_is_no_link_nobody_can_follow(
    based: Repo, make_agent: Make, execute: Execute, leaves: str, mends: str
) -> None:
    plan_in(based, "first")
    agent = make_agent(
        f'{COMMITS}if attempt == 1: git("init", "-q", "sub"); write("sub/file"); {leaves}\n'
        f'else: {mends}subprocess.run(["rm", "-rf", "sub/.git"])'
    )
    assert execute(agent) == 0
    assert "'sub' is a nested git repository; remove its '.git'" in agent.prompts[1]
    assert work(based) == {"base.txt": "base\n", "sub/file": "content\n"}


@pytest.fixture
def with_submodule(based: Repo, tmp_path: Path) -> Repo:
    """A repository with the submodule `lib`, and somebody's changes in the submodule `vendor`."""
    library = Repo.init(tmp_path / "library")
    library.commit("chore: initial commit", {"code": "old\n"})
    for name in ("lib", "vendor"):
        based.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), name)
    based.commit("chore: add submodules")
    based.write("vendor/built")
    return based


@pytest.mark.parametrize("changed", ["lib/code", "lib/new"])
def test_work_inside_a_submodule_fails_the_attempt_until_it_is_committed_there(
    with_submodule: Repo, make_agent: Make, execute: Execute, changed: str
) -> None:
    plan_in(with_submodule, "first")
    agent = make_agent(
        f'{COMMITS}if attempt == 1: write("{changed}")\nif attempt == 3: git("-C", "lib", "add", "."); commit("lib")'
    )
    assert execute(agent) == 0
    said = "uncommitted changes in submodule 'lib'; commit them there"
    assert [said in prompt for prompt in agent.prompts] == [False, True, True]
    assert with_submodule.git("diff", "--name-only", "HEAD~1", "--", "lib", "vendor", "*.txt") == "lib\n"


@pytest.mark.parametrize("by", ["agent", "person"])
def test_work_inside_a_submodule_is_still_asked_for_when_the_plan_is_resumed(
    with_submodule: Repo, make_agent: Make, execute: Execute, by: str
) -> None:
    plan_in(with_submodule, "first")
    assert execute(make_agent('write("lib/new")'), "run", "--attempts", "1") == 1
    if by == "person":
        Repo(with_submodule.path / "lib").commit("chore: change", {"new": "mine\n"})
    agent = make_agent(f'{COMMITS}if attempt == 2: git("-C", "lib", "add", "."); commit("lib")')
    assert execute(agent, "resume") == 0
    assert len(agent.prompts) == (2 if by == "agent" else 1)
    assert with_submodule.git("diff", "--name-only", "HEAD~1", "--", "lib") == "lib\n"


def test_work_inside_a_submodule_is_asked_for_after_a_kill_too(
    with_submodule: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(with_submodule, "first")
    kill(with_submodule, make_agent(f'write("lib/new"); {KILLS}'))
    agent = make_agent(f'{COMMITS}if call == 1: git("-C", "lib", "add", "."); commit("lib")')
    assert execute(agent, "resume") == 0
    said = "uncommitted changes in submodule 'lib'; commit them there"
    assert [said in prompt for prompt in agent.prompts] == [False, True]
    assert with_submodule.git("diff", "--name-only", "HEAD~1", "--", "lib", "vendor") == "lib\n"


@pytest.mark.parametrize("ending", ["", 'commit(".")'])
def test_a_submodule_that_the_agent_adds_is_committed(
    with_submodule: Repo, make_agent: Make, execute: Execute, tmp_path: Path, ending: str
) -> None:
    plan_in(with_submodule, "first")
    add = f'git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "{tmp_path}/library", "more")'
    agent = make_agent(f"{COMMITS}{add}; {ending}")
    assert execute(agent) == 0
    assert len(agent.prompts) == 1
    assert "160000 commit" in with_submodule.git("ls-tree", "HEAD", "more")


def test_work_in_the_stash_fails_the_attempt(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    agent = make_agent(
        'if attempt == 1: write(task); git("add", task); git("stash", "-q")\nelse: git("stash", "pop", "-q")'
    )
    assert execute(agent) == 0
    assert "changes were stashed; run 'git stash pop' to restore them" in agent.prompts[1]
    assert sorted(work(based)) == ["base.txt", "t01"]


def test_work_in_the_stash_is_asked_for_though_another_attempt_put_it_there(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first", "second")
    based.write("base.txt", "mine\n")
    based.git("stash", "-q")
    agent = make_agent(
        'if task == "t01" and attempt == 1: write(task); git("add", task); git("stash", "-q"); sys.exit(1)\n'
        'if task == "t01" and attempt == 3: git("stash", "pop", "-q")\nelse: write("other", task)'
    )
    assert execute(agent) == 0
    said = "changes were stashed"
    assert [said in prompt for prompt in agent.prompts] == [False, False, True, False]
    assert sorted(work(based)) == ["base.txt", "other", "t01"]


@pytest.mark.parametrize("by", ["merge", "stash"])
def test_conflicts_fail_the_attempt_and_are_not_committed(
    based: Repo, make_agent: Make, execute: Execute, by: str
) -> None:
    plan_in(based, "first")
    conflict = {
        "merge": 'git("checkout", "-q", "-b", "side"); write("base.txt", "a"); git("commit", "-qam", "feat: a")\n'
        '    git("checkout", "-q", "main"); write("base.txt", "b"); git("commit", "-qam", "feat: b")\n'
        '    subprocess.run(["git", "merge", "-q", "side"]); os.remove(".git/MERGE_HEAD")',
        "stash": 'write("base.txt", "a"); git("stash", "-q")\n'
        '    write("base.txt", "b"); git("commit", "-qam", "feat: b")\n'
        '    subprocess.run(["git", "stash", "pop", "-q"]); git("stash", "drop", "-q")',
    }[by]
    agent = make_agent(f'if attempt == 1:\n    {conflict}\nelse: write("base.txt", "both\\n"); git("add", "base.txt")')
    assert execute(agent) == 0
    assert "unmerged paths: 'base.txt'; resolve the conflicts and run 'git add'" in agent.prompts[1]
    assert work(based) == {"base.txt": "both\n"}


def test_a_stash_made_in_another_worktree_is_nobodys_business(
    based: Repo, make_agent: Make, execute: Execute, tmp_path: Path
) -> None:
    plan_in(based, "first")
    based.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    aside = f'os.chdir("{tmp_path}/side"); write("base.txt", "aside"); git("stash", "-q")'
    agent = make_agent(f"{WORKS}; {aside}")
    assert execute(agent) == 0
    assert len(agent.prompts) == 1


@pytest.mark.parametrize(
    ("leaves", "said"),
    [
        ('write(task, "line\\r\\n")', "CRLF would be replaced by LF in t01; fix the file"),
        (
            'write(".gitattributes", "t01 working-tree-encoding=UTF-16\\n"); write(task, "x")',
            "BOM is required in 't01'",
        ),
    ],
)
def test_a_file_that_git_does_not_take_fails_the_attempt(
    based: Repo, make_agent: Make, execute: Execute, leaves: str, said: str
) -> None:
    based.git("config", "core.autocrlf", "input")
    based.git("config", "core.safecrlf", "true")
    plan_in(based, "first")
    agent = make_agent(f'if attempt == 1: {leaves}\nelse: write(".gitattributes", ""); write(task)')
    assert execute(agent) == 0
    assert said in agent.prompts[1]
    assert work(based)["t01"] == "content\n"
