"""The message hooks and `smartcommit check` without what only POSIX has, as on Windows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from smartcommit.commands import subcommands
from tests.conftest import ROOT
from tests.support.commands import Command
from tests.support.installation import Installation
from tests.support.repository import Repo
from tests.support.table import rows

# What Python does not have on Windows. Source: the "Availability" lines of its documentation.
WITHOUT_POSIX = """
import os, signal, sys
import subprocess  # decides by the platform's own modules which of its two implementations to use
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for name in ("SIGHUP", "SIGTSTP", "SIGWINCH", "SIGCONT"):
    delattr(signal, name)
for name in ("fork", "posix_spawn", "posix_spawnp", "getpgrp", "getppid", "killpg", "mkfifo", "openpty", "tcgetpgrp"):
    delattr(os, name)
"""


def run(installation: Installation, code: str, repo: Repo) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [installation.python, "-c", f"{WITHOUT_POSIX}\n{code}"],
        cwd=repo.path, env={**os.environ, "GIT_EDITOR": "vi"}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(("text", "status"), [("feat: add a\n", 0), ("Added a\n", 1)])
def test_a_message_is_checked(installation: Installation, repo: Repo, text: str, status: int) -> None:
    message = repo.write(".git/COMMIT_EDITMSG", text)
    hook = f"from smartcommit_hooks.commit_msg import main; sys.exit(main([{str(message)!r}]))"
    assert run(installation, hook, repo).returncode == status
    command = f"from smartcommit.cli import main; sys.exit(main(['check', {str(message)!r}]))"
    done = run(installation, command, repo)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False)


def test_a_message_is_drafted(installation: Installation, repo: Repo) -> None:
    repo.commit("chore: base", {"README.md": "# A\n"})
    repo.stage({"guide.md": "# Guide\n"})
    message = repo.write(".git/COMMIT_EDITMSG", "\n# Please enter the commit message.\n")
    hook = f"from smartcommit_hooks.prepare_commit_msg import main; sys.exit(main([{str(message)!r}]))"
    done = run(installation, hook, repo)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path(message).read_text().startswith("docs: add guide.md\n")


@rows("words", "execute list", "session status", "agents status", "plan show")
def test_what_needs_posix_is_refused_in_a_line(
    smartcommit: Command, inside: Repo, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr(subcommands, "IS_WINDOWS", True)
    assert "does not run on Windows yet" in smartcommit(*words.split(), status=1).err


# Who uses something that Python lacks on Windows: where that is asked for before, or what does not run there.
LACKING = {
    "smartcommit/files.py", "smartcommit/harness/hook.py", "smartcommit/processes/guard.py",
    "smartcommit/processes/run.py", "smartcommit/processes/spawn.py", "smartcommit/split/review/app.py",
    "smartcommit/terminal.py", "smartcommit/waiting.py",
}  # fmt: skip
# What only some systems have, and who may ask for it.
ASKED = {
    r"os\.name|sys\.platform|platform\.system": {"smartcommit/files.py"},
    r"(import|from) (fcntl|grp|msvcrt|pty|pwd|resource|syslog|termios|tty|winreg)": {
        "smartcommit/files.py", "smartcommit/processes/spawn.py", "smartcommit/split/review/app.py",
        "smartcommit/waiting.py",
    },
    r"IS_WINDOWS|ctypes": {
        "smartcommit/files.py", "smartcommit/processes/run.py", "smartcommit/processes/windows.py",
        "smartcommit/git/status.py", "smartcommit/git/transaction/journal.py", "smartcommit/commands/subcommands.py",
        "smartcommit/split/review/questions.py", "smartcommit/split/review/text.py", "smartcommit/terminal.py",
    },
    r"(hasattr|getattr)\((os|signal)": {
        "smartcommit/processes/run.py", "smartcommit/processes/spawn.py", "smartcommit/signals.py",
        "smartcommit/state_files.py",
    },
}  # fmt: skip


@pytest.mark.parametrize("pattern", ASKED)
def test_few_places_know_the_platform(pattern: str) -> None:
    sources = [*(ROOT / "smartcommit").rglob("*.py"), *(ROOT / "hooks").rglob("*.py")]
    asking = {path.relative_to(ROOT).as_posix() for path in sources if re.search(rf"\b({pattern})\b", path.read_text())}
    assert asking == ASKED[pattern]


@pytest.mark.slow
def test_few_places_use_what_windows_lacks(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--platform", "win32", "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    using = re.findall(r"^(\S+?):\d+: error: Module.* has no attribute", done.stdout, re.MULTILINE)
    assert (set(using), done.stderr) == (LACKING, ""), done.stdout
    assert f"Found {len(using)} errors" in done.stdout
