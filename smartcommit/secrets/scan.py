"""Scans what is about to be committed for secrets, build artifacts and conflict markers.

A scan warns about commits or stops them, so it looks only for what hardly anything harmless resembles.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from smartcommit.git.diff import SUBMODULE_MODE, FileChange
from smartcommit.git.objects import filter_tracked, find_added, read_sizes
from smartcommit.git.repo import Repository
from smartcommit.patterns import compile_on_use
from smartcommit.secrets.files import IS_SECRET, find_unwanted, is_any_above, is_secret_file
from smartcommit.secrets.forms import rate_name
from smartcommit.secrets.lines import SECRET, redact_lines
from smartcommit.secrets.redaction import find_certain_secrets

# Text in UTF-16, where each letter has a NUL beside it. Dropping every NUL instead would join the words in a table of
# a binary.
_WIDE = compile_on_use(rb"(?:[\t\n\r -~]\0){16,}[\t\n\r -~]?")
# Lines of a conflict of git or jj: the first and the last one, which have a label, and those between the sides.
_CONFLICT = compile_on_use(rb"^(?:<{7}|>{7}|={7}|%{7}|\+{7}|-{7})(?=([ \t]+\S)|\s|\Z)", re.MULTILINE)
# Bytes; a larger file was most likely built or downloaded.
ARTIFACT_SIZE = 10 << 20
# Files of configuration, in which a password is one however weak it is.
_CONFIGURATION = compile_on_use(
    r"(?i)(?:^|/)(?:\.env(?:\.[\w.-]+)?|[\w.-]+\.env|[\w.-]+\.(?:local|ini|cfg|conf|cnf|config|properties|toml|ya?ml|tfvars|hcl)"
    r"|(?:[\w-]*[.-])?(?:appsettings|settings|config|configuration|application|database|db|credentials?|secrets?|local|prod(?:uction)?"
    r"|dev(?:elopment)?|staging)(?:[.-][\w.-]+)?\.json[5c]?)\Z"
)
# The same that is written as code, where only texts are values.
_CODE = compile_on_use(
    r"(?i)(?:^|/)(?:(?:[\w-]*[._-])?(?:local|private|prod(?:uction)?|staging|config(?:uration)?|settings|credentials?|secrets?)"
    r"(?:[._-](?:settings?|config|env|conf|local|inc|prod|dev|private))?|(?:wp-)?(?:config|database|db|env|parameters))"
    r"\.(?:php|py|[cm]?[jt]s|rb|exs|lua|groovy|kts|pl)\Z"
)
# Files that show how something is set, ask for it, or set it for a test.
_HARMLESS = compile_on_use(
    r"(?i)(?:^|[/._-])(?:examples?|samples?|templates?|tmpl|dist|defaults?|schemas?|tests?|testing|testdata|specs?|fixtures?|mocks?|e2e|ci"
    r"|docs?|demos?|locales?|i18n|l10n|lang|languages?|translations?|messages|strings|labels|openapi|swagger|sops|enc|encrypted|sealed"
    r"|workflows|github|gitlab|circleci|travis|appveyor|pipelines?|stub|playground|vagrant)(?:[/._-]|\Z)|(?:^|/)(?:package|composer"
    r"|manifest|tsconfig)[\w.-]*\.json\Z|lock|(?:^|/)(?:(?!db|qa)[a-z]{2}(?:[_-][a-z]{2})?)\.(?:ya?ml|json|properties)\Z"
)
# Names in what is before a value.
_NAME = compile_on_use(r"[\w.-]+")
_PLACEHOLDER = compile_on_use(
    r"(?i).*(?:change[-_ ]?(?:me|this|it)|replace|insert|your|required|example|sample|placeholder|dummy|fake|insecure"
    r"|redacted|todo|fixme|\.\.\.|<|>|\$\{?|\{\{|%\(|xxx|\*\*\*|not[-_]?set|unset|env[.(:]|vault|file:|ref[+:]|arn:).*"
    r"|(?:test(?:ing)?\d*|null|none|nil|true|false|yes|no|on|off|undefined|string|str|text|required|optional|empty"
    r"|default|disabled|enabled|prompt|ask|admin|root|guest|user(?:name)?|postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|rabbitmq|minioadmin"
    r"|(?:(?:my|the|some|a|db)[-_]?)?(?:secret|passw(?:or)?d|pass|token|api[-_]?key)(?:[-_]?(?:here|value|key))?"
    r"|sa|app|dev|demo|local|foo|bar|baz|bearer|basic|digest|oauth2?|jwt|plain|md5|sha\d+|scram-sha-\d+|bcrypt|argon2\w*|[-x*.]+)"
    r"|/.*|\.{1,2}/.*|[a-z][\w+.-]*://.*|[\^~]?\d+(?:\.\d+)+.*"
)


@dataclass(frozen=True, slots=True)
class SuspectFile:
    """A file that was perhaps not meant to be committed: it has a secret or a conflict, was built or left behind.

    `reason` continues a sentence that begins with `path`; a folder ends in a slash. `left_out` is whether it stays
    uncommitted.
    """

    path: bytes
    reason: str
    is_secret: bool = False
    left_out: bool = True

    def has(self, path: bytes) -> bool:
        return is_any_above(path, (self.path,))


def scan(repository: Repository, base: str, changes: Sequence[FileChange]) -> list[SuspectFile]:
    """Return the files of `changes` since the tree or commit `base` that look like secrets or build artifacts.

    Each has one finding; what a program made in one folder is that folder, which ends in a slash, and is not read. Only
    what a change adds counts. No finding quotes what it found. Raise GitError if a file cannot be read.
    """
    added = [change for change in changes if _is_added_file(change)]
    findings = scan_names(repository, base, [change.path for change in added])
    suspect_paths = {finding.path for finding in findings}
    suspects: dict[bytes, SuspectFile] = {}
    unknown = [change for change in changes if not is_any_above(change.path, suspect_paths)]
    for change in unknown:
        # A copy of `.env.example` that was filled in can pass for a rename of it.
        if change.old_path is not None and is_secret_file(change.path) and not is_secret_file(change.old_path):
            suspects[change.path] = SuspectFile(change.path, IS_SECRET, is_secret=True)
    added = [change for change in unknown if _is_added_file(change)]
    sizes = read_sizes(repository, [change.new_id for change in added])
    for change, size in zip(added, sizes, strict=True):
        if size > ARTIFACT_SIZE:
            artifact = SuspectFile(change.path, f"is {size >> 20} MiB and looks like a build artifact")
            suspects.setdefault(change.path, artifact)
    unknown = [change for change in unknown if change.path not in suspects]
    for path, (kind, _) in find_added(repository, unknown, _find_secrets_in):
        suspects.setdefault(path, SuspectFile(path, f"contains a secret ({kind})", is_secret=True))
    return [*findings, *suspects.values()]


def _is_added_file(change: FileChange) -> bool:
    return change.status == "A" and change.new_mode != SUBMODULE_MODE


def scan_names(repository: Repository, base: str, paths: Collection[bytes]) -> list[SuspectFile]:
    """Return those of the new `paths` since `base` that look like secrets or artifacts by name; one process at most."""

    def find_tracked(names: list[bytes]) -> set[bytes]:
        return set(filter_tracked(repository, base, names))

    suspects = []
    for path, reason in find_unwanted(paths, find_tracked).items():
        suspects.append(SuspectFile(path, reason, is_secret=is_secret_file(path)))
    return suspects


def scan_conflicts(repository: Repository, changes: Sequence[FileChange]) -> list[SuspectFile]:
    """Return the files with new conflict markers; one that had some before, such as test data, may have more."""
    matches = find_added(repository, changes, _find_conflicts_in)
    return [SuspectFile(path, "contains conflict markers") for path, _ in matches]


def _find_secrets_in(content: bytes) -> list[tuple[str, str]]:
    secrets = find_certain_secrets(content.decode("latin-1"))
    if b"\0" in content:
        for wide in _WIDE.finditer(content):
            secrets += find_certain_secrets(wide[0][::2].decode("ascii"))
    return secrets


def _find_conflicts_in(content: bytes) -> list[bool]:
    """Return whether a file has the lines of a conflict: one with a label, or all of them in their order.

    In reStructuredText, a line of one sign can also be the underline of a heading.
    """
    expected = b"<"
    for marker in _CONFLICT.finditer(content):
        sign = marker[0][:1]
        if sign in b"<>" and marker[1]:
            return [True]
        if sign == b"<":
            expected = b"="
        elif expected == b"=" and sign != b">":
            expected = b">"
        elif sign == expected == b">":
            return [True]
    return []


def find_passwords(repository: Repository, changes: Sequence[FileChange]) -> list[SuspectFile]:
    """Return the files of configuration among `changes` that have a password now, however weak, and had none before.

    Placeholders and the defaults of a container are none.
    """
    matches = []
    for names, ends in ((_CONFIGURATION, ""), (_CODE, ("'", '"'))):
        settings = []
        for change in changes:
            path = os.fsdecode(change.path)
            if change.status in "AM" and names.search(path) and not _HARMLESS.search(path):
                settings.append(change)
        matches += find_added(repository, settings, partial(_find_password, ends))
    return [SuspectFile(path, "contains a password or key", is_secret=True) for path, _ in matches]


def _find_password(ends: str | tuple[str, ...], content: bytes) -> list[bool]:
    """Return whether a file has a password; what is before it has one of `ends`, as an expression has no quotes."""
    text = content.decode("utf-8", "replace")
    position = 0
    for piece in redact_lines(text).split(SECRET):
        # The first piece is the beginning of the text.
        end = text.find(piece, position) if piece else len(text)
        before = text[max(position - 200, 0) : position].rpartition("\n")
        beside = before[0].rpartition("\n")[2] + before[2]
        is_named = "://" in before[2] or any(rate_name(word) for word in _NAME.findall(beside))
        if is_named and before[2].endswith(ends) and _is_given(text[position:end]):
            return [True]
        position = end + len(piece)
    return []


def _is_given(value: str) -> bool:
    """Whether a value is meant as it stands; one capitalized word is most likely a label in some language."""
    return " " not in value and not (value.isalpha() and value.istitle()) and _PLACEHOLDER.fullmatch(value) is None
