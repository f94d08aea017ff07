"""KIP-848 on the clock: small worlds are clean, and a revocation that is not followed ends in a fence."""

from __future__ import annotations

import pytest

from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import requests
from kassay.model.protocols.world.clock import Timing
from tests.model.protocols.world.script import first, play
from tests.model.protocols.world.timed_worlds import (
    EveryConsumerTick,
    client,
    due,
    group,
    members,
    timed,
    wait,
)
from tests.model.protocols.world.walks import clean, walk

KIP848 = {(2, 2, ""): 304, (2, 2, "crash=1"): 1102, (2, 2, "loss=1"): 1672, (2, 2, "slow=1"): 4991}


@pytest.mark.parametrize("case", list(KIP848), ids=str)
def test_small_worlds_of_kip_848_on_the_clock_are_clean_and_as_large_as_ever(case):
    result = walk(model="kip848", members=case[0], partitions=case[1], faults=case[2])
    clean(result)
    assert result.exploration.states == KIP848[case]


def test_scenario_61_what_is_not_given_up_in_time_is_taken_by_the_revocation_timer():
    timing = Timing(6, 2, 20, rebalance=5)
    model = timed(timing, EveryConsumerTick, faults=Faults(slow=1))
    state = wait(model, play(model, first(model), "c1 start"), 2)
    busy = play(model, state, "c1 processes for too long", "c2 start", "c2 heartbeat")
    while due(busy, requests.REVOCATION, "c1m-1") is None:
        busy = wait(model, busy, 1)
    assert due(busy, requests.REVOCATION, "c1m-1") == timing.rebalance_timeout
    last = wait(model, busy, timing.rebalance_timeout - 1)
    assert members(last) == {"c1m-1", "c2m-1"}
    assert len(client(last, 1).owned) == 2, "it goes on processing all"
    fenced = wait(model, last, 1)
    assert members(fenced) == {"c2m-1"}
    assert group(fenced).epoch == group(last).epoch + 1
    later = wait(model, fenced, timing.heartbeat)
    assert len(client(later, 2).owned) == 2
