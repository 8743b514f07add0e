import pytest

from smartcommit.split.embedded import finders
from smartcommit.split.embedded.finders import Candidate, Surroundings
from smartcommit.split.embedded.pieces import File
from smartcommit.split.embedded.similarity import load_weights
from tests.support.changes import make_diff, make_hunk


def test_words_shown_to_the_user_name_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    file = File(make_diff("a.py", make_hunk(["limit = 2"])))
    reworded = tuple(finder._replace(kind=f"{finder.kind}, in other words") for finder in finders.FINDERS)
    monkeypatch.setattr(finders, "FINDERS", reworded)
    for finder in reworded:
        measured = finders.measure(Candidate(finder.kind, frozenset(file.pieces)), Surroundings([file], 1, 1.0))
        weighed = [name for name, value in measured.items() if name.startswith("finder ") and value]
        assert weighed == [f"finder {finder.name}"]
        assert set(weighed) <= load_weights()["candidates"]["weights"].keys()
