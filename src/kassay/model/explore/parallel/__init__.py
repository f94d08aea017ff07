"""One walk by several processes, each of which has a share of the states, dealt by a stable hash.

`letters` is what they send each other, `shard` one process' share, `merged` the graph that all shares make
up, `walk` the process that starts the others and has them go from level to level.
"""
