"""A real repository whose files, index and HEAD are known by the identity of each line."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from tests.session.simulation.lines import SOMEBODY, Line, Version, entries, find_changed, find_same, keep_order

ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}
Files = dict[str, Version]


class World:
    """The repository and the truth about it.

    `tree`, `index` and `head` hold the files of the working tree, the index and HEAD. `bringers` says who put a line
    into a path last, `removers` all who ever took it away, the last one last. `crossed` has the texts of committed
    lines that somebody's moves in a path went across, since those may as well be what was moved. Paths in `windows`
    have CRLF in the working tree; those in `converted` are LF in git.
    """

    def __init__(self, root: Path, windows: set[str], converted: set[str]) -> None:
        self.root = root
        self.windows, self.converted = windows | converted, converted
        self.tree: Files = {}
        self.index: Files = {}
        self.head: Files = {}
        self.bringers: dict[tuple[str, Line], str] = {}
        self.removers: dict[tuple[str, Line], list[str]] = {}
        self.crossed: dict[tuple[str, str], set[str]] = {}
        self.same: dict[str, tuple[Version | None, Version | None, dict[Line, Line]]] = {}
        root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, data: bytes | None = None, index: Path | None = None) -> str:
        environment = {**os.environ, **ENVIRONMENT}
        if index is not None:
            environment["GIT_INDEX_FILE"] = str(index)
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment, input=data, capture_output=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"git {arguments}: {done.stderr.decode()}")
        return done.stdout.decode()

    def read_head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def ending(self, path: str) -> str:
        return "\r\n" if path in self.windows else "\n"

    def raw(self, path: str, version: Version) -> bytes:
        return version.text(self.ending(path)).encode()

    def stored(self, path: str, version: Version) -> bytes:
        return version.text("\n" if path in self.converted else self.ending(path)).encode()

    def object_id(self, path: str, version: Version) -> str:
        data = self.stored(path, version)
        return hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()

    def find_same(self, path: str) -> dict[Line, Line]:
        """Return the lines of the working tree that are as good as lines of HEAD, with those."""
        base, now = self.head.get(path), self.tree.get(path)
        known = self.same.get(path)
        if known is None or known[0] is not base or known[1] is not now:
            pairs = find_same(entries(base)[1:], entries(now)[1:])
            if base and now and base.entry is not now.entry and base.mode == now.mode:
                pairs[now.entry] = base.entry
            known = self.same[path] = (base, now, pairs)
        return known[2]

    def write(self, path: str, version: Version | None, actor: str, *, replaced: bool = False) -> None:
        """Make a file's content what `actor` made it; `replaced` is whether by a new file renamed over it."""
        self.change(path, version, actor)
        version = self.tree.get(path)
        file = self.root / path
        if version is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(exist_ok=True)
        target = file.with_name(file.name + "~") if replaced else file
        target.write_bytes(self.raw(path, version))
        target.chmod(0o755 if version.mode == "100755" else 0o644)
        if replaced:
            target.replace(file)

    def change(self, path: str, version: Version | None, actor: str) -> None:
        if version is not None:
            version = keep_order(version, self.head.get(path), actor)
        same = self.find_same(path)
        before, after = set(entries(self.tree.get(path))), set(entries(version))
        for line in before - after:
            self.removers.setdefault((path, line), []).append(actor)
            if line in same:
                self.removers.setdefault((path, same[line]), []).append(actor)
        head = set(entries(self.head.get(path)))
        for line in after - before - head:
            self.bringers[path, line] = actor
            # It may have been committed since the edit was made.
            if line.before is not None and line.before.committed and not line.committed:
                line.authors = frozenset({actor})
        self.note_crossed(path, self.tree.get(path), version, actor)
        put(self.tree, path, version)
        # What is as good as a line of HEAD is public as well.
        for line in self.find_same(path):
            line.committed = True

    def note_crossed(self, path: str, old: Version | None, new: Version | None, actor: str) -> None:
        if old is None or new is None:
            return
        first, old_end, new_end = find_changed(old.lines, new.lines)
        before = {line.text for line in old.lines[first:old_end] if line.committed}
        after = {line.text for line in new.lines[first:new_end]}
        self.crossed.setdefault((path, actor), set()).update(before & after)

    def note_removed(self, path: str, seen: Version | None, version: Version | None, actor: str) -> None:
        """Note what `actor` took out of a content that was `seen` before, by writing the whole file."""
        for line in set(entries(seen)) - set(entries(version)) - set(entries(self.tree.get(path))):
            self.removers.setdefault((path, line), []).append(actor)

    def forget_part(self, path: str, session: str) -> None:
        """Note that the part of a session in lines of several is committed, in another reading than the truth."""
        for line in entries(self.tree.get(path)):
            if len(line.authors) > 1:
                line.authors -= {session}

    def set_head(self, head: Files) -> None:
        for version in head.values():
            for line in entries(version):
                line.committed = True
        self.head = dict(head)
        for path in [path for path in self.tree if path in head]:
            before = set(self.tree[path].lines)
            self.tree[path] = keep_order(self.tree[path], head[path], SOMEBODY)
            for line in before - set(self.tree[path].lines):
                self.removers.setdefault((path, line), []).append(SOMEBODY)

    def owners(self, path: str, line: Line) -> frozenset[str]:
        return frozenset({self.bringers.get((path, line), SOMEBODY)}) if line.committed else line.authors

    def find_removers(self, path: str, line: Line) -> list[str]:
        return self.removers.get((path, line), [])

    def list_removed(self, path: str) -> list[Line]:
        return [line for place, line in self.removers if place == path]

    def commit(self, *arguments: str) -> None:
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "work", *arguments)

    def commit_index(self) -> None:
        self.commit()
        self.set_head(self.index)

    def commit_paths(self, paths: list[str]) -> None:
        self.commit("--", *paths)
        for path in paths:
            put(self.index, path, self.tree.get(path))
        head = dict(self.head)
        for path in paths:
            put(head, path, self.tree.get(path))
        self.set_head(head)

    def add_all(self) -> None:
        self.git("add", "-A")
        self.index = dict(self.tree)

    def stage(self, path: str, version: Version | None) -> None:
        if version is None:
            self.git("update-index", "--force-remove", path)
        else:
            name = self.git("hash-object", "-w", "--stdin", data=self.stored(path, version)).strip()
            self.git("update-index", "--add", "--cacheinfo", f"{version.mode},{name},{path}")
        put(self.index, path, version)

    def checkout(self, path: str, actor: str) -> None:
        self.git("checkout", "-q", "--", path)
        self.change(path, self.index[path], actor)

    def find_faults(self) -> list[str]:
        faults = []
        for path, version in self.tree.items():
            file = self.root / path
            if not file.is_file() or file.read_bytes() != self.raw(path, version):
                faults.append(f"{path} has lost its content in the working tree")
            elif bool(file.stat().st_mode & 0o100) != (version.mode == "100755"):
                faults.append(f"{path} has lost its mode")
        for path in {*self.head, *self.index} - set(self.tree):
            if (self.root / path).exists():
                faults.append(f"{path} is back in the working tree")
        return faults

    def find_git_faults(self) -> list[str]:
        faults = []
        index = {}
        for row in self.git("ls-files", "-s").splitlines():
            meta, _, path = row.partition("\t")
            mode, name, _stage = meta.split()
            index[path] = (mode, name)
        head = {}
        for row in self.git("ls-tree", "-r", "HEAD").splitlines():
            meta, _, path = row.partition("\t")
            mode, _kind, name = meta.split()
            head[path] = (mode, name)
        for title, found, files in (("the index", index, self.index), ("HEAD", head, self.head)):
            expected = {path: (version.mode, self.object_id(path, version)) for path, version in files.items()}
            faults += [f"{title}: {path}" for path in {*found, *expected} if found.get(path) != expected.get(path)]
        return faults


def put(files: Files, path: str, version: Version | None) -> None:
    if version is None:
        files.pop(path, None)
    else:
        files[path] = version


def is_equal(world: World, path: str, some: Files, others: Files) -> bool:
    one, other = some.get(path), others.get(path)
    if one is None or other is None:
        return one is other
    return one.mode == other.mode and world.stored(path, one) == world.stored(path, other)
