"""What a call to a program costs: the parent's CPU beside a bare driver's, and rounds beside call by call.

    python -m benchmarks.exec_calls

Five members read a topic of 20 partitions. The program of the first table answers by a constant, so that what
is measured is the parent; the bare driver writes the same document and reads the answer, without a guard, a
limit or a check. The second table plays a group's whole life, the same history by both doors, against a
program, a plain Python class and one in the full form.

Goals: rounds 1.7 times as fast as call by call; 0.7 of the parent's CPU a call at 59bc719, which spent 2.5
times a bare driver's.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

from kassay.engines.processes.host import Host, Limits, Start
from kassay.engines.processes.load import TargetSource
from kassay.engines.processes.programs.host import ProgramHost
from kassay.engines.processes.programs.program import Program
from kassay.engines.processes.python.host import PythonHost
from kassay.model.calls import Look
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group, Member
from kassay.model.groups.history import Crash, History, Join, Rebalance, Return
from kassay.model.groups.player import Player

MEMBERS, PARTITIONS = 5, 20
CALLS, LIVES, RUNS = 2_000, 60, 7
LIMITS = Limits(call_timeout_s=60, start_timeout_s=60)
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PYTHON = (
    TargetSource(file=str(EXAMPLES / "lag_assignor.py")),
    TargetSource(module="kassay.assignors.groups.client.sticky", class_name="Sticky"),
)
"""A plain class, and one that remembers."""
LOOKS = frozenset({Look.AGAIN, Look.OTHER, Look.PERMUTED})
SHARES = {
    f"m{m}": tuple(TopicPartition("t", p) for p in range(m, PARTITIONS, MEMBERS)) for m in range(MEMBERS)
}
CONSTANT = f"""
import sys
answer = {json.dumps(json.dumps({name: [list(tp) for tp in share] for name, share in SHARES.items()}))}
for line in sys.stdin:
    number, said = line[6:line.index(",")], answer if "assign" in line else "{{}}"
    sys.stdout.write('{{"id": %s, "answer": %s}}\\n' % (number, said))
    sys.stdout.flush()
"""


def groups() -> Iterator[Group]:
    """Groups that say the same of themselves, none of them the one that was asked about last."""
    members = [tuple(Member(name, ("t",), share, n) for name, share in SHARES.items()) for n in range(50)]
    return cycle([Group(each) for each in members])


def of_kassay(host: Host) -> Callable[[], None]:
    """Calls of a guarded program, its answers checked."""
    cluster, assignor, asked = Cluster.of({"t": PARTITIONS}), host.new({}), groups()

    def play() -> None:
        for group in islice(asked, CALLS):
            assignor.assign(cluster, group)

    return play


def of_bare_driver(child: subprocess.Popen[bytes]) -> Callable[[], None]:
    """The same calls, with nothing but JSON and two pipes."""
    assert child.stdin is not None and child.stdout is not None
    stdin, stdout, asked = child.stdin, child.stdout, groups()

    def play() -> None:
        for number, group in enumerate(islice(asked, CALLS)):
            members = [
                {
                    "id": m[0],
                    "topics": m[1],
                    "owned": m[2],
                    "generation": m[3],
                    "rack": m[4],
                    "instance_id": m[5],
                }
                for m in group.members
            ]
            request = {"id": number, "call": "assign", "object": 1, "partitions_per_topic": {"t": PARTITIONS}}
            stdin.write(json.dumps({**request, "members": members}, separators=(",", ":")).encode() + b"\n")
            stdin.flush()
            json.loads(stdout.readline())

    return play


def lives() -> History:
    """Members come, learn, crash, return and are told again: nine rounds."""
    joins = tuple(Join(Member(f"m{m}", ("t",))) for m in range(MEMBERS))
    rest = (Rebalance(),)
    changes = ((Crash("m1"),), (Return("m1"),), rest, (Crash("m0"),), rest, (Return("m0"),), rest)
    return History(Cluster.of({"t": PARTITIONS}), (joins, rest, *changes))


def of_lives(host: Host) -> Callable[[], None]:
    """Whole lives of a group, by the door that the host has."""
    history = lives()

    def play() -> None:
        for _ in range(LIVES):
            steps = list(Player(host.new, looks=LOOKS).play(history))
            assert len(steps) == len(history.changes)

    return play


def medians(plays: Sequence[Callable[[], None]], clock: Callable[[], float], count: int) -> list[float]:
    """The median of microseconds a call of each, in alternating runs."""
    times: list[list[float]] = [[] for _ in plays]
    for _ in range(RUNS):
        for play, taken in zip(plays, times):
            before = clock()
            play()
            taken.append((clock() - before) / count * 1e6)
    return list(map(statistics.median, times))


def opened(*argv: str) -> ProgramHost:
    """A host of the program."""
    return ProgramHost(Program(argv, "exec:program", "program"), Start(LIMITS))


def main() -> None:
    """Print both tables."""
    command = (sys.executable, "-c", CONSTANT)
    with (
        opened(*command) as host,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child,
    ):
        kassay, bare = medians((of_kassay(host), of_bare_driver(child)), time.process_time, CALLS)
        assert child.stdin is not None
        child.stdin.close()
    print(
        f"parent CPU a call: kassay {kassay:.1f} us, a bare driver {bare:.1f} us: {kassay / bare:.2f} times"
    )
    sticky = (sys.executable, str(EXAMPLES / "exec" / "sticky2.py"))
    with opened(*sticky) as one, opened(*sticky) as other:
        compare("a program that remembers", one, other)
    for source in PYTHON:
        with PythonHost(source, Start(LIMITS)) as one, PythonHost(source, Start(LIMITS)) as other:
            compare(source.class_name or Path(source.label).name, one, other)


def compare(what: str, one: ProgramHost | PythonHost, other: ProgramHost | PythonHost) -> None:
    """Print what a group's life takes by rounds, of the one, and call by call, of the other."""
    other.at_once = False
    plays = (of_lives(one), of_lives(other))
    for clock, name in ((time.perf_counter, "time"), (time.process_time, "the parent's CPU")):
        rounds, calls = medians(plays, clock, LIVES)
        figures = f"by rounds {rounds:.0f} us, call by call {calls:.0f} us: {calls / rounds:.2f} times"
        print(f"a group's life, {what}, {name}: {figures}")


if __name__ == "__main__":
    main()
