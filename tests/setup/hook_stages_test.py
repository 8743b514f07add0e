"""How often a hook of others runs for a commit, by real pre-commit and prek."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from smartcommit.cli import main
from smartcommit.setup.hook_stages import StagelessHook, list_stageless
from smartcommit.setup.precommit_config import parse
from tests.support import programs
from tests.support.precommit import CONFIG, Framework
from tests.support.repository import Repo

TYPES = ("pre-commit", "prepare-commit-msg", "commit-msg")
LINE = "default_stages: [pre-commit, manual]"


class Counter:
    """A local hook that runs always and has no stages, in a repository; it counts its runs."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self._file = repo.path / ".git/runs"
        entry = shlex.join(("sh", "-c", f"echo >>{shlex.quote(str(self._file))}"))
        self.hook = (
            "- repo: local\n  hooks:\n"
            f"  - {{id: count, name: count, language: system, always_run: true, entry: {json.dumps(entry)}}}\n"
        )

    def commit(self, message: str = "docs: add a file") -> int:
        """Commit with the hooks, and return how often the counted one ran."""
        self._file.unlink(missing_ok=True)
        self.repo.stage({"a.txt": self.repo.git("rev-list", "--count", "--all")})
        self.repo.git("add", CONFIG)
        self.status = self.repo.run("commit", "-q", "-m", message).returncode
        return len(self._file.read_text()) if self._file.exists() else 0


@pytest.fixture
def counter(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counter:
    folder = programs.linked(
        tmp_path / "programs", *(Path(sys.executable).with_name(name) for name in ("pre-commit", "prek"))
    )
    programs.only(monkeypatch, folder)
    monkeypatch.chdir(repo.path)
    # Nobody's own Ollama takes part.
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    return Counter(repo)


def test_after_init_a_hook_without_stages_runs_as_often_as_before(framework: Framework, counter: Counter) -> None:
    counter.repo.write(CONFIG, f"repos:\n{counter.hook}")
    framework.install(counter.repo)
    assert counter.commit() == 1
    rev = framework.hooks.git("rev-parse", "HEAD").strip()
    assert main(["init", "--repo", str(framework.hooks.path), "--rev", rev]) == 0
    assert LINE in (counter.repo.path / CONFIG).read_text()
    assert counter.commit() == 1
    assert counter.status == 0
    # Our own run where their manifest says.
    assert counter.commit("oops") == 1
    assert counter.status == 1
    assert counter.repo.run("reset", "-q", "--hard").returncode == 0
    done = framework.run(counter.repo, "run", "--hook-stage", "manual", "count")
    assert done.returncode == 0, done.stdout


def test_doctor_finds_a_hook_that_runs_at_each_stage_and_its_line_helps(
    framework: Framework, counter: Counter, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smartcommit.setup.frameworks.find_origin", lambda: (str(framework.hooks.path), "v1"))
    text = f"repos:\n{framework.entry()}{counter.hook}"
    counter.repo.write(CONFIG, text)
    framework.install(counter.repo, *TYPES)
    assert counter.commit() == 3
    assert diagnose(capsys) == [
        f"warning: 'count' runs 3 times for each commit, because '{CONFIG}' does not say at which stages: "
        f"add the line '{LINE}' to '{CONFIG}'"
    ]
    counter.repo.write(CONFIG, f"{LINE}\n{text}")
    assert diagnose(capsys) == []
    assert counter.commit() == 1
    assert counter.commit("oops") == 1
    assert counter.status == 1


def test_what_a_manifest_says_of_stages_is_known_once_pre_commit_has_it(
    precommit: Framework, counter: Counter, tmp_path: Path
) -> None:
    others = Repo.init(tmp_path / "others")
    hook = "- {{id: {0}, name: {0}, language: system, entry: git --version, always_run: true{1}}}\n"
    manifest = hook.format("staged", ", stages: [pre-commit]") + hook.format("free", "")
    rev = others.commit("feat: add hooks", {".pre-commit-hooks.yaml": manifest})
    text = f"repos:\n- {{repo: {others.path}, rev: {rev}, hooks: [{{id: staged}}, {{id: free}}]}}\n"
    unknown = [StagelessHook("staged", certain=False), StagelessHook("free", certain=False)]
    assert list_stageless(parse(text), []) == unknown
    counter.repo.write(CONFIG, text)
    counter.repo.git("add", CONFIG)
    assert precommit.run(counter.repo, "run").returncode == 0
    assert list_stageless(parse(text), []) == [StagelessHook("free", certain=True)]


def test_no_cache_is_made_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "nowhere ?#"))
    text = "repos:\n- {repo: https://x.invalid/y, rev: v1, hooks: [{id: a}, {id: b, stages: [manual]}]}\n"
    assert list_stageless(parse(text), []) == [StagelessHook("a", certain=False)]
    assert not (tmp_path / "nowhere ?#").exists()


def test_prek_with_its_own_configuration_is_examined_too(
    prek: Framework, counter: Counter, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = '[[repos]]\nrepo = "https://x.invalid/smartcommit"\nrev = "v1"\nhooks = [{ id = "commit-msg" }]\n'
    own = '[[repos]]\nrepo = "meta"\nhooks = [{ id = "identity" }]\n'
    counter.repo.write("prek.toml", entry + own)
    prek.install(counter.repo, *TYPES)
    (found,) = diagnose(capsys)
    assert found.endswith("begin 'prek.toml' with 'default_stages = [\"pre-commit\", \"manual\"]'")
    counter.repo.write("prek.toml", f'default_stages = ["pre-commit", "manual"]\n{entry}{own}')
    assert subprocess.run([*prek.command, "validate-config", "prek.toml"], check=False).returncode == 0
    assert diagnose(capsys) == []


def test_a_local_hook_of_ours_without_stages_keeps_its_stage(
    precommit: Framework, counter: Counter, capsys: pytest.CaptureFixture[str]
) -> None:
    """`default_stages` would stop it."""
    ours = "  - {id: ours, name: ours, language: system, entry: smartcommit-commit-msg}\n"
    counter.repo.write(CONFIG, f"repos:\n{counter.hook}{ours}")
    precommit.install(counter.repo, *TYPES)
    (found,) = diagnose(capsys)
    assert found.endswith(f"set 'stages' for each hook in '{CONFIG}'")


def diagnose(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What is found about how often hooks run, with the hint."""
    capsys.readouterr()
    main(["doctor", "--json"])
    found = []
    for each in json.loads(capsys.readouterr().out)["findings"]:
        if "times for each commit" in each["text"]:
            found.append(f"{each['state']}: {each['text']}: {each['hint']}")
    return found
