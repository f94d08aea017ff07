"""All groups of some outputs, or of a cluster, in a row each: the worst first.

*Worst*: a group that is not stable, then partitions that no member owns, then the spread of the loads over
the least that the counts allow, then lag. A group that cannot be read says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.live import inputs_of
from kassay.engines.clusters.observed import ObservedGroup, observe
from kassay.model.errors import InputError
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.groups import LiveGroup, describe_listed, list_groups
from kassay.reading.live.offsets import committed

SCHEMA: Final = "kassay/groups/1"


@dataclass(frozen=True)
class GroupRow:
    """A group in short; `problem` says why its other figures are missing. `lag` is None where it is unknown.

    `excess`: the spread of the partitions of members, less what cannot be avoided (0 or 1) if all members
    read all topics.
    """

    name: str
    protocol: str | None = None
    strategy: str | None = None
    state: str | None = None
    is_stable: bool = True
    members: int = 0
    partitions: int = 0
    least: int = 0
    most: int = 0
    idle: int = 0
    unowned: int = 0
    lag: int | None = None
    problem: str | None = None

    @property
    def excess(self) -> int:
        """The spread less what the counts force."""
        return max(0, self.most - self.least - (self.partitions % self.members > 0 if self.members else 0))

    @property
    def rank(self) -> tuple[bool, bool, int, int, int, str]:
        """The place in the list: the worst is the smallest."""
        return (
            self.problem is not None,
            self.is_stable,
            -self.unowned,
            -self.excess,
            -(self.lag or 0),
            self.name,
        )

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the group."""
        if self.problem is not None:
            return {"group": self.name, "problem": self.problem}
        return {
            "group": self.name,
            "protocol": self.protocol,
            "strategy": self.strategy,
            "state": self.state,
            "stable": self.is_stable,
            "members": self.members,
            "partitions": self.partitions,
            "least": self.least,
            "most": self.most,
            "excess": self.excess,
            "idle": self.idle,
            "unowned": self.unowned,
            "lag": self.lag,
        }


@dataclass(frozen=True)
class GroupsOverview:
    """The groups, the worst first; `others` are groups of other clients by their kind."""

    rows: tuple[GroupRow, ...]
    others: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """The document of the overview."""
        return {
            "schema": SCHEMA,
            "groups": [row.to_json() for row in self.rows],
            "others": dict(self.others),
        }


def overview_of(inputs: ClusterInputs) -> GroupsOverview:
    """The overview of the groups that the files have."""
    rows = [_row(name, partial(observe, inputs, name)) for name in inputs.group_names]
    return GroupsOverview(_worst_first(rows), {})


def live_overview(cluster: LiveCluster, tell: Callable[[float, str], object]) -> GroupsOverview:
    """The overview of all groups that we may describe; `tell` gets how many are read."""
    listed = list_groups(cluster)
    others: dict[str, int] = {}
    for each in listed:
        if not each.is_of_consumers:
            kind = each.group_type.lower() or each.protocol_type
            kind = each.protocol_type if kind == "classic" else kind
            others[kind] = others.get(kind, 0) + 1
    consumers = [each for each in listed if each.is_of_consumers]
    rows = []
    for number, (name, group) in enumerate(sorted(describe_listed(cluster, consumers).items()), start=1):
        rows.append(_row(name, partial(_observed, cluster, group)))
        tell(number, f"of {len(consumers):,}")
    return GroupsOverview(_worst_first(rows), dict(sorted(others.items())))


def _observed(cluster: LiveCluster, group: LiveGroup | InputError) -> ObservedGroup:
    if isinstance(group, InputError):
        raise group
    return observe(inputs_of(cluster, group, committed(cluster, group.name)), group.name)


def _row(name: str, observed: Callable[[], ObservedGroup]) -> GroupRow:
    """The row of a group; one that cannot be observed says why."""
    try:
        group = observed()
    except InputError as error:
        return GroupRow(name, problem=_short(str(error), name))
    loads = [len(member.owned) for member in group.group.members]
    lags = group.scales.lags
    return GroupRow(
        name,
        group.protocol,
        group.strategy,
        group.stability.state,
        group.stability.is_stable,
        len(loads),
        sum(loads),
        min(loads, default=0),
        max(loads, default=0),
        loads.count(0),
        len(group.unowned),
        None if lags is None else sum(lags.values()),
    )


def _short(message: str, name: str) -> str:
    """The message without the group's name before it."""
    for begin in (f"group {name!r}: ", f"{name}: "):
        if begin in message:
            return message.partition(begin)[2]
    return message


def _worst_first(rows: Iterable[GroupRow]) -> tuple[GroupRow, ...]:
    return tuple(sorted(rows, key=lambda row: row.rank))
