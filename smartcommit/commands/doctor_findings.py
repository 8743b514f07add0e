"""What `smartcommit doctor` finds of the hooks: what git runs, what of it runs ours, and what is wrong with that."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence

import click

from smartcommit.commands.doctor_settings import find_settings
from smartcommit.commands.finding import ERROR, NOTE, OK, WARNING, Finding
from smartcommit.config import NAMES, Settings, find_path_from_here, find_policy_file, follows_history, wants_model
from smartcommit.draft.engine import time_limit
from smartcommit.errors import SmartcommitError
from smartcommit.git.repo import Repository
from smartcommit.llm.provider import name_model
from smartcommit.settings import KEYS
from smartcommit.setup.frameworks import list_origins, list_types
from smartcommit.setup.git_hooks import (
    DIRECT,
    EVENT_DISABLED,
    FRAMEWORKS,
    IGNORED,
    Entry,
    GitHooks,
)
from smartcommit.setup.hook_scripts import MODULES
from smartcommit.setup.precommit_config import AT_COMMIT, list_hooks, list_stageless, read_configurations
from smartcommit.setup.runners import CONFIGURED, Runner, find_configured, find_file, find_idle, find_runners
from smartcommit.terminal import printable
from smartcommit.verdict import find_git_operation

# Maximum characters of a name that are shown, and number of entries of an event, or of findings of a kind.
_NAME_CHARACTERS, _ENTRIES_SHOWN = 60, 10


def report_briefly(repository: Repository) -> None:
    """Print what the installed hooks do from now on, and every problem; no model is asked."""
    settings, findings = find_settings(repository)
    findings += find_hooks(GitHooks(repository), settings)
    for finding in findings:
        if finding.state in (WARNING, ERROR) or (finding.part == "hooks" and finding.state == OK):
            click.echo(finding.format())
    click.echo("more: smartcommit doctor")


def describe_events(hooks: GitHooks) -> Iterator[str]:
    """Yield a line for each event for which git runs anything, with all that it runs, in its order; safe to print."""
    for event in hooks.list_events():
        running = [entry for entry in hooks.list_entries(event) if entry.idle is None]
        described = [_describe_entry(entry, hooks.repository.worktree) for entry in running[:_ENTRIES_SHOWN]]
        if len(described) > 1:
            described = [f"{number}. {text}" for number, text in enumerate(described, 1)]
        if len(running) > _ENTRIES_SHOWN:
            described.append(f"and {len(running) - _ENTRIES_SHOWN} more")
        if described:
            yield printable(f"runs     {_shorten(event)}: {' '.join(described)}")


def _describe_entry(entry: Entry, worktree: str) -> str:
    if entry.scope is not None:
        return f"{_shorten(entry.name)} (git config, {entry.scope})"
    return f"{entry.path.removeprefix(worktree + os.sep)} ({entry.name})"


def find_hooks(hooks: GitHooks, settings: Settings | None) -> list[Finding]:
    """Return what runs each hook, what it does for a commit now, and what is wrong with it.

    `settings` is None if they are not valid.
    """
    repository = hooks.repository
    runners = {hook: find_runners(hooks, hook) for hook in MODULES}
    findings: list[Finding] = []
    try:
        configured = find_configured(repository)
        findings += _find_repeated(repository)
    except SmartcommitError as error:
        configured = {}
        findings.append(Finding("hooks", ERROR, str(error), error.hint))
    for hook, found in runners.items():
        findings += _describe_runners(hook, found, settings)
        idle = find_idle(hooks, hook)
        if found:
            continue
        for name, ids in configured.items():
            if hook in ids:
                findings.append(_describe_unrun(hook, name, runs=ids[hook]))
        if idle is not None:
            findings.append(_describe_idle(hook, idle))
    if not findings:
        text = "no hooks of smartcommit are installed here: nothing is drafted or checked"
        hint = "run 'smartcommit install', with --pre-commit to use pre-commit or prek"
        findings.append(Finding("hooks", WARNING, text, hint))
    operation = find_git_operation(repository.git_dir)
    if operation is not None:
        findings.append(Finding("hooks", NOTE, f"git is in the middle of {operation}, whose message passes unchecked"))
    if os.path.isdir(os.path.join(repository.worktree, ".jj")):
        hint = "set jj's ui.editor to 'smartcommit jj-editor', and run 'smartcommit check --jj REVSET'"
        findings.append(Finding("hooks", NOTE, "jj runs no hooks", hint))
    return findings


def _describe_runners(hook: str, runners: Sequence[Runner], settings: Settings | None) -> Iterator[Finding]:
    working = [runner for runner in runners if runner.problem is None]
    for runner in runners:
        if runner.problem is not None:
            yield Finding("hooks", ERROR, f"{hook}: {runner.problem}", runner.hint)
    for runner in working[:1]:
        manner = f"run by {_name_runner(runner)}"
        if runner.name == DIRECT or runner.key == f"hook.smartcommit-{hook}":
            manner = f"installed by '{DIRECT}'"
        if runner.key == f"hook.smartcommit-{hook}":
            manner += f" in git's configuration ({runner.scope})"
        work = _describe_work(hook, settings, everywhere=runner.everywhere)
        yield Finding("hooks", OK if settings is not None else ERROR, f"{hook}, {manner}, {work}")
    if len(working) > 1:
        names = " and by ".join(map(_name_runner, working))
        hint = "remove one of them, for example with 'smartcommit uninstall'"
        for runner in working:
            if runner.key is not None:
                hint = f"run 'git config {shlex.quote(f'{runner.key}.enabled')} false'"
        yield Finding("hooks", WARNING, f"{hook} runs twice for each commit: by {names}", hint)
    skipped = os.environ.get("SKIP", "").replace(" ", "").split(",")
    if hook in skipped and any(runner.name in FRAMEWORKS for runner in working):
        yield Finding("hooks", WARNING, f"{hook} is skipped, because the variable SKIP names it", "run 'unset SKIP'")


def _name_runner(runner: Runner) -> str:
    if runner.key is None:
        return runner.name
    return f"{_shorten(runner.key)} of {CONFIGURED} ({runner.scope})"


def _find_repeated(repository: Repository) -> Iterator[Finding]:
    """Yield a finding if other hooks in a configuration with ours may run several times for one commit."""
    origins = list_origins(repository)
    for name, configuration in read_configurations(repository.worktree).items():
        runs = len(set(AT_COMMIT).intersection(list_types(repository)))
        stageless = list_stageless(configuration, origins)
        if runs > 1 and stageless and list_hooks(configuration, origins):
            text = f"'{stageless[0]}' may run {runs} times for each commit: it has no 'stages' in '{name}'"
            yield Finding("hooks", WARNING, text, "set 'default_stages' there, to pre-commit and manual for example")


def find_unstaged(hooks: GitHooks) -> Iterator[Finding]:
    """Yield a finding if a framework refuses to run, because its configuration has unstaged changes."""
    repository = hooks.repository
    names: set[str] = set()
    for hook in MODULES:
        names.update(runner.name for runner in find_runners(hooks, hook))
    for framework in names.intersection(FRAMEWORKS):
        name = find_file(repository, framework)
        if repository.ended("diff", "--quiet", "--no-ext-diff", "--", name, expected=(0, 1)).returncode == 1:
            text = f"'{name}' has unstaged changes, so {framework} refuses every commit"
            path = find_path_from_here(name, repository.worktree)
            yield Finding("hooks", ERROR, text, f"run 'git add {path}'")


def _describe_work(hook: str, settings: Settings | None, *, everywhere: bool = False) -> str:
    """Return what a hook does for a commit now, as the end of a sentence.

    One that runs `everywhere` rejects messages only where a policy, settings or the history ask for conventional ones.
    """
    if settings is None:
        work = "drafts nothing"
        if hook == "commit-msg":
            work = "rejects every message"
        return f"{work}, because the settings or the policy are not valid"
    if hook == "commit-msg":
        work = f"checks messages by {_describe_rules(settings)}"
        if everywhere and follows_history(settings):
            work += ", and only warns unless half of the last headers begin with a usual type"
        return work
    if not settings.flag("draft"):
        return f"drafts nothing: smartcommit.draft is false, from {settings.source('draft')}"
    if not wants_model(settings):
        return "drafts with the built-in drafter"
    return f"drafts with {name_model(settings)}, or with the built-in drafter after {time_limit(settings)} s"


def _describe_rules(settings: Settings) -> str:
    """Return where the rules for a message come from."""
    rules = "the usual rules"
    if settings.has_policy:
        rules = f"'{find_policy_file(settings.directory or os.curdir) or f'HEAD:{NAMES[0]}'}'"
    elif follows_history(settings):
        rules += " and the history's types and scopes"
    for key in KEYS:
        if key.policy and settings.source(key.name) not in ("default", NAMES[0]):
            return f"{rules} and your own settings"
    return rules


def _describe_unrun(hook: str, name: str, *, runs: bool) -> Finding:
    """Return why a hook that is listed in the configuration `name` does not run."""
    text, hint = f"not for the stage {hook}", f"set 'stages: [{hook}]' in its entry"
    if runs:
        framework = "prek" if name.endswith(".toml") else "pre-commit"
        text, hint = "not installed", f"run '{framework} install --hook-type {hook}'"
    return Finding("hooks", WARNING, f"{hook} is listed in '{name}', but {text}, so it does not run", hint)


def _describe_idle(hook: str, entry: Entry) -> Finding:
    """Return why a hook of git's configuration that would run ours does not run."""
    if entry.idle == IGNORED:
        text = f"{hook} is in git's configuration, which git before 2.54 ignores"
        return Finding("hooks", WARNING, text, "update git, or run 'smartcommit install --files'")
    name = hook if entry.idle == EVENT_DISABLED else entry.name
    text = f"{hook} does not run here: hook.{_shorten(name)}.enabled is false"
    return Finding("hooks", NOTE, text, f"run 'git config {shlex.quote(f'hook.{name}.enabled')} true'")


def _shorten(name: str) -> str:
    if len(name) > _NAME_CHARACTERS:
        return name[:_NAME_CHARACTERS] + "..."
    return name
