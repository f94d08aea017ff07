"""Negative controls beside the assignors: placers, planners, partitioners and task assignors.

Each is a reference with one thing done wrong, of a kind that happened in clients and tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kassay.assignors.partitioners.explicit import Explicit
from kassay.assignors.partitioners.murmur2 import murmur2
from kassay.assignors.placement.optimal_plan import OptimalPlan
from kassay.assignors.placement.striped import Striped
from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.model.java.int32 import to_positive
from kassay.model.java.randomness import RandomSource
from kassay.model.partitioners.partitioner import PartitionerBase, ProducerRecord, TopicMetadata
from kassay.model.placement.plan import Move, Plan
from kassay.model.placement.planning import PlanRequest
from kassay.model.placement.request import Placement, PlacementRequest, Replicas
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId, TaskRequest


class RepeatsBroker(Striped):
    """The last follower of the last partition is its leader once more."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The spoilt placement."""
        rows = super().place(request, random)
        return (*rows[:-1], (*rows[-1][:-1], rows[-1][0])) if len(rows[-1]) > 1 else rows


class SettlesForLess(Striped):
    """With too few brokers every partition just gets fewer replicas."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """A placement of as many replicas as there are unfenced brokers."""
        most = max(1, min(request.replication_factor, len(request.unfenced)))
        return super().place(replace(request, replication_factor=most), random)


class NumbersBrokers(Striped):
    """Brokers go by number, next to one another, with no shift, whatever their racks (AdminUtils 0.8)."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """Each partition on consecutive brokers."""
        super().place(request, random)
        ids = sorted(request.unfenced)
        numbers = range(request.first_partition, request.first_partition + request.partitions)
        return tuple(self._row(ids, number, request.replication_factor) for number in numbers)

    @staticmethod
    def _row(ids: list[int], number: int, factor: int) -> Replicas:
        return tuple(ids[(number + k) % len(ids)] for k in range(factor))


class LetsFencedLead(Striped):
    """Fenced brokers are taken like any other."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The placement with nobody fenced."""
        open_ = tuple(broker._replace(fenced=False) for broker in request.brokers)
        return super().place(replace(request, brokers=open_), random)


class StartsAtTheFirst(Striped):
    """Every partition is placed like the first one."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The first row, over and over."""
        return super().place(replace(request, partitions=1), random) * request.partitions


class TakesPartialRacks(Striped):
    """Brokers without a rack count as one more rack."""


class CountsCalls(Striped):
    """Leaders turn with every call on the same object."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """Rows turned by the number of calls."""
        self._calls += 1
        rows = super().place(request, random)
        turn = self._calls % len(rows[0])
        return tuple(row[turn:] + row[:turn] for row in rows)


class _Spoilt(PartitionerBase):
    """The reference, but for what a fault does to records with a key."""

    def __init__(self) -> None:
        self._rule = Explicit()

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """Where the reference or the fault sends the record."""
        if record.partition is not None or record.key is None:
            return self._rule.partition(record, topic)
        return self.keyed(record.key, topic.count)

    def keyed(self, key: bytes, count: int) -> int:
        """The partition for a key."""
        return to_positive(murmur2(key)) % count


class KeepsTheSign(_Spoilt):
    """Java's remainder of a negative hash is taken for a partition."""

    def keyed(self, key: bytes, count: int) -> int:
        """A negative number for every other key."""
        hashed = murmur2(key)
        return hashed % count if hashed >= 0 else -(-hashed % count)


class AddsBytes(_Spoilt):
    """A sum of the bytes stands for the hash."""

    def keyed(self, key: bytes, count: int) -> int:
        """By the sum."""
        return sum(key) % count


class RemembersKeys(_Spoilt):
    """Keys go round all partitions, one call after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def keyed(self, key: bytes, count: int) -> int:  # noqa: ARG002  # the fault
        """By the number of calls."""
        self._calls += 1
        return self._calls % count


class SaltsHashes(_Spoilt):
    """Python's own hash of the bytes, another one in each process."""

    def keyed(self, key: bytes, count: int) -> int:
        """By the salted hash."""
        return hash(key) % count


class DropsEmptyKeys(_Spoilt):
    """An empty key makes it fail."""

    def keyed(self, key: bytes, count: int) -> int:
        """By the last byte too."""
        return (to_positive(murmur2(key)) + 0 * key[-1]) % count


class IgnoresLeaders(_Spoilt):
    """A record without a key goes to any partition, with a leader or without."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The first partition for a record without a key."""
        return 0 if record.key is None and record.partition is None else super().partition(record, topic)


class WrapsExplicit(_Spoilt):
    """A partition that is not there is taken modulo the count."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The remainder."""
        asked = record.partition
        return super().partition(record, topic) if asked is None else asked % topic.count


class _SpoiltTasks:
    """High availability, and then something done to the answer."""

    name = "control"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The spoilt answer."""
        good = StreamsHighAvailability().assign(request)
        return TaskAssignment(self.spoil(request, good.processes), good.probing_rebalance)

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """What each process is given, with the fault in it."""
        raise NotImplementedError


class StandsByItself(_SpoiltTasks):
    """Standby copies are kept where the task runs."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Every stateful task twice on its process."""
        stateful = set(request.stateful)
        return {p: ClientTasks(own, tuple(t for t in own if t in stateful)) for p, (own, _) in given.items()}


class TaskRunsTwice(_SpoiltTasks):
    """The last task runs on every process."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """The last task everywhere."""
        last = max(request.tasks)
        return {p: ClientTasks(tuple(sorted({*own, last})), copies) for p, (own, copies) in given.items()}


class ForgetsTask(_SpoiltTasks):
    """The last task runs nowhere."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Without the last task."""
        last = max(request.tasks)
        return {
            p: ClientTasks(tuple(t for t in own if t != last), copies) for p, (own, copies) in given.items()
        }


class LeavesAllToOne(_SpoiltTasks):
    """One process runs everything."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Everything to the first."""
        return {p: ClientTasks(tuple(request.tasks) if p == min(given) else ()) for p in given}


class GoesByListing(_SpoiltTasks):
    """Shares go out in the order in which processes are listed."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Shares in listing order."""
        return dict(zip(request.by_id, (given[p] for p in sorted(given)), strict=True))


class TasksFollowHashes(_SpoiltTasks):
    """Shares go out in the order of a hash set, another one in each process."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Shares in hash order."""
        return dict(zip(sorted(request.by_id, key=hash), (given[p] for p in sorted(given)), strict=True))


class HandsRound(_SpoiltTasks):
    """Each task goes on to the next process at every rebalance."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Every task one process further than before."""
        ids = sorted(given)
        before = request.previous_owners
        runs: dict[str, list[int]] = {p: [] for p in ids}
        tasks = sorted(request.tasks)
        for number, task in enumerate(tasks):
            owner = before.get(task)
            runs[ids[(ids.index(owner) + 1 if owner in ids else number) % len(ids)]].append(number)
        return {p: ClientTasks(tuple(tasks[number] for number in own)) for p, own in runs.items()}


class IgnoresThreads(_SpoiltTasks):
    """Tasks go round by process, however many threads it has."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Every n-th task for each of n processes."""
        ids, tasks = sorted(given), sorted(request.tasks)
        return {p: ClientTasks(tuple(tasks[number :: len(ids)])) for number, p in enumerate(ids)}


class TasksDealtAfresh(_SpoiltTasks):
    """Each task goes where it weighs least, whoever ran it before."""

    def spoil(self, request: TaskRequest, given: Mapping[str, ClientTasks]) -> dict[str, ClientTasks]:
        """Dealt out by weight alone."""
        runs: dict[str, list[TaskId]] = {p: [] for p in sorted(given)}
        for task in sorted(request.tasks):
            lightest = min(runs, key=lambda p: ((len(runs[p]) + 1) / request.by_id[p].capacity, p))
            runs[lightest].append(task)
        return {p: ClientTasks(tuple(own)) for p, own in runs.items()}


class TakesFromAnybody(OptimalPlan):
    """Replicas are taken from a broker that does not have them."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with its exchanges turned round."""
        made = super().plan(request)
        turned = tuple(
            move._replace(source=move.target, target=move.source) if move.source is not None else move
            for move in made.moves
            if move.target is not None
        )
        return replace(made, moves=turned)


class GoesRoundAbout(OptimalPlan):
    """The first partition makes a trip to another broker and back before anything else moves."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with two copies too many where a broker is free."""
        made = super().plan(request)
        partition, row = request.before[0]
        free = [broker.broker_id for broker in request.brokers if broker.broker_id not in row]
        if not free:
            return made
        trip = (Move(partition, row[0], free[0]), Move(partition, free[0], row[0]))
        return replace(made, moves=(*trip, *made.moves))


class DoublesUp(OptimalPlan):
    """A replica goes to a broker that has one already."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with the first replica put beside the last."""
        made = super().plan(request)
        partition, row = made.after[0]
        return replace(made, moves=(*made.moves, Move(partition, row[0], row[-1])))
