"""The review that the tests of its two faces share."""

import pytest

from smartcommit.split.review.session import Session
from tests.support.repository import Repo
from tests.support.reviewing import reviewed_once


@pytest.fixture
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The repository of `session`, which no test changes."""
    return reviewed_once(tmp_path_factory).repo


@pytest.fixture
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return reviewed_once(tmp_path_factory).review()
