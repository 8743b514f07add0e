"""The law of a split: git's own `add -A` tree, an untouched working tree, a clean status, one line of commits."""

import itertools
import os
import time
from pathlib import Path

import pytest

from smartcommit.git.repo import Repository
from smartcommit.git.transaction.undo import undo
from smartcommit.split.outcome import CANCELLED, DONE, GIT_FAILED, NOTHING
from smartcommit.split.source import SplitOptions
from tests.support.languages import translate_git
from tests.support.repository import Repo
from tests.support.situations_split import HOSTILE_SETTINGS, SITUATIONS, contents
from tests.support.splitting import (
    add_all_tree,
    assert_line,
    assert_sound,
    flags_of,
    head_of,
    joined_index,
    run,
    run_with,
    split,
    status_of,
)  # fmt: skip

# The others make fewer and larger commits of the same parts, so each situation has one of them, in turn.
OTHERS = zip(SITUATIONS, itertools.cycle(("hunk", "file", "directory")))
STRATEGIES = [
    *((name, "auto") for name in SITUATIONS),
    *(pytest.param(name, strategy, marks=pytest.mark.slow) for name, strategy in OTHERS),
]


@pytest.mark.parametrize(("name", "strategy"), STRATEGIES)
def test_every_situation_is_split_without_a_loss(based: Repo, name: str, strategy: str) -> None:
    SITUATIONS[name](based)
    expected, old, files, flags = add_all_tree(based), head_of(based), contents(based.path), flags_of(based)
    status, index = status_of(based), joined_index(based)
    (based.path / ".git/hook-ran").unlink(missing_ok=True)
    assert run(based, strategy=strategy)[0] == DONE
    assert not (based.path / ".git/hook-ran").exists()
    assert based.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert contents(based.path) == files
    assert flags_of(based) == flags
    assert status_of(based, "--ignore-submodules=dirty") == ""
    assert_line(based, old)
    assert_undone(based, old, index, status, files)
    if strategy == "auto":
        assert_staged_is_split(based)


def assert_undone(repo: Repo, old: str, index: bytes, status: str, files: object) -> None:
    """Undo the split, and assert that HEAD and index are byte for byte what they were."""
    reference = repo.run("symbolic-ref", "HEAD").stdout
    undo(Repository.find(str(repo.path)))
    assert (repo.path / ".git/index").read_bytes() == index
    assert (head_of(repo), repo.run("symbolic-ref", "HEAD").stdout) == (old, reference)
    assert contents(repo.path) == files
    assert status_of(repo) == status
    assert_sound(repo)


def assert_staged_is_split(repo: Repo) -> None:
    """Split what is staged beside a file that is staged in part, and assert that the rest stays."""
    repo.write("both.txt", "staged\n")
    repo.git("-c", "core.safecrlf=false", "add", "both.txt")
    repo.write("both.txt", "staged\nnot staged\n")
    expected, old, before = repo.git("write-tree").strip(), head_of(repo), joined_index(repo)
    status = status_of(repo)
    files, unstaged = contents(repo.path), repo.git("diff-files", "-p", "--binary", "--no-ext-diff", "--no-textconv")
    assert run(repo, staged=True)[0] == DONE
    assert repo.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert (repo.path / ".git/index").read_bytes() == before
    assert contents(repo.path) == files
    assert repo.git("diff-files", "-p", "--binary", "--no-ext-diff", "--no-textconv") == unstaged
    assert repo.git("diff-index", "--cached", "--ita-invisible-in-index", "--ignore-submodules=none", "HEAD") == ""
    assert_line(repo, old)
    assert_undone(repo, old, before, status, files)


@pytest.mark.parametrize("staged", [False, True])
def test_the_first_commit_of_a_repository_can_be_a_split(repo: Repo, staged: bool) -> None:
    repo.stage({"src/a.py": "a = 1\n", "docs/a.md": "# a\n"})
    repo.write("left.txt", "x\n")
    before = status_of(repo)
    expected = repo.git("write-tree").strip() if staged else add_all_tree(repo)
    assert run(repo, staged=staged, strategy="file")[0] == DONE
    assert repo.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert status_of(repo) == ("?? left.txt\0" if staged else "")
    assert len(assert_line(repo, "")) == (2 if staged else 3)
    undo(Repository.find(str(repo.path)))
    assert (head_of(repo), status_of(repo)) == ("", before)
    assert run(repo)[0] == DONE
    assert_sound(repo)


@pytest.mark.parametrize("options", [("--object-format=sha256",), ("--separate-git-dir=../elsewhere",)])
def test_other_layouts_of_a_repository_are_split(tmp_path: Path, options: tuple[str, ...]) -> None:
    repo = Repo.init(tmp_path / "repo", *(option.replace("../", f"{tmp_path}/") for option in options))
    repo.commit("chore: base", {"a.txt": "a\n"})
    repo.write("a.txt", "b\n")
    repo.write("d/new.txt", "x\n")
    old, expected = head_of(repo), add_all_tree(repo)
    assert run(repo)[0] == DONE
    assert repo.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert status_of(repo) == ""
    assert_line(repo, old)


@pytest.mark.parametrize("name", ["other", 'ot:"her'])
def test_a_repository_that_borrows_as_deeply_as_git_allows_is_split(tmp_path: Path, name: str) -> None:
    last = Repo.init(tmp_path / f"{name}0")
    head = last.commit("chore: base", {"base.txt": "only here\n", "kept.txt": "here too\n"})
    for number in range(1, 7):
        store = str(last.path / ".git/objects").replace('"', '\\"')
        last = Repo.init(tmp_path / f"{name}{number}")
        last.write(".git/objects/info/alternates", f'"{store}"\n')
    last.git("reset", "-q", "--hard", head)
    last.write("base.txt", "changed\n")
    last.write("d/new.txt", "x\n")
    expected = add_all_tree(last)
    status, _, said = run_with(last, SplitOptions(check="grep -q 'here too' kept.txt"))
    assert status == DONE, said
    assert last.git("rev-parse", "HEAD^{tree}").strip() == expected
    assert_line(last, head)
    undo(Repository.find(str(last.path)))
    assert head_of(last) == head


@pytest.mark.parametrize("around", [False, True], ids=["a folder", "another repository"])
def test_a_working_tree_elsewhere_can_be_split(tmp_path: Path, around: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = tmp_path / "outer"
    if around:
        Repo.init(outer).commit("chore: of the other one", {"base.txt": "base\n"})
    inner = Repo.init(outer / "inner")
    inner.git("config", "core.worktree", "../..")
    old = inner.commit("chore: of this one")
    inner.write("new.txt", "x\n")
    monkeypatch.chdir(inner.path)
    assert run(inner)[0] == DONE
    assert "inner/new.txt" in inner.git("ls-tree", "--name-only", "-r", "--full-tree", "HEAD").splitlines()
    undo(Repository.find())
    assert head_of(inner) == old
    if around:
        assert Repo(outer).subjects() == ["chore: of the other one"]


def test_a_linked_worktree_is_split_on_its_own_branch(based: Repo, tmp_path: Path) -> None:
    based.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.write("d/new.txt", "x\n")
    linked.write("base.txt", "edit\n")
    based.write("unrelated.txt", "x\n")
    main = head_of(based)
    assert run(linked)[0] == DONE
    assert status_of(linked) == ""
    assert head_of(based) == main
    assert status_of(based) == "?? unrelated.txt\0"


def test_a_submodule_is_split_for_itself_and_where_diffs_ignore_it(based: Repo) -> None:
    SITUATIONS["submodule_moved_on"](based)
    inner = Repo(based.path / "sub")
    inner.write("d/new", "x\n")
    assert run(inner)[0] == DONE
    assert status_of(inner) == ""
    assert status_of(based) == " M sub\0?? other.txt\0"
    based.git("config", "submodule.sub.ignore", "all")
    assert run(based)[0] == DONE
    assert based.git("rev-parse", "HEAD:sub") == based.git("-C", "sub", "rev-parse", "HEAD")


def test_a_subfolder_splits_the_whole_tree(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    based.write("d/deep/new.txt", "x\n")
    based.write("base.txt", "edit\n")
    monkeypatch.chdir(based.path / "d/deep")
    assert split(Repository.find(), staged=False, yes=True, terminal=None, out=print) == DONE
    assert status_of(based) == ""


def test_a_repository_in_the_working_tree_is_left_out_and_named(based: Repo) -> None:
    for name in ("nested", "folder/deep\ndown", "unborn"):
        inner = Repo.init(based.path / name)
        if name != "unborn":
            inner.commit("chore: inner", {"file": "x\n"})
    based.write("folder/plain.txt", "x\n")
    files = contents(based.path)
    status, text = run(based)
    assert status == DONE
    assert based.git("ls-tree", "-r", "--name-only", "-z", "HEAD") == "base.txt\0folder/plain.txt\0"
    assert contents(based.path) == files
    assert "nested/" in text
    assert "folder/deep\\x0adown/" in text


def test_a_repository_in_place_of_a_file_is_left_out_and_named(based: Repo) -> None:
    based.commit("chore: two", {"a": "a\n", "d/f": "f\n"})
    (based.path / "a").unlink()
    Repo.init(based.path / "a").commit("chore: inner", {"file": "x\n"})
    based.write("base.txt", "edit\n")
    status, text = run(based)
    assert status == DONE
    assert "not included: a/ (nested git repository" in text
    assert based.git("ls-tree", "-r", "HEAD", "a").startswith("100644 blob")
    assert status_of(based) == " T a\0"
    assert run(based)[0] == NOTHING


@pytest.fixture
def dotfiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A home directory as the working tree of a repository beside it, in which `git status` hides untracked files."""
    home = Repo(tmp_path / "home")
    Repo.init(tmp_path / "dotfiles", "--bare")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "dotfiles"))
    monkeypatch.setenv("GIT_WORK_TREE", str(home.path))
    home.write("Documents/diary.txt", "mine\n")
    home.git("config", "status.showUntrackedFiles", "no")
    return home


def test_files_that_git_is_told_to_hide_are_left_out(dotfiles: Repo) -> None:
    hint = "not included: untracked files (status.showUntrackedFiles is 'no'; run 'git add FILE' to include one)"
    assert run(dotfiles)[0] == NOTHING
    dotfiles.stage({".profile": "a=1\n"})
    assert run(dotfiles)[0] == DONE  # the first commit
    dotfiles.write(".profile", "a=2\n")
    dotfiles.stage({".config/added": "x\n"})
    dotfiles.write(".config/announced", "x\n")
    dotfiles.git("add", "--intent-to-add", ".config/announced")
    status, text = run(dotfiles, strategy="file")
    assert status == DONE
    assert text.count(hint) == 1
    assert dotfiles.git("ls-files") == ".config/added\n.config/announced\n.profile\n"
    assert status_of(dotfiles) == "?? Documents/diary.txt\0"
    status, text = run(dotfiles)
    assert status == NOTHING
    assert hint in text


def test_files_that_git_is_told_to_show_once_are_split(dotfiles: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'status.showUntrackedFiles'='all'")
    assert run(dotfiles)[0] == DONE
    assert dotfiles.git("ls-files") == "Documents/diary.txt\n"


def test_where_git_takes_two_paths_for_one_the_setting_is_named(based: Repo) -> None:
    based.git("config", "core.ignoreCase", "false")
    based.commit("chore: a", {"Docs/a.md": "base\n", "docs/a.md": "base\n"})
    based.git("config", "core.ignoreCase", "true")
    based.write("Docs/a.md", "edit\n")
    # git adds a file anew, and meets the other one, only where its time does not prove that it is unchanged.
    later = time.time() + 86400
    os.utime(based.path / "docs/a.md", (later, later))
    before = based.state()
    status, text = run(based)
    assert status == GIT_FAILED
    assert "file alias" in text
    assert "git config core.ignoreCase false" in text
    assert based.state() == before
    based.git("config", "core.ignoreCase", "false")
    assert run(based)[0] == DONE


def test_in_a_partial_clone_what_is_there_is_split_and_what_is_missing_named(based: Repo, tmp_path: Path) -> None:
    based.commit("chore: more", {"in/a": "a\n" * 9, "out/b": "b\n" * 9})
    based.git("config", "uploadpack.allowFilter", "true")
    based.git("clone", "-q", "--filter=blob:none", "--sparse", f"file://{based.path}", str(tmp_path / "partial"))
    clone = Repo(tmp_path / "partial")
    clone.git("sparse-checkout", "set", "in")
    clone.git("remote", "set-url", "origin", str(tmp_path / "gone"))
    clone.write("in/a", "A\n" + "a\n" * 7 + "A\n")
    clone.write("in/new", "x\n")
    assert run(clone, strategy="hunk")[0] == DONE
    assert status_of(clone) == ""
    clone.git("rm", "-q", "--sparse", "--cached", "out/b")
    status, said = run(clone)
    assert (status, "could not fetch" in said) == (GIT_FAILED, True), said


# What git says of such files.
_SPARSE = (
    "The following paths and/or pathspecs matched paths that exist\n"
    "outside of your sparse-checkout definition, so will not be\nupdated in the index:\n"
)


@pytest.mark.parametrize("translated", [False, True])
def test_files_outside_a_sparse_checkout_are_left_out_and_named(
    based: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, translated: bool
) -> None:
    if translated:
        translate_git(tmp_path, monkeypatch, {_SPARSE: "Die folgenden Pfade\n"})
    SITUATIONS["sparse_checkout"](based)
    based.write("b/outside", "x\n")
    status, text = run(based)
    assert status == DONE
    assert "not included: b/outside (outside the sparse checkout; run 'git add --sparse FILE' to include it)" in text
    assert status_of(based) == "?? b/outside\0"


def test_a_pipe_in_the_working_tree_is_no_file(based: Repo) -> None:
    os.mkfifo(based.path / "pipe")
    based.write("new.txt", "x\n")
    assert run(based)[0] == DONE
    assert based.git("ls-files") == "base.txt\nnew.txt\n"


@pytest.mark.parametrize("broken", ["pipe", "filter"])
def test_a_file_that_cannot_be_added_stops_the_split(based: Repo, broken: str) -> None:
    based.write("a.txt", "x\n")
    if broken == "pipe":
        (based.path / "base.txt").unlink()
        os.mkfifo(based.path / "base.txt")
    else:
        based.write(".gitattributes", "base.txt filter=none\n")
        based.git("config", "filter.none.clean", "false")
        based.git("config", "filter.none.required", "true")
        based.write("base.txt", "of another size\n")
    based.git("config", "add.ignoreErrors", "true")
    head, entries, objects = head_of(based), based.git("ls-files", "--stage"), based.git("count-objects")
    status, text = run(based)
    assert status == GIT_FAILED
    assert "base.txt" in text
    assert ("hint: fix the filter;" in text) == (broken == "filter")
    assert (head_of(based), based.git("ls-files", "--stage"), based.git("count-objects")) == (head, entries, objects)


def _conflict(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("chore: side", {"base.txt": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("chore: main", {"base.txt": "main\n"})


OPERATIONS = {
    "merge": (("merge", "side"), "a merge"),
    "merge --no-commit": (("merge", "--no-commit", "-s", "ours", "side"), "a merge"),
    "rebase": (("rebase", "side"), "a rebase"),
    "rebase --apply": (("rebase", "--apply", "side"), "a rebase"),
    "cherry-pick": (("cherry-pick", "side"), "a cherry-pick"),
    "revert": (("revert", "HEAD~"), "a revert"),
    "stash pop": (("stash", "pop"), "'base.txt' has unresolved conflicts"),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_in_progress_is_refused_and_named(based: Repo, operation: str, tmp_path: Path) -> None:
    _conflict(based)
    if operation == "revert":
        based.commit("chore: again", {"base.txt": "again\n"})
    if operation == "stash pop":
        based.write("base.txt", "stashed\n")
        based.git("stash", "push", "-q")
        based.commit("chore: again", {"base.txt": "again\n"})
    arguments, reason = OPERATIONS[operation]
    based.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    linked.run(*arguments)
    linked.write("new.txt", "x\n")
    before = linked.state()
    status, text = run(linked)
    assert status == GIT_FAILED
    assert reason in text
    assert linked.state() == before


HOSTILE_ENVIRONMENT = {
    "GIT_DIFF_OPTS": "-u9", "GIT_EXTERNAL_DIFF": "false", "GIT_GLOB_PATHSPECS": "1", "GIT_PREFIX": "nowhere/",
    "GIT_PAGER": "false", "GIT_LITERAL_PATHSPECS": "1", "GIT_REFLOG_ACTION": "odd", "GIT_EDITOR": "false",
    "GIT_OPTIONAL_LOCKS": "1",
}  # fmt: skip


def test_environment_and_settings_of_the_caller_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, bent = Repo.init(tmp_path / "plain"), Repo.init(tmp_path / "bent")
    for repo in (plain, bent):
        repo.commit("chore: base", {"base.txt": "base\n"})
        SITUATIONS["renamed"](repo)
        SITUATIONS["mode_changed"](repo)
    assert run(plain)[0] == DONE
    for name, value in HOSTILE_SETTINGS.items():
        bent.git("config", name, value)
    with monkeypatch.context() as patched:
        for name, value in HOSTILE_ENVIRONMENT.items():
            patched.setenv(name, value)
        patched.setenv("GIT_DIR", str(bent.path / ".git"))
        patched.setenv("GIT_WORK_TREE", str(bent.path))
        patched.setenv("GIT_INDEX_FILE", ".git/index")
        assert run(bent)[0] == DONE
    assert head_of(bent) == head_of(plain)


@pytest.mark.parametrize("name", ["split_index", "staged_then_edited", "filters", "submodule_added"])
def test_looking_leaves_the_git_directory_as_it_was(based: Repo, name: str) -> None:
    SITUATIONS[name](based)
    status_of(based)
    git_dir = based.path / ".git"
    before = {path: path.read_bytes() for path in git_dir.rglob("*") if path.is_file()}
    assert run_with(based, SplitOptions(), yes=False)[0] == CANCELLED
    assert {path: path.read_bytes() for path in git_dir.rglob("*") if path.is_file()} == before
