"""The profiles of the tests: `fast` by default, `full` for `make test-all` and CI, `many` before a release.

Hypothesis's own option chooses one: `pytest --hypothesis-profile=full`.
"""

from hypothesis import HealthCheck, settings

# Examples of a property test under the profile `fast`.
FAST = 30
# How many times the random examples of `full` are tried under `many`: CI is for every commit, and a release can wait.
MANY = 5


def register() -> None:
    """Register the profiles and load `fast`.

    None has deadlines or health checks: a shared machine is slow now and then, and benchmarks measure time.
    """
    settings.register_profile("fast", max_examples=FAST, deadline=None, suppress_health_check=list(HealthCheck))
    settings.register_profile("full", deadline=None, suppress_health_check=list(HealthCheck))
    settings.register_profile("many", settings.get_profile("full"))
    settings.load_profile("fast")


def examples(full: int, *, fast: int = FAST) -> settings:
    """The settings of a property test that tries `full` examples under the profile `full`, else `fast` ones.

    A test whose examples start processes gives a smaller number for `fast`.
    """
    return settings(max_examples=repeat(fast=fast, full=full))


def repeat(*, fast: int, full: int) -> int:
    """A number of random examples."""
    number = choose(fast=fast, full=full)
    return number * MANY if settings.get_current_profile_name() == "many" else number


def choose(*, fast: int, full: int) -> int:
    """A number that depends on the profile: of steps between kills, of megabytes."""
    return full if is_full() else fast


def is_full() -> bool:
    return settings.get_current_profile_name() != "fast"
