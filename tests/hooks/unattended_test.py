"""`git commit --no-edit` without a message: a draft is recorded unseen, or git aborts and no text is lost."""

import subprocess

import pytest

from tests.support.installation import Installation
from tests.support.repository import Repo

ABORTED = b"Aborting commit due to empty commit message.\n"
KEPT = ".git/smartcommit/refused-message"


@pytest.fixture
def hooked(repo: Repo, installation: Installation) -> Repo:
    """A repository with the hooks of `smartcommit install` and a staged file."""
    repo.commit("feat: base", {"one.txt": "1\n"})
    subprocess.run([installation.script("smartcommit"), "install"], cwd=repo.path, check=True, capture_output=True)
    repo.stage({"guide.md": "# Guide\n"})
    return repo


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ("ticket = ^Ticket: [A-Z]+-[0-9]+\n", b"it needs a person: the ticket after 'Ticket:' is missing\n"),
        ("signOff = require\n", b"it needs a person: "),
    ],
)
def test_a_draft_that_needs_a_person_is_not_recorded(hooked: Repo, policy: str, reason: bytes) -> None:
    (hooked.path / ".git/hooks/commit-msg").unlink()
    hooked.write(".smartcommit", f"[smartcommit]\n\t{policy}")
    done = hooked.run("commit", "--no-edit")
    assert done.returncode == 1
    assert done.stderr.startswith(b"smartcommit: no draft: " + reason)
    assert done.stderr.endswith(ABORTED)
    assert hooked.message().strip() == "feat: base"


def test_a_draft_with_all_that_the_rules_ask_for_is_recorded(hooked: Repo) -> None:
    hooked.write(".smartcommit", "[smartcommit]\n\tticket = ^Ticket: [A-Z]+-[0-9]+\n\tsignOff = require\n")
    hooked.git("switch", "-q", "-c", "AB-7-guide")
    assert hooked.run("commit", "--no-edit", "-s").returncode == 0
    assert hooked.message().startswith("docs: add guide.md\n\nTicket: AB-7\n\nSigned-off-by: ")


def test_a_refused_message_is_neither_recorded_nor_lost(hooked: Repo) -> None:
    assert hooked.run("commit", "-m", "oops: an hour of work").returncode == 1
    done = hooked.run("commit", "--no-edit")
    assert done.returncode == 1
    assert b"no draft: the message that was refused is saved; 'git commit' opens it\n" in done.stderr
    assert (hooked.path / KEPT).read_text() == "oops: an hour of work\n"
    assert hooked.message().strip() == "feat: base"


@pytest.mark.parametrize("text", ["# a comment of another hook", "oops"])
def test_what_another_hook_has_written_stays_alone(hooked: Repo, text: str) -> None:
    (hooked.path / ".git/hooks/commit-msg").unlink()
    hooked.write(
        ".git/hooks.before-smartcommit/prepare-commit-msg", f"#!/bin/sh\necho '{text}' >\"$1\"\n", executable=True
    )
    for options in ((), ("-c", "core.commentChar=auto")):
        hooked.stage({"more.md": f"# {options}\n"})
        assert hooked.run(*options, "commit", "--no-edit").returncode == 0
        assert hooked.message().strip() == text
