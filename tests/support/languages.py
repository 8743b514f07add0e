"""A git that speaks another language, as in the environment of many users."""

import struct
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import which

import pytest


def translate_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, messages: Mapping[str, str]) -> None:
    """Translate these `messages` of git, and the word `fatal`, for whatever runs in our environment.

    The test is skipped where the C library translates nothing.
    """
    messages = {"fatal: ": "Schwerwiegend: ", **messages}
    catalogue = tmp_path / "languages/xx/LC_MESSAGES/git.mo"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_bytes(_compile({"": "Content-Type: text/plain; charset=UTF-8\n", **messages}))
    monkeypatch.setenv("GIT_TEXTDOMAINDIR", str(tmp_path / "languages"))
    monkeypatch.setenv("LANGUAGE", "xx")
    for name, value in _list_locales(tmp_path / "locales"):
        monkeypatch.setenv(name, value)
        done = subprocess.run(["git", "rev-parse", "--verify", "x"], cwd="/", capture_output=True, check=False)
        if done.stderr.startswith(b"Schwerwiegend: "):
            return
    pytest.skip("no locale in which the C library would translate")


def _list_locales(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what to set, one after the other, until messages are translated: they never are in the locale `C`."""
    listed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    for name in ("C.UTF-8", *listed):
        yield "LC_ALL", name
    folder.mkdir()
    command = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")]
    if which("localedef") is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0:
        yield "LOCPATH", str(folder)
        yield "LC_ALL", "de_DE.UTF-8"


def _compile(messages: Mapping[str, str]) -> bytes:
    """Return a catalogue of messages. Source: "The Format of GNU MO Files" in the manual of gettext."""
    sources = sorted(messages)
    texts = [*sources, *(messages[source] for source in sources)]
    count, start = len(sources), 28
    position = start + 8 * len(texts)
    table, strings = b"", b""
    for text in texts:
        string = text.encode()
        table += struct.pack("<2I", len(string), position + len(strings))
        strings += string + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, count, start, start + 8 * count, 0, 0) + table + strings
