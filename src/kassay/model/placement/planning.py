"""One call of a planner as a value: a placement and the final brokers in, a plan out."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kassay.model.calls import Call, Look, call
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.plan import Plan
from kassay.model.placement.request import Replicas


@dataclass(frozen=True)
class PlanRequest:
    """The request for a plan from `before` to a placement on these brokers.

    `brokers` are those that stay or are added; `before` may name others, which are decommissioned.
    """

    brokers: tuple[Broker, ...]
    before: tuple[tuple[TopicPartition, Replicas], ...]
    replication_factor: int

    def __post_init__(self) -> None:
        if not 1 <= self.replication_factor <= len(self.brokers):
            raise InputError(
                f"replication factor {self.replication_factor}: expected one from 1 to {len(self.brokers)}, "
                "the number of brokers"
            )


@runtime_checkable
class Planner(Protocol):
    """Plans a reassignment."""

    def plan(self, request: PlanRequest) -> Plan:
        """The moves, in order."""


class PlanStep(Call[PlanRequest, Plan]):
    """One call of a planner."""


def plan_step(
    new: Callable[[], Planner],
    request: PlanRequest,
    looks: Collection[Look] = (),
    twin: Callable[[], Planner] | None = None,
) -> PlanStep:
    """A step with a new planner."""
    return call(PlanStep, lambda planner, received: planner.plan(received), new, request, looks, twin=twin)
