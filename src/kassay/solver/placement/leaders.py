"""The best preferred leaders for given replicas: balance, then the fewest changes of leader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress, count, repeat
from typing import NamedTuple

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.bulk_flow import Arcs
from kassay.solver.algorithms.convex import Convex, place_prices
from kassay.solver.algorithms.even_picks import even_picks
from kassay.solver.algorithms.quota import Quota
from kassay.solver.placement.problem import Broker


class Leaders(NamedTuple):
    """The leader of each partition and a price for each broker, by position.

    If the time ran out, `late`, leaders are only valid, and the prices prove a bound.
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

    `wanted` is the leader to keep for each partition if possible. A fenced broker leads only partitions
    without another replica.
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
        leaders = _near_shares(able, homes, quota, deadline, bulk=bulk)
        if leaders is not None:
            return leaders
    else:
        leads = even_picks(len(brokers), able, homes, deadline)
        if leads is not None:
            return _proven(able, homes, leads, quota)
    nearest = [row[0] if home is None else home for row, home in zip(able, homes, strict=True)]
    return Leaders(nearest, (quota.level_price(),) * len(brokers), late=True)


def _near_shares(
    able: Sequence[Sequence[int]],
    homes: Sequence[int | None],
    quota: Quota,
    deadline: float | None,
    *,
    bulk: bool,
) -> Leaders | None:
    """The leaders nearest to the brokers' shares, or None after the deadline.

    Mostly all brokers can be within one of their share. In `bulk` that is tried first: the remaining choices
    then have small costs, and a flow of small costs is found several times as fast.
    """
    net = _handed_on(able, homes, len(quota.shares))
    whole = [quota.floor(place) for place in range(len(quota.shares))]
    flows = net.within_one(quota.marginal, whole) if bulk else None
    if flows is not None:
        leads = _led(able, homes, flows)
        prices = _prices(able, homes, leads, quota)
        if prices is not None:
            return Leaders(leads, prices)
    flows = net.cheapest(quota.marginal, whole, deadline)
    return None if flows is None else _proven(able, homes, _led(able, homes, flows), quota)


def _handed_on(able: Sequence[Sequence[int]], homes: Sequence[int | None], places: int) -> Convex:
    """The network of leaderships: each is at its home, and may move to another place through a node.

    So the flow is small. Row by row one arc for each possible leader: from home to the node, from it to
    others.
    """
    net = Convex([len(able)] * places)
    for row, home in zip(able, homes, strict=True):
        if home is not None:
            net.supplies[home] += 1
        node = net.node(int(home is None))
        for place in row:
            if place == home:
                net.arc(place, node, 1, 1)
            else:
                net.arc(node, place, 1)
    return net


def _led(able: Sequence[Sequence[int]], homes: Sequence[int | None], flows: Sequence[int]) -> list[int]:
    """The leader of each partition: the new one if the leadership moved, else its home."""
    arcs = zip(chain.from_iterable(map(repeat, count(), map(len, able))), chain.from_iterable(able))
    leads = [row[0] if home is None else home for row, home in zip(able, homes, strict=True)]
    for item, place in compress(arcs, flows):
        if place != homes[item]:
            leads[item] = place
    return leads


def _proven(
    able: Sequence[Sequence[int]], homes: Sequence[int | None], leads: list[int], quota: Quota
) -> Leaders:
    prices = _prices(able, homes, leads, quota)
    assert prices is not None, "leaders could be better"
    return Leaders(leads, prices)


def _prices(
    able: Sequence[Sequence[int]], homes: Sequence[int | None], leads: Sequence[int], quota: Quota
) -> tuple[int, ...] | None:
    """The prices that prove the leaders; None where others are better.

    A leadership moves along a path from broker to broker.
    """
    places = len(quota.shares)
    counted = Counter(leads)
    counts = [counted[place] for place in range(places)]
    rows = [*zip(able, homes, leads, strict=True)]
    # The cost for a broker to pass on a leadership; of a pair of brokers the least, which is written last.
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
    return place_prices(places, arcs, [0] * len(change), counts, most, quota.marginal)
