"""Entries of changelogs, wherever they are kept, as instructions."""

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.changelogs import cut, find_told, instruct, list_entries, say_entries
from smartcommit.draft.embedded.view import ChangeView, Purpose
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

SOURCE = make_diff("src/hosts.py", make_hunk(["b"], ["a"]))


def entries(path: str, added: list[str], removed: list[str] | None = None, status: str = "M") -> list[tuple[str, str]]:
    change = ChangeFacts([make_diff(path, make_hunk(added, removed or []), status=status), SOURCE])
    return [(entry.text, entry.type or "") for entry in list_entries(change)]


@rows(
    ("path", "lines", "kind"),
    (".changeset/slow-hosts.md", ["---", '"hosts": patch', "---", "", "Reject hosts", "without a name."], "patch"),
    (".changelog/hosts.md", ["---", "hosts: minor", "ports: patch", "---", "", "Reject hosts without a name."], "feat"),
    ("newsfragments/12.bugfix.rst", ["Hosts: reject hosts without a name."], "fix"),
    # What is no list has one entry.
    ("newsfragments/13.bugfix.rst", ["Reject hosts without a name.", "", "Keep all others."], "fix"),
    ("changelog.d/12.feature.md", ["### Rejected hosts without a name", "", "They were kept."], "feat"),
    ("changelog/v1.1.1/a.yaml", ["changelog:", "- type: FIX", "  description: Reject hosts without a name"], "fix"),
    (".chloggen/hosts.yaml", ["component: hosts", "note: 'Reject hosts without a name'", "issues: [1]"], ""),
    ("releasenotes/notes/a.yaml", ["fixes:", "  - |", "    Rejects hosts", "    without a name."], "fix"),
    (".changes/unreleased/a.json", ["{", '  "body": "Reject hosts without a name",', '  "pr": 4'], ""),
    ("CHANGELOG.md", ["", "- **hosts**: reject hosts without a name ([#12](https://x.example/12))"], ""),
    ("UNRELEASED_CHANGELOG.md", ["- Reject hosts without a name"], ""),
    ("docs/changelog.rst", [".. change:: Reject hosts without a name", "    :type: bugfix"], "fix"),
    ("docs/releases/4.1.txt", ["* :meth:`.read` - reject hosts without a name; keep all others"], ""),
)  # fmt: skip
def test_entries_are_read_where_projects_keep_them(path: str, lines: list[str], kind: str) -> None:
    status = "M" if path.endswith("CHANGELOG.md") or path in ("docs/changelog.rst", "docs/releases/4.1.txt") else "A"
    assert entries(path, lines, status=status) == [("reject hosts without a name", kind)]


@rows(
    ("path", "lines", "told"),
    ("news/12.feature.md", ["Hosts."], "feat"),
    ("news/12.md", ["Hosts."], None),
    (".changeset/a.md", ["---", '"hosts": patch', "---", "", "Sped up reading hosts."], "perf"),
    (".changeset/a.md", ["---", '"hosts": patch', "---", "", "Hosts."], "patch"),
)
def test_a_fragment_tells_the_type_without_a_sentence(path: str, lines: list[str], told: str | None) -> None:
    diff = make_diff(path, make_hunk(lines), status="A")
    assert find_told(ChangeFacts([diff, SOURCE])) == told
    # An entry alone is about another change.
    assert find_told(ChangeFacts([diff])) is None


def test_a_chart_lists_its_changes_beside_its_own_description() -> None:
    lines = ["description: Allow hosts to be named", "    - kind: added", "      description: Allow ports to be named"]
    assert entries("charts/x/Chart.yaml", lines, ["version: 1.0.0"]) == [("allow ports to be named", "feat")]


def test_a_line_of_an_entry_that_looks_like_a_key_is_a_part_of_it() -> None:
    assert entries("CHANGELOG.md", ["- Reject hosts", "  without: a name"]) == [("reject hosts without: a name", "")]


def test_a_chart_tells_what_is_below_its_folder() -> None:
    change = make_hunk(["    - kind: added", "      description: Allow ports to be named"], ["version: 1.0.0"])
    script = make_diff("scripts/update.sh", make_hunk([f"fetch host{number}" for number in range(40)]), status="A")
    [statement] = say_entries(ChangeView(ChangeFacts([make_diff("charts/x/Chart.yaml", change), script])))
    assert statement.share < 0.1


@rows(
    ("path", "added", "removed"),
    ("CHANGELOG.md", ["- Reject all hosts without a name"], ["- Reject hosts without a name"]),
    ("src/history.py", ["- reject hosts without a name"], []),
    ("src/news/rows.tsx", ["reject hosts without a name"], []),
)
def test_edited_entries_and_code_are_no_entries(path: str, added: list[str], removed: list[str]) -> None:
    assert entries(path, added, removed) == []


@rows(
    ("entry", "said"), ("Reject hosts without a name", ["reject hosts without a name"]), ("Fix the total of carts", [])
)
def test_an_entry_about_code_that_is_elsewhere_is_not_said(entry: str, said: list[str]) -> None:
    change = ChangeFacts([make_diff("CHANGELOG.md", make_hunk([f"- {entry}"])), SOURCE])
    view = ChangeView(change, purpose=Purpose(is_partial=True))
    assert [statement.text for statement in say_entries(view)] == said


def test_a_changelog_that_changes_alone_is_no_account() -> None:
    diff = make_diff("CHANGELOG.md", make_hunk(["- Reject hosts without a name"]))
    assert list_entries(ChangeFacts([diff])) == []


@rows(
    ("text", "expected"),
    ("[hosts] Fixed a race (#3). Thanks!", "fix a race"),
    ("Generate them too where hosts are named", None),
    ("Support for named hosts", "add support for named hosts"),
    ("Bump hosts to 1.2", None),
    ("Read {func}`hosts` in {attr}`names`.", "read `hosts` in `names`"),
    ("Hosts without a name", None),
    ("fix: only reject hosts", "only reject hosts"),
    ("fix(hosts): Hosts without a name", None),
    ("hosts: only reject hosts", None),
    ("Reject hosts", None),
    ("feat: export `Host` and `Port` from `hosts`", "export `Host` and `Port` from `hosts`"),
    ("fix: never mark a child as inert", "never mark a child as inert"),
    ("only the first host", None),
    (f"Reject{' named' * 30} hosts", f"reject{' named' * 30} hosts"),
    (f"Reject{' named' * 31} hosts", None),
)
def test_an_entry_is_an_instruction_that_stands_alone(text: str, expected: str | None) -> None:
    assert instruct(text) == expected


@rows(
    "credit",
    " (#12)", " ([#12](https://x.example/12))", " (thanks @ann)", " (thanks to [Ann Lee](https://x.example/ann))",
    " []", " ()", " -", " \u2014", " ([](https://x.example))", " ([#1](https://x.example/1), [#2](https://x.example/2))",
    " (:issue:`12`)", " :pr:`12`", " (#12, #13) - thanks @ann!", " by @ann in https://x.example/pull/12", " [#12]",
    " ([ab12cd3](https://x.example/ab12cd3))", " (closes GH-12)", " (`#12 <https://x.example/12>`_)", " (HOST-123)",
    " (:issue:`12`) - by :user:`ann`.",
    " ([#12])", " (see https://x.example/y).", ". {issue}`12` {pr}`13`", ", closes #12", ". (#12)", " #12",
)  # fmt: skip
def test_what_an_entry_refers_to_goes_with_its_brackets(credit: str) -> None:
    assert instruct(f"Reject hosts without a name{credit}") == "reject hosts without a name"


@rows("text", "reject names in foo()", "reject empty names (UTF-8)", "reject the list `[]` of names")
def test_brackets_that_say_something_stay(text: str) -> None:
    assert instruct(text) == text


def test_an_entry_is_not_cut_before_a_condition() -> None:
    assert cut("reject all hosts, so that callers " + "x" * 80, 90) == "reject all hosts"
    assert cut("reject all hosts by asking callers " + "x" * 80, 90) == "reject all hosts"
    assert cut("reject all hosts by no longer asking callers " + "x" * 80, 90) == "reject all hosts"
    assert cut("reject all hosts (of callers " + "x" * 80, 90) == "reject all hosts"
    assert cut("reject all hosts that callers " + "x" * 80, 90) is None
