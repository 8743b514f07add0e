"""A plan in its folder, the state of its tasks, and their commits, which change together or not at all.

The state of a task is written before its commit, which contains it, and reverted if the commit fails. The git directory
holds the pending attempt (`smartcommit.executor.run`), so that `open` can recover from a kill.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from smartcommit import state_files
from smartcommit.errors import GitError, LockedError, SmartcommitError, TaskPlanError
from smartcommit.executor import run as runs
from smartcommit.executor.content_check import check_content, scan_agent_commits
from smartcommit.executor.plan import PlanTask, TaskPlan, read_plan
from smartcommit.executor.plan_dir import PLAN, PlanFolder, ProgressLog, find_private_folder, write_ignore
from smartcommit.executor.protected_files import list_protected, read_protected
from smartcommit.executor.run import AttemptFailed, PendingAttempt, ProtectedFileChanged, Run
from smartcommit.git.commit import HookRejected, UnstageableFile, commit_everything, stage_all
from smartcommit.git.lockfile import COPIED, FileLock
from smartcommit.git.repo import Repository, Trees
from smartcommit.git.status import (
    WorktreeStatus,
    find_operation,
    is_ancestor,
    list_hidden,
    read_worktree_status,
    refuse_operations,
)
from smartcommit.git.transaction.recover import refuse_if_interrupted
from smartcommit.message.characters import list_some, printable
from smartcommit.processes import EXECUTION
from smartcommit.state_files import is_plan_state
from smartcommit.verdict import EXECUTOR_TITLE, make_proof

# Seconds that a commit may take with all its hooks.
PATIENCE = 1800.0
# Paths that an error lists.
_PATHS_NAMED = 10
# The index as it was before a commit was tried, in the git directory.
_INDEX = "executor-index"
_INTERRUPTED = "it was interrupted before its work was committed"


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A commit message; `reason` says why the agent's suggestion was not used as it was."""

    text: str
    reason: str = ""

    @property
    def subject(self) -> str:
        return self.text.partition("\n")[0]


class PlanBackend:
    """The plan in `folder`, and its commits. Raise LockedError or TaskPlanError if an earlier run is not over.

    `commits` are those of this run, oldest first, each with its subject, and `empty_tasks` those that it completed
    although nothing was changed. What agents print is in `private`. Every method raises GitError if git fails, and
    TaskPlanError if a file cannot be written.
    """

    _clean_hint = "commit or stash them (in a submodule: there), or run with '--allow-dirty', which commits nothing"

    def __init__(self, run: Run, repository: Repository, folder: PlanFolder) -> None:
        # If an agent removes the git directory, never commit to a repository around this one.
        self._repository = repository = repository.confined()
        self._git_dir = repository.git_dir
        unfinished = runs.take_over(self._git_dir)
        if unfinished is not None and unfinished.plan != folder.name:
            if unfinished.killed:  # our commits would contain its work
                raise TaskPlanError(
                    f"a run of plan '{unfinished.plan}' was interrupted",
                    hint=f"run 'smartcommit execute resume {unfinished.plan}' first",
                )
            unfinished = None
        self._run = run
        self.plan = self._load(folder, unfinished)
        self.name = folder.name
        self.private = find_private_folder(self._git_dir, folder.name)
        self._folder = folder
        self._log = ProgressLog(folder)
        # What an earlier run left.
        self._unfinished = unfinished
        previous = unfinished or PendingAttempt(folder.name, "", None, run.id)
        self._attempt = PendingAttempt(
            folder.name, previous.task, None, run.id, failure=previous.failure, hidden=previous.hidden,
            work=previous.work, message=previous.message,
        )  # fmt: skip
        # The last status of the tree, and the number of stashes before the task.
        self._now = WorktreeStatus()
        self._stashes = 0
        self._is_staged = False
        self.commits: list[tuple[str, str]] = []
        self.empty_tasks: list[PlanTask] = []

    def open(self) -> list[str]:
        """Recover from an earlier run and say so; raise TaskPlanError if a run cannot start from the present state."""
        attempt, unfinished = self._attempt, self._unfinished
        refuse_operations(self._repository)
        refuse_if_interrupted(self._repository)
        now = self._look()
        self._stashes = now.stashes
        attempt.branch, attempt.head, attempt.base = now.branch, now.head, now.head
        # Between runs the user may change the history, unless an attempt has to be recovered.
        if unfinished is not None and unfinished.killed:
            self._check_history(unfinished, now)
        if unfinished is not None and (unfinished.killed or now.head == unfinished.head):
            attempt.base = unfinished.base
        foreign = self._list_foreign(now)
        if foreign and not self._run.allow_dirty:
            raise TaskPlanError(
                f"the working tree has changes that do not belong to this plan: {quote(foreign)}", hint=self._clean_hint
            )
        if unfinished is None:
            attempt.hidden += self._list_hidden_paths()
        recovered = self._recover(unfinished) if unfinished is not None and unfinished.killed else []
        for task in self.plan.tasks:
            if task.status == "failed":  # it gets all its attempts again
                task.attempts = 0
            if task.status != "completed":
                task.status = "pending"
        if self.plan.status == "not_started":
            self._log.add("plan_started", plan_id=self.plan.id)
        return recovered

    def _check_history(self, killed: PendingAttempt, now: WorktreeStatus) -> None:
        """Raise TaskPlanError if the branch of a killed attempt is not checked out, or has lost commits."""
        if now.branch != killed.branch:
            raise TaskPlanError(
                f"the run started on {_name_branch(killed.branch)}, but {_name_branch(now.branch)} is checked out",
                hint=f"run 'git checkout {killed.branch or killed.head or 'HEAD'}', then resume",
            )
        if self._is_lost(killed.base):
            raise _explain_history(killed.base)

    def _list_foreign(self, now: WorktreeStatus) -> list[bytes]:
        """Return the paths with changes that no earlier run of the plan has left."""
        changed = _without_plan_state([*now.changed, *now.inside])
        if self._unfinished is None:
            return changed
        # What a killed attempt left is not known, but it started in a clean tree.
        if self._unfinished.left is None:
            return []
        left = [os.fsencode(path) for path in self._unfinished.left]
        return [path for path in changed if path not in left]

    def start(self, task: PlanTask) -> None:
        task.attempts += 1
        task.status = self.plan.status = "in_progress"
        attempt = self._attempt
        attempt.failure = self.find_last_failure(task)
        attempt.task, attempt.title = task.id, task.title
        # What is changed while nothing may be committed never belongs to the plan.
        attempt.left, attempt.work = [] if self._run.allow_dirty else None, ""
        attempt.protected = read_protected(self._list_protected())
        self._save_attempt(runs.AGENT)
        self._folder.save(self.plan)
        self._log.add("task_started", task_id=task.id, attempt=task.attempts)

    def find_last_failure(self, task: PlanTask) -> str:
        return self._attempt.failure if task.id == self._attempt.task else ""

    def make_default_message(self, task: PlanTask) -> str:
        return f"{EXECUTOR_TITLE}{printable(task.id)}: {printable(task.title)}"

    def find_finished(self, task: PlanTask) -> CommitMessage | None:
        """Return the message for the work of an earlier run whose commit failed; None if it has changed since."""
        unfinished = self._unfinished
        if unfinished is None or unfinished.task != task.id or not unfinished.work or self._run.allow_dirty:
            return None
        # The run starts the task again if git fails, and git says why once more.
        with suppress(GitError):
            self._stage()
            if self._now.head == unfinished.head and self._identify_work(task) == unfinished.work:
                return CommitMessage(*unfinished.message)
        self._restore_index()
        return None

    def check_protected(self) -> None:
        """Raise ProtectedFileChanged if configuration or hooks were changed; git is not run."""
        try:
            runs.check_protected(self._git_dir, self._attempt)
        except ProtectedFileChanged as error:
            exclude = os.path.join(self._repository.common_dir, "info", "exclude")
            if error.changed != [exclude]:
                raise
            # git can run: patterns start nothing.
            listing = ("ls-files", "--others", "--ignored", "--directory", "-z", f"--exclude-from={exclude}")
            if excluded := self._repository.run(*listing).split(b"\0")[:-1]:
                command = _name_command("add --force", excluded)
                error.hint = f"it hides {quote(excluded)}: run '{command}' to have that committed, or undo the change; "
                error.hint += "then resume"
            raise

    def inspect(self, task: PlanTask) -> None:
        """Check what the agent did; raise AttemptFailed if it cannot be committed, TaskPlanError if work is lost."""
        attempt, now = self._attempt, self._look()
        operation = find_operation(self._repository)
        if operation is not None:
            raise AttemptFailed(f"{operation.name} was left in progress; run '{operation.commands}'")
        if self._has_moved():
            raise AttemptFailed(self._explain_move(attempt))
        if self._is_lost(attempt.base):
            raise _explain_history(attempt.base)
        if now.head not in (attempt.head, attempt.base):
            self._log.add("agent_committed", task_id=task.id, head=now.head)
        attempt.head = now.head
        if self._run.allow_dirty:
            return
        if now.inside:
            raise AttemptFailed(f"uncommitted changes in submodule {quote(now.inside)}; commit them there")
        if now.stashes > self._stashes:
            raise AttemptFailed("changes were stashed; run 'git stash pop' to restore them")
        for flag, paths in self._list_hidden().items():
            command = _name_command(f"update-index --no-{flag}", paths)
            raise AttemptFailed(f"changes of {quote(paths)} are hidden from git by {flag}; run '{command}'")
        if now.head != attempt.base:
            scan_agent_commits(self._repository, attempt.base)

    def stage(self) -> Trees | None:
        """Return what the next commit would contain, None if none is made."""
        if self._run.allow_dirty:
            return None
        self._stage()
        return Trees(self._repository, self._now.head or self._repository.empty_tree)

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        """Mark the task as completed, commit everything, and return the commit's id; or raise AttemptFailed."""
        if self._run.allow_dirty:
            self._mark_completed(task)
            runs.drop(self._git_dir)
            return None
        self._save_attempt(runs.COMMIT)
        has_work = self._now.head != self._attempt.base or _without_plan_state(self._now.changed)
        self._mark_completed(task)
        try:
            is_committed = self._commit(task, message)
        except (AttemptFailed, SmartcommitError):
            self._look()
            if self._read_committed(self._attempt) is None:
                self._revert_completion(task)
                raise
            is_committed = True  # git was killed after that
        if not has_work:
            self.empty_tasks.append(task)
        now = self._advance()
        if is_committed and now.head is not None:
            self.commits.append((now.head, message.subject))
        if now.changed:
            hint = "a hook or a leftover process changed files; commit or discard the changes"
            if self.plan.status != "completed":
                hint += f", then run 'smartcommit execute resume {self.name}'"
            raise TaskPlanError(f"the working tree is not clean after the commit: {quote(now.changed)}", hint=hint)
        return now.head if is_committed else None

    def fail(self, task: PlanTask, reason: str, *, is_last: bool = False) -> None:
        """End an attempt that failed, which may be the last one; its work stays in the tree."""
        task.status = "pending"
        self._log.add("task_failed", task_id=task.id, attempt=task.attempts)
        self._attempt.failure = reason
        if is_last:
            task.status = self.plan.status = "failed"
            self._log.add("plan_failed", task_id=task.id, attempts=task.attempts)
        self._folder.save(self.plan)
        self._end_attempt()

    def stop(self, task: PlanTask, event: str) -> None:
        """End an attempt that is over for a reason that is not the agent's, and does not count; log it as `event`."""
        self._log.add(event, task_id=task.id)
        task.status = "pending"
        task.attempts = max(0, task.attempts - 1)
        self._attempt.failure = self._attempt.failure or _INTERRUPTED
        self._folder.save(self.plan)
        # If git cannot read the status, or the index is locked, the attempt stays pending, as after a kill.
        with suppress(GitError, LockedError):
            self._end_attempt()

    def _stage(self) -> None:
        """Stage everything, which `_restore_index` takes back."""
        index = self._repository.index
        if not self._is_staged:
            if not os.path.exists(index):
                self._repository.run("read-tree", "--empty")
            copy = state_files.find_path(self._git_dir, _INDEX)
            with suppress(FileNotFoundError):
                os.unlink(copy)
            # With its time: git compares that with a file's to know if the file must be read again.
            shutil.copy2(index, copy)
            self._is_staged = True
        stage_all(self._repository)

    def _restore_index(self) -> None:
        if not self._is_staged:
            return
        copy = state_files.find_path(self._git_dir, _INDEX)
        lock = FileLock(self._repository.index)
        lock.take(copy)
        lock.install()
        os.unlink(copy)
        with suppress(FileNotFoundError):
            os.unlink(copy + COPIED)
        self._is_staged = False

    def _list_hidden(self) -> dict[str, list[bytes]]:
        """Return the paths that were hidden from git since the task started, by flag."""
        hidden = {}
        for flag, paths in list_hidden(self._repository).items():
            if new := [path for path in paths if os.fsdecode(path) not in self._attempt.hidden]:
                hidden[flag] = new
        return hidden

    def _list_hidden_paths(self) -> list[str]:
        return [os.fsdecode(path) for path in itertools.chain(*self._list_hidden().values())]

    def _identify_work(self, task: PlanTask) -> str:
        """Return what identifies the staged change, without the plan's files, and what it was made for."""
        base = self._now.head or self._repository.empty_tree
        command = ("--no-literal-pathspecs", "diff-index", "--cached", "--no-renames", "-z", base)
        places = (":(top)", f":(top,exclude){state_files.PLANS}", f":(top,exclude){state_files.PLANS_IGNORE}")
        wanted = repr((task.model_dump(exclude={"status", "attempts"}), self.plan.check)).encode()
        return hashlib.sha256(wanted + self._repository.run(*command, "--", *places)).hexdigest()

    def _load(self, folder: PlanFolder, unfinished: PendingAttempt | None) -> TaskPlan:
        """Return the plan in `folder`, after a kill as we saved it; raise TaskPlanError if the file has another."""
        if unfinished is None or not unfinished.killed:
            return folder.load()
        plan = read_plan(unfinished.plan_json.encode(), folder.place)
        if folder.has(PLAN) and strip_progress(folder.load()) != strip_progress(plan):
            raise TaskPlanError(
                f"'{folder.place}' was changed by the agent, or since its run was killed",
                hint="move it away and resume: it is restored as smartcommit last wrote it",
            )
        return plan

    def _list_protected(self) -> list[str]:
        return list_protected(self._repository)

    def _has_moved(self) -> bool:
        return self._now.branch != self._attempt.branch

    def _is_lost(self, commit: str | None) -> bool:
        """Whether HEAD does not have a commit any more that it had."""
        head = self._now.head
        if commit is None or head == commit:
            return False
        return head is None or not is_ancestor(self._repository, commit, head)

    def _explain_move(self, attempt: PendingAttempt) -> str:
        return f"{_name_branch(self._now.branch)} is checked out instead of {_name_branch(attempt.branch)}"

    def _examine(self, task: PlanTask, message: CommitMessage) -> None:
        """Raise AttemptFailed if what is staged must not be committed, else save what the commit will be."""
        check_content(self._repository, self._attempt.base)
        self._attempt.work = self._identify_work(task)
        self._attempt.message = [message.text, message.reason]
        runs.save(self._git_dir, self._attempt)

    def _commit(self, task: PlanTask, message: CommitMessage) -> bool:
        execution = self._run.id + runs.COMMITTING

        def examine() -> None:
            self._examine(task, message)
            proof = make_proof(execution, message.text.encode("utf-8", "surrogateescape"))
            if not state_files.save(self._git_dir, state_files.PROOF, proof):
                raise TaskPlanError("cannot write to the git directory")

        environment = {EXECUTION: execution}
        try:
            # An agent that cleans the tree removes ignored files, and the file that ignores them.
            write_ignore(self._repository.worktree)
            self._stage()
            return commit_everything(
                self._repository, message.text, examine=examine, environment=environment, timeout=PATIENCE
            )
        except UnstageableFile as error:
            remedy = "fix it or its .gitattributes entry"
            if "commit checked out" in str(error):
                remedy = "it is a nested git repository: remove its '.git'"
            raise AttemptFailed(f"{error}; {remedy}") from None
        except HookRejected as refusal:
            raise AttemptFailed(f"a hook rejected the commit:\n{refusal.text}") from None
        finally:
            state_files.drop(self._git_dir, state_files.PROOF)

    def _save_attempt(self, phase: str) -> None:
        if phase != runs.AGENT:
            self._attempt.protected = {}
        self._attempt.phase = phase
        self._attempt.plan_json = self.plan.to_bytes().decode()
        runs.save(self._git_dir, self._attempt)

    def _end_attempt(self) -> None:
        """Save the attempt with what it left. Raise TaskPlanError if it removed commits."""
        self._restore_index()
        attempt, now = self._attempt, self._look()
        attempt.left = []
        if not self._run.allow_dirty:
            attempt.left = [os.fsdecode(path) for path in _without_plan_state([*now.changed, *now.inside])]
            attempt.left += self._list_hidden_paths()
        # As after a kill, no run starts until the branch and its commits are back.
        is_lost = self._is_lost(attempt.base)
        if is_lost or self._has_moved():
            self._save_attempt(attempt.phase)
        else:
            attempt.head = now.head
            self._save_attempt(runs.ENDED)
        if is_lost:
            raise _explain_history(attempt.base)

    def _look(self) -> WorktreeStatus:
        self._now = read_worktree_status(self._repository)
        return self._now

    def _advance(self) -> WorktreeStatus:
        now = self._look()
        self._attempt.head = self._attempt.base = now.head
        self._stashes, self._is_staged = now.stashes, False
        runs.drop(self._git_dir)
        state_files.drop(self._git_dir, _INDEX)
        return now

    def _mark_completed(self, task: PlanTask) -> None:
        self._log.add("task_completed", task_id=task.id, attempt=task.attempts)
        task.status = "completed"
        done = len(self.plan.completed)
        if done == len(self.plan.tasks):
            self.plan.status = "completed"
            self._log.add("plan_completed", total_tasks=done, succeeded_tasks=done)
        self._folder.save(self.plan)

    def _revert_completion(self, task: PlanTask) -> None:
        self.plan.status = task.status = "in_progress"
        self._attempt.phase = runs.AGENT
        self._log.revert_completion()
        self._folder.save(self.plan)

    def _recover(self, unfinished: PendingAttempt) -> list[str]:
        plan = self._read_committed(unfinished)
        if plan is not None:
            self.plan = plan
            self._advance()
            return [f"task {unfinished.task} is already committed"]
        task = self.plan.find(unfinished.task)
        assert task is not None  # the plan is the one that was saved
        if unfinished.phase == runs.COMMIT:
            self._revert_completion(task)
        if self._now.head == unfinished.head:
            return self._restart(task)
        # Commits since then may be the user's: no agent may remove them, not even to undo a secret.
        self._attempt.base = self._now.head
        messages = self._restart(task)
        try:
            scan_agent_commits(self._repository, unfinished.base)
        except AttemptFailed as error:
            # If the user undoes them, their work is the task's again.
            self._attempt.left = None
            runs.save(self._git_dir, self._attempt)
            hint = "do that unless the commit is right, then resume: the next run takes the commits as they are"
            raise TaskPlanError(str(error), hint=hint) from None
        return messages

    def _restart(self, task: PlanTask) -> list[str]:
        """Start a task again that was interrupted, and say so; its work stays in the tree."""
        self.stop(task, "task_interrupted")
        return [f"task {task.id} was interrupted; starting it again"]

    def _read_committed(self, unfinished: PendingAttempt) -> TaskPlan | None:
        """Return the plan in HEAD if the commit that was being made exists, else None."""
        if unfinished.phase != runs.COMMIT or self._now.head == unfinished.head:
            return None
        place = self._folder.place
        tracked = self._repository.ended("cat-file", "blob", f"HEAD:{place}", expected=(0, 128))
        if tracked.returncode:
            return None
        committed = read_plan(tracked.stdout, place)
        return committed if unfinished.task in committed.completed else None


def strip_progress(plan: TaskPlan) -> dict[str, object]:
    return plan.model_dump(exclude={"status": True, "tasks": {"__all__": {"status", "attempts"}}})


def _explain_history(commit: str | None) -> TaskPlanError:
    head = (commit or "")[:12]
    # At an older commit our files may be untracked, and in the way of any gentler reset.
    return TaskPlanError(
        f"commits were removed during the run: HEAD was at {head}",
        hint=f"run 'git stash -u' and 'git reset --hard {head}' to restore them, then resume",
    )


def _name_branch(branch: str | None) -> str:
    return "a detached HEAD" if branch is None else f"the branch '{branch}'"


def _without_plan_state(paths: Sequence[bytes]) -> list[bytes]:
    return [path for path in paths if not is_plan_state(path)]


def _name_command(command: str, paths: Sequence[bytes]) -> str:
    names = [os.fsdecode(path) for path in paths[:_PATHS_NAMED]]
    return shlex.join(["git", *command.split(), "--", *names])


def quote(paths: Sequence[bytes]) -> str:
    return list_some([f"'{os.fsdecode(path)}'" for path in paths], _PATHS_NAMED)
