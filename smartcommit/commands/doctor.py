"""`smartcommit doctor`: what each hook does in a repository, what is wrong, and how to fix it."""

from __future__ import annotations

import json
import os
import platform
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

import click

from smartcommit import DOCS, __version__, config
from smartcommit.config import Settings
from smartcommit.draft.engine import find_time_limit
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.grep import matches
from smartcommit.git.repo import Repository
from smartcommit.git.run import run
from smartcommit.llm.provider import make_api_config, name_model
from smartcommit.message.characters import printable
from smartcommit.message.checks import find_errors
from smartcommit.settings import KEYS
from smartcommit.setup.channels import find_lost
from smartcommit.setup.git_hooks import DIRECT, GitHooks
from smartcommit.setup.hook_scripts import MODULES
from smartcommit.setup.pre_commit import list_hooks, read_configurations
from smartcommit.setup.runners import Runner, find_runners, is_called

OK = "ok"
NOTE = "note"
WARNING = "warning"
ERROR = "error"
# Maximum characters of a text that are shown, which may quote any.
_CHARACTERS_SHOWN = 2000
# The same for a name, which is a part of a line.
_NAME_CHARACTERS = 60
_POLICY_HINT = f"see {DOCS}/checking.md#a-projects-own-rules"


class Report(NamedTuple):
    """One thing that was found: the part of the setup, a state, a sentence, and how to change it.

    Something is broken if the state is ERROR; WARNING is for what works otherwise than one might expect.
    """

    part: str
    state: str
    text: str
    hint: str | None = None

    def format(self) -> str:
        """Return it as one or two lines that are safe to print."""
        lines = f"{self.state:7}  {printable(self.text[:_CHARACTERS_SHOWN])}"
        if self.hint:
            lines += f"\n         hint: {printable(self.hint[:_CHARACTERS_SHOWN])}"
        return lines


def report_briefly(repository: Repository) -> None:
    """Print what the installed hooks do from now on, and every problem; no model is asked."""
    settings, findings = find_settings(repository)
    findings += find_hooks(GitHooks(repository), settings)
    for finding in findings:
        if finding.state in (WARNING, ERROR) or (finding.part == "hooks" and finding.state == OK):
            click.echo(finding.format())


def find_hooks(hooks: GitHooks, settings: Settings | None) -> list[Report]:
    """Return what runs each hook, what it does, and what is wrong; `settings` is None if they are not valid."""
    repository = hooks.repository
    configurations: dict[str, dict[str, Any]] = {}
    findings: list[Report] = []
    try:
        configurations = read_configurations(repository.worktree)
    except SmartcommitError as error:
        findings.append(Report("hooks", ERROR, str(error), error.hint))
    for hook in MODULES:
        runners = find_runners(hooks, hook)
        findings += _describe_runners(hook, runners, settings)
        for name, configuration in configurations.items():
            if not runners and hook in list_hooks(configuration):
                text = f"{hook} is listed in '{name}', but not installed, so it does not run"
                framework = "prek" if name.endswith(".toml") else "pre-commit"
                findings.append(Report("hooks", WARNING, text, f"run '{framework} install --hook-type {hook}'"))
        for entry in hooks.list_entries(hook):
            if entry.scope is not None and entry.idle is not None and not runners and is_called(hook, entry.text):
                text = f"{hook} does not run here: hook.{_shorten(entry.name)} of git's configuration is {entry.idle}"
                findings.append(Report("hooks", NOTE, text, "'git config --show-origin --get-regexp hook' shows why"))
    for lost in find_lost(hooks):
        findings.append(Report("hooks", ERROR, f"{lost.name}: {lost.text}", lost.hint))
    if not findings:
        text = "no hooks of smartcommit are installed here: nothing is drafted or checked"
        hint = "run 'smartcommit install', with --pre-commit to use pre-commit or prek"
        findings.append(Report("hooks", WARNING, text, hint))
    if os.path.isdir(os.path.join(repository.worktree, ".jj")):
        hint = "set jj's ui.editor to 'smartcommit jj-editor', and run 'smartcommit check --jj REVSET'"
        findings.append(Report("hooks", NOTE, "jj runs no hooks", hint))
    return findings


def _describe_runners(hook: str, runners: list[Runner], settings: Settings | None) -> Iterator[Report]:
    names = []
    hint = "remove one of them, for example with 'smartcommit uninstall'"
    for runner in runners:
        if runner.problem is not None:
            yield Report("hooks", ERROR, f"{hook}: {runner.problem}", runner.hint)
            continue
        names.append(runner.name)
        if runner.key is not None:
            names[-1] = f"{_shorten(runner.key)} of {runner.name} ({runner.scope})"
            hint = f"run 'git config {shlex.quote(f'{runner.key}.enabled')} false'"
        if len(names) == 1:
            state = OK if settings is not None else ERROR
            manner = f"run by {names[0]}"
            if runner.key == f"hook.smartcommit-{hook}":
                manner = f"installed by '{DIRECT}' in git's configuration ({runner.scope})"
            elif runner.name == DIRECT:
                manner = f"installed by '{DIRECT}'"
            yield Report("hooks", state, f"{hook}, {manner}, {_describe_work(hook, settings)}")
    if len(names) > 1:
        yield Report("hooks", WARNING, f"{hook} runs twice for each commit: by {' and by '.join(names)}", hint)


def _describe_work(hook: str, settings: Settings | None) -> str:
    """Return what a hook does for a commit now, as the end of a sentence."""
    if settings is None:
        work = "drafts nothing" if hook == "prepare-commit-msg" else "rejects every message"
        return f"{work}, because the settings or the policy are not valid"
    if hook != "prepare-commit-msg":
        messages = "the messages of commits to be pushed" if hook == "pre-push" else "messages"
        rules = "the usual rules"
        if settings.has_policy:
            rules = f"'{config.find_policy_file(settings.directory or os.curdir) or f'HEAD:{config.NAMES[0]}'}'"
        elif config.follows_history(settings):
            rules += " and the history's types and scopes"
        return f"checks {messages} by {rules}"
    if not settings.flag("draft"):
        return f"drafts nothing: smartcommit.draft is false, from {settings.source('draft')}"
    if not config.wants_model(settings):
        return "drafts with the built-in drafter"
    return f"drafts with {name_model(settings)}, or with the built-in drafter after {find_time_limit(settings)} s"


def _shorten(name: str) -> str:
    return name if len(name) <= _NAME_CHARACTERS else name[:_NAME_CHARACTERS] + "..."


def find_settings(repository: Repository) -> tuple[Settings | None, list[Report]]:
    try:
        settings = config.load(repository.worktree)
        # A pattern is read when the first message is checked.
        find_errors("feat: x", config.make_rules(settings), search=matches)
    except SmartcommitError as error:
        text = "until this is fixed, nothing is drafted, and commit-msg rejects every message"
        return None, [Report("policy", ERROR, str(error), error.hint), Report("policy", NOTE, text)]
    return settings, [_describe_policy(repository, settings), *_find_key_problems(settings)]


def _describe_policy(repository: Repository, settings: Settings) -> Report:
    name = config.find_policy_file(repository.worktree)
    if name is None:
        return Report("policy", NOTE, f"no policy file '{config.NAMES[0]}'", _POLICY_HINT)
    names = [key.git_name.partition(".")[2] for key in KEYS if settings.source(key.name) == config.NAMES[0]]
    text = f"'{name}' is valid and sets {', '.join(names) or 'nothing'}"
    if not repository.run("ls-files", "--", name):
        hint = f"run 'git add {config.find_path_from_here(name, repository.worktree)}'"
        return Report("policy", WARNING, f"'{name}' is not tracked, so it applies only to you", hint)
    return Report("policy", OK, text)


def _find_key_problems(settings: Settings) -> Iterator[Report]:
    if settings.flag("add-ticket") and not settings.text("ticket"):
        hint = "say what a ticket looks like, as with 'git config smartcommit.ticket \"[A-Z]+-[0-9]+\"'"
        yield Report("policy", WARNING, "smartcommit.addTicket adds nothing: smartcommit.ticket is not set", hint)
    if not config.wants_model(settings):
        return
    try:
        exposed = make_api_config(settings).exposed
    except ConfigError:
        # Trying the model reports the error.
        return
    if exposed:
        hint = "use an address with https://, or a tunnel, such as 'ssh -L 11434:localhost:11434 HOST'"
        yield Report("model", WARNING, exposed, hint)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> int:
    """Report what each hook does here, and what is wrong, with the command that fixes it.

    A configured model is asked for one word; nothing from the repository is sent, and nothing is written. The exit
    status is 1 if something is broken.
    """
    hooks = GitHooks(Repository.find())
    git = run(("version",)).stdout.decode("utf-8", "replace").strip().removeprefix("git version ")
    versions = {"smartcommit": __version__, "python": platform.python_version(), "git": git}
    findings: list[Report] = []
    for finding in _examine(hooks, versions):
        findings.append(finding)
        if not as_json:
            click.echo(finding.format())
    broken = any(finding.state == ERROR for finding in findings)
    if as_json:
        runners = {}
        for hook in MODULES:
            runners[hook] = [runner._asdict() for runner in find_runners(hooks, hook)]
        listed = [finding._asdict() for finding in findings]
        click.echo(json.dumps({"ok": not broken, "versions": versions, "hooks": runners, "findings": listed}))
    return int(broken)


def _examine(hooks: GitHooks, versions: dict[str, str]) -> Iterator[Report]:
    yield Report("versions", OK, ", ".join(" ".join(item) for item in versions.items()))
    settings, problems = find_settings(hooks.repository)
    yield from find_hooks(hooks, settings)
    yield from problems
    if settings is None:
        return
    from smartcommit.commands.model import diagnose

    try:
        for line in diagnose(settings):
            yield Report("model", OK, line)
    except SmartcommitError as error:
        yield Report("model", ERROR, str(error), error.hint)
        yield Report("model", NOTE, "until this is fixed, the built-in drafter writes every draft")
