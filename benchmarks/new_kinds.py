"""What assignors of Kafka Connect and of the broker's Streams groups cost, as ratios of one run.

    python -m benchmarks.new_kinds

A checked rebalance, all claims judged, beside one of `streams-sticky`: goal, at most twice. The bare rule at
100 workers or members x 1,000 tasks, beside `range` at 100 x 1,000 (ten topics): goal, within 50 times. The
first assignment and the round after a member has left are timed; each call gets a new request, `range` with
metadata that it has seen and (cold) with new ones. CPU time, medians, the sides in turn, so that a busy
machine slows both down.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

from kassay.assignors.connect.incremental import ConnectIncremental
from kassay.assignors.groups.client.range import Range
from kassay.assignors.streams.group_sticky import StreamsGroupSticky
from kassay.engines.runs.blocks import Job, open_bench, play_block
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import Cluster
from kassay.model.connect.work import ConnectRequest, ConnectWorker
from kassay.model.groups.group import Group, Member
from kassay.model.streams.events import ProcessJoin, ProcessLeave
from kassay.model.streams.history import TaskChange, TaskHistory, asking, play_tasks

HISTORIES: Final = 400
RUNS: Final = 7
MEMBERS, TASKS, GROUPS = 100, 1_000, 10
CHECKED: Final = ("streams-sticky", "streams-public-sticky", "streams-group-sticky", "connect-incremental")

Question = Callable[[], object]
"""Asks a rule once, about a new request."""


def checked() -> dict[str, float]:
    """CPU seconds of one checked rebalance of each target."""
    seconds: dict[str, list[float]] = {spec: [] for spec in CHECKED}
    with ExitStack() as stack:
        benches = {}
        for spec in CHECKED:
            job = Job(resolve(spec), RunOptions(budget=Budget(histories=HISTORIES)))
            benches[spec] = stack.enter_context(open_bench(job))
            # The processes of the hash-seed samples are started outside the timed part.
            play_block(benches[spec], 0, 50)
        for run in range(1, RUNS + 1):
            for spec, bench in benches.items():
                before = time.process_time()
                tally = play_block(bench, HISTORIES * run, HISTORIES * (run + 1))
                seconds[spec].append((time.process_time() - before) / tally.rebalances)
    return {spec: statistics.median(times) for spec, times in seconds.items()}


def range_questions(cold: bool = False) -> tuple[Question, Question]:
    """`range`: all members read all topics, then one has left."""
    topics = tuple(f"topic-{i}" for i in range(GROUPS))
    seen = Cluster.of(dict.fromkeys(topics, TASKS // GROUPS))
    members = tuple(Member(f"member-{i:03}", topics) for i in range(MEMBERS))

    def metadata() -> Cluster:
        return Cluster(tuple(topic._replace() for topic in seen.topics)) if cold else seen

    return (
        lambda: Range().assign(metadata(), Group(members)),
        lambda: Range().assign(metadata(), Group(members[1:])),
    )


def connect_questions() -> tuple[Question, Question]:
    """`connect-incremental`: nothing runs yet, then a worker has left and its work is waited for."""
    connectors = tuple((f"connector-{i}", TASKS // GROUPS) for i in range(GROUPS))
    empty = tuple(ConnectWorker(f"worker-{i:03}") for i in range(MEMBERS))

    def first() -> ConnectRequest:
        return ConnectRequest(connectors=connectors, workers=empty, generation=1)

    answer = ConnectIncremental().assign(first())
    running = tuple(worker._replace(running=answer.workers[worker.worker_id].assigned) for worker in empty)

    def left() -> ConnectRequest:
        return ConnectRequest(
            connectors=connectors,
            workers=running[1:],
            generation=2,
            last_completed_generation=1,
            memory=answer.memory,
        )

    return lambda: ConnectIncremental().assign(first()), lambda: ConnectIncremental().assign(left())


def streams_questions() -> tuple[Question, Question]:
    """`streams-group-sticky`: a process a member and a copy a task, then a process has gone."""
    joins = tuple(ProcessJoin(f"00000000-0000-4000-8000-{i:012x}", 1) for i in range(MEMBERS))
    change = TaskChange((ProcessLeave(joins[0].process_id),))
    history = TaskHistory((TASKS // GROUPS,) * GROUPS, GROUPS, joins, (change,), standby_replicas=1)
    first, left = (step.request.group for step in play_tasks(history, asking(StreamsGroupSticky)))
    return (
        lambda: StreamsGroupSticky().assign_group(replace(first)),
        lambda: StreamsGroupSticky().assign_group(replace(left)),
    )


def bare() -> dict[str, tuple[float, float]]:
    """CPU seconds of each rule's first assignment and of the round after a member has left."""
    questions = {
        "range": range_questions(),
        "range, cold": range_questions(cold=True),
        "connect-incremental": connect_questions(),
        "streams-group-sticky": streams_questions(),
    }
    times: dict[tuple[str, int], list[float]] = {}
    for _ in range(RUNS):
        for name, both in questions.items():
            for number, ask in enumerate(both):
                before = time.process_time()
                ask()
                times.setdefault((name, number), []).append(time.process_time() - before)
    return {
        name: (statistics.median(times[name, 0]), statistics.median(times[name, 1])) for name in questions
    }


def main() -> None:
    """Print the two tables."""
    seconds = checked()
    print("a checked rebalance                 ms   times streams-sticky (goal: 2)")
    for spec, each in seconds.items():
        print(f"{spec:30} {each * 1e3:7.3f}   {each / seconds['streams-sticky']:6.2f}")
    rules = bare()
    print(f"the rule at {MEMBERS} x {TASKS:,}  first ms  leave ms   times range (goal: 50)")
    for name, (first, leave) in rules.items():
        ratios = first / rules["range"][0], leave / rules["range"][1]
        print(f"{name:22} {first * 1e3:9.2f} {leave * 1e3:9.2f}   {ratios[0]:6.1f} {ratios[1]:6.1f}")


if __name__ == "__main__":
    main()
