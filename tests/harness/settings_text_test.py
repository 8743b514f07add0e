"""Settings at random, and settings that a client wrote anew: ours comes and goes, and theirs stays to the byte."""

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smartcommit.harness.install import InstallPlace, install, list_targets, make_settings, uninstall
from smartcommit.harness.products import PRODUCTS
from tests.support.repository import list_tree
from tests.support.table import rows

CLIENTS = [product.name for product in PRODUCTS.values() if product.events]
FOREIGN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo é"}], "command": "echo é"}
COMMENTS = ("// mine\n", '/* "hooks": {} */', "/* é\n * 😀 */ ", "// }]\n")
# What no writer below writes.
ODD = ("// mine", '{"hooks": {"a": 1}, "hooks": {"Stop": []}}\n', '{"a": "\udcff"}\r', '{"hooks": {}\n}')
WORDS = ("model", "é", "hooks", "Stop", "", 'a \\"quoted\\" word', "// no comment", "\\u00e9 \\/ \\ud800", "😀", "}")


class Writer:
    """Writes settings as somebody might who never formats them, or as a program that always does."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.newline = self.chance.choice(["\n", "\n", "\r\n"])
        self.is_odd = self.chance.random() < 0.5
        self.comments = self.is_odd and self.chance.random() < 0.5
        self.indent = self.chance.choice([None, 1, 2, 3, 4, "\t", " \t"])

    def choose_blank(self) -> str:
        blank = self.chance.choice(["", "", " ", "\n", "\n\t", "\t ", "\n\n   "])
        if self.comments and self.chance.random() < 0.2:
            blank += self.chance.choice(COMMENTS) + self.chance.choice(["", " ", "\n"])
        return blank

    def write(self, value: object) -> str:
        if isinstance(value, dict):
            return (
                "{" + self.join(f'"{key}"{self.choose_blank()}:{self.write(each)}' for key, each in value.items()) + "}"
            )
        if isinstance(value, list):
            return "[" + self.join(map(self.write, value)) + "]"
        return self.choose_blank() + (value if isinstance(value, str) else json.dumps(value)) + self.choose_blank()

    def join(self, parts: Any) -> str:
        return ",".join(self.choose_blank() + part + self.choose_blank() for part in parts) or self.choose_blank()

    def make_value(self, depth: int) -> object:
        kind = self.chance.randrange(6 if depth else 3)
        if kind < 2:
            return f'"{self.chance.choice(WORDS)}"'
        if kind == 2:
            return self.chance.choice([True, None, 0, -1, "1.50e2", "12345678901234567890123"])
        if kind < 5:
            return self.make_members(WORDS, lambda: self.make_value(depth - 1))
        return [self.make_value(depth - 1) for _ in range(self.chance.randrange(3))]

    def make_members(self, keys: tuple[str, ...], make: Callable[[], object]) -> dict[str, object]:
        return {key: make() for key in self.chance.sample(keys, self.chance.randrange(min(4, len(keys) + 1)))}

    def make_settings(self, events: tuple[str, ...]) -> str:
        """A settings file that may have hooks of others, in events with ours, in other ones, and empty ones."""
        settings = self.make_members(tuple(set(WORDS) - {"hooks"}), lambda: self.make_value(3))
        if self.chance.random() < 0.7:
            group = {"hooks": [{"type": '"command"', "command": '"x"'}], "matcher": self.make_value(0)}
            hooks = self.make_members((*events, "Other"), lambda: [group] * self.chance.randrange(3))
            settings[self.chance.choice(["hooks", "hooks", "\\u0068ooks"])] = hooks
        if self.chance.random() < 0.2:
            settings["version"] = 1
        members = list(settings.items())
        self.chance.shuffle(members)
        text = self.choose_blank() + self.write(dict(members)) + self.choose_blank()
        if not self.is_odd:
            text = json.dumps(json.loads(text), indent=self.indent, ensure_ascii=self.chance.random() < 0.5)
            text = text.encode("utf-8", "replace").decode()
            text += self.chance.choice(["", "\n"])
        return text.replace("\n", self.newline)


def make_file(path: Path, content: bytes, chance: random.Random, elsewhere: Path) -> None:
    """The file `path`, or a link in its place or that of a folder above it, or nothing at all."""
    way = chance.randrange(8)
    if way == 0:
        return
    if way == 1:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(elsewhere / "nothing")
        return
    if way == 2 and path.parent != elsewhere.parent / "root":
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        path.parent.symlink_to(elsewhere, target_is_directory=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    if way == 3:
        target = elsewhere / "target"
        target.write_bytes(content)
        path.symlink_to(os.path.relpath(target, path.parent))
    else:
        path.write_bytes(content)
        path.chmod(chance.choice([0o644, 0o600, 0o440]))


def make_place(root: Path, *, in_project: bool = True) -> InstallPlace:
    return InstallPlace(root=str(root / "root"), records=str(root / "records"), in_project=in_project)


@pytest.mark.parametrize("name", CLIENTS)
def test_random_settings_come_back_to_the_byte(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    product = PRODUCTS[name]
    needed = make_settings(product)
    for seed in range(50):
        world = tmp_path / str(seed)
        (world / "root").mkdir(parents=True)
        (world / "elsewhere").mkdir()
        monkeypatch.setenv("HOME", str(world / "root"))
        writer = Writer(seed)
        place = make_place(world, in_project=seed % 3 > 0)
        path = Path(list_targets(product, place)[0].path)
        text = writer.make_settings(tuple(product.events.values()))
        text = writer.chance.choice([text, text, text, text, "", "\n \n", *ODD])
        content = text.encode("utf-8", "surrogateescape")
        make_file(path, content, writer.chance, world / "elsewhere")
        # Codex reads this as well.
        (world / "root/config.toml").write_bytes(b"[hooks]\r\nStop = []  # none")
        before = list_tree(world)
        assert install(product, place), seed
        written = path.read_text("utf-8", "surrogateescape")
        is_json = not writer.comments and "//" not in text
        if is_json:
            hooks = json.loads(written)["hooks"]
            assert [hooks[event][-1:] for event in product.events.values()] == list(needed["hooks"].values()), seed
        during = list_tree(world)
        assert install(product, place) == [], seed
        assert list_tree(world) == during, seed
        said = uninstall(product, place)
        assert list_tree(world) == before, (seed, content)
        assert not any("stays" in line for line in said), seed
        assert uninstall(product, place) == [], seed
        if is_json and "\udcff" not in text and path.exists() and path.read_text().strip():
            loaded = json.loads(path.read_text())
            install(product, place)
            path.chmod(0o600)
            path.write_text(json.dumps(json.loads(path.read_text()), indent=2))
            uninstall(product, place)
            assert path.read_text() == json.dumps(loaded, indent=2), (seed, content)


def add_beside(settings: dict[str, Any]) -> None:
    """Add an entry of others before and after ours in one event, and into our group of another one."""
    events = sorted(settings["hooks"])
    settings["hooks"][events[0]].insert(0, FOREIGN)
    settings["hooks"][events[0]].append(FOREIGN)
    group = settings["hooks"][events[-1]][-1]
    if "hooks" in group:
        group["hooks"].append({"type": "command", "command": "late"})
    settings["hooks"]["Other"] = [FOREIGN]


def move_first(settings: dict[str, Any]) -> None:
    settings["hooks"] = {event: groups[::-1] for event, groups in reversed(settings["hooks"].items())}


def set_version(settings: dict[str, Any]) -> None:
    settings["$version"] = 4


def leave(settings: dict[str, Any]) -> None:
    """Change nothing but how the settings are written."""


def take_out(settings: dict[str, Any], original: dict[str, Any]) -> dict[str, Any]:
    """What has to be left: what is not ours, and what was there before."""
    rest: dict[str, Any] = json.loads(json.dumps(settings))
    for event, groups in list(rest["hooks"].items()):
        kept = []
        for group in groups:
            others = [entry for entry in group.get("hooks", []) if "smartcommit" not in str(entry)]
            if others:
                group["hooks"] = others
            if others or "smartcommit" not in str(group):
                kept.append(group)
        rest["hooks"][event] = kept
        if not kept and event not in original.get("hooks", {}):
            del rest["hooks"][event]
    if not rest["hooks"] and "hooks" not in original:
        del rest["hooks"]
    if "version" not in original and ("hooks" in original or "hooks" not in rest):
        rest.pop("version", None)
    return rest


FORMATS: dict[str, dict[str, Any]] = {
    "sorted": {"sort_keys": True, "indent": 2},
    "minified": {"separators": (",", ":")},
    "wide": {"indent": 7, "ensure_ascii": False},
    "tabs": {"indent": "\t"},
}


@pytest.mark.parametrize("name", CLIENTS)
@rows("form", *FORMATS)
@rows("change", leave, add_beside, move_first, set_version)
@rows("original", None, "", "{}", '{"model": "x", "z": {}}', "one empty", "all empty", "others", "version")
def test_what_a_client_writes_anew_keeps_what_is_not_ours(
    name: str, form: str, change: Callable[[dict[str, Any]], None], original: str | None, tmp_path: Path
) -> None:
    product = PRODUCTS[name]
    events = list(product.events.values())
    texts: dict[str, Any] = {
        "one empty": {"a": [], "hooks": {events[-1]: []}},
        "all empty": {"hooks": {event: [] for event in events}},
        "others": {"hooks": {events[0]: [FOREIGN], "Other": [], events[-1]: []}, "z": 1},
        "version": {"version": 1, "hooks": {}},
    }
    root = tmp_path / "root"
    shutil.rmtree(tmp_path)
    root.mkdir(parents=True)
    place = make_place(tmp_path)
    path = Path(list_targets(product, place)[0].path)
    if original is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(texts[original]) if original in texts else original)
    install(product, place)
    settings = json.loads(path.read_text())
    change(settings)
    path.write_text(json.dumps(settings, **FORMATS[form]))
    said = uninstall(product, place)
    before = json.loads(json.dumps(texts[original]) if original in texts else original or "{}")
    expected = take_out(settings, before)
    if original is None and expected.keys() <= {"version", "$version"}:
        assert list_tree(root) == {}
        return
    assert path.read_text() == json.dumps(expected, **FORMATS[form])
    assert any("stays" in line for line in said)
    assert "smartcommit" not in path.read_text()


@rows("written", '{"hooks": {"Stop": [OURS // mine\n ]}}', '{"hooks":{"Stop": [OURS]}}', '{"mine": OURS, "hooks": 1}')
def test_what_somebody_has_edited_by_hand_stays_and_is_said(written: str, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path)
    place = make_place(tmp_path)
    path = tmp_path / "root/.qwen/settings.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"hooks": {"Stop": []}}')
    install(PRODUCTS["qwen"], place)
    edited = written.replace("OURS", json.dumps(make_settings(PRODUCTS["qwen"])["hooks"]["Stop"][0]))
    path.write_text(edited)
    assert "was edited and stays" in uninstall(PRODUCTS["qwen"], place)[-1]
    assert path.read_text() == edited
