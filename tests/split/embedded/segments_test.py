"""Dividing a file: hunks that belong to different files go with them."""

from __future__ import annotations

import pytest

from smartcommit.git.hunks import read_units
from smartcommit.git.repo import Repository
from smartcommit.split.embedded import segments
from smartcommit.split.embedded.segments import find_segments
from smartcommit.split.outcome import DONE
from tests.support.repository import Repo
from tests.support.splitting import assert_sound, head_of, run, status_of

LIBRARY = (
    "def load(path):\n    return open(path).read()\n\n"
    "{between}\ndef save(path, text):\n    open(path, 'w').write(text)\n"
)
BETWEEN = "".join(f"\ndef f{number}(x):\n    return x + {number}\n\n" for number in range(12))


@pytest.fixture
def two_concerns(based: Repo) -> Repo:
    """A module in which two functions change, each for a caller of its own."""
    library = LIBRARY.format(between=BETWEEN)
    cli = "from lib import load\n\n\ndef main():\n    print(load('x'))\n"
    net = "from lib import save\n\n\ndef fetch(url):\n    save('x', url)\n"
    based.commit("chore: library", {"lib.py": library, "console/cli.py": cli, "mirror/net.py": net})
    library = library.replace("(path):\n    return open(path)", "(path, encoding):\n    return open(path, encoding)")
    library = library.replace("(path, text):", "(path, text, retries=3):").replace("'w')", "'w', retries)")
    based.write("lib.py", library)
    based.write(
        "console/cli.py", cli.replace("load('x')", "load('x', encoding=ENCODING)") + "\n\nENCODING = 'latin-1'\n"
    )
    based.write("mirror/net.py", net.replace("url)\n", "url, retries=RETRIES)\n") + "\n\nRETRIES = 5\n")
    return based


def files_of(repo: Repo, revision: str) -> list[str]:
    return repo.git("show", "--format=", "--name-only", revision).split()


def test_the_hunks_of_a_file_go_with_what_uses_them(two_concerns: Repo) -> None:
    old = head_of(two_concerns)
    assert run(two_concerns)[0] == DONE
    assert len(two_concerns.subjects(f"{old}..HEAD")) == 2
    commits = {tuple(files_of(two_concerns, revision)) for revision in ("HEAD", "HEAD~")}
    assert commits == {("console/cli.py", "lib.py"), ("lib.py", "mirror/net.py")}
    with_cli = "HEAD" if "console/cli.py" in files_of(two_concerns, "HEAD") else "HEAD~"
    shown = two_concerns.git("show", with_cli, "--", "lib.py")
    assert "+def load" in shown
    assert "+def save" not in shown
    assert status_of(two_concerns) == ""
    assert_sound(two_concerns)


def test_a_file_that_is_not_divided_stays_one_unit(two_concerns: Repo) -> None:
    two_concerns.git("checkout", "-q", "console", "mirror")
    library = two_concerns.path / "lib.py"
    library.write_text(library.read_text().replace("retries", "encoding"))
    old = head_of(two_concerns)
    assert run(two_concerns)[0] == DONE
    assert len(two_concerns.subjects(f"{old}..HEAD")) == 1
    assert files_of(two_concerns, "HEAD") == ["lib.py"]


def test_files_of_a_change_with_too_many_hunks_stay_whole(two_concerns: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    two_concerns.git("add", "-A")
    target = two_concerns.git("write-tree").strip()
    pieces = read_units(Repository.find(str(two_concerns.path)), "HEAD", target, cut=False)
    assert find_segments(pieces).keys() == {b"lib.py"}
    monkeypatch.setattr(segments, "_PAIRS_COMPARED", 3)
    assert find_segments(pieces) == {}
