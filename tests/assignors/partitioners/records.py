"""Records without a key, and topics for them."""

from hypothesis import strategies as st

from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata

ALL_THREE = TopicMetadata.of(3)


INT_MAX = 2**31 - 1


keys = st.binary(max_size=40)


def keyless(rule, topics, name="t"):
    return [rule.partition(ProducerRecord(name), topic) for topic in topics]
