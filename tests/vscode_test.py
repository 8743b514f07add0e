"""The extension for VS Code, run by node with a stand-in for VS Code and the real `smartcommit draft`."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from smartcommit import __version__
from tests.conftest import ROOT
from tests.support.components import component
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows

FOLDER = ROOT / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text())
# What the extension uses of the module `vscode`, and of what its own git extension exports.
VSCODE = """\
const given = JSON.parse(process.env.GIVEN);
const shown = [];
const folder = (path) => ({ fsPath: path, toString: () => "file://" + path });
const repositories = given.repositories.map((each) => (
  { rootUri: folder(each.path), inputBox: { value: each.box }, ui: { selected: each.selected } }
));
const commands = {};
module.exports = {
  given, shown, folder, repositories, run: (name, ...rest) => commands[name](...rest),
  ProgressLocation: { SourceControl: 1 },
  commands: { registerCommand: (name, action) => { commands[name] = action; return {}; } },
  extensions: { getExtension: (name) => (
    { activate: async () => ({ getAPI: (version) => ({ git: name, version, repositories }) }) }
  ) },
  window: {
    withProgress: async (options, task) => { const made = await task(); Object.assign(
      repositories[0].inputBox, given.typed === undefined ? {} : { value: given.typed }); return made; },
    showErrorMessage: (text) => { shown.push(["error", text]); },
    showWarningMessage: async (text) => { shown.push(["warning", text]); return given.answer; },
    setStatusBarMessage: (text) => { shown.push(["status", text]); },
  },
  workspace: { getConfiguration: (section) => ({ get: (name) => given.settings[section + "." + name] }) },
};
"""
DRIVER = """\
const vscode = require("vscode");
require(process.argv[1]).activate({ subscriptions: [] });
const source = vscode.given.root ? { rootUri: vscode.folder(vscode.given.root) } : undefined;
vscode.run("smartcommit.draft", source).then(() => console.log(JSON.stringify(
  { boxes: vscode.repositories.map((each) => each.inputBox.value), shown: vscode.shown })));
"""


@pytest.fixture
def node() -> str:
    return component("node")


class Window:
    def __init__(self, node: str, folder: Path, repo: Repo, command: str) -> None:
        self.node = node
        self.repo = repo
        self.command = command
        self.modules = folder / "modules"
        (self.modules / "vscode").mkdir(parents=True)
        (self.modules / "vscode" / "index.js").write_text(VSCODE)
        self.other = Repo.init(folder / "other")

    def draft(self, *, box: str = "", selected: bool = True, **given: Any) -> tuple[list[str], list[list[str]]]:
        """Press the button; return the texts in the two boxes, and what was shown."""
        repositories = [
            {"path": str(self.repo.path), "box": box, "selected": selected},
            {"path": str(self.other.path), "box": "", "selected": not selected},
        ]
        settings = {"smartcommit.path": given.pop("command", self.command)}
        done = subprocess.run(
            [self.node, "-e", DRIVER, str(FOLDER / "extension.js")],
            env={
                **os.environ,
                "NODE_PATH": str(self.modules),
                "GIVEN": json.dumps({"repositories": repositories, "settings": settings, **given}),
            },
            capture_output=True, text=True, check=True, start_new_session=True,
        )  # fmt: skip
        answer = json.loads(done.stdout)
        return answer["boxes"], answer["shown"]


@pytest.fixture
def window(node: str, tmp_path: Path, repo: Repo, installation: Installation) -> Window:
    repo.commit("feat: base", {"one.txt": "1\n"})
    repo.stage({"guide.md": "# Guide\n"})
    return Window(node, tmp_path / "window", repo, installation.script("smartcommit"))


def test_the_manifest_names_what_there_is(node: str) -> None:
    subprocess.run([node, "--check", str(FOLDER / MANIFEST["main"])], check=True)
    assert MANIFEST["version"] == __version__
    name = f"{MANIFEST['publisher']}.{MANIFEST['name']}-{__version__}"
    page = (ROOT / "docs" / "installing.md").read_text()
    assert f"extensions/{name}\n" in page
    assert f"{MANIFEST['name']}-{__version__}.vsix" in page
    source = (FOLDER / MANIFEST["main"]).read_text()
    registered = re.findall(r'registerCommand\("([\w.]+)"', source)
    assert registered == [each["command"] for each in MANIFEST["contributes"]["commands"]]
    (button,) = MANIFEST["contributes"]["menus"]["scm/title"]
    assert button["command"] in registered


def test_no_repository_can_set_the_command() -> None:
    """A setting of a workspace would run whatever program a clone brings along."""
    (path,) = MANIFEST["contributes"]["configuration"]["properties"].values()
    assert path["scope"] == "machine"
    assert MANIFEST["capabilities"]["untrustedWorkspaces"]["supported"] is False
    assert "exec(" not in (FOLDER / MANIFEST["main"]).read_text()


@pytest.mark.parametrize("by_button", [True, False])
def test_the_draft_goes_into_the_box(window: Window, by_button: bool) -> None:
    given = {"root": str(window.repo.path)} if by_button else {}
    assert window.draft(selected=not by_button, **given) == (["docs: add guide.md", ""], [])


@pytest.mark.parametrize(("answer", "box"), [("Replace", "docs: add guide.md"), (None, "mine")])
@pytest.mark.parametrize("typed", ["before", "meanwhile"])
def test_what_was_typed_is_replaced_if_wanted(window: Window, answer: str | None, box: str, typed: str) -> None:
    given = {"box": "mine"} if typed == "before" else {"typed": "mine"}
    boxes, shown = window.draft(answer=answer, **given)
    assert boxes == [box, ""]
    assert shown == [["warning", "Replace the message by the draft?"]]


def test_the_same_draft_again_asks_nothing(window: Window) -> None:
    assert window.draft(box="docs: add guide.md") == (["docs: add guide.md", ""], [])


@rows(
    ("given", "said"),
    ({"root": "OTHER"}, "smartcommit: nothing staged to draft a message for; hint: run 'git add FILE' first"),
    ({"command": "/nowhere"}, "smartcommit: '/nowhere' was not found; install it, or set \"smartcommit.path\""),
    ({"command": shutil.which("false")}, "smartcommit: Command failed: .*"),
    ({"command": shutil.which("true")}, "smartcommit: the answer of 'smartcommit draft --json' is not JSON"),
    ({"root": "/nowhere"}, "smartcommit: no git repository is open"),
)
def test_an_error_is_one_message_and_the_box_stays(window: Window, given: dict[str, str], said: str) -> None:
    if given.get("root") == "OTHER":
        given = {"root": str(window.other.path)}
    boxes, shown = window.draft(**given)
    assert boxes == ["", ""]
    ((kind, text),) = shown
    assert kind == "error"
    assert re.fullmatch(said, text.strip()), text


def test_why_no_model_drafted_is_shown(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMARTCOMMIT_PROVIDER", "openai")
    monkeypatch.setenv("SMARTCOMMIT_API_BASE", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SMARTCOMMIT_MODEL", "m")
    boxes, shown = window.draft()
    assert boxes == ["docs: add guide.md", ""]
    ((kind, text),) = shown
    assert kind == "status"
    assert text.startswith("smartcommit: drafted without a model: ")
