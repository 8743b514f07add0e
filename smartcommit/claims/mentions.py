"""What a message says of its change: the sentences that can be compared, and the names and paths in them.

Left out is what is about other things: links, quoted output, plans for later, sentences on how things are, and the rest
of a sentence after words such as `instead of` or `because`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from smartcommit.message.verbs import find_base
from smartcommit.patterns import compile_on_use, list_words
from smartcommit.record import Record

# Names of products, formats and styles that are written like identifiers, or stand in backquotes; in lower case.
_PRODUCTS = list_words("""
    github gitlab bitbucket dockerhub circleci javascript typescript coffeescript postgresql mysql mariadb sqlite
    mongodb dynamodb openssl nodejs angularjs jquery vscode websocket websockets webassembly freebsd openbsd youtube
    linkedin stackoverflow intellij pypi macos ios graphql openapi devops wordpress latex restructuredtext powershell
    cmake pytest openai pytorch numpy scipy webpack eslint deno readme changelog faq readthedocs opentelemetry
    kubernetes cloudflare openstack oauth openid localhost unicode ascii base64 sha256 md5 ipv4 ipv6 url urls uri json
    yaml toml xml html css scss less svg jsx tsx jsdoc javadoc godoc mkdocs semver openssf api apis cli ui ux ci cd pr
    prs id ids snake_case pascalcase camelcase
""")
# What follows the last point of the names of files.
_FILE_ENDINGS = list_words("""
    py pyi rb rs go js jsx ts tsx mjs cjs mts java kt kts scala swift c h cc cpp hpp cs php pl lua sh bash zsh ps1 bat
    vim el clj ex exs erl hs ml jl dart zig md mdx rst txt adoc html css scss less vue svelte json json5 jsonc yml yaml
    toml ini cfg conf xml proto graphql sql tf hcl nix lock mod sum gradle properties cmake csproj gemspec svg png csv
    env service patch
""")
# Files without an ending; in lower case.
_FILE_NAMES = list_words("dockerfile makefile rakefile gemfile procfile jenkinsfile justfile codeowners")
# Characters of a message that are read.
_CHARACTERS_READ = 20_000
# Characters of an identifier or of the name in a call: shorter ones, such as `iOS` and `map()`, may be anything.
_SHORTEST_IDENTIFIER = 4

# Type and scope of a header, with the colon.
_HEADER = compile_on_use(r"\A[A-Za-z]+(?:\([^()\n]*\))?!?:(?=\s)")
_LINK = compile_on_use(r"\b[a-z][a-z+.-]*://\S+|\bwww\.\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<!\w)@[\w/-]+")
# A block between fences, as of code, and a comment of HTML.
_FENCE = compile_on_use(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|<!--.*?-->")
# Lines that quote output, code or a table, and the boxes to tick of a template.
_QUOTED_LINE = compile_on_use(r"(?m)^(?: {4,}|\t|>|\$ | {0,3}\||\s*[-*] \[[ xX]\]).*$")
# A heading such as `Follow-ups:` with the paragraph below it.
_LATER = compile_on_use(
    r"(?im)^[ \t]*(?:[-*#]+ )?(?:todos?|next(?: steps?)?|follow[- ]?ups?|later|future work)[ \t]*:?[ \t]*$"
    r"(?:\n(?!\s*\n).*)*"
)
# The message of one step of a squash. A later step may have taken away what it names.
_STEP = compile_on_use(r"(?m)^\* ")
# The rest of a sentence after one of these is about other things.
_ASIDE = compile_on_use(
    r"(?i)(?<![\w-])(?:like|instead of|rather than|because|since|see|cf\.?|caused by|unlike|similar(?:ly)? to|than|"
    r"such as|e\.g\.?|i\.e\.?|for (?:example|instance)|due to|thanks to|introduced (?:in|by)|based on|according to)"
    r"(?![\w-])"
)
_SENTENCE_END = compile_on_use(r"[.!?;:](?=\s|$)|\n[ \t]*\n|\n[ \t]*(?:[-*+•]|\d+[.)])[ \t]|\Z")
_BULLET = compile_on_use(r"\A\s*(?:(?:[-*+•]|\d+[.)])\s+)?")
# What may stand before the verb of a sentence that says what the commit does.
_FIRST_WORD = compile_on_use(
    r"(?i)\W*(?:(?:also|and|then|now|instead|finally|we|it|this(?: (?:commit|change|patch|pr|pull request))?)\W+)*(\w+)"
)

# A name as people mark it: `a few words`, but no empty or very long text.
_BACKQUOTED = compile_on_use(r"(?<!`)`([^`\n]{1,120})`(?!`)")
# A flag such as `--dry-run`, or a name with parts, such as `app.run`, `Parser::new()` or `src/main.rs`.
_WORD = compile_on_use(
    r"(?<![\w$/.}\\-])(?:"
    r"(?P<flag>--[A-Za-z][\w-]*\w(?![\w-]))"
    r"|(?P<word>[@.]?[A-Za-z_$][\w$]*(?:-\w+)*(?:(?:\.|::|->|/|#|\\)[\w$@*-]+)*/?)(?P<call>\(\))?"
    r")"
)
# Products are also written like this: `OpenSSF`, `JSDoc`. An error mostly is one that occurs, not one that is written.
_NO_IDENTIFIER = compile_on_use(r"[A-Z][a-z]+[A-Z]{2,}|[A-Z]{2,}[a-z]+s?|\w+(?:Error|Exception)")
# As in `parseLine` and `HTTPServer`.
_INNER_CAPITAL = compile_on_use(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_JOINT = compile_on_use(r"\.|::|->|/|#|\\")


class Mention(Record):
    """A name or a path that a message has, as it is written there, and its offset in the text."""

    words: str
    offset: int
    is_path: bool


class Sentence(Record):
    """A sentence of a message or an item of a list, and the offset of its first word in the text.

    `word` is the one that should be a verb: what comes first, or after `we also` and the like.
    """

    text: str
    offset: int
    in_header: bool
    word: str
    word_offset: int

    @property
    def verb(self) -> str | None:
        """The imperative of `word`; None if it is no verb that we know."""
        return find_base(self.word.lower())


class MessageText:
    """A message, given as its `lines` without trailers; what cannot be compared is blanked in its `text`."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.first_line = lines[0]
        text = "\n".join(lines)[:_CHARACTERS_READ]
        for pattern in (_FENCE, _QUOTED_LINE, _LINK, _LATER, _HEADER):
            text = pattern.sub(blank, text)
        self._is_squash = len(_STEP.findall(text)) > 1
        self.text = text
        self.header = text.partition("\n")[0]

    def to_line_and_column(self, offset: int) -> tuple[int, int]:
        before = self.text[:offset]
        return before.count("\n"), offset - (before.rfind("\n") + 1)

    def list_sentences(self) -> Iterator[Sentence]:
        start = 0
        for match in _SENTENCE_END.finditer(self.text):
            text = self.text[start : match.start()]
            bullet = _BULLET.match(text)
            assert bullet is not None  # it can be empty
            word = _FIRST_WORD.match(text, bullet.end())
            if word is not None:
                sentence, offset = text[bullet.end() :], start + bullet.end()
                yield Sentence(sentence, offset, start < len(self.header), word[1], start + word.start(1))
            start = match.end()

    def list_mentions(self) -> Iterator[Mention]:
        """Yield the names and paths of which the message says that they are in the change."""
        for sentence in self.list_sentences():
            # Without a verb at its start a sentence of a body tells how things are, which are often elsewhere.
            if not sentence.in_header and sentence.verb is None:
                continue
            aside = _ASIDE.search(_BACKQUOTED.sub(blank, sentence.text))
            stated = sentence.text[: aside.start()] if aside else sentence.text
            for mention in find_mentions(stated, sentence.offset):
                if mention.is_path or sentence.in_header or not self._is_squash:
                    yield mention


def find_mentions(text: str, offset: int = 0) -> Iterator[Mention]:
    """Yield the names and paths in `text`, which begins at `offset` of the message."""
    for match in _BACKQUOTED.finditer(text):
        words = match[1].strip()
        # What has a blank is a command that one runs, or code.
        if words and " " not in words and words.lower() not in _PRODUCTS:
            yield Mention(words, offset + match.start(1), is_path(words))
    for match in _WORD.finditer(_BACKQUOTED.sub(blank, text)):
        word = match[0]
        is_call = match["call"] is not None and len(match["word"]) >= _SHORTEST_IDENTIFIER
        if is_path(word):
            yield Mention(word, offset + match.start(), is_path=True)
        elif match["flag"] or is_call or is_identifier(word):
            yield Mention(word, offset + match.start(), is_path=False)


def is_path(word: str) -> bool:
    """Whether a word is written like a path, and not like code, a product or alternatives such as `read/write`."""
    if not set(" (<*").isdisjoint(word):
        return False
    _, slash, name = word.rpartition("/")
    if name.lower() in _FILE_NAMES:
        return True
    stem, point, ending = name.rpartition(".")
    if point and ending.lower() in _FILE_ENDINGS:
        is_product = ending == "js" and stem[:1].isupper()  # `Node.js`
        return bool(slash) or (bool(stem) and not is_product)
    return word.count("/") >= 2 and not set("_.").isdisjoint(word)


def is_identifier(word: str) -> bool:
    """Whether a word outside of quotes is written like an identifier and not like one of English."""
    if word.lower() in _PRODUCTS or "/" in word or "-" in word.replace("->", ""):
        return False
    if word.startswith("std::") or _NO_IDENTIFIER.fullmatch(word):
        return False
    if "::" in word or "->" in word or "_" in word.strip("_") or word.startswith("__"):
        return True
    last = _JOINT.split(word)[-1]
    if len(last) < _SHORTEST_IDENTIFIER or last.lower() in _PRODUCTS:
        return False
    return _INNER_CAPITAL.search(last) is not None


def blank(match: re.Match[str]) -> str:
    """Return as many blanks as the match has characters, with its line breaks."""
    return re.sub(r"[^\n]", " ", match[0])
