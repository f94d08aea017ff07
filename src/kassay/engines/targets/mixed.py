"""Several implementations in one group: members get them round-robin, in the order in which they join."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any, Final

from kassay.engines.processes.host import Host, Start
from kassay.engines.targets.resolve import Request, Target, Way, resolve_request
from kassay.model.errors import InputError
from kassay.model.groups.kinds import CLIENT
from kassay.model.surroundings import Surroundings
from kassay.reading.specs import MIXED, Mixed, Single, parse, printed

LEADER_NEUTRAL: Final = "leader-neutral"
"""The claim that implementations with a common protocol name must keep together."""


class MixedMember:
    """An object of one of the implementations; `another` makes a second one of the same.

    No host can run a whole round at once: the members' objects live in several hosts.
    """

    rounds = None

    def __init__(self, inner: Any, host: Host) -> None:
        self._inner = inner
        self.another = partial(_member, host)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _member(host: Host, config: Mapping[str, str]) -> MixedMember:
    return MixedMember(host.new(config), host)


class MixedHost(Host):
    """Hosts of the implementations; a group's objects come from them round-robin."""

    def __init__(self, hosts: tuple[Host, ...], stack: ExitStack | None = None) -> None:
        self._hosts = hosts
        self._stack = stack or ExitStack()
        self._turn = 0

    def new(self, config: Mapping[str, str]) -> MixedMember:
        """A new object of the next implementation."""
        host = self._hosts[self._turn % len(self._hosts)]
        self._turn += 1
        return _member(host, config)

    def of_group(self) -> MixedHost:
        """The same hosts, starting with the first one again."""
        return MixedHost(self._hosts)

    def restart(self) -> None:
        """Restart the processes of all hosts that have one."""
        for host in self._hosts:
            host.restart()

    @property
    def rearranges(self) -> bool:
        """Whether all of them do."""
        return all(host.rearranges for host in self._hosts)

    @property
    def loaded_once(self) -> str:
        """Why one of them is loaded once."""
        return next((host.loaded_once for host in self._hosts if host.loaded_once), "")

    @property
    def reads(self) -> tuple[str, ...]:
        """The variables that any of them read."""
        return tuple(dict.fromkeys(name for host in self._hosts for name in host.reads))

    @property
    def unchanged(self) -> Mapping[str, str]:
        """What any of them does not have as wanted."""
        return {name: why for host in self._hosts for name, why in host.unchanged.items()}

    def arrange(self, surroundings: Surroundings) -> None:
        """Give the processes of all hosts these surroundings."""
        for host in self._hosts:
            host.arrange(surroundings)

    def close(self) -> None:
        """Close the hosts."""
        self._stack.close()


@dataclass(frozen=True)
class MixedOpener:
    """Opens all targets of the mix."""

    parts: tuple[Target, ...]

    @property
    def repeats(self) -> bool:
        """Whether all of them give the same answers in every process."""
        return all(part.opener.repeats for part in self.parts)

    def __call__(self, start: Start, *, apart: bool) -> MixedHost:
        """A host for each, in a process with the start's hash seed if `apart`."""
        with ExitStack() as stack:
            hosts = tuple(
                stack.enter_context(part.opener(_started(part, start), apart=apart)) for part in self.parts
            )
            return MixedHost(hosts, stack.pop_all())


def _started(part: Target, start: Start) -> Start:
    """The start of a part, given the start of the whole."""
    return replace(
        part.start, hash_seed=start.hash_seed, protocol=start.protocol, surroundings=start.surroundings
    )


def resolve(request: Request) -> Target | None:
    """The implementations of a `mixed:` spec as one target; None for another spec.

    Raises `InputError` for a part that is no consumer assignor, and for two rebalance protocols.
    """
    spec = parse(request.spec)
    if not isinstance(spec, Mixed):
        return None
    parts = tuple(_part(request, each) for each in spec.parts)
    first, *others = parts
    for other in others:
        if other.protocol is not first.protocol:
            raise InputError(
                f"{request.spec}: {first.spec} speaks {first.protocol}, {other.spec} {other.protocol}: "
                "expected one protocol"
            )
    claims = [claim for claim in first.claims if all(claim in other.claims for other in others)]
    if len({_protocol_name(part) for part in parts}) == 1 and LEADER_NEUTRAL not in claims:
        claims.append(LEADER_NEUTRAL)
    return Target(
        spec=printed(Mixed(tuple(_single(part) for part in parts))),
        name=f"{MIXED}:{','.join(part.name for part in parts)}",
        kind=first.kind,
        opener=MixedOpener(parts),
        protocol=first.protocol,
        claims=tuple(claims),
        assumes=tuple(dict.fromkeys(assumed for part in parts for assumed in part.assumes)),
        digest=_digest(parts),
        sources=tuple(dict.fromkeys(source for part in parts for source in part.sources)),
        start=request.start,
        versions=_versions(parts),
        configures=any(part.configures for part in parts),
        sends_generations=any(part.sends_generations for part in parts),
        is_program=all(part.is_program for part in parts),
        parts=tuple(part.spec for part in parts),
    )


def _part(request: Request, spec: Single) -> Target:
    """The target of one of the specs."""
    part = resolve_request(replace(request, spec=printed(spec)))
    if part.kind is not CLIENT:
        raise InputError(
            f"{request.spec}: {part.spec} is of kind {part.kind}, expected assignors of kind {CLIENT}: "
            "only these run in the members of a group"
        )
    return part


def _single(part: Target) -> Single:
    """The part's spec as it appears in the spec of the whole."""
    spec = parse(part.spec)
    assert not isinstance(spec, Mixed), "a part is one implementation"
    return spec


def _protocol_name(part: Target) -> str:
    """The name that a member would use for its assignor in a JoinGroup request."""
    return part.name.rpartition(":")[2]


def _digest(parts: tuple[Target, ...]) -> str | None:
    """The SHA-256 of the parts' digests; None if no part has one."""
    digests = [part.digest for part in parts]
    return sha256(" ".join(map(str, digests)).encode()).hexdigest() if any(digests) else None


def _versions(parts: tuple[Target, ...]) -> tuple[tuple[str, str], ...]:
    """The versions of everything the parts consist of; where they differ, one for each part."""
    versions: dict[str, set[str]] = {}
    for part in parts:
        for name, version in part.versions:
            versions.setdefault(name, set()).add(version)
    named = {
        (name if len(versions[name]) == 1 else f"{name} of {part.spec}"): version
        for part in parts
        for name, version in part.versions
    }
    return tuple(named.items())


WAY = Way(15, lambda: ["mixed:SPEC,SPEC"], resolve, list)
