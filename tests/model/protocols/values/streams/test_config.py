"""The settings of Streams groups."""

from __future__ import annotations

from kassay.model.protocols.values.streams.config import StreamsConfig


def test_an_assignment_depends_on_standbys_and_on_tags_where_there_are_some():
    assert StreamsConfig(num_standby_replicas=2).assignment_configs == (("num.standby.replicas", "2"),)
    tagged = StreamsConfig(rack_aware_tags=("zone", "host")).assignment_configs
    assert dict(tagged) == {"num.standby.replicas": "0", "rack.aware.assignment.tags": "zone,host"}
