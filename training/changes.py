"""Combines real commits into changes to split again: `python training/changes.py OUT.jsonl.gz GIT_DIRECTORY...`.

Consecutive commits of one author within two weeks, each with a conventional header, become one change, in which every
changed line is labeled with its commit. Source: the protocol of Flexeme (Partachi et al., FSE 2020). With `--sizes 1`
the changes are single commits.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from smartcommit.errors import GitError  # noqa: E402
from smartcommit.git.diff import ABSENT, REGULAR, FileChange, FileDiff, list_changes, read_diffs  # noqa: E402
from smartcommit.git.repo import Repository  # noqa: E402

# A conventional header; releases and reverts mix concerns.
HEADER = re.compile(r"(?!release|revert|merge)[a-z]+(?:\([^()]+\))?!?: +(?!.*\brelease\b)\S", re.IGNORECASE)
COMMITS = 3000  # the newest of a project that are examined
DAYS = 14
LARGEST_FILE = 150_000
PATCH_LIMIT = 1 << 26

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of a first-parent history; `time` is in seconds."""

    oid: str
    parents: list[str]
    author: str
    time: int
    header: str


@dataclass(slots=True)
class Labels:
    """The commits, by their positions, that added the lines of a file's new text and removed those of its old text.

    `lines` has the lines after the commits so far: the number in the old text, and the commit that added it or None.
    `removed` has the commit that removed a line, by its number in the old text.
    """

    lines: list[tuple[int, int | None]]
    removed: dict[int, int] = field(default_factory=dict)

    @property
    def added(self) -> dict[int, int]:
        """The commit that added a line, by its number in the new text."""
        added = {}
        for number, (_, commit) in enumerate(self.lines, start=1):
            if commit is not None:
                added[number] = commit
        return added

    def apply(self, diff: FileDiff, commit: int) -> None:
        """Update the lines by the diff of `commit`."""
        for hunk in reversed(diff.hunks):
            start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
            for number, earlier in self.lines[start : start + hunk.old_count]:
                if earlier is None:
                    self.removed[number] = commit
            self.lines[start : start + hunk.old_count] = [(0, commit)] * hunk.new_count


def main() -> None:
    """Write the changes of all projects."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("projects", nargs="+", metavar="GIT_DIRECTORY")
    parser.add_argument("--sizes", default="2,2,2,3,3,4", help="numbers of commits in a change, one of which is drawn")
    parser.add_argument("--each", type=int, default=25, help="changes per project")
    parser.add_argument("--files", type=int, default=25, help="maximum number of files in a change")
    parser.add_argument("--lines", type=int, default=600, help="maximum number of lines in a change")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with gzip.open(options.out, "wt", encoding="utf-8") as out:
        for directory in options.projects:
            count = 0
            for row in combine_commits(directory, options):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
            print(f"{directory}: {count} changes", flush=True)


def combine_commits(directory: str, options: argparse.Namespace) -> Iterator[Row]:
    """Yield at most `options.each` changes of a project; none shares a commit with another."""
    repository = Repository(worktree=directory, git_dir=directory, common_dir=directory, object_format="sha1")
    commits = read_commits(repository)
    chance = random.Random(options.seed)
    sizes = [int(size) for size in options.sizes.split(",")]
    starts = list(range(len(commits)))
    chance.shuffle(starts)
    used: set[str] = set()
    made = 0
    for start in starts:
        chain = commits[start : start + chance.choice(sizes)]
        if made == options.each:
            return
        if used.intersection(commit.oid for commit in chain) or not can_be_combined(chain):
            continue
        try:
            row = combine(repository, chain, options)
        except (GitError, UnicodeDecodeError):  # a blob is missing in a partial clone, or not text
            continue
        if row is not None:
            used.update(commit.oid for commit in chain)
            made += 1
            yield {"repo": directory, **row}


def read_commits(repository: Repository) -> list[Commit]:
    """Return the first-parent history of HEAD, oldest commit first."""
    output = repository.run(
        "log", "-z", "--first-parent", f"--max-count={COMMITS}", "--reverse", "--format=%H%x01%P%x01%ae%x01%at%x01%s"
    )
    commits = []
    for record in output.decode("utf-8", "replace").split("\0"):
        if record:
            oid, parents, author, time, header = record.split("\x01", 4)
            commits.append(Commit(oid, parents.split(), author, int(time), header))
    return commits


def can_be_combined(chain: Sequence[Commit]) -> bool:
    """Whether the commits are consecutive, of one person, and each about one thing."""
    if any(len(commit.parents) != 1 or not HEADER.match(commit.header) for commit in chain):
        return False
    for earlier, later in pairwise(chain):
        if later.parents != [earlier.oid] or later.author != earlier.author:
            return False
    return "bot" not in chain[0].author and chain[-1].time - chain[0].time <= DAYS * 86400


def combine(repository: Repository, chain: Sequence[Commit], options: argparse.Namespace) -> Row | None:
    """Return the change that the commits make together; None if it is too large, or has no line of one of them."""
    base, target = chain[0].parents[0], chain[-1].oid
    changes = list_changes(repository, base, target, renames=False)
    lines = sum((change.added or 0) + (change.deleted or 0) for change in changes)
    if not 1 <= len(changes) <= options.files or not 4 <= lines <= options.lines:
        return None
    for change in changes:
        if not {change.old_mode, change.new_mode} <= {*REGULAR, ABSENT}:
            return None
    labels = label_lines(repository, base, chain)
    files = []
    seen: set[int] = set()
    for change in changes:
        found = labels.get(change.path)
        if found is None:
            return None
        seen.update(found.added.values(), found.removed.values())
        files.append(describe_file(repository, change, found))
    if len(seen) < len(chain):
        return None
    return {"commits": [{"sha": commit.oid, "header": commit.header} for commit in chain], "files": files}


def label_lines(repository: Repository, base: str, chain: Sequence[Commit]) -> dict[bytes, Labels]:
    """Return the labels of each file that one of the commits changed, by its path."""
    found: dict[bytes, Labels] = {}
    before = base
    for number, commit in enumerate(chain):
        changes = list_changes(repository, before, commit.oid, renames=False)
        for diff in read_diffs(repository, before, commit.oid, changes, limit=PATCH_LIMIT):
            path = diff.change.path
            if path not in found:
                content = read_blob(repository, diff.change.old_id) or ""
                found[path] = Labels([(line, None) for line in range(1, count_lines(content) + 1)])
            found[path].apply(diff, number)
        before = commit.oid
    return found


def describe_file(repository: Repository, change: FileChange, labels: Labels) -> Row:
    """Return a file of a change: its texts and modes before and after, and the commit of each changed line."""
    return {
        "path": change.path.decode(),
        "old_mode": change.old_mode,
        "new_mode": change.new_mode,
        "old": read_blob(repository, change.old_id),
        "new": read_blob(repository, change.new_id),
        "added": labels.added,
        "removed": labels.removed,
    }


def read_blob(repository: Repository, oid: str) -> str | None:
    """Return the text of a blob, or None if `oid` is null.

    Raise GitError if it is binary or too large, and UnicodeDecodeError.
    """
    if not oid.strip("0"):
        return None
    content = repository.run("cat-file", "blob", oid)
    if len(content) > LARGEST_FILE or b"\0" in content:
        raise GitError("binary or too large", status=1)
    return content.decode()


def count_lines(content: str) -> int:
    return content.count("\n") + (content[-1:] not in ("", "\n"))


if __name__ == "__main__":
    main()
