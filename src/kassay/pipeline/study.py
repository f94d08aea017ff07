"""What a complete campaign comes to: verdicts, findings, and the study tables, by Spark SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from kassay.certify.blocks import open_bench
from kassay.certify.examine import Count, Tally
from kassay.certify.run import counterexample
from kassay.certify.shrink import broken, shrink
from kassay.certify.verdicts import reached_by_id, verdict_of
from kassay.pipeline.campaign import Campaign
from kassay.pipeline.lanes import Lane
from kassay.pipeline.schemas import (
    CANDIDATES,
    FINDINGS,
    GAPS,
    REACHED,
    RUNS,
    SEEN,
    TALLIES,
    TIMINGS,
    VERDICTS,
    Table,
    arrow_struct,
)
from kassay.pipeline.session import told
from kassay.properties.registry import promise
from kassay.properties.sources import derive_seed

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

ALL: Final = "*"
"""The profile of a row over all profiles."""
SHRINK_SECONDS: Final = 120.0
"""The last resort for a target whose calls take very long; ordinary findings never come near it."""
UNITS_MAX: Final = 200_000
"""Tries times members and partitions: large histories are shrunk with fewer tries, on any machine."""

STUDIES: Final[dict[str, str]] = {
    "gap_by_profile": """
        SELECT target, profile, sum(outcomes) AS instances, sum(invalid) AS invalid,
          sum(unbalanced) / greatest(sum(outcomes), 1) AS unbalanced_share,
          sum(balance) / greatest(sum(outcomes), 1) AS balance_mean,
          percentile(balance_worst, 0.5) AS balance_p50, percentile(balance_worst, 0.99) AS balance_p99,
          max(balance_worst) AS balance_max, max(spread_worst) AS spread_max,
          sum(moved) AS moved, sum(moved_least) AS moved_least,
          sum(movement) / greatest(sum(outcomes) - sum(unbalanced), 1) AS movement_mean,
          percentile(movement_worst, 0.99) AS movement_p99, max(movement_worst) AS movement_max,
          sum(rack) / greatest(sum(outcomes) - sum(unbalanced), 1) AS rack_mean, max(rack_worst) AS rack_max
        FROM gaps GROUP BY target, profile ORDER BY target, profile""",
    "gap_by_size": """
        SELECT target, equal, members, count(*) AS histories, sum(outcomes) AS instances,
          sum(balance) / greatest(sum(outcomes), 1) AS balance_mean, max(balance_worst) AS balance_max,
          sum(movement) / greatest(sum(outcomes) - sum(unbalanced), 1) AS movement_mean,
          max(movement_worst) AS movement_max
        FROM gaps WHERE outcomes > 0 GROUP BY target, equal, members ORDER BY target, equal, members""",
    "worst_cases": """
        SELECT target, profile, index, CAST(seed AS STRING) AS seed, members, partitions, balance_worst,
          spread_worst, movement_worst, rack_worst FROM (
          SELECT *, row_number() OVER (PARTITION BY target, profile ORDER BY balance_worst DESC,
            movement_worst DESC, rack_worst DESC, members, partitions, index) AS place
          FROM gaps WHERE balance_worst > 0 OR movement_worst > 0 OR rack_worst > 0)
        WHERE place = 1 ORDER BY target, profile""",
    "convergence": """
        SELECT target, profile, rounds, count(*) AS changes FROM (
          SELECT target, profile, explode(rounds) AS rounds FROM gaps)
        GROUP BY target, profile, rounds
        UNION ALL
        SELECT target, profile, -1 AS rounds, sum(unsettled) AS changes FROM gaps
        GROUP BY target, profile HAVING sum(unsettled) > 0
        ORDER BY target, profile, rounds""",
    "leaderboard": """
        WITH v AS (
          SELECT target, sum(int(verdict = 'holds')) AS holds, sum(int(verdict = 'violated')) AS violated,
            sum(int(verdict = 'unknown')) AS unknown
          FROM verdicts WHERE profile = '*' GROUP BY target),
        g AS (
          SELECT target, sum(outcomes) AS instances,
            sum(balance) / greatest(sum(outcomes), 1) AS balance_mean,
            sum(unbalanced) / greatest(sum(outcomes), 1) AS unbalanced_share,
            sum(movement) / greatest(sum(outcomes) - sum(unbalanced), 1) AS movement_mean,
            avg(aggregate(rounds, 0, (a, b) -> a + b) / greatest(size(rounds), 1)) AS rounds_mean
          FROM gaps GROUP BY target),
        b AS (
          SELECT target, count(*) AS histories, avg(int(size(broken) > 0)) AS broken_share
          FROM runs GROUP BY target)
        SELECT b.target, b.histories, coalesce(v.holds, 0) AS holds, coalesce(v.violated, 0) AS violated,
          coalesce(v.unknown, 0) AS unknown, b.broken_share, g.instances, g.unbalanced_share, g.balance_mean,
          g.movement_mean, g.rounds_mean
        FROM b LEFT JOIN v ON b.target = v.target LEFT JOIN g ON b.target = g.target
        ORDER BY violated, unbalanced_share, movement_mean, b.target""",
    "task_times": """
        SELECT profile, count(*) AS tasks, sum(nanoseconds) / 1e9 AS seconds,
          percentile(nanoseconds, 0.5) / 1e9 AS p50_s, percentile(nanoseconds, 0.9) / 1e9 AS p90_s,
          percentile(nanoseconds, 0.99) / 1e9 AS p99_s, max(nanoseconds) / 1e9 AS max_s,
          max(peak_kib) AS peak_kib, max(attempt) AS attempts
        FROM timings GROUP BY profile ORDER BY profile""",
}
"""The study tables by name: queries over the campaign's tables; `task_times` alone is not deterministic."""


@dataclass(frozen=True)
class Outcome:
    """A finished campaign: its small tables as rows, and what it exits with."""

    verdicts: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    reached: list[dict[str, Any]]
    studies: dict[str, list[dict[str, Any]]]

    @property
    def exit_code(self) -> int:
        """1 if a claim is violated, 3 if one is unknown over all profiles, else 0."""
        found = {row["verdict"] for row in self.verdicts if row["profile"] == ALL}
        return 1 if "violated" in found else 3 if "unknown" in found else 0


def finish(spark: SparkSession, campaign: Campaign) -> Outcome:
    """Write the tables that need every batch, and return them; safe to do again."""
    with told(campaign.store.place):
        tallies = _tallies(spark, campaign)
        verdicts = list(_verdicts(campaign, tallies))
        reached = list(_reached(campaign, tallies))
        _write(spark, campaign, VERDICTS, verdicts)
        _write(spark, campaign, REACHED, reached)
        _findings(spark, campaign)
        findings = _rows(campaign.table(spark, FINDINGS).orderBy("target", "claim", "input"))
        return Outcome(verdicts, findings, reached, studies(spark, campaign))


def studies(spark: SparkSession, campaign: Campaign) -> dict[str, list[dict[str, Any]]]:
    """The study tables, written under `study/` and as rows."""
    for table in (RUNS, GAPS, TIMINGS, VERDICTS):
        campaign.table(spark, table).createOrReplaceTempView(table.name)
    made = {}
    for name, query in STUDIES.items():
        frame = spark.sql(query).coalesce(1)
        place = campaign.store.address(f"study/{name}")
        frame.write.mode("overwrite").parquet(place)
        made[name] = _rows(spark.read.parquet(place))
    return made


def _rows(frame: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict() for row in frame.collect()]


def _write(spark: SparkSession, campaign: Campaign, table: Table, rows: list[dict[str, Any]]) -> None:
    values = [tuple(row[name] for name in table.names) for row in rows]
    frame = spark.createDataFrame(values, table.ddl).coalesce(1)
    frame.write.mode("overwrite").parquet(campaign.store.address(f"tables/{table.name}"))


def _tallies(spark: SparkSession, campaign: Campaign) -> dict[tuple[str, str], Tally]:
    """What each target showed, by profile and over all profiles."""
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    found: dict[tuple[str, str], Tally] = {}
    for lane in campaign.lanes:
        for profile in (lane.profile, ALL):
            found.setdefault((lane.target, profile), Tally()).histories += lane.histories
    counted = campaign.table(spark, TALLIES).groupBy("target", "profile", "claim")
    for row in counted.agg(*(F.sum(c).alias(c) for c in ("checked", "failed", "contradictory"))).collect():
        for profile in (row.profile, ALL):
            count = Count(row.checked, row.failed, row.contradictory)
            found[row.target, profile].counts.setdefault(row.claim, Count()).add(count)
    for row in (
        campaign.table(spark, SEEN)
        .groupBy("target", "profile", "situation")
        .agg(F.sum("times").alias("times"))
    ).collect():
        for profile in (row.profile, ALL):
            reached = found[row.target, profile].reached
            reached[row.situation] = reached.get(row.situation, 0) + row.times
    return found


def _by_target(campaign: Campaign) -> dict[str, list[Lane]]:
    found: dict[str, list[Lane]] = {}
    for lane in campaign.lanes:
        found.setdefault(lane.target, []).append(lane)
    return found


def _verdicts(campaign: Campaign, tallies: dict[tuple[str, str], Tally]) -> Iterator[dict[str, Any]]:
    for target, lanes in _by_target(campaign).items():
        job = lanes[0].job
        for profile in (*(lane.profile for lane in lanes), ALL):
            tally = tallies[target, profile]
            for found in job.promises:
                verdict, why = verdict_of(found, job.target.kind, tally, job.assume)
                count = tally.counts.get(found.id, Count())
                yield {
                    "target": target,
                    "profile": profile,
                    "claim": found.id,
                    "verdict": verdict.value,
                    "why": why,
                    "checked": count.checked,
                    "failed": count.failed,
                    "contradictory": count.contradictory,
                    "histories": tally.histories,
                }


def _reached(campaign: Campaign, tallies: dict[tuple[str, str], Tally]) -> Iterator[dict[str, Any]]:
    for target, lanes in _by_target(campaign).items():
        for profile in (*(lane.profile for lane in lanes), ALL):
            counts = reached_by_id(lanes[0].job.target.kind, tallies[target, profile])
            for situation, times in counts.items():
                yield {"target": target, "profile": profile, "situation": situation, "times": times}


@dataclass(frozen=True)
class Shrinking:
    """The findings as they travel to the workers: row i of the input stands for wanted i."""

    lanes: dict[tuple[str, str], Lane]
    wanted: tuple[dict[str, Any], ...]
    tries: int


def _findings(spark: SparkSession, campaign: Campaign) -> None:
    """Make each finding's representative small and write the table."""
    lanes = {(lane.target, lane.profile): lane for lane in campaign.lanes}
    order = {lane.profile: lane.number for lane in reversed(campaign.lanes)}
    best: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in _rows(campaign.table(spark, CANDIDATES)):
        key = row["target"], row["claim"], row["input"]
        seen = best.get(key)
        rank = row["size"], row["index"], order[row["profile"]]
        failed = row["failed"] + (seen["failed"] if seen else 0)
        if seen is None or rank < seen["rank"]:
            seen = best[key] = {**row, "rank": rank}
        seen["failed"] = failed
    wanted = tuple(best[key] for key in sorted(best))
    place = campaign.store.address(f"tables/{FINDINGS.name}")
    if not wanted:
        spark.createDataFrame([], FINDINGS.ddl).coalesce(1).write.mode("overwrite").parquet(place)
        return
    tries = campaign.spec.shrink_tries if campaign.spec.shrink else 0
    work = Shrinking(lanes, wanted, tries)
    numbers = spark.range(0, len(wanted), 1, len(wanted))
    made = numbers.mapInArrow(partial(shrink_all, work), FINDINGS.ddl)
    made.write.mode("overwrite").parquet(place)


def shrink_all(work: Shrinking, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The findings that the input names, made small; for `mapInArrow`."""
    import pyarrow as pa

    schema = pa.schema(list(arrow_struct(FINDINGS)))
    for batch in batches:
        rows = [_finding(work, work.wanted[number]) for number in batch.column(0).to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, schema)


def identity_of(target: str, claim: str, kind: str) -> str:
    """What makes two findings one."""
    return blake2b("\x1f".join((target, claim, kind)).encode(), digest_size=8).hexdigest()


def _finding(work: Shrinking, wanted: dict[str, Any]) -> dict[str, Any]:
    lane = work.lanes[wanted["target"], wanted["profile"]]
    job, index = lane.job, wanted["index"]
    found = promise(wanted["claim"], job.target.kind)
    with open_bench(job) as bench:
        subject = bench.with_twin() if found.claim.id == "deterministic" else bench.subject
        subject = replace(subject, promises=(found,))
        case = job.case(index)
        violations = broken(bench.driver, case, subject, found)
        tries = _tries(work.tries, bench.driver.counts(case))
        shrunk = (
            shrink(bench.driver, case, subject, found, tries, SHRINK_SECONDS)
            if violations and tries
            else None
        )
        if shrunk is not None:
            case, violations = shrunk.case, shrunk.violations
        told_ = tuple(dict.fromkeys(str(violation) for violation in violations)) or (
            f"{found.id}: broken once, but not when the same history was played again",
        )
        contradictory = wanted["input"] == "contradictory"
        made = counterexample(bench, found, case, told_, contradictory=contradictory, index=index)
    return {
        "identity": identity_of(wanted["target"], wanted["claim"], wanted["input"]),
        **{name: wanted[name] for name in ("target", "profile", "claim", "input", "failed", "index")},
        "seed": derive_seed(job.options.seed, index),
        "members": made.members,
        "partitions": made.partitions,
        "events": made.events,
        "message": made.message,
        "trace": json.dumps(made.trace.to_json(), ensure_ascii=False),
    }


def _tries(wanted: int, counts: Mapping[str, int]) -> int:
    """How many tries a history of this size may cost."""
    return min(wanted, UNITS_MAX // max(1, counts["members"] * 4 + counts["partitions"]))
