"""Judges whether a name, a value or a bare token is that of a secret, or of something else in a file of source code."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from enum import IntEnum

from smartcommit.patterns import compile_on_use, list_words

# Words at the end of a name whose value is a secret whatever it looks like, and those whose value has to look random.
_STRONG = list_words("""
    password passwd passphrase passcode passwort pwd secret secrets dbpassword dbpass storepass keypass dbpwd psk
    userpass rootpass requirepass pgpassword userpassword clientsecret mypassword pw passe mdp kennwort contraseña
    contrasena senha wachtwoord
""")
_WEAK = list_words("""
    pass token tokens auth credential credentials cred creds signature sig sas salt apikey accesskey privatekey
    secretkey accountkey authtoken accesstoken apitoken seed totp
""")
_KEYS = list_words("""
    api access private secret account encryption signing master storage subscription shared auth license ssh service
    app application deploy jwt hmac aes consumer client
""")
# Words after which a hexadecimal number is a secret and not a hash, and words after which it is a hash nevertheless.
_TELLING = _STRONG | _WEAK | {
    "key", "keys", "seed", "hook", "webhook", "license", "bearer", "login", "dsn", "hmac", "oauth", "authorization",
    "session", "cookie", "cipher", "private",
}  # fmt: skip
_UNTELLING = frozenset(("public", "pub", "cache", "idempotency", "primary", "recv", "host"))
# Words before "pass", which is also a part of work.
_OF_PASS = list_words("""
    db database mysql postgres pg mongo redis smtp imap mail email ftp ssh http ldap proxy wifi user root admin become
    sudo login auth store key keystore vault default
""")
# Words that may follow without a change of meaning, as in SECRET_KEY_BASE.
_ENDINGS = list_words("""
    base value default plain plaintext text string hash old new current prod dev test staging production main live b v
""")
# Words at the end of names for a property of a secret, as in `token_type` and `--password-stdin`.
_ABOUT = list_words("""
    type types header headers name names url uri endpoint field fields file files path dir length len size count prefix
    suffix param params method class regex pattern hint label placeholder policy expiry expires expiration ttl format
    kind index position pos error errors message provider mode scheme strategy algorithm enabled required store manager
    service env var variable ref arn stdin id version usage limit max min start end stream list map set state status
    description title help handler function fn config options option source input
""")
_PART = compile_on_use(r"[A-Z]+(?![a-z])|[A-Z]?[a-zß-ÿ]+")
# Words before the name of a secret of a cluster.
_OF_CLUSTERS = frozenset(("existing", "pull"))

# Values that refer to a secret kept elsewhere, or are placeholders.
_REFERENCE = compile_on_use(
    r"\$\{[^}]*\}?|\$\(.*|\$[A-Za-z_]+\d*|%[A-Za-z_]\w*%|%\(\w+\)s|%[sdvqw]|\{\{.*\}\}|\{[\w.:!]*\}|<[\w .:/-]+>"
    r"|@[\w.]+@|[*xX.\-_?]+|#\{.*\}|<%.*%>|!\w+.*|&\w+"
    r"|[A-Za-z_.]+\([^()]*\)"
)
_EMBEDDED = compile_on_use(r"\$\{[^}]{0,200}\}|\{\{[^}]{0,200}\}\}|#\{[^}]{0,200}\}|\{[\w.:!]{0,80}\}|%[sdvq]|\$\w+")
_LOCATION = compile_on_use(r"(?:/|\.\.?/|~/|[a-z][a-z0-9+.-]{1,20}://|[a-z]+:[a-z]+:).*")
_NUMBERS = compile_on_use(r"\d+(?:\.\d+)+|\d{1,5}|0x[\da-fA-F]{1,8}")
_NAME = compile_on_use(r"[\w.-]*(?:pass|pwd|secret|token|auth|credential|key|signature|salt)[\w.-]*", re.IGNORECASE)
_ATTRIBUTE = compile_on_use(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_IDENTIFIER = compile_on_use(r"[A-Za-z_][A-Za-z_.-]*\d{0,3}")
_SEPARATORS = compile_on_use(r"[-_:/. ]+")
_VERSIONED = compile_on_use(r"[A-Za-z]+\d{0,4}|\d{0,4}")
_SENTENCE = compile_on_use(
    r"(?i)\b(?:the|an?|is|are|was|be|your|my|to|for|of|in|on|not|must|no|and|or|please|enter|invalid|missing|required"
    r"|if|with|without|this|that|by|from|as|it|can|cannot|should|will|when|use|used|new|old|forgot|reset|change)\b"
    r"|[:.?!]$|[(){}=\[\]]|pass(?:word|phrase)|token|secret|credential"
)
_PLAIN = list_words("""
    null none nil true false undefined string str bytes bool boolean int integer number float object any optional
    required char byte value values void unknown text file flag option options argument parameter input prompt env
    default empty yes the and for with without from was are has must should will can may not via when that which here
    where read write based manager reset field basic bearer digest oauth opaque self this data header cookie never
    always inherit never enabled disabled authentication using protected hashing instead then authorization
    authenticated generated provided given random admin user username email phone address login name host port changeme
    change-me change_me changeit contraseña contrasena kennwort senha wachtwoord hasło пароль lösenord erforderlich
    requis obligatorio vergessen
""")

_DIGITS = compile_on_use(r"\d+")
_RUNS = compile_on_use(r"[a-z]+|[A-Z]+|\d+|[^a-zA-Z\d]+")
_HEX = compile_on_use(r"[0-9a-fA-F]+")
# A UUID, the version that Go gives to a commit, the hash of content in IPFS, and a public key of age.
_IDENTIFIERS = compile_on_use(
    r"[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}|(?:\d{1,3}-)?\d{14}-[\da-f]{12}"
    r"|(?<![A-Za-z0-9])(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|age1[02-9ac-hj-np-z]{58})(?![A-Za-z0-9])"
)
_LOWER_WORD = compile_on_use(r"[a-z]{4}")
_LETTERS = compile_on_use(r"[a-z]+")
_SEGMENT = compile_on_use(r"[^/_+=-]+")
_HASH_IN_PATH = compile_on_use(r"(?:^|/)[\da-f]{32,128}(?:/|$)")
_PATH_SEGMENT = compile_on_use(r"[^/]+")
# The hundred most frequent pairs of letters in names and comments of source code: three of four pairs in words, one of
# seven in random text.
_PAIRS = frozenset(
    re.findall(
        "..",
        "acagalamanaparasatcacechckclcoctdedieaecedefelemeneresetexfifogehahehoiciliminioisitlalelilllolumame"
        "mpnancndnengnonsntodolomonoporoupapeplpoprptrarerirorsrtsesisrsssttatethtitotrtsttudueulunurusutvave",
    )
)
# The share of such pairs above which a token consists of words.
_SHARE_OF_WORDS = 0.42
# What random text has at least, by trial with keys and with source code: characters, bits of entropy per character, and
# changes per character from one kind to another (small and capital letters, digits, signs).
RANDOM_LENGTH = 20
_RANDOM_HEX_LENGTH = 24
_RANDOM_ENTROPY = 3.4
_RANDOM_HEX_ENTROPY = 2.8
_RANDOM_CHANGES = 0.36
_SHORT_RANDOM_CHANGES = 0.4
# Characters of random text with one separator on average.
_SEPARATOR_DISTANCE = 20
_BASE64 = compile_on_use(r"[A-Za-z0-9+/]{8,}={0,2}")
_PROSE = compile_on_use(r"(?:(?:[A-Za-z']+|\d{1,4})[,.!?:;]?(?:\s+|$)){2,}")


def has_mark(text: str, marks: Iterable[str]) -> bool:
    """Return whether one of `marks` is in `text`, which is much faster than to search for a pattern that needs one."""
    # A generator would take half again as long for all of `redact`.
    for mark in marks:  # noqa: SIM110
        if mark in text:
            return True
    return False


class Strength(IntEnum):
    """How much a name says of its value: nothing, that it may be a secret if it looks random, or that it is one."""

    NONE = 0
    WEAK = 1
    STRONG = 2


def rate_name(name: str) -> Strength:
    words = [word.lower() for word in _PART.findall(name[-100:])]
    while len(words) > 1 and words[-1] in _ENDINGS:
        words.pop()
    if not words or words[-1] in _ABOUT or not _OF_CLUSTERS.isdisjoint(words):
        return Strength.NONE
    last = words[-1]
    is_pass = words == ["pass"] or (last == "pass" and words[-2] in _OF_PASS)
    is_variable = name.isupper() and last.endswith(("pass", "pw")) and last not in ("pass", "bypass", "compass")
    if last in _STRONG or last.endswith(("password", "passwd")) or is_pass or is_variable:
        return Strength.STRONG
    if last in _WEAK or (last == "key" and not _KEYS.isdisjoint(words[-2:-1])):
        return Strength.STRONG if last == "pass" and name.isupper() else Strength.WEAK
    if name.isupper() and not (_STRONG | _WEAK).isdisjoint(words):
        return Strength.WEAK
    return Strength.NONE


def tells_secret(text: str) -> bool:
    """Return whether the last words of what is before a number say that it is a secret."""
    words = {word.lower() for word in _PART.findall(text)[-5:]}
    return not _TELLING.isdisjoint(words) and _UNTELLING.isdisjoint(words)


def is_placeholder(value: str) -> bool:
    """Return whether a value has only the form of a key: one sign again and again, or an example of Amazon's."""
    if value.endswith(("EXAMPLE", "EXAMPLEKEY")):
        return True
    return len(value) >= 16 and Counter(value).most_common(1)[0][1] > len(value) / 2


def is_reference(value: str) -> bool:
    """Return whether a value stands for a secret that is elsewhere, or for none, as `$PASSWORD` and `****` do."""
    if "[redacted" in value or value.isdigit() or is_placeholder(value):
        return True
    return _REFERENCE.fullmatch(value) is not None or _EMBEDDED.fullmatch(value) is not None


def is_quoted_secret(value: str, strength: Strength) -> bool:
    """Return whether the text of a literal that belongs to a name of this `strength` is a secret."""
    if not strength or not _can_be_secret(value):
        return False
    if strength is Strength.WEAK:
        # `HS256` and `oauth2-v1` are words with numbers at their ends.
        is_words = all(_VERSIONED.fullmatch(part) for part in _SEPARATORS.split(value))
        is_word = is_words and len(_DIGITS.findall(value)) <= 2
        return _has_letters_and_digits(value) and len(value) >= 6 and " " not in value and not is_word
    if " " not in value:
        return True
    # Unconnected words are a passphrase, unlike a sentence or a label.
    is_sentence = _SENTENCE.search(value) is not None or value != value.lower()
    return 3 <= len(value.split()) <= 12 and not is_sentence


def _is_bare_secret(value: str, strength: Strength) -> bool:
    if value.startswith("-") or not any(character.isalnum() for character in value):
        return False
    return is_quoted_secret(value, strength) and _ATTRIBUTE.fullmatch(value) is None


def _is_code_secret(value: str, strength: Strength) -> bool:
    """Return whether an unquoted value is a secret where it may be an expression of some language."""
    return (
        len(value) >= 6
        and _has_letters_and_digits(value)
        and "->" not in value
        and _is_bare_secret(value, strength)
        and _IDENTIFIER.fullmatch(value) is None
    )


def _is_spoken_secret(value: str, _: Strength) -> bool:
    bare = value.strip("`.,;)")
    if value.startswith("`"):
        return is_quoted_secret(bare, Strength.STRONG)
    return _is_code_secret(bare, Strength.STRONG)


def _is_encoded_secret(value: str, _: Strength) -> bool:
    return decode_text(value) != "" and not is_prose_in_base64(value)


def _is_given(value: str, _: Strength) -> bool:
    return not is_reference(value.strip("\"'`")) and not value.startswith("-")


def decode_text(value: str) -> str:
    if len(value) % 4 or _BASE64.fullmatch(value) is None:
        return ""
    try:
        text = base64.b64decode(value, validate=True).decode("ascii")
    except ValueError:
        return ""
    return text if text.replace("\n", "").isprintable() else ""


def is_prose_in_base64(value: str) -> bool:
    """Return whether `value` is plain words in base64, of which none is about secrets."""
    text = decode_text(value)
    return _PROSE.fullmatch(text) is not None and not any(tells_secret(part) for part in text.split())


def find_random(token: str) -> list[tuple[int, int]]:
    """Return where in a token is random text; what consists of words, such as a path, is judged in its segments."""
    if not _is_in_path(token):
        return _find_random_in_name(token, 0, 2)
    spans = []
    for segment in _PATH_SEGMENT.finditer(token):
        spans += _find_random_in_name(segment[0], segment.start(), 1)
    return spans


def is_short_random(token: str) -> bool:
    """Return whether a token too short for `find_random` has three letters of each case, three digits, and no words."""
    for kind in (str.islower, str.isupper, str.isdigit):
        if len([character for character in token if kind(character)]) < 3:
            return False
    return _count_changes(token) / len(token) > _SHORT_RANDOM_CHANGES and not _is_wordy(token)


def _is_in_path(token: str) -> bool:
    """Return whether a token is a path: random text has a slash in 64 letters, and few words."""
    slashes = token.count("/")
    if _HASH_IN_PATH.search(token) or slashes > 2 + len(token) / _SEPARATOR_DISTANCE:
        return True
    rest = token.replace(max(token.split("/"), key=len), "", 1)
    return _is_wordy(rest, 6)


def _find_random_in_name(name: str, start: int, separators: int) -> list[tuple[int, int]]:
    """Return where a name that begins at `start` is random; with more `separators` than that, it is parts of words."""
    if not _is_random(name) or not _is_random(_IDENTIFIERS.sub("", name)):
        return []
    usual = separators + len(name) / _SEPARATOR_DISTANCE
    has_words = _LOWER_WORD.search(name) is not None and name.count("/") + name.count("-") + name.count("_") > usual
    # License keys have hyphens.
    is_constant = name.isupper() and name.count("_") > usual
    if not (has_words or is_constant or _is_wordy(name)):
        return [(start, start + len(name))]
    spans = []
    for segment in _SEGMENT.finditer(name):
        if _is_random(segment[0]) and not _is_wordy(segment[0]):
            spans.append((start + segment.start(), start + segment.end()))
    return spans


def _is_wordy(token: str, least: int = 1) -> bool:
    if _HEX.fullmatch(token):
        return False
    pairs = known_pairs = 0
    for run in _LETTERS.findall(token.lower()):
        pairs += len(run) - 1
        known_pairs += len([place for place in range(len(run) - 1) if run[place : place + 2] in _PAIRS])
    return known_pairs >= least and known_pairs > _SHARE_OF_WORDS * pairs


def _is_random(token: str) -> bool:
    token = token.strip("=_-+/")
    digits = len([character for character in token if character.isdigit()])
    if len(token) < RANDOM_LENGTH or digits < 2 or digits == len(token):
        return False
    if _HEX.fullmatch(token.replace("-", "")):
        return len(token) >= _RANDOM_HEX_LENGTH and _measure_entropy(token) > _RANDOM_HEX_ENTROPY
    # Words may have a number or two at their ends.
    is_mixed = len(_DIGITS.findall(token)) > 2 or _count_changes(token) / len(token) > _RANDOM_CHANGES
    return is_mixed and _measure_entropy(token) > _RANDOM_ENTROPY


def _count_changes(token: str) -> int:
    return len(_RUNS.findall(token)) - 1


def _measure_entropy(text: str) -> float:
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def _can_be_secret(value: str) -> bool:
    if len(value) < 4 or value.lower() in _PLAIN or "[redacted" in value or is_placeholder(value):
        return False
    # A longer text is not worth judging: it is random, or a text that the model can do without.
    if len(value) > 1000:
        return True
    for pattern in (_REFERENCE, _LOCATION, _NUMBERS):
        if pattern.fullmatch(value):
            return False
    if not any(character.isdigit() for character in value) and _NAME.fullmatch(value):
        return False
    rest = _EMBEDDED.sub("", value)
    return rest == value or _has_letters_and_digits(rest) or value.startswith(("$", "%", "<", "{"))


def _has_letters_and_digits(value: str) -> bool:
    return any(character.isdigit() for character in value) and any(character.isalpha() for character in value)


# How a value is judged, by the group of a pattern that it is in.
JUDGES: dict[str, Callable[[str, Strength], bool]] = {
    "text": is_quoted_secret,
    "plain": is_quoted_secret,
    "bare": _is_bare_secret,
    "code": _is_code_secret,
    "word": _is_given,
    "spoken": _is_spoken_secret,
    "encoded": _is_encoded_secret,
}
