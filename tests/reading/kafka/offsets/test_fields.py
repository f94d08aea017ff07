"""Fields of a record: what is there as its type, and what is not told with its path."""

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.offsets import fields

HELD = {"n": 3, "s": "x", "none": None, "l": ["a", "b"], "tps": [{"id": "A", "partitions": [2, 0]}]}


def test_each_type_is_read():
    assert fields.int_of(HELD, "n", "v") == 3
    assert (fields.text_of(HELD, "s", "v"), fields.optional_text(HELD, "none", "v")) == ("x", None)
    assert fields.texts_of(HELD, "l", "v") == ("a", "b")
    assert fields.by_topic(HELD, "tps", "id", "v") == (TopicPartition("A", 2), TopicPartition("A", 0))


@pytest.mark.parametrize(
    ("read", "complaint"),
    [
        (lambda: fields.object_of(3, "v"), "v: "),
        (lambda: fields.int_of({"n": True}, "n", "v"), "v.n: "),
        (lambda: fields.text_of(HELD, "n", "v"), "v.n: "),
        (lambda: fields.optional_text(HELD, "n", "v"), "v.n: "),
        (lambda: fields.texts_of({"l": ["a", 1]}, "l", "v"), "v.l[1]: "),
        (
            lambda: fields.by_topic({"t": [{"id": "A", "partitions": [-1]}]}, "t", "id", "v"),
            "v.t[0].partitions",
        ),
    ],
)
def test_a_complaint_names_the_field(read, complaint):
    with pytest.raises(InputError, match="expected") as caught:
        read()
    assert str(caught.value).startswith(complaint)
