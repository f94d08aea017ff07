"""The tables of a walk: what its receipts say, in buckets that grow, and a join that needs no memory."""

import re
from pathlib import Path
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.model.explore.values import WalkLimits
from kassay.pipeline.spark import slots
from kassay.pipeline.store import Local
from kassay.pipeline.walk.levels import carry_on
from kassay.pipeline.walk.records import LEVELS
from kassay.pipeline.walk.tables import WalkTables, buckets_for
from tests.pipeline.walk.walks import NO_LIMITS, WORLDS, journal_of, rows


@pytest.mark.parametrize(
    ("states", "at_once", "buckets"),
    [(0, 1, 2), (0, 2, 4), (0, 100, 256), (2_000_000, 2, 4), (2_000_001, 2, 8), (100_000_000, 2, 256)],
)
def test_buckets_follow_the_slots_and_twice_the_states(states: int, at_once: int, buckets: int) -> None:
    assert buckets_for(states, at_once) == buckets


@pytest.mark.spark
def test_a_folder_that_lost_states_is_not_gone_on_with(spark: Any, tmp_path: Path) -> None:
    settings = WORLDS["migration"]
    carry_on(WalkTables(spark, journal_of(settings, tmp_path)), WalkLimits(20), lambda _: None, small=0)
    receipt = Local(tmp_path).read(f"{LEVELS}/000002.json")
    assert receipt is not None
    Local(tmp_path).write(f"{LEVELS}/000002.json", receipt | {"digest": receipt["digest"] + 1})
    with pytest.raises(InputError, match="damaged: level 3 has other states than were written"):
        WalkTables(spark, journal_of(settings, tmp_path))
    next((tmp_path / "visited" / "level=3").glob("*.parquet")).unlink()
    with pytest.raises(InputError, match=r"damaged: level 3 has \d+ states, expected"):
        WalkTables(spark, journal_of(settings, tmp_path))
    assert Local(tmp_path).names("levels")


@pytest.mark.spark
def test_buckets_grow_with_the_walk_and_change_no_row(spark: Any, tmp_path: Path) -> None:
    """Nor does it matter that one process walked, or that the merged fingerprints were lost."""
    settings, folders = WORLDS["cooperative"], (tmp_path / "few", tmp_path / "many")
    few = WalkTables(spark, journal_of(settings, folders[0]))
    carry_on(few, NO_LIMITS, lambda _: None)
    for limits in (WalkLimits(90), NO_LIMITS):
        many = WalkTables(spark, journal_of(settings, folders[1]), bucket_states=20, levels_max=1)
        carry_on(many, limits, lambda _: None, small=12)
        for file in folders[1].glob("seen/*/*.parquet"):
            file.unlink()
    used = [{each.buckets for each in tables.journal.receipts} for tables in (few, many)]
    assert used == [{0}, {0, 8, 16, 32}]
    assert rows(folders[0]) == rows(folders[1])
    assert [each.digest for each in few.journal.receipts] == [each.digest for each in many.journal.receipts]
    (merged,) = folders[1].glob("seen/*")
    assert merged.name == f"{many.journal.merged.levels}-{many.journal.merged.buckets}"


@pytest.mark.spark
def test_only_reached_states_are_moved_and_sorted(spark: Any, tmp_path: Path) -> None:
    """The plan of an admission: earlier levels are merged as they are read, and no side is held in memory."""
    tables = WalkTables(spark, journal_of(WORLDS["cooperative"], tmp_path))
    carry_on(tables, WalkLimits(90), lambda _: None, small=12)
    level = len(tables.journal.receipts)
    tables.expand(level)
    runs = tables._runs(level)
    plan = tables.fresh(level, runs)._jdf.queryExecution().executedPlan().toString()
    assert len(runs) > 1
    assert plan.count("SortMergeJoin") == plan.count("Bucketed: true") == len(runs)
    assert not re.search("HashJoin|Broadcast|HashAggregate", plan)
    assert (plan.count("Exchange"), len(re.findall(r"\bSort \[", plan))) == (1, 1)


@pytest.mark.spark
def test_however_large_a_level_each_slot_has_a_few_tasks(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kassay.pipeline.walk.tables.TASK_STATES", 1)
    monkeypatch.setattr("kassay.pipeline.walk.tables.TASKS_MAX", 2)
    tables = WalkTables(spark, journal_of(WORLDS["cooperative"], tmp_path))
    carry_on(tables, WalkLimits(90), lambda _: None, small=12)
    states = tables.journal.waiting
    said = tables.expand(len(tables.journal.receipts))
    assert sum(one["sources"] for one in said) == states > 2 * slots(spark)
    assert slots(spark) <= len(said) <= 2 * slots(spark) + 1
