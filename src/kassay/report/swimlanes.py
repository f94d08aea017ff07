"""Traces of the protocol models as swim-lane sequence diagrams: plain text and Mermaid."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kassay.model.explore import Action, Step

_ORDER: Final = ("coordinator", "zookeeper", "metadata")
_MARGIN: Final = 2


def actions_of(trace: Iterable[Step[Any]]) -> list[Action]:
    """The trace's actions, without its start."""
    return [step.action for step in trace if step.action is not None]


def lanes_of(actions: Iterable[Action]) -> list[str]:
    """Clients by name, then the servers."""
    names = {name for action in actions for name in (action.actor, action.to) if name}
    return sorted(names - set(_ORDER)) + [name for name in _ORDER if name in names]


def _label(action: Action) -> str:
    inside = f" ({action.detail})" if action.detail else ""
    return f"{action.name}{inside}"


def as_text(actions: list[Action], width: int = 22) -> str:
    """One line a step: lanes as columns, arrows between them, the words behind.

    >>> print(as_text([Action("c1", "heartbeat", "coordinator", reply="ok")], width=14))
         c1              coordinator
      1  o------------------> heartbeat => ok
    """
    lanes = lanes_of(actions)
    place = {name: 5 + number * width for number, name in enumerate(lanes)}
    head = "".join(name.ljust(width) for name in lanes)
    lines = [(" " * 5 + head).rstrip()]
    for number, action in enumerate(actions, 1):
        row = [" "] * (5 + width * len(lanes))
        row[: len(f"{number:3}")] = f"{number:3}"
        for name in lanes:
            row[place[name]] = "|"
        start = place[action.actor]
        mark = "X" if action.fault else "o"
        row[start] = mark
        if action.to and action.to != action.actor:
            end = place[action.to]
            low, high = sorted((start, end))
            for column in range(low + 1, high):
                row[column] = "-"
            row[end] = ">" if end > start else "<"
        words = _label(action) + (f" => {action.reply}" if action.reply else "")
        lines.append("".join(row).rstrip().ljust(place[lanes[-1]] + _MARGIN) + words)
    return "\n".join(lines)


def as_mermaid(actions: list[Action]) -> str:
    """The trace as a Mermaid sequence diagram."""
    lines = ["sequenceDiagram"]
    lines += [f"    participant {name}" for name in lanes_of(actions)]
    for action in actions:
        words = _label(action).replace(";", ",").replace("#", "")
        if action.to and action.to != action.actor:
            lines.append(f"    {action.actor}->>{action.to}: {words}")
            if action.reply:
                lines.append(f"    {action.to}-->>{action.actor}: {action.reply}")
        else:
            lines.append(f"    Note over {action.actor}: {words}")
    return "\n".join(lines)


def as_rows(actions: list[Action]) -> list[dict[str, Any]]:
    """The trace as data, for an HTML report."""
    return [{"step": number, **action._asdict()} for number, action in enumerate(actions, 1)]
