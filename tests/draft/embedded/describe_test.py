"""How much a description tells: the number of its points, the length of what it quotes."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.describe import points, summaries
from smartcommit.git.diff import FileChange, FileDiff
from smartcommit.git.hunks import Hunk
from tests.support.table import rows


def submodule(path: bytes = b"lib") -> FileDiff:
    return FileDiff(FileChange("M", path, None, "160000", "160000", "1" * 40, "2" * 40), [])


def changed(path: str, removed: list[str], added: list[str]) -> FileDiff:
    change = FileChange("M", path.encode(), None, "100644", "100644", "1" * 40, "2" * 40)
    lines = ([line.encode() for line in removed], [line.encode() for line in added])
    return FileDiff(change, [Hunk(1, len(removed), 1, len(added), b"", *lines)])


@rows(("commits", "last"), [(6, ["add 5"]), (7, ["2 more commits"]), (30, ["25 more commits"])])
def test_a_description_has_at_most_six_points(commits: int, last: list[str]) -> None:
    found = points(ChangeFacts([submodule()]), {b"lib": [f"add {number}" for number in range(commits)]})
    assert len(found) == 6
    assert found[-1] == last


def test_long_subjects_of_a_submodule_are_cut() -> None:
    change = ChangeFacts([submodule()])
    assert summaries(change, {b"lib": ["x" * 60]})[0] == "update submodule lib: " + "x" * 60
    assert summaries(change, {b"lib": ["x" * 61]})[0] != "update submodule lib: " + "x" * 61
    assert points(change, {b"lib": ["x" * 68, "y" * 69]})[0] == ["x" * 68]
    assert points(change, {b"lib": ["x" * 68, "y" * 69]})[1] != ["y" * 69]


@rows(("length", "told"), [(39, True), (40, False)])
def test_only_short_versions_are_told(length: int, told: bool) -> None:
    version = "2.111111.111111.111111rc" + "1" * (length - 24)
    change = ChangeFacts([changed("package.json", ['  "react": "1.0.0",'], [f'  "react": "{version}",'])])
    assert (f"bump react from 1.0.0 to {version}" in summaries(change)) == told


@rows(("files", "told"), [(50, True), (51, False)])
def test_of_too_many_files_only_the_names_are_told(files: int, told: bool) -> None:
    found = [changed(f"src/{number}.py", [], ["def read_user():", "    pass"]) for number in range(files)]
    assert any("read" in sentence for sentence in summaries(ChangeFacts(found))) == told
