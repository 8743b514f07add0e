"""`smartcommit agents install` beside a person's own settings, and `uninstall`, which leaves every byte as it was."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.harness.scripted import HARNESSES, Harness
from tests.support.repository import Repo
from tests.support.table import rows

PRODUCTS = tuple(harness.product for harness in HARNESSES)
# The file that `install --project` writes into.
FILES = {
    "claude": ".claude/settings.local.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
}  # fmt: skip


@pytest.fixture
def place(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo.commit("chore: base", {"README.md": "# A\n"})
    monkeypatch.chdir(repo.path)
    return repo


def list_entries(root: Path) -> dict[str, tuple[int, bytes]]:
    """Each file, folder and link with its mode and content, without git's own."""
    found = {}
    for folder, folders, files in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        for name in (*folders, *files):
            path = Path(folder, name)
            mode = path.lstat().st_mode
            content = path.read_bytes() if stat.S_ISREG(mode) else b""
            if path.is_symlink():
                content = os.fsencode(os.readlink(path))
            found[str(path.relative_to(root))] = (mode, content)
    return found


def snapshot(repo: Repo) -> dict[str, tuple[int, bytes]]:
    home = list_entries(Path(os.environ["HOME"]))
    kept = {f"~/{name}": entry for name, entry in home.items() if not name.startswith((".local", ".config", ".cache"))}
    return list_entries(repo.path) | kept


@pytest.mark.parametrize("product", FILES)
@rows(
    "content",
    [
        "\ufeff{}".encode(),
        b'{ // mine\n "a": 1, /* } */ "hooks": {} }',
        b'{"a": [1, 2,],\n "hooks": {},}\n',
        b'{"hooks": {}, "a": 1, "hooks": {"Stop": []}}',
        b'{"a": NaN, "b": 1e999, "c": 123456789012345678901234567890}',
        b'{"a": "\\ud800", "\\u0068ooks": {}}',
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        '{"a": 1}'.encode("utf-16"),
        b'{"a": 1}\r',
        b'\n\n  {"hooks": null}',
    ],
)
def test_a_doubtful_file_is_left_or_restored(place: Repo, product: str, content: bytes) -> None:
    path = place.write(FILES[product], content)
    before = snapshot(place)
    if main(["agents", "install", product, "--project"]) == 0:
        assert path.read_bytes() != content
        assert main(["agents", "uninstall", product, "--project"]) == 0
    assert snapshot(place) == before


@pytest.mark.parametrize("order", [PRODUCTS, tuple(reversed(PRODUCTS))])
def test_products_share_nothing_that_one_takes_away(place: Repo, order: tuple[str, ...]) -> None:
    before = snapshot(place)
    states = []
    for product in order:
        states.append(snapshot(place))
        assert main(["agents", "install", product, "--project"]) == 0
    for product in reversed(order):
        assert main(["agents", "uninstall", product, "--project"]) == 0
        assert snapshot(place) == states.pop()
    assert snapshot(place) == before


@pytest.mark.parametrize("product", PRODUCTS)
def test_the_skill_is_short_and_well_formed(place: Repo, product: str) -> None:
    assert main(["agents", "install", product, "--project"]) == 0
    (skill,) = place.path.glob(".*/skills/smartcommit/SKILL.md")
    lines = skill.read_text().splitlines()
    assert len(lines) <= 40
    assert lines[:2] == ["---", "name: smartcommit"]
    assert 1 <= len(lines[2].removeprefix("description: ")) <= 1024
    assert lines[3] == "---"


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_hook_without_its_interpreter_lets_everything_pass(place: Repo, product: str) -> None:
    """A colleague who has not installed smartcommit reads the same settings."""
    assert main(["agents", "install", product, "--project"]) == 0
    (kind,) = (each for each in HARNESSES if each.product == product)
    harness: Harness = kind(place.path, "s", {**os.environ, "PATH": "/usr/bin:/bin"})
    (handler,) = harness.find_handlers(harness.events["before"], harness.names["shell"])
    broken = handler.command.replace(sys.executable, "/nowhere/python")
    assert broken != handler.command
    payload = harness.describe(handler.event, {"tool": "Bash", "input": {"command": "git commit -n"}, "call": "1"})
    ended = harness.run_hook(handler._replace(command=broken), payload)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    without = handler.command.replace("smartcommit.harness.hook", "smartcommit.gone")
    ended = harness.run_hook(handler._replace(command=without), payload)
    assert (ended.returncode, ended.stdout) == (0, "")
