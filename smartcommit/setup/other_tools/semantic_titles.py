"""What checks of pull requests' titles ask: the app Semantic PRs, and the action amannn/action-semantic-pull-request.

Sources: their READMEs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from smartcommit import DOCS
from smartcommit.message.header import is_word
from smartcommit.message.rules import FORBID, LOWER_FIRST, OFF, REQUIRE, UPPER_FIRST
from smartcommit.setup.other_tools.found_rules import (
    CONVENTIONAL_TYPES,
    Conventions,
    parse_configuration,
    read_text,
    show,
)
from smartcommit.setup.other_tools.yaml_data import as_list, as_mapping

_ACTION = "amannn/action-semantic-pull-request@"
# Where actions are configured, how many files are examined, and jobs of each and steps of a job.
_WORKFLOWS, _FILES_EXAMINED, _JOBS_EXAMINED = ".github/workflows", 50, 100
# Patterns of subjects in the README of the action, and what they ask.
_PATTERNS = {"^(?![A-Z]).+$": LOWER_FIRST, "^[^A-Z].+$": LOWER_FIRST, "^[A-Z].+$": UPPER_FIRST}
_TITLES = f"hooks check commits; to check a title in CI, see {DOCS}/ci.md#squashed-pull-requests"


def read_semantic(found: Conventions, content: dict[str, object], name: str, directory: str) -> None:
    """Read `.github/semantic.yml`."""
    if content.get("enabled") is False:
        return
    found.take_types(content.get("types") or CONVENTIONAL_TYPES, "types")
    if content.get("scopes"):
        found.take_scopes(content["scopes"], "scopes")
    found.accept_any_scope()
    found.levels["summary-length"] = OFF
    for key in ("titleOnly", "titleAndCommits", "anyCommit"):
        if content.get(key) is True:
            found.missed.append(f"{key}: {_TITLES}")
    for key in ("allowMergeCommits", "allowRevertCommits"):
        if content.get(key) is True:
            found.missed.append(f"{key}: those that git itself writes are never checked here")


def find_action(directory: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the workflows in `directory` that check titles, and the inputs of the action in each."""
    folder = os.path.join(directory, _WORKFLOWS)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names[:_FILES_EXAMINED]:
        text = read_text(os.path.join(folder, name))
        if _ACTION in text and name.endswith((".yml", ".yaml")):
            for inputs in _find_inputs(parse_configuration(name, text)):
                yield f"{_WORKFLOWS}/{name}", inputs


def _find_inputs(workflow: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for job in list(as_mapping(workflow.get("jobs")).values())[:_JOBS_EXAMINED]:
        for step in as_list(as_mapping(job).get("steps"))[:_JOBS_EXAMINED]:
            if show(as_mapping(step).get("uses")).startswith(_ACTION):
                yield as_mapping(step.get("with"))


def _list_lines(inputs: Mapping[str, object], name: str) -> list[str]:
    """Return the words of an input that has one on each line."""
    value = inputs.get(name)
    if isinstance(value, str):
        return value.split()
    return []


def read_action(found: Conventions, inputs: Mapping[str, object]) -> None:
    """Read the inputs of the action."""
    found.take_types(_list_lines(inputs, "types") or CONVENTIONAL_TYPES, "types")
    # A scope there is a regular expression.
    scopes = _list_lines(inputs, "scopes")
    if scopes and all(map(is_word, scopes)):
        found.take_scopes(scopes, "scopes")
    elif scopes:
        found.missed.append("scopes: a scope is a name here, no pattern")
    found.accept_any_scope()
    found.levels["summary-length"] = OFF
    if show(inputs.get("requireScope")).lower() == "true":
        found.values["scope"] = REQUIRE
    forbidden = _list_lines(inputs, "disallowScopes")
    if ".+" in forbidden or ".*" in forbidden:
        found.values["scope"] = FORBID
    elif forbidden:
        found.missed.append("disallowScopes: there is no setting for it")
    pattern = inputs.get("subjectPattern")
    if isinstance(pattern, str) and pattern in _PATTERNS:
        found.values["summaryCase"] = _PATTERNS[pattern]
    elif pattern:
        found.missed.append(f"subjectPattern {show(pattern)}: there is no setting for it")
    for key in ("headerPattern", "ignoreLabels", "validateSingleCommit"):
        if inputs.get(key):
            found.missed.append(f"{key}: there is no setting for it")
    found.missed.append(f"the title of a pull request: {_TITLES}")
