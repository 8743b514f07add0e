"""Stands between the executor and an agent, so that the agent never outlives it. Run as a script, without imports.

The first argument is a descriptor whose other end only the executor holds: when that closes, however the executor
ended, the whole process group goes. The rest is the command; its status is this one's.
"""

import _thread
import os
import signal
import sys

# Meant for the agent, which may want to clean up; this process goes with it.
_PASSED_BY = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    """Run the command and end as it ends: 128 and the signal's number where a signal ended it, 127 where it is none."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    child = os.fork()
    if child == 0:
        os.close(lifeline)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            os.write(2, f"cannot run '{command[0]}': {error.strerror}\n".encode())
        os._exit(127)
    for number in _PASSED_BY:
        signal.signal(number, signal.SIG_IGN)
    _thread.start_new_thread(_watch, (lifeline,))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _watch(lifeline: int) -> None:
    while os.read(lifeline, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
