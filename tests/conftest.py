"""Isolation for every test, and the plain installation that tests of processes use."""

import itertools
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from smartcommit import coding_agent, signals, waiting
from smartcommit.cli import main
from tests.support import installation as installing
from tests.support import model_server
from tests.support import precommit as frameworks
from tests.support.commands import Command, Shown
from tests.support.components import component
from tests.support.installation import Installation, once
from tests.support.model_server import ModelServer
from tests.support.precommit import Framework
from tests.support.profile import register as register_profiles
from tests.support.repository import REF_FORMAT, Repo, copy_made
from tests.support.workspace import Workspace, on_path

ROOT = Path(__file__).parent.parent

# Removing and making files in memory takes a tenth of the time, and most tests do little else. The whole suite needs
# less than this many bytes.
MEMORY, MEMORY_NEEDED = Path("/dev/shm"), 2 << 30
# Names the folder of a test. pytest's own numbers are found by listing all folders, for each test again.
NUMBERS = itertools.count()

register_profiles()

# Below `nohup`, or in the background of a shell, these are ignored, and so they would be in all that the tests start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests with these fixtures need a program that `.ci/components` builds, or an environment that takes long to build.
FIXTURE_MARKS = {"workspace": "components", "prek": "slow"}


def pytest_configure(config: pytest.Config) -> None:
    """Keep the tests' files in memory, unless somebody says where, or there is too little of it; keep bytecode."""
    if config.getoption("basetemp") is None and is_usable(MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    # To compile the modules anew takes the processes that the tests start as long as what they do.
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        sys.dont_write_bytecode = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Start half as many workers again as there are processors: much of the time is spent waiting for processes."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors + (processors + 1) // 2


def is_usable(folder: Path) -> bool:
    """Whether the tests' files fit into `folder`, and programs can run from there: containers often forbid that."""
    if not os.access(folder, os.W_OK):
        return False
    place = os.statvfs(folder)
    return place.f_bavail * place.f_frsize >= MEMORY_NEEDED and not place.f_flag & os.ST_NOEXEC


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture, mark in FIXTURE_MARKS.items():
            if fixture in item.fixturenames:
                item.add_marker(mark)
    # What takes longest begins first, or all else would be done and wait for it.
    items.sort(key=lambda item: item.path.name != "wine_test.py")


@pytest.fixture
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of this test, which is removed afterwards: together they would not fit into memory."""
    folder = tmp_path_factory.getbasetemp() / f"test{next(NUMBERS)}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def tmp_path(own_folder: Path) -> Path:
    path = own_folder / "tmp"
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def isolated(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A private HOME, no configuration of the machine, fixed identity and dates, no editor, no network but loopback."""
    home = own_folder / "home"
    home.mkdir()
    for name in os.environ.keys() - {REF_FORMAT}:
        ours = name.startswith(("GIT_", "JJ_", "SMARTCOMMIT_", "PRE_COMMIT", "PREK_"))
        if ours or name in ("SKIP", "EDITOR", "VISUAL", *coding_agent.SIGNS, *coding_agent.SESSIONS):
            monkeypatch.delenv(name)
    for name, value in {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada Author",
        "GIT_AUTHOR_EMAIL": "ada@example.invalid",
        "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+0000",
        "GIT_COMMITTER_NAME": "Cora Committer",
        "GIT_COMMITTER_EMAIL": "cora@example.invalid",
        "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+0000",
        "GIT_EDITOR": "false",
        "GIT_TERMINAL_PROMPT": "0",
        # No power is cut here, so git need not wait for the disk. Source: git's own tests.
        "GIT_TEST_FSYNC": "0",
        "JJ_USER": "Ada Author",
        "JJ_EMAIL": "ada@example.invalid",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
    }.items():
        monkeypatch.setenv(name, value)
    # Whether a line about it is printed must not depend on how busy the machine is.
    monkeypatch.setattr(waiting, "DELAY", 3600.0)
    connect = socket.socket.connect

    def loopback_only(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {address[0]}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", loopback_only)


@pytest.fixture
def repo(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return copy_made(tmp_path_factory, tmp_path / "repo", begin)


@pytest.fixture
def based(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return copy_made(tmp_path_factory, repo.path, commit_base)


@pytest.fixture
def staged(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return copy_made(tmp_path_factory, repo.path, stage_file)


def begin(repo: Repo) -> None:
    pass


def commit_base(repo: Repo) -> None:
    repo.commit("chore: base", {"base.txt": "base\n"})


def stage_file(repo: Repo) -> None:
    repo.commit(files={"kept.txt": "kept\n"})
    repo.stage({"zebra.py": "def stripes():\n    return 7\n"})


@pytest.fixture
def inside(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository that is the current directory."""
    monkeypatch.chdir(repo.path)
    # Nobody's own Ollama takes part.
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    return repo


@pytest.fixture
def smartcommit(capfd: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: str, status: int | None = 0) -> Shown:
        capfd.readouterr()
        ended = main(arguments)
        shown = Shown(*capfd.readouterr())
        assert status in (ended, None), shown
        return shown

    return run


@pytest.fixture
def python_handlers() -> Iterator[None]:
    """Whatever the tests are started by, the signals have the handlers of a fresh Python here."""
    before = [(number, signal.signal(number, signal.SIG_DFL)) for number in signals.SIGNALS]
    before.append((signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler)))
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.fixture(params=model_server.DIALECTS)
def model(request: pytest.FixtureRequest) -> Iterator[ModelServer]:
    with model_server.serve(request.param) as running:
        yield running


@pytest.fixture
def later_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """git 2.55, which runs hooks of its configuration, on PATH."""
    monkeypatch.setenv("PATH", on_path(Path(component("git-2.55", "git")).parent))


@pytest.fixture
def reftable(later_git: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """New repositories keep their references in a reftable."""
    monkeypatch.setenv("GIT_DEFAULT_REF_FORMAT", "reftable")


@pytest.fixture
def with_jj(monkeypatch: pytest.MonkeyPatch) -> None:
    """jj is on PATH."""
    monkeypatch.setenv("PATH", on_path(Path(component("jj")).parent))


@pytest.fixture
def workspace(tmp_path: Path, with_jj: None) -> Workspace:
    return Workspace.init(tmp_path / "workspace")


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """smartcommit as a user has it: a plain, not editable, installation in an environment of its own."""
    return Installation(
        once(tmp_path_factory, "installation", lambda root: installing.install(ROOT, root)) / "environment"
    )


@pytest.fixture(scope="session")
def built_precommit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit has our hooks' environment; building it takes seconds, so it is done once."""
    return once(
        tmp_path_factory,
        "pre-commit",
        lambda root: frameworks.build(ROOT, root, frameworks.PRE_COMMIT, prepare="install-hooks"),
    )


@pytest.fixture(scope="session")
def built_prek(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(
        tmp_path_factory, "prek", lambda root: frameworks.build(ROOT, root, frameworks.PREK, prepare="prepare-hooks")
    )


@pytest.fixture
def precommit(built_precommit: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    """pre-commit, with this checkout as the repository of our hooks; `git commit` in a test finds their environment."""
    return _framework(frameworks.PRE_COMMIT, built_precommit, monkeypatch)


@pytest.fixture
def prek(built_prek: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    return _framework(frameworks.PREK, built_prek, monkeypatch)


@pytest.fixture(params=["precommit", pytest.param("prek", marks=pytest.mark.slow)])
def framework(request: pytest.FixtureRequest) -> Framework:
    return request.getfixturevalue(request.param)


def _framework(command: tuple[str, ...], root: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    for name, value in frameworks.homes(root).items():
        monkeypatch.setenv(name, value)
    return Framework(command, Repo(root / "hooks"))
