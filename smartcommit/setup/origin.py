"""Where this installation came from, and so where pre-commit can get the same hooks."""

from __future__ import annotations

import json
import os
from importlib import metadata
from urllib.parse import urlsplit
from urllib.request import url2pathname

from smartcommit import __version__
from smartcommit.errors import GitError
from smartcommit.git.run import run
from smartcommit.setup.checkout import MANIFEST

# Where the hooks are published.
PUBLISHED = "https://github.com/smartcommit/smartcommit"
RELEASE = f"v{__version__}"


def find_origin() -> tuple[str, str]:
    """The repository and revision of this installation's hooks: the published ones, unless pip noted another source."""
    try:
        return read(metadata.distribution("smartcommit").read_text("direct_url.json"))
    except metadata.PackageNotFoundError:  # run from the sources, without an installation
        return PUBLISHED, RELEASE


def read(note: str | None) -> tuple[str, str]:
    """The repository and revision that pip's `note` of where it installed from stands for. Source: PEP 610."""
    origin = json.loads(note) if note else {}
    url = origin.get("url", "")
    if "vcs_info" in origin:
        return url, origin["vcs_info"]["commit_id"]
    if url.startswith("file:"):
        return _head(url2pathname(urlsplit(url).path)) or (PUBLISHED, RELEASE)
    return PUBLISHED, RELEASE


def _head(path: str) -> tuple[str, str] | None:
    """The checkout at `path` with its last commit, None where it is none of ours."""
    if not os.path.exists(os.path.join(path, ".git")) or not os.path.isfile(os.path.join(path, MANIFEST)):
        return None
    try:
        return path, run(("rev-parse", "--verify", "HEAD"), directory=path).stdout.decode().strip()
    except GitError:
        return None
