from kassay.assignors.registry import find
from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.assignors.streams.group_sticky_4_2_2 import StreamsGroupStickyCopies


def test_it_is_the_mended_rule_of_two_lines_and_4_4_has_its_own():
    for release, rule in (
        ("4.2.2", StreamsGroupStickyCopies),
        ("4.3.2", StreamsGroupStickyCopies),
        ("4.4", StreamsGroupSticky),
    ):
        reference = find(f"streams-group-sticky@{release}")
        assert reference is not None
        assert reference.factory is rule
