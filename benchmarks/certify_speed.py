"""How many checked rebalances a second, one core, and how fast the doors open.

    python -m benchmarks.certify_speed            rates and start-up times
    python -m benchmarks.certify_speed --memory 600   memory at the start and the end of a long run
    python -m benchmarks.certify_speed --base DIR   the same histories in another checkout, and ratios

Goals: 4,000 checked rebalances a second for `range` with all its claims on the small profile;
`import kassay.model` under 0.15 s, `kassay --help` under 0.3 s; memory flat.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kassay.engines.runs.blocks import Job, open_bench, play_block
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve

HISTORIES = 1500
RUNS = 5
TARGETS = ("range", "roundrobin", "sticky", "cooperative-sticky", "uniform", "optimal-sticky")

COMPARED = (
    ("optimal-sticky", "small", 400),
    ("range", "large", 240),
    ("sticky", "large", 120),
    ("optimal-sticky", "large", 60),
)
"""Targets, profiles, and how many histories a run of each plays; each run has others."""
PARTS = 3
HERE = Path(__file__).resolve().parent


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
            rates.append(tally.rebalances / (time.process_time() - before))
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


def write_histories(path: Path, spec: str, profile: str, first: int, count: int) -> None:
    """Write histories of this version's generator, a line each."""
    job = Job(resolve(spec), RunOptions(budget=Budget(histories=1), profile=profile))
    cases = (job.case(index) for index in range(first, first + count))
    lines = (json.dumps(job.driver.form.write(case)) + "\n" for case in cases)
    path.write_text("".join(lines), encoding="utf-8")


def judged(checkout: Path, spec: str, path: Path) -> dict[str, Any]:
    """What that checkout counted over the histories in the file; CPU seconds, the target's part."""
    command = [sys.executable, str(HERE / "_judged_rate.py"), spec, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}

    def run(*options: str) -> dict[str, Any]:
        done = subprocess.run(
            [*command, *options], check=True, capture_output=True, text=True, env=environment
        )
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    return {**run(), "target": run("--clocked")["target"]}


def compare(base: Path) -> None:
    """Print how much faster this checkout judges than the other one, run after run, on the same histories.

    Where a rule chooses otherwise since, a history may take a round more.
    Raises `SystemExit` if the claims differ.
    """
    print("rebalances a CPU second: base, now, ratio; the same with the target's own time taken off")
    with tempfile.TemporaryDirectory() as folder:
        for spec, profile, count in COMPARED:
            rates: list[list[float]] = [[], [], [], []]
            judgements = [0, 0]
            for part in range(PARTS):
                path = Path(folder) / f"{part}.jsonl"
                write_histories(path, spec, profile, (part + 1) * 2000, count)
                before, now = judged(base, spec, path), judged(HERE.parent, spec, path)
                if before["claims"] != now["claims"]:
                    raise SystemExit(f"{spec}: judged by {before['claims']} there, {now['claims']} here")
                for place, (one, off) in enumerate(((before, 0), (now, 0), (before, 1), (now, 1))):
                    rates[place].append(one["rebalances"] / (one["cpu"] * (1 - off * one["target"])))
                    judgements[place % 2] += one["judged"]
            there, here, there_off, here_off = map(statistics.median, rates)
            whole = f"{there:7.0f} {here:7.0f} {here / there:6.2f}"
            off_target = f"{there_off:7.0f} {here_off:7.0f} {here_off / there_off:6.2f}"
            off_target += f"   judged {judgements[0] // 2} and {judgements[1] // 2}"
            print(f"{spec:15} {profile:6} {whole}   {off_target}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", type=float, metavar="SECONDS")
    parser.add_argument("--base", type=Path, metavar="DIR")
    chosen = parser.parse_args()
    if chosen.base:
        compare(chosen.base)
        return
    if chosen.memory:
        memory(chosen.memory)
        return
    bare = seconds([sys.executable, "-c", "pass"])
    imported = seconds([sys.executable, "-c", "import kassay.model.groups.player, kassay.model.trace"])
    helped = seconds([sys.executable, "-m", "kassay", "--help"])
    print(f"python alone {bare:.3f} s, import kassay.model {imported:.3f} s, kassay --help {helped:.3f} s")
    for spec in TARGETS:
        print(f"{spec:20} {rate(spec):8.0f} checked rebalances a CPU second")


if __name__ == "__main__":
    main()
