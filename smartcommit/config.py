"""Settings of the user and rules of the project: where each value comes from, and what it means.

`smartcommit.settings` has the table of the settings.

The policy file `.smartcommit` has git's configuration syntax, so git reads it. The file at the top level of the working
tree is used, or else the one in HEAD. If `.smartcommit` is a directory (for task plans), it is `.smartcommit/policy`.
"""

from __future__ import annotations

import os

from smartcommit.coding_agent import is_agent_at_work
from smartcommit.errors import ConfigError
from smartcommit.git.habits import read_habits
from smartcommit.git.query import ask, parse_config
from smartcommit.message.rules import DEFAULT_TYPES, ERROR, OFF, PLAN_TYPES, SUMMARY_LIMIT, WARNING, Rules
from smartcommit.settings import JOINT, KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from smartcommit.settings import Key

    Listing = Iterable[tuple[str, str | None]]

NAMES = (".smartcommit", ".smartcommit/policy")
# Settings that are rules by the same name.
_RULES = (
    "scope-form", "scope", "header-form", "summary-case", "full-stop", "imperative", "header-limit", "line-limit",
    "trailer-limit", "required", "ticket", "attribution",
)  # fmt: skip
_GIT_NAMES = frozenset(key.git_name.lower() for key in KEYS)


class Settings:
    """The settings of one run; `value` and `source` take the name of a key.

    `git` and `policy` are entries from `smartcommit.git.query.parse_config`; git's own settings are kept in `git`.
    `arguments` holds options of the command line, None if not given. `has_policy` is True if the project has a policy
    file that sets anything. `directory` is the working tree, None for the current directory.
    """

    def __init__(
        self,
        *,
        git: Listing = (),
        policy: Listing = (),
        arguments: Mapping[str, object] | None = None,
        environment: Mapping[str, str] = os.environ,
        directory: str | None = None,
    ) -> None:
        self.git = list(git)
        self.has_policy = bool(policy)
        self.directory = directory
        self._found: dict[str, tuple[object, str]] = {}
        in_git, in_policy = _group(git), _group(policy)
        for key in KEYS:
            argument = (arguments or {}).get(key.name)
            name = key.git_name.lower()
            if argument is not None:
                self._found[key.name] = argument, f"--{key.name}"
            elif key.variable in environment:
                self._found[key.name] = _parse(key, [environment[key.variable]], key.variable), key.variable
            else:
                self._found[key.name] = _choose(key, in_git.get(name, []), in_policy.get(name, []))

    def value(self, name: str) -> object:
        """Return the value of the key `name`; raise KeyError if it is not in KEYS."""
        return self._found[name][0]

    def flag(self, name: str) -> bool:
        return bool(self.value(name))

    def number(self, name: str) -> int | None:
        value = self.value(name)
        return value if isinstance(value, int) else None

    def text(self, name: str) -> str | None:
        value = self.value(name)
        return value if isinstance(value, str) else None

    def words(self, name: str) -> tuple[str, ...]:
        value = self.value(name)
        return value if isinstance(value, tuple) else ()

    def source(self, name: str) -> str:
        """Return where the value comes from: an option, a variable, `git config`, `.smartcommit` or `default`."""
        return self._found[name][1]


def _group(entries: Listing) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for key, value in entries:
        # To git, a key without a value is true.
        grouped.setdefault(key, []).append("true" if value is None else value)
    return grouped


def _choose(key: Key, git: list[str], policy: list[str]) -> tuple[object, str]:
    """Return the value of `key` and its source, from its texts in git's configuration and in the policy."""
    if key.kind == JOINT and git and policy:
        return _parse(key, git + policy, key.git_name), "git config and .smartcommit"
    if git:
        return _parse(key, git, key.git_name), "git config"
    if key.policy and policy:
        return _parse(key, policy, f"{key.git_name} in .smartcommit"), ".smartcommit"
    return key.default, "default"


def _parse(key: Key, texts: Sequence[str], place: str) -> object:
    try:
        return key.read(texts)
    except ValueError as error:
        raise ConfigError(f"invalid value '{texts[-1]}' for {place}", hint=f"set it to {error}") from error


def load(
    directory: str,
    *,
    arguments: Mapping[str, object] | None = None,
    environment: Mapping[str, str] = os.environ,
    in_head: bool = True,
    listing: Listing | None = None,
) -> Settings:
    """Return the settings for the working tree whose top level is `directory`; runs two short git processes.

    `in_head` is False if HEAD is known to have no policy file, and `listing` has git's configuration if it was read
    already: each saves one of them. Raise ConfigError if one cannot be read or has an invalid value.
    """
    if listing is None:
        status, output = ask(("config", "-z", "--list"), directory=directory)
        if status not in (0, 1):
            raise ConfigError("cannot read git's configuration", hint="run 'git config --list' to see why")
        listing = parse_config(output)
    entries = [entry for entry in listing if entry[0] != "core.commentstring" or _has_comment_strings()]
    policy = read_policy(directory, in_head=in_head)
    return Settings(git=entries, policy=policy, arguments=arguments, environment=environment, directory=directory)


def read_policy(directory: str, *, in_head: bool = True) -> list[tuple[str, str | None]]:
    """Return the entries of the project's policy file. Raise ConfigError if git cannot read it or a key is unknown."""
    name = find_policy_file(directory)
    if name is not None:
        status, listing = ask(("config", "-f", name, "-z", "--list"), directory=directory)
        if status != 0:
            raise ConfigError(
                f"'{name}' is not valid git configuration",
                hint=f"run 'git config -f {find_path_from_here(name, directory)} --list' to see why",
            )
    elif in_head:
        file, below = NAMES
        name = f"HEAD:{below if os.path.isdir(os.path.join(directory, file)) else file}"
        status, listing = ask(("config", "--blob", name, "-z", "--list"), directory=directory)
        if status != 0:  # there is none, or git has printed a part of one that is not valid
            return []
    else:
        return []
    entries = parse_config(listing)
    for key, _ in entries:
        if key not in _GIT_NAMES:
            names = ", ".join(key.git_name for key in KEYS if key.policy)
            hint = f"change or remove it; the keys are {names}"
            raise ConfigError(f"unknown key '{key[:100]}' in '{name}'", hint=hint)
    return entries


def find_policy_file(directory: str) -> str | None:
    for name in NAMES:
        if os.path.isfile(os.path.join(directory, name)):
            return name
    return None


def find_path_from_here(name: str, directory: str) -> str:
    """Return the path of the file `name` from where the user is: git starts hooks at the top level."""
    here = os.getcwd()
    if here == directory:
        here = os.path.join(here, os.environ.get("GIT_PREFIX", ""))
    path = os.path.join(directory, name)
    # On Windows there is no way from one drive to another.
    if os.path.splitdrive(path)[0] != os.path.splitdrive(here)[0]:
        return path
    return os.path.relpath(path, here)


def _has_comment_strings() -> bool:
    """Return whether this git supports core.commentString, added in 2.45."""
    _, version = ask(("version",))
    numbers = version.decode("ascii", "replace").removeprefix("git version ").split(".")[:2]
    return all(number.isdigit() for number in numbers) and [int(number) for number in numbers] >= [2, 45]


def make_rules(
    settings: Settings, *, before: Sequence[str] = (), finished: bool = False, for_agent: bool = False
) -> Rules:
    """Return the rules that `settings` describe; if neither a policy nor a setting has types, the history adds its own.

    The history is read only when a message needs it: up to HEAD, or up to where the revisions `before` begin.
    Only a `finished` message needs its sign-off, which a person adds to drafts and plans. Claims have a level of their
    own if a coding agent wrote the message, unless they are off; it did if `for_agent`.
    """
    levels = {}
    for name, level in (("errors", ERROR), ("warnings", WARNING), ("off", OFF)):
        levels.update(dict.fromkeys(settings.words(name), level))
    strict = settings.text("agent-claims") == ERROR and levels.get("claims") != OFF
    if strict and (for_agent or is_agent_at_work(settings.text("coding-agent"))):
        levels["claims"] = ERROR
    same: dict[str, Any] = {name.replace("-", "_"): settings.value(name) for name in _RULES}
    rules = Rules(
        **same,
        types=settings.words("types") or DEFAULT_TYPES,
        scopes=settings.words("scopes"),
        summary_limit=find_summary_limit(settings),
        exempt_authors=settings.words("exempt-authors"),
        sign_off=finished and settings.text("sign-off") == "require",
        levels=levels,
        types_place=_find_place(settings, "types"),
        types_set=bool(settings.words("types")),
        scopes_place=_find_place(settings, "scopes"),
        scope_form_place=_find_place(settings, "scope-form"),
    )
    if follows_history(settings):
        rules.find_habits = lambda: read_habits(settings.directory, before)
    elif not rules.types_set:
        rules.habits_off = NAMES[0] if settings.has_policy else "smartcommit.scopes"
    return rules


def find_summary_limit(settings: Settings) -> int:
    """Return how many code points a summary may have; where only the header has a limit, that one."""
    return settings.number("summary-limit") or settings.number("header-limit") or SUMMARY_LIMIT


def make_plan_rules(settings: Settings) -> Rules:
    """Return the rules for plans in jj: the types are the planner's own unless the project sets others."""
    rules = make_rules(settings)
    if not rules.types_set:
        rules.types = PLAN_TYPES
    return rules


def _find_place(settings: Settings, key: str) -> str | None:
    """Return which options let `git config` change the setting `key` where it is set; None if none would."""
    source, directory = settings.source(key), settings.directory or ""
    # A policy file for `scope-form` alone would keep the types of the history out.
    if source == "git config" or (source == "default" and key != "types" and follows_history(settings)):
        return "--local"
    name = find_policy_file(directory)
    if name is None and source == "default" and not os.path.exists(os.path.join(directory, NAMES[0])):
        name = NAMES[0]
    if name is not None and source in ("default", ".smartcommit"):
        return f"-f {find_path_from_here(name, directory)}"
    return None


def wants_model(settings: Settings) -> bool:
    """Whether to use a model: a provider is configured, or it is `auto` and a model is configured."""
    chosen = settings.text("provider")
    if chosen == "auto":
        return settings.text("model") is not None
    return chosen != "embedded"


def follows_history(settings: Settings) -> bool:
    """Whether the project's history decides which types and scopes there are: no policy does, and no setting."""
    return not settings.has_policy and not settings.words("types") and not settings.words("scopes")
