"""The commit-msg hook, run by real git: the verdict on what git records, for every operation that calls it."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from smartcommit.message.rules import DEFAULT_TYPES
from smartcommit_hooks.commit_msg import main
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows

GOOD = "feat: add a flag"
KEPT = "smartcommit/refused-message"


@pytest.fixture
def hooked(repo: Repo, installation: Installation) -> Repo:
    repo.commit("feat: base", {"base": "1\n"})
    installation.add_hooks(repo, "commit-msg")
    return repo


def stage(repo: Repo, name: str = "file") -> None:
    repo.stage({name: "content\n"})


def commit(repo: Repo, *options: str, text: str | None = None) -> int:
    """`git commit OPTIONS`, typing `text` in the editor where given; the exit status."""
    env = {}
    if text is not None:
        repo.write("../typed", text)
        env = {"GIT_EDITOR": repo.editor(f'cat "{repo.path}/../typed" "$1" > "$1.new"; mv "$1.new" "$1"')}
    return repo.run("commit", "--allow-empty", *options, env=env).returncode


@rows(
    ("options", "status"),
    (["-m", GOOD], 0),
    (["-m", "oops"], 1),
    (["-m", "# feat: x"], 1),
    (["-m", "#123 fix"], 1),
    (["-m", GOOD, "-m", "# kept, for no editor is used"], 0),
    (["-m", "Merge whatever I like"], 1),
    (["-m", "Mergesort: speed up"], 1),
    (["-m", 'Revert "feat: base"', "-m", "This reverts commit 0123456789012345678901234567890123456789."], 1),
    (["-m", "Revert to the old way"], 1),
    (["-m", "1.2.3"], 1),
    (["-m", "Squashed commit of the following:"], 1),
    (["-m", "bad header", "-m", "Merge branch x"], 1),
    (["-m", GOOD, "-s"], 0),
    (["-m", GOOD, "--trailer", "Reviewed-by: B"], 0),
    (["--fixup=HEAD"], 0),
    (["--squash=HEAD", "-m", "more"], 0),
    (["-m", "fixup! nothing like it"], 1),
    (["-m", "fixup!feat: base"], 1),
    (["-m", "fixup! fixup! feat: base"], 0),
    (["-m", "amend! feat: base", "-m", "oops"], 1),
    (["-m", "amend! feat: base", "-m", "feat: better"], 0),
    (["--amend", "-C", "HEAD"], 0),
    (["--amend", "--no-edit"], 0),
    (["--no-verify", "-m", "oops"], 0),
    (["--allow-empty-message", "-m", ""], 1),
)
def test_a_message_on_the_command_line_is_judged_as_recorded(hooked: Repo, options: list[str], status: int) -> None:
    head = hooked.git("rev-parse", "HEAD").strip()
    assert commit(hooked, *options) == status
    hooked.git("reset", "-q", "--soft", head)


@pytest.mark.parametrize(
    ("config", "options", "text", "status"),
    [
        ({}, ["-v", "-s"], f"# a note\n{GOOD}\n\nwhy\n", 0),
        ({"core.commentChar": ";"}, [], f"# a note\n{GOOD}\n", 1),
        ({"commit.cleanup": "scissors"}, [], f"# kept\n{GOOD}\n", 1),
    ],
    ids=str,
)
def test_a_message_typed_in_the_editor_is_judged_as_git_records_it(
    hooked: Repo, config: dict[str, str], options: list[str], text: str, status: int
) -> None:
    for key, value in config.items():
        hooked.git("config", key, value)
    stage(hooked)
    assert commit(hooked, *options, text=text) == status


EMPTY, UNTOUCHED = "Aborting commit due to empty commit message.", "Aborting commit; you did not edit the message."


@rows(
    ("options", "editor", "said"),
    ([], "true", EMPTY),
    (["-s"], "true", EMPTY),
    (["-s", "-v"], "true", EMPTY),
    (["--trailer", "Reviewed-by: B <b@x.org>"], "true", EMPTY),
    (["--cleanup=scissors", "-s"], "true", EMPTY),
    (["-t", "/dev/null"], "true", EMPTY),
    ([], ":", EMPTY),
    (["-s", "-v"], ":", EMPTY),
    (["-c", "commit.cleanup=whitespace"], "true", EMPTY),
    (["-c", "commit.template=../template"], "true", UNTOUCHED),
    (["-c", "commit.template=../template", "-s"], "true", UNTOUCHED),
    (["-c", "commit.template=../template"], ":", UNTOUCHED),
)
def test_leaving_an_editor_as_it_was_is_no_error(hooked: Repo, options: list[str], editor: str, said: str) -> None:
    hooked.write("../template", "# A note\nWhy:\n\nHow was it tested:\n")
    head = hooked.git("rev-parse", "HEAD")
    config = options[:2] if options[:1] == ["-c"] else []
    done = hooked.run(*config, "commit", "--allow-empty", *options[len(config) :], env={"GIT_EDITOR": editor})
    assert (done.returncode, done.stderr.decode().splitlines()) == (1, [said])
    assert hooked.git("rev-parse", "HEAD") == head
    assert not (hooked.path / ".git" / KEPT).exists()


def test_an_edited_template_is_checked(hooked: Repo) -> None:
    hooked.write("../template", "Why:\n")
    hooked.git("config", "commit.template", "../template")
    assert commit(hooked, text="feat: x\n\n") == 0
    assert commit(hooked, text="Added x\n\n") == 1
    assert (hooked.path / ".git" / KEPT).exists()


def test_an_editor_that_a_user_turned_off_does_not_make_comments_a_message(hooked: Repo) -> None:
    assert hooked.run("commit", "--allow-empty", "--amend", env={"GIT_EDITOR": ":"}).returncode == 0
    hooked.write("../text", "feat: x\n\n# no comment\n#\n# to git\n")
    assert commit(hooked, "-F", "../text") == 0
    assert "# no comment" in hooked.message()
    assert commit(hooked, "-m", "# feat: x\n#\n# y") == 1


PRELUDE = """
save() { echo "$3" >"$2"; git add "$2"; git -c core.hooksPath=/dev/null commit -qm "$1"; }
side() { git checkout -qb side; save 'feat: side' "${1:-side}" side; git checkout -q main; }
squash() { side; git merge --squash side; }
merge() { side; save 'feat: main' main 1; git merge --no-edit side; }
diverge() { side base; save 'feat: main' base other; }
resolve() { echo both >base; git add base; }
reword() { GIT_SEQUENCE_EDITOR='sed -i s/^pick/reword/' git rebase -i HEAD~1; }
"""
OPERATIONS = (
    ("save oops wrong 1; git revert --no-edit HEAD", 0),
    ("side; save oops other 1; git checkout -q side; git cherry-pick main", 0),
    ("save oops one 1; save 'fixup! oops' one 2; git rebase -i --autosquash HEAD~2", 0),
    ("diverge; git checkout -q side; git rebase main || resolve; git rebase --continue", 0),
    ("save oops a 1; git format-patch --stdout -1 >../patch; git reset -q --hard HEAD~1; git am -q ../patch", 0),
    ("git tag -a v1 -m oops; git notes add -m oops; echo changed >base; git stash push -m oops", 0),
    ("merge", 0),
    ("diverge; git merge side || resolve; git merge --continue", 0),
    ("squash; git commit", 0),
    ("diverge; git merge --squash side || resolve; git commit -s --no-edit", 0),
    ("diverge; git merge --squash side || resolve; git -c core.commentChar=% -c commit.cleanup=whitespace commit", 0),
    ("squash; git commit; git commit --amend", 0),
    ("squash; git commit; reword", 0),
    ("squash; git commit -m oops", 1),
    ("squash; GIT_EDITOR=$ADD git commit", 1),
    ("squash; git commit -F .git/SQUASH_MSG --trailer=Ticket=7", 0),
    ("squash; sed 's/Author: /&M. /' .git/SQUASH_MSG | git commit -F -", 1),
    ("squash; cp .git/SQUASH_MSG ../list; git reset -q --hard; git commit --allow-empty -F ../list", 1),
    ("save 'feat: x' x 1; save 'feat: no x' x 2; save 'fix: x' x 1; git revert HEAD~1 || git commit --allow-empty", 0),
    ("save 'feat: x' x 1; git revert --no-edit HEAD; git reset -q --hard @~1; git cherry-pick -n @{1}; git commit", 0),
    ("save 'feat: wrong' wrong 1; git revert -n HEAD; git commit", 0),
    ("diverge; git cherry-pick side || resolve; git commit", 0),
    ("save 'feat: two' two 2; export GIT_EDITOR=$REPLACE; reword", 1),
    ("merge; git commit --amend -m oops", 1),
)


@pytest.mark.parametrize(("script", "status"), OPERATIONS)
def test_each_operation_of_git_gets_the_verdict_its_state_proves(hooked: Repo, script: str, status: int) -> None:
    editors = {"ADD": """sh -c 'echo oops >>"$1"' sh""", "REPLACE": """sh -c 'echo oops >"$1"' sh"""}
    done = subprocess.run(
        ["sh", "-ec", PRELUDE + script], cwd=hooked.path, env={**os.environ, "GIT_EDITOR": "true", **editors},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode != 0, "header-" in done.stderr) == (bool(status), bool(status)), done.stderr


def test_a_fixup_finds_its_target_beside_a_file_called_head_and_below_a_signature(hooked: Repo) -> None:
    hooked.stage({"HEAD": "no revision\n"})
    hooked.git("config", "log.showSignature", "true")
    signed = hooked.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n YQ==\n -----END PGP SIGNATURE-----\n\n", 1
    )
    found = hooked.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode())
    hooked.git("update-ref", "HEAD", found.strip())
    assert commit(hooked, "-m", "fixup! feat: base") == 0


def test_a_folder_whose_name_holds_a_line_feed_is_judged_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = Repo.init(tmp_path / "two\nlines")
    repo.write(".smartcommit", "[smartcommit]\n types = docs\n")
    repo.write(".git/COMMIT_EDITMSG", "feat: x\n")
    monkeypatch.chdir(repo.path)
    assert main([]) == 1
    assert "two\\x0alines/.git/COMMIT_EDITMSG:1:1: type-unknown" in capsys.readouterr().err
    assert (repo.path / ".git" / KEPT).read_text() == "feat: x\n"


@rows(("name", "value"), ("types", "A" * 100_000), ("summaryLimit", "9" * 100_000))
def test_no_policy_is_printed_in_full(inside: Repo, capsys: pytest.CaptureFixture[str], name: str, value: str) -> None:
    inside.write(".smartcommit", f"[smartcommit]\n {name} = {value}\n")
    inside.write(".git/COMMIT_EDITMSG", "feat: x\n")
    assert main([]) == 2
    said = capsys.readouterr().err
    assert len(said) < 3000
    assert "hint: set it to " in said
    assert "sys." not in said


@pytest.mark.parametrize("charset", ["ISO-8859-1", "GBK", "SHIFT_JIS"])
def test_a_message_is_judged_in_the_charset_it_is_recorded_in(hooked: Repo, charset: str) -> None:
    hooked.git("config", "i18n.commitEncoding", charset)
    hooked.write("../typed", "feat: 漢字".encode(charset) if charset != "ISO-8859-1" else "feat: café".encode(charset))
    assert hooked.run("commit", "--allow-empty", "-F", "../typed").returncode == 0
    hooked.git("config", "i18n.commitEncoding", "no-such-charset")
    done = hooked.run("commit", "--allow-empty", "-m", GOOD)
    assert done.returncode == 1
    assert b"unknown encoding, 'no-such-charset'" in done.stderr


def test_a_refused_text_is_kept_offered_and_dropped_on_success(hooked: Repo) -> None:
    stage(hooked)
    assert commit(hooked, text="oops: a long text\n\nthat took an hour\n") == 1
    kept = hooked.path / ".git" / KEPT
    assert kept.read_text() == "oops: a long text\n\nthat took an hour\n"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert hooked.run("commit", env={"GIT_EDITOR": "false"}).returncode != 0
    assert kept.exists()
    editor = hooked.editor('sed -i s/oops:/feat:/ "$1"')
    (hooked.path / "sub").mkdir()
    name = hooked.git("-C", "sub", "rev-parse", "--git-path", KEPT).strip()
    done = hooked.run("commit", "-e", "-F", name, env={"GIT_EDITOR": editor}, cwd=hooked.path / "sub")
    assert done.returncode == 0, done.stderr
    assert hooked.message().startswith("feat: a long text\n\nthat took an hour")
    assert not kept.exists()


def test_a_sign_off_in_a_refused_text_is_not_doubled(hooked: Repo, installation: Installation) -> None:
    installation.add_hooks(hooked, "prepare-commit-msg")
    stage(hooked)
    assert commit(hooked, "-s", "-m", "oops") == 1
    hooked.git("commit", "-s", env={"GIT_EDITOR": hooked.editor("sed -i 's/^oops/feat: x/' \"$1\"")})
    assert hooked.message() == "feat: x\n\nSigned-off-by: Cora Committer <cora@example.invalid>\n\n"


def test_worktrees_keep_their_refused_texts_apart(hooked: Repo, tmp_path: Path) -> None:
    hooked.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    linked = Repo(tmp_path / "linked")
    assert commit(linked, "-m", "oops in the worktree") == 1
    assert (hooked.path / ".git/worktrees/linked" / KEPT).read_text() == "oops in the worktree\n"
    assert not (hooked.path / ".git" / KEPT).exists()


def test_the_projects_policy_counts_from_the_tree_and_from_head(hooked: Repo) -> None:
    hooked.stage({".smartcommit": "[smartcommit]\n\ttypes = wip\n\tsummaryLimit = 10\n\twarnings = summary-length\n"})
    assert commit(hooked, "-m", "wip: the policy counts as soon as it is in the tree") == 0
    (hooked.path / ".smartcommit").unlink()
    assert commit(hooked, "-m", "wip: from HEAD") == 0
    assert commit(hooked, "-m", GOOD) == 1


def test_a_draft_leaves_the_ticket_open_and_an_empty_one_is_refused(hooked: Repo, installation: Installation) -> None:
    hooked.write(".smartcommit", "[smartcommit]\n\tticket = ^Ticket: [A-Z]{2,}-[0-9]+\n")
    hooked.git("config", "smartcommit.wholeDrafts", "true")
    installation.add_hooks(hooked, "prepare-commit-msg")
    stage(hooked)
    opened = hooked.path / "../opened"
    done = hooked.run("commit", env={"GIT_EDITOR": hooked.editor(f'cp "$1" "{opened}"')})
    assert done.returncode == 1
    assert b":3:8: ticket the ticket after 'Ticket:' is missing\n" in done.stderr
    assert opened.read_text().startswith("feat: add file\n\nTicket: \n\n# smartcommit: add the ticket after 'Ticket:'")
    editor = hooked.editor('sed -i "s/^Ticket:.*/Ticket: AB-7/" "$1"')
    assert hooked.run("commit", env={"GIT_EDITOR": editor}).returncode == 0
    assert hooked.message() == "feat: add file\n\nTicket: AB-7\n\n"


def test_a_required_sign_off_is_gits_to_add_and_keeps_no_draft_away(hooked: Repo, installation: Installation) -> None:
    hooked.write(".smartcommit", "[smartcommit]\n\tsignOff = require\n")
    hooked.git("config", "smartcommit.wholeDrafts", "true")
    installation.add_hooks(hooked, "prepare-commit-msg")
    stage(hooked)
    assert commit(hooked, "-m", GOOD) == 1
    opened = hooked.path / "../opened"
    (hooked.path / ".git" / KEPT).unlink()
    assert hooked.run("commit", "-s", env={"GIT_EDITOR": hooked.editor(f'cp "$1" "{opened}"')}).returncode == 0
    assert hooked.message().startswith("feat: add file\n\nSigned-off-by: ")


FULL = "feat: x\n\nwhy\n\nConstraints:\n- Never: y\n- Avoid: z\n\nTasks [ ]:\n- [ ] a: b\n  - [ ] c\n"


def test_a_message_that_passes_survives_what_git_does_to_messages(hooked: Repo) -> None:
    hooked.write("../typed", FULL)
    stage(hooked)
    hooked.git("commit", "-q", "-F", "../typed")
    hooked.git("commit", "--allow-empty", "-q", "--amend", "-s", "--no-edit")
    hooked.git("commit", "--allow-empty", "-q", "--amend", "--no-edit", "--trailer", "Reviewed-by: B")
    hooked.git("checkout", "-q", "-b", "other", "HEAD~1")
    hooked.commit("feat: elsewhere", {"elsewhere": "1\n"})
    hooked.git("cherry-pick", "--allow-empty", "-x", "main")
    editor = hooked.editor('case "$1" in *todo) sed -i s/^pick/reword/ "$1";; esac')
    hooked.git("rebase", "-q", "-i", "HEAD~1", env={"GIT_EDITOR": editor})
    recorded = hooked.message()
    assert recorded.startswith(FULL.rstrip("\n"))
    assert "Reviewed-by: B" in recorded
    assert "(cherry picked from commit" in recorded


@rows(("action", "name"), ("merge side", "MERGE_MSG"), ("commit", "COMMIT_EDITMSG"))
def test_the_hook_finds_gits_own_file_unless_another_is_named(
    inside: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, action: str, name: str
) -> None:
    monkeypatch.setenv("GIT_REFLOG_ACTION", action)
    inside.write(f".git/{name}", "feat: x\n")
    assert main([]) == 0
    inside.write(f".git/{name}", "oops\n")
    assert main([]) == 1
    assert f"{name}:1:1: header-form" in capsys.readouterr().err
    for unreadable in ("missing", ".git"):
        assert main([unreadable]) == 2
        assert f"cannot read '{unreadable}'" in capsys.readouterr().err


def test_outside_a_repository_the_hook_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["message"]) == 2
    assert capsys.readouterr().err == (
        "smartcommit: not inside a git working tree\nhint: run 'git status' to see why\n"
    )


def test_no_message_is_printed_raw_and_the_report_stays_short(inside: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[31m\u202e\u200b\x07" + "x" * 200_000 + "\n\n" + "- \x1b]0;title\x07\n" * 2000
    inside.write("message", hostile)
    assert main(["message"]) == 1
    said = capsys.readouterr().err
    assert not set(said) & set("\x1b\x07\u202e\u200b")
    assert "\\x1b" in said
    assert len(said.encode()) < 4600


@pytest.mark.parametrize(("days", "a_day", "status"), [(1, 20, 1), (4, 1, 1), (5, 1, 0), (3, 2, 0)])
def test_a_type_of_the_history_counts_once_it_is_a_habit(hooked: Repo, days: int, a_day: int, status: int) -> None:
    hooked.commit_daily("deps: bump", days, a_day=a_day)
    hooked.commit("faet: one that got through")
    done = hooked.run("commit", "--allow-empty", "-m", "faet: x")
    listed = ", ".join(DEFAULT_TYPES)
    if status == 0:
        listed += ", and from the history: deps\n"
    assert (done.returncode, listed in done.stderr.decode()) == (1, True)
    assert commit(hooked, "-m", "deps: x") == status


@pytest.mark.parametrize(
    ("policy", "given", "corrected"),
    [
        ("", "Added the parser", "feat(parser): add the parser"),
        ("", "[WIP] parser: read it all", "feat(parser): read it all"),
        ("", "added: the parser", "feat(parser): add the parser"),
        ("", "Fixed the parser", "fix: fix the parser"),
        ("", "ABC-12 read it all", "feat(parser): read it all (ABC-12)"),
        ("", ": add the parser", "feat(parser): add the parser"),
        ("", "(core)!: add the parser", "feat(core)!: add the parser"),
        ("\timperative = true\n", "Added the parser", "feat(parser): add the parser"),
        ("\ttypes = docs wip\n", "Added the parser", "wip(parser): add the parser"),
        ("\tscopes = core\n", "Added the parser", "feat: add the parser"),
    ],
)
def test_a_header_without_a_type_gets_the_one_of_a_draft(hooked: Repo, policy: str, given: str, corrected: str) -> None:
    hooked.commit("feat(parser): add a file", {"parser/lines.py": "def count() -> int:\n    return 1\n"})
    if policy:
        hooked.write(".smartcommit", f"[smartcommit]\n{policy}")
    hooked.stage({"parser/words.py": "def read(text: str) -> list[str]:\n    return text.split()\n"})
    done = hooked.run("commit", "-m", given)
    assert done.returncode == 1
    assert done.stderr.decode().count(f"  did you mean: {corrected}\n") == 1
    assert commit(hooked, "-m", corrected) == 0


def test_a_title_with_a_version_gets_the_form_of_the_last_release(hooked: Repo) -> None:
    hooked.commit("build: add a manifest", {"setup.cfg": "[metadata]\nversion = 0.1.0\n"})
    releases = [
        ("0.2.0", "Version 0.2.0", "chore: release 0.2.0", "chore(release): release v0.2.0"),
        ("0.3.0-rc.1", "Release v0.3.0-rc.1", "chore(release): release v0.3.0-rc.1", "docs: release notes"),
        ("0.4.0", "0.4.0", "chore(release): release v0.4.0", ""),
    ]
    for version, given, proposed, made in releases:
        hooked.stage({"setup.cfg": f"[metadata]\nversion = {version}\n"})
        said = hooked.run("commit", "-m", given).stderr.decode()
        assert said.count("did you mean: ") == said.count(f"  did you mean: {proposed}\n") == 1
        said = hooked.run("commit", "-m", "Version 9.9.9").stderr.decode()
        assert "did you mean" not in said
        if made:
            assert commit(hooked, "-m", made) == 0


@rows("given", "feat", "wip", "feat(core)(cli): x", "Merge branch 'x'", "1.2", "core: x", "Added the parser")
def test_what_is_no_sentence_or_has_no_change_gets_no_type_of_a_draft(hooked: Repo, given: str) -> None:
    if given != "Added the parser":
        hooked.stage({"parser/words.py": "def read(text: str) -> list[str]:\n    return text.split()\n"})
    done = hooked.run("commit", "--allow-empty", "-m", given)
    assert (done.returncode, b"did you mean" in done.stderr) == (1, False)
    hooked.git("reset", "-q", "--hard")


def test_a_draft_that_fails_hides_no_report(hooked: Repo) -> None:
    hooked.stage({"file": "content\n"})
    tree = hooked.git("rev-parse", "HEAD^{tree}").strip()
    (hooked.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    hooked.write("message", "Added the parser\n")
    done = hooked.run("hook", "run", "commit-msg", "--", "message")
    assert done.returncode == 1
    assert b"message:1:1: header-form" in done.stderr
    assert b"Traceback" not in done.stderr


def follow_advice(repo: Repo, message: str, cwd: Path | None = None) -> str:
    """Run every command that the refusal of `message` names to allow it; return the refusal."""
    done = repo.run("commit", "--allow-empty", "-m", message, cwd=cwd)
    assert done.returncode == 1
    said = done.stderr.decode()
    for advice in said.split("to allow it, run: git ")[1:]:
        repo.run(*shlex.split(advice.partition("\n")[0]), cwd=cwd)
    return said


@pytest.mark.parametrize("below", [".", "a/b c"], ids=["at the top", "below it"])
@pytest.mark.parametrize("place", ["nothing", "policy", "git config", "folder"])
def test_the_command_in_the_refusal_of_a_type_allows_it(hooked: Repo, place: str, below: str) -> None:
    here = hooked.path / below
    here.mkdir(parents=True, exist_ok=True)
    if place == "policy":
        hooked.write(".smartcommit", "[smartcommit]\n\ttypes = feat\n\ttypes = fix\n")
    elif place == "git config":
        hooked.git("config", "smartcommit.types", "feat fix")
    elif place == "folder":
        hooked.write(".smartcommit/policy", "[smartcommit]\n\tsummaryLimit = 80\n")
    said = follow_advice(hooked, "wip: add cases", here)
    assert ("unknown type (.smartcommit sets no types" in said) is (place == "folder")
    assert "did you mean" not in said
    assert commit(hooked, "-m", "wip: add cases") == 0
    assert commit(hooked, "-m", GOOD) == 0


@pytest.mark.parametrize("place", ["nothing", "policy", "git config"])
@pytest.mark.parametrize("scope", ["api,cli", "api, cli", "api/cli", "PROJ-123", "API,c_sharp"])
def test_the_command_in_the_refusal_of_a_scope_allows_it(hooked: Repo, scope: str, place: str) -> None:
    hooked.commit_daily("deps: bump", days=5)
    if place == "policy":
        hooked.write(".smartcommit", "[smartcommit]\n\ttypes = feat deps\n")
    elif place == "git config":
        hooked.git("config", "smartcommit.scopeForm", "slash")
    if commit(hooked, "-m", f"feat({scope})!: add cases") == 1:
        assert "did you mean: feat!: add cases" in follow_advice(hooked, f"feat({scope})!: add cases")
        assert commit(hooked, "-m", f"feat({scope})!: add cases") == 0
    # The types of the history still hold.
    assert commit(hooked, "-m", "deps: bump 4") == 0


@pytest.mark.parametrize("place", ["policy", "git config"])
def test_the_command_in_the_refusal_of_an_unknown_scope_allows_it(hooked: Repo, place: str) -> None:
    if place == "policy":
        hooked.write(".smartcommit", "[smartcommit]\n\tscopes = api\n\tscopeForm = comma word\n")
    else:
        hooked.git("config", "smartcommit.scopes", "api")
        hooked.git("config", "smartcommit.scopeForm", "comma word")
    follow_advice(hooked, "feat(api,web,c_sharp): add cases")
    assert commit(hooked, "-m", "feat(api,web,c_sharp): add cases") == 0


def test_a_policy_keeps_the_types_of_the_history_out(hooked: Repo) -> None:
    hooked.commit_daily("deps: bump", days=5)
    assert commit(hooked, "-m", "deps: bump 4") == 0

    def refuse(reason: str) -> None:
        done = hooked.run("commit", "--allow-empty", "-m", "deps: bump 5")
        assert done.returncode == 1
        assert f"unknown type ({reason} sets no types, and keeps out those from the history)" in done.stderr.decode()

    hooked.git("config", "smartcommit.scopes", "api")
    refuse("smartcommit.scopes")
    hooked.git("config", "--unset", "smartcommit.scopes")
    hooked.write(".smartcommit/policy", "[smartcommit]\n\tsummaryLimit = 80\n")
    refuse(".smartcommit")


@rows("header", "Te_st: add cases", f"{'x' * 30}: add cases", "feat(-): add cases")
def test_what_can_be_no_type_and_no_scope_is_not_allowed_by_a_command(hooked: Repo, header: str) -> None:
    done = hooked.run("commit", "--allow-empty", "-m", header)
    assert done.returncode == 1
    assert b"to allow it" not in done.stderr


@pytest.mark.parametrize(
    ("past", "scope", "expected"),
    [
        ([], "c_sharp", 1),
        (["c_sharp"], "c_sharp", 0),
        (["API"], "API", 0),
        (["services/s3", "services/fs"], "services/hf", 0),
        (["services/s3", "services/fs"], "bindings/go", 1),
        (["services/s3", "services/fs"], "services/two words", 1),
        (["services/s3", "bindings/go"], "services/hf", 1),
        (["git_status", "c_sharp"], "git_branch", 0),
        (["git_status", "c_sharp"], "Git_Branch", 1),
        (["services/s3", "services/fs"], "git_branch", 1),
    ],
)
def test_a_scope_is_allowed_as_the_history_spells_it_and_a_third_after_two_of_a_form(
    hooked: Repo, past: list[str], scope: str, expected: int
) -> None:
    for other in past:
        hooked.commit(f"fix({other}): y")
    assert commit(hooked, "-m", f"fix({scope}): x") == expected


def test_in_a_shallow_clone_an_unknown_type_is_a_warning(hooked: Repo, tmp_path: Path) -> None:
    hooked.commit("fix: y")
    clone = tmp_path / "shallow"
    hooked.git("clone", "-q", "--depth=1", f"file://{hooked.path}", str(clone))
    shallow = Repo(clone)
    shallow.write(".git/hooks/commit-msg", (hooked.path / ".git/hooks/commit-msg").read_text(), executable=True)
    done = shallow.run("commit", "--allow-empty", "-m", "deps: x")
    assert done.returncode == 0
    assert b"type-unknown" in done.stderr
    assert commit(shallow, "-m", "Added a thing") == 1
