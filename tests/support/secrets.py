"""Secrets of many kinds, none of them real: each kind with a line that holds one, and what must never be sent.

They are put together here, so that no scanner takes this file for a leak.
"""

import base64
import hashlib
import string

from smartcommit.secrets.redaction import redact
from tests.support.repository import Repo


def letters(seed: str, length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    found = ""
    while len(found) < length:
        block = hashlib.sha256(f"{seed}{len(found)}".encode()).digest()
        found += "".join(alphabet[byte % len(alphabet)] for byte in block)
    return found[:length]


_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits
_BASE64 = string.ascii_letters + string.digits + "+/"


def _body(length: int) -> list[str]:
    text = base64.b64encode(b"".join(hashlib.sha256(bytes([i])).digest() for i in range(length))).decode()
    return [text[start : start + 64] for start in range(0, len(text), 64)]


PRIVATE_KEY = ["-----BEGIN RSA " + "PRIVATE KEY-----", *_body(10), "-----END RSA " + "PRIVATE KEY-----"]


def _kinds() -> dict[str, tuple[str, str]]:
    jwt = f"eyJ{letters('j1', 30)}.eyJ{letters('j2', 60)}.{letters('j3', 43)}"
    forms = {
        "aws key id": ("AWS_ACCESS_KEY_ID={}", "AKIA" + letters("a", 16, _UPPER)),
        "aws secret": ("aws_secret_access_key = {}", letters("b", 40, _BASE64)),
        "github token": ("{}", "ghp_" + letters("c", 36)),
        "github fine token": ("token: {}", "github_pat_" + letters("d", 82)),
        "gitlab token": ("curl -H 'PRIVATE-TOKEN: {}'", "glpat-" + letters("e", 20)),
        "slack token": ("slack = {}", "xoxb-" + letters("f", 12, string.digits) + "-" + letters("f2", 24)),
        "slack webhook": ("https://hooks.slack.com/services/{}", "T0AB/B0CD/" + letters("g", 24)),
        "stripe key": ("stripe.api_key = {}", "sk_" + "live_" + letters("h", 24)),
        "google key": ("key={}", "AIza" + letters("i", 35)),
        "model provider key": ("OPENAI={}", "sk-proj-" + letters("k", 48)),
        "other model provider key": ("x-api-key: {}", "sk-ant-" + "api03-" + letters("l", 60)),
        "npm token": ("//registry.npmjs.org/:_authToken={}", "npm_" + letters("m", 36)),
        "pypi token": ("password = {}", "pypi-" + "AgEIcHlwaS5vcmc" + letters("n", 80)),
        "mail key": ("SENDGRID={}", "SG." + letters("o", 22) + "." + letters("o2", 43)),
        "telephone key": ("sid = {}", "SK" + letters("p", 32, _HEX)),
        "jwt": ("Cookie: session={}", jwt),
        "password in an address": ("DATABASE_URL=postgres://app:{}@db.example.org/app", "hunter2-or-3"),
        "bearer header": ("Authorization: Bearer {}", letters("q", 32)),
        "password of an env file": ("export ADMIN_PASSWORD={}", "tr0ub4dor&3"),
        "quoted password": ("'password': '{}'", "correcthorsebattery"),
        "storage key": ("AccountKey={};EndpointSuffix=x", letters("r", 86, _BASE64) + "=="),
        "random hex": ("key {}", letters("s", 40, _HEX)),
        "random text": ("{}", letters("t", 44, _BASE64)),
        "vault token": ("VAULT={}", "hvs." + letters("u", 90)),
        "bot token": ("bot: {}", "123456789:AA" + letters("v", 33)),
    }  # fmt: skip
    return {kind: (form.format(secret), secret) for kind, (form, secret) in forms.items()}


PLANTED = _kinds()


# Where a secret can stand that a model is told of.
PLACES = ("added line", "context line", "file name", "log", "branch", "instructions")


def hide_secrets(repo: Repo, where: str) -> tuple[list[str], str]:
    """Put every planted secret in one of PLACES; return them, and the instructions of the author."""
    secrets = [secret for _, secret in PLANTED.values()] + PRIVATE_KEY[1:-1]
    text = "\n".join([*(line for line, _ in PLANTED.values()), *PRIVATE_KEY]) + "\n"
    repo.commit("base", {"conf.py": text * (where == "context line") + "end = 1\n"})
    if where == "log":
        repo.commit(f"feat: keep\n\n{text}", {"conf.py": "end = 3\n"})
    if where == "branch":
        repo.git("checkout", "-q", "-b", "x/" + PLANTED["github token"][1])
    if where == "file name":
        # A password is known by what stands beside it; a bare name has nothing.
        secrets = [secret for secret in secrets if secret not in redact(secret)]
        assert len(secrets) > 20
        for number, secret in enumerate(secrets):
            repo.write(f"d{number}/{secret}.py", "x = 1\n")
    repo.write("conf.py", text * (where in ("added line", "context line")) + "end = 7\n")
    return secrets, text * (where == "instructions")
