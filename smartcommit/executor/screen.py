"""A look at what is about to be committed without a person: secrets and artefacts that nobody meant to add."""

from __future__ import annotations

import os
from collections.abc import Sequence

from smartcommit.executor.runner import AttemptFailed
from smartcommit.git.commit import Staged
from smartcommit.git.look import LIMIT, patch
from smartcommit.git.repo import Repository
from smartcommit.llm.redact import certain_secrets

# Bytes: an added file that is larger was most likely built or downloaded.
ARTEFACT = 10 << 20
_NAMES = (".env", ".netrc", ".pgpass", ".pypirc", "id_rsa", "id_ed25519", "id_ecdsa", "credentials.json")
_ENDINGS = (".pem", ".p12", ".pfx", ".keystore", ".jks", ".kdbx")
_LOCAL = (".env.local", ".env.production", ".env.development")


def screen(repository: Repository, changes: Sequence[Staged], *, base: str | None) -> None:
    """Look through what is staged; two kinds of things only, so that hardly anything harmless is stopped.

    Raises: AttemptFailed, naming the file and what to do.
    """
    _check_names(repository.worktree, [change.path for change in changes if change.status == "A"])
    text, _ = patch(repository, base or repository.empty_tree, None)
    added = "\n".join(line[1:] for line in text.decode("utf-8", "replace").split("\n") if line.startswith("+"))
    _check_text(added)


def screen_files(directory: str, paths: Sequence[bytes]) -> None:
    """Look through added files, by their names and what they hold now; `paths` are below `directory`.

    Raises: AttemptFailed as `screen`.
    """
    _check_names(directory, paths)
    for path in paths:
        try:
            with open(os.path.join(os.fsencode(directory), path), "rb") as file:
                text = file.read(LIMIT)
        except OSError:
            continue
        _check_text(text.decode("utf-8", "replace"))


def _check_names(directory: str, paths: Sequence[bytes]) -> None:
    for path in paths:
        _check_file(directory, path)


def _check_text(text: str) -> None:
    found = certain_secrets(text)
    if found:
        raise AttemptFailed(f"what would be committed holds a {found[0]}: take it out, or keep its file out of git")


def _check_file(directory: str, path: bytes) -> None:
    name = os.path.basename(os.fsdecode(path))
    if name in _NAMES + _LOCAL or name.endswith(_ENDINGS):
        raise AttemptFailed(f"'{os.fsdecode(path)}' looks like a file of secrets: name it in .gitignore, or remove it")
    try:
        size = os.lstat(os.path.join(os.fsencode(directory), path)).st_size
    except OSError:
        return
    if size > ARTEFACT:
        raise AttemptFailed(
            f"'{os.fsdecode(path)}' has {size >> 20} MiB and looks built: name it in .gitignore, or remove it"
        )
