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
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import SHARE
from kassay.model.kinds import Kind
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS

SEARCHES: Final[Mapping[Kind, WorstSearch]] = {
    SHARE: ShareSearch(),
    PLACER: PlacerSearch(),
    PLANNER: PlanSearch(),
    STREAMS: TaskSearch(),
    CONNECT: ConnectSearch(),
}
"""Partitioners have none: what a key is decides where it goes."""
