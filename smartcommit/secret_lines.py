"""Finds secrets by what stands beside them: assignments, command lines, URLs, headers, XML, YAML and other formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from smartcommit.patterns import compile_on_use
from smartcommit.secret_forms import (
    Strength,
    find_random,
    is_bare_secret,
    is_base64_text,
    is_passphrase,
    is_quoted_secret,
    is_reference,
    rate_name,
)

SECRET = "[redacted: secret]"
PASSWORD = "[redacted: password]"
# A line without any of these, in lower case, is not looked at.
_HINTS = (
    "pass", "pwd", "secret", "token", "key", "cred", "auth", "sig", "salt", "sas", "client", "://", "curl",
    "identified", " -p", " -a ", "bearer", "basic",
)  # fmt: skip
# The sign of a diff, the number of a listing, indentation, and the dash of an item of YAML.
_MARGIN = compile_on_use(r"(?:\s{0,8}\d{1,7}[:|])?[-+>| \t]*")

_PORT = compile_on_use(r"\d{1,5}/")
_URL = compile_on_use(r"(?<=://)([^\s/:@\"'<>]{0,100}):([^\s\"'<>]{1,300})@(?=[\w.\[-]+)")
_URL_TOKEN = compile_on_use(r"(?<=://)([\w.~-]{16,255})(?=@)")
_HEADER = compile_on_use(
    r"(?i)\b(authorization[\"']?\s{0,4}[:=,]\s{0,4}[\"']?)?(bearer|basic|token)\s+([\w+/=.~-]{12,4000})"
)

# A name, what closes it, an optional type, and what separates it from its value.
_NAME = compile_on_use(
    r"(?<![\w.$-])(-{0,2}[\w.$-]{2,80})(\\?[\"'`]|\]|\s?\?)?\]?"
    r"(\s{0,8}:\s{0,2}[&\w<>\[\].|?*' ]{1,40}?\s{0,2}(?==[^=>]))?"
    r"(\s{0,8}(?::=|=>|[=!]==?|\?\?=|[?+|]=|=|:(?!:))\s{0,8}|\s{0,2}\(\s{0,2}|\s{1,8})(?=\S)"
)
# Characters of a value that is not searched for others, and of what is looked at on either side of an assignment.
_LONG = 200
_AROUND = 100
_OPEN = compile_on_use(r"[bBrRuU]{0,2}(\\?[\"'`])")
_BARE = compile_on_use(r"[^\s\"'`,;(){}\[\]<>|\\]+")
_QUERY = compile_on_use(r"&(?=[\w.-]{1,80}=)")
_EXPRESSION = compile_on_use(r"\s{0,4}(?:[+.,)]\s{0,4}[A-Za-z_(]|[);,]?\s{0,4}$)")
_CONTINUATION = compile_on_use(r"\s{0,8}(?:\+|\.\.?|\\)\s{0,8}(?=[\"'])")
_SETTERS = ("set", "with", "add", "use")
_DSN_NEXT = compile_on_use(r"\s[A-Za-z]\w*=\S")
_DSN_BEFORE = compile_on_use(r"\w=\S+\s$")
_PAIR = compile_on_use(r"(?i)\b(name|key|id)[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?([\w.-]{2,80})\\?[\"']?[\s,]{0,8}")
_PAIR_VALUE = compile_on_use(r"(?i)[\"']?\bvalue[\"']?\s{0,4}[:=]\s{0,4}")
_PLIST_KEY = compile_on_use(r"<key>([\w.-]{2,80})</key>\s*$")
_ELEMENT = compile_on_use(r"<(?:\w{1,20}:)?([\w.-]{2,80})((?:\s[^<>]{0,200})?)>([^<>]{4,400})(?=</)")
_NAME_ATTRIBUTE = compile_on_use(r"\b(?:name|key|id)\s?=\s?[\"']([\w.-]{2,80})[\"']")
_USERS = compile_on_use(
    r"(?i)\b(?:auth\w*|\w{0,40}credentials?|\w{0,40}basic_?auth|login)(?:\s?=\s?\(|\()\s{0,4}[\"'][^\"'\n]{1,80}[\"'],\s{0,4}"
    r"(?=[\"'])"
)
_GETENV = compile_on_use(r"\(\s{0,4}[\"']([\w.-]{2,80})[\"'],\s{0,4}(?=[\"'])")
_DOCKERFILE = compile_on_use(r"(?:#\s?define|ENV|ARG|setx?|SET)\s+$")
_BLOCK = compile_on_use(r"[\"']?([\w.-]{2,80})[\"']?:\s{1,4}[|>][-+\d]{0,2}\s*$")
_YAML_LINE = compile_on_use(r"([\w.-]{1,80}):\s+([\"']?)([^\s\"'#]{1,4000})\2\s*(?:#.*)?$")
_TEXT_LINE = compile_on_use(r"([\w.-]{2,80}):\s+([a-z0-9]+(?: [a-z0-9]+){2,11})\s*$")

_WORD = r"(\"[^\"\n]{1,400}\"|'[^'\n]{1,400}'|[^\s\"'`|;&<>()\[\]]{1,400})"
# Commands that take a password in a short option; what is redacted is the last group.
_COMMANDS = tuple(
    map(
        compile_on_use,
        (
            rf"\b(?:mysql\w{{0,10}}|mariadb\w{{0,10}}|7z[ar]?|sshpass|mycli)\b[^\n|;]{{0,300}}?\s-p\s?{_WORD}",
            rf"\b(?:docker|podman|helm registry|buildah|skopeo|oras|crane)\s+login\b[^\n|;]{{0,300}}?\s-p\s?{_WORD}",
            rf"\bmongo\w{{0,10}}\b[^\n|;]{{0,300}}?\s-p\s+{_WORD}",
            rf"\b(?:redis-cli|keydb-cli|valkey-cli)\b[^\n|;]{{0,300}}?\s-a\s+{_WORD}",
            rf"\b(?:sqlcmd|bcp|osql)\b[^\n|;]{{0,300}}?\s-P\s?{_WORD}",
            rf"\bldap\w{{2,10}}\b[^\n|;]{{0,300}}?\s-w\s+{_WORD}",
            rf"-pass(?:in|out)?\s+[\"']?pass:{_WORD}",
            rf"\becho\s+(?:-n\s+)?{_WORD}(?=\s*\|[^|\n]{{0,200}}(?:--password-stdin|--passphrase-fd|chpasswd|sudo -S))",
            r"(?i)\bidentified\s+(?:with\s+\w+\s+)?by\s+(?:password\s+)?('[^'\n]{1,400}'|\"[^\"\n]{1,400}\")",
            r"(?i)\b(?:password|secret)\s+('[^'\n]{1,400}')",
            rf"(?i)\blogin\s+\S{{1,80}}\s+(?:password|passwd)\s+{_WORD}",
            rf"^{_MARGIN.pattern}(?:requirepass|masterauth|masterpass)\s+{_WORD}",
        ),
    )
)
_CURL = compile_on_use(r"(?:^|\s)(?:-u|-U|--user|--proxy-user)(?:\s+|=)?([\"']?)([^\s:'\"/$]{1,80}):([^\s'\"]{1,400})")
_NOT_CURL = compile_on_use(r"\b(?:docker|podman|chown|rsync|kubectl|install|su)\b")
_PGPASS = compile_on_use(
    r"((?:[\w-]+\.[\w.-]+|localhost|\*):(?:\d{1,5}|\*):(?!\d+:)[^:\s]{1,80}:[^:\s]{1,80}):(\S{1,400})\s*$"
)
_NETRC = compile_on_use(r"password\s+(\S{1,400})\s*$")


@dataclass(slots=True)
class _State:
    """What earlier lines say of the next: a block of YAML, a name without its value, a Secret of Kubernetes.

    `block` and `data` are the indentation of their first lines in characters, or -1."""

    block: int = -1
    announced: Strength = Strength.NONE
    is_secret: bool = False
    data: int = -1


def redact_lines(text: str) -> str:
    """Return `text` with the secrets replaced that a name, command or format gives away; takes linear time."""
    lines = text.split("\n")
    # No character becomes a line break in lower case.
    lowered = text.lower().split("\n")
    state = _State()
    for number, original in enumerate(lines):
        line = original
        if state.block >= 0 or state.data >= 0 or state.announced:
            line = _redact_by_state(line, state)
        if _has_hint(lowered[number]):
            line = _redact_line(line)
            if number and lowered[number - 1].lstrip("+-> \t").startswith(("login ", "machine ")):
                line = _NETRC.sub(_redact_last, line)
            _note_state(line, state)
        if ":" in line:
            line = _redact_colons(line, state)
        lines[number] = line
    return "\n".join(lines)


def _has_hint(lowered: str) -> bool:
    # A generator would take half again as long for all of `redact`.
    for hint in _HINTS:  # noqa: SIM110
        if hint in lowered:
            return True
    return False


def _redact_by_state(line: str, state: _State) -> str:
    """Return `line` without what an earlier line makes a secret."""
    indentation = _indentation(line)
    announced, state.announced = state.announced, Strength.NONE
    if announced:
        value = _PAIR_VALUE.match(line, indentation)
        if value:
            return _redact_values(line, [(value.end(), announced)])
        return re.sub(r"(?<=<string>)[^<>]{4,400}(?=</string>)", SECRET, line)
    if not line[indentation:]:
        return line
    if state.block >= 0:
        if indentation > state.block:
            return line[:indentation] + SECRET
        state.block = -1
    if state.data >= 0:
        if indentation <= state.data:
            state.data = -1
        elif line.rstrip().endswith(("|", "|-", ">", ">-")):
            state.block = indentation
        else:
            return re.sub(r"(?<=:)(\s+)[^\s#].*", rf"\1{SECRET}", line, count=1)
    return line


def _note_state(line: str, state: _State) -> None:
    """Keep what a line with a hint says of the next ones."""
    block = _BLOCK.match(line, _indentation(line))
    if block and rate_name(block[1]):
        state.block = _indentation(line)
    if state.data < 0:
        state.is_secret = re.search(r"\bkind:\s+[\"']?Secret[\"']?\s*$", line) is not None or (
            state.is_secret and "kind:" not in line
        )
    pair = _PAIR.search(line)
    if pair and pair.end() == len(line):
        state.announced = rate_name(pair[2])
    key = _PLIST_KEY.search(line)
    if key:
        state.announced = rate_name(key[1])


def _redact_colons(line: str, state: _State) -> str:
    """Return `line` without text in base64 as the value of a key of YAML, and without the password of a `.pgpass`."""
    indentation = _indentation(line)
    if state.is_secret and line[indentation:].rstrip() in ("data:", "stringData:"):
        state.data = indentation
    if line.count(":") >= 4:
        entry = _PGPASS.match(line, indentation)
        if entry and not is_reference(entry[1]):
            return line[: entry.start(1)] + PASSWORD
    found = _YAML_LINE.match(line, indentation)
    if found and is_base64_text(found[3]):
        return line[: found.start(3)] + SECRET + line[found.end(3) :]
    return line


def _indentation(line: str) -> int:
    margin = _MARGIN.match(line)
    assert margin is not None
    return margin.end()


def _redact_line(line: str) -> str:
    """Return a line without the secrets that something beside them gives away."""
    if "://" in line:
        line = _URL_TOKEN.sub(_redact_user, _URL.sub(_redact_userinfo, line))
    line = _HEADER.sub(_redact_header, line)
    if "<" in line:
        line = _ELEMENT.sub(_redact_element, line)
    line = _redact_named(line)
    line = _redact_values(line, _list_pairs(line))
    if "(" in line:
        line = _redact_values(line, _list_arguments(line))
    return _redact_commands(line)


def _redact_userinfo(found: re.Match[str]) -> str:
    if _PORT.match(found[2]) or is_reference(found[2]):
        return found[0]
    return f"{found[1]}:{PASSWORD}@"


def _redact_user(found: re.Match[str]) -> str:
    if not any(map(str.isdigit, found[1])) or not any(map(str.isalpha, found[1])):
        return found[0]
    return PASSWORD


def _redact_header(found: re.Match[str]) -> str:
    value = found[3]
    strength = Strength.STRONG if found[1] else Strength.WEAK
    if not (find_random(value) or is_quoted_secret(value, strength)):
        return found[0]
    return found[0][: -len(value)] + "[redacted: credentials]"


def _redact_element(found: re.Match[str]) -> str:
    name = found[1]
    attribute = _NAME_ATTRIBUTE.search(found[2])
    if attribute:
        name = attribute[1]
    if not is_quoted_secret(found[3].strip(), rate_name(name)):
        return found[0]
    return found[0][: found.start(3) - found.start()] + SECRET


def _redact_named(line: str) -> str:
    """Return a line without the values of names such as `password`."""
    kept: list[str] = []
    done = position = 0
    while found := _NAME.search(line, position):
        position = found.end(1)
        strength = rate_name(found[1])
        if not strength or not _is_assignment(line, found):
            continue
        position = found.end()
        begin, end = _find_value(line, found, strength)
        position = max(position, begin)
        while begin < end:
            kept += (line[done:begin], SECRET)
            done = position = end
            begin, end = _find_continuation(line, end)
    line = "".join([*kept, line[done:]])
    text = _TEXT_LINE.match(line, _indentation(line))
    if text and rate_name(text[1]) is Strength.STRONG and is_passphrase(text[2]):
        return line[: text.start(2)] + SECRET
    return line


def _is_assignment(line: str, found: re.Match[str]) -> bool:
    """Return whether what follows a name is its value, rather than the next word or the argument of a call."""
    separator = found[4].strip()
    if not separator:
        return (
            found[1].startswith("-") or _DOCKERFILE.search(line[max(found.start() - 12, 0) : found.start()]) is not None
        )
    if separator == "(":
        owner, _, method = found[1].rpartition(".")
        is_setter = method.lower().startswith(_SETTERS) or bool(owner) or found[1].startswith(".")
        return is_setter and _OPEN.match(line, found.end()) is not None
    return True


def _find_value(line: str, found: re.Match[str], strength: Strength) -> tuple[int, int]:
    """Return where the secret after a name begins and ends; an empty range if there is none, where to go on."""
    start = found.end()
    quote = _OPEN.match(line, start)
    if quote and _EXPRESSION.match(line, quote.end()):
        # The literal ends here: it is `"password="`, which is joined to a value.
        return start, start
    if quote:
        end = _find_end(line, quote)
        is_cut = strength is Strength.STRONG and end - quote.end() >= 4 and _is_open(line, quote, end)
        if is_cut or is_quoted_secret(line[quote.end() : end], strength):
            return quote.end(), end
        return start, start
    bare = _BARE.match(line, start)
    if bare is None:
        return start, start
    query = _QUERY.search(bare[0])
    end = bare.start() + query.start() if query else bare.end()
    is_call = line[end : end + 1] in ("(", "[", "<") and not query
    if not is_call and is_bare_secret(line[start:end], strength, is_setting=_is_setting(line, found, end)):
        return start, end
    # A long expression is judged once, even if there are more names in it.
    return (end, end) if end - start > _LONG else (start, start)


def _find_end(line: str, quote: re.Match[str]) -> int:
    """Return where a literal ends, or the line if it is cut off."""
    end = line.find(quote[1], quote.end())
    while end > 0 and len(quote[1]) == 1 and line[end - 1] == "\\" and line[end - 2] != "\\":
        end = line.find(quote[1], end + 1)
    return end if end >= 0 else len(line)


def _is_open(line: str, quote: re.Match[str], end: int) -> bool:
    """Return whether the literal that begins with `quote` is cut off by the end of the line."""
    return end == len(line) and line.count(quote[1], 0, quote.start(1)) % 2 == 0


def _find_continuation(line: str, end: int) -> tuple[int, int]:
    """Return where the literal is that is joined to the one that ends at `end`; an empty range if there is none."""
    joined = _CONTINUATION.match(line, end + 1)
    quote = _OPEN.match(line, joined.end()) if joined else None
    if quote is None:
        return end, end
    return quote.end(), _find_end(line, quote)


def _is_setting(line: str, found: re.Match[str], end: int) -> bool:
    """Return whether an unquoted value is one of a configuration or command, where a word can be a password."""
    name, separator = found[1], found[4]
    before, after = line[max(found.start() - _AROUND, 0) : found.start()], line[end : end + _AROUND]
    first = before
    if found.start() <= _AROUND:
        first = before[_indentation(before) :].strip("\"'")
    if name.startswith("-"):
        return not line[found.end() : end].isupper()
    if not separator.strip():
        return True
    if separator == "=":
        is_whole = first in ("", "export ", "ARG ", "ENV ") and not after.strip()
        in_list = before.endswith((";", "?", "&")) or _DSN_NEXT.match(after) or _DSN_BEFORE.search(before)
        return name.isupper() or is_whole or bool(in_list)
    if first or (after.strip() and not after.lstrip().startswith("#")):
        return False
    value = line[found.end() : end]
    if separator.strip() == ":":
        return separator != ":" and (value.islower() or any(map(str.isdigit, value)))
    # In a program, such a line is mostly within a function.
    is_outermost = line.startswith(name) or line[1:].startswith(name)
    return separator.strip() == "=" and is_outermost and value.isalpha() and value.islower() and len(value) >= 8


def _list_pairs(line: str) -> Iterator[tuple[int, Strength]]:
    """Yield where the values of pairs such as `name="password" value="..."` start, with what the name says."""
    for pair in _PAIR.finditer(line):
        value = _PAIR_VALUE.match(line, pair.end())
        if value:
            yield value.end(), rate_name(pair[2])


def _list_arguments(line: str) -> Iterator[tuple[int, Strength]]:
    """Yield where arguments start that are the value of another, or the password beside a user."""
    for argument in _GETENV.finditer(line):
        yield argument.end(), rate_name(argument[1])
    for users in _USERS.finditer(line):
        yield users.end(), Strength.STRONG


def _redact_values(line: str, values: Iterable[tuple[int, Strength]]) -> str:
    """Return a line without those of its `values` that are secrets; each is a start and what its name says."""
    kept: list[str] = []
    done = 0
    for start, strength in sorted(values):
        begin, end = _find_setting(line, start, strength)
        if done <= begin < end:
            kept += (line[done:begin], SECRET)
            done = end
    return "".join([*kept, line[done:]])


def _find_setting(line: str, start: int, strength: Strength) -> tuple[int, int]:
    """Return where the secret is that starts at `start` in a configuration; an empty range if there is none."""
    if not strength:
        return start, start
    quote = _OPEN.match(line, start)
    if quote:
        begin, end = quote.end(), _find_end(line, quote)
        if is_quoted_secret(line[begin:end], strength):
            return begin, end
        return start, start
    bare = _BARE.match(line, start)
    if bare and is_bare_secret(bare[0], strength, is_setting=True):
        return bare.span()
    return start, start


def _redact_commands(line: str) -> str:
    """Return a line without the passwords in options of well-known commands, and in SQL."""
    for command in _COMMANDS:
        line = command.sub(_redact_last, line)
    if not _NOT_CURL.search(line):
        line = _CURL.sub(_redact_last, line)
    return line


def _redact_last(found: re.Match[str]) -> str:
    """Return what was matched with its last group redacted, unless that stands for a secret that is elsewhere."""
    last = found.re.groups
    value = found[last].strip("\"'")
    if is_reference(value) or value.startswith("-"):
        return found[0]
    begin, end = found.start(last) - found.start(), found.end(last) - found.start()
    return found[0][:begin] + PASSWORD + found[0][end:]
