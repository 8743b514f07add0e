"""Settings of a person and rules of a project: where each value comes from, and what it means.

A later feature adds its `Key` to KEYS and reads it with `Settings.value`. The tracked file `.smartcommit` may set
policy keys only: what arrives with a clone never names an endpoint, a key or a command.

The policy file `.smartcommit` is in git's configuration syntax, so git reads it. The top-level file of the working tree
counts, else the one in HEAD. Where `.smartcommit` is a folder (task plans live there), the file is
`.smartcommit/policy`.
"""

from __future__ import annotations

import os

from smartcommit.errors import ConfigError
from smartcommit.git.query import ask, parse_config
from smartcommit.message.header import is_name
from smartcommit.message.rules import CODES, DEFAULT_TYPES, ERROR, OFF, REQUIRABLE, SUMMARY_LIMIT, WARNING, Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Listing = Iterable[tuple[str, str | None]]

NAMES = (".smartcommit", ".smartcommit/policy")


class Key:
    """A setting. `name` is in kebab case: `allow-remote` is `--allow-remote`, `SMARTCOMMIT_ALLOW_REMOTE` and
    `smartcommit.allowRemote`. `parse` turns the texts that were given into a value and raises ValueError, saying what
    it expected. `policy` marks what a project may set in `.smartcommit`, `secret` what is never shown, and `together`
    where a person's values stand beside the project's and do not take their place.
    """

    __slots__ = ("default", "help", "name", "parse", "policy", "secret", "together")

    def __init__(
        self,
        name: str,
        parse: Callable[[Sequence[str]], object],
        default: object,
        help: str,  # noqa: A002
        *,
        policy: bool = False,
        secret: bool = False,
        together: bool = False,
    ) -> None:
        self.name = name
        self.parse = parse
        self.default = default
        self.help = help
        self.policy = policy
        self.secret = secret
        self.together = together

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "SMARTCOMMIT_" + self.name.replace("-", "_").upper()

    @property
    def git_name(self) -> str:
        """The key in git's configuration and in `.smartcommit`."""
        first, *rest = self.name.split("-")
        return "smartcommit." + first + "".join(word.capitalize() for word in rest)


def boolean(texts: Sequence[str]) -> bool:
    """git's booleans. Source: git-config(1), "Values"."""
    text = texts[-1].lower()
    if text in ("true", "yes", "on", "1"):
        return True
    if text in ("false", "no", "off", "0", ""):
        return False
    raise ValueError("true or false")


def count(texts: Sequence[str]) -> int:
    """A whole number of at least 1, below a thousand million."""
    if not texts[-1].isascii() or not texts[-1].isdigit() or len(texts[-1]) > 9 or int(texts[-1]) < 1:
        raise ValueError("a whole number of at least 1, of nine digits at most")
    return int(texts[-1])


def words(texts: Sequence[str]) -> tuple[str, ...]:
    """Words separated by blanks or commas, over any number of entries, without repetitions."""
    return tuple(dict.fromkeys(" ".join(texts).replace(",", " ").split()))


def text(texts: Sequence[str]) -> str:
    """The last text given."""
    return texts[-1]


def lines(texts: Sequence[str]) -> tuple[str, ...]:
    """Lines of text, each once; they become part of a prompt, so they are few and short."""
    found = tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(found) > 20 or any(len(line) > 200 or not line.isprintable() for line in found):
        raise ValueError("at most 20 lines of at most 200 characters")
    return found


def level_codes(texts: Sequence[str]) -> tuple[str, ...]:
    """Codes of the rules in `smartcommit.message.rules`."""
    codes = words(texts)
    for code in codes:
        if code not in CODES:
            raise ValueError(f"codes among {', '.join(CODES)}")
    return codes


def names(texts: Sequence[str]) -> tuple[str, ...]:
    """Types or scopes: lower-case letters, digits and dashes."""
    found = words(texts)
    if not found or not all(is_name(name) for name in found):
        raise ValueError("names of lower-case letters, digits and dashes")
    return found


def parts(texts: Sequence[str]) -> tuple[str, ...]:
    """Parts of a message that can be required."""
    found = words(texts)
    if not all(part in REQUIRABLE for part in found):
        raise ValueError(f"parts among {', '.join(REQUIRABLE)}")
    return found


def provider(texts: Sequence[str]) -> str:
    """What drafts: a model behind one of two APIs, or the embedded drafter."""
    if texts[-1] not in PROVIDERS:
        raise ValueError(f"one of {', '.join(PROVIDERS)}")
    return texts[-1]


def review_form(texts: Sequence[str]) -> str:
    """How a split is reviewed: in windows where that is possible, or as text."""
    if texts[-1] not in REVIEWS:
        raise ValueError(f"one of {', '.join(REVIEWS)}")
    return texts[-1]


def language(texts: Sequence[str]) -> str:
    """The name or tag of a language; it becomes part of a prompt, so it is short and plain."""
    if not (1 <= len(texts[-1]) <= 40) or not texts[-1].replace("-", "").replace(" ", "").isalpha():
        raise ValueError("a language such as German or pt-BR")
    return texts[-1]


def prefix(texts: Sequence[str]) -> str:
    """What default messages of the executor begin with: a few characters that can be seen."""
    if not (1 <= len(texts[-1]) <= 40) or not texts[-1].isprintable() or texts[-1] != texts[-1].strip():
        raise ValueError("a word such as [rafa]")
    return texts[-1]


PROVIDERS = ("auto", "ollama", "openai", "embedded")
REVIEWS = ("auto", "text")

KEYS = (
    Key("draft", boolean, True, "whether prepare-commit-msg drafts a message"),
    Key(
        "provider",
        provider,
        "auto",
        "what drafts: auto, ollama, openai or embedded; auto asks a model where one is set",
    ),
    Key("model", text, None, "the model's name on its server"),
    Key("api-base", text, None, "the model server's address; one that ends in /v1 has the OpenAI API"),
    Key("api-key", text, None, "the key for the model server", secret=True),
    Key("allow-remote", boolean, False, "whether a change may be sent to another machine"),
    Key("deadline", count, None, "seconds a draft may take; 20, and 10 while pre-commit holds unstaged work"),
    Key(
        "split-deadline",
        count,
        None,
        "seconds a model may take to split; 300, and 60 while pre-commit holds unstaged work",
    ),
    Key("language", language, None, "the language of the prose; type, scope and trailers stay"),
    Key("context", count, 16384, "the most tokens that Ollama is asked to hold"),
    Key("refine-message", boolean, False, "whether a model refines what 'git commit -e -m' was given"),
    Key("transcript", boolean, False, "whether the last conversation is kept in the git directory"),
    Key("review", review_form, "auto", "how a split is reviewed: auto, in windows where that is installed, or text"),
    Key("agent", text, "claude", "the agent that works on a plan's tasks: claude, or any command"),
    Key("attempts", count, 5, "how often a task is tried in one run of a plan"),
    Key("agent-timeout", count, 3600, "seconds that an attempt may take"),
    Key("agent-stall", count, 900, "seconds that an agent may say nothing"),
    Key("execute-prefix", prefix, "[rafa]", "what the executor's own messages begin with", policy=True),
    Key("types", names, None, "the commit types, the strongest first", policy=True),
    Key("scopes", names, None, "the scopes a header may have; any where none are listed", policy=True),
    Key("summary-limit", count, None, "the longest summary, in code points", policy=True),
    Key("line-limit", count, None, "the longest line of a description, in code points", policy=True),
    Key("required", parts, (), "parts a message must have: description, constraints, tasks, plan", policy=True),
    Key("imperative", boolean, False, "whether a summary must begin with an imperative verb", policy=True),
    Key("ticket", text, None, "a POSIX extended pattern that some line must match", policy=True),
    Key(
        "issue-pattern",
        lines,
        (),
        "what a model that splits is to look out for, a line each",
        policy=True,
        together=True,
    ),
    Key("errors", level_codes, (), "rules that refuse a message", policy=True),
    Key("warnings", level_codes, (), "rules that only warn", policy=True),
    Key("off", level_codes, (), "rules that are not applied", policy=True),
)


class Settings:
    """The sources of one run, read once; `value` and `source` answer for a key's name.

    `git` and `policy` are entries as `smartcommit.git.query.parse_config` gives them; git's are kept for its own keys.
    `arguments` holds what was given on the command line, None meaning not given.
    """

    __slots__ = ("_found", "git")

    def __init__(
        self,
        *,
        git: Listing = (),
        policy: Listing = (),
        arguments: Mapping[str, object] | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.git = list(git)
        self._found: dict[str, tuple[object, str]] = {}
        in_git, in_policy = _group(git), _group(policy)
        for key in KEYS:
            argument = (arguments or {}).get(key.name)
            git_name = key.git_name.lower()
            if argument is not None:
                self._found[key.name] = (argument, f"--{key.name}")
            elif key.variable in environment:
                self._found[key.name] = (_parse(key, [environment[key.variable]], key.variable), key.variable)
            elif key.together and git_name in in_git and git_name in in_policy:
                texts = [*in_git[git_name], *in_policy[git_name]]
                self._found[key.name] = (_parse(key, texts, key.git_name), "git config and .smartcommit")
            elif git_name in in_git:
                self._found[key.name] = (_parse(key, in_git[git_name], key.git_name), "git config")
            elif key.policy and git_name in in_policy:
                self._found[key.name] = (
                    _parse(key, in_policy[git_name], f"{key.git_name} in .smartcommit"),
                    ".smartcommit",
                )
            else:
                self._found[key.name] = (key.default, "default")

    def value(self, name: str) -> object:
        """The value of the key `name`.

        Raises: KeyError for a name that is not in KEYS.
        """
        return self._found[name][0]

    def flag(self, name: str) -> bool:
        """The value of a key that is true or false."""
        return bool(self.value(name))

    def number(self, name: str) -> int | None:
        """The value of a key that is a number, None where none is set."""
        value = self.value(name)
        return value if isinstance(value, int) else None

    def text(self, name: str) -> str | None:
        """The value of a key that is a text, None where none is set."""
        value = self.value(name)
        return value if isinstance(value, str) else None

    def words(self, name: str) -> tuple[str, ...]:
        """The value of a key that is a list of words, empty where none is set."""
        value = self.value(name)
        return value if isinstance(value, tuple) else ()

    def source(self, name: str) -> str:
        """Where the value came from: an option, a variable, `git config`, `.smartcommit` or `default`."""
        return self._found[name][1]


def _group(entries: Listing) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for key, value in entries:
        # A key without a value is git's way of saying true.
        grouped.setdefault(key, []).append("true" if value is None else value)
    return grouped


def _parse(key: Key, texts: Sequence[str], place: str) -> object:
    try:
        return key.parse(texts)
    except ValueError as error:
        raise ConfigError(f"{place} is '{texts[-1]}'", hint=f"set it to {error}") from error


def load(
    directory: str, *, arguments: Mapping[str, object] | None = None, environment: Mapping[str, str] = os.environ
) -> Settings:
    """The settings that hold in the working tree whose top level is `directory`; two short git processes.

    Raises: ConfigError when git's configuration or `.smartcommit` cannot be read or holds a value of the wrong kind.
    """
    status, listing = ask(("config", "-z", "--list"), directory=directory)
    if status not in (0, 1):
        raise ConfigError("git's configuration cannot be read", hint="run 'git config --list' to see why")
    entries = [entry for entry in parse_config(listing) if entry[0] != "core.commentstring" or _knows_comment_strings()]
    return Settings(git=entries, policy=tracked(directory), arguments=arguments, environment=environment)


def tracked(directory: str) -> list[tuple[str, str | None]]:
    """The entries of the project's policy file, empty where there is none.

    Raises: ConfigError when there is one and git cannot read it.
    """
    for name in NAMES:
        if os.path.isfile(os.path.join(directory, name)):
            status, listing = ask(("config", "-f", name, "-z", "--list"), directory=directory)
            if status != 0:
                raise ConfigError(
                    f"'{name}' is not in git's configuration syntax",
                    hint=f"run 'git config -f {name} --list' to see why",
                )
            return parse_config(listing)
    status, listing = ask(("config", "--blob", "HEAD:.smartcommit", "-z", "--list"), directory=directory)
    return parse_config(listing) if status == 0 else []


def _knows_comment_strings() -> bool:
    """Whether this git heeds core.commentString, which came with 2.45."""
    _, version = ask(("version",))
    numbers = version.decode("ascii", "replace").removeprefix("git version ").split(".")
    return len(numbers) > 1 and all(n.isdigit() for n in numbers[:2]) and (int(numbers[0]), int(numbers[1])) >= (2, 45)


def rules_of(settings: Settings) -> Rules:
    """The rules that `settings` ask for."""
    levels = {}
    for name, level in (("errors", ERROR), ("warnings", WARNING), ("off", OFF)):
        levels.update(dict.fromkeys(settings.words(name), level))
    return Rules(
        types=settings.words("types") or DEFAULT_TYPES,
        scopes=settings.words("scopes"),
        summary_limit=settings.number("summary-limit") or SUMMARY_LIMIT,
        line_limit=settings.number("line-limit"),
        required=settings.words("required"),
        imperative=settings.flag("imperative"),
        ticket=settings.text("ticket"),
        levels=levels,
    )
