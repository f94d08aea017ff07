"""Findings: the representative history of each violation, shrunk by Spark tasks.

Two findings are the same if target, claim, class of input and kind of violation agree. The history of
the smallest size, then of the lowest index, represents it. Shrinking preserves class and kind, so that
the reported violation is the one found. A shrunk history is also checked against the claims that no history
broke: what it breaks is a finding too. The table is kept while it is that of these representatives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.engines.runs.blocks import Bench, open_bench
from kassay.engines.runs.certificate import Counterexample
from kassay.engines.runs.counterexamples import ShrunkCase, counterexample, smallest_case
from kassay.kinds.judging import Examination, Subject
from kassay.kinds.protocol import Driver
from kassay.model.errors import InputError
from kassay.pipeline.campaign.kinds import Names, bucket_of, kind_of
from kassay.pipeline.campaign.lanes import Lane, digests
from kassay.pipeline.campaign.records import (
    CONTRADICTORY,
    FOLDER,
    ORDINARY,
    Campaign,
    Key,
    Smallest,
)
from kassay.pipeline.campaign.tables import FINDINGS
from kassay.pipeline.tables import arrow_struct, signed, summary
from kassay.pipeline.workers import TargetFile, as_on_driver, on_workers, own_code, sources_of
from kassay.properties.claims import parse_claim
from kassay.properties.sources import derive_seed
from kassay.writing.files import json_text
from kassay.writing.text import storable

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession

KINDS_MAX: Final = 8
"""Kinds of violation reported per target, claim and class of input: the smallest ones."""
SHRINK_SECONDS: Final = 120.0
"""Last resort for a target with very slow calls; ordinary findings take far less."""
UNITS_MAX: Final = 200_000
"""Tries times members and partitions: large histories get fewer tries, on any machine."""
RECEIPT: Final = f"{FOLDER}/findings.json"
"""What the table of findings was made from, and its rows and hash."""

Unbroken = Mapping[str, frozenset[str]]
"""The claims of each target that no history broke."""


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
    files: Mapping[str, TargetFile]
    wanted: tuple[WantedFinding, ...]
    tries: int
    unbroken: Unbroken


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


def findings(spark: SparkSession, campaign: Campaign, unbroken: Unbroken) -> list[dict[str, Any]]:
    """The rows of the table, in order; shrunk and written unless the table is that of these findings."""
    wanted = wanted_of(campaign)
    tries = campaign.spec.shrink_tries if campaign.spec.shrink else 0
    made_from = _made_from(campaign, wanted, tries, unbroken)
    rows = _kept(spark, campaign, made_from)
    if rows is None:
        lanes = {one.lane: campaign.lanes[one.lane] for one in wanted}
        files = sources_of(lane.job.target for lane in lanes.values())
        work = Shrinking(lanes, files, wanted, tries, unbroken)
        numbers = spark.range(0, len(wanted), 1, max(1, len(wanted)))
        shrunk = numbers.mapInArrow(on_workers(partial(shrink_all, work)), FINDINGS.ddl)
        rows = _without_repeats([row.asDict() for row in shrunk.collect()])
        frame = spark.createDataFrame(
            [tuple(row[name] for name in FINDINGS.names) for row in rows], FINDINGS.ddl
        )
        writer = frame.coalesce(1).write.format(campaign.format).mode("overwrite")
        writer.save(campaign.address(FINDINGS))
        stored = summary(campaign.table(spark, FINDINGS), FINDINGS.names)
        campaign.store.write(RECEIPT, {"made_from": made_from, "table": stored})
    return sorted(
        rows, key=lambda row: (row["target"], row["claim"], row["input"], row["history"], row["kind"])
    )


def _made_from(campaign: Campaign, wanted: tuple[WantedFinding, ...], tries: int, unbroken: Unbroken) -> str:
    """A digest of all that the table follows from."""
    unbroken_claims = {target: sorted(claims) for target, claims in sorted(unbroken.items())}
    text = json_text(
        [wanted, tries, unbroken_claims, own_code(), dict(digests(campaign.lanes))], sort_keys=True
    )
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _kept(spark: SparkSession, campaign: Campaign, made_from: str) -> list[dict[str, Any]] | None:
    """The rows of the table; None if it is not that of these findings, or not what was written."""
    try:
        receipt = campaign.store.read(RECEIPT) or {}
    except InputError:
        return None
    if receipt.get("made_from") != made_from:
        return None
    try:
        table = campaign.table(spark, FINDINGS)
        if summary(table, FINDINGS.names) != receipt.get("table"):
            return None
        return [row.asDict() for row in table.collect()]
    except Exception:  # Spark's errors have no common class; what cannot be read is made again
        return None


def _without_repeats(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows; of those that show by another's counterexample that a claim breaks, the smallest."""
    least: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        if row["broken_by"]:
            place = row["target"], row["claim"]
            least[place] = min(least.get(place, row), row, key=_shown_rank)
    return [row for row in rows if not row["broken_by"]] + list(least.values())


def _shown_rank(row: Mapping[str, Any]) -> tuple[Any, ...]:
    names = ("members", "partitions", "events", "history", "profile", "broken_by", "kind")
    return (row["input"] == CONTRADICTORY, *(row[name] for name in names))


def shrink_all(work: Shrinking, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The findings in the input, shrunk; for `mapInArrow`."""
    import pyarrow as pa

    schema = pa.schema(list(arrow_struct(FINDINGS)))
    for batch in batches:
        rows = [row for number in batch.column(0).to_pylist() for row in rows_of(work, work.wanted[number])]
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
        names = Names.of(self._driver, case)
        mine = [v for v in seen.violations if bucket_of(v, names) == self._key.bucket]
        if self._key.input == CONTRADICTORY and not all(v.contradictory for v in mine):
            mine = []
        return replace(seen, violations=mine)


def rows_of(work: Shrinking, wanted: WantedFinding) -> Iterator[dict[str, Any]]:
    """The finding's row, and one for each claim that no history broke and its shrunk history breaks."""
    lane, index = work.lanes[wanted.lane], wanted.representative.history
    with open_bench(as_on_driver(lane.job, work.files)) as bench:
        case = bench.job.case(index)
        least = _shrunk(bench, wanted.key, case, work.tries)
        yield _row(bench, lane, wanted, least, index, "")
        left, waiting = set(work.unbroken.get(lane.target, ())), [(wanted.key.claim, least)]
        while waiting and left:
            by, shown = waiting.pop()
            for key in _broken_besides(bench, shown.case, left):
                left.discard(key.claim)
                least = _shrunk(bench, key, shown.case, work.tries)
                also = WantedFinding(wanted.lane, key, wanted.representative._replace(failed=0), 0)
                yield _row(bench, lane, also, least, None, by)
                waiting.append((key.claim, least))


def _broken_besides(bench: Bench, case: Any, claims: set[str]) -> list[Key]:
    """Of these claims those that the case violates, each with a class of input and a kind: ordinary first."""
    keys: dict[str, tuple[bool, str]] = {}
    names = Names.of(bench.driver, case)
    for violation in bench.driver.examine(case, bench.subject).violations:
        if violation.claim in claims:
            shown = violation.contradictory, bucket_of(violation, names)
            keys[violation.claim] = min(keys.get(violation.claim, shown), shown)
    return [
        Key(claim, CONTRADICTORY if contradictory else ORDINARY, bucket)
        for claim, (contradictory, bucket) in sorted(keys.items())
    ]


def _row(
    bench: Bench, lane: Lane, wanted: WantedFinding, least: ShrunkCase, index: int | None, by: str
) -> dict[str, Any]:
    key, history = wanted.key, wanted.representative.history
    claim = parse_claim(key.claim, lane.job.target.kind)
    smallest: Counterexample = counterexample(
        bench, claim, least, contradictory=key.input == CONTRADICTORY, index=index
    )
    kind = storable(smallest.message)
    if least.play:
        kind = kind_of(least.play.violations[0], Names.of(bench.driver, least.case))
    return {
        "identity": identity_of(lane.target, key, kind),
        "target": lane.target,
        "profile": lane.profile,
        "claim": key.claim,
        "input": key.input,
        "kind": kind,
        "failed": wanted.representative.failed,
        "others": wanted.others,
        "broken_by": by,
        "history": history,
        "seed": signed(derive_seed(lane.job.options.seed, history)),
        "members": smallest.members,
        "partitions": smallest.partitions,
        "events": smallest.events,
        "message": storable(smallest.message),
        "trace": json_text(smallest.trace.to_json()),
    }


def _shrunk(bench: Bench, key: Key, case: Any, tries_max: int) -> ShrunkCase:
    """The case, shrunk, with a play that violates the claim in this class and kind."""
    claim, counts = parse_claim(key.claim, bench.job.target.kind), bench.driver.counts(case)
    tries = min(tries_max, UNITS_MAX // max(1, counts["members"] * 4 + counts["partitions"]))
    return smallest_case(bench, OneKind(bench.driver, key), claim, case, seconds=SHRINK_SECONDS, tries=tries)


def identity_of(target: str, key: Key, kind: str) -> str:
    """The identity of a finding."""
    return blake2b("\x1f".join((target, key.claim, key.input, kind)).encode(), digest_size=8).hexdigest()
