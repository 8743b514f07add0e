"""Secrets: how they look, redaction in what is sent, and a scan of what is about to be committed.

`LLMClient` redacts whatever it sends, so no caller can forget to. We do not use `detect-secrets`: it looks at single
lines, so it recognizes a private key only by its first line, which a hunk may lack, and it finds fewer of the kinds in
our tests (the figures are in the documentation). A false positive in a redacted text costs one word that the model does
not see. A scan warns about commits or stops them, so it looks only for kinds that hardly anything harmless resembles.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from smartcommit.git.diff import SUBMODULE_MODE, FileChange
from smartcommit.git.objects import find_added, read_sizes
from smartcommit.git.repo import Repository

Value = TypeVar("Value")

_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# A line of a key's body, after the signs of a diff and the numbers of a listing.
_KEY_LINE = re.compile(r"[-+ \t\d:|>\"']{0,20}[A-Za-z0-9+/=]{1,80}(?:\\n)?[\"',\\ \t]{0,4}")
_WHOLE_LINE = re.compile(r"[-+ \t\d:|>]{0,20}[A-Za-z0-9+/=]{60,80}")

# The forms of providers' keys, which are recognized anywhere.
_SHAPES = {
    "aws key": r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}(?![A-Z0-9])",
    "github token": r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}",
    "gitlab token": r"gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_.-]{16,300}",
    "slack token": r"xox[abeoprs]-[A-Za-z0-9-]{8,255}|xapp-[A-Za-z0-9-]{10,255}",
    "webhook": r"hooks\.slack\.com/(?:services|workflows)/[\w/+-]{10,120}"
    r"|discord(?:app)?\.com/api/webhooks/\d{5,30}/[\w-]{20,120}",
    "stripe key": r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{16,120}",
    "google key": r"AIza[\w-]{30,60}|GOCSPX-[\w-]{20,60}|ya29\.[\w.-]{20,400}",
    "model provider key": r"(?<![A-Za-z0-9])sk-(?:ant-|proj-|svcacct-|or-)?[\w-]{20,255}|hf_[A-Za-z0-9]{20,60}",
    "package token": r"npm_[A-Za-z0-9]{30,60}|pypi-[\w-]{40,400}|rubygems_[a-f0-9]{40,60}|dckr_pat_[\w-]{20,60}",
    "mail key": r"SG\.[\w-]{16,40}\.[\w-]{30,60}|key-[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2}",
    "twilio key": r"(?<![A-Za-z0-9])(?:SK|AC)[a-f0-9]{32}(?![A-Za-z0-9])",
    "platform token": r"(?:dop|doo|dor)_v1_[a-f0-9]{40,80}|hv[sbr]\.[\w-]{20,300}|dapi[a-f0-9]{32}"
    r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|AGE-SECRET-KEY-1[A-Z0-9]{50,70}|lin_api_[A-Za-z0-9]{30,60}|glsa_[\w]{30,60}|PMAK-[a-f0-9-]{40,80}",
    "bot token": r"(?<!\d)\d{8,12}:AA[\w-]{30,40}|[MNO][\w-]{22,28}\.[\w-]{6,8}\.[\w-]{25,45}",
    "jwt": r"(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,8000}(?:\.[\w-]{0,4000})?",
}
_SHAPE = re.compile("|".join(f"(?P<{name.replace(' ', '_')}>{pattern})" for name, pattern in _SHAPES.items()))
# The forms that nothing harmless has, unlike the others. Separate patterns that begin with literal letters are ten
# times as fast as one for all.
_CERTAIN = {"private key": _KEY_BEGIN}
for _kind in ("aws key", "github token", "gitlab token", "slack token", "google key", "package token"):
    _CERTAIN[_kind] = re.compile(_SHAPES[_kind])
_URL = re.compile(r"(?<=://)([^\s/:@\"'<>]{0,100}):([^\s/@\"'<>]{1,200})(?=@)")
_HEADER = re.compile(r"(?i)\b(?:bearer|basic|token)\s+([\w+/=.~-]{16,500})")
_NAMED = re.compile(
    r"(?i)((?:passw(?:or)?d|passphrase|passwd|pwd|secret|token|api_?-?key|access_?-?key|account_?-?key|private_?-?key"
    r"|credentials?|auth(?!or)|signature|client_?-?id|sas|salt)[\w.-]{0,40}[\"']?\s{0,8}(?::=|=>|==?|:)\s{0,8})"
    r"(\"[^\"\n]{4,400}\"|'[^'\n]{4,400}'|[^\s\"'`,;(){}\[\]<>]{6,400})"
)
_TOKEN = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
# Text in UTF-16, where each letter has a NUL beside it. Dropping every NUL instead would join the words in a table of
# a binary.
_WIDE = re.compile(rb"(?:[\t\n\r -~]\0){16,}[\t\n\r -~]?")

# Files that hold secrets and nothing else.
_SECRET_FILE = re.compile(
    r"(?:\.env(?:\.(?:local|production|development))?|\.(?:netrc|pgpass|pypirc)|credentials\.json"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|p12|pfx|keystore|jks|kdbx|ppk))",
    re.IGNORECASE | re.DOTALL,
)
# Files that may hold secrets; many of these names also have harmless uses.
_SENSITIVE_FILE = re.compile(
    r"(?:^|/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?|[\w.-]+\.env|\.(?:npmrc|pypirc|netrc|pgpass|htpasswd)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.\w+)?|secrets?\.(?:ya?ml|json|toml|ini|env|txt)"
    r"|[\w.-]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|tfstate|tfvars))$",
    re.IGNORECASE,
)
# Bytes; a larger file was most likely built or downloaded.
_ARTIFACT_SIZE = 10 << 20
_DIGITS = re.compile(r"\d+")
_RUNS = re.compile(r"[a-z]+|[A-Z]+|\d+|[^a-zA-Z\d]+")
_HEX = re.compile(r"[0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """A file that should probably not be committed: `reason` continues a sentence that begins with `path`."""

    path: bytes
    reason: str


def scan(repository: Repository, changes: Sequence[FileChange]) -> list[Finding]:
    """Return the files of `changes` that look like secrets or build artifacts, each with one finding.

    Only what a change adds counts. No finding quotes what it found. Raise GitError if a file cannot be read.
    """
    reasons: dict[bytes, str] = {}
    for change in changes:
        if _becomes_secret_file(change):
            reasons[change.path] = "looks like a secrets file"
    added = [change for change in changes if change.status == "A" and change.new_mode != SUBMODULE_MODE]
    for change, size in zip(added, read_sizes(repository, [change.new_id for change in added]), strict=True):
        if size > _ARTIFACT_SIZE:
            reasons.setdefault(change.path, f"is {size >> 20} MiB and looks like a build artifact")
    unknown = [change for change in changes if change.path not in reasons]
    for path, (kind, _) in find_added(repository, unknown, _secrets_in):
        reasons.setdefault(path, f"contains a secret ({kind})")
    return [Finding(path, reason) for path, reason in reasons.items()]


def may_hold_secrets(path: bytes) -> bool:
    """Return whether the content of the file at `path` should not be shown to a model, judging by its name."""
    return _SENSITIVE_FILE.search(path.decode("utf-8", "replace")[-400:]) is not None


def redact_value(value: Value) -> Value:
    """Return a copy of `value` with every text in its dictionaries and lists redacted, except keys."""
    if isinstance(value, str):
        return redact(value)  # type: ignore[return-value]
    if isinstance(value, dict):
        return {key: redact_value(item) for key, item in value.items()}  # type: ignore[return-value]
    if isinstance(value, (list, tuple)):
        return [redact_value(item) for item in value]  # type: ignore[return-value]
    return value


def redact(text: str) -> str:
    """Return `text` with each secret replaced by `[redacted: kind]`; takes linear time."""
    text = _redact_private_keys(text)
    text = _SHAPE.sub(lambda found: f"[redacted: {(found.lastgroup or '').replace('_', ' ')}]", text)
    text = _URL.sub(r"\1:[redacted: password]", text)
    text = _HEADER.sub(lambda found: found[0].replace(found[1], "[redacted: credentials]"), text)
    text = _NAMED.sub(_redact_named, text)
    return _TOKEN.sub(_redact_random, text)


def find_certain_secrets(text: str) -> list[tuple[str, str]]:
    """Return the kind and text of what can hardly be anything but a secret: private keys, and a few providers' keys."""
    found = []
    for kind, pattern in _CERTAIN.items():
        for match in pattern.finditer(text):
            if not match[0].endswith("EXAMPLE"):
                found.append((kind, match[0]))
    return found


def _becomes_secret_file(change: FileChange) -> bool:
    if change.status == "A":
        return _is_secret_file(change.path)
    # A copy of `.env.example` that was filled in can pass for a rename of it.
    return change.old_path is not None and _is_secret_file(change.path) and not _is_secret_file(change.old_path)


def _is_secret_file(path: bytes) -> bool:
    return _SECRET_FILE.fullmatch(os.fsdecode(os.path.basename(path))) is not None


def _secrets_in(content: bytes) -> list[tuple[str, str]]:
    """Return the certain secrets in a file in UTF-16, or in any encoding that extends ASCII."""
    found = find_certain_secrets(content.decode("latin-1"))
    if b"\0" in content:
        for wide in _WIDE.finditer(content):
            found += find_certain_secrets(wide[0][::2].decode("ascii"))
    return found


def _redact_private_keys(text: str) -> str:
    if "PRIVATE KEY" not in text and not _WHOLE_LINE.search(text):
        return text
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        begins, ends = _KEY_BEGIN.search(line), _KEY_END.search(line)
        if begins or (ends and (inside or not kept)):
            # A key on one line, as in an escaped text, has both.
            before = line[: begins.start()] if begins else ""
            after = line[ends.end() :] if ends else ""
            kept.append(f"{before}[redacted: private key]{after}")
            inside = bool(begins) and not ends
        elif (inside and _is_key_body(line)) or _is_key_line(line):
            kept.append("[redacted: private key]")
            inside = True
        else:
            kept.append(line)
            inside = False
    return "\n".join(kept)


def _is_key_body(line: str) -> bool:
    bare = line.strip("+- \t")
    # An encrypted key has headers before its body, with an empty line between.
    return not bare or _KEY_LINE.fullmatch(line) is not None or bare.startswith(("Proc-Type:", "DEK-Info:", "Version:"))


def _is_key_line(line: str) -> bool:
    """Return whether a line belongs to a key whose first line is missing, as in a hunk."""
    return _WHOLE_LINE.fullmatch(line) is not None and _is_random(line.strip("+- \t"))


def _redact_named(found: re.Match[str]) -> str:
    name, value = found[1], found[2]
    quoted = value.startswith(("'", '"'))
    bare = value.strip("\"'")
    if bare.startswith("[redacted") or not _can_be_secret(bare, quoted=quoted):
        return found[0]
    if not quoted:
        return f"{name}[redacted: secret]"
    return f"{name}{value[0]}[redacted: secret]{value[0]}"


def _redact_random(found: re.Match[str]) -> str:
    if not _is_random(found[0]):
        return found[0]
    return "[redacted: random text]"


def _can_be_secret(value: str, *, quoted: bool) -> bool:
    """Return whether the value of a variable such as `password` is a secret, and not a type, a call or a name."""
    if quoted:
        return " " not in value and not value.startswith(("$", "{", "<", "%"))
    has_digits = any(map(str.isdigit, value))
    has_letters = any(map(str.isalpha, value))
    has_signs = not value.startswith("$") and not set("!@#%^&*~+/=$").isdisjoint(value)
    return has_letters and (has_digits or has_signs) and "->" not in value


def _is_random(token: str) -> bool:
    """Return whether a run of letters and digits looks randomly generated rather than made of words."""
    token = token.strip("=_-+/")
    digits = sum(map(str.isdigit, token))
    if len(token) < 20 or digits < 2 or digits == len(token):
        return False
    if _HEX.fullmatch(token.replace("-", "")):
        return len(token) >= 24 and _entropy(token) > 2.8
    # Words may have a number or two at their ends.
    numbers = len(_DIGITS.findall(token))
    changes = len(_RUNS.findall(token)) - 1
    return (numbers > 2 or changes / len(token) > 0.36) and _entropy(token) > 3.4


def _entropy(text: str) -> float:
    """Return the entropy in bits per character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())
