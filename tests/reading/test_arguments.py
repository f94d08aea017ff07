"""What an annotation allows, and what becomes of it."""

from collections.abc import Iterable, Mapping, Sequence  # noqa: F401 - annotations are evaluated
from typing import Literal, Protocol  # noqa: F401

import pytest

from kassay.model.errors import InputError
from kassay.reading.arguments import guarded


class Called(Protocol):
    def __call__(self, done: float) -> object: ...


class Whole:
    """A number of another library."""

    def __int__(self):
        return 7


def read(annotation, value):
    function = eval("lambda value: value", globals())
    function.__annotations__ = {"value": annotation}
    return guarded(function, __name__)(value)


@pytest.mark.parametrize(
    ("annotation", "value", "wanted"),
    [
        ("float", 5, 5),
        ("Sequence[str]", "range", ("range",)),
        ("Iterable[int]", (number for number in (1, 2)), (1, 2)),
        ("str | Sequence[str]", "range", "range"),
        ("Sequence[str] | str", "range", "range"),
        ("tuple[int, int]", [2, 3], (2, 3)),
        ("Mapping[str, str | Sequence[str]]", {"a": ["b"]}, {"a": ("b",)}),
        ("Called", print, print),
        ("Literal['a', 'b']", "b", "b"),
        ("int | None", None, None),
    ],
)
def test_a_value_that_fits_is_taken(annotation, value, wanted):
    assert read(annotation, value) == wanted


@pytest.mark.parametrize(
    ("annotation", "value", "said"),
    [
        ("int", Whole(), "expected a whole number"),
        ("float", True, "found True (bool), expected a number"),
        ("Sequence[str]", b"x", "found b'x' (bytes), expected a list of texts"),
        ("Sequence[str]", {"a": 1}, "expected a list of texts"),
        ("Sequence[Sequence[int]]", 1, "expected a list of lists of whole numbers"),
        ("Mapping[str, int]", {"a": "1"}, "found {'a': '1'} (dict), expected a dict of whole numbers"),
        ("Called | None", "x", "expected a function"),
        ("Literal['a', 'b']", "c", "expected 'a' or 'b'"),
        ("Whole", 1, "expected a Whole"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error(annotation, value, said):
    with pytest.raises(InputError) as raised:
        read(annotation, value)
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_numbers_of_other_libraries_become_pythons():
    numpy = pytest.importorskip("numpy")
    assert type(read("int", numpy.int64(3))) is int
    assert type(read("float", numpy.float32(0.5))) is float


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("--since '--since': not a time", "since '--since': not a time"),
        ("expected kafka-topics.sh --describe --since, or --since", None),
        ("expected --group", "expected --group"),
    ],
)
def test_options_that_are_no_arguments_stay(message, said):
    def fails(since: "str"):
        raise InputError(message)

    said = said or "expected kafka-topics.sh --describe --since, or since"
    with pytest.raises(InputError) as raised:
        guarded(fails, __name__)("now")
    assert str(raised.value) == said
