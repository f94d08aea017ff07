"""A toy kind with a clock and a memory: slots are leased to clients that come and go while time passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from kassay.assignors.registry import reference
from kassay.kinds.controls import control
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.registry import drives
from kassay.kinds.vectors import compared, vector_format
from kassay.model.calls import NO_ANSWER, Call, Failure, answer_to_json, call
from kassay.model.kinds import Kind, Nouns, declare
from kassay.model.shape import codec
from kassay.model.shape.codec import TEXT, Field, identity, listed, record, tagged, whole
from kassay.model.shape.codec import reference as refers
from kassay.properties.answers import answer_claims, unanswered_calls
from kassay.properties.registry import Evidence, Scope, claim, situation
from kassay.properties.sources import Source, random_document

LEASES = declare(
    Kind(
        "leases",
        "leases",
        Nouns(
            "history", "histories", "grant", "grants", "client", "slot", "event after the start", "histories"
        ),
        "lease-granter",
        "granters of leases",
    )
)
LEASE_MS = 100


class ClientJoin(NamedTuple):
    client: str


class ClientLeave(NamedTuple):
    client: str


class Change(NamedTuple):
    wait_ms: int = 0
    events: tuple[ClientJoin | ClientLeave, ...] = ()


@dataclass(frozen=True)
class Life:
    """Who is there at the start, how many slots there are, and what happens."""

    clients: tuple[str, ...]
    slots: int
    changes: tuple[Change, ...] = ()


CLIENT = refers("client", TEXT)
LIFE = record(
    Life,
    clients=listed(identity("client", TEXT)),
    slots=whole(1, 4),
    changes=Field(
        listed(
            record(
                Change,
                wait_ms=Field(whole(0, 10_000), 0, noun="wait"),
                events=Field(
                    listed(
                        tagged(
                            "event",
                            {
                                "ClientJoin": (ClientJoin, record(ClientJoin, client=CLIENT)),
                                "ClientLeave": (ClientLeave, record(ClientLeave, client=CLIENT)),
                            },
                        )
                    ),
                    (),
                ),
            )
        ),
        (),
    ),
)


class Request(NamedTuple):
    """What a rule is called with: the time, who is there, the slots, and what it said to remember."""

    now_ms: int
    clients: tuple[str, ...]
    slots: int
    memory: Mapping[int, tuple[str, int]]


class Answer(NamedTuple):
    """Who has each slot, and what the rule wants to be given next time."""

    held: Mapping[int, str]
    memory: Mapping[int, tuple[str, int]]


class Grant(Call[Request, Answer]):
    """One call."""


@dataclass(frozen=True)
class Run:
    """All calls of a life."""

    steps: tuple[Grant, ...]
    outcomes: tuple[Grant, ...] = ()
    contradictory: bool = False


def requests(life: Life) -> Iterator[Request]:
    """What a rule is called with, its memory left out: at the start and after each change."""
    now, there = 0, list(life.clients)
    yield Request(now, tuple(there), life.slots, {})
    for change in life.changes:
        now += change.wait_ms
        for event in change.events:
            there = [client for client in there if client != event.client]
            there += [event.client] if isinstance(event, ClientJoin) else []
        yield Request(now, tuple(there), life.slots, {})


def ask(target: Any, request: Request) -> Answer:
    """The answer of the rule."""
    answer: Answer = target.assign(request)
    return answer


@drives(LEASES)
class LeaseDriver(Driver[Life]):
    form = LIFE
    options = frozenset({"exhaustive"})
    pasts = True
    narration = codec.document(
        now_ms=codec.COUNT, clients=listed(TEXT), answer=Field(codec.OBJECT, None), **NO_ANSWER
    )

    def generate(self, source: Source, profile: Any, aim: str = "") -> Life:
        life: Life = LIFE.read(random_document(LIFE, source), "case")
        return life

    def play(self, case: Life, subject: Subject) -> Iterator[Run]:
        steps: list[Grant] = []
        memory: Mapping[int, tuple[str, int]] = {}
        for request in requests(case):
            asked = request._replace(memory=memory)
            step = call(Grant, ask, partial(subject.new, {}), asked, subject.looks, twin=subject.new_twin)
            steps.append(step)
            if isinstance(step.answer, Failure):
                break
            memory = step.answer.memory
        yield Run(tuple(steps), tuple(step for step in steps if not isinstance(step.answer, Failure)))

    def counts(self, case: Life) -> Mapping[str, int]:
        events = sum(len(change.events) for change in case.changes)
        return {"members": len(case.clients), "partitions": case.slots, "events": len(case.changes) + events}

    def parts(self, answer: Answer) -> Mapping[str, object]:
        return {f"slot {slot}": client for slot, client in answer.held.items()}

    def document_of(self, step: Grant) -> dict[str, Any]:
        told = {"now_ms": step.request.now_ms, "clients": list(step.request.clients)}
        if isinstance(step.answer, Failure):
            return {**told, **answer_to_json(step.answer)}
        return {**told, "answer": self.parts(step.answer)}

    def narrate(self, case: Life, subject: Subject) -> list[dict[str, Any]]:
        plain = replace(subject, claims=(), twin=None)
        return [self.document_of(step) for run in self.play(case, plain) for step in run.steps]


answer_claims(LEASES, "toy", unanswered_calls("assign"))


@claim(
    "granted", kinds=LEASES, validity=True, source="toy", fix="lease every slot while a client is there",
    breakable=lambda step: bool(step.request.clients),
)  # fmt: skip
def granted(step: Grant) -> Iterator[Evidence]:
    """Every slot is leased to a client that is there, where there is one."""
    for slot in range(step.request.slots if step.request.clients else 0):
        if step.given.held.get(slot) not in step.request.clients:
            held = step.given.held.get(slot, "nothing")
            yield Evidence(f"slot {slot}", {"held by": held}, f"Slot {slot} is held by {held}.")


@claim(
    "kept", kinds=LEASES, source="toy", fix="remember until when each slot is leased", scope=Scope.REBALANCE,
    breakable=lambda run: len(run.steps) > 1 and len(run.steps[0].request.clients) > 0, minimum=20,
)  # fmt: skip
def kept(run: Run) -> Iterator[Evidence]:
    """A slot stays with its client while the lease lasts and the client is there."""
    since: dict[int, tuple[str, int]] = {}
    for number, step in enumerate(run.steps):
        now, there = step.request.now_ms, step.request.clients
        since = {slot: lease for slot, lease in since.items() if slot in step.given.held}
        for slot, client in step.given.held.items():
            holder, start = since.get(slot, (client, now))
            if holder != client and holder in there and now < start + LEASE_MS:
                words = f"Slot {slot} went from {holder} to {client} at {now}."
                yield Evidence(f"slot {slot}", {"from": holder, "to": client, "at": now}, words, at=number)
            since[slot] = (holder, start) if holder == client and now < start + LEASE_MS else (client, now)


@situation("lease-ends", kinds=LEASES, required_by=("kept",))
def lease_ends(run: Run) -> bool:
    """A lease ends while its client is there."""
    return run.steps[-1].request.now_ms >= LEASE_MS


@reference("leases-in-turn", kind=LEASES, claims=("kept",), source="toy")
class InTurn:
    """A free slot is leased to the client whose turn it is by the slot's number."""

    def assign(self, request: Request) -> Answer:
        memory = {}
        for slot in range(request.slots if request.clients else 0):
            holder, start = request.memory.get(slot, ("", -LEASE_MS))
            if holder not in request.clients or request.now_ms >= start + LEASE_MS:
                holder, start = request.clients[slot % len(request.clients)], request.now_ms
            memory[slot] = (holder, start)
        return Answer({slot: client for slot, (client, _) in memory.items()}, memory)


@control("forgets-leases", kinds=LEASES, breaks="kept", like="leases-in-turn")
class ForgetsLeases(InTurn):
    def assign(self, request: Request) -> Answer:
        return super().assign(request._replace(memory={}))


@vector_format("leases-in-turn", None, reference="leases-in-turn")
def check(vector: Mapping[str, Any], factory: Any, *, exact: bool) -> str | None:
    first = next(requests(LIFE.read(vector["life"], "life")))
    wanted = {int(slot): client for slot, client in vector["expected"].items()}
    return compared(
        lambda: factory().assign(first),
        None,
        lambda answer: None if answer.held == wanted else f"{answer.held}, expected {wanted}",
        exact=exact,
    )
