"""Ctrl-C while Spark starts."""

import signal

import pytest

from kassay.pipeline.spark import _interrupts_held


@pytest.fixture(autouse=True)
def _handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_first_is_held_back_until_the_end_and_the_second_is_not() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), _interrupts_held():
        signal.raise_signal(signal.SIGINT)
        done.append("started")
    assert done == ["started"]
    with pytest.raises(KeyboardInterrupt), _interrupts_held():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("never")
    assert done == ["started"]


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN, signal.SIG_DFL])
def test_the_handler_of_the_process_comes_back(handler) -> None:
    signal.signal(signal.SIGINT, handler)
    with _interrupts_held():
        signal.signal(signal.SIGINT, lambda *_: None)  # as PySpark does
    assert signal.getsignal(signal.SIGINT) is handler


def test_what_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with _interrupts_held():
        signal.raise_signal(signal.SIGINT)
