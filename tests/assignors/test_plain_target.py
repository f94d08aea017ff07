"""A plain object of this process: whatever leaves it becomes a failure that names the call."""

import pytest

from kassay.assignors.plain import PlainTarget
from kassay.assignors.plain_answers import Malformed
from kassay.model.errors import FailureKind, TargetFailure


class Choosing(PlainTarget):
    """Asks its object to choose, and takes numbers only."""

    def choose(self, *by_place, **by_name):
        def number(value):
            if not isinstance(value, int):
                raise Malformed(f"expected a number, got {value!r}")
            return value + 1

        return self._call("choose", number, *by_place, **by_name)


class Chooser:
    def __init__(self, answer):
        self.answer = answer

    def choose(self, a, b=0):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer if a is None else a + b


def test_the_answer_is_what_the_check_makes_of_it():
    assert Choosing(Chooser(None)).choose(3, b=4) == 8


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        ("x", FailureKind.MALFORMED, "expected a number, got 'x'"),
        (KeyError("rack"), FailureKind.RAISED, "choose raised KeyError: 'rack' (test_plain_target.py:"),
        (SystemExit(3), FailureKind.RAISED, "choose raised SystemExit: 3 (test_plain_target.py:"),
        (MemoryError(), FailureKind.MEMORY, "choose ran out of memory"),
    ],
    ids=["malformed", "raised", "exits", "memory"],
)
def test_what_is_no_answer_is_a_failure_of_the_call(answer, kind, message):
    with pytest.raises(TargetFailure) as failure:
        Choosing(Chooser(answer), source=__file__).choose(None)
    assert failure.value.kind is kind
    assert failure.value.message.startswith(message)
    assert failure.value.__cause__ is None


def test_the_user_can_still_stop_the_run():
    with pytest.raises(KeyboardInterrupt):
        Choosing(Chooser(KeyboardInterrupt())).choose(None)


def test_a_method_that_is_not_there_is_the_targets_fault():
    with pytest.raises(TargetFailure, match="choose raised AttributeError"):
        Choosing(object()).choose(None)


def test_only_an_object_that_takes_a_configuration_gets_one_of_its_own():
    class Takes:
        def configure(self, config):
            self.config = config

    taken, config = Takes(), {"a": "b"}
    Choosing(taken).configure(config)
    assert taken.config == config
    assert taken.config is not config
    Choosing(Chooser(None)).configure(config)
