"""A broker as Kafka's `Node` prints itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import Broker
from kassay.model.errors import InputError
from kassay.reading.kafka.lines import Place
from kassay.reading.kafka.nodes import read_node, read_nodes

PLACE = Place("f", 3)
RACKS = st.sampled_from([None, "a", "az,b", "r (id: 9)", "x:1", "isFenced", "(", "é"])


@given(st.lists(st.tuples(st.integers(0, 99), RACKS, st.booleans()), max_size=4))
def test_a_list_is_not_split_at_the_commas_of_a_rack(nodes: list[tuple[int, str | None, bool]]) -> None:
    texts = [
        f"h{id_}:9092 (id: {id_} rack: {rack or 'null'} isFenced: {str(fenced).lower()})"
        for id_, rack, fenced in nodes
    ]
    brokers = tuple(Broker(*node) for node in nodes)
    assert read_nodes(",".join(texts), PLACE, "x") == brokers
    assert tuple(read_node(text, PLACE, "x") for text in texts) == brokers


@pytest.mark.parametrize("text", ["1", "h:1 (id: 1 rack: a", "h:1 (id: -1 rack: a)", "h:1 (id: 1 rack: a)x"])
def test_what_is_no_node_is_told(text: str) -> None:
    with pytest.raises(InputError, match=r"^f:3: x: found .* expected brokers such as"):
        read_nodes(text, PLACE, "x")
    with pytest.raises(InputError, match=r"^f:3: x: found"):
        read_node(text, PLACE, "x")
