"""Watchdog script that stops a program when the process that runs it dies; run as a standalone script.

The first argument is a descriptor whose other end only that process holds. When that is closed, however the process
exited, the whole process group is killed. The other arguments are the command, whose exit status is returned.
"""

import _thread
import os
import signal
import sys


def main() -> None:
    """Run the command and exit with its status, 128 + n if signal n killed it, or 127 if it cannot be run."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    child = os.fork()
    if child == 0:
        os.close(lifeline)
        # Python ignores these, and what it starts would: `yes | head` has to be ended by the closed pipe.
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            os.write(2, os.fsencode(f"cannot run '{command[0]}': {str(error.strerror).lower()}\n"))
        os._exit(127)
    # Left to the program, which may want to clean up; this process exits after it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _thread.start_new_thread(_watch, (lifeline,))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        code = 128 - code
    os._exit(code)


def _watch(lifeline: int) -> None:
    while os.read(lifeline, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
