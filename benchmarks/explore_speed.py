"""Distinct states a CPU second after canonicalisation: N0, one core, a fresh process for every walk.

    python -m benchmarks.explore_speed            with and without invariants, and one world of each class
    python -m benchmarks.explore_speed --memory   the graph check too, on a world of some 700,000 states
    python -m benchmarks.explore_speed --jobs     one process beside two, by CPU and by clock

Goals, with all invariants and every world walked: 5,000 states a second at 2 x 2 classic and 3,000 at 3 x 2,
and four times that as the aim; 500,000 states and the graph check in under 2 GiB. See docs/explorer-speed.md.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from typing import Any

from kassay.engines.protocols.explore import build
from kassay.engines.protocols.explore import explore as certified
from kassay.engines.protocols.settings import ExploreSettings
from kassay.engines.protocols.views import parts_of, views_of
from kassay.model.explore.search import explore
from kassay.model.explore.states import PackedStates
from kassay.model.explore.values import WalkLimits
from kassay.model.protocols.faults import parse_faults
from kassay.model.protocols.world.groups import ClassicModel
from kassay.model.protocols.world.symmetry import ClientSymmetry
from kassay.properties.protocols.registry import invariants

RUNS = 3
CASES = (
    ("classic", "eager", 2, 2, "crash=1,pause=1"),
    ("classic", "cooperative", 2, 2, "crash=1,pause=1"),
    ("classic", "eager", 3, 2, "crash=1"),
    ("kip848", None, 2, 2, "crash=1,pause=1"),
)
SYMMETRIC = (*CASES, ("classic", "eager", 3, 3, "crash=1"))
LARGE = ("classic", "eager", 3, 2, "crash=1,pause=1")
DEALT = (
    LARGE,
    ("kip848", None, 3, 2, "pause=1"),
    ("classic", "cooperative", 3, 2, "crash=1,pause=1"),
    ("kip848", None, 3, 2, "crash=1,pause=1"),
)


def walk(case: tuple[Any, ...], checks: bool, renamed: bool, liveness: bool) -> dict[str, Any]:
    """One walk in this process: its size, CPU seconds, peak memory in MiB, and verdict."""
    name, mode, members, partitions, faults = case
    model = build(
        ExploreSettings(name, mode=mode, members=members, partitions=partitions, faults=parse_faults(faults))
    )
    judged = invariants(views_of(model)) if checks else ()
    symmetry = ClientSymmetry(model.context.interner) if renamed and isinstance(model, ClassicModel) else None
    before = time.process_time()

    def states() -> PackedStates[Any]:
        return PackedStates(parts_of(model))

    done = explore(
        model, judged, budget=WalkLimits(None), check_liveness=liveness, symmetry=symmetry, states=states
    )
    return {
        "states": done.states,
        "edges": done.edges,
        "cpu_s": time.process_time() - before,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "verdict": str(done.verdict),
    }


def walk_by(case: tuple[Any, ...], jobs: int) -> dict[str, Any]:
    """One walk by so many processes: CPU seconds of this one and of the others together, and by the clock."""
    name, mode, members, partitions, faults = case
    settings = ExploreSettings(
        name, mode=mode, members=members, partitions=partitions, faults=parse_faults(faults)
    )
    before, began = time.process_time(), time.monotonic()
    done = certified(settings, WalkLimits(None), jobs=jobs)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "states": done.exploration.states,
        "edges": done.exploration.edges,
        "here_s": time.process_time() - before,
        "others_s": others.ru_utime + others.ru_stime,
        "clock_s": time.monotonic() - began,
    }


def measured(case: tuple[Any, ...], *, checks: bool = True, renamed: bool = False) -> dict[str, Any]:
    """The median of some walks, each in a process of its own."""
    runs = [child(case, checks, renamed, False) for _ in range(RUNS)]
    return runs[0] | {"cpu_s": statistics.median(run["cpu_s"] for run in runs)}


def child(*arguments: Any, way: str = "--walk") -> dict[str, Any]:
    """One walk in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.explore_speed", way, json.dumps(arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def title(case: tuple[Any, ...]) -> str:
    name, mode, members, partitions, faults = case
    return f"{name} {mode or ''} {members}x{partitions} {faults}".replace("  ", " ")


def speed(run: dict[str, Any]) -> str:
    return f"{run['states']:>7,} states {run['states'] / run['cpu_s']:>7,.0f} a second {run['cpu_s']:>6.1f} s"


def compare_jobs(case: tuple[Any, ...], runs: int) -> None:
    """One process and two in turn, medians. By CPU, two take what the busier one does: this, as a rule."""
    pairs = [[child(case, jobs, way="--walk-by") for jobs in (1, 2)] for _ in range(runs)]
    for alone, both in pairs:
        assert (alone["states"], alone["edges"]) == (both["states"], both["edges"])
    one, here, others, clock, clock_both = (
        statistics.median(pair[at][name] for pair in pairs)
        for at, name in ((0, "here_s"), (1, "here_s"), (1, "others_s"), (0, "clock_s"), (1, "clock_s"))
    )
    print(f"{title(case)}: {pairs[0][0]['states']:,} states")
    print(f"one process {one:.1f} CPU s, {clock:.1f} s by the clock")
    print(f"two: {here:.1f} + {others:.1f} CPU s, {clock_both:.1f} s by the clock")
    print(f"{one / max(here, others):.2f} times by CPU, {clock / clock_both:.2f} by the clock", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--jobs", action="store_true")
    parser.add_argument("--runs", type=int, default=RUNS, help="with --jobs: of each")
    parser.add_argument("--walk", help=argparse.SUPPRESS)
    parser.add_argument("--walk-by", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.walk:
        print(json.dumps(walk(*json.loads(chosen.walk))))
        return
    if chosen.walk_by:
        print(json.dumps(walk_by(*json.loads(chosen.walk_by))))
        return
    if chosen.jobs:
        for case in DEALT:
            compare_jobs(case, chosen.runs)
        return
    if chosen.memory:
        for renamed in (False, True):
            run = child(LARGE, True, renamed, True)
            symmetry = "one of each class" if renamed else "every world"
            print(f"{title(LARGE)}, {symmetry}, graph check: {speed(run)}, {run['edges']:,} edges,", end=" ")
            print(f"{run['verdict']}, peak {run['peak_mib']} MiB", flush=True)
        return
    for case in CASES:
        for label, checks in (("all invariants", True), ("none", False)):
            print(f"{title(case)}, {label}: {speed(measured(case, checks=checks))}", flush=True)
    for case in SYMMETRIC:
        for label, renamed in (("every world", False), ("one of each class", True)):
            run = measured(case, renamed=renamed)
            print(f"{title(case)}, {label}: {speed(run)}, peak {run['peak_mib']} MiB", flush=True)


if __name__ == "__main__":
    main()
