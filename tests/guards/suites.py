"""The tests of coordinator and clients as judges of a removed guard: collected once, run in forks."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from _pytest.runner import runtestprotocol

from tests.paths import ROOT

FILES = (
    "tests/model/protocols",
    "tests/engines/protocols/test_switch_runs.py",
    "tests/engines/conform/test_sequences.py",
)
"""The second has a test for each switch: it is found with the switch on, by what it is to be found by. The third
has what Kafka did in sequences in which the model once differed."""
MARKS = "not exhaustive and not deep and not java and not node"
QUIET = ("-q", "-s", "--no-header", "--no-summary", "-p", "no:cacheprovider")
PLAIN = "--assert=plain"
"""The modules are imported already, so that asserts cannot be rewritten."""

_COLLECTED: dict[str, pytest.Item] = {}


@dataclass(frozen=True)
class UnitTest:
    """A test by its node id, with the seconds that it takes."""

    name: str
    seconds: float = 0


class _Loop:
    """Does something else in place of running what was collected."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.raised: list[BaseException] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        _COLLECTED.update({item.nodeid: item for item in session.items})
        try:
            self.work()
        except BaseException as problem:  # raised anew where pytest does not swallow it
            self.raised.append(problem)
        return True


def with_tests(work: Callable[[], None], names: Sequence[str] = FILES) -> None:
    """Collect these tests, and do the work while they can be run; raises what it raises."""
    os.chdir(ROOT)
    os.environ["KASSAY_HYPOTHESIS"] = "ci"
    loop = _Loop(work)
    code = pytest.main([*QUIET, PLAIN, "-m", MARKS, *names], plugins=[loop])
    for problem in loop.raised:
        raise problem
    if not _COLLECTED:
        raise ValueError(f"{', '.join(names)}: no test to collect ({code!r}); expected some")


def outcomes(names: Sequence[str] = ()) -> Iterator[tuple[UnitTest, bool]]:
    """In a fork: run these tests of those that are collected, or all; each, once it ran, and whether it failed."""
    items = [_COLLECTED[name] for name in names or _COLLECTED]
    for item, following in zip(items, [*items[1:], None]):
        began = time.process_time()
        reports = runtestprotocol(item, log=False, nextitem=following)
        seconds = time.process_time() - began
        yield UnitTest(item.nodeid, seconds), any(report.failed for report in reports)


def first_to_fail(names: Sequence[str], seconds: float) -> str:
    """In a fork: the first of these tests that fails within so many seconds of the processor, or ""."""
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return next((test.name for test, failed in outcomes(names) if failed), "")
    except KeyboardInterrupt:
        return ""
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
