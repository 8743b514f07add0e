"""`split`, `range` and `absorb` in a jj repository.

The working-copy commit becomes several changes, and stays on top with what is left; or the changes below it are cut
anew, or get hunks of it, and those that stay keep their ids. The plan and its commits are made and checked in jj's git
repository, as in a git repository; then jj takes them over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from smartcommit.change.wording import format_count
from smartcommit.errors import JjError, SplitPlanOutdated
from smartcommit.git.fast_import import Identity, NewCommit, WrittenCommit, read_identity, write_commits
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import Snapshot, take_jj_snapshot
from smartcommit.git.transaction.quarantine import add_packs, release_packs, write_pack
from smartcommit.jj import run as jj_run
from smartcommit.jj.description import NO_COMMENT
from smartcommit.jj.moves import HiddenOperations, WantedChange, rewrite_changes
from smartcommit.jj.run import JjChange
from smartcommit.message.parse import parse
from smartcommit.message.plan_sections import find_current
from smartcommit.rewrite.commits import CommitRange, OldCommit, read_commits_since
from smartcommit.signals import exit_on_signals
from smartcommit.split.apply import Prepared
from smartcommit.split.flow import make_flow
from smartcommit.split.outcome import Out, SplitResult
from smartcommit.split.plan_file import list_plan_files
from smartcommit.split.review.questions import wants_all
from smartcommit.split.source import Source, SplitOptions
from smartcommit.split.unwanted import find_suspects
from smartcommit.terminal import Terminal
from smartcommit.waiting import announce_if_slow

# Characters of an operation's id that are printed.
_OPERATION_LENGTH = 12
# Changes of a range that is found without being named: older ones are seldom meant.
_CHANGES_FOUND = 100


def split_change(root: str, *, options: SplitOptions, terminal: Terminal | None, complain: Out) -> SplitResult:
    """Split the working-copy commit of the jj workspace at `root`; the rest is as for `flow.split`."""
    change = jj_run.read_change_at_work(root)
    store = jj_run.find_jj_repository(root)
    apart = list_plan_files(root, options.plan_files, options.planned_paths)
    with exit_on_signals(), take_change_snapshot(store, change, apart) as snapshot:
        with announce_if_slow("reading the changes", None if options.silent else complain):
            suspects = find_suspects(snapshot, options)
        if terminal is not None and options.plan is None and wants_all(suspects, terminal):
            suspects = [replace(suspect, left_out=False) for suspect in suspects]
        identify = partial(read_author, snapshot, change)
        source = Source(snapshot, suspects, options, terminal, complain=complain, identify=identify)
        said = {"plan-tasks": find_current(parse(change.description, comment=NO_COMMENT).message.tasks or ())}
        return make_flow(source, JjPublisher(source, change, apart), said=said).run()


def read_range(root: str, name: str, *, allow_pushed: bool) -> list[JjChange]:
    """Return the changes that the user calls `name`: `BASE..` or `BASE..@-`, where BASE is a revset.

    They are one line, oldest first. Raise JjError if there is no such range, or if it has no changes, merges,
    conflicts, immutable changes, or pushed ones that are not allowed.
    """
    start, dots, end = name.partition("..")
    if not start or not dots or end not in ("", "@-"):
        hint = "name the change before the first one, as in 'trunk()..'"
        if start and not dots:
            hint += f"; for one change run 'jj split -r {name}', or 'jj absorb --from {name}'"
        raise JjError(f"'{name}' is not a range of changes up to @-", hint=hint)
    revset = f"({start})..@-"
    changes = _read_line(root, revset)
    if not changes:
        raise JjError(f"there are no changes between '{start}' and the one at work")
    if not allow_pushed:
        pushed = jj_run.read_changes(root, f"({revset}) & ::remote_bookmarks()", jj_run.NO_SNAPSHOT)
        if pushed:
            raise JjError(
                f"pushed already: {len(pushed)} of {format_count(len(changes), 'change')}, which others may have",
                hint="name a later change, or add '--allow-pushed'",
            )
    return changes


def find_range(root: str) -> list[JjChange]:
    """Return the changes below the one at work that were not pushed and can be rewritten, above the last merge.

    They are the last 100 at most. Raise JjError if there are none, or one of them is divergent.
    """
    obstacles = "merges() | conflicts() | immutable()"
    revset = f"ancestors(@-, {_CHANGES_FOUND}) ~ ::remote_bookmarks() ~ ::(::@- & ({obstacles}))"
    changes = _read_line(root, revset)
    if not changes:
        raise JjError("there are no changes that were not pushed", hint="name the changes with 'BASE..'")
    return changes


def _read_line(root: str, revset: str) -> list[JjChange]:
    """Return the changes of `revset`, oldest first; raise JjError unless they are one line, and can be rewritten."""
    changes = jj_run.read_changes(root, revset, jj_run.NO_SNAPSHOT)[::-1]
    below = None
    for change in changes:
        name = change.change_id[: jj_run.CHANGE_LENGTH]
        obstacle = None
        if len(change.parents) != 1 or below not in (None, change.parents[0]):
            raise JjError(f"the changes are not one line: see {name}", hint="name a later change")
        if change.conflict:
            obstacle = "has conflicts"
        elif change.divergent:
            obstacle = "has several versions"
        elif change.immutable:
            obstacle = "is immutable"
        if obstacle is not None:
            raise JjError(f"the change {name} {obstacle}", hint="name a later change")
        below = change.commit_id
    return changes


def make_range(store: Repository, changes: Sequence[JjChange]) -> CommitRange:
    base, head = jj_run.find_base(changes[0]), changes[-1].commit_id
    commits = read_commits_since(store, base, head, limit=len(changes))
    return CommitRange(base, head, tuple(commits), has_merges=False)


@contextmanager
def take_change_snapshot(store: Repository, change: JjChange, apart: Collection[bytes]) -> Iterator[Snapshot]:
    """Yield a snapshot of the change without the new files `apart`, which stay in it."""
    branch = next(iter(change.bookmarks), None)
    with take_jj_snapshot(store, change.commit_id, jj_run.find_base(change), branch=branch) as snapshot:
        target = _make_target(snapshot.repository, change, apart)
        yield replace(snapshot, target=target, staged_tree=target)


def _make_target(scratch: Repository, change: JjChange, apart: Collection[bytes]) -> str:
    """Return the tree of the change without the new files `apart`; new objects go where `scratch` writes them."""
    tree = f"{change.commit_id}^{{tree}}"
    if apart:
        base = jj_run.find_base(change) or scratch.empty_tree
        listing = scratch.run("ls-tree", "--name-only", "-z", base, "--", *apart)
        scratch.run("read-tree", tree)
        new = b"\0".join(set(apart) - set(listing.split(b"\0")))
        scratch.run("update-index", "-z", "--force-remove", "--stdin", stdin=new)
        return scratch.run("write-tree").decode().strip()
    return scratch.run("rev-parse", "--verify", tree).decode().strip()


def read_author(snapshot: Snapshot, change: JjChange) -> Identity:
    name, email = change.author["name"], change.author["email"]
    if not name or not email:
        raise JjError(
            "the working-copy commit has no author",
            hint="run 'jj config set --user user.name NAME', the same for user.email, and then "
            "'jj metaedit --update-author'",
        )
    variables: dict[str, str] = {}
    for role in ("AUTHOR", "COMMITTER"):
        variables |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email}
    return read_identity(snapshot.repository.extended(**variables), ())


class JjPublisher:
    """Lets jj take over commits as changes below the one at work, `change`, or in the place of the `old` ones there.

    The files `apart` stay in the change at work.
    """

    def __init__(
        self, source: Source, change: JjChange, apart: Collection[bytes] = (), old: Sequence[JjChange] = ()
    ) -> None:
        self._source = source
        self._snapshot = source.snapshot
        self._root = source.snapshot.repository.worktree
        self._change = change
        self._apart = apart
        self._old = {before.commit_id: before for before in old}
        # The operation before the split, and the change of each commit.
        self._operation = ""
        self._change_ids = {before.commit_id: before.change_id for before in old}

    def publish(self, prepared: Prepared) -> Prepared:
        replaced = [self._old[item] for item in prepared.replaced]
        kept_count = 0
        for change, made in zip(replaced, prepared.commits[:-1], strict=False):
            if change.commit_id != made.commit:
                break
            kept_count += 1
        base = jj_run.find_base(replaced[kept_count]) if replaced else self._snapshot.base
        run = self._snapshot.run
        with jj_run.lock(self._root):
            hidden = HiddenOperations(self._root, run.repository)
            self._operation = hidden.start
            (now,) = hidden.read("@")
            self._require_current(now)
            copies, commits = self._copy_commits(prepared, base)
            continued = prepared.continued[kept_count:] or [None] * len(copies)
            wanted = []
            for copy, commit, oid in zip(copies, commits, continued, strict=True):
                wanted.append(WantedChange(copy, commit.text, self._change_ids.get(oid or "")))
            known_commits = [self._snapshot.base] if self._snapshot.base else []
            write_pack(self._snapshot.repository, run.published, [copies[-1].commit], known_commits)
            add_packs(run.published, run.repository.objects, run.note)
            try:
                changes = rewrite_changes(hidden, run.repository, now, old=replaced[kept_count:], wanted=wanted)
            finally:
                release_packs(run.repository.objects, run.note)
        written = []
        for change, copy in zip(changes, copies, strict=True):
            self._change_ids[change.commit_id] = change.change_id
            written.append(WrittenCommit(change.commit_id, copy.tree))
        return replace(prepared, commits=(*prepared.commits[: -len(written)], *written))

    def _copy_commits(self, prepared: Prepared, base: str | None) -> tuple[list[WrittenCommit], list[OldCommit]]:
        """Return copies of the commits above `base`, and what these say; nothing of the user's is below the copies.

        Below the first is one that has the tree of `base`: jj can take them all, and forget them.
        """
        snapshot = self._snapshot
        tip = prepared.commits[-1].commit
        commits = read_commits_since(snapshot.repository, base, tip, limit=len(prepared.commits))
        chain: list[NewCommit] = []
        if base is not None:
            tree = snapshot.repository.run("rev-parse", f"{base}^{{tree}}").decode().strip()
            chain.append(NewCommit("before\n", (), tree=tree))
        for commit in commits:
            parents = (len(chain) - 1,) if chain else ()
            chain.append(NewCommit(commit.text, parents, tree=commit.tree, author=commit.author))
        written = write_commits(snapshot.run.quarantine.repository, None, chain, self._source.identity)
        return written[-len(commits) :], commits

    def _require_current(self, now: JjChange) -> None:
        """Raise SplitPlanOutdated if the changes are not what the plan was made for.

        The content of the change at work matters only if that is split.
        """
        before = self._change
        is_same = (now.change_id, now.parents) == (before.change_id, before.parents)
        if self._snapshot.head != before.commit_id:
            if not is_same:
                raise SplitPlanOutdated("the changes were rewritten in the meantime", hint="run the command again")
            return
        is_same = is_same and (now.description, now.bookmarks) == (before.description, before.bookmarks)
        if not is_same or _make_target(self._snapshot.repository, now, self._apart) != self._snapshot.target:
            raise SplitPlanOutdated("the working copy was changed in the meantime", hint="run the command again")

    def name_commit(self, commit: str) -> str:
        return self._change_ids.get(commit, commit)[: jj_run.CHANGE_LENGTH]

    @property
    def undo_hint(self) -> str:
        operation = self._operation[:_OPERATION_LENGTH]
        return f"to undo: smartcommit undo, or: jj op restore {operation}"

    def describe_move(self, prepared: Prepared) -> str:
        moved = f"insert {format_count(len(prepared.commits), 'change')} below"
        if prepared.replaced:
            moved = f"rewrite {format_count(len(prepared.replaced), 'change')} below"
        return f"{moved} {self._change.change_id[: jj_run.CHANGE_LENGTH]}, which stays the working-copy commit"
