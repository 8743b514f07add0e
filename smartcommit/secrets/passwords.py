"""Finds passwords in files of configuration, however weak; not placeholders, or the defaults of a container."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from smartcommit.git.diff import FileChange
from smartcommit.git.objects import find_added
from smartcommit.git.repo import Repository
from smartcommit.patterns import compile_on_use
from smartcommit.secrets.forms import rate_name
from smartcommit.secrets.lines import SECRET, redact_lines
from smartcommit.secrets.scan import Finding

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


def find_passwords(repository: Repository, changes: Sequence[FileChange]) -> list[Finding]:
    """Return the files of configuration among `changes` that have a password now and had none before."""
    found = []
    for names, ends in ((_CONFIGURATION, ""), (_CODE, ("'", '"'))):
        settings = []
        for change in changes:
            path = os.fsdecode(change.path)
            if change.status in "AM" and names.search(path) and not _HARMLESS.search(path):
                settings.append(change)
        found += find_added(repository, settings, partial(_find_password, ends))
    return [Finding(path, "contains a password or key") for path, _ in found]


def _find_password(ends: str | tuple[str, ...], content: bytes) -> list[bool]:
    """Return whether a file has a password; what is before it has one of `ends`, as an expression has no quotes."""
    text = content.decode("utf-8", "replace")
    position = 0
    for piece in redact_lines(text).split(SECRET):
        # The first piece is the beginning of the text.
        end = text.find(piece, position) if piece else len(text)
        before = text[max(position - 200, 0) : position].rpartition("\n")
        beside = before[0].rpartition("\n")[2] + before[2]
        is_named = "://" in before[2] or any(map(rate_name, _NAME.findall(beside)))
        if is_named and before[2].endswith(ends) and _is_given(text[position:end]):
            return [True]
        position = end + len(piece)
    return []


def _is_given(value: str) -> bool:
    """Whether a value is meant as it stands; one capitalized word is most likely a label in some language."""
    return " " not in value and not (value.isalpha() and value.istitle()) and _PLACEHOLDER.fullmatch(value) is None
