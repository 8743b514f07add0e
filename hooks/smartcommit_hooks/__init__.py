"""Console entry points for the hook ids in `.pre-commit-hooks.yaml`."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import NoReturn


def opens_editor(environment: Mapping[str, str]) -> bool:
    """Whether git opens an editor; if not, it tells its hooks so."""
    return environment.get("GIT_EDITOR") != ":"


def run_hook(hook: Callable[[Sequence[str]], int]) -> NoReturn:
    """End this process with what `hook` returns for its arguments.

    Python would look for garbage meanwhile, and at its end take every module apart: a tenth of what a hook takes, for
    memory that the end frees anyway.
    """
    gc.disable()
    status = hook(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as where it was closed before
            stream.flush()
    os._exit(status)
