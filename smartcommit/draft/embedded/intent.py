"""What the author said before the commit, as statements: in the name of the branch, a plan, an agent's prompt.

The lines of a change show what was done, and seldom why. What they cannot show has often been typed already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from smartcommit.change import filetypes
from smartcommit.change.facts import ChangeFacts, find_kinds
from smartcommit.change.history import History
from smartcommit.change.text import find_names, split_identifier
from smartcommit.change.wording import has_secret, imperative, make_printable
from smartcommit.draft.embedded.classify import find_class
from smartcommit.draft.embedded.view import FILES_EXAMINED, ORIGINS, ChangeView, Kind, Purpose, Statement
from smartcommit.message.header_proposals import is_one_edit_away
from smartcommit.message.verbs import VERBS, find_base
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.record import Record

# Words of a branch that name a type, and the class of that type.
_TYPES = {
    "fix": "fix", "fixes": "fix", "bugfix": "fix", "hotfix": "fix", "bug": "fix", "feat": "feat", "feature": "feat",
    "features": "feat", "enh": "feat", "enhancement": "feat", "chore": "chore", "doc": "docs", "docs": "docs",
    "documentation": "docs", "refactor": "refactor", "refactoring": "refactor", "perf": "perf", "test": "test",
    "tests": "test", "ci": "ci", "build": "build", "style": "style",
}  # fmt: skip
# Types that stand behind what they are about, as in `error-messages-fix`; some of them only behind nouns.
_TYPES_AT_END = list_words("bugfix fix fixes")
_TYPES_AFTER_NOUNS = list_words("chore feat feature refactor refactoring")
# What names without a verb end with that tell the type as well: `more-hosts-tests`.
_TYPES_OF_LAST = {"docs": "docs", "tests": "test"}
# Verbs of headers that have a type of this class about twice as often as others, or more often, in 44 projects.
_VERBS_OF_TYPES = {
    "feat": list_words("accept add allow create enable expose implement introduce provide support"),
    "fix": list_words("avoid correct ensure handle keep prevent preserve resolve respect restore return validate"),
    "refactor": list_words("apply clean extract move refactor remove rename replace rewrite simplify split switch"),
    "chore": list_words("bump configure update upgrade"),
}
_ODDS_OF_VERB = 3.0
# What an entry of a changelog tells that raises the last part of a version, and the odds of a feature then.
PATCH = "patch"
_ODDS_IN_PATCH = 0.1
# Branches that say nothing: those that everybody has, those named after a person, and those that programs make.
_SILENT = compile_on_use(
    r"(?i)(?:[\w.]+[-/])?(?:patch|pr|branch)[-_]?\d*\Z|.*\breview[-_](?:comments?|changes|fixes)\Z|.*\bfeedback\Z"
    r"|(?:main|master|trunk|dev|devel|develop|development|next|stable|staging|production|release|wip|tmp|temp|test"
    r"|tests|updates?|changes?|fix|fixes|cleanup|v?\d[a-z\d.]*)(?:[-_.]?\d[a-z\d.]*)?\Z"
    r"|(?:prepare|next|cut|new)[-_]releases?\b.*|releases?[\d.].*|rc[-_]?\d.*"
    r"|(?:dependabot|renovate|snyk|backport-|auto|automated|automation|revert|releases?|changeset-release"
    r"|release-please|pre-commit-ci|imgbot|greenkeeper|l10n|weblate|translations?)(?:[-_/]|(?<=-))"
)
# Parts of a name that are tickets or mean that there is none, and such a prefix of the last part.
_TICKET = (
    r"(?:issues?[-_]?|bug[-_]?|ticket[-_]?|gh[-_]?|pr[-_]?)?#?\d{2,}|(?-i:[A-Z]{1,10}-\d{2,}|[A-Z]{2,10}-\d)"
    # What is no short name of a team: types, verbs, and what has versions.
    r"|(?!(?:add|allow|build|bump|chore|ci|docs?|drop|feat|fix|http|java|keep|make|max|min|node|only|perf|php|rust|set"
    r"|show|skip|style|tests?|top|use|vue)-)[a-z]{2,5}-\d{2,}|noid|nojira|no-ticket"
)
_IS_TICKET = compile_on_use(rf"(?:{_TICKET})\Z|(?:issues?|tasks?|tickets?|qa)\Z", 2)
_STARTS_WITH_TICKET = compile_on_use(rf"(?:{_TICKET})[-_]+(?=\D)", 2)
# A long ticket of a team, behind the name of a person: `anna-log-12345-`.
_PERSON_AND_TICKET = compile_on_use(r"([A-Za-z]{2,15})[-_](?:[A-Za-z]{2,6}-\d{4,}[-_]+)+(?=\D)")
# At the end, capitals may be a standard's, as in `use-sha-256`.
_ENDS_WITH_TICKET = compile_on_use(
    r"[-_](?:(?:issue|bug|ticket|gh|pr)[-_]?#?\d+|#\d+|(?!(?:AES|HTTP|ISO|PEP|RFC|RSA|SHA|UTF)-)[A-Z]{2,10}-\d{2,})\Z"
)
# GitHub's name for a branch that reverts a pull request, before the name of what is reverted.
_REVERT = compile_on_use(r"revert-\d+-(?=.)")
# What a run of an agent is called, and a secret behind the word that tells of it.
_UUID = compile_on_use(r"(?i)[-_]?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SECRET = compile_on_use(
    r"(?i)\b((?:api)?keys?|pass(?:word|wd|phrase)s?|pwd|secrets?|tokens?|credentials?)(?: is)? (?=\S*\d)\S{5,}"
)
# What counts attempts and tells runs of programs apart, at the end of a name.
_COUNTER = compile_on_use(
    r"(?i)(?:v?\d{1,2}|wip|tmp|draft|attempt\d*|again|take|noid|\d{4,}|[0-9a-f]{7,}|(?=[a-z]*\d)(?=\d*[a-z])\w{8,})\Z"
)
# What looks random, unlike `sha256` and `i18n`, and what agents put behind a name.
_RANDOM = compile_on_use(r"(?i)(?![a-z]\d+[a-z]\Z)(?=\w{4})(?:\w*\d[a-z]+\d|\w*[a-z]\d+[a-z]|\d+[a-f]+\Z)\w*\Z")
_MARK_OF_AGENT = compile_on_use(r"(?=.*(?:\d|.[A-Z]))\w{4,}\Z")
_AGENTS = {"agent", "ai", "claude", "codex", "copilot", "cursor", "devin", "gemini", "jules", "openhands"}
# A dot in a version separates nothing.
_SEPARATORS = compile_on_use(r"(?:[^\w.']|_|(?<!\d)\.|\.(?!\d))+")
_NUMBER = compile_on_use(r"[\d.]+\Z")
_VERSION = compile_on_use(r"(?<![\w.])\d+(?:\.\d+)*(?![\w.])")
_NAME = compile_on_use(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
# Words that tell changes apart no better than any others.
_COMMON = list_words(
    "a add all an and are as at be by for from if in into is it make more new no not of on only or remove support "
    "that the to update use via when with"
)
# Words of which agents and people make names for any work.
_VAGUE = list_words(
    "address analyze any bug bugs changes check code codebase errors find fix fixes identify implement improve "
    "improvements investigate issue issues locate minor misc one potential problem problems project propose repo "
    "repository request requested resolve review small solve some suggestions task this tweaks up various work"
)
# Words that tell of a defect, and verbs after which they tell of what does.
_DEFECTS = list_words(
    "breaks broken bug crash crashes crashing deadlock fails failing failure freezes hangs incorrect leak leaks "
    "panic panics regression wrong"
)
_ADDING_VERBS = list_words("add create implement improve introduce report show support test track")
# Nouns that are verbs as well.
_NOUNS = list_words("cache filter format index input limit lock log report request retry search sort test")
# Verbs after which a number at the end of a name is a version, and no counter.
_OF_VERSIONS = list_words("bump drop migrate require support update upgrade use")
# Words with which a name begins that asks.
_QUESTIONS = list_words("can could does how should what whats why")
# What people type without its apostrophe.
_CONTRACTIONS = {"cant": "cannot", "doesnt": "does not", "dont": "do not", "isnt": "is not", "wont": "will not"}
# Words with which no summary begins or ends.
_INSIDE = list_words(
    "a an and are as at but by for from has have if into is of or than that the to via was when where which with"
)
# Letters that are no words.
_LETTERS = set("bcdefghjklmnopqrstuvwxyz")
# Words and numbers of lines; below, verbs that tell which of them come and go, and values that switch.
_TOKEN = compile_on_use(r"[^\W\d_]+|[0-9]+(?:\.[0-9]+)?")
_REMOVING = {"delete", "drop", "remove"}
_ADDING = {"add", "introduce"}
_RAISING = {"extend", "increase", "raise"}
_LOWERING = {"decrease", "lower", "reduce", "shorten", "shrink"}
_ON = {"enabled", "on", "true", "yes"}
_OFF = {"disabled", "false", "no", "off"}
_SWITCHES = {"allow": (_OFF, _ON), "enable": (_OFF, _ON), "disable": (_ON, _OFF), "disallow": (_ON, _OFF)}
_SHORTEST_CORRECTED = 5
# Characters of a word by which it is known in its other forms: `column` and `columns`, `validate` and `validation`.
_STEM = 5
_NAME_LENGTH = 120  # characters of a name that is read
_SUBJECT_LENGTH = 200  # characters of a subject that are read
_MOST_WORDS = 12  # of a summary that a name becomes
# Priors of names of two and three words: of those of which the change shows few words, some, and most.
_PRIORS = {2: (0.26, 0.3, 0.42), 3: (0.3, 0.42, 0.55)}
_WORDS_OF_SENTENCE = 5  # from which on a name is one
_LEAST_SHOWN = 0.33
_MOST_SHOWN = 0.67
# The prior of what is not shown at all: enough for it to be offered, and not to be the summary.
LEAST_OFFERED = 0.3
# Kinds of files that make a type sure.
_KINDS = {"ci": filetypes.CI, "docs": filetypes.DOCUMENTATION, "test": filetypes.TESTS}
_COMMITS_COMPARED = 20  # that may have said a name
_LEAST_REPEATED = 0.5  # the share of their words that the name then has
# A phrase without a verb is a summary if a word tells of a defect, as in `tooltip positioning issue`, or if there are
# so many words, one of which joins the others.
_TROUBLES = _DEFECTS | {"error", "errors", "issue", "issues"}
_WORDS_OF_PHRASE = 4
_JOINING = (_INSIDE - {"and", "or"}) | {"after", "before", "in", "not", "on", "without"}
# How many times as many lines come as go where something is added.
_MUCH = 3
# How much nearer to what people write a name is that begins with a verb.
_GAIN_OF_VERB = 0.2
# The prior of what the author said in sentences, and that where the change shows little of it. A plan has other tasks,
# and what an agent was asked for may have become several commits.
_SAID = 0.5
_DISTANT = {"wip-commits": 0.5, "agent-prompts": 0.3}
# How a commit is marked that is not finished: before its words, with a type or without, or after them.
_WIP = compile_on_use(
    r"(?i)(?:[a-z]+(?:\([^()]*\))?!?: )?"
    r"(?:\W*(?:wip|work in progress)\b(?:\([^()]*\))?\W*(.*)|(.*?)\W*\bwip\W*)\Z"
)
_LEAST_MEANT = 0.4  # the share of the words that a part of a change shows which the author means
_CLEARLY_MEANT = 2.0  # how often it is that of any other part
# How likely the type that a branch names is that of its first commit, and of a later one.
_TYPE_OF_FIRST = 0.7
_TYPE_OF_NEXT = 0.5


class BranchName(Record):
    """What the name of a branch says: the class of a type, or None, and its words as they are spelled."""

    type: str | None
    words: tuple[str, ...]


def is_silent(name: str) -> bool:
    """Whether a branch has no name, or one that says nothing, as `main`, or too long a one for a person to type."""
    # Most names are one of two, for which no pattern is compiled.
    return name in ("main", "master") or not 0 < len(name) <= _NAME_LENGTH or _SILENT.match(name) is not None


def read_branch_name(name: str) -> BranchName:
    """Return what the branch `name` says without names of people, tickets and counters."""
    match = _REVERT.match(name) if name.startswith("revert-") else None
    if match:
        reverted = read_branch_name(name[match.end() :]).words
        if reverted:
            return BranchName("revert", ("revert", *reverted))
    if is_silent(name):
        return BranchName(None, ())
    kind = None
    *folders, last = _UUID.sub("", name).split("/")
    for folder in folders:
        kind = kind or _TYPES.get(folder.lower())
    if _SILENT.match(last) or _IS_TICKET.match(last):
        return BranchName(kind, ())
    match = _PERSON_AND_TICKET.match(last)
    if match is None or match[1].lower() in VERBS | _COMMON or match[1].lower() in _TYPES:
        match = _STARTS_WITH_TICKET.match(last)
    if match:
        last = last[match.end() :]
    words = _SECRET.sub(r"\1", " ".join(_SEPARATORS.split(_ENDS_WITH_TICKET.sub("", last)))).split()
    if len(words) == 1 and words[0] != words[0].lower():
        # A name such as `fixOutputDir`; one of a single word is not split.
        words = list(split_identifier(words[0]))
    kind, words = _cut_type(kind, _drop_numbers(words))
    words = _drop_numbers(words)
    # After some verbs a number is a version.
    is_versioned = len(words) > 2 and words[0].lower() in _OF_VERSIONS and words[-1].isdigit()
    while words and _COUNTER.match(words[-1]) and not is_versioned:
        words.pop()
    lowered = {word.lower() for word in words}
    if kind is None and not _DEFECTS.isdisjoint(lowered) and words[0].lower() not in _ADDING_VERBS:
        kind = "fix"
    if len(words) > 1 and words[0].lower() not in VERBS:
        kind = kind or _TYPES_OF_LAST.get(words[-1].lower())
    return BranchName(kind, tuple(words) if len(words) <= _MOST_WORDS else ())


def _drop_numbers(words: Sequence[str]) -> list[str]:
    """Return `words` without numbers in front."""
    while words and _NUMBER.match(words[0]):
        words = words[1:]
    return list(words)


def _cut_type(kind: str | None, words: list[str]) -> tuple[str | None, list[str]]:
    """Return the type that the first, the second or the last of `words` names, unless it is `kind`, and the others."""
    lowered = [word.lower() for word in words]
    if len(words) > 1 and lowered[0] in _TYPES:
        named = _TYPES[lowered[0]]
        if kind in (None, named) or (kind in ("feat", "fix", "chore") and named in ("fix", "refactor")):
            # In `feature/refactor-hosts`, the folder says less; in `fix/build-options`, it says more.
            return named, words[1:]
    # The name or the initials of a person come first.
    if len(words) > 3 and lowered[1] in ("fix", "feat", "chore") and lowered[0] not in _COMMON:
        return kind or _TYPES[lowered[1]], words[2:]
    is_behind_noun = lowered[-1:] and lowered[-1] in _TYPES_AFTER_NOUNS and lowered[0] not in VERBS
    if len(words) > 1 and (lowered[-1] in _TYPES_AT_END or is_behind_noun):
        return kind or _TYPES[lowered[-1]], words[:-1]
    return kind, words


def read_unfinished(subject: str) -> str:
    """Return what the subject of a commit says that is marked as unfinished, as in `wip: reorder columns`."""
    match = _WIP.match(subject[:_SUBJECT_LENGTH])
    return (match and (match[1] or match[2])) or ""


def say_words(view: ChangeView) -> Iterator[Statement]:
    """Yield what the author said of the change in sentences, as instructions where they are."""
    for origin, said in view.purpose.said.items():
        words = (imperative(said) or said).split()
        words[0] = _lower(words[0])
        prior = _SAID
        if _count_shown(words, _list_stems(_count_spellings(view))) < _LEAST_SHOWN:
            prior = _DISTANT.get(origin, 0.0)
        if len(words) > 1 and prior and not _contradicts(view, words[0]):
            kind = Kind(prior, source=ORIGINS[origin], is_sentence=True, is_whole=True)
            yield Statement([" ".join(words)], kind, 1.0)


def say_branch(view: ChangeView) -> Iterator[Statement]:
    """Yield what the name of the branch says, if the change shows enough of its words."""
    name = read_branch_name(view.purpose.branch)
    if len(name.words) < 2 or name.words[0].lower() in _QUESTIONS or has_secret(view.purpose.branch):
        return
    spellings = _count_spellings(view)
    stems = _list_stems(spellings)
    words = list(name.words)
    if len(words) > 2 and words[0].lower() in view.purpose.author:
        # The name or the initials of who made the branch.
        words.pop(0)
    if words[-1].isdigit():
        # Whether it is a version, as the `42` of `support-django-42`, the lines show.
        digits = words.pop()
        versions = _VERSION.findall("\n".join(view.added))
        words += [version for version in versions if version.replace(".", "") == digits][:1]
    mark = _MARK_OF_AGENT if view.purpose.branch.partition("/")[0].lower() in _AGENTS else _RANDOM
    while words and mark.match(words[-1]) and _stem(words[-1]) not in stems:
        words.pop()
    lowered = {word.lower() for word in words}
    if len(words) < 2 or has_secret(" ".join(words)) or lowered <= _COMMON | _VAGUE:
        return
    if {words[0].lower(), words[-1].lower()} & _INSIDE or lowered & _LETTERS:
        # Words are missing, as before `has locks` and in `chr r`.
        return
    parts: dict[str, None] = {}
    for spelling in spellings:
        parts.update(dict.fromkeys(split_identifier(spelling)))
    words = [_correct(word, parts, spellings) for word in words]
    words[:1] = ["clean", "up"] if words[0].lower() == "cleanup" else words[:1]
    is_instruction = words[0].lower() in VERBS
    shown = _count_shown(words[is_instruction:], stems)
    if is_instruction and find_kinds(view.about) == {_KINDS.get(name.type or "")}:
        # All files are of the type that the name tells, as in `docs-clarify-first-steps`.
        shown = max(shown, _MOST_SHOWN)
    words = _find_verb(view, words, name.type) + words
    text = _write_summary(words, spellings)
    if (shown > 0 or len(words) > 3) and not _contradicts(view, text.partition(" ")[0]):
        yield Statement([text], _rate(view, text, len(words), shown), 1.0)


def _find_verb(view: ChangeView, words: Sequence[str], kind: str | None) -> list[str]:
    """Return the verb of a name that has none, if the change shows it, as the only item."""
    is_noun = words[0].lower() in _NOUNS
    if words[1].lower() in ("a", "an", "the"):
        return []  # as in `clonecopy a card`, the first word is one
    if kind not in (None, "feat") or words[0].lower() == "no" or (words[0].lower() in VERBS and not is_noun):
        return []
    if _NUMBER.match(words[-1]) and not any(words[-1] in line for line in view.removed):
        return ["support"]
    if _is_new_name(words, view.removed, view.added):
        return ["remove"]
    if (kind == "feat" and not is_noun) or _is_new_name(words, view.added, view.removed):
        return ["add"]
    grows = sum(file.lines_added for file in view.core) > _MUCH * sum(file.lines_removed for file in view.core)
    return ["add"] if grows and _count_shown(words, _list_stems(view.new_names["added"])) == 1 else []


def _is_new_name(words: Sequence[str], lines: Sequence[str], others: Sequence[str]) -> bool:
    """Whether the words together are a name in `lines` and not in the `others`, as in `retry_delay`."""
    return "".join(words).lower() in _squeeze_names(lines) - _squeeze_names(others)


def _squeeze_names(lines: Sequence[str]) -> set[str]:
    return {name.replace("_", "").lower() for name in _NAME.findall("\n".join(lines))}


def is_repeated(statement: Statement, history: History) -> bool:
    """Whether a recent commit has said what the name of the branch says, and not much else."""
    if statement.kind.source != ORIGINS["branch-names"]:
        return False
    words = statement.text.split()
    for commit in history.commits[:_COMMITS_COMPARED]:
        said = _NAME.findall(commit.summary)
        is_said = _count_shown(words, _list_stems(said)) > _MOST_SHOWN
        if is_said and _count_shown(said, _list_stems(words)) > _LEAST_REPEATED:
            return True
    return False


def find_shown(text: str, change: ChangeFacts) -> float:
    """Return the share of the telling words of `text` that `change` shows."""
    return _count_shown(_NAME.findall(text), _list_stems(_count_spellings(ChangeView(change))))


def choose_part(purpose: Purpose, parts: Sequence[ChangeFacts]) -> int | None:
    """Return the position of the part of a change that the author spoke of, or None if no part is clearly meant.

    A word counts as much less as more parts show it.
    """
    sentence = next((text for text in purpose.said.values() if text), "")
    words = {_stem(word) for word in sentence.split() or read_branch_name(purpose.branch).words} - _COMMON
    if not words:
        return None
    shown = []
    showing: Counter[str] = Counter()
    for part in parts:
        shown.append(words & _list_stems(_count_spellings(ChangeView(part))))
        showing.update(shown[-1])
    ratings = [0.0] * len(parts)
    for place, own in enumerate(shown):
        for word in own:
            ratings[place] += 1 / showing[word] / max(1, len(words))
    best = max(ratings)
    others = sorted(ratings)[:-1]
    if best < _LEAST_MEANT or (others and best < _CLEARLY_MEANT * others[-1]):
        return None
    return ratings.index(best)


def is_shown(view: ChangeView, text: str) -> bool:
    """Whether a telling word of `text` is in what the change is about."""
    return _count_shown(find_names(text), _list_stems(_count_spellings(view))) > 0


def _count_shown(words: Iterable[str], stems: Collection[str]) -> float:
    """Return the share of the telling `words` that the change shows; 0 if none tells anything."""
    telling = shown = 0
    for word in words:
        if word.lower() not in _COMMON:
            telling += 1
            shown += _stem(word) in stems
    return shown / max(1, telling)


def _rate(view: ChangeView, text: str, words: int, shown: float) -> Kind:
    """Return the kind of a statement of so many words by the share that is shown, and the place on the branch."""
    prior, is_sentence = 0.5, len(text.split()) >= _WORDS_OF_SENTENCE
    if not shown:
        # Offered, and no more.
        return Kind(LEAST_OFFERED, source=ORIGINS["branch-names"], is_sentence=is_sentence, is_whole=True)
    if words < 4:
        prior = _PRIORS[words][(shown > _LEAST_SHOWN) + (shown > _MOST_SHOWN)]
    lowered = text.lower().split()
    if lowered[0] in VERBS or lowered[0] == "do":
        prior += _GAIN_OF_VERB
    elif find_base(lowered[0]) or not _is_phrase(lowered):
        # A few nouns in a row are no sentence: offered, and no more.
        prior = min(prior, LEAST_OFFERED)
    if view.purpose.is_continued:
        prior *= 0.4
    return Kind(prior, source=ORIGINS["branch-names"], is_sentence=is_sentence, is_whole=True)


def _is_phrase(words: Sequence[str]) -> bool:
    """Whether `words` in lower case, none of them a verb, say what is wrong or how they belong together."""
    joins = len(words) >= _WORDS_OF_PHRASE and not _JOINING.isdisjoint(words)
    return joins or not _TROUBLES.isdisjoint(words)


def _contradicts(view: ChangeView, verb: str) -> bool:
    """Whether a change does the opposite of what a name says that begins with `verb`."""
    verb = find_base(verb.lower()) or verb.lower()
    added = Counter(_TOKEN.findall("\n".join(view.added).lower()))
    removed = Counter(_TOKEN.findall("\n".join(view.removed).lower()))
    new, old = added - removed, removed - added
    if verb in _REMOVING:
        # What removes rows of a table is a new line.
        return bool(new) and not old and not any(word in " ".join(new) for word in _REMOVING)
    if verb in _ADDING:
        return bool(old) and not new
    if verb in _SWITCHES and not any("disab" in word for word in added & removed):
        taken, given = _SWITCHES[verb]
        return not taken.isdisjoint(new) and not given.isdisjoint(old) and given.isdisjoint(new)
    came = sorted([float(token) for token in new if _NUMBER.match(token)])
    went = sorted([float(token) for token in old if _NUMBER.match(token)])
    if not came or len(came) != len(went):
        return False
    pairs = list(zip(came, went, strict=True))
    are_lower, are_higher = all(one < other for one, other in pairs), all(one > other for one, other in pairs)
    return (verb in _RAISING and are_lower) or (verb in _LOWERING and are_higher)


def _write_summary(words: Sequence[str], spellings: Counter[str]) -> str:
    """Return the words as a summary, with names as the change spells them."""
    known: dict[str, str] = {}
    for name, _ in spellings.most_common():
        # The most usual spelling of a compound name or an abbreviation, by its letters in lower case.
        if name[1:] != name[1:].lower() and not ("_" in name and name == name.upper()):
            known.setdefault(name.replace("_", "").replace(".", "").lower(), name)
    written: list[str] = []
    place = 0
    while place < len(words):
        for end in range(min(len(words), place + 5), place, -1):
            spelling = known.get("".join(words[place:end]).lower())
            # `get or throw` may be a name; two words, such as `rate limiter`, are seldom written as one.
            if spelling is not None and end != place + 2 and words[place].lower() not in _COMMON:
                break
        else:
            end, spelling = place + 1, _lower(words[place])
        written.append(spelling or "")
        place = end
    return make_printable(" ".join(written), 110)


def _lower(word: str) -> str:
    """Return `word` in lower case, unless it has capitals as a name has."""
    if word[1:] == word[1:].lower():
        return word.lower()
    return word


def _correct(word: str, parts: Collection[str], spellings: Iterable[str]) -> str:
    """Return the word or the name of the change that `word` stands for, or is a misspelling of, or itself."""
    small = word.lower()
    if small in _CONTRACTIONS:
        return _CONTRACTIONS[small]
    is_known = small in parts or small.rstrip("s") in parts or f"{small}s" in parts
    if is_known or small in VERBS or len(word) < _SHORTEST_CORRECTED:
        return word
    for name in spellings:
        if name.replace("_", "").lower() == small and name != name.upper():
            return name
    for part in parts:
        has_same_ends = (small[0], small[-1]) == (part[:1], part[-1:])
        if has_same_ends and is_one_edit_away(small, part):
            return part
    return word


def _count_spellings(view: ChangeView) -> Counter[str]:
    """Return how often each name stands in the changed lines, in the paths, and around what changed."""
    texts = [*view.added, *view.removed]
    for file in view.change.files[:FILES_EXAMINED]:
        texts.append(file.path.decode("utf-8", "replace"))
        texts += [symbol.name for symbol in file.symbols.touched]
    return Counter(_NAME.findall("\n".join(texts)))


def _list_stems(names: Iterable[str]) -> set[str]:
    stems: set[str] = set()
    for name in names:
        stems.add(_stem(name))
        stems.update([_stem(part) for part in split_identifier(name)])
    return stems


def _stem(word: str) -> str:
    return word.lower().rstrip("s")[:_STEM]


def weigh_type(
    chances: Mapping[str, float], purpose: Purpose, types: Iterable[str], told: str | None = None
) -> dict[str, float]:
    """Return the `chances` of some of the project's `types`, the likeliest first, with what the author said.

    That is the class of a type in a changelog (`told`, or PATCH) or in the name of the branch, or the words that a
    sentence on this very change, or the name of a new branch, begins with. What files alone make sure stays, as `docs`.
    """
    name = read_branch_name(purpose.branch)
    kind = name.type if told in (None, PATCH) else told
    named = [other for other in (*chances, *types) if find_class(other) == kind][:1]
    said = next((text for text in purpose.said.values() if text), "").split()
    implied, odds = _find_implied(said or (() if purpose.is_continued else name.words)), _ODDS_OF_VERB
    if told == PATCH:
        implied, odds = "feat", _ODDS_IN_PATCH
    is_sure = len(chances) == 1 and find_class(next(iter(chances))) not in ("feat", "fix")
    if is_sure or not (named or implied):
        return dict(chances)
    weight = _TYPE_OF_NEXT if purpose.is_continued and not told else _TYPE_OF_FIRST
    weighed = {}
    for other in dict.fromkeys((*named, *chances)):
        chance = chances.get(other, 0.0)
        if named:
            chance = chance * (1 - weight) + (weight if other in named else 0.0)
        elif find_class(other) == implied:
            chance *= odds
        weighed[other] = chance
    return {other: weighed[other] for other in sorted(weighed, key=weighed.__getitem__, reverse=True)}


def _find_implied(words: Sequence[str]) -> str | None:
    """Return the class of types that the verb of a sentence or a name implies, or None."""
    verb = find_base(words[0].lower()) if words else None
    return next((kind for kind, verbs in _VERBS_OF_TYPES.items() if verb in verbs), None)
