"""Files of a cluster are told by their content."""

import pytest

from kassay.engines.clusters.inputs import ClusterInputs, read_cluster
from kassay.engines.clusters.observed import observe
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from tests.engines.clusters.cluster import inputs, offsets, topics
from tests.paths import DATA
from tests.reading.kafka.outputs import FOLDER, output


def test_each_file_is_taken_for_what_it_is():
    read = inputs(
        output("groups-offsets-3.9.txt"),
        output("topics-4.4.txt"),
        output("brokers-4.4.txt"),
        "consumer,rack\napp-1,a\n",
        "consumer,topics\napp-1,orders\n",
        "topic,partition,lag\norders,0,5\n",
    )
    assert read.group_names == ("billing",)
    assert read.topics and read.brokers and len(read.racks) == len(read.subscriptions) == 1
    assert read.lags == {TopicPartition("orders", 0): 5}
    assert read.files == [f"f{number}" for number in range(1, 7)]


def test_paths_are_read_once_each():
    path = str(FOLDER / "groups-offsets-3.9.txt")
    assert len(read_cluster([path, path]).groups) == 1


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["hello\n"], "f1: format not recognised, expected kafka-consumer-groups.sh"),
        ([topics({"t": 1}), topics({"t": 2})], "f2:1: topic 't': found twice, expected each topic once"),
    ],
)
def test_what_is_none_of_them_is_refused(texts, complaint):
    with pytest.raises(InputError) as caught:
        inputs(*texts)
    assert str(caught.value).startswith(complaint)


def test_racks_that_contradict_each_other_are_refused():
    read = ClusterInputs()
    read.take(offsets({"a": ["t-0"]}), "g")
    from kassay.model.cluster import Broker

    read.take_brokers([Broker(1, "a")], "b1")
    with pytest.raises(InputError, match="b2: broker 1: rack: found 'b', expected 'a' as in the file before"):
        read.take_brokers([Broker(1, "b")], "b2")


PASTED = sorted((DATA / "clusters" / "D7-prompts").glob("p[r0]*.txt"))


@pytest.mark.parametrize("path", PASTED, ids=lambda path: path.stem)
def test_what_was_pasted_is_read_and_said(path):
    read = read_cluster([str(path)])
    assert observe(read).cleaned == tuple(read.cleaned)
    assert len(read.cleaned) == 1 and read.cleaned[0].startswith(f"{path}: read without ")
    assert len(observe(read).group.members) == (5 if "members" in path.stem else 6)
