"""The settings of Streams groups.

What a heartbeat of a Streams member says of its tasks.

Tasks by role, and the epochs of active ones.

What a topology reads and keeps.
"""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.values import requests
from kassay.model.protocols.values.streams import (
    HeldTasks,
    StreamsConfig,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    StreamsSubtopology,
    StreamsTopology,
)
from kassay.model.streams.group import GroupTask


def test_an_assignment_depends_on_standbys_and_on_tags_where_there_are_some():
    assert StreamsConfig(num_standby_replicas=2).assignment_configs == (("num.standby.replicas", "2"),)
    tagged = StreamsConfig(rack_aware_tags=("zone", "host")).assignment_configs
    assert dict(tagged) == {"num.standby.replicas": "0", "rack.aware.assignment.tags": "zone,host"}


def test_tasks_are_named_in_all_roles_or_none_is():
    for roles in product((None, ()), repeat=3):
        owned = StreamsHeartbeat(1, "m", 3, active=roles[0], standby=roles[1], warmup=roles[2]).owned
        assert owned == (None if None in roles else ((), (), ()))


def test_a_heartbeat_that_fails_as_a_whole_is_answered_by_the_error_alone():
    request = StreamsHeartbeat(1, "m", 3)
    assert requests.error_reply(request, "NOT_COORDINATOR") == StreamsHeartbeatReply("NOT_COORDINATOR")


TASKS = st.lists(st.builds(GroupTask, st.sampled_from("01"), st.integers(0, 3)), unique=True).map(sorted)


@given(TASKS, TASKS, st.data())
def test_every_active_task_has_its_epoch(active, standby, data):
    epochs = tuple(data.draw(st.integers(0, 9)) for _ in active)
    held = HeldTasks(tuple(active), tuple(standby), (), epochs)
    assert [held.epoch_of(task) for task in active] == list(epochs)
    assert all(held.epoch_of(task) is None for task in standby if task not in active)
    assert held.roles == (tuple(active), tuple(standby), ())


COUNTING = StreamsTopology(
    1,
    (
        StreamsSubtopology("0", sources=("words",), repartition_sinks=("by-word",)),
        StreamsSubtopology("1", changelogs=("counts",), repartition_sources=(("by-word", 0),)),
    ),
)


def test_a_topic_is_read_by_the_subtopology_that_names_it_or_by_none():
    assert [COUNTING.reader_of(topic) for topic in ("words", "by-word")] == list(COUNTING.subtopologies)
    assert COUNTING.reader_of("counts") is None


def test_what_is_only_written_is_not_required_but_state_is():
    sinks_only = StreamsTopology(1, COUNTING.subtopologies[:1])
    assert sinks_only.required_topics == {"words"}
    assert COUNTING.required_topics == {"words", "by-word", "counts"}
