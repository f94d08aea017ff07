"""Tests."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.plan import Move, Plan
from kassay.solver.placement.problem import (
    Broker,
    InfeasiblePlacementError,
    PlacedTopic,
    PlacementProblem,
    plan,
)
from tests.solver.placement import cases

GOOD = cases.document(cases.brokers(3, 3), [[0, 1], [1, 2]], 2) | {"removed": []}


def _set(*path: Any) -> Callable[[Any], None]:
    *way, last, value = path

    def change(document: Any) -> None:
        for key in way:
            document = document[key]
        document[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("family", "A"), r"family: found 'A', expected 'B'"),
        (_set("brokers", []), r"brokers: found \[\], expected at least one broker"),
        (_set("brokers", 1, "id", 0), r"brokers\[1\].id: broker id 0 is already at brokers\[0\].id"),
        (_set("brokers", 1, "id", -1), r"brokers\[1\].id: found -1"),
        (_set("brokers", 1, "id", True), r"brokers\[1\].id: found True"),
        (_set("brokers", 1, "rack", None), r"brokers: broker 1 without a rack"),
        (_set("brokers", 1, "rack", 7), r"brokers\[1\].rack: found 7, expected a name"),
        (_set("brokers", 1, "share", -2), r"brokers\[1\].share: found -2"),
        (_set("brokers", 1, "share", 0.5), r"brokers\[1\].share: found 0.5"),
        (_set("brokers", 1, "max_replicas", "x"), r"brokers\[1\].max_replicas: found 'x'"),
        (_set("brokers", 1, "fenced", 1), r"brokers\[1\].fenced: found 1, expected true or false"),
        (_set("brokers", [{"id": 0, "share": 0}]), r"brokers: every share is 0"),
        (_set("topics", 0, "rf", 4), r"topics\[0\].rf: topic 't' wants 4 distinct brokers.*brokers 0, 1, 2"),
        (_set("topics", 0, "rf", 0), r"topics\[0\].rf: found 0"),
        (_set("topics", 0, "partitions", 1), r"current.t: found 2 rows, expected at most 1"),
        (_set("topics", 0, "name", "u"), r"current: found 't', expected the name of a topic"),
        (_set("topics", [GOOD["topics"][0]] * 2), r"topics\[1\].name: topic 't' is already"),
        (_set("current", "t", 0, [0, 0]), r"current.t\[0\]\[1\]: broker 0 is already at current.t\[0\]\[0\]"),
        (_set("current", "t", 0, ["0", 1]), r"current.t\[0\]\[0\]: found '0'"),
        (_set("current", "t", 0, [0, 9]), r"current.t\[0\]\[1\]: found 9, expected the id of a broker"),
        (_set("current", "t", 0, 5), r"current.t\[0\]: found 5, expected a list"),
        (_set("current", []), r"current: found \[\], expected an object"),
        (_set("removed", [1]), r"removed\[0\]: found 1, expected a broker that is not under"),
    ],
)
def test_bad_input_is_one_line_that_names_the_field(change: Callable[[Any], None], message: str) -> None:
    document = copy.deepcopy(GOOD)
    change(document)
    with pytest.raises(InputError, match=message) as refused:
        PlacementProblem.parse(document)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("field", ["family", "brokers", "topics"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(InputError, match=f"{field}: missing"):
        PlacementProblem.parse({key: value for key, value in GOOD.items() if key != field})


@pytest.mark.parametrize("document", [None, [], 3, "x"])
def test_what_is_no_object_is_refused(document: Any) -> None:
    with pytest.raises(InputError):
        PlacementProblem.parse(document)


def test_a_document_comes_back_as_it_went() -> None:
    rng = random.Random(1)
    for _ in range(200):
        problem = PlacementProblem.parse(cases.small(rng))
        assert PlacementProblem.parse(problem.document()) == problem


def test_no_problem_is_made_of_what_has_no_rack_rule() -> None:
    """However it is made: with racks for some brokers only no rule would ever hold."""
    topics, current = (PlacedTopic("t", 1, 2),), {"t": ((),)}
    with pytest.raises(
        InputError, match="brokers: broker 1 without a rack, expected a rack for all or for none"
    ):
        PlacementProblem((Broker(0, "a"), Broker(1)), topics, current)
    with pytest.raises(InfeasiblePlacementError, match="wants 2 distinct brokers"):
        PlacementProblem((Broker(0, "a"),), topics, current)


def test_brokers_not_listed_are_taken_to_be_going() -> None:
    document = {key: value for key, value in GOOD.items() if key != "removed"}
    problem = PlacementProblem.parse(document | {"current": {"t": [[0, 9]]}})
    assert problem.current["t"] == ((0, 9), ())
    assert problem.document()["removed"] == [9]


@pytest.mark.parametrize(
    ("sizes", "rf", "least", "most"),
    [((2, 2, 2), 3, 1, 1), ((2, 2, 2), 4, 1, 2), ((3, 1, 1), 5, 1, 3), ((4,), 3, 1, 3), ((1, 1, 1), 2, 0, 1)],
)
def test_the_rack_rule(sizes: tuple[int, ...], rf: int, least: int, most: int) -> None:
    hosts = [{"rack": f"r{r}", "share": 1} for r, size in enumerate(sizes) for _ in range(size)]
    hosts = [host | {"id": i} for i, host in enumerate(hosts)]
    assert PlacementProblem.parse(cases.document(hosts, [], rf)).spread(rf) == (least, most)


@st.composite
def problems(draw: st.DrawFn) -> PlacementProblem:
    number, racks = draw(st.integers(1, 9)), draw(st.integers(0, 4))
    rack = st.integers(0, racks - 1).map("r{}".format) if racks else st.none()
    hosts = [{"id": i, "rack": draw(rack), "share": 1} for i in range(number)]
    rf = draw(st.integers(1, min(4, number)))
    row = st.permutations(range(number + 2)).flatmap(
        lambda ids: st.integers(0, min(len(ids), rf + 1)).map(lambda size: list(ids)[:size])
    )
    rows = draw(st.lists(row, min_size=1, max_size=8))
    return PlacementProblem.parse(cases.document(hosts, rows, rf))


def _excess(row: tuple[int, ...], rack: dict[int, str | None], most: int) -> int:
    held = Counter(rack[broker] for broker in row if broker in rack)
    return sum(max(0, count - most) for count in held.values()) if set(rack.values()) != {None} else 0


@settings(max_examples=100, deadline=None)
@given(problems())
def test_every_state_of_a_plan_is_valid(problem: PlacementProblem) -> None:
    found = cases.certified(problem)
    before = {tp: row for tp, _, row in problem.partitions()}
    after = dict(zip(before, found.rows, strict=True))
    rack = {broker.id: broker.rack for broker in problem.brokers}
    moves = Plan((), tuple(before.items()), plan(before, after, rack))
    state = dict(before)
    most = problem.spread(problem.topics[0].rf).most
    copied = sum(len(row) for tp, row in after.items() if not before[tp])
    for move, had, has in moves.states():
        assert move.source is None or move.source in had
        assert move.target is None or move.target not in had
        assert len(set(has)) == len(has)
        assert _excess(has, rack, most) <= _excess(had, rack, most)
        state[move.partition] = has
        copied += move.target is not None
    assert {tp: row for tp, row in state.items() if before[tp]} == {
        tp: row for tp, row in after.items() if before[tp]
    }
    assert copied == found.copies


def test_a_change_of_leader_alone_copies_nothing() -> None:
    tp = TopicPartition("t", 0)
    assert plan({tp: (1, 2)}, {tp: (2, 1)}, {1: None, 2: None}) == (Move(tp, order=(2, 1)),)


def test_replicas_change_inside_their_rack_first() -> None:
    tp = TopicPartition("t", 0)
    racks = {1: "a", 2: "b", 3: "b", 4: "a"}
    moves = plan({tp: (1, 2)}, {tp: (3, 4)}, racks)
    assert [(move.source, move.target) for move in moves[:2]] == [(1, 4), (2, 3)]
    states = Plan((), ((tp, (1, 2)),), moves).states()
    assert [moved.after for moved in states] == [(4, 2), (4, 3), (3, 4)]
