"""The kinds of targets that assign the partitions of a consumer group."""

from __future__ import annotations

from typing import Final

from kassay.model.kinds import Instances, Kind, Nouns, declare

_NOUNS: Final = Nouns(
    "history",
    "histories",
    "rebalance",
    "rebalances",
    "member",
    "partition",
    "event after the start",
    "groups",
)
_ASSUMPTIONS: Final = (
    "equal-subscriptions",
    "no-conflicting-claims",
    "no-duplicate-topics",
    "no-empty-subscriptions",
    "no-racks",
    "no-static",
    "no-unknown-topics",
    "no-weights",
)
_CONSUMERS: Final = Instances("consumers", "consumer groups", "bench")

CLIENT: Final = declare(
    Kind(
        "client",
        "groups",
        _NOUNS,
        "assignor",
        "client-side assignors",
        "group",
        speaks=True,
        chosen=True,
        place=10,
        assumptions=_ASSUMPTIONS,
        instances=_CONSUMERS,
    )
)
SERVER: Final = declare(
    Kind(
        "server",
        "groups",
        _NOUNS,
        "server-assignor",
        "server-side assignors",
        "group",
        speaks=True,
        place=11,
        assumptions=_ASSUMPTIONS,
        instances=_CONSUMERS,
    )
)
SHARE: Final = declare(
    Kind(
        "share",
        "groups",
        _NOUNS,
        "share-assignor",
        "share groups",
        "group",
        speaks=True,
        place=12,
        assumptions=_ASSUMPTIONS,
        instances=Instances("sharing", "share groups", "share"),
    )
)

GROUPS: Final = (CLIENT, SERVER, SHARE)
"""Kinds whose targets assign the partitions of a consumer group."""

CONSUMER_GROUPS: Final = (CLIENT, SERVER)
"""Group kinds in which a partition has one owner."""
