"""Files that nobody may have meant to commit: a split leaves them out unless told otherwise."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.git.repo import Repository
from smartcommit.git.status import SHORTEN, list_overlong
from smartcommit.split import unwanted
from smartcommit.split.model.emit import select_patterns
from smartcommit.split.outcome import CANCELLED, DONE, NOTHING
from smartcommit.split.plan_file import read_plan
from smartcommit.split.source import EngineOptions, SplitOptions
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, run_with, split, status_of
from tests.support.table import rows
from tests.support.tty import person

TOKEN = "ghp_" + "a1B2" * 9
KEY = "-----BEGIN OPENSSH " + "PRIVATE KEY-----"
HINT = "to commit these too, use 'git smart-commit --include-secrets'"
HINT_OTHERS = HINT.replace("secrets", "suspects")
HINT_ALL = f"{HINT[:-1]} --include-suspects'"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(based: Repo) -> Run:
    """Splits the repository's change without a terminal; returns the status, and what was printed and complained."""

    def run_split(*, options: SplitOptions | None = None, **how: bool) -> tuple[int, str, str]:
        status, out, complaints = run_with(based, options or SplitOptions(), **how)
        return status, out, "\n".join(complaints)

    return run_split


@pytest.fixture
def leaky(based: Repo) -> Repo:
    """A new module beside files that nobody meant to commit, and a token in a tracked file."""
    based.write("src/app.py", "def main():\n    return 0\n")
    based.write("id_rsa", "not even a key\n")
    based.write("deploy/.env.production", "MODE=x\n")
    based.write("src/client.py", f"TOKEN = '{TOKEN}'\n")
    based.write("dist.bin", "\0" * (11 << 20))
    based.write("base.txt", f"base\n{TOKEN}\n")
    return based


CHANGED = {"base.txt": "contains a secret (github token)"}
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
    assert leaky.git("show", "HEAD:base.txt") == "base\n"
    assert status_of(leaky).split("\0")[:-1] == [" M base.txt", *(f"?? {name}" for name in LEFT_OUT)]
    lines = complaints.splitlines()
    expected = [f"not included: {name} ({reason})" for name, reason in {**CHANGED, **LEFT_OUT}.items()]
    assert sorted(lines[:5]) == sorted(expected)
    assert lines[5:] == [HINT_ALL]
    assert "not included" not in out
    assert "skipped" not in out
    assert TOKEN not in out + complaints
    # Neither the backup nor the object store may hold what was left out.
    assert all(leaky.run("cat-file", "-e", name).returncode != 0 for name in hashes)
    assert_sound(leaky)


def test_the_options_commit_them_and_warn(leaky: Repo, run: Run) -> None:
    status, _, complaints = run(options=SplitOptions(include_secrets=True, include_suspects=True))
    assert status == DONE
    assert status_of(leaky) == ""
    warnings = {**LEFT_OUT, **CHANGED}
    assert sorted(complaints.splitlines()) == sorted(f"warning: {name} {why}" for name, why in warnings.items())


# Files that are left out, with the option that the advice names for each of them alone.
OPTIONS = {
    ".env": ("MODE=x\n", "secrets"),
    "config.yaml": ("password: hunter2-and-more\n", "secrets"),
    "scratch.py": ("print(1)\n", "suspects"),
    "merged.py": ("<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> topic\n", "suspects"),
    "out.log": ("started\n", "suspects"),
    "node_modules/a/index.js": ("a\n", "suspects"),
}


@pytest.mark.parametrize("kind", ["secrets", "suspects"])
def test_the_advice_names_the_option_that_commits_a_file_and_no_other(
    based: Repo, run: Run, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    for name, (content, _) in OPTIONS.items():
        based.write(name, content)
    expected = [name for name, (_, wanted) in OPTIONS.items() if wanted == kind]
    assert git_smart_commit(["--yes", f"--include-{kind}", "--repo", str(based.path)]) == DONE
    assert committed(based) == sorted(["base.txt", *expected])
    assert capsys.readouterr().err.splitlines()[-1] == (HINT_OTHERS if kind == "secrets" else HINT)


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("included", [False, True])
def test_a_staged_suspect_stays_staged(leaky: Repo, run: Run, *, staged: bool, included: bool) -> None:
    leaky.git("add", "id_rsa", "src/app.py")
    status, _, complaints = run(staged=staged, options=SplitOptions(include_secrets=included))
    assert status == DONE
    assert ("id_rsa" in committed(leaky)) == included
    assert ("A  id_rsa" in status_of(leaky).split("\0")) != included
    assert ("not included: id_rsa (looks like a secrets file)" in complaints) != included
    assert ("warning: id_rsa looks like a secrets file" in complaints) == included
    assert "src/app.py" in committed(leaky)
    assert_sound(leaky)


def test_a_suspect_that_is_only_announced_stays_so(leaky: Repo, run: Run) -> None:
    leaky.git("add", "-N", "id_rsa")
    assert run()[0] == DONE
    assert " A id_rsa" in status_of(leaky).split("\0")


@pytest.mark.parametrize("staged", [True, False])
def test_suspects_alone_are_nothing_to_split(based: Repo, run: Run, *, staged: bool) -> None:
    based.write(".env", "MODE=x\n")
    if staged:
        based.git("add", ".env")
    before = based.state()
    status, out, complaints = run(staged=staged, options=SplitOptions(quiet=not staged))
    assert (status, out) == (NOTHING, "nothing to commit" if staged else "")
    assert complaints == f"not included: .env (looks like a secrets file)\n{HINT}"
    assert based.state() == before


ARTIFACTS = {
    "node_modules/": ("looks like a build artifact, 1,204 files", [f"node_modules/m{n}/i.js" for n in range(1204)]),
    "pkg/__pycache__/": ("looks like a build artifact, 1 file", ["pkg/__pycache__/a.cpython-311.pyc"]),
    "env/": ("looks like a build artifact, 2 files", ["env/pyvenv.cfg", "env/lib/y.py"]),
    "target/": ("looks like a build artifact, 2 files", ["target/CACHEDIR.TAG", "target/debug/a"]),
    ".DS_Store": ("looks like a temporary file", [".DS_Store"]),
    ".app.py.swp": ("looks like a temporary file", [".app.py.swp"]),
    ".idea/workspace.xml": ("looks like a temporary file", [".idea/workspace.xml"]),
    "main.o": ("looks like a build artifact", ["main.o"]),
}


@pytest.mark.parametrize("staged", [False, True])
def test_artifacts_are_left_out_by_name_and_a_folder_is_one_line(based: Repo, run: Run, *, staged: bool) -> None:
    for _, names in ARTIFACTS.values():
        for name in names:
            based.write(name, f"{name}\n")
    based.write("src/app.py", "one = 1\n")
    if staged:
        based.git("add", "-A")
    status, _, complaints = run(staged=staged)
    assert status == DONE
    assert committed(based) == ["base.txt", "src/app.py"]
    lines = [f"not included: {name} ({reason})" for name, (reason, _) in ARTIFACTS.items()]
    assert sorted(complaints.splitlines()) == sorted([*lines, HINT_OTHERS])
    if not staged:
        written = based.git("hash-object", "node_modules/m1/i.js").strip()
        assert based.run("cat-file", "-e", written).returncode != 0


def test_conflict_markers_are_left_out_and_examples_of_them_are_not(based: Repo, run: Run) -> None:
    conflict = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\n"
    based.write("broken.py", conflict)
    based.write("base.txt", f"base\n{conflict}")
    based.write("guide.rst", "Heading\n=======\n\n" + "".join(f"    {line}\n" for line in conflict.splitlines()))
    status, _, complaints = run()
    assert status == DONE
    assert status_of(based) == " M base.txt\0?? broken.py\0"
    assert complaints.count("contains conflict markers") == 2


def test_the_plan_that_is_shown_has_the_warnings(leaky: Repo, run: Run) -> None:
    before = leaky.state()
    for options in (SplitOptions(dry_run=True), SplitOptions()):
        status, out, _ = run(yes=False, options=options)
        assert status == (DONE if options.dry_run else CANCELLED)
        assert "\nnot included: id_rsa (looks like a secrets file)\n" in out
        assert f"\nnot included: base.txt (contains a secret (github token))\n{HINT_ALL}\n" in out
        assert "A src/client.py" not in out
        assert TOKEN not in out
    assert leaky.state() == before


def test_json_has_the_warnings(leaky: Repo, run: Run) -> None:
    status, out, complaints = run(yes=False, options=SplitOptions(json=True))
    assert (status, complaints) == (DONE, "")
    assert TOKEN not in out
    plan = json.loads(out)
    expected = []
    for name, why in {**LEFT_OUT, **CHANGED}.items():
        expected.append({"path": name, "reason": why, "left_out": True})
    assert sorted(plan["warnings"], key=str) == sorted(expected, key=str)
    assert sorted(plan["left_out"]) == list(LEFT_OUT)
    assert {unit["id"] for commit in plan["commits"] for unit in commit["units"]} == {"src/app.py::1"}
    assert [unit["id"] for unit in plan["skipped"]] == ["base.txt::1"]


@pytest.mark.parametrize("with_them", [False, True])
def test_a_written_plan_decides_for_itself(leaky: Repo, run: Run, tmp_path: Path, *, with_them: bool) -> None:
    plan = tmp_path / "plan.json"
    run(yes=False, options=SplitOptions(save_plan=str(plan), include_secrets=with_them, dry_run=True))
    status, _, complaints = run(options=SplitOptions(plan=read_plan(plan.read_text())))
    assert status == DONE
    assert ("id_rsa" in committed(leaky)) == with_them
    assert ("warning: base.txt" if with_them else "not included: base.txt") in complaints
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


def test_where_mentions_are_too_many_to_be_searched_nothing_is_left_out(
    based: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unwanted, "_BYTES_OF_MENTIONS", 5)
    for name in ("foo.py", "scratch.py"):
        based.write(name, "print(1)\n")
    based.write("notes.txt", "scratch.py\n")
    assert run()[0] == DONE
    assert committed(based) == ["base.txt", "foo.py", "notes.txt", "scratch.py"]


def test_hostile_names_are_left_out_and_shown_safely(based: Repo, run: Run) -> None:
    names = ["a\x1b[2J.pem", ":(top)x.pem", "*.pem", "new\nline/id_rsa", "ü ü/.env"]
    for name in (*names, "plain.txt"):
        based.write(name, f"{name}\n")
    status, _, complaints = run()
    assert status == DONE
    assert committed(based) == ["base.txt", "plain.txt"]
    assert complaints.count("not included: ") == len(names)
    assert "\x1b" not in complaints


def test_a_path_that_is_too_long_for_git_is_named(based: Repo, run: Run) -> None:
    path = "/".join(f"{number:0250}" for number in range(17))
    based.git(
        "update-index", "--add", "--cacheinfo", f"100644,{based.git('rev-parse', 'HEAD:base.txt').strip()},{path}"
    )
    based.git("commit", "-q", "-m", "chore: add a path")
    based.write("a.txt", "a\n")
    status, _, complaints = run()
    assert (status, committed(based)) == (DONE, [path, "a.txt", "base.txt"])
    assert complaints == f"warning: {path} is left out: its path is too long for git; to include it, {SHORTEN}"


def test_a_tracked_file_is_not_named_beside_its_folder() -> None:
    folder = b"warning: could not open directory 'a/': Filename too long\n"
    assert list_overlong(b"a/b: Filename too long\nc: Filename too long\n" + folder) == [b"a/", b"c"]


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


@pytest.mark.parametrize("answer", ["", "n", "y", "q"])
def test_who_sits_at_a_terminal_is_asked(leaky: Repo, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    agreed = "q" if answer == "q" else "y"
    monkeypatch.setenv("SMARTCOMMIT_REVIEW", "text")
    with person("", replies=[("too? [y/N]", f"{answer}\n"), ("create these commits?", f"{agreed}\n")]) as user:
        status = split(Repository.find(str(leaky.path)), staged=False, yes=False, terminal=user.terminal, out=print)
    assert status == (CANCELLED if answer == "q" else DONE)
    assert "commit these files too? [y/N]" in user.shown
    # The warnings come before the question.
    assert "not included: id_rsa (looks like a secrets file)" in user.shown.partition("[y/N]")[0]
    assert TOKEN not in user.shown
    assert ("id_rsa" in committed(leaky)) == (answer == "y")


@rows("line", "*.bak", "/build/", "a b", "docs/**/tmp", "[Tt]humbs.db", "$RECYCLE.BIN/", "~$*", "*~")
def test_a_pattern_is_a_suggestion(line: str) -> None:
    assert select_patterns([f" {line} ", line]) == [line]


HIDING = [
    "", "  ", "*", "**", "/", ".", "*/", "?*", ".*", "!keep", "# words", "a\nb", "\x1b[31m", "a\u202eb", "x" * 121,
]  # fmt: skip
FOR_A_SHELL = ["$(rm -rf /)", "`id`", "rm -rf /", "a; b", "a | b", "a > b"]


@rows("line", *HIDING, *FOR_A_SHELL)
def test_what_hides_everything_or_shows_nothing_is_none(line: str) -> None:
    assert select_patterns([line]) == []


def test_a_model_suggests_only_so_many() -> None:
    assert len(select_patterns(f"{number}.bak" for number in range(100))) == 20
