"""A split of some paths: these are committed as `git add -A` would have them, and everything else stays as it is."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Pathspecs
from smartcommit.git.transaction.undo import undo
from smartcommit.split.outcome import DONE, GIT_FAILED, NOTHING
from smartcommit.split.plan_file import read_plan
from smartcommit.split.source import EngineOptions, SplitOptions
from tests.support.repository import Repo
from tests.support.situations_split import FORTY, SITUATIONS, contents, edited
from tests.support.splitting import (
    add_all_tree,
    assert_line,
    assert_sound,
    choose_from,
    flags_of,
    head_of,
    list_index,
    list_tree,
    read_states,
    run_with,
)


def split_paths(repo: Repo, *words: str, below: str = "", staged: bool = False) -> tuple[int, str, list[str]]:
    options = SplitOptions(paths=Pathspecs(str(repo.path / below), words))
    return run_with(repo, options, staged=staged)


def is_behind_link(repo: Repo, path: str) -> bool:
    return any((repo.path / folder).is_symlink() for folder in Path(path).parents)


@pytest.mark.parametrize("name", SITUATIONS)
def test_of_every_situation_the_paths_are_committed_and_nothing_else_changes(based: Repo, name: str) -> None:
    SITUATIONS[name](based)
    based.write("other.txt", "staged\n")
    based.write("again.txt", FORTY)
    based.git("-c", "core.safecrlf=false", "add", "other.txt", "again.txt")
    based.write("again.txt", edited(FORTY, 3))
    # git itself refuses to look behind a link.
    paths = sorted(path for path in read_states(based) if not path.endswith("/") and not is_behind_link(based, path))
    chance = random.Random(name)
    chosen = set(chance.sample(paths, (len(paths) + 1) // 2))
    everything = list_tree(based, add_all_tree(based))
    words = [f":(top,literal){path}" for path in sorted(chosen)]
    # A path stands for what is below it, too.
    chosen |= {path for path in list_tree(based, "HEAD") if not chosen.isdisjoint(map(str, Path(path).parents))}
    old, states, index = head_of(based), read_states(based), list_index(based)
    files, flags = contents(based.path), flags_of(based)
    status, _, said = split_paths(based, *words)
    before, after = list_tree(based, old), list_tree(based, "HEAD")
    if status == NOTHING:
        assert all(everything.get(path) == before.get(path) for path in chosen), said
        return
    assert status == DONE, said
    for path in {*before, *everything}:
        expected = everything if path in chosen else before
        assert after.get(path) == expected.get(path), path
    others = set(states) - chosen
    now = read_states(based)
    assert choose_from(now, others) == choose_from(states, others)
    assert not {path for path in chosen if now.get(path) and everything.get(path) != before.get(path)}
    assert choose_from(list_index(based), others) == choose_from(index, others)
    assert (contents(based.path), flags_of(based)) == (files, flags)
    assert_line(based, old)
    assert_sound(based)
    undo(Repository.find(str(based.path)))
    assert (head_of(based), list_index(based), read_states(based)) == (old, index, states)


@pytest.mark.parametrize(
    ("words", "below", "committed"),
    [
        (("d",), "", {"d/a.txt", "d/new.py", "d/x/b.txt"}),
        (("a.txt", "x"), "d", {"d/a.txt", "d/x/b.txt"}),
        (("*.txt",), "", {"a.txt", "gone.txt", "d/a.txt", "d/x/b.txt"}),
        ((":(glob)*.txt",), "", {"a.txt", "gone.txt"}),
        ((".", ":!x"), "d", {"d/a.txt", "d/new.py"}),
        ((":/",), "d", {"a.txt", "gone.txt", "d/a.txt", "d/new.py", "d/x/b.txt"}),
        (("gone.txt",), "", {"gone.txt"}),
        (("d/new.py",), "", {"d/new.py"}),
    ],
)
def test_paths_are_gits_pathspecs(repo: Repo, words: tuple[str, ...], below: str, committed: set[str]) -> None:
    old = repo.commit("chore: base", dict.fromkeys(("a.txt", "gone.txt", "d/a.txt", "d/x/b.txt"), "1\n"))
    for name in ("a.txt", "d/a.txt", "d/x/b.txt", "d/new.py"):
        repo.write(name, "2\n")
    repo.git("rm", "-q", "gone.txt")
    assert split_paths(repo, *words, below=below)[0] == DONE
    assert set(repo.git("diff-tree", "-r", "--name-only", old, "HEAD").split()) == committed


def test_with_staged_the_index_of_the_paths_is_committed(repo: Repo) -> None:
    repo.commit("chore: base", {"a.txt": FORTY, "b.txt": "1\n"})
    repo.stage({"a.txt": edited(FORTY, 3), "b.txt": "2\n"})
    repo.write("a.txt", edited(FORTY, 3, 30))
    index = list_index(repo)
    assert split_paths(repo, "a.txt", staged=True)[0] == DONE
    assert repo.git("show", "HEAD:a.txt") == edited(FORTY, 3)
    assert (list_index(repo), read_states(repo)) == (index, {"a.txt": " M", "b.txt": "M "})


# What is staged, the lines whose edits are committed, and what the index has then, unless the two cannot be combined.
@pytest.mark.parametrize(
    ("staged", "lines", "indexed"),
    [
        (edited(FORTY, 3), (15,), edited(FORTY, 3, 15)),
        (edited(FORTY, 3, 15, 30), (3, 15), edited(FORTY, 3, 15, 30)),
        (FORTY, (3, 15), edited(FORTY, 3, 15)),
        (FORTY.replace("line 15", "between"), (15,), None),
    ],
)
def test_a_part_of_a_file_is_committed_beside_what_is_staged_of_it(
    repo: Repo, staged: str, lines: tuple[int, ...], indexed: str | None
) -> None:
    repo.commit("chore: base", {"a.txt": FORTY})
    repo.stage({"a.txt": staged})
    repo.git("update-index", "--chmod=+x", "a.txt")
    repo.write("a.txt", edited(FORTY, 3, 15, 30))
    options = SplitOptions(paths=Pathspecs(str(repo.path), ["a.txt"]), choice=EngineOptions(strategy="hunk"))
    plan = json.loads(run_with(repo, replace(options, json=True), yes=False)[1])
    units = [unit for commit in plan["commits"] for unit in commit["units"]]
    chosen = [unit for unit in units if unit["hunks"] and unit["hunks"][0]["old_start"] - 1 in lines]
    plan["commits"] = [{"message": "chore: a", "units": chosen}]
    plan["skipped"] = [unit for unit in units if unit not in chosen]
    before = repo.state()
    status, _, said = run_with(repo, replace(options, plan=read_plan(json.dumps(plan))))
    if indexed is None:
        assert (status, repo.state()) == (GIT_FAILED, before)
        assert "what is staged of 'a.txt' cannot be combined with a part of the change" in said[0]
        return
    assert status == DONE, said
    assert repo.git("show", "HEAD:a.txt") == edited(FORTY, *lines)
    assert repo.git("show", ":a.txt") == indexed
    assert repo.git("ls-files", "-s", "a.txt").startswith("100755")


def test_a_folder_takes_the_place_of_a_file_that_was_only_staged(repo: Repo) -> None:
    repo.commit("chore: base", {"a.txt": "1\n"})
    repo.stage({"d": "1\n", "b.txt": "1\n"})
    (repo.path / "d").unlink()
    repo.write("d/new.txt", "2\n")
    old, index, states = head_of(repo), list_index(repo), read_states(repo)
    status, printed, said = split_paths(repo, "d")
    assert status == DONE, said
    assert "staged content replaced by the working tree's: d\n" in printed
    assert (set(list_tree(repo, "HEAD")), read_states(repo)) == ({"a.txt", "d/new.txt"}, {"b.txt": "A "})
    undo(Repository.find(str(repo.path)))
    assert (head_of(repo), list_index(repo), read_states(repo)) == (old, index, states)


@pytest.mark.parametrize("word", ["d", "d/new.txt"])
def test_a_folder_takes_the_place_of_a_file_that_is_no_longer_in_the_index(repo: Repo, word: str) -> None:
    repo.commit("chore: base", {"b.txt": "1\n", "d": "1\n"})
    repo.git("rm", "-q", "d")
    repo.write("d/new.txt", "2\n")
    repo.stage({"b.txt": "2\n"})
    old, index, states = head_of(repo), list_index(repo), read_states(repo)
    status, _, said = split_paths(repo, word)
    assert status == DONE, said
    assert (set(list_tree(repo, "HEAD")), read_states(repo)) == ({"b.txt", "d/new.txt"}, {"b.txt": "M "})
    undo(Repository.find(str(repo.path)))
    assert (head_of(repo), list_index(repo), read_states(repo)) == (old, index, states)


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_was_staged_under_a_flag_keeps_it(repo: Repo, flag: str) -> None:
    repo.commit("chore: base", {"a.txt": "1\n"})
    repo.stage({"a.txt": "2\n", "b.txt": "1\n"})
    repo.git("update-index", flag, "a.txt")
    index = list_index(repo)
    status, _, said = split_paths(repo, "a.txt")
    assert status == DONE, said
    assert list_index(repo) == index
    undo(Repository.find(str(repo.path)))
    assert list_index(repo) == index


def test_a_secret_elsewhere_is_not_read_and_one_that_is_named_is_left_out(repo: Repo) -> None:
    repo.commit("chore: base", {"a.txt": "1\n", "d/b.txt": "1\n"})
    repo.write("a.txt", "2\n")
    repo.write(".env", "TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ456789\n")
    repo.write("node_modules/a/index.js", "x\n")
    blob = repo.git("hash-object", ".env").strip()
    status, _, said = split_paths(repo, "a.txt")
    assert (status, said) == (DONE, [])
    status, _, said = split_paths(repo, ".env")
    assert status == NOTHING
    assert ".env" in said[0]
    # git takes pathspecs that only exclude as those of all paths, wherever they are written.
    repo.write("d/b.txt", "2\n")
    status, printed, said = split_paths(repo, ":!a.txt", below="d")
    assert status == DONE
    assert "one commit: the change stays together" in printed, "the plan has nothing else"
    assert all(name in "\n".join(said) for name in (".env", "node_modules/"))
    assert repo.run("cat-file", "-e", blob).returncode != 0


def test_a_path_that_nothing_matches_is_refused(repo: Repo) -> None:
    repo.commit("chore: base", {"a.txt": "1\n"})
    repo.write("a.txt", "2\n")
    status, _, said = split_paths(repo, "b.txt")
    assert status == GIT_FAILED
    assert said == [
        "smartcommit: 'git add' failed: pathspec 'b.txt' did not match any files\nhint: nothing was changed"
    ]
    assert read_states(repo) == {"a.txt": " M"}


def test_paths_of_a_repository_without_commits_become_its_first_ones(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.write("a.txt", "1\n")
    repo.stage({"b.txt": "1\n"})
    assert split_paths(repo, "a.txt")[0] == DONE
    assert (set(list_tree(repo, "HEAD")), read_states(repo)) == ({"a.txt"}, {"b.txt": "A "})
