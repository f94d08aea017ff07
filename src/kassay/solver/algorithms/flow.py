"""Integer maximum flow and minimum-cost flow on sparse networks, with the standard library alone.

`maximum` is Dinic's algorithm. `cheapest` is the primal-dual method (Ford and Fulkerson) with Dijkstra on
reduced costs: a search stops when the sink is settled, then as much as possible is pushed over arcs of
reduced cost zero. Costs are Python integers, so exact lexicographic weights never overflow. `cheapest` leaves
potentials, the dual solution, from which certificates are made.

Why kassay has its own engine: it needs nothing installed, checks the clock and has no largest cost. On hub
networks of 50 x 500 (`benchmarks/optimum_peers`) networkx' network simplex takes 1.3 to 8 times as long as a
whole optimum here. OR-tools in C++ is faster, the more so the larger the network: above some thousand arcs
`carry` uses it where it is installed, and this engine is the second opinion (`benchmarks/optimum_large`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Final

ENDLESS: Final = 1 << 100
"""More than a million weights of 64 bits, multiplied by as many members."""
_FAR: Final = 1 << 200


def is_over(deadline: float | None) -> bool:
    """Whether there is a deadline (`time.monotonic`) and it has passed."""
    return deadline is not None and time.monotonic() > deadline


class Network:
    """A network whose arcs keep their residual capacity; arc `a ^ 1` is the reverse of arc `a`."""

    __slots__ = ("_linked", "capacity", "cost", "head", "out", "potential")

    def __init__(self, nodes: int = 0) -> None:
        self.head: list[int] = []
        self.capacity: list[int] = []
        self.cost: list[int] = []
        self.out: list[list[int]] = [[] for _ in range(nodes)]
        self.potential: list[int] = []
        self._linked = 0

    def node(self) -> int:
        """A new node."""
        self.out.append([])
        return len(self.out) - 1

    def nodes(self, count: int) -> range:
        """This many new nodes."""
        first = len(self.out)
        self.out.extend([] for _ in range(count))
        return range(first, first + count)

    def arc(self, tail: int, head: int, capacity: int = ENDLESS, cost: int = 0) -> int:
        """A new arc; returns the number that `flow` takes. Costs must not be negative."""
        number = len(self.head)
        self.head += (head, tail)
        self.capacity += (capacity, 0)
        self.cost += (cost, -cost)
        return number

    @property
    def tail(self) -> list[int]:
        """Where each arc begins."""
        tails = [0] * len(self.head)
        tails[::2], tails[1::2] = self.head[1::2], self.head[::2]
        return tails

    def flow(self, arc: int) -> int:
        """The flow over an arc."""
        return self.capacity[arc ^ 1]

    def _link(self) -> None:
        """Attach new arcs to their nodes; done late, since OR-tools needs none of it."""
        head, out = self.head, self.out
        for arc in range(self._linked, len(head), 2):
            out[head[arc + 1]].append(arc)
            out[head[arc]].append(arc + 1)
        self._linked = len(head)

    def maximum(self, source: int, sink: int, deadline: float | None = None) -> int:
        """Push as much as fits, whatever it costs, until the deadline; returns how much."""
        self._link()
        return self._saturate(source, sink, [0] * len(self.out), [0] * len(self.head), ENDLESS, deadline)

    def cheapest(self, source: int, sink: int, amount: int = ENDLESS, deadline: float | None = None) -> int:
        """Push up to `amount` at the least cost for that amount, until the deadline; returns how much.

        Afterwards no arc with residual capacity has a negative reduced cost
        `cost + potential[tail] - potential[head]`.
        """
        self._link()
        if not self.potential:
            self.potential = [0] * len(self.out)
        total = 0
        while total < amount and self._reprice(source, sink):
            total += self._saturate(source, sink, self.potential, self.cost, amount - total, deadline)
            self._forget_spent(source)
            if is_over(deadline):
                break
        return total

    def _forget_spent(self, source: int) -> None:
        """Exclude the source's full arcs from later searches: no shortest path returns to them."""
        capacity = self.capacity
        self.out[source] = [arc for arc in self.out[source] if capacity[arc]]

    def reachable(self, sources: Iterable[int]) -> list[bool]:
        """The nodes that residual paths reach: after `maximum`, the source's side of a least cut."""
        self._link()
        head, capacity, out = self.head, self.capacity, self.out
        seen = [False] * len(out)
        stack = list(sources)
        for node in stack:
            seen[node] = True
        while stack:
            for arc in out[stack.pop()]:
                if capacity[arc] and not seen[head[arc]]:
                    seen[head[arc]] = True
                    stack.append(head[arc])
        return seen

    def _saturate(
        self,
        source: int,
        sink: int,
        label: list[int],
        length: list[int],
        most: int,
        deadline: float | None,
    ) -> int:
        """A maximum flow, up to `most`, over arcs with `label[head] == label[tail] + length[arc]` only.

        After the deadline, the amount pushed so far.
        """
        total = 0
        while total < most and not is_over(deadline):
            layer = self._layers(source, sink, label, length)
            if layer[sink] < 0:
                break
            total += self._push(source, sink, label, length, layer, most - total)
        return total

    def _layers(self, source: int, sink: int, label: list[int], length: list[int]) -> list[int]:
        """The fewest such residual arcs from the source to each node, -1 beyond the sink's layer."""
        head, capacity, out = self.head, self.capacity, self.out
        layer = [-1] * len(out)
        layer[source] = 0
        before, front, depth = [source], [source], 0
        while front and layer[sink] < 0:
            depth += 1
            before, following = front, list[int]()
            for node in front:
                here = label[node]
                for arc in out[node]:
                    if capacity[arc]:
                        target = head[arc]
                        if layer[target] < 0 and label[target] == here + length[arc]:
                            layer[target] = depth
                            following.append(target)
            front = following
        if layer[sink] > 0:
            self._keep_useful(sink, before, front, layer)
        return layer

    def _keep_useful(self, sink: int, before: list[int], last: list[int], layer: list[int]) -> None:
        """Close the nodes in the sink's layer, and those just before it that have no arc to the sink."""
        head, capacity = self.head, self.capacity
        depth = layer[sink]
        for node in last:
            layer[node] = -1
        gates = {head[arc] for arc in self.out[sink] if capacity[arc ^ 1]}
        for node in before:
            if node not in gates:
                layer[node] = -1
        layer[sink] = depth

    def _reprice(self, source: int, sink: int) -> bool:
        """Raise potentials by Dijkstra distances, capped at the sink's; False if it is unreachable.

        Nodes at the distance being settled wait in a plain stack: most arcs have reduced cost zero, and a
        heap would be the most expensive part of the search.
        """
        head, capacity, cost, out, potential = self.head, self.capacity, self.cost, self.out, self.potential
        distance = [_FAR] * len(out)
        distance[source] = 0
        settled: list[int] = []
        done = bytearray(len(out))
        heap: list[tuple[int, int]] = []
        ready, now = [source], 0
        while True:
            if not ready:
                while heap and done[heap[0][1]]:
                    heappop(heap)
                if not heap:
                    return False
                now, node = heappop(heap)
                ready.append(node)
            node = ready.pop()
            if done[node]:
                continue
            done[node] = 1
            if node == sink:
                break
            settled.append(node)
            base = now + potential[node]
            for arc in out[node]:
                if capacity[arc]:
                    target = head[arc]
                    reach = base + cost[arc] - potential[target]
                    if reach < distance[target]:
                        distance[target] = reach
                        if reach == now:
                            if target == sink:
                                ready.clear()
                            ready.append(target)
                        else:
                            heappush(heap, (reach, target))
        for node in settled:
            potential[node] += distance[node] - now
        return True

    def _push(
        self, source: int, sink: int, label: list[int], length: list[int], layer: list[int], most: int
    ) -> int:
        """Push along paths that go down a layer with each arc until no such path is left."""
        head, capacity, out = self.head, self.capacity, self.out
        turn = [0] * len(out)
        total, node = 0, source
        path: list[int] = []
        while True:
            if node == sink:
                amount = min(min([capacity[arc] for arc in path]), most - total)
                total += amount
                full = 0
                for step in range(len(path) - 1, -1, -1):
                    arc = path[step]
                    capacity[arc] -= amount
                    capacity[arc ^ 1] += amount
                    if not capacity[arc]:
                        full = step
                if total == most:
                    return total
                node = head[path[full] ^ 1]
                del path[full:]
            here, deeper, arcs, index = label[node], layer[node] + 1, out[node], turn[node]
            size = len(arcs)
            while index < size:
                arc = arcs[index]
                if capacity[arc]:
                    target = head[arc]
                    if layer[target] == deeper and label[target] == here + length[arc]:
                        break
                index += 1
            turn[node] = index
            if index < size:
                path.append(arc)
                node = target
            elif path:
                layer[node] = -1
                node = head[path.pop() ^ 1]
            else:
                return total
