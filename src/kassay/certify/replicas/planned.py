"""The result of `kassay place`: today's placement checked, the best one, the steps, and what limits it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kassay.certify.replicas.cluster import PlacedCluster, PlacementChange, bytes_on, leaders_of, replicas_of
from kassay.certify.replicas.judge import ClaimStanding, Standing, best_loads, judge
from kassay.certify.replicas.proposal import MoveLimit, Proposal, impossible, propose, reasons
from kassay.certify.replicas.steps import (
    DiskLayout,
    Homes,
    ReassignmentStep,
    StepBound,
    evidence_against,
    steps_of,
)
from kassay.model.cluster import Broker
from kassay.properties.placement.balance import BestPlacement
from kassay.properties.registry import Evidence, as_text
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

    @property
    def is_broken(self) -> bool:
        """Whether today's placement breaks a claim."""
        return any(each.standing is Standing.VIOLATED for each in self.today)

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
        cluster = self.proposal.cluster
        return sum(
            row[:1] != cluster.rows[tp][:1] and (cluster.rows[tp][0] in {*row, *cluster.silent})
            for tp, row in self.proposal.after.items()
        )

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
        return layout.homes_after(cluster.rows, self.proposal.after, cluster.sizes or {})

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
                _state(broker, change, proposal.target),
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
                "bytes": None if cluster.sizes is None else bytes_on(cluster, cluster.rows).total(),
                "moving": [str(tp) for tp in sorted(cluster.moving)],
            },
            "warnings": list(cluster.warnings),
            "today": [_standing_json(each) for each in self.today],
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
                    "bytes": step.size,
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
    cluster: PlacedCluster, change: PlacementChange, limit: MoveLimit | None, bound: StepBound
) -> ClusterPlan:
    """The plan for a cluster; raises `InfeasiblePlacementError` with the reason if there is none."""
    why = tuple(impossible(cluster, change))
    if why:
        raise InfeasiblePlacementError("; ".join(why), change.leaving)
    proposal = propose(cluster, change, limit)
    free = proposal if limit is None else _without_limit(cluster, change)
    now = free if change.is_none else _without_limit(cluster, PlacementChange())
    steps = steps_of(proposal, bound)
    against = next(evidence_against(proposal, steps), None)
    if against is not None:
        raise CertificateError(f"a step is no valid one: {_evidence_text(against)}")
    return ClusterPlan(
        proposal,
        judge(cluster.brokers, cluster.rows, _best(now, cluster.brokers)),
        judge(proposal.target.brokers, proposal.after, _best(free, proposal.target.brokers)),
        steps,
        tuple(reasons(proposal)),
    )


def _without_limit(cluster: PlacedCluster, change: PlacementChange) -> Proposal | None:
    try:
        return propose(cluster, change)
    except InfeasiblePlacementError:
        return None


def _best(proposal: Proposal | None, brokers: tuple[Broker, ...]) -> BestPlacement | None:
    return None if proposal is None else best_loads(brokers, proposal.after.values())


def _state(broker: Broker, change: PlacementChange, target: PlacedCluster) -> str:
    """A broker's special state, in a word or two."""
    id_ = broker.broker_id
    states = {
        "removed": id_ in change.removed,
        "drained": id_ in change.drained,
        "added": any(id_ == each.broker_id for each in change.added),
        "cordoned": id_ in target.cordoned,
        "fenced": broker.fenced,
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
            {"subject": each.subject, "facts": {key: as_text(value) for key, value in each.facts.items()}}
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


def _evidence_text(evidence: Evidence) -> str:
    facts = ", ".join(f"{key} {as_text(value)}" for key, value in evidence.facts.items())
    return f"{evidence.subject}: {facts}"
