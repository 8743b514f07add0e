"""Reads a first line without a type as the header that it states: `Added tests`, `Initial commit`, `Release 1.2.3`.

A wrong type is worse than none, for which the hook asks the drafter: the type is read only of what the line says is
edited, such as tests or the README, or of a verb that states it, such as `Fixes`.
"""

from __future__ import annotations

from smartcommit.message.header import Header
from smartcommit.message.rules import TYPES_OF_KIND
from smartcommit.message.verbs import find_base, state_imperative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from smartcommit.message.rules import Rules

_BEGINNINGS = (
    "initial commit", "initial import", "initial version", "first commit", "first version", "init", "initial setup",
    "initial project setup", "initialize project", "initialize repository",
)  # fmt: skip
# Words beside the version in a line that only names a release.
_RELEASE_WORDS = {"release", "released", "releasing", "releases", "version"}
_DOCUMENTS = ("readme", "changelog", "contributing")
# What is edited, by the last word of its name, and the kind of such a change.
_KINDS = {
    "documentation": ("doc", "docs", "documentation", "docstring", "docstrings"),
    "tests": ("test", "tests", "testcase", "testcases", "unittest", "unittests"),
    "ci": ("ci",),
    "dependencies": ("dependencies", "deps"),
    "formatting": ("formatting",),
    "performance": ("performance",),
    "configuration": (".gitignore", "gitignore", ".editorconfig", ".gitattributes"),
}
# Names of what may be of any kind, so that a verb does not state the type.
_UNSURE = {"typo", "typos", "lint", "linter", "linting", "lints", "spelling", "warning", "warnings", "style"}
# Verbs that say only that something is edited, or that it is mended.
_EDITS = {
    "add", "adjust", "bump", "change", "clarify", "clean", "correct", "create", "delete", "drop", "enhance", "expand",
    "extend", "fix", "improve", "modify", "move", "refactor", "remove", "rename", "reorganize", "revise", "rewrite",
    "simplify", "split", "tidy", "update", "upgrade", "write",
}  # fmt: skip
_VERSION = "abcdefghijklmnopqrstuvwxyz0123456789.+-"
# Parts of a document or of CI, which change as it does.
_PARTS = {
    "actions", "badge", "badges", "config", "configuration", "entries", "entry", "file", "job", "jobs", "link", "links",
    "pipeline", "section", "workflow", "workflows",
}  # fmt: skip
_ARTICLES = {"a", "an", "the", "some", "more", "missing"}
# Words that end the name of what is edited.
_ENDS = {
    "about",
    "after",
    "as",
    "at",
    "because",
    "by",
    "for",
    "from",
    "in",
    "into",
    "of",
    "on",
    "so",
    "to",
    "when",
    "with",
}


def read_sentence(text: str, rules: Rules) -> Header | None:
    """Return the header that `text` states without a type; None if it is no such line or its type is not sure."""
    plain = " ".join(text.lower().rstrip(".! ").split())
    if plain in _BEGINNINGS:
        return _make_header("configuration", plain, rules)
    words = plain.split(" ")
    release = _read_release(words, rules)
    if release is not None:
        return release
    kind = find_kind(words)
    summary = state_imperative(text)
    if summary is None or kind is None:
        return None
    return _make_header(kind, summary, rules)


def is_unsure(text: str) -> bool:
    """Whether what the sentence `text` edits may be of any kind, as in `Fix typo`, or of several."""
    words = text.lower().split()
    if len(words) < 2 or not words[1][0].isalnum() or find_base(words[0]) not in _EDITS:
        return False
    name = _find_edited(words[1:])
    return not _UNSURE.isdisjoint(name) or "and" in name


def find_kind(words: Sequence[str]) -> str | None:
    """Return the kind of what a sentence of `words`, in lower case, says is edited; None if it is not known."""
    verb, rest = find_base(words[0]), words[1:]
    if verb not in _EDITS:
        return None
    if verb in ("bump", "update", "upgrade") and rest[1::2] == ["from", "to"] and _is_version(rest[2]):
        return "dependencies"
    if verb == "bump" and rest[:1] == ["version"]:
        return "configuration"
    name = _find_edited(rest)
    if not name or "and" in name or not set(",;&+").isdisjoint(" ".join(name)):
        return None
    if verb == "fix" and name == ["build"]:
        return "build"
    return _find_kind_of_name(name, rest)


def _find_kind_of_name(name: Sequence[str], rest: Sequence[str]) -> str | None:
    """Return the kind of the part that `name` is the name of, at the start of `rest`; None if it is not known."""
    place = [word for word in rest[-3:] if word not in _ARTICLES]
    is_whole = len(name) == 1 or name[-1] in _PARTS
    if (is_whole and name[0].startswith(_DOCUMENTS)) or (place[-2:-1] == ["in"] and _is_document(place[-1])):
        return "documentation"
    if is_whole and (name[0] == "ci" or name[:2] == ["github", "actions"]):
        return "ci"
    for kind, nouns in _KINDS.items():
        if name[-1] in nouns:
            return kind
    return None


def _find_edited(rest: Sequence[str]) -> list[str]:
    """Return the words that name what is edited, from those that follow the verb."""
    name: list[str] = []
    for word in rest:
        if word in _ENDS:
            break
        if word not in _ARTICLES and (name or word != "up"):
            name.append(word.rstrip("."))
    return name


def _is_document(name: str) -> bool:
    """Whether `name` is that of documents, or of a file such as `README` or `CHANGELOG.md`."""
    return name in _KINDS["documentation"] or name.partition(".")[0] in _DOCUMENTS


def _read_release(words: Sequence[str], rules: Rules) -> Header | None:
    """Return the header of a release that `words` only name, as the project writes it: `Release 1.2.3`, `v1.2.3`."""
    versions = [word for word in words if _is_version(word.strip(":"))]
    others = [word.strip(":") for word in words if word not in versions and not word.startswith("(#")]
    if len(versions) != 1 or not _RELEASE_WORDS.issuperset(others):
        return None
    version = versions[0].strip(":").removeprefix("v")
    if not others and version.count(".") < 2:
        return None
    header = _make_header("configuration", f"release {version}", rules)
    if header is not None and rules.release is not None:
        header = Header(rules.release.type, rules.release.summary.replace("{}", version), scope=rules.release.scope)
    if header is not None and words[-1].startswith("(#"):
        header.summary += f" {words[-1]}"
    return header


def find_release_form(header: Header) -> Header | None:
    """Return `header`, that of a release, with `{}` for its version; None if it is none."""
    words = header.summary.split(" ")
    versions = [word for word in words if _is_version(word)]
    if len(versions) != 1 or "release" not in (header.type, header.scope, *map(str.lower, words[:2])):
        return None
    summary = header.summary.partition(" (#")[0]
    return Header(header.type, summary.replace(versions[0].removeprefix("v"), "{}"), scope=header.scope)


def _is_version(word: str) -> bool:
    """Whether `word` is a version, such as `1.2`, `v1.2.3` or `2.0.0-rc.1`."""
    first, dot, rest = word.removeprefix("v").partition(".")
    return first.isdecimal() and dot != "" and rest[:1].isdecimal() and not rest.strip(_VERSION)


def _make_header(kind: str, summary: str, rules: Rules) -> Header | None:
    """Return a header with the project's type for `kind`, None if it has none."""
    for name in TYPES_OF_KIND[kind]:
        if name in rules.types:
            return Header(name, summary)
    return None
