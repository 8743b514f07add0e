"""Finds secrets by what stands beside them: assignments, command lines, URLs, headers, XML, YAML and other formats.

All are rows of tables: a pattern with the secret, and mostly the name that gives it away, as groups. The group that a
secret is in says how it is judged.
"""

from __future__ import annotations

import re
from collections import defaultdict

from smartcommit.patterns import compile_on_use
from smartcommit.secrets.forms import JUDGES, Strength, has_mark, is_quoted_secret, rate_name

SECRET = "[redacted: secret]"

# The number of a listing, the sign of a diff, indentation, and the dash of an item of YAML.
_MARGIN = r"(?:\s{0,8}\d{1,7}[:|])?[-+>| \t]*"
# Blanks with one line break at most.
_GAP = r"[ \t]{0,40}(?:\r?\n[-+>]?[ \t]{0,200})?"
# What a name has to contain, in lower case.
_HINTS = (
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "sig", "sas", "salt", "psk", "seed", "totp", "mdp",
    "kennwort", "contras", "senha", "wachtwoord", "client", "cookie", "session",
)  # fmt: skip
_NAME = rf"(?P<name>(?=[\w.$-]{{0,80}}?(?i:{'|'.join(_HINTS)}))[\w.$-]{{2,80}})"
_ANY_NAME = r"(?P<name>[\w.-]{2,80})"
# What is between a name and its value: what closes the name, a type, and a sign.
_SIGN = (
    r"(?:\\?[\"'`]|\]|\s?\?|\*\*)?\]?(?:\s{0,8}:\s{0,2}[&\w<>\[\].|?*' ]{1,40}?\s{0,2}(?==[^=>]))?"
    r"\s{0,8}(?::=|=>|<-|[=!]==?|\?\?=|[?+|]=|=|:(?!:))\s{0,8}"
)
_QUOTE = r"(?P<quote>\\?(?:\"{3}|'{3}|[\"'`]))"
# A literal, which may be cut off or joined to another; not the end of one, as in `"password=" + value`.
_LITERAL = (
    rf"(?:\(\s{{0,2}})?[bBrRuUL@]{{0,2}}{_QUOTE}(?!\s{{0,4}}(?:[+.,)]\s{{0,4}}[A-Za-z_(]|[);,]?\s{{0,4}}$))"
    r"(?P<text>(?:(?!(?P=quote))(?:\\.|.)|(?P=quote)\s{0,8}(?:\+|\.\.?|[\x1d-\x1f])\s{0,8}(?P=quote))*)"
)
_SIGNS_OF_CODE = r"\s\"'`,;(){}\[\]<>|\\"
_BARE = rf"(?P<bare>[^{_SIGNS_OF_CODE}]+)(?![(\[<])"
_WORD = r"(?P<word>\"[^\"\n]{1,400}\"|'[^'\n]{1,400}'|[^\s\"'`|;&<>()\[\]]{1,400})"
_LINE_END = r"(?=[;,]?\s*(?:(?:#|//|--|;|-->).*)?$)"
_JOINT = compile_on_use(r"[\"'`]\s{0,8}(?:\+|\.\.?|[\x1d-\x1f])\s{0,8}[\"'`]")
# Commands that read a password from their input.
_READERS = (
    r"(?:--password-stdin|--passphrase-fd|--password-fd|passwd --stdin|chpasswd|sudo -S|cryptsetup|kinit"
    r"|secret (?:create|put|set))"
)
_PASSWORD = r"(?:passw(?:or)?d|passphrase|passwort|pw|kennwort|mot de passe|contraseña|senha)"
_SPOKEN = r"(?P<spoken>`[^`\n]{4,200}`|[^\s`\"'<>|]{6,200})"

# Rows of marks and a pattern: what has none of the marks, in lower case, is not searched for the pattern.
_Rows = list[tuple[tuple[str, ...], str]]
_Forms = dict[tuple[str, ...], list[re.Pattern[str]]]
_ASSIGNMENTS: _Rows = [
    # A literal, or what can hardly be anything but a value, after a name and a sign.
    (_HINTS, rf"(?<![\w.$-])-{{0,2}}{_NAME}{_SIGN}{_LITERAL}"),
    (_HINTS, rf"(?<![\w.$-])-{{0,2}}{_NAME}{_SIGN}(?P<code>[^{_SIGNS_OF_CODE}]+)(?![(\[<])"),
    # A setting to the end of its line, also in a comment, after a label or a user.
    (_HINTS, rf"(?:^{_MARGIN}|(?:^|\s)(?:#|//|--|;|<!--|/)\s{{0,4}}|(?i:\b(?:user|login|usuario|benutzer|e-?mail"
     r"|utilisateur)[^(){}\[\]\"'<>]{0,40})[,/;|]\s?)[;#*]*\s?"
     r"(?i:(?:export|set|ARG|ENV|-|default|admin|root|mot de)\s+){0,2}[\"'*]{0,2}"
     rf"{_NAME}[\"'*]{{0,2}}(?:=|\s\?=\s|\s?:(?!:)\*{{0,2}}\s{{1,8}}(?:(?:!!str|&\w{{1,40}})\s+)?){_BARE}{_LINE_END}"),
    (_HINTS, rf"^[-+ ]?[;#]?{_NAME}\s?=\s(?P<bare>[a-z]{{6,80}}){_LINE_END}"),
    # The same with brackets and other signs that no word of a language has, unlike a call or a type.
    (_HINTS, rf"^[-+;# \t]*{_NAME}\s{{0,8}}[:=]\s{{0,8}}(?=\S*\d)(?=\S*[A-Za-z])"
     r"(?![\w.:$&*>-]*[(\[{<]\S*[)\]}>][;,]?\s*$)(?P<code>[^\s\"'`]{6,200}?)(?=[;,]?\s*$)"),
    # Variables of a command, parts of a connection string, a query; not an argument of a call.
    (_HINTS, rf"(?:(?<![\w.$-])(?=[A-Z_\d]{{3,80}}=)|[;?&\"']){_NAME}={_BARE}"),
    (_HINTS, rf"(?<=[\s,='\"]){_NAME}={_BARE}(?![^(]{{0,100}}\))"),
    # Options, symbols, directives and setters.
    (_HINTS, r"(?:(?<![\w$-])-{1,2}|(?<![\w:]):|(?:#\s?define|\b(?:ENV|ARG|setx?|SET|setenv|setq))\s+(?:-\w{1,3}\s+)?)"
     rf"{_NAME}[\s=]\s{{0,8}}(?:{_LITERAL}|(?!-|[A-Z]+\b){_BARE})"),
    (_HINTS, rf"^{_MARGIN}{_NAME}\s+{_QUOTE}(?P<text>[^\"'\n]{{1,200}})(?P=quote)\s*$"),
    (_HINTS, rf"(?:\w\.|\.|\b(?=set|with|add|use|SET|Set)){_NAME}\(\s{{0,2}}{_LITERAL}"),
    # Words of a passphrase, and text in base64, as values of YAML.
    (_HINTS, rf"^{_MARGIN}{_NAME}:\s+(?P<plain>[a-z0-9]+(?: [a-z0-9]+){{2,11}})\s*$"),
    ((":",), rf"^{_MARGIN}[\w.-]{{1,80}}:\s+[\"']?(?P<encoded>[A-Za-z0-9+/]{{8,4000}}={{0,2}})[\"']?\s*(?:#.*)?$"),
]  # fmt: skip
_CALLS: _Rows = [
    # `https://ada:PASSWORD@host`, and `https://TOKEN@host`.
    (("://",), r"(?<=://)(?!user(?:name)?:pass(?:w(?:or)?d)?@)[^\s/:@\"'<>]{0,100}:(?!\d{1,5}/)"
     r"(?P<word>[^\s\"'<>]{1,300})@(?=[\w.\[${%<-])"),
    (("://",), r"(?<=://)(?=[\w.~-]{0,255}\d)(?=[\w.~-]{0,255}[A-Za-z])(?P<word>[\w.~-]{16,255})(?=@)"),
    # `Authorization: Bearer TOKEN`, and the same without the name of the header.
    (("authorization",), r"(?i)\bauthorization[\"']?\s{0,4}[:=,]\s{0,4}[\"']?(?:bearer|basic|token)\s+"
     r"(?P<plain>[\w+/=.~-]{8,4000})"),
    (("bearer", "basic", "token"), r"(?i)\b(?:bearer|basic|token)\s+(?P<code>[\w+/=.~-]{12,4000})"),
    # `auth=("ada", "PASSWORD")`, `connect(host, "ada", "PASSWORD")`, and `hash_password("PASSWORD")`.
    (("auth", "cred", "login", ".connect(", "getconnection("),
     r"(?i)\b(?:auth\w*|\w{0,40}credentials?|\w{0,40}basic_?auth|login|\w{0,20}authentication"
     r"|(?:oci_|(?:cx_)?oracle(?:db)?\.)connect|\w{0,20}dataSource\.getConnection)(?:\s?=\s?\(|\()\s{0,4}"
     rf"[\"'][^\"'\n]{{1,80}}[\"'],\s{{0,4}}{_LITERAL}"),
    (("connection(", "connect(", "pdo(", "mysqli(", "bind(", "ftp", "ssh2"),
     r"(?i)\b(?:getConnection|PDO|mysqli|\w{0,20}sql\w{0,10}[._]p?connect|DBI->connect|ldap_bind|ssh2_auth_password"
     r"|ftp_login|FTP(?:_TLS)?)\((?:\s{0,4}(?:[^\s,\"']{1,100}|\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'),){2}\s{0,4}"
     + _LITERAL),
    (("pass", "hashpw", "bcrypt"),
     r"(?i)(?:(?:hash|check|verify|make|encrypt|encode)_?pass(?:word|wd)?|pass(?:word)?_(?:hash|verify)|\bhashpw"
     rf"|\bbcrypt\.\w{{2,20}})\(\s{{0,4}}{_LITERAL}"),
    # `'PASSWORD' | password_hash` of Ansible, PowerShell, and `IDENTIFIED BY 'PASSWORD'` of SQL.
    (("password_hash",), rf"{_QUOTE}(?P<text>[^\"'\n]{{1,400}})(?P=quote)(?=[\s|\w.]{{0,60}}\bpassword_hash)"),
    (("securestring",), rf"(?i)\bConvertTo-SecureString\s+(?:-String\s+)?{_LITERAL}"),
    (("identified",), rf"(?i)\bidentified\s+(?:with\s+\w+\s+)?by\s+(?:password\s+)?{_LITERAL}"),
    # `("db_password", "PASSWORD")`, and what holds if there is no other value: `${DB_PASSWORD:-PASSWORD}`,
    # `os.getenv("DB_PASSWORD") or "PASSWORD"`, `"--password", default="PASSWORD"`.
    (("'", '"'), rf"[(\[]\s{{0,4}}[\"'][#.-]{{0,2}}{_ANY_NAME}[\"'],\s{{0,4}}{_LITERAL}"),
    (("${",), rf"\$\{{{_ANY_NAME}:-?(?P<bare>[^\s${{}}]{{4,200}})\}}"),
    (_HINTS, rf"(?<![\w-]){_NAME}[\"']?[)\]]{{0,2}}\s{{1,4}}(?:\|\||\?\?|\?:|or)\s{{1,4}}{_LITERAL}"),
    (("default",), rf"[\"']--{_ANY_NAME}[\"'],(?:[^()\n]{{0,200}}?[\s,])?default\s?=\s?{_LITERAL}"),
]  # fmt: skip
_COMMANDS: _Rows = [
    # `echo PASSWORD | docker login --password-stdin`, `passwd --stdin <<< PASSWORD`.
    (("echo", "printf"), r"\b(?:echo|printf)\s+(?:-\w{1,4}\s+)?(?:[\"']%s(?:\\n)?[\"']\s+)?"
     rf"{_WORD}(?=\s{{0,8}}\|[^|\n]{{0,200}}{_READERS})"),
    (("<<<",), rf"{_READERS}[^\n|;<]{{0,200}}<<<\s{{0,4}}{_WORD}"),
    # `--from-literal=key=PASSWORD` of kubectl, `curl -u ada:PASSWORD`, and `requirepass PASSWORD` of Redis.
    (("--from-literal",), rf"--from-literal[=\s]\s{{0,4}}[\w.-]{{1,80}}={_WORD}"),
    (("-u", "-a"), r"^(?:(?!\b(?:docker|podman|chown|rsync|kubectl|install|su)\b).)*?"
     r"(?:^|\s)(?:-u|-U|-a|--user|--proxy-user|--auth)(?:\s+|=)?[\"']?[^\s:'\"/$]{1,80}:(?P<word>[^\s'\"]{1,400})"),
    (("requirepass",), rf"^{_MARGIN}requirepass\s+{_WORD}"),
    # A line of a .pgpass.
    ((":",), rf"^{_MARGIN}(?:[\w-]+\.[\w.-]+|localhost|\*):(?:\d{{1,5}}|\*):(?!\d+:)[^:\s]{{1,80}}:[^:\s]{{1,80}}:"
     r"(?P<word>\S{1,400})\s*$"),
]  # fmt: skip
# Beginnings of the names of programs, and what a password follows in their commands, as in `mysql -pPASSWORD`.
_OPTIONS = (
    ("mysql mariadb 7z mycli", r"-p"),
    ("sshpass", r"-p\s{0,8}"),
    ("login twine mongo useradd usermod cadaver", r"-p\s+"),
    ("redis-cli keydb-cli valkey-cli", r"-a\s+"),
    ("sqlcmd bcp osql zip unzip ipmitool mosquitto_", r"-P\s?"),
    ("ldap", r"-w\s+"),
    ("openssl", r"(?:-[kK]\s+|-pass(?:in|out)?\s+[\"']?pass:)"),
    ("smb winexe rpcclient", r"(?:-U|--user)[\s=]?[\"']?[^\s%\"']{1,80}%"),
    ("htpasswd", r"-\w{0,5}b\w{0,5}\s+(?:-\w{1,6}\s+){0,5}(?:[^\s-]\S{0,200}\s+){2}"),
    # A user and a password with a slash between them.
    ("sqlplus sqlldr expdp impdp rman", r"(?:userid=|target\s+)?[\w$#]{1,60}/(?=[^\s/])"),
    ("lftp", r"-u\s+[^\s,]{1,80},"),
    # The password of the user, that for privacy, and a community; a command has several.
    ("snmp", r"-A\s{0,8}"),
    ("snmp", r"-X\s{0,8}"),
    ("snmp", r"-c\s{0,8}(?!public\b)"),
    ("oathtool", r"(?=[A-Za-z2-7]{8})"),
    ("xfreerdp wfreerdp mstsc", r"/p:"),
    ("net", r"/user:\S{1,80}\s+(?!/)"),
    ("net", r"use\s+(?:\w:\s+|\*\s+)?\\\\\S{1,200}\s+(?!/)"),
    ("net", r"user\s+[\w.-]{1,80}\s+(?=\S{1,80}\s+/)(?![*/])"),
    ("schtasks", r"/rp\s+"),
    ("rabbitmqctl", r"(?:add_user|change_password|authenticate_user)\s+\S{1,80}\s+"),
    ("wpa_passphrase", r"\S{1,80}\s+"),
    ("pdftk", r"(?:input|owner|user)_pw\s+"),
    ("ansible-vault", r"encrypt_string\s+(?:-\S{1,80}\s+){0,5}(?!-)"),
    ("vault", r"login\s+(?![-\w]{1,40}=)(?!-)"),
    ("bw rclone", r"(?:unlock|obscure)\s+(?!-)"),
    # Any program that takes a user and a password so; digits are a port.
    (
        "",
        r"(?:-u|-U|--user(?:name)?)[\s=]\s{0,8}[^\s\"'-][^\s\"']{0,80}\s+-[pP]\s{1,8}(?![-/]|[\d.:]{1,40}(?:\s|$)|\d{1,5}:\d)",
    ),
)
for _programs, _option in _OPTIONS:
    _names = tuple(_programs.split())
    _program = rf"\b(?:{'|'.join(_names)})\w{{0,12}}\b" if _names else ""
    _COMMANDS.append((_names or ("-u ", "-u=", "--user"), rf"{_program}[^\n|;]{{0,300}}?\s{_option}{_WORD}"))
# In prose, only a literal or what has a number in it is a password.
_PROSE: _Rows = [
    (("passw", "secret"), r"(?i)\b(?:password|secret)(?:\s+(?:is:?\s+)?(?=['`])|\((?=[\"'])|\s+is:?\s+(?=\"))"
     rf"{_QUOTE}(?P<text>[^\"'`\n]{{1,400}})(?P=quote)"),
    (("pass", "pw", "kennwort", "contras", "senha"),
     rf"(?i)\b{_PASSWORD}\s+(?:(?:is|ist|lautet|est|es)\s+)?{_SPOKEN}"),
    (("log in", "log on", "sign in", "sign on", "login", "username", "account", "cred"),
     r"(?i)\b(?:(?:log|sign)\s?(?:in|on)\s+(?:as|with|using)|user(?:name)?|login|credentials?|account)\s[^`\n]{0,20}?"
     rf"(?:`[^`\n]{{1,80}}`|\S{{1,80}})(?:\s(?:with|and|using|/)\s+(?:(?:the\s+)?{_PASSWORD}\s+)?|\s?[/:]\s?){_SPOKEN}"),
    ((" / ", "<!--", "login", "cred", "account"),
     r"(?i)(?:(?:^|\s)(?:#|//)\s|<!--|\b(?:login|credentials?|account)[:\s])[^\n/]{0,40}?(?<![\w/.-])"
     rf"(?:admin\w{{0,12}}|root|user\w{{0,8}}|test\w{{0,8}}|demo|guest|[\w.+-]{{1,40}}@[\w.-]{{1,60}})\s?[/:]\s?{_SPOKEN}"),
]  # fmt: skip
# Forms that go over lines.
_TEXT_ROWS: _Rows = [
    # A name and a value beside each other, in either order.
    (("value",), rf"(?i)\b(?:name|key|id)[\"']?\s{{0,4}}[:=]\s{{0,4}}\\?[\"']?{_ANY_NAME}\\?[\"']?,?{_GAP}"
     rf"[\"']?\bvalue[\"']?\s{{0,4}}[:=]\s{{0,4}}(?:{_LITERAL}|{_BARE})"),
    # Elements of XML, named by an attribute, by the element before, or by themselves.
    (("</",), rf"<(?:[^<>]{{0,200}}\b(?:name|key|id)\s?=\s?[\"']{_ANY_NAME}[\"'][^<>]{{0,200}}>"
     r"|key>(?P<key>[\w.-]{2,80})</key>|(?:\w{1,20}:)?(?P<tag>[\w.-]{2,80})(?:\s[^<>]{0,200})?>)"
     rf"{_GAP}(?:<!\[CDATA\[|<[Vv]alue>|<string>)?(?P<plain>[^<>]{{4,400}}?)(?=\]\]>|</)"),
    # A variable of Terraform, and a .netrc.
    (("variable",), rf"\bvariable\s+\"{_NAME}\"\s*\{{(?:\n(?![-+ ]?\}}).{{0,300}}){{0,8}}?"
     rf"\n[-+ ]?\s*default\s*=\s*{_LITERAL}"),
    (("login",), rf"(?i)\blogin\s+\S{{1,80}}{_GAP}\s?(?:password|passwd)\s+{_WORD}"),
]  # fmt: skip


def _compile_rows(*tables: _Rows) -> _Forms:
    forms: _Forms = defaultdict(list)
    for table in tables:
        for marks, form in table:
            forms[marks].append(compile_on_use(form))
    return forms


_LINE_FORMS = _compile_rows(_ASSIGNMENTS, _CALLS, _COMMANDS, _PROSE)
_TEXT_FORMS = _compile_rows(_TEXT_ROWS)
# A block of YAML: the sign of a diff, indentation, what the block is, and the lines that are indented further.
_BLOCK = r"(?m)^[-+ ]?([ \t]*)(?:- )?{}[ \t]*(?P<lines>(?:\n[-+ ]?\1[ \t]+\S.*|\n[-+ ]?[ \t]*$)+)"
_NAMED_BLOCK = compile_on_use(_BLOCK.format(rf"[\"']?{_NAME}[\"']?:\s{{1,4}}[|>][-+\d]{{0,2}}"))
_KUBERNETES = compile_on_use(r"\bkind:\s+[\"']?Secret\b")
_KUBERNETES_DATA = compile_on_use(_BLOCK.format(r"(?:data|stringData):(?P<name>)"))
_BLOCK_START = compile_on_use(rf"(?m):[ \t]{{1,4}}[|>][-+\d]{{0,2}}[ \t]*$|{_KUBERNETES.pattern}")
_LINE_OF_BLOCK = compile_on_use(r"(?m)^([-+ ]?[ \t]*(?:[\w./-]+:[ \t]+(?=[^\s|>]))?)\S.*")
# The heading of a table of Markdown or CSV.
_HEADING = compile_on_use(
    rf"{_MARGIN}(?:[\w. *`-]{{1,80}}(?:\|[\w. *`-]{{1,80}}){{1,20}}"
    r"|[\w.-]{1,80}(?:([,;\t])[\w.-]{1,80}){1,20})[ |\r]*"
)
# Line breaks in a command stand as separators, which patterns take for blanks, with the sign of a diff behind them.
_CONTINUED = {"\\\n+": "\x1d", "\\\n-": "\x1e", "\\\n": "\x1f"}


def redact_lines(text: str) -> str:
    """Return `text` with the secrets replaced that a name, command or format gives away; takes linear time."""
    if _BLOCK_START.search(text):
        if _KUBERNETES.search(text):
            text = _KUBERNETES_DATA.sub(_redact_block, text)
        text = _NAMED_BLOCK.sub(_redact_block, text)
    text = _redact_forms(text, text.lower(), _TEXT_FORMS)
    if has_mark(text, _CONTINUED.values()):
        return _redact_each_line(text)
    for ending, separator in _CONTINUED.items():
        text = text.replace(ending, separator)
    text = _redact_each_line(text)
    for ending, separator in _CONTINUED.items():
        text = text.replace(separator, ending)
    return text


def _redact_each_line(text: str) -> str:
    # No character becomes a line break in lower case.
    lowered = text.lower()
    forms = {marks: patterns for marks, patterns in _LINE_FORMS.items() if has_mark(lowered, marks)}
    lines, lowered_lines = text.split("\n"), lowered.split("\n")
    for number, line in enumerate(lines):
        lines[number] = _redact_forms(line, lowered_lines[number], forms)
    _redact_columns(lines, lowered_lines)
    return "\n".join(lines)


def _redact_forms(text: str, lowered: str, forms: _Forms) -> str:
    for marks, patterns in forms.items():
        if has_mark(lowered, marks):
            for pattern in patterns:
                text = pattern.sub(_redact_value, text)
    return text


def _redact_value(found: re.Match[str]) -> str:
    groups = found.groupdict()
    strength = Strength.STRONG
    for kind in ("name", "tag", "key"):
        if groups.get(kind):
            strength = rate_name(groups[kind])
    for kind, judge in JUDGES.items():
        value = groups.get(kind)
        if value and strength and (_is_cut(found, kind, strength) or judge(_JOINT.sub("", value), strength)):
            begin, end = found.start(kind) - found.start(), found.end(kind) - found.start()
            return found[0][:begin] + SECRET + found[0][end:]
    return found[0]


def _is_cut(found: re.Match[str], kind: str, strength: Strength) -> bool:
    """Return whether a literal begins that the line ends before, unlike the end of another one."""
    if kind != "text" or strength is not Strength.STRONG or found.end(kind) < len(found.string):
        return False
    return len(found[kind]) >= 4 and found.string.count(found["quote"], 0, found.start("quote")) % 2 == 0


def _redact_block(found: re.Match[str]) -> str:
    if found["name"] and not rate_name(found["name"]):
        return found[0]
    begin = found.start("lines") - found.start()
    return found[0][:begin] + _LINE_OF_BLOCK.sub(rf"\1{SECRET}", found["lines"])


def _redact_columns(lines: list[str], lowered: list[str]) -> None:
    number = 0
    while number < len(lines):
        heading = None
        if has_mark(lowered[number], _HINTS):
            heading = _HEADING.fullmatch(lines[number])
        number += 1
        if heading:
            separator = heading[1] or "|"
            names = heading[0].split(separator)
            place = next((place for place in range(len(names)) if rate_name(names[place]) is Strength.STRONG), None)
            while place is not None and number < len(lines):
                cells = lines[number].split(separator)
                if abs(len(cells) - len(names)) > 1 or place >= len(cells):
                    break
                value = cells[place].strip(' `*"\r')
                is_word = " " not in value and any(character.isalnum() for character in value)
                if is_word and is_quoted_secret(value, Strength.STRONG):
                    cells[place] = cells[place].replace(value, SECRET)
                lines[number] = separator.join(cells)
                number += 1
