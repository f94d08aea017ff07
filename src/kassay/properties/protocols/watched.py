"""The promises of `protocol` as invariants of one model: how they look into it, and when they are asked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, NamedTuple

from kassay.model.explore import Finding, Invariant, Severity
from kassay.model.protocols.shared.census import Census
from kassay.model.protocols.values.groups import COMPLETING, ClassicGroup, CoordinatorState
from kassay.properties.protocols.invariants import (
    BY_DESIGN,
    PROMISES,
    REAL,
    STATE_CHECKS,
    Check,
    epoch_shape,
    gates,
    handed_over,
    monotone,
    never_evicted,
    one_leader,
    remembers_its_id,
    stored_once,
    watched_by_timer,
)


class Watched(NamedTuple):
    """How invariants look into one model's states: projections, and what can be read of a state.

    `public` names a state's census (equal for equal ones), `inner` what is read of the coordinator.
    `gained` says cheaply whether a step lets any client own more, `failed` whether one may have taken an
    error. A step in which the coordinator moved (`moved`) may set a generation back to the persisted one.
    `polling` names the clients that are alive and poll, where a clock tells, with their member ids.
    `broken` tells what a commit broke when it was accepted, where offsets are counted. `waived` promises
    were never made. `image` is the metadata, where a fault may change it.
    """

    public: Callable[[Any], Hashable]
    census: Callable[[Any], Census]
    inner: Callable[[Any], Hashable] | None = None
    coordinator: Callable[[Any], CoordinatorState] | None = None
    gained: Callable[[Any, Any], bool] | None = None
    moved: Callable[[Any, Any], bool] = lambda _before, _after: False
    timers: Callable[[Any], tuple[Any, Iterable[str], Iterable[str]]] | None = None
    timers_key: Callable[[Any], Hashable] | None = None
    stored: Callable[[Any], Any] | None = None
    clients: Callable[[Any], Iterable[Any]] | None = None
    failed: Callable[[Any, Any], bool] | None = None
    polling: Callable[[Any], Iterable[tuple[str, str]]] | None = None
    broken: Callable[[Any], tuple[str, ...]] | None = None
    waived: frozenset[str] = frozenset()
    image: Callable[[Any], Any] | None = None


def invariants(watched: Watched, names: Iterable[str] | None = None) -> tuple[Invariant[Any], ...]:
    """The invariants that make sense for a model, as values for the explorer."""
    found = [*_census_invariants(watched), *_coordinator_invariants(watched), *_clock_invariants(watched)]
    timers, stored, clients = watched.timers, watched.stored, watched.clients
    if clients is not None:
        found.append(
            Invariant(
                "I16",
                PROMISES["I16"].claim,
                check_step=lambda before, after: remembers_its_id(clients(before), clients(after)),
                relevant=watched.failed,
            )
        )
    if timers is not None:
        found.append(
            Invariant(
                "I15",
                PROMISES["I15"].claim,
                check=lambda state: watched_by_timer(*timers(state)),
                reads=watched.timers_key,
            )
        )
    if stored is not None:
        found.append(
            Invariant(
                "I10",
                PROMISES["I10"].claim,
                check_step=lambda before, after: stored_once(stored(before), stored(after)),
                relevant=lambda before, after: stored(before) != stored(after),
            )
        )
    if (image := watched.image) is not None:
        found.append(
            Invariant(
                "I14",
                PROMISES["I14"].claim,
                check_step=lambda before, after: gates("", image(before), image(after)),
                relevant=lambda before, after: image(before) is not image(after),
            )
        )
    if watched.broken is not None:
        found += [
            Invariant(name, PROMISES[name].claim, check=_accepted(name, watched.broken), reads=watched.broken)
            for name in ("I5", "I9")
        ]
    wanted = set(PROMISES) if names is None else set(names)
    return tuple(invariant for invariant in found if invariant.name in wanted)


def _accepted(name: str, broken: Callable[[Any], tuple[str, ...]]) -> Callable[[Any], Iterator[Finding]]:
    """What accepted commits broke of one promise."""

    def check(state: Any) -> Iterator[Finding]:
        found = broken(state)
        if found and found[0] == name:
            yield Finding(Severity(found[2]) if len(found) > 2 else REAL, found[1])

    return check


def _census_invariants(watched: Watched) -> Iterator[Invariant[Any]]:
    census, public = watched.census, watched.public

    def soften(name: str, findings: Iterable[Finding]) -> Iterator[Finding]:
        for finding in findings:
            yield finding._replace(severity=BY_DESIGN) if name in watched.waived else finding

    def bound(name: str, check: Check) -> Callable[[Any], Iterator[Finding]]:
        return lambda state: soften(name, check(census(state)))

    for name, check in STATE_CHECKS.items():
        yield Invariant(name, PROMISES[name].claim, check=bound(name, check), reads=public)
    yield Invariant(
        "I4",
        PROMISES["I4"].claim,
        check_step=lambda before, after: soften("I4", handed_over(census(before), census(after))),
        relevant=watched.gained,
    )


def _coordinator_invariants(watched: Watched) -> Iterator[Invariant[Any]]:
    coordinator, inner = watched.coordinator, watched.inner
    if coordinator is None or inner is None:
        return

    def bound(
        check: Callable[[CoordinatorState, CoordinatorState], Iterator[Finding]],
    ) -> Callable[[Any, Any], Iterable[Finding]]:
        return lambda before, after: check(coordinator(before), coordinator(after))

    def in_completing(state: Any) -> Iterator[Finding]:
        census = watched.census(state)
        if census.awaiting and any(belief.commits for belief in census.beliefs):
            yield from gates(COMPLETING, (), ())

    def stayed(before: Any, after: Any) -> bool:
        return not watched.moved(before, after)

    for name, check in (("I6", one_leader), ("I10", monotone)):
        yield Invariant(name, PROMISES[name].claim, check_step=bound(check), reads=inner, relevant=stayed)
    yield Invariant(
        "I11", PROMISES["I11"].claim, check=lambda state: epoch_shape(coordinator(state)), reads=inner
    )
    yield Invariant("I14", PROMISES["I14"].claim, check=in_completing, reads=watched.public)


def _clock_invariants(watched: Watched) -> Iterator[Invariant[Any]]:
    coordinator, polling = watched.coordinator, watched.polling
    if coordinator is None or polling is None:
        return

    def known(state: Any) -> frozenset[str]:
        group = coordinator(state).group
        pending = group.pending_join if isinstance(group, ClassicGroup) else ()
        members = group.members if group is not None else ()
        return frozenset((*(member.member for member in members), *pending))

    def check(before: Any, after: Any) -> Iterator[Finding]:
        both = [pair for pair in polling(before) if pair in set(polling(after))]
        for finding in never_evicted(known(before), known(after), both):
            waived = "I17" in watched.waived
            yield finding._replace(severity=BY_DESIGN) if waived else finding

    def removes(before: Any, after: Any) -> bool:
        return not watched.moved(before, after) and bool(known(before) - known(after))

    yield Invariant("I17", PROMISES["I17"].claim, check_step=check, relevant=removes)
