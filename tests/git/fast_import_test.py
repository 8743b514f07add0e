"""Blobs that git reads, in a pack that grows with what differs between them."""

import random
import resource
from pathlib import Path

import pytest

from smartcommit.errors import GitError
from smartcommit.git.fast_import import BlobPack
from smartcommit.git.repo import Repository
from tests.support.repository import Repo

SEED = random.Random(0)


def write_all(repo: Repo, contents: list[bytes]) -> list[str]:
    with BlobPack(Repository.find(str(repo.path))) as blobs:
        return list(map(blobs.add, contents))


def pack_files(repo: Repo) -> list[Path]:
    return sorted((repo.path / ".git/objects/pack").iterdir())


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)], ids=["sha1", "sha256"])
def test_git_reads_every_version_and_packs_what_differs(tmp_path: Path, options: tuple[str, ...]) -> None:
    repo = Repo.init(tmp_path / "repo", *options)
    noise = SEED.randbytes(50_000)
    contents = [b"", *(noise[:place] + b"x\n" + noise[place:] for place in range(0, 50_000, 1000)), noise]
    names = write_all(repo, [*contents, *contents])
    assert len(set(names)) == len(contents)
    tree = repo.git("hash-object", "-t", "tree", "/dev/null").strip()
    assert Repository.find(str(repo.path)).empty_tree == tree
    for name, content in zip(names, contents, strict=False):
        assert repo.run("cat-file", "blob", name).stdout == content
    assert repo.run("fsck", "--full", "--strict", "--no-dangling").returncode == 0
    index, pack = pack_files(repo)
    assert (index.suffix, pack.suffix) == (".idx", ".pack")
    assert pack.stat().st_size < 3 * len(noise)


def test_a_pack_without_blobs_is_none(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    assert write_all(repo, []) == []
    assert pack_files(repo) == []


@pytest.mark.parametrize("size", [100, 1_000_000])  # what fits into a pipe, and what does not
def test_git_says_why_a_pack_cannot_be_written(repo: Repo, size: int) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
    try:
        with pytest.raises(GitError, match="cannot write blobs: file size limit exceeded"):
            write_all(repo, [SEED.randbytes(size)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
