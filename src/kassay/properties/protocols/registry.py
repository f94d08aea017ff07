"""The registry of protocol invariants: decorators for predicates, and their binding to a model.

A predicate receives one view of a state (a `Sight`) and yields findings with their evidence and their
severity: `real` breaks a guarantee, `zombie` is the effect of a process on itself that was away for longer
than its session, `by design` is a guarantee that the protocol never gave. It is evaluated only `where` the
guarantee could be broken, so an invariant that was never applicable is reported as such. The `Views` of a
model say how to extract each sight from its states; a sight that it lacks is not evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from kassay.model.errors import InputError
from kassay.model.explore.values import Finding, Invariant, Severity
from kassay.model.modules import import_modules
from kassay.model.protocols.census import Breach, Census, TaskCensus
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup, Group
from kassay.model.protocols.values.requests import SetTimer
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup

V = TypeVar("V")
Predicate = TypeVar("Predicate", bound=Callable[..., Iterator[Finding]])


@dataclass(frozen=True)
class Sight(Generic[V]):
    """A view of a state for predicates."""

    name: str


class WatchedSessions(NamedTuple):
    """The group, the members with an armed session timer, and those whose expiry may be ignored."""

    group: Any
    armed: tuple[str, ...]
    excused: tuple[str, ...]


class Presence(NamedTuple):
    """The member ids that the coordinator knows, and (client, member id) of every live polling client."""

    known: frozenset[str]
    polling: tuple[tuple[str, str], ...]


class HeldGroup(NamedTuple):
    """The group of a coordinator, None if it has none."""

    group: Any


class RefusedStep(NamedTuple):
    """Around a step that answers with an error: the clients, the group, and the records."""

    clients: tuple[Any, ...]
    group: Any
    log: Any


class LoadedGroup(NamedTuple):
    """The group in the whole log, and the coordinator's, if it could read its log."""

    whole: Any
    group: Any
    readable: bool


class LoggedGroup(NamedTuple):
    """The group in memory, and the one that a new coordinator reads out of the log."""

    memory: Group
    log: Group


class GivenNumbers(NamedTuple):
    """The group, and what clients hold: (client, member id, generation or epoch)."""

    group: Group
    held: tuple[tuple[str, str, int], ...]


class ArmedTimers(NamedTuple):
    """The group, and the armed timers."""

    group: Group
    armed: tuple[SetTimer, ...]


CENSUS: Final[Sight[Census]] = Sight("ownership, by record and by belief")
ADOPTION: Final[Sight[Census]] = Sight("the census around a step in which a client gains ownership")
COMMITTERS: Final[Sight[Census]] = Sight("clients that may commit in a consumer group, from 4.4 on")
CLASSIC_GROUP: Final[Sight[ClassicGroup]] = Sight("a classic group, as long as its coordinator does not move")
CONSUMER_GROUP: Final[Sight[ConsumerGroup]] = Sight("a consumer group, as long as its coordinator stays")
INTERVALS: Final[Sight[ConsumerGroup]] = Sight("a consumer group whose targets are an interval apart")
PREFERENCES: Final[Sight[ConsumerGroup]] = Sight("a consumer group whose members prefer an assignor")
STREAMS_GROUP: Final[Sight[StreamsTaskGroup]] = Sight("a Streams group, as long as its coordinator stays")
TASKS: Final[Sight[TaskCensus]] = Sight("the tasks of members, processes and threads, in every role")
REFUSED: Final[Sight[RefusedStep]] = Sight("the coordinator around an answer with an error")
STORED: Final[Sight[Any]] = Sight("the records of a generation in ZooKeeper")
SESSIONS: Final[Sight[WatchedSessions]] = Sight("members and the timers that watch them")
CLIENTS: Final[Sight[tuple[Any, ...]]] = Sight("the clients around a step in which one gets an error")
PRESENCE: Final[Sight[Presence]] = Sight("polling clients around a removal")
STOPPED: Final[Sight[frozenset[str]]] = Sight("the clients that an error has ended, static ones named so")
ENDED: Final[Sight[frozenset[str]]] = Sight("the dynamic clients of KIP-848 that an error has ended")
METADATA: Final[Sight[Any]] = Sight("the topics around a change of the metadata")
UNWRITTEN: Final[Sight[HeldGroup]] = Sight("the group around a step whose write fails, where writes may")
LOADED: Final[Sight[LoadedGroup]] = Sight("the group around a loading, where the log is compacted")
LOGGED: Final[Sight[LoggedGroup]] = Sight("the group in memory and in the log, while a log is kept")
LOADABLE: Final[Sight[tuple[tuple[str, str], ...]]] = Sight("first requests of another protocol, if refused")
GIVEN_OUT: Final[Sight[GivenNumbers]] = Sight("the group and the numbers that clients hold, around a step")
ANSWERED: Final[Sight[tuple[str, ...]]] = Sight("the clients that an OK answer made members at 0")
ARMED: Final[Sight[ArmedTimers]] = Sight("the group and the armed timers")
ACCEPTED: Final[Sight[Breach]] = Sight("violations by an accepted commit, if offsets are counted")


class View(NamedTuple, Generic[V]):
    """How to extract a sight from a model's states: `show` returns None if it is not applicable.

    States with equal `reads` are checked once. Steps are checked only if `relevant`, a cheap test of both
    ends, accepts them; `relevant` is optional.
    """

    show: Callable[[Any], V | None]
    reads: Callable[[Any], Hashable] | None = None
    relevant: Callable[[Any, Any], bool] | None = None


class Views(NamedTuple):
    """The sights of one model's states, and the guarantees that its protocol never gave."""

    views: Mapping[Sight[Any], View[Any]]
    waived: frozenset[str] = frozenset()


Always: TypeAlias = Callable[[V], Iterator[Finding]]
EachStep: TypeAlias = Callable[[V, V], Iterator[Finding]]


class _Check(NamedTuple):
    sight: Sight[Any]
    check: Callable[..., Iterator[Finding]]
    where: Callable[..., bool]
    of_steps: bool


@dataclass(frozen=True)
class ProtocolInvariant:
    """One guarantee, by name and short id ("" without one), and the predicates that check it."""

    name: str
    short: str
    claim: str
    source: str
    checks: list[_Check] = field(default_factory=list)


_INVARIANTS: Final[dict[str, ProtocolInvariant]] = {}


def always(
    name: str, sight: Sight[V], *, source: str, short: str = "", where: Callable[[V], bool] | None = None
) -> Callable[[Always[V]], Always[V]]:
    """Register a predicate over states; the first line of its docstring is the guarantee.

    `where` says whether a view could break the guarantee, and so whether to evaluate the predicate; by
    default, always. A further predicate of the same name checks the same guarantee on another sight.
    """

    return _registration(name, short, source, _Looks(sight, where, of_steps=False))


def each_step(
    name: str, sight: Sight[V], *, source: str, short: str = "", where: Callable[[V, V], bool] | None = None
) -> Callable[[EachStep[V]], EachStep[V]]:
    """Register a predicate over steps; it and `where` receive both ends; otherwise as `always`."""
    return _registration(name, short, source, _Looks(sight, where, of_steps=True))


class _Looks(NamedTuple):
    """The sight of a predicate, and where it applies."""

    sight: Sight[Any]
    where: Callable[..., bool] | None
    of_steps: bool


def _anywhere(*_shown: object) -> bool:
    return True


def _registration(name: str, short: str, source: str, looks: _Looks) -> Callable[[Predicate], Predicate]:
    def register(predicate: Predicate) -> Predicate:
        claim = (predicate.__doc__ or "").strip().partition("\n")[0]
        invariant = _INVARIANTS.setdefault(name, ProtocolInvariant(name, short, claim, source))
        invariant.checks.append(_Check(looks.sight, predicate, looks.where or _anywhere, looks.of_steps))
        return predicate

    return register


def real(message: str) -> Finding:
    """A broken guarantee."""
    return Finding(Severity.REAL, message)


def outcome(message: str) -> Finding:
    """What a user has to know though no guarantee forbids it."""
    return Finding(Severity.OUTCOME, message)


def load_invariants() -> dict[str, ProtocolInvariant]:
    """Every invariant by name, those with a short id first; imports the modules that define them."""
    import_modules("kassay.properties.protocols")
    order = sorted(_INVARIANTS.values(), key=lambda one: (not one.short, int(one.short[1:] or 0), one.name))
    return {one.name: one for one in order}


def named(spelled: str) -> tuple[str, ...]:
    """The names of the invariants with a name or a short id (I1 to I17). Raises InputError."""
    known = load_invariants()
    names = tuple(one.name for one in known.values() if spelled in (one.name, one.short))
    if not names:
        raise InputError(f"unknown invariant {spelled!r}; expected one of {', '.join(known)}")
    return names


def invariants(model: Views, spelled: Iterable[str] | None = None) -> tuple[Invariant[Any], ...]:
    """The invariants that apply to a model, or those with these names or short ids, for the explorer."""
    known = load_invariants()
    wanted = known if spelled is None else {name for one in spelled for name in named(one)}
    views = {sight: (view, _once(view.show), _once(view.show)) for sight, view in model.views.items()}
    return tuple(
        _bound(one, check, *views[check.sight], waived=one.name in model.waived)
        for one in known.values()
        if one.name in wanted
        for check in one.checks
        if check.sight in views
    )


def _once(show: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same, caching the last state, which several invariants read in succession."""
    last = last_view = None

    def shown(state: Any) -> Any:
        nonlocal last, last_view
        if state is not last:
            last, last_view = state, show(state)
        return last_view

    return shown


def _bound(
    one: ProtocolInvariant,
    check: _Check,
    view: View[Any],
    show_before: Callable[[Any], Any],
    show: Callable[[Any], Any],
    *,
    waived: bool,
) -> Invariant[Any]:
    """One predicate over the states, or the steps, of a model; all steps of a state share `before`."""
    judge, where = check.check, check.where
    if waived:
        judge = _by_design(judge)

    def check_state(state: Any) -> Iterator[Finding] | None:
        shown = show(state)
        return judge(shown) if shown is not None and where(shown) else None

    def check_step(before: Any, after: Any) -> Iterator[Finding] | None:
        left, right = show_before(before), show(after)
        if left is None or right is None or not where(left, right):
            return None
        return judge(left, right)

    if check.of_steps:
        return Invariant(one.name, one.claim, check_step=check_step, reads=view.reads, relevant=view.relevant)
    return Invariant(one.name, one.claim, check=check_state, reads=view.reads)


def _by_design(judge: Callable[..., Iterator[Finding]]) -> Callable[..., Iterator[Finding]]:
    """The predicate with findings that do not count as violations of the protocol's guarantees."""
    return lambda *shown: (finding._replace(severity=Severity.BY_DESIGN) for finding in judge(*shown))
