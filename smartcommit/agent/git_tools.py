"""Read-only tools for inspecting a change and its two trees through git.

Paths that are not in these trees are rejected, and patterns are searched by git. Generated files, and files that may
contain secrets, are not opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from pydantic import BaseModel, Field

from smartcommit.agent.shown import LINE, Results, decode_start, take_lines
from smartcommit.agent.tool import tool
from smartcommit.change.hidden_files import find_reason_to_hide
from smartcommit.change.wording import format_count
from smartcommit.errors import GitError, ToolFailed, ToolRetry
from smartcommit.git import objects
from smartcommit.git.diff import list_changes
from smartcommit.git.repo import Repository
from smartcommit.waiting import Deadline

_MATCHES_SHOWN = 50
_PATH = Field(max_length=1000, description="a path exactly as shown in the list of files")
_PATTERN = Field(max_length=200, description="a POSIX extended regular expression, as for grep -E")


class Context(Protocol):
    """A change: the trees before and after it. `target` is None for the index, as inside `git commit`."""

    repository: Repository
    base: str
    target: str | None


class ReadFileArgs(BaseModel):
    path: str = _PATH
    before: bool = Field(False, description="read the version before the change")
    start_line: int = Field(1, ge=1)
    lines: int = Field(200, ge=1, le=1000)


class GetDiffArgs(BaseModel):
    path: str = Field("", max_length=1000, description="a path from the list of files; empty for all files")


class GetGitLogArgs(BaseModel):
    count: int = Field(20, ge=1, le=50)
    path: str = Field("", max_length=1000, description="only commits that touch this path")


class SearchDiffArgs(BaseModel):
    pattern: str = _PATTERN
    context_lines: int = Field(2, ge=0, le=5)


class SearchCodebaseArgs(BaseModel):
    pattern: str = _PATTERN
    path: str = Field("", max_length=1000, description="only in this file or directory")
    max_results: int = Field(30, ge=1, le=100)


class QueryToolResultArgs(BaseModel):
    id: str = Field(max_length=20, description="the id of the result, such as r1")
    text: str = Field("", max_length=200, description="show only lines that contain this text, ignoring case")
    start_line: int = Field(1, ge=1)
    lines: int = Field(120, ge=1, le=400)


@tool(ReadFileArgs)
def read_file(args: ReadFileArgs, *, analyzer: Context, deadline: Deadline, **_: Any) -> str:
    """Read a file as it is after the change, with line numbers."""
    content, complete = _read_blob(analyzer, args.path, deadline, before=args.before)
    lines = content.split("\n")
    if lines[-1] == "" or not complete:
        lines.pop()
    start = min(args.start_line, max(len(lines), 1))
    below = lines[start - 1 :]
    shown = [f"{number}: {line}" for number, line in enumerate(below[: args.lines], start)]
    rest = len(below) - len(shown)
    if not complete:
        shown.append(f"[lines below: {rest} or more]")
    elif rest:
        shown.append(f"[lines below: {rest}]")
    return "\n".join(shown)


@tool(GetDiffArgs)
def get_diff(args: GetDiffArgs, *, analyzer: Context, deadline: Deadline, **_: Any) -> str:
    """Show the diff of one file, or of all files, in unified format."""
    output, complete = _read_patch(analyzer, args.path, deadline)
    if complete:
        return output.decode("utf-8", "replace").rstrip("\n") or "no lines changed"
    whole = output[: output.rfind(b"\n") + 1]
    return whole.decode("utf-8", "replace") + f"[truncated after {len(whole)} bytes]"


@tool(GetGitLogArgs, evidence=False)
def get_git_log(args: GetGitLogArgs, *, analyzer: Context, deadline: Deadline, **_: Any) -> str:
    """List recent commits, one per line, newest first."""
    paths = [_parse_path(args.path)] if args.path else []
    try:
        read = objects.read_log
        commits = read(analyzer.repository, "HEAD", paths, count=args.count, form="%h %s", watch=deadline.check)
    except GitError:
        return "no commits"
    return "\n".join(take_lines(commits, objects.LIMIT)) or "no commits"


@tool(SearchDiffArgs)
def search_diff(args: SearchDiffArgs, *, analyzer: Context, deadline: Deadline, **_: Any) -> str:
    """Search the whole diff, including context lines."""
    output, complete = _read_patch(analyzer, "", deadline)
    with _explain_pattern():
        lines = objects.search_lines(args.pattern, output, context=args.context_lines, watch=deadline.check)
    shown = lines[: _MATCHES_SHOWN * (2 * args.context_lines + 2)]
    if len(lines) > len(shown):
        shown.append("[more matches not shown]")
    result = take_lines(shown or ["no matches"], objects.LIMIT)
    if not complete:
        result.append("[only the first part of the diff was searched]")
    return "\n".join(result)


@tool(SearchCodebaseArgs)
def search_codebase(args: SearchCodebaseArgs, *, analyzer: Context, deadline: Deadline, **_: Any) -> str:
    """Search all files as they are after the change."""
    path = _parse_path(args.path) if args.path else b""
    with _explain_pattern():
        hits = objects.search_tree(analyzer.repository, analyzer.target, args.pattern, path, watch=deadline.check)
    lines: list[str] = []
    for file, number, text in hits:
        if find_reason_to_hide(file) is not None:
            continue
        if len(lines) == args.max_results:
            lines.append("[more matches not shown]")
            break
        lines.append(f"{file.decode('utf-8', 'replace')}:{number.decode()}: {decode_start(text, LINE).strip()}")
    return "\n".join(lines) or "no matches"


@tool(QueryToolResultArgs)
def query_tool_result(args: QueryToolResultArgs, *, results: Results, **_: Any) -> str:
    """Show more of an earlier result that was too large to show in full."""
    text = results.get(args.id)
    if text is None:
        raise ToolRetry(f"no result '{args.id}'; available ids: {', '.join(results) or 'none'}")
    wanted = args.text.casefold()
    lines = enumerate(text.split("\n")[args.start_line - 1 :], args.start_line)
    hits = [f"{number}: {line}" for number, line in lines if wanted in line.casefold()]
    if not hits:
        return "no matching line"
    shown = take_lines(hits[: args.lines], 5000)
    return "\n".join([*shown, f"[{format_count(len(hits) - len(shown), 'more line')}]"])


TOOLS = (read_file, get_diff, get_git_log, search_diff, search_codebase, query_tool_result)


def _parse_path(text: str) -> bytes:
    """Return a path in git's form. Raise ToolRetry if it is invalid or could leave the tree."""
    path = os.fsencode(text.removeprefix("./"))
    if not path or b"\0" in path or path.startswith(b"/") or b".." in path.split(b"/"):
        raise ToolRetry(f"'{text[:80]}' is not a path in this project")
    return path


def _read_blob(analyzer: Context, name: str, deadline: Deadline, *, before: bool = False) -> tuple[str, bool]:
    """Return the content of a file after, or `before`, the change, and whether it is complete."""
    path = _parse_path(name)
    tree = analyzer.base if before else analyzer.target
    if reason := find_reason_to_hide(path):
        raise ToolFailed(f"cannot show this file: {reason}")
    try:
        content, complete = objects.read_blob(analyzer.repository, tree, path, watch=deadline.check)
    except GitError:
        raise ToolRetry("no such file in this version of the project") from None
    if b"\0" in content[:8000]:
        raise ToolFailed("cannot show a binary file")
    return content.decode("utf-8", "replace"), complete


def _read_patch(analyzer: Context, wanted: str, deadline: Deadline) -> tuple[bytes, bool]:
    """Return the diff of the changed file `wanted`, or of all files if it is empty, and whether it is complete."""
    changes = list_changes(
        analyzer.repository, analyzer.base, analyzer.target, counts=False, thorough=False, watch=deadline.check
    )
    if wanted:
        path = _parse_path(wanted)
        changes = [change for change in changes if path in (change.path, change.old_path)]
        if not changes:
            raise ToolRetry("this file did not change; use a path from the list of files")
    paths: list[bytes] = []
    reason = "nothing changed"
    for change in changes:
        hidden = find_reason_to_hide(change.path)
        reason = hidden or reason
        if hidden is None:
            paths += [item for item in (change.old_path, change.path) if item]
    if not paths:
        raise ToolFailed(f"cannot show the diff: {reason}")
    # So many fit into a command line, whatever their length.
    del paths[2000:]
    return objects.read_patch(analyzer.repository, analyzer.base, analyzer.target, paths, watch=deadline.check)


@contextmanager
def _explain_pattern() -> Iterator[None]:
    try:
        yield
    except GitError as error:
        raise ToolRetry(f"invalid pattern: {error}") from None
