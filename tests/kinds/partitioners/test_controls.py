"""Faulty partitioners: each does right by records that its fault is not about."""

import pytest

from kassay.assignors.partitioners.explicit import Explicit
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import InvalidPartitionError, ProducerRecord, TopicMetadata
from tests.kinds.caught import alone

TOPIC = TopicMetadata.of(7)
CONTROLS = alone(PARTITIONER)


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_a_record_that_names_its_partition_goes_there(control):
    made = control.new({})
    assert [made.partition(ProducerRecord("t", b"k", None, p), TOPIC) for p in range(7)] == list(range(7))
    beyond = ProducerRecord("t", b"k", None, 7)
    if control.name == "wraps-explicit":
        assert made.partition(beyond, TOPIC) == 0
    else:
        with pytest.raises(InvalidPartitionError):
            made.partition(beyond, TOPIC)


@pytest.mark.parametrize("name", ["ignores-leaders", "wraps-explicit"])
def test_a_fault_elsewhere_leaves_keys_where_the_reference_puts_them(name):
    (control,) = (each for each in CONTROLS if each.name == name)
    records = [ProducerRecord("t", bytes([key])) for key in range(40)]
    made, reference = control.new({}), Explicit()
    assert [made.partition(r, TOPIC) for r in records] == [reference.partition(r, TOPIC) for r in records]
