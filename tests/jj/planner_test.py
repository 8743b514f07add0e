"""The planner's edits: what is accepted reads back as meant, and everything else is refused before it is written."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from smartcommit.jj import description, planner
from smartcommit.jj.description import EditRejected
from smartcommit.jj.models import CommitPlan, TaskItem, build_nodes
from smartcommit.message import plan_sections
from smartcommit.message.checks import check
from smartcommit.message.header import Header
from smartcommit.message.parse import Message, parse
from smartcommit.message.plan_sections import PREFIXES, Task, walk
from smartcommit.message.rules import ERROR, PLAN_TYPES, Rules
from tests.support.profile import FAST, examples
from tests.support.repository import Repo
from tests.support.table import rows

RULES = Rules(types=PLAN_TYPES)
# Words of the grammar, so that injections are tried often.
NASTY = st.sampled_from(
    ["\n", "\n\n", "\r", "\r\n", "- [x] done", "Tasks [X]:", "Constraints:", "Constraints: none", ": ", "a", "b: c",
     "Signed-off-by: A <a@b>", "# x", "---", "  ", "\t", "x", "é", "\u2028", "\x85", "\x1b", "Never: ", "JJ: x"]
)  # fmt: skip
TEXT = st.lists(st.one_of(NASTY, st.text(max_size=8)), max_size=6).map("".join)
ITEMS = st.builds(TaskItem, TEXT, TEXT, st.integers(-1, 5), st.booleans())


def plan(**fields: object) -> Message:
    return Message(Header("feat", "goal"), description="why", constraints=["Never: x"], **fields)  # type: ignore[arg-type]


def outcome(message: Message) -> Message | None:
    """What is read back of `message`, None where it was refused."""
    try:
        text = description.write(message, [], RULES)
    except EditRejected:
        return None
    read = description.read(text, RULES)
    assert read.problems == []
    assert read.message is not None
    return read.message


def others(message: Message, *but: str) -> list[object]:
    return [value for name, value in message.as_dict().items() if name not in but]


PARTS = st.fixed_dictionaries({"type": TEXT, "scope": TEXT, "summary": TEXT, "breaking": st.booleans()})
CONSTRAINT = st.builds(str.__add__, st.sampled_from([f"{prefix} " for prefix in PREFIXES]), TEXT)
# An edit, the part of the plan that it changes, and what the part becomes.
EDITS = st.one_of(
    st.tuples(st.just(planner.set_goal), st.just("header"), PARTS),
    st.tuples(st.just(planner.set_description), st.just("description"), TEXT),
    st.tuples(st.just(planner.set_constraints), st.just("constraints"), st.lists(CONSTRAINT, max_size=4)),
    st.tuples(st.just(planner.set_tasks), st.just("tasks"), st.lists(ITEMS, max_size=6)),
)


@examples(400, fast=4 * FAST)
@given(EDITS)
def test_any_edit_reads_back_with_the_same_ids_or_is_refused(edited: tuple[Callable[..., object], str, Any]) -> None:
    edit, part, value = edited
    message = plan(tasks=[Task("a")])
    try:
        edit(message, value)
    except EditRejected:
        return
    read = outcome(message)
    if read is None:
        return
    assert read == message
    assert others(read, part) == others(plan(tasks=[Task("a")]), part)
    assert build_nodes(read.tasks or []) == build_nodes(message.tasks or [])
    if part == "tasks":
        assert len(list(walk(read.tasks or []))) == len(value)


LINE = st.text(
    st.characters(categories=["L", "N", "P", "S"], include_characters=" ", max_codepoint=0x2FF), min_size=1, max_size=20
)


@given(st.lists(st.tuples(LINE, LINE, st.integers(0, 3), st.booleans()), min_size=1, max_size=8))
def test_most_plain_tasks_are_accepted(drawn: list[tuple[str, str, int, bool]]) -> None:
    """The law above would hold for a planner that refuses everything."""
    items: list[TaskItem] = []
    for number, (summary, details, level, _) in enumerate(drawn):
        allowed = min(level, items[-1].level + 1 if items else 0)
        items.append(TaskItem(f"t{number} {summary.replace(':', '')}".strip(), f"d {details}".strip(), allowed))
    message = plan()
    planner.set_tasks(message, items)
    assert outcome(message) == message


# What is edited to what, and what the refusal says.
REFUSED: list[tuple[Callable[..., object], Any, str]] = [
    (planner.set_tasks, [TaskItem("")], "the summary of task 1 is empty"),
    (planner.set_tasks, [TaskItem("a\n- [x] b")], "the summary of task 1 must be a single line"),
    (planner.set_tasks, [TaskItem("a", "b\nc")], "the details of task 1 must be a single line"),
    (planner.set_tasks, [TaskItem("fix foo: bar")], "contains ': '"),
    (planner.set_tasks, [TaskItem("a", level=2)], "no task above it has level 1"),
    (planner.set_tasks, [TaskItem("a", level=-1)], "levels range from 0 to 3"),
    (planner.set_tasks, [TaskItem(f"level {number}", level=number) for number in range(5)], "levels range from 0 to 3"),
    (planner.set_tasks, [TaskItem("a"), TaskItem("b", level=2)], "no task above it has level 1"),
    (planner.set_tasks, [TaskItem("a"), TaskItem("A!")], "task 2 has the same id as a sibling, 'a'"),
    (planner.set_tasks, [TaskItem("!?")], "no letter or digit"),
    (
        planner.set_tasks,
        [TaskItem("a", completed=True), TaskItem("b", level=1)],
        "'a' is marked complete, but a task below it is not",
    ),
    (planner.set_constraints, ["keep it"], "constraint 1, 'keep it', must begin with one of 'Do not:'"),
    (planner.set_constraints, ["Never: x", ""], "constraint 2 is empty"),
    (planner.set_constraints, ["Never: x\n\nTasks [X]:\n- [x] a"], "constraint 1 must be a single line"),
    (planner.set_constraints, ["Never:"], ", followed by what is ruled out"),
    (planner.set_goal, {"type": "Feat"}, "the type has the wrong case (expected 'feat')"),
    (planner.set_goal, {"type": "feature"}, "unknown type (expected feat, fix, "),
    (planner.set_goal, {"type": ""}, "'' is not a type"),
    (planner.set_goal, {"type": "feat(api)!"}, "'feat(api)!' is not a type"),
    (planner.set_goal, {"type": "feat: do"}, "'feat: do' is not a type"),
    (planner.set_goal, {"scope": "two words"}, "the scope is not a single noun (expected a lower-case letter"),
    (planner.set_goal, {"summary": ""}, "the summary is empty"),
    (planner.set_goal, {"summary": "one\ntwo"}, "the summary must be a single line"),
    (planner.set_goal, {"summary": "x" * 121}, "the summary is 121 code points long, 1 over the limit (expected at "),
]


@rows(("edit", "value", "reason"), *REFUSED)
def test_a_refusal_says_why(edit: Callable[..., object], value: object, reason: str) -> None:
    def write() -> None:
        message = plan()
        edit(message, value)
        description.write(message, [], RULES)

    with pytest.raises(EditRejected) as refused:
        write()
    assert reason in str(refused.value)


def test_a_long_text_is_not_given_back_in_full() -> None:
    message = plan(tasks=[Task("a")])
    with pytest.raises(EditRejected) as refused:
        planner.mark_task(message, "x" * 1_000_000, None)
    assert len(str(refused.value)) < 200


def test_the_work_for_a_list_of_tasks_grows_with_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    slug = plan_sections.slug
    monkeypatch.setattr(plan_sections, "slug", lambda summary: asked.append(summary) or slug(summary))
    planner.set_tasks(plan(), [TaskItem(f"task {number}") for number in range(200)])
    assert len(asked) < 200 * 20


@rows(
    ("task_id", "found"),
    ("a", "a"),
    ("a/x", "a/x"),
    ("b/x", "b/x"),
    ("y", "y"),
    ("b/y", "y"),
    ("x", None),
    ("c", None),
    ("", None),
)
def test_a_task_is_found_by_its_slug_or_its_path(task_id: str, found: str | None) -> None:
    message = plan(tasks=[Task("a", children=[Task("x")]), Task("b", children=[Task("x"), Task("y")])])
    if found is None:
        with pytest.raises(EditRejected, match="'a/x'"):
            planner.find(message, task_id)
    else:
        assert planner.find(message, task_id)[0] == found


def test_a_parent_task_is_not_marked_and_its_children_are_listed() -> None:
    def nest() -> Message:
        return plan(tasks=[Task("a", children=[Task("x"), Task("y")]), Task("b", children=[Task("x")])])

    message = nest()
    for completed in (True, False, None):
        with pytest.raises(EditRejected) as refused:
            planner.mark_task(message, "a", completed)
        assert str(refused.value) == "'a' is a parent task; mark its children instead: 'a/x', 'y'"
    assert message == nest()


# What commit-msg accepts and an editor of text could get wrong.
ACCEPTED = [
    "feat: x\n",
    "feat: x",
    "feat(a-b)!: x\n\nwhy\n\n# a heading, since jj knows no comments of git's\n\nmore\n",
    "feat: x\n\nConstraints: none\n\nTasks [ ]:\n- [X] a\n",
    "feat: x\n\nTasks [x]:\n- [x] a\n",
    "feat: x\n\nwhy\n\nSigned-off-by: A <a@b>\n(cherry picked from commit abc)\n",
    "feat: x\n\nTasks [ ]:\n- [ ] a\n\nChange-Id: I123\n",
    "feat: x\n\nwhy\n\nRefs: one,\n  folded\n",
    "feat: x\n\nConstraints:\n- Never: x\nSigned-off-by: A <a@b>\n",
    "feat: x\n\nConstraints: none\n(cherry picked from commit abc)\n",
    "feat: x\n\nTasks [ ]:\n- [ ] a\n(cherry picked from commit abc)\n",
    "feat: x\n\n---\nwhat git takes for a patch\n\nA: b\n",
    "feat: x\n\nConstraints:\n- Never: x\n  or y\n",
]


@rows(
    ("rules", "header", "read", "note"),
    (RULES, "feat(Parser): a", "feat(parser): a", "; changed the scope to 'parser', since scopes are lower case"),
    (RULES, "feat(API-2)!: a", "feat(api-2)!: a", "; changed the scope to 'api-2', since scopes are lower case"),
    (RULES, "feat(parser): a", "feat(parser): a", ""),
    (Rules(types=PLAN_TYPES, scopes=("API",)), "feat(API): a", "feat(API): a", ""),
    (Rules(types=PLAN_TYPES, scope_form=("word",)), "feat(API): a", "feat(API): a", ""),
    (Rules(types=PLAN_TYPES, levels={"scope-case": "off"}), "feat(API): a", "feat(API): a", ""),
    (RULES, "feat(A b): a", "None", ""),
)
def test_a_scope_in_capitals_is_lowered_with_a_warning(rules: Rules, header: str, read: str, note: str) -> None:
    found = description.read(f"{header}\n\nwhy\n\nTasks [ ]:\n- [ ] b\n", rules)
    assert (str(found.message and found.message.header), found.note) == (read, note)


@rows("text", *ACCEPTED)
def test_what_commit_msg_accepts_is_a_plan_and_an_edit_keeps_the_rest(text: str) -> None:
    assert [v.code for v in check(parse(text), RULES) if RULES.level(v.code) == ERROR] == []
    read = description.read(text, RULES)
    assert read.problems == []
    assert read.message is not None
    planner.set_goal(read.message, {"summary": "y"})
    written = description.write(read.message, read.tail, RULES)
    again = description.read(written, RULES)
    assert again.message == read.message
    for word in text.partition("\n")[2].replace("[X] a", "[x] a").replace("[x]:", "[X]:").split():
        assert word in written


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", "", "Constraints:", "- Never: x", "Constraints: none", "Tasks [ ]:", "Tasks [X]:", "- [ ] a",
             "- [x] b", "  - [x] c", "A: b", "(cherry picked from commit abc)", "  folded", "prose", "# note", "---"]
        ),
        LINE,
    ),
    max_size=9,
)  # fmt: skip


@given(LINES)
@example(["A: b", "---"])
@example(["A: b", "", "(cherry picked from commit abc)"])
@example(["Constraints: none", "(cherry picked from commit abc)"])
@example(["Constraints: none", "(cherry picked from commit abc)", "prose", "prose"])
def test_any_message_commit_msg_accepts_can_be_planned_with(lines: list[str]) -> None:
    text = "\n".join(["feat: x", "", *lines]) + "\n"
    assume(not [v for v in check(parse(text), RULES) if RULES.level(v.code) == ERROR])
    assume(not [v for v in check(parse(text, comment="", is_plan=True), RULES) if RULES.level(v.code) == ERROR])
    read = description.read(text, RULES)
    assert read.problems == []
    assert read.message is not None
    assert description.read(description.write(read.message, read.tail, RULES), RULES).message == read.message


def test_a_plan_survives_a_cherry_pick(based: Repo) -> None:
    """git appends its line directly below `Constraints: none`, which it takes for a trailer."""
    planned = based.commit("feat: x\n\nConstraints: none", {"file": "x"})
    based.git("checkout", "-q", "HEAD~")
    based.git("cherry-pick", "-x", planned)
    text = based.message().strip("\n") + "\n"
    assert text == f"feat: x\n\nConstraints: none\n(cherry picked from commit {planned})\n"
    read = description.read(text, RULES)
    assert read.message is not None
    written = description.write(read.message, read.tail, RULES)
    assert written == f"feat: x\n\nConstraints: none\n\n(cherry picked from commit {planned})\n"


@rows(
    "text",
    "oops\n", "feat: x\nbody\n", "feat: x\n\nConstraints:\n- keep\n", "feat: x\n\nTasks [ ]:\n- [ ] a\n\nprose\n",
     "feat: x\n\nTasks [X]:\n- [ ] a\n", "feat: x\n\nTasks [ ]:\n- [ ] a\n- [ ] a\n", "perf: x\n", "feat: \x1b[31mx\n",
)  # fmt: skip
def test_what_commit_msg_refuses_is_malformed_and_told(text: str) -> None:
    read = description.read(text, RULES)
    assert read.malformed
    assert read.problems


def test_what_a_project_switches_off_is_not_lost_and_what_it_requires_may_come_later() -> None:
    # Prose below the tasks has no place in a plan: to write the plan again would drop it.
    rules = Rules(levels={"section-text": "off", "tasks-id": "off"})
    assert description.read("feat: x\n\nTasks [ ]:\n- [ ] a\n\nprose\n", rules).malformed
    rules = Rules(required=["plan", "description"], ticket="JIRA-[0-9]+")
    assert not description.read("feat: x\n", rules).malformed
    assert len(description.find_unmet_rules("feat: x\n", rules)) == 4


def test_a_plan_turns_into_json_and_back() -> None:
    message = Message(
        Header("fix", "mend it", scope="api", breaking=True),
        description="why\n\nhow",
        constraints=["Never: x"],
        tasks=[Task("a", details="d", completed=True, children=[Task("b", completed=True)]), Task("c", completed=True)],
        finished=True,
    )
    made = CommitPlan.from_message(message)
    assert CommitPlan.model_validate_json(made.model_dump_json(by_alias=True)) == made
    assert made.model_dump(by_alias=True, exclude_none=True)["metadata"] == {
        "totalTasks": 3, "completedTasks": 3, "isComplete": True,
    }  # fmt: skip


def test_lines_of_tasks_are_read_by_the_grammar() -> None:
    items = planner.read_tasks("- [ ] a: b\n  - c\n- [X] d\n")
    assert items == [TaskItem("a", "b"), TaskItem("c", level=1), TaskItem("d", completed=True)]
    for text in ("prose", "- a\n      - b", "Constraints: none\n- a", "- a\n\nA: b"):
        with pytest.raises(EditRejected):
            planner.read_tasks(text)


@given(LINES)
def test_trailers_survive_every_edit_to_the_letter(lines: list[str]) -> None:
    tail = "Signed-off-by: A <a@b>\n(cherry picked from commit abc)\nRefs: one\n  two\n"
    text = "\n".join(["feat: x", "", *lines, "", ""]) + tail
    read = description.read(text, RULES)
    assume(read.message is not None)
    assert read.message is not None
    planner.set_goal(read.message, {"summary": "y"})
    try:
        assert description.write(read.message, read.tail, RULES).endswith(f"\n\n{tail}")
    except EditRejected:
        assume(False)
