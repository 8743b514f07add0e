"""Finds secrets by what stands beside them: assignments, command lines, URLs, headers, XML, YAML and other formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter

from smartcommit.patterns import compile_on_use
from smartcommit.secrets.forms import (
    Strength,
    decode_text,
    find_random,
    has_mark,
    is_bare_secret,
    is_passphrase,
    is_prose_in_base64,
    is_quoted_secret,
    is_reference,
    rate_name,
)

SECRET = "[redacted: secret]"
PASSWORD = "[redacted: password]"
# The sign of a diff, the number of a listing, indentation, and the dash of an item of YAML.
_MARGIN = compile_on_use(r"(?:\s{0,8}\d{1,7}[:|])?[-+>| \t]*")

_PORT = compile_on_use(r"\d{1,5}/")
_URL = compile_on_use(r"(?<=://)([^\s/:@\"'<>]{0,100}):([^\s\"'<>]{1,300})@(?=[\w.\[${%<-])")
_URL_TOKEN = compile_on_use(r"(?<=://)([\w.~-]{16,255})(?=@)")
_HEADER = compile_on_use(
    r"(?i)\b(authorization[\"']?\s{0,4}[:=,]\s{0,4}[\"']?)?(bearer|basic|token)\s+([\w+/=.~-]{12,4000})"
)

# A name, what closes it, an optional type, and what separates it from its value.
_NAME = compile_on_use(
    r"(?<![\w.$-])(-{0,2}[\w.$-]{2,80})(\\?[\"'`]|\]|\s?\?|\*\*)?\]?"
    r"(\s{0,8}:\s{0,2}[&\w<>\[\].|?*' ]{1,40}?\s{0,2}(?==[^=>]))?"
    r"(\s{0,8}(?::=|=>|<-|[=!]==?|\?\?=|[?+|]=|=|:(?!:))\s{0,8}|\s{0,2}\(\s{0,2}|\s{1,8})(?=\S)"
)
# Characters from which a value is not searched for others, and characters examined on either side of an assignment.
_VALUE_CHARACTERS = 200
_CHARACTERS_AROUND = 100
_OPEN = compile_on_use(r"(?:\(\s{0,2})?[bBrRuUL@]{0,2}(\\?(?:\"{3}|'{3}|[\"'`]))")
_TAG = compile_on_use(r"(?:!!str|&\w{1,40}|\*\*)\s{1,4}")
_BARE = compile_on_use(r"[^\s\"'`,;(){}\[\]<>|\\]+")
# A value that is all of a line, unlike a call or a type.
_WHOLE = compile_on_use(
    r"(?=\S*\d)(?=\S*[A-Za-z])(?![\w.:$&*>-]*[(\[{<]\S*[)\]}>][;,]?\s*$)[^\s\"'`]{6,200}?(?=[;,]?\s*$)"
)
# The beginning of a comment, and what is before a label in prose.
_COMMENT = compile_on_use(r"(?:^|\s)(?:#|//|--|;|<!--)(?=\s)")
_LABEL = compile_on_use(
    r"(?i)(?:(?:user(?:name)?|login|account|e-?mail|benutzer|usuario|utilisateur)\b[^(){}\[\]\"'<>]{0,80}[\s,/;|])?"
    r"(?:(?:mot\s+de|the|default|initial|admin|root|das|le|la)\s+){0,3}"
)
_EXPRESSION = compile_on_use(r"\s{0,4}(?:[+.,)]\s{0,4}[A-Za-z_(]|[);,]?\s{0,4}$)")
_CONTINUATION = compile_on_use(r"\s{0,8}(?:\+|\.\.?|\\)\s{0,8}(?=[\"'])")
_LITERAL_LINE = compile_on_use(r"([\"'])[^\"'\n]{1,200}\1\s*$")
_SETTERS = ("set", "with", "add", "use")
_PAIR = compile_on_use(r"(?i)\b(name|key|id)[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?([\w.-]{2,80})\\?[\"']?[\s,]{0,8}")
_PAIR_VALUE = compile_on_use(r"(?i)[\"']?\bvalue[\"']?\s{0,4}[:=]\s{0,4}")
_OPEN_ELEMENT = compile_on_use(r"<(?:key>|\w{1,20}:)?([\w.-]{2,80})(?:</key)?>\s*$")
_ONLY_ELEMENT = compile_on_use(r"(?i)(?:(?<=<string>)|(?<=<value>))[^<>]{4,400}(?=</(?:string|value)>)")
_ELEMENT = compile_on_use(
    r"<(?:\w{1,20}:)?([\w.-]{2,80})((?:\s[^<>]{0,200})?)>(?:<!\[CDATA\[|<[Vv]alue>)?([^<>]{4,400}?)(?=\]\]>|</)"
)
_NAME_ATTRIBUTE = compile_on_use(r"\b(?:name|key|id)\s?=\s?[\"']([\w.-]{2,80})[\"']")
_USERS = compile_on_use(
    r"(?i)\b(?:auth\w*|\w{0,40}credentials?|\w{0,40}basic_?auth|login|\w{0,20}authentication"
    r"|(?:oci_|(?:cx_)?oracle(?:db)?\.)connect|\w{0,20}dataSource\.getConnection)(?:\s?=\s?\(|\()\s{0,4}[\"'][^\"'\n]{1,80}[\"'],\s{0,4}(?=[\"'])"
)
_GETENV = compile_on_use(r"[(\[]\s{0,4}[\"']([\w.-]{2,80})[\"'],\s{0,4}(?=[\"'])")
# Values that hold if there is no other: of a variable of the shell or of Spring, of an expression, of an option.
_DEFAULTS = (
    compile_on_use(r"\$\{([\w.-]{2,80}):-?(?=[^\s${}]{4,200}\})"),
    compile_on_use(r"(?<![\w-])([\w-]{2,80})[\"']?[)\]]{0,2}\s{1,4}(?:\|\||\?\?|\?:|or)\s{1,4}(?=[\"'])"),
    compile_on_use(r"[\"'](--[\w-]{2,60})[\"'],(?:[^()\n]{0,200}?[\s,])?default\s?=\s?(?=[\"'])"),
)
# Calls with a host or another handle, a user and a password.
_CONNECT = (
    r"(?i)\b(?:getConnection|PDO|mysqli|\w{0,20}sql\w{0,10}[._]p?connect|DBI->connect|ldap_bind|ssh2_auth_password"
    r"|ftp_login|FTP(?:_TLS)?)\("
)
_CONNECTION = compile_on_use(
    _CONNECT + r"(?:\s{0,4}(?:[^\s,\"']{1,100}|\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'),){2}\s{0,4}(?=[\"'])"
)
# Calls that hash a password or compare it.
_HASHING = compile_on_use(
    r"(?i)(?:(?:hash|check|verify|make|encrypt|encode)_?pass(?:word|wd)?|pass(?:word)?_(?:hash|verify)|\bhashpw"
    r"|\bbcrypt\.\w{2,20})\(\s{0,4}(?=b?[\"'])"
)
# What is before and after the words of a line of a command.
_BODY = compile_on_use(r"\A((?:[-+>](?=[ \t]))?[ \t]*)(.*?)([ \t]*\\?)\Z", re.DOTALL)
_VALUE_FIRST = compile_on_use(
    r"(?i)\bvalue\s?=\s?(?=[\"'][^\"'\n]{1,400}[\"']\s{1,8}(?:name|key|id)\s?=\s?[\"']([\w.-]{2,80})[\"'])"
)
_VARIABLE = compile_on_use(r"variable\s+\"([\w.-]{2,80})\"\s*\{")
_DEFAULT_LINE = compile_on_use(r"default\s*=\s*(?=\")")
_CELLS = compile_on_use(r"[\w. *`-]{1,80}(?:\|[\w. *`-]{1,80}){1,20}|[\w.-]{1,80}(?:([,;\t])[\w.-]{1,80}){1,20}")
_DOCKERFILE = compile_on_use(r"(?:#\s?define|ENV|ARG|setx?|SET|setenv|setq)\s+(?:-\w{1,3}\s+)?$")
_BLOCK = compile_on_use(r"[\"']?([\w.-]{2,80})[\"']?:\s{1,4}[|>][-+\d]{0,2}\s*$")
_YAML_LINE = compile_on_use(r"([\w.-]{1,80}):\s+([\"']?)([^\s\"'#]{1,4000})\2\s*(?:#.*)?$")
_TEXT_LINE = compile_on_use(r"([\w.-]{2,80}):\s+([a-z0-9]+(?: [a-z0-9]+){2,11})\s*$")

_WORD = r"(\"[^\"\n]{1,400}\"|'[^'\n]{1,400}'|(?!\\\s*$)[^\s\"'`|;&<>()\[\]]{1,400})"
_LITERAL = r"('[^'\n]{1,400}'|\"[^\"\n]{1,400}\")"
_REST = r"\b[^\n|;]{0,300}?\s"
_SEED = r"(?i:totp|seed|oathtool)[^\n]{0,60}?[\s\"'(=:]([A-Z2-7]{16,128})(?![\w=])"
_SINKS = (
    r"--password-stdin|--passphrase-fd|--password-fd|passwd --stdin|chpasswd|sudo -S|cryptsetup|kinit"
    r"|secret (?:create|put|set)"
)
_PIPED = (
    rf"\b(?:echo|printf)\s+(?:-\w{{1,4}}\s+)?(?:[\"']%s(?:\\n)?[\"']\s+)?{_WORD}"
    rf"(?=\s{{0,8}}\|[^|\n]{{0,200}}(?:{_SINKS}))"
)
_ROUTER = (
    rf"(?i)^{_MARGIN.pattern}(?:username|neighbor|ppp|(?:tacacs|radius)-server|crypto)\s(?!and\b|or\b)[^\n]{{1,120}}?"
    r"\b(?:password|secret|key)\s+(?:\d\s+)?(\S{2,100})(?=\s*$|\s+address)"
)
# Options that take a password, by the beginnings of the programs that have them.
_OPTIONS = {
    "mysql mariadb 7z sshpass mycli": r"-p\s?",
    "login twine mongo": r"-p\s+",
    "security": r"[^\n|;]{0,80}keychain\s(?:[^\n|;]{0,200}\s)?-p\s+",
    "redis-cli keydb-cli valkey-cli": r"-a\s+",
    "sqlcmd bcp osql zip unzip ipmitool mosquitto_": r"-P\s?",
    "ldap": r"-w\s+",
    "openssl": r"-[kK]\s+",
    "smb rpcclient": r"(?:-U|--user)[\s=]?[\"']?[^\s%\"']{1,80}%",
    "freerdp xfreerdp wlfreerdp": r"/p:",
    "lftp": r"-u\s+[^\s,]{1,80},",
    "snmp": r"(?:-[Ac]|community)\s+(?!public\b)",
    "snmpget snmpset snmpwalk": r"-X\s+",
    "nmcli netsh": r"password\s+",
}
# Other forms in commands and languages, by a text in lower case that is in each such line; the last group is redacted.
_FORMS = {
    "-pass": rf"-pass(?:in|out)?\s+[\"']?pass:{_WORD}",
    "login ": rf"(?i)\blogin\s+\S{{1,80}}\s+(?:password|passwd)\s+{_WORD}",
    "htpasswd": r"\bhtpasswd\s+(?=(?:-\w{1,6}\s+){0,5}-\w{0,5}b)(?:-\w{1,6}\s+){1,6}(?:[^\s-]\S{0,200}\s+){2}" + _WORD,
    "sqlplus": r"\bsqlplus\s+(?:-\w{1,10}\s+){0,4}[^\s/]{1,80}/([^\s@]{1,100})(?=@)",
    "net use": rf"(?i)\bnet\s+use\b[^\n|;]{{0,200}}?(?:/user:|\\\\|https?:)\S{{1,200}}\s+(?![/*]){_WORD}",
    "echo": _PIPED,
    "printf": _PIPED,
    "<<<": rf"(?:{_SINKS})[^\n|;<]{{0,200}}<<<\s{{0,4}}{_WORD}",
    "--from-literal": rf"--from-literal[=\s]\s{{0,4}}[\w.-]{{1,80}}={_WORD}",
    "securestring": rf"(?i)\bConvertTo-SecureString\s+(?:-String\s+)?{_LITERAL}",
    "identified": rf"(?i)\bidentified\s+(?:with\s+\w+\s+)?by\s+(?:password\s+)?{_LITERAL}",
    "password": r"(?i)\b(?:password|secret)(?:\s+(?:is:?\s+)?(?=['`])|\((?=[\"'])|\s+is:?\s+(?=\"))"
    r"([\"'`][^\"'`\n]{1,400}[\"'`])",
    "password_hash": rf"{_LITERAL}(?=[\s|\w.]{{0,60}}\bpassword_hash)",
    "@tcp(": r"[\"'`][\w.-]{1,80}:([^\s\"'`]{1,200})(?=@tcp\()",
    "community": rf"(?i)\br[ow]community6?\s+(?!public\b){_WORD}",
    # Routers.
    "secret ": rf"(?i)^{_MARGIN.pattern}enable\s+(?:password|secret)\s+(?:\d\s+|(?=\S{{0,80}}[\d!-/:-@])){_WORD}",
    "username ": _ROUTER,
    "neighbor ": _ROUTER,
    "-server": _ROUTER,
    "isakmp": _ROUTER,
    "requirepass": rf"^{_MARGIN.pattern}requirepass\s+{_WORD}",
    "totp": _SEED, "oathtool": _SEED, "seed": _SEED,
}  # fmt: skip
# Passwords in prose and comments, where only a literal or what has a number in it is one.
_SPOKEN_WORD = r"(`[^`\n]{4,200}`|[^\s`\"'<>|]{6,200})"
_SPOKEN_MARKS = ("passw", "pw", "kennwort", "passe", "contras", "senha", "log", "sign", "<!--", " / ")
_SPOKEN = tuple(map(compile_on_use, (
    r"(?i)\b(?:log|sign)\s?(?:in|on)\s+(?:as|with|using)\s+\S{1,80}\s+(?:with|and|using|/)\s+(?:(?:the\s+)?password\s+)?"
    + _SPOKEN_WORD,
    r"(?i)\b(?:user(?:name)?|login|credentials?|account)\s[^`\n]{0,20}`[^`\n]{1,80}`"
    rf"(?:[\w\s,/]{{1,20}}\bpassword\s+|\s?[/:]\s?){_SPOKEN_WORD}",
    r"(?i)\b(?:password|passwd|passphrase|pw|kennwort|passwort|mot de passe|contraseña|senha)\s+"
    r"(?:(?:is|ist|lautet|est|es)\s+)?`?([^\s`\"'<>|]{6,200})",
    r"(?i)(?:(?:^|\s)(?:#|//)\s|<!--|\b(?:login|credentials?|account)[:\s])[^\n/]{0,40}?(?<![\w/.-])"
    rf"(?:admin\w{{0,12}}|root|user\w{{0,8}}|test\w{{0,8}}|demo|guest|[\w.+-]{{1,40}}@[\w.-]{{1,60}})\s?[/:]\s?{_SPOKEN_WORD}",
)))  # fmt: skip
_COMMANDS: list[tuple[tuple[str, ...], re.Pattern[str]]] = [
    ((mark,), compile_on_use(form)) for mark, form in _FORMS.items()
]
for _programs, _option in _OPTIONS.items():
    _names = tuple(_programs.split())
    _COMMANDS.append((_names, compile_on_use(rf"\b(?:{'|'.join(_names)})\w{{0,12}}{_REST}{_option}{_WORD}")))
# A line that contains none of these, in lower case, is skipped.
_HINTS = (
    "pass", "pwd", "secret", "token", "key", "cred", "auth", "sig", "salt", "sas", "client", "://", "curl",
    "bearer", "basic", "psk", "login", "connect(", "connection(", "pdo(", "mysqli(", "ftp(", "bind(", "pw", "mdp",
    "kennwort", "contras", "senha", "wachtwoord", "bcrypt", "sign in", "log in", "<!--", " / ",
    *chain.from_iterable(marks for marks, _ in _COMMANDS),
)  # fmt: skip
_CURL = compile_on_use(r"(?:^|\s)(?:-u|-U|--user|--proxy-user)(?:\s+|=)?([\"']?)([^\s:'\"/$]{1,80}):([^\s'\"]{1,400})")
_NOT_CURL = compile_on_use(r"\b(?:docker|podman|chown|rsync|kubectl|install|su)\b")
_PGPASS = compile_on_use(
    r"((?:[\w-]+\.[\w.-]+|localhost|\*):(?:\d{1,5}|\*):(?!\d+:)[^:\s]{1,80}:[^:\s]{1,80}):(\S{1,400})\s*$"
)
_NETRC = compile_on_use(r"password\s+(\S{1,400})\s*$")


@dataclass(slots=True)
class _State:
    """What earlier lines say of the next: a block of YAML, a name without its value, a Secret of Kubernetes, a
    Terraform variable that is a secret, a literal that goes on, a table with a column of passwords.

    `block` and `data` are the indentation of their first lines in characters, or -1; `table` is the sign between cells,
    the number of cells and that of the column."""

    block: int = -1
    is_variable: bool = False
    announced: Strength = Strength.NONE
    is_secret: bool = False
    data: int = -1
    table: tuple[str, int, int] | None = None


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
        if state.table:
            line = _redact_cell(line, state)
        if state.is_variable:
            line = _redact_default(line, state)
        if has_mark(lowered[number], _HINTS):
            line = _redact_line(line, lowered[number])
            if number and lowered[number - 1].lstrip("+-> \t").startswith(("login ", "machine ")):
                line = _NETRC.sub(_redact_last, line)
            _note_state(line, state)
        if ":" in line:
            line = _redact_colons(line, state)
        lines[number] = line
    _redact_continued(lines)
    return "\n".join(lines)


def _redact_continued(lines: list[str]) -> None:
    """Redact what commands have on more than one line."""
    number = 0
    while number < len(lines):
        first, number = number, number + 1
        while number < min(first + 40, len(lines)) and lines[number - 1].endswith("\\"):
            number += 1
        if number == first + 1:
            continue
        parts: list[tuple[str, str, str]] = []
        for line in lines[first:number]:
            parts += _BODY.findall(line)
        # A character that matches as a blank, but does not occur in any line.
        joined = "\x1f".join(map(itemgetter(1), parts))
        if not has_mark(joined.lower(), _HINTS):
            continue
        bodies = _redact_line(joined, joined.lower()).split("\x1f")
        if len(bodies) == number - first == len(parts):
            for place, (before, _, after) in enumerate(parts):
                lines[first + place] = before + bodies[place] + after


def _redact_by_state(line: str, state: _State) -> str:
    """Return `line` without what an earlier line makes a secret."""
    indentation = _indentation(line)
    announced, state.announced = state.announced, Strength.NONE
    if announced:
        value = _PAIR_VALUE.match(line, indentation)
        if value:
            return _redact_values(line, [(value.end(), announced)])
        return _ONLY_ELEMENT.sub(SECRET, line)
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


def _redact_cell(line: str, state: _State) -> str:
    """Return a row of a table without the password in it."""
    assert state.table is not None
    sign, count, column = state.table
    start = _indentation(line)
    if not line[start:].strip():
        return line
    cells = line[start:].split(sign)
    if abs(len(cells) - count) > 1 or column >= len(cells):
        state.table = None
        return line
    value = cells[column].strip(' `*"\r')
    if " " not in value and is_quoted_secret(value, Strength.STRONG) and any(map(str.isalnum, value)):
        cells[column] = cells[column].replace(value, SECRET)
    return line[:start] + sign.join(cells)


def _redact_default(line: str, state: _State) -> str:
    """Return `line` without the default of a Terraform variable."""
    indentation = _indentation(line)
    if line[indentation:].startswith("}"):
        state.is_variable = False
    default = _DEFAULT_LINE.match(line, indentation)
    if default:
        return _redact_values(line, [(default.end(), Strength.STRONG)])
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
    variable = _VARIABLE.match(line, _indentation(line))
    if variable:
        state.is_variable = rate_name(variable[1]) is Strength.STRONG
    if ">" in line and (key := _OPEN_ELEMENT.search(line)):
        state.announced = rate_name(key[1])
    heading = line[_indentation(line) :].rstrip(" |\r")
    cells = _CELLS.fullmatch(heading)
    if cells:
        names = heading.split(cells[1] or "|")
        for column, name in enumerate(names):
            if rate_name(name) is Strength.STRONG and len(name.split()) <= 2:
                state.table = (cells[1] or "|", len(names), column)


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
    if found and decode_text(found[3]) and not is_prose_in_base64(found[3]):
        return line[: found.start(3)] + SECRET + line[found.end(3) :]
    return line


def _indentation(line: str) -> int:
    margin = _MARGIN.match(line)
    assert margin is not None
    return margin.end()


def _redact_line(line: str, lowered: str) -> str:
    """Return a line, also given in lower case, without the secrets that something beside them gives away."""
    if "://" in line:
        line = _URL_TOKEN.sub(_redact_user, _URL.sub(_redact_userinfo, line))
    line = _HEADER.sub(_redact_header, line)
    if "<" in line:
        line = _ELEMENT.sub(_redact_element, line)
    line = _redact_named(line)
    line = _redact_values(line, _list_pairs(line))
    line = _redact_values(line, _list_arguments(line))
    return _redact_commands(line, lowered)


def _redact_userinfo(found: re.Match[str]) -> str:
    is_example = found[1] in ("user", "username") and found[2] in ("pass", "passwd", "password")
    if is_example or _PORT.match(found[2]) or is_reference(found[2]):
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
        before = line[max(found.start() - 12, 0) : found.start()]
        if found[1].startswith("-") or before.endswith(":") or _DOCKERFILE.search(before):
            return True
        # A method of Gradle and the like, with a literal and nothing else.
        return found.start() == _indentation(line) and _LITERAL_LINE.match(line, found.end()) is not None
    if separator == "(":
        owner, _, method = found[1].rpartition(".")
        is_setter = method.lower().startswith(_SETTERS) or bool(owner) or found[1].startswith(".")
        return is_setter and _OPEN.match(line, found.end()) is not None
    return True


def _find_value(line: str, found: re.Match[str], strength: Strength) -> tuple[int, int]:
    """Return where the secret after a name begins and ends; an empty range if there is none, where to go on."""
    start = found.end()
    tag = _TAG.match(line, start)
    if tag:
        start = tag.end()
    quote = _OPEN.match(line, start)
    if quote:
        return _find_literal(line, quote, strength)
    is_first = found[4].strip() in (":", "=") and not line[: found.start()].strip("+-;#> \t")
    if is_first and strength is Strength.STRONG and (whole := _WHOLE.match(line, start)):
        return whole.span()
    bare = _BARE.match(line, start)
    if bare is None:
        return start, start
    end = bare.end()
    is_call = line[end : end + 1] in ("(", "[", "<")
    if not is_call and is_bare_secret(line[start:end], strength, is_setting=_is_setting(line, found, end, strength)):
        return start, end
    if end - start > _VALUE_CHARACTERS:
        # A long expression is judged once, even if there are more names in it.
        start = end
    return start, start


def _find_literal(line: str, quote: re.Match[str], strength: Strength) -> tuple[int, int]:
    """Return where the secret in the literal that begins with `quote` is; an empty range if there is none."""
    start = quote.end()
    if _EXPRESSION.match(line, start):
        # The literal ends here: it is `"password="`, which is joined to a value.
        return quote.start(), quote.start()
    end = _find_end(line, quote)
    is_cut = strength is Strength.STRONG and end - start >= 4 and _is_open(line, quote, end)
    if is_cut or is_quoted_secret(line[start:end], strength):
        return start, end
    return quote.start(), quote.start()


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
    if joined and (quote := _OPEN.match(line, joined.end())):
        return quote.end(), _find_end(line, quote)
    return end, end


def _ends_command(before: str) -> bool:
    """Return whether a line that begins so is that of a command, unlike a call with an argument by name."""
    return before[-1:] in set(" ,='\"") and before.count(" ") > 1 and set("(<{[").isdisjoint(before)


def _is_setting(line: str, found: re.Match[str], end: int, strength: Strength) -> bool:
    """Return whether an unquoted value is one of a configuration or command, where a word can be a password."""
    name, separator = found[1], found[4]
    before, after = (
        line[max(found.start() - _CHARACTERS_AROUND, 0) : found.start()],
        line[end : end + _CHARACTERS_AROUND],
    )
    first = before
    if found.start() <= _CHARACTERS_AROUND:
        first = _COMMENT.split(before[_indentation(before) :])[-1].strip("\"'").lstrip("#;/* ")
        if _LABEL.fullmatch(first):
            first = ""
    if name.startswith("-"):
        return not line[found.end() : end].isupper()
    if not separator.strip():
        return True
    if separator == "=":
        is_whole = first in ("", "export ", "ARG ", "ENV ") and not after.strip()
        in_command = strength is Strength.STRONG and _ends_command(before)
        in_list = in_command or before.endswith((";", "?", "&"))
        return name.isupper() or is_whole or in_list
    if first or (after.strip() and not after.lstrip().startswith(("#", "-->"))):
        return False
    value = line[found.end() : end]
    if separator.strip() == ":":
        is_apart = separator != ":" or value.startswith("**")
        return is_apart and (value.islower() or any(map(str.isdigit, value)))
    # In a program, such a line is mostly within a function.
    lead = line[: found.start()]
    is_outermost = lead.count(" ") <= 1 and not lead.strip("+-;# ")
    return separator.strip() == "=" and is_outermost and value.isalpha() and value.islower() and len(value) >= 8


def _list_pairs(line: str) -> Iterator[tuple[int, Strength]]:
    """Yield where the values of pairs such as `name="password" value="..."` start, with what the name says."""
    for pair in _PAIR.finditer(line):
        value = _PAIR_VALUE.match(line, pair.end())
        if value:
            yield value.end(), rate_name(pair[2])
    for reverse in _VALUE_FIRST.finditer(line):
        yield reverse.end(), rate_name(reverse[1])


def _list_arguments(line: str) -> Iterator[tuple[int, Strength]]:
    """Yield where values start that belong to the argument before them, or are a default, with what that says."""
    for pattern in (_GETENV, *_DEFAULTS):
        for argument in pattern.finditer(line):
            yield argument.end(), rate_name(argument[1])
    if "(" in line:
        for pattern in (_USERS, _CONNECTION, _HASHING):
            for users in pattern.finditer(line):
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


def _redact_commands(line: str, lowered: str) -> str:
    """Return a line without the passwords in options of well-known commands, and in SQL."""
    for marks, pattern in _COMMANDS:
        if has_mark(lowered, marks):
            line = pattern.sub(_redact_last, line)
    if has_mark(lowered, _SPOKEN_MARKS):
        for pattern in _SPOKEN:
            line = pattern.sub(_redact_spoken, line)
    if not _NOT_CURL.search(line):
        line = _CURL.sub(_redact_last, line)
    return line


def _redact_spoken(found: re.Match[str]) -> str:
    value = found[1]
    bare = value.strip("`.,;)")
    is_literal = value.startswith("`") and is_quoted_secret(bare, Strength.STRONG)
    if is_literal or is_bare_secret(bare, Strength.STRONG, is_setting=False):
        return found[0][: -len(value)] + value.replace(bare, PASSWORD)
    return found[0]


def _redact_last(found: re.Match[str]) -> str:
    """Return what was matched with its last group redacted, unless that stands for a secret that is elsewhere."""
    last = found.re.groups
    value = found[last].strip("\"'`")
    if is_reference(value) or value.startswith("-"):
        return found[0]
    begin, end = found.start(last) - found.start(), found.end(last) - found.start()
    return found[0][:begin] + PASSWORD + found[0][end:]
