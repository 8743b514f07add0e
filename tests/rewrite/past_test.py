"""`range REV`: one commit of the past is cut in several, and what is above it stays."""

from collections.abc import Callable, Mapping

import pytest

from smartcommit.cli import git_smart_commit
from smartcommit.errors import SplitPlanOutdated
from smartcommit.git.repo import Repository
from smartcommit.rewrite.commits import read_named_range
from smartcommit.rewrite.recut import cut_range
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING
from smartcommit.split.source import SplitOptions
from tests.rewrite.odd_commits_test import SIGNER, make
from tests.support.histories import assert_same, assert_undone, read_state
from tests.support.repository import Repo
from tests.support.table import rows
from tests.support.tty import person

MESSAGE = "feat: export rows as JSON\n\nPeople asked.\n\nRefs: #12\n"
FILES = {
    "src/export.py": "import json\n\n\ndef export(rows):\n    return json.dumps(rows)\n",
    "docs/install.md": "# Install\n\nRun pip.\n",
}
SIGNATURE = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n"


@pytest.fixture
def past(based: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose commit before the last two, tagged `past`, has two concerns; it is the current directory."""
    monkeypatch.chdir(based.path)
    based.commit(MESSAGE, FILES)
    based.git("tag", "past")
    based.commit("fix: end the first line", {"base.txt": "base\nmore\n"})
    based.commit("wip", {"src/export.py": FILES["src/export.py"] + "\n\nexport([])\n"})
    return based


def content(repo: Repo, commit: str) -> bytes:
    return repo.run("cat-file", "commit", commit).stdout


def parents_of(repo: Repo, commit: str) -> list[str]:
    return repo.git("log", "-1", "--format=%P", commit).split()


def assert_cut(repo: Repo, *options: str, moved: Mapping[str, str] | None = None) -> list[str]:
    """Cut the commit `past` and assert that nothing else changes, then undo it; return the messages of its parts.

    Each branch in `moved` goes to what continues the commit of the other one's name.
    """
    before, head, past = (
        read_state(repo),
        repo.git("rev-parse", "HEAD").strip(),
        repo.git("rev-parse", "past^0").strip(),
    )
    wanted = {name: repo.git("rev-parse", target).strip() for name, target in (moved or {}).items()}
    assert git_smart_commit(["range", "past", "--yes", *options]) == DONE
    pairs, todo = {}, [(head, repo.git("rev-parse", "HEAD").strip())]
    while todo:
        old, new = todo.pop()
        pairs[old] = new
        if old not in (past, new):
            todo += zip(parents_of(repo, old), parents_of(repo, new), strict=True)
    for old, new in pairs.items():
        expected = content(repo, old).replace(SIGNATURE, b"")
        for parent in parents_of(repo, old):
            expected = expected.replace(b"parent " + parent.encode(), b"parent " + pairs.get(parent, parent).encode())
        assert old == past or content(repo, new) == expected
    parts = []
    part = pairs[past]
    while part not in parents_of(repo, past)[:1]:
        parts.append(part)
        part = "".join(parents_of(repo, part)) or past
        if part == past:
            break
    assert len(parts) > 1
    assert repo.git("rev-parse", f"{parts[0]}^{{tree}}") == repo.git("rev-parse", "past^{tree}")
    (continuing, *_) = [part for part in parts if repo.message(part) == repo.message(past)] or [parts[0]]
    for name, target in wanted.items():
        assert repo.git("rev-parse", name).strip() == (continuing if target == past else pairs[target])
        repo.git("update-ref", f"refs/heads/{name}", repo.git("rev-parse", f"{name}@{{1}}").strip())
    assert_same(before, read_state(repo))
    for name in wanted:
        repo.git("update-ref", f"refs/heads/{name}", repo.git("rev-parse", f"{name}@{{1}}").strip())
    messages = [repo.message(part) for part in reversed(parts)]
    assert_undone(repo, head, before)
    return messages


def merge_above(repo: Repo) -> None:
    """Merge a branch from before the commit, one from it, and both of these."""
    for name, start in (("before", "past^"), ("from", "past")):
        repo.git("checkout", "-q", "-b", name, start)
        repo.commit(f"feat: go on {name} it", {f"{name}.txt": "x\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "-m", "Merge both", "before", "from")


def cut_root(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "first")
    repo.git("rm", "-q", "-f", "base.txt")
    repo.commit(MESSAGE, FILES)
    repo.git("tag", "-f", "past")
    repo.commit("wip", {"src/export.py": "x = 1\n"})


def make_odd_above(repo: Repo) -> None:
    repo.stage({"odd.txt": "odd\n"})
    make(repo, message=b"caf\xe9", more=b"encoding ISO-8859-1\nHG:extra amend:x\n" + SIGNATURE)
    repo.stage({"odd.txt": "odder\n"})
    make(repo, author=b"nobody", message=b"\n\nno header: \0\r\n")


def leave_uncommitted(repo: Repo) -> None:
    repo.stage({"base.txt": "staged\n", "new.txt": "new\n"})
    repo.write("base.txt", "edited\n")
    repo.write("untracked.txt", "x\n")
    repo.write("intended.txt", "x\n")
    repo.git("add", "-N", "intended.txt")


def branch_everywhere(repo: Repo) -> None:
    """Make branches at the commit, above, and on another line of commits above it."""
    repo.git("branch", "at", "past")
    repo.git("branch", "above", "HEAD")
    repo.git("branch", "elsewhere", repo.git("commit-tree", "-p", "past", "-m", "x", "past^{tree}").strip())


def move_branches(repo: Repo) -> None:
    branch_everywhere(repo)
    repo.git("config", "rebase.updateRefs", "true")


def use_elsewhere(repo: Repo) -> None:
    move_branches(repo)
    repo.git("worktree", "add", "-q", str(repo.path.parent / "linked"), "above")


def push(repo: Repo) -> None:
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD^")


KINDS: dict[str, tuple[Callable[[Repo], object], list[str], dict[str, str]]] = {
    "line": (lambda repo: None, [], {}),
    "root": (cut_root, [], {}),
    "last": (lambda repo: repo.git("reset", "-q", "--hard", "past"), [], {}),
    "merge above": (merge_above, [], {}),
    "odd commits above": (make_odd_above, [], {}),
    "not committed": (leave_uncommitted, [], {}),
    "detached": (lambda repo: repo.git("checkout", "-q", "--detach"), [], {}),
    "branches": (branch_everywhere, [], {}),
    "branches that move": (move_branches, [], {"at": "past", "above": "HEAD"}),
    "checked out elsewhere": (use_elsewhere, [], {"at": "past"}),
    "pushed": (push, ["--allow-pushed"], {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_commit_is_cut_and_those_above_stay(past: Repo, kind: str) -> None:
    prepare, options, moved = KINDS[kind]
    prepare(past)
    messages = assert_cut(past, *options, moved=moved)
    assert messages == [f"{MESSAGE}\n", "docs: add install.md\n\n"]


def test_signatures_above_are_made_anew_if_commits_are_signed(past: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    make_odd_above(past)
    assert git_smart_commit(["range", "past", "--yes"]) == DONE
    assert "1 signature dropped" in capsys.readouterr().out
    assert git_smart_commit(["undo"]) == DONE
    past.git("config", "gpg.program", str(past.write(".git/signer", SIGNER, executable=True)))
    past.git("config", "commit.gpgSign", "true")
    assert git_smart_commit(["range", "past", "--yes"]) == DONE
    assert "dropped" not in capsys.readouterr().out
    signed = [b"\ngpgsig " in content(past, commit) for commit in past.git("rev-list", "past^..").split()]
    assert signed == [False, True, False, False, True, True]


@rows(
    ("message", "path"),
    ("docs: describe how one installs it\n\nBody.", "docs/install.md"),
    ("feat: export rows as JSON", "src/export.py"),
    ("chore: dump the rows", "src/export.py"),
    ("chore: say how one installs it with pip", "docs/install.md"),
    # Both parts show one of its words.
    ("docs: note rows and pip", "docs/install.md"),
)
def test_the_message_is_that_of_the_part_that_it_speaks_of(past: Repo, message: str, path: str) -> None:
    past.git("reset", "-q", "--hard", "past^0")
    past.commit(
        message, {"src/export.py": "def dump(rows):\n    return rows\n", "docs/install.md": "# pip\n\nInstall it.\n"}
    )
    assert git_smart_commit(["range", "HEAD", "--yes"]) == DONE
    assert past.message(past.git("log", "-1", "--format=%H", "--", path).strip()).strip() == message
    assert len(past.subjects("past..")) == 2


def test_a_commit_that_stays_whole_is_left_as_it_is(past: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    text = "def retry(x):\n    return 1\n"
    past.commit("chore: base", {"tools/retry.py": text})
    old = past.commit("wip", {"tools/retry.py": f"# Retries.\n{text}\n\ndef queue(y):\n    return 2\n"})
    assert git_smart_commit(["range", "HEAD", "--yes"]) == NOTHING
    assert capsys.readouterr().out == "nothing to change: the commit stays whole; '--count 2' cuts it\n"
    assert past.git("rev-parse", "HEAD").strip() == old
    assert git_smart_commit(["range", "HEAD", "--yes", "--count", "2"]) == DONE


def test_what_is_above_a_commit_left_whole_keeps_its_signatures(past: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    past.commit("feat: add f", {"src/f.py": "def f():\n    return 1\n"})
    make_odd_above(past)
    before, repository = read_state(past), Repository.find(str(past.path))
    monkeypatch.setenv("TERM", "dumb")
    with person("y\n") as somebody:
        commits = read_named_range(repository, "HEAD~2")
        done = cut_range(repository, commits, options=SplitOptions(), terminal=somebody.terminal, complain=print)
    assert done.status == DONE
    assert not [line for line in done.lines if "above" in line or "dropped" in line]
    assert_same(before, read_state(past))


def test_a_message_that_says_nothing_is_replaced(past: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    past.commit("wip", FILES | {"docs/more.md": "# More of it\n", "src/dump.py": "def dump():\n    return 1\n"})
    assert git_smart_commit(["range", "HEAD", "--yes"]) == DONE
    assert past.subjects().count("wip") == 1
    assert "'wip' is gone: it says nothing, or breaks a rule\n" in capsys.readouterr().out


def test_a_range_of_the_past_is_cut_anew(past: Repo) -> None:
    past.commit("fixup! fix: end the first line", {"base.txt": "base\nmore of it\n"})
    past.commit("docs: go on", {"docs/more.md": "# More\n"})
    above = content(past, "HEAD").partition(b"author")[2]
    assert git_smart_commit(["range", "past..HEAD^", "--yes"]) == DONE
    assert past.subjects("past..")[0] == "fix: end the first line"
    assert content(past, "HEAD").partition(b"author")[2] == above
    assert len(past.subjects("past..")) == 3


def make_shallow(repo: Repo) -> None:
    commit, parent = repo.git("rev-parse", "past^0", "past^").split()
    (repo.path / ".git" / "shallow").write_text(f"{commit}\n")
    (repo.path / ".git" / "objects" / parent[:2] / parent[2:]).unlink()


def make_graft(repo: Repo) -> None:
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "grafts").write_text(" ".join(repo.git("rev-parse", "HEAD", "past^0").split()))


@rows(
    ("prepare", "said"),
    (make_graft, "HEAD descends from these commits only by a graft"),
    (make_shallow, "the commit before 'past' is not in this clone"),
)
def test_parents_that_are_not_recorded_are_no_way_to_head(
    past: Repo, capsys: pytest.CaptureFixture[str], prepare: Callable[[Repo], None], said: str
) -> None:
    prepare(past)
    head = past.git("rev-parse", "HEAD")
    assert git_smart_commit(["range", "past", "--yes"]) == GIT_FAILED
    assert said in capsys.readouterr().err
    assert past.git("rev-parse", "HEAD") == head


@rows(
    ("words", "said"),
    (["range", "past"], "pushed already: 1 of 3 commits"),
    (["range", "aside", "--allow-pushed"], "'aside' is not in the history of HEAD"),
    (["range", "past^..HEAD^"], "pushed already: 1 of 3 commits"),
    (["range", "nowhere"], "'nowhere' is not a commit"),
    (["range", "..HEAD"], "'..HEAD' is not a range of commits"),
    (["range", "past...HEAD"], "'past...HEAD' is not a range of commits"),
    (["absorb", "past", "--allow-pushed"], "'past' does not reach up to HEAD"),
)
def test_what_cannot_be_cut_is_refused(
    past: Repo, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    past.git("update-ref", "refs/remotes/origin/main", "past^0")
    past.git("branch", "-f", "aside", past.git("commit-tree", "-p", "past", "-m", "x", "past^{tree}").strip())
    before = past.state()
    assert git_smart_commit([*words, "--yes"]) == GIT_FAILED
    assert said in capsys.readouterr().err
    assert past.state() == before


def test_commits_that_were_read_before_head_moved_are_refused(past: Repo) -> None:
    repository = Repository.find(str(past.path))
    commits = read_named_range(repository, "past")
    head = past.commit("feat: go on", {"more.txt": "x\n"})
    with pytest.raises(SplitPlanOutdated, match="HEAD has moved in the meantime"):
        cut_range(repository, commits, options=SplitOptions(yes=True), terminal=None, complain=print)
    assert past.git("rev-parse", "HEAD").strip() == head


def test_several_commits_below_a_merge_are_refused(past: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """What is merged begins in the middle of them."""
    merge_above(past)
    assert git_smart_commit(["range", "past^..past~0", "--yes", "--dry-run"]) == DONE
    assert git_smart_commit(["range", "past^..main~2", "--yes"]) == GIT_FAILED
    assert "there are merges above 'past^..main~2'" in capsys.readouterr().err


def test_a_commit_of_another_history_above_is_no_obstacle(past: Repo) -> None:
    """What a merge above brought in may have been pushed: it is not rewritten."""
    past.git("checkout", "-q", "-b", "upstream", "past^")
    upstream = past.commit("feat: go on upstream", {"up.txt": "x\n"})
    past.git("update-ref", "refs/remotes/origin/main", upstream)
    past.git("checkout", "-q", "main")
    past.git("merge", "-q", "-m", "Merge upstream", "upstream")
    assert_cut(past)
