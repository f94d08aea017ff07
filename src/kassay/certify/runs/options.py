"""What a run will do: the promises to judge, the inputs to make, and how much it may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kassay.certify.processes.host import Limits
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.kinds import Kind
from kassay.properties.groups.histories.generator import Profile
from kassay.properties.groups.topics import PRIORITY_CONFIG
from kassay.properties.registry import Promise, promise, validity_claims

DEFAULT_SECONDS = 30.0
PRIORITIES = ("1", "2", "3", "10")
"""What the generator draws from when a target goes by priority and the user gave no values."""


@dataclass(frozen=True)
class Budget:
    """Either a time or a number of histories; both None means the default time."""

    seconds: float | None = None
    histories: int | None = None


@dataclass(frozen=True)
class RunOptions:
    """Everything about a run but the target itself.

    `profile` is small, large, mixed, or `shape:ID` for large histories of one shape.
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


def promises_of(kind: Kind, declared: tuple[str, ...], options: RunOptions) -> tuple[Promise, ...]:
    """What a run judges: the claims that the user named, else validity and what the target declares.

    Raises `InputError` for a claim that does not exist for this kind.
    """
    if options.claims is not None:
        return tuple(promise(name, kind) for name in dict.fromkeys(options.claims))
    own = [promise(name, kind) for name in dict.fromkeys(declared)]
    taken = {promised.claim.id for promised in own}
    return (*(v for v in validity_claims(kind) if v.claim.id not in taken), *own)


def profile_of(kind: Kind, promises: tuple[Promise, ...], options: RunOptions) -> Profile:
    """The inputs to generate for these promises."""
    configs = options.member_config
    if not configs and any(promised.claim.id == "active-passive" for promised in promises):
        configs = ((PRIORITY_CONFIG, PRIORITIES),)
    name, _, shape = options.profile.partition(":")
    return Profile(
        name="large" if shape else name,
        kind=kind,
        assume=options.assume,
        member_configs=configs,
        shape=shape,
    )
