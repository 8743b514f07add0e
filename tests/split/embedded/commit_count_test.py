"""How parts are joined, by hand and against the definition; how many commits a change becomes, and how sure that is."""

import itertools
import random
import statistics

from smartcommit.split.embedded.commit_count import (
    Dendrogram,
    Join,
    average_link,
    choose_level,
    join_certain,
    join_followers,
    join_small,
)
from tests.support.table import rows

Fits = dict[tuple[int, int], float]


def by_definition(size: int, fits: Fits, *, threshold: float, count: int) -> list[list[int]]:
    """Joins the two groups that fit best, by looking at every pair of them each time."""
    groups = [[n] for n in range(size)]

    def mean(pair: tuple[list[int], list[int]]) -> float:
        return statistics.fmean(fits[min(a, b), max(a, b)] for a in pair[0] for b in pair[1])

    while len(groups) > count:
        best = max(itertools.combinations(groups, 2), key=mean)
        if mean(best) < threshold:
            break
        groups.remove(best[1])
        best[0].extend(best[1])
    return sorted(sorted(group) for group in groups)


def test_parts_are_joined_as_by_the_definition() -> None:
    chance = random.Random(7)
    for size in [0, *range(1, 10)] * 20:
        fits = {pair: chance.random() for pair in itertools.combinations(range(size), 2)}
        found = average_link(size, lambda a, b, fits=fits: fits[a, b])
        count, threshold = chance.randint(1, 9), chance.random()
        assert found.groups(count) == by_definition(size, fits, threshold=0, count=count)
        stopped = found.groups(found.count_above(threshold))
        assert stopped == by_definition(size, fits, threshold=threshold, count=1)


def tree(*fits: float) -> Dendrogram:
    """Each position joined to the first, with `fits` in their order."""
    joins = [Join(fit, 0, number) for number, fit in enumerate(fits, start=1)]
    return Dendrogram(len(fits) + 1, joins)


@rows(
    ("fits", "count", "other"),
    ((), 1, None),
    ((0.9,), 1, 2),
    ((0.1,), 2, 1),
    ((0.9, 0.9, 0.8), 1, 2),
    ((0.9, 0.8, 0.6), 2, 1),
    ((0.9, 0.5, 0.2), 3, 2),
    ((0.9, 0.69, 0.1), 2, 3),
    # Groups of more parts need a better fit to be joined, and a change of more parts stays whole at a lower one.
    ((0.9, 0.69, 0.5), 2, 3),
    ((*[0.9] * 20, 0.69, 0.5), 3, 2),
    ((0.9, 0.63), 2, 1),
    ((*[0.9] * 8, 0.63), 1, 2),
)
def test_a_change_stays_whole_or_its_groups_fit_badly(fits: tuple[float, ...], count: int, other: int | None) -> None:
    level = choose_level(tree(*fits))
    assert (level.count, level.other) == (count, other)


def test_a_level_is_the_surer_the_farther_its_fit_is_from_the_threshold() -> None:
    found = [choose_level(tree(fit)).confidence for fit in (0.95, 0.8, 0.68, 0.64)]
    assert found == sorted(found, reverse=True)
    assert choose_level(tree(0.64)).confidence < choose_level(tree()).confidence


def fits_of(*rows: tuple[int, int, float]) -> dict[tuple[int, int], float]:
    return {(one, other): fit for one, other, fit in rows}


def test_a_small_group_is_joined_to_the_one_that_it_fits_best() -> None:
    fits = fits_of((0, 1, 0.1), (0, 2, 0.45), (1, 2, 0.5))
    assert join_small([[0], [1], [2]], [40, 40, 3], lambda a, b: fits[a, b]) == [[0], [1, 2]]
    assert join_small([[0], [1], [2]], [40, 40, 30], lambda a, b: fits[a, b]) == [[0], [1], [2]]


def test_a_small_group_that_fits_nothing_and_two_groups_stay() -> None:
    assert join_small([[0], [1], [2]], [40, 40, 3], lambda a, b: 0.1) == [[0], [1], [2]]
    assert join_small([[0], [1]], [40, 3], lambda a, b: 0.6) == [[0], [1]]


def test_followers_go_with_what_they_fit_best_even_if_one_group_is_left() -> None:
    fits = fits_of((0, 1, 0.1), (0, 2, 0.2), (1, 2, 0.3))
    assert join_followers([[0], [1], [2]], {2}, lambda a, b: fits[a, b]) == [[0], [1, 2]]
    assert join_followers([[0], [1], [2]], {2}, lambda a, b: fits[a, b], 0.4) == [[0], [1], [2]]
    assert join_followers([[0], [1]], {1}, lambda a, b: 0.01) == [[0, 1]]
    assert join_followers([[0, 1], [2]], {1}, lambda a, b: 0.9) == [[0, 1], [2]]


def test_a_lone_position_joins_what_it_belongs_with_for_certain() -> None:
    fits = {(0, 1): 0.9, (0, 2): 0.1, (1, 2): 1.0, (0, 3): 0.9, (1, 3): 0.1, (2, 3): 0.1}
    assert join_certain([[0, 1], [2], [3]], lambda a, b: fits[a, b]) == [[0, 1, 2], [3]]
    assert join_certain([[0, 1], [2, 3]], lambda a, b: fits[a, b]) == [[0, 1], [2, 3]]
