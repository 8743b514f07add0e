"""What `smartcommit doctor` finds without asking a model: versions, hooks, rules, keys and the terminal."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from importlib import metadata
from importlib.util import find_spec

import click

from smartcommit import DOCS, __version__
from smartcommit.commands.config import find_places
from smartcommit.commands.doctor_events import (
    describe_manner,
    explain_disabling,
    find_configured_problems,
    find_idle,
    name_runner,
)
from smartcommit.commands.finding import ERROR, NOTE, OK, WARNING, Finding
from smartcommit.config import (
    NAMES,
    Settings,
    find_path_from_here,
    find_policy_file,
    follows_history,
    load,
    make_rules,
    read_policy,
    wants_model,
)
from smartcommit.draft.engine import time_limit
from smartcommit.errors import ConfigError, SmartcommitError
from smartcommit.git.grep import matches
from smartcommit.git.repo import Repository
from smartcommit.llm.provider import api_config, find_stale_key, name_model
from smartcommit.message.checks import find_errors
from smartcommit.settings import KEYS
from smartcommit.setup.frameworks import list_installed, list_origins
from smartcommit.setup.git_hooks import CONFIGURABLE, DIRECT, FRAMEWORKS, GitHooks
from smartcommit.setup.hook_scripts import MODULES
from smartcommit.setup.hook_stages import (
    count_runs,
    describe_repetition,
    explain_remedy,
    list_stageless,
    parse_file,
)
from smartcommit.setup.hooks_owner import find_hooks_path
from smartcommit.setup.precommit_config import list_hooks
from smartcommit.setup.runners import (
    PREK_TOML,
    Runner,
    find_configured,
    find_file,
    find_file_runners,
    find_runners,
)
from smartcommit.terminal import Terminal
from smartcommit.verdict import find_git_operation

# Seconds that a program may take to say its version.
_TIMEOUT = 10
_PROGRAMS = ("git", "pre-commit", "prek", "jj")
_INSTALL = "run 'smartcommit install', or 'smartcommit init' to use pre-commit or prek"


def report_briefly(repository: Repository) -> None:
    """Print what the installed hooks do from now on, and every problem; no model is asked."""
    settings, findings = find_settings(repository)
    findings += find_hooks(GitHooks(repository), settings)
    for finding in findings:
        if finding.state in (WARNING, ERROR) or (finding.part == "hooks" and finding.state == OK):
            click.echo(finding.format())
    click.echo("more: smartcommit doctor")


def read_versions() -> dict[str, str | None]:
    """Return the versions of smartcommit, of Python and of the programs it works with, None for those not there."""
    versions: dict[str, str | None] = {"smartcommit": __version__, "python": platform.python_version()}
    for name in _PROGRAMS:
        versions[name] = _ask_version(name)
    if versions["pre-commit"] is None:
        # The one that init falls back to.
        versions["pre-commit"] = metadata.version("pre-commit")
    return versions


def _ask_version(name: str) -> str | None:
    """Return the version that a program prints, None if it is not on PATH or does not work."""
    if shutil.which(name) is None:
        return None
    try:
        done = subprocess.run(
            [name, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.decode("utf-8", "replace").split()
    for word in words:
        if word[:1].isdigit():
            return word[:40]
    return None


def describe_versions(versions: dict[str, str | None]) -> Finding:
    """Return the versions as one finding."""
    found = [f"{name} {version}" for name, version in versions.items() if version is not None]
    return Finding("versions", OK, ", ".join(found))


def find_settings(repository: Repository) -> tuple[Settings | None, list[Finding]]:
    """Return the settings, None if they are not valid, and what is found about them and the policy file."""
    try:
        policy = read_policy(repository.worktree)
        settings = load(repository.worktree)
        # A pattern is read when the first message is checked.
        find_errors("feat: x", make_rules(settings), search=matches)
    except SmartcommitError as error:
        blocked = Finding(
            "policy", NOTE, "until this is fixed, nothing is drafted, and commit-msg rejects every message"
        )
        return None, [Finding("policy", ERROR, str(error), error.hint), blocked]
    return settings, [_describe_policy(repository, settings, policy), *_find_key_problems(repository, settings)]


def _describe_policy(repository: Repository, settings: Settings, policy: Sequence[tuple[str, str | None]]) -> Finding:
    name = find_policy_file(repository.worktree)
    if name is None and policy:
        return Finding("policy", OK, f"'{NAMES[0]}' is valid, as it is in HEAD; it is not in the working tree")
    if name is None:
        hint = "run 'smartcommit policy' to propose one"
        return Finding("policy", NOTE, f"no policy file '{NAMES[0]}'", hint)
    given = {name for name, _ in policy}
    names = [key.git_name.partition(".")[2] for key in KEYS if key.git_name.lower() in given]
    sets = ", ".join(names) or "nothing"
    text = f"'{name}' is valid and sets {sets}"
    if not settings.words("types") and policy:
        text += "; it does not set types, so the usual ones are allowed, and none from the history"
    if not repository.run("ls-files", "--", name):
        hint = f"run 'git add {find_path_from_here(name, repository.worktree)}'"
        return Finding("policy", WARNING, f"'{name}' is not tracked, so it applies only to you", hint)
    return Finding("policy", OK, text)


def _find_key_problems(repository: Repository, settings: Settings) -> Iterator[Finding]:
    """Yield a finding for a key that is sent unencrypted, and for one that belongs to another provider."""
    stale = find_stale_key(settings)
    if stale is not None:
        yield Finding("model", WARNING, stale, _explain_removal(repository, settings))
    if not wants_model(settings):
        return
    try:
        exposed = api_config(settings).exposed
    except ConfigError:
        # Trying the model reports the error.
        return
    if exposed is not None:
        hint = "use an address with https://, or a tunnel, such as 'ssh -L 11434:localhost:11434 HOST'"
        yield Finding("model", WARNING, exposed, hint)


def _explain_removal(repository: Repository, settings: Settings) -> str:
    """Return how to remove the key where it is set."""
    source = settings.source("api-key")
    if source != "git config":
        return f"run 'unset {source}'"
    place = find_places(repository).get("smartcommit.apikey", [""])[-1]
    scope = place.partition(":")[0]
    if scope in ("system", "global", "local", "worktree"):
        return f"run 'git config --{scope} --unset-all smartcommit.apiKey'"
    return "run 'git config --unset-all smartcommit.apiKey'"


def find_hooks(hooks: GitHooks, settings: Settings | None) -> list[Finding]:
    """Return what runs each hook, what it does for a commit now, and what is wrong with it.

    `settings` is None if they are not valid.
    """
    repository = hooks.repository
    runners = {hook: find_runners(repository, hook, hooks) for hook in MODULES}
    findings: list[Finding] = []
    try:
        configured = find_configured(repository)
    except SmartcommitError as error:
        configured = {}
        findings.append(Finding("hooks", ERROR, str(error), error.hint))
    for hook, found in runners.items():
        findings += _describe_runners(hook, found, settings)
        for name, ids in configured.items():
            if hook in ids and not found:
                findings.append(_describe_idle(hook, name, runs=ids[hook]))
    idle = list(find_idle(hooks, [hook for hook, found in runners.items() if not found]))
    findings += idle
    wrong = [finding for finding in findings if finding.state in (WARNING, ERROR)]
    if not wrong and not idle and not any(runners.values()):
        findings.append(_describe_none(hooks))
    findings += find_configured_problems(hooks)
    findings += _find_repeated(repository)
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
        state = OK
        if settings is None:
            state = ERROR
        work = _describe_work(hook, settings, everywhere=runner.everywhere)
        yield Finding("hooks", state, f"{hook}, {describe_manner(hook, runner)}, {work}")
    if len(working) > 1:
        names = " and by ".join(map(name_runner, working))
        hint = explain_disabling(hook, working) or "remove one of them, for example with 'smartcommit uninstall'"
        yield Finding("hooks", WARNING, f"{hook} runs twice for each commit: by {names}", hint)
    skipped = os.environ.get("SKIP", "").replace(" ", "").split(",")
    if hook in skipped and any(runner.name in FRAMEWORKS for runner in working):
        yield Finding("hooks", WARNING, f"{hook} is skipped, because the variable SKIP names it", "run 'unset SKIP'")


def _find_repeated(repository: Repository) -> Iterator[Finding]:
    """Yield a finding if other hooks in a configuration with ours run several times for one commit."""
    origins = list_origins(repository)
    for framework in FRAMEWORKS:
        types = list_installed(repository, framework)
        name = find_file(repository, framework)
        configuration = parse_file(os.path.join(repository.worktree, name))
        if count_runs(types) < 2 or set(MODULES).isdisjoint(list_hooks(configuration, origins)):
            continue
        hooks = list_stageless(configuration, origins)
        if hooks:
            text = f"{describe_repetition(hooks, count_runs(types))}, because '{name}' does not say at which stages"
            yield Finding("hooks", WARNING, text, explain_remedy(configuration, origins, types, name))


def find_unstaged(hooks: GitHooks) -> Iterator[Finding]:
    """Yield a finding if a framework refuses to run, because its configuration has unstaged changes."""
    repository = hooks.repository
    found: set[str] = set()
    for hook in MODULES:
        found.update(runner.name for runner in find_runners(repository, hook, hooks))
    for framework in found.intersection(FRAMEWORKS):
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


def _describe_idle(hook: str, name: str, *, runs: bool) -> Finding:
    """Return why a hook that is listed in the configuration `name` does not run."""
    if not runs:
        text = f"{hook} is listed in '{name}', but not for the stage {hook}, so it does not run"
        return Finding("hooks", WARNING, text, f"set 'stages: [{hook}]' in its entry")
    framework = "pre-commit"
    if name == PREK_TOML:
        framework = "prek"
    text = f"{hook} is listed in '{name}', but not installed, so it does not run"
    return Finding("hooks", WARNING, text, f"run '{framework} install --hook-type {hook}'")


def _describe_none(hooks: GitHooks) -> Finding:
    """Return that none of our hooks is run, with the reason if another directory has them."""
    repository, directory = hooks.repository, hooks.directory
    own = find_hooks_path(repository)
    if own.path == os.path.realpath(own.usual):
        return Finding("hooks", WARNING, "no hooks are installed here: nothing is drafted or checked", _INSTALL)
    hint = f"add these lines to the hooks there: {DOCS}/installing.md#lines-for-everybody"
    if hooks.version >= CONFIGURABLE:
        hint = "run 'smartcommit install', which adds them to git's configuration, beside the hooks there"
    ours: list[Runner] = []
    for hook in MODULES:
        ours += find_file_runners(repository, hook, own.usual)
    if ours and ours[0].name == DIRECT:
        hint = f"run 'git config --unset-all core.hooksPath', or {hint}"
    text = f"no hooks of smartcommit are in '{directory}', where core.hooksPath makes git look for them"
    return Finding("hooks", WARNING, text, hint)


def find_environment(settings: Settings | None) -> Iterator[Finding]:
    """Yield what is found about the terminal and the table of processes."""
    terminal = Terminal.open()
    if terminal is None:
        yield Finding("terminal", NOTE, "no terminal: no prompts are shown, and a split is made without a review")
    else:
        with terminal:
            width = terminal.width
        panes = settings is None or settings.text("review") == "auto"
        if panes and find_spec("textual") is None:
            hint = "install smartcommit with the extra 'tui' for a review in panes"
            yield Finding("terminal", NOTE, f"terminal of {width} columns; a split is reviewed as text", hint)
        else:
            yield Finding("terminal", OK, f"terminal of {width} columns; a split can be reviewed")
    if not os.path.isdir("/proc/self") and not shutil.which("ps"):
        hint = "run 'git smart-commit' in its place"
        yield Finding("processes", WARNING, "neither /proc nor ps: 'pre-commit run split' cannot be recognized", hint)
