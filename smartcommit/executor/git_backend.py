"""Plan backend for git: updates plan files and creates commits atomically.

The state of a task is written before its commit, which contains it, and reverted if the commit fails. The git directory
holds the pending attempt (`smartcommit.executor.run`), so that `open` can recover from a kill.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from smartcommit.change.wording import format_count
from smartcommit.errors import SmartcommitError, TaskPlanError
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.commit import check_sizes, commit, fingerprint, scan_agent_commits
from smartcommit.executor.plan import PlanTask, TaskPlan, read_plan
from smartcommit.executor.plan_dir import PLAN, PlanFolder, private_folder, write_ignore
from smartcommit.executor.progress_log import get_rejection
from smartcommit.executor.run import AGENT, COMMIT, DUE, AttemptFailed, PendingAttempt, Run, drop, save, take_over
from smartcommit.executor.task_message import CommitMessage
from smartcommit.executor.worktree_checks import (
    check_branch_and_history,
    check_clean,
    check_uncommittable_work,
    explain_history,
    is_lost,
    name_branch,
    quote,
    without_plan_state,
)
from smartcommit.git.commit import list_staged, stage_all
from smartcommit.git.repo import Repository, Trees
from smartcommit.git.status import WorktreeStatus, find_operation, list_hidden, read_worktree_status, refuse_operations
from smartcommit.git.transaction.recover import check_recovered
from smartcommit.git.upstream import find_push


class GitPlanBackend(PlanBackend):
    """The plan in `folder`, and its commits.

    Raise LockedError or TaskPlanError if an earlier run is not over, or an agent of it has changed what it may not.
    """

    def __init__(self, run: Run, repository: Repository, folder: PlanFolder) -> None:
        # If an agent removes the git directory, never commit to a repository around this one.
        repository = repository.confined()
        git_dir = repository.git_dir
        unfinished = take_over(git_dir)
        if unfinished is not None and unfinished.plan != folder.name:
            if unfinished.unsettled:  # our commits would contain its work
                raise TaskPlanError(
                    f"a run of plan '{unfinished.plan}' was interrupted",
                    hint=f"run 'smartcommit execute resume {unfinished.plan}' first",
                )
            unfinished = None
        self._unfinished = unfinished
        self._folder = folder
        self._started = time.monotonic()
        # The last status of the tree, and the number of stashes before the task.
        self._now = WorktreeStatus()
        self._stashes = 0
        # Whether agents made commits that they were told to undo: only those may they remove.
        self._tainted = False
        plan, self._restored = load_plan(folder, unfinished)
        attempt = PendingAttempt(folder.name, "", None, run.id)
        private = private_folder(git_dir, folder.name)
        super().__init__(run, plan, attempt, repository, folder=folder, private=private, state_directory=git_dir)

    def open(self) -> list[str]:
        repository, attempt, unfinished = self._repository, self._attempt, self._unfinished
        refuse_operations(repository)
        if "GIT_INDEX_FILE" in os.environ:
            raise TaskPlanError("a 'git commit' is in progress", hint="run this outside its hooks")
        check_recovered(repository)
        now = self._look()
        self._stashes = now.stashes
        attempt.branch, attempt.head, attempt.base = now.branch, now.head, now.head
        if unfinished is None:
            attempt.hidden = list(map(os.fsdecode, list_hidden(repository)))
        else:
            attempt.hidden = unfinished.hidden
            # Between runs the user may change the history, unless an attempt has to be recovered.
            if unfinished.unsettled:
                check_branch_and_history(repository, unfinished, now)
            if unfinished.unsettled or now.head == unfinished.head:
                attempt.base = unfinished.base
        if not self._run.allow_dirty:
            check_clean(now, unfinished)
        with suppress(AttemptFailed):
            self._scan_commits()
        recovered = self._restored
        if unfinished is not None and unfinished.unsettled:
            recovered = recovered + self._recover(unfinished)
        self._reset_tasks()
        return recovered

    def inspect(self, task: PlanTask) -> None:
        attempt, now = self._attempt, self._look()
        found = find_operation(self._repository)
        if found is not None:
            raise AttemptFailed(f"{found[0]} was left in progress; run '{found[1]}'")
        if now.branch != attempt.branch:
            raise AttemptFailed(f"{name_branch(now.branch)} is checked out instead of {name_branch(attempt.branch)}")
        if is_lost(self._repository, self._required, now):
            raise explain_history(self._required)
        if now.head not in (attempt.head, attempt.base):
            self.log.add("agent_committed", task_id=task.id, head=now.head)
        attempt.head = now.head
        if not self._run.allow_dirty:
            check_uncommittable_work(self._repository, attempt, now, stashes=self._stashes)
            if self._run.screened:
                check_sizes(self._repository, now.untracked)
        self._scan_commits()

    def stage(self) -> Trees | None:
        if self._run.allow_dirty:
            return None
        stage_all(self._repository)
        return Trees(self._repository, self._now.head or self._repository.empty_tree)

    def complete(self, task: PlanTask | None, message: CommitMessage) -> str | None:
        attempt = self._attempt
        if task is not None and not self._run.allow_dirty:
            attempt.message, attempt.changes = message, ""
            self._save_attempt(COMMIT)
        self._mark_completed(task, message)
        if self._run.allow_dirty:
            drop(self._state_directory)
            return None

        def save_fingerprint(changes: str) -> None:
            attempt.changes = changes
            if task is not None:
                save(self._state_directory, attempt)

        try:
            # An agent that cleans the tree removes ignored files, and the file that ignores them.
            write_ignore(self._repository.worktree)
            text, head = message.text, self._now.head
            made = commit(self._repository, text, self._run, head=head, base=attempt.base, on_staged=save_fingerprint)
        except (AttemptFailed, SmartcommitError):
            self._revert_completion(task)
            raise
        if task is not None and attempt.changes in ("", fingerprint([])) and self._now.head == attempt.base:
            self.empty_tasks.append(task)
        now = self._advance()
        if made and now.head is not None:
            self.commits.append((now.head, message.text))
        if now.changed:
            hint = "a hook or a leftover process changed files; commit or discard the changes"
            if self.plan.status != "completed":
                hint += f", then run 'smartcommit execute resume {self.name}'"
            raise TaskPlanError(f"the working tree is not clean after the commit: {quote(now.changed)}", hint=hint)
        return now.head if made else None

    def list_next_steps(self) -> list[str]:
        steps = []
        changed = without_plan_state(self._look().changed)
        if changed:
            steps.append(f"left uncommitted: {quote(changed)}; make commits of it with 'git smart-commit'")
        branch = self._now.branch
        push = find_push(self._repository, branch) if branch is not None else None
        if push is None or not push.ahead:
            return steps
        ahead = f"to push: {format_count(push.ahead, 'commit')} that {push.target} does not have"
        if push.behind:
            missing = format_count(push.behind, "commit")
            return [*steps, f"{ahead}; it has {missing} more, so run 'git pull --rebase' and '{push.command}'"]
        return [*steps, f"{ahead}; run '{push.command}'"]

    def _save_plan(self) -> None:
        self._folder.save(self.plan)

    def _save_attempt(self, phase: str) -> None:
        """Save the attempt; if it is over, with what it left. Raise TaskPlanError if it removed commits."""
        attempt = self._attempt
        if phase not in (AGENT, COMMIT):
            now = self._look()
            attempt.protected = {}
            left = map(os.fsdecode, without_plan_state([*now.changed, *now.inside]))
            attempt.left = [] if self._run.allow_dirty else list(left)
            # As after a kill, no run starts until the branch and its commits are back.
            if now.branch != attempt.branch:
                phase = attempt.phase
            elif is_lost(self._repository, self._required, now):
                super()._save_attempt(attempt.phase)
                raise explain_history(self._required)
            elif phase != DUE:
                attempt.head = now.head
        super()._save_attempt(phase)

    @property
    def _required(self) -> str | None:
        """The commit that agents must not remove."""
        return self._attempt.base if self._tainted else self._attempt.head

    def _look(self) -> WorktreeStatus:
        """Read and return the status."""
        self._now = read_worktree_status(self._repository)
        return self._now

    def _advance(self) -> WorktreeStatus:
        """Start the next task after a commit of everything, and return the status. Nothing is reverted after this."""
        now = self._look()
        self._attempt.head = self._attempt.base = now.head
        self._stashes = now.stashes
        self._tainted = False
        drop(self._state_directory)
        return now

    def _scan_commits(self) -> None:
        """Raise AttemptFailed if agents have committed what must not be committed; the next one may undo that."""
        self._tainted = self._run.screened and self._now.head != self._attempt.base
        if self._tainted:
            scan_agent_commits(self._repository, self._attempt.base)
            self._tainted = False

    def _mark_completed(self, task: PlanTask | None, message: CommitMessage) -> None:
        """Mark the task as completed, and with the last one the plan."""
        if task is not None:
            data = {"task_id": task.id, "attempt": task.attempts, "parent": self._now.head}
            self.log.add("task_completed", **data, is_timed=True, texts=get_rejection(message))
            task.status = "completed"
        done = len(self.plan.completed)
        if done == len(self.plan.tasks):
            self.plan.status = "completed"
            duration = round(1000 * (time.monotonic() - self._started))
            self.log.add("plan_completed", total_tasks=done, succeeded_tasks=done, duration_ms=duration)
        self._save_plan()

    def _revert_completion(self, task: PlanTask | None) -> None:
        """Mark the task, or only the plan, as not completed, since the commit failed."""
        self.plan.status = "in_progress"
        events = ["plan_completed"]
        if task is not None:
            events.append("task_completed")
            task.status = "in_progress"
        self.log.remove_last(*events)
        self._save_plan()

    def _recover(self, unfinished: PendingAttempt) -> list[str]:
        """Bring plan and log in line with what the interrupted attempt did, and finish its commit if it had one."""
        committing = unfinished.phase in (COMMIT, DUE)
        if committing:
            if self._run.allow_dirty:
                raise TaskPlanError(
                    f"the commit for task {unfinished.task} is incomplete", hint="resume without '--allow-dirty'"
                )
            plan = self._read_committed(unfinished)
            if plan is not None:
                self.plan = plan
                self._advance()
                return [f"task {unfinished.task} is already committed"]
        task = _find_task(self.plan, unfinished)
        message = None
        if committing:
            self._revert_completion(task)
            stage_all(self._repository)
            if unfinished.changes and fingerprint(list_staged(self._repository)) == unfinished.changes:
                message = unfinished.message
        return self._resume(task, message)

    def _read_committed(self, unfinished: PendingAttempt) -> TaskPlan | None:
        """Return the plan in HEAD if the commit that was being made exists, else None.

        If the plan is not tracked, any commit on top of the attempt's is taken for it.
        """
        head, place = self._now.head, self._folder.place
        if head is None or head == unfinished.head:
            return None
        tracked = self._repository.ended("cat-file", "blob", f"HEAD:{place}", expected=(0, 128))
        if tracked.returncode == 0:
            committed = read_plan(tracked.stdout, place)
            return committed if _find_task(committed, unfinished).status == "completed" else None
        done = self._repository.ended("rev-parse", "--verify", "--quiet", "HEAD^1", expected=(0, 1))
        if done.stdout.decode().strip() != (unfinished.head or ""):
            return None
        _find_task(self.plan, unfinished).status = "completed"
        return self.plan

    def _reset_tasks(self) -> None:
        """Give a task that failed all its attempts again."""
        for task in self.plan.tasks:
            if task.status == "failed":
                task.attempts = 0
            if task.status != "completed":
                task.status = "pending"
        if self.plan.status == "failed":
            self.plan.status = "in_progress"
        if self.plan.status == "not_started":
            self.log.add("plan_started", plan_id=self.plan.id)


def load_plan(folder: PlanFolder, unfinished: PendingAttempt | None) -> tuple[TaskPlan, list[str]]:
    """Return the plan in `folder`, and in words whether it had to be restored.

    After a kill the plan is the one that we saved last. If the file was deleted it is restored; if it has another plan,
    the agent or the user may have written that, and the user has to decide.

    Raise TaskPlanError if that is so, there is no plan, or it cannot be written.
    """
    if unfinished is None or not unfinished.unsettled:
        return folder.load(), []
    plan = read_plan(unfinished.plan_json.encode(), folder.place)
    if not folder.has(PLAN):
        folder.save(plan)
        return plan, [f"'{folder.place}' was deleted; restored it"]
    if not unfinished.killed:
        return folder.load(), []
    if _without_progress(folder.read(PLAN), folder) != _without_progress(plan.to_bytes(), folder):
        raise TaskPlanError(
            f"'{folder.place}' was changed by the agent, or since its run was killed",
            hint="move it away and resume: it is restored as smartcommit last wrote it",
        )
    return plan, []


def _without_progress(content: bytes, folder: PlanFolder) -> object:
    """Return what a plan's file says apart from progress, None if it is not a plan."""
    try:
        plan = read_plan(content, folder.place)
    except TaskPlanError:
        return None
    return plan.model_dump(exclude={"status": True, "tasks": {"__all__": {"status", "attempts"}}})


def _find_task(plan: TaskPlan, unfinished: PendingAttempt) -> PlanTask:
    """Return the task of the attempt. Raise TaskPlanError if it is not in the plan any more."""
    task = plan.find(unfinished.task)
    if task is None:
        raise TaskPlanError(f"task '{unfinished.task}' was started, but is not in the plan any more")
    return task
