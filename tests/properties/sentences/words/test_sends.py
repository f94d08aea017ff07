"""The words for partitioners, by hand; other answers are in range."""

import pytest

from kassay.model.calls import Refusal
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import (
    ProducerRecord,
    ProducerSends,
    ProducerSendsStep,
    Sent,
    TopicMetadata,
)
from kassay.properties.partitioners.sends import in_range
from kassay.properties.registry import Scope
from kassay.properties.sentences.claims import read_sentence
from kassay.properties.sentences.meaning import NOTHING
from kassay.properties.sentences.words.sends import SEND_WORDS

TWO, THREE = TopicMetadata.of(2, (1,)), TopicMetadata.of(3)
SENT = (
    Sent(ProducerRecord("t", b"k"), TWO, 0),
    Sent(ProducerRecord("t", b"k"), TWO, 1),
    Sent(ProducerRecord("t", b"k"), THREE, 2),
    Sent(ProducerRecord("t"), THREE, 0),
    Sent(ProducerRecord("t"), THREE, 1),
    Sent(ProducerRecord("u", partition=7), TWO, Refusal("E", "no")),
)
STEP = ProducerSendsStep(ProducerSends(tuple((sent.record, sent.topic) for sent in SENT)), SENT)


def says(text):
    read = read_sentence(text, PARTITIONER)
    assert read.scope is Scope.STEP
    return read.says(SEND_WORDS.scene(Scope.STEP, (STEP,)), NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        "max(p: sent(p)) == 2 and min(p: sent(p)) == 0 and max(t: sent(t)) == 5",
        "max(places) == 2 and keys == 2 and max(k: records(k)) == 2",
        "max(switches) == 1 and records == 6 and keyless == 2",
        "topics == 2 and partitions == 5 and max(t: partitions(t)) == 3",
        "refused == 1 and leaderless == 1",
        "not no_keys and not all_keys and not no_named and not in_range",
        "not all_available and not equal_counts",
    ],
)
def test_measures(text):
    assert says(text)


def test_a_key_is_named_with_its_topic_and_partitions():
    names = [str(key) for key in SEND_WORDS.things_by_letter["k"].each(STEP)]
    assert names == ["6b for t of 2 partitions", "6b for t of 3 partitions"]


def test_other_answers_are_in_range():
    others = list(SEND_WORDS.others(STEP))
    assert len({other.answer for other in others}) == 3
    assert not any(list(in_range(other)) for other in others)
