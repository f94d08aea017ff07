"""The spec of a campaign: a TOML file, parsed into typed values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from kassay.assignors import registry
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import every_kind
from kassay.properties.assumptions import parse_assumptions
from kassay.reading.documents import Bound, Count, Seconds, at, at_least, read_sentences, read_toml
from kassay.reading.values import read_as, unique

PROFILES: Final = ("small", "mixed", "large")
SHAPE: Final = "shape:"

Words = Annotated[str, Bound("a text", lambda text: bool(text.strip()))]


@dataclass(frozen=True)
class TargetSpec:
    """A target as the spec names it."""

    spec: Words
    protocol: Literal["eager", "cooperative"] | None = None
    config: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pace:
    """Size of batches and tasks; does not change a result.

    A batch has `batch_seconds` of work for every core, or `batch_histories` of each profile if given; a task
    has about `task_seconds` of work.
    """

    batch_seconds: Seconds = 60.0
    batch_histories: Count | None = None
    task_seconds: Seconds = 4.0


@dataclass(frozen=True)
class Spec:
    """A campaign: its targets, the histories of each profile, and the claims.

    `claims` None means validity and each target's declared claims. `shrink_tries` bounds the work to shrink
    one finding, independent of the machine. The lanes follow the order of `histories`.
    """

    name: str
    targets: tuple[TargetSpec, ...]
    histories: tuple[tuple[str, int], ...]
    seed: int = 0
    claims: tuple[str, ...] | None = None
    assume: tuple[str, ...] = ()
    gap: bool = False
    shrink: bool = True
    shrink_tries: int = 2000
    call_timeout_s: float | None = None
    memory_mib: int = 512
    pace: Pace = Pace()

    def to_json(self) -> dict[str, Any]:
        """The fields that determine the results, so without the pace; lists for tuples."""
        fields = {name: value for name, value in asdict(self).items() if name != "pace"}
        document: dict[str, Any] = json.loads(json.dumps(fields))
        return document

    @property
    def identity(self) -> str:
        """A digest of the fields that determine the results."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return blake2b(text.encode(), digest_size=16).hexdigest()


HISTORIES_MAX: Final = 10**12
"""At 1,000 a second on each of 1,000 cores twelve days: a larger number is a typing error."""
Histories = Annotated[
    int, Bound(f"a whole number from 0 to {HISTORIES_MAX:,}", range(HISTORIES_MAX + 1).__contains__)
]


@dataclass(frozen=True)
class CampaignTable:
    """The table `[campaign]` of a spec file; `targets` are those without settings.

    The sentences of `claims_file`, a path relative to the spec's folder, are added to `claims`.
    """

    name: Words
    targets: tuple[Words, ...] = ()
    seed: int = 0
    claims: tuple[Words, ...] | None = None
    claims_file: Words | None = None
    assume: tuple[Words, ...] = ()
    gap: bool = False
    shrink: bool = True


@dataclass(frozen=True)
class LimitsTable:
    """The table `[limits]` of a spec file."""

    shrink_tries: Count = 2000
    call_timeout: Seconds | None = None
    memory: Annotated[int, at_least(32)] = 512


@dataclass(frozen=True)
class SpecFile:
    """A spec file."""

    campaign: CampaignTable
    histories: Mapping[str, Histories]
    target: tuple[TargetSpec, ...] = ()
    limits: LimitsTable = LimitsTable()
    pace: Pace = Pace()


def read_spec(path: Path) -> Spec:
    """The spec in the file; raises `InputError` with file and field."""
    return spec_of(read_toml(path, "a campaign's spec in TOML"), str(path))


def spec_of(document: Mapping[str, Any], path: str) -> Spec:
    """The spec in a document."""
    file = read_as(SpecFile, document, path, closed=True)
    campaign, limits = file.campaign, file.limits
    targets: tuple[TargetSpec, ...] = (*map(TargetSpec, campaign.targets), *file.target)
    places = [f"campaign.targets[{i}]" for i in range(len(campaign.targets))]
    places += [f"target[{i}].spec" for i in range(len(file.target))]
    try:
        if not targets:
            raise InputError("campaign.targets: expected at least one target")
        targets = tuple(_as_meant(place, target) for place, target in zip(places, targets))
        unique(zip(places, (target.spec for target in targets)), "the target")
        claims = campaign.claims
        if campaign.claims_file is not None:
            claims = (*(claims or ()), *read_sentences(Path(path).parent / campaign.claims_file))
        if claims is not None and not claims:
            raise InputError("campaign.claims: expected at least one claim, or none named at all")
        histories = _histories(file.histories)
        try:
            parse_assumptions(list(campaign.assume))
        except InputError as error:
            raise InputError(f"campaign.assume: {error}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return Spec(
        name=campaign.name,
        targets=targets,
        histories=histories,
        seed=campaign.seed,
        claims=claims,
        assume=campaign.assume,
        gap=campaign.gap,
        shrink=campaign.shrink,
        shrink_tries=limits.shrink_tries,
        call_timeout_s=limits.call_timeout,
        memory_mib=limits.memory,
        pace=replace(file.pace, batch_histories=file.pace.batch_histories or None),
    )


def _as_meant(place: str, target: TargetSpec) -> TargetSpec:
    """The target with its release pinned, so that a resumed campaign tests the same assignor."""
    with at(place):
        reference = registry.find(target.spec)
    return target if reference is None else replace(target, spec=reference.spec)


def _histories(requested: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """The number of histories of each profile; `shape:*` means every shape."""
    shapes = [
        SHAPE + shape for shape in dict.fromkeys(s for kind in every_kind() for s in driver_for(kind).shapes)
    ]
    known = [*PROFILES, *shapes, SHAPE + "*"]
    counts: dict[str, int] = {}
    for name, count in requested.items():
        if name not in known:
            raise InputError(f"histories: no profile {name!r}, expected one of {', '.join(known)}")
        for each in shapes if name == SHAPE + "*" else [name]:
            if each not in requested or each == name:
                counts[each] = count
    wanted = tuple((name, count) for name, count in counts.items() if count)
    if not wanted:
        raise InputError("histories: nothing to do, expected a number for at least one profile")
    return wanted
