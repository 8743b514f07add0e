"""Finds passwords in files of configuration, however weak; not placeholders, or the defaults of a container."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from smartcommit.git.diff import FileChange
from smartcommit.git.objects import find_added
from smartcommit.git.repo import Repository
from smartcommit.patterns import compile_on_use
from smartcommit.secrets.forms import Strength, is_reference, rate_name
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
# Settings without quotes, to the end of the line; texts, also beside others; environment variables of containers; and
# logins in the addresses of servers.
_BARE = compile_on_use(
    rb"(?m)^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?[\"']?(?P<name>[A-Za-z_][\w.:-]{1,80}?)[\"']?[ \t]*[:=][ \t]*"
    rb"(?P<value>[^\s\"'#;,{}\[\]|>&*!]\S{2,200}?)[ \t]*,?[ \t]*(?:[#;][^\r\n]*)?\r?$"
)
_TEXT = compile_on_use(
    rb"(?<![\w.-])(define\([ \t]*)?[\"']?(?P<name>[A-Za-z_][\w.:-]{1,80}?)[\"']?\]?[ \t]*(?(1),|(?:=>|[:=]))[ \t]*"
    rb"(?P<value>\"[^\"\r\n]{3,200}\"|'[^'\r\n]{3,200}')[ \t]*(?=[,;)}\]#\r\n]|//|\Z)"
)
# In a connection string.
_PART = compile_on_use(rb"(?i)[;\"'](?P<name>password|pwd)=(?P<value>[^;\"'\r\n]{3,100})(?=[;\"'])")
_VARIABLE = compile_on_use(
    rb"(?m)\bname:[ \t]*[\"']?(?P<name>\w{2,80})[\"']?[ \t]*\r?\n[ \t]*"
    rb"value:[ \t]*(?P<value>[\"']?[^\s\"'#]{3,200}[\"']?)[ \t]*\r?$"
)
_ADDRESS = compile_on_use(
    rb"\b[a-z][a-z+]{1,20}://(?P<name>)[^\s:/@\"'<>]{0,60}:(?P<value>[^\s:/@\"'<>]{3,100})@(?!localhost|127\.|example)[\w.-]"
)
# Names whose value is where a secret is.
_ABOUT = compile_on_use(r"(?i).*(?:existing|pull|image|tls|ref|name|from)[\w.-]*")
# Of the names that a secret may have, those of a key or token of an interface.
_KEY = compile_on_use(r"(?i)(?:api|access|secret|private|auth|bot|client)[_.-]?(?:key|token)\Z|(?:^|_)(?:pass|token)\Z")
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
    """Return the files of configuration among `changes` that have a password now and had none before.

    Four processes at most. Raise GitError if a file cannot be read.
    """
    found = []
    for names, find in ((_CONFIGURATION, _find_in_data), (_CODE, _find_in_code)):
        settings = []
        for change in changes:
            path = os.fsdecode(change.path)
            if change.status in "AM" and names.search(path) and not _HARMLESS.search(path):
                settings.append(change)
        found += find_added(repository, settings, find)
    return [Finding(path, f"contains a {kind}") for path, kind in found]


def _find_in_data(content: bytes) -> Iterator[str]:
    return islice(_find_kinds(content, (_TEXT, _ADDRESS, _PART, _BARE, _VARIABLE)), 1)


def _find_in_code(content: bytes) -> Iterator[str]:
    # Keys in code are often public, as those of a map.
    return islice(filter("password".__eq__, _find_kinds(content, (_TEXT, _ADDRESS))), 1)


def _find_kinds(content: bytes, patterns: Iterable[re.Pattern[bytes]]) -> Iterator[str]:
    """Yield for each password and each key of an interface in a file which of the two it is."""
    for found in chain.from_iterable(pattern.finditer(content) for pattern in patterns):
        name, value = found["name"].decode() or "password", found["value"].decode("utf-8", "replace").strip("\"'")
        strength = rate_name(name)
        is_key = strength is Strength.WEAK and _KEY.search(name) is not None and not value.isdigit()
        if (strength is Strength.STRONG or is_key) and not _ABOUT.fullmatch(name) and _is_given(value):
            yield "key" if is_key else "password"


def _is_given(value: str) -> bool:
    """Whether a value is meant as it stands."""
    # One capitalized word is most likely a label in some language.
    if " " in value or (value.isalpha() and value.istitle()) or _PLACEHOLDER.fullmatch(value):
        return False
    return value.isdigit() or not is_reference(value)
