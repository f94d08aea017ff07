"""Numbers of replicas, and sizes in bytes, as people write them."""

import doctest

import pytest

from kassay.engines.replicas import amounts
from kassay.engines.replicas.amounts import amount_of, byte_size
from kassay.model.errors import InputError


def test_examples_run():
    assert doctest.testmod(amounts).failed == 0


@pytest.mark.parametrize("text", ["", "5 apples", "1iB", "-1", "1e3", "٣GB"])
def test_what_is_no_size_is_an_error(text):
    with pytest.raises(InputError, match="is not a size; expected"):
        byte_size(text)


def test_a_unit_makes_bytes():
    assert [amount_of(text) for text in ("7", "7B", "1.5 KiB")] == [(7, False), (7, True), (1536, True)]
