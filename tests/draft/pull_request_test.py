"""The title and the description of a branch, from what is drafted for it and from its commits."""

from smartcommit.draft.pull_request import describe_branch
from smartcommit.draft.result import EMBEDDED, Draft
from smartcommit.message.parse import parse
from smartcommit.message.rules import Rules
from tests.support.table import rows

READ = "fix: read hosts\n\nCloses #12"
TASKS = ["fix: read hosts\n\nSigned-off-by: A <a@b>\nTask: ABC-12", "fix: keep hosts\n\nTask: ABC-12"]


@rows(
    ("commits", "drafted", "expected"),
    ([READ, "docs: say hosts"], Draft("feat: read all hosts\n\nWhy.\n", EMBEDDED),
     "fix: read all hosts\n\n- fix: read hosts\n- docs: say hosts\n\nCloses: #12"),
    # A model's description stays.
    ([READ, "docs: say hosts"], Draft("feat: read all hosts\n\nWhy.\n", "model"),
     "fix: read all hosts\n\nWhy.\n\nCloses: #12"),
    # Instead of a weak draft, the title is that of the most important commit.
    (["docs: say hosts", "fix: read hosts\n\nBREAKING CHANGE: no names", "feat: list hosts"],
     Draft("chore: update a.py\n", EMBEDDED, weak=True),
     "fix!: read hosts\n\n- docs: say hosts\n- fix: read hosts\n- feat: list hosts\n\nBREAKING CHANGE: no names"),
    (["no header", "fix: read hosts"], Draft("feat: read all hosts\n", EMBEDDED, weak=True),
     "fix: read hosts\n\n- no header"),
    # One commit says all.
    (["fix: read hosts\n\nWhy.\n\nRefs: #1"], Draft("feat: read all hosts\n", EMBEDDED),
     "fix: read all hosts\n\nfix: read hosts\n\nWhy.\n\nRefs: #1"),
    (["no header"], Draft("nothing\n", EMBEDDED, weak=True), ""),
    # Of the trailers those stay that name an issue, or have a ticket.
    (TASKS, Draft("fix: read hosts\n", EMBEDDED), "fix: read hosts\n\n- fix: keep hosts\n\nTask: ABC-12"),
)  # fmt: skip
def test_a_branch_is_described(commits: list[str], drafted: Draft, expected: str) -> None:
    rules = Rules(ticket="^Task: ABC-[0-9]+")
    assert describe_branch([parse(commit) for commit in commits], drafted, rules).rstrip("\n") == expected
