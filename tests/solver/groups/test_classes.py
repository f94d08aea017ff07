"""Units that are alike are one class, and nothing else is."""

from __future__ import annotations

from collections import Counter

import pytest

from kassay.solver.groups.hub import aggregate
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.groups import consumer
from kassay.solver.results import NO_OWNER


@pytest.mark.parametrize("shape", ["shuffle", "groups", "random", "nested", "racks", "copart"])
@pytest.mark.parametrize("seed", range(3))
def test_classes_are_the_units_by_what_matters_of_them(shape: str, seed: int) -> None:
    problem = Problem.parse(consumer(shape, seed, members=5, partitions=30))
    counted = aggregate(problem)
    alike: Counter[object] = Counter()
    for bundle in problem.bundles:
        for number in range(bundle[0].partitions):
            had = [problem.previous[topic.name][number] for topic in bundle]
            racks = [topic.racks[number] for topic in bundle if topic.racks and topic.racks[number]]
            kept = Counter(owner for owner in had if owner != NO_OWNER)
            readers = problem.subscribers[bundle[0].name]
            alike[readers, tuple(sorted(kept.items())), tuple(sorted(racks, key=sorted))] += 1
    classes = Counter[object]()
    for each in counted.classes:
        assert each.owned == sum(had for _, had in each.kept)
        classes[counted.sets[each.readers], each.kept, tuple(sorted(each.racks, key=sorted))] += len(
            each.units
        )
    assert classes == alike
    assert sorted(unit for each in counted.classes for unit in each.units) == list(range(counted.units))
    for number, able in enumerate(counted.sets):
        assert counted.counts[number] == sum(
            count for (readers, *_), count in alike.items() if readers == able
        )  # type: ignore[misc]


def test_units_are_numbered_as_owners_are_read() -> None:
    problem = Problem.parse(consumer("shuffle", 4, members=3, partitions=12))
    counted = aggregate(problem)
    owner = [NO_OWNER] * counted.units
    for each in counted.classes:
        for unit in each.units:
            owner[unit] = each.kept[0][0] if each.kept else NO_OWNER
    assert problem.owners_by_topic(owner) == {name: row for name, row in problem.previous.items() if row}
