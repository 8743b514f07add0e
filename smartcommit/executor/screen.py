"""A look at what is about to be committed without a person: secrets and artefacts that nobody meant to add."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence

from smartcommit.executor.folder import OUTPUT, is_metadata
from smartcommit.executor.runner import AttemptFailed
from smartcommit.git.blobs import read_parts
from smartcommit.git.diff import SUBMODULE_MODE, FileChange, list_changes
from smartcommit.git.repo import Repository
from smartcommit.secret_scan import certain_secrets

# Bytes: an added file that is larger was most likely built or downloaded.
ARTEFACT = 10 << 20
_NAMES = (".env", ".netrc", ".pgpass", ".pypirc", "id_rsa", "id_ed25519", "id_ecdsa", "credentials.json")
_ENDINGS = (".pem", ".p12", ".pfx", ".keystore", ".jks", ".kdbx")
# Commits of an agent's own for one task that are looked through.
_OWN = 100
_LOCAL = (".env.local", ".env.production", ".env.development")
# Letters in UTF-16, a NUL beside each. Removing every NUL would put words of a program's table together as one secret.
_WIDE = re.compile(rb"(?:[\t\n\r -~]\0){16,}[\t\n\r -~]?")


def screen(repository: Repository, base: str | None, *, secrets: bool) -> None:
    """Look through what is staged on top of the commit `base`, commits between them included; a few kinds of things
    only, so that hardly anything harmless is stopped. Without `secrets` only our own raw output is looked for.

    Raises: AttemptFailed, naming the file and what to do.
    """
    changes = list_changes(repository, base or repository.empty_tree, counts=False)
    added = [change.path for change in changes if change.status == "A"]
    for path in added:
        if is_metadata(path) and os.path.basename(path) == OUTPUT.encode():
            raise AttemptFailed(f"'{os.fsdecode(path)}' is raw output of agents: run 'git rm --cached -f' on it")
    if secrets:
        _check(repository, changes)


def screen_own(repository: Repository, base: str | None) -> None:
    """Look through the commits that agents have made by themselves on top of the commit `base`: what a later one takes
    out stays in the history.

    Raises: AttemptFailed as `screen`, with the way to take the commits back.
    """
    wanted = ("HEAD", *(("--not", base) if base else ()), f"--max-count={_OWN}", "--")
    for line in repository.run("rev-list", "--first-parent", "--parents", *wanted).decode().splitlines():
        commit, *parents = line.split()
        changes = list_changes(repository, parents[0] if parents else repository.empty_tree, commit, counts=False)
        try:
            _check(repository, changes)
        except AttemptFailed as error:
            back = f"git reset --soft {base[:12]}" if base else "git update-ref -d HEAD"
            raise AttemptFailed(
                f"{error}; the commit {commit[:12]} made by the agent keeps it: '{back}' takes such commits back first"
            ) from None


def screen_files(directory: str, paths: Sequence[bytes]) -> None:
    """Look through added files, by their names and what they hold now; `paths` are below `directory`.

    Raises: AttemptFailed as `screen`.
    """
    for path in paths:
        _check_file(directory, path)
        try:
            with open(os.path.join(os.fsencode(directory), path), "rb") as file:
                content = file.read(ARTEFACT)
        except OSError:
            continue
        _check_text(path, content)


def _check(repository: Repository, changes: Sequence[FileChange]) -> None:
    for change in changes:
        if change.status == "A":
            _check_file(repository.worktree, change.path)
    _check_contents(repository, changes)


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


def _check_contents(repository: Repository, changes: Sequence[FileChange]) -> None:
    """What the file held before does not count; no attribute hides anything, since no diff is asked for."""
    files = [change for change in changes if change.status != "D" and change.new_mode != SUBMODULE_MODE]
    before = [change for change in files if change.status != "A" and change.old_mode != SUBMODULE_MODE]
    known: dict[bytes, set[str]] = {}
    for place, part in read_parts(repository, [change.old_id for change in before]) if before else ():
        known.setdefault(before[place].path, set()).update(seen for _, seen in _secrets(part))
    for place, part in read_parts(repository, [change.new_id for change in files]):
        path = files[place].path
        _check_text(path, part, known=known.get(path, ()))


def _check_text(path: bytes, text: bytes, *, known: Collection[str] = ()) -> None:
    for kind, seen in _secrets(text):
        if seen not in known:
            name = os.fsdecode(path)
            raise AttemptFailed(f"'{name}' holds a {kind} that would be committed: take it out, or keep it out of git")


def _secrets(text: bytes) -> list[tuple[str, str]]:
    """The certain secrets in a text of any encoding whose letters are those of ASCII, or in UTF-16."""
    found = certain_secrets(text.decode("latin-1"))
    for wide in _WIDE.finditer(text) if b"\0" in text else ():
        found += certain_secrets(wide[0][::2].decode("ascii"))
    return found
