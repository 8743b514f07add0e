"""A split by a real, tiny model on a real server: it knows little, so what counts is that whatever it says is safe."""

from __future__ import annotations

import pytest

from smartcommit.config import Settings
from smartcommit.draft.conform import is_accepted
from smartcommit.errors import AgentError, LLMError
from smartcommit.git.repo import Repository
from smartcommit.git.snapshot import take_snapshot
from smartcommit.llm.client import LLMClient
from smartcommit.split.analyzer import ChangeReader, GitAnalyzer
from smartcommit.split.model.emit import CommitCollector
from smartcommit.split.model.splitter import ModelRequest, classify_changes
from smartcommit.split.plan import list_ids, list_units
from smartcommit.waiting import Deadline
from tests.support import real_models
from tests.support.repository import Repo

pytestmark = pytest.mark.components

# It answers within this time or not: either will do.
PATIENCE = 45


def test_whatever_a_real_model_says_is_a_whole_plan_or_an_error(based: Repo) -> None:
    based.write("zebra.py", "def stripes():\n    return 7\n")
    based.write("guide.md", "# Guide\n")
    before = based.state()
    lines: list[str] = []
    with real_models.llama() as config, take_snapshot(Repository.find(str(based.path))) as snapshot:
        client = LLMClient(config)
        reader = ChangeReader(snapshot, Settings())
        analyzer = GitAnalyzer(reader, reader.hunks)
        collector = CommitCollector(analyzer)
        try:
            classify_changes(collector, client, ModelRequest(Deadline(PATIENCE), log=lines.append))
        except (AgentError, LLMError) as error:
            lines.append(str(error))
    commits = collector.commits
    assert client.usage.output > 0
    assert lines
    hunks = list_ids(list_units(commits))
    assert len(hunks) == len(set(hunks))
    assert set(hunks) <= {"zebra.py::1", "guide.md::1"}
    assert all(is_accepted(commit.message, analyzer.rules) for commit in commits)
    assert based.state() == before
