"""Kafka's interfaces: each is of a kind that there is, and none stands for another."""

from kassay.kinds.java import interfaces
from kassay.model.kinds import every_kind


def test_every_interface_is_of_a_kind_that_there_is():
    assert {one.kind for one in interfaces()} == {kind.meta for kind in every_kind() if kind.meta}
    assert {one.level for one in interfaces() if one.kind == "task-assignor"} == {"process", "member"}
    assert all(not one.level for one in interfaces() if one.kind != "task-assignor")


def test_no_class_of_kafka_is_of_two_interfaces():
    names = [name for one in interfaces() for name in (one.name, *one.known)]
    assert len(names) == len(set(names))
    assert all(name.startswith("org.apache.kafka.") for name in names)


def test_a_more_general_interface_comes_after_those_that_extend_it():
    names = [one.name for one in interfaces()]
    for one in interfaces():
        assert not one.general or names.index(one.name) < names.index(one.general)
