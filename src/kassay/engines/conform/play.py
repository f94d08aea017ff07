"""One history on both: Kafka's own coordinator, and the model, which is compared after every step."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from kassay.engines.conform.broken import Broken, Watch
from kassay.engines.conform.intentions import Intended
from kassay.engines.conform.resolve import Resolver
from kassay.engines.genuine.coordinator import GenuineProcess, GenuineStep
from kassay.engines.vectors.protocol.check import FollowedTrace
from kassay.engines.vectors.protocol.shapes import StepShape, TracedStep, TraceShape
from kassay.model.errors import InputError
from kassay.model.protocols.values.releases import NEWEST
from kassay.reading.values import read_as


class StepDifference(NamedTuple):
    """Where the model first differs: the step's number, its event, the place, and both values in words."""

    step: int
    event: str
    place: str
    text: str

    @property
    def cause(self) -> str:
        """What groups differences: the event and the place, without ids."""
        return f"{self.event}: {self.place}"


class PlayedOnBoth(NamedTuple):
    """A history that was played, up to the first difference; `broken` is what Kafka itself broke."""

    steps: tuple[GenuineStep, ...]
    difference: StepDifference | None
    broken: tuple[Broken, ...]

    def causes(self) -> Iterable[str]:
        """The causes of the difference and of what is broken."""
        if self.difference is not None:
            yield self.difference.cause
        for each in self.broken:
            yield each.cause


_MEMBERS: Final = ("members", "target", "partition_epochs", "regex_of", "resolved")


def play(
    intended: Intended,
    process: GenuineProcess,
    *,
    release: str = NEWEST,
    target: Any = None,
    watch: bool = True,
) -> PlayedOnBoth:
    """Play the history on both sides; it ends at the first difference.

    `target` has a `step` as the model's, which is the default. `watch` also compares Kafka's memory with
    what its log gives.
    """
    setup = intended.setup
    process.start(setup.config, setup.topics, setup.seed)
    model = Followed(setup.config, setup.topics, release, target)
    streams = "streams" in setup.config
    resolver = Resolver(setup.topics, application=setup.application if streams else None)
    watching = Watch(process if watch else None)
    steps: list[GenuineStep] = []
    difference = None
    for intention in intended.intentions:
        event = resolver.event(intention)
        if event is None:
            continue
        step = process.send(event)
        steps.append(step)
        resolver.learn(step)
        watching.look(step)
        difference = model.difference(step)
        if difference is not None:
            break
    return PlayedOnBoth(tuple(steps), difference, tuple(watching.broken))


class Followed:
    """The model, which takes the genuine steps one by one."""

    def __init__(
        self, config: Mapping[str, Any], topics: Mapping[str, int], release: str, target: Any = None
    ) -> None:
        from kassay.model.protocols.coordinator import step as coordinator

        shape = read_as(TraceShape, {"config": config, "topics": topics, "steps": []})
        self._trace = FollowedTrace(shape, (target or coordinator).step, release)

    def difference(self, step: GenuineStep) -> StepDifference | None:
        """The difference after this step, or None."""
        traced = TracedStep(read_as(StepShape, step.without_exception()))
        number, event = traced.shape.i, traced.event.event
        try:
            text = self._trace.check(traced)
        except InputError:
            raise
        except Exception as problem:
            return StepDifference(number, event, f"raised {type(problem).__name__}", repr(problem))
        if text is None:
            return None
        place, _, _ = text.partition(": ")
        return StepDifference(number, event, _general(place), text)


def _general(place: str) -> str:
    """The place without the names of members and the numbers of requests."""
    parts = re.split(r"\.", place)
    for index, part in enumerate(parts):
        if part in _MEMBERS and index + 1 < len(parts):
            return ".".join([*parts[: index + 1], "*", *parts[-1:]][: index + 3])
        if index and parts[0] == "responses":
            return ".".join(["responses", "*", *parts[2:]])
        if index and parts[0] == "records":
            return f"records.{parts[1].split(' ')[0]}" + (f".{parts[-1]}" if len(parts) > 2 else "")
    return place
