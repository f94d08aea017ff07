"""What `what-if` and `scale` take for a few members with many partitions each.

    python -m benchmarks.what_if [PARTITIONS ...]      by default 5,000, 10,000 and 50,000 on five members

CPU seconds of the command and its children, reading included. The exponent is that of the time against the
row before: 1 is linear. Goal: at most 10 s for 50,000 partitions, an exponent below 1.3.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MEMBERS = 5
SIZES = (5_000, 10_000, 50_000)
OF_A_TOPIC = 1_000
COMMANDS = {"what-if": [], "scale": ["--from", "range", "--max-members", "8"]}


def rows(partitions: int) -> str:
    """The output of `kafka-consumer-groups --describe` for a group whose members hold equal parts."""
    head = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
    lines = [head]
    for number in range(partitions):
        member = number * MEMBERS // partitions
        topic, partition = divmod(number, OF_A_TOPIC)
        lines.append(f"g topic-{topic:03d} {partition} 10 10 0 c{member}-{member:08x} /10.0.0.1 c{member}")
    return "\n".join(lines) + "\n"


def seconds(command: str, options: list[str], file: Path) -> float:
    """The CPU seconds of a command on that file."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "kassay", command, str(file), *options],
        cwd=file.parent,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a line for each command and size."""
    sizes = [int(given) for given in sys.argv[1:]] or SIZES
    print(f"{'command':10}{'partitions':>12}{'CPU s':>9}{'exponent':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for command, options in COMMANDS.items():
            last: tuple[int, float] | None = None
            for partitions in sizes:
                file = Path(folder, f"group-{partitions}.txt")
                file.write_text(rows(partitions))
                spent = seconds(command, options, file)
                power = (
                    "-"
                    if last is None
                    else f"{math.log(spent / last[1]) / math.log(partitions / last[0]):.2f}"
                )
                print(f"{command:10}{partitions:12,}{spent:9.2f}{power:>10}", flush=True)
                last = partitions, spent


if __name__ == "__main__":
    main()
