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

    Nothing runs afterwards, no `atexit` and no finalizer: what must be cleaned up is in a `with`. Python would free
    every object by itself, which takes a tenth of a hook's time, and the system frees the memory anyway.
    """
    gc.disable()
    status = hook(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # None if it was closed before
            stream.flush()
    os._exit(status)
