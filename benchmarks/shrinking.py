"""How often shrinking ends at the least counterexample, for the built-in faulty rules of every kind.

Each control's fault is found in the run of its claim with so many seeds, and each counterexample is made
small as `certify` does. The *least* is the smallest of all these, and of every small case
(`engines/hunts/hunt`) where the kind has such; what is compared says `COMPARED`. One on ordinary input is
held against those on ordinary input alone: shrinking never makes it one whose input contradicts itself. By
hand:

    python -m benchmarks.shrinking placer connect --seeds 50

Left out are controls that never answer (each try waits for them), and those that are seen only beside
another process (two children for each try) or in a time.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from kassay.engines.hunts.hunt import cases
from kassay.engines.runs.blocks import Job
from kassay.engines.runs.controls import control_target
from kassay.engines.runs.options import RunOptions
from kassay.engines.runs.shrink import broken, shrink
from kassay.kinds.controls import Control, load_controls
from kassay.kinds.judging import Subject
from kassay.kinds.protocol import ScopeCell
from kassay.kinds.registry import driver_for
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import GROUPS
from kassay.model.kinds import Kind, every_kind
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Scope

LEFT_OUT: Final = ("terminates", "deterministic")
COMPARED: Final = {
    **dict.fromkeys(GROUPS, ("events", "members", "partitions")),
    PLACER: ("brokers", "new partitions"),
    PLANNER: ("partitions", "replication factor", "brokers"),
    PARTITIONER: ("records", "partitions"),
    STREAMS: ("changes", "events", "processes", "tasks"),
    CONNECT: ("changes", "events", "workers", "connectors", "tasks"),
}
"""What counts of a case's size, in the order in which shrinking compares it."""
CASES_MAX: Final = 400
"""So many cases of a seed are looked through for the fault."""
TRIED_MAX: Final = 2000
"""So many small cases are tried at most."""


class End(NamedTuple):
    """Where shrinking ended: the size, and whether the input contradicts itself."""

    size: tuple[int, ...]
    contradictory: bool


class ShrunkEnds(NamedTuple):
    """Where the shrinking of a control's counterexamples ended.

    `exhaustive` is the least size among all small cases: None where there are no such, or none is broken.
    """

    control: Control
    ends: tuple[End, ...]
    exhaustive: tuple[int, ...] | None
    cpu_s: float

    def least(self, end: End) -> tuple[int, ...]:
        """The least size that is known, on ordinary input if that of the end is."""
        known = [other.size for other in self.ends if end.contradictory or not other.contradictory]
        return min([*known, *(() if self.exhaustive is None else (self.exhaustive,))])

    @property
    def leasts(self) -> list[tuple[int, ...]]:
        """The least sizes that are ended at."""
        return sorted({end.size for end in self.ends if end.size == self.least(end)})

    @property
    def others(self) -> list[tuple[tuple[int, ...], int]]:
        """Where the others ended, and how many of them."""
        return sorted(Counter(end.size for end in self.ends if end.size != self.least(end)).items())

    @property
    def share(self) -> float:
        """The share of seeds that ended at the least."""
        return 1 - sum(n for _, n in self.others) / len(self.ends) if self.ends else math.nan


def counted(job: Job, case: Any) -> tuple[int, ...]:
    """The first parts of the case's size."""
    return job.driver.size(case)[: len(COMPARED[job.target.kind])]


def ended(control: Control, seeds: int) -> ShrunkEnds:
    """Where shrinking ends for each seed, and the least of all small cases."""
    started = time.process_time()
    claim = parse_claim(control.breaks, control.kind)
    subject = Subject(control.new, control.protocol, (claim,))
    ends = []
    for seed in range(seeds):
        job = Job(control_target(control), RunOptions(claims=(control.breaks,), seed=seed))
        case = next(
            (c for c in map(job.case, range(CASES_MAX)) if broken(job.driver, c, subject, claim)), None
        )
        smaller = None if case is None else shrink(job.driver, case, subject, claim, seconds=math.inf)
        if smaller is not None:
            ends.append(End(counted(job, smaller.case), smaller.violations[0].contradictory))
    job = Job(control_target(control), RunOptions(claims=(control.breaks,)))
    tried = [
        counted(job, case)
        for case in _small(control.kind)
        if (seen := broken(job.driver, case, subject, claim)) and not seen[0].contradictory
    ]
    return ShrunkEnds(control, tuple(ends), min(tried, default=None), time.process_time() - started)


def _small(kind: Kind) -> Iterator[Any]:
    """The cases of the smallest cells, all of each."""
    pasts = driver_for(kind).pasts
    if pasts is None:
        return
    tried = 0
    sizes = sorted(((m, p) for m in range(1, 4) for p in range(1, 5)), key=lambda size: (sum(size), size))
    for members, partitions in sizes:
        for past in (False, True) if pasts else (False,):
            for case in cases(kind, ScopeCell(members, partitions, past)):
                tried += 1
                yield case
        if tried > TRIED_MAX:
            return


def main() -> int:
    """Print a line a control: the share of seeds, the least, and where the others ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=[kind.name for kind in every_kind()])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for control in load_controls():
        about_time = parse_claim(control.breaks, control.kind).kind.scope is Scope.TIMING
        if control.kind.name not in options.kinds or control.breaks in LEFT_OUT or about_time:
            continue
        if options.only and control.name != options.only:
            continue
        found = ended(control, options.seeds)
        print(
            f"{control.kind} {control.name} ({control.breaks}): {found.share:.0%} of {len(found.ends)} at "
            f"{' or '.join(map(str, found.leasts))}, exhaustive {found.exhaustive}; others {found.others}; "
            f"{found.cpu_s:.0f} s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
