"""Dirty working trees, each built in a repository of its own, by name: what a split must carry through unchanged."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from tests.support.repository import Repo

Situation = Callable[[Repo], None]
Files = Mapping[str, str | bytes]
Edits = Mapping[str, str | bytes | None]
SITUATIONS: dict[str, Situation] = {}

FORTY = "".join(f"line {number}\n" for number in range(40))


def situation(build: Situation) -> Situation:
    """Register `build`, which turns a repository with one commit into the situation that its name says."""
    SITUATIONS[build.__name__] = build
    return build


def edited(text: str, *numbers: int) -> str:
    lines = text.splitlines(keepends=True)
    for number in numbers:
        lines[number] = f"edited {number}\n"
    return "".join(lines)


TWICE = edited(FORTY, 3, 30)
BLOCK = "}\n\n}\n"
DATA = bytes(range(256)) * 8
CRLF, LATIN = FORTY.replace("\n", "\r\n"), "caf\xe9\n".encode("latin-1") * 9
DIFF = "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n\\ No newline at end of file\nSubproject commit 0\n"
NO_NEWLINE = {"both": "a\nb", "less": "a\nb\n", "more": FORTY + "last", "blank": "a\n\n\n"}
# What was committed, and what is written then: None removes a file.
EDITS: dict[str, tuple[Files, Edits]] = {
    "two_far_hunks": ({"a.txt": FORTY}, {"a.txt": TWICE}),
    "adjacent_block": ({"a.txt": FORTY}, {"a.txt": FORTY.replace("line 4\nline 5\nline 6\n", "4\n5\n6\nseven\n")}),
    "repeated_blocks": ({"a.txt": BLOCK * 30}, {"a.txt": BLOCK * 5 + "one\n" + BLOCK * 10 + "two\n" + BLOCK * 14}),
    "renamed": (
        {"old.txt": FORTY, "edited.txt": FORTY + "tail\n"},
        {"old.txt": None, "new.txt": FORTY, "edited.txt": None, "d/moved.txt": edited(FORTY + "tail\n", 2, 30)},
    ),
    "binary": (
        {"edit.bin": DATA, "gone.bin": DATA + b"1", "totext": DATA + b"2", "tobin": "text\n"},
        {"edit.bin": DATA + b"more", "new.bin": DATA[::-1], "gone.bin": None, "totext": "text\n", "tobin": DATA},
    ),
    "attributes_changed_with_content": (
        {"a.txt": CRLF, ".gitattributes": ""},
        {".gitattributes": "*.txt text eol=crlf\n", "a.txt": CRLF.replace("line 3\r", "three\r"), "b.txt": CRLF},
    ),
    "no_newline_at_the_end": (
        NO_NEWLINE, {"both": "c\nd", "less": "x\na\nb", "more": edited(FORTY, 3) + "last\nappended\n", "blank": "a\n"},
    ),
    "lines_that_imitate_a_diff": ({"a.txt": FORTY + DIFF}, {"a.txt": DIFF + FORTY + DIFF[::-1] + "\n" + DIFF}),
    "other_encodings": (
        {"latin": LATIN, "invalid": b"\xff\xfe\xfd\n" * 9},
        {"latin": b"x\n" + LATIN, "invalid": b"\xff\xfe\xfd\n" * 9 + b"\xc3\x28\n"},
    ),
    "one_very_long_line": ({"a": "x" * 2_000_000, "b": "y\n"}, {"a": "x" * 1_999_999 + "z"}),
    "repository_files_changed": (
        {}, {".gitignore": "*.o\n", ".gitattributes": "*.c text\n", "src/a.c": "int a;\n", "src/a.o": "x"},
    ),
}  # fmt: skip


# The same with settings of git, and commands of git between the two.
COMMANDS: dict[str, tuple[Mapping[str, str], Files, Sequence[str], Edits]] = {
    "everything_deleted": ({}, {}, ["rm -q -r ."], {}),
    "staged_rename": ({}, {"old.txt": FORTY}, ["mv old.txt new.txt"], {"other/file.txt": "x\n"}),
    "line_ends": (
        {"core.autocrlf": "false"},
        {"crlf.txt": CRLF, "mixed.txt": CRLF + FORTY, "cr.txt": "a\rb\n" * 20, "to.txt": FORTY}, [],
        {
            "crlf.txt": CRLF.replace("line 3\r", "three\r").replace("line 30\r", "thirty\r"),
            "mixed.txt": (CRLF + FORTY).replace("line 3\n", "three\r\n"),
            "cr.txt": "a\rb\n" * 3 + "a\rc\n" + "a\rb\n" * 20, "to.txt": CRLF,
        },
    ),
    "automatic_line_ends": (
        {"core.autocrlf": "true", "core.safecrlf": "true"}, {"a.txt": CRLF}, [],
        {"a.txt": edited(FORTY, 3, 30).replace("\n", "\r\n"), "lf.txt": FORTY},
    ),
    "case_only_rename": ({}, {"readme": FORTY}, ["mv -f readme README"], {}),
    "case_ignored": (
        {"core.ignoreCase": "false"},
        {"Readme": FORTY, "Docs/a.md": FORTY, "docs/b.md": FORTY, "docs/c.md": FORTY},
        ["mv Readme README", "mv docs/c.md Docs/C.md", "config core.ignoreCase true"],
        {"Docs/a.md": edited(FORTY, 3, 30), "docs/b.md": edited(FORTY, 5, 30)},
    ),
    "skipped_entries": (
        {}, dict.fromkeys(("skip.txt", "assume.txt", "plain.txt"), "x\n"),
        ["update-index --skip-worktree skip.txt", "update-index --assume-unchanged assume.txt"],
        {"skip.txt": None, "assume.txt": "hidden edit\n", "plain.txt": "edit\n"},
    ),
    "sparse_checkout": (
        {}, dict.fromkeys(("a/f0", "a/f1", "a/f2", "b/f0", "b/f1", "b/f2", "c/f0", "c/f1", "c/f2"), "x\n"),
        ["sparse-checkout set --cone a"], {"a/f1": "edit\n", "a/new": "x\n"},
    ),
    "filters": (
        {"filter.up.clean": "tr a-z A-Z", "filter.up.smudge": "tr A-Z a-z", "filter.up.required": "true"},
        {
            ".gitattributes": "*.up filter=up\n*.u16 text working-tree-encoding=UTF-16LE\n*.id ident\n",
            "a.up": FORTY, "a.u16": FORTY.encode("utf-16-le"), "a.id": "$Id$\n" + FORTY,
        },
        [],
        {
            "a.up": TWICE, "b.up": FORTY, "a.u16": TWICE.encode("utf-16-le"), "a.id": "$Id: 0123456789 $\n" + TWICE,
        },
    ),
    "diff_attributes": (
        {"diff.odd.textconv": "false", "diff.odd.command": "false"},
        {".gitattributes": "a -diff\nb binary\nc diff=odd\n", "a": FORTY, "b": FORTY, "c": FORTY}, [],
        dict.fromkeys("abc", TWICE),
    ),
    "detached": ({}, {}, ["checkout -q --detach"], {"a.txt": "x\n", "d/b.txt": "x\n"}),
    "bisecting": ({}, {"a.txt": "x\n"}, ["bisect start HEAD HEAD~"], {"b.txt": "x\n"}),
    "big_files": (
        {"core.bigFileThreshold": "100k"}, {"a": FORTY * 1000}, [],
        {"a": edited(FORTY * 1000, 3, 5000), "b": FORTY * 2000},
    ),
    "encoded_commits": ({"i18n.commitEncoding": "ISO-8859-1"}, {}, [], {"d/a.txt": "x\n"}),
}  # fmt: skip


def build_row(name: str, repo: Repo) -> None:
    settings, before, commands, after = COMMANDS.get(name) or ({}, EDITS[name][0], (), EDITS[name][1])
    for key, value in settings.items():
        repo.git("config", key, value)
    repo.commit("chore: a", dict(before))
    for command in commands:
        repo.git(*command.split())
    for path, content in after.items():
        if content is None:
            (repo.path / path).unlink()
        else:
            repo.write(path, content)


for each in (*EDITS, *COMMANDS):
    SITUATIONS[each] = partial(build_row, each)


@situation
def untracked_files(repo: Repo) -> None:
    repo.write("text.txt", "text\n")
    repo.write("empty.txt")
    repo.write("run.sh", "#!/bin/sh\n", executable=True)


@situation
def staged_then_edited(repo: Repo) -> None:
    repo.commit("chore: a", {"mm.txt": FORTY, "gone.txt": "x\n"})
    repo.stage({"mm.txt": edited(FORTY, 3), "am.txt": "one\n", "ad.txt": "one\n"})
    repo.write("mm.txt", edited(FORTY, 3, 20))
    repo.write("am.txt", "one\ntwo\n")
    (repo.path / "ad.txt").unlink()
    repo.git("rm", "-q", "gone.txt")
    repo.write("gone.txt", "recreated\n")


@situation
def mode_changed(repo: Repo) -> None:
    repo.commit("chore: a", {"only.sh": "x\n", "both.sh": FORTY, "off.sh": "x\n"})
    (repo.path / "only.sh").chmod(0o755)
    repo.write("both.sh", TWICE, executable=True)


@situation
def links(repo: Repo) -> None:
    for name, target in (("retarget", "a"), ("tofile", "a"), ("removed", "a")):
        os.symlink(target, repo.path / name)
    repo.write("fromfile", "text\n")
    repo.git("add", "-A")
    repo.commit("chore: links")
    for name in ("retarget", "tofile", "removed", "fromfile"):
        (repo.path / name).unlink()
    os.symlink("b", repo.path / "retarget")
    repo.write("tofile", "now text\n")
    os.symlink("/nowhere/at all", repo.path / "fromfile")
    os.symlink("dangling", repo.path / "new")


@situation
def intent_to_add(repo: Repo) -> None:
    repo.write("content.txt", "x\n")
    repo.write("empty.txt")
    repo.git("add", "-N", "content.txt", "empty.txt")


HOSTILE_NAMES = (
    "with space", 'qu"ote', "ta\tb", "back\\slash", "-x", " b/ lead", ":(top)", "*", "[ab]", "ünï", "new\nline",
    b"lat\xefn", "a/-b/c d", "trailing ", "dot.", "#hash::1", "@{0}", "~tilde", "$HOME", "%n", "a\x01b",
)  # fmt: skip


@situation
def hostile_names(repo: Repo) -> None:
    for name in HOSTILE_NAMES[::2]:
        repo.write(name, "base\n")
    repo.git("add", "-A")
    repo.commit("chore: names")
    for name in HOSTILE_NAMES:
        repo.write(name, "content\n")


@situation
def file_becomes_folder_and_back(repo: Repo) -> None:
    repo.commit("chore: a", {"tofolder": "x\n", "tofile/a": "a\n", "tofile/b/c": "c\n", "deep/er/x": "x\n"})
    (repo.path / "tofolder").unlink()
    repo.write("tofolder/inside/file", "y\n")
    for name in ("tofile/a", "tofile/b/c", "deep/er/x"):
        (repo.path / name).unlink()
    (repo.path / "tofile/b").rmdir()
    (repo.path / "tofile").rmdir()
    (repo.path / "deep/er").rmdir()
    repo.write("tofile", "now a file\n")
    os.symlink("elsewhere", repo.path / "deep/er")


def _submodule(repo: Repo, name: str) -> Repo:
    other = Repo.init(repo.path.parent / f"{name}-source")
    other.commit("chore: first", {"file": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), name)
    return Repo(repo.path / name)


@situation
def submodule_moved_on(repo: Repo) -> None:
    inner = _submodule(repo, "sub")
    repo.commit("chore: add a submodule")
    inner.commit("chore: second", {"file": "2\n"})
    inner.write("file", "dirty\n")
    repo.write("other.txt", "x\n")


@situation
def submodule_added(repo: Repo) -> None:
    inner = _submodule(repo, "sub")
    inner.write("untracked", "dirty\n")
    repo.write("other.txt", "x\n")


@situation
def ignored(repo: Repo) -> None:
    repo.write("tracked.log", "x\n")
    repo.git("add", "-f", "tracked.log")
    repo.commit("chore: a", {".gitignore": "*.log\n"})
    repo.write("tracked.log", "edit\n")
    repo.write("untracked.log", "x\n")
    repo.write("plain", "x\n")


HOSTILE_SETTINGS = {
    "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "color.ui": "always", "color.diff": "always",
    "diff.renames": "copies", "diff.context": "0", "diff.interHunkContext": "10", "diff.algorithm": "patience",
    "diff.external": "false", "diff.suppressBlankEmpty": "true", "diff.orderFile": "base.txt",
    "diff.ignoreSubmodules": "all", "diff.wsErrorHighlight": "all", "diff.submodule": "log", "apply.whitespace": "fix",
    "status.renames": "copies", "status.branch": "true", "status.showStash": "true",
    "core.commentChar": "x", "core.quotePath": "false", "core.pager": "false", "commit.cleanup": "verbatim",
    "add.ignoreErrors": "true", "log.showSignature": "true", "i18n.logOutputEncoding": "latin1",
    "core.hooksPath": "hooks", "core.safecrlf": "true", "fastimport.unpackLimit": "1",
}  # fmt: skip


@situation
def hostile_settings(repo: Repo) -> None:
    repo.commit("chore: a", {"a.txt": FORTY, "old.txt": FORTY + "x\n", "odd name": "x\n"})
    repo.write("a.txt", edited(FORTY, 3, 8, 30))
    (repo.path / "old.txt").unlink()
    repo.write("d/new.txt", FORTY + "x\n")
    repo.write("copy.txt", FORTY)
    for name in ("post-index-change", "pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-checkout"):
        repo.write(f".git/fail/{name}", "#!/bin/sh\ntouch .git/hook-ran\nexit 1\n", executable=True)
    for name, value in HOSTILE_SETTINGS.items():
        repo.git("config", name, ".git/fail" if name == "core.hooksPath" else value)


@situation
def left_over_rebase_head(repo: Repo) -> None:
    (repo.path / ".git/REBASE_HEAD").write_text(repo.git("rev-parse", "HEAD"))
    repo.write("b.txt", "x\n")


@situation
def split_index(repo: Repo) -> None:
    repo.git("config", "core.untrackedCache", "true")
    repo.git("config", "core.splitIndex", "true")
    repo.git("update-index", "--split-index", "--untracked-cache")
    repo.stage({"staged.txt": "x\n"})
    repo.write("a.txt", "x\n")


@situation
def mode_not_trusted(repo: Repo) -> None:
    repo.commit("chore: a", {"a.sh": FORTY})
    repo.git("config", "core.fileMode", "false")
    repo.write("a.sh", TWICE, executable=True)
    repo.write("new.sh", "x\n", executable=True)


def contents(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Mode, modification time and bytes of everything below `root`, links unfollowed, git's own files left out."""
    return {str(path.relative_to(root)): _content(path) for path in _walk(root)}


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *names):
            if name != ".git":
                yield Path(folder) / name


def _content(path: Path) -> tuple[int, int, bytes]:
    found = path.lstat()
    if path.is_symlink():
        return found.st_mode, found.st_mtime_ns, os.fsencode(os.readlink(path))
    if path.is_file():
        return found.st_mode, found.st_mtime_ns, path.read_bytes()
    return found.st_mode, 0, b""
