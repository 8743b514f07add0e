"""Which changes may need a `!`."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts
from smartcommit.draft.embedded.classify import removes_public
from smartcommit.draft.result import Draft
from tests.support.changes import make_diff, make_hunk
from tests.support.table import rows


@rows(
    ("path", "before", "after", "expected"),
    [
        ("a.py", ["def load(path):", "    return 1"], [], True),
        ("a.py", ["def load(path):"], ["def read(path):"], True),
        ("a.go", ["func Load() {"], [], True),
        ("a.rs", ["pub fn load() {"], [], True),
        ("a.ts", ["export function load() {"], [], True),
        ("a.ts", ["  load(path) {"], [], True),
        ("a.php", ["function load($path) {"], [], True),
        ("a.ts", ["  private load(path) {"], [], False),
        ("a.py", ["def _load(path):"], [], False),
        ("a.py", ["def load(path):"], ["x = 1", "def load(path, depth=1):"], False),
        ("a.py", ["x = 1"], ["x = 2"], False),
        ("a.go", ["func load() {"], [], False),
        ("a.rs", ["fn load() {"], [], False),
        ("a.ts", ["function load() {"], [], False),
        ("tests/test_a.py", ["def load(path):"], [], False),
    ],
)
def test_a_public_name_that_goes_away_may_break(path: str, before: list[str], after: list[str], expected: bool) -> None:
    assert removes_public(ChangeFacts([make_diff(path, make_hunk(after, before))])) is expected


def test_an_exclamation_mark_is_offered_and_not_drafted() -> None:
    made = Draft("feat(api): update b.py\n", weak=True, candidates=("remove load",), second_type="fix", breaking=True)
    assert str(made.header) == "feat(api): update b.py"
    assert made.list_headers() == [
        "feat(api): remove load", "feat(api): update b.py", "fix(api): remove load", "feat(api)!: remove load",
    ]  # fmt: skip
