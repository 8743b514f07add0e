"""What a split asks the user at a terminal, before and beside the review."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec

from smartcommit import config
from smartcommit.change.wording import format_count
from smartcommit.coding_agent import is_agent_at_work
from smartcommit.config import Settings
from smartcommit.files import IS_WINDOWS
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable
from smartcommit.secrets.scan import SuspectFile
from smartcommit.split.plan import SplitPlan, list_left_out
from smartcommit.split.review.render import show_plan, show_warnings
from smartcommit.split.review.session import Session
from smartcommit.split.review.text import TextReview
from smartcommit.terminal import Terminal


def open_terminal(directory: str | None) -> Terminal | None:
    """Return the terminal at which the user of the repository in `directory` can be asked.

    A coding agent is asked nothing, even on a terminal.
    """
    settings = config.load(directory or os.curdir)
    if is_agent_at_work(settings.text("coding-agent")):
        return None
    return Terminal.open()


def wants_all(suspects: Sequence[SuspectFile], terminal: Terminal) -> bool:
    """Ask the user at `terminal` whether to commit the suspect files too; without any, return False without asking."""
    left_out = list_left_out(suspects)
    return bool(left_out) and _agrees(show_warnings(left_out), "commit these files too?", terminal)


def wants_ignored(patterns: Sequence[str], terminal: Terminal) -> bool:
    """Ask the user at `terminal` whether the `patterns` that a model suggests are to be in `.gitignore`."""
    lines = [f"suggested for .gitignore: {printable(pattern)}" for pattern in patterns]
    return _agrees(lines, "ignore what matches, and commit these lines?", terminal)


def _agrees(lines: Iterable[str], question: str, terminal: Terminal) -> bool:
    for line in lines:
        terminal.write(f"{line}\n")
    return (terminal.ask(f"{question} [y/N] ") or "").lower() in ("y", "yes")


def choose_plan(plan: SplitPlan, alternative: SplitPlan, terminal: Terminal) -> SplitPlan | None:
    """Show how the plans differ, and return the one that the user wants, or None if they quit."""
    for one in sorted((plan, alternative), key=lambda one: len(one.commits)):
        terminal.write(f"{show_plan(one)}\n")
    likelier, other = len(plan.commits), len(alternative.commits)
    fewer, more = sorted((likelier, other))
    question = f"{format_count(fewer, 'commit')} or {more}? [{likelier}] "
    explanation = f"answer {fewer} or {more}; Enter for {likelier}"
    answers = {"": plan, str(likelier): plan, str(other): alternative}
    while True:
        answer = terminal.ask(question)
        if answer is None or answer.lower() in ("q", "quit"):
            return None
        if answer.lower() in answers:
            return answers[answer.lower()]
        terminal.write(f"{explanation}, q to quit\n")


def review(
    session: Session, terminal: Terminal, repository: Repository, settings: Settings, *, can_replan: bool, said: str
) -> bool:
    """Review in panes if they are installed, wanted and can be shown, else by text commands, as `TextReview.run`."""
    capable = os.environ.get("TERM", "dumb") != "dumb" and None not in (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if settings.text("review") == "text" or IS_WINDOWS or not capable or find_spec("textual") is None:
        return TextReview(session, terminal, repository, can_replan=can_replan).run()
    from smartcommit.split.review.app import review_in_panes  # needs an extra

    return review_in_panes(session, terminal, repository, can_replan=can_replan, said=said)
