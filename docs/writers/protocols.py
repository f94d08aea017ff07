"""Writes `docs/protocols.md` and its data: the protocols as state machines, from the models' tables.

`python docs/writers/protocols.py` writes the page, `docs/protocols/rules.csv` with a row for each state and
event, and `docs/protocols/older-rules.csv` with both versions of each rule that a release changed; tests
compare all three with the tables.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from kassay.engines.protocols.switches import SWITCHES
from kassay.model.protocols.before_0_9 import proposal_coordinator, zookeeper
from kassay.model.protocols.clients import classic_state, consumer, streams_state
from kassay.model.protocols.coordinator.consumer import targets
from kassay.model.protocols.coordinator.streams.targets import STREAMS_MEMBER_TABLE
from kassay.model.protocols.coordinator.table import CLASSIC_GROUP, CONSUMER_GROUP, STREAMS_GROUP
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, Table, edges
from kassay.model.protocols.values.releases import OLD_RULES, RELEASES, OldRule
from kassay.writing.files import write_text

DOCS: Final = Path(__file__).parents[1]
RULES: Final = DOCS / "protocols" / "rules.csv"
OLDER: Final = DOCS / "protocols" / "older-rules.csv"
CHANGES: Final = """## What changed in Kafka 4.4

There is one model of the coordinator, with the rules of 4.4.0 (8d3916cfe15f, 2026-08-21). Where an older
release has another rule, a switch turns that rule on, and `--release 4.2.1` turns on all that 4.2.1 has.
[`kassay conform`](conform.md) compares 4.4.0, 4.3.1, 4.2.1, 4.1.2 and 4.0.2 with Kafka's own classes; 2024-10
is trunk of 2024-10-25 (1eb7644), of which there are genuine traces. `--switch NAME` of `kassay explore` turns
on one rule; [switches](switches.md) shows what finds each, at which bound.

[protocols/older-rules.csv](protocols/older-rules.csv) states both versions of each rule and, where no
exploration finds it, why. *Until* is the last release with the older rule."""
SIZES: Final = """## How many states there are

Two members, two partitions, every legal balanced answer of the assignor; states that are identical up to the
numbering of generations and member ids count once. `tests/docs/test_protocol_sizes.py` checks the table.

| classic world | prototype | as walked | sync in one step | log kept | numbered on |
|---|---|---|---|---|---|
| eager, no fault | 85 | 139 | 75 | - | 139 |
| eager, crash and pause | 4.5k | 5,987 | 3,483 | 8,403 | 9,907 |
| eager, crash, pause and failover | 53k | 39,530 | 23,870 | 51,594 | - |
| cooperative, no fault | 129 | 223 | 127 | - | 223 |
| cooperative, crash and pause | 8.9k | 11,281 | 6,501 | 16,235 | 20,021 |
| cooperative, crash, pause and failover | 123k | 91,182 | 49,396 | 124,424 | - |

The prototype is an older, smaller model. Three choices, each tried separately, account for most of the
difference:

* A leader's SyncGroup is two steps, persist and then answer, so a failover can happen between them. One step
  halves the states.
* The log leaves the state once no failover is left in the budget. With it, worlds with a failover are as
  large as the prototype's, within 3 %.
* Generations and ids count from the lowest that a member still holds. With continuous numbers, worlds with
  two faults are almost twice as large.

With crash, pause and failover the world of KIP-848 has 23,247 states; the
prototype's figures for it use other budgets and are not comparable."""


class Machine(NamedTuple):
    """One table with its introduction."""

    title: str
    where: str
    text: str
    table: Table


MACHINES: Final = (
    Machine(
        "ZooKeeper consumer (Kafka 0.8)",
        "model/protocols/before_0_9/zookeeper.py",
        "Every consumer computes its own share from what it reads in ZooKeeper. Nothing fences it.",
        zookeeper.CONSUMER,
    ),
    Machine(
        "Consumer of the proposal",
        "model/protocols/before_0_9/proposal_coordinator.py",
        "The design of 2014: the coordinator assigns; IllegalGeneration signals a rebalance.",
        proposal_coordinator.CONSUMER,
    ),
    Machine(
        "Coordinator of the proposal",
        "model/protocols/before_0_9/proposal_coordinator.py",
        "Its failover must survive a crash in each of five phases of a rebalance.",
        proposal_coordinator.COORDINATOR,
    ),
    Machine(
        "Classic group",
        "model/protocols/coordinator/table.py",
        "The coordinator's side of JoinGroup, SyncGroup, Heartbeat and LeaveGroup.",
        CLASSIC_GROUP,
    ),
    Machine(
        "Classic client",
        "model/protocols/clients/classic_state.py",
        "The consumer's side; eager and cooperative clients differ in what the callbacks revoke.",
        classic_state.CLIENT,
    ),
    Machine(
        "Consumer group (KIP-848)",
        "model/protocols/coordinator/table.py",
        "The group as a whole; each heartbeat carries one member a step towards its target.",
        CONSUMER_GROUP,
    ),
    Machine(
        "Member of a consumer group, at the coordinator",
        "model/protocols/coordinator/consumer/targets.py",
        "Stable, revoking partitions, or waiting for others to revoke them.",
        targets.CONSUMER_MEMBER,
    ),
    Machine(
        "Client of a consumer group",
        "model/protocols/clients/consumer.py",
        "The consumer's side: it reconciles towards its target and acknowledges.",
        consumer.CLIENT,
    ),
    Machine(
        "Streams group (KIP-1071)",
        "model/protocols/coordinator/table.py",
        "Tasks instead of partitions: a group is not ready until the topics of its topology exist and match.",
        STREAMS_GROUP,
    ),
    Machine(
        "Member of a Streams group, at the coordinator",
        "model/protocols/coordinator/streams/targets.py",
        "As a member of a consumer group; a process never has a task twice, in whatever roles.",
        STREAMS_MEMBER_TABLE,
    ),
    Machine(
        "Client of a Streams group",
        "model/protocols/clients/streams_state.py",
        "A stream thread: it revokes active tasks first, then takes over tasks of every role at once.",
        streams_state.CLIENT,
    ),
)


def diagram(table: Table) -> str:
    """The moves between different states as a Mermaid state diagram; each arrow lists its events."""
    states = dict.fromkeys((*table, *(after for _, _, after in edges(table))))
    names = {state: f"s{number}" for number, state in enumerate(states)}
    arrows: dict[tuple[str, str], list[str]] = {}
    for before, event, after in edges(table):
        if before != after:
            arrows.setdefault((names[before], names[after]), []).append(_safe(str(event)))
    lines = ["stateDiagram-v2"]
    lines += [f'    state "{state}" as {name}' for state, name in names.items()]
    lines += [f"    {one} --> {other}: {' / '.join(events)}" for (one, other), events in arrows.items()]
    return "\n".join(lines)


def _safe(text: str) -> str:
    return text.replace(":", "").replace(";", ",").replace("-", " ")


def cells(table: Table) -> Iterator[tuple[str, str, str, str]]:
    """Every state and event of a table: where the event may lead, and what the model does."""
    for state, rules in table.items():
        for event, rule in rules.items():
            to = " / ".join(str(target) for target in rule.targets)
            kind = {IGNORE: "ignored", IMPOSSIBLE: "impossible"}.get(rule, rule.action)
            yield str(state), str(event), to, kind


def older_rules() -> Iterator[tuple[str, str, str, str, str, str]]:
    """The rules that a release changed: both versions, how long the older one was, what finds it."""
    for rule in OLD_RULES:
        yield rule.switch, rule.tickets, rule.was, rule.now, _until(rule), _shown(rule) or rule.hidden


def written(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """The text of a file with these columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    return text.getvalue()


def _until(rule: OldRule) -> str:
    return next(release for release, rules in RELEASES.items() if rule.switch in rules)


def _shown(rule: OldRule) -> str:
    """The invariants that find the older rule, "" if no exploration does."""
    switch = SWITCHES.get(rule.switch)
    return ", ".join(switch.shows) if switch else ""


def _omitted(table: Table) -> str:
    kinds = [rule for rules in table.values() for rule in rules.values()]
    ignored, impossible = kinds.count(IGNORE), kinds.count(IMPOSSIBLE)
    return f"{len(kinds)} cells, {ignored} ignored, {impossible} impossible."


def changes() -> str:
    """The older rules as a Markdown table: how long each was, and what finds it."""
    lines = ["| switch | ticket | until | found by |", "|---|---|---|---|"]
    lines += [
        f"| {rule.switch} | {rule.tickets or '-'} | {_until(rule)} | {_shown(rule) or '-'} |"
        for rule in OLD_RULES
    ]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    parts = [
        "# The protocols as state machines: which event leads where?",
        "The diagrams show every arrow between two states. [protocols/rules.csv](protocols/rules.csv) has\n"
        "every state and event of every machine, with where it may lead and what the model does; an event\n"
        "that is impossible in a state raises `IllegalTransition`. `python docs/writers/protocols.py`\n"
        "writes page and data from the tables that the models of `kassay explore` use.\n"
        "[clock.md](clock.md) explains when timers fire.",
    ]
    for machine in MACHINES:
        parts += [
            f"## {machine.title}",
            f"{machine.text} Table: `src/kassay/{machine.where}`; {_omitted(machine.table)}",
            f"```mermaid\n{diagram(machine.table)}\n```",
        ]
    return "\n\n".join([*parts, CHANGES, changes(), SIZES]) + "\n"


def files() -> dict[Path, str]:
    """The page and its data by path."""
    rules = ((machine.title, *cell) for machine in MACHINES for cell in cells(machine.table))
    return {
        DOCS / "protocols.md": page(),
        RULES: written(("machine", "state", "event", "may lead to", "action"), rules),
        OLDER: written(("switch", "ticket", "older rule", "4.4.0", "until", "found by"), older_rules()),
    }


def main() -> None:
    """Write them."""
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        write_text(text, str(path))


if __name__ == "__main__":
    main()
