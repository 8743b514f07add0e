"""A weak draft in real commits: the editor opens with type and scope, and `commit-msg` sees to what is left."""

import sys

import pytest

from tests.conftest import ROOT
from tests.support.installation import Installation
from tests.support.repository import Repo

# The hook proper, behind a drafter that is not sure of itself.
HOOK = f"""\
#!{sys.executable}
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "hooks")!r}]
from smartcommit.draft import engine
from smartcommit.draft.result import Draft
made = Draft("feat(api): add b.py\\n\\n- a guess\\n", weak=True, sure=0.2, facts=("1 file: added",))
made.candidates, made.second_type = ("set x to 1", "read\\x1b[2J x"), "fix"
engine.draft_embedded = lambda request: made
from smartcommit_hooks.prepare_commit_msg import main
sys.exit(main(sys.argv[1:]))
"""
OPENED = """\
feat(api): {trailers}

# 1 file: added
# smartcommit: write the summary, or delete the '# ' before one of these:
# feat(api): set x to 1
# feat(api): add b.py
# fix(api): set x to 1

# """
WHOLE = "feat(api): add b.py\n\n- a guess\n"


@pytest.fixture
def hooked(repo: Repo, installation: Installation) -> Repo:
    """A repository with a staged file and both hooks."""
    repo.commit(files={"a.py": "x = 0\n"})
    repo.stage({"b.py": "x = 1\n"})
    repo.write(".git/hooks/prepare-commit-msg", HOOK, executable=True)
    installation.add_hooks(repo, "commit-msg")
    return repo


def commit(repo: Repo, edit: str, *options: str, **environment: str) -> tuple[str, int, str]:
    """`git commit OPTIONS` with an editor that runs the shell text `edit` on `$1`: what it opened, status, output."""
    editor = repo.editor(f'cp "$1" "{repo.path}/.git/opened"\n{edit}')
    done = repo.run("commit", *options, env={"GIT_EDITOR": editor, **environment})
    opened = repo.path / ".git" / "opened"
    return opened.read_text() if opened.exists() else "", done.returncode, done.stderr.decode()


def test_the_editor_opens_with_type_and_scope_and_what_is_written_there_is_committed(hooked: Repo) -> None:
    opened, status, said = commit(hooked, 'sed -i "1s/$/count from one/" "$1"')
    assert opened.startswith(OPENED.format(trailers=""))
    assert (status, said) == (0, "")
    assert hooked.message() == "feat(api): count from one\n\n"


def test_what_the_branch_says_stands_first_where_it_is_not_sure(repo: Repo, installation: Installation) -> None:
    repo.commit(files={"hosts.py": "def read(hosts):\n    one = 1\n    return hosts\n"})
    installation.add_hooks(repo, "prepare-commit-msg", "commit-msg")
    repo.git("switch", "-q", "-c", "fix/named-hosts")
    repo.stage({"hosts.py": "def read(hosts):\n    while hosts:\n        one = hosts.pop()\n    return one\n"})
    opened, *_ = commit(repo, "")
    lines = opened.split("\n")
    place = lines.index("# fix: named hosts")
    assert lines[0] == "fix: "
    assert "(the first is from the branch):" in lines[place - 1]


def test_taking_one_is_deleting_two_characters(hooked: Repo) -> None:
    opened, status, said = commit(hooked, 'sed -i "s/^# \\(feat(api): set\\)/\\1/" "$1"', "--signoff", "-v")
    assert "\n+x = 1\n" in opened
    assert (status, said) == (0, "smartcommit: the header you chose replaces the empty 'feat(api): '\n")
    subject, blank, signed, *_ = hooked.message().split("\n")
    assert (subject, blank) == ("feat(api): set x to 1", "")
    assert signed.startswith("Signed-off-by: ")


def test_deleting_the_open_header_as_well_is_fine_and_so_is_another_comment_string(hooked: Repo) -> None:
    hooked.git("config", "core.commentChar", ";")
    opened, status, said = commit(hooked, 'sed -i "1d; s/^; \\(fix\\)/\\1/" "$1"')
    assert "\n; smartcommit: write the summary, or delete the '; ' before one of these:\n; feat(api): set" in opened
    assert (status, said) == (0, "")
    assert hooked.message() == "fix(api): set x to 1\n\n"


def test_an_open_header_is_refused_and_drafted_again(hooked: Repo) -> None:
    hooked.commit("base", {".smartcommit": "[smartcommit]\n\tticket = Refs: [A-Z]+-[0-9]+\n"})
    hooked.git("checkout", "-q", "-b", "AB-7")
    hooked.stage({"b.py": "x = 2\n"})
    for _ in range(2):
        opened, status, said = commit(hooked, "")
        assert opened.startswith(OPENED.format(trailers="\n\nRefs: AB-7"))
        assert status == 1
        assert said == (
            "smartcommit: the summary is empty: run 'git commit' again, and write one after 'feat(api): ' or choose "
            "a header from the comments\n"
        )


def test_a_body_below_an_open_header_is_kept_for_the_next_attempt(hooked: Repo) -> None:
    _, status, said = commit(hooked, 'sed -i "2s/^/\\nBecause of x.\\n/" "$1"')
    assert status == 1
    assert "Your message was saved" in said
    opened, *_ = commit(hooked, "")
    assert opened.startswith("feat(api):\n\nBecause of x.\n")


@pytest.mark.parametrize(
    "options",
    [["--no-edit"], ["--cleanup=scissors"], ["-c", "commit.cleanup=whitespace"], ["-c", "commit.status=false"],
     ["-c", "smartcommit.wholeDrafts=true"]],
    ids=" ".join,
)  # fmt: skip
def test_the_whole_draft_is_written_where_nobody_can_complete_it_or_wants(hooked: Repo, options: list[str]) -> None:
    if options[0] == "-c":
        hooked.git("config", *options[1].split("="))
        options = []
    opened, status, said = commit(hooked, "", *options)
    assert status == 0, said
    assert opened == "" or opened.startswith(WHOLE)
    assert hooked.message().startswith(WHOLE)


def test_a_draft_that_nobody_edits_or_checks_is_whole(hooked: Repo) -> None:
    for editor in ("true", "cat"):
        assert hooked.run("commit", env={"GIT_EDITOR": editor}).returncode == 0
        assert hooked.message().startswith(WHOLE)
        hooked.git("reset", "-q", "--soft", "HEAD~1")
    (hooked.path / ".git" / "hooks" / "commit-msg").unlink()
    opened, status, _ = commit(hooked, "")
    assert (opened.startswith(WHOLE), status) == (True, 0)
