"""References of other kinds than assignors in a process with a hash seed of its own."""

import pytest

from kassay.assignors.placement.rack_aware import RackAware
from kassay.engines.processes.references import ReferenceHost
from kassay.engines.runs.controls import control_target
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.kinds.controls import load_controls
from kassay.model.cluster import Broker
from kassay.model.java import JavaRandom
from kassay.model.partitioners.partitioner import InvalidPartitionError, ProducerRecord, TopicMetadata
from kassay.model.placement.request import AdminOperationError, PlacementRequest

TOPIC = TopicMetadata.of(7)


def salted(seed):
    control = next(c for c in load_controls() if c.name == "salts-hashes")
    with control_target(control).open(hash_seed=seed) as host:
        made = host.new({})
        return [made.partition(ProducerRecord("t", bytes([key])), TOPIC) for key in range(20)]


def test_the_hash_seed_is_that_of_the_process():
    assert salted(1) == salted(1) != salted(2)


def test_answers_and_errors_are_those_of_the_reference_itself():
    request = PlacementRequest(3, 2, (Broker(0, "a"), Broker(1, "b"), Broker(2, "c")))
    with ReferenceHost(RackAware, 1) as host:
        first, second = host.new({}), host.new({})
        assert first.place(request, JavaRandom(5)) == RackAware().place(request, JavaRandom(5))
        assert second.place(request, JavaRandom(6)) == RackAware().place(request, JavaRandom(6))
        with pytest.raises(AdminOperationError):
            first.place(PlacementRequest(1, 1, (Broker(0, "a"), Broker(1))), JavaRandom(0))
        assert not hasattr(first, "mutated")
        host.restart()
        assert host.new({}).place(request, JavaRandom(5)) == RackAware().place(request, JavaRandom(5))
    with resolve("partitioner:explicit").open(hash_seed=3) as host, pytest.raises(InvalidPartitionError):
        host.new({}).partition(ProducerRecord("t", None, None, 9), TOPIC)


@pytest.mark.slow_cases("streams-high-availability")
@pytest.mark.parametrize("spec", ["partitioner:murmur2", "streams-high-availability", "placement:rack-aware"])
def test_every_control_of_a_kind_is_caught(spec):
    controls = certify(resolve(spec), RunOptions(budget=Budget(histories=300))).controls
    assert controls["missed"] == []
    assert controls["caught"] == controls["of"] > 5
