"""Plan directories, `.smartcommit/plans/<id>-<name>/`."""

from __future__ import annotations

import os
import secrets
import string
from collections.abc import Sequence
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
    """The directory of one plan in the working tree whose top level is `worktree`; `name` is `<id>-<name>`."""

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
        """Return the plan. Raise TaskPlanError if it cannot be read."""
        return read_plan(self.read(PLAN), self.place)

    def save(self, plan: TaskPlan) -> None:
        """Replace the plan by `plan`, as `write` does."""
        self.write(PLAN, plan.to_bytes())

    def read(self, name: str) -> bytes:
        """Return the content of the file `name`.

        Raise TaskPlanError if it cannot be read, is too large, or is outside the tree.
        """
        path = self.path(name)
        self._require_plain(path)
        try:
            with open(path, "rb") as file:
                content = file.read(_SIZE_LIMIT + 1)
        except OSError as error:
            raise TaskPlanError(f"cannot read '{path}': {explain_os_error(error)}") from None
        if len(content) > _SIZE_LIMIT:
            raise TaskPlanError(f"'{path}' is larger than {_SIZE_LIMIT >> 20} MiB")
        return content

    def write(self, name: str, content: bytes) -> None:
        """Replace the file `name`, and create the directory again if it was deleted.

        Raise TaskPlanError if the directory is outside the tree, or cannot be written.
        """
        path = self.path(name)
        try:
            self._make_directory(path)
            replace_file(path, content)
        except OSError as error:
            raise TaskPlanError(f"cannot write '{path}': {explain_os_error(error)}") from None

    def read_lines(self, name: str) -> list[str]:
        """Return the lines of the file `name`, none if there is no such file; raise TaskPlanError as `read`."""
        if not self.has(name):
            return []
        lines = self.read(name).decode("utf-8", "surrogateescape").split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    def write_lines(self, name: str, lines: Sequence[str]) -> None:
        """Replace the file `name` by `lines`, as `write` does."""
        self.write(name, "\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))

    def open_log(self, name: str, limit: int) -> FileIO:
        """Open the file `name` to append to it, or empty if it has more bytes than `limit`.

        Raise TaskPlanError if that fails.
        """
        path = self.path(name)
        try:
            self._make_directory(path)
            mode = "ab"
            # A log that can be opened is more useful than the history of all attempts.
            if os.path.exists(path) and os.path.getsize(path) > limit:
                mode = "wb"
            return FileIO(path, mode)
        except OSError as error:
            raise TaskPlanError(f"cannot write '{path}': {explain_os_error(error)}") from None

    def _make_directory(self, path: str) -> None:
        """Create the directory of `path` if there is none. Raise TaskPlanError if it is outside the tree; OSError."""
        self._require_plain(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)

    def _require_plain(self, path: str) -> None:
        """Raise TaskPlanError if `path` or a directory above it, up to the top level, is a link or a special file.

        A clone may contain links, which must not be followed, and an agent may create a pipe, which would block.
        """
        while len(path) > len(self.worktree):
            if os.path.islink(path):
                raise TaskPlanError(f"'{path}' is a symbolic link; plan files must be regular files", hint="remove it")
            if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
                raise TaskPlanError(f"'{path}' is not a regular file", hint="remove it")
            path = os.path.dirname(path)


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
    """Create a directory for the new `plan`. Raise TaskPlanError if that fails."""
    prepare_home(worktree)
    folder = PlanFolder(worktree, f"{plan.id}-{plan.name}")
    folder.save(plan)
    return folder


def write_ignore(worktree: str) -> None:
    """Add what must not be committed to `.smartcommit/.gitignore`; other lines stay.

    Raise TaskPlanError if it cannot be written.
    """
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
