"""Plans, makes and undoes the commits of one session: its own lines alone, by the transaction of a split.

The lines are composed twice: for the commits, which take as long as the splitter and `--exec` do, and again just before
these are published, when the ledger is locked. Only if both are the same HEAD moves.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from smartcommit import config
from smartcommit.errors import ConfigError, SmartcommitError, SplitError, SplitPlanOutdated
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.git.snapshot import Snapshot
from smartcommit.git.transaction import journal
from smartcommit.git.transaction.journal import Journal, SplitRun
from smartcommit.git.transaction.move import index_holds
from smartcommit.git.transaction.recover import check_recovered
from smartcommit.git.transaction.undo import undo as undo_split
from smartcommit.session.compose import Composer
from smartcommit.session.ledger import Ledger, LeftHunk, SessionFile, open_ledger
from smartcommit.session.outcome import Outcome, SessionRefused, describe_hunk, next_command
from smartcommit.setup.git_hooks import GitHooks
from smartcommit.signals import exit_on_signals
from smartcommit.split.apply import Prepared
from smartcommit.split.embedded.partition import STRATEGIES
from smartcommit.split.engine import AUTO, EngineOptions, PlanResult, SplitOptions
from smartcommit.split.flow import Flow, check_not_jj
from smartcommit.split.outcome import DONE, NOTHING, explain_failure
from smartcommit.split.plan import SuspectFile, list_units
from smartcommit.split.plan_file import describe_suspect
from smartcommit.split.unwanted import take_screened_snapshot
from smartcommit.state_files import replace_file

_EDITING = "correct the message in the plan and give it with '--plan FILE', or make one commit with '--message MESSAGE'"


# How often commits are made that cannot be published, because HEAD, the index or the session's lines have changed: each
# of several sessions should get its turn. The second number is for commits with a check, which may take long.
_ATTEMPTS, _CHECKED_ATTEMPTS = 6, 2
# Owners of a hunk that are no session.
_UNOWNED = ("nobody", "unclear")
# What tells a hunk: its path, a digest of its lines, and where it is in the working tree.
_Place = tuple[bytes, str, int, int]


def plan(repository: Repository, session: str, *, strategy: str = AUTO, count: int | None = None) -> Outcome:
    """Return the commits that the session's lines would become, grouped as one of STRATEGIES; nothing changes.

    Raise SmartcommitError as a split does.
    """
    if strategy not in STRATEGIES:
        raise ConfigError(f"there is no strategy '{strategy}'", hint=f"choose one of {', '.join(STRATEGIES)}")
    _check_ready(repository)
    options = SplitOptions(EngineOptions(strategy=strategy, count=count), json=True)
    files = _list_files(repository, session)
    composer = Composer(files)
    with exit_on_signals(), _open_flow(repository, composer, options, []) as (_, suspects, flow):
        made = flow.plan()
        if made is None:
            return _report_nothing(files, composer, suspects)
        document = made.describe()
    command = next_command("commit", session)
    following = [command, f"{command} --plan FILE"]
    return Outcome(DONE, {"status": "ok", **document, **_describe(files, composer), "next": following})


def commit(repository: Repository, session: str, **given: Any) -> Outcome:
    """Commit the session's lines: all commits are made, or none.

    What is `given` are fields of SplitOptions; a plan is one that `plan` described.

    Raise SessionRefused if the plan is for other lines, or a check or hook fails; otherwise as a split does.
    """
    _check_ready(repository)
    if given.get("run_hooks") is None:
        given["run_hooks"] = _choose_hooks(repository)
    options = SplitOptions(json=True, **given)
    reason = ""
    for _ in range(_ATTEMPTS if options.check is None else _CHECKED_ATTEMPTS):
        try:
            return _commit_once(repository, session, options)
        except SplitPlanOutdated as error:
            reason = str(error)
    again = next_command("commit", session)
    raise SessionRefused(reason, hint="run it again once the files are left alone", following=[again])


def _commit_once(repository: Repository, session: str, options: SplitOptions) -> Outcome:
    files = _list_files(repository, session)
    composer = Composer(files)
    output: list[str] = []
    with exit_on_signals(), _open_flow(repository, composer, options, output) as (snapshot, suspects, flow):
        made = _plan(flow, session)
        if made is None:
            return _report_nothing(files, composer, suspects)
        flow.check_messages(made, advice=_EDITING)
        try:
            prepared = flow.prepare(made, flow.identity)
        except SplitError as error:
            in_part = [os.fsdecode(file.path) for file in composer.files if file.left]
            raise SessionRefused(
                str(error), hint=error.hint, following=error.following, output=output, in_part=in_part
            ) from None
        with open_ledger(repository) as ledger:
            _publish(ledger, session, prepared, composer.files)
        document = replace(made, plan=prepared.plan).describe(flow.list_created(prepared))
        untidy = list(snapshot.run.warnings)
    following = [next_command("undo", session)]
    document |= {"status": "ok", **_describe(files, composer), "untidy": untidy, "next": following}
    return Outcome(DONE, document | {"claims": flow.claims, "not_run": _list_unrun(repository)})


def _choose_hooks(repository: Repository) -> Sequence[str] | None:
    """Return the hooks that are run on each message: `commit-msg`, as git would, unless a setting says otherwise."""
    settings = config.load(repository.worktree)
    return ("commit-msg",) if settings.source("split-hooks") == "default" else None


def _list_unrun(repository: Repository) -> list[str]:
    """Return the hooks that `git commit` would have run before, on the files; `--exec` can take their place."""
    entries = GitHooks(repository).list_entries("pre-commit")
    return ["pre-commit"] if any(entry.idle is None for entry in entries) else []


def _plan(flow: Flow, session: str) -> PlanResult | None:
    """Return the plan to apply, None if there is nothing to commit; raise SessionRefused if it is outdated."""
    try:
        return flow.plan()
    except SplitPlanOutdated as error:
        planning = next_command("plan", session)
        raise SessionRefused(str(error), hint="make a new plan", following=[planning]) from None


def undo(repository: Repository, session: str) -> Outcome:
    """Undo the last commits that were made of the session's lines at once, and give it the lines back.

    What is uncommitted by then stays whose it is.

    Raise SessionRefused if there are none, or if they are no longer the last ones.
    """
    _check_ready(repository)
    with open_ledger(repository) as ledger:
        entry = _find_last(repository, session)
        states = _read_note(repository, entry, "states")
        owners = _list_owners(ledger)
        with _explaining():
            _, untidy = undo_split(repository, name=entry.name)
        ledger.restore_states(states)
        _return_hunks(ledger, owners)
    following = [next_command("plan", session)]
    document = {"status": "ok", "head": entry.old, "undone": entry.count, "untidy": untidy, "next": following}
    return Outcome(DONE, document)


def _check_ready(repository: Repository) -> None:
    check_not_jj(repository.worktree)
    check_recovered(repository)


def _list_files(repository: Repository, session: str) -> list[SessionFile]:
    """Return what the session has uncommitted now."""
    with open_ledger(repository) as ledger:
        return ledger.list_files(session)


@contextmanager
def _open_flow(
    repository: Repository, composer: Composer, options: SplitOptions, output: list[str]
) -> Iterator[tuple[Snapshot, Sequence[SuspectFile], Flow]]:
    """Yield a split of what `composer` composes; what it says goes to `output`."""
    snapshots = take_screened_snapshot(
        repository, staged=False, apart=(), planned=options.planned_paths, include_secrets=False,
        compose=composer.compose,
    )  # fmt: skip
    with snapshots as (snapshot, suspects):
        yield snapshot, suspects, Flow(snapshot, suspects, options, None, complain=output.append)


def _publish(ledger: Ledger, session: str, prepared: Prepared, composed: Sequence[SessionFile]) -> None:
    """Make the commits the user's, and tell the ledger.

    Raise SplitPlanOutdated if HEAD has moved, or the session's lines are no longer those `composed`.
    """
    changed: set[bytes] = set()
    for unit in list_units(prepared.plan.commits):
        changed.update(unit.paths)
    left: set[bytes] = set()
    for unit in prepared.plan.skipped:
        left.update(unit.paths)
    if ledger.repository.head() != prepared.snapshot.base:
        raise SplitPlanOutdated("HEAD has moved in the meantime")
    now = {file.path: file for file in ledger.list_files(session)}
    committed = [file for file in composed if file.path in changed]
    for file in committed:
        found = now.get(file.path)
        if found is None or (found.base, found.composed) != (file.base, file.composed):
            raise SplitPlanOutdated(f"the session's lines in '{os.fsdecode(file.path)}' change all the time")
    with _explaining():
        _keep_states(prepared.snapshot.run, session, ledger.save_states([file.path for file in committed]))
        prepared.publish()
    # Of a file that was committed in part the ledger finds the lines in HEAD.
    ledger.committed(session, [file for file in committed if file.path not in left])


@contextmanager
def _explaining() -> Iterator[None]:
    """Say what the system has refused: it was nothing of the ledger's."""
    try:
        yield
    except OSError as error:
        raise explain_failure(error) from None


def _keep_states(run: SplitRun, session: str, states: bytes) -> None:
    """Keep with a run whose lines it commits, and what gives them back."""
    os.mkdir(run.notes)
    replace_file(os.path.join(run.notes, "states"), states)
    replace_file(os.path.join(run.notes, "session"), session.encode())


def _read_note(repository: Repository, entry: Journal, name: str) -> bytes:
    """Return what was kept with a run, empty if it is no session's."""
    return read_file(os.path.join(SplitRun(repository, entry.name).notes, name)) or b""


def _find_last(repository: Repository, session: str) -> Journal:
    """Return the run with the session's last commits. Raise SessionRefused if there is none, or HEAD is not there."""
    entries = journal.read_all(repository)
    own = [entry for entry in entries if _read_note(repository, entry, "session") == session.encode()]
    if not own:
        raise SessionRefused("the session has no commits to undo", hint=None)
    entry = own[-1]
    branch, head = repository.pinned().branch(), repository.head()
    if branch != entry.branch:
        place = f"git switch {shlex.quote(entry.branch)}" if entry.branch else f"git switch --detach {entry.new[:12]}"
        raise SessionRefused(
            "the session's commits are on another branch",
            hint="switch to it, then undo", following=[place, next_command("undo", session)],
        )  # fmt: skip
    if head != entry.new or entry is not entries[-1]:
        revert = f"git revert --no-edit {entry.old[:12]}..{entry.new[:12]}" if entry.old else "git log --oneline"
        raise SessionRefused(
            "HEAD has moved since the session's commits",
            hint="take their changes back by new commits, or keep them", following=[revert],
        )  # fmt: skip
    if not index_holds(SplitRun(repository, entry.name), entry.index_tree):
        raise SessionRefused(
            "something was staged since the session's commits",
            hint="commit or unstage what was staged, then undo",
            following=[f"git diff --cached --stat {entry.index_tree[:12]}"],
        )
    return entry


def _find_place(path: bytes, hunk: LeftHunk) -> _Place:
    return path, hunk.id.rpartition("-")[0], hunk.new_start, hunk.new_count


def _list_owners(ledger: Ledger) -> dict[_Place, str]:
    """Return whose the uncommitted hunks are that are a session's."""
    owners = {}
    # To no session all of them are left.
    for file in ledger.list_files(""):
        for hunk in file.left:
            if hunk.owner not in _UNOWNED:
                owners[_find_place(file.path, hunk)] = hunk.owner
    return owners


def _return_hunks(ledger: Ledger, owners: Mapping[_Place, str]) -> None:
    """Give hunks to the sessions whose they were: the states that an undo restores are older than these."""
    for owner in sorted(set(owners.values())):
        found = []
        for file in ledger.list_files(owner):
            for hunk in file.left:
                if hunk.owner in _UNOWNED and owners.get(_find_place(file.path, hunk)) == owner:
                    found.append(hunk.id)
        # A file that is written just now has other hunks: they stay nobody's.
        with suppress(SmartcommitError):
            ledger.claim(owner, found)


def _report_nothing(files: Iterable[SessionFile], composer: Composer, suspects: Sequence[SuspectFile]) -> Outcome:
    following = [held.command for held in composer.held if held.command]
    warnings = list(map(describe_suspect, suspects))
    document = {"status": "nothing", "warnings": warnings, **_describe(files, composer), "next": following}
    return Outcome(NOTHING, document)


def _describe(files: Iterable[SessionFile], composer: Composer) -> dict[str, Any]:
    """Return what stays uncommitted: lines in `left`, and in `held` files of the session."""
    left = []
    for file in files:
        for hunk in file.left:
            left.append({"path": os.fsdecode(file.path), **describe_hunk(hunk)})
    held = []
    for each in composer.held:
        held.append({**each.as_dict(), "path": os.fsdecode(each.path)})
    return {"left": left, "held": held}
