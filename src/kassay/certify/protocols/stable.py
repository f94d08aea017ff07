"""The encoding and packing of the states of any model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kassay.model.explore.interned import Interned, Memo
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import FingerprintedStates, Parts
from kassay.model.explore.values import Model
from kassay.model.protocols.world.models.classic import ClassicModel
from kassay.model.protocols.world.parts.context import World
from kassay.model.protocols.world.timed.classic import Timed, TimedModel


def codec_of(model: Model[Any]) -> StateCodec:
    """A codec for the model's states that uses the model's own cells."""
    context = getattr(model, "context", None)
    return StateCodec(None if context is None else context.interner.cell)


def parts_of(model: Model[Any]) -> Parts[Any]:
    """The parts by which the model's states are packed: the clients, the broker, and their surroundings.

    The states of models without cells are small: one part each.
    """
    if isinstance(model, ClassicModel):
        return Parts(_split, _joined, model.options.members + 2)
    if isinstance(model, TimedModel):
        return Parts(_split_timed, _joined_timed, model.options.members + 2)
    return Parts(lambda state: (state,), lambda parts: parts[0], 1)


def fingerprinted(model: Model[Any]) -> FingerprintedStates[Any]:
    """Storage for fingerprints of the model's states."""
    return FingerprintedStates(parts_of(model), codec_of(model).fingerprint)


def place_of(model: Model[Any], codec: StateCodec) -> Callable[[Any], int]:
    """A function from a state to a number that determines its process: the number of its coordinator, if any.

    States with one coordinator go to one process, which caches the coordinator's outcomes; if whole states
    determined the process, every process would have to compute these outcomes.
    """

    places: Memo[Interned, int] = Memo()

    def of_world(world: World) -> int:
        place = places.get(world[1])
        if place is None:
            digest = codec.cell_digest(world.broker.value.coordinator)
            place = places[world[1]] = int.from_bytes(digest[:8], "big")
        return place

    if isinstance(model, ClassicModel):
        return of_world
    if isinstance(model, TimedModel):
        return lambda state: of_world(state.world)
    return codec.fingerprint


def _split(world: World) -> tuple[Any, ...]:
    return *world[0], world[1], world[2:]


def _joined(parts: tuple[Any, ...]) -> World:
    return World(parts[:-2], parts[-2], *parts[-1])


def _split_timed(state: Timed) -> tuple[Any, ...]:
    world = state.world
    return *world[0], world[1], (*world[2:], *state[1:])


def _joined_timed(parts: tuple[Any, ...]) -> Timed:
    *around, clocks, loads = parts[-1]
    return Timed(World(parts[:-2], parts[-2], *around), clocks, loads)
