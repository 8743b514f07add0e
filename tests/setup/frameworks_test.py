"""Where the hooks come from: wherever this installation did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smartcommit.setup.frameworks import MANIFEST, PUBLISHED, RELEASE, read_origin
from tests.support.repository import Repo


def note(url: str, **origin: object) -> str:
    return json.dumps({"url": url, **origin})


def test_a_clone_gives_itself_and_its_last_commit(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "my clone")
    commit = repo.commit("chore: base", {MANIFEST: "[]\n"})
    assert read_origin(note(repo.path.as_uri(), dir_info={})) == (str(repo.path), commit)


def test_a_repository_on_the_net_gives_the_installed_commit() -> None:
    origin = note("https://example.invalid/hooks", vcs_info={"vcs": "git", "commit_id": "1" * 40})
    assert read_origin(origin) == ("https://example.invalid/hooks", "1" * 40)


@pytest.mark.parametrize("kind", ["index", "archive", "no commit", "not ours", "not a repository", "gone"])
def test_anything_else_gives_what_is_published(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind in ("no commit", "not ours"):
        repo = Repo.init(path)
        repo.write(MANIFEST if kind == "no commit" else "other", "[]\n")
        if kind == "not ours":
            repo.commit()
    if kind == "not a repository":
        path.mkdir()
        (path / MANIFEST).write_text("[]\n")
    text = {"index": None, "archive": note("file:///x.whl", archive_info={})}.get(kind, note(path.as_uri()))
    assert read_origin(text) == (PUBLISHED, RELEASE)
