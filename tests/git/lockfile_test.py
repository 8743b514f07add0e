"""Somebody else's lock is waited for."""

from __future__ import annotations

from smartcommit.git.lockfile import retry_with_backoff


def test_what_is_locked_is_tried_again_until_the_time_is_over() -> None:
    assert len(list(retry_with_backoff(0.05))) > 1
    assert len(list(retry_with_backoff(0))) == 1
