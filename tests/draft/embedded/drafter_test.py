"""The embedded drafter on real repositories: what it says for each situation, and what it can never say."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History, read_past_commit
from smartcommit.config import Settings, make_rules
from smartcommit.draft.embedded import drafter
from smartcommit.draft.embedded.view import Purpose
from smartcommit.draft.engine import draft_embedded
from smartcommit.draft.request import read_request
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from smartcommit.git.habits import read_habits
from smartcommit.git.repo import Repository
from smartcommit.message.characters import printable
from smartcommit.message.checks import is_accepted
from smartcommit.message.rules import DEFAULT_TYPES
from tests.support.changes import make_diff, make_hunk
from tests.support.drafts import draft
from tests.support.profile import examples
from tests.support.repository import Repo
from tests.support.table import rows

Situation = Callable[[Repo], None]
Files = dict[str, str | bytes]

HEADER = re.compile(r"([a-z]+)(\([a-z][a-z0-9-]*\))?: (\S.*)\Z")
FUNCTION = "def login(user):\n    return user\n"
MOVED = "def login(user):\n    if user.known:\n        user.greet()\n    return user\n"


def message(repo: Repo, **variables: str) -> str | None:
    repository = Repository.find(str(repo.path))
    base = repository.head() or repository.empty_tree
    return draft(repository, base, None, Settings(environment=variables))


def header(repo: Repo, **variables: str) -> str | None:
    text = message(repo, **variables)
    return text.split("\n", 1)[0] if text is not None else None


def staged(files: Files, after: Files) -> Situation:
    """`files` are committed, `after` is staged."""

    def situation(repo: Repo) -> None:
        repo.commit("base", files)
        repo.stage(after)

    return situation


def edit(path: str, before: str | bytes, after: str | bytes) -> Situation:
    return staged({path: before}, {path: after})


def git(files: Files, *commands: tuple[str, ...]) -> Situation:
    """`files` are committed, then git commands run."""

    def situation(repo: Repo) -> None:
        repo.commit("base", files)
        for command in commands:
            repo.git(*command)

    return situation


def link(target: str, before: str | None) -> Situation:
    def situation(repo: Repo) -> None:
        repo.commit("base", {"keep": "1\n"})
        if before is not None:
            (repo.path / "current").symlink_to(before)
            repo.git("add", "current")
            repo.commit("base")
            (repo.path / "current").unlink()
        (repo.path / "current").symlink_to(target)
        repo.git("add", "current")

    return situation


def link_for_file(repo: Repo) -> None:
    repo.commit("base", {"current": "1\n"})
    (repo.path / "current").unlink()
    (repo.path / "current").symlink_to("release-2")
    repo.git("add", "current")


def executable(repo: Repo) -> None:
    repo.commit("base", {"tools/run.sh": "echo\n"})
    repo.git("update-index", "--chmod=+x", "tools/run.sh")


def moved_and_edited(repo: Repo) -> None:
    repo.commit("base", {"a.py": FUNCTION * 9, "lib/b.py": "b = 1\n"})
    repo.git("mv", "a.py", "lib/a.py")
    repo.stage({"lib/a.py": FUNCTION * 9 + "x = 1\n"})


SITUATIONS: dict[str, tuple[Situation, str | None]] = {
    "nothing staged": (staged({"a.py": "1\n"}, {}), None),
    "first commit": (lambda repo: repo.stage({"README.md": "# Tool\n"}), "docs: add README.md"),
    "first commit of source": (lambda repo: repo.stage({"src/auth/login.py": FUNCTION}), "feat(auth): add login"),
    "mode only": (executable, "chore: make run.sh executable"),
    "rename in a folder": (git({"src/a.py": FUNCTION}, ("mv", "src/a.py", "src/b.py")),
        "refactor: rename a.py to b.py"),
    "move to a folder": (git({"a.py": FUNCTION, "lib/b.py": "b = 1\n"}, ("mv", "a.py", "lib/a.py")),
        "refactor: move a.py to lib/"),
    "several moves": (git({**{f"{i}.py": f"{i}\n{FUNCTION}" for i in range(5)}, "lib/b.py": "b = 1\n"},
        ("mv", *(f"{i}.py" for i in range(5)), "lib")), "refactor: move 5 files to lib/"),
    "move with an edit": (moved_and_edited, "refactor: move a.py to lib/ and edit it"),
    "copy": (staged({"a.txt": "x\n" * 9}, {"b.txt": "x\n" * 9}), "chore: add b.txt"),
    "new link": (link("release-1", None), "chore: link current to release-1"),
    "moved link": (link("release-2", "release-1"), "chore: link current to release-2"),
    "file to link": (link_for_file, "chore: link current to release-2"),
    "deletion": (git({"old.md": "x\n", "b": "1\n"}, ("rm", "-q", "old.md")), "docs: remove old.md"),
    "many deletions": (git({**{f"old/{i}.md": "x\n" for i in range(9)}, "b": "1\n"}, ("rm", "-rq", "old")),
        "docs: remove 9 files from old"),
    "line endings to CRLF": (edit("a.txt", b"a\nb\n", b"a\r\nb\r\n"), "style: convert line endings of a.txt to CRLF"),
    "line endings to LF": (edit("a.txt", b"a\r\nb\r\n", b"a\nb\n"), "style: convert line endings of a.txt to LF"),
    "final newline": (edit("a.py", "a = 1", "a = 1\n"), "style: change the final newline of a.py"),
    "files of one name": (staged({"a/x.png": b"\0\x01", "b/x.png": b"\0\x01"}, {"a/x.png": b"\0\x02",
        "b/x.png": b"\0\x02"}), "chore: update a/x.png and b/x.png"),
    "new files beside an old one": (staged({"cluster.tf": "a = 1\n"}, {"cluster.tf": "a = 2\n",
        "new/main.tf": "b = 3\nd = 4\n", "new/variables.tf": "c = 4\ne = 5\n"}),
        "fix: add new/main.tf and variables.tf"),
    "own version and changelog": (staged(
        {"CHANGELOG.md": "# Log\n", "pyproject.toml": '[project]\nversion = "1.15.0"\n'},
        {"CHANGELOG.md": "# Log\n\n## 1.15.1\n\n### Fixed\n\n* A crash\n",
        "pyproject.toml": '[project]\nversion = "1.15.1"\n'}), "build: bump version from 1.15.0 to 1.15.1"),
    "names without a long folder": (git({".devcontainer/devcontainer.json": "{}\n", "Dockerfile.dev": "FROM a\n",
        "compose.yaml": "a: 1\n", "d": "1\n"}, ("rm", "-rq", ".devcontainer", "Dockerfile.dev", "compose.yaml")),
        "build: remove devcontainer.json, Dockerfile.dev and compose.yaml"),
    "submodules at other commits": (git({"b": "1\n"}, *[
        (*("update-index", "--add", "--cacheinfo"), f"160000,{'1' * 40},lib/{name}") for name in "ac"],
        ("commit", "-qm", "x"), *[("update-index", "--cacheinfo", f"160000,{'2' * 40},lib/{name}") for name in "ac"]),
        "build: update 2 submodules"),
    "binary": (edit("logo.png", b"\0\x01", b"\0\x02"), "chore: update logo.png"),
    "removed function and its uses": (staged({"a.py": f"def refresh_state(x):\n    x.sync()\n\n\n{FUNCTION}",
        "b.py": "refresh_state(x)\ny = 1\nrefresh_state(z)\n"},
        {"a.py": FUNCTION, "b.py": "x.sync()\ny = 1\nz.sync()\n"}), "refactor: remove refresh_state"),
    "dependency and lock": (staged({"package.json": '{\n  "lodash": "^4.17.20"\n}\n', "package-lock.json": "a\n"},
        {"package.json": '{\n  "lodash": "^4.17.21"\n}\n', "package-lock.json": "b\n"}),
        "build: bump lodash from 4.17.20 to 4.17.21"),
    "moved function": (staged({"a.py": MOVED, "b.py": "x = 1\n"}, {"a.py": "", "b.py": f"x = 1\n\n\n{MOVED}"}),
        "refactor: move login to b.py"),
    "title of a new test": (staged({"src/a.ts": "let a = 1\nlet b\n", "src/a.test.ts": "x\n"},
        {"src/a.ts": "let a = host || fail('empty')\nlet b\n",
        "src/a.test.ts": "x\nit('should reject an empty host', () => {})\n"}), "fix: reject an empty host"),
    "title of a test of something else": (staged({"src/a.ts": "let a = 1\nlet b\n", "src/a.test.ts": "x\n"},
        {"src/a.ts": "let a = 2\nlet b\n", "src/a.test.ts": "x\nit('should reject an empty host', () => {})\n"}),
        "fix: set a to 2 in a.ts"),
    "a module deleted": (git({"src/parser.py": FUNCTION, "src/lexer.py": "x = 1\n"}, ("rm", "-q", "src/parser.py")),
        "refactor: remove parser.py"),
    "a hook of husky": (staged({"a.py": FUNCTION}, {".husky/pre-commit": "npm test\n"}),
        "chore: add .husky/pre-commit"),
    "a new test": (staged({"api/users.py": FUNCTION, "tests/api/test_users.py": "x = 1\n"},
        {"tests/api/test_users.py": "x = 1\n\n\ndef test_empty_list():\n    assert True\n"}),
        "test: add test_empty_list"),
    "a name where it is used": (staged({"login.py": "def login():\n    return 1\n\n\nx = 1\n", "x.pyc~": "one\n"},
        {"login.py": "def login():\n    return 1\n\n\nx = ValueError\n", "x.pyc~": "two three\n"}),
        "fix: set x to ValueError in login.py"),
    "a removed file beside an edited one": (git({"gone.py": "".join(f"def name_{n}():\n    pass\n\n\n" for n in "abcd"),
        "kept.py": "x = 1\n"}, ("rm", "gone.py"), ("config", "-f", "kept.py", "a.b", "c"), ("add", "kept.py")),
        "refactor: remove gone.py"),
    "a new package": (staged({"x": "1\n"}, {"cart/__init__.py": "", "cart/prices.py": "x = 1\n"}),
        "feat: add prices.py"),
    "a new crate": (staged({"x": "1\n"}, {"crates/prices/src/lib.rs": "mod hosts;\nmod names;\n"}), "feat: add prices"),
    "changelog entry": (staged({"a.py": "hosts = 1\n", "CHANGELOG.md": "# Changes\n"}, {"a.py": "hosts = 2\n",
        "CHANGELOG.md": "# Changes\n\n- Rejected hosts\n  without a name (#12).\n"}),
        "fix: reject hosts without a name"),
}  # fmt: skip


@pytest.mark.parametrize(("situation", "expected"), SITUATIONS.values(), ids=SITUATIONS.keys())
def test_the_header_says_what_happened(repo: Repo, situation: Situation, expected: str | None) -> None:
    situation(repo)
    assert header(repo) == expected
    # The type is always one of the project's own.
    for types in ("feat fix perf refactor test style docs ci build chore", "change", "docs chore"):
        text = header(repo, SMARTCOMMIT_TYPES=types)
        assert (text is None) == (expected is None)
        assert text is None or re.split(r"[(:]", text)[0] in types.split()


@rows(
    ("name", "shown"),
    (b"sp ace.txt", "chore: add sp ace.txt"),
    (b"-x.txt", "chore: add -x.txt"),
    (b"t\tab.txt", "chore: add t ab.txt"),
    (b"new\nline.txt", "chore: add new line.txt"),
    (b"esc\x1b[31m.txt", "chore: add esc\\x1b[31m.txt"),
    ("bidi\u202e.txt".encode(), "chore: add bidi\\u202e.txt"),
    ("zoë.txt".encode(), "chore: add zoë.txt"),
    (b"latin\xff.txt", "chore: add latin\\xff.txt"),
    (b"*.txt", "chore: add *.txt"),
    (b"a\r#b.txt", "chore: add a #b.txt"),
)
def test_names_are_shown_safely(repo: Repo, name: bytes, shown: str) -> None:
    repo.commit("base", {"keep": "1\n"})
    repo.stage({os.fsdecode(name): "x\n"})
    assert message(repo) == shown + "\n"


HOSTILE_SETTINGS = {
    "diff.external": "false", "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "color.ui": "always",
    "diff.renames": "false", "log.showSignature": "true", "core.quotePath": "true",
}  # fmt: skip


def test_settings_of_git_change_nothing(repo: Repo) -> None:
    repo.commit("fix(auth): keep", {"a.py": FUNCTION, "ü.py": FUNCTION * 2})
    repo.git("mv", "ü.py", "b.py")
    repo.stage({"a.py": FUNCTION + "\n\ndef logout(user):\n    return None\n"})
    before = message(repo)
    for name, value in HOSTILE_SETTINGS.items():
        repo.git("config", name, value)
    assert message(repo) == before


def test_the_index_that_is_committed_is_the_one_described(repo: Repo) -> None:
    repo.commit("base", {"a.md": "1\n", "b.md": "one thing\n"})
    repo.stage({"a.md": "2\n", "b.md": "other words here\n"})
    script = 'from smartcommit.cli import main; main(["draft"])'
    editor = repo.editor(f"{sys.executable} -c '{script}' > {repo.path.parent}/drafted; exit 1")
    repo.run("commit", "--", "b.md", env={"GIT_EDITOR": editor, "PYTHONPATH": str(Path(__file__).parents[3])})
    assert (repo.path.parent / "drafted").read_text() == "docs: update b.md\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a.py": FUNCTION, "Makefile": "a:\n", ".github/workflows/ci.yml": "on: push\n"},
         {"a.py": FUNCTION + "\n\ndef logout(user):\n    return None\n", "Makefile": "a:\nclean:\n",
          ".github/workflows/ci.yml": "on: push\njobs:\n"},
         "feat: add logout to a.py\n\n- add jobs to ci.yml\n- add clean target to Makefile\n"),
        # The version in a package, and tests and documentation of source, are no concerns of their own.
        ({"pyproject.toml": 'version = "1.2.3"\n', "a/__init__.py": '__version__ = "1.2.3"\n'},
         {"pyproject.toml": 'version = "1.3.0"\n', "a/__init__.py": '__version__ = "1.3.0"\n'},
         "build: bump version from 1.2.3 to 1.3.0\n"),
        ({"a.py": FUNCTION, "tests/test_a.py": "x = 1\n", "README.md": "x\n"},
         {"a.py": FUNCTION + "\nx = 1\n", "tests/test_a.py": "x = 2\n", "README.md": "y\n"}, "fix: update a.py\n"),
    ],
)  # fmt: skip
def test_unrelated_concerns_are_listed(repo: Repo, before: Files, after: Files, expected: str) -> None:
    staged(before, after)(repo)
    assert message(repo) == expected


def test_a_changelog_is_not_quoted_for_other_concerns() -> None:
    source = make_diff("src/a.py", make_hunk(["hosts = 60"], ["hosts = 5"]))
    entry = make_diff("CHANGELOG.md", make_hunk(["- Fix crash when hosts are empty"]))
    manifest = make_diff("requirements.txt", make_hunk(["docutils==0.2"]))
    workflow = make_diff(".github/workflows/a.yml", make_hunk(["  timeout-minutes: 10"]))
    made = drafter.draft(ChangeFacts([source, entry, manifest, workflow]), History(()), Settings(environment={}))
    assert made.text == (
        "fix: prevent crash when hosts are empty\n\n- set timeout-minutes to 10 in a.yml\n- add docutils dependency\n"
    )


@pytest.fixture
def submodule(repo: Repo, tmp_path: Path) -> Repo:
    """A repository with a submodule at `vendor/lib`, checked out."""
    other = Repo.init(tmp_path / "other")
    other.commit("feat: one", {"a": "1\n"})
    repo.commit("base", {"keep": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "vendor/lib")
    repo.commit("base")
    return repo


@pytest.mark.parametrize("place", ["lib/other", "vendor/other"])
def test_a_submodule_and_its_entry_are_one_thing(repo: Repo, tmp_path: Path, place: str) -> None:
    Repo.init(tmp_path / "other").commit("feat: one", {"a": "1\n"})
    repo.commit("base", {"keep": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "other"), place)
    assert message(repo) == f"build: add submodule {place}\n"
    repo.commit("base")
    repo.git("rm", "-q", place)
    assert message(repo) == f"build: remove submodule {place}\n"


def test_a_file_that_was_only_announced_is_no_part_of_the_change(repo: Repo) -> None:
    repo.commit("base", {"a.md": "1\n"})
    repo.stage({"a.md": "2\n"})
    repo.write("b.md", "1\n")
    repo.git("add", "-N", "b.md")
    assert message(repo) == "docs: update a.md\n"


def test_a_submodule_that_becomes_a_file_is_no_update(submodule: Repo) -> None:
    inner = submodule.path / "vendor" / "lib"
    inner.rename(submodule.path / "elsewhere")
    inner.write_text("x\n")
    submodule.git("add", "vendor/lib")
    assert header(submodule) == "build: change the file type of vendor/lib"


def test_a_moved_submodule_is_told_by_its_commits(submodule: Repo) -> None:
    inner = Repo(submodule.path / "vendor" / "lib")
    inner.commit("fix: close the file", {"a": "2\n"})
    submodule.git("add", "vendor/lib")
    assert header(submodule) == "build: update submodule vendor/lib: fix: close the file"
    inner.commit("feat: open two", {"a": "3\n"})
    submodule.git("add", "vendor/lib")
    assert message(submodule) == (
        "build: update submodule vendor/lib by 2 commits\n\n- feat: open two\n- fix: close the file\n"
    )


@rows(("commits", "last"), (6, "- add 5"), (7, "- 2 more commits"), (30, "- 25 more commits"))
def test_a_description_has_at_most_six_points(commits: int, last: str) -> None:
    change = FileChange("M", b"lib", None, "160000", "160000", "1" * 40, "2" * 40)
    subjects = {b"lib": [f"add {number}" for number in range(commits)]}
    made = drafter.draft(
        ChangeFacts([FileDiff(change, [])]), History(()), Settings(environment={}), submodules=subjects
    )
    points = made.text.splitlines()[2:]
    assert (len(points), points[-1]) == (6, last)


def test_a_submodule_that_is_not_there_is_told_by_its_commit_names(submodule: Repo) -> None:
    old = submodule.git("rev-parse", ":vendor/lib").strip()
    new = "1" * len(old)
    submodule.git("rm", "-q", "--cached", "vendor/lib")
    (submodule.path / "vendor" / "lib" / ".git").unlink()
    submodule.git("update-index", "--add", "--cacheinfo", f"160000,{new},vendor/lib")
    assert header(submodule) == f"build: update submodule vendor/lib from {old[:7]} to 1111111"


def test_a_projects_types_and_scopes_and_limit_hold(repo: Repo) -> None:
    repo.commit("base", {"src/auth/a.py": FUNCTION})
    repo.stage({"tests/auth/test_a.py": "def test_a():\n    pass\n"})
    assert header(repo) == "test: add test_a.py"
    policy = {"SMARTCOMMIT_TYPES": "feat test", "SMARTCOMMIT_SCOPES": "auth", "SMARTCOMMIT_SUMMARY_LIMIT": "8"}
    assert header(repo, **policy) == "test(auth): add"


@pytest.mark.parametrize("files", [5, 500])
def test_git_is_started_no_more_often(repo: Repo, tmp_path: Path, files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("base", {f"d{i % 7}/{i}.py": f"a = {i}\n" for i in range(files)})
    repo.stage({f"d{i % 7}/{i}.py": f"a = {i}0\n" for i in range(files)})
    repository = Repository.find(str(repo.path))
    base = repository.head()
    assert base is not None
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    assert draft(repository, base, None, Settings(environment={}))
    started = [event for line in trace.read_text().splitlines() if (event := json.loads(line))["event"] == "start"]
    assert len(started) == 2


def test_the_same_change_gives_the_same_bytes_whatever_the_hash_seed(repo: Repo) -> None:
    for number in range(9):
        repo.commit(f"fix(s{number % 3}): x", {f"s{number % 3}/{number}.py": FUNCTION, f"t/{number}.md": "x\n"})
    repo.stage({f"s{n}/{n}.py": f"class A{n}:\n    def b{n}(self):\n        pass\n" for n in range(6)})
    script = "import sys; from smartcommit.cli import main; sys.exit(main(['draft']))"
    drafted = {
        subprocess.run(
            [sys.executable, "-c", script], cwd=repo.path, capture_output=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3])},
        ).stdout
        for seed in ("0", "1", "2", "3")
    }  # fmt: skip
    assert len(drafted) == 1


def test_a_partial_clone_fetches_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.commit("base", {"auth/a.py": FUNCTION, "b.md": "1\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.path}", str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    clone.git("read-tree", "HEAD")
    clone.git("update-index", "--force-remove", "b.md")
    objects = clone.git("count-objects", "-v")
    assert header(clone) == "docs: remove b.md"
    assert clone.git("count-objects", "-v") == objects


NAMES = (
    b"a.py", b"src/x/b.ts", b"README.md", b"CHANGELOG.md", b".github/workflows/c.yml", b"Cargo.toml", b"t/.gitignore",
    b"tests/test_a.py", b"a\nSigned-off-by: x", b"Constraints: none", b"# x.md", b"diff --git a b.md", b" ", b"...",
)  # fmt: skip
LINES = (
    b"def a_b(c):", b"# Title: x", b"x = 1.2.3", b"x = 1.2.4", b"it('should be: \x1b')", b"- Added: thing of x",
    b"Signed-off-by: a <b>", b"key: value", b"  --force-it", b"class \xff:", b"`code_x`", b"https://a.b/c", b"## ",
    b"target", b"We recieve it", b"We receive it", b"[section]", b"\r", b"#!/bin/sh", b"const x = () => {",
)  # fmt: skip
# A path in git is never absolute and holds no NUL.
names = st.one_of(
    st.binary(min_size=1, max_size=40),
    st.text(min_size=1, max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(NAMES),
).filter(lambda name: b"\0" not in name and not name.startswith(b"/"))
lines = st.one_of(st.binary(max_size=60).map(lambda line: line.replace(b"\n", b"")), st.sampled_from(LINES))
hunks = st.builds(
    lambda removed, added, context: Hunk(1, len(removed), 1, len(added), context, removed, added),
    st.lists(lines, max_size=4), st.lists(lines, max_size=4), lines,
)  # fmt: skip
changes = st.builds(
    lambda status, path, old, modes, count: FileChange(
        status, path, old if status in "RC" else None, *modes, "a" * 40, "b" * 40 if count else "a" * 40, count, count
    ),
    st.sampled_from("AMDRCT"), names, names,
    st.sampled_from([("100644", "100644"), ("100644", "100755"), ("160000", "160000"), ("000000", "120000")]),
    st.sampled_from([None, 0, 3]),
)  # fmt: skip
diffs = st.builds(FileDiff, changes, st.lists(hunks, max_size=3), st.booleans())


@examples(400)
@given(st.lists(diffs, min_size=1, max_size=8), st.integers(1, 130), st.lists(lines, max_size=3))
def test_whatever_changed_the_text_is_a_message(files: list[FileDiff], limit: int, subjects: list[bytes]) -> None:
    told = {file.change.path: [subject.decode("utf-8", "replace") for subject in subjects] for file in files}
    policy = Settings(environment={"SMARTCOMMIT_SUMMARY_LIMIT": str(limit)})
    text = drafter.draft(ChangeFacts(files), History(()), policy, submodules=told).text
    assert text.endswith("\n")
    text.encode("utf-8")
    first, *rest = text[:-1].split("\n")
    parsed = HEADER.match(first)
    assert parsed
    assert parsed[1] in DEFAULT_TYPES
    assert 0 < len(parsed[3]) <= limit
    assert parsed[3] == parsed[3].strip()
    assert rest == [] or (rest[0] == "" and len(rest) > 1 and all(re.match(r"- \S", line) for line in rest[1:]))
    assert [printable(line) for line in (first, *rest)] == [first, *rest]
    assert len(rest) < 9


def test_git_reads_no_trailer_and_drops_no_line(repo: Repo) -> None:
    names = ["a\nSigned-off-by: x.py", "Makefile", "Reviewed-by: b.md", "# c.yml", "; d.toml", "fixup! e.png"]
    repo.commit("base", {"keep": "1\n"})
    repo.stage(dict.fromkeys(names, "x: 1\n"))
    text = message(repo)
    assert repo.git("interpret-trailers", "--parse", stdin=text.encode()) == ""
    repo.git("commit", "-q", "--cleanup=strip", "-F", "-", stdin=text.encode())
    assert repo.message().strip() == text.strip()


@pytest.mark.parametrize(
    ("past", "name", "kind", "scope"),
    [
        ("test(c_sharp): check", "c_sharp/tests/test_{}.py", "test", "c_sharp"),
        ("net/http_2: check", "net/http_2/{}.go", "fix", "net/http_2"),
    ],
)
def test_a_scope_of_the_history_is_one_accepted(repo: Repo, past: str, name: str, kind: str, scope: str) -> None:
    for number in range(4):
        repo.commit(f"{past} {number}", {name.format(number): "x = 1\n"})
    repo.stage({name.format(1): "x = 2\n"})
    text = message(repo) or ""
    assert text.startswith(f"{kind}({scope}): ")
    rules = make_rules(Settings(environment={}))
    rules.adopt(read_habits(str(repo.path)))
    assert is_accepted(text, rules)
    # A type that one commit wrote in another case is no scope.
    repo.commit("Fix: check all", {"net/a.go": "package a\n"})
    assert read_habits(str(repo.path)).spellings == {scope}


@rows(
    ("past", "said", "expected"),
    (["Reject x"] * 5, "", "feat: Add parse_host"),
    (["Reject x"] * 5 + ["keep x"] * 2, "", "feat: add parse_host"),
    (["Reject x"] * 4, "", "feat: add parse_host"),
    # Names and routine updates say nothing, and names stay.
    (["parse_x fails"] * 5 + ["Bump a from 1.0 to 1.1"] * 5, "", "feat: add parse_host"),
    (["Reject x"] * 5, "parse_host for all", "feat: parse_host for all"),
    (["Reject x"] * 5, "parseHost for parse_host", "feat: parseHost for parse_host"),
)
def test_a_summary_begins_as_the_projects_own_do(past: list[str], said: str, expected: str) -> None:
    commits = History(read_past_commit(f"feat: {summary}".encode(), [b"src/a.py"]) for summary in past)
    change = ChangeFacts([make_diff("b.py", make_hunk(["def parse_host(x):", "    return x"]))])
    purpose = Purpose(said={"agent-prompts": said} if said else {})
    assert drafter.draft(change, commits, Settings(environment={}), purpose=purpose).text.split("\n")[0] == expected


def test_with_a_policy_the_history_adds_nothing(repo: Repo) -> None:
    repo.commit("deps: base", {"Cargo.lock": "x = 1\n"})
    repo.commit_daily("deps: bump x to 1", days=9)
    repo.stage({"Cargo.lock": "x = 2\n"})
    base = Repository.find(str(repo.path))
    policy = Settings(policy=[("smartcommit.summarylimit", "80")], environment={})
    assert (draft(base, "HEAD", None, policy) or "").startswith("build: ")


@rows(
    ("path", "line"),
    (".env", "MODE={}"),
    ("a.env", "DB_PASSWORD={}"),
    ("conf.js", 'const password = "{}";'),
    ("values.yaml", "password: {}"),
    ("conf.py", "TOKEN = '{}'"),
    ("conf.json", '"api_key": "{}"'),
    ("setup.sh", "export AUTH={}"),
    ("db.py", "connect('postgres://app:{}@db/app')"),
    ("hook.py", "send('{}kQ7vT2xLp9RbZ4mW')"),
)
def test_a_value_that_may_be_a_secret_is_not_repeated(repo: Repo, path: str, line: str) -> None:
    for old, new in (("abc123old", "Summer2026"), ("Summer2026", "Xk29fQ")):
        repo.commit("chore: base", {path: line.format(old) + "\n"})
        repo.stage({path: line.format(new) + "\n"})
        text = message(repo)
        assert text
        assert old not in text
        assert new not in text


@rows(
    "line",
    'fallback_password = "{}"', "token = token or '{}'", 'connect(user, secret="{}")', "API_KEY: {}",
    'const authHeader = `{}`;',
)  # fmt: skip
def test_a_new_secret_in_code_is_not_taken_for_a_name(repo: Repo, line: str) -> None:
    old = "def login(user, password):\n{}    return user.digest == digest(password)\n"
    repo.commit("chore: base", {"login.py": old.format("")})
    for value in ("vx9Kq2LmT7pZ4rWn8Hs3", "hunter2hunter2"):
        repo.stage({"login.py": old.format(f"    {line.format(value)}\n")})
        request = read_request(Repository.find(str(repo.path)), "HEAD", None, Settings(environment={}))
        assert request is not None
        drafted = draft_embedded(request)
        shown = "\n".join([drafted.text, *drafted.candidates, *drafted.facts]).lower()
        assert not any(part in shown for part in (value.lower(), value.lower()[:8]))


def test_a_side_fact_is_not_said_as_the_whole_change() -> None:
    value = make_diff("src/a.py", make_hunk(["limit = 60"], ["limit = 5"]))
    bump = make_diff("package.json", make_hunk(['  "hosts": "^2.1.0"'], ['  "hosts": "^2.0.0"']))
    workflow = make_diff(".github/workflows/a.yml", make_hunk([f"run: make step{number}" for number in range(20)]))
    tests = make_diff("tests/test_a.py", make_hunk([f"check({number})" for number in range(40)]))
    found = []
    for diffs in ([value], [bump], [value, tests], [value, workflow], [bump, workflow], [bump, tests]):
        found.append(drafter.draft(ChangeFacts(diffs), History([]), Settings(environment={})).weak)
    assert found == [False, False, False, True, True, True]
