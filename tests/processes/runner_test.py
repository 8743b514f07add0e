"""Which command lines name the split hook."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from smartcommit.processes import runner as hook_runner
from smartcommit.processes.runner import ask_ps, find_invocation, find_runner, interpret, read_process
from tests.support.table import rows

NAMED = """
prek run --hook-s manual split
prek run -qq --no-progress --skip ruff split
pre-commit run -vc other.yaml split
pre-commit run --hook-s manual split
pre-commit run split
pre-commit run --hook-stage manual split
pre-commit run split --hook-stage manual
pre-commit run --hook-stage=manual split
pre-commit run --verbose --fail-fast split --color never
pre-commit run -v split
prek run -q --no-progress --skip ruff split
pre-commit run split -a
pre-commit run -c other.yaml split
pre-commit run --config=other.yaml split
pre-commit run --from-ref main --to-ref HEAD split
pre-commit run -s main -o HEAD split
pre-commit run --source main --origin HEAD split
pre-commit run --remote-branch x --local-branch y --remote-name origin --remote-url u split
pre-commit run --is-squash-merge 0 split
pre-commit run split --files a b c
pre-commit run --files a b c -- split
pre-commit run --files=a split
pre-commit run -- split
pre-commit try-repo ../smartcommit split
pre-commit try-repo --ref main ../smartcommit split --verbose
pre-commit try-repo ../smartcommit split --hook-stage manual --rev=HEAD
/usr/bin/python3 /home/me/.local/bin/pre-commit run split
/opt/venv/bin/python3.12 -m pre_commit run split
python -mpre_commit run split
python pre-commit.pyz run split
python3 ./pre-commit-4.7.0.pyz run split
pypy3 -m pre_commit run split
python /site-packages/pre_commit/__main__.py run split
prek run split
prek split
prek -a split
prek --all-files run split
prek run --stage manual split
prek run --hook-stage=manual split
prek run ruff split
prek run src/:split
prek run :split
prek run .:split
prek run src/ split
prek run src/ ./lib:split
prek -C sub -c x.toml run split
prek run --is-squash-merge split
prek run --group lint split
prek run -d src --glob '*.py' split
prek run --files a -- split
prek try-repo ../smartcommit split
prek try-repo --rev main ../smartcommit ruff split
python -m prek run split
""".strip().splitlines()

NOT_NAMED = """
pre-commit run --files a b --verbose split
pre-commit
pre-commit run
pre-commit run --all-files
pre-commit run -a
pre-commit run --hook-stage manual
pre-commit run --hook-stage manual --all-files
pre-commit run --files split
pre-commit run --files a b split
pre-commit run --all-files --verbose --show-diff-on-failure
pre-commit run --
pre-commit run ''
pre-commit try-repo split
pre-commit try-repo ../smartcommit --verbose
pre-commit try-repo ../smartcommit --all-files
pre-commit hook-impl --config=.pre-commit-config.yaml --hook-type=pre-commit --hook-dir .git/hooks -- split
pre-commit install-hooks
python -mpre_commit hook-impl --config=.pre-commit-config.yaml --hook-type=pre-commit --hook-dir .git/hooks --
prek
prek -a
prek run
prek run --all-files
prek run --stage manual
prek run src/
prek run .
prek run ./ ../lib
prek run src/ ruff
prek run --last-commit --dry-run
prek run --files a split
prek hook-impl --hook-type=pre-commit --hook-dir .git/hooks -- split
prek try-repo ../smartcommit
prek try-repo split src/
prek list split
prek exec split -- smartcommit-split
""".strip().splitlines()

CANNOT_TELL = """
prek run -s split -o HEAD
prek run --group split
prek run --skip split
pre-commit run --commit-msg-filename split
pre-commit run --config split
pre-commit run -s split
pre-commit run --from-ref split --to-ref split
pre-commit run --not-yet-invented split
pre-commit run --s split
pre-commit run -z split
pre-commit run -va split
pre-commit run -cother.yaml split
pre-commit run -smain -oHEAD split
pre-commit run -vs split
prek run --not-yet-invented split
""".strip().splitlines()

NO_RUNNER = """
git commit -m 'pre-commit run split'
bash -c 'pre-commit run split'
python -c 'import pre_commit' run split
python setup.py run split
python -m pytest pre-commit run split
python
python -I -m pre_commit run split
python -ISm pre_commit run split
python -X dev -W ignore -m pre_commit run split
python -Wignore -Xdev -mpre_commit run split
python --check-hash-based-pycs always -m pre_commit run split
make split
vim pre-commit
""".strip().splitlines()


@rows("line", NAMED)
def test_a_command_line_that_names_the_hook(line: str) -> None:
    found = _interpret(line)
    assert found is not None
    assert found.named


@rows("line", NOT_NAMED)
def test_a_command_line_that_does_not_name_the_hook(line: str) -> None:
    found = _interpret(line)
    assert found is not None
    assert not found.named


@rows("line", CANNOT_TELL)
def test_a_word_that_may_be_the_value_of_an_option_leaves_it_open(line: str) -> None:
    assert _interpret(line) is None


@rows("line", NO_RUNNER)
def test_other_programs_are_not_runners(line: str) -> None:
    assert find_runner(shlex.split(line)) is None


def test_a_runner_on_windows_is_found_by_its_name() -> None:
    assert find_runner([r"C:\venv\Scripts\pre-commit.exe", "run", "split"]) == ["run", "split"]


@rows(
    ("line", "expected"),
    [
        ("pre-commit run split", False),
        ("pre-commit run split --all-files", True),
        ("pre-commit run -v -a split", True),
        ("pre-commit run split --files a -- --all-files", False),
        ("prek -a split", True),
        ("prek run split --files a", False),
    ],
)
def test_all_files_is_seen(line: str, expected: bool) -> None:
    found = _interpret(line)
    assert found is not None
    assert found.all_files is expected


@rows(
    ("line", "expected"),
    [
        ("pre-commit run split", []),
        ("pre-commit run -v -a split --hook-stage manual", []),
        ("pre-commit run split --files a b", ["--files"]),
        ("pre-commit run split --files=a", ["--files"]),
        ("pre-commit run split -s main -o HEAD", ["-o", "-s"]),
        ("pre-commit run split --to-ref HEAD --from-ref main", ["--from-ref", "--to-ref"]),
        ("prek split --last-commit", ["--last-commit"]),
        ("prek run split -d src --glob '*.py'", ["--glob", "-d"]),
    ],
)
def test_options_that_choose_files_are_seen(line: str, expected: list[str]) -> None:
    found = _interpret(line)
    assert found is not None
    assert list(found.choosing) == expected


def test_the_nearest_runner_counts() -> None:
    chain = {os.getppid(): (11, ["sh"]), 11: (12, ["pre-commit", "hook-impl"]), 12: (1, ["pre-commit", "run", "split"])}
    found = find_invocation("split", process=chain.get)
    assert found is not None
    assert not found.named


def test_ancestors_are_followed_only_so_far() -> None:
    chain = {os.getppid(): (2, ["sh"]), **{n: (n + 1, ["sh"]) for n in range(2, 9)}, 9: (1, ["pre-commit", "run", "x"])}
    assert find_invocation("split", process=chain.get) is None


def test_nothing_is_said_where_a_process_cannot_be_read() -> None:
    assert find_invocation("split", process=lambda pid: None) is None


def test_a_process_is_read_from_proc_and_from_ps_alike(tmp_path: Path) -> None:
    script = tmp_path / "pre-commit"
    script.write_text("import sys; print('ready', flush=True); sys.stdin.read()")
    command = [sys.executable, str(script), "run", "--hook-stage", "manual", "split"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        expected = (os.getpid(), command)
        try:
            assert read_process(process.pid) == expected
            assert ask_ps(process.pid) == expected
        finally:
            assert process.stdin is not None
            process.stdin.close()


def test_a_process_that_is_gone_is_none() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert read_process(process.pid) is None


def _interpret(line: str) -> hook_runner.Invocation | None:
    runner = find_runner(shlex.split(line))
    assert runner is not None
    return interpret(runner, "split")
