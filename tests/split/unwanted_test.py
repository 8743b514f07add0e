"""Files that look like secrets or build artifacts: a split leaves untracked ones out and warns of the others."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.git import transaction
from smartcommit.git.repo import Repository
from smartcommit.split.engine import EngineOptions
from smartcommit.split.flow import CANCELLED, DONE, NOTHING, SplitOptions, split
from smartcommit.split.plan import read_plan
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, head_of, status_of
from tests.support.tty import person

TOKEN = "ghp_" + "a1B2" * 9
KEY = "-----BEGIN OPENSSH " + "PRIVATE KEY-----"
HINT = "to commit these files, run 'git add' on them first, or use 'git smart-commit --include-secrets'"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(based: Repo) -> Run:
    """Splits the repository's change without a terminal; returns the status, and what was printed and complained."""

    def run_split(
        *, staged: bool = False, yes: bool = True, options: SplitOptions | None = None
    ) -> tuple[int, str, str]:
        out: list[str] = []
        complaints: list[str] = []
        status = split(
            Repository.find(str(based.path)),
            staged=staged,
            yes=yes,
            terminal=None,
            out=out.append,
            complain=complaints.append,
            options=options,
        )
        return status, "\n".join(out), "\n".join(complaints)

    return run_split


@pytest.fixture
def leaky(based: Repo) -> Repo:
    """A new module beside four untracked files that nobody meant to commit, and a token in a tracked file."""
    based.write("src/app.py", "def main():\n    return 0\n")
    based.write("id_rsa", "not even a key\n")
    based.write("deploy/.env.production", "MODE=x\n")
    based.write("src/client.py", f"TOKEN = '{TOKEN}'\n")
    based.write("dist.bin", "\0" * (11 << 20))
    based.write("base.txt", f"base\n{TOKEN}\n")
    return based


LEFT_OUT = {
    "deploy/.env.production": "looks like a secrets file",
    "dist.bin": "is 11 MiB and looks like a build artifact",
    "id_rsa": "looks like a secrets file",
    "src/client.py": "contains a secret (github token)",
}


def committed(repo: Repo) -> list[str]:
    return repo.git("ls-tree", "-r", "--name-only", "HEAD").split()


@pytest.mark.parametrize("strategy", ["auto", "hunk"])
def test_untracked_suspects_stay_uncommitted_and_are_named(leaky: Repo, run: Run, strategy: str) -> None:
    hashes = [leaky.git("hash-object", name).strip() for name in LEFT_OUT]
    status, out, complaints = run(options=SplitOptions(choice=EngineOptions(strategy=strategy)))
    assert status == DONE
    assert committed(leaky) == ["base.txt", "src/app.py"]
    assert status_of(leaky).split("\0")[:-1] == [f"?? {name}" for name in LEFT_OUT]
    lines = complaints.splitlines()
    assert sorted(lines[:4]) == [f"not included: {name} ({reason})" for name, reason in LEFT_OUT.items()]
    assert lines[4:] == ["warning: base.txt contains a secret (github token)", HINT]
    assert "not included" not in out
    assert TOKEN not in out + complaints
    # Neither the backup nor the object store may hold what was left out.
    assert all(leaky.run("cat-file", "-e", name).returncode != 0 for name in hashes)
    assert_sound(leaky)


def test_the_option_commits_them_and_warns(leaky: Repo, run: Run) -> None:
    status, _, complaints = run(options=SplitOptions(include_secrets=True))
    assert status == DONE
    assert status_of(leaky) == ""
    warnings = {**LEFT_OUT, "base.txt": "contains a secret (github token)"}
    assert sorted(complaints.splitlines()) == sorted(f"warning: {name} {why}" for name, why in warnings.items())


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("option", [("add",), ("add", "-N")])
def test_a_file_that_was_added_is_meant(leaky: Repo, run: Run, *, staged: bool, option: tuple[str, ...]) -> None:
    leaky.git(*option, "id_rsa")
    status, _, complaints = run(staged=staged)
    assert status == (NOTHING if staged and len(option) > 1 else DONE)
    assert ("id_rsa" in committed(leaky)) == (status == DONE)
    assert ("warning: id_rsa looks like a secrets file" in complaints) == (status == DONE)
    assert ("not included: dist.bin" in complaints) != staged


def test_the_plan_that_is_shown_has_the_warnings(leaky: Repo, run: Run) -> None:
    before = leaky.state()
    for options in (SplitOptions(dry_run=True), SplitOptions()):
        status, out, _ = run(yes=False, options=options)
        assert status == (DONE if options.dry_run else CANCELLED)
        assert "\nnot included: id_rsa (looks like a secrets file)\n" in out
        assert f"\nwarning: base.txt contains a secret (github token)\n{HINT}\n" in out
        assert "A src/client.py" not in out
        assert TOKEN not in out
    assert leaky.state() == before


def test_json_has_the_warnings(leaky: Repo, run: Run) -> None:
    status, out, complaints = run(yes=False, options=SplitOptions(json=True))
    assert (status, complaints) == (DONE, "")
    assert TOKEN not in out
    plan = json.loads(out)
    expected = [{"path": name, "reason": why, "left_out": True} for name, why in LEFT_OUT.items()]
    expected.append({"path": "base.txt", "reason": "contains a secret (github token)", "left_out": False})
    assert sorted(plan["warnings"], key=str) == sorted(expected, key=str)
    assert sorted(plan["left_out"]) == list(LEFT_OUT)
    assert {unit["id"] for commit in plan["commits"] for unit in commit["units"]} == {"base.txt::1", "src/app.py::1"}


def test_suspects_alone_are_nothing_to_split(based: Repo, run: Run) -> None:
    based.write(".env", "MODE=x\n")
    status, out, complaints = run(options=SplitOptions(quiet=True))
    assert (status, out) == (NOTHING, "")
    assert complaints == f"not included: .env (looks like a secrets file)\n{HINT}"


@pytest.mark.parametrize("with_them", [False, True])
def test_a_written_plan_decides_for_itself(leaky: Repo, run: Run, tmp_path: Path, *, with_them: bool) -> None:
    plan = tmp_path / "plan.json"
    run(yes=False, options=SplitOptions(save_plan=str(plan), include_secrets=with_them, dry_run=True))
    status, _, complaints = run(options=SplitOptions(plan=read_plan(plan.read_text())))
    assert status == DONE
    assert ("id_rsa" in committed(leaky)) == with_them
    assert ("warning: id_rsa" if with_them else "not included: id_rsa") in complaints


def test_what_a_tracked_file_held_before_is_not_warned_of(based: Repo, run: Run) -> None:
    based.commit("test: add samples", {"sample": f"{TOKEN}\nmore\n" * 20, "old.pem": f"{KEY}\n" * 20})
    based.write("sample", f"{TOKEN}\nmore\n" * 20 + "end\n")
    shutil.move(based.path / "old.pem", based.path / "new.pem")
    status, _, complaints = run()
    assert (status, complaints) == (DONE, "")
    assert status_of(based) == ""


def test_an_example_that_was_filled_in_is_left_out(based: Repo, run: Run) -> None:
    example = "".join(f"SETTING_{number}=value\n" for number in range(20))
    based.commit("chore: add an example", {".env.example": example})
    shutil.move(based.path / ".env.example", based.path / ".env")
    status, _, complaints = run()
    assert status == DONE
    assert committed(based) == ["base.txt"]
    assert status_of(based) == "?? .env\0"
    assert "not included: .env" in complaints


def test_undo_brings_back_what_the_split_had_before_it(leaky: Repo, run: Run) -> None:
    before = (status_of(leaky), head_of(leaky))
    assert run()[0] == DONE
    transaction.undo(Repository.find(str(leaky.path)))
    assert (status_of(leaky), head_of(leaky)) == before


def test_hostile_names_are_left_out_and_shown_safely(based: Repo, run: Run) -> None:
    names = ["a\x1b[2J.pem", ":(top)x.pem", "*.pem", "new\nline/id_rsa", "ü ü/.env"]
    for name in (*names, "plain.txt"):
        based.write(name, f"{name}\n")
    status, _, complaints = run()
    assert status == DONE
    assert committed(based) == ["base.txt", "plain.txt"]
    assert complaints.count("not included: ") == len(names)
    assert "\x1b" not in complaints


def test_a_review_shows_the_warnings_before_it_asks(leaky: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMARTCOMMIT_REVIEW", "text")
    with person("q\n") as user:
        status = split(Repository.find(str(leaky.path)), staged=False, yes=False, terminal=user.terminal, out=print)
    assert status == CANCELLED
    assert "not included: id_rsa (looks like a secrets file)" in user.shown
    assert "warning: base.txt contains a secret (github token)" in user.shown
    assert TOKEN not in user.shown


@pytest.mark.parametrize("staged", [False, True])
def test_the_state_of_the_executors_plans_is_left_to_the_executor(based: Repo, run: Run, staged: bool) -> None:
    progress, plan = ".smartcommit/plans/ye0ApI-prices/progress.log", ".smartcommit/plans/ye0ApI-prices/plan.json"
    based.commit("feat: begin a plan", {progress: "{}\n", ".smartcommit/policy": ""})
    based.write(progress, "{}\n{}\n")
    based.write(plan, "{}\n")
    if staged:
        based.git("add", "-A")
    assert run(staged=staged)[0] == NOTHING
    based.write("src/cart.py", "def total():\n    return 0\n")
    based.write(".smartcommit/policy", "[smartcommit]\n\ttypes = feat fix\n")
    if staged:
        based.git("add", "-A")
    before = status_of(based)
    status, shown, _ = run(staged=staged)
    assert status == DONE
    assert set(based.git("log", "--format=", "--name-only", "-2").split()) == {"src/cart.py", ".smartcommit/policy"}
    assert progress in shown
    assert plan in shown
    assert status_of(based).split("\0") == [line for line in before.split("\0") if "plans" in line or not line]
    assert (based.path / progress).read_text() == "{}\n{}\n"
