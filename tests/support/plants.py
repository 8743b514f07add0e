"""Secrets in the forms in which they occur in repositories, none of them real, and ordinary paths and lines.

Each plant has a name, a text of one or more lines, and the secret in it. Like those of `tests.support.secrets`, they
are put together at run time, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import string
from dataclasses import dataclass

from tests.support.secrets import PLANTED, PRIVATE_KEY, letters

_HEX = "0123456789abcdef"
_LOWER = string.ascii_lowercase + string.digits
_UPPER = string.ascii_uppercase + string.digits
_BASE64 = string.ascii_letters + string.digits + "+/"
WORD = "sword" + "fish"
MIXED = "tr0ub4dor" + "&3"
PHRASE = "correct horse " + "battery staple"
SIGNS = "$ecr3t" + "!x"


@dataclass(frozen=True, slots=True)
class Plant:
    """A text with a `secret` in it; no line of the redacted text may contain it."""

    name: str
    text: str
    secret: str


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# Tokens that can be recognized by themselves.
_TOKENS = {
    "github app token": ("TOKEN: {}", "ghs_" + letters("A1", 36)),
    "github refresh token": ("{}", "ghr_" + letters("A2", 76)),
    "gitlab runner token": ("--registration {}", "glrt-" + letters("A3", 20)),
    "slack app token": ("app = {}", "xapp-1-A0" + letters("A4", 60, _LOWER)),
    "slack user token": ("{}", "xoxp-" + letters("A5", 11, string.digits) + "-" + letters("A6", 32, _HEX)),
    "discord webhook": ("https://discord.com/api/webhooks/{}", "123456789012345678/" + letters("A7", 68)),
    "discord bot token": ("bot.run('{}')", "M" + letters("A8", 23) + "." + letters("A9", 6) + "." + letters("B1", 27)),
    "stripe restricted key": ("stripe: {}", "rk_" + "live_" + letters("B2", 24)),
    "stripe webhook secret": ("endpoint {}", "whsec_" + letters("B3", 32)),
    "google client secret": ("client: {}", "GOCSPX-" + letters("B4", 28)),
    "google access token": ("{}", "ya29." + letters("B5", 120)),
    "hugging face token": ("login('{}')", "hf_" + letters("B6", 34)),
    "openrouter key": ("{}", "sk-or-" + "v1-" + letters("B7", 64, _HEX)),
    "groq key": ("Groq('{}')", "gsk_" + letters("B8", 52)),
    "docker token": ("{}", "dckr_pat_" + letters("B9", 27)),
    "rubygems key": ("{}", "rubygems_" + letters("C1", 48, _HEX)),
    "mailgun key": ("mailgun {}", "key-" + letters("C2", 32, _HEX)),
    "mailchimp key": ("mc {}", letters("C3", 32, _HEX) + "-us12"),
    "twilio account": ("client {}", "AC" + letters("C4", 32, _HEX)),
    "digitalocean token": ("do {}", "dop_v1_" + letters("C5", 64, _HEX)),
    "databricks token": ("{}", "dapi" + letters("C6", 32, _HEX)),
    "shopify token": ("{}", "shpat_" + letters("C7", 32, _HEX)),
    "age key": ("# {}", "AGE-SECRET-KEY-1" + letters("C8", 58, _UPPER)),
    "linear key": ("{}", "lin_api_" + letters("C9", 40)),
    "grafana token": ("{}", "glsa_" + letters("D1", 32) + "_" + letters("D2", 8, _HEX)),
    "postman key": ("{}", "PMAK-" + letters("D3", 24, _HEX) + "-" + letters("D4", 34, _HEX)),
    "square token": ("square {}", "sq0csp-" + letters("D5", 43)),
    "artifactory token": ("jfrog {}", "AKC" + letters("D6", 60)),
    "new relic key": ("{}", "NRAK-" + letters("D7", 27, _UPPER)),
    "sentry token": ("{}", "sntrys_" + letters("D8", 80)),
    "figma token": ("{}", "figd_" + letters("D9", 40)),
    "terraform token": ("{}", letters("E1", 14) + ".atlasv1." + letters("E2", 60)),
    "jwt in a cookie": (
        "Set-Cookie: id=eyJ{}; Path=/",
        letters("E3", 20) + "." + letters("E4", 40) + "." + letters("E5", 30),
    ),
    "base64 in quotes": ("conf('{}')", letters("E6", 43, _BASE64) + "="),
    "url-safe base64": ("seed {}", letters("E7", 43, string.ascii_letters + string.digits + "-_")),
    "hex of 64": ("seed: {}", letters("E8", 64, _HEX)),
    "upper-case hex": ("seed: {}", letters("E9", 32, _HEX).upper()),
    "random text of 24": ("const seed = '{}'", letters("F1", 24)),
    "random text of 16 in quotes": ("const seed = '{}'", "x7Kq" + letters("F2", 8) + "9Zt4"),
    "random text of 16": ("{}", "k3Vx" + letters("F3", 8) + "8Qm2"),
    "two tokens joined by +": ("{}+" + letters("F4", 24), letters("F5", 24)),
    "token joined in code": ("'" + letters("F6", 22) + "' + '{}'", letters("F7", 22)),
}  # fmt: skip

# Settings, and assignments in languages.
_ASSIGNMENTS = {
    "word in an env file": ("POSTGRES_PASSWORD={}", WORD),
    "word with export": ("export REDIS_PASSWORD={}", WORD),
    "PASS in an env file": ("DB_PASS={}", WORD),
    "PASSWD with digits": ("SMTP_PASSWD={}", "hunter2"),
    "PWD in an env file": ("MSSQL_SA_PWD={}", WORD),
    "quoted in an env file": ('MYSQL_ROOT_PASSWORD="{}"', WORD),
    "passphrase in an env file": ('GPG_PASSPHRASE="{}"', PHRASE),
    "value that begins with $": ("ADMIN_PASSWORD={}", SIGNS),
    "quoted value that begins with $": ('password = "{}"', SIGNS),
    "quoted value that begins with %": ("password = '{}'", "%tgb6" + "YHN"),
    "quoted value that begins with <": ("password = '{}'", "<k8s>" + "pw7"),
    "quoted value that begins with {": ("password = '{}'", "{4x!" + "pw7"),
    "env of a container": ("ENV API_TOKEN {}", "c0nt41n" + "er-t0k"),
    "argument of an image": ("ARG NPM_PASSWORD={}", WORD),
    "env of compose": ("      - POSTGRES_PASSWORD={}", WORD),
    "python": ("password = '{}'", WORD),
    "python dictionary": ("config['db_password'] = '{}'", WORD),
    "python environment": ("os.environ['API_SECRET'] = '{}'", WORD),
    "python keyword argument": ("connect(host='db', password='{}')", WORD),
    "python passphrase": ("passphrase = '{}'", PHRASE),
    "python bytes": ("SECRET = b'{}'", WORD + "-7"),
    "python default": ("password: str = '{}'", WORD),
    "javascript": ("const apiKey = '{}';", "a1b2-" + "c3d4-e5"),
    "javascript object": ("  password: '{}',", WORD),
    "javascript template": ("const secret = `{}`;", WORD + "-42"),
    "typescript": ("private password: string = '{}';", WORD),
    "go": ('dbPassword := "{}"', WORD),
    "go constant": ('const authToken = "{}"', "t0k-" + "77aa99bb"),
    "java": ('String password = "{}";', WORD),
    "c#": ('public string ClientSecret = "{}";', "p~8Q-" + "x1y2z3"),
    "rust": ('let api_key: &str = "{}";', "rk-99" + "zz88yy"),
    "php": ("$db['password'] = '{}';", WORD),
    "php array": ("'password' => '{}',", WORD),
    "php constant": ("define('DB_PASSWORD', '{}');", WORD),
    "ruby symbol": ("  :password => '{}'", WORD),
    "c": ('#define WIFI_PASSWORD "{}"', WORD),
    "terraform": ('  master_password = "{}"', WORD),
    "properties": ("spring.datasource.password={}", WORD),
    "ini": ("password = {}", "hunter2" + "x"),
    "ini with a word": ("password = {}", WORD),
    "connection string": ("Server=db;Database=app;User Id=sa;Password={};Encrypt=true", MIXED),
    "connection string with Pwd": ("Driver=x;Uid=sa;Pwd={};", WORD),
    "dsn": ("dbname=app user=app password={} host=db", WORD),
    "sql": ("CREATE USER app IDENTIFIED BY '{}';", WORD),
    "sql role": ("ALTER ROLE app WITH PASSWORD '{}';", WORD),
    "redis": ("requirepass {}", WORD),
    "shared access signature": ("?sv=2022&sig={}&se=2027", letters("G1", 43) + "%3D"),
    "salt": ("SECRET_KEY_BASE={}", letters("G2", 64, _HEX)),
    "django": ("SECRET_KEY = 'django-insecure-{}'", "^k#2$" + "v8q1!z"),
    "named value joined by +": ("token = 'k3y4a5' + '{}'", "4a5b" + "6c7d8e"),
    "value cut off": ('password = "{}', "long horse " + "battery"),
}

# Command lines.
_COMMANDS = {
    "--password": ("psql --password {} -h db", WORD),
    "--password=": ("tool --password={} run", WORD),
    "--token": ("gh-tool --token {} run", "t0k" + "en-4a5b"),
    "--api-key": ("deploy --api-key {}", "k3y-" + "4a5b6c"),
    "--client-secret": ("az login --client-secret '{}'", "s3c~" + "ret.x"),
    "--passphrase": ("gpg --batch --passphrase {} -d x.gpg", WORD),
    "--http-password": ("wget --http-password={} http://x", WORD),
    "curl -u": ("curl -u admin:{} https://example.org", WORD),
    "curl --user": ("curl --user 'admin:{}' https://example.org", MIXED),
    "curl -H": ("curl -H 'X-Api-Key: {}' https://example.org", "k3y-" + "4a5b6c7d"),
    "mysql -p": ("mysql -u root -p{} app", WORD),
    "mysqldump -p in quotes": ("mysqldump -uroot -p'{}' app", MIXED),
    "sshpass": ("sshpass -p {} ssh host", WORD),
    "sshpass in quotes": ("sshpass -p '{}' ssh host", PHRASE),
    "docker login": ("docker login -u me -p {} registry", WORD),
    "redis-cli": ("redis-cli -h db -a {} ping", WORD),
    "sqlcmd": ("sqlcmd -S db -U sa -P {}", MIXED),
    "openssl": ("openssl rsa -passin pass:{} -in key", WORD),
    "PGPASSWORD": ("PGPASSWORD={} psql -h db", WORD),
    "echo into login": ("echo {} | docker login --password-stdin -u me", "s3cr" + "et-pw9"),
    "java property": ("java -Djavax.net.ssl.keyStorePassword={} Main", WORD),
    "zip": ("7z a -p{} x.7z", WORD),
}

# Configuration formats.
_FORMATS = {
    "xml element": ("<password>{}</password>", WORD),
    "xml element with a prefix": ("<ns:dbPassword>{}</ns:dbPassword>", WORD),
    "xml attribute": ('<user name="app" password="{}"/>', WORD),
    "xml name and value": ('<add key="ApiSecret" value="{}"/>', WORD),
    "xml property": ('<property name="password" value="{}"/>', WORD),
    "xml property as text": ('<property name="hibernate.password">{}</property>', WORD),
    "maven": ("      <passphrase>{}</passphrase>", PHRASE),
    "plist": ("<key>apiSecret</key>\n<string>{}</string>", WORD),
    "android string": ('<string name="api_key">{}</string>', "k3y" + "4a5b6c7d"),
    "yaml": ("password: {}", WORD),
    "yaml in quotes": ('  db_password: "{}"', WORD),
    "yaml in a list": ("  - secret: {}", WORD),
    "yaml with a comment": ("password: {}  # change me", WORD),
    "yaml block": ("password: |\n  {}", WORD),
    "yaml folded block": ("client_secret: >-\n    {}\nnext: 1", MIXED),
    "yaml passphrase": ("passphrase: {}", PHRASE),
    "yaml name and value": ("- name: DB_PASSWORD\n  value: {}", WORD),
    "yaml name and value in quotes": ('- name: API_TOKEN\n  value: "{}"', "t0ken" + "-4a5b"),
    "json": ('"password": "{}"', WORD),
    "json in one line": ('{{"user":"app","password":"{}","port":5}}', WORD),
    "json escaped": ('"{{\\"password\\": \\"{}\\"}}"', WORD),
    "json name and value": ('{{"name": "DB_PASSWORD", "value": "{}"}}', WORD),
    "kubernetes data": ("kind: Secret\ndata:\n  password: {}", _encode(WORD)),
    "kubernetes data of any name": ("kind: Secret\ndata:\n  database: {}", _encode("app:" + MIXED)),
    "kubernetes data in a hunk": ("  admin: {}", _encode(WORD + "-77")),
    "kubernetes string data": ("kind: Secret\nstringData:\n  pin: {}", WORD),
    "docker auth": ('"auth": "{}"', _encode("me:" + WORD)),
    "netrc": ("machine example.org login me password {}", WORD),
    "netrc on lines": ("machine example.org\n  login me\n  password {}", WORD),
    "pgpass": ("db.example.org:5432:app:me:{}", WORD),
    "pgpass with stars": ("*:*:*:me:{}", WORD),
    "htpasswd": ("me:{}", "$apr1$" + letters("H1", 8) + "$" + letters("H2", 22)),
    "bcrypt": ("hash = '{}'", "$2b$12$" + letters("H3", 53)),
    "shadow": ("root:{}:19000:0:", "$6$" + letters("H4", 8) + "$" + letters("H5", 86)),
    "npmrc": ("//registry.example.org/:_password={}", _encode(WORD + "!")),
    "npmrc auth": ("_auth={}", _encode("me:" + WORD)),
    "toml": ('token = "{}"', "t0ken" + "-4a5b6c"),
    "properties with a colon": ("db.password: {}", WORD),
}

# URLs, headers and calls.
_CALLS = {
    "url": ("https://me:{}@example.org/x.git", WORD),
    "url with @ in the password": ("postgres://app:{}@db/app", "p@ss" + "w0rd!"),
    "url with / in the password": ("amqp://app:{}@mq:5672/v", "pa/ss" + "/word"),
    "url with a token as user": ("https://{}@example.org/x.git", letters("I1", 24, _LOWER)),
    "url without a user": ("redis://:{}@cache:6379/0", WORD),
    "url in quotes": ('url = "mysql://root:{}@localhost"', MIXED),
    "query of a url": ("https://example.org/x?api_key={}&page=2", "k3y" + "4a5b6c7d"),
    "query with a token": ("https://example.org/x?page=2&access_token={}", letters("I2", 18)),
    "basic header": ("Authorization: Basic {}", _encode("me:" + WORD)),
    "basic header in quotes": ("'Authorization': 'Basic {}'", _encode("admin:" + MIXED)),
    "token header": ("Authorization: token {}", letters("I3", 20, _LOWER)),
    "key header": ("X-Api-Key: {}", "4a5b6c" + "7d8e"),
    "setter": ('user.setPassword("{}");', WORD),
    "builder": ('.password("{}")', WORD),
    "snake setter": ("client.set_api_key('{}')", "k3y" + "4a5b6c"),
    "property": ('props.put("db.password", "{}");', WORD),
    "environment of go": ('os.Setenv("API_TOKEN", "{}")', "t0ken" + "4a5b6c"),
    "constructor": ('new BasicCredentials("me", "{}")', WORD),
    "tuple": ("auth=('me', '{}')", WORD),
    "default of a call": ("os.getenv('DB_PASSWORD', '{}')", WORD),
    "comparison": ("if password == '{}':", WORD),
}


def _list_plants() -> list[Plant]:
    plants = [Plant(name, text, secret) for name, (text, secret) in PLANTED.items()]
    for group in (_TOKENS, _ASSIGNMENTS, _COMMANDS, _FORMATS, _CALLS):
        for name, (form, secret) in group.items():
            plants.append(Plant(name, form.format(secret), secret))
    plants.append(Plant("private key", "\n".join(PRIVATE_KEY), PRIVATE_KEY[2]))
    plants.append(Plant("middle of a private key", "\n".join(PRIVATE_KEY[2:5]), PRIVATE_KEY[3]))
    return plants


PLANTS = _list_plants()

# Paths of five languages, as in a list of files.
PATHS = (
    "src/main/java/com/acme/v2/api/UserController2.java",
    "src/test/java/org/example/oauth2/OAuth2ClientV3IntegrationTest.java",
    "modules/core/src/main/java/io/acme/http2/Http2FrameCodecV2.java",
    "app/src/main/java/com/acme/db/migration/V12__add_user_v2_table.java",
    "server/src/main/java/com/acme/s3/S3MultipartUploadV4Signer.java",
    "src/acme/api/v1/endpoints/oauth2_client_v2.py",
    "alembic/versions/3f2a9c1b7d4e_add_sha256_to_users_v2.py",
    "tests/integration/test_utf8_base64_roundtrip_v3.py",
    "django/contrib/auth/migrations/0012_alter_user_first_name_max_length.py",
    "lib/python3.11/site-packages/acme/x509/ed25519_sha512.py",
    "packages/ui-v2/src/components/Button2/Button2.stories.tsx",
    "apps/web/src/app/[locale]/2024/q3/report-v2/page.tsx",
    "src/app/modules/i18n/l10n/en-US/error404_v2.messages.ts",
    "node_modules/@types/node20/v18/lib/es2022.base64.d.ts",
    "e2e/specs/oauth2/login-with-2fa-v3.spec.ts",
    "pkg/apis/autoscaling/v2beta2/zz_generated.deepcopy.go",
    "internal/k8s/v1alpha1/x509/sha256_amd64_go122.go",
    "vendor/golang.org/x/crypto/chacha20poly1305/chacha20poly1305_amd64.s",
    "cmd/migrate/migrations/20240115093000_add_oauth2_v2.up.sql",
    "api/proto/acme/v1beta1/user2fa_service.pb.go",
    "crates/acme-http2/src/h2/frame/settings_v2.rs",
    "crates/target/x86_64-unknown-linux-gnu/src/arch/aarch64/neon_u8x16.rs",
    "src/codec/base64/simd128/avx2_decode_u32.rs",
    "tests/fixtures/rfc7519/jws_es256_p384.rs",
    "benches/utf8_vs_utf16/encode_v2_1024.rs",
)

# Lines that hold no secret but resemble those that do.
ORDINARY = (
    "auth_header = 'Authorization'",
    "token_type='bearer'",
    "token = base64.b64encode(data)",
    "signature_oid = '1.2.840.113549.1.1.11'",
    "secret: 1.3.6.1.4.1.311.20.2.3",
    "https://github.com/acme/project2/issues/1234#issuecomment-2012345678",
    "https://github.com/acme/v2/pull/77/files#diff-src-main",
    "https://docs.example.org/en/v2.1/api3/reference/oauth2_token_v2.html",
    "https://github.com/acme/core/commit/" + letters("N1", 40, _HEX),
    "uses: actions/checkout@" + letters("N2", 40, _HEX) + " # v4",
    "image: nginx@sha256:" + letters("N3", 64, _HEX),
    "github.com/acme/mod v0.0.0-20220920022801-" + letters("N4", 12, _HEX) + " // indirect",
    "id: 21686148-6449-6e6f-744e-656564454649",
    "Accept: application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "type: application/vnd.acme.api.v2.1-1024+json; charset=utf-8",
    "def test_sha256_hmac_512_v2_roundtrip_32bit_keys(): pass",
    "const convertUtf8ToUtf16LeV2Base64Url = (a1, b2) => a1;",
    "ipfs ls Qm" + letters("N5", 44, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => 0xc02f,",
    "target: x86_64-unknown-linux-gnu",
    "password: str | None = None,",
    "password = os.environ['DB_PASSWORD']",
    "password = config.database.password",
    "POSTGRES_PASSWORD=${POSTGRES_PASSWORD:?set it}",
    "curl -u $USER:$PASSWORD https://example.org",
    'psql --password "$PGPASSWORD" -h db',
    "docker run -u 1000:1000 --rm image",
    "secretKeyRef: {name: app, key: password}",
    "echo ${{ secrets.NPM_TOKEN }} | npm login",
    "fetch('http://localhost:3000/users/@me')",
    "'password': 'Enter your password:',",
    "raise ValueError('token: the token is not valid')",
    "if token == Token.STRING: return parse_token(value)",
    '<label for="password">Password</label>',
    "<password>${db.password}</password>",
    "use --token to pass a token, and --password with care",
    "type Token struct { token string }",
    "    private readonly token: CancellationToken;",
    "tokens = tokenizer.encode(text, max_tokens=4096)",
    "key: monkey",
    'parts = append(parts, "password="+quote(password))',
    "    name: container",
    "a.py:12:5:error:message",
)
