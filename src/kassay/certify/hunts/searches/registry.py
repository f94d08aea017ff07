"""The search of each kind that has one, consumer groups aside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kassay.certify.hunts.searches.clusters import ConnectSearch
from kassay.certify.hunts.searches.placers import PlacerSearch
from kassay.certify.hunts.searches.plans import PlanSearch
from kassay.certify.hunts.searches.search import WorstSearch
from kassay.certify.hunts.searches.shares import ShareSearch
from kassay.certify.hunts.searches.tasks import TaskSearch
from kassay.model.kinds import Kind

SEARCHES: Final[Mapping[Kind, WorstSearch]] = {
    Kind.SHARE: ShareSearch(),
    Kind.PLACER: PlacerSearch(),
    Kind.PLANNER: PlanSearch(),
    Kind.STREAMS: TaskSearch(),
    Kind.CONNECT: ConnectSearch(),
}
"""Partitioners have none: what a key is decides where it goes."""
