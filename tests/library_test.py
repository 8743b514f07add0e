"""What Python programs are offered, by the examples of its page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import smartcommit
from smartcommit.errors import GitError
from tests.conftest import ROOT
from tests.support import model_server as server
from tests.support.model_server import serve
from tests.support.repository import Repo

MESSAGES, MODEL = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "python.md").read_text(), re.M | re.S)


def test_the_examples_check_draft_and_plan_without_a_change(inside: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    inside.write("cart.py", "def total(items):\n    return sum(items)\n")
    inside.write("README.md", "# Shop\n")
    inside.git("add", ".")
    before = inside.git("status", "--porcelain=v2")
    exec(compile(MESSAGES, "python.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["header-form the line does not start with a type", "refused"]
    assert any(re.fullmatch(r".*: .* \[b'.*'\]", line) for line in lines)
    assert inside.git("status", "--porcelain=v2") == before
    assert smartcommit.check_message("feat: add a cart").refused is False


def test_the_example_of_a_loop_ends_with_what_the_last_tool_returns(capsys: pytest.CaptureFixture[str]) -> None:
    script = [server.calls((name, {"name": "cups"})) for name in ("count_stock", "submit")]
    with serve("ollama", *script) as model:
        exec(compile(MODEL.replace("http://localhost:11434", model.base), "python.md", "exec"), {})
    assert capsys.readouterr().out == "cups\n"


def test_nothing_is_loaded_before_it_is_used_and_all_names_are_there(tmp_path: Path) -> None:
    script = "import smartcommit, sys; print([name for name in sys.modules if name.startswith('smartcommit.')])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.check_output([sys.executable, "-c", script], env=environment) == b"[]\n"
    for name in smartcommit.__all__:
        assert getattr(smartcommit, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'commit_everything'"):
        _ = smartcommit.commit_everything
    with pytest.raises(GitError, match="not a git repository"):
        smartcommit.draft_message(str(tmp_path))
