"""The best preferred leaders for replicas that are given: balance, then the fewest changes of leader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kassay.solver.algorithms.exchange import Exchange, cheapest
from kassay.solver.algorithms.quota import Quota
from kassay.solver.placement.problem import Broker


def leader_quota(brokers: Sequence[Broker], partitions: int) -> Quota:
    """The cost of a broker's number of leaderships, among this many partitions."""
    return Quota.plain([broker.share for broker in brokers], partitions, partitions + 1)


def choose_leaders(
    brokers: Sequence[Broker],
    replicas: Sequence[Iterable[int]],
    wanted: Sequence[int | None],
    deadline: float | None = None,
) -> Exchange:
    """The exchange graph of the best leaders by the deadline, where `replicas` are positions in `brokers`.

    `wanted` is the leader that each partition would rather keep. A fenced broker leads only what
    has no other replica.
    """
    fenced = {place for place, broker in enumerate(brokers) if broker.fenced}
    able = [set(row) - fenced or set(row) for row in replicas]
    # A leader that cannot stay costs the same wherever it goes: no place is cheaper then.
    prices = [{place: int(place != want) for place in row} for want, row in zip(wanted, able, strict=True)]
    return cheapest(len(brokers), prices, 1, leader_quota(brokers, len(able)).marginal, deadline)
