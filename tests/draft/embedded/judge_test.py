"""Which of the statements of a change is its summary, whether that is weak, and which type goes with it."""

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.definitions import NEW_DEFINITION
from smartcommit.draft.embedded.judge import Judge
from smartcommit.draft.embedded.view import ChangeView, Kind, Statement
from smartcommit.git.diff import FileDiff
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows

BODY = [f"    record_host_number(hosts[{number}])" for number in range(9)]
ONE_FILE = [make_diff("a.py", make_hunk(BODY))]
SMALL = [make_diff("a.py", make_hunk(BODY[1:]))]
TWO_SMALL = [make_diff("a.py", make_hunk(BODY[5:])), make_diff("b.py", make_hunk(BODY[5:]))]
THREE_SMALL = [*TWO_SMALL, make_diff("c.py", make_hunk(BODY[:1]))]
MANY = [make_diff(f"{name}.py", make_hunk(BODY)) for name in "abcdefghi"]
DOCUMENTS = [make_diff("README.md", make_hunk(BODY))]
BESIDE = [make_diff("a.py", make_hunk(BODY)), make_diff("Makefile", make_hunk(BODY))]
PUBLIC = [make_diff("a.py", make_hunk([f"def read_{name}(): pass" for name in ("all", "one", "two")]))]
BRANCH: dict[str, object] = {"source": "the branch"}
SENTENCE: dict[str, object] = {"is_sentence": True}
TITLE: dict[str, object] = {"is_title": True}
EVEN = {"fix": 0.5, "feat": 0.5}

Said = tuple[str, float, float] | tuple[str, float, float, dict[str, object]]


def judge(*said: Said, diffs: list[FileDiff] = ONE_FILE, chances: dict[str, float] = EVEN) -> Judge:
    """Give the judge statements: their forms with a stroke between, the prior, the share, and what else is of them."""
    statements = [
        Statement(forms.split("|"), Kind(prior, **(more[0] if more else {})), share)  # type: ignore[arg-type]
        for forms, prior, share, *more in said
    ]
    return Judge(ChangeView(ChangeFacts(diffs)), statements, chances)


PLACE = ("update a.py", 0.1, 1.0)


@rows(
    ("said", "chosen", "is_weak", "is_open"),
    ([PLACE, ("add hosts", 0.9, 1.0)], "add hosts", False, False),
    # What most of the change is, is its summary however weak; less than that is left to the user.
    ([PLACE, ("add hosts", 0.3, 0.6)], "add hosts", True, False),
    ([PLACE, ("add hosts", 0.3, 0.4)], "add hosts", True, True),
    ([PLACE, ("add hosts", 0.3, 0.3)], "update a.py", True, True),
    ([PLACE, ("add hosts", 0.15, 0.6)], "update a.py", True, True),
    ([PLACE, ("add hosts", 0.3, 0.6, TITLE)], "update a.py", True, True),
    ([PLACE, ("add hosts", 0.3, 0.4, {"is_whole": True})], "add hosts", True, True),
    # A detail is no summary if nothing says that it is what the change is for.
    ([("add hosts", 0.74, 0.45)], "add hosts", True, True),
    ([("add hosts", 0.75, 0.45)], "add hosts", False, False),
    ([("add hosts", 0.74, 0.45, BRANCH)], "add hosts", False, False),
    ([("bump hosts", 0.9, 0.34, {"is_whole": True})], "bump hosts", True, True),
    # Two say more than one, in their short forms, unless they name the same or are long.
    ([PLACE, ("add hosts to a|add hosts", 0.4, 0.3), ("add names to a|add names", 0.4, 0.25)],
     "add hosts and names", True, True),
    ([PLACE, ("add names", 0.4, 0.25), ("use hosts", 0.4, 0.3)], "use hosts and add names", True, True),
    ([PLACE, ("add names", 0.4, 0.35), ("use hosts", 0.4, 0.14)], "add names", True, True),
    ([PLACE, ("add names", 0.4, 0.25), ("add hosts to a", 0.4, 0.3)], "add hosts to a and add names", True, True),
    ([PLACE, ("add names", 0.4, 0.3), ("add hosts to a", 0.4, 0.25)], "add names and add hosts to a", True, True),
    # What is done in one place is no part of more than a few lines, unless it is nearly all.
    ([PLACE, ("reject hosts", 0.4, 0.4)], "update a.py", True, True),
    ([PLACE, ("reject hosts", 0.4, 0.5)], "reject hosts", True, True),
    ([PLACE, ("add names", 0.4, 0.25), ("reject hosts", 0.4, 0.3)], "update a.py", True, True),
    ([PLACE, ("add names", 0.4, 0.3), ("reject hosts", 0.4, 0.45)], "reject hosts and add names", True, False),
    ([PLACE, ("add all hosts", 0.4, 0.3), ("add names", 0.4, 0.25)], "add all hosts and names", True, True),
    ([PLACE, ("add hosts to a", 0.4, 0.3), ("add names", 0.4, 0.25)], "add hosts to a and add names", True, True),
    ([PLACE, ("add names", 0.4, 0.05), ("reject hosts", 0.4, 0.3)], "update a.py", True, True),
    ([PLACE, ("add hosts", 0.4, 0.3), ("sort hosts", 0.4, 0.25)], "update a.py", True, True),
    ([PLACE, ("add hosts and 2 more", 0.4, 0.3), ("add names", 0.4, 0.25)], "update a.py", True, True),
    ([PLACE, ("reject hosts", 0.4, 0.3), (f"add {'n' * 50}", 0.4, 0.25)], "update a.py", True, True),
    # What is true of all the change says where it is, or else the strongest does.
    ([("keep hosts", 0.19, 0.9), ("keep it", 0.12, 0.95)], "keep hosts", True, True),
    ([("keep hosts", 0.19, 0.8), ("keep it", 0.12, 0.9)], "keep it", True, True),
    ([("keep hosts", 0.19, 0.8), ("keep it", 0.12, 0.85)], "keep hosts", True, True),
    # A sentence of the author goes before what is stronger, unless it is weak.
    ([("add hosts", 0.9, 1.0), ("hosts were lost", 0.4, 1.0, SENTENCE)], "hosts were lost", False, False),
    ([("add hosts", 0.9, 1.0), ("hosts were lost", 0.3, 1.0, SENTENCE)], "add hosts", False, False),
)  # fmt: skip
def test_a_summary_is_chosen(said: list[Said], chosen: str, is_weak: bool, is_open: bool) -> None:
    judged = judge(*said)
    assert (judged.chosen.text, judged.is_weak, judged.is_open) == (chosen, is_weak, is_open)


@rows("diffs", SMALL, DOCUMENTS)
def test_what_is_done_in_one_place_is_a_part_of_a_few_lines_and_of_documents(diffs: list[FileDiff]) -> None:
    assert judge(PLACE, ("reject hosts", 0.4, 0.4), diffs=diffs).chosen.text == "reject hosts"


@rows(
    ("diffs", "said", "strength"),
    (ONE_FILE, ("add hosts", 0.5, 1.0), 0.5),
    (ONE_FILE, ("add hosts", 0.5, 3.0), 0.5),
    (ONE_FILE, ("add hosts", 0.5, 0.5), 0.287),
    (SMALL, ("add hosts", 0.5, 0.5), 0.354),
    (TWO_SMALL, ("add hosts", 0.5, 0.5), 0.354),
    (THREE_SMALL, ("add hosts", 0.5, 0.5), 0.287),
    (SMALL, ("add hosts", 0.5, 0.5, TITLE), 0.287),
    (ONE_FILE, (" ".join("abcdefghi"), 0.5, 1.0), 0.5),
    (ONE_FILE, (" ".join("abcdefghijk"), 0.5, 1.0), 0.46),
    (ONE_FILE, ("add hosts", 0.5, 0.5, TITLE), 0.287),
    (ONE_FILE, ("add hosts", 0.5, 0.4, TITLE), 0.0),
    (MANY, ("add hosts", 0.5, 0.5), 0.181),
    (MANY, ("add hosts", 0.5, 0.8), 0.418),
    (MANY, ("add hosts", 0.5, 1.0, TITLE), 0.25),
    (MANY, ("add hosts", 0.5, 0.5, {"is_whole": True}), 0.287),
)  # fmt: skip
def test_a_statement_is_rated(diffs: list[FileDiff], said: Said, strength: float) -> None:
    assert round(judge(said, diffs=diffs).strength, 3) == strength


@rows(
    ("other", "strength"),
    (("sort names", 0.5, 0.2), 0.287),
    (("sort names in a.py", 0.5, 0.2), 0.287),
    (("sort names in read_file", 0.5, 0.2), 0.354),
    (("sort names", 0.5, 0.19), 0.354),
    # What shares some names with it is another thing; what has all of them may be the same.
    (("sort names of read_file", 0.5, 0.5), 0.287),
    (("add hosts to a list in read_file", 0.5, 0.5), 0.354),
    (PLACE, 0.354),
)
def test_what_another_statement_says_of_a_small_change_is_no_detail(other: Said, strength: float) -> None:
    judged = judge(("add hosts in read_file", 0.5, 0.5), other, diffs=SMALL)
    assert round(judged.strength, 3) == strength


@rows(("chance", "rated", "strength"), (0.1, 0.25, 0.45), (0.2, 0.25, 0.45), (0.4, 0.39, 0.59), (1.0, 0.69, 0.69))
def test_a_new_name_is_the_summary_of_a_feature_or_where_nothing_else_is(
    chance: float, rated: float, strength: float
) -> None:
    view, chances = ChangeView(ChangeFacts(ONE_FILE)), {"fix": 1 - chance, "feature": chance}
    new = Statement(["add hosts"], NEW_DEFINITION, 1.0)
    judged = Judge(view, [new], chances)
    assert (round(judged.rate(new), 3), round(judged.strength, 3)) == (rated, strength)
    same = Statement(["add hosts"], Kind(NEW_DEFINITION.prior), 1.0)
    assert Judge(view, [same], chances).strength == NEW_DEFINITION.prior


def test_words_that_imply_a_feature_make_no_new_name_the_summary() -> None:
    view, chances = ChangeView(ChangeFacts(ONE_FILE)), {"feat": 0.9, "fix": 0.1}
    said = Statement(["read hosts from a file"], Kind(0.5, source="the branch", is_whole=True), 1.0)
    new = Statement(["add read_hosts"], NEW_DEFINITION, 1.0)
    assert Judge(view, [said, new], chances).chosen is new
    assert Judge(view, [said, new], chances, feature=0.4).chosen is said


def test_what_is_beside_the_code_takes_from_what_is_said_of_that_alone() -> None:
    part, whole = (
        judge(("add hosts", 0.5, 1.0, {"is_whole": is_whole}), diffs=BESIDE).strength for is_whole in (False, True)
    )
    assert part < whole == 0.5


@rows(
    ("said", "expected"),
    (["add hosts", "sort names", "keep groups", "read files"], ["add hosts", "sort names", "keep groups"]),
    (["add hosts", "sort hosts", "update a.py", "update src/a.py and b.py", "add 3 files"], ["add hosts"]),
    (["read hosts names", "read hosts groups"], ["read hosts names"]),
    (["update a.py"], ["update a.py"]),
    (["add hosts", "the branch"], ["the branch", "add hosts"]),
)  # fmt: skip
def test_what_else_can_be_said_is_offered(said: list[str], expected: list[str]) -> None:
    statements: list[Said] = [(text, 0.9 - 0.1 * number, 1.0) for number, text in enumerate(said)]
    if "the branch" in said:
        statements[said.index("the branch")] = ("the branch", 0.25, 1.0, BRANCH)
    judged = judge(*statements)
    assert judged.list_candidates() == expected
    assert (judged.find_said() is not None) == ("the branch" in said)


def test_what_a_branch_hardly_says_is_not_offered_first() -> None:
    assert judge(("add hosts", 0.9, 1.0), ("the branch", 0.24, 1.0, BRANCH)).find_said() is None


@rows(
    ("chances", "chosen", "second"),
    ({"fix": 0.6, "feat": 0.3}, "fix", "feat"),
    ({"fix": 0.6, "feat": 0.14, "perf": 0.15}, "fix", "perf"),
    ({"fix": 0.65, "feat": 0.3}, "fix", None),
    ({"fix": 0.6, "feat": 0.14}, "fix", None),
    ({"fix": 0.6, "feat": 0.4}, "chore", "fix"),
)  # fmt: skip
def test_another_type_is_offered_if_none_is_sure(chances: dict[str, float], chosen: str, second: str | None) -> None:
    assert judge(PLACE, chances=chances).find_second_type(chosen) == second


SUMMARY = ("add hosts to a list", 0.9, 1.0)


@rows(
    ("diffs", "said", "types", "chances", "expected"),
    # What the project alone calls so stays that.
    (ONE_FILE, SUMMARY, "refactor", {"cleanup": 0.6, "refactor": 0.4}, "cleanup"),
    # What comes is a feature if that is likely, or if the change is small.
    (ONE_FILE, SUMMARY, "feat", {"fix": 0.6, "feat": 0.4}, "fix"),
    (ONE_FILE, (*SUMMARY, {"is_whole": True}), "feat", {"fix": 0.6, "feat": 0.4}, "feat"),
    (ONE_FILE, SUMMARY, "feat", {"fix": 0.52, "feat": 0.48}, "feat"),
    ([make_diff("a.py", make_hunk(BODY[:5]))], SUMMARY, "feat", {"fix": 0.6, "feat": 0.4}, "feat"),
    ([make_diff("a.py", make_hunk(BODY[:6]))], SUMMARY, "feat", {"fix": 0.6, "feat": 0.4}, "fix"),
    ([make_diff("a.py", make_hunk(BODY[:2]))], SUMMARY, "feat", {"fix": 0.96, "feat": 0.04}, "fix"),
    ([make_diff("test_a.py", make_hunk(BODY[:2]))], SUMMARY, "feat", {"fix": 0.6, "feat": 0.4}, "fix"),
    # So is one that adds public definitions and nothing else.
    (PUBLIC * 4, ("add read_all", 0.9, 1.0), "fix", {"fix": 0.7, "feat": 0.3}, "feat"),
    (PUBLIC * 4, ("add read_all, read_one and read_two", 0.9, 1.0), "fix", {"fix": 0.7, "feat": 0.3}, "feat"),
    (PUBLIC * 4, ("add read_all", 0.9, 1.0), "fix", {"perf": 0.7, "fix": 0.2, "feat": 0.1}, "fix"),
    (PUBLIC * 4, ("add read_all and b", 0.9, 1.0), "fix", {"fix": 0.7, "feat": 0.3}, "fix"),
    (PUBLIC * 4, ("sort read_all", 0.9, 1.0), "fix", {"fix": 0.7, "feat": 0.3}, "fix"),
    # The type is the likeliest that the summary implies, unless that is open, or the change is in documents alone.
    (ONE_FILE, SUMMARY, "perf docs", {"fix": 0.6, "docs": 0.1, "perf": 0.05}, "docs"),
    # A change without tests is none of tests, unless that is likeliest.
    (ONE_FILE, SUMMARY, "perf test", {"fix": 0.6, "test": 0.1, "perf": 0.05}, "perf"),
    (ONE_FILE, SUMMARY, "perf test", {"test": 0.6, "perf": 0.05}, "test"),
    (ONE_FILE, SUMMARY, "ci", {"fix": 0.6, "test": 0.1}, "fix"),
    (ONE_FILE, PLACE, "test", {"fix": 0.6, "test": 0.4}, "fix"),
    (DOCUMENTS, SUMMARY, "test", {"docs": 0.6, "test": 0.4}, "docs"),
    (DOCUMENTS, SUMMARY, "style", {"docs": 0.6, "style": 0.4}, "style"),
    (DOCUMENTS, SUMMARY, "style", {"fix": 0.6, "style": 0.4}, "style"),
)  # fmt: skip
def test_the_type_goes_with_the_summary(
    diffs: list[FileDiff], said: Said, types: str, chances: dict[str, float], expected: str
) -> None:
    text, prior, share, *more = said
    kind = {**(more[0] if more else {}), "types": tuple(types.split())}
    assert judge((text, prior, share, kind), diffs=diffs, chances=chances).choose_type() == expected
