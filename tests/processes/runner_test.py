"""Which command lines name the split hook."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from smartcommit.processes import runner as hook_runner
from smartcommit.processes.runner import (
    ask_ps,
    find_invocation,
    find_runner,
    interpret,
    is_amending,
    read_process,
    stash_is_held,
)
from tests.support.table import rows

NAMED = """
pre-commit run split
pre-commit run --hook-stage manual split
pre-commit run split --hook-stage manual
pre-commit run --hook-stage=manual split
pre-commit run --verbose --fail-fast split --color never
pre-commit run -vc other.yaml split
pre-commit run --config=other.yaml split
pre-commit run --files a b c -- split
pre-commit run --files=a split
pre-commit run -- split
pre-commit try-repo ../smartcommit split
/usr/bin/python3 /home/me/.local/bin/pre-commit run split
/opt/venv/bin/python3.12 -m pre_commit run split
python -mpre_commit run split
/opt/pipx/venvs/pre-commit/bin/python -E /home/me/.local/bin/pre-commit run split
python3 -sE -m pre_commit run split
python3 ./pre-commit-4.7.0.pyz run split
python /site-packages/pre_commit/__main__.py run split
'C:\\venv\\Scripts\\pre-commit.exe' run split
prek run split
prek split
prek run --stage manual split
prek run ruff split
prek run src/:split
prek run src/ ./lib:split
prek run -q --no-progress --skip ruff split
prek try-repo --rev main ../smartcommit ruff split
python -m prek run split
""".strip().splitlines()

NOT_NAMED = """
pre-commit run
pre-commit run --all-files
pre-commit run --hook-stage manual -a
pre-commit run --files split
pre-commit try-repo split
pre-commit hook-impl --config=.pre-commit-config.yaml --hook-type=pre-commit --hook-dir .git/hooks -- split
prek run --stage manual
prek run src/ ruff
prek run --files a split
prek hook-impl --hook-type=pre-commit --hook-dir .git/hooks -- split
prek try-repo split src/
prek list split
prek exec split -- smartcommit-split
""".strip().splitlines()

CANNOT_TELL = """
prek run -s split -o HEAD
prek run --group split
prek run --skip split
pre-commit run --not-yet-invented split
pre-commit run -smain -oHEAD split
""".strip().splitlines()

NO_RUNNER = """
git commit -m 'pre-commit run split'
bash -c 'pre-commit run split'
python -c 'import pre_commit' run split
python setup.py run split
python -m pytest pre-commit run split
python -X dev -W ignore -m pre_commit run split
vim pre-commit
""".strip().splitlines()


def test_a_command_line_names_the_hook_or_not_or_leaves_it_open() -> None:
    found: dict[str, list[str]] = {"named": [], "not named": [], "open": [], "no runner": []}
    for line in [*NAMED, *NOT_NAMED, *CANNOT_TELL, *NO_RUNNER]:
        runner = find_runner(shlex.split(line))
        invocation = interpret(runner or [], "split")
        if runner is None:
            found["no runner"].append(line)
        elif invocation is None:
            found["open"].append(line)
        else:
            found["named" if invocation.named else "not named"].append(line)
    assert found == {"named": NAMED, "not named": NOT_NAMED, "open": CANNOT_TELL, "no runner": NO_RUNNER}


@rows(
    ("arguments", "all_files", "choosing"),
    ("run split", False, ()),
    ("run split --all-files --hook-stage manual", True, ()),
    ("run -v -a split", True, ()),
    ("run split --files a -- --all-files", False, ("--files",)),
    ("run split --files=a", False, ("--files",)),
    ("run split -s main -o HEAD", False, ("-o", "-s")),
    ("run split --to-ref HEAD --from-ref main", False, ("--from-ref", "--to-ref")),
    ("split --last-commit", False, ("--last-commit",)),
    ("run split -d src --glob '*.py'", False, ("--glob", "-d")),
)
def test_options_about_files_are_seen(arguments: str, all_files: bool, choosing: tuple[str, ...]) -> None:
    found = interpret(shlex.split(arguments), "split")
    assert found == hook_runner.Invocation(named=True, all_files=all_files, choosing=choosing)


def test_the_nearest_of_the_next_ancestors_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = ["pre-commit", "run", "split"]
    near = {os.getppid(): (11, ["sh"]), 11: (12, ["pre-commit", "hook-impl"]), 12: (1, runner)}
    far = {os.getppid(): (2, ["sh"]), **{n: (n + 1, ["sh"]) for n in range(2, 9)}, 9: (1, runner)}
    for above, expected in ((near, hook_runner.Invocation(named=False)), (far, None), ({}, None)):
        monkeypatch.setattr(hook_runner, "read_process", above.get)
        assert find_invocation("split") == expected


@rows(
    ("arguments", "amends"),
    ("commit --amend", True),
    ("-C repo commit -q --ame -m x", True),
    ("commit -am x --amend --no-edit", True),
    ("commit -mx --author=a --amend", True),
    ("commit -S --amend", True),
    ("commit -m --amend", False),
    ("commit -qam --amend", False),
    ("commit --mess --amend", False),
    ("commit --trailer --amend", False),
    ("commit -m x -- --amend", False),
    ("commit --amen -- x", True),
    ("commit --a", False),
    ("merge --amend", None),
)
def test_amending_is_told_from_a_value(arguments: str, amends: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    above = {os.getppid(): (2, ["sh", "hook"]), 2: (1, ["/usr/bin/git", *shlex.split(arguments)])}
    monkeypatch.setattr(hook_runner, "read_process", above.get)
    assert is_amending() is amends


@rows(
    ("place", "variable", "held"),
    (".cache/pre-commit/patch1-{}", "HOME", True),
    ("pre-commit/patch1-{}", "XDG_CACHE_HOME", True),
    ("prek/patches/1-{}.patch", "XDG_CACHE_HOME", True),
    ("patch1-{}", "PRE_COMMIT_HOME", True),
    ("patches/1-{}.patch", "PREK_HOME", True),
    ("patch1-{}", "XDG_CACHE_HOME", False),
    ("patch1-1{}", "PRE_COMMIT_HOME", False),
)
def test_a_patch_with_the_id_of_our_parent_holds_changes(
    place: str, variable: str, held: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / f"{variable} {held} {place[:4]}"
    patch = root / place.format(os.getppid())
    patch.parent.mkdir(parents=True)
    patch.touch()
    monkeypatch.setenv("HOME", str(root))
    assert stash_is_held({"PRE_COMMIT": "1", variable: str(root)}) is held
    assert not stash_is_held({variable: str(root)})


def test_a_process_is_read_from_proc_and_from_ps_alike(tmp_path: Path) -> None:
    script = tmp_path / "pre-commit"
    script.write_text("import sys; print('ready', flush=True); sys.stdin.read()")
    command = [sys.executable, str(script), "run", "--hook-stage", "manual", "split"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        expected = (os.getpid(), command)
        try:
            assert read_process(process.pid) == expected
            assert ask_ps(process.pid) == expected
        finally:
            process.stdin.close()
    assert read_process(process.pid) is None
