"""A campaign in Delta tables: committed batches only, each once, and the rows of the Parquet tables.

`tox run -e delta` runs this with the PySpark that Delta Lake has a connector for, and its jars from Maven.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kassay.pipeline.campaign.findings import read_findings
from kassay.pipeline.campaign.records import Campaign, create, reopen
from kassay.pipeline.campaign.runner import carry_on, verify
from kassay.pipeline.campaign.spec import Pace
from kassay.pipeline.campaign.study import finish
from kassay.pipeline.campaign.watching import CampaignProgress
from kassay.pipeline.formats import DELTA, require_format, settings_of
from kassay.pipeline.spark import CAMPAIGN_HEAP, session
from kassay.pipeline.store import Local
from tests.pipeline.campaign.campaigns import SPEC, hashes, run

JARS = os.environ.get("KASSAY_DELTA_JARS", "")
pytestmark = [
    pytest.mark.spark,
    pytest.mark.deep,  # 100 s, and by hand
    pytest.mark.skipif(not JARS, reason="KASSAY_DELTA_JARS names no folder: `tox run -e delta` sets it"),
]
FEW = replace(SPEC, histories=(("small", 24), ("shape:range-idle", 2)))
FINER = replace(FEW, pace=Pace(batch_histories=6))


@pytest.fixture(scope="module")
def delta() -> Iterator[Any]:
    jars = ",".join(map(str, sorted(Path(JARS).glob("*.jar"))))
    with session("local[2]", {**settings_of(DELTA), "spark.jars": jars}, heap=CAMPAIGN_HEAP) as spark:
        require_format(spark, DELTA)
        yield spark


class Killed(Exception):
    pass


def at_batch(number: int) -> Any:
    def stop(progress: CampaignProgress) -> None:
        if progress.batch == number:
            raise Killed

    return stop


def batches(spark: Any, place: Path) -> dict[int, int]:
    """The rows of each batch, as a reader of the Delta table sees them."""
    counted = spark.read.format("delta").load(f"file://{place}/tables/runs").groupBy("batch").count()
    return {row["batch"]: row["count"] for row in counted.collect()}


def commits(spark: Any, place: Path) -> int:
    return int(spark.sql(f"DESCRIBE HISTORY delta.`file://{place}/tables/runs`").count())


def test_killed_between_batches_and_between_commit_and_receipt(delta: Any, tmp_path: Path) -> None:
    store, place = Local(tmp_path / "delta"), tmp_path / "delta"
    with pytest.raises(Killed):
        carry_on(delta, create(FINER, store, "delta"), at_batch(1))
    sign = Campaign.sign

    def killed(*_: Any) -> None:
        raise Killed

    begun = reopen(store)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Campaign, "sign", killed)
        carry_on(delta, begun)
    assert Campaign.sign is sign
    seen, again = batches(delta, place), reopen(store)
    assert set(again.done) < set(seen), "a batch is committed that has no receipt"
    assert all(rows == again.histories_of(number) for number, rows in seen.items())
    assert verify(delta, again) == []
    carry_on(delta, again)
    assert commits(delta, place) == len(again.done), "a committed batch was committed again"
    outcome = finish(delta, again)
    parquet, parquet_outcome = run(delta, FEW, tmp_path / "parquet")
    assert hashes(delta, again) == hashes(delta, parquet)
    assert outcome.verdicts == parquet_outcome.verdicts
    assert finish(delta, reopen(store)).findings == outcome.findings
    assert read_findings(store) == read_findings(Local(tmp_path / "parquet"))
    next((place / "tables/runs/batch=0").glob("*.parquet")).unlink()
    delta.catalog.clearCache()
    repaired = reopen(store)
    assert verify(delta, repaired) == [0]
    carry_on(delta, repaired)
    assert verify(delta, repaired) == []
    assert hashes(delta, repaired) == hashes(delta, parquet)
