"""Laws of a split over random repositories: no byte lost, no empty commit, whatever the order."""

import os
import random
import shutil
import tempfile
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.profile import examples
from tests.support.repository import Repo
from tests.support.situations_split import contents
from tests.support.splitting import add_all_tree, assert_line, head_of, run_shuffled, status_of

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

LINES = st.sampled_from(
    [
        b"\n", b"a\n", b"b\n", b"}\n", b"\r\n", b"a\r\n", b"a\rb\n", b" \n", b"\t\n", b"-\n", b"+\n", b"From x\n",
        b"@@ -1 +1 @@\n", b"--- a/x\n", b"+++ b/x\n", b"\\ No newline at end of file\n", b"diff --git a/x b/x\n",
        b"\xff\xfe\n", b"\xc3\xa9\n", b"Subproject commit 0\n",
    ]
)  # fmt: skip
ENDS = st.sampled_from([b"", b"", b"last", b"\r", b"\xff"])
CONTENTS = st.one_of(
    st.tuples(st.lists(LINES, max_size=25), ENDS).map(lambda parts: b"".join(parts[0]) + parts[1]),
    st.just(b""),
    st.binary(max_size=40).map(lambda data: b"\0" + data),
)
NAMES = st.sampled_from(
    [b"a", b"b", b"A", b"d/a", b"d/b", b"d/e/f", b"e", b"e/x", b'q"', b"n\nl", b" s ", b"-x", b"\xe9"]
)
FILES = st.dictionaries(
    NAMES, st.tuples(CONTENTS, st.sampled_from(["file", "file", "file", "run", "link"])), max_size=6
)


def put(root: Path, files: dict[bytes, tuple[bytes, str]]) -> None:
    """Make `files` all there is below `root`; a name that is in the way of an earlier one is left out."""
    for entry in root.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    for name, (content, kind) in files.items():
        path = root / os.fsdecode(name)
        if any(parent.is_symlink() or parent.is_file() for parent in path.parents) or path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            os.symlink(os.fsencode(content.replace(b"\0", b"0")[:50] or b"nowhere"), path)
        else:
            path.write_bytes(content)
            path.chmod(0o755 if kind == "run" else 0o644)


def blend(base: dict[bytes, tuple[bytes, str]], other: dict[bytes, tuple[bytes, str]], chance: random.Random) -> None:
    """Give some of the files in `base` some of the lines of the files in `other`, so that most changes are small."""
    pool = [line for content, _ in other.values() for line in content.splitlines(keepends=True)] or [b"x\n"]
    for name, (content, kind) in list(base.items()):
        lines = content.splitlines(keepends=True)
        for _ in range(chance.randrange(4)):
            at = chance.randrange(len(lines) + 1)
            lines[at : at + chance.randrange(3)] = chance.sample(pool, min(len(pool), chance.randrange(3)))
        base[name] = (b"".join(lines), chance.choice([kind, kind, kind, "run"]))


@examples(200, fast=25)
@given(first=FILES, staged=FILES, last=FILES, born=st.booleans(), seed=st.integers(0, 2**32))
def test_nothing_is_lost_and_no_commit_is_empty(
    first: dict[bytes, tuple[bytes, str]],
    staged: dict[bytes, tuple[bytes, str]],
    last: dict[bytes, tuple[bytes, str]],
    born: bool,
    seed: int,
) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(folder) / "repo", "--template=")
        if born:
            put(repo.path, first)
            repo.git("add", "-A")
            repo.commit()
        if chance.random() < 0.5:
            put(repo.path, staged)
            repo.git("add", "-A")
        if chance.random() < 0.7:
            last = {**first, **({} if chance.random() < 0.5 else last)}
            blend(last, staged, chance)
        put(repo.path, last)
        expected, old, files = add_all_tree(repo), head_of(repo), contents(repo.path)
        assume(expected != (repo.git("rev-parse", "HEAD^{tree}").strip() if old else EMPTY_TREE))
        count = run_shuffled(repo, chance)
        assert repo.git("rev-parse", "HEAD^{tree}").strip() == expected
        assert len(assert_line(repo, old)) == count
        assert contents(repo.path) == files
        assert status_of(repo) == ""
        assert repo.run("fsck", "--strict", "--no-dangling").returncode == 0
