"""What a removal comes to: a world or a trace that notices, or none."""

import pytest

from tests.explored import settings
from tests.guards.catalogue import ALWAYS, NEVER, guards
from tests.guards.forks import HANGS, in_forks
from tests.guards.removal import OTHER_STATES, UNNOTICED, Met, judged, outcomes_in
from tests.guards.worlds import World

pytestmark = pytest.mark.slow
PAUSED = World("paused", settings("classic", partitions=1, faults="pause=1"))
HANDED_OVER = World("handed over", settings("classic", mode="cooperative"))
CALM = World("calm", settings("classic", partitions=1))


def guard_of(function, text, removed):
    """The guard that reads like that."""
    (guard,) = [guard for guard in guards() if str(guard) == f"{function}: `{text}` {removed}"]
    return guard


LABEL = guard_of("clients.classic.join_request", "'label_agen' in config.switches", ALWAYS)
FENCE = guard_of("coordinator.classic.membership._commit_error", "error != errors.NONE", NEVER)


def in_a_fork(work, task):
    """What the work gives for the task; nothing it changes is changed here."""
    ((_, answer),) = in_forks([task], work, 1, 100)
    return answer


def test_a_walk_notices_that_claims_are_of_another_generation():
    by, how, states = in_a_fork(lambda guard: judged(guard, {CALM: 60, HANDED_OVER: 427}, 5_000, 0), LABEL)
    assert (by, how) == ("handed over", "released-before-adopted in 15 steps")
    assert states > 0


def test_a_calm_world_notices_nothing_and_says_whether_it_is_the_same():
    calm = CALM.walk().exploration.states
    by, how, _ = in_a_fork(lambda guard: judged(guard, {CALM: calm}, 5_000, 0), LABEL)
    assert not by and how.startswith(f"{OTHER_STATES} calm: ") and how.endswith(f" and not {calm}")
    assert in_a_fork(lambda guard: judged(guard, {CALM: calm}, 5_000, 0), FENCE)[:2] == ["", UNNOTICED]


def test_only_those_judge_a_guard_that_ask_it_with_the_outcome_that_changes():
    met = Met()
    for world in (CALM, PAUSED):
        ((states, outcomes),) = in_a_fork(outcomes_in, [world])
        assert states > 0
        met.add(world, states, map(tuple, outcomes))
    assert [*met.by(FENCE)] == [PAUSED]


def test_what_takes_too_long_hangs_and_what_ends_without_an_answer_is_an_error():
    assert list(in_forks([()], lambda _: __import__("time").sleep(60), 1, 0.05)) == [((), HANGS)]
    with pytest.raises(RuntimeError, match="without an answer"):
        list(in_forks([1], lambda number: number / 0, 1, 60))
