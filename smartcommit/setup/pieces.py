"""Pieces of text in files of other people: inserted, recorded, and cut out again without touching any other byte.

The record says for each file which pieces were inserted, whether we made it, and which folders were made for it. It is
saved before the file changes, so that a command that is killed can be repeated or undone.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from smartcommit import state_files
from smartcommit.errors import SmartcommitError, explain_os_error
from smartcommit.files import read_content
from smartcommit.record import Record

# Where text is to be inserted, in the text before, and the text.
Insertion = tuple[int, str]
# Where text that was inserted begins, in the text with all pieces, and the text.
Piece = tuple[int, str]
_RECORD = "pieces.json"
# Bytes of a file that are read of its start.
_BYTES_READ = 1 << 20


class EditedFile(Record):
    """What was done to a file: the pieces inserted, whether we made it, and the folders that were missing."""

    pieces: Sequence[Piece]
    made: bool
    folders: Sequence[str]


class PieceRecord:
    """The record in the folder `smartcommit` of `directory`, for all programs. A file is known by its path from there.

    It is read anew each time: another command may have changed it.
    """

    def __init__(self, directory: str) -> None:
        self._directory = os.path.realpath(directory)

    def find(self, path: str) -> EditedFile | None:
        return self._load().get(self._key(path))

    def insert(self, path: str, insertions: Iterable[Insertion]) -> None:
        """Insert pieces into a file, which is made if it is missing."""
        text, pieces = insert(read(path) or "", insertions)
        known = self.note(path)
        self._set(path, EditedFile(pieces=[*known.pieces, *pieces], made=known.made, folders=known.folders))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _sweep(path)
        state_files.replace_file(path, text.encode("utf-8", "surrogateescape"))

    def note(self, path: str) -> EditedFile:
        """Record a file that is about to be made or changed, unless it is recorded; return what is recorded."""
        missing = not os.path.exists(path)  # a link to nothing will be one again
        entry = self.find(path)
        if missing or entry is None:
            entry = EditedFile(pieces=[], made=missing, folders=_list_missing(path))
            self._set(path, entry)
        return entry

    def restore(self, path: str, text: str, entry: EditedFile | None = None) -> None:
        """Write `text`, from which our pieces were cut, or delete a file that we made and that is blank."""
        entry = entry or self.find(path)
        before = read(path)
        if before is not None and entry is not None and entry.made and not text.strip():
            os.unlink(os.path.realpath(path))
        elif before not in (None, text):
            state_files.replace_file(path, text.encode("utf-8", "surrogateescape"))
        self.forget(path)

    def forget(self, path: str) -> None:
        """Drop a file from the record, and the folders that were made for it and are empty."""
        entries = self._load()
        entry = entries.pop(self._key(path), None)
        if entry is None:
            return
        _sweep(path)
        _remove_folders(entry.folders)
        if entries.keys() == {""}:
            state_files.drop(self._directory, _RECORD)
            _remove_folders(entries[""].folders)
        else:
            self._save(entries)

    def _key(self, path: str) -> str:
        folder = os.path.realpath(os.path.dirname(path))
        return os.path.relpath(os.path.join(folder, os.path.basename(path)), self._directory)

    def _set(self, path: str, entry: EditedFile) -> None:
        entries = self._load()
        entries[self._key(path)] = entry
        # The record itself has no name.
        place = state_files.find_path(self._directory, _RECORD)
        entries.setdefault("", EditedFile(pieces=[], made=True, folders=_list_missing(place)))
        self._save(entries)

    def _load(self) -> dict[str, EditedFile]:
        def make(loaded: Mapping[str, Any]) -> dict[str, EditedFile]:
            return {name: EditedFile(**fields) for name, fields in loaded.items()}

        return state_files.load_json(self._directory, _RECORD, make) or {}

    def _save(self, entries: Mapping[str, EditedFile]) -> None:
        fields = {name: entry.as_dict() for name, entry in entries.items()}
        if not state_files.save_json(self._directory, _RECORD, fields):
            place = state_files.find_path(self._directory, _RECORD)
            raise SmartcommitError(f"cannot write '{place}'", hint="check that the directory is writable")


def insert(text: str, insertions: Iterable[Insertion]) -> tuple[str, list[Piece]]:
    """Return `text` with the pieces at their places in it, and the pieces with their places in that."""
    pieces: list[Piece] = []
    shift = 0
    for start, piece in sorted(insertions, key=lambda insertion: insertion[0]):
        place = start + shift
        text = text[:place] + piece + text[place:]
        pieces.append((place, piece))
        shift += len(piece)
    return text, pieces


def cut(text: str, pieces: Iterable[Piece]) -> tuple[str, list[str]]:
    """Return `text` without these pieces, and those that are neither where they were nor anywhere exactly once."""
    missing = []
    for start, piece in sorted(pieces, reverse=True):
        place = start if text.startswith(piece, start) else text.find(piece)
        if place != start and text.count(piece) != 1:
            missing.append(piece)
            continue
        text = text[:place] + text[place + len(piece) :]
    return text, missing


def find_newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def read(path: str) -> str | None:
    """Return the text of a file, None if there is none. Line ends stay, and bytes that are not UTF-8 as surrogates.

    Raise SmartcommitError if it cannot be read.
    """
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise SmartcommitError(f"cannot read '{path}': {explain_os_error(error)}") from None


def read_start(path: str) -> str | None:
    """Return the start of a file as text, None if there is none."""
    if not os.path.isfile(path):
        return None
    return read_content(path, _BYTES_READ).decode("utf-8", "replace")


def _sweep(path: str) -> None:
    target = os.path.realpath(path)
    for file in glob.glob(f"{glob.escape(target)}.*.new"):
        if file.removeprefix(f"{target}.").removesuffix(".new").isdigit():
            os.unlink(file)


def _list_missing(path: str) -> list[str]:
    missing = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing[::-1]


def _remove_folders(folders: Sequence[str]) -> None:
    for folder in reversed(folders):
        try:
            os.rmdir(folder)
        except OSError:
            return
