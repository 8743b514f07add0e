"""kill -9 of executor, agent and git at every step: what comes out in the end is what an undisturbed run makes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from smartcommit.executor.plan import TaskPlan
from smartcommit.executor.plan_dir import PlanFolder
from tests.executor.conftest import environment
from tests.support.agents import Agent, committed_plan, events, plan_in, work
from tests.support.kills import KILLED, Kills
from tests.support.profile import choose
from tests.support.repository import Repo

Make = Callable[..., Agent]

# Every step would take minutes. The second task takes the same steps as the first, and the stride meets others of them.
STRIDE = choose(fast=25, full=9)
AGENT_PLACES = ("agent begins", "agent is half way", "agent is done")
GIT_PLACES = (
    "filter status", "filter add", "pre-commit", "commit-msg", "reference-transaction prepared",
    "reference-transaction committed", "post-commit",
)  # fmt: skip
# A hook, or a filter, that kills: once, at the place that is written down, those that are written down.
KILLER = """\
#!/bin/sh
place=$1
case $1 in
reference-transaction) place="$1 $2";;
filter)
    git=$(cut -d ' ' -f 4 /proc/$PPID/stat)
    place="filter $(tr '\\0' '\\n' < /proc/$git/cmdline | grep -x 'add\\|status')";;
esac
if test "$place" = "$(cat ../where 2>/dev/null)"; then
    rm ../where
    whom=$(cat ../whom)
    if test $whom != git; then kill -9 $(cat ../pid); fi
    if test $whom != executor; then kill -9 ${git:-$PPID}; fi
fi
test $1 != filter || exec cat
"""
AGENT = """\
def die(where):
    if os.path.exists("../where") and open("../where").read().strip() == where:
        os.remove("../where")
        whom = open("../whom").read().strip()
        if whom != "git":
            os.kill(int(open("../pid").read()), signal.SIGKILL)
        if whom != "executor":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(600)
die("agent begins")
write(f"src/{task}", "half")
die("agent is half way")
write(f"src/{task}", f"whole of {task}")
# git reads a file again, through its filter, that is not older than the index.
os.utime(f"src/{task}", (2**31 - 1, 2**31 - 1))
if task == "t01":
    suggest("feat: add the first\\n\\nIt is needed.")
die("agent is done")
"""


@pytest.fixture
def prepared(based: Repo, make_agent: Make, tmp_path: Path) -> Iterator[Kills]:
    killer = tmp_path / "killer"
    killer.write_text(KILLER)
    killer.chmod(0o755)
    for hook in ("pre-commit", "commit-msg", "reference-transaction", "post-commit"):
        based.write(f".git/hooks/{hook}", f'#!/bin/sh\nexec {killer} {hook} "$1"\n', executable=True)
    # git starts a filter by way of a shell.
    based.git("config", "filter.kills.clean", f"{killer} filter; :")
    based.commit("chore: filter the sources", {".gitattributes": "src/* filter=kills\n"})
    agent = make_agent(AGENT)
    plan_in(based, "first", "second", check="test -e src/t01")
    kills = Kills(based.path, tmp_path / "copies", {**environment(), "SMARTCOMMIT_AGENT": str(agent.path)})
    yield kills
    kills.close()


def was_completed(place: Path) -> bool:
    plan = PlanFolder(str(place), folder_of(place)).place
    found = Repo(place).run("cat-file", "blob", f"HEAD:{plan}")
    return found.returncode == 0 and TaskPlan.model_validate_json(found.stdout).status == "completed"


def outcome(place: Path) -> tuple[list[str], list[dict[str, str]]]:
    repo = Repo(place)
    assert repo.git("status", "--porcelain", "--untracked-files=all") == ""
    folder = PlanFolder(str(place), folder_of(place))
    assert committed_plan(repo, folder).status == "completed"
    assert (len(committed_plan(repo, folder).completed), events(folder).count("task_completed")) == (2, 2)
    commits = repo.git("rev-list", "--reverse", "HEAD").split()
    return [repo.message(commit) for commit in commits], [work(repo, commit) for commit in commits]


@pytest.fixture
def expected(prepared: Kills) -> tuple[list[str], list[dict[str, str]]]:
    place = prepared.copy("undisturbed")
    assert prepared.run(place, "run") == 0
    found = outcome(place)
    assert [message.split("\n", maxsplit=1)[0] for message in found[0][2:]] == [
        "feat: add the first", "[rafa] Complete task t02: second",
    ]  # fmt: skip
    return found


def shown(place: Path) -> str:
    return (place / "../shown").read_text()


def go_on(kills: Kills, place: Path, *arguments: str) -> int:
    """Resume, and again without the locks of a killed git, which git's error names."""
    status = kills.run(place, *arguments)
    locks = [*place.glob(".git/*.lock"), *place.glob(".git/refs/heads/*.lock")]
    if status and locks:
        assert ".lock': File exists" in shown(place)
        for lock in locks:
            lock.unlink()
        status = kills.run(place, *arguments)
    return status


def test_a_run_killed_anywhere_ends_the_same(prepared: Kills, expected: tuple[list[str], list[dict[str, str]]]) -> None:
    step = 1
    while True:
        place = prepared.copy(f"step{step}")
        status = prepared.run(place, "run", step=step)
        if status == 0:
            break
        assert status == KILLED
        assert was_completed(place) or prepared.run(place, "run") == 0, (step, shown(place))
        assert outcome(place) == expected, (step, shown(place))
        step += STRIDE
    assert step > 100


@pytest.mark.slow
def test_whoever_is_killed_it_ends_the_same(prepared: Kills, expected: tuple[list[str], list[dict[str, str]]]) -> None:
    for where in (*AGENT_PLACES, *GIT_PLACES):
        for whom in ("executor", "git", "both"):
            place = prepared.copy(f"{where} {whom}")
            (place / "../where").write_text(where)
            (place / "../whom").write_text(whom)
            status = prepared.run(place, "run")
            case = (where, whom, status, shown(place))
            assert not (place / "../where").exists(), case
            # A run whose agent was killed goes on by itself.
            assert (status == KILLED) == (whom != "git"), case
            assert go_on(prepared, place, "resume" if status else "run", folder_of(place)) == 0, (case, shown(place))
            assert outcome(place) == expected, (case, shown(place))


@pytest.mark.slow
def test_going_on_can_be_killed_anywhere_too(prepared: Kills, expected: tuple[list[str], list[dict[str, str]]]) -> None:
    base = prepared.copy("base")
    (base / "../where").write_text("reference-transaction prepared")
    (base / "../whom").write_text("both")
    assert prepared.run(base, "run") == KILLED
    for lock in (*base.glob(".git/*.lock"), *base.glob(".git/refs/heads/*.lock")):
        lock.unlink()
    again = Kills(base, base.parent / "again", prepared.environment)
    step = 1
    while (status := again.run(place := again.copy(f"step{step}"), "resume", step=step)) != 0:
        assert status == KILLED
        assert was_completed(place) or again.run(place, "resume") == 0, (step, shown(place))
        assert outcome(place) == expected, (step, shown(place))
        step += STRIDE
    again.close()
    assert step > 50


def folder_of(place: Path) -> str:
    (folder,) = (place / ".smartcommit/plans").iterdir()
    return folder.name
