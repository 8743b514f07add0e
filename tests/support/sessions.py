"""A coding agent in a repository: it edits files as its tools do, and commits its own lines."""

import itertools
import json
import os
from typing import Any

from click.testing import CliRunner

from smartcommit.commands.session import command
from smartcommit.git.repo import Repository
from smartcommit.session import commits
from smartcommit.session.edits import Deletion, NewContent, Replacement, ToolEdit
from smartcommit.session.ledger import Ledger, SessionFile
from smartcommit.session.outcome import Outcome
from smartcommit.split.source import SplitOptions
from tests.support.repository import Repo

_CALLS = itertools.count(1)


class Agent:
    """One session in `repo`; its edits are reported before and after they are made."""

    def __init__(self, repo: Repo, session: str) -> None:
        self.session = session
        self._repo = repo
        self.repository = Repository.find(str(repo.path))
        with Ledger(self.repository) as ledger:
            ledger.start(session)

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self._repo.path / path).read_bytes().decode()
        assert text.count(old) == 1
        self._edit(path, Replacement(old, new), text.replace(old, new))

    def write(self, path: str, content: str) -> None:
        self._edit(path, NewContent(content), content)

    def delete(self, path: str) -> None:
        self._edit(path, Deletion(), None)

    def _edit(self, path: str, edit: ToolEdit, content: str | None) -> None:
        name, call = os.fsencode(path), f"call{next(_CALLS)}"
        with Ledger(self.repository) as ledger:
            ledger.before_edit(self.session, name, call)
        if content is None:
            (self._repo.path / path).unlink()
        else:
            self._repo.write(path, content)
        with Ledger(self.repository) as ledger:
            ledger.after_edit(self.session, name, call, edit)

    def files(self) -> list[SessionFile]:
        with Ledger(self.repository) as ledger:
            ledger.refresh()
            return list(ledger.list_files(self.session))

    def plan(self, strategy: str = "auto") -> Outcome:
        return commits.plan(self.repository, self.session, strategy=strategy)

    def commit(self, *, branch: str | None = None, **given: Any) -> Outcome:
        return commits.commit(self.repository, self.session, SplitOptions(**given), branch=branch)

    def undo(self) -> Outcome:
        return commits.undo(self.repository, self.session)


def call(repo: Repo, *arguments: str) -> dict[str, Any]:
    """What `smartcommit session ARGUMENTS` prints."""
    answer: dict[str, Any] = json.loads(CliRunner().invoke(command, [*arguments, "--repo", str(repo.path)]).output)
    return answer
