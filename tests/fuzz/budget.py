"""A budget of time for a Hypothesis test, and what a run of the command line must never do."""

import contextlib
import io
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from kassay.cli.main import run

SECONDS = 5.0
"""For each surface, where KASSAY_FUZZ_SECONDS does not say."""
READER_SECONDS = 10.0
"""For each that reads what users bring: what other tools print, and files that users write."""
SEED = int(os.environ.get("KASSAY_FUZZ_SEED") or 0)
"""A change is not held up by what another seed would find: longer runs by hand take one of their own."""
ROUND = 100
"""Examples between two looks at the clock."""
STUCK_S = 30
"""Of the processor, so that a busy machine is no finding; ten times as long by the clock."""
MEMORY = 4 << 30
EXIT_CODES = frozenset({0, 1, 2, 3, 4})


class Ran(NamedTuple):
    """What a command line came to."""

    code: int
    out: str
    err: str


class StuckError(BaseException):
    """A small input kept a command busy for too long; nothing that a target is shielded by may swallow it."""


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Ends what takes too long or too much memory, as a fault of kassay."""

    def stuck(*_: object) -> None:
        raise StuckError(f"still busy after {STUCK_S} s")

    before = {each: signal.signal(each, stuck) for each in (signal.SIGALRM, signal.SIGPROF)}
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limits[1]))
    signal.alarm(10 * STUCK_S)
    signal.setitimer(signal.ITIMER_PROF, STUCK_S)
    try:
        yield
    except StuckError as error:
        raise AssertionError(str(error)) from None
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        for each, handler in before.items():
            signal.signal(each, handler)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def ran(arguments: Sequence[str]) -> Ran:
    """The command line, run in this process; whatever is wrong with the input, kassay itself has no fault."""
    out, err = io.StringIO(), io.StringIO()
    with bounded(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(arguments))
    outcome = Ran(code, out.getvalue(), err.getvalue())
    assert code in EXIT_CODES, (arguments, outcome)
    assert "Traceback (most recent call last)" not in outcome.err
    assert "out of memory" not in outcome.err
    if code == 2:
        assert outcome.err.startswith("kassay: "), outcome
        assert outcome.err.count("\n") == 1, outcome
    return outcome


def fuzz(
    check: Callable[..., None], place: Path, seconds: float = SECONDS, **drawn: st.SearchStrategy[Any]
) -> int:
    """How many examples `check` took within the budget; raises what it raised, with the smallest example.

    `check` is called with what was drawn, standing in the folder `place`.
    """
    budget = float(os.environ.get("KASSAY_FUZZ_SECONDS") or seconds)
    end, number = time.monotonic() + budget, 0
    examples = 0

    def counted(**values: Any) -> None:
        nonlocal examples
        examples += 1
        # Nothing new is begun after the end; a failure is still made small.
        if time.monotonic() < end or failed:
            try:
                check(**values)
            except BaseException:
                failed.append(1)
                raise

    failed: list[int] = []
    every = settings(
        max_examples=ROUND,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    with contextlib.chdir(place):
        while time.monotonic() < end:
            print(f"seed {SEED}, round {number}")
            seed(hash((SEED, number)))(every(given(**drawn)(counted)))()
            number += 1
    print(f"{examples} examples")
    return examples
