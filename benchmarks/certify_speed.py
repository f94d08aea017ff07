"""How many checked rebalances a second, one core, and how fast the doors open.

    python -m benchmarks.certify_speed            rates and start-up times
    python -m benchmarks.certify_speed --memory 600   memory at the start and the end of a long run

Goals: 4,000 checked rebalances a second for `range` with all its claims on the small profile;
`import kassay.model` under 0.15 s, `kassay --help` under 0.3 s; memory flat.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from kassay.certify.runs.blocks import Job, open_bench, play_block
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.targets.resolve import resolve

HISTORIES = 1500
RUNS = 5
TARGETS = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "optimal-sticky")


def rate(spec: str) -> float:
    """The median of checked rebalances a CPU second, all claims judged."""
    job = Job(resolve(spec), RunOptions(budget=Budget(histories=HISTORIES)))
    rates = []
    with open_bench(job) as bench:
        # The processes of the hash-seed samples are started outside the timed part.
        play_block(bench, 0, 50)
        for run in range(RUNS):
            start = HISTORIES * (run + 1)
            before = time.process_time()
            tally = play_block(bench, start, start + HISTORIES)
            rates.append(tally.asked / (time.process_time() - before))
    return statistics.median(rates)


def seconds(command: list[str]) -> float:
    """The median wall time of a command."""
    times = []
    for _ in range(RUNS):
        before = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - before)
    return statistics.median(times)


def resident_mib() -> float:
    """Memory that this process holds now, in MiB; its peak where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def memory(for_seconds: float) -> None:
    """Play for that long and print what the process holds along the way."""
    job = Job(resolve("range"), RunOptions(budget=Budget(seconds=for_seconds)))
    with open_bench(job) as bench:
        play_block(bench, 0, 500)
        print(f"at the start   {resident_mib():7.1f} MiB")
        started, index, lines = time.monotonic(), 500, 0
        while time.monotonic() - started < for_seconds:
            play_block(bench, index, index + 500)
            index += 500
            if time.monotonic() - started > (lines + 1) * for_seconds / 5:
                lines += 1
                print(f"{lines * for_seconds / 5:7.0f} s       {resident_mib():7.1f} MiB, {index} histories")
        print(f"at the end     {resident_mib():7.1f} MiB, {index} histories")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", type=float, metavar="SECONDS")
    chosen = parser.parse_args()
    if chosen.memory:
        memory(chosen.memory)
        return
    bare = seconds([sys.executable, "-c", "pass"])
    imported = seconds([sys.executable, "-c", "import kassay.model.groups.player, kassay.model.groups.trace"])
    helped = seconds([sys.executable, "-m", "kassay", "--help"])
    print(f"python alone {bare:.3f} s, import kassay.model {imported:.3f} s, kassay --help {helped:.3f} s")
    for spec in TARGETS:
        print(f"{spec:20} {rate(spec):8.0f} checked rebalances a CPU second")


if __name__ == "__main__":
    main()
