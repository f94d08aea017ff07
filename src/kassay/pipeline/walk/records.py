"""The documents of a walk: its header, a receipt for each level, and what was merged last.

A level counts once its receipt exists, which is written last and atomically; `tables` has the data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from kassay import __version__
from kassay.model.errors import InputError
from kassay.model.explore.values import WalkProgress
from kassay.pipeline.store import LOCK, Store
from kassay.pipeline.walk.worker import Noted, SparkWalk

HEADER: Final = "walk.json"
LEVELS: Final = "levels"
MERGED: Final = "merged.json"
SCHEMA: Final = "kassay/walk/5"


@dataclass(frozen=True)
class Receipt:
    """A finished level: the number of its states, of their steps, and of the states that it reached first.

    Those have `digest`, which does not depend on their order, and lie in so many `buckets` (0: in none).
    `noted`, `checked` and `actions` are the results of all tasks of the level.
    """

    level: int
    states: int
    edges: int
    led_to: int
    digest: int
    buckets: int
    noted: list[list[Any]]
    checked: list[str]
    actions: dict[str, str]
    elapsed_s: float


@dataclass(frozen=True)
class Merged:
    """The table with the fingerprints of the first levels: their number, its states and buckets."""

    levels: int
    states: int
    buckets: int


@dataclass
class Journal:
    """The documents of one walk."""

    store: Store
    walk: SparkWalk
    receipts: list[Receipt] = field(default_factory=list)
    merged: Merged = Merged(0, 0, 0)

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

    def sign_merged(self, merged: Merged) -> None:
        """Record that the fingerprints of the first levels have been merged."""
        self.store.write(MERGED, vars(merged))
        self.merged = merged

    def noted(self) -> Noted:
        """The findings of all levels; examples are ordered by the length of their path."""
        total = Noted()
        for receipt in self.receipts:
            for name, severity, seen, (late, number, goal, message) in receipt.noted:
                example = (receipt.level + late, number, goal, message)
                total.note((name, severity), example, seen)
        return total


def open_journal(store: Store, walk: SparkWalk) -> Journal:
    """The journal of the walk in this location, created if there is none.

    Raises InputError if the location has another walk, one of another version of kassay, or anything else.
    """
    header = {
        "schema": SCHEMA,
        "kassay": __version__,
        "model": walk.settings.model,
        "settings": walk.settings.to_json(),
        "symmetry": walk.symmetric,
    }
    there = store.read(HEADER)
    if there is None:
        if others := [name for name in store.names("") if name != LOCK]:
            raise InputError(
                f"--out {store.place}: not empty ({others[0]}), expected an empty folder or one of an "
                "exploration on Spark"
            )
        store.write(HEADER, header)
        return Journal(store, walk)
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
    receipts = _receipts(store)
    merged = Merged(**(store.read(MERGED) or vars(Merged(0, 0, 0))))
    # Of a merge that ran ahead of a lost receipt, nothing is believed.
    return Journal(store, walk, receipts, merged if merged.levels <= len(receipts) + 1 else Merged(0, 0, 0))


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
