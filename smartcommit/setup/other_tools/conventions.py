"""What a project already asks of commit messages: the configuration of other tools, and the tickets of its history."""

from __future__ import annotations

import os
import re
from collections import Counter

from smartcommit.git.habits import read_habits
from smartcommit.git.log import log_command
from smartcommit.git.repo import Repository
from smartcommit.message.rules import DEFAULT_TYPES, OFF
from smartcommit.setup.git_hooks import read_start
from smartcommit.setup.other_tools.commitlint import MODULE_ENDINGS, read_commitlint, run_commitlint
from smartcommit.setup.other_tools.found_rules import (
    CONVENTIONAL_TYPES,
    Conventions,
    as_mapping,
    parse_configuration,
    show,
)

# Number of commits that are searched for tickets, and the share that must name one to make it a rule.
_COMMITS_READ, _SHARE_WITH_TICKETS = 200, 0.9
_TICKET = re.compile(r"\b([A-Z][A-Z0-9]{1,9})-\d+\b")
# Where each tool is configured, in its own order.
_COMMITLINT = (
    "package.json", "package.yaml", ".commitlintrc", ".commitlintrc.json", ".commitlintrc.yaml", ".commitlintrc.yml",
    *map(".commitlintrc".__add__, MODULE_ENDINGS), *map("commitlint.config".__add__, MODULE_ENDINGS),
)  # fmt: skip
_COMMITIZEN = ("pyproject.toml", ".cz.toml", "cz.toml", ".cz.json", "cz.json", ".cz.yaml", "cz.yaml")


def find_conventions(repository: Repository, *, asking: bool = False) -> Conventions:
    """Return what the project asks of messages, by the first tool that says so and by its last commits.

    No configuration is executed unless `asking`: then commitlint is started, and prints its own.

    Raise GitError if git fails, SmartcommitError if commitlint cannot be asked.
    """
    found = Conventions()
    if asking:
        run_commitlint(found, repository.worktree)
    else:
        found = _find_rules(repository.worktree)
    found.ticket = find_ticket_pattern(repository)
    if found.ticket:
        found.sources.append("the history")
    if found.sources and not found.types:
        # A policy decides alone, so it must have the types that the history uses.
        found.types = (*DEFAULT_TYPES, *read_habits(repository.worktree).types)
    return found


def _find_rules(directory: str) -> Conventions:
    """Return what the first file says that can be read, and what those before it say that cannot."""
    missed: list[str] = []
    for name in (*_COMMITLINT, *_COMMITIZEN):
        text = (read_start(os.path.join(directory, name)) or "").removeprefix("\ufeff")
        found = Conventions(missed=missed)
        if text and name in _COMMITLINT:
            read_commitlint(found, name, text)
        elif text:
            read_commitizen(found, name, text)
        if not found.is_empty():
            found.sources.append(name)
            return found
    return Conventions(missed=missed)


def find_ticket_pattern(repository: Repository) -> str | None:
    """Return a pattern for the tickets that nearly all of the last commits name, such as `ABC-[0-9]+`; else None."""
    if repository.head() is None:
        return None
    log = repository.run(*log_command("%B", "--no-merges", last=_COMMITS_READ))
    messages = log.decode("utf-8", "replace").split("\0")
    projects: Counter[str] = Counter()
    for message in messages:
        projects.update(set(_TICKET.findall(message)))
    for project, count in projects.most_common(1):
        if count >= max(10, _SHARE_WITH_TICKETS * len(messages)):
            return f"{project}-[0-9]+"
    return None


def read_commitizen(found: Conventions, name: str, text: str) -> None:
    """Read a configuration of commitizen. Source: commitizen-tools.github.io, "Configuration"."""
    content = parse_configuration(name, text)
    if name.endswith(".toml"):
        content = as_mapping(content.get("tool"))
    settings = as_mapping(content.get("commitizen"))
    rules = settings.get("name", "cz_conventional_commits")
    if settings and rules == "cz_conventional_commits":
        found.types = (*CONVENTIONAL_TYPES, "bump")
        found.accept_any_scope()
        if not found.take_limit(settings.get("message_length_limit"), "headerLimit", "header-length"):
            found.levels["summary-length"] = OFF
    elif settings:
        found.missed.append(f"{name}: the rules '{show(rules)}' are its own")
