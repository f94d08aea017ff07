"""One walk by several processes, each of which has a share of the states, dealt by a stable hash.

`dealt` is what one walks alone at first, `letters` what they send each other, `shard` one process' share,
`merged` the graph that all shares make up, `walk` the process that has the first share, starts the others
and has all go from level to level.
"""
