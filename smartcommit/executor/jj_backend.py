"""A plan in the description of jj's working-copy commit, each of whose tasks becomes a change below that.

The change and the mark of its task are one operation of jj's. What agents print and the pending attempt are in `.jj`.
"""

from __future__ import annotations

import os
import shutil

from smartcommit.errors import JjError, TaskPlanError
from smartcommit.executor.backend import CommitMessage, PlanBackend, quote, strip_progress
from smartcommit.executor.content_check import check_content
from smartcommit.executor.plan import PlanTask, TaskPlan, make_plan
from smartcommit.executor.plan_dir import PlanFolder, find_private_folder
from smartcommit.executor.run import COMMIT, AttemptFailed, PendingAttempt, Run, drop, load
from smartcommit.git.commit import stage_all
from smartcommit.git.repo import Repository
from smartcommit.git.status import WorktreeStatus
from smartcommit.git.transaction.quarantine import Quarantine
from smartcommit.jj import run as jj_run
from smartcommit.jj.description import EditRejected, read
from smartcommit.jj.models import identify_tasks
from smartcommit.jj.moves import HiddenOperations
from smartcommit.jj.planner import finish_job, mark_task
from smartcommit.jj.run import JjChange
from smartcommit.jj.tools import Planner, print_edit
from smartcommit.message.header import Header
from smartcommit.message.parse import Message
from smartcommit.message.plan_sections import slug

# What the plan is called on a command line, as jj calls its commit.
NAME = "@"
_MOVED = "the change with the plan was committed or edited"


class JjPlanBackend(PlanBackend):
    """The plan in the working-copy commit that `tools` work on. Methods also raise JjError if jj fails.

    git looks at the working tree, in an index and an object directory of their own, since jj would keep in its
    operations what is refused. The index has the work staged, and HEAD's place is taken by the parent of the change.
    """

    _clean_hint = "run 'smartcommit split' or 'jj split', which leave the plan where it is, or 'jj restore'"

    def __init__(self, run: Run, tools: Planner) -> None:
        self._tools = tools
        self._root, state = tools.root, jj_run.find_state_directory(tools.root)
        self._store = jj_run.find_jj_repository(self._root)
        self._change = jj_run.read_change(self._root, snapshot=False)
        unfinished = load(state)
        if unfinished is not None and not unfinished.killed and unfinished.branch != self._change.change_id:
            drop(state)  # that was another plan
        if unfinished is None:
            # The log of earlier plans would grow without end.
            shutil.rmtree(find_private_folder(state, NAME).path(), ignore_errors=True)
        repository = Repository(
            worktree=self._root, git_dir=state, common_dir=self._store.git_dir, object_format=self._store.object_format,
            environment={**self._store.environment, "GIT_WORK_TREE": self._root},
        )  # fmt: skip
        super().__init__(run, repository, find_private_folder(state, NAME))
        self._plain = self._repository
        self._place = self.private.path("staged")

    def open(self) -> list[str]:
        # What an earlier attempt left may be what was refused.
        self._change = jj_run.read_change_at_work(self._root, snapshot=self._unfinished is None)
        recovered = super().open()
        self._attempt.operation = self._read_operation()
        told = self._unfinished
        if told is not None and told.failure.startswith(_MOVED) and self._is_in_place(self._change, told):
            self._attempt.failure = f"{_MOVED}, and is back in its place"
        return recovered

    def make_default_message(self, task: PlanTask) -> str:
        """Return the plan's header with the task for its summary, since jj has nothing to prove that we wrote ours."""
        header = self._read_plan(self._change).header
        assert header is not None
        return str(Header(header.type, task.title, scope=header.scope))

    def _read_plan(self, change: JjChange) -> Message:
        """Return the plan in the description of `change`; raise TaskPlanError if there is none, or no task in it."""
        reading = read(change.description, self._tools.rules)
        if reading.message is None or not reading.message.tasks:
            problems = "; ".join(reading.problems) or "it has no tasks"
            raise TaskPlanError(
                f"the description of the change {change.change_id[:12]} is not a plan to run: {problems}",
                hint="see 'smartcommit plan show', and run 'smartcommit plan start' and 'smartcommit plan tasks'",
            )
        return reading.message

    def _load(self, folder: PlanFolder, unfinished: PendingAttempt | None) -> TaskPlan:
        is_lost = unfinished is not None and unfinished.killed and not self._is_in_place(self._change, unfinished)
        if unfinished is not None and is_lost and self._read_committed(unfinished) is None:
            raise TaskPlanError(
                self._explain_move(unfinished),
                hint="then resume; or remove '.jj/smartcommit/executor-state' to go on without the attempt",
            )
        return make_task_plan(self._read_plan(self._change))

    def _is_in_place(self, change: JjChange, attempt: PendingAttempt) -> bool:
        """Whether the plan is where it was, apart from the states of its tasks, which only the executor changes."""
        if len(change.parents) != 1 or (change.change_id, jj_run.find_base(change)) != (attempt.branch, attempt.base):
            return False
        try:
            plan = make_task_plan(self._read_plan(change))
        except TaskPlanError:
            return False
        return strip_progress(plan) == strip_progress(TaskPlan.model_validate_json(attempt.plan_json))

    def _explain_move(self, attempt: PendingAttempt) -> str:
        # Neither command writes to a file, so nothing is missing if the second is not run. What was on disk is that of
        # the operation before the first, whatever was edited since, where a commit's id would be out of date.
        first = f"jj op restore {jj_run.NO_SNAPSHOT} {attempt.operation[:12]}"
        second = f'jj restore {jj_run.NO_SNAPSHOT} --from "at_operation(@-, @)"'
        return f"{_MOVED}; run '{first}' and then '{second}', which keep the files as they are"

    def _look(self) -> WorktreeStatus:
        """Stage the working tree where jj does not look, and return what differs from the parent of the change."""
        shutil.rmtree(self._place, ignore_errors=True)
        quarantine = Quarantine(self._repository, self._place)
        quarantine.create()
        index = {"GIT_INDEX_FILE": os.path.join(self._place, "index")}
        self._repository = self._plain.extended(**index, **quarantine.environment)
        base = jj_run.find_base(self._change)
        self._repository.run("read-tree", base or "--empty")
        stage_all(self._repository, ":(top)", ":(top,exclude).jj")
        listing = ("diff-index", "--cached", "--name-only", "--no-renames", "-z", base or self._repository.empty_tree)
        self._now = WorktreeStatus(base, self._change.change_id, self._repository.run(*listing).split(b"\0")[:-1])
        return self._now

    def _has_moved(self) -> bool:
        # Before the first attempt there is nothing to compare with.
        if not self._attempt.plan_json:
            return False
        return not self._is_in_place(jj_run.read_change(self._root, snapshot=False), self._attempt)

    def _stage(self) -> None:
        """Do nothing: `_look` has staged everything, in an index that nobody else reads."""

    def _list_protected(self) -> list[str]:
        paths = super()._list_protected()
        for level in ("--repo", "--workspace"):
            path = jj_run.run_jj(("config", "path", level, jj_run.NO_SNAPSHOT), repository=self._root)
            paths.append(os.fsdecode(path).rstrip("\n"))
        return paths

    def complete(self, task: PlanTask, message: CommitMessage) -> str | None:
        if jj_run.read_change(self._root, snapshot=False).description != self._change.description:
            # An agent has marked tasks, and after a kill a mark says that the task has its change.
            describe = ("describe", jj_run.NO_SNAPSHOT, "-r", "@", "--stdin")
            jj_run.run_jj(describe, repository=self._root, stdin=self._change.description.encode())
        return super().complete(task, message)

    def _commit(self, task: PlanTask, message: CommitMessage) -> bool:
        self._examine(task, message)
        text = self._print_marked(task)
        with jj_run.lock(self._root):
            hidden = HiddenOperations(self._root, self._store)
            (now,) = hidden.read("@")
            if not self._is_in_place(now, self._attempt):
                raise AttemptFailed(self._explain_move(self._attempt))
            self._check_recorded(now)
            if not now.empty:
                hidden.run("new", "--no-edit", "--insert-before", "@", f"--message={message.text}")
                hidden.run("squash", "--from", "@", "--into", "@-", "--use-destination-message", "--keep-emptied")
            changes = hidden.read(f"{now.parents[0]}..@")
            expected = 1 if now.empty else 2
            if len(changes) != expected or not changes[0].empty or any(change.conflict for change in changes):
                raise JjError("jj would not make exactly this change", hint="nothing was changed; please report this")
            hidden.publish(changes[::-1], "describe", "-r", "@", "--stdin", stdin=text.encode())
        return not now.empty

    def _check_recorded(self, now: JjChange) -> None:
        """Raise AttemptFailed if jj has left out something, or must not keep what it has instead of what git would."""
        listing = ("diff-index", "--cached", "--name-only", "--no-renames", "--diff-filter=A", "-z", now.commit_id)
        left_out = self._repository.run(*listing).split(b"\0")[:-1]
        if left_out:
            raise AttemptFailed(
                f"jj does not record {quote(left_out)}: see its settings 'snapshot.max-new-file-size' and "
                "'snapshot.auto-track', and 'jj sparse list'; remove it, or list it in .gitignore"
            )
        check_content(self._store, jj_run.find_base(now), now.commit_id)

    def _print_marked(self, task: PlanTask) -> str:
        """Return the description with `task` marked; after the last one it is that of a finished plan."""
        reading = read(self._change.description, self._tools.rules)
        is_last = self.plan.status == "completed"
        try:
            assert reading.message is not None
            edit = mark_task(reading.message, task.id, completed=True)
            if is_last:
                edit = finish_job(edit.message)
            return print_edit(edit, reading.tail, self._tools.rules, final=is_last)
        except EditRejected as refusal:
            raise TaskPlanError(
                f"cannot mark the task: {refusal}",
                hint=f"mend the plan with 'smartcommit plan', then run 'smartcommit execute resume {NAME}'",
            ) from None

    def _advance(self) -> WorktreeStatus:
        self._change = jj_run.read_change(self._root, snapshot=False)
        attempt = self._attempt
        self._now = now = WorktreeStatus(jj_run.find_base(self._change), self._change.change_id)
        attempt.head = attempt.base = now.head
        attempt.operation, attempt.plan_json = self._read_operation(), ""
        drop(self._git_dir)
        return now

    def _read_committed(self, unfinished: PendingAttempt) -> TaskPlan | None:
        try:
            plan = make_task_plan(self._read_plan(jj_run.read_change(self._root, snapshot=False)))
        except TaskPlanError:
            return None
        return plan if unfinished.phase == COMMIT and unfinished.task in plan.completed else None

    def _read_operation(self) -> str:
        command = ("op", "log", jj_run.NO_SNAPSHOT, "--no-graph", "-n1", "-T", "self.id()")
        return jj_run.run_jj(command, repository=self._root).decode()


def make_task_plan(message: Message) -> TaskPlan:
    """Return the leaf tasks of the plan in a description, as tasks for agents."""
    texts = [str(message.header), message.description]
    texts += [f"Constraint: {constraint}" for constraint in message.constraints or []]
    tasks = []
    for name, task in identify_tasks(message.tasks or []):
        if not task.children:
            status = "completed" if task.completed else "pending"
            tasks.append({"id": name, "title": task.summary, "description": task.details, "status": status})
    assert message.header is not None
    name = slug(message.header.summary)[:60].strip("-") or "plan"
    description = "\n\n".join(text for text in texts if text)
    return make_plan({"id": "jj", "name": name, "description": description, "tasks": tasks})
