"""What is left of a world to the clock: times from the timing, and of the timeless steps only those at once."""

from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.values.requests import Config
from kassay.model.protocols.world.models.classic import classic_parts, coordinator_config, no_targets
from kassay.model.protocols.world.parts.context import options
from kassay.model.protocols.world.timed.clock import Timing
from kassay.model.protocols.world.timed.instant import at_once, timed_context
from tests.model.protocols.world.timed.walks import settled

TIMING = Timing(9, 2, 12, initial_delay=3, rebalance=7)


def test_clients_and_coordinator_take_their_times_from_the_timing():
    context = timed_context(options(), TIMING, Config(), no_targets)
    assert [c.session_timeout for c in context.configs] == [9, 9]
    assert {c.rebalance_timeout for c in context.configs} == {TIMING.rebalance_timeout}
    config = context.brokers.config
    assert (config.initial_rebalance_delay, config.consumer_session_timeout) == (3, 9)
    assert (config.consumer_heartbeat_interval, config.new_member_join_timeout) == (
        2,
        TIMING.new_member_timeout,
    )


def test_faults_are_left_to_the_clock():
    chosen = options()
    parts = classic_parts(timed_context(chosen, TIMING, coordinator_config(chosen), no_targets), None)
    assert parts.faults is not None
    assert at_once(parts).faults is None


def test_at_one_instant_nobody_beats_expires_or_fails():
    """All may happen in this world, and none of it does without the clock."""
    model, state = settled(TIMING, faults=Faults(crash=1, pause=1, loss=1))
    assert list(model.inner.steps(state.world)) == []
    names = {action.name for action, _ in model.steps(state)}
    assert {"crashes", "pauses"} <= names
