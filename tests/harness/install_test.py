"""`smartcommit agents install` and `uninstall`: what is inserted, and that every byte comes back."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from smartcommit.cli import main
from smartcommit.harness.install import find_user_place as user_place
from smartcommit.harness.install import list_targets, make_settings, write_command
from smartcommit.harness.products import PRODUCTS, Product
from tests.conftest import ROOT
from tests.support.repository import Repo, list_tree
from tests.support.table import rows

JSON_PRODUCTS = [product for product in PRODUCTS.values() if product.events]
FOREIGN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo é"}]}
UNREADABLE = {
    "cut off": b'{"hooks": ',
    "not JSON": b"theme: dark\n",
    "a list": b"[]\n",
    "two objects": b"{} {}",
    "an event is a number": b'{"hooks": {"PreToolUse": 1, "BeforeTool": 1, "preToolUse": 1}}',
    "trailing comma": b'{"a": 1,}\n',
    "hooks are a list": b'{"hooks": []}\n',
    "an event is an object": b'{"hooks": {"PreToolUse": {}, "BeforeTool": {}, "preToolUse": {}}}\n',
    "a byte order mark": '\ufeff{"a": 1}'.encode(),
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "hooks are null": b'\n\n  {"hooks": null}',
    "a number without an end": b'{"a": ' + b"1" * 5000 + b"}",
    "nested deeply": b"[" * 5000,
}


@pytest.fixture
def place(inside: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository as the current directory, without a coding agent on PATH."""
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return inside


def snapshot(*roots: Path) -> dict[Path, tuple[int, bytes]]:
    """All that is below these folders, but for git's."""
    found = {}
    for root in roots:
        for name, entry in list_tree(root).items():
            if ".git" not in Path(name).parts:
                found[root / name] = entry
    return found


def home() -> Path:
    return Path(os.environ["HOME"])


def settings(name: str, scope: str, repo: Repo) -> Path:
    product = PRODUCTS[name]
    if scope == "project":
        return repo.path / product.project_hooks
    return home() / product.home / product.user_hooks


def run(*arguments: str) -> int:
    return main(["agents", *arguments])


@pytest.mark.parametrize("product", JSON_PRODUCTS, ids=lambda product: product.name)
@rows("state", *UNREADABLE)
def test_what_cannot_be_read_is_left_alone(
    product: Product, state: str, place: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings(product.name, "project", place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(UNREADABLE[state])
    before = snapshot(place.path, home())
    assert run("install", product.name) == 1
    assert snapshot(place.path, home()) == before
    assert f"cannot read '{path}'" in capsys.readouterr().err


def test_without_the_record_ours_is_found_by_what_it_runs(place: Repo) -> None:
    path = settings("claude", "project", place)
    path.parent.mkdir()
    path.write_text('{\n "model": "x"\n}\n')
    assert run("install", "claude") == 0
    (place.path / ".git/smartcommit/pieces.json").unlink()
    assert run("uninstall", "claude") == 0
    assert path.read_text() == '{\n "model": "x"\n}\n'


def test_settings_of_others_that_cannot_be_read_stop_no_uninstalling(place: Repo) -> None:
    broken = place.write(".cursor/hooks.json", "{")
    assert run("install", "claude", "qwen") == 0
    assert run("uninstall") == 0
    assert broken.read_text() == "{"
    assert not (place.path / ".claude").exists()
    assert not (place.path / ".qwen").exists()


def test_another_python_takes_the_place_of_the_one_before(place: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place.write(".codex/hooks.json", "{}")
    assert run("install", "codex") == 0
    loaded = json.loads(path.read_text())
    loaded["hooks"]["Stop"].append(FOREIGN)
    path.write_text(json.dumps(loaded))
    monkeypatch.setattr("sys.executable", "/elsewhere/python 3")
    assert run("install", "codex") == 0
    stop = json.loads(path.read_text())["hooks"]["Stop"]
    assert stop[0] == FOREIGN
    assert "/elsewhere/python 3" in stop[1]["hooks"][0]["command"]
    assert run("uninstall", "codex") == 0
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [FOREIGN]}}


def test_a_skill_of_two_agents_stays_until_the_last_one_is_gone(place: Repo) -> None:
    before = snapshot(place.path, home())
    assert run("install", "codex", "gemini") == 0
    skill = place.path / ".agents/skills/smartcommit/SKILL.md"
    assert run("uninstall", "codex") == 0
    assert skill.exists()
    assert run("uninstall") == 0
    assert snapshot(place.path, home()) == before


def test_the_hooks_of_git_and_of_agents_have_one_record(place: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    before = snapshot(place.path)
    assert main(["install", "--pre-commit", "--repo", str(place.path / "none"), "--rev", "v1"]) == 0
    assert run("install", "claude") == 0
    assert main(["uninstall"]) == 0
    assert (place.path / ".claude/settings.local.json").exists()
    assert run("uninstall") == 0
    assert snapshot(place.path) == before
    assert not (place.path / ".git/smartcommit/pieces.json").exists()


def test_an_edited_skill_stays(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("install", "claude") == 0
    skill = place.path / ".claude/skills/smartcommit/SKILL.md"
    skill.write_text(skill.read_text() + "Mine.\n")
    assert run("install", "claude") == 0
    assert run("uninstall", "claude") == 0
    assert skill.exists()
    assert "was edited and stays" in capsys.readouterr().out


@pytest.mark.parametrize("edited", [False, True])
def test_a_skill_that_came_with_the_repository_stays(place: Repo, edited: bool) -> None:
    (target,) = [each for each in list_targets(PRODUCTS["claude"], user_place()) if each.kind == "whole"]
    content = target.content + "More.\n" if edited else target.content
    place.commit("docs: add a skill", {".claude/skills/smartcommit/SKILL.md": content})
    before = snapshot(place.path, home())
    assert run("install", "claude") == 0
    assert run("uninstall", "claude") == 0
    assert snapshot(place.path, home()) == before


def test_a_plugin_of_somebody_else_is_not_overwritten(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    path = place.write(".opencode/plugins/smartcommit.js", "export const Mine = 1;\n")
    assert run("install", "opencode") == 1
    assert path.read_text() == "export const Mine = 1;\n"
    assert "is not as smartcommit wrote it" in capsys.readouterr().err


def test_agents_that_are_found_are_named_and_installed_for(
    place: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert run("install") == 1
    assert "no coding agent was found" in capsys.readouterr().err
    (home() / ".gemini").mkdir()
    (place.path / ".cursor").mkdir()
    assert run("install") == 0
    out = capsys.readouterr().out
    assert f"found Gemini CLI: {home()}/.gemini" in out
    assert f"found Cursor: {place.path}/.cursor" in out
    assert not (place.path / ".codex").exists()


def test_the_status_says_what_is_where(place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("install", "gemini") == 0
    capsys.readouterr()
    assert run("status", "--json") == 0
    agents = {agent["name"]: agent for agent in json.loads(capsys.readouterr().out)["agents"]}
    states = {(each["scope"], each["kind"]): each["state"] for each in agents["gemini"]["files"]}
    assert states == {
        ("project", "hooks"): "installed",
        ("project", "whole"): "installed",
        ("user", "hooks"): "absent",
        ("user", "whole"): "absent",
    }
    settings("gemini", "project", place).write_text("{")
    assert run("status") == 0
    assert "unreadable, project" in capsys.readouterr().out


TRUSTED = ("claude", "codex", "gemini", "copilot", "qwen")


@rows("name", *TRUSTED)
def test_that_a_client_must_trust_a_folder_is_said(name: str, place: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("status") == 0
    assert "trust" not in capsys.readouterr().out
    for command in ("install", "install", "status"):
        assert run(command, *[name] * (command == "install")) == 0
        assert f"  {PRODUCTS[name].note}\n" in capsys.readouterr().out
    assert "trust" in PRODUCTS[name].note
    assert {product.name for product in PRODUCTS.values() if product.note} == set(TRUSTED)
    assert f"| `{name}` |" in (ROOT / "docs/agents.md").read_text().partition("does not trust a folder")[2]
    assert run("uninstall") == 0
    capsys.readouterr()


@rows(("options", "is_hinted"), ([], True), (["--project"], False))
def test_outside_of_a_repository_another_place_is_hinted_at(
    options: list[str],
    is_hinted: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("install", "claude", *options) == 1
    assert ("go to a repository, or use --user" in capsys.readouterr().err) == is_hinted


def test_a_hook_whose_smartcommit_is_gone_says_nothing(place: Repo, tmp_path: Path) -> None:
    for product in PRODUCTS.values():
        for old, new in ((str(ROOT), "/nowhere"), ("smartcommit.harness", "smartcommit.gone")):
            command = write_command(product).replace(old, new)
            done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, cwd=tmp_path, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        command = write_command(product).replace("test -x ", "test -x /nowhere")
        done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, cwd=tmp_path, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_only_copilot_and_cursor_have_a_version_in_their_settings() -> None:
    assert [product.name for product in JSON_PRODUCTS if "version" in make_settings(product)] == ["copilot", "cursor"]


def test_the_skill_is_short_and_named_after_its_folder() -> None:
    (target,) = [each for each in list_targets(PRODUCTS["claude"], user_place()) if each.kind == "whole"]
    lines = target.content.splitlines()
    assert len(lines) <= 40
    assert lines[0] == "---"
    fields = yaml.safe_load("\n".join(lines[1 : lines.index("---", 1)]))
    assert set(fields) == {"name", "description"}
    assert fields["name"] == Path(target.path).parent.name
    assert 0 < len(fields["description"]) <= 1024
