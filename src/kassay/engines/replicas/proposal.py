"""The certified best placement of a cluster, and the reasons why it is not better.

The certified best placement of a cluster: without a limit, or within a number of copies or bytes.

The reasons are what brokers, racks and limits force, in words that a person can check by counting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kassay.engines.replicas.cluster import (
    PlacedCluster,
    PlacementChange,
    Rows,
    bytes_on,
    listed,
    replicas_of,
)
from kassay.engines.replicas.observers import kept_apart
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.request import Replicas
from kassay.properties.placement.replicas import rack_rule
from kassay.solver.placement.problem import (
    Broker,
    InfeasiblePlacementError,
    PlacedTopic,
    PlacementProblem,
)
from kassay.solver.placement.results import solve_placement, solve_within
from kassay.solver.placement.within import least_busiest
from kassay.solver.results import Solved


class MoveLimit(NamedTuple):
    """Limit on copies: a number of replicas, or of bytes."""

    amount: int
    in_bytes: bool

    def __str__(self) -> str:
        return f"--budget {self.amount}{'B' if self.in_bytes else ''}"


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
        copied = [tp for tp, row in self.after.items() if not set(row) <= set(cluster.rows[tp])]
        if cluster.sizes is None or cluster.unsized(copied):
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
    apart = kept_apart(cluster, target)
    target = replace(target, pinned=target.pinned | apart.keys(), rows=dict(target.rows) | apart)
    problem, order = problem_of(target)
    try:
        solved = _solved(cluster, problem, order, limit)
    except InfeasiblePlacementError:
        if not target.silent & target.ids:
            raise
        problem, order = problem_of(target, spares_silent=False)
        solved = _solved(cluster, problem, order, limit)
    rows: dict[TopicPartition, Replicas] = {tp: target.rows[tp] for tp in target.pinned}
    placed = (row for topic in problem.topics for row in solved.certificate["assignment"][topic.name])
    for tp, row in zip(order, placed, strict=True):
        rows[tp] = tuple(row)
    after = dict(sorted(rows.items()))
    busiest = None
    if cluster.sizes is not None:
        sizes = [cluster.bytes_of(tp) for tp in order]
        before, then = (max(bytes_on(cluster, each).values(), default=0) for each in (cluster.rows, after))
        busiest = BusiestBytes(before, then, least_busiest(problem, sizes))
    return Proposal(cluster, change, target, after, solved.certificate, solved.figures, limit, busiest)


def _solved(
    cluster: PlacedCluster, problem: PlacementProblem, order: list[TopicPartition], limit: MoveLimit | None
) -> Solved:
    """The certified best placement; raises `InfeasiblePlacementError` if there is none."""
    sizes = None if cluster.sizes is None else [cluster.bytes_of(tp) for tp in order]
    if limit is None:
        return solve_placement(problem, sizes=sizes)
    if limit.in_bytes and sizes is None:
        raise InputError(f"{limit}: no sizes; expected a FILE with the output of kafka-log-dirs.sh")
    return solve_within(problem, limit.amount, sizes if limit.in_bytes else None, sizes)


def problem_of(
    target: PlacedCluster, *, spares_silent: bool = True
) -> tuple[PlacementProblem, list[TopicPartition]]:
    """The solver's problem for a cluster, and the partitions in the problem's order.

    If a topic has several replication factors, the problem has one topic per factor, named like
    `orders (RF 2)`, which is not a valid topic name in Kafka. Replicas of pinned partitions stay, as the
    brokers' `base`. Brokers that do not answer lead nothing that another can lead, and take no replica if
    the problem `spares_silent` ones.
    """
    parts: dict[tuple[str, int], list[TopicPartition]] = {}
    factors: dict[str, set[int]] = {}
    for tp in target.rows:
        if tp not in target.pinned:
            factor = target.factor_of(tp)
            factors.setdefault(tp.topic, set()).add(factor)
            parts.setdefault((tp.topic, factor), []).append(tp)
    topics, current, order = [], {}, {}
    for (topic, rf), tps in parts.items():
        name = topic if len(factors[topic]) == 1 else f"{topic} (RF {rf})"
        topics.append(PlacedTopic(name, len(tps), rf))
        current[name] = tuple(target.rows[tp] for tp in tps)
        order[name] = tps
    silent, base = target.silent, replicas_of(target.rows[tp] for tp in target.pinned)
    brokers = tuple(
        Broker(
            each.broker_id,
            each.rack,
            fenced=each.fenced or each.broker_id in silent,
            base=base[each.broker_id],
            cordoned=each.broker_id in (target.cordoned | silent if spares_silent else target.cordoned),
        )
        for each in target.brokers
    )
    if not brokers:
        raise InputError("no broker is left, expected one that holds replicas")
    ordered = tuple(sorted(topics))
    problem = PlacementProblem(brokers, ordered, current, "cluster")
    return problem, [tp for topic in ordered for tp in order[topic.name]]


def impossible(cluster: PlacedCluster, change: PlacementChange) -> Iterator[str]:
    """Why no placement exists: one sentence per replication factor that the brokers cannot hold."""
    target = change.apply(cluster)
    left = len(target.brokers)
    factors: dict[int, set[str]] = {}
    for tp in cluster.rows:
        if tp not in cluster.pinned:
            factors.setdefault(target.factor_of(tp), set()).add(tp.topic)
    for factor, topics in sorted(factors.items()):
        if factor > left:
            names = ", ".join(sorted(topics)[:4]) + (", ..." if len(topics) > 4 else "")
            are = "is" if left == 1 else "are"
            yield (
                f"RF {factor} needs {factor} brokers; {left} {are} left (topics: {names}): "
                "--add-broker N:RACK adds one, --replication-factor N lowers it"
            )


def reasons(proposal: Proposal) -> Iterator[str]:
    """What keeps the proposal from being better: one sentence with numbers per reason."""
    yield from _of_racks(proposal)
    witness = proposal.figures.get("witness")
    if witness:
        yield f"{witness['sentence']} (proven by the certificate)"
    yield from _of_brokers(proposal)
    yield from _of_leaving(proposal)
    yield from _of_goals(proposal)


def _of_racks(proposal: Proposal) -> Iterator[str]:
    """What the rack rule requires of racks with few brokers."""
    target = proposal.target
    if not target.has_racks:
        yield "racks are not known, so no rack rule is kept"
        return
    sizes = Counter(str(broker.rack) for broker in target.brokers)
    factors = Counter(target.factor_of(tp) for tp in target.rows)
    total = sum(factor * count for factor, count in factors.items())
    forced: Counter[str] = Counter()
    for factor, count in sorted(factors.items()):
        rule = rack_rule(target.brokers, factor)
        ideal = -(-factor // len(sizes))
        if rule.most > ideal:
            small = ", ".join(sorted(rack for rack, size in sizes.items() if size < ideal))
            yield (
                f"RF {factor} over {len(sizes)} racks would put at most {ideal} in a rack, but there are too "
                f"few brokers in {small}: another rack holds up to {rule.most}"
            )
        if factor >= len(sizes):
            for rack in sizes:
                forced[rack] += count
    for rack, size in sorted(sizes.items()):
        share = total * size / len(target.brokers)
        if forced[rack] > share + 1:
            each = -(-forced[rack] // size)
            yield (
                f"rack {rack} has {size} of {len(target.brokers)} brokers: {forced[rack]} partitions with a "
                f"replica in each rack put at least {forced[rack]} there, so one of its brokers holds {each} "
                f"or more, where an even share would be {total / len(target.brokers):.1f}"
            )


def _of_brokers(proposal: Proposal) -> Iterator[str]:
    cordoned = proposal.target.cordoned
    if cordoned:
        yield f"{listed(cordoned)} cordoned: no new replica goes there, whatever balance would want"
    fenced = [broker.broker_id for broker in proposal.target.brokers if broker.fenced]
    if fenced:
        yield f"{listed(fenced)} fenced: leads nothing that another replica can lead"


def _of_leaving(proposal: Proposal) -> Iterator[str]:
    leaving = proposal.change.leaving
    if leaving:
        cluster = proposal.cluster
        rows = (row for tp, row in cluster.rows.items() if tp not in cluster.pinned)
        held = sum(len(leaving.intersection(row)) for row in rows)
        yield f"{held} replicas lie on {listed(leaving)} and have to be copied whatever the placement"


def _of_goals(proposal: Proposal) -> Iterator[str]:
    """The proven bounds, in words."""
    goals = {goal["goal"]: goal for goal in proposal.figures["goals"]}
    balance = goals["balance of replicas"]
    low, high = _span(proposal.figures["replicas"])
    counts = f"{low} to {high} replicas a broker" if low < high else f"{low} replicas on every broker"
    if proposal.limit is not None and "budget" in proposal.figures:
        yield (
            f"within {proposal.limit} nothing is more even than {counts}"
            if balance["proven"]
            else f"within {proposal.limit}: sum of squares {balance['value']}, proven to be at least "
            f"{balance['bound']}"
        )
        return
    yield f"no placement is more even than {counts}"
    copies = goals["movement"]["value"]
    if copies:
        yield f"no placement as even is reached with fewer than {copies} copies"
    low, high = _span(proposal.figures["leaders"])
    leaders = f"{low} to {high} leaders a broker" if low < high else f"{low} leaders on every broker"
    yield f"with these replicas no leaders are more even than {leaders}"


def _span(counts: dict[str, int]) -> tuple[int, int]:
    return min(counts.values()), max(counts.values())
