"""A cluster's replica placement: what is wrong, the certified best one, and the steps to it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kassay.engines.clusters.given import GivenCluster, texts_or_paths
from kassay.engines.replicas.amounts import amount_of, byte_size
from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange
from kassay.engines.replicas.live import read_live_replicas
from kassay.engines.replicas.planned import ClusterPlan, plan_cluster
from kassay.engines.replicas.proposal import MoveLimit
from kassay.engines.replicas.sources import ClusterSources, take_file
from kassay.engines.replicas.steps import DEFAULT_MOVES, StepBound
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import shown, suggestion
from kassay.report.result import PlottedResult
from kassay.writing.text import counted

if TYPE_CHECKING:
    from kassay.engines.replicas.judge import ClaimStanding
    from kassay.report.plot import Plot


@dataclass(frozen=True, repr=False)
class Placement(PlottedResult):
    """A plan for a cluster, if `is_judged` only the check of today's placement; `files` are those written."""

    plan: ClusterPlan
    throttle: int
    is_judged: bool = False
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def certificate(self) -> dict[str, Any]:
        """What `kassay.check` accepts for the proposed placement."""
        return dict(self.plan.proposal.certificate)

    @property
    def broken(self) -> tuple[ClaimStanding, ...]:
        """The claims that today's placement breaks, each with its evidence."""
        from kassay.engines.replicas.judge import Standing

        standings = (*self.plan.today, *self.plan.health)
        return tuple(each for each in standings if each.standing is Standing.VIOLATED)

    def documents(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """The file name and the document of the certificate, of the plan and of each step, by kind.

        Plan and steps are JSON for `kafka-reassign-partitions.sh`, each with its rollback.
        """
        plan = self.plan
        documents: dict[str, tuple[str, Any]] = {"certificate": ("certificate.json", self.certificate)}
        before = {tp: row for step in reversed(plan.steps) for tp, row in step.before.items()}
        if plan.steps:
            after = {tp: plan.proposal.after[tp] for tp in before}
            documents["plan"] = ("plan.json", plan.document_of(after, before))
            documents["rollback"] = ("rollback.json", plan.document_of(before, after))
        width = len(str(len(plan.steps)))
        for number, step in enumerate(plan.steps, start=1):
            name = f"step-{number:0{width}}"
            there, back = plan.document_of(step.after, step.before), plan.document_of(step.before, step.after)
            documents[f"step {number}"] = (f"{name}.json", there)
            documents[f"rollback {number}"] = (f"{name}-rollback.json", back)
        return documents

    def summary(self) -> str:
        """How many claims are broken today, and what the plan copies."""
        broken = f"{counted(len(self.broken), 'claim')} broken today"
        if self.is_judged:
            return broken
        plan = self.plan
        copies = f"{plan.proposal.copies:,} copies in {counted(len(plan.steps), 'step')}"
        return f"{broken}; {copies}, {plan.proposal.figures['status']}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/place/2`."""
        return self.plan.to_json(self.files)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each broker, before and after; bytes are None if sizes are unknown."""
        return [
            {
                "broker": each.broker.broker_id,
                "rack": each.broker.rack,
                "state": each.state,
                "replicas": each.replicas[0],
                "replicas_after": each.replicas[1],
                "leaders": each.leaders[0],
                "leaders_after": each.leaders[1],
                "bytes": None if each.size is None else each.size[0],
                "bytes_after": None if each.size is None else each.size[1],
            }
            for each in self.plan.loads()
        ]

    def plots(self) -> dict[str, Plot]:
        """The loads of the brokers, before and after: `replicas-a-broker` and so on."""
        from kassay.report.pages.place import charts_of
        from kassay.report.plot import plots_by_title

        return plots_by_title(charts_of(self.plan, judged=self.is_judged))

    def page(self, again: str = "") -> str:
        """The page `place.html`."""
        from kassay.report.pages.place import render

        return render(self.plan, self.files, self.throttle, again, judged=self.is_judged)


def place(
    *inputs: str | Path,
    remove: Iterable[int] = (),
    drain: Iterable[int] = (),
    add: Mapping[int, str | None] | None = None,
    cordon: Iterable[int] = (),
    replication_factor: int | Mapping[str, int] | None = None,
    accept_data_loss: Sequence[str] = (),
    budget: int | str | None = None,
    per_step: int | str | Sequence[int | str] = (),
    throttle: int | str = "50MB",
    judge: bool = False,
    bootstrap: str | None = None,
) -> Placement:
    """Check a cluster's replicas, find the certified best placement, and plan the steps to it.

    `inputs` are outputs of Kafka's tools as files or as texts, or `client.properties` for the brokers at
    `bootstrap`. Brokers are removed, drained, added (a rack or None by id) or cordoned; a replication factor
    is for all topics, or by topic. `budget` limits the moves and `per_step` each step, in copies (20) or
    bytes ("500GiB"). With `judge` only today's placement is checked. Raises `InputError`.

    >>> import kassay
    >>> kassay.place("examples/cluster/replicas.txt", "examples/cluster/brokers.txt", judge=True)
    <Placement: 4 claims broken today>
    """
    by_topic = replication_factor if isinstance(replication_factor, Mapping) else {}
    steps = (per_step,) if isinstance(per_step, int | str) else per_step
    return placed(
        GivenCluster(texts_or_paths(inputs), bootstrap, None, warnings.warn),
        PlacementChange(
            frozenset(remove),
            frozenset(drain),
            tuple(Broker(number, rack) for number, rack in (add or {}).items()),
            frozenset(cordon),
            None if isinstance(replication_factor, Mapping) else replication_factor,
            dict(by_topic),
        ),
        budget=None if budget is None else amount_of(budget),
        steps=[amount_of(step) for step in steps],
        accepted=accept_data_loss,
        throttle=byte_size(throttle),
        judge=judge,
    )


def placed(
    given: GivenCluster,
    change: PlacementChange,
    *,
    budget: tuple[int, bool] | None = None,
    steps: Iterable[tuple[int, bool]] = (),
    accepted: Iterable[str] = (),
    throttle: int,
    judge: bool = False,
) -> Placement:
    """The answer of `place`; amounts are numbers, and whether they are in bytes."""
    sources = _sources(given)
    if not throttle:
        raise InputError("--throttle 0: expected at least a byte a second")
    if judge and not change.is_none:
        raise InputError("--judge: checks today's placement, expected no change of brokers")
    added = frozenset(broker.broker_id for broker in change.added)
    cluster = sources.cluster(added, change.leaving, judged=judge)
    limit = None if budget is None else MoveLimit(*budget)
    bound = _bound(list(steps), cluster)
    plan = plan_cluster(cluster, change, limit, bound, _accepted(accepted, cluster))
    return Placement(plan, throttle, judge)


def _sources(given: GivenCluster) -> ClusterSources:
    """The cluster as the files or its brokers describe it; raises `InputError`."""
    if given.bootstrap is not None:
        given.require_no_outputs("topics and brokers")
        with given.connect() as cluster:
            return read_live_replicas(cluster)
    sources = ClusterSources()
    for path in given.files:
        take_file(sources, path)
    return sources


def _bound(steps: Sequence[tuple[int, bool]], cluster: PlacedCluster) -> StepBound:
    """The smallest limit of copies and of bytes; raises `InputError` for 0, and for bytes without sizes."""
    moves, size = (
        min((number for number, in_bytes in steps if in_bytes is wanted), default=None)
        for wanted in (False, True)
    )
    if 0 in (moves, size):
        raise InputError("--per-step: found 0, expected at least one copy, or a size")
    if size is not None and cluster.sizes is None:
        raise InputError("--per-step: no sizes, expected the output of kafka-log-dirs.sh as well")
    return StepBound(DEFAULT_MOVES if moves is None and size is None else moves, size)


def _accepted(values: Iterable[str], cluster: PlacedCluster) -> frozenset[TopicPartition]:
    """The partitions whose data may be lost; raises `InputError` for an unknown one."""
    known = {str(tp): tp for tp in cluster.rows}
    accepted = set()
    for name in values:
        if name.strip() not in known:
            raise InputError(
                f"--accept-data-loss {shown(name)}: no such partition, expected names such as "
                f"{next(iter(known))}{suggestion(name, known)}"
            )
        accepted.add(known[name.strip()])
    return frozenset(accepted)
