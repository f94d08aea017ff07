"""What stream threads say and hear, in words."""

from kassay.model.protocols.clients.any_balanced import AnyBalanced
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.clients.streams import started
from kassay.model.protocols.clients.streams_table import StreamsState
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.streams.requests import ASSIGNMENT_DELAYED, StreamsHeartbeatReply
from kassay.model.protocols.values.streams.tasks import TaskRoles
from kassay.model.protocols.values.streams.topology import StreamsTopology
from kassay.model.protocols.world.streams.talk import StreamsTalk, roles
from kassay.model.streams.group import GroupTask

CONFIG = ClientConfig("c1", topologies=(StreamsTopology(7),))
TALK = StreamsTalk(AnyBalanced("eager"))
ZERO, ONE = GroupTask("0", 0), GroupTask("0", 1)


def test_a_join_names_the_topology_and_a_later_heartbeat_the_tasks():
    turn = TALK.heartbeat(CONFIG, 0, started("c1m-1"))
    assert turn is not None
    client, joining = turn
    assert TALK.carried(joining) == "epoch 0, topology 7"
    again = TALK.heartbeat(CONFIG, 0, client._replace(state=StreamsState.STABLE, epoch=3, acknowledged=False))
    assert again is not None
    assert TALK.carried(again[1]) == "epoch 3, runs nothing"


def test_an_answer_names_tasks_by_role_and_what_the_group_lacks():
    given = TaskRoles((ZERO,), (ONE,))
    assert roles(given) == "0_0; standby 0_1"
    reply = StreamsHeartbeatReply(errors.NONE, "c1m-1", 2, status=(ASSIGNMENT_DELAYED,), tasks=given)
    assert TALK.answer(reply) == "epoch 2, assigned 0_0; standby 0_1, ASSIGNMENT_DELAYED"
    assert TALK.answer(StreamsHeartbeatReply(errors.UNKNOWN_MEMBER_ID)) == "UNKNOWN_MEMBER_ID"


def test_a_lost_answer_is_a_failed_request():
    client = started("c1m-1")
    assert TALK.unanswered(CONFIG, client) == client._replace(acknowledged=False)
