"""The kinds of targets that assign the partitions of a consumer group."""

from __future__ import annotations

from typing import Final

from kassay.model.kinds import Kind, Nouns, declare

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
CLIENT: Final = declare(
    Kind("client", "groups", _NOUNS, "assignor", "client-side assignors", "group", speaks=True, chosen=True)
)
SERVER: Final = declare(
    Kind("server", "groups", _NOUNS, "server-assignor", "server-side assignors", "group", speaks=True)
)
SHARE: Final = declare(
    Kind("share", "groups", _NOUNS, "share-assignor", "share groups", "group", speaks=True)
)

GROUPS: Final = (CLIENT, SERVER, SHARE)
"""Kinds whose targets assign the partitions of a consumer group."""

CONSUMER_GROUPS: Final = (CLIENT, SERVER)
"""Group kinds in which a partition has one owner."""
