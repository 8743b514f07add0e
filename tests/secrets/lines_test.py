"""A secret is recognized by what stands beside it, and ordinary paths, links and code stay."""

import time
from pathlib import Path

from smartcommit.agent.shown import decode_start, take_lines
from smartcommit.change.wording import make_printable
from smartcommit.secrets.redaction import cut_text, redact
from tests.support.plants import ORDINARY, PATHS, PHRASE, PLANTS, Plant
from tests.support.secrets import PLANTED, PRIVATE_KEY, letters
from tests.support.table import rows

# Nothing tells a bare word of 16 random letters from a name, or a word beside another one from prose or code. The
# others are rare, and each would need a form of its own. The documentation says so.
NOT_PROMISED = {
    "random text of 16", "heroku", "yaml flow", "table of markdown", "identity of yarn",
    "net rpc", "pdo on lines", "second half joined by +", "second half of a literal", "security",
    "rar", "nmcli", "xml value first", "dsn of go",
}  # fmt: skip


@rows("plant", *PLANTS)
def test_a_planted_secret_is_redacted_wherever_it_stands(plant: Plant) -> None:
    assert plant.secret in plant.text
    around = ["{}", "+{}", "-{}", " {}"]
    if plant.name in PLANTED:
        around += ["12:{}", '"text": "{}"', "in src/{}/file.txt\n", "@@ -1 +1 @@ {}\n-old\n+new"]
    for form in around:
        text = "\n".join(form.format(line) for line in plant.text.split("\n"))
        assert (plant.secret in redact(text)) == (plant.name in NOT_PROMISED), form


# What programs are given where they take a password, `{}`, and other words that they are given there.
COMMANDS = (Path(__file__).with_name("commands.txt")).read_text().splitlines()


@rows("command", *COMMANDS)
def test_the_password_of_a_command_is_redacted(command: str) -> None:
    for before in ("", "+    ", "- run: ", "$ sudo "):
        assert "Zebra77pass" not in redact(before + command.replace("{}", "Zebra77pass"))


@rows(
    "command",
    "docker run -u node -p 8080:80 image", "psql -U postgres -p 5432", "net use z: /delete", "sqlplus /nolog",
    "vault login -method=github", "snmpwalk -v2c -c public host", "sqlplus @sql/report.sql",
    "add net users to the list", "useradd -u 1000 ada", "oathtool --help", "mstsc /v:host /f",
)  # fmt: skip
def test_a_command_without_a_password_stays(command: str) -> None:
    assert redact(command) == command


@rows(
    "text",
    "a \\\n+  b \\\n-  c \\\n d", "token a \x1d \\\n+ b", "kind: Secret\nauthor: |\n  a", "password: |\nnext",
    "token_type: |\n  bearer", "user,password\nada,$PASSWORD",
)  # fmt: skip
def test_what_goes_on_behind_a_backslash_or_begins_a_block_comes_back(text: str) -> None:
    assert redact(text) == text


@rows("path", *PATHS)
def test_a_path_stays(path: str) -> None:
    for text in (path, f"added {path}; code, added, +12 -0", f"+++ b/{path}", f"see https://example.org/{path}#L12"):
        assert redact(text) == text


@rows("line", *ORDINARY)
def test_an_ordinary_line_stays(line: str) -> None:
    for text in (line, f"+{line}", f"-    {line}"):
        assert redact(text) == text


# Beginnings of what the patterns look for, which never comes to an end.
HOSTILE = (
    "password=", "password='", "password '", "a/", "A1b2/", "://a:", "mysql -h ", "docker login ", "login x password ",
    "name=password ", "<password a ", "auth('a',", '("token", "', "_", "-", "0-", "curl -u a:", "echo a ", "a:1:b:c:",
    "password: str ", "password = 'a' + ", "token ", "eyJ", "${", "key: | ",
    "htpasswd -b ", "openssl enc ", "secret or ", "${a:", "value='a' ", "'--secret', ", '"auths": {', "sha512-",
    "echo '%s' ", 'getConnection("', "new PDO(a, ", "net use ", "variable ", "password is ", "log in as ",
    "# root / ", "-----BEGIN CERTIFICATE-----\\n", "totp ", "password\nlogin \\\n", "username ", "user,password\n",
    "| password |\n", "hash_password(", "-----BEGIN PRIVATE KEY-----\n", f"{'aB3' * 20}\n",
    "kind: Secret\ndata:\n  a: b\n", "password: |\n\n\n", "sshpass -p \\\n", "user, ", "'a' + 'b' + ",
    'variable "password" {\n', "<key>password</key>", "\x1d", "-u a", "name: password\nvalue: ",
)  # fmt: skip


def _measure(part: str, length: int) -> float:
    line = "password " + part * (length // len(part))
    before = time.process_time()
    redact(line)
    return time.process_time() - before


@rows("part", *HOSTILE)
def test_a_hostile_line_takes_linear_time(part: str) -> None:
    # Ten times as long takes ten times as long; quadratic time would be a hundred times.
    least = min(_measure(part, 2_500) for _ in range(3))
    assert any(_measure(part, 25_000) < 30 * least + 0.02 for _ in range(3))


@rows("kind", "PUBLIC KEY", "CERTIFICATE", "CERTIFICATE REQUEST", "X509 CRL", "PGP PUBLIC KEY BLOCK", "SSH2 PUBLIC KEY")
@rows("form", "{}\n", "+    {}\n", "{}\\n", '    "{}\\n" +\n')
def test_what_is_public_stays_on_every_line(kind: str, form: str) -> None:
    lines = [f"-----BEGIN {kind}-----", "Version: 1", *PRIVATE_KEY[1:-1], f"-----END {kind}-----", "next"]
    text = "".join(map(form.format, lines))
    assert redact(text) == text
    secret = f"{text}{form.format(letters('behind', 44))}"
    assert letters("behind", 44) not in redact(secret)


ONE_WORD = [plant for plant in PLANTS if "\n" not in plant.text and " " not in plant.secret]


@rows("plant", *ONE_WORD)
def test_a_cut_leaves_no_half_of_a_secret(plant: Plant) -> None:
    line = f"{plant.text} and more"
    start = line.index(plant.secret)
    half = plant.secret[: len(plant.secret) // 2 + 1]
    for limit in range(start + len(half), start + len(plant.secret)):
        cut = cut_text(line, limit)
        assert line.startswith(cut)
        assert redact(cut).count(half) <= line[:start].count(half)


def test_a_passphrase_that_a_cut_leaves_open_goes() -> None:
    line = f'passphrase = "{PHRASE}"'
    for limit in range(line.index(PHRASE) + 2, len(line)):
        assert "correct" not in redact(cut_text(line, limit))


def test_what_is_shown_of_a_long_line_ends_before_a_secret_that_does_not_fit() -> None:
    secret = "ghp_" + letters("long line", 36)
    line = "x " * 190 + secret + " y" * 400
    (shown,) = take_lines([line], 1000)
    assert shown == "x " * 189 + f"x [{len(line) - 379} more characters]"
    assert decode_start(line.encode(), 400) == ("x " * 190).rstrip()
    name = make_printable("a/" * 20 + secret + "/b" * 20)
    assert secret[:12] not in name
    assert secret[-12:] not in name


def test_a_line_without_blanks_is_cut_before_its_last_name() -> None:
    assert cut_text("f(a,b);" * 100 + letters("cut", 60), 720) == "f(a,b);" * 100


def test_redacting_twice_changes_nothing_more() -> None:
    once = redact("\n".join(plant.text for plant in PLANTS))
    assert redact(once) == once
