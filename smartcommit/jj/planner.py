"""The planner's edits: functions from a plan to the plan after it, which refuse what cannot be meant.

Pure: no jj, no files. Whether the result can be written, `smartcommit.jj.description` proves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smartcommit.jj.description import NO_COMMENT, EditRejected, ParsedDescription, scoped
from smartcommit.jj.models import count, named, paths
from smartcommit.message.header import Header, is_name
from smartcommit.message.parse import Message, parse
from smartcommit.message.sections import LEVELS, PREFIXES, Task, walk

NO_PLAN = "there is no plan yet: start_planning makes one"


@dataclass(slots=True)
class PlanEdit:
    """What a tool did: the plan as it is now, in words, and what the caller should ask itself.

    `tail` holds the lines of the trailers where they are others than before.
    """

    message: Message
    action: str
    question: str | None = None
    confirm: bool = False
    tail: Sequence[str] | None = None


@dataclass(slots=True)
class TaskItem:
    """A task in a flat list: its parent is the last task above it whose `level` is one less."""

    summary: str
    details: str = ""
    level: int = 0
    completed: bool = False


def start(reading: ParsedDescription, header: Header, *, confirm: bool) -> PlanEdit:
    """A new plan with `header`; a text that is there already is replaced only when that is confirmed."""
    if reading.text.strip() and not confirm:
        raise EditRejected(
            f"{_protected(reading)}; confirm=true replaces it",
            question="is the text that describes this change no longer needed? Only then confirm.",
        )
    replaced = " in place of the text that was there (jj undo brings it back)" if reading.text.strip() else ""
    goal = _goal(header)
    before = reading.message.tasks or [] if reading.message is not None else []
    edit = PlanEdit(Message(goal, constraints=[]), f"started the plan '{goal}'{replaced}{_lowered(header)}", tail=())
    question = "Which of them are done in the new plan? Give those to set_tasks as completed."
    return _ask_about(_complete(before), "were complete before", question, edit)


def set_goal(message: Message, changes: dict[str, object]) -> PlanEdit:
    """Change parts of the header: `type`, `scope` (empty removes it), `summary`, `breaking`."""
    old = message.header
    assert old is not None
    if not changes:
        raise EditRejected("name what to change: type, scope, summary or breaking")
    parts: dict[str, object] = {"type": old.type, "scope": old.scope, "summary": old.summary, "breaking": old.breaking}
    parts |= changes
    header = Header(
        str(parts["type"]),
        str(parts["summary"]),
        scope=str(parts["scope"]) if parts["scope"] else None,
        breaking=bool(parts["breaking"]),
    )
    message.header = _goal(header)
    return _aligned(message, f"the goal is now '{message.header}'{_lowered(header)}")


def set_description(message: Message, description: str) -> PlanEdit:
    """Put `description` between header and sections; an empty one removes it."""
    message.description = description.replace("\r\n", "\n").strip("\n").rstrip()
    if not message.description.strip():
        message.description = ""
        return _aligned(message, "removed the description")
    return _aligned(message, f"wrote a description of {len(message.description.splitlines())} lines")


def set_constraints(message: Message, constraints: Sequence[str]) -> PlanEdit:
    """Put `constraints` in place of those that were there; none is written as 'none'."""
    items = [item.strip() for item in constraints]
    for number, item in enumerate(items, 1):
        _one_line(f"constraint {number}", item)
        if not item.startswith(tuple(f"{prefix} " for prefix in PREFIXES)):
            known = ", ".join(f"'{prefix}'" for prefix in PREFIXES)
            raise EditRejected(
                f"constraint {number}, {_quoted(item)}, begins with none of {known} and what is ruled out"
            )
    message.constraints = items
    return _aligned(message, f"set {len(items)} constraints" if items else "set the constraints to 'none'")


def set_tasks(message: Message, items: Sequence[TaskItem]) -> PlanEdit:
    """Put a new task list in place of the old one; the heading is open again, and states are as given."""
    done = _complete(message.tasks or [])
    finished = message.finished
    message.tasks = _tree(items) or None
    message.finished = False
    _settle(message.tasks or [])
    total, _ = count(message.tasks or [])
    action = f"set {total} tasks" if total else "removed all tasks"
    if finished:
        action += "; the plan was finished and is open again"
    question = "Which of them are done in the new list? Mark those with mark_task; all others stay open."
    return _ask_about(done, "were complete before", question, PlanEdit(message, action))


def mark_task(message: Message, task_id: str, completed: bool | None) -> PlanEdit:
    """Set the state of a leaf task, or turn it over where `completed` is None; parents follow their children."""
    name, task = find(message, task_id)
    if task.children:
        ids = {id(node): id_ for id_, node in named(message.tasks or [])}
        children = _listed([ids[id(child)] for child in task.children])
        raise EditRejected(f"'{name}' is a parent, and only leaf tasks contain work: mark its children {children}")
    task.completed = not task.completed if completed is None else completed
    _settle(message.tasks or [])
    action = f"marked '{name}' as {'complete' if task.completed else 'incomplete'}"
    if message.finished and not task.completed:
        message.finished = False
        action += "; the plan was finished and is open again, so the heading is 'Tasks [ ]:'"
    total, done = count(message.tasks or [])
    question = None
    if total == done and not message.finished:
        question = "all tasks are complete. Is the whole job done? Then finish_job says so."
    return PlanEdit(message, f"{action}; {done} of {total} tasks are complete", question=question)


def finish_job(message: Message) -> PlanEdit:
    """Write `Tasks [X]:`, which nothing else does."""
    total, done = count(message.tasks or [])
    if not total:
        raise EditRejected("a plan without tasks is never complete: set_tasks first")
    if done < total:
        still = [name for name, task in named(message.tasks or []) if not task.completed and not task.children]
        raise EditRejected(f"{total - done} of {total} tasks are open: {_listed(still)}")
    already = message.finished
    message.finished = True
    return PlanEdit(
        message,
        "the job was finished already" if already else f"finished the job: all {total} tasks are complete",
        question="does the change do what the goal says, within every constraint? "
        "Then 'jj new' starts the next change.",
    )


def unfinish_job(message: Message) -> PlanEdit:
    """Write `Tasks [ ]:` again; the states of the tasks stay."""
    if not message.finished:
        raise EditRejected("the job is not finished")
    message.finished = False
    edit = PlanEdit(message, "the job is open again; mark_task reopens tasks, set_tasks adds some")
    question = "Which of them are still done? Reopen the others with mark_task."
    return _ask_about(_complete(message.tasks or []), "are complete", question, edit)


def read_tasks(text: str) -> list[TaskItem]:
    """The tasks in lines as a description has them; a check box may be left out.

    Raises: Refused, naming the lines that are no tasks.
    """
    parsed = parse(f"chore: x\n\nTasks [ ]:\n{text.strip(chr(10))}\n", comment=NO_COMMENT)
    passing = ("tasks-case", "tasks-parent", "tasks-empty")
    problems = [
        f"line {violation.line - 2}: {violation.text}"
        for violation in parsed.violations
        if violation.code not in passing and not (violation.code == "tasks-item" and violation.replacement)
    ]
    if problems or parsed.message.trailers or parsed.message.constraints is not None:
        raise EditRejected("; ".join(problems) or "there is something else than tasks")
    return [
        TaskItem(task.summary, task.details, level, task.completed and not task.children)
        for level, task in walk(parsed.message.tasks or [])
    ]


def find(message: Message, task_id: str) -> tuple[str, Task]:
    """The task that `task_id` names, with its id: a path from the top, or a slug that only one task has.

    Raises: Refused when it names none or several.
    """
    tasks = message.tasks or []
    if not tasks:
        raise EditRejected("the plan has no tasks: set_tasks first")
    names = {id(task): name for name, task in named(tasks)}
    by_path = [task for path, task in paths(tasks) if path == task_id]
    found = by_path or [task for _, task in walk(tasks) if task.slug == task_id]
    if len(found) == 1:
        return names[id(found[0])], found[0]
    known = _listed([names[id(task)] for task in found] or list(names.values()))
    raise EditRejected(f"{_quoted(task_id)} names {'several tasks' if found else 'no task'}: use one of {known}")


def _tree(items: Sequence[TaskItem]) -> list[Task]:
    """The nested tasks of a flat list."""
    tasks: list[Task] = []
    path: list[Task] = []
    taken: set[tuple[int, str]] = set()
    for number, item in enumerate(items, 1):
        place_ = f"task {number}"
        summary, details = item.summary.strip(), item.details.strip()
        _one_line(f"the summary of {place_}", summary)
        if details:
            _one_line(f"the details of {place_}", details)
        if ": " in summary:
            raise EditRejected(
                f"the summary of {place_}, {_quoted(summary)}, holds ': ': put what follows it into the details"
            )
        if not 0 <= item.level < LEVELS:
            raise EditRejected(f"{place_} has level {item.level}: there are {LEVELS} levels, 0 to {LEVELS - 1}")
        if item.level > len(path):
            raise EditRejected(
                f"{place_} has level {item.level}, but there is no task of level {item.level - 1} above it"
            )
        task = Task(summary, details=details, completed=item.completed)
        siblings = path[item.level - 1].children if item.level else tasks
        _check_id(task.slug, (id(siblings), task.slug) in taken, place_)
        taken.add((id(siblings), task.slug))
        siblings.append(task)
        path[item.level :] = [task]
    for name, task in named(tasks):
        if task.completed and not all(child.completed for _, child in walk(task.children)):
            raise EditRejected(
                f"'{name}' is given as complete, and a task below it is not: a parent follows its children"
            )
    return tasks


def _check_id(slug: str, taken: bool, place_: str) -> None:
    if not slug:
        raise EditRejected(f"the summary of {place_} has neither letter nor digit, so nothing can be its id")
    if taken:
        raise EditRejected(f"{place_} has the id {_quoted(slug)}, as one beside it has: use another summary")


def _settle(tasks: Sequence[Task]) -> None:
    """Give every parent the state of its children, the deepest first."""
    for _, task in reversed(list(walk(tasks))):
        if task.children:
            task.completed = all(child.completed for child in task.children)


def _goal(header: Header) -> Header:
    """The header in its form, for the rules to judge.

    Raises: Refused where its parts are no parts, which printed together may look like a header all the same.
    """
    goal = scoped(header)
    if not is_name(goal.type.lower()):
        raise EditRejected(
            f"{_quoted(goal.type)} is no type: that is one word such as 'feat', scope and '!' stand apart"
        )
    _one_line("the summary", goal.summary)
    return goal


def _aligned(message: Message, action: str) -> PlanEdit:
    """A change of what the tasks were made for: the caller compares them with it."""
    question = "Which of them still fit and are still done? Reopen the others with mark_task, or use set_tasks."
    return _ask_about(_complete(message.tasks or []), "are complete", question, PlanEdit(message, action))


def _complete(tasks: Sequence[Task]) -> list[str]:
    """The tasks that are complete, each as its id and summary."""
    return [f"'{name}' ({task.summary})" for name, task in named(tasks) if task.completed]


def _ask_about(complete: Sequence[str], state: str, question: str, edit: PlanEdit) -> PlanEdit:
    """The edit with a question about each of the tasks that are `complete`; without one where there are none."""
    if complete:
        edit.question = f"these tasks {state}: {', '.join(complete)}. {question}"
        edit.confirm = True
    return edit


def _protected(reading: ParsedDescription) -> str:
    message = reading.message
    if message is None:
        return "the change is described by a text that is no plan"
    if message.finished:
        return "the plan here is finished, and 'jj new' starts the next change"
    return f"the change is described already: '{message.header}'"


def _lowered(header: Header) -> str:
    scope = header.scope or ""
    return f"; the scope was written '{scope.lower()}', for scopes are in lower case" if scope != scope.lower() else ""


def _one_line(what: str, text: str) -> None:
    if not text.strip():
        raise EditRejected(f"{what} is empty")
    if len(text.splitlines()) > 1 or "\n" in text or "\r" in text:
        raise EditRejected(f"{what} has several lines: it is one")


def _quoted(text: str, limit: int = 80) -> str:
    return f"'{text}'" if len(text) <= limit else f"'{text[:limit]}...'"


def _listed(names: Sequence[str], limit: int = 20) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(map(_quoted, names[:limit])) + more
