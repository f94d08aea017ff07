"""Replays of each group's history under other assignors, and with the optimum.

Every candidate starts from the group's actual assignment and receives the same joins, leaves, new partitions
and subscriptions. The actual history is measured in the same way: against the certified optimum of each
state, with the previous state as the assignment to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import dropwhile, groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.engines.processes.host import Host, Maker
from kassay.engines.targets.resolve import Target
from kassay.kinds.groups.measures import measured_group
from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.history import (
    AddPartitions,
    Change,
    CreateTopic,
    Event,
    History,
    Join,
    Leave,
    Rebalance,
    Resubscribe,
)
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.player import Player
from kassay.model.groups.step import Step
from kassay.pipeline.campaign.worker import Distance
from kassay.pipeline.fleet.tables import REPLAYS
from kassay.pipeline.tables import arrow_struct
from kassay.pipeline.workers import on_workers

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

ACTUAL: Final = "actual"
_GENERATION: Final = 1

Subscriptions = Mapping[tuple[str, str], tuple[str, ...]]


class FleetMember(NamedTuple):
    """A member in a snapshot; `topics` is None if its subscription is unknown."""

    topics: tuple[str, ...] | None
    owned: tuple[TopicPartition, ...]
    instance_id: str | None
    client_id: str | None
    rack: str | None


@dataclass(frozen=True)
class GroupState:
    """A group at a time: its members, its partitions, and whether subscriptions were inferred."""

    seats: Mapping[str, FleetMember]
    counts: Mapping[str, int]
    topics: Mapping[str, tuple[str, ...]]
    inferred: bool

    @property
    def cluster(self) -> Cluster:
        """The topics by name, as an assignor receives them."""
        return Cluster.of(dict(sorted(self.counts.items())))

    def member(self, member_id: str, owned: Sequence[TopicPartition] = ()) -> Member:
        """A member of this state with these owned partitions."""
        seat = self.seats[member_id]
        generation = _GENERATION if owned else -1
        return Member(
            member_id, self.topics[member_id], tuple(owned), generation, seat.rack, seat.instance_id
        )


def states_of(group: str, rows: Sequence[Mapping[str, Any]], known: Subscriptions) -> list[GroupState]:
    """The states of one group by time.

    A topic has as many partitions as the largest partition number so far implies. A member of unknown
    subscription is assumed to subscribe to every topic assigned to a member of the group so far; a topic that
    only ever appears without an owner has old offsets and no subscribers.
    """
    counts: dict[str, int] = {}
    assigned: set[str] = set()
    states: list[GroupState] = []
    in_order = sorted(rows, key=lambda row: (row["seen_at"], row["member_id"] or ""))
    for _, instant in groupby(in_order, key=itemgetter("seen_at")):
        seats: dict[str, FleetMember] = {}
        for row in instant:
            owned = tuple(sorted(TopicPartition(tp["topic"], tp["partition_number"]) for tp in row["owned"]))
            for topic, partition in owned:
                counts[topic] = max(counts.get(topic, 0), partition + 1)
            if row["member_id"] is not None:
                assigned.update(topic for topic, _ in owned)
                subscribed = None if row["topics"] is None else tuple(row["topics"])
                seats[row["member_id"]] = FleetMember(
                    subscribed, owned, row["instance_id"], row["client_id"], row["rack"]
                )
        stated = {
            member_id: _stated_topics(group, member_id, seat, known) for member_id, seat in seats.items()
        }
        guess = tuple(sorted(assigned))
        topics = {m: guess if read is None else tuple(sorted(read)) for m, read in stated.items()}
        states.append(GroupState(seats, dict(counts), topics, None in stated.values()))
    return states


def _stated_topics(
    group: str, member_id: str, seat: FleetMember, known: Subscriptions
) -> tuple[str, ...] | None:
    if seat.topics is not None:
        return seat.topics
    names = ((group, name) for name in (member_id, seat.client_id or "", "*"))
    return next((known[name] for name in names if name in known), None)


def changes_between(before: GroupState, after: GroupState) -> Change:
    """The changes between two states; empty if they are equal."""
    events: list[Event] = []
    for topic, count in sorted(after.counts.items()):
        had = before.counts.get(topic)
        if had is None:
            events.append(CreateTopic(Topic(topic, count)))
        elif had < count:
            events.append(AddPartitions(topic, count))
    events += [Leave(member_id) for member_id in sorted(before.seats.keys() - after.seats.keys())]
    events += [Join(after.member(m)) for m in sorted(after.seats.keys() - before.seats.keys())]
    events += [
        Resubscribe(m, after.topics[m])
        for m in sorted(after.seats.keys() & before.seats.keys())
        if after.topics[m] != before.topics[m]
    ]
    owned = {m: seat.owned for m, seat in before.seats.items()} != {
        m: s.owned for m, s in after.seats.items()
    }
    if not events and owned:
        events.append(Rebalance())
    return tuple(events)


def history_of(states: Sequence[GroupState]) -> tuple[History, list[tuple[GroupState, GroupState]]]:
    """The group's history for a player, and the states before and after each later change."""
    first = states[0]
    joins: Change = tuple(Join(first.member(m, seat.owned)) for m, seat in sorted(first.seats.items()))
    steps = [(a, b, changes_between(a, b)) for a, b in pairwise(states)]
    steps = [step for step in steps if step[2]]
    return History(first.cluster, (joins, *(change for _, _, change in steps))), [(a, b) for a, b, _ in steps]


def actual(pairs: Sequence[tuple[GroupState, GroupState]]) -> Distance:
    """The actual history, measured against the optimum of each state."""
    distance = Distance(CLIENT)
    for before, after in pairs:
        if after.seats:
            members = tuple(
                after.member(m, before.seats[m].owned if m in before.seats else ())
                for m in sorted(after.seats)
            )
            answer = Assignment({m: seat.owned for m, seat in after.seats.items()})
            distance.take(measured_group(Step(after.cluster, Group(members), answer, _GENERATION)))
    return distance


class ReplayedState(NamedTuple):
    """A candidate's result for a history: the cost of switching to it, the later figures, and their extent.

    `answered` counts the rebalances after the first; a target that failed is not called again.
    """

    to_switch: int
    distance: Distance
    answered: int


def candidate(history: History, target: Target, host: Host) -> ReplayedState:
    """The history under the candidate; the moves of its first rebalance are the cost of switching."""
    distance, to_switch, answered = Distance(target.kind), 0, 0
    for rebalanced in Player(Maker(host), target.protocol).play(history):
        if rebalanced.index:
            distance.see(rebalanced)
            answered += not isinstance(rebalanced.steps[-1].answer, Failure)
        else:
            first = Distance(target.kind)
            first.see(rebalanced)
            to_switch = first.row()["moved"]
    return ReplayedState(to_switch, distance, answered)


def replay_group(
    group: str,
    rows: Sequence[Mapping[str, Any]],
    targets: Sequence[Target],
    open_: Callable[[Target], Host],
    known: Subscriptions,
) -> Iterator[dict[str, Any]]:
    """One row for the actual history, and one per candidate; none for a group without members."""
    states = list(dropwhile(lambda state: not state.seats, states_of(group, rows, known)))
    if not states:
        return
    history, pairs = history_of(states)
    rebalances = sum(bool(after.seats) for _, after in pairs)
    labels = {
        "group_id": group,
        "members": max(len(state.seats) for state in states),
        "partitions": sum(states[-1].counts.values()),
        "rebalances": rebalances,
        "inferred": any(state.inferred for state in states),
    }
    real = _figures(actual(pairs), unanswered=0)
    yield {**labels, **real, "assignor": ACTUAL, "to_switch": 0, **_NOTHING}
    for target in targets:
        played = candidate(history, target, open_(target))
        figures = _figures(played.distance, unanswered=rebalances - played.answered)
        yield {
            **labels,
            **figures,
            "assignor": target.spec,
            "to_switch": played.to_switch,
            **compared(figures, real),
        }


_NOTHING: Final = {"against_actual": "-", "balance_more": 0, "moved_more": 0}
_FIGURES: Final = ("moved", "moved_least", "balance", "balance_worst", "spread_worst", "invalid", "unsettled")


def _figures(distance: Distance, unanswered: int) -> dict[str, int]:
    row = distance.row()
    return {**{name: row[name] for name in _FIGURES}, "unanswered": unanswered}


def compared(figures: Mapping[str, int], real: Mapping[str, int]) -> dict[str, Any]:
    """Better, worse or same, by balance and then moves, and the differences.

    Unknown if either side is not a valid assignment, does not become stable, or has no answer.
    """
    if any(side[name] for side in (figures, real) for name in ("invalid", "unsettled", "unanswered")):
        return {"against_actual": "unknown", "balance_more": None, "moved_more": None}
    more = figures["balance"] - real["balance"], figures["moved"] - real["moved"]
    word = "better" if more < (0, 0) else "worse" if more > (0, 0) else "same"
    return {"against_actual": word, "balance_more": more[0], "moved_more": more[1]}


_HOSTS: Final = dict[str, Host]()
_OPEN: Final = ExitStack()
"""The open targets of a worker process by spec, closed with the process."""


def _host(target: Target) -> Host:
    """The target's host; opens it if necessary."""
    if target.spec not in _HOSTS:
        _HOSTS[target.spec] = _OPEN.enter_context(target.open())
    return _HOSTS[target.spec]


def replays(snapshots: DataFrame, targets: Sequence[Target], known: Subscriptions) -> DataFrame:
    """The replay of every group: one row per group and assignor."""
    import pyarrow as pa

    work: Any = on_workers(partial(_replay_arrow, tuple(targets), known))
    work.__annotations__ = {"taken": pa.Table, "return": pa.Table}
    return snapshots.groupBy("group_id").applyInArrow(work, REPLAYS.ddl)


def _replay_arrow(targets: tuple[Target, ...], known: Subscriptions, table: pyarrow.Table) -> pyarrow.Table:
    """The replay of one group; for `applyInArrow`."""
    import pyarrow as pa

    rows = changed_rows(table)
    replayed = list(replay_group(rows[0]["group_id"], rows, targets, _host, known))
    return pa.Table.from_pylist(replayed, pa.schema(list(arrow_struct(REPLAYS))))


def changed_rows(table: pyarrow.Table) -> list[dict[str, Any]]:
    """The rows of one group, without instants equal to the previous one.

    Most snapshots change nothing; Arrow compares them before they become Python objects.
    """
    import pyarrow as pa

    table = table.sort_by([("seen_at", "ascending"), ("member_id", "ascending")]).combine_chunks()
    times = table.column("seen_at").cast(pa.int64()).to_pylist()
    starts = [0, *(i for i, (a, b) in enumerate(pairwise(times), start=1) if a != b), len(times)]
    shown, rows, last = table.drop_columns(["seen_at"]), list[dict[str, Any]](), None
    for start, stop in pairwise(starts):
        now = shown.slice(start, stop - start)
        if last is None or not now.equals(last):
            rows += table.slice(start, stop - start).to_pylist()
        last = now
    return rows
