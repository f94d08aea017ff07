"""Spark Connect: a campaign through a server plays the same tables; what it cannot do is one line."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.pipeline import connect
from kassay.pipeline.spark import in_pool, java_home, session_of, slots
from kassay.pipeline.store import Remote
from tests.paths import ROOT
from tests.pipeline.commands import Undisturbed, await_port, contents, end_tree, finished, free_port, kassay

pytestmark = [pytest.mark.spark, pytest.mark.slow]

NAME = "kassay test"


@pytest.mark.parametrize(
    ("config", "remote", "said"),
    [
        ({"spark.remote": "sc://127.0.0.1:9"}, True, "no answer, expected a running Spark Connect server"),
        ({"spark.remote": "127.0.0.1"}, True, "expected sc://HOST:PORT"),
        ({"spark.remote": "sc://x:y"}, True, "expected sc://HOST:PORT"),
        ({"spark.remote": "sc://x", "spark.master": "local"}, True, "expected spark.master or the other"),
        ({"spark.remote": "sc://x"}, False, f"expected spark.master, as {NAME} needs a session in this"),
    ],
)
def test_a_server_that_cannot_be_used_is_one_line(config: dict[str, str], remote: bool, said: str) -> None:
    with pytest.raises(InputError, match=said), session_of(config, NAME, remote=remote):
        pass


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with two slots."""
    import pyspark

    folder = tmp_path_factory.mktemp("server")
    port = free_port()
    home = Path(pyspark.__file__).parent
    env = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_HOME": str(java_home(folder)),
        "PYSPARK_PYTHON": sys.executable,
    }
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.ui.enabled": "false",
        "spark.driver.memory": "640m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2,4]"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    command += [word for pair in settings.items() for word in ("--conf", "=".join(pair))]
    started = subprocess.Popen(
        [*command, "spark-internal"],
        cwd=folder,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        await_port(port, started)
        yield f"sc://127.0.0.1:{port}"
    finally:
        end_tree(started.pid)
        started.wait()


def test_a_campaign_through_a_server(undisturbed: Undisturbed, server: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = kassay("run", str(undisturbed.spec), "--out", str(out), "--config", f"spark.remote={server}")
    said = finished(process)
    assert "violated by range" in said
    assert contents(out) == undisturbed.tables


def otherwise(server: str) -> None:
    """What a session on a server does otherwise; a process has one session or the other."""
    refused = pytest.raises(InputError, match=r"spark\.executor\.memory: .* does not let a session set it")
    with refused, connect.connected(server, NAME, {}, {"spark.executor.memory": "2g"}):
        pass
    with session_of({"spark.remote": server}, NAME, remote=True) as spark:
        assert connect.is_connect(spark)
        assert slots(spark) == 2
        with in_pool(spark, "play", "group"):
            assert spark.range(0, 30, 1, 3).mapInArrow(lambda batches: batches, "id long").count() == 30
        connect.cancel(spark, "group")
        assert connect.finished_tasks("group", 3) in range(4)
        with pytest.raises(InputError, match="expected a folder that this machine shares with the server"):
            Remote("s3a://bucket/results", spark)
    assert not {"SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE"} & set(os.environ)


def test_what_a_session_on_a_server_does_otherwise(server: str) -> None:
    script = f"from tests.pipeline.test_connect import otherwise; otherwise({server!r})"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_a_process_with_a_session_has_none_on_a_server(spark: Any, server: str) -> None:
    refused = pytest.raises(InputError, match=r"has a Spark session on local\[2,4\], expected its end")
    with refused, session_of({"spark.remote": server}, NAME, remote=True):
        pass
    assert spark.range(3).count() == 3
