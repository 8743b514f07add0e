"""Searching text with a pattern from a repository: by git, so that it never runs in a backtracking engine of ours."""

from __future__ import annotations

from smartcommit.errors import ConfigError, GitError

# Seconds a pattern may take; a line of a message takes microseconds.
_PATIENCE = 5.0


def matches(pattern: str, text: str) -> bool:
    """Whether some line of `text` matches the POSIX extended `pattern`.

    Raises: ConfigError when the pattern is none, or takes too long.
    """
    # Few projects set a pattern, and this is the hook's hot path.
    import tempfile

    from smartcommit.git.run import run

    with tempfile.TemporaryDirectory() as directory:
        with open(f"{directory}/text", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        try:
            done = run(
                ("grep", "--no-index", "--text", "-q", "-E", "-e", pattern, "--", "text"),
                directory=directory,
                expected=(0, 1),
                timeout=_PATIENCE,
            )
        except GitError as error:
            raise ConfigError(
                f"the ticket pattern '{pattern}' cannot be used: {error}",
                hint="set smartcommit.ticket to a POSIX pattern",
            ) from error
    return done.returncode == 0
