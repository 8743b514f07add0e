"""Tasks from Markdown."""

from typing import Any

from smartcommit.executor.plan import Checklist
from tests.support.table import rows


def task(number: int, title: str, **fields: Any) -> dict[str, Any]:
    plain = {"id": f"t{number:02}", "title": title, "description": "", "acceptanceCriteria": [], "status": "pending"}
    return {**plain, **fields}


@rows(
    ("text", "tasks"),
    ("- no box\n- none here\n", []),
    ("- [ ] a\n- [x] b\n* [X] c\n1. [ ] d\n", [
        task(1, "a"), task(2, "b", status="completed"), task(3, "c", status="completed"), task(4, "d"),
    ]),
    ("- [ ] a: b: c\n", [task(1, "a", description="b: c")]),
    ("- [ ] a\n  - one\n  - [ ] two\n    and more\n\n- [ ] b\n", [
        task(1, "a", acceptanceCriteria=["one", "two and more"]), task(2, "b"),
    ]),
    ("- [ ] a\n\n  Some text\n  of it.\n", [task(1, "a", description="Some text\nof it.")]),
    ("- [ ] a\n  - Check: `make test`\n", [task(1, "a", check="make test")]),
    ("- [ ] a\n  check: pytest -k 'x'\n", [task(1, "a", check="pytest -k 'x'")]),
    ("- [ ] a\n\nprose at the margin\n- a bullet\n", [task(1, "a")]),
    ("```\n- [ ] quoted\n```\n- [ ] real\n~~~\n- [ ] quoted\n```\n~~~\n", [task(1, "real")]),
    ("````\n```\n- [ ] quoted\n```\n````   \n- [ ] real\n", [task(1, "real")]),
    ("```code``` in a line\n- [ ] real\n", [task(1, "real")]),
    ("1. [ ] a\n    ```\n    - [ ] nope\n    ```\n2. [ ] b\n", [
        task(1, "a", description="    ```\n    - [ ] nope\n    ```"), task(2, "b"),
    ]),
    ("- [ ] a\n  - ```\n    - [ ] nope\n    ```\n- [ ] b\n", [
        task(1, "a", description="  - ```\n    - [ ] nope\n    ```"), task(2, "b"),
    ]),
    ("- [ ] a: do\n  - one\n\n  ~~~make\n  all:\n    cc  x\n    check: no\n  ~~~\n  and\n", [
        task(1, "a", description="do\n  ~~~make\n  all:\n    cc  x\n    check: no\n  ~~~",
             acceptanceCriteria=["one and"]),
    ]),
    ("- [ ] a\n  - Check: make lint\n  - Check: `make test`\n  - Check: true\n", [
        task(1, "a", check="( make lint ) && ( make test ) && ( true )"),
    ]),
    ("   - [ ] indented\n   - [ ] too\n     - under\n", [
        task(1, "indented"), task(2, "too", acceptanceCriteria=["under"]),
    ]),
    ("\t- [ ] tab\n\t\t- under\n", [task(1, "tab", acceptanceCriteria=["under"])]),
    ("-[ ] no blank\n- [] empty\n- [-] other\n", []),
)  # fmt: skip
def test_the_items_of_a_list_are_tasks(text: str, tasks: list[dict[str, Any]]) -> None:
    assert Checklist(text).tasks == tasks


def test_heading_and_introduction_name_and_describe_the_plan() -> None:
    found = Checklist("# Add a flag #\n\nWhy it is needed.\n\n## Tasks\n- [ ] a\n# Not this\n")
    assert (found.name, found.description) == ("Add a flag", "Why it is needed.\n\n## Tasks")


def test_fenced_text_above_the_tasks_describes_the_plan_and_is_no_heading() -> None:
    found = Checklist("Run:\n\n```sh\n# all of it\n  make\n```\n- [ ] a\n")
    assert (found.name, found.description) == ("", "Run:\n\n```sh\n# all of it\n  make\n```")


@rows("line", "  a", "  - Check: a", "    goes on")
def test_many_lines_below_a_task_are_read_in_no_time(line: str) -> None:
    (found,) = Checklist("- [ ] task\n  - begins\n" + f"{line}\n" * 100_000).tasks
    assert len(found["acceptanceCriteria"][0] + found.get("check", "")) > 100_000


def test_a_long_line_is_read_in_no_time() -> None:
    assert Checklist("- [ ] " + "a: `" * 100_000).tasks[0]["title"] == "a"
