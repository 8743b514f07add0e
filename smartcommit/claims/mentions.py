"""What a message says of its change: the sentences that can be compared, and the names and paths in them.

What is said about other things is left out: links, quoted output, trailers, lists of what comes next, and the rest of a
sentence after words such as `instead of` or `because`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from smartcommit.message.verbs import find_base
from smartcommit.patterns import compile_on_use
from smartcommit.record import Record

# Names of products, formats and styles that are written like identifiers, or stand in backquotes; in lower case.
_PRODUCTS = frozenset({
    "github", "gitlab", "javascript", "typescript", "coffeescript", "postgresql", "mysql", "sqlite", "mariadb",
    "mongodb", "openssl", "nodejs", "vscode", "websocket", "websockets", "webassembly", "freebsd", "openbsd",
    "netbsd", "youtube", "linkedin", "stackoverflow", "intellij", "pypi", "rubygems", "macos", "ios", "ipados",
    "tvos", "watchos", "iphone", "graphql", "openapi", "devops", "wordpress", "jquery", "latex", "bibtex",
    "restructuredtext", "circleci", "travisci", "bitbucket", "dockerhub", "powershell", "cmake", "pytest",
    "autogpt", "openai", "chatgpt", "huggingface", "pytorch", "tensorflow", "numpy", "scipy", "opencv", "webpack",
    "eslint", "nextjs", "nuxtjs", "vuejs", "reactjs", "angularjs", "deno", "readme", "changelog", "readthedocs",
    "opentelemetry", "kubernetes", "cloudflare", "digitalocean", "openstack", "redhat", "archlinux", "nixos",
    "neovim", "jetbrains", "webstorm", "pycharm", "goland", "phpstorm", "dotnet", "csharp", "fsharp", "clickhouse",
    "duckdb", "rocksdb", "leveldb", "dynamodb", "cosmosdb", "influxdb", "questdb", "timescaledb", "oauth",
    "openid", "saml", "ldap", "wifi", "bluetooth", "localhost", "unicode", "ascii", "utf", "base64", "sha256",
    "md5", "ipv4", "ipv6", "url", "urls", "uri", "json", "yaml", "toml", "jsdoc", "mkdocs", "owlbot", "snake_case",
    "camelcase", "pascalcase", "__dunder__", "html", "xhtml", "css", "scss", "less", "sass", "svg", "xml", "jsx",
    "tsx", "api", "apis", "cli", "ui", "ux", "ci", "cd", "pr", "prs", "qa", "id", "ids", "faq", "godoc", "javadoc",
    "docc", "intellisense", "coderabbit", "semver", "buildkit", "dockerfile", "openssf", "raptorjit",
})  # fmt: skip
# What follows the last point of a file's name.
_FILE_ENDINGS = frozenset({
    "py", "pyi", "rb", "rs", "go", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "java", "kt", "kts",
    "scala", "swift", "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "cs", "fs", "php", "pl", "pm", "lua", "sh",
    "bash", "zsh", "fish", "ps1", "bat", "cmd", "vim", "el", "clj", "ex", "exs", "erl", "hs", "ml", "r", "jl",
    "dart", "zig", "nim", "v", "md", "mdx", "rst", "txt", "adoc", "html", "htm", "css", "scss", "sass", "less",
    "vue", "svelte", "astro", "json", "json5", "jsonc", "yml", "yaml", "toml", "ini", "cfg", "conf", "xml", "xsd",
    "proto", "graphql", "gql", "sql", "tf", "hcl", "nix", "lock", "mod", "sum", "gradle", "properties", "cmake",
    "mk", "in", "am", "ac", "csproj", "sln", "gemspec", "podspec", "snap", "tmpl", "tpl", "j2", "ejs", "hbs",
    "erb", "liquid", "po", "pot", "svg", "png", "jpg", "jpeg", "gif", "ico", "pdf", "csv", "tsv", "env", "service",
    "plist", "patch", "diff", "map", "wasm", "d.ts", "rake", "t", "log", "out",
})  # fmt: skip
# Files without an ending; in lower case.
_FILE_NAMES = frozenset({
    "dockerfile", "makefile", "rakefile", "gemfile", "procfile", "jenkinsfile", "justfile", "codeowners",
})  # fmt: skip
# Characters of a message that are read.
_READ = 20_000

# What says nothing of the change, wherever it stands.
_HEADER = compile_on_use(r"\A[A-Za-z]+(?:\(([^()\n]*)\))?!?:(?=\s)")
_LINK = compile_on_use(r"\b[a-z][a-z+.-]*://\S+|\bwww\.\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<!\w)@[\w/-]+")
_REFERENCE = compile_on_use(r"(?:[\w.-]+/[\w.-]+)?#\d+|\bGH-\d+|\b[A-Z][A-Z0-9]+-\d+\b|\b[0-9a-f]{7,64}\b")
_FENCE = compile_on_use(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)")
_QUOTED_LINE = compile_on_use(r"(?m)^(?: {4,}|\t|>|\$ | {0,3}\|).*$")
# What a code host asks for in a pull request.
_TEMPLATE = compile_on_use(r"(?m)^\s*[-*] \[[ xX]\].*$|(?s:<!--.*?-->)")
# A squash lists the messages of its steps.
_STEP = compile_on_use(r"(?m)^\* ")
_LATER = compile_on_use(
    r"(?im)^[ \t]*(?:[-*#]+ )?(?:todos?|next(?: steps?)?|follow[- ]?ups?|later|future work|see also|refs?|references|"
    r"examples?|before|after|steps to reproduce|output|errors?|results?)[ \t]*:?[ \t]*$(?:\n(?!\s*\n).*)*"
)
# The rest of a sentence after one of these is about other things; after one of the clauses, in a body, it may be.
_COMPARISONS = (
    r"like|instead of|rather than|because|since|see|cf\.?|caused by|unlike|similar(?:ly)? to|than|such as|e\.g\.?|"
    r"i\.e\.?|for example|for instance|due to|thanks to|introduced (?:in|by)|reported|suggested|found by|"
    r"inspired by|based on|according to"
)
_CLAUSES = (
    r"as|regress\w*|upstream|previously|originally|no longer|could|would|might|may|can|cannot|can't|even though|"
    r"although|though|otherwise|follow[- ]up|todo|later|future|discussed|mentioned|already|will|used to|so|that|which|"
    r"while|when|if|unless|is|are|was|were|but"
)
_ASIDE = compile_on_use(rf"(?i)(?<![\w-])(?:{_COMPARISONS})(?![\w-])")
_CLAUSE = compile_on_use(rf"(?i)(?<![\w-])(?:{_COMPARISONS}|{_CLAUSES})(?![\w-])")
_SENTENCE_END = compile_on_use(r"[.!?;:](?=\s|$)|\n[ \t]*\n|\n[ \t]*(?:[-*+•]|\d+[.)])[ \t]|\Z")
_BULLET = compile_on_use(r"\A\s*(?:(?:[-*+•]|\d+[.)])\s+)?")
# What may stand before the verb of a sentence that says what the commit does.
_FIRST_WORD = compile_on_use(
    r"(?i)\W*(?:(?:also|and|then|now|instead|finally|we|it|this(?: (?:commit|change|patch|pr|pull request))?)\W+)*(\w+)"
)

_BACKQUOTED = compile_on_use(r"(?<!`)`([^`\n]{1,120})`(?!`)")
_WORD = compile_on_use(
    r"(?<![\w$/.}\\-])(?:"
    r"(?P<flag>--[A-Za-z][\w-]*\w(?![\w-]))"
    r"|(?P<word>[@.]?[A-Za-z_$][\w$]*(?:-\w+)*(?:(?:\.|::|->|/|#|\\)[\w$@*-]+)*/?)(?P<call>\(\))?"
    r")"
)
# What is named after a thing that need not change: `the parse_all test`. And the names of tests, which fail elsewhere.
_NOUN = compile_on_use(
    r"(?i)`?\s+(?:jobs?|workflows?|tests?|test[- ]?(?:cases?|suites?)|suites?|lints?|rules?|coverage|branch(?:es)?|"
    r"warnings?|errors?|failures?|conventions?|standard)\b"
)
_TEST = compile_on_use(r"(?i:^(?:.*[./:])?test_)|^(?:.*[./:])?[tT]est[A-Z_]|(?:Tests?|_tests?|Spec)(?:\(\))?$")
# Of an error that occurs, not one that is written.
_ERROR = compile_on_use(r"(?:Error|Exception)$")
# Products are also written like this: `OpenSSF`, `JSDoc`.
_ACRONYM = compile_on_use(r"[A-Z][a-z]+[A-Z]{2,}|[A-Z]{2,}[a-z]+s?")
_INNER_CAPITAL = compile_on_use(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_JOINT = compile_on_use(r"\.|::|->|/|#|\\")


class Mention(Record):
    """A name or a path that a message has, and its offset in the text."""

    words: str
    offset: int
    is_path: bool


class Sentence(Record):
    """A sentence of a message or an item of a list, and the offset of its first word in the text.

    Of what is said of a step of a squash the whole may show nothing.
    """

    text: str
    offset: int
    in_header: bool
    is_step: bool = False

    @property
    def verb(self) -> str | None:
        """The verb that it begins with, in the imperative, or None."""
        match = _FIRST_WORD.match(self.text)
        if match is None:
            return None
        return find_base(match[1].lower())


class Statement:
    """The part of a message that can be compared with a change: its text with everything else blanked.

    `lines` are those of the message without its trailers.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._starts = []
        offset = 0
        for line in lines:
            self._starts.append(offset)
            offset += len(line) + 1
        text = "\n".join(lines)[:_READ]
        header = _HEADER.match(text)
        self.scope = ""
        if header is not None and header[1]:
            self.scope = header[1]
            self._scope_at = header.start(1)
        for pattern in (_FENCE, _TEMPLATE, _QUOTED_LINE, _LINK, _LATER, _REFERENCE, _HEADER):
            text = pattern.sub(blank, text)
        self._is_squash = len(_STEP.findall(text)) > 1
        self.text = text
        self.header = text.partition("\n")[0]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset in the text, both from 0."""
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def list_sentences(self) -> Iterator[Sentence]:
        """Yield the sentences and the items of lists."""
        start = 0
        for match in _SENTENCE_END.finditer(self.text):
            text = self.text[start : match.start()]
            bullet = _BULLET.match(text)
            assert bullet is not None  # it can be empty
            skipped = bullet.end()
            if text[skipped:].strip():
                in_header = start < len(self.header)
                is_step = self._is_squash and not in_header
                yield Sentence(text[skipped:], start + skipped, in_header, is_step)
            start = max(start, match.end())

    def list_mentions(self) -> Iterator[Mention]:
        """Yield the names and paths of which the message says that they are in the change."""
        if is_path(self.scope) or is_identifier(self.scope):
            yield Mention(self.scope, self._scope_at, is_path(self.scope))
        for sentence in self.list_sentences():
            yield from _select(sentence)


def _select(sentence: Sentence) -> Iterator[Mention]:
    """Yield the mentions of a sentence, without those that may be of something else."""
    text = sentence.text
    without_quotes = _BACKQUOTED.sub(blank, text)
    # A sentence of a body without a verb at its start tells how things are; what is in its clauses is often elsewhere.
    tells_state = not sentence.in_header and sentence.verb is None
    clause = _find_end(_CLAUSE if tells_state else _ASIDE, without_quotes)
    for mention in find_mentions(text[:clause], sentence.offset):
        start = mention.offset - sentence.offset
        end = start + len(mention.words)
        is_raised = _ERROR.search(mention.words) and sentence.verb not in ("add", "remove", "rename", "introduce")
        if not mention.is_path and (sentence.is_step or is_raised):
            continue
        if mention.is_path or sentence.in_header:
            yield mention
        elif not (_TEST.search(mention.words) or _NOUN.match(text, end)):
            # Measured: every fifth of these that such a sentence has is elsewhere.
            is_quoted = text[start - 1 : start] == "`"
            if not tells_state or not ("_" in mention.words or (is_quoted and is_identifier(mention.words))):
                yield mention


def _find_end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    return match.start() if match else len(text)


def find_mentions(text: str, offset: int = 0) -> Iterator[Mention]:
    """Yield the names and paths in `text`, which begins at `offset` of the message."""
    for match in _BACKQUOTED.finditer(text):
        words = match[1].strip()
        # What has a blank is a command that one runs, or code.
        if words and " " not in words and words.lower() not in _PRODUCTS:
            yield Mention(words, offset + match.start(1), is_path(words))
    for match in _WORD.finditer(_BACKQUOTED.sub(blank, text)):
        word = match[0]
        if is_path(word):
            yield Mention(word, offset + match.start(), is_path=True)
        elif match["flag"] or (match["call"] and len(word) > 5) or is_identifier(word):
            yield Mention(word, offset + match.start(), is_path=False)


def is_path(word: str) -> bool:
    """Whether a word is a path or the name of a file."""
    if not set(" (<*").isdisjoint(word):
        return False
    _, slash, name = word.rpartition("/")
    stem, point, ending = name.rpartition(".")
    if point and ending.lower() in _FILE_ENDINGS and (stem or slash):
        return bool(slash) or ending != "js" or not stem[:1].isupper()  # `Node.js`
    if name.lower() in _FILE_NAMES:
        return True
    return word.count("/") >= 2 and not set("_.").isdisjoint(word)


def is_identifier(word: str) -> bool:
    """Whether a word outside of quotes is written like an identifier and not like one of English."""
    if word.lower() in _PRODUCTS or "/" in word or "-" in word.replace("->", ""):
        return False
    if word.startswith("std::") or _ACRONYM.fullmatch(word):
        return False
    if "::" in word or "->" in word or "_" in word.strip("_") or word.startswith("__"):
        return True
    last = _JOINT.split(word)[-1]
    return len(last) > 3 and last.lower() not in _PRODUCTS and _INNER_CAPITAL.search(last) is not None


def blank(match: re.Match[str]) -> str:
    """Return as many blanks as the match has characters, with its line breaks."""
    return re.sub(r"[^\n]", " ", match[0])
