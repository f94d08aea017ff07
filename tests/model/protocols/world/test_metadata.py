"""Topics grow and never shrink."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.protocols.values.requests import image_of
from kassay.model.protocols.world.faults import create_partitions


@given(st.integers(1, 9), st.integers(-3, 12))
def test_scenario_19_a_topic_grows_and_never_shrinks(now, wanted):
    image = image_of([("other", 3), ("t", now)])
    reply = create_partitions(image, "t", wanted)
    if wanted <= now:
        assert reply == ("INVALID_PARTITIONS", image)
    else:
        assert reply == ("NONE", image_of([("other", 3), ("t", wanted)]))
    assert create_partitions(image, "nobody", wanted) == ("UNKNOWN_TOPIC_OR_PARTITION", image)
