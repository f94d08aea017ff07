"""A case of a placer: a request, and the seed of its random numbers."""

from __future__ import annotations

from typing import NamedTuple

from kassay.model.placement.documents import PLACEMENT_REQUEST
from kassay.model.placement.request import PlacementRequest
from kassay.model.shape import codec


class PlacementCase(NamedTuple):
    """A request, and the seed of its random numbers."""

    request: PlacementRequest
    seed: int


CASE = codec.record(PlacementCase, request=PLACEMENT_REQUEST, seed=codec.Field(codec.WHOLE, 0))
