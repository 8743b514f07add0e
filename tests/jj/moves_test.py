"""jj makes changes of commits in operations that nobody sees before all of them are made and verified."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from smartcommit.errors import JjError, NothingToUndo
from smartcommit.git.fast_import import WrittenCommit
from smartcommit.git.repo import Repository
from smartcommit.jj.moves import HiddenOperations, WantedChange, rewrite_changes, undo_split
from smartcommit.jj.run import JjChange, find_jj_repository, lock, read_change, read_changes
from tests.support.workspace import Workspace

# A path's mode and content; None deletes it.
Files = Mapping[bytes, tuple[str, bytes] | None]

# Names, modes and contents that a file system or a setting could alter.
ODD: Files = {
    b"crlf.txt": ("100644", b"one\r\ntwo\r\nno newline at the end"),
    b"run.sh": ("100755", b"#!/bin/sh\n"),
    b"link": ("120000", b"no such file"),
    b"binary": ("100644", b"\0\1\2\xff"),
    b' d\xc3\xa9j\xc3\xa0 "vu"\\\n[*].txt': ("100644", b"odd\n"),
    b"JJ-INSTRUCTIONS": ("100644", b"a name that jj uses itself\n"),
    b"ignored.log": ("100644", b"tracked, though it is ignored\n"),
    b"module": ("160000", b""),
    b"folder": None,
    b"folder/becomes/a/directory": ("100644", b"below what was a file\n"),
    b"large": ("100644", b"x" * (2 << 20)),
}


class Store:
    """jj's git repository, where commits are written without jj."""

    def __init__(self, workspace: Workspace) -> None:
        self.root = str(workspace.path)
        self.repository: Repository = find_jj_repository(self.root)

    def git(self, *arguments: str, stdin: bytes = b"", **environment: str) -> str:
        run = subprocess.run(
            ["git", f"--git-dir={self.repository.git_dir}", *arguments],
            input=stdin,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            check=True,
        )
        return run.stdout.decode().strip()

    def chain(self, base: str, *steps: Files) -> list[WrittenCommit]:
        """Commits that change these files, one on top of the other, the first one on a copy of `base`."""
        index = {"GIT_INDEX_FILE": os.path.join(self.root, ".jj", "index-of-the-test")}
        self.git("read-tree", base, **index)
        base = self.git("commit-tree", f"{base}^{{tree}}", "-m", "copy")
        made = []
        for number, files in enumerate(steps, start=1):
            lines = []
            for path, entry in files.items():
                mode, content = entry or ("0", b"")
                blob = "0" * 40
                if mode == "160000":
                    blob = "1" * 40
                elif entry is not None:
                    blob = self.git("hash-object", "-w", "--stdin", stdin=content)
                lines.append(b"%s %s\t%s\0" % (mode.encode(), blob.encode(), path))
            self.git("update-index", "-z", "--index-info", stdin=b"".join(lines), **index)
            tree = self.git("write-tree", **index)
            base = self.git("commit-tree", tree, "-p", base, "-m", f"feat: step {number}")
            made.append(WrittenCommit(base, tree))
        return made

    def trees(self, changes: Sequence[JjChange]) -> list[str]:
        return [self.git("rev-parse", f"{change.commit_id}^{{tree}}") for change in changes]


@pytest.fixture
def store(workspace: Workspace) -> Store:
    return fill(workspace)


def fill(workspace: Workspace) -> Store:
    """The git repository of a workspace with a base and a change at work."""
    (workspace.path / ".gitignore").write_text("*.log\n")
    (workspace.path / "text").write_text("a\nb\nc\n")
    (workspace.path / "folder").write_text("a file\n")
    workspace.jj("commit", "-m", "chore: base")
    (workspace.path / "text").write_text("A\nB\nC\n")
    workspace.jj("describe", "-m", "the change at work")
    return Store(workspace)


def insert(store: Store, *steps: Files) -> tuple[JjChange, list[JjChange], list[WrittenCommit]]:
    """The change at work before, the new changes, and the commits that they were made of."""
    with lock(store.root):
        hidden = HiddenOperations(store.root, store.repository)
        (change,) = hidden.read("@")
        commits = store.chain(change.parents[0], *steps)
        wanted = []
        for number, commit in enumerate(commits, start=1):
            wanted.append(WantedChange(commit, f"feat: step {number}\n", None))
        return change, rewrite_changes(hidden, store.repository, change, old=(), wanted=wanted), commits


def test_whatever_a_commit_has_is_in_the_change(workspace: Workspace, store: Store) -> None:
    workspace.configure(
        "working-copy.eol-conversion=input-output", "working-copy.exec-bit-change=ignore", "ui.quiet=true",
        "snapshot.max-new-file-size=1", "templates.commit_trailers='Change-Id: mine'", "ui.diff-instructions=true",
        "templates.duplicate_description='not this'",
    )  # fmt: skip
    half: Files = {b"text": ("100644", b"A\nb\nc\n")}
    back: Files = dict.fromkeys([path for path in ODD if path != b"folder"])
    change, made, commits = insert(store, half, ODD, {**back, b"folder": ("100644", b"a file\n")})
    assert store.trees(made) == [commit.tree for commit in commits]
    assert [one.description for one in made] == ["feat: step 1\n", "feat: step 2\n", "feat: step 3\n"]
    now = read_change(store.root, snapshot=True)
    assert store.trees([now]) == store.trees([change])
    assert (now.change_id, now.description, now.conflict) == (change.change_id, change.description, False)
    assert (workspace.path / "text").read_text() == "A\nB\nC\n"
    assert workspace.jj("diff", "--git", "-r", "@").count("\n-") == 3  # with the name of the file


def test_all_of_it_is_one_operation_for_jj(workspace: Workspace, store: Store) -> None:
    workspace.jj("bookmark", "create", "mine", "-r", "@")
    before = workspace.operation
    change, made, _ = insert(store, {b"text": ("100644", b"A\nB\nC\n")})
    assert workspace.jj("op", "log", "-n2", "--no-graph", "-T", 'self.id() ++ "\\n"').split()[1] == before
    # Nothing is left in the change, so its bookmark is where its content is.
    now = read_change(store.root, snapshot=True)
    assert now.empty
    assert not now.bookmarks
    assert workspace.jj("log", "--no-graph", "-r", "mine", "-T", "change_id") == made[0].change_id
    assert "smartcommit" not in workspace.jj("bookmark", "list", "--all-remotes")
    assert "smartcommit" not in store.git("for-each-ref")
    workspace.jj("undo")
    assert read_change(store.root, snapshot=True).commit_id == change.commit_id


def test_undo_keeps_what_was_edited_since(workspace: Workspace, store: Store) -> None:
    change, _, _ = insert(store, {b"text": ("100644", b"A\nb\nc\n")})
    (workspace.path / "later").write_text("later\n")
    with lock(store.root):
        undo_split(store.root)
    with pytest.raises(NothingToUndo, match="nothing to undo"):
        undo_split(store.root)
    now = read_change(store.root, snapshot=True)
    assert (now.change_id, now.parents) == (change.change_id, change.parents)
    assert (workspace.path / "later").read_text() == "later\n"
    assert workspace.jj("diff", "--summary").split("\n")[:2] == ["A later", "M text"]


def test_undo_is_refused_after_other_operations(workspace: Workspace, store: Store) -> None:
    before = workspace.operation
    insert(store, {b"text": ("100644", b"A\nb\nc\n")})
    workspace.jj("new")
    after = workspace.operation
    with pytest.raises(JjError, match="other operations came after") as refused:
        undo_split(store.root)
    assert refused.value.hint is not None
    assert before[:12] in refused.value.hint
    assert workspace.operation == after


def test_nothing_changes_if_jj_would_make_something_else(workspace: Workspace, store: Store) -> None:
    before = workspace.operation
    with lock(store.root):
        hidden = HiddenOperations(store.root, store.repository)
        (change,) = hidden.read("@")
        (commit,) = store.chain(change.parents[0], {b"text": ("100644", b"A\nb\nc\n")})
        wrong = WantedChange(WrittenCommit(commit.commit, store.repository.empty_tree), "feat: step 1\n", None)
        with pytest.raises(JjError, match="would not make exactly these changes"):
            rewrite_changes(hidden, store.repository, change, old=(), wanted=[wrong])
    assert workspace.operation == before
    assert "smartcommit" not in store.git("for-each-ref")


def test_other_changes_to_references_are_not_imported(workspace: Workspace, store: Store) -> None:
    store.git("update-ref", "refs/heads/elsewhere", read_change(store.root, snapshot=True).parents[0])
    before = workspace.operation
    with pytest.raises(JjError, match="branches or tags have changed"):
        insert(store, {b"text": ("100644", b"A\nb\nc\n")})
    assert workspace.operation == before


def test_a_branch_that_a_killed_split_has_left_goes_away(workspace: Workspace, tmp_path: Path) -> None:
    shared = Workspace.init(tmp_path / "shared", "--colocate")
    store = fill(shared)
    base = read_change(store.root, snapshot=True).parents[0]
    (left,) = store.chain(base, {b"text": ("100644", b"left\n")})
    store.git("update-ref", "refs/heads/smartcommit-split-0123456789ab", left.commit)
    # Where git shares the repository, any jj command imports the branch.
    assert "smartcommit" in shared.jj("bookmark", "list", "--all-remotes")
    insert(store, {b"text": ("100644", b"A\nb\nc\n")})
    assert "smartcommit" not in store.git("for-each-ref")
    assert "smartcommit" not in shared.jj("bookmark", "list", "--all-remotes")
    assert len(read_changes(store.root, "visible_heads()")) == 1


def rewrite(store: Store, *wanted: tuple[str, Files, str | None]) -> tuple[list[JjChange], list[WrittenCommit]]:
    """Make of the changes above the base those with these messages, files and ids."""
    with lock(store.root):
        hidden = HiddenOperations(store.root, store.repository)
        (change,) = hidden.read("@")
        old = hidden.read("description(substring:'chore: base')..@-")[::-1]
        commits = store.chain(old[0].parents[0], *(files for _, files, _ in wanted))
        made = []
        for (message, _, name), commit in zip(wanted, commits, strict=True):
            made.append(WantedChange(commit, message, name))
        return rewrite_changes(hidden, store.repository, change, old=old, wanted=made), commits


@pytest.fixture
def stack(workspace: Workspace, store: Store) -> list[JjChange]:
    """Three changes below the one at work, each with a bookmark, and one beside them."""
    for number in range(3):
        (workspace.path / f"file{number}").write_text(f"{number}\n")
        workspace.jj("commit", "-m", f"feat: file {number}")
        workspace.jj("bookmark", "create", f"mark{number}", "-r", "@-")
    workspace.jj("new", "mark1", "-m", "feat: beside")
    (workspace.path / "beside").write_text("beside\n")
    workspace.jj("new", "mark2", "-m", "at work")
    (workspace.path / "text").write_text("A\nb\nC\n")
    return read_changes(store.root, "description(substring:'chore: base')..@-")[::-1]


def test_changes_are_reordered_kept_and_left(workspace: Workspace, store: Store, stack: list[JjChange]) -> None:
    before = read_change(store.root, snapshot=True)
    first, second, third = stack
    wanted = (
        ("feat: file 2\n", {b"text": ("100644", b"a\nB\nc\n")}, third.change_id),
        ("feat: step 2\n", {b"text": ("100644", b"x\n"), b"new": ("100755", b"new\n")}, None),
        ("feat: file 0, better\n", {b"file0": ("100644", b"zero\n")}, first.change_id),
    )
    made, commits = rewrite(store, *wanted)
    assert store.trees(made) == [commit.tree for commit in commits]
    assert [one.description for one in made] == [message for message, _, _ in wanted]
    assert [one.change_id for one in made[::2]] == [third.change_id, first.change_id]
    assert [list(one.bookmarks) for one in made] == [["mark2"], [], ["mark0", "mark1"]]
    now = read_change(store.root, snapshot=True)
    assert (now.change_id, now.description, now.conflict) == (before.change_id, before.description, False)
    assert store.trees([now]) == store.trees([before])
    assert not read_changes(store.root, f"present({second.change_id})")
    workspace.jj("undo")
    assert read_change(store.root, snapshot=True).commit_id == before.commit_id
