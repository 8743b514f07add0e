"""The tools that files configure."""

from __future__ import annotations

import pytest

from smartcommit.change.tools import find_tool


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        (b"jest.config.js", ("tests", "Jest")),
        (b"web/.eslintrc.json", ("style", "ESLint")),
        (b"eslint.config.mjs", ("style", "ESLint")),
        (b".github/workflows/test.yml", ("ci", "GitHub Actions")),
        (b".github/dependabot.yml", ("updates", "Dependabot")),
        (b".travis.yml", ("ci", "Travis CI")),
        (b"yarn.lock", ("packages", "Yarn")),
        (b"src/jest.py", None),
        (b"docs/webpack.md", None),
        (b".github/CODEOWNERS", None),
    ],
)
def test_a_tool_is_known_by_the_file_that_configures_it(path: bytes, tool: tuple[str, str] | None) -> None:
    assert find_tool(path) == tool
