"""Every state that a model can reach, breadth first, and what is wrong among them.

A model is two pure functions: its initial states, and the steps that a state allows. The explorer
knows nothing of Kafka; invariants come in as values, so this package imports no property.
Breadth-first order makes every counterexample a shortest one, and nothing here depends on hash
order, so that a second run finds the same counterexample. The design follows stateright's trait
`Model` (four pure functions) and its insistence on three verdicts: a spent budget is `unknown`.

Read `values` first, then `search`; `liveness` reads the finished graph. `random_walk` is for worlds without
an end. `parallel` walks by several processes, each with a `shard`; `stable` writes states as bytes.
"""
