"""Headers that git wrote pass whichever command opens them again, and those that somebody types do not."""

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.installation import Installation
from tests.support.repository import Repo

# What an editor does with a message: nothing, or add a reason; or change a line of it.
KEEP, ADD = "true", "printf '\\nThe reason.\\n' >> \"$1\""
CHANGE = 'sed -i "{}s/$/ changed/" "$1"'
# Long ago, and so late that it counts as this very second: then a new commit has the author and the date of HEAD, too.
PAST, NOW = "@1700000000 +0000", "@4000000000 +0000"

# What is at HEAD, the command, what its editor does, and whether it passes; then whether a range check passes, if
# that is something else. HEADER is the header of what is at HEAD, REVERTED the name of the commit that is reverted.
ROWS = (
    *((tag, "commit --amend --no-edit", KEEP, True) for tag in ("merge", "revert", "again", "squash", "picked")),
    *((tag, "commit --amend", KEEP, True) for tag in ("merge", "revert", "again", "squash", "picked")),
    *((tag, "commit --amend", ADD, True) for tag in ("merge", "revert", "again", "squash", "picked")),
    *((tag, "commit --amend --reset-author --no-edit", KEEP, True) for tag in ("merge", "revert", "again", "squash")),
    *((tag, "commit --amend -m HEADER -m 'The reason.'", KEEP, True, False) for tag in ("revert", "again", "squash")),
    ("merge", "commit --amend -m HEADER -m 'The reason.'", KEEP, True),
    *(("ordinary", f"commit --allow-empty -C {tag}", KEEP, True) for tag in ("revert", "again", "squash", "picked")),
    *(("ordinary", f"commit --allow-empty -c {tag}", ADD, True) for tag in ("revert", "again", "squash", "picked")),
    *(("ordinary", f"commit --allow-empty -{form} merge", KEEP, True, False) for form in "cC"),
    ("merge", "rebase -q -i --rebase-merges --root", KEEP, True),
    ("again", "rebase -q -i --root", KEEP, True),
    ("again", "rebase -q -i --root --no-ff", ADD, True),
    ("squash", "rebase -q -i --root --no-ff", ADD, True),
    ("ordinary", "cherry-pick -e merge -m 1", KEEP, True, False),
    ("ordinary", "cherry-pick -e -x merge -m 1", KEEP, True),
    ("revert^", "cherry-pick -e -x revert", ADD, True),
    # A merge that is reverted names two commits, and a squashed one has a line `Merge:`, here with words above it.
    ("unmerged", "commit --amend", ADD, True),
    ("squashed-merge", "commit --amend", ADD, True),
    # Fixups of them, which no range may have, and of these again; one whose target a rebase has flattened away.
    *((tag, "commit --allow-empty --fixup=reword:HEAD", KEEP, True, False) for tag in ("merge", "revert", "squash")),
    *((f"fixup-{tag}", "commit --allow-empty --fixup=HEAD", KEEP, True, False) for tag in ("merge", "revert")),
    *((f"fixup-{tag}", "commit --allow-empty --fixup=reword:HEAD", KEEP, True, False) for tag in ("merge", "revert")),
    ("flattened", "commit --amend --no-edit", KEEP, True, False),
    ("flattened", "commit --allow-empty -m \"fixup! Merge branch 'side'\"", KEEP, False),
    ("merge", "commit --allow-empty --fixup=reword:HEAD", "sed -i \"3s/side/elsewhere/\" \"$1\"", False),
    ("ordinary", "commit --allow-empty --fixup=reword:HEAD", "sed -i \"3s/.*/Merge branch 'side'/\" \"$1\"", False),
    ("unfixable", "commit --amend --no-edit", KEEP, False),
    ("unfixable", "commit --allow-empty --squash=HEAD", KEEP, True, False),
    # A verbatim message keeps what git explains, directly below the header.
    ("explained", "commit --allow-empty --fixup=reword:HEAD", KEEP, True, False),
    ("unexplained", "commit --amend", KEEP, True),
    # A copy of a merge, which a range refuses.
    *(("copied", f"commit --amend {option} --no-edit", KEEP, True, False) for option in ("", "--reset-author")),
    ("copied", "commit --amend", ADD, True, False),
    ("copied", "commit --amend", CHANGE.format(1), False),
    # Typed: a header alone, with what git writes below it, into an editor, instead of another one.
    *((tag, "commit --allow-empty -m HEADER", KEEP, False) for tag in ("merge", "revert", "again", "squash")),
    *((tag, "commit --allow-empty", 'echo "$HEADER" > "$1"', False) for tag in ("merge", "revert", "again", "squash")),
    ("ordinary", "commit --allow-empty -m \"Merge branch 'side'\"", KEEP, False),
    ("ordinary", "commit --allow-empty -m 'Revert \"feat: wrong\"' -m 'This reverts commit REVERTED.'", KEEP, False),
    ("ordinary", "commit --amend -m \"Merge branch 'side'\"", KEEP, False),
    ("imitated", "commit --amend", KEEP, False),
    ("above", "commit --amend", 'git log -1 --format=%s HEAD~1 > "$1"', False),
    ("ordinary", "commit --amend -m 'Revert \"feat: wrong\"' -m 'This reverts commit REVERTED.'", KEEP, False),
    ("merge", "commit --amend -m \"Merge branch 'elsewhere'\"", KEEP, False),
    ("revert", "commit --amend -m 'Revert \"feat: base\"' -m 'This reverts commit REVERTED.'", KEEP, False),
    ("merge", "rebase -q -i --rebase-merges merge^", "sed -i \"1s/side/elsewhere/\" \"$1\"", False),
    ("ordinary", "rebase -q -i ordinary^", "echo 'Revert \"feat: wrong\"' > \"$1\"", False),
)  # fmt: skip


def build_history(path: Path) -> Repo:
    repo = Repo.init(path)

    def make(tag: str, command: str) -> None:
        repo.git(*command.split(), env={"GIT_EDITOR": "true"})
        repo.git("tag", tag)

    def start(revision: str) -> None:
        repo.git("checkout", "-q", "--detach", revision)

    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.invalid")):
        repo.git("config", key, value)
    base = repo.commit("feat: base", {"base": "1\n"})
    repo.commit("feat: wrong", {"wrong": "1\n"})
    make("revert", "revert --no-edit HEAD")
    repo.commit("docs: above", {"above": "1\n"})
    repo.git("tag", "above")
    start("revert")
    make("again", "revert --no-edit HEAD")
    repo.git("checkout", "-q", "-b", "side", base)
    repo.commit("feat: side", {"side": "1\n"})
    repo.git("checkout", "-q", "-B", "main", base)
    repo.commit("feat: main", {"main": "1\n"})
    repo.git("tag", "ordinary")
    make("merge", "merge -q --no-edit side")
    start("ordinary")
    repo.git("merge", "-q", "--squash", "side")
    make("squash", "commit --no-edit")
    start("again")
    make("picked", "cherry-pick -x -m 1 merge")
    start("merge")
    make("unmerged", "revert --no-edit -m 1 HEAD")
    start("above")
    repo.git("merge", "-q", "--squash", "main")
    repo.write("message", (repo.path / ".git/SQUASH_MSG").read_text().replace("\n", "\n\nThe reason.\n", 1))
    make("squashed-merge", "commit -F message")
    (repo.path / "message").unlink()
    typed = repo.commit("Merge branch 'typed'", {"typed": "1\n"})
    for tag in ("merge", "revert"):
        start(tag)
        repo.write("base", f"{tag}\n")
        make(f"fixup-{tag}", "commit -q -a --fixup=HEAD")
    start("ordinary")
    make("flattened", "cherry-pick fixup-merge")
    # A fixup of nothing, a merge that keeps what git explains, and a revert of it.
    repo.commit("fixup! nothing here", {"unfixable": "1\n"})
    repo.git("tag", "unfixable")
    start("ordinary")
    make("explained", "-c commit.cleanup=verbatim merge --edit -q side")
    make("unexplained", "revert --no-edit -m 1 HEAD")
    start("ordinary")
    repo.stage({"copied": "1\n"})
    make("copied", "commit -C merge")
    start("ordinary")
    make("imitated", f"cherry-pick -x {typed}")
    return repo


@pytest.mark.parametrize("moment", [PAST, NOW], ids=["past", "now"])
def test_a_header_of_gits_passes_unchanged_and_a_typed_one_never(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, moment)
    history = build_history(tmp_path / "repo")
    run_smartcommit(installation, history, "install")
    if moment == PAST:
        monkeypatch.delenv("GIT_AUTHOR_DATE")
        monkeypatch.delenv("GIT_COMMITTER_DATE")
    failed = []
    for number, (tag, command, editor, passes, *ranges) in enumerate(ROWS):
        if passes and moment == NOW and "--amend -m" not in command:
            continue  # what git wrote is the same as long ago, and takes as long
        repo = Repo(tmp_path / str(number) / "repo")
        shutil.copytree(history.path, repo.path)
        repo.git("checkout", "-q", "-B", "main", tag)
        done = reopen(repo, command, editor)
        if (done.returncode == 0) != passes:
            failed.append((tag, command, editor, done.stderr.decode()))
        elif passes and (run_smartcommit(installation, repo, "check", "--range", "HEAD") == 0) != [passes, *ranges][-1]:
            failed.append((tag, command, editor, "range"))
    assert not failed, "\n".join(map(str, failed))


def reopen(repo: Repo, command: str, editor: str) -> subprocess.CompletedProcess[bytes]:
    """Run `git COMMAND`, whose editor rewords all commits of a todo list."""
    todo = '*todo) sed -i "s/^pick/reword/; s/^merge -C/merge -c/" "$1"'
    header = repo.message().partition("\n")[0]
    reverted = repo.git("rev-parse", "revert^").strip()
    words = [word.replace("HEADER", header).replace("REVERTED", reverted) for word in shlex.split(command)]
    script = repo.editor(f'case "$1" in {todo} ;; *) {editor} ;; esac')
    return repo.run(*words, env={"GIT_EDITOR": script, "HEADER": header})


def run_smartcommit(installation: Installation, repo: Repo, *arguments: str) -> int:
    command = [installation.script("smartcommit"), *arguments]
    return subprocess.run(command, cwd=repo.path, capture_output=True, check=False).returncode


@pytest.mark.parametrize("mode", ["default", "whitespace", "verbatim", "scissors", "auto"])
@pytest.mark.parametrize("hooks", [(), ("--hooks", "commit-msg")], ids=["both", "alone"])
def test_what_a_rebase_squashes_has_no_comment_as_its_header_or_is_told_of_it(
    installation: Installation, repo: Repo, mode: str, hooks: Sequence[str]
) -> None:
    """git runs no `commit-msg` there, and with most ways of cleaning it records the comments above the message."""
    repo.commit("feat: base", {"base": "1\n"})
    repo.commit("feat: add a", {"a": "1\n"})
    repo.commit("fix: read a", {"a": "2\n"})
    run_smartcommit(installation, repo, "install", *hooks)
    repo.git("config", "core.commentChar" if mode == "auto" else "commit.cleanup", mode)
    repo.git(
        "rebase", "-q", "-i", "HEAD~2", env={"GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "sed -i 2s/pick/squash/"}
    )
    assert "fix: read a" in repo.message()
    if not hooks or mode == "default":
        assert repo.subjects("HEAD")[-1] == "feat: add a"
        return
    said = repo.run("commit", "--amend", "--no-edit").stderr.decode()
    assert said.count("header-form") == said.count("\n  expected ") == 1
    assert "the header is a comment" in said
    repo.git("commit", "--amend", env={"GIT_EDITOR": repo.editor("sed -i '1,/^$/d' \"$1\"")})


@pytest.mark.parametrize(("how", "header"), [("squash", "#12 add b"), ("fixup -c", "docs: add c")])
@pytest.mark.parametrize("mode", ["whitespace", "verbatim", "scissors"])
def test_a_squash_that_stops_or_skips_messages_has_no_comment_as_its_header(
    installation: Installation, repo: Repo, mode: str, how: str, header: str
) -> None:
    repo.commit("feat: base", {"a": "1\n"})
    for subject, name in (("#12 add b", "b"), ("fix: left out", "a"), ("fix: change a", "a"), ("docs: add c", "c")):
        repo.commit(subject, {name: f"{subject}\n"})
    run_smartcommit(installation, repo, "install")
    repo.git("config", "commit.cleanup", mode)
    todo = {"GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": f"sed -i -e '2,$s/^pick/{how}/' -e 2d"}
    assert repo.run("rebase", "-i", "HEAD~4", env=todo).returncode == 1
    repo.stage({"a": "2\n"})
    repo.git("rebase", "--continue", env=todo)
    assert repo.message().startswith(f"{header}\n")


@pytest.mark.parametrize("mode", ["default", "whitespace", "verbatim", "scissors"])
def test_a_pick_that_was_resolved_passes_with_its_message(installation: Installation, repo: Repo, mode: str) -> None:
    base = repo.commit("feat: base", {"a": "1\n"})
    theirs = repo.commit("Words of theirs\n\nA reason.", {"a": "2\n"})
    repo.git("reset", "-q", "--hard", base)
    repo.commit("feat: ours", {"a": "3\n"})
    run_smartcommit(installation, repo, "install")
    repo.git("config", "commit.cleanup", mode)
    for options in ((), ("-x",), ("-s",)):
        for editor, passes in ((KEEP, True), (CHANGE.format(1), False), (CHANGE.format(3), False)):
            assert repo.run("cherry-pick", *options, theirs).returncode == 1
            repo.stage({"a": "4\n"})
            done = repo.run("commit", env={"GIT_EDITOR": repo.editor(editor)})
            assert (done.returncode == 0) == passes, (options, editor, done.stderr.decode())
            repo.run("cherry-pick", "--abort")
            repo.git("reset", "-q", "--hard", "HEAD~1" if passes else "HEAD")
