"""Every message that docs/troubleshooting.md explains is one that a user gets to see."""

import re
import shlex
import sys

import pytest

from tests.support.documentation import ROOT, find_blocks, find_rows, names_in, run_shell
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.workspace import on_path

PAGE = ROOT / "docs" / "troubleshooting.md"
MESSAGES = [row[0].strip("`") for row in find_rows(PAGE) if len(row) == 3 and row[0] != "message"]
CHANGE = "echo a >a.py; "
# A port that nothing listens on.
SERVER = "git config smartcommit.provider openai; git config smartcommit.apiBase http://127.0.0.1:9/v1; "
HUSKY = find_blocks(ROOT / "docs" / "installing.md", "sh")[1].text
PRE_COMMIT = f"{shlex.quote(sys.executable)} -m pre_commit"
# What makes each message appear, in a shell with our commands on PATH, in a repository with one commit.
PROVOKED = {
    "header-form the line does not start with a type": "smartcommit check -m 'Describe it'",
    "type-unknown unknown type": "smartcommit check -m 'cake: x'",
    "unknown key '...' in '.smartcommit'": (
        r"printf '[smartcommit]\n\tsumaryLimit = 3\n' >.smartcommit; smartcommit check -m 'feat: x'"
    ),
    "nothing staged to draft a message for": "smartcommit draft",
    "... is gone, message not checked; run 'smartcommit install' again": (
        "smartcommit install; sed -i 's|^python=.*|python=/gone|' .git/hooks/commit-msg; git commit --allow-empty -m x"
    ),
    "its package is gone or damaged, message not checked": (
        "smartcommit install; sed -i 's|^sys.path += .*|sys.path += []|' .git/hooks/commit-msg; "
        "git commit --allow-empty -m x"
    ),
    "smartcommit is not on PATH: message not checked": f"PATH=/nowhere\n{HUSKY}",
    "Your pre-commit configuration is unstaged.": (
        f"echo 'repos: []' >.pre-commit-config.yaml; git add -N .pre-commit-config.yaml; {PRE_COMMIT} run"
    ),
    "git looks for hooks in '...', in the working tree": "git config core.hooksPath .husky; smartcommit install",
    "git looks for hooks in '...', which is not this repository's": (
        "git config core.hooksPath /nowhere; smartcommit install"
    ),
    "git looks for hooks in '...', where pre-commit cannot install any": (
        "git config core.hooksPath .husky; smartcommit install --pre-commit"
    ),
    "cannot read '...': bad revision '...'": "smartcommit check --range nowhere..HEAD",
    "locked by another git command, or by one that was killed: '...'": (
        CHANGE + "touch .git/index.lock; git smart-commit --yes"
    ),
    "HEAD has moved since the split": (
        CHANGE + "git smart-commit --yes; git commit --allow-empty -m x; git smart-commit undo"
    ),
    # A directory cannot be removed as a file.
    "warning: cannot tidy up: '...'": (
        CHANGE
        + "git smart-commit --yes; (cd .git/smartcommit/split/*; mkdir journal.x); echo >b; git smart-commit --yes"
    ),
    "a merge is in progress": CHANGE + "git rev-parse HEAD >.git/MERGE_HEAD; git smart-commit",
    "cannot tell whether 'split' was requested, so nothing was split": "PRE_COMMIT=1 smartcommit-split",
    "this is a jj repository: commits made with git would leave jj's change behind": (
        CHANGE + "mkdir .jj; smartcommit session commit --session x"
    ),
    "drafted without a model: cannot reach '...': connection refused": (
        CHANGE + SERVER + "git add a.py; git config smartcommit.model x; smartcommit draft"
    ),
    "no model configured": CHANGE + SERVER + "git smart-commit --engine model",
    "'...' is a remote server, and sending changes to other machines is not allowed": (
        CHANGE + SERVER + "git config smartcommit.apiBase https://example.invalid/v1; "
        "git config smartcommit.model x; git smart-commit --engine model"
    ),
    "'...' may send what it reads to another machine, and sending changes to other machines is not allowed": (
        CHANGE + "git config smartcommit.provider command; git config smartcommit.command cat; "
        "git smart-commit --engine model"
    ),
    "the working tree has changes that do not belong to this plan: '...'": (
        "echo '- [ ] Add it' >plan.md; smartcommit execute new plan.md; smartcommit execute run plan --agent true"
    ),
    "agent '...' not found on PATH": (
        "echo '- [ ] Add it' >plan.md; smartcommit execute new plan.md; smartcommit execute run plan --agent nobody"
    ),
    "no jj repository in '...'": "smartcommit plan show",
}
# It depends on what answers on this machine.
ELSEWHERE = {"no model found on this machine": ("commands/model_test.py::test_nothing_there_is_an_error_with_a_hint")}


def test_every_message_is_seen_in_a_test() -> None:
    assert sorted(MESSAGES) == sorted([*PROVOKED, *ELSEWHERE])
    for message, test in ELSEWHERE.items():
        path, _, name = test.partition("::")
        assert name in names_in(ROOT / "tests" / path)
        assert message in (ROOT / "tests" / path).read_text()


@pytest.mark.parametrize("message", PROVOKED)
def test_a_message_appears(message: str, based: Repo, installation: Installation) -> None:
    done = run_shell(f"set +e -- .git/COMMIT_EDITMSG; {PROVOKED[message]}", based.path, PATH=on_path(installation.bin))
    pattern = re.escape(message).replace(r"\.\.\.", ".+")
    assert re.search(pattern, done.stdout), done.stdout
