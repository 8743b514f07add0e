"""The table of the settings: the name, the meaning, the default and the form of each.

To add a setting, add a `Key` to KEYS, read it with `Settings.value`, and run `make docs`. The tracked file
`.smartcommit` may set only policy keys: what arrives with a clone must never name an endpoint, a key or a command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from smartcommit.coding_agent import AUTO, NO, YES
from smartcommit.git.query import parse_boolean as parse_git_boolean
from smartcommit.message import rules
from smartcommit.message.header import is_name, is_word
from smartcommit.record import Record

# Characters of a form of headers: it may come with a clone, and becomes part of messages.
_FORM_LENGTH = 100
# Characters of a person, for the same reason.
_PERSON_LENGTH = 200
# The kinds of settings.
PERSONAL = "personal"
SECRET = "secret"
PROJECT = "project"
JOINT = "joint"


class Key(Record):
    """A setting."""

    # In kebab case: `allow-remote` is `--allow-remote`, `SMARTCOMMIT_ALLOW_REMOTE` and `smartcommit.allowRemote`.
    name: str
    # Turns the given texts into a value, or raises ValueError with what it expected.
    parse: Callable[[Sequence[str]], object]
    default: object
    help: str
    # If there are any, each word of the value is one of them.
    choices: Sequence[str] = ()
    # What holds if the default is None or empty.
    unset: str = ""
    # A project may set PROJECT and JOINT ones in `.smartcommit`; the user's values of a JOINT one are added
    # to the project's instead of replacing them. The value of a SECRET is never shown.
    kind: str = PERSONAL

    @property
    def variable(self) -> str:
        return "SMARTCOMMIT_" + self.name.replace("-", "_").upper()

    @property
    def policy(self) -> bool:
        return self.kind in (PROJECT, JOINT)

    @property
    def git_name(self) -> str:
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
    value = parse_git_boolean(texts[-1])
    if value is None:
        raise ValueError("true or false")
    return value


def parse_count(texts: Sequence[str]) -> int:
    if not texts[-1].isascii() or not texts[-1].isdigit() or len(texts[-1]) > 9 or int(texts[-1]) < 1:
        raise ValueError("an integer from 1 to 999999999")
    return int(texts[-1])


def parse_words(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(texts).replace(",", " ").split()))


def parse_text(texts: Sequence[str]) -> str:
    return texts[-1]


def parse_lines(texts: Sequence[str]) -> tuple[str, ...]:
    """Return lines without duplicates; they become part of a prompt, so they must be few and short."""
    lines = _split_lines(texts)
    if len(lines) > 20 or any(len(line) > 200 or not line.isprintable() for line in lines):
        raise ValueError("at most 20 lines of up to 200 characters each")
    return lines


def _split_lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for line in "\n".join(texts).split("\n") if line.strip()))


def parse_people(texts: Sequence[str]) -> tuple[str, ...]:
    people = _split_lines(texts)
    for line in people:
        name, _, address = line.partition(" <")
        is_plain = line.isprintable() and len(line) <= _PERSON_LENGTH
        if not is_plain or not name or "<" in address or "@" not in address or not address.endswith(">"):
            raise ValueError("people such as 'Ada Lovelace <ada@example.com>'")
    return people


def parse_form(texts: Sequence[str]) -> str:
    before, beginning, after = texts[-1].partition(rules.BEGINNING)
    words = after.split(" ")
    # A word has one placeholder, so `{ticket}{emoji}` is none that is known.
    names = [word[word.find("{") : word.rfind("}") + 1] for word in words if "{" in word]
    are_known = sorted(set(names) & {"{emoji}", "{ticket}", "{summary}"}) == sorted(names)
    is_plain = len(after) <= _FORM_LENGTH and after.isprintable() and "" not in words
    if before not in ("", "{emoji} ") or not beginning or "{summary}" not in words or not are_known or not is_plain:
        raise ValueError("'{type}({scope}): {ticket} {summary}' or the like; '{emoji} ' may come first")
    return texts[-1]


def parse_names(texts: Sequence[str]) -> tuple[str, ...]:
    names = parse_words(texts)
    if not names or not all(is_name(item) for item in names):
        raise ValueError("names made of lower-case letters, digits and dashes")
    return names


def parse_scopes(texts: Sequence[str]) -> tuple[str, ...]:
    scopes = parse_words(texts)
    if not scopes or not all(is_word(item) for item in scopes):
        raise ValueError("names made of letters, digits, dashes and any of '_./@'")
    return scopes


def parse_headers(texts: Sequence[str]) -> tuple[str, ...]:
    headers = _split_lines(texts)
    for line in headers:
        name, colon, value = line.partition(":")
        if not colon or not value.strip() or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ValueError("headers such as 'X-Team: web'")
        if not value.isascii() or not value.isprintable():
            raise ValueError("headers with values in printable ASCII")
    return headers


def parse_language(texts: Sequence[str]) -> str:
    """Return the name or tag of a language; it becomes part of a prompt, so it must be short and plain."""
    if not (1 <= len(texts[-1]) <= 40) or not texts[-1].replace("-", "").replace(" ", "").isalpha():
        raise ValueError("a language such as German or pt-BR")
    return texts[-1]


def parse_instructions(texts: Sequence[str]) -> str:
    if len(texts[-1]) > 2000 or not texts[-1].replace("\n", "").replace("\t", "").isprintable():
        raise ValueError("a printable text of at most 2000 characters, or '@' and the path of a tracked file")
    return texts[-1].strip()


# All but the first three are rows of `smartcommit.llm.provider.PRESETS`.
PROVIDERS = (
    "auto", "embedded", "command", "ollama", "openai", "anthropic", "gemini", "azure", "openrouter", "groq", "deepseek",
    "mistral", "lmstudio", "llamacpp", "vllm",
)  # fmt: skip
REVIEWS = ("auto", "text")
# The hooks that may change the message of a commit, in git's order.
MESSAGE_HOOKS = ("prepare-commit-msg", "commit-msg")
SIGN_OFFS = ("off", "require")
DEMANDS = (rules.ALLOW, rules.REQUIRE, rules.FORBID)
CASES = (rules.ANY_CASE, rules.LOWER_FIRST, rules.UPPER_FIRST, rules.LOWER_CASE)
ATTRIBUTIONS = (rules.ALLOW, rules.FORBID)
# `smartcommit.draft.request` says what each means.
STYLES = ("no-body", "short-body", "long-body", "bullets", "past-tense")

KEYS = (
    Key("draft", parse_boolean, True, "whether `prepare-commit-msg` drafts a message"),
    Key("whole-drafts", parse_boolean, False,
        "whether drafts have a summary even if you would probably write another one"),
    Key("branch-names", parse_boolean, True,
        "whether drafts take a summary and a type from the name of the branch"),
    Key("agent-prompts", parse_boolean, True,
        "whether the instruction that begins a prompt to a coding agent is kept for drafts while its session lasts"),
    Key("plan-tasks", parse_boolean, True,
        "whether drafts take a summary from the task at work of a plan"),
    Key("wip-commits", parse_boolean, True,
        "whether `smartcommit draft --amend` takes a summary from a subject that is marked as `wip`"),
    Key("provider", parse_text, "auto",
        "what drafts: `embedded` is the built-in drafter, `command` a program, any other name a server; `auto` asks a "
        "model if one is set", choices=PROVIDERS),
    Key("model", parse_text, None, "name of the model on the server"),
    Key("command", parse_text, None,
        "for the provider `command`: a command line that reads a prompt and prints an answer"),
    Key("api-base", parse_text, None,
        "address of the model server; one that ends in `/v1` has the OpenAI API",
        unset="the provider's own, or that of Ollama on this machine"),
    Key("api-key", parse_text, None,
        "API key for the model server", unset="the provider's own variable", kind=SECRET),
    Key("header", parse_headers, (),
        "HTTP header sent to the model server, as in `X-Team: web`; in the variable, one on each line", kind=SECRET),
    Key("allow-remote", parse_boolean, False,
        "whether a change may be sent to another machine, or given to a program that may send it there"),
    Key("deadline", parse_count, None,
        "time limit for a draft, in seconds", unset="20, or 10 while pre-commit has unstaged changes stashed"),
    Key("split-deadline", parse_count, None,
        "time limit for a model's split, in seconds", unset="300, or 60 while pre-commit has unstaged changes stashed"),
    Key("coauthors", parse_people, (),
        "people you often write changes with, one `NAME <ADDRESS>` per line; a draft lists them as comments",
        kind=JOINT),
    Key("instructions", parse_instructions, None,
        "instructions for a model about drafts and splits: a text, or `@` and the path of a tracked file",
        kind=PROJECT),
    Key("style", parse_words, (), "how drafts are written", choices=STYLES, kind=PROJECT),
    Key("language", parse_language, None,
        "language of the prose; type, scope and trailers are not translated", unset="English"),
    Key("context", parse_count, 16384, "context size requested from Ollama, in tokens; the prompt is made to fit"),
    Key("review", parse_text, "auto",
        "how a split is reviewed: `auto` is in panes, if the extra `tui` is installed", choices=REVIEWS),
    Key("split-hooks", parse_words, (),
        "the repository's own hooks that are run on each message of a split", choices=MESSAGE_HOOKS,
        unset="none but Gerrit's"),
    Key("coding-agent", parse_text, AUTO,
        "whether a coding agent is at work, for which the hooks print less and ask nothing; `auto` looks at the "
        "environment", choices=(AUTO, YES, NO)),
    Key("agent", parse_text, "claude",
        "agent that works on a plan's tasks: `claude`, with options of its own, or any command"),
    Key("attempts", parse_count, 5, "maximum number of attempts per task in one run"),
    Key("agent-timeout", parse_count, 3600, "time limit per attempt, in seconds"),
    Key("agent-stall", parse_count, 900, "seconds without output before an agent is stopped"),
    Key("types", parse_names, None,
        "allowed commit types, highest priority first",
        unset=f"{' '.join(rules.DEFAULT_TYPES)}, and those from the history", kind=PROJECT),
    Key("scopes", parse_scopes, None, "the scopes a header may have", unset="any", kind=PROJECT),
    Key("scope-form", parse_words, (),
        "what a scope may be: several with commas or slashes between them (`comma`, `slash`), and any word of letters, "
        "digits and `-_.@` (`word`)", choices=rules.SCOPE_FORMS, unset="one lower-case noun", kind=PROJECT),
    Key("scope", parse_text, rules.ALLOW, "whether a header has a scope", choices=DEMANDS, kind=PROJECT),
    Key("header-form", parse_form, "",
        "form of the header that drafts and splits write, such as `{emoji} {type}({scope}): {ticket} {summary}`; what "
        "has no value is left out",
        unset=rules.DEFAULT_FORM, kind=PROJECT),
    Key("header-limit", parse_count, None,
        "maximum length of the whole header, in code points", unset="no limit", kind=PROJECT),
    Key("summary-limit", parse_count, None,
        "maximum length of the summary, in code points; where only `headerLimit` is set, that limit",
        unset=str(rules.SUMMARY_LIMIT), kind=PROJECT),
    Key("line-limit", parse_count, None,
        "maximum length of a description line, in code points", unset="no limit", kind=PROJECT),
    Key("trailer-limit", parse_count, None,
        "maximum length of a trailer's line, in code points", unset="no limit", kind=PROJECT),
    Key("summary-case", parse_text, rules.ANY_CASE,
        "case of a summary: of its first letter, or of all of it; what is in quotes keeps its own",
        choices=CASES, kind=PROJECT),
    Key("full-stop", parse_text, rules.ALLOW, "whether a summary ends with a full stop", choices=DEMANDS, kind=PROJECT),
    Key("required", parse_words, (), "parts that a message must have", choices=rules.REQUIRABLE, kind=PROJECT),
    Key("imperative", parse_boolean, False, "whether a summary must begin with an imperative verb", kind=PROJECT),
    Key("ticket", parse_text, None,
        "POSIX extended regular expression that some line must match, whose bounded repetitions may not expand to more "
        "than 1,000 copies; a draft takes the ticket from the branch's name, or leaves it empty", kind=PROJECT),
    Key("add-ticket", parse_boolean, False,
        "whether `commit-msg` adds the ticket of the branch to a message without one, such as one given with `-m`",
        kind=PROJECT),
    Key("issue-pattern", parse_lines, (),
        "issues that a model should look for while splitting, one per line, such as `a TODO without a ticket`",
        kind=JOINT),
    Key("attribution", parse_text, rules.ALLOW,
        "credits to coding agents in messages",
        choices=ATTRIBUTIONS, kind=PROJECT),
    Key("sign-off", parse_text, "off",
        "whether a commit needs a `Signed-off-by` trailer", choices=SIGN_OFFS, kind=PROJECT),
    Key("exempt-authors", parse_lines, ("*[bot]",),
        "names of authors whose commits `check --range` exempts, one per line, in which `*` stands for anything",
        kind=PROJECT),
    Key("agent-claims", parse_text, rules.WARNING,
        "how it is reported that a coding agent's message says what its change does not show",
        choices=(rules.WARNING, rules.ERROR), kind=PROJECT),
    Key("errors", parse_words, (), "rules reported as errors", choices=tuple(rules.CODES), kind=PROJECT),
    Key("warnings", parse_words, (), "rules reported as warnings", choices=tuple(rules.CODES), kind=PROJECT),
    Key("off", parse_words, (), "rules that are disabled", choices=tuple(rules.CODES), kind=PROJECT),
)  # fmt: skip
