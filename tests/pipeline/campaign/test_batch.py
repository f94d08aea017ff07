"""A batch goes to disk out of the pass that plays it, and two batches run at a time."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kassay.pipeline.campaign import batch as batch_module
from kassay.pipeline.campaign import runner
from kassay.pipeline.campaign.batch import batch_of
from kassay.pipeline.campaign.records import create
from kassay.pipeline.campaign.runner import carry_on
from kassay.pipeline.store import Local
from tests.pipeline.campaign.campaigns import SPEC

pytestmark = pytest.mark.spark


def test_what_was_staged_is_gone_when_the_batch_counts(spark: Any, tmp_path: Path) -> None:
    store = Local(tmp_path / "out")
    campaign = create(replace(SPEC, histories=(("small", 30),)), store)
    campaign.plan(0, [runner.next_batch(campaign.lanes, {}, {}, SPEC.pace, 2)[0]])
    batch = batch_of(campaign, 0, 2)
    receipt = batch_module.play(spark, campaign, batch)
    staged = [*(tmp_path / "out" / batch.staging).glob("*.parquet")]
    assert len(staged) == len(batch.work.chunks) == len(receipt["tasks"])
    store.discard(batch.staging)
    store.discard(batch.staging)
    assert not (tmp_path / "out" / batch.staging).exists()


def test_the_next_batch_begins_before_the_last_has_ended(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both wait for each other: one batch at a time would never end."""
    both, play = threading.Barrier(2, timeout=60), runner.play

    def meeting(spark: Any, campaign: Any, batch: Any) -> dict[str, Any]:
        if batch.number in (1, 2):
            both.wait()
        return play(spark, campaign, batch)

    monkeypatch.setattr(runner, "play", meeting)
    pace = replace(SPEC.pace, batch_histories=15)
    campaign = create(replace(SPEC, histories=(("small", 45),), pace=pace), Local(tmp_path / "out"))
    carry_on(spark, campaign)
    assert campaign.complete and sorted(campaign.done) == [0, 1, 2]
