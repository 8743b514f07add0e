"""`smartcommit session`: which uncommitted lines a coding agent's session has, and commits of them; JSON in and out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from smartcommit.commands.subcommands import refuse_on_windows
from smartcommit.git.repo import Repository
from smartcommit.session import commits, registry
from smartcommit.session.ledger import Ledger
from smartcommit.session.outcome import Outcome, describe_answer, describe_failure, describe_file, next_command
from smartcommit.session.worktree import read_branch
from smartcommit.split.embedded.partition import STRATEGIES
from smartcommit.split.outcome import DONE, EXPECTED
from smartcommit.split.plan_file import read_plan
from smartcommit.split.source import AUTO, SplitOptions


@click.group(
    epilog="Exit status: 0 success, 1 nothing to do, 2 model or usage, 3 refused or git error, 64 wrong setting."
)
def command() -> None:
    """Commit only what a coding agent's session has changed."""
    refuse_on_windows("'smartcommit session'")


def session_command(name: str, *, begins: bool = False) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a subcommand of a function of a repository and a session's id, and print what it returns as JSON.

    That is an Outcome, or the document of one that succeeds. `begins` is for the subcommand that makes a session.
    """

    def decorate(function: Callable[..., dict[str, Any] | Outcome]) -> click.Command:
        @command.command(name)
        @click.option("--repo", default=".", help="A directory of the repository.", type=click.Path(exists=True))
        @click.option("--session", "session_id", help="The session's id; by default that of the coding agent.")
        @wraps(function)  # with its own options, which click has noted in an attribute
        def run(*, repo: str, session_id: str | None, **given: Any) -> int:
            document: dict[str, Any] = {}
            try:
                repository = Repository.find(repo)
                document["branch"] = read_branch(repository)
                outcome = function(repository, registry.choose(repository, session_id, begins=begins), **given)
            except EXPECTED as error:
                outcome = describe_failure(error)
            if not isinstance(outcome, Outcome):
                outcome = Outcome(DONE, outcome)
            click.echo(json.dumps({**document, **outcome.document}))
            return outcome.status

        return run

    return decorate


@session_command("start", begins=True)
@click.option("--product", default="", help="The coding agent, such as 'claude'.")
def start(repository: Repository, session: str, *, product: str) -> dict[str, Any]:
    """Begin a session: what is uncommitted by now is nobody's."""
    with Ledger(repository) as ledger:
        ledger.start(session, product=product)
    return describe_answer(session, next_command("status", session))


@session_command("end")
def end(repository: Repository, session: str) -> dict[str, Any]:
    """End a session: others can claim what it left."""
    with Ledger(repository) as ledger:
        ledger.end(session)
    return describe_answer(session)


@session_command("status")
def status(repository: Repository, session: str) -> dict[str, Any]:
    """List what the session can commit, and what stays uncommitted and why."""
    with Ledger(repository) as ledger:
        files = ledger.list_files(session)
        unread = ledger.list_unread()
    following = []
    if any(file.own for file in files):
        following.append(next_command("plan", session))
    described = [describe_file(file) for file in files]
    return describe_answer(session, *following, files=described, unread=[os.fsdecode(path) for path in unread])


@session_command("claim")
@click.argument("hunks", metavar="HUNK...", nargs=-1, required=True)
def claim(repository: Repository, session: str, *, hunks: Sequence[str]) -> dict[str, Any]:
    """Take hunks that are nobody's, by the ids that `status` lists."""
    with Ledger(repository) as ledger:
        ledger.claim(session, hunks)
    return describe_answer(session, next_command("plan", session))


@session_command("plan")
@click.option(
    "--strategy",
    type=click.Choice(STRATEGIES),
    default=AUTO,
    help="How to group the changes: 'hunk' makes a commit of each hunk.",
)
@click.option("--count", type=click.IntRange(min=1), metavar="N", help="Number of commits to aim for.")
def plan(repository: Repository, session: str, **given: Any) -> Outcome:
    """Print commits that the session's lines could become, as a plan for 'commit --plan'."""
    return commits.plan(repository, session, **given)


@session_command("commit")
@click.option("--plan", "plan_file", type=click.File("rb"), metavar="FILE", help="Apply the plan in FILE.")
@click.option("-m", "--message", metavar="TEXT", help="Make one commit with this message.")
@click.option(
    "--exec", "check", metavar="CMD", help="Run CMD on every commit, and change nothing if it fails on any of them."
)
@click.option(
    "--branch", metavar="NAME", help="Commit upon NAME, which is checked out, though the session is another's."
)
@click.option("--ticket", metavar="ID", help="Ticket of these commits, where the project requires one.")
@click.option("-s", "--signoff", "sign_off", is_flag=True, help="Add a Signed-off-by trailer to every commit.")
def commit(repository: Repository, session: str, *, plan_file: Any, branch: str | None, **given: Any) -> Outcome:
    """Commit the session's lines and nothing else: all commits are made, or none."""
    if plan_file is not None:
        if given["message"] is not None:
            raise click.UsageError("'--plan' and '--message' cannot be used together")
        given["plan"] = read_plan(plan_file.read().decode("utf-8", "surrogateescape"))
    return commits.commit(repository, session, SplitOptions(**given), branch=branch)


@session_command("undo")
def undo(repository: Repository, session: str) -> Outcome:
    """Undo the session's last commits: HEAD, the index and the ledger are as before, files stay as they are."""
    return commits.undo(repository, session)
