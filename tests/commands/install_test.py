"""`smartcommit install` and `uninstall`, with commits by real git."""

from __future__ import annotations

import io
import os
import py_compile
import re
import shutil
import signal
import stat
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from importlib.util import cache_from_source
from itertools import count
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.setup import hook_files
from smartcommit.setup.git_hooks import EVENTS
from smartcommit.setup.user_hooks import FORWARDED
from tests.support.components import ARCHIVES
from tests.support.installation import Installation
from tests.support.kills import Kills
from tests.support.profile import choose
from tests.support.repository import Repo

# What `install` says at its end.
RULES = "the usual rules and the history's types and scopes"
SHORT = f"""\
ok       prepare-commit-msg, installed by 'smartcommit install', drafts with the built-in drafter
ok       commit-msg, installed by 'smartcommit install', checks messages by {RULES}
more: smartcommit doctor
"""
SAYS = "#!/bin/sh\necho {word} >> {log}\n"


@pytest.fixture
def place(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a first commit, as the current directory."""
    repo.commit("chore: base", {"README.md": "# A\n"})
    monkeypatch.chdir(repo.path)
    return repo


def commit(repo: Repo, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return repo.run("commit", *arguments, env=environment)


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of every file below `folder`."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(folder))] = (stat.S_IMODE(path.lstat().st_mode), path.read_bytes())
    return found


def write_hook(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)
    return path


def test_a_commit_is_drafted_and_a_bad_message_is_rejected(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    hooks = place.path / ".git" / "hooks"
    before = snapshot(hooks)
    assert main(["install"]) == 0
    assert capsys.readouterr().out == (
        f"installed prepare-commit-msg and commit-msg in '{hooks.resolve()}'\nundo: smartcommit uninstall\n{SHORT}"
    )
    place.stage({"guide.md": "# Guide\n"})
    assert commit(place, GIT_EDITOR="true").returncode == 0
    assert place.message().strip() == "docs: add guide.md"
    place.stage({"more.md": "1\n"})
    refused = commit(place, "-m", "Added more")
    assert refused.returncode == 1
    assert b"type" in refused.stderr
    assert main(["uninstall"]) == 0
    assert snapshot(hooks) == before
    assert commit(place, "-m", "Added more").returncode == 0


def test_a_reader_that_ends_early_is_no_error(place: Repo) -> None:
    code = "import sys; from smartcommit.cli import main; sys.exit(main(['install']))"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=place.path, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")
    assert (place.path / ".git/hooks/commit-msg").exists()


def test_a_plain_installation_needs_nothing_from_the_environment(installation: Installation, repo: Repo) -> None:
    repo.commit("chore: base", {"README.md": "# A\n"})
    subprocess.run([installation.script("smartcommit"), "install"], cwd=repo.path, check=True, capture_output=True)
    repo.stage({"guide.md": "# Guide\n"})
    git = os.path.realpath(subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip())
    done = subprocess.run(
        [git, "-c", "user.name=A", "-c", "user.email=a@x.org", "commit"],
        cwd=repo.path, env={"PATH": "", "GIT_EDITOR": "/bin/true"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert repo.message().strip() == "docs: add guide.md"


def test_what_smartcommit_depends_on_may_lie_elsewhere(place: Repo) -> None:
    """As with an editable installation, or one that adds to the system's packages."""
    assert main(["install"]) == 0
    assert repr(sysconfig.get_path("purelib")) in (place.path / ".git/hooks/commit-msg").read_text().replace(
        "'\"'\"'", "'"
    )


def test_an_existing_hook_runs_first_and_can_stop_the_commit(place: Repo, tmp_path: Path) -> None:
    hooks, log = place.path / ".git" / "hooks", tmp_path / "log"
    own = write_hook(hooks / "commit-msg", SAYS.format(word="own", log=log) + 'grep -q stop "$1" && exit 7\nexit 0\n')
    before = snapshot(hooks)
    assert main(["install", "--hooks", "commit-msg"]) == 0
    assert main(["install", "--hooks", "commit-msg"]) == 0
    assert not (hooks / "prepare-commit-msg").exists()
    assert commit(place, "--allow-empty", "-m", "feat: add a").returncode == 0
    assert commit(place, "--allow-empty", "-m", "feat: stop").returncode == 1
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1
    assert log.read_text().split() == ["own"] * 3
    assert main(["uninstall"]) == 0
    assert snapshot(hooks) == before
    assert own.exists()


def test_a_hook_that_pre_commit_moved_aside_is_removed(place: Repo) -> None:
    hooks = place.path / ".git" / "hooks"
    assert main(["install", "--hooks", "commit-msg"]) == 0
    (hooks / "commit-msg").rename(hooks / "commit-msg.legacy")
    write_hook(hooks / "commit-msg", "#!/bin/sh\n")
    assert main(["uninstall"]) == 0
    assert not (hooks / "commit-msg.legacy").exists()
    assert (hooks / "commit-msg").read_text() == "#!/bin/sh\n"


def test_a_kept_hook_is_never_replaced(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    hooks = place.path / ".git" / "hooks"
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# first\n")
    assert main(["install", "--hooks", "commit-msg"]) == 0
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# second\n")
    before = snapshot(hooks)
    assert main(["install", "--hooks", "commit-msg"]) == 1
    assert "has the hook that was kept before" in capsys.readouterr().err
    assert snapshot(hooks) == before


@pytest.mark.parametrize("arguments", [["uninstall"], ["install", "--hooks", "commit-msg"]])
def test_what_somebody_wrote_into_our_hook_is_kept(
    place: Repo, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    hook = place.path / ".git/hooks/commit-msg"
    aside = hook.with_name("commit-msg.edited")
    write_hook(hook, "#!/bin/sh\n# own\n")
    assert main(["install", "--hooks", "commit-msg"]) == main(["install", "--hooks", "commit-msg"]) == 0
    assert not aside.exists()
    written = hook.read_text()
    edited = write_hook(hook, written.replace("status=", "./lint || exit\n    status=")).read_text()
    assert main(arguments) == 0
    assert aside.read_text() == edited
    assert "kept as 'commit-msg.edited'" in capsys.readouterr().out
    assert hook.read_text() == ("#!/bin/sh\n# own\n" if arguments == ["uninstall"] else written)
    write_hook(hook, written + "./lint\n")
    before = snapshot(hook.parent)
    assert main(arguments) == 1
    for name, content in before.items():
        assert snapshot(hook.parent)[name] == content


def test_an_edited_hook_of_all_repositories_does_not_keep_the_setting(
    place: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert main(["install", "--global"]) == 0
    hook = tmp_path / "config/smartcommit/hooks/pre-commit"
    write_hook(hook, hook.read_text() + "./lint\n")
    assert main(["uninstall", "--global"]) == 0
    assert os.listdir(hook.parent) == ["pre-commit"]
    assert place.run("config", "--global", "core.hooksPath").returncode == 1
    assert main(["install", "--global"]) == 1
    assert f"'{hook}' is not as smartcommit wrote it" in capsys.readouterr().err
    assert place.run("config", "--global", "core.hooksPath").returncode == 1


@pytest.mark.parametrize("target", ["../../tools/dispatch", "dispatch", "lib/dispatch"])
def test_a_kept_hook_goes_by_its_own_name_and_finds_what_is_beside_it(place: Repo, target: str) -> None:
    hooks = place.path / ".git/hooks"
    script = '#!/bin/sh\necho "${0##*/} $#" >> log\n. "${0%/*}/lib/more.sh"\ntest -d "${0%/*}/../../.git"\n'
    write_hook(hooks / target, script)
    write_hook(hooks / "lib/more.sh", 'echo "more" >> log\n')
    for name in ("commit-msg", "prepare-commit-msg", "post-commit"):
        (hooks / name).symlink_to(target)
    before = {path: os.readlink(path) for path in hooks.iterdir() if path.is_symlink()}
    names = sorted(os.listdir(hooks))
    for _ in range(2):
        assert main(["install"]) == 0
        assert commit(place, "--allow-empty", "-m", "feat: add a").returncode == 0
        log = place.path / "log"
        assert log.read_text() == "prepare-commit-msg 2\nmore\ncommit-msg 1\nmore\npost-commit 0\nmore\n"
        log.unlink()
    assert main(["uninstall"]) == 0
    assert {path: os.readlink(path) for path in hooks.iterdir() if path.is_symlink()} == before
    assert sorted(os.listdir(hooks)) == names


def test_a_link_to_another_hook_still_leads_to_that(place: Repo) -> None:
    hooks = place.path / ".git/hooks"
    write_hook(hooks / "prepare-commit-msg", '#!/bin/sh\necho "${0##*/}" >> log\n')
    (hooks / "commit-msg").symlink_to("prepare-commit-msg")
    for names in (["commit-msg"], ["prepare-commit-msg"]):
        assert main(["install", "--hooks", *names]) == 0
        assert commit(place, "--allow-empty", "-m", "feat: add a").returncode == 0
    assert (place.path / "log").read_text() == "prepare-commit-msg\ncommit-msg\n" * 2
    assert main(["uninstall"]) == 0
    assert os.readlink(hooks / "commit-msg") == "prepare-commit-msg"
    assert not (hooks.parent / "hooks.before-smartcommit").exists()


def test_nothing_of_the_user_is_taken_for_a_link_of_ours(place: Repo) -> None:
    hooks = place.path / ".git/hooks"
    write_hook(hooks / "commit-msg", "#!/bin/sh\n")
    write_hook(hooks / "helper", "#!/bin/sh\n")
    theirs = write_hook(hooks.parent / "hooks.before-smartcommit/helper", "#!/bin/sh\n# theirs\n")
    before = snapshot(hooks)
    assert main(["install"]) == main(["uninstall"]) == 0
    assert theirs.read_text() == "#!/bin/sh\n# theirs\n"
    assert snapshot(hooks) == before


def test_a_killed_installation_can_be_undone_or_finished(place: Repo) -> None:
    hooks = place.path / ".git" / "hooks"
    own = write_hook(hooks / "commit-msg", "#!/bin/sh\n# own\n")
    before = snapshot(hooks)
    kept = hooks.with_name("hooks.before-smartcommit") / "commit-msg"
    kept.parent.mkdir()
    own.rename(kept)
    assert main(["uninstall"]) == 0
    assert snapshot(hooks) == before
    kept.parent.mkdir()
    own.rename(kept)
    assert main(["install", "--hooks", "commit-msg"]) == main(["uninstall"]) == 0
    assert snapshot(hooks) == before


@pytest.fixture
def own(place: Repo, tmp_path: Path) -> Iterator[Kills]:
    """Runs in copies of a repository whose own hook writes `own` into the file `log` beside it."""
    write_hook(place.path / ".git/hooks/commit-msg", SAYS.format(word="own", log="../log"))
    kills = Kills(place.path, tmp_path / "copies", {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    yield kills
    kills.close()


def runs_own_hook(copy: Path) -> bool:
    """Whether a commit in the repository `copy` runs the user's own hook, once."""
    log = copy.parent / "log"
    log.unlink(missing_ok=True)
    assert Repo(copy).run("commit", "--allow-empty", "-m", "feat: add a").returncode == 0
    return log.exists() and log.read_text() == "own\n"


TOGETHER = {
    "two installs": ([], ["install"], ["install"]),
    "two uninstalls": (["install"], ["uninstall"], ["uninstall"]),
    "install beside uninstall": (["install"], ["install"], ["uninstall"]),
    "uninstall beside install": ([], ["uninstall"], ["install"]),
    "install beside pre-commit": ([], ["install"], ["pre-commit", "install", "--hook-type", "commit-msg"]),
    "uninstall beside pre-commit": (["install"], ["uninstall"], ["pre-commit", "install", "--hook-type", "commit-msg"]),
}


@pytest.mark.parametrize("runs", TOGETHER.values(), ids=TOGETHER)
def test_commands_at_the_same_time_do_not_lose_a_hook(own: Kills, runs: tuple[list[str], ...]) -> None:
    before, *together = runs
    for number in range(choose(fast=3, full=60)):
        copy = own.copy(str(number))
        (copy / ".pre-commit-config.yaml").write_text("repos: []\n")
        Repo(copy).git("add", "-A")
        if before:
            assert own.run_together(copy, before) == [0]
        statuses = own.run_together(copy, *together)
        assert runs_own_hook(copy), (copy.parent / "shown").read_text()
        if "pre-commit" not in together[1]:
            assert statuses == [0, 0]
        shutil.rmtree(copy.parent)


@pytest.mark.parametrize("then", ["install", "uninstall"])
@pytest.mark.parametrize("killed", ["install", "uninstall"])
def test_a_killed_command_loses_no_hook_and_the_next_one_removes_what_it_left(
    own: Kills, place: Repo, killed: str, then: str
) -> None:
    before = set(os.listdir(place.path / ".git/hooks"))
    installed = before | {"prepare-commit-msg"}
    # Every other step, so that the two that follow share them; the first ones of `install` take the lock.
    first = choose(fast=8 if killed == "install" else 1, full=1)
    for step in count(first + (then == "install"), choose(fast=2, full=1)):
        copy = own.copy(f"{killed} {step}")
        if killed == "uninstall":
            assert own.run_together(copy, ["install"]) == [0]
        (status,) = own.run_together(copy, [killed], step=step)
        assert runs_own_hook(copy), f"killed at step {step}"
        assert own.run_together(copy, [then]) == [0]
        assert set(os.listdir(copy / ".git/hooks")) == (installed if then == "install" else before), step
        assert runs_own_hook(copy), f"killed at step {step}, then {then}"
        shutil.rmtree(copy.parent)
        if status != -signal.SIGKILL:
            break
    assert step > 5


def test_only_our_own_litter_is_removed(place: Repo) -> None:
    hooks = place.path / ".git/hooks"
    before = snapshot(hooks)
    assert main(["install"]) == 0
    shutil.copy(hooks / "commit-msg", hooks / "commit-msg.new.12.new")
    (hooks / "prepare-commit-msg.new").touch()
    theirs = write_hook(hooks / "commit-msg.news", "#!/bin/sh\n")
    assert main(["uninstall"]) == 0
    assert theirs.read_text() == "#!/bin/sh\n"
    theirs.unlink()
    assert snapshot(hooks) == before


def test_a_hook_that_is_never_run_is_not_said_to_run(
    place: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_files, "PATIENCE", 0.0)
    write_hook(place.path / ".git/hooks/commit-msg", "#!/bin/sh\n").chmod(0o644)
    assert main(["install"]) == 0
    assert "does not run: it is not executable" in capsys.readouterr().out


def test_hooks_that_were_switched_off_long_ago_are_not_waited_for(place: Repo) -> None:
    for name in FORWARDED:
        hook = write_hook(place.path / ".git/hooks" / name, "#!/bin/sh\n")
        hook.chmod(0o644)
        os.utime(hook, (0, 0))
    waited = []
    sys.addaudithook(lambda event, arguments: waited.append(arguments) if event == "time.sleep" else None)
    assert main(["install"]) == 0
    assert main(["uninstall"]) == 0
    assert waited == []


def test_a_hook_that_was_written_since_is_not_replaced(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    hooks = place.path / ".git/hooks"
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# first\n")
    assert main(["install"]) == 0
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# second\n")
    assert main(["uninstall"]) == 0
    out = capsys.readouterr().out
    assert "hooks.before-smartcommit/commit-msg' stays under this name: there is another commit-msg now" in out
    assert "is back" not in out
    assert "second" in (hooks / "commit-msg").read_text()


def test_a_hook_that_others_change_is_left_to_them(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    hook = write_hook(place.path / ".git/hooks/commit-msg", "#!/bin/sh\n# 0\n")
    versions = count(1)

    def see(event: str, arguments: tuple[object, ...]) -> None:
        """Replace the hook, as an editor does, whenever it has got its second name."""
        if event == "os.link" and str(arguments[0]) == str(hook):
            new = write_hook(hook.with_name("theirs"), f"#!/bin/sh\n# {next(versions)}\n")
            new.replace(hook)

    sys.addaudithook(see)
    assert main(["install", "--hooks", "commit-msg"]) == 1
    assert f"another program has changed '{hook}' at the same time" in capsys.readouterr().err
    assert hook.read_text() == f"#!/bin/sh\n# {next(versions) - 1}\n"
    assert {path.name for path in hook.parent.glob("commit-msg*")} == {"commit-msg", "commit-msg.sample"}


def test_a_hook_of_pre_commit_runs_even_if_it_was_not_executable_yet(
    place: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_files, "PATIENCE", 0.0)
    hooks = place.path / ".git/hooks"
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n").chmod(0o644)
    write_hook(hooks / "prepare-commit-msg", "#!/bin/sh\n# switched off by its owner\n").chmod(0o644)
    assert main(["install"]) == 0
    assert os.access(hooks.parent / "hooks.before-smartcommit/commit-msg", os.X_OK)
    assert not os.access(hooks.parent / "hooks.before-smartcommit/prepare-commit-msg", os.X_OK)


@pytest.mark.parametrize(("target", "where"), [("../hooks", "in the working tree"), ("../../hooks", "not this")])
def test_a_link_in_place_of_the_hooks_is_named(
    place: Repo, capsys: pytest.CaptureFixture[str], target: str, where: str
) -> None:
    hooks = place.path / ".git/hooks"
    shutil.rmtree(hooks)
    hooks.symlink_to(target)
    (hooks.parent / target).mkdir()
    assert main(["install"]) == 1
    error = capsys.readouterr().err
    assert "/.git/hooks' is a symbolic link to '" in error
    assert where in error
    assert "core.hooksPath" not in error


def test_a_hook_that_cannot_be_written_leaves_the_old_one(place: Repo) -> None:
    hooks = place.path / ".git" / "hooks"
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# own\n")
    before = snapshot(hooks)
    (hooks / "commit-msg.new").mkdir()  # nothing can be written there
    assert main(["install", "--hooks", "commit-msg"]) == 1
    assert snapshot(hooks) == before


@pytest.mark.parametrize("name", ["notes", "pre-push"])
def test_what_a_user_put_beside_ours_stays_and_hooks_of_repositories_run_again(
    place: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    write_hook(place.path / ".git/hooks/commit-msg", SAYS.format(word="own", log=tmp_path / "log"))
    assert main(["install", "--global"]) == 0
    theirs = write_hook(tmp_path / "config/smartcommit/hooks" / name, "#!/bin/sh\n")
    assert main(["uninstall", "--global"]) == 0
    assert os.listdir(theirs.parent) == [name]
    assert f"'{theirs}' stays, but git does not look there any more" in capsys.readouterr().out
    assert place.run("config", "core.hooksPath").returncode == 1
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 0
    assert (tmp_path / "log").read_text() == "own\n"


def test_a_setting_in_an_included_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert main(["install", "--global"]) == 0
    (tmp_path / "gitconfig").rename(tmp_path / "more")
    (tmp_path / "gitconfig").write_text("[include]\n\tpath = more\n")
    assert main(["uninstall", "--global"]) == 1
    assert "core.hooksPath is still set to " in capsys.readouterr().err


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("dirty", [None, "unstaged", "staged"])
def test_a_push_into_a_checkout_does_as_without_global_hooks(
    place: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: bool, dirty: str | None
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    results = []
    for number, everywhere in enumerate((False, True)):
        target = tmp_path / f"target {number}"
        place.git("clone", "-q", str(place.path), str(target))
        checkout = Repo(target)
        checkout.git("config", "receive.denyCurrentBranch", "updateInstead")
        if own:
            write_hook(
                target / ".git/hooks/push-to-checkout", '#!/bin/sh\necho "own $#" >> log\ngit read-tree -u -m $1\n'
            )
        if dirty:
            checkout.write("README.md", "# B\n")
        if dirty == "staged":
            checkout.git("add", "README.md")
        if everywhere:
            assert main(["install", "--global"]) == 0
        place.commit(f"feat: push {number}", {"README.md": f"# {number}\n"})
        done = place.run("push", "-q", str(target), "HEAD:main")
        readme = (target / "README.md").read_text().replace(str(number), "N")
        found = subprocess.run(["find", str(target), "-name", "log"], capture_output=True, text=True, check=True).stdout
        results.append((done.returncode, readme, found.count("\n"), checkout.git("status", "--porcelain")))
    assert results[0] == results[1]
    assert own or (results[0][0] == 0) == (dirty is None)


def test_a_repository_of_a_push_has_its_first_commit(
    place: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert main(["install", "--global"]) == 0
    target = Repo.init(tmp_path / "target")
    target.git("config", "receive.denyCurrentBranch", "updateInstead")
    done = place.run("push", "-q", str(target.path), "HEAD:main")
    assert done.returncode == 0, done.stderr
    assert (target.path / "README.md").read_text() == "# A\n"


def test_the_hooks_of_git_are_known() -> None:
    archive = ARCHIVES["git-2.55"]
    if not archive.exists():
        pytest.skip(f"there is no '{archive}'")
    with tarfile.open(archive) as files:
        page = next(each for each in files if each.name.endswith("/Documentation/githooks.adoc"))
        text = (files.extractfile(page) or io.BytesIO()).read().decode()
    named = re.findall(r"^([a-z0-9-]+)\n~~~+$", text, re.MULTILINE)
    assert sorted(EVENTS) == sorted(named)


def test_nothing_to_undo_is_said(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["uninstall"]) == 0
    assert capsys.readouterr().out == "nothing to do: 'smartcommit install' installed no hooks here\n"


@pytest.mark.parametrize("path", [".husky/_", "/nowhere"])
def test_hooks_are_removed_although_git_looks_elsewhere(place: Repo, path: str) -> None:
    before = snapshot(place.path / ".git" / "hooks")
    assert main(["install"]) == 0
    place.git("config", "core.hooksPath", path)
    assert main(["uninstall"]) == 0
    assert snapshot(place.path / ".git" / "hooks") == before


def test_what_removes_the_hooks_of_all_repositories_is_said(
    place: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert main(["install", "--global"]) == 0
    assert main(["uninstall"]) == 0
    assert capsys.readouterr().out.endswith("removed by 'smartcommit uninstall --global'\n")
    assert (tmp_path / "configuration/smartcommit/hooks/commit-msg").exists()


def test_a_missing_interpreter_lets_the_commit_pass(
    place: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "it's gone" / "python"
    monkeypatch.setattr(sys, "executable", str(gone))
    assert main(["install"]) == 0
    done = commit(place, "--allow-empty", "-e", "-m", "nonsense", GIT_EDITOR="true")
    assert done.returncode == 0
    assert done.stderr.decode().splitlines() == [
        f"smartcommit: {gone} is gone, no draft; run 'smartcommit install' again",
        f"smartcommit: {gone} is gone, message not checked; run 'smartcommit install' again",
    ]


@pytest.fixture
def package(installation: Installation, place: Repo, tmp_path: Path) -> Path:
    """The packages of an installation whose hooks the repository has: they can be removed."""
    packages = tmp_path / "packages"
    for name in ("smartcommit", "smartcommit_hooks"):
        (origin,) = installation.bin.parent.glob(f"lib/python*/site-packages/{name}")
        shutil.copytree(origin, packages / name)
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith("smartcommit"):
            (packages / path.name).symlink_to(path)
    paths = [str(packages)]
    code = f"import sys; sys.path += {paths}; from smartcommit.cli import main; sys.exit(main(['install']))"
    subprocess.run([installation.python, "-I", "-S", "-c", code], cwd=place.path, check=True, capture_output=True)
    return packages


REMOVED = {
    "all": ("smartcommit", "smartcommit_hooks"),
    "its larger half": ("smartcommit",),
    "its smaller half": ("smartcommit_hooks",),
    "all but empty folders": ("smartcommit/*.py", "smartcommit/*/*.py", "smartcommit_hooks/*.py"),
    "the files of a folder": ("smartcommit/*.py",),
    "a module that is used late": ("smartcommit/draft/message_file.py", "smartcommit/refused.py"),
}


@pytest.mark.parametrize("patterns", REMOVED.values(), ids=REMOVED)
def test_a_package_that_is_gone_stops_no_commit(place: Repo, package: Path, patterns: tuple[str, ...]) -> None:
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1
    for pattern in patterns:
        for path in list(package.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    place.stage({"guide.md": "# Guide\n"})
    done = commit(place, "-e", "-m", "feat: add a guide", GIT_EDITOR="true")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr.decode()
    done = commit(place, "--allow-empty", GIT_EDITOR=place.editor('echo "feat: add a" > "$1"'))
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    assert [line for line in lines if "no draft" in line], done.stderr
    assert all("is gone" in line or line.endswith("run 'smartcommit install'") for line in lines), lines


def test_an_interpreter_that_does_not_start_stops_no_commit(place: Repo, tmp_path: Path) -> None:
    broken = write_hook(tmp_path / "python", "#!/bin/sh\necho 'no encodings' >&2\nexit 1\n")
    assert main(["install"]) == 0
    for name in ("prepare-commit-msg", "commit-msg"):
        hook = place.path / ".git" / "hooks" / name
        hook.write_text(hook.read_text().replace(f"python={sys.executable}\n", f"python={broken}\n"))
    done = commit(place, "--allow-empty", "-e", "-m", "nonsense", GIT_EDITOR="true")
    assert done.returncode == 0
    assert [line for line in done.stderr.decode().splitlines() if "smartcommit" in line] == [
        f"smartcommit: {broken} does not start, no draft; run 'smartcommit install' again",
        f"smartcommit: {broken} does not start, message not checked; run 'smartcommit install' again",
    ]


@pytest.mark.parametrize("content", ["", "x = (\n"])
@pytest.mark.parametrize("name", ["smartcommit/verdict.py", "smartcommit_hooks/commit_msg.py"])
def test_a_module_that_is_cut_off_stops_no_commit(place: Repo, package: Path, name: str, content: str) -> None:
    (package / name).write_text(content)
    done = commit(place, "--allow-empty", "-m", "nonsense")
    assert done.returncode == 0
    assert b"smartcommit: its package is gone or damaged, message not checked: " in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_bug_is_no_package_that_is_gone(place: Repo, package: Path) -> None:
    with (package / "smartcommit_hooks" / "commit_msg.py").open("a") as module:
        module.write("raise ValueError\n")
    done = commit(place, "--allow-empty", "-m", "feat: add a", "-m", "Why.")
    assert done.returncode == 1
    assert b"Traceback" in done.stderr
    assert b"is gone" not in done.stderr


@pytest.mark.parametrize("damage", ["cut off", "zeros"])
def test_a_compiled_module_that_is_damaged_stops_no_commit(place: Repo, package: Path, damage: str) -> None:
    source = package / "smartcommit" / "verdict.py"
    compiled = Path(cache_from_source(str(source)))
    py_compile.compile(str(source), str(compiled))
    content = compiled.read_bytes()
    half = len(content) // 2
    compiled.write_bytes(content[:half] + (b"" if damage == "cut off" else bytes(half)))
    done = commit(place, "--allow-empty", "-m", "nonsense")
    assert done.returncode == 0
    assert b"smartcommit: its package is gone or damaged, message not checked: " in done.stderr
    assert b"Traceback" not in done.stderr


PRE_COMMIT = ["pre-commit", "install", "--hook-type", "commit-msg"]


@pytest.mark.parametrize(
    "commands",
    [
        (PRE_COMMIT, ["install"], PRE_COMMIT, ["uninstall"]),
        (PRE_COMMIT, ["install"], PRE_COMMIT, ["install"], PRE_COMMIT, ["uninstall"], PRE_COMMIT),
        (["install"], PRE_COMMIT, ["uninstall"], PRE_COMMIT, ["install"], PRE_COMMIT),
    ],
)
def test_installing_pre_commit_again_and_again_keeps_every_hook(own: Kills, commands: tuple[list[str], ...]) -> None:
    copy = own.copy("again")
    (copy / ".pre-commit-config.yaml").write_text("repos: []\n")
    Repo(copy).git("add", "-A")
    for command in commands:
        assert own.run_together(copy, command) == [0], (copy.parent / "shown").read_text()
        assert runs_own_hook(copy), command
    assert own.run_together(copy, ["uninstall"]) == [0]
    legacy = copy / ".git/hooks/commit-msg.legacy"
    assert legacy.read_text() == SAYS.format(word="own", log="../log")
    assert not (copy / ".git/hooks.before-smartcommit").exists()


def test_installing_again_after_pre_commit_keeps_every_hook(own: Kills) -> None:
    copy = own.copy("again")
    (copy / ".pre-commit-config.yaml").write_text("repos: []\n")
    Repo(copy).git("add", "-A")
    pre_commit = ["pre-commit", "install", "--hook-type", "commit-msg"]
    for command in (["install"], pre_commit, ["install"], ["install"]):
        assert own.run_together(copy, command) == [0], (copy.parent / "shown").read_text()
        assert runs_own_hook(copy), command
    assert Repo(copy).run("commit", "--allow-empty", "-m", "nonsense").returncode == 1
    assert own.run_together(copy, ["uninstall"]) == [0]
    assert runs_own_hook(copy)


def test_a_commit_that_needs_no_draft_starts_python_for_the_check_alone(place: Repo, tmp_path: Path) -> None:
    assert main(["install"]) == 0
    log = tmp_path / "log"
    for name in ("prepare-commit-msg", "commit-msg"):
        hook = place.path / ".git" / "hooks" / name
        program = write_hook(tmp_path / name, SAYS.format(word=name, log=log))
        hook.write_text(hook.read_text().replace(f"python={sys.executable}\n", f"python={program}\n"))
    for number, arguments in enumerate(
        (["-m", "feat: x", "-m", "Why."], ["--amend"], ["--no-edit", "--amend"], ["-e", "-m", "fix: y"])
    ):
        place.stage({f"{number}.txt": "1\n"})
        assert commit(place, *arguments, GIT_EDITOR="true").returncode == 0
    # The last one may be refined.
    assert log.read_text().split() == ["commit-msg"] * 3 + ["prepare-commit-msg", "commit-msg"]


def test_worktrees_share_the_hooks(place: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    place.git("worktree", "add", "-q", "../other", "-b", "other")
    other = Repo(place.path.parent / "other")
    monkeypatch.chdir(other.path)
    assert main(["install"]) == 0
    for repo in (place, other):
        assert commit(repo, "--allow-empty", "-m", "nonsense").returncode == 1


@pytest.mark.parametrize("inside", [True, False])
def test_a_hooks_path_that_others_share_is_left_alone(
    place: Repo, capsys: pytest.CaptureFixture[str], tmp_path: Path, inside: bool
) -> None:
    place.git("config", "core.hooksPath", ".husky/_" if inside else str(tmp_path / "shared"))
    assert main(["install"]) == 1
    error = capsys.readouterr().err
    assert "core.hooksPath is set to " in error
    assert ("smartcommit install --add-lines" if inside else "add these lines to the hooks there") in error
    assert not (place.path / ".husky").exists()
    assert not (tmp_path / "shared").exists()


def test_a_hooks_path_in_the_git_directory_is_honored(place: Repo) -> None:
    place.git("config", "core.hooksPath", ".git/my-hooks")
    assert main(["install"]) == 0
    assert (place.path / ".git" / "my-hooks" / "commit-msg").exists()
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1


def test_global_hooks_run_those_of_each_repository(
    place: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text("[user]\n\tname = A\n\temail = a@x.org\n")
    log = tmp_path / "log"
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        write_hook(place.path / ".git" / "hooks" / name, SAYS.format(word=name, log=log))
    before = (tmp_path / "gitconfig").read_bytes()
    place.git("config", "smartcommit.types", "feat")  # where there are no rules, nothing is refused
    assert main(["install", "--global"]) == 0
    assert sorted(os.listdir(tmp_path / "config" / "smartcommit" / "hooks")) == sorted(FORWARDED)
    assert commit(place, "--allow-empty", "-m", "feat: add a").returncode == 0
    assert set(log.read_text().split()) == {"pre-commit", "commit-msg", "post-commit", "reference-transaction"}
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1
    place.git("worktree", "add", "-q", "../other", "-b", "other")
    log.unlink()
    assert commit(Repo(place.path.parent / "other"), "--allow-empty", "-m", "feat: add b").returncode == 0
    assert "pre-commit" in log.read_text().split()
    assert main(["uninstall", "--global"]) == 0
    assert not (tmp_path / "config" / "smartcommit" / "hooks").exists()
    assert (tmp_path / "gitconfig").read_bytes() == before


def test_global_and_local_hooks_check_once(place: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert main(["install"]) == 0
    assert main(["install", "--global"]) == 0
    done = commit(place, "--allow-empty", "-e", "-m", "nonsense", GIT_EDITOR="true")
    assert done.returncode == 1
    assert done.stderr.count(b"Your message was saved") == 1


@pytest.mark.parametrize(
    ("variable", "path", "said"),
    [
        ("GIT_CONFIG_SYSTEM", "/opt/hooks", "core.hooksPath is set to '/opt/hooks' for all users"),
        ("GIT_CONFIG_GLOBAL", ".hooks", "core.hooksPath is set to '.hooks'"),
        ("GIT_CONFIG_GLOBAL", "/opt/hooks", "core.hooksPath is set to '/opt/hooks'"),
    ],
)
def test_global_hooks_replace_none_that_are_set_elsewhere(
    place: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    variable: str, path: str, said: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.delenv("GIT_CONFIG_NOSYSTEM", raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "set"))
    (tmp_path / "set").write_text(f"[core]\n\thooksPath = {path}\n")
    assert main(["install", "--global"]) == 1
    assert said in capsys.readouterr().err
    assert (tmp_path / "set").read_text() == f"[core]\n\thooksPath = {path}\n"
    assert not (tmp_path / "gitconfig").exists()
    assert not (tmp_path / "config" / "smartcommit").exists()
    assert not (place.path / ".hooks").exists()
    assert main(["uninstall", "--global"]) == 0
    assert (tmp_path / "set").read_text() == f"[core]\n\thooksPath = {path}\n"


def test_hooks_are_not_installed_twice(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    write_hook(place.path / ".git" / "hooks" / "commit-msg", "#!/bin/sh\n# File generated by pre-commit: https://x\n")
    repo = "https://github.com/smartcommit/smartcommit"
    place.write(".pre-commit-config.yaml", f"repos:\n- repo: {repo}\n  rev: v1\n  hooks:\n  - id: commit-msg\n")
    assert main(["install"]) == 1
    assert "pre-commit already runs these hooks here" in capsys.readouterr().err
    (place.path / ".pre-commit-config.yaml").unlink()
    (place.path / ".git" / "hooks" / "commit-msg").unlink()
    assert main(["install"]) == 0
    assert main(["init"]) == 1
    assert "'smartcommit install' has installed these hooks here" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [("--global", "--files"), ("--global", "--add-lines")],
)
def test_options_that_exclude_each_other_are_named(
    repo: Repo, options: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", *options]) == 2

    assert f"{options[0]} and {options[1]} cannot be combined" in capsys.readouterr().err
