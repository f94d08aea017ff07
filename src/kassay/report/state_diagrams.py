"""docs/protocols.md: the state machines as diagrams and tables, written from the tables that run them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from kassay.model.protocols import client_classic, client_consumer, draft, zookeeper
from kassay.model.protocols.classic_table import CLASSIC_GROUP
from kassay.model.protocols.consumer_table import CONSUMER_GROUP
from kassay.model.protocols.reconcile import CONSUMER_MEMBER
from kassay.model.protocols.table import IGNORE, IMPOSSIBLE, Table

MACHINES: Final[tuple[tuple[str, str, Table], ...]] = (
    ("The ZooKeeper consumer", "A1: every consumer coordinates itself.", zookeeper.CONSUMER),
    ("The draft's consumer", "A2, as designed in 2014; never shipped.", draft.CONSUMER),
    ("The draft's coordinator", "A2, as designed in 2014; never shipped.", draft.COORDINATOR),
    ("The classic client", "A2: JoinGroup, SyncGroup, Heartbeat.", client_classic.CLIENT),
    ("The classic group", "A2: the coordinator's view.", CLASSIC_GROUP),
    ("The KIP-848 client", "A3: everything in one heartbeat.", client_consumer.CLIENT),
    ("The consumer group", "A3: the coordinator's view of the group.", CONSUMER_GROUP),
    ("The consumer group's member", "A3: the coordinator's view of one member.", CONSUMER_MEMBER),
)


def _name(state: Any) -> str:
    return str(state)


def mermaid(table: Table) -> str:
    """A table's moves as a Mermaid state diagram; staying put is left out."""
    named = [_name(state) for state in table] + [
        _name(after) for rules in table.values() for rule in rules.values() for after in rule.targets
    ]
    ids = {name: f"s{number}" for number, name in enumerate(dict.fromkeys(named))}
    lines = ["stateDiagram-v2", *(f'    state "{name}" as {short}' for name, short in ids.items())]
    for state, rules in table.items():
        moves: dict[str, list[str]] = {}
        for event, rule in rules.items():
            for after in rule.targets:
                if _name(after) != _name(state):
                    moves.setdefault(_name(after), []).append(_name(event))
        for after, events in moves.items():
            lines.append(f"    {ids[_name(state)]} --> {ids[after]}: {', '.join(events)}")
    return "\n".join(lines)


def grid(table: Table) -> str:
    """A table in full: what every state does with every event that is possible there."""
    lines = ["| state | event | then | what is done |", "|---|---|---|---|"]
    for state, rules in table.items():
        for event, rule in rules.items():
            if rule is IMPOSSIBLE:
                continue
            after = "ignored" if rule is IGNORE else " or ".join(_name(target) for target in rule.targets)
            lines.append(f"| {_name(state)} | {_name(event)} | {after} | {'' if rule is IGNORE else rule.action} |")
    return "\n".join(lines)


def document() -> str:
    """The whole page."""
    parts = [
        "# The protocols' state machines",
        "Written by `kassay.report.state_diagrams` from the transition tables in `kassay.model.protocols`; the steppers"
        " are held to the same tables. An event that a table does not list is impossible and raises"
        " `IllegalTransition`.",
    ]
    for title, sentence, table in MACHINES:
        parts += [f"## {title}", sentence, f"```mermaid\n{mermaid(table)}\n```", grid(table)]
    return "\n\n".join(parts) + "\n"


def write(path: Path) -> None:
    """Write the page."""
    path.write_text(document(), encoding="utf-8")
