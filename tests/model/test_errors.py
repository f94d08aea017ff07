"""How a failure of a target is told: always on one line, with its place, and whole after a pipe."""

import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.errors import FailureKind, TargetFailure, described, failed, one_line, place_of


def raised(error):
    """The error as it comes out of a call, with its traceback."""
    try:
        raise error
    except BaseException as caught:
        return caught


@settings(max_examples=50)
@given(st.text() | st.text().map(lambda text: text * 300))
def test_any_text_becomes_one_line_of_four_hundred_characters_at_most(text):
    line = one_line(text)
    assert len(line) <= 400
    assert len(line.splitlines()) <= 1
    assert line == one_line(line)
    whole = " ".join(text.split())
    assert line == whole or (len(whole) > 400 and whole.startswith(line.removesuffix("...")))


@pytest.mark.parametrize("kind", FailureKind)
def test_a_failure_survives_the_way_between_processes(kind):
    failure = TargetFailure(kind, "what\n happened", "rule.py:3", ("KeyError", "LookupError"))
    again = pickle.loads(pickle.dumps(failure))
    assert vars(again) == vars(failure)
    assert (again.message, str(again)) == ("what happened", "what happened")


def test_an_exception_whose_text_fails_is_told_by_its_class():
    class Silent(Exception):
        def __str__(self):
            raise SystemExit("no")

    assert described(Silent()) == "Silent"
    assert described(ValueError(" a \n b ")) == "ValueError: a b"


def inner():
    raise KeyError("rack")


def test_the_place_is_the_innermost_line_of_the_source():
    with pytest.raises(KeyError) as caught:
        inner()
    line = inner.__code__.co_firstlineno + 1
    assert place_of(caught.value) == place_of(caught.value, __file__) == f"test_errors.py:{line}"
    assert place_of(caught.value, "elsewhere.py") == f"test_errors.py:{line}"
    assert place_of(KeyError("rack")) == ""


def reads():
    json.loads("{")


def test_a_line_of_the_source_counts_before_what_it_called_elsewhere():
    with pytest.raises(json.JSONDecodeError) as caught:
        reads()
    assert place_of(caught.value, __file__) == f"test_errors.py:{reads.__code__.co_firstlineno + 1}"
    assert place_of(caught.value).startswith("decoder.py:")


def test_what_left_a_call_is_told_with_call_class_and_place():
    failure = failed(raised(KeyError("rack")), "assign", __file__)
    assert failure.kind is FailureKind.RAISED
    assert failure.message.startswith("assign raised KeyError: 'rack' (test_errors.py:")
    assert failure.where.startswith("test_errors.py:")
    assert failure.raised == ("KeyError", "LookupError", "Exception")
    bare = failed(KeyError("rack"), "assign")
    assert (bare.message, bare.where) == ("assign raised KeyError: 'rack'", "assign")


def test_memory_is_a_kind_of_its_own_and_a_failure_stays_itself():
    assert failed(MemoryError(), "assign").kind is FailureKind.MEMORY
    told = TargetFailure(FailureKind.MALFORMED, "no list", "assign")
    assert failed(told, "configure") is told
