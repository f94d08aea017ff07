from kassay.assignors.registry import find
from kassay.assignors.streams.group.sticky_4_2 import StreamsGroupStickyFirstCopy


def test_it_is_the_rule_of_two_lines_until_each_was_mended():
    for release in ("4.2", "4.2.1", "4.3.0", "4.3.1"):
        reference = find(f"streams-group-sticky@{release}")
        assert reference is not None
        assert reference.factory is StreamsGroupStickyFirstCopy
