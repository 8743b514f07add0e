"""Makes messages of real commits false, in ways that a reader of the change can be sure of.

A function for each kind of falsehood yields what a message can be replaced by. What is said instead is looked for in
the whole patch, without regard to case and punctuation, and must not be there.
"""

from __future__ import annotations

import posixpath
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from real_commits import HEADER, TRAILER, RealCommit, open_repository

SAMPLE = 12  # files of a tree to take other names from
LARGEST_FILE = 200_000

NAME = re.compile(r"[A-Za-z_$][\w$]*")
MENTIONS = re.compile(
    r"`(?P<quoted>[^`\n]{3,60})`"
    r"|(?<![\w./@#-])(?P<bare>[A-Za-z]\w*_\w+|_+[a-z]\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Za-z]\w+(?=\(\)))"
    r"(?![\w/@-])"
)
# Proper names of products and languages are not those of a project's code.
PROPER = {
    "GitHub", "GitLab", "JavaScript", "TypeScript", "macOS", "iOS", "OpenSSL", "NodeJS", "OpenAPI", "GraphQL",
    "PostgreSQL", "MySQL", "SQLite", "YouTube", "LaTeX", "OpenBSD", "FreeBSD", "NetBSD", "PyPI", "IntelliJ",
    "PowerShell", "WebAssembly", "WebSocket", "DevTools", "JetBrains", "ChatGPT", "OpenAI", "CodeQL", "HashiCorp",
    "CoPilot", "PyPy", "CPython", "JSDoc",
}  # fmt: skip
DEFINITION = re.compile(
    r"\b(?:def|class|function|func|fn|struct|enum|trait|interface|type|const|let|var|val|fun|module|protocol|record)"
    r"\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]{3,40})"
)
URL = re.compile(r"\w+://\S+")
PATH = re.compile(
    r"(?<![\w/@.:#-])(?:[\w.@-]+/)*[\w.@-]*\w\.[a-z]\w{0,9}(?![\w/(-])"
    r"|(?<![\w/@.:#-])(?:[\w.@-]+/)+[\w.@-]*\w(?![\w/-])"
)
CODE_ENDINGS = {
    ".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".go", ".rs", ".java", ".kt", ".cs", ".rb", ".php", ".c", ".h", ".lua",
    ".swift", ".vue", ".svelte", ".tf", ".dart", ".scala", ".sh", ".hpp", ".cpp",
}  # fmt: skip


@dataclass(frozen=True)
class Mutation:
    """A false message: the kind of falsehood, and the words that make it false (empty for a whole message)."""

    kind: str
    message: str
    words: str


@dataclass
class Surroundings:
    """The tree that a commit makes, and the words of its change."""

    commit: RealCommit
    chance: random.Random
    others: Sequence[RealCommit] = field(default_factory=list)

    @cached_property
    def tree(self) -> list[str]:
        """All paths after the commit."""
        output = open_repository(self.commit.directory).run("ls-tree", "-r", "-z", "--name-only", self.commit.oid)
        return [path for path in output.decode("utf-8", "replace").split("\0") if path]

    @cached_property
    def squeezed(self) -> str:
        """The whole patch in lower case, letters and digits only."""
        return squeeze(self.commit.patch + "\n" + " ".join(self.commit.paths))

    @cached_property
    def names(self) -> list[str]:
        """Names that files of the same kinds define and the patch does not contain, in a random order."""
        found: dict[str, None] = {}
        for text in self._read_other_files():
            for name in DEFINITION.findall(text):
                if squeeze(name) not in self.squeezed and not name.endswith("_t"):
                    found[name] = None
        names = list(found)
        self.chance.shuffle(names)
        return names

    @cached_property
    def options(self) -> list[str]:
        """Long options in files of the same kinds that the patch does not contain, in a random order."""
        found: set[str] = set()
        for text in self._read_other_files():
            found.update(re.findall(r"(?<![\w-])--[a-z][a-z-]{3,30}\b", text))
        options = sorted(option for option in found if squeeze(option) not in self.squeezed)
        self.chance.shuffle(options)
        return options

    def _read_other_files(self) -> list[str]:
        endings = {posixpath.splitext(path)[1] for path in self.commit.paths} & CODE_ENDINGS
        paths = [path for path in self.tree if path not in self.commit.paths]
        like = [path for path in paths if posixpath.splitext(path)[1] in (endings or CODE_ENDINGS)]
        chosen = self.chance.sample(like, min(SAMPLE, len(like)))
        return read_files(self.commit, chosen)


def squeeze(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def read_files(commit: RealCommit, paths: Sequence[str]) -> list[str]:
    """Return the texts of files after `commit`, by one process."""
    names = "".join(f"{commit.oid}:{path}\n" for path in paths if "\n" not in path)
    output = open_repository(commit.directory).run(
        "cat-file", "--batch", stdin=names.encode("utf-8", "surrogateescape")
    )
    texts = []
    place = 0
    while place < len(output):
        end = output.index(b"\n", place)
        fields = output[place:end].split()
        place = end + 1
        if fields[-1].isdigit() and len(fields) == 3:
            size = int(fields[-1])
            if size <= LARGEST_FILE:
                texts.append(output[place : place + size].decode("utf-8", "replace"))
            place += size + 1
    return texts


def mutate(around: Surroundings) -> Iterator[Mutation]:
    """Yield at most one false message of each kind."""
    for kind, make in KINDS.items():
        for words, message in make(around):
            if message != around.commit.message:
                yield Mutation(kind, message, words)
                break


def find_spans(message: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the matches of `pattern` outside links and lines that name people or issues."""
    place = 0
    for line in message.split("\n"):
        if not TRAILER.fullmatch(line.strip()):
            links = [match.span() for match in URL.finditer(line)]
            for match in pattern.finditer(message, place, place + len(line)):
                start = match.start() - place
                if not any(first <= start < last for first, last in links):
                    yield match
        place += len(line) + 1


def replace_word(message: str, old: str, new: str) -> str:
    """Replace `old` wherever it is not part of a longer word."""
    return re.sub(rf"(?<![\w$]){re.escape(old)}(?![\w$])", lambda _: new, message)


def contains_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w$]){re.escape(word)}(?![\w$])", text) is not None


# Names


def change_name(around: Surroundings) -> Iterator[tuple[str, str]]:
    """A name that the change shows becomes another name of the project, of the same form."""
    commit = around.commit
    mentions: dict[str, None] = {}
    for match in find_spans(commit.message, MENTIONS):
        for name in find_names(match):
            if name not in PROPER and not name.endswith("_t") and contains_word(commit.patch, name):
                mentions[name] = None
    for name in mentions:
        other = find_like(name, around.options if name.startswith("--") else around.names)
        if other:
            yield other, replace_name(commit.message, name, other)


def replace_name(message: str, name: str, other: str) -> str:
    """Replace a name of code; where it is also a plain word, only where it is marked as code."""
    if find_form(name) not in ("lower", "UPPER", "Capitalized"):
        return replace_word(message, name, other)
    for match in reversed(list(find_spans(message, MENTIONS))):
        if name in find_names(match):
            message = message[: match.start()] + replace_word(match[0], name, other) + message[match.end() :]
    return message


def find_names(match: re.Match[str]) -> list[str]:
    """The names of code in a match of MENTIONS: one, or the parts of `a.b` of which the last is the most telling."""
    text = match["quoted"] or match["bare"]
    if text.startswith("--"):
        return [text] if re.fullmatch(r"--[a-z][a-z-]+", text) else []
    if not re.fullmatch(r"[@$]?[\w$]+(?:(?:\.|::|#|->)[\w$]+)*(?:\(\))?[!?]?", text):
        return []
    return [name for name in reversed(NAME.findall(text)) if len(name) >= 4][:1]


def find_like(name: str, others: Iterable[str]) -> str:
    """The first of `others` of the form of `name`, or nothing."""
    for other in others:
        if find_form(other) == find_form(name) and other.lower() != name.lower():
            return other
    return ""


def find_form(name: str) -> str:
    if name.startswith("--"):
        return "option"
    if name.startswith("_"):
        return "_private"
    if "_" in name.strip("_"):
        return "UPPER_CASE" if name.isupper() else "snake_case"
    if name.isupper():
        return "UPPER"
    if name[:1].isupper():
        return "Capitalized" if name[1:].islower() else "PascalCase"
    return "lower" if name.islower() else "camelCase"


# Paths


def change_path(around: Surroundings) -> Iterator[tuple[str, str]]:
    """A path of the change becomes another one of the tree, of the same ending and as long."""
    commit = around.commit
    changed = {part for path in commit.paths for part in find_tails(path)}
    folders = {part for path in commit.paths for part in find_folders(path)}
    for match in find_spans(commit.message, PATH):
        path = match[0]
        if "/" not in path and path.lower().startswith(("readme", "changelog", "license", "package.json")):
            continue
        if path in changed:
            other = find_other_path(path, around)
        elif "/" in path and path in folders:
            other = find_other_folder(path, around)
        else:
            continue
        if other:
            yield other, replace_word(commit.message, path, other)


def find_tails(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]


def find_folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def find_other_path(path: str, around: Surroundings) -> str:
    ending = posixpath.splitext(path)[1]
    depth = path.count("/") + 1
    others = {"/".join(other.split("/")[-depth:]) for other in around.tree if other.endswith(ending)}
    return choose_absent(others, around)


def find_other_folder(path: str, around: Surroundings) -> str:
    depth = path.count("/") + 1
    others = set()
    for other in around.tree:
        folders = find_folders(other)
        if len(folders) >= depth:
            others.add(folders[depth - 1])
    return choose_absent(others, around)


def choose_absent(others: set[str], around: Surroundings) -> str:
    """One of the paths whose last part is nowhere in the patch, or nothing."""
    listed = sorted(others)
    around.chance.shuffle(listed)
    for other in listed:
        last = squeeze(posixpath.splitext(other.split("/")[-1])[0])
        if len(last) > 3 and last not in around.squeezed:
            return other
    return ""


# Kinds

TEST_PATH = re.compile(r"test|spec|fixture|bench|e2e|mock|snap|golden|example|cypress|playwright", re.I)
TEST_LINE = re.compile(r"test|coverage|assert|\bexpect|\bshould|\bspec\b", re.I)
DOCS_PATH = re.compile(
    r"\.(?:md|mdx|rst|txt|adoc|markdown|1)$|docs?/|readme|changelog|changes|website|www/|\bman/|news", re.I
)
DOCS_LINE = re.compile(r"^\s*(?://|/\*|\*|#|--|<!--|;|\"\"\"|''')|//|#|\bdocs?\b|\w+ [a-z]+ [a-z]+ [a-z]+ [a-z]+", re.I)
CI_PATH = re.compile(
    r"\.github|\.gitlab|\bci\b|circleci|travis|jenkins|azure|appveyor|makefile|docker|renovate|\.ya?ml$", re.I
)
CI_LINE = re.compile(r"\bci\b|github.actions|workflow", re.I)
STYLE_PATH = re.compile(r"css|style|theme|lint|format|prettier|rubocop|\.vue$|\.svelte$", re.I)
STYLE_LINE = re.compile(r"style|theme|color|format|lint|prettier|css", re.I)
NEW_CODE = re.compile(
    r"^\s*(?:(?:pub(?:\([a-z]+\))?|export|public|private|static|async)\s+)*"
    r"(?:def|function|func|fn|class|struct|interface|enum) "
)

TYPES = {
    "feat", "feature", "fix", "refactor", "perf", "chore", "docs", "doc", "test", "tests", "style", "ci", "build",
    "types", "cleanup", "enhancement",
}  # fmt: skip
PHRASES = {
    "test": [
        (" and add tests", ""), (", with tests", ""), ("", "Add tests for it."), ("", "Also adds unit tests."),
        ("", "Tests have been added to cover this."), ("", "- add a regression test"),
    ],
    "docs": [
        (" and update docs", ""), ("", "Update the documentation accordingly."), (" and document it", ""),
        ("", "Also document this in the README."), ("", "The docs are updated as well."), ("", "- update docs"),
    ],
    "ci": [("", "Also update the CI workflow."), ("", "- run it in CI"), (" and update CI", "")],
}  # fmt: skip


def change_type(around: Surroundings) -> Iterator[tuple[str, str]]:
    """The type becomes that of a kind of change that the patch has nothing of."""
    commit = around.commit
    match = HEADER.match(commit.header)
    if not match or match["type"].lower() not in TYPES:
        return
    for type_ in find_absent_kinds(around):
        if type_ not in commit.header.lower():
            yield type_, type_ + commit.message[len(match["type"]) :]


def add_phrase(around: Surroundings) -> Iterator[tuple[str, str]]:
    """The message also promises tests, documentation or CI that the patch has nothing of."""
    commit = around.commit
    for kind in find_absent_kinds(around):
        if kind not in PHRASES:
            continue
        within, after = around.chance.choice(PHRASES[kind])
        header, _, rest = commit.message.partition("\n")
        match = re.fullmatch(r"(.*?[^\s.!?…])((?: \(?#\d+\)?)*)\.?", header)
        if kind in header.lower() or not match:
            continue
        if within and len(header) + len(within) <= 100:
            yield within, f"{match[1]}{within}{match[2]}" + (f"\n{rest}" if rest else "")
        elif after:
            lines = commit.message.split("\n")
            end = len(lines)
            while end > 1 and (not lines[end - 1].strip() or TRAILER.fullmatch(lines[end - 1].strip())):
                end -= 1
            gap = [] if after.startswith("-") and lines[end - 1].startswith("-") else [""]
            yield after, "\n".join([*lines[:end], *gap, after, *lines[end:]])


def find_absent_kinds(around: Surroundings) -> list[str]:
    """The kinds of change that no path and no changed line of a commit hints at, in a random order."""
    commit = around.commit
    lines = [*commit.added, *commit.removed]
    kinds = []
    for kind, path, line in (("test", TEST_PATH, TEST_LINE), ("docs", DOCS_PATH, DOCS_LINE), ("ci", CI_PATH, CI_LINE)):
        if not any(path.search(each) for each in commit.paths) and not any(line.search(each) for each in lines):
            kinds.append(kind)
    styled = any(STYLE_PATH.search(each) for each in commit.paths) or any(STYLE_LINE.search(each) for each in lines)
    written = len(commit.added) - len(commit.removed) >= 5 and any(NEW_CODE.match(each) for each in commit.added)
    if written and not styled:
        kinds.append("style")
    # Whether a change of tests is also one of CI, or the other way round, is a matter of opinion.
    if any(TEST_PATH.search(path) or CI_PATH.search(path) for path in commit.paths):
        kinds = [kind for kind in kinds if kind not in ("test", "ci")]
    around.chance.shuffle(kinds)
    # Nearly all patches have nothing of CI, which would leave few of the others.
    return sorted(kinds, key=lambda kind: kind == "ci")


# Operations

SWAPS = {
    "add": "remove", "adds": "removes", "added": "removed", "adding": "removing", "introduce": "remove",
    "introduces": "removes", "introduced": "removed", "implement": "remove", "implements": "removes",
    "implemented": "removed", "create": "delete", "creates": "deletes", "created": "deleted",
    "remove": "add", "removes": "adds", "removed": "added", "removing": "adding", "drop": "add", "drops": "adds",
    "dropped": "added", "delete": "add", "deletes": "adds", "deleted": "added",
}  # fmt: skip
VERB = re.compile(rf"({'|'.join(SWAPS)})\b", re.I)
ADDING = {verb for verb in SWAPS if verb.startswith(("add", "introduce", "implement", "create"))}
ANY_VERB = re.compile(
    r"\b(?:add(?:s|ed|ing)?|remov(?:e|es|ed|ing|al)|drop(?:s|ped)?|delet(?:e|es|ed|ing|ion)|introduc\w+|creat\w+"
    r"|implement\w*|renam\w+|replac\w+|instead|no longer|now)\b", re.I,
)  # fmt: skip
QUALIFIERS = re.compile(
    r"\b(?:missing|new|unused|unnecessary|unneeded|redundant|obsolete|deprecated|dead|old|legacy|useless|duplicated?) ",
    re.I,
)
# "to" before a place, not before a verb
TO_PLACE = re.compile(r" to (?=(?:the|an?|all|our|its) |[A-Z`'\"]|\w+[_.(/:-])")


def swap_verb(around: Surroundings) -> Iterator[tuple[str, str]]:
    """What was added is said to be removed, or the other way round, where nearly all lines are of one sign."""
    commit = around.commit
    match = HEADER.match(commit.header)
    start = match.start("rest") if match else 0
    verb = VERB.match(commit.header, start)
    if not verb or ANY_VERB.search(commit.message, verb.end()):
        return
    adding = verb[1].lower() in ADDING
    many, few = (commit.added, commit.removed) if adding else (commit.removed, commit.added)
    if len(many) < 3 or len(few) * 10 > len(many) or not shows_object(commit, verb.end(), adding=adding):
        return
    other = SWAPS[verb[1].lower()]
    if verb[1][0].isupper():
        other = other.capitalize()
    rest = QUALIFIERS.sub("", commit.header[verb.end() :])
    rest = TO_PLACE.sub(" from ", rest, count=1) if adding else rest.replace(" from ", " to ", 1)
    yield other, commit.header[:start] + other + rest + commit.message[len(commit.header) :]


def shows_object(commit: RealCommit, start: int, *, adding: bool) -> bool:
    """Whether a word after the verb is on the side that the verb is of, and not on the other."""
    here, there = (commit.added_text, commit.removed_text) if adding else (commit.removed_text, commit.added_text)
    words = [
        word
        for word in re.findall(r"[A-Za-z_]{4,}", commit.header[start:])
        if word.lower() not in ("support", "from", "with")
    ]
    return any(squeeze(word) in squeeze(here) and squeeze(word) not in squeeze(there) for word in words)


def claim_rename(around: Surroundings) -> Iterator[tuple[str, str]]:
    """What was added is said to be renamed, from a name that the patch still has or that it does not contain."""
    commit = around.commit
    match = HEADER.match(commit.header)
    start = match.start("rest") if match else 0
    verb = re.compile(r"(?:[Aa]dd|[Ii]ntroduce|[Ii]mplement)(?:s|ed)? (?:an? |the |new )*").match(commit.header, start)
    if not verb or commit.removed or ANY_VERB.search(commit.message, verb.end()):
        return
    name = MENTIONS.match(commit.header, verb.end())
    for found in find_names(name) if name else []:
        standing = [
            each for each in DEFINITION.findall("\n".join(commit.context)) if not contains_word(commit.added_text, each)
        ]
        other = find_like(found, standing) or find_like(found, around.names)
        if other and contains_word(commit.added_text, found):
            said = name[0].replace(found, other) if name else other
            word = "Rename " if verb[0][0].isupper() else "rename "
            rest = TO_PLACE.sub(" in ", commit.header[verb.end() :], count=1)
            yield other, commit.header[:start] + word + said + " to " + rest + commit.message[len(commit.header) :]


# Numbers

NUMBER = re.compile(r"(?<![\w#.,/-])v?(\d+(?:\.\d+)+|\d{2,})(?![\w,/-]|\.\d)")


def change_number(around: Surroundings) -> Iterator[tuple[str, str]]:
    """A number of the changed lines becomes one that the patch does not contain."""
    commit = around.commit
    changed = "\n".join([*commit.added, *commit.removed])
    for match in find_spans(commit.message, NUMBER):
        number = match[1]
        if not contains_number(changed, number):
            continue
        head, _, last = number.rpartition(".")
        for step in around.chance.sample(range(1, 9), 8):
            other = f"{head}.{int(last) + step}" if head else str(int(last) + step)
            if not contains_number(commit.patch, other):
                yield other, commit.message[: match.start(1)] + other + commit.message[match.end(1) :]
                break


def contains_number(text: str, number: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)", text) is not None


# Whole messages


def take_other_message(around: Surroundings) -> Iterator[tuple[str, str]]:
    """The message of another commit of the project that changed none of the same files."""
    words = set(re.findall(r"[a-z]{3,}", around.commit.header.lower()))
    others = list(around.others)
    around.chance.shuffle(others)
    for other in others:
        common = words & set(re.findall(r"[a-z]{3,}", other.header.lower()))
        if not around.commit.paths & other.paths and len(common) * 3 <= len(words):
            yield "", other.message


KINDS: dict[str, Callable[[Surroundings], Iterator[tuple[str, str]]]] = {
    "name": change_name,
    "path": change_path,
    "kind: type": change_type,
    "kind: phrase": add_phrase,
    "operation: verb": swap_verb,
    "operation: rename": claim_rename,
    "number": change_number,
    "other message": take_other_message,
}
