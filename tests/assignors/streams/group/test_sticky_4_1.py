from kassay.assignors.registry import find
from kassay.assignors.streams.group.sticky_4_1 import StreamsGroupPairing


def test_it_is_the_rule_of_4_1_until_4_2():
    for release in ("4.1", "4.1.0", "4.1.9"):
        reference = find(f"streams-group-sticky@{release}")
        assert reference is not None
        assert reference.factory is StreamsGroupPairing
        assert "deterministic" not in reference.claims
