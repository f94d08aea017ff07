"""One call of a target: the answer or what stands for it, and which second looks are taken of whom."""

import pytest

from kassay.model.calls import Call, Failure, Look, Probe, Refusal, answer_to_json, attempt, call, failure_of
from kassay.model.errors import FailureKind, TargetFailure


class Counting:
    """Answers with its own number, how often it was asked, and what it was asked."""

    made = 0

    def __init__(self):
        Counting.made += 1
        self.number, self.times = Counting.made, 0

    def ask(self, request):
        self.times += 1
        return self.number, self.times, request


@pytest.fixture
def counting():
    Counting.made = 0
    return Counting


def test_each_look_asks_the_object_that_it_names(counting):
    def ask(target, request):
        return target.ask(request)

    step = call(Call, ask, counting, "ab", tuple(Look), permuted=lambda text: text[::-1], twin=counting)
    assert step.given == (1, 1, "ab")
    assert step.probes == (
        Probe(Look.OTHER, (2, 1, "ab")),
        Probe(Look.PERMUTED, (3, 1, "ba")),
        Probe(Look.AGAIN, (1, 2, "ab")),
        Probe(Look.PROCESS, (4, 1, "ab")),
    )


@pytest.mark.parametrize("look", [Look.OTHER, Look.PERMUTED, Look.AGAIN])
def test_only_the_looks_that_are_asked_for_are_taken(counting, look):
    step = call(Call, Counting.ask, counting, "ab", {look}, permuted=str.upper)
    assert [probe.look for probe in step.probes] == [look]
    assert call(Call, Counting.ask, counting, "ab").probes == ()


def test_a_request_without_another_order_has_no_permuted_look(counting):
    assert call(Call, Counting.ask, counting, "ab", {Look.PERMUTED}).probes == ()


def test_a_target_without_an_answer_is_not_asked_in_another_process(counting):
    step = call(Call, lambda target, request: 1 // 0, counting, "ab", twin=counting)
    assert step.answer == failure_of(ZeroDivisionError("integer division or modulo by zero"))
    assert step.probes == ()
    with pytest.raises(LookupError, match="raised ZeroDivisionError: integer division"):
        _ = step.given


def test_what_the_target_changed_of_its_input_is_that_of_the_first_call():
    class Spoiling(Counting):
        def ask(self, request):
            self.mutated = f"call {self.times}"
            return super().ask(request)

    assert call(Call, Spoiling.ask, Spoiling, "ab", {Look.AGAIN}).mutated == "call 0"


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (
            KeyError("a\n b"),
            Failure(
                FailureKind.RAISED,
                "raised KeyError: 'a\\n b'",
                ("KeyError", "LookupError", "Exception", "BaseException", "object"),
            ),
        ),
        (
            TargetFailure(FailureKind.TIMEOUT, "slow", raised=("X",)),
            Failure(FailureKind.TIMEOUT, "slow", ("X",)),
        ),
    ],
    ids=["raised", "told"],
)
def test_whatever_is_raised_becomes_a_failure_of_one_line(error, failure):
    def ask():
        raise error

    assert attempt(ask) == failure
    assert answer_to_json(failure) == {"failure": {"kind": failure.kind.value, "message": failure.message}}


def test_an_error_of_many_lines_is_told_on_one_and_one_without_text_by_its_class():
    assert failure_of(ValueError("one\n  two")).message == "raised ValueError: one two"
    assert failure_of(ValueError()).message == "raised ValueError"


def test_a_refusal_stands_under_kafkas_name():
    refusal = Refusal("java.lang.X", "no")
    assert answer_to_json(refusal) == {"refused": {"java_class": "java.lang.X", "message": "no"}}


def test_second_looks_depart_where_they_have_another_answer_or_none():
    none = Failure(FailureKind.RAISED, "oh")
    same, other, failed = Probe(Look.AGAIN, (1, 2)), Probe(Look.OTHER, (2, 1)), Probe(Look.PERMUTED, none)
    assert Call("request", (1, 2), (same, other, failed, other)).departing == (other, failed, other)
