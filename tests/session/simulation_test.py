"""A person and two agents edit the same files at random. Each word names who typed it, so each commit can be judged."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

from smartcommit.session.edits import FoundContent, NewContent, Replacement, ToolEdit, apply_edit
from smartcommit.session.ledger import Ledger
from smartcommit.split.outcome import DONE
from tests.support.profile import repeat
from tests.support.repository import Repo
from tests.support.sessions import Agent
from tests.support.table import rows

PATHS = ("a.txt", "b.txt")
PERSON = "person"
# Lines that say nothing of who typed them.
EQUAL = ("}", "", "return")


@dataclass(frozen=True)
class Settings:
    """Shares: `person` and `shell` of the actions, `equal` of the typed lines, `undone` of the commits, and of notices
    those that are `missing` or killed. `between` is how often others edit while a tool does, and `old_read` how often a
    tool edits what it read before.
    """

    person: float = 0.4
    equal: float = 0.0
    shell: float = 0.1
    missing: float = 0.1
    between: float = 0.15
    old_read: float = 0.2
    undone: float = 0.3
    kills: float = 0.0


KINDS = {
    "hostile": Settings(),
    "equal lines": Settings(equal=0.3),
    "killed": Settings(equal=0.1, kills=0.1),
    "alone": Settings(person=0.0, shell=0.0, missing=0.0, between=0.0, old_read=0.0, undone=0.0),
}


class Simulation:
    """A run that depends on `seed` and `settings` alone; `faults` is what went wrong."""

    def __init__(self, repo: Repo, seed: int, settings: Settings) -> None:
        self.repo, self.settings, self.random = repo, settings, Random(seed)
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.number = 0
        self.tree = {path: [self.type_line("base") for _ in range(12)] for path in PATHS}
        repo.commit("chore: begin", {path: join(lines) for path, lines in self.tree.items()})
        # Words that HEAD has had: whoever brings them back may have found them there.
        self.public = {word for lines in self.tree.values() for line in lines for word in line.split()}
        self.removers: dict[tuple[str, str], set[str]] = {}
        # Lines that an agent's tool has itself written, from an old read.
        self.told: dict[tuple[str, str], set[str]] = {}
        self.reads: dict[tuple[str, str], list[str]] = {}
        names = ("ann", "bob") if settings.person else ("ann",)
        self.agents = {name: Agent(repo, name) for name in names}

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def run(self, actions: int = 60) -> None:
        for number in range(actions):
            name = self.random.choice(list(self.agents))
            if self.chance(0.08):
                self.commit_session(name)
            elif self.chance(self.settings.person):
                self.act_person()
            elif self.chance(self.settings.shell):
                self.use_shell(name)
            else:
                self.use_tool(name)
            for path, lines in self.tree.items():
                if (self.repo.path / path).read_text() != join(lines):
                    self.faults.append(f"action {number}: '{path}' has lost its content")
        for name in self.agents:
            self.commit_session(name)
        self.commit_all()
        for agent in self.agents.values():
            if any(file.left or file.base != file.composed for file in agent.files()):
                self.faults.append("lines are left though all is committed")

    # Edits.

    def type_word(self, name: str) -> str:
        self.number += 1
        return f"{name}{self.number}"

    def type_line(self, name: str) -> str:
        if self.chance(self.settings.equal):
            return self.random.choice(EQUAL)
        return "    " * self.random.randrange(3) + self.type_word(name)

    def change(self, name: str, lines: list[str]) -> list[str]:
        first = self.random.randint(0, len(lines))
        last = min(len(lines), first + self.random.randint(1, 3))
        typed = [self.type_line(name) for _ in range(self.random.randint(1, 3))]
        kind = self.random.choice(("insert", "insert", "delete", "rewrite", "within", "within", "move", "indent"))
        if kind == "insert":
            return lines[:first] + typed + lines[first:]
        if kind == "delete" and len(lines) > 5:
            return lines[:first] + lines[last:]
        if kind == "within":
            edited = [f"{line} {self.type_word(name)}" for line in lines[first : first + 1]]
            return lines[:first] + edited + lines[first + 1 :]
        if kind == "move":
            rest = lines[:first] + lines[last:]
            place = self.random.randint(0, len(rest))
            return rest[:place] + lines[first:last] + rest[place:]
        if kind == "indent" and self.chance(0.3):
            return [f"  {line}" if line else line for line in lines]
        return lines[:first] + typed + lines[last:]

    def write(self, name: str, path: str, lines: list[str]) -> None:
        old = self.tree[path]
        for kind, first, last, _, _ in SequenceMatcher(None, old, lines, autojunk=False).get_opcodes():
            if kind != "equal":
                for line in old[first:last]:
                    self.removers.setdefault((path, line), set()).add(name)
        self.tree[path] = lines
        self.repo.write(path, join(lines))

    # The person.

    def act_person(self) -> None:
        path = self.random.choice(PATHS)
        if self.chance(0.85):
            self.write(PERSON, path, self.change(PERSON, self.tree[path]))
        elif self.chance(0.5):
            self.repo.git("add", path)
        else:
            self.commit_all()

    def commit_all(self) -> None:
        self.repo.git("commit", "-q", "--allow-empty", "-am", "chore: all")
        self.publish()

    def publish(self) -> None:
        for path in PATHS:
            self.public.update(self.repo.git("show", f"HEAD:{path}").split())

    # Agents.

    def tell(self, use: Callable[[Ledger], None]) -> None:
        """Let the ledger be told something, in a process that may be killed; or not at all."""
        if self.chance(self.settings.missing):
            return
        agent = next(iter(self.agents.values()))
        if not self.chance(self.settings.kills):
            with Ledger(agent.repository) as ledger:
                use(ledger)
            return
        child = os.fork()
        if not child:
            try:
                with Ledger(agent.repository) as ledger:
                    use(ledger)
            finally:
                os._exit(0)
        time.sleep(self.random.random() * 0.03)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.counts["kills"] += 1

    def interrupt(self, name: str, path: str) -> None:
        if self.chance(self.settings.between):
            other = self.random.choice([PERSON, *self.agents])
            if other != name:
                self.write(other, path, self.change(other, self.tree[path]))

    def use_shell(self, name: str) -> None:
        path = self.random.choice(PATHS)
        self.tell(lambda ledger: ledger.before_shell(name))
        self.write(name, path, self.change(name, self.tree[path]))
        self.interrupt(name, path)
        self.tell(lambda ledger: ledger.after_shell(name) and None)

    def use_tool(self, name: str) -> None:
        path = self.random.choice(PATHS)
        place, self.number = path.encode(), self.number + 1
        call = f"call {self.number}"
        old = self.tree[path]
        if self.chance(self.settings.old_read):
            old = self.reads.get((name, path), old)
        new = self.change(name, old)
        edit = self.find_edit(old, new)
        if isinstance(edit, NewContent):
            with Ledger(self.agents[name].repository) as ledger:
                ledger.look(place)
        self.tell(lambda ledger: ledger.before_edit(name, place, call))
        self.interrupt(name, path)
        before = join(self.tree[path])
        try:
            after = (apply_edit(before.encode(), edit) or b"").decode().splitlines()
        except ValueError:
            return
        if isinstance(edit, NewContent):
            self.told.setdefault((name, path), set()).update(set(after) - set(self.tree[path]))
        self.write(name, path, after)
        self.reads[name, path] = after
        self.interrupt(name, path)
        original = FoundContent(before.encode()) if self.chance(0.5) else None
        self.tell(lambda ledger: ledger.after_edit(name, place, call, edit, original=original))

    def find_edit(self, old: list[str], new: list[str]) -> ToolEdit:
        """Return the edit of a tool that makes `new` of `old`: of the whole file, or of the lines that differ."""
        first = last = 0
        shorter = min(len(old), len(new))
        while first < shorter and old[first] == new[first]:
            first += 1
        while last < shorter - first and old[-1 - last] == new[-1 - last]:
            last += 1
        first = max(0, first - self.random.randint(0, 2))
        replaced = join(old[first : len(old) - last])
        if self.chance(0.15) or join(old).count(replaced) != 1:
            return NewContent(join(new))
        return Replacement(replaced, join(new[first : len(new) - last]))

    # Commits.

    def commit_session(self, name: str) -> None:
        self.check_guard(name)
        head, status, states = self.repo.git("rev-parse", "HEAD").strip(), self.read_status(), self.list_states()
        agent = self.agents[name]
        if agent.commit(message="docs: edit lines").status != DONE:
            return
        self.counts["commits"] += 1
        self.judge(name, head)
        if not self.settings.person and self.repo.git("status", "--porcelain"):
            self.faults.append("lines of the only agent are left")
        if not self.chance(self.settings.undone):
            self.publish()
            return
        agent.undo()
        if (self.repo.git("rev-parse", "HEAD").strip(), self.read_status()) != (head, status):
            self.faults.append("an undo has left something else")
        if self.list_states() != states:
            self.faults.append("an undo has not given the lines back")

    def judge(self, name: str, head: str) -> None:
        """Find lines that only another typed, and removals that the session never made, in the commit after `head`."""
        for path in PATHS:
            old, new = (Counter(self.repo.git("show", f"{commit}:{path}").splitlines()) for commit in (head, "HEAD"))
            self.counts["lines"] += (new - old).total()
            for line in new - old:
                words = [word for word in line.split() if word not in self.public and word not in EQUAL]
                is_told = line in self.told.get((name, path), ())
                if not is_told and any(word.rstrip("0123456789") != name for word in words):
                    self.faults.append(f"{name} commits '{line}' in {path}")
            for line in old - new:
                if line.strip() not in EQUAL and name not in self.removers.get((path, line), ()):
                    self.faults.append(f"{name} removes '{line}' from {path}")

    def check_guard(self, name: str) -> None:
        with Ledger(self.agents[name].repository) as ledger:
            known = ledger.list_foreign_paths(name)
        for path in PATHS:
            words = {word for line in self.tree[path] for word in line.split()} - self.public - set(EQUAL)
            if any(word.rstrip("0123456789") != name for word in words) and path.encode() not in known:
                self.faults.append(f"{name} is not told of lines of others in {path}")

    def read_status(self) -> str:
        return self.repo.git("status", "--porcelain") + self.repo.git("ls-files", "--stage")

    def list_states(self) -> list[object]:
        """Return what each session would commit, unordered: no undo knows where among new lines a deleted one stood."""
        states: list[object] = []
        for name, agent in self.agents.items():
            for file in agent.files():
                lines = self.repo.git("show", file.composed.oid).splitlines() if file.composed else []
                states.append((name, file.path, sorted(lines)))
        return states


def join(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@rows("kind", *KINDS)
def test_commits_have_a_sessions_lines_alone(kind: str, tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(repeat(fast=1, full=4)):
        run = Simulation(Repo.init(tmp_path / f"{kind}{seed}"), seed, KINDS[kind])
        run.run()
        assert run.faults == [], seed
        counts += run.counts
    assert counts["commits"] > 0
    assert counts["lines"] > 0
    assert (counts["kills"] > 0) == (kind == "killed")
