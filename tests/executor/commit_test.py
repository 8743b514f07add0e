"""What an attempt may not commit unless it was there before: secrets, build artifacts, conflict markers, raw output."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.executor.attempt_state_test import KILLS, kill
from tests.executor.conftest import Execute
from tests.support.agents import Agent, plan_in, work
from tests.support.repository import Repo

Make = Callable[..., Agent]
TOKEN = "ghp_" + "a1B2" * 9
# How agents say it without saying it.
SECRET = 'secret = "gh" + "p_" + "a1B2" * 9\n'


@pytest.mark.parametrize(
    "hides",
    [
        'write("a.txt", "line of words\\n" * 200_000); write("b.txt", secret)',
        'write("b.txt", "x" * ((1 << 22) - 10) + " " + secret)',
        'write(".gitattributes", "b.txt -diff\\n"); write("b.txt", secret)',
        'write("b.txt", "\\0" + secret)',
        'open("b.txt", "wb").write(("first\\r\\n" + secret).encode("utf-16"))',
        'open("b.txt", "wb").write(secret.encode("utf-16-be"))',
        'open("b.txt", "wb").write(("\u4e16\u754c " * 1500000 + secret).encode("utf-16-le"))',
        'open("b.txt", "wb").write(b"odd" + secret.encode("utf-16-le"))',
        'open("b.txt", "wb").write(secret.strip().encode("utf-16-be"))',
    ],
)
def test_a_secret_is_found_wherever_it_is(based: Repo, make_agent: Make, execute: Execute, hides: str) -> None:
    plan_in(based, "first")
    agent = make_agent(f'{SECRET}if attempt == 1: {hides}\nelse: write("b.txt", "clean\\n")')
    assert execute(agent) == 0
    assert "'b.txt' contains a secret (github token); remove it" in agent.prompts[1]
    assert TOKEN not in work(based)["b.txt"]


def test_words_in_a_program_are_no_secret_put_together(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    agent = make_agent('write("program", "\\0".join(["AK" + "IA", "ASIA", "ABIA", "ACCA", "AGPA", "AIDA", "AROA"]))')
    assert execute(agent) == 0
    assert len(agent.prompts) == 1


def test_a_secret_in_a_commit_that_leaves_nothing_to_do_is_found(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    based.commit("chore: ignore the plans", {".gitignore": "/.smartcommit/\n"})
    plan_in(based, "first")
    commits = 'git("add", "."); git("commit", "-qm", "feat: by itself")'
    agent = make_agent(
        f'{SECRET}if attempt == 2: git("reset", "-q", "--soft", "HEAD~1")\n'
        f'write("b.txt", secret if attempt == 1 else "clean\\n"); {commits}'
    )
    assert execute(agent) == 0
    assert "'b.txt' contains a secret (github token)" in agent.prompts[1]


def test_a_secret_that_was_there_already_is_no_business_of_the_attempts(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    based.commit("chore: add samples", {"sample": f"{TOKEN}\nmore\n" * 20, "moved": f"other words {TOKEN}\n" * 20})
    plan_in(based, "first")
    agent = make_agent('open("sample", "a").write("end\\n"); os.rename("moved", "there")')
    assert execute(agent) == 0
    assert len(agent.prompts) == 1


@pytest.mark.parametrize(
    ("suggested", "subject"),
    [
        ('"feat: take " + secret', "[rafa] Complete task t01: first"),
        ('"feat: take it\\n\\nWith " + secret', "feat: take it"),
    ],
)
def test_a_message_with_a_secret_is_not_used(
    based: Repo, make_agent: Make, execute: Execute, suggested: str, subject: str
) -> None:
    plan_in(based, "first")
    assert execute(make_agent(f"{SECRET}write(task); suggest({suggested})")) == 0
    assert based.subjects() == ["chore: base", subject]
    assert TOKEN not in based.git("log", "-p", "--format=%B")


@pytest.mark.parametrize("hides", ["", 'git("rm", "-q", "b.txt"); git("commit", "-qm", "feat: take it out"); '])
@pytest.mark.parametrize("runs", [1, 2])
def test_a_secret_in_an_agents_own_commit_does_not_stay_in_the_history(
    based: Repo, make_agent: Make, execute: Execute, hides: str, runs: int
) -> None:
    plan_in(based, "first", "second")
    base = based.git("rev-parse", "HEAD").strip()[:12]
    commits = f'write("b.txt", secret); git("add", "."); git("commit", "-qm", "feat: by itself"); {hides}'
    mends = f'git("reset", "-q", "--soft", "{base}"); write("b.txt", "clean\\n"); '
    if runs == 1:
        later = make_agent(f"{SECRET}if call == 0: {commits}\nif call == 1: {mends}")
        assert execute(later) == 0
    else:
        assert execute(make_agent(f"{SECRET}{commits}"), "run", "--attempts", "1") == 1
        later = make_agent(f'if task == "t01": {mends}')
        assert execute(later, "resume") == 0
    said = later.prompts[2 - runs]
    assert f", made by the agent; run 'git reset --soft {base}' to undo that commit first" in said
    assert TOKEN not in based.git("log", "-p", "--all")
    assert based.subjects()[0] == "chore: base"


@pytest.mark.parametrize("ending", ["sys.exit(1)", KILLS])
def test_a_secret_in_an_agents_own_commit_is_found_in_a_later_run_too(
    based: Repo, make_agent: Make, execute: Execute, ending: str
) -> None:
    plan_in(based, "first")
    agent = make_agent(f'{SECRET}write("b.txt", secret); git("add", "."); git("commit", "-qm", "feat: take"); {ending}')
    if ending == KILLS:
        kill(based, agent)
    else:
        assert execute(agent, "run", "--attempts", "1") == 1
    later = make_agent('if call: git("reset", "-q", "--soft", "HEAD~1"); write("b.txt", "clean\\n")')
    assert execute(later, "resume") == 0
    assert "'b.txt' contains a secret (github token)" in later.prompts[1]
    assert TOKEN not in based.git("log", "-p")


def test_a_secret_that_a_person_commits_between_two_runs_is_theirs(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    assert execute(make_agent("sys.exit(1)"), "run", "--attempts", "1") == 1
    based.commit("chore: add a sample", {"sample": f"{TOKEN}\n"})
    later = make_agent()
    assert execute(later, "resume") == 0
    assert len(later.prompts) == 1


CONFLICT = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\n"


@pytest.mark.parametrize("marker", [CONFLICT, "one\n>>>>>>> topic\n", "<<<<<<<\r\none\r\n=======\r\n>>>>>>>\r\n"])
@pytest.mark.parametrize("name", ["base.txt", "b.txt"])
def test_new_conflict_markers_are_refused(
    based: Repo, make_agent: Make, execute: Execute, marker: str, name: str
) -> None:
    plan_in(based, "first")
    agent = make_agent(
        f'open("{name}", "w", newline="").write("text\\n" + {marker!r} if attempt == 1 else "resolved\\n")'
    )
    assert execute(agent) == 0
    assert f"'{name}' contains conflict markers; resolve the conflict" in agent.prompts[1]
    assert len(agent.prompts) == 2
    assert work(based)[name] == "resolved\n"


def test_conflict_markers_in_a_merge_that_the_agent_concluded_are_refused(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    branch = based.git("branch", "--show-current").strip()
    merges = (
        'git("switch", "-qc", "topic"); write("base.txt", "two\\n"); git("commit", "-qam", "feat: two")\n'
        f'git("switch", "-q", "{branch}"); write("base.txt", "one\\n"); git("commit", "-qam", "feat: one")\n'
        'subprocess.run(["git", "merge", "-q", "topic"], stdout=subprocess.DEVNULL)\n'
        'git("commit", "-qam", "Merge branch topic")'
    )
    agent = make_agent(f'if attempt == 2: write("base.txt", "both\\n"); sys.exit()\n{merges}')
    assert execute(agent) == 0
    assert "'base.txt' contains conflict markers" in agent.prompts[1]
    assert work(based)["base.txt"] == "both\n"


@pytest.mark.parametrize(
    "writes",
    [
        'open("sample", "a").write(open("sample").read())',
        'os.rename("sample", "moved"); open("moved", "a").write("end\\n")',
        'write("guide.md", "Heading\\n=======\\n\\ntext\\n")',
        'write("guide.rst", "=======\\nHeading\\n=======\\n")',
        'write("more.rst", "Heading\\n<<<<<<<\\n\\nSection\\n>>>>>>>\\n")',
        'write("art", "<<<<<<<<<< >>>>>>>>>>\\n>>>>>>>>>>\\n  <<<<<<< indented\\n")',
    ],
)
def test_markers_that_were_there_and_underlines_are_accepted(
    based: Repo, make_agent: Make, execute: Execute, writes: str
) -> None:
    based.commit("test: add a sample", {"sample": f"a sample of a conflict\n{CONFLICT}" * 5})
    plan_in(based, "first")
    agent = make_agent(writes)
    assert execute(agent) == 0
    assert len(agent.prompts) == 1


def test_without_the_screen_conflict_markers_are_committed(based: Repo, make_agent: Make, execute: Execute) -> None:
    plan_in(based, "first")
    assert execute(make_agent(f'write("b.txt", {CONFLICT!r})'), "run", "--no-screen") == 0
    assert work(based)["b.txt"] == CONFLICT


def test_an_artifact_in_an_agents_own_commit_is_found_though_it_is_gone_from_the_tree(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    plan_in(based, "first")
    base = based.git("rev-parse", "HEAD").strip()[:12]
    agent = make_agent(
        f'if attempt == 2: git("reset", "-q", "--soft", "{base}"); sys.exit()\n'
        'write("dist.bin", "x" * (11 << 20)); git("add", "."); git("commit", "-qm", "feat: build")\n'
        'git("rm", "-q", "dist.bin"); git("commit", "-qm", "feat: clean")'
    )
    assert execute(agent) == 0
    assert "'dist.bin' is 11 MiB and looks like a build artifact" in agent.prompts[1]


def test_an_example_that_was_filled_in_and_renamed_is_a_secrets_file(
    based: Repo, make_agent: Make, execute: Execute
) -> None:
    lines = "".join(f"SETTING_{number}=value\n" for number in range(20))
    based.commit("chore: add an example", {".env.example": lines})
    plan_in(based, "first")
    agent = make_agent(
        'if attempt == 1: os.rename(".env.example", ".env"); open(".env", "a").write("PASS=x\\n")\n'
        'else: os.rename(".env", ".env.example")'
    )
    assert execute(agent) == 0
    assert "'.env' looks like a secrets file" in agent.prompts[1]
