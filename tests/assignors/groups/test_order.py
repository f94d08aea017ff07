"""Java's order of members and partitions, against a sort by UTF-16 code units written out."""

from random import Random

from kassay.assignors.groups.order import (
    java_sorted,
    members_in_order,
    partitions_by_number,
    partitions_in_order,
)
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import Member

TEXTS = ("a", "b", "B", "10", "9", "", "é", "\ufffd", "\U0001f600", "\ud83d")


def units(text):
    """The UTF-16 code units, which is what `String.compareTo` compares."""
    return [
        unit
        for char in map(ord, text)
        for unit in ([char] if char < 0x10000 else [0xD800 + (char - 0x10000 >> 10), 0xDC00 + (char & 0x3FF)])
    ]


def test_what_is_outside_the_basic_plane_comes_before_its_end():
    assert java_sorted(["\ufffd", "\U0001f600", "z"], str) == ["z", "\U0001f600", "\ufffd"]


def test_static_members_come_first_by_instance_and_equal_ones_keep_their_order():
    for seed in range(200):
        rng = Random(seed)
        group = [
            Member(rng.choice(TEXTS), (), instance_id=rng.choice((None, *TEXTS)))
            for _ in range(rng.randint(0, 6))
        ]
        static = sorted((m for m in group if m.instance_id is not None), key=lambda m: units(m.instance_id))
        dynamic = sorted((m for m in group if m.instance_id is None), key=lambda m: units(m.member_id))
        assert all(one is other for one, other in zip(members_in_order(group), static + dynamic, strict=True))


def test_partitions_go_by_topic_and_number_or_the_other_way_round():
    for seed in range(200):
        rng = Random(seed)
        tps = [TopicPartition(rng.choice(TEXTS), rng.randint(0, 11)) for _ in range(rng.randint(0, 6))]
        assert partitions_in_order(tps) == sorted(tps, key=lambda tp: (units(tp.topic), tp.partition))
        assert partitions_by_number(tps) == sorted(tps, key=lambda tp: (tp.partition, units(tp.topic)))
