"""Findings: the representative history of each violation, shrunk by Spark tasks.

Two findings are the same if target, claim, class of input and kind of violation agree. The representative is
the smallest history, and of those the one with the lowest index. Shrinking preserves class and kind, so that
the reported violation is the one found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.certify.runs.blocks import Bench, open_bench
from kassay.certify.runs.counterexamples.smallest import counterexample, smallest_case
from kassay.kinds.judging import Examination, Subject
from kassay.kinds.protocol import Driver
from kassay.pipeline.campaign.plan.lanes import Lane
from kassay.pipeline.campaign.records.campaign import Campaign
from kassay.pipeline.campaign.records.schemas import FINDINGS, arrow_struct
from kassay.pipeline.campaign.records.sums import CONTRADICTORY, Key, Smallest, bucket_of, kind_of
from kassay.properties.promises import promise
from kassay.properties.sources import derive_seed
from kassay.writing.documents import json_text
from kassay.writing.text import storable

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

KINDS_MAX: Final = 8
"""Kinds of violation reported per target, claim and class of input: the smallest ones."""
SHRINK_SECONDS: Final = 120.0
"""Last resort for a target with very slow calls; ordinary findings take far less."""
UNITS_MAX: Final = 200_000
"""Tries times members and partitions: large histories get fewer tries, on any machine."""


class WantedFinding(NamedTuple):
    """A finding to report: its representative, and the number of further kinds that are not reported."""

    lane: int
    key: Key
    representative: Smallest
    others: int


@dataclass(frozen=True)
class Shrinking:
    """The findings as sent to the workers: row i of the input refers to wanted i."""

    lanes: Mapping[int, Lane]
    wanted: tuple[WantedFinding, ...]
    tries: int


def wanted_of(campaign: Campaign) -> tuple[WantedFinding, ...]:
    """The findings to report, by target, claim, class of input and size."""
    best: dict[tuple[str, Key], WantedFinding] = {}
    for lane, sums in campaign.sums.items():
        for key, smallest in sums.kinds.items():
            place = campaign.lanes[lane].target, key
            here = WantedFinding(lane, key, smallest, 0)
            known = best.get(place, here)
            both = smallest if known is here else known.representative.and_(smallest)
            best[place] = min(known, here, key=_rank)._replace(representative=both)
    grouped: dict[tuple[str, str, str], list[WantedFinding]] = {}
    for (target, key), finding in best.items():
        grouped.setdefault((target, key.claim, key.input), []).append(finding)
    return tuple(
        one._replace(others=max(0, len(same) - KINDS_MAX))
        for _, same in sorted(grouped.items())
        for one in sorted(same, key=_rank)[:KINDS_MAX]
    )


def _rank(one: WantedFinding) -> tuple[tuple[int, ...], int, int, str]:
    """Small before large, early before late, then by the order of the profiles."""
    return one.representative.size, one.representative.history, one.lane, one.key.bucket


def findings(spark: SparkSession, campaign: Campaign) -> DataFrame:
    """The rows of the table, each representative shrunk."""
    wanted = wanted_of(campaign)
    lanes = {one.lane: campaign.lanes[one.lane] for one in wanted}
    work = Shrinking(lanes, wanted, campaign.spec.shrink_tries if campaign.spec.shrink else 0)
    numbers = spark.range(0, len(wanted), 1, max(1, len(wanted)))
    return numbers.mapInArrow(partial(shrink_all, work), FINDINGS.ddl)


def shrink_all(work: Shrinking, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The findings in the input, shrunk; for `mapInArrow`."""
    import pyarrow as pa

    schema = pa.schema(list(arrow_struct(FINDINGS)))
    for batch in batches:
        rows = [_row(work, work.wanted[number]) for number in batch.column(0).to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema)


class OneKind:
    """A driver that sees only one class of input and one kind of violation."""

    def __init__(self, driver: Driver[Any], key: Key) -> None:
        self._driver = driver
        self._key = key
        self.shrink_candidates, self.restarts = driver.shrink_candidates, driver.restarts
        self.size, self.form = driver.size, driver.form

    def examine(self, case: Any, subject: Subject) -> Examination:
        """The examination of the case, without other violations."""
        seen = self._driver.examine(case, subject)
        mine = [v for v in seen.violations if bucket_of(v) == self._key.bucket]
        if self._key.input == CONTRADICTORY and not all(v.contradictory for v in mine):
            mine = []
        return replace(seen, violations=mine)


def _row(work: Shrinking, wanted: WantedFinding) -> dict[str, Any]:
    lane, key, index = work.lanes[wanted.lane], wanted.key, wanted.representative.history
    with open_bench(lane.job) as bench:
        smallest, kind = _shrunk(bench, wanted, work.tries)
    return {
        "identity": identity_of(lane.target, key, kind),
        "target": lane.target,
        "profile": lane.profile,
        "claim": key.claim,
        "input": key.input,
        "kind": kind,
        "failed": wanted.representative.failed,
        "others": wanted.others,
        "index": index,
        "seed": derive_seed(lane.job.options.seed, index),
        "members": smallest.members,
        "partitions": smallest.partitions,
        "events": smallest.events,
        "message": storable(smallest.message),
        "trace": json_text(smallest.trace.to_json()),
    }


def _shrunk(bench: Bench, wanted: WantedFinding, tries_max: int) -> tuple[Any, str]:
    """The representative as a minimal counterexample, and its kind of violation."""
    key, index = wanted.key, wanted.representative.history
    claim = promise(key.claim, bench.job.target.kind)
    driver, case = OneKind(bench.driver, key), bench.job.case(index)
    counts = bench.driver.counts(case)
    tries = min(tries_max, UNITS_MAX // max(1, counts["members"] * 4 + counts["partitions"]))
    least = smallest_case(bench, driver, claim, case, seconds=SHRINK_SECONDS, tries=tries)
    smallest = counterexample(bench, claim, least, contradictory=key.input == CONTRADICTORY, index=index)
    return smallest, kind_of(least.play.violations[0]) if least.play else storable(smallest.message)


def identity_of(target: str, key: Key, kind: str) -> str:
    """The identity of a finding."""
    return blake2b("\x1f".join((target, key.claim, key.input, kind)).encode(), digest_size=8).hexdigest()
