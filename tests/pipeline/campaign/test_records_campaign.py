"""Campaigns end to end on a real session: the same as certify says, once each, whatever happens."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kassay.engines.runs.blocks import open_bench, play_block
from kassay.model.errors import InputError
from kassay.model.trace import trace_of
from kassay.pipeline.campaign.kinds import Names, kind_of
from kassay.pipeline.campaign.records import Campaign, create, reopen
from kassay.pipeline.campaign.runner import carry_on, verify
from kassay.pipeline.campaign.spec import Pace, TargetSpec
from kassay.pipeline.campaign.study import CampaignOutcome, finish
from kassay.pipeline.campaign.tables import BATCHED, TABLES
from kassay.pipeline.campaign.watching import CampaignProgress
from kassay.pipeline.store import Local
from kassay.report.pages.campaign import render
from kassay.writing.text import visible
from tests.pipeline.campaign.campaigns import SPEC, hashes, run
from tests.report.pages.test_layout import Reader

duckdb = pytest.importorskip("duckdb", reason="the pipeline's tests have an environment of their own")

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def done(
    spark: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Campaign, CampaignOutcome, Any]]:
    campaign, outcome = run(spark, SPEC, tmp_path_factory.mktemp("campaign") / "out")
    yield campaign, outcome, hashes(spark, campaign)


def rows(campaign: Campaign, query: str, table: str = "runs") -> list[tuple[Any, ...]]:
    """A query over a table as DuckDB reads it, without Spark."""
    place = f"{campaign.store.place}/tables/{table}/**/*.parquet"
    return duckdb.sql(query.format(t=f"read_parquet('{place}', hive_partitioning=true)")).fetchall()


def test_every_history_is_there_once(done: tuple[Campaign, CampaignOutcome, Any]) -> None:
    campaign, _, _ = done
    counted = rows(
        campaign,
        "SELECT target, profile, count(*), count(DISTINCT history), max(history) FROM {t} GROUP BY ALL",
    )
    assert sorted(counted) == sorted(
        (lane.target, lane.profile, lane.histories, lane.histories, lane.histories - 1)
        for lane in campaign.lanes
    )


def test_verdicts_count_what_certify_counts(done: tuple[Campaign, CampaignOutcome, Any]) -> None:
    campaign, outcome, _ = done
    for lane in campaign.lanes:
        with open_bench(lane.job) as bench:
            tally = play_block(bench, 0, lane.histories)
        found = {
            row["claim"]: (row["checked"], row["failed"], row["contradictory"])
            for row in outcome.verdicts
            if (row["target"], row["profile"]) == (lane.target, lane.profile) and row["checked"]
        }
        assert found == {c: (n.checked, n.failed, n.contradictory) for c, n in tally.counts.items()}


def test_findings_are_the_smallest_and_replay(done: tuple[Campaign, CampaignOutcome, Any]) -> None:
    campaign, outcome, _ = done
    assert outcome.findings
    assert len({row["identity"] for row in outcome.findings}) == len(outcome.findings)
    claims = {(row["target"], row["claim"], row["input"], row["kind"]) for row in outcome.findings}
    assert len(claims) == len(outcome.findings)
    for row in outcome.findings:
        trace = trace_of(json.loads(row["trace"]), "finding")
        assert (trace.claim, trace.index, trace.seed) == (row["claim"], row["history"], SPEC.seed)
        lane = next(x for x in campaign.lanes if (x.target, x.profile) == (row["target"], row["profile"]))
        with open_bench(lane.job) as bench:
            case = bench.driver.form.read(trace.case, "case")
            seen = bench.driver.examine(case, bench.subject)
        names = Names.of(bench.driver, case)
        assert row["kind"] in {kind_of(v, names) for v in seen.violations if v.claim == row["claim"]}
        assert row["message"] in {str(v) for v in seen.violations}
    assert outcome.exit_code == 1


def test_gaps_are_never_negative_and_the_optimum_has_none(spark: Any, tmp_path: Path) -> None:
    spec = replace(SPEC, targets=(TargetSpec("optimal-sticky"), TargetSpec("range")), claims=("complete",))
    campaign, outcome = run(spark, spec, tmp_path)
    worst = "SELECT target, min(balance), max(balance), min(movement), max(movement) FROM {t} GROUP BY ALL"
    found = {target: figures for target, *figures in rows(campaign, worst, "gaps")}
    assert found["optimal-sticky"] == [0, 0, 0, 0]
    assert found["range"][0] == 0 < found["range"][1]
    assert found["range"][2] == 0
    assert outcome.studies["leaderboard"][0]["target"] == "optimal-sticky"


class Killed(Exception):
    pass


def test_cut_short_and_damaged_it_comes_to_the_same(
    spark: Any, tmp_path: Path, done: tuple[Campaign, CampaignOutcome, Any]
) -> None:
    spec, store = replace(SPEC, pace=Pace(batch_histories=14)), Local(tmp_path)

    def stop(progress: CampaignProgress) -> None:
        if progress.batch == 3:
            raise Killed

    with pytest.raises(Killed):
        carry_on(spark, create(spec, store), stop)
    begun = reopen(store)
    assert sorted(begun.done)[:4] == [0, 1, 2, 3]  # the one after them, which ran too, may have ended
    # Batch 1 loses its receipt, batch 0 a file; in batch 2 a page is changed, and somebody else's file,
    # which no receipt has, changes nothing; in the receipt of batch 3 a count is changed.
    store.remove("batches/000001.done.json")
    next((tmp_path / "tables/runs/batch=0").glob("*.parquet")).unlink()
    damaged = next((tmp_path / "tables/gaps/batch=2").glob("*.parquet"))
    data = bytearray(damaged.read_bytes())
    data[40:140] = bytes(byte ^ 0xFF for byte in data[40:140])  # the first pages; the end has the footer
    damaged.write_bytes(data)
    (damaged.parent / f".{damaged.name}.crc").unlink(missing_ok=True)
    duckdb.sql(f"COPY (SELECT 1 AS x) TO '{tmp_path}/tables/runs/batch=2/other.parquet' (FORMAT parquet)")
    receipt = tmp_path / "batches/000003.done.json"
    receipt.write_text(receipt.read_text("utf-8").replace('"histories": 14', '"histories": 13'), "utf-8")
    spark.catalog.clearCache()
    again = reopen(store)
    assert verify(spark, again) == [0, 2, 3]
    carry_on(spark, again)
    assert verify(spark, again) == []
    finish(spark, again)
    assert hashes(spark, again) == done[2]


def test_readers_follow_the_manifest_and_ignore_what_is_not_in_it(
    spark: Any, done: tuple[Campaign, CampaignOutcome, Any]
) -> None:
    """A file that a copying tool duplicated, or that a killed driver left behind, is in no receipt."""
    campaign, place = done[0], Path(done[0].store.place)
    expected = hashes(spark, campaign)
    stray = place / "tables/runs/batch=0/again.parquet"
    stray.write_bytes(next(stray.parent.glob("*.parquet")).read_bytes())
    listed = json.loads((place / "manifest.json").read_text(encoding="utf-8"))["tables"]
    assert listed.keys() == TABLES.keys()
    duckdb.sql(
        f"SET VARIABLE files = (SELECT list('{place}/' || file) FROM (SELECT unnest(tables.runs) AS file "
        f"FROM '{place}/manifest.json'))"
    )
    found = duckdb.sql("SELECT count(*) FROM read_parquet(getvariable('files'))").fetchall()
    assert found == [(campaign.histories,)]
    assert hashes(spark, reopen(campaign.store)) == expected
    stray.unlink()


def test_another_campaign_and_other_peoples_files_are_refused(tmp_path: Path) -> None:
    create(SPEC, Local(tmp_path / "a"))
    with pytest.raises(InputError, match=rf"holds another campaign \(seed {SPEC.seed}, here 12\)"):
        create(replace(SPEC, seed=12), Local(tmp_path / "a"))
    with pytest.raises(InputError, match=r"\(name 'test', here 'a'; other histories\)"):
        create(replace(SPEC, name="a", histories=(("small", 1),)), Local(tmp_path / "a"))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine.parquet").touch()
    with pytest.raises(InputError, match=r"not empty \(mine.parquet\)"):
        create(SPEC, Local(tmp_path / "b"))
    with pytest.raises(InputError, match="expected the folder of a campaign"):
        reopen(Local(tmp_path / "c"))


HOSTILE = """
import os, sys
class Bad:
    def assign(self, partitions, subscriptions, *rest):
        if len(subscriptions) == 2:
            os._exit(7)
        if len(subscriptions) == 3:
            while True: pass
        print("noise"); sys.stdout.flush()
        return {m: [] for m in subscriptions}
META = {"kind": "assignor", "protocol": "eager", "claims": []}
"""


def test_a_hostile_target_costs_its_verdict_only(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(HOSTILE, encoding="utf-8")
    spec = replace(
        SPEC,
        targets=(TargetSpec(f"{file}:Bad"), TargetSpec("roundrobin")),
        histories=(("small", 12),),
        claims=None,
        gap=False,
        shrink=False,
        call_timeout_s=0.3,
    )
    _, outcome = run(spark, spec, tmp_path / "out")
    verdicts = {(r["target"], r["claim"]): r["verdict"] for r in outcome.verdicts if r["profile"] == "*"}
    assert verdicts[f"{file}:Bad", "terminates"] == "violated"
    assert verdicts["roundrobin", "terminates"] != "violated"


def page(done: tuple[Campaign, CampaignOutcome, Any]) -> str:
    campaign, outcome, _ = done
    traces = [row["trace"] for row in outcome.findings]
    return render(outcome.to_json(campaign.spec), traces, campaign.store.place)


def test_the_page_is_whole_and_names_every_finding(done: tuple[Campaign, CampaignOutcome, Any]) -> None:
    read = Reader(page(done))
    assert not read.open
    assert {"Leaderboard", "Findings", "Time of tasks"} <= set(read.texts["h2"])
    shown = "".join("".join(texts) for texts in read.texts.values())
    assert done[1].findings
    for finding in done[1].findings:
        # A message with names of 249 characters is cut.
        assert visible(finding["message"].removeprefix(f"{finding['claim']}: ")[:100]) in shown
    assert "not complete" not in page(done)


def test_the_header_says_which_columns_are_deterministic(done: tuple[Campaign, CampaignOutcome, Any]) -> None:
    header = json.loads((Path(done[0].store.place) / "campaign.json").read_text(encoding="utf-8"))
    assert header["tables"]["timings"]["columns"]["work_s"]["deterministic"] is False
    assert header["tables"]["runs"]["columns"]["members"] == {"type": "int", "deterministic": True}
    for table in TABLES.values():
        stored = rows(done[0], "DESCRIBE SELECT * FROM {t}", table.name)
        assert [row[0] for row in stored if row[0] != "batch" or not table.batched] == list(table.names)
    assert {table.name for table in BATCHED} < set(TABLES)
