"""Lanes: a target on a profile, with everything that a worker needs to play it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kassay.certify.processes.host import Limits
from kassay.certify.runs.blocks import Job
from kassay.certify.runs.options import Budget, RunOptions, require_heeded
from kassay.certify.targets.resolve import Target, resolve
from kassay.model.errors import InputError
from kassay.model.kinds import RebalanceProtocol
from kassay.pipeline.campaign.plan.spec import Spec
from kassay.properties.promises import claim_of, promise, require_claims
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
            job.driver, job.promises  # noqa: B018  # both raise for what cannot be certified
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
            if claim_of(kind, spelled) is not None and promise(spelled, kind)
        )
        if not claims:
            raise InputError(f"none is about {target.spec}, which is of kind {kind}; expected at least one")
    return claims


def digests(lanes: tuple[Lane, ...]) -> Mapping[str, str | None]:
    """The digest of each target's source; None if it has no file."""
    return {lane.target: lane.job.target.digest for lane in lanes}
