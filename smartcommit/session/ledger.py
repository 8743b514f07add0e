"""Whose the uncommitted lines of a working tree are, kept for all its sessions.

A session gets what its tools say that they did, never what a file merely contains afterwards. What changed in between,
and whatever is not proven, is nobody's. Paths are bytes, relative to the top level.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from smartcommit import file_lock, state_files
from smartcommit.errors import GitError, SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.record import Record
from smartcommit.session import registry, store, worktree
from smartcommit.session.edits import FoundContent, Replacement, ToolEdit, apply_edit, encode
from smartcommit.session.left_hunks import LeftHunk, find_left
from smartcommit.session.losses import OthersLines, TakenLines, find_taken_lines, read_others_lines
from smartcommit.session.store import Blob, Call, PathState
from smartcommit.session.weave import NOBODY, Content, Weave, compose, join_lines, list_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.git.status import WorktreeStatus

# Seconds that a notice waits for another one.
PATIENCE = 10.0
# Paths up to which many new ones get states at once: without a state, a path is nobody's.
_STATES = 2000
# Bytes of the files of such paths.
_NEW_BYTES = 64 << 20
_SUBMODULE = "160000"
# Whose commit an undo takes out of HEAD, until the lines are given back.
_UNDO = os.path.join("ledger", "undo.json")


class SessionFile(Record):
    """A path with uncommitted lines, as one session sees it.

    `base` is what HEAD has, and `composed` what a commit of the session's lines would contain; None is no file. `own`
    counts the lines that it adds and removes, which are in one place unless `is_scattered`. `left` stays uncommitted.
    """

    path: bytes
    base: Blob | None
    composed: Blob | None
    own: int
    left: Sequence[LeftHunk]
    is_scattered: bool = False


def _explain(error: OSError) -> SmartcommitError:
    return SmartcommitError(f"cannot write the ledger of sessions: {error.strerror}")


class Ledger:
    """The states of all paths of a working tree that were looked at.

    It is locked in a `with` block, and saved at its end, also after an error. Raise LockedError if another process
    holds it for `patience` seconds, SmartcommitError if it cannot be written.
    """

    def __init__(self, repository: Repository, *, patience: float = PATIENCE) -> None:
        self.repository = repository
        self._folder = store.directory(repository.git_dir)
        place = os.path.join(os.path.dirname(self._folder), "lock")
        self._lock = file_lock.HeldLock(place, patience=patience, what="the ledger of sessions")
        # None for a path that was looked up, and has no state.
        self._states: dict[bytes, PathState | None] = {}
        # The paths whose states have to be saved.
        self._changed: set[bytes] = set()
        # What git records of a file, by its path and its bytes.
        self._converted: dict[tuple[bytes, bytes], bytes] = {}
        self._head: str | None = None
        self._status: WorktreeStatus | None = None
        # The session whose commits were undone since the last look.
        self._undoing = ""
        # What others had before the last look after a command.
        self._before: dict[bytes, OthersLines] = {}

    def __enter__(self) -> Ledger:
        try:
            state_files.refuse_links(self._folder)
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._lock.__enter__()
        except OSError as error:
            raise _explain(error) from None
        try:
            self.finish_undo()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            self._save()
        except OSError as unsaved:
            raise _explain(unsaved) from None
        finally:
            self._lock.__exit__()
        if isinstance(error, OSError):
            raise _explain(error) from None

    def start(self, session: str, *, product: str = "") -> None:
        """Register a session: what differs from HEAD by then is nobody's. Raise SmartcommitError if this is no id."""
        if registry.start(self.repository, session, product):
            self._sweep()

    def end(self, session: str) -> None:
        registry.end(self.repository, session)
        self._sweep()

    def before_edit(self, session: str, path: bytes, call: str) -> None:
        """Remember what is known of `path` before a tool's call that may edit it."""
        state = self._notice(session, path)
        if state is not None:
            state.note_call(_name_call(session, call))
            self._changed.add(path)

    def after_edit(
        self, session: str, path: bytes, call: str, edit: ToolEdit | None, *, original: FoundContent | None = None
    ) -> None:
        """Record that a tool says that it did `edit` to `path`, as far as that is proven.

        It has found `original` there, if it says so. What is not proven counts as nobody's.
        """
        # What a new path had before is known only if the tool says so.
        state = self._notice(session, path, look=False)
        if state is None:
            return
        earlier = state.calls.pop(_name_call(session, call), None)
        # Texts that were removed and forgotten might be another's.
        if edit is not None and len(state.weave.gone) <= store.GONE_LIMIT:
            try:
                self._attribute(state, session, edit, earlier=earlier, original=original)
            except (GitError, OSError):
                self._forget(path)
        self._changed.add(path)
        self._look_at([path])

    def look(self, path: bytes) -> None:
        """Take a look at `path`, as before a tool reads it: what it read may come back when it writes the file."""
        if worktree.is_own_place(self.repository, path):
            self._look_at([path])

    def before_shell(self, session: str, *, is_first: bool = False) -> None:
        """Take a look at what was written; before the first command of a turn, also at files that were not known."""
        registry.note(self.repository, session)
        if is_first:
            self.refresh()
        self._look_at(self._list_written())

    def after_shell(self, session: str, since: int = 0) -> list[TakenLines]:
        """Take a look at all paths that differ from HEAD: what has changed there counts as nobody's.

        Return the files of which lines of others went into a commit, or nowhere. The command has begun at the time
        `since`, in nanoseconds: what was written before that is not its doing.
        """
        registry.note(self.repository, session)
        self._before = {}
        for state in self._list_known():
            others_lines = read_others_lines(state, session)
            if others_lines is not None:
                self._before[state.path] = others_lines
        written_before, written_since = [], []
        for path in dict.fromkeys([*self._list_changed(), *self._list_written()]):
            stamp = worktree.read_stamp(self.repository, path)
            if stamp and max(stamp[:2]) < since:
                written_before.append(path)
            else:
                written_since.append(path)
        self._look_at(written_before)
        self._look_at(written_since, shell=session)
        known = [state for state in self._states.values() if state is not None]
        looked = [state for state in known if state.path in self._before]
        all_taken = [find_taken_lines(self._before[state.path], state, session, known) for state in looked]
        return [taken for taken in all_taken if taken is not None]

    def list_staged(self, known: Mapping[str, str]) -> tuple[dict[str, str], list[bytes]]:
        """Return what is staged, as object names by path, and the paths where that has lines of others.

        These are lines that others had before `after_shell`. Paths that are staged as in `known` were told before.
        """
        staged = {os.fsdecode(path): oid for path, oid in self._read_status().staged.items()}
        new = [path for path in self._before if staged.get(os.fsdecode(path)) != known.get(os.fsdecode(path))]
        lines = self._read_staged(new)
        return staged, [path for path in lines if not self._before[path].texts.isdisjoint(lines[path])]

    def _read_staged(self, paths: Iterable[bytes]) -> dict[bytes, list[bytes]]:
        blobs = {}
        for path in paths:
            oid = self._read_status().staged.get(path, "")
            if oid.strip("0"):
                blobs[path] = Blob("100644", oid)
        contents = worktree.read_contents(self.repository, list(blobs.values()))
        return {path: list_lines(Content(blob.mode, contents[blob.oid]))[1:] for path, blob in blobs.items()}

    def refresh(self) -> None:
        """Take a look at all paths that differ from HEAD, or did so."""
        self._list_known()
        self._look_at([*self._list_changed(), *self._states])

    def list_files(self, session: str) -> list[SessionFile]:
        """Return the paths that differ from HEAD, and write what could be committed of them."""
        self.refresh()
        changed = []
        contents = []
        for path in self._list_changed():
            state = self._load(path)
            if state is None:
                continue
            chosen = state.weave.select(session)
            content = None
            if chosen:
                content = join_lines(compose(state.weave.entries, chosen))
            if content is not None:
                contents.append(content)
            changed.append((state, chosen, content))
        blobs = iter(worktree.write_blobs(self.repository, self._folder, contents))
        files = []
        for state, chosen, content in changed:
            composed, is_scattered = state.base, False
            if chosen:
                composed = None if content is None else next(blobs)
                is_scattered = len(chosen) <= max(chosen) - min(chosen)
            left_hunks = find_left(state.weave, state.path, session, chosen)
            files.append(SessionFile(state.path, state.base, composed, len(chosen), left_hunks, is_scattered))
        return files

    def list_unread(self) -> list[bytes]:
        """Return the paths that differ from HEAD and are no text that can be read: submodules, large files."""
        return [path for path in self._list_changed() if self._load(path) is None]

    def claim(self, session: str, hunks: Sequence[str]) -> None:
        """Give `session` the hunks with these ids, all or none.

        Raise SmartcommitError if one is not there, or belongs to another session that lasts.
        """
        registry.note(self.repository, session)
        self.refresh()
        wanted = set(hunks)
        chosen: dict[bytes, set[int]] = {}
        for state in self._list_known():
            for hunk in find_left(state.weave, state.path, session, state.weave.select(session)):
                if hunk.id not in wanted:
                    continue
                owner = registry.find(self.repository, hunk.owner)
                if owner is not None and owner.id != session and not owner.ended:
                    raise SmartcommitError(
                        f"hunk '{hunk.id}' belongs to another session", hint="let that session commit it first"
                    )
                wanted.discard(hunk.id)
                chosen.setdefault(state.path, set()).update(hunk.numbers)
        if wanted:
            listing = "smartcommit session status"
            raise SmartcommitError(
                f"no hunk '{min(wanted)}' is left", hint=f"list them again with '{listing}'", following=[listing]
            )
        for state in self._list_known():
            if state.path in chosen:
                state.weave.assign(chosen[state.path], session)
                self._changed.add(state.path)

    def list_foreign_paths(self, session: str) -> list[bytes]:
        """Return the paths with uncommitted lines that are not the session's, in the working tree or in the index."""
        self.refresh()
        paths = []
        own: dict[bytes, Weave] = {}
        for path in self._list_changed():
            state = self._load(path)
            if state is None or state.weave.list_owners() - {session}:
                paths.append(path)
            else:
                own[path] = state.weave
        for path, lines in self._read_staged(own).items():
            if not own[path].has_had(lines, session):
                paths.append(path)
        return sorted(paths)

    def follow_head(self) -> None:
        """Look where HEAD is by now, and save the states."""
        self._head = self._status = None
        try:
            self.refresh()
        finally:
            self._save()

    def begin_undo(self, session: str, head: str) -> None:
        """Remember an undo of the session's commits, back to `head`: we may be killed when it has moved HEAD."""
        self.refresh()
        self._save()
        undo = {"session": session, "head": head}
        if not state_files.save_json(self.repository.git_dir, _UNDO, undo):
            raise SmartcommitError("cannot write the ledger of sessions")

    def finish_undo(self) -> None:
        """Give a session back what an undo has taken out of HEAD, if there is one that was not finished."""
        if not os.path.exists(state_files.find_path(self.repository.git_dir, _UNDO)):
            return  # as most often
        undo = state_files.load_json(self.repository.git_dir, _UNDO, dict) or {}
        self._head = self._status = None
        # Elsewhere HEAD has more than the undo has taken back.
        if self.read_head() == undo.get("head"):
            self._undoing = undo["session"]
            self.refresh()
            self._undoing = ""
        self._save()
        state_files.drop(self.repository.git_dir, _UNDO)

    def _save(self) -> None:
        # What cannot be saved is looked at anew by the next process; an error is raised once.
        changed, self._changed = sorted(self._changed), set()
        for path in changed:
            store.save_state(self.repository.git_dir, path, self._states[path])

    def _sweep(self) -> None:
        self._save()
        owners: set[str] = set()
        for state in self._list_known():
            owners |= state.weave.list_owners()
        registry.remove_dead(self.repository, owners)
        alive = {session.id for session in registry.list_sessions(self.repository.git_dir)}
        for path in store.remove_old(self.repository.git_dir, registry.DEAD_AFTER, alive):
            self._states.pop(path, None)

    def _notice(self, session: str, path: bytes, *, look: bool = True) -> PathState | None:
        """Return the state of `path` for a tool of a session, after a look if asked; None if git would not track it."""
        registry.note(self.repository, session)
        if not worktree.is_own_place(self.repository, path):
            return None
        if self._load(path) is None and worktree.is_ignored(self.repository, path):
            return None
        if look or self._load(path) is None:
            self._look_at([path], at_files=look)
        return self._load(path)

    def _load(self, path: bytes) -> PathState | None:
        if path not in self._states:
            self._remember(path, store.load_state(self.repository.git_dir, path))
        return self._states[path]

    def _list_known(self) -> list[PathState]:
        for state in store.list_states(self.repository.git_dir):
            if state.path not in self._states:
                self._remember(state.path, state)
        return [state for state in self._states.values() if state]

    def _remember(self, path: bytes, state: PathState | None) -> None:
        self._states[path] = state
        if state is not None and state.raw is not None:
            self._converted[path, state.raw] = b"".join(state.weave.lines[1:])

    def _forget(self, path: bytes) -> None:
        self._states[path] = None
        self._changed.add(path)

    def _attribute(
        self, state: PathState, session: str, edit: ToolEdit, *, earlier: Call | None, original: FoundContent | None
    ) -> None:
        """Make `edit` a step of the session, if it is proven; `earlier` is what was known before the tool's call."""
        weave, looked = state.weave, state.content
        now = worktree.read_work_file(self.repository, state.path).raw
        if original is None and earlier is not None and earlier.revision == weave.revision:
            original = FoundContent(looked)
        if original is not None and looked is not None and original.data == looked.replace(b"\r\n", b"\n"):
            original = FoundContent(looked)  # Claude Code reads CRLF as LF
        try:
            if original is not None and original.data == looked:  # nobody has written in between
                weave.step(self._list_lines(state, apply_edit(looked, edit)), session)
            elif original is not None and earlier is None and apply_edit(original.data, edit) == now:
                # Nothing was written afterwards.
                weave.step(self._list_lines(state, original.data), NOBODY)
                weave.step(self._list_lines(state, now), session)
            elif isinstance(edit, Replacement) and now is not None:
                first = weave.next_change if earlier is None else earlier.next_change
                self._attribute_late(state, session, edit, now=now, first=first)
        except ValueError:  # the edit does not apply
            return

    def _attribute_late(self, state: PathState, session: str, edit: Replacement, *, now: bytes, first: int) -> None:
        """Make `edit` a step of the session although its result may be seen already, as a change of nobody.

        Its new text has to stand once in the content `now`, from which the edit is taken back, and then made again.
        Only lines may vanish by that which changes of nobody have brought since the change `first`.
        """
        weave = state.weave
        old, new = encode(edit.old), encode(edit.new)
        if edit.every or not new or now.count(new) != 1:
            return
        back = now.replace(new, old)
        lines_now, lines_back = self._list_lines(state, now), self._list_lines(state, back)
        weave.step(lines_now, NOBODY)
        if apply_edit(back, edit) == now and weave.removes_only_fresh(lines_back, first):
            weave.step(lines_back, NOBODY, remember=False)
            weave.step(lines_now, session)

    def _list_lines(self, state: PathState, raw: bytes | None) -> list[bytes]:
        if raw is None:
            return []
        mode = "100644"
        known = join_lines(state.weave.lines[:1])
        if known is not None:
            mode = known.mode
        return list_lines(Content(mode, self._convert(state, raw)))

    def _convert(self, state: PathState, raw: bytes) -> bytes:
        if not self._may_convert(state, raw):
            return raw
        key = (state.path, raw)
        if key not in self._converted:
            self._converted[key] = worktree.convert(self.repository, state.path, raw)
        return self._converted[key]

    def _may_convert(self, state: PathState, raw: bytes) -> bool:
        return b"\r\n" in raw or worktree.may_be_filtered(self.repository, state.path)

    def _look_at(self, paths: Iterable[bytes], *, shell: str = "", at_files: bool = True) -> None:
        """Bring the states of `paths` up to date with HEAD, and if `at_files` with the working tree."""
        head = self.read_head()
        # A path that ends in a slash is another repository.
        looked = [path for path in dict.fromkeys(paths) if not path.endswith(b"/")]
        stale, new = self._list_stale(looked)
        tree = worktree.read_tree(self.repository, head, stale)
        wanted = []
        for path, (blob, size) in tree.items():
            known = self._load(path)
            if (known is None or known.base != blob) and 0 <= size <= worktree.LINE_LIMIT:
                wanted.append(blob)
        contents = worktree.read_contents(self.repository, wanted)
        for path in looked:
            entry, size = tree.get(path, (None, 0))
            if size > worktree.LINE_LIMIT or (entry is not None and entry.mode == _SUBMODULE):
                self._forget(path)
                continue
            state = self._load(path)
            if state is None and path not in new:
                continue
            try:
                if state is None:
                    state = self._add_state(path, entry, contents)
                if at_files:
                    self._step_to_now(state, shell)
                if state.head != head:
                    self._rebase(state, entry, contents)
            except (GitError, OSError):
                self._forget(path)

    def _list_stale(self, paths: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
        """Return the paths whose states are not of this HEAD, and those without a state that get one."""
        stale, new = [], []
        for path in paths:
            state = self._load(path)
            if state is None:
                new.append(path)
            if state is None or state.head != self.read_head():
                stale.append(path)
        if len(new) <= 1:
            return stale, new
        room = _STATES - len(self._list_known())
        bytes_left = _NEW_BYTES
        chosen: list[bytes] = []
        for path in new:
            bytes_left -= sum(worktree.read_stamp(self.repository, path)[2:3])
            if bytes_left < 0 or len(chosen) >= room:
                break
            chosen.append(path)
        return stale, chosen

    def _add_state(self, path: bytes, entry: Blob | None, contents: dict[str, bytes]) -> PathState:
        state = PathState(path, Weave(_list_head_lines(entry, contents)))
        state.base = entry
        if entry is None:
            # It may be one of the files that are gone, renamed.
            for known in self._list_known():
                if not worktree.read_stamp(self.repository, known.path):
                    self._step_to_now(known, "")
                if known.weave.lines:
                    continue
                for text, owners in known.weave.gone.items():
                    state.weave.gone.setdefault(text, set()).update(owners)
        self._states[path] = state
        return state

    def _step_to_now(self, state: PathState, shell: str) -> None:
        file = worktree.read_work_file(self.repository, state.path)
        if file.is_large:
            self._forget(state.path)
            return
        raw = file.raw
        lines: list[bytes] = []
        is_converted = False
        if raw is not None:
            data, mode = raw, file.mode
            if mode != "120000":
                is_converted = self._may_convert(state, raw)
                data = self._convert(state, raw)
                if not worktree.has_modes(self.repository):
                    known = state.base
                    mode = known.mode if known is not None and known.mode != "120000" else "100644"
            lines = list_lines(Content(mode, data))
        if file.stamp != state.stamp or lines != state.weave.lines:
            state.weave.step(lines, NOBODY, shell=shell)
            state.stamp = file.stamp
            state.raw = raw if is_converted else None
            self._changed.add(state.path)

    def read_head(self) -> str:
        if self._head is None:
            self._head = worktree.read_head_commit(self.repository)
        return self._head

    def _list_changed(self) -> list[bytes]:
        return sorted(self._read_status().changed)

    def _read_status(self) -> WorktreeStatus:
        if self._status is None:
            self._status = worktree.read_status(self.repository)
        return self._status

    def _rebase(self, state: PathState, entry: Blob | None, contents: dict[str, bytes]) -> None:
        if entry != state.base:
            lines = _list_head_lines(entry, contents)
            if self._undoing:
                state.weave.uncommit(lines, self._undoing)
            else:
                state.weave.rebase(lines)
            state.base = entry
        state.head = self.read_head()
        self._changed.add(state.path)

    def _list_written(self) -> list[bytes]:
        """Return the known paths that were written since the last look, or that HEAD may have changed."""
        head = self.read_head()
        written = []
        for state in self._list_known():
            if state.head != head or worktree.read_stamp(self.repository, state.path) != state.stamp:
                written.append(state.path)
        return written


def _name_call(session: str, call: str) -> str:
    # Harnesses count calls for each session.
    return f"{session}\n{call}"


def _list_head_lines(entry: Blob | None, contents: dict[str, bytes]) -> list[bytes]:
    if entry is None:
        return []
    return list_lines(Content(entry.mode, contents[entry.oid]))
