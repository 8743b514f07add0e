"""What an agent may not change: configuration, hooks, and the git directory; then git does not run."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.executor.plan_dir import list_folders
from smartcommit.executor.protected_files import find_changed, list_protected, read_protected
from smartcommit.git.repo import Repository
from tests.executor.conftest import KILLS, Copies, Run
from tests.support.agents import WORKS, Agent, committed_plan, plan_in, work
from tests.support.repository import Repo

Make = Callable[..., Agent]

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
    "in a file behind a link": ('git("config", "--file", "../target", "core.bare", "true")', "../target"),
    "on another branch": ('write("side.cfg", "[core]\\nhooksPath=/nonexistent")', "side.cfg"),
    "another repository": (
        'subprocess.run("cp -r .git ../copy; rm -r ../copy/hooks", shell=True); write(".git/commondir", "../../copy")',
        ".git/commondir",
    ),
    "merge options": ('git("config", "branch.main.mergeOptions", "--no-verify")', ".git/config"),
    "push url": ('git("config", "remote.origin.pushurl", "/else")', ".git/config"),
    "push command": ('git("config", "remote.new.receivepack", "touch ../ran")', ".git/config"),
    "url": ('git("config", "remote.origin.url", "/else")', ".git/config"),
    "new remote": ('git("config", "remote.far.url", "/far")', ".git/config"),
}
COUNTS = "#!/bin/sh\necho x >> ../runs\n"


# What git itself writes, and what is work.
HARMLESS = {
    "push": 'git("config", "branch.side.remote", "far"); git("config", "branch.side.merge", "refs/heads/side")',
    "submodule": 'git("config", "submodule.x.url", "/x"); git("config", "submodule.x.active", "true")',
    "git-lfs": 'git("config", "lfs.repositoryformatversion", "0")',
    "editor": 'git("config", "branch.side.vscode-merge-base", "x"); git("config", "remote.origin.gh-resolved", "base")',
    "nothing": "write(task)",
}


def test_what_an_agent_does_to_configuration_and_hooks_is_found_and_what_git_writes_is_not(
    project: Repo, copy: Copies, make_agent: Make
) -> None:
    project.write(".git/hooks/pre-commit", COUNTS, executable=True)
    project.git("config", "remote.origin.url", "/origin")
    project.git("config", "include.path", "more")
    project.git("config", "includeIf.onbranch:side.path", "../side.cfg")
    project.write(".git/more", "[include]\npath = ../../nested\npath = link\n")
    (project.path / ".git/link").symlink_to("../../target")
    table = [*CHANGES.items(), *((kind, (change, "")) for kind, change in HARMLESS.items())]
    wrong = {}
    for kind, (change, named) in table:
        place = copy(kind).path
        protected = read_protected(list_protected(Repository.find()))
        agent = make_agent(change)
        prompt = "## Task t01: x\nAttempt 1 of 1"
        subprocess.run([agent.path], cwd=place, input=prompt, text=True, check=True, stdout=subprocess.DEVNULL)
        expected = [os.path.normpath(place / named)] if named else []
        if (changed := find_changed(protected)) != expected:
            wrong[kind] = changed
        if (place / "../ran").exists():
            wrong[kind] = ["it ran"]
    assert wrong == {}


@pytest.mark.parametrize("ending", ["pass", "sys.exit(1)", "check", KILLS])
def test_configuration_that_is_changed_stops_the_run_before_git_obeys_it(project: Repo, run: Run, ending: str) -> None:
    command = "git config core.fsmonitor 'touch ../ran; false'"
    check = None
    script = f"{WORKS}; os.system({command!r})\n{ending}"
    if ending == "check":
        check, script = f"{command}; test -e {project.path}/t01", WORKS
    plan_in(project, "first", check=check)
    done = run(script, status=1)
    if ending == KILLS:
        done = run(WORKS, "resume", status=1)
    said = f"'{project.path}/.git/config' was changed while the agent ran, and git has not run since\nhint: undo"
    assert said in done.err
    assert not (project.path / "../ran").exists()
    project.git("config", "--unset", "core.fsmonitor")
    if ending != "check":
        run(WORKS, "resume")
        assert project.subjects() == ["chore: base", "feat: add t01"]
        assert committed_plan(project, list_folders(str(project.path))[0]).tasks[0].attempts == 1


def test_a_change_that_the_user_keeps_is_taken_as_it_is(project: Repo, run: Run) -> None:
    plan_in(project, "first")
    script = f'{WORKS}; write(".git/hooks/pre-push", "#!/bin/sh")'
    run(script, status=1)
    run(script, "resume")
    assert (project.path / ".git/hooks/pre-push").read_text() == "#!/bin/sh"
    assert project.subjects() == ["chore: base", "feat: add t01"]


def test_work_that_a_new_pattern_excludes_is_named_with_the_command_that_adds_it(project: Repo, run: Run) -> None:
    plan_in(project, "first")
    done = run(f'{WORKS}; write("b c"); open(".git/info/exclude", "a").write("t01\\nb c\\n")', status=1)
    command = "git add --force -- 'b c' t01"
    assert f"hint: it hides 'b c', 't01': run '{command}' to have that committed, or undo" in done.err
    project.run(*shlex.split(command)[1:])
    run("", "resume")
    assert sorted(work(project)) == ["b c", "base.txt", "t01"]


def test_a_worktree_keeps_its_own_git(project: Repo, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    linked = Repo(tmp_path / "linked")
    project.git("worktree", "add", "-q", "-b", "side", str(linked.path))
    plan_in(linked, "first")
    monkeypatch.chdir(linked.path)
    pointer = (linked.path / ".git").read_text()
    done = run(f'{WORKS}; git("init", "-q", "../other"); write(".git", "gitdir: ../other/.git")', status=1)
    assert f"'{linked.path}/.git' was changed while the agent ran" in done.err
    (linked.path / ".git").write_text(pointer)
    run(WORKS, "resume")
    assert sorted(work(project, "side")) == ["base.txt", "t01"]


def test_tracked_hooks_are_work_and_others_beside_them_are_not(project: Repo, run: Run) -> None:
    project.git("config", "core.hooksPath", "hooks")
    project.commit("chore: track a hook", {"hooks/commit-msg": "#!/bin/sh\n", ".gitignore": "hooks/pre-commit\n"})
    project.write("hooks/pre-commit", COUNTS, executable=True)
    plan_in(project, "first", "second")
    edits = 'write("hooks/commit-msg", "#!/bin/sh\\n:\\n")'
    done = run(f'{WORKS}; {edits}\nif task == "t02": os.remove("hooks/pre-commit")', status=1)
    assert "/hooks/pre-commit' was changed while the agent ran" in done.err
    assert work(project)["hooks/commit-msg"] == "#!/bin/sh\n:\n"
    assert (project.path / "../runs").read_text() == "x\n"


@pytest.mark.parametrize("ending", ["pass", "sys.exit(1)"])
def test_without_its_git_directory_nothing_is_committed_to_the_repository_around(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    outer = Repo.init(tmp_path / "outer")
    head = outer.commit("chore: outer", {"mine.txt": "mine\n", ".gitignore": "agent*\n"})
    outer.write("mine.txt", "half done\n")
    inner = Repo.init(outer.path / "inner")
    plan_in(inner, "first")
    inner.commit("chore: base", {"base.txt": "base\n"})
    monkeypatch.chdir(inner.path)
    shutil.copytree(inner.path / ".git", tmp_path / "kept")
    done = run(f'{WORKS}; subprocess.run(["rm", "-rf", ".git"])\n{ending}', status=1)
    said = f"the git directory '{inner.path}/.git' no longer exists\nhint: the work is still in the working tree"
    assert said in done.err
    assert outer.git("rev-parse", "HEAD").strip() == head
    assert outer.git("diff", "--cached", "--name-only") == ""
    shutil.copytree(tmp_path / "kept", inner.path / ".git", dirs_exist_ok=True)
    (inner.path / "t01").unlink()
    run(WORKS, "resume")
    assert sorted(work(inner)) == ["base.txt", "t01"]


@pytest.mark.parametrize("ending", ["pass", "sys.exit(1)"])
def test_a_state_directory_that_is_broken_is_one_clear_error(project: Repo, run: Run, ending: str) -> None:
    plan_in(project, "first")
    breaks = 'subprocess.run(["rm", "-rf", ".git/smartcommit"]); write(".git/smartcommit")'
    assert re.search("cannot write '.*/executor-state'\nhint: make", run(f"{WORKS}; {breaks}\n{ending}", status=1).err)
