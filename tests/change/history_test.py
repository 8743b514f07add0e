"""What is learned from a project's last commits."""

import json
from pathlib import Path

import pytest

from smartcommit.change.history import History, normalize_scope, read_past_commit
from smartcommit.git.repo import Repository
from tests.support.repository import Repo
from tests.support.table import rows


def history(repo: Repo) -> History:
    return History.load(Repository.find(str(repo.path)))


def test_headers_and_paths_are_read_newest_first(repo: Repo) -> None:
    repo.commit("feat(Auth): one", {"src/a.py": "1\n", "src/b.py": "1\n"})
    repo.commit("an old habit", {"src/a.py": "2\n"})
    repo.commit("fix!: empty")
    repo.commit("fix(x_y)!: three", {"sp ace\nline": "1\n"})
    assert [(c.type, c.scope, c.summary, c.paths) for c in history(repo).commits] == [
        ("fix", "x-y", "three", (b"sp ace\nline",)),
        ("fix", None, "empty", ()),
        (None, None, "an old habit", (b"src/a.py",)),
        ("feat", "auth", "one", (b"src/a.py", b"src/b.py")),
    ]


def test_an_unborn_branch_has_no_habits(repo: Repo) -> None:
    found = history(repo)
    assert found.commits == ()
    assert found.count_scope_votes([b"a"]) == {}
    assert found.count_type_votes([b"a"]) == {}


def test_merges_have_no_vote(repo: Repo) -> None:
    repo.commit("feat: one", {"a": "1\n"})
    repo.git("switch", "-q", "-c", "side")
    repo.commit("fix: two", {"b": "1\n"})
    repo.git("switch", "-q", "main")
    repo.commit("docs: three", {"c": "1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "chore: merge", "side")
    assert {commit.type for commit in history(repo).commits} == {"feat", "fix", "docs"}


def test_a_shallow_clone_is_read_to_its_edge(repo: Repo, tmp_path: Path) -> None:
    for number in range(4):
        repo.commit(f"fix: {number}", {"a": f"{number}\n"})
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.path}", str(tmp_path / "clone"))
    assert [commit.summary for commit in history(Repo(tmp_path / "clone")).commits] == ["3", "2"]


@pytest.mark.parametrize("encoding", [None, "latin-1"])
def test_a_message_in_another_encoding_is_read(repo: Repo, encoding: str | None) -> None:
    repo.stage({"a": "1\n"})
    settings = ("-c", f"i18n.commitEncoding={encoding}") if encoding else ()
    repo.git(*settings, "commit", "-q", "--cleanup=verbatim", "-F", "-", stdin="fix(auth): zoë".encode("latin-1"))
    (commit,) = history(repo).commits
    assert (commit.type, commit.scope, commit.paths) == ("fix", "auth", (b"a",))
    assert commit.summary == "zoë"


def test_a_treeless_clone_fetches_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.commit("fix: one", {"a": "1\n"})
    repo.commit("fix: two", {"a": "2\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--no-checkout", "--filter=tree:0", f"file://{repo.path}", str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    before = clone.git("count-objects", "-v")
    assert history(clone).commits == ()
    assert clone.git("count-objects", "-v") == before


def test_it_takes_one_process(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("feat: one", {f"{number}": "1\n" for number in range(30)})
    repository = Repository.find(str(repo.path))
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    found = History.load(repository)
    found.count_scope_votes([b"1"])
    found.rate_nouns([b"1"])
    found.rate_scopes_of_files([b"1"])
    assert [json.loads(line)["event"] for line in trace.read_text().splitlines()].count("start") == 1


def made(*commits: tuple[str, str]) -> History:
    return History([read_past_commit(header.encode(), [path.encode()]) for header, path in commits])


def test_the_nearest_paths_vote() -> None:
    found = made(*[("fix(auth): a", "src/auth/a.py"), ("docs: b", "docs/a.md")] * 3)
    assert max(found.count_scope_votes([b"src/auth/b.py"]).items(), key=lambda vote: vote[1])[0] == "auth"
    assert found.count_scope_votes([b"docs/b.md"]) == {None: 1.0}
    assert max(found.count_type_votes([b"docs/b.md"]).items(), key=lambda vote: vote[1])[0] == "docs"
    assert found.count_types(frozenset({"documentation"})).keys() == {"docs"}


def test_a_few_near_changes_outvote_many_far_ones() -> None:
    far = [(f"chore(all): {number}", f"lib/{number}/a.py") for number in range(20)]
    votes = made(*far, *[("fix(auth): a", "src/auth/b.py")] * 3).count_scope_votes([b"src/auth/a.py"])
    assert votes["auth"] > votes["all"]


def test_only_changes_of_the_very_files_speak_for_them() -> None:
    found = made(
        ("build(deps): bump x from 1.0 to 1.1", "src/a.py"), ("fix(web): two", "src/b.py"), ("fix(auth): c", "src/a.py")
    )
    assert set(found.rate_scopes_of_files([b"src/a.py"])) == {"auth"}
    assert found.rate_scopes_of_files([b"src/a.py"])["auth"] < 1
    assert set(found.rate_scopes_of_files([b"src/a.py"], upkeep=True)) == {"deps"}
    assert found.rate_scopes_of_files([b"src/c.py"]) == {}


def test_a_new_folder_beside_scoped_ones_is_a_scope() -> None:
    found = made(*((f"fix({name}): x", f"services/{name}/a.py") for name in ("s3", "gcs", "azure")))
    places = found.rate_nouns([b"services/http/a.py"])
    assert set(places) == {"http"}
    assert places["http"] > 0.5


def test_bumps_vote_on_bumps_alone() -> None:
    found = made(("fix: y", "go.mod"), ("build(deps): bump x from 1.0 to 1.1", "go.mod"))
    assert found.count_type_votes([b"go.mod"]).keys() == {"fix"}
    assert found.count_scope_votes([b"go.mod"], upkeep=True) == {"deps": 1.0}


def test_bots_decide_neither_types_nor_scopes(repo: Repo) -> None:
    for number in range(20):
        repo.commit("fix: x", {"a.py": f"{number}\n"})
    address = "1+l10n[bot]@users.noreply.example"
    repo.run("commit", "-q", "--allow-empty", "-m", "feat(l10n): Update", env={"GIT_AUTHOR_EMAIL": address})
    found = history(repo)
    assert found.count_types().keys() == {"fix"}
    assert found.count_scopes(upkeep=False) == {None: 20}


def test_scopes_of_bumps_count_for_bumps_where_people_write_enough() -> None:
    bumps = [(f"build(deps): bump x from 1.{number} to 2.0", "go.mod") for number in range(3)]
    few, enough = made(*bumps, *[("fix(web): x", "a.py")] * 3), made(*bumps, *[("fix(web): x", "a.py")] * 20)
    assert few.count_scopes(upkeep=True) is None
    assert enough.count_scopes(upkeep=False) == {"web": 20}
    assert enough.count_scopes(upkeep=True) == {"web": 20, "deps": 3}


@rows(
    ("scope", "expected"),
    ("Auth", "auth"),
    ("exit_codes", "exit-codes"),
    ("services/s3", "s3"),
    ("docs/bump.md", "bump"),
    ("a,b", None),
    ("3d", None),
    ("", None),
)
def test_a_scope_is_spelled_our_way(scope: str, expected: str | None) -> None:
    assert normalize_scope(scope) == expected


@rows(
    ("past", "scope", "path", "expected"),
    ([("c_sharp", "c_sharp/a.py")], "c-sharp", "c_sharp/b.py", "c_sharp"),
    ([("API", "api/a.py"), ("api", "api/a.py"), ("API", "api/b.py")], "api", "api/c.py", "API"),
    ([("core/auth", "core/auth/a.py")] * 3, "auth", "core/auth/b.py", "core/auth"),
    ([("core/auth", "core/auth/a.py")] * 3, "auth", "charts/auth/b.yml", "auth"),
    ([("service/fs", "services/fs/a.py")] * 3, "fs", "services/fs/b.py", "service/fs"),
    ([("services/fs", "services/fs/a.py")] * 3, "hf", "services/hf/a.py", "services/hf"),
    ([("services/fs", "services/fs/a.py")], "hf", "services/hf/a.py", "hf"),
    ([("fs", "services/fs/a.py")] * 3, "hf", "services/hf/a.py", "hf"),
    ([("git_status", "a/git_status.py")], "git-branch", "a/git_branch.py", "git_branch"),
    ([("git-status", "a/git-status.py")], "git-branch", "a/git_branch.py", "git-branch"),
    ([("git_status", "a/git_status.py")], "git-branch", "a/Git_Branch.py", "git-branch"),
    ([], "deps", "package.json", "deps"),
)
def test_a_scope_is_written_as_past_ones_are(past: list[tuple[str, str]], scope: str, path: str, expected: str) -> None:
    commits = [read_past_commit(f"fix({written}): x".encode(), [changed.encode()]) for written, changed in past]
    assert History(commits).spell_scope(scope, [path.encode()]) == expected
