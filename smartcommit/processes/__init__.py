"""Processes: starting and ending them, who runs a hook, and what a command line of git says."""

from __future__ import annotations

from collections.abc import Callable

# The environment variable that names a run of the executor and the commit that it is making.
EXECUTION = "SMARTCOMMIT_EXECUTION"

# Seconds between two calls of `watch`, and between two looks at whether a process that closed its output has exited.
TICK = 0.05
# Bytes of output that are read at once.
CHUNK = 1 << 16
# Seconds to read remaining output: a process that left the group could print forever.
DRAIN_TIMEOUT = 1.0

# What gets the output of a process, as it is read.
Feed = Callable[[bytes], object]
