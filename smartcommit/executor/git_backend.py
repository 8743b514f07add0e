"""The books of one plan in a git working tree: its files and its commits, which move together or not at all.

Each task's metadata is written before its commit, which holds it, and taken back where the commit fails. What a killed
process was at is in the git directory (`smartcommit.executor.attempt_state`), so that `open` can settle it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace

from smartcommit.errors import GitError, SmartcommitError, TaskPlanError
from smartcommit.executor import attempt_state
from smartcommit.executor.agents import AttemptFailed
from smartcommit.executor.attempt_state import (
    committed_plan,
    load_plan,
    plan_of,
    release_locks,
    replaced,
    stop_leftover_processes,
)
from smartcommit.executor.commit import commit, fingerprint
from smartcommit.executor.event_log import Records
from smartcommit.executor.output import PREFIX, CommitMessage, plan_message
from smartcommit.executor.plan import PlanTask, TaskPlan
from smartcommit.executor.plan_dir import PlanFolder, write_ignore
from smartcommit.executor.worktree_checks import WorktreeGuard, names, refuse_operation, refuse_other
from smartcommit.git import transaction
from smartcommit.git.commit import stage_all, staged
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus, look


@dataclass(frozen=True, slots=True)
class CommitOptions:
    """How a plan is run: without any commit (`allow_dirty`), with which prefix of default messages, and whether what is
    about to be committed is looked through for secrets (`screened`).
    """

    allow_dirty: bool = False
    prefix: str = PREFIX
    screened: bool = True


class GitPlanBackend:
    """The plan in `folder`, and what has come of it. `mark` names this run to its processes."""

    def __init__(
        self, repository: Repository, folder: PlanFolder, *, mark: str, terms: CommitOptions | None = None
    ) -> None:
        # An agent may remove the git directory: a repository around this one is nobody's to commit to.
        self._repository = repository.confined()
        self._folder = folder
        self._terms = terms or CommitOptions()
        self._mark = mark
        self._footing = WorktreeGuard(self._repository, screened=self._terms.screened and not self._terms.allow_dirty)
        plan, self._restored = load_plan(self._repository, folder)
        self._records = Records(folder, plan)
        self.commits: list[tuple[str, str]] = []

    @property
    def plan(self) -> TaskPlan:
        """The plan as it is now."""
        return self._records.plan

    def open(self) -> list[str]:
        """Settle what an earlier run left, and see to it that this one can begin; returns what was settled, in words.

        Raises: TaskPlanError when the tree or the repository is in no state for it; GitError.
        """
        repository = self._repository
        refuse_operation(repository)
        transaction.check_settled(repository)
        unfinished = attempt_state.load(repository.git_dir)
        refuse_other(unfinished, self._folder.name)
        stop_leftover_processes(unfinished)
        standing = look(repository)
        ours = unfinished if unfinished and unfinished.plan == self._folder.name else None
        settled = self._restored
        made = replaced(repository, self._folder, ours, standing) if ours is not None else None
        if ours is not None and made is not None:
            attempt_state.record(repository.git_dir, **{**made, "commit": standing.head})
            ours = replace(ours, parent=standing.head, base=standing.head)
            settled = [*settled, f"the commit of task {made['task']} was replaced since, and is gone on from"]
        self._footing.begin(standing, ours, allow_dirty=self._terms.allow_dirty)
        if ours is not None and ours.phase != attempt_state.STOPPED:
            settled = [*settled, *self._settle(ours, standing)]
        self._records.open()
        return settled

    def last_failure(self, task: PlanTask) -> str:
        """Why the task failed last, for the next attempt; empty where it has not."""
        return self._records.last_failure(task)

    def start(self, task: PlanTask) -> None:
        """An attempt at `task` begins.

        Raises: TaskPlanError when it cannot be written down; GitError.
        """
        task.attempts += 1
        task.status = self.plan.status = "in_progress"
        self._keep(task, attempt_state.AGENT)
        self._records.start(task, self._footing.standing.head)

    def settle(self, task: PlanTask) -> None:
        """The agent says that it is done: see where it left the repository; a commit of its own is accepted.

        Raises: AttemptFailed when it left something unfinished; TaskPlanError when it lost what was there.
        """
        head = self._footing.settle()
        if head is not None:
            self._records.agent_committed(task, head)
        if not self._terms.allow_dirty:
            self._footing.refuse_hidden()
        self._footing.screen_own()

    def fail(self, task: PlanTask, reason: str) -> None:
        """The attempt came to nothing; the tree stays as it is.

        Raises: TaskPlanError when it took back commits.
        """
        self._records.fail(task, reason)
        if self._stop(task).astray:
            self._footing.refuse_lost()

    def give_up(self, task: PlanTask) -> None:
        """No attempt is left."""
        self._records.give_up(task)

    def cancel(self, task: PlanTask) -> None:
        """A person stops the run; the attempt does not count."""
        self._records.cancel(task)
        self._stop(task)

    def stop(self, task: PlanTask, reason: str) -> None:
        """The run cannot go on for a reason that is no agent's; the attempt does not count."""
        self._records.stop(task, reason)
        # Where git cannot even look, it stays as it is, like after a kill.
        with suppress(GitError):
            self._stop(task, attempt_state.load(self._repository.git_dir))

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        """Mark `task` completed and commit everything; the commit's id, None where there is none.

        Raises: AttemptFailed when a hook refuses, GitError when git fails; then the task is not completed.
        TaskPlanError when the tree is not clean afterwards; then it is.
        """
        if not self._terms.allow_dirty:
            self._keep(task, attempt_state.COMMIT, message)
        self._records.complete(task, message, self._footing.standing.head)
        if self._terms.allow_dirty:
            attempt_state.drop(self._repository.git_dir)
            return None
        try:
            # An agent that cleans the tree takes what is ignored with it, and what says so.
            write_ignore(self._repository.worktree)
            made = self._commit(message.text)
        except (AttemptFailed, SmartcommitError):
            self._records.take_back(task)
            raise
        return self._close(task.id, message.text if made else None)

    def finish(self) -> str | None:
        """All tasks are completed: so is the plan; the commit's id where that took one.

        Raises: AttemptFailed, GitError, TaskPlanError as `complete`.
        """
        if self.plan.status == "completed":
            return None
        self._records.finish()
        if self._terms.allow_dirty:
            attempt_state.drop(self._repository.git_dir)
            return None
        self._footing.look()
        try:
            message = plan_message(self.plan, self._terms.prefix)
            made = self._commit(message)
        except (AttemptFailed, SmartcommitError):
            self._records.take_back()
            raise
        return self._close(None, message if made else None)

    def _commit(self, message: str) -> bool:
        return commit(
            self._repository, message, head=self._footing.standing.head, base=self._footing.base, mark=self._mark,
            screened=self._terms.screened, staged_now=self._staged,
        )  # fmt: skip

    def _close(self, task: str | None, message: str | None) -> str | None:
        """A commit with `message` is made, or there was nothing to commit: from here on nothing is taken back."""
        repository = self._repository
        parent = self._footing.standing.head
        now = self._footing.advance()
        made = None
        if message is not None and now.head is not None:
            made = now.head
            self.commits.append((made, message))
            attempt_state.record(repository.git_dir, plan=self._folder.name, task=task, commit=now.head, parent=parent)
        attempt_state.drop(repository.git_dir)
        if now.changed:
            raise TaskPlanError(
                f"the working tree is not clean after the commit: {names(now.changed)}",
                hint="a hook or a process left behind has changed files: commit them or take them back, then resume",
            )
        return made

    def _staged(self, changes: str) -> None:
        """What is about to be committed is known now."""
        unfinished = attempt_state.load(self._repository.git_dir)
        if unfinished is not None:
            unfinished.changes = changes
            attempt_state.save(self._repository.git_dir, unfinished)

    def _settle(self, unfinished: attempt_state.PendingAttempt, standing: WorktreeStatus) -> list[str]:
        """Bring plan and log in line with what the cut off attempt has come to; finish its commit where it had one."""
        release_locks(self._repository, standing)
        if unfinished.phase == attempt_state.COMMIT:
            if self._terms.allow_dirty:
                raise TaskPlanError(
                    f"the commit of task {unfinished.task} is not finished", hint="resume without '--allow-dirty'"
                )
            plan = committed_plan(self._repository, self._folder, unfinished, standing)
            if plan is not None:
                return self._accept(plan, unfinished, standing)
        self._records.plan = plan_of(unfinished, self._folder, self.plan)
        task = next(task for task in self.plan.tasks if task.id == unfinished.task)
        if unfinished.phase == attempt_state.COMMIT:
            self._records.take_back(task)
            stage_all(self._repository)
            if unfinished.changes and fingerprint(staged(self._repository)) == unfinished.changes:
                return self._commit_late(task, unfinished.commit_message)
        self._records.interrupt(task)
        self._stop(task)
        return [f"task {task.id} was cut off and is begun again"]

    def _accept(self, plan: TaskPlan, unfinished: attempt_state.PendingAttempt, standing: WorktreeStatus) -> list[str]:
        self._records.plan = plan
        git_dir, parent = self._repository.git_dir, unfinished.parent
        attempt_state.record(git_dir, plan=self._folder.name, task=unfinished.task, commit=standing.head, parent=parent)
        attempt_state.drop(git_dir)
        self._footing.advance()
        return [f"task {unfinished.task} was committed already"]

    def _commit_late(self, task: PlanTask, message: CommitMessage) -> list[str]:
        try:
            self.complete(task, message)
        except AttemptFailed as error:
            self.fail(task, str(error))
            return [f"the commit of task {task.id} was refused, and it is begun again"]
        return [f"the commit of task {task.id}, which was cut off, was made now"]

    def _keep(self, task: PlanTask, phase: str, message: CommitMessage | None = None) -> None:
        unfinished = self._unfinished(task, phase)
        if message is not None:
            unfinished.commit_message = message
        attempt_state.save(self._repository.git_dir, unfinished)

    def _stop(self, task: PlanTask, kept: attempt_state.PendingAttempt | None = None) -> attempt_state.PendingAttempt:
        """The attempt is over, and this is what it left; a commit in `kept` that is not made is for the next run."""
        left, astray = self._footing.leave()
        if kept is None or kept.phase != attempt_state.COMMIT:
            kept = self._unfinished(task, attempt_state.STOPPED)
        kept.left, kept.astray = left, astray
        attempt_state.save(self._repository.git_dir, kept)
        return kept

    def _unfinished(self, task: PlanTask, phase: str) -> attempt_state.PendingAttempt:
        footing = self._footing
        return attempt_state.PendingAttempt(
            self._folder.name, task.id, footing.ground.head, self._mark, phase, branch=footing.ground.branch,
            dirty=footing.dirty, plan_json=self.plan.to_bytes().decode(), base=footing.base,
            inside=list(map(os.fsdecode, footing.inside)),
        )  # fmt: skip
