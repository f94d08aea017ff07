"""A fleet's rebalances, replayed with other assignors on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from kassay.report.result import PlottedResult, Progress, no_progress
from kassay.writing.text import counted

if TYPE_CHECKING:
    from kassay.engines.targets.resolve import Target
    from kassay.report.plot import Plot

ASSIGNORS: Final = ("range", "sticky", "cooperative-sticky", "optimal-sticky")
"""The candidates if none is named."""
OUT: Final = ".kassay/fleet"
EVERY: Final = "every"


@dataclass(frozen=True, repr=False)
class FleetReplay(PlottedResult):
    """What happened to the fleet's groups, and what would have with each candidate; its tables are in `out`.

    `exit_code`: 0 if every candidate was compared with the actual history of every group, else 3.
    """

    out: str
    document: Mapping[str, Any]
    exit_code: int

    def summary(self) -> str:
        """How many groups and snapshots there are, and how many candidates."""
        groups = counted(self.document["groups"], "group")
        snapshots = counted(self.document["snapshots"], "snapshot")
        return f"{groups}, {snapshots}, {counted(len(self.document['assignors']) - 1, 'candidate')}"

    def to_json(self) -> dict[str, Any]:
        """The document `kassay/fleet/2`."""
        return dict(self.document)

    def rows(self) -> list[dict[str, Any]]:
        """A row for what really happened, `actual`, and one for each candidate."""
        rows: list[dict[str, Any]] = self.document["assignors"]
        return rows

    def plots(self) -> dict[str, Plot]:
        """The charts of the page, by the first words of their titles."""
        from kassay.report.pages.fleet import bars_of
        from kassay.report.plot import plots_by_title

        return plots_by_title(bars_of(self.rows()))

    def page(self, again: str = "") -> str:  # noqa: ARG002 - the tables lie next to it
        """The page `report.html`."""
        from kassay.report.pages.fleet import render

        return render(self.document)


def fleet(
    *paths: str | PathLike[str],
    to: Iterable[str] = ASSIGNORS,
    out: str | PathLike[str] = OUT,
    config: Mapping[str, str] | None = None,
    progress: Progress = no_progress,
) -> FleetReplay:
    r"""Replay snapshots of consumer groups with other assignors; needs `pip install 'kassay[spark]'`.

    `paths` are files and folders of text, JSON lines or Parquet, and JSON lines of subscriptions; `to` are
    target specs. The tables are written to `out`, which may be hdfs://, s3a://, ...; what it has read before
    is not read again. `config` has properties of Spark: without `spark.master` every core of this machine
    works; with `every`, a number of seconds, a folder is followed until an interrupt. Raises `InputError` for
    paths without a snapshot, for targets of another kind and for an `out` of something else, `TargetError`
    for a target that cannot be loaded.

    >>> import kassay
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> line = '{"at": %d, "group": "g", "member": "m", "topics": ["t"], "owned": [["t", 0]]}\n'
    >>> _ = (folder / "g.jsonl").write_text(line % 1000 + line % 2000)
    >>> local = {"spark.master": "local[1]"}
    >>> kassay.fleet(folder / "g.jsonl", to=["sticky"], out=folder / "out", config=local)
    <FleetReplay: 1 group, 2 snapshots, 1 candidate>
    """
    from pathlib import Path

    from kassay.model.errors import InputError
    from kassay.pipeline.fleet.fleet import FleetWork, exit_code, replay_fleet
    from kassay.pipeline.fleet.ledger import open_ledger
    from kassay.pipeline.fleet.snapshots import (
        are_subscriptions,
        must_be_apart,
        must_exist,
        read_subscriptions,
    )
    from kassay.pipeline.fleet.stream import follow
    from kassay.pipeline.spark import session_of, translated_errors
    from kassay.pipeline.store import LocalTrial, open_store

    if not paths:
        raise InputError("expected a PATH with snapshots of consumer groups")
    places, folder = [*map(str, paths)], str(out)
    must_exist(places)
    must_be_apart(places, folder)
    targets = _candidates(to)
    subscriptions = [path for path in places if are_subscriptions(path)]
    known = {key: topics for path in subscriptions for key, topics in read_subscriptions(Path(path)).items()}
    places = [path for path in places if path not in subscriptions]
    if not places:
        raise InputError("PATH: only subscriptions; expected snapshots of consumer groups as well")
    every_s = _every(config or {}, places)
    candidates = {target.spec: target.digest for target in targets}
    if "://" not in folder:  # before Spark starts, which takes a while
        local = LocalTrial(Path(folder))
        with local.locked():
            open_ledger(local, candidates)
    properties = {name: value for name, value in (config or {}).items() if name != EVERY}
    begun = session_of(properties, "kassay fleet", tell=lambda words: progress(0, words))
    with begun as spark, translated_errors(folder), (store := open_store(folder, spark)).locked():
        work = FleetWork(spark, open_ledger(store, candidates), targets, known)
        if every_s is not None:
            follow(work, places[0], lambda words: progress(0, words), every_s)
        summary = replay_fleet(work, places, lambda words: progress(0, words))
    where = places[0] if len(places) == 1 else f"{len(places)} paths"
    return FleetReplay(folder, summary, exit_code(summary, where))


def _every(config: Mapping[str, str], places: list[str]) -> float | None:
    """The seconds between two looks at a folder that is followed; None if it is not. Raises `InputError`."""
    from kassay.model.errors import InputError
    from kassay.reading.documents import is_folder

    if EVERY not in config:
        return None
    try:
        seconds = float(config[EVERY])
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise InputError(f"--config {EVERY}={config[EVERY]}: expected a number of seconds above 0")
    if len(places) != 1 or ("://" not in places[0] and not is_folder(places[0])):
        raise InputError(f"--config {EVERY}={config[EVERY]}: expected one folder of snapshots to follow")
    return seconds


def _candidates(specs: Iterable[str]) -> list[Target]:
    """The targets, all of consumer groups; raises `InputError` and `TargetError`."""
    from kassay.engines.targets.resolve import resolve
    from kassay.model.errors import InputError
    from kassay.model.groups.kinds import CONSUMER_GROUPS

    targets = [resolve(spec) for spec in dict.fromkeys(specs)]
    if not targets:
        raise InputError("--to: expected at least one assignor")
    for target in targets:
        if target.kind not in CONSUMER_GROUPS:
            raise InputError(f"{target.spec}: of kind {target.kind}, expected an assignor of consumer groups")
    return targets
