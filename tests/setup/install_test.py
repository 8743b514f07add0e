"""`smartcommit install` and `uninstall`, with commits by real git."""

import errno
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from smartcommit import state_files
from smartcommit.cli import main
from tests.setup.channels_test import place, snapshot, write_hook
from tests.support.commands import Command
from tests.support.documentation import ROOT
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows

__all__ = ["place"]
# What `install` says at its end.
RULES = "the usual rules and the history's types and scopes"
SHORT = f"""\
ok       prepare-commit-msg, installed by 'smartcommit install', drafts with the built-in drafter
ok       commit-msg, installed by 'smartcommit install', checks messages by {RULES}
next: git commit               opens your editor on a draft of what is staged
      git smart-commit         splits a mixed change into commits
      git smart-commit undo    takes them back
"""
SAYS = "#!/bin/sh\necho {word} >> {log}\n"


def commit(repo: Repo, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return repo.run("commit", *arguments, env=environment)


def test_a_commit_is_drafted_and_a_bad_message_is_rejected(place: Repo, smartcommit: Command) -> None:
    hooks = place.path / ".git" / "hooks"
    before = snapshot(hooks)
    assert smartcommit("install").out == (
        f"installed in '{hooks.resolve()}': prepare-commit-msg, commit-msg\nundo: smartcommit uninstall\n{SHORT}"
    )
    place.stage({"guide.md": "# Guide\n"})
    assert commit(place, GIT_EDITOR="true").returncode == 0
    assert place.message().strip() == "docs: add guide.md"
    place.stage({"more.md": "1\n"})
    refused = commit(place, "-m", "Added more")
    assert refused.returncode == 1
    assert b"type" in refused.stderr
    smartcommit("uninstall")
    assert snapshot(hooks) == before
    assert commit(place, "-m", "Added more").returncode == 0


def test_what_is_stored_goes_with_the_hooks_but_what_commands_need(place: Repo, smartcommit: Command) -> None:
    smartcommit("install")
    place.stage({"a.py": "1\n"})
    assert commit(place, "-m", "Added more").returncode == 1
    stored = place.path / ".git" / "smartcommit"
    for name in state_files.STORED:
        (stored / name).write_text("Kept\n")
    said = smartcommit("uninstall").out
    left = {name for name, command in state_files.STORED.items() if command}
    assert set(os.listdir(stored)) == left
    assert "the message that was refused last:\nKept\n" in said
    for name in left:
        assert f"'{stored.resolve() / name}' stays, for '{state_files.STORED[name]}'" in said


def test_the_page_lists_what_is_stored(place: Repo) -> None:
    page = (ROOT / "docs/security.md").read_text().partition("## What is stored")[2].partition("\n## ")[0]
    listed = {}
    for row in re.findall(r"(?m)^\| (`.*) \| .* \|(?: `(.*)`)? \|$", page):
        for name in row[0].replace("`", "").split(", "):
            listed[name] = row[1]
    assert listed == state_files.STORED


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
        cwd=repo.path,
        env={"PATH": "", "GIT_EDITOR": "/bin/true"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert repo.message().strip() == "docs: add guide.md"


def test_a_kept_hook_is_never_replaced(place: Repo, smartcommit: Command) -> None:
    hooks = place.path / ".git" / "hooks"
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# first\n")
    smartcommit("install", "--hooks", "commit-msg")
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# second\n")
    before = snapshot(hooks)
    assert "has the hook that was kept before" in smartcommit("install", "--hooks", "commit-msg", status=1).err
    assert snapshot(hooks) == before


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


def test_a_hook_that_is_not_named_stays_and_is_told(place: Repo, smartcommit: Command) -> None:
    smartcommit("install")
    first, second, *_ = smartcommit("install", "--hooks", "prepare-commit-msg", "--pre-push").out.splitlines()
    assert first.endswith("': prepare-commit-msg, commit-msg, pre-push")
    assert second == "commit-msg stays: to be without it, run 'smartcommit uninstall' and this command again"
    smartcommit("uninstall")
    assert "commit-msg stays" not in smartcommit("install", "--hooks", "prepare-commit-msg", "--pre-push").out


def test_a_link_to_another_hook_still_leads_to_that(place: Repo) -> None:
    hooks = place.path / ".git/hooks"
    write_hook(hooks / "prepare-commit-msg", '#!/bin/sh\necho "${0##*/}" >> log\n')
    (hooks / "commit-msg").symlink_to("prepare-commit-msg")
    for commands in (["--hooks=commit-msg", "--hooks=prepare-commit-msg"], ["--files"]):
        for option in commands:
            assert main(["install", option]) == 0
            assert commit(place, "--allow-empty", "-m", "feat: add a").returncode == 0
            assert (place.path / "log").read_text() == "prepare-commit-msg\ncommit-msg\n"
            (place.path / "log").unlink()
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


def test_only_our_own_litter_is_removed(place: Repo) -> None:
    hooks = place.path / ".git/hooks"
    before = snapshot(hooks)
    assert main(["install"]) == 0
    shutil.copy(hooks / "commit-msg", hooks / "commit-msg.new")
    (hooks / "prepare-commit-msg.new").touch()
    theirs = write_hook(hooks / "commit-msg.news", "#!/bin/sh\n")
    assert main(["uninstall"]) == 0
    assert theirs.read_text() == "#!/bin/sh\n"
    theirs.unlink()
    assert snapshot(hooks) == before


def test_a_hook_that_is_never_run_is_not_said_to_run(place: Repo, smartcommit: Command) -> None:
    write_hook(place.path / ".git/hooks/commit-msg", "#!/bin/sh\n").chmod(0o644)
    assert "does not run: it is not executable" in smartcommit("install").out


def test_a_hook_that_was_written_since_is_not_replaced(place: Repo, smartcommit: Command) -> None:
    hooks = place.path / ".git/hooks"
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# first\n")
    smartcommit("install")
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# second\n")
    out = smartcommit("uninstall").out
    assert "hooks.before-smartcommit/commit-msg' stays under this name: there is another commit-msg now" in out
    assert "is back" not in out
    assert "second" in (hooks / "commit-msg").read_text()


def test_a_hook_that_others_change_is_left_to_them(place: Repo, smartcommit: Command) -> None:
    hook = write_hook(place.path / ".git/hooks/commit-msg", "#!/bin/sh\n# 0\n")

    def see(event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.link" and str(arguments[0]) == str(hook):
            write_hook(hook.with_name("theirs"), "#!/bin/sh\n# 1\n").replace(hook)

    sys.addaudithook(see)
    shown = smartcommit("install", "--hooks", "commit-msg", status=1)
    assert f"another program has changed '{hook}' at the same time" in shown.err
    assert hook.read_text() == "#!/bin/sh\n# 1\n"
    assert {path.name for path in hook.parent.glob("commit-msg*")} == {"commit-msg", "commit-msg.sample"}
    smartcommit("uninstall")
    assert not (hook.parent.parent / "hooks.before-smartcommit").exists()


def test_pre_commit_that_is_about_to_write_its_hook_loses_none(place: Repo, smartcommit: Command) -> None:
    """It renames a hook, creates its own, and writes that; a loaded machine stops it between any two of these."""
    hook = write_hook(place.path / ".git/hooks/commit-msg", "#!/bin/sh\n# own\n")
    legacy = hook.with_name("commit-msg.legacy")
    smartcommit("install")
    hook.rename(legacy)
    smartcommit("uninstall")
    assert not hook.exists()
    assert legacy.read_text() == "#!/bin/sh\n# own\n"
    hook.touch()
    smartcommit("uninstall")
    assert f"'{hook}' is empty: another program may be writing it" in smartcommit("install", status=1).err
    hook.write_text("#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n# --hook-dir\n")
    smartcommit("install")
    assert "File generated" in hook.read_text()
    assert "Installed by 'smartcommit install'" in legacy.read_text()
    smartcommit("uninstall")
    assert legacy.read_text() == "#!/bin/sh\n# own\n"


def test_hooks_are_kept_where_there_are_no_hard_links(place: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    code = errno.EXDEV

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    def fill(*_: object, **__: object) -> None:
        kept.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", refuse)
    hooks = place.path / ".git/hooks"
    hook = write_hook(hooks / "commit-msg", "#!/bin/sh\n# own\n")
    (hooks / "prepare-commit-msg").symlink_to("commit-msg")
    kept = hooks.with_name("hooks.before-smartcommit") / "commit-msg"
    before = snapshot(hooks)
    # What is on another file system could not be moved back.
    assert main(["install"]) == 1
    code = errno.EPERM
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copy2", fill)
        assert main(["install"]) == 1
    assert main(["uninstall"]) == 0
    assert snapshot(hooks) == before
    # A command that is killed has made a copy and nothing else.
    kept.parent.mkdir()
    shutil.copy2(hook, kept)
    assert main(["install"]) == 0
    assert kept.read_text() == "#!/bin/sh\n# own\n"
    assert main(["uninstall"]) == 0
    assert snapshot(hooks) == before


def test_a_hook_that_cannot_be_written_leaves_the_old_one(place: Repo, smartcommit: Command) -> None:
    hooks = place.path / ".git" / "hooks"
    write_hook(hooks / "commit-msg", "#!/bin/sh\n# own\n")
    (hooks / "commit-msg.new").mkdir()  # nothing can be written there
    before = snapshot(hooks)
    assert main(["install", "--hooks", "commit-msg"]) == 1
    assert snapshot(hooks) == before
    (hooks / "commit-msg.new").rename(hooks / "prepare-commit-msg")
    shown = smartcommit("install", "--hooks", "prepare-commit-msg", status=1)
    assert shown.err.endswith("/prepare-commit-msg': is a directory\n")


@pytest.mark.parametrize("path", [".husky/_", "/nowhere"])
def test_hooks_are_removed_although_git_looks_elsewhere(place: Repo, path: str) -> None:
    before = snapshot(place.path / ".git" / "hooks")
    assert main(["install"]) == 0
    place.git("config", "core.hooksPath", path)
    assert main(["uninstall"]) == 0
    assert snapshot(place.path / ".git" / "hooks") == before


@rows(
    ("script", "problem"),
    (None, "is gone"),
    ("#!/bin/sh\necho 'no encodings' >&2\nexit 1\n", "does not start"),
)
def test_a_missing_or_broken_interpreter_lets_commits_pass(
    place: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str | None, problem: str
) -> None:
    python = tmp_path / "it's broken" / "python"
    if script is not None:
        write_hook(python, script)
    monkeypatch.setattr(sys, "executable", str(python))
    assert main(["install"]) == 0
    done = commit(place, "--allow-empty", GIT_EDITOR=place.editor('echo nonsense >"$1"'))
    assert done.returncode == 0
    assert [line for line in done.stderr.decode().splitlines() if "smartcommit" in line] == [
        f"smartcommit: {python} {problem}, no draft; run 'smartcommit install' again",
        f"smartcommit: {python} {problem}, message not checked; run 'smartcommit install' again",
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


# Files of the packages, and what becomes of them: they are removed, or have another content.
REMOVED = "removed"
DAMAGES = (
    ("smartcommit smartcommit_hooks", REMOVED),
    ("smartcommit", REMOVED),
    ("smartcommit_hooks", REMOVED),
    # Empty folders stay.
    ("smartcommit/*.py smartcommit/*/*.py smartcommit_hooks/*.py", REMOVED),
    ("smartcommit/*.py", REMOVED),
    # They are imported late.
    ("smartcommit/draft/message_file.py smartcommit/refused.py", REMOVED),
    *(("smartcommit/verdict.py", damage) for damage in ("", "x = (\n", "cut off", "zeros")),
    *(("smartcommit_hooks/commit_msg.py", damage) for damage in ("", "x = (\n", "cut off", "zeros")),
)


def test_a_package_that_is_gone_or_damaged_stops_no_commit(place: Repo, package: Path, tmp_path: Path) -> None:
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1
    package.rename(tmp_path / "whole")
    failed = []
    for number, (patterns, damage) in enumerate(DAMAGES):
        shutil.copytree(tmp_path / "whole", package, symlinks=True)
        for pattern in patterns.split():
            for path in list(package.glob(pattern)):
                spoil(path, damage)
        place.stage({f"guide{number}.md": "# Guide\n"})
        drafted = commit(place, GIT_EDITOR=place.editor('echo "feat: add a" > "$1"'))
        checked = commit(place, "--allow-empty", "-m", "nonsense")
        said = (drafted.stderr + checked.stderr).decode()
        told = said.count("message not checked: ") == 2 and ("no draft: " in said or damage != REMOVED)
        if drafted.returncode or checked.returncode or re.search("Traceback|this is a bug", said) or not told:
            failed.append(f"{patterns} {damage!r}: {drafted} {checked}")
        shutil.rmtree(package)
    assert not failed, "\n".join(failed)


def spoil(path: Path, damage: str) -> None:
    if damage != REMOVED and damage not in ("cut off", "zeros"):
        path.write_text(damage)
    elif damage != REMOVED:
        damage_compiled(path, zeros=damage == "zeros")
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def damage_compiled(source: Path, *, zeros: bool) -> None:
    compiled = Path(cache_from_source(str(source)))
    py_compile.compile(str(source), str(compiled))
    content = compiled.read_bytes()
    # What follows the header of 16 bytes can be missing as a whole.
    kept = len(content) // 2 if zeros else 16
    compiled.write_bytes(content[:kept] + bytes(kept if zeros else 0))


def test_a_bug_is_no_package_that_is_gone(place: Repo, package: Path) -> None:
    with (package / "smartcommit_hooks" / "commit_msg.py").open("a") as module:
        module.write("raise ValueError\n")
    done = commit(place, "--allow-empty", "-m", "feat: add a", "-m", "Why.")
    assert done.returncode == 1
    assert b"Traceback" in done.stderr
    assert b"is gone" not in done.stderr


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
    assert log.read_text().split() == ["commit-msg"] * 4


def test_a_hooks_path_in_the_git_directory_is_honored(place: Repo) -> None:
    place.git("config", "core.hooksPath", ".git/my-hooks")
    assert main(["install"]) == 0
    assert (place.path / ".git" / "my-hooks" / "commit-msg").exists()
    assert commit(place, "--allow-empty", "-m", "nonsense").returncode == 1


def test_an_edited_hook_of_ours_is_kept_beside_a_new_one(place: Repo, smartcommit: Command) -> None:
    hook = place.path / ".git/hooks/commit-msg"
    write_hook(hook, "#!/bin/sh\n# own\n")
    smartcommit("install")
    written = hook.read_text()
    write_hook(hook, written + "./lint\n")
    assert f"'{hook}' is not as smartcommit wrote it" in smartcommit("doctor", status=1).out
    smartcommit("install")
    assert (hook.read_text(), hook.with_name("commit-msg.edited").read_text()) == (written, written + "./lint\n")
    write_hook(hook, written.replace("exit $status", "exit 0"))
    smartcommit("uninstall")
    assert hook.read_text() == "#!/bin/sh\n# own\n"
    assert "exit 0" in hook.with_name("commit-msg.edited1").read_text()


@rows(
    ("act", "told"),
    ("rm .git/hooks/commit-msg", "/.git/hooks/commit-msg' is gone\n         hint: run 'smartcommit install' again"),
    ("rm .git/hooks/prepare-commit-msg", "/.git/hooks/prepare-commit-msg' is gone"),
    ("mv .git/hooks/commit-msg .git/hooks/commit-msg.old", "commit-msg' was moved to '"),
    ("printf '#!/bin/sh\\n' > .git/hooks/commit-msg", "commit-msg' is gone"),
    ("chmod -x .git/hooks/commit-msg", "is not executable"),
    ("git config core.hooksPath nowhere", "not exist: create it, or run 'git config --local --unset"),
    ("touch lefthook.yml; mv .git/hooks/commit-msg .git/hooks/commit-msg.old", "lefthook has moved"),
)
def test_the_doctor_misses_a_hook_that_was_installed(place: Repo, act: str, told: str, smartcommit: Command) -> None:
    smartcommit("install")
    assert subprocess.run(["sh", "-c", act], cwd=place.path, check=True).returncode == 0
    assert told in smartcommit("doctor", status=1).out
    smartcommit("uninstall")
    place.run("config", "--unset-all", "core.hooksPath")
    subprocess.run(["sh", "-c", "rm -f lefthook.yml .git/hooks/commit-msg*"], cwd=place.path, check=True)


def test_what_runs_our_hooks_already_is_left_to_it(place: Repo, smartcommit: Command) -> None:
    """The project has our entry, or a hook that calls our command."""
    write_hook(place.path / ".git" / "hooks" / "commit-msg", "#!/bin/sh\n# File generated by pre-commit: https://x\n")
    repo = "https://github.com/smartcommit/smartcommit"
    place.write(".pre-commit-config.yaml", f"repos:\n- repo: {repo}\n  rev: v1\n  hooks:\n  - id: commit-msg\n")
    before = snapshot(place.path)
    assert "pre-commit already runs commit-msg here, by '.git/hooks/commit-msg'" in smartcommit("install", status=1).err
    assert smartcommit("uninstall").out == "nothing to do: 'smartcommit install' installed no hooks here\n"
    write_hook(place.path / ".git" / "hooks" / "commit-msg", "#!/bin/sh\nsmartcommit-commit-msg $1\n")
    shown = smartcommit("install", status=1)
    assert "another hook already runs commit-msg here, by '.git/hooks/commit-msg'" in shown.err
    before[".git/hooks/commit-msg"] = snapshot(place.path)[".git/hooks/commit-msg"]
    assert snapshot(place.path) == before
