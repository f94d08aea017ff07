"""The types of groups: how their members start, what a member can do, and how the coordinator describes them.

`type_of` says which one a member is in. All members of a group have the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kassay.engines.genuine.jars import release_of
from kassay.engines.live.program import Protocol
from kassay.engines.live.script import LiveSeat
from kassay.model.errors import InputError

STREAMS: Final = "streams"
STREAMS_CLASSIC: Final = "streams/classic"
SHARE: Final = "share"
PLAIN: Final = "consumer"
EARLY: Final = {"unstable.api.versions.enable": "true", "unstable.feature.versions.enable": "true"}
"""The settings of brokers that have groups of a type in early access."""
Release = tuple[int, ...]


@dataclass(frozen=True)
class LiveGroupType:
    """What holds of the groups of a type, and of their members.

    `described` is the type as which the coordinator describes it. `resubscribes`: a member can replace its
    subscription; `callbacks`: it reports what it owns; `one_by_one`: by a callback for each partition;
    `static`: it can have an instance id. `since` is the first release that has such groups; brokers before
    `final` need `features`.
    """

    name: str
    protocol: Protocol = "classic"
    described: str = "consumer"
    resubscribes: bool = True
    callbacks: bool = True
    one_by_one: bool = False
    static: bool = True
    since: Release = (0,)
    final: Release = (0,)
    features: tuple[str, ...] = ()

    def features_in(self, release: str) -> tuple[str, ...]:
        """The features that brokers of this release need."""
        return self.features if release_of(release) < self.final else ()

    def require(self, release: str, what: str) -> None:
        """Raise `InputError` if a release has no such groups."""
        if release_of(release) < self.since:
            first = ".".join(map(str, self.since))
            raise InputError(f"{what}: Kafka {release} has no {self.name} groups: expected {first} or later")


TYPES: Final[Mapping[str, LiveGroupType]] = {
    each.name: each
    for each in (
        LiveGroupType(PLAIN),
        LiveGroupType(STREAMS_CLASSIC, resubscribes=False, one_by_one=True),
        LiveGroupType(
            STREAMS,
            protocol="streams",
            described="streams",
            resubscribes=False,
            one_by_one=True,
            static=False,
            since=(4, 1),
            final=(4, 2),
            features=("streams.version=1",),
        ),
        LiveGroupType(
            SHARE,
            protocol="share",
            described="share",
            callbacks=False,
            static=False,
            since=(4, 1),
            final=(4, 2),
            features=("share.version=1",),
        ),
    )
}


def type_of(seat: LiveSeat) -> LiveGroupType:
    """The type of the group in which the member is."""
    if seat.protocol in TYPES and seat.protocol != PLAIN:
        return TYPES[seat.protocol]
    return TYPES[STREAMS_CLASSIC if STREAMS in seat.strategies else PLAIN]


def one_type(seats: Iterable[LiveSeat]) -> LiveGroupType:
    """The type of the group of these members; raises `InputError` if there are several."""
    types = {type_of(seat).name: seat for seat in seats}
    if len(types) > 1:
        names = ", ".join(f"{seat.name} {name}" for name, seat in types.items())
        raise InputError(
            f"expected members of one type of group, found {names}: play each type in a run of its own"
        )
    return TYPES[next(iter(types))]
