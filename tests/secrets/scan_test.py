"""Secrets of every kind are replaced wherever they stand, and plain text stays."""

from __future__ import annotations

from smartcommit.secrets.redaction import find_certain_secrets, redact, redact_value
from tests.support.secrets import PLANTED, PRIVATE_KEY, letters
from tests.support.table import rows


@rows("kind", PLANTED)
@rows(
    "around",
    ["{}", "+    {}", "12:{}", '"text": "{}"', "in src/{}/file.txt\n", "@@ -1 +1 @@ {}\n-old\n+new"],
)
def test_no_part_of_a_secret_is_left(kind: str, around: str) -> None:
    line, secret = PLANTED[kind]
    assert secret in line
    assert secret not in redact(around.format(line))


@rows("sign", ["", "+", "-", " ", "  17: "])
def test_a_private_key_goes_with_every_line_of_it(sign: str) -> None:
    text = "\n".join(sign + line for line in ["before", *PRIVATE_KEY, "after"])
    left = redact(text)
    assert not any(line in left for line in PRIVATE_KEY)
    assert left.startswith(sign + "before\n")
    assert left.endswith(sign + "after")


@rows("part", [PRIVATE_KEY[:4], PRIVATE_KEY[3:6], PRIVATE_KEY[4:]])
def test_the_part_of_a_private_key_that_a_hunk_shows_goes_too(part: list[str]) -> None:
    left = redact("\n".join(f"+{line}" for line in part))
    assert not any(line in left for line in part)


def test_a_private_key_in_one_escaped_line_goes() -> None:
    left = redact('{"key": "' + "\\n".join(PRIVATE_KEY) + '", "id": 7}')
    assert not any(line in left for line in PRIVATE_KEY[1:-1])
    assert left.endswith('", "id": 7}')


@rows(
    "text",
    [
        "def authenticate(user: User, password: str, token: Token | None = None) -> bool:",
        "    token = parser.next_token()",
        "self.handle_user_authentication_request_2(context, first_argument)",
        "feat(llm): add HTTPConnectionPoolManagerFactoryBuilder to src/very/long/path/to/some_module_name.py",
        "index 1234567..89abcde 100644",
        "https://docs.example.org/en/latest/reference/configuration-options.html#max-tokens",
        "author = Ada Lovelace <ada@example.org>",
        "version = 2026.10.11549",
    ],
)
def test_plain_text_stays(text: str) -> None:
    assert redact(text) == text


_CAPITALS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_HEX = "0123456789abcdef"


@rows(
    ("kind", "text"),
    [
        ("aws key", "ASIA" + letters("1", 16, _CAPITALS)),
        ("github token", "github_pat_" + letters("2", 82)),
        ("github token", "'\\nghp_" + letters("2", 36)),
        ("aws key", "?key%3DAKIA" + letters("1", 16, _CAPITALS)),
        ("gitlab token", "gldt-" + letters("3", 20)),
        ("slack token", "xoxe-" + letters("4", 30)),
        ("google key", "AIza" + letters("5", 35)),
        ("npm token", "npm_" + letters("6", 36)),
        ("package token", "rubygems_" + letters("7", 48, _HEX)),
        ("docker token", "dckr_pat_" + letters("8", 27)),
        ("stripe key", "rk_" + "live_" + letters("9", 24)),
        ("model provider key", "sk-ant-" + "api03-" + letters("10", 60)),
        ("age key", "AGE-SECRET-KEY-1" + letters("11", 58, _CAPITALS)),
        ("private key", PRIVATE_KEY[0]),
        ("login of a registry", '"auths": {"ghcr.io": {"auth": "bWU6c3dvcmRmaXNo"'),
        ("key of a cluster", "client-key-data: LS0tLS1" + letters("12", 90)),
        ("", "npm_config_registry_of_the_whole_organization"),
        ("", "pypi-publish"),
        ("", "sk-learn-contrib-of-a-long-name-without-digits"),
        ("", "AKIA" + "IOSFODNN7" + "EXAMPLE"),
        ("", "ghp_" + "x" * 36),
        ("", "sk_" + "test_" + letters("13", 24)),
        ("", "TAKIA" + letters("14", 16, _CAPITALS)),
    ],
)
def test_a_key_of_a_provider_is_certain_unless_something_else_looks_like_it(kind: str, text: str) -> None:
    assert [found for found, _ in find_certain_secrets(f"x = {text}\n")] == ([kind] if kind else [])


def test_structures_keep_their_form() -> None:
    _, secret = PLANTED["github token"]
    assert redact_value({"a": [secret, 1, None], "b": {"c": "plain"}}) == {
        "a": ["[redacted: github token]", 1, None],
        "b": {"c": "plain"},
    }


def test_redacting_twice_changes_nothing_more() -> None:
    once = redact("\n".join(line for line, _ in PLANTED.values()))
    assert redact(once) == once
