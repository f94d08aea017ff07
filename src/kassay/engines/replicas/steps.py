"""The path from one placement to another, in bounded steps that run in sequence.

A step is one run of `kafka-reassign-partitions.sh --execute` and takes partitions from the rows before
it to those after it. After each step every partition has as many replicas as before, or a number between
the old and the new replication factor, and no partition has lost the rack rule. Brokers that leave are
emptied first, then racks are fixed, then loads are balanced, heaviest brokers first; changes of leader
alone, which copy nothing, come last.

Log directories for copied replicas: on a broker with several, the emptiest one that accepts replicas.
Directories are filled in the order of sizes, the largest replica first, and what leaves a broker makes
room. The source directory of each replica is recorded, so that a rollback returns it there.

Source: Kafka `ReassignPartitionsCommand`, KIP-455.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kassay.engines.replicas.cluster import PlacedCluster, Rows, replicas_of
from kassay.engines.replicas.judge import rack_breaks
from kassay.engines.replicas.proposal import Proposal
from kassay.engines.replicas.resized import resizing_moves
from kassay.model.cluster import TopicPartition
from kassay.model.placement.plan import Move, Plan
from kassay.model.placement.request import Replicas
from kassay.properties.placement.plans import plan_valid
from kassay.properties.placement.replicas import brokers as broker_words
from kassay.properties.registry import Evidence
from kassay.reading.kafka.brokers import LogDirs
from kassay.solver.placement.problem import plan
from kassay.writing.text import series

ANY: Final = "any"
"""Kafka's value for "any directory that the broker chooses"."""
Homes = Mapping[tuple[TopicPartition, int], str]
"""The directory of each replica, by partition and broker."""


@dataclass(frozen=True)
class DiskLayout:
    """The directory of each replica, and the bytes in each directory that accepts new ones."""

    homes: Homes
    filled: Mapping[int, Mapping[str, int]]

    @classmethod
    def of(cls, outputs: Iterable[LogDirs]) -> DiskLayout:
        """The layout that kafka-log-dirs prints: offline and cordoned directories accept nothing."""
        homes: dict[tuple[TopicPartition, int], str] = {}
        filled: dict[int, dict[str, int]] = {}
        for broker in (each for output in outputs for each in output.brokers):
            for directory in broker.logDirs:
                held = [replica for replica in directory.partitions if not replica.isFuture]
                homes |= {(replica.named, broker.broker): directory.logDir for replica in held}
                if directory.error is None and not directory.isCordoned:
                    sizes = sum(replica.size for replica in held)
                    filled.setdefault(broker.broker, {})[directory.logDir] = sizes
        return cls(homes, filled)

    def homes_after(self, before: Rows, after: Rows, sizes: Mapping[TopicPartition, int]) -> Homes:
        """The directories of all present replicas, and of added ones on brokers with several directories."""
        filled = {broker: dict(directories) for broker, directories in self.filled.items()}
        coming: dict[int, list[TopicPartition]] = defaultdict(list)
        for tp, row in after.items():
            for broker in set(before[tp]).difference(row):
                home = self.homes.get((tp, broker), ANY)
                if home in filled.get(broker, ()):
                    filled[broker][home] -= sizes.get(tp, 0)
            for broker in set(row).difference(before[tp]):
                coming[broker].append(tp)
        homes = dict(self.homes)
        for broker, tps in coming.items():
            directories = filled.get(broker, {})
            if len(directories) < 2:
                continue
            for tp in sorted(tps, key=lambda tp: (-sizes.get(tp, 0), tp)):
                emptiest = min(directories, key=lambda name: (directories[name], name))
                directories[emptiest] += sizes.get(tp, 0)
                homes[tp, broker] = emptiest
        return homes


DEFAULT_MOVES: Final = 50
"""Default number of copies per step."""


class StepBound(NamedTuple):
    """Limit of a step: replicas, and bytes if sizes are known; None for no limit."""

    moves: int | None = DEFAULT_MOVES
    size: int | None = None


@dataclass(frozen=True)
class ReassignmentStep:
    """One step: its partitions before and after, and its copies.

    `moves`: its exchanges of one replica each. `incoming` and `outgoing`: bytes per broker, or replicas if
    sizes are unknown; the leader is the source of a copy.
    """

    before: Mapping[TopicPartition, Replicas]
    after: Mapping[TopicPartition, Replicas]
    moves: tuple[Move, ...]
    purpose: str
    copies: int
    size: int | None
    incoming: Mapping[int, int] = field(default_factory=dict)
    outgoing: Mapping[int, int] = field(default_factory=dict)

    @property
    def brokers(self) -> frozenset[int]:
        """The brokers that hold a replica of its partitions before or after it."""
        rows = (*self.before.values(), *self.after.values())
        return frozenset(broker for row in rows for broker in row)

    @property
    def busiest(self) -> int:
        """The most that one broker receives or sends: bytes, or replicas if sizes are unknown."""
        return max((*self.incoming.values(), *self.outgoing.values()), default=0)


_PURPOSES: Final = ("drain", "racks", "replication factor", "balance", "leaders")
DATA_LOSS: Final = "data loss"
"""The purpose of a step whose partitions lose data, or wait for an unclean election."""


def steps_of(
    proposal: Proposal, bound: StepBound, losing: Collection[TopicPartition] = ()
) -> tuple[ReassignmentStep, ...]:
    """The steps of a proposal; none if the placement is already the proposed one.

    The `losing` partitions have the last steps to themselves, so that no other waits for them.
    """
    packer = _Packer(proposal.cluster, bound)
    errands = list(_ordered(proposal))
    for is_last in (False, True):
        for errand in errands:
            if (errand.partition in losing) is is_last:
                purpose = DATA_LOSS if is_last else _PURPOSES[errand.turn]
                for move in errand.moves:
                    packer.add(purpose, errand.partition, move)
    return packer.finished()


def evidence_against(proposal: Proposal, steps: Iterable[ReassignmentStep]) -> Iterator[Evidence]:
    """Violations of the plan claims and of the rules between steps; any means that the steps are wrong.

    The moves of all steps in order form one plan, and each of its states is checked. After each step every
    partition has its number of replicas (from the smaller to the larger of the old and the new one), and none
    newly violates the rack rule. Partitions with observers have rules for racks of their own.
    """
    observed = proposal.cluster.observed
    moves: list[Move] = []
    rows = dict(proposal.cluster.rows)
    broken = rack_breaks(proposal.target, rows) - observed
    for number, step in enumerate(steps, start=1):
        moves += step.moves
        for tp, row in step.after.items():
            if rows[tp] != step.before[tp]:
                expected, actual = broker_words(step.before[tp]), broker_words(rows[tp])
                words = f"Step {number} expects {tp} on {expected}, but it is on {actual}."
                facts = {"starts from": step.before[tp], "but there is": rows[tp]}
                yield Evidence(f"step {number}", facts, words)
            ends = len(proposal.cluster.rows[tp]), len(proposal.after[tp])
            if not min(ends) <= len(set(row)) == len(row) <= max(ends):
                words = f"Step {number} moves {tp} from {broker_words(rows[tp])} to {broker_words(row)}."
                yield Evidence(f"step {number}", {"leads to": row, "from": rows[tp]}, words)
        rows |= step.after
        now = rack_breaks(proposal.target, rows) - observed
        if now - broken:
            crowded = sorted(now - broken)
            words = f"Step {number} breaks the rack rule of {series(crowded)}."
            yield Evidence(f"step {number}", {"breaks the rack rule of": crowded}, words)
        broken = now
    if rows != dict(proposal.after):
        words = "The last step does not end at the proposed placement."
        yield Evidence("the last step", {"ends elsewhere": len(rows)}, words)
    brokers = proposal.target.brokers
    unracked = tuple(broker._replace(rack=None) for broker in brokers)
    for own, apart in ((brokers, False), (unracked, True)):
        before = tuple((tp, row) for tp, row in proposal.cluster.rows.items() if (tp in observed) is apart)
        its_moves = tuple(move for move in moves if (move.partition in observed) is apart)
        yield from plan_valid(Plan(own, before, its_moves))


def reassignment_json(
    rows: Rows,
    from_rows: Rows,
    homes: Homes,
    observers: Mapping[TopicPartition, int] | None = None,
    accepted: Collection[TopicPartition] = (),
) -> dict[str, Any]:
    """The rows in the format of `kafka-reassign-partitions.sh`, to be reached from `from_rows`.

    An added replica goes to its home directory if it has one, else to any log directory. `observers`: how
    many of a partition's last replicas are observers (a field of Confluent Server's format). The partitions
    of `accepted` stand in a field of kassay's that Kafka passes over.
    """
    observers = observers or {}
    document: dict[str, Any] = {"version": 1}
    losing = sorted(str(tp) for tp in accepted if tp in rows)
    if losing:
        document["accepted_data_loss"] = losing
    document["partitions"] = [
        {
            "topic": tp.topic,
            "partition": tp.partition,
            "replicas": list(row),
            **({"observers": list(row[-observers[tp] :])} if observers.get(tp) else {}),
            "log_dirs": [ANY if broker in from_rows[tp] else homes.get((tp, broker), ANY) for broker in row],
        }
        for tp, row in sorted(rows.items())
    ]
    return document


class _Errand(NamedTuple):
    """Moves of one partition that are made together, with their order and their purpose."""

    turn: int
    relief: int
    partition: TopicPartition
    moves: tuple[Move, ...]


def _ordered(proposal: Proposal) -> Iterator[_Errand]:
    """All moves, in execution order.

    Moves off a broker to decommission precede the partition's other moves: such a broker counts for no rack,
    and the moves that precede it in the partition's plan stay inside their racks.
    """
    before, leaving = proposal.cluster.rows, proposal.change.leaving
    changed = {tp: row for tp, row in proposal.after.items() if row != before[tp]}
    broken = rack_breaks(proposal.target, {tp: before[tp] for tp in changed})
    loads = replicas_of(before.values())
    moves: dict[TopicPartition, list[Move]] = {tp: [] for tp in changed}
    resized = {tp: row for tp, row in changed.items() if len(row) != len(before[tp])}
    for tp, row in resized.items():
        moves[tp] += resizing_moves(proposal.target, tp, before[tp], row) or ()
    others_changed = {tp: row for tp, row in changed.items() if not moves[tp]}
    for move in plan(before, others_changed, proposal.target.racks):
        moves[move.partition].append(move)

    def errand(tp: TopicPartition, turn: int, own: list[Move]) -> _Errand:
        copies = [move for move in own if move.target is not None]
        relief = sum(loads[move.source or 0] - loads[move.target or 0] for move in copies)
        if turn and any(move.added for move in own):
            turn = _PURPOSES.index("replication factor")
        elif not copies:
            turn = _PURPOSES.index("leaders")
        return _Errand(turn, -relief, tp, tuple(own))

    errands = []
    for tp, own in moves.items():
        draining = [move for move in own if move.source in leaving]
        others = [move for move in own if move.source not in leaving]
        if tp in resized and draining:
            draining, others = own, []
        if draining and not any(move.target is not None for move in others):
            draining, others = [*draining, *others], []
        if draining:
            errands.append(errand(tp, 0, draining))
        if others:
            errands.append(errand(tp, 1 if tp in broken and not draining else 3, others))
    yield from sorted(errands)


class _Packer:
    """Packs moves into steps, in order."""

    def __init__(self, cluster: PlacedCluster, bound: StepBound) -> None:
        self._cluster, self._bound = cluster, bound
        self._rows = dict(cluster.rows)
        self._steps: list[ReassignmentStep] = []
        self._open(())

    def _open(self, purposes: Iterable[str]) -> None:
        self._before: dict[TopicPartition, Replicas] = {}
        self._moves: list[Move] = []
        self._copies = self._size = 0
        self._incoming: dict[int, int] = {}
        self._outgoing: dict[int, int] = {}
        self._purposes = dict.fromkeys(purposes)

    def add(self, purpose: str, tp: TopicPartition, move: Move) -> None:
        """Add the move to the open step, or to a new one if that is full."""
        known = self._cluster.sizes is not None
        size = self._cluster.bytes_of(tp)
        copied = move.target is not None
        bound = self._bound
        full = copied and (
            (bound.moves is not None and self._copies + 1 > bound.moves)
            or (bound.size is not None and known and self._size + size > bound.size)
        )
        alone = any((own in self._purposes) != (purpose == own) for own in ("leaders", DATA_LOSS))
        if self._moves and (full or alone):
            self._close()
        self._purposes[purpose] = None
        row = self._rows[tp]
        self._before.setdefault(tp, row)
        self._rows[tp] = move.exchanged(row) if move.order is None else move.order
        self._moves.append(move)
        if copied:
            self._copies += 1
            self._size += size
            amount = size if known else 1
            for broker, sums in ((move.target, self._incoming), (self._before[tp][0], self._outgoing)):
                if broker is not None:
                    sums[broker] = sums.get(broker, 0) + amount

    def _close(self) -> None:
        if self._moves:
            after = {tp: self._rows[tp] for tp in self._before}
            self._steps.append(
                ReassignmentStep(
                    self._before,
                    after,
                    tuple(self._moves),
                    ", ".join(self._purposes),
                    self._copies,
                    None if self._cluster.sizes is None else self._size,
                    self._incoming,
                    self._outgoing,
                )
            )
        self._open(())

    def finished(self) -> tuple[ReassignmentStep, ...]:
        """All steps."""
        self._close()
        return tuple(self._steps)
