"""Settings of the user and rules of the project: where each value comes from, and what it means.

To add a setting, add a `Key` to KEYS, read it with `Settings.value`, and run `make docs`. The tracked file
`.smartcommit` may set only policy keys: what arrives with a clone must never name an endpoint, a key or a command.

The policy file `.smartcommit` has git's configuration syntax, so git reads it. The file at the top level of the working
tree is used, or else the one in HEAD. If `.smartcommit` is a directory (for task plans), it is `.smartcommit/policy`.
"""

from __future__ import annotations

import os

from smartcommit.errors import ConfigError
from smartcommit.git.habits import read_habits
from smartcommit.git.query import ask, parse_config
from smartcommit.message.cleanup import git_boolean
from smartcommit.message.header import is_name
from smartcommit.message.rules import (
    ALLOW,
    ASSISTED_BY,
    CODES,
    DEFAULT_TYPES,
    ERROR,
    FORBID,
    OFF,
    REQUIRABLE,
    SUMMARY_LIMIT,
    WARNING,
    Rules,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Listing = Iterable[tuple[str, str | None]]

NAMES = (".smartcommit", ".smartcommit/policy")
# The kinds of settings.
PERSONAL, SECRET, PROJECT, JOINT = "personal", "secret", "project", "joint"


class Key:
    """A setting. `name` is in kebab case: `allow-remote` is `--allow-remote`, `SMARTCOMMIT_ALLOW_REMOTE` and
    `smartcommit.allowRemote`. `parse` turns the given texts into a value, or raises ValueError with what it expected;
    if there are `choices`, each word of the value is one of them. `unset` says what holds if the default is None or
    empty.

    `kind` says who sets it. A project may set PROJECT and JOINT ones in `.smartcommit`; the user's values of a JOINT
    one are added to the project's instead of replacing them. The value of a SECRET is never shown.
    """

    __slots__ = ("choices", "default", "help", "kind", "name", "parse", "unset")

    def __init__(
        self,
        name: str,
        parse: Callable[[Sequence[str]], object],
        default: object,
        help: str,  # noqa: A002
        *,
        choices: Sequence[str] = (),
        unset: str = "",
        kind: str = PERSONAL,
    ) -> None:
        self.name = name
        self.parse = parse
        self.default = default
        self.help = help
        self.choices = choices
        self.unset = unset
        self.kind = kind

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "SMARTCOMMIT_" + self.name.replace("-", "_").upper()

    @property
    def policy(self) -> bool:
        """Whether a project may set it."""
        return self.kind in (PROJECT, JOINT)

    @property
    def git_name(self) -> str:
        """The key in git's configuration and in `.smartcommit`."""
        first, *rest = self.name.split("-")
        return "smartcommit." + first + "".join(word.capitalize() for word in rest)

    def read(self, texts: Sequence[str]) -> object:
        """Return the value that `texts` mean; raise ValueError with what is expected."""
        value = self.parse(texts)
        if self.choices and isinstance(value, tuple) and not set(self.choices).issuperset(value):
            raise ValueError(f"one or more of {', '.join(self.choices)}")
        if self.choices and isinstance(value, str) and value not in self.choices:
            raise ValueError(f"one of {', '.join(self.choices)}")
        return value


def parse_boolean(texts: Sequence[str]) -> bool:
    """Return a boolean as git reads it."""
    value = git_boolean(texts[-1])
    if value is None:
        raise ValueError("true or false")
    return value


def parse_count(texts: Sequence[str]) -> int:
    """Return an integer of 1 to 9 digits, at least 1."""
    if not texts[-1].isascii() or not texts[-1].isdigit() or len(texts[-1]) > 9 or int(texts[-1]) < 1:
        raise ValueError("an integer from 1 to 999999999")
    return int(texts[-1])


def parse_words(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the words in any number of entries, separated by spaces or commas, without duplicates."""
    return tuple(dict.fromkeys(" ".join(texts).replace(",", " ").split()))


def parse_text(texts: Sequence[str]) -> str:
    """Return the last text given."""
    return texts[-1]


def parse_lines(texts: Sequence[str]) -> tuple[str, ...]:
    """Return lines without duplicates; they become part of a prompt, so they must be few and short."""
    found = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(found) > 20 or any(len(line) > 200 or not line.isprintable() for line in found):
        raise ValueError("at most 20 lines of up to 200 characters each")
    return found


def parse_names(texts: Sequence[str]) -> tuple[str, ...]:
    """Return types or scopes: lower-case letters, digits and dashes."""
    found = parse_words(texts)
    if not found or not all(map(is_name, found)):
        raise ValueError("names made of lower-case letters, digits and dashes")
    return found


def parse_headers(texts: Sequence[str]) -> tuple[str, ...]:
    """Return HTTP headers, each `Name: value`; a variable holds one on each line."""
    found = tuple(line.strip() for line in "\n".join(texts).splitlines() if line.strip())
    for line in found:
        name, colon, value = line.partition(":")
        if not colon or not value.strip() or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ValueError("headers such as 'X-Team: web'")
        if not value.isascii() or not value.isprintable():
            raise ValueError("headers with values in printable ASCII")
    return found


def parse_tools(texts: Sequence[str]) -> tuple[str, ...]:
    """Return tools, each `NAME` or `NAME <ADDRESS>`."""
    from smartcommit.message.attribution import parse_tool  # few projects set it

    found = parse_lines(texts)
    for text in found:
        parse_tool(text)
    return found


def parse_language(texts: Sequence[str]) -> str:
    """Return the name or tag of a language; it becomes part of a prompt, so it must be short and plain."""
    if not (1 <= len(texts[-1]) <= 40) or not texts[-1].replace("-", "").replace(" ", "").isalpha():
        raise ValueError("a language such as German or pt-BR")
    return texts[-1]


def parse_instructions(texts: Sequence[str]) -> str:
    """Return a text that becomes part of a prompt, or the path of a file that does."""
    if len(texts[-1]) > 2000 or not texts[-1].replace("\n", "").replace("\t", "").isprintable():
        raise ValueError("a printable text of at most 2000 characters, or '@' and the path of a tracked file")
    return texts[-1].strip()


def parse_prefix(texts: Sequence[str]) -> str:
    """Return the prefix of the executor's default messages: a few visible characters."""
    if not (1 <= len(texts[-1]) <= 40) or not texts[-1].isprintable() or texts[-1] != texts[-1].strip():
        raise ValueError("a word such as [rafa]")
    return texts[-1]


# All but the first three are rows of `smartcommit.llm.presets.PRESETS`.
PROVIDERS = (
    "auto", "embedded", "command", "ollama", "openai", "anthropic", "gemini", "azure", "openrouter", "groq", "deepseek",
    "mistral", "lmstudio", "llamacpp", "vllm",
)  # fmt: skip
REVIEWS = ("auto", "text")
SIGN_OFFS = ("off", "require")
ATTRIBUTIONS = (ALLOW, FORBID, ASSISTED_BY)
# `smartcommit.draft.guidance` says what each means.
STYLES = ("no-body", "short-body", "long-body", "bullets", "past-tense")

KEYS = (
    Key("draft", parse_boolean, True, "whether `prepare-commit-msg` drafts a message"),
    Key(
        "provider",
        parse_text,
        "auto",
        "what drafts: `embedded` is the built-in drafter, `command` a program, any other name a server; `auto` asks a "
        "model if one is set",
        choices=PROVIDERS,
    ),
    Key("model", parse_text, None, "name of the model on the server"),
    Key(
        "command",
        parse_text,
        None,
        "for the provider `command`: a command line that reads a prompt and prints an answer",
    ),
    Key(
        "api-base",
        parse_text,
        None,
        "address of the model server; one that ends in `/v1` has the OpenAI API",
        unset="the provider's own, or that of Ollama on this machine",
    ),
    Key(
        "api-key",
        parse_text,
        None,
        "API key for the model server",
        unset="the provider's own variable or the keyring",
        kind=SECRET,
    ),
    Key(
        "header",
        parse_headers,
        (),
        "HTTP header sent to the model server, as in `X-Team: web`; in the variable, one on each line",
        kind=SECRET,
    ),
    Key("allow-remote", parse_boolean, False, "whether a change may be sent to another machine"),
    Key(
        "deadline",
        parse_count,
        None,
        "time limit for a draft, in seconds",
        unset="20, or 10 while pre-commit has unstaged changes stashed",
    ),
    Key(
        "split-deadline",
        parse_count,
        None,
        "time limit for a model's split, in seconds",
        unset="300, or 60 while pre-commit has unstaged changes stashed",
    ),
    Key(
        "learn",
        parse_boolean,
        True,
        "whether the last 200 drafts and what you committed in their place are kept in `.git/smartcommit/drafts.json`, "
        "for you alone, and learned from",
    ),
    Key(
        "instructions",
        parse_instructions,
        None,
        "instructions for a model about drafts and splits: a text, or `@` and the path of a tracked file",
        kind=PROJECT,
    ),
    Key("style", parse_words, (), "how drafts are written", choices=STYLES, kind=PROJECT),
    Key(
        "language",
        parse_language,
        None,
        "language of the prose; type, scope and trailers are not translated",
        unset="English",
    ),
    Key("context", parse_count, 16384, "context size requested from Ollama, in tokens; the prompt is made to fit"),
    Key(
        "output",
        parse_count,
        None,
        "maximum length of one answer of a model, in tokens",
        unset="1024, or 8192 for models that think first",
    ),
    Key("refine-message", parse_boolean, False, "whether a model rewrites the message given to `git commit -e -m`"),
    Key(
        "transcript",
        parse_boolean,
        False,
        "whether the last conversation is saved in the git directory, for you alone",
    ),
    Key(
        "split-hints",
        parse_boolean,
        True,
        "whether the built-in splitter considers what is staged and when files were modified",
    ),
    Key(
        "review",
        parse_text,
        "auto",
        "how a split is reviewed: `auto` is in panes, if the extra `tui` is installed",
        choices=REVIEWS,
    ),
    Key(
        "agent",
        parse_text,
        "claude",
        "agent that works on a plan's tasks: `claude`, with options of its own, or any command",
    ),
    Key("attempts", parse_count, 5, "maximum number of attempts per task in one run"),
    Key("agent-timeout", parse_count, 3600, "time limit per attempt, in seconds"),
    Key("agent-stall", parse_count, 900, "seconds without output before an agent is stopped"),
    Key(
        "types",
        parse_names,
        None,
        "allowed commit types, highest priority first",
        unset=f"{' '.join(DEFAULT_TYPES)}, and those of the history",
        kind=PROJECT,
    ),
    Key("scopes", parse_names, None, "the scopes a header may have", unset="any", kind=PROJECT),
    Key(
        "summary-limit",
        parse_count,
        None,
        "maximum length of the summary, in code points",
        unset=str(SUMMARY_LIMIT),
        kind=PROJECT,
    ),
    Key(
        "line-limit",
        parse_count,
        None,
        "maximum length of a description line, in code points",
        unset="no limit",
        kind=PROJECT,
    ),
    Key("required", parse_words, (), "parts that a message must have", choices=REQUIRABLE, kind=PROJECT),
    Key("imperative", parse_boolean, False, "whether a summary must begin with an imperative verb", kind=PROJECT),
    Key(
        "ticket",
        parse_text,
        None,
        "POSIX extended regular expression that some line must match, whose bounded repetitions may not expand to more "
        "than 1,000 copies; a draft takes the ticket from the branch's name",
        kind=PROJECT,
    ),
    Key(
        "issue-pattern",
        parse_lines,
        (),
        "issues that a model should look for while splitting, one per line, such as `a TODO without a ticket`",
        kind=JOINT,
    ),
    Key(
        "attribution",
        parse_text,
        ALLOW,
        "credits to coding agents; `assisted-by` replaces them by one trailer `Assisted-by: NAME`",
        choices=ATTRIBUTIONS,
        kind=PROJECT,
    ),
    Key(
        "attribution-tool",
        parse_tools,
        (),
        "coding agents beside the known ones, one per entry, as `NAME` or `NAME <ADDRESS>`",
        kind=JOINT,
    ),
    Key(
        "sign-off",
        parse_text,
        "off",
        "whether a commit needs a `Signed-off-by` trailer",
        choices=SIGN_OFFS,
        kind=PROJECT,
    ),
    Key("errors", parse_words, (), "rules reported as errors", choices=tuple(CODES), kind=PROJECT),
    Key("warnings", parse_words, (), "rules reported as warnings", choices=tuple(CODES), kind=PROJECT),
    Key("off", parse_words, (), "rules that are disabled", choices=tuple(CODES), kind=PROJECT),
    Key(
        "execute-prefix",
        parse_prefix,
        "[rafa]",
        "what the executor's messages begin with where an agent suggests none",
        kind=PROJECT,
    ),
)
_GIT_NAMES = frozenset(key.git_name.lower() for key in KEYS)


class Settings:
    """The settings of one run; `value` and `source` take the name of a key.

    `git` and `policy` are entries from `smartcommit.git.query.parse_config`; git's own settings are kept in `git`.
    `arguments` holds options of the command line, None if not given. `has_policy` is True if the project has a policy
    file that sets anything. `directory` is the working tree, None for the current directory.
    """

    __slots__ = ("_found", "directory", "git", "has_policy")

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
            argument, name = (arguments or {}).get(key.name), key.git_name.lower()
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
        """Return the value of a boolean key."""
        return bool(self.value(name))

    def number(self, name: str) -> int | None:
        """Return the value of a numeric key, or None if it has none."""
        value = self.value(name)
        return value if isinstance(value, int) else None

    def text(self, name: str) -> str | None:
        """Return the value of a text key, or None if it has none."""
        value = self.value(name)
        return value if isinstance(value, str) else None

    def words(self, name: str) -> tuple[str, ...]:
        """Return the value of a key that is a list of words, empty if it has none."""
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
) -> Settings:
    """Return the settings for the working tree whose top level is `directory`; runs two short git processes.

    `in_head` is False if HEAD is known to have no policy file, which saves one of them.

    Raise ConfigError if git's configuration or `.smartcommit` cannot be read or has an invalid value.
    """
    status, listing = ask(("config", "-z", "--list"), directory=directory)
    if status not in (0, 1):
        raise ConfigError("cannot read git's configuration", hint="run 'git config --list' to see why")
    entries = [entry for entry in parse_config(listing) if entry[0] != "core.commentstring" or _has_comment_strings()]
    policy = read_policy(directory, in_head=in_head)
    return Settings(git=entries, policy=policy, arguments=arguments, environment=environment, directory=directory)


def read_policy(directory: str, *, in_head: bool = True) -> list[tuple[str, str | None]]:
    """Return the entries of the project's policy file, if any; HEAD is not searched unless `in_head`.

    Raise ConfigError if git cannot read it, or if it has an unknown key.
    """
    name = find_policy_file(directory)
    if name is not None:
        status, listing = ask(("config", "-f", name, "-z", "--list"), directory=directory)
        if status != 0:
            raise ConfigError(
                f"'{name}' is not valid git configuration", hint=f"run 'git config -f {name} --list' to see why"
            )
        return _check_keys(parse_config(listing), name, directory)
    if not in_head:
        return []
    status, listing = ask(("config", "--blob", "HEAD:.smartcommit", "-z", "--list"), directory=directory)
    if status != 0:
        return []
    return _check_keys(parse_config(listing), "HEAD:.smartcommit", directory)


def find_policy_file(directory: str) -> str | None:
    """Return the name of the policy file in the working tree `directory`, None if there is none."""
    for name in NAMES:
        if os.path.isfile(os.path.join(directory, name)):
            return name
    return None


def _check_keys(entries: list[tuple[str, str | None]], name: str, directory: str) -> list[tuple[str, str | None]]:
    """Return `entries`, those of the policy file `name`; raise ConfigError at the first key that is not in KEYS."""
    for key, value in entries:
        if key not in _GIT_NAMES:
            raise _find_mistake(key, value, name, directory)
    return entries


def _find_mistake(key: str, value: str | None, name: str, directory: str) -> ConfigError:
    """Return an error that names the line with the unknown `key`, and the line that was probably meant."""
    from difflib import get_close_matches  # only for a policy that is wrong

    section, _, variable = key.rpartition(".")
    number, given = _find_line(section, variable, _read_policy_lines(name, directory))
    if section != "smartcommit":
        return ConfigError(
            f"unknown section '[{section[:100]}]' in '{name}', line {number}", hint="change the line to '[smartcommit]'"
        )
    names = {}
    for known in KEYS:
        if known.policy:
            names[known.git_name.lower().partition(".")[2]] = known.git_name.partition(".")[2]
    hint = f"remove the line; the keys are {', '.join(names.values())}"
    for near in get_close_matches(variable.replace("-", ""), names, n=1, cutoff=0.75):
        hint = f"change the line to '{names[near]}'"
        if value is not None:
            hint = f"change the line to '{names[near]} = {value[:200]}'"
    return ConfigError(f"unknown key '{given[:100]}' in '{name}', line {number}", hint=hint)


def _read_policy_lines(name: str, directory: str) -> list[str]:
    if name.startswith("HEAD:"):
        _, data = ask(("cat-file", "blob", name), directory=directory)
    else:
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
    return os.fsdecode(data).split("\n")


def _find_line(section: str, variable: str, lines: Sequence[str]) -> tuple[int, str]:
    """Return the number of the line with the first `variable` of `section`, from 1, and its name as written there.

    For any other section than ours it is the line with the section's heading.
    """
    inside = False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("["):
            heading, _, text = text[1:].partition("]")
            inside = heading.replace('"', "").replace(" ", ".").lower() == section.lower()
            if inside and section != "smartcommit":
                return number, heading
        given = text.partition("=")[0].strip()
        if inside and given.lower() == variable:
            return number, given
    return 1, variable


def _has_comment_strings() -> bool:
    """Return whether this git supports core.commentString, added in 2.45."""
    _, version = ask(("version",))
    numbers = version.decode("ascii", "replace").removeprefix("git version ").split(".")[:2]
    return len(numbers) == 2 and all(map(str.isdigit, numbers)) and list(map(int, numbers)) >= [2, 45]


def make_rules(settings: Settings, *, before: str | None = None, finished: bool = False) -> Rules:
    """Return the rules that `settings` describe; if neither a policy nor a setting has types, the history adds its own.

    The history is read only when a message needs it: up to HEAD, or up to where the range of commits `before` begins.
    Only a `finished` message needs its sign-off, which a person adds to drafts and plans.
    """
    levels = {}
    for name, level in (("errors", ERROR), ("warnings", WARNING), ("off", OFF)):
        levels.update(dict.fromkeys(settings.words(name), level))
    rules = Rules(
        types=settings.words("types") or DEFAULT_TYPES,
        scopes=settings.words("scopes"),
        summary_limit=settings.number("summary-limit") or SUMMARY_LIMIT,
        line_limit=settings.number("line-limit"),
        required=settings.words("required"),
        imperative=settings.flag("imperative"),
        ticket=settings.text("ticket"),
        levels=levels,
    )
    rules.attribution = settings.text("attribution") or ALLOW
    rules.tools = settings.words("attribution-tool")
    rules.sign_off = finished and settings.text("sign-off") == "require"
    rules.types_set = bool(settings.words("types"))
    rules.types_place = _find_place_of_types(settings)
    if follows_history(settings):
        rules.find_habits = lambda: read_habits(settings.directory, before)
    elif not rules.types_set:
        rules.habits_off = NAMES[0] if settings.has_policy else "smartcommit.scopes"
    return rules


def _find_place_of_types(settings: Settings) -> str | None:
    """Return which options let `git config` change the project's types where they are set; None if none would."""
    source, directory = settings.source("types"), settings.directory or ""
    if source == "git config":
        return "--local"
    name = find_policy_file(directory)
    if name is not None and source in ("default", ".smartcommit"):
        return f"-f {name}"
    if source == "default" and not os.path.exists(os.path.join(directory, NAMES[0])):
        return f"-f {NAMES[0]}"
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
