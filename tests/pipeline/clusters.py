"""Spark's own standalone master with two workers, on loopback."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.pipeline.commands import end_tree


@contextmanager
def standalone(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A master and two workers on loopback; everything is ended with the block."""
    import pyspark

    from kassay.pipeline.spark import java_home

    home = Path(pyspark.__file__).parent
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_PUBLIC_DNS": "127.0.0.1",
        "JAVA_HOME": str(java_home(folder)),
    }

    def begin(*arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), *arguments],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    url, package = f"spark://127.0.0.1:{port}", "org.apache.spark.deploy"
    started = [
        begin(f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    ]
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        for number in range(2):
            work = folder / f"work{number}"
            started.append(
                begin(
                    *(f"{package}.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"),
                    *("--cores", "1", "--memory", "1g", "--work-dir", str(work), url),
                )
            )
        yield url, started
    finally:
        for process in started:
            end_tree(process.pid)
            process.wait()
