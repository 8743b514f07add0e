"""Writing files so that a crash leaves the old content or the new one."""

from __future__ import annotations

import os
import stat


def replace_file(path: str, content: bytes) -> None:
    """Give the file `path` a new content; its mode stays, and a link stays a link to the file that is replaced.

    What is no regular file, such as a pipe, is written to and stays what it is.

    Raises: OSError when it cannot be written; the old file is still there.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(content)
        return
    target = os.path.realpath(path)
    temporary = f"{target}.{os.getpid()}.new"
    # A new file gets what the umask leaves of this mode.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        if os.path.exists(target):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
