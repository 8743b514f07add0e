"""`smartcommit execute demo`: a run that succeeds, one that needs a second attempt, and one that fails."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import click

from smartcommit.commands.stage import DemoShell

# Stands for a coding agent: reads the prompt, and does what the task's title says.
AGENT = """\
import re, sys
from pathlib import Path
prompt = sys.stdin.read()
title = re.search("^## Task .*?: (.*)$", prompt, re.MULTILINE)[1]
print("reading the task:", title)
Path("greet.py").touch()
if "always fails" in title:
    print("TASK_FAILED: the interface it needs does not exist")
    sys.exit()
if "at first" in title and "Previous attempts failed" not in prompt:
    print("writing greet.py, and stopping half way")
    Path("greet.py").write_text("def greet(name")
    sys.exit(1)
name = title.split()[1]
written = Path("greet.py").read_text().partition("def greet(name")[0]
Path("greet.py").write_text(f"{written}def {name}():\\n    return '{name}'\\n")
print("writing greet.py")
if "message" not in title:
    print(f"SUGGESTED_COMMIT_MESSAGE: feat: add {name} to the greetings")
"""
PLANS = {
    "success.md": "# Success\n\n- [ ] Add hello\n- [ ] Add goodbye, without a message\n",
    "flaky.md": "# Flaky\n\n- [ ] Add welcome, which fails at first\n",
    "fail.md": "# Failure\n\n- [ ] Add farewell, which always fails\n",
}


@click.command()
@click.option("--keep", is_flag=True, help="Keep the scratch repository.")
def demo(*, keep: bool) -> int:
    """Show runs in a scratch repository, by an agent that is a script and no model."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="smartcommit-demo-"))
    try:
        _show(folder)
        if keep:
            click.echo(f"\nkept: {folder}")
    finally:
        if not keep:
            shutil.rmtree(folder)
    return 0


def _show(folder: str) -> None:
    agent = Path(folder, "agent.py")
    agent.write_text(AGENT)
    stage = DemoShell(os.path.join(folder, "greetings"), SMARTCOMMIT_AGENT=shlex.join([sys.executable, str(agent)]))
    stage.commit("chore: begin", {"README.md": "# Greetings\n", **PLANS})
    stage.title("Success: two tasks, two commits, each with the work and the plan's state")
    stage.do("smartcommit execute new success.md")
    stage.do("smartcommit execute run success")
    stage.do("git log --stat --format=%n%s -2")
    stage.title("A flaky agent: the second attempt goes on where the first one stopped")
    stage.do("smartcommit execute new flaky.md")
    stage.do("smartcommit execute run flaky")
    stage.title("Failure: nothing is committed, and the work stays for a look")
    stage.do("smartcommit execute new fail.md")
    stage.do("smartcommit execute run failure --attempts 2", status=1)
    stage.do("smartcommit execute show failure")
    stage.do("git status --short")
