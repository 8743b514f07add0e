"""What a message says about its change: names, paths, versions, and what was added, removed or renamed.

What is said about other things is left out: links, quoted output, trailers, lists of what comes next, and the rest of a
sentence after words such as `instead of` or `because`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# What a mention is of, and the operations.
NAME, PATH, VERSION = "name", "path", "version"
ADD, REMOVE, RENAME, MOVE, REPLACE = "add", "remove", "rename", "move", "replace"

# Characters of a message that are read.
_READ = 20_000
_OPERATIONS = {
    **dict.fromkeys(("add", "adds", "added", "adding", "introduce", "introduces", "introduced", "create", "creates",
                     "created"), ADD),
    **dict.fromkeys(("remove", "removes", "removed", "removing", "delete", "deletes", "deleted", "deleting", "drop",
                     "drops", "dropped", "dropping"), REMOVE),
    **dict.fromkeys(("rename", "renames", "renamed", "renaming"), RENAME),
    **dict.fromkeys(("move", "moves", "moved", "moving"), MOVE),
    **dict.fromkeys(("replace", "replaces", "replaced", "replacing"), REPLACE),
}  # fmt: skip

_HEADER = compile_on_use(r"\A[\w ./,-]+(?:\([^()\n]*\))?!?:(?=\s)")
# What says nothing of the change, wherever it stands.
_LINK = compile_on_use(r"\b[a-z][a-z+.-]*://\S+|\bwww\.\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<!\w)@[\w/-]+")
_REFERENCE = compile_on_use(r"(?:[\w.-]+/[\w.-]+)?#\d+|\bGH-\d+|\b[A-Z][A-Z0-9]+-\d+\b|\bCVE-[\d-]+|\b[0-9a-f]{7,64}\b")
_FENCE = compile_on_use(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)")
_QUOTED_LINE = compile_on_use(r"(?m)^(?:[ ]{4,}|\t|>|\$ |[ ]{0,3}\|).*$")
# The rest of a sentence after one of these is about other things.
_ASIDE = compile_on_use(
    r"(?i)(?<![\w-])(?:like|instead of|rather than|because|since|as|see|cf\.?|caused by|unlike|similar(?:ly)? to|than|such"
    r" as|e\.g\.?|i\.e\.?|for example|for instance|when|while|where|if|unless|until|after|before|due to|thanks to|"
    r"so that|so|in order to|which|that|introduced in|introduced by|regression|reported|credit|suggested|found by|"
    r"inspired by|based on|from upstream|used by|via|upstream|previously|originally|already|no longer|not|doesn't|does"
    r" not|don't|do not|without|currently|usually|could|would|might|may|can|cannot|can't|should|will|was|were|is|are|has|"
    r"had|have|needs?|in case|even though|although|though|but|however|otherwise|also see|follow[- ]up|todo|next|later|"
    r"future|compatib\w+|works? with|against|according to|per|following|discussed|mentioned)(?![\w-])"
)
# A list of what comes next, up to the next paragraph.
_LATER = compile_on_use(r"(?im)^[ \t]*(?:[-*#]+ )?(?:todos?|next(?: steps?)?|follow[- ]?ups?|later|future work|see also|refs?|references|example|before|after|steps to reproduce|output|error|result)\b[^\n]*:?[ \t]*$(?:\n(?!\s*\n).*)*")
_SENTENCE_END = compile_on_use(r"[.!?;:](?=\s|$)|\n[ \t]*\n|\n[ \t]*(?:[-*+•]|\d+[.)])[ \t]|\n(?=[ \t]*[-*+•] )|\Z")
_BULLET = compile_on_use(r"\A\s*(?:(?:[-*+•]|\d+[.)])\s+)?")

_BACKTICKS = compile_on_use(r"(?<!`)`([^`\n]{1,120})`(?!`)")
_IDENTIFIER = r"[A-Za-z_$][\w$]*"
_TOKEN = compile_on_use(
    r"(?<![\w$/.\\-])(?:"
    r"(?P<flag>--?[A-Za-z][\w-]*[\w])"
    rf"|(?P<word>[@.]?[A-Za-z_$][\w$-]*(?:(?:\.|::|->|/|#|\\)[\w$@*-]+)*/?)(?P<call>\([^()\s]{{0,40}}\))?"
    r")"
)
_CAMEL = compile_on_use(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_PARTS = compile_on_use(r"\.|::|->|/|#|\\")
# Names of products and of companies that are written like identifiers.
_PRODUCTS = frozenset(
    """github gitlab javascript typescript coffeescript postgresql mysql sqlite mariadb mongodb openssl nodejs vscode
    websocket websockets webassembly freebsd openbsd netbsd youtube linkedin stackoverflow intellij pypi rubygems macos
    ios ipados tvos watchos iphone graphql openapi devops wordpress jquery latex bibtex restructuredtext circleci
    travisci bitbucket dockerhub powershell cmake pytest autogpt openai chatgpt huggingface pytorch tensorflow numpy
    scipy opencv webpack eslint nextjs nuxtjs vuejs reactjs angularjs deno readme changelog readthedocs opentelemetry
    kubernetes cloudflare digitalocean openstack redhat archlinux nixos neovim jetbrains webstorm pycharm goland
    phpstorm dotnet csharp fsharp clickhouse duckdb rocksdb leveldb dynamodb cosmosdb influxdb questdb timescaledb
    oauth openid saml ldap wifi bluetooth localhost unicode ascii utf base64 sha256 md5 ipv4 ipv6 url urls uri json yaml
    toml html xhtml css scss less sass svg xml jsx tsx api apis cli ui ux ci cd pr prs qa id ids faq""".split()
)  # fmt: skip
_FILE_ENDINGS = frozenset(
    """py pyi rb rs go js jsx ts tsx mjs cjs mts cts java kt kts scala swift c h cc hh cpp hpp cxx cs fs php pl pm lua
    sh bash zsh fish ps1 bat cmd vim el clj ex exs erl hs ml r jl dart zig nim v md mdx rst txt adoc html htm css scss
    sass less vue svelte astro json json5 jsonc yml yaml toml ini cfg conf xml xsd proto graphql gql sql tf hcl nix lock
    mod sum gradle properties cmake mk in am ac csproj sln gemspec podspec snap tmpl tpl j2 ejs hbs erb liquid po pot
    svg png jpg jpeg gif ico pdf csv tsv env service plist patch diff map wasm d.ts rake t log out""".split()
)  # fmt: skip
_FILE_NAMES = frozenset(
    """dockerfile makefile rakefile gemfile procfile vagrantfile jenkinsfile justfile codeowners cmakelists""".split()
)
_VERSION = compile_on_use(r"(?<![\w.])[v^~]?(\d+(?:\.\d+){1,3}(?:[-.+]?(?:alpha|beta|rc|dev|a|b|pre)[-.]?\d*)?)(?![\w.]*\w)")
_BUMP = compile_on_use(r"(?i)\b(?:bump(?:s|ed)?|upgrade[sd]?|update[sd]?|downgrade[sd]?|pin(?:s|ned)?|release|version)\b")
_FROM_TO = compile_on_use(r"(?is)\bfrom\s+(?P<old>\S+)\s+to\s+(?P<new>\S+)|(?P<old2>\S+)\s*(?:->|=>|→)\s*(?P<new2>\S+)")
_TO = compile_on_use(r"(?i)\s(?:to|into|as|->|=>|→)\s")
_WITH = compile_on_use(r"(?i)\s(?:with|by|->|=>|→)\s")


class Mention(Record):
    """Something that a message names: what it is of, how it is written, and where it starts in the message's text."""

    kind: str
    words: str
    offset: int


class Operation(Record):
    """What a message says was done: one of the operations, to the words `target`, at `offset` of the message's text.

    `result` is what it was renamed or moved to, or replaced by; empty if nothing is said of that.
    """

    kind: str
    verb: str
    target: str
    offset: int
    result: str = ""


class Statement:
    """The part of a message that can be compared with a change: its text with everything else blanked."""

    def __init__(self, lines: Sequence[str], end: int) -> None:
        self._starts: list[int] = []
        text = "\n".join(lines[:end])[:_READ]
        offset = 0
        for line in lines[:end]:
            self._starts.append(offset)
            offset += len(line) + 1
        for pattern in (_FENCE, _QUOTED_LINE, _LINK, _LATER, _REFERENCE, _HEADER):
            text = pattern.sub(_blank, text)
        self.text = text

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset in the text, both from 0."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def sentences(self) -> Iterator[tuple[int, str]]:
        """Yield the sentences and the items of lists, each with its offset."""
        start = 0
        for match in _SENTENCE_END.finditer(self.text):
            if match.end() > start and self.text[start : match.start()].strip():
                yield start, self.text[start : match.start()]
            start = match.end()

    def mentions(self) -> Iterator[Mention]:
        """Yield the names, paths and file names, except those in asides."""
        for offset, sentence in self.sentences():
            aside = _ASIDE.search(_BACKTICKS.sub(_blank, sentence))
            yield from find_mentions(sentence[: aside.start() if aside else len(sentence)], offset)

    def operations(self) -> Iterator[Operation]:
        """Yield what sentences that begin with a verb say was done."""
        header = self.text.partition("\n")[0]
        colon = header.find(": ")
        for offset, sentence in self.sentences():
            start = len(sentence) - len(_BULLET.sub("", sentence, 1))
            match = re.match(r"(\w+)\s+(.*)", sentence[start:], re.DOTALL)
            if match and (kind := _OPERATIONS.get(match[1].lower())):
                yield _read_operation(kind, match[1], match[2], offset + start)


def _read_operation(kind: str, verb: str, rest: str, offset: int) -> Operation:
    result = ""
    separator = {RENAME: _TO, MOVE: _TO, REPLACE: _WITH}.get(kind)
    if separator is not None:
        parts = separator.split(rest, 1)
        rest = parts[0]
        if len(parts) > 1:
            result = parts[1]
    return Operation(kind, verb, rest, offset, result)


def find_mentions(text: str, offset: int = 0) -> Iterator[Mention]:
    """Yield the names and paths in `text`, which begins at `offset` of the message."""
    for match in _BACKTICKS.finditer(text):
        inner = match[1].strip()
        if inner:
            yield Mention(PATH if _is_path(inner) else NAME, inner, offset + match.start() + 1)
    for match in _TOKEN.finditer(_BACKTICKS.sub(_blank, text)):
        word = match[0]
        if match["flag"] is not None:
            if word.startswith("--") and len(word) > 4:
                yield Mention(NAME, word, offset + match.start())
        elif _is_path(word):
            yield Mention(PATH, word, offset + match.start())
        elif match["call"] or _is_identifier(match["word"]):
            yield Mention(NAME, word, offset + match.start())


def _is_path(word: str) -> bool:
    if " " in word or "(" in word:
        return False
    folder, slash, name = word.rpartition("/")
    stem, point, ending = name.rpartition(".")
    if point and ending.lower() in _FILE_ENDINGS and (stem or slash):
        return not (stem[:1].isupper() and ending == "js" and not slash)  # `Node.js`
    if name.lower() in _FILE_NAMES:
        return True
    return word.count("/") >= 2 and all(part for part in folder.strip("/").split("/"))


def _is_identifier(word: str) -> bool:
    """Whether a word outside of quotes is written like an identifier and not like one of English."""
    if word.lower() in _PRODUCTS or "/" in word:
        return False
    if "::" in word or "->" in word:
        return True
    if "_" in word.strip("_") or word.startswith("__"):
        return True
    last = _PARTS.split(word)[-1]
    if last.lower() in _PRODUCTS:
        return False
    if _CAMEL.search(last) and not last.endswith("s") or re.search(r"[a-z][A-Z]", last):
        return len(last) > 3
    return False


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
