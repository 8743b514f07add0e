"""What a run prints: a line for each event and, on a terminal, a status line below them."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType

import click

from smartcommit.executor.executor import format_duration
from smartcommit.terminal import printable

# Seconds without any output after which a log says that the run still goes on.
_SILENCE = 300.0
# Clears the line of a terminal. Without wrapping, a status line that is too long is cut off. Source: ECMA-48, xterm.
ERASE = "\r\x1b[K"
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"


class RunView:
    """Prints lines, each after the time since the run started; a context manager."""

    def __init__(self) -> None:
        self._begun = self._printed = time.monotonic()
        self._current = ""
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._reporter = threading.Thread(target=self._report, daemon=True)
        self.is_live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> RunView:
        self._reporter.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._reporter.join()

    def begin(self, text: str) -> None:
        """Print that an attempt starts; on a terminal `text` also stays below the lines that follow."""
        self._current = text
        self.tell(text)

    def tell(self, text: str) -> None:
        """Print what has happened."""
        self._print([self._after_time(text)])

    def show(self, lines: Sequence[str]) -> None:
        """Print lines of the agent, which may contain anything."""
        self._print([self._after_time(f"  | {line.expandtabs()}") for line in lines])

    def conclude(self, lines: Sequence[str]) -> None:
        """Print the summary of the run."""
        self._current = ""
        self._print(lines)

    def _after_time(self, text: str) -> str:
        # The columns of a run that takes hours stay in line.
        return f"{format_duration(time.monotonic() - self._begun):>7} {text}"

    def _print(self, lines: Sequence[str]) -> None:
        self._printed = time.monotonic()
        self._write("".join(f"{printable(line)}\n" for line in lines))

    def _report(self) -> None:
        """Keep the time in the status line up to date; in a log, say from time to time that nothing was printed."""
        while not self._ended.wait(1.0 if self.is_live else _SILENCE - self._silence() % _SILENCE):
            if self.is_live:
                self._write("")
            elif (silence := self._silence()) >= _SILENCE:
                self._write(f"{self._after_time(f'  no output for {format_duration(silence)}')}\n")

    def _silence(self) -> float:
        return time.monotonic() - self._printed

    def _write(self, text: str) -> None:
        """Print `text`; a run continues when nobody reads its output any more, as after `| head`."""
        with self._lock:
            if self.is_live:
                text = ERASE + text
                if self._current:
                    text += f"{_NO_WRAP}{printable(self._after_time(self._current))}{_WRAP}"
            try:
                click.echo(text, nl=False)
            except OSError:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, sys.stdout.fileno())
                os.close(nowhere)
