"""Faults planted in the model of streams groups and of the runtime: the loop finds each."""

import pytest

from tests.engines.conform.planted import STEPS, Planted, found, planted
from tests.genuine import genuine_jars


def test_each_fault_stands_once_and_is_code():
    for fault in planted():
        compile(fault.text(), fault.file, "exec")
    assert len({fault.id for fault in planted()}) == len(planted())


def test_a_fault_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="stands 0 times"):
        Planted("none", "runtime.py", "no such line", "").text()


@pytest.mark.java
@pytest.mark.deep
@pytest.mark.parametrize("fault", planted(), ids=lambda fault: fault.id)
def test_the_loop_finds_it(fault, tmp_path):
    """From 2 steps to a few thousand; 5 to 60 s each."""
    genuine_jars()
    _, cause = found(fault, tmp_path)
    assert cause != "-", f"not found in {STEPS} steps"
