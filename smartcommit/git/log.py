"""`git log`, with options that make its output independent of the user's settings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_OPTIONS = (
    # Each of these has a setting; a signature, for example, would be printed before the commit.
    "-z", "--encoding=UTF-8", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-relative",
    "--ignore-submodules=none",
)  # fmt: skip


def log_command(
    form: str,
    *options: str,
    last: int | None = None,
    revisions: Iterable[str] = ("HEAD",),
    paths: Iterable[str | bytes] = (),
) -> list[str | bytes]:
    """Return git's arguments to print commits in git's format `form`, each ended by a NUL; more than `last` never.

    Only those that touch `paths` are printed, if there are any. The names of revisions may look like options or files.
    """
    command: list[str | bytes] = ["log", *_OPTIONS, f"--format={form}", *options]
    if last is not None:
        command.append(f"-{last}")
    return [*command, "--end-of-options", *revisions, "--", *paths]
