"""The explorer: visits all reachable states of a model, breadth first, and reports violations.

A model is two pure functions: its initial states, and the steps that a state allows. The explorer knows
nothing about Kafka; invariants are passed in as values, so this package imports no property. Breadth-first
order makes every counterexample a shortest one. Nothing depends on hash order, so a second run finds the same
counterexample. The design follows stateright's trait `Model` (four pure functions) and its three verdicts: an
exhausted budget means `unknown`.

Read `values` first, then `search`; `liveness` analyses the finished graph, `traces` finds the path to a
state.
"""
