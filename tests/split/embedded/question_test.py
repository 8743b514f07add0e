"""The question about lines that could be a commit of their own, on a real terminal and without one."""

import json
import sys

import pytest

from smartcommit.split.outcome import CANCELLED, DONE
from smartcommit.split.source import EngineOptions, SplitOptions
from tests.conftest import ROOT
from tests.split.embedded.divide_test import CODE, commit_before, patches_since
from tests.support.repository import Repo
from tests.support.splitting import head_of, run_with
from tests.support.tty import run_on_terminal

QUESTION = "commit these lines on their own? [y/N]"
# This interpreter has the parsers, without which a hunk is not cut between lines that are indented alike.
COMMAND = [
    sys.executable,
    "-c",
    f"import sys; sys.path.insert(0, {str(ROOT)!r}); from smartcommit.cli import main; sys.exit(main())",
]


BODY = """        for (Item item : items) {
            sum += item.price();
            count++;
        }
"""
CART = f"""public class Cart {{
    private final List<Item> items;

    int mean() {{
        int sum = 0;
        int count = 0;
{BODY}        return sum / count;
    }}

    int size() {{
        return items.size();
    }}
}}
"""


@pytest.fixture
def doubtful(based: Repo) -> Repo:
    """A block that is indented under a new condition, beside another fix."""
    indented = "".join(f"    {line}" for line in BODY.splitlines(keepends=True))
    caught = "        } catch (NullPointerException e) {\n            return 0;\n        }\n"
    changed = CART.replace(BODY, f"        try {{\n{indented}{caught}")
    commit_before(
        based, {"Cart.java": CART}, {"Cart.java": changed.replace("items.size()", "items == null ? 0 : items.size()")}
    )
    return based


@pytest.mark.parametrize(("answer", "count"), [("YES", 2), ("", 1), ("?\ny", 2)])
def test_the_lines_are_shown_and_the_answer_decides(doubtful: Repo, answer: str, count: int) -> None:
    old = head_of(doubtful)
    shown, status = run_on_terminal([*COMMAND, "split"], cwd=doubtful.path, answers=f"{answer}\ny\n")
    assert status == DONE, shown
    assert "lines of additions could be a commit of their own:" in shown
    assert "+        try {" in shown
    assert shown.count(QUESTION) == 1 + answer.count("?")
    assert "commits or" not in shown
    assert len(patches_since(doubtful, old)) == count


def test_q_quits_and_changes_nothing(doubtful: Repo) -> None:
    before = doubtful.state()
    shown, status = run_on_terminal([*COMMAND, "split"], cwd=doubtful.path, answers="q\n")
    assert (status, QUESTION in shown) == (CANCELLED, True)
    assert doubtful.state() == before


def test_without_a_terminal_the_plan_names_the_number_that_gives_the_other_plan(doubtful: Repo) -> None:
    old = head_of(doubtful)
    status, shown, _ = run_with(doubtful, SplitOptions(), yes=False)
    assert status == CANCELLED
    assert "\n4 lines of additions in Cart.java could be a commit of their own: '--count 2'" in shown
    other = json.loads(run_with(doubtful, SplitOptions(json=True), yes=False)[1])["other"]
    assert (other["kind"], other["count"]) == ("additions", 2)
    assert {hunk["path"] for hunk in other["hunks"]} == {"Cart.java"}
    assert run_with(doubtful, SplitOptions(choice=EngineOptions(count=2)))[0] == DONE
    having = ["+        try {" in patch.split("\n") for patch in patches_since(doubtful, old)]
    assert sorted(having) == [False, True]


def test_indentation_under_a_changed_block_goes_with_it(based: Repo) -> None:
    base = CODE.replace("  return found;\n", "  count(found);\n  return found;\n")
    changed = base.replace("  count(found);\n", "  if (found)\n    count(found);\n")
    old = commit_before(based, {"port.c": base}, {"port.c": changed})
    assert run_with(based, SplitOptions())[0] == DONE
    assert len(patches_since(based, old)) == 1
