"""Every state that a model can reach, breadth first, and what is wrong among them.

A model is two pure functions: its initial states, and the steps that a state allows. The explorer
knows nothing of Kafka; invariants come in as values, so this package imports no property.
Breadth-first order makes every counterexample a shortest one, and nothing here depends on hash
order, so that a second run finds the same counterexample. The design follows stateright's trait
`Model` (four pure functions) and its insistence on three verdicts: a spent budget is `unknown`.

`values` first, then `search`; `liveness` reads the finished graph, `traces` finds the way to a state.
"""

from kassay.model.explore.graph import Action, Graph
from kassay.model.explore.interned import Interned, Interner
from kassay.model.explore.liveness import judge_liveness, rounds_between_disturbances
from kassay.model.explore.random_walk import random_walk
from kassay.model.explore.reduced import Reduced
from kassay.model.explore.search import explore
from kassay.model.explore.traces import pick, retrace, run
from kassay.model.explore.values import (
    Exploration,
    Finding,
    Invariant,
    InvariantViolation,
    Liveness,
    Model,
    Severity,
    Stuck,
    WalkLimits,
    WalkProgress,
    WalkStep,
)

__all__ = [
    "Action",
    "Exploration",
    "Finding",
    "Graph",
    "Interned",
    "Interner",
    "Invariant",
    "InvariantViolation",
    "Liveness",
    "Model",
    "Reduced",
    "Severity",
    "Stuck",
    "WalkLimits",
    "WalkProgress",
    "WalkStep",
    "explore",
    "judge_liveness",
    "pick",
    "random_walk",
    "retrace",
    "rounds_between_disturbances",
    "run",
]
