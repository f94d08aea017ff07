"""The consumer of the proposal: its behaviour in each state, checked against the table `CONSUMER`."""

from __future__ import annotations

from typing import Final

from kassay.model.explore.graph import Action
from kassay.model.protocols.before_0_9.proposal_coordinator import hear_heartbeat, hear_join
from kassay.model.protocols.before_0_9.proposal_state import ProposalConsumer, ProposalWorld, Steps, put
from kassay.model.protocols.before_0_9.proposal_table import CONSUMER, Phase, ProposalEvent, ProposalState
from kassay.model.protocols.shared.table import IGNORE, check_move, look_up

_WORDS: Final = {ProposalEvent.HEARTBEAT_OK: "ok", ProposalEvent.NOT_COORDINATOR: "NotCoordinator"}
"""The names of replies in traces, if they differ from the consumer's event."""


def moved(consumer: ProposalConsumer, event: ProposalEvent, **changes: object) -> ProposalConsumer:
    """The consumer after an event, in the first state that the table lists unless `changes` name another.

    An ignored event changes nothing. Raises `IllegalTransition` if the table does not allow it.
    """
    rule = look_up(CONSUMER, consumer.status, event)
    if rule is IGNORE:
        return consumer
    after = consumer._replace(**{"status": rule.targets[0]} | changes)
    check_move(CONSUMER, consumer.status, event, after.status)
    return after


def consumer_steps(state: ProposalWorld, c: int) -> Steps:
    """The steps of one consumer: its own actions and its requests to the coordinator."""
    consumer, name = state.consumers[c], f"c{c + 1}"
    if consumer.paused or consumer.waits:
        return
    if consumer.status is ProposalState.DOWN:
        if c not in state.coordinator.members and c not in state.stored.members:
            action = Action(name, "start", fault=True, disturbs=True)
            yield action, put(state, c, moved(ProposalConsumer(), ProposalEvent.START))
    elif not consumer.finds:
        yield from _rediscover(state, c, consumer)
    elif consumer.status is ProposalState.PART:
        yield _heartbeat(state, c, consumer)
    elif consumer.status is ProposalState.DISCOVER:
        yield _join(state, c, moved(consumer, ProposalEvent.FOUND))
    else:
        yield _join(state, c, consumer)


def _rediscover(state: ProposalWorld, c: int, consumer: ProposalConsumer) -> Steps:
    name = f"c{c + 1}"
    if consumer.status in (ProposalState.PART, ProposalState.STOPPED):
        lost = moved(
            consumer, ProposalEvent.NOT_COORDINATOR, stopped=consumer.status is ProposalState.STOPPED
        )
        yield Action(name, "notices the loss", "coordinator", reply="NotCoordinator"), put(state, c, lost)
    elif state.coordinator.status is not Phase.DOWN:
        to = ProposalState.STOPPED if consumer.stopped else ProposalState.PART
        connected = moved(consumer, ProposalEvent.FOUND, status=to, stopped=False, finds=True)
        yield Action(name, "ConsumerMetadata", "coordinator", reply="found"), put(state, c, connected)


def _heartbeat(state: ProposalWorld, c: int, consumer: ProposalConsumer) -> tuple[Action, ProposalWorld]:
    coordinator, event = hear_heartbeat(state.coordinator, c, consumer.generation)
    lost = {"owned": (), "generation": -1} if event is ProposalEvent.ILLEGAL_GENERATION else {}
    detail = f"generation {consumer.generation}"
    action = Action(f"c{c + 1}", "heartbeat", "coordinator", detail, _WORDS.get(event, event.value))
    return action, put(state, c, moved(consumer, event, **lost))._replace(coordinator=coordinator)


def _join(state: ProposalWorld, c: int, consumer: ProposalConsumer) -> tuple[Action, ProposalWorld]:
    coordinator, refused = hear_join(state.coordinator, c)
    action = Action(f"c{c + 1}", "JoinGroup", "coordinator")
    if refused is not None:
        return action._replace(reply=_WORDS.get(refused, refused.value)), put(
            state, c, moved(consumer, refused)
        )
    new = c not in state.coordinator.members
    waiting = put(state, c, consumer._replace(waits=True))
    return action._replace(reply="parked", disturbs=new), waiting._replace(coordinator=coordinator)
