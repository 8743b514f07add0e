"""Statements in the words of the change itself."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.statements import titles
from smartcommit.draft.embedded.statements.view import ChangeView
from smartcommit.git.diff import FileDiff
from tests.support.changes import make_diff, make_hunk

SOURCE = make_diff("src/hosts.py", make_hunk(["reject(hosts, empty)"], ["keep(hosts)"]))


def view(*diffs: FileDiff) -> ChangeView:
    return ChangeView(ChangeFacts(diffs))


def test_the_only_entry_is_the_summary_and_more_than_three_say_nothing() -> None:
    texts = [f"- Reject hosts of kind {number}" for number in range(4)]
    for number, kinds in ((1, ["changelog"]), (3, ["changelog many"] * 3), (4, [])):
        found = titles.say_entries(view(make_diff("CHANGELOG.md", make_hunk(texts[:number])), SOURCE))
        assert [statement.kind for statement in found] == kinds


def test_a_title_explains_as_much_as_the_source_has_of_its_words() -> None:
    tests = make_diff(
        "tests/hosts_test.py", make_hunk(["def test_rejects_empty_hosts():", "def test_stores_far_names():"])
    )
    found = [(statement.text, statement.share) for statement in titles.say_tests(view(tests, SOURCE))]
    assert found == [("reject empty hosts", 1.0), ("store far names", 0.0)]
    assert not list(titles.say_tests(view(tests)))


def test_a_workflow_is_called_by_its_name_and_a_job_by_its_key() -> None:
    workflow = make_diff(".github/workflows/a.yml", make_hunk(["name: Audit", "jobs:"]), status="A")
    jobs = make_hunk([], ["  audit:", "    runs-on: x"], context="jobs:")
    edited = make_diff(".github/workflows/b.yml", jobs)
    assert [statement.text for statement in titles.say_workflows(view(workflow))] == ["add Audit workflow"]
    assert [statement.text for statement in titles.say_workflows(view(edited))] == ["remove audit job from b.yml"]
    assert not list(titles.say_workflows(view(workflow, edited)))  # the job has moved


def test_sections_are_told_of_documentation_alone() -> None:
    section = make_diff("docs/hosts.md", make_hunk(["## Named hosts", "They have a name."]))
    assert [statement.text for statement in titles.say_headings(view(section))] == [
        "add Named hosts section to hosts.md"
    ]
    assert not list(titles.say_headings(view(section, SOURCE)))
