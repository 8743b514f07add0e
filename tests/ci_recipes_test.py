"""Every command of docs/ci.md, and the action's, run in a clone as deep as the recipe makes it."""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from smartcommit import __version__
from tests.conftest import ROOT
from tests.support import programs
from tests.support.installation import Installation, export
from tests.support.repository import Repo

ACTION, GITHUB, SQUASHED, GITLAB = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "ci.md").read_text(), re.DOTALL)
(PLAIN,) = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "ci.md").read_text(), re.DOTALL)


class Request:
    """A pull request with two commits: from the branch `topic`, in the repository `origin`, into `main`."""

    def __init__(self, origin: Repo, message: str) -> None:
        self.origin = origin
        origin.commit("feat: base", {".smartcommit": "[smartcommit]\n\tsummaryLimit = 30\n"})
        origin.commit("perf: not of the request, and not allowed")
        self.base = origin.git("rev-parse", "HEAD").strip()
        origin.git("checkout", "-q", "-b", "topic", "HEAD~1")
        origin.commit("feat: one", {"one": "1\n"})
        self.head = origin.commit(message, {"two": "2\n"})
        origin.git("checkout", "-q", "main")
        origin.git("config", "uploadpack.allowFilter", "true")

    def clone(self, path: Path, *options: str) -> Path:
        self.origin.git("clone", "-q", *options, self.origin.path.as_uri(), str(path))
        Repo(path).git("checkout", "-q", "--detach", self.head)
        return path


@pytest.fixture
def runner(tmp_path: Path, installation: Installation) -> Mapping[str, str]:
    """The environment of a machine that has installed smartcommit: there is nothing left to do for `pip install`."""
    # The action installs itself.
    pip = programs.scripted(tmp_path / "pip", {"pip": 'test "$*" = "install smartcommit-hooks" || test -d "$4"'})
    return {**os.environ, "PATH": os.pathsep.join((str(pip), str(installation.bin), os.environ["PATH"]))}


@pytest.fixture
def new_runner(tmp_path: Path, installation: Installation) -> Mapping[str, str]:
    """The environment of a machine with Python and git, whose package index has our wheel alone."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    site = next(environment.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = f'exec "{sys.executable}" -m pip -q --python "{environment}/bin/python" "$@"'
    programs.scripted(environment / "bin", {"pip": pip})
    return {
        **os.environ,
        "PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        # What the tests run in may have smartcommit installed, too.
        "PIP_IGNORE_INSTALLED": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_FIND_LINKS": str(installation.bin.parent.parent),
    }


def run(script: str, folder: Path, environment: Mapping[str, str], **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env={**environment, **given},
        capture_output=True,
        text=True,
        check=False,
    )


def run_steps(
    steps: Sequence[Mapping[str, object]], folder: Path, environment: Mapping[str, str], event: Mapping[str, str]
) -> list[subprocess.CompletedProcess[str]]:
    """What became of the `run` steps of a workflow, with the expressions of their `env` replaced from `event`."""
    done = []
    for step in steps:
        if "run" not in step:
            continue
        given = {}
        variables = step.get("env", {})
        for name, value in variables.items():
            expression = re.fullmatch(r"\$\{\{ github\.event\.pull_request\.([\w.]+) \}\}", value)
            assert expression
            given[name] = event[expression[1]]
        done.append(run(str(step["run"]), folder, environment, **given))
    return done


@pytest.mark.parametrize(
    ("message", "title", "statuses"), [("fix: two", "feat: x", [0, 0, 0]), ("two", "x", [0, 1, 1])]
)
def test_the_workflow_for_github(
    repo: Repo, tmp_path: Path, runner: Mapping[str, str], message: str, title: str, statuses: list[int]
) -> None:
    request = Request(repo, message)
    steps = yaml.safe_load(GITHUB)["jobs"]["messages"]["steps"]
    checkout = steps[0]["with"]
    assert checkout["fetch-depth"] == 0
    clone = request.clone(tmp_path / "clone", f"--filter={checkout['filter']}")
    done = run_steps(steps, clone, runner, {"base.sha": request.base, "head.sha": request.head, "title": title})
    assert [step.returncode for step in done] == statuses, [step.stderr for step in done]
    assert "2 commits checked" in done[1].stderr
    assert done[1].stdout.startswith("::error title=") == bool(statuses[1])


class Action:
    """The composite action of the repository in `path`, as a runner would run its scripts."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        # There is no index to take setuptools from.
        self.environment = {**environment, "PIP_NO_BUILD_ISOLATION": "0", "GITHUB_ACTION_PATH": str(path)}
        content = yaml.safe_load((ROOT / "action.yml").read_text())
        assert content["runs"]["using"] == "composite"
        self.inputs: dict[str, dict[str, str]] = content["inputs"]
        self.steps: list[dict[str, Any]] = content["runs"]["steps"]

    def run(self, folder: Path, event: Mapping[str, str], **given: str) -> subprocess.CompletedProcess[str]:
        """Run the scripts for the pull request of `event`, with the inputs `given`; return the last one."""
        inputs = {}
        for name, described in self.inputs.items():
            default = described["default"]
            found = re.fullmatch(r"\$\{\{ github\.event\.pull_request\.([\w.]+)( \|\| github\.sha)? \}\}", default)
            inputs[name] = event[found[1]] if found else default
        inputs.update(given)
        scripts = [step for step in self.steps if "run" in step]
        for step in scripts:
            values = {}
            for name, value in step.get("env", {}).items():
                expression = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
                assert expression
                values[name] = inputs[expression[1]]
            done = run(step["run"], folder, self.environment, **values)
            assert done.returncode == 0 or step is scripts[-1], done.stderr
        return done


def test_no_expression_is_part_of_a_script_of_the_action() -> None:
    for step in Action(ROOT, {}).steps:
        assert "${{" not in step.get("run", "")
        assert "run" not in step or step["shell"] == "bash"


def test_the_workflow_with_the_action_asks_for_little_and_names_this_version() -> None:
    workflow = yaml.safe_load(ACTION)
    assert workflow["permissions"] == {"contents": "read"}
    checkout, ours = workflow["jobs"]["messages"]["steps"]
    assert checkout["with"]["fetch-depth"] == 0
    assert ours == {"uses": f"smartcommit/smartcommit@v{__version__}"}


@pytest.mark.parametrize(
    ("message", "title", "given", "status", "annotations"),
    [
        ("fix: two", "feat: x", {}, 0, 0),
        ("two", "feat: x", {}, 1, 1),
        ("fix: two", "x", {}, 1, 1),
        ("two", "x", {}, 1, 2),
        ("two", "feat: x", {"base": ""}, 0, 0),
        ("fix: two", "x", {"title": ""}, 0, 0),
        ("fix: two", "feat: x", {"base": "", "title": ""}, 2, 1),
        ("fix: two", "feat: x", {"base": "0" * 40}, 2, 0),
        ("fix: two", '$(touch ran) `touch ran` "; touch ran; "', {}, 1, 1),
        ("fix: two", "--help", {}, 1, 1),
        ("fix: two", "x%0A::error::another", {}, 1, 1),
        ("fix: two", "x\n::error::another", {}, 2, 0),
    ],
)
def test_the_action(
    repo: Repo, tmp_path: Path, runner: Mapping[str, str], message: str, title: str, given: dict[str, str],
    status: int, annotations: int,
) -> None:  # fmt: skip
    request = Request(repo, message)
    clone = request.clone(tmp_path / "clone")
    event = {"base.sha": request.base, "head.sha": request.head, "title": title}
    done = Action(ROOT, runner).run(clone, event, **given)
    assert done.returncode == status, done.stderr
    lines = done.stdout.splitlines()
    assert len([line for line in lines if line.startswith("::error")]) == annotations, done.stdout
    assert not (clone / "ran").exists()


def test_the_action_installs_its_own_version_first(repo: Repo, tmp_path: Path, new_runner: Mapping[str, str]) -> None:
    request = Request(repo, "two")
    clone = request.clone(tmp_path / "clone")
    event = {"base.sha": request.base, "head.sha": request.head, "title": "feat: x"}
    done = Action(export(ROOT, tmp_path / "action"), new_runner).run(clone, event)
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("::error") == 1


@pytest.mark.parametrize(
    ("title", "body", "status"),
    [
        ("feat: x", "why\r\n\r\n- a point\r\n", 0),
        # Too long only with the number.
        ("feat: a summary of 27 code points", "", 1),
        ("x", "why", 1),
    ],
)
def test_the_step_for_a_squashed_request(
    repo: Repo, tmp_path: Path, runner: Mapping[str, str], title: str, body: str, status: int
) -> None:
    request = Request(repo, "two")
    clone = request.clone(tmp_path / "clone")
    (done,) = run_steps(yaml.safe_load(SQUASHED), clone, runner, {"title": title, "body": body, "number": "12"})
    assert done.returncode == status, done.stdout


@pytest.mark.parametrize(
    ("message", "title", "statuses"), [("fix: two", "Draft: feat: x", [0, 0, 0]), ("two", "x", [0, 1, 1])]
)
def test_the_job_for_gitlab(
    repo: Repo, tmp_path: Path, runner: Mapping[str, str], message: str, title: str, statuses: list[int]
) -> None:
    request = Request(repo, message)
    job = yaml.safe_load(GITLAB)["commit messages"]
    assert job["variables"] == {"GIT_DEPTH": "0"}
    clone = request.clone(tmp_path / "clone")
    base = repo.git("merge-base", "main", "topic").strip()
    given = {
        "CI_MERGE_REQUEST_TITLE": title, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": request.head
    }  # fmt: skip
    done = [run(line, clone, runner, **given) for line in job["script"]]
    assert [step.returncode for step in done] == statuses, [step.stderr for step in done]
    assert (request.head[:12] in done[2].stdout) == statuses[2]


@pytest.mark.parametrize("depth", [["--depth=1"], []], ids=["shallow", "whole"])
@pytest.mark.parametrize(("message", "status"), [("fix: two", 0), ("two", 1)])
def test_the_script_for_any_other_system(
    repo: Repo, tmp_path: Path, runner: Mapping[str, str], depth: list[str], message: str, status: int
) -> None:
    request = Request(repo, message)
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--no-local", *depth, "--branch=topic", repo.path.as_uri(), str(clone))
    done = run(PLAIN, clone, runner)
    assert done.returncode == status, done.stderr
    assert f"2 commits checked, 0 exempt, {status} rejected" in done.stderr
    assert Repo(clone).git("rev-parse", "HEAD").strip() == request.head
