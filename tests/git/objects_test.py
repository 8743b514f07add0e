"""What is read of git's objects, with a limit to each answer."""

from collections.abc import Callable

import pytest

from smartcommit.errors import GitError
from smartcommit.git import objects
from smartcommit.git.diff import list_changes
from smartcommit.git.repo import Repository
from tests.support.repository import Repo
from tests.support.table import rows


def watch() -> None:
    pass


@pytest.fixture
def found(repo: Repo) -> Repository:
    """A repository with two commits, and a staged change to one of two files."""
    repo.commit("feat: begin", {"a.txt": "one\ntwo\n", "dir/b.txt": "one\n"})
    repo.commit("fix: say more\n\nWhy.", {"a.txt": "one\ntwo\nthree\n"})
    repo.stage({"dir/b.txt": "one, staged\n"})
    return Repository.find(str(repo.path))


LAST = {"count": 2, "form": "%s"}


@rows(
    ("read", "arguments", "options", "expected"),
    (objects.read_blob, ("HEAD^", b"a.txt"), {}, (b"one\ntwo\n", True)),
    (objects.read_blob, (None, b"dir/b.txt"), {}, (b"one, staged\n", True)),
    (objects.search_tree, ("HEAD", "^t", b""), {}, [(b"a.txt", b"2", b"two"), (b"a.txt", b"3", b"three")]),
    (objects.search_tree, (None, "one", b"dir"), {}, [(b"dir/b.txt", b"1", b"one, staged")]),
    (objects.search_tree, (None, "none", b""), {}, []),
    (objects.read_log, ("HEAD", []), LAST, ["fix: say more", "feat: begin"]),
    (objects.read_log, ("HEAD", [b"dir"]), LAST, ["feat: begin"]),
)
def test_each_question_has_its_answer(
    found: Repository,
    read: Callable[..., object],
    arguments: tuple[object, ...],
    options: dict[str, object],
    expected: object,
) -> None:
    assert read(found, *arguments, **options, watch=watch) == expected


def test_lines_are_found_with_those_around_them() -> None:
    assert objects.search_lines("b", b"a\nb\nc\nd\n", context=1, watch=watch) == ["1-a", "2:b", "3-c"]


def test_names_and_sizes_are_looked_up(repo: Repo, found: Repository) -> None:
    assert objects.filter_tracked(found, "HEAD", [b"a.txt", b"dir/", b"new", b"a\nb"]) == [b"a.txt", b"dir/"]
    assert objects.filter_tracked(found, "HEAD", [b"a\nb"]) == []
    assert objects.read_sizes(found, repo.git("rev-parse", "HEAD:a.txt", "HEAD^:a.txt").split()) == [14, 8]
    assert objects.read_sizes(found, []) == []


def test_a_patch_has_the_paths_that_are_asked_for(found: Repository) -> None:
    patch, complete = objects.read_patch(found, "HEAD", None, [b"dir"], watch=watch)
    assert (b"-one\n+one, staged\n" in patch, complete) == (True, True)
    assert objects.read_patch(found, "HEAD", None, [b"a.txt"], watch=watch) == (b"", True)


def test_commits_are_read_with_their_patches(found: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = ["HEAD", "HEAD^"]
    (last, patch), (first, begun) = objects.read_commits(found, commits, watch=watch)
    assert (last, first) == (b"fix: say more\n\nWhy.\n", b"feat: begin\n")
    assert patch.endswith(b"@@ -2,0 +3 @@ two\n+three\n")
    monkeypatch.setattr(objects, "LIMIT", len(last + patch + first + begun) - 1)
    assert [message for message, _ in objects.read_commits(found, commits, watch=watch)] == [last]


def test_what_is_found_in_new_content_alone_is_new(
    repo: Repo, found: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "_PART_SIZE", 8)
    monkeypatch.setattr(objects, "_REPEATED_SIZE", 4)
    repo.stage({"a.txt": "one\ntwo\nsecret\n", "new.txt": "a secret\n"})
    repo.git("rm", "-q", "--cached", "dir/b.txt")
    changes = list_changes(found, "HEAD", None)

    def find(part: bytes) -> list[bytes]:
        return [word for word in (b"one", b"ecre") if word in part]

    assert objects.find_added(found, changes, find) == [(b"a.txt", b"ecre"), (b"new.txt", b"ecre")]


def test_messages_are_read_newest_first(found: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(found.worktree)
    monkeypatch.setattr(objects, "_CHUNK_SIZE", 7)
    read = [(each.parents, each.author, each.message) for each in objects.read_messages("HEAD")]
    assert read == [(1, "Ada Author", b"fix: say more\n\nWhy.\n"), (0, "Ada Author", b"feat: begin\n")]
    with pytest.raises(GitError, match="cannot read 'nowhere': ") as failed:
        list(objects.read_messages("nowhere"))
    assert "check the revision names" in (failed.value.hint or "")
