"""The best preferred leaders for replicas that are given: balance, then the fewest changes of leader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kassay.solver.algorithms.even_picks import even_picks
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
    has no other replica. Where all shares are alike the descent starts from even picks, which leave it
    nothing to do but to prove them.
    """
    fenced = {place for place, broker in enumerate(brokers) if broker.fenced}
    able = [set(row) - fenced or set(row) for row in replicas]
    # A leader that cannot stay costs the same wherever it goes: no place is cheaper then.
    prices = [{place: int(place != want) for place in row} for want, row in zip(wanted, able, strict=True)]
    alike = len({broker.share for broker in brokers}) == 1
    even = even_picks(len(brokers), able, wanted, deadline) if alike else None
    start = None if even is None else [{place} for place in even]
    marginal = leader_quota(brokers, len(able)).marginal
    return cheapest(len(brokers), prices, 1, marginal, deadline, start=start)
