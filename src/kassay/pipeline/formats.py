"""The formats of a campaign's tables: Parquet with a manifest, or Delta Lake.

A batch in Delta is one commit of its partition with an idempotent key (`txnAppId`, `txnVersion`): a reader
sees complete batches only, and a batch that is played again after a crash is not committed twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from kassay.model.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARQUET: Final = "parquet"
DELTA: Final = "delta"
_EXTENSION: Final = "io.delta.sql.DeltaSparkSessionExtension"
SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    PARQUET: {},
    DELTA: {
        "spark.sql.extensions": _EXTENSION,
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # The log of a campaign is short: 50 tasks for each of its reads, the default, cost minutes.
        "spark.databricks.delta.snapshotPartitions": "2",
    },
}
"""What a session needs for a format, by its name."""
_PACKAGE: Final = "io.delta:delta-spark_4.1_2.13:4.4.0"
_COMMITS: Final = Lock()
"""Batches of one driver commit in turn: the first ones would both create the table."""


def settings_of(name: str) -> Mapping[str, str]:
    """What a session needs for the format. Raises `InputError` for an unknown one."""
    if name not in SETTINGS:
        raise InputError(f"--format {name!r}: expected {' or '.join(SETTINGS)}")
    return SETTINGS[name]


def require_format(spark: SparkSession, name: str) -> None:
    """Raise `InputError` if the session cannot write the format, with what to install."""
    if name != DELTA:
        return
    jvm: Any = spark._jvm
    try:
        jvm.py4j.reflection.ReflectionUtil.classForName(_EXTENSION)
    except Exception:  # py4j's errors have no common class
        raise InputError(
            f"--format delta: Spark {spark.version} has no class of Delta Lake; expected PySpark 4.1 and "
            f"`--config spark.jars.packages={_PACKAGE}`, or its jars in `--config spark.jars=...`"
        ) from None
    if _EXTENSION not in spark.conf.get("spark.sql.extensions", ""):
        pairs = " ".join(f"{key}={value}" for key, value in SETTINGS[DELTA].items())
        raise InputError(f"--format delta: the session was started without its settings, expected {pairs}")


def commit_batch(frame: DataFrame, place: str, number: int, key: str, version: int) -> None:
    """Replace the partition `batch=N` of the Delta table at the place, in one commit.

    Nothing happens if a commit of this key had this version or a later one.
    """
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    writer = frame.withColumn("batch", F.lit(number)).write.format(DELTA).mode("overwrite")
    writer = writer.partitionBy("batch").option("replaceWhere", f"batch = {number}")
    with _COMMITS:
        writer.option("txnAppId", key).option("txnVersion", version).save(place)
