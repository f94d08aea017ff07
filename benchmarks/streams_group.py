"""What the broker's task assignor costs, beside a rule of the clients and beside `range`, in one run.

    python -m benchmarks.streams_group

Goals: a checked rebalance of `streams-group-sticky` with all its claims costs at most twice one of
`streams-sticky` judged by the four claims that it has had from the start; and the bare rule at 100 members x
1,000 tasks takes at most 50 times as long as `range` at 100 members x 1,000 partitions. Ratios of CPU time,
what is compared being run in turn; the median of them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack

from kassay.assignors.client.range import Range
from kassay.assignors.streams.group.sticky import StreamsGroupSticky
from kassay.certify.runs.blocks import Bench, Job, open_bench, play_block
from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.targets.resolve import resolve
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group, Member
from kassay.model.streams.group import StreamsGroup, StreamsMember, Subtopology

RUNS = 15
HISTORIES = 100
CLAIMS = ("standby-disjoint", "stable", "converges", "deterministic")
"""What `streams-sticky` is judged by beside validity."""
MEMBERS, TASKS, TOPICS = 100, 1_000, 20
SUBTOPOLOGIES = (Subtopology("0", TASKS // 2, stateful=True), Subtopology("1", TASKS // 2, stateful=False))


def seconds(call: Callable[[], object]) -> float:
    """The CPU time of one call."""
    before = time.process_time()
    call()
    return time.process_time() - before


def block(bench: Bench, run: int) -> float:
    """The CPU time of a checked rebalance in the histories of a run."""
    before = time.process_time()
    tally = play_block(bench, HISTORIES * run, HISTORIES * (run + 1))
    return (time.process_time() - before) / tally.asked


def checked() -> tuple[float, float, float]:
    """Seconds of a checked rebalance of the group's rule and of the clients', and their ratio."""
    budget = Budget(histories=HISTORIES)
    jobs = (
        Job(resolve("streams-group-sticky"), RunOptions(budget=budget)),
        Job(resolve("streams-sticky"), RunOptions(budget=budget, claims=CLAIMS)),
    )
    with ExitStack() as stack:
        group, clients = (stack.enter_context(open_bench(job)) for job in jobs)
        # The processes of the hash-seed samples are started outside the timed part.
        block(group, 0), block(clients, 0)
        pairs = [(block(group, run), block(clients, run)) for run in range(1, RUNS + 1)]
    return _medians(pairs)


def group_of(*, again: bool) -> StreamsGroup:
    """Two threads a process and a copy of each task with state: the start, or one process having left."""
    members = tuple(StreamsMember(f"member-{i:03}", f"process-{i // 2:03}") for i in range(MEMBERS))
    start = StreamsGroup(SUBTOPOLOGIES, members, standby_replicas=1)
    if not again:
        return start
    answer = StreamsGroupSticky().assign_group(start)
    stay = tuple(
        StreamsMember(
            m.member_id,
            m.process_id,
            *answer[m.member_id],
            tuple((task, 100) for tasks in answer[m.member_id] for task in tasks if task in start.stateful),
        )
        for m in members[2:]
    )
    return StreamsGroup(SUBTOPOLOGIES, stay, standby_replicas=1)


def bare(*, again: bool) -> tuple[float, float, float]:
    """Seconds of one call of the group's rule and of `range`, and their ratio; each on a value of its own."""
    cluster = Cluster.of({f"topic-{i:02}": TASKS // TOPICS for i in range(TOPICS)})
    readers = tuple(Member(f"member-{i:03}", tuple(t.name for t in cluster.topics)) for i in range(MEMBERS))
    given = group_of(again=again)
    pairs = []
    for _ in range(RUNS):
        group, consumers = StreamsGroup(given.subtopologies, given.members, 1), Group(readers)
        pairs.append(
            (
                seconds(lambda group=group: StreamsGroupSticky().assign_group(group)),
                seconds(lambda consumers=consumers: Range().assign(cluster, consumers)),
            )
        )
    return _medians(pairs)


def _medians(pairs: list[tuple[float, float]]) -> tuple[float, float, float]:
    own, other = zip(*pairs, strict=True)
    return statistics.median(own), statistics.median(other), statistics.median(a / b for a, b in pairs)


def main() -> None:
    """Print what each costs, and how many times as much that is."""
    lines = (
        ("a checked rebalance, streams-sticky", checked(), 2),
        (f"bare at {MEMBERS} x {TASKS}, at the start, range", bare(again=False), 50),
        (f"bare at {MEMBERS} x {TASKS}, one process less, range", bare(again=True), 50),
    )
    for what, (own, other, ratio), goal in lines:
        print(f"{what:50} {own * 1e3:8.3f} ms {other * 1e3:8.3f} ms {ratio:6.2f} times (goal: {goal})")


if __name__ == "__main__":
    main()
