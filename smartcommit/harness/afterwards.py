"""Looks at what commands have done: commits without their hooks, changed hooks, lines of others taken or lost.

Nothing is predicted, so quoting, scripts and programs that commit by themselves hide nothing. What is seen is kept as
a finding, with the command that mends it.
"""

from __future__ import annotations

import os
import time
from zlib import crc32

from smartcommit import receipts, state_files
from smartcommit.git.log import log_command
from smartcommit.git.query import ask, parse_config
from smartcommit.git.run import read_file
from smartcommit.harness.products import AFTER, STOP
from smartcommit.message.characters import printable
from smartcommit.record import Record
from smartcommit.session import findings
from smartcommit.session.worktree import read_head_commit
from smartcommit.session.written import SEEN, list_config_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from smartcommit.git.repo import Repository
    from smartcommit.harness.products import Product
    from smartcommit.receipts import Receipt
    from smartcommit.session.ledger import Ledger, Taken

# How many branches and entries of their logs are read, and how many commits are told apart and remembered.
_BRANCHES, _ENTRIES, _COMMITS, _REMEMBERED = 12, 60, 200, 300
_SHOWN = 3
_HOOK_BYTES = 1 << 16
# How the log of a branch names what git, or a split of ours, does with commits: their hooks ran before, or run never.
_OPERATIONS = frozenset(
    (
        "am",
        "cherry-pick",
        "clone",
        "export",
        "fetch",
        "filter-branch",
        "merge",
        "pull",
        "push",
        "rebase",
        "revert",
        "split",
    )
)
_KEYS = r"^(core\.hookspath|hook\..*|smartcommit\.(off|warnings))$"
_OWN_HOOKS = ("prepare-commit-msg", "commit-msg")
_STASH = "refs/stash"
# Separates fields of a commit: no name of an object has it.
_FIELD = "%x01"


class Commit(Record):
    """A commit that has come to a branch."""

    name: str
    parents: Sequence[str]
    tree: str
    message: bytes


class Seen(Record):
    """What a look has found, to be compared by the next one.

    `tips` are branches and HEAD, `staged` the index's objects by path. `stashes` are those that the sessions have made,
    and `judged` the commits that were told apart. `hooks` has a sum of each hook's content, and `config` the variables
    of git's configuration that say which hooks run; `stamps` tell whether its files were written since. `time` is
    when that was, in whole seconds, as in git's logs.
    """

    tips: Mapping[str, str]
    staged: Mapping[str, str]
    stashes: Sequence[str]
    judged: Sequence[str]
    hooks: Mapping[str, int]
    config: Mapping[str, str | None]
    stamps: Sequence[object]
    time: int


def list_own_stashes(repository: Repository) -> Sequence[str]:
    """Return the stashes that were made by commands of sessions."""
    seen = _load(repository)
    if seen is None:
        return ()
    return seen.stashes


def look(ledger: Ledger, session: str, product: Product, began: int | None, *, event: str) -> None:
    """Compare the repository with the last look, at an event, and keep what is found for `session`.

    A command of the session `began`, in nanoseconds, and has ended now, or nobody knows when. What was done while none
    ran is a person's, or a shell's that stays open: of its commits the session is told at the end of its turn. An agent
    that hides hooks from git is not told of commits.
    """
    repository = ledger.repository
    # Without receipts so far, commits cannot be told apart.
    seen = None
    if receipts.begin(repository.common_dir):
        seen = _load(repository)
    taken: Sequence[Taken] = ()
    if began is not None:
        taken = ledger.after_shell(session, began)
    staged, staged_foreign = ledger.list_staged(getattr(seen, "staged", {}))
    moment = int(time.time())
    tips = _read_tips(repository)
    config, stamps = _read_config(repository, seen)
    hooks = _read_hooks(repository, config)
    stashes: list[str] = []
    judged: list[str] = []
    if seen is not None:
        looking = _Looking(repository, session, seen, tips, is_own=began is not None and event == AFTER)
        stashes = list(seen.stashes)
        if began is not None:
            if looking.has_stashed:
                stashes.append(tips[_STASH])
            looking.compare_hooks(hooks, config)
            looking.report_staged(staged_foreign)
        is_told = began is not None or event == STOP or product.keeps_shells
        judged = [*seen.judged, *looking.judge_commits(is_told=is_told and not product.hides_hooks)]
        looking.report_taken(taken)
    now = Seen(tips, staged, stashes[-_BRANCHES:], judged[-_REMEMBERED:], hooks, config, stamps, moment)
    state_files.save_json(repository.git_dir, SEEN, now.as_dict())


def _load(repository: Repository) -> Seen | None:
    return state_files.load_json(repository.git_dir, SEEN, lambda fields: Seen(**fields))


class _Looking:
    """One look, after another."""

    def __init__(
        self, repository: Repository, session: str, seen: Seen, tips: Mapping[str, str], *, is_own: bool
    ) -> None:
        self._repository = repository
        self._session = session
        self._seen = seen
        self._tips = tips
        # Whether nobody but a command of the session can have done it.
        self._is_own = is_own
        self._hooks_changed = False
        self._by_person = False
        self.has_stashed = tips.get(_STASH, "") not in ("", seen.tips.get(_STASH))

    def _report(self, text: str, following: str, *, commits: Sequence[str] = ()) -> None:
        findings.add(self._repository.git_dir, self._session, text, following, commits=commits)

    # Commits.

    def judge_commits(self, *, is_told: bool) -> list[str]:
        """Return the commits that have come to branches, and report those without a receipt of the hook."""
        moved = [name for name, tip in self._tips.items() if name != _STASH and tip != self._seen.tips.get(name)]
        if not moved:
            return []
        known = receipts.read(self._repository.common_dir)
        commits = self._list_commits(moved[:_BRANCHES])
        unchecked = []
        self._by_person = bool(commits)
        for commit in commits:
            receipt = self._find_receipt(commit, known)
            if receipt is None:
                unchecked.append(commit)
            if receipt is None or receipt.by_agent:
                self._by_person = False
        if unchecked and is_told and (known or self._hooks_changed or _runs_our_hook(self._repository)):
            self._report_commits(unchecked)
        return [commit.name for commit in commits]

    def _list_commits(self, moved: Sequence[str]) -> list[Commit]:
        """Return the commits that have come since the last look, and were not brought by an operation of git."""
        # Left out are other branches, those of remotes, and where these branches, or some that are gone, have been.
        options = ["--ignore-missing", "--not"]
        revisions = []
        for name in moved:
            options.append(f"--exclude={name}")
            revisions.append(self._tips[name])
        for name, tip in self._seen.tips.items():
            if self._tips.get(name) != tip:
                revisions.append(f"^{tip}")
        for name in dict.fromkeys(("HEAD", *moved)):
            revisions += self._list_explained(name)
        if os.path.exists(os.path.join(self._repository.git_dir, "FETCH_HEAD")):
            revisions.append("^FETCH_HEAD")
        options += ["--glob=refs/heads", "--remotes", "--not"]
        form = _FIELD.join(("%H", "%P", "%T", "%B"))
        command = log_command(form, *options, last=_COMMITS, revisions=revisions)
        _, listing = ask(command, directory=self._repository.worktree)
        commits = []
        for entry in listing.split(b"\0"):
            fields = entry.split(b"\x01", 3)
            if len(fields) == 4 and fields[0].decode() not in self._seen.judged:
                name, parents, tree = fields[0].decode(), fields[1].decode(), fields[2].decode()
                commits.append(Commit(name, parents.split(), tree, fields[3]))
        return commits

    def _list_explained(self, name: str) -> list[str]:
        """Return, as revisions to leave out, where git's own operations have moved a branch or HEAD since.

        Where it was before the last look is known, too. The time tells that as well: HEAD may be where it was again.
        """
        command = log_command("%H %gd %gs", "--walk-reflogs", "--date=unix", last=_ENTRIES, revisions=[name])
        _, listing = ask(command, directory=self._repository.worktree)
        found = []
        is_earlier = False
        for entry in listing.decode("utf-8", "replace").split("\0"):
            commit, _, described = entry.partition(" ")
            selector, _, note = described.partition(" ")
            moment = selector.rpartition("{")[2].removesuffix("}")
            is_earlier = is_earlier or commit == self._seen.tips.get(name)
            is_known = is_earlier and moment.isdigit() and int(moment) < self._seen.time
            if is_known or note.partition(":")[0].partition(" ")[0] in _OPERATIONS:
                found.append(f"^{commit}")
        return found

    def _find_receipt(self, commit: Commit, known: Sequence[Receipt]) -> Receipt | None:
        """Return the hook's receipt for a commit; a later hook may have added to the message."""
        message = _squeeze(commit.message)
        amended: dict[str, Receipt] = {}
        for receipt in reversed(known):
            if receipt.tree != commit.tree:
                continue
            accepted = _squeeze(receipt.message)
            if not accepted or not message.startswith(accepted):
                continue
            if receipt.head in commit.parents or (not receipt.head and not commit.parents):
                return receipt
            if receipt.head:
                amended.setdefault(receipt.head, receipt)
        # A commit that is amended has the parents of the one before.
        if amended:
            command = log_command("%H %P", "--no-walk", "--ignore-missing", revisions=amended)
            _, listing = ask(command, directory=self._repository.worktree)
            for entry in listing.decode().split("\0"):
                name, _, parents = entry.partition(" ")
                if name and parents.split() == commit.parents:
                    return amended[name]
        return None

    def _report_commits(self, unchecked: Sequence[Commit]) -> None:
        shown = []
        for commit in unchecked[:_SHOWN]:
            subject = commit.message.decode("utf-8", "replace").partition("\n")[0]
            shown.append(f"{commit.name[:10]} '{printable(subject)[:60]}'")
        if len(unchecked) > _SHOWN:
            shown.append(f"{len(unchecked) - _SHOWN} more")
        following = "git commit --amend --no-edit"
        if not self._is_own or len(unchecked) > 1 or unchecked[0].name != self._tips["HEAD"]:
            # The parent of the oldest may be none.
            start = "".join(f"{parent[:12]}.." for parent in unchecked[-1].parents[:1])
            following = f"smartcommit check --range {start}{unchecked[0].name[:12]}"
        commits = [commit.name for commit in unchecked]
        self._report(f"committed without the commit-msg hook: {', '.join(shown)}", following, commits=commits)

    # Hooks.

    def compare_hooks(self, hooks: Mapping[str, int], config: Mapping[str, str | None]) -> None:
        """Report hooks that are gone or others, and configuration that keeps hooks from running."""
        before = self._seen.config
        names = []
        for name in sorted({**before, **config}):
            is_new_hook = name not in before and name.endswith((".command", ".event"))
            if before.get(name) != config.get(name) and not is_new_hook:
                names.append(name)
        # What mends them is no finding.
        if names == ["core.hookspath"] and names[0] not in config and _runs_our_hook(self._repository):
            return
        if names:
            following = "smartcommit doctor"
            own = read_file(os.path.join(self._repository.common_dir, "config")) or b""
            if names == ["core.hookspath"] and names[0] not in before and b"hookspath" in own.lower():
                following = "git config --unset core.hooksPath"
            self._report(f"changed which hooks run: {_show(names)}", following)
        changed = []
        for name, known in self._seen.hooks.items():
            # One that cannot be run is not in `hooks`.
            is_ours = name in hooks and hooks[name] != known and self._is_ours(os.path.basename(name))
            if hooks.get(name) != known and not is_ours:
                changed.append(name)
        if changed and not names:
            shown = _show(list(map(os.path.basename, changed)))
            self._report(f"hooks were removed or changed: {shown}", self._name_mending(changed))
        self._hooks_changed = bool(names or changed)

    def _is_ours(self, event: str) -> bool:
        """Whether git's hook for `event` is as 'smartcommit install' writes it."""
        from smartcommit.setup.hook_scripts import is_unedited

        return is_unedited(read_file(os.path.join(self._repository.hooks_path(), event)) or b"")

    def _name_mending(self, changed: Sequence[str]) -> str:
        """Return the command that mends our hooks; an edited one has to make room, since 'install' refuses it."""
        from shlex import quote

        from smartcommit.setup.hook_scripts import has_mark, is_unedited

        if set(_OWN_HOOKS).isdisjoint(map(os.path.basename, changed)):
            return "smartcommit doctor"
        commands = []
        is_ours = False
        for event in _OWN_HOOKS:
            path = os.path.join(self._repository.hooks_path(), event)
            content = read_file(path)
            if content is None:
                continue
            is_ours = is_ours or has_mark(content)
            # One that is empty is refused, too.
            if not content or (has_mark(content) and not is_unedited(content)):
                commands.append(f"mv {quote(path)} {quote(path)}.mine")
        if not is_ours:
            return "smartcommit doctor"
        return " && ".join([*commands, "smartcommit install"])

    # Lines of others.

    def report_staged(self, paths: Sequence[bytes]) -> None:
        """Report lines of others that went into the index."""
        if paths:
            following = f"git restore --staged -- {_quote(paths)}"
            self._report(f"lines of others were staged: {_show(paths)}", following)

    def report_taken(self, taken: Sequence[Taken]) -> None:
        """Report lines of others that went into a commit, unless it is a person's, or nowhere."""
        committed = [each.path for each in taken if each.is_committed]
        if committed and not self._by_person:
            head = self._seen.tips.get("HEAD")
            following = f"git reset {head[:12]}" if head else "git update-ref -d HEAD"
            self._report(f"lines of others were committed: {_show(committed)}", following)
        lost = [each for each in taken if not each.is_committed]
        stashed = []
        if lost and self.has_stashed:
            in_stash = self._list_stashed()
            stashed = [each.path for each in lost if each.path in in_stash]
        if stashed:
            # It is told once: each pop takes another stash.
            self._report(f"lines of others are in the stash: {_show(stashed)}", "git stash pop stash@{0}")
        gone = [each for each in lost if each.path not in stashed]
        if gone:
            findings.add_lost(self._repository.git_dir, self._session, gone)

    def _list_stashed(self) -> list[bytes]:
        command = ("stash", "show", "--include-untracked", "--name-only", "-z", "--no-renames", _STASH)
        _, listing = ask(command, directory=self._repository.worktree)
        return listing.split(b"\0")


def _squeeze(message: bytes) -> bytes:
    """Return a message without blanks, and without comments: those on conflicts `--continue` drops after the hook."""
    lines = [line for line in message.split(b"\n") if not line.startswith(b"#")]
    return b"".join(b"".join(lines).split())


def _show(names: Sequence[str | bytes]) -> str:
    shown = [printable(os.fsdecode(name)) for name in names[:_SHOWN]]
    if len(names) > _SHOWN:
        shown.append(f"{len(names) - _SHOWN} more")
    return ", ".join(shown)


def _quote(paths: Sequence[bytes]) -> str:
    """Return paths for a shell; `shlex` loads `re`."""
    quoted = []
    for path in paths:
        text = os.fsdecode(path).replace("'", "'\\''")
        quoted.append(f"':(top,literal){text}'")
    return " ".join(quoted)


def _read_tips(repository: Repository) -> dict[str, str]:
    """Return the commits of HEAD and of each branch, and the last stash; one process."""
    _, listing = ask(
        ("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", _STASH), directory=repository.worktree
    )
    tips = {"HEAD": read_head_commit(repository)}
    for line in os.fsdecode(listing).split("\n"):
        name, _, commit = line.rpartition(" ")
        if name:
            tips[name] = commit
    return {name: tip for name, tip in tips.items() if tip}


def _read_config(repository: Repository, seen: Seen | None) -> tuple[Mapping[str, str | None], list[object]]:
    """Return the configuration that says which hooks run; no process unless one of its files was written."""
    stamps: list[object] = []
    for path in list_config_files(repository.git_dir, repository.common_dir):
        try:
            stamps.append(os.stat(path).st_mtime_ns)
        except OSError:
            stamps.append(0)
    if seen is not None and seen.stamps == stamps:
        return seen.config, stamps
    _, listing = ask(("config", "-z", "--get-regexp", _KEYS), directory=repository.worktree)
    return dict(parse_config(listing)), stamps


def _read_hooks(repository: Repository, config: Mapping[str, str | None]) -> dict[str, int]:
    """Return a sum of each hook that git would run, by its name."""
    folder = os.path.join(repository.common_dir, "hooks")
    configured = config.get("core.hookspath")
    if configured is not None:
        folder = os.path.join(repository.worktree, os.path.expanduser(configured))
    found = {}
    # The hooks of husky are beside the directory of its own.
    places = [folder]
    if folder.endswith("/_"):
        places.append(os.path.dirname(folder))
    for place in places:
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.endswith(".sample") or not entry.is_file() or not os.access(entry.path, os.X_OK):
                continue
            # One that can only be run is not compared.
            if os.access(entry.path, os.R_OK):
                with open(entry.path, "rb") as file:
                    found[os.path.join(os.path.basename(place), entry.name)] = crc32(file.read(_HOOK_BYTES))
    return found


def _runs_our_hook(repository: Repository) -> bool:
    """Whether git runs our hook for a message, so that it leaves receipts."""
    from smartcommit.setup.git_hooks import GitHooks
    from smartcommit.setup.runners import find_runners

    return any(runner.problem is None for runner in find_runners(GitHooks(repository), "commit-msg"))
