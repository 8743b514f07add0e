"""The verbs of a coding agent's session for MCP clients: note edits, and commit the session's own lines."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from smartcommit import state_files
from smartcommit.errors import SplitError
from smartcommit.git.repo import Repository
from smartcommit.mcp.split import PlannedCommit, SplitResponse, Toolbox, answer, assign_units, make_tools, show_plan
from smartcommit.mcp.tool import JsonTool
from smartcommit.message.characters import printable
from smartcommit.session import commits as session_commits
from smartcommit.session import verbs
from smartcommit.session.registry import check_id

# The last plan of a session's lines, whose units a client names.
_PLANNED = "mcp-session-plan.json"
_SESSION_TOOLS = (
    "session_start", "session_note", "session_status", "session_claim", "session_plan", "session_commit",
    "session_undo",
)  # fmt: skip
_READ_ONLY = ("session_status", "session_plan")
_COMMITS = 1000
# What is told of commits beside them.
_DETAILS = ("branch", "left", "held", "claims", "not_run")

Session = Annotated[str, Field(description="the session's id, the same in each call")]


class ToolEdit(BaseModel):
    """What a tool did: `replace` has `old` and `new`, `write` has `content`, `patch` has `text`."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["replace", "write", "delete", "patch"]
    old: str | None = None
    new: str | None = None
    every: bool | None = None
    content: str | None = None
    text: str | None = None


class SessionTools(Toolbox):
    """The tools for sessions of coding agents."""

    @answer
    def session_start(self, *, session: Session) -> SplitResponse:
        """Begin a session: what is uncommitted by now is nobody's."""
        return _respond(verbs.start(self._open(session), session, product="mcp"))

    @answer
    def session_note(
        self,
        *,
        session: Session,
        event: Annotated[
            Literal["before", "after", "read"], Field(description="before or after an edit, or after a read")
        ],
        path: Annotated[str, Field(description="absolute, or relative to the top level")],
        call: Annotated[str, Field(description="the same before and after one edit")] = "",
        edit: Annotated[ToolEdit | None, Field(description="after an edit: what was done")] = None,
    ) -> SplitResponse:
        """Tell of an edit, before and after it is made: only lines that were told of belong to the session."""
        notice: dict[str, Any] = {"event": event, "path": path, "call": call}
        if edit is not None:
            notice["edit"] = edit.model_dump(exclude_none=True)
        return _respond(verbs.note(self._open(session), session, notice))

    @answer
    def session_status(self, *, session: Session) -> SplitResponse:
        """List what the session can commit, and what stays uncommitted and why."""
        return _respond(verbs.status(self._open(session), session))

    @answer
    def session_claim(
        self, *, session: Session, hunks: Annotated[list[str], Field(description="ids from session_status")]
    ) -> SplitResponse:
        """Take hunks that are nobody's, on purpose."""
        return _respond(verbs.claim(self._open(session), session, hunks))

    @answer
    def session_plan(self, *, session: Session) -> SplitResponse:
        """Propose atomic commits of the session's own lines; nothing is changed."""
        repository = self._open(session)
        document = session_commits.plan(repository, session).document
        if document["status"] == "ok":
            state_files.save_json(repository.git_dir, _PLANNED, {"session": session, **document})
        return _respond(document)

    @answer
    def session_commit(
        self,
        *,
        session: Session,
        commits: Annotated[list[PlannedCommit] | None, Field(max_length=_COMMITS)] = None,
        message: Annotated[str | None, Field(description="makes one commit of all lines of the session")] = None,
        branch: Annotated[str | None, Field(description="commit upon it though the session began on another")] = None,
    ) -> SplitResponse:
        """Commit the session's own lines, all commits or none: as session_plan proposes, or as given."""
        if commits is not None and message is not None:
            return self.refuse("give either commits or a message")
        repository = self._open(session)
        given: dict[str, Any] = {"message": message, "check": self._check}
        if commits is not None:
            given["plan"] = assign_units(_load(repository, session), commits)
        done = session_commits.commit(repository, session, branch=branch, **given)
        return _respond(done.document)

    @answer
    def session_undo(self, *, session: Session) -> SplitResponse:
        """Undo the session's last commits: HEAD and the index are as before, files stay as they are."""
        return _respond(session_commits.undo(self._open(session), session).document)

    def _open(self, session: str) -> Repository:
        check_id(session)
        return Repository.find(self._directory)


def list_tools(tools: SessionTools) -> list[JsonTool]:
    """Return the tools, which call the methods of `tools`."""
    return make_tools(tools, _SESSION_TOOLS, reading=_READ_ONLY, repeatable=("session_start",))


def _load(repository: Repository, session: str) -> dict[str, Any]:
    """Return the last plan of the session's lines. Raise SplitError if there is none."""
    kept = state_files.load_json(repository.git_dir, _PLANNED, dict)
    if kept is None or kept.get("session") != session:
        raise SplitError("no commits of this session were planned", hint="call session_plan first")
    return kept


def _respond(document: dict[str, Any]) -> SplitResponse:
    """Return a response for what a verb returns."""
    status = document.get("status", "ok")
    following = _make_printable(document.get("next", []))
    if status == "nothing":
        return SplitResponse(
            status="error", message="the session has nothing to commit", details=_make_printable(document),
            next_actions=following,
        )  # fmt: skip
    if "commits" in document:
        response = show_plan(document, "done" if "not_run" in document else "nothing was changed", following)
        response.details = {}
        for name in _DETAILS:
            if name in document:
                response.details[name] = _make_printable(document[name])
        return response
    for name in ("status", "next"):
        document.pop(name, None)
    return SplitResponse(status="success", message="done", details=_make_printable(document), next_actions=following)


def _make_printable(value: Any) -> Any:
    """Return `value` with texts that any client can read; lone surrogates, for example, are no JSON for all of them."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {name: _make_printable(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_make_printable, value))
    return value
