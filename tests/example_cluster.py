"""Writes the logs of the invented cluster in `examples/cluster`: `python -m tests.example_cluster`.

`billing` is classic, a member of it leaves and returns, and its older records are compacted. `fraud` is a
consumer group that requests `range`, which moves partitions needlessly. The leader of `mailer` assigns
partitions that are still owned. `alerts` is a share group, one of whose topics gets its state late.
`enricher` is a Streams group whose custom assignor loses a task.
"""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from kassay.assignors.groups.server.coordinator import offsets_partition
from kassay.model.cluster import Cluster
from kassay.model.groups.group import Assignment, Member
from kassay.model.groups.history import History, Join, Leave, Withhold
from kassay.model.groups.step import Rebalanced
from kassay.model.streams.events import ProcessJoin, ProcessLeave
from kassay.model.streams.history import TaskChange, TaskHistory, TaskStep
from kassay.reading.kafka.topics import read_topics
from tests.offsets_log import Log, cleaned, dump
from tests.paths import ROOT
from tests.played_log import played, write_classic, write_consumer
from tests.played_targets import played_tasks, write_share, write_streams

FOLDER = ROOT / "examples" / "cluster"
OFFSETS_PARTITIONS = 50


def of(app: str, life: int, topics: tuple[str, ...]) -> Member:
    """A member with the id that a coordinator assigns in each of its lives."""
    number = int(app.rpartition("-")[2])
    return Member(f"{app}-{UUID(int=(number << 96) + (life << 64) + 0x5F3E4C0E9A540D1A, version=4)}", topics)


def counts(*names: str) -> dict[str, int]:
    sizes = {"mails": 4, "orders": 5, "refunds": 4, "audit": 2}
    return {name: sizes[name] for name in names}


def ids() -> dict[str, str]:
    described = read_topics((FOLDER / "topics.txt").read_text(), "topics.txt")
    return {topic.name: topic.topic_id or "" for topic in described}


def billing() -> Log:
    topics = ("mails", "orders", "refunds")
    first = [of(f"app-{number}", 1, topics) for number in range(1, 7)]
    changes = [tuple(Join(member) for member in first[:3]), *((Join(member),) for member in first[3:])]
    last = first[2]
    for life in range(2, 6):
        again = of("app-3", life, topics)
        changes += [(Leave(last.member_id),), (Join(again),)]
        last = again
    log = Log()
    write_classic(
        log, "billing", "range", played("range", History(Cluster.of(counts(*topics)), tuple(changes)))
    )
    return log


def fraud() -> Log:
    topics = ("orders", "refunds")
    members = [of(f"fraud-{number}", 1, topics) for number in range(1, 5)]
    joins = tuple((Join(member),) for member in members)
    by_name = ids()
    log = Log()
    history = History(Cluster.of(counts(*topics)), (*joins, (Leave(members[0].member_id),)))
    rebalanced = played("server-range", history)
    write_consumer(log, "fraud", "range", rebalanced, named=False, ids=by_name.__getitem__)
    return log


def mailer() -> Log:
    topics = ("mails", "audit")
    members = [of(f"mailer-{number}", 1, topics) for number in range(1, 4)]
    history = History(Cluster.of(counts(*topics)), tuple((Join(member),) for member in members))
    rebalanced = played("cooperative-sticky", history)
    log = Log()
    write_classic(
        log, "mailer", "cooperative-sticky", [*rebalanced[:-1], hasty(rebalanced[-1])], confirmed=False
    )
    return log


def hasty(rebalanced: Rebalanced) -> Rebalanced:
    """The rebalance of a leader that assigns in the first round what is only free in the second."""
    first, second = rebalanced.steps[0], rebalanced.steps[1]
    return replace(rebalanced, steps=(replace(first, answer=Assignment(dict(second.given))),))


def alerts() -> Log:
    members = [of(f"alerts-{number}", 1, ("audit", "mails")) for number in range(1, 6)]
    changes = (
        (Withhold("audit", (0, 1)), *map(Join, members[:2])),
        (Withhold("audit", ()),),
        tuple(map(Join, members[2:])),
        (Leave(members[0].member_id),),
    )
    log = Log()
    rebalanced = played("share-simple", History(Cluster.of(counts("audit", "mails")), changes))
    write_share(log, "alerts", rebalanced, ids=ids().__getitem__)
    return log


def enricher() -> Log:
    """Orders are joined with state, and refunds forwarded; the last target loses a task of the orders."""
    processes = [f"{number:08}-5f3e-4c0e-9a54-0d1a52b9a00{number}" for number in range(1, 4)]
    history = TaskHistory(
        (counts("orders")["orders"], counts("refunds")["refunds"]),
        1,
        tuple(ProcessJoin(process, 1) for process in processes[:2]),
        (TaskChange((ProcessJoin(processes[2], 1),)), TaskChange((ProcessLeave(processes[0]),))),
        standby_replicas=1,
    )
    *steps, last = played_tasks("streams-group-sticky", history)
    log = Log()
    write_streams(log, "enricher", [*steps, forgetful(last)], reads=("orders", "refunds"))
    return log


def forgetful(step: TaskStep) -> TaskStep:
    """The rebalance with an answer that lost an active task of the first thread that has any."""
    members = dict(step.given.members or {})
    who = min(name for name, tasks in members.items() if tasks.active)
    members[who] = members[who]._replace(active=members[who].active[1:])
    return replace(step, answer=replace(step.given, members=members))


def logs() -> dict[str, Log]:
    """The log of each group, by its name."""
    made = (billing, fraud, mailer, alerts, enricher)
    return {each.__name__: each() for each in made}


def texts() -> dict[str, str]:
    """The files by name."""
    files = {}
    for group, log in logs().items():
        partition = offsets_partition(group, OFFSETS_PARTITIONS)
        records = cleaned(log.records, len(log.records) - 6) if group == "billing" else log.records
        files[f"offsets-{partition}.txt"] = dump(records, partition)
    return files


if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / name).write_text(text)
        print(name, len(text))
