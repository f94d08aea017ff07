"""One walk by several processes; a stable hash assigns each state to a process.

`dealt` walks the first levels in one process, `letters` are the messages between processes, `shard` is the
share of one process, `merged` the graph of all shares. `walk` is the process with the first share: it starts
the others and leads all of them from level to level.
"""
