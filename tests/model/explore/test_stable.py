"""States as bytes: the same for equal values alone, back again, and a fingerprint whose odds are said."""

import subprocess
import sys
from enum import StrEnum
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.explore.stable import DIGEST_BYTES, StateCodec, collision_probability
from kassay.model.explore.states import Interned, Interner, constant, constants
from kassay.model.protocols.before_0_9.zookeeper import BoardView
from kassay.model.protocols.values.requests import TopicImage

NOBODY = constant("nobody, of these tests")


class Shade(StrEnum):
    DARK = "dark"
    PALE = "pale"


class Pair(NamedTuple):
    left: Any
    right: Any


class Twin(NamedTuple):
    left: Any
    right: Any


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.sampled_from(Shade)
    | st.frozensets(st.text("abc", max_size=2), max_size=3)
)
SHAPES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.builds(Pair, inner, inner)
        | st.builds(Twin, inner, inner)
        | inner.map(lambda value: ("cell", value))
    ),
    max_leaves=8,
)


def with_cells(value, cell):
    """The value, with a cell wherever it says so, and once the constant."""
    if isinstance(value, tuple):
        parts = [with_cells(part, cell) for part in value]
        if value[:1] == ("cell",):
            return cell(parts[1]) if parts[1:] else NOBODY
        return type(value)._make(parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def kinds():
    return Shade, Pair, Twin


def codec_for(interner):
    return StateCodec(interner.cell, kinds)


def same(one, other):
    """Equal, and of one type all the way down, cells by what they hold."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Interned):
        return same(one.value, other.value) and (one is NOBODY) == (other is NOBODY)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


@given(SHAPES)
def test_what_is_written_is_read_as_the_cells_of_this_model(value):
    interner = Interner()
    state, codec = with_cells(value, interner.cell), codec_for(interner)
    back = codec.decode(codec.encode(state))
    assert back == state
    assert same(back, state)


@given(SHAPES, SHAPES)
def test_bytes_and_digests_are_equal_exactly_for_equal_values_whoever_made_the_cells(left, right):
    first, second = Interner(), Interner()
    second.cell("something that comes before")
    one, other = with_cells(left, first.cell), with_cells(right, second.cell)
    alike = same(one, other)
    assert (codec_for(first).encode(one) == codec_for(second).encode(other)) == alike
    assert (codec_for(first).digest(one) == codec_for(second).digest(other)) == alike
    assert len(codec_for(first).digest(one)) == DIGEST_BYTES


@given(SHAPES, st.data())
def test_other_bytes_are_refused_in_one_line(value, data):
    interner = Interner()
    codec = codec_for(interner)
    written = codec.encode(with_cells(value, interner.cell))
    at = data.draw(st.integers(0, len(written)))
    for forged in (written[:at], written + b"N", written[:at] + b"?" + written[at + 1 :]):
        try:
            codec.decode(forged)
        except InputError as refused:
            assert "\n" not in str(refused)
            assert f"of {len(forged)}" in str(refused)
        else:
            assert forged not in (written[:at], written + b"N") or forged == written


def test_what_no_state_is_made_of_is_refused():
    with pytest.raises(TypeError, match="float is nothing that states are made of"):
        StateCodec().encode((1, 2.5))


READS = """
import sys
import kassay.model.protocols.values.requests
from kassay.model.explore.stable import StateCodec

before = set(sys.modules)
print(StateCodec().decode(bytes.fromhex(sys.argv[1])))
print(len(set(sys.modules) - before))
"""


@pytest.mark.parametrize(("value", "imports"), [(TopicImage("t", "t", 2), False), (BoardView((1,), 2), True)])
def test_a_process_reads_values_of_any_model_and_imports_others_only_for_those(value, imports):
    command = [sys.executable, "-c", READS, StateCodec().encode(value).hex()]
    read, imported = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert read == repr(value)
    assert (int(imported) > 0) == imports


def test_a_constant_stands_for_its_value_once():
    assert constants()["nobody, of these tests"] is NOBODY
    with pytest.raises(ValueError, match="already has a constant"):
        constant("nobody, of these tests")


def test_a_fingerprint_is_the_digests_first_half():
    codec = StateCodec()
    assert codec.fingerprint((1,)).to_bytes(8, "big", signed=True) == codec.digest((1,))[:8]


def test_the_odds_of_a_collision_are_those_of_birthdays():
    assert collision_probability(0) == collision_probability(1) == 0
    assert collision_probability(23, 8) == pytest.approx(0.627, abs=0.01)
    assert collision_probability(10_000_000) == pytest.approx(2.7e-6, rel=0.01)
    assert collision_probability(2**40, 32) == 1
    assert 0 < collision_probability(2) < 1e-19
