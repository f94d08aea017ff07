"""What a watcher remembers: connections, figures, moves; and what it does without an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kassay.engines.watch import watcher as watching
from kassay.engines.watch.watcher import BUDGET_S, FRESH_S, Watcher
from kassay.model.errors import InputError
from kassay.reading.live.failures import ConnectFailure
from tests.engines.watch.sights import Connections, cluster_sight, sight

EVEN = {"a": ["t-0"], "b": ["t-1"]}
SWAPPED = {"a": ["t-1"], "b": ["t-0"]}


class Clock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def played(monkeypatch):
    """A watcher whose clusters show what is played, one after the other."""

    def play(*sights, **options):
        left = list(sights)

        def see(cluster, only):
            cluster.requests += 3
            seen = left.pop(0)
            if isinstance(seen, Exception):
                raise seen
            return seen

        monkeypatch.setattr(watching, "see", see)
        clock, connections = Clock(), Connections()
        own = Watcher(connections, clock=clock, **options)

        def observe():
            clock.now += FRESH_S
            return own.observe()

        return observe, connections, clock, own

    return play


def test_moves_are_counted_between_stable_observations(played):
    unsettled = sight({"a": [], "b": []}, {"t": 2}, state="PreparingRebalance")
    observe, _, _, _ = played(
        *map(cluster_sight, (sight(EVEN, {"t": 2}), unsettled, sight(SWAPPED, {"t": 2})))
    )
    assert [(each.moved, each.needless) for _ in range(3) for each in observe().groups] == [
        (0, 0),
        (0, 0),
        (2, 2),
    ]


def test_a_group_that_is_missing_in_between_keeps_its_totals(played):
    first, last = (cluster_sight(sight(each, {"t": 2})) for each in (EVEN, SWAPPED))
    observe, _, _, _ = played(first, cluster_sight(), last)
    assert observe().groups and not observe().groups
    assert observe().groups[0].moved == 2


def test_groups_that_are_gone_are_forgotten_once_they_are_many(played, monkeypatch):
    monkeypatch.setattr(watching, "GROUPS_MAX", 1)
    gone = cluster_sight(*(sight(EVEN, {"t": 2}, name=name) for name in "abc"))
    observe, _, _, own = played(gone, cluster_sight(sight(EVEN, {"t": 2}, name="d")))
    observe(), observe()
    assert {*own._figures} == {*own._owned} == {"d"}


def test_members_of_a_share_group_do_not_move(played):
    observe, _, _, _ = played(cluster_sight(sight(EVEN, {"t": 2}, kind="share")))
    (group,) = observe().groups
    assert (group.moved, group.needless, group.figures.best) == (None, None, None)


def test_the_optimum_is_computed_again_for_a_group_that_changed(played, monkeypatch):
    searched = []
    monkeypatch.setattr(watching, "best_figures", lambda each: searched.append(each.name))
    same = cluster_sight(sight(EVEN, {"t": 2}, name="a"), sight(EVEN, {"t": 2}, name="b"))
    other = cluster_sight(sight(EVEN, {"t": 2}, name="a"), sight(SWAPPED, {"t": 2}, name="b"))
    observe, _, _, _ = played(same, same, other)
    assert [len(observe().groups) for _ in range(3)] == [2, 2, 2]
    assert searched == ["a", "b", "b"]


def test_a_search_beyond_the_budget_waits_for_the_next_observation(played, monkeypatch):
    sights = cluster_sight(*(sight(EVEN, {"t": 2}, name=name) for name in "abc"))
    observe, _, clock, _ = played(sights, sights)

    def search(_):
        clock.now += 0.6 * BUDGET_S

    monkeypatch.setattr(watching, "best_figures", search)
    assert [observe().pending for _ in range(2)] == [1, 0]


def test_an_observation_is_served_again_while_it_is_fresh(played):
    observe, _, clock, own = played(cluster_sight(), cluster_sight())
    first = observe()
    clock.now += FRESH_S / 2
    assert own.observe() is first
    assert observe() is not first


def test_one_connection_serves_all_observations_and_is_renewed_where_it_was_closed(played):
    observe, connections, _, own = played(
        cluster_sight(), cluster_sight(), ConnectFailure("closed"), cluster_sight()
    )
    assert [observe().requests for _ in range(3)] == [3, 3, 3]
    assert (connections.opened, connections.closed) == (2, 1)
    own.close()
    assert connections.closed == 2


def test_other_brokers_are_connected_to(played):
    observe, connections, _, _ = played(
        cluster_sight(), replace(cluster_sight(), brokers=frozenset({1, 2})), cluster_sight()
    )
    observe(), observe()
    assert connections.opened == 2


@pytest.mark.parametrize("failure", [ConnectFailure("refused"), InputError("no right")], ids=str)
def test_a_cluster_that_does_not_answer_is_tried_again(played, failure):
    observe, _, _, _ = played(failure, cluster_sight(sight(EVEN, {"t": 2})))
    silent = observe()
    assert (silent.sight, silent.groups, silent.failure) == (None, (), failure)
    answered = observe()
    assert answered.failure is None and len(answered.groups) == 1
