"""Looks at what commands have done: commits without their hooks, changed hooks, lines of others taken or lost.

Nothing is predicted, so quoting, scripts and programs that commit by themselves hide nothing. What is seen is kept as
a finding, with the command that mends it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from zlib import crc32

from smartcommit import receipts, state_files
from smartcommit.git.query import ask, make_log_command
from smartcommit.git.repo import Repository
from smartcommit.git.run import read_file
from smartcommit.harness.products import AFTER, STOP, Product
from smartcommit.message.characters import list_some, printable
from smartcommit.receipts import Receipt
from smartcommit.record import Record
from smartcommit.session import findings
from smartcommit.session.last_look import SEEN, is_moved
from smartcommit.session.losses import TakenLines
from smartcommit.session.worktree import read_head_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.session.ledger import Ledger

# How much is read: an agent waits for it, and moves few branches at a time.
_BRANCHES_READ = 12
_LOG_ENTRIES_READ = 60
_COMMITS_READ = 200
# Commits, hooks or paths that a finding names.
_NAMES_SHOWN = 3
# How the log of a branch names what git, or a split of ours, does with commits: their hooks ran before, or run never.
_OPERATIONS = (
    "am", "cherry-pick", "clone", "export", "fetch", "filter-branch", "merge", "pull", "push", "rebase", "revert",
    "split",
)  # fmt: skip
_OWN_HOOKS = ("prepare-commit-msg", "commit-msg")
_STASH = "refs/stash"


class SeenCommit(Record):
    """A commit that has come to a branch, and that a remote or a fetch may have, too."""

    name: str
    parents: Sequence[str]
    tree: str
    message: bytes
    is_elsewhere: bool = False


class Seen(Record):
    """What a look has found, to be compared by the next one.

    `tips` are branches, HEAD and the last stash, and `staged` the index's objects by path. `folder` is where git looks
    for hooks, and `hooks` has a sum of the content of each. `time` is when that was, in whole seconds.
    """

    tips: Mapping[str, str]
    staged: Mapping[str, str]
    folder: str
    hooks: Mapping[str, int]
    time: int


def look(ledger: Ledger, session: str, product: Product, began: int | None, *, event: str) -> None:
    """Compare the repository with the last look, at an event, and keep what is found for `session`.

    A command of the session `began`, in nanoseconds, and has ended now, or nobody knows when. What was done while none
    ran is a person's, or a shell's that stays open: of its commits the session is told at the end of its turn. An agent
    that hides hooks from git is not told of commits.
    """
    repository = ledger.repository
    taken: Sequence[TakenLines] = ()
    if began is not None:
        taken = ledger.after_shell(session, began)
    seen = state_files.load_json(repository.git_dir, SEEN, lambda fields: Seen(**fields))
    # The last session has ended them; what is found below may be the first that this one does.
    has_receipts = receipts.begin(repository.common_dir)
    tips = _read_tips(repository)
    # Most commands change nothing. The mode of a hook has no time, and a branch may be written as a file, without git.
    is_same = seen is not None and (seen.tips, seen.hooks) == (tips, _read_hooks(repository, seen.folder))
    if is_same and not taken and not is_moved(repository.git_dir):
        return
    moment = int(time.time())
    staged, staged_foreign = ledger.list_staged(seen.staged if seen is not None else {})
    _, path = ask(("rev-parse", "--git-path", "hooks/commit-msg"), directory=repository.worktree)
    folder = os.path.dirname(os.fsdecode(path))
    now = Seen(tips, staged, folder, _read_hooks(repository, folder), moment)
    if seen is not None:
        comparison = _Comparison(repository, session, seen, now)
        has_other_hooks = False
        if began is not None:
            has_other_hooks = comparison.compare_hooks()
            comparison.report_staged(staged_foreign)
        is_told = not product.hides_hooks and (began is not None or event == STOP or product.keeps_shells)
        is_own = began is not None and event == AFTER
        by_anybody = True
        if has_receipts:  # else commits cannot be told apart
            by_anybody = comparison.judge_commits(is_told=is_told, is_own=is_own, has_other_hooks=has_other_hooks)
        comparison.report_taken(taken, by_anybody=by_anybody)
    state_files.save_json(repository.git_dir, SEEN, now.as_dict())


class _Comparison(Record):
    """Compares two looks, `seen` and `now`, and reports what `session` is told of."""

    repository: Repository
    session: str
    seen: Seen
    now: Seen

    def _report(self, text: str, following: str, *, commits: Sequence[str] = ()) -> None:
        findings.add(self.repository.git_dir, self.session, text, following, commits=commits)

    # Commits.

    def judge_commits(self, *, is_told: bool, is_own: bool, has_other_hooks: bool) -> bool:
        """Report commits without a receipt, and return whether the receipt of another one names no agent.

        They are `is_own` if only a command of the session can have made them.
        """
        moved = [name for name, tip in self.now.tips.items() if name != _STASH and tip != self.seen.tips.get(name)]
        if not moved:
            return False
        all_receipts = receipts.read(self.repository.common_dir)
        unchecked = []
        by_anybody = False
        for commit in self._list_commits(moved[:_BRANCHES_READ]):
            receipt = _find_receipt(commit, all_receipts, self.repository.worktree)
            if receipt is None:
                unchecked.append(commit)
            elif not receipt.by_agent:
                by_anybody = True
        if unchecked and is_told and (all_receipts or has_other_hooks or _runs_our_hook(self.repository)):
            self._report_commits(unchecked, is_own=is_own)
        return by_anybody

    def _list_commits(self, moved: Sequence[str]) -> list[SeenCommit]:
        # Left out are other branches, those of remotes, and where these branches, or some that are gone, have been.
        explained, made = self._read_logs(list(dict.fromkeys(("HEAD", *moved))))
        revisions = [self.now.tips[name] for name in moved]
        for name, tip in self.seen.tips.items():
            if name == "HEAD" or self.now.tips.get(name) != tip:
                revisions.append(f"^{tip}")
        options = ["--ignore-missing", "--not"]
        options += [f"--exclude={name}" for name in moved]
        options.append("--glob=refs/heads")
        commits = self._read_commits([*options, "--remotes", "--not"], [*revisions, *explained, "^FETCH_HEAD"])
        names = {commit.name for commit in commits}
        if made <= names:
            return commits
        # What was committed here may have been pushed or fetched since.
        commits = self._read_commits([*options, "--not"], revisions)
        for commit in commits:
            commit.is_elsewhere = commit.name not in names
        return [commit for commit in commits if commit.name in names or commit.name in made]

    def _read_commits(self, options: Sequence[str], revisions: Sequence[str]) -> list[SeenCommit]:
        # No name of an object has this character.
        command = make_log_command("%H%x01%P%x01%T%x01%B", *options, last=_COMMITS_READ, revisions=revisions)
        _, listing = ask(command, directory=self.repository.worktree)
        commits = []
        for entry in listing.split(b"\0"):
            fields = entry.split(b"\x01", 3)
            if len(fields) == 4:
                commit, parents, tree = fields[0].decode(), fields[1].decode(), fields[2].decode()
                commits.append(SeenCommit(commit, parents.split(), tree, fields[3]))
        return commits

    def _read_logs(self, names: Sequence[str]) -> tuple[list[str], set[str]]:
        """Return where git's own operations have moved branches or HEAD since, to be left out, and what was committed.

        Where one was before the last look is known, too. The time tells that as well: HEAD may be where it was again.
        """
        command = make_log_command(
            "%H %gD %gs", "--walk-reflogs", "--date=unix", last=_LOG_ENTRIES_READ, revisions=names
        )
        _, listing = ask(command, directory=self.repository.worktree)
        excluded = []
        made = set()
        earlier = set()
        for entry in listing.decode("utf-8", "replace").split("\0"):
            commit, _, described = entry.partition(" ")
            selector, _, note = described.partition(" ")
            name, _, moment = selector.removesuffix("}").rpartition("@{")
            if commit == self.seen.tips.get(name):
                earlier.add(name)
            is_known = name in earlier and moment.isdigit() and int(moment) < self.seen.time
            operation = note.partition(":")[0].partition(" ")[0]
            if is_known or operation in _OPERATIONS:
                excluded.append(f"^{commit}")
            elif operation == "commit":
                made.add(commit)
        return excluded, made

    def _report_commits(self, unchecked: Sequence[SeenCommit], *, is_own: bool) -> None:
        newest, oldest = unchecked[0], unchecked[-1]
        shown, names = [], []
        for commit in unchecked:
            subject = commit.message.decode("utf-8", "replace").partition("\n")[0]
            shown.append(f"{commit.name[:10]} '{subject[:60]}'")
            names.append(commit.name)
        following = "git commit --amend --no-edit"
        is_last = newest is oldest and newest.name == self.now.tips["HEAD"]
        if not is_own or not is_last or newest.is_elsewhere:
            # The oldest one may be the first of all.
            base = f"{oldest.parents[0][:12]}.." if oldest.parents else ""
            following = f"smartcommit check --range {base}{newest.name[:12]}"
        self._report(f"committed without the commit-msg hook: {_show(shown)}", following, commits=names)

    # Hooks.

    def compare_hooks(self) -> bool:
        """Report hooks that are gone or changed, and return whether there are any."""
        changed = [name for name, known in self.seen.hooks.items() if self.now.hooks.get(name) != known]
        if not changed:
            return False
        from smartcommit.setup.hook_scripts import has_mark, is_unedited

        following = "smartcommit doctor"
        for name in _OWN_HOOKS:
            content = read_file(os.path.join(self.repository.worktree, self.now.folder, name)) or b""
            if has_mark(content) and not set(_OWN_HOOKS).isdisjoint(changed):
                following = "smartcommit install"
                if name in changed and name in self.now.hooks and is_unedited(content):
                    changed.remove(name)
        if self.now.folder != self.seen.folder:
            own = read_file(os.path.join(self.repository.common_dir, "config")) or b""
            if b"hookspath" in own.lower():
                following = "git config --unset core.hooksPath"
        if changed:
            self._report(f"hooks were removed or changed: {_show(changed)}", following)
        return bool(changed)

    # Lines of others.

    def report_staged(self, paths: Sequence[bytes]) -> None:
        if paths:
            command = "git restore --staged" if self.now.tips.get("HEAD") else "git rm --cached"
            self._report(f"lines of others were staged: {_show(paths)}", f"{command} -- {_quote(paths)}")

    def report_taken(self, taken: Sequence[TakenLines], *, by_anybody: bool) -> None:
        """Report lines of others that went into a commit, into the stash, or nowhere.

        Where the hook saw no agent, `by_anybody`, a person may have committed meanwhile, or a script that has unset the
        agent's variables: then only what is true of both is said.
        """
        in_stash: list[bytes] = []
        if taken and self.now.tips.get(_STASH, "") not in ("", self.seen.tips.get(_STASH)):
            command = ("stash", "show", "--include-untracked", "--name-only", "-z", "--no-renames", _STASH)
            _, listing = ask(command, directory=self.repository.worktree)
            in_stash = listing.split(b"\0")
        committed, stashed, gone = [], [], []
        for each in taken:
            if each.is_committed:
                committed.append(each.path)
            elif each.path in in_stash:
                stashed.append(each.path)
            else:
                gone.append(each)
        if committed:
            head = self.seen.tips.get("HEAD")
            text = "lines of others were committed"
            following = f"git rm --cached -- {_quote(committed)} && git commit --amend --no-edit"
            if head:
                following = f"git reset {head[:12]}"
            if by_anybody:
                text += " since the command began, and nothing says that an agent did it"
                following = f"git log --stat {head[:12]}.." if head else "git log --stat"
            self._report(f"{text}: {_show(committed)}", following)
        if stashed:
            # It is told once: each pop takes another stash.
            self._report(f"lines of others are in the stash: {_show(stashed)}", "git stash pop stash@{0}")
        if gone:
            findings.add_lost(self.repository.git_dir, self.session, gone)


def _find_receipt(commit: SeenCommit, known: Sequence[Receipt], worktree: str) -> Receipt | None:
    """Return the hook's receipt for a commit; a later hook may have added to the message."""
    message = _squeeze(commit.message)
    amended: dict[str, Receipt] = {}
    for receipt in reversed(known):
        if receipt.tree != commit.tree or not message.startswith(_squeeze(receipt.message) or b"#"):
            continue
        if receipt.head in commit.parents or (not receipt.head and not commit.parents):
            return receipt
        if receipt.head:
            amended.setdefault(receipt.head, receipt)
    if not amended:
        return None
    # A commit that is amended has the parents of the one before.
    _, listing = ask(make_log_command("%H %P", "--no-walk", "--ignore-missing", revisions=amended), directory=worktree)
    for entry in listing.decode().split("\0"):
        name, _, parents = entry.partition(" ")
        if name and parents.split() == commit.parents:
            return amended[name]
    return None


def _squeeze(message: bytes) -> bytes:
    """Return a message without blanks, and without comments: those on conflicts `--continue` drops after the hook."""
    lines = [line for line in message.split(b"\n") if not line.startswith(b"#")]
    return b"".join(b"".join(lines).split())


def _quote(paths: Sequence[bytes]) -> str:
    from shlex import quote

    return " ".join(quote(f":(top,literal){os.fsdecode(path)}") for path in paths)


def _show(names: Sequence[str | bytes]) -> str:
    return list_some([printable(os.fsdecode(name)) for name in names], _NAMES_SHOWN)


def _read_tips(repository: Repository) -> dict[str, str]:
    """Return the commits of HEAD and of each branch, and the last stash; one process."""
    form = "--format=%(refname) %(objectname)"
    _, listing = ask(("for-each-ref", form, "refs/heads", _STASH), directory=repository.worktree)
    tips = {}
    for line in [f"HEAD {read_head_commit(repository)}", *os.fsdecode(listing).split("\n")]:
        name, _, commit = line.rpartition(" ")
        if commit:
            tips[name] = commit
    return tips


def _read_hooks(repository: Repository, folder: str) -> dict[str, int]:
    checksums = {}
    folder = os.path.join(repository.worktree, folder)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        # One that can only be run is not compared.
        if not name.endswith(".sample") and os.path.isfile(path) and os.access(path, os.X_OK | os.R_OK):
            checksums[name] = crc32(read_file(path) or b"")
    return checksums


def _runs_our_hook(repository: Repository) -> bool:
    from smartcommit.setup.git_hooks import GitHooks
    from smartcommit.setup.runners import find_runners

    return any(runner.problem is None for runner in find_runners(GitHooks(repository), "commit-msg"))
