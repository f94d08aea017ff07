"""What puts an object in a plain form into the full form of its kind, by the form."""

from __future__ import annotations

from typing import Final

from kassay.assignors.plain.forms import PARTITIONER, PLACER
from kassay.assignors.plain.partitioner import PlainPartitioner
from kassay.assignors.plain.placer import PlainPlacer

OF_REQUESTS: Final[dict[str, type[PlainPlacer] | type[PlainPartitioner]]] = {
    PLACER: PlainPlacer,
    PARTITIONER: PlainPartitioner,
}
"""Of objects that are called as they are, once for each request or record."""
