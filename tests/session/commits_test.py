"""A session's lines become commits, all or none; what others wrote or staged stays as it was."""

import json
import shlex
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from smartcommit.errors import SmartcommitError
from smartcommit.session import registry, store
from smartcommit.session.ledger import Ledger
from smartcommit.session.outcome import SessionRefused, describe_failure
from smartcommit.setup.git_hooks import GitHooks
from smartcommit.split.outcome import DONE, NOTHING
from tests.support.repository import Repo
from tests.support.secrets import letters
from tests.support.sessions import Agent, call
from tests.support.situations_split import FORTY, contents, edited


@pytest.fixture
def forty(based: Repo) -> Repo:
    based.commit("chore: forty", {"a.txt": FORTY})
    return based


@pytest.fixture
def agent(forty: Repo) -> Agent:
    return Agent(forty, "session-1")


def edit_line(agent: Agent, number: int) -> None:
    agent.replace("a.txt", f"line {number}\n", f"edited {number}\n")


def assert_refused(repo: Repo, act: Callable[[], object], reason: str) -> dict[str, Any]:
    """Assert that this is refused for a reason and changes nothing; return what the agent is told."""
    before = repo.state()
    with pytest.raises(SmartcommitError, match=reason) as caught:
        act()
    assert repo.state() == before
    return describe_failure(caught.value).document


def test_the_lines_of_a_session_are_committed_and_no_others(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    forty.write("a.txt", edited(FORTY, 3, 30))
    forty.write("own.txt", "a person's\n")
    agent.write("new.py", "def f():\n    return 1\n")
    files = contents(forty.path)
    outcome = agent.commit()
    assert outcome.status == DONE
    assert [entry["oid"] for entry in outcome.document["commits"]] == forty.git(
        "rev-list", "--reverse", "HEAD~2.."
    ).split()
    assert forty.git("show", "HEAD:a.txt") == edited(FORTY, 3)
    assert forty.git("show", "HEAD:new.py") == "def f():\n    return 1\n"
    assert forty.git("status", "--porcelain") == " M a.txt\n?? own.txt\n"
    assert contents(forty.path) == files
    assert [entry["path"] for entry in outcome.document["left"]] == ["a.txt", "own.txt"]
    assert agent.commit().status == NOTHING


def test_a_message_must_pass_the_rules(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    assert_refused(forty, lambda: agent.commit(message="Added x."), "breaks rule")


def test_a_check_that_fails_names_files_committed_in_part(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    forty.write("a.txt", edited(FORTY, 3, 30))
    document = assert_refused(forty, lambda: agent.commit(check="echo broken; grep -q 'edited 30' a.txt"), "failed")
    assert document["in_part"] == ["a.txt"]
    assert "broken" in "\n".join(document["output"])
    # What passes is not among what went wrong.
    agent.write("guide/new.md", "# New\n\nSome words.\n")
    (output,) = assert_refused(forty, lambda: agent.commit(check="! test -e guide/new.md"), "failed")["output"]
    assert output.startswith("2/2 docs: add new.md: failed with status 1")
    (forty.path / "guide/new.md").unlink()
    assert agent.commit(check="grep -q 'edited 3' a.txt && ! grep -q 'edited 30' a.txt").status == DONE


def test_secrets_stay_uncommitted(forty: Repo, agent: Agent) -> None:
    agent.write(".env", "API_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n")
    outcome = agent.commit()
    assert outcome.status == NOTHING
    assert [entry["path"] for entry in outcome.document["warnings"]] == [".env"]
    assert forty.git("status", "--porcelain") == "?? .env\n"
    edit_line(agent, 3)
    assert agent.commit().status == DONE
    assert forty.git("show", "--name-only", "--format=").split() == ["a.txt"]


def test_a_file_with_contradicting_staged_lines_is_held(forty: Repo, agent: Agent) -> None:
    forty.stage({"a.txt": edited(FORTY, 3).replace("edited 3", "between")})
    forty.write("a.txt", FORTY)
    edit_line(agent, 3)
    agent.write("new.py", "x = 1\n")
    staged = forty.git("show", ":a.txt")
    outcome = agent.commit(message="feat: add x")
    assert outcome.status == DONE
    assert forty.git("show", "--name-only", "--format=").split() == ["new.py"]
    assert forty.git("show", ":a.txt") == staged
    (held,) = outcome.document["held"]
    assert (held["path"], held["command"]) == ("a.txt", "git restore --staged -- a.txt")
    forty.git("restore", "--staged", "--", "a.txt")
    assert agent.commit(message="docs: edit a line").status == DONE


@pytest.mark.parametrize(
    ("prepare", "status"),
    [
        (["rm", "-q", "--cached", "base.txt"], "D  base.txt\n?? base.txt\n"),
        (["add", "-N", "new.txt"], " A new.txt\n"),
        (["add", "new.txt"], "A  new.txt\n"),
        (["update-index", "--chmod=+x", "base.txt"], "MM base.txt\n"),
    ],
)
def test_other_entries_of_the_index_stay(forty: Repo, agent: Agent, prepare: list[str], status: str) -> None:
    forty.write("new.txt", "new\n")
    forty.git(*prepare)
    if "new.txt" not in status:
        (forty.path / "new.txt").unlink()
    edit_line(agent, 3)
    assert agent.commit(message="docs: edit a line").status == DONE
    assert forty.git("status", "--porcelain") == status


def test_a_file_announced_by_intent_to_add_is_committed(forty: Repo, agent: Agent) -> None:
    agent.write("new.py", "x = 1\n")
    forty.git("add", "-N", "new.py")
    assert agent.commit(message="feat: add x").status == DONE
    assert forty.git("status", "--porcelain") == ""


def test_a_staged_deletion_of_the_file_is_not_lost(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    forty.git("rm", "-q", "--cached", "a.txt")
    before = forty.state()
    outcome = agent.commit()
    assert outcome.status == NOTHING
    assert outcome.document["next"][0] == "git restore --staged -- a.txt"
    assert forty.state() == before


def test_a_staged_mode_is_combined(forty: Repo, agent: Agent) -> None:
    forty.git("update-index", "--chmod=+x", "a.txt")
    edit_line(agent, 3)
    assert agent.commit(message="docs: edit a line").status == DONE
    assert forty.git("ls-tree", "HEAD", "a.txt").startswith("100644")
    assert forty.git("ls-files", "-s", "a.txt").startswith("100755")
    assert forty.git("show", ":a.txt") == edited(FORTY, 3)


def test_a_staged_file_in_place_of_a_folder_is_not_lost(forty: Repo, agent: Agent) -> None:
    forty.stage({"place": "staged\n"})
    (forty.path / "place").unlink()
    agent.write("place/new.py", "x = 1\n")
    assert_refused(forty, agent.commit, "has the place of 'place'")


def test_a_file_that_git_ignores_the_changes_of_stays_as_it_is(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    forty.git("update-index", "--assume-unchanged", "a.txt")
    agent.write("new.py", "x = 1\n")
    agent.commit(message="feat: add x")
    assert forty.git("show", "--name-only", "--format=").split() == ["new.py"]
    forty.git("update-index", "--no-assume-unchanged", "a.txt")
    assert agent.commit(message="docs: edit a line").status == DONE


def test_the_first_commit(repo: Repo) -> None:
    agent = Agent(repo, "session-1")
    agent.write("new.py", "x = 1\n")
    repo.write("own.txt", "a person's\n")
    assert agent.commit(message="feat: add x").status == DONE
    assert repo.git("status", "--porcelain") == "?? own.txt\n"
    agent.undo()
    assert repo.run("rev-parse", "--verify", "-q", "HEAD").returncode
    assert repo.git("status", "--porcelain") == "?? new.py\n?? own.txt\n"


def link(repo: Repo) -> Repo:
    repo.git("worktree", "add", "-q", str(repo.path.parent / "linked"))
    return Repo(repo.path.parent / "linked")


def detach(repo: Repo) -> Repo:
    repo.git("checkout", "-q", "--detach")
    return repo


def make_sparse(repo: Repo) -> Repo:
    repo.commit("chore: folder", {"folder/b.txt": "b\n", "other/c.txt": "c\n"})
    repo.git("sparse-checkout", "set", "--sparse-index", "folder")
    return repo


@pytest.mark.parametrize(("lay_out", "branch"), [(link, "linked"), (detach, "HEAD"), (make_sparse, "main")])
def test_a_worktree_of_any_layout_has_commits_of_its_own(
    forty: Repo, lay_out: Callable[[Repo], Repo], branch: str
) -> None:
    repo = lay_out(forty)
    head, main = repo.git("rev-parse", "HEAD", "main").split()
    agent = Agent(repo, "session-1")
    edit_line(agent, 3)
    assert agent.commit(message="docs: edit a line", branch=branch).status == DONE
    assert repo.git("status", "--porcelain") == forty.git("status", "--porcelain") == ""
    assert repo.git("show", "HEAD", "--name-only", "--format=").split() == ["a.txt"]
    assert repo.git("rev-parse", "HEAD~1").strip() == head
    assert (forty.git("rev-parse", "main").strip() == main) == (branch != "main")
    assert agent.undo().status == DONE
    assert repo.git("status", "--porcelain") == " M a.txt\n"


def test_a_jj_repository_is_refused(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    (forty.path / ".jj" / "repo").mkdir(parents=True)
    for verb in (agent.plan, agent.commit, agent.undo):
        assert_refused(forty, verb, "jj repository")


def test_undo_restores_head_index_and_ownership(forty: Repo, agent: Agent) -> None:
    forty.stage({"b.txt": "staged\n"})
    edit_line(agent, 3)
    forty.write("a.txt", edited(FORTY, 3, 30))
    before, files = forty.state(), agent.files()
    head = forty.git("rev-parse", "HEAD").strip()
    agent.commit()
    outcome = agent.undo()
    assert (outcome.status, outcome.document["head"]) == (DONE, head)
    assert forty.state()[:2] == before[:2]
    assert agent.files() == files
    assert_refused(forty, agent.undo, "no commits to undo")


def test_undo_takes_back_one_commit_after_the_other(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    agent.commit(message="docs: edit a line")
    edit_line(agent, 30)
    agent.commit(message="docs: edit another line")
    agent.undo()
    assert forty.git("show", "HEAD:a.txt") == edited(FORTY, 3)
    agent.undo()
    assert forty.git("show", "HEAD:a.txt") == FORTY
    assert agent.commit(message="docs: edit both").status == DONE
    assert forty.git("show", "HEAD:a.txt") == edited(FORTY, 3, 30)


def test_undo_keeps_whose_the_lines_since_are(forty: Repo, agent: Agent) -> None:
    other = Agent(forty, "session-2")
    edit_line(agent, 3)
    agent.commit(message="docs: edit a line")
    edit_line(agent, 30)
    edit_line(other, 20)
    forty.write("a.txt", edited(FORTY, 3, 10, 20, 30))
    agent.undo()
    agent.commit(message="docs: edit two lines")
    assert forty.git("show", "HEAD:a.txt") == edited(FORTY, 3, 30)
    other.commit(message="docs: edit a line")
    assert forty.git("show", "HEAD:a.txt") == edited(FORTY, 3, 20, 30)


def test_undo_leaves_the_commits_of_others_alone(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    agent.commit(message="docs: edit a line")
    other = Agent(forty, "session-2")
    assert_refused(forty, other.undo, "no commits to undo")
    other.write("new.py", "x = 1\n")
    other.commit(message="feat: add x")
    (command,) = assert_refused(forty, agent.undo, "HEAD has moved")["next"]
    forty.git(*command.split()[1:])
    assert forty.git("show", "HEAD:a.txt") == FORTY
    assert (forty.path / "new.py").exists()


def test_undo_does_not_lose_what_was_staged_since(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    agent.commit(message="docs: edit a line")
    forty.stage({"b.txt": "staged\n"})
    (command,) = assert_refused(forty, agent.undo, "something was staged")["next"]
    assert "b.txt" in forty.git(*command.split()[1:])


def test_what_changes_during_a_check_is_refused_and_built_upon(forty: Repo, agent: Agent, tmp_path: Path) -> None:
    edit_line(agent, 3)
    forty.write("own.txt", "a person's\n")
    git = f"env -u GIT_DIR -u GIT_INDEX_FILE git -C {forty.path}"
    check = f"{git} add own.txt && {git} commit -qm 'docs: own' --no-verify"
    with pytest.raises(SessionRefused, match="HEAD has moved") as caught:
        agent.commit(message="docs: x y", check=check)
    (command,) = describe_failure(caught.value).document["next"]
    assert shlex.split(command)[5:] == ["--message", "docs: x y", "--exec", check]
    seen, go = tmp_path / "seen", tmp_path / "go"

    def edit_meanwhile() -> None:
        while not seen.exists():
            pass
        edit_line(agent, 30)
        go.touch()

    editing = threading.Thread(target=edit_meanwhile)
    editing.start()
    with pytest.raises(SessionRefused, match=r"lines in 'a\.txt' have changed"):
        agent.commit(check=f"touch {seen}; while ! test -e {go}; do sleep 0.01; done")
    editing.join()
    assert agent.commit(message="docs: edit lines").status == DONE
    assert forty.subjects("HEAD~2..") == ["docs: own", "docs: edit lines"]
    assert forty.git("show", "HEAD:a.txt") == edited(FORTY, 3, 30)


def test_the_ledger_is_free_while_a_check_runs_and_locked_when_head_moves(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    with Ledger(agent.repository):
        pass
    lock = forty.path / ".git" / "hooks" / "reference-transaction"
    program = "import fcntl,sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    held = next((forty.path / ".git" / "smartcommit").rglob("*lock"))
    forty.write(".git/hooks/reference-transaction", f'#!/bin/sh\n! python3 -c "{program}" {held} 2>/dev/null\n')
    lock.chmod(0o755)
    assert agent.commit(message="docs: edit a line", check=f'python3 -c "{program}" {held}').status == DONE


def test_trailers_signs_and_hooks_are_as_in_a_split(forty: Repo, agent: Agent) -> None:
    forty.git("config", "smartcommit.splitHooks", "commit-msg")
    forty.write(
        ".git/hooks/commit-msg", '#!/bin/sh\necho "Reviewed-by: A <a@example.invalid>" >>"$1"\n', executable=True
    )
    edit_line(agent, 3)
    assert agent.commit(message="docs: edit a line", sign_off=True).status == DONE
    assert forty.message() == (
        "docs: edit a line\n\nSigned-off-by: Cora Committer <cora@example.invalid>\n"
        "Reviewed-by: A <a@example.invalid>\n\n"
    )
    assert forty.git("log", "-1", "--format=%an, %cn").strip() == "Ada Author, Cora Committer"


def test_a_file_in_place_of_a_folder_of_others_is_refused(forty: Repo, agent: Agent) -> None:
    forty.commit("chore: folder", {"place/a.py": "a = 1\n", "place/b.py": "b = 1\n"})
    shutil.rmtree(forty.path / "place")
    agent.write("place", "x = 1\n")
    edit_line(agent, 3)
    assert_refused(forty, agent.commit, "'place' has the place")


def test_files_are_moved_and_deleted(forty: Repo, agent: Agent) -> None:
    agent.delete("a.txt")
    agent.write("b.txt", FORTY)
    agent.delete("base.txt")
    assert agent.commit(message="refactor: move a file").status == DONE
    assert forty.git("status", "--porcelain") == ""
    assert forty.git("ls-files").split() == ["b.txt"]
    agent.undo()
    assert forty.git("status", "--porcelain", "--no-renames") == " D a.txt\n D base.txt\n?? b.txt\n"


def test_what_is_staged_during_a_check_stays_staged(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    forty.write("own.txt", "a person's\n")
    with pytest.raises(SessionRefused, match="staged in the meantime"):
        agent.commit(check=f"env -u GIT_DIR -u GIT_INDEX_FILE git -C {forty.path} add own.txt")
    assert agent.commit(message="docs: edit a line").status == DONE
    assert forty.git("status", "--porcelain") == "A  own.txt\n"


def test_the_hook_of_the_repository_on_messages_is_run_as_by_git(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    forty.write(".git/hooks/commit-msg", 'printf "\\nReviewed: yes\\n" >> "$1"\n', executable=True)
    assert agent.commit(message="fix: edit line 3").document["not_run"] == []
    assert forty.message().endswith("\nReviewed: yes\n\n")
    edit_line(agent, 30)
    forty.write(".git/hooks/pre-commit", "exit 0\n", executable=True)
    assert agent.commit(message="fix: edit line 30").document["not_run"] == ["pre-commit"]
    edit_line(agent, 20)
    forty.write(".git/hooks/commit-msg", "echo no such ticket; exit 1\n", executable=True)
    assert_refused(forty, lambda: agent.commit(message="fix: edit line 20"), "the hook 'commit-msg' fails")
    forty.git("config", "smartcommit.splitHooks", "")
    assert agent.commit(message="fix: edit line 20").status == DONE


def test_a_message_is_compared_with_its_commit(forty: Repo, agent: Agent) -> None:
    edit_line(agent, 3)
    claimed = agent.commit(message="fix: remove `old_parser`").document["claims"]
    assert len(claimed) == 1
    assert "old_parser" in claimed[0]
    edit_line(agent, 20)
    forty.git("config", "smartcommit.agentClaims", "error")
    assert_refused(forty, lambda: agent.commit(message="fix: remove `old_lexer`"), "old_lexer")


def test_an_agent_is_shown_no_secrets_and_no_new_files_of_others(forty: Repo, agent: Agent) -> None:
    token = f"ghp_{letters('session', 36)}"
    forty.write("notes.txt", "private\n")
    forty.write("a.txt", FORTY.replace("line 3\n", f"GITHUB_TOKEN={token}\n").replace("line 30\n", "thirty\n"))
    files = {file["path"]: file["left"] for file in call(forty, "status", "--session", agent.session)["files"]}
    assert "lines" not in files["notes.txt"][0]
    lines = [line for hunk in files["a.txt"] for line in hunk["lines"]]
    assert "+thirty" in lines
    assert any(line.startswith("+GITHUB_TOKEN=") for line in lines)
    shown = json.dumps([files, agent.plan().document])
    assert token not in shown
    assert "private" not in shown


def test_what_fails_beside_the_commits_fails_before_or_hides_none(
    forty: Repo, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_line(agent, 3)
    before = forty.state()

    def fail(*arguments: object) -> None:
        raise SmartcommitError("cannot be read")

    with monkeypatch.context() as patch:
        patch.setattr(GitHooks, "list_entries", fail)
        with pytest.raises(SmartcommitError, match="cannot be read"):
            agent.commit()
    assert forty.state() == before
    for place, name in ((registry, "note_task"), (Ledger, "refresh"), (store, "save_state")):
        with failing_elsewhere(forty, monkeypatch, place, name):
            outcome = agent.commit()
        head = forty.git("rev-parse", "HEAD").strip()
        assert (outcome.status, outcome.document["commits"][0]["oid"]) == (DONE, head)
        assert "no space left" in str(outcome.document["untidy"]).lower(), name
        assert sum(file.own for file in agent.files()) == 0
        with failing_elsewhere(forty, monkeypatch, place, name):
            outcome = agent.undo()
        assert (outcome.status, forty.state()) == (DONE, before)
        assert sum(file.own for file in agent.files()) == 2


@contextmanager
def failing_elsewhere(repo: Repo, monkeypatch: pytest.MonkeyPatch, place: object, name: str) -> Iterator[None]:
    """Let a function fail as soon as HEAD is not where it is now."""
    head, real = repo.git("rev-parse", "HEAD"), getattr(place, name)

    def run(*arguments: object) -> object:
        if repo.git("rev-parse", "HEAD") != head:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(place, name, run)
        yield
