"""Every way git makes a message, with a real `git commit`: where the hook drafts, and where it leaves every byte.

A `Mode` is one command: what git gives the hook there, and what must come of it. Those of one row are alike.
"""

import dataclasses
import functools
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

import pytest

from tests.support import situations as given
from tests.support.installation import Installation
from tests.support.precommit import CONFIG, Framework
from tests.support.recording import HOOK, PROPER, Outcome, native_hook
from tests.support.repository import Repo, list_tree
from tests.support.situations import Bench

DRAFTED, KEPT, NOT_CALLED = "drafted", "kept", "not called"
HEADER = re.compile(rb"(feat|fix|refactor|ci|build|docs|chore|style)(\([a-z][a-z0-9-]*\))?!?: \S.*")
SIGNED_OFF = "Signed-off-by: Cora Committer <cora@example.invalid>"

GIT_VERSION = tuple(map(int, re.findall(r"\d+", subprocess.check_output(["git", "--version"], text=True))[:2]))

Check = Callable[[Bench, Outcome], None]


def mentions_no_walrus(bench: Bench, outcome: Outcome) -> None:
    assert b"walrus" not in outcome.calls[0].draft
    assert b"tusks" not in outcome.calls[0].draft


def from_index(name: str) -> Check:
    def check(bench: Bench, outcome: Outcome) -> None:
        assert name in outcome.calls[0].index
        mentions_no_walrus(bench, outcome)

    return check


def diff_is_untouched(bench: Bench, outcome: Outcome) -> None:
    above, cut, below = outcome.calls[0].after.partition(b"# ------------------------ >8 ------------------------\n")
    assert cut
    assert b"+def zebra_stripes():" in below
    assert HEADER.match(above)


def trailers(*lines: str) -> Check:
    def check(bench: Bench, outcome: Outcome) -> None:
        draft = outcome.calls[0].draft.rstrip(b"\n")
        first = lines[0].encode()
        assert outcome.calls[0].after.startswith(draft + b"\n\n" + first), "one blank line before the trailers"
        path = bench.path / "opened"
        path.write_bytes(outcome.calls[0].after)
        assert bench.repo.git("interpret-trailers", "--parse", str(path)).splitlines() == list(lines)
        recorded = bench.repo.git("log", "-1", "--format=%(trailers)").strip()
        assert recorded.splitlines() == list(lines)

    return check


def file_was(content: bytes) -> Check:
    def check(bench: Bench, outcome: Outcome) -> None:
        assert outcome.calls[0].before == content

    return check


def file_has(part: bytes) -> Check:
    def check(bench: Bench, outcome: Outcome) -> None:
        assert part in outcome.calls[0].before

    return check


def list_is_indented(bench: Bench, outcome: Outcome) -> None:
    assert b"\n - " in outcome.calls[0].draft
    assert b"\n-" not in outcome.calls[0].draft


def commit_fails(bench: Bench, outcome: Outcome) -> None:
    assert outcome.done.returncode == 1


@dataclass(frozen=True)
class Mode:
    """`git COMMAND` in the situation `arrange`: git calls the hook `calls` times and gives it the source `gives`.

    A draft, written in `charset`, has a word of what is being committed, `about`; git `opens` an editor on it, or
    records it unseen.
    """

    row: int
    name: str
    command: str
    arrange: Callable[[Bench], None] = given.staged
    _: KW_ONLY
    expects: str
    gives: str = ""
    calls: int = 1
    about: str = "zebra"
    charset: str = "utf-8"
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    check: Check | None = None
    opens: bool = True
    needs: tuple[int, int] = (2, 39)


drafted = functools.partial(Mode, expects=DRAFTED)
recorded = functools.partial(Mode, expects=DRAFTED, opens=False)
kept = functools.partial(Mode, expects=KEPT)
not_called = functools.partial(Mode, expects=NOT_CALLED, calls=0)


TEMPLATE = "# Say why, not what.\n#\n# Refer to a ticket.\n"

MODES = (
    drafted(1, "plain", "commit", check=file_has(b"\n# Please enter the commit message")),
    drafted(2, "all", "commit -a", given.unstaged, about="kept", check=from_index("index.lock")),
    drafted(3, "path", "commit src/kept.py", given.staged_and_another, about="kept", check=from_index("next-index-")),
    drafted(4, "include", "commit -i src/kept.py", given.unstaged, about="kept", check=from_index("index.lock")),
    drafted(4, "patch", "commit -p", given.unstaged, about="kept", stdin=b"y\n", check=mentions_no_walrus),
    drafted(5, "verbose", "commit -v", check=diff_is_untouched),
    drafted(5, "twice verbose", "commit -v -v", check=diff_is_untouched),
    drafted(6, "cleanup scissors", "commit --cleanup=scissors", check=file_has(b">8")),
    drafted(7, "cleanup verbatim", "commit --cleanup=verbatim", check=file_has(b"will be kept")),
    drafted(7, "commit.cleanup=whitespace", "-c commit.cleanup=whitespace commit", check=file_has(b"will be kept")),
    drafted(8, "signoff", "commit -s", check=trailers(SIGNED_OFF)),
    drafted(8, "signoff, verbatim", "-c commit.status=false commit -s --cleanup=verbatim", check=trailers(SIGNED_OFF)),
    drafted(8, "format.signOff", "-c format.signOff=true commit"),
    drafted(9, "trailer", "commit --trailer Ticket=7", check=trailers("Ticket: 7")),
    drafted(9, "trailer and signoff", "commit -s --trailer Ticket=7", check=trailers(SIGNED_OFF, "Ticket: 7")),
    drafted(10, "no status", "-c commit.status=false commit", check=file_was(b"")),
    drafted(11, "commentChar", "-c 'core.commentChar=;' commit", check=file_has(b"\n; Please enter")),
    drafted(11, "commentChar auto", "-c core.commentChar=auto commit", check=file_has(b"\n# Please enter")),
    drafted(11, "commentChar of a list", "-c core.commentChar=- commit", given.unborn, check=list_is_indented),
    drafted(11, "commentString", "-c core.commentString=// commit", check=file_has(b"\n// Please enter"), needs=(2,
            45)),
    recorded(12, "no edit", "commit --no-edit"),
    recorded(12, "no edit, all", "commit -a --no-edit", given.unstaged, about="kept", check=from_index("index.lock")),
    recorded(12, "no edit, verbose", "commit --no-edit -v"),
    recorded(12, "no edit, signoff", "commit --no-edit -s", check=trailers(SIGNED_OFF)),
    recorded(12, "no edit, first commit", "commit --no-edit", given.unborn),
    recorded(12, "no edit, commentChar auto", "-c core.commentChar=auto commit --no-edit", given.unborn),
    recorded(12, "no edit, Latin-1", "-c i18n.commitEncoding=ISO-8859-1 commit --no-edit",
             given.odd_names(given.ODD_NAMES[0]), about="größe", charset="latin-1"),
    *(recorded(12, f"no edit, --cleanup={mode}", f"commit --no-edit --cleanup={mode}")
      for mode in ("strip", "whitespace", "verbatim", "scissors")),
    kept(12, "no edit, turned off", "-c smartcommit.draft=false commit --no-edit", check=commit_fails),
    kept(12, "no edit, nothing", "commit --allow-empty --no-edit", given.nothing, check=commit_fails),
    kept(12, "no edit, template", "commit --no-edit -t MESSAGE", given.message_file(TEMPLATE), gives="template",
         check=commit_fails),
    kept(12, "no edit, merge", "commit --no-edit",
         given.after(given.side_branch, "merge", "-q", "--no-commit", "side"), gives="merge"),
    kept(12, "no edit, squash merge", "commit --no-edit",
         given.after(given.side_branch, "merge", "-q", "--squash", "side"), gives="squash"),
    kept(12, "no edit, cherry-pick", "commit --no-edit",
         given.after(given.side_branch, "cherry-pick", "-n", "side"), gives="merge"),
    kept(12, "no edit, message from a pipe", "commit --no-edit -F -", gives="message", check=commit_fails),
    kept(12, "no edit, message", "commit --no-edit --allow-empty-message -m ''", gives="message"),
    kept(12, "GIT_EDITOR=:", "commit", env={"GIT_EDITOR": ":"}, check=commit_fails),
    kept(12, "GIT_EDITOR=:, scissors", "commit --cleanup=scissors", env={"GIT_EDITOR": ":"}, check=commit_fails),
    kept(12, "GIT_EDITOR=:, template", "commit -t MESSAGE", given.message_file(TEMPLATE), gives="template",
         env={"GIT_EDITOR": ":"}, check=commit_fails),
    kept(13, "message", "commit -m 'feat: x'", gives="message"),
    kept(13, "message from a pipe", "commit -F -", gives="message", stdin=b"feat: x\n"),
    kept(13, "empty message refused", "commit -m ''", gives="message", check=commit_fails),
    kept(14, "message like a comment", "commit -m '#123 fix'", gives="message"),
    kept(15, "message to be edited", "commit -m 'feat: x' -e", gives="message"),
    kept(16, "template", "commit -t MESSAGE", given.message_file("Summary:\n\nWhy:\n"), gives="template"),
    kept(16, "template of trailers", "commit -t MESSAGE",
         given.message_file("\n\nTicket: \nReviewed-by: Ada\n"), gives="template"),
    kept(16, "comments of another sign", "-c core.commentChar=auto commit -t MESSAGE",
         given.message_file(TEMPLATE), gives="template"),
    drafted(17, "comments-only template", "commit -t MESSAGE", given.message_file(TEMPLATE), gives="template"),
    drafted(17, "comments with CR LF", "commit -t MESSAGE",
            given.message_file(TEMPLATE.replace("\n", "\r\n")), gives="template"),
    drafted(17, "comments-only template, signoff", "commit -s -t MESSAGE",
            given.message_file(TEMPLATE), gives="template"),
    kept(18, "amend", "commit --amend", given.amendable, gives="commit"),
    kept(18, "reedit", "commit -c HEAD", gives="commit"),
    kept(18, "reword", "-c 'sequence.editor=sed -i s/^pick/reword/' rebase -i 'HEAD~1'",
         given.two_commits, gives="commit"),
    kept(19, "amend, no edit", "commit --amend --no-edit", given.amendable, gives="commit"),
    kept(19, "amend, message", "commit --amend -m 'feat: y'", given.amendable, gives="message"),
    kept(20, "fixup", "commit --fixup=HEAD", gives="message"),
    kept(20, "squash", "commit --squash=HEAD -m more", gives="message"),
    kept(20, "squash to be edited", "commit --squash=HEAD", gives="message"),
    kept(20, "fixup amend", "commit --fixup=amend:HEAD", gives="message"),
    kept(21, "merge", "merge side", given.side_branch, gives="merge"),
    kept(21, "merge without fast-forward", "merge --no-ff side", given.side_ahead, gives="merge"),
    kept(21, "pull", "pull -q --no-rebase origin main", given.upstream_ahead, gives="merge"),
    kept(22, "resolved merge", "commit",
         given.conflict("merge side"), gives="merge", check=file_has(b"# Conflicts:")),
    kept(22, "merge continued", "merge --continue", given.conflict("merge side"), gives="merge"),
    kept(24, "cherry-pick", "cherry-pick side", given.side_branch, gives="message"),
    kept(24, "revert", "revert --no-edit HEAD", given.two_commits, gives="message"),
    kept(25, "uncommitted cherry-pick", "commit",
         given.after(given.side_branch, "cherry-pick", "-n", "side"), gives="merge"),
    kept(25, "resolved cherry-pick", "commit", given.conflict("cherry-pick side"), gives="merge"),
    kept(25, "cherry-pick continued", "cherry-pick --continue", given.conflict("cherry-pick side"), gives="merge"),
    kept(25, "uncommitted revert", "commit", given.after(given.two_commits, "revert", "-n", "HEAD"), gives="merge"),
    kept(26, "rebase", "rebase -q main", given.three_picks, gives="message", calls=3),
    kept(26, "rebase with a squash", "-c 'sequence.editor=sed -i 2s/^pick/squash/' rebase -q -i main",
         given.three_picks, gives="message", calls=3),
    kept(26, "rebase continued", "rebase --continue", given.conflict("rebase side"), gives="message"),
    drafted(27, "edit stop of a rebase", "commit", given.stopped_for_edit),
    recorded(27, "edit stop of a rebase, no edit", "commit --no-edit", given.stopped_for_edit),
    not_called(28, "am", "am -q ../patch", given.mailed_patch),
    not_called(28, "rebase by apply", "rebase -q --apply main", given.three_picks),
    not_called(28, "stash", "stash push -q"),
    not_called(28, "fast-forward", "merge -q side", given.side_ahead),
    not_called(28, "dry run", "commit --dry-run"),
    not_called(28, "no hooks", "-c core.hooksPath=/dev/null commit -m 'feat: x'"),
    drafted(29, "first commit", "commit", given.unborn, check=file_has(b"# Initial commit")),
    drafted(30, "detached HEAD", "commit", given.after(given.staged, "checkout", "-q", "--detach")),
    kept(30, "empty", "commit --allow-empty", given.nothing, check=commit_fails),
    drafted(31, "linked worktree", "commit", given.linked_worktree),
    drafted(31, "inside a submodule", "commit", given.inside_submodule),
    drafted(31, "moved submodule", "commit", given.moved_submodule, about="sub"),
    drafted(31, "subdirectory", "commit", given.subdirectory),
    drafted(31, "GIT_DIR and GIT_WORK_TREE", "commit", given.separate_git_dir),
    drafted(31, "odd path", "commit", given.odd_path),
    drafted(32, "SHA-256", "commit", given.sha256),
    drafted(32, "shallow clone", "commit", given.shallow),
    drafted(32, "sparse index", "commit", given.sparse_index),
    drafted(32, "partial clone", "commit", given.partial_clone),
    drafted(33, "every kind at once", "commit", given.every_kind, about=""),
    drafted(34, "all odd names at once", "commit", given.odd_names(*given.ODD_NAMES), about=""),
    drafted(35, "all settings at once", "commit", given.configured(given.HOSTILE_SETTINGS)),
    drafted(36, "unknown encoding", "-c i18n.commitEncoding=nowhere commit", given.odd_names(given.ODD_NAMES[0])),
    kept(40, "git config", "-c smartcommit.draft=false commit", check=commit_fails),
    kept(40, "environment", "commit", env={"SMARTCOMMIT_DRAFT": "0"}, check=commit_fails),
    drafted(41, "core.hooksPath", "commit", given.hooks_path),
)  # fmt: skip

HERE = tuple(mode for mode in MODES if mode.needs <= GIT_VERSION)

# One mode of each way in which a framework could differ from git: arguments, variables and directories.
UNDER_A_FRAMEWORK = {
    "plain", "all", "path", "verbose", "signoff", "cleanup scissors", "message", "comments-only template", "amend",
    "fixup", "merge", "no edit, squash merge", "rebase", "linked worktree", "inside a submodule", "git config",
    "no edit", "no edit, signoff", "no edit, template", "GIT_EDITOR=:", "moved submodule", "all odd names at once",
}  # fmt: skip


def named(mode: Mode) -> str:
    return f"{mode.row}: {mode.name}"


@pytest.fixture
def native(tmp_path: Path, installation: Installation) -> Bench:
    """The hook as a script in `.git/hooks`."""
    return Bench(tmp_path, native_hook(tmp_path / "proper", installation.script(f"smartcommit-{HOOK}")))


@pytest.fixture
def framed(tmp_path: Path, framework: Framework, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The hook through pre-commit or prek, whose git hook is the one that is watched."""
    installed = tmp_path_factory.getbasetemp() / f"installed-by-{Path(framework.command[-1]).name}"
    proper = installed / ".git" / "hooks" / HOOK
    if not proper.exists():  # the same for every repository, and installing takes as long as a commit
        framework.install(Repo.init(installed), HOOK)
    return Bench(tmp_path, proper, {CONFIG: f"repos:\n{framework.entry(HOOK)}"})


def hold(mode: Mode, bench: Bench) -> Outcome:
    """Run `mode` and hold git to what the list says it gives, and the hook to what it must do."""
    mode.arrange(bench)
    command = [word.replace("MESSAGE", str(bench.path / "message")) for word in shlex.split(mode.command)]
    outcome = bench.run(*command, env=mode.env, stdin=mode.stdin)
    assert "Traceback" not in outcome.output
    assert [call.source for call in outcome.calls] == [mode.gives] * mode.calls, outcome.output
    if mode.expects == DRAFTED:
        (call,) = outcome.calls
        assert HEADER.match(call.draft), outcome.output
        assert b"\n#" not in call.draft
        assert mode.about in call.draft.decode(mode.charset)
        assert outcome.opened == (call.after if mode.opens else None)
        assert outcome.done.returncode == 0, outcome.output
        assert bench.recorded().startswith(call.draft.decode(mode.charset).rstrip("\n").encode())
        if not mode.opens:
            assert bench.recorded().decode().strip("\n") == call.after.decode(mode.charset).strip("\n")
            assert b"#" not in bench.recorded()
    else:
        assert all(call.before == call.after for call in outcome.calls), outcome.output
    if mode.check is not None:
        mode.check(bench, outcome)
    return outcome


@pytest.mark.parametrize("mode", HERE, ids=named)
def test_native_commit_is_drafted_or_left_as_it_was(mode: Mode, native: Bench) -> None:
    outcome = hold(mode, native)
    unedited = mode.env.get("GIT_EDITOR") == ":" or "--no-edit" in mode.command
    starts_git = mode.calls == 1 and (mode.gives == "" or (mode.gives == "template" and not unedited))
    # What a squash has above its first message may have to go.
    starts_git = starts_git or mode.name == "rebase with a squash"
    assert bool(outcome.started) == starts_git


@pytest.mark.parametrize("mode", [mode for mode in HERE if mode.expects == KEPT], ids=named)
def test_no_message_of_git_is_replaced_without_an_editor(mode: Mode, native: Bench) -> None:
    hold(dataclasses.replace(mode, env={**mode.env, "GIT_EDITOR": ":"}), native)


@pytest.mark.parametrize("mode", [mode for mode in HERE if mode.name in UNDER_A_FRAMEWORK], ids=named)
@pytest.mark.slow
def test_commit_under_a_framework_is_drafted_or_left_as_it_was(mode: Mode, framed: Bench) -> None:
    hold(mode, framed)


def test_message_file_is_found_where_the_configuration_filters_it_out(framework: Framework, repo: Repo) -> None:
    framework.configure(repo, HOOK, top="files: ^src/\n")
    framework.install(repo, HOOK)
    repo.stage({"src/zebra.py": "stripes = 7\n"})
    repo.git("commit", env={"GIT_EDITOR": "true"})
    assert HEADER.match(repo.message().encode())


def test_message_file_is_found_where_the_hook_passes_no_name(native: Bench) -> None:
    proper = native.repo.path / ".git" / "hooks" / PROPER
    proper.write_text(proper.read_text().replace(' "$@"', ""))
    outcome = hold(MODES[0], native)
    assert outcome.calls[0].count == 1


def test_unstaged_changes_survive_a_commit(framed: Bench) -> None:
    repo = framed.repo
    given.staged(framed)
    repo.write("src/zebra.py", "def zebra_stripes():\n    return 7\n\n\ndef walrus():\n    pass\n")
    repo.write("src/kept.py", "def tusks():\n")
    repo.write("walrus.py", "untracked\n")
    (repo.path / "shared.txt").unlink()
    before = {path: path.read_bytes() for path in repo.path.glob("**/*.*") if ".git" not in path.parts}
    failed = framed.run("commit", env={"GIT_EDITOR": "false"})
    assert failed.done.returncode == 1
    done = framed.run("commit")
    assert done.done.returncode == 0
    for outcome in failed, done:
        assert HEADER.match(outcome.calls[0].draft)
        mentions_no_walrus(framed, outcome)
    assert {path: path.read_bytes() for path in repo.path.glob("**/*.*") if ".git" not in path.parts} == before
    assert repo.git("status", "--porcelain") == " D shared.txt\n M src/kept.py\n M src/zebra.py\n?? walrus.py\n"


@pytest.mark.parametrize(
    ("earlier", "drafts"),
    [
        ('printf "[ABC-7] what a hook wrote\\n" > "$1"', False),
        ('printf "feat: what a hook wrote\\n\\n" | cat - "$1" > "$1.new" && mv "$1.new" "$1"', False),
        ('echo "# a comment of another hook" >> "$1"', True),
        ('git interpret-trailers --in-place --trailer "Change-Id: I7" "$1"', True),
    ],
)
def test_text_of_an_earlier_hook_is_left_alone(precommit: Framework, repo: Repo, earlier: str, drafts: bool) -> None:
    legacy = repo.write(f".git/hooks/{HOOK}", f'#!/bin/sh\n{earlier}\ncp "$1" ../before\n', executable=True)
    precommit.configure(repo, HOOK)
    precommit.install(repo, HOOK)
    assert legacy.with_name(f"{HOOK}.legacy").exists()
    repo.stage({"zebra.py": "stripes = 7\n"})
    repo.run("commit", env={"GIT_EDITOR": repo.editor('cp "$1" ../opened')})
    before, opened = ((repo.path.parent / name).read_bytes() for name in ("before", "opened"))
    assert opened.endswith(before)
    assert bool(HEADER.match(opened.removesuffix(before))) == drafts


def test_hook_changes_nothing_but_the_message_file(native: Bench, installation: Installation) -> None:
    repo = native.repo
    given.staged_and_another(native)
    repo.write("untracked.txt", "untracked\n")
    repo.write(".git/COMMIT_EDITMSG", "\n# Please enter the commit message\n")
    state = repo.state()
    before = list_tree(repo.path)
    subprocess.run(
        [installation.script(f"smartcommit-{HOOK}"), ".git/COMMIT_EDITMSG"],
        cwd=repo.path, env={**os.environ, "GIT_INDEX_FILE": ".git/index", "GIT_EDITOR": "vi"}, check=True,
    )  # fmt: skip
    after = list_tree(repo.path)
    # The source of the message is kept for `commit-msg`.
    kept = {".git/smartcommit", ".git/smartcommit/message-source"}
    assert {path for path in after if before.get(path) != after[path]} == {".git/COMMIT_EDITMSG", *kept}
    assert set(after) == {*before, *kept}
    assert repo.state() == state
