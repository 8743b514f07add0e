"""An edit of the descriptions in a file: drafts before the editor opens, the check afterwards."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

import click

from smartcommit import state_files
from smartcommit.config import follows_history, load, make_plan_rules, make_rules, wants_model
from smartcommit.draft.message_file import complete_header, prepare_for_change
from smartcommit.errors import JjError, describe_error
from smartcommit.git.habits import is_conventional
from smartcommit.git.repo import Trees
from smartcommit.jj.description import NO_COMMENT, is_plan, relax
from smartcommit.jj.description_file import CLEANING, DescriptionPart, join_parts, read_parts
from smartcommit.jj.run import NO_SNAPSHOT, find_jj_repository, find_state_directory, run_jj
from smartcommit.message.characters import printable
from smartcommit.message.choices import is_left_open, take_choice
from smartcommit.message.cleanup import STRIP, Cleaned, awaits_draft, is_left_empty
from smartcommit.message.parse import parse
from smartcommit.message.report import find_style, format_text
from smartcommit.message.rules import WARNING
from smartcommit.terminal import Terminal
from smartcommit.verdict import CheckResult, check_recorded, suggest_header
from smartcommit.waiting import hold_keyboard

# Options with which jj lets the user choose a part of a change, in words of a command line.
_INTERACTIVE = re.compile(r"-[a-z]*i.*|--(interactive|tool)(=.*)?")
# The commit of a change and a summary of its files; no commit if it has conflicts, which jj writes as files.
_TEMPLATE = 'if(self.conflict(), "", self.commit_id()) ++ "\\n" ++ self.diff().summary()'


class DescriptionEdit:
    """The edit of the description file at `path`, for the jj with the arguments `caller` in the workspace at `root`."""

    def __init__(self, root: str, path: str, caller: Sequence[str]) -> None:
        self._root = root
        self._state = find_state_directory(root)
        self._path = path
        self._caller = caller
        # As jj wrote them.
        self._before = {part.name: part for part in read_parts(_read(path))}
        self._changes: dict[bytes, Trees | None] = {}

    def draft(self, editor: str) -> None:
        try:
            self._draft(editor)
        except OSError as error:
            _say(f"no draft: {describe_error(error)}")
        except Exception as error:  # even a bug must not block the edit
            _say(f"no draft: {state_files.explain_bug(error, self._state)}")

    def _draft(self, editor: str) -> None:
        since = time.monotonic()
        settings = load(self._root)
        if not settings.flag("draft"):
            return
        content = _read(self._path)
        parts = read_parts(content)
        terminal = Terminal.open() if wants_model(settings) else None
        with terminal or nullcontext(), hold_keyboard(terminal):
            for part in parts:
                change = None
                if part.listing and awaits_draft(part.text, CLEANING.comment):
                    change = self._find_change(part)
                if change is None:
                    continue
                body = prepare_for_change(
                    change, settings, b"\n".join(part.body), CLEANING, editor=editor, terminal=terminal, since=since
                )
                if body is not None:
                    part.replace(body)
        if join_parts(parts) != content:
            state_files.replace_file(self._path, join_parts(parts))

    def _find_change(self, part: DescriptionPart) -> Trees | None:
        """Return the change that the part describes, None if its content is not known or it is a merge."""
        if part.name not in self._changes:
            self._changes[part.name] = self._read_change(part)
        return self._changes[part.name]

    def _read_change(self, part: DescriptionPart) -> Trees | None:
        commit = part.commit_id
        # The description may be for a part of what the files changed, judging by jj's arguments.
        is_partial = {"describe", "desc", "commit", "ci"}.isdisjoint(self._caller) or any(
            _INTERACTIVE.fullmatch(item) for item in self._caller
        )
        if not commit and part.change_id and not is_partial:
            revset = f"exactly(change_id({part.change_id}), 1)"
            log = ("log", NO_SNAPSHOT, "--no-graph", "-r", revset, "-T", _TEMPLATE)
            try:
                output = run_jj(log, repository=self._root).decode("utf-8", "replace")
            except JjError:  # a new change, which jj does not know yet, or a divergent one
                return None
            commit, _, listing = output.partition("\n")
            if listing != part.listing:
                return None
        if not commit:
            return None
        repository = find_jj_repository(self._root)
        _, *parents = repository.run("rev-list", "--parents", "--max-count=1", commit, "--").decode().split()
        if len(parents) > 1:
            return None
        return Trees(repository, parents[0] if parents else repository.empty_tree, commit)

    def check(self) -> int:
        parts = read_parts(_read(self._path))
        status = 0
        for part in parts:
            choice = take_choice(b"\n".join(part.body), CLEANING.comment)
            if choice is not None:
                part.replace(choice[0])
                state_files.replace_file(self._path, join_parts(parts))
                _say(f"the header you chose replaces the empty '{choice[1]} '")
            cleaned = part.clean()
            verdict = self._judge(self._before.get(part.name, DescriptionPart()), cleaned)
            if verdict.refused and is_left_open(_decode(cleaned)):
                _say("the summary is empty: edit the description again: write one or choose a header from the comments")
            elif verdict.violations:
                style = find_style(sys.stderr)
                click.echo(format_text(self._path, verdict.lines, verdict.violations, style), nl=False, err=True)
            status = max(status, int(verdict.refused))
        return status

    def _judge(self, part: DescriptionPart, cleaned: Cleaned) -> CheckResult:
        """Return the verdict on the text `cleaned` for the part `part`, as `commit-msg` finds it for git."""
        if is_left_empty(cleaned.text, STRIP):
            return CheckResult(cleaned.text, [], exempt="no description")
        settings = load(self._root)
        rules = make_rules(settings, finished=True)
        message = parse(_decode(cleaned), comment=NO_COMMENT).message
        if is_plan(message) and not message.finished:
            # What else the project requires can be added until then.
            rules = relax(make_plan_rules(settings))
        verdict = check_recorded(cleaned, CLEANING, rules=rules)
        if not verdict.refused:
            return verdict
        change = self._find_change(part)
        # jj's editor is set for all repositories of a user, also for those where nobody asks for such messages.
        directory, revision = self._root, "HEAD"
        if change is not None:
            directory, revision = change.repository.git_dir, change.base
        if follows_history(settings) and not is_conventional(directory, revision):
            for violation in verdict.violations:
                violation.level = WARNING
            return verdict
        if change is not None:
            suggest_header(verdict, partial(complete_header, change.repository, settings, change=change))
        return verdict


def _decode(cleaned: Cleaned) -> str:
    return cleaned.text.decode("utf-8", "surrogateescape")


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _say(text: str) -> None:
    click.echo(f"smartcommit: {printable(text)}", err=True)
