"""Where lines of HEAD come from in a range of commits, and where they are in each version."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from smartcommit.git.diff import ABSENT, Hunk
from smartcommit.git.repo import Repository
from smartcommit.rewrite.origins import BASE, LineHistory, LineRun, Origins, read_origins
from smartcommit.rewrite.owners import LOOSE, Step, find_loose, list_idle
from tests.support.repository import Repo
from tests.support.table import rows


@rows(
    ("owners", "lives", "idle"),
    ([0, 1], [(0, 1)], [0, 1]),
    ([0, 1], [(0, 1), (1, None)], [0]),
    ([0, 1], [(1, None), (0, 1)], [0]),
    ([0, 1], [(0, 1), (BASE, 0)], [1]),
    ([0, 1], [(0, 1), (BASE, None)], [0, 1]),
    ([0, 1, 0], [(0, 2)], []),
    ([0, LOOSE], [(0, 1)], []),
)
def test_who_has_no_line_left_in_a_file(
    owners: list[int], lives: list[tuple[int, int | None]], idle: list[int]
) -> None:
    assert list_idle([LineRun(born, died, 1) for born, died in lives], owners) == idle


# Lines that stay, and units that add or remove lines: 0 and 1 have an owner, 2 and 3 are loose.
STAYS = Step(BASE, None, 1)
OWN, OTHER, LOOSE_LINE = (Step(0, None, 1, adder=unit) for unit in (0, 1, 2))
LOOSE_REMOVED = Step(BASE, 1, 1, remover=3)


@rows(
    ("steps", "place", "unit"),
    ([OWN, OTHER, LOOSE_LINE], 0, 2),
    ([LOOSE_REMOVED, OTHER, OWN], 2, 3),
    ([LOOSE_REMOVED, OWN, LOOSE_LINE], 1, 2),
    ([OWN, STAYS, LOOSE_LINE], 0, None),
    ([LOOSE_LINE, STAYS, OWN], 2, None),
    ([OWN, OTHER], 0, None),
)
def test_what_is_loose_beside_lines_is_found_before_a_line_that_stays(
    steps: list[Step], place: int, unit: int | None
) -> None:
    assert find_loose(steps, place, [0, 1, LOOSE, LOOSE]) == unit


def test_a_place_needs_a_line_beside_it(repo: Repo) -> None:
    versions = ["one two three four", "one two four", "one two four five six"]
    histories = opened(repo, make_commits(repo, [[f"{word}\n" for word in words.split()] for words in versions]))
    places = [(0, 0, "new one two four"), (2, 0, "one two new four"), (3, 0, "one two four new"), (4, 0, None),
              (4, 1, "one two four five new six")]  # fmt: skip
    for line, since, words in places:
        history = with_lines(repo, histories)
        assert history.absorb(Hunk(line, 0, line + 1, 1, b"", [], [b"new"]), since) == (words is not None)
        if words is not None:
            assert history.compose(since).decode().split() == words.split()


def test_entries_have_the_modes_and_contents_of_their_versions(repo: Repo) -> None:
    repo.commit("chore: base", {"kept.txt": "kept\n"})
    repo.write("new.sh", "true\n", executable=True)
    repo.git("add", "new.sh")
    commits = [repo.commit("feat: add a script"), repo.commit("feat: keep more", {"kept.txt": "more\n"})]
    files = opened(repo, commits).files
    added, kept = files[b"new.sh"], files[b"kept.txt"]
    assert added.find_entry(BASE) is None
    assert added.find_entry(0) == added.find_entry(1)
    assert (added.changes[0].old_mode, added.changes[0].new_mode) == (ABSENT, "100755")
    for number, commit in enumerate(commits):
        entry = kept.find_entry(number)
        assert entry.oid == repo.git("rev-parse", f"{commit}:kept.txt").strip()


@pytest.mark.parametrize("content", [b"\0\n", b"one\0\ntwo\n"])
def test_what_is_no_text_once_has_no_lines(repo: Repo, content: bytes) -> None:
    repo.commit("chore: base", {"a.bin": "one\n"})
    commits = [repo.commit("feat: no text", {"a.bin": content}), repo.commit("feat: text again", {"a.bin": "one\n"})]
    assert not opened(repo, commits).files[b"a.bin"].is_text


def test_settings_of_the_user_change_nothing(repo: Repo) -> None:
    for setting in ("diff.noprefix", "log.follow", "diff.submodule=log", "diff.orderFile=/dev/null", "diff.context=9"):
        name, _, value = setting.partition("=")
        repo.git("config", name, value or "true")
    repo.commit("chore: base", {"a.txt": "one\n", "commit": "1\n"})
    commits = [
        repo.commit("feat: change both\n\ndiff --git a/x b/x\n", {"a.txt": "one\n@@ -1 +1 @@\n", "commit": "2\n"}),
        repo.commit("feat: nothing"),
    ]
    origins = opened(repo, commits)
    assert [[diff.change.path for diff in diffs] for diffs in origins.diffs] == [[b"a.txt", b"commit"], []]
    assert origins.files[b"a.txt"].list_origins(range(2)) == [BASE, 0]


@pytest.mark.parametrize("seed", range(4))
def test_lines_are_followed_through_many_versions(repo: Repo, seed: int) -> None:
    versions = list(make_versions(random.Random(seed), 12))
    _, *later = versions
    origins = opened(repo, make_commits(repo, versions))
    head = later[-1]
    born = [min(n for n, lines in enumerate(versions) if line in lines) - 1 for line in head]
    history = with_lines(repo, origins)
    assert history.list_origins(range(len(head))) == born
    assert list(map(history.compose, range(len(later)))) == list(map(join, later))
    for start in range(len(head)):
        for count in (1, 2, 3):
            wanted = head[start : start + count]
            hunk = Hunk(start + 1, len(wanted), start + 1, 1, b"", [], [b"new"])
            for since in range(len(later)):
                changed = replace(history)
                expected = replace_in_all(later[since:], wanted)
                assert changed.absorb(hunk, since) == (expected is not None)
                if expected is not None:
                    found = list(map(changed.compose, range(len(later))))
                    assert found == list(map(join, later[:since] + expected))


def make_commits(repo: Repo, versions: Sequence[list[str]]) -> list[str]:
    """Commit each version of a file; return those after the first."""
    return [repo.commit(f"feat: step {n}", {"a.txt": join(lines)}) for n, lines in enumerate(versions)][1:]


def join(lines: Sequence[str]) -> bytes:
    return "".join(lines).encode()


def with_lines(repo: Repo, origins: Origins) -> LineHistory:
    """The history of the file with the lines of all its versions."""
    history = replace(origins.files[b"a.txt"])
    history.runs = history.read_base(repo.run("cat-file", "blob", history.changes[0].old_id).stdout)
    return history


def make_versions(chance: random.Random, count: int) -> Sequence[list[str]]:
    """Versions of a file in which no line occurs twice, or comes back."""
    numbers = iter(range(10_000))
    lines = [f"{next(numbers)}\n" for _ in range(8)]
    versions = [lines]
    for _ in range(count):
        lines = list(lines)
        for _ in range(chance.randint(1, 3)):
            start = chance.randint(0, len(lines))
            end = start + chance.choice((0, 0, 1, 2))
            lines[start:end] = [f"{next(numbers)}\n" for _ in range(chance.randint(0, 3))]
        versions.append([*lines, f"{next(numbers)}\n"])
        lines = versions[-1]
    return versions


def replace_in_all(versions: Sequence[list[str]], wanted: list[str]) -> list[list[str]] | None:
    """The versions with a new line for those that are wanted, None if these do not stand together in all."""
    replaced = []
    for lines in versions:
        found = [n for n in range(len(lines)) if lines[n : n + len(wanted)] == wanted]
        if not found:
            return None
        replaced.append([*lines[: found[0]], "new\n", *lines[found[0] + len(wanted) :]])
    return replaced


def opened(repo: Repo, commits: Sequence[str]) -> Origins:
    return read_origins(Repository.find(str(repo.path)), commits)
