"""The words and phrases that a change offers for its summary."""

from __future__ import annotations

from smartcommit.change.facts import ChangeFacts
from smartcommit.change.history import History, past_commit
from smartcommit.change.vocabulary import Vocabulary, read_vocabulary, split_identifier
from smartcommit.git.diff import FileChange, FileDiff, Hunk
from tests.support.table import rows


def read(path: str, added: list[str], removed: list[str], *past: str) -> Vocabulary:
    hunk = Hunk(
        1, len(removed), 1, len(added), b"", [line.encode() for line in removed], [line.encode() for line in added]
    )
    change = FileChange("M", path.encode(), None, "100644", "100644", "1" * 40, "2" * 40)
    history = History([past_commit(header.encode(), [path.encode()]) for header in past])
    return read_vocabulary(ChangeFacts([FileDiff(change, [hunk])]), history, None)


@rows(
    ("name", "words"),
    [
        ("table_state", ("table", "state")),
        ("getURLPath", ("get", "url", "path")),
        ("--dry-run", ("dry", "run")),
        ("listSBOMs", ("list", "sboms")),
        ("MAX_SIZE", ("max", "size")),
    ],
)
def test_a_name_is_made_of_words(name: str, words: tuple[str, ...]) -> None:
    assert split_identifier(name) == words


def test_the_verb_of_a_name_is_no_part_of_its_phrase() -> None:
    vocabulary = read("src/a.py", ["def get_user_name():", "    return 1"], [])
    assert vocabulary.phrases["user", "name"]["whole"]
    assert ("get", "user", "name") not in vocabulary.phrases


def test_words_know_on_which_side_they_stand() -> None:
    words = read("src/a.py", ["timeout = bound"], ["timeout = limit"]).words
    assert words["timeout"]["both"] == words["bound"]["added"] == words["limit"]["removed"] == 1.0


def test_code_in_a_document_is_no_prose() -> None:
    phrases = read("README.md", ["- a retry policy", "| {retry(policy)} | [x]({y}) |"], []).phrases
    assert phrases["retry", "policy"].total() == 1


def test_a_word_can_begin_with_a_digit() -> None:
    phrases = read("README.md", ["Third parties and 3rd party apps"], []).phrases
    assert ("3rd", "party", "apps") in phrases
    assert ("rd", "party") not in phrases


def test_a_word_is_spelled_as_past_summaries_have_it() -> None:
    vocabulary = read("src/a.py", ["# Some json reader"], [], "fix: read JSON", "fix: write JSON")
    assert vocabulary.spell(("json", "reader")) == "JSON reader"


@rows(
    ("lines", "expected"),
    [
        (["jsonReader = 1"], "jsonReader"),
        (["# A json reader", "json_reader = 1"], "json reader"),
        (["# A json reader", "def get_json_reader():"], "get_json_reader"),
    ],
)
def test_a_name_is_spelled_as_it_is_written_and_prose_in_words(lines: list[str], expected: str) -> None:
    assert read("src/a.py", lines, []).spell(("json", "reader")) == expected


def test_what_is_read_of_a_change_is_bounded() -> None:
    vocabulary = read("src/a.py", [f"name_{number} = other_{number}" for number in range(9000)], [])
    assert len(vocabulary.words) < 200
