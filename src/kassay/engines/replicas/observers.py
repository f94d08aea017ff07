"""Partitions with observers (Confluent Server): kept apart, moved only off brokers that leave.

An observer copies without being in sync, and stands last among the replicas. A topic's placement constraints
say how many replicas and observers each rack has; so each replica keeps its role and its rack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kassay.engines.replicas.cluster import PlacedCluster, replicas_of
from kassay.model.cluster import TopicPartition
from kassay.model.placement.request import Replicas


def kept_apart(cluster: PlacedCluster, target: PlacedCluster) -> dict[TopicPartition, Replicas]:
    """The replicas of each partition with observers on the brokers of `target`, in the same racks and roles.

    A replica on a broker that leaves goes to the broker of its rack with the fewest replicas. Where there is
    none, the partition keeps its row.
    """
    loads = replicas_of(cluster.rows.values())
    rows = {}
    for tp in sorted(cluster.observed):
        row = cluster.rows[tp]
        for broker in row:
            if broker not in target.ids:
                able = min(
                    _able(cluster, target, broker, row), key=lambda id_: (loads[id_], id_), default=None
                )
                if able is not None:
                    row = tuple(able if each == broker else each for each in row)
                    loads[able] += 1
        rows[tp] = row if target.ids.issuperset(row) else cluster.rows[tp]
    return rows


def _able(cluster: PlacedCluster, target: PlacedCluster, leaving: int, row: Replicas) -> Iterator[int]:
    """The brokers of the same rack that can take the replica."""
    if leaving not in cluster.racks:
        return
    full = {*row, *target.cordoned, *target.silent}
    for broker in target.brokers:
        if broker.rack == cluster.racks[leaving] and broker.broker_id not in full:
            yield broker.broker_id


def numbers_of_observers(cluster: PlacedCluster) -> Mapping[TopicPartition, int]:
    """How many of each partition's replicas are observers."""
    return {tp: len(cluster.states[tp].observers) for tp in cluster.observed}
