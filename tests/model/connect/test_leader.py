"""What a leader remembers."""

from kassay.model.connect.leader import LeaderState


def test_a_memory_is_a_value():
    assert len({LeaderState(), LeaderState(delay_ms=0), LeaderState(delay_ms=1)}) == 2
