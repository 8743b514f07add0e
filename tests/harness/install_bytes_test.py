"""`smartcommit agents install` beside a person's own settings, and `uninstall`, which leaves every byte as it was."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from smartcommit.cli import main
from tests.harness.scripted import HARNESSES, Harness
from tests.support.repository import Repo

PRODUCTS = tuple(harness.product for harness in HARNESSES)
# The file that `install --project` writes into, and how the product calls the event before a tool and its shell.
FILES = {
    "claude": (".claude/settings.local.json", "PreToolUse", "Bash"),
    "codex": (".codex/hooks.json", "PreToolUse", "Bash"),
    "gemini": (".gemini/settings.json", "BeforeTool", "run_shell_command"),
}
# A person's settings in odd formats; `%s` are the event and the shell.
FORMATS = {
    "empty object": "{}",
    "empty object, spaced": "{  \n\n }\n\n",
    "one line": '{"hooks":{"%s":[{"matcher":"%s","hooks":[{"type":"command","command":"true"}]}]},"a":[1,2]}',
    "tabs": '{\n\t"hooks" : {\n\t\t"%s" : [ { "matcher" : "%s", "hooks" : [\n'
    '\t\t\t{ "type":"command" , "command":"echo \\u00e9 / \\/" } ] } ]\n\t}\n}\n',
    "CRLF": '{\r\n    "b": 1.50e2,\r\n    "hooks": {\r\n        "%s": [ {"matcher": "%s", "hooks": []} ]\r\n    }\r\n}',
    "empty lists": '{ "hooks": { "%s": [ ] }, "of": "%s" }\n',
    "hooks last, none": '{\n  "z": "é😀",\n\n  "hooks": {\n  },\n  "%s": "%s"\n}',
    "words that look like ours": '{"note": "{\\"hooks\\": {\\"%s\\": []}} %s }]", "list": ["}", "]"]}\n',
}


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


def write_settings(repo: Repo, product: str, form: str) -> Path:
    file, event, shell = FILES[product]
    text = FORMATS[form]
    return repo.write(file, text % (event, shell) if "%s" in text else text)


def find_commands(repo: Repo, product: str) -> list[str]:
    """The commands that the product would start before its shell."""
    (kind,) = (each for each in HARNESSES if each.product == product)
    harness: Harness = kind(repo.path, "s")
    handlers = harness.find_handlers(harness.events["before"], harness.names["shell"])
    return [handler.command for handler in handlers]


@pytest.mark.parametrize("where", ["--project", "--user"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_nothing_is_left_where_nothing_was(place: Repo, product: str, where: str) -> None:
    before = snapshot(place)
    assert main(["agents", "install", product, where]) == 0
    assert any("smartcommit" in command for command in find_commands(place, product))
    assert main(["agents", "uninstall", product, where]) == 0
    assert snapshot(place) == before


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("product", FILES)
def test_settings_are_restored_byte_for_byte(place: Repo, product: str, form: str) -> None:
    path = write_settings(place, product, form)
    path.chmod(0o600)
    before = snapshot(place)
    own = find_commands(place, product)
    values = json.loads(path.read_text())
    assert main(["agents", "install", product, "--project"]) == 0
    commands = find_commands(place, product)
    assert commands[: len(own)] == own, "a person's hooks keep their numbers, by which Codex trusts them"
    assert len(commands) == len(own) + 1
    installed = json.loads(path.read_text())
    assert {name: value for name, value in installed.items() if name != "hooks"} == {
        name: value for name, value in values.items() if name != "hooks"
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert main(["agents", "uninstall", product, "--project"]) == 0
    assert snapshot(place) == before


@pytest.mark.parametrize("product", FILES)
def test_installing_twice_is_installing_once(place: Repo, product: str) -> None:
    write_settings(place, product, "tabs")
    before = snapshot(place)
    assert main(["agents", "install", product, "--project"]) == 0
    once = snapshot(place)
    assert main(["agents", "install", product, "--project"]) == 0
    assert snapshot(place) == once
    assert main(["agents", "uninstall", product, "--project"]) == 0
    assert main(["agents", "uninstall", product, "--project"]) == 0
    assert snapshot(place) == before


def change_a_word(text: str) -> str:
    return text.replace('"command":"true"', '"command":"false"')


def put_a_line_first(text: str) -> str:
    return text.replace('{"hooks"', '{\n "model": "fast",\n"hooks"', 1)


def add_a_hook_after_all(text: str) -> str:
    """A person's own group, put in at the end of the list that both use."""
    event = next(event for _, event, _ in FILES.values() if f'"{event}"' in text)
    start = text.index("[", text.index(f'"{event}"'))
    end = find_end(text, start)
    return text[:end] + ', {"matcher":"X","hooks":[{"type":"command","command":"mine"}]}' + text[end:]


def find_end(text: str, start: int) -> int:
    """Where the list that begins at `start` is closed."""
    value, end = json.JSONDecoder().raw_decode(text, start)
    assert isinstance(value, list)
    return end - 1


@pytest.mark.parametrize("change", [change_a_word, put_a_line_first, add_a_hook_after_all])
@pytest.mark.parametrize("product", FILES)
def test_what_the_person_changed_meanwhile_stays(place: Repo, product: str, change: Callable[[str], str]) -> None:
    path = write_settings(place, product, "one line")
    expected = change(path.read_text())
    assert main(["agents", "install", product, "--project"]) == 0
    changed = change(path.read_text())
    assert json.loads(changed) != json.loads(path.read_text())
    path.write_text(changed)
    assert main(["agents", "uninstall", product, "--project"]) == 0
    assert path.read_text() == expected


@pytest.mark.parametrize("product", FILES)
def test_our_part_is_found_after_an_editor_formatted_the_file(place: Repo, product: str) -> None:
    path = write_settings(place, product, "one line")
    before = json.loads(path.read_text())
    assert main(["agents", "install", product, "--project"]) == 0
    path.write_text(json.dumps(json.loads(path.read_text()), indent="\t") + "\n")
    assert main(["agents", "uninstall", product, "--project"]) == 0
    assert json.loads(path.read_text()) == before


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"hooks": []}', b"", b"{} {}", b"\xff{}", b'{"hooks": {"PreToolUse": 1, "BeforeTool": 1}}'],
)
@pytest.mark.parametrize("product", FILES)
def test_a_file_that_cannot_be_understood_stays(
    place: Repo, product: str, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place.write(FILES[product][0], content)
    before = snapshot(place)
    status = main(["agents", "install", product, "--project"])
    if content == b"":
        # As good as no file.
        assert main(["agents", "uninstall", product, "--project"]) == 0
    else:
        assert status != 0
        assert path.name in capsys.readouterr().err
    assert snapshot(place) == before


@pytest.mark.parametrize(
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
    ids=lambda content: str(content[:30]),
)
@pytest.mark.parametrize("product", FILES)
def test_a_doubtful_file_is_left_or_restored(place: Repo, product: str, content: bytes) -> None:
    path = place.write(FILES[product][0], content)
    before = snapshot(place)
    if main(["agents", "install", product, "--project"]) == 0:
        assert path.read_bytes() != content
        assert main(["agents", "uninstall", product, "--project"]) == 0
    assert snapshot(place) == before


@pytest.mark.parametrize("product", FILES)
def test_a_link_stays_a_link(place: Repo, product: str, tmp_path: Path) -> None:
    """Settings are often kept elsewhere, and linked."""
    elsewhere = tmp_path / "dotfiles.json"
    elsewhere.write_text('{"a": 1}')
    path = place.path / FILES[product][0]
    path.parent.mkdir()
    path.symlink_to(elsewhere)
    before = snapshot(place)
    assert main(["agents", "install", product, "--project"]) == 0
    assert path.is_symlink()
    assert "hooks" in json.loads(elsewhere.read_text())
    assert main(["agents", "uninstall", product, "--project"]) == 0
    assert snapshot(place) == before
    assert elsewhere.read_text() == '{"a": 1}'


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


def test_a_skill_stays_while_another_product_reads_it(place: Repo) -> None:
    before = snapshot(place)
    for product in ("codex", "gemini"):
        assert main(["agents", "install", product, "--project"]) == 0
    skill = place.path / ".agents/skills/smartcommit/SKILL.md"
    assert main(["agents", "uninstall", "codex", "--project"]) == 0
    assert skill.exists()
    assert main(["agents", "uninstall", "gemini", "--project"]) == 0
    assert snapshot(place) == before


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_skill_that_a_person_changed_is_not_removed(place: Repo, product: str) -> None:
    assert main(["agents", "install", product, "--project"]) == 0
    (skill,) = place.path.glob(".*/skills/smartcommit/SKILL.md")
    skill.write_text(skill.read_text() + "\nAlso sign the commits.\n")
    changed = skill.read_text()
    main(["agents", "uninstall", product, "--project"])
    assert skill.read_text() == changed


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_skill_of_a_person_is_not_replaced(place: Repo, product: str) -> None:
    for folder in (".claude", ".agents", ".github", ".gemini"):
        place.write(f"{folder}/skills/smartcommit/SKILL.md", "mine\n")
    main(["agents", "install", product, "--project"])
    main(["agents", "uninstall", product, "--project"])
    for skill in place.path.glob(".*/skills/smartcommit/SKILL.md"):
        assert skill.read_text() == "mine\n"


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
