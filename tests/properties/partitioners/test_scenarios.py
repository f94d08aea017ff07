from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kassay.properties.partitioners.scenarios import key, sending
from kassay.properties.sources import Drawn, Seeded


@given(st.composite(lambda draw: sending(Drawn(draw)))())
def test_a_topic_keeps_its_number_of_partitions(sent):
    counts = {(record.topic, topic.count) for record, topic in sent.records}
    assert len(counts) == len({record.topic for record, _ in sent.records})
    assert all(count >= 1 for _, count in counts)


def situations_of(sent):
    """What of interest a sending holds: key lengths modulo 4, partitions not there or not available."""
    for record, topic in sent.records:
        if record.partition is not None:
            if not 0 <= record.partition < topic.count:
                yield "out-of-range"
        elif record.key is not None:
            yield f"key-length:{len(record.key) % 4}"
        elif 0 < len(topic.available) < topic.count:
            yield "some-unavailable"
        elif not topic.available:
            yield "none-available"


def test_every_situation_is_reached_often():
    reached = Counter(name for seed in range(200) for name in situations_of(sending(Seeded(seed))))
    assert set(reached) == {
        *(f"key-length:{residue}" for residue in range(4)),
        "out-of-range",
        "some-unavailable",
        "none-available",
    }
    assert min(reached.values()) > 50


def test_keys_come_again_and_have_bytes_of_either_sign():
    keys = [record.key for seed in range(50) for record, _ in sending(Seeded(seed)).records if record.key]
    assert Counter(keys).most_common(1)[0][1] > 1
    assert {0x00, 0x7F, 0x80, 0xFF} <= {byte for one in keys for byte in one}
    assert {len(key(Seeded(seed))) for seed in range(300)} == set(range(22))
