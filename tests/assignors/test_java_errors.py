"""Each error says which Java exception it is, and refuses no more than that."""

import pytest

from kassay.assignors import java_errors
from kassay.assignors.java_errors import (
    DivisionByZeroError,
    InternalTaskAssignorError,
    NoSuchElementError,
    TaskAssignorError,
)
from kassay.model.errors import KafkaError

ERRORS = [each for each in vars(java_errors).values() if isinstance(each, type) and each is not KafkaError]

COORDINATOR = "org.apache.kafka.coordinator.group"
PACKAGES = {
    NoSuchElementError: "java.util",
    TaskAssignorError: f"{COORDINATOR}.api.streams.assignor",
    InternalTaskAssignorError: f"{COORDINATOR}.streams.assignor",
}
NAMES = {DivisionByZeroError: "ArithmeticException", InternalTaskAssignorError: "TaskAssignorException"}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_an_error_is_named_after_the_java_exception_that_it_stands_for(error):
    package, _, name = error.java_class.rpartition(".")
    assert package == PACKAGES.get(error, "java.lang")
    assert name == NAMES.get(error, error.__name__.removesuffix("Error") + "Exception")


def test_no_two_stand_for_one_exception():
    assert len({error.java_class for error in ERRORS}) == len(ERRORS) == 9
