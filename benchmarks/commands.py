"""CPU seconds of whole commands on untuned inputs, compared with an earlier checkout in the same run.

    git worktree add BASE 864a7b56
    python -m benchmarks.commands --base BASE
    python -m benchmarks.commands --rows what-if-5,scale-1000 --runs 3

A family of inputs for each fast path, so that one that is not taken shows: few members with many partitions,
many members, weights in racks that differ, a log in which every group rebalances, a run of hardly any
histories. Processes of both checkouts run by turns, imports and children included; the medians count. The
ratio is to the same command of BASE, of `scale` to one `what-if` of the same group. Without `--base` ours
stands alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from kassay.model.cluster import Cluster
from kassay.model.groups.group import Member
from kassay.model.groups.history import Change, History, Join, Leave
from kassay.solver.instances.groups import consumer

OURS: Final = Path(__file__).resolve().parent.parent
OF_A_TOPIC: Final = 1_000
FROM_RANGE: Final = ("--from", "range")


class Row(NamedTuple):
    """A command and its input; `peer` is the row of ours to which its time is compared, if not the base."""

    command: tuple[str, ...]
    write: Callable[[Path], object] | None
    goal: float
    peer: str = ""


def group(members: int, partitions: int, file: Path) -> None:
    """The output of `kafka-consumer-groups --describe` for a group whose members hold equal parts."""
    lines = ["GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"]
    for number in range(partitions):
        member = number * members // partitions
        topic, partition = divmod(number, OF_A_TOPIC)
        lines.append(f"g topic-{topic:03d} {partition} 10 10 0 c{member}-{member:08x} /10.0.0.1 c{member}")
    file.write_text("\n".join(lines) + "\n")


def racked(members: int, partitions: int, file: Path) -> None:
    """The result of a group in 100 racks: its checker meets ever other sets of racks."""
    problem = file.with_suffix(".problem")
    problem.write_text(
        json.dumps(consumer("racks", 1, members=members, partitions=partitions, topics=50, racks=100))
    )
    _kassay(OURS, ("optimum", str(problem), "--json", str(file)), file.parent)


def log(megabytes: int, file: Path) -> None:
    """The output of `kafka-dump-log --offsets-decoder`: groups whose members leave and join all the time."""
    logs, plays = import_module("tests.offsets_log"), import_module("tests.played_log")
    records, size, number = logs.Log(), 0, 0
    while size < megabytes * 1_000_000:
        spec = ("cooperative-sticky", "range", "uniform", "sticky")[number % 4]
        write = plays.write_consumer if spec == "uniform" else plays.write_classic
        before = len(records.records)
        write(records, f"g{number:03d}", spec, plays.played(spec, _restless(number)))
        size += len(logs.dump(records.records[before:]))
        number += 1
    file.write_text(logs.dump(records.records))


def _restless(seed: int) -> History:
    """20 members and 200 partitions: a member joins or leaves 40 times."""
    drawn = random.Random(seed)
    topics = tuple(f"t{number}" for number in range(4))

    def member(number: int) -> Member:
        return Member(
            f"app-{number:03d}-{drawn.getrandbits(32):08x}-0000-4000-8000-{drawn.getrandbits(48):012x}",
            topics,
        )

    live = [member(number) for number in range(20)]
    changes: list[Change] = [tuple(map(Join, live))]
    for number in range(20, 60):
        if len(live) > 22 or (len(live) > 17 and drawn.random() < 0.5):
            changes.append((Leave(live.pop(drawn.randrange(len(live))).member_id),))
        else:
            live.append(member(number))
            changes.append((Join(live[-1]),))
    return History(Cluster.of(dict.fromkeys(topics, 50)), tuple(changes))


ROWS: Final = {
    "what-if-5": Row(("what-if",), partial(group, 5, 50_000), 0.08),
    "what-if-1000": Row(("what-if", *FROM_RANGE), partial(group, 1_000, 50_000), 0.25),
    "what-if-200": Row(("what-if", *FROM_RANGE), partial(group, 200, 10_000), 0.6),
    "scale-200": Row(("scale", *FROM_RANGE), partial(group, 200, 10_000), 10, "what-if-200"),
    "scale-1000": Row(("scale", *FROM_RANGE), partial(group, 1_000, 50_000), 10, "what-if-1000"),
    "check-racks": Row(("check",), partial(racked, 10_000, 300_000), 0.09),
    "audit": Row(("audit",), partial(log, 30), 0.25),
    "certify-20": Row(("certify", "range", "--histories", "20", "--quiet"), None, 0.5),
}
"""`scale` asks for hundreds of counts at once, which a `what-if` does not."""


def _kassay(checkout: Path, words: Sequence[str], folder: Path) -> float:
    """The CPU seconds of a command of that checkout."""
    env = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "kassay", *words],
        cwd=folder,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode in (2, 4):
        raise SystemExit(f"{checkout}: {' '.join(words)}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a line for each row."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, metavar="DIR", help="A checkout to compare with.")
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    print(f"{'':16}{'ours, s':>10}{'base, s':>10}{'ratio':>8}{'goal':>8}")
    took: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        for row in options.rows.split(","):
            words, write, goal, peer = ROWS[row]
            if write is not None:
                write(Path(name, row))
                words = (*words, row)
            both = [OURS, *([options.base.resolve()] if options.base and not peer else [])]
            times: dict[Path, list[float]] = {checkout: [] for checkout in both}
            for _ in range(options.runs):
                for checkout in both:
                    times[checkout].append(_kassay(checkout, words, Path(name)))
            ours = took[row] = statistics.median(times[OURS])
            other = took.get(peer) if peer else None
            base = statistics.median(times[both[1]]) if len(both) > 1 else None
            least = base or other
            ratio = f"{'-' if base is None else f'{base:.2f}':>10}{ours / least:8.2f}" if least else " " * 18
            print(f"{row:16}{ours:10.2f}{ratio}{goal:8.2f}{'  x ' + peer if peer else ''}", flush=True)


if __name__ == "__main__":
    main()
