"""A leaderboard: the same claims, histories and instances for every target.

Every target is checked on the same claims, declared or not, so that the counts compare, and measured on the
same instances. The order: the fewest instances failed, then the total balance gap, moves, rack mismatches,
and rounds. Claims and time are shown but do not affect the order: one rare input can cost a claim, and time
differs between machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from kassay.assignors.registry import load_all
from kassay.engines.optimum.gaps import GapReport, TargetGaps, kinds_of, measure
from kassay.engines.runs.certificate import Certificate
from kassay.engines.runs.counterexamples import versions_of
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import Target, ways
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import Kind, Verdict, every_kind
from kassay.properties.claims import parse_claim
from kassay.properties.registry import validity_claims
from kassay.reading.documents import Located

SCHEMA: Final = "kassay/rank/2"
HISTORIES: Final = 300
_DEFAULT_FAMILY: Final = "consumers"
"""The family of instances by which targets are ranked if none is named."""


@dataclass(frozen=True)
class Ranked:
    """One target's line."""

    gaps: TargetGaps
    certificate: Certificate

    @property
    def spec(self) -> str:
        """The target."""
        return self.gaps.target.spec

    @property
    def versions(self) -> dict[str, str]:
        """The versions of kassay and of the target's parts, by name."""
        return versions_of(self.gaps.target)

    def claims(self, verdict: Verdict) -> list[str]:
        """The claims with that verdict, in the order of the certificate."""
        return [claim.id for claim in self.certificate.claims if claim.verdict is verdict]

    @property
    def invalid(self) -> list[str]:
        """The validity claims violated on ordinary input."""
        validity = {statement.kind.id for statement in validity_claims(self.certificate.kind)}
        return [
            claim.id
            for claim in self.certificate.claims
            if claim.id in validity and claim.counterexample and not claim.counterexample.trace.contradictory
        ]

    @property
    def balance(self) -> int:
        """The sum of all balance gaps."""
        return sum(each.balance or 0 for each in self.gaps.gaps)

    @property
    def moves(self) -> int:
        """The moves above those of the optimum on all instances, whatever the balance."""
        return self.gaps.totals["moved"] - self.gaps.totals["optimal_moved"]

    @property
    def mismatches(self) -> int:
        """The rack mismatches above those of the optimum on all instances, whatever the balance."""
        return self.gaps.totals["rack_mismatch"] - self.gaps.totals["optimal_rack_mismatch"]

    @property
    def key(self) -> tuple[int, int, int, int, int, str]:
        """The sort key of the ranking."""
        faults = len(self.gaps.failed) + self.gaps.totals["missing"]
        return (faults, self.balance, self.moves, self.mismatches, self.gaps.rounds, self.spec)

    @property
    def exit_code(self) -> int:
        """0 done, 1 if a claim is violated or an instance failed, 3 if a claim or the gap is unknown."""
        if self.gaps.failed:
            return 1
        # A ranking says what holds on what was played: input that was not covered is left to `certify`.
        played = replace(self.certificate, coverage=())
        return played.exit_code or (0 if self.gaps.instances else 3)

    def to_json(self) -> dict[str, Any]:
        """The line as JSON."""
        balance = self.gaps.distributions["balance"]
        return {
            "target": self.spec,
            "protocol": self.gaps.target.protocol.value,
            "versions": self.versions,
            "claims": {verdict.value: self.claims(verdict) for verdict in Verdict},
            "invalid": self.invalid,
            "histories": self.certificate.histories,
            "failed": len(self.gaps.failed),
            "balance": self.balance,
            "balance_worst": None if balance is None else balance.worst,
            "balance_at_zero": None if balance is None else balance.at_zero,
            "moves": self.moves,
            "mismatches": self.mismatches,
            "rounds": self.gaps.rounds,
            "seconds": round(self.gaps.seconds, 6),
        }


def ranked_kinds() -> tuple[Kind, ...]:
    """The kinds whose targets can be ranked."""
    return tuple(kind for kind in every_kind() if driver_for(kind).ranked_by)


def require_one_sort(targets: Iterable[Target]) -> None:
    """Raise `InputError` for targets that have different claims."""
    if len({driver_for(target.kind).ranked_by for target in targets}) > 1:
        raise InputError("rank: expected assignors of consumer groups, or of Streams tasks, and not of both")


def default_targets() -> list[str]:
    """Every reference for consumer groups; the optimal ones are the yardstick."""
    return [spec for spec, reference in load_all().items() if reference.kind in kinds_of(_DEFAULT_FAMILY)]


def installed() -> tuple[list[str], dict[str, str]]:
    """The client assignors installed on this machine; for the others what is missing, by spec."""
    kinds = [kind for kind in kinds_of(_DEFAULT_FAMILY) if kind.chosen]
    references = [spec for spec, reference in load_all().items() if reference.kind in kinds]
    offers = [offer for way in ways() for offer in way.offers() if offer.kind in kinds]
    missing = {offer.spec: what for offer in offers if (what := offer.missing())}
    return [*references, *(offer.spec for offer in offers if offer.spec not in missing)], missing


def rank(
    targets: Sequence[Target],
    instances: Iterable[Located],
    source: str,
    *,
    order: tuple[str, ...],
    seed: int = 0,
    budget: Budget,
    report: Callable[[int], object] = lambda _: None,
) -> tuple[GapReport, list[Ranked]]:
    """The gaps, and the targets, the best first; the same order for the same seed and number of histories.

    `report` gets the number of finished targets. Raises `TargetNotLoadable` for one that does not start, and
    `KeyboardInterrupt` if the run of one was interrupted.
    """
    measured = measure(targets, instances, source, order=order)
    ranked = []
    for number, gaps in enumerate(measured.targets, start=1):
        certificate = certify(gaps.target, _options(gaps.target, seed, budget))
        if certificate.interrupted:
            raise KeyboardInterrupt  # A target with fewer checks than the others has no rank among them.
        ranked.append(Ranked(gaps, certificate))
        report(number)
    return measured, sorted(ranked, key=lambda each: each.key)


def _options(target: Target, seed: int, budget: Budget) -> RunOptions:
    claims = tuple(
        dict.fromkeys(
            [claim.kind.id for claim in validity_claims(target.kind)]
            + [parse_claim(name, target.kind).kind.id for name in driver_for(target.kind).ranked_by]
        )
    )
    return RunOptions(claims=claims, budget=budget, seed=seed, controls=False, shrink=False)
