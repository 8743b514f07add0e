"""What an engine is asked: a change, and all that a message about it depends on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History
from smartcommit.change.wording import has_secret, make_printable
from smartcommit.config import Settings, follows_history, make_rules
from smartcommit.draft.embedded.view import ORIGINS, Purpose
from smartcommit.errors import ConfigError, GitError
from smartcommit.git.diff import SUBMODULE_MODE, FileChange, FileDiff, list_changes, read_diffs, read_small_change
from smartcommit.git.query import make_log_command
from smartcommit.git.repo import Repository, Trees
from smartcommit.git.run import NO_LAZY_FETCH, read_head
from smartcommit.message.rules import Habits, Rules
from smartcommit.message.trailers import Trailer
from smartcommit.record import Record
from smartcommit.state_files import ATTEMPT, is_plan_state, load_json

# Maximum bytes of the patch that are read; of later files only the names are known.
PATCH_LIMIT = 2 << 20
# Lines around each hunk, in which a list, a call or a section begins that the hunk is part of.
LINES_AROUND = 25
# Maximum commits of an updated submodule that are read, and bytes of their subjects: of more, none is told.
_SUBMODULE_COMMITS = 500
_SUBMODULE_BYTES = 1 << 16
# Maximum characters of the standing instructions, and the sign before the name of a tracked file that contains them.
INSTRUCTION_CHARACTERS = 2000
_FILE = "@"
NO_BODY = "no-body"
SHORT_BODY = "short-body"
PAST_TENSE = "past-tense"
# What a model is told for each style.
STYLES = {
    NO_BODY: "Write the header alone, without a description.",
    SHORT_BODY: "Write at most two short lines of description.",
    "long-body": "Write a description of several lines that says why.",
    "bullets": "Write the description as a list of lines that begin with '- '.",
    PAST_TENSE: "Write the summary in the past tense, as in 'added a test'.",
}
# Points in the description of a built-in draft with SHORT_BODY.
SHORT = 2
# Maximum characters of what the author said: more is no summary.
_SAID_LENGTH = 110

# Returns what the author said of a change of these paths, by its origin in ORIGINS.
FindSaid = Callable[[Sequence[bytes]], Mapping[str, str]]


class DraftRequest(Record):
    """The facts that a draft is made from: the change, the project's history and rules, and the user's wishes.

    `submodules` holds, by path, the subjects of the commits that an updated submodule has gained, the newest first.
    `instructions` are the user's about this change, and `guidance` is what the user and the project ask of every
    message; both are for a model. `ticket` is the trailer that the project requires, empty if the branch names no
    ticket. `purpose` is what is known of why the change is made, and `subjects` are those of its commits, the oldest
    first, if it has been committed.
    """

    context: Trees
    settings: Settings
    rules: Rules
    diffs: Sequence[FileDiff]
    change: ChangeFacts
    submodules: Mapping[bytes, Sequence[str]]
    history: History
    purpose: Purpose = Purpose()
    branch: str = ""
    ticket: Trailer | None = None
    ticket_in_header: str = ""
    instructions: str = ""
    guidance: str = ""
    subjects: Sequence[str] = ()


def read_request(
    repository: Repository,
    base: str,
    target: str | None,
    settings: Settings,
    *,
    instructions: str = "",
    find_said: FindSaid = lambda paths: {},
) -> DraftRequest | None:
    """Read the change from `base` to `target` (None: the index), and all its draft needs; None if nothing changed."""
    diffs, submodules = read_change(repository, base, target)
    if not diffs:
        return None
    # The executor commits its state with the work that a message is about.
    diffs = [diff for diff in diffs if not is_plan_state(diff.change.path)] or diffs
    # If two trees are compared, they may be unrelated to HEAD.
    history = History.load(repository, "HEAD" if target is None else base)
    rules = make_rules(settings)
    if follows_history(settings):
        rules.adopt(Habits(history.types, history.spellings))
    branch, ticket, ticket_in_header = repository.branch_at_work(), None, ""
    if rules.ticket:
        from smartcommit.draft.tickets import find_ticket  # few projects require one

        ticket = find_ticket(branch, rules.ticket, rules.header_form)
    if ticket is not None and "{ticket}" in rules.header_form:
        ticket_in_header = ticket.value
    if ticket_in_header:
        ticket = None
    change = ChangeFacts(diffs)
    return DraftRequest(
        context=Trees(repository, base, target),
        settings=settings,
        rules=rules,
        diffs=diffs,
        change=change,
        submodules=submodules,
        history=history,
        purpose=make_purpose(repository, settings, branch, base=base, said=find_said(change.paths)),
        branch=branch,
        ticket=ticket,
        ticket_in_header=ticket_in_header,
        instructions=instructions,
    )


def make_purpose(
    repository: Repository, settings: Settings, branch: str, *, base: str | None, said: Mapping[str, str]
) -> Purpose:
    """Return why a change upon `base` is made on `branch`, as far as that is known and wanted.

    `said` is what the author said, by its origin in ORIGINS; what is too long for a summary, or a secret, is dropped.
    """

    def read_task(attempt: dict[str, object]) -> str:
        return str(attempt["title"] if attempt["head"] == base else "")

    # The task whose work the executor has left, or leaves to its agent, upon the same commit.
    said = {"plan-tasks": load_json(repository.git_dir, ATTEMPT, read_task) or "", **said}
    kept = {}
    for origin in ORIGINS:
        text = said.get(origin, "").strip()
        if 0 < len(text) <= _SAID_LENGTH and settings.flag(origin) and not has_secret(text):
            kept[origin] = make_printable(text, _SAID_LENGTH)
    if not settings.flag("branch-names"):
        branch = ""
    configured = dict(settings.git)
    names = (configured.get("user.name") or "").lower().split()
    address = (configured.get("user.email") or "").lower().partition("@")[0].split(".")
    author = {*names, *address, "".join([name[0] for name in names])} - {""}
    return Purpose(branch, repository.has_own_commits(branch), kept, author)


def read_change(repository: Repository, base: str, target: str | None) -> tuple[list[FileDiff], dict[bytes, list[str]]]:
    """Return what changed, and the subjects that an updated submodule has gained, by its path. Raise GitError."""
    try:
        # Lines are counted while they are read, since counting them first would read everything twice.
        diffs = read_small_change(repository, base, target, limit=PATCH_LIMIT, around=LINES_AROUND)
        if diffs is None:
            changes = list_changes(repository, base, target, counts=False, thorough=False)
            diffs = read_diffs(
                repository, base, target, changes, limit=PATCH_LIMIT, thorough=False, around=LINES_AROUND
            )
    except GitError:
        # A partial clone can lack the old contents of changed files, but not their names.
        changes = list_changes(repository, base, target, renames=False, counts=False, thorough=False)
        diffs = [FileDiff(change, [], complete=False) for change in changes]
    return diffs, _read_gained_commits(repository, [diff.change for diff in diffs])


def _read_gained_commits(repository: Repository, changes: Sequence[FileChange]) -> dict[bytes, list[str]]:
    """Return the subjects of the commits that the only updated submodule has gained, if its repository is present."""
    moved = [change for change in changes if change.old_mode == change.new_mode == SUBMODULE_MODE]
    if len(moved) != 1:
        return {}
    git_dir = os.path.join(repository.worktree, os.fsdecode(moved[0].path), ".git")
    if not os.path.exists(git_dir):
        return {}
    gained = f"{moved[0].old_id}..{moved[0].new_id}"
    try:
        output, complete = read_head(
            make_log_command("%s", "--no-merges", last=_SUBMODULE_COMMITS, revisions=[gained]),
            limit=_SUBMODULE_BYTES,
            directory=repository.worktree,
            # Inside a hook the environment names the superproject.
            environment={"GIT_DIR": git_dir, **NO_LAZY_FETCH},
        )  # fmt: skip
    except GitError:
        return {}
    subjects = [line.decode("utf-8", "replace") for line in output.split(b"\0") if line.strip()]
    if not complete or len(subjects) == _SUBMODULE_COMMITS:
        return {}
    return {moved[0].path: subjects}


def make_guidance(repository: Repository, settings: Settings) -> str:
    """Return what to tell a model besides the user's words about this one change: instructions and styles.

    Raise ConfigError if the instructions name a file that git does not track, or one that is no text.
    """
    text = settings.text("instructions") or ""
    if text.startswith(_FILE):
        name = text.removeprefix(_FILE)
        try:
            text = repository.run("cat-file", "blob", os.fsencode(f":{name}")).decode().strip()
        except (GitError, ValueError):
            raise ConfigError(
                f"smartcommit.instructions names '{name}', which is no text file that git tracks",
                hint="give the path from the top level of the working tree",
            ) from None
    styles = [STYLES[word] for word in settings.words("style")]
    return "\n".join([part for part in (text[:INSTRUCTION_CHARACTERS], *styles) if part])


def find_unmet(settings: Settings) -> list[str]:
    wishes = []
    language = settings.text("language") or "English"
    if not language.lower().startswith("en"):
        wishes.append(f"written in English: a draft in {language} requires a model")
    if PAST_TENSE in settings.words("style"):
        wishes.append("written in the imperative: a draft in the past tense requires a model")
    return wishes
