"""Each level's linear model has the value that kassay proves: HiGHS solves the files of many instances."""

from fractions import Fraction
from itertools import islice

import pytest

from kassay.engines.optimum.solve import solve
from kassay.reading.documents import Located
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.instances.brokers_and_tasks import PLACEMENT_SHAPES, member_tasks, placement, tasks
from kassay.solver.instances.groups import consumer, share_group
from kassay.solver.instances.suites import suite
from kassay.solver.linear.levels import level_files

RACK_FIRST = ("balance", "rack", "movement")


def solved(document, order=MOVEMENT_FIRST, **terms):
    return solve(Located(document, document["name"]), order, **terms)


def cases():
    """Instances with the terms to solve them on: of suites, and by shape and seed."""
    for document in islice(suite("small"), 0, None, 240):
        yield document, {}
    for document in islice(suite("share"), 0, None, 6):
        yield document, {}
    for document in islice(suite("streams"), 0, None, 6):
        yield document, {}
    for document in islice(suite("bench"), 0, 20, 4):
        yield document, {}
    for shape in PLACEMENT_SHAPES:
        yield placement(shape, 2, brokers=5, partitions=12), {}
    for seed in (2, 3):
        yield consumer("racks", seed, members=4, partitions=14), {"order": RACK_FIRST}
        yield consumer("weighted", seed, members=3, partitions=9), {}
        yield consumer("weighted", seed, members=3, partitions=9), {"tolerance": Fraction(1, 20)}
        yield consumer("copart", seed, members=4, partitions=16), {}
        yield consumer("join", seed, members=4, partitions=12), {"budget": 2}
        yield share_group("scattered", seed, members=5, topics=2, partitions=3), {}
        yield tasks("join", seed, clients=4, tasks=10), {}
        yield tasks("leave", seed, clients=4, tasks=10), {}
        yield member_tasks("scattered", seed, processes=3, members=2, tasks=9, standbys=1), {}


@pytest.mark.slow
def test_highs_finds_the_value_of_every_level(tmp_path):
    from tests.solver.linear.highs import optimum_of

    path, values = tmp_path / "level.mps", []
    for document, terms in cases():
        for level in level_files(solved(document, **terms)):
            path.write_text(level.text())
            if level.value is not None:
                values.append((document["name"], level.name, level.value, round(optimum_of(path), 6)))
    assert [each for each in values if each[2] != each[3]] == []
    assert len({name for name, *_ in values}) >= 30


def test_the_file_of_a_level_is_written_out():
    document = {
        "family": "A",
        "name": "two \u2028 lines",
        "members": [
            {"id": "a", "topics": ["t"], "owned": [["t", 0], ["t", 1]]},
            {"id": "b b", "topics": ["t"]},
        ],
        "topics": [{"name": "t", "partitions": 2}],
    }
    first, second, third = level_files(solved(document))
    assert (first.value, second.value, third.value) == (2, 1, 0)
    assert second.text().splitlines() == [
        '* "two \\u2028 lines": minimise movement',
        "* fixed: balance = 2",
        '* member 0: "a"',
        '* member 1: "b b"',
        '* item 0: "t-0"',
        '* item 1: "t-1"',
        "NAME movement",
        "ROWS",
        " N movement",
        *(f" E c{number}" for number in range(5)),
        "COLUMNS",
        " whole 'MARKER' 'INTORG'",
        " x_0_0 c0 1",
        " x_0_0 c2 1",
        " x_0_1 movement 1",
        " x_0_1 c0 1",
        " x_0_1 c3 1",
        " x_1_0 c1 1",
        " x_1_0 c2 1",
        " x_1_1 movement 1",
        " x_1_1 c1 1",
        " x_1_1 c3 1",
        " whole 'MARKER' 'INTEND'",
        *(
            line
            for member in (0, 1)
            for unit, cost in ((1, 1), (2, 3))
            for line in (f" n_{member}_{unit} c{member + 2} -1", f" n_{member}_{unit} c4 {cost}")
        ),
        "RHS",
        " rhs c0 1",
        " rhs c1 1",
        " rhs c4 2",
        "BOUNDS",
        *(f" UP bound x_{item}_{member} 1" for item in (0, 1) for member in (0, 1)),
        *(f" UP bound n_{member}_{unit} 1" for member in (0, 1) for unit in (1, 2)),
        "ENDATA",
    ]


def test_an_open_goal_has_the_last_file():
    document = consumer("weighted", 1, members=20, partitions=100)
    result = solved(document, seconds=0.5)
    assert result["status"] == "interval"
    files = list(level_files(result))
    assert files[-1].value is None
    assert all(level.value is not None for level in files[:-1])


def test_leaders_are_those_of_the_replicas_of_the_result():
    replicas, moved, leaders, changes = level_files(solved(placement("add", 2, brokers=5, partitions=12)))
    assert "* leaders of the replicas of the result" in leaders.text()
    assert " x_" not in changes.text() and " l_" not in replicas.text()
    assert moved.name == "level-2-movement.mps"
