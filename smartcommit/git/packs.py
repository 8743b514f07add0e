"""Packs of a split's new blobs.

`git fast-import` takes whole blobs: to hash, compare and compress a file again for each of its hunks takes minutes if
there are thousands. Here each version is only hashed, and the output grows with the hunks.

Source: gitformat-pack(5), pack version 2 and pack index version 2.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from types import TracebackType
from typing import IO, Self

from smartcommit.errors import name_file
from smartcommit.git.hunks import Replacement, Version
from smartcommit.git.repo import Repository

_BLOB, _REF_DELTA = 3, 7
# The longest copy and insertion that git itself writes into a delta.
_COPY_SIZE, _INSERTION_SIZE = 0x10000, 0x7F
# Offsets from here on are in another table of the index, and this bit marks their position there.
_SMALL = _LARGE = 1 << 31


class BlobPack:
    """A pack of new blobs in the object directory `directory`, which appears when the context is left without an error.

    Raise OSError if it cannot be written.
    """

    def __init__(self, repository: Repository, directory: str) -> None:
        self._algorithm = repository.object_format
        # git makes its directories as `core.sharedRepository` says, and its packs as readable as these.
        self._mode = os.stat(repository.objects).st_mode & 0o444
        self._directory = os.path.join(directory, "pack")
        # The checksum and the offset in the pack of each object.
        self._entries: dict[bytes, tuple[int, int]] = {}
        # The number of hunks and the name of each version of a path.
        self._versions: dict[bytes, list[tuple[int, bytes]]] = {}

    def __enter__(self) -> Self:
        descriptor, self._path = tempfile.mkstemp(prefix="tmp_pack_", dir=self._directory)
        self._file = os.fdopen(descriptor, "w+b")
        self._file.write(b"PACK" + _number(2) + _number(0))
        self._end = self._file.tell()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None) -> None:
        if isinstance(error, OSError):
            name_file(error, self._path)
        try:
            with self._file:
                if kind is None and self._entries:
                    self._finish()
                else:
                    os.unlink(self._path)
        except OSError as failure:
            name_file(failure, self._path)
            raise

    def add(self, content: bytes) -> str:
        """Write `content`, and return its name."""
        name = self._name(content)
        if name not in self._entries:
            self._write_whole(name, content)
        return name.hex()

    def add_version(self, path: bytes, version: Version) -> str:
        """Write the present content of `version`, the same in each call for `path`, and return its name.

        Version n is a delta to n without its lowest bit. So n versions with a hunk each have n * log2(n) / 2 hunks in
        their deltas, and reading one takes log2(n) others at most.
        """
        versions = self._versions.setdefault(path, [])
        number = len(versions)
        name = self._name(version.content)
        if name not in self._entries:
            # To git a delta of less than four bytes is corrupt, and that of an empty file is. Source: git's delta.h.
            if number == 0 or not version.content:
                self._write_whole(name, version.content)
            else:
                count, base = versions[number & (number - 1)]
                delta = _delta(version.replacements_since(count), len(version.content))
                self._write(name, _header(_REF_DELTA, len(delta)) + base + zlib.compress(delta))
        versions.append((len(version.added), name))
        return name.hex()

    def _write_whole(self, name: bytes, content: bytes | bytearray) -> None:
        self._write(name, _header(_BLOB, len(content)) + zlib.compress(content))

    def _name(self, content: bytes | bytearray) -> bytes:
        digest = hashlib.new(self._algorithm, b"blob %d\0" % len(content))
        digest.update(content)
        return digest.digest()

    def _write(self, name: bytes, entry: bytes) -> None:
        self._entries[name] = (zlib.crc32(entry), self._end)
        self._file.write(entry)
        self._end += len(entry)

    def _finish(self) -> None:
        self._file.seek(len(b"PACK") + 4)
        self._file.write(_number(len(self._entries)))
        self._file.seek(0)
        checksum = hashlib.file_digest(self._file, self._algorithm).digest()
        self._file.write(checksum)
        self._persist(self._file)
        path = os.path.join(self._directory, f"pack-{checksum.hex()}")
        os.rename(self._path, f"{path}.pack")
        # git counts a pack as complete once its index is there.
        with open(f"{path}.idx", "wb") as file:
            index = b"".join(_index(self._entries, checksum))
            file.write(index + hashlib.new(self._algorithm, index).digest())
            self._persist(file)

    def _persist(self, file: IO[bytes]) -> None:
        file.flush()
        os.fchmod(file.fileno(), self._mode)
        os.fsync(file.fileno())


def _header(kind: int, size: int) -> bytes:
    """Encode the header of an object: three bits for its kind, and its size in groups of four and then seven bits."""
    first, rest = kind << 4 | size & 0xF, size >> 4
    if not rest:
        return bytes([first])
    return bytes([first | 0x80]) + _size(rest)


def _size(size: int) -> bytes:
    """Encode a number in groups of seven bits, the lowest first; the eighth bit says that another one follows."""
    groups = bytearray()
    while size > 0x7F:
        groups.append(size & 0x7F | 0x80)
        size >>= 7
    groups.append(size)
    return bytes(groups)


def _delta(replacements: Iterable[Replacement], size: int) -> bytes:
    """Encode the delta that makes `replacements` in a content, which has `size` bytes then."""
    parts: list[bytes] = []
    position = growth = 0
    for replacement in replacements:
        parts += _copies(position, replacement.start)
        parts += _insertions(replacement.new)
        position = replacement.end
        growth += replacement.growth
    parts += _copies(position, size - growth)
    return b"".join([_size(size - growth), _size(size), *parts])


def _copies(start: int, end: int) -> Iterator[bytes]:
    """Yield instructions that copy the bytes from `start` to `end`: four bytes of offset and three of size each."""
    for offset in range(start, end, _COPY_SIZE):
        yield b"\xff" + offset.to_bytes(4, "little") + min(_COPY_SIZE, end - offset).to_bytes(3, "little")


def _insertions(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), _INSERTION_SIZE):
        part = content[start : start + _INSERTION_SIZE]
        yield bytes([len(part)]) + part


def _index(entries: Mapping[bytes, tuple[int, int]], checksum: bytes) -> Iterator[bytes]:
    """Yield the index of a pack with this `checksum`, up to the index's own."""
    names = sorted(entries)
    firsts = Counter(name[0] for name in names)
    yield b"\xfftOc" + _number(2)
    yield from map(_number, accumulate(firsts[first] for first in range(256)))
    yield from names
    for name in names:
        yield _number(entries[name][0])
    large: list[bytes] = []
    for name in names:
        offset = entries[name][1]
        if offset < _SMALL:
            yield _number(offset)
        else:
            yield _number(_LARGE | len(large))
            large.append(offset.to_bytes(8, "big"))
    yield from large
    yield checksum


def _number(number: int) -> bytes:
    return number.to_bytes(4, "big")
