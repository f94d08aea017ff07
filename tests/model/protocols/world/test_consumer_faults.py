"""Faults of clients of either protocol: which one each speaks after a restart, and with which words it leaves."""

from kassay.model.protocols.clients.classic_state import ClassicClient
from kassay.model.protocols.clients.consumer import ConsumerClient, failed, heartbeat
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.world.faults import CLASSIC, CONSUMER, ConsumerFaults
from tests.explored import build
from tests.model.protocols.world.script import client, group, play, started


def test_a_client_speaks_its_protocols_in_turn_and_the_last_one_for_good():
    model = build("kip848")
    faults = ConsumerFaults(model.context, ((CLASSIC, CONSUMER), (CONSUMER,)))
    assert [faults.kind(0, step) for step in range(4)] == [CLASSIC, CONSUMER, CONSUMER, CONSUMER]
    assert (faults.rollout_steps(0), faults.rollout_steps(1)) == (2, 1)
    image = next(iter(model.initial())).image.value
    assert [type(faults.fresh_process(0, step, image, 4)) for step in (0, 1)] == [
        ClassicClient,
        ConsumerClient,
    ]
    assert faults.fresh_process(0, 1, image, 4).connection == 4


def test_a_clean_leave_says_so_with_its_epoch_and_a_crash_says_nothing():
    model = build("kip848", partitions=1, faults=Faults(leave=1, crash=1))
    state = started(model, 2)
    ids = [member.member_id for member in group(state).members]
    (left,) = [(a, s) for a, s in model.steps(state) if (a.actor, a.name) == ("c1", "closes")]
    assert (left[0].detail, left[0].fault, left[0].disturbs) == ("epoch -1", True, True)
    assert [member.member_id for member in group(left[1]).members] == ids[1:]
    crashed = play(model, state, "c1 crashes")
    assert [member.member_id for member in group(crashed).members] == ids
    assert client(crashed, 1).owned == ()


def test_a_running_member_says_once_that_it_prefers_another_assignor_and_again_when_it_joins_anew():
    model = build("kip848", partitions=1, remote_assignors=("range", ""), faults="assignor=1,pause=1")
    state = started(model, 2)
    choices = [(a.actor, a.name) for a, _ in model.steps(state) if a.name.startswith("prefers")]
    assert choices == [("c1", "prefers uniform"), ("c2", "prefers uniform"), ("c2", "prefers range")]
    changed = play(model, state, "c1 prefers uniform")
    (sent, request) = heartbeat(model.context.configs[0], 7, client(changed, 1))
    assert (request.server_assignor, request.full) == ("uniform", False)
    assert heartbeat(model.context.configs[0], 8, sent)[1].server_assignor == ""
    lost = failed(model.context.configs[0], sent)
    assert heartbeat(model.context.configs[0], 9, lost)[1].server_assignor == "uniform"
    after = play(model, changed, "c1 heartbeat")
    assert [member.assignor for member in group(after).members] == ["uniform", ""]
