"""The options of a run: the claims to check, the inputs to generate, and the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.processes.host import Limits
from kassay.kinds.protocol import RunWishes
from kassay.kinds.registry import driver_for
from kassay.model.errors import InputError
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.properties.assumptions import parse_assumptions
from kassay.properties.claims import parse_claim
from kassay.properties.profile import Profile
from kassay.properties.registry import Claim, situations_of, validity_claims
from kassay.reading.documents import SECONDS, YEAR_S, at, suggestion, wrong

if TYPE_CHECKING:
    from kassay.engines.targets.resolve import Target

DEFAULT_SECONDS = 30.0


PROFILES: Final = ("small", "large", "mixed")
"""The profiles of histories; `shape:ID` is accepted as well."""
SCOPE_MAX: Final = (8, 16)
"""The largest scope, in members and partitions: larger ones take too long."""
JOBS_MAX: Final = 256


@dataclass(frozen=True)
class Budget:
    """Either a time or a number of histories; both None means the default time.

    Raises `InputError` if both are given, or for an invalid value.
    """

    seconds: float | None = None
    histories: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and self.histories is not None:
            raise InputError("time and histories: expected one of the two")
        if self.seconds is not None and not 0 < self.seconds <= YEAR_S:
            raise wrong("time", self.seconds, SECONDS)
        if self.histories is not None and self.histories < 1:
            raise wrong("histories", self.histories, "a whole number from 1 on")

    @property
    def limit_s(self) -> float:
        """The time in seconds; infinite if the budget is a number of histories."""
        if self.histories is not None:
            return inf
        return self.seconds or DEFAULT_SECONDS


@dataclass(frozen=True)
class RunOptions:
    """All settings of a run except the target.

    `profile` is small, large, mixed, or `shape:ID` for large histories of one shape. `claims` None means
    validity and the claims that the target declares. Raises `InputError` for a value out of range, and for an
    empty list of claims, which would certify nothing.
    """

    claims: tuple[str, ...] | None = None
    assume: frozenset[str] = frozenset()
    protocol: RebalanceProtocol | None = None
    budget: Budget = Budget(seconds=DEFAULT_SECONDS)
    profile: str = "small"
    seed: int = 0
    exhaustive: tuple[int, int] | None = None
    in_process: bool = False
    limits: Limits = field(default_factory=Limits)
    config: Mapping[str, str] = field(default_factory=dict)
    member_config: tuple[tuple[str, tuple[str, ...]], ...] = ()
    jobs: int = 1
    controls: bool = True
    shrink: bool = True

    def __post_init__(self) -> None:
        if self.claims is not None and not self.claims:
            raise InputError("claims: expected at least one claim")
        name, colon, _ = self.profile.partition(":")
        if self.profile not in PROFILES and (name, colon) != ("shape", ":"):
            expected = f"one of {', '.join(PROFILES)}{suggestion(self.profile, PROFILES)}"
            raise wrong("profile", self.profile, expected)
        if not 1 <= self.jobs <= JOBS_MAX:
            raise wrong("jobs", self.jobs, f"a whole number from 1 to {JOBS_MAX}")
        if self.exhaustive is not None:
            if not all(1 <= size <= most for size, most in zip(self.exhaustive, SCOPE_MAX, strict=True)):
                scope = "{}x{}".format(*self.exhaustive)
                raise wrong("exhaustive", scope, "members x partitions from 1x1 to {}x{}".format(*SCOPE_MAX))
            if self.budget.histories is not None:
                raise InputError("exhaustive and histories: expected one of the two")
            if self.member_config:
                raise InputError("exhaustive and member-config: expected one of the two")


def conditions(options: RunOptions) -> Mapping[str, Any]:
    """The conditions of these options under which a target is loaded."""
    names = ("in_process", "limits", "config", "protocol")
    return {name: getattr(options, name) for name in names}


def protocol_named(name: str) -> RebalanceProtocol:
    """The protocol of this name; raises `InputError`."""
    if name not in set(RebalanceProtocol):
        raise wrong("protocol", name, "eager or cooperative" + suggestion(name, RebalanceProtocol))
    return RebalanceProtocol(name)


def require_heeded(targets: Sequence[Target], options: RunOptions) -> None:
    """Raise `InputError`, which names a target, for an option without effect.

    An option that depends on the kind must affect every target; any other must affect at least one.
    """
    for target in targets:
        _require_of_kind(target, options)
    some = ", ".join(target.spec for target in targets)
    if options.in_process and targets and all(target.is_program for target in targets):
        raise InputError(f"{some}: in-process: a program is a process of its own, expected none")
    if options.config and targets and not any(target.configures for target in targets):
        raise InputError(f"{some}: config: nothing reads it, expected a target with configure(config)")


def _require_of_kind(target: Target, options: RunOptions) -> None:
    kind, name = target.kind, options.profile.partition(":")[0]
    if options.assume:
        with at(f"{target.spec}: assume"):
            parse_assumptions(sorted(options.assume), kind)
    heeded = driver_for(kind).options
    idle = {
        "protocol": options.protocol is not None and not kind.speaks,
        "member-config": bool(options.member_config) and "member-config" not in heeded,
        "profile": name in PROFILES[1:] and "sizes" not in heeded,
        "shape": name == "shape" and "shape" not in heeded,
    }
    for option in (option for option, is_idle in idle.items() if is_idle):
        raise InputError(f"{target.spec}: {option}: does nothing with a target of kind {kind}, expected none")


def claims_of(
    kind: Kind, protocol: RebalanceProtocol, declared: tuple[str, ...], options: RunOptions
) -> tuple[Claim, ...]:
    """The claims of a run: those that the user named, else validity and what the target declares.

    Raises `InputError` for a claim that this kind does not have, and for a scope if it has no scopes.
    """
    if options.exhaustive is not None and "exhaustive" not in driver_for(kind).options:
        raise InputError(f"exhaustive: a target of kind {kind} has no scopes, expected an assignor")
    if options.claims is not None:
        return tuple(parse_claim(name, kind) for name in dict.fromkeys(options.claims))
    own = [parse_claim(name, kind) for name in dict.fromkeys(declared)]
    taken = {claim.kind.id for claim in own}
    return (*(v for v in validity_claims(kind, protocol) if v.kind.id not in taken), *own)


def profile_of(kind: Kind, claims: tuple[Claim, ...], options: RunOptions, *, mixed: bool = False) -> Profile:
    """The inputs to generate for these claims; `mixed`: members run different targets."""
    name, _, shape = options.profile.partition(":")
    ids = frozenset(claim.kind.id for claim in claims)
    wanted = RunWishes(name, shape, options.assume, ids, options.member_config, mixed)
    return driver_for(kind).profile(wanted)


def aims_of(
    kind: Kind, claims: tuple[Claim, ...], assume: frozenset[str], recipes: Mapping[str, str]
) -> tuple[str, ...]:
    """The recipes that together reach every situation that the claims require, each once.

    `recipes` has them by the names of situations. Situations outside the assumptions have no recipe.
    """
    ids = {claim.kind.id for claim in claims}
    wanted = (
        recipes[name]
        for situation in situations_of(kind)
        if not ids.isdisjoint(situation.required_by) and assume.isdisjoint(situation.excluded_by)
        for name in situation.names
        if name in recipes
    )
    return tuple(dict.fromkeys(wanted))


def aim_at(index: int, aims: tuple[str, ...]) -> str:
    """The recipe of case number `index`: every second case takes the next in a cycle, others have none."""
    return aims[index // 2 % len(aims)] if aims and index % 2 else ""
