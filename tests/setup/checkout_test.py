"""A checkout as a repository of hooks."""

from __future__ import annotations

from pathlib import Path

from smartcommit.commands.demo import snapshot
from tests.support.repository import Repo


def test_the_working_tree_counts_not_what_is_committed(repo: Repo, tmp_path: Path) -> None:
    repo.commit("chore: base", {"kept.txt": "old\n", "gone.txt": "", ".gitignore": "*.log\n"})
    repo.write("kept.txt", "new\n")
    repo.write("sub/added name.sh", "#!/bin/sh\n", executable=True)
    repo.write("noise.log", "noise\n")
    repo.write("tracked.log")
    (repo.path / "link").symlink_to("kept.txt")
    (repo.path / "gone.txt").unlink()
    repo.git("add", "--force", "tracked.log")
    before = repo.state()
    commit = snapshot(str(repo.path), str(tmp_path / "copy"))
    copy = Repo(tmp_path / "copy")
    assert copy.git("rev-parse", "HEAD").strip() == commit
    assert copy.git("ls-tree", "-r", "--name-only", "HEAD").splitlines() == [
        ".gitignore",
        "kept.txt",
        "link",
        "sub/added name.sh",
        "tracked.log",
    ]
    assert copy.git("show", "HEAD:kept.txt") == "new\n"
    assert copy.git("ls-tree", "HEAD", "link").startswith("120000 ")
    assert copy.git("ls-tree", "HEAD", "sub/added name.sh").startswith("100755 ")
    assert repo.state() == before
