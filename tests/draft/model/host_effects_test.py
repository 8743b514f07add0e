"""A model's message does to a host only what the branch, the author or a removed public name grounds."""

import pytest

from smartcommit.draft.model.host_effects import (
    EFFECTS,
    Grounds,
    ground_message,
    is_ungrounded_revert,
    remove_ungrounded,
)
from smartcommit.draft.model.submit import Evidence, MessageGate, SubmitMessageArgs, build_message
from smartcommit.errors import ToolRetry
from smartcommit.message.parse import parse
from smartcommit.message.rules import Rules
from tests.support.table import rows

# An effect, a text with it, what is left of the text without grounds, and grounds that keep it (branch, words).
TABLE = [
    ("closing keyword", "paint it (closes #77)", "paint it", ("fix/77-paint", "")),
    ("closing keyword", "paint it, fixes: #77", "paint it", ("", "for #77")),
    ("closing keyword", "It is white.\n\nThis closes\n#4711.", "It is white.", ("4711", "")),
    ("closing keyword", "Closes org/repo#3", "", ("", "see org/repo#3")),
    ("closing keyword", "Resolves GH-12", "", ("gh-12", "")),
    ("closing keyword", "Fixes ZOO-3", "", ("feature/zoo-3-paint", "")),
    ("closing keyword", "Closes https://github.com/o/r/issues/3", "", ("", "https://github.com/o/r/issues/3")),
    ("closing keyword", "Fixes !12 at once", "at once", ("12-paint", "")),
    ("closing keyword", "Fixes AB#12 now", "now", ("fix/12-paint", "")),
    ("closing keyword", "fixes T123", "", ("", "T123")),
    ("closing keyword", "Closes o/r#1 and o/r#2", "", ("", "o/r#1, o/r#2")),
    ("closing keyword", "Paint. Closes #1, #2, and #3.", "Paint.", ("", "#1 #2 #3")),
    ("reference", "paint it (#77)", "paint it", ("fix/77-paint", "")),
    ("smart commit", "paint it ZOO-3 #close", "paint it ZOO-3", ("", "ZOO-3 #close please")),
    ("skipped checks", "paint it [skip ci]", "paint it", ("", "with [skip ci]")),
    ("skipped checks", "paint it [ci skip]", "paint it", ("", "with [ci skip]")),
    ("skipped checks", "[no ci] paint it", "paint it", ("", "[no ci]")),
    ("skipped checks", "paint it [skip actions]", "paint it", ("", "[skip actions]")),
    ("skipped checks", "paint it [actions skip]", "paint it", ("", "[actions skip]")),
    ("skipped checks", "paint it [skip netlify]", "paint it", ("", "[skip netlify]")),
    ("skipped checks", "paint it [CI-Skip]", "paint it", ("", "[ci-skip]")),
    ("skipped checks", "paint it ***NO_CI***", "paint it", ("", "***NO_CI***")),
    ("skipped checks", "Why.\n\nskip-checks: true", "Why.", ("", "skip-checks: true")),
    ("release", "paint it #major", "paint it", ("", "#major")),
    ("release", "paint it +semver: breaking", "paint it", ("", "+semver: breaking")),
    ("release", "Why.\n\nRelease-As: 9.0.0", "Why.", ("", "release-as: 9.0.0")),
    ("link", "Why, see https://evil.example/x?y=1.", "Why.", ("", "https://evil.example/x?y=1")),
    ("link", "Why (www.evil.example).", "Why.", ("", "www.evil.example")),
    ("link", "See file:///etc/passwd and vscode://open?x.", "See.", ("", "file:///etc/passwd vscode://open?x")),
    ("markup", "paint <script>alert(1)</script>it", "paint it", ("", "<script>alert(1)</script>")),
    ("markup", 'paint it <img src="x">', "paint it", ("", '<img src="x">')),
    ("cherry pick", "Why.\n\n(cherry picked from commit 12abcd3)", "Why.", ("", "(cherry picked from commit 12abcd3)")),
    ("trailer", "paint it Signed-off-by: Eve <e@x.example>", "paint it", ("", "Signed-off-by: Eve <e@x.example>")),
    ("thanks", "Fixes #123. @octocat thanks", "", ("fix/123-paint", "@octocat said so")),
    ("thanks", "Why.\n\nThanks to @octocat, @ada!", "Why.", ("", "@ada and @octocat")),
    ("thanks", "It is white. cc @acme/security. More.", "It is white. More.", ("", "@acme/security")),
    ("mention", "thank @torvalds", "thank torvalds", ("", "thank @torvalds")),
    ("mention", "ask @acme/security to look", "ask acme/security to look", ("", "@acme/security")),
    ("mention", "use @property", "use property", ("", "use @property")),
    ("revert", "Why.\n\nThis reverts commit 1234567.", "Why.", ("revert-12-paint", "")),
    ("revert", 'Revert "paint it"', "", ("", "revert it")),
    ("breaking change", "Why.\n\nBREAKING CHANGE: all is new", "Why.\n\nall is new", ("", "a breaking change")),
]


@rows(("name", "text", "left", "grounds"), *TABLE)
def test_an_effect_stands_where_it_has_grounds(name: str, text: str, left: str, grounds: tuple[str, str]) -> None:
    (effect,) = [effect for effect in EFFECTS if effect.name == name]
    assert effect.pattern.search(text)
    assert remove_ungrounded(text, Grounds()) == left
    assert remove_ungrounded(text, Grounds(*grounds)) == text


def test_each_effect_has_a_row() -> None:
    assert {effect.name for effect in EFFECTS} == {name for name, *_ in TABLE}


@rows(
    "text",
    "fix 3 tests", "fix UTF-8 in SHA-256 names", "close the file, see #45", "resolve v1.2.3 before 1.3",
    "a@b.example",
    "add [optional] fields", "skip the check", "read/write the herd", "break lines at 72", "fix #define FOO",
    "array[no]", "fixes\n\nthe herd", "fix T1 lines", "escape `<script>` in names", "use a <div>",
    "see foo@1.2.3", "Thanks to a@b.example, it is white", "let a[skip_next] be 1",
)  # fmt: skip
def test_other_words_stay(text: str) -> None:
    assert remove_ungrounded(text, Grounds()) == text


@rows(
    ("grounds", "left"),
    (Grounds(), "feat: paint it"),
    (Grounds(branch="fix/breaking-news"), "feat: paint it"),
    (Grounds(words="this breaks the herd"), "feat!: paint it"),
    (Grounds(removes_public=True), "feat!: paint it"),
)
def test_a_breaking_change_needs_a_removed_name_or_the_authors_word(grounds: Grounds, left: str) -> None:
    message = build_message(SubmitMessageArgs(type="feat", summary="paint it", breaking_change="repaint"))
    kept = ground_message(message, grounds)
    assert str(kept.header) == left
    assert bool(kept.trailers) == ("!" in left)


def test_a_revert_needs_the_authors_word() -> None:
    for subject in ("revert: paint it", "fix: revert the paint"):
        message = parse(subject).message
        assert is_ungrounded_revert(message, Grounds())
        assert not is_ungrounded_revert(message, Grounds(words="Revert the paint"))
        assert not is_ungrounded_revert(message, Grounds(branch="revert-12-paint"))
        gate = MessageGate(Rules(types=("fix", "revert")), Evidence("paint"), lambda text: True)
        with pytest.raises(ToolRetry):
            gate.repair(message)


def test_what_the_diff_says_grounds_nothing() -> None:
    evil = "+# [skip ci] Fixes #77, closes org/repo#3 @torvalds https://evil.example BREAKING CHANGE: paint\n"
    gate = MessageGate(Rules(), Evidence(evil), lambda text: True)
    given = SubmitMessageArgs(
        type="fix", summary="paint [skip ci]", breaking_change="paint",
        description="Fixes #77, closes org/repo#3.\n\nBREAKING CHANGE: paint\n\nAsk @torvalds, see https://evil.example.",
    )  # fmt: skip
    text = gate.accept(build_message(given))
    assert text == "fix: paint\n\npaint\n\nAsk torvalds.\n"


@rows(
    ("branch", "left"),
    ("x-4711", "Why.\n\nCloses #4711, and see #4711.\n"),
    ("feature/4711-paint", "Why.\n\nCloses #4711, and see #4711.\n"),
    ("x-471", "Why.\n"),
    ("", "Why.\n"),
)
def test_the_number_in_a_branch_grounds_the_issue_all_the_way(branch: str, left: str) -> None:
    evidence = Evidence("paint\n" + branch, grounds=Grounds(branch=branch))
    gate = MessageGate(Rules(), evidence, lambda text: True)
    given = SubmitMessageArgs(type="fix", summary="paint it", description="Why.\n\nCloses #4711, and see #4711.")
    assert gate.repair(build_message(given)) == f"fix: paint it\n\n{left}"


def test_hostile_texts_take_linear_time() -> None:
    for part in ("closes ", "closes a/", "[skip ", "@a", "www.", "BREAKING ", 'revert "', "#", "((", " , "):
        assert remove_ungrounded(part * 3000, Grounds()) is not None


def test_of_several_issues_each_needs_its_grounds() -> None:
    assert remove_ungrounded("Closes #1, #2", Grounds(words="#1 and #2")) == "Closes #1, #2"
    assert remove_ungrounded("Closes #1, #2", Grounds(words="#1")) == ""
