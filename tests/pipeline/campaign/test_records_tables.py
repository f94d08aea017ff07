"""Hashes over tables tell what was written, in whatever order."""

import random
from typing import Any

import pytest

from kassay.pipeline.tables import NO_ROWS, summary

pytestmark = pytest.mark.spark
ROWS = [(number, f"t{number % 3}", None if number % 4 else [number]) for number in range(30)]
DDL = "n int, target string, rounds array<int>"


def test_the_order_and_the_partitions_of_rows_do_not_matter_and_every_value_does(spark: Any) -> None:
    names = ("n", "target", "rounds")
    whole = summary(spark.createDataFrame(ROWS, DDL), names)
    assert whole["rows"] == 30
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    assert summary(spark.createDataFrame(shuffled, DDL).repartition(3), names) == whole
    changed = [(*row[:2], [7]) if number == 9 else row for number, row in enumerate(ROWS)]
    for other in (changed, ROWS[:-1], [*ROWS, ROWS[0]]):
        assert summary(spark.createDataFrame(other, DDL), names)["hash"] != whole["hash"]
    assert summary(spark.createDataFrame([], DDL), names) == NO_ROWS
