"""A draft in the message file: what is written, that nothing else moves, and who edits and checks it afterwards."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.config import load
from smartcommit.draft import message_file
from smartcommit.draft.message_file import insert, is_checked, is_edited, prepare, prepare_unattended
from smartcommit.draft.request import read_request
from smartcommit.draft.result import Draft
from smartcommit.git.repo import Repository
from smartcommit.message.cleanup import STRIP, Cleaning, clean
from smartcommit.setup.direct_hooks import DirectHooks
from tests.support.repository import Repo
from tests.support.table import rows

STATUS = b"# Please enter the commit message\n#\n"
SIGNED_OFF = b"Signed-off-by: Ada <ada@example.invalid>\n"


@rows(
    ("text", "content", "expected"),
    ("feat: x\n", b"", b"feat: x\n"),
    ("feat: x", b"", b"feat: x\n"),
    ("feat: x\n", b"\n", b"feat: x\n\n"),
    ("feat: x\n", b"\n" + STATUS, b"feat: x\n\n" + STATUS),
    ("feat: x\n\nwhy\n", b"\n" + STATUS, b"feat: x\n\nwhy\n\n" + STATUS),
    ("\nfeat: x\n\n\n", b"\n" + STATUS, b"feat: x\n\n" + STATUS),
    # A comments-only template may begin in line 1, and without cleanup its text would join the header.
    ("feat: x\n", STATUS, b"feat: x\n\n" + STATUS),
    ("feat: x\n", b"# no line end", b"feat: x\n\n# no line end"),
    ("feat: x\n", b"\r\n# template\r\n", b"feat: x\n\n\r\n# template\r\n"),
    ("feat: x\n", b"\n\n" + SIGNED_OFF + b"\n" + STATUS, b"feat: x\n\n" + SIGNED_OFF + b"\n" + STATUS),
    ("feat: x\n\nwhy\n", b"\n\n" + SIGNED_OFF, b"feat: x\n\nwhy\n\n" + SIGNED_OFF),
    ("feat: x\n", b"\nk: v\n" + STATUS, b"feat: x\n\nk: v\n" + STATUS),
)
def test_draft_stands_in_line_1_one_blank_line_above_the_rest(text: str, content: bytes, expected: bytes) -> None:
    assert insert(text, content, Cleaning()) == expected


@rows(
    ("text", "comment", "expected"),
    ("feat: x\n\n#7 is done\n", b"#", b"feat: x\n\n #7 is done\n"),
    ("feat: x\n\n#7 is done\n", b";", b"feat: x\n\n#7 is done\n"),
    ("feat: x\n\n// a path\n/ another\n", b"//", b"feat: x\n\n // a path\n/ another\n"),
    ("feat: x\n\n- one\n  - two\n", b" ", b"feat: x\n\n- one\n\t  - two\n"),
    ("feat: x\n\n# ------------------------ >8 ------------------------\nrest\n", b"#",
     b"feat: x\n\n # ------------------------ >8 ------------------------\nrest\n"),
    ("feat: x\n\ndiff --git a/b b/b\n", b"#", b"feat: x\n\n diff --git a/b b/b\n"),
    # Without its header it is no draft.
    ("#7: x\n", b"#", None), ("feat: x\n", b"f", None), ("feat: x\n", b"feat", None), ("", b"#", None),
    ("\n \n", b"#", None),
)  # fmt: skip
def test_body_line_that_git_would_drop_is_indented(text: str, comment: bytes, expected: bytes | None) -> None:
    assert insert(text, b"", Cleaning(comment=comment)) == expected


@rows(
    ("encoding", "expected"),
    (None, "feat: größe → 7\n".encode()),
    ("ISO-8859-1", b"feat: gr\xf6\xdfe ? 7\n"),
    ("latin1", b"feat: gr\xf6\xdfe ? 7\n"),
    ("EUC-JP", "feat: größe → 7\n".encode("euc-jp")),
    ("us-ascii", b"feat: gr??e ? 7\n"),
    ("nowhere", b"feat: gr??e ? 7\n"),
    # Codecs of Python's that are no charset, or none a commit object could hold.
    ("UTF-16", b"feat: gr??e ? 7\n"),
    ("utf-8-sig", b"feat: gr??e ? 7\n"),
    ("base64", b"feat: gr??e ? 7\n"),
    ("unicode_escape", b"feat: gr??e ? 7\n"),
    ("undefined", b"feat: gr??e ? 7\n"),
    ("idna", b"feat: gr??e ? 7\n"),
    ("a\0b", b"feat: gr??e ? 7\n"),
)
def test_draft_is_written_in_the_commit_encoding(encoding: str | None, expected: bytes) -> None:
    assert insert("feat: größe → 7\n", b"", Cleaning(encoding=encoding)) == expected


def test_name_that_is_no_text_is_replaced() -> None:
    assert insert("feat: add \udcff\n", b"", Cleaning()) == b"feat: add ?\n"


LINES = st.text(st.characters(exclude_characters="\n\r"), max_size=12)
DRAFTS = st.builds(lambda body: "feat: x\n" + "".join(f"{line}\n" for line in body), st.lists(LINES))
COMMENTS = st.sampled_from([b"#", b";", b"//", b" ", b"diff", b"?"])


@given(DRAFTS, st.binary(), COMMENTS)
def test_file_is_what_remains_without_the_draft(text: str, content: bytes, comment: bytes) -> None:
    prepared = insert(text, content, Cleaning(comment=comment))
    assert prepared.endswith(content)
    assert prepared.startswith(b"feat: x\n")


@given(DRAFTS, COMMENTS, st.integers(0, 4))
def test_every_line_of_the_draft_is_recorded(text: str, comment: bytes, opening: int) -> None:
    content = b"\n" * opening + comment + b" Please enter\n"
    prepared = insert(text, content, Cleaning(comment=comment))
    assert prepared is not None
    recorded = clean(prepared, Cleaning(STRIP, comment=comment, cut=True)).text.decode()
    assert recorded.split() == text.encode("utf-8", "replace").decode().split()


@given(DRAFTS, st.integers(0, 2))
def test_trailers_stay_one_blank_line_away(text: str, opening: int) -> None:
    prepared = insert(text, b"\n" * opening + SIGNED_OFF, Cleaning())
    draft = prepared.removesuffix(SIGNED_OFF)
    assert draft.endswith(b"\n\n")
    assert not draft.endswith(b"\n\n\n")


@rows("comment", "#", "//", "§")
def test_co_authors_are_offered_among_the_trailers(comment: str) -> None:
    content = f"\n\n{SIGNED_OFF.decode().strip()}\n\n{comment} Please\n{comment}\n".encode()
    prepared = insert("feat: x", content, Cleaning(comment=comment.encode()), offers=["Co-authored-by: B <b@c>"])
    assert f"{comment} Co-authored-by: B <b@c>\nSigned-off-by: " in prepared.decode()


def test_git_finds_the_trailers_below_a_draft(repo: Repo) -> None:
    prepared = insert("feat: x\n\nNote: why\n", b"\n\n" + SIGNED_OFF + b"\n" + STATUS, Cleaning())
    assert prepared is not None
    assert repo.git("interpret-trailers", "--parse", stdin=prepared).encode() == SIGNED_OFF


GENERATED = "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n"
HUSKY = '#!/bin/sh\n. "$(dirname "$0")/h"\n'


@rows(
    ("environment", "configured", "expected"),
    ({}, None, True),
    ({"GIT_EDITOR": "true"}, "vim", False),
    ({"GIT_EDITOR": "/usr/bin/cat"}, None, False),
    ({"GIT_EDITOR": ":"}, None, False),
    ({"GIT_EDITOR": " "}, None, False),
    ({"GIT_EDITOR": "code --wait", "EDITOR": "true"}, None, True),
    ({"EDITOR": "true"}, "vim", True),
    ({}, "true", False),
    ({"VISUAL": "vim", "EDITOR": "true"}, None, True),
    ({"EDITOR": "cat"}, None, False),
)
def test_what_edits_nothing_is_no_editor(environment: dict[str, str], configured: str | None, expected: bool) -> None:
    assert is_edited([("core.editor", configured)], environment) is expected


def check(repo: Repo, **environment: str) -> bool:
    return is_checked(Repository.find(str(repo.path)), load(str(repo.path)).git, environment)


def test_our_own_hook_is_found_wherever_it_was_installed(repo: Repo, tmp_path: Path) -> None:
    assert not check(repo)
    hooks = DirectHooks(Repository.find(str(repo.path)))
    hooks.install(["commit-msg"])
    assert check(repo)
    assert not check(repo, SKIP="lint,commit-msg")
    hooks.uninstall()
    assert not check(repo)
    repo.write(".git/hooks/commit-msg", "exec smartcommit-commit-msg", executable=True)
    repo.git("config", "core.hooksPath", str(tmp_path / "shared"))
    repo.write("../shared/commit-msg", "exec commitlint", executable=True)
    assert not check(repo)
    repo.git("config", "core.hooksPath", "")
    repo.git("config", "hook.smartcommit-commit-msg.command", "python -c 'from smartcommit_hooks.commit_msg import x'")
    assert check(repo)
    repo.git("config", "hook.smartcommit-commit-msg.enabled", "false")
    assert not check(repo)


@pytest.mark.parametrize(
    ("hook", "other", "expected"),
    [
        ("exec smartcommit-commit-msg", {}, True),
        ("exec commitlint", {}, False),
        (GENERATED, {".pre-commit-config.yaml": "repos:\n  hooks:\n  - id: commit-msg\n"}, True),
        (GENERATED, {".pre-commit-config.yaml": "repos:\n  hooks:\n  - id: prepare-commit-msg\n"}, False),
        (GENERATED, {"prek.toml": "[[repos]]\nhooks = [{ id = 'commit-msg' }]\n"}, True),
        (GENERATED, {".git/hooks/commit-msg.legacy": "exec smartcommit-commit-msg"}, True),
        (GENERATED, {}, False),
        (HUSKY, {".git/commit-msg": "smartcommit-commit-msg $1\n"}, True),
        ("call_lefthook run", {"lefthook.yml": "commit-msg: {run: smartcommit-commit-msg {1}}"}, True),
        ("call_lefthook run", {"lefthook.yml": "commit-msg: {run: commitlint}"}, False),
    ],
)
def test_a_hook_of_others_shows_if_it_runs_ours(repo: Repo, hook: str, other: dict[str, str], expected: bool) -> None:
    for name, content in other.items():
        repo.write(name, content)
    path = repo.write(".git/hooks/commit-msg", hook, executable=True)
    assert check(repo) is expected
    path.chmod(0o644)
    assert not check(repo)


@rows(("comment", "line"), (b"", b" #7 is done"), (b"#", b" #7 is done"), (b";", b"#7 is done"))
def test_a_draft_recorded_unseen_has_no_line_that_git_may_drop(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, comment: bytes, line: bytes
) -> None:
    repo.stage({"a.py": "a = 1\n"})
    repository = Repository.find(str(repo.path))
    request = read_request(repository, repository.empty_tree, None, load(str(repo.path)))
    assert request is not None
    monkeypatch.setattr(message_file, "_draft", lambda *given, **options: Draft("feat: x\n\n#7 is done\n"))
    text, _ = prepare_unattended(request, b"", Cleaning(comment=comment), terminal=None, since=time.monotonic())
    assert text.split(b"\n")[2] == line


def test_a_branch_that_says_why_opens_its_first_commit(repo: Repo) -> None:
    repo.commit(files={"hosts.py": "hosts = []\n"}, message="feat: list hosts")
    repo.git("switch", "-q", "-c", "fix/12-reject-empty-hosts")
    repo.stage({"hosts.py": "hosts = []\nif not hosts:\n    raise ValueError(hosts)\n"})
    settings = load(str(repo.path))

    def open_message() -> str:
        repository = Repository.find(str(repo.path))
        request = read_request(repository, repository.empty_tree, None, settings)
        assert request is not None
        made = prepare(request, STATUS, Cleaning(), terminal=None, since=time.monotonic())
        return made.decode()

    text = open_message()
    assert text.startswith("fix: reject empty hosts\n")
    assert "# smartcommit: the summary is from the branch\n" in text
    repo.git("commit", "-q", "-m", "fix: reject empty hosts")
    repo.stage({"hosts.py": "hosts = list()\nif not hosts:\n    raise ValueError(hosts)\n"})
    assert "reject empty hosts" not in open_message().partition("\n")[0]
    repo.git("config", "smartcommit.branchNames", "false")
    settings = load(str(repo.path))
    assert "reject" not in open_message()
