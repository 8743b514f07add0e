"""Secrets of every kind are replaced wherever they stand, and plain text stays."""

from smartcommit.git.diff import list_changes
from smartcommit.git.repo import Repository
from smartcommit.secrets.files import IS_SECRET
from smartcommit.secrets.redaction import find_certain_secrets, redact, redact_value
from smartcommit.secrets.scan import ARTIFACT_SIZE, SuspectFile, find_passwords, scan, scan_conflicts
from tests.support.repository import Repo
from tests.support.secrets import PLANTED, PRIVATE_KEY, letters
from tests.support.table import rows


@rows("sign", "", "+", "-", " ", "  17: ")
def test_a_private_key_goes_with_every_line_of_it(sign: str) -> None:
    text = "\n".join(sign + line for line in ["before", *PRIVATE_KEY, "after"])
    left = redact(text)
    assert not any(line in left for line in PRIVATE_KEY)
    assert left.startswith(sign + "before\n")
    assert left.endswith(sign + "after")


@rows("part", PRIVATE_KEY[:4], PRIVATE_KEY[3:6], PRIVATE_KEY[4:])
def test_the_part_of_a_private_key_that_a_hunk_shows_goes_too(part: list[str]) -> None:
    left = redact("\n".join(f"+{line}" for line in part))
    assert not any(line in left for line in part)


def test_a_private_key_in_one_escaped_line_goes() -> None:
    left = redact('{"key": "' + "\\n".join(PRIVATE_KEY) + '", "id": 7}')
    assert not any(line in left for line in PRIVATE_KEY[1:-1])
    assert left.endswith('", "id": 7}')


_CAPITALS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_HEX = "0123456789abcdef"


@rows(
    ("kind", "text"),
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
)
def test_a_key_of_a_provider_is_certain_unless_something_else_looks_like_it(kind: str, text: str) -> None:
    assert [found for found, _ in find_certain_secrets(f"x = {text}\n")] == ([kind] if kind else [])


def test_structures_keep_their_form() -> None:
    _, secret = PLANTED["github token"]
    assert redact_value({"a": [secret, 1, None], "b": {"c": "plain"}}) == {
        "a": ["[redacted: github token]", 1, None],
        "b": {"c": "plain"},
    }


def scan_since(repo: Repo, base: str) -> list[SuspectFile]:
    repository = Repository.find(str(repo.path))
    return scan(repository, base, list_changes(repository, base))


def test_a_secret_in_a_file_is_found_unless_it_was_there(repo: Repo) -> None:
    secret = PLANTED["github token"][1]
    base = repo.commit("chore: base", {"old.txt": secret})
    repo.stage({"a.txt": secret, "wide.txt": secret.encode("utf-16"), "old.txt": f"{secret}\nmore\n"})
    found = [(each.path, each.reason, each.is_secret) for each in scan_since(repo, base)]
    reason = "contains a secret (github token)"
    assert found == [(b"a.txt", reason, True), (b"wide.txt", reason, True)]


def test_a_password_in_configuration_is_found_however_weak_it_is(repo: Repo) -> None:
    base = repo.commit("chore: base", {"old.yaml": "password: hunter2-x\n"})
    repo.stage({
        "app.yaml": "user: ada\npassword: hunter2-x\n", "url.ini": "db = postgres://ada:hunter2-x@db/app\n",
        "key.yaml": "- name: API_TOKEN\n  value: t0ken-4a5b\n", "settings.py": "PASSWORD = 'hunter2-x'\n",
        "config.js": "const password = hunter2x;\n", "given.yaml": "password: change-me\nsecret: ${SECRET}\n",
        "label.yaml": "password: Kennwort\n", "docs/app.yaml": "password: hunter2-x\n", "a.py": "PASSWORD = 'h2-x'\n",
        "old.yaml": "password: hunter2-x\nport: 1\n", "plain.yaml": "id: hunter2-x\n",
    })  # fmt: skip
    repository = Repository.find(str(repo.path))
    found = find_passwords(repository, list_changes(repository, base))
    assert [each.path for each in found] == [b"app.yaml", b"key.yaml", b"url.ini", b"settings.py"]
    assert {(each.reason, each.is_secret) for each in found} == {("contains a password or key", True)}


def test_what_is_filled_in_is_found_although_it_passes_for_a_rename(repo: Repo) -> None:
    files = {}
    for name in (".env.example", "prod.env", "a.txt", ".env.local"):
        files[name] = "".join(f"{name}_{number}=\n" for number in range(40))
    base = repo.commit("chore: base", files)
    for old, new in ((".env.example", ".env"), ("prod.env", "stage.env"), ("a.txt", "b.txt")):
        repo.git("mv", old, new)
    repo.stage({".env.local": files[".env.local"] + "A=1\n", "c.key.md": "c\n"})
    found = [(each.path, each.reason, each.is_secret) for each in scan_since(repo, base)]
    assert found == [(b".env", IS_SECRET, True)]


def test_conflicts_have_a_label_or_all_their_marks_in_order(repo: Repo) -> None:
    texts = {
        "label": "a\n<<<<<<< HEAD\n", "last label": ">>>>>>> topic\n", "no label": "<<<<<<<\na\n=======\nb\n>>>>>>>\n",
        "underline": "Title\n=======\n", "other order": "=======\n<<<<<<<\n>>>>>>>\n", "no end": "<<<<<<<\n=======\n",
    }  # fmt: skip
    base = repo.commit()
    repo.stage(texts)
    repository = Repository.find(str(repo.path))
    found = scan_conflicts(repository, list_changes(repository, base))
    assert [each.path for each in found] == [b"label", b"last label", b"no label"]


def test_a_new_file_of_more_bytes_than_the_limit_looks_like_an_artifact(repo: Repo) -> None:
    base = repo.commit("chore: base", {"a.txt": "a\n"})
    repo.stage({"most.bin": b"\0" * ARTIFACT_SIZE, "more.bin": b"\0" * (ARTIFACT_SIZE + 1)})
    found = [(each.path, each.reason) for each in scan_since(repo, base)]
    assert found == [(b"more.bin", "is 10 MiB and looks like a build artifact")]
