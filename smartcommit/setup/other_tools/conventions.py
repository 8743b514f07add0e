"""What a project already asks of commit messages: the configuration of other tools, and the tickets of its history."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from smartcommit.git.habits import read_habits
from smartcommit.git.log import log_command
from smartcommit.git.repo import Repository
from smartcommit.message.rules import DEFAULT_TYPES, OFF
from smartcommit.setup.other_tools.commitlint import MODULE_ENDINGS, read_commitlint, run_commitlint
from smartcommit.setup.other_tools.found_rules import (
    CONVENTIONAL_TYPES,
    Conventions,
    parse_configuration,
    read_text,
    show,
)
from smartcommit.setup.other_tools.yaml_data import as_list, as_mapping

# Takes over what the content of a file asks, given its name and directory.
Reader = Callable[[Conventions, dict[str, object], str, str], None]
# Number of commits that are searched for tickets, and the share that must name one to make it a rule.
_COMMITS_READ, _SHARE_WITH_TICKETS = 200, 0.9
_TICKET = re.compile(r"\b([A-Z][A-Z0-9]{1,9})-\d+\b")
_COCOGITTO = ("feat", "fix", "style", "build", "refactor", "docs", "perf", "test", "chore", "ci", "revert")
_COMMITIZEN = (*CONVENTIONAL_TYPES, "bump")


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
    """Return what the first tool says whose configuration can be read, and what those before it say that cannot."""
    missed: list[str] = []
    for names, read in READERS.items():
        for name in names:
            text = read_text(os.path.join(directory, name))
            if text:
                found = Conventions(missed=list(missed))
                read(found, parse_configuration(name, text), name, directory)
                if not found.is_empty():
                    found.sources.append(name)
                    return found
                missed = found.missed
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


def read_commitizen(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read a configuration of commitizen. Source: commitizen-tools.github.io, "Configuration"."""
    if name.endswith(".toml"):
        content = as_mapping(content.get("tool"))
    settings = as_mapping(content.get("commitizen"))
    rules = settings.get("name", "cz_conventional_commits")
    if settings and rules == "cz_conventional_commits":
        found.types = _COMMITIZEN
        found.accept_any_scope()
        if not found.take_limit(settings.get("message_length_limit"), "headerLimit", "header-length"):
            found.levels["summary-length"] = OFF
    elif settings:
        found.missed.append(f"{name}: the rules '{show(rules)}' are its own")


def read_cocogitto(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read a configuration of cocogitto. Source: docs.cocogitto.io, "Configuration"."""
    found.take_types(content.get("commit_types"), "commit_types")
    found.types = tuple(dict.fromkeys((*_COCOGITTO, *found.types)))
    found.take_scopes(content.get("scopes"), "scopes")


def read_gitlint(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read a configuration of gitlint. Source: jorisroovers.com/gitlint, "Configuration" and "Contrib rules"."""
    title = "contrib-title-conventional-commits"
    contrib = str(as_mapping(content.get("general")).get("contrib"))
    if title in content or title in contrib or "CT1" in contrib:
        found.take_types(as_mapping(content.get(title)).get("types") or CONVENTIONAL_TYPES, "types")
    for section, setting, code in (
        ("title-max-length", "headerLimit", "header-length"),
        ("body-max-line-length", "lineLimit", "line-length"),
    ):
        found.take_limit(as_mapping(content.get(section)).get("line-length"), setting, code)


def read_semantic(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read `.github/semantic.yml` of the app Semantic PRs, which checks titles. Source: its README."""
    if content.get("enabled") is False:
        return
    found.take_types(as_list(content.get("types")) or CONVENTIONAL_TYPES, "types")
    found.take_scopes(as_list(content.get("scopes")), "scopes")
    found.accept_any_scope()
    found.levels["summary-length"] = OFF


_COMMITLINT = (
    "package.json", "package.yaml", ".commitlintrc", ".commitlintrc.json", ".commitlintrc.yaml", ".commitlintrc.yml",
    *map(".commitlintrc".__add__, MODULE_ENDINGS), *map("commitlint.config".__add__, MODULE_ENDINGS),
)  # fmt: skip
# Where each tool is configured, in its own order, and how that is read; the tools that check messages come first.
READERS: Mapping[Sequence[str], Reader] = {
    _COMMITLINT: read_commitlint,
    ("pyproject.toml", ".cz.toml", "cz.toml", ".cz.json", "cz.json", ".cz.yaml", "cz.yaml"): read_commitizen,
    ("cog.toml",): read_cocogitto,
    (".gitlint",): read_gitlint,
    (".github/semantic.yml", ".github/semantic.yaml"): read_semantic,
}
