"""The ledger of a real repository."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smartcommit import state_files
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.session import ledger as ledger_module
from smartcommit.session import registry, store
from smartcommit.session.edits import FoundContent, NewContent, Replacement, ToolEdit
from smartcommit.session.ledger import Ledger, SessionFile
from tests.support.repository import Repo

BASE = "".join(f"line {number}\n" for number in range(40))


class Tree:
    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.repository = Repository.find(str(repo.path))
        self.calls = 0

    def edit(
        self, session: str, path: bytes, edit: ToolEdit, made: bytes | None, *, before: bool = True, told: bool = True,
        between: Callable[[], object] = lambda: None, original: FoundContent | None = None,
    ) -> None:  # fmt: skip
        """Let a tool of `session` make the content `made`, and note it in ledgers of their own."""
        self.calls += 1
        call = str(self.calls)
        if before:
            self.tell(lambda ledger: ledger.before_edit(session, path, call))
        if made is None:
            os.unlink(os.path.join(os.fsencode(self.repo.path), path))
        else:
            self.repo.write(path, made)
        between()
        if told:
            self.tell(lambda ledger: ledger.after_edit(session, path, call, edit, original=original))

    def tell(self, use: Callable[[Ledger], Any]) -> Any:
        """Use the ledger once, and return what it answers."""
        with Ledger(self.repository) as ledger:
            return use(ledger)

    def replace(self, session: str, path: bytes, old: str, new: str, **options: object) -> None:
        made = self.read(path).replace(old.encode(), new.encode())
        self.edit(session, path, Replacement(old, new), made, **options)  # type: ignore[arg-type]

    def read(self, path: bytes) -> bytes:
        return Path(os.path.join(os.fsdecode(self.repo.path), os.fsdecode(path))).read_bytes()

    def files(self, session: str) -> dict[bytes, SessionFile]:
        return self.tell(lambda ledger: {file.path: file for file in ledger.list_files(session)})

    def list_foreign_paths(self) -> list[bytes]:
        return self.tell(lambda ledger: ledger.list_foreign_paths("one"))

    def composed(self, session: str, path: bytes) -> bytes | None:
        file = self.files(session)[path]
        if file.composed is None:
            return None
        return self.repo.run("cat-file", "blob", file.composed.oid).stdout


@pytest.fixture
def tree(repo: Repo) -> Tree:
    repo.commit("chore: base", {"f": BASE, "g": "g\n"})
    return Tree(repo)


def state_file(tree: Tree, path: bytes) -> Path:
    return Path(store.directory(tree.repository.git_dir), store.name_file(path))


def test_lines_of_a_session_and_of_a_person(tree: Tree) -> None:
    tree.replace("one", b"f", "line 3\n", "three\n")
    tree.repo.write("f", tree.read(b"f") + b"person\n")
    tree.replace("two", b"f", "line 20\n", "twenty\n")
    assert tree.composed("one", b"f") == BASE.replace("line 3\n", "three\n").encode()
    assert tree.composed("two", b"f") == BASE.replace("line 20\n", "twenty\n").encode()
    file = tree.files("one")[b"f"]
    assert file.own == 2
    assert [(hunk.owner, hunk.lines) for hunk in file.left] == [
        ("two", [b"-line 20\n", b"+twenty\n"]),
        ("nobody", [b"+person\n"]),
    ]
    assert [(hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) for hunk in file.left] == [
        (21, 1, 21, 1),
        (41, 0, 41, 1),
    ]


def test_what_differs_before_the_first_notice_is_nobodys(tree: Tree) -> None:
    tree.repo.write("f", BASE + "person\n")
    tree.repo.write("new", "person\n")
    with Ledger(tree.repository) as ledger:
        ledger.start("one", product="claude")
        ledger.start("one", product="claude")
    tree.replace("one", b"new", "person\n", "person\nagent\n")
    assert [(path, file.own) for path, file in tree.files("one").items()] == [(b"f", 0), (b"new", 0)]
    assert tree.list_foreign_paths() == [b"f", b"new"]


@pytest.mark.parametrize("told", [False, True])
def test_only_what_a_tool_tells_is_its(tree: Tree, told: bool) -> None:
    tree.replace("one", b"f", "line 3\n", "three\n", told=told)
    assert tree.files("one")[b"f"].own == (2 if told else 0)


def test_a_tool_that_changes_more_than_it_tells(tree: Tree) -> None:
    told = Replacement("line 3\n", "three\n")
    made = BASE.replace("line 3\n", "three\n").replace("line 30\n", "")
    tree.edit("one", b"f", told, made.encode())
    assert store.load_state(tree.repository.git_dir, b"f").content == made.encode()
    assert tree.composed("one", b"f") == BASE.replace("line 3\n", "three\n").encode()


def test_a_notice_without_the_one_before(tree: Tree) -> None:
    tree.replace("one", b"f", "line 3\n", "three\n", before=False, original=FoundContent(BASE.encode()))
    tree.replace("one", b"f", "line 30\n", "thirty\n", before=False)
    assert tree.files("one")[b"f"].own == 4


def test_an_edit_by_a_tool_that_reads_crlf_as_lf(tree: Tree) -> None:
    tree.repo.commit("chore: crlf", {"f": b"a\r\nb\r\nc\r\n"})
    made = b"A\r\nB\r\nc\r\n"
    tree.edit("one", b"f", Replacement("a\nb\n", "A\nB\n"), made, original=FoundContent(b"a\nb\nc\n"))
    assert tree.composed("one", b"f") == made


def test_an_edit_after_which_others_have_looked(tree: Tree) -> None:
    def save_and_look() -> None:
        tree.repo.write("f", tree.read(b"f") + b"person\n")
        tree.tell(lambda ledger: ledger.look(b"f"))

    tree.replace("one", b"f", "line 3\n", "three\n", between=save_and_look)
    assert tree.composed("one", b"f") == BASE.replace("line 3\n", "three\n").encode()


def test_what_anybody_looked_at_stays_known_when_it_is_gone(tree: Tree) -> None:
    tree.replace("one", b"f", "line 1\n", "line one\n")
    tree.repo.write("f", tree.read(b"f") + b"person\n")
    own = tree.files("one")[b"f"].own
    tree.repo.write("f", tree.read(b"f").replace(b"person\n", b""))
    made = tree.read(b"f") + b"person\n"
    tree.edit("one", b"f", NewContent(made.decode()), made)
    assert tree.files("one")[b"f"].own == own


def test_lines_that_are_staged_alone(tree: Tree) -> None:
    tree.repo.stage({"f": BASE + "person\n"})
    tree.repo.write("f", BASE)
    tree.replace("one", b"g", "g\n", "first\n")
    tree.repo.git("add", "g")
    tree.replace("one", b"g", "first\n", "second\n")
    assert tree.list_foreign_paths() == [b"f"]


def test_lines_that_a_renamed_file_brings_are_not_the_sessions(tree: Tree) -> None:
    tree.repo.write("f", BASE + "person\n")
    tree.tell(lambda ledger: ledger.look(b"f"))
    os.rename(tree.repo.path / "f", tree.repo.path / "renamed")
    content = (tree.repo.path / "renamed").read_bytes()
    os.unlink(tree.repo.path / "renamed")
    tree.edit("one", b"renamed", NewContent(content.decode()), content)
    assert [hunk.lines for hunk in tree.files("one")[b"renamed"].left] == [[b"+person\n"]]


def test_lines_like_those_of_a_file_that_is_gone_are_the_sessions_in_a_known_file(tree: Tree) -> None:
    tree.repo.write("f", BASE + "person\n")
    tree.tell(lambda ledger: ledger.look(b"f"))
    (tree.repo.path / "f").unlink()
    tree.replace("one", b"g", "g\n", "g\nperson\n")
    assert tree.composed("one", b"g") == b"g\nperson\n"


def test_changes_of_shell_commands_are_nobodys(tree: Tree) -> None:
    tree.tell(lambda ledger: ledger.look(b"f"))
    tree.repo.write("f", "person\n" + BASE)
    tree.tell(lambda ledger: ledger.before_shell("one"))
    tree.repo.write("f", "person\n" + BASE + "shell\n")
    tree.tell(lambda ledger: ledger.after_shell("one"))
    left = tree.files("one")[b"f"].left
    assert [(hunk.owner, hunk.during_shell_of) for hunk in left] == [("nobody", ""), ("nobody", "one")]


def test_a_claim(tree: Tree) -> None:
    tree.repo.write("f", BASE + "person\n")
    tree.replace("two", b"f", "line 3\n", "three\n")
    other, person = tree.files("one")[b"f"].left
    for refused in (["none"], [person.id, other.id]):
        with Ledger(tree.repository) as ledger, pytest.raises(SmartcommitError):
            ledger.claim("one", refused)
        assert tree.files("one")[b"f"].own == 0
    tree.tell(lambda ledger: ledger.claim("one", [person.id]))
    assert tree.composed("one", b"f") == (BASE + "person\n").encode()
    with Ledger(tree.repository) as ledger:
        ledger.end("two")
        ledger.claim("one", [other.id])
    assert tree.files("one")[b"f"].left == []


def test_commits_undo_and_a_moved_head(tree: Tree) -> None:
    tree.replace("one", b"f", "line 3\n", "three\n")
    tree.repo.write("f", tree.read(b"f") + b"person\n")
    file = tree.files("one")[b"f"]
    before = tree.repo.git("rev-parse", "HEAD").strip()
    tree.repo.git("update-index", "--cacheinfo", f"100644,{file.composed.oid},f")
    tree.repo.commit("feat: three")
    tree.tell(lambda ledger: ledger.follow_head())
    assert tree.files("one")[b"f"].own == 0
    assert [hunk.lines for hunk in tree.files("one")[b"f"].left] == [[b"+person\n"]]
    tree.tell(lambda ledger: ledger.begin_undo("one", before))
    tree.repo.git("reset", "-q", before)
    assert tree.files("one")[b"f"] == file


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)])
@pytest.mark.parametrize("path", [b"f", b"\xff \n", "d/\u00e4".encode(), b"x" * 200])
def test_any_path_in_any_format(tmp_path: Path, path: bytes, options: tuple[str, ...]) -> None:
    repo = Repo.init(tmp_path / "any", *options)
    repo.commit("chore: base", {os.fsdecode(path): BASE})
    tree = Tree(repo)
    tree.replace("one", path, "line 3\n", "three\n")
    repo.write(path, tree.read(path) + b"person\n")
    assert tree.composed("one", path) == BASE.replace("line 3\n", "three\n").encode()


def test_line_ends_are_converted_as_git_does(tree: Tree) -> None:
    tree.repo.git("config", "core.autocrlf", "true")
    tree.repo.write("f", BASE.replace("\n", "\r\n"))
    tree.replace("one", b"f", "line 3\r\n", "three\r\n")
    tree.repo.write("f", tree.read(b"f") + b"person\r\n")
    assert tree.composed("one", b"f") == BASE.replace("line 3\n", "three\n").encode()


def test_a_clean_filter_is_run(tree: Tree) -> None:
    tree.repo.commit("chore: attributes", {".gitattributes": "*.up filter=up\n", "a.up": "A\nB\nC\n"})
    tree.repo.git("config", "filter.up.clean", "tr a-z A-Z")
    tree.repo.write("a.up", "a\nb\nc\n")
    tree.replace("one", b"a.up", "b\n", "b\nx\n")
    assert tree.composed("one", b"a.up") == b"A\nB\nX\nC\n"
    tree.repo.git("config", "filter.up.clean", "false")
    tree.repo.git("config", "filter.up.required", "true")
    tree.replace("one", b"a.up", "c\n", "d\n")
    assert b"a.up" not in tree.files("one")


def test_links_modes_submodules_and_nested_repositories(tree: Tree, tmp_path: Path) -> None:
    module = Repo.init(tmp_path / "module")
    module.commit("chore: base", {"m": "m\n"})
    tree.repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module.path), "dep")
    tree.repo.commit("chore: add a submodule")
    Repo.init(tree.repo.path / "nested").commit()
    os.symlink("f", tree.repo.path / "link")
    os.chmod(tree.repo.path / "f", 0o755)
    Repo(tree.repo.path / "dep").commit("chore: more", {"m": "n\n"})
    for path in (b"dep/m", b"nested/x", b"link/x", b".git/config", b"../x", b"/x", b"dep"):
        with Ledger(tree.repository) as ledger:
            ledger.before_edit("one", path, "1")
            ledger.after_edit("one", path, "1", NewContent("x"))
    assert {path: file.own for path, file in tree.files("one").items()} == {b"f": 0, b"link": 0}
    assert tree.tell(lambda ledger: ledger.list_unread()) == [b"dep", b"nested/"]
    assert tree.list_foreign_paths() == [b"dep", b"f", b"link", b"nested/"]


def test_ignored_and_large_files_have_no_state(tree: Tree) -> None:
    tree.repo.commit("chore: ignore", {".gitignore": "secret\n"})
    tree.edit("one", b"secret", NewContent("key\n"), b"key\n")
    tree.replace("one", b"f", "line 3\n", "three\n")
    tree.repo.write("f", b"x\n" * (3 << 20))
    assert tree.files("one") == {}
    assert not state_file(tree, b"secret").exists()
    assert not state_file(tree, b"f").exists()
    assert tree.tell(lambda ledger: ledger.list_unread()) == [b"f"]


def test_a_damaged_state_is_as_good_as_none(tree: Tree) -> None:
    tree.replace("one", b"f", "line 3\n", "three\n")
    good = state_file(tree, b"f").read_bytes()
    for damaged in (b"", good[:-1], good[:200] + b"x" + good[201:], b"x" * 100):
        state_file(tree, b"f").write_bytes(damaged)
        assert tree.files("one")[b"f"].own == 0
    state_file(tree, b"f").write_bytes(good)
    assert tree.files("one")[b"f"].own == 2


def test_calls_that_never_come_back_are_forgotten(tree: Tree) -> None:
    with Ledger(tree.repository) as ledger:
        for call in range(200):
            ledger.before_edit("one", b"f", str(call))
    state = store.load_state(tree.repository.git_dir, b"f")
    assert 0 < len(state.calls) <= 50
    assert "one\n199" in state.calls


def test_a_session_begins_without_a_trace_in_git_and_is_swept(tree: Tree) -> None:
    tree.repo.write("f", BASE + "person\n")
    tree.repo.write("new", "person\n")
    (tree.repo.path / "g").unlink()
    before = tree.repo.state()
    tree.tell(lambda ledger: ledger.start("one"))
    assert tree.repo.state() == before
    assert "refs/worktree" not in tree.repo.git("for-each-ref")
    tree.replace("one", b"f", "line 3\n", "three\n")
    tree.tell(lambda ledger: ledger.end("one"))
    assert [known.id for known in registry.list_sessions(tree.repository.git_dir)] == ["one"]
    tree.repo.git("commit", "-qam", "feat: three")
    with Ledger(tree.repository) as ledger:
        ledger.refresh()
        ledger.start("two")
    assert [known.id for known in registry.list_sessions(tree.repository.git_dir)] == ["two"]


def test_the_lines_of_a_dead_session_are_nobodys(tree: Tree) -> None:
    tree.replace("one", b"f", "line 3\n", "three\n")
    for folder in ("paths", "sessions"):
        for path in (Path(tree.repository.git_dir) / "smartcommit" / "ledger" / folder).iterdir():
            os.utime(path, (1, 1))
    tree.tell(lambda ledger: ledger.start("two"))
    (hunk,) = tree.files("two")[b"f"].left
    assert hunk.owner == "nobody"


@pytest.mark.parametrize("session", ["", "x" * 129, "a\nb", "\0"])
def test_what_is_no_id_of_a_session(tree: Tree, session: str) -> None:
    with Ledger(tree.repository) as ledger, pytest.raises(SmartcommitError):
        ledger.start(session)


@pytest.mark.parametrize("step", range(1, 9))
def test_a_kill_leaves_the_old_states_or_the_new(tree: Tree, step: int) -> None:
    paths = [b"f", b"g", b"new"]
    with Ledger(tree.repository) as ledger:
        for path in paths:
            ledger.before_edit("one", path, "1")
    for path in paths:
        tree.repo.write(path, b"agent\n")
    pid = os.fork()
    if pid == 0:
        kill_at(step)
        with Ledger(tree.repository) as ledger:
            for path in paths:
                ledger.after_edit("one", path, "1", NewContent("agent\n"))
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    files = tree.files("one")
    # Of the states of three files, each is written and renamed.
    assert (os.WTERMSIG(status) == signal.SIGKILL) == (step <= 6)
    assert list(files) == paths
    for path, file in files.items():
        assert file.own == 0 or tree.composed("one", path) == b"agent\n"
    assert sum(file.own > 0 for file in files.values()) == min((step - 1) // 2, 3)


def kill_at(step: int) -> None:
    """Kill this process at a step with which it saves states: before one is written, or before it is renamed."""
    count = 0

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        writes = event == "open" and str(arguments[0]).endswith(".new")
        if writes or (event == "os.rename" and "paths" in str(arguments[0])):
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(audit)


@pytest.mark.parametrize("packed", [False, True])
def test_a_notice_runs_no_git(tree: Tree, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
    if packed:
        tree.repo.git("pack-refs", "--all")
    tree.replace("one", b"f", "line 3\n", "three\n")
    with monkeypatch.context() as without_git:
        without_git.setenv("PATH", "")
        tree.replace("one", b"f", "line 5\n", "five\n")
    assert tree.files("one")[b"f"].own == 4


def test_many_new_files_get_states_while_there_is_room(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "_STATES", 4)
    tree.repo.write_many(10)
    tree.edit("one", b"own", NewContent("own\n"), b"own\n")
    assert [file.own for file in tree.files("one").values()] == [0, 0, 0, 2]
    assert len(tree.tell(lambda ledger: ledger.list_unread())) == 7
    assert len(tree.list_foreign_paths()) == 10


def test_states_that_cannot_be_written_are_one_error(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(state_files, "_replace", fail)
    with pytest.raises(SmartcommitError, match="cannot write"), Ledger(tree.repository) as ledger:
        ledger.before_edit("one", b"f", "1")
    assert state_files.load(tree.repository.git_dir, "ledger/lock") is not None
