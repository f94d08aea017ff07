"""Claims about asking twice: the same input, in another process, in another order."""

from __future__ import annotations

from collections.abc import Iterator

from kassay.model.groups.step import Look, Step
from kassay.model.kinds import GROUPS
from kassay.properties.groups.validity import difference
from kassay.properties.registry import Evidence, Scope, claim


@claim(
    "deterministic",
    kinds=GROUPS,
    scope=Scope.STEP,
    looks=(Look.AGAIN, Look.OTHER, Look.PROCESS),
    source="KAFKA-12898: answers that follow a hash order",
)
def deterministic(step: Step) -> Iterator[Evidence]:
    """The answer depends on the input alone: not on the process, the hash seed, the time or earlier calls."""
    for probe in step.probes:
        if probe.look is not Look.PERMUTED:
            found = difference(step, probe)
            if found is not None:
                yield found


@claim(
    "order-independent",
    kinds=GROUPS,
    scope=Scope.STEP,
    looks=(Look.PERMUTED,),
    source="KAFKA-12898: the leader's member map has no order",
)
def order_independent(step: Step) -> Iterator[Evidence]:
    """Permuting members, topics and the entries of owned lists does not change the answer."""
    for probe in step.probes:
        if probe.look is Look.PERMUTED:
            found = difference(step, probe)
            if found is not None:
                yield found
