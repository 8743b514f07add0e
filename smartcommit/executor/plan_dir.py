"""Plan directories, `.smartcommit/plans/<id>-<name>/`."""

from __future__ import annotations

import os
import secrets
import string
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import FileIO

from smartcommit.errors import TaskPlanError, explain_os_error
from smartcommit.executor.plan import TaskPlan, make_plan, read_plan
from smartcommit.message.plan_sections import slug
from smartcommit.state_files import PLANS, replace_file

HOME = ".smartcommit"
PLAN, PROGRESS, IGNORE = "plan.json", "progress.log", ".gitignore"
# What agents, hooks and checks have printed: as texts of events, and as it was.
DETAILS, OUTPUT = "details.log", "output.log"
# What must never be committed: locks, and files that a killed process was writing.
_IGNORED = ("*.lock", "*.new")
# Maximum bytes of a plan or log, which may come from a clone and so be of any size.
_SIZE_LIMIT = 1 << 24
_ID = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True)
class PlanFolder:
    """The directory of one plan in the working tree whose top level is `worktree`; `name` is `<id>-<name>`.

    Its methods raise TaskPlanError if a file cannot be read or written, is too large, or is outside the tree.
    """

    worktree: str
    name: str
    home: str = PLANS

    def path(self, name: str = "") -> str:
        """Return the absolute path of the file `name` in it."""
        return os.path.join(self.worktree, self.home, self.name, name).rstrip("/")

    @property
    def place(self) -> str:
        """The path of its plan relative to the top level, as git names it."""
        return f"{self.home}/{self.name}/{PLAN}"

    def has(self, name: str) -> bool:
        """Whether there is a file `name`, even if it is a dangling link."""
        return os.path.lexists(self.path(name))

    def load(self) -> TaskPlan:
        """Return the plan."""
        return read_plan(self.read(PLAN), self.place)

    def save(self, plan: TaskPlan) -> None:
        """Replace the plan by `plan`."""
        self.write(PLAN, plan.to_bytes())

    def read(self, name: str) -> bytes:
        """Return the content of the file `name`."""
        path = self._require_plain(name)
        try:
            with open(path, "rb") as file:
                content = file.read(_SIZE_LIMIT + 1)
        except OSError as error:
            raise TaskPlanError(f"cannot read '{path}': {explain_os_error(error)}") from None
        if len(content) > _SIZE_LIMIT:
            raise TaskPlanError(f"'{path}' is larger than {_SIZE_LIMIT >> 20} MiB")
        return content

    def write(self, name: str, content: bytes) -> None:
        """Replace the file `name`, and create the directory again if it was deleted."""
        with self._explain_write(name) as path:
            replace_file(path, content)

    def read_lines(self, name: str) -> list[str]:
        """Return the lines of the file `name`, none if there is no such file."""
        if not self.has(name):
            return []
        lines = self.read(name).decode("utf-8", "surrogateescape").split("\n")
        return lines if lines[-1] else lines[:-1]

    def write_lines(self, name: str, lines: Sequence[str]) -> None:
        """Replace the file `name` by `lines`."""
        self.write(name, "\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))

    def open_log(self, name: str, limit: int) -> FileIO:
        """Open the file `name` to append to it, or empty if it has more bytes than `limit`."""
        with self._explain_write(name) as path:
            is_large = os.path.exists(path) and os.path.getsize(path) > limit
            # A log that can be opened is more useful than the history of all attempts.
            return FileIO(path, "wb" if is_large else "ab")

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
        """Return the path of `name`, if neither that nor a directory above it is a link or a special file.

        A clone may contain links, which must not be followed, and an agent may create a pipe, which would block.
        """
        path = place = self.path(name)
        while len(place) > len(self.worktree):
            if os.path.islink(place):
                raise TaskPlanError(f"'{place}' is a symbolic link; plan files must be regular files", hint="remove it")
            if os.path.exists(place) and not (os.path.isfile(place) or os.path.isdir(place)):
                raise TaskPlanError(f"'{place}' is not a regular file", hint="remove it")
            place = os.path.dirname(place)
        return path


def private_folder(git_dir: str, name: str) -> PlanFolder:
    """Return the directory of what agents, hooks and checks have printed in runs of the plan in the directory `name`.

    It is in the git directory: no hook or check that searches the working tree for a word finds it there.
    """
    return PlanFolder(git_dir, name, home="smartcommit/plans")


def prepare_home(worktree: str) -> None:
    """Create the `.gitignore` that keeps temporary files out of commits.

    Raise TaskPlanError if it cannot be written, or if there can be no directory for plans.
    """
    if os.path.isfile(os.path.join(worktree, HOME)):
        raise TaskPlanError(
            f"'{HOME}' is a file (the project's policy), but plans need a directory of that name",
            hint=f"run 'git mv {HOME} {HOME}.tmp && mkdir {HOME} && git mv {HOME}.tmp {HOME}/policy', then commit",
        )
    write_ignore(worktree)


def create(worktree: str, plan: TaskPlan) -> PlanFolder:
    """Create a directory for the new `plan`, as `prepare_home`."""
    prepare_home(worktree)
    folder = PlanFolder(worktree, f"{plan.id}-{plan.name}")
    folder.save(plan)
    return folder


def write_ignore(worktree: str) -> None:
    """Add what must not be committed to `.smartcommit/.gitignore`; other lines stay."""
    home = PlanFolder(worktree, HOME, home="")
    lines = list(filter(None, home.read_lines(IGNORE)))
    missing = [line for line in _IGNORED if line not in lines]
    if missing:
        home.write_lines(IGNORE, lines + missing)


def new_plan(worktree: str, name: str, **fields: object) -> TaskPlan:
    """Return a plan with a new id and a unique name, which ends in `-2` and so on if `name` is taken.

    Raise TaskPlanError if `fields` are invalid.
    """
    name = unique = slug(name)[:60].strip("-") or "plan"
    taken = {found.name.partition("-")[2] for found in list_folders(worktree)}
    number = 1
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    return make_plan(
        {
            "id": "".join(secrets.choice(_ID) for _ in range(6)),
            "name": unique,
            "createdAt": datetime.now(UTC).isoformat(timespec="seconds"),
            **fields,
        }
    )


def list_folders(worktree: str) -> list[PlanFolder]:
    """Return the directories of all plans."""
    try:
        names = sorted(os.listdir(os.path.join(worktree, PLANS)))
    except OSError:
        return []
    found = []
    for name in names:
        folder = PlanFolder(worktree, name)
        if folder.has(PLAN):
            found.append(folder)
    return found


def find(worktree: str, wanted: str) -> PlanFolder:
    """Return the directory of the plan that `wanted` names: its id, its name, the directory's name, or a path.

    Raise TaskPlanError if no plan matches, or several do.
    """
    folders = list_folders(worktree)
    key = os.path.basename(wanted.removesuffix(f"/{PLAN}").rstrip("/"))
    found = [one for one in folders if key in (one.name, *one.name.split("-", 1))]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"'{one.name}'" for one in found or folders) or "none"
    raise TaskPlanError(
        f"'{wanted}' matches {'several plans' if found else 'no plan'}; available plans: {known}",
        hint="run 'smartcommit execute list'",
    )
