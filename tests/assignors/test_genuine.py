"""The same random inputs to kassay's references and to Kafka's own assignors, in a process of Java."""

import pytest

from tests.assignors.genuine import CLASSES, compare
from tests.genuine import genuine_jars

pytestmark = [pytest.mark.java, pytest.mark.slow]


@pytest.mark.parametrize("algorithm", CLASSES)
def test_every_answer_is_the_same(algorithm):
    genuine_jars()
    result = compare(algorithm, inputs=500, seed=7)
    assert (result.different, result.first) == (0, ())
    assert result.refused < result.inputs / 2
