"""A fleet that is followed: Structured Streaming finds the files that arrive, and each micro-batch is a load.

The checkpoint, in the fleet's folder, has the files that Spark has seen. The receipts decide what was read:
a micro-batch that Spark repeats after a crash has no new files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from kassay.pipeline.fleet.fleet import FleetWork, finish_load, load
from kassay.pipeline.fleet.ledger import InputFile
from kassay.pipeline.fleet.snapshots import BYTES
from kassay.writing.text import counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CHECKPOINT: Final = "checkpoint"
_FILES_DDL: Final = "path string, modificationTime timestamp, length bigint, content binary"
_FOREVER: Final = "36500d"
"""By default Spark skips files that are a week older than the newest."""


def follow(
    work: FleetWork, folder: str, tell: Callable[[str], object] = lambda _: None, every_s: float | None = None
) -> None:
    """Load the files that arrive in the folder, every so many seconds, until interrupted.

    None: what is there now. `tell` is called with what each load read. Raises Spark's errors.
    """

    def take(files: DataFrame, _: int) -> None:
        listed = [InputFile(row.path, row.length) for row in files.select("path", "length").collect()]
        if new := work.ledger.unread(listed):
            number = work.ledger.plan(new)
            read = load(work, number)
            tell(
                f"load {number}: {counted(read['snapshots'], 'new snapshot')} in {counted(len(new), 'file')}"
            )

    finish_load(work, tell)
    reader = work.spark.readStream.format(BYTES).schema(_FILES_DDL).option("recursiveFileLookup", "true")
    writer = reader.option("maxFileAge", _FOREVER).load(folder).writeStream.foreachBatch(take)
    writer = writer.option("checkpointLocation", work.ledger.store.address(CHECKPOINT))
    if every_s is None:
        query = writer.trigger(availableNow=True).start()
    else:
        query = writer.trigger(processingTime=f"{every_s} seconds").start()
    try:
        query.awaitTermination()
    finally:
        query.stop()
