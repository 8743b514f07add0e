"""A plan that is kept among the files it is about: saved and carried out as a user types it."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED
from tests.support.installation import Installation
from tests.support.profile import choose
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, head_of, status_of


@pytest.fixture
def messy(based: Repo) -> Repo:
    based.write("src/login.py", "def login(user):\n    return user\n")
    based.write("docs/guide.md", "# Guide\n")
    return based


@pytest.fixture
def say(installation: Installation, messy: Repo) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a line of shell in the repository or a folder of it; `split` is our command without a terminal."""

    def run(line: str, where: str = ".") -> subprocess.CompletedProcess[str]:
        script = f'split() {{ {installation.script("git-smart-commit")} "$@"; }}\n{line}'
        return subprocess.run(
            ["sh", "-c", script], cwd=messy.path / where, env=os.environ, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, start_new_session=True,
        )  # fmt: skip

    return run


Say = Callable[..., subprocess.CompletedProcess[str]]

# How a plan is saved and carried out, from which folder, and where it is then.
WAYS = {
    "as everybody types it": (".", "split --save-plan plan.json", "split --yes --plan plan.json", "plan.json"),
    "from a folder": ("docs", "split --save-plan plan.json", "split --yes --plan plan.json", "docs/plan.json"),
    "from outside": ("..", "split --repo repo --save-plan repo/p", "split --yes --repo repo --plan repo/p", "p"),
    "by a link to a folder": (".", "split --save-plan ../link/docs/p", "split --yes --plan ../link/docs/p", "docs/p"),
    "with an odd name": (".", "split --save-plan ':(top)*'", "split --yes --plan ':(top)*'", ":(top)*"),
    "from standard output": (".", "split --json > plan.json", "split --yes --plan plan.json", "plan.json"),
    "by standard input": (".", "split --save-plan plan.json", "split --yes --plan - < plan.json", "plan.json"),
    "saved twice": (".", "split --save-plan p; split --save-plan p", "split --yes --plan p", "p"),
    "intended": (".", "split --save-plan p; git add -N p", "split --yes --plan p", "p"),
    "to be saved again": (".", "split --save-plan p", "split --yes --plan p --save-plan p", "p"),
}  # fmt: skip


@pytest.mark.parametrize("way", list(WAYS)[:: choose(fast=2, full=1)])
def test_a_plan_among_the_files_is_carried_out_and_stays_what_it_is(say: Say, messy: Repo, way: str) -> None:
    where, save, carry_out, file = WAYS[way]
    (messy.path.parent / "link").symlink_to(messy.path)
    say(save, where)
    plan, seen = (messy.path / file).read_bytes(), (messy.path / file).stat()
    done = say(carry_out, where)
    assert done.returncode == DONE, done
    assert status_of(messy) == (f" A {file}\0" if way == "intended" else f"?? {file}\0")
    assert messy.git("ls-tree", "-r", "--name-only", "-z", "HEAD") == "base.txt\0docs/guide.md\0src/login.py\0"
    assert (messy.path / file).read_bytes() == plan
    assert (messy.path / file).stat().st_mtime_ns == seen.st_mtime_ns or way == "to be saved again"
    assert_sound(messy)


def test_a_plan_can_be_carried_out_again_once_that_is_undone(say: Say, messy: Repo) -> None:
    say("split --save-plan plan.json; git add -N plan.json")
    before = messy.state()
    done = say("split --yes --plan plan.json && split undo")
    assert (done.returncode, messy.state()) == (DONE, before), done
    assert say("split --yes --plan plan.json").returncode == DONE
    assert status_of(messy) == " A plan.json\0"


def test_a_dry_run_and_a_look_at_it_leave_it_alone(say: Say, messy: Repo) -> None:
    say("split --save-plan plan.json")
    before = messy.state()
    shown, tried = say("split --plan plan.json"), say("split --plan plan.json --dry-run")
    assert (shown.returncode, tried.returncode) == (CANCELLED, DONE), (shown, tried)
    assert "plan.json" not in shown.stdout + tried.stdout
    assert messy.state() == before


@pytest.mark.parametrize(
    ("prepared", "plan", "problem"),
    [
        ("echo precious > notes; split --save-plan notes", "notes", "'notes::1' has changed"),
        ("split --save-plan plan.json; git add plan.json", "plan.json", "'plan.json::1' is not in the plan"),
        ("split --save-plan plan.json; cp plan.json other.json", "plan.json", "'other.json::1' is not in the plan"),
    ],
    ids=["saved over what it is about", "tracked", "another plan"],
)
def test_a_plan_that_is_a_change_is_refused(say: Say, messy: Repo, prepared: str, plan: str, problem: str) -> None:
    say(prepared)
    before = messy.state()
    done = say(f"split --yes --plan {plan}")
    assert (done.returncode, problem in done.stderr) == (GIT_FAILED, True), done
    assert messy.state() == before


def test_what_a_plan_is_saved_over_is_committed_first(say: Say, messy: Repo) -> None:
    messy.write("notes", "precious\n")
    assert say("split --yes --save-plan notes").returncode == DONE
    assert messy.git("show", "HEAD:notes") == "precious\n"
    assert status_of(messy) == " M notes\0"


def test_a_plan_of_the_same_name_in_another_worktree_is_not_meant(say: Say, messy: Repo, tmp_path: Path) -> None:
    messy.git("worktree", "add", "-q", str(tmp_path / "other"))
    say(f"split --save-plan plan.json --repo {tmp_path}/other; split --save-plan plan.json")
    (tmp_path / "other" / "plan.json").write_text("{}\n")
    say(f"split --save-plan plan.json --repo {tmp_path}/other")
    plan = json.loads((messy.path / "plan.json").read_text())
    assert [unit["id"] for commit in plan["commits"] for unit in commit["units"]] == ["plan.json::1"]
    assert say(f"split --yes --plan plan.json --repo {tmp_path}/other").returncode == DONE
    assert Repo(tmp_path / "other").git("ls-files", "--", "plan.json") == "plan.json\n"
    assert head_of(messy) != head_of(Repo(tmp_path / "other"))
