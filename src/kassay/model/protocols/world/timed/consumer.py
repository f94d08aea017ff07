"""KIP-848 consumer groups on the integer clock: one kind of request, and a timer for each revocation.

A member heartbeats at its interval, and at once to join or to acknowledge. The coordinator fences it when its
session expires, or when it does not complete a revocation in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Self

from kassay.model.explore.graph import Action
from kassay.model.protocols.clients import consumer as cm
from kassay.model.protocols.clients.any_balanced import balanced_targets
from kassay.model.protocols.clients.classic_state import Assign
from kassay.model.protocols.clients.consumer import ConsumerClient
from kassay.model.protocols.coordinator.brokers import Targets
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.requests import ConsumerHeartbeatReply
from kassay.model.protocols.world.models.classic import coordinator_config
from kassay.model.protocols.world.models.consumer import ConsumerModel, consumer_parts, only_consumers
from kassay.model.protocols.world.networks.n0_atomic import LOST
from kassay.model.protocols.world.parts.consumer_faults import ConsumerFaults
from kassay.model.protocols.world.parts.context import BROKER, ModelOptions, labelled, put
from kassay.model.protocols.world.timed.classic import Timed, TimedModel
from kassay.model.protocols.world.timed.clock import BACKOFF, LATE, Timing, sent
from kassay.model.protocols.world.timed.instant import at_once, timed_context


class TimedConsumerModel(TimedModel):
    """Clients of KIP-848 on the clock."""

    @classmethod
    def over(
        cls,
        options: ModelOptions,
        timing: Timing,
        assign: Assign | None = None,
        targets: Targets = balanced_targets,
    ) -> Self:
        """The model with these options on the clock."""
        options = replace(options, loading=timing.load > 0)
        context = timed_context(options, timing, coordinator_config(options), targets)
        kinds = only_consumers(options)
        parts = consumer_parts(context, assign, kinds)
        return cls(ConsumerModel(options, parts=at_once(parts)), ConsumerFaults(context, kinds), timing)

    def _heartbeat(self, state: Timed, c: int) -> Iterator[tuple[Action, Timed]]:
        """One heartbeat: it arrives and is answered, or one of both is lost."""
        world, context, clock = state.world, self.context, state.clocks[c]
        config, faults = context.configs[c], world.budget.value
        client: ConsumerClient = world.clients[c].value
        turn = cm.heartbeat(config, c, client)
        assert turn is not None, "only those who beat send a heartbeat"
        after_sending, request = turn
        action = Action(f"c{c + 1}", "heartbeat", BROKER, self.inner.calls.talk.carried(request))
        beaten = sent(self.timing, clock)
        unheard = cm.failed(config, after_sending)
        if faults.loss and clock.beat >= 0:
            label = action._replace(fault=True, reply="lost before the coordinator")
            lost = context.move(label, client, unheard, world.broker, costs=LOST)
            yield label, self._moved(state, c, beaten, lost)
        for broker, mail in context.brokers.handle(world.broker, request, keeps_log=faults.failover > 0):
            (body,) = (reply for number, reply in mail if number == request.correlation_id)
            assert isinstance(body, ConsumerHeartbeatReply), "a heartbeat gets a heartbeat's reply"
            heard = cm.on_reply(config, after_sending, body)
            label = labelled(action, world.broker, broker)._replace(reply=self.inner.calls.talk.answer(body))
            shown = beaten if body.error == errors.NONE else beaten._replace(rest=BACKOFF)
            yield label, self._moved(state, c, shown, context.move(label, client, heard, broker))
            if faults.loss:
                label = label._replace(fault=True, reply="reply lost")
                lost = context.move(label, client, unheard, broker, costs=LOST)
                yield label, self._moved(state, c, beaten, lost)

    def _poll_expires(self, state: Timed, c: int) -> Iterator[tuple[Action, Timed]]:
        """max.poll.interval.ms is over: a member leaves."""
        world, late = state.world, state.clocks[c]._replace(poll=LATE)
        client: ConsumerClient = world.clients[c].value
        action = Action(f"c{c + 1}", "polls too late, leaves", BROKER)
        if client.state not in cm.MEMBER:
            yield action, self._at(state, world, c, late)
            return
        after = put(world, c, self.context.cell(cm.poll_expired(client)))
        for label, left in self.faults.leave(action, after, c, client):
            yield label, self._at(state, left, c, late)
