"""The best preferred leaders for replicas that are given: balance, then the fewest changes of leader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress
from typing import NamedTuple

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.bulk_flow import Arcs
from kassay.solver.algorithms.convex import Convex, place_prices
from kassay.solver.algorithms.even_picks import even_picks
from kassay.solver.algorithms.quota import Quota
from kassay.solver.placement.problem import Broker


class Leaders(NamedTuple):
    """The leader of each partition and a price for each broker, by position.

    Where the time was spent, `late`, leaders are valid only, and the prices prove a bound.
    """

    leads: list[int]
    prices: tuple[int, ...]
    late: bool = False


def leader_quota(brokers: Sequence[Broker], partitions: int) -> Quota:
    """The cost of a broker's number of leaderships, among this many partitions."""
    return Quota.plain([broker.share for broker in brokers], partitions, partitions + 1)


def choose_leaders(
    brokers: Sequence[Broker],
    replicas: Sequence[Iterable[int]],
    wanted: Sequence[int | None],
    deadline: float | None = None,
) -> Leaders:
    """The best leaders by the deadline, one of `time.monotonic`; `replicas` are positions in `brokers`.

    `wanted` is the leader that each partition would rather keep. A fenced broker leads only what has no other
    replica.
    """
    fenced = {place for place, broker in enumerate(brokers) if broker.fenced}
    able = [sorted(row) for row in replicas]
    if fenced:
        able = [[place for place in row if place not in fenced] or row for row in able]
    # A leader that cannot stay costs the same wherever it goes: no place is cheaper then.
    homes = [want if want in row else None for want, row in zip(wanted, able, strict=True)]
    quota = leader_quota(brokers, len(able))
    bulk = deadline is None and sum(map(len, able)) >= bulk_flow.ENOUGH and bulk_flow.installed()
    if bulk or len({broker.share for broker in brokers}) > 1:
        leads = _near_shares(able, homes, quota, deadline)
    else:
        leads = even_picks(len(brokers), able, homes, deadline)
    if leads is None:
        nearest = [row[0] if home is None else home for row, home in zip(able, homes, strict=True)]
        return Leaders(nearest, (quota.level_price(),) * len(brokers), late=True)
    return Leaders(leads, _prices(able, homes, leads, quota))


def _near_shares(
    able: Sequence[Sequence[int]], homes: Sequence[int | None], quota: Quota, deadline: float | None
) -> list[int] | None:
    """The leaders nearest to the brokers' shares, or None after the deadline."""
    places = range(len(quota.shares))
    net = Convex([len(able)] * len(places))
    net.units(
        able, [home not in (None, place) for row, home in zip(able, homes, strict=True) for place in row]
    )
    flows = net.cheapest(quota.marginal, [quota.floor(place) for place in places], deadline)
    return None if flows is None else [*compress(chain.from_iterable(able), flows)]


def _prices(
    able: Sequence[Sequence[int]], homes: Sequence[int | None], leads: Sequence[int], quota: Quota
) -> tuple[int, ...]:
    """The prices that prove the leaders: to hand a leadership on is a path from broker to broker."""
    places = len(quota.shares)
    counted = Counter(leads)
    counts = [counted[place] for place in range(places)]
    rows = [*zip(able, homes, leads, strict=True)]
    # What a leadership costs its broker to hand on; of a pair of brokers the least, which is written last.
    dear = {(lead, place) for row, home, lead in rows if home == lead for place in row}
    free = {(lead, place) for row, home, lead in rows if home != lead for place in row}
    back = {(lead, home) for _, home, lead in rows if home not in (None, lead)}
    change = dict.fromkeys(dear, 1) | dict.fromkeys(free, 0) | dict.fromkeys(back, -1)
    for place in range(places):
        change.pop((place, place), None)
    arcs = Arcs(
        [tail for tail, _ in change], [head for _, head in change], [1] * len(change), [*change.values()]
    )
    most = [len(able)] * places
    prices = place_prices(places, arcs, [0] * len(change), counts, most, quota.marginal)
    assert prices is not None, "leaders could be better"
    return prices
