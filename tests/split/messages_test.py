"""One message for commits that become one."""

from __future__ import annotations

from smartcommit.message.rules import Rules
from smartcommit.split.messages import join_commits, join_messages
from smartcommit.split.plan import PlannedCommit
from tests.support.table import rows

WORDED = [
    (["docs: tell of a\n", "feat: add a\n"], Rules(), "feat: add a\n\n- tell of a\n"),
    (["feat: add a\n", "fix(x)!: drop b\n\nBREAKING CHANGE: use a\n"], Rules(),
     "fix(x)!: drop b\n\n- add a\n\nBREAKING CHANGE: use a\n"),
    (["feat: add a\n", "feat: add a very long thing\n"], Rules(line_limit=20, levels={"line-length": "error"}),
     "feat: add a\n"),
]  # fmt: skip


@rows(("messages", "rules", "text"), WORDED)
def test_the_strongest_type_leads_and_the_rules_have_the_last_word(
    messages: list[str], rules: Rules, text: str
) -> None:
    commits = [PlannedCommit(message, ()) for message in messages]
    assert join_commits(commits, rules).message == text


JOINED = [
    ("feat: a\n", "fix: b\n", "feat: a\n\n- b\n"),
    ("feat: a\n\nWhy a.\n", "fix: b\n\nWhy b.\n", "feat: a\n\nWhy a.\n\n- b\n\nWhy b.\n"),
    ("feat: a\n\nWhy.\n\n- a\n- b\n", "fix: c\n\n- d\n\nWhy.\n", "feat: a\n\nWhy.\n\n- a\n- b\n- c\n- d\n\nWhy.\n"),
    ("feat: a\n\n- b\n  and more\n", "fix: c\n", "feat: a\n\n- b\n  and more\n- c\n"),
    ("feat: a\n\nSame.\n", "fix: b\n\nSame.\n", "feat: a\n\nSame.\n\n- b\n"),
    ("feat: a\n", "fix: A\n\nWhy.\n", "feat: a\n\nWhy.\n"),
    ("feat: a\n\n- b\n", "fix: B\n", "feat: a\n\n- b\n"),
    ("feat: a\n", "no header\n\nWhy.\n", "feat: a\n\n- no header\n\nWhy.\n"),
    ("feat: a\n", "fix: [ ] b\n", "feat: a\n\n- [ ] b\n"),
    ("feat: a\n", "fix(x)!: b\n", "feat!: a\n\n- b\n"),
    ("feat: a\n\nWhy.\n\nRefs: 1\nSigned-off-by: A <a@b>\n", "fix: b\n\nRefs: 2\nSigned-off-by: A <a@b>\n",
        "feat: a\n\nWhy.\n\n- b\n\nRefs: 1\nSigned-off-by: A <a@b>\nRefs: 2\n"),
    ("feat!: a\n\nBREAKING CHANGE: x is gone\n", "fix!: b\n\nBREAKING CHANGE: y is gone\n",
        "feat!: a\n\n- b\n\nBREAKING CHANGE: x is gone; y is gone\n"),
    ("feat: a\n\nConstraints:\n- Never: do x\n", "fix: b\n\nConstraints:\n- Never: do y\n",
        "feat: a\n\n- b\n\nConstraints:\n- Never: do x\n- Never: do y\n"),
    ("no header at all\n", "fix: b\n\nWhy.\n", "no header at all\n"),
    ("feat: a\n\nWhy a.\n", "fix: b\n\n#7 is why.\n", "feat: a\n\nWhy a.\n\n- b\n"),
]  # fmt: skip


@rows(("first", "second", "joined"), JOINED)
def test_a_merged_message_says_what_both_said_under_the_first_subject(first: str, second: str, joined: str) -> None:
    assert join_messages([first, second], Rules()) == joined
