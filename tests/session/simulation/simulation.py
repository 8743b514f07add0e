"""One run: a person and two agents edit the same files, and sessions commit in between."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

from smartcommit.git.repo import Repository
from smartcommit.session.edits import UNKNOWN, Deletion, Edit, NewContent, apply_edit
from smartcommit.session.ledger import Ledger, SessionFile, open_ledger
from tests.session.simulation.changes import Author, Change
from tests.session.simulation.judge import Verdict, judge
from tests.session.simulation.lines import PERSON, SOMEBODY, Line, Version, entries, find_changed, new_entry
from tests.session.simulation.settings import Settings
from tests.session.simulation.tools import find_edit
from tests.session.simulation.world import Files, World, is_equal, put

AGENTS = ("ann", "bob")


class Defect(Exception):
    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Simulation:
    """A run that depends on `seed` and `settings` alone."""

    def __init__(self, root: Path, seed: int, settings: Settings) -> None:
        self.seed, self.settings = seed, settings
        self.random = Random(f"{seed}")
        self.counts: Counter[str] = Counter()
        self.trace: list[str] = []
        self.defects: list[str] = []
        self.world = World(root, *self.pick_endings())
        self.views: dict[tuple[str, str], Version] = {}
        self.history: dict[str, list[Change]] = {}
        self.waiting: list[tuple[int, str, Callable[[], None]]] = []
        self.last: tuple[str, str, Files, Files, list[SessionFile], str] | None = None
        self.started: list[str] = []
        self.owned: dict[tuple[str, str, Line], bool] = {}
        # The lines that an agent's tool says it has brought into a path.
        self.told: dict[tuple[str, str], set[str]] = {}
        self.calls = 0
        self.action = 0
        self.make_files()

    def pick_endings(self) -> tuple[set[str], set[str]]:
        if not self.settings.attributes:
            return set(), set()
        kind = self.random.choice(("unix", "unix", "windows", "converted"))
        return ({"b.txt"} if kind == "windows" else set()), ({"b.txt"} if kind == "converted" else set())

    def make_files(self) -> None:
        world = self.world
        if world.converted:
            (world.root / ".git" / "info" / "attributes").write_text("b.txt text eol=crlf\n")
        typist = self.author("before")
        for path in ("a.txt", "b.txt"):
            lines = [typist.type_line() for _ in range(self.random.randint(*self.settings.lines))]
            world.write(path, Version(new_entry("before"), tuple(lines)), "before")
        world.add_all()
        world.commit_index()
        self.repository = Repository.find(str(world.root))

    def author(self, name: str) -> Author:
        self.calls += 1
        return Author(self.random, name, self.settings.repeated, self.action * 1000 + self.calls % 1000)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def note(self, text: str) -> None:
        self.trace.append(f"{self.action}: {text}")

    def fail(self, kind: str, text: str) -> None:
        self.counts[kind] += 1
        self.defects.append(f"seed {self.seed} action {self.action}: {kind}: {text}")
        self.note(f"DEFECT {kind}: {text}")

    # --- the ledger

    def with_ledger(self, text: str, use: Callable[[Ledger], None]) -> None:
        """Let the ledger do something, in a process that may be killed."""
        if self.chance(self.settings.kills):
            self.kill(text, use)
            return
        self.note(text)
        started = time.perf_counter()
        with open_ledger(self.repository) as ledger:
            use(ledger)
        self.counts["notices"] += 1
        self.counts["notice microseconds"] += int((time.perf_counter() - started) * 1e6)

    def kill(self, text: str, use: Callable[[Ledger], None]) -> None:
        self.note(f"{text} (killed)")
        self.counts["kills"] += 1
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            try:
                with open_ledger(self.repository) as ledger:
                    use(ledger)
            finally:
                os._exit(0)
        time.sleep(self.random.random() * 0.03)
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        self.counts["kills in time"] += os.WIFSIGNALED(status)

    def check(self) -> None:
        faults = self.world.find_faults()
        if faults:
            raise Defect("bytes lost", "; ".join(faults))

    # --- actions

    def run(self) -> None:
        for number in range(1, self.settings.actions + 1):
            self.action = number
            self.random = Random(f"{self.seed}:{self.action}")
            self.act()
            self.check()
        self.action += 1
        self.random = Random(f"{self.seed}:end")
        self.finish()

    def act(self) -> None:
        self.deliver(self.action)
        settings = self.settings
        if len(self.started) < 2 and (self.action >= (2, 4)[len(self.started)] or not settings.person):
            session = AGENTS[len(self.started)]
            self.started.append(session)
            self.note(f"start({session})")
            with open_ledger(self.repository) as ledger:
                ledger.start(session, product="claude")
        if self.started and self.chance(settings.commit):
            self.commit_session(self.random.choice(self.started))
        elif self.last is not None and self.chance(settings.undone * 0.1):
            self.undo_commit(at_once=False)
        elif not self.started or self.chance(settings.person):
            self.act_person()
        else:
            self.act_agent(self.random.choice(self.started))

    def deliver(self, until: int) -> None:
        due = [each for each in self.waiting if each[0] <= until]
        self.waiting = [each for each in self.waiting if each[0] > until]
        for _, text, send in due:
            self.note(f"late: {text}")
            send()

    def finish(self) -> None:
        """Commit all sessions' lines and then the rest: that is the working tree."""
        self.deliver(1 << 30)
        for session in self.started:
            self.commit_session(session)
        self.world.add_all()
        self.world.commit_index()
        self.counts["own lines"] = len(self.owned)
        self.counts["own lines never committed"] = len([line for line, done in self.owned.items() if not done])
        self.check_git("at the end")
        with open_ledger(self.repository) as ledger:
            ledger.refresh()
            for session in self.started:
                files = ledger.list_files(session)
                rest = [file for file in files if file.base != file.composed or file.left]
                if rest:
                    self.fail("left at the end", repr(rest)[:500])

    def check_git(self, when: str) -> None:
        faults = self.world.find_git_faults()
        if faults:
            raise Defect("truth or repository", f"{when}: {faults}")

    def pick_change(self, author: Author) -> Callable[[Version], Version]:
        settings = self.settings
        for share, change in (
            (settings.move, author.move),
            (settings.duplicate, author.duplicate),
            (settings.reformat, author.reindent),
            (settings.reformat / 2, author.replace_word),
            (settings.files, author.edit_ends),
        ):
            if self.chance(share):
                return change
        return self.random.choice((author.insert, author.insert, author.delete, author.rewrite, author.edit_within))

    def pick_path(self) -> str | None:
        paths = sorted(self.world.tree)
        return self.random.choice(paths) if paths else None

    def remember(self, name: str, path: str, old: Version | None, new: Version | None) -> None:
        if old is not None and new is not None and old is not new:
            self.history.setdefault(name, []).append(Change.between(path, old, new))

    def write(self, path: str, version: Version | None, actor: str, text: str, *, seen: Version | None = None) -> None:
        """Write a file that `actor` made of what it was, or of what was `seen` before."""
        old = self.world.tree.get(path)
        self.world.note_removed(path, seen, version, actor)
        self.world.write(path, version, actor, replaced=self.chance(0.3))
        self.note(f"{actor} {text} {path}: {describe(old, self.world.tree.get(path))}")
        self.remember(actor, path, seen or old, self.world.tree.get(path))

    def find_undo(self, actor: str) -> tuple[str, Version] | None:
        for change in reversed(self.history.get(actor, [])[-4:]):
            version = self.world.tree.get(change.path)
            undone = change.undo(version, actor) if version is not None else None
            if undone is not None:
                return change.path, undone
        return None

    # --- the person

    def act_person(self) -> None:
        settings, world = self.settings, self.world
        if self.chance(settings.git):
            self.use_git()
            return
        if self.chance(settings.files):
            self.change_files(PERSON, "")
            return
        undone = self.find_undo(PERSON) if self.chance(settings.undo) else None
        if undone is not None:
            self.write(*undone, PERSON, "undo")
            return
        path = self.pick_path()
        if path is None:
            self.change_files(PERSON, "")
            return
        change = self.pick_change(self.author(PERSON))
        buffer = self.views.get((PERSON, path))
        stale = buffer is not None and self.chance(settings.stale)
        seen = buffer if stale and buffer is not None else world.tree[path]
        version = change(seen)
        self.write(path, version, PERSON, f"stale {change.__name__}" if stale else change.__name__, seen=seen)
        if not stale or self.chance(0.5):
            self.views[PERSON, path] = world.tree[path]

    def use_git(self) -> None:
        use = self.random.choice(
            (self.stage_some, self.stage_some, self.commit_staged, self.commit_some, self.checkout)
        )
        use()
        if self.action % 4 == 0:
            self.check_git(use.__name__)

    def stage_some(self) -> None:
        path = self.pick_path()
        if path is None:
            return
        version, staged = self.world.tree[path], self.world.index.get(path)
        if staged is not None and self.chance(0.7):
            version = mix(self.random, staged, version)
        self.world.stage(path, version)
        self.note(f"git add -p {path}: {describe(staged, version)}")

    def commit_staged(self) -> None:
        if not is_same(self.world, self.world.index, self.world.head):
            self.world.commit_index()
            self.note("git commit")

    def commit_some(self) -> None:
        path = self.pick_path()
        if path is None or self.chance(0.3):
            self.world.add_all()
            self.world.commit_index()
            self.note("git add -A; git commit")
        elif path in self.world.index and not is_equal(self.world, path, self.world.tree, self.world.head):
            self.world.commit_paths([path])
            self.note(f"git commit -- {path}")

    def checkout(self) -> None:
        path = self.pick_path()
        if path is not None and path in self.world.index and self.chance(0.4):
            self.world.checkout(path, PERSON)
            self.note(f"git checkout -- {path}")

    def change_files(self, actor: str, text: str) -> None:
        world, path = self.world, self.pick_path()
        kind = self.random.choice(("make", "delete", "rename", "chmod"))
        free = [name for name in ("c.txt", "d.txt", "e.txt") if name not in world.tree and name not in world.index]
        if (kind == "make" or path is None) and free:
            lines = tuple(self.author(actor).type_lines(8))
            self.write(free[0], Version(new_entry(actor), lines), actor, f"{text}make")
        elif kind == "delete" and path is not None and len(world.tree) > 2:
            self.write(path, None, actor, f"{text}delete")
        elif kind == "rename" and path is not None and free and path not in world.windows:
            self.rename(path, free[0], actor, text)
        elif kind == "chmod" and path is not None:
            version = world.tree[path]
            mode = "100644" if version.mode == "100755" else "100755"
            self.write(path, replace(version, entry=new_entry(actor, mode)), actor, f"{text}chmod")

    def rename(self, path: str, other: str, actor: str, text: str) -> None:
        """Rename a file, by `git mv` where the index has it as the working tree does."""
        world = self.world
        version = world.tree[path]
        moved = replace(version, entry=new_entry(actor, version.mode))
        if path in world.index and not text and self.chance(0.5):
            world.git("mv", path, other)
            world.index[other] = world.index.pop(path)
            world.change(path, None, actor)
            world.change(other, moved, actor)
            self.note(f"git mv {path} {other}")
            return
        self.write(other, moved, actor, f"{text}rename {path} to")
        self.write(path, None, actor, f"{text}rename away")

    # --- agents

    def act_agent(self, agent: str) -> None:
        settings, world = self.settings, self.world
        if self.chance(settings.shell):
            self.use_shell(agent)
            return
        path = self.pick_path()
        if path is None or self.chance(settings.files / 2):
            self.make_file(agent)
            return
        if self.chance(settings.files / 4) and len(world.tree) > 2:
            self.use_tool(agent, path, lambda _: None, "delete")
            return
        if self.chance(settings.old_read):
            self.views[agent, path] = world.tree[path]
            self.look(agent, path)
        undone = self.find_undo(agent) if self.chance(settings.undo) else None
        if undone is not None:
            self.use_tool(agent, undone[0], lambda _: (self.find_undo(agent) or undone)[1], "undo")
            return
        change = self.pick_change(self.author(agent))
        view = self.views.get((agent, path))
        if view is not None and self.chance(settings.whole):
            self.use_tool(agent, path, lambda _: change(view), f"old {change.__name__}", whole=1.0, seen=view)
        else:
            self.use_tool(agent, path, change, change.__name__)

    def make_file(self, agent: str) -> None:
        free = [name for name in ("c.txt", "d.txt", "e.txt") if name not in self.world.tree]
        if free:
            lines = tuple(self.author(agent).type_lines(8))
            self.use_tool(agent, free[0], lambda _: Version(new_entry(agent), lines), "make", whole=1.0)

    def use_tool(
        self,
        agent: str,
        path: str,
        change: Callable[[Version], Version | None],
        text: str,
        *,
        whole: float | None = None,
        seen: Version | None = None,
    ) -> None:
        """Let an agent's tool make a change, with the notices before and after."""
        settings, world = self.settings, self.world
        self.calls += 1
        call = f"call-{self.action}-{self.calls}"
        old = world.tree.get(path)
        if old is None and text != "make":
            return
        new = change(old)  # type: ignore[arg-type]
        edit: Edit = Deletion()
        if new is not None:
            share = settings.whole if whole is None else whole
            edit = find_edit(self.random, old, new, world.ending(path), share)
        # Who writes a whole file has read it.
        if isinstance(edit, NewContent) and old is not None and not text.startswith("old "):
            self.look(agent, path)
        if settings.ahead:
            self.interrupt(agent)
        if not self.chance(settings.pre_missing):
            for _ in range(2 if self.chance(settings.doubled / 2) else 1):
                self.with_ledger(
                    f"before_edit({agent}, {path}, {call})",
                    lambda ledger: ledger.before_edit(agent, path.encode(), call),
                )
        self.interrupt(agent)
        now = world.tree.get(path)
        if now is not old and not isinstance(edit, NewContent):
            new = redo(world, agent, path, now, old, new, edit)
            if new is None:
                self.note(f"{agent} {text} {path} fails")
                return
        # A whole file was written from what was there when its text was made.
        self.write(path, new, agent, text, seen=seen or (old if isinstance(edit, NewContent) else None))
        self.interrupt(agent)
        original = world.raw(path, now) if now is not None else None
        known = original if self.chance(settings.original) else UNKNOWN
        self.note_told(agent, path, original, edit)
        self.report(agent, path, call, edit, known)

    def note_told(self, agent: str, path: str, before: bytes | None, edit: Edit) -> None:
        """Note which lines an edit brings that was made of the content `before`."""
        after = apply_edit(before, edit) or b""
        brought = Counter(after.splitlines(keepends=True)) - Counter((before or b"").splitlines(keepends=True))
        self.told.setdefault((agent, path), set()).update(f"+{line.decode().rstrip()}" for line in brought)

    def look(self, agent: str, path: str) -> None:
        """Let the ledger know that an agent's tool has read a file; without that, nobody can know what it copies."""
        self.note(f"look({path}) as {agent} reads it")
        with open_ledger(self.repository) as ledger:
            ledger.look(path.encode())

    def report(self, agent: str, path: str, call: str, edit: Edit, original: object) -> None:
        settings = self.settings
        text = f"after_edit({agent}, {path}, {call}, {edit!r}{', original' if original is not UNKNOWN else ''})"

        def send() -> None:
            self.with_ledger(
                text,
                lambda ledger: ledger.after_edit(agent, path.encode(), call, edit, original=original),  # type: ignore[arg-type]
            )

        if self.chance(settings.post_missing):
            self.note(f"never sent: {text}")
        elif self.chance(settings.late):
            self.waiting.append((self.action + self.random.randint(1, 6), text, send))
        else:
            send()
            if self.chance(settings.doubled):
                self.waiting.append((self.action + self.random.randint(0, 4), text, send))

    def interrupt(self, agent: str) -> None:
        if not self.chance(self.settings.between):
            return
        if self.settings.person and self.chance(0.7):
            self.act_person()
            return
        other = AGENTS[1 - AGENTS.index(agent)]
        path = self.pick_path()
        if path is not None and other in self.started:
            change = self.pick_change(self.author(other))
            self.write(path, change(self.world.tree[path]), other, f"unseen {change.__name__}")

    def use_shell(self, agent: str) -> None:
        settings = self.settings
        self.calls += 1
        call = f"shell-{self.action}-{self.calls}"
        if not self.chance(settings.pre_missing):
            self.with_ledger(f"before_shell({agent}, {call})", lambda ledger: ledger.before_shell(agent))
        self.interrupt(agent)
        path = self.pick_path()
        if path is None or self.chance(0.2):
            self.change_files(agent, "shell ")
        else:
            change = self.pick_change(self.author(agent))
            self.write(path, change(self.world.tree[path]), agent, f"shell {change.__name__}")
        self.interrupt(agent)
        if not self.chance(settings.post_missing):
            self.with_ledger(f"after_shell({agent}, {call})", lambda ledger: ledger.after_shell(agent))

    # --- commits

    def commit_session(self, session: str) -> None:
        world = self.world
        self.note(f"session commit of {session}")
        with open_ledger(self.repository) as ledger:
            ledger.refresh()
            files = list(ledger.list_files(session))
            again = list(ledger.list_files(session))
            foreign = set(ledger.has_foreign_lines(session))
        self.check()
        if repr(files) != repr(again):
            self.fail("not idempotent", f"{files!r} {again!r}")
        self.check_guard(session, foreign)
        changed = [file for file in files if file.base != file.composed]
        verdicts = self.judge_files(session, changed)
        self.measure(session, verdicts)
        if not changed:
            return
        before = (dict(world.head), dict(world.index))
        states = self.list_states()
        parent = world.read_head()
        self.publish(changed, verdicts)
        self.counts["commits"] += 1
        if self.chance(self.settings.crash):
            self.note("crash before follow_head()")
        else:
            with open_ledger(self.repository) as ledger:
                ledger.follow_head()
        self.check_git("session commit")
        self.last = (session, parent, *before, changed, world.read_head())
        if self.chance(self.settings.undone):
            self.undo_commit(at_once=True)
            if self.list_states() != states:
                self.fail("undo", f"{states} has become {self.list_states()}")

    def list_states(self) -> str:
        """Return whose the sessions' lines are; two of nobody may turn out to be none."""
        with open_ledger(self.repository) as ledger:
            ledger.refresh()
            rows = []
            for session in self.started:
                for file in ledger.list_files(session):
                    own = [hunk for hunk in file.left if hunk.owner in self.started]
                    lines = sorted([(hunk.owner, line) for hunk in own for line in hunk.lines])
                    rows.append((session, file.path, file.composed and file.composed.as_dict(), lines))
            return repr(rows)

    def judge_files(self, session: str, changed: list[SessionFile]) -> dict[str, tuple[Verdict, Version | None]]:
        verdicts = {}
        for file in changed:
            path = file.path.decode()
            base = self.world.head.get(path)
            self.check_base(path, base, file)
            composed = self.read_version(path, file)
            verdict = judge(self.world, path, session, base, composed)
            if verdict.foreign and self.told.get((session, path), set()).issuperset(verdict.foreign):
                verdict.kind, verdict.foreign = "told", []
            self.counts[f"verdict {verdict.kind}"] += 1
            self.counts["lines added"] += len([line for line in verdict.taken if not line.text.startswith("mode ")])
            self.counts["foreign lines"] += len(verdict.foreign)
            if verdict.kind != "own":
                text = f"{path}: {verdict.foreign}\n HEAD {show(base)}\n TREE {show(self.world.tree.get(path))}"
                owners = [sorted(self.world.owners(path, line)) for line in entries(self.world.tree.get(path))]
                removers = [self.world.find_removers(path, line) for line in entries(base)]
                content = show(composed)
                self.fail(verdict.kind, f"{text}\n COMMIT {content}\n owners {owners}\n removers {removers}")
            if verdict.kind == "placement":
                self.world.forget_part(path, session)
            lines = verdict.lines
            version = None
            if composed is not None:
                version = Version(lines[0], tuple(lines[1:]), composed.final)
            verdicts[path] = (verdict, version)
        return verdicts

    def check_base(self, path: str, base: Version | None, file: SessionFile) -> None:
        expected = None if base is None else (base.mode, self.world.object_id(path, base))
        found = None if file.base is None else (file.base.mode, file.base.oid)
        if expected != found:
            self.fail("base", f"{path}: {found} instead of {expected}")

    def read_version(self, path: str, file: SessionFile) -> Version | None:
        if file.composed is None:
            return None
        text = self.world.git("cat-file", "blob", file.composed.oid)
        ending = "\n" if path in self.world.converted else self.world.ending(path)
        parts = text.split(ending)
        final = not parts[-1]
        if final:
            parts.pop()
        if any("\n" in part for part in parts):
            self.fail("line ends", f"{path}: {text!r}")
        lines = tuple(Line(part, {"nobody"}) for part in parts)
        return Version(new_entry("nobody", file.composed.mode), lines, final)

    def check_guard(self, session: str, foreign: set[bytes]) -> None:
        world = self.world
        for path in {*world.tree, *world.head}:
            if is_equal(world, path, world.tree, world.head) or path.encode() in foreign:
                continue
            same = world.find_same(path)
            base = set(entries(world.head.get(path)))
            new = [line for line in entries(world.tree.get(path)) if line not in base and line not in same]
            others = [line for line in new if world.owners(path, line).isdisjoint({session, SOMEBODY})]
            if others:
                self.fail("unseen foreign lines", f"{session} {path}: {others}")

    def measure(self, session: str, verdicts: dict[str, tuple[Verdict, Version | None]]) -> None:
        """Count the session's own lines and removals, and those that its commit leaves."""
        world = self.world
        for path in {*world.tree, *world.head}:
            same = world.find_same(path)
            base, now = entries(world.head.get(path)), entries(world.tree.get(path))
            here = {same.get(line, line) for line in now}
            own = [
                line for line in now if line not in base and line not in same and world.owners(path, line) == {session}
            ]
            own += [line for line in base if line not in here and world.find_removers(path, line)[-1:] == [session]]
            verdict = verdicts.get(path)
            done = verdict[0].taken | verdict[0].removed if verdict else set()
            self.counts["own"] += len(own)
            self.counts["left"] += len([line for line in own if line not in done])
            for line in own:
                self.owned[session, path, line] = line in done

    def publish(self, changed: list[SessionFile], verdicts: dict[str, tuple[Verdict, Version | None]]) -> None:
        """Commit the contents by plumbing, and put them into the index where it had what HEAD had."""
        world = self.world
        rows = "".join(describe_entry(file) for file in changed)
        scratch = world.root / ".git" / "scratch-index"
        world.git("read-tree", "HEAD", index=scratch)
        world.git("update-index", "--add", "--index-info", data=rows.encode(), index=scratch)
        tree = world.git("write-tree", index=scratch).strip()
        commit = world.git("commit-tree", "-p", "HEAD", "-m", "session", tree).strip()
        clean = [file for file in changed if is_equal(world, file.path.decode(), world.index, world.head)]
        world.git("update-ref", "HEAD", commit)
        world.git(
            "update-index", "--add", "--index-info", data="".join(describe_entry(file) for file in clean).encode()
        )
        head = dict(world.head)
        for path, (_, version) in verdicts.items():
            put(head, path, version)
        for file in clean:
            put(world.index, file.path.decode(), head.get(file.path.decode()))
        world.set_head(head)

    def undo_commit(self, *, at_once: bool) -> None:
        assert self.last is not None
        session, parent, head, index, changed, commit = self.last
        self.last = None
        world = self.world
        if world.read_head() != commit:
            return
        self.note("session undo")
        paths = [file.path.decode() for file in changed]
        clean = [path for path in paths if is_equal(world, path, world.index, world.head)]
        with open_ledger(self.repository) as ledger:
            ledger.begin_undo(session, parent)
        world.git("update-ref", "HEAD", parent)
        world.set_head(head)
        for path in clean:
            if at_once:
                put(world.index, path, index.get(path))
            else:
                put(world.index, path, head.get(path))
            version = world.index.get(path)
            world.stage(path, version)
        with open_ledger(self.repository) as ledger:
            ledger.refresh()
        self.counts["undone"] += 1
        self.check_git("undo")


def describe_entry(file: SessionFile) -> str:
    path = file.path.decode()
    if file.composed is None:
        return f"0 {'0' * 40}\t{path}\n"
    return f"{file.composed.mode} {file.composed.oid}\t{path}\n"


def is_same(world: World, some: Files, others: Files) -> bool:
    return all(is_equal(world, path, some, others) for path in {*some, *others})


def redo(
    world: World, agent: str, path: str, now: Version | None, old: Version | None, new: Version | None, edit: Edit
) -> Version | None:
    """Return what an edit that was meant for `old` makes of `now`; None where the tool fails."""
    if now is None or old is None or new is None:
        return None
    change = Change.between(path, old, new)
    redone = Change(path, change.before, change.new, change.old).undo(now, agent)
    if redone is None:
        return None
    try:
        raw = apply_edit(world.raw(path, now), edit)
    except ValueError:
        return None
    return redone if raw == world.raw(path, redone) else None


def mix(random: Random, old: Version, new: Version) -> Version:
    """Return the beginning of `old` and the rest of `new`, which meet at a line that both have."""
    common = [line for line in new.lines if line in old.lines]
    if not common:
        return new
    line = random.choice(common)
    lines = (*old.lines[: old.lines.index(line)], *new.lines[new.lines.index(line) :])
    # A line that was moved would be there twice.
    return replace(old, lines=lines, final=new.final) if len(set(lines)) == len(lines) else new


def describe(old: Version | None, new: Version | None) -> str:
    if old is None or new is None:
        return "deleted" if new is None else f"made {show(new)}"
    first, old_end, new_end = find_changed(old.lines, new.lines)
    texts = [[line.text for line in lines] for lines in (old.lines[first:old_end], new.lines[first:new_end])]
    ends = "" if old.final == new.final else f", ends {new.final}"
    return f"at {first}: {texts[0]} -> {texts[1]}{ends}"


def show(version: Version | None) -> str:
    if version is None:
        return "none"
    return f"{version.mode} {[line.text for line in version.lines]} {'' if version.final else 'no newline'}"
