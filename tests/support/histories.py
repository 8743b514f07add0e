"""Random histories: commits of every kind on a branch, other refs, and changes beside them that are not committed."""

import os
import random
import re
import subprocess
from pathlib import Path

from smartcommit.cli import git_smart_commit
from smartcommit.split.outcome import DONE
from tests.support.repository import Repo
from tests.support.situations_split import contents
from tests.support.splitting import head_of

WORDS = ("parse", "render", "cache", "token", "queue", "retry", "zebra", "stripe", "width", "limit", "owner", "batch")
NAMES = (
    "src/app.py", "src/lib/queue.py", "src/a b.js", "docs/readme.md", "notes", "data/n\nl.txt", 'data/q"u.txt', "-x.py",
    "tests/app_test.py", "caf\udce9.txt", "conf.toml", ":(top)x.py",
)  # fmt: skip
MESSAGES = (
    b"feat: add the %s\n", b"fix(core): keep the %s\n\nIt was lost.\n", b"wip %s\n", b"fixup! feat: add the %s\n",
    b"Update %s", b"docs: caf\xc3\xa9 of %s\n\n\nTicket: X-1\n", b"caf\xe9 %s\n", b"squash! %s\n\nmore\n", b"%s\r\nx\n",
    b"feat: \x1b[31m%s\x07\n", b"refactor!: rename the %s\n\nBREAKING CHANGE: yes\n",
)  # fmt: skip
AUTHORS = (
    b"Ada <ada@example.invalid> 1700000000 +0000", b"J\xf6rg <j@example.invalid> 1700000300 +0530",
    b"Zo\xc3\xab <zoe@example.invalid> 1600000000 -0800", b"bot[bot] <1+bot[bot]@example.invalid> 1800000000 +0000",
)  # fmt: skip
COMMITTER = b"Cora <cora@example.invalid> 1750000000 +0100"


class History:
    """A repository whose branch `main` has random commits since `start`; `chance` decides about everything."""

    def __init__(self, path: Path, chance: random.Random, *, commits: int = 5) -> None:
        self.repo = Repo.init(path, "--template=")
        self._chance = chance
        for name in chance.sample(NAMES, 5):
            self._put(name, self._lines(chance.randrange(3, 40)))
        self.commit(b"chore: base\n")
        self.repo.git("branch", "start")
        self.repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
        for _ in range(commits):
            for _ in range(chance.choice((0, 1, 1, 2, 2, 3))):
                self.change()
            # Few words, so that fixups have their commits.
            word = WORDS[WORDS.index(chance.choice(WORDS)) % 3].encode()
            self.commit(chance.choice(MESSAGES) % word, chance.choice(AUTHORS))
            if chance.random() < 0.2:
                self.repo.git("branch", "-f", f"other{chance.randrange(3)}", "HEAD")
        self.repo.git("tag", "-m", "v1", "v1", "HEAD")

    def commit(self, message: bytes, author: bytes = AUTHORS[0]) -> None:
        self.repo.git("add", "-A")
        tree = self.repo.git("write-tree").strip().encode()
        old = self.repo.run("rev-parse", "-q", "--verify", "HEAD").stdout.strip()
        parent = b"parent %s\n" % old if old else b""
        content = b"tree %s\n%sauthor %s\ncommitter %s\n\n%s" % (tree, parent, author, COMMITTER, message)
        oid = self.repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=content).strip()
        self.repo.git("update-ref", "HEAD", oid)

    def leave_uncommitted(self) -> None:
        """Make changes of which some are staged, some only announced, and some neither."""
        chance = self._chance
        for _ in range(chance.randrange(4)):
            self.change()
        if chance.random() < 0.7:
            self.repo.git("add", "-A")
        for _ in range(chance.randrange(4)):
            self.change()
        if chance.random() < 0.3:
            self._put("intended", ["x\n"])
            self.repo.git("add", "-N", "intended")
        if chance.random() < 0.3:
            first = self.repo.git("ls-files", "-z").split("\0")[0]
            self.repo.run("--literal-pathspecs", "update-index", "--assume-unchanged", os.fsencode(first))

    def move_to_worktree(self, path: Path) -> None:
        """Check out the branch in a linked worktree at `path`, which is the repository from then on."""
        self.repo.git("checkout", "-q", "--detach")
        self.repo.git("worktree", "add", "-q", str(path), "main")
        self.repo = Repo(path)

    def leave_only_in_index(self) -> None:
        """Leave what no commit reaches: staged contents, a link, resolved conflicts, an announced file; and notes."""
        chance, repo = self._chance, self.repo
        if chance.random() < 0.6:
            repo.git("config", "notes.rewriteRef", "refs/notes/*")
            for commit in repo.git("rev-list", "start..").split()[::2]:
                repo.git("notes", "add", "-f", "-m", f"of {commit}", commit)
        if chance.random() < 0.4:
            repo.write("announced.py", "x = 1\n")
            repo.git("add", "-N", "announced.py")
        if chance.random() < 0.4:
            repo.write("staged.py", "only = 'staged'\n")
            repo.git("add", "staged.py")
            repo.write("staged.py", "another = 1\n")
        if chance.random() < 0.4:
            repo.write("resolved.py", "both = 1\n")
            sides = [repo.git("hash-object", "-w", "--stdin", stdin=b"%d\n" % side).strip() for side in range(3)]
            stages = [f"100644 {oid} {stage}\tresolved.py\n" for stage, oid in enumerate(sides, start=1)]
            repo.git("update-index", "--index-info", stdin="".join(stages).encode())
            repo.git("add", "resolved.py")
        if chance.random() < 0.3:
            (repo.path / "linked").mkdir(exist_ok=True)
            repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.git('rev-parse', 'start').strip()},linked")
        if chance.random() < 0.3:
            repo.git("update-index", "--split-index")

    def edit_lines(self, times: int) -> None:
        for _ in range(times):
            texts = [path for path in self._files() if not path.is_symlink() and b"\0" not in path.read_bytes()]
            if texts:
                self._edit(self._chance.choice(texts))

    def change(self) -> None:
        """Change one file: its lines mostly, or its name, mode, line ends or kind."""
        chance, files = self._chance, self._files()
        kind = chance.choice(
            ("edit",) * 8 + ("new", "new", "delete", "rename", "mode", "binary", "ends", "link", "cut")
        )
        if kind == "new" or not files:
            self._put(f"new/{chance.choice(WORDS)}{chance.randrange(9)}.py", self._lines(chance.randrange(1, 12)))
            return
        path = chance.choice(files)
        if kind == "delete":
            path.unlink()
        elif kind == "rename":
            target = self.repo.path / "moved" / path.name
            target.parent.mkdir(exist_ok=True)
            path.rename(target)
        elif kind == "link":
            path.unlink()
            path.symlink_to(f"to {chance.choice(WORDS)}")
        elif path.is_symlink():
            path.unlink()
            path.write_bytes(b"no longer a link\n")
        elif kind == "mode":
            path.chmod(path.stat().st_mode ^ 0o111)
        elif kind == "binary":
            path.write_bytes(b"\0" + chance.randbytes(30))
        elif kind == "ends":
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        elif kind == "cut":
            path.write_bytes(path.read_bytes().rstrip(b"\n"))
        else:
            self._edit(path)

    def _edit(self, path: Path) -> None:
        chance = self._chance
        lines = path.read_bytes().splitlines(keepends=True)
        at = chance.randrange(len(lines) + 1)
        new = [line.encode() for line in self._lines(chance.randrange(3))]
        lines[at : at + chance.randrange(3)] = new
        path.write_bytes(b"".join(lines))

    def _lines(self, count: int) -> list[str]:
        chance = self._chance
        kinds = ("def {}_{}():\n", "    return {}({})\n", "{} = {}\n", "\n", "}}\n", "# {} {}\n")
        return [chance.choice(kinds).format(chance.choice(WORDS), chance.randrange(50)) for _ in range(count)]

    def _put(self, name: str, lines: list[str]) -> None:
        path = self.repo.path / name
        if path.is_symlink() or path.is_dir() or any(parent.is_file() for parent in path.parents):
            return
        self.repo.write(os.fsencode(name), "".join(lines))

    def _files(self) -> list[Path]:
        found = []
        for folder, folders, names in os.walk(self.repo.path):
            folders[:] = sorted(name for name in folders if name != ".git")
            found += [Path(folder) / name for name in sorted(names) if name != ".git"]
        return found


def read_state(repo: Repo) -> dict[str, object]:
    """All of a repository that only HEAD's branch may differ in afterwards, by what it is."""
    head = repo.run("symbolic-ref", "-q", "HEAD").stdout.rstrip(b"\n")
    refs = run_quietly(repo, "for-each-ref", "--format=%(objectname) %(refname)").split(b"\n")
    # git writes no size for a file that was changed in the instant in which the index was written.
    entries = re.sub(rb"size: .*", b"", run_quietly(repo, "ls-files", "--stage", "-v", "-f", "--debug", "-z"))
    return {
        "HEAD": head,
        "refs": [line for line in refs if line.partition(b" ")[2] != head],
        "status": run_quietly(repo, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"),
        "entries": entries,
        "files": contents(repo.path),
    }


def run_quietly(repo: Repo, *arguments: str) -> bytes:
    options = ("--no-optional-locks", "-c", "diff.autoRefreshIndex=false")
    return subprocess.run(["git", *options, *arguments], cwd=repo.path, capture_output=True, check=True).stdout


def assert_same(before: dict[str, object], after: dict[str, object], *, but: tuple[str, ...] = ()) -> None:
    for name, value in before.items():
        if name not in but:
            assert after[name] == value, name


def rewrite(repo: Repo, *arguments: str) -> int:
    """The status of `git smart-commit` that rewrites commits of `repo`."""
    return git_smart_commit([*arguments, "--yes", "--quiet", "--repo", str(repo.path)])


def assert_undone(repo: Repo, head: str, before: dict[str, object]) -> None:
    """Undo, and assert that HEAD and the state are what they were."""
    assert git_smart_commit(["undo", "--quiet", "--repo", str(repo.path)]) == DONE
    assert head_of(repo) == head
    assert_same(before, read_state(repo))
