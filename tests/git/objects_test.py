"""Blobs are read one after another, and one that cannot be read is named."""

from __future__ import annotations

import pytest

from smartcommit.errors import GitError
from smartcommit.git.objects import read_blobs
from smartcommit.git.repo import Repository
from tests.support.repository import Repo


def test_an_object_that_cannot_be_read_is_named(based: Repo) -> None:
    repository = Repository.find(str(based.path))
    present, absent = based.git("rev-parse", "HEAD:base.txt").strip(), "1" * 40
    blobs = read_blobs(repository, [present, absent])
    assert next(blobs) == b"base\n"
    with pytest.raises(GitError, match=f"^cannot read object '{absent}'$"):
        next(blobs)
