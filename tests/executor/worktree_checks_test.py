"""What an agent leaves where no commit of ours can hold it: it is told so, and nothing is committed half."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.executor.plan_dir import list_folders
from smartcommit.executor.protected_files import find_changed, list_protected, read_protected
from smartcommit.git.repo import Repository
from tests.executor.attempt_state_test import KILLS, kill
from tests.executor.conftest import Execute
from tests.support.agents import WORKS, Agent, committed_plan, plan_in, work
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


# What an agent does to the user's configuration and hooks, and the file that is named.
CHANGES = {
    "worktree": ('git("config", "core.worktree", "..")', ".git/config"),
    "bare": ('git("config", "core.bare", "true")', ".git/config"),
    "no hooks": ('git("config", "core.hooksPath", "/nonexistent")', ".git/config"),
    "identity": ('git("config", "user.name", "Someone Else"); git("config", "user.email", "a@b.c")', ".git/config"),
    "command": ('git("config", "core.fsmonitor", "touch ../ran; false")', ".git/config"),
    "filter": ('write(".git/info/attributes", "* filter=x")', ".git/info/attributes"),
    "included": ('write("../more", "[user]\\nname=X\\n"); git("config", "include.path", "../../more")', ".git/config"),
    "disguised": ('open(".git/config", "a").write("[branch \\"x\\"] [core] fsmonitor = touch ../ran")', ".git/config"),
    "unreadable": ('open(".git/config", "a").write("[torn")', ".git/config"),
    "removed": ('subprocess.run(["rm", "-rf", ".git/hooks"])', ".git/hooks/pre-commit"),
    "changed": ('open(".git/hooks/pre-commit", "w").close()', ".git/hooks/pre-commit"),
    "disabled": ('os.chmod(".git/hooks/pre-commit", 0o644)', ".git/hooks/pre-commit"),
    "linked": (
        'os.remove(".git/hooks/pre-commit"); os.symlink("/bin/true", ".git/hooks/pre-commit")',
        ".git/hooks/pre-commit",
    ),
    "added": (
        'write(".git/hooks/post-commit", "#!/bin/sh\\ntouch ../ran"); os.chmod(".git/hooks/post-commit", 0o755)',
        ".git/hooks/post-commit",
    ),
    "kept beside ours": (
        'os.mkdir(".git/hooks.before-smartcommit"); write(".git/hooks.before-smartcommit/commit-msg", "exit 1")',
        ".git/hooks.before-smartcommit/commit-msg",
    ),
    "excluded": ('write(".git/info/exclude", task)', ".git/info/exclude"),
    "in a file that is included": ('write(".git/more", "[core]\\nhooksPath=/nonexistent")', ".git/more"),
    "in a file that is included there": ('git("config", "--file", "../nested", "core.bare", "true")', "../nested"),
    "on another branch": ('write("side.cfg", "[core]\\nhooksPath=/nonexistent")', "side.cfg"),
    "another repository": (
        'subprocess.run("cp -r .git ../copy; rm -r ../copy/hooks", shell=True); write(".git/commondir", "../../copy")',
        ".git/commondir",
    ),
    "merge options": ('git("config", "branch.main.mergeOptions", "--no-verify")', ".git/config"),
    "push url": ('git("config", "remote.origin.pushurl", "/else")', ".git/config"),
    "push command": ('git("config", "remote.new.receivepack", "touch ../ran")', ".git/config"),
    "url": ('git("config", "remote.origin.url", "/else")', ".git/config"),
}
COUNTS = "#!/bin/sh\necho x >> ../runs\n"


# What git itself writes, and what is work.
HARMLESS = {
    "push": 'git("config", "branch.side.remote", "far"); git("config", "branch.side.merge", "refs/heads/side")',
    "new remote": 'git("config", "remote.far.url", "/far"); git("config", "remote.far.fetch", "+a:b")',
    "submodule": 'git("config", "submodule.x.url", "/x"); git("config", "submodule.x.active", "true")',
    "git-lfs": 'git("config", "lfs.repositoryformatversion", "0")',
    "editor": 'git("config", "branch.side.vscode-merge-base", "x"); git("config", "remote.origin.gh-resolved", "base")',
    "nothing": "write(task)",
}


def test_what_an_agent_does_to_configuration_and_hooks_is_found_and_what_git_writes_is_not(
    based: Repo, make_agent: Make, tmp_path: Path
) -> None:
    based.write(".git/hooks/pre-commit", COUNTS, executable=True)
    based.git("config", "remote.origin.url", "/origin")
    based.git("config", "include.path", "more")
    based.git("config", "includeIf.onbranch:side.path", "../side.cfg")
    based.write(".git/more", "[include]\npath = ../../nested\n")
    table = [*CHANGES.items(), *((kind, (change, "")) for kind, change in HARMLESS.items())]
    wrong = {}
    for kind, (change, named) in table:
        copy = tmp_path / kind / "repo"
        shutil.copytree(based.path, copy, symlinks=True)
        repository = Repository.find(str(copy))
        protected = read_protected(list_protected(repository))
        agent = make_agent(change)
        prompt = "## Task t01: x\nAttempt 1 of 1"
        subprocess.run([agent.path], cwd=copy, input=prompt, text=True, check=True, stdout=subprocess.DEVNULL)
        expected = [os.path.normpath(copy / named)] if named else []
        if (changed := find_changed(protected)) != expected:
            wrong[kind] = changed
        if (copy / "../ran").exists():
            wrong[kind] = ["it ran"]
    assert wrong == {}


COMMAND = 'git("config", "core.fsmonitor", "touch ../ran; false")'


@pytest.mark.parametrize("ending", ["", "sys.exit(1)", "check", KILLS])
def test_configuration_that_is_changed_stops_the_run_before_git_obeys_it(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    check = f"git config core.fsmonitor 'touch ../ran; false'; test -e {based.path}/t01"
    plan_in(based, "first", check=check if ending == "check" else None)
    change = "pass" if ending == "check" else COMMAND
    agent = make_agent(f"{WORKS}; {change}\n{ending.replace('check', '')}")
    if ending == KILLS:
        kill(based, agent)
        assert execute(make_agent(), "resume") == 1
    else:
        assert execute(agent) == 1
    said = capsys.readouterr().err
    assert f"'{based.path}/.git/config' was changed while the agent ran, and git has not run since\nhint: undo" in said
    assert not (based.path / "../ran").exists()
    assert len(agent.prompts) == 1
    based.git("config", "--unset", "core.fsmonitor")
    if ending != "check":
        assert execute(make_agent(), "resume") == 0
        assert based.subjects() == ["chore: base", "feat: add t01"]
        assert committed_plan(based, list_folders(str(based.path))[0]).tasks[0].attempts == 1


def test_a_change_that_the_user_keeps_is_taken_as_it_is(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    agent = make_agent(f'{WORKS}; write(".git/hooks/pre-push", "#!/bin/sh")')
    assert execute(agent) == 1
    assert execute(agent, "resume") == 0
    assert (based.path / ".git/hooks/pre-push").read_text() == "#!/bin/sh"
    assert based.subjects() == ["chore: base", "feat: add t01"]


def test_a_linked_worktree_is_not_led_to_another_repository(
    based: Repo, make_agent: Make, execute: Execute, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    linked = Repo(tmp_path / "linked")
    based.git("worktree", "add", "-q", "-b", "side", str(linked.path))
    plan_in(linked, "first")
    monkeypatch.chdir(linked.path)
    pointer = (linked.path / ".git").read_text()
    assert execute(make_agent(f'{WORKS}; git("init", "-q", "../other"); write(".git", "gitdir: ../other/.git")')) == 1
    assert f"'{linked.path}/.git' was changed while the agent ran" in capsys.readouterr().err
    (linked.path / ".git").write_text(pointer)
    assert execute(make_agent(), "resume") == 0
    assert sorted(work(based, "side")) == ["base.txt", "t01"]


def test_tracked_hooks_are_work_and_others_beside_them_are_not(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    based.git("config", "core.hooksPath", "hooks")
    based.commit("chore: track a hook", {"hooks/commit-msg": "#!/bin/sh\n", ".gitignore": "hooks/pre-commit\n"})
    based.write("hooks/pre-commit", COUNTS, executable=True)
    plan_in(based, "first", "second")
    edits = 'write("hooks/commit-msg", "#!/bin/sh\\n:\\n")'
    assert execute(make_agent(f'{WORKS}; {edits}\nif task == "t02": os.remove("hooks/pre-commit")')) == 1
    assert "/hooks/pre-commit' was changed while the agent ran" in capsys.readouterr().err
    assert work(based)["hooks/commit-msg"] == "#!/bin/sh\n:\n"
    assert (based.path / "../runs").read_text() == "x\n"


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
@pytest.mark.parametrize("ending", ["", "sys.exit(1)"])
def test_changes_hidden_from_git_do_not_count_as_done(
    based: Repo, make_agent: Make, execute: Execute, flag: str, ending: str
) -> None:
    based.commit("chore: more", {"mine.txt": ""})
    based.git("update-index", "--assume-unchanged", "mine.txt")
    plan_in(based, "first")
    hides = f'write("base.txt", "changed"); git("update-index", "{flag}", "base.txt"); {ending}'
    assert execute(make_agent(hides), "run", "--attempts", "1") == 1
    agent = make_agent(f'if attempt == 2: git("update-index", "{flag.replace("--", "--no-")}", "base.txt")')
    assert execute(agent, "resume") == 0
    assert "git was told to ignore changes of 'base.txt'" in agent.prompts[1]
    assert work(based)["base.txt"] == "changed"


@pytest.mark.parametrize("ending", ["", "sys.exit(1)"])
@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (
            'subprocess.run(["rm", "-rf", ".git/smartcommit"]); write(".git/smartcommit")',
            "/details.log': not a directory",
        ),
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


def test_a_repository_in_place_of_a_file_fails_the_attempt(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    agent = make_agent(
        f'{COMMITS}if attempt == 1:\n os.unlink("base.txt"); git("init", "-q", "base.txt"); write("base.txt/file")\n'
        ' git("-C", "base.txt", "add", "."); commit("base.txt")\n'
        'else: subprocess.run(["rm", "-rf", "base.txt/.git"])'
    )
    assert execute(agent) == 0
    assert "'base.txt' is a nested git repository; remove its '.git'" in agent.prompts[1]
    assert work(based) == {"base.txt/file": "content\n"}


def test_untracked_files_count_even_if_git_is_told_to_hide_them(
    based: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    based.git("config", "status.showUntrackedFiles", "no")
    plan_in(based, "first")
    based.write("diary.txt", "mine\n")
    agent = make_agent()
    assert execute(agent) == 1
    assert "diary.txt" in capsys.readouterr().err
    (based.path / "diary.txt").unlink()
    assert execute(agent) == 0
    assert sorted(work(based)) == ["base.txt", "t01"]


@pytest.fixture
def with_submodule(based: Repo, tmp_path: Path) -> Repo:
    """A repository with the submodules `lib` and `vendor`."""
    library = Repo.init(tmp_path / "library")
    library.commit("chore: initial commit", {"code": "old\n"})
    for name in ("lib", "vendor"):
        based.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), name)
    based.commit("chore: add submodules")
    return based


def test_changes_of_a_person_inside_a_submodule_refuse_a_run(
    with_submodule: Repo, make_agent: Make, execute: Execute, capsys: pytest.CaptureFixture[str]
) -> None:
    plan_in(with_submodule, "first")
    with_submodule.write("vendor/built")
    agent = make_agent()
    assert execute(agent) == 1
    assert "changes that do not belong to this plan: 'vendor'\nhint: commit or stash them (in a submodule: there)" in (
        capsys.readouterr().err
    )
    assert agent.prompts == []


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
