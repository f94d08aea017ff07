"""The search of each kind that has one, consumer groups aside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kassay.kinds.connect.search import ConnectSearch
from kassay.kinds.groups.search import ShareSearch
from kassay.kinds.placement.search.placers import PlacerSearch
from kassay.kinds.placement.search.planners import PlanSearch
from kassay.kinds.search import WorstSearch
from kassay.kinds.streams.search import TaskSearch
from kassay.model.kinds import Kind

SEARCHES: Final[Mapping[Kind, WorstSearch]] = {
    Kind.SHARE: ShareSearch(),
    Kind.PLACER: PlacerSearch(),
    Kind.PLANNER: PlanSearch(),
    Kind.STREAMS: TaskSearch(),
    Kind.CONNECT: ConnectSearch(),
}
"""Partitioners have none: what a key is decides where it goes."""
