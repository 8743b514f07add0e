"""The repository of the rows in `commands.json`, what a command really does there, and what the session is told."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from smartcommit.git.repo import Repository
from smartcommit.harness.afterwards import look
from smartcommit.harness.guard import Refusal, judge
from smartcommit.harness.products import AFTER, PRODUCTS
from smartcommit.session import findings
from smartcommit.session.edits import NewContent
from smartcommit.session.ledger import Ledger
from tests.conftest import ROOT
from tests.support.repository import Repo

# What goes around the hooks, sweeps lines of others, or neither; of the first two, what no plain words tell, and a look
# afterwards does; the reason for which a command is refused beside other worktrees, submodules and stashes; what is
# named instead of a command; and what git does with commits by itself.
ROWS: dict[str, Any] = json.loads(Path(__file__).with_name("commands.json").read_text())
SESSION = "agent"
# Stands in every line that another person has written and not committed.
PERSON = "person"
# The files that have such lines; the last is untracked.
PERSONS = {"app.py": "a = 1\nb = 2\nperson = 1\n", "sub/mod.py": "person = 2\nc = 3\n", "notes.txt": "person = 3\n"}
# What the session has written in their place where it is alone.
OWN = {"app.py": "a = 1\nb = 2\nmine = 1\n", "sub/mod.py": "mine = 2\nc = 3\n", "notes.txt": "mine = 3\n"}
BASE = {
    "README.md": "# App\n\nRun `make test`.\n",
    "own.py": "own = 1\n",
    "app.py": "a = 1\nb = 2\n",
    "sub/mod.py": "c = 3\n",
    "package.json": '{"scripts": {"commit": "git status"}}\n',
    "Makefile": "commit test:\n\t@git status -s\n",
}
# What the session has staged.
STAGED = {"own.py": "own = 1\nmore = 2\n"}
ALIASES = {
    "nv": "commit --no-verify",
    "sneaky": "!git commit --no-verify",
    "ci": "commit",
    "st": "status",
    "save": "!git add -A && git commit -m 'chore: save'",
}
# As our hook, with what husky, pre-commit and lefthook let a variable do.
COMMIT_MSG = f"""#!/bin/sh
[ "$HUSKY" = 0 ] || [ "$LEFTHOOK" = 0 ] || [ -n "$SKIP" ] || {{
    printf '\\n\\nChecked: yes\\n' >> "$1"
    {sys.executable} -I -S -c 'import sys
sys.path.append("{ROOT}")
from smartcommit import receipts
from smartcommit.coding_agent import is_agent_at_work
from smartcommit.git.query import locate
receipts.leave(locate(with_head=True), open(sys.argv[1], "rb").read(), by_agent=is_agent_at_work())' "$1"
}}
"""
PRE_PUSH = """#!/bin/sh
touch "$(git rev-parse --git-dir)/push-checked"
"""


def build(path: Path, *, alone: bool) -> Repo:
    """A repository in which a session works, `alone` or beside a person; the session has run a command."""
    repo = Repo.init(path / "repo", "--template=")
    Repo.init(path / "remote", "--bare", "--template=")
    repo.git("remote", "add", "origin", "../remote")
    # It is built once, before any test has an identity.
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.invalid")
    repo.commit("chore: begin", BASE)
    repo.git("switch", "-q", "-c", "topic")
    repo.commit("feat: topic", {"topic.py": "t = 1\n"})
    repo.git("switch", "-q", "main")
    repo.commit("feat: base", {"base.py": "b = 1\n"})
    repo.git("branch", "start")
    for name, value in ALIASES.items():
        repo.git("config", f"alias.{name}", value)
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n", executable=True)
    repo.write(".git/hooks/commit-msg", COMMIT_MSG, executable=True)
    repo.write(".git/hooks/pre-push", PRE_PUSH, executable=True)
    see(repo)
    # Commits here pass the hook.
    repo.git("switch", "-q", "-c", "checked")
    repo.git("commit", "-q", "--allow-empty", "-m", "chore: check")
    repo.git("switch", "-q", "main")
    see(repo)
    for name, content in ({**OWN, **STAGED} if alone else STAGED).items():
        with Ledger(Repository.find(str(repo.path))) as ledger:
            ledger.before_edit(SESSION, name.encode(), name)
        repo.write(name, content)
        with Ledger(Repository.find(str(repo.path))) as ledger:
            ledger.after_edit(SESSION, name.encode(), name, NewContent(content))
    for name, content in ({} if alone else PERSONS).items():
        repo.write(name, content)
    began = time.time_ns()
    repo.git("add", *STAGED)
    see(repo, began=began)
    return repo


def copy(source: Repo, path: Path) -> Repo:
    shutil.copytree(source.path.parent, path, symlinks=True)
    return Repo(path / "repo")


def refuse(repo: Repo, command: str) -> Refusal | None:
    return judge(command, directory=str(repo.path), session=SESSION)


def run(repo: Repo, command: str, environment: Mapping[str, str] | None = None) -> None:
    """Run `command` as a harness does, without the dates of these tests: commits that are alike are one."""
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_DATE")}
    subprocess.run(
        ["bash", "-c", command],
        cwd=repo.path,
        env={**inherited, "USER": os.environ.get("USER", "root"), "CLAUDECODE": "1", **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )


def see(repo: Repo, product: str = "claude", began: int = 0) -> str:
    repository = Repository.find(str(repo.path))
    with Ledger(repository) as ledger:
        look(ledger, SESSION, PRODUCTS[product], began, event=AFTER)
    return findings.tell(repository.git_dir, SESSION)


def went_around(repo: Repo) -> bool:
    """Whether a commit or a push skipped the hooks since `build`, or the next commit would."""
    pushed = repo.run("ls-remote", "--exit-code", "origin", "refs/heads/pushed").returncode == 0
    if pushed and not (repo.path / ".git/push-checked").exists():
        return True
    repo.run("commit", "-q", "--allow-empty", "-m", "chore: probe")
    shown = repo.git("log", "--branches", "--not", "start", "topic", "--format=%(trailers:key=Checked,valueonly)%x00")
    trailers = shown.split("\0")[:-1]
    assert trailers, "the probe was not committed"
    return any(not trailer.strip() for trailer in trailers)


def has_swept(repo: Repo) -> bool:
    """Whether a line of the person is in the index or in a new commit, or is no longer in its file."""
    for name in PERSONS:
        path = repo.path / name
        if not path.exists() or PERSON not in path.read_text():
            return True
    if repo.run("grep", "-q", "--cached", PERSON).returncode == 0:
        return True
    return bool(repo.git("log", "--branches", "--not", "start", "topic", f"-S{PERSON}", "--format=%h"))
