"""The two profiles of the tests: `fast` by default, `full` for `make test-all` and CI.

Hypothesis's own option chooses one: `pytest --hypothesis-profile=full`.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Examples of a property test under the profile `fast`.
FAST = 30


def register() -> None:
    """Register both profiles and load `fast`.

    Neither has deadlines or health checks: a shared machine is slow now and then, and benchmarks measure time.
    """
    settings.register_profile("fast", max_examples=FAST, deadline=None, suppress_health_check=list(HealthCheck))
    settings.register_profile("full", deadline=None, suppress_health_check=list(HealthCheck))
    settings.load_profile("fast")


def is_full() -> bool:
    return settings.get_current_profile_name() == "full"


def examples(full: int, *, fast: int = FAST) -> settings:
    """The settings of a property test that tries `full` examples under the profile `full`, else `fast` ones.

    A test whose examples start processes gives a smaller number for `fast`.
    """
    return settings(max_examples=choose(fast=fast, full=full))


def choose(*, fast: int, full: int) -> int:
    """A number that depends on the profile: of kills, of random repositories."""
    if is_full():
        return full
    return fast
