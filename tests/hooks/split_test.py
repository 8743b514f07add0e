"""The hook id `split`, through real pre-commit and prek."""

import os
import re
import shlex
import subprocess

import pytest

from smartcommit.processes.runner import LEVELS_SEARCHED
from tests.support.installation import Installation
from tests.support.model_server import serve
from tests.support.precommit import Framework
from tests.support.repository import Repo
from tests.support.splits import FINALIZE, emit
from tests.support.tty import run_on_terminal

NOTHING = "nothing staged; run 'git add -A && pre-commit run split', or 'git smart-commit' to split everything"
FAILED = "split complete; 'Failed' below only means that files which were modified are now committed"


@pytest.fixture
def mixed(repo: Repo) -> Repo:
    repo.commit("chore: base", {"src/app.py": "one\ntwo\n", "README.md": "# App\n"})
    repo.stage({"src/app.py": "one\ntwo\nthree\n", "README.md": "# App\n\nMore.\n"})
    repo.write("src/app.py", "zero\none\ntwo\nthree\n")
    repo.write("notes.txt", "keep me\n")
    return repo


def test_named_it_splits_what_is_staged_and_keeps_the_rest(framework: Framework, mixed: Repo) -> None:
    framework.configure(mixed)
    tree = mixed.git("write-tree")
    done = framework.run(mixed, "run", "--hook-stage", "manual", "split", "--verbose")
    assert done.returncode == 0, done.stdout
    assert "splitting staged changes; unstaged changes are left alone" in done.stdout
    assert mixed.git("rev-parse", "HEAD")[:10] in done.stdout
    assert "to undo: git smart-commit undo" in done.stdout
    assert FAILED not in done.stdout
    assert mixed.git("rev-parse", "HEAD^{tree}") == tree
    assert mixed.git("diff", "--cached") == ""
    assert (mixed.path / "src/app.py").read_text() == "zero\none\ntwo\nthree\n"
    assert (mixed.path / "notes.txt").read_text() == "keep me\n"
    assert mixed.git("status", "--porcelain") == " M src/app.py\n?? notes.txt\n"


def test_unnamed_it_passes_and_says_nothing(framework: Framework, mixed: Repo) -> None:
    framework.configure(mixed, "split")
    before = mixed.state()
    for options in ("--all-files", "--hook-stage manual", "--hook-stage manual --all-files", "--files split"):
        done = framework.run(mixed, "run", *options.split(), "--verbose")
        assert done.returncode == 0, done.stdout
        assert "Passed" in done.stdout
        assert output(done.stdout) == []
        assert mixed.state()[:2] == before[:2]


def test_a_choice_of_files_is_refused(framework: Framework, mixed: Repo) -> None:
    framework.configure(mixed)
    before = mixed.state()
    for arguments in (("--files", "README.md"), ("--from-ref", "HEAD~", "--to-ref", "HEAD")):
        done = framework.run(mixed, "run", "split", *arguments)
        assert done.returncode == 1, done.stdout
        assert f"'{arguments[0]}' cannot limit a split; nothing was changed" in done.stdout
        assert "stage only what you want to split" in done.stdout
    assert mixed.state()[:2] == before[:2]
    assert framework.run(mixed, "run", "split").returncode == 0
    assert mixed.git("diff", "--cached") == ""


def test_inside_git_commit_it_does_nothing(framework: Framework, mixed: Repo) -> None:
    framework.configure(mixed, "split")
    framework.install(mixed, "pre-commit")
    done = mixed.run("commit", "-m", "feat: add three")
    assert done.returncode == 0, done.stderr
    assert mixed.subjects()[-2:] == ["chore: configure hooks", "feat: add three"]
    assert mixed.git("status", "--porcelain") == " M src/app.py\n?? notes.txt\n"


def test_a_git_hook_that_names_it_does_nothing_either(precommit: Framework, mixed: Repo) -> None:
    precommit.configure(mixed, "split")
    mixed.write(
        ".git/hooks/pre-commit", f"#!/bin/sh\n'{precommit.command[0]}' -m pre_commit run split\n", executable=True
    )
    shown, status = run_on_terminal(["git", "commit", "-m", "feat: add three"], cwd=mixed.path, answers="")
    assert status == 0, shown
    assert "nothing was split, because a commit is being made; run 'git smart-commit' instead" in shown
    assert mixed.subjects()[-2:] == ["chore: configure hooks", "feat: add three"]


def test_with_all_files_it_splits_everything_and_explains_the_report(framework: Framework, mixed: Repo) -> None:
    framework.configure(mixed)
    done = framework.run(mixed, "run", "split", "--all-files")
    assert done.returncode == 1
    assert "files were modified by this hook" in done.stdout
    assert output(done.stdout)[-1] == FAILED
    assert mixed.git("status", "--porcelain") == ""
    assert mixed.git("show", "HEAD:src/app.py") == "zero\none\ntwo\nthree\n"
    assert mixed.git("show", "HEAD:notes.txt") == "keep me\n"


@pytest.mark.parametrize("added", [False, True])
def test_with_all_files_secrets_are_not_committed(framework: Framework, mixed: Repo, *, added: bool) -> None:
    framework.configure(mixed)
    mixed.write("id_rsa", "key\n")
    if added:
        mixed.git("add", "id_rsa")
    done = framework.run(mixed, "run", "split", "--all-files")
    assert "not included: id_rsa (looks like a secrets file)" in done.stdout
    assert mixed.git("status", "--porcelain") == ("A  id_rsa\n" if added else "?? id_rsa\n")


def test_a_staged_secret_stays_staged_and_is_shown(framework: Framework, mixed: Repo) -> None:
    framework.configure(mixed)
    mixed.stage({".env": "PASSWORD=x\n"})
    done = framework.run(mixed, "run", "split")
    assert done.returncode == 1
    assert "not included: .env (looks like a secrets file)" in done.stdout
    assert "some staged changes were not committed, see above; they are still staged" in done.stdout
    assert mixed.git("diff", "--cached", "--name-only") == ".env\n"
    assert ".env" not in mixed.git("log", "--name-only", "--format=%B")


def test_with_nothing_staged_it_says_what_to_do(framework: Framework, repo: Repo) -> None:
    framework.configure(repo)
    repo.write("new.txt", "new\n")
    before = repo.state()
    done = framework.run(repo, "run", "split")
    assert done.returncode == 1, done.stdout
    assert output(done.stdout)[-1] == NOTHING
    assert repo.state() == before
    shown, status = run_on_terminal([*framework.command, "run", "split"], cwd=repo.path, answers="")
    assert status == 0
    assert NOTHING in shown
    assert "Passed" in shown
    assert repo.state() == before


def test_without_a_runner_it_does_nothing_and_names_the_command(installation: Installation, mixed: Repo) -> None:
    before = mixed.state()
    script = installation.script("smartcommit-split")
    # A shell in between for every ancestor it would look at, so that whoever runs the tests is out of sight.
    nested = f"exec {script}"
    for _ in range(LEVELS_SEARCHED):
        nested = f"sh -c {shlex.quote(nested)}; exit $?"
    done = subprocess.run(nested, shell=True, cwd=mixed.path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "smartcommit: 'smartcommit-split' is what 'pre-commit run split' starts; by itself it does nothing",
        "hint: run 'git smart-commit', or 'git smart-commit --staged' to split only what is staged",
    ]
    # A runner that cannot be seen is not failed: it may run all hooks.
    environment = {**os.environ, "PRE_COMMIT": "1"}
    done = subprocess.run(
        nested, shell=True, cwd=mixed.path, capture_output=True, text=True, check=True, env=environment,
        start_new_session=True,
    )  # fmt: skip
    assert done.stdout == (
        "cannot tell whether 'split' was requested, so nothing was split; run 'git smart-commit' instead\n"
    )
    assert mixed.state() == before


def test_results_and_questions_are_on_the_terminal(framework: Framework, mixed: Repo) -> None:
    framework.configure(mixed)
    shown, status = run_on_terminal([*framework.command, "run", "split"], cwd=mixed.path, answers="n\n")
    assert "splitting staged changes; unstaged changes are left alone" in shown
    assert mixed.git("diff", "--cached") != ""
    shown, status = run_on_terminal(
        [*framework.command, "run", "split"],
        cwd=mixed.path,
        answers="m 1 2\ne 1\ny\n",
        env={"GIT_EDITOR": mixed.editor("sed -i '1s/.*/feat: add three/' \"$1\"; echo edited there")},
    )
    assert status == 0, shown
    assert "edited there" in shown
    assert mixed.git("diff", "--cached") == ""
    assert mixed.subjects()[-2:] == ["chore: configure hooks", "feat: add three"]
    assert mixed.git("status", "--porcelain") == " M src/app.py\n?? notes.txt\n"


def output(shown: str) -> list[str]:
    """The lines that the hook itself printed: what stands below its id and result, but for the runner's own words."""
    _, _, below = shown.rpartition("\n- ")
    lines = [line.strip() for line in below.splitlines()[1:]]
    return [line for line in lines if line and not re.match(r"\[INFO\]|Restored|[Ss]plit into atomic commits \(", line)]


def test_a_model_that_is_set_makes_the_plan_of_what_is_staged(framework: Framework, mixed: Repo) -> None:
    framework.configure(mixed)
    staged = mixed.git("diff", "--cached", "--name-only").split()
    with serve("ollama", emit(*(f"{name}::1" for name in staged), summary="set it all"), FINALIZE) as model:
        done = framework.run(mixed, "run", "split", "--verbose", env=model.environment())
    assert done.returncode == 0, done.stdout
    assert mixed.subjects()[-1] == "feat: set it all"
    assert mixed.git("status", "--porcelain") == " M src/app.py\n?? notes.txt\n"
    # What is unstaged was out of the working tree, and nothing of it was sent.
    assert all(b"zero" not in asked.body for asked in model.asked)
