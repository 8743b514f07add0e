"""`smartcommit split`, also `git smart-commit`: the change becomes atomic commits, all of them or none."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TextIO

import click

from smartcommit import files, policy
from smartcommit.change.history import History
from smartcommit.commands.split_review import reviewed
from smartcommit.config import Settings
from smartcommit.errors import ConfigError, GitError, JjError, SmartcommitError, SplitError
from smartcommit.git import transaction
from smartcommit.git.hunks import Pieces, read_pieces
from smartcommit.git.identity import read_identity
from smartcommit.git.query import parse_config
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, taken
from smartcommit.jj.run import find_root, is_workspace
from smartcommit.split.embedded import STRATEGIES, partition
from smartcommit.split.execute import Prepared, prepare
from smartcommit.split.messages import check_message, message_for
from smartcommit.split.plan import PlannedCommit, SplitPlan, from_json, is_cut
from smartcommit.split.show import show_left_out, show_plan
from smartcommit.terminal import Terminal, error_text, printable

DONE, NOTHING, MODEL_FAILED, GIT_FAILED, CANCELLED, USAGE = 0, 1, 2, 3, 4, 64

Out = Callable[[str], None]

_EXPECTED = (SmartcommitError, OSError)

_STATUSES = "Exit status: 0 done, 1 nothing to split, 2 model, 3 git, 4 cancelled, 64 usage."


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a caller may ask for beyond the split itself.

    `count` is the number of commits, where one is wished. `plan` is a written plan to carry out, `save_plan` the path
    of a file to write the plan to.
    """

    strategy: str = "auto"
    count: int | None = None
    plan: str | None = None
    save_plan: str | None = None
    dry_run: bool = False
    json: bool = False
    quiet: bool = False


def split(
    repository: Repository,
    *,
    staged: bool,
    yes: bool,
    terminal: Terminal | None,
    out: Out,
    complain: Out | None = None,
    wanted: Wanted | None = None,
) -> int:
    """Split the working tree's changes, or what is `staged`, and return the exit status.

    A person at `terminal` reviews the plan. Without one the plan is carried out where `yes` says so, and
    printed otherwise. `out` gets what to print, a text of one or more lines at a time, and `complain` (default: `out`)
    what went wrong. Statuses: 0 done, 1 nothing to split, 3 refused by git or by the repository's state, 4 cancelled.
    """
    complain = complain or out
    try:
        wanted = wanted or Wanted()
        if yes or not (wanted.dry_run or wanted.json):
            _check_not_jj(repository.worktree)
        transaction.check_settled(repository)
        with taken(repository, staged=staged) as snapshot:
            return _Flow(snapshot, wanted, terminal, out=out, complain=complain).run(yes=yes)
    except _EXPECTED as error:
        return _fail(error, complain)


def _check_not_jj(directory: str) -> None:
    """Commits that git makes beside jj leave the description of jj's change, and a plan in it, behind on a sibling."""
    if is_workspace(directory):
        raise SplitError(
            "this is a jj repository, and commits made by git would leave jj's change behind",
            hint="run 'jj split -m MESSAGE FILESET...' for each part; what remains keeps its description",
        )


def _find(directory: str | None) -> Repository:
    try:
        return Repository.find(directory)
    except GitError:
        # Without git beside it, a jj workspace is no git repository at all.
        with suppress(JjError):
            _check_not_jj(find_root(directory or "."))
        raise


def _fail(error: SmartcommitError | OSError, complain: Out) -> int:
    """Say what went wrong; a wrong setting is a matter of usage, everything else of git and its repository."""
    if isinstance(error, OSError):
        error = SplitError(f"'{error.filename}': {error.strerror}" if error.filename else str(error))
    complain(error_text(error))
    return USAGE if isinstance(error, ConfigError) else GIT_FAILED


def _check_messages(plan: SplitPlan, settings: Settings) -> None:
    """Hold the messages of `plan` against the project's rules, as nobody will look at them."""
    rules = policy.rules_of(settings)
    for commit in plan.commits:
        check_message(commit.message, rules)


class _Flow:
    """One split of one snapshot, from its pieces to the commits."""

    def __init__(
        self, snapshot: Snapshot, wanted: Wanted, terminal: Terminal | None, *, out: Out, complain: Out
    ) -> None:
        self._snapshot = snapshot
        self._wanted = wanted
        self._terminal = terminal
        self._out = out
        self._complain = complain

    def run(self, *, yes: bool) -> int:
        snapshot, wanted = self._snapshot, self._wanted
        cut = wanted.strategy == "hunk" if wanted.plan is None else is_cut(wanted.plan)
        pieces = read_pieces(snapshot.repository, snapshot.since, snapshot.target, cut=cut)
        if not pieces.units:
            tell = self._complain if wanted.json else self._say
            tell("nothing is staged" if snapshot.staged else "there is nothing to split")
            return NOTHING
        listing = parse_config(snapshot.repository.run("config", "-z", "--list"))
        settings = Settings(git=listing, policy=policy.tracked(snapshot.repository.worktree))
        plan = self._plan(pieces, settings)
        terminal = None if yes or wanted.json or wanted.dry_run else self._terminal
        if terminal is None:
            _check_messages(plan, settings)
        self._save(plan)
        identity = read_identity(snapshot.repository, listing)
        if terminal is not None:
            agreed = reviewed(plan, snapshot, settings, terminal)
            if agreed is None:
                self._say("cancelled: nothing was changed")
                return CANCELLED
            plan, pieces = agreed
            self._save(plan)
        elif wanted.json and not yes:
            self._out(plan.to_json())
            return DONE
        elif wanted.dry_run:
            self._show_dry_run(prepare(snapshot, plan, pieces, identity), show_plan(plan, pieces.units))
            return DONE
        elif not yes:
            self._out(f"{show_plan(plan, pieces.units)}\nnothing was changed: add '--yes' to make these commits")
            return CANCELLED
        prepared = prepare(snapshot, plan, pieces, identity)
        prepared.publish()
        self._report(prepared)
        return DONE

    def _plan(self, pieces: Pieces, settings: Settings) -> SplitPlan:
        """The plan that was given or is made."""
        snapshot, given = self._snapshot, self._wanted.plan
        if given is None:
            return self._make_plan(pieces, settings)
        return from_json(given, pieces.units, base=snapshot.base, target=snapshot.target)

    def _make_plan(self, pieces: Pieces, settings: Settings) -> SplitPlan:
        snapshot = self._snapshot
        history = History.load(snapshot.repository, snapshot.base or "HEAD")
        groups = partition(pieces, strategy=self._wanted.strategy, count=self._wanted.count)
        changed = {path for unit in pieces.units for path in unit.paths}
        return SplitPlan(
            base=snapshot.base,
            target=snapshot.target,
            staged=snapshot.staged,
            engine="embedded",
            commits=tuple(PlannedCommit(message_for(units, history, settings), tuple(units)) for units in groups),
            left_out=() if snapshot.staged else tuple(path for path in snapshot.untracked if path not in changed),
        )

    def _save(self, plan: SplitPlan) -> None:
        if self._wanted.save_plan is not None:
            files.replace(self._wanted.save_plan, f"{plan.to_json()}\n".encode())

    def _show_dry_run(self, prepared: Prepared, shown: str) -> None:
        lines = "\n".join(f"  {line}" for line in prepared.ref_lines)
        self._out(f"{shown}\nnothing was changed; 'git update-ref --stdin' would be told:\n{lines}")

    def _report(self, prepared: Prepared) -> None:
        if self._wanted.json:
            self._out(prepared.plan.to_json([made.commit for made in prepared.commits]))
            return
        for made, commit in zip(prepared.commits, prepared.plan.commits, strict=True):
            self._say(f"{made.commit[:10]} {printable(commit.subject)}")
        for line in show_left_out(prepared.plan.left_out):
            self._say(line)
        if len(prepared.commits) == 1:
            self._say("one commit: the change belongs together")
        self._say("to take it back: git smart-commit --undo")

    def _say(self, line: str) -> None:
        if not self._wanted.quiet and not self._wanted.json:
            self._out(line)


class _Misuse(click.UsageError):
    exit_code = USAGE


class _Command(click.Command):
    """A command with exit statuses of its own: those of `split`, and 64 for wrong usage."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            raise _Misuse(error.format_message(), error.ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except _EXPECTED as error:
            return _fail(error, partial(click.echo, err=True))
        except (click.Abort, KeyboardInterrupt):
            click.echo("cancelled", err=True)
            return CANCELLED


@click.command(cls=_Command, name="split", epilog=_STATUSES)
@click.option("--repo", metavar="PATH", type=click.Path(), help="a folder of the repository (default: this one)")
@click.option("--staged", is_flag=True, help="split what is staged and leave the rest as it is")
@click.option("--engine", type=click.Choice(("auto", "embedded")), default="auto", help="what makes the plan")
@click.option("--strategy", type=click.Choice(STRATEGIES), default="auto", help="how the change is grouped")
@click.option("--count", type=click.IntRange(min=1), metavar="N", help="how many commits to make, if that can be done")
@click.option(
    "--plan",
    type=click.File(encoding="utf-8", errors="surrogateescape"),
    metavar="FILE",
    help="carry out the plan in FILE",
)
@click.option("--save-plan", type=click.Path(dir_okay=False), metavar="FILE", help="write the plan to FILE as JSON")
@click.option("--dry-run", is_flag=True, help="show the plan and what would become of the refs; change nothing")
@click.option("--json", is_flag=True, help="print the plan as JSON and stop, or with --yes what was made")
@click.option("-y", "--yes", is_flag=True, help="make the commits without asking")
@click.option("-q", "--quiet", is_flag=True, help="print errors only")
@click.option("--undo", is_flag=True, help="take the last split back: HEAD and index as before, files as they are")
@click.option("--recover", is_flag=True, help="settle a split that was cut off by a crash")
def command(  # noqa: PLR0913
    *,
    repo: str | None,
    staged: bool,
    engine: str,
    strategy: str,
    count: int | None,
    plan: TextIO | None,
    save_plan: str | None,
    dry_run: bool,
    json: bool,
    yes: bool,
    quiet: bool,
    undo: bool,
    recover: bool,
) -> int:
    """Split the working tree's changes into atomic commits: all of them, or nothing happens."""
    repository = _find(repo)
    if undo:
        return _undo(repository)
    if recover:
        return _recover(repository)
    wanted = Wanted(
        strategy=strategy,
        count=count,
        plan=plan.read() if plan is not None else None,
        save_plan=save_plan,
        dry_run=dry_run,
        json=json,
        quiet=quiet,
    )
    asking = not (yes or dry_run or json)
    with (Terminal.open() if asking else None) or nullcontext() as terminal:
        return split(
            repository,
            staged=staged,
            yes=yes and not dry_run,
            terminal=terminal,
            out=click.echo,
            complain=partial(click.echo, err=True),
            wanted=wanted,
        )


def _undo(repository: Repository) -> int:
    entry = transaction.undo(repository)
    place = f"back at {entry.old[:10]}" if entry.old else "no commit again"
    click.echo(f"undone: {place}, the index as it was, the files as they are")
    return DONE


def _recover(repository: Repository) -> int:
    settled = transaction.recover(repository)
    for entry, in_force in settled:
        click.echo(f"split {entry.name}: {'complete' if in_force else 'taken back'}")
    if not settled:
        click.echo("there is nothing to recover")
    return DONE
