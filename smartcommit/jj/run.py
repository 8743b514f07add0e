"""Running jj: arguments as a tuple, no colour, no pager, no editor, no shell."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from smartcommit.errors import JjError

# Seconds a jj command may take before we give up on it.
PATIENCE = 60.0


def run(arguments: Sequence[str], *, repository: str | None = None) -> bytes:
    """Standard output of `jj ARGUMENTS`; words on standard error never fail a zero status.

    Raises: JjError when jj is missing, takes too long, or fails.
    """
    where = ("-R", repository) if repository is not None else ()
    try:
        done = subprocess.run(
            ["jj", "--no-pager", "--color", "never", *where, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**os.environ, "JJ_EDITOR": "false"},
            timeout=PATIENCE,
            check=False,
        )
    except FileNotFoundError:
        raise JjError("jj is not installed or not on PATH", hint="install jj (jj-cli)") from None
    except subprocess.TimeoutExpired:
        raise JjError(f"jj took longer than {PATIENCE:g} s") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")
        raise JjError(f"jj failed: {said[0].removeprefix('Error: ')}", hint=next((s for s in said[1:] if s), None))
    return done.stdout
