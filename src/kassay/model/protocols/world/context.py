"""Common parts of an explored world: options, the state, a local step, and the context.

With an atomic network (N0), an RPC is one step, except that the replies of parked requests wait in the
client's inbox. Without a clock (timeless, T0), a timer may fire whenever its guard allows, which means
that a member it waits for is absent. `NetworkLevel` and `ClockLevel` name the other levels of network
and time; their short ids (N1, T1) are read too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeGuard, TypeVar

from kassay.model.errors import InputError
from kassay.model.explore.states import Interned, Interner, Memo, constant
from kassay.model.explore.values import Action
from kassay.model.protocols.census import Owned
from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.config import COOPERATIVE, EAGER, ClientConfig, Process
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.coordinator.brokers import Brokers, Mail, Targets, TaskTargets
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.faults import NO_FAULTS, Faults, spend
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import nobody_assigns
from kassay.model.protocols.values.groups import EMPTY, ClassicGroup, Group, Role
from kassay.model.protocols.values.in_flight import CONNECTION as CONNECTION
from kassay.model.protocols.values.in_flight import HEARTBEAT_OFFSET as HEARTBEAT_OFFSET
from kassay.model.protocols.values.marks import facts_of
from kassay.model.protocols.values.requests import (
    Image,
    JoinGroupReply,
    OffsetCommit,
    ReplyBody,
    SyncGroupReply,
    image_of,
)

if TYPE_CHECKING:
    from kassay.model.protocols.clients.streams import StreamThread


Level = TypeVar("Level", bound=StrEnum)


def _by_short_id(levels: type[Level], option: str, letter: str, value: object) -> Level:
    """The level from a letter with its index: N0, T1. Raises InputError that names the option."""
    short = {f"{letter}{number}": level for number, level in enumerate(levels)}
    if isinstance(value, str) and value in short:
        return short[value]
    known = " or ".join(f"{level} ({name})" for name, level in short.items())
    raise InputError(f"{option}: unknown level {value!r}; expected {known}")


class NetworkLevel(StrEnum):
    """The handling of a request: one step, separate steps (sent, handled, answered), or going astray."""

    ATOMIC = "atomic"
    STEPS = "steps"
    ASTRAY = "astray"

    @classmethod
    def _missing_(cls, value: object) -> NetworkLevel:
        return _by_short_id(cls, "--network", "N", value)


class ClockLevel(StrEnum):
    """When a timer fires: once its guard allows, or when it is due on an integer clock."""

    TIMELESS = "timeless"
    TICKS = "ticks"

    @classmethod
    def _missing_(cls, value: object) -> ClockLevel:
        return _by_short_id(cls, "--clock", "T", value)


BROKER: Final = "coordinator"
Client: TypeAlias = "ClassicClient | ConsumerClient | StreamThread"
"""A client of a world, of any protocol."""


@dataclass(frozen=True)
class ModelOptions:
    """The options of an exploration. `instances` are the static members' instance ids, "" for dynamic ones.

    `assignors`: one tuple of names per step of the rollout; `modes`: the protocol of each name. `topics` are
    the initial topics, `reads` those of each client if they differ, `pattern` a prefix if clients subscribe
    by one, `regex` an expression that the coordinator resolves, `new_topics` the topics that may be created.
    With `late_targets` an interval separates two targets of a group; with `offload` they are computed in the
    background. With `loading` a new coordinator takes time to read the log even if the network is atomic.
    Unless it is atomic, `records` of each partition can be processed and their offsets committed. From a
    `compacted` log, a new coordinator reads what a cleaner may have left. `remote_assignors` are the clients'
    group.remote.assignor, "" for none.
    """

    members: int = 2
    partitions: int = 2
    topics: tuple[str, ...] = ("t",)
    reads: tuple[tuple[str, ...], ...] = ()
    pattern: str = ""
    regex: str = ""
    late_targets: bool = False
    offload: bool = False
    new_topics: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    assignors: tuple[tuple[str, ...], ...] = (("any-balanced",),)
    modes: tuple[tuple[str, tuple[str, ...]], ...] = (("any-balanced", (EAGER,)),)
    faults: Faults = NO_FAULTS
    switches: frozenset[str] = frozenset()
    version: int = 3
    remembers: bool = False
    threads: bool = False
    assignment_strategies: tuple[tuple[tuple[str, ...], ...], ...] = ()
    network: NetworkLevel = NetworkLevel.ATOMIC
    loading: bool = False
    records: int = 0
    compacted: bool = False
    remote_assignors: tuple[str, ...] = ()

    @property
    def loads_slowly(self) -> bool:
        """Whether a new coordinator takes time to load: always if a request takes more than one step."""
        return self.loading or self.network is not NetworkLevel.ATOMIC


def options(mode: str = EAGER, **changes: Any) -> ModelOptions:
    """Options with any-balanced as the only assignor, in this mode."""
    modes = (("any-balanced", (EAGER,) if mode == EAGER else (EAGER, COOPERATIVE)),)
    return replace(ModelOptions(modes=modes), **changes)


NO_CELL: Final = constant(None)
UNWRITTEN: Final = "the write fails"
UNREADABLE: Final = "its log cannot be read"


class World(NamedTuple):
    """Clients, broker, image and budget, interned. `adopted`: last adopters of what a zombie still holds.

    `offsets` is an interned `Offsets` if records are processed, else an empty value.
    """

    clients: tuple[Interned, ...]
    broker: Interned
    image: Interned
    budget: Interned
    adopted: tuple[tuple[Any, int], ...] = ()
    offsets: Interned = NO_CELL


class WorldMove(NamedTuple):
    """One local step: the client and the broker afterwards, and the replies to other clients.

    `adopts`: the partitions that the client adopts; `accepts`: a commit that the coordinator accepts. `costs`
    names the faults that it uses up, one of each.
    """

    action: Action
    client: Interned
    broker: Interned
    mail: Mail = ()
    adopts: Owned = ()
    accepts: tuple[OffsetCommit, ...] = ()
    costs: tuple[str, ...] = ()


def first_image(o: ModelOptions) -> Image:
    """The initial topics."""
    return image_of((topic, o.partitions) for topic in o.topics)


def config_of(o: ModelOptions, c: int) -> ClientConfig:
    """The configuration of a client."""
    instance = o.instances[c] if c < len(o.instances) else ""
    strategies = o.assignment_strategies[c] if c < len(o.assignment_strategies) else o.assignors
    return ClientConfig(
        f"c{c + 1}",
        instance,
        strategies,
        o.modes,
        () if o.regex else o.reads[c] if o.reads else o.topics,
        o.pattern,
        o.regex,
        o.version,
        o.remembers,
        o.threads,
        o.switches,
        remote_assignor=o.remote_assignors[c] if o.remote_assignors else "",
    )


class WorldContext:
    """The shared context of one model's parts: options, clients' configs, the broker, interned values.

    `configs` are the clients', by default those of the options. A `clocked` broker knows when its timers are
    due. `at_work` is the client whose requests are handled, and `taken` has the member ids that it knows: the
    broker never assigns those.
    """

    def __init__(
        self,
        options: ModelOptions,
        config: requests.Config,
        targets: Targets,
        configs: tuple[ClientConfig, ...] = (),
        *,
        clocked: bool = False,
        tasks: TaskTargets = nobody_assigns,
    ) -> None:
        self.options = options
        self.interner = Interner()
        self.cell = self.interner.cell
        self.configs = configs or tuple(config_of(options, c) for c in range(options.members))
        self.brokers = Brokers(
            config,
            self.interner,
            targets,
            self.member_id,
            clocked=clocked,
            tasks=tasks,
            compacted=options.compacted,
        )
        self.taken: frozenset[str] = frozenset()
        self.at_work = 0
        self._delivered: Memo[tuple[Interned, int, requests.ReplyBody], Interned] = Memo()
        self._spent: dict[tuple[Interned, str], Interned | None] = {}

    def member_id(self, broker: CoordinatorHost, prefix: str) -> str:
        """The first free id with this prefix, not used by the broker or its client.

        Without a prefix, where Kafka uses a bare UUID, the client's name is the prefix.
        """
        if not prefix:
            config = self.configs[self.at_work]
            prefix = config.group_instance_id or config.client_id
        used = facts_of(broker).names | self.taken
        number = 1
        while f"{prefix}-{number}" in used:
            number += 1
        return f"{prefix}-{number}"

    def post(self, clients: tuple[Interned, ...], mail: Mail) -> tuple[Interned, ...]:
        """The clients with replies of parked requests in inboxes; unexpected replies are dropped."""
        for number, body in mail:
            connection, c = divmod(number % HEARTBEAT_OFFSET, CONNECTION)
            client = clients[c]
            key = (client, number, body)
            after = self._delivered.get(key)
            if after is None:
                value: Client = client.value
                hears = value.run in (Process.UP, Process.PAUSED, Process.STALLED)
                hears = hears and value.connection == connection
                after = self.cell(value._replace(inbox=(body,))) if hears and awaited(body, value) else client
                self._delivered[key] = after
            if after is not client:
                clients = (*clients[:c], after, *clients[c + 1 :])
        return clients

    def spend(self, budget: Interned, fault: str) -> Interned | None:
        """The budget after one such fault, or None if none is left."""
        key = (budget, fault)
        if key not in self._spent:
            left = spend(budget.value, fault)
            self._spent[key] = None if left is None else self.cell(left)
        return self._spent[key]

    def spent(self, budget: Interned, fault: str) -> Interned:
        """The budget after a fault that it allows."""
        left = self.spend(budget, fault)
        assert left is not None, "a fault needs a budget"
        return left

    def faulty(self, state: World, c: int, client: Client, fault: str) -> World:
        """The world after a fault changed a client."""
        return put(state, c, self.cell(client), self.spent(state.budget, fault))

    def move(
        self,
        action: Action,
        before: Client,
        after: Client,
        broker: Interned,
        mail: Mail = (),
        costs: tuple[str, ...] = (),
    ) -> WorldMove:
        """A local step, with the partitions that the client adopts."""
        if costs:
            action = action._replace(fault=True)
        adopts: Owned = ()
        late = _catches_up(before, after)
        if (late or after.owned != before.owned) and is_current(after, broker):
            adopts = tuple(tp for tp in after.owned if late or tp not in before.owned)
        return WorldMove(action, self.cell(after), broker, mail, adopts, costs=costs)


def _catches_up(before: Client, after: Client) -> bool:
    """Whether a member that missed a round adopts again: then it also adopts what it keeps."""
    if not isinstance(before, ClassicClient) or not isinstance(after, ClassicClient) or after.overtaken:
        return False
    return before.overtaken or after.generation > before.generation + 1 > 0


def labelled(action: Action, before: Interned, after: Interned) -> Action:
    """The action with its effect on the group: generations begun, members joined and removed."""
    old, new = before.value.state.group, after.value.state.group
    if old is new:
        return action
    old_ids = {m.member_id for m in old.members} if old is not None else set()
    new_ids = {m.member_id for m in new.members} if new is not None else set()
    begun = epoch_of(new) - (0 if _replaces(old, new) else epoch_of(old))
    return action._replace(disturbs=action.disturbs or old_ids != new_ids, rounds=max(0, begun))


def _replaces(old: Group, new: Group) -> bool:
    """Whether a group replaces an empty one of the other kind: then it counts its rounds from 0."""
    if old is None or new is None or isinstance(old, ClassicGroup) is isinstance(new, ClassicGroup):
        return False
    return old.state == EMPTY if isinstance(old, ClassicGroup) else not old.members


def unwritten(action: Action) -> Action:
    """The action if the coordinator cannot append its records."""
    words = (action.detail, UNWRITTEN) if action.detail else (UNWRITTEN,)
    return action._replace(detail="; ".join(words), fault=True)


def reading(broker: Interned) -> str:
    """The note on a coordinator that has moved: empty, unless it cannot read its log."""
    return UNREADABLE if broker.value.state.role is Role.NOT_COORDINATOR else ""


def epoch_of(group: Group) -> int:
    """The generation, or the group epoch."""
    if group is None:
        return 0
    return group.generation if isinstance(group, ClassicGroup) else group.epoch


def awaited(body: ReplyBody, client: Client) -> TypeGuard[JoinGroupReply | SyncGroupReply]:
    """Whether the reply answers the main thread's outstanding request."""
    if not isinstance(client, ClassicClient):
        return False
    if isinstance(body, JoinGroupReply):
        return client.waits == "join"
    return isinstance(body, SyncGroupReply) and client.waits == "sync"


def is_current(client: Client, broker: Interned) -> bool:
    """Whether a client's identity is the registry's: only then does it become the owner."""
    group = broker.value.state.group
    if group is None:
        return False
    own = client.generation if isinstance(client, ClassicClient) else client.epoch
    if isinstance(group, ClassicGroup):
        return own == group.generation and any(m.member_id == client.member_id for m in group.members)
    return any(m.member_id == client.member_id and m.epoch == own for m in group.members)


def put(state: World, c: int, cell: Interned, budget: Interned | None = None) -> World:
    """The world with another client at this position, and with another budget if given."""
    clients, broker, image, before, adopted, offsets = state
    return World((*clients[:c], cell, *clients[c + 1 :]), broker, image, budget or before, adopted, offsets)


def listing(tps: Owned) -> str:
    """Partitions or tasks in a short form."""
    return ",".join(str(tp) for tp in tps) or "nothing"


def gained(before: World, after: World) -> bool:
    """Whether a step changed what some client believes it owns."""
    if before.clients is not after.clients:
        for old, new in zip(before.clients, after.clients):
            if old is not new and old.value.owned != new.value.owned:
                return True
    return False


def failed(before: World, after: World) -> bool:
    """Whether some client reads an error from its inbox in this step.

    All other steps of a client with an error in its inbox cost a fault: exceeding max.poll.interval.ms, or
    dying.
    """
    if before.clients is not after.clients and before.budget is after.budget:
        for old, new in zip(before.clients, after.clients):
            if old is not new and old.value.inbox and old.value.inbox[0].error != errors.NONE:
                return True
    return False


def unwritten_in(before: World, after: World) -> bool:
    """Whether a write of the coordinator failed in this step."""
    return before.budget is not after.budget and before.budget.value.write != after.budget.value.write


def loaded_in(before: World, after: World) -> bool:
    """Whether a new coordinator has read the log in this step."""
    role = before.broker.value.state.role
    loads = role is Role.LOADING or (role is Role.ACTIVE and moved(before, after))
    return loads and after.broker.value.state.role is not Role.LOADING


def moved(before: World, after: World) -> bool:
    """Whether the coordinator failed over in this step."""
    old: Faults = before.budget.value
    new: Faults = after.budget.value
    return old.failover != new.failover
