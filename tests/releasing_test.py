"""The commands of docs/releasing.md, up to what the package index and the code host would do."""

import re
from pathlib import Path

import pytest

import smartcommit
from tests.support import programs
from tests.support.documentation import ROOT, find_blocks, find_rows, run_shell
from tests.support.installation import export
from tests.support.repository import Repo
from tests.support.workspace import on_path

PAGE = ROOT / "docs" / "releasing.md"
BLOCKS = [block.text for block in find_blocks(PAGE, "sh")]
VERSION = "9.8.7"
# Programs that need the network, a key or a minute.
STUBS = {
    "make": "exit 0",
    "pipx": "exit 0",
    # What git reads of gpg.
    "gpg": 'cat >/dev/null; echo "[GNUPG:] BEGIN_SIGNING" >&2; echo "[GNUPG:] SIG_CREATED " >&2; echo signature',
    "gh": 'echo "$@" >>"$GH_CALLS"; if test "$1 $2" = "release create"; then cat >"$GH_NOTES"; fi',
}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A clone of this checkout, with its remote repository beside it and the stubs before every other program."""
    monkeypatch.setenv("PATH", on_path(programs.scripted(tmp_path / "stubs", STUBS)))
    monkeypatch.setenv("GH_CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("GH_NOTES", str(tmp_path / "notes"))
    repo = Repo.init(tmp_path / "clone")
    export(ROOT, repo.path)
    repo.git("add", "--all")
    repo.git("commit", "-q", "-m", "feat: begin")
    Repo.init(tmp_path / "remote", "--bare")
    repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    repo.git("push", "-q", "--set-upstream", "origin", "main")
    return repo


def test_the_commands_lead_from_a_clean_main_to_a_release(clone: Repo, tmp_path: Path) -> None:
    script = re.sub(r"^VERSION=.*", f"VERSION={VERSION}", "\n".join(BLOCKS), flags=re.MULTILINE)
    done = run_shell(script, clone.path)
    assert done.returncode == 0, done.stdout
    assert "feat: begin" in done.stdout
    assert "nothing breaks" in done.stdout
    assert clone.git("status", "--porcelain") == ""
    assert clone.git("log", "-1", "--format=%s") == f"chore: release {VERSION}\n"
    remote = Repo(tmp_path / "remote")
    assert (
        remote.git("rev-parse", f"v{VERSION}^{{commit}}", "main").split()
        == [clone.git("rev-parse", "HEAD").strip()] * 2
    )
    assert f'__version__ = "{VERSION}"\n' in remote.git("show", "main:smartcommit/__init__.py")
    assert f"    rev: v{VERSION}\n" in remote.git("show", "main:README.md")
    left = clone.run(
        "grep", "-F", smartcommit.__version__, "--", "README.md", "docs/*.md", "editors", ":!docs/releasing.md"
    )
    assert left.stdout == b""
    headings = re.findall(r"^## \[.*", remote.git("show", "main:CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "## [Unreleased]"
    assert re.fullmatch(rf"## \[{VERSION}\] - \d{{4}}-\d\d-\d\d", headings[1])
    notes = (tmp_path / "notes").read_text()
    assert notes.strip().startswith("### ")
    assert not re.search(r"^## ", notes, re.MULTILINE)
    assert f"release create v{VERSION} --verify-tag" in (tmp_path / "calls").read_text()


def test_every_sentence_that_holds_until_the_first_release_is_listed(clone: Repo) -> None:
    (command,) = [block for block in BLOCKS if block.startswith("git grep")]
    done = run_shell(command, clone.path)
    assert done.returncode == 0
    found = {line.partition(":")[0] for line in done.stdout.splitlines()}
    listed = {row[0].partition(",")[0] for row in find_rows(PAGE)} - {"where"}
    assert found <= listed
