"""What users write of a group beside the outputs: racks, subscriptions, lags."""

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.overrides import LAGS, RACKS, SUBSCRIPTIONS, read_lags, read_said, titles_of


def test_the_titles_say_what_it_is():
    assert titles_of("consumer, rack\n") == RACKS
    assert titles_of("\nConsumer,Topics\na,b\n") == SUBSCRIPTIONS
    assert titles_of("topic,partition,lag") == LAGS
    assert titles_of("4,rack-a\n") is None


def test_racks_and_subscriptions():
    (first, second) = read_said("consumer,rack\n# a comment\napp-1,az-a\napp-2,\n", "r.csv", RACKS)
    assert (first.consumer, first.values, str(first.place)) == ("app-1", ("az-a",), "r.csv:3")
    assert second.values == ()
    (only,) = read_said('consumer,topics\n"app-1","orders  refunds"\n', "s.csv", SUBSCRIPTIONS)
    assert only.values == ("orders", "refunds")


def test_lags():
    assert read_lags("topic,partition,lag\norders,3,70\n", "l.csv") == {TopicPartition("orders", 3): 70}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("topic,partition\n", r"l.csv:1: expected the titles topic,partition,lag"),
        ("topic,partition,lag\norders,x,1\n", r"l.csv:2: partition: found 'x'"),
        ("topic,partition,lag\norders,0,-1\n", r"l.csv:2: lag: found '-1', expected a whole number"),
        ("topic,partition,lag\norders,0\n", r"l.csv:2: line: found 'orders,0', expected topic,partition,lag"),
        ("topic,partition,lag\norders,0,1\norders,0,2\n", r"l.csv:3: lag: found '2', expected one lag"),
        ('topic,partition,lag\n"orders,0,1\n', r"l.csv:\d: not CSV"),
    ],
)
def test_complaints_name_the_line(text, complaint):
    with pytest.raises(InputError, match=complaint):
        read_lags(text, "l.csv")
