"""Tests of a table: one test for all its rows, since setting up a test costs more than most rows take."""

import functools
import inspect
from collections.abc import Callable
from typing import Any


def rows(names: str | tuple[str, ...], *table: Any) -> Callable[..., Callable[..., None]]:
    """Run a test with each row of a table, as `pytest.mark.parametrize` does, and report every row that fails.

    The rows share the test's fixtures, so this is for functions without a state.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    assert table, "a table without rows tests nothing"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            failures = []
            for row in table:
                cells = (row,) if len(keys) == 1 else row
                try:
                    test(**fixtures, **dict(zip(keys, cells, strict=True)))
                except Exception as error:
                    error.add_note(f"in the row {row!r}"[:500])
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(table)} rows", failures)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return run

    return decorate
