"""Faults of a run: the budgets of faults and triggers, and the switches that break a rule.

Each fault uses up one unit of its budget, so that a model with faults is still finite. Switches are wrong
rules, most of them former bugs of Kafka; with all of them off the models follow Kafka.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from kassay.model.errors import InputError


class Faults(NamedTuple):
    """The remaining number of each fault or trigger.

    crash: a process dies. pause: it stops for longer than any timeout and continues later. slow: its
    processing exceeds max.poll.interval.ms. leave: it closes in order. failover: the coordinator moves. loss:
    a request or its reply is lost. duplicate, reorder: N2 only. partitions: a topic grows by one partition.
    topic: a topic that matches the subscription is created. delete: a topic is deleted. subscribe: a member
    changes its topics. rollout: a member restarts with its next list of assignors, protocol or topology.
    stale: a read sees ZooKeeper as it was before its last change. shrink: a request for fewer partitions of a
    topic is refused. write: the coordinator cannot append to its log; its change is undone and refused, its
    timers stay as set. assignor: a running member of KIP-848 comes to prefer another server-side assignor,
    and announces it. remove: an administrator removes all members of the group by LeaveGroup
    (`Admin.removeMembersFromConsumerGroup`).
    """

    crash: int = 0
    pause: int = 0
    slow: int = 0
    leave: int = 0
    failover: int = 0
    loss: int = 0
    duplicate: int = 0
    reorder: int = 0
    partitions: int = 0
    topic: int = 0
    delete: int = 0
    subscribe: int = 0
    rollout: int = 0
    stale: int = 0
    shrink: int = 0
    write: int = 0
    assignor: int = 0
    remove: int = 0

    @property
    def spent(self) -> bool:
        """Whether no fault is left."""
        return not any(self)


NO_FAULTS: Final = Faults()

_SHARED: Final = frozenset({"crash", "pause", "leave", "partitions"})
_WORLD: Final = _SHARED | frozenset(
    {
        "slow",
        "failover",
        "loss",
        "duplicate",
        "reorder",
        "topic",
        "delete",
        "subscribe",
        "shrink",
        "write",
    }
)
KNOWN: Final[dict[str, frozenset[str]]] = {
    "zookeeper": _SHARED | {"stale"},
    "draft": _SHARED | {"failover"},
    "classic": _WORLD | {"remove"},
    "kip848": _WORLD | {"assignor", "remove"},
    "migration": _WORLD | {"assignor", "remove", "rollout"},
    "streams": (_WORLD | {"rollout"}) - {"subscribe", "shrink"},
}
"""The faults of each model."""


@cache
def spend(budget: Faults, name: str) -> Faults | None:
    """The budget after one such fault, or None if none is left."""
    left: int = getattr(budget, name)
    return budget._replace(**{name: left - 1}) if left > 0 else None


def check_faults(model: str, budget: Faults) -> None:
    """Check that all these faults exist in the model; raises InputError for the first that does not."""
    for name, count in budget._asdict().items():
        if count and name not in KNOWN[model]:
            listed = ", ".join(fault for fault in Faults._fields if fault in KNOWN[model])
            raise InputError(f"--faults: {model} has no fault {name}; expected one of {listed}")


def parse_faults(text: str) -> Faults:
    """The budget written as `crash=1,pause=1`.

    Raises InputError for an unknown name, one given twice, a bad count, and a list with nothing in it.

    >>> parse_faults("crash=1,failover=2").failover
    2
    """
    counts: dict[str, int] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, sign, number = part.partition("=")
        if name not in Faults._fields:
            from difflib import get_close_matches  # for this message only

            near = get_close_matches(name, Faults._fields, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise InputError(
                f"--faults: unknown fault {name!r}; expected one of {', '.join(Faults._fields)}{hint}"
            )
        if not sign:
            number = "1"
        if name in counts:
            raise InputError(f"--faults: {part!r}: {name} is given twice, expected once")
        if len(number) != 1 or number not in "0123456789":
            raise InputError(f"--faults: {part!r}: expected {name}=N with N from 0 to 9")
        counts[name] = int(number)
    if text and not counts:
        raise InputError(f"--faults {text!r}: expected at least one, such as crash=1")
    return Faults(**counts)
