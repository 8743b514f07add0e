"""What an agent may leave: what no commit can hold, or must not, fails the attempt, and the next one is told."""

import textwrap
from pathlib import Path

import pytest

from tests.executor.conftest import KILLS, SECRET, TOKEN, Copies, Run
from tests.support.agents import WORKS, committed_plan, plan_in
from tests.support.repository import Repo

CONFLICT = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\n"
HELPERS = f"""\
import shutil
{SECRET}
def commit(place="."):
    git("-C", place, "add", ".")
    git("-C", place, "commit", "-qm", "chore: by the agent")
def nest(name):
    git("init", "-q", name)
    write(f"{{name}}/file")
"""
NESTED = "'sub' is a nested git repository; remove its '.git'"
UNNEST = 'git("rm", "-qf", "--cached", "--ignore-unmatch", "sub"); shutil.rmtree("sub/.git")'
UNDO = 'git("reset", "-q", "--soft", "HEAD~1"); '
# What the first attempt does, what the second does about it, and what that one was told.
FAILS = {
    "status": ("print('no parser'); sys.exit(3)", "write(task)", "the agent exited with status 3\n    no parser"),
    "signal": ("os.kill(os.getpid(), 9)", "write(task)", "the agent was killed by signal 9"),
    "admitted": ("print('TASK_FAILED: too hard')", "write(task)", "the agent reported failure: too hard"),
    "branch": (
        'git("checkout", "-qb", "other")', 'git("checkout", "-q", "main")',
        "the branch 'other' is checked out instead of the branch 'main'",
    ),
    "detached": ('git("checkout", "-q", "--detach")', 'git("checkout", "-q", "main")', "a detached HEAD is checked"),
    "merge": (
        'git("checkout", "-qb", "side"); write("x"); commit(); git("checkout", "-q", "main")\n'
        'git("merge", "-q", "--no-ff", "--no-commit", "side")',
        'git("commit", "-qm", "chore: merge"); write(task)', "a merge was left in progress; run 'git merge --abort'",
    ),
    "stash": (
        'write(task); git("add", task); git("stash", "-q")', 'git("stash", "pop", "-q")',
        "changes were stashed; run 'git stash pop' to restore them",
    ),
    "assumed unchanged": (
        'write("base.txt"); git("update-index", "--assume-unchanged", "base.txt")',
        'git("update-index", "--no-assume-unchanged", "base.txt")',
        "'base.txt' are hidden from git by assume-unchanged; run 'git update-index --no-assume-unchanged -- base.txt'",
    ),
    "skipped": (
        'os.remove("base.txt"); git("update-index", "--skip-worktree", "base.txt")',
        'git("update-index", "--no-skip-worktree", "base.txt")',
        "run 'git update-index --no-skip-worktree -- base.txt'",
    ),
    "file of secrets": ('write(".env", "KEY=1")', 'os.remove(".env")', "'.env' looks like a secrets file; remove it"),
    "artifact": (
        'open("dist.bin", "wb").truncate(11 << 20)', 'os.remove("dist.bin")',
        "'dist.bin' is 11 MiB and looks like a build artifact; remove it, or list the file in .gitignore",
    ),
    "secret": ('write("b.txt", "x\\n" * 99 + secret)', 'write("b.txt")', "'b.txt' contains a secret (github token)"),
    "secret in binary": ('write("b.txt", "\\0" + secret)', 'write("b.txt")', "'b.txt' contains a secret"),
    "secret in a commit": (
        'write("b.txt", secret); commit()', f'{UNDO}write("b.txt")', "; run 'git reset --soft",
    ),
    "secret that a commit hides": (
        'write("b.txt", secret); commit(); write("b.txt"); commit()', f'{UNDO}{UNDO}write("b.txt")',
        "; run 'git reset --soft",
    ),
    "artifact in a commit": (
        'write("dist.bin", "x" * (11 << 20)); commit(); git("rm", "-q", "dist.bin"); commit()', f"{UNDO}{UNDO}",
        "'dist.bin' is 11 MiB and looks like a build artifact",
    ),
    "filled example": (
        'os.rename(".env.example", ".env"); open(".env", "a").write("PASS=x\\n")',
        'os.rename(".env", ".env.example")', "'.env' looks like a secrets file",
    ),
    "conflict": (f"write('base.txt', {CONFLICT!r})", 'write("base.txt")', "'base.txt' contains conflict markers"),
    "conflict in a new file": (f"write('b', {CONFLICT!r})", 'write("b")', "'b' contains conflict markers; resolve"),
    "concluded merge": (
        'git("switch", "-qc", "topic"); write("base.txt", "two\\n"); commit(); git("switch", "-q", "main")\n'
        'write("base.txt", "one\\n"); commit(); subprocess.run(["git", "merge", "-q", "topic"]); commit()',
        'write("base.txt", "both\\n")', "'base.txt' contains conflict markers",
    ),
    "conflict of a stash": (
        'write("base.txt", "a"); git("stash", "-q"); write("base.txt", "b"); commit()\n'
        'subprocess.run(["git", "stash", "pop", "-q"]); git("stash", "drop", "-q")',
        'write("base.txt", "both\\n")', "'base.txt' contains conflict markers",
    ),
    "nested": ('nest("sub")', 'shutil.rmtree("sub/.git")', "failed; it is a nested git repository: remove its '.git'"),
    "nested with a commit": ('nest("sub"); commit("sub")', UNNEST, NESTED),
    "nested and committed": ('nest("sub"); commit("sub"); commit()', f"{UNDO}{UNNEST}", NESTED),
    "nested in place of a file": (
        'os.remove("base.txt"); nest("base.txt"); commit("base.txt")',
        'git("rm", "-qf", "--cached", "--ignore-unmatch", "base.txt"); shutil.rmtree("base.txt/.git")',
        "'base.txt' is a nested git",
    ),
    "line endings": ('write(task, "line\\r\\n")', "write(task)", "CRLF would be replaced by LF in t01; fix it"),
    "encoding": (
        'write(".gitattributes", "t01 working-tree-encoding=UTF-16\\n"); write(task, "x")',
        'write(".gitattributes", ""); write(task)', "BOM is required in 't01'",
    ),
}  # fmt: skip
ACCEPTED = {
    "old secret": 'open("sample", "a").write("end\\n"); os.rename("sample", "moved")',
    "words in a program": 'write("program", "\\0".join(["AK" + "IA", "ASIA", "ABIA", "ACCA", "AGPA", "AIDA"]))',
    "old markers": 'open("sample", "a").write(open("sample").read())',
    "underlines": 'write("a.rst", "=======\\nHeading\\n=======\\n"); write("a.md", "Heading\\n=======\\n")',
    "drawing": 'write("art", "<<<<<<<<<< >>>>>>>>>>\\n>>>>>>>>>>\\n  <<<<<<< indented\\n")',
    "own commit": 'write("own"); commit()',
}


def test_what_an_attempt_leaves_is_told_to_the_next_and_only_what_that_mends_is_committed(
    project: Repo, copy: Copies, run: Run
) -> None:
    settings = "".join(f"SETTING_{number}=value\n" for number in range(20))
    project.commit("test: add samples", {".env.example": settings, "sample": f"{CONFLICT}{TOKEN}x\n" * 5})
    project.git("config", "core.autocrlf", "input")
    project.git("config", "core.safecrlf", "true")
    wrong = {}
    for name, (first, second, said) in FAILS.items():
        repo = copy(name)
        folder = plan_in(repo, "first")
        indented = [textwrap.indent(code, "    ") for code in (first, second)]
        done = run("{}if attempt == 1:\n{}\nelse:\n{}".format(HELPERS, *indented))
        history = repo.git("log", "-p", "--format=%B", "HEAD~1..")
        if len(done.prompts) != 2 or said not in done.prompts[1] or TOKEN in history or CONFLICT in history:
            wrong[name] = done.out
        assert committed_plan(repo, folder).status == "completed"
        assert repo.git("status", "--porcelain") == ""
        assert "160000 commit" not in repo.git("ls-tree", "-r", "HEAD")
    for name, script in ACCEPTED.items():
        repo = copy(name)
        plan_in(repo, "first")
        done = run(HELPERS + script)
        if len(done.prompts) != 1:
            wrong[name] = done.out
    assert wrong == {}


@pytest.mark.parametrize("ending", ["sys.exit(1)", KILLS])
def test_a_secret_in_an_agents_own_commit_is_found_in_a_later_run_too(project: Repo, run: Run, ending: str) -> None:
    plan_in(project, "first")
    script = f'{SECRET}write("b.txt", secret); git("add", "."); git("commit", "-qm", "feat: take"); {ending}'
    run(script, "run", "--attempts", "1", status=1)
    undo = 'git("reset", "-q", "--soft", "HEAD~1"); '
    if ending == KILLS:  # it may be the user's, who undoes it
        undo = ""
        assert "'b.txt' contains a secret (github token)" in run(WORKS, "resume", status=1).err
        project.git("reset", "-q", "--soft", "HEAD~1")
    later = run(f'if call: {undo}write("b.txt", "clean\\n")', "resume")
    assert "'b.txt' contains a secret (github token)" in later.prompts[1]
    assert TOKEN not in project.git("log", "-p")


@pytest.fixture
def with_submodule(project: Repo, tmp_path: Path) -> Repo:
    library = Repo.init(tmp_path / "library")
    library.commit("chore: initial commit", {"code": "old\n"})
    project.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "lib")
    project.commit("chore: add a submodule")
    return project


@pytest.mark.parametrize("ending", ["", "sys.exit(1)", KILLS])
def test_work_inside_a_submodule_fails_until_it_is_committed_there(with_submodule: Repo, run: Run, ending: str) -> None:
    plan_in(with_submodule, "first")
    run(f'write("lib/new"); {ending}', "run", "--attempts", "1", status=1)
    later = run(f'{HELPERS}if call == 1: commit("lib")', "resume")
    said = "uncommitted changes in submodule 'lib'; commit them there"
    assert [said in prompt for prompt in later.prompts[-2:]] == [not ending, True]
    assert with_submodule.git("diff", "--name-only", "HEAD~1", "--", "lib") == "lib\n"


def test_submodules_are_added_and_a_persons_changes_are_not(with_submodule: Repo, tmp_path: Path, run: Run) -> None:
    plan_in(with_submodule, "first")
    with_submodule.write("lib/built")
    said = "changes that do not belong to this plan: 'lib'\nhint: commit or stash them (in a submodule: there)"
    assert said in run(status=1).err
    (with_submodule.path / "lib/built").unlink()
    add = f'git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "{tmp_path}/library", "more")'
    assert len(run(add).prompts) == 1
    assert "160000 commit" in with_submodule.git("ls-tree", "HEAD", "more")
