"""A program in place of a model server: it reads the conversation on standard input and prints the answer.

It runs in an empty directory, so that it reads no settings of the repository, and never gets text of the repository in
its arguments. When it ends, or the deadline comes, its whole process group is killed.
"""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from typing import IO

from smartcommit.errors import LLMConnectError, LLMReplyError, explain_os_error
from smartcommit.git.run import scrub_environment
from smartcommit.llm.api import Json
from smartcommit.llm.transport import LIMIT
from smartcommit.secrets.scan import redact
from smartcommit.signals import start_in_own_session
from smartcommit.waiting import Deadline

# Seconds between two looks at the deadline, bytes that are read at a time, and bytes kept of its errors.
_TICK = 0.05
_CHUNK = 1 << 16
_ERRORS = 1 << 14
# Characters of an error that are shown.
_REASON = 200
# Programs expect no terminal, but some color their output by these variables alone.
_PLAIN = {"NO_COLOR": "1", "TERM": "dumb"}
_HEADINGS = {"system": "Instructions", "user": "Task", "assistant": "Your answer", "tool": "Result"}
_ENDING = "Answer with text alone: use no tools of your own, change no files, and ask no questions."


def find_program(name: str) -> str:
    """Return the path of the program `name`. Raise LLMConnectError if there is none that can be run."""
    hint = "set smartcommit.command to a program on PATH or an absolute path"
    name = os.path.expanduser(name)
    if "/" in name and not os.path.isabs(name):
        # It would be another program in each repository, even one that came with a clone.
        raise LLMConnectError(f"cannot run '{name}': not an absolute path", hint=hint)
    path = shutil.which(name)
    if path is None or not os.path.isabs(path):
        raise LLMConnectError(f"cannot run '{name}': not found on PATH", hint=hint)
    return path


def render_conversation(messages: Sequence[Json]) -> str:
    """Return the conversation as one text, which ends by asking for the answer."""
    parts = []
    for message in messages:
        parts.append(f"# {_HEADINGS.get(str(message.get('role')), 'Task')}\n\n{message.get('content') or ''}")
    return "\n\n".join([*parts, _ENDING]) + "\n"


def run_program(command: Sequence[str], text: str, *, deadline: Deadline) -> str:
    """Run `command` with `text` on its standard input, and return what it prints.

    Raise LLMConnectError if it cannot be run, LLMReplyError if it fails, prints nothing or more than LIMIT bytes,
    LLMTimeout at the deadline, or Cancelled from the deadline's tick.
    """
    path = find_program(command[0])
    try:
        return _run([path, *command[1:]], text, deadline)
    except OSError as error:
        raise LLMConnectError(f"cannot run '{path}': {explain_os_error(error)}") from None


def _run(command: Sequence[str], text: str, deadline: Deadline) -> str:
    name = os.path.basename(command[0])
    with (
        tempfile.TemporaryDirectory(prefix="smartcommit-", ignore_cleanup_errors=True) as folder,
        # A file instead of a pipe: a program that never reads must not block us.
        tempfile.TemporaryFile() as stdin,
    ):
        stdin.write(text.encode("utf-8", "replace"))
        stdin.seek(0)
        with start_in_own_session(
            command, directory=folder, environment={**scrub_environment(os.environ), **_PLAIN},
            stdin=stdin, output=subprocess.PIPE, errors=subprocess.PIPE,
        ) as process:  # fmt: skip
            output, errors = _read_output(process, name, deadline)
    if process.returncode:
        raise LLMReplyError(f"'{name}' {_describe_failure(process.returncode, errors)}")
    answer = output.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if not answer:
        raise LLMReplyError(f"'{name}' printed no answer")
    return answer


def _read_output(process: subprocess.Popen[bytes], name: str, deadline: Deadline) -> tuple[bytes, bytes]:
    """Return what `process` prints until it exits, and the end of its errors."""
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = bytearray(), bytearray()
    buffers: dict[IO[bytes], bytearray] = {process.stdout: output, process.stderr: errors}
    with process.stderr, selectors.DefaultSelector() as selector:
        for stream, buffer in buffers.items():
            selector.register(stream, selectors.EVENT_READ, buffer)
        while selector.get_map():
            deadline.check()
            ready = selector.select(_TICK)
            if not ready and process.poll() is not None:
                # What it left running may keep the pipes open.
                break
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                key.data.extend(chunk)
                if not chunk:
                    selector.unregister(key.fileobj)
            del errors[:-_ERRORS]
            if len(output) > LIMIT:
                raise LLMReplyError(f"'{name}' printed more than {LIMIT >> 20} MiB")
    while process.poll() is None:
        deadline.wait(_TICK)
    return bytes(output), bytes(errors)


def _describe_failure(status: int, errors: bytes) -> str:
    """Return how a program ended, with the last line of its errors."""
    ended = f"exited with status {status}"
    if status < 0:
        ended = f"was killed by signal {-status}"
    lines = errors.decode("utf-8", "replace").split("\n")
    said = [" ".join(line.split()) for line in lines if line.strip()]
    if not said:
        return ended
    return f"{ended}: {redact(said[-1])[:_REASON]}"
