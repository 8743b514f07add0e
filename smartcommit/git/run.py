"""Runs git commands: argument tuples, bytes in and out, no shell."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from smartcommit.errors import GitError, name_file
from smartcommit.processes import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

# Options of every diff that is parsed, so that no setting of the user changes its format.
DIFF_OPTIONS = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none",
)  # fmt: skip

# Reading never waits for a network: what is missing from a partial clone stays missing. git before 2.45 has no switch
# for it, but cannot fetch if every protocol is forbidden.
NO_LAZY_FETCH = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}

# Inherited variables that make git use another repository, or settings from `git -c`.
REPOSITORY_VARIABLES = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_CONFIG_PARAMETERS",
)  # fmt: skip
# Inherited variables that change what git reads or prints whatever the options are: GIT_DIFF_OPTS overrides `-U`, and
# git rejects other pathspec settings next to the literal one. Source: git(1), "Environment variables".
_DISTURBING = (
    "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
)  # fmt: skip

# git's messages are parsed, so they are in English. Whatever git starts keeps the user's language, which `LC_ALL` would
# change. Source: git_setup_gettext of git, which does nothing if this is not a directory.
_ENGLISH = {"GIT_TEXTDOMAINDIR": os.devnull}

# The same number everywhere; the module `signal` would be loaded for it alone.
_SIGKILL = 9


def make_environment(added: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment to run git in: the caller's without `_DISTURBING`, no optional locks, and `added`."""
    environment = {**os.environ, **_ENGLISH, "GIT_OPTIONAL_LOCKS": "0"}
    for name in _DISTURBING:
        environment.pop(name, None)
    return {**environment, **(added or {})}


def scrub_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return `inherited` without our variables and git's repository, and with our settings for git emptied."""
    environment = dict(inherited)
    for name, value in inherited.items():
        if name.startswith("SMARTCOMMIT_") or name in REPOSITORY_VARIABLES:
            del environment[name]
        # Numbered settings, none of which may be missing. Source: git-config(1), GIT_CONFIG_COUNT.
        elif name.startswith("GIT_CONFIG_KEY_") and value.lower().startswith("smartcommit."):
            environment[f"GIT_CONFIG_VALUE_{name.removeprefix('GIT_CONFIG_KEY_')}"] = ""
    return environment


def run(
    arguments: Sequence[str | bytes],
    *,
    directory: str | None = None,
    stdin: bytes = b"",
    expected: Sequence[int] = (0,),
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `git ARGUMENTS` and return its status and output; `timeout` is in seconds.

    `environment` is added to the caller's. Optional locks are off, so that reading never writes.

    Raise GitError if git is not installed, times out, or exits with a status not in `expected`.
    """
    import subprocess

    try:
        done = subprocess.run(
            _make_command(arguments, directory),
            input=stdin,
            capture_output=True,
            env=make_environment(environment),
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        raise _make_missing_error() from error
    except OSError as error:
        # Windows does not say which program it could not start, as under a heavy load.
        name_file(error, "git")
        raise
    except subprocess.TimeoutExpired as error:
        raise GitError(f"'git {_find_subcommand(arguments)}' timed out after {timeout:g} s", status=124) from error
    if done.returncode not in expected:
        raise _make_failure(arguments, done.returncode, done.stderr)
    return done


def read_head(
    arguments: Sequence[str | bytes],
    *,
    limit: int,
    directory: str | None = None,
    environment: Mapping[str, str] | None = None,
    expected: Sequence[int] = (0,),
    timeout: float | None = None,
    memory: int | None = None,
    watch: Callable[[], None] = lambda: None,
) -> tuple[bytes, bool]:
    """Return the first `limit` bytes that `git ARGUMENTS` prints, and whether that was all.

    git is killed when it prints more or after `timeout` seconds, so time and memory are bounded however large the
    output is. `memory` limits the bytes that git itself may allocate, on systems that can limit another process.
    `watch` is called several times a second; if it raises, git is killed too. `environment` is added to the caller's.

    Raise GitError if git is not installed, or exits with a status not in `expected`.
    """
    if not spawn.AVAILABLE:  # Windows: the output is read whole, and nothing else is bounded
        done = run(arguments, directory=directory, environment=environment, expected=expected, timeout=timeout)
        return done.stdout[:limit], len(done.stdout) <= limit
    try:
        end = spawn.read_head(
            _make_command(arguments, directory),
            make_environment(environment),
            limit=limit,
            timeout=timeout,
            memory=memory,
            watch=watch,
        )
    except FileNotFoundError as error:
        raise _make_missing_error() from error
    # A process that is killed has not printed everything.
    is_complete = end.is_complete and end.status != -_SIGKILL
    if is_complete and end.status not in expected:
        raise _make_failure(arguments, end.status, end.errors)
    return end.output, is_complete


def read_file(path: str) -> bytes | None:
    """Return the content of one of git's own files, or None if there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):  # git keeps references in other files, if it is told to
        return None


def quote_path(path: str) -> str:
    """Quote a path as git's settings and lists of object directories may have it. Source: git-config(1), "Syntax"."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def find_reason(stderr: bytes) -> str:
    """Return why git failed: the first lines of `stderr` with `fatal:` or `error:`, without these words.

    Lines below belong to an error that ends with a colon, as where git quotes gpg, and to one about the owner of a
    repository, below which is the command that helps.
    """
    last, goes_on = "", False
    errors: dict[str, None] = {}
    for line in stderr.decode("utf-8", "replace").split("\n"):
        last = line.strip() or last
        prefix, _, text = line.strip().partition(": ")
        if prefix in ("fatal", "error"):
            goes_on = text.endswith(":") or text.startswith("detected dubious ownership")
            errors[text] = None
        elif goes_on and line.strip():
            start, _ = errors.popitem()
            errors[f"{start} {line.strip()}"] = None
    # Which of them names the file depends on the command.
    return "; ".join(list(errors)[:3]) or last


def explain_end(status: int, stderr: bytes) -> str:
    """Return why git failed: what it says, or else the signal that killed it or its status."""
    reason = find_reason(stderr)
    if not reason and status < 0:
        import signal  # not needed by a hook

        reason = (signal.strsignal(-status) or "").lower()
    return reason or f"status {status}"


def _make_command(arguments: Sequence[str | bytes], directory: str | None) -> list[str | bytes]:
    command: list[str | bytes] = ["git", "--literal-pathspecs", "--no-pager"]
    if directory:
        command += ["-C", directory]
    return [*command, *arguments]


def _make_missing_error() -> GitError:
    return GitError("git is not installed or not on PATH", status=127, hint="install git")


def _make_failure(arguments: Sequence[str | bytes], status: int, stderr: bytes) -> GitError:
    return GitError(f"'git {_find_subcommand(arguments)}' failed: {explain_end(status, stderr)}", status=status)


def _find_subcommand(arguments: Sequence[str | bytes]) -> str:
    words = (os.fsdecode(argument) for argument in arguments)
    for word in words:
        if word in ("-c", "-C"):
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""
