"""Kinds of files (source, tests, docs, lock files), and what a formatter does."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from smartcommit.change.languages import Language, read_language
from smartcommit.change.text import LINE_BYTES, count_indent
from smartcommit.change.tokens import find_prose
from smartcommit.patterns import compile_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from smartcommit.git.diff import FileDiff, Hunk

    # The removed and the added lines of each of several places.
    Sides = Sequence[tuple[Sequence[bytes], Sequence[bytes]]]

SOURCE = "source"
TESTS = "tests"
DOCUMENTATION = "documentation"
CI = "ci"
BUILD = "build"
MANIFEST = "manifest"
LOCK = "lock"
CONFIGURATION = "configuration"
GENERATED = "generated"
ASSET = "asset"

# Natures that change the layout only.
FORMATTING = {"line endings", "final newline", "whitespace", "style"}

# Names are looked up in sets: patterns for all kinds would take a draft longer to compile
# than all else that it does with paths.
_GENERATED_FOLDERS = {"vendor", "vendored", "third_party", "third-party", "node_modules", "bower_components", "dist"}
_GENERATED_ENDINGS = (
    ".min.js", ".min.css", ".pb.go", ".pb.cc", ".pb.h", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi", ".map",
)  # fmt: skip
_GENERATED_STEMS = (".generated", ".g")
_WORKFLOWS = (".github/workflows", ".github/actions", ".github/scripts")
_CI_FOLDERS = {".circleci", ".buildkite", ".gitlab", ".woodpecker", ".ci"}
_CI_NAMES = {"jenkinsfile", "renovate.json", "renovate.json5"}
# The same in YAML, without the ending.
_CI_STEMS = {
    ".gitlab-ci", ".travis", "appveyor", ".appveyor", "azure-pipelines", ".drone", ".woodpecker", "codecov", ".codecov",
    ".cirrus", "bitbucket-pipelines", "dependabot",
}  # fmt: skip
_LOCK_NAMES = {
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "go.work.sum", ".terraform.lock.hcl",
    "packages.lock.json", "package.resolved",
}  # fmt: skip
_LOCK_ENDINGS = {"lock", "lockb"}
_TEST_FOLDERS = {
    "test", "tests", "__tests__", "e2e", "testdata", "fixtures", "__fixtures__", "__snapshots__", "__mocks__",
    "androidtest", "cypress", "integration-tests", "snapshots", "testhelpers", "testing", "testutil", "testutils",
    "unit-tests",
}  # fmt: skip
# Specifications of behaviour, but not a module of the source that is about a specification.
_SPEC_FOLDERS = {"spec", "specs"}
_SPECS = compile_on_use(r"^(?!(?:.*/)?src/.*\bspecs?/)(?:.*/)?specs?/")
_DATA_ENDINGS = {"json", "toml", "yaml", "yml"}
_STATEMENT_LENGTH = 10_000  # bytes of a line that is read for statements; longer ones are data, or made by programs
_LINES_BETWEEN = 3  # two hunks that a formatter may have made of one
# Folders of recorded output with which tests compare, and names of such files: `a.approved.json`.
_EXPECTED_FOLDERS = {"__snapshots__", "snapshots", "tap-snapshots", "golden", "goldens", "expected", "cassettes"}
_EXPECTED_ENDINGS = {
    "approved", "verified", "received", "snapshot", "golden", "expected", "snap", "stdout", "stderr",
}  # fmt: skip
_RECORDED_ENDINGS = {"json", "txt", "xml", "html", "yaml", "yml", "csv", "md", "svg", "cs"}
_EXPECTED_NAME = compile_on_use(
    r"(?:^|[._-])expected(?:[_-]?(?:output|result|response|stdout|stderr)s?)?\.(?:json|txt|xml|html|ya?ml|csv|md|svg|out|log)$"
)
_TEST_NAME = compile_on_use(
    r"^test_.*\.\w+$|[._-](?:tests?(?:-d)?|spec)\.\w+$|^tests?\.(?:rs|py|js|ts)$|^conftest\.py$"
)
_CLASS_ENDINGS = {"java", "kt", "cs", "scala", "swift", "php"}
_TEST_CLASS = compile_on_use(r"[a-z0-9](?:Test|Tests|Spec|IT)\.[a-z]+$")
_DOC_FOLDERS = {"doc", "docs", "website", "site", "documentation"}
_DOC_ENDINGS = {"md", "mdx", "rst", "adoc", "markdown", "texi", "pod", *"12345678"}
_DOC_NAMES = {
    "readme", "changelog", "changes", "licence", "license", "copying", "contributing", "authors", "notice", "security",
    "news", "history", "todo", "code_of_conduct", "maintainers", "contributors",
}  # fmt: skip
_MANIFEST_NAMES = {
    "package.json", "cargo.toml", "pyproject.toml", "go.mod", "go.work", "gemfile", "pom.xml", "build.gradle",
    "build.gradle.kts", "composer.json", "pipfile", "package.swift", "mix.exs", "pubspec.yaml", "environment.yml",
    "environment.yaml", "libs.versions.toml", "pnpm-workspace.yaml", "deno.json", "deno.jsonc", "rust-toolchain",
    "rust-toolchain.toml",
}  # fmt: skip
_MANIFEST_ENDINGS = {"csproj", "fsproj", "gemspec"}
_BUILD_NAMES = {
    "cmakelists.txt", "meson.build", "meson_options.txt", "build", "workspace", "justfile", "rakefile", "vagrantfile",
    "noxfile.py", "tox.ini", "setup.py", "setup.cfg", "manifest.in", "build.rs", "configure", "configure.ac", "gradlew",
    "gradlew.bat", "gradle.properties", "gradle-wrapper.properties", "settings.gradle.kts", ".dockerignore", "makefile",
    "gnumakefile",
}  # fmt: skip
_BUILD_ENDINGS = {"cmake", "mk", "gradle", "bazel", "bzl", "nix", "ninja"}
# Files such as `webpack.config.js` and `makefile.win`, and how names of YAML begin.
_BUILD_TOOLS = {
    "makefile", "gnumakefile", "gulpfile", "gruntfile", "webpack", "rollup", "vite", "vitest", "babel", "esbuild",
    "tsup", "jest", "turbo", "nx",
}  # fmt: skip
_BUILD_YAML = ("compose", "docker-compose", "goreleaser", ".goreleaser")
_CONFIGURATION_NAMES = {"codeowners", "procfile", "owners"}
_CONFIGURATION_ENDINGS = {
    "toml", "ini", "cfg", "conf", "yml", "yaml", "json", "jsonc", "json5", "properties", "env", "editorconfig", "plist",
    "xml", "txt",
}  # fmt: skip
_ASSET_ENDINGS = {
    "png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "bmp", "avif", "woff", "woff2", "ttf", "otf", "eot", "mp3",
    "mp4", "wav", "ogg", "webm", "mov", "pdf", "psd", "zip", "gz", "tgz", "jar", "bin", "wasm", "exe", "dll", "so", "a",
    "o", "cast", "tape",
}  # fmt: skip
# A text file without a telling path is a document if most of its lines are prose, and source if some are code.
_PROSE = compile_on_use(rb"[A-Za-z]{2,}\W+[A-Za-z]{2,}\W+[A-Za-z]{2,}")
_CODE = compile_on_use(rb"[;{}=<>|]|\w\(|\$\w|[:,\[(\\]$|^\s*(?:#!|@?echo\b)")
_LINES_CLASSIFIED = 200
# One of these is in every path of a changelog. Most paths have none, and then no pattern is compiled.
_WORDS_OF_CHANGELOGS = (b"change", b"history", b"news", b"release", b"whats", b"chloggen")
# Files and folders of files in which the changes of several versions are listed.
_CHANGELOG = compile_on_use(
    rb"(?i)(?:^|/)(?:(?:(?:next|unreleased)[-_])?(?:changelog|changes|history|news|release[-_]?notes|whats[-_]?new)"
    rb"(?:[-_.]?v?\d[\w.-]{0,20}?)?"
    rb"|(?:releases|whats[-_]?new)/[^/]{1,80})(?:\.(?:md|mdx|markdown|rst|txt|adoc|org|rdoc))?\Z"
)
# Folders of entries: of towncrier, reno, changie, changesets and others. The suffix of an entry may be its kind.
_CHANGELOG_FRAGMENT = compile_on_use(
    rb"(?i)(?:^|/)(?:\.?changelogs?(?:\.d)?|\.?changesets?|\.?changes?|newsfragments?|news|release[-_]?notes|unreleased"
    rb"|\.unreleased|\.chloggen|upcoming_changes|next_(?:whats_new|api_changes))/(?:[^/]{1,80}/){0,3}(?!readme|config|template)"
    rb"(?:[^/.]{1,80}|[^/]{0,80}\.(?:md|rst|txt|adoc|ya?ml|toml|json|\d+|bug(?:fix)?|fix(?:ed)?|feat(?:ure)?|added|add"
    rb"|changed?|removed?|removal|deprecat(?:ed|ion)|security|breaking|break|enhancement|improvement|misc|doc|docs))\Z"
)
# By the modes of git.diff, which loads what starts processes.
_NATURES_OF_MODES = {"160000": "submodule", "120000": "link"}
_NATURES = {"A": "added", "D": "deleted", "C": "copied", "T": "type"}
# A text on one line is one token, since its blanks are no layout.
TOKEN = compile_on_use(rb"\"[^\"\\]*\"|`[^`\\]*`|(?<!\w)'[^'\\]*'(?!\w)|\w+|[^\w\s]")
# What blanks separate, without those in a text.
_WORD = compile_on_use(rb"(?:\"[^\"\\]*\"|(?<!\w)'[^'\\]*'|\S)+")
_NAME = compile_on_use(rb"\w")
# What is in no word, and a table that makes it blank.
_SIGNS = b"\t!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" + bytes(range(128, 256))
_BLANKED = bytes.maketrans(_SIGNS, b" " * len(_SIGNS))
_IMPORT_WORDS = {b"import", b"from", b"use", b"using"}
# Tokens after which a bracket at the end of a line of Python only allows the expression to go on.
_BEFORE_EXPRESSION = {b"=", b"return", b"in", b"assert"}
_OPENING = {b"(", b"[", b"{"}
_CLOSING = {b")", b"]", b"}"}
# A comma at the end of a line, until it is known that it ends no list.
_LAST_COMMA = b",\n"

_WORD_LIST = compile_on_use(rb"(?:\A|/)\.?(?:cspell|codespell|spelling|wordlist)[./-]")
# What names a folder or a file of texts in one language, such as `pt-br`, the common languages, and where such are.
_LANGUAGE = compile_on_use(rb"[A-Za-z]{2}(?:[-_](?:[A-Za-z]{2}|(?i:hans|hant|latn|cyrl)))?\Z")
_LANGUAGES = frozenset(
    b"ar bg bn ca cs da de el en es et fa fi fr gl he hi hr hu id it ja ka kk ko lt lv ms nb nl nn no pl pt ro ru sk "
    b"sl sq sr sv sw ta te th tr uk ur uz vi zh".split()
)
_TEXT_FOLDERS = frozenset(b"i18n intl l10n lang langs language languages locale locales nls translations".split())
_TEXT_ENDINGS = frozenset(
    b"adoc arb csv ftl htm html ini json json5 lang markdown md mdx mo po properties resx rst strings toml txt xlf "
    b"xliff xml yaml yml".split()
)


def classify_file(path: bytes, lines: Iterable[bytes]) -> str:
    """Return the kind of the file at `path` of which `lines` changed: those of a `.txt` say more than its name."""
    kind = classify_path(path)
    if kind != CONFIGURATION or not path.lower().endswith(b".txt"):
        return kind
    starts = (line[:LINE_BYTES] for line in lines)
    telling = list(islice((line for line in starts if line.strip()), _LINES_CLASSIFIED))
    code = sum(_CODE.search(line) is not None for line in telling)
    prose = sum(_PROSE.search(line) is not None and not _CODE.search(line) for line in telling)
    if 2 * prose > len(telling):
        return DOCUMENTATION
    if 2 * code > len(telling):
        return SOURCE
    return CONFIGURATION


def is_expected_output(path: bytes) -> bool:
    """Whether the file at `path` is a recorded output with which tests compare: its values follow from the code."""
    folder, name = posixpath.split(path.decode("utf-8", "replace").lower())
    return not _EXPECTED_FOLDERS.isdisjoint(folder.split("/")) or _is_expected_name(name)


def _is_expected_name(name: str) -> bool:
    *stems, ending = name.split(".")
    if ending in _RECORDED_ENDINGS and len(stems) > 1 and stems[-1] in _EXPECTED_ENDINGS:
        return True
    is_recorded = bool(stems) and ending in _EXPECTED_ENDINGS
    return is_recorded or ("expected" in name and _EXPECTED_NAME.search(name) is not None)


@lru_cache(maxsize=1 << 15)  # paths of a history are asked for again
def classify_path(path: bytes) -> str:
    """Return the kind of the file at `path`, judged by its name alone: a rename can change it."""
    original = path.decode("utf-8", "replace")
    folder, name = posixpath.split(original.lower())
    folders = set(folder.split("/"))
    stem, point, ending = name.rpartition(".")
    if not point:
        ending = ""
    is_of_ci = name in _CI_NAMES or (ending in ("yml", "yaml") and stem in _CI_STEMS)
    is_listed = ending in ("txt", "in") and ("requirements" in name or "requirements" in folders)
    tool, *others = name.split(".")
    is_of_tool = tool in _BUILD_TOOLS and (len(others) == 1 or (len(others) == 2 and others[0] == "config"))
    is_of_tool = is_of_tool or (name.startswith(_BUILD_YAML) and ending in ("yml", "yaml"))
    is_of_tool = is_of_tool or (name.startswith("tsconfig") and ending == "json")
    is_image = name.startswith(("dockerfile", "containerfile")) or name.endswith("dockerfile")
    # A package may be called `doc`, and a part of the source `documentation`.
    above, source, _ = f"{folder}/".partition("/src/")
    around = set(above.split("/")) if source and ending not in _DOC_ENDINGS else folders
    is_documented = (around - {"doc"} if above.endswith("/doc") else around) & _DOC_FOLDERS
    # A schema or a specification that programs read is no test, nor is one in the documentation.
    is_data = folder in _SPEC_FOLDERS and ending in _DATA_ENDINGS
    is_read = is_data or (is_documented and ending in _DOC_ENDINGS)
    is_of_specs = not is_read and folders & _SPEC_FOLDERS and _SPECS.search(f"{folder}/")
    # Scenarios of Cucumber are tests wherever they are.
    is_class = ending in _CLASS_ENDINGS and _TEST_CLASS.search(original)
    is_test = is_class or _is_expected_name(name) or (("test" in name or "spec" in name) and _TEST_NAME.search(name))
    title, *others = name.replace("-", ".").split(".")
    # `history.go` is source.
    is_titled = title in _DOC_NAMES and len(others) < 2 and not read_language(name).comments
    is_document = ending in _DOC_ENDINGS or is_titled
    for kind, found in (
        (CONFIGURATION, folder.startswith(".github/issue_template")),
        (LOCK, name in _LOCK_NAMES or ending in _LOCK_ENDINGS),
        (GENERATED, folders & _GENERATED_FOLDERS or name.endswith(_GENERATED_ENDINGS)),
        (GENERATED, stem.endswith(_GENERATED_STEMS)),
        (CI, folder.startswith(_WORKFLOWS) or folders & _CI_FOLDERS or is_of_ci),
        (TESTS, folders & _TEST_FOLDERS or is_test or ending == "feature" or is_of_specs),
        (MANIFEST, name in _MANIFEST_NAMES or ending in _MANIFEST_ENDINGS or is_listed),
        (MANIFEST, name.startswith("constraints") and ending == "txt"),
        (BUILD, name in _BUILD_NAMES or ending in _BUILD_ENDINGS or is_image or is_of_tool),
        # Below `www` at the top is a project's page; elsewhere it is what a server shows.
        (DOCUMENTATION, is_documented or f"{folder}/".startswith("www/") or is_document),
        (ASSET, ending in _ASSET_ENDINGS),
        (CONFIGURATION, name.startswith(".") or name in _CONFIGURATION_NAMES or ending in _CONFIGURATION_ENDINGS),
        (CONFIGURATION, folder.startswith(".") and not point),
    ):
        if found:
            return kind
    return SOURCE


def classify_diff(diff: FileDiff) -> str:
    """Return what happened to a file, in one or two words; `modified` is any change without a more specific one.

    The others: added, deleted, moved, copied, mode, link, submodule, type, binary, comments, and those of FORMATTING.
    """
    change = diff.change
    for mode, nature in _NATURES_OF_MODES.items():
        if mode in (change.old_mode, change.new_mode):
            return nature
    if change.status in _NATURES:
        return _NATURES[change.status]
    if change.old_id == change.new_id:
        return "moved" if change.status == "R" else "mode"
    if not diff.complete:
        return "modified"
    if not diff.hunks:
        return "binary"
    return _find_nature_of_lines(diff)


def changed_lines(diff: FileDiff) -> tuple[list[bytes], list[bytes]]:
    removed: list[bytes] = []
    added: list[bytes] = []
    for hunk in diff.hunks:
        removed += hunk.removed
        added += hunk.added
    return removed, added


def _find_nature_of_lines(diff: FileDiff) -> str:
    name = diff.change.path.decode("utf-8", "replace").lower()
    language, (removed, added) = read_language(name), changed_lines(diff)
    # Hunk by hunk: a line that moved past others is the same, but what it does may not be.
    if all(hunk.removed == hunk.added for hunk in diff.hunks):
        return "final newline"
    if _are_equal(diff, lambda lines: [line.rstrip(b"\r") for line in lines]):
        return "line endings"
    # Without the same words, neither layout nor style alone differs, and most changes end here.
    has_same_words = _find_bare_words(removed) == _find_bare_words(added)
    if has_same_words and _are_equal(diff, lambda lines: _without_layout(lines, language)):
        return "whitespace"
    flags: list[bool] = []
    for hunk in diff.hunks:
        flags += [*find_prose(hunk, language, "removed"), *find_prose(hunk, language, "added")]
    if all(flags):
        return "comments"
    if not has_same_words or max(map(len, (*removed, *added)), default=0) > _STATEMENT_LENGTH:
        return "modified"
    pairs = [(_drop_last_comma(hunk.removed, hunk), _drop_last_comma(hunk.added, hunk)) for hunk in diff.hunks]
    if _differ_in_style(pairs, language) or _differ_in_style(_join_near(diff.hunks), language):
        return "style"
    return "modified"


def _drop_last_comma(lines: list[bytes], hunk: Hunk) -> list[bytes]:
    """Return lines without a comma at their end if what follows the hunk closes a list, but no tuple."""
    if lines and lines[-1].rstrip().endswith(b",") and b"".join(hunk.after[:1]).strip()[:1] in (b"]", b"}"):
        return [*lines[:-1], lines[-1].rstrip()[:-1]]
    return lines


def _find_bare_words(lines: Iterable[bytes]) -> set[bytes]:
    return set(b" ".join(lines).translate(_BLANKED).split())


def _are_equal(diff: FileDiff, reduce: Callable[[list[bytes]], list[bytes]]) -> bool:
    return all(reduce(hunk.removed) == reduce(hunk.added) for hunk in diff.hunks)


def _without_layout(lines: list[bytes], language: Language) -> list[bytes]:
    """Return what is left of the lines without layout; if it is equal, two versions differ in layout only."""
    parts: list[bytes] = []
    for line in lines:
        if not language.indents:
            parts += TOKEN.findall(line)
        elif line.strip():
            indentation = line[: count_indent(line)]
            parts.append(b" ".join([indentation, *_WORD.findall(line)]))
    return parts


def find_translated(path: bytes) -> tuple[bytes, bytes]:
    """Return `path` without the language that one of its folders or its name is, and that; empty bytes if it has none.

    What is no text, nor in a folder of languages, has none: `id.c` and `nl.c` are not translated.
    """
    parts = path.split(b"/")
    if path.rpartition(b".")[2].lower() not in _TEXT_ENDINGS and _TEXT_FOLDERS.isdisjoint(path.lower().split(b"/")):
        return b"", b""
    for place in range(len(parts) - 1, -1, -1):
        name, dot, ending = parts[place].partition(b".")
        language = name[:2].lower()
        if language in _LANGUAGES and _LANGUAGE.match(name):
            return b"/".join([*parts[:place], b"*" + dot + ending, *parts[place + 1 :]]), language
    return b"", b""


def is_word_list(path: bytes) -> bool:
    """Whether a file says to a checker of spelling which words are right, which follows from what has them."""
    path = path.lower()
    return (b"spell" in path or b"wordlist" in path) and _WORD_LIST.search(path) is not None


def is_changelog(path: bytes) -> bool:
    return _has_word_of_changelogs(path) and _CHANGELOG.search(path) is not None


def is_changelog_fragment(path: bytes) -> bool:
    """Whether the file at `path` is in a folder of entries of which a changelog is made."""
    return _has_word_of_changelogs(path) and _CHANGELOG_FRAGMENT.search(path) is not None


@lru_cache(maxsize=1 << 15)
def _has_word_of_changelogs(path: bytes) -> bool:
    path = path.lower()
    return any(word in path for word in _WORDS_OF_CHANGELOGS)


def _join_near(hunks: Sequence[Hunk]) -> Sides:
    """Return the lines of hunks, with the few between two of them: what a bracket closes may have moved there."""
    joined: list[tuple[list[bytes], list[bytes]]] = []
    end = 0
    for hunk in hunks:
        start = hunk.old_start if hunk.old_count else hunk.old_start + 1
        between: Sequence[bytes] = ()
        if joined and 0 < start - end <= min(_LINES_BETWEEN, len(hunk.before)):
            between = hunk.before[end - start :]
        if not between:
            joined.append(([], []))
        for side, lines in zip(joined[-1], (hunk.removed, hunk.added), strict=True):
            side += [*between, *lines]
        end = start + hunk.old_count
    return joined


def _differ_in_style(hunks: Sides, language: Language) -> bool:
    if not language.is_formatted:
        return False
    # The names in the imports of each side, with their modules: they move from one hunk to another.
    imported: tuple[set[tuple[bytes, bytes]], set[tuple[bytes, bytes]]] = set(), set()
    for hunk in hunks:
        sides = []
        for lines, names in zip(hunk, imported, strict=True):
            side: list[bytes] = []
            for indentation, tokens in _read_statements(lines, language):
                # In Python an import may move into a function.
                if tokens[0] in _IMPORT_WORDS and not (language.indents and indentation):
                    module = _find_module(tokens)
                    names.update([(module, token) for token in tokens if _NAME.search(token)])
                else:
                    side += [b"\n", indentation, *tokens] if language.indents else tokens
            sides.append(side)
        if sides[0] != sides[1]:
            return False
    return imported[0] == imported[1]


def _find_module(tokens: Sequence[bytes]) -> bytes:
    """Return what an import takes names from, where one statement has only one of it; else an empty text."""
    if tokens[0] == b"from" and b"import" in tokens:
        return b"".join(tokens[1 : tokens.index(b"import")])
    quoted = [token for token in tokens if token[:1] in (b'"', b"'")]
    return quoted[0] if len(quoted) == 1 else b""


def _read_statements(lines: Sequence[bytes], language: Language) -> Iterator[tuple[bytes, list[bytes]]]:
    """Yield the indentation and the tokens of statements, without those that only allow them to go on.

    They go on while a bracket is open.
    """
    indentation = b""
    tokens: list[bytes] = []
    # For each open bracket, where it is left out, or None.
    opened: list[int | None] = []
    commas: set[int | None] = set()
    for line in [line for line in lines if line.strip()]:
        indentation = indentation if tokens else line[: count_indent(line)]
        parts = TOKEN.findall(line.replace(b"'", b'"') if language.quotes_alike else line)
        is_continued = parts[-1] == b"\\"
        if is_continued:
            parts.pop()
        for number, part in enumerate(parts, 1):
            is_last, is_left_out = number == len(parts), False
            if tokens and tokens[-1] == _LAST_COMMA:
                tokens[-1] = b","
                if part in _CLOSING:
                    tokens.pop()
            if part in _OPENING:
                is_expression = part == b"(" and bool(tokens) and tokens[-1] in _BEFORE_EXPRESSION
                is_left_out = is_last and is_expression and language.name == "python"
                opened.append(len(tokens) if is_left_out else None)
            elif part == b"," and opened:
                commas.add(opened[-1])
            elif part in _CLOSING and opened:
                place = opened.pop()
                is_left_out = place is not None and place not in commas
                if place in commas and place is not None:
                    tokens.insert(place, b"(")  # a tuple
            if not is_left_out:
                tokens.append(_LAST_COMMA if part == b"," and is_last and opened else part)
        if tokens and not opened and not is_continued:
            yield indentation, tokens
            tokens, commas = [], set()
    if tokens:
        yield indentation, tokens
