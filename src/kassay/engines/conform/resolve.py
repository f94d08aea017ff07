"""Intentions resolved against the genuine state: the event that each one means now.

A client knows what it learned from answers. Most of its requests are those of a real client; some name
another member, another epoch, or something that it does not own. `ALTER` changes what a client is: its
protocol list, subscription, expression, assignor, instance id, process or timeouts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kassay.engines.conform import intentions as i
from kassay.engines.conform import threads
from kassay.engines.conform.intentions import STREAMS_TOPICS, Decisions, Intention
from kassay.engines.genuine import events as e
from kassay.engines.genuine.coordinator import GenuineStep
from kassay.model.protocols.values.requests import STATIC_LEAVE_EPOCH

PROTOCOLS: Final = (
    ("range",),
    ("sticky", "range"),
    ("range", "sticky"),
    ("sticky",),
    ("roundrobin", "range", "sticky"),
)
SUBSCRIPTIONS: Final = (("foo",), ("bar",), ("foo", "bar"), ("gone",), (), ("fab", "foo"))
REGEXES: Final = (None, None, "f.*", "ba?r", ".*", "[", "")
ASSIGNORS: Final = (None, None, "range", "uniform", "sticky")
TIMEOUTS: Final = (30_000, 10_000, 60_000, 4000)
TOPIC_SETS: Final[tuple[Mapping[str, int], ...]] = (
    {"foo": 2, "bar": 1},
    {"foo": 2},
    {"foo": 3, "bar": 1},
    {"bar": 2},
    {"foo": 2, "bar": 1, "fab": 2},
    {},
)
_NONE: Final = "NONE"
_OF_MEMBERS: Final = (i.SYNC, i.HEARTBEAT)
"""A client that is no member mostly joins instead."""


@dataclass
class Client:
    """What a client is, and what it learned from answers."""

    slot: int
    process: int = 0
    member: str = ""
    generation: int = -1
    instance: str | None = None
    protocols: tuple[str, ...] = PROTOCOLS[0]
    subscribed: tuple[str, ...] = SUBSCRIPTIONS[0]
    regex: str | None = None
    assignor: str | None = None
    session_timeout: int = 30_000
    rebalance_timeout: int = 30_000
    protocol: str | None = None
    members: tuple[str, ...] = ()
    owned: Mapping[str, Sequence[int]] | None = None

    @property
    def chosen_id(self) -> str:
        """The member id that a consumer of KIP-848 chooses by itself."""
        return f"m{self.slot}" if not self.process else f"m{self.slot}-{self.process}"


class Resolver:
    """Makes events of intentions; `learn` has to see each step."""

    def __init__(self, topics: Mapping[str, int], *, application: int | None = None) -> None:
        self.clients = [Client(slot) for slot in range(i.SLOTS)]
        if application is not None and application % 2:
            self.clients[0].instance, self.clients[1].instance = "i1", "i2"
        runs = threads.application(application or 0)
        self.threads = [threads.Thread(slot, runs) for slot in range(i.SLOTS)]
        for thread in self.threads if application is not None and application % 4 > 1 else ():
            thread.endpoint = f"h{thread.slot}:1"
        self._streams = application is not None
        self._topics = topics
        self._asked_for: Mapping[str, int] = {}
        self._state: Mapping[str, Any] = {"type": None, "timers": []}
        self._askers: dict[int, Client] = {}
        self._number = 0
        self._offset = 0

    def event(self, intention: Intention) -> e.GenuineEvent | None:
        """The event that the intention means in the present state; None if it only changes its client."""
        client, numbers = self.clients[intention.slot], Decisions(intention.numbers)
        if intention.act == i.ALTER:
            if self._streams and numbers.of(True, True, False):
                self.threads[intention.slot].alter(numbers)
            else:
                _alter(client, numbers)
            return None
        act = intention.act
        if act in _OF_MEMBERS and numbers.mostly(True, False) and self._present(client.member) is None:
            act = i.JOIN
        event = self._event(act, client, numbers, intention.write_fails)
        self._askers[self._number] = client
        self._number += 1
        return event

    def _event(self, act: str, client: Client, numbers: Decisions, fails: str) -> e.GenuineEvent:
        if act == i.CONSUMER:
            return self._consumer(client, numbers, fails)
        if act == i.JOIN:
            return self._join(client, numbers, fails)
        if act == i.SYNC:
            return self._sync(client, numbers, fails)
        if act == i.COMMIT:
            return self._commit(client, numbers, fails)
        if act == i.HEARTBEAT:
            member = self._member(client, numbers)
            generation = self._generation(member, client, numbers)
            return e.HeartbeatEvent(member, generation, self._instance(client, numbers), fails)
        if act == i.LEAVE:
            return self._leave(client, numbers, fails)
        if act == i.ADVANCE:
            return e.AdvanceEvent(numbers.of(1000, 1000, 5000, 5000, 1, 10_000, 60_000), fails)
        if act == i.STREAMS:
            return self._thread(client, numbers, fails)
        if act == i.GROUP_CONFIG:
            return threads.group_config(numbers)
        if act == i.TOPICS:
            # The broker creates the internal topics that a group asks for.
            created = {**self._topics, **self._asked_for}
            chosen = (
                numbers.of(*(created,) * 16, *STREAMS_TOPICS) if self._streams else numbers.of(*TOPIC_SETS)
            )
            # A topic loses no partitions unless it is deleted.
            self._topics = {name: max(count, self._topics.get(name, 0)) for name, count in chosen.items()}
            return e.TopicsEvent(self._topics)
        if act == i.RESOLVE:
            return e.ResolveEvent(fails)
        return _PLAIN[act]

    # Who, and at which epoch.

    def _present(self, member: str) -> Mapping[str, Any] | None:
        """The member in the genuine state."""
        return next((m for m in self._state.get("members", ()) if m["id"] == member), None)

    def _member(self, client: Client, numbers: Decisions) -> str:
        others = [c.member for c in self.clients if c is not client and c.member]
        return numbers.of(*(client.member,) * 14, "", others[0] if others else "stranger")

    @staticmethod
    def _instance(client: Client, numbers: Decisions) -> str | None:
        return numbers.of(*(client.instance,) * 14, None, "i1")

    def _generation(self, member: str, client: Client, numbers: Decisions) -> int:
        """The member's epoch or the group's generation, mostly as they are."""
        present = self._present(member) or {}
        here: int = present.get("epoch", self._state.get("generation", client.generation))
        return numbers.mostly(here, client.generation, here - 1, here + 1, 0, -1)

    # Requests.

    def _join(self, client: Client, numbers: Decisions, fails: str) -> e.JoinEvent:
        member = self._member(client, numbers)
        version = numbers.mostly(9, 5, 4, 3)
        metadata: dict[str, Any] = {"topics": list(client.subscribed), "version": numbers.mostly(3, 0, 1)}
        if metadata["version"] >= 1:
            metadata["owned"] = client.owned or {}
        if metadata["version"] >= 2:
            metadata["generation"] = client.generation
        if numbers.of(*(False,) * 20, True):
            metadata = {"raw": "nothing of ours"}
        kind = numbers.of(*("consumer",) * 20, "connect")
        return e.JoinEvent(
            client=f"c{client.slot}",
            member=member,
            protocols=[(name, metadata) for name in client.protocols],
            instance=self._instance(client, numbers),
            protocol_type=kind,
            session_timeout=client.session_timeout,
            rebalance_timeout=client.rebalance_timeout,
            api_version=version,
            write_fails=fails,
        )

    def _sync(self, client: Client, numbers: Decisions, fails: str) -> e.SyncEvent:
        member = self._member(client, numbers)
        leads = self._state.get("leader") == member
        assignments: dict[str, e.Numbers | None] = {}
        if leads or numbers.of(*(False,) * 9, True):
            free = [(topic, p) for topic, count in sorted(self._topics.items()) for p in range(count)]
            members = client.members or (member,)
            for place, other in enumerate(members):
                assignments[other] = _by_topic(free[place :: len(members)])
        protocol = numbers.mostly(client.protocol, None, "other")
        instance = self._instance(client, numbers)
        generation = self._generation(member, client, numbers)
        kind = numbers.mostly("consumer", None, "other")
        return e.SyncEvent(member, generation, assignments, instance, kind, protocol, fails)

    def _leave(self, client: Client, numbers: Decisions, fails: str) -> e.LeaveEvent:
        first = {"member": self._member(client, numbers), "instance": self._instance(client, numbers)}
        more = numbers.of(*(False,) * 5, True)
        other = self.clients[(client.slot + 1) % len(self.clients)]
        second = {"member": other.member, "instance": other.instance}
        return e.LeaveEvent([first, second] if more else [first], fails)

    def _commit(self, client: Client, numbers: Decisions, fails: str) -> e.CommitEvent:
        member = self._member(client, numbers)
        instance = self._instance(client, numbers)
        generation = self._generation(member, client, numbers)
        self._offset += 1
        owned: Sequence[str] = [*self._owned(member)]
        if self._state["type"] == "streams":
            owned = threads.read_topics(self.threads[client.slot], self._present(member) or {})
        topic = numbers.mostly(next(iter(owned), "foo"), "foo", "bar").partition("#")[0]
        offsets = [(topic, numbers.of(0, 0, 0, 1), self._offset)]
        return e.CommitEvent(member, generation, offsets, instance, numbers.mostly(9, 8), fails)

    def _owned(self, member: str) -> Mapping[str, Sequence[int]]:
        """The partitions of a consumer."""
        present = self._present(member) or {}
        return {} if self._state["type"] == "streams" else present.get("assigned") or {}

    def _self(self, client: Client, numbers: Decisions) -> tuple[str, int]:
        """The member id that a client of a modern protocol names, mostly its own, and an epoch."""
        own = client.chosen_id
        known = client.member if client.member and self._present(client.member) else own
        member = numbers.of(*(known,) * 7, *(own,) * 7, client.member or own, self._member(client, numbers))
        present = self._present(member) or {}
        here = int(present.get("epoch", 0))
        others = (0, 0, -1, -1, -2, here - 1, here + 1, present.get("prev_epoch", 0))
        return member, numbers.of(*(here,) * 16, *others)

    def _thread(self, client: Client, numbers: Decisions, fails: str) -> e.StreamsHeartbeatEvent:
        member, epoch = self._self(client, numbers)
        instance = self._instance(client, numbers)
        present = self._present(member) or {}
        if epoch == STATIC_LEAVE_EPOCH and instance is None and numbers.mostly(True, False):
            epoch = int(present.get("epoch", 0))
        return threads.heartbeat(
            self.threads[client.slot],
            numbers,
            present,
            self._state,
            member=member,
            epoch=epoch,
            instance=instance,
            rebalance_timeout=client.rebalance_timeout,
            fails=fails,
        )

    def _consumer(self, client: Client, numbers: Decisions, fails: str) -> e.ConsumerHeartbeatEvent:
        member, epoch = self._self(client, numbers)
        full = epoch == 0 or numbers.of(False, False, True)
        if epoch == 0 and numbers.of(*(False,) * 24, True):
            full = False
        assigned = self._owned(member)
        fewer = dict(list(assigned.items())[1:])
        owned: e.Numbers | None = numbers.of(assigned, assigned, assigned, None, {}, fewer, {"foo": [0, 1]})
        if epoch == 0 and not numbers.of(*(False,) * 9, True):
            owned = {}
        regexes = client.regex is not None
        return e.ConsumerHeartbeatEvent(
            member=member,
            epoch=epoch,
            instance=self._instance(client, numbers),
            rebalance_timeout=client.rebalance_timeout if full else None,
            subscribed=list(client.subscribed) if numbers.of(full and not regexes, full) else None,
            regex=client.regex if full else None,
            assignor=client.assignor if full else None,
            owned=owned,
            write_fails=fails,
        )

    # Answers.

    def learn(self, step: GenuineStep) -> None:
        """Take note of a step: the state, and what the answers tell their clients."""
        self._state = step.state
        for answer in step.answers:
            self._asked_for = answer.get("create_topics") or self._asked_for
            client = self._askers.get(answer["to"])
            if client is not None:
                _read_answer(client, answer)


def _read_answer(client: Client, answer: Mapping[str, Any]) -> None:
    """Let a client read an answer."""
    kind, error = answer["kind"], answer["error"]
    if kind == "join" and error in (_NONE, "MEMBER_ID_REQUIRED"):
        client.member = answer["member"]
        if error == _NONE:
            client.generation = answer["generation"]
            client.protocol = answer["protocol"]
            client.members = tuple(member["id"] for member in answer["members"])
    elif kind == "sync" and error == _NONE:
        assignment = answer["assignment"] or {}
        client.owned = assignment.get("partitions", assignment) if "userdata" in assignment else assignment
    elif kind in (i.CONSUMER, i.STREAMS) and error == _NONE:
        client.member, client.generation = answer["member"], answer["epoch"]


def _alter(client: Client, numbers: Decisions) -> None:
    """Change what a client is."""
    what = numbers.of(
        "protocols", "subscribed", "instance", "regex", "process", "assignor", "times", "forget"
    )
    if what == "protocols":
        client.protocols = numbers.of(*PROTOCOLS)
    elif what == "subscribed":
        client.subscribed = numbers.of(*SUBSCRIPTIONS)
    elif what == "instance":
        client.instance = numbers.of("i1", "i2", None)
    elif what == "regex":
        client.regex = numbers.of(*REGEXES)
    elif what == "assignor":
        client.assignor = numbers.of(*ASSIGNORS)
    elif what == "times":
        client.session_timeout, client.rebalance_timeout = numbers.of(*TIMEOUTS), numbers.of(*TIMEOUTS)
    elif what == "process":
        client.process += 1
        client.member, client.owned, client.generation = "", None, -1
    else:
        client.member = ""


def _by_topic(partitions: Sequence[tuple[str, int]]) -> dict[str, list[int]]:
    """`{"topic": [partition, ...]}`."""
    shown: dict[str, list[int]] = {}
    for topic, number in partitions:
        shown.setdefault(topic, []).append(number)
    return shown


_PLAIN: Final[Mapping[str, e.GenuineEvent]] = {
    i.FAILOVER: e.FailoverEvent(),
    i.DEFER: e.DeferEvent(),
    i.FLUSH: e.FlushEvent(),
    i.RESOLVE_RUN: e.ResolveRunEvent(),
}
