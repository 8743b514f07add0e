"""A split in a jj repository, colocated or not: the same commits as in git, and the change at work stays on top."""

import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.cli import main
from smartcommit.errors import SplitPlanOutdated
from smartcommit.git.fast_import import Identity
from smartcommit.git.hunks import read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.jj.moves import HiddenOperations, undo_split
from smartcommit.jj.run import JjChange, find_jj_repository, lock, read_change, read_changes
from smartcommit.rewrite.in_jj import JjPublisher, read_author, take_change_snapshot
from smartcommit.split.apply import prepare
from smartcommit.split.flow import Flow, make_flow
from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED, NOTHING, USAGE
from smartcommit.split.plan import SplitPlan
from smartcommit.split.source import Source, SplitOptions
from tests.conftest import ROOT
from tests.split.laws_test import FILES, blend, put
from tests.support.commands import Command
from tests.support.kills import Kills
from tests.support.model_server import serve
from tests.support.profile import choose, examples, repeat
from tests.support.repository import Repo
from tests.support.splits import emit, finalize
from tests.support.splitting import WHO, plan_of, shuffled
from tests.support.table import rows
from tests.support.workspace import Workspace

PLAN = "feat(cart): sum the prices\n\nCustomers want a total.\n\nTasks [ ]:\n- [ ] sum the items\n"


pytestmark = pytest.mark.usefixtures("with_jj")


@pytest.fixture
def work(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose change at work has a new function with its test, and a line of documentation."""
    made = Workspace.init(tmp_path / "work", getattr(request, "param", "--colocate"))
    monkeypatch.chdir(made.path)
    make_work(made)
    return made


# jj's git repository is that of the files, or another one.
either_place = pytest.mark.parametrize("work", ["--colocate", "--no-colocate"], indirect=True)


def make_work(made: Workspace) -> None:
    write(made, "src/cart.py", "def items():\n    return []\n")
    write(made, "docs/prices.md", "# Prices\n")
    made.jj("commit", "-m", "feat: base")
    write(made, "src/cart.py", "def items():\n    return []\n\n\ndef total(items):\n    return sum(items)\n")
    write(made, "tests/test_cart.py", "from src.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n")
    write(made, "docs/prices.md", "# Prices\n\nPrices are in cents.\n")


def write(workspace: Workspace, name: str, content: str) -> None:
    path = workspace.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def root_of(workspace: Workspace) -> str:
    return str(workspace.path)


def at_work(workspace: Workspace) -> JjChange:
    return read_change(root_of(workspace), snapshot=True)


def line(workspace: Workspace) -> list[tuple[str, list[str]]]:
    """Of each change above the base: its first line and the files that it changes, oldest first."""
    made = []
    for change in reversed(read_changes(root_of(workspace), "description(substring:'feat: base')+::@")):
        files = workspace.jj("diff", "-r", change.commit_id, "--name-only").split()
        made.append((change.description.partition("\n")[0], files))
    return made


@either_place
def test_the_change_becomes_several_below_itself(work: Workspace, smartcommit: Command) -> None:
    work.describe(PLAN)
    work.jj("bookmark", "create", "cart", "-r", "@")
    before = at_work(work)
    operation = work.operation
    told = smartcommit("split", "--yes", status=DONE)
    now = at_work(work)
    made = line(work)
    assert [files for _, files in made] == [["src/cart.py", "tests/test_cart.py"], ["docs/prices.md"], []]
    assert (now.change_id, now.description, now.empty) == (before.change_id, PLAN, True)
    parent = read_changes(root_of(work), "@-")[0]
    assert list(parent.bookmarks) == ["cart"]
    assert (parent.author["name"], parent.author["email"]) == ("Ada Author", "ada@example.invalid")
    shown = told.out
    assert f"{parent.change_id[:8]} {made[1][0]}  (open)\n" in shown
    assert f"to undo: smartcommit undo, or: jj op restore {operation[:12]}\n" in shown
    if (work.path / ".git").exists():
        repo = Repo(work.path)
        assert repo.git("rev-parse", "HEAD").strip() == parent.commit_id
        assert repo.git("status", "--porcelain") == ""
    smartcommit("undo", status=DONE)
    assert at_work(work).commit_id == before.commit_id


def test_the_task_at_work_is_said_of_a_change_that_stays_whole(work: Workspace) -> None:
    subjects = {
        "- [x] sum the items\n- [ ] keep empty carts of items\n": "fix: keep empty carts of items",
        "- [ ] Items\n  - [ ] keep empty carts of items\n": "fix: keep empty carts of items",
        # The change shows nothing of it, or no task is at work.
        "- [ ] describe the shop\n- [ ] keep items\n": "fix: call load unless empty in items",
        "- [x] keep items\n": "fix: call load unless empty in items",
    }
    write(work, "docs/prices.md", "# Prices\n")
    write(work, "src/cart.py", "def items():\n    if not empty:\n        load(carts)\n    return list(found) or []\n")
    (work.path / "tests/test_cart.py").unlink()
    made = {}
    for tasks in subjects:
        work.describe(PLAN.replace("- [ ] sum the items\n", tasks))
        assert main(["split", "--yes"]) == DONE
        made[tasks] = line(work)[0][0]
        assert main(["undo"]) == DONE
    assert made == subjects


def test_what_is_left_out_stays_in_the_change(work: Workspace, smartcommit: Command) -> None:
    write(work, ".env", "TOKEN=x\n")
    assert "not included: .env" in smartcommit("split", "--yes", status=DONE).err
    assert line(work)[-1] == ("", [".env"])
    smartcommit("split", "--yes", "--include-secrets", status=DONE)
    assert line(work)[-2:] == [(line(work)[-2][0], [".env"]), ("", [])]
    smartcommit("split", "--yes", status=NOTHING)


@either_place
def test_ignored_patterns_are_printed(work: Workspace, monkeypatch: pytest.MonkeyPatch, smartcommit: Command) -> None:
    write(work, "old.data", "junk\n")
    script = (
        emit("src/cart.py::1", "tests/test_cart.py::1", summary="sum the prices"),
        finalize(skipped_hunks=["docs/prices.md::1", "old.data::1"], gitignore=["/cache", "*.data"]),
    )
    with serve("openai", *script) as model:
        for name, value in model.environment().items():
            monkeypatch.setenv(name, value)
        shown = smartcommit("split", "--yes", "--engine", "model", status=DONE)
    assert "suggested for .gitignore: /cache\n" in shown.out


def test_a_plan_is_shown_saved_checked_and_applied(work: Workspace, smartcommit: Command) -> None:
    before = at_work(work)
    assert "run again with '--yes'" in smartcommit("split", "--save-plan", "plan.json", status=CANCELLED).out
    shown = smartcommit("split", "--dry-run", status=DONE)
    assert f"--yes would insert 2 changes below {before.change_id[:8]}" in shown.out
    smartcommit("split", "--yes", "--plan", "plan.json", "--exec", "test ! -d docs", status=GIT_FAILED)
    assert at_work(work).change_id == before.change_id
    assert len(line(work)) == 1
    smartcommit("split", "--yes", "--plan", "plan.json", "--exec", "test -d src", status=DONE)
    assert [files for _, files in line(work)][1:] == [["docs/prices.md"], ["plan.json"]]


def test_the_first_change_of_a_repository_is_split(tmp_path: Path, work: Workspace) -> None:
    new = Workspace.init(tmp_path / "new")
    os.chdir(new.path)
    write(new, "docs/first.md", "# First\n")
    write(new, "src/first.py", "def first():\n    return 1\n")
    assert main(["split", "--yes", "--count", "2"]) == DONE
    assert len(read_changes(root_of(new), "::@ ~ root()")) == 3


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        ([["new", "@", "@-", "-m", "merge"]], "is a merge"),
        ([["new", "@-"], ["bookmark", "create", "elsewhere"], ["new", "root()"]], "nothing to commit"),
        ([["config", "set", "--repo", "revset-aliases.'immutable_heads()'", "@"]], "is immutable"),
        ([["--config=user.name=''", "--config=user.email=''", "metaedit", "--update-author"]], "has no author"),
        ([["describe", "-m", "one"], ["--at-operation", "@-", "describe", "-m", "two"]], "is divergent"),
    ],
    ids=["merge", "empty", "immutable", "no author", "divergent"],
)
def test_what_cannot_be_split_is_refused(
    work: Workspace, smartcommit: Command, commands: list[list[str]], said: str
) -> None:
    work.jj("status")
    for command in commands:
        work.jj(*command)
    status = NOTHING if said == "nothing to commit" else GIT_FAILED
    assert said in "".join(smartcommit("split", "--yes", status=status))


def test_a_change_with_conflicts_is_refused(work: Workspace, smartcommit: Command) -> None:
    work.jj("new", "@-")
    write(work, "docs/prices.md", "# Prices\n\nPrices are in euros.\n")
    work.jj("rebase", "-r", "@", "-o", "heads(all()) ~ @")
    assert "hint: run 'jj resolve' first" in smartcommit("split", "--yes", status=GIT_FAILED).err
    work.jj("new")
    write(work, "docs/prices.md", "# Resolved\n")
    shown = smartcommit("split", "--yes", status=GIT_FAILED)
    assert "the change below the working-copy commit has conflicts" in shown.err


@rows(
    "arguments",
    ["split", "--staged"],
    ["split", "x"],
    ["absorb", "--", "x"],
    ["absorb", "--from", "@-"],
    ["range", "@-..", "--allow-merges"],
)
def test_options_that_jj_has_no_use_for_are_refused(work: Workspace, arguments: list[str]) -> None:
    assert main(arguments) == USAGE


def test_a_nearer_repository_of_git_is_split_by_git(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = Repo.init(work.path / "inner")
    inner.commit(files={"a.txt": "a\n"})
    inner.write("a.txt", "b\n")
    monkeypatch.chdir(inner.path)
    assert main(["split", "--yes", "--staged"]) == NOTHING


@contextmanager
def flow_of(workspace: Workspace) -> Iterator[tuple[Flow, Snapshot]]:
    """A split of the change at work, and its snapshot."""
    change = at_work(workspace)
    with take_change_snapshot(find_jj_repository(root_of(workspace)), change, ()) as snapshot:
        identify = partial(read_author, snapshot, change)
        source = Source(snapshot, (), SplitOptions(), None, complain=print, identify=identify)
        yield make_flow(source, JjPublisher(source, change)), snapshot


def test_files_that_change_while_a_plan_is_made_are_not_lost(work: Workspace) -> None:
    with flow_of(work) as (flow, _):
        made = flow.plan()
        assert made is not None
        prepared = flow.prepare(made)
        write(work, "docs/prices.md", "# Prices\n\nPrices are in euros.\n")
        with pytest.raises(SplitPlanOutdated):
            flow.publisher.publish(prepared)
    assert (work.path / "docs/prices.md").read_text().endswith("euros.\n")
    assert len(line(work)) == 1


@either_place
def test_what_comes_meanwhile_is_kept(work: Workspace, monkeypatch: pytest.MonkeyPatch, smartcommit: Command) -> None:
    publish = HiddenOperations.publish

    def meanwhile(hidden: HiddenOperations, expected: list[JjChange]) -> None:
        work.jj("describe", "-m", "of somebody else")
        publish(hidden, expected)

    monkeypatch.setattr(HiddenOperations, "publish", meanwhile)
    before = at_work(work)
    shown = smartcommit("split", "--yes", status=GIT_FAILED)
    assert "of somebody else\n" in work.jj(
        "log", "--no-graph", "-r", f"change_id({before.change_id})", "-T", "description"
    )
    command = shown.err.rpartition("jj op restore ")[2].split()[0]
    work.jj("op", "restore", command)
    assert at_work(work).commit_id == before.commit_id
    assert len(line(work)) == 1


def test_a_split_that_is_killed_has_happened_or_has_not(tmp_path: Path) -> None:
    base = Workspace.init(tmp_path / "base", "--colocate")
    make_work(base)
    base.jj("bookmark", "create", "cart", "-r", "@")
    kills = Kills(base.path, tmp_path / "killed", {**os.environ, "PYTHONPATH": f"{ROOT}"})
    before = at_work(base)
    chance = random.Random(choose(fast=1, full=2))
    try:
        for number in range(repeat(fast=4, full=16)):
            work = Workspace(kills.copy(str(number)))
            kills.run_together(work.path, ["split", "--yes"], step=chance.randrange(1, 130))
            wait_for_jj(work)
            made = line(work)
            assert len(made) in (1, 3)
            if len(made) == 1:
                assert at_work(work).commit_id == before.commit_id
                assert kills.run_together(work.path, ["split", "--yes"]) == [DONE]
            assert "smartcommit" not in Repo(work.path).git("for-each-ref", "refs/heads")
            assert kills.run_together(work.path, ["undo"]) == [DONE]
            assert at_work(work).commit_id == before.commit_id
            assert Repo(work.path).git("rev-parse", "HEAD").strip() == before.parents[0]
    finally:
        kills.close()


def wait_for_jj(workspace: Workspace) -> None:
    """Wait until no jj that was started in the workspace holds the lock of its operations."""
    with lock(root_of(workspace)):
        workspace.jj("status")


@examples(25, fast=3)
@given(first=FILES, last=FILES, colocated=st.booleans(), seed=st.integers(0, 2**32))
def test_jj_makes_the_same_of_a_plan_as_git(
    first: dict[bytes, tuple[bytes, str]], last: dict[bytes, tuple[bytes, str]], colocated: bool, seed: int
) -> None:
    chance = random.Random(seed)
    # jj cannot read names and links that are not UTF-8.
    first, last = (dict(filter(is_readable, files.items())) for files in (first, last))
    if chance.random() < 0.7:
        last = {**first, **last}
        blend(last, first, chance)
        last = dict(filter(is_readable, last.items()))
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(folder) / "git", "--template=")
        put(repo.path, first)
        repo.git("add", "-A", "-f")
        repo.commit()
        put(repo.path, last)
        work = Workspace.init(Path(folder) / "jj", "--colocate" if colocated else "--no-colocate")
        put_beside(work.path, first)
        work.jj("commit", "-m", "feat: base")
        put_beside(work.path, last)
        before = at_work(work)
        if before.empty:
            return
        skipping, order = chance.random() < 0.5, chance.randrange(1 << 30)

        def divide(snapshot: Snapshot) -> SplitPlan:
            pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
            groups = shuffled(pieces, random.Random(order))
            skipped = groups.pop() if skipping and len(groups) > 1 else []
            return plan_of(snapshot, groups, pieces, skipped)

        with flow_of(work) as (flow, snapshot):
            plan = divide(snapshot)
            flow.publisher.publish(flow.write(plan, flow.source.identity))
        with take_snapshot(Repository.find(str(repo.path))) as snapshot:
            prepare(snapshot, divide(snapshot), Identity(WHO, WHO)).publish()
        count = f"--max-count={len(plan.commits)}"
        store = find_jj_repository(root_of(work))
        chain = store.run("log", "--format=%T%n%B", count, at_work(work).parents[0]).decode()
        assert chain == repo.git("log", "--format=%T%n%B", count)
        if chance.random() < 0.5:
            undo_split(root_of(work))
        else:
            work.jj("undo")
        assert at_work(work).commit_id == before.commit_id


def is_readable(entry: tuple[bytes, tuple[bytes, str]]) -> bool:
    name, (content, kind) = entry
    try:
        (name + content if kind == "link" else name).decode()
    except UnicodeDecodeError:
        return False
    return True


def put_beside(root: Path, files: dict[bytes, tuple[bytes, str]]) -> None:
    """Make `files` all there is below `root`, beside what jj and git keep there."""
    kept = root.parent / "kept"
    kept.mkdir()
    for name in (".jj", ".git"):
        if (root / name).exists():
            (root / name).rename(kept / name)
    put(root, files)
    for path in kept.iterdir():
        path.rename(root / path.name)
    kept.rmdir()


@pytest.fixture
def branch(work: Workspace) -> list[JjChange]:
    """Below an unfinished change at work: one without a message, one that is good, and one that changes both."""
    work.jj("commit", "-m", "wip")
    write(work, "lib/load.py", "def load():\n    return {}\n")
    work.jj("commit", "-m", "feat(lib): load the settings")
    work.jj("bookmark", "create", "lib", "-r", "@-")
    write(work, "lib/load.py", 'def load():\n    return {"a": 1}\n')
    write(work, "docs/prices.md", "# Prices\n\nPrices are in cents.\nAll of them.\n")
    work.jj("commit", "-m", "fixes")
    write(work, "now.txt", "at work\n")
    work.describe(PLAN)
    at_work(work)
    return read_changes(root_of(work), "description(substring:'feat: base')..@")[::-1]


@either_place
def test_the_changes_of_a_range_are_cut_anew(work: Workspace, branch: list[JjChange]) -> None:
    assert main(["range", "description(substring:'feat: base')..", "--yes"]) == DONE
    made = line(work)
    assert [files for title, files in made if title == "feat(lib): load the settings"] == [["lib/load.py"]]
    assert made[-1] == ("feat(cart): sum the prices", ["now.txt"])
    assert not {"wip", "fixes"} & {title for title, _ in made}
    now = at_work(work)
    assert (now.change_id, now.description) == (branch[-1].change_id, PLAN)
    assert not work.jj("diff", "--from", branch[-1].commit_id, "--to", "@")
    assert not work.jj("diff", "--from", branch[-1].parents[0], "--to", "@-")
    (kept,) = read_changes(root_of(work), f"{branch[1].change_id} & ::@-")
    assert list(kept.bookmarks) == ["lib"]
    if (work.path / ".git").exists():
        assert Repo(work.path).git("rev-parse", "HEAD").strip() == now.parents[0]
    assert main(["undo"]) == DONE
    assert at_work(work).commit_id == branch[-1].commit_id


def test_a_change_that_stays_the_same_keeps_its_commit(work: Workspace, branch: list[JjChange]) -> None:
    work.jj("describe", branch[0].change_id, "-m", "feat(cart): sum the items of a cart")
    (first,) = read_changes(root_of(work), branch[0].change_id)
    assert main(["range", "description(substring:'feat: base')..", "--yes"]) == DONE
    assert read_changes(root_of(work), branch[0].change_id)[0].commit_id == first.commit_id


@rows(
    ("base", "said"),
    ("@-..", "there are no changes"),
    ("@-", "jj split -r @-"),
    ("nobody..", "doesn't exist"),
    ("@-..@", "is not a range of changes up to @-"),
)
def test_what_is_no_range_is_refused(
    work: Workspace, branch: list[JjChange], smartcommit: Command, base: str, said: str
) -> None:
    assert said in smartcommit("range", base, "--yes", status=GIT_FAILED).err


def test_pushed_and_immutable_changes_are_refused(
    work: Workspace, branch: list[JjChange], tmp_path: Path, smartcommit: Command
) -> None:
    Repo.init(tmp_path / "remote", "--bare")
    store = find_jj_repository(root_of(work))
    work.jj("git", "remote", "add", "origin", str(tmp_path / "remote"))
    store.run("update-ref", "refs/remotes/origin/lib", branch[1].commit_id)
    work.jj("git", "import", "--ignore-working-copy")
    work.jj("bookmark", "track", "lib@origin")
    arguments = ["range", "description(substring:'feat: base')..", "--yes"]
    assert "pushed already: 2 of 3 changes" in smartcommit(*arguments, status=GIT_FAILED).err
    # Also if what was pushed goes on beside the change at work.
    work.jj("new", branch[0].change_id)
    assert "there are no changes that were not pushed" in smartcommit("absorb", "--yes", status=GIT_FAILED).err
    work.jj("edit", branch[-1].change_id)
    work.configure("revset-aliases.'immutable_heads()'=lib")
    assert "is immutable" in smartcommit(*arguments, "--allow-pushed", status=GIT_FAILED).err
    assert at_work(work).commit_id == branch[-1].commit_id


@pytest.fixture
def fixes(work: Workspace) -> list[JjChange]:
    """Two changes with a third beside the last one, and a change at work that corrects both and has a new file."""
    work.jj("commit", "-m", "feat(cart): sum the items")
    write(work, "lib/load.py", "def load():\n    return {}\n\n\ndef save(values):\n    pass\n")
    work.jj("commit", "-m", "feat(lib): load the settings")
    work.jj("bookmark", "create", "lib", "-r", "@-")
    work.jj("new", "lib", "-m", "feat: beside")
    write(work, "beside.txt", "beside\n")
    work.jj("new", "lib", "-m", "at work")
    write(work, "lib/load.py", 'def load():\n    return {"a": 1}\n\n\ndef save(values):\n    pass\n')
    write(work, "docs/prices.md", "# Prices\n\nPrices are in euros.\n")
    write(work, "new.txt", "new\n")
    at_work(work)
    return read_changes(root_of(work), "description(substring:'feat: base')..@")[::-1]


@either_place
def test_hunks_go_into_the_changes_they_belong_to(work: Workspace, fixes: list[JjChange], smartcommit: Command) -> None:
    before = line(work)
    shown = smartcommit("absorb", "--dry-run", status=DONE).out
    assert f"{fixes[0].change_id[:8]} feat(cart): sum the items\n" in shown
    assert f"--yes would rewrite 2 changes below {fixes[-1].change_id[:8]}" in shown
    smartcommit("absorb", "--yes", status=DONE)
    assert line(work) == [*before[:2], ("at work", ["new.txt"])]
    made = read_changes(root_of(work), "description(substring:'feat: base')..@")[::-1]
    assert [one.change_id for one in made] == [one.change_id for one in fixes]
    assert list(made[1].bookmarks) == ["lib"]
    assert "euros" in work.jj("file", "show", "-r", made[0].commit_id, "docs/prices.md")
    assert not work.jj("diff", "--from", fixes[-1].commit_id, "--to", "@")
    beside = "description(substring:'feat: beside')"
    assert '"a"' in work.jj("file", "show", "-r", beside, "lib/load.py")
    assert work.jj("diff", "-r", beside, "--name-only").split() == ["beside.txt"]
    smartcommit("undo", status=DONE)
    assert at_work(work).commit_id == fixes[-1].commit_id


def test_fixups_are_made_below_the_change_at_work(work: Workspace, fixes: list[JjChange], smartcommit: Command) -> None:
    before = line(work)
    assert "--yes would insert 2 changes below" in smartcommit("absorb", "--fixup", "--dry-run", status=DONE).out
    smartcommit("absorb", "--fixup", "--yes", status=DONE)
    assert line(work)[:2] == before[:2]
    assert line(work)[2:] == [
        (f"fixup! {before[0][0]}", ["docs/prices.md"]),
        (f"fixup! {before[1][0]}", ["lib/load.py"]),
        ("at work", ["new.txt"]),
    ]
