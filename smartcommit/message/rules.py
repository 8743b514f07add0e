"""What a project can ask of a message: codes with their levels and reasons, the types, and `Rules`.

The order of the types is the commit planner's decision matrix, with those of Conventional Commits that it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from smartcommit.message.header import Header, is_name, is_word, parse_header, split_mark, split_scopes
from smartcommit.record import Record

ERROR = "error"
WARNING = "warning"
OFF = "off"
# What a project does with credits to tools.
ALLOW = "allow"
FORBID = "forbid"
# Further values, beside ALLOW and FORBID, for a scope and for the full stop after a summary.
REQUIRE = "require"
# What `scope_form` can allow beside a lower-case noun: several scopes with these delimiters between them, and any
# word of letters, digits, dashes and any of `_.@`.
DELIMITERS = {"comma": ",", "slash": "/\\"}
WORD = "word"
SCOPE_FORMS = (*DELIMITERS, WORD)
# How a summary can be capitalized: its first letter, or all of them.
ANY_CASE = "any"
LOWER_FIRST = "lower-first"
UPPER_FIRST = "upper-first"
LOWER_CASE = "lower-case"
SUMMARY_LIMIT = 120
# What each template of a header has, and the one without anything else but an emoji before it.
BEGINNING = "{type}({scope}): "
DEFAULT_FORM = BEGINNING + "{summary}"
# The parts that `required` can name; `plan` means both sections.
REQUIRABLE = ("description", "constraints", "tasks", "plan")

# The reason of each code. A code never changes its meaning.
CODES: Mapping[str, str] = {
    "empty": "a commit without a message explains nothing",
    "encoding": "text in an unknown or wrong encoding is unreadable",
    "character": "invisible characters can mislead readers of the history",
    "header-form": "people and tools find type, scope and summary by the format of the first line",
    "header-space": "the colon is followed by exactly one space",
    "header-length": "logs truncate long headers",
    "type-unknown": "a type outside the project's list has no agreed meaning",
    "type-case": "types are case-sensitive",
    "scope-form": "a scope is one lower-case noun unless a project allows more; most changes that need two are two",
    "scope-case": "scopes are case-sensitive",
    "scope-unknown": "the project has a fixed list of scopes",
    "scope-missing": "the project requires a scope",
    "scope-forbidden": "the project has no scopes",
    "summary-empty": "the summary is the only line most logs show",
    "summary-length": "logs truncate long summaries",
    "summary-case": "summaries that begin alike are easier to read in a list",
    "summary-stop": "summaries that end alike are easier to read in a list",
    "summary-imperative": "a summary says what the commit does, as an instruction",
    "line-break": "a shell passes '\\n' on as two characters, and git keeps them",
    "body-blank": "git treats everything up to the first blank line as the subject",
    "line-length": "long lines are hard to read where git indents them",
    "section-blank": "a blank line separates a section from prose and trailers",
    "section-duplicate": "duplicate sections have no defined order",
    "section-order": "the order is constraints, tasks, trailers",
    "section-text": "prose below a section would be read as part of it",
    "section-missing": "the project requires this part",
    "constraints-heading": "the heading must match exactly",
    "constraints-item": "git parses indented items as trailers and rewrites them",
    "constraints-prefix": "a constraint states what is ruled out",
    "constraints-case": "the prefixes must match exactly",
    "constraints-none": "a section has either items or 'none'",
    "constraints-empty": "an empty section does not say whether something is missing",
    "tasks-heading": "the heading must match exactly",
    "tasks-case": "the heading has a capital X, a task a lower-case x",
    "tasks-item": "a task is '- [ ] summary: details'",
    "tasks-indent": "each level is indented by two more spaces",
    "tasks-depth": "a deeper tree should be several plans",
    "tasks-id": "tasks are identified by their summaries",
    "tasks-parent": "only leaf tasks contain work, so a parent is done when its children are",
    "tasks-state": "a finished heading means that every task is done",
    "tasks-empty": "a task section without tasks is ambiguous",
    "ticket": "the project requires a ticket in every commit",
    "attribution": "tools are no authors",
    "sign-off": "the project asks who submits a change to certify its origin",
    "claims": "readers believe what a message says of its change",
    "autosquash": "fixup commits must be squashed into the commits they fix",
}
# All others are errors, unless a project changes that.
_WARNED = ("line-break", "line-length", "tasks-case", "claims")
# In the order of the decision matrix: the first type that any part of a change has is the type of the whole. Those of
# plans are the planner's specification. `revert` and `perf` are seen by users, unlike `refactor`; `test` comes after
# `ci`, whose workflow runs new tests, and before `build`, because tests often bring a dependency with them.
PLAN_TYPES = ("feat", "fix", "refactor", "ci", "build", "docs", "chore", "lint")
DEFAULT_TYPES = (
    "feat", "fix", "revert", "perf", "refactor", "ci", "test", "build", "docs", "chore", "style", "lint",
)  # fmt: skip

MEANINGS = {
    "feat": "adds or modifies functionality visible to the user",
    "fix": "aligns behaviour with what was promised",
    "revert": "takes back an earlier commit",
    "perf": "makes the same behaviour faster or smaller",
    "refactor": "restructures code without altering behaviour",
    "ci": "changes files of continuous integration",
    "test": "adds or changes tests alone",
    "build": "changes the build process",
    "docs": "updates documentation",
    "chore": "modifies configuration files",
    "style": "formats files",
    "lint": "formats files",
}

# The types for each kind of change, best first; a project's own list decides which of them exist.
TYPES_OF_KIND = {
    "feature": ("feat",),
    "fix": ("fix",),
    "performance": ("perf", "refactor"),
    "refactoring": ("refactor",),
    "ci": ("ci", "build", "chore"),
    "build": ("build", "chore"),
    "dependencies": ("deps", "build", "chore"),
    "documentation": ("docs",),
    "tests": ("test", "tests", "chore"),
    "formatting": ("style", "lint", "chore"),
    "configuration": ("chore", "build"),
    "revert": ("revert", "fix"),
}
# The emoji of gitmoji for each type, as characters and as codes; the first is the one that drafts have.
EMOJI = {
    "feat": "✨ :sparkles:",
    "fix": "🐛 :bug: 🚑 :ambulance: 🩹 :adhesive_bandage:",
    "revert": "⏪ :rewind:",
    "perf": "⚡ :zap:",
    "refactor": "♻️ :recycle:",
    "ci": "👷 :construction_worker: 💚 :green_heart:",
    "test": "✅ :white_check_mark: 🧪 :test_tube:",
    "build": "📦 :package: ⬆ :arrow_up: ⬇ :arrow_down: ➕ :heavy_plus_sign: ➖ :heavy_minus_sign:",
    "docs": "📝 :memo:",
    "chore": "🔧 :wrench: 🔨 :hammer: 🔖 :bookmark: 🙈 :see_no_evil:",
    "style": "🎨 :art:",
    "lint": "🚨 :rotating_light:",
}

# How many past scopes establish a spelling.
_SCOPES_ALIKE = 2
_NO_LEVELS: Mapping[str, str] = {}


def fill_header(header: Header, form: str, ticket: str = "") -> str:
    """Return the line that `form` makes of `header`; a word with a placeholder for what there is not is left out.

    Without a summary, it ends with the colon.
    """
    before, _, after = (form or DEFAULT_FORM).partition(BEGINNING)
    emoji = EMOJI.get(header.type, "").partition(" ")[0]
    if split_mark(header.summary)[0]:
        emoji = ""
    values = {"{ticket}": ticket, "{emoji}": emoji, "{summary}": header.summary}
    words = []
    for word in after.split():
        name = next((value for value in values if value in word), None)
        if name is None:
            words.append(word)
        elif values[name] and (name == "{summary}" or values[name] not in header.summary):
            words.append(word.replace(name, values[name]))
    filled = Header(header.type, header.summary and " ".join(words), scope=header.scope, breaking=header.breaking)
    if before and emoji:
        return f"{emoji} {filled}"
    return str(filled)


def fill_message(text: str, form: str, ticket: str = "") -> str:
    """Return the message `text` with its header as `form` has it, if it has one; an emoji before it stays."""
    line, line_break, rest = text.partition("\n")
    header = parse_header(line)
    if not form or header is None:
        return text
    filled = fill_header(header, form, ticket)
    mark = split_mark(line)[0]
    if mark:
        filled = mark + split_mark(filled)[1]
    return filled + line_break + rest


class Rules(Record):
    """What one project asks of a message. Lengths are in code points; a limit that is None is none."""

    # In the order of the decision matrix.
    types: Sequence[str] = DEFAULT_TYPES
    # Any scope is allowed if there are none. `scope_form` has those of SCOPE_FORMS that are.
    scopes: Sequence[str] = ()
    scope_form: Sequence[str] = ()
    # ALLOW, REQUIRE or FORBID.
    scope: str = ALLOW
    # A template for `fill_header`, or empty.
    header_form: str = ""
    # ANY_CASE, LOWER_FIRST, UPPER_FIRST or LOWER_CASE.
    summary_case: str = ANY_CASE
    # ALLOW, REQUIRE or FORBID.
    full_stop: str = ALLOW
    imperative: bool = False
    summary_limit: int = SUMMARY_LIMIT
    header_limit: int | None = None
    line_limit: int | None = None
    trailer_limit: int | None = None
    # Parts of REQUIRABLE.
    required: Sequence[str] = ()
    # A POSIX extended regular expression that some line must match.
    ticket: str | None = None
    # ALLOW or FORBID.
    attribution: str = ALLOW
    sign_off: bool = False
    # Patterns for the names of those whose commits are not checked in a range.
    exempt_authors: Sequence[str] = ()
    # Levels of codes that differ from the usual ones.
    levels: Mapping[str, str] = _NO_LEVELS
    # Reads what the project's history uses. It is called once, and only for a message that breaks the rules without it.
    # None if a policy or a setting decides alone; `habits_off` names that if it says nothing of types.
    find_habits: Callable[[], Habits] | None = None
    habits_off: str | None = None
    # Those of `types` that only the history has, and scopes of the history that our grammar does not have.
    learned: Sequence[str] = ()
    spellings: Set[str] = frozenset()
    # Whether types are set anywhere, and what `git config` needs to change them where they are, such as
    # `-f .smartcommit`; None if that is no configuration file. The same for the settings of scopes.
    types_set: bool = False
    types_place: str | None = None
    scopes_place: str | None = None
    scope_form_place: str | None = None

    def level(self, code: str) -> str:
        return self.levels.get(code, WARNING if code in _WARNED else ERROR)

    def is_off(self, code: str) -> bool:
        return self.level(code) == OFF

    def has_style(self) -> bool:
        """Whether headers have more to keep to than form, type, scope and the length of the summary."""
        return (
            self.imperative
            or self.header_limit is not None
            or self.scope != ALLOW
            or self.full_stop != ALLOW
            or self.summary_case != ANY_CASE
        )

    def adopt(self, habits: Habits) -> None:
        """Accept what the history uses; if it is incomplete, another type is only a warning."""
        self.find_habits = None
        self.learned = tuple(name for name in habits.types if name not in self.types)
        self.types = (*self.types, *self.learned)
        self.spellings = habits.spellings
        if not habits.complete:
            self.levels = {"type-unknown": WARNING, **self.levels}

    def find_words(self, summary: str) -> int:
        """Return where the words of `summary` begin: after what the form has before them."""
        before = self.header_form.partition(BEGINNING)[2].partition("{summary}")[0]
        start = 0
        for form_word in before.split():
            word, space, _ = summary[start:].partition(" ")
            if space and (word == form_word or not word[:1].isalpha() or word[-1:].isdecimal()):
                start += len(word) + 1
        return start

    def list_types(self) -> str:
        """Return the accepted types in words, and which of them only the history has."""
        usual = ", ".join(self.types[: len(self.types) - len(self.learned)])
        if not self.learned:
            return usual
        return f"{usual}, and from the history: {', '.join(self.learned)}"

    def list_scopes(self, scope: str) -> list[str]:
        """Return the scopes that `scope` names: itself, or several where the project has several."""
        if scope in self.scopes or self.knows_spelling(scope):
            return [scope]
        marks = "".join(mark for name, mark in DELIMITERS.items() if name in self.scope_form)
        if not marks and self.is_off("scope-form"):
            return split_scopes(scope)
        if len([other for other in self.spellings if "," in other]) >= _SCOPES_ALIKE:
            marks += ","
        return split_scopes(scope, marks)

    def allows_scope(self, scope: str) -> bool:
        """Whether each scope that `scope` names is one that the project lists, or is spelled as its scopes are."""
        for each in self.list_scopes(scope):
            is_formed = not self.scopes and (is_name(each) or self.allows_word(each))
            if each not in self.scopes and not is_formed and not self.knows_spelling(each):
                return False
        return True

    def allows_word(self, scope: str) -> bool:
        return WORD in self.scope_form and is_word(scope) and "/" not in scope

    def knows_spelling(self, scope: str) -> bool:
        """Whether the history has `scope`, or two others in the same folder or joined by underscores as it is."""
        if scope in self.spellings:
            return True
        folder, _, noun = scope.rpartition("/")
        if is_name(scope) or not is_name(noun.replace("_", "-")):
            return False
        alike = 0
        for other in self.spellings:
            above, _, last = other.rpartition("/")
            if above == folder and ("_" in last or "_" not in noun):
                alike += 1
        return alike >= _SCOPES_ALIKE


class Habits(Record):
    """What the last commits use: types that are a habit, and scopes that our grammar spells differently.

    `complete` is False in a shallow clone, which lacks most of the history.
    """

    types: Sequence[str]
    spellings: Set[str]
    complete: bool = True


class Violation(Record):
    """A broken rule at one position of a message."""

    code: str
    # The index of the recorded line, and that of the code point in it, both from 0.
    line: int
    column: int
    # What is wrong, and what should be there.
    text: str
    expected: str = ""
    # The lines that would fix the line; unless they are `sure` (say for a misspelled type), they are only shown.
    replacement: Sequence[str] | None = None
    sure: bool = True
    # A command that changes the rule instead of the message, or empty.
    advice: str = ""
    # What a verdict adds: the level of the rule, and the number of the line in the edited file, from 1.
    level: str = ""
    number: int = 0

    def position(self) -> tuple[int, int]:
        return self.line, self.column


def select_type(types: Iterable[str], order: Sequence[str]) -> str:
    """Return the type of a change whose parts have `types`: the first in `order`; ValueError if there is none."""
    present = set(types)
    for name in order:
        if name in present:
            return name
    raise ValueError(f"none of {sorted(present)} is among the types {', '.join(order)}")


def find_type_of_kind(kind: str, types: Sequence[str]) -> str:
    """Return the type among `types` for a change of `kind`, a key of TYPES_OF_KIND; else `chore` or the last."""
    for name in (*TYPES_OF_KIND[kind], "chore"):
        if name in types:
            return name
    return types[-1]
