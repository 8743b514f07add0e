"""States a repository can be in when a commit is made: each function brings a bench into one of them."""

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.support.precommit import CONFIG
from tests.support.recording import Outcome, Recorder
from tests.support.repository import Repo


class Bench:
    """One repository with the hook in it, and what else a situation needs: it may put another repository in its place.

    What is to be committed has to do with zebras; a walrus is what must not be mentioned.
    """

    def __init__(self, path: Path, proper: Path, files: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.repo = Repo.init(path / "repo")
        self.recorder = Recorder(path / "record", proper)
        self.recorder.install(self.repo)
        self.env: dict[str, str] = {}
        self.cwd: Path | None = None
        own = {CONFIG: "repos: []\n", "src/kept.py": "def kept():\n    return 1\n", "shared.txt": "shared\n"}
        self.repo.commit("chore: base", {**own, **(files or {})})

    def run(self, *command: str | bytes, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> Outcome:
        return self.recorder.run(self.repo, *command, env={**self.env, **(env or {})}, stdin=stdin, cwd=self.cwd)

    def recorded(self) -> bytes:
        return self.repo.run("log", "-1", "--format=%B", env=self.env).stdout

    def clone(self, name: str, *options: str) -> Repo:
        self.repo.git("clone", "-q", *options, f"file://{self.repo.path}", str(self.path / name))
        clone = Repo(self.path / name)
        self.recorder.install(clone)
        return clone


# A commit past every hook, one on a branch beside `main`, and what the next commit is about.
PRELUDE = """
save() { echo "$3" >"$2"; git add "$2"; git -c core.hooksPath=/dev/null commit -qm "$1"; }
side() { git checkout -qb side; save 'feat: side' "$@"; git checkout -q main; }
stage() { mkdir -p src; printf 'def zebra_stripes():\\n    return 7\\n' >src/zebra.py; git add src/zebra.py; }
"""


def script(lines: str) -> Callable[[Bench], None]:
    """Run `lines` of a shell in the repository."""

    def arrange(bench: Bench) -> None:
        subprocess.run(["sh", "-ec", PRELUDE + lines], cwd=bench.repo.path, check=True)

    return arrange


staged = script("stage")
unborn = script("git checkout -q --orphan first; stage")
amendable = script("save 'feat: amendable' amendable.txt 1; stage")
two_commits = script("save 'feat: first' first.txt 1; save 'feat: second' second.txt 2")
side_ahead = script("side side.txt side")
side_branch = script("side side.txt side; save 'feat: main' main.txt main")
mailed_patch = script("side mailed.txt 1; git format-patch -1 --stdout side >../patch")
three_picks = script(
    "save 'feat: main' main.txt main; git checkout -qb side HEAD~1; "
    "save 'feat: pick 0' 0.txt 0; save 'feat: pick 1' 1.txt 1; save 'feat: pick 2' 2.txt 2"
)
stopped_for_edit = script(
    "save 'feat: first' first.txt 1; git -c sequence.editor='sed -i s/^pick/edit/' rebase -q -i HEAD~1; stage"
)


def conflict(command: str) -> Callable[[Bench], None]:
    """`side` and the current branch change the same line; COMMAND meets the conflict, which is resolved and staged."""
    return script(
        "side shared.txt side; save 'feat: main line' shared.txt main; "
        f"if git {command}; then exit 1; fi; echo both >shared.txt; git add shared.txt"
    )


def after(arrange: Callable[[Bench], None], *command: str) -> Callable[[Bench], None]:
    def arranged(bench: Bench) -> None:
        arrange(bench)
        bench.repo.git(*command)

    return arranged


def staged_and_another(bench: Bench) -> None:
    bench.repo.write("src/kept.py", "def kept():\n    return 'zebra'\n")
    bench.repo.stage({"walrus.py": "def tusks():\n    return 2\n"})


def unstaged(bench: Bench) -> None:
    bench.repo.write("src/kept.py", "def kept():\n    return 'zebra'\n")
    bench.repo.write("walrus.py", "untracked\n")


def nothing(bench: Bench) -> None:
    pass


def message_file(text: str | bytes) -> Callable[[Bench], None]:
    def arrange(bench: Bench) -> None:
        staged(bench)
        (bench.path / "message").write_bytes(text.encode() if isinstance(text, str) else text)

    return arrange


def upstream_ahead(bench: Bench) -> None:
    upstream = bench.clone("upstream")
    upstream.commit("feat: upstream", {"upstream.txt": "1\n"})
    bench.repo.git("remote", "add", "origin", str(upstream.path))
    bench.repo.commit("feat: ours", {"ours.txt": "1\n"})


def linked_worktree(bench: Bench) -> None:
    bench.repo.git("worktree", "add", "-q", "-b", "linked", str(bench.path / "linked"))
    bench.repo = Repo(bench.path / "linked")
    staged(bench)


def _with_submodule(bench: Bench) -> Repo:
    bench.clone("library")
    bench.repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(bench.path / "library"), "sub"
    )
    bench.repo.commit("build: add the library")
    bench.recorder.install(bench.repo, bench.repo.path / ".git" / "modules" / "sub" / "hooks")
    return Repo(bench.repo.path / "sub")


def inside_submodule(bench: Bench) -> None:
    bench.repo = _with_submodule(bench)
    staged(bench)


def moved_submodule(bench: Bench) -> None:
    _with_submodule(bench).commit("feat: count stripes", {"zebra.py": "stripes = 7\n"})
    bench.repo.git("add", "sub")


def subdirectory(bench: Bench) -> None:
    staged(bench)
    bench.cwd = bench.repo.path / "src"


def separate_git_dir(bench: Bench) -> None:
    """A bare repository and a folder that has no `.git`, joined by the environment."""
    bare = bench.path / "bare.git"
    bench.repo.git("clone", "-q", "--bare", str(bench.repo.path), str(bare))
    bench.recorder.install(bench.repo, bare / "hooks")
    tree = bench.path / "tree"
    tree.mkdir()
    bench.env = {"GIT_DIR": str(bare), "GIT_WORK_TREE": str(tree)}
    bench.cwd = tree
    assert bench.repo.run("checkout", "-q", "-f", env=bench.env, cwd=tree).returncode == 0
    (tree / "zebra.py").write_text("stripes = 7\n")
    assert bench.repo.run("add", "zebra.py", env=bench.env, cwd=tree).returncode == 0


def hooks_path(bench: Bench) -> None:
    """As husky sets it up: hooks in a tracked folder of the working tree."""
    bench.recorder.install(bench.repo, bench.repo.path / ".husky")
    shutil.rmtree(bench.repo.path / ".git" / "hooks")
    bench.repo.git("config", "core.hooksPath", ".husky")
    staged(bench)


def odd_path(bench: Bench) -> None:
    path = bench.path / "mit Löchern 'und' \"mehr\"" / "repo"
    path.parent.mkdir()
    bench.repo.path.rename(path)
    bench.repo = Repo(path)
    staged(bench)


def sha256(bench: Bench) -> None:
    old = bench.repo
    bench.repo = Repo.init(bench.path / "sha256", "--object-format=sha256")
    bench.recorder.install(bench.repo)
    bench.repo.commit(files={CONFIG: (old.path / CONFIG).read_text()})
    staged(bench)


def shallow(bench: Bench) -> None:
    two_commits(bench)
    bench.repo = bench.clone("shallow", "--depth=1")
    staged(bench)


def sparse_index(bench: Bench) -> None:
    bench.repo.commit("chore: more folders", {"outside/a.txt": "a\n", "elsewhere/b/c.txt": "c\n"})
    bench.repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "src")
    staged(bench)
    assert b"outside/\0" in bench.repo.run("ls-files", "--sparse", "-z").stdout


def partial_clone(bench: Bench) -> None:
    """A clone without old blobs whose origin is out of reach: whoever asks for one fails."""
    bench.repo.git("config", "uploadpack.allowFilter", "true")
    bench.repo.commit("chore: old file", {"old.txt": "old\n" * 50})
    bench.repo = bench.clone("partial", "--filter=blob:none")
    bench.repo.git("remote", "set-url", "origin", str(bench.path / "gone"))
    bench.repo.git("mv", "old.txt", "zebra.txt")
    staged(bench)


def symlink(bench: Bench) -> None:
    (bench.repo.path / "zebra").symlink_to("src/kept.py")
    bench.repo.git("add", "zebra")


def binary(bench: Bench) -> None:
    bench.repo.stage({"zebra.png": b"\x89PNG\0\xff\xfe" * 100})


def every_kind(bench: Bench) -> None:
    bench.repo.commit(
        "chore: more files", {f"{name}.txt": f"{name}\n" * 9 for name in ("mode", "old", "gone", "space")}
    )
    bench.repo.git("update-index", "--chmod=+x", "mode.txt")
    bench.repo.git("mv", "old.txt", "zebra.txt")
    bench.repo.git("rm", "-q", "gone.txt")
    bench.repo.stage({"space.txt": " space\r\n" * 9})
    binary(bench)
    symlink(bench)


ODD_NAMES: tuple[bytes, ...] = (
    "zoo/zebra-größe.py".encode(),
    b"zebra two\t.py",
    b"zebra\ntwo.py",
    b"zebra\"two'.py",
    b"-zebra.py",
    b":(top)*[zebra]?.py",
    b"zebra\xff\xfe.py",
    b"zebra\x1b[31m.py",
    b"#zebra.py",
)


def odd_names(*names: bytes) -> Callable[[Bench], None]:
    def arrange(bench: Bench) -> None:
        for name in names:
            bench.repo.write(name, "stripes = 7\n")
        bench.repo.git("--literal-pathspecs", "add", "-A")

    return arrange


HOSTILE_SETTINGS = {
    "diff.external": "false",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "color.ui": "always",
    "diff.orderFile": "/dev/null",
    "diff.renames": "false",
    "diff.zebra.textconv": "false",
    "core.pager": "false",
    "diff.ignoreSubmodules": "all",
    "core.quotePath": "true",
    "status.relativePaths": "false",
}


def configured(settings: Mapping[str, str]) -> Callable[[Bench], None]:
    def arrange(bench: Bench) -> None:
        for name, value in settings.items():
            bench.repo.git("config", name, value)
        bench.repo.write(".git/info/attributes", "*.py diff=zebra\n")
        staged(bench)

    return arrange
