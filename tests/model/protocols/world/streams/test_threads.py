"""The topology of the explored application, its processes, and the topics that exist at first.

What stream threads say and hear, in words.
"""

from kassay.model.protocols.clients.any_balanced import AnyBalanced
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.clients.streams import started
from kassay.model.protocols.clients.streams_state import StreamsState
from kassay.model.protocols.faults import Faults
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.streams import (
    ASSIGNMENT_DELAYED,
    StreamsHeartbeatReply,
    StreamsTopology,
    TaskRoles,
)
from kassay.model.protocols.world.context import ModelOptions
from kassay.model.protocols.world.streams.threads import (
    StreamsOptions,
    StreamsTalk,
    first_topics,
    roles,
    streams_config,
    streams_configs,
    topologies,
)
from kassay.model.streams.group import GroupTask


def test_threads_are_dealt_to_processes_one_after_the_other():
    options = ModelOptions(members=3)
    assert [c.process_id for c in streams_configs(options, StreamsOptions(processes=2))] == ["p1", "p2", "p1"]
    assert [c.process_id for c in streams_configs(options, StreamsOptions())] == ["c1", "c2", "c3"]
    assert [c.endpoint for c in streams_configs(options, StreamsOptions(endpoints=1))] == ["h1:1", "", ""]


def test_state_is_kept_where_there_are_standbys_and_a_changelog_exists_unless_it_is_a_first_deployment():
    options = ModelOptions(partitions=3)
    assert [topic.name for topic in first_topics(options, StreamsOptions())] == ["t"]
    standby = first_topics(options, StreamsOptions(standby=1))
    assert [(topic.name, topic.partitions) for topic in standby] == [("t", 3), ("t-changelog", 3)]
    assert [topic.name for topic in first_topics(options, StreamsOptions(standby=1, fresh=True))] == ["t"]


def test_a_topic_that_is_to_come_and_a_newer_version_make_other_topologies():
    (only,) = topologies(ModelOptions(), StreamsOptions())
    assert (only.epoch, len(only.subtopologies)) == (0, 1)
    first, newer = topologies(ModelOptions(faults=Faults(topic=1, rollout=1)), StreamsOptions())
    assert (first.epoch, newer.epoch) == (0, 1)
    assert [part.sources for part in first.subtopologies] == [("t",), ("u",)]
    assert first.subtopologies[0] != newer.subtopologies[0]


def test_the_coordinator_waits_at_first_only_where_it_is_to():
    assert streams_config(ModelOptions(), StreamsOptions()).streams.initial_rebalance_delay == 0
    delayed = streams_config(ModelOptions(), StreamsOptions(delayed=True, standby=2)).streams
    assert delayed.initial_rebalance_delay > 0
    assert delayed.num_standby_replicas == 2


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
