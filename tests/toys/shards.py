"""A toy kind: shards, each with a size, are assigned to workers, some of which are draining.

Everything but what stands here is derived from the shape or done by what every kind uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kassay.assignors.registry import reference
from kassay.kinds.controls import control
from kassay.kinds.registry import drives
from kassay.kinds.requests import RequestDriver
from kassay.kinds.vectors import compared, vector_format
from kassay.model.calls import Call
from kassay.model.kinds import Kind, Nouns, declare
from kassay.model.shape.codec import FLAG, TEXT, Field, identity, listed, record, size
from kassay.properties.answers import Difference, answer_claims, repeated_claims, unanswered_calls
from kassay.properties.registry import Evidence, Scope, claim, situation

SHARDS = declare(
    Kind(
        "shards",
        "shards",
        Nouns("request", "requests", "", "", "worker", "shard", worlds="requests"),
        "shard-assignor",
        "shard assignors",
    )
)


class Worker(NamedTuple):
    name: str
    draining: bool = False


class Shard(NamedTuple):
    name: str
    size: int = 1


@dataclass(frozen=True)
class Shards:
    workers: tuple[Worker, ...]
    shards: tuple[Shard, ...]

    @property
    def open(self) -> list[str]:
        return [worker.name for worker in self.workers if not worker.draining]


SHAPE = record(
    Shards,
    workers=listed(record(Worker, name=identity("worker", TEXT), draining=Field(FLAG, False))),
    shards=Field(listed(record(Shard, name=identity("shard", TEXT), size=Field(size(1), 1))), ()),
)


@drives(SHARDS)
class ShardDriver(RequestDriver[Shards]):
    form = SHAPE
    options = frozenset({"exhaustive"})

    def counts(self, case: Shards) -> Mapping[str, int]:
        return {"members": len(case.workers), "partitions": len(case.shards), "events": 0}


class Placed(Call[Shards, Mapping[str, str]]):
    """One request and what was answered."""

    @property
    def loads(self) -> dict[str, int]:
        given = list(self.given.values())
        return {name: given.count(name) for name in self.request.open}


ShardDriver.step = Placed


def _differs(step: Placed, other: Mapping[str, str]) -> Iterator[Difference]:
    for shard, on in step.given.items():
        if on != (then := other.get(shard)):
            yield Difference(shard, on, then, (f"{shard} is on", on, f"{then}"))


answer_claims(SHARDS, "toy", unanswered_calls("assign"))
repeated_claims(SHARDS, _differs, lambda step: len(step.request.open) > 1, pure="toy")


@claim(
    "placed", kinds=SHARDS, validity=True, source="toy", fix="place every shard on a worker that stays",
    breakable=lambda step: bool(step.request.shards) and bool(step.request.open),
)  # fmt: skip
def placed(step: Placed) -> Iterator[Evidence]:
    """Every shard is on one of the workers that are not draining."""
    for shard in step.request.shards if step.request.open else ():
        if (on := step.given.get(shard.name)) not in step.request.open:
            yield Evidence(shard.name, {"on": on}, f"{shard.name} is on {on}.")


@claim(
    "even", kinds=SHARDS, source="toy", fix="keep the counts within one", scope=Scope.OUTCOME,
    breakable=lambda step: len(step.request.open) > 1 and len(step.request.shards) > 1,
)  # fmt: skip
def even(step: Placed) -> Iterator[Evidence]:
    """The shards of two workers differ by one at most."""
    if step.loads and max(step.loads.values()) - min(step.loads.values()) > 1:
        most = max(step.loads, key=step.loads.__getitem__)
        yield Evidence(most, {"loads": (*step.loads.values(),)}, f"{most} has {step.loads[most]} shards.")


@situation("draining", kinds=SHARDS, required_by=("placed",))
def draining(played: Any) -> bool:
    """A worker drains."""
    return any(worker.draining for worker in played.steps[0].request.workers)


@reference("shards-in-turn", kind=SHARDS, claims=("even",), source="toy")
class InTurn:
    """Shards go to the workers that stay in turn."""

    def assign(self, request: Shards) -> dict[str, str]:
        stay = request.open
        return {s.name: stay[i % len(stay)] for i, s in enumerate(request.shards)} if stay else {}


@control("ignores-draining", kinds=SHARDS, breaks="placed", like="shards-in-turn")
class IgnoresDraining(InTurn):
    def assign(self, request: Shards) -> dict[str, str]:
        return {s.name: request.workers[i % len(request.workers)].name for i, s in enumerate(request.shards)}


@control("keeps-to-the-first", kinds=SHARDS, breaks="even", like="shards-in-turn")
class KeepsToTheFirst(InTurn):
    def assign(self, request: Shards) -> dict[str, str]:
        return {s.name: request.open[0] for s in request.shards if request.open}


@vector_format("shards-in-turn", None, reference="shards-in-turn")
def check(vector: Mapping[str, Any], factory: Any, *, exact: bool) -> str | None:
    request = SHAPE.read(vector["request"], "request")
    wanted = vector["expected"]
    return compared(
        lambda: factory().assign(request),
        None,
        lambda answer: None if answer == wanted else f"{answer}, expected {wanted}",
        exact=exact,
    )
