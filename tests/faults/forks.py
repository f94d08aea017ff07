"""Runs of pytest, each in a fork of this process: what no fault can change is imported once for all of them."""

import compileall
import configparser
import importlib
import json
import os
import py_compile
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.catalogue import SOURCE, Fault
from tests.paths import ROOT

POLL_S = 0.02
LEFT_OUT = ("spark", "deep", "java", "node", "aiokafka", "browser")
OPTIONS = ("-q", "-x", "-p", "no:cacheprovider", "--assert=plain", "-m", f"not ({' or '.join(LEFT_OUT)})")
SHARED = ("cattrs", "click", "hypothesis.stateful", "jsonschema", "networkx", "rich.console")
"""Third-party modules that most tests import."""


@cache
def default_tests() -> str:
    """The expression of `-m` by which tox runs the default tests."""
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(ROOT / "tox.ini", encoding="utf-8")
    words = shlex.split(settings["testenv:test"]["commands"])
    return words[words.index("-m") + 1]


class Run(NamedTuple):
    """Tests to run on sources with a fault in them; without one, what they say of sound sources.

    `without` are ids of tests that are left out; `default` leaves out what the default tests leave out.
    """

    tests: tuple[str, ...]
    fault: Fault | None
    without: frozenset[str] = frozenset()
    default: bool = False


class Outcome(NamedTuple):
    """What a run came to, the test that failed first, and the processor's seconds of all its processes."""

    run: Run
    came: str
    noticed_by: str
    cpu_s: float


@dataclass
class _Judge:
    """Hears of every test: the first that does not pass decides, and one that cannot even begin judges nothing."""

    without: frozenset[str]
    came: str = "SURVIVED"
    noticed_by: str = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self.without]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.came == "SURVIVED":
            self.came = "killed" if report.when == "call" else "BROKEN"
            self.noticed_by = report.nodeid


def _play(run: Run, copy: Path, report: Path) -> None:
    """In the fork: run the tests on the sources in `copy` and write what came of it to `report`."""
    os.setsid()
    # In the background a shell has interrupts ignored, and tests interrupt their own processes.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with report.with_suffix(".log").open("wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.chdir(ROOT)
    os.environ.update(PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1")
    sys.path.insert(0, str(copy))
    judge = _Judge(run.without)
    marks = ["-m", default_tests()] if run.default else []
    code = pytest.main([*OPTIONS, *marks, *run.tests], plugins=[judge])
    package = Path(str(sys.modules["kassay"].__file__))
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        judge.came = "NO TESTS"
    elif not package.is_relative_to(copy) or code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        judge.came = "BROKEN"
    report.write_text(json.dumps([judge.came, judge.noticed_by]))


class _Seat:
    """A copy of the sources and the run that uses it."""

    def __init__(self, copy: Path, limit_s: float) -> None:
        self.copy = copy
        self._limit_s = limit_s
        self._report = copy.with_suffix(".json")
        self._run: Run | None = None
        self._original = ""
        self._end = 0.0
        self.pid = 0

    def begin(self, run: Run) -> None:
        """Plant the fault and fork."""
        self._run, self._end = run, time.monotonic() + self._limit_s
        self._report.unlink(missing_ok=True)
        if run.fault is not None:
            path = self.copy / run.fault.path
            self._original = path.read_text(encoding="utf-8")
            path.write_text(run.fault.planted(self._original), encoding="utf-8")
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            try:
                _play(run, self.copy, self._report)
            finally:
                os._exit(0)

    def ended(self) -> Outcome | None:
        """What the run came to if it is over, with the fault mended."""
        late = time.monotonic() > self._end
        if late:
            os.killpg(self.pid, signal.SIGKILL)
        pid, _, usage = os.wait4(self.pid, 0 if late else os.WNOHANG)
        if not pid or self._run is None:
            return None
        run, self._run, self.pid = self._run, None, 0
        if run.fault is not None:
            (self.copy / run.fault.path).write_text(self._original, encoding="utf-8")
        came, noticed_by = "HANGS" if late else "BROKEN", ""
        if not late and self._report.exists():
            came, noticed_by = json.loads(self._report.read_text())
        return Outcome(run, came, noticed_by, usage.ru_utime + usage.ru_stime)


def seats(folder: Path, count: int, limit_s: float) -> list[_Seat]:
    """`count` copies of the sources below `folder`, compiled so that a change of any length or age is noticed.

    A run that takes longer than `limit_s` seconds is ended and `HANGS`.
    """
    first = folder / "0"
    shutil.copytree(SOURCE, first, ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(first, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    for number in range(1, count):
        shutil.copytree(first, folder / str(number))
    return [_Seat(folder / str(number), limit_s) for number in range(count)]


def outcomes(runs: Iterable[Run], at: list[_Seat]) -> Iterator[Outcome]:
    """What each run came to, in the order in which they end; as many at a time as there are seats."""
    os.environ["CI"] = "true"
    for module in SHARED:
        importlib.import_module(module)
    if "kassay" in sys.modules:
        raise RuntimeError("kassay is loaded already: a fork could not see its faults")
    waiting, free = iter(runs), list(at)
    busy: list[_Seat] = []
    while True:
        while free and (run := next(waiting, None)) is not None:
            busy.append(free.pop())
            busy[-1].begin(run)
        if not busy:
            return
        time.sleep(POLL_S)
        for seat in list(busy):
            if (outcome := seat.ended()) is not None:
                busy.remove(seat)
                free.append(seat)
                yield outcome
