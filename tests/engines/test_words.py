"""Answers in a line."""

from kassay.kinds.groups.answers import group_words
from kassay.kinds.partitioners.words import record_words
from kassay.kinds.words import few
from kassay.model.calls import Failure, Refusal
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import FailureKind
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.groups.step import Step
from kassay.model.partitioners.partitioner import ProducerRecord, Sent, TopicMetadata


def test_a_long_list_is_cut_and_says_how_much_more_there_is():
    assert few(["a", "b"]) == "a, b"
    assert few(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"


def test_a_group_is_told_by_its_moves_where_it_has_a_past_and_by_its_shares_where_not():
    tp, other = TopicPartition("t", 0), TopicPartition("t", 1)
    cluster = Cluster.of({"t": 2})
    young = Group((Member("a", ("t",)), Member("b", ("t",))))
    answer = Assignment({"a": (tp,), "b": (other,)})
    assert group_words(Step(cluster, young, answer, 1)) == "t-0 to a, t-1 to b (loads 1 and 1)"
    old = Group((Member("a", ("t",), (tp, other), 0), Member("b", ("t",))))
    assert group_words(Step(cluster, old, answer, 1)) == "move t-1 from a to b (loads 1 and 1)"
    kept = Assignment({"a": (tp, other), "b": ()})
    assert group_words(Step(cluster, old, kept, 1)) == "no move (loads 2 and 0)"


def test_a_record_goes_to_a_partition_or_is_refused():
    record, topic = ProducerRecord("t", None, None), TopicMetadata.of(1)
    assert record_words(Sent(record, topic, 0)) == "partition 0"
    assert record_words(Sent(record, topic, Refusal("x.Y", "no"))) == "refused: no"
    assert record_words(Sent(record, topic, Failure(FailureKind.RAISED, "broke"))) == "refused: broke"
