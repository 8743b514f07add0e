"""Running a split in a test, and the laws that hold after it."""

import random
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from smartcommit.errors import SplitError
from smartcommit.git.fast_import import Identity
from smartcommit.git.hunks import ChangeUnits, Unit, read_units
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_range_snapshot, take_snapshot
from smartcommit.split.apply import Prepared, prepare
from smartcommit.split.constraints import find_inseparable
from smartcommit.split.cut import divide_unit
from smartcommit.split.flow import split as split_change
from smartcommit.split.outcome import EXPECTED, Out, print_result, report_error
from smartcommit.split.plan import PlannedCommit, SplitPlan
from smartcommit.split.source import EngineOptions, SplitOptions
from smartcommit.terminal import Terminal
from tests.support.repository import Repo


def split(
    repository: Repository,
    *,
    staged: bool,
    yes: bool,
    terminal: Terminal | None,
    out: Out,
    complain: Out | None = None,
    options: SplitOptions | None = None,
) -> int:
    """Split, call `out` with the result and `complain` with what goes wrong, and return the status."""
    complain = complain or out
    options = replace(options or SplitOptions(), staged=staged, yes=yes)
    try:
        result = split_change(repository, options=options, terminal=terminal, complain=complain)
        print_result(result, out, complain, as_json=options.json)
    except EXPECTED as error:
        return report_error(error, complain)
    return result.status


def run(repo: Repo, *, staged: bool = False, strategy: str = "auto") -> tuple[int, str]:
    """Split and return the status and what was printed."""
    status, printed, said = run_with(repo, SplitOptions(choice=EngineOptions(strategy=strategy)), staged=staged)
    return status, "\n".join([*filter(None, [printed]), *said])


def run_with(
    repo: Repo, options: SplitOptions, *, staged: bool = False, yes: bool = True
) -> tuple[int, str, list[str]]:
    """Split and return the status, what was printed and what went wrong."""
    printed: list[str] = []
    said: list[str] = []
    status = split(
        Repository.find(str(repo.path)),
        staged=staged,
        yes=yes,
        terminal=None,
        out=printed.append,
        complain=said.append,
        options=options,
    )
    return status, "\n".join(printed), said


Groups = list[list[Unit]]

WHO = b"Ada <ada@example.invalid> 1767323045 +0000"


def run_shuffled(repo: Repo, chance: random.Random, *, times: int = 1, halved: bool = False) -> int:
    """Split into single hunks, in an order and with joins that `chance` decides; return the number of commits.

    So many `times` the commits are written and proven, each time in another order; the last ones are kept. With
    `halved` every hunk that can be is cut in two first, and the halves once more.
    """
    with take_snapshot(Repository.find(str(repo.path))) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        for _ in range(2 if halved else 0):
            pieces = cut_anywhere(pieces, chance)
        for _ in range(times if pieces.units else 0):
            groups = shuffled(pieces, chance)
            prepared = prepare(snapshot, plan_of(snapshot, groups, pieces), Identity(WHO, WHO))
            assert len(prepared.commits) == len(groups)
            assert prepared.commits[-1].tree == snapshot.target
        if pieces.units:
            prepared.publish()
            return len(groups)
    return 0


def cut_anywhere(pieces: ChangeUnits, chance: random.Random) -> ChangeUnits:
    """Every hunk in two parts where that can be, at a line that `chance` decides."""
    for unit in pieces.units:
        removed, added = (chance.randint(0, sum(map(len, sides))) for sides in _sides(unit))
        with suppress(SplitError):
            pieces, _ = divide_unit(pieces, unit.id, [(removed, added)])
    return pieces


def _sides(unit: Unit) -> tuple[list[list[bytes]], list[list[bytes]]]:
    return [hunk.removed for hunk in unit.hunks], [hunk.added for hunk in unit.hunks]


def shuffled(pieces: ChangeUnits, chance: random.Random, joined: float = 0.2) -> list[list[Unit]]:
    """What can be parted, in an order and with joins that `chance` decides, of which a share is `joined`."""
    bundles = find_inseparable(pieces.units)
    chance.shuffle(bundles)
    groups: list[list[Unit]] = []
    for units in bundles:
        if groups and chance.random() < joined:
            groups[-1] = [*groups[-1], *units]
        else:
            groups.append(list(units))
    return groups


def run_grouped(
    repo: Repo,
    group: Callable[[Sequence[Unit]], tuple[Groups, list[Unit]]],
    *,
    staged: bool = False,
    meanwhile: Callable[[], object] = lambda: None,
) -> tuple[Groups, list[Unit]]:
    """Split into the groups that `group` makes of all hunks, and skip those that it returns beside them.

    `meanwhile` is what happens while a person looks at them.
    """
    with take_snapshot(Repository.find(str(repo.path)), staged=staged) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        groups, skipped = group(pieces.units)
        meanwhile()
        if pieces.units:
            prepare(snapshot, plan_of(snapshot, groups, pieces, skipped), Identity(WHO, WHO)).publish()
    return groups, skipped


def plan_of(snapshot: Snapshot, groups: Groups, change: ChangeUnits, skipped: Sequence[Unit] = ()) -> SplitPlan:
    """A commit for each of `groups`, which have the units of `change`."""
    return SplitPlan(
        base=snapshot.base,
        target=snapshot.target,
        staged=snapshot.staged,
        engine="test",
        commits=tuple(PlannedCommit(f"chore: step {n}\n", tuple(units)) for n, units in enumerate(groups)),
        skipped=tuple(skipped),
        change=change,
    )


def rewrite(
    repo: Repo,
    since: str,
    *,
    refs: Mapping[str, int] | None = None,
    chance: random.Random | None = None,
    meanwhile: Callable[[], object] = lambda: None,
) -> Prepared:
    """Replace the commits since `since` by others with the same last tree, and return these.

    They are one for each hunk, or grouped by `chance`. Each of `refs` moves to the commit with this position.
    `meanwhile` is what happens before they are published.
    """
    repository = Repository.find(str(repo.path))
    before = {}
    for line in repo.git("for-each-ref", "--format=%(objectname) %(refname)").splitlines():
        oid, _, name = line.partition(" ")
        before[name] = oid
    with take_range_snapshot(repository, repo.git("rev-parse", since).strip()) as snapshot:
        pieces = read_units(snapshot.repository, snapshot.since, snapshot.target, cut=True)
        groups = shuffled(pieces, chance or random.Random(0), 0.2 if chance else 0)
        prepared = prepare(snapshot, plan_of(snapshot, groups, pieces), Identity(WHO, WHO))
        moves = [(name, before.get(name), prepared.commits[at].commit) for name, at in (refs or {}).items()]
        meanwhile()
        prepared.publish(moves)
        return prepared


def add_all_tree(repo: Repo) -> str:
    """The tree that `git add -A` would stage, made in a copy of the index."""
    index = repo.path.parent / "expected-index"
    source = Path(repo.git("rev-parse", "--absolute-git-dir").strip()) / "index"
    if source.exists():
        shutil.copy2(source, index)
    environment = {"GIT_INDEX_FILE": str(index)}
    repo.git("-c", "core.safecrlf=false", "-c", "core.hooksPath=/dev/null", "add", "-A", ":/", env=environment)
    return repo.git("-c", "core.hooksPath=/dev/null", "write-tree", env=environment).strip()


def joined_index(repo: Repo) -> bytes:
    """The index, with the entries of a shared one where it is split."""
    index = Path(repo.git("rev-parse", "--absolute-git-dir").strip()) / "index"
    if not list(index.parent.glob("sharedindex.*")):
        return index.read_bytes()
    copy = repo.path.parent / "joined-index"
    shutil.copy2(index, copy)
    options = ("-c", "core.splitIndex=false", "update-index", "--no-split-index")
    repo.git(*options, env={"GIT_INDEX_FILE": str(copy)})
    return copy.read_bytes()


def status_of(repo: Repo, *options: str) -> str:
    return repo.git("status", "--porcelain", "-z", "--untracked-files=all", *options)


def read_states(repo: Repo) -> dict[str, str]:
    """The letters of `git status` by path."""
    entries = status_of(repo, "--no-renames", "--ignore-submodules=dirty").split("\0")[:-1]
    return {entry[3:]: entry[:2] for entry in entries}


def list_tree(repo: Repo, tree: str) -> dict[str, str]:
    """The entries of a tree by path."""
    return _read_entries(repo.git("ls-tree", "-r", "-z", tree))


def list_index(repo: Repo) -> dict[str, str]:
    """The entries of the index by path, with their flags."""
    return _read_entries(repo.git("ls-files", "-s", "-v", "-z"))


def _read_entries(listing: str) -> dict[str, str]:
    return {line.partition("\t")[2]: line.partition("\t")[0] for line in listing.split("\0")[:-1]}


def choose_from(found: Mapping[str, str], paths: Iterable[str]) -> dict[str, str | None]:
    """What was `found` of these paths."""
    return {path: found.get(path) for path in paths}


def head_of(repo: Repo) -> str:
    return repo.run("rev-parse", "--verify", "-q", "HEAD").stdout.decode().strip()


def flags_of(repo: Repo) -> list[str]:
    """The index's flags that are not git's default: skipped, assumed unchanged."""
    return [line for line in repo.git("ls-files", "-v").splitlines() if not line.startswith("H ")]


def assert_line(repo: Repo, old: str) -> list[str]:
    """Assert that the commits from `old` to HEAD form one line and each changes something; return them."""
    lines = repo.git("log", "--reverse", "--format=%H %T %P", *([f"{old}..HEAD"] if old else ["HEAD"])).splitlines()
    commits = [line.split(" ", 2) for line in lines]
    before = (old, repo.git("rev-parse", f"{old}^{{tree}}").strip() if old else "")
    for commit, tree, parents in commits:
        assert parents == before[0]
        assert tree != before[1]
        before = (commit, tree)
    return [commit for commit, _, _ in commits]


def assert_sound(repo: Repo) -> None:
    """Assert that nothing is broken and nothing of a split lies about."""
    done = repo.run("fsck", "--strict", "--no-dangling")
    assert done.returncode == 0, done.stderr.decode()
    git_dir = Path(repo.git("rev-parse", "--absolute-git-dir").strip())
    locks = [*git_dir.glob("*.lock"), *git_dir.glob("refs/**/*.lock"), *git_dir.glob("reftable/*.lock")]
    assert not [*locks, *git_dir.glob("packed-refs.new")]
    assert not list(git_dir.glob("fast_import_crash*"))
    assert not [*(git_dir / "objects").glob("tmp_*"), *(git_dir / "objects/pack").glob("*.keep")]
    assert not [*git_dir.glob("smartcommit/split/*/work"), *git_dir.glob("smartcommit/split/*/*.new")]
    refs = repo.git("for-each-ref", "--format=%(refname)").split()
    assert all(ref.startswith(("refs/heads/", "refs/bisect/")) for ref in refs), refs
