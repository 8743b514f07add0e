"""Plan backend for git: updates plan files and creates commits atomically.

The state of a task is written before its commit, which contains it, and reverted if the commit fails. The git directory
holds the pending attempt (`smartcommit.executor.attempt_state`), so that `open` can recover from a kill.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from smartcommit.change.wording import format_count
from smartcommit.errors import GitError, SmartcommitError, TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.attempt_state import committed_plan, find_task, load_plan, stop_leftover_processes
from smartcommit.executor.backend import PlanBackend
from smartcommit.executor.commit import check_sizes, commit, fingerprint
from smartcommit.executor.plan import PlanTask
from smartcommit.executor.plan_dir import PlanFolder, private_folder, write_ignore
from smartcommit.executor.progress_log import get_rejection
from smartcommit.executor.protected_files import list_protected
from smartcommit.executor.run import AttemptFailed, Run
from smartcommit.executor.task_message import CommitMessage, plan_message
from smartcommit.executor.worktree_checks import (
    WorktreeGuard,
    check_no_operation,
    check_other_plan,
    check_uncommittable_work,
    quote,
    without_plan_state,
)
from smartcommit.git.commit import list_staged, stage_all
from smartcommit.git.repo import Repository, Trees
from smartcommit.git.status import WorktreeStatus, read_worktree_status
from smartcommit.git.transaction.recover import check_recovered
from smartcommit.git.upstream import find_push


class GitPlanBackend(PlanBackend):
    """The plan in `folder`, and its commits."""

    def __init__(self, run: Run, repository: Repository, folder: PlanFolder) -> None:
        # If an agent removes the git directory, never commit to a repository around this one.
        self._repository = repository.confined()
        self._folder = folder
        self._guard = WorktreeGuard(self._repository, screened=run.screened)
        self._started = time.monotonic()
        plan, self._restored = load_plan(self._repository, folder)
        git_dir = self._repository.git_dir
        private = private_folder(git_dir, folder.name)
        super().__init__(run, plan, folder, private=private, name=folder.name, state_directory=git_dir)

    def open(self) -> list[str]:
        repository = self._repository
        check_no_operation(repository)
        check_recovered(repository)
        unfinished = attempt_state.load(repository.git_dir)
        check_other_plan(unfinished, self._folder.name)
        stop_leftover_processes(unfinished)
        recovered = [*self._restored, *self._restore_interrupted(unfinished)]
        now = read_worktree_status(repository)
        if unfinished is not None and unfinished.plan != self._folder.name:
            unfinished = None
        self._guard.begin(now, unfinished, allow_dirty=self._run.allow_dirty)
        if unfinished is not None and unfinished.phase != attempt_state.STOPPED:
            recovered += self._recover(unfinished, now)
        self._reset_tasks()
        return recovered

    def inspect_worktree(self, task: PlanTask) -> None:
        head = self._guard.inspect()
        if head is not None:
            self._log.add("agent_committed", task_id=task.id, head=head)
        if not self._run.allow_dirty:
            check_uncommittable_work(self._repository, self._guard.before, self._guard.now)
            if self._run.screened:
                check_sizes(self._repository, self._guard.now.untracked)
        self._guard.scan_commits()

    def fail(self, task: PlanTask, reason: str) -> None:
        super().fail(task, reason)
        self._guard.check_history()

    def stop(self, task: PlanTask, reason: str) -> None:
        super().stop(task, reason)
        unfinished = attempt_state.load(self._state_directory)
        if unfinished is not None and unfinished.phase != attempt_state.COMMIT:
            unfinished = None
        # If git cannot even read the status, the attempt stays pending, as after a kill.
        with suppress(GitError):
            self._end(task, unfinished)

    def stage(self) -> Trees | None:
        if self._run.allow_dirty:
            return None
        stage_all(self._repository)
        return Trees(self._repository, self._head or self._repository.empty_tree)

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        if self._run.allow_dirty:
            self._mark_completed(task, message)
            attempt_state.drop(self._state_directory)
            return None
        unfinished = self._pending(task, attempt_state.COMMIT)
        unfinished.commit_message = message
        attempt_state.save(self._state_directory, unfinished)
        self._mark_completed(task, message)
        try:
            # An agent that cleans the tree removes ignored files, and the file that ignores them.
            write_ignore(self._repository.worktree)
            made = self._commit(message.text, unfinished)
        except (AttemptFailed, SmartcommitError):
            self._revert_completion(task)
            raise
        if unfinished.changes in ("", fingerprint([])) and self._head == self._guard.before.base:
            self.empty_tasks.append(task)
        return self._record_commit(message.text, made=made)

    def finish(self) -> None:
        if self.plan.status == "completed":
            return
        self._mark_plan_completed()
        if self._run.allow_dirty:
            attempt_state.drop(self._state_directory)
            return
        self._guard.look()
        message = plan_message(self.plan, self._run.prefix)
        try:
            made = self._commit(message, None)
        except (AttemptFailed, SmartcommitError):
            self._revert_completion()
            raise
        self._record_commit(message, made=made)

    def _describe_left(self) -> list[str]:
        changed = without_plan_state(self._guard.look().changed)
        if not changed:
            return []
        return [f"left uncommitted: {quote(changed)}; make commits of it with 'git smart-commit'"]

    def _describe_push(self) -> list[str]:
        branch = self._guard.now.branch
        push = find_push(self._repository, branch) if branch is not None else None
        if push is None or not push.ahead:
            return []
        ahead = f"to push: {format_count(push.ahead, 'commit')} that {push.target} does not have"
        if push.behind:
            missing = format_count(push.behind, "commit")
            return [f"{ahead}; it has {missing} more, so run 'git pull --rebase' and '{push.command}'"]
        return [f"{ahead}; run '{push.command}'"]

    def restore_protected(self) -> list[str]:
        # If the git directory is gone, what is put back would look like one.
        if not os.path.lexists(os.path.join(self._state_directory, "HEAD")):
            return []
        return super().restore_protected()

    def _list_protected(self) -> list[str]:
        return list_protected(self._repository)

    @property
    def _head(self) -> str | None:
        return self._guard.now.head

    def _pending(self, task: PlanTask, phase: str) -> attempt_state.PendingAttempt:
        before = self._guard.before
        return attempt_state.PendingAttempt(
            self._folder.name, task.id, before.head, self._run.id, phase, branch=before.branch,
            dirty=self._guard.dirty, plan_json=self.plan.to_bytes().decode(), base=before.base,
            dirty_submodules=list(map(os.fsdecode, before.dirty_submodules)),
            hidden=list(map(os.fsdecode, before.hidden)),
        )  # fmt: skip

    def _end(self, task: PlanTask, kept: attempt_state.PendingAttempt | None = None) -> None:
        """Save an attempt that is over, with what it left; if it is `kept`, the next run makes its commit."""
        left, left_branch = self._guard.leave()
        unfinished = kept or self._pending(task, attempt_state.STOPPED)
        unfinished.left, unfinished.left_branch = left, left_branch
        attempt_state.save(self._state_directory, unfinished)

    def _save_plan(self) -> None:
        self._folder.save(self.plan)

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
            self._log.add("plan_started", plan_id=self.plan.id)

    def _mark_completed(self, task: PlanTask, message: CommitMessage) -> None:
        """Mark the task as completed, and with the last one the plan."""
        self._log.add(
            "task_completed", task_id=task.id, attempt=task.attempts, duration_ms=self._elapsed(), parent=self._head,
            texts=get_rejection(message),
        )  # fmt: skip
        task.status = "completed"
        if len(self.plan.completed) == len(self.plan.tasks):
            self._mark_plan_completed()
        else:
            self._save_plan()

    def _mark_plan_completed(self) -> None:
        self.plan.status = "completed"
        self._log.add(
            "plan_completed",
            total_tasks=len(self.plan.tasks),
            succeeded_tasks=len(self.plan.completed),
            duration_ms=round(1000 * (time.monotonic() - self._started)),
        )
        self._save_plan()

    def _revert_completion(self, task: PlanTask | None = None) -> None:
        """Mark the task, or only the plan, as not completed, since the commit failed."""
        self.plan.status = "in_progress"
        if task is None:
            self._log.remove_last("plan_completed")
        else:
            self._log.remove_last("task_completed", "plan_completed")
            task.status = "in_progress"
        self._save_plan()

    def _commit(self, message: str, unfinished: attempt_state.PendingAttempt | None) -> bool:
        """Commit everything, for the attempt `unfinished` or only for the plan; return False if there is nothing."""

        def save_fingerprint(changes: str) -> None:
            if unfinished is not None:
                unfinished.changes = changes
                attempt_state.save(self._state_directory, unfinished)

        return commit(
            self._repository, message, head=self._head, base=self._guard.before.base, run_id=self._run.id,
            screened=self._run.screened, on_staged=save_fingerprint,
        )  # fmt: skip

    def _record_commit(self, message: str, *, made: bool) -> str | None:
        """Record the commit, if there was anything to commit. Nothing is reverted after this."""
        now = self._guard.advance()
        if made and now.head is not None:
            self.commits.append((now.head, message))
        attempt_state.drop(self._state_directory)
        if now.changed:
            hint = "a hook or a leftover process changed files; commit or discard the changes"
            if self.plan.status != "completed":
                hint += f", then run 'smartcommit execute resume {self.name}'"
            raise TaskPlanError(f"the working tree is not clean after the commit: {quote(now.changed)}", hint=hint)
        return now.head if made else None

    def _recover(self, unfinished: attempt_state.PendingAttempt, now: WorktreeStatus) -> list[str]:
        """Bring plan and log in line with what the interrupted attempt did, and finish its commit if it had one."""
        committing = unfinished.phase == attempt_state.COMMIT
        if committing:
            if self._run.allow_dirty:
                raise TaskPlanError(
                    f"the commit for task {unfinished.task} is incomplete", hint="resume without '--allow-dirty'"
                )
            place = self._folder.place
            plan = committed_plan(self._repository, place, self.plan, unfinished=unfinished, now=now)
            if plan is not None:
                # The commit of the interrupted attempt was made.
                self.plan = plan
                attempt_state.drop(self._state_directory)
                self._guard.advance()
                return [f"task {unfinished.task} is already committed"]
        task = find_task(self.plan, unfinished)
        if committing:
            self._revert_completion(task)
            stage_all(self._repository)
            if unfinished.changes and fingerprint(list_staged(self._repository)) == unfinished.changes:
                return self._complete_late(task, unfinished.commit_message)
        return self._restart(task)
