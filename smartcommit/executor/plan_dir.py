"""Where plans live: `.smartcommit/plans/<id>-<name>/` in the tree, each with plan, progress and output."""

from __future__ import annotations

import os
import secrets
import string
from datetime import UTC, datetime

from smartcommit.errors import TaskPlanError
from smartcommit.executor.plan import TaskPlan, make_plan, read_plan
from smartcommit.message.sections import slug
from smartcommit.state_files import replace_file

HOME = ".smartcommit"
PLANS = f"{HOME}/plans"
# The prior art's own folder: its plans are read, and taken over when they are run.
FOREIGN = ".rafa/plans"
PLAN, PROGRESS, OUTPUT, IGNORE = "plan.json", "progress.log", "output.log", ".gitignore"
# What must never be committed: raw output, locks, and what a killed process left of a file it was writing.
_IGNORED = (OUTPUT, "*.lock", "*.new")
# Bytes of a plan's file or log, which a clone may have brought along.
_LIMIT = 1 << 24
_ID = string.ascii_letters + string.digits


class PlanFolder:
    """The folder of one plan in the working tree whose top level is `worktree`; `name` is `<id>-<name>`."""

    __slots__ = ("home", "name", "worktree")

    def __init__(self, worktree: str, name: str, *, home: str = PLANS) -> None:
        self.worktree = worktree
        self.name = name
        self.home = home

    def path(self, name: str = "") -> str:
        """The absolute path of the file `name` in it."""
        return os.path.join(self.worktree, self.home, self.name, name).rstrip("/")

    @property
    def place(self) -> str:
        """Its plan's path below the top level, as git names it."""
        return f"{self.home}/{self.name}/{PLAN}"

    def load(self) -> TaskPlan:
        """The plan.

        Raises: TaskPlanError when there is none that can be read.
        """
        return read_plan(read(self.path(PLAN), self.worktree), self.place)

    def save(self, plan: TaskPlan) -> None:
        """Replace the plan by `plan`.

        Raises: TaskPlanError when the folder leads out of the tree.
        """
        self.write(PLAN, plan.to_bytes())

    def write(self, name: str, content: bytes) -> None:
        """Replace the file `name`; whoever deleted the folder meanwhile gets it back.

        Raises: TaskPlanError when the folder leads out of the tree, or cannot be written.
        """
        path = self.path(name)
        try:
            require_plain(path, self.worktree)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            replace_file(path, content)
        except OSError as error:
            raise TaskPlanError(f"cannot write '{path}': {(error.strerror or 'error').lower()}") from None


def create(worktree: str, plan: TaskPlan) -> PlanFolder:
    """A folder for the new `plan`, and the `.gitignore` that keeps raw output out of commits.

    Raises: TaskPlanError when there cannot be one.
    """
    _refuse_file(worktree)
    write_ignore(worktree)
    folder = PlanFolder(worktree, f"{plan.id}-{plan.name}")
    folder.save(plan)
    return folder


def write_ignore(worktree: str) -> None:
    """See to it that `.smartcommit/.gitignore` names what is not to be committed; lines of others stay.

    Raises: TaskPlanError when it cannot be written.
    """
    home = PlanFolder(worktree, HOME, home="")
    path = home.path(IGNORE)
    lines = read(path, worktree).decode("utf-8", "surrogateescape").split("\n") if os.path.lexists(path) else []
    missing = [line for line in _IGNORED if line not in lines]
    if missing:
        content = "\n".join([*(line for line in lines if line), *missing, ""])
        home.write(IGNORE, content.encode("utf-8", "surrogateescape"))


def new_plan(worktree: str, name: str, **fields: object) -> TaskPlan:
    """A plan with an id and a name of its own: `-2` and so on where the name is taken.

    Raises: TaskPlanError when `fields` make no plan.
    """
    name = slug(name)[:60].strip("-") or "plan"
    taken = {found.name.partition("-")[2] for found in list_folders(worktree)}
    number = next(n for n in range(1, len(taken) + 2) if (name if n == 1 else f"{name}-{n}") not in taken)
    return make_plan(
        {
            "id": "".join(secrets.choice(_ID) for _ in range(6)),
            "name": name if number == 1 else f"{name}-{number}",
            "createdAt": datetime.now(UTC).isoformat(timespec="seconds"),
            **fields,
        }
    )


def list_folders(worktree: str) -> list[PlanFolder]:
    """The folders of all plans, those of the prior art that were not taken over last."""
    found: dict[str, PlanFolder] = {}
    for home in (PLANS, FOREIGN):
        try:
            names = sorted(os.listdir(os.path.join(worktree, home)))
        except OSError:
            continue
        for name in names:
            if os.path.lexists(os.path.join(worktree, home, name, PLAN)):
                found.setdefault(name, PlanFolder(worktree, name, home=home))
    return list(found.values())


def find(worktree: str, wanted: str) -> PlanFolder:
    """The folder of the plan that `wanted` names: by its id, its name, both as the folder has them, or its path.

    Raises: TaskPlanError when none or several plans have it.
    """
    folders = list_folders(worktree)
    key = os.path.basename(wanted.removesuffix(f"/{PLAN}").rstrip("/"))
    found = [one for one in folders if key in (one.name, *one.name.split("-", 1))]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"'{one.name}'" for one in found or folders) or "none"
    raise TaskPlanError(
        f"'{wanted}' names {'several plans' if found else 'no plan'}; there are {known}",
        hint="run 'smartcommit execute list'",
    )


def adopt(folder: PlanFolder) -> PlanFolder:
    """The folder itself, or for one of the prior art a copy of its plan and progress among ours.

    Raises: TaskPlanError when there cannot be one.
    """
    _refuse_file(folder.worktree)
    write_ignore(folder.worktree)
    if folder.home == PLANS:
        return folder
    ours = PlanFolder(folder.worktree, folder.name)
    if os.path.lexists(folder.path(PROGRESS)):
        ours.write(PROGRESS, read(folder.path(PROGRESS), folder.worktree))
    ours.save(folder.load())
    return ours


def is_metadata(path: bytes) -> bool:
    """Whether a path below the top level is ours and no work of an agent's."""
    return path.startswith(f"{PLANS}/".encode()) or path == f"{HOME}/{IGNORE}".encode()


def read(path: str, worktree: str) -> bytes:
    """The content of a file of ours.

    Raises: TaskPlanError when it cannot be read, is larger than any of ours, or leads out of the tree.
    """
    require_plain(path, worktree)
    try:
        with open(path, "rb") as file:
            content = file.read(_LIMIT + 1)
    except OSError as error:
        raise TaskPlanError(f"cannot read '{path}': {(error.strerror or 'error').lower()}") from None
    if len(content) > _LIMIT:
        raise TaskPlanError(f"'{path}' is larger than {_LIMIT >> 20} MiB")
    return content


def require_plain(path: str, worktree: str) -> None:
    """A clone may bring links along, behind which nothing must land, and an agent a pipe, at which we would wait.

    Raises: TaskPlanError when `path` or a folder above it, up to `worktree`, is neither a file nor a folder.
    """
    while len(path) > len(worktree):
        if os.path.islink(path):
            raise TaskPlanError(f"'{path}' is a symbolic link, and plans are kept in plain files", hint="remove it")
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise TaskPlanError(f"'{path}' is no plain file, and plans are kept in plain files", hint="remove it")
        path = os.path.dirname(path)


def _refuse_file(worktree: str) -> None:
    if os.path.isfile(os.path.join(worktree, HOME)):
        raise TaskPlanError(
            f"'{HOME}' is a file here (the project's policy), and plans need a folder of that name",
            hint=f"run 'git mv {HOME} {HOME}.tmp && mkdir {HOME} && git mv {HOME}.tmp {HOME}/policy', and commit",
        )
