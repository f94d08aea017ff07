"""The options of an exploration that have more than one value."""

import pytest

from kassay.cli.exploring import properties_of, topics_of
from kassay.model.errors import InputError


def test_topics_are_a_number_or_one_for_each_client():
    assert (topics_of("2"), topics_of("1, 2")) == ((2,), (1, 2))
    with pytest.raises(InputError, match="--topics: 'x' is not a number of topics"):
        topics_of("1,x")


def test_properties_of_spark_are_not_the_models():
    assert properties_of({"configs": ("spark.master=local[2]", "process.id=1")}) == {"process.id": "1"}
