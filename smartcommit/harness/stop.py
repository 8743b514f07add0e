"""What an agent is told at the end of a turn: once for a change, and only if it has several concerns."""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
from contextlib import suppress

from smartcommit import state_files
from smartcommit.session.ledger import open_ledger
from smartcommit.terminal import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.git.repo import Repository
    from smartcommit.session.ledger import SessionFile

# The changes that agents were told of, by session. Only the newest are kept.
_TOLD = "agent-plans.json"
_KEPT = 20
# Seconds to wait for the ledger, and for a plan; every harness waits half a minute for a hook.
_PATIENCE = 5.0
_TIMEOUT = 18.0
# Seconds until a plan that takes too long has cleaned up.
_GRACE = 2.0
_HEADERS = 12
_HEADER_LENGTH = 100
_CODE = "import sys; sys.path[:] = {paths!r}; from smartcommit.cli import main; sys.exit(main(sys.argv[1:]))"


def find_reason(repository: Repository, session: str) -> str | None:
    """Return what to tell the agent about its uncommitted lines; None if there is nothing, or nothing new."""
    with open_ledger(repository, patience=_PATIENCE) as ledger:
        ledger.refresh()
        files = [file for file in ledger.list_files(session) if file.own]
    if not files or not _is_new(repository, session, files):
        return None
    headers = _plan(repository, session)
    if len(headers) < 2:
        return None
    lines = [f"Your uncommitted changes have {len(headers)} concerns:"]
    lines += [f"- {header}" for header in headers[:_HEADERS]]
    if len(headers) > _HEADERS:
        lines.append(f"- and {len(headers) - _HEADERS} more")
    lines.append("If you were asked to commit, CHECK being the command of the quick tests:")
    lines.append(f"next: smartcommit session commit --session {shlex.quote(session)} --exec 'CHECK'")
    lines.append("Otherwise commit nothing: tell the person of these concerns, and end your turn.")
    return "\n".join(lines)


def _is_new(repository: Repository, session: str, files: Sequence[SessionFile]) -> bool:
    """Whether the session has other lines than when this was last asked; remembers them."""
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.path):
        digest.update(repr((file.path, file.base, file.composed)).encode())
    told = state_files.load_json(repository.git_dir, _TOLD, dict) or {}
    change = digest.hexdigest()
    if told.pop(session, None) == change:
        return False
    told[session] = change
    state_files.save_json(repository.git_dir, _TOLD, dict(list(told.items())[-_KEPT:]))
    return True


def _plan(repository: Repository, session: str) -> list[str]:
    """Return the headers of the commits that the session's lines would become; none if that takes too long."""
    code = _CODE.format(paths=sys.path)
    command = [sys.executable, "-I", "-S", "-c", code, "session", "plan", "--session", session]
    with subprocess.Popen(
        command, cwd=repository.worktree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            output, _ = process.communicate(timeout=_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
            process.kill()
            return []
    headers = []
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        for commit in json.loads(output)["commits"]:
            headers.append(printable(commit["message"].partition("\n")[0])[:_HEADER_LENGTH])
    return headers
