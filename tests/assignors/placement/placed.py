"""Placements by the rules of `AdminUtils`, without a draw."""

from kassay.model.cluster import Broker
from kassay.model.java import Recorded
from kassay.model.placement.request import PlacementRequest

SIX = tuple(
    Broker(number, rack) for number, rack in enumerate(["rack1", "rack3", "rack3", "rack2", "rack2", "rack1"])
)


def placed(rule, brokers, partitions, factor, start=0, first=-1, **more):
    asked = PlacementRequest(
        partitions, factor, tuple(brokers), start_partition_id=first, fixed_start_index=start, **more
    )
    return rule().place(asked, Recorded(()))


def bare(size):
    return tuple(Broker(number) for number in range(size))
