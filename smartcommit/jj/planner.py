"""Pure functions that edit a plan and reject invalid edits.

Runs no jj and reads no files. `smartcommit.jj.description` checks that the result can be written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from smartcommit.jj.description import NO_COMMENT, EditRejected, ParsedDescription, mention_lower_case
from smartcommit.jj.models import TaskItem, count_tasks, identify_tasks, list_open_leaves, walk_paths
from smartcommit.message.characters import list_some
from smartcommit.message.header import Header, is_name
from smartcommit.message.parse import Message, parse
from smartcommit.message.plan_sections import LEVELS, PREFIXES, Task, walk

NO_PLAN = "no plan yet: call start_planning to create one"
# Characters of a text that an error quotes.
_CHARACTERS_QUOTED = 80
# Names that an error lists.
_NAMES_LISTED = 20


@dataclass(slots=True)
class PlanEdit:
    """An edited plan, a description of the edit, and a question for the caller or, with `confirm`, for the user.

    `tail` holds the lines of the trailers, None if they are unchanged.
    """

    message: Message
    action: str
    question: str | None = None
    confirm: bool = False
    tail: Sequence[str] | None = None


def start(reading: ParsedDescription, header: Header, *, confirm: bool) -> PlanEdit:
    """Start a plan with `header`; replace an existing text only with `confirm`."""
    if reading.text.strip() and not confirm:
        raise EditRejected(
            "the change already has a description; pass confirm=true to replace it",
            question="is the existing description no longer needed? Confirm only if so.",
        )
    goal = _normalize_goal(header)
    action = f"started the plan '{goal}'"
    if reading.text.strip():
        action += ", replacing the previous description ('jj undo' restores it)"
    edit = PlanEdit(Message(goal, constraints=[]), action + mention_lower_case(header), tail=())
    return _ask_about(_list_complete(reading.message), edit)


def set_goal(message: Message, changes: Mapping[str, object]) -> PlanEdit:
    """Change parts of the header: `type`, `scope` (empty removes it), `summary`, `breaking`."""
    old = message.header
    assert old is not None
    if not changes:
        raise EditRejected("specify what to change: type, scope, summary or breaking")
    header = Header(
        str(changes.get("type", old.type)),
        str(changes.get("summary", old.summary)),
        scope=str(changes.get("scope", old.scope) or ""),
        breaking=bool(changes.get("breaking", old.breaking)),
    )
    message.header = _normalize_goal(header)
    action = f"the goal is now '{message.header}'{mention_lower_case(header)}"
    return _ask_about(_list_complete(message), PlanEdit(message, action))


def set_description(message: Message, description: str) -> PlanEdit:
    message.description = description.replace("\r\n", "\n").strip("\n").rstrip()
    action = f"wrote a description of {len(message.description.splitlines())} lines"
    return _ask_about(_list_complete(message), PlanEdit(message, action))


def set_constraints(message: Message, constraints: Sequence[str]) -> PlanEdit:
    """Replace the constraints by `constraints`; without any the section says 'none'."""
    items = [constraint.strip() for constraint in constraints]
    for number, item in enumerate(items, 1):
        _require_one_line(f"constraint {number}", item)
        if not any(item.startswith(f"{prefix} ") for prefix in PREFIXES):
            prefixes = ", ".join(_quote(prefix) for prefix in PREFIXES)
            raise EditRejected(
                f"constraint {number}, {_quote(item)}, must begin with one of {prefixes}, followed by what is ruled out"
            )
    message.constraints = items
    return _ask_about(_list_complete(message), PlanEdit(message, f"set {len(items)} constraints"))


def set_tasks(message: Message, items: Sequence[TaskItem]) -> PlanEdit:
    """Replace the task list, with states as given, and reopen a finished plan."""
    done = _list_complete(message)
    message.tasks = _build_tree(items) or None
    _update_parents(message)
    action = f"set {len(items)} tasks"
    if message.finished:
        message.finished = False
        action += "; reopened the finished plan"
    return _ask_about(done, PlanEdit(message, action))


def mark_task(message: Message, task_id: str, completed: bool | None) -> PlanEdit:
    """Set the state of a leaf task, or toggle it if `completed` is None; parents follow their children."""
    name, task = find(message, task_id)
    if task.children:
        inside = {id(child) for child in task.children}
        children = [child for child, one in identify_tasks(message.tasks or []) if id(one) in inside]
        raise EditRejected(f"'{name}' is a parent task; mark its children instead: {_list_names(children)}")
    task.completed = not task.completed if completed is None else completed
    _update_parents(message)
    state = "complete" if task.completed else "incomplete"
    action = f"marked '{name}' as {state}"
    if message.finished and not task.completed:
        message.finished = False
        action += "; reopened the finished plan, so the heading is now 'Tasks [ ]:'"
    total, done = count_tasks(message.tasks or [])
    edit = PlanEdit(message, f"{action}; {done} of {total} tasks are complete")
    if total == done and not message.finished:
        edit.question = "all tasks are complete. If the whole job is done, call finish_job."
    return edit


def finish_job(message: Message) -> PlanEdit:
    """Write `Tasks [X]:`. No other edit does."""
    total, done = count_tasks(message.tasks or [])
    if not total:
        raise EditRejected("a plan without tasks cannot be complete: call set_tasks first")
    if done < total:
        still = _list_names(list_open_leaves(message.tasks or []))
        raise EditRejected(f"{total - done}/{total} tasks open: {still}")
    message.finished = True
    return PlanEdit(
        message,
        f"finished the job: all {total} tasks are complete",
        question="does the change do what the goal says, within every constraint? If so, run 'jj new' to start the "
        "next change.",
    )


def unfinish_job(message: Message) -> PlanEdit:
    """Write `Tasks [ ]:` again; the states of the tasks do not change."""
    if not message.finished:
        raise EditRejected("the job is not finished")
    message.finished = False
    edit = PlanEdit(message, "reopened the job; call mark_task to reopen tasks, or set_tasks to add some")
    return _ask_about(_list_complete(message), edit)


def read_tasks(text: str) -> list[TaskItem]:
    """Return the tasks in lines like those of a description; check boxes are optional.

    Raise EditRejected, naming the lines that are not tasks.
    """
    parsed = parse(f"chore: x\n\nTasks [ ]:\n{text.strip(chr(10))}\n", comment=NO_COMMENT)
    problems = []
    for violation in parsed.violations:
        is_fixable = violation.code == "tasks-item" and violation.replacement is not None
        if not is_fixable and violation.code not in ("tasks-case", "tasks-parent", "tasks-empty"):
            problems.append(f"line {violation.line - 2}: {violation.text}")
    if problems or parsed.message.trailers or parsed.message.constraints is not None:
        raise EditRejected("; ".join(problems) or "the text contains something other than tasks")
    items = []
    for level, task in walk(parsed.message.tasks or []):
        items.append(TaskItem(task.summary, task.details, level, task.completed and not task.children))
    return items


def find(message: Message, task_id: str) -> tuple[str, Task]:
    """Return the id and the task that `task_id` names: a path from the top level, or a slug that only one task has.

    Raise EditRejected if there is none, or several.
    """
    tasks = message.tasks or []
    if not tasks:
        raise EditRejected("the plan has no tasks: call set_tasks first")
    names: list[str] = []
    named: dict[str, Task] = {}
    for (path, task), (name, _) in zip(walk_paths(tasks), identify_tasks(tasks), strict=True):
        names.append(name)
        if task_id == path:
            return name, task
        if task_id == task.slug:
            named[name] = task
    if len(named) == 1:
        return named.popitem()
    matched = "several tasks" if named else "no task"
    raise EditRejected(f"{_quote(task_id)} matches {matched}: use one of {_list_names(list(named) or names)}")


def _build_tree(items: Sequence[TaskItem]) -> list[Task]:
    tasks: list[Task] = []
    path: list[Task] = []
    taken: set[tuple[int, str]] = set()
    for number, item in enumerate(items, 1):
        place = f"task {number}"
        task = Task(item.summary.strip(), details=item.details.strip(), completed=item.completed)
        summary = task.summary
        _require_one_line(f"the summary of {place}", summary)
        if task.details:
            _require_one_line(f"the details of {place}", task.details)
        if ": " in summary:
            raise EditRejected(
                f"the summary of {place}, {_quote(summary)}, contains ': '; move the text after it to the details"
            )
        if not 0 <= item.level < LEVELS:
            raise EditRejected(f"{place} has level {item.level}; levels range from 0 to {LEVELS - 1}")
        if item.level > len(path):
            raise EditRejected(f"{place} has level {item.level}, but no task above it has level {item.level - 1}")
        if not task.slug:
            raise EditRejected(f"the summary of {place} has no letter or digit to form an id from")
        siblings = path[item.level - 1].children if item.level else tasks
        if (id(siblings), task.slug) in taken:
            slug = task.slug
            raise EditRejected(f"{place} has the same id as a sibling, {_quote(slug)}; use another summary")
        taken.add((id(siblings), task.slug))
        siblings.append(task)
        path[item.level :] = [task]
    for name, task in identify_tasks(tasks):
        total, done = count_tasks(task.children)
        if task.completed and done < total:
            raise EditRejected(
                f"'{name}' is marked complete, but a task below it is not; a parent is complete only when its "
                "children are"
            )
    return tasks


def _update_parents(message: Message) -> None:
    """Give every parent the state of its children, the deepest first."""
    for _, task in reversed(list(walk(message.tasks or []))):
        if task.children:
            task.completed = all(child.completed for child in task.children)


def _normalize_goal(header: Header) -> Header:
    """Return the header with its scope in lower case and no spaces around its parts; the rules check it later.

    Raise EditRejected if a part is malformed: printed together, such parts may still look like a header.
    """
    scope = (header.scope or "").strip().lower()
    goal = Header(header.type.strip(), header.summary.strip(), scope=scope or None, breaking=header.breaking)
    if not is_name(goal.type.lower()):
        raise EditRejected(
            f"{_quote(goal.type)} is not a type: use one word such as 'feat'; scope and '!' are separate parameters"
        )
    _require_one_line("the summary", goal.summary)
    return goal


def _list_complete(message: Message | None) -> list[str]:
    tasks = identify_tasks(message.tasks or []) if message is not None else ()
    return [f"'{name}' ({task.summary})" for name, task in tasks if task.completed]


def _ask_about(complete: Sequence[str], edit: PlanEdit) -> PlanEdit:
    """Return `edit` with a question about the tasks that were `complete` before it, if there were any."""
    if complete:
        edit.question = (
            f"these tasks were complete: {', '.join(complete)}. Which of them still fit and are still done? Correct "
            "their states with mark_task, or use set_tasks."
        )
        edit.confirm = True
    return edit


def _require_one_line(what: str, text: str) -> None:
    if not text.strip():
        raise EditRejected(f"{what} is empty")
    if len(text.splitlines()) > 1 or "\n" in text or "\r" in text:
        raise EditRejected(f"{what} must be a single line")


def _quote(text: str) -> str:
    if len(text) > _CHARACTERS_QUOTED:
        text = f"{text[:_CHARACTERS_QUOTED]}..."
    return f"'{text}'"


def _list_names(names: Sequence[str]) -> str:
    return list_some([_quote(name) for name in names], _NAMES_LISTED)
