"""Campaigns on `local[2]` beside one process of the same phases, and time against size.

Run: python benchmarks/campaign_throughput.py [HISTORIES...]   (of all four targets together)
"""

import sys
import tempfile
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from kassay.certify.blocks import open_bench, play_block
from kassay.pipeline.campaign import create
from kassay.pipeline.lanes import lanes_of
from kassay.pipeline.runner import carry_on
from kassay.pipeline.session import CAMPAIGN_HEAP, session
from kassay.pipeline.spec import Spec, TargetSpec
from kassay.pipeline.store import Local

TARGETS = ("range", "roundrobin", "sticky", "cooperative-sticky")
ALONE = 10_000
"""Histories of the one process; its time grows in proportion."""


def spec(histories: int) -> Spec:
    return Spec(
        name="throughput",
        targets=tuple(map(TargetSpec, TARGETS)),
        histories=(("small", histories // len(TARGETS)),),
        shrink=False,
    )


def alone(histories: int) -> float:
    """Seconds of one process."""
    began = time.perf_counter()
    for lane in lanes_of(spec(histories)):
        with open_bench(lane.job) as bench:
            play_block(bench, 0, lane.histories)
    return time.perf_counter() - began


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or [12_500, 25_000, 50_000, 100_000]
    before = alone(ALONE) / ALONE
    points = []
    with session("local[2]", heap=CAMPAIGN_HEAP) as spark, tempfile.TemporaryDirectory() as folder:
        warm = create(replace(spec(400), seed=1), Local(Path(folder) / "warm"))
        carry_on(spark, warm)
        for size in sizes:
            campaign = create(spec(size), Local(Path(folder) / str(size)))
            began = time.perf_counter()
            carry_on(spark, campaign)
            spent = time.perf_counter() - began
            points.append((size, spent))
            print(f"{size} histories: {spent:.1f} s, {size / spent:.0f}/s", flush=True)
    after = alone(ALONE) / ALONE
    one = (before + after) / 2
    print(f"one process: {1 / one:.0f}/s ({1 / before:.0f}/s before, {1 / after:.0f}/s after)")
    size, spent = points[-1]
    print(f"local[2] at {size}: {size * one / spent:.2f} times one process")
    for (a, s), (b, t) in pairwise(points):
        print(f"slope from {a} to {b}: {1e6 * (t - s) / (b - a):.0f} us a history")


if __name__ == "__main__":
    main()
