"""Documents of a walk: a header that defines the walk, and a receipt per level.

A level counts once its receipt exists, which is written last and atomically.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from kassay import __version__
from kassay.model.errors import InputError
from kassay.model.explore.values import WalkProgress
from kassay.pipeline.campaign.records.store import Store
from kassay.pipeline.walk.bench import Noted, SparkWalk

HEADER: Final = "walk.json"
LEVELS: Final = "levels"
SCHEMA: Final = "kassay/walk/4"
BUCKETS: Final = 16
"""Buckets for the states of every level, by fingerprint; a task joins one bucket of all levels."""


@dataclass(frozen=True)
class Receipt:
    """A finished level: the number of its states, of their steps, and of the states reached.

    `noted`, `asked` and `actions` are the results of all its tasks.
    """

    level: int
    states: int
    edges: int
    led_to: int
    noted: list[list[Any]]
    asked: list[str]
    actions: dict[str, str]
    elapsed_s: float


@dataclass
class Journal:
    """The documents of one walk."""

    store: Store
    walk: SparkWalk
    buckets: int
    receipts: list[Receipt] = field(default_factory=list)

    @property
    def states(self) -> int:
        """The states found so far."""
        return sum(each.states for each in self.receipts) + self.waiting

    @property
    def edges(self) -> int:
        """The steps taken so far."""
        return sum(each.edges for each in self.receipts)

    @property
    def waiting(self) -> int:
        """The states of the next level."""
        return self.receipts[-1].led_to if self.receipts else 0

    @property
    def elapsed_s(self) -> float:
        """The seconds spent on all levels, over all runs."""
        return sum(each.elapsed_s for each in self.receipts)

    def progress(self) -> WalkProgress:
        """The progress of the walk; its depth counts the finished levels."""
        return WalkProgress(self.states, self.edges, len(self.receipts), self.waiting, self.elapsed_s)

    def sign(self, receipt: Receipt) -> None:
        """Record that a level is finished."""
        self.store.write(f"{LEVELS}/{receipt.level:06}.json", vars(receipt))
        self.receipts.append(receipt)

    def noted(self) -> Noted:
        """The findings of all levels; examples are ordered by the length of their path."""
        total = Noted()
        for receipt in self.receipts:
            for name, severity, seen, (late, number, goal, message) in receipt.noted:
                example = (receipt.level + late, number, goal, message)
                total.note((name, severity), example, seen)
        return total


def open_journal(store: Store, walk: SparkWalk, buckets: int = BUCKETS) -> Journal:
    """The journal of the walk in this location, created if there is none.

    Raises InputError if the location has another walk, or one of another version of kassay.
    """
    header = {
        "schema": SCHEMA,
        "kassay": __version__,
        "model": walk.settings.model,
        "settings": walk.settings.to_json(),
        "symmetry": walk.symmetric,
        "buckets": buckets,
    }
    there = store.read(HEADER)
    if there is None:
        store.write(HEADER, header)
        return Journal(store, walk, buckets)
    for key in ("schema", "kassay"):
        if there.get(key) != header[key]:
            raise InputError(
                f"--out {store.place}: begun by {there.get(key)!r}, expected {header[key]!r}: "
                "another version wrote its states"
            )
    for key in ("model", "settings", "symmetry"):
        if there.get(key) != header[key]:
            raise InputError(
                f"--out {store.place}: has another walk, {_difference(there.get(key), header[key], key)}; "
                "expected its options, or another folder"
            )
    return Journal(store, walk, int(there["buckets"]), _receipts(store))


def _difference(there: Any, wanted: Any, key: str) -> str:
    """The first difference between the existing walk and the requested one."""
    if isinstance(there, dict) and isinstance(wanted, dict):
        for name in sorted({*there, *wanted}):
            if there.get(name) != wanted.get(name):
                return _difference(there.get(name), wanted.get(name), name)
    return f"of {key} {there}, not {wanted}"


def _receipts(store: Store) -> list[Receipt]:
    """The receipts of the finished levels, consecutive from the first."""
    receipts: list[Receipt] = []
    for name in store.names(LEVELS):
        if name != f"{len(receipts):06}.json":
            break
        document = store.read(f"{LEVELS}/{name}")
        try:
            receipts.append(Receipt(**(document or {})))
        except TypeError:
            raise InputError(f"{store.place}/{LEVELS}/{name}: no receipt of a level") from None
    return receipts
