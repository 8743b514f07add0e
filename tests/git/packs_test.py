"""A pack of our own is one that git reads, and grows with the hunks that are written rather than with their files."""

from __future__ import annotations

import os
import random
import re
import resource
from pathlib import Path

import pytest

from smartcommit.git import packs
from smartcommit.git.diff import Hunk
from smartcommit.git.hunks import Text, Version
from smartcommit.git.packs import BlobPack
from smartcommit.git.repo import Repository
from tests.support.repository import Repo

SEED = random.Random(0)


def noise(size: int) -> bytes:
    """A line that does not compress."""
    return SEED.randbytes(size).replace(b"\n", b"\r") + b"\n"


def changed(hunks: int, *, beside: int = 1) -> Text:
    """A text in which every other line is replaced, by nothing or by some lines; the others have `beside` bytes."""
    base = [noise(beside) if number % 2 else b"old\n" for number in range(2 * hunks)]
    target: list[bytes] = []
    found = []
    for number in range(hunks):
        added = [noise(SEED.choice([0, 3, 126, 127, 300])) for _ in range(number % 3)]
        start = len(target) + 1 if added else len(target)
        found.append(Hunk(2 * number + 1, 1, start, len(added), b"", [b"old"], [line[:-1] for line in added]))
        target += [*added, base[2 * number + 1]]
    return Text(b"".join(base), b"".join(target), found)


def write_all(repo: Repo, text: Text, *, together: int = 1) -> list[tuple[str, bytes]]:
    """Write a version after each so many hunks, taken in any order; return their names and contents."""
    repository = Repository.find(str(repo.path))
    order = SEED.sample(range(len(text.replacements)), len(text.replacements))
    written = []
    with BlobPack(repository, repository.objects) as blobs:
        version = Version(text)
        for place, position in enumerate(order, start=1):
            version.add(position)
            if place % together == 0:
                written.append((blobs.add_version(b"f", version), bytes(version.content)))
    return written


def pack_files(repo: Repo) -> list[Path]:
    return sorted((repo.path / ".git/objects/pack").iterdir())


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)], ids=["sha1", "sha256"])
@pytest.mark.parametrize("together", [1, 3])
def test_git_reads_every_version(tmp_path: Path, options: tuple[str, ...], together: int) -> None:
    repo = Repo.init(tmp_path / "repo", *options)
    written = write_all(repo, changed(100, beside=1500), together=together)
    assert [suffix for path in pack_files(repo) for suffix in path.suffixes] == [".idx", ".pack"]
    assert repo.run("fsck", "--full", "--strict", "--no-dangling").returncode == 0
    for name, content in written:
        assert repo.run("cat-file", "blob", name).stdout == content


def test_git_reads_a_version_that_is_empty(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    hunks = [Hunk(line, 1, 0, 0, b"", [b"old"], []) for line in (1, 2)]
    text = Text(b"old\nold\n", b"", hunks)
    assert write_all(repo, text)[-1][1] == b""
    repo.git("fsck", "--strict", "--no-dangling")


def test_a_delta_costs_its_hunks_and_depends_on_few_others(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    text = changed(256, beside=2000)
    write_all(repo, text)
    index, content = pack_files(repo)
    assert content.stat().st_size < 2 * len(text.base)
    shown = repo.git("verify-pack", "-v", str(index))
    depths = [int(depth) for depth in re.findall(r"^chain length = (\d+)", shown, re.MULTILINE)]
    assert max(depths) == 8  # the last number, 255, has so many bits to lose


def test_equal_contents_are_written_once(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repository = Repository.find(str(repo.path))
    text = changed(3)
    with BlobPack(repository, repository.objects) as blobs:
        names = []
        for path in (b"a", b"b"):
            version = Version(text)
            for position in range(2):
                version.add(position)
                names.append(blobs.add_version(path, version))
        assert names[:2] == names[2:]
        assert blobs.add(bytes(version.content)) == names[-1]
    assert len(repo.git("cat-file", "--batch-all-objects", "--batch-check").splitlines()) == 2
    assert repo.run("fsck", "--full").returncode == 0


def test_offsets_that_need_eight_bytes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # git's own tests do the same with `index-pack --index-version=2,LIMIT`: two gigabytes would take too long.
    monkeypatch.setattr(packs, "_SMALL", 1000)
    repo = Repo.init(tmp_path / "repo")
    written = write_all(repo, changed(30, beside=100))
    assert repo.run("fsck", "--full").returncode == 0
    for name, content in written:
        assert repo.run("cat-file", "blob", name).stdout == content


def test_a_pack_without_blobs_is_none(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repository = Repository.find(str(repo.path))
    with BlobPack(repository, repository.objects):
        pass
    assert pack_files(repo) == []


def test_an_error_leaves_no_pack(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    with pytest.raises(KeyboardInterrupt):
        interrupted(repo)
    assert pack_files(repo) == []


def interrupted(repo: Repo) -> None:
    repository = Repository.find(str(repo.path))
    with BlobPack(repository, repository.objects) as blobs:
        blobs.add(b"a\n")
        raise KeyboardInterrupt


@pytest.mark.parametrize(("shared", "mode"), [("umask", 0o400), ("group", 0o440), ("all", 0o444)])
def test_a_pack_is_as_readable_as_gits_own(tmp_path: Path, shared: str, mode: int) -> None:
    before = os.umask(0o077)
    try:
        repo = Repo.init(tmp_path / "repo", f"--shared={shared}")
        write_all(repo, changed(3))
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in pack_files(repo)} == {mode}


def write_pack_of_a_blob(repo: Repo, size: int, *, limit: int) -> None:
    """Write a pack while no file may have more than `limit` bytes."""
    found = Repository.find(str(repo.path))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with BlobPack(found, found.objects) as pack:
            pack.add(SEED.randbytes(size))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [100, 100_000])  # what stays in the buffer, and what does not
def test_a_pack_that_cannot_be_written_is_named(repo: Repo, size: int) -> None:
    with pytest.raises(OSError, match="File too large") as failed:
        write_pack_of_a_blob(repo, size, limit=50)
    assert "tmp_pack_" in str(failed.value.filename)


def test_a_pack_and_its_index_are_on_disk_before_they_count(based: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []

    def record(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(os, "fsync", record)
    write_all(based, changed(5))
    sizes = {path.suffix: path.stat().st_size for path in pack_files(based)}
    assert synced == [sizes[".pack"], sizes[".idx"]]
