"""The planner by a client that is not ours: the protocol's inspector, in both eras."""

import json
import os
import subprocess
from typing import Any

import pytest

from smartcommit.jj.guidance import TOOLS
from tests.mcp.planner_test import WORKFLOW
from tests.support.components import component
from tests.support.installation import Installation
from tests.support.workspace import Workspace

pytestmark = pytest.mark.components

ERAS = ["legacy", "modern"]


class Inspector:
    """The inspector's command line on our server."""

    def __init__(self, installation: Installation, era: str, *options: str) -> None:
        self._command = [
            component("inspector"), "--cli", "-e", f"PATH={os.environ['PATH']}", "--protocol-era", era,
            "--connect-timeout", "60000", "--format", "json",
        ]  # fmt: skip
        self._server = [installation.script("smartcommit"), "mcp", *options]

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [*self._command, *options, "--", *self._server]
        return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        done = self.run("--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))
        answer = json.loads(done.stdout)["result"]
        assert isinstance(answer, dict)
        return answer


@pytest.mark.parametrize("era", ERAS)
def test_it_lists_twelve_tools_with_correct_schemas(workspace: Workspace, installation: Installation, era: str) -> None:
    inspector = Inspector(installation, era, "--repo", str(workspace.path))
    done = inspector.run("--method", "tools/list", "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    tools = json.loads(done.stdout)["result"]["tools"]
    assert tuple(tool["name"] for tool in tools) == TOOLS
    assert all(tool["inputSchema"]["additionalProperties"] is False for tool in tools)


def test_it_calls_tools(workspace: Workspace, installation: Installation) -> None:
    # Each call starts the inspector and a server; our own client runs the whole workflow.
    for (name, arguments), era in zip(WORKFLOW[:2], ERAS, strict=True):
        answer = Inspector(installation, era, "--repo", str(workspace.path)).call(name, arguments)
        assert not answer.get("isError"), answer
        assert answer["structuredContent"]["status"] == "success"
    assert workspace.description.startswith("feat(parser): accept comments in lists\n\nConfigurations have comments.\n")
