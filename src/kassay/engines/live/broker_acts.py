"""What a script does to brokers of kassay's own: restarts, failovers of the coordinator, upgrades."""

from __future__ import annotations

import time
from typing import Final

from kassay.engines.genuine.jars import broker_jars
from kassay.engines.live.brokers import OwnCluster
from kassay.engines.live.cluster import Helper
from kassay.engines.live.program import Timeouts
from kassay.engines.live.running import LiveFailed, Pump
from kassay.engines.live.script import LiveAction

_PROBE_S: Final = 0.2
_OWN_S: Final = 20.0
"""What the brokers need for a new coordinator, in addition to the clients' timeouts."""


def act_on_brokers(
    action: LiveAction, cluster: OwnCluster, helper: Helper, pump: Pump, timeouts: Timeouts
) -> int | None:
    """Do it; returns when the group had a coordinator again, in nanoseconds, None if it always had one.

    Raises `LiveFailed` if a broker does not come back, or no other one takes over.
    """
    if action.do == "finalize":
        finalize(cluster, action.release)
        return None
    coordinator = helper.describe().coordinator
    if action.do == "failover":
        node = coordinator if coordinator > 0 else 1
        cluster.kill(node)
        back = _taken_over(cluster, helper, pump, node, timeouts)
        cluster.up(node)
        return back or time.monotonic_ns()
    node = action.broker or 1
    if action.do == "upgrade-broker":
        cluster.upgrade(node, broker_jars(action.release), action.release)
    else:
        cluster.restart(node)
    return time.monotonic_ns() if node == coordinator or coordinator < 0 else None


def _taken_over(cluster: OwnCluster, helper: Helper, pump: Pump, dead: int, timeouts: Timeouts) -> int | None:
    """When another broker had loaded the group; None where there is no other. Raises `LiveFailed`."""
    if cluster.shape.count == 1:
        return None
    end = time.monotonic() + _OWN_S + timeouts.settle_ms / 1000
    while time.monotonic() < end:
        if helper.describe().coordinator not in (dead, -1):
            return time.monotonic_ns()
        pump.wait(_PROBE_S)
    raise LiveFailed(f"no other broker became the coordinator after broker {dead} had ended")


def finalize(cluster: OwnCluster, release: str) -> None:
    """Set the features of the release, after which no broker goes back; raises `LiveFailed`."""
    said = cluster.tool("kafka-features", "upgrade", "--release-version", release)
    if "was upgraded" not in said:
        raise LiveFailed(f"kafka-features upgrade --release-version {release}: {said.strip()[-400:]}")
