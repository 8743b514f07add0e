"""Gerrit's Change-Id: in a repository with Gerrit's `commit-msg` hook, each commit of a split gets one.

The rule is the hook's. Source: resources/com/google/gerrit/server/tools/root/hooks/commit-msg of Gerrit 2.14 to 3.10.
Only the time is no part of an id, so a plan gets the same ids whether it is shown or applied, and so do the commits of
a split that is undone and made again.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import replace

from smartcommit.git.fast_import import Identity
from smartcommit.git.isolation import Config
from smartcommit.git.query import parse_boolean
from smartcommit.git.repo import Repository
from smartcommit.message.parse import parse
from smartcommit.message.trailers import Trailer
from smartcommit.setup.git_hooks import list_files
from smartcommit.split.messages import add_trailers, is_change_id
from smartcommit.split.plan import PlannedCommit, SplitPlan

_SETTING, _URL = "gerrit.createChangeId", "gerrit.reviewUrl"
_SIGN_OFF = "Signed-off-by"
# What `git rebase --autosquash` folds into another commit, which has the id.
_TEMPORARY = re.compile(r"[a-z]+! ")


def find_gerrit_hook(repository: Repository, config: Config) -> str | None:
    """Return the text of Gerrit's hook if git would run it and it is not switched off, or None; at most one process.

    `config` has git's settings. The hook may be one that another hook runs, such as pre-commit's or ours.
    """
    settings = dict(config)
    if parse_boolean(settings.get(_SETTING.lower(), "true")) is False:
        return None
    directory = os.path.join(repository.common_dir, "hooks")
    if "core.hookspath" in settings:
        directory = repository.hooks_path()
    for entry in list_files(repository, "commit-msg", directory):
        if entry.idle is None and _SETTING in entry.text and "Change-Id" in entry.text:
            return entry.text
    return None


def add_change_ids(plan: SplitPlan, hook: str, config: Config, identity: Identity) -> SplitPlan:
    """Return `plan` with an id in each message that Gerrit's `hook`, given as its text, would give one."""
    settings = {key: value or "" for key, value in config}
    always = settings.get(_SETTING.lower()) == "always"
    url = ""
    if _URL in hook:
        url = settings.get(_URL.lower(), "").removesuffix("/")
    # Gerrit 3.0 to 3.6 put the id last, earlier and later versions before the first sign-off.
    before = _SIGN_OFF if _SIGN_OFF in hook else None
    commits = []
    for commit in plan.commits:
        trailer = _make_trailer(_make_id(plan, commit, identity), url)
        message = commit.message
        if (always or not _TEMPORARY.match(message)) and not _has_id(message, trailer.key):
            message = add_trailers(message, [trailer], before=before)
        commits.append(replace(commit, message=message))
    return replace(plan, commits=tuple(commits))


def _make_trailer(change_id: str, url: str) -> Trailer:
    if url:
        return Trailer("Link", f"{url}/id/{change_id}")
    return Trailer("Change-Id", change_id)


def _make_id(plan: SplitPlan, commit: PlannedCommit, identity: Identity) -> str:
    """Return the id of a commit, made from who commits, what it is based on, its units and its message."""
    lines = [identity.sign_off, plan.base or "", *[unit.fingerprint for unit in commit.units], commit.message]
    data = "\n".join(lines).encode("utf-8", "surrogateescape")
    # As `git hash-object` does; Gerrit knows no longer object names.
    return "I" + hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def _has_id(message: str, key: str) -> bool:
    for trailer in parse(message.removesuffix("\n"), comment="").message.trailers:
        if trailer.key.lower() == key.lower() and is_change_id(trailer):
            return True
    return False
