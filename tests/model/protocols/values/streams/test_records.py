"""Records of Streams groups."""

from __future__ import annotations

from kassay.model.protocols.values import records
from kassay.model.protocols.values.streams.records import STREAMS_EPOCH, STREAMS_KINDS, StreamsEpochValue


def test_they_have_keys_of_their_own_beside_those_of_other_groups():
    others = {records.EPOCH, records.MEMBER, records.TARGET_EPOCH, records.TARGET, records.CURRENT}
    assert not STREAMS_KINDS & others
    streams = records.LogRecord((STREAMS_EPOCH, ""), StreamsEpochValue(2, -1, (), ()))
    consumer = records.LogRecord((records.EPOCH, ""), None)
    assert records.compact((), (streams, consumer)) == (streams,)
