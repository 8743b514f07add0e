"""Plan backend for jj: marks tasks in the description and creates a change per task.

`jj split` moves everything out of the working-copy commit in one operation and leaves the plan on the remaining one;
then the task is marked. Log, output and pending attempt are in `.jj`, outside the working copy.
"""

from __future__ import annotations

import os
import shlex

from smartcommit.change.wording import format_count
from smartcommit.errors import TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.commit import scan_jj_commit
from smartcommit.executor.plan import PlanTask, TaskPlan, make_plan
from smartcommit.executor.plan_dir import PlanFolder
from smartcommit.executor.progress_log import get_rejection
from smartcommit.executor.protected_files import list_protected
from smartcommit.executor.run import AttemptFailed, Run
from smartcommit.executor.task_message import CommitMessage
from smartcommit.executor.worktree_checks import quote, without
from smartcommit.git.repo import Trees
from smartcommit.git.status import count_stashes
from smartcommit.jj.models import identify_tasks
from smartcommit.jj.run import NO_SNAPSHOT, JjChange, run_jj, state_directory
from smartcommit.jj.store import find_jj_repository, list_bases, list_left_by_jj
from smartcommit.jj.tools import Tools
from smartcommit.message.parse import Message
from smartcommit.message.plan_sections import slug
from smartcommit.processes.group import terminate_run

# The plan in the working-copy commit on a command line, as jj names that commit.
NAME = "@"
_GRACE_SECONDS = 5.0
# Characters of a change id or commit id that name it in a hint.
_ID_LENGTH = 12
# In a template of jj.
_NUL = r'"\0"'
# The description at the start of the last attempt, in the directory of log and output.
_DESCRIPTION = "description"


def state_folder(root: str) -> PlanFolder:
    """Return the directory of log and output of the workspace's plans."""
    return PlanFolder(root, "execution", home=".jj/smartcommit")


class JjPlanBackend(PlanBackend):
    """The plan in the working-copy commit that `tools` work on.

    With `allow_dirty` tasks are marked, but no change is made of their work.
    """

    unit = "change"

    def __init__(self, run: Run, tools: Tools, change: JjChange, plan: TaskPlan) -> None:
        self._tools = tools
        self._root = root = tools.root
        self._change = change
        self._hidden: list[str] = []
        self._stashes = 0
        folder = state_folder(root)
        super().__init__(run, plan, folder, private=folder, name=NAME, state_directory=state_directory(root))

    @classmethod
    def load(cls, run: Run, tools: Tools) -> JjPlanBackend:
        """Return the backend of the plan in the working-copy commit.

        Raise TaskPlanError if there is none, and say where the plan of a pending attempt is; JjError.
        """
        change, plan = _read_plan(tools, attempt_state.load(state_directory(tools.root)))
        return cls(run, tools, change, plan)

    def open(self) -> list[str]:
        unfinished = attempt_state.load(self._state_directory)
        if unfinished is not None:
            terminate_run(unfinished.run_id, _GRACE_SECONDS)
            self._change, _ = _read_plan(self._tools, unfinished)
        if unfinished is not None and unfinished.plan != self.plan.name:
            unfinished = None
        recovered = self._restore_interrupted(unfinished)
        self._stashes = count_stashes(find_jj_repository(self._root))
        if unfinished is not None:
            self._hidden = unfinished.hidden
        else:
            self._hidden = list_left_by_jj(self._root, self._change.commit_id)
            if not (self._change.empty or self._run.allow_dirty):
                raise TaskPlanError(
                    "the working-copy commit has changes that do not belong to this plan",
                    hint="run \"jj split -m MESSAGE 'all()'\" to move them out; the plan stays",
                )
            self._log.add("plan_started", plan_id=self.plan.name)
            return []
        task = self.plan.find(unfinished.task)
        if task is None or unfinished.phase == attempt_state.STOPPED:
            return recovered
        return recovered + self._recover(task, unfinished)

    def start(self, task: PlanTask) -> None:
        state_folder(self._root).write(_DESCRIPTION, self._change.description.encode())
        super().start(task)

    def inspect_worktree(self, task: PlanTask) -> None:
        snapshot = self._tools.take_snapshot()
        message = snapshot.reading.message
        if message is None or not message.tasks or plan_of(message).find(task.id) is None:
            raise _explain_lost_plan(self._root, snapshot.change, self._pending(task, attempt_state.AGENT))
        self._change = snapshot.change
        if not self._run.allow_dirty:
            self._check_hidden_work()

    def stage(self) -> Trees | None:
        if self._change.empty or self._run.allow_dirty:
            return None
        repository = find_jj_repository(self._root)
        return Trees(repository, list_bases(repository, self._change.commit_id)[0], self._change.commit_id)

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        commit = None
        if not (self._change.empty or self._run.allow_dirty):
            if self._has_new_conflict():
                raise AttemptFailed("the change has unresolved conflicts: resolve them")
            if self._run.screened:
                scan_jj_commit(self._root, self._change.commit_id)
            unfinished = self._pending(task, attempt_state.COMMIT)
            unfinished.commit_message = message
            unfinished.changes = self._change.commit_id
            attempt_state.save(self._state_directory, unfinished)
            at_work = f"exactly(@ & change_id({self._change.change_id}), 1)"
            run_jj(("split", f"--revision={at_work}", f"--message={message.text}", "all()"), repository=self._root)
            # jj gives the id to the part that was split off.
            (commit,) = _list_versions(self._root, self._change.change_id)
            self.commits.append((commit, message.text))
        elif not self._run.allow_dirty:
            self.empty_tasks.append(task)
        self._mark_done(task, commit, message)
        return commit

    def finish(self) -> None:
        """Do nothing: all tasks are marked, and the user says when the job is done (`smartcommit plan finish`)."""

    def _describe_left(self) -> list[str]:
        left = _query(self._root, "@", f'self.diff().files().map(|file| file.path() ++ {_NUL}).join("")')
        if not left:
            return []
        paths = list(map(os.fsencode, left.split("\0")[:-1]))
        return [f"left in the working-copy commit: {quote(paths)}; make changes of it with 'smartcommit split'"]

    def _describe_push(self) -> list[str]:
        if not run_jj(("git", "remote", "list"), repository=self._root):
            return []
        ahead = _query(self._root, "remote_bookmarks()..@-", '"x"')
        if not ahead:
            return []
        commands = "'jj git push --change @-'"
        names = f'self.local_bookmarks().map(|bookmark| bookmark.name() ++ {_NUL}).join("")'
        bookmark, *others = _query(self._root, "heads(::@- & bookmarks())", names).split("\0")[:-1] or [""]
        if bookmark and not others:
            commands = f"'{shlex.join(['jj', 'bookmark', 'move', bookmark, '--to', '@-'])}' and 'jj git push'"
        return [f"to push: {format_count(len(ahead), 'change')} that no remote has; run {commands}"]

    def _list_protected(self) -> list[str]:
        paths = []
        for level in ("--repo", "--workspace"):
            found = run_jj(("config", "path", level, NO_SNAPSHOT), repository=self._root)
            paths.append(os.fsdecode(found).rstrip("\n"))
        return paths + list_protected(find_jj_repository(self._root))

    def _save_plan(self) -> None:
        """Do nothing: the description has the tasks' state."""

    @property
    def _head(self) -> str | None:
        return self._change.commit_id

    def _pending(self, task: PlanTask, phase: str) -> attempt_state.PendingAttempt:
        change = self._change
        return attempt_state.PendingAttempt(
            self.plan.name, task.id, change.commit_id, self._run.id, phase, hidden=self._hidden, change=change.change_id
        )

    def _recover(self, task: PlanTask, unfinished: attempt_state.PendingAttempt) -> list[str]:
        committing = unfinished.phase == attempt_state.COMMIT
        if committing and self._change.empty and unfinished.change in _read_parents(self._root, "self.change_id()"):
            (commit,) = _list_versions(self._root, unfinished.change)
            self._mark_done(task, commit, unfinished.commit_message)
            return [f"the change for task {task.id} already exists"]
        if committing and self._change.commit_id == unfinished.changes:
            return self._complete_late(task, unfinished.commit_message)
        return self._restart(task)

    def _mark_done(self, task: PlanTask, commit: str | None, message: CommitMessage) -> None:
        response = self._tools.mark_task(task.id, completed=True)
        if response.status == "error":
            raise TaskPlanError(f"cannot mark the task: {response.action_taken}")
        task.status = "completed"
        self._log.add("task_completed", task_id=task.id, commit=commit, texts=get_rejection(message))
        attempt_state.drop(self._state_directory)
        self._change, _ = _read_plan(self._tools)

    def _has_new_conflict(self) -> bool:
        """Whether the change has conflicts that its parents do not have."""
        return self._change.conflict and "true" not in _read_parents(self._root, "self.conflict()")

    def _check_hidden_work(self) -> None:
        """Raise AttemptFailed if there is work that jj does not record in the change."""
        hidden = without(list_left_by_jj(self._root, self._change.commit_id), self._hidden)
        if hidden:
            raise AttemptFailed(
                f"jj leaves {quote(list(map(os.fsencode, hidden)))} out of the change: a new file that is larger than "
                "its setting 'snapshot.max-new-file-size', that 'snapshot.auto-track' excludes, or that is in a nested "
                "repository, or any file outside of 'jj sparse list'; remove it, or list it in .gitignore"
            )
        if count_stashes(find_jj_repository(self._root)) > self._stashes:
            raise AttemptFailed("changes were stashed; run 'git stash pop' to restore them")


def _read_plan(tools: Tools, unfinished: attempt_state.PendingAttempt | None = None) -> tuple[JjChange, TaskPlan]:
    """Return the working-copy commit with its plan; without one, say where that of the attempt `unfinished` is."""
    snapshot = tools.take_snapshot()
    message = snapshot.reading.message
    if message is not None and message.tasks:
        return snapshot.change, plan_of(message)
    if unfinished is not None and unfinished.change:
        raise _explain_lost_plan(tools.root, snapshot.change, unfinished)
    raise TaskPlanError(
        "no plan with tasks in the working-copy commit's description",
        hint="run 'smartcommit plan show', and 'smartcommit plan tasks FILE'",
    )


def _explain_lost_plan(root: str, found: JjChange, unfinished: attempt_state.PendingAttempt) -> TaskPlanError:
    """Return the error for an attempt whose plan is not in the working-copy commit, `found`."""
    versions = _list_versions(root, unfinished.change)
    kept = len(versions) == 1 and _holds_plan(root, unfinished)
    target = found.change_id
    steps = []
    if target != unfinished.change and (kept or not _is_next(root, found, unfinished)):
        # An abandoned or divergent change has no name but those of its commits, and the plan is in this one.
        target = unfinished.change if len(versions) == 1 else unfinished.parent or ""
        kept = kept or len(versions) != 1
        steps.append(f"'jj edit {target[:_ID_LENGTH]}'")
    if not kept:
        path = os.path.relpath(state_folder(root).path(_DESCRIPTION), root)
        steps.append(f"'jj describe -r {target[:_ID_LENGTH]} --stdin < {path}' at the top of the workspace")
    return TaskPlanError(
        f"the plan with the task '{unfinished.task}' is no longer in the working-copy commit's description",
        hint=f"run {', then '.join(steps)} to put it back, then 'smartcommit execute resume @'; 'jj op log' shows "
        "what the agent did",
    )


def _is_next(root: str, found: JjChange, unfinished: attempt_state.PendingAttempt) -> bool:
    """Whether `found` is the change that `jj commit` starts on top of the plan's."""
    fresh = found.empty and not found.description
    return fresh and unfinished.change in _read_parents(root, "self.change_id()")


def _holds_plan(root: str, unfinished: attempt_state.PendingAttempt) -> bool:
    """Whether the plan's change, which has one version, has the description of the last attempt's start."""
    kept = state_folder(root).read(_DESCRIPTION).decode("utf-8", "replace")
    return _query(root, f"change_id({unfinished.change})", "self.description()").strip() == kept.strip()


def _list_versions(root: str, change: str) -> list[str]:
    """Return the visible commits of a change."""
    return _query(root, f"change_id({change})", 'self.commit_id() ++ " "').split()


def _read_parents(root: str, template: str) -> list[str]:
    """Return the word that `template` says of each parent."""
    return _query(root, "@-", f'{template} ++ " "').split()


def _query(root: str, revset: str, template: str) -> str:
    """Return what `template` says of `revset`: with methods, since a user's aliases can replace keywords."""
    output = run_jj(("log", "-r", revset, "--no-graph", "-T", template), repository=root)
    return output.decode("utf-8", "replace")


def plan_of(message: Message) -> TaskPlan:
    """Return the plan in a description as tasks for agents: the leaf tasks, each with what stands above it.

    Raise TaskPlanError if there is no task.
    """
    assert message.header is not None
    texts = [str(message.header), message.description]
    texts += [f"Constraint: {constraint}" for constraint in message.constraints or []]
    tasks, completed = [], 0
    for name, task in identify_tasks(message.tasks or []):
        if task.children:
            continue
        fields = {"id": name, "title": task.summary, "description": task.details}
        if task.completed:
            fields["status"] = "completed"
            completed += 1
        tasks.append(fields)
    status = "not_started"
    if completed:
        status = "in_progress"
    if completed == len(tasks):
        status = "completed"
    return make_plan(
        {
            "id": "jj",
            "name": slug(message.header.summary)[:60].strip("-") or "plan",
            "description": "\n\n".join(filter(None, texts)),
            "status": status,
            "tasks": tasks,
        }
    )
