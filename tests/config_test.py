"""The policy file: what is wrong with it is said with the line to change."""

from __future__ import annotations

import pytest

from smartcommit.config import load
from smartcommit.errors import ConfigError
from tests.support.repository import Repo


@pytest.mark.parametrize(
    ("policy", "error", "hint"),
    [
        ("[smartcommit]\n\tsumaryLimit = 10\n", "unknown key 'sumaryLimit' in '{}', line 2", "'summaryLimit = 10'"),
        ("# ours\n[smartcommit] line-limit = 80\n", "unknown key 'line-limit' in '{}', line 2", "'lineLimit = 80'"),
        ("[smartcommit]\n\tImperativ\n", "unknown key 'Imperativ' in '{}', line 2", "change the line to 'imperative'"),
        ("[smartcommit]\n\ttypes = feat\n\tcake = yes\n", "unknown key 'cake' in '{}', line 3", "the keys are "),
        ("[smartcomit]\n\ttypes = feat\n", "unknown section '[smartcomit]' in '{}', line 1", "'[smartcommit]'"),
        ('[smartcommit "x"]\n\ttypes = a\n', "unknown section '[smartcommit.x]' in '{}', line 1", "'[smartcommit]'"),
    ],
)
@pytest.mark.parametrize("committed", [False, True], ids=["in the tree", "in HEAD"])
def test_an_unknown_key_of_a_policy_is_an_error_with_the_line_to_change(
    repo: Repo, policy: str, error: str, hint: str, *, committed: bool
) -> None:
    path = repo.write(".smartcommit", policy)
    name = ".smartcommit"
    if committed:
        repo.commit("feat: base", {".smartcommit": policy})
        path.unlink()
        name = "HEAD:.smartcommit"
    with pytest.raises(ConfigError) as raised:
        load(str(repo.path))
    assert str(raised.value) == error.format(name)
    assert hint in (raised.value.hint or "")


def test_a_key_is_known_however_it_is_capitalized(repo: Repo) -> None:
    repo.write(".smartcommit", "[SmartCommit]\n\tSUMMARYLIMIT = 10\n")
    assert load(str(repo.path)).number("summary-limit") == 10


def test_a_policy_beside_plans_holds_where_the_working_tree_lacks_it(repo: Repo) -> None:
    repo.commit("feat: base", {".smartcommit/policy": "[smartcommit]\n\tsummaryLimit = 10\n"})
    (repo.path / ".smartcommit/policy").unlink()
    assert load(str(repo.path)).number("summary-limit") == 10
