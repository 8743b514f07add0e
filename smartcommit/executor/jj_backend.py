"""Plan backend for jj: marks tasks in the description and creates a change per task.

`jj split` moves everything out of the working-copy commit in one operation and leaves the plan on the remaining one;
then the task is marked. Log, output and pending attempt are in `.jj`, outside the working copy.
"""

from __future__ import annotations

import os

from smartcommit.errors import TaskPlanError
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.checks import quote, scan_jj_commit
from smartcommit.executor.plan import PlanTask, TaskPlan, plan_of
from smartcommit.executor.plan_dir import private_folder
from smartcommit.executor.run import COMMIT, AttemptFailed, PendingAttempt, Run, drop, take_over
from smartcommit.executor.task_message import CommitMessage
from smartcommit.git.repo import Trees
from smartcommit.git.status import count_stashes
from smartcommit.jj.run import (
    NO_SNAPSHOT,
    JjChange,
    find_jj_repository,
    list_bases,
    list_left_by_jj,
    run_jj,
    state_directory,
)
from smartcommit.jj.tools import Tools

# The plan in the working-copy commit on a command line, as jj names that commit.
NAME = "@"
# Characters of a change id or commit id that name it in a hint.
_ID_LENGTH = 12
# The description at the start of the last attempt, in the directory of log and output.
_DESCRIPTION = "description"


class JjPlanBackend(PlanBackend):
    """The plan in the working-copy commit that `tools` work on; without one, say where that of an attempt is."""

    def __init__(self, run: Run, tools: Tools) -> None:
        self._tools = tools
        self._root = root = tools.root
        directory = state_directory(root)
        unfinished = take_over(directory)
        change, plan = _read_plan(tools, unfinished)
        if unfinished is not None and unfinished.plan != plan.name:
            unfinished = None
        folder = private_folder(directory, plan.name)
        repository = find_jj_repository(root)
        super().__init__(
            run, plan, plan.name, repository, folder=folder, state_directory=directory, unfinished=unfinished
        )
        self.name = NAME
        for level in ("--repo", "--workspace"):
            found = run_jj(("config", "path", level, NO_SNAPSHOT), repository=root)
            self._settings.append(os.fsdecode(found).rstrip("\n"))
        self._adopt(change)

    def open(self) -> list[str]:
        attempt, unfinished, change = self._attempt, self._unfinished, self._change
        self._stashes = count_stashes(self._repository)
        if unfinished is None:
            attempt.hidden = list_left_by_jj(self._root, change.commit_id)
            if not (change.empty or self._run.allow_dirty):
                raise TaskPlanError(
                    "the working-copy commit has changes that do not belong to this plan",
                    hint="run \"jj split -m MESSAGE 'all()'\" to move them out; the plan stays",
                )
            self._log.add("plan_started", plan_id=self.plan.name)
            return []
        attempt.hidden = unfinished.hidden
        task = self.plan.find(unfinished.task)
        if task is None or not unfinished.killed:
            return []
        base = unfinished.base or ""
        if unfinished.phase == COMMIT and change.empty and base in _read_parents(self._root, "self.change_id()"):
            self._mark_done(task, _list_versions(self._root, base)[0])
            return [f"the change for task {task.id} already exists"]
        return self._restart(task)

    def start(self, task: PlanTask) -> None:
        self.private.write(_DESCRIPTION, self._change.description.encode())
        super().start(task)

    def inspect(self, task: PlanTask) -> None:
        snapshot = self._tools.take_snapshot()
        plan = plan_of(snapshot.reading.message)
        if plan is None or plan.find(task.id) is None:
            raise _explain_lost_plan(self._root, self._attempt)
        self._adopt(snapshot.change)
        if not self._run.allow_dirty:
            self._check_hidden_work()

    def stage(self) -> Trees | None:
        if self._change.empty or self._run.allow_dirty:
            return None
        commit = self._change.commit_id
        return Trees(self._repository, list_bases(self._repository, commit)[0], commit)

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        commit = None
        if not (self._change.empty or self._run.allow_dirty):
            # Conflicts of the parents are not the agent's.
            if self._change.conflict and "true" not in _read_parents(self._root, "self.conflict()"):
                raise AttemptFailed("the change has unresolved conflicts: resolve them")
            scan_jj_commit(self._repository, self._change.commit_id)
            self._save_attempt(COMMIT)
            at_work = f"exactly(@ & change_id({self._change.change_id}), 1)"
            run_jj(("split", f"--revision={at_work}", f"--message={message.text}", "all()"), repository=self._root)
            # jj gives the id to the part that was split off.
            (commit,) = _list_versions(self._root, self._change.change_id)
            self.commits.append((commit, message.subject))
        elif not self._run.allow_dirty:
            self.empty_tasks.append(task)
        self._mark_done(task, commit)
        return commit

    def _adopt(self, change: JjChange) -> None:
        self._change = change
        self._attempt.head, self._attempt.base = change.commit_id, change.change_id

    def _mark_done(self, task: PlanTask, commit: str | None) -> None:
        response = self._tools.mark_task(task.id, completed=True)
        if response.status == "error":
            raise TaskPlanError(f"cannot mark the task: {response.action_taken}")
        task.status = "completed"
        if len(self.plan.completed) == len(self.plan.tasks):
            self.plan.status = "completed"
        self._log.add("task_completed", task_id=task.id, commit=commit)
        drop(self._state_directory)
        self._adopt(_read_plan(self._tools)[0])

    def _check_hidden_work(self) -> None:
        """Raise AttemptFailed if there is work that jj does not record in the change."""
        left = list_left_by_jj(self._root, self._change.commit_id)
        hidden = [os.fsencode(path) for path in left if path not in self._attempt.hidden]
        if hidden:
            raise AttemptFailed(
                f"jj leaves {quote(hidden)} out of the change: a new file that is larger than "
                "its setting 'snapshot.max-new-file-size', that 'snapshot.auto-track' excludes, or that is in a nested "
                "repository; remove it, or list it in .gitignore"
            )
        if count_stashes(self._repository) > self._stashes:
            raise AttemptFailed("changes were stashed; run 'git stash pop' to restore them")


def _read_plan(tools: Tools, unfinished: PendingAttempt | None = None) -> tuple[JjChange, TaskPlan]:
    snapshot = tools.take_snapshot()
    plan = plan_of(snapshot.reading.message)
    if plan is not None:
        return snapshot.change, plan
    if unfinished is not None and unfinished.base:
        raise _explain_lost_plan(tools.root, unfinished)
    raise TaskPlanError(
        "no plan with tasks in the working-copy commit's description",
        hint="run 'smartcommit plan show', and 'smartcommit plan tasks FILE'",
    )


def _explain_lost_plan(root: str, attempt: PendingAttempt) -> TaskPlanError:
    target = attempt.base or ""
    if len(_list_versions(root, target)) != 1:
        # An abandoned or divergent change has no name but those of its commits, and the plan is in this one.
        target = attempt.head or ""
    path = os.path.relpath(private_folder(state_directory(root), attempt.plan).path(_DESCRIPTION), root)
    return TaskPlanError(
        f"the plan with the task '{attempt.task}' is no longer in the working-copy commit's description",
        hint=f"run 'jj edit {target[:_ID_LENGTH]}', then 'jj describe --stdin < {path}' at the top of the workspace to "
        "put it back, then 'smartcommit execute resume @'; 'jj op log' shows what the agent did",
    )


def _list_versions(root: str, change: str) -> list[str]:
    return _query(root, f"change_id({change})", 'self.commit_id() ++ " "').split()


def _read_parents(root: str, template: str) -> list[str]:
    """Return the word that `template` says of each parent."""
    return _query(root, "@-", f'{template} ++ " "').split()


def _query(root: str, revset: str, template: str) -> str:
    """Return what `template` says of `revset`: with methods, since a user's aliases can replace keywords."""
    output = run_jj(("log", "-r", revset, "--no-graph", "-T", template), repository=root)
    return output.decode("utf-8", "replace")
