"""`smartcommit draft --branch`: the title and the description of a pull request."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.support import model_server
from tests.support.commands import Command
from tests.support.documentation import ROOT, find_blocks, to_pattern
from tests.support.model_server import serve
from tests.support.repository import Repo
from tests.support.table import rows

Commits = Sequence[tuple[str, Mapping[str, str]]]
CHECKED = 'def check(host):\n    if not host:\n        raise ValueError("empty host")\n    return True\n'
# What shows no more than that something was edited.
EDITED = {f"src/{name}.py": f"def {name}(a, b):\n    c = b * a\n    return c - b\n" for name in ("one", "two", "six")}
FIX = ("fix: raise for empty hosts\n\nNone is better.\n\nCloses: #12", {"src/hosts.py": CHECKED})
TEST = ("test: cover hosts\n\nCloses #14", {"src/test_hosts.py": "import hosts\n"})
DOCS = ("docs: a", EDITED)
FEAT = ("feat: c\n\nRefs: #1\nJira: ABC-1", {"c": "c\n"})
BREAKING = ("ci: b\n\nBREAKING CHANGE: gone,\nwholly\n\nRefs: #1\nReviewed-by: Ada", {"b.md": "b\n"})
NAMED = "fix/ABC-2-reject-empty-hosts"


@pytest.fixture
def made(inside: Repo) -> Repo:
    before = {name: text.replace("b * a", "a") for name, text in EDITED.items()}
    inside.commit("chore: base", {"src/hosts.py": "def check(host):\n    return True\n", **before})
    return inside


def build(repo: Repo, branch: str, commits: Commits) -> None:
    """Make `commits` upon `main`, on a new `branch` or on none."""
    place = ["-C", branch] if branch else ["--detach"]
    repo.git("switch", "-q", *place, "main")
    for message, files in commits:
        repo.stage(files)
        repo.git("commit", "-q", "--allow-empty-message", "-m", message)


@rows(
    ("branch", "commits", "settings", "out"),
    (NAMED, [FIX], {}, "fix: raise for empty hosts\n\nNone is better.\n\nCloses: #12\n"),
    ("x", [("fix: a\r\n\r\nb\x1b[31m\u202ec", {"a": "1"})], {}, "fix: a\n\nb\\x1b[31m\\u202ec\n"),
    (
        NAMED,
        [FIX, TEST, ("fixup! test: cover hosts", {"a.md": "x\n"}), ("squash! fix: raise", {"a.md": "y\n"})],
        {},
        "fix: reject empty hosts\n\n- fix: raise for empty hosts\n- test: cover hosts\n\nCloses: #12\nCloses: #14\n",
    ),
    # The commits know better than the name of the branch what they are for.
    (
        NAMED,
        [("feat: refuse hosts", FIX[1]), ("test: cover hosts", TEST[1])],
        {},
        "feat: reject empty hosts\n\n- feat: refuse hosts\n- test: cover hosts\n",
    ),
    ("", [DOCS, ("fix: b", {"b.md": "b\n"}), FEAT], {}, "feat: c\n\n- docs: a\n- fix: b\n\nRefs: #1\n"),
    ("x", [DOCS, ("fix: b", {"b.md": "b\n"})], {}, "fix: b\n\n- docs: a\n"),
    ("x", [DOCS, ("", {"a": "a"}), ("test: b", {"b.md": "b\n"})], {}, "docs: a\n\n- test: b\n"),
    (
        "x",
        [DOCS, FEAT, BREAKING],
        {},
        "ci!: b\n\n- docs: a\n- feat: c\n- ci: b\n\nBREAKING CHANGE: gone, wholly\nRefs: #1\n",
    ),
    (
        NAMED,
        [FIX, ("docs: b\n\nJira: ABC-1\nReviewed-by: Ada", {"b.md": "b\n"})],
        {"TICKET": "[A-Z]+-[0-9]+", "REQUIRED": "description"},
        "fix: reject empty hosts\n\n- fix: raise for empty hosts\n- docs: b\n\nCloses: #12\nJira: ABC-1\nRefs: ABC-2\n",
    ),
    # Written as the project writes headers, and without a second ticket.
    (
        NAMED,
        [FIX, ("🐛 fix: ABC-2 b", {"b.md": "b\n"})],
        {"TICKET": "[A-Z]+-[0-9]+", "HEADER_FORM": "{emoji} {type}({scope}): {ticket} {summary}"},
        "🐛 fix: ABC-2 reject empty hosts\n\n- fix: raise for empty hosts\n- 🐛 fix: ABC-2 b\n\nCloses: #12\n",
    ),
    # Nobody has written a header that keeps the rules.
    (
        "x",
        [("Work on hosts", FIX[1]), ("more\x1b[31m", {"b.md": "b\n"})],
        {},
        "fix: fail without host in check\n\n- Work on hosts\n- more\\x1b[31m\n",
    ),
    (
        "x",
        [("Work on hosts\n\nAs said.", FIX[1])],
        {},
        "fix: fail without host in check\n\nWork on hosts\n\nAs said.\n",
    ),
)
def test_a_branch_is_described(
    made: Repo, monkeypatch: pytest.MonkeyPatch, smartcommit: Command,
    branch: str, commits: Commits, settings: Mapping[str, str], out: str,
) -> None:  # fmt: skip
    build(made, branch, commits)
    before = made.state()
    with monkeypatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(f"SMARTCOMMIT_{name}", value)
        assert smartcommit("draft", "--branch") == (out, "")
        told = json.loads(smartcommit("draft", "--branch", "--json").out)
        title, _, description = out.partition("\n")
        assert (told["title"], told["description"]) == (title, description.strip("\n"))
        smartcommit("check", "--title", title)
    assert made.state() == before


@rows(
    ("setup", "arguments", "status", "out"),
    # The main branch is no base of its own.
    (["switch -q main"], [], 1, "cannot tell what the branch was made from\nhint: name it: '--base REV'"),
    (["switch -q work"], ["--base", "work~1"], 0, "test: cover hosts\n"),
    ([], ["--base", "work~1", "--refine", "short", "--json"], 0, '"description": "Closes #14"'),
    (["switch -q -c side main", "commit -q --allow-empty -m 'docs: x'", "switch -q -c merged work",
      "merge -q --no-ff -m 'Merge side' side"], [], 0, "hosts\n- test: cover hosts\n- docs: x\n\nCloses"),
    (["switch -q work"], ["--base", "none"], 1, "'none' is not a commit"),
    (["switch -q work"], ["--base", "HEAD"], 1, "there are no commits in 'HEAD..'"),
    (["switch -q work", "update-ref refs/remotes/origin/up work~1",
      "symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/up"], [], 0, "test: cover hosts\n"),
    (["update-ref refs/remotes/origin/up work"], [], 1, "no commits in 'refs/remotes/origin/HEAD..'"),
    (["symbolic-ref -d refs/remotes/origin/HEAD", "branch -m main master"], [], 0, "fix: raise for"),
    (["branch -m master base"], [], 1, "name it: '--base REV'"),
    (["commit -q --allow-empty -m 'fixup! test'"], ["--base", "HEAD~1"], 1, "are merges and fixups"),
    ([], ["--base", "base", "--amend"], 2, "--branch and --amend exclude each other"),
)  # fmt: skip
def test_the_base_is_found_or_named(
    made: Repo, smartcommit: Command, setup: Sequence[str], arguments: Sequence[str], status: int, out: str
) -> None:
    if not made.git("branch", "--list", "work", "*-hosts"):
        build(made, NAMED, [FIX, TEST])
        made.git("branch", "work")
    for line in setup:
        made.git(*shlex.split(line))
    assert out in "".join(smartcommit("draft", "--branch", *arguments, status=status))


def test_no_commit_and_no_branch_are_told(inside: Repo, smartcommit: Command) -> None:
    shown = smartcommit("draft", "--branch", "--base", "main", status=1)
    assert shown == ("", "smartcommit: there are no commits yet\n")
    assert "--base requires --branch" in smartcommit("draft", "--base", "main", status=2).err


def test_the_page_shows_what_is_printed(made: Repo, smartcommit: Command) -> None:
    build(made, "fix/12-reject-empty-hosts", [FIX, TEST])
    blocks = find_blocks(ROOT / "docs" / "drafting.md", "console")
    ((command, shown),) = next(block.commands for block in blocks if block.chapter == "A pull request")
    assert re.fullmatch(to_pattern(shown), smartcommit(*shlex.split(command)[1:]).out.rstrip("\n"))


def test_few_processes_are_started(made: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(made, NAMED, [FIX, TEST])
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    assert main(["draft", "--branch"]) == 0
    events = map(json.loads, trace.read_text().splitlines())
    started = [event["argv"] for event in events if event["event"] == "start"]
    # References in a reftable have to be asked for.
    assert len([argv for argv in started if "symbolic-ref" not in argv]) == 11, started


def test_a_model_knows_the_commits(made: Repo, monkeypatch: pytest.MonkeyPatch, smartcommit: Command) -> None:
    build(made, NAMED, [FIX, BREAKING])
    answer = {
        "type": "fix",
        "summary": "refuse hosts without a name",
        "description": "An empty host raises ValueError.",
    }
    with serve("ollama", model_server.calls(("submit_message", answer))) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        shown = smartcommit("draft", "--branch")
    assert shown == (
        "fix!: refuse hosts without a name\n\nAn empty host raises ValueError.\n\n"
        "BREAKING CHANGE: gone, wholly\nCloses: #12\nRefs: #1\n",
        "",
    )
    prompt = running.questions[0].payload["messages"][1]["content"]
    assert "- a commit: fix: raise for empty hosts\n- a commit: ci: b\n" in prompt
    assert f"- the branch: {NAMED}\n" in prompt
