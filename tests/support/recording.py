"""A git hook that is watched: the message file before and after it, what git gave it, and which gits it started."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.repository import Repo

HOOK = "prepare-commit-msg"
# The hook proper stands beside the wrapper under this name.
PROPER = HOOK + ".proper"

_WRAPPER = """\
#!/bin/sh
call=$RECORD/$(ls "$RECORD" | grep -c before)
cp "$1" "$call.before"
printf '%s\\n' "$#" "${2-}" "${GIT_EDITOR-}" "${GIT_INDEX_FILE-}" > "$call.given"
"$0.proper" "$@"
status=$?
cp "$1" "$call.after"
exit $status
"""

_EDITOR = """\
#!/bin/sh
cp "$1" "$RECORD/opened"
"""

_GIT = """\
#!/bin/sh
echo "$@" >> "$RECORD/git"
exec {git} "$@"
"""


@dataclass(frozen=True)
class Call:
    """One run of the hook: how many arguments git gave, which source, and the message file before and after."""

    count: int
    source: str
    editor: str
    index: str
    before: bytes
    after: bytes

    @property
    def draft(self) -> bytes:
        """What was put before the file; the file itself must still be there, byte for byte."""
        assert self.after.endswith(self.before), "bytes of the message file were changed"
        return self.after[: len(self.after) - len(self.before)]


class Outcome:
    """A command: its process, the hook's calls in order, the file as the editor saw it, the gits it started."""

    def __init__(self, record: Path, done: subprocess.CompletedProcess[bytes]) -> None:
        self.done = done
        self.output = (done.stdout + done.stderr).decode(errors="replace")
        self.calls = [self._call(record / str(number)) for number in range(len(list(record.glob("*.before"))))]
        self.opened = (record / "opened").read_bytes() if (record / "opened").exists() else None
        self.started = (record / "git").read_text().splitlines() if (record / "git").exists() else []

    @staticmethod
    def _call(path: Path) -> Call:
        count, source, editor, index = path.with_suffix(".given").read_text().splitlines()
        return Call(
            count=int(count),
            source=source,
            editor=editor,
            index=index,
            before=path.with_suffix(".before").read_bytes(),
            after=path.with_suffix(".after").read_bytes(),
        )


class Recorder:
    """Watches the hook `proper` (an executable) in whatever repositories it is put into."""

    def __init__(self, folder: Path, proper: Path) -> None:
        self.folder = folder
        self.proper = proper
        folder.mkdir()
        self.editor = _script(folder / "editor", _EDITOR)

    def install(self, repo: Repo, hooks: Path | None = None) -> None:
        folder = hooks or repo.path / ".git" / "hooks"
        folder.mkdir(parents=True, exist_ok=True)
        _script(folder / HOOK, _WRAPPER)
        shutil.copy(self.proper, folder / PROPER)

    def run(
        self,
        repo: Repo,
        *command: str | bytes,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        cwd: Path | None = None,
    ) -> Outcome:
        """Run `git COMMAND` with an editor that keeps the file as it finds it."""
        record = self.folder / str(len(list(self.folder.glob("*/"))))
        record.mkdir()
        own = {"RECORD": str(record), "GIT_EDITOR": str(self.editor), **(env or {})}
        return Outcome(record, repo.run(*command, env=own, stdin=stdin, cwd=cwd))


def native_hook(path: Path, console_script: str) -> Path:
    """A hook that runs `console_script` with a `git` before the real one that notes each start."""
    shims = path.parent / "shims"
    shims.mkdir()
    _script(shims / "git", _GIT.format(git=shutil.which("git")))
    return _script(path, f'#!/bin/sh\nPATH={shims}:$PATH exec "{console_script}" "$@"\n')


def _script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path
