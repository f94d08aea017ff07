"""A budget of time for a Hypothesis test, and what a run of the command line must never do."""

import contextlib
import io
import os
import random
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from kassay.cli.main import run

SECONDS = float(os.environ.get("KASSAY_FUZZ_SECONDS", "10"))
"""For each surface."""
SEED = int(os.environ.get("KASSAY_FUZZ_SEED") or random.SystemRandom().randrange(2**32))
ROUND = 100
"""Examples between two looks at the clock."""
STUCK_S = 30
MEMORY = 4 << 30
EXIT_CODES = frozenset({0, 1, 2, 3, 4})


class Ran(NamedTuple):
    """What a command line came to."""

    code: int
    out: str
    err: str


class StuckError(Exception):
    """A small input kept a command busy for too long."""


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Ends what takes too long or too much memory, as a fault of kassay."""

    def stuck(*_: object) -> None:
        raise StuckError(f"still busy after {STUCK_S} s")

    before = signal.signal(signal.SIGALRM, stuck)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limits[1]))
    signal.alarm(STUCK_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def ran(arguments: Sequence[str]) -> Ran:
    """The command line, run in this process; whatever is wrong with the input, kassay itself has no fault."""
    out, err = io.StringIO(), io.StringIO()
    with bounded(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(arguments))
    outcome = Ran(code, out.getvalue(), err.getvalue())
    assert code in EXIT_CODES, (arguments, outcome)
    assert "Traceback (most recent call last)" not in outcome.err
    if code == 2:
        assert outcome.err.startswith("kassay: "), outcome
        assert outcome.err.count("\n") == 1, outcome
    return outcome


def fuzz(check: Callable[..., None], place: Path, **drawn: st.SearchStrategy[Any]) -> int:
    """How many examples `check` took within the budget; raises what it raised, with the smallest example.

    `check` is called with what was drawn, standing in the folder `place`.
    """
    end, number = time.monotonic() + SECONDS, 0
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
