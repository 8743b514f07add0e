"""Content put together from hunks: any choice has one result, and what does not fit is noticed."""

import difflib
import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.errors import GitError
from smartcommit.git.diff import FileChange, FileDiff, Hunk, list_changes, read_change, read_diffs, read_small_change
from smartcommit.git.hunks import Text, divide_file, group_by_file, read_units
from smartcommit.git.repo import Repository
from tests.support.repository import Repo
from tests.support.situations_split import SITUATIONS
from tests.support.table import rows

LINE = st.sampled_from([b"a\n", b"b\n", b"\n", b"\r\n", b"a\rb\n", b"}\n"])
CONTENT = st.tuples(st.lists(LINE, max_size=12), st.sampled_from([b"", b"a", b"\r"])).map(
    lambda parts: b"".join(parts[0]) + parts[1]
)


def lines_of(content: bytes) -> list[bytes]:
    """The lines of `content` with their ends. Only a newline ends one, as for git."""
    return re.findall(rb"[^\n]*\n|[^\n]+", content)


def hunks_between(base: list[bytes], target: list[bytes]) -> list[Hunk]:
    """Hunks as git numbers them: from 1, and where a side has no lines the line before it."""
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, base, target, autojunk=False).get_opcodes():
        if tag != "equal":
            old, new = a + 1 if b > a else a, c + 1 if d > c else c
            found.append(Hunk(old, b - a, new, d - c, b"", base[a:b], target[c:d]))
    return found


@given(CONTENT, CONTENT, st.sets(st.integers(0, 12)))
def test_each_hunk_is_a_choice_between_base_and_target(base: bytes, target: bytes, chosen: set[int]) -> None:
    old, new = lines_of(base), lines_of(target)
    hunks = hunks_between(old, new)
    text = Text(base, target, hunks)
    assert text.is_exact()
    expected, position = [], 0
    for number, hunk in enumerate(hunks):
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        expected += old[position:start] + (hunk.added if number in chosen else hunk.removed)
        position = start + hunk.old_count
    assert text.compose(chosen & set(range(len(hunks)))) == b"".join(expected + old[position:])


def test_hunks_that_do_not_make_the_target_are_noticed() -> None:
    assert not Text(b"a\nb\n", b"a\nc\n", [Hunk(1, 1, 1, 1, b"", [b"a"], [b"a"])]).is_exact()


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("two_far_hunks", ["text", "text"]),
        ("adjacent_block", ["file"]),
        ("repeated_blocks", ["text", "text"]),
        ("mode_changed", ["text", "text", "mode", "file"]),
        ("lines_that_imitate_a_diff", ["text", "text"]),
        ("renamed", ["file", "file"]),
        ("binary", ["file"] * 5),
        ("diff_attributes", ["file", "file", "text", "text"]),
    ],
)
def test_what_can_be_cut_is_cut(based: Repo, name: str, kinds: list[str]) -> None:
    SITUATIONS[name](based)
    based.git("add", "-A")
    repository = Repository.find(str(based.path))
    target = based.git("write-tree").strip()
    assert [unit.kind for unit in read_units(repository, "HEAD", target, cut=True).units] == kinds
    assert {unit.kind for unit in read_units(repository, "HEAD", target, cut=False).units} == {"file"}


def test_a_group_of_hunks_has_the_new_mode_only_with_the_unit_of_that(based: Repo) -> None:
    SITUATIONS["mode_changed"](based)
    based.git("add", "-A")
    units = read_units(Repository.find(str(based.path)), "HEAD", based.git("write-tree").strip(), cut=True).units
    assert [unit.kind for unit in units[:3]] == ["text", "text", "mode"]
    for group, mode, count in ((units[:2], "100644", 2), (units[1:3], "100755", 1), (units[2:3], "100755", 0)):
        (diff,) = group_by_file(group)
        assert (diff.change.old_mode, diff.change.new_mode, len(diff.hunks)) == ("100644", mode, count)
        assert (diff.change.new_id == diff.change.old_id) == (not count)


@rows("blank", "false", "true")
def test_a_hunk_has_the_lines_around_it_in_the_new_text(based: Repo, blank: str) -> None:
    based.git("config", "diff.suppressBlankEmpty", blank)
    based.git("reset", "-q", "--hard")
    based.commit("chore: a", {"a.txt": "1\n2\n3\n\n5\n6\n7\n8\n9\n", "b.txt": f"{blank}\n"})
    based.stage({"a.txt": "1\n2\nthree\n\n6\n7\n8\nnine\n", "b.txt": "b\n"})
    repository, target = Repository.find(str(based.path)), based.git("write-tree").strip()
    changes = list_changes(repository, "HEAD", target, counts=False)
    diffs = read_diffs(repository, "HEAD", target, changes, limit=1 << 20, around=2)
    assert [(*hunk.before, b"|", *hunk.after) for hunk in diffs[0].hunks] == [
        (b"1", b"2", b"|", b""), (b"three", b"", b"|", b"6", b"7"), (b"7", b"8", b"|"),
    ]  # fmt: skip
    assert [hunk.added for hunk in diffs[1].hunks] == [[b"b"]]
    assert [hunk.numbers for hunk in diffs[0].hunks] == [(3, 1, 3, 1), (5, 1, 4, 0), (9, 1, 8, 1)]
    assert read_small_change(repository, "HEAD", target, limit=1 << 20, around=2) == diffs


def test_a_patch_may_be_cut_off_anywhere(based: Repo) -> None:
    based.write("base.txt", "one\n\ntwo\n")
    based.write("new.txt", "three\n")
    based.git("add", "-A")
    repository, target = Repository.find(str(based.path)), based.git("write-tree").strip()
    changes = list_changes(repository, "HEAD", target)
    whole = read_diffs(repository, "HEAD", target, changes, limit=1 << 20)
    for limit in range(0, 500, 7):
        diffs = read_diffs(repository, "HEAD", target, changes, limit=limit)
        assert [diff.change for diff in diffs] == [diff.change for diff in whole]
        assert diffs == whole or not all(diff.complete for diff in diffs)


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_change_that_is_read_at_once_is_that_of_two_reads(based: Repo, name: str) -> None:
    SITUATIONS[name](based)
    based.git("config", "diff.algorithm", "patience")
    based.write('odd\n@@ -1,2 +1,2 @@\ndiff --git a\t"é', "one\n")
    based.git("-c", "core.safecrlf=false", "add", "-A")
    repository, target = Repository.find(str(based.path)), based.git("write-tree").strip()
    changes = list_changes(repository, "HEAD", target)
    found = read_change(repository, "HEAD", target, limit=1 << 20)
    assert found == read_diffs(repository, "HEAD", target, changes, limit=1 << 20)
    assert any(diff.hunks for diff in found)


def test_only_files_before_the_one_that_the_limit_cuts_are_complete(
    based: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    based.stage({f"{name}.txt": "a line\n" * 100 for name in "abc"})
    repository, target = Repository.find(str(based.path)), based.git("write-tree").strip()
    changes = list_changes(repository, "HEAD", target)
    limits = {400: [False] * 3, 1300: [True, False, False], 2200: [True, True, False], 1 << 20: [True] * 3}
    for limit, expected in limits.items():
        assert [diff.complete for diff in read_diffs(repository, "HEAD", target, changes, limit=limit)] == expected
        assert [diff.complete for diff in read_change(repository, "HEAD", target, limit=limit)] == expected
    monkeypatch.setattr("smartcommit.git.diff.LIST_LIMIT", 99)
    for read in (list_changes, partial(read_change, limit=1 << 20)):
        with pytest.raises(GitError, match="too many changed files"):
            read(repository, "HEAD", target)


@rows(
    ("kind", "other", "is_same"),
    ("file", {"new_id": "3"}, False),
    ("file", {"new_mode": "100644"}, False),
    ("text", {"new_id": "3"}, True),
    ("text", {"line": b"three"}, False),
    ("text", {"gone": b"none"}, False),
    ("mode", {"new_id": "3"}, True),
    ("mode", {"line": b"three"}, True),
    ("mode", {"old_mode": "120000"}, False),
)
def test_a_unit_is_another_one_where_what_it_changes_is(kind: str, other: dict[str, str], is_same: bool) -> None:
    def find_fingerprint(
        *,
        new_id: str = "2",
        gone: bytes = b"one",
        line: bytes = b"two",
        old_mode: str = "100644",
        new_mode: str = "100755",
    ) -> str:
        change = FileChange("M", b"a.txt", None, old_mode, new_mode, "1" * 40, new_id * 40)
        hunks = [Hunk(1, 1, 1, 1, b"", [gone], [line])]
        text = None if kind == "file" else Text(gone + b"\n", line + b"\n", hunks)
        (found,) = [unit for unit in divide_file(FileDiff(change, hunks), text).units if unit.kind == kind]
        return found.fingerprint

    assert (find_fingerprint(**other) == find_fingerprint()) is is_same
