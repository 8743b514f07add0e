"""What a project already asks of commit messages: the configuration of other tools, and the tickets of its history."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from smartcommit.git.habits import read_habits
from smartcommit.git.log import log_command
from smartcommit.git.repo import Repository
from smartcommit.message.rules import DEFAULT_TYPES, ERROR, OFF
from smartcommit.setup.other_tools.commitlint import read_commitlint
from smartcommit.setup.other_tools.found_rules import (
    CONVENTIONAL_TYPES,
    MODULE_ENDINGS,
    Conventions,
    parse_configuration,
    read_count,
    read_text,
    show,
)
from smartcommit.setup.other_tools.prompts import list_values, read_adapter, read_cz_customizable
from smartcommit.setup.other_tools.semantic_titles import find_action, read_action, read_semantic
from smartcommit.setup.other_tools.yaml_data import as_list, as_mapping

# Takes over what the content of a file asks, given its name and directory.
Reader = Callable[[Conventions, dict[str, object], str, str], None]
# Number of commits that are searched for tickets, and the share that must name one to make it a rule.
_COMMITS_READ, _SHARE_WITH_TICKETS = 200, 0.9
_TICKET = re.compile(r"\b([A-Z][A-Z0-9]{1,9})-\d+\b")
_COCOGITTO = ("feat", "fix", "style", "build", "refactor", "docs", "perf", "test", "chore", "ci", "revert")
_COMMITIZEN = (
    "feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "bump", "chore", "revert",
)  # fmt: skip


def find_conventions(repository: Repository) -> Conventions:
    """Return what the project asks of messages, by the first tool that says so and by its last commits.

    No configuration is executed: of one in JavaScript what is written out is read, and the rest is named.

    Raise GitError if git fails.
    """
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
    for name, inputs in find_action(directory):
        found = Conventions(sources=[name], missed=missed)
        read_action(found, inputs)
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


def read_commitizen(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read a configuration of commitizen. Source: commitizen-tools.github.io, "Configuration" and "Customization"."""
    if name.endswith(".toml"):
        content = as_mapping(content.get("tool"))
    settings = as_mapping(content.get("commitizen"))
    if not settings:
        return
    rules = settings.get("name", "cz_conventional_commits")
    if rules == "cz_customize":
        _read_customized(found, as_mapping(settings.get("customize")))
    elif rules == "cz_conventional_commits":
        found.types = _COMMITIZEN
    else:
        found.missed.append(f"{name}: the rules '{show(rules)}' are a program")
    if not found.types:
        return
    found.accept_any_scope()
    limit = read_count(settings.get("message_length_limit"))
    if limit is not None:
        found.values["headerLimit"] = limit
    else:
        found.levels["summary-length"] = OFF


def _read_customized(found: Conventions, customized: dict[str, object]) -> None:
    """Read the types that the questions of a customized commitizen offer; its pattern is not taken over."""
    for entry in as_list(customized.get("questions")):
        question = as_mapping(entry)
        if question.get("name") in ("type", "change_type", "prefix"):
            found.take_types(list_values(question.get("choices")), "questions")
    if "schema_pattern" in customized:
        found.missed.append("schema_pattern: headers have the form 'type(scope)!: summary' here")


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
        limit = read_count(as_mapping(content.get(section)).get("line-length"))
        if limit is not None:
            found.values[setting] = limit
            found.levels[code] = ERROR


_COMMITLINT = (
    "package.json", "package.yaml", ".commitlintrc", ".commitlintrc.json", ".commitlintrc.yaml", ".commitlintrc.yml",
    *map("".join, product((".commitlintrc", "commitlint.config"), MODULE_ENDINGS)),
)  # fmt: skip
# Where each tool is configured, in its own order, and how that is read; the tools that check messages come first.
READERS: Mapping[Sequence[str], Reader] = {
    _COMMITLINT: read_commitlint,
    ("pyproject.toml", ".cz.toml", "cz.toml", ".cz.json", "cz.json", ".cz.yaml", "cz.yaml"): read_commitizen,
    ("cog.toml",): read_cocogitto,
    (".gitlint",): read_gitlint,
    (".github/semantic.yml", ".github/semantic.yaml"): read_semantic,
    (".cz-config.js", ".cz-config.cjs", "cz-config.js"): read_cz_customizable,
    ("package.json", ".czrc", *map("cz.config".__add__, MODULE_ENDINGS)): read_adapter,
}
