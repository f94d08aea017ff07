"""How the states of each protocol model are seen by invariants, and how they are written and packed.

The models know nothing of each other; here each gets its views, its codec and its split into parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any, Final

from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import FingerprintedStates, Interned, Memo, Parts
from kassay.model.explore.values import Model
from kassay.model.protocols.before_0_9 import proposal, zookeeper
from kassay.model.protocols.census import Census
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import Process
from kassay.model.protocols.clients.consumer import ConsumerState
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values.errors import NONE
from kassay.model.protocols.values.groups import (
    STABLE,
    ClassicGroup,
    ConsumerGroup,
    CoordinatorState,
    Group,
    Role,
)
from kassay.model.protocols.values.releases import RELEASES
from kassay.model.protocols.values.requests import JoinGroupReply
from kassay.model.protocols.values.streams_groups import REFRESH_DUE, Remembered, StreamsTaskGroup
from kassay.model.protocols.world.context import World, failed, gained, loaded_in, moved, unwritten_in
from kassay.model.protocols.world.faults import CLASSIC, CONSUMER
from kassay.model.protocols.world.groups import ClassicModel, ConsumerModel
from kassay.model.protocols.world.offsets import breach
from kassay.model.protocols.world.streams.model import StreamsModel, refused
from kassay.model.protocols.world.timed import Timed, TimedModel
from kassay.properties.protocols import registry
from kassay.properties.protocols.registry import View, Views


def codec_of(model: Model[Any]) -> StateCodec:
    """A codec for the model's states that uses the model's own cells."""
    context = getattr(model, "context", None)
    return StateCodec(None if context is None else context.interner.cell)


def parts_of(model: Model[Any]) -> Parts[Any]:
    """The parts by which the model's states are packed: the clients, the broker, and their surroundings.

    The states of models without cells are small: one part each.
    """
    if isinstance(model, ClassicModel):
        return Parts(_split, _joined, model.options.members + 2)
    if isinstance(model, TimedModel):
        return Parts(_split_timed, _joined_timed, model.options.members + 2)
    return Parts(lambda state: (state,), lambda parts: parts[0], 1)


def fingerprinted(model: Model[Any]) -> FingerprintedStates[Any]:
    """Storage for fingerprints of the model's states."""
    return FingerprintedStates(parts_of(model), codec_of(model).fingerprint)


def place_of(model: Model[Any], codec: StateCodec) -> Callable[[Any], int]:
    """A function from a state to a number that determines its process: the number of its coordinator, if any.

    States with one coordinator go to one process, which caches the coordinator's outcomes; if whole states
    determined the process, every process would have to compute these outcomes.
    """

    places: Memo[Interned, int] = Memo()

    def of_world(world: World) -> int:
        place = places.get(world[1])
        if place is None:
            digest = codec.cell_digest(world.broker.value.coordinator)
            place = places[world[1]] = int.from_bytes(digest[:8], "big")
        return place

    if isinstance(model, ClassicModel):
        return of_world
    if isinstance(model, TimedModel):
        return lambda state: of_world(state.world)
    return codec.fingerprint


def _split(world: World) -> tuple[Any, ...]:
    return *world[0], world[1], world[2:]


def _joined(parts: tuple[Any, ...]) -> World:
    return World(parts[:-2], parts[-2], *parts[-1])


def _split_timed(state: Timed) -> tuple[Any, ...]:
    world = state.world
    return *world[0], world[1], (*world[2:], *state[1:])


def _joined_timed(parts: tuple[Any, ...]) -> Timed:
    *around, clocks, loads = parts[-1]
    return Timed(World(parts[:-2], parts[-2], *around), clocks, loads)


NOT_FENCED: Final = frozenset(
    {
        "single-live-owner",
        "released-before-adopted",
        "commits-fenced",
        "complete-at-rest",
        "offsets-never-go-back",
    }
)
"""Guarantees that ZooKeeper's consumers never gave: nothing fences them."""


def views_of(model: Model[Any]) -> Views:
    """The sights in a model's states."""
    if isinstance(model, StreamsModel):
        return Views(_world(model) | _of_tasks(model))
    if isinstance(model, ClassicModel):
        return Views(_world(model))
    if isinstance(model, TimedModel):
        return _on_the_clock(model)
    if isinstance(model, proposal.ProposalModel):
        stored = View(
            lambda state: state.stored, relevant=lambda before, after: before.stored != after.stored
        )
        return Views(_before_0_9(proposal.census) | {registry.STORED: stored})
    return Views(_before_0_9(zookeeper.census), waived=NOT_FENCED)


def beliefs(model: Model[Any], state: Any) -> Census:
    """The census of a state of any model."""
    view: View[Census] = views_of(model).views[registry.CENSUS]
    census = view.show(state)
    assert census is not None, "every state of every model has a census"
    return census


def _before_0_9(census: Callable[[Any], Census]) -> dict[registry.Sight[Any], View[Any]]:
    return {registry.CENSUS: View(census, reads=census), registry.ADOPTION: View(census)}


def _coordinator(state: World) -> CoordinatorState:
    coordinator: CoordinatorState = state.broker.value.state
    return coordinator


def _classic_group(state: World) -> ClassicGroup | None:
    group: Group = state.broker.value.state.group
    return group if isinstance(group, ClassicGroup) else None


def _consumer_group(state: World) -> ConsumerGroup | None:
    group: Group = state.broker.value.state.group
    return group if isinstance(group, ConsumerGroup) else None


def _loaded(model: ClassicModel) -> Callable[[World], registry.LoadedGroup]:
    """The group in the log of a state, and the coordinator's group."""
    brokers = model.context.brokers

    def show(state: World) -> registry.LoadedGroup:
        now = _coordinator(state)
        readable = now.role is not Role.NOT_COORDINATOR
        return registry.LoadedGroup(_as_logged(brokers.whole(state.broker)), _as_logged(now.group), readable)

    return show


def _as_logged(group: Group) -> Group:
    """A group as its log describes it: former copies of tasks without current ones are irrelevant."""
    if not isinstance(group, StreamsTaskGroup):
        return group
    return group._replace(copies=tuple((task, processes) for task, processes in group.copies if processes))


def _held(state: World) -> registry.HeldGroup:
    return registry.HeldGroup(_coordinator(state).group)


# These are read from both ends of every step.
_broker: Final = attrgetter("broker")
_known_group: Final = attrgetter("broker.value.coordinator")
"""The part of a state that determines its group."""


def _stays(before: World, after: World) -> bool:
    """Whether the coordinator is the same; a new one may reset a generation to the persisted one."""
    return not moved(before, after)


def _world(model: ClassicModel) -> dict[registry.Sight[Any], View[Any]]:
    """A world's views."""
    views: dict[registry.Sight[Any], View[Any]] = {
        registry.CENSUS: View(model.census, reads=model.public),
        registry.ADOPTION: View(model.census, relevant=gained),
        registry.CLASSIC_GROUP: View(_classic_group, reads=_known_group, relevant=_stays),
        registry.CONSUMER_GROUP: View(_consumer_group, reads=_known_group, relevant=_stays),
        registry.SESSIONS: View(
            lambda state: registry.WatchedSessions(*model.timers.watched(state)),
            reads=_broker,
        ),
        registry.CLIENTS: View(lambda state: tuple(cell.value for cell in state.clients), relevant=failed),
        registry.METADATA: View(
            lambda state: state.image.value, relevant=lambda before, after: before.image is not after.image
        ),
    }
    views |= _of_the_log(model)
    if model.options.faults.write:
        views[registry.UNWRITTEN] = View(_held, relevant=unwritten_in)
    if model.options.faults.assignor or any(model.options.remote_assignors):
        views[registry.PREFERENCES] = View(_consumer_group, reads=_known_group, relevant=_stays)
    if model.context.brokers.config.assignment_interval:
        views[registry.INTERVALS] = View(_consumer_group, reads=_known_group, relevant=_stays)
    if model.options.compacted:
        views[registry.LOADED] = View(_loaded(model), relevant=loaded_in)
    spoken = {kind for each in model.kinds for kind in each} if isinstance(model, ConsumerModel) else set()
    if CLASSIC in spoken:
        views[registry.PRESENCE] = View(_presence, relevant=_drops_at_rest)
    if spoken == {CONSUMER} and not RELEASES["2024-10"] <= model.options.switches:
        views[registry.COMMITTERS] = View(model.census, reads=model.public)
    configs = [*enumerate(model.context.configs)]
    dynamic = {c: config.client_id for c, config in configs if not config.group_instance_id}
    others = {
        c: config.client_id if c in dynamic else f"{config.client_id} (static)" for c, config in configs
    }
    if spoken == {CONSUMER}:
        views[registry.ENDED] = View(_ended(dynamic), reads=attrgetter("clients"))
        others = {c: name for c, name in others.items() if c not in dynamic}
    if others:
        views[registry.STOPPED] = View(_ended(others), reads=attrgetter("clients"))
    if model.options.records:
        views[registry.ACCEPTED] = View(breach, reads=breach)
    return views


def _of_the_log(model: ClassicModel) -> dict[registry.Sight[Any], View[Any]]:
    """The numbers and timers of a coordinator, and while its log is kept, what that gives."""
    brokers = model.context.brokers

    def logged(state: World) -> registry.LoggedGroup | None:
        if not _keeps_log(state):
            return None
        return registry.LoggedGroup(_coordinator(state).group, brokers.logged(state.broker))

    def loadable(state: World) -> tuple[tuple[str, str], ...] | None:
        group = _coordinator(state).group
        taken = group is not None and bool(group.members)
        return None if taken or not _keeps_log(state) else brokers.takeovers(state.broker)

    def reads(state: World) -> tuple[Interned, Interned]:
        return state.broker, state.budget

    views: dict[registry.Sight[Any], View[Any]] = {
        registry.GIVEN_OUT: View(_given_numbers, relevant=_serves),
        registry.ANSWERED: View(_answered_with_0, reads=attrgetter("clients")),
        registry.ARMED: View(_armed, reads=_broker, relevant=_stays),
    }
    if model.options.faults.failover:
        views |= {registry.LOGGED: View(logged, reads=reads), registry.LOADABLE: View(loadable, reads=reads)}
    return views


def _keeps_log(state: World) -> bool:
    """Whether a coordinator is active whose log may still be read."""
    budget: Faults = state.budget.value
    return budget.failover > 0 and _coordinator(state).role is Role.ACTIVE


def _armed(state: World) -> registry.ArmedTimers | None:
    now = _coordinator(state)
    return registry.ArmedTimers(now.group, state.broker.value.armed) if now.role is Role.ACTIVE else None


_RUNNING: Final = (Process.UP, Process.PAUSED, Process.STALLED)


def _serves(before: World, after: World) -> bool:
    """Whether a coordinator took a step; one that loads gives out no number."""
    return before.broker is not after.broker and not moved(before, after)


def _given_numbers(state: World) -> registry.GivenNumbers | None:
    """The group, and the numbers that running clients hold, or are about to read."""
    if _coordinator(state).role is not Role.ACTIVE:
        return None
    held = tuple(
        (f"c{c + 1}", *given)
        for c, cell in enumerate(state.clients)
        if cell.value.run in _RUNNING
        for given in _numbers_of(cell.value)
    )
    return registry.GivenNumbers(_coordinator(state).group, held)


def _numbers_of(client: Any) -> Iterator[tuple[str, int]]:
    number = client.generation if isinstance(client, ClassicClient) else client.epoch
    if number > 0:
        yield client.member_id, number
    for reply in client.inbox:
        if isinstance(reply, JoinGroupReply) and reply.error == NONE and reply.generation_id != number:
            yield reply.member_id, reply.generation_id


def _answered_with_0(state: World) -> tuple[str, ...]:
    """The clients that an OK answer made members at epoch or generation 0."""
    return tuple(
        f"c{c + 1}"
        for c, cell in enumerate(state.clients)
        if cell.value.run in _RUNNING and _is_member_at_0(cell.value)
    )


def _is_member_at_0(client: Any) -> bool:
    if isinstance(client, ClassicClient):
        given = (reply for reply in client.inbox if isinstance(reply, JoinGroupReply))
        return client.generation == 0 or any(
            reply.error == NONE and reply.generation_id == 0 for reply in given
        )
    return client.epoch == 0 and str(client.state) in _ANSWERED


_ANSWERED: Final = frozenset(
    str(state) for state in (ConsumerState.RECONCILING, ConsumerState.ACKNOWLEDGING, ConsumerState.STABLE)
)
"""The states of clients of KIP-848 and KIP-1071 that an answer with an epoch leads to."""


def _ended(names: Mapping[int, str]) -> Callable[[World], frozenset[str]]:
    """The clients with these names, by number, that an error has ended."""
    return lambda state: frozenset(
        [name for c, name in names.items() if state.clients[c].value.run is Process.FATAL]
    )


def _presence(state: World) -> registry.Presence:
    """The known members, and the running polling clients as far as can be known without a clock."""
    polling = tuple(
        (f"c{c + 1}", cell.value.member_id)
        for c, cell in enumerate(state.clients)
        if cell.value.run is Process.UP
    )
    return registry.Presence(_known_members(_coordinator(state).group), polling)


def _drops_at_rest(before: World, after: World) -> bool:
    """Whether a timer removes members from a group that does not wait for a join or a sync.

    If it waits and a member is missing, the same timer may remove one that is merely late: without a clock
    the two cannot be distinguished.
    """
    if before.clients != after.clients or moved(before, after):
        return False
    group = _coordinator(before).group
    if isinstance(group, ClassicGroup) and (group.state != STABLE or group.pending_sync):
        return False
    return bool(_known_members(group) - _known_members(_coordinator(after).group))


def _known_members(group: Group) -> frozenset[str]:
    return frozenset(member.member_id for member in group.members) if group is not None else frozenset()


def _streams_group(state: World) -> StreamsTaskGroup | None:
    group: Group = state.broker.value.state.group
    return group if isinstance(group, StreamsTaskGroup) else None


def _of_tasks(model: StreamsModel) -> dict[registry.Sight[Any], View[Any]]:
    """The additional sights in a world of stream threads: tasks in all roles, and refused clients."""
    views: dict[registry.Sight[Any], View[Any]] = {
        registry.TASKS: View(model.task_censuses.tasks, reads=model.task_censuses.tasks),
        registry.STREAMS_GROUP: View(_streams_group, reads=_known_group, relevant=_stays),
        registry.REFUSED: View(
            lambda state: registry.RefusedStep(
                tuple(cell.value for cell in state.clients),
                _kept_in_mind(_coordinator(state).group),
                state.broker.value.log,
            ),
            relevant=refused,
        ),
    }
    if model.options.faults.write:
        views[registry.UNWRITTEN] = View(
            lambda state: registry.HeldGroup(_in_force(_coordinator(state).group)), relevant=unwritten_in
        )
    return views


def _kept_in_mind(group: Group) -> Group:
    """A Streams group without state that its coordinator may look up or recompute at any time."""
    if not isinstance(group, StreamsTaskGroup):
        return group
    remembered = group.remembered._replace(configured=())
    return group._replace(
        refreshed=REFRESH_DUE, endpoints=(), remembered=remembered, remembered_at_append=remembered
    )


def _in_force(group: Group) -> Group:
    """A Streams group without in-memory state, which no failed write restores."""
    if not isinstance(group, StreamsTaskGroup):
        return group
    nothing = Remembered()
    return group._replace(
        refreshed=REFRESH_DUE,
        endpoints=(),
        endpoint_epoch=0,
        task_offsets=(),
        remembered=nothing,
        remembered_at_append=nothing,
    )


def _on_the_clock(model: TimedModel) -> Views:
    """The sights without a clock, in the world of a timed state; plus that no live member is removed."""
    views: dict[registry.Sight[Any], View[Any]] = {
        sight: View(_of_world(show), reads and _of_world(reads), relevant and _of_world(relevant))
        for sight, (show, reads, relevant) in _world(model.inner).items()
    }

    def known(state: Timed) -> frozenset[str]:
        group = _coordinator(state.world).group
        return _known_members(group).union(group.pending_join if isinstance(group, ClassicGroup) else ())

    def removes(before: Timed, after: Timed) -> bool:
        return not moved(before.world, after.world) and bool(known(before) - known(after))

    views[registry.PRESENCE] = View(
        lambda state: registry.Presence(known(state), model.polling(state)), relevant=removes
    )
    kept = model.timing.keeps_members(model.options.faults, static=any(model.options.instances))
    return Views(views, waived=frozenset() if kept else frozenset({"live-members-kept"}))


def _of_world(look: Callable[..., Any]) -> Callable[..., Any]:
    """A sight of a world, applied to the world of each timed state."""
    return lambda *states: look(*(state.world for state in states))
