"""The verbs of a coding agent's session for MCP clients: note edits, and commit the session's own lines."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.mcp.split import Commits, SplitResponse, Toolbox, show_plan
from smartcommit.message.characters import printable
from smartcommit.session import commits as session_commits
from smartcommit.session import verbs
from smartcommit.session.registry import check_id

# What is told of commits beside them.
_DETAILS = ("branch", "left", "held", "claims", "not_run")

Session = Annotated[str, Field(description="the session's id, the same in each call")]
ToolEdit = Annotated[
    dict[str, Any] | None,
    Field(
        description="after an edit what was done: `kind` is `replace` with `old`, `new` and `every`, `write` with "
        "`content`, `delete`, or `patch` with `text`"
    ),
]


class SessionTools(Toolbox):
    """The tools for sessions of coding agents."""

    def session_start(self, *, session: Session) -> SplitResponse:
        """Begin a session: what is uncommitted by now is nobody's."""
        return _respond(verbs.start(self._open(session), session, product="mcp"))

    def session_note(
        self,
        *,
        session: Session,
        event: Annotated[
            Literal["before", "after", "read"], Field(description="before or after an edit, or after a read")
        ],
        path: Annotated[str, Field(description="absolute, or relative to the top level")],
        call: Annotated[str, Field(description="the same before and after one edit")] = "",
        edit: ToolEdit = None,
    ) -> SplitResponse:
        """Tell of an edit, before and after it is made: only lines that were told of belong to the session."""
        notice = {"event": event, "path": path, "call": call, "edit": edit}
        return _respond(verbs.note(self._open(session), session, notice))

    def session_status(self, *, session: Session) -> SplitResponse:
        """List what the session can commit, and what stays uncommitted and why."""
        return _respond(verbs.status(self._open(session), session))

    def session_claim(
        self, *, session: Session, hunks: Annotated[list[str], Field(description="ids from session_status")]
    ) -> SplitResponse:
        """Take hunks that are nobody's, on purpose."""
        return _respond(verbs.claim(self._open(session), session, hunks))

    def session_plan(self, *, session: Session) -> SplitResponse:
        """Propose atomic commits of the session's own lines; nothing is changed."""
        repository = self._open(session)
        document = session_commits.plan(repository, session).document
        if document["status"] == "ok":
            self._keep(repository, document)
        return _respond(document)

    def session_commit(
        self,
        *,
        session: Session,
        commits: Commits | None = None,
        message: Annotated[str | None, Field(description="makes one commit of all lines of the session")] = None,
        branch: Annotated[str | None, Field(description="commit upon it though the session began on another")] = None,
    ) -> SplitResponse:
        """Commit the session's own lines, all commits or none: as session_plan proposes, or as given."""
        if commits is not None and message is not None:
            raise SplitError("give either commits or a message", hint=None)
        repository = self._open(session)
        given: dict[str, Any] = {"message": message, "check": self._check}
        if commits is not None:
            given["plan"] = self._read(repository, commits)
        return _respond(session_commits.commit(repository, session, branch=branch, **given).document)

    def session_undo(self, *, session: Session) -> SplitResponse:
        """Undo the session's last commits: HEAD and the index are as before, files stay as they are."""
        return _respond(session_commits.undo(self._open(session), session).document)

    def _open(self, session: str) -> Repository:
        check_id(session)
        return self._find_repository()


def _respond(document: dict[str, Any]) -> SplitResponse:
    response = SplitResponse(message="done", next_actions=_make_printable(document.pop("next")))
    status = document.pop("status")
    if status == "nothing":
        response.status, response.message = "error", "the session has nothing to commit"
    elif "commits" in document:
        response = show_plan(document, "done", response.next_actions)
        document = {name: document[name] for name in _DETAILS if name in document}
    response.details = _make_printable(document)
    return response


def _make_printable(value: Any) -> Any:
    """Return `value` with texts that any client can read; lone surrogates, for example, are no JSON for all of them."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {name: _make_printable(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_make_printable, value))
    return value
