"""`smartcommit init` in real repositories, with real pre-commit."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit import DOCS
from smartcommit.cli import main
from smartcommit.setup.frameworks import PUBLISHED, RELEASE
from smartcommit.setup.precommit_config import IDS, NAME, paste
from tests.support import programs
from tests.support.installation import Installation
from tests.support.precommit import PREK, Framework
from tests.support.repository import Repo

SAMPLE = """\
# our hooks
repos:
- repo: local
  hooks:
  - {id: mine, name: mine, entry: 'true', language: system}
"""
NEW = paste("../hooks", "v1.0")
# What `init` says at its end.
SHORT = [
    "ok       prepare-commit-msg, run by pre-commit, drafts with the built-in drafter",
    "ok       commit-msg, run by pre-commit, checks messages by the usual rules and the history's types and scopes",
    "more: smartcommit doctor",
]


class Outcome:
    """What a command returned and printed."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err


class Init:
    """`smartcommit init --repo ../hooks --rev v1.0`, run where a repository is."""

    def __init__(self, repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
        self.repo = repo
        self.capfd = capfd

    def __call__(self, *arguments: str) -> Outcome:
        self.capfd.readouterr()
        status = main(["init", "--repo", "../hooks", "--rev", "v1.0", *arguments])
        return Outcome(status, *self.capfd.readouterr())

    @property
    def config(self) -> Path:
        return self.repo.path / NAME

    def hooks(self) -> list[str]:
        return sorted(path.name for path in (self.repo.path / ".git/hooks").iterdir() if path.suffix != ".sample")

    def files(self) -> dict[str, bytes]:
        """Every file that init could touch, by its path."""
        folders = (self.repo.path / ".git/hooks", self.repo.path / ".git/smartcommit")
        paths = [self.config, *(path for folder in folders if folder.exists() for path in folder.iterdir())]
        return {str(path): path.read_bytes() for path in paths if path.exists() and path.name != "hooks.lock"}


@pytest.fixture
def user_precommit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pre-commit first on PATH, whatever else is there."""
    folder = programs.linked(tmp_path / "programs", Path(sys.executable).with_name("pre-commit"))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def init(repo: Repo, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, user_precommit: None) -> Init:
    monkeypatch.chdir(repo.path)
    return Init(repo, capfd)


def test_a_repository_without_a_configuration_gets_one(init: Init) -> None:
    done = init()
    assert done.status == 0
    assert init.config.read_text() == NEW
    assert init.hooks() == ["commit-msg", "prepare-commit-msg"]
    assert done.out.splitlines() == [
        "created '.pre-commit-config.yaml': prepare-commit-msg, commit-msg, split",
        "pre-commit installed at .git/hooks/prepare-commit-msg",
        "pre-commit installed at .git/hooks/commit-msg",
        "next: git add .pre-commit-config.yaml  (pre-commit does not run while this file has unstaged changes)",
        "undo: smartcommit init --remove",
        *SHORT,
    ]


def test_hooks_from_a_local_directory_can_be_shared_as_it_says(init: Init) -> None:
    local = str(init.repo.path.parent / "hooks")
    assert (
        f"the hooks come from '{local}', which others cannot reach; to share them, run 'smartcommit init --remove', "
        "then 'smartcommit init --repo ADDRESS'\n"
    ) in init("--repo", local).out

    assert main(["init", "--remove"]) == 0
    assert init("--repo", "https://code.example/hooks").status == 0
    assert "repo: https://code.example/hooks\n" in init.config.read_text()


def test_a_configuration_is_extended_and_hooks_before_a_commit_stay(init: Init) -> None:
    init.config.write_text(SAMPLE)
    assert init().status == 0
    assert init.config.read_text().startswith(
        "# our hooks\ndefault_install_hook_types: [pre-commit, prepare-commit-msg, commit-msg]\n"
        "default_stages: [pre-commit, manual]\nrepos:\n- repo: local\n"
    )
    assert init.hooks() == ["commit-msg", "pre-commit", "prepare-commit-msg"]


@pytest.mark.parametrize("text", [None, SAMPLE, "# nothing\n"])
def test_a_second_run_changes_no_byte_and_says_so(init: Init, text: str | None) -> None:
    if text is not None:
        init.config.write_text(text)
    init()
    before = init.files()
    done = init()
    assert done.status == 0
    hooks = "prepare-commit-msg, commit-msg, split"
    nothing = f"nothing to do: {hooks} already configured in '.pre-commit-config.yaml' and installed"
    assert done.out.splitlines() == [nothing, *SHORT]
    assert init.files() == before


@pytest.mark.parametrize(
    "text", [None, SAMPLE, SAMPLE.replace("\n", "\r\n"), SAMPLE[:-1], "# nothing", "repos: [  ]\n"]
)
def test_removing_restores_every_byte(init: Init, text: str | None) -> None:
    if text is not None:
        init.config.write_bytes(text.encode())
    before = init.files()
    init()
    assert init("--remove").status == 0
    assert init.files() == before
    assert init.hooks() == []


def test_removing_keeps_what_changed_since(init: Init) -> None:
    init.config.write_text(SAMPLE)
    init()
    init.config.write_text(init.config.read_text() + "exclude: ^vendor/\n")
    assert init("--remove").status == 0
    assert init.config.read_text() == SAMPLE + "exclude: ^vendor/\n"


def test_removing_keeps_hooks_that_were_installed_before(init: Init, precommit: Framework) -> None:
    init.config.write_text(f"default_install_hook_types: [pre-commit, commit-msg]\n{SAMPLE}")
    precommit.install(init.repo)
    init()
    assert init("--remove").status == 0
    assert init.hooks() == ["commit-msg", "pre-commit"]
    assert init.config.read_text() == f"default_install_hook_types: [pre-commit, commit-msg]\n{SAMPLE}"


def test_removing_where_somebody_else_ran_init(init: Init) -> None:
    """In another clone nothing is recorded: a file of ours alone goes, others keep their hook types."""
    init.config.write_text(NEW)
    assert init("--remove").status == 0
    assert not init.config.exists()
    init.config.write_text(SAMPLE)
    init()
    (init.repo.path / ".git/smartcommit/init.json").unlink()
    done = init("--remove")
    kept = (
        "kept 'default_install_hook_types', 'default_stages' and the installed git hooks: no record of who added them"
    )
    assert kept in done.out
    assert "default_install_hook_types" in init.config.read_text()
    assert "../hooks" not in init.config.read_text()


@pytest.mark.parametrize("change", ["none", "more", "stages"])
def test_removing_takes_the_stages_that_it_set(init: Init, change: str) -> None:
    """Those that somebody has changed since stay."""
    init.config.write_text(SAMPLE)
    init()
    text = init.config.read_text()
    more = {"none": "", "more": "exclude: ^vendor/\n", "stages": ""}[change]
    if change == "stages":
        text = text.replace("[pre-commit, manual]", "[pre-commit]")
    init.config.write_text(text + more)
    assert init("--remove").status == 0
    left = SAMPLE + more
    if change == "stages":
        left = left.replace("repos:", "default_stages: [pre-commit]\nrepos:")
    assert init.config.read_text() == left


@pytest.mark.parametrize(
    ("top", "stages"),
    [
        ("", "[pre-commit, manual]"),
        ("default_install_hook_types: [pre-push]\n", "[pre-commit, pre-push, manual]"),
        ("default_install_hook_types:\n- commit-msg\n", "[pre-commit, commit-msg, manual]"),
        ("default_install_hook_types: [prepare-commit-msg, commit-msg]\n", None),
        ("default_stages: [pre-commit, pre-push]\n", "[pre-commit, pre-push]"),
    ],
)
def test_hooks_without_stages_go_on_running_where_they_did(init: Init, top: str, stages: str | None) -> None:
    init.config.write_text(top + SAMPLE)
    assert init().status == 0
    (*found,) = [line for line in init.config.read_text().splitlines() if line.startswith("default_stages")]
    assert found == ([f"default_stages: {stages}"] if stages else [])
    assert init("--remove").status == 0
    assert init.config.read_text() == top + SAMPLE


def test_hooks_that_all_have_stages_need_no_default(init: Init) -> None:
    init.config.write_text(SAMPLE.replace("system}", "system, stages: [pre-commit]}"))
    assert init().status == 0
    assert "default_stages" not in init.config.read_text()


@pytest.mark.parametrize("there", ["https://example.invalid/smartcommit", PUBLISHED])
def test_an_entry_from_another_address_is_not_doubled(init: Init, there: str) -> None:
    text = paste(there, "v0.9")
    init.config.write_text(text)
    before = init.files()
    done = init()
    assert done.status == 1
    assert done.err.splitlines() == [
        f"smartcommit: '.pre-commit-config.yaml' has these hooks from '{there}'",
        f"hint: change 'repo' and 'rev' of that entry by hand, or run 'smartcommit init --remove --repo {there}' first",
    ]
    assert init.files() == before
    # Without an address the entry that is there is used.
    assert main(["init"]) == 0
    assert init.config.read_text() == text
    assert init.hooks() == ["commit-msg", "prepare-commit-msg"]


def test_local_hooks_of_ours_are_not_doubled(init: Init) -> None:
    init.config.write_text(SAMPLE.replace("'true'", "smartcommit-commit-msg"))
    before = init.files()
    done = init()
    assert done.status == 1
    assert done.err.startswith("smartcommit: '.pre-commit-config.yaml' runs these hooks as local hooks\n")
    assert init.files() == before


@pytest.mark.parametrize("tagged", [False, True])
def test_without_a_revision_one_is_written_that_can_be_checked_out(
    repo: Repo, tmp_path: Path, user_precommit: None, monkeypatch: pytest.MonkeyPatch, *, tagged: bool
) -> None:
    hooks = Repo.init(tmp_path / "hooks")
    manifest = "".join(f"- {{id: {name}, name: {name}, language: system, entry: git --version}}\n" for name in IDS)
    hooks.commit("chore: base", {".pre-commit-hooks.yaml": manifest})
    if tagged:
        hooks.git("tag", RELEASE)
        hooks.commit("chore: go on")
    monkeypatch.chdir(repo.path)
    assert main(["init", "--repo", "../hooks"]) == 0
    expected = RELEASE if tagged else hooks.git("rev-parse", "HEAD").strip()
    assert f"repo: ../hooks\n    rev: {expected}\n" in (repo.path / NAME).read_text()
    subprocess.run(["pre-commit", "install-hooks"], check=True)


def test_without_a_revision_to_be_found_it_asks_for_one(
    repo: Repo, user_precommit: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repo.path)
    assert main(["init", "--repo", "../nowhere"]) == 1
    assert capfd.readouterr().err.splitlines()[-1] == "hint: give a revision with '--rev'"
    assert not (repo.path / NAME).exists()


def test_removing_twice_says_there_is_nothing_to_do(init: Init) -> None:
    init()
    init("--remove")
    done = init("--remove")
    assert (done.status, done.out) == (0, "nothing to do: no smartcommit hooks in '.pre-commit-config.yaml'\n")


def test_running_it_again_still_restores_the_first_state(init: Init) -> None:
    init.config.write_text(SAMPLE)
    init()
    (init.repo.path / ".git/hooks/commit-msg").unlink()
    assert init().status == 0
    assert init("--remove").status == 0
    assert init.config.read_text() == SAMPLE
    assert init.hooks() == []


def test_a_hook_that_was_there_runs_on_and_comes_back(init: Init) -> None:
    hook = init.repo.write(".git/hooks/commit-msg", "#!/bin/sh\nexit 0\n", executable=True)
    done = init()
    assert "Running in migration mode with existing hooks at .git/hooks/commit-msg.legacy" in done.out
    assert hook.with_suffix(".legacy").read_text() == "#!/bin/sh\nexit 0\n"
    init("--remove")
    assert hook.read_text() == "#!/bin/sh\nexit 0\n"
    assert init.hooks() == ["commit-msg"]


def test_the_mode_of_the_file_stays_and_a_link_is_followed(init: Init) -> None:
    target = init.repo.write("settings/hooks.yaml", SAMPLE)
    target.chmod(0o600)
    init.config.symlink_to("settings/hooks.yaml")
    assert init().status == 0
    assert init.config.is_symlink()
    assert "../hooks" in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(path.name for path in target.parent.iterdir()) == ["hooks.yaml"]


def test_it_works_from_a_folder_and_in_a_linked_worktree(init: Init, monkeypatch: pytest.MonkeyPatch) -> None:
    init.repo.commit()
    init.repo.git("worktree", "add", "-q", "../other")
    (init.repo.path.parent / "other/sub").mkdir()
    monkeypatch.chdir(init.repo.path.parent / "other/sub")
    assert init().status == 0
    assert (init.repo.path.parent / "other" / NAME).exists()
    assert not init.config.exists()
    assert init.hooks() == ["commit-msg", "prepare-commit-msg"]


def pythons(init: Init) -> set[str]:
    """The interpreters that run pre-commit in its git hooks."""
    found = set()
    for name in init.hooks():
        for line in (init.repo.path / ".git/hooks" / name).read_text().splitlines():
            if line.startswith("INSTALL_PYTHON="):
                found.update(shlex.split(line.removeprefix("INSTALL_PYTHON=")))
    return found


def test_the_git_hooks_run_the_pre_commit_on_path(init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = programs.environment(tmp_path / "theirs")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    done = init()
    assert done.status == 0
    assert pythons(init) == {str(folder / "python")}
    assert "on PATH" not in done.out


def test_the_git_hooks_run_our_pre_commit_only_where_path_has_none_and_it_says_so(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.only(monkeypatch, tmp_path / "empty")
    done = init()
    assert done.status == 0
    assert pythons(init) == {sys.executable}
    assert f"no pre-commit or prek on PATH: the git hooks run the pre-commit of {sys.executable}\n" in done.out


def test_the_git_hooks_keep_their_pre_commit_where_path_has_none(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a shell where the project's virtual environment is not active."""
    folder = programs.environment(tmp_path / "project's own")
    init.config.write_text(f"default_install_hook_types: [pre-commit, commit-msg]\n{SAMPLE}")
    subprocess.run([folder / "pre-commit", "install"], cwd=init.repo.path, check=True)
    programs.only(monkeypatch, programs.linked(tmp_path / "prek", PREK[0]))
    assert init().status == 0
    assert init.hooks() == ["commit-msg", "pre-commit", "prepare-commit-msg"]
    assert pythons(init) == {str(folder / "python")}


@pytest.mark.parametrize("names", [("prek",), ("prek", "pre-commit")], ids=["prek", "both"])
def test_where_prek_installed_the_git_hooks_prek_installs_ours(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    init.config.write_text(SAMPLE)
    Framework(PREK, init.repo).install(init.repo)
    before = init.files()
    found = [Path(sys.executable).with_name(name) for name in names]
    programs.only(monkeypatch, programs.linked(tmp_path / "found", *found))
    done = init()
    assert done.status == 0
    assert init.hooks() == ["commit-msg", "pre-commit", "prepare-commit-msg"]
    for name in init.hooks():
        assert "generated by prek" in (init.repo.path / ".git/hooks" / name).read_text()
    assert "(prek does not run while this file has unstaged changes)" in done.out
    assert init("--remove").status == 0
    assert init.files() == before


@pytest.mark.parametrize(("theirs", "name"), [(True, "pre-commit"), (False, "prek")])
def test_of_both_on_path_pre_commit_is_run_unless_it_is_ours(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, theirs: bool, name: str
) -> None:
    ours = Path(sys.executable).parent
    folder = programs.linked(tmp_path / "found", ours / "pre-commit", PREK[0]) if theirs else ours
    programs.only(monkeypatch, tmp_path / "empty", folder)
    assert init().status == 0
    assert f"generated by {name}" in (init.repo.path / ".git/hooks/commit-msg").read_text()


def test_a_shim_for_a_pre_commit_that_is_not_installed_is_passed_over(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / "shims/pre-commit"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\necho 'pre-commit: command not found' >&2\nexit 127\n")
    shim.chmod(0o755)
    programs.only(monkeypatch, shim.parent, programs.linked(tmp_path / "prek", PREK[0]))
    assert init().status == 0
    assert "generated by prek" in (init.repo.path / ".git/hooks/commit-msg").read_text()


def test_git_hooks_of_a_prek_that_is_gone_are_left_alone(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init.config.write_text(SAMPLE)
    folder = programs.linked(tmp_path / "prek")
    shutil.copy(PREK[0], folder)
    subprocess.run([folder / "prek", "install"], cwd=init.repo.path, check=True)
    (folder / "prek").unlink()
    programs.only(monkeypatch, tmp_path / "programs")
    before = init.files()
    done = init()
    assert done.status == 1
    assert done.err.splitlines() == [
        "smartcommit: these git hooks were installed by prek, but prek is not on PATH",
        "hint: install prek",
    ]
    assert init.files() == before


def test_where_prek_has_a_configuration_of_its_own_the_lines_for_it_are_printed(init: Init) -> None:
    own = init.repo.write("prek.toml", '[[repos]]\nrepo = "meta"\nhooks = [{ id = "identity" }]\n')
    done = init()
    assert done.status == 1
    assert not init.config.exists()
    hooks = [{"id": "prepare-commit-msg"}, {"id": "commit-msg"}, {"id": "split"}]
    assert tomllib.loads(done.out) == {"repos": [{"repo": "../hooks", "rev": "v1.0", "hooks": hooks}]}
    assert done.err.splitlines() == [
        "smartcommit: prek reads 'prek.toml' here, and init edits '.pre-commit-config.yaml' only",
        "hint: add these lines to it, then run 'prek install --hook-type prepare-commit-msg --hook-type commit-msg'; "
        "begin 'prek.toml' with 'default_stages = [\"pre-commit\", \"manual\"]', or 'identity' runs 3 times for each "
        "commit",
    ]
    own.write_text('default_stages = ["pre-commit", "manual"]\n' + own.read_text() + done.out)
    checked = Framework(PREK, init.repo).run(init.repo, "validate-config", "prek.toml")
    assert checked.returncode == 0, checked.stdout


def test_with_hooks_path_nothing_is_written(init: Init) -> None:
    init.repo.git("config", "core.hooksPath", ".husky")
    before = init.files()
    done = init()
    assert done.status == 1
    assert done.err.splitlines() == [
        "smartcommit: core.hooksPath is set to '.husky', so pre-commit cannot install hooks",
        "hint: run 'git config --unset-all core.hooksPath' and try again, or keep it and add these lines to the "
        f"hooks there: {DOCS}/installing.md#beside-other-hooks",
    ]
    assert init.files() == before


UNREADABLE = [
    (b"repos: [\n", "is not valid YAML in line 2"),
    (b"\xff\n", "is not valid UTF-8"),
    (b"- repo: x\n", "uses pre-commit's old list format"),
    (b"{repos: []}\n", "the top level is not a block-style mapping"),
]
INVALID = [
    (b"repos: 3\n", "is not valid: Expected array but got 'int'"),
    (b"repos:\n- repo: x\n  hooks: []\n", "is not valid: Missing required key: rev"),
]


@pytest.mark.parametrize(("content", "reason"), UNREADABLE + INVALID)
def test_what_cannot_be_extended_stays(init: Init, content: bytes, reason: str) -> None:
    refused(init, content, reason)


@pytest.mark.parametrize(("content", "reason"), UNREADABLE)
def test_what_cannot_be_read_is_not_taken_from(init: Init, content: bytes, reason: str) -> None:
    refused(init, content, reason, "--remove")


def refused(init: Init, content: bytes, reason: str, *arguments: str) -> None:
    init.config.write_bytes(content)
    before = init.files()
    done = init(*arguments)
    assert done.status == 1
    first = done.err.splitlines()[0]
    assert "'.pre-commit-config.yaml'" in first
    assert reason in first
    assert "Traceback" not in done.err
    assert init.files() == before


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("repos: [{repo: meta, hooks: [{id: identity}]}]\n", "'repos' is in flow style"),
        ("repos: &all\n- repo: meta\n  hooks: [{id: identity}]\n", "the layout is not recognized"),
        ("  repos:\n  - repo: meta\n    hooks: [{id: identity}]\n", "the layout is not recognized"),
    ],
    ids=["flow style", "anchor", "indentation"],
)
def test_lines_to_paste_are_shown_where_the_file_cannot_be_extended(init: Init, text: str, reason: str) -> None:
    init.config.write_text(text)
    done = init()
    assert init.config.read_text() == text
    types = ["pre-commit", "prepare-commit-msg", "commit-msg"]
    assert done.out == paste("../hooks", "v1.0", types, ["pre-commit", "manual"])
    assert done.err.splitlines() == [
        "without 'default_stages', 'identity' runs 3 times for each commit",
        f"smartcommit: cannot edit '.pre-commit-config.yaml' safely: {reason}",
        "hint: add these lines by hand, then run init again",
    ]


def test_a_link_out_of_the_repository_is_not_followed(init: Init, tmp_path: Path) -> None:
    outside = tmp_path / "shared.yaml"
    outside.write_text(SAMPLE)
    init.config.symlink_to(outside)
    done = init()
    assert done.status == 1
    assert "is a symlink to a file outside this repository" in done.err
    assert outside.read_text() == SAMPLE


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_in_its_place_is_one_clear_line(init: Init, make: Callable[[Path], None]) -> None:
    make(init.config)
    done = init()
    assert done.status == 1
    assert done.err.splitlines()[0] == "smartcommit: '.pre-commit-config.yaml' is not a file"


@pytest.mark.parametrize("options", [(), ("--bare",)], ids=["none", "bare"])
def test_without_a_working_tree_it_says_so(
    init: Init, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if options:
        Repo.init(folder, *options)
    monkeypatch.chdir(folder)
    done = init()
    assert done.status == 1
    assert done.err.count("\n") <= 2
    assert ("bare" if options else "not a git repository") in done.err
    assert not (folder / NAME).exists()


@pytest.mark.usefixtures("user_precommit")
def test_installed_from_a_wheel_it_names_the_published_hooks(repo: Repo, installation: Installation) -> None:
    subprocess.run([installation.script("smartcommit"), "init"], cwd=repo.path, check=True)
    assert f"repo: {PUBLISHED}\n    rev: v" in (repo.path / NAME).read_text()


@pytest.mark.usefixtures("user_precommit")
def test_installed_from_a_clone_it_names_the_clone_and_says_so(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("smartcommit.commands.init.find_origin", lambda: ("/home/ada/clone", "c" * 40))
    monkeypatch.chdir(repo.path)
    assert main(["init"]) == 0
    assert f"repo: /home/ada/clone\n    rev: {'c' * 40}\n" in (repo.path / NAME).read_text()
    assert "the hooks come from '/home/ada/clone', which others cannot reach" in capfd.readouterr().out


@pytest.mark.usefixtures("user_precommit")
def test_a_commit_after_init_runs_the_hooks(repo: Repo, precommit: Framework, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    rev = precommit.hooks.git("rev-parse", "HEAD").strip()
    assert main(["init", "--repo", str(precommit.hooks.path), "--rev", rev]) == 0
    repo.stage({"a.txt": "a\n"})
    repo.git("add", NAME)
    refused = repo.run("commit", "-m", "oops")
    assert refused.returncode != 0
    assert b"check the commit message" in refused.stderr + refused.stdout
    assert repo.run("commit", "-m", "docs: add a").returncode == 0
    assert os.path.exists(repo.path / ".git/hooks/commit-msg")
