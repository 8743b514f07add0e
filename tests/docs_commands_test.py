"""Every command of the README and of docs/: the real command line takes it, and what can be run is run."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from smartcommit.cli import REWRITING, group
from smartcommit.commands import demo
from smartcommit.config import load, make_rules
from smartcommit.settings import KEYS
from tests.support import programs
from tests.support.documentation import PAGES, ROOT, Block, find_blocks, find_spans, names_in, run_shell, to_pattern
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows

LANGUAGES = ("sh", "shell", "console")
BLOCKS: dict[str, list[Block]] = {}
for each in PAGES:
    BLOCKS[str(each.relative_to(ROOT))] = find_blocks(each, *LANGUAGES)
# Programs that are not run, and why. Each does what its script says instead.
STUBS = {
    # It would install from the package index; tests/packaging_test.py builds the wheel, and other tests install it.
    "pipx": "exit 0",
    # A service on the network.
    "claude": "exit 0",
    # It would build an environment; `.ci/run` runs both targets as a new machine does. Here they must exist.
    "make": f'exec {shutil.which("make")} -n -C {shlex.quote(str(ROOT))} "$@" >/dev/null',
}
# Blocks that other tests run, by page and how they or their chapter begin.
ELSEWHERE = {
    (
        "docs/installing.md",
        "if command -v",
    ): "setup/hook_lines_test.py::test_the_lines_for_everybody_run_our_hooks_where_they_are",
    ("docs/ci.md", "if [ "): "ci_recipes_test.py::test_the_script_for_any_other_system",
    # It is about a branch with commits.
    ("docs/drafting.md", "A pull request"): "commands/draft_branch_test.py::test_the_page_shows_what_is_printed",
    # A model's server has to be there, or must not be.
    (
        "docs/model.md",
        "$ smartcommit model",
    ): "commands/model_test.py::test_what_is_found_is_listed_with_the_commands_that_choose_it",
    # It pushes, publishes, and needs a key that signs.
    ("docs/releasing.md", ""): "releasing_test.py::test_the_commands_lead_from_a_clean_main_to_a_release",
    # It is about a clone that can be pushed, in git and in jj.
    ("docs/agents.md", "From a plan to a push"): "story_test.py::test_what_is_told_leads_from_a_plan_to_a_push",
    # jj has to be there, which not every machine has.
    ("docs/planner.md", "Running the plan"): (
        "story_test.py::test_the_page_on_the_planner_is_enough_to_run_a_plan_in_a_fresh_repository"
    ),
    ("docs/planner.md", "$ smartcommit check --jj"): (
        "commands/plan_test.py::test_the_recipe_before_a_push_judges_every_change"
    ),
}
# Commands that do not exit with 0, and with what instead.
STATUSES = {
    "git commit -m 'Describe the cart'": 1,
    "smartcommit check -m 'Feat: draw the herd'": 1,
    "git smart-commit": 4,
}


def install_hooks(repo: Repo) -> None:
    repo.run("config", "core.hooksPath", ".git/hooks")
    subprocess.run(["smartcommit", "install"], cwd=repo.path, check=True, capture_output=True)


def stage_function(repo: Repo) -> None:
    install_hooks(repo)
    repo.stage(demo.FORMATTED)


def stage_documentation(repo: Repo) -> None:
    install_hooks(repo)
    repo.stage(demo.DESCRIBED)


def write_mixed_change(repo: Repo) -> None:
    for name, content in {**demo.FORMATTED, ".github/workflows/ci.yml": "on: push\n"}.items():
        repo.write(name, content)


def write_plan(repo: Repo) -> None:
    (checklist,) = find_blocks(ROOT / "docs" / "executor.md", "markdown")
    repo.commit("docs: plan the parser", {"docs/parser.md": checklist.text})
    folder = programs.scripted(repo.path.parent / "agents", {"agent": "date +%N >>parser.txt"})
    repo.git("config", "smartcommit.agent", str(folder / "agent"))


def copy_extension(repo: Repo) -> None:
    shutil.copytree(ROOT / "editors", repo.path / "editors")


# What the repository of a page has beside the history of the demo.
PREPARED: dict[str, Callable[[Repo], None]] = {
    "docs/checking.md": stage_documentation,
    "docs/drafting.md": stage_function,
    "docs/installing.md": copy_extension,
    "docs/executor.md": write_plan,
    "docs/splitting.md": write_mixed_change,
}


def find_fault(line: str) -> str | None:
    """Return what the command line would object to in `smartcommit ...` or `git smart-commit ...`, if anything."""
    words = shlex.split(line, comments=True)
    if words[:2] == ["git", "smart-commit"]:
        words[:2] = ["smartcommit"] if words[2:] and words[2] in REWRITING else ["smartcommit", "split"]
    command: click.Command = group
    arguments = words[1:]
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
        found = command.get_command(click.Context(command), name)
        if found is None:
            return f"no such command '{name}'"
        command = found
    # The name of a command alone stands for the command, whatever it requires.
    if not arguments:
        return None
    try:
        command.make_context("smartcommit", arguments)
    except click.exceptions.Exit:
        return None
    except click.UsageError as error:
        # A file that is named need not be here.
        if "does not exist" not in error.format_message():
            return error.format_message()
    return None


def find_commands(page: Path) -> list[str]:
    """Return our commands in the text and in the blocks of `page`, each on its own."""
    lines = find_spans(page)
    for block in find_blocks(page, *LANGUAGES):
        for command, _ in block.commands:
            lines += command.splitlines()
    # The tables of two pages name subcommands, with arguments as in a usage line.
    found = [f"smartcommit {match[0]}" for line in lines if (match := re.match(r"(execute|plan) [a-z]+", line))]
    for line in lines:
        for part in re.split(r" && | \|\| ?| \| | >|; ", re.sub(r"\s+# .*", "", line)):
            # "COMMAND" stands for any of them, and a message begins with "smartcommit is".
            if re.match(r"(smartcommit|git smart-commit)( (?!COMMAND|is )|$)", part.strip()):
                found.append(part.strip())
    return found


@rows("page", *PAGES)
def test_the_command_line_takes_every_command(page: Path) -> None:
    faults = []
    for command in find_commands(page):
        fault = find_fault(command)
        if fault:
            faults.append(f"{command}: {fault}")
    assert faults == []


def test_every_setting_that_is_set_exists() -> None:
    names = {key.git_name.lower() for key in KEYS}
    given = []
    for page in PAGES:
        given += re.findall(r"git config (?:--[\w-]+ )*(smartcommit\.\w+)", page.read_text())
    assert len(given) > 20
    assert [name for name in given if name.lower() not in names] == []


def test_every_variable_exists() -> None:
    known = {key.variable for key in KEYS}
    # Of the completion, of the tests' components, of the executor's proof, and of a coding agent's session.
    known |= {"SMARTCOMMIT_COMPLETE", "SMARTCOMMIT_COMPONENTS", "SMARTCOMMIT_EXECUTION", "SMARTCOMMIT_SESSION"}
    for page in PAGES:
        assert set(re.findall(r"SMARTCOMMIT_[A-Z_]+", page.read_text())) <= known, page


@pytest.mark.parametrize("page", [page for page in PAGES if find_blocks(page, "ini")], ids=lambda page: page.name)
def test_every_policy_is_one(page: Path, repo: Repo) -> None:
    for block in find_blocks(page, "ini"):
        repo.write(".smartcommit", block.text)
        # An unknown key or value is an error.
        assert make_rules(load(str(repo.path)))


def is_run_elsewhere(block: Block) -> bool:
    return any(block.page == page and begins(block, start) for page, start in ELSEWHERE)


def begins(block: Block, start: str) -> bool:
    return block.text.startswith(start) or block.chapter.startswith(start)


def test_the_tables_name_what_exists() -> None:
    blocks = [block for found in BLOCKS.values() for block in found]
    for (page, start), test in ELSEWHERE.items():
        assert any(block.page == page and begins(block, start) for block in blocks)
        path, _, name = test.partition("::")
        assert name in names_in(ROOT / "tests" / path)
    commands = []
    for block in blocks:
        commands += [command for command, _ in block.commands]
    assert set(STATUSES) <= set(commands)
    assert set(STUBS) <= {word for command in commands for word in command.split()}


@pytest.fixture
def shop(repo: Repo, tmp_path: Path, installation: Installation, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """The repository of the demo, with our commands on PATH and the stubs before every other program."""
    for message, files in demo.HISTORY.items():
        repo.commit(message, files)
    stubs = programs.scripted(tmp_path / "stubs", STUBS)
    monkeypatch.setenv("PATH", os.pathsep.join([str(stubs), str(installation.bin), os.environ["PATH"]]))
    return repo


@pytest.mark.parametrize("page", [page for page, blocks in BLOCKS.items() if blocks])
def test_what_can_be_run_runs_and_prints_what_is_shown(page: str, shop: Repo) -> None:
    PREPARED.get(page, lambda repo: None)(shop)
    for block in BLOCKS[page]:
        if is_run_elsewhere(block):
            continue
        for command, shown in block.commands:
            done = run_shell(command, shop.path)
            assert done.returncode == STATUSES.get(command, 0), done.stdout
            if shown:
                assert re.fullmatch(to_pattern(shown), done.stdout.rstrip("\n")), done.stdout
