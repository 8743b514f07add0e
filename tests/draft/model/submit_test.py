"""Names, numbers and tickets must be there; prose may be."""

import pytest

from smartcommit.draft.model.submit import Evidence, MessageGate, SubmitMessageArgs, build_message
from smartcommit.errors import ToolRetry
from smartcommit.message.rules import Rules
from tests.support.secrets import letters
from tests.support.table import rows

CHANGE = "src/herd/zebra.py\n+def stripes(count=12):\n+    return `7`  # see ZOO-3 and #45, v1.2.3\n"


@rows(
    "text",
    "paint stripes", "call `stripes()` in src/herd/zebra.py", "use `zebra.py`", "count 12 stripes", "see #45",
    "see ZOO-3", "bump to 1.2.3", "bump to v1.2.3", "read/write the herd, e.g. zebras", "add 3 zebras", "and/or",
)  # fmt: skip
def test_what_is_there_may_be_named(text: str) -> None:
    assert Evidence(CHANGE).problems(text) == []


def test_a_secret_is_a_problem_and_not_told_again() -> None:
    token = "ghp_" + letters("model", 36)
    (problem,) = Evidence(CHANGE).problems(f"teach with {token}")
    assert problem.startswith("it contains a secret: ")
    assert token not in problem


@rows(
    ("text", "name"),
    ("call `spots`", "spots"),
    ("change src/herd/lion.py", "src/herd/lion.py"),
    ("change lion.py", "lion.py"),
    ("count 13 stripes", "13"),
    ("close #46", "#46"),
    ("see ZOO-4", "ZOO-4"),
    ("bump to 1.2.4", "1.2.4"),
    ("make it faster", "faster"),
    ("fix a security hole", "security"),
)
def test_what_is_not_there_is_named_as_a_problem(text: str, name: str) -> None:
    (problem,) = Evidence(CHANGE).problems(text)
    assert f"'{name}'" in problem


def test_a_message_goes_back_twice_before_it_is_repaired() -> None:
    gate = MessageGate(Rules(), Evidence(CHANGE), lambda text: True)
    message = build_message(SubmitMessageArgs(type="feat", summary=f"paint stripes {'x' * 120}"))
    for _ in range(2):
        with pytest.raises(ToolRetry, match="over the limit"):
            gate.accept(message)
    assert gate.accept(message) == "feat: paint stripes\n"


def test_six_words_of_an_example_are_a_copy_unless_the_change_has_them_too() -> None:
    evidence = Evidence(CHANGE)
    evidence.examples.append("Teach the young zebras how to hide in grass.")
    assert evidence.problems("teach the young zebras how") == []
    (problem,) = evidence.problems("now teach the young zebras how to hide")
    assert "copied" in problem
    for copied in ("graze slowly now", "graze slowly"):
        evidence.examples.append(copied)
        assert bool(evidence.problems(copied)) is (copied.count(" ") > 1)
    evidence.texts.append("# teach the young zebras how to hide")
    assert evidence.problems("now teach the young zebras how to hide") == []


def test_long_texts_are_judged_in_linear_time() -> None:
    evidence = Evidence("x" * 1_000_000)
    assert evidence.problems("a/" * 5000) is not None
    assert evidence.problems("1." * 5000) is not None
    assert evidence.problems("`" * 5000) is not None
