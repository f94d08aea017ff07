"""The lanes of a campaign, and how its work is split: batches of every lane, and chunks of similar cost.

Lanes: a target on a profile, with everything that a worker needs to play it. The cost of a history is
unknown until some were played, so the first batch is small and later ones use measured costs. A batch is
recorded before it starts; a resumed campaign plays that same batch. None of this changes a result: a
history's seed depends only on its index.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kassay.engines.processes.host import Limits
from kassay.engines.runs.blocks import Job
from kassay.engines.runs.options import Budget, RunOptions, require_heeded
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.pipeline.campaign.spec import Pace, Spec
from kassay.properties.claims import claim_kind_of, parse_claim, require_claims
from kassay.reading.documents import at


@dataclass(frozen=True)
class Lane:
    """One target on one profile: `histories` of the campaign, numbered from 0."""

    number: int
    profile: str
    histories: int
    job: Job

    @property
    def target(self) -> str:
        """The target's spec."""
        return self.job.target.spec


class Chunk(NamedTuple):
    """Histories `start` to `stop` of a lane: the work of one task."""

    lane: int
    start: int
    stop: int


def lanes_of(spec: Spec) -> tuple[Lane, ...]:
    """The campaign's lanes; every target is loaded once to check that it loads.

    Raises `InputError` for inapplicable claims and for settings without effect on a target, `TargetNotFound`
    and `TargetNotLoadable`.
    """
    require_claims(spec.claims or (), "campaign.claims: ")
    lanes: list[Lane] = []
    for wanted in spec.targets:
        small, large = (Limits(spec.call_timeout_s or s, spec.memory_mib) for s in (2.0, 20.0))
        protocol = RebalanceProtocol(wanted.protocol) if wanted.protocol else None
        targets = {
            limits: resolve(wanted.spec, limits=limits, config=dict(wanted.config), protocol=protocol)
            for limits in dict.fromkeys((small, large))
        }
        # settings of a target affect it alone; histories come in all of the campaign's kinds
        require_heeded(
            [next(iter(targets.values()))], RunOptions(config=dict(wanted.config), protocol=protocol)
        )
        for profile, histories in spec.histories:
            target = targets[small if profile == "small" else large]
            options = RunOptions(
                claims=_claims_for(spec, target),
                assume=frozenset(spec.assume),
                budget=Budget(histories=histories),
                profile=profile,
                seed=spec.seed,
                controls=False,
                shrink=spec.shrink,
            )
            job = Job(target, options)
            job.driver, job.claims  # noqa: B018  # both raise for what cannot be certified
            lanes.append(Lane(len(lanes), profile, histories, job))
    return tuple(lanes)


def _claims_for(spec: Spec, target: Target) -> tuple[str, ...] | None:
    """The spec's claims about the target's kind; None for the target's own claims.

    Raises `InputError` if there are none: nothing would be certified.
    """
    if spec.claims is None:
        return None
    kind = target.kind
    with at("campaign.claims"):
        claims = tuple(
            spelled
            for spelled in spec.claims
            if claim_kind_of(kind, spelled) is not None and parse_claim(spelled, kind)
        )
        if not claims:
            raise InputError(f"none is about {target.spec}, which is of kind {kind}; expected at least one")
    return claims


def digests(lanes: tuple[Lane, ...]) -> Mapping[str, str | None]:
    """The digest of each target's source; None if it has no file."""
    return {lane.target: lane.job.target.digest for lane in lanes}


FIRST_SMALL = 32
FIRST_LARGE = 1
"""Histories of each lane in the first batch, before costs are known."""
TASKS_A_SLOT = 6
"""The least number of tasks per slot, if there is enough work: the last tasks balance the load."""
GROWTH_MAX = 60
"""A batch has at most this many times the histories from which its lane's cost is known."""
TRUST_MAX = 8
"""The same limit for a task: the cost of one cheap history must not put a whole batch into one task."""


def next_batch(
    lanes: Sequence[Lane], done: Mapping[int, int], costs: Mapping[int, float], pace: Pace, slots: int
) -> list[Chunk]:
    """The range of each unfinished lane that the next batch plays; empty when all is done.

    `done`: the end of each lane's planned range; `costs`: the seconds per history, where known.
    """
    left = {lane.number: lane.histories - done.get(lane.number, 0) for lane in lanes}
    left = {number: count for number, count in left.items() if count > 0}
    by_number = {lane.number: lane for lane in lanes}
    known = {number: costs[number] * count for number, count in left.items() if number in costs}
    share = min(1.0, pace.batch_seconds * slots / max(1e-9, sum(known.values())))
    chunks = []
    for number, count in left.items():
        start = done.get(number, 0)
        if pace.batch_histories is not None:
            size = pace.batch_histories
        elif number in costs:
            size = min(math.ceil(share * count), GROWTH_MAX * max(1, start))
        else:
            size = FIRST_SMALL if by_number[number].profile == "small" else FIRST_LARGE
        chunks.append(Chunk(number, start, start + min(count, size)))
    return chunks


def chunks_of(
    batch: Sequence[Chunk], costs: Mapping[int, float], pace: Pace, slots: int
) -> tuple[Chunk, ...]:
    """The batch as tasks, the most expensive first so that none of those runs last."""
    guess = {part.lane: costs.get(part.lane, 0.01) for part in batch}
    total = sum(guess[part.lane] * (part.stop - part.start) for part in batch)
    seconds = min(pace.task_seconds, max(0.05, total / (TASKS_A_SLOT * slots)))
    cut = [
        Chunk(part.lane, start, min(part.stop, start + size))
        for part in batch
        for size in [max(1, min(int(seconds / max(1e-6, guess[part.lane])), TRUST_MAX * max(1, part.start)))]
        for start in range(part.start, part.stop, size)
    ]
    return tuple(sorted(cut, key=lambda c: (-guess[c.lane] * (c.stop - c.start), c)))
