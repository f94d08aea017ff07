"""Each error says which Java exception it is, and refuses no more than that."""

import pytest

from kassay.assignors import java_errors
from kassay.assignors.java_errors import DivisionByZeroError, NoSuchElementError
from kassay.model.errors import KafkaError

ERRORS = [each for each in vars(java_errors).values() if isinstance(each, type) and each is not KafkaError]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_an_error_is_named_after_the_java_exception_that_it_stands_for(error):
    package, _, name = error.java_class.rpartition(".")
    assert package == ("java.util" if error is NoSuchElementError else "java.lang")
    if error is DivisionByZeroError:
        assert name == "ArithmeticException"
    else:
        assert name == error.__name__.removesuffix("Error") + "Exception"


def test_no_two_stand_for_one_exception():
    assert len({error.java_class for error in ERRORS}) == len(ERRORS) == 7
