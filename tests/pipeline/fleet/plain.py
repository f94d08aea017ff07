"""A fleet's replay once more, from the definitions and in plain Python, to check the tables against.

Nothing here comes from `kassay.pipeline`: the files are read by a parser of its own (the offsets view and
JSON lines), moves, unowned partitions and imbalance are counted here, assignors are called
directly, and the optimum is a closed form for equal subscriptions, else a min-cost flow by networkx.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx

from kassay.assignors import registry
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import GroupMetadata
from kassay.model.groups.group import Group, Member

TP = tuple[str, int]


@dataclass
class Snapshot:
    """A group at an instant: who is there, who owns what (None: nobody), what is known to be read."""

    members: set[str] = field(default_factory=set)
    owners: dict[TP, str | None] = field(default_factory=dict)
    reads: dict[str, tuple[str, ...]] = field(default_factory=dict)


Snapshots = dict[int, Snapshot]


def read(folder: Path, wanted: Iterable[str]) -> dict[str, Snapshots]:
    """The snapshots of the wanted groups by time; a group told in another form is left out."""
    found: dict[str, Snapshots] = {group: {} for group in wanted}
    for path in sorted(folder.glob("at=*/*.txt")):
        day = datetime.strptime(path.parent.name, "at=%Y-%m-%dT%H-%M-%SZ").replace(tzinfo=UTC)
        at = int(day.timestamp()) * 1000
        columns: dict[str, int] = {}
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("GROUP"):
                    columns = {name: i for i, name in enumerate(line.split())}
                elif line.startswith("{"):
                    _read_json(json.loads(line), at, found)
                elif line.partition(" ")[0] in found and "TOPIC" in columns:
                    _read_row(line.split(), columns, at, found)
    return {group: dict(sorted(snapshots.items())) for group, snapshots in found.items() if snapshots}


def _read_json(row: Mapping[str, Any], at: int, found: dict[str, Snapshots]) -> None:
    if row["group"] in found:
        snapshot = found[row["group"]].setdefault(at, Snapshot())
        snapshot.members.add(row["member"])
        snapshot.reads[row["member"]] = tuple(sorted(row["topics"]))
        snapshot.owners.update(dict.fromkeys(map(tuple, row["owned"]), row["member"]))


def _read_row(cells: list[str], columns: dict[str, int], at: int, found: dict[str, Snapshots]) -> None:
    snapshot = found[cells[columns["GROUP"]]].setdefault(at, Snapshot())
    member: str | None = cells[columns["CONSUMER-ID"]]
    if member == "-":
        member = None
    else:
        snapshot.members.add(cells[columns["CONSUMER-ID"]])
    if cells[columns["TOPIC"]] != "-":
        snapshot.owners[cells[columns["TOPIC"]], int(cells[columns["PARTITION"]])] = member


def events(snapshots: Snapshots) -> Iterator[tuple[Any, ...]]:
    """Time, kind, member, topic and partition of everything that happened between the snapshots."""
    for at, now in snapshots.items():
        yield from ((at, "unowned", None, *tp) for tp, owner in now.owners.items() if owner is None)
    known = set(next(iter(snapshots.values())).owners)
    for (_, before), (at, now) in pairwise(snapshots.items()):
        yield from ((at, "join", member, None, None) for member in now.members - before.members)
        yield from ((at, "leave", member, None, None) for member in before.members - now.members)
        for member in now.members & before.members:
            if now.reads.get(member) != before.reads.get(member):
                yield at, "resubscribe", member, None, None
        for tp, owner in now.owners.items():
            if tp not in known:
                yield at, "new-partition", owner, *tp
            elif owner is not None and before.owners.get(tp) not in (None, owner):
                yield at, "move", owner, *tp
        known |= set(now.owners)


@dataclass(frozen=True)
class State:
    """A snapshot with what has to be guessed: how large topics are and who reads what."""

    owners: Mapping[TP, str]
    sizes: Mapping[str, int]
    reads: Mapping[str, tuple[str, ...]]

    @property
    def tps(self) -> list[TP]:
        """The partitions that somebody reads."""
        read_by_any = {topic for topics in self.reads.values() for topic in topics}
        return [(t, p) for t, size in self.sizes.items() if t in read_by_any for p in range(size)]


def states(snapshots: Snapshots) -> list[State]:
    """The states in order of time; topics are as large as was seen, and read if assigned, so far."""
    sizes: dict[str, int] = {}
    assigned: set[str] = set()
    made = []
    for now in snapshots.values():
        for topic, number in now.owners:
            sizes[topic] = max(sizes.get(topic, 0), number + 1)
        owners = {tp: owner for tp, owner in now.owners.items() if owner is not None}
        assigned |= {topic for topic, _ in owners}
        reads = {member: now.reads.get(member, tuple(sorted(assigned))) for member in now.members}
        made.append(State(owners, dict(sizes), reads))
    while made and not made[0].reads:
        made.pop(0)
    return made


def best(state: State, had: Mapping[TP, str]) -> tuple[list[int], int]:
    """The best sorted loads, and the fewest partitions that then leave an owner who could keep them."""
    tps = state.tps
    if len(set(state.reads.values())) == 1:
        low, more = divmod(len(tps), len(state.reads))
        owned = Counter(had.values())
        above = sum(count > low for count in owned.values())
        kept = sum(min(count, low) for count in owned.values()) + min(more, above)
        return [low] * (len(state.reads) - more) + [low + 1] * more, sum(owned.values()) - kept
    return _flow(state, tps, had)


def _flow(state: State, tps: list[TP], had: Mapping[TP, str]) -> tuple[list[int], int]:
    """The same for any subscriptions: a unit of load costs the more the higher it is stacked."""
    readers = {t: frozenset(m for m, topics in state.reads.items() if t in topics) for t in state.sizes}
    kinds = Counter((readers[tp[0]], had.get(tp)) for tp in tps)
    graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph()
    graph.add_node("end", demand=len(tps))
    for kind, count in kinds.items():
        graph.add_node(kind, demand=-count)
        for member in kind[0]:
            graph.add_edge(kind, member, weight=int(kind[1] not in (None, member)))
    for member in state.reads:
        able = sum(count for kind, count in kinds.items() if member in kind[0])
        for height in range(able):
            graph.add_edge(member, "end", weight=(len(tps) + 1) * (2 * height + 1), capacity=1)
    cost, flow = nx.network_simplex(graph)
    loads = sorted(sum(flow[member]["end"].values()) if member in flow else 0 for member in state.reads)
    return loads, cost - (len(tps) + 1) * sum(load * load for load in loads)


class Figures:
    """What is added up over the rebalances of a group."""

    def __init__(self) -> None:
        self.sums = dict.fromkeys(
            ("moved", "moved_least", "balance", "balance_worst", "spread_worst", "invalid"), 0
        )

    def add(self, state: State, had: Mapping[TP, str], owners: Mapping[TP, str]) -> None:
        """Take in who owns what after a rebalance that found `had`."""
        if set(owners) != set(state.tps) or any(tp[0] not in state.reads[m] for tp, m in owners.items()):
            self.sums["invalid"] += 1
            return
        had = {tp: m for tp, m in had.items() if tp[0] in state.reads.get(m, ())}
        counts = Counter(owners.values())
        loads = sorted(counts[member] for member in state.reads)
        least, fewest = best(state, had)
        balance = sum(load * load for load in loads) - sum(load * load for load in least)
        spread = loads[-1] - loads[0] - (least[-1] - least[0])
        self.sums["moved"] += sum(owners[tp] != member for tp, member in had.items())
        self.sums["moved_least"] += fewest
        self.sums["balance"] += balance
        self.sums["balance_worst"] = max(self.sums["balance_worst"], balance)
        self.sums["spread_worst"] = max(self.sums["spread_worst"], spread)


def replay(snapshots: Snapshots, assignors: Iterable[str]) -> dict[str, dict[str, int]]:
    """The figures of what happened (`actual`) and of each eager assignor, by name."""
    found = states(snapshots)
    pairs = [(a, b) for a, b in pairwise(found) if a != b]
    happened = Figures()
    for before, after in pairs:
        if after.reads:
            happened.add(after, before.owners, after.owners)
    rebalances = sum(bool(after.reads) for _, after in pairs)
    rows = {"actual": {**happened.sums, "to_switch": 0, "rebalances": rebalances}}
    for name in assignors:
        rows[name] = {**_candidate(name, found[0], [b for _, b in pairs]), "rebalances": rebalances}
    return rows


def _candidate(name: str, start: State, later: Iterable[State]) -> dict[str, int]:
    """The history under an assignor: every member has an object of its own, as in Kafka's clients."""
    reference = registry.find(name)
    assert reference is not None
    objects: dict[str, Any] = {}
    owned: dict[str, tuple[tuple[TopicPartition, ...], int]] = {}
    topics: dict[str, None] = {}
    generation = 1
    figures, first = Figures(), Figures()
    for number, state in enumerate((start, *later)):
        for member in [member for member in objects if member not in state.reads]:
            del objects[member], owned[member]
        for member in sorted(state.reads.keys() - objects.keys()):
            objects[member], owned[member] = reference.factory(), ((), -1)
            if number == 0 and (had := sorted(tp for tp, m in start.owners.items() if m == member)):
                owned[member] = tuple(TopicPartition(*tp) for tp in had), 1
                objects[member].on_assignment(owned[member][0], None, GroupMetadata(1, member))
        topics |= dict.fromkeys(sorted(state.sizes.keys() - topics.keys()))
        if not objects:
            continue
        generation += 1
        group = Group(
            tuple(
                Member(m, state.reads[m], *owned[m], user_data=each.subscription_user_data(state.reads[m]))
                for m, each in objects.items()
            ),
            next(iter(objects)),
        )
        cluster = Cluster(tuple(Topic(topic, state.sizes[topic]) for topic in topics))
        answer = next(iter(objects.values())).assign(cluster, group)
        had_by: dict[TP, str] = {tp: m for m, (tps, _) in owned.items() for tp in tps}
        owners: dict[TP, str] = {tp: m for m, tps in answer.items() for tp in tps}
        (figures if number else first).add(state, had_by, owners)
        for member, each in objects.items():
            owned[member] = answer.get(member, ()), generation
            each.on_assignment(owned[member][0], None, GroupMetadata(generation, member))
    return {**figures.sums, "to_switch": first.sums["moved"]}


def checkable(snapshots: Snapshots, size_max: int = 6000) -> bool:
    """Whether the flow by networkx takes no more than seconds for each of the group's rebalances."""
    last = states(snapshots)[-1]
    return len(set(last.reads.values())) == 1 or len(last.reads) * len(last.tps) <= size_max
