"""The classic protocol's world: clients, coordinator, metadata, network, faults, and a little history.

Network N0: an RPC is one step, except that the replies of parked requests lie in the client's inbox
until it takes them. There is no clock (T0): a timer may fire whenever its guard lets it, which says
that somebody it waits for is absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.explore import Action, Cell, Interner
from kassay.model.protocols import client_classic as cc
from kassay.model.protocols import values as v
from kassay.model.protocols.balanced import AnyBalanced, tps_of
from kassay.model.protocols.broker import Broker, Brokers, Mail
from kassay.model.protocols.census import Belief, Census, Registered, complete
from kassay.model.protocols.client_classic import Assign, Client, ClientConfig, Run, State
from kassay.model.protocols.faults import NO_FAULTS, Faults, spend
from kassay.model.protocols.groups import EMPTY, STABLE, ClassicGroup, Group
from kassay.model.protocols.rename import Facts, facts_of, renamed
from kassay.model.protocols.values import (
    Commit,
    Image,
    Join,
    JoinReply,
    Leave,
    Partitions,
    Sync,
    SyncReply,
    image_of,
)

BROKER: Final = "coordinator"
HEARTBEAT_OFFSET: Final = 1000
CONNECTION: Final = 100
_NO_CELL: Final = Cell(None)


@dataclass(frozen=True)
class Options:
    """What is explored. `instances` names static members' instance ids, "" for dynamic ones.

    `assignors`: one tuple of names a rollout rung; `modes` what each name supports. `topics` are the
    topics at the start, `pattern` a prefix if clients subscribe by one, `new_topics` what may be created.
    """

    members: int = 2
    partitions: int = 2
    topics: tuple[str, ...] = ("t",)
    pattern: str = ""
    new_topics: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    assignors: tuple[tuple[str, ...], ...] = (("any-balanced",),)
    modes: tuple[tuple[str, tuple[str, ...]], ...] = (("any-balanced", (cc.EAGER,)),)
    faults: Faults = NO_FAULTS
    switches: frozenset[str] = frozenset()
    version: int = 3
    remembers: bool = False
    threads: bool = False
    lists: tuple[tuple[tuple[str, ...], ...], ...] = ()
    partitions_max: int = 4


def options(mode: str = cc.EAGER, **changes: Any) -> Options:
    """Options whose one assignor, any-balanced, supports the mode."""
    modes = (("any-balanced", (cc.EAGER,) if mode == cc.EAGER else (cc.EAGER, cc.COOPERATIVE)),)
    return replace(Options(modes=modes), **changes)


class World(NamedTuple):
    """Cells of clients, broker, image and budget. `adopted`: who last adopted what a zombie still holds."""

    clients: tuple[Cell, ...]
    broker: Cell
    image: Cell
    budget: Cell
    adopted: tuple[tuple[TopicPartition, int], ...] = ()


class Move(NamedTuple):
    """One local step: what becomes of client and broker, and the replies that others get."""

    action: Action
    client: Cell
    broker: Cell
    mail: Mail = ()
    adopts: Partitions = ()


class ClassicModel:
    """The classic protocol at small sizes, with any assignor. `steps` is memoised piece by piece.

    Local steps depend on one client, the broker and the image; they are computed once for each such
    triple. What remains for each state is to put the pieces together.
    """

    def __init__(self, options: Options, assign: Assign | None = None) -> None:
        self.options = options
        mode = dict(options.modes).get(options.assignors[0][0], (cc.EAGER,))[-1]
        self.assign = assign or AnyBalanced(mode, sticky=options.remembers, switches=options.switches)
        self.interner = Interner()
        self.configs = tuple(self._config(c) for c in range(options.members))
        switches = options.switches
        self.brokers = Brokers(
            v.Config(initial_rebalance_delay=0, switches=switches),
            self.interner,
            lambda _: (),
            self._member_id,
        )
        self._moves: dict[tuple[int, Cell, Cell, Cell, bool, bool], tuple[Move, ...]] = {}
        self._timers: dict[Any, tuple[tuple[Action, Cell, Mail], ...]] = {}
        self._delivered: dict[tuple[Cell, int, v.ReplyBody], Cell] = {}
        self._facts: dict[Cell, Facts] = {}
        self._renamed: dict[Any, Cell] = {}
        self._census: dict[Any, Census] = {}
        self._spent: dict[tuple[Cell, str], Cell | None] = {}
        self._plain: dict[World, World] = {}

    def _config(self, c: int) -> ClientConfig:
        o = self.options
        instance = o.instances[c] if c < len(o.instances) else ""
        lists = o.lists[c] if c < len(o.lists) else o.assignors
        return ClientConfig(
            f"c{c + 1}",
            instance,
            lists,
            o.modes,
            o.topics,
            o.pattern,
            o.version,
            o.remembers,
            o.threads,
            o.switches,
        )

    def _member_id(self, broker: Broker, prefix: str) -> str:
        """The first free id of this prefix, not in use by the broker or its client."""
        used = facts_of(broker).names | self._taken
        number = 1
        while f"{prefix}-{number}" in used:
            number += 1
        return f"{prefix}-{number}"

    _taken: frozenset[str] = frozenset()

    # The explorer's model.

    def initial(self) -> Iterator[World]:
        """Nobody has started; the topics exist."""
        o, cell = self.options, self.interner.cell
        image = image_of((topic, o.partitions) for topic in o.topics)
        yield World((cell(Client()),) * o.members, self.brokers.first(()), cell(image), cell(o.faults))

    def steps(self, state: World) -> Iterator[tuple[Action, World]]:
        """Clients' steps, the coordinator's timers, faults."""
        clients, broker, image, budget, _ = state
        faults: Faults = budget.value
        lossy, logged = faults.loss > 0, faults.failover > 0
        for c, client in enumerate(clients):
            key = (c, client, broker, image, lossy, logged)
            moves = self._moves.get(key)
            if moves is None:
                moves = self._moves[key] = tuple(self._client_moves(c, client, broker, image, faults))
            for move in moves:
                yield move.action, self._apply(state, c, move)
        yield from self._timer_steps(state)
        if any(faults):
            yield from self._fault_steps(state, faults)
        yield from self._start_steps(state)

    def _apply(self, state: World, c: int, move: Move) -> World:
        clients = state.clients
        if move.client is not clients[c]:
            clients = (*clients[:c], move.client, *clients[c + 1 :])
        adopted = state.adopted
        if adopted or move.adopts:
            adopted = self._adoptions(adopted, clients, c, move.adopts)
        budget = state.budget
        if move.action.fault:
            budget = self._spend(budget, "loss") or budget
        if move.mail:
            clients = self._post(clients, move.mail)
        return World(clients, move.broker, state.image, budget, adopted)

    def _post(self, clients: tuple[Cell, ...], mail: Mail) -> tuple[Cell, ...]:
        """Put replies of parked requests into inboxes; one that nobody waits for is dropped."""
        for number, body in mail:
            connection, c = divmod(number % HEARTBEAT_OFFSET, CONNECTION)
            client = clients[c]
            key = (client, number, body)
            after = self._delivered.get(key)
            if after is None:
                value: Any = client.value
                wanted = "join" if isinstance(body, JoinReply) else "sync"
                hears = value.run in (Run.UP, Run.PAUSED, Run.STALLED) and value.waits == wanted
                hears = hears and value.connection == connection
                after = self.interner.cell(value._replace(inbox=(body,))) if hears else client
                self._delivered[key] = after
            if after is not client:
                clients = (*clients[:c], after, *clients[c + 1 :])
        return clients

    def _adoptions(
        self,
        adopted: tuple[tuple[TopicPartition, int], ...],
        clients: tuple[Cell, ...],
        c: int,
        adopts: Partitions,
    ) -> tuple[tuple[TopicPartition, int], ...]:
        """Who adopted last, kept only for partitions that somebody else still believes to own."""
        found = dict(adopted)
        found.update((tp, c) for tp in adopts)
        return tuple(
            sorted(
                (tp, last)
                for tp, last in found.items()
                if any(tp in cell.value.owned for i, cell in enumerate(clients) if i != last)
            )
        )

    def _spend(self, budget: Cell, fault: str) -> Cell | None:
        key = (budget, fault)
        if key not in self._spent:
            left = spend(budget.value, fault)
            self._spent[key] = None if left is None else self.interner.cell(left)
        return self._spent[key]

    # One client's steps.

    def watched_timers(self, state: World) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
        """The group, whose session timers are armed, and which parked members' expiry may be ignored."""
        broker: Broker = state.broker.value
        sessions = (v.SESSION, v.CONSUMER_SESSION)
        armed = tuple(order.timer.member for order in broker.armed if order.timer.kind in sessions)
        group = broker.state.group
        members = group.members if isinstance(group, ClassicGroup) else ()
        excused = tuple(
            m.member for m in members if (m.awaiting_join >= 0 and not m.is_new) or m.awaiting_sync >= 0
        )
        return group, armed, excused

    def _client_moves(self, c: int, cell: Cell, broker: Cell, image: Cell, faults: Faults) -> Iterator[Move]:
        client: Client = cell.value
        self._taken = frozenset({client.member})
        config = self.configs[c]
        logged = faults.failover > 0
        if client.run is Run.STALLED:
            yield from self._heartbeats(c, cell, broker, logged)
            return
        if client.run is not Run.UP:
            return
        if client.inbox:
            yield from self._receive(c, cell, broker, image, faults)
        if client.given:
            done = cc.callback(config, client)
            yield self._move(
                Action(f"c{c + 1}", "callback", detail=listing(done.owned)), client, done, broker
            )
        if cc.must_join(client) and not self._hangs(client, image.value):
            yield from self._poll(c, cell, broker, image, faults)
        yield from self._heartbeats(c, cell, broker, logged)
        noticed = cc.stale_metadata(config, client, image.value)
        if noticed is not None:
            yield self._move(Action(f"c{c + 1}", "notices metadata", disturbs=True), client, noticed, broker)

    def _hangs(self, client: Client, image: Image) -> bool:
        """KAFKA-14024: the commit before the join meets a deleted topic and is retried for ever."""
        if "commit_forever_in_prepare" not in self.options.switches or not client.callbacks:
            return False
        exist = {topic.name for topic in image}
        return client.generation >= 0 and any(tp.topic not in exist for tp in client.owned)

    def _move(self, action: Action, before: Any, after: Any, broker: Cell, mail: Mail = ()) -> Move:
        adopts: Partitions = ()
        if after.owned != before.owned and _is_current(after, broker):
            adopts = tuple(tp for tp in after.owned if tp not in before.owned)
        return Move(action, self.interner.cell(after), broker, mail, adopts)

    def _call(
        self, action: Action, before: Client, turn: cc.Turn, c: int, broker: Cell, faults: Faults
    ) -> Iterator[Move]:
        """Send a turn's request, if any: every outcome, and every way in which it can get lost."""
        client, request = turn
        if request is None:
            yield self._move(action, before, client, broker)
            return
        if faults.loss:
            lost = self._cut_off(c, client)
            label = action._replace(fault=True, reply="lost before the coordinator")
            yield self._move(label, before, lost, broker)
        for after, mail in self.brokers.handle(broker, request, keeps_log=faults.failover > 0):
            own = [body for number, body in mail if number == request.request]
            rest = tuple(item for item in mail if item[0] != request.request)
            label = self._labelled(action, broker, after)
            if faults.loss:
                lost = self._cut_off(c, client)
                yield self._move(label._replace(fault=True, reply="reply lost"), before, lost, after, rest)
            if not own:
                yield self._move(label._replace(reply="parked"), before, client, after, rest)
                continue
            (body,) = own
            told = body.error if body.error != v.NONE else "ok"
            label = label._replace(reply=told)
            if isinstance(body, JoinReply) and body.error == v.NONE:
                yield self._move(label, before, client._replace(inbox=(body,)), after, rest)
            elif isinstance(body, JoinReply):
                for refused, _ in cc.on_join(self.configs[c], request.request, client, body, (), self.assign):
                    yield self._move(label, before, refused, after, rest)
            elif isinstance(body, SyncReply):
                adopted = cc.on_sync(self.configs[c], client, body)
                yield self._move(label, before, adopted, after, rest)

    def _cut_off(self, c: int, client: Client) -> Client:
        """The client once its connection broke: it opens another, and hears nothing of the old one."""
        told = cc.on_error(self.configs[c], client, v.NOT_COORDINATOR)
        return told._replace(waits="", connection=client.connection + 1)

    def _labelled(self, action: Action, before: Cell, after: Cell) -> Action:
        """The action with what it does to the group: generations begun, members come and gone."""
        old, new = before.value.state.group, after.value.state.group
        if old is new:
            return action
        old_ids = {m.member for m in old.members} if old is not None else set()
        new_ids = {m.member for m in new.members} if new is not None else set()
        rounds = _epoch(new) - _epoch(old)
        return action._replace(disturbs=action.disturbs or old_ids != new_ids, rounds=max(0, rounds))

    def _poll(self, c: int, cell: Cell, broker: Cell, image: Cell, faults: Faults) -> Iterator[Move]:
        client: Client = cell.value
        turn = cc.poll(self.configs[c], c + CONNECTION * client.connection, client, image.value)
        joining, request = turn
        assert isinstance(request, Join), "a poll sends JoinGroup"
        gone = tuple(tp for tp in client.owned if tp not in joining.owned)
        word = "lost" if client.generation < 0 else "revoked"
        detail = f"member {client.member or 'new'}, generation {client.generation}"
        if gone:
            detail += f"; {word} {listing(gone)}"
        if joining.owned:
            detail += f"; claims {listing(joining.owned)}"
        action = Action(f"c{c + 1}", "JoinGroup", BROKER, detail)
        yield from self._call(action, client, turn, c, broker, faults)

    def _receive(self, c: int, cell: Cell, broker: Cell, image: Cell, faults: Faults) -> Iterator[Move]:
        client: Client = cell.value
        config, name = self.configs[c], f"c{c + 1}"
        (body,) = client.inbox
        heard = client._replace(inbox=())
        if isinstance(body, SyncReply):
            after = cc.on_sync(config, heard, body)
            error = "" if body.error == v.NONE else body.error
            detail = error or f"owns {listing(after.owned)}"
            action = Action(name, "takes SyncGroup reply", detail=detail)
            yield self._move(action, client, after, broker)
            return
        for turn in cc.on_join(
            config, c + CONNECTION * client.connection, heard, body, image.value, self.assign
        ):
            action = Action(name, "takes JoinGroup reply", detail=body.error if body.error != v.NONE else "")
            request = turn[1]
            if isinstance(request, Sync):
                detail = f"generation {request.generation}"
                if request.assignments:
                    detail += "; " + "; ".join(f"{m}: {listing(tps)}" for m, tps in request.assignments)
                action = Action(name, "SyncGroup", BROKER, detail)
            yield from self._call(action, client, turn, c, broker, faults)

    def _heartbeats(self, c: int, cell: Cell, broker: Cell, logged: bool) -> Iterator[Move]:
        """A heartbeat, where its answer changes anything (else it is a self-loop, left out)."""
        client: Client = cell.value
        request = cc.heartbeat(self.configs[c], HEARTBEAT_OFFSET + c, client)
        if request is None or broker.value.state.group is None:
            return
        for after, mail in self.brokers.handle(broker, request, keeps_log=logged):
            body = next(reply for number, reply in mail if number == request.request)
            told = cc.on_heartbeat(self.configs[c], client, request, body.error)
            if told != client or after is not broker:
                action = Action(
                    f"c{c + 1}", "Heartbeat", BROKER, f"generation {client.generation}", body.error
                )
                yield self._move(action, client, told, after)

    # The coordinator's steps.

    def _timer_steps(self, state: World) -> Iterator[tuple[Action, World]]:
        broker: Broker = state.broker.value
        if not broker.armed and not broker.unanswered:
            return
        presence = tuple(self._presence(c, cell) for c, cell in enumerate(state.clients))
        logged = state.budget.value.failover > 0
        key = (state.broker, presence, logged)
        found = self._timers.get(key)
        if found is None:
            found = self._timers[key] = tuple(self._fire(state.broker, presence, logged))
        for action, after, mail in found:
            clients = self._post(state.clients, mail) if mail else state.clients
            yield action, World(clients, after, state.image, state.budget, state.adopted)

    def _presence(self, c: int, cell: Cell) -> tuple[str, str, int]:
        """Whether a client polls ("up"), only heartbeats ("stalled") or nothing; its id and request."""
        client: Client = cell.value
        run = client.run.value if client.run in (Run.UP, Run.STALLED) else "absent"
        member = client.member
        if client.inbox and isinstance(client.inbox[0], JoinReply):
            member = client.inbox[0].member or member
        return run, member, c + CONNECTION * client.connection if client.waits else -1

    def _fire(
        self, cell: Cell, presence: tuple[tuple[str, str, int], ...], logged: bool
    ) -> Iterator[tuple[Action, Cell, Mail]]:
        broker: Broker = cell.value
        if broker.unanswered:
            for after, mail in self.brokers.acknowledge(cell, keeps_log=logged):
                yield Action(BROKER, "the assignment is stored"), after, mail
        group = broker.state.group
        if group is None:
            return
        polling, beating = set(), set()
        parked: dict[int, str] = {}
        if isinstance(group, ClassicGroup):
            parked = {m.awaiting_join: m.member for m in group.members if m.awaiting_join >= 0}
            parked |= {m.awaiting_sync: m.member for m in group.members if m.awaiting_sync >= 0}
        for run, member, number in presence:
            if run == "absent":
                continue
            ids = {member, parked.get(number, member)}
            beating |= ids
            if run == "up":
                polling |= ids
        for timer in broker.armed:
            kind, member_id = timer.timer
            name, due = self._due(group, kind, member_id, polling, beating)
            due = due or (kind == v.JOIN and bool(timer.payload))
            if due:
                for after, mail in self.brokers.fire(cell, timer, keeps_log=logged):
                    if after is not cell:
                        yield self._labelled(Action(BROKER, name), cell, after), after, mail

    def _due(
        self, group: Any, kind: str, member: str, polling: set[str], beating: set[str]
    ) -> tuple[str, bool]:
        """What a timer is called, and whether its guard lets it fire."""
        if kind == v.SESSION:
            return f"session of {member} expires", member not in beating
        if kind == v.JOIN:
            awaited = {m.member for m in group.members if m.awaiting_join < 0} | set(group.pending_join)
            return "join timer fires", bool(awaited - polling)
        return "sync timer fires", bool(set(group.pending_sync) - polling)

    # Faults and triggers.

    def _rungs(self, c: int) -> int:
        return len(self.configs[c].lists)

    def _fresh(self, c: int, rung: int, image: Image, connection: int) -> Any:
        """A process that has just started."""
        return cc.started(self.configs[c], image, rung, connection)

    def _settled_image(self, broker: Cell, image: Image) -> Cell:  # noqa: ARG002 - a classic coordinator reads no metadata
        """The broker once it has seen the metadata."""
        return broker

    def _start_steps(self, state: World) -> Iterator[tuple[Action, World]]:
        for c, cell in enumerate(state.clients):
            client: Client = cell.value
            config = self.configs[c]
            if client.run is Run.NEW or (client.run is Run.GONE and config.instance):
                fresh = self.interner.cell(self._fresh(c, client.rung, state.image.value, client.connection))
                word = "start" if client.run is Run.NEW else "restart"
                yield Action(f"c{c + 1}", word, fault=True, disturbs=True), _put(state, c, fresh)
            elif client.run is Run.PAUSED:
                awake = self.interner.cell(client._replace(run=Run.UP))
                yield Action(f"c{c + 1}", "resumes", disturbs=True), _put(state, c, awake)

    def _fault_steps(self, state: World, faults: Faults) -> Iterator[tuple[Action, World]]:
        for c, cell in enumerate(state.clients):
            yield from self._client_faults(state, c, cell, faults)
        if faults.failover and state.broker.value.state.group is not None:
            yield self._fail_over(state)
        yield from self._metadata_faults(state, faults)

    def _client_faults(
        self, state: World, c: int, cell: Cell, faults: Faults
    ) -> Iterator[tuple[Action, World]]:
        client: Client = cell.value
        name = f"c{c + 1}"
        alive = client.run in (Run.UP, Run.PAUSED)
        if faults.crash and alive:
            yield Action(name, "crashes", fault=True), self._faulty(state, c, _gone(client), "crash")
        if faults.pause and client.run is Run.UP:
            paused = client._replace(run=Run.PAUSED)
            yield Action(name, "pauses", fault=True), self._faulty(state, c, paused, "pause")
        if faults.slow and client.run is Run.UP:
            yield from self._slow(state, c, client)
        if faults.leave and client.run is Run.UP:
            after = self._faulty(state, c, _gone(client), "leave")
            yield from self._leave(Action(name, "closes, LeaveGroup", BROKER, fault=True), after, c, client)
        if (
            faults.subscribe
            and client.run is Run.UP
            and len(self.options.topics) > 1
            and len(client.topics) > 1
        ):
            fewer = client._replace(topics=client.topics[:1], rejoin=True)
            yield Action(name, "subscribes to less", fault=True), self._faulty(state, c, fewer, "subscribe")
        if faults.rollout and alive and client.rung + 1 < self._rungs(c):
            after = self._faulty(
                state, c, _gone(client)._replace(run=Run.NEW, rung=client.rung + 1), "rollout"
            )
            yield from self._leave(
                Action(name, "closes for its next version", BROKER, fault=True), after, c, client
            )

    def _faulty(self, state: World, c: int, client: Any, fault: str) -> World:
        budget = self._spend(state.budget, fault)
        assert budget is not None, "a fault needs a budget"
        return _put(state, c, self.interner.cell(client))._replace(budget=budget)

    def _leave(self, action: Action, after: World, c: int, client: Client) -> Iterator[tuple[Action, World]]:
        """LeaveGroup of a dynamic member that has an id; a static one goes silently (KIP-345)."""
        config = self.configs[c]
        if not client.member or config.instance or after.broker.value.state.group is None:
            yield action, after
            return
        logged = after.budget.value.failover > 0
        request = Leave(HEARTBEAT_OFFSET + c, ((client.member, ""),))
        for broker, mail in self.brokers.handle(after.broker, request, keeps_log=logged):
            others = tuple(item for item in mail if item[0] < HEARTBEAT_OFFSET)
            clients = self._post(after.clients, others)
            label = self._labelled(action, after.broker, broker)
            yield label, after._replace(clients=clients, broker=broker)

    def _slow(self, state: World, c: int, client: Client) -> Iterator[tuple[Action, World]]:
        """max.poll.interval.ms expires: a dynamic member leaves, a static one falls silent.

        A member that should send SyncGroup may stand still instead, its heartbeats going on.
        """
        name = f"c{c + 1}"
        if client.inbox and isinstance(client.inbox[0], JoinReply):
            stalled = client._replace(run=Run.STALLED)
            yield Action(name, "main thread stalls", fault=True), self._faulty(state, c, stalled, "slow")
        if self.configs[c].instance:
            silent = client._replace(run=Run.PAUSED)
            yield (
                Action(name, "polls too late, falls silent", fault=True),
                self._faulty(state, c, silent, "slow"),
            )
        elif client.member:
            after = self._faulty(state, c, cc.poll_expired(client), "slow")
            yield from self._leave(
                Action(name, "polls too late, LeaveGroup", BROKER, fault=True), after, c, client
            )

    def _fail_over(self, state: World) -> tuple[Action, World]:
        budget = self._spend(state.budget, "failover")
        assert budget is not None, "a fault needs a budget"
        broker, mail = self.brokers.fail_over(state.broker, keeps_log=budget.value.failover > 0)
        clients = self._post(state.clients, mail)
        label = Action(BROKER, "moves to another broker", fault=True)
        return label, World(clients, broker, state.image, budget, state.adopted)

    def _metadata_faults(self, state: World, faults: Faults) -> Iterator[tuple[Action, World]]:
        image: Image = state.image.value
        changes: list[tuple[str, str, Image]] = []
        if faults.partitions:
            changes += [
                (
                    "partitions",
                    f"{topic.name} grows to {topic.partitions + 1} partitions",
                    tuple(t._replace(partitions=t.partitions + 1) if t == topic else t for t in image),
                )
                for topic in image
                if topic.partitions < self.options.partitions_max
            ]
        if faults.topic:
            known = {topic.name for topic in image}
            changes += [
                ("topic", f"topic {name} is created", tuple(sorted((*image, v.TopicImage(name, name, 1)))))
                for name in self.options.new_topics
                if name not in known
            ]
        if faults.delete:
            changes += [
                ("delete", f"topic {topic.name} is deleted", tuple(t for t in image if t != topic))
                for topic in image
            ]
        for fault, label, after in changes:
            budget = self._spend(state.budget, fault)
            assert budget is not None, "a fault needs a budget"
            yield (
                Action("metadata", label, fault=True, disturbs=True),
                state._replace(
                    image=self.interner.cell(after),
                    budget=budget,
                    broker=self._settled_image(state.broker, after),
                ),
            )

    # What is the same, and what it looks like.

    def canonical(self, state: World) -> World:
        """Generations counted from the lowest one in use, member ids numbered from 1 a client."""
        shift, names = 0, frozenset[str]()
        low = 1 << 30
        parts = (*state.clients, state.broker)
        renumber = False
        for part in parts:
            facts = self._facts.get(part)
            if facts is None:
                facts = self._facts[part] = facts_of(part.value)
            if facts.low < low:
                low = facts.low
            if facts.renumber:
                renumber = True
        if low > 1 and low < 1 << 30:
            shift = low - 1
        if not shift and not renumber:
            return state
        mapping: tuple[tuple[str, str], ...] = ()
        if renumber:
            for part in parts:
                names |= self._facts[part].names
            mapping = _renumbering(names)
        if not shift and not mapping:
            return state
        return state._replace(
            clients=tuple(self._rename(cell, shift, mapping) for cell in state.clients),
            broker=self._rename(state.broker, shift, mapping),
        )

    def _rename(self, cell: Cell, shift: int, mapping: tuple[tuple[str, str], ...]) -> Cell:
        key = (cell, shift, mapping)
        found = self._renamed.get(key)
        if found is None:
            value = cell.value
            if isinstance(value, Broker):
                inner = self.interner.cell(renamed(value.state, shift, mapping))
                value = renamed(value._replace(coordinator=_NO_CELL), shift, mapping)._replace(
                    coordinator=inner
                )
            else:
                value = renamed(value, shift, mapping)
            found = self._renamed[key] = self.interner.cell(value)
        return found

    def converged(self, state: World) -> bool:
        """Stable, everybody alive settled in the current generation, every partition owned as recorded."""
        found = self.census(state)
        return found.resting and (complete(found) or found.excused)

    def public(self, state: World) -> Any:
        """What a census reads of a state."""
        broker: Broker = state.broker.value
        return (state.clients, broker.coordinator, state.image, state.adopted, bool(broker.unanswered))

    def census(self, state: World) -> Census:
        """Who owns what, in belief and on record."""
        key = self.public(state)
        found = self._census.get(key)
        if found is None:
            found = self._census[key] = self._take_census(state)
        return found

    def _take_census(self, state: World) -> Census:
        group = state.broker.value.state.group
        image: Image = state.image.value
        members = {m.member: m for m in group.members} if group is not None else {}
        quiet = group is None or (group.state in (STABLE, EMPTY) and not group.pending_join)
        quiet = quiet and not state.broker.value.unanswered
        beliefs = [self._belief(c, cell, state) for c, cell in enumerate(state.clients)]
        quiet = quiet and all(b.settled and b.current for b in beliefs if b.live)
        live_ids = {belief.member for belief in beliefs if belief.live}
        registry = tuple(
            Registered(
                m.member,
                m.instance,
                _topics(m.protocols),
                () if m.assignment == v.ZERO_BYTES else m.assignment,
            )
            for m in members.values()
        )
        wanted = tps_of(image, (topic for entry in registry for topic in entry.topics))
        resting = quiet and live_ids == set(members)
        adopted = tuple((tp, f"c{c + 1}") for tp, c in state.adopted)
        excused = any(isinstance(cell.value, Client) and cell.value.trusting for cell in state.clients)
        return Census(tuple(beliefs), registry, wanted, resting, adopted, excused=excused)

    def _belief(self, c: int, cell: Cell, state: World) -> Belief:
        """One client's belief, and how it stands to the registry."""
        client: Client = cell.value
        group = state.broker.value.state.group
        member = (
            next((m for m in group.members if m.member == client.member), None) if group is not None else None
        )
        own = -2 if member is None else group.generation if isinstance(group, ClassicGroup) else member.epoch
        current = client.generation == own
        waiting = client.rejoin or client.waits or client.inbox or client.given
        settled = (
            client.run is Run.UP
            and client.state is State.STABLE
            and not waiting
            and cc.stale_metadata(self.configs[c], client, state.image.value) is None
        )
        rejoined = member is not None and (
            current or not member.instance or bool(client.inbox) or client.waits == "join"
        )
        live = client.run in (Run.UP, Run.PAUSED)
        commits = (
            live
            and client.state is State.STABLE
            and bool(client.owned)
            and client.generation >= 0
            and self._accepts(state.broker, c, client)
        )
        return Belief(
            f"c{c + 1}",
            client.member,
            live,
            current,
            settled,
            client.owned,
            commits,
            rejoined,
            client.generation >= 0,
            client.ahead,
        )

    def _accepts(self, broker: Cell, c: int, client: Client) -> bool:
        """Whether the coordinator would take a commit from this client now."""
        if broker.value.state.group is None:
            return False
        request = Commit(HEARTBEAT_OFFSET + c, client.member, client.generation, (), self.configs[c].instance)
        return any(
            body.error == v.NONE
            for _, mail in self.brokers.handle(broker, request, keeps_log=False)
            for _, body in mail
        )


def _gone(client: Client) -> Client:
    """A process that is no more; what comes after it has connections of its own."""
    return Client(Run.GONE, rung=client.rung, connection=client.connection + 1)


def _epoch(group: Group) -> int:
    """The generation, or the group epoch."""
    if group is None:
        return 0
    return group.generation if isinstance(group, ClassicGroup) else group.epoch


def _is_current(client: Any, broker: Cell) -> bool:
    """Whether a client's identity is the registry's: only then does it take over what it adopts."""
    group = broker.value.state.group
    if group is None:
        return False
    own = client.generation if isinstance(client, Client) else client.epoch
    if isinstance(group, ClassicGroup):
        return own == group.generation and any(m.member == client.member for m in group.members)
    return any(m.member == client.member and m.epoch == own for m in group.members)


def _topics(protocols: v.Protocols) -> tuple[str, ...]:
    for _, metadata in protocols:
        if isinstance(metadata, v.Subscription):
            return metadata.topics
    return ()


def _renumbering(names: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """For each client's ids, in their order, the numbers from 1; only what changes."""
    seen: dict[str, int] = {}
    changes = []
    for name in sorted(names):
        prefix = name.rpartition("-")[0]
        seen[prefix] = seen.get(prefix, 0) + 1
        fresh = f"{prefix}-{seen[prefix]}"
        if fresh != name:
            changes.append((name, fresh))
    return tuple(changes)


def _put(state: World, c: int, cell: Cell) -> World:
    clients = state.clients
    return state._replace(clients=(*clients[:c], cell, *clients[c + 1 :]))


def listing(tps: Partitions) -> str:
    """Partitions in a few characters."""
    return ",".join(str(tp) for tp in tps) or "nothing"


def gained(before: World, after: World) -> bool:
    """Whether a step changed what some client believes to own."""
    return any(
        old is not new and old.value.owned != new.value.owned
        for old, new in zip(before.clients, after.clients)
    )


def moved(before: World, after: World) -> bool:
    """Whether the coordinator failed over in this step."""
    old: Faults = before.budget.value
    new: Faults = after.budget.value
    return old.failover != new.failover
