"""Draws commits of people from the histories of projects, with what each of them changed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from smartcommit.git.repo import Repository

NEWEST = 4000  # commits of a project to draw from
FILES = 40
PATCH_LIMIT = 400_000  # bytes of a commit's patch
SPARE = 6  # commits to make false messages of for each drawn one

BOT = re.compile(r"\[bot\]|\bbot\b|-bot@|renovate|dependabot|greenkeeper|github-actions|autofix|crowdin|weblate", re.I)
# Messages that say nothing of their own: releases, merges, fixups.
EMPTY = re.compile(
    r"merge\b|release\b|chore\(release\)|v?\d+\.\d+|fixup!|squash!|wip\b|bump version|update changelog|prepare ", re.I
)
HEADER = re.compile(r"(?P<type>[a-zA-Z]+)(?P<scope>\([^()]*\))?(?P<breaking>!)?: +(?P<rest>\S.*)")
TRAILER = re.compile(r"[A-Z][A-Za-z-]+(?:-by|-By|-Id): .*|\(cherry picked from .*|(?:Fixes|Closes|Refs?):? #?\d.*")
# Code, paths and options, which can be looked up in a change.
SHAPED = re.compile(
    r"`[^`\n]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\w\(\)|(?<!\S)--[a-z]|\w/\w|\w\.\w{2}"
)


@dataclass(frozen=True)
class ChangedFile:
    """A path of a change; `status` is git's letter, `old_path` what it was renamed or copied from, or empty."""

    status: str
    path: str
    old_path: str = ""


@dataclass
class RealCommit:
    """A commit of a person: its message, and its change against its parent (`patch` is git's text)."""

    project: str
    directory: str
    oid: str
    message: str
    files: list[ChangedFile] = field(default_factory=list)
    patch: str = ""

    @property
    def header(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0]

    @property
    def body(self) -> str:
        """The message after its first line, without lines that name people or issues."""
        return strip_trailers(self.message.partition("\n")[2])

    @property
    def paths(self) -> set[str]:
        """All paths of the change, old and new."""
        return {path for file in self.files for path in (file.path, file.old_path) if path}

    @cached_property
    def added(self) -> list[str]:
        """The added lines, without their signs."""
        return list(self._lines("+"))

    @cached_property
    def removed(self) -> list[str]:
        """The removed lines, without their signs."""
        return list(self._lines("-"))

    @cached_property
    def context(self) -> list[str]:
        """The lines around those that changed."""
        return list(self._lines(" "))

    @cached_property
    def added_text(self) -> str:
        """The added lines and the paths that are new."""
        return "\n".join([*self.added, *(file.path for file in self.files if file.status in "ARC")])

    @cached_property
    def removed_text(self) -> str:
        """The removed lines and the paths that are gone."""
        gone = [file.old_path or file.path for file in self.files if file.status in "DR"]
        return "\n".join([*self.removed, *gone])

    @property
    def can_be_looked_up(self) -> bool:
        """Whether the message has a body or names code."""
        return bool(self.body) or bool(SHAPED.search(self.header))

    def _lines(self, sign: str) -> Iterator[str]:
        within = False
        for line in self.patch.split("\n"):
            if line.startswith("diff --git "):
                within = False
            elif line.startswith("@@ "):
                within = True
            elif within and line.startswith(sign):
                yield line[1:]


def open_repository(directory: str) -> Repository:
    """Return the repository of a git directory, bare or not."""
    return Repository(worktree=directory, git_dir=directory, common_dir=directory, object_format="sha1")


def draw_commits(directory: str, each: int, seed: int) -> tuple[list[RealCommit], list[RealCommit]]:
    """Return `each` commits of a project, at least half of which can be looked up, and more to make messages false."""
    repository = open_repository(directory)
    listed = list(list_commits(repository, directory))
    random.Random(f"{seed} {directory.strip('/').split('/')[-1]}").shuffle(listed)
    with_patch = list(read_patches(repository, listed[: each * (SPARE + 2)]))
    drawn: list[RealCommit] = []
    spare: list[RealCommit] = []
    plain = 0
    for commit in with_patch:
        fits = commit.can_be_looked_up or plain < each // 2
        if len(drawn) == each or not fits:
            spare.append(commit)
            continue
        drawn.append(commit)
        plain += not commit.can_be_looked_up
    return drawn, spare


def list_commits(repository: Repository, directory: str) -> Iterator[RealCommit]:
    """Yield the commits of people that say something and change some files, newest first, without their patches."""
    project = directory.rstrip("/").removesuffix("/repo").removesuffix("/.git").rsplit("/", 1)[-1].replace("+", "/")
    form = "--format=%x01%x02%H%x02%P%x02%an %ae %cn%x02%B%x03"
    output = repository.run("log", "--no-merges", f"--max-count={NEWEST}", form, "--raw", "--no-renames")
    for record in output.decode("utf-8", "replace").split("\x01\x02")[1:]:
        head, _, raw = record.partition("\x03")
        oid, parents, people, text = head.split("\x02", 3)
        files = sum(line.startswith(":") for line in raw.splitlines())
        message = text.strip()
        if parents and 1 <= files <= FILES and not BOT.search(people) and says_something(message):
            yield RealCommit(project, directory, oid, message)


def strip_trailers(text: str) -> str:
    """Return a message without lines that name people or issues."""
    lines = [line.rstrip() for line in text.strip().splitlines() if not TRAILER.fullmatch(line.strip())]
    return "\n".join(lines).strip()


def says_something(message: str) -> bool:
    """Whether the first line has at least three words of its own."""
    header = message.partition("\n")[0]
    match = HEADER.match(header)
    rest = match["rest"] if match else header
    return len(re.findall(r"[^\W\d]{2,}", rest)) >= 3 and not EMPTY.match(header) and not EMPTY.match(rest)


def read_patches(repository: Repository, commits: Iterable[RealCommit]) -> Iterator[RealCommit]:
    """Yield the commits with their files and patches, by one process, if there are lines and they are not too many."""
    by_oid = {commit.oid: commit for commit in commits}
    output = repository.run(
        "diff-tree", "--stdin", "-r", "-p", "--raw", "-M", "--no-color", "--no-ext-diff", "--no-textconv",
        stdin="".join(f"{oid}\n" for oid in by_oid).encode(),
    )  # fmt: skip
    records = re.split(r"^([0-9a-f]{40})\n", output.decode("utf-8", "replace"), flags=re.MULTILINE)
    for oid, record in zip(records[1::2], records[2::2], strict=True):
        raw, _, patch = record.partition("\n\n")
        if "\n@@ " in patch and len(patch) <= PATCH_LIMIT:
            commit = by_oid[oid]
            commit.files = [parse_raw(line) for line in raw.splitlines() if line.startswith(":")]
            commit.patch = patch
            yield commit


def parse_raw(line: str) -> ChangedFile:
    """Return the file of a line of git's raw format."""
    fields = line.split("\t")
    status = fields[0].split(" ")[4][0]
    if len(fields) == 3:
        return ChangedFile(status, fields[2], fields[1])
    return ChangedFile(status, fields[1])
