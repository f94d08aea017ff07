"""Spark Connect: a session on a server (`sc://HOST:PORT`), which has no Java and no context in this process.

The server runs the same queries. This module replaces what the context gives elsewhere: how many tasks run at
once, how far a batch is, and the end of its jobs. There are no pools: the server divides its slots among
sessions only.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from kassay.model.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REMOTE: Final = "spark.remote"
_PORT: Final = 15002
_MODE: Final = ("SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE")
"""What PySpark sets and leaves in the environment: later sessions and programs would need a server."""
_RUNTIME: Final = "spark.sql."
_WAREHOUSE: Final = "spark.sql.warehouse.dir"
_WORK: Final = threading.local()
_FINISHED: Final[dict[tuple[str, int], int]] = {}
"""By group and number of tasks of a stage: how many have finished."""


def is_connect(spark: SparkSession) -> bool:
    """Whether the session is one on a server."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


@contextmanager
def connected(
    url: str, name: str, defaults: Mapping[str, str], conf: Mapping[str, str]
) -> Iterator[SparkSession]:
    """A session on the server, ended with the block; of the defaults it gets what a session may set.

    Raises `InputError` if a library is missing.
    """
    if find_spec("grpc_status") is None:
        raise InputError(f"{REMOTE} needs grpcio: expected `pip install 'kassay[spark]' 'pyspark[connect]'`")
    from pyspark.sql import SparkSession

    mode = {key: os.environ.get(key) for key in _MODE}
    try:
        spark = SparkSession.builder.remote(url).appName(name).getOrCreate()
        try:
            _set(spark, url, defaults, conf)
            spark.registerProgressHandler(_note)
            yield spark
        finally:
            with suppress(Exception):  # the server may be gone
                spark.stop()
    finally:
        for key, value in mode.items():
            os.environ.pop(key, None)
            if value is not None:
                os.environ[key] = value


def _set(spark: SparkSession, url: str, defaults: Mapping[str, str], conf: Mapping[str, str]) -> None:
    own = {key: value for key, value in defaults.items() if key.startswith(_RUNTIME) and key != _WAREHOUSE}
    for key, value in {**own, **conf}.items():
        try:
            spark.conf.set(key, value)
        except Exception:  # PySpark's errors have no common class
            raise InputError(
                f"{key}: {url} does not let a session set it, expected it of the server"
            ) from None


def must_answer(url: str) -> None:
    """Raise `InputError` unless there is a server at this address."""
    try:
        parts = urlsplit(url)
        address = parts.hostname or "", parts.port or _PORT
    except ValueError:
        address = "", 0
    if not url.startswith("sc://") or not address[0]:
        raise InputError(f"{REMOTE} {url!r}: expected sc://HOST:PORT")
    try:
        socket.create_connection(address, timeout=5).close()
    except OSError:
        raise InputError(f"{REMOTE} {url}: no answer, expected a running Spark Connect server") from None


@cache
def slots(spark: SparkSession) -> int:
    """The number of tasks that run at once: that of the pieces into which the server cuts a range."""
    return max(1, int(spark.range(1 << 16).selectExpr("spark_partition_id()").distinct().count()))


@contextmanager
def in_group(spark: SparkSession, group: str) -> Iterator[None]:
    """Jobs of this thread inside the block belong to the group."""
    spark.addTag(group)
    _WORK.group = group
    try:
        yield
    finally:
        _WORK.group = ""
        with suppress(Exception):  # the server may be gone
            spark.removeTag(group)


def cancel(spark: SparkSession, group: str) -> None:
    """End the jobs of the group."""
    spark.interruptTag(group)


def _note(stages: Any, **_: Any) -> None:
    """Spark calls this, in the thread that waits for a query, with the query's stages."""
    group: str = getattr(_WORK, "group", "")
    for stage in stages or ():
        key = group, stage.num_tasks
        _FINISHED[key] = max(_FINISHED.get(key, 0), stage.num_completed_tasks)


def finished_tasks(group: str, tasks: int) -> int:
    """How many tasks have finished of the group's stage of so many."""
    return _FINISHED.get((group, tasks), 0)
