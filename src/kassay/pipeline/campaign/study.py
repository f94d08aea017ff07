"""Results of a campaign: verdicts, findings and situations reached, and the study tables by Spark SQL.

Verdicts and counts are summed here from the receipts; queries that need one row per history are SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.runs.verdicts import ClaimCount, Tally, reached_by_id, verdict_of
from kassay.pipeline.campaign import tables
from kassay.pipeline.campaign.lanes import Lane
from kassay.pipeline.campaign.records import Campaign
from kassay.pipeline.campaign.shrinking import findings
from kassay.pipeline.campaign.spec import Spec
from kassay.pipeline.campaign.watching import PARTS
from kassay.pipeline.spark import translated_errors
from kassay.pipeline.tables import Table
from kassay.writing.text import storable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA: Final = "kassay/campaign-report/2"
ALL: Final = "*"
"""The profile of a row over all profiles."""

STUDIES: Final[dict[str, str]] = {
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
        SELECT profile, count(*) AS tasks, sum(work_s) AS seconds,
          percentile(work_s, 0.5) AS p50_s, percentile(work_s, 0.9) AS p90_s,
          percentile(work_s, 0.99) AS p99_s, max(work_s) AS max_s,
          max(work_s) / percentile(work_s, 0.5) AS max_to_median,
          max(peak_kib) AS peak_kib, max(attempt) AS attempts
        FROM timings GROUP BY profile ORDER BY profile""",
    "task_times_by_batch": """
        SELECT batch, sum(histories) AS histories, count(*) AS tasks, sum(work_s) AS seconds,
          percentile(work_s, 0.5) AS p50_s, percentile(work_s, 0.9) AS p90_s,
          max(work_s) AS max_s, max(work_s) / sum(work_s) AS longest_share
        FROM timings GROUP BY batch ORDER BY batch""",
}
"""The study tables as queries over the campaign's tables; those of task times are not deterministic."""
GAP_STUDIES: Final[dict[str, str]] = {
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
        SELECT target, profile, history, CAST(seed AS STRING) AS seed, members, partitions, balance_worst,
          spread_worst, movement_worst, rack_worst FROM (
          SELECT *, row_number() OVER (PARTITION BY target, profile ORDER BY balance_worst DESC,
            movement_worst DESC, rack_worst DESC, members, partitions, history) AS place
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
}
"""The study tables of a campaign that measures the distance to the optimum."""


@dataclass(frozen=True)
class CampaignOutcome:
    """The results of a campaign so far: its small tables as rows, its cost, and its exit code."""

    verdicts: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    reached: list[dict[str, Any]]
    studies: dict[str, list[dict[str, Any]]]
    totals: dict[str, Any]

    @property
    def exit_code(self) -> int:
        """Over all profiles: 1 for a violated claim, 3 for an unknown one or missing histories, else 0."""
        verdicts = {row["verdict"] for row in self.verdicts if row["profile"] == ALL}
        if "violated" in verdicts:
            return 1
        return 0 if verdicts == {"holds"} and self.is_complete else 3

    @property
    def is_complete(self) -> bool:
        """Whether all histories of the campaign were played."""
        return bool(self.totals["histories"] == self.totals["of"])

    def to_json(self, spec: Spec) -> dict[str, Any]:
        """The outcome of the spec's campaign as JSON; without the traces, which stay in the table."""
        return {
            "schema": SCHEMA,
            "spec": spec.to_json(),
            "histories": self.totals["histories"],
            "complete": self.is_complete,
            "totals": self.totals,
            "verdicts": self.verdicts,
            "findings": [{k: v for k, v in row.items() if k != "trace"} for row in self.findings],
            "studies": self.studies,
        }


def finish(spark: SparkSession, campaign: Campaign) -> CampaignOutcome:
    """Write the tables derived from the receipts, and return them; may be repeated, also before the end."""
    with translated_errors(campaign.store.place):
        tallies = _tallies(campaign)
        verdicts, reached = list(_verdicts(campaign, tallies)), list(_reached(campaign, tallies))
        finding_rows = findings(spark, campaign, _unbroken(verdicts))
        verdicts = [_shown(row, finding_rows) for row in verdicts]
        batches = list(_batches(campaign))
        for table, rows in (
            (tables.VERDICTS, verdicts),
            (tables.REACHED, reached),
            (tables.TIMINGS, list(_timings(campaign))),
            (tables.BATCHES, batches),
        ):
            _write(campaign, table, _frame(spark, table, rows).coalesce(1))
        campaign.publish({tables.FINDINGS.name: _files(spark, campaign)})
        return CampaignOutcome(
            verdicts, finding_rows, reached, studies(spark, campaign), totals(campaign, batches)
        )


def _unbroken(verdicts: list[dict[str, Any]]) -> dict[str, frozenset[str]]:
    """The claims of each target that no history broke."""
    return {
        target: frozenset(
            row["claim"] for row in rows if row["profile"] == ALL and row["verdict"] != "violated"
        )
        for target, rows in groupby(verdicts, itemgetter("target"))
    }


def _shown(verdict: dict[str, Any], finding_rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The verdict; violated if the shrunk history of another claim breaks the claim."""
    for row in finding_rows:
        if (
            row["broken_by"]
            and (row["target"], row["claim"]) == (verdict["target"], verdict["claim"])
            and verdict["profile"] in (ALL, row["profile"])
        ):
            nothing = f"not in the {verdict['histories']:,} histories played"
            why = f"broken by the counterexample to {row['broken_by']}, {nothing}"
            return {**verdict, "verdict": "violated", "why": why}
    return verdict


def studies(spark: SparkSession, campaign: Campaign) -> dict[str, list[dict[str, Any]]]:
    """The study tables, written under `study/` and returned as rows; those about gaps may be empty."""
    for table in (tables.RUNS, tables.GAPS, tables.TIMINGS, tables.VERDICTS):
        campaign.table(spark, table).createOrReplaceTempView(table.name)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in GAP_STUDIES}
    for name, query in {**STUDIES, **(GAP_STUDIES if campaign.spec.gap else {})}.items():
        frame = spark.sql(query)
        rows[name] = _rows(frame)
        again = spark.createDataFrame([tuple(row.values()) for row in rows[name]], frame.schema)
        written = again.coalesce(1).write.format(campaign.format).mode("overwrite")
        written.option("overwriteSchema", "true").save(campaign.store.address(f"study/{name}"))
    return rows


def totals(campaign: Campaign, batches: list[dict[str, Any]]) -> dict[str, Any]:
    """The cost of the campaign over all runs: times in seconds, memory in KiB, None if unknown.

    `idle_share`: the share of the slots' time without a history playing: Spark's overhead, and the wait for
    the last task of each batch.
    """
    elapsed, work = (sum(row[name] for row in batches) for name in ("elapsed_s", "work_s"))
    offered = sum(row["elapsed_s"] * row["slots"] for row in batches)
    peaks = {
        part: max((row[f"{part}_kib"] for row in batches if row[f"{part}_kib"] is not None), default=None)
        for part in PARTS
    }
    return {
        "histories": campaign.histories_done,
        "of": campaign.histories,
        "batches": len(batches),
        "tasks": sum(row["tasks"] for row in batches),
        "elapsed_s": round(elapsed, 3),
        "work_s": round(work, 3),
        "histories_per_s": round(campaign.histories_done / elapsed, 1) if elapsed else 0.0,
        "idle_share": round(max(0.0, 1 - work / offered), 4) if offered else 0.0,
        "peak_kib": peaks,
    }


def _batches(campaign: Campaign) -> Iterator[dict[str, Any]]:
    for number, receipt in campaign.done.items():
        seconds = [task["nanoseconds"] / 1e9 for task in receipt["tasks"]]
        yield {
            "batch": number,
            "histories": campaign.histories_of(number),
            "tasks": len(seconds),
            "slots": receipt["slots"],
            "elapsed_s": receipt["elapsed_s"],
            "work_s": sum(seconds),
            "median_s": median(seconds),
            "longest_s": max(seconds),
            **{f"{part}_kib": receipt["peak_kib"].get(part) for part in PARTS},
        }


def _timings(campaign: Campaign) -> Iterator[dict[str, Any]]:
    for number, receipt in campaign.done.items():
        for task in receipt["tasks"]:
            lane = campaign.lanes[task["lane"]]
            yield {
                **task,
                "target": lane.target,
                "profile": lane.profile,
                "batch": number,
                "first_history": task["start"],
                "histories": task["stop"] - task["start"],
                "work_s": task["nanoseconds"] / 1e9,
            }


def _rows(frame: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict() for row in frame.collect()]


def _frame(spark: SparkSession, table: Table, rows: list[dict[str, Any]]) -> DataFrame:
    return spark.createDataFrame([tuple(row[name] for name in table.names) for row in rows], table.ddl)


def _write(campaign: Campaign, table: Table, frame: DataFrame) -> None:
    frame.write.format(campaign.format).mode("overwrite").save(campaign.address(table))


def _files(spark: SparkSession, campaign: Campaign) -> list[str]:
    """The files of the table of findings, for readers without Spark."""
    paths = campaign.table(spark, tables.FINDINGS).inputFiles()
    return [f"tables/{tables.FINDINGS.name}/{path.rpartition('/')[2]}" for path in paths]


def _tallies(campaign: Campaign) -> dict[tuple[str, str], Tally]:
    """The tally of each target, by profile and over all profiles."""
    tallies: dict[tuple[str, str], Tally] = {}
    for lane, sums in campaign.sums.items():
        for profile in (campaign.lanes[lane].profile, ALL):
            tallies.setdefault((campaign.lanes[lane].target, profile), Tally()).add(sums.tally)
    return tallies


def _by_target(campaign: Campaign) -> dict[str, list[Lane]]:
    # the lanes of a target are adjacent
    return {target: list(lanes) for target, lanes in groupby(campaign.lanes, attrgetter("target"))}


def _verdicts(campaign: Campaign, tallies: dict[tuple[str, str], Tally]) -> Iterator[dict[str, Any]]:
    for target, lanes in _by_target(campaign).items():
        job = lanes[0].job
        for profile in (*(lane.profile for lane in lanes), ALL):
            tally = tallies[target, profile]
            for claim in job.claims:
                verdict, why = verdict_of(claim, job.target.kind, tally, job.ruled_out)
                count = tally.counts.get(claim.id, ClaimCount())
                yield {
                    "target": target,
                    "profile": profile,
                    "claim": claim.id,
                    "verdict": verdict.value,
                    "why": storable(why),
                    "checked": count.checked,
                    "failed": count.failed,
                    "contradictory": count.contradictory,
                    "histories": tally.histories,
                }


def _reached(campaign: Campaign, tallies: dict[tuple[str, str], Tally]) -> Iterator[dict[str, Any]]:
    for target, lanes in _by_target(campaign).items():
        for profile in (*(lane.profile for lane in lanes), ALL):
            job = lanes[0].job
            tally, traits = tallies[target, profile], job.target.traits
            counts = reached_by_id(job.target.kind, tally, job.claims, traits)
            for situation, times in counts.items():
                yield {"target": target, "profile": profile, "situation": situation, "times": times}
