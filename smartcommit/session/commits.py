"""Plans, makes and undoes the commits of one session: its own lines alone, by the transaction of a split.

The lines are composed twice: for the commits, which take as long as the splitter and `--exec` do, and again just before
these are published, when the ledger is locked. Only if both are the same HEAD moves.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from smartcommit import config
from smartcommit.errors import NothingToUndo, SmartcommitError, SplitError, SplitPlanOutdated, describe_error
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.git.transaction import journal
from smartcommit.git.transaction.journal import Journal, SplitRun
from smartcommit.git.transaction.move import index_holds
from smartcommit.git.transaction.recover import refuse_if_interrupted
from smartcommit.git.transaction.undo import undo as undo_split
from smartcommit.session import registry
from smartcommit.session.compose import Composer
from smartcommit.session.ledger import Ledger, SessionFile
from smartcommit.session.outcome import Outcome, SessionRefused, describe_answer, describe_hunk, next_command
from smartcommit.session.worktree import read_branch
from smartcommit.setup.git_hooks import GitHooks
from smartcommit.signals import exit_on_signals
from smartcommit.split.apply import Prepared
from smartcommit.split.flow import Flow, check_not_jj, make_flow
from smartcommit.split.outcome import DONE, NOTHING, explain_failure
from smartcommit.split.plan import list_units
from smartcommit.split.plan_file import describe_plan, describe_suspect
from smartcommit.split.source import AUTO, EngineOptions, Source, SplitOptions
from smartcommit.split.unwanted import take_screened_snapshot
from smartcommit.state_files import replace_file

_EDITING = "correct the message in the plan and give it with '--plan FILE', or make one commit with '--message MESSAGE'"


def plan(repository: Repository, session: str, *, strategy: str = AUTO, count: int | None = None) -> Outcome:
    """Return the commits that the session's lines would become; nothing changes. Errors are those of a split."""
    _check_ready(repository)
    options = SplitOptions(EngineOptions(strategy=strategy, count=count), json=True)
    with exit_on_signals(), _open_flow(repository, session, options, output=[]) as (composer, flow):
        planned = flow.plan()
        if planned is None:
            return _report_nothing(session, flow.source, composer)
        document = {**describe_plan(planned), **_describe_rest(composer)}
    command = next_command("commit", session)
    return Outcome(DONE, describe_answer(session, command, f"{command} --plan FILE", **document))


def commit(repository: Repository, session: str, options: SplitOptions, *, branch: str | None = None) -> Outcome:
    """Commit the session's lines: all commits are made, or none.

    They go upon the branch that the session began on, or upon `branch`, either of which must be checked out. A plan in
    the `options` is one that `plan` described.

    Raise SessionRefused if the plan is for other lines, another branch is checked out, or a check or hook fails;
    otherwise as a split does.
    """
    _check_ready(repository)
    options = replace(options, json=True)
    if config.load(repository.worktree).source("split-hooks") == "default":
        options = replace(options, run_hooks=("commit-msg",))  # as git would run it
    try:
        return _commit(repository, session, branch, options)
    except SplitPlanOutdated as error:
        if options.plan is None:
            hint, following = "run it again", _repeat(session, options)
        else:
            hint, following = "make a new plan", next_command("plan", session)
        raise SessionRefused(str(error), hint=hint, following=[following]) from None


def _repeat(session: str, options: SplitOptions) -> str:
    """Return the command that commits with the same `options` as this time."""
    command = next_command("commit", session)
    if options.plan is not None:
        command += " --plan FILE"
    for name, value in (("message", options.message), ("exec", options.check), ("ticket", options.ticket)):
        if value is not None:
            command += f" --{name} {shlex.quote(value)}"
    if options.sign_off:
        command += " --signoff"
    return command


def _settle_branch(repository: Repository, session: str, branch: str | None, options: SplitOptions) -> None:
    """Let the session go on upon `branch`, if that is checked out; raise SessionRefused if HEAD is elsewhere."""
    current = read_branch(repository)
    entry = registry.find(repository, session)
    if entry is None:
        return
    if branch == current:
        registry.move(repository, entry)
    elif branch is not None or current != entry.branch:
        raise SessionRefused(
            f"'{current}' is checked out, and these commits are for '{branch or entry.branch}'",
            hint=f"switch back, or say with '--branch {current}' that they are for this one",
            following=[f"{_repeat(session, options)} --branch {shlex.quote(current)}"],
        )


def _commit(repository: Repository, session: str, branch: str | None, options: SplitOptions) -> Outcome:
    output: list[str] = []
    with exit_on_signals(), _open_flow(repository, session, options, output=output) as (composer, flow):
        # After the snapshot, which refuses an operation in progress: a rebase has another branch checked out.
        _settle_branch(repository, session, branch, options)
        plan = flow.plan()
        if plan is None:
            return _report_nothing(session, flow.source, composer)
        flow.words.check(plan, advice=_EDITING)
        try:
            prepared = flow.prepare(plan)
        except SplitError as error:
            in_part = [os.fsdecode(file.path) for file in composer.files if file.left]
            raise SessionRefused(
                str(error), hint=error.hint, following=error.following, output=output, in_part=in_part
            ) from None
        document = describe_plan(prepared.plan, flow.words.list_created(prepared))
        # `git commit` would have run these on the files before; `--exec` can take their place.
        unrun = [entry for entry in GitHooks(repository).list_entries("pre-commit") if entry.idle is None]
        document |= {"claims": flow.claims, "not_run": ["pre-commit"] if unrun else [], **_describe_rest(composer)}
        untidy = prepared.snapshot.run.warnings
        with Ledger(repository) as ledger:
            _publish(ledger, session, prepared, composer.files)
            with _noting(untidy):
                ledger.follow_head()
        with _noting(untidy):
            # What comes next is something else.
            registry.note_task(repository, session, "")
        document["untidy"] = list(untidy)
    return Outcome(DONE, describe_answer(session, next_command("undo", session), **document))


def undo(repository: Repository, session: str) -> Outcome:
    """Undo the last commits of the session's lines. Raise NothingToUndo if there are none, or as `_find_last`."""
    _check_ready(repository)
    with Ledger(repository) as ledger:
        entry = _find_last(repository, session)
        ledger.begin_undo(session, entry.old or "")
        untidy: list[str] = []
        try:
            with _explaining():
                _, untidy = undo_split(repository, name=entry.name)
        finally:
            with _noting(untidy):
                ledger.finish_undo()
    document = {"head": entry.old, "undone": entry.count, "untidy": untidy}
    return Outcome(DONE, describe_answer(session, next_command("plan", session), **document))


def _check_ready(repository: Repository) -> None:
    check_not_jj(repository.worktree)
    refuse_if_interrupted(repository)


@contextmanager
def _open_flow(
    repository: Repository, session: str, options: SplitOptions, *, output: list[str]
) -> Iterator[tuple[Composer, Flow]]:
    """Yield what composes the session's target, and the flow that splits it; what is printed goes to `output`."""
    with Ledger(repository) as ledger:
        composer = Composer(ledger.list_files(session))
    snapshots = take_screened_snapshot(repository, options, compose=composer.compose)
    with snapshots as (snapshot, suspects):
        source = Source(snapshot, suspects, options, None, complain=output.append)
        said = {"agent-prompts": registry.read_task(repository, session)}
        yield composer, make_flow(source, said=said)


def _publish(ledger: Ledger, session: str, prepared: Prepared, composed: Sequence[SessionFile]) -> None:
    """Make the commits the user's. Raise SplitPlanOutdated if HEAD has moved, or the lines are not those `composed`."""
    changed: set[bytes] = set()
    for unit in list_units(prepared.plan.commits):
        changed.update(unit.paths)
    if ledger.repository.head() != prepared.snapshot.base:
        raise SplitPlanOutdated("HEAD has moved in the meantime")
    now = {file.path: (file.base, file.composed) for file in ledger.list_files(session)}
    for file in composed:
        if file.path in changed and now.get(file.path) != (file.base, file.composed):
            raise SplitPlanOutdated(f"the session's lines in '{os.fsdecode(file.path)}' have changed in the meantime")
    with _explaining():
        notes = prepared.snapshot.run.notes
        os.mkdir(notes)
        replace_file(os.path.join(notes, "session"), session.encode())
        prepared.publish()


@contextmanager
def _noting(untidy: list[str]) -> Iterator[None]:
    """Add an error of a block that only notes where HEAD is by now to `untidy`; the next command notes it again."""
    try:
        yield
    except (OSError, SmartcommitError) as error:
        untidy.append(f"cannot note this for the session: {describe_error(error)}")


@contextmanager
def _explaining() -> Iterator[None]:
    """Explain what the system refuses here, which the ledger would take for a refusal to write its own files."""
    try:
        yield
    except OSError as error:
        raise explain_failure(error) from None


def _find_last(repository: Repository, session: str) -> Journal:
    """Return the run with the session's last commits.

    Raise NothingToUndo if there is none, SessionRefused if HEAD is not there, or something was staged since.
    """
    entries = journal.read_all(repository)
    entry = None
    for known in entries:
        note = os.path.join(SplitRun(repository, known.name).notes, "session")
        if read_file(note) == session.encode():
            entry = known
    if entry is None:
        raise NothingToUndo("the session has no commits to undo")
    if repository.pinned().branch() != entry.branch:
        place = shlex.quote(entry.branch) if entry.branch else f"--detach {entry.new[:12]}"
        raise SessionRefused(
            "the session's commits are on another branch",
            hint="switch to it, then undo", following=[f"git switch {place}", next_command("undo", session)],
        )  # fmt: skip
    if repository.head() != entry.new or entry is not entries[-1]:
        if entry.old:
            following = f"git revert --no-edit {entry.old[:12]}..{entry.new[:12]}"
        else:
            following = "git log --oneline"
        raise SessionRefused(
            "HEAD has moved since the session's commits",
            hint="take their changes back by new commits, or keep them", following=[following],
        )  # fmt: skip
    if not index_holds(SplitRun(repository, entry.name), entry.index_tree):
        raise SessionRefused(
            "something was staged since the session's commits",
            hint="commit or unstage what was staged, then undo",
            following=[f"git diff --cached --stat {entry.index_tree[:12]}"],
        )
    return entry


def _report_nothing(session: str, source: Source, composer: Composer) -> Outcome:
    following = [held.command for held in composer.held]
    warnings = [describe_suspect(suspect) for suspect in source.suspects]
    document = {"status": "nothing", "warnings": warnings, **_describe_rest(composer)}
    return Outcome(NOTHING, describe_answer(session, *following, **document))


def _describe_rest(composer: Composer) -> dict[str, Any]:
    """Return what stays uncommitted: hunks that are left in the session's files, and files that are held."""
    left = []
    for file in composer.given:
        left += [{"path": os.fsdecode(file.path), **describe_hunk(hunk)} for hunk in file.left]
    held = [{**each.as_dict(), "path": os.fsdecode(each.path)} for each in composer.held]
    return {"left": left, "held": held}
