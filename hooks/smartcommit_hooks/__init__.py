"""Console entry points for the hook ids in `.pre-commit-hooks.yaml`."""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def opens_editor(environment: Mapping[str, str]) -> bool:
    """Whether git opens an editor; if not, it tells its hooks so."""
    return environment.get("GIT_EDITOR") != ":"


def run_hook(hook: Callable[[Sequence[str]], int]) -> int:
    """Return what `hook` returns for the arguments of this process, which ends with it.

    Python would look for garbage meanwhile, and again at its end: a tenth of what a hook takes, for memory that the
    end frees anyway.
    """
    gc.disable()
    status = hook(sys.argv[1:])
    gc.freeze()
    return status
