"""The settings of Streams groups: the broker's, and a group's own."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

NUM_STANDBY_REPLICAS: Final = "num.standby.replicas"
RACK_AWARE_TAGS: Final = "rack.aware.assignment.tags"

AssignmentConfigs: TypeAlias = tuple[tuple[str, str], ...]
"""The settings on which an assignment depends, by name, as recorded with the group epoch."""


class StreamsConfig(NamedTuple):
    """The settings `group.streams.*`; times in ms.

    With `warms_up` warm-up tasks are assigned, as in KIP-1071; no release does that yet.
    """

    session_timeout: int = 45_000
    heartbeat_interval: int = 5_000
    initial_rebalance_delay: int = 3_000
    assignment_interval: int = 1_000
    num_standby_replicas: int = 0
    num_warmup_replicas: int = 2
    max_size: int = 2**31 - 1
    rack_aware_tags: tuple[str, ...] = ()
    warms_up: bool = False

    @property
    def assignment_configs(self) -> AssignmentConfigs:
        """The settings whose change advances the group epoch."""
        standbys = ((NUM_STANDBY_REPLICAS, str(self.num_standby_replicas)),)
        tags = ((RACK_AWARE_TAGS, ",".join(self.rack_aware_tags)),) if self.rack_aware_tags else ()
        return standbys + tags


class StreamsConfigured(NamedTuple):
    """The group's dynamic settings changed: its settings from here on."""

    config: StreamsConfig
