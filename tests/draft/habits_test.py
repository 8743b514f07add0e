"""Which corrections of drafts are habits, and in which words a draft follows them."""

from __future__ import annotations

from smartcommit.draft.habits import BODY, DROPPED_BODY, Pair, Replacement, correct_summary, find_habits
from tests.support.table import rows

ADD, INTRODUCE, SUPPORT = "feat: add it", "feat: introduce it", "feat: support it"
CONFIG, CONFIGURATION = "feat: add config option", "feat: add configuration option"


def learn(part: str, *pairs: tuple[str, str]) -> dict[str, str]:
    """What replaces what after these pairs of a drafted and a committed message."""
    found = find_habits([Pair(drafted, committed) for drafted, committed in pairs])
    return {drafted: habit.committed for drafted, habit in found[part].items()}


@rows(
    ("part", "drafted", "committed", "habits"),
    [
        ("type", "feat: add it", "fix: add it", {"feat": "fix"}),
        ("type", "feat(core): ", "fix(core): add it", {"feat": "fix"}),
        ("scope", "feat(core): ", "feat(api): add it", {"core": "api"}),
        ("scope", "feat: add it", "feat(core): add it", {}),
        ("scope", "feat(core): add it", "feat: add it", {"core": ""}),
        ("verb", ADD, INTRODUCE, {"add": "introduce"}),
        ("verb", ADD, "feat: added it", {"add": "added"}),
        ("verb", ADD, "feat: scaffold it", {"add": "scaffold"}),
        ("verb", ADD, "feat: Add it", {}),
        ("verb", ADD, "feat: it works", {}),
        ("verb", "feat: it works", ADD, {}),
        ("verb", "feat: ", ADD, {}),
        ("verb", "fix: update lexer.py", "fix: close the file of a failed import", {}),
        ("word", CONFIG, CONFIGURATION, {"config": "configuration"}),
        ("word", CONFIG, "feat: introduce configuration option", {"config": "configuration"}),
        ("word", CONFIG, "feat: add configuration file", {}),
        ("word", "feat: add github (login)", "feat: add GitHub (login)", {"github": "GitHub"}),
        ("word", "feat: add login (github)", "feat: add login (GitHub)", {"github": "GitHub"}),
        ("word", "feat: add option to it", "feat: add option for it", {}),
        ("word", "feat: add `config` option", "feat: add `configuration` option", {}),
        ("word", "feat: add read_config", "feat: add load_config", {}),
        ("word", "feat: add readConfig", "feat: add loadConfig", {}),
        ("word", "feat: add 5 options", "feat: add 6 options", {}),
        ("word", "feat: ", CONFIG, {}),
        ("body", f"{ADD}\n\n- update docs", ADD, {BODY: ""}),
        ("body", f"{ADD}\n\n- update docs\n\nRefs: #1", f"{ADD}\n\nRefs: #1", {BODY: ""}),
        ("body", f"{ADD}\n\n- update docs", f"{ADD}\n\nOther text.", {}),
        ("body", ADD, f"{ADD}\n\n- update docs", {}),
        ("type", "feat: add it", "Merge branch 'x'", {}),
    ],
)
def test_what_is_corrected_twice_is_a_habit(part: str, drafted: str, committed: str, habits: dict[str, str]) -> None:
    assert learn(part, (drafted, committed), (drafted, committed)) == habits
    assert learn(part, (drafted, committed)) == {}


@rows(
    ("committed", "habits"),
    [
        ([INTRODUCE, ADD, INTRODUCE], {"add": "introduce"}),
        ([INTRODUCE, ADD, ADD, INTRODUCE], {}),
        ([ADD] * 9 + [INTRODUCE] * 2, {}),
        ([ADD] * 9 + [INTRODUCE] * 3, {"add": "introduce"}),
        ([INTRODUCE] * 9, {"add": "introduce"}),
        # The person changes back, once or for good, or finds another word.
        ([INTRODUCE] * 9 + [ADD], {"add": "introduce"}),
        ([INTRODUCE] * 9 + [ADD] * 2, {}),
        (["feat: scaffold it"] * 9, {"add": "scaffold"}),
        (["feat: scaffold it"] * 9 + [ADD] * 2, {}),
        ([INTRODUCE] * 9 + [SUPPORT] * 2, {"add": "support"}),
        ([INTRODUCE, SUPPORT], {}),
        ([INTRODUCE, SUPPORT, INTRODUCE, SUPPORT], {"add": "support"}),
    ],
)
def test_newer_corrections_win_and_kept_drafts_count(committed: list[str], habits: dict[str, str]) -> None:
    pairs: list[Pair] = []
    for message in committed:
        drafted, replaced = correct_summary("add it", find_habits(pairs), set())
        pairs.append(Pair(f"feat: {drafted}", message, "", replaced))
    found = find_habits(pairs)["verb"]
    assert {drafted: habit.committed for drafted, habit in found.items()} == habits


def test_what_a_habit_wrote_is_told_from_what_was_drafted_so() -> None:
    """A scope that a person adds where a draft has none is no correction of one that they remove elsewhere."""
    removed = [Pair("feat(core): add it", ADD)] * 2
    added = [Pair(ADD, "feat(api): add it")] * 4
    assert find_habits([*removed, *added])["scope"]["core"].committed == ""
    restored = Pair(ADD, "feat(core): add it", "", [Replacement("scope", "core", "")])
    assert find_habits([*removed, *added, restored, restored])["scope"] == {}
    deleted = [Pair(f"{ADD}\n\n- update docs", ADD)] * 2
    assert find_habits([*deleted, *[Pair(ADD, f"{ADD}\n\nText.")] * 4])["body"].keys() == {BODY}
    assert find_habits([*deleted, *[Pair(ADD, f"{ADD}\n\nText.", "", [DROPPED_BODY])] * 2])["body"] == {}


def test_a_kept_word_counts_against_its_replacement() -> None:
    kept = ("fix: close config file", "fix: close config file")
    assert learn("word", (CONFIG, CONFIGURATION), kept, kept, (CONFIG, CONFIGURATION)) == {}
    rewritten = ("fix: close config file", "fix: leave nothing open")
    assert learn("word", (CONFIG, CONFIGURATION), rewritten, rewritten, (CONFIG, CONFIGURATION)) != {}


def test_a_habit_tells_its_commits() -> None:
    pairs = [(ADD, SUPPORT), (ADD, INTRODUCE), (ADD, ADD), (ADD, INTRODUCE)]
    found = find_habits([Pair(*pair, str(number)) for number, pair in enumerate(pairs)])
    habit = found["verb"]["add"]
    assert (habit.committed, habit.drafts, habit.commits) == ("introduce", 3, ["1", "3"])


@rows(
    ("summary", "replaced"),
    [
        ("add config, and more (config).", "add configuration, and more (configuration)."),
        ("add config-file and configs", None),
        ("add `config`, `a config b`, \"config\", 'a config b' and ('a config b')", None),
        ("add isn't config", "add isn't configuration"),
        ("add src/config, config/ and config.py", None),
        ("add --config, @config, config() and config=1", None),
        ("add load_config and loadConfig", None),
        ("rename config to settings", None),
        ("add `config without an end", None),
        ("add port to config", "add port to configuration"),
        ("add port to Config", None),
        ("config", "configuration"),
    ],
)
def test_only_plain_words_are_replaced(summary: str, replaced: str | None) -> None:
    habits = find_habits([Pair(CONFIG, CONFIGURATION)] * 2)
    assert correct_summary(summary, habits, set())[0] == (replaced or summary)
    assert correct_summary(summary, habits, {"config"}) == (summary, [])
