"""The class that misbehaves when told to, and how it is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kassay.engines.processes.host import Host, Limits
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import TargetFailure
from kassay.model.groups.group import Group, Member

CLUSTER = Cluster.of({"t": 3, "u": 2})
GROUP = Group((Member("a", ("t", "u"), (TopicPartition("t", 0),), 1), Member("b", ("t",))))
FAIR = {"a": ["t-0", "t-2", "u-0", "u-1"], "b": ["t-1"]}
LIMITS = Limits(call_timeout_s=60, memory_mib=128)
SHORT_S = 0.6
"""For calls that never end."""


def ask(host: Host, do: str, file: Path | None = None) -> dict[str, list[str]]:
    """What a new object that does so answers."""
    config = {"do": do, **({} if file is None else {"file": str(file)})}
    answer = host.new(config).assign(CLUSTER, GROUP)
    return {member_id: [str(tp) for tp in tps] for member_id, tps in answer.items()}


def failure(host: Host, do: str, file: Path | None = None) -> TargetFailure:
    """How it fails: in one line, and the next object works."""
    return _failed(host, do, file, LIMITS.call_timeout_s)


def timed_out(host: Host, do: str) -> TargetFailure:
    """The same of a call that never ends, whose timeout is short; the one of the next object is not."""
    return _failed(host, do, None, SHORT_S)


def _failed(host: Host, do: str, file: Path | None, call_timeout_s: float) -> TargetFailure:
    start = host.start
    host.start = replace(start, limits=replace(start.limits, call_timeout_s=call_timeout_s))
    with pytest.raises(TargetFailure) as caught:
        ask(host, do, file)
    host.start = start
    assert "\n" not in caught.value.message
    assert ask(host, "behave") == FAIR
    return caught.value
