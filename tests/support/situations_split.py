"""Dirty working trees, each built in a repository of its own, by name: what a split must carry through unchanged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from tests.support.repository import Repo

Situation = Callable[[Repo], None]
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


BLOCK = "}\n\n}\n"
DATA = bytes(range(256)) * 8
CRLF, LATIN = FORTY.replace("\n", "\r\n"), "caf\xe9\n".encode("latin-1") * 9
DIFF = "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n\\ No newline at end of file\nSubproject commit 0\n"
NO_NEWLINE = {"both": "a\nb", "less": "a\nb\n", "more": FORTY + "last", "blank": "a\n\n\n"}
# What was committed, and what is written then: None removes a file.
EDITS: dict[str, tuple[Mapping[str, str | bytes], Mapping[str, str | bytes | None]]] = {
    "two_far_hunks": ({"a.txt": FORTY}, {"a.txt": edited(FORTY, 3, 30)}),
    "adjacent_block": ({"a.txt": FORTY}, {"a.txt": FORTY.replace("line 4\nline 5\nline 6\n", "4\n5\n6\nseven\n")}),
    "repeated_blocks": ({"a.txt": BLOCK * 30}, {"a.txt": BLOCK * 5 + "one\n" + BLOCK * 10 + "two\n" + BLOCK * 14}),
    "deleted_files": ({"a": "text\n", "empty": "", "d/deep/last": "x\n"}, dict.fromkeys(("a", "empty", "d/deep/last"))),
    "renamed": (
        {"old.txt": FORTY, "edited.txt": FORTY + "tail\n"},
        {"old.txt": None, "new.txt": FORTY, "edited.txt": None, "d/moved.txt": edited(FORTY + "tail\n", 2, 30)},
    ),
    "swapped": ({"a.txt": FORTY, "b.txt": "short\n"}, {"a.txt": "short\n", "b.txt": FORTY}),
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
    "blank_lines_and_nothing": (
        {"end": "a\n", "toempty": "x\n", "fromempty": ""}, {"end": "a\n\n\n\n", "toempty": "", "fromempty": "x\n"},
    ),
    "one_very_long_line": ({"a": "x" * 2_000_000, "b": "y\n"}, {"a": "x" * 1_999_999 + "z"}),
    "lockfile_and_manifest": (
        {"package.json": "{}\n", "package-lock.json": "{}\n", "src/a.js": FORTY},
        {"package.json": '{"dependencies": {"x": "2"}}\n', "package-lock.json": '{"packages": {"x": "2"}}\n',
         "src/a.js": edited(FORTY, 3), "docs/a.md": "x\n"},
    ),
    "repository_files_changed": (
        {}, {".gitignore": "*.o\n", ".gitattributes": "*.c text\n", "src/a.c": "int a;\n", "src/a.o": "x"},
    ),
}  # fmt: skip


def edit_files(name: str, repo: Repo) -> None:
    before, after = EDITS[name]
    repo.commit("chore: a", dict(before))
    for path, content in after.items():
        if content is None:
            (repo.path / path).unlink()
        else:
            repo.write(path, content)


for each in EDITS:
    SITUATIONS[each] = partial(edit_files, each)


@situation
def untracked_files(repo: Repo) -> None:
    repo.write("text.txt", "text\n")
    repo.write("empty.txt")
    repo.write("run.sh", "#!/bin/sh\n", executable=True)


@situation
def everything_deleted(repo: Repo) -> None:
    repo.git("rm", "-q", "-r", ".")


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
def staged_rename(repo: Repo) -> None:
    repo.commit("chore: a", {"old.txt": FORTY})
    repo.git("mv", "old.txt", "new.txt")
    repo.write("other/file.txt", "x\n")


@situation
def mode_changed(repo: Repo) -> None:
    repo.commit("chore: a", {"only.sh": "x\n", "both.sh": FORTY, "off.sh": "x\n"})
    (repo.path / "only.sh").chmod(0o755)
    repo.write("both.sh", edited(FORTY, 3, 30), executable=True)


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
def line_ends(repo: Repo) -> None:
    crlf = FORTY.replace("\n", "\r\n")
    repo.git("config", "core.autocrlf", "false")
    repo.commit("chore: a", {"crlf.txt": crlf, "mixed.txt": crlf + FORTY, "cr.txt": "a\rb\n" * 20, "to.txt": FORTY})
    repo.write("crlf.txt", crlf.replace("line 3\r", "three\r").replace("line 30\r", "thirty\r"))
    repo.write("mixed.txt", (crlf + FORTY).replace("line 3\n", "three\r\n"))
    repo.write("cr.txt", "a\rb\n" * 3 + "a\rc\n" + "a\rb\n" * 20)
    repo.write("to.txt", crlf)


@situation
def automatic_line_ends(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "core.safecrlf", "true")
    repo.commit("chore: a", {"a.txt": FORTY.replace("\n", "\r\n")})
    repo.write("a.txt", edited(FORTY, 3, 30).replace("\n", "\r\n"))
    repo.write("lf.txt", FORTY)


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


@situation
def case_only_rename(repo: Repo) -> None:
    repo.commit("chore: a", {"readme": FORTY})
    repo.git("mv", "-f", "readme", "README")


@situation
def case_ignored(repo: Repo) -> None:
    repo.git("config", "core.ignoreCase", "false")
    repo.commit("chore: a", {"Readme": FORTY, "Docs/a.md": FORTY, "docs/b.md": FORTY, "docs/c.md": FORTY})
    repo.git("mv", "Readme", "README")
    repo.git("mv", "docs/c.md", "Docs/C.md")
    repo.git("config", "core.ignoreCase", "true")
    repo.write("Docs/a.md", edited(FORTY, 3, 30))
    repo.write("docs/b.md", edited(FORTY, 5, 30))


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
def skipped_entries(repo: Repo) -> None:
    repo.commit("chore: a", {"skip.txt": "x\n", "assume.txt": "x\n", "plain.txt": "x\n"})
    repo.git("update-index", "--skip-worktree", "skip.txt")
    repo.git("update-index", "--assume-unchanged", "assume.txt")
    (repo.path / "skip.txt").unlink()
    repo.write("assume.txt", "hidden edit\n")
    repo.write("plain.txt", "edit\n")


@situation
def sparse_checkout(repo: Repo) -> None:
    names = ("a/f0", "a/f1", "a/f2", "b/f0", "b/f1", "b/f2", "c/f0", "c/f1", "c/f2")
    repo.commit("chore: a", dict.fromkeys(names, "x\n"))
    repo.git("sparse-checkout", "set", "--cone", "a")
    repo.write("a/f1", "edit\n")
    repo.write("a/new", "x\n")


@situation
def ignored(repo: Repo) -> None:
    repo.write("tracked.log", "x\n")
    repo.git("add", "-f", "tracked.log")
    repo.commit("chore: a", {".gitignore": "*.log\n"})
    repo.write("tracked.log", "edit\n")
    repo.write("untracked.log", "x\n")
    repo.write("plain", "x\n")


@situation
def filters(repo: Repo) -> None:
    repo.git("config", "filter.up.clean", "tr a-z A-Z")
    repo.git("config", "filter.up.smudge", "tr A-Z a-z")
    repo.git("config", "filter.up.required", "true")
    repo.commit(
        "chore: a",
        {
            ".gitattributes": "*.up filter=up\n*.u16 text working-tree-encoding=UTF-16LE\n*.id ident\n",
            "a.up": FORTY, "a.u16": FORTY.encode("utf-16-le"), "a.id": "$Id$\n" + FORTY,
        },
    )  # fmt: skip
    repo.write("a.up", edited(FORTY, 3, 30))
    repo.write("b.up", FORTY)
    repo.write("a.u16", edited(FORTY, 3, 30).encode("utf-16-le"))
    repo.write("a.id", "$Id: 0123456789 $\n" + edited(FORTY, 3, 30))


@situation
def diff_attributes(repo: Repo) -> None:
    repo.commit("chore: a", {".gitattributes": "a -diff\nb binary\nc diff=odd\n", "a": FORTY, "b": FORTY, "c": FORTY})
    repo.git("config", "diff.odd.textconv", "false")
    repo.git("config", "diff.odd.command", "false")
    for name in "abc":
        repo.write(name, edited(FORTY, 3, 30))


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
def detached(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    repo.write("a.txt", "x\n")
    repo.write("d/b.txt", "x\n")


@situation
def bisecting(repo: Repo) -> None:
    repo.commit("chore: a", {"a.txt": "x\n"})
    repo.git("bisect", "start", "HEAD", "HEAD~")
    repo.write("b.txt", "x\n")


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
    repo.write("a.sh", edited(FORTY, 3, 30), executable=True)
    repo.write("new.sh", "x\n", executable=True)


@situation
def big_files(repo: Repo) -> None:
    repo.git("config", "core.bigFileThreshold", "100k")
    repo.commit("chore: a", {"a": FORTY * 1000})
    repo.write("a", edited(FORTY * 1000, 3, 5000))
    repo.write("b", FORTY * 2000)


@situation
def encoded_commits(repo: Repo) -> None:
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repo.write("d/a.txt", "x\n")


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
