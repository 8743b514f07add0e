"""Which files a model may look into; of all others it learns the name and how many lines changed."""

from __future__ import annotations

import re

from smartcommit.change.kinds import ASSET, GENERATED, LOCK, kind_of

# Files that are there to hold secrets; what they are called is told, what is in them never.
_SECRET_NAME = re.compile(
    r"(?:^|/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?|[\w.-]+\.env|\.(?:npmrc|pypirc|netrc|pgpass|htpasswd)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.\w+)?|secrets?\.(?:ya?ml|json|toml|ini|env|txt)"
    r"|[\w.-]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|tfstate|tfvars))$",
    re.IGNORECASE,
)


def why_hidden(path: bytes) -> str | None:
    """Why the content of the file at `path` is not shown, or None where it is."""
    kind = kind_of(path)
    if _SECRET_NAME.search(path.decode("utf-8", "replace")[-400:]):
        return "may hold secrets"
    return {LOCK: "a lock file", GENERATED: "generated or vendored", ASSET: "not text"}.get(kind)
