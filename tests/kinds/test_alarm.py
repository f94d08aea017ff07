"""The alarm ends what takes too long, and nothing else."""

import signal
import threading
import time

import pytest

from kassay.kinds.alarm import Asleep, OutOfTime, Overdue, deadline, kept_alarm, until


def test_what_takes_too_long_is_ended():
    with pytest.raises(Overdue), deadline(0.01):
        while True:
            pass


def test_an_alarm_that_is_caught_rings_again():
    caught = []
    with pytest.raises(Overdue), deadline(0.01):
        for _ in range(2):
            try:
                while True:
                    pass
            except Overdue:
                if caught:
                    raise
                caught.append("once")
    assert caught == ["once"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_alarm_that_python_drops_in_a_finaliser_rings_again():
    class Held:
        def __del__(self):
            while True:
                pass

    def finalised():
        held = Held()
        del held
        while True:
            pass

    with pytest.raises(Overdue), deadline(0.01):
        finalised()
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_what_ends_in_time_is_left_alone_and_the_old_handler_comes_back():
    before = signal.getsignal(signal.SIGALRM)
    with deadline(60):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is before


def test_outside_the_main_thread_there_is_no_alarm():
    ran = []

    def inside():
        with deadline(60):
            ran.append(signal.getitimer(signal.ITIMER_REAL)[0])

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert ran == [0]


def test_what_sleeps_is_ended_long_before_its_time():
    before = signal.getsignal(signal.SIGALRM)
    started = time.monotonic()
    with pytest.raises(Asleep), deadline(60, sleeping=5):
        time.sleep(60)
    assert time.monotonic() - started < 30
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_what_works_has_all_its_time():
    started = time.monotonic()
    with pytest.raises(Overdue) as raised, deadline(0.05, sleeping=5):
        while True:
            pass
    assert raised.type is Overdue
    assert time.monotonic() - started >= 0.05


def test_what_works_between_short_sleeps_is_not_asleep():
    def work():
        end = time.process_time() + 0.002
        while time.process_time() < end:
            pass

    with deadline(60, sleeping=50):
        for _ in range(10):
            work()
            time.sleep(0.01)


def test_what_slept_and_goes_on_nevertheless_is_ended_again():
    caught = []
    with pytest.raises(Overdue), deadline(60, sleeping=5):
        while True:
            try:
                time.sleep(60)
            except Overdue:
                if caught:
                    raise
                caught.append("once")
    assert caught == ["once"]


def test_cases_end_at_the_moment_even_where_no_next_one_is_found():
    def cases():
        yield "first"
        while True:
            pass

    seen = []
    with pytest.raises(OutOfTime):
        seen += [seen.append(case) for case in until(time.monotonic() + 0.05, cases())]
    assert seen == ["first"]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_cases_that_end_in_time_end_as_usual():
    assert list(until(time.monotonic() + 60, range(3))) == list(until(None, range(3))) == [0, 1, 2]
    with pytest.raises(OutOfTime):
        next(until(time.monotonic() - 1, iter([1])))


def test_what_is_done_with_a_case_is_not_interrupted():
    moment = time.monotonic() + 0.02
    seen = []
    with pytest.raises(OutOfTime):
        for case in until(moment, iter([1, 2])):
            while time.monotonic() < moment + 0.02:
                pass
            seen.append(case)
    assert seen == [1]


def test_a_handler_that_is_kept_is_installed_once_and_put_back(monkeypatch):
    before, installed = signal.getsignal(signal.SIGALRM), []
    real = signal.signal
    monkeypatch.setattr(signal, "signal", lambda *given: installed.append(given) or real(*given))
    with kept_alarm():
        assert signal.getsignal(signal.SIGALRM) is before
        for _ in range(50):
            with deadline(60), deadline(60):
                pass
        for _ in range(2):
            with pytest.raises(Overdue), deadline(0.001):
                while True:
                    pass
            assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert [number for number, _ in installed] == [signal.SIGALRM] * 2
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_kept_handler_passes_on_what_rings_for_others():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *given: rung.append(given))
    try:
        with kept_alarm():
            with deadline(60):
                pass
            signal.raise_signal(signal.SIGALRM)
        assert len(rung) == 1
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_call_that_replaces_the_kept_handler_loses_only_what_it_does_at_once():
    before = signal.getsignal(signal.SIGALRM)
    with kept_alarm():
        with deadline(60):
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
        time.sleep(0.02)
        with pytest.raises(Overdue), deadline(0.01):
            while True:
                pass
    assert signal.getsignal(signal.SIGALRM) is before
