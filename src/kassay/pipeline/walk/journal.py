"""What stands beside the tables of a walk: a header that says what is walked, and a receipt a level.

A level counts once its receipt is there, which is written last, whole or not at all.
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
"""States of every level are dealt to so many parts by fingerprint; a task joins one part of all levels."""


@dataclass(frozen=True)
class Receipt:
    """A level that is done: how many states it has, the steps out of them, and how many states they led to.

    `noted`, `asked` and `actions` are what the judges of all its tasks said.
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
        """The states met so far."""
        return sum(each.states for each in self.receipts) + self.waiting

    @property
    def edges(self) -> int:
        """The steps taken so far."""
        return sum(each.edges for each in self.receipts)

    @property
    def waiting(self) -> int:
        """The states of the level that comes next."""
        return self.receipts[-1].led_to if self.receipts else 0

    @property
    def elapsed_s(self) -> float:
        """The seconds that went into all levels, whoever began them."""
        return sum(each.elapsed_s for each in self.receipts)

    def progress(self) -> WalkProgress:
        """Where the walk is; its depth counts the levels that are done."""
        return WalkProgress(self.states, self.edges, len(self.receipts), self.waiting, self.elapsed_s)

    def sign(self, receipt: Receipt) -> None:
        """Write that a level is done."""
        self.store.write(f"{LEVELS}/{receipt.level:06}.json", vars(receipt))
        self.receipts.append(receipt)

    def noted(self) -> Noted:
        """What all levels noted; the examples are by the length of the way there."""
        total = Noted()
        for receipt in self.receipts:
            for name, severity, seen, (late, number, goal, message) in receipt.noted:
                example = (receipt.level + late, number, goal, message)
                total.note((name, severity), example, seen)
        return total


def open_journal(store: Store, walk: SparkWalk, buckets: int = BUCKETS) -> Journal:
    """The journal of the walk in this place, begun if there is none.

    Raises InputError if the place has another walk, or one of another version of kassay.
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
    """The first thing in which the walk that is there differs."""
    if isinstance(there, dict) and isinstance(wanted, dict):
        for name in sorted({*there, *wanted}):
            if there.get(name) != wanted.get(name):
                return _difference(there.get(name), wanted.get(name), name)
    return f"of {key} {there}, not {wanted}"


def _receipts(store: Store) -> list[Receipt]:
    """The receipts of the levels that are done, one after another from the first."""
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
