"""Plan directories, `.smartcommit/plans/<id>-<name>/`, with the plan and the log of its runs.

What agents, hooks and checks say is in neither: a hook that rejects a word would reject every later commit as well,
since its own output quotes that word.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import FileIO

from smartcommit.errors import TaskPlanError, explain_os_error
from smartcommit.executor.plan import SIZE_LIMIT, TaskPlan, make_plan, read_plan
from smartcommit.message.plan_sections import slug
from smartcommit.state_files import PLANS, replace_file

HOME = ".smartcommit"
PLAN = "plan.json"
PROGRESS = "progress.log"
IGNORE = ".gitignore"
# What agents have printed.
OUTPUT = "output.log"
# What must never be committed: files that a killed process was writing.
_IGNORED = b"*.new\n"
_COMPLETED = (b'{"event": "task_completed"', b'{"event": "plan_completed"')


@dataclass(frozen=True, slots=True)
class PlanFolder:
    """The directory of one plan in the working tree whose top level is `worktree`; `name` is `<id>-<name>`.

    Its methods raise TaskPlanError if a file cannot be read or written, is too large, or is outside the tree.
    """

    worktree: str
    name: str
    home: str = PLANS

    def path(self, name: str = "") -> str:
        return os.path.join(self.worktree, self.home, self.name, name).rstrip("/")

    @property
    def place(self) -> str:
        return f"{self.home}/{self.name}/{PLAN}"

    def has(self, name: str) -> bool:
        """Whether there is a file `name`, even if it is a dangling link."""
        return os.path.lexists(self.path(name))

    def load(self) -> TaskPlan:
        return read_plan(self.read(PLAN), self.place)

    def save(self, plan: TaskPlan) -> None:
        self.write(PLAN, plan.to_bytes())

    def read(self, name: str) -> bytes:
        path = self._require_plain(name)
        try:
            with open(path, "rb") as file:
                content = file.read(SIZE_LIMIT + 1)
        except OSError as error:
            raise TaskPlanError(f"cannot read '{path}': {explain_os_error(error)}") from None
        if len(content) > SIZE_LIMIT:
            raise TaskPlanError(f"'{path}' is larger than {SIZE_LIMIT >> 20} MiB")
        return content

    def write(self, name: str, content: bytes) -> None:
        with self._explain_write(name) as path:
            replace_file(path, content)

    def open_log(self, name: str, limit: int) -> FileIO:
        """Open the file `name` to append to it, or empty if it has more bytes than `limit`."""
        with self._explain_write(name) as path:
            if os.path.exists(path) and os.path.getsize(path) > limit:
                # A log that can be opened is more useful than the history of all attempts.
                return FileIO(path, "wb")
            return FileIO(path, "ab")

    @contextmanager
    def _explain_write(self, name: str) -> Iterator[str]:
        """Yield the path of the file `name` that is written, whose directory exists then."""
        path = self._require_plain(name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            yield path
        except OSError as error:
            raise TaskPlanError(f"cannot write '{path}': {explain_os_error(error)}") from None

    def _require_plain(self, name: str) -> str:
        """Return the path of `name`: a clone may contain links, and an agent may create a pipe, which would block."""
        path = place = self.path(name)
        while len(place) > len(self.worktree):
            if os.path.islink(place):
                raise TaskPlanError(f"'{place}' is a symbolic link; plan files must be regular files", hint="remove it")
            if os.path.exists(place) and not (os.path.isfile(place) or os.path.isdir(place)):
                raise TaskPlanError(f"'{place}' is not a regular file", hint="remove it")
            place = os.path.dirname(place)
        return path


class ProgressLog:
    """`progress.log`, the events of a plan's runs, which are committed with the work.

    It is replaced as a whole at each event, so that neither a crash nor an agent that changes it can corrupt it. Lines
    that are no events stay.
    """

    def __init__(self, folder: PlanFolder) -> None:
        self._folder = folder
        self._lines: list[bytes] = []
        if folder.has(PROGRESS):
            self._lines = folder.read(PROGRESS).rstrip(b"\n").split(b"\n")

    def add(self, event: str, **data: object) -> None:
        timestamp = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"event": event, "timestamp": timestamp, "data": data}, ensure_ascii=False)
        self._lines.append(line.encode("utf-8", "surrogateescape"))
        self._write()

    def revert_completion(self) -> None:
        """Remove the last events that announce a completion, since it did not happen."""
        while self._lines and self._lines[-1].startswith(_COMPLETED):
            self._lines.pop()
        self._write()

    def _write(self) -> None:
        self._folder.write(PROGRESS, b"\n".join([*self._lines, b""]))


def find_private_folder(git_dir: str, name: str) -> PlanFolder:
    """Return the directory of what agents print, outside the working tree: no hook that searches that finds it."""
    return PlanFolder(git_dir, name, home="smartcommit/plans")


def prepare_home(worktree: str) -> None:
    """Create the `.gitignore` that keeps temporary files out of commits, or raise TaskPlanError."""
    if os.path.isfile(os.path.join(worktree, HOME)):
        raise TaskPlanError(
            f"'{HOME}' is a file (the project's policy), but plans need a directory of that name",
            hint=f"run 'git mv {HOME} {HOME}.tmp && mkdir {HOME} && git mv {HOME}.tmp {HOME}/policy', then commit",
        )
    write_ignore(worktree)


def create(worktree: str, plan: TaskPlan) -> PlanFolder:
    prepare_home(worktree)
    folder = PlanFolder(worktree, f"{plan.id}-{plan.name}")
    folder.save(plan)
    return folder


def write_ignore(worktree: str) -> None:
    home = PlanFolder(worktree, HOME, home="")
    if not home.has(IGNORE):
        home.write(IGNORE, _IGNORED)


def new_plan(worktree: str, name: str, **fields: object) -> TaskPlan:
    """Return a plan with a new id and a unique name, which ends in `-2` and so on if `name` is taken."""
    name = unique = slug(name)[:60].strip("-") or "plan"
    names = {folder.name.partition("-")[2] for folder in list_folders(worktree)}
    number = 1
    while unique in names:
        number += 1
        unique = f"{name}-{number}"
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return make_plan({"id": secrets.token_hex(3), "name": unique, "createdAt": created, **fields})


def list_folders(worktree: str) -> list[PlanFolder]:
    try:
        names = sorted(os.listdir(os.path.join(worktree, PLANS)))
    except OSError:
        return []
    folders = [PlanFolder(worktree, name) for name in names]
    return [folder for folder in folders if folder.has(PLAN)]


def find(worktree: str, wanted: str) -> PlanFolder:
    """Return the directory of the one plan that an id, a name, a directory's name or a path means."""
    folders = list_folders(worktree)
    key = os.path.basename(wanted.removesuffix(f"/{PLAN}").rstrip("/"))
    matching = [one for one in folders if key in (one.name, *one.name.split("-", 1))]
    if len(matching) == 1:
        return matching[0]
    names = ", ".join(f"'{one.name}'" for one in matching or folders) or "none"
    raise TaskPlanError(
        f"'{wanted}' matches {'several plans' if matching else 'no plan'}; available plans: {names}",
        hint="run 'smartcommit execute list'",
    )
