"""A checkout of smartcommit as a repository of hooks, whatever is uncommitted in it."""

from __future__ import annotations

import os
import shutil

from smartcommit.git.run import run

MANIFEST = ".pre-commit-hooks.yaml"


def copy(checkout: str, target: str) -> None:
    """Copy what git would keep of `checkout`, tracked or new but not ignored, as it stands in the working tree.

    Raises: GitError when `checkout` is not a repository; OSError when a file cannot be copied.
    """
    listing = run(("ls-files", "-z", "--cached", "--others", "--exclude-standard"), directory=checkout).stdout
    for name in dict.fromkeys(os.fsdecode(listing).split("\0")):
        source = os.path.join(checkout, name)
        if name and (os.path.islink(source) or os.path.isfile(source)):
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            shutil.copy2(source, os.path.join(target, name), follow_symlinks=False)


def snapshot(checkout: str, target: str) -> str:
    """Make the new folder `target` a repository with `checkout` in one commit, and return that commit.

    Raises: as `copy`.
    """
    os.makedirs(target)
    copy(checkout, target)
    person = ("-c", "user.name=smartcommit", "-c", "user.email=smartcommit@example.invalid")
    for command in (
        ("init", "-q"),
        ("add", "--force", "--all"),
        (*person, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--no-gpg-sign", "-m", "chore: copy the checkout"),
    ):
        run(command, directory=target)
    return run(("rev-parse", "HEAD"), directory=target).stdout.decode().strip()
