"""The topology of the explored application, its processes, and the topics that exist at first."""

from kassay.model.protocols.shared.faults import Faults
from kassay.model.protocols.world.parts.context import ModelOptions
from kassay.model.protocols.world.streams.options import (
    StreamsOptions,
    first_topics,
    streams_config,
    streams_configs,
    topologies,
)


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
