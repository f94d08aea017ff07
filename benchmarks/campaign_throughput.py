"""Campaigns on `local[2]` beside one process of the same phases, time against size, and peak memory.

Run: python benchmarks/campaign_throughput.py [HISTORIES...]   (of all four targets together)

Beside the wall time stands the CPU time of this Python, of Java, and of the workers (Linux): on a
machine that has other things to do, that is what to compare.
"""

import os
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from kassay.engines.runs.blocks import open_bench, play_block
from kassay.pipeline.campaign.lanes import lanes_of
from kassay.pipeline.campaign.records import create
from kassay.pipeline.campaign.runner import carry_on
from kassay.pipeline.campaign.spec import Spec, TargetSpec
from kassay.pipeline.campaign.watching import family, java_process
from kassay.pipeline.spark import CAMPAIGN_HEAP, session
from kassay.pipeline.store import Local

TARGETS = ("range", "roundrobin", "sticky", "cooperative-sticky")
ALONE = 10_000
"""Histories of the one process; its time grows in proportion."""
TICKS = os.sysconf("SC_CLK_TCK")


def spec(histories: int) -> Spec:
    return Spec(
        name="throughput",
        targets=tuple(map(TargetSpec, TARGETS)),
        histories=(("small", histories // len(TARGETS)),),
        shrink=False,
    )


def alone(histories: int) -> tuple[float, float]:
    """Seconds of one process, by the wall and of the CPU."""
    began, used = time.perf_counter(), time.process_time()
    for lane in lanes_of(spec(histories)):
        with open_bench(lane.job) as bench:
            play_block(bench, 0, lane.histories)
    return time.perf_counter() - began, time.process_time() - used


def used(java: int) -> dict[str, float]:
    """CPU seconds so far of the driver, Java and the workers, their ended children included."""
    seconds = dict.fromkeys(("driver", "java", "workers"), 0.0)
    for pid, part in family(os.getpid(), java).items():
        with suppress(OSError):
            words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            # Fields 14 and 15 are the process's own time, 16 and 17 that of children it waited for.
            seconds[part] += sum(map(int, words[11:15] if part == "workers" else words[11:13])) / TICKS
    return seconds


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or [12_500, 25_000, 50_000, 100_000]
    before, cpu_before = alone(ALONE)
    points: list[tuple[int, float, float]] = []
    with session("local[2]", heap=CAMPAIGN_HEAP) as spark, tempfile.TemporaryDirectory() as folder:
        java = java_process(spark)
        warm = create(replace(spec(400), seed=1), Local(Path(folder) / "warm"))
        carry_on(spark, warm)
        for size in sizes:
            campaign = create(spec(size), Local(Path(folder) / str(size)))
            at_first, began = used(java), time.perf_counter()
            carry_on(spark, campaign)
            spent = time.perf_counter() - began
            cpu = {part: seconds - at_first[part] for part, seconds in used(java).items()}
            peak = max(receipt["peak_kib"].get("all", 0) for receipt in campaign.done.values()) / 1024
            points.append((size, spent, sum(cpu.values())))
            parts = ", ".join(f"{part} {seconds:.1f}" for part, seconds in cpu.items())
            print(
                f"{size} histories: {spent:.1f} s, {size / spent:.0f}/s; CPU {sum(cpu.values()):.1f} s "
                f"({parts}); {len(campaign.done)} batches; {peak:.0f} MiB at most",
                flush=True,
            )
    after, cpu_after = alone(ALONE)
    one, cpu_one = (before + after) / 2 / ALONE, (cpu_before + cpu_after) / 2 / ALONE
    print(f"one process: {1 / one:.0f}/s; CPU {1e6 * cpu_one:.0f} us a history ", end="")
    print(f"({1e6 * cpu_before / ALONE:.0f} before, {1e6 * cpu_after / ALONE:.0f} after)")
    size, spent, cpu_all = points[-1]
    print(f"local[2] at {size}: {size * one / spent:.2f} times one process", end="")
    print(f"; {size * cpu_one / cpu_all:.0%} of its CPU time is what the histories alone take")
    for (a, s, c), (b, t, d) in pairwise(points):
        print(f"from {a} to {b}: {1e6 * (t - s) / (b - a):.0f} us a history", end="")
        print(f", CPU {1e6 * (d - c) / (b - a):.0f} us")


if __name__ == "__main__":
    main()
