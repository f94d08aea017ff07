"""Bytes a state and states a CPU second of `kassay explore` as a command, beside another checkout.

    python -m benchmarks.explore_memory               this checkout
    python -m benchmarks.explore_memory --base DIR    another one too, in turn, and ratios

Each walk is a process of its own, to its end, with all invariants and the graph check. Bytes are the peak
over that of a process that walks a handful of states. Rules that have changed since give KIP-848 other
worlds in an older checkout: what is compared is taken by the state. Goal: a third of 91a1e5b (3.3 KB).
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
IDLE = "classic --protocol eager --members 1 --partitions 1"
WORLDS = (
    "classic --protocol eager --members 3 --partitions 2 --faults crash=1,pause=1",
    "classic --protocol cooperative --members 3 --partitions 2 --faults crash=1,pause=1",
    "kip848 --members 3 --partitions 2 --faults crash=1,pause=1",
)
COUNTED = re.compile(r"^(\d+) states, (\d+) edges", re.MULTILINE)
VERDICT = re.compile(r"^(holds|violated|unknown)", re.MULTILINE)


@dataclass(frozen=True)
class Walked:
    """What a command walked and took: CPU seconds, and its peak in bytes."""

    states: int
    verdict: str
    cpu_s: float
    peak: int

    def a_state(self, idle: Walked) -> float:
        """Bytes a state over those of an idle process."""
        return (self.peak - idle.peak) / self.states


def walk(checkout: Path, world: str) -> Walked:
    """Walk it by the command of that checkout. Raises `SystemExit` if the command tells no count."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, "-m", "kassay", "explore", *world.split()]
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
        # `wait4` tells of this child alone what it used.
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    counted, verdict = COUNTED.search(text), VERDICT.search(text)
    if counted is None or verdict is None:
        raise SystemExit(f"{world}: exit code {child.returncode}, no count in what it says:\n{text[-2000:]}")
    return Walked(int(counted[1]), verdict[1], used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def line(world: str, checkouts: list[Path], idle: list[Walked]) -> str:
    """The world in each checkout, and the ratios of the last to the first where there are two."""
    runs = [walk(checkout, world) for checkout in checkouts]
    parts = [
        f"{run.states:,} states {run.a_state(rest):,.0f} bytes a state "
        f"{run.states / run.cpu_s:,.0f} a CPU second {run.verdict}"
        for run, rest in zip(runs, idle, strict=True)
    ]
    if len(runs) == 2:
        (base, now), (base_idle, now_idle) = runs, idle
        memory = now.a_state(now_idle) / base.a_state(base_idle)
        rate = (now.states / now.cpu_s) / (base.states / base.cpu_s)
        parts.append(f"ratio: memory {memory:.2f}, rate {rate:.2f}")
    return f"{world}\n  " + "\n  ".join(parts)


def main() -> None:
    """Print a paragraph a world."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--base", type=Path, metavar="DIR")
    chosen = parser.parse_args()
    checkouts = [*([chosen.base.resolve()] if chosen.base else []), HERE]
    idle = [walk(checkout, IDLE) for checkout in checkouts]
    for world in WORLDS:
        print(line(world, checkouts, idle), flush=True)


if __name__ == "__main__":
    main()
