"""The messages of planned commits: their trailers, each beside the others, and one for commits that become one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from smartcommit.message.rules import Rules
from smartcommit.split.messages import join_commits, join_messages
from smartcommit.split.outcome import DONE
from smartcommit.split.plan import PlannedCommit
from smartcommit.split.source import SplitOptions
from tests.support.repository import Repo
from tests.support.splitting import run, run_with
from tests.support.table import rows

WORDED = [
    (["docs: tell of a\n", "feat: add a\n"], Rules(), "feat: add a\n\n- tell of a\n"),
    (["feat: add a\n", "fix(x)!: drop b\n\nBREAKING CHANGE: use a\n"], Rules(),
     "fix(x)!: drop b\n\n- add a\n\nBREAKING CHANGE: use a\n"),
    (["feat: add a\n", "feat: add a very long thing\n"], Rules(line_limit=20, levels={"line-length": "error"}),
     "feat: add a\n"),
]  # fmt: skip


@rows(("messages", "rules", "text"), *WORDED)
def test_the_strongest_type_leads_and_rules_have_the_last_word(messages: list[str], rules: Rules, text: str) -> None:
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


@rows(("first", "second", "joined"), *JOINED)
def test_a_merged_message_says_what_both_said_under_the_first_subject(first: str, second: str, joined: str) -> None:
    assert join_messages([first, second], Rules()) == joined


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("Zoë Ünal".encode(), "UTF-8"), ("Zoë Ünal".encode("iso-8859-1"), "ISO-8859-1"), (b" Ada B. <x", "UTF-8")],
)
def test_sign_offs_have_gits_bytes(based: Repo, monkeypatch: pytest.MonkeyPatch, name: bytes, encoding: str) -> None:
    monkeypatch.delenv("GIT_COMMITTER_NAME", raising=False)
    based.git("config", "i18n.commitEncoding", encoding)
    with Path(based.path, ".git/config").open("ab") as file:
        file.write(b'[user]\n\tname = "%s"\n[smartcommit]\n\tsignOff = require\n' % name)
    based.git("commit", "-q", "--allow-empty", "-s", "-m", "chore: by git")
    expected = based.run("cat-file", "commit", "HEAD").stdout
    based.write("src/a.py", "a = 1\n")
    assert run(based)[0] == 0
    made = based.run("cat-file", "commit", "HEAD").stdout
    sign_off = expected.rpartition(b"\n\n")[2]
    assert sign_off.startswith(b"Signed-off-by: ")
    assert made.rpartition(b"\n\n")[2] == sign_off
    assert (b"\nencoding " in made) == (b"\nencoding " in expected)


def test_a_name_in_utf_8_is_signed_off_in_the_messages_encoding(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """git would copy its bytes, which mean something else there."""
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Zoë Ünal")
    based.git("config", "i18n.commitEncoding", "ISO-8859-1")
    based.git("config", "smartcommit.signOff", "require")
    based.write("src/a.py", "a = 1\n")
    assert run(based)[0] == 0
    made = based.run("cat-file", "commit", "HEAD").stdout
    assert b"Signed-off-by: Zo\xeb \xdcnal <" in made


SERVICE = "def {name}_limit(request):\n    limit = 10\n    return limit\n"


def subjects_of(repo: Repo, strategy: str) -> list[str]:
    before = repo.git("rev-parse", "HEAD").strip()
    assert run(repo, strategy=strategy)[0] == DONE
    return repo.subjects(f"{before}..HEAD")


def summaries(subjects: list[str]) -> list[str]:
    return [subject.partition(": ")[2].lower() for subject in subjects]


@pytest.mark.parametrize("strategy", ["file", "hunk"])
def test_no_two_commits_have_the_same_summary(based: Repo, strategy: str) -> None:
    files = {f"{name}/service.py": SERVICE.format(name=name) * 2 for name in ("orders", "users", "carts")}
    based.commit("feat: services", files)
    for path, text in files.items():
        based.write(path, text.replace("limit = 10", "limit = 20"))
    found = summaries(subjects_of(based, strategy))
    assert len(found) >= 3
    assert len(set(found)) == len(found)


def test_a_title_that_another_commit_has_says_where_rather_than_another_detail(based: Repo) -> None:
    text = "def f(x):\n    return x\n\n\nLIMIT = 1\n"
    based.commit("feat: two", {"a/one.py": text, "b/two.py": text})
    for path in ("a/one.py", "b/two.py"):
        based.write(
            path, text.replace("1", "2") + "\n\ndef keep_hosts(hosts):\n    a(hosts)\n    b(hosts)\n    c(hosts)\n"
        )
    assert summaries(subjects_of(based, "file")) == ["add keep_hosts", "add keep_hosts in two.py"]


def test_a_title_that_only_says_where_is_open_wherever_a_plan_is_shown(based: Repo) -> None:
    based.commit("feat: two", {"a.py": "def f(a, b):\n    return g(a) + h(b)\n", "b.md": "# B\n"})
    based.write("a.py", "def f(a, b):\n    c = k(a)\n    return c * c - h(b, c) if c else g(b)\n")
    based.write("b.md", "# B\n\n## Usage\n\nRun it.\n")
    plan = json.loads(run_with(based, SplitOptions(json=True), yes=False)[1])
    assert [(commit["message"], commit["open"]) for commit in plan["commits"]] == [
        ("fix: update f in a.py\n", True), ("docs: add Usage section to b.md\n", False),
    ]  # fmt: skip
    shown = run_with(based, SplitOptions(), yes=False)[1]
    assert "title left open: no. 1\n\n 1. fix: update f in a.py  (open)\n" in shown
    made = run_with(based, SplitOptions(), yes=True)[1]
    assert "fix: update f in a.py  (open)\n" in made
    assert "title left open: no. 1\n" in made


@rows(
    ("second", "said"),
    ("def print_total(cart):\n    print(cart)\n", True),
    ("def print_total(path):\n    print(load_cart(path))\n", False),
    ("def print_total(path):\n    fetch('http://localhost/all-carts')\n", False),
    # Both call what is new elsewhere.
    ("def print_total(path):\n    print(read_file(path))\n", False),
)
def test_one_commit_of_independent_parts_names_what_divides_it(based: Repo, second: str, said: bool) -> None:
    base = "".join(f"def base_{number}(x):\n    return x\n\n\n" for number in range(6))
    based.commit("feat: shop", {"shop.py": base})
    first = "def load_cart(path):\n    return read_file(path, '/all-carts')\n\n\n"
    text = base.replace("def base_1", f"{first}def base_1").replace("def base_5", f"{second}\n\ndef base_5")
    based.write("shop.py", text)
    shown = run_with(based, SplitOptions(), yes=False)[1]
    assert ("2 parts of it use nothing of each other: '--count 2' divides them" in shown) is said
    based.git("reset", "-q", "--hard", "HEAD~1")


def test_an_open_title_leads_only_others_that_are_open() -> None:
    said, where = PlannedCommit("fix: a\n", ()), PlannedCommit("feat: update b\n", (), open=True)
    assert join_commits([where, said], Rules()) == PlannedCommit("fix: a\n\n- update b\n", ())
    assert join_commits([where, replace(where, message="fix: update c\n")], Rules()).open


def test_a_summary_of_its_own_keeps_its_words(based: Repo) -> None:
    based.commit("feat: two", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    based.write("a.py", "x = 2\n")
    alone = json.loads(run_with(based, SplitOptions(json=True), yes=False)[1])["commits"][0]["message"]
    based.write("b.py", "y = 3\n\n\ndef read_all(path):\n    return path\n")
    assert alone.split("\n")[0] in subjects_of(based, "file")


def test_a_place_is_not_named_twice(based: Repo) -> None:
    text = "".join(f"line {number}\n" for number in range(60))
    based.commit("docs: a text", {"docs/a.txt": text})
    for number in (5, 30, 55):
        text = text.replace(f"line {number}\n", f"edited {number}\n")
    based.write("docs/a.txt", text)
    based.git("config", "smartcommit.summaryLimit", str(len("update docs/a.txt")))
    found = summaries(subjects_of(based, "hunk"))
    assert sorted(found) == ["update a.txt", "update a.txt (3)", "update docs/a.txt"]


def test_a_merged_commit_keeps_one_change_id() -> None:
    lines = [f"Change-Id: I{digit * 40}" for digit in "123"]
    joined = join_messages([f"feat: add {line[-1]}\n\n{line}\nRefs: #1\n" for line in lines], Rules())
    assert [line for line in joined.splitlines() if "Change-Id" in line] == lines[:1]
    assert "- add 3" in joined
