"""Which engine makes the plan where a model's work ends in what nobody foresaw."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from smartcommit import state_files
from smartcommit.config import Settings, load
from smartcommit.draft.request import make_purpose
from smartcommit.errors import AgentError
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_snapshot
from smartcommit.split.analyzer import ChangeReader
from smartcommit.split.engine import make
from smartcommit.split.plan import SplitPlan
from smartcommit.split.source import AUTO, EMBEDDED, MODEL, EngineOptions
from tests.support.model_server import serve
from tests.support.repository import Repo
from tests.support.splits import emit
from tests.support.table import rows

BUG = r"this is a bug in smartcommit \(RecursionError\): see '.*failure.log'"


@pytest.fixture
def snapshot(repo: Repo) -> Iterator[Snapshot]:
    """The snapshot of a repository with one new file."""
    repo.commit(files={"kept.txt": "kept\n"})
    repo.write("zebra.py", "def stripes():\n    return 7\n")
    with take_snapshot(Repository.find(str(repo.path))) as snapshot:
        yield snapshot


@pytest.fixture
def settings(snapshot: Snapshot) -> Iterator[Settings]:
    """Those that make a scripted model split, which emits its only commit."""
    with serve("ollama", emit("zebra.py::1")) as model:
        yield load(snapshot.repository.worktree, environment={**os.environ, **model.environment()})


def make_failing(snapshot: Snapshot, settings: Settings, error: type[BaseException], engine: str) -> SplitPlan | None:
    """The plan of a model of which the first thing told fails."""

    def fail(line: str) -> None:
        raise error

    reader = ChangeReader(snapshot, settings)
    return make(reader, EngineOptions(engine), terminal=None, report=lambda line: None, log=fail)


def test_a_bug_in_a_models_way_ends_in_the_embedded_plan(snapshot: Snapshot, settings: Settings) -> None:
    made = make_failing(snapshot, settings, RecursionError, AUTO)
    assert (made.engine, made.usage["requests"]) == (EMBEDDED, 1)
    assert made.failure.startswith("split without a model: this is a bug in smartcommit (RecursionError): see '")
    log = Path(state_files.find_path(snapshot.repository.git_dir, state_files.FAILURE))
    assert "RecursionError" in log.read_text()


def test_a_bug_is_the_models_failure_where_nothing_else_may_split(snapshot: Snapshot, settings: Settings) -> None:
    with pytest.raises(AgentError, match=BUG):
        make_failing(snapshot, settings, RecursionError, MODEL)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_a_signal_is_no_failure_of_a_model(snapshot: Snapshot, settings: Settings, error: type[BaseException]) -> None:
    with pytest.raises(error):
        make_failing(snapshot, settings, error, AUTO)


CART = "def total(prices):\n    return sum(prices)\n"
ZOO = "def feed(lion):\n    return lion.name\n"


@rows(
    ("branch", "sources"),
    ("feat/total-cart-prices", {"feat: add total cart prices": "the branch"}), ("fix/parse-empty-hosts", {}),
    ("main2", {}), ("fix/lion-total", {}),
)  # fmt: skip
def test_the_name_of_a_branch_is_one_message_or_none(based: Repo, branch: str, sources: dict[str, str]) -> None:
    based.git("checkout", "-q", "-B", branch)
    based.write("shop/cart.py", CART)
    based.write("zoo/lion.py", ZOO)
    with take_snapshot(Repository.find(str(based.path))) as snapshot:
        settings = load(str(based.path))
        purpose = make_purpose(snapshot.repository, settings, branch, base=None, said={})
        reader = ChangeReader(snapshot, settings, purpose)
        plan = make(reader, EngineOptions(engine=EMBEDDED, strategy="file"), terminal=None, report=print)
    assert len(plan.commits) == 2
    assert {commit.subject: commit.source for commit in plan.commits if commit.source} == sources
