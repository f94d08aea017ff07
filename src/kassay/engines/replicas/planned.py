"""The result of `kassay place`: today's placement checked, the best one, the steps, and what limits it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from kassay.engines.replicas.cluster import (
    PlacedCluster,
    PlacementChange,
    Rows,
    bytes_on,
    leaders_of,
    replicas_of,
)
from kassay.engines.replicas.health import health
from kassay.engines.replicas.judge import ClaimStanding, Standing, best_loads, judge
from kassay.engines.replicas.observers import numbers_of_observers
from kassay.engines.replicas.proposal import MoveLimit, Proposal, impossible, propose, reasons
from kassay.engines.replicas.steps import (
    DiskLayout,
    Homes,
    ReassignmentStep,
    StepBound,
    evidence_against,
    reassignment_json,
    steps_of,
)
from kassay.engines.replicas.unfinished import Unfinished, unfinished
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.placement.request import Replicas
from kassay.properties.placement.balance import BestPlacement
from kassay.properties.registry import as_text
from kassay.solver.check.check import CertificateError
from kassay.solver.placement.problem import InfeasiblePlacementError

SCHEMA: Final = "kassay/place/2"


@dataclass(frozen=True)
class BrokerLoad:
    """The load of a broker before and after: replicas, preferred leaders, bytes (None if unknown)."""

    broker: Broker
    state: str
    replicas: tuple[int, int]
    leaders: tuple[int, int]
    size: tuple[int, int] | None


@dataclass(frozen=True)
class ClusterPlan:
    """The complete result for a cluster."""

    proposal: Proposal
    today: tuple[ClaimStanding, ...]
    planned: tuple[ClaimStanding, ...]
    steps: tuple[ReassignmentStep, ...]
    reasons: tuple[str, ...]
    health: tuple[ClaimStanding, ...] = ()
    unfinished: tuple[Unfinished, ...] = ()

    @property
    def is_broken(self) -> bool:
        """Whether today's placement breaks a claim, or the state of the cluster a condition."""
        return any(each.standing is Standing.VIOLATED for each in (*self.today, *self.health))

    @property
    def blocked(self) -> tuple[Unfinished, ...]:
        """The partitions that no step changes, since the change could not finish or would lose data."""
        return tuple(each for each in self.unfinished if not each.accepted)

    def document_of(self, rows: Rows, from_rows: Rows) -> dict[str, Any]:
        """The rows as a file for `kafka-reassign-partitions.sh`."""
        accepted = [each.partition for each in self.unfinished if each.accepted]
        observers = numbers_of_observers(self.proposal.cluster)
        return reassignment_json(rows, from_rows, self.homes(), observers, accepted)

    @property
    def leader_changes(self) -> int:
        """The partitions that get another preferred leader, those of brokers that leave included."""
        before = self.proposal.cluster.rows
        return sum(before[tp][:1] != row[:1] for tp, row in self.proposal.after.items())

    @property
    def elections(self) -> int:
        """The partitions whose leader stays among the replicas and is no longer the preferred one.

        Kafka changes the leader by itself only where its broker no longer holds a replica. In place of a
        preferred leader that does not answer another replica leads today, and goes on.
        """
        cluster, after = self.proposal.cluster, self.proposal.after
        return sum(_leads_on(cluster, tp, row) for tp, row in after.items() if row)

    def unthrottled(self, steps: Iterable[ReassignmentStep]) -> frozenset[int]:
        """The brokers because of which a throttle would keep these steps from starting.

        `--execute --throttle` changes the configuration of every broker that holds a replica of the
        partitions, and waits a minute for one that does not answer; then nothing has moved (Kafka
        `ReassignPartitionsCommand.modifyReassignmentThrottle`).
        """
        touched = frozenset[int]().union(*(step.brokers for step in steps))
        return self.proposal.cluster.silent & touched

    def homes(self) -> Homes:
        """The log directories of replicas, now and after the change; empty if unknown."""
        cluster = self.proposal.cluster
        layout = DiskLayout.of(cluster.outputs)
        homes = layout.homes_after(cluster.rows, self.proposal.after, cluster.sizes or {})
        return {**cluster.directories, **homes}

    def loads(self) -> tuple[BrokerLoad, ...]:
        """Every present or future broker, by rack and id."""
        proposal = self.proposal
        cluster, change, after = proposal.cluster, proposal.change, proposal.after
        before = cluster.rows
        held = replicas_of(before.values()), replicas_of(after.values())
        led = leaders_of(before.values()), leaders_of(after.values())
        sizes = bytes_on(cluster, before), bytes_on(cluster, after)
        gone = [Broker(id_) for id_ in cluster.gone]
        brokers = {each.broker_id: each for each in (*gone, *cluster.brokers, *proposal.target.brokers)}
        return tuple(
            BrokerLoad(
                broker,
                _state(broker, change, proposal.target, cluster.silent),
                (held[0][id_], held[1][id_]),
                (led[0][id_], led[1][id_]),
                None if cluster.sizes is None else (sizes[0][id_], sizes[1][id_]),
            )
            for id_, broker in sorted(brokers.items(), key=lambda each: (each[1].rack or "", each[0]))
        )

    def to_json(self, files: Mapping[str, str]) -> dict[str, Any]:
        """The document of `kassay place --json`; `files` maps each kind of file to the path written."""
        proposal = self.proposal
        cluster = proposal.cluster
        return {
            "schema": SCHEMA,
            "cluster": {
                "brokers": len(cluster.brokers),
                "racks": len({b.rack for b in cluster.brokers if b.rack is not None}),
                "topics": len({tp.topic for tp in cluster.rows}),
                "partitions": len(cluster.rows),
                "replicas": sum(map(len, cluster.rows.values())),
                "bytes": None
                if cluster.sizes is None or cluster.unsized(cluster.rows)
                else bytes_on(cluster, cluster.rows).total(),
                "moving": [str(tp) for tp in sorted(cluster.moving)],
            },
            "warnings": list(cluster.warnings),
            "not_used": list(cluster.unused),
            "cleaned": list(cluster.cleaned),
            "today": [_standing_json(each) for each in self.today],
            "state": [_standing_json(each) for each in self.health],
            "silent": sorted(cluster.silent),
            "unfinished": [
                {
                    "partition": str(each.partition),
                    "replicas": list(each.before),
                    "wanted": list(each.after),
                    "reasons": list(each.reasons),
                    "accepted": each.accepted,
                }
                for each in self.unfinished
            ],
            "proposal": {
                "status": proposal.figures["status"],
                "limit": None if proposal.limit is None else str(proposal.limit),
                "copies": proposal.copies,
                "bytes_copied": proposal.bytes_copied,
                "busiest_bytes": None if proposal.busiest is None else proposal.busiest._asdict(),
                "leader_changes": self.leader_changes,
                "goals": [dict(goal) for goal in proposal.figures["goals"]],
                "claims": [_standing_json(each) for each in self.planned],
                "certificate": files.get("certificate"),
            },
            "brokers": [_load_json(each) for each in self.loads()],
            "steps": [
                {
                    "number": number,
                    "for": step.purpose,
                    "partitions": len(step.after),
                    "copies": step.copies,
                    "bytes": None if cluster.unsized(step.after) else step.size,
                    "busiest": step.busiest,
                    "unthrottled_for": sorted(self.unthrottled([step])),
                    "file": files.get(f"step {number}"),
                    "rollback": files.get(f"rollback {number}"),
                }
                for number, step in enumerate(self.steps, start=1)
            ],
            "files": dict(files),
            "why": list(self.reasons),
        }


def plan_cluster(
    cluster: PlacedCluster,
    change: PlacementChange,
    limit: MoveLimit | None,
    bound: StepBound,
    accepted: Collection[TopicPartition] = (),
) -> ClusterPlan:
    """The plan for a cluster; raises `InfeasiblePlacementError` with the reason if there is none.

    Partitions whose change could not finish, or would lose data, keep their replicas, unless they are among
    the `accepted` ones.
    """
    why = tuple(impossible(cluster, change))
    if why:
        raise InfeasiblePlacementError("; ".join(why), change.leaving)
    unfinished_ones, proposal = _without_unfinished(cluster, change, limit, bound, accepted)
    cluster = proposal.cluster
    free = proposal if limit is None else _without_limit(cluster, change)
    now = free if change.is_none else _without_limit(cluster, PlacementChange())
    steps = steps_of(proposal, bound, [each.partition for each in unfinished_ones if each.accepted])
    against = next(evidence_against(proposal, steps), None)
    if against is not None:
        raise CertificateError(f"a step is no valid one: {against.words}")
    return ClusterPlan(
        proposal,
        judge(
            cluster.brokers, cluster.rows, _best(now, cluster.brokers), cluster.undescribed, cluster.silent
        ),
        judge(
            proposal.target.brokers,
            proposal.after,
            _best(free, proposal.target.brokers),
            {broker for row in proposal.after.values() for broker in row} - proposal.target.ids,
            cluster.silent,
        ),
        steps,
        tuple(reasons(proposal)),
        health(cluster, _best(now, cluster.brokers)),
        unfinished_ones,
    )


def _without_unfinished(
    cluster: PlacedCluster,
    change: PlacementChange,
    limit: MoveLimit | None,
    bound: StepBound,
    accepted: Collection[TopicPartition],
) -> tuple[tuple[Unfinished, ...], Proposal]:
    """The partitions whose change cannot finish, and the proposal in which these keep their replicas.

    A partition that stays may send others elsewhere: this is repeated until no other cannot finish.
    """
    hindered: dict[TopicPartition, Unfinished] = {}
    while True:
        proposal = propose(cluster, change, limit)
        steps = [(step.before, step.after) for step in steps_of(proposal, bound)]
        new = {tp: why for tp, why in unfinished(cluster, steps).items() if tp not in hindered}
        for tp, why in new.items():
            hindered[tp] = Unfinished(tp, cluster.rows[tp], proposal.after[tp], why, tp in accepted)
        blocked = {tp for tp in new if tp not in accepted}
        if not blocked:
            return tuple(hindered[tp] for tp in sorted(hindered)), proposal
        cluster = replace(cluster, pinned=cluster.pinned | blocked)


def _leads_on(cluster: PlacedCluster, tp: TopicPartition, row: Replicas) -> bool:
    """Whether another replica than the preferred leader of `row` leads once `row` is reached."""
    before, state = cluster.rows[tp], cluster.states.get(tp)
    if state is not None and state.leader is not None and state.leader not in cluster.silent:
        return state.leader in row and state.leader != row[0]
    if state is not None and state.leader is None:
        return False
    return row[0] != before[0] and before[0] in {*row, *cluster.silent}


def _without_limit(cluster: PlacedCluster, change: PlacementChange) -> Proposal | None:
    try:
        return propose(cluster, change)
    except InfeasiblePlacementError:
        return None


def _best(proposal: Proposal | None, brokers: tuple[Broker, ...]) -> BestPlacement | None:
    return None if proposal is None else best_loads(brokers, proposal.after.values())


def _state(broker: Broker, change: PlacementChange, target: PlacedCluster, silent: Set[int]) -> str:
    """A broker's special state, in a word or two."""
    id_ = broker.broker_id
    states = {
        "removed": id_ in change.removed,
        "drained": id_ in change.drained,
        "added": any(id_ == each.broker_id for each in change.added),
        "cordoned": id_ in target.cordoned,
        "fenced": broker.fenced,
        "silent": id_ in silent and not broker.fenced,
    }
    return " ".join(word for word, is_so in states.items() if is_so)


def _standing_json(standing: ClaimStanding) -> dict[str, Any]:
    return {
        "claim": standing.claim,
        "sentence": standing.sentence,
        "standing": str(standing.standing),
        "broken": len(standing.evidence),
        "why": standing.why,
        "evidence": [
            {
                "subject": each.subject,
                "facts": {key: as_text(value) for key, value in each.facts.items()},
                "words": each.words,
            }
            for each in standing.evidence
        ],
    }


def _load_json(load: BrokerLoad) -> dict[str, Any]:
    pairs = {"replicas": load.replicas, "leaders": load.leaders, "bytes": load.size}
    return {
        "id": load.broker.broker_id,
        "rack": load.broker.rack,
        "state": load.state,
        **{
            name: None if pair is None else {"before": pair[0], "after": pair[1]}
            for name, pair in pairs.items()
        },
    }
