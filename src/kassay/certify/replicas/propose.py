"""The certified best placement of a cluster: without a limit, or within a number of copies or bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kassay.certify.replicas.placed import PlacedCluster, PlacementChange, Rows, bytes_on
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.request import Replicas
from kassay.solver.placement.documents import solve_placement, solve_within
from kassay.solver.placement.problem import Broker, PlacedTopic, PlacementProblem
from kassay.solver.placement.sizes import least_busiest


class MoveLimit(NamedTuple):
    """Limit on copies: a number of replicas, or of bytes."""

    amount: int
    in_bytes: bool

    def __str__(self) -> str:
        return f"--max-{'bytes' if self.in_bytes else 'moves'} {self.amount}"


class BusiestBytes(NamedTuple):
    """Bytes on the busiest broker: today, after the change, and the least possible under the rack rule."""

    before: int
    after: int
    bound: int


@dataclass(frozen=True)
class Proposal:
    """The proposed placement with its proof; `target` has the brokers that then hold replicas.

    `figures`: what the checker of the certificate derives: status, goals with their bounds, copies.
    """

    cluster: PlacedCluster
    change: PlacementChange
    target: PlacedCluster
    after: Rows
    certificate: Mapping[str, Any]
    figures: Mapping[str, Any]
    limit: MoveLimit | None = None
    busiest: BusiestBytes | None = None

    @property
    def copies(self) -> int:
        """The number of replicas copied to another broker."""
        return sum(len(set(row).difference(self.cluster.rows[tp])) for tp, row in self.after.items())

    @property
    def bytes_copied(self) -> int | None:
        """Their bytes, None if sizes are unknown."""
        cluster = self.cluster
        if cluster.sizes is None:
            return None
        return sum(
            cluster.bytes_of(tp) * len(set(row).difference(cluster.rows[tp]))
            for tp, row in self.after.items()
        )

    @property
    def is_proven(self) -> bool:
        """Whether the placement is proven optimal, within the limit if there is one."""
        return bool(self.figures["status"] == "optimal")


def propose(cluster: PlacedCluster, change: PlacementChange, limit: MoveLimit | None = None) -> Proposal:
    """The best placement after the change; raises `InfeasiblePlacementError` if there is none.

    Goals in order: the rack rule (mandatory); replicas per broker as even as possible; the fewest copies;
    preferred leaders as even as possible with these replicas; the fewest leader changes. If sizes are known,
    exchanges that need no additional copy then even out bytes.
    """
    target = change.apply(cluster)
    problem, order = problem_of(target)
    sizes = None if cluster.sizes is None else [cluster.bytes_of(tp) for tp in order]
    if limit is None:
        solved = solve_placement(problem, sizes=sizes)
    else:
        if limit.in_bytes and cluster.sizes is None:
            raise InputError(f"{limit}: no sizes, expected --sizes with the output of kafka-log-dirs.sh")
        costs = [cluster.bytes_of(tp) for tp in order] if limit.in_bytes else None
        solved = solve_within(problem, limit.amount, costs, sizes)
    rows: dict[TopicPartition, Replicas] = {}
    placed = (row for topic in problem.topics for row in solved.certificate["assignment"][topic.name])
    for tp, row in zip(order, placed, strict=True):
        rows[tp] = tuple(row)
    after = dict(sorted(rows.items()))
    busiest = None
    if sizes is not None:
        before, then = (max(bytes_on(cluster, each).values(), default=0) for each in (cluster.rows, after))
        busiest = BusiestBytes(before, then, least_busiest(problem, sizes))
    return Proposal(cluster, change, target, after, solved.certificate, solved.figures, limit, busiest)


def problem_of(target: PlacedCluster) -> tuple[PlacementProblem, list[TopicPartition]]:
    """The solver's problem for a cluster, and the partitions in the problem's order.

    Every partition keeps its replication factor. If a topic has several, the problem has one topic per
    factor, named like `orders (RF 2)`, which is not a valid topic name in Kafka.
    """
    parts: dict[tuple[str, int], list[TopicPartition]] = {}
    factors: dict[str, set[int]] = {}
    for tp, row in target.rows.items():
        factors.setdefault(tp.topic, set()).add(len(row))
        parts.setdefault((tp.topic, len(row)), []).append(tp)
    topics, current, order = [], {}, {}
    for (topic, rf), tps in parts.items():
        name = topic if len(factors[topic]) == 1 else f"{topic} (RF {rf})"
        topics.append(PlacedTopic(name, len(tps), rf))
        current[name] = tuple(target.rows[tp] for tp in tps)
        order[name] = tps
    brokers = tuple(
        Broker(each.broker_id, each.rack, fenced=each.fenced, cordoned=each.broker_id in target.cordoned)
        for each in target.brokers
    )
    if not brokers:
        raise InputError("no broker is left, expected one that holds replicas")
    ordered = tuple(sorted(topics))
    problem = PlacementProblem(brokers, ordered, current, "cluster")
    return problem, [tp for topic in ordered for tp in order[topic.name]]
