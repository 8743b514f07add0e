"""Who commits, when, in which encoding and with which signature: what git itself would record now."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass

from smartcommit.errors import GitError
from smartcommit.git.repo import Repository


@dataclass(frozen=True, slots=True)
class Identity:
    """`author` and `committer` are `Name <email> SECONDS ZONE` in git's bytes.

    `encoding` is what messages are recorded in, as `i18n.commitEncoding` spells it, None for UTF-8; `signed` says that
    `commit.gpgSign` is on.
    """

    author: bytes
    committer: bytes
    encoding: str | None = None
    signed: bool = False

    def encode(self, message: str) -> tuple[bytes, str | None]:
        """The bytes of `message`, and the encoding to name in the commit: none where that cannot hold the message."""
        if self.encoding is not None:
            try:
                return message.encode(self.encoding), self.encoding
            except UnicodeEncodeError:
                pass
        return message.encode("utf-8", "surrogateescape"), None


def read_identity(repository: Repository, configuration: Iterable[tuple[str, str | None]]) -> Identity:
    """The identity by git's own rules; two processes. `configuration` lists git's settings, the last one counting.

    Raises: GitError when git does not know who commits.
    """
    settings = dict(configuration)
    encoding = settings.get("i18n.commitencoding")
    try:
        author, committer = (
            repository.run("var", name).rstrip(b"\n") for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT")
        )
    except GitError as error:
        raise GitError(
            str(error),
            status=error.status,
            hint="run 'git config --global user.name NAME' and 'git config --global user.email ADDRESS'",
        ) from error
    return Identity(
        author, committer, encoding if _other_than_utf8(encoding) else None, _on(settings, "commit.gpgsign")
    )


def _other_than_utf8(encoding: str | None) -> bool:
    try:
        return encoding is not None and codecs.lookup(encoding).name != "utf-8"
    except LookupError:
        return False


def _on(settings: dict[str, str | None], name: str) -> bool:
    # A key without a value is git's way of saying true. Source: git-config(1), "Values".
    value = settings.get(name, "false")
    return value is None or value.lower() in ("true", "yes", "on", "1")
