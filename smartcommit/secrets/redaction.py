"""Redacts secrets in what is sent to a model, and finds those of kinds that hardly anything harmless resembles.

`LLMClient` redacts whatever it sends, so no caller can forget to. A false positive costs a word that the model does not
see. `detect-secrets` is not used: it looks at single lines, and `benchmarks/redact.py` prints how much more it misses.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import TypeVar

from smartcommit.patterns import compile_on_use
from smartcommit.secrets import forms
from smartcommit.secrets.lines import redact_lines

Value = TypeVar("Value")

# A line of a key's body, and more of them behind line breaks, also escaped ones, and the signs of a diff, a listing or
# a language.
_LINE = (
    r"(?:(?:Version|Comment|Subject|Proc-Type|DEK-Info): [^\n\\]*"
    r"|[A-Za-z0-9+/=]{0,80}(?=[-\"'+.,;\\ \t]{0,12}(?:\r?\n|\\n|\Z)))"
)
_BODY = rf"(?:[-\"'+.,;\\ \t]{{0,12}}(?:\r?\n|\\n)[-+ \t\d:|>\"'#*]{{0,20}}{_LINE})*"
_KEY = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# What everybody may see.
_CERTIFICATE = (
    r"-{4,5} ?BEGIN (?:[A-Z0-9 ]{0,20}PUBLIC KEY(?: BLOCK)?|[A-Z0-9 ]{0,20}CERTIFICATE(?: REQUEST)?|X509 CRL) ?-{4,5}"
    + _BODY
)
# A key as a whole or in part, as in a hunk: its first line and body, lines of base64, or its last line.
_KEYS = compile_on_use(
    rf"(?P<certificate>{_CERTIFICATE})|-----BEGIN {_KEY}{_BODY}(?:-----END {_KEY})?|-----END {_KEY}"
    rf"|(?m:^)[-+ \t\d:|>]{{0,20}}(?P<line>[A-Za-z0-9+/]{{60,80}}={{0,2}}(?![\w-])){_BODY}(?:-----END {_KEY})?"
)
_LINE_OF_KEY = compile_on_use(r"(?m)^([-+ \t\d:|>]{0,20})[^\n]+$")

# A kind of secrets, texts of which one is in each, which are faster to look for, and the pattern.
_Form = tuple[str, Sequence[str], re.Pattern[str]]
# The forms of providers' keys that hardly anything else has: how they begin, and what follows.
_PROVIDERS = {
    "aws key": ("AKIA ASIA ABIA ACCA AGPA AIDA AROA ANPA", r"[A-Z0-9]{16}(?![A-Z0-9])"),
    "github token": ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"[A-Za-z0-9_]{20,}"),
    "gitlab token": ("glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent-", r"[\w.-]{16,}"),
    "slack token": ("xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[A-Za-z0-9-]{8,}"),
    "google key": ("AIza GOCSPX- ya29.", r"[\w.-]{26,}"),
    "npm token": ("npm_", r"[A-Za-z0-9]{30,}"),
    "package token": ("pypi- rubygems_", r"[\w-]{40,}"),
    "docker token": ("dckr_pat_", r"[\w-]{20,}"),
    "stripe key": ("sk_live_ rk_live_", r"[A-Za-z0-9]{20,}"),
    "model provider key": ("sk-proj- sk-ant- sk-svcacct- sk-admin- sk-or-v1-", r"(?=[\w-]{0,80}\d)[\w-]{32,}"),
    "age key": ("AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
}
# Those that examples and tests have as well. All others are found as random text.
_COMMON = {
    "token": (
        "hf_ gsk_ sk_test_ rk_test_ whsec_ shpat_ lin_api_ glsa_ figd_ pul- dapi dop_v1_ access_token$",
        r"[A-Za-z0-9$.-]{16,}",
    ),
    "model provider key": ("sk-", r"(?=[\w-]{0,80}\d)[\w-]{20,}"),
    "jwt": ("eyJ", r"[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    "id of an account": ("1/", r"\d{10,20}:[a-f0-9]{32}"),
}
# What may stand before a key: no letter or digit, unless it belongs to an escape such as `\n` or `%3D`.
_BEFORE = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=%[0-9A-F]{2}))"
_TOKEN = compile_on_use(rf"{_CERTIFICATE}|[A-Za-z0-9+/_-]{{16,}}={{0,2}}")
RANDOM = "[redacted: random text]"
# The characters of keys, and of a word at most: what is longer is a line without blanks.
_KEY_CHARACTERS = string.ascii_letters + string.digits + "+/_=.~-"
_WORD_LENGTH = 200
# What is as long as a hash or an id; Gerrit has a letter before that of a change.
_HASH = compile_on_use(r"[-+]?I?([\da-f]{24,128}|[\dA-F]{24,128})")
_HASH_LENGTHS = frozenset((24, 32, 40, 48, 56, 64, 96, 128))
# An id of a trace, as W3C and Amazon write it.
_TRACE = compile_on_use(r"(?:00-)?[0-9a-f]{32}-[0-9a-f]{16}(?:-0\d)?|1-[0-9a-f]{8}-[0-9a-f]{24}")
# How much of the text beside random text is looked at.
_CHARACTERS_BEFORE = 120
_CHARACTERS_BEHIND = 60
# What is before a number, also on the line above if that goes on.
_LEAD = compile_on_use(r"(?:[^\n]*[\\:=(\[{]\s*\n)?[^\n\w]*\Z|[^\n]*\Z")
# What is before the name of a commit, or of content by its hash, although a word about secrets is near.
_COMMIT = compile_on_use(
    r"[\w.-]/[\w.-]{1,100}@$|://(?![^\s]*hook)[^\s\"'<>?]*[/#]$|\.\.\.?$|(?i:\b(?:sha|commit|rev|revision|ref|checksum|digest|head|index|build|hash"
    r"|fingerprint|_?id|oid|uuid|from|at)[\"']?[\s:=]{1,4}[\"']?$)"
)
# What computes a hash, on the same line as its result.
_HASHED = compile_on_use(r"(?i)\b(?:sha-?(?:1|224|256|384|512)|md5|digest|checksum|crc|hexdigest|blake2?\w?)(?:sum)?\b")
# What is before text in base64, or an identifier, that everybody may see: a public key, an image, a document, a
# request, the state of a page.
_PUBLIC = compile_on_use(
    r"\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-[\w-]{1,20}|sk-[\w@.-]{1,60}|\bpeer)\s{1,4}$|data:[\w/+.-]{3,60}(?:;[\w=-]{1,30})?;base64,$"
    r"|://[^\s\"'<>?]{1,100}/(?:d|e|file|files|design|proto|board|documents?|docs?|folders|items?|video|playlist|embed)/$"
    r"|(?i:(?:(?:document|doc|file|folder|sheet|spreadsheet|page|drive|video|calendar|request|trace|correlation|span)[-_]?id"
    r"|\bx-amz-(?:cf-)?id(?:-2)?|pub(?:lic)?[-_]?key|\bcontent-?(?:hash|md5))[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:Root=)?$"
    r"|\be-?tag\b[^\n]{0,40}[\"']$)|\bW/\\?[\"']$"
)
# What is before a hash in base64, as in `integrity: "sha512-` and go.sum's `h1:`.
_DIGEST = compile_on_use(r"(?i)\b(?:(?:sha-?(?:1|256|384|512)|md5)[\"']?\s{0,4}[-:=]\s{0,4}[\"']?|h1:)$")
# The text itself says that it is a hash, as in `sha256-`.
_INTEGRITY = compile_on_use(r"sha(?:1|256|384|512)[-_=]")
# A file whose name has its hash, as in `app.3f2a9c.js`.
_LINKED_FILE = compile_on_use(r"\.(?:png|gif|jpe?g|svg|webp|mp4|html?|m?js|css|zip|t?gz|whl)\b")


def _compile_forms(forms: Mapping[str, tuple[str, str]]) -> list[_Form]:
    compiled: list[_Form] = []
    for kind, (beginnings, rest) in forms.items():
        marks = beginnings.split()
        compiled.append(
            (kind, marks, compile_on_use(rf"{_BEFORE}(?:{'|'.join(re.escape(mark) for mark in marks)}){rest}"))
        )
    return compiled


_CERTAIN = _compile_forms(_PROVIDERS)
_FORMS = [*_CERTAIN, *_compile_forms(_COMMON)]
_CERTAIN += [
    ("private key", ("PRIVATE KEY",), compile_on_use(rf"-----BEGIN {_KEY}")),
    ("login of a registry", ('"auths"',), compile_on_use(
        r"\"auths\"\s{0,20}:\s{0,20}\{[^{}]{0,200}\{[^{}]{0,400}\"auth\"\s{0,20}:\s{0,20}\"[A-Za-z0-9+/]{8,}={0,2}\""
    )),
    ("key of a cluster", ("client-key-data",),
     compile_on_use(r"\bclient-key-data\"?:\s{1,4}\"?LS0tLS1[A-Za-z0-9+/]{80,}")),
]  # fmt: skip


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
    text = _KEYS.sub(_redact_key, text)
    for kind, marks, pattern in _FORMS:
        if forms.has_mark(text, marks):
            text = _redact_form(text, kind, pattern)
    return _TOKEN.sub(_redact_random, redact_lines(text))


def cut_text(text: str, limit: int) -> str:
    """Return the start of `text`, at most `limit` characters; a word that does not fit is left out.

    Half a secret would not be recognized as one. In text without blanks, what is left out are letters and the signs
    that occur in keys.
    """
    if len(text) <= limit:
        return text
    start = text[:limit]
    if text[limit].isspace():
        return start
    last = max(start.rfind(" "), start.rfind("\t"), start.rfind("\n"))
    if len(start) - last > _WORD_LENGTH:
        return start.rstrip(_KEY_CHARACTERS)
    return start[: last + 1].rstrip()


def find_certain_secrets(text: str) -> list[tuple[str, str]]:
    """Return the kind and text of what can hardly be anything but a secret: private keys, and a few providers' keys."""
    secrets = []
    for kind, marks, pattern in _CERTAIN:
        if not forms.has_mark(text, marks):
            continue
        secrets += [(kind, match[0]) for match in pattern.finditer(text) if not forms.is_placeholder(match[0])]
    return secrets


def _redact_key(found: re.Match[str]) -> str:
    if found["certificate"]:
        return found[0]
    if found["line"] and (_HASH.fullmatch(found["line"]) or not forms.find_random(found["line"])):
        return found[0]
    return _LINE_OF_KEY.sub(r"\1[redacted: private key]", found[0])


def _redact_form(text: str, kind: str, pattern: re.Pattern[str]) -> str:
    def replace(found: re.Match[str]) -> str:
        return found[0] if forms.is_placeholder(found[0]) else f"[redacted: {kind}]"

    return pattern.sub(replace, text)


def _redact_random(found: re.Match[str]) -> str:
    token, start = found[0], found.start()
    if "BEGIN " in token or forms.is_prose_in_base64(token):
        return token
    if len(token) < forms.RANDOM_LENGTH:
        # Words with numbers resemble random text unless it is quoted.
        is_literal = {found.string[start - 1 : start], found.string[found.end() : found.end() + 1]} <= {"'", '"'}
        return RANDOM if is_literal and forms.is_short_random(token) else token
    for begin, end in reversed(forms.find_random(token)):
        if not _is_identifier(found.string, start + begin, start + end):
            token = token[:begin] + RANDOM + token[end:]
    return token


def _is_identifier(text: str, begin: int, end: int) -> bool:
    """Return whether random text names a commit, content by its hash or a linked file, judging by what is beside it."""
    before = text[max(begin - _CHARACTERS_BEFORE, 0) : begin]
    if _DIGEST.search(before) or _PUBLIC.search(before) or _INTEGRITY.match(text, begin):
        return True
    number = _HASH.fullmatch(text, begin, end)
    is_hash = number is not None and len(number[1]) in _HASH_LENGTHS
    if is_hash or (number is None and _TRACE.fullmatch(text, begin, end)):
        beside = before[before.rfind("\n") + 1 :] + text[end : end + _CHARACTERS_BEHIND].partition("\n")[0]
        if "hmac" not in beside.lower() and (_COMMIT.search(before) or _HASHED.search(beside)):
            return True
        lead = _LEAD.search(before)
        return lead is None or not forms.tells_secret(lead[0])
    return "://" in before and _LINKED_FILE.match(text, end) is not None
