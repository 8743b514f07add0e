"""Splits over the Model Context Protocol, by the SDK's own client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp import Client

from smartcommit.jj.guidance import TOOLS
from smartcommit.jj.tools import Tools
from smartcommit.mcp.server import build_server
from smartcommit.mcp.session import SessionTools
from smartcommit.mcp.split import SplitTools
from tests.support.repository import Repo
from tests.support.secrets import letters
from tests.support.situations_split import SITUATIONS

NAMES = {"list_units", "propose_split", "check_split", "apply_split", "undo_split"}
SESSION_NAMES = {f"session_{verb}" for verb in ("start", "note", "status", "claim", "plan", "commit", "undo")}
Work = Callable[[Client], Awaitable[None]]
MESSY = ("two_far_hunks", "repeated_blocks", "untracked_files")


def talk(repo: Repo, work: Work, *, check: str | None = None) -> None:
    """Run `work` with a client of the split tools on `repo`."""

    async def main() -> None:
        directory = str(repo.path)
        server = build_server(None, SplitTools(directory, check=check), SessionTools(directory, check=check))
        async with Client(server, raise_exceptions=True) as client:
            await work(client)

    anyio.run(main)


async def call(client: Client, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    """The structured answer of a tool, which must succeed."""
    answer = await client.call_tool(name, arguments or {})
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return answer.structured_content


async def fail(client: Client, name: str, arguments: dict[str, Any] | None = None) -> str:
    """The message of a tool, which must refuse."""
    answer = await client.call_tool(name, arguments or {})
    assert answer.is_error
    assert answer.structured_content is not None
    assert answer.structured_content["status"] == "error"
    return str(answer.structured_content["message"])


def messy(repo: Repo) -> None:
    """A change of four concerns in three files, one of them in a file whose name is no text."""
    lines = "".join(f"line {number}\n" for number in range(40))
    repo.commit("feat: base", {"a.py": "def one():\n    return 1\n", "b.txt": lines, b"caf\xe9.txt": "x\n"})
    repo.write("a.py", "def one():\n    return 2\n")
    repo.write("b.txt", lines.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n"))
    repo.write(b"caf\xe9.txt", "y\n")


def test_the_tools_stand_alone_or_beside_the_planner(repo: Repo) -> None:
    writing = {}

    async def main() -> None:
        alone = build_server(None, SplitTools(str(repo.path)), SessionTools(str(repo.path)))
        beside = build_server(Tools(str(repo.path)), SplitTools(str(repo.path)))
        for server, expected in ((alone, NAMES | SESSION_NAMES), (beside, NAMES | set(TOOLS))):
            async with Client(server, raise_exceptions=True) as client:
                tools = (await client.list_tools()).tools
                assert expected <= {tool.name for tool in tools}
                for tool in tools:
                    assert tool.description
                    assert tool.input_schema["additionalProperties"] is False
                    assert tool.output_schema is not None
                    assert tool.annotations is not None
                    if tool.name not in TOOLS and not tool.annotations.read_only_hint:
                        writing[tool.name] = tool.annotations.destructive_hint, tool.annotations.idempotent_hint

    anyio.run(main)
    undoing = dict.fromkeys(("undo_split", "session_undo"), (True, False))
    adding = dict.fromkeys(("apply_split", "session_note", "session_claim", "session_commit"), (False, False))
    assert writing == {**undoing, **adding, "session_start": (False, True)}


@pytest.mark.parametrize("name", MESSY)
def test_a_client_splits_and_undoes(repo: Repo, name: str) -> None:
    SITUATIONS[name](repo)
    before = repo.state()

    async def work(client: Client) -> None:
        proposed = await call(client, "propose_split")
        checked = await call(client, "check_split", {"commits": proposed["commits"]})
        assert checked["commits"] == proposed["commits"]
        assert repo.state() == before
        applied = await call(client, "apply_split", {"commits": proposed["commits"]})
        assert applied["created"] == repo.git("log", "--reverse", "--format=%H", f"-{len(proposed['commits'])}").split()
        assert repo.git("status", "--porcelain") == ""
        await call(client, "undo_split")

    talk(repo, work)
    assert repo.state()[:2] == before[:2]


def test_a_client_makes_commits_of_hunks_by_their_names(repo: Repo) -> None:
    messy(repo)

    async def work(client: Client) -> None:
        listed = await call(client, "list_units")
        assert [unit["id"] for unit in listed["units"]] == ["a.py::1", "b.txt::1", "b.txt::2", r"caf\xe9.txt::1"]
        assert "+three" in listed["units"][1]["diff"]
        commits = [
            {"message": "fix: return 2", "units": ["a.py::1"]},
            {"message": "docs: spell numbers", "units": ["b.txt::2", r"caf\xe9.txt::1"]},
        ]
        applied = await call(client, "apply_split", {"commits": commits})
        assert applied["uncommitted"] == ["b.txt::1"]

    talk(repo, work)
    assert repo.subjects()[1:] == ["fix: return 2", "docs: spell numbers"]
    assert repo.run("show", "HEAD:caf\udce9.txt").stdout == b"y\n"
    assert repo.git("diff", "--name-only").split() == ["b.txt"]


def test_the_command_that_the_server_was_started_with_is_run(repo: Repo) -> None:
    messy(repo)
    before = repo.state()

    async def work(client: Client) -> None:
        proposed = await call(client, "propose_split")
        await fail(client, "apply_split", {"commits": proposed["commits"]})
        await fail(client, "check_split", {"commits": proposed["commits"]})

    talk(repo, work, check="false")
    assert repo.state() == before


def test_a_file_with_a_secret_cannot_be_named(repo: Repo) -> None:
    repo.commit("feat: base", {"deploy.sh": "true\n", "a.txt": "a\n"})
    repo.write("deploy.sh", f"true\nexport GITHUB_TOKEN=ghp_{letters('mcp', 36)}\n")
    repo.write("a.txt", "b\n")

    async def work(client: Client) -> None:
        listed = await call(client, "list_units")
        assert [unit["id"] for unit in listed["units"]] == ["a.txt::1"]
        assert [file["path"] for file in listed["left_out"]] == ["deploy.sh"]
        commits = [{"message": "feat: a", "units": ["a.txt::1", "deploy.sh::1"]}]
        assert "is left out" in await fail(client, "apply_split", {"commits": commits})

    talk(repo, work)


def test_a_change_after_the_listing_is_refused(repo: Repo) -> None:
    messy(repo)

    async def work(client: Client) -> None:
        proposed = await call(client, "propose_split")
        repo.write("a.py", "def one():\n    return 3\n")
        await fail(client, "apply_split", {"commits": proposed["commits"]})

    talk(repo, work)
    assert repo.subjects() == ["feat: base"]


def test_a_session_commits_its_own_lines(repo: Repo) -> None:
    messy(repo)
    session = {"session": "one"}

    async def edit(client: Client, path: str, old: str, new: str) -> None:
        note = {**session, "path": path, "call": path}
        await call(client, "session_note", {**note, "event": "before"})
        repo.write(path, (repo.path / path).read_text().replace(old, new))
        done = {"kind": "replace", "old": old, "new": new}
        await call(client, "session_note", {**note, "event": "after", "edit": done})

    async def work(client: Client) -> None:
        await call(client, "session_start", session)
        await fail(client, "session_commit", session)
        await edit(client, "b.txt", "line 15\n", "fifteen\n")
        status = (await call(client, "session_status", session))["details"]
        assert [file["path"] for file in status["files"] if file["own"]] == ["b.txt"]
        assert r"caf\xe9.txt" in [file["path"] for file in status["files"]]
        planned = await call(client, "session_plan", session)
        commits = [{"message": "docs: spell fifteen", "units": planned["commits"][0]["units"]}]
        committed = await call(client, "session_commit", {**session, "commits": commits})
        assert committed["created"] == repo.git("rev-parse", "HEAD").split()
        assert repo.git("show", "--format=", "--numstat").split() == ["1", "1", "b.txt"]
        await call(client, "session_undo", session)
        await call(client, "session_commit", {**session, "message": "docs: spell 15"})

    talk(repo, work)
    assert repo.subjects() == ["feat: base", "docs: spell 15"]
    assert repo.git("diff", "--name-only", "-z").count("\0") == 3


def test_hostile_calls_change_nothing(repo: Repo) -> None:
    messy(repo)
    before = repo.state()
    refused = []

    async def work(client: Client) -> None:
        await call(client, "list_units")
        for arguments in hostile_calls():
            answer = await client.call_tool(arguments.pop("tool"), arguments)
            assert answer.is_error, arguments
            refused.append(answer)

    talk(repo, work)
    assert len(refused) > 100
    assert repo.state() == before
    assert not (repo.path / "touched").exists()


def hostile_calls() -> list[dict[str, Any]]:
    """Calls of what must be refused: ids, messages and shapes that are wrong, and tools called out of order."""
    message = "feat: a"
    ids = [
        "../../etc/passwd::1", "/etc/passwd::1", "a.py", "a.py::0", "a.py::-1", "a.py::99", "", "::", "-rf",
        "$(touch touched)", "`touch touched`", "a.py::1\n", "a.py::1\0", "\ud800", "a" * 10_000,
        "--exec=touch touched", ".git/config::1",
        "b.txt::1; touch touched", "caf\u00e9.txt::1", "\u202ea.py::1",
    ]  # fmt: skip
    messages = [
        "", " ", "\n", "not conventional", "feat:", "feat : a", "FEAT: a", "feat(: a", "# comment", "\x1b[31mfeat: a",
        "x" * 100_001, "feat: a\nno blank line", "feat: a\0b", "unknown: a", "fixup! feat: a",
    ]  # fmt: skip
    shapes: list[Any] = [
        None, 1, "a.py::1", [], [[]], [{}], [{"message": message}], [{"units": ["a.py::1"]}],
        [{"message": message, "units": []}], [{"message": message, "units": "a.py::1"}],
        [{"message": 1, "units": ["a.py::1"]}], [{"message": message, "units": [1]}],
        [{"message": message, "units": ["a.py::1"], "exec": "touch touched"}],
        [{"message": message, "units": ["a.py::1", "a.py::1"]}],
        [{"message": message, "units": ["a.py::1"]}, {"message": message, "units": ["a.py::1"]}],
        [{"message": message, "units": ["a.py::1"]}] * 1001,
    ]  # fmt: skip
    calls: list[dict[str, Any]] = [
        {"tool": "apply_split"},
        {"tool": "undo_split"},
        {"tool": "undo_split", "force": True},
    ]
    for tool in ("apply_split", "check_split"):
        calls += [{"tool": tool, "commits": shape} for shape in shapes]
        calls += [{"tool": tool, "commits": [{"message": message, "units": [name]}]} for name in ids]
        calls += [{"tool": tool, "commits": [{"message": text, "units": ["a.py::1"]}]} for text in messages]
    calls += [{"tool": "propose_split", "strategy": name} for name in ("", "--help", "auto; touch touched", "none")]
    calls += [{"tool": "propose_split", "count": count} for count in (0, -1, 10**9, "two")]
    return calls
