"""The graph of all shares: states by level, and within a level by process."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from kassay.model.explore.graph import Graph
from kassay.model.explore.parallel.shard import ShardFinding, ShardGraph
from kassay.model.explore.parallel.written_parts import WrittenParts
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import PackedStates, Parts
from kassay.model.lazy import lazy

S = TypeVar("S", bound=Hashable)


class MergedStates(Generic[S]):
    """The states of all shares, combined on first access; most walks never need it."""

    def __init__(self, count: int, put_together: Callable[[], PackedStates[S]]) -> None:
        self._count = count
        self._put_together = put_together

    @lazy
    def _states(self) -> PackedStates[S]:
        return self._put_together()

    def put(self, state: S) -> int:
        """The state's number; no state is new."""
        return self._states.put(state)

    def number(self, state: S) -> int:
        """The state's number, or -1 if it has none."""
        return self._states.number(state)

    def expanded(self, node: int) -> None:
        """Do nothing: all states stay stored."""

    def __getitem__(self, node: int) -> S:
        return self._states[node]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[S]:
        return iter(self._states)


def merged(shards: Sequence[ShardGraph], parts: Parts[S], codec: StateCodec) -> tuple[Graph[S], array[int]]:
    """The graph as of one process, except for the order within a level, and the number of each name."""
    count = sum(len(shard.parents) for shard in shards)
    graph: Graph[S] = Graph(MergedStates(count, partial(_packed, shards, parts, codec)))
    numbers = _numbered(shards)
    relabels = [
        array("I", [graph.actions.setdefault(action, len(graph.actions)) for action in shard.actions])
        for shard in shards
    ]
    for level in range(max(len(shard.levels) for shard in shards)):
        for shard, relabel in zip(shards, relabels, strict=True):
            low, high = _bounds(shard, level)
            graph.depths.extend([level] * (high - low))
            graph.good += shard.good[low:high]
            graph.parents.extend(
                [parent if parent < 0 else numbers[parent] for parent in shard.parents[low:high]]
            )
            expanded = len(shard.first) - 1
            start, end = shard.first[min(low, expanded)], shard.first[min(high, expanded)]
            shift = len(graph.targets) - start
            graph.first.extend([at + shift for at in shard.first[low + 1 : high + 1]])
            graph.targets.extend(map(numbers.__getitem__, shard.targets[start:end]))
            graph.labels.extend(map(relabel.__getitem__, shard.labels[start:end]))
    return graph, numbers


def _packed(shards: Sequence[ShardGraph], parts: Parts[S], codec: StateCodec) -> PackedStates[S]:
    """The packed states of all shares, in the order of the merged graph."""
    written = WrittenParts(parts, codec)
    known = [array("I", map(written.number_of, shard.parts)) for shard in shards]
    packed = bytearray()
    for level in range(max(len(shard.levels) for shard in shards)):
        for shard, mine in zip(shards, known, strict=True):
            low, high = _bounds(shard, level)
            keys = array("I", shard.keys[low * parts.size : high * parts.size])
            packed += array("I", map(mine.__getitem__, keys)).tobytes()
    states = PackedStates(written)
    states.extend(bytes(packed))
    return states


def _bounds(shard: ShardGraph, level: int) -> tuple[int, int]:
    """The start and the end of a level of a share."""
    ends = [*shard.levels, len(shard.parents)]
    return (ends[level], ends[level + 1]) if level + 1 < len(ends) else (ends[-1], ends[-1])


def _numbered(shards: Sequence[ShardGraph]) -> array[int]:
    """The number of each name, ordered by level, then by process."""
    count = len(shards)
    numbers = array("I", bytes(4 * count * max(len(shard.parents) for shard in shards)))
    own = [array("I") for _ in shards]
    following = 0
    for level in range(max(len(shard.levels) for shard in shards)):
        for shard, mine in zip(shards, own, strict=True):
            low, high = _bounds(shard, level)
            mine.extend(range(following, following + high - low))
            following += high - low
    for number, mine in enumerate(own):
        numbers[number : number + count * len(mine) : count] = mine
    return numbers


def merged_findings(
    shared: Iterable[ShardFinding], graph: Graph[S], numbers: array[int], codec: StateCodec
) -> dict[tuple[str, Any], list[Any]]:
    """The findings as of one search: the total count of each, and its occurrence nearest to the start."""
    findings: dict[tuple[str, Any], list[Any]] = {}
    nearest: dict[tuple[str, Any], tuple[int, int]] = {}
    for each in shared:
        node = numbers[each.node]
        kind, rank = (each.invariant, each.severity), (graph.depths[node] + (each.via is not None), node)
        entry = findings.setdefault(kind, [0, node, None, ""])
        entry[0] += each.seen
        if rank < nearest.get(kind, (rank[0] + 1, 0)):
            nearest[kind] = rank
            via = None if each.via is None else (each.via[0], codec.decode(each.via[1]))
            entry[1:] = [node, via, each.message]
    return findings
